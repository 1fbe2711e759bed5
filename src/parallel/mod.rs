//! Runs jobs on several threads while the calling thread watches.
//!
//! Threads take jobs in order until none is left. Meanwhile, the calling thread does no jobs: it only calls the watch
//! function from time to time. The watch function can show progress and stop the run.
//!
//! ```text
//! mod    jobs, and the watching of jobs
//! pool   threads that survive a fork
//! ```

mod pool;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;
use pool::Lease;

pub use pool::available_cores;

/// The interval between two calls of the watch function.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// The maximum number of threads: more than any machine can use. It prevents that a typing error starts a million
/// threads.
pub(crate) const MAX_THREADS: usize = 512;
/// Work of at most this duration, in nanoseconds, is faster on the calling thread. To wake threads takes about 50
/// microseconds (two cores, Xeon 2.3 GHz).
const WORTH_THREADS_NS: f64 = 2e5;
/// If work does not check for a stop for this many nanoseconds, it is done on another thread, so that the calling
/// thread can watch.
const LONG_NS: f64 = 5e7;

/// The progress of a run: how many of its jobs are finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of finished jobs.
    pub done: usize,
    /// The number of all jobs.
    pub total: usize,
}

/// A watch function. It is called on the calling thread about twenty times a second. If it returns `Break`, the run
/// stops with [`Error::Interrupted`].
pub type Watch<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Options of a run. No option changes the result. Later versions may add fields, so end your list of fields with
/// `..Default::default()`.
#[derive(Default)]
pub struct RunOptions<'a> {
    /// The number of threads; `None` for [`default_threads`].
    pub threads: Option<usize>,
    /// A function that receives the progress of the run and can stop it.
    pub watch: Option<Watch<'a>>,
}

impl RunOptions<'_> {
    /// The number of threads for work of this many nanoseconds.
    pub(crate) fn threads_for(&self, work_ns: f64) -> usize {
        threads_for(work_ns, self.threads)
    }

    /// The same options, to be used for one of several runs.
    pub(crate) fn again(&mut self) -> RunOptions<'_> {
        RunOptions { threads: self.threads, watch: share(&mut self.watch) }
    }
}

/// The default number of threads. It is the value of the environment variable `RAYON_NUM_THREADS`. If this variable is
/// not set, it is the value of `OMP_NUM_THREADS`, which schedulers set to divide a machine among processes. If neither
/// variable is set, there is one thread for each core that the process may use.
#[must_use]
pub fn default_threads() -> usize {
    ["RAYON_NUM_THREADS", "OMP_NUM_THREADS"].into_iter().find_map(threads_from).unwrap_or_else(available_cores)
}

/// A positive number in an environment variable. If the variable has a list of numbers, which OpenMP allows for nested
/// levels, it is the first number.
fn threads_from(variable: &str) -> Option<usize> {
    let value = std::env::var(variable).ok()?;
    value.split(',').next()?.trim().parse().ok().filter(|&threads| threads > 0)
}

/// Returns an error if the number of threads is 0.
pub(crate) fn check_threads(threads: Option<usize>) -> Result<(), Error> {
    if threads == Some(0) { Err(Error::NoThreads) } else { Ok(()) }
}

/// The number of threads for work of `work_ns` nanoseconds, at most as many as the caller allows.
pub(crate) fn threads_for(work_ns: f64, allowed: Option<usize>) -> usize {
    if work_ns < WORTH_THREADS_NS { 1 } else { allowed.unwrap_or_else(default_threads).clamp(1, MAX_THREADS) }
}

/// A flag that tells long sums whether the run is cancelled. The results of a cancelled run are discarded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cancel(Option<Arc<AtomicBool>>);

impl Cancel {
    fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// The flag of a run that has ended.
    #[cfg(test)]
    pub(crate) fn of_an_ended_run() -> Self {
        let cancel = Self::new();
        cancel.cancel();
        cancel
    }

    /// Whether the run is cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.flag().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The atomic flag, if there is a run.
    pub(crate) fn flag(&self) -> Option<&AtomicBool> {
        self.0.as_deref()
    }

    fn cancel(&self) {
        if let Some(flag) = self.flag() {
            flag.store(true, Ordering::Relaxed);
        }
    }
}

/// The same as [`Cancel`], for the jobs of a run. On the calling thread, it also calls the watch function from time to
/// time.
pub(crate) struct Poll<'a> {
    cancel: &'a Cancel,
    watch: Option<&'a mut dyn FnMut()>,
}

impl Poll<'_> {
    /// Whether the run is cancelled. Long jobs must call this regularly.
    pub(crate) fn is_cancelled(&mut self) -> bool {
        if let Some(watch) = &mut self.watch {
            watch();
        }
        self.cancel.is_cancelled()
    }
}

/// The threads that do the jobs of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workers {
    threads: usize,
    /// Whether jobs are done on another thread even if there is only one thread. The calling thread then only watches.
    separate: bool,
}

impl Workers {
    /// Creates `threads` threads. Their jobs run for up to `silent_ns` nanoseconds without a check for cancellation.
    pub(crate) fn new(threads: usize, silent_ns: f64) -> Self {
        Self { threads, separate: silent_ns >= LONG_NS }
    }
}

/// Does all jobs with `work`; `scratch` makes the workspace of each thread. The first error ends the run.
pub(crate) fn run<J: Send, S>(
    jobs: Vec<J>,
    workers: Workers,
    watch: Option<Watch<'_>>,
    scratch: impl Fn(&Cancel) -> Result<S, Error> + Sync,
    work: impl Fn(J, &mut S, &mut Poll<'_>) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let threads = workers.threads.min(jobs.len());
    let separate = workers.separate && watch.is_some() && threads > 0;
    let mut ignore = |_| ControlFlow::Continue(());
    let watch = watch.unwrap_or(&mut ignore);
    let run = JobRun::new(jobs, scratch, work);
    match (threads > 1 || separate).then(|| pool::lease(threads)).flatten() {
        Some(pool) => run.on_threads(&pool, threads, watch),
        None => run.here(watch),
    }
    run.finish(watch)
}

/// Does one job of about `ns` nanoseconds. It runs on the calling thread if it is short or if there is no watch
/// function.
pub(crate) fn run_one<R: Send, F: FnOnce(&Cancel) -> Result<R, Error> + Send>(
    ns: f64,
    watch: Option<Watch<'_>>,
    job: F,
) -> Result<R, Error> {
    let Some(watch) = watch.filter(|_| ns >= LONG_NS) else { return job(&Cancel::default()) };
    let result = Mutex::new(None);
    // Reports only the start: the next run reports its own progress.
    let mut begun = |_| watch(Progress { done: 0, total: 1 });
    let work = |job: F, cancel: &mut Cancel, _: &mut Poll<'_>| {
        let found = job(cancel)?;
        *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        Ok(())
    };
    run(vec![job], Workers::new(1, ns), Some(&mut begun), |cancel| Ok(cancel.clone()), work)?;
    result.into_inner().unwrap_or_else(PoisonError::into_inner).ok_or(Error::Interrupted)
}

/// The same watch function, to be used for one of several runs.
pub(crate) fn share<'a>(watch: &'a mut Option<Watch<'_>>) -> Option<Watch<'a>> {
    match watch {
        Some(watch) => Some(&mut **watch),
        None => None,
    }
}

/// Several runs whose jobs are counted together.
pub(crate) struct Phases<'a> {
    watch: Option<Watch<'a>>,
    done: usize,
    total: usize,
}

impl<'a> Phases<'a> {
    pub(crate) fn new(watch: Option<Watch<'a>>, total: usize) -> Self {
        Self { watch, done: 0, total }
    }

    /// Does a run of `jobs` jobs.
    pub(crate) fn run<R>(
        &mut self,
        jobs: usize,
        run: impl FnOnce(Option<Watch<'_>>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let Self { watch, done, total } = self;
        let Some(watch) = watch else { return run(None) };
        // A run may split its jobs into parts.
        let mut look = |progress: Progress| {
            let part = progress.done * jobs / progress.total.max(1);
            watch(Progress { done: *done + part, total: *total })
        };
        let result = run(Some(&mut look))?;
        *done += jobs;
        Ok(result)
    }
}

/// Jobs to do, shared by the threads that do them.
struct JobRun<J, M, W> {
    total: usize,
    waiting: Mutex<std::vec::IntoIter<J>>,
    done: AtomicUsize,
    cancel: Cancel,
    error: Mutex<Option<Error>>,
    scratch: M,
    work: W,
}

impl<J, S, M, W> JobRun<J, M, W>
where
    J: Send,
    M: Fn(&Cancel) -> Result<S, Error> + Sync,
    W: Fn(J, &mut S, &mut Poll<'_>) -> Result<(), Error> + Sync,
{
    fn new(jobs: Vec<J>, scratch: M, work: W) -> Self {
        Self {
            total: jobs.len(),
            waiting: Mutex::new(jobs.into_iter()),
            done: AtomicUsize::new(0),
            cancel: Cancel::new(),
            error: Mutex::new(None),
            scratch,
            work,
        }
    }

    /// Does jobs until none is left or the run is cancelled, for example by an error.
    fn do_jobs(&self, poll: &mut Poll<'_>) {
        if let Err(error) = self.try_jobs(poll) {
            self.cancel.cancel();
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn try_jobs(&self, poll: &mut Poll<'_>) -> Result<(), Error> {
        let mut scratch = (self.scratch)(&self.cancel)?;
        let next = || self.waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some(job) = next() {
            (self.work)(job, &mut scratch, poll)?;
            self.done.fetch_add(1, Ordering::Relaxed);
            if poll.is_cancelled() {
                break;
            }
        }
        Ok(())
    }

    fn here(&self, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) {
        let mut timer = Timer::new(STOP_CHECK_INTERVAL);
        let mut watch = || {
            if timer.has_passed() {
                self.look(watch);
            }
        };
        self.do_jobs(&mut Poll { cancel: &self.cancel, watch: Some(&mut watch) });
    }

    fn on_threads(&self, pool: &Lease, threads: usize, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) {
        let threads = threads.min(pool.current_num_threads());
        let running = Running::new(threads);
        pool.in_place_scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|_| {
                    let _leave = running.leave_on_drop();
                    self.do_jobs(&mut Poll { cancel: &self.cancel, watch: None });
                });
            }
            while running.wait(STOP_CHECK_INTERVAL) {
                self.look(watch);
            }
        });
    }

    /// Calls the watch function if the run has not ended.
    fn look(&self, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) {
        if self.cancel.is_cancelled() {
            return;
        }
        let progress = Progress { done: self.done.load(Ordering::Relaxed), total: self.total };
        if watch(progress).is_break() {
            self.cancel.cancel();
        }
    }

    fn finish(self, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<(), Error> {
        self.look(watch);
        match self.error.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None if self.cancel.is_cancelled() => Err(Error::Interrupted),
            None => Ok(()),
        }
    }
}

/// Counts the working threads, so that the caller can wait for them and call the watch function in between.
struct Running {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Running {
    fn new(count: usize) -> Self {
        Self { count: Mutex::new(count), changed: Condvar::new() }
    }

    /// Waits until no thread is working, at most for `time`. Returns whether any thread is still working.
    fn wait(&self, time: Duration) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(count, time, |count| *count > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 > 0
    }

    /// Returns a guard that signs the thread off when it is dropped. So the caller does not wait forever, even after a
    /// panic.
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

/// Whether there is a clock. WebAssembly without an operating system has none, and reading it panics.
const HAS_CLOCK: bool = cfg!(not(all(target_family = "wasm", target_os = "unknown")));

/// Tells when an interval has passed.
struct Timer {
    /// The start of the interval; `None` if there is no clock.
    start: Option<Instant>,
    interval: Duration,
}

impl Timer {
    fn new(interval: Duration) -> Self {
        Self { start: HAS_CLOCK.then(Instant::now), interval }
    }

    /// Whether the interval has passed. If it has, a new interval begins. Without a clock, the answer is always true.
    fn has_passed(&mut self) -> bool {
        let passed = self.start.is_none_or(|start| start.elapsed() >= self.interval);
        if passed {
            self.start = HAS_CLOCK.then(Instant::now);
        }
        passed
    }
}
