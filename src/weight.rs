//! The weights of position pairs, as given and as checked.

use crate::error::Error;

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
            Self::Hyperbolic => Ok(ranks.map(|rank| 1.0 / (rank + 1.0)).collect()),
            Self::Log => Ok(ranks.map(|rank| 1.0 / (rank + 1.0).log2()).collect()),
            Self::Values(values) if values.len() != items => Err(Error::FactorLength { given: values.len(), items }),
            Self::Values(values) => match values.iter().position(|value| !value.is_finite()) {
                Some(position) => Err(Error::FactorNotFinite { position, value: values[position] }),
                None => Ok(values.clone()),
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
}

/// A weight whose parameters fit the number of items: finite, of the right length, safe from overflow.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ValidWeight {
    Standard,
    Top(usize),
    Add(Vec<f64>),
    Mult(Vec<f64>),
    Average,
    Matrix(Vec<f64>),
}

impl Weight {
    pub(crate) fn check(&self, items: usize) -> Result<ValidWeight, Error> {
        Ok(match self {
            Self::Standard => ValidWeight::Standard,
            // With no items there is nothing to rank, and k = 1 is the least harmful thing to say.
            &Self::Top(k) if (1..=items.max(1)).contains(&k) => ValidWeight::Top(k),
            &Self::Top(k) => return Err(Error::TopOutOfRange { k, items }),
            Self::Add(factor) => ValidWeight::Add(checked_factor(factor, items)?),
            Self::Mult(factor) => ValidWeight::Mult(checked_factor(factor, items)?),
            Self::Average => ValidWeight::Average,
            Self::Matrix(entries) => ValidWeight::Matrix(checked_matrix(entries, items)?),
        })
    }
}

impl ValidWeight {
    /// Scaled by a power of two so that the largest weight is near 1; what does not depend on the scale of the weights
    /// then neither overflows nor underflows.
    pub(crate) fn scaled(mut self) -> Self {
        if let Self::Add(values) | Self::Mult(values) | Self::Matrix(values) = &mut self {
            let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
            // Twice a smaller power, because the inverse of a subnormal number is infinite.
            let exponent = -largest.log2().round().clamp(-1000.0, 1000.0);
            if largest > 0.0 && exponent != 0.0 {
                let half = (exponent / 2.0).trunc().exp2();
                let rest = (exponent - (exponent / 2.0).trunc()).exp2();
                for value in values.iter_mut() {
                    *value = *value * half * rest;
                }
            }
        }
        self
    }
}

fn checked_factor(factor: &Factor, items: usize) -> Result<Vec<f64>, Error> {
    let values = factor.values(items)?;
    // Sums of `add` have at most n^2 / 2 terms of 4 u^2, those of `mult` of u^4; both are tripled on the way to a signed sum.
    let fits = |u: f64| (u * u * u.max(2.0) * u.max(2.0) * 3.0 * (items as f64).powi(2)).is_finite();
    match values.iter().position(|value| !fits(value.abs())) {
        Some(position) => Err(Error::FactorTooLarge { position, value: values[position] }),
        None => Ok(values),
    }
}

fn checked_matrix(entries: &[f64], items: usize) -> Result<Vec<f64>, Error> {
    if items.checked_mul(items) != Some(entries.len()) {
        return Err(Error::MatrixShape { given: entries.len(), items });
    }
    let fits = |value: f64| (value * value * (items as f64).powi(2)).is_finite();
    match entries.iter().position(|&value| !fits(value)) {
        Some(at) => Err(Error::MatrixEntry { row: at / items, column: at % items, value: entries[at] }),
        None => Ok(entries.to_vec()),
    }
}
