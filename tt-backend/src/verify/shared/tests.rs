//! What differs along a line of cores is found wherever it is made.

use crate::device::function::NOC_ASYNC_READ_BARRIER;
use crate::device::{Bits, Calls, CppType, Device, Expr, Leaf, Loop, Operator, call, line, when};
use crate::ir::Kind;
use crate::passes::b2_grid_to_cores::{place_in, versions_of};
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
    for k in T.Pipelined(K.div_ceil(64), num_stages = 3) {
        T.copy(a[(by * 64, k * 64)], x);
        T.copy(b[(k * 64, bx * 64)], y);
        T.gemm(x, y, acc);
    }
    T.copy(acc, c[(by * 64, bx * 64)]);
}";

/// The product's kernel and device program, which is proved.
fn product() -> (Kernel, Device) {
    let function = syn::parse_str(PRODUCT).expect("the kernel is Rust");
    let parsed = tt_lang::syntax::parse_item_fn(&function, "kernel.rs");
    let kernel: Kernel = parsed.and_then(|parsed| parsed.kernel).expect("it is a kernel");
    let device = crate::pipeline::lowered(&kernel).expect("it is lowered");
    assert_eq!(verify(&kernel, &device), Ok(()));
    (kernel, device)
}

/// Where the reader's loop stands in what it does for a block.
fn loop_of(block: &[Stmt]) -> usize {
    let is_loop = |stmt: &Stmt| matches!(stmt.kind, Kind::Loop(..));
    block.iter().position(is_loop).expect("it has a loop")
}

/// What is said where a name that begins with 0 grows by `by` in every turn of the loop, and nothing is read where it is not 0.
fn counted(by: Expr<Bits>) -> Result<(), String> {
    let (_, mut device) = product();
    let block = fixture::block(&mut device, 0);
    let at = loop_of(block);
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

/// The same loop, with turns in order.
fn in_order(device: &mut Device) {
    let block = fixture::block(device, 0);
    let at = loop_of(block);
    match &mut block[at].kind {
        Kind::Loop(Loop::Over { ahead, .. }, _) => *ahead = false,
        other => panic!("{other:?} is no loop"),
    }
}

/// The reader's loop, whose turns begin ahead: x reserved, counted and read, y likewise, the barrier, what was sent has left, x sent, y sent,
/// x received and pushed, y received and pushed.
fn turn(device: &mut Device) -> &mut Vec<Stmt> {
    let block = fixture::block(device, 0);
    let at = loop_of(block);
    match &mut block[at].kind {
        Kind::Loop(Loop::Over { ahead: true, .. }, body) => body,
        other => panic!("{other:?} does not begin ahead"),
    }
}

#[test]
fn what_begins_ahead_may_do_so() {
    let barrier = || line(call(&NOC_ASYNC_READ_BARRIER, []));
    let grows = || {
        line(Leaf::Advance {
            name: versions_of(CoreLine::Column),
            value: Expr::Int(1),
        })
    };
    type Edit<'a> = (&'a str, &'a dyn Fn(&mut Device));
    let faults: [Edit; 11] = [
        ("is told of before what was told last has left", &|device| {
            drop(turn(device).remove(7))
        }),
        ("cannot be begun ahead", &|device| device.buffers[0].versions = 1),
        ("begins with more than room", &|device| {
            turn(device).insert(0, barrier())
        }),
        ("does more than pass versions on", &|device| {
            turn(device).insert(12, barrier())
        }),
        ("changes what the next is told by", &|device| {
            turn(device).insert(8, grows())
        }),
        ("cannot be begun ahead", &|device| {
            let other = turn(device)[3].clone();
            turn(device).insert(3, other);
        }),
        // x is pushed before it is received.
        ("before this one is done with", &|device| turn(device).swap(10, 11)),
        // The number of the column's version is asked for once its next has been counted.
        ("before this one is done with", &|device| {
            let received = turn(device).remove(12);
            turn(device).push(received);
        }),
        // The first version has its place to itself: what it held is flushed after the room is made.
        ("over one that may not have left", &|device| {
            in_order(device);
            device.buffers[0].versions = 1;
        }),
        ("where a version may not have left", &|device| {
            in_order(device);
            device.buffers[0].index = device.buffers[1].index;
        }),
        ("turns begin ahead that cannot", &|device| {
            let at = loop_of(fixture::block(device, 0));
            let begins_ahead = fixture::block(device, 0).remove(at);
            fixture::block(device, 2).insert(0, begins_ahead);
        }),
    ];
    for (said, edit) in faults {
        let (kernel, mut device) = product();
        edit(&mut device);
        let refused = verify(&kernel, &device).expect_err(said);
        let faults: Vec<String> = refused.iter().flat_map(|fault| fault.notes.clone()).collect();
        assert!(faults.iter().any(|fault| fault.contains(said)), "{said}: {faults:?}");
    }
}
