//! Tensors of weights, averaged over the ranks that tied items share.
//!
//! With two axes, the numbers of items are these means of weights:
//!
//! - Two items in different blocks: the mean over the ranks of both blocks.
//! - Two items of one block: the mean over the pairs of different ranks of the block.
//! - An item with itself: the mean over the ranks of its block.
//!
//! The items of a block have the same numbers except on the diagonal. So a tensor with two axes takes O(n^2) for any
//! blocks.

use std::ops::Range;

use crate::error::Error;
use crate::memory;
use crate::rankings::tied::Blocks;

/// How tensors are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Weights of ranks become numbers of items.
    Forward,
    /// Weights of items become numbers of ranks. These are the numbers of the inverse permutations, which are used to
    /// learn weights.
    #[cfg_attr(not(feature = "python"), allow(dead_code))]
    Inverse,
}

/// The mean of a tensor with one or two axes for one ranking with ties.
pub(crate) struct MeanTensor<'a> {
    weights: &'a [f64],
    blocks: Blocks<'a>,
    direction: Direction,
    /// For weights with two axes, at the first rank of each block: the end of the block, the number of two of its
    /// items, and the number of an item with itself.
    ends: Vec<u32>,
    tied: Vec<f64>,
    own: Vec<f64>,
}

/// Returns an error for orders of tensors whose means are not implemented.
pub(crate) fn check_order(order: usize) -> Result<(), Error> {
    if matches!(order, 1 | 2) { Ok(()) } else { Err(Error::IncompleteOrder { order }) }
}

impl<'a> MeanTensor<'a> {
    /// The mean for a ranking and weights with `order` axes.
    pub(crate) fn new(
        weights: &'a [f64],
        order: usize,
        blocks: Blocks<'a>,
        direction: Direction,
    ) -> Result<Self, Error> {
        check_order(order)?;
        let items = blocks.starts.len();
        let matrix = order == 2;
        let numbers = |size| memory::filled(size, 0.0);
        if !matrix {
            return Ok(Self { weights, blocks, direction, ends: Vec::new(), tied: Vec::new(), own: Vec::new() });
        }
        let (ends, tied, own) = (memory::filled(items, 0)?, numbers(items)?, numbers(items)?);
        let mut new = Self { weights, blocks, direction, ends, tied, own };
        for block in blocks.ranges() {
            new.ends[block.start] = block.end as u32;
            (new.tied[block.start], new.own[block.start]) = new.inside(&block);
        }
        Ok(new)
    }

    /// The mean of the weights of two different ranks of a block, and of a rank with itself.
    fn inside(&self, block: &Range<usize>) -> (f64, f64) {
        let items = self.blocks.starts.len();
        let size = block.len() as f64;
        let (mut tied, mut own) = (0.0, 0.0);
        for rank in block.clone() {
            let at = self.read(rank);
            let weights = &self.weights[at * items..][..items];
            // Both orders of two ranks are added at once. So antisymmetric weights add exactly 0.
            tied += (block.start..rank)
                .map(|other| self.read(other))
                .map(|other| weights[other] + self.weights[other * items + at])
                .sum::<f64>();
            own += weights[at];
        }
        (if block.len() > 1 { tied / (size * (size - 1.0)) } else { 0.0 }, own / size)
    }

    /// The index of the weights of a rank.
    fn read(&self, rank: usize) -> usize {
        match self.direction {
            Direction::Forward => rank,
            Direction::Inverse => self.blocks.order[rank] as usize,
        }
    }

    /// The index of the numbers of a rank.
    pub(crate) fn write(&self, rank: usize) -> usize {
        match self.direction {
            Direction::Forward => self.blocks.order[rank] as usize,
            Direction::Inverse => rank,
        }
    }

    /// The ranks of each block.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        self.blocks.ranges()
    }

    /// The ranks of the block that begins at this rank.
    pub(crate) fn block(&self, start: u32) -> Range<usize> {
        start as usize..self.ends[start as usize] as usize
    }

    /// The number of an item of the block with itself.
    pub(crate) fn own(&self, block: &Range<usize>) -> f64 {
        self.own[block.start]
    }

    /// The mean of the rows of weights of a block. If the block has several rows, the mean is computed in the memory
    /// `rows`.
    pub(crate) fn row<'s>(&'s self, block: &Range<usize>, rows: &'s mut [f64]) -> &'s [f64] {
        let items = self.blocks.starts.len();
        let row = |rank: usize| &self.weights[self.read(rank) * items..][..items];
        if block.len() == 1 {
            return row(block.start);
        }
        rows.copy_from_slice(row(block.start));
        for rank in block.start + 1..block.end {
            for (sum, weight) in rows.iter_mut().zip(row(rank)) {
                *sum += weight;
            }
        }
        let size = block.len() as f64;
        for sum in &mut *rows {
            *sum /= size;
        }
        rows
    }

    /// Writes the numbers of an item of a block with all items, given the mean of the rows of the block. Items of the
    /// same block get the number of two tied items.
    pub(crate) fn line(&self, block: &Range<usize>, row: &[f64], out: &mut [f64]) {
        for other in self.ranges() {
            let mean = if other == *block { self.tied[block.start] } else { self.mean(row, &other) };
            for rank in other {
                out[self.write(rank)] = mean;
            }
        }
    }

    /// For weights with one axis, calls `each` with every item (or rank) and its number.
    pub(crate) fn singles(&self, mut each: impl FnMut(usize, f64)) {
        for block in self.ranges() {
            let mean = self.mean(self.weights, &block);
            block.for_each(|rank| each(self.write(rank), mean));
        }
    }

    /// The mean of the weights over the ranks of a block.
    fn mean(&self, weights: &[f64], block: &Range<usize>) -> f64 {
        let sum: f64 = block.clone().map(|rank| weights[self.read(rank)]).sum();
        if block.len() == 1 { sum } else { sum / block.len() as f64 }
    }

    /// Calls `each` with every item (or rank) and its numbers, until `each` returns false. `memory` has two rows.
    pub(crate) fn each_line(&self, memory: &mut [f64], mut each: impl FnMut(usize, &[f64]) -> bool) {
        let (rows, line) = memory.split_at_mut(self.blocks.starts.len());
        for block in self.ranges() {
            self.line(&block, self.row(&block, rows), line);
            let tied = self.tied[block.start];
            for rank in block.clone() {
                let place = self.write(rank);
                line[place] = self.own(&block);
                if !each(place, line) {
                    return;
                }
                line[place] = tied;
            }
        }
    }
}
