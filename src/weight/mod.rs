//! The weights of tuples of positions, as given by the user.
//!
//! ```text
//! mod           Weight and Factor, as given by the user, and their names
//!   tails       means of weights for lists out of a catalogue
//!   means       means of weights for tied items
//!   mean_tensor the same for tensors of weights
//!   scale       powers of two that keep sums of products in range; multiplication by them, which is exact
//!   checked     refuses weights that do not match the number of items
//!   own         the value of a kernel for a ranking and itself, in closed form
//!   kinds       the few kinds of terms that engines distinguish; they never see a weight by name
//!   pair        the term of a pair of items, for each kind of term: one trait
//! ```
//!
//! To add a weight, add three things: a variant of [`Weight`], an arm of `Weight::given`, which converts the weight to
//! a kind of term, and a row of [`WEIGHTS`]. If the weight matches none of the kinds of terms in [`kinds`], add a kind
//! there too. The compiler then names every place that has to handle the new kind.

pub(crate) mod checked;
pub(crate) mod kinds;
pub(crate) mod mean_tensor;
pub(crate) mod means;
pub(crate) mod own;
pub(crate) mod pair;
pub(crate) mod scale;
pub(crate) mod tails;

use std::sync::Arc;

use crate::error::Error;
use crate::memory;
use kinds::{PairWeight, TensorWeight, WeightKind};

/// Position weights `u`, from the most preferred position down.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Factor {
    /// `u_r = 1 / (r + 1)` for rank r = 1..n, as in average precision.
    Hyperbolic,
    /// `u_r = 1 / log2(r + 1)` for rank r = 1..n, as in discounted cumulative gain.
    Log,
    /// `u_r = 1 / (r - 1)` for rank r = 2..n and 0 for the first, as in AP correlation.
    Ap,
    /// Any finite numbers, one for each position. The first number is the weight of the most preferred position.
    Values(Vec<f64>),
}

impl Factor {
    /// The weights of `items` positions.
    ///
    /// # Errors
    /// Returns an error when the values of [`Factor::Values`] are not `items` finite numbers.
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
            Self::Ap => memory::collect(ranks.map(|rank| if rank > 1.0 { 1.0 / (rank - 1.0) } else { 0.0 })),
            Self::Values(values) if values.len() != items => Err(Error::FactorLength { given: values.len(), items }),
            Self::Values(values) => match values.iter().position(|value| !value.is_finite()) {
                Some(position) => Err(Error::FactorNotFinite { position, value: values[position] }),
                None => memory::collect(values.iter().copied()),
            },
        }
    }
}

/// The weight of a concordant pair of items. Below, the two items have ranks `a < b` in one ranking and `c < d` in the
/// other ranking. Ranks count from 1, the most preferred; `n` is the number of items.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Weight {
    /// 1: the Kendall kernel.
    #[default]
    Standard,
    /// 1 if all four ranks are at most `k`, otherwise 0.
    Top(usize),
    /// `(u[a] + u[b]) * (u[c] + u[d])`.
    Add(Factor),
    /// `u[a] * u[b] * u[c] * u[d]`.
    Mult(Factor),
    /// `(n + 1 - max(b, d)) / n`: the mean of the top-k kernels over k = 1..n.
    Average,
    /// `u[b] * u[d]`: only the ranks of the later item matter. With [`Factor::Ap`], the kernel is a positive definite
    /// relative of AP correlation.
    Later(Factor),
    /// Any n x n matrix U, row by row. Every ordered pair of items adds `U[a][b] * U[c][d]`, concordant or not. Every
    /// item also forms such a pair with itself. A pair of rankings takes O(n^2).
    Matrix(Vec<f64>),
    /// Any number of tensors with `order` axes of length n, one after another. In each tensor, every tuple of `order`
    /// items has a weight for its ranks in one ranking and a weight for its ranks in the other ranking. The tuple adds
    /// the product of the two weights, summed over the tensors. A matrix is a tensor of order 2.
    Tensor {
        /// The number of axes of each tensor.
        order: usize,
        /// All weights; the last axis varies fastest.
        entries: Arc<[f64]>,
    },
    /// A tensor that is a sum of terms. Each term is a product of `order` vectors of length n. A pair of rankings takes
    /// O(terms^2 order n).
    Factors {
        /// The number of axes of the tensor. A term has as many vectors.
        order: usize,
        /// The vectors of the first term, one for each axis, then the vectors of the second term, and so on.
        vectors: Arc<[f64]>,
    },
    /// Any n x n x n x n array W: a concordant pair adds `W[a][b][c][d]`. Only entries with `a < b` and `c < d` are
    /// used. View W as a matrix whose rows are the pairs (a, b) and whose columns are the pairs (c, d). If this matrix
    /// is symmetric and positive semi-definite, the measure is a kernel; this is not checked. A pair of rankings takes
    /// O(n^2).
    Quadruples(Arc<[f64]>),
}

/// The names of position weights.
pub const FACTORS: [(&str, Factor); 3] = [("hyperbolic", Factor::Hyperbolic), ("log", Factor::Log), ("ap", Factor::Ap)];

/// A weight that has a name.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct NamedWeight {
    /// The name of the weight.
    pub name: &'static str,
    /// What a concordant pair adds, with ranks a < b in one ranking and c < d in the other.
    pub adds: &'static str,
    /// Whether sums are whole numbers.
    pub is_count: bool,
    /// The parameter of the weight, and how the weight is made from it.
    pub needs: Needs,
}

/// The parameter of a named weight, and the function that makes the weight from it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Needs {
    /// No parameter.
    Nothing(fn() -> Weight),
    /// A number of ranks, `k`.
    K(fn(usize) -> Weight),
    /// Position weights, `u`.
    U(fn(Factor) -> Weight),
}

impl Needs {
    /// The name of the parameter.
    #[must_use]
    pub fn parameter(self) -> Option<&'static str> {
        match self {
            Self::Nothing(_) => None,
            Self::K(_) => Some("k"),
            Self::U(_) => Some("u"),
        }
    }
}

/// All weights that have names. The first is the default.
pub static WEIGHTS: &[NamedWeight] = &[
    NamedWeight { name: "standard", adds: "1", is_count: true, needs: Needs::Nothing(|| Weight::Standard) },
    NamedWeight {
        name: "top",
        adds: "1 if all four ranks are at most k",
        is_count: true,
        needs: Needs::K(Weight::Top),
    },
    NamedWeight { name: "add", adds: "(u[a] + u[b]) (u[c] + u[d])", is_count: false, needs: Needs::U(Weight::Add) },
    NamedWeight { name: "mult", adds: "u[a] u[b] u[c] u[d]", is_count: false, needs: Needs::U(Weight::Mult) },
    NamedWeight {
        name: "average",
        adds: "(n + 1 - max(b, d)) / n",
        is_count: false,
        needs: Needs::Nothing(|| Weight::Average),
    },
    NamedWeight { name: "later", adds: "u[b] u[d]", is_count: false, needs: Needs::U(Weight::Later) },
];

impl Weight {
    /// The numbers `u` of a weight `u[b] u[d]` of the later item. For such a weight, `measure/item_weighted.rs` needs
    /// no number for each two positions.
    pub(crate) fn of_later_item(&self) -> Option<Factor> {
        match self {
            Self::Later(factor) => Some(factor.clone()),
            Self::Standard
            | Self::Top(_)
            | Self::Add(_)
            | Self::Mult(_)
            | Self::Average
            | Self::Matrix(_)
            | Self::Tensor { .. }
            | Self::Factors { .. }
            | Self::Quadruples(_) => None,
        }
    }

    /// The weight in the form that the engines use, after a check that it matches the number of items.
    pub(crate) fn check(&self, items: usize) -> Result<WeightKind, Error> {
        self.given(items)?.checked(items)
    }

    /// The same as [`Weight::check`], but all numbers are multiplied by the power of two that brings the largest number
    /// near 1.
    pub(crate) fn check_rescaled(&self, items: usize) -> Result<WeightKind, Error> {
        self.given(items)?.scaled_to_unit(items)?.checked(items)
    }

    /// The kind of term before any check: its numbers may be too large, and there may be too many or too few of them.
    fn given(&self, items: usize) -> Result<WeightKind, Error> {
        Ok(match self {
            Self::Standard => PairWeight::Count { top: None }.into(),
            &Self::Top(k) => PairWeight::Count { top: Some(k) }.into(),
            Self::Add(factor) => PairWeight::Sums(factor.values(items)?.into()).into(),
            Self::Mult(factor) => PairWeight::Products(factor.values(items)?.into()).into(),
            Self::Average => PairWeight::Average.into(),
            Self::Later(factor) => later_tensor(&factor.values(items)?)?.into(),
            Self::Matrix(entries) => {
                if checked::power(items, 2)? != entries.len() {
                    return Err(Error::WeightShape { given: entries.len(), arrays: 1, axes: 2, items });
                }
                TensorWeight::Tensor { order: 2, entries: memory::collect(entries.iter().copied())?.into() }.into()
            }
            Self::Tensor { order, entries } => TensorWeight::Tensor { order: *order, entries: entries.into() }.into(),
            Self::Factors { order, vectors } => TensorWeight::Factors { order: *order, vectors: vectors.into() }.into(),
            Self::Quadruples(entries) => WeightKind::Quadruples(entries.into()),
        })
    }
}

/// The weight "later" as a tensor, with a number for each two positions.
pub(crate) fn later_tensor(u: &[f64]) -> Result<TensorWeight, Error> {
    let mut entries = memory::with_capacity(checked::power(u.len(), 2)?)?;
    for a in 0..u.len() {
        entries.extend(u.iter().enumerate().map(|(b, &u)| if a < b { u } else { 0.0 }));
    }
    Ok(TensorWeight::Tensor { order: 2, entries: entries.into() })
}
