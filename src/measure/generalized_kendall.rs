//! Kumar and Vassilvitskii's generalized Kendall distance, with weights of items and costs of positions.

use super::pairwise::{About, Kind, PairMeasure, SharedMeasure, Takes, Values};
use super::parameters::{check_not_negative, check_range};
use super::{Error, Measure, Parameters};
use crate::memory;
use crate::pair::composed::{Composed, ordered};
use crate::pair::pairs_of;
use crate::parallel::Cancel;
use crate::rankings::Row;

#[derive(Debug, PartialEq)]
struct GeneralizedKendall {
    items: usize,
    item_weights: Option<Vec<f64>>,
    /// For each position, the sum of the costs up to and including this position.
    running_costs: Option<Vec<f64>>,
}

impl Measure {
    /// Kumar and Vassilvitskii's generalized distance ("Generalized distances between rankings", 2010): the sum of
    /// `v[i] p(i) v[j] p(j)` over discordant pairs. Here v are the weights of items, 1 by default. The number p(i) is
    /// the mean of the costs of the positions between the two ranks of item i: `(P[s(i)] - P[t(i)]) / (s(i) - t(i))`,
    /// where P are the running sums of the costs. If the two ranks of the item are equal, or if there are no costs,
    /// p(i) is 1.
    ///
    /// Without weights and costs, the distance is exactly the number of discordant pairs. Otherwise its error is below
    /// 1e-12 times the largest possible value. It is a distance, and not a kernel. With costs it is not a metric.
    ///
    /// # Errors
    /// Returns an error when the number of weights or of costs is not the number of items, when a number is negative,
    /// NaN or infinite, or when sums could exceed the range of `f64`.
    ///
    /// ```
    /// use wkendall::{Measure, Options, Rankings, gram};
    /// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 1, 3, 2])?;
    /// let distance = Measure::generalized_kendall(3, Some(&[1.0, 2.0, 3.0]), Some(&[1.0, 1.0, 0.5]))?;
    /// assert_eq!(gram(&distance, &x, None, Options::default())?[1], 2.0 * 0.5 * 3.0 * 0.5);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn generalized_kendall(
        items: usize,
        item_weights: Option<&[f64]>,
        position_costs: Option<&[f64]>,
    ) -> Result<Self, Error> {
        let weights = item_weights.unwrap_or_default();
        let costs = position_costs.unwrap_or_default();
        if item_weights.is_some() {
            check_not_negative("item_weights", weights, items, "each item")?;
        }
        if position_costs.is_some() {
            check_not_negative("position_costs", costs, items, "each position")?;
        }
        let sum = item_weights.map_or(items as f64, |weights| weights.iter().sum());
        check_range("item_weights", weights, sum * sum)?;
        // A mean of costs is at most the largest cost.
        let largest = sum * costs.iter().fold(1.0, |largest: f64, &cost| largest.max(cost));
        check_range("position_costs", costs, largest * largest)?;
        check_range("position_costs", costs, costs.iter().sum())?;
        let owned = |numbers: &[f64]| memory::collect(numbers.iter().copied());
        let mut running_costs = position_costs.map(owned).transpose()?;
        let mut sum = 0.0;
        for cost in running_costs.iter_mut().flatten() {
            sum += *cost;
            *cost = sum;
        }
        let item_weights = item_weights.map(owned).transpose()?;
        Ok(SharedMeasure::new(GeneralizedKendall { items, item_weights, running_costs }).into())
    }
}

pub(super) fn from_parameters(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    let array = |name| parameters.array(name, &[items]);
    Measure::generalized_kendall(items, array("item_weights")?, array("position_costs")?)
}

impl PairMeasure for GeneralizedKendall {
    fn about(&self) -> About {
        About::new("the generalized Kendall distance", self.items, Kind::Distance, Takes::Complete)
    }

    fn pair_ns(&self, length: usize) -> f64 {
        Composed::sum_ns(length)
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        let mut composed = Composed::new(self.items, cancel)?;
        Ok(Box::new(move |row, column| {
            let (s, t) = ordered(rows[row], columns[column]);
            let weight = |item: usize| self.item_weights.as_ref().map_or(1.0, |weights| weights[item]);
            match &self.running_costs {
                None if self.item_weights.is_none() => (pairs_of(self.items as u64) - composed.count(s, t)) as f64,
                None => composed.discordant_products(s, t, |place| weight(place.item)),
                Some(sums) => composed.discordant_products(s, t, |place| {
                    let (low, high) = (place.s.min(place.t), place.s.max(place.t));
                    let mean = if low == high { 1.0 } else { (sums[high] - sums[low]) / (high - low) as f64 };
                    weight(place.item) * mean
                }),
            }
        }))
    }
}
