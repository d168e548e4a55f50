//! Tokens, which order the transfers of a tensor, stay where they are.

use crate::device::{Bits, Calls, Expr, Leaf};
use crate::flow::BufferId;
use crate::ir::Kind;
use crate::verify::{fixture, verify};
use tt_lang::ir::Kernel;

type Stmt = crate::ir::Stmt<Calls<Bits>>;

const READ_AGAIN: &str = "#[tt::kernel] fn read_again<const M: usize, const N: usize>(
        x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>, z: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    let w = T.alloc_shared::<f32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], v);
    T.copy(v, y[(by * 32, bx * 32)]);
    T.copy(y[(by * 32, bx * 32)], w);
    T.copy(w, z[(by * 32, bx * 32)]);
}";

const OVERWRITTEN: &str = "#[tt::kernel] fn overwritten<const M: usize, const N: usize>(
        x: &mut Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    let w = T.alloc_shared::<f32>(32, 32);
    T.fill(v, 1.5);
    T.copy(x[(by * 32, bx * 32)], w);
    T.copy(v, x[(by * 32, bx * 32)]);
    T.copy(w, y[(by * 32, bx * 32)]);
}";

/// What is said of `source` where the calls of `buffer` in a program (reader 0, writer 2) stand behind the next statement with
/// statements of its own, or before the last.
fn moved(source: &str, program: usize, buffer: &str, behind: bool) -> String {
    let function = syn::parse_str(source).expect("the kernel is Rust");
    let parsed = tt_lang::syntax::parse_item_fn(&function, "kernel.rs");
    let kernel: Kernel = parsed.and_then(|parsed| parsed.kernel).expect("it is a kernel");
    let mut device = crate::pipeline::lowered(&kernel).expect("it is lowered");
    assert_eq!(verify(&kernel, &device), Ok(()));
    let id = device.buffers.iter().position(|of| of.name == buffer);
    let id = BufferId(id.expect("there is such a buffer"));
    let block = fixture::block(&mut device, program);
    let is_own =
        |stmt: &Stmt| matches!(&stmt.kind, Kind::Op(Leaf::Call(call)) if call.args.first() == Some(&Expr::Buffer(id)));
    let first = block.iter().position(is_own).expect("it has calls");
    let count = block[first..].iter().take_while(|stmt| is_own(stmt)).count();
    let has_own = |stmt: &Stmt| stmt.bodies().next().is_some();
    let to = match behind {
        true => block[first + count..]
            .iter()
            .position(has_own)
            .map(|next| first + next + 1),
        false => block[..first].iter().rposition(has_own),
    };
    let to = to.expect("there is a statement to move them past");
    let calls: Vec<Stmt> = block.drain(first..first + count).collect();
    block.splice(to..to, calls);
    let errors = verify(&kernel, &device).expect_err("they stand elsewhere");
    errors.into_iter().flat_map(|error| error.notes).collect()
}

#[test]
fn a_token_taken_or_passed_on_elsewhere_is_refused() {
    for (source, program, buffer, behind, by) in [
        (READ_AGAIN, 0, "stored", true, "the reader moves tensor 1"),
        (OVERWRITTEN, 2, "loaded", true, "the writer moves tensor 0"),
        (OVERWRITTEN, 0, "loaded", false, "the reader moves tensor 0"),
    ] {
        let said = moved(source, program, buffer, behind);
        assert!(said.contains(by), "{said}");
    }
}
