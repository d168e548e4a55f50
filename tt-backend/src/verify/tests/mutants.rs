//! Every call of a right program matters: left out or done twice, it is refused.

use super::*;

/// The calls of the whole program, by number: how many, or those but one (left out or done twice).
fn call_by_number(device: &mut Device, wanted: Option<usize>, times: usize) -> Vec<&'static str> {
    let mut seen = Vec::new();
    for program in [READER, COMPUTE, WRITER] {
        edit(device, program, &mut |node| {
            let Kind::Op(Leaf::Call(call)) = &node.kind else {
                return vec![node];
            };
            seen.push(call.function.name);
            if wanted == Some(seen.len() - 1) {
                vec![node; times]
            } else {
                vec![node]
            }
        });
    }
    seen
}

#[test]
fn no_call_can_be_left_out() {
    // What a tensor or a register is to hold is not the subject of these proofs.
    let values = [SfpuOp::Exp.row().call.name];
    let calls = call_by_number(&mut device(), None, 1);
    assert_eq!(calls.len(), 26);
    for (number, name) in calls.iter().enumerate() {
        let mut device = device();
        call_by_number(&mut device, Some(number), 0);
        assert_eq!(
            verify(&kernel(), &device).is_err(),
            !values.contains(name),
            "without call {number}, {name}"
        );
    }
}

#[test]
fn no_step_of_a_protocol_can_be_done_twice() {
    let once = [
        &CB_PUSH_BACK,
        &CB_POP_FRONT,
        &TILE_REGS_ACQUIRE,
        &TILE_REGS_COMMIT,
        &TILE_REGS_WAIT,
        &TILE_REGS_RELEASE,
        &COMPUTE_KERNEL_HW_STARTUP,
    ];
    for (number, name) in call_by_number(&mut device(), None, 1).iter().enumerate() {
        let mut device = device();
        call_by_number(&mut device, Some(number), 2);
        let refused = verify(&kernel(), &device).is_err();
        assert_eq!(
            refused,
            once.iter().any(|function| function.name == *name),
            "call {number}, {name}, twice"
        );
    }
}
