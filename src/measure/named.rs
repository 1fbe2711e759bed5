//! Measures by name, from parameters by name. The table of all measures is in `mod.rs`.

use super::{MEASURES, Measure, Parameters};
use crate::error::Error;

/// A measure that can be made from parameters.
pub(crate) struct NamedMeasure {
    pub(crate) name: &'static str,
    /// The names of its parameters. `normalize` and `item_weight` are handled here, not by the function of the measure.
    pub(crate) parameters: &'static [&'static str],
    make: fn(usize, &Parameters) -> Result<Measure, Error>,
}

impl NamedMeasure {
    pub(super) const fn new(
        name: &'static str,
        parameters: &'static [&'static str],
        make: fn(usize, &Parameters) -> Result<Measure, Error>,
    ) -> Self {
        Self { name, parameters, make }
    }

    pub(crate) fn find(name: &str) -> Result<&'static Self, Error> {
        let known = || MEASURES.iter().map(|measure| measure.name).collect::<Vec<_>>().join(", ");
        let unknown = || Error::parameter("measure", name, format!("one of {}", known()));
        MEASURES.iter().find(|measure| measure.name == name).ok_or_else(unknown)
    }

    /// The measure, and whether the caller must still normalize it. Normalization is separate because it can take long.
    pub(crate) fn make(&self, items: usize, parameters: &Parameters) -> Result<(Measure, bool), Error> {
        let normalize = parameters.flag("normalize")?;
        let measure = (self.make)(items, parameters)?;
        Ok(match parameters.array("item_weight", &[items])? {
            Some(item_weight) => (measure.with_item_weight(item_weight)?, normalize),
            None => (measure, normalize),
        })
    }
}

impl Measure {
    /// A measure by its name, with parameters by their names. The names are:
    ///
    /// - "kendall", with the parameters `weight`, `k`, `u`, `order`, `signed`, `item_weight` and `normalize`.
    /// - "tensor", with `U`, `factors` or `W`, and with `order` and `normalize`.
    /// - "mallows", with `lam`, which is a number or "auto", and with `normalize`.
    /// - "distance".
    /// - "correlation", with `weight`, `k` and `u`.
    /// - The published measures, by the names of their functions. For example, `rank_biased_overlap` has the parameters
    ///   `p`, `value` and `ties`. Some of these measures also have `item_weight`.
    ///
    /// If the name is wrong, the error lists all names. The values of `weight` are "standard", "top", "add", "mult",
    /// "average" and "later".
    ///
    /// # Errors
    /// Returns an error when there is no such measure or parameter, or when a parameter does not fit the other
    /// parameters or the number of items.
    ///
    /// ```
    /// use wkendall::{Factor, Measure, Parameters, Weight};
    /// let parameters = Parameters::new().with("weight", "mult").with("u", "log").with("normalize", true);
    /// let kernel = Measure::from_parameters("kendall", 4, &parameters)?;
    /// assert_eq!(kernel, Measure::kernel(&Weight::Mult(Factor::Log), 4)?.normalized());
    /// let wrong = Measure::from_parameters("kendall", 4, &parameters.with("k", 2)).unwrap_err();
    /// assert_eq!(wrong.to_string(), "k is given, but the weight 'mult' does not use it: it goes with 'top'");
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_parameters(measure: &str, items: usize, parameters: &Parameters) -> Result<Self, Error> {
        let found = NamedMeasure::find(measure)?;
        if let Some(name) = parameters.other_than(found.parameters) {
            return Err(Error::UnknownParameter {
                measure: found.name,
                name: name.to_owned(),
                known: found.parameters,
            });
        }
        let (measure, normalize) = found.make(items, parameters)?;
        if normalize { measure.try_normalized() } else { Ok(measure) }
    }
}
