//! Gram matrices: the measure of every pair of rankings, tile by tile, on several threads.
//!
//! ```text
//! mod               check, plan, run
//!   reduce          the best values of each row, without the matrix
//!   combined        functions of several measures, block by block
//!   distinct        repeated rankings are computed once
//!   expand          lists expanded to rankings of all items, where that is needed or faster
//!   strategies      the ways to fill a tile
//!   plan            the strategy, the tile size and the threads: every threshold and cost
//!   target          the destination of the values of tiles
//!   found           the results of searches for neighbours
//!   tiles           the result split into parts that threads can fill at the same time
//!   element         the types of results, and memory for them
//! ```
//!
//! Every value is computed separately, from its two rankings only. So the result is bitwise identical for any number of
//! threads and any tile.

mod combined;
mod distinct;
mod element;
mod expand;
mod found;
mod plan;
mod reduce;
mod strategies;
mod target;
mod tiles;

use crate::error::Error;
use crate::matrix::Matrix;
use crate::measure::{KendallMeasure, Measure, MeasureKind};
use crate::memory;
use crate::parallel::{self, Proceed, Stop, Watch};
use crate::rankings::{RankingSet, Sides, with_sides};
use crate::simd::{Isa, Level};
use distinct::Few;
use expand::of_all_items;
use plan::{GramTask, Plan, Representation};
use strategies::complete::product;
use strategies::{complete, lists, tied};
use target::{Cells, Target};
use tiles::Tile;

pub use element::{Element, Output};
pub(crate) use element::{with_output, zero_matrix};
#[cfg(feature = "python")]
pub(crate) use expand::if_faster;
pub use found::{Neighbors, Within};
pub use plan::Backend;
pub(crate) use plan::cost;
#[cfg(feature = "python")]
pub(crate) use plan::package;
pub use reduce::{neighbors, within};
pub(crate) use strategies::columns::{FinishPair, fill as fill_columns};
pub use strategies::lists::ListIndex;
#[cfg(feature = "python")]
pub(crate) use strategies::lists::{IndexParts, Postings};
pub(crate) use strategies::tied::own_values;

/// Options of a run. They do not change the result, except that another backend rounds weighted sums differently.
/// Fields may be added: end the list of those that you set with `..Default::default()`.
#[derive(Default)]
pub struct Options<'a> {
    /// The number of threads; `None` for [`default_threads`](crate::default_threads).
    pub threads: Option<usize>,
    /// Rows and columns of a tile; `None` for a size that fits the work.
    pub tile: Option<usize>,
    /// The strategy and the instruction set; by default a cost model chooses both.
    pub backend: Backend,
    /// Receives progress and can stop the run.
    pub watch: Option<Watch<'a>>,
}

impl Options<'_> {
    /// Refuses options that cannot be.
    pub(crate) fn check(&self) -> Result<(), Error> {
        parallel::check_threads(self.threads)?;
        if self.tile == Some(0) { Err(Error::NoTile) } else { Ok(()) }
    }

    /// The same options, for one of several runs.
    fn again(&mut self) -> Options<'_> {
        let Self { threads, tile, backend, watch } = self;
        Options { threads: *threads, tile: *tile, backend: *backend, watch: parallel::share(watch) }
    }
}

/// The measure of every ranking of `x` with every ranking of `y`, or of `x` where `y` is `None`, row by row.
///
/// For rankings with ties and missing items it is the mean over all complete rankings that agree with them,
/// independently for both arguments.
///
/// # Errors
/// When the numbers of items differ, `options.threads` or `options.tile` is 0, the result does not fit into
/// memory, or `options.watch` stops the run. For [`Incomplete`](crate::Incomplete) rankings also when the order is above 2 or the weight
/// is [`Weight::Quadruples`](crate::Weight), and, if items can be anywhere, when the weight is not the standard one or
/// the order is not 2.
/// [`Lists`](crate::Lists) are expanded to rankings of all items if weights are general, and if that is faster.
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

/// As [`gram`], as a [`Matrix`] of `f64` or `f32`.
///
/// # Errors
/// As [`gram`].
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
    check(measure, R::sides(x, y), &options)?;
    let mut out = zero_matrix(x.rows(), y.unwrap_or(x).rows(), parallel::share(&mut options.watch))?;
    gram_into(measure, x, y, out.as_mut_slice(), options)?;
    Ok(out)
}

/// As [`gram`], into a slice of rows x columns values, all of which are overwritten.
///
/// # Errors
/// As [`gram`], and when the length of the slice is wrong. After an error its contents are unspecified.
pub fn gram_into<R: RankingSet, T: Element>(
    measure: &Measure,
    x: &R,
    y: Option<&R>,
    out: &mut [T],
    options: Options<'_>,
) -> Result<(), Error> {
    gram_of_sides(measure, R::sides(x, y), T::output(out), options)
}

fn gram_of_sides(measure: &Measure, sides: Sides<'_>, out: Output<'_>, options: Options<'_>) -> Result<(), Error> {
    check(measure, sides, &options)?;
    with_sides!(sides, |x, y| with_output!(out, |out| match measure.kind() {
        MeasureKind::Kendall(measure) => gram_of(measure, x, y, out, options),
        MeasureKind::Combination(it) => combined::matrix(it, x, y, out, options),
    }))
}

/// Refuses options that cannot be, and rankings of another number of items.
fn check(measure: &Measure, sides: Sides<'_>, options: &Options<'_>) -> Result<(), Error> {
    options.check()?;
    with_sides!(sides, |x, y| {
        measure.check_items(x.items())?;
        measure.check_items(y.unwrap_or(x).items())
    })
}

fn gram_of<R: RankingSet, T: Element>(
    measure: &KendallMeasure,
    x: &R,
    y: Option<&R>,
    out: &mut [T],
    options: Options<'_>,
) -> Result<(), Error> {
    let (rows, columns) = (x.rows(), y.unwrap_or(x).rows());
    if let Some((x, y)) = of_all_items(measure, x, y, &options)? {
        return gram_of(measure, &x, y.as_ref(), out, options);
    }
    if rows.checked_mul(columns) != Some(out.len()) {
        return Err(Error::OutputLength { given: out.len(), rows, columns });
    }
    let of_items = measure_of_items(measure, R::sides(x, None))?;
    let measure = of_items.as_ref().unwrap_or(measure);
    let mut options = options;
    find_own(measure, &mut options)?;
    check_range::<T>(measure)?;
    let task = new_task::<R, T>(measure, x, y)?;
    if task.representation == Representation::Complete && measure.is_zero() {
        out.fill(T::default());
        return Ok(());
    }
    let Some(few) = Few::find(x, y, parallel::share(&mut options.watch))? else {
        let plan = Plan::new(task, &options)?;
        return fill_all(task, plan, x, y, Cells(out), options);
    };
    let task = GramTask { rows: few.shape().0, columns: few.shape().1, ..task };
    let Some(mut values) = few.matrix() else {
        // There is no memory for this matrix. Keep the strategy for the distinct rankings, so that the result stays
        // bitwise identical.
        let plan = Plan::new(task, &options)?;
        drop(few);
        let backend = options.backend.with(plan.strategy);
        let (task, options) = (GramTask { rows, columns, ..task }, Options { backend, ..options });
        let plan = Plan::new(task, &options)?;
        return fill_all(task, plan, x, y, Cells(out), options);
    };
    few.fill(&mut values, out, options, |x, y, values, options| {
        let plan = Plan::new(task, &options)?;
        fill_all(task, plan, x, y, Cells(values), options)
    })
}

/// The measure of each ranking with itself: the mean over two independent complete rankings that agree with it.
///
/// # Errors
/// As [`gram`].
///
/// ```
/// use wkendall::{Incomplete, Measure, Missing, Options, Weight, diagonal};
/// let x = Incomplete::from_ranks(2, 3, &[1.0, 2.0, 3.0, 1.0, f64::NAN, f64::NAN], Missing::Bottom)?;
/// let kernel = Measure::kernel(&Weight::default(), 3)?;
/// assert_eq!(diagonal(&kernel, &x, Options::default())?, [3.0, 2.5]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn diagonal<R: RankingSet>(measure: &Measure, x: &R, options: Options<'_>) -> Result<Vec<f64>, Error> {
    diagonal_of_sides(measure, R::sides(x, None), options)
}

fn diagonal_of_sides(measure: &Measure, sides: Sides<'_>, options: Options<'_>) -> Result<Vec<f64>, Error> {
    check(measure, sides, &options)?;
    with_sides!(sides, |x, _| match measure.kind() {
        MeasureKind::Kendall(measure) => diagonal_of(measure, x, options),
        MeasureKind::Combination(it) => combined::diagonal(it, x, options),
    })
}

fn diagonal_of<R: RankingSet>(measure: &KendallMeasure, x: &R, options: Options<'_>) -> Result<Vec<f64>, Error> {
    let sides = R::sides(x, None);
    if let Sides::Lists(x, _) = sides
        && measure.needs_all_items()
    {
        measure.mean()?;
        return diagonal_of(measure, &x.to_incomplete()?, options);
    }
    let of_items = measure_of_items(measure, sides)?;
    let measure = of_items.as_ref().unwrap_or(measure);
    let mut options = options;
    match sides {
        Sides::Complete(x, _) => {
            find_own(measure, &mut options)?;
            memory::filled(x.rows(), measure.self_similarity())
        }
        Sides::Tied(x, _) => tied::diagonal(measure, x, options.threads, options.watch),
        Sides::Lists(x, _) => lists::diagonal(measure, x, options.threads, options.watch),
    }
}

/// The measure that replaces a measure of order 1 for incomplete rankings.
fn measure_of_items(measure: &KendallMeasure, sides: Sides<'_>) -> Result<Option<KendallMeasure>, Error> {
    match sides {
        Sides::Complete(..) | Sides::Lists(..) => Ok(None),
        Sides::Tied(..) => measure.of_items(),
    }
}

/// Computes the self-similarity in advance, because it can take as long as a pair of rankings.
fn find_own(measure: &KendallMeasure, options: &mut Options<'_>) -> Result<f64, Error> {
    parallel::run_one(cost::own_ns(measure), parallel::share(&mut options.watch), |stop| measure.find_own(stop))
}

/// Whether weighted sums are computed in single precision.
fn is_single<T: Element>(measure: &KendallMeasure) -> Result<bool, Error> {
    Ok(T::RANGE.is_some() && product::single_is_enough(measure)?)
}

/// Refuses a measure whose values are beyond the range of the result's type; no value of a kernel is larger than the
/// one for equal rankings.
pub(crate) fn check_range<T: Element>(measure: &KendallMeasure) -> Result<(), Error> {
    let value = measure.largest();
    match T::RANGE {
        Some((_, most)) if value > most => Err(Error::BeyondSingle { value }),
        Some((least, _)) if value > 0.0 && value < least => Err(Error::BelowSingle { value }),
        _ => Ok(()),
    }
}

/// The strategy and the instruction set, as in "bits-portable", that would be chosen for this many complete rankings.
///
/// # Errors
/// When `options.backend` is not available, or `options.threads` or `options.tile` is 0.
pub fn planned(measure: &Measure, rows: usize, columns: usize, options: &Options<'_>) -> Result<String, Error> {
    planned_for::<f64>(measure, rows, columns, options)
}

/// As [`planned`], for results of another type.
pub(crate) fn planned_for<T: Element>(
    measure: &Measure,
    rows: usize,
    columns: usize,
    options: &Options<'_>,
) -> Result<String, Error> {
    options.check()?;
    let mut names = Vec::new();
    for measure in measure.parts() {
        let single = is_single::<T>(measure)?;
        let task = GramTask { measure, representation: Representation::Complete, single, rows, columns };
        names.push(Plan::new(task, options)?.name());
    }
    Ok(names.join(" + "))
}

/// As [`planned`], for the matrix of these rankings, with a name for each part of a combination. [`gram_into`] with this
/// backend computes any part of the matrix bitwise identically.
#[cfg(feature = "python")]
pub(crate) fn planned_for_sets<R: RankingSet, T: Element>(
    measure: &Measure,
    x: &R,
    y: Option<&R>,
    mut options: Options<'_>,
) -> Result<String, Error> {
    let plans = measure.parts().iter().map(|part| planned_of::<R, T>(part, x, y, options.again()));
    Ok(plans.collect::<Result<Vec<_>, _>>()?.join(" + "))
}

/// The strategy and the instruction set for the matrix of these rankings.
pub(crate) fn planned_of<R: RankingSet, T: Element>(
    measure: &KendallMeasure,
    x: &R,
    y: Option<&R>,
    mut options: Options<'_>,
) -> Result<String, Error> {
    if let Some((x, y)) = of_all_items(measure, x, y, &options)? {
        return planned_of::<_, T>(measure, &x, y.as_ref(), options);
    }
    let of_items = measure_of_items(measure, R::sides(x, None))?;
    let measure = of_items.as_ref().unwrap_or(measure);
    find_own(measure, &mut options)?;
    let rows = distinct::computed(x, parallel::share(&mut options.watch))?;
    let columns = match y {
        Some(y) => distinct::computed(y, parallel::share(&mut options.watch))?,
        None => rows,
    };
    let task = GramTask { rows, columns, ..new_task::<R, T>(measure, x, y)? };
    Ok(Plan::new(task, &options)?.name())
}

/// The instruction sets of this machine for which there are loops, from the narrowest to the widest.
#[must_use]
pub fn instruction_sets() -> Vec<String> {
    Level::ALL.into_iter().filter(|&level| Isa::new(level).is_some()).map(|level| level.to_string()).collect()
}

/// The task to compute; refuses a measure that is not defined for these rankings.
fn new_task<'a, R: RankingSet, T: Element>(
    measure: &'a KendallMeasure,
    x: &R,
    y: Option<&R>,
) -> Result<GramTask<'a>, Error> {
    let (rows, columns) = (x.rows(), y.unwrap_or(x).rows());
    let (representation, single) = match R::sides(x, y) {
        Sides::Complete(..) => (Representation::Complete, is_single::<T>(measure)?),
        Sides::Tied(x, y) => (tied::representation_of(measure, x, y.unwrap_or(x))?, false),
        Sides::Lists(x, y) => (lists::representation_of(measure, x, y.unwrap_or(x))?, false),
    };
    Ok(GramTask { measure, representation, single, rows, columns })
}

fn fill_all<R: RankingSet>(
    task: GramTask<'_>,
    plan: Plan,
    x: &R,
    y: Option<&R>,
    target: impl Target,
    options: Options<'_>,
) -> Result<(), Error> {
    match R::sides(x, y) {
        Sides::Complete(x, y) => complete::fill(task, plan, x, y, target, options),
        Sides::Tied(x, y) => tied::fill(task, plan, x, y, target, options),
        Sides::Lists(x, y) => lists::fill(task, plan, x, y, target, options),
    }
}

/// A way to fill tiles.
trait Fill: Sync {
    /// The workspace of a thread.
    type Scratch;

    fn scratch(&self, stop: &Stop) -> Result<Self::Scratch, Error>;

    /// Fills a tile; returns with the tile incomplete if `proceed` says so.
    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        scratch: &mut Self::Scratch,
        proceed: Proceed<'_>,
    ) -> Result<(), Error>;
}
