//! Gram matrices: a measure for every pair of rankings, computed tile by tile on several threads. A tile is a block of
//! rows and columns of the matrix.
//!
//! ```text
//! mod               check, plan, run
//!   reduce          the best values of each row, without the matrix
//!   combined        functions of several measures, block by block
//!   job             the steps before a plan: check, expand, the form of the measure
//!   distinct        repeated rankings are computed once
//!   expand          lists expanded to rankings of all items, where that is needed or faster
//!   strategies      the ways to fill a tile
//!   plan            the strategy, the tile size and the threads: every threshold and cost
//!   target          the destination of the values of tiles
//!   tiles           the result split into parts that threads can fill at the same time
//!   element         the types of results, and memory for them
//! ```
//!
//! Every value is computed only from its two rankings. So the result is bitwise identical for any number of threads and
//! any size of tiles.

mod combined;
mod distinct;
mod element;
mod expand;
mod job;
mod plan;
mod reduce;
mod strategies;
mod target;
mod tiles;

use crate::error::Error;
use crate::matrix::Matrix;
use crate::measure::{Measure, MeasureKind, Part};
use crate::memory;
use crate::parallel::{self, Cancel, Poll, RunOptions, Watch};
use crate::rankings::{Operands, RankingSet, with_operands};
use crate::simd::{Isa, Level};
use distinct::Deduplicated;
use job::{Expand, Job, Task, check};
use plan::GramTask;
use strategies::{lists, pairwise, tied};
use target::Cells;
use tiles::Tile;

pub use element::{Element, Neighbors, Output, Within};
pub(crate) use element::{with_output, zero_matrix};
#[cfg(feature = "python")]
pub(crate) use expand::if_faster;
#[cfg(feature = "python")]
pub(crate) use job::check_range;
pub use plan::Backend;
pub(crate) use plan::cost;
#[cfg(feature = "python")]
pub(crate) use plan::cost::python_limits;
pub use reduce::{neighbors, within};
pub(crate) use strategies::columns::ranks::fill as fill_spearman;
pub(crate) use strategies::columns::{FinishPair, fill as fill_columns};
pub use strategies::lists::ListIndex;
pub(crate) use strategies::tied::own_values;

/// Options of a run. Another backend can round weighted sums differently; the other options do not change the result.
/// Later versions may add fields, so end your list of fields with `..Default::default()`.
#[derive(Default)]
pub struct Options<'a> {
    /// The number of threads; `None` for [`default_threads`](crate::default_threads).
    pub threads: Option<usize>,
    /// The number of rows and of columns of a tile, a block of the matrix that one thread computes. `None` chooses a
    /// size that fits the work.
    pub tile: Option<usize>,
    /// The strategy and the instruction set; by default a cost model chooses both.
    pub backend: Backend,
    /// A function that receives the progress of the run and can stop it.
    pub watch: Option<Watch<'a>>,
}

#[cfg(feature = "python")]
impl<'a> From<RunOptions<'a>> for Options<'a> {
    fn from(RunOptions { threads, watch }: RunOptions<'a>) -> Self {
        Self { threads, watch, ..Self::default() }
    }
}

impl<'a> Options<'a> {
    /// The same options as [`RunOptions`], for a run that has no tiles and no strategies.
    fn run(self) -> RunOptions<'a> {
        RunOptions { threads: self.threads, watch: self.watch }
    }

    /// Returns an error if the number of threads or the size of tiles is 0.
    pub(crate) fn check(&self) -> Result<(), Error> {
        parallel::check_threads(self.threads)?;
        if self.tile == Some(0) { Err(Error::NoTile) } else { Ok(()) }
    }

    /// The same options, to be used for one of several runs.
    fn again(&mut self) -> Options<'_> {
        let Self { threads, tile, backend, watch } = self;
        Options { threads: *threads, tile: *tile, backend: *backend, watch: parallel::share(watch) }
    }
}

/// The measure of every ranking of `x` with every ranking of `y`, row by row. If `y` is `None`, every ranking of `x` is
/// compared with every ranking of `x`.
///
/// With ties and missing items, the value of a kernel of [`Measure::kernel`] or of [`Measure::distance`] is a mean.
/// Each of the two rankings stands for all complete rankings that agree with it, and the mean is over all pairs of
/// these complete rankings. Other measures describe their own rule for ties.
///
/// # Errors
/// Returns an error in these cases:
///
/// - The numbers of items differ.
/// - `options.threads` or `options.tile` is 0.
/// - The result does not fit into memory.
/// - `options.watch` stops the run.
/// - The measure is not defined for rankings of this kind. For example, the order of a kernel of
///   [`Incomplete`](crate::Incomplete) rankings must be 1 or 2, and the weight must not be
///   [`Weight::Quadruples`](crate::Weight). If items can be anywhere, the weight must be the standard weight and the
///   order must be 2.
///
/// [`Lists`](crate::Lists) are expanded to rankings of all items if the weight is general, such as
/// [`Weight::Matrix`](crate::Weight), or if this is faster.
///
/// ```
/// use wkendall::{Measure, Options, Rankings, Weight, gram};
/// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 3, 2, 1])?;
/// let kernel = Measure::kernel(&Weight::default(), 3)?.normalized();
/// let k = gram(&kernel, &x, None, Options::default())?;
/// assert_eq!(k, [1.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), wkendall::Error>(())
/// ```
///
/// ```
/// use wkendall::{Incomplete, Measure, Missing, Options, Weight, gram};
/// let x = Incomplete::from_ranks(2, 3, &[1.0, 2.0, 3.0, 1.0, f64::NAN, f64::NAN], Missing::Bottom)?;
/// let kernel = Measure::kernel(&Weight::default(), 3)?;
/// assert_eq!(gram(&kernel, &x, None, Options::default())?, [3.0, 2.5, 2.5, 2.5]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn gram<R: RankingSet>(measure: &Measure, x: &R, y: Option<&R>, options: Options<'_>) -> Result<Vec<f64>, Error> {
    Ok(gram_matrix(measure, x, y, options)?.into_vec())
}

/// The same as [`gram`], but returns a [`Matrix`] of `f64` or `f32`.
///
/// # Errors
/// Returns the same errors as [`gram`].
///
/// ```
/// use wkendall::{Matrix, Measure, Options, Rankings, gram_matrix};
/// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 3, 2, 1])?;
/// let d: Matrix<f32> = gram_matrix(&Measure::distance(3), &x, None, Options::default())?;
/// assert_eq!(d.row(1), [3.0, 0.0]);
/// assert_eq!(d[(0, 1)], 3.0);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn gram_matrix<R: RankingSet, T: Element>(
    measure: &Measure,
    x: &R,
    y: Option<&R>,
    options: Options<'_>,
) -> Result<Matrix<T>, Error> {
    let mut options = options;
    check(measure, R::operands(x, y), &options)?;
    let mut out = zero_matrix(x.rows(), y.unwrap_or(x).rows(), parallel::share(&mut options.watch))?;
    gram_into(measure, x, y, out.as_mut_slice(), options)?;
    Ok(out)
}

/// The same as [`gram`], but writes to a slice. The slice must have `rows * columns` values; all of them are
/// overwritten.
///
/// # Errors
/// Returns the same errors as [`gram`], and an error when the length of the slice is wrong. After an error, the slice
/// can contain any values.
pub fn gram_into<R: RankingSet, T: Element>(
    measure: &Measure,
    x: &R,
    y: Option<&R>,
    out: &mut [T],
    options: Options<'_>,
) -> Result<(), Error> {
    gram_of_operands(measure, R::operands(x, y), T::output(out), options)
}

fn gram_of_operands(
    measure: &Measure,
    operands: Operands<'_>,
    out: Output<'_>,
    options: Options<'_>,
) -> Result<(), Error> {
    check(measure, operands, &options)?;
    with_output!(out, |out| match computed(measure, operands).kind() {
        MeasureKind::Part(part) => gram_of(part, operands, out, options),
        MeasureKind::Combination(it) => with_operands!(operands, |x, y| combined::matrix(it, x, y, out, options)),
    })
}

/// The measure that is computed in place of the given measure. It has the same values for these rankings.
fn computed<'a>(measure: &'a Measure, operands: Operands<'_>) -> &'a Measure {
    if matches!(operands, Operands::Complete(..)) { measure.on_complete() } else { measure }
}

/// The numbers of rows and columns of the result, if it has the right length.
fn check_output<T>(operands: Operands<'_>, out: &[T]) -> Result<(usize, usize), Error> {
    let (rows, columns) = operands.shape();
    if rows.checked_mul(columns) == Some(out.len()) {
        Ok((rows, columns))
    } else {
        Err(Error::OutputLength { given: out.len(), rows, columns })
    }
}

/// Returns an error if `count` is 0 or larger than the number of rankings that are searched.
fn check_count(operands: Operands<'_>, count: usize) -> Result<(), Error> {
    let (rankings, others) = with_operands!(operands, |x, y| match y {
        Some(y) => (y.rows(), false),
        None => (x.rows().saturating_sub(1), true),
    });
    if count == 0 || count > rankings { Err(Error::NeighborCount { count, rankings, others }) } else { Ok(()) }
}

fn gram_of<T: Element>(
    part: &Part,
    operands: Operands<'_>,
    out: &mut [T],
    mut options: Options<'_>,
) -> Result<(), Error> {
    check_output(operands, out)?;
    let job = Job::new(part, operands, Expand::IfFaster, &mut options)?;
    job.check_range::<T>()?;
    let task = job.task::<T>()?;
    if task.is_zero() {
        out.fill(T::default());
        return Ok(());
    }
    with_operands!(job.operands(), |x, y| fill_distinct(task, x, y, out, options))
}

/// Fills a matrix; repeated rankings are computed once.
fn fill_distinct<R: RankingSet, T: Element>(
    task: Task<'_>,
    x: &R,
    y: Option<&R>,
    out: &mut [T],
    mut options: Options<'_>,
) -> Result<(), Error> {
    let Some(deduplicated) = Deduplicated::find(x, y, parallel::share(&mut options.watch))? else {
        return task.fill(task.plan(&options)?, x, y, Cells(out), options);
    };
    let of_distinct = task.with_shape(deduplicated.shape());
    let Some(mut values) = deduplicated.matrix() else {
        // There is no memory for the matrix of the distinct rankings, so the whole matrix is computed directly. It uses
        // the strategy for the distinct rankings, so that the result stays bitwise identical.
        let strategy = of_distinct.plan(&options)?.strategy;
        drop(deduplicated);
        let options = Options { backend: options.backend.with(strategy), ..options };
        return task.fill(task.plan(&options)?, x, y, Cells(out), options);
    };
    deduplicated.fill(&mut values, out, options, |x, y, values, options| {
        of_distinct.fill(of_distinct.plan(&options)?, x, y, Cells(values), options)
    })
}

/// The measure of each ranking with itself: the diagonal of [`gram`]. For rankings with ties, it can be a mean over all
/// pairs of complete rankings that agree with the ranking, as in [`gram`].
///
/// # Errors
/// Returns the same errors as [`gram`].
///
/// ```
/// use wkendall::{Incomplete, Measure, Missing, Options, Weight, diagonal};
/// let x = Incomplete::from_ranks(2, 3, &[1.0, 2.0, 3.0, 1.0, f64::NAN, f64::NAN], Missing::Bottom)?;
/// let kernel = Measure::kernel(&Weight::default(), 3)?;
/// assert_eq!(diagonal(&kernel, &x, Options::default())?, [3.0, 2.5]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn diagonal<R: RankingSet>(measure: &Measure, x: &R, options: Options<'_>) -> Result<Vec<f64>, Error> {
    diagonal_of_operands(measure, R::operands(x, None), options)
}

fn diagonal_of_operands(measure: &Measure, operands: Operands<'_>, options: Options<'_>) -> Result<Vec<f64>, Error> {
    check(measure, operands, &options)?;
    match computed(measure, operands).kind() {
        MeasureKind::Part(part) => diagonal_of(part, operands, options),
        MeasureKind::Combination(it) => with_operands!(operands, |x, _| combined::diagonal(it, x, options)),
    }
}

fn diagonal_of(part: &Part, operands: Operands<'_>, mut options: Options<'_>) -> Result<Vec<f64>, Error> {
    let job = Job::new(part, operands, Expand::IfNeeded, &mut options)?;
    match (job.task::<f64>()?, job.operands()) {
        (Task::Pairwise(task), operands) => pairwise::diagonal(task, operands, options),
        (Task::Kendall(GramTask { measure, .. }), Operands::Complete(x, _)) => {
            memory::filled(x.rows(), measure.self_similarity())
        }
        (Task::Kendall(GramTask { measure, .. }), Operands::Tied(x, _)) => tied::diagonal(measure, x, options.run()),
        (Task::Kendall(GramTask { measure, .. }), Operands::Lists(x, _)) => lists::diagonal(measure, x, options.run()),
    }
}

/// The strategy and the instruction set that would be chosen for `rows` times `columns` complete rankings, for example
/// "bits-portable".
///
/// # Errors
/// Returns an error when `options.backend` is not available, or when `options.threads` or `options.tile` is 0.
pub fn planned(measure: &Measure, rows: usize, columns: usize, options: &Options<'_>) -> Result<String, Error> {
    planned_for::<f64>(measure, rows, columns, options)
}

/// The same as [`planned`], for results of another type.
pub(crate) fn planned_for<T: Element>(
    measure: &Measure,
    rows: usize,
    columns: usize,
    options: &Options<'_>,
) -> Result<String, Error> {
    options.check()?;
    let mut names = Vec::new();
    for part in measure.on_complete().parts() {
        names.push(Task::of_complete::<T>(part, rows, columns)?.planned(options)?);
    }
    Ok(names.join(" + "))
}

/// The same as [`planned`], for the matrix of these rankings, with one name for each part of a combination. With this
/// backend, [`gram_into`] computes any part of the matrix bitwise identically.
#[cfg(feature = "python")]
pub(crate) fn planned_for_sets(
    measure: &Measure,
    operands: Operands<'_>,
    single: bool,
    mut options: Options<'_>,
) -> Result<String, Error> {
    let planned = if single { planned_of::<f32> } else { planned_of::<f64> };
    let plans = computed(measure, operands).parts().iter().map(|part| planned(part, operands, options.again()));
    Ok(plans.collect::<Result<Vec<_>, _>>()?.join(" + "))
}

/// The strategy and the instruction set for the matrix of these rankings.
fn planned_of<T: Element>(part: &Part, operands: Operands<'_>, mut options: Options<'_>) -> Result<String, Error> {
    let job = Job::new(part, operands, Expand::IfFaster, &mut options)?;
    let shape = with_operands!(job.operands(), |x, y| {
        let rows = distinct::computed(x, parallel::share(&mut options.watch))?;
        let columns = y.map(|y| distinct::computed(y, parallel::share(&mut options.watch))).transpose()?;
        (rows, columns.unwrap_or(rows))
    });
    job.task::<T>()?.with_shape(shape).planned(&options)
}

/// The instruction sets that this machine has and this crate can use, from the narrowest to the widest.
#[must_use]
pub fn instruction_sets() -> Vec<String> {
    Level::ALL.into_iter().filter(|&level| Isa::new(level).is_some()).map(|level| level.to_string()).collect()
}

/// A way to fill tiles.
trait Fill: Sync {
    /// The workspace of a thread.
    type Scratch;

    fn scratch(&self, cancel: &Cancel) -> Result<Self::Scratch, Error>;

    /// Fills a tile. If the run is cancelled, returns early with an incomplete tile.
    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        scratch: &mut Self::Scratch,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error>;
}
