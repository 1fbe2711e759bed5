//! Measures by name whose parameters are refused.

use wkendall::{Measure, Parameter, Parameters};

use super::{Case, case};

pub fn parameters() -> Vec<Case> {
    let kendall = |parameters| Measure::from_parameters("kendall", 5, &parameters);
    let none = Parameters::new;
    let named = |weight: &'static str| none().with("weight", weight);
    vec![
        case(Measure::from_parameters("spearman", 5, &none()), "Parameter { name: \"measure\", value: \"spearman\""),
        case(Measure::from_parameters("mallows", 5, &none().with("lambda", 1.0)), "UnknownParameter"),
        case(Measure::from_parameters("distance", 5, &none().with("k", 1)), "UnknownParameter"),
        case(
            Measure::swap_distance(3, &[1.0, -1.0]),
            "ParameterEntry { name: \"costs\", index: 1, value: -1.0, rule: \"a finite number that is not negative\" }",
        ),
        case(kendall(named("topp")), "Parameter { name: \"weight\", value: \"topp\""),
        case(kendall(none().with("weight", 3)), "ParameterType"),
        case(kendall(none().with("weight", Parameter::Nothing)), "ParameterType"),
        case(kendall(named("top")), "ParameterMissing { name: \"k\", weight: \"top\""),
        case(kendall(named("mult").with("u", Parameter::Nothing)), "ParameterMissing { name: \"u\", weight: \"mult\""),
        case(
            kendall(none().with("u", "log")),
            "ParameterUnused { name: \"u\", weight: \"standard\", users: [\"add\", \"mult\", \"later\"] }",
        ),
        case(kendall(named("top").with("k", -1)), "Parameter { name: \"k\", value: \"-1\""),
        case(kendall(named("top").with("k", 2.0)), "ParameterType"),
        case(kendall(named("add").with("u", "linear")), "Parameter"),
        case(kendall(named("add").with("u", 1.0)), "ParameterType"),
        case(kendall(named("add").with("u", vec![1.0; 4])), "FactorLength"),
        case(kendall(none().with("order", 0)), "Parameter"),
        case(kendall(none().with("order", usize::MAX)), "Parameter"),
        case(kendall(none().with("order", 3).with("signed", true)), "OrderSigned"),
        case(kendall(none().with("signed", 1)), "ParameterType"),
        case(Measure::from_parameters("mallows", 5, &none().with("lam", "a")), "ParameterType"),
        case(Measure::from_parameters("mallows", 5, &none().with("lam", Parameter::Whole(i128::MAX))), "Parameter"),
        case(Measure::from_parameters("mallows", 5, &none().with("normalize", 1)), "ParameterType"),
        case(Measure::from_parameters("tensor", 5, &none()), "NoTensor"),
        case(Measure::from_parameters("tensor", 5, &none().with("U", "log")), "ParameterType"),
    ]
}
