//! General weights for rankings with ties. A value is the inner product of two mean tensors. The tensors are computed
//! row by row.
//!
//! A row of a tensor has the entries of one item with all items. A tensor with one axis has one row. One row of all
//! rankings of a tile is computed and multiplied at a time, so memory does not grow with the square of the number of
//! items. The items of a block have the same row except on the diagonal. The row of a large block is a mean of many
//! rows of weights, so it is kept until the tile is finished.

use std::ops::Range;

use super::expanded::Tensors;
use super::setting::TiedSetting;
use crate::error::Error;
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::memory;
use crate::parallel::{Cancel, Poll};
use crate::rankings::Incomplete;
use crate::simd::Isa;
use crate::simd::place::Square;
use crate::simd::product::{GroupRow, Real};
use crate::weight::kinds::TensorWeight;
use crate::weight::mean_tensor::{Direction, MeanTensor};
use crate::weight::own;

/// Rankings that are multiplied side by side.
const G: usize = 24;
/// The number of features that are multiplied at a time, as for complete rankings.
const BLOCK: usize = 112;
/// The rows of blocks with more items than this are kept. The rows of smaller blocks are computed each time.
const SMALL: usize = 16;
/// Up to this many items, all rows are kept. They take at most 38 MB for a tile.
const FEW: usize = 100;

/// The rows of one tensor for one ranking.
struct Lines<'a> {
    tensor: MeanTensor<'a>,
    starts: &'a [u32],
    /// The rows that are kept, one after another. The next field has the start of each row, at the first rank of its
    /// block.
    kept: Vec<f64>,
    kept_at: Vec<Option<usize>>,
}

impl<'a> Lines<'a> {
    fn new(
        member: &'a [f64],
        order: usize,
        set: &'a Incomplete,
        row: usize,
        keep_all: bool,
        rows: &mut [f64],
    ) -> Result<Self, Error> {
        let blocks = set.row(row);
        let tensor = MeanTensor::new(member, order, blocks, Direction::Forward)?;
        let items = blocks.starts.len();
        let mut new = Self { tensor, starts: blocks.starts, kept: Vec::new(), kept_at: memory::filled(items, None)? };
        if order == 1 {
            memory::resize(&mut new.kept, items, 0.0)?;
            new.tensor.singles(|place, number| new.kept[place] = number);
            return Ok(new);
        }
        for block in new.tensor.ranges().filter(|block| keep_all || block.len() > SMALL) {
            let first = new.kept.len();
            new.kept_at[block.start] = Some(first);
            memory::resize(&mut new.kept, first + items, 0.0)?;
            let row = new.tensor.row(&block, rows);
            new.tensor.line(&block, row, &mut new.kept[first..]);
        }
        Ok(new)
    }

    /// The row of an item, and its diagonal entry, which the row does not contain. `made` and `rows` are memory.
    fn line<'s>(&'s self, item: usize, rows: &mut [f64], made: &'s mut [f64]) -> (&'s [f64], f64) {
        let block = self.tensor.block(self.starts[item]);
        if let Some(first) = self.kept_at[block.start] {
            return (&self.kept[first..][..self.starts.len()], self.tensor.own(&block));
        }
        let row = self.tensor.row(&block, rows);
        self.tensor.line(&block, row, made);
        (made, self.tensor.own(&block))
    }
}

/// Fills tiles with products of mean tensors.
pub(super) struct TiedTensors<'a> {
    pub(super) setting: &'a TiedSetting<'a, TensorWeight>,
    pub(super) tensors: Tensors<'a>,
    /// The instruction set for matrix products; `None` computes one pair of rankings at a time.
    pub(super) isa: Option<Isa>,
}

/// Memory for one thread.
pub(super) struct TensorScratch {
    /// For each of two rankings: a row, and the mean of rows from which it is computed.
    lines: [Vec<f64>; 2],
    rows: Vec<f64>,
    left: Vec<GroupRow<f64, G>>,
    right: Vec<GroupRow<f64, G>>,
    sums: Vec<Square<G>>,
}

impl TiedTensors<'_> {
    fn sources<'s>(
        &'s self,
        member: &'s [f64],
        set: &'s Incomplete,
        range: Range<usize>,
        rows: &mut [f64],
        poll: &mut Poll<'_>,
    ) -> Result<Option<Vec<Lines<'s>>>, Error> {
        let mut all = memory::with_capacity(range.len())?;
        for row in range {
            if poll.is_cancelled() {
                return Ok(None);
            }
            all.push(Lines::new(member, self.tensors.order, set, row, self.tensors.items <= FEW, rows)?);
        }
        Ok(Some(all))
    }

    /// Arranges some rows of rankings side by side, one group after another. Returns the length of the rows.
    fn make(
        &self,
        sources: &[Lines<'_>],
        lines: Range<usize>,
        factor: f64,
        memory: (&mut [f64], &mut [f64]),
        panel: &mut Vec<GroupRow<f64, G>>,
    ) -> Result<usize, Error> {
        let (rows, line) = memory;
        let length = lines.clone().map(|line| self.tensors.length(line)).sum();
        panel.clear();
        memory::resize(panel, sources.len().div_ceil(G) * length, GroupRow([0.0; G]))?;
        for (index, source) in sources.iter().enumerate() {
            let (group, lane) = (&mut panel[index / G * length..][..length], index % G);
            let mut features = group.iter_mut();
            if self.tensors.order == 1 {
                features.zip(&source.kept).for_each(|(feature, &entry)| feature[lane] = entry);
                continue;
            }
            for number in lines.clone() {
                let (numbers, own) = source.line(number, rows, line);
                for (other, (&entry, feature)) in
                    numbers[..self.tensors.length(number)].iter().zip(features.by_ref()).enumerate()
                {
                    feature[lane] = if other == number { own } else { factor * entry };
                }
            }
        }
        Ok(length)
    }

    /// Adds the products of one tensor. Returns false if the run must stop.
    fn multiply(
        &self,
        isa: Isa,
        sources: [&[Lines<'_>]; 2],
        squares: &[(usize, usize)],
        scratch: &mut TensorScratch,
        poll: &mut Poll<'_>,
    ) -> Result<bool, Error> {
        let TensorScratch { lines: [line, _], rows, left, right, sums } = scratch;
        let together = (BLOCK / self.tensors.items.max(1)).max(1);
        for first in (0..self.tensors.lines()).step_by(together) {
            if poll.is_cancelled() {
                return Ok(false);
            }
            let lines = first..self.tensors.lines().min(first + together);
            // If only half of the matrix is used, the numbers off the diagonal count twice.
            let factor = if self.tensors.halved { 2.0 } else { 1.0 };
            let length = self.make(sources[0], lines.clone(), factor, (rows, line), left)?;
            self.make(sources[1], lines, 1.0, (rows, line), right)?;
            for start in (0..length).step_by(BLOCK) {
                let part = start..length.min(start + BLOCK);
                for (&(row, column), sums) in squares.iter().zip(&mut *sums) {
                    let (row, column) = (&left[row * length..][part.clone()], &right[column * length..][part.clone()]);
                    f64::multiply(isa, row, column, true, sums);
                }
            }
        }
        Ok(true)
    }

    fn product<T: Element>(
        &self,
        isa: Isa,
        tile: &mut Tile<'_, T>,
        scratch: &mut TensorScratch,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        let setting = self.setting;
        let (rows, columns) = (tile.rows(), tile.columns());
        let squares: Vec<(usize, usize)> = memory::collect(tile.squares::<G>())?;
        scratch.sums.clear();
        memory::resize(&mut scratch.sums, squares.len(), [[0.0; G]; G])?;
        for member in self.tensors.members() {
            let line = &mut scratch.rows;
            let Some(of_rows) = self.sources(member, setting.x, rows.clone(), line, poll)? else { return Ok(()) };
            let Some(of_columns) = self.sources(member, setting.y, columns.clone(), line, poll)? else {
                return Ok(());
            };
            if !self.multiply(isa, [&of_rows, &of_columns], &squares, scratch, poll)? {
                return Ok(());
            }
        }
        for (&(row, column), sums) in squares.iter().zip(&mut scratch.sums) {
            for (row, sums) in (rows.start + row * G..rows.end).zip(sums) {
                for (column, sum) in (columns.start + column * G..columns.end).zip(sums) {
                    *sum = setting.finished(*sum, row, column);
                }
            }
        }
        tile.store(isa, &scratch.sums);
        Ok(())
    }

    /// The value of two rankings; `None` if the run must stop.
    fn between(
        &self,
        row: usize,
        column: usize,
        scratch: &mut TensorScratch,
        poll: &mut Poll<'_>,
    ) -> Result<Option<f64>, Error> {
        let TensorScratch { lines: [left, right], rows, .. } = scratch;
        let (order, mut total) = (self.tensors.order, 0.0);
        let dot = |one: &[f64], other: &[f64]| own::sum(one.iter().zip(other).map(|(one, other)| one * other));
        for member in self.tensors.members() {
            let one = Lines::new(member, order, self.setting.x, row, false, rows)?;
            let other = Lines::new(member, order, self.setting.y, column, false, rows)?;
            if order == 1 {
                total += dot(&one.kept, &other.kept);
                continue;
            }
            for item in 0..self.tensors.items {
                if poll.is_cancelled() {
                    return Ok(None);
                }
                let ((one, own), (other, own_other)) = (one.line(item, rows, left), other.line(item, rows, right));
                total +=
                    dot(&one[..item], &other[..item]) + own * own_other + dot(&one[item + 1..], &other[item + 1..]);
            }
        }
        Ok(Some(self.setting.finished(total, row, column)))
    }
}

impl Fill for TiedTensors<'_> {
    type Scratch = TensorScratch;

    fn scratch(&self, _: &Cancel) -> Result<TensorScratch, Error> {
        let line = || memory::filled(self.tensors.items, 0.0);
        let (left, right, sums) = (Vec::new(), Vec::new(), Vec::new());
        Ok(TensorScratch { lines: [line()?, line()?], rows: line()?, left, right, sums })
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        scratch: &mut TensorScratch,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        if let Some(isa) = self.isa {
            return self.product(isa, tile, scratch, poll);
        }
        let mut failed = Ok(());
        tile.fill(|row, column| {
            self.between(row, column, scratch, poll).map_err(|error| failed = Err(error)).ok().flatten()
        });
        failed
    }
}
