//! The Kendall distance K^(p) of two top lists, over the items that are in at least one of them (Fagin, Kumar and
//! Sivakumar 2003).
//!
//! It is not a kernel, because it is 0 for equal lists. It is a distance. For lists of different lengths, it is not a
//! metric.

use super::differing_pairs::DifferingPairs;
use super::kemeny_snell::KemenySnell;
use super::pairwise::{About, Kind, PairMeasure, SharedMeasure, Takes, Values};
use super::{Measure, Parameters};
use crate::error::Error;
use crate::memory;
use crate::pair::lists::{CommonItems, CommonPairs, ListWorkspace};
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;
use crate::simd::Isa;

/// K^(p) of lists out of a catalogue of this many items.
#[derive(Debug, PartialEq)]
struct FaginKendall {
    /// The measure for complete rankings, where it is twice this distance.
    complete: KemenySnell,
    p: f64,
}

impl Measure {
    /// The Kendall distance K^(p) of two [`Lists`](crate::Lists) of any lengths (Fagin, Kumar and Sivakumar, "Comparing
    /// top k lists", 2003). It counts pairs of items that are in at least one of the lists. An item that is not in a
    /// list comes after the items of the list. Complete rankings are compared as lists of all items.
    ///
    /// - If the two lists have the items of a pair in opposite orders, the pair adds 1.
    /// - If both items are in one list and neither is in the other list, the pair adds `p`.
    ///
    /// It is a distance, and not a kernel. The two counts of pairs are exact up to 2^53. Lists with ties are an error.
    /// With [weights of items](Measure::with_item_weight), the term of a pair is multiplied by the weights of both
    /// items.
    ///
    /// # Errors
    /// Returns an error when `p` is negative, above 1, or NaN.
    ///
    /// ```
    /// use wkendall::{Lists, Measure, Options, gram};
    /// let x = Lists::from_orders(1000, &[vec![5, 7], vec![8, 9]])?;
    /// // Four pairs with an item of each list, two pairs with both items in one.
    /// assert_eq!(gram(&Measure::fagin_kendall(1000, 0.25)?, &x, None, Options::default())?[1], 4.5);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn fagin_kendall(items: usize, p: f64) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&p) {
            return Err(Error::parameter("p", format!("{p:?}"), "a number from 0 to 1"));
        }
        Ok(SharedMeasure::new(FaginKendall { complete: KemenySnell { items, weighted: None }, p }).into())
    }
}

impl FaginKendall {
    fn not_tied(&self) -> Error {
        let rankings = "rankings with ties, only for lists and complete rankings without";
        Error::NotTaken { measure: self.about().name, rankings }
    }

    /// A list without ties.
    fn checked<'a>(&self, list: List<'a>) -> Result<List<'a>, Error> {
        let mut seen = memory::filled(list.len(), false)?;
        if list.iter().any(|&[_, start]| std::mem::replace(&mut seen[start as usize], true)) {
            return Err(self.not_tied());
        }
        Ok(list)
    }

    /// The value for two lists, given the positions of their common items.
    fn between(&self, s: List<'_>, t: List<'_>, common: &[[u32; 2]], memory: &mut ListWorkspace) -> f64 {
        let pairs = |count: i128| count * (count - 1) / 2;
        let both = common.len() as i128;
        let (only_s, only_t) = (s.len() as i128 - both, t.len() as i128 - both);
        let discordant = (pairs(both) - CommonPairs::count(s, t, common, memory).balance) / 2;
        // For each common item, the number of items before it that only this list has. It is the rank of the common
        // item, minus the number of common items before it.
        let ranks = common.iter().map(|&[one, two]| u64::from(s[one as usize][1]) + u64::from(t[two as usize][1]));
        let before = ranks.map(i128::from).sum::<i128>() - 2 * pairs(both);
        (discordant + before + only_s * only_t) as f64 + self.p * (pairs(only_s) + pairs(only_t)) as f64
    }
}

pub(super) fn from_parameters(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    Measure::fagin_kendall(items, parameters.real("p")?.unwrap_or(0.5))
}

impl PairMeasure for FaginKendall {
    fn about(&self) -> About {
        About::new("the distance of Fagin et al.", self.complete.items, Kind::Distance, Takes::Listed)
            .weighted(self.complete.weighted.is_some())
    }

    fn with_item_weight(&self, item_weight: &[f64]) -> Result<SharedMeasure, Error> {
        let (items, p) = (self.complete.items, self.p);
        let mut pairs = DifferingPairs::new(items, item_weight)?;
        // All terms are doubled here, and the sum is halved in the end, as for complete rankings.
        (pairs.tied, pairs.with_rest) = (2.0 * p, false);
        let weighted = Some(pairs);
        Ok(SharedMeasure::new(Self { complete: KemenySnell { items, weighted }, p }))
    }

    fn pair_ns(&self, length: usize) -> f64 {
        self.complete.pair_ns(length)
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        // All pairs are in both lists. A pair in opposite orders counts twice here.
        let mut twice = self.complete.complete(rows, columns, cancel)?;
        Ok(Box::new(move |row, column| twice(row, column) / 2.0))
    }

    fn tied<'a>(&'a self, _: Vec<Blocks<'a>>, _: Vec<Blocks<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        Err(self.not_tied())
    }

    fn lists<'a>(&'a self, rows: Vec<List<'a>>, columns: Vec<List<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        let checked = |list| self.checked(list);
        let (rows, columns) = (memory::try_map(rows, checked)?, memory::try_map(columns, checked)?);
        if let Some(weighted) = &self.complete.weighted {
            let mut twice = weighted.lists(rows, columns, cancel)?;
            return Ok(Box::new(move |row, column| twice(row, column) / 2.0));
        }
        let longest = rows.iter().chain(&columns).map(|list| list.len()).max().unwrap_or(0);
        let mut memory = ListWorkspace::new(longest, Some(Isa::widest()), cancel)?;
        let mut common = CommonItems::new(columns.iter().copied())?;
        Ok(Box::new(move |row, column| {
            let (s, t) = (rows[row], columns[column]);
            self.between(s, t, common.of(row, s, column), &mut memory)
        }))
    }
}
