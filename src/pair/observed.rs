//! Counts for two columns of observations with missing values. Only observations that both columns have are counted.
//!
//! Kendall's tau-b and its variance follow from these counts. A column is a ranking of the observations. Missing
//! observations have no position in this ranking.

use super::anywhere::keep;
use super::incomplete::{TiedWorkspace, place, split_pairs};
use super::{concordant_of, pairs_of};
use crate::error::Error;
use crate::memory;
use crate::rankings::tied::Blocks;
use crate::weight::pair::Terms;

/// The counts over the common observations of two columns.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Observed {
    /// The number of common observations.
    pub(crate) observations: u64,
    /// The number of pairs that are in the same order in both columns, minus the number of pairs in opposite orders.
    pub(crate) balance: i64,
    /// The ties of each column.
    pub(crate) ties: [TieSums; 2],
}

/// Sums over the blocks of t equal observations of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct TieSums {
    /// The sum of t (t - 1) / 2.
    pub(crate) pairs: u64,
    /// The sum of t (t - 1) (t - 2).
    pub(crate) triples: f64,
}

impl TieSums {
    /// The sums for the observations for which `is_common` is true.
    pub(crate) fn among(blocks: Blocks<'_>, is_common: impl Fn(usize) -> bool) -> Self {
        let mut sums = Self::default();
        for block in blocks.ranges().filter(|block| block.len() > 1) {
            sums.add(blocks.order[block].iter().filter(|&&item| is_common(item as usize)).count() as u64);
        }
        sums
    }

    /// Adds a block.
    pub(crate) fn add(&mut self, size: u64) {
        self.pairs += pairs_of(size);
        self.triples += size as f64 * size.saturating_sub(1) as f64 * size.saturating_sub(2) as f64;
    }
}

/// The counts from a permutation of the common observations, in O(n log n).
pub(crate) fn by_sorting(s: Blocks<'_>, t: Blocks<'_>, memory: &mut TiedWorkspace) -> Observed {
    let items = s.starts.len();
    if s.placed == items && t.placed == items {
        return of_common(s, t, memory);
    }
    let has = |blocks: Blocks<'_>, item: usize| (blocks.starts[item] as usize) < blocks.placed;
    let mut common = std::mem::take(&mut memory.common);
    for (blocks, kept) in [s, t].into_iter().zip(&mut common) {
        keep(blocks, |item| has(s, item) && has(t, item), &mut memory.numbers, kept);
    }
    let found = of_common(common[0].blocks(), common[1].blocks(), memory);
    memory.common = common;
    found
}

/// The same counts for columns without missing observations.
fn of_common(s: Blocks<'_>, t: Blocks<'_>, memory: &mut TiedWorkspace) -> Observed {
    if !place(s, t, memory) {
        return Observed::default();
    }
    let split = split_pairs(s, t, &memory.other_at);
    let concordant = concordant_of(Terms::Ones, &mut memory.workspace) as u64;
    let discordant = split.saturating_sub(concordant);
    Observed {
        observations: s.order.len() as u64,
        balance: concordant.cast_signed() - discordant.cast_signed(),
        ties: [TieSums::among(s, |_| true), TieSums::among(t, |_| true)],
    }
}

/// A column whose values are replaced by levels: the distinct values are numbered in increasing order.
#[derive(Debug)]
pub(crate) struct ColumnLevels {
    /// The level of each observation; `count` if it is missing.
    of_items: Vec<u32>,
    count: usize,
}

impl ColumnLevels {
    pub(crate) fn of(blocks: Blocks<'_>) -> Result<Self, Error> {
        let mut of_items = memory::filled(blocks.starts.len(), 0)?;
        let mut count = 0;
        for block in blocks.ranges() {
            for &item in &blocks.order[block] {
                of_items[item as usize] = count;
            }
            count += 1;
        }
        for &item in &blocks.order[blocks.placed..] {
            of_items[item as usize] = count;
        }
        Ok(Self { of_items, count: count as usize })
    }
}

/// The table of how often the levels of two columns occur together; memory for one thread.
#[derive(Debug, Default)]
pub(crate) struct LevelTable {
    cells: Vec<u32>,
    /// For each column of the table, the number of observations in the rows so far.
    passed: Vec<i64>,
}

impl LevelTable {
    /// The counts from the table, in O(n + cells), if it has at most `most` cells. The last row and the last column
    /// belong to missing observations, which are left out.
    pub(crate) fn count(&mut self, s: &ColumnLevels, t: &ColumnLevels, max: usize) -> Result<Option<Observed>, Error> {
        let width = t.count + 1;
        let size = (s.count + 1).saturating_mul(width);
        if size > max {
            return Ok(None);
        }
        let Self { cells, passed } = self;
        cells.clear();
        memory::resize(cells, size, 0)?;
        for (&row, &column) in s.of_items.iter().zip(&t.of_items) {
            cells[row as usize * width + column as usize] += 1;
        }
        passed.clear();
        memory::resize(passed, t.count, 0)?;
        let mut found = Observed::default();
        let mut all_passed = 0;
        for row in cells.chunks_exact(width).take(s.count) {
            let (mut before, mut in_row) = (0, 0);
            for (&cell, passed) in row.iter().zip(&mut *passed) {
                let count = i64::from(cell);
                let after = all_passed - before - *passed;
                found.balance += count * (before - after);
                before += *passed;
                in_row += count;
                *passed += count;
            }
            all_passed += in_row;
            found.ties[0].add(in_row.unsigned_abs());
        }
        found.observations = all_passed.unsigned_abs();
        for &passed in &*passed {
            found.ties[1].add(passed.unsigned_abs());
        }
        Ok(Some(found))
    }
}
