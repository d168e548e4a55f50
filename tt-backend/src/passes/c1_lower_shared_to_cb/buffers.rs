//! Webs become buffers, each of one kind.
//!
//! A web defined by reads alone is incoming; one defined by compute and used by writes alone is outgoing; every other is
//! local, and where a read defines it or a write uses it a copy stands between.

use super::Variable;
use super::webs::Webs;
use crate::flow::{
    BlockOp, BlockStmt, Blocks, Broadcast, Buffer, BufferId, BufferKind, DefinitionId, Elementwise, Flow, Operand,
    Read, Sees, Shift, Sights, Value, ValueKind, Write,
};
use crate::ir::{Kind, operations, replaced};
use crate::names::Numbered;
use crate::passes::a1_infer_layout::{Layouts, tiles};
use std::collections::BTreeSet;
use tt_lang::hash::{HashMap, HashSet};
use tt_lang::ir::{ParamId, Span};
use tt_plan::{DataFormat, Role};

#[derive(Debug, Clone, Default)]
struct Facts {
    reads: usize,
    shifts: usize,
    computed: usize,
    compute_uses: usize,
    writes: usize,
    formats_in: HashSet<DataFormat>,
    formats_out: HashSet<DataFormat>,
}

/// Runs the step.
pub fn run(
    layouts: &Layouts,
    variables: &[Variable],
    body: Vec<BlockStmt>,
    webs: &Webs,
    sights: Sights,
) -> Flow<Blocks> {
    let format_of =
        |tensor: ParamId| layouts.tensors[tensor.index()].map_or(DataFormat::Float16B, |layout| layout.format);
    let mut facts = vec![Facts::default(); webs.count];
    operations(&body, &mut |op| {
        if let Some(web) = op.defines().and_then(|(_, id)| webs.defined.get(&id)) {
            match op {
                BlockOp::Read(read) => {
                    facts[*web].reads += 1;
                    facts[*web].formats_in.insert(format_of(read.region.tensor));
                }
                BlockOp::Shift(_) => facts[*web].shifts += 1,
                BlockOp::Write(_)
                | BlockOp::Inspect(_)
                | BlockOp::Fetch(_)
                | BlockOp::Elementwise(_)
                | BlockOp::Gemm(_) => facts[*web].computed += 1,
            }
        }
        op.uses(&mut |_, sees, _| {
            let Some((web, _)) = webs.used.get(&sees) else { return };
            match op {
                BlockOp::Write(write) => {
                    facts[*web].writes += 1;
                    facts[*web].formats_out.insert(format_of(write.region.tensor));
                }
                // What is printed or shifted is the block as it is written.
                BlockOp::Inspect(_) | BlockOp::Shift(_) => {
                    facts[*web].formats_out.insert(variables[webs.variable[*web]].format);
                }
                BlockOp::Read(_) | BlockOp::Fetch(_) | BlockOp::Elementwise(_) | BlockOp::Gemm(_) => {
                    facts[*web].compute_uses += 1;
                }
            }
        });
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
        let kind = if facts.shifts > 0 {
            BufferKind::Shifted
        } else if facts.computed == 0 && facts.formats_in.len() == 1 {
            BufferKind::Incoming
        } else if facts.reads == 0 && facts.compute_uses == 0 && facts.formats_out.len() == 1 {
            BufferKind::Outgoing
        } else {
            BufferKind::Local
        };
        let format = match kind {
            BufferKind::Incoming => facts.formats_in.iter().next().copied(),
            BufferKind::Outgoing => facts.formats_out.iter().next().copied(),
            BufferKind::Local
            | BufferKind::Shifted
            | BufferKind::Constant(_)
            | BufferKind::Scratch(_)
            | BufferKind::Token(_) => None,
        };
        let id = this.add(variable, kind, format.unwrap_or(variable.format), variable.span);
        this.of_web.push(id);
    }
    let body = replaced(body, &mut |span, op| {
        let ops = this.op(op, span);
        ops.into_iter().map(|op| BlockStmt::new(span, Kind::Op(op))).collect()
    });
    let Buffers {
        mut buffers, sights, ..
    } = this;
    name_apart(&mut buffers);
    Flow {
        buffers: buffers.into(),
        sights,
        body,
    }
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
        let (name, tiles) = (variable.name.clone(), tiles(variable.extent));
        self.buffers.push(Buffer {
            block: variable.block,
            depth: variable.depth,
            ..Buffer::new(name, span, kind, format, tiles)
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

    /// The outgoing buffer that a variable reaches the writer in, what it holds there, and the copy that makes it, where it is
    /// not made so.
    fn sent(
        &mut self,
        variable: BufferId,
        sees: Sees,
        format: DataFormat,
        span: Span,
    ) -> (Option<BlockOp>, BufferId, Sees) {
        let (source, sees) = self.used(sees);
        if self.buffers[source.0].kind == BufferKind::Outgoing {
            return (None, source, sees);
        }
        let variable = &self.variables[variable.0];
        let outgoing = self.add(variable, BufferKind::Outgoing, format, span);
        let defines = self.sights.define();
        let copy = copy((source, sees), (outgoing, defines), variable.extent, span);
        (Some(copy), outgoing, self.sights.sees(BTreeSet::from([defines])))
    }

    /// The operation over buffers, and the copy that stands before or after it.
    fn op(&mut self, op: BlockOp, span: Span) -> Vec<BlockOp> {
        match op {
            BlockOp::Read(read) => {
                let target = self.defined(read.defines);
                if self.buffers[target.0].kind == BufferKind::Incoming {
                    return vec![BlockOp::Read(Read { buffer: target, ..read })];
                }
                let variable = &self.variables[read.buffer.0];
                let incoming = self.add(
                    variable,
                    BufferKind::Incoming,
                    (self.format_of)(read.region.tensor),
                    span,
                );
                let defines = self.sights.define();
                let sees = self.sights.sees(BTreeSet::from([defines]));
                let copy = copy((incoming, sees), (target, read.defines), variable.extent, span);
                let read = Read {
                    buffer: incoming,
                    defines,
                    ..read
                };
                vec![BlockOp::Read(read), copy]
            }
            BlockOp::Write(write) => {
                let format = (self.format_of)(write.region.tensor);
                let (copy, buffer, sees) = self.sent(write.buffer, write.sees, format, span);
                let write = BlockOp::Write(Write { buffer, sees, ..write });
                copy.into_iter().chain([write]).collect()
            }
            BlockOp::Inspect(mut inspection) => {
                let mut before = None;
                if let Some((buffer, sees)) = inspection.uses_mut() {
                    let format = self.variables[buffer.0].format;
                    (before, *buffer, *sees) = self.sent(*buffer, *sees, format, span);
                }
                before.into_iter().chain([BlockOp::Inspect(inspection)]).collect()
            }
            BlockOp::Shift(shift) => {
                let format = self.variables[shift.from.0].format;
                let (copy, from, sees) = self.sent(shift.from, shift.sees, format, span);
                let buffer = self.defined(shift.defines);
                let shift = BlockOp::Shift(Shift {
                    from,
                    sees,
                    buffer,
                    ..shift
                });
                copy.into_iter().chain([shift]).collect()
            }
            BlockOp::Elementwise(mut elementwise) => {
                elementwise.value.loads_mut(&mut |operand| {
                    if let Some(unknown) = operand.sees {
                        let (buffer, sees) = self.used(unknown);
                        (operand.buffer, operand.sees) = (buffer, Some(sees));
                    }
                });
                elementwise.target = self.defined(elementwise.defines);
                vec![BlockOp::Elementwise(elementwise)]
            }
            BlockOp::Fetch(_) => vec![op],
            BlockOp::Gemm(mut gemm) => {
                gemm.acc = self.defined(gemm.defines);
                (gemm.a, gemm.sees.a) = self.used(gemm.sees.a);
                (gemm.b, gemm.sees.b) = self.used(gemm.sees.b);
                gemm.sees.acc = gemm.sees.acc.map(|unknown| self.used(unknown).1);
                vec![BlockOp::Gemm(gemm)]
            }
        }
    }
}

fn copy(
    (from, sees): (BufferId, Sees),
    (target, defines): (BufferId, DefinitionId),
    extent: [u64; 2],
    span: Span,
) -> BlockOp {
    let load = Operand {
        buffer: from,
        offset: [0, 0],
        broadcast: Broadcast::None,
        sees: Some(sees),
    };
    BlockOp::Elementwise(Elementwise {
        target,
        defines,
        extent,
        compound: false,
        value: Value {
            kind: ValueKind::Load(load),
            span,
        },
    })
}

/// Buffers of one variable get names of their own: what comes in and what goes out say so, others are numbered.
fn name_apart(buffers: &mut [Buffer]) {
    let mut count: HashMap<String, usize> = HashMap::default();
    for buffer in &*buffers {
        *count.entry(buffer.name.clone()).or_default() += 1;
    }
    let mut names = Numbered::default();
    for buffer in buffers {
        let shared = count[&buffer.name] > 1;
        let suffix = match buffer.kind.ends() {
            [Role::Reader, Role::Compute] if shared => "_in",
            [Role::Compute, Role::Writer] if shared => "_out",
            [Role::Reader | Role::Compute | Role::Writer, _] => "",
        };
        buffer.name = names.give(&format!("{}{suffix}", buffer.name));
    }
}
