//! Searches with any strategy, tile by tile. Each thread computes a tile, and takes the values from it that rows may
//! keep.

use std::ops::Range;

use super::kept::{Candidate, Keep};
use crate::error::Error;
use crate::gram::Fill;
use crate::gram::target::{FillInParts, Target, Tiling};
use crate::gram::tiles::Tile;
use crate::memory;
use crate::parallel::{self, Watch, Workers};

/// The maximum number of tiles of a job.
const TILES_A_JOB: usize = 8;
/// The number of values that are compared with the limit before single values are looked at.
const STRIP: usize = 16;

/// A destination of tiles that keeps some of the values.
pub(super) struct Reduction<'a, K> {
    pub(super) keep: &'a K,
    /// The factor that turns values into keys: 1 or -1.
    pub(super) sign: f64,
}

/// Adjacent tiles, by the numbers of their rows and columns.
struct TileStrip {
    row: usize,
    columns: Range<usize>,
}

/// Memory for one thread.
struct TiledScratch<S> {
    of_strategy: S,
    cells: Vec<f64>,
    limits: Vec<f64>,
    limits_below: Vec<f64>,
    found: Vec<(u32, Candidate)>,
    found_below: Vec<(u32, Candidate)>,
}

fn strips(Tiling { rows, columns, tile, symmetric }: Tiling) -> impl Iterator<Item = TileStrip> {
    let across = columns.div_ceil(tile);
    (0..rows.div_ceil(tile)).flat_map(move |row| {
        let starts = (if symmetric { row } else { 0 }..across).step_by(TILES_A_JOB);
        starts.map(move |start| TileStrip { row, columns: start..across.min(start + TILES_A_JOB) })
    })
}

impl<K: Keep> Reduction<'_, K> {
    fn tile<F: Fill>(
        &self,
        tiling: Tiling,
        (row, column): (usize, usize),
        strategy: &F,
        scratch: &mut TiledScratch<F::Scratch>,
        poll: &mut parallel::Poll<'_>,
    ) -> Result<(), Error> {
        let Tiling { rows, columns, tile, symmetric } = tiling;
        let (top, left) = (row * tile, column * tile);
        let (height, width) = (tile.min(rows - top), tile.min(columns - left));
        memory::resize(&mut scratch.cells, height * width, 0.0)?;
        let cells = &mut scratch.cells[..height * width];
        let mut bands = memory::collect(cells.chunks_exact_mut(width))?;
        let mut values = Tile::alone((top, left), &mut bands, symmetric && row == column);
        strategy.fill(&mut values, &mut scratch.of_strategy, poll)?;
        self.take((row, column), (top, left), width, symmetric && row != column, scratch)
    }

    /// Takes the values that are good enough for their rows. For a tile above the diagonal, also takes them for its
    /// columns.
    fn take<S>(
        &self,
        (row, column): (usize, usize),
        (top, left): (usize, usize),
        width: usize,
        mirrored: bool,
        TiledScratch { cells, limits, limits_below, found, found_below, .. }: &mut TiledScratch<S>,
    ) -> Result<(), Error> {
        found.clear();
        found_below.clear();
        self.keep.limits(row, limits)?;
        if mirrored {
            self.keep.limits(column, limits_below)?;
        } else {
            limits_below.clear();
            memory::resize(limits_below, width, f64::NEG_INFINITY)?;
        }
        for (i, (values, &limit)) in cells.chunks_exact(width).zip(&*limits).enumerate() {
            let strips = values.chunks(STRIP).zip(limits_below.chunks(STRIP));
            for (strip, (values, limits_below)) in strips.enumerate() {
                // There is no branch here, so that the comparisons are vectorized.
                let pairs = values.iter().zip(limits_below);
                let hits: u32 = pairs.map(|(&value, &below)| u32::from(value * self.sign <= limit.max(below))).sum();
                if hits == 0 {
                    continue;
                }
                for (j, (&value, &below)) in (strip * STRIP..).zip(values.iter().zip(limits_below)) {
                    let key = value * self.sign;
                    if key <= limit {
                        memory::push(found, (i as u32, Candidate { key, index: left + j }))?;
                    }
                    if key <= below && mirrored {
                        memory::push(found_below, (j as u32, Candidate { key, index: top + i }))?;
                    }
                }
            }
        }
        if !found.is_empty() {
            self.keep.take(row, found)?;
        }
        if !found_below.is_empty() {
            self.keep.take(column, found_below)?;
        }
        Ok(())
    }
}

impl<K: Keep> Target for Reduction<'_, K> {
    fn jobs(&self, tiling: Tiling) -> usize {
        strips(tiling).count()
    }

    fn run(
        self,
        tiling: Tiling,
        strategy: &impl Fill,
        workers: Workers,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error> {
        parallel::run(
            memory::collect(strips(tiling))?,
            workers,
            watch,
            |cancel| {
                let of_strategy = strategy.scratch(cancel)?;
                let (cells, limits, limits_below) = (Vec::new(), Vec::new(), Vec::new());
                Ok(TiledScratch {
                    of_strategy,
                    cells,
                    limits,
                    limits_below,
                    found: Vec::new(),
                    found_below: Vec::new(),
                })
            },
            |TileStrip { row, columns }, scratch, poll| {
                for column in columns {
                    self.tile(tiling, (row, column), strategy, scratch, poll)?;
                    if poll.is_cancelled() {
                        break;
                    }
                }
                Ok(())
            },
        )
    }

    fn run_in_parts(
        self,
        tiling: Tiling,
        strategy: &impl FillInParts,
        _: usize,
        workers: Workers,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error> {
        self.run(tiling, strategy, workers, watch)
    }
}
