//! Budgets, and a plan that must say what the programs do.

use super::*;
use tt_lang::ir::BlockId;

fn budget(change: impl FnOnce(&mut Device)) -> Diagnostic {
    let mut device = device();
    change(&mut device);
    replan(&mut device);
    verify(&kernel(), &device).expect_err("a budget is exceeded").remove(0)
}

#[test]
fn budgets_are_reported_in_the_users_words() {
    let error = budget(|device| {
        device.buffers[X.0].tiles = [32, 16];
        device.buffers[X.0].block = Some(BlockId(0));
    });
    assert_eq!(error.code, &codes::L1_CAPACITY);
    assert_eq!(
        error.message,
        "the blocks of this kernel take 2113536 bytes of L1, a core of wormhole_b0 has 1463968"
    );
    assert_eq!(
        error.notes[0],
        "`x_block`, as it is read: 32 × 16 tiles of 2048 bytes × 2 in flight = 2097152 bytes"
    );

    let error = budget(|device| {
        for _ in 2..33 {
            let more = device.buffers[X.0].clone();
            device.buffers.push(more);
        }
    });
    assert_eq!(
        (error.code, error.message.as_str()),
        (
            &codes::CIRCULAR_BUFFERS,
            "this kernel needs 33 circular buffers, a core has 32"
        )
    );

    let error = budget(|device| {
        let arg = device.programs[READER].args[3].clone();
        device.programs[READER].args.resize(342, arg);
    });
    assert_eq!(error.code, &codes::RUNTIME_ARGS);
}

#[test]
fn a_plan_that_says_something_else_is_refused() {
    let contradicts = |change: fn(&mut Device)| {
        let mut device = device();
        change(&mut device);
        super::super::budgets::consistent(&device)
            .expect_err("the plan contradicts the programs")
            .0
    };
    assert!(contradicts(|device| device.plan.circular_buffers[0].pages = 4).contains("for x_block"));
    assert!(contradicts(|device| device.buffers[Y.0].index = Some(3)).contains("for y_block"));
    assert!(contradicts(|device| drop(device.plan.circular_buffers.pop())).contains("other circular buffers"));
    assert!(contradicts(|device| device.plan.kernels[0].runtime_args.swap(0, 1)).contains("binds other arguments"));
    assert!(contradicts(|device| device.plan.kernels[2].compile_args.clear()).contains("has accessors of ()"));
    assert!(contradicts(|device| device.programs[READER].accessors.clear()).contains("binds other accessors"));
    assert!(contradicts(|device| drop(device.plan.kernels.remove(1))).contains("the plan contradicts itself"));
    assert!(contradicts(|device| device.buffers[X.0].unpack_to_dest = true).contains("for x_block"));
}
