//! Farnoud and Milenkovic's distance: the cheapest way from one ranking to another by swaps of neighbours.

use super::pairwise::{About, Kind, PairMeasure, SharedMeasure, Takes, Values};
use super::parameters::{check_not_negative, check_range, wrong_number};
use super::{Error, Measure, Parameters};
use crate::memory;
use crate::pair::composed::{CommonCounts, RunningSum};
use crate::parallel::Cancel;
use crate::rankings::Row;

#[derive(Debug, PartialEq)]
struct SwapDistance {
    items: usize,
    /// For each rank: the sum of the costs of swaps from this rank to the last rank. Differences of these sums lose no
    /// digits, because costs fall with the rank.
    costs_below: Vec<f64>,
}

impl Measure {
    /// The cost of the cheapest way to turn one ranking into another by swaps of neighbours. A swap of the items at
    /// ranks r and r + 1, from 0, costs `costs[r]`. Costs must not increase with r (Farnoud and Milenkovic, "An
    /// axiomatic approach to constructing distances for rank comparison and aggregation", 2014). If all costs are 1,
    /// the distance is the number of discordant pairs.
    ///
    /// It is a metric if all costs are positive. It is not a kernel. It is exact if all costs are whole numbers;
    /// otherwise its relative error is at most 2.3e-16 times twice the number of items.
    ///
    /// # Errors
    /// Returns an error in these cases:
    ///
    /// - The number of costs is not the number of items minus 1.
    /// - A cost is negative, NaN, infinite, or larger than the cost before it.
    /// - Sums could exceed the range of `f64`.
    ///
    /// ```
    /// use wkendall::{Measure, Options, Rankings, gram};
    /// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 3, 1, 2])?;
    /// let distance = Measure::swap_distance(3, &[2.0, 1.0])?;
    /// assert_eq!(gram(&distance, &x, None, Options::default())?[1], 3.0);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn swap_distance(items: usize, costs: &[f64]) -> Result<Self, Error> {
        check_not_negative("costs", costs, items.saturating_sub(1), "each two neighbouring ranks")?;
        if let Some(index) = costs.windows(2).position(|pair| pair[1] > pair[0]) {
            let rule = format!("at most the cost before it, {:?}", costs[index]);
            return Err(wrong_number("costs", costs[index + 1], index + 1, &rule));
        }
        let mut costs_below = memory::filled(items, 0.0)?;
        let mut sum = 0.0;
        for (below, &cost) in costs_below.iter_mut().zip(costs).rev() {
            sum += cost;
            *below = sum;
        }
        check_range("costs", costs, sum * 2.0 * items as f64)?;
        Ok(SharedMeasure::new(SwapDistance { items, costs_below }).into())
    }
}

pub(super) fn from_parameters(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    let count = items.saturating_sub(1);
    match parameters.array("costs", &[count])? {
        Some(costs) => Measure::swap_distance(items, costs),
        None => Err(Error::ParameterType { name: "costs", rule: format!("an array of {count} real numbers") }),
    }
}

impl PairMeasure for SwapDistance {
    fn about(&self) -> About {
        About::new("the swap distance", self.items, Kind::Distance, Takes::Complete)
    }

    fn pair_ns(&self, length: usize) -> f64 {
        CommonCounts::pair_ns(length)
    }

    /// Each item moves down to a rank l, and then up. Here l is the number of items that come before it in at least one
    /// of the two rankings. A swap moves two items, so the sum is halved.
    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        let mut counts = CommonCounts::new(rows, columns, self.items, cancel)?;
        Ok(Box::new(move |row, column| {
            let (s, t, before_both) = counts.count(row, column);
            let below = &self.costs_below[..];
            let mut sum = RunningSum::default();
            for ((&s, &t), &both) in s.ranks().iter().zip(t.ranks()).zip(before_both) {
                // If the run is cancelled, the counts can be any numbers.
                let lowest = below.get((s + t).wrapping_sub(both) as usize).copied().unwrap_or(0.0);
                sum.add((below[s as usize] - lowest) + (below[t as usize] - lowest));
            }
            sum.total() / 2.0
        }))
    }
}
