//! Splits the result matrix into tiles that can be filled at the same time.
//!
//! A tile owns the pieces of rows that it covers. In a symmetric matrix, it also owns the pieces of its mirror image,
//! so that each value is written to both places when it is computed. A piece takes 16 bytes for each row of a tile. In
//! a large matrix, tiles have at least 32 columns, so the pieces take at most one sixteenth of the memory of a result
//! of doubles. All pieces are in one list, tile by tile, so that there are few allocations that can fail.

use std::ops::Range;

use super::Element;
use crate::error::Error;
use crate::memory;
use crate::parallel::Poll;
use crate::simd::Isa;
use crate::simd::place::{self, Square, Strip};

/// Pieces of consecutive rows.
pub(super) type Band<'a, T> = &'a mut [&'a mut [T]];

/// A rectangle of the result.
pub(super) struct Tile<'a, T> {
    /// The first row.
    row: usize,
    /// The first column.
    column: usize,
    cells: Band<'a, T>,
    kind: TileKind<'a, T>,
}

enum TileKind<'a, T> {
    /// A part of a matrix that is not symmetric.
    Plain,
    /// A tile on the diagonal of a symmetric matrix.
    Diagonal,
    /// A tile above the diagonal of a symmetric matrix, with its mirror image below the diagonal.
    Mirrored(Band<'a, T>),
}

/// The rows and columns that a tile covers.
#[derive(Clone)]
pub(super) struct TileShape {
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
    pub(super) diagonal: bool,
}

impl<'a, T: Element> Tile<'a, T> {
    /// A single tile, which begins at a row and a column of the result.
    pub(super) fn alone((row, column): (usize, usize), cells: Band<'a, T>, diagonal: bool) -> Self {
        Self { row, column, cells, kind: if diagonal { TileKind::Diagonal } else { TileKind::Plain } }
    }

    /// The rows of the result that the tile covers.
    pub(super) fn rows(&self) -> Range<usize> {
        self.row..self.row + self.cells.len()
    }

    /// The columns of the result that the tile covers.
    pub(super) fn columns(&self) -> Range<usize> {
        self.column..self.column + self.cells.first().map_or(0, |row| row.len())
    }

    /// Whether rows and columns are the same rankings.
    pub(super) fn is_diagonal(&self) -> bool {
        matches!(self.kind, TileKind::Diagonal)
    }

    /// The rows and columns that the tile covers.
    pub(super) fn shape(&self) -> TileShape {
        TileShape { rows: self.rows(), columns: self.columns(), diagonal: self.is_diagonal() }
    }

    /// The squares that cover the tile, given by the numbers of their rows and columns. For a tile on the diagonal,
    /// only the squares on and above the diagonal.
    pub(super) fn squares<const G: usize>(&self) -> impl Iterator<Item = (usize, usize)> + use<G, T> {
        let (rows, columns) = (self.rows().len().div_ceil(G), self.columns().len().div_ceil(G));
        let diagonal = self.is_diagonal();
        (0..columns).flat_map(move |column| {
            let rows = if diagonal { column + 1 } else { rows };
            (0..rows).map(move |row| (row, column))
        })
    }

    /// Fills the tile with squares of values, in the order of [`Tile::squares`].
    pub(super) fn store<const G: usize>(&mut self, isa: Isa, squares: &[Square<G>]) {
        let (height, width) = (self.rows().len().div_ceil(G), self.columns().len().div_ceil(G));
        let diagonal = self.is_diagonal();
        let number =
            |row: usize, column: usize| if diagonal { column * (column + 1) / 2 + row } else { column * height + row };
        // `G` rows of the result are written at a time, from left to right. The hardware can prefetch this many
        // streams.
        for (row, band) in self.cells.chunks_mut(G).enumerate() {
            let strip = if diagonal {
                Strip { first: number(row, row), step: row + 1, growth: 1, count: width - row }
            } else {
                Strip { first: row, step: height, growth: 0, count: width }
            };
            place::place(isa, squares, strip, band, if diagonal { row * G } else { 0 });
        }
        let above = |column, count| Strip { first: number(0, column), step: 1, growth: 0, count };
        match &mut self.kind {
            TileKind::Plain => {}
            TileKind::Diagonal => {
                for (column, band) in self.cells.chunks_mut(G).enumerate() {
                    place::place_mirrored(isa, squares, above(column, column), band);
                    let square = &squares[number(column, column)];
                    for (j, cells) in band.iter_mut().enumerate() {
                        for (cell, values) in cells[column * G..column * G + j].iter_mut().zip(square) {
                            *cell = T::from_f64(values[j]);
                        }
                    }
                }
            }
            TileKind::Mirrored(mirror) => {
                for (column, band) in mirror.chunks_mut(G).enumerate() {
                    place::place_mirrored(isa, squares, above(column, height), band);
                }
            }
        }
    }

    /// The same as [`Tile::fill`], with a check for cancellation after every `interval` pairs.
    pub(super) fn fill_while(
        &mut self,
        interval: usize,
        poll: &mut Poll<'_>,
        mut value: impl FnMut(usize, usize) -> Option<f64>,
    ) {
        let mut pairs = 0;
        self.fill(|row, column| {
            pairs += 1;
            if pairs > interval {
                pairs = 0;
                if poll.is_cancelled() {
                    return None;
                }
            }
            value(row, column)
        });
    }

    /// Fills the tile row by row. `value` gets a row and a column of the result, and returns the value. If it returns
    /// `None`, the tile stays incomplete.
    pub(super) fn fill(&mut self, mut value: impl FnMut(usize, usize) -> Option<f64>) {
        for i in 0..self.cells.len() {
            let start = if matches!(self.kind, TileKind::Diagonal) { i } else { 0 };
            for j in start..self.cells[i].len() {
                let Some(value) = value(self.row + i, self.column + j) else { return };
                let cell = T::from_f64(value);
                self.cells[i][j] = cell;
                match &mut self.kind {
                    TileKind::Plain => {}
                    TileKind::Diagonal => self.cells[j][i] = cell,
                    TileKind::Mirrored(mirror) => mirror[j][i] = cell,
                }
            }
        }
    }
}

/// The result, split into pieces of rows. The pieces of a tile are next to each other.
pub(super) struct Pieces<'a, T> {
    all: Vec<&'a mut [T]>,
    rows: usize,
    columns: usize,
    tile: usize,
}

impl<'a, T> Pieces<'a, T> {
    /// The pieces of a matrix with `columns` columns and square tiles of size `tile`.
    pub(super) fn new(out: &'a mut [T], columns: usize, tile: usize) -> Result<Self, Error> {
        let (rows, tile) = (out.len().checked_div(columns).unwrap_or(0), tile.min(out.len()).max(1));
        let across = columns.div_ceil(tile);
        let mut all = memory::with_capacity(rows * across)?;
        all.resize_with(rows * across, <&mut [T]>::default);
        for (row, cells) in out.chunks_exact_mut(columns.max(1)).enumerate() {
            let (block, within) = (row / tile, row % tile);
            let height = tile.min(rows - block * tile);
            for (column, piece) in cells.chunks_mut(tile).enumerate() {
                all[block * tile * across + column * height + within] = piece;
            }
        }
        Ok(Self { all, rows, columns, tile })
    }

    /// The pieces of each tile: first the tiles of the first rows, from left to right.
    fn bands(&'a mut self) -> Result<Vec<Band<'a, T>>, Error> {
        let across = self.columns.div_ceil(self.tile);
        let mut bands = memory::with_capacity(self.rows.div_ceil(self.tile) * across)?;
        for block in self.all.chunks_mut((self.tile * across).max(1)) {
            let height = block.len() / across;
            bands.extend(block.chunks_mut(height));
        }
        Ok(bands)
    }

    /// The tiles of a matrix, which may be symmetric.
    pub(super) fn tiles(&'a mut self, symmetric: bool) -> Result<Vec<Tile<'a, T>>, Error> {
        if symmetric { self.symmetric() } else { self.rectangular() }
    }

    /// The tiles of a matrix.
    pub(super) fn rectangular(&'a mut self) -> Result<Vec<Tile<'a, T>>, Error> {
        let (tile, across) = (self.tile, self.columns.div_ceil(self.tile));
        let bands = self.bands()?.into_iter().enumerate();
        memory::collect(bands.map(|(index, cells)| {
            let (row, column) = (index / across * tile, index % across * tile);
            Tile { row, column, cells, kind: TileKind::Plain }
        }))
    }

    /// The tiles on and above the diagonal of a symmetric matrix, each with its mirror image.
    pub(super) fn symmetric(&'a mut self) -> Result<Vec<Tile<'a, T>>, Error> {
        let (tile, across) = (self.tile, self.columns.div_ceil(self.tile));
        let mut bands = self.bands()?;
        let mut tiles = memory::with_capacity(across * (across + 1) / 2)?;
        for upper in 0..across {
            for column in upper..across {
                let mut take = |row: usize, column: usize| std::mem::take(&mut bands[row * across + column]);
                let cells = take(upper, column);
                let kind = if upper == column { TileKind::Diagonal } else { TileKind::Mirrored(take(column, upper)) };
                tiles.push(Tile { row: upper * tile, column: column * tile, cells, kind });
            }
        }
        Ok(tiles)
    }
}
