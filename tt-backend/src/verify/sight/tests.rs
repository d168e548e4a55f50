//! Flows in which a use finds something else than the source sees, made from kernels that are right.

use super::check;
use crate::flow::{Arg, Around, BufferId, Flow, Makes, SectionOp, SectionStmt, Sections};
use crate::ir::{Kind, operations_mut};
use crate::passes::*;

/// The flow of the kernel in `source`, before C3.
fn sections(source: &str) -> Flow<Sections> {
    let function = syn::parse_str(source).expect("the kernel is Rust");
    let kernel = tt_lang::syntax::parse_item_fn(&function, "kernel.rs")
        .and_then(|parsed| parsed.kernel)
        .expect("it is a kernel");
    let layouts = a1_infer_layout::run(&kernel).expect("layouts");
    let flow = c1_lower_shared_to_cb::run(&kernel, &layouts).expect("buffers");
    let registers = c2_lower_tile_intrinsics::Registers {
        capacity: 4,
        fp32: true,
        approximate: false,
    };
    c2_lower_tile_intrinsics::run(flow, registers).expect("sections")
}

const CARRIED: &str = "#[tt::kernel] fn carried<const M: usize, const N: usize>(
        a: &Tensor<bf16, M, N>, b: &Tensor<bf16, N, N>, o: &mut Tensor<f32, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.clear(acc);
    for k in 0..N.div_ceil(32) {
        T.copy(a[(by * 32, k * 32)], x);
        T.copy(b[(k * 32, 0)], y);
        T.gemm(x, y, acc);
        T.copy(acc, o[(by * 32, k * 32)]);
    }
}";

const REDEFINED: &str = "#[tt::kernel] fn redefined<const M: usize, const N: usize>(
        a: &Tensor<bf16, M, N>, b: &Tensor<bf16, N, N>, o: &mut Tensor<f32, M, N>) {
    let by = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let kept = T.alloc_fragment::<f32>(32, 32);
    let other = T.alloc_fragment::<f32>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.fill(kept, 1.0);
    T.clear(acc);
    for k in 0..N.div_ceil(32) {
        T.copy(a[(by * 32, k * 32)], x);
        T.copy(b[(k * 32, 0)], y);
        for (i, j) in T.Parallel(32, 32) { other[(i, j)] = kept[(i, j)] + x[(i, j)]; }
        T.gemm(x, y, acc);
        for (i, j) in T.Parallel(32, 32) { kept[(i, j)] = other[(i, j)] * other[(i, j)]; }
    }
    T.copy(kept, o[(by * 32, 0)]);
    T.copy(acc, o[(by * 32, 32)]);
}";

/// C3 and the check.
fn judged(mut flow: Flow<Sections>) -> Result<(), String> {
    c3_build_dataflow::run(&mut flow).expect("lifetimes");
    check(&flow)
}

/// The statements of the first loop, at any depth.
fn loop_body(body: &mut [SectionStmt]) -> Option<&mut Vec<SectionStmt>> {
    body.iter_mut().find_map(|stmt| match &mut stmt.kind {
        Kind::Loop(_, body) => Some(body),
        Kind::Group(_, body) => loop_body(body),
        _ => None,
    })
}

#[test]
fn what_the_passes_make_is_seen_as_the_source_says() {
    assert_eq!(judged(sections(CARRIED)), Ok(()));
    assert_eq!(judged(sections(REDEFINED)), Ok(()));
}

#[test]
fn sums_that_are_lost_round_a_loop_are_refused() {
    // What fusion did that forgot the way back of the loop: the store takes the sums, and nothing keeps them.
    let mut flow = sections(CARRIED);
    let body = loop_body(&mut flow.body).expect("a loop");
    let at = body
        .windows(2)
        .position(|pair| {
            pair.iter()
                .all(|stmt| matches!(stmt.kind, Kind::Group(Around::Section(_), _)))
        })
        .expect("a gemm and a copy of its sums");
    let Kind::Group(Around::Section(copy), load) = body.remove(at + 1).kind else {
        unreachable!("a section stands there")
    };
    let [
        SectionStmt {
            kind: Kind::Op(SectionOp::Tile { args, .. }),
            ..
        },
    ] = load.as_slice()
    else {
        panic!("a copy is one load: {load:?}")
    };
    let ([Arg::Tile(load)], Makes::Definition(defines)) = (args.as_slice(), copy.makes) else {
        panic!("a copy defines what it loads: {copy:?}")
    };
    let sees = load.sees.expect("it says what it sees");
    let Kind::Group(Around::Section(gemm), _) = &mut body[at].kind else {
        unreachable!("a section stands there")
    };
    (gemm.pack, gemm.makes) = (copy.pack, Makes::OfSums { sees, defines });
    let fault = judged(flow).expect_err("the sums are lost");
    assert!(fault.starts_with("a sum holds"), "{fault}");
}

#[test]
fn an_old_version_where_a_loop_made_a_new_one_is_refused() {
    // What dropping dead sums did: the loop around them went with the redefinition in it.
    let mut flow = sections(REDEFINED);
    let body = loop_body(&mut flow.body).expect("a loop");
    let is_tile = |stmt: &SectionStmt| matches!(&stmt.kind, Kind::Op(SectionOp::Tile { .. }));
    let redefinition = body
        .iter()
        .rposition(|stmt| matches!(&stmt.kind, Kind::Group(Around::Section(_), inside) if inside.iter().all(is_tile)));
    body.remove(redefinition.expect("the redefinition"));
    let fault = judged(flow).expect_err("the redefinition is lost");
    assert!(fault.contains("where the source sees"), "{fault}");
}

#[test]
fn no_operand_can_be_another_block() {
    let mut refused = 0;
    for source in [CARRIED, REDEFINED] {
        let mut right = sections(source);
        c3_build_dataflow::run(&mut right).expect("lifetimes");
        let mut uses = 0;
        operations_mut(&mut right.body, &mut |op| op.uses_mut(&mut |_| uses += 1));
        for changed in 0..uses {
            for other in (0..right.buffers.len()).map(BufferId) {
                let mut flow = right.clone();
                let (mut at, mut same) = (0, false);
                let mut change = |buffer: &mut BufferId| {
                    if at == changed {
                        same = *buffer == other;
                        *buffer = other;
                    }
                    at += 1;
                };
                operations_mut(&mut flow.body, &mut |op| op.uses_mut(&mut change));
                if !same {
                    let taken = &right.buffers[other.0].name;
                    assert!(check(&flow).is_err(), "operand {changed} may be {taken}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 40, "only {refused} changes were made");
}
