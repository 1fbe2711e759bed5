//! Calls that are refused because of the rankings or the weights, and what the table of bad input is made of.
#![allow(dead_code, clippy::too_many_lines)] // tables: one entry a call

mod options;
mod parameters;

pub use options::{options, without_threads};
pub use parameters::parameters;

use wkendall::importance::largest_effects;
use wkendall::{
    Error, Factor, Incomplete, ListIndex, Lists, Measure, Missing, Options, Rankings, Rows, RunOptions, Weight,
    consensus, gram,
};

/// An error, and how it is written in code (a part of it).
pub struct Case {
    pub error: Error,
    pub numbers: &'static str,
}

pub fn case<T>(result: Result<T, Error>, numbers: &'static str) -> Case {
    match result {
        Ok(_) => panic!("not refused: {numbers}"),
        Err(error) => Case { error, numbers },
    }
}

pub fn x(rows: usize, items: usize) -> Rankings {
    let row: Vec<i64> = (1..=items as i64).collect();
    Rankings::from_ranks(rows, items, &row.repeat(rows)).unwrap()
}

pub fn ties() -> Incomplete {
    Incomplete::from_ranks(2, 3, &[1.0, 1.0, 2.0, 1.0, 2.0, 3.0], Missing::Error).unwrap()
}

pub fn open() -> Incomplete {
    Incomplete::from_ranks(1, 3, &[1.0, f64::NAN, 2.0], Missing::Anywhere).unwrap()
}

pub fn kernel(weight: &Weight) -> Measure {
    Measure::kernel(weight, 3).unwrap()
}

pub fn standard() -> Measure {
    kernel(&Weight::Standard)
}

pub fn mult(u: &[f64]) -> Weight {
    Weight::Mult(Factor::Values(u.to_vec()))
}

pub fn tensor(order: usize, entries: &[f64]) -> Weight {
    Weight::Tensor { order, entries: entries.into() }
}

pub fn factors(order: usize, vectors: &[f64]) -> Weight {
    Weight::Factors { order, vectors: vectors.into() }
}

pub fn with(backend: &str) -> Options<'static> {
    Options { backend: backend.parse().unwrap(), ..Options::default() }
}

pub fn rankings() -> Vec<Case> {
    let nan = f64::NAN;
    vec![
        case(Rankings::from_ranks(2, 3, &[1, 2, 3]), "Shape { values: 3, rows: 2, items: 3 }"),
        case(Rows::collect([vec![1, 2, 3], vec![2, 1]]), "RowLength { row: 1, given: 2, items: 3 }"),
        case(
            Rankings::from_ranks(2, 4, &[1.0, 2.0, 3.0, 4.0, 1.0, 2.5, 2.5, 4.0]),
            "Midrank { row: 1, column: 1, value: 2.5, in_order: false }",
        ),
        case(
            Rankings::from_orders(2, 4, &[1.0, 2.0, 3.0, 4.0, 1.0, 2.5, 2.5, 4.0]),
            "Midrank { row: 1, column: 1, value: 2.5, in_order: true }",
        ),
        case(Rankings::from_ranks(usize::MAX, 2, &[1, 2]), "Shape { values: 2, rows: 18446744073709551615"),
        case(Rankings::from_ranks::<i64>(0, 1 << 33, &[]), "TooManyItems { items: 8589934592 }"),
        case(Rankings::from_ranks(2, 2, &[1.0, 2.0, 1.0, 1.5]), "NotWhole { row: 1, column: 1, value: 1.5 }"),
        case(Rankings::from_ranks(2, 2, &[1.0, 2.0, nan, 1.0]), "NotANumber { row: 1, column: 0 }"),
        case(Rankings::from_scores(1, 2, &[1.0, nan]), "NotANumber { row: 0, column: 1 }"),
        case(Rankings::from_ranks(1, 1, &[f32::NAN]), "NotANumber { row: 0, column: 0 }"),
        case(Rankings::from_scores(1, 2, &[1.0, f64::NEG_INFINITY]), "Infinite { row: 0, column: 1, value: -inf }"),
        case(Rankings::from_ranks(1, 2, &[1.0, f64::INFINITY]), "row: 0, column: 1, value"),
        case(
            Rankings::from_ranks(2, 3, &[1, 2, 3, 1, 4, 2]),
            "OutOfRange { row: 1, column: 1, value: Signed(4), first: 1, items: 3 }",
        ),
        case(Rankings::from_ranks(1, 2, &[-1, 1]), "OutOfRange { row: 0, column: 0, value: Signed(-1)"),
        case(
            Rankings::from_ranks(1, 2, &[0, u64::MAX]),
            "OutOfRange { row: 0, column: 1, value: Unsigned(18446744073709551615)",
        ),
        case(Rankings::from_ranks(1, 2, &[1.0, 1e300]), "row: 0, column: 1"),
        case(Rankings::from_orders(1, 2, &[1, 3]), "OutOfRange { row: 0, column: 1, value: Signed(3)"),
        case(Rankings::from_ranks(1, 1, &[5]), "OutOfRange { row: 0, column: 0, value: Signed(5)"),
        case(
            Rankings::from_ranks(2, 2, &[1, 2, 1, 0]),
            "MixedBase { row: 0, column: 1, zero_row: 1, zero_column: 1, items: 2 }",
        ),
        case(
            Rankings::from_ranks(1, 3, &[2, 1, 2]),
            "Duplicate { row: 0, earlier: 0, column: 2, value: Signed(2), first: 1, items: 3 }",
        ),
        case(Rankings::from_orders(1, 3, &[0, 0, 1]), "Duplicate { row: 0, earlier: 0, column: 1"),
        case(
            Rankings::from_scores(2, 2, &[1.0, 2.0, 3.5, 3.5]),
            "Tie { row: 1, earlier: 0, column: 1, value: Real(3.5) }",
        ),
        case(x(2, 3).compose(&x(2, 4)), "ItemsDiffer { left: 3, right: 4 }"),
        case(x(2, 3).compose(&x(1, 3)), "RowsDiffer { left: 2, right: 1 }"),
        case(Incomplete::from_ranks(1, 2, &[1.0, nan], Missing::Error), "NotANumber { row: 0, column: 1 }"),
        case(
            Incomplete::from_scores(1, 2, &[1.0, f64::INFINITY], Missing::Bottom),
            "Infinite { row: 0, column: 1, value: inf }",
        ),
        case(Incomplete::from_ranks(2, 2, &[1.0], Missing::Error), "Shape { values: 1, rows: 2, items: 2 }"),
    ]
}

pub fn weights() -> Vec<Case> {
    let of = |weight: &Weight| Measure::kernel(weight, 3);
    let nan = f64::NAN;
    vec![
        case(of(&Weight::Top(0)), "TopOutOfRange { k: 0, items: 3 }"),
        case(of(&Weight::Top(4)), "TopOutOfRange { k: 4, items: 3 }"),
        case(Measure::kernel(&Weight::Top(2), 0), "TopOutOfRange { k: 2, items: 0 }"),
        case(Measure::kernel(&Weight::Top(0), 0), "TopOutOfRange { k: 0, items: 0 }"),
        case(of(&mult(&[1.0])), "FactorLength { given: 1, items: 3 }"),
        case(Factor::Values(vec![1.0]).values(3), "FactorLength { given: 1, items: 3 }"),
        case(of(&mult(&[1.0, nan, 1.0])), "FactorNotFinite { position: 1, value: NaN }"),
        case(
            of(&Weight::Add(Factor::Values(vec![1.0, 1.0, f64::INFINITY]))),
            "FactorNotFinite { position: 2, value: inf }",
        ),
        case(of(&mult(&[1.0, -1e90, 1.0])), "FactorTooLarge { position: 1, value: -1e90 }"),
        case(kernel(&mult(&[1e60, 1.0, 1.0])).with_order(3), "FactorTooLarge { position: 0, value: 1e60 }"),
        case(of(&Weight::Matrix(vec![1.0; 8])), "WeightShape { given: 8, arrays: 1, axes: 2, items: 3 }"),
        case(of(&tensor(3, &[1.0; 26])), "WeightShape { given: 26, arrays: 1, axes: 3, items: 3 }"),
        case(of(&factors(2, &[1.0; 7])), "WeightShape { given: 7, arrays: 2, axes: 1, items: 3 }"),
        case(of(&Weight::Quadruples([1.0; 80].into())), "WeightShape { given: 80, arrays: 1, axes: 4, items: 3 }"),
        case(
            of(&Weight::Matrix([vec![1.0; 5], vec![nan; 4]].concat())),
            "WeightEntry { name: \"U\", at: [1, 2], value: NaN }",
        ),
        case(
            of(&tensor(2, &[[0.0; 17].as_slice(), &[f64::INFINITY]].concat())),
            "WeightEntry { name: \"U\", at: [1, 2, 2], value: inf }",
        ),
        case(of(&Weight::Matrix(vec![1e160; 9])), "WeightEntry { name: \"U\", at: [0, 0], value: 1e160 }"),
        case(of(&factors(2, &[1.0, 1.0, 1.0, 1.0, nan, 1.0])), "WeightEntry { name: \"the factors of U\""),
        case(of(&Weight::Quadruples([nan; 81].into())), "WeightEntry { name: \"W\", at: [0, 1, 0, 1], value: NaN }"),
        case(of(&tensor(0, &[])), "Order { order: 0 }"),
        case(of(&factors(0, &[])), "Order { order: 0 }"),
        case(
            of(&mult(&[1.0, 1e-300, 1e-300])).and_then(|kernel| kernel.with_order(3)?.try_normalized()),
            "TooSteep { order: 3 }",
        ),
        case(of(&tensor(50, &[])), "OrderTooHigh { order: 50, items: 3 }"),
        case(
            Measure::kernel(&Weight::Standard, 3000).unwrap().with_order(1500),
            "OrderTooHigh { order: 1500, items: 3000 }",
        ),
        case(Measure::mallows(3, -1.0), "Lambda { value: -1.0 }"),
        case(Measure::mallows(3, nan), "Lambda { value: NaN }"),
    ]
}

fn list_of(bounds: &[i64], listed: &[i64], values: &[f64]) -> Result<Lists, Error> {
    Lists::from_ranks(3, bounds, listed, values)
}

/// What is no list out of a catalogue.
pub fn lists() -> Vec<Case> {
    let one = list_of(&[0, 1], &[2], &[1.0]).unwrap();
    let distance = Measure::distance(3);
    vec![
        case(list_of(&[0, 2, 1], &[0, 1], &[1.0, 2.0]), "ListBounds { row: 2, value: Signed(1), entries: 2 }"),
        case(list_of(&[0, 1], &[0, 1], &[1.0, 2.0]), "ListBounds { row: 1, value: Unsigned(1), entries: 2 }"),
        case(list_of(&[], &[], &[]), "NoBounds"),
        case(list_of(&[0, 2], &[0, 1], &[1.0]), "EntriesDiffer { items: 2, values: 1 }"),
        case(list_of(&[0, 0, 1], &[3], &[1.0]), "NotInCatalogue { row: 1, value: Signed(3), items: 3 }"),
        case(list_of(&[0, 3], &[2, 1, 2], &[1.0, 2.0, 3.0]), "ListedTwice { row: 0, item: 2 }"),
        case(Lists::from_orders(3, &[vec![1], vec![0, 0]]), "ListedTwice { row: 1, item: 0 }"),
        case(list_of(&[0, 1], &[1], &[f64::NAN]), "ListedNotFinite { row: 0, item: 1, value: NaN }"),
        case(list_of(&[0, 0, 1], &[2], &[f64::INFINITY]), "ListedNotFinite { row: 1, item: 2, value: inf }"),
        case(
            Lists::from_incomplete(&Incomplete::from_ranks(1, 2, &[1.0, f64::NAN], Missing::Anywhere).unwrap()),
            "ListedAnywhere { row: 0, item: 1 }",
        ),
        case(Lists::from_ranks::<i64, i64, f64>(1 << 32, &[0], &[], &[]), "TooManyItems"),
        case(
            ListIndex::new(&Measure::correlation(&Weight::Standard, 3).unwrap(), &one, Options::default()).map(drop),
            "ListMeasure",
        ),
        case(ListIndex::from_bytes(&distance, b"no index", Options::default()).map(drop), "IndexBytes"),
        case(ListIndex::new(&Measure::distance(4), &one, Options::default()).map(drop), "ItemsDiffer"),
        case(
            ListIndex::new(&distance, &one, Options::default()).unwrap().neighbors(Some(&one), 2, Options::default()),
            "NeighborCount { count: 2, rankings: 1, others: false }",
        ),
        case(
            ListIndex::new(&distance, &one, Options::default()).unwrap().within(None, f64::NAN, Options::default()),
            "Radius",
        ),
        case(
            ListIndex::new(&distance, &one, Options::default()).unwrap().remove(&[1], Options::default()),
            "NoRow { number: 1, rankings: 1 }",
        ),
        case(
            ListIndex::new(&Measure::rank_biased_overlap(3, 0.9, "max", "a").unwrap(), &one, Options::default())
                .map(drop),
            "ListMeasure",
        ),
    ]
}

/// Forms that a measure does not have: every measure with every builder that it refuses.
pub fn forms() -> Vec<Case> {
    let general = || kernel(&Weight::Matrix(vec![1.0; 9]));
    let distance = || Measure::distance(3);
    let mallows = || Measure::mallows(3, 1.0).unwrap();
    let correlation = || Measure::correlation(&Weight::Standard, 3).unwrap();
    let signed = || standard().signed().unwrap();
    vec![
        case(standard().with_order(0), "Order { order: 0 }"),
        case(standard().normalized().with_order(0), "Order { order: 0 }"),
        case(signed().with_order(0), "Order { order: 0 }"),
        case(signed().with_order(3), "OrderSigned { order: 3 }"),
        case(signed().with_order(1), "OrderSigned { order: 1 }"),
        case(signed().normalized().with_order(3), "OrderSigned { order: 3 }"),
        case(standard().with_order(3).unwrap().signed(), "OrderSigned { order: 3 }"),
        case(general().with_order(3), "Order { order: 3 }"),
        case(general().with_order(0), "Order { order: 0 }"),
        case(general().signed(), "WeightSigned"),
        case(Measure::correlation(&Weight::Matrix(vec![0.0; 9]), 3), "WeightSigned"),
        case(distance().signed(), "NoSignedForm { measure: \"a distance\" }"),
        case(distance().try_normalized(), "NoNormalizedForm { measure: \"a distance\" }"),
        case(standard().plus(distance()), "NotAKernel { measure: \"a distance\" }"),
        case(
            standard().times(Measure::correlation(&Weight::Average, 3).unwrap()),
            "NotAKernel { measure: \"a correlation\" }",
        ),
        case(standard().plus(Measure::kernel(&Weight::Standard, 4).unwrap()), "ItemsDiffer"),
        case(standard().scaled(-1.0), "KernelFactor { value: -1.0 }"),
        case(standard().power(0), "KernelPower { exponent: 0 }"),
        case(
            Measure::kernel(&mult(&[1e50; 3]), 3).unwrap().power(2).and_then(|kernel| {
                gram(&kernel, &Rankings::from_ranks(1, 3, &[1, 2, 3]).unwrap(), None, Options::default())
            }),
            "NotFinite",
        ),
        case(
            standard().plus(standard()).unwrap().with_order(3),
            "NoOtherOrder { measure: \"a combination of kernels\", order: 3 }",
        ),
        case(distance().with_order(3), "NoOtherOrder { measure: \"a distance\", order: 3 }"),
        case(distance().with_order(0), "NoOtherOrder"),
        case(mallows().signed(), "NoSignedForm { measure: \"the Mallows kernel\" }"),
        case(mallows().with_order(3), "NoOtherOrder { measure: \"the Mallows kernel\", order: 3 }"),
        case(correlation().with_item_weight(&[1.0; 3]), "NoItemWeight { taker: \"a correlation\" }"),
        case(correlation().signed(), "NoSignedForm { measure: \"a correlation\" }"),
        case(correlation().with_order(3), "NoOtherOrder { measure: \"a correlation\", order: 3 }"),
    ]
}

/// Calls for pairs of items that are refused.
pub fn pairs() -> Vec<Case> {
    let (measure, three) = (standard(), &x(2, 3));
    let exact = || consensus::Options { method: consensus::Method::Exact, ..consensus::Options::default() };
    let of = |measure: &Measure| consensus::consensus(measure, three, None, consensus::Options::default());
    let with = |weights: &[f64]| consensus::consensus(&measure, three, Some(weights), consensus::Options::default());
    let none = Rankings::from_ranks::<i64>(0, 3, &[]).unwrap();
    let effects = |measure: &Measure, coefficients: &[f64]| {
        largest_effects(measure, three, coefficients, 1, RunOptions::default())
    };
    vec![
        case(consensus::consensus(&measure, &none, None, consensus::Options::default()), "NoRankings"),
        case(
            consensus::consensus(&measure, &x(2, 4), None, consensus::Options::default()),
            "ItemsDiffer { left: 4, right: 3 }",
        ),
        case(of(&Measure::distance(3)), "PairsOnly"),
        case(of(&Measure::mallows(3, 1.0).unwrap()), "PairsOnly"),
        case(of(&standard().with_order(3).unwrap()), "PairsOnly"),
        case(of(&kernel(&Weight::Quadruples(vec![0.0; 81].into()))), "PairsOnly"),
        case(of(&kernel(&Weight::Tensor { order: 1, entries: vec![1.0; 3].into() })), "PairsOnly"),
        case(with(&[1.0, -1.0]), "RankingWeight { row: 1, value: -1.0 }"),
        case(with(&[f64::NAN, 1.0]), "RankingWeight { row: 0, value: NaN }"),
        case(with(&[0.0, 0.0]), "NoWeight"),
        case(with(&[1.0]), "CoefficientCount { given: 1, rankings: 2 }"),
        case(
            consensus::consensus(&Measure::kernel(&Weight::Standard, 21).unwrap(), &x(2, 21), None, exact()),
            "TooManyForExact { items: 21, most: 20 }",
        ),
        case(
            consensus::consensus(&Measure::kernel(&mult(&[1.0; 11]), 11).unwrap(), &x(2, 11), None, exact()),
            "TooManyForExact { items: 11, most: 10 }",
        ),
        case(consensus::consensus(&kernel(&mult(&[1.0; 3])), &open(), None, exact()), "UnknownPlaces"),
        case(consensus::linear_ordering(21, &[0.0; 441], exact()), "TooManyForExact { items: 21, most: 20 }"),
        case(consensus::linear_ordering(2, &[0.0; 3], exact()), "Shape { values: 3, rows: 2, items: 2 }"),
        case(consensus::linear_orderings(3, 1, &[0.0, 0.0, f64::NAN], exact()), "NotANumber { row: 2, column: 0 }"),
        case(consensus::linear_ordering(1, &[f64::INFINITY], exact()), "Infinite { row: 0, column: 0, value: inf }"),
        case(effects(&Measure::distance(3), &[1.0; 2]), "PairsOnly"),
        case(effects(&measure, &[]), "CoefficientCount { given: 0"),
        case(effects(&measure, &[1.0, f64::NAN]), "RankingWeight { row: 1"),
    ]
}
