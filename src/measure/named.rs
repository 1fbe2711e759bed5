//! Measures by name, from parameters by name. The table of all measures is in `mod.rs`.

use super::{MEASURES, Measure, Parameters};
use crate::error::Error;

/// A measure that can be made from parameters.
pub(crate) struct NamedMeasure {
    pub(crate) name: &'static str,
    /// The names of its parameters. Those called `normalize` and `item_weight` are handled here, not by `make`.
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

    /// The measure, and whether it is to be normalized, which can take long.
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
    /// A measure by its name, with parameters by their names: "kendall" (`weight`, `k`, `u`, `order`, `signed`,
    /// `item_weight`, `normalize`), "tensor" (`U`, `factors` or `W`, `order`, `normalize`), "mallows" (`lam`, a number
    /// or "auto", `normalize`), "distance", "correlation" (`weight`, `k`, `u`), and the published measures by the names
    /// of their functions, such as `rank_biased_overlap` (`p`, `value`, `ties`), some with `item_weight`. The error for
    /// another name lists all names. Weights are "standard", "top", "add", "mult", "average" and "later".
    ///
    /// # Errors
    /// When there is no such measure or parameter, or a parameter does not match the others or the number of items.
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
