//! Refuses weights that cannot be used: too many or too few numbers for the number of items, numbers that are not
//! finite, and numbers so large that sums overflow.

use super::kinds::{PairWeight, TensorWeight, WeightKind};
use crate::error::Error;
use crate::memory::{self, Shared};

impl WeightKind {
    /// Returns an error for weights that do not match the number of items. A top-k weight whose k is the number of
    /// items becomes the count of all pairs.
    pub(crate) fn checked(self, items: usize) -> Result<Self, Error> {
        match &self {
            &Self::Pairs(PairWeight::Count { top: Some(k) }) if k == items && k > 0 => {
                return Ok(PairWeight::Count { top: None }.into());
            }
            Self::Pairs(weight) => weight.check(items)?,
            Self::Tensors(TensorWeight::Tensor { order, entries }) => check_tensors(entries, items, *order, None)?,
            Self::Tensors(TensorWeight::Factors { order, vectors }) => check_factors(vectors, items, *order)?,
            Self::Quadruples(entries) => return Ok(Self::Quadruples(checked_quadruples(entries.clone(), items)?)),
        }
        Ok(self)
    }
}

impl PairWeight {
    fn check(&self, items: usize) -> Result<(), Error> {
        match self {
            Self::Count { top: None } | Self::Average => Ok(()),
            // If there are no items, k = 1 is accepted.
            &Self::Count { top: Some(k) } if (1..=items.max(1)).contains(&k) => Ok(()),
            &Self::Count { top: Some(k) } => Err(Error::TopOutOfRange { k, items }),
            Self::Sums(values) | Self::Products(values) => check_factor(values, items),
        }
    }

    /// Returns an error for an order for which sums over tuples can overflow. Intermediate sums of lower orders are
    /// checked too.
    pub(crate) fn check_order(&self, order: usize, items: usize) -> Result<(), Error> {
        if self.fits_order(order, items) {
            return Ok(());
        }
        match self {
            Self::Sums(u) | Self::Products(u) if Self::Count { top: None }.fits_order(order, items) => {
                let largest = u.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
                let (position, &value) = largest.unwrap_or((0, &0.0));
                Err(Error::FactorTooLarge { position, value })
            }
            Self::Count { .. } | Self::Average | Self::Sums(_) | Self::Products(_) => {
                Err(Error::OrderTooHigh { order, items })
            }
        }
    }

    fn fits_order(&self, order: usize, items: usize) -> bool {
        // Two logarithms: of the number of tuples, and of the number of ways to order one tuple. A weighted sum has two
        // upper bounds. The first is the number of tuples times the largest weight of a tuple. The second is a power of
        // the sum over single items, divided by the number of ways.
        let (mut tuples, mut ways) = (0.0, 0.0);
        let (mut largest, mut squares) = (0.0_f64, 0.0);
        if let Self::Sums(u) | Self::Products(u) = self {
            largest = u.iter().fold(0.0, |largest, u| largest.max(u.abs()));
            squares = u.iter().map(|u| u * u).sum::<f64>();
        }
        (1..=order.min(items)).all(|length| {
            let count = length as f64;
            tuples += ((items - length + 1) as f64 / count).ln();
            ways += count.ln();
            let size = match self {
                Self::Products(_) => (2.0 * count * largest.ln() + tuples).min(count * squares.ln() - ways),
                Self::Sums(_) => tuples + 2.0 * (count * largest).max(1.0).ln(),
                Self::Count { .. } | Self::Average => tuples,
            };
            // The largest float64 is about exp(709).
            size < 700.0
        })
    }
}

fn check_factor(values: &[f64], items: usize) -> Result<(), Error> {
    // Sums have at most n^2 / 2 terms. A term is at most 4 u^2 for `add`, and u^4 for `mult`. The computation of a
    // signed sum can reach three times the sum.
    let fits = |u: f64| (u * u * u.max(2.0) * u.max(2.0) * 3.0 * (items as f64).powi(2)).is_finite();
    match values.iter().position(|value| !fits(value.abs())) {
        Some(position) => Err(Error::FactorTooLarge { position, value: values[position] }),
        None => Ok(()),
    }
}

/// Checks the entries of any number of tensors, or of `arrays` tensors if this is given.
pub(crate) fn check_tensors(entries: &[f64], items: usize, axes: usize, arrays: Option<usize>) -> Result<(), Error> {
    let size = power(items, axes)?;
    let fits = match arrays {
        Some(arrays) => arrays * size == entries.len(),
        None => entries.len().checked_rem(size).unwrap_or(entries.len()) == 0,
    };
    if !fits {
        return Err(Error::WeightShape { given: entries.len(), arrays: arrays.unwrap_or(1), axes, items });
    }
    check_entries("U", entries, items, axes, |value| value * value * entries.len() as f64)
}

/// Returns the length of a term, or an error if the vectors are not a whole number of terms.
pub(super) fn check_length(vectors: &[f64], items: usize, axes: usize) -> Result<usize, Error> {
    let size = axes.checked_mul(items).filter(|_| axes > 0).ok_or(Error::Order { order: axes })?;
    if vectors.len().checked_rem(size).unwrap_or(vectors.len()) != 0 {
        return Err(Error::WeightShape { given: vectors.len(), arrays: axes, axes: 1, items });
    }
    Ok(size)
}

fn check_factors(vectors: &[f64], items: usize, axes: usize) -> Result<(), Error> {
    let size = check_length(vectors, items, axes)?;
    let terms = (vectors.len() / size.max(1)) as f64;
    check_entries("the factors of U", vectors, items, 1, |value| {
        // This is a sum and not a maximum, because the maximum of 1 and NaN is 1.
        ((1.0 + value * value) * items as f64).powi(axes as i32) * terms * terms
    })
}

/// The weights of two positions and two values in the same order. The other entries are never used and become 0.
fn checked_quadruples(entries: Shared, items: usize) -> Result<Shared, Error> {
    if power(items, 4)? != entries.len() {
        return Err(Error::WeightShape { given: entries.len(), arrays: 1, axes: 4, items });
    }
    let counts = |index: usize| {
        let (positions, values) = (index / (items * items), index % (items * items));
        positions / items < positions % items && values / items < values % items
    };
    let kept = |(index, &entry): (usize, &f64)| if counts(index) { entry } else { 0.0 };
    let plain = entries.iter().enumerate().all(|(index, &entry)| entry == 0.0 || counts(index));
    let checked = if plain { entries } else { memory::collect(entries.iter().enumerate().map(kept))?.into() };
    check_entries("W", &checked, items, 4, |value| value * (items as f64).powi(2))?;
    Ok(checked)
}

/// Returns an error for an entry for which `size`, an upper bound of sums, is not finite.
fn check_entries(
    name: &'static str,
    entries: &[f64],
    items: usize,
    axes: usize,
    size: impl Fn(f64) -> f64,
) -> Result<(), Error> {
    match entries.iter().position(|&value| !size(value).is_finite()) {
        None => Ok(()),
        Some(index) => {
            let mut rest = index;
            let mut at: Vec<usize> = (0..axes)
                .map(|_| {
                    let place = rest % items;
                    rest /= items;
                    place
                })
                .collect();
            if entries.len() > items.pow(axes as u32) {
                at.push(rest);
            }
            at.reverse();
            Err(Error::WeightEntry { name, at, value: entries[index] })
        }
    }
}

pub(super) fn power(items: usize, axes: usize) -> Result<usize, Error> {
    if axes == 0 {
        return Err(Error::Order { order: 0 });
    }
    items.checked_pow(axes as u32).ok_or(Error::OrderTooHigh { order: axes, items })
}
