//! The worker threads. They are in pools, which calls borrow and return.
//!
//! The global pool of rayon is not used, because it does not survive a fork. A forked child inherits the memory of a
//! pool but not its threads, and would wait for them forever. The pools here remember the process that created them,
//! and a child creates its own pools.
//!
//! Every call has its own pool while it runs. Calls that share a pool would wait for each other's work.

use std::ops::Deref;
use std::sync::{Mutex, TryLockError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Whether there are threads and process numbers. WebAssembly has them only with Emscripten.
const HAS_THREADS: bool = cfg!(any(not(target_family = "wasm"), target_os = "emscripten"));
/// The maximum number of idle pools that are kept. More pools are useful only if more calls than this run at the same
/// time.
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
            // A pool with more threads than cores was requested by one call; it is not kept.
            if idle.len() < MAX_IDLE && pool.threads.current_num_threads() <= available_cores() {
                idle.push(pool);
            }
        });
    }
}

/// A pool with at least `threads` threads. If the system does not start as many threads, the pool has fewer. If the
/// system starts no thread, it is `None`.
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

/// Calls `f` with the idle pools of this process. If another thread uses them, returns `None`; this thread may have
/// existed only before a fork.
fn with_idle<R>(f: impl FnOnce(&mut Vec<Pool>) -> R) -> Option<R> {
    let mut idle = match IDLE.try_lock() {
        Ok(idle) => idle,
        Err(TryLockError::Poisoned(idle)) => idle.into_inner(),
        Err(TryLockError::WouldBlock) => return None,
    };
    let (own, inherited): (Vec<_>, Vec<_>) =
        std::mem::take(&mut *idle).into_iter().partition(|pool| pool.process == std::process::id());
    // The threads of inherited pools are in the parent process. To drop these pools would signal threads that do not
    // exist here, through locks that may be held forever. So the pools are forgotten.
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
