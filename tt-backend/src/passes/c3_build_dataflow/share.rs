//! Buffers that are never alive together share one circular buffer.
//!
//! Local ones always. Those of reader and writer only where there are too many: with buffers of their own the three programs
//! run further ahead of each other.
//!
//! ```text
//!  b = f(a); release a; c = g(b); release b; ..      ⟹      b = f(a); release a; a = g(b); release b; ..
//! ```

use super::in_use;
use super::liveness::Alive;
use crate::flow::{
    Around, Buffer, BufferId, BufferKind, Flow, FlowLoop, SectionOp, SectionStmt, Sections, buffers_mut,
};
use crate::ir::Forward;
use std::collections::BTreeSet;
use tt_lang::hash::HashMap;
use tt_lang::ir::Span;

/// Runs the step for buffers of `kind`: gives each the place of an earlier one that it can take.
pub fn run(flow: &mut Flow<Sections>, kind: BufferKind) {
    let mut together = Together(vec![BTreeSet::new(); flow.buffers.len()]);
    together.follow(&flow.body);
    let in_use = in_use(flow);
    let mut places: HashMap<_, Vec<BufferId>> = HashMap::default();
    let mut place_of: Vec<BufferId> = (0..flow.buffers.len()).map(BufferId).collect();
    for (index, buffer) in flow.buffers.iter().enumerate() {
        if buffer.kind != kind || buffer.shard.is_some() || !in_use.contains(&BufferId(index)) {
            continue;
        }
        let places = places.entry(shape(buffer)).or_default();
        let apart = |place: &&BufferId| {
            let lies_there = |other: &BufferId| place_of[other.0] == **place;
            !together.0[index].iter().any(lies_there)
        };
        match places.iter().find(apart) {
            Some(place) => place_of[index] = *place,
            None => places.push(BufferId(index)),
        }
    }
    for (index, place) in place_of.iter().enumerate() {
        let versions = flow.buffers[index].versions;
        let shared = &mut flow.buffers[place.0];
        shared.versions = shared.versions.max(versions);
    }
    buffers_mut(&mut flow.body, &mut |buffer| *buffer = place_of[buffer.0]);
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

/// Which buffers are alive together with each.
struct Together(Vec<BTreeSet<BufferId>>);

impl Together {
    fn append(&mut self, buffer: BufferId, alive: &mut Alive) {
        for other in alive.0.keys().filter(|other| **other != buffer) {
            self.0[buffer.0].insert(*other);
            self.0[other.0].insert(buffer);
        }
        alive.append(buffer);
    }
}

/// Releases stand in the flow already; loops and branches leave what they found.
impl Forward<Sections> for Together {
    type State = Alive;

    fn begin(&mut self) -> Alive {
        Alive::default()
    }

    fn op(&mut self, _: &Span, op: &SectionOp, alive: &mut Alive) {
        op.defines().into_iter().for_each(|buffer| self.append(buffer, alive));
        op.releases().into_iter().for_each(|buffer| alive.release(buffer));
    }

    fn open(&mut self, around: &Around, alive: &mut Alive) {
        around
            .defines()
            .into_iter()
            .for_each(|buffer| self.append(buffer, alive));
    }

    fn close(&mut self, around: &Around, body: &[SectionStmt], alive: &mut Alive) {
        around
            .replaces(body)
            .into_iter()
            .for_each(|buffer| alive.release(buffer));
    }

    fn runs(&self, head: &FlowLoop) -> bool {
        head.runs
    }

    fn join(&mut self, _: &mut Alive, _: &Alive) {}
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
        compiled(&source).plan.matches("\"unpack_to_dest_fp32\"").count()
    }

    fn compiled(source: &str) -> crate::Artifact {
        let function = syn::parse_str(source).expect("the kernel is Rust");
        let parsed = tt_lang::syntax::parse_item_fn(&function, "kernel.rs");
        let kernel = parsed.and_then(|parsed| parsed.kernel).expect("it is a kernel");
        crate::compile(&kernel).unwrap_or_else(|errors| panic!("{errors:#?}"))
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

    /// `acc` has two versions while it is replaced, and where L1 is short what shares its circular buffer has as many.
    #[test]
    fn a_carried_block_that_shares_keeps_its_versions_where_l1_is_short() {
        compiled(
            "#[tt::kernel]
            fn versions<const M: usize, const N: usize>(a: &Tensor<i32, M, N>, out: &mut Tensor<i32, M, N>) {
                let (gx, gy) = T.Kernel(N.div_ceil(40), M.div_ceil(128));
                let b0 = T.alloc_shared::<i32>(128, 40);
                let v2 = T.alloc_fragment::<i32>(128);
                let b3 = T.alloc_fragment::<i32>(128, 40);
                let v4 = T.alloc_fragment::<i32>(40);
                let v5 = T.alloc_fragment::<i32>(40);
                let acc = T.alloc_fragment::<i32>(128, 40);
                T.clear(acc);
                T.copy(a[(0, 0)], b0);
                for (i, j) in T.Parallel(128, 40) { acc[(i, j)] += b0[(i, j)]; }
                T.copy(a[(0, 0)], b0);
                for (i, j) in T.Parallel(128, 40) { acc[(i, j)] += b0[(i, j)]; }
                for l1 in 0..2 {
                            T.copy(a[(0, 0)], b0);
                            for (i, j) in T.Parallel(128, 40) { acc[(i, j)] += b0[(i, j)]; }
                            T.copy(a[(0, 0)], b0);
                            T.reduce_sum(b0, v2, dim = 1);
                            for (i, j) in T.Parallel(128, 40) { acc[(i, j)] += v2[i]; }
                        for l5 in T.Pipelined((l1).clamp(0, 2), num_stages = 4) {
                            if l5 != 1 {
                                T.copy(a[(0, 0)], b0);
                                for (i, j) in T.Parallel(128, 40) { acc[(i, j)] += b0[(i, j)]; }
                            }
                            T.copy(a[(0, 0)], b0);
                            for (i, j) in T.Parallel(128, 40) { acc[(i, j)] += b0[(i, j)]; }
                                T.copy(a[(0, 0)], b3);
                                T.reduce_max(b3, v4, dim = 0);
                                for (i, j) in T.Parallel(128, 40) { acc[(i, j)] += v4[j]; }
                                T.copy(a[(0, 0)], b3);
                                T.reduce_sum(b3, v5, dim = 0);
                                for (i, j) in T.Parallel(128, 40) { acc[(i, j)] += v5[j]; }
                        }
                    T.copy(a[(0, 0)], b3);
                    for (i, j) in T.Parallel(128, 40) { acc[(i, j)] += b3[(i, j)]; }
                }
                T.copy(acc, out[(gy * 128, gx * 40)]);
            }",
        );
    }
}
