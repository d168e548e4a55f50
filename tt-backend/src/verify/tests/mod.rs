//! A right program is proved; each way to break it is refused, by the rule it breaks.

mod budgets;
mod mutants;

use super::fixture::*;
use super::traffic::Traffic;
use super::*;
use crate::device::function::*;
use crate::device::{Bits, Call, CppType, Expr, Leaf, Loop, Operator, Origin, line, tiles_in_parts, when};
use crate::flow::BufferId;
use crate::ir::Kind;
use crate::tile_ops::SfpuOp;
use tt_plan::DataFormat;

const READER: usize = 0;
const COMPUTE: usize = 1;
const WRITER: usize = 2;

/// `body` with every statement replaced by what `edit` makes of it, innermost first.
fn edited(body: Vec<Stmt>, edit: &mut dyn FnMut(Stmt) -> Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::new();
    for mut stmt in body {
        match &mut stmt.kind {
            Kind::Loop(_, body) | Kind::Group(_, body) => *body = edited(std::mem::take(body), edit),
            Kind::If(_, then, otherwise) => {
                *then = edited(std::mem::take(then), edit);
                *otherwise = edited(std::mem::take(otherwise), edit);
            }
            Kind::Op(_) => {}
        }
        out.extend(edit(stmt));
    }
    out
}

fn edit(device: &mut Device, program: usize, edit: &mut dyn FnMut(Stmt) -> Vec<Stmt>) {
    let body = &mut device.programs[program].body;
    *body = edited(std::mem::take(body), edit);
}

fn is_call(stmt: &Stmt, function: &Function) -> bool {
    matches!(&stmt.kind, Kind::Op(Leaf::Call(call)) if call.function == function)
}

/// Leaves every call of `function` out.
fn without(device: &mut Device, program: usize, function: &'static Function) {
    edit(device, program, &mut |node| {
        if is_call(&node, function) { vec![] } else { vec![node] }
    });
}

/// Puts `what` before every call of `function`.
fn before(device: &mut Device, program: usize, function: &'static Function, what: Vec<Stmt>) {
    edit(device, program, &mut |node| {
        let mut out = if is_call(&node, function) { what.clone() } else { vec![] };
        out.push(node);
        out
    });
}

/// Changes every call of `function`.
fn change(device: &mut Device, program: usize, function: &'static Function, change: impl Fn(&mut Call<Bits>)) {
    edit(device, program, &mut |mut node| {
        if let Kind::Op(Leaf::Call(call)) = &mut node.kind
            && call.function == function
        {
            change(call);
        }
        vec![node]
    });
}

/// Makes `body` the block's body, without the loop around it.
fn in_loop(device: &mut Device, program: usize, body: impl FnOnce(Vec<Stmt>) -> Vec<Stmt>) {
    let block = block(device, program);
    let old = std::mem::take(block);
    let mut body = Some(body);
    *block = old
        .into_iter()
        .flat_map(|stmt| match (stmt.kind, body.take()) {
            (Kind::Loop(_, inner), Some(body)) => body(inner),
            (kind, back) => {
                body = back;
                vec![crate::device::made(kind)]
            }
        })
        .collect();
}

/// Keeps what the plan says of buffers and arguments true after a change of the programs, and what goes through the buffers.
fn replan(device: &mut Device) {
    if let Ok(traffic) = Traffic::of(&device.buffers, &device.programs) {
        device.traffic = traffic;
    }
    for (known, buffer) in device.plan.circular_buffers.iter_mut().zip(&device.buffers) {
        known.pages = buffer.pages();
        known.data_format = buffer.format;
        known.page_size = buffer.format.tile_bytes();
        known.unpack_to_dest_fp32 = buffer.unpack_to_dest;
    }
}

/// What was not proved after `change`.
fn refusal(change: impl FnOnce(&mut Device)) -> String {
    let mut device = device();
    change(&mut device);
    replan(&mut device);
    let errors = verify(&kernel(), &device).expect_err("the change breaks the program");
    errors
        .iter()
        .flat_map(|error| error.notes.clone())
        .collect::<Vec<_>>()
        .join("\n")
}

type Change = fn(&mut Device);

fn refuses(cases: &[(&str, Change)]) {
    for (reason, change) in cases {
        let refusal = refusal(change);
        assert!(refusal.contains(reason), "wanted: {reason}\nfound: {refusal}");
    }
}

#[test]
fn the_program_is_proved() {
    assert_eq!(verify(&kernel(), &device()), Ok(()));
}

#[test]
fn a_branch_that_all_take_together_is_proved() {
    let mut device = device();
    for program in [READER, COMPUTE, WRITER] {
        in_loop(&mut device, program, |inner| vec![branch(5, inner, vec![])]);
    }
    replan(&mut device);
    assert_eq!(verify(&kernel(), &device), Ok(()));
}

#[test]
fn a_version_that_is_packed_to_over_a_loop_is_proved() {
    let mut device = device();
    accumulate(&mut device, true);
    replan(&mut device);
    assert_eq!(verify(&kernel(), &device), Ok(()));
}

/// Turns compute into an accumulation over the loop: `y` is reserved before it and published after it.
fn accumulate(device: &mut Device, reset: bool) {
    for function in [&CB_RESERVE_BACK, &CB_PUSH_BACK] {
        without(device, COMPUTE, function);
    }
    let first = Expr::operation(Operator::NotEqual, Expr::name("k"), Expr::Int(0));
    edit(device, COMPUTE, &mut |mut node| {
        if let Kind::Op(Leaf::Call(call)) = &mut node.kind
            && call.function == &PACK_TILE
        {
            call.args[2] = Expr::binary(Operator::Add, Expr::name("tile_column"), call.args[0].clone());
        }
        vec![node]
    });
    before(
        device,
        COMPUTE,
        &TILE_REGS_ACQUIRE,
        vec![run(&PACK_RECONFIG_L1_ACC, [first])],
    );
    let body = block(device, COMPUTE);
    body.insert(1, cb(&CB_RESERVE_BACK, Y, 4));
    body.push(cb(&CB_PUSH_BACK, Y, 4));
    if reset {
        in_loop(device, WRITER, |inner| inner);
    }
}

#[test]
fn starving_and_overflowing_are_refused() {
    refuses(&[
        ("an iteration of loop 1 leaves buffers with [4, 0]", |device| {
            // Pages that nobody takes: the second version still fits, so only the induction can tell.
            without(device, COMPUTE, &CB_POP_FRONT);
        }),
        ("no program can go on", |device| {
            change(device, READER, &CB_PUSH_BACK, |call| call.args[1] = Expr::Int(2));
        }),
        (
            "compute is at Wait of 4 pages of x_block, which holds 0 of 8",
            |device| {
                block(device, READER).clear();
            },
        ),
        (
            "writer is at Wait of 4 pages of y_block, which holds 2 of 2",
            |device| device.buffers[Y.0].tiles = [1, 1],
        ),
        ("not all programs reach statement 1 together", |device| {
            block(device, COMPUTE).insert(0, cb(&CB_WAIT_FRONT, X, 4));
        }),
        ("a block leaves buffers with", |device| {
            let more = [cb(&CB_RESERVE_BACK, X, 4), cb(&CB_PUSH_BACK, X, 4)];
            block(device, READER).extend(more);
        }),
        ("the sides of statement 5 leave buffers with", |device| {
            let more = vec![cb(&CB_RESERVE_BACK, X, 4), cb(&CB_PUSH_BACK, X, 4)];
            block(device, READER).push(branch(5, more, vec![]));
        }),
        ("is a loop in one program and a branch in another", |device| {
            in_loop(device, WRITER, |inner| vec![branch(1, inner, vec![])]);
        }),
        ("an iteration of loop 1 leaves buffers with [0, 4]", |device| {
            // The writer's loop is another one.
            edit(device, WRITER, &mut |mut node| {
                if let Kind::Loop(Loop::Over { origin, .. }, _) = &mut node.kind {
                    *origin = Origin(9);
                }
                vec![node]
            });
        }),
        ("statement 1 is not the same in all programs", |device| {
            edit(device, WRITER, &mut |mut node| {
                if let Kind::Loop(Loop::Over { end, .. }, _) = &mut node.kind {
                    *end = Expr::binary(Operator::Add, end.clone(), Expr::Int(1));
                }
                vec![node]
            });
        }),
        ("statement 1 is not the same in all programs", |device| {
            // The same name, bound to something else.
            device.programs[WRITER].args[3].value = tt_plan::RuntimeValue::Formula(tt_plan::Formula::Const(3));
        }),
        ("x_block has 2 consumers", |device| {
            block(device, WRITER).push(cb(&CB_WAIT_FRONT, X, 4));
        }),
        ("a buffer call under a condition that the compiler made", |device| {
            let then = vec![cb(&CB_POP_FRONT, X, 4)];
            block(device, COMPUTE).push(when(Expr::name("by"), then, vec![]));
        }),
    ]);
}

#[test]
fn windows_that_are_left_are_refused() {
    refuses(&[
        ("3 pages straddle a version of 4", |device| {
            change(device, COMPUTE, &CB_RESERVE_BACK, |call| call.args[1] = Expr::Int(3));
        }),
        ("of x_block where 4 are waited for", |device| {
            change(device, COMPUTE, &COPY_TILE, |call| call.args[1] = Expr::Int(4));
        }),
        ("of x_block where 0 are waited for", |device| {
            without(device, COMPUTE, &CB_WAIT_FRONT)
        }),
        ("a pack to page 2 of y_block where 2 are reserved", |device| {
            change(device, COMPUTE, &PACK_TILE, |call| call.args[2] = Expr::Int(2));
        }),
        ("4 pages are pushed and 2 reserved", |device| {
            change(device, COMPUTE, &CB_PUSH_BACK, |call| call.args[1] = Expr::Int(4));
        }),
        ("6 pages are popped and 4 waited for", |device| {
            change(device, WRITER, &CB_POP_FRONT, |call| call.args[1] = Expr::Int(6));
        }),
        ("this end of x_block belongs to the compute kernel", |device| {
            block(device, READER).push(cb(&CB_WAIT_FRONT, X, 4));
        }),
        ("an address that is not known to lie within a buffer", |device| {
            change(device, READER, &NOC_ASYNC_READ_PAGE, |call| {
                call.args[2] = Expr::name("x_address")
            });
        }),
        ("where 4 are reserved", |device| {
            let far = Expr::binary(Operator::Mul, Expr::PageBytes(X), Expr::Int(4));
            change(device, READER, &NOC_ASYNC_READ_PAGE, |call| {
                call.args[2] = Expr::binary(Operator::Add, call.args[2].clone(), far.clone());
            });
        }),
        ("bytes into a buffer of pages of 2048 bytes", |device| {
            change(device, READER, &NOC_ASYNC_READ_PAGE, |call| {
                call.args[2] = Expr::binary(Operator::Add, call.args[2].clone(), Expr::Int(16));
            });
        }),
    ]);
}

#[test]
fn transfers_that_are_not_waited_for_are_refused() {
    refuses(&[
        ("is pushed while a transfer is on its way to it", |device| {
            without(device, READER, &NOC_ASYNC_READ_BARRIER)
        }),
        ("page 0 is pushed, but not written on every path", |device| {
            without(device, READER, &NOC_ASYNC_READ_PAGE)
        }),
        ("page 0 is pushed, but not written on every path", |device| {
            edit(device, READER, &mut |node| {
                if !is_call(&node, &NOC_ASYNC_READ_PAGE) {
                    return vec![node];
                }
                // Pages beyond the tensor are neither read nor zeroed.
                vec![when(Expr::name("by"), vec![node], vec![])]
            });
        }),
        ("zeros in a page that a transfer is on its way to", |device| {
            let zero = run_with(&ZERO_TILE_ROWS, [2], [Expr::name("dst"), Expr::Int(3)]);
            edit(device, READER, &mut |node| {
                let read = is_call(&node, &NOC_ASYNC_READ_PAGE);
                let mut out = vec![node];
                out.extend(read.then(|| zero.clone()));
                out
            });
        }),
        ("is popped before it was sent", |device| {
            without(device, WRITER, &NOC_ASYNC_WRITES_FLUSHED)
        }),
        ("a write may not have arrived", |device| {
            without(device, WRITER, &NOC_ASYNC_WRITE_BARRIER)
        }),
    ]);
}

/// Makes the loop over the reader's pages one in parts: before it `columns_within`, and those turns within that are `asked` for.
fn in_parts(device: &mut Device, columns_within: Expr<Bits>, asked: Expr<Bits>) {
    edit(device, READER, &mut |node| {
        let Kind::Loop(Loop::Tiles { name, end, .. }, body) = &node.kind else {
            return vec![node];
        };
        let [read, next] = body.as_slice() else {
            return vec![node];
        };
        let within = Leaf::Let {
            kind: CppType::Int,
            name: "columns_within".into(),
            value: columns_within.clone(),
        };
        let zero = run(&ZERO_PAGE, [Expr::name("dst"), Expr::PageBytes(X)]);
        let turn = vec![when(asked.clone(), vec![read.clone()], vec![zero]), next.clone()];
        vec![line(within), tiles_in_parts(name, *end, turn)]
    });
}

/// At most so many of the blocks that are left.
fn at_most(most: i64) -> Expr<Bits> {
    let left = Expr::binary(Operator::Sub, Expr::name("K_blocks"), Expr::name("by"));
    Expr::binary(Operator::Min, left, Expr::Int(most))
}

fn is_within() -> Expr<Bits> {
    Expr::operation(Operator::Less, Expr::name("column"), Expr::name("columns_within"))
}

#[test]
fn turns_in_parts_are_proved() {
    let mut device = device();
    let has_row = Expr::operation(Operator::Less, Expr::name("by"), Expr::name("K_blocks"));
    in_parts(
        &mut device,
        at_most(4),
        Expr::operation(Operator::And, has_row, is_within()),
    );
    assert_eq!(verify(&kernel(), &device), Ok(()));
}

#[test]
fn parts_that_are_not_the_turns_of_their_loop_are_refused() {
    refuses(&[
        ("a part of column may end behind 4", |device| {
            in_parts(device, at_most(5), is_within());
        }),
        ("a part of column may end behind 4", |device| {
            in_parts(device, Expr::name("K_blocks"), is_within());
        }),
        ("the turns of column are not in parts", |device| {
            let at = Expr::binary(Operator::Add, Expr::name("by"), Expr::name("column"));
            let asked = Expr::operation(Operator::Less, at, Expr::name("columns_within"));
            in_parts(device, at_most(4), asked);
        }),
        ("what the parts of column are told by may change", |device| {
            let asked = Expr::operation(Operator::Less, Expr::name("dst"), Expr::name("K_blocks"));
            let asked = Expr::operation(Operator::And, asked, is_within());
            in_parts(device, at_most(4), asked);
        }),
        ("page 0 is pushed, but not written on every path", |device| {
            in_parts(device, at_most(4), is_within());
            without(device, READER, &ZERO_PAGE);
        }),
    ]);
}

#[test]
fn rows_that_are_not_those_of_the_format_are_refused() {
    fn in_rows(device: &mut Device, template: [i64; 3]) {
        edit(device, WRITER, &mut |node| {
            let args = (0..10).map(|_| Expr::Int(0)).chain([Expr::name("dst")]);
            match is_call(&node, &NOC_ASYNC_WRITE_PAGE) {
                true => vec![run_with(&WRITE_ROWS, template, args)],
                false => vec![node],
            }
        });
    }
    refuses(&[
        ("rows of 64 bytes in pages of Float16_b, whose have 32", |device| {
            in_rows(device, [64, 32, 1])
        }),
        ("rows in pages of Bfp8_b, where exponents lie elsewhere", |device| {
            in_rows(device, [16, 32, 1]);
            device.buffers[Y.0].format = DataFormat::Bfp8B;
        }),
    ]);
}

#[test]
fn wrong_accumulation_is_refused() {
    refuses(&[
        (
            "the packer adds to page 0 of y_block, which nothing has written",
            |device| {
                before(
                    device,
                    COMPUTE,
                    &TILE_REGS_ACQUIRE,
                    vec![run(&PACK_RECONFIG_L1_ACC, [Expr::Int(1)])],
                );
            },
        ),
        ("y_block is reserved anew in each", |device| {
            let first = Expr::operation(Operator::NotEqual, Expr::name("k"), Expr::Int(0));
            before(
                device,
                COMPUTE,
                &TILE_REGS_ACQUIRE,
                vec![run(&PACK_RECONFIG_L1_ACC, [first])],
            );
        }),
        ("it is not known whether the packer adds", |device| {
            // Sticky: set in one iteration, relied upon in the next.
            block(device, COMPUTE).push(run(&PACK_RECONFIG_L1_ACC, [Expr::Int(1)]));
        }),
        ("page 0 is pushed, but not written on every path", |device| {
            // A loop that may not run leaves the accumulator as it was.
            accumulate(device, true);
            edit(device, COMPUTE, &mut |mut node| {
                if let Kind::Loop(Loop::Over { end, .. }, _) = &mut node.kind {
                    *end = Expr::name("by");
                }
                vec![node]
            });
        }),
    ]);
}

#[test]
fn a_broken_register_protocol_is_refused() {
    refuses(&[
        ("destination registers must be Acquired, and are Free", |device| {
            without(device, COMPUTE, &TILE_REGS_ACQUIRE)
        }),
        ("destination registers must be Committed, and are Acquired", |device| {
            without(device, COMPUTE, &TILE_REGS_COMMIT);
        }),
        ("destination registers must be Waited, and are Committed", |device| {
            without(device, COMPUTE, &TILE_REGS_WAIT)
        }),
        ("destination registers must be Free, and are Waited", |device| {
            without(device, COMPUTE, &TILE_REGS_RELEASE)
        }),
        ("registers Range { low: 8, high: 8 } of 8", |device| {
            change(device, COMPUTE, &COPY_TILE, |call| call.args[2] = Expr::Int(8));
        }),
        ("registers Range { low: 4, high: 4 } of 4", |device| {
            device.plan.compute.fp32_dest_acc_en = true;
            change(device, COMPUTE, &COPY_TILE, |call| call.args[2] = Expr::Int(4));
        }),
        ("is not written on every path since acquire", |device| {
            change(device, COMPUTE, &COPY_TILE, |call| call.args[2] = Expr::Int(0));
        }),
        ("destination registers are", |device| {
            let acquire = vec![run(&TILE_REGS_ACQUIRE, [])];
            block(device, COMPUTE).push(branch(7, acquire, vec![]));
        }),
    ]);
}

/// The kernel with its function on the packer's thread: GELU, which that has.
fn on_packer(device: &mut Device) {
    let exp = SfpuOp::Exp.row();
    without(device, COMPUTE, &exp.call);
    change(device, COMPUTE, &exp.init, |call| {
        (call.function, call.template) = (&GELU_TILE_INIT_PACK, "false".into());
    });
    let gelu = |register| run_with(&GELU_TILE_PACK, "false", [Expr::Int(register)]);
    edit(device, COMPUTE, &mut |stmt| match is_call(&stmt, &TILE_REGS_WAIT) {
        true => vec![run(&PACKER_SFPU_BEGIN, []), gelu(0), gelu(1), run(&PACKER_SFPU_END, [])],
        false => vec![stmt],
    });
}

#[test]
fn the_packers_thread_has_the_sfpu_alone_and_waits_for_it() {
    let mut right = device();
    on_packer(&mut right);
    verify(&kernel(), &right).unwrap();
    refuses(&[
        ("destination registers must be Held, and are Waited", |device| {
            on_packer(device);
            change(device, COMPUTE, &PACKER_SFPU_BEGIN, |call| {
                call.function = &TILE_REGS_WAIT
            });
        }),
        ("destination registers must be Held, and are Committed", |device| {
            on_packer(device);
            without(device, COMPUTE, &PACKER_SFPU_BEGIN);
        }),
        ("destination registers must be Waited, and are Held", |device| {
            on_packer(device);
            without(device, COMPUTE, &PACKER_SFPU_END);
        }),
        ("destination registers must be Held, and are Waited", |device| {
            on_packer(device);
            let gelu = run_with(&GELU_TILE_PACK, "false", [Expr::Int(0)]);
            before(device, COMPUTE, &TILE_REGS_RELEASE, vec![gelu]);
        }),
        ("it needs gelu_tile_init_pack<false>", |device| {
            on_packer(device);
            without(device, COMPUTE, &GELU_TILE_INIT_PACK);
        }),
        ("it needs gelu_tile_init_pack<true>", |device| {
            on_packer(device);
            change(device, COMPUTE, &GELU_TILE_PACK, |call| call.template = "true".into());
        }),
        ("register Range { low: 2, high: 2 } is not written", |device| {
            on_packer(device);
            change(device, COMPUTE, &GELU_TILE_PACK, |call| call.args[0] = Expr::Int(2));
        }),
        ("math and the packer's thread both use the SFPU", |device| {
            on_packer(device);
            let exp = run_with(&SfpuOp::Exp.row().init, "false", []);
            device.programs[COMPUTE].body.insert(1, exp);
        }),
        ("math and the packer's thread both use the SFPU", |device| {
            on_packer(device);
            let gelu = run_with(&SfpuOp::Gelu.row().call, "false", [Expr::Int(0)]);
            before(device, COMPUTE, &TILE_REGS_COMMIT, vec![gelu]);
        }),
        ("math and the packer's thread both use the SFPU", |device| {
            let init = vec![run_with(&GELU_TILE_INIT_PACK, "false", [])];
            block(device, COMPUTE).push(branch(7, init, vec![]));
        }),
    ]);
}

#[test]
fn engines_that_are_not_set_up_are_refused() {
    refuses(&[
        ("the engines are not started yet", |device| {
            without(device, COMPUTE, &COMPUTE_KERNEL_HW_STARTUP)
        }),
        ("the engines are started twice", |device| {
            let startup = run(
                &COMPUTE_KERNEL_HW_STARTUP,
                [Expr::Buffer(X), Expr::Buffer(X), Expr::Buffer(Y)],
            );
            device.programs[COMPUTE].body.insert(1, startup);
        }),
        ("the engines are started on one path only", |device| {
            let before: Vec<Stmt> = device.programs[COMPUTE].body.drain(..3).collect();
            block(device, COMPUTE).splice(0..0, before);
        }),
        ("the engines are set up for None", |device| {
            without(device, COMPUTE, &COPY_INIT)
        }),
        (
            "the engines are set up for Some(FpuSetup { init: \"add_init\"",
            |device| {
                let add = run(&ADD_INIT, [Expr::Buffer(X), Expr::Buffer(X)]);
                before(device, COMPUTE, &TILE_REGS_ACQUIRE, vec![add]);
            },
        ),
        ("the engines are set up for None", |device| {
            // Set up by one iteration for the next, but not for the first.
            let add = run(&ADD_INIT, [Expr::Buffer(X), Expr::Buffer(X)]);
            block(device, COMPUTE).push(add);
        }),
        ("it needs exp_tile_init", |device| {
            without(device, COMPUTE, &SfpuOp::Exp.row().init)
        }),
        ("the SFPU is set up for Some((\"silu_tile_init\"", |device| {
            let silu = run(&SfpuOp::Silu.row().init, []);
            before(device, COMPUTE, &TILE_REGS_ACQUIRE, vec![silu]);
        }),
        ("it needs exp_tile_init<true>", |device| {
            change(device, COMPUTE, &SfpuOp::Exp.row().call, |call| {
                call.template = "true".into()
            });
        }),
        ("the SFPU is set up for None", |device| {
            let silu = vec![run(&SfpuOp::Silu.row().init, [])];
            in_loop(device, COMPUTE, |mut inner| {
                inner.insert(0, branch(6, silu, vec![]));
                vec![rounds(inner)]
            });
        }),
        ("the packer must give Float32, and is set to Some(Float16B)", |device| {
            let other = vec![run(&PACK_RECONFIG_DATA_FORMAT, [Expr::Buffer(X)])];
            device.buffers[Y.0].format = DataFormat::Float32;
            device.programs[COMPUTE].body.splice(1..1, other);
        }),
        (
            "SrcA must take (Float16B, false), and is set to Some((Float32, false))",
            |device| {
                device.buffers[Y.0].format = DataFormat::Float32;
                let other = run(&RECONFIG_DATA_FORMAT_SRCA, [Expr::Buffer(Y)]);
                device.programs[COMPUTE].body.insert(3, other);
            },
        ),
        ("the FPU reads a buffer that is unpacked straight", |device| {
            device.plan.compute.fp32_dest_acc_en = true;
            device.buffers[X.0].unpack_to_dest = true;
            device.buffers[X.0].format = DataFormat::Float32;
            let operands = || [Expr::Buffer(X), Expr::Buffer(X)];
            before(device, COMPUTE, &TILE_REGS_COMMIT, {
                let add = operands().into_iter().chain([Expr::Int(0), Expr::Int(0), Expr::Int(0)]);
                vec![run(&ADD_INIT, operands()), run(&ADD_TILES, add)]
            });
            before(device, COMPUTE, &COPY_TILE, vec![run(&COPY_INIT, [Expr::Buffer(X)])]);
        }),
        ("nothing is known of the function get_write_ptr", |device| {
            before(
                device,
                COMPUTE,
                &TILE_REGS_ACQUIRE,
                vec![run(&GET_WRITE_PTR, [Expr::Buffer(Y)])],
            );
        }),
    ]);
}

#[test]
fn a_matmul_takes_its_right_operand_through_unpacker_a() {
    let z = BufferId(2);
    let product = |init: [i64; 4]| {
        move |device: &mut Device| {
            let other = device.buffers[X.0].clone();
            device.buffers.push(other);
            device.buffers[X.0].format = DataFormat::Float32;
            let operands = || [Expr::Buffer(X), Expr::Buffer(z)].into_iter();
            let init = run(&MATMUL_BLOCK_INIT, operands().chain(init.map(Expr::Int)));
            let product = run(&MATMUL_BLOCK, operands().chain([0, 0, 0, 0, 2, 2, 2].map(Expr::Int)));
            before(
                device,
                COMPUTE,
                &TILE_REGS_COMMIT,
                vec![cb(&CB_WAIT_FRONT, z, 4), init, product],
            );
        }
    };
    assert!(
        refusal(product([0, 2, 2, 2]))
            .contains("SrcA must take (Float16B, false), and is set to Some((Float32, false))")
    );
    // Set up for one column of results, and used for two.
    assert!(
        refusal(product([0, 1, 2, 2]))
            .contains("the engines are set up for Some(FpuSetup { init: \"matmul_block_init\"")
    );
}

#[test]
fn a_buffer_that_does_not_exist_is_refused() {
    let refusal = refusal(|device| block(device, COMPUTE).push(cb(&CB_WAIT_FRONT, BufferId(7), 1)));
    assert!(refusal.contains("no circular buffer"), "{refusal}");
}
