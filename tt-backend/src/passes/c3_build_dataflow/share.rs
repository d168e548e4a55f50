//! Buffers that are never alive together share one circular buffer.
//!
//! Local ones always. Those of reader and writer only where there are too many: with buffers of their own the three programs
//! run further ahead of each other.
//!
//! ```text
//!  b = f(a); release a; c = g(b); release b; ..      ⟹      b = f(a); release a; a = g(b); release b; ..
//! ```

use super::in_use;
use crate::flow::{
    Accumulate, Arg, Buffer, BufferId, BufferKind, Flow, Read, SectionOp, SectionStmt, Sections, Shift, Step, Write,
};
use crate::ir::Kind;
use std::collections::{BTreeSet, HashMap};

/// Runs the step for buffers of `kind`: gives each the place of an earlier one that it can take.
pub fn run(flow: &mut Flow<Sections>, kind: BufferKind) {
    let mut together = Together {
        alive: vec![0; flow.buffers.len()],
        now: BTreeSet::new(),
        pairs: vec![BTreeSet::new(); flow.buffers.len()],
    };
    together.body(&flow.body);
    let in_use = in_use(flow);
    let mut places: HashMap<_, Vec<Vec<BufferId>>> = HashMap::new();
    let mut place_of: Vec<BufferId> = (0..flow.buffers.len()).map(BufferId).collect();
    for (index, buffer) in flow.buffers.iter().enumerate() {
        if buffer.kind != kind || !in_use.contains(&BufferId(index)) {
            continue;
        }
        let places = places.entry(shape(buffer)).or_default();
        let apart = |others: &&mut Vec<BufferId>| {
            let meets = |other: &BufferId| together.pairs[index].contains(other);
            !others.iter().any(meets)
        };
        match places.iter_mut().find(apart) {
            Some(others) => {
                place_of[index] = others[0];
                others.push(BufferId(index));
            }
            None => places.push(vec![BufferId(index)]),
        }
    }
    for (index, place) in place_of.iter().enumerate() {
        let versions = flow.buffers[index].versions;
        let shared = &mut flow.buffers[place.0];
        shared.versions = shared.versions.max(versions);
    }
    rename(&mut flow.body, &|buffer| *buffer = place_of[buffer.0]);
}

/// What two buffers have in common that share a place.
fn shape(buffer: &Buffer) -> impl Eq + std::hash::Hash + use<> {
    let Buffer {
        format,
        tiles,
        column_major,
        unpack_to_dest,
        ..
    } = buffer;
    (*format, *tiles, *column_major, *unpack_to_dest)
}

/// Which buffers are alive together.
struct Together {
    alive: Vec<u32>,
    now: BTreeSet<BufferId>,
    pairs: Vec<BTreeSet<BufferId>>,
}

impl Together {
    fn append(&mut self, buffer: BufferId) {
        for other in self.now.iter().filter(|other| **other != buffer) {
            self.pairs[buffer.0].insert(*other);
            self.pairs[other.0].insert(buffer);
        }
        self.alive[buffer.0] += 1;
        self.now.insert(buffer);
    }

    fn release(&mut self, buffer: BufferId) {
        let alive = &mut self.alive[buffer.0];
        *alive = alive.saturating_sub(1);
        if *alive == 0 {
            self.now.remove(&buffer);
        }
    }

    /// Releases stand in the flow already; loops and branches leave what they found.
    fn body(&mut self, body: &[SectionStmt]) {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(
                    SectionOp::Read(Read { buffer, .. })
                    | SectionOp::Shift(Shift { buffer, .. })
                    | SectionOp::Blank(buffer),
                ) => self.append(*buffer),
                Kind::Op(SectionOp::Release(buffer)) => self.release(*buffer),
                Kind::Op(SectionOp::Section(section)) => {
                    section.defines().into_iter().for_each(|buffer| self.append(buffer));
                    section.controls().for_each(|body| self.body(body));
                    section.replaces().into_iter().for_each(|buffer| self.release(buffer));
                }
                Kind::Group(Accumulate { buffer, .. }, body) => {
                    self.append(*buffer);
                    self.body(body);
                }
                Kind::Loop(_, body) => self.body(body),
                Kind::If(_, then, otherwise) => {
                    let before = (self.alive.clone(), self.now.clone());
                    self.body(then);
                    (self.alive, self.now) = before;
                    self.body(otherwise);
                }
                Kind::Op(
                    SectionOp::Write(_) | SectionOp::Inspect(_) | SectionOp::Fetch(_) | SectionOp::Multiply(_),
                ) => {}
            }
        }
    }
}

fn rename_steps(steps: &mut [Step], to: &impl Fn(&mut BufferId)) {
    for step in steps {
        match step {
            Step::Tile { args, .. } => {
                for arg in args {
                    match arg {
                        Arg::Tile(operand) => to(&mut operand.buffer),
                        Arg::Constant(_) | Arg::Register(_) | Arg::Number(_) | Arg::Integer(_) => {}
                    }
                }
            }
            Step::Matmul(matmul) => {
                to(&mut matmul.a);
                to(&mut matmul.b);
            }
            Step::Control(body) => rename(body, to),
            Step::Along { steps, .. } | Step::Unless { steps, .. } => rename_steps(steps, to),
        }
    }
}

fn rename(body: &mut [SectionStmt], to: &impl Fn(&mut BufferId)) {
    for stmt in body {
        match &mut stmt.kind {
            Kind::Op(SectionOp::Read(Read { buffer, .. }) | SectionOp::Blank(buffer) | SectionOp::Release(buffer)) => {
                to(buffer)
            }
            Kind::Op(SectionOp::Write(Write { buffer, stored, .. })) => {
                to(buffer);
                stored.iter_mut().for_each(|(stored, _)| to(stored));
            }
            Kind::Op(SectionOp::Shift(shift)) => {
                to(&mut shift.from);
                to(&mut shift.buffer);
            }
            Kind::Op(SectionOp::Inspect(inspection)) => {
                inspection.uses_mut().into_iter().for_each(|(buffer, _)| to(buffer));
            }
            Kind::Op(SectionOp::Fetch(fetch)) => {
                fetch.into.reader.iter_mut().chain(&mut fetch.into.writer).for_each(to)
            }
            Kind::Op(SectionOp::Section(section)) => {
                to(&mut section.pack.buffer);
                rename_steps(&mut section.steps, to);
            }
            Kind::Op(SectionOp::Multiply(matmul)) => {
                to(&mut matmul.a);
                to(&mut matmul.b);
            }
            Kind::Group(Accumulate { buffer, .. }, body) => {
                to(buffer);
                rename(body, to);
            }
            Kind::Loop(_, body) => rename(body, to),
            Kind::If(_, then, otherwise) => {
                rename(then, to);
                rename(otherwise, to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    /// The circular buffers of a kernel with `body`.
    fn buffers(body: &str) -> usize {
        let source = format!(
            "#[tt::kernel] fn shared<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, o: &mut Tensor<bf16, M, N>) {{
                let by = T.Kernel(M.div_ceil(32));
                let v = T.alloc_fragment::<bf16>(32, 32);
                let w = T.alloc_fragment::<bf16>(32, 32);
                {body}
            }}"
        );
        let function = syn::parse_str(&source).expect("the kernel is Rust");
        let parsed = tt_lang::syntax::parse_item_fn(&function, "kernel.rs");
        let kernel = parsed.and_then(|parsed| parsed.kernel).expect("it is a kernel");
        let artifact = crate::compile(&kernel).unwrap_or_else(|errors| panic!("{errors:#?}"));
        artifact.plan.matches("\"unpack_to_dest_fp32\"").count()
    }

    #[test]
    fn statements_that_alternate_on_two_blocks_take_two_buffers() {
        let pair = "for (i, j) in T.Parallel(32, 32) { w[(i, j)] = v[(i, j)] + v[(i, j)] * v[(i, j)]; }
                    for (i, j) in T.Parallel(32, 32) { v[(i, j)] = w[(i, j)] + w[(i, j)] * w[(i, j)]; }";
        let body = format!(
            "T.copy(a[(by * 32, 0)], v); {} T.copy(v, o[(by * 32, 0)]);",
            pair.repeat(18)
        );
        assert_eq!(buffers(&body), 4, "what comes in, what goes out, and two between");
    }

    #[test]
    fn fifty_loops_over_two_blocks_take_two_buffers() {
        let around = |number: usize| {
            format!(
                "for k in 0..N.div_ceil(32) {{
                    T.copy(a[(by * 32, k * 32)], v);
                    for (i, j) in T.Parallel(32, 32) {{ w[(i, j)] = v[(i, j)] + {number}.0; }}
                    T.copy(w, o[(by * 32, k * 32)]);
                }}"
            )
        };
        let body: String = (0..50).map(around).collect();
        assert_eq!(buffers(&body), 2, "what comes in and what goes out");
    }

    #[test]
    fn a_hundred_moves_between_two_blocks_fit_in_a_core() {
        let moved = |by: usize| format!("for (i, j) in T.Parallel(16, 16) {{ w[(i + {by}, j)] = v[(i, j + {by})]; }}");
        let moves: String = (0..100).map(|number| moved(1 + number % 16)).collect();
        let body = format!("T.copy(a[(by * 32, 0)], v); T.clear(w); {moves} T.copy(w, o[(by * 32, 0)]);");
        assert!(buffers(&body) <= 32);
    }
}
