//! The worker threads: pools that calls borrow and return.
//!
//! rayon's global pool is not used. A forked child inherits the memory of a pool but none of its threads, and would
//! wait for them forever. These pools remember the process that created them, and a child creates its own. Every call
//! has its own pool while it runs, because calls that share a pool would wait for each other's work.

use std::ops::Deref;
use std::sync::{Mutex, TryLockError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// WebAssembly has neither threads nor process numbers, except with Emscripten.
const HAS_THREADS: bool = cfg!(any(not(target_family = "wasm"), target_os = "emscripten"));
/// The maximum number of idle pools; more are needed only for that many simultaneous calls.
const MAX_IDLE: usize = 4;

static IDLE: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

struct Pool {
    process: u32,
    threads: ThreadPool,
}

/// A pool for one call; it is returned when dropped.
pub(crate) struct Lease(Option<Pool>);

impl Deref for Lease {
    type Target = ThreadPool;

    fn deref(&self) -> &ThreadPool {
        match &self.0 {
            Some(pool) => &pool.threads,
            None => unreachable!("a lease holds its pool until it is dropped"),
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(pool) = self.0.take() else { return };
        with_idle(|idle| {
            // Threads beyond the number of cores were requested once and are not kept.
            if idle.len() < MAX_IDLE && pool.threads.current_num_threads() <= available_cores() {
                idle.push(pool);
            }
        });
    }
}

/// A pool with at least `threads` threads; with fewer if the system does not start as many, and `None` if it starts
/// none.
pub(crate) fn lease(threads: usize) -> Option<Lease> {
    if !HAS_THREADS {
        return None;
    }
    let idle = with_idle(|idle| {
        let fits = idle.iter().position(|pool| pool.threads.current_num_threads() >= threads)?;
        Some(idle.swap_remove(fits))
    });
    match idle.flatten() {
        Some(pool) => Some(Lease(Some(pool))),
        None => std::iter::successors(Some(threads), |&threads| Some(threads / 2).filter(|&fewer| fewer > 0))
            .find_map(build),
    }
}

/// Uses the idle pools of this process, unless another thread does, possibly one that did not survive a fork.
fn with_idle<R>(f: impl FnOnce(&mut Vec<Pool>) -> R) -> Option<R> {
    let mut idle = match IDLE.try_lock() {
        Ok(idle) => idle,
        Err(TryLockError::Poisoned(idle)) => idle.into_inner(),
        Err(TryLockError::WouldBlock) => return None,
    };
    let (own, inherited): (Vec<_>, Vec<_>) =
        std::mem::take(&mut *idle).into_iter().partition(|pool| pool.process == std::process::id());
    // Their threads are in the parent: dropping them here would signal threads that do not exist, through locks that
    // may be held forever.
    inherited.into_iter().for_each(std::mem::forget);
    *idle = own;
    Some(f(&mut idle))
}

fn build(threads: usize) -> Option<Lease> {
    let built = ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("wkendall-{index}")).build();
    Some(Lease(Some(Pool { process: std::process::id(), threads: built.ok()? })))
}

/// The cores that this process may use.
#[must_use]
pub fn available_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
