//! The weights in the form that the engines use: a few kinds of terms. Each engine takes the kinds that it can compute.

use crate::error::Error;
use crate::memory::{self, Shared};

/// A weight of any kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WeightKind {
    /// The weights of concordant pairs, or of concordant tuples of any number of items.
    Pairs(PairWeight),
    /// Weights of all tuples of positions.
    Tensors(TensorWeight),
    /// `W[a, b, c, d]` for a concordant pair. It works only for complete rankings, one pair of rankings at a time.
    Quadruples(Shared),
}

/// The term of a concordant pair of items, or of a concordant tuple of items. Ranks count from 0. A pair has the ranks
/// `a < b` in one ranking and `c < d` in the other ranking.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PairWeight {
    /// 1 if all ranks are below `top`, otherwise 0.
    Count {
        /// `None` if there is no limit.
        top: Option<usize>,
    },
    /// `(n - max(b, d)) / n`: a number of the later item.
    Average,
    /// `(u[a] + u[b]) (u[c] + u[d])`: a product of sums of numbers.
    Sums(Shared),
    /// `u[a] u[b] u[c] u[d]`: a product of numbers.
    Products(Shared),
}

/// `U[a, b] U[c, d]` for all tuples of items, concordant or not.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TensorWeight {
    /// The entries of one or more tensors with `order` axes. The products are summed over the tensors.
    Tensor { order: usize, entries: Shared },
    /// A tensor that is given as a sum of products of vectors.
    Factors { order: usize, vectors: Shared },
}

impl From<PairWeight> for WeightKind {
    fn from(weight: PairWeight) -> Self {
        Self::Pairs(weight)
    }
}

impl From<TensorWeight> for WeightKind {
    fn from(weight: TensorWeight) -> Self {
        Self::Tensors(weight)
    }
}

impl TensorWeight {
    /// The number of axes.
    pub(crate) fn order(&self) -> usize {
        let (Self::Tensor { order, .. } | Self::Factors { order, .. }) = self;
        *order
    }
}

impl WeightKind {
    /// The weight of concordant pairs, if the weight is of this kind.
    pub(crate) fn pairs(&self) -> Option<&PairWeight> {
        if let Self::Pairs(weight) = self { Some(weight) } else { None }
    }

    /// Whether weights are given for all tuples of positions rather than by name.
    pub(crate) fn is_general(&self) -> bool {
        self.pairs().is_none()
    }

    /// The entries, if nothing has checked that they make a kernel.
    pub(crate) fn unchecked_kernel(&self) -> Option<&[f64]> {
        if let Self::Quadruples(entries) = self { Some(entries) } else { None }
    }

    /// Whether the terms of a self-similarity can be of both signs.
    pub(crate) fn can_cancel(&self) -> bool {
        match self {
            Self::Pairs(weight) => weight.has_negative(),
            Self::Tensors(TensorWeight::Factors { vectors, .. }) => vectors.iter().any(|&number| number < 0.0),
            Self::Tensors(TensorWeight::Tensor { .. }) | Self::Quadruples(_) => false,
        }
    }
}

impl PairWeight {
    /// Whether a pair adds a number that depends only on its later item.
    pub(crate) fn is_later(&self) -> bool {
        *self == Self::Average
    }

    /// Whether all concordant pairs have weight 1.
    pub(crate) fn counts_all(&self) -> bool {
        *self == Self::Count { top: None }
    }

    /// The position weights; empty if the weight has none.
    fn position_weights(&self) -> &[f64] {
        match self {
            Self::Sums(values) | Self::Products(values) => values,
            Self::Count { .. } | Self::Average => &[],
        }
    }

    /// Whether any position weight is negative.
    pub(crate) fn has_negative(&self) -> bool {
        self.position_weights().iter().any(|&value| value < 0.0)
    }

    /// The same weight with other position weights. A weight without position weights is unchanged.
    fn with_positions(&self, values: impl FnOnce(&[f64]) -> Result<Vec<f64>, Error>) -> Result<Self, Error> {
        Ok(match self {
            Self::Sums(old) => Self::Sums(values(old)?.into()),
            Self::Products(old) => Self::Products(values(old)?.into()),
            Self::Count { .. } | Self::Average => self.clone(),
        })
    }

    /// The same weight with the absolute values of its position weights, if any is negative.
    pub(crate) fn without_signs(&self) -> Result<Option<Self>, Error> {
        if !self.has_negative() {
            return Ok(None);
        }
        self.with_positions(|values| memory::collect(values.iter().map(|value| value.abs()))).map(Some)
    }

    /// The same weight with the weights of the first positions only.
    pub(crate) fn of_first(&self, positions: usize) -> Result<Self, Error> {
        self.with_positions(|values| memory::collect(values.iter().take(positions).copied()))
    }
}
