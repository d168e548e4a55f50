//! Webs become buffers, each of one kind.
//!
//! A web defined by reads alone is incoming; one defined by compute and used by writes alone is outgoing; every other is
//! local, and where a read defines it or a write uses it a copy stands between.

use super::Variable;
use super::webs::{Webs, uses_and_definition};
use crate::flow::{
    Broadcast, Buffer, BufferId, BufferKind, DefinitionId, Elementwise, Flow, FlowLoop, FlowOp, FlowStmt, Flowing,
    Operand, ProductSees, Sees, Sights, Value, ValueKind,
};
use crate::ir::{Kind, visit};
use crate::passes::a1_infer_layout::{Layouts, tiles};
use std::collections::{BTreeSet, HashSet};
use tt_lang::ir::{ParamId, Span};
use tt_plan::DataFormat;

#[derive(Debug, Clone, Default)]
struct Facts {
    reads: usize,
    computed: usize,
    compute_uses: usize,
    writes: usize,
    formats_in: HashSet<DataFormat>,
    formats_out: HashSet<DataFormat>,
}

/// Runs the step.
pub fn run(layouts: &Layouts, variables: &[Variable], body: &[FlowStmt], webs: &Webs, sights: Sights) -> Flow {
    let format_of =
        |tensor: ParamId| layouts.tensors[tensor.index()].map_or(DataFormat::Float16B, |layout| layout.format);
    let mut facts = vec![Facts::default(); webs.count];
    visit(body, &mut |stmt| {
        let Kind::Op(op) = &stmt.kind else { return };
        let (uses, definition) = uses_and_definition(op, stmt.note);
        if let Some(web) = definition.and_then(|(_, id)| webs.defined.get(&id)) {
            if let FlowOp::Read { region, .. } = op {
                facts[*web].reads += 1;
                facts[*web].formats_in.insert(format_of(region.tensor));
            } else {
                facts[*web].computed += 1;
            }
        }
        for (_, sees, _) in uses {
            let Some((web, _)) = webs.used.get(&sees) else {
                continue;
            };
            if let FlowOp::Write { region, .. } = op {
                facts[*web].writes += 1;
                facts[*web].formats_out.insert(format_of(region.tensor));
            } else {
                facts[*web].compute_uses += 1;
            }
        }
    });
    let mut this = Buffers {
        variables,
        webs,
        format_of: &format_of,
        buffers: Vec::new(),
        of_web: Vec::new(),
        sights,
    };
    for (web, facts) in facts.iter().enumerate() {
        let variable = &variables[webs.variable[web]];
        let kind = if facts.computed == 0 && facts.formats_in.len() == 1 {
            BufferKind::Incoming
        } else if facts.reads == 0 && facts.compute_uses == 0 && facts.formats_out.len() == 1 {
            BufferKind::Outgoing
        } else {
            BufferKind::Local
        };
        let format = match kind {
            BufferKind::Incoming => facts.formats_in.iter().next().copied(),
            BufferKind::Outgoing => facts.formats_out.iter().next().copied(),
            BufferKind::Local | BufferKind::Constant(_) => None,
        };
        let id = this.add(variable, kind, format.unwrap_or(variable.format), variable.span);
        this.of_web.push(id);
    }
    let body = this.body(body);
    let Buffers {
        mut buffers, sights, ..
    } = this;
    name_apart(&mut buffers);
    Flow { buffers, sights, body }
}

struct Buffers<'a> {
    variables: &'a [Variable],
    webs: &'a Webs,
    format_of: &'a dyn Fn(ParamId) -> DataFormat,
    buffers: Vec<Buffer>,
    of_web: Vec<BufferId>,
    sights: Sights,
}

impl Buffers<'_> {
    fn add(&mut self, variable: &Variable, kind: BufferKind, format: DataFormat, span: Span) -> BufferId {
        self.buffers.push(Buffer {
            name: variable.name.clone(),
            block: variable.block,
            span,
            format,
            tiles: tiles(variable.extent),
            kind,
            depth: variable.depth,
            versions: 1,
            column_major: false,
            unpack_to_dest: false,
            index: None,
        });
        BufferId(self.buffers.len() - 1)
    }

    fn defined(&self, definition: DefinitionId) -> BufferId {
        self.of_web[self.webs.defined[&definition]]
    }

    fn used(&self, sees: Sees) -> (BufferId, Sees) {
        let (web, sees) = self.webs.used[&sees];
        (self.of_web[web], sees)
    }

    fn body(&mut self, body: &[FlowStmt]) -> Vec<FlowStmt> {
        let mut out = Vec::new();
        for stmt in body {
            let span = stmt.note;
            let mut emit = |kind| out.push(FlowStmt { kind, note: span });
            match &stmt.kind {
                Kind::Op(FlowOp::Read {
                    buffer,
                    defines,
                    region,
                }) => {
                    let target = self.defined(*defines);
                    if self.buffers[target.0].kind == BufferKind::Incoming {
                        emit(Kind::Op(FlowOp::Read {
                            buffer: target,
                            defines: *defines,
                            region: region.clone(),
                        }));
                    } else {
                        let variable = &self.variables[buffer.0];
                        let incoming = self.add(variable, BufferKind::Incoming, (self.format_of)(region.tensor), span);
                        let read = self.sights.define();
                        let sees = self.sights.sees(BTreeSet::from([read]));
                        emit(Kind::Op(FlowOp::Read {
                            buffer: incoming,
                            defines: read,
                            region: region.clone(),
                        }));
                        emit(copy((incoming, sees), (target, *defines), variable.extent, span));
                    }
                }
                Kind::Op(FlowOp::Write { buffer, sees, region }) => {
                    let (source, sees) = self.used(*sees);
                    if self.buffers[source.0].kind == BufferKind::Outgoing {
                        emit(Kind::Op(FlowOp::Write {
                            buffer: source,
                            sees,
                            region: region.clone(),
                        }));
                    } else {
                        let variable = &self.variables[buffer.0];
                        let outgoing = self.add(variable, BufferKind::Outgoing, (self.format_of)(region.tensor), span);
                        let copied = self.sights.define();
                        emit(copy((source, sees), (outgoing, copied), variable.extent, span));
                        emit(Kind::Op(FlowOp::Write {
                            buffer: outgoing,
                            sees: self.sights.sees(BTreeSet::from([copied])),
                            region: region.clone(),
                        }));
                    }
                }
                Kind::Op(FlowOp::Elementwise(elementwise)) => {
                    let mut value = elementwise.value.clone();
                    value.loads_mut(&mut |operand| {
                        if let Some(unknown) = operand.sees {
                            let (buffer, sees) = self.used(unknown);
                            (operand.buffer, operand.sees) = (buffer, Some(sees));
                        }
                    });
                    let target = self.defined(elementwise.defines);
                    emit(Kind::Op(FlowOp::Elementwise(Elementwise {
                        target,
                        defines: elementwise.defines,
                        extent: elementwise.extent,
                        value,
                    })));
                }
                Kind::Op(FlowOp::Gemm(gemm)) => {
                    let ((a, a_sees), (b, b_sees)) = (self.used(gemm.sees.a), self.used(gemm.sees.b));
                    let acc = self.defined(gemm.defines);
                    let sees = ProductSees {
                        a: a_sees,
                        b: b_sees,
                        acc: gemm.sees.acc.map(|unknown| self.used(unknown).1),
                    };
                    emit(Kind::Op(FlowOp::Gemm(crate::flow::Gemm {
                        a,
                        b,
                        acc,
                        sees,
                        ..gemm.clone()
                    })));
                }
                Kind::Loop(FlowLoop { var, start, end, kind }, body) => {
                    let body = self.body(body);
                    emit(Kind::Loop(
                        FlowLoop {
                            var: *var,
                            start: start.clone(),
                            end: end.clone(),
                            kind: *kind,
                        },
                        body,
                    ));
                }
                Kind::If(cond, then, otherwise) => {
                    let then = self.body(then);
                    let otherwise = self.body(otherwise);
                    emit(Kind::If(cond.clone(), then, otherwise));
                }
                // `translate` makes none of these.
                Kind::Op(FlowOp::Blank { .. } | FlowOp::Release { .. } | FlowOp::Section(_) | FlowOp::Multiply(_))
                | Kind::Group(..) => {
                    out.push(stmt.clone());
                }
            }
        }
        out
    }
}

fn copy(
    (from, sees): (BufferId, Sees),
    (target, defines): (BufferId, DefinitionId),
    extent: [u64; 2],
    span: Span,
) -> Kind<Flowing> {
    let load = Operand {
        buffer: from,
        offset: [0, 0],
        broadcast: Broadcast::None,
        sees: Some(sees),
    };
    Kind::Op(FlowOp::Elementwise(Elementwise {
        target,
        defines,
        extent,
        value: Value {
            kind: ValueKind::Load(load),
            span,
        },
    }))
}

/// Buffers of one variable get names of their own: what comes in and what goes out say so, others are numbered.
fn name_apart(buffers: &mut [Buffer]) {
    let names: Vec<String> = buffers.iter().map(|buffer| buffer.name.clone()).collect();
    let mut taken: HashSet<String> = HashSet::new();
    for (index, buffer) in buffers.iter_mut().enumerate() {
        let shared = names.iter().filter(|name| **name == names[index]).count() > 1;
        let base = match buffer.kind {
            BufferKind::Incoming if shared => format!("{}_in", buffer.name),
            BufferKind::Outgoing if shared => format!("{}_out", buffer.name),
            BufferKind::Incoming | BufferKind::Local | BufferKind::Outgoing | BufferKind::Constant(_) => {
                buffer.name.clone()
            }
        };
        let mut name = base.clone();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{base}_{number}");
        }
        buffer.name = name;
    }
}
