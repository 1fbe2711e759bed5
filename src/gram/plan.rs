//! How a Gram matrix is computed: which strategy, on which instructions, in tiles of which size, on how many threads.

use std::fmt;
use std::str::FromStr;

use super::{Options, bits};
use crate::error::Error;
use crate::measure::{Counted, Measure};
use crate::parallel;
use crate::simd::{Isa, Level};

/// A tile should take about this long: short enough to share out the work, long enough not to be felt.
const TILE_NS: f64 = 4e6;
/// The widest tile whose rankings and sums fit the second cache, of those that are a multiple of all groups of rankings.
const WIDEST: usize = 240;
/// Narrower tiles are made for few rankings only, since every tile takes memory for each of its rows.
const NARROWEST: usize = 32;
/// Tiles where rankings have to be made ready for each are a multiple of this wide: narrower ones would spend most of the time on
/// that, and rankings are taken by 24 or 48.
const LEAST_SHARED: usize = 48;
/// Fewer pairs than this are taken one by one.
const FEW: f64 = 64.0;
/// With this many tiles for each thread the last ones to finish keep the others waiting for a few percent only.
const TILES_PER_THREAD: usize = 8;

/// A way to compute a Gram matrix. All give the same counts, and the same weighted sums up to rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Bits of pairs of items, for measures that count.
    Bits,
    /// A matrix product of features, for weighted sums.
    Product,
    /// For every pair of rankings a grid of positions and values, with vector instructions.
    Pairs,
    /// The partition algorithm as it is in the paper, but for the choice of the pivot.
    Partition,
}

impl Strategy {
    pub(crate) const ALL: [Self; 4] = [Self::Bits, Self::Product, Self::Pairs, Self::Partition];

    /// Whether the strategy can compute the measure.
    pub(crate) fn can(self, measure: &Measure) -> bool {
        match self {
            Self::Bits => measure.counted().is_some() && measure.items() <= bits::MOST_ITEMS,
            Self::Product => measure.summed().is_some(),
            Self::Pairs => measure.has_grid(),
            Self::Partition => true,
        }
    }

    /// About how long a pair of rankings takes, in nanoseconds, in tiles of so many rankings: a part for the pair, and a part to
    /// make ready each ranking, which the pairs of a tile share.
    ///
    /// Fitted to `cargo bench --bench strategies` on one core of a Xeon at 2.3 GHz with the widest instruction set.
    fn cost_ns(self, measure: &Measure, isa: Isa, single: bool, tile: usize) -> f64 {
        let n = measure.items() as f64;
        let slowdown = isa.slowdown();
        let share = 2.0 / tile.max(1) as f64;
        match self {
            Self::Bits => match measure.counted() {
                Some(Counted::All) => 2.0 + slowdown.bits * n * n * (0.0007 + 0.034 * share),
                Some(Counted::Top(_)) => 2.0 + slowdown.bits * n * n * (0.0011 + 0.05 * share),
                _ => 2.0 + slowdown.bits * (n * n * (0.0016 + 0.04 * share) + 0.3 * n),
            },
            Self::Product => {
                3.0 + slowdown.product * measure.products() * (0.035 + 0.3 * share) * if single { 0.5 } else { 1.0 }
            }
            Self::Pairs if measure.is_ordered() => measure.cost_ns() * slowdown.tuples,
            Self::Pairs => {
                let levels = (n / 1000.0).max(1.0).log2();
                200.0 + slowdown.grid * measure.grid_factor() * n * (5.7 + 1.4 * levels)
            }
            Self::Partition => measure.cost_ns(),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bits => "bits",
            Self::Product => "product",
            Self::Pairs => "pairs",
            Self::Partition => "partition",
        })
    }
}

/// A strategy and an instruction set, either of which may be left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backend {
    strategy: Option<Strategy>,
    level: Option<Level>,
}

impl Backend {
    /// The strategy, if one is asked for.
    pub(super) fn strategy(self) -> Option<Strategy> {
        self.strategy
    }

    /// The same instruction set with this strategy.
    pub(super) fn with(self, strategy: Strategy) -> Self {
        Self { strategy: Some(strategy), ..self }
    }

    /// The instruction set that is asked for, or the widest.
    pub(super) fn isa(self) -> Result<Isa, Error> {
        match self.level {
            None => Ok(Isa::widest()),
            Some(level) => Isa::new(level).ok_or(Error::MissingInstructions { name: level.to_string() }),
        }
    }
}

impl FromStr for Backend {
    type Err = Error;

    /// A strategy ("bits", "product", "pairs" or "partition"), one of the [`instruction_sets`](crate::instruction_sets),
    /// or one of each with a dash between, as in "bits-portable".
    fn from_str(name: &str) -> Result<Self, Error> {
        let mut backend = Self::default();
        for part in name.split('-') {
            let strategy = Strategy::ALL.into_iter().find(|strategy| strategy.to_string() == part);
            let level = Level::ALL.into_iter().find(|level| level.to_string() == part);
            let taken = backend.strategy.is_some() && strategy.is_some() || backend.level.is_some() && level.is_some();
            if taken || (strategy.is_none() && level.is_none()) {
                return Err(Error::UnknownBackend { name: name.to_owned() });
            }
            backend.strategy = backend.strategy.or(strategy);
            backend.level = backend.level.or(level);
        }
        Ok(backend)
    }
}

/// What was decided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) strategy: Strategy,
    pub(crate) isa: Isa,
    /// Rows and columns of a tile.
    pub(crate) tile: usize,
    /// Parts that a tile is computed in, at the same time.
    pub(crate) parts: usize,
    pub(crate) threads: usize,
}

/// What the caller has to say about it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wishes {
    pub(crate) backend: Backend,
    pub(crate) threads: Option<usize>,
    pub(crate) tile: Option<usize>,
    /// Whether the result is in single precision.
    pub(crate) single: bool,
}

impl From<&Options<'_>> for Wishes {
    fn from(options: &Options<'_>) -> Self {
        Self { backend: options.backend, threads: options.threads, tile: options.tile, single: false }
    }
}

impl Plan {
    /// The cheapest way. It depends on the numbers of rankings but not on whether rows and columns are the same, so that the
    /// matrix of `x` with itself and with a copy of it are computed alike.
    pub(crate) fn new(measure: &Measure, rows: usize, columns: usize, wishes: &Wishes) -> Result<Self, Error> {
        let isa = wishes.backend.isa()?;
        let cells = rows as f64 * columns as f64;
        let cost = |strategy: Strategy| {
            let tile = rows.min(columns).min(WIDEST);
            strategy.cost_ns(measure, isa, wishes.single, tile)
        };
        let strategy = match wishes.backend.strategy {
            Some(strategy) if strategy.can(measure) => strategy,
            Some(strategy) => return Err(Error::CannotCompute { name: strategy.to_string() }),
            // What has to be made ready for each ranking is not worth it for a few pairs.
            None if cells < FEW => Strategy::Partition,
            None => Strategy::ALL
                .into_iter()
                .filter(|strategy| strategy.can(measure))
                .min_by(|&a, &b| cost(a).total_cmp(&cost(b)))
                .unwrap_or(Strategy::Partition),
        };
        let pair_ns = cost(strategy);
        let threads = parallel::threads_for(cells * pair_ns, wishes.threads);
        let parts = match strategy {
            Strategy::Bits if threads > 1 && wishes.tile.is_none() => {
                let tiles = cells / (WIDEST as f64).powi(2);
                let wanted = (threads * TILES_PER_THREAD) as f64 / tiles;
                // Where there are many rankings, tiles are enough; where there are few items, a part would be too short.
                if tiles < threads as f64 * 4.0 && bits::blocks_of(measure.items()) as f64 >= 2.0 * wanted {
                    wanted.ceil() as usize
                } else {
                    1
                }
            }
            _ => 1,
        };
        let tile = wishes.tile.unwrap_or_else(|| {
            if parts > 1 {
                return WIDEST;
            }
            let by_time = match strategy {
                Strategy::Pairs | Strategy::Partition => ((TILE_NS / pair_ns).sqrt() as usize).clamp(NARROWEST, WIDEST),
                _ => WIDEST,
            };
            let by_share = (cells / (threads * TILES_PER_THREAD) as f64).sqrt() as usize;
            let by_share = match strategy {
                Strategy::Bits | Strategy::Product => by_share.next_multiple_of(LEAST_SHARED),
                _ => by_share,
            };
            if threads > 1 { by_time.min(by_share) } else { by_time }
        });
        Ok(Self { strategy, isa, tile: tile.max(1), parts, threads })
    }
}
