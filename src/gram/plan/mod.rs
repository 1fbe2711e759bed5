//! How a Gram matrix is computed: the strategy, the instruction set, the tile size and the number of threads.
//!
//! All these decisions are made here.
//!
//! ```text
//! mod      the decision, and its inputs
//! cost     every threshold and cost, and where it was measured
//! backend  names of strategies and instruction sets
//! ```

mod backend;
pub(crate) mod cost;

pub use backend::Backend;
pub(crate) use backend::Strategy;

use super::Options;
use crate::error::Error;
use crate::measure::{KendallMeasure, PairMeasure};
use crate::parallel;
use crate::simd::Isa;
use cost::{FEW, MIN_SHARED, NARROWEST, TILE_NS, TILES_PER_THREAD, WIDEST};

/// The kind of a set of rankings, with the numbers on which costs and strategies depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Representation {
    /// Complete rankings.
    Complete,
    /// Rankings with ties or missing items.
    Tied {
        /// Whether items can be anywhere.
        unknown: bool,
        /// Approximate number of cells of the table of the blocks of two rankings.
        cells: usize,
    },
    /// Lists of a few out of many items.
    Lists {
        /// The mean length of a list.
        length: usize,
    },
}

/// The task to compute.
#[derive(Clone, Copy)]
pub(crate) struct GramTask<'a> {
    pub(crate) measure: &'a KendallMeasure,
    pub(crate) representation: Representation,
    /// Whether weighted sums are computed in single precision.
    pub(crate) single: bool,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// The task to compute for a measure that is computed for one pair of rankings at a time.
#[derive(Clone, Copy)]
pub(crate) struct PairwiseTask<'a> {
    pub(crate) measure: &'a dyn PairMeasure,
    /// The number of items, or the mean length of a list.
    pub(crate) length: usize,
    /// The number of items, or the length of the longest list.
    pub(crate) longest: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// The decision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) strategy: Strategy,
    pub(crate) isa: Isa,
    /// The number of rows and columns of a tile.
    pub(crate) tile: usize,
    /// The number of parts of a tile that are computed at the same time.
    pub(crate) parts: usize,
    pub(crate) threads: usize,
    /// Approximate time of one pair of rankings.
    pub(crate) pair_ns: f64,
}

impl Plan {
    /// The fastest plan. It depends on the numbers of rows and columns. It does not depend on whether rows and columns
    /// are the same set. So the matrix of `x` with itself is computed in the same way as the matrix of `x` with a copy
    /// of `x`.
    pub(crate) fn new(task: GramTask<'_>, options: &Options<'_>) -> Result<Self, Error> {
        let isa = options.backend.isa()?;
        let strategy = task.strategy(options.backend, isa)?;
        let pair_ns = task.cost_ns(strategy, isa);
        let threads = parallel::threads_for(task.cells() * pair_ns, options.threads);
        let parts = if options.tile.is_none() { task.parts(strategy, threads) } else { 1 };
        let tile = match options.tile {
            Some(tile) => tile,
            None if parts > 1 => WIDEST,
            None => task.tile(strategy, pair_ns, threads),
        };
        Ok(Self { strategy, isa, tile: tile.max(1), parts, threads, pair_ns })
    }

    /// The plan for a measure that is computed for one pair of rankings at a time. There is only one strategy for it.
    pub(crate) fn pairwise(task: PairwiseTask<'_>, options: &Options<'_>) -> Result<Self, Error> {
        let (strategy, isa) = (Strategy::Pairs, options.backend.isa()?);
        if let Some(other) = options.backend.strategy().filter(|&requested| requested != strategy) {
            return Err(Error::CannotCompute { name: other.to_string() });
        }
        let pair_ns = task.measure.pair_ns(task.length);
        let cells = task.rows as f64 * task.columns as f64;
        let threads = parallel::threads_for(cells * pair_ns, options.threads);
        let by_share = ((cells / (threads * TILES_PER_THREAD) as f64).sqrt() as usize).max(1);
        let widest = cost::pairwise_tile(pair_ns, task.length);
        let tile = options.tile.unwrap_or(if threads > 1 { widest.min(by_share) } else { widest });
        Ok(Self { strategy, isa, tile, parts: 1, threads, pair_ns })
    }

    /// The strategy and the instruction set, as in "bits-portable".
    pub(crate) fn name(&self) -> String {
        match self.strategy {
            Strategy::Partition => self.strategy.to_string(),
            Strategy::Bits | Strategy::Product | Strategy::Pairs => format!("{}-{}", self.strategy, self.isa.level()),
        }
    }

    /// The same as [`Plan::new`], for work in which a thread always takes a whole tile.
    pub(crate) fn for_reduction(task: GramTask<'_>, options: &Options<'_>) -> Result<Self, Error> {
        let plan = Self::new(task, options)?;
        if plan.parts == 1 {
            return Ok(plan);
        }
        Ok(Self { tile: task.tile(plan.strategy, plan.pair_ns, plan.threads).max(1), parts: 1, ..plan })
    }
}

impl GramTask<'_> {
    fn cells(&self) -> f64 {
        self.rows as f64 * self.columns as f64
    }

    /// The approximate time of a pair of rankings with the strategy that would be chosen.
    pub(in crate::gram) fn fastest_ns(&self, backend: Backend) -> Result<f64, Error> {
        let isa = backend.isa()?;
        Ok(self.cost_ns(self.strategy(backend, isa)?, isa))
    }

    /// Approximate time of a pair of rankings, in tiles of the usual size.
    fn cost_ns(&self, strategy: Strategy, isa: Isa) -> f64 {
        strategy.cost_ns(self, isa, self.rows.min(self.columns).min(WIDEST))
    }

    /// The requested strategy, or the fastest.
    fn strategy(&self, backend: Backend, isa: Isa) -> Result<Strategy, Error> {
        match backend.strategy() {
            Some(strategy) if strategy.can(self) => Ok(strategy),
            Some(strategy) => Err(Error::CannotCompute { name: strategy.to_string() }),
            // For a few pairs, it does not pay off to prepare each ranking.
            None if self.cells() < FEW && self.takes_few_one_by_one() => Ok(Strategy::Partition),
            None => {
                let able = Strategy::ALL.into_iter().filter(|strategy| strategy.can(self));
                let cost = |strategy: Strategy| self.cost_ns(strategy, isa);
                Ok(able.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(Strategy::Partition))
            }
        }
    }

    /// Whether a few pairs are best computed one by one.
    fn takes_few_one_by_one(&self) -> bool {
        self.representation == Representation::Complete || self.measure.weight().is_general()
    }

    /// The number of parts of a tile. If there are few rankings, tiles are divided so that all threads have work.
    fn parts(&self, strategy: Strategy, threads: usize) -> usize {
        if strategy != Strategy::Bits || threads < 2 {
            return 1;
        }
        let tiles = self.cells() / (WIDEST as f64).powi(2);
        let wanted = (threads * TILES_PER_THREAD) as f64 / tiles;
        // With many rankings, there are enough tiles. With few items, a part would take too little time.
        let blocks = cost::bits_blocks(self.measure.items()) as f64;
        if tiles < threads as f64 * 4.0 && blocks >= 2.0 * wanted { wanted.ceil() as usize } else { 1 }
    }

    /// The number of rows and columns of a tile.
    fn tile(&self, strategy: Strategy, pair_ns: f64, threads: usize) -> usize {
        let by_share = (self.cells() / (threads * TILES_PER_THREAD) as f64).sqrt() as usize;
        let (by_time, by_share) = match (strategy, self.representation) {
            (Strategy::Product, Representation::Tied { .. }) if self.measure.weight().is_general() => {
                let widest = cost::tied_tensor_tile(self.measure.items());
                (widest, by_share.next_multiple_of(MIN_SHARED))
            }
            (Strategy::Bits | Strategy::Product, _) => (WIDEST, by_share.next_multiple_of(MIN_SHARED)),
            (Strategy::Pairs | Strategy::Partition, Representation::Tied { .. }) => {
                return cost::tied_tile(self.measure.items());
            }
            (Strategy::Pairs | Strategy::Partition, Representation::Lists { length }) => {
                (cost::lists_tile(pair_ns, length), by_share.max(NARROWEST))
            }
            (Strategy::Pairs | Strategy::Partition, Representation::Complete) => {
                (((TILE_NS / pair_ns).sqrt() as usize).clamp(NARROWEST, WIDEST), by_share)
            }
        };
        if threads > 1 { by_time.min(by_share) } else { by_time }
    }
}
