//! What a launch is said to take is what its counters find.

use tt::prelude::*;
use tt::{Direction, Report};

#[tt::kernel]
fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let left = T.alloc_shared::<bf16>(64, 64);
    let right = T.alloc_shared::<bf16>(64, 64);
    let sums = T.alloc_fragment::<f32>(64, 64);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 64, k * 64)], left);
        T.copy(b[(k * 64, bx * 64)], right);
        T.gemm(left, right, sums);
    }
    T.copy(sums, c[(by * 64, bx * 64)]);
}

/// Bytes that a report has of a tensor.
fn moved(report: &Report, tensor: &str, direction: Direction) -> u64 {
    let operands = report.stages.iter().flat_map(|stage| &stage.operands);
    let of_tensor = operands.filter(|operand| operand.tensor == tensor && operand.direction == direction);
    of_tensor
        .map(|operand| operand.moved.expect("it is a launch").bytes)
        .sum()
}

#[test]
fn bytes_are_those_that_are_counted() -> tt::Result<()> {
    for (name, least_l1) in [("wormhole_b0", 1_463_968), ("blackhole", 1_531_776)] {
        let device = Device::open_named(&format!("emulator:{name}"))?;
        for [m, n, k] in [[1024, 1024, 512], [64, 64, 64], [2048, 64, 128], [512, 512, 512]] {
            let (a, b) = (device.zeros::<bf16>([m, k])?, device.zeros::<bf16>([k, n])?);
            let mut c = device.zeros::<bf16>([m, n])?;
            for sharing in [
                tt::__private::Sharing::Always,
                tt::__private::Sharing::Never,
                tt::__private::Sharing::WherePaying,
            ] {
                let launch = matmul(&a, &b, &mut c).sharing(sharing);
                let report = launch.report()?;
                let counters = launch.profile()?.counters.expect("the emulator counts");
                let read: u64 = counters.total.dram_read_bytes.iter().sum();
                let written: u64 = counters.total.dram_write_bytes.iter().sum();
                let said = moved(&report, "a", Direction::Read) + moved(&report, "b", Direction::Read);
                assert_eq!(
                    (said, moved(&report, "c", Direction::Written)),
                    (read, written),
                    "{report}"
                );
                let stage = &report.stages[0];
                let of_launch = stage.launch.as_ref().expect("it has blocks");
                assert_eq!(of_launch.cores, counters.cores.len() as u64, "{report}");
                assert_eq!(Some(of_launch.estimate.cycles), launch.estimate()?, "{report}");
                assert_eq!(stage.l1_limit, least_l1, "{report}");
                let launch = stage.launch.as_ref().expect("it is a launch");
                assert!(
                    (1.0..launch.estimate.cycles).contains(&launch.roofline),
                    "{:?}",
                    launch.roofline
                );
                assert_eq!(
                    stage.l1_bytes,
                    stage
                        .buffers
                        .iter()
                        .map(|of| u64::from(of.pages * of.page_bytes))
                        .sum::<u64>()
                );
            }
        }
    }
    Ok(())
}

#[test]
fn a_report_says_what_to_change() -> tt::Result<()> {
    let device = Device::open_named("emulator:wormhole_b0")?;
    let (a, b) = (device.zeros::<bf16>([576, 512])?, device.zeros::<bf16>([512, 576])?);
    let mut c = device.zeros::<bf16>([576, 576])?;
    let launch = matmul(&a, &b, &mut c).sharing(tt::__private::Sharing::Never);
    let text = launch.report()?.to_string();
    println!("{text}");
    // 81 blocks on 64 cores.
    assert!(text.contains("64 of 64; 2 rounds, busy in 63 %"), "{text}");
    assert!(text.contains("another size of blocks"), "{text}");
    assert!(text.contains("`a` is read 9.0 times"), "{text}");
    let json = serde_json::to_value(launch.report()?).expect("it is JSON");
    assert_eq!(json["stages"][0]["launch"]["rounds"], 2);
    Ok(())
}
