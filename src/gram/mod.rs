//! Gram matrices: the measure of every pair of rankings, tile by tile, on several threads.
//!
//! ```text
//! gram, gram_into   check, plan, run
//!   distinct        rankings that repeat are computed once
//!   plan            which strategy, how large a tile, how many threads
//!   tiles           the result cut into pieces that threads can fill at the same time
//!   bits            a strategy: packed signs, for measures that count
//!   product         a strategy: matrix products of features, for weighted sums of few items
//!   factored        the same for tensors of weights given as products of vectors
//!   pairs           a strategy: one pair of rankings at a time, for everything
//!   incomplete      rankings with ties and missing items, one pair at a time
//!   features        the same for few items, by a matrix product
//! ```
//!
//! Every value is computed by itself, from its two rankings alone, so the result has the same bits for any number of threads
//! and any tile.

mod bits;
mod distinct;
mod factored;
mod features;
mod incomplete;
mod pairs;
mod plan;
mod product;
mod tiles;

use crate::error::Error;
use crate::measure::Measure;
use crate::memory;
use crate::parallel::{self, Crew, Proceed, Stop, Watch};
use crate::ranking::Rankings;
use crate::simd::{Isa, Level};
use bits::Bits;
use distinct::Few;
use factored::Factored;
use pairs::Pairs;
use plan::{Plan, Strategy, Wishes};
use product::Product;
use tiles::{Pieces, Tile};

pub(crate) use incomplete::own_incomplete;
pub use incomplete::{diagonal_incomplete, gram_incomplete_into};
pub use plan::Backend;

/// A type that results can be stored in: `f64`, or `f32` for half the memory. Counts are exact either way;
/// weighted sums of up to some hundred items are computed in the precision of the result, unless that would lose digits.
pub trait Element: Copy + Send + Sync + Default + sealed::Sealed {
    /// The least and the largest positive value that can be stored without loss, where those of `f64` go beyond.
    #[doc(hidden)]
    const RANGE: Option<(f64, f64)>;
    #[doc(hidden)]
    fn from_f64(value: f64) -> Self;
}

mod sealed {
    pub trait Sealed: crate::simd::place::Cell {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Element for f64 {
    const RANGE: Option<(f64, f64)> = None;
    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Element for f32 {
    const RANGE: Option<(f64, f64)> = Some((f32::MIN_POSITIVE as f64, f32::MAX as f64));
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

/// How to run; none of it changes the result, but for the rounding of weighted sums by another backend.
#[derive(Default)]
pub struct Options<'a> {
    /// How many threads; `None` for [`default_threads`](crate::default_threads).
    pub threads: Option<usize>,
    /// Rows and columns of a tile; `None` for a size that fits the work.
    pub tile: Option<usize>,
    /// Which strategy and instruction set; the default leaves both to a cost model.
    pub backend: Backend,
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
/// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 3, 2, 1])?;
/// let kernel = Measure::kernel(&Weight::Mult(Factor::Hyperbolic), 3)?.normalized();
/// let k = gram(&kernel, &x, None, Options::default())?;
/// assert_eq!(k, [1.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn gram(measure: &Measure, x: &Rankings, y: Option<&Rankings>, options: Options<'_>) -> Result<Vec<f64>, Error> {
    let (rows, columns) = (x.rows(), y.unwrap_or(x).rows());
    let too_large = Error::TooLarge { rows, columns };
    let len = rows.checked_mul(columns).ok_or(too_large.clone())?;
    let mut out = memory::filled(len, 0.0).map_err(|_| too_large)?;
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
    let mut options = options;
    find_own(measure, &mut options)?;
    check_range::<T>(measure)?;
    if measure.is_zero() {
        out.fill(T::default());
        return Ok(());
    }
    let Some(few) = Few::find(x, y, parallel::share(&mut options.watch))? else {
        return fill_all(measure, x, y, out, options);
    };
    let Some(mut values) = few.matrix() else {
        // There is no memory for this matrix. The strategy stays the one for the distinct rankings, so that the bits do.
        let wishes = Wishes { single: is_single::<T>(measure)?, ..Wishes::from(&options) };
        let plan = Plan::new(measure, few.shape().0, few.shape().1, &wishes)?;
        drop(few);
        let backend = options.backend.with(plan.strategy);
        return fill_all(measure, x, y, out, Options { backend, ..options });
    };
    few.fill(&mut values, out, options, |x, y, values, options| fill_all(measure, x, y, values, options))
}

/// Finds the self-similarity before anything asks for it, because it can take as long as a pair of rankings.
fn find_own(measure: &Measure, options: &mut Options<'_>) -> Result<f64, Error> {
    parallel::run_one(measure.own_ns(), parallel::share(&mut options.watch), |stop| measure.find_own(stop))
}

/// Whether weighted sums are computed in single precision.
fn is_single<T: Element>(measure: &Measure) -> Result<bool, Error> {
    Ok(T::RANGE.is_some() && product::single_is_enough(measure)?)
}

/// Refuses a measure whose values are beyond the range of the result's type; of kernels, none is larger than that of equal rankings.
pub(crate) fn check_range<T: Element>(measure: &Measure) -> Result<(), Error> {
    let value = measure.largest();
    match T::RANGE {
        Some((_, most)) if value > most => Err(Error::BeyondSingle { value }),
        Some((least, _)) if value > 0.0 && value < least => Err(Error::BelowSingle { value }),
        _ => Ok(()),
    }
}

/// The strategy and the instruction set, as in "bits-portable", that would be picked for so many rankings.
///
/// # Errors
/// When `options.backend` asks for what is not there.
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
    let wishes = Wishes { backend: options.backend, single: is_single::<T>(measure)?, ..Wishes::default() };
    let plan = Plan::new(measure, rows, columns, &wishes)?;
    Ok(match plan.strategy {
        Strategy::Partition => plan.strategy.to_string(),
        _ => format!("{}-{}", plan.strategy, plan.isa.level()),
    })
}

/// The instruction sets that this machine has, of those that there are loops for, from the narrowest to the widest.
#[must_use]
pub fn instruction_sets() -> Vec<String> {
    Level::ALL.into_iter().filter(|&level| Isa::new(level).is_some()).map(|level| level.to_string()).collect()
}

fn fill_all<T: Element>(
    measure: &Measure,
    x: &Rankings,
    y: Option<&Rankings>,
    out: &mut [T],
    options: Options<'_>,
) -> Result<(), Error> {
    let (rows, columns) = (x.rows(), y.unwrap_or(x).rows());
    let wishes = Wishes { single: is_single::<T>(measure)?, ..Wishes::from(&options) };
    let plan = Plan::new(measure, rows, columns, &wishes)?;
    let mut pieces = Pieces::new(out, columns, plan.tile)?;
    let tiles = if y.is_none() && measure.is_symmetric() { pieces.symmetric()? } else { pieces.rectangular()? };
    let y_or_x = y.unwrap_or(x);
    let Plan { strategy, isa, threads, parts, .. } = plan;
    let silent_ns = if matches!(strategy, Strategy::Pairs | Strategy::Partition) { measure.cost_ns() } else { 0.0 };
    let (crew, mut watch) = (Crew::new(threads, silent_ns), options.watch);
    match strategy {
        Strategy::Bits => {
            // A nanosecond for each rank.
            let ns = x.items() as f64 * (rows + columns) as f64;
            let bits = parallel::run_one(ns, parallel::share(&mut watch), |stop| Bits::new(isa, measure, x, y, stop))?;
            if parts > 1 {
                return bits.fill_in_parts(tiles, parts, crew, watch);
            }
            fill(&bits, tiles, crew, watch)
        }
        Strategy::Product if measure.is_factored() && wishes.single => {
            fill(&Factored::<f32, 48>::new(isa, measure, x, y_or_x)?, tiles, crew, watch)
        }
        Strategy::Product if measure.is_factored() => {
            fill(&Factored::<f64, 24>::new(isa, measure, x, y_or_x)?, tiles, crew, watch)
        }
        Strategy::Product if wishes.single => {
            fill(&Product::<f32, 48>::new(isa, measure, x, y_or_x)?, tiles, crew, watch)
        }
        Strategy::Product => fill(&Product::<f64, 24>::new(isa, measure, x, y_or_x)?, tiles, crew, watch),
        Strategy::Pairs | Strategy::Partition => {
            let isa = (strategy == Strategy::Pairs).then_some(isa);
            fill(&Pairs::new(isa, measure, x, y_or_x), tiles, crew, watch)
        }
    }
}

/// A way to fill tiles.
trait Fill: Sync {
    /// What a thread needs for itself.
    type Scratch;

    fn scratch(&self, stop: &Stop) -> Result<Self::Scratch, Error>;

    /// Fills a tile; leaves it half done when told not to proceed.
    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        scratch: &mut Self::Scratch,
        proceed: Proceed<'_>,
    ) -> Result<(), Error>;
}

fn fill<T: Element>(
    strategy: &impl Fill,
    tiles: Vec<Tile<'_, T>>,
    crew: Crew,
    watch: Option<Watch<'_>>,
) -> Result<(), Error> {
    parallel::run(
        tiles,
        crew,
        watch,
        |stop| strategy.scratch(stop),
        |mut tile, scratch, proceed| strategy.fill(&mut tile, scratch, proceed),
    )
}
