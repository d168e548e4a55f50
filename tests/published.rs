//! Matmuls whose speed is published (reference/performance.md E.2): by the clock they come out in the published order. The matmul there is
//! ttnn's, tuned or not, at up to 16384³; this one is ours, on smaller shapes: the order counts. It takes twenty seconds, since nothing else
//! runs whole matmuls of every type through the clock.

use std::collections::BTreeMap;
use tt::prelude::*;
use tt::{bfp4, bfp8};

macro_rules! product {
    ($name:ident, $fidelity:ident: $of:ident) => {
        #[tt::kernel(fidelity = $fidelity, variants(BM = [64, 128, 256], BN = [64, 256], BK = [128, 256]))]
        fn $name<const M: usize, const K: usize, const N: usize>(
            a: &Tensor<$of, M, K>,
            b: &Tensor<$of, K, N>,
            c: &mut Tensor<bf16, M, N>,
        ) {
            let (bx, by) = T.Kernel(N.div_ceil(BN), M.div_ceil(BM));
            let left = T.alloc_shared::<$of>(BM, BK);
            let right = T.alloc_shared::<$of>(BK, BN);
            let sums = T.alloc_fragment::<f32>(BM, BN);
            T.clear(sums);
            for k in T.Pipelined(K.div_ceil(BK), num_stages = 2) {
                T.copy(a[(by * BM, k * BK)], left);
                T.copy(b[(k * BK, bx * BN)], right);
                T.gemm(left, right, sums);
            }
            T.copy(sums, c[(by * BM, bx * BN)]);
        }
    };
}

product!(bf16_hifi4, HiFi4: bf16);
product!(bf16_hifi2, HiFi2: bf16);
product!(bfp8_hifi2, HiFi2: bfp8);
product!(bfp8_lofi, LoFi: bfp8);
product!(bfp4_lofi, LoFi: bfp4);

/// TFLOPS of a cube of so many elements a side, by the clock.
macro_rules! speed {
    ($device:expr, $kernel:ident of $of:ident, $side:expr) => {{
        let side: usize = $side;
        let zeros = vec![$of::from_f32(0.0); side * side];
        let (a, b) = (
            $device.upload(&zeros, [side, side])?,
            $device.upload(&zeros, [side, side])?,
        );
        let mut c = $device.zeros::<bf16>([side, side])?;
        let counters = $kernel(&a, &b, &mut c)
            .profile()?
            .counters
            .expect("the emulator counts");
        let modelled = counters.modelled.expect("the clock was on");
        2.0 * (side as f64).powi(3) / modelled.nanoseconds as f64 / 1000.0
    }};
}

#[test]
fn published_matmuls_come_out_in_their_order() -> tt::Result<()> {
    // TFLOPS, the best of each type and fidelity. By size, in bf16 and HiFi2, a Wormhole's are 13.5 at 512³, 57.5 at 2048³, 68.4 at 4096³.
    let published = [
        ("wormhole_b0", [54.3, 85.4, 102.4, 163.1, 199.8]),
        ("blackhole", [142.0, 268.0, 272.2, 519.0, 541.3]),
    ];
    for (chip, silicon) in published {
        let device = Device::open_named(&format!("emulator:{chip}"))?;
        let clock = [
            speed!(device, bf16_hifi4 of bf16, 2048),
            speed!(device, bf16_hifi2 of bf16, 2048),
            speed!(device, bfp8_hifi2 of bfp8, 2048),
            speed!(device, bfp8_lofi of bfp8, 2048),
            speed!(device, bfp4_lofi of bfp4, 2048),
        ];
        println!("{chip}: {silicon:?} TFLOPS published, {clock:.1?} by the clock");
        assert!(clock.is_sorted(), "{chip}: {clock:.1?}");
        let by_size = BTreeMap::from([
            (512, speed!(device, bf16_hifi2 of bf16, 512)),
            (1024, speed!(device, bf16_hifi2 of bf16, 1024)),
            (2048, clock[1]),
        ]);
        println!("{chip}: {by_size:.1?}");
        assert!(by_size.values().is_sorted(), "{chip}: {by_size:.1?}");
    }
    Ok(())
}
