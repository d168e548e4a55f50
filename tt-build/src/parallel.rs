//! Independent work on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `work` makes of each of `items`, in their order, done by `threads` threads at once.
pub fn map<T: Sync, R: Send>(items: &[T], threads: usize, work: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let run = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let result = work(index, item);
            results
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(run);
        }
        run();
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// As many threads as cargo allows a build script.
pub fn threads_of_cargo() -> usize {
    std::env::var("NUM_JOBS")
        .ok()
        .and_then(|jobs| jobs.parse().ok())
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_their_items() {
        let items: Vec<u64> = (0..50).collect();
        for threads in [0, 1, 3, 80] {
            let squares = map(&items, threads, |index, item| {
                std::thread::sleep(std::time::Duration::from_micros(50 - *item));
                index as u64 * item
            });
            assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
        }
    }
}
