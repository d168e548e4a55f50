//! Ranges of tensors are no longer than the blocks beside them: known at launch, the launcher says so; known on the card alone, it is
//! asserted there.

mod support;

use support::on_both_chips;
use tt::prelude::*;

fn ones(count: usize) -> Vec<bf16> {
    vec![bf16::from_f32(1.0); count]
}

#[tt::kernel]
fn whole<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(1);
    let x = T.alloc_shared::<bf16>(32, 48);
    T.copy(a[(by..by + M, 0..N)], x);
    T.copy(x, c[(0, 0)]);
}

#[tt::kernel]
fn counted<const M: usize>(a: &Tensor<bf16, M, 64>, n: i32, grid: u32, c: &mut Tensor<bf16, M, 64>) {
    let bx = T.Kernel(grid);
    let x = T.alloc_shared::<bf16>(32, 32);
    for k in 0..2 {
        T.copy(a[((0..n).step_by(2), k * 32..k * 32 + 32)], x);
        T.copy(x, c[(bx * 32, k * 32)]);
    }
}

#[tt::kernel(allow(TT0351))]
fn of_vectors<const N: usize>(a: &Tensor<bf16, N>, c: &mut Tensor<bf16, N>) {
    let bx = T.Kernel(1);
    let x = T.alloc_shared::<bf16>(80);
    let y = T.alloc_shared::<bf16>(2, 40);
    T.copy(a[bx..bx + N], x);
    T.clear(y);
    T.copy(a[bx..bx + N.min(40)], y[(0, 0..40)]);
    T.copy(x, c[0]);
}

/// What the launcher says of a launch that it refuses, each way.
fn refused(launch: &tt::Launch<'_>) -> String {
    let [run, plan] = [launch.run(), launch.plan().map(drop)].map(|result| match result {
        Ok(()) => panic!("it is accepted"),
        Err(error) => error.to_string(),
    });
    assert_eq!(run, plan);
    assert!(launch.reference().is_err());
    run
}

#[test]
fn what_is_known_at_launch_is_said_by_the_launcher() {
    on_both_chips(|device| {
        for ([m, n], expected) in [
            ([32, 48], None),
            ([20, 7], None),
            (
                [33, 48],
                Some("a range of `a` must be at most the 32 rows of its block, but is 33 (M)"),
            ),
            (
                [32, 64],
                Some("a range of `a` must be at most the 48 columns of its block, but is 64 (N)"),
            ),
        ] {
            let a = device.upload(&ones(m * n), [m, n])?;
            let mut c = device.zeros::<bf16>([m, n])?;
            let launch = whole(&a, &mut c);
            match expected {
                None => drop(launch.check(0.0)?),
                Some(expected) => {
                    let said = refused(&launch);
                    assert!(said.contains(expected), "{said}");
                }
            }
        }
        let a = device.upload(&ones(64 * 64), [64, 64])?;
        let mut c = device.zeros::<bf16>([64, 64])?;
        counted(&a, 64, 1, &mut c).check(0.0)?;
        let said = refused(&counted(&a, 65, 1, &mut c));
        assert!(
            said.contains("`a` must be at most the 32 rows of its block, but is 33"),
            "{said}"
        );
        // Without blocks nothing is copied.
        counted(&a, 65, 0, &mut c).check(0.0)?;
        for (n, expected) in [(80, true), (81, false)] {
            let a = device.upload(&ones(n), [n])?;
            let mut c = device.zeros::<bf16>([n])?;
            match expected {
                true => drop(of_vectors(&a, &mut c).check(0.0)?),
                false => {
                    let said = refused(&of_vectors(&a, &mut c));
                    assert!(
                        said.contains("at most the 80 elements of its block, but is 81 (N)"),
                        "{said}"
                    );
                }
            }
        }
        Ok(())
    });
}

/// By the block's place, by integers of tensors, and behind a condition.
#[tt::kernel]
fn asserted<const M: usize>(a: &Tensor<bf16, M, 64>, counts: &Tensor<i32, M>, most: u32, c: &mut Tensor<bf16, M, 64>) {
    let by = T.Kernel(2);
    let x = T.alloc_shared::<bf16>(32, 64);
    let n = counts[by];
    T.copy(a[(0..n, 0..64)], x);
    T.copy(x, c[(by * 32, 0)]);
    if most > 0 {
        T.copy(a[(by * 32..by * 32 + most, 0..64)], x);
        T.copy(x, c[(by * 32, 0)]);
    }
    for k in 0..by {
        T.copy(a[(k..k + M, 0..64)], x);
    }
}

#[tt::kernel]
fn of_place<const M: usize>(a: &Tensor<bf16, M, 64>, c: &mut Tensor<bf16, M, 64>) {
    let by = T.Kernel(2);
    let x = T.alloc_shared::<bf16>(32, 64);
    T.copy(a[(0..by * 33, 0..64)], x);
    T.copy(x, c[(by * 32, 0)]);
}

#[test]
fn what_is_known_on_the_card_alone_is_asserted_there() {
    // What is said of a tensor of `m` rows where the second block reads `count` and `most` of them.
    let wrong = |device: &Device, m: usize, count: i32, most: u32| -> tt::Result<Option<String>> {
        let a = device.upload(&ones(m * 64), [m, 64])?;
        let mut c = device.zeros::<bf16>([m, 64])?;
        let mut counts = vec![3; m];
        counts[1] = count;
        let counts = device.upload(&counts, [m])?;
        let launch = asserted(&a, &counts, most, &mut c);
        match (launch.reference(), launch.run()) {
            (Ok(_), Ok(())) => launch.check(0.0).map(|_| None),
            (Err(reference), Err(run)) => {
                assert_eq!(
                    [reference.kind(), run.kind()],
                    [tt::ErrorKind::Reference, tt::ErrorKind::Run]
                );
                Ok(Some(run.to_string()))
            }
            (reference, run) => panic!("the reference says {reference:?}, the device {run:?}"),
        }
    };
    on_both_chips(|device| {
        assert_eq!(wrong(device, 32, 32, 32)?, None);
        assert_eq!(wrong(device, 32, -1, 0)?, None);
        for (m, count, most, expected) in [
            (
                32,
                33,
                32,
                "block (1): a range of a, n, is at most the 32 rows of its block",
            ),
            (32, 32, 33, "a range of a, most, is at most the 32 rows of its block"),
            (
                64,
                32,
                32,
                "block (1): a range of a, M, is at most the 32 rows of its block",
            ),
        ] {
            let said = wrong(device, m, count, most)?.unwrap_or_default();
            assert!(said.contains(expected), "{m}, {count}, {most}: {said}");
        }
        let a = device.upload(&ones(64 * 64), [64, 64])?;
        let mut c = device.zeros::<bf16>([64, 64])?;
        let launch = of_place(&a, &mut c);
        assert!(launch.reference().is_err());
        let said = launch.run().err().map_or_else(String::new, |error| error.to_string());
        assert!(
            said.contains("block (1): a range of a, by * 33, is at most the 32 rows of its block"),
            "{said}"
        );
        Ok(())
    });
}
