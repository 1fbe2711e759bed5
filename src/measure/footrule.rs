//! Spearman's footrule: the sum over all items of the difference between the two ranks of the item.

use super::pairwise::{About, Kind, PairMeasure, SharedMeasure, Takes, Values};
use super::parameters::check_range;

use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;

/// Spearman's footrule for rankings of this many items.
#[derive(Debug, PartialEq)]
pub(super) struct Footrule {
    pub(super) items: usize,
    /// The weights of items; with `None`, all are 1.
    pub(super) item_weight: Option<Vec<f64>>,
}

impl PairMeasure for Footrule {
    fn about(&self) -> About {
        About::new("the footrule", self.items, Kind::Distance, Takes::Listed).weighted(self.item_weight.is_some())
    }

    fn with_item_weight(&self, item_weight: &[f64]) -> Result<SharedMeasure, Error> {
        let sum: f64 = item_weight.iter().sum();
        check_range("item_weight", item_weight, 2.0 * sum * self.items as f64)?;
        let item_weight = Some(memory::collect(item_weight.iter().copied())?);
        Ok(SharedMeasure::new(Self { items: self.items, item_weight }))
    }

    fn pair_ns(&self, length: usize) -> f64 {
        4.0 + 0.5 * length as f64
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        if let Some(v) = &self.item_weight {
            return Ok(Box::new(move |row, column| {
                let ranks = rows[row].ranks().iter().zip(columns[column].ranks());
                ranks.zip(v).fold(0.0, |sum, ((&s, &t), v)| sum + v * f64::from(s.abs_diff(t)))
            }));
        }
        Ok(Box::new(move |row, column| {
            let (s, t) = (rows[row].ranks(), columns[column].ranks());
            s.iter().zip(t).map(|(&s, &t)| u64::from(s.abs_diff(t))).sum::<u64>() as f64
        }))
    }

    fn tied<'a>(&'a self, rows: Vec<Blocks<'a>>, columns: Vec<Blocks<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        let (rows, columns) = (memory::try_map(rows, twice_mean_ranks)?, memory::try_map(columns, twice_mean_ranks)?);
        if let Some(v) = &self.item_weight {
            return Ok(Box::new(move |row, column| {
                let ranks = rows[row].iter().zip(&columns[column]);
                ranks.zip(v).fold(0.0, |sum, ((s, &t), v)| sum + v * s.abs_diff(t) as f64) / 2.0
            }));
        }
        Ok(Box::new(move |row, column| {
            let pairs = rows[row].iter().zip(&columns[column]);
            pairs.map(|(s, &t)| s.abs_diff(t)).sum::<u64>() as f64 / 2.0
        }))
    }

    fn lists<'a>(&'a self, rows: Vec<List<'a>>, columns: Vec<List<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        let (rows, columns) = (memory::try_map(rows, RankedList::new)?, memory::try_map(columns, RankedList::new)?);
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            match &self.item_weight {
                None => {
                    let mut sum = 0;
                    s.each_difference(t, |_, twice| sum += twice);
                    sum as f64 / 2.0
                }
                Some(v) => {
                    let mut sum = 0.0;
                    s.each_difference(t, |item, twice| sum += v[item as usize] * twice as f64);
                    sum / 2.0
                }
            }
        }))
    }
}

/// For each item, twice the mean of the ranks that it can have, from 0.
fn twice_mean_ranks(ranking: Blocks<'_>) -> Result<Vec<u64>, Error> {
    let mut ranks = memory::filled(ranking.order.len(), 0)?;
    for block in ranking.ranges() {
        let twice = (block.start + block.end - 1) as u64;
        for &item in &ranking.order[block] {
            ranks[item as usize] = twice;
        }
    }
    Ok(ranks)
}

/// The items of a list, sorted by number.
struct RankedList {
    /// Each item with twice its mean rank, from 1.
    ranks: Vec<(u32, u64)>,
    /// Twice the rank of an item that is not listed.
    unlisted: u64,
}

impl RankedList {
    fn new(list: List<'_>) -> Result<Self, Error> {
        let mut sizes = memory::filled(list.len(), 0)?;
        for &[_, start] in list {
            sizes[start as usize] += 1;
        }
        let unlisted = 2 * (list.len() as u64 + 1);
        let twice = |start: u32| 2 * u64::from(start) + sizes[start as usize] + 1;
        Ok(Self { ranks: memory::collect(list.iter().map(|&[item, start]| (item, twice(start))))?, unlisted })
    }

    /// Visits each item of the two lists, with twice the difference of its ranks. The lists are merged for this.
    fn each_difference(&self, other: &Self, mut visit: impl FnMut(u32, u64)) {
        let (mut s, mut t) = (&self.ranks[..], &other.ranks[..]);
        while let ([(item, rank), s_rest @ ..], [(other_item, other_rank), t_rest @ ..]) = (s, t) {
            let order = item.cmp(other_item);
            match order {
                std::cmp::Ordering::Less => visit(*item, rank.abs_diff(other.unlisted)),
                std::cmp::Ordering::Equal => visit(*item, rank.abs_diff(*other_rank)),
                std::cmp::Ordering::Greater => visit(*other_item, other_rank.abs_diff(self.unlisted)),
            }
            s = if order.is_le() { s_rest } else { s };
            t = if order.is_ge() { t_rest } else { t };
        }
        for &(item, rank) in s {
            visit(item, rank.abs_diff(other.unlisted));
        }
        for &(item, rank) in t {
            visit(item, rank.abs_diff(self.unlisted));
        }
    }
}
