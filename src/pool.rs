//! The worker threads: one pool for the process, made when first needed.
//!
//! rayon's global pool is left alone. A forked child inherits the memory of a pool but none of its threads, and would wait
//! for them forever; this pool remembers which process made it, and a child makes its own.

use std::sync::{Arc, Mutex, TryLockError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;
use crate::parallel::available_cores;

struct Owned {
    process: u32,
    pool: Arc<ThreadPool>,
}

static POOL: Mutex<Option<Owned>> = Mutex::new(None);

/// A pool with at least so many threads.
pub(crate) fn get(threads: usize) -> Result<Arc<ThreadPool>, Error> {
    let mut owned = match POOL.try_lock() {
        Ok(owned) => owned,
        Err(TryLockError::Poisoned(owned)) => owned.into_inner(),
        // Held by another thread, perhaps one that did not survive a fork: do not wait for it.
        Err(TryLockError::WouldBlock) => return build(threads),
    };
    match &*owned {
        Some(Owned { process, pool }) if *process == std::process::id() && pool.current_num_threads() >= threads => {
            return Ok(Arc::clone(pool));
        }
        _ => {}
    }
    let pool = build(threads.max(available_cores()))?;
    let old = owned.replace(Owned { process: std::process::id(), pool: Arc::clone(&pool) });
    if let Some(old) = old.filter(|old| old.process != std::process::id()) {
        // Its threads are in the parent: dropping it here would signal to nobody, through locks that may be held forever.
        std::mem::forget(old);
    }
    Ok(pool)
}

fn build(threads: usize) -> Result<Arc<ThreadPool>, Error> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("wkendall-{index}"))
        .build()
        .map(Arc::new)
        .map_err(|error| Error::Threads { threads, reason: error.to_string() })
}
