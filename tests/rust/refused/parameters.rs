//! Measures by name whose parameters are refused.

use wkendall::{Measure, Parameter, Parameters};

use super::{Case, case};

pub fn parameters() -> Vec<Case> {
    let kendall = |parameters| Measure::from_parameters("kendall", 5, &parameters);
    let none = Parameters::new;
    let named = |weight: &'static str| none().with("weight", weight);
    vec![
        case(
            "a measure that does not exist",
            Measure::from_parameters("spearman", 5, &none()),
            "Parameter { name: \"measure\", value: \"spearman\"",
            "measure is spearman, but must be one of 'kendall', 'tensor', 'mallows', 'distance', 'correlation'",
        ),
        case(
            "a parameter that does not exist",
            Measure::from_parameters("mallows", 5, &none().with("lambda", 1.0)),
            "UnknownParameter",
            "the measure \"mallows\" has no parameter \"lambda\": it has lam, normalize",
        ),
        case(
            "a parameter of a measure without",
            Measure::from_parameters("distance", 5, &none().with("k", 1)),
            "UnknownParameter",
            "the measure \"distance\" has no parameter \"k\": it has no parameters",
        ),
        case(
            "a weight that does not exist",
            kendall(named("topp")),
            "Parameter { name: \"weight\", value: \"topp\"",
            "weight is topp, but must be one of 'standard', 'top', 'add', 'mult', 'average'",
        ),
        case("a weight that is no name", kendall(none().with("weight", 3)), "ParameterType", "weight must be one of "),
        case(
            "no weight",
            kendall(none().with("weight", Parameter::Nothing)),
            "ParameterType",
            "weight must be one of ",
        ),
        case(
            "top without k",
            kendall(named("top")),
            "ParameterMissing { name: \"k\", weight: \"top\"",
            "weight=\"top\" needs k, the number of ranks that count, from 1 to 5",
        ),
        case(
            "mult without u",
            kendall(named("mult").with("u", Parameter::Nothing)),
            "ParameterMissing { name: \"u\", weight: \"mult\"",
            "weight=\"mult\" needs u, one of \"hyperbolic\" and \"log\" or an array of 5 position weights",
        ),
        case(
            "a parameter that the weight does not use",
            kendall(none().with("u", "log")),
            "ParameterUnused { name: \"u\", weight: \"standard\", users: [\"add\", \"mult\"] }",
            "u is given, but weight=\"standard\" does not use it: it goes with weight=\"add\" and weight=\"mult\"",
        ),
        case(
            "a negative k",
            kendall(named("top").with("k", -1)),
            "Parameter { name: \"k\", value: \"-1\"",
            "k is -1, but must be from 1 to 5, the number of items",
        ),
        case("a real k", kendall(named("top").with("k", 2.0)), "ParameterType", "k must be an integer"),
        case(
            "a u that does not exist",
            kendall(named("add").with("u", "linear")),
            "Parameter",
            "u is linear, but must",
        ),
        case("a number u", kendall(named("add").with("u", 1.0)), "ParameterType", "u must be an array of real numbers"),
        case("a short u", kendall(named("add").with("u", vec![1.0; 4])), "FactorLength", "u has 4 position weights"),
        case("an order of 0", kendall(none().with("order", 0)), "Parameter", "order is 0, but must be at least 1"),
        case(
            "a huge order",
            kendall(none().with("order", usize::MAX)),
            "Parameter",
            "order is 18446744073709551615, but must be at most ",
        ),
        case("a signed triple", kendall(none().with("order", 3).with("signed", true)), "OrderSigned", "order is 3"),
        case(
            "a flag that is a number",
            kendall(none().with("signed", 1)),
            "ParameterType",
            "signed must be True or False",
        ),
        case(
            "a rate that is a name",
            Measure::from_parameters("mallows", 5, &none().with("lam", "a")),
            "ParameterType",
            "must be a real number",
        ),
        case(
            "a rate beyond all numbers",
            Measure::from_parameters("mallows", 5, &none().with("lam", Parameter::Whole(i128::MAX))),
            "Parameter",
            "but must be a finite number",
        ),
        case(
            "a normalized number",
            Measure::from_parameters("mallows", 5, &none().with("normalize", 1)),
            "ParameterType",
            "normalize must be True or False",
        ),
        case(
            "no general weights",
            Measure::from_parameters("tensor", 5, &none()),
            "NoTensor",
            "there are no weights: give one of U, factors and W",
        ),
        case(
            "general weights by name",
            Measure::from_parameters("tensor", 5, &none().with("U", "log")),
            "ParameterType",
            "U must be an array of real numbers",
        ),
    ]
}
