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
//!   incomplete      rankings with ties and missing items
//! ```
//!
//! Every value is computed by itself, from its two rankings alone, so the result has the same bits for any number of threads
//! and any tile.

mod bits;
mod distinct;
mod factored;
mod incomplete;
mod pairs;
mod plan;
mod product;
mod tiles;

use crate::error::Error;
use crate::measure::Measure;
use crate::parallel::{self, Proceed, Watch};
use crate::ranking::Rankings;
use crate::simd::{Isa, Level};
use bits::Bits;
use distinct::Distinct;
use factored::Factored;
use pairs::Pairs;
use plan::{Plan, Strategy, Wishes};
use product::Product;
use tiles::Tile;

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
    check_range::<T>(measure)?;
    if measure.is_zero() {
        out.fill(T::default());
        return Ok(());
    }
    let find = |set: &Rankings| Distinct::find(set.rows(), |row| set.row(row).ranks());
    match (find(x), y.map(find)) {
        (None, None | Some(None)) => fill_all(measure, x, y, out, options),
        (of_rows, of_columns) => {
            let of_rows = of_rows.unwrap_or_else(|| Distinct::all(rows));
            let of_columns = of_columns.map(|found| found.unwrap_or_else(|| Distinct::all(columns)));
            let few_x = x.select(of_rows.firsts());
            let few_y = of_columns.as_ref().map(|found| y.unwrap_or(x).select(found.firsts()));
            distinct::fill_distinct(&of_rows, of_columns.as_ref(), out, options, |values, options| {
                fill_all(measure, &few_x, few_y.as_ref(), values, options)
            })
        }
    }
}

/// Refuses a measure whose values are beyond the range of the result's type; of kernels, none is larger than that of equal rankings.
fn check_range<T: Element>(measure: &Measure) -> Result<(), Error> {
    let value = measure.of_equal();
    match T::RANGE {
        Some((_, most)) if value > most => Err(Error::BeyondSingle { value }),
        Some((least, _)) if value > 0.0 && value < least => Err(Error::BelowSingle { value }),
        _ => Ok(()),
    }
}

/// The strategy and the instruction set, as in "bits-avx512", that would be picked for so many rankings.
///
/// # Errors
/// When `options.backend` asks for what is not there.
pub fn planned(measure: &Measure, rows: usize, columns: usize, options: &Options<'_>) -> Result<String, Error> {
    let wishes = Wishes { backend: options.backend, ..Wishes::default() };
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
    let single = T::RANGE.is_some() && product::single_is_enough(measure);
    let wishes = Wishes { backend: options.backend, threads: options.threads, tile: options.tile, single };
    let plan = Plan::new(measure, rows, columns, &wishes)?;
    let tiles = match y {
        None if measure.is_symmetric() => tiles::symmetric(out, rows, plan.tile),
        _ => tiles::rectangular(out, columns, plan.tile),
    };
    match plan.strategy {
        Strategy::Bits => {
            let bits = Bits::new(plan.isa, measure, x, y)?;
            if plan.parts > 1 {
                return bits.fill_in_parts(tiles, plan.parts, plan.threads, options.watch);
            }
            fill(&bits, tiles, plan.threads, options.watch)
        }
        Strategy::Product if measure.is_factored() && wishes.single => {
            fill(&Factored::<f32, 48>::new(plan.isa, measure, x, y.unwrap_or(x))?, tiles, plan.threads, options.watch)
        }
        Strategy::Product if measure.is_factored() => {
            fill(&Factored::<f64, 24>::new(plan.isa, measure, x, y.unwrap_or(x))?, tiles, plan.threads, options.watch)
        }
        Strategy::Product if wishes.single => {
            fill(&Product::<f32, 48>::new(plan.isa, measure, x, y.unwrap_or(x))?, tiles, plan.threads, options.watch)
        }
        Strategy::Product => {
            fill(&Product::<f64, 24>::new(plan.isa, measure, x, y.unwrap_or(x))?, tiles, plan.threads, options.watch)
        }
        Strategy::Pairs | Strategy::Partition => {
            let isa = (plan.strategy == Strategy::Pairs).then_some(plan.isa);
            fill(&Pairs::new(isa, measure, x, y.unwrap_or(x)), tiles, plan.threads, options.watch)
        }
    }
}

/// A way to fill tiles.
trait Fill: Sync {
    /// What a thread needs for itself.
    type Scratch;

    fn scratch(&self) -> Self::Scratch;

    /// Fills a tile; leaves it half done when told not to proceed.
    fn fill<T: Element>(&self, tile: &mut Tile<'_, T>, scratch: &mut Self::Scratch, proceed: Proceed<'_>);
}

fn fill<T: Element>(
    strategy: &impl Fill,
    tiles: Vec<Tile<'_, T>>,
    threads: usize,
    watch: Option<Watch<'_>>,
) -> Result<(), Error> {
    parallel::run(
        tiles,
        threads,
        watch,
        || strategy.scratch(),
        |mut tile, scratch, proceed| strategy.fill(&mut tile, scratch, proceed),
    )
}
