//! The destination of the values of tiles: a matrix, or a structure that keeps some of the values.

use super::tiles::{Pieces, Tile};
use super::{Element, Fill};
use crate::error::Error;
use crate::parallel::{self, Watch, Workers};

/// How a matrix is split into tiles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiling {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// The number of rows and columns of a tile.
    pub(super) tile: usize,
    /// Whether the matrix is symmetric.
    pub(super) symmetric: bool,
}

/// A strategy with which several threads can compute one tile together.
pub(super) trait FillInParts: Fill {
    /// Fills a few tiles. Each tile is computed in `parts` parts at the same time.
    fn fill_in_parts<T: Element>(
        &self,
        tiles: Vec<Tile<'_, T>>,
        parts: usize,
        workers: Workers,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error>;
}

/// The destination of the values of a strategy.
pub(super) trait Target {
    /// The number of jobs of a run.
    fn jobs(&self, tiling: Tiling) -> usize;

    /// Computes all tiles.
    fn run(self, tiling: Tiling, strategy: &impl Fill, workers: Workers, watch: Option<Watch<'_>>)
    -> Result<(), Error>;

    /// The same as [`Target::run`], but several threads may compute a tile together, in `parts` parts.
    fn run_in_parts(
        self,
        tiling: Tiling,
        strategy: &impl FillInParts,
        parts: usize,
        workers: Workers,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error>;
}

/// A whole matrix, row by row.
pub(super) struct Cells<'a, T>(pub(super) &'a mut [T]);

impl<T: Element> Cells<'_, T> {
    fn with_tiles(
        self,
        Tiling { columns, tile, symmetric, .. }: Tiling,
        run: impl FnOnce(Vec<Tile<'_, T>>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut pieces = Pieces::new(self.0, columns, tile)?;
        run(if symmetric { pieces.symmetric()? } else { pieces.rectangular()? })
    }
}

impl<T: Element> Target for Cells<'_, T> {
    fn jobs(&self, Tiling { rows, columns, tile, symmetric }: Tiling) -> usize {
        let (down, across) = (rows.div_ceil(tile), columns.div_ceil(tile));
        if symmetric { across * (across + 1) / 2 } else { down * across }
    }

    fn run(
        self,
        tiling: Tiling,
        strategy: &impl Fill,
        workers: Workers,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error> {
        self.with_tiles(tiling, |tiles| {
            parallel::run(
                tiles,
                workers,
                watch,
                |cancel| strategy.scratch(cancel),
                |mut tile, scratch, poll| strategy.fill(&mut tile, scratch, poll),
            )
        })
    }

    fn run_in_parts(
        self,
        tiling: Tiling,
        strategy: &impl FillInParts,
        parts: usize,
        workers: Workers,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error> {
        self.with_tiles(tiling, |tiles| strategy.fill_in_parts(tiles, parts, workers, watch))
    }
}
