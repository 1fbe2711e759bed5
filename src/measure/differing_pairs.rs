//! Distances with weights of items that add up the pairs that two rankings order differently: the distance of Kemeny
//! and Snell, and the distance of Fagin.

use super::blocks_of_pairs::{Memory, Side, Union, most_items};
use super::item_weighted::ItemWeighted;
use super::pairwise::{PairMeasure, Values};
use crate::error::Error;
use crate::memory;
use crate::pair::composed::{Composed, ordered};
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;

/// A distance to which each pair of items that two rankings order differently adds the product of the weights of its
/// items.
#[derive(Debug, PartialEq)]
pub(super) struct DifferingPairs {
    /// The kernel with the standard weight.
    kernel: ItemWeighted,
    /// The factor of pairs in opposite orders.
    pub(super) opposite: f64,
    /// The factor of pairs that only one ranking ties.
    pub(super) tied: f64,
    /// Whether the items that are in neither of two lists count.
    pub(super) with_rest: bool,
}

impl DifferingPairs {
    /// The distance that counts a pair in opposite orders twice, and a pair that is tied in only one ranking once.
    pub(super) fn new(items: usize, item_weight: &[f64]) -> Result<Self, Error> {
        Ok(Self { kernel: ItemWeighted::standard(items, item_weight)?, opposite: 2.0, tied: 1.0, with_rest: true })
    }

    fn value(&self, s: Side<'_>, t: Side<'_>, v: &[f64], memory: &mut Memory) -> f64 {
        let [_, opposite] = self.kernel.split_sums(s, t, v, true, memory);
        // In the kernel, a tied pair has the number 1/2.
        let tied = self.kernel.tied_in_second(s, t, v, memory) + self.kernel.tied_in_second(t, s, v, memory);
        self.opposite * opposite + self.tied * (2.0 * tied)
    }

    pub(super) fn complete<'a>(
        &'a self,
        rows: Vec<Row<'a>>,
        columns: Vec<Row<'a>>,
        cancel: &Cancel,
    ) -> Result<Values<'a>, Error> {
        let mut composed = Composed::new(self.kernel.items(), cancel)?;
        Ok(Box::new(move |row, column| {
            let (s, t) = ordered(rows[row], columns[column]);
            self.opposite * composed.discordant_products(s, t, |place| self.kernel.weight_of(place.item))
        }))
    }

    pub(super) fn tied<'a>(
        &'a self,
        rows: Vec<Blocks<'a>>,
        columns: Vec<Blocks<'a>>,
        cancel: &Cancel,
    ) -> Result<Values<'a>, Error> {
        let prepared = |rankings: Vec<Blocks<'a>>| memory::try_map(rankings, |blocks| self.kernel.of_blocks(blocks));
        let (rows, columns) = (prepared(rows)?, prepared(columns)?);
        let v = memory::collect((0..self.kernel.items()).map(|item| self.kernel.weight_of(item)))?;
        let mut memory = Memory::new(self.kernel.items(), cancel)?;
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            let (first, second) = if s.block_of <= t.block_of { (s, t) } else { (t, s) };
            self.value(first.side(), second.side(), &v, &mut memory)
        }))
    }

    pub(super) fn lists<'a>(
        &'a self,
        rows: Vec<List<'a>>,
        columns: Vec<List<'a>>,
        cancel: &Cancel,
    ) -> Result<Values<'a>, Error> {
        let most = most_items(&rows, &columns);
        let prepared = |lists: Vec<List<'a>>| memory::try_map(lists, |list| self.kernel.listed(list));
        let (rows, columns) = (prepared(rows)?, prepared(columns)?);
        let (mut union, mut memory) = (Union::new(most)?, Memory::new(most, cancel)?);
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            let (first, second) = if s.list <= t.list { (s, t) } else { (t, s) };
            let rest = |items: &[u32]| {
                if self.with_rest { self.kernel.rest(items.iter().copied(), items.len()) } else { (0.0, 0.0) }
            };
            let (sides, v, _) = union.of(first, second, |item| self.kernel.weight_of(item), rest);
            self.value(sides[0], sides[1], v, &mut memory)
        }))
    }
}
