//! Sums over pairs of items of two rankings with few blocks of tied items. They are computed from a table. A row is a
//! block of the first ranking, a column is a block of the second ranking, and a cell has the number of items that are
//! in both blocks.
//!
//! Suppose that the cell of one item is above and to the left of the cell of another item. Then the pair is tied in
//! neither ranking, and has the same order in both. If the two cells are in one row or in one column, the pair is tied
//! in one ranking. So all sums take one pass through the cells with running sums, in O(n + cells).

use super::tops::TopBlocks;
use crate::error::Error;
use crate::memory;
use crate::rankings::tied::Blocks;
use crate::simd::Isa;
use crate::simd::tops::{STEP, TopLists, sum_in_tops, sum_split_in_tops};
use crate::weight::kinds::PairWeight;
use crate::weight::means::Means;

/// A ranking whose blocks are numbered in their order.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    /// The block of each item.
    of_items: Vec<u32>,
    /// The mean weight of each block, and the term of an ordered pair of its items.
    means: Vec<f64>,
    tied: Vec<f64>,
    /// The ranks of each block, for the average weight.
    ranks: TopBlocks,
}

impl Levels {
    /// The levels of a ranking in which all items have a position.
    pub(crate) fn of(weight: &PairWeight, blocks: Blocks<'_>, means: &Means) -> Result<Self, Error> {
        let mut levels = Self { of_items: memory::filled(blocks.starts.len(), 0)?, ..Self::default() };
        for (level, block) in (0..).zip(blocks.ranges()) {
            for &item in &blocks.order[block.clone()] {
                levels.of_items[item as usize] = level;
            }
            if !weight.is_later() {
                memory::push(&mut levels.means, means.of_block[block.start])?;
                memory::push(&mut levels.tied, means.of_tied[block.start])?;
            }
        }
        if weight.is_later() {
            levels.ranks = TopBlocks::of(blocks)?;
        }
        Ok(levels)
    }

    fn count(&self) -> usize {
        self.means.len().max(self.ranks.len())
    }
}

/// Memory for one thread.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// The maximum number of cells. A larger table would take too long.
    max: usize,
    cells: Vec<u32>,
    /// Running sums of each column: the number of items, and the sum of their weights.
    passed: Vec<[f64; 2]>,
    /// The factors of the four numbers of each cell of a row.
    factors: TopLists,
}

impl Table {
    /// Makes room for rankings of `items` items, and for `most` cells.
    pub(crate) fn fit(&mut self, weight: &PairWeight, items: usize, max: usize) -> Result<(), Error> {
        self.max = max;
        memory::reserve(&mut self.cells, max)?;
        memory::reserve(&mut self.passed, items)?;
        if weight.is_later() {
            self.factors.iter_mut().try_for_each(|list| memory::reserve(list, items.next_multiple_of(STEP)))
        } else {
            Ok(())
        }
    }

    /// Counts the items of every two blocks. Returns false if there are too many cells.
    fn count(&mut self, s: &Levels, t: &Levels) -> bool {
        let (rows, columns) = (s.count(), t.count());
        if rows * columns > self.max {
            return false;
        }
        self.cells.clear();
        self.cells.resize(rows * columns, 0);
        for (&row, &column) in s.of_items.iter().zip(&t.of_items) {
            self.cells[row as usize * columns + column as usize] += 1;
        }
        true
    }
}

/// The mean of the concordant sum of two rankings, if they have few blocks.
pub(super) fn concordant(weight: &PairWeight, s: &Levels, t: &Levels, table: &mut Table, isa: Isa) -> Option<f64> {
    table.count(s, t).then(|| match weight {
        PairWeight::Average => later(s, t, table, isa),
        PairWeight::Sums(_) => sums::<true>(s, t, table, &(0..t.count())),
        PairWeight::Count { .. } | PairWeight::Products(_) => products::<true>(s, t, table, &(0..t.count())),
    })
}

/// The mean of the concordant sum minus the mean of the discordant sum, if there are few blocks. Pairs that are tied in
/// a ranking cancel.
pub(super) fn signed(weight: &PairWeight, s: &Levels, t: &Levels, table: &mut Table, isa: Isa) -> Option<f64> {
    let columns = 0..t.count();
    table.count(s, t).then(|| match weight {
        PairWeight::Average => signed_later(s, t, table, isa),
        PairWeight::Sums(_) => {
            sums::<false>(s, t, table, &columns) - sums::<false>(s, t, table, &columns.clone().rev())
        }
        PairWeight::Count { .. } | PairWeight::Products(_) => {
            products::<false>(s, t, table, &columns) - products::<false>(s, t, table, &columns.clone().rev())
        }
    })
}

/// The sum for weights that are products for two items in different blocks, with or without tied pairs.
fn products<const TIES: bool>(
    s: &Levels,
    t: &Levels,
    Table { cells, passed, .. }: &mut Table,
    columns: &(impl Iterator<Item = usize> + Clone),
) -> f64 {
    passed.clear();
    passed.resize(t.count(), [0.0; 2]);
    let mut sum = 0.0;
    for ((cells, &weight), &tied) in cells.chunks_exact(t.count().max(1)).zip(&s.means).zip(&s.tied) {
        let (mut before, mut in_row) = (0.0, 0.0);
        let (mut split, mut tied_in_row, mut tied_in_column, mut tied_in_both) = (0.0, 0.0, 0.0, 0.0);
        for column in columns.clone() {
            let (count, of_column, passed) = (f64::from(cells[column]), t.means[column], &mut passed[column][1]);
            let value = count * of_column;
            split += value * before;
            before += *passed * of_column;
            if TIES {
                tied_in_row += value * in_row;
                in_row += value;
                tied_in_column += count * t.tied[column] * *passed;
                tied_in_both += count * (count - 1.0) * t.tied[column];
            }
            *passed += count * weight;
        }
        sum += weight * (split + tied_in_column) + tied * (tied_in_row + tied_in_both);
    }
    sum
}

/// The sum for weights that are sums for two items in different blocks.
fn sums<const TIES: bool>(
    s: &Levels,
    t: &Levels,
    Table { cells, passed, .. }: &mut Table,
    columns: &(impl Iterator<Item = usize> + Clone),
) -> f64 {
    passed.clear();
    passed.resize(t.count(), [0.0; 2]);
    let mut sum = 0.0;
    for ((cells, &weight), &tied) in cells.chunks_exact(t.count().max(1)).zip(&s.means).zip(&s.tied) {
        // For the cells above and to the left: the number of items, and the sums of p, q and p q.
        let (mut items, mut p, mut q, mut products) = (0.0, 0.0, 0.0, 0.0);
        let (mut items_in_row, mut q_in_row) = (0.0, 0.0);
        let (mut split, mut tied_in_row, mut tied_in_column) = (0.0, 0.0, 0.0);
        for column in columns.clone() {
            let (count, of_column, passed) = (f64::from(cells[column]), t.means[column], &mut passed[column]);
            split += count * (weight * (of_column * items + q) + (of_column * p + products));
            items += passed[0];
            p += passed[1];
            q += passed[0] * of_column;
            products += passed[1] * of_column;
            if TIES {
                tied_in_row += count * (of_column * items_in_row + q_in_row + (count - 1.0) * t.tied[column]);
                items_in_row += count;
                q_in_row += count * of_column;
                tied_in_column += count * t.tied[column] * (weight * passed[0] + passed[1]);
            }
            passed[0] += count;
            passed[1] += count * weight;
        }
        sum += split + tied_in_column + tied * tied_in_row;
    }
    sum
}

/// The sum for weights that depend on the two blocks of the later item, and on whether the items are tied.
fn later(s: &Levels, t: &Levels, Table { cells, passed, factors, .. }: &mut Table, isa: Isa) -> f64 {
    passed.clear();
    passed.resize(t.count(), [0.0; 2]);
    for list in &mut *factors {
        list.clear();
        list.resize(t.count().next_multiple_of(STEP), 0.0);
    }
    let mut sum = 0.0;
    for (row, cells) in cells.chunks_exact(t.count().max(1)).enumerate() {
        let [neither, in_s, in_t, in_both] = &mut *factors;
        let (mut before, mut in_row) = (0.0, 0.0);
        for (column, (passed, &count)) in passed.iter_mut().zip(cells).enumerate() {
            let count = f64::from(count);
            neither[column] = count * before;
            in_s[column] = count * in_row;
            in_t[column] = count * passed[0];
            in_both[column] = count * (count - 1.0);
            before += passed[0];
            in_row += count;
            passed[0] += count;
        }
        let factors = factors.each_ref().map(Vec::as_slice);
        sum += sum_in_tops(isa, s.of_items.len(), s.ranks.get(row), t.ranks.slices(), factors);
    }
    sum / s.of_items.len().max(1) as f64
}

/// The signed sum of the same weights. For two items in opposite orders, the block of the later item in one ranking and
/// the block of the later item in the other ranking determine a cell.
fn signed_later(s: &Levels, t: &Levels, Table { cells, passed, factors, .. }: &mut Table, isa: Isa) -> f64 {
    passed.clear();
    passed.resize(t.count(), [0.0; 2]);
    let factors = &mut factors[0];
    factors.clear();
    factors.resize(t.count().next_multiple_of(STEP), 0.0);
    let mut sum = 0.0;
    for (row, cells) in cells.chunks_exact(t.count().max(1)).enumerate() {
        let (mut before, mut in_row) = (0.0, 0.0);
        for ((passed, &count), factor) in passed.iter_mut().zip(cells).zip(&mut *factors) {
            let count = f64::from(count);
            *factor = count * before - in_row * passed[0];
            before += passed[0];
            in_row += count;
            passed[0] += count;
        }
        sum += sum_split_in_tops(isa, s.of_items.len(), s.ranks.get(row), t.ranks.slices(), factors);
    }
    sum / s.of_items.len().max(1) as f64
}
