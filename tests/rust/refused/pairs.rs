//! Calls for pairs of items that are refused.

use wkendall::consensus::{Method, Options, consensus};
use wkendall::{Measure, Rankings, RunOptions, Weight, importance::largest_effects};

use super::{Case, case, kernel, mult, open, standard, x};

pub fn pairs() -> Vec<Case> {
    let (measure, three) = (standard(), &x(2, 3));
    let exact = || Options { method: Method::Exact, ..Options::default() };
    let of = |measure: &Measure| consensus(measure, three, None, Options::default());
    let with = |weights: &[f64]| consensus(&measure, three, Some(weights), Options::default());
    let none = Rankings::from_ranks::<i64>(0, 3, &[]).unwrap();
    let effects = |measure: &Measure, coefficients: &[f64]| {
        largest_effects(measure, three, coefficients, 1, RunOptions::default())
    };
    vec![
        case("consensus of nothing", consensus(&measure, &none, None, Options::default()), "NoRankings", "no rankings"),
        case(
            "consensus of other items",
            consensus(&measure, &x(2, 4), None, Options::default()),
            "ItemsDiffer { left: 4, right: 3 }",
            "rankings of 4 items cannot go with 3 items",
        ),
        case("consensus of a distance", of(&Measure::distance(3)), "PairsOnly", "kernel of order 2"),
        case("consensus of Mallows", of(&Measure::mallows(3, 1.0).unwrap()), "PairsOnly", "kernel of order 2"),
        case("consensus of triples", of(&standard().with_order(3).unwrap()), "PairsOnly", "another order"),
        case(
            "consensus of quadruples",
            of(&kernel(&Weight::Quadruples(vec![0.0; 81].into()))),
            "PairsOnly",
            "with a named weight or U",
        ),
        case(
            "consensus of single positions",
            of(&kernel(&Weight::Tensor { order: 1, entries: vec![1.0; 3].into() })),
            "PairsOnly",
            "kernel of order 2",
        ),
        case(
            "weight negative",
            with(&[1.0, -1.0]),
            "RankingWeight { row: 1, value: -1.0 }",
            "the weight of row 1 is -1.0, but must be a finite number",
        ),
        case("weight NaN", with(&[f64::NAN, 1.0]), "RankingWeight { row: 0, value: NaN }", "row 0 is NaN"),
        case("weights all zero", with(&[0.0, 0.0]), "NoWeight", "the weights of all rankings are 0"),
        case("weights too few", with(&[1.0]), "CoefficientCount { given: 1, rankings: 2 }", "there are 1 weights"),
        case(
            "exact of many items",
            consensus(&Measure::kernel(&Weight::Standard, 21).unwrap(), &x(2, 21), None, exact()),
            "TooManyForExact { items: 21, most: 20 }",
            "method \"exact\" is for up to 20 items with this weight, but there are 21",
        ),
        case(
            "exact of products",
            consensus(&Measure::kernel(&mult(&[1.0; 11]), 11).unwrap(), &x(2, 11), None, exact()),
            "TooManyForExact { items: 11, most: 10 }",
            "up to 10 items",
        ),
        case(
            "consensus of unknown places",
            consensus(&kernel(&mult(&[1.0; 3])), &open(), None, exact()),
            "UnknownPlaces",
            "the weight must be the standard one",
        ),
        case("effects of a distance", effects(&Measure::distance(3), &[1.0; 2]), "PairsOnly", "kernel of order 2"),
        case(
            "effects without coefficients",
            effects(&measure, &[]),
            "CoefficientCount { given: 0",
            "there are 0 weights",
        ),
        case("effects with NaN", effects(&measure, &[1.0, f64::NAN]), "RankingWeight { row: 1", "row 1 is NaN"),
    ]
}
