//! Jobs on several threads, under the eyes of the caller.
//!
//! Threads take jobs in order until none is left. Meanwhile the calling thread has nothing to do but to call the watch
//! function now and then, which can show progress and stop the run.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::pool::{self, available_cores};

/// How long the watch function waits for its next turn.
const WATCH_EVERY: Duration = Duration::from_millis(50);
/// More threads than any machine of today has use for; keeps a slip of the keyboard from starting a million.
pub(crate) const MOST_THREADS: usize = 512;
/// Waking threads takes some 50 microseconds (two cores, Xeon 2.3 GHz); work this short is done sooner on the calling thread.
const WORTH_THREADS_NS: f64 = 2e5;

/// How far a run has come, in jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Jobs finished.
    pub done: usize,
    /// Jobs in all.
    pub total: usize,
}

/// Called on the calling thread about twenty times a second; `Break` stops the run with [`Error::Interrupted`].
pub type Watch<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// How many threads run when nothing is said: `RAYON_NUM_THREADS` or else `OMP_NUM_THREADS`, by which schedulers divide a
/// machine among processes, or else one for each core that the process may use.
#[must_use]
pub fn default_threads() -> usize {
    ["RAYON_NUM_THREADS", "OMP_NUM_THREADS"].into_iter().find_map(threads_from).unwrap_or_else(available_cores)
}

/// A positive number in an environment variable; of a list, as OpenMP allows for nested levels, the first.
fn threads_from(variable: &str) -> Option<usize> {
    let value = std::env::var(variable).ok()?;
    value.split(',').next()?.trim().parse().ok().filter(|&threads| threads > 0)
}

/// The number of threads to use for work of so many nanoseconds, of those that the caller allows.
pub(crate) fn threads_for(work_ns: f64, allowed: Option<usize>) -> usize {
    if work_ns < WORTH_THREADS_NS { 1 } else { allowed.unwrap_or_else(default_threads).clamp(1, MOST_THREADS) }
}

/// Whether to go on; to be asked every so often in a job that takes long.
pub(crate) type Proceed<'a> = &'a mut dyn FnMut() -> bool;

/// Does all jobs with `work`; `scratch` makes what each thread needs for itself.
pub(crate) fn run<J: Send, S>(
    jobs: Vec<J>,
    threads: usize,
    watch: Option<Watch<'_>>,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(J, &mut S, Proceed<'_>) + Sync,
) -> Result<(), Error> {
    let mut ignore = |_| ControlFlow::Continue(());
    let watch = watch.unwrap_or(&mut ignore);
    let threads = threads.min(jobs.len());
    let run = Run::new(jobs, scratch, work);
    if threads > 1 {
        run.on_threads(threads, watch)?;
    } else {
        run.here(watch);
    }
    run.finish(watch)
}

/// Jobs to do, shared by the threads that do them.
struct Run<J, M, W> {
    total: usize,
    waiting: Mutex<std::vec::IntoIter<J>>,
    done: AtomicUsize,
    stop: AtomicBool,
    scratch: M,
    work: W,
}

impl<J: Send, S, M: Fn() -> S + Sync, W: Fn(J, &mut S, Proceed<'_>) + Sync> Run<J, M, W> {
    fn new(jobs: Vec<J>, scratch: M, work: W) -> Self {
        Self {
            total: jobs.len(),
            waiting: Mutex::new(jobs.into_iter()),
            done: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            scratch,
            work,
        }
    }

    /// Does jobs until none is left or the run is stopped.
    fn do_jobs(&self, proceed: Proceed<'_>) {
        let mut scratch = (self.scratch)();
        let next = || self.waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some(job) = next() {
            (self.work)(job, &mut scratch, proceed);
            self.done.fetch_add(1, Ordering::Relaxed);
            if !proceed() {
                return;
            }
        }
    }

    fn here(&self, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) {
        let mut last = Instant::now();
        self.do_jobs(&mut || {
            if last.elapsed() >= WATCH_EVERY {
                self.look(watch);
                last = Instant::now();
            }
            self.goes_on()
        });
    }

    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn on_threads(&self, threads: usize, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<(), Error> {
        let pool = pool::lease(threads)?;
        let running = Running::new(threads);
        pool.in_place_scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|_| {
                    let _leave = running.leave_on_drop();
                    self.do_jobs(&mut || self.goes_on());
                });
            }
            while running.wait(WATCH_EVERY) {
                self.look(watch);
            }
        });
        Ok(())
    }

    fn look(&self, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) {
        let progress = Progress { done: self.done.load(Ordering::Relaxed), total: self.total };
        if watch(progress).is_break() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn finish(&self, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<(), Error> {
        if self.goes_on() {
            self.look(watch);
        }
        if self.goes_on() { Ok(()) } else { Err(Error::Interrupted) }
    }
}

/// Counts the threads at work, so that the caller can wait for them and look around in between.
struct Running {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Running {
    fn new(count: usize) -> Self {
        Self { count: Mutex::new(count), changed: Condvar::new() }
    }

    /// Waits until no thread is left or the time is up; whether any is left.
    fn wait(&self, time: Duration) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(count, time, |count| *count > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 > 0
    }

    /// Counts the thread out when dropped, so that even a panic cannot leave the caller waiting.
    fn leave_on_drop(&self) -> impl Drop {
        struct Leave<'a>(&'a Running);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
                self.0.changed.notify_all();
            }
        }
        Leave(self)
    }
}
