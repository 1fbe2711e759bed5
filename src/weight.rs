//! The weights of tuples of positions, as given and as checked.

pub(crate) mod pair;
pub(crate) mod scale;

use std::sync::Arc;

use crate::error::Error;
use crate::memory::{self, Shared};
use crate::parallel::Stop;
use scale::{exponent, scaled};

/// Position weights `u`, from the most preferred position down.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Factor {
    /// `u_r = 1 / (r + 1)` for rank r = 1..n, as in average precision.
    Hyperbolic,
    /// `u_r = 1 / log2(r + 1)` for rank r = 1..n, as in discounted cumulative gain.
    Log,
    /// Any finite numbers, one a position; the first belongs to the most preferred.
    Values(Vec<f64>),
}

impl Factor {
    /// The weights of `items` positions.
    ///
    /// # Errors
    /// When given values are not `items` finite numbers.
    ///
    /// ```
    /// use wkendall::Factor;
    /// assert_eq!(Factor::Hyperbolic.values(3)?, [0.5, 1.0 / 3.0, 0.25]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn values(&self, items: usize) -> Result<Vec<f64>, Error> {
        let ranks = (1..=items).map(|rank| rank as f64);
        match self {
            Self::Hyperbolic => memory::collect(ranks.map(|rank| 1.0 / (rank + 1.0))),
            Self::Log => memory::collect(ranks.map(|rank| 1.0 / (rank + 1.0).log2())),
            Self::Values(values) if values.len() != items => Err(Error::FactorLength { given: values.len(), items }),
            Self::Values(values) => match values.iter().position(|value| !value.is_finite()) {
                Some(position) => Err(Error::FactorNotFinite { position, value: values[position] }),
                None => memory::collect(values.iter().copied()),
            },
        }
    }
}

/// What a concordant pair of items adds to the kernel. Below, the pair's two items have ranks `a < b` in one ranking and
/// `c < d` in the other, counting from 1, the most preferred first; `n` is the number of items.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Weight {
    /// 1: the Kendall kernel.
    Standard,
    /// 1 if all four ranks are at most `k`, otherwise 0.
    Top(usize),
    /// `(u[a] + u[b]) * (u[c] + u[d])`.
    Add(Factor),
    /// `u[a] * u[b] * u[c] * u[d]`.
    Mult(Factor),
    /// `(n + 1 - max(b, d)) / n`: the mean of the top-k kernels over k = 1..n.
    Average,
    /// Any n x n matrix U, row by row: every ordered pair of items, concordant or not and an item with itself too, adds
    /// `U[a][b] * U[c][d]`. Takes O(n^2) a pair of rankings.
    Matrix(Vec<f64>),
    /// Any number of tensors with `order` axes of length n, one after the other: every tuple of `order` items adds the product of
    /// the weights of its ranks in both rankings, summed over the tensors. A matrix is a tensor of order 2.
    Tensor {
        /// How many axes each has.
        order: usize,
        /// All weights; the last axis runs fastest.
        entries: Arc<[f64]>,
    },
    /// A tensor given as a sum of products of vectors: `terms` times `order` vectors of length n. Takes
    /// O(terms^2 order n) a pair of rankings.
    Factors {
        /// How many axes the tensor has: the vectors of a term.
        order: usize,
        /// The vectors of the first term, one for each axis, then those of the second.
        vectors: Arc<[f64]>,
    },
    /// Any n x n x n x n array W: a concordant pair adds `W[a][b][c][d]`. Only entries with `a < b` and `c < d` count. A kernel if W is
    /// symmetric and positive semi-definite as a matrix of pairs, which is not checked here. Takes O(n^2) a pair of rankings.
    Quadruples(Arc<[f64]>),
}

/// A weight whose parameters fit the number of items: finite, of the right length, safe from overflow.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ValidWeight {
    Standard,
    Top(usize),
    Add(Shared),
    Mult(Shared),
    Average,
    Tensor { order: usize, entries: Shared },
    Factors { order: usize, vectors: Shared },
    Quadruples(Shared),
}

impl Weight {
    pub(crate) fn check(&self, items: usize) -> Result<ValidWeight, Error> {
        self.given(items)?.checked(items)
    }

    /// As [`Weight::check`], times a power of two that brings the largest number near 1.
    pub(crate) fn check_rescaled(&self, items: usize) -> Result<ValidWeight, Error> {
        self.given(items)?.near_1(items)?.checked(items)
    }

    /// With numbers that may be too large, or too many or few of them.
    fn given(&self, items: usize) -> Result<ValidWeight, Error> {
        Ok(match self {
            Self::Standard => ValidWeight::Standard,
            &Self::Top(k) => ValidWeight::Top(k),
            Self::Add(factor) => ValidWeight::Add(factor.values(items)?.into()),
            Self::Mult(factor) => ValidWeight::Mult(factor.values(items)?.into()),
            Self::Average => ValidWeight::Average,
            Self::Matrix(entries) => {
                if power(items, 2)? != entries.len() {
                    return Err(Error::WeightShape { given: entries.len(), arrays: 1, axes: 2, items });
                }
                ValidWeight::Tensor { order: 2, entries: memory::collect(entries.iter().copied())?.into() }
            }
            Self::Tensor { order, entries } => ValidWeight::Tensor { order: *order, entries: entries.into() },
            Self::Factors { order, vectors } => ValidWeight::Factors { order: *order, vectors: vectors.into() },
            Self::Quadruples(entries) => ValidWeight::Quadruples(entries.into()),
        })
    }
}

impl ValidWeight {
    /// Refuses what does not fit the number of items.
    pub(crate) fn checked(self, items: usize) -> Result<Self, Error> {
        match &self {
            Self::Standard | Self::Average => {}
            // With no items there is nothing to rank, and k = 1 is the least harmful thing to say.
            &Self::Top(k) if (1..=items.max(1)).contains(&k) => {}
            &Self::Top(k) => return Err(Error::TopOutOfRange { k, items }),
            Self::Add(values) | Self::Mult(values) => check_factor(values, items)?,
            Self::Tensor { order, entries } => check_tensors(entries, items, *order, None)?,
            Self::Factors { order, vectors } => check_factors(vectors, items, *order)?,
            Self::Quadruples(entries) => return Ok(Self::Quadruples(checked_quadruples(entries.clone(), items)?)),
        }
        Ok(self)
    }

    /// Times a power of two that brings the largest number near 1, before anything is checked: what is not finite, or has another
    /// length, stays what it is.
    pub(crate) fn near_1(self, items: usize) -> Result<Self, Error> {
        let values = match &self {
            Self::Standard | Self::Top(_) | Self::Average => return Ok(self),
            Self::Add(values) | Self::Mult(values) | Self::Quadruples(values) => values,
            Self::Tensor { entries, .. } => entries,
            Self::Factors { vectors, .. } => vectors,
        };
        if values.iter().any(|value| !value.is_finite()) {
            return Ok(self);
        }
        let near_1 = |values: &[f64]| scaled(values, exponent(values)).map(Shared::from);
        Ok(match self {
            Self::Add(values) => Self::Add(near_1(&values)?),
            Self::Mult(values) => Self::Mult(near_1(&values)?),
            Self::Tensor { order, entries } => Self::Tensor { order, entries: near_1(&entries)? },
            Self::Factors { order, vectors } if check_length(&vectors, items, order).is_ok() => {
                Self::Factors { order, vectors: scale::balanced(&vectors, order, items)?.0.into() }
            }
            Self::Quadruples(entries) => Self::Quadruples(near_1(&entries)?),
            Self::Standard | Self::Top(_) | Self::Average | Self::Factors { .. } => self,
        })
    }

    /// Whether weights are given for all tuples of positions rather than by name.
    pub(crate) fn is_general(&self) -> bool {
        matches!(self, Self::Tensor { .. } | Self::Factors { .. } | Self::Quadruples(_))
    }

    /// Refuses an order for which sums over tuples, those of lower orders on the way included, may not be finite.
    pub(crate) fn check_order(&self, order: usize, items: usize) -> Result<(), Error> {
        if self.fits_order(order, items) {
            return Ok(());
        }
        match self {
            Self::Add(u) | Self::Mult(u) if Self::Standard.fits_order(order, items) => {
                let largest = u.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
                let (position, &value) = largest.unwrap_or((0, &0.0));
                Err(Error::FactorTooLarge { position, value })
            }
            _ => Err(Error::OrderTooHigh { order, items }),
        }
    }

    fn fits_order(&self, order: usize, items: usize) -> bool {
        // Logarithms of the number of tuples, and of the number of ways to order one: weighted sums are at most as large as all
        // tuples with the largest weight, and at most the power of the sum over single items over the number of ways.
        let (mut tuples, mut ways) = (0.0, 0.0);
        let (mut largest, mut squares) = (0.0_f64, 0.0);
        if let Self::Add(u) | Self::Mult(u) = self {
            largest = u.iter().fold(0.0, |largest, u| largest.max(u.abs()));
            squares = u.iter().map(|u| u * u).sum::<f64>();
        }
        (1..=order.min(items)).all(|length| {
            let count = length as f64;
            tuples += ((items - length + 1) as f64 / count).ln();
            ways += count.ln();
            let size = match self {
                Self::Mult(_) => (2.0 * count * largest.ln() + tuples).min(count * squares.ln() - ways),
                Self::Add(_) => tuples + 2.0 * (count * largest).max(1.0).ln(),
                _ => tuples,
            };
            // The largest float64 is the exponential of 709.
            size < 700.0
        })
    }

    /// Scaled by a power of two so that the self-similarity over tuples of `order` items neither overflows nor underflows; for what
    /// does not depend on the scale of the weights.
    pub(crate) fn scaled(self, order: usize, items: usize, stop: &Stop) -> Result<Self, Error> {
        match self {
            Self::Mult(values) => Ok(Self::Mult(scale::for_products(&values, order, stop)?.into())),
            Self::Standard
            | Self::Top(_)
            | Self::Average
            | Self::Add(_)
            | Self::Tensor { .. }
            | Self::Factors { .. }
            | Self::Quadruples(_) => self.near_1(items),
        }
    }

    /// The position weights of the named weights that have some.
    fn position_weights(&self) -> &[f64] {
        match self {
            Self::Add(values) | Self::Mult(values) => values,
            Self::Standard
            | Self::Top(_)
            | Self::Average
            | Self::Tensor { .. }
            | Self::Factors { .. }
            | Self::Quadruples(_) => &[],
        }
    }

    /// Whether any position weight is negative.
    pub(crate) fn has_negative(&self) -> bool {
        self.position_weights().iter().any(|&value| value < 0.0)
    }

    /// The same weight with position weights without their signs, if any is negative.
    pub(crate) fn without_signs(&self) -> Result<Option<Self>, Error> {
        if !self.has_negative() {
            return Ok(None);
        }
        let sizes = memory::collect(self.position_weights().iter().map(|value| value.abs()))?.into();
        Ok(Some(if matches!(self, Self::Add(_)) { Self::Add(sizes) } else { Self::Mult(sizes) }))
    }
}

fn check_factor(values: &[f64], items: usize) -> Result<(), Error> {
    // Sums of `add` have at most n^2 / 2 terms of 4 u^2, those of `mult` of u^4; both are tripled on the way to a signed sum.
    let fits = |u: f64| (u * u * u.max(2.0) * u.max(2.0) * 3.0 * (items as f64).powi(2)).is_finite();
    match values.iter().position(|value| !fits(value.abs())) {
        Some(position) => Err(Error::FactorTooLarge { position, value: values[position] }),
        None => Ok(()),
    }
}

/// Any number of tensors, or as many as are wanted.
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

/// Refuses vectors that are not those of whole terms; returns the numbers of a term.
fn check_length(vectors: &[f64], items: usize, axes: usize) -> Result<usize, Error> {
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
        // A sum, because the larger of 1 and NaN is 1.
        ((1.0 + value * value) * items as f64).powi(axes as i32) * terms * terms
    })
}

/// The weights of two positions and two values in the same order; the others never count and become 0.
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

/// Refuses an entry for which `size`, what sums can come to, is not finite.
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

fn power(items: usize, axes: usize) -> Result<usize, Error> {
    if axes == 0 {
        return Err(Error::Order { order: 0 });
    }
    items.checked_pow(axes as u32).ok_or(Error::OrderTooHigh { order: axes, items })
}
