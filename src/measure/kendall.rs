//! Sums over the concordant pairs or tuples of items of two rankings, and functions of these sums: kernels, the
//! distance and the Mallows kernel.

use std::fmt::Debug;
use std::sync::OnceLock;

use super::{Measure, Parameters};
use crate::error::Error;
use crate::pair;
use crate::parallel::Cancel;
use crate::weight::Weight;
use crate::weight::kinds::{PairWeight, TensorWeight, WeightKind};
use crate::weight::own::own;

/// A sum over pairs or tuples of items, or a function of such a sum.
#[derive(Debug, Clone)]
pub(crate) struct KendallMeasure {
    pub(super) items: usize,
    pub(super) weight: WeightKind,
    /// The number of items in the tuples of named weights.
    pub(super) order: usize,
    pub(super) quantity: Quantity,
    /// The sum over all tuples for a ranking and itself. It is the same for all rankings, and it is computed when it is
    /// first needed.
    pub(super) own: OnceLock<f64>,
    /// Whether the two rankings can be swapped.
    pub(super) symmetric: bool,
    /// Whether terms of a sum can cancel.
    pub(super) cancels: bool,
    /// Whether sums are divided by `own`.
    pub(super) normalized: bool,
}

/// How the value is computed from the concordant pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Quantity {
    Concordant,
    Signed,
    Discordant,
    Mallows(f64),
}

impl Quantity {
    /// Returns an error, with the noun for the measure, if it is not a sum of weights.
    fn weighted(self) -> Result<(), &'static str> {
        match self {
            Self::Concordant | Self::Signed => Ok(()),
            Self::Discordant => Err("a distance"),
            Self::Mallows(_) => Err("the Mallows kernel"),
        }
    }
}

impl PartialEq for KendallMeasure {
    fn eq(&self, other: &Self) -> bool {
        self.parameters() == other.parameters()
    }
}

impl KendallMeasure {
    /// The fields that determine all other fields.
    pub(crate) fn parameters(&self) -> impl Debug + PartialEq {
        (self.items, self.order, self.quantity, self.normalized, &self.weight)
    }

    /// The kernel with this weight: the sum of the weight over concordant pairs.
    ///
    /// # Errors
    /// Returns an error when the parameters of the weight do not match the number of items.
    pub fn kernel(weight: &Weight, items: usize) -> Result<Self, Error> {
        Ok(Self::of_weight(weight.check(items)?, items))
    }

    /// The same as [`KendallMeasure::kernel`], but all numbers of the weight are multiplied by one power of two, so
    /// that the largest number is near 1. Use it for kernels that will be normalized, because a normalized kernel does
    /// not depend on the scale of its weight. Large weights whose sums would overflow are then accepted.
    ///
    /// # Errors
    /// Returns the same errors as [`KendallMeasure::kernel`].
    pub fn rescaled_kernel(weight: &Weight, items: usize) -> Result<Self, Error> {
        Ok(Self::of_weight(weight.check_rescaled(items)?, items))
    }

    /// The kernel with a weight that matches the number of items.
    pub(crate) fn of_weight(weight: WeightKind, items: usize) -> Self {
        Self::new(weight, 2, items, Quantity::Concordant)
    }

    pub(super) fn new(weight: WeightKind, order: usize, items: usize, quantity: Quantity) -> Self {
        let symmetric = weight.unchecked_kernel().is_none_or(|entries| pair::is_symmetric(entries, items));
        let cancels = weight.can_cancel();
        Self { items, weight, order, quantity, own: OnceLock::new(), symmetric, cancels, normalized: false }
    }

    /// Turns a kernel with a named weight into a kernel of another order; see `Measure::with_order`.
    ///
    /// # Errors
    /// Returns the same errors as `Measure::with_order`.
    pub fn with_order(self, order: usize) -> Result<Self, Error> {
        match self.quantity {
            // Signed kernels, the distance and the Mallows kernel always have order 2.
            Quantity::Signed | Quantity::Discordant | Quantity::Mallows(_) if order == 2 => {
                return Ok(self);
            }
            Quantity::Signed if order > 0 => return Err(Error::OrderSigned { order }),
            quantity => quantity.weighted().map_err(|measure| Error::NoOtherOrder { measure, order })?,
        }
        let named = self.weight.pairs().filter(|_| order > 0).ok_or(Error::Order { order })?;
        named.check_order(order, self.items)?;
        let found = Self::new(self.weight, order, self.items, self.quantity);
        if self.normalized { found.try_normalized() } else { Ok(found) }
    }

    /// The number of discordant pairs: the Kendall tau distance.
    #[must_use]
    pub fn distance(items: usize) -> Self {
        Self::new(PairWeight::Count { top: None }.into(), 2, items, Quantity::Discordant)
    }

    /// The Mallows kernel, `exp(-lambda * distance)`.
    ///
    /// # Errors
    /// Returns an error when `lambda` is negative, NaN or infinite.
    pub fn mallows(items: usize, lambda: f64) -> Result<Self, Error> {
        if !(lambda.is_finite() && lambda >= 0.0) {
            return Err(Error::Lambda { value: lambda });
        }
        Ok(Self::new(PairWeight::Count { top: None }.into(), 2, items, Quantity::Mallows(lambda)))
    }

    /// The same kernel with weights scaled so that sums neither overflow nor underflow. Use it for results that do not
    /// depend on the scale of the weights.
    pub(super) fn scaled_to_unit(self) -> Result<Self, Error> {
        let weight = self.weight.scaled(self.order, self.items, &Cancel::default())?;
        Ok(Self::new(weight, self.order, self.items, self.quantity))
    }

    /// Turns a kernel into its signed form: the sum over concordant pairs minus the sum over discordant pairs.
    ///
    /// # Errors
    /// Returns the same errors as `Measure::signed`.
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

    /// Divides a kernel by its value for a ranking and itself. If this value is 0, every normalized value is 0.
    ///
    /// # Errors
    /// Returns an error when the measure is a distance, when there is no memory for a copy of the weights, or when the
    /// weights are too steep for the order.
    pub fn try_normalized(self) -> Result<Self, Error> {
        self.normalized_until(&Cancel::default())
    }

    /// The same as [`KendallMeasure::try_normalized`], with a flag to stop, because it can take long to find the scale
    /// of steep weights.
    pub(crate) fn normalized_until(self, stop: &Cancel) -> Result<Self, Error> {
        if self.quantity == Quantity::Discordant {
            return Err(Error::NoNormalizedForm { measure: "a distance" });
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

    /// Returns the self-similarity. If it is not known yet, computes and keeps it.
    pub(crate) fn find_own(&self, stop: &Cancel) -> Result<f64, Error> {
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

    pub(super) fn own(&self) -> f64 {
        self.find_own(&Cancel::default()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The value for a ranking and itself. It is the same for all rankings.
    ///
    /// # Panics
    /// Panics when there is no memory for a vector whose length is the order.
    #[must_use]
    pub fn self_similarity(&self) -> f64 {
        match self.quantity {
            Quantity::Concordant | Quantity::Signed => self.value_from_sum(self.own()),
            Quantity::Discordant => 0.0,
            Quantity::Mallows(_) => 1.0,
        }
    }
}

/// The kernel with a named weight.
pub(super) fn kernel_from(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    let order = parameters.count("order", None)?.unwrap_or(2);
    let signed = parameters.flag("signed")?;
    let weight = parameters.weight(items)?;
    // A normalized kernel does not depend on the scale of its weights.
    let rescaled = parameters.flag("normalize")?;
    let mut kernel =
        if rescaled { Measure::rescaled_kernel(&weight, items)? } else { Measure::kernel(&weight, items)? };
    if order != 2 {
        kernel = kernel.with_order(order)?;
    }
    if signed {
        kernel = kernel.signed()?;
    }
    Ok(kernel)
}

/// The kernel with general weights. They are weights of tuples of positions, given as entries or as factors, or weights
/// of pairs of pairs of positions.
pub(super) fn tensor_from(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    let order = parameters.count("order", None)?.unwrap_or(2);
    let weight: WeightKind = if let Some(entries) = parameters.numbers("U")? {
        TensorWeight::Tensor { order, entries: entries.clone() }.into()
    } else if let Some(vectors) = parameters.numbers("factors")? {
        TensorWeight::Factors { order, vectors: vectors.clone() }.into()
    } else if let Some(entries) = parameters.numbers("W")? {
        WeightKind::Quadruples(entries.clone())
    } else {
        return Err(Error::NoTensor);
    };
    let weight = if parameters.flag("normalize")? { weight.scaled_to_unit(items)? } else { weight };
    Ok(KendallMeasure::of_weight(weight.checked(items)?, items).into())
}

/// The Mallows kernel.
pub(super) fn mallows_from(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    if parameters.is("lam", Some("auto")) {
        // The mean distance of two rankings, over all rankings.
        let pairs = items as f64 * (items as f64 - 1.0) / 2.0;
        return Measure::mallows(items, mallows_rate(pairs / 2.0));
    }
    let lambda = parameters.real("lam").map_err(|error| match error {
        Error::ParameterType { name, rule } => Error::ParameterType { name, rule: format!("{rule} or 'auto'") },
        other => other,
    })?;
    Measure::mallows(items, lambda.unwrap_or(1.0))
}

/// A good rate of the Mallows kernel for rankings whose mean distance is `mean_distance`. The rate is 2 divided by the
/// mean distance, so the kernel of two rankings at the mean distance is `exp(-2)`. If the mean distance is 0 or
/// negative, the rate is 1. The number 2 was chosen by measurements with two-sample tests: with this rate, the tests
/// have power for differences of all kinds.
///
/// ```
/// use wkendall::{Measure, Parameters, mallows_rate};
/// // "auto" takes the mean over all rankings, n (n - 1) / 4, so that it depends on the number of items only.
/// let auto = Measure::from_parameters("mallows", 5, &Parameters::new().with("lam", "auto"))?;
/// assert_eq!(auto, Measure::mallows(5, mallows_rate(5.0))?);
/// # Ok::<(), wkendall::Error>(())
/// ```
#[must_use]
pub fn mallows_rate(mean_distance: f64) -> f64 {
    if mean_distance > 0.0 { 2.0 / mean_distance } else { 1.0 }
}

/// The quotient of two numbers, or 0 if the denominator is 0.
pub(super) fn ratio(value: f64, unit: f64) -> f64 {
    if unit == 0.0 { 0.0 } else { value / unit }
}
