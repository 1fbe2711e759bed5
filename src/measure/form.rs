//! The kind of sum or count from which the value of a measure is computed. The costs of these sums are in the plan of
//! the Gram engine.

use super::kendall::{KendallMeasure, Quantity, ratio};
use crate::error::Error;
use crate::memory;
use crate::pair;
use crate::weight::kinds::{PairWeight, TensorWeight, WeightKind};
use crate::weight::mean_tensor::check_order;

/// The sum that is averaged for incomplete rankings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mean {
    /// The concordant sum.
    Concordant,
    /// The concordant sum minus the discordant one.
    Signed,
    /// The number of discordant pairs.
    Discordant,
}

/// A weight whose mean can be computed over all complete rankings that agree with an incomplete ranking.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MeanWeight<'a> {
    /// A weight of concordant pairs.
    Pairs(&'a PairWeight),
    /// A weight of all tuples of one or two items.
    Tensors(&'a TensorWeight),
}

/// What a measure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Concordant pairs.
    All,
    /// Concordant pairs of items that are in the top k of both rankings.
    Top(usize),
    /// Each concordant pair counts `n - max(b, d)`, where b and d are the ranks of its later item, from 0.
    Later,
}

impl KendallMeasure {
    /// The weight, and the sum that is averaged for incomplete rankings.
    ///
    /// # Errors
    /// Returns an error when this mean is not defined or not implemented.
    pub(crate) fn mean(&self) -> Result<(MeanWeight<'_>, Mean), Error> {
        let mean = match self.quantity {
            Quantity::Concordant => Mean::Concordant,
            Quantity::Signed => Mean::Signed,
            // A Mallows kernel is a function of the mean distance.
            Quantity::Discordant | Quantity::Mallows(_) => Mean::Discordant,
        };
        match &self.weight {
            WeightKind::Quadruples(_) => Err(Error::IncompleteQuadruples),
            WeightKind::Tensors(weight) => {
                check_order(weight.order())?;
                Ok((MeanWeight::Tensors(weight), mean))
            }
            WeightKind::Pairs(_) if self.order != 2 => Err(Error::IncompleteOrder { order: self.order }),
            WeightKind::Pairs(weight) => Ok((MeanWeight::Pairs(weight), mean)),
        }
    }

    /// If the kernel is a sum over single items (order 1), the same kernel with weights of single positions. In this
    /// form, means for incomplete rankings can be computed.
    pub(crate) fn as_positions(&self) -> Result<Option<Self>, Error> {
        if self.order != 1 || self.quantity != Quantity::Concordant {
            return Ok(None);
        }
        let (items, Some(weight)) = (self.items, self.weight.pairs()) else { return Ok(None) };
        let entries = match weight {
            PairWeight::Count { top } => {
                memory::collect((0..items).map(|rank| f64::from(u8::from(rank < top.unwrap_or(items)))))?.into()
            }
            PairWeight::Sums(u) | PairWeight::Products(u) => u.clone(),
            // The average weight: the kernel is the mean over k of the top-k kernels.
            PairWeight::Average => {
                let one = (items as f64).sqrt().recip();
                let ranks = (1..=items).flat_map(|k| (0..items).map(move |rank| if rank < k { one } else { 0.0 }));
                memory::collect(ranks)?.into()
            }
        };
        let weight = TensorWeight::Tensor { order: 1, entries };
        Ok(Some(Self { normalized: self.normalized, ..Self::new(weight.into(), 2, items, self.quantity) }))
    }

    /// The same measure with the absolute values of the weights, if some weights are negative.
    pub(crate) fn without_signs(&self) -> Result<Option<Self>, Error> {
        let weight = self.weight.pairs().map(PairWeight::without_signs).transpose()?.flatten();
        Ok(weight.map(|weight| Self::new(weight.into(), self.order, self.items, self.quantity)))
    }

    /// Whether lists have to be expanded to rankings of all items. This costs little here, because the weights have a
    /// number for each pair of items anyway.
    pub(crate) fn needs_all_items(&self) -> bool {
        self.weight.is_general()
    }

    /// Whether small values mean that rankings are similar.
    pub(crate) fn is_distance(&self) -> bool {
        self.quantity == Quantity::Discordant
    }

    /// The rate of a Mallows kernel.
    pub(crate) fn rate(&self) -> Option<f64> {
        match self.quantity {
            Quantity::Mallows(rate) => Some(rate),
            Quantity::Concordant | Quantity::Signed | Quantity::Discordant => None,
        }
    }

    /// Whether values are divided by the self-similarity.
    pub(crate) fn is_normalized(&self) -> bool {
        self.normalized
    }

    /// An upper bound of the absolute values.
    pub(crate) fn largest(&self) -> f64 {
        // For a kernel, no value is larger than the value of equal rankings. For a measure that was not checked to be a
        // kernel, a value can be larger.
        match self.weight.unchecked_kernel() {
            Some(entries) => {
                let largest = entries.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
                self.finished(largest * pair::pairs_of(self.items as u64) as f64)
            }
            None => self.self_similarity(),
        }
    }

    /// Whether the value is the same for the two rankings in either order.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Whether the value is 0 for all pairs of rankings. If a kernel is 0 for a ranking and itself, this follows from
    /// the Cauchy-Schwarz inequality.
    pub(crate) fn is_zero(&self) -> bool {
        let sum = matches!(self.quantity, Quantity::Concordant | Quantity::Signed);
        sum && self.weight.unchecked_kernel().is_none() && self.own() == 0.0
    }

    /// Whether the order is not 2.
    pub(crate) fn is_ordered(&self) -> bool {
        self.order != 2
    }

    /// The weight of pairs or tuples of items.
    pub(crate) fn weight(&self) -> &WeightKind {
        &self.weight
    }

    /// Whether a pair adds a number that depends only on its later item.
    pub(crate) fn is_later(&self) -> bool {
        self.weight.pairs().is_some_and(PairWeight::is_later)
    }

    /// The number of items in a tuple.
    pub(crate) fn order(&self) -> usize {
        self.order
    }

    /// Whether the discordant sum is subtracted.
    pub(crate) fn is_signed(&self) -> bool {
        self.quantity == Quantity::Signed
    }

    /// Whether the value is the plain concordant sum.
    pub(crate) fn is_concordant(&self) -> bool {
        self.quantity == Quantity::Concordant
    }

    /// The weight, and whether the sum is signed, if the measure is a weighted sum that [`KendallMeasure::value_from_sum`] supports.
    pub(crate) fn summed(&self) -> Option<(&WeightKind, bool)> {
        let signed = match self.quantity {
            Quantity::Concordant => false,
            Quantity::Signed => true,
            Quantity::Discordant | Quantity::Mallows(_) => return None,
        };
        let summed = match &self.weight {
            WeightKind::Tensors(_) => !signed,
            WeightKind::Pairs(PairWeight::Sums(_) | PairWeight::Products(_)) => self.order == 2,
            WeightKind::Pairs(PairWeight::Count { .. } | PairWeight::Average) | WeightKind::Quadruples(_) => false,
        };
        summed.then_some((&self.weight, signed))
    }

    /// The value for the sum of [`KendallMeasure::summed`].
    pub(crate) fn value_from_sum(&self, sum: f64) -> f64 {
        self.finished(sum)
    }

    /// The factor by which sums are multiplied.
    pub(crate) fn scale(&self) -> f64 {
        if self.normalized { ratio(1.0, self.own()) } else { 1.0 }
    }

    /// What is counted, if the measure is a function of a count of concordant pairs that [`KendallMeasure::value_from_count`]
    /// supports.
    pub(crate) fn counted(&self) -> Option<Counted> {
        let counted = match self.weight.pairs()? {
            PairWeight::Count { top: None } => Counted::All,
            &PairWeight::Count { top: Some(k) } if self.is_concordant() => Counted::Top(k),
            PairWeight::Average if self.is_concordant() => Counted::Later,
            PairWeight::Count { .. } | PairWeight::Average | PairWeight::Sums(_) | PairWeight::Products(_) => {
                return None;
            }
        };
        (self.order == 2).then_some(counted)
    }

    /// If [`KendallMeasure::value_from_count`] only divides the count by two numbers, these two numbers, in this order.
    pub(crate) fn count_divisors(&self) -> Option<(f64, f64)> {
        let whole = if self.is_later() { self.items.max(1) as f64 } else { 1.0 };
        let own = if self.normalized { self.own() } else { 1.0 };
        (self.quantity == Quantity::Concordant && own > 0.0).then_some((whole, own))
    }

    /// The value for the count of [`KendallMeasure::counted`].
    #[inline]
    pub(crate) fn value_from_count(&self, count: u64) -> f64 {
        let all = pair::pairs_of(self.items as u64);
        let value = match self.quantity {
            Quantity::Concordant if self.is_later() => count as f64 / self.items.max(1) as f64,
            Quantity::Concordant => count as f64,
            Quantity::Signed => pair::balance(count.into(), all.into()),
            Quantity::Discordant => (all - count) as f64,
            Quantity::Mallows(lambda) => (-lambda * (all - count) as f64).exp(),
        };
        self.finished(value)
    }
}

/// Whether a matrix equals its transpose (`Some(true)`) or minus its transpose (`Some(false)`).
pub(crate) fn symmetry(entries: &[f64], items: usize) -> Option<bool> {
    if entries.len() != items * items {
        return None;
    }
    [true, false].into_iter().find(|&same| {
        (0..items).all(|row| {
            (0..=row).all(|column| {
                let mirrored = entries[column * items + row];
                entries[row * items + column] == if same { mirrored } else { -mirrored }
            })
        })
    })
}
