//! Gram matrices: the measure of every pair of rankings, tile by tile, on several threads.
//!
//! ```text
//! gram, gram_into   check, plan, hand out tiles, watch
//!   plan            which strategy, how large a tile, how many threads
//!   tiles           the result cut into pieces that threads can fill at the same time
//!   pool            the threads
//!   pairs           a strategy: the partition algorithm for every pair
//! ```
//!
//! Every value is computed by itself, from its two rankings alone, so the result has the same bits for any number of threads
//! and any tile.

mod pairs;
mod plan;
mod pool;
mod tiles;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::measure::Measure;
use crate::ranking::Rankings;
use pairs::Pairs;
use plan::Plan;
use tiles::Tile;

pub use plan::default_threads;

/// How long the caller's watch function waits for its next turn.
const WATCH_EVERY: Duration = Duration::from_millis(50);

/// A type that results can be stored in: `f64`, or `f32` for half the memory. Values are computed in `f64` either way.
pub trait Element: Copy + Send + Sync + Default + sealed::Sealed {
    #[doc(hidden)]
    fn from_f64(value: f64) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Element for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Element for f32 {
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

/// How far a run has come, in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Tiles finished.
    pub done: usize,
    /// Tiles in all.
    pub total: usize,
}

/// Called on the calling thread about twenty times a second; `Break` stops the run with [`Error::Interrupted`].
pub type Watch<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// How to run; none of it changes the result.
#[derive(Default)]
pub struct Options<'a> {
    /// How many threads; `None` for [`default_threads`].
    pub threads: Option<usize>,
    /// Rows and columns of a tile; `None` for a size that fits the work.
    pub tile: Option<usize>,
    /// Sees progress and can stop the run.
    pub watch: Option<Watch<'a>>,
}

/// The measure of every ranking of `x` with every ranking of `y`, or of `x` where `y` is `None`, row by row.
///
/// # Errors
/// When the numbers of items differ, the result does not fit into memory, or `options.watch` stops the run.
///
/// ```
/// use wkendall::{Factor, Measure, Options, Rankings, Weight, gram};
/// let x = Rankings::from_ranks(2, 3, &[1i64, 2, 3, 3, 2, 1])?;
/// let kernel = Measure::kernel(&Weight::Mult(Factor::Hyperbolic), 3)?.normalized();
/// let k = gram(&kernel, &x, None, Options::default())?;
/// assert_eq!(k, [1.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn gram(measure: &Measure, x: &Rankings, y: Option<&Rankings>, options: Options<'_>) -> Result<Vec<f64>, Error> {
    let (rows, columns) = (x.rows(), y.unwrap_or(x).rows());
    let too_large = Error::TooLarge { rows, columns };
    let mut out = Vec::new();
    let len = rows.checked_mul(columns).ok_or(too_large.clone())?;
    out.try_reserve_exact(len).map_err(|_| too_large)?;
    out.resize(len, 0.0);
    gram_into(measure, x, y, &mut out, options)?;
    Ok(out)
}

/// As [`gram`], into a slice of rows x columns values, all of which are overwritten.
///
/// # Errors
/// As [`gram`], and when the slice has another length. After an error its contents are unspecified.
pub fn gram_into<T: Element>(
    measure: &Measure,
    x: &Rankings,
    y: Option<&Rankings>,
    out: &mut [T],
    options: Options<'_>,
) -> Result<(), Error> {
    let (rows, columns) = (x.rows(), y.unwrap_or(x).rows());
    measure.check_items(x.items())?;
    measure.check_items(y.unwrap_or(x).items())?;
    if rows.checked_mul(columns) != Some(out.len()) {
        return Err(Error::OutputLength { given: out.len(), rows, columns });
    }
    let plan = Plan::new(measure, rows, columns, options.threads, options.tile);
    let tiles = match y {
        None => tiles::symmetric(out, rows, plan.tile),
        Some(_) => tiles::rectangular(out, columns, plan.tile),
    };
    let run = Run::new(tiles, Pairs::new(measure, x, y.unwrap_or(x)));
    let mut ignore = |_| ControlFlow::Continue(());
    let watch = options.watch.unwrap_or(&mut ignore);
    if plan.threads <= 1 { run.here(watch) } else { run.on_threads(plan.threads, watch) }
}

/// Tiles to fill, shared by the threads that fill them.
struct Run<'a, T> {
    strategy: Pairs<'a>,
    total: usize,
    waiting: Mutex<std::vec::IntoIter<Tile<'a, T>>>,
    done: AtomicUsize,
    stop: AtomicBool,
}

impl<'a, T: Element> Run<'a, T> {
    fn new(tiles: Vec<Tile<'a, T>>, strategy: Pairs<'a>) -> Self {
        Self {
            strategy,
            total: tiles.len(),
            waiting: Mutex::new(tiles.into_iter()),
            done: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        }
    }

    /// Fills tiles until none is left or the run is stopped; `after` comes after each.
    fn work(&self, mut after: impl FnMut()) {
        let mut scratch = self.strategy.scratch();
        let next = || self.waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some(mut tile) = next() {
            self.strategy.fill(&mut tile, &mut scratch, &self.stop);
            self.done.fetch_add(1, Ordering::Relaxed);
            after();
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    fn look(&self, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) {
        let progress = Progress { done: self.done.load(Ordering::Relaxed), total: self.total };
        if watch(progress).is_break() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn finish(&self, watch: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<(), Error> {
        if !self.stop.load(Ordering::Relaxed) {
            self.look(watch);
        }
        if self.stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn here(&self, watch: Watch<'_>) -> Result<(), Error> {
        let mut last = Instant::now();
        self.work(|| {
            if last.elapsed() >= WATCH_EVERY {
                self.look(watch);
                last = Instant::now();
            }
        });
        self.finish(watch)
    }

    fn on_threads(&self, threads: usize, watch: Watch<'_>) -> Result<(), Error> {
        let pool = pool::get(threads)?;
        let running = Running::new(threads);
        pool.in_place_scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|_| {
                    let _leave = running.leave_on_drop();
                    self.work(|| {});
                });
            }
            while running.wait(WATCH_EVERY) {
                self.look(watch);
            }
        });
        self.finish(watch)
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
