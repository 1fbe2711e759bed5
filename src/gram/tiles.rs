//! The result matrix cut into tiles that can be filled at the same time.
//!
//! A tile owns the pieces of rows that it covers. In a symmetric matrix it owns those of its mirror image too, so that whoever
//! computes a value writes it to both places. The pieces take 16 bytes for each row and tile: one part in sixteen of a result
//! of doubles for tiles of 32 columns, the narrowest in a large matrix.

use std::ops::Range;

use super::Element;
use crate::simd::Isa;
use crate::simd::place::{self, Square};

/// A rectangle of the result.
pub(super) struct Tile<'a, T> {
    /// The first row.
    row: usize,
    /// The first column.
    column: usize,
    cells: Vec<&'a mut [T]>,
    kind: Kind<'a, T>,
}

enum Kind<'a, T> {
    /// Part of a matrix without symmetry.
    Plain,
    /// On the diagonal of a symmetric matrix.
    Diagonal,
    /// Above the diagonal, with its mirror image below.
    Mirrored(Vec<&'a mut [T]>),
}

impl<T: Element> Tile<'_, T> {
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
        matches!(self.kind, Kind::Diagonal)
    }

    /// The squares that cover the tile, by the numbers of their rows and columns; of a tile on the diagonal only those on and above
    /// the diagonal.
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
        let square = |row: usize, column: usize| {
            &squares[if diagonal { column * (column + 1) / 2 + row } else { column * height + row }]
        };
        // `G` rows of the result at a time, from left to right: the cache foresees so many streams.
        for (row, band) in self.cells.chunks_mut(G).enumerate() {
            for column in if diagonal { row } else { 0 }..width {
                place::place(isa, square(row, column), band, column * G);
            }
        }
        match &mut self.kind {
            Kind::Plain => {}
            Kind::Diagonal => {
                for (column, band) in self.cells.chunks_mut(G).enumerate() {
                    for row in 0..column {
                        place::place_mirrored(isa, square(row, column), band, row * G);
                    }
                    let square = square(column, column);
                    for (j, cells) in band.iter_mut().enumerate() {
                        for (cell, values) in cells[column * G..column * G + j].iter_mut().zip(square) {
                            *cell = T::from_f64(values[j]);
                        }
                    }
                }
            }
            Kind::Mirrored(mirror) => {
                for (column, band) in mirror.chunks_mut(G).enumerate() {
                    for row in 0..height {
                        place::place_mirrored(isa, square(row, column), band, row * G);
                    }
                }
            }
        }
    }

    /// Fills the tile, row by row, with the values that `value` gives for row and column of the result; leaves off when it
    /// gives none.
    pub(super) fn fill(&mut self, mut value: impl FnMut(usize, usize) -> Option<f64>) {
        for i in 0..self.cells.len() {
            let start = if matches!(self.kind, Kind::Diagonal) { i } else { 0 };
            for j in start..self.cells[i].len() {
                let Some(value) = value(self.row + i, self.column + j) else { return };
                let cell = T::from_f64(value);
                self.cells[i][j] = cell;
                match &mut self.kind {
                    Kind::Plain => {}
                    Kind::Diagonal => self.cells[j][i] = cell,
                    Kind::Mirrored(mirror) => mirror[j][i] = cell,
                }
            }
        }
    }
}

/// The tiles of a matrix with so many columns.
pub(super) fn rectangular<T>(out: &mut [T], columns: usize, tile: usize) -> Vec<Tile<'_, T>> {
    let mut tiles = Vec::new();
    for (block, rows) in blocks(out, columns, tile).into_iter().enumerate() {
        for (index, cells) in rows.into_iter().enumerate() {
            tiles.push(Tile { row: block * tile, column: index * tile, cells, kind: Kind::Plain });
        }
    }
    tiles
}

/// The tiles on and above the diagonal of a symmetric matrix with so many rows, each with its mirror image.
pub(super) fn symmetric<T>(out: &mut [T], rows: usize, tile: usize) -> Vec<Tile<'_, T>> {
    let mut tiles = Vec::new();
    let mut blocks = blocks(out, rows, tile);
    for upper in 0..blocks.len() {
        let (above, below) = blocks.split_at_mut(upper + 1);
        let mut pieces = above[upper].drain(upper..);
        let diagonal = pieces.next().into_iter().map(|cells| (cells, Kind::Diagonal));
        let mirrored = pieces.zip(below).map(|(cells, below)| {
            let mirror = std::mem::take(&mut below[upper]);
            (cells, Kind::Mirrored(mirror))
        });
        for (index, (cells, kind)) in diagonal.chain(mirrored).enumerate() {
            tiles.push(Tile { row: upper * tile, column: (upper + index) * tile, cells, kind });
        }
    }
    tiles
}

/// The pieces of rows of each tile: `blocks[i][j]` belongs to the i-th block of rows and the j-th of columns.
fn blocks<T>(out: &mut [T], columns: usize, tile: usize) -> Vec<Vec<Vec<&mut [T]>>> {
    if columns == 0 {
        return Vec::new();
    }
    let mut blocks: Vec<Vec<Vec<&mut [T]>>> = Vec::new();
    for (row, cells) in out.chunks_exact_mut(columns).enumerate() {
        if row % tile == 0 {
            blocks.push((0..columns.div_ceil(tile)).map(|_| Vec::with_capacity(tile)).collect());
        }
        if let Some(block) = blocks.last_mut() {
            for (pieces, piece) in block.iter_mut().zip(cells.chunks_mut(tile)) {
                pieces.push(piece);
            }
        }
    }
    blocks
}
