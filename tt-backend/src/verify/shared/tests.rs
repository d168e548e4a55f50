//! What differs along a line of cores is found wherever it is made.

use crate::device::{Bits, Calls, CppType, Expr, Leaf, Operator, line, when};
use crate::ir::Kind;
use crate::passes::b2_grid_to_cores::place_in;
use crate::verify::{fixture, verify};
use tt_lang::ir::Kernel;
use tt_plan::CoreLine;

type Stmt = crate::ir::Stmt<Calls<Bits>>;

const PRODUCT: &str = "#[tt::kernel(multicast = auto)] fn product<const M: usize, const N: usize, const K: usize>(
        a: &Tensor<bf16, M, K>, b: &Tensor<bf16, K, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x = T.alloc_shared::<bf16>(64, 64);
    let y = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 64, k * 64)], x);
        T.copy(b[(k * 64, bx * 64)], y);
        T.gemm(x, y, acc);
    }
    T.copy(acc, c[(by * 64, bx * 64)]);
}";

/// What is said where a name that begins with 0 grows by `by` in every turn of the loop, and nothing is read where it is not 0.
fn counted(by: Expr<Bits>) -> Result<(), String> {
    let function = syn::parse_str(PRODUCT).expect("the kernel is Rust");
    let parsed = tt_lang::syntax::parse_item_fn(&function, "kernel.rs");
    let kernel: Kernel = parsed.and_then(|parsed| parsed.kernel).expect("it is a kernel");
    let mut device = crate::pipeline::lowered(&kernel).expect("it is lowered");
    assert_eq!(verify(&kernel, &device), Ok(()));
    let block = fixture::block(&mut device, 0);
    let is_loop = |stmt: &Stmt| matches!(stmt.kind, Kind::Loop(..));
    let at = block.iter().position(is_loop).expect("it has a loop");
    let Kind::Loop(_, body) = &mut block[at].kind else {
        return Ok(());
    };
    let name = || "drift".to_owned();
    let is_none = Expr::operation(Operator::Equal, Expr::Name(name()), Expr::Int(0));
    let grows = Leaf::Advance {
        name: name(),
        value: by,
    };
    *body = vec![when(is_none, std::mem::take(body), Vec::new()), line(grows)];
    let begins = Leaf::Let {
        kind: CppType::Word,
        name: name(),
        value: Expr::Int(0),
    };
    block.insert(at, line(begins));
    super::prove(&device).map_err(|fault| fault.0)
}

#[test]
fn a_name_of_two_declarations_is_two_variables() {
    let source = "#[tt::kernel(multicast = auto)] fn product(
            a: &Tensor<bf16, 32, 64>, b: &Tensor<bf16, 64, 32>, t: &Tensor<i32, 4>, c: &mut Tensor<bf16, 32, 32>) {
        let (bx, by) = T.Kernel(1, 1);
        let x = T.alloc_shared::<bf16>(32, 64);
        let y = T.alloc_shared::<bf16>(64, 32);
        let acc = T.alloc_fragment::<f32>(32, 32);
        T.clear(acc);
        T.clear(x);
        if t[3] < 0 {
            T.copy(a[(by * 32, 0)], x);
        }
        T.copy(b[(0, bx * 32)], y);
        T.gemm(x, y, acc);
        T.copy(acc, c[(by * 32, bx * 32)]);
    }";
    let function = syn::parse_str(source).expect("the kernel is Rust");
    let parsed = tt_lang::syntax::parse_item_fn(&function, "kernel.rs");
    let kernel: Kernel = parsed.and_then(|parsed| parsed.kernel).expect("it is a kernel");
    let device = crate::pipeline::lowered(&kernel).expect("it is lowered");
    assert_eq!(verify(&kernel, &device), Ok(()));
}

#[test]
fn what_a_later_statement_makes_differ_differs_in_the_next_turn() {
    assert_eq!(counted(Expr::Int(0)), Ok(()));
    for line in CoreLine::ALL {
        let said = counted(Expr::Name(place_in(line))).expect_err("cores of a line read other versions");
        assert!(said.contains("is not shared by all of its cores alike"), "{said}");
    }
}
