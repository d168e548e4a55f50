//! Independent work on several threads, as many as cargo has tokens for.
//!
//! A build script is given one token when it is started. Whatever it does besides takes another one from cargo's jobserver, so
//! that compilers of all build scripts together are no more than `cargo build -j` allows.

use jobserver::Client;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError, mpsc};

/// How many jobs may run at once, and who gives out the tokens for them.
#[derive(Debug, Clone)]
pub struct Jobs {
    most: usize,
    /// None where the system has no room for one: then jobs run one after the other.
    tokens: Option<Client>,
}

impl Jobs {
    /// At most `most` jobs at once.
    pub fn new(most: usize) -> Jobs {
        let tokens = Client::new(most.saturating_sub(1)).ok();
        Jobs { most, tokens }
    }

    /// As many as cargo allows a build script; one where cargo did not start this process.
    pub fn of_cargo() -> &'static Jobs {
        static OF_CARGO: LazyLock<Jobs> = LazyLock::new(|| {
            let jobs = std::env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok());
            let jobs = Jobs::new(jobs.unwrap_or(1));
            // SAFETY: where cargo names files for it in the environment, it has opened them for this process.
            match unsafe { Client::from_env_ext(true) }.client {
                Ok(cargo) => Jobs {
                    tokens: Some(cargo),
                    ..jobs
                },
                Err(_) => jobs,
            }
        });
        &OF_CARGO
    }
}

/// What `work` makes of each of `items`, in their order: on this thread, which has a token, and on others as soon as there is
/// one for them.
pub fn map<T: Sync, R: Send>(items: &[T], jobs: &Jobs, work: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let run = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let result = work(index, item);
            results
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((index, result));
        }
    };
    let (sender, tokens) = mpsc::channel();
    let tokens = Mutex::new(tokens);
    std::thread::scope(|scope| {
        let client = jobs.tokens.clone();
        let helper = client.and_then(|client| client.into_helper_thread(move |token| drop(sender.send(token))).ok());
        for _ in 1..jobs.most.min(items.len()) {
            helper.iter().for_each(|helper| helper.request_token());
            scope.spawn(|| {
                let token = tokens.lock().unwrap_or_else(PoisonError::into_inner).recv();
                if let Ok(Ok(_token)) = token {
                    run();
                }
            });
        }
        run();
        // Threads that still wait for a token get none any more, and end.
        drop(helper);
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_keep_the_order_of_their_items_and_no_more_run_at_once_than_there_are_tokens() {
        let items: Vec<u64> = (0..50).collect();
        for (tokens, most) in [(0, 4), (1, 4), (3, 2), (79, 80)] {
            let client = Client::new(tokens).unwrap();
            let jobs = Jobs {
                most,
                tokens: Some(client.clone()),
            };
            let (running, peak) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let squares = map(&items, &jobs, |index, item| {
                let now = running.fetch_add(1, Ordering::Relaxed) + 1;
                peak.fetch_max(now, Ordering::Relaxed);
                std::thread::sleep(Duration::from_micros(500 - *item));
                running.fetch_sub(1, Ordering::Relaxed);
                index as u64 * item
            });
            assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
            assert!(peak.into_inner() <= most.min(tokens + 1), "{tokens} tokens");
            assert_eq!(client.available().unwrap(), tokens, "all tokens are given back");
        }
    }
}
