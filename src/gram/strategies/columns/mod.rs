//! Correlations of columns, for all pairs of columns. They are computed from counts over the observations that two
//! columns have in common, or from products of ranks.
//!
//! ```text
//! mod     chooses the strategy, runs it tile by tile, and restores the order of the columns
//! bits    three bits for each pair of observations
//! pairs   one pair of columns at a time, for many observations or few distinct values
//! ranks   Spearman's rho where no observation is missing
//! sides   columns in the order in which they are computed
//! ```

mod bits;
mod pairs;
pub(in crate::gram) mod ranks;
mod sides;

use crate::error::Error;
use crate::gram::Options;
use crate::gram::cost::{self, STOP_CHECK_INTERVAL_NS};
use crate::gram::plan::{Backend, Strategy};
use crate::gram::tiles::{Pieces, Tile, TileShape};
use crate::memory;
use crate::pair::observed::Observed;
use crate::parallel::{self, Cancel, Poll, Workers};
use crate::rankings::Incomplete;
use crate::simd::Isa;
use bits::ObservedBits;
use pairs::ObservedPairs;
use sides::ColumnSide;

/// Turns the counts of two columns into the correlation and its p-value.
pub(crate) trait FinishPair: Sync {
    /// Whether p-values are requested. They need sums over triples of tied observations.
    fn has_pvalues(&self) -> bool;
    fn finish(&self, observed: &Observed) -> (f64, f64);
}

/// A way to count.
trait CountPairs: Sync {
    /// The workspace of a thread.
    type Scratch;

    fn scratch(&self, cancel: &Cancel) -> Result<Self::Scratch, Error>;

    /// Prepares a tile. Returns false if the run was stopped.
    fn prepare(&self, shape: &TileShape, scratch: &mut Self::Scratch, poll: &mut Poll<'_>) -> Result<bool, Error>;

    /// The counts of a pair of columns of the tile.
    fn observed(&self, row: usize, column: usize, scratch: &mut Self::Scratch) -> Result<Observed, Error>;
}

/// Fills `statistic`, and `pvalue` if there is one, with the results of `finish` for each pair of columns.
pub(crate) fn fill(
    finish: &impl FinishPair,
    x: &Incomplete,
    y: Option<&Incomplete>,
    statistic: &mut [f64],
    pvalue: Option<&mut [f64]>,
    mut options: Options<'_>,
) -> Result<(), Error> {
    let isa = options.backend.isa()?;
    let other = y.unwrap_or(x);
    let (rows, columns, items) = (x.rows(), other.rows(), x.items());
    let cells = (x.usual_blocks() + 1) * (other.usual_blocks() + 1);
    let strategy = strategy(options.backend, isa, items, cells)?;
    let pair_ns = if strategy == Strategy::Bits { cost::columns_bits_ns(isa, items) } else { pairs_ns(items, cells) };
    let threads = parallel::threads_for(rows as f64 * columns as f64 * pair_ns, options.threads);
    let tile = options.tile.unwrap_or_else(|| cost::columns_tile(strategy, items, rows.min(columns), threads)).max(1);
    let ns = cost::COPY_NS * items as f64 * (rows + columns) as f64;
    let sides = parallel::run_one(ns, parallel::share(&mut options.watch), |cancel| {
        Ok((ColumnSide::new(x, strategy, cancel)?, y.map(|y| ColumnSide::new(y, strategy, cancel)).transpose()?))
    })?;
    let (of_rows, of_columns) = (&sides.0, sides.1.as_ref());
    let mut results = Results { statistic, pvalue, columns, tile };
    match strategy {
        Strategy::Bits => {
            let bits = parallel::run_one(ns, parallel::share(&mut options.watch), |cancel| {
                ObservedBits::new(isa, of_rows, of_columns, finish.has_pvalues(), cancel)
            })?;
            results.run(&bits, finish, y.is_none(), Workers::new(threads, 0.0), usize::MAX, options)?;
        }
        Strategy::Product | Strategy::Pairs | Strategy::Partition => {
            let isa = (strategy != Strategy::Partition).then_some(isa);
            let pairs = ObservedPairs { isa, x: of_rows, y: of_columns.unwrap_or(of_rows) };
            let (workers, interval) = (Workers::new(threads, pair_ns), (STOP_CHECK_INTERVAL_NS / pair_ns) as usize);
            results.run(&pairs, finish, y.is_none(), workers, interval, options)?;
        }
    }
    results.put_back(of_rows, of_columns.unwrap_or(of_rows))
}

/// The requested strategy, or the fastest.
fn strategy(backend: Backend, isa: Isa, items: usize, cells: usize) -> Result<Strategy, Error> {
    match backend.strategy() {
        Some(Strategy::Bits) if items >= cost::BITS_MAX_ITEMS => {
            Err(Error::CannotCompute { name: Strategy::Bits.to_string() })
        }
        Some(Strategy::Product) => Err(Error::CannotCompute { name: Strategy::Product.to_string() }),
        Some(strategy) => Ok(strategy),
        None if items < cost::BITS_MAX_ITEMS && cost::columns_bits_ns(isa, items) <= pairs_ns(items, cells) => {
            Ok(Strategy::Bits)
        }
        None => Ok(Strategy::Pairs),
    }
}

/// Time of one pair of columns of `items` observations, whose distinct values make a table of `cells` cells.
fn pairs_ns(items: usize, cells: usize) -> f64 {
    cost::columns_pair_ns(items, (cells <= cost::CELLS_AN_ITEM * items).then_some(cells))
}

/// The matrices that are filled.
struct Results<'a> {
    statistic: &'a mut [f64],
    pvalue: Option<&'a mut [f64]>,
    columns: usize,
    tile: usize,
}

impl Results<'_> {
    /// Fills the matrices, in the order of the sides.
    fn run<C: CountPairs>(
        &mut self,
        count: &C,
        finish: &impl FinishPair,
        symmetric: bool,
        workers: Workers,
        interval: usize,
        options: Options<'_>,
    ) -> Result<(), Error> {
        let mut pieces = Pieces::new(self.statistic, self.columns, self.tile)?;
        let tiles = pieces.tiles(symmetric)?;
        let mut more = self.pvalue.as_mut().map(|out| Pieces::new(out, self.columns, self.tile)).transpose()?;
        let mut pvalues = match &mut more {
            Some(pieces) => pieces.tiles(symmetric)?,
            None => Vec::new(),
        }
        .into_iter();
        let jobs = memory::collect(tiles.into_iter().map(|tile| (tile, pvalues.next())))?;
        parallel::run(
            jobs,
            workers,
            options.watch,
            |cancel| Ok((count.scratch(cancel)?, Vec::new())),
            |(mut tile, pvalues), (scratch, kept), poll| {
                fill_tile(count, finish, interval, (&mut tile, pvalues), (scratch, kept), poll)
            },
        )
    }

    /// Restores the caller's order of the rows and columns of the matrices.
    fn put_back(self, rows: &ColumnSide<'_>, columns: &ColumnSide<'_>) -> Result<(), Error> {
        for matrix in [Some(self.statistic), self.pvalue].into_iter().flatten() {
            columns.put_back_entries(matrix)?;
            rows.put_back_rows(matrix, self.columns)?;
        }
        Ok(())
    }
}

/// Fills a tile of coefficients and a tile of p-values. `kept` is memory for the p-values of the tile.
fn fill_tile<C: CountPairs>(
    count: &C,
    finish: &impl FinishPair,
    interval: usize,
    (tile, pvalues): (&mut Tile<'_, f64>, Option<Tile<'_, f64>>),
    (scratch, kept): (&mut C::Scratch, &mut Vec<f64>),
    poll: &mut Poll<'_>,
) -> Result<(), Error> {
    let shape = tile.shape();
    if !count.prepare(&shape, scratch, poll)? {
        return Ok(());
    }
    kept.clear();
    if pvalues.is_some() {
        memory::reserve(kept, shape.rows.len() * shape.columns.len())?;
    }
    let (mut failed, mut pairs) = (Ok(()), 0);
    tile.fill(|row, column| {
        pairs += 1;
        if pairs > interval {
            pairs = 0;
            if poll.is_cancelled() {
                return None;
            }
        }
        let observed = count.observed(row, column, scratch).map_err(|error| failed = Err(error)).ok()?;
        let (statistic, pvalue) = finish.finish(&observed);
        if pvalues.is_some() {
            kept.push(pvalue);
        }
        Some(statistic)
    });
    let mut next = kept.iter();
    if let Some(mut pvalues) = pvalues {
        pvalues.fill(|_, _| next.next().copied());
    }
    failed
}
