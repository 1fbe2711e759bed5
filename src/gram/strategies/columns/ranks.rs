//! Spearman's rho of columns without missing observations: products of vectors of centred mean ranks.
//!
//! The ranks are doubled, so that all numbers are whole. So all sums are exact for up to 200,000 observations.

use crate::error::Error;
use crate::gram::cost::{self, PRODUCT_BLOCK};
use crate::gram::target::{Cells, Target, Tiling};
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill, Options};
use crate::memory;
use crate::parallel::{self, Cancel, Poll, Progress, Watch, Workers};
use crate::rankings::Incomplete;
use crate::simd::Isa;
use crate::simd::place::Square;
use crate::simd::product::{GroupRow, Real};

/// Columns that are multiplied side by side.
const G: usize = 24;

/// Fills `out` with the correlations of the mean ranks; NaN for columns without any order.
pub(crate) fn fill(
    x: &Incomplete,
    y: Option<&Incomplete>,
    out: &mut [f64],
    mut options: Options<'_>,
) -> Result<(), Error> {
    let isa = options.backend.isa()?;
    let of_x = RankVectors::new(x, options.threads, &mut options.watch)?;
    let of_y = y.map(|y| RankVectors::new(y, options.threads, &mut options.watch)).transpose()?;
    let (columns, items) = (y.unwrap_or(x).rows(), x.items());
    let work = cost::RANKS_NS * x.rows() as f64 * columns as f64 * items as f64;
    let threads = parallel::threads_for(work, options.threads);
    let tile = options.tile.unwrap_or_else(|| cost::ranks_tile(x.rows(), columns, threads)).next_multiple_of(G);
    let tiling = Tiling { rows: x.rows(), columns, tile, symmetric: y.is_none() };
    let products = RankProducts { isa, items, x: &of_x, y: of_y.as_ref() };
    Cells(out).run(tiling, &products, Workers::new(threads, 0.0), options.watch)
}

/// Doubled and centred mean ranks.
struct RankVectors {
    /// Those of `G` columns side by side, for each observation; one group after another.
    panel: Vec<GroupRow<f64, G>>,
    /// The sum of the squares of each column.
    squares: Vec<f64>,
}

impl RankVectors {
    fn new(set: &Incomplete, threads: Option<usize>, watch: &mut Option<Watch<'_>>) -> Result<Self, Error> {
        let (columns, items) = (set.rows(), set.items());
        let mut panel = memory::filled(columns.div_ceil(G) * items, GroupRow([0.0; G]))?;
        let mut squares = memory::filled(columns, 0.0)?;
        let work = 4.0 * cost::COPY_NS * items as f64;
        let workers = Workers::new(parallel::threads_for(work * columns as f64, threads), work);
        let mut begun = |_| {
            watch.as_mut().map_or(std::ops::ControlFlow::Continue(()), |watch| watch(Progress { done: 0, total: 1 }))
        };
        let groups = panel.chunks_mut(items.max(1)).zip(squares.chunks_mut(G));
        parallel::run(
            memory::collect((0..).step_by(G).zip(groups))?,
            workers,
            Some(&mut begun),
            |_| memory::filled(items, 0.0),
            |(first, (group, squares)), of_block, poll| {
                for (lane, square) in squares.iter_mut().enumerate() {
                    if poll.is_cancelled() {
                        break;
                    }
                    let blocks = set.row(first + lane);
                    for block in blocks.ranges() {
                        let rank = (block.start + block.end) as f64 - items as f64;
                        *square += block.len() as f64 * rank * rank;
                        of_block[block.start] = rank;
                    }
                    for (ranks, &start) in group.iter_mut().zip(blocks.starts) {
                        ranks[lane] = of_block[start as usize];
                    }
                }
                Ok(())
            },
        )?;
        Ok(Self { panel, squares })
    }

    /// Some observations of a group of columns.
    fn group(&self, number: usize, items: usize, start: usize) -> &[GroupRow<f64, G>] {
        &self.panel[number * items + start..number * items + items.min(start + PRODUCT_BLOCK)]
    }
}

/// Fills tiles with products.
struct RankProducts<'a> {
    isa: Isa,
    items: usize,
    x: &'a RankVectors,
    y: Option<&'a RankVectors>,
}

impl Fill for RankProducts<'_> {
    type Scratch = Vec<Square<G>>;

    fn scratch(&self, _: &Cancel) -> Result<Self::Scratch, Error> {
        Ok(Vec::new())
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        sums: &mut Self::Scratch,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        let (x, y) = (self.x, self.y.unwrap_or(self.x));
        let first = [tile.rows().start / G, tile.columns().start / G];
        let squares: Vec<(usize, usize)> =
            memory::collect(tile.squares::<G>().map(|(row, column)| (first[0] + row, first[1] + column)))?;
        sums.clear();
        memory::resize(sums, squares.len(), [[0.0; G]; G])?;
        for start in (0..self.items).step_by(PRODUCT_BLOCK) {
            if poll.is_cancelled() {
                return Ok(());
            }
            for (&(row, column), sums) in squares.iter().zip(&mut *sums) {
                let (rows, columns) = (x.group(row, self.items, start), y.group(column, self.items, start));
                f64::multiply(self.isa, rows, columns, true, sums);
            }
        }
        for (&(row, column), sums) in squares.iter().zip(&mut *sums) {
            for ((row, &of_row), sums) in (row * G..).zip(&x.squares[row * G..]).zip(sums) {
                for ((column, &of_column), sum) in (column * G..).zip(&y.squares[column * G..]).zip(sums) {
                    let value = *sum / (of_row * of_column).sqrt(); // NaN for 0 / 0
                    let itself = self.y.is_none() && row == column && of_row > 0.0;
                    *sum = if itself { 1.0 } else { value.clamp(-1.0, 1.0) };
                }
            }
        }
        tile.store(self.isa, sums);
        Ok(())
    }
}
