//! Measures by name: one table of all measures, with their parameters.

use super::parameters::wrong;
use super::{
    Measure, Parameters, ap_correlation, average_overlap, combination, fagin_kendall, generalized_kendall, kendall,
    rank_biased_overlap, swap_distance, weighted_concordance, weighted_tau,
};
use crate::error::Error;

/// A measure that can be made from parameters.
pub(crate) struct NamedMeasure {
    pub(crate) name: &'static str,
    /// The names of its parameters. Those called `normalize` and `item_weight` are handled here, not by `make`.
    pub(crate) parameters: &'static [&'static str],
    make: fn(usize, &Parameters) -> Result<Measure, Error>,
}

/// All measures. A new one needs its own file and a line here.
pub(crate) static MEASURES: &[NamedMeasure] = &[
    NamedMeasure {
        name: "kendall",
        parameters: &["weight", "k", "u", "order", "signed", "item_weight", "normalize"],
        make: kendall::kernel_from,
    },
    NamedMeasure {
        name: "tensor",
        parameters: &["U", "factors", "W", "order", "normalize"],
        make: kendall::tensor_from,
    },
    NamedMeasure { name: "mallows", parameters: &["lam", "normalize"], make: kendall::mallows_from },
    NamedMeasure { name: "distance", parameters: &[], make: |items, _| Ok(Measure::distance(items)) },
    NamedMeasure { name: "correlation", parameters: &["weight", "k", "u"], make: combination::correlation_from },
    NamedMeasure { name: "ap_correlation", parameters: &["symmetric"], make: ap_correlation::from_parameters },
    NamedMeasure {
        name: "average_overlap",
        parameters: &["depth", "item_weight"],
        make: average_overlap::from_parameters,
    },
    NamedMeasure { name: "fagin_kendall", parameters: &["p", "item_weight"], make: fagin_kendall::from_parameters },
    NamedMeasure { name: "footrule", parameters: &["item_weight"], make: |items, _| Ok(Measure::footrule(items)) },
    NamedMeasure {
        name: "generalized_kendall",
        parameters: &["item_weights", "position_costs"],
        make: generalized_kendall::from_parameters,
    },
    NamedMeasure {
        name: "kemeny_snell",
        parameters: &["item_weight"],
        make: |items, _| Ok(Measure::kemeny_snell(items)),
    },
    NamedMeasure {
        name: "rank_biased_overlap",
        parameters: &["p", "value", "ties", "item_weight"],
        make: rank_biased_overlap::from_parameters,
    },
    NamedMeasure { name: "spearman_rho", parameters: &[], make: |items, _| Ok(Measure::spearman_rho(items)) },
    NamedMeasure { name: "swap_distance", parameters: &["costs"], make: swap_distance::from_parameters },
    NamedMeasure { name: "tau_x", parameters: &[], make: |items, _| Ok(Measure::tau_x(items)) },
    NamedMeasure {
        name: "weighted_concordance",
        parameters: &["w", "earlier", "later", "side"],
        make: weighted_concordance::from_parameters,
    },
    NamedMeasure {
        name: "weighted_tau",
        parameters: &["rank", "weigher", "additive"],
        make: weighted_tau::from_parameters,
    },
];

impl NamedMeasure {
    pub(crate) fn find(name: &str) -> Result<&'static Self, Error> {
        let known = || MEASURES.iter().map(|measure| measure.name).collect::<Vec<_>>().join(", ");
        let unknown = || wrong("measure", name, format!("one of {}", known()));
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
    /// `item_weight`, `normalize`), "tensor" (`U`, `factors` or `W`, `order`, `normalize`), "mallows" (`lam`, `normalize`), "distance",
    /// "correlation" (`weight`, `k`, `u`), and the published ones by the names of their functions: `ap_correlation` (`symmetric`),
    /// `average_overlap` (`depth`, `item_weight`), `fagin_kendall` (`p`, `item_weight`), `footrule` (`item_weight`), `generalized_kendall` (`item_weights`,
    /// `position_costs`), `kemeny_snell` (`item_weight`), `rank_biased_overlap` (`p`, `value`, `ties`, `item_weight`), `spearman_rho`, `swap_distance`
    /// (`costs`), `tau_x`, `weighted_concordance` (`w`, or `earlier` and `later`; `side`), `weighted_tau` (`rank`, `weigher`,
    /// `additive`). Weights are "standard", "top", "add", "mult", "average" and "later".
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
