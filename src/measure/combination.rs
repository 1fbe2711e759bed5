//! Functions of the values of several kernels: sums, products, multiples and powers of kernels, and the correlation.

use super::{KendallMeasure, Measure, Parameters, Part, check_items};
use crate::error::Error;
use crate::memory;
use crate::weight::own::ROUNDING;
use crate::weight::{Factor, Weight};

/// Several kernels, and the rule that computes a value from their values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Combination {
    parts: Vec<Part>,
    rule: Rule,
    /// A measure with the same values for complete rankings.
    on_complete: Option<Box<Measure>>,
}

/// How a value is computed from the values of the parts. A part is given by its number.
#[derive(Debug, Clone, PartialEq)]
enum Rule {
    Part(usize),
    Scaled(f64, Box<Rule>),
    Sum(Box<Rule>, Box<Rule>),
    Product(Box<Rule>, Box<Rule>),
    Power(Box<Rule>, u32),
    /// `(C - D) / (C + D)`. The parts are C - D and C. If some weights are negative, the same two sums with the
    /// absolute values of the weights follow. `first` is the number of the first of the `count` parts. With the
    /// standard weight, the correlation is a kernel.
    Correlation {
        first: usize,
        count: usize,
        is_kernel: bool,
    },
}

impl Rule {
    fn value(&self, parts: &[f64]) -> f64 {
        match self {
            &Self::Part(index) => parts[index],
            Self::Scaled(factor, inner) => factor * inner.value(parts),
            Self::Sum(left, right) => left.value(parts) + right.value(parts),
            Self::Product(left, right) => left.value(parts) * right.value(parts),
            Self::Power(inner, exponent) => inner.value(parts).powi((*exponent).cast_signed()),
            &Self::Correlation { first, count, .. } => {
                let parts = &parts[first..first + count];
                let both = |signed: f64, concordant: f64| 2.0 * concordant - signed;
                let total = both(parts[0], parts[1]);
                // If the terms of a sum cancel, only rounding errors are left.
                let size = if let [_, _, signed, concordant] = parts { both(*signed, *concordant) } else { 0.0 };
                if total.abs() <= ROUNDING * size { 0.0 } else { parts[0] / total }
            }
        }
    }

    /// The same rule for parts that have other parts before them.
    fn shifted(self, by: usize) -> Self {
        let shifted = |rule: Box<Self>| Box::new(rule.shifted(by));
        match self {
            Self::Part(index) => Self::Part(index + by),
            Self::Scaled(factor, inner) => Self::Scaled(factor, shifted(inner)),
            Self::Sum(left, right) => Self::Sum(shifted(left), shifted(right)),
            Self::Product(left, right) => Self::Product(shifted(left), shifted(right)),
            Self::Power(inner, exponent) => Self::Power(shifted(inner), exponent),
            Self::Correlation { first, count, is_kernel } => Self::Correlation { first: first + by, count, is_kernel },
        }
    }

    /// Finds the factor of each part, if the value is a sum of multiples of the values of the parts; otherwise returns
    /// false.
    fn factors(&self, times: f64, found: &mut [f64]) -> bool {
        match self {
            &Self::Part(index) => {
                found[index] += times;
                true
            }
            Self::Scaled(factor, inner) => inner.factors(times * factor, found),
            Self::Sum(left, right) => left.factors(times, found) && right.factors(times, found),
            Self::Product(..) | Self::Power(..) | Self::Correlation { .. } => false,
        }
    }
}

/// The correlation with a named weight.
pub(super) fn correlation_from(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    Measure::correlation(&parameters.weight(items)?, items)
}

impl Combination {
    /// A single kernel.
    pub(super) fn of(part: Part) -> Result<Self, Error> {
        if !part.is_kernel() {
            return Err(Error::NotAKernel { measure: part.noun() });
        }
        Ok(Self { parts: vec![part], rule: Rule::Part(0), on_complete: None })
    }

    /// The correlation with the weight of a kernel.
    pub(super) fn correlation(weight: &Weight, items: usize) -> Result<Self, Error> {
        let (concordant, sizes): (Measure, Option<Measure>) = if let Some(factor) = weight.of_later_item() {
            let u = factor.values(items)?;
            let sizes = Factor::Values(memory::collect(u.iter().map(|u| u.abs()))?);
            let sizes = u.iter().any(|&u| u < 0.0).then(|| Measure::rescaled_kernel(&Weight::Later(sizes), items));
            (Measure::rescaled_kernel(weight, items)?, sizes.transpose()?)
        } else {
            let concordant = KendallMeasure::kernel(weight, items)?.scaled_to_unit()?;
            let sizes = concordant.without_signs()?.map(Measure::from);
            (concordant.into(), sizes)
        };
        let mut parts = Vec::new();
        for sum in [Some(concordant), sizes].into_iter().flatten() {
            parts.extend(sum.clone().signed()?.parts().iter().chain(sum.parts()).cloned());
        }
        let is_standard = *weight == Weight::Standard;
        let rule = Rule::Correlation { first: 0, count: parts.len(), is_kernel: is_standard };
        // With the standard weight, C + D is the number of all pairs.
        let tau = || Measure::kernel(weight, items)?.signed().map(|signed| Box::new(signed.normalized()));
        Ok(Self { parts, rule, on_complete: is_standard.then(tau).transpose()? })
    }

    fn joined(mut self, other: Self, rule: fn(Box<Rule>, Box<Rule>) -> Rule) -> Result<Self, Error> {
        check_items(other.parts[0].items(), self.parts[0].items())?;
        let by = self.parts.len();
        self.parts.extend(other.parts);
        let rule = rule(Box::new(self.rule), Box::new(other.rule.shifted(by)));
        Ok(Self { parts: self.parts, rule, on_complete: None })
    }

    pub(super) fn plus(self, other: Self) -> Result<Self, Error> {
        self.joined(other, Rule::Sum)
    }

    pub(super) fn times(self, other: Self) -> Result<Self, Error> {
        self.joined(other, Rule::Product)
    }

    pub(super) fn scaled(self, factor: f64) -> Result<Self, Error> {
        if !(factor.is_finite() && factor >= 0.0) {
            return Err(Error::KernelFactor { value: factor });
        }
        Ok(Self { parts: self.parts, rule: Rule::Scaled(factor, Box::new(self.rule)), on_complete: None })
    }

    pub(super) fn power(self, exponent: u32) -> Result<Self, Error> {
        if exponent == 0 || i32::try_from(exponent).is_err() {
            return Err(Error::KernelPower { exponent });
        }
        Ok(Self { parts: self.parts, rule: Rule::Power(Box::new(self.rule), exponent), on_complete: None })
    }

    /// Whether the combination is a kernel.
    pub(crate) fn is_kernel(&self) -> bool {
        !matches!(self.rule, Rule::Correlation { is_kernel: false, .. })
    }

    /// Whether the combination is a single correlation.
    pub(super) fn is_correlation(&self) -> bool {
        matches!(self.rule, Rule::Correlation { .. })
    }

    /// The noun that messages use for the combination.
    pub(super) fn noun(&self) -> &'static str {
        if self.is_correlation() { "a correlation" } else { "a combination of kernels" }
    }

    /// The kernels.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// A measure with the same values for complete rankings that is computed faster.
    pub(super) fn on_complete(&self) -> Option<&Measure> {
        self.on_complete.as_deref()
    }

    /// The factor of each kernel, if the combination is a sum of multiples of kernels.
    pub(crate) fn factors(&self) -> Option<Vec<f64>> {
        let mut found = vec![0.0; self.parts.len()];
        self.rule.factors(1.0, &mut found).then_some(found)
    }

    /// The value, given the values of the parts.
    ///
    /// # Errors
    /// Returns an error when the value is not finite.
    pub(crate) fn value(&self, parts: &[f64]) -> Result<f64, Error> {
        let value = self.rule.value(parts);
        if value.is_finite() { Ok(value) } else { Err(Error::NotFinite) }
    }

    /// The value, given the values of the parts. It is infinite if it is beyond the range of `f64`.
    pub(super) fn value_from(&self, of_part: impl FnMut(&Part) -> f64) -> f64 {
        self.rule.value(&self.parts.iter().map(of_part).collect::<Vec<_>>())
    }

    /// The value, given the values of the parts.
    pub(super) fn try_value_from(&self, of_part: impl FnMut(&Part) -> Result<f64, Error>) -> Result<f64, Error> {
        self.value(&self.parts.iter().map(of_part).collect::<Result<Vec<_>, _>>()?)
    }
}
