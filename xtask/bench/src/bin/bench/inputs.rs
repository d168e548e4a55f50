//! Repeatable inputs, and the time of the fastest of several tries.

use std::time::{Duration, Instant};
use tt::bf16;

/// `count` repeatable values in [-1, 1).
pub fn values(count: usize, seed: u64) -> Vec<bf16> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bf16::from_f32((state >> 40) as f32 / (1u32 << 23) as f32 - 1.0)
    })
    .take(count)
    .collect()
}

/// The shortest of `tries` runs of `work`.
fn fastest<E>(tries: usize, mut work: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    let mut best = Duration::MAX;
    for _ in 0..tries {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}

/// The shortest of `tries` runs of each work, one after the other in every try, so that what else the machine does meets all.
pub fn fastest_in_turn<E, const N: usize>(
    tries: usize,
    mut works: [&mut dyn FnMut() -> Result<(), E>; N],
) -> Result<[Duration; N], E> {
    let mut best = [Duration::MAX; N];
    for _ in 0..tries {
        for (best, work) in best.iter_mut().zip(&mut works) {
            *best = fastest(1, work)?.min(*best);
        }
    }
    Ok(best)
}

/// Seconds with as many digits as they are worth.
pub fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        time if time >= 10.0 => format!("{time:.1} s"),
        time if time >= 0.1 => format!("{time:.3} s"),
        time => format!("{:.2} ms", time * 1e3),
    }
}
