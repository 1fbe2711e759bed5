//! Measures: functions of a pair of rankings, with checked parameters.
//!
//! ```text
//! mod     the parameters
//! value   the value for one pair of rankings
//! form    the kind of sum or count from which the value follows, for the strategies of the Gram engine
//! ```

mod form;
mod value;

pub(crate) use form::{Counted, Mean, symmetry};

use std::sync::OnceLock;

use crate::error::Error;
use crate::kappa;
use crate::parallel::Stop;
use crate::weight::Weight;
use crate::weight::lowered::Lowered;
use crate::weight::own::own;

/// A checked function of two rankings of a given number of items: a kernel, a distance or a correlation.
///
/// Every measure is right-invariant: it depends only on the permutation `t o s^-1`, which gives the rank in `t` of the
/// item at position a in `s`. It is also exactly symmetric: swapping the two rankings inverts this permutation, and the
/// value is always computed from the one that comes first in lexicographic order. The only exception is
/// [`Weight::Quadruples`] without symmetry.
///
/// A self-similarity of at most 1e-12 times the sum of the absolute values of its terms is a rounding error: it becomes
/// 0, and so does every normalized value with that ranking. Normalized kernels are between -1 and 1.
///
/// ```
/// use wkendall::{Factor, Measure, Rankings, Weight, Workspace};
/// let x = Rankings::from_ranks(2, 4, &[1, 2, 3, 4, 2, 1, 3, 4])?;
/// let kendall = Measure::kernel(&Weight::Standard, 4)?;
/// let mut workspace = Workspace::new(4);
/// assert_eq!(kendall.between(x.row(0), x.row(1), &mut workspace)?, 5.0);
/// let tau = kendall.signed()?.normalized();
/// assert_eq!(tau.between(x.row(0), x.row(1), &mut workspace)?, 4.0 / 6.0);
/// # Ok::<(), wkendall::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Measure {
    items: usize,
    weight: Lowered,
    /// The number of items in the tuples of named weights.
    order: usize,
    quantity: Quantity,
    /// The sum over all tuples for a ranking and itself, which is the same for all rankings; computed when needed.
    own: OnceLock<f64>,
    /// Whether the two rankings can be swapped.
    symmetric: bool,
    /// Whether terms of a sum can cancel.
    cancels: bool,
    /// Whether sums are divided by `own`.
    normalized: bool,
}

/// How the value follows from the concordant pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Quantity {
    Concordant,
    Signed,
    Correlation,
    Discordant,
    Mallows(f64),
}

impl Quantity {
    /// Refuses, by its name, all but the sums of weights that are kernels.
    fn weighted(self) -> Result<(), &'static str> {
        match self {
            Self::Concordant | Self::Signed => Ok(()),
            Self::Correlation => Err("a correlation"),
            Self::Discordant => Err("a distance"),
            Self::Mallows(_) => Err("the Mallows kernel"),
        }
    }
}

impl PartialEq for Measure {
    fn eq(&self, other: &Self) -> bool {
        // The other fields follow from these.
        let parts = |measure: &Self| (measure.items, measure.order, measure.quantity, measure.normalized);
        parts(self) == parts(other) && self.weight == other.weight
    }
}

impl Measure {
    /// The kernel with this weight: the sum of the weight over concordant pairs.
    ///
    /// # Errors
    /// When the parameters of the weight do not match the number of items.
    pub fn kernel(weight: &Weight, items: usize) -> Result<Self, Error> {
        Ok(Self::of_weight(weight.check(items)?, items))
    }

    /// As [`Measure::kernel`], with all numbers of the weight scaled by a power of two, so that the largest is near 1.
    /// For kernels that will be normalized, which do not depend on the scale: weights whose sums would overflow are not
    /// refused.
    ///
    /// # Errors
    /// As [`Measure::kernel`].
    ///
    /// ```
    /// use wkendall::{Factor, Measure, Weight};
    /// let weight = Weight::Mult(Factor::Values(vec![4e200, 2e200, 1e200]));
    /// assert!(Measure::kernel(&weight, 3).is_err());
    /// let kernel = Measure::rescaled_kernel(&weight, 3)?.try_normalized()?;
    /// assert_eq!(kernel.self_similarity(), 1.0);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn rescaled_kernel(weight: &Weight, items: usize) -> Result<Self, Error> {
        Ok(Self::of_weight(weight.check_rescaled(items)?, items))
    }

    /// The kernel with a weight that matches the number of items.
    pub(crate) fn of_weight(weight: Lowered, items: usize) -> Self {
        Self::new(weight, 2, items, Quantity::Concordant)
    }

    fn new(weight: Lowered, order: usize, items: usize, quantity: Quantity) -> Self {
        let symmetric = match &weight {
            Lowered::Quadruples(entries) => kappa::is_symmetric(entries, items),
            Lowered::Count { .. }
            | Lowered::Later
            | Lowered::Sums(_)
            | Lowered::Products(_)
            | Lowered::Tensor { .. }
            | Lowered::Factors { .. } => true,
        };
        let cancels = weight.can_cancel();
        Self { items, weight, order, quantity, own: OnceLock::new(), symmetric, cancels, normalized: false }
    }

    /// Turns a kernel with a named weight into one of another order: the sum over the tuples of `order` items that are
    /// in the same order in both rankings. With ranks `a` in one ranking and `c` in the other, the weight of a tuple is
    /// the sum of all `u[a]` times the sum of all `u[c]` for [`Weight::Add`], the product of all of these for
    /// [`Weight::Mult`], 1 if all ranks are at most k for [`Weight::Top`], and for [`Weight::Average`] the weight of
    /// its last item as for pairs. It takes O(order n log n) for a pair of rankings. An order above the number of items
    /// gives 0. Counts above 2^53 are rounded.
    ///
    /// # Errors
    /// When the order is 0, sums can exceed the range of `f64`, the weights have their own order, the kernel is signed
    /// and the order is not 2, or the measure is not a kernel of [`Measure::kernel`].
    ///
    /// ```
    /// use wkendall::{Measure, Rankings, Weight, Workspace};
    /// let x = Rankings::from_ranks(2, 4, &[1, 2, 3, 4, 2, 1, 3, 4])?;
    /// let triples = Measure::kernel(&Weight::Standard, 4)?.of_order(3)?;
    /// assert_eq!(triples.between(x.row(0), x.row(1), &mut Workspace::new(4))?, 2.0);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn of_order(self, order: usize) -> Result<Self, Error> {
        match self.quantity {
            // All but kernels without signs are of order 2.
            Quantity::Signed | Quantity::Discordant | Quantity::Mallows(_) | Quantity::Correlation if order == 2 => {
                return Ok(self);
            }
            Quantity::Signed if order > 0 => return Err(Error::OrderSigned { order }),
            quantity => quantity.weighted().map_err(|measure| Error::NoOtherOrder { measure, order })?,
        }
        if order == 0 || self.weight.is_general() {
            return Err(Error::Order { order });
        }
        self.weight.check_order(order, self.items)?;
        let found = Self::new(self.weight, order, self.items, self.quantity);
        if self.normalized { found.try_normalized() } else { Ok(found) }
    }

    /// The number of discordant pairs: the Kendall tau distance.
    #[must_use]
    pub fn distance(items: usize) -> Self {
        Self::new(Lowered::Count { top: None }, 2, items, Quantity::Discordant)
    }

    /// The Mallows kernel, `exp(-lambda * distance)`.
    ///
    /// # Errors
    /// When `lambda` is negative, NaN or infinite.
    pub fn mallows(items: usize, lambda: f64) -> Result<Self, Error> {
        if !(lambda.is_finite() && lambda >= 0.0) {
            return Err(Error::Lambda { value: lambda });
        }
        Ok(Self::new(Lowered::Count { top: None }, 2, items, Quantity::Mallows(lambda)))
    }

    /// The weighted correlation `(C - D) / (C + D)` of concordant and discordant sums; 0 if the denominator is 0.
    ///
    /// It is not a kernel: the denominator depends on the pair, and its matrices can have negative eigenvalues.
    ///
    /// # Errors
    /// As [`Measure::kernel`], and when the weights are general.
    pub fn correlation(weight: &Weight, items: usize) -> Result<Self, Error> {
        let signed = Self::kernel(weight, items)?.signed()?;
        Ok(Self::new(signed.weight.scaled(2, items, &Stop::default())?, 2, items, Quantity::Correlation))
    }

    /// Turns a kernel into its signed form: the sum over concordant pairs minus that over discordant ones.
    ///
    /// # Errors
    /// When the weights are general, which are defined without concordance, the order is not 2, or the measure is not a
    /// kernel of [`Measure::kernel`].
    pub fn signed(self) -> Result<Self, Error> {
        self.quantity.weighted().map_err(|measure| Error::NoSignedForm { measure })?;
        if self.weight.is_general() {
            return Err(Error::WeightSigned);
        }
        if self.order != 2 {
            return Err(Error::OrderSigned { order: self.order });
        }
        Ok(Self { quantity: Quantity::Signed, ..self })
    }

    /// Divides a kernel by its value for a ranking and itself, which is the same for all rankings; if that is 0, every
    /// value is 0.
    ///
    /// # Panics
    /// When the measure is a distance, which has no normalized form, there is no memory for a copy of the weights, or
    /// they are too steep for the order; [`Measure::try_normalized`] returns these cases as errors.
    #[must_use]
    pub fn normalized(self) -> Self {
        self.try_normalized().unwrap_or_else(|error| panic!("{error}"))
    }

    /// As [`Measure::normalized`].
    ///
    /// # Errors
    /// When the measure is a distance, there is no memory for a copy of the weights, or they are too steep for the
    /// order.
    pub fn try_normalized(self) -> Result<Self, Error> {
        self.normalized_until(&Stop::default())
    }

    /// As [`Measure::try_normalized`], with a flag to stop: finding the scale of steep weights can take long.
    pub(crate) fn normalized_until(self, stop: &Stop) -> Result<Self, Error> {
        if self.quantity == Quantity::Discordant {
            return Err(Error::DistanceNormalized);
        }
        let weight = self.weight.scaled(self.order, self.items, stop)?;
        Ok(Self { normalized: true, ..Self::new(weight, self.order, self.items, self.quantity) })
    }

    /// The same without normalization.
    pub(crate) fn plain(&self) -> Self {
        Self { normalized: false, ..self.clone() }
    }

    /// The number of items of the rankings that are compared.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items
    }

    pub(crate) fn check_items(&self, items: usize) -> Result<(), Error> {
        if items == self.items { Ok(()) } else { Err(Error::ItemsDiffer { left: items, right: self.items }) }
    }

    /// Computes the self-similarity and keeps it, if it is not known.
    pub(crate) fn find_own(&self, stop: &Stop) -> Result<f64, Error> {
        if let Some(&own) = self.own.get() {
            return Ok(own);
        }
        let found = own(&self.weight, self.order, self.items, stop)?;
        Ok(*self.own.get_or_init(|| found))
    }

    /// Whether the self-similarity is known.
    pub(crate) fn knows_own(&self) -> bool {
        self.own.get().is_some()
    }

    fn own(&self) -> f64 {
        self.find_own(&Stop::default()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`Measure::self_similarity`], under its earlier name.
    #[doc(hidden)]
    #[must_use]
    pub fn of_equal(&self) -> f64 {
        self.self_similarity()
    }

    /// The value for a ranking and itself, which does not depend on the ranking.
    ///
    /// # Panics
    /// When there is no memory for some numbers, as many as the order.
    #[must_use]
    pub fn self_similarity(&self) -> f64 {
        match self.quantity {
            Quantity::Concordant | Quantity::Signed => self.of_sum(self.own()),
            Quantity::Discordant => 0.0,
            Quantity::Mallows(_) => 1.0,
            Quantity::Correlation => ratio(self.own(), self.own()),
        }
    }
}

/// A quotient that is 0 if the denominator is 0.
fn ratio(value: f64, unit: f64) -> f64 {
    if unit == 0.0 { 0.0 } else { value / unit }
}
