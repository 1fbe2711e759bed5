//! Average overlap: at each depth d, take the share of items that the first d items of two rankings have in common; the
//! value is the mean over depths.
//!
//! It is a kernel. Take for each ranking a vector with the probability of each item to be among the first d items. At
//! depth d, the share is the inner product of the two vectors, divided by d.

use std::ops::RangeInclusive;

use super::overlap::{CommonItem, Gains, Ranked, all_weights, sum_by_larger, sums_above, weights_of};
use super::pairwise::{About, BoundedPairs, Kind, PairMeasure, SharedMeasure, Takes, Values};
use super::parameters::check_range;
use super::{Measure, Parameters};
use crate::error::Error;
use crate::memory;
use crate::pair::lists::CommonItems;
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;

/// If the depth is at most this fraction of the items (1 / 4), complete rankings are compared as lists of their first
/// items.
const SHORT_TOP: usize = 4;

/// Average overlap of rankings of this many items.
#[derive(Debug, PartialEq)]
struct AverageOverlap {
    items: usize,
    depth: usize,
    /// The weights of items; with `None`, all are 1.
    item_weight: Option<Vec<f64>>,
}

impl Measure {
    /// Average overlap: for each d from 1 to `depth`, count the items that are among the first d items of both
    /// rankings, and divide by d. The value is the mean over d. Without a depth, d goes up to the number of items. It
    /// is a kernel.
    ///
    /// With ties, the value is the mean over all complete rankings that agree with the rankings. Items that are not in
    /// a [list](crate::Lists) are never common items. Errors are below 1e-13. With [weights of
    /// items](Measure::with_item_weight), a common item counts with its weight instead of 1.
    ///
    /// # Errors
    /// Returns an error when the depth is 0, or larger than the number of items.
    ///
    /// ```
    /// use wkendall::{Measure, Options, Rankings, gram};
    /// let x = Rankings::from_ranks(2, 4, &[1, 2, 3, 4, 2, 3, 1, 4])?;
    /// let overlap = Measure::average_overlap(4, Some(2))?;
    /// assert_eq!(gram(&overlap, &x, None, Options::default())?, [1.0, 0.25, 0.25, 1.0]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn average_overlap(items: usize, depth: Option<usize>) -> Result<Self, Error> {
        match depth {
            Some(depth) if depth == 0 || depth > items => {
                let rule = format!("from 1 to {items}, the number of items");
                Err(Error::parameter("depth", depth.to_string(), rule))
            }
            _ => {
                Ok(SharedMeasure::new(AverageOverlap { items, depth: depth.unwrap_or(items), item_weight: None })
                    .into())
            }
        }
    }
}

pub(super) fn from_parameters(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    Measure::average_overlap(items, parameters.count("depth", Some(items))?)
}

impl PairMeasure for AverageOverlap {
    fn about(&self) -> About {
        About::new("average overlap", self.items, Kind::Kernel, Takes::Listed).weighted(self.item_weight.is_some())
    }

    fn with_item_weight(&self, item_weight: &[f64]) -> Result<SharedMeasure, Error> {
        check_range("item_weight", item_weight, item_weight.iter().sum())?;
        let item_weight = Some(memory::collect(item_weight.iter().copied())?);
        Ok(SharedMeasure::new(Self { items: self.items, depth: self.depth, item_weight }))
    }

    fn pair_ns(&self, length: usize) -> f64 {
        let compared = if self.depth <= length / SHORT_TOP { self.depth } else { length };
        20.0 + 1.5 * compared as f64
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        let depth = self.depth;
        if depth <= self.items / SHORT_TOP {
            let top = |row: Row<'a>| Ranked::from_top(row.order(), depth);
            return self.between_lists(memory::try_map(rows, top)?, memory::try_map(columns, top)?);
        }
        let after = self.after(depth)?;
        if let Some(v) = &self.item_weight {
            return Ok(Box::new(move |row, column| {
                let ranks = rows[row].ranks().iter().zip(columns[column].ranks());
                ranks.zip(v).fold(0.0, |sum, ((&s, &t), v)| sum + v * after[(s.max(t) as usize).min(depth)])
            }));
        }
        Ok(Box::new(move |row, column| {
            sum_by_larger(rows[row].ranks(), columns[column].ranks(), &after, depth as u32).min(1.0)
        }))
    }

    fn tied<'a>(&'a self, rows: Vec<Blocks<'a>>, columns: Vec<Blocks<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        let prepared = |blocks: &Vec<Blocks<'a>>| memory::try_map(blocks.clone(), Ranked::from_blocks);
        let (of_rows, of_columns) = (prepared(&rows)?, prepared(&columns)?);
        let after = self.after(self.items)?;
        let mut gains = Gains::new(self.items, self.item_weight.is_some())?;
        Ok(Box::new(move |row, column| {
            let starts = rows[row].starts.iter().zip(columns[column].starts).map(|(&s, &t)| [s, t]);
            let items = starts.zip(all_weights(self.item_weight.as_deref()));
            self.value(&after, [&of_rows[row], &of_columns[column]], items, &mut gains)
        }))
    }

    fn lists<'a>(&'a self, rows: Vec<List<'a>>, columns: Vec<List<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        self.between_lists(memory::try_map(rows, Ranked::from_list)?, memory::try_map(columns, Ranked::from_list)?)
    }

    fn bounded(&self, longest: usize) -> Result<Option<Box<dyn BoundedPairs + '_>>, Error> {
        if self.item_weight.is_some() {
            return Ok(None); // the bounds are for items that count as 1
        }
        Ok(Some(Box::new(ListPairs { measure: self, after: self.after(longest)?, gains: Gains::new(longest, false)? })))
    }
}

/// Compares pairs of lists for an index.
struct ListPairs<'a> {
    measure: &'a AverageOverlap,
    after: Vec<f64>,
    gains: Gains,
}

impl BoundedPairs for ListPairs<'_> {
    fn value(&mut self, s: &Ranked<'_>, t: &Ranked<'_>, starts: &[[u32; 2]]) -> f64 {
        self.measure.value(&self.after, [s, t], starts.iter().map(|&starts| (starts, 1.0)), &mut self.gains)
    }

    /// With ties, the bound uses the first rank of a block: no item of the block can have a better rank.
    fn bound(&self, _: usize, _: RangeInclusive<usize>, larger: usize, _: bool) -> f64 {
        self.after[larger]
    }
}

impl AverageOverlap {
    fn between_lists<'a>(&'a self, rows: Vec<Ranked<'a>>, columns: Vec<Ranked<'a>>) -> Result<Values<'a>, Error> {
        let longest = rows.iter().chain(&columns).map(Ranked::len).max().unwrap_or(0);
        let after = self.after(longest)?;
        let mut gains = Gains::new(longest, self.item_weight.is_some())?;
        let mut common = CommonItems::new(columns.iter().map(|list| &*list.entries))?;
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            let common = common.of(row, &s.entries, column);
            if let Some(v) = &self.item_weight {
                return self.value(&after, [s, t], s.starts(t, common).zip(weights_of(v, s, common)), &mut gains);
            }
            self.value(&after, [s, t], s.starts(t, common).map(|starts| (starts, 1.0)), &mut gains)
        }))
    }

    /// The value for two rankings with these common items.
    fn value(
        &self,
        after: &[f64],
        [s, t]: [&Ranked<'_>; 2],
        items: impl Iterator<Item = CommonItem>,
        gains: &mut Gains,
    ) -> f64 {
        let sum = if s.is_tied || t.is_tied {
            let mut seen = 0.0;
            let (_, common) = gains.each_depth(s, t, items, |top| {
                seen += if top.depth <= self.depth { top.overlap() * self.weight(top.depth) } else { 0.0 };
            });
            seen + common * after[s.len().max(t.len())]
        } else {
            // The sum starts with 0, because `sum` would return -0 for no numbers.
            items.fold(0.0, |sum, ([s, t], weight)| sum + weight * after[s.max(t) as usize])
        };
        if self.item_weight.is_some() { sum } else { sum.min(1.0) }
    }

    /// What a common item adds at a depth.
    fn weight(&self, depth: usize) -> f64 {
        1.0 / (self.depth as f64 * depth as f64)
    }

    /// For each rank up to `most`, the sum of the weights of all depths above this rank.
    fn after(&self, most: usize) -> Result<Vec<f64>, Error> {
        let at_end = |end| if end < self.depth { reciprocals(end, self.depth) / self.depth as f64 } else { 0.0 };
        sums_above(most, at_end, |depth| if depth <= self.depth { self.weight(depth) } else { 0.0 })
    }
}

/// The sum of `1 / d` for d above `from` and up to `to`. The time does not depend on `from` and `to`.
fn reciprocals(from: usize, to: usize) -> f64 {
    const SUMMED: usize = 64;
    let middle = to.min(from + SUMMED);
    let first: f64 = (from + 1..=middle).rev().map(|d| 1.0 / d as f64).sum();
    if middle == to {
        return first;
    }
    // Euler's summation formula at both ends. The first term that is left out is below 1e-17.
    let correction = |d: f64| {
        let square = 1.0 / (d * d);
        0.5 / d - square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0))
    };
    let (middle, to) = (middle as f64, to as f64);
    first + ((to - middle) / middle).ln_1p() + (correction(to) - correction(middle))
}
