//! The weights as the engines see them: a few kinds of terms.

use crate::error::Error;
use crate::memory::{self, Shared};

/// The term of a concordant pair of items, or of a tuple of any number of them. Ranks count from 0; a pair has the
/// ranks `a < b` in one ranking and `c < d` in the other. Matches over it name every kind, so that the compiler finds
/// all places that a new kind affects.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lowered {
    /// 1, if all ranks are below `top`.
    Count {
        /// `None` for all ranks.
        top: Option<usize>,
    },
    /// `(n - max(b, d)) / n`: a number of the later item.
    Later,
    /// `(u[a] + u[b]) (u[c] + u[d])`: a product of sums of numbers.
    Sums(Shared),
    /// `u[a] u[b] u[c] u[d]`: a product of numbers.
    Products(Shared),
    /// `U[a, b] U[c, d]` for all tuples, concordant or not, summed over tensors with `order` axes.
    Tensor { order: usize, entries: Shared },
    /// The same for a tensor given as a sum of products of vectors.
    Factors { order: usize, vectors: Shared },
    /// `W[a, b, c, d]`.
    Quadruples(Shared),
}

impl Lowered {
    /// Whether weights are given for all tuples of positions rather than by name.
    pub(crate) fn is_general(&self) -> bool {
        match self {
            Self::Tensor { .. } | Self::Factors { .. } | Self::Quadruples(_) => true,
            Self::Count { .. } | Self::Later | Self::Sums(_) | Self::Products(_) => false,
        }
    }

    /// The entries, if they have not been checked to make a kernel.
    pub(crate) fn unchecked_kernel(&self) -> Option<&[f64]> {
        match self {
            Self::Quadruples(entries) => Some(entries),
            Self::Count { .. }
            | Self::Later
            | Self::Sums(_)
            | Self::Products(_)
            | Self::Tensor { .. }
            | Self::Factors { .. } => None,
        }
    }

    /// Whether the terms of a self-similarity can be of both signs.
    pub(crate) fn can_cancel(&self) -> bool {
        match self {
            Self::Factors { vectors: numbers, .. } | Self::Sums(numbers) | Self::Products(numbers) => {
                numbers.iter().any(|&number| number < 0.0)
            }
            Self::Count { .. } | Self::Later | Self::Tensor { .. } | Self::Quadruples(_) => false,
        }
    }

    /// Whether pairs add a number of their later item.
    pub(crate) fn is_later(&self) -> bool {
        *self == Self::Later
    }

    /// Whether all concordant pairs have weight 1.
    pub(crate) fn counts_all(&self) -> bool {
        *self == Self::Count { top: None }
    }

    /// The position weights of the named weights that have some.
    fn position_weights(&self) -> &[f64] {
        match self {
            Self::Sums(values) | Self::Products(values) => values,
            Self::Count { .. } | Self::Later | Self::Tensor { .. } | Self::Factors { .. } | Self::Quadruples(_) => &[],
        }
    }

    /// Whether any position weight is negative.
    pub(crate) fn has_negative(&self) -> bool {
        self.position_weights().iter().any(|&value| value < 0.0)
    }

    /// The same weight with the absolute values of its position weights, if any is negative.
    pub(crate) fn without_signs(&self) -> Result<Option<Self>, Error> {
        if !self.has_negative() {
            return Ok(None);
        }
        let sizes = memory::collect(self.position_weights().iter().map(|value| value.abs()))?.into();
        Ok(match self {
            Self::Sums(_) => Some(Self::Sums(sizes)),
            Self::Products(_) => Some(Self::Products(sizes)),
            Self::Count { .. } | Self::Later | Self::Tensor { .. } | Self::Factors { .. } | Self::Quadruples(_) => None,
        })
    }

    /// The same weight with the weights of the first positions only.
    pub(crate) fn of_first(&self, positions: usize) -> Result<Self, Error> {
        let first = |values: &[f64]| memory::collect(values.iter().take(positions).copied()).map(Into::into);
        Ok(match self {
            Self::Sums(values) => Self::Sums(first(values)?),
            Self::Products(values) => Self::Products(first(values)?),
            Self::Count { .. } | Self::Later | Self::Tensor { .. } | Self::Factors { .. } | Self::Quadruples(_) => {
                self.clone()
            }
        })
    }
}
