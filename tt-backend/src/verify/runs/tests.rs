//! Programs that would use what was read for another run of blocks, made from one that is right.

use crate::device::{Bits, Calls, Device, Expr, Leaf, Operator};
use crate::flow::BEFORE_ALL;
use crate::ir::{Kind, operations_mut};
use crate::verify::{fixture, verify};
use tt_lang::ir::Kernel;

type Stmt = crate::ir::Stmt<Calls<Bits>>;

const PANELS: &str = "#[tt::kernel(multicast = off)] fn panels<const M: usize, const N: usize>(
        a: &Tensor<bf16, M, 64>, b: &Tensor<bf16, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let y_block = T.alloc_fragment::<f32>(32, 32);
    for (i, j) in T.Parallel(32, 32) {
        y_block[(i, j)] = a[(by * 32 + i, j)] as f32 + b[(by * 32 + i, bx * 32 + j)] as f32;
    }
    T.copy(y_block, y[(by * 32, bx * 32)]);
}";

fn panels() -> (Kernel, Device) {
    let function = syn::parse_str(PANELS).expect("the kernel is Rust");
    let parsed = tt_lang::syntax::parse_item_fn(&function, "kernel.rs");
    let kernel: Kernel = parsed.and_then(|parsed| parsed.kernel).expect("it is a kernel");
    let device = crate::pipeline::lowered(&kernel).expect("it is lowered");
    assert_eq!(verify(&kernel, &device), Ok(()));
    (kernel, device)
}

/// The branch of a program that begins a run, and where it stands in what it does for a block.
fn begin(block: &[Stmt]) -> usize {
    let is_begin = |stmt: &Stmt| matches!(&stmt.kind, Kind::If(branch, ..) if branch.cause.origin().is_some());
    block.iter().position(is_begin).expect("a run begins")
}

/// What the verifier says once `change` has changed the device program.
fn said(change: impl Fn(&mut Device)) -> String {
    let (kernel, mut device) = panels();
    change(&mut device);
    let errors = verify(&kernel, &device).expect_err("it must not pass");
    errors.iter().flat_map(|error| &error.notes).cloned().collect()
}

#[test]
fn a_run_that_is_told_by_another_axis_is_refused() {
    let said = said(|device| {
        for program in 0..2 {
            let block = fixture::block(device, program);
            let at = begin(block);
            if let Kind::If(branch, ..) = &mut block[at].kind {
                branch.cond = Expr::operation(Operator::NotEqual, Expr::name("bx"), Expr::name("by_before"));
            }
        }
    });
    assert!(said.contains("nothing in a block asks whether a run of"), "{said}");
}

#[test]
fn what_is_read_for_a_run_depends_on_what_stays() {
    let said = said(|device| {
        let block = fixture::block(device, 0);
        let at = begin(block);
        if let Kind::If(_, then, _) = &mut block[at].kind {
            operations_mut(then, &mut |leaf| {
                if let Leaf::Let { name, value, .. } = leaf
                    && name == "first_row"
                {
                    *value = Expr::name("bx");
                }
            });
        }
    });
    assert!(said.contains("depends on bx, which changes in a run"), "{said}");
}

#[test]
fn what_a_variable_was_is_none_at_first_and_follows_it() {
    let begins = said(|device| {
        operations_mut(&mut device.programs[1].body, &mut |leaf| {
            if let Leaf::Let { value, .. } = leaf
                && *value == Expr::Int(BEFORE_ALL)
            {
                *value = Expr::Int(0);
            }
        });
    });
    assert!(
        begins.contains("by_before is not what by was in the block before"),
        "{begins}"
    );
    let follows = said(|device| {
        let block = fixture::block(device, 1);
        block.retain(|stmt| !matches!(stmt.op(), Some(Leaf::Advance { .. })));
    });
    assert!(
        follows.contains("by_before is not what by was in the block before"),
        "{follows}"
    );
}

#[test]
fn nothing_of_a_block_stands_before_its_run_begins() {
    let said = said(|device| {
        let block = fixture::block(device, 1);
        let at = begin(block);
        let begin = block.remove(at);
        // Before what a variable was becomes what it is.
        let last = block.len() - 1;
        block.insert(last, begin);
    });
    assert!(said.contains("is not what its run begins with"), "{said}");
}
