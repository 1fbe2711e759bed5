//! The result matrix cut into tiles that can be filled at the same time.
//!
//! A tile owns the pieces of rows that it covers. In a symmetric matrix it owns those of its mirror image too, so that whoever
//! computes a value writes it to both places. The pieces take 16 bytes for each row and tile: one part in sixteen of a result
//! of doubles for tiles of 32 columns, the narrowest in a large matrix.

use std::ops::Range;

use super::Element;

/// Rows that are mirrored together: 16 lines of the first cache, which holds at least twice as many that lie in a column.
const STRIP: usize = 16;

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

    /// Fills the tile with values given row by row, `width` of them for each row; of a tile on the diagonal only those on and
    /// above the diagonal are used.
    pub(super) fn store(&mut self, values: &[f64], width: usize) {
        let diagonal = self.is_diagonal();
        for (i, (cells, values)) in self.cells.iter_mut().zip(values.chunks(width.max(1))).enumerate() {
            let start = if diagonal { i } else { 0 };
            for (cell, &value) in cells.iter_mut().zip(values).skip(start) {
                *cell = T::from_f64(value);
            }
        }
        // In strips, so that the lines of the cache that are read down the columns stay until all of them is used.
        let mirror = match &mut self.kind {
            Kind::Plain => return,
            Kind::Diagonal => &mut self.cells,
            Kind::Mirrored(mirror) => mirror,
        };
        let rows = mirror.first().map_or(0, |cells| cells.len());
        for (strip, values) in (0..rows).step_by(STRIP).zip(values.chunks(STRIP * width)) {
            for (j, cells) in mirror.iter_mut().enumerate() {
                let end = if diagonal { j.clamp(strip, rows.min(strip + STRIP)) } else { rows.min(strip + STRIP) };
                for (i, cell) in cells[strip..end].iter_mut().enumerate() {
                    *cell = T::from_f64(values[i * width + j]);
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
