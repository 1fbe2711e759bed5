//! Calls that are refused because of the rankings or the weights, and what the table of bad input is made of.
#![allow(dead_code, clippy::too_many_lines)] // tables: one entry a call

mod forms;
mod lists;
mod options;
mod pairs;
mod parameters;

pub use forms::forms;
pub use lists::lists;
pub use options::{options, without_threads};
pub use pairs::pairs;
pub use parameters::parameters;

use wkendall::{Error, Factor, Incomplete, Measure, Missing, Options, Rankings, Rows, Weight};

/// What is wrong, what comes back, how it is written in code (a part of it) and in words.
pub struct Case {
    pub what: &'static str,
    pub error: Error,
    pub numbers: &'static str,
    pub words: &'static str,
}

pub fn case<T>(what: &'static str, result: Result<T, Error>, numbers: &'static str, words: &'static str) -> Case {
    match result {
        Ok(_) => panic!("{what}: not refused"),
        Err(error) => Case { what, error, numbers, words },
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
        case(
            "too few values",
            Rankings::from_ranks(2, 3, &[1, 2, 3]),
            "Shape { values: 3, rows: 2, items: 3 }",
            "3 values cannot fill 2 rows of 3 items",
        ),
        case(
            "a short row",
            Rows::collect([vec![1, 2, 3], vec![2, 1]]),
            "RowLength { row: 1, given: 2, items: 3 }",
            "row 1 has 2 values, but the rows before it have 3: every row must rank the same items",
        ),
        case(
            "mean ranks of ties",
            Rankings::from_ranks(2, 4, &[1.0, 2.0, 3.0, 4.0, 1.0, 2.5, 2.5, 4.0]),
            "Midrank { row: 1, column: 1, value: 2.5, in_order: false }",
            "row 1, column 1 holds 2.5, which is not a whole number but the mean rank of tied items: ranks must be \
             whole; Incomplete::from_ranks accepts it",
        ),
        case(
            "mean ranks as orders",
            Rankings::from_orders(2, 4, &[1.0, 2.0, 3.0, 4.0, 1.0, 2.5, 2.5, 4.0]),
            "Midrank { row: 1, column: 1, value: 2.5, in_order: true }",
            "row 1, column 1 holds 2.5, which is not a whole number but the mean rank of tied items: an order lists \
             item numbers; read these numbers as ranks: Incomplete::from_ranks accepts them",
        ),
        case(
            "too many rows",
            Rankings::from_ranks(usize::MAX, 2, &[1, 2]),
            "Shape { values: 2, rows: 18446744073709551615",
            "2 values cannot fill 18446744073709551615 rows of 2 items",
        ),
        case(
            "too many items",
            Rankings::from_ranks::<i64>(0, 1 << 33, &[]),
            "TooManyItems { items: 8589934592 }",
            "8589934592 items are too many: at most 4294967294 can be ranked",
        ),
        case(
            "not whole",
            Rankings::from_ranks(2, 2, &[1.0, 2.0, 1.0, 1.5]),
            "NotWhole { row: 1, column: 1, value: 1.5 }",
            "row 1, column 1 holds 1.5, which is not a whole number: ranks and item numbers must be whole; real \
             numbers can be read as scores",
        ),
        case(
            "NaN",
            Rankings::from_ranks(2, 2, &[1.0, 2.0, nan, 1.0]),
            "NotANumber { row: 1, column: 0 }",
            "row 1, column 0 holds NaN: every item needs a number; Incomplete takes missing items, with \
             Missing::Bottom or Missing::Anywhere",
        ),
        case(
            "NaN among scores",
            Rankings::from_scores(1, 2, &[1.0, nan]),
            "NotANumber { row: 0, column: 1 }",
            "row 0, column 1 holds NaN: every item needs a number",
        ),
        case(
            "NaN in single precision",
            Rankings::from_ranks(1, 1, &[f32::NAN]),
            "NotANumber { row: 0, column: 0 }",
            "holds NaN",
        ),
        case(
            "infinite score",
            Rankings::from_scores(1, 2, &[1.0, f64::NEG_INFINITY]),
            "Infinite { row: 0, column: 1, value: -inf }",
            "row 0, column 1 holds -inf: numbers must be finite",
        ),
        case(
            "infinite rank",
            Rankings::from_ranks(1, 2, &[1.0, f64::INFINITY]),
            "row: 0, column: 1, value",
            "row 0, column 1 holds inf",
        ),
        case(
            "rank too large",
            Rankings::from_ranks(2, 3, &[1, 2, 3, 1, 4, 2]),
            "OutOfRange { row: 1, column: 1, value: Signed(4), first: 1, items: 3 }",
            "row 1, column 1 holds 4, but every row of 3 items must be a permutation of 1..3",
        ),
        case(
            "rank negative",
            Rankings::from_ranks(1, 2, &[-1, 1]),
            "OutOfRange { row: 0, column: 0, value: Signed(-1)",
            "row 0, column 0 holds -1, but every row of 2 items",
        ),
        case(
            "rank unsigned",
            Rankings::from_ranks(1, 2, &[0, u64::MAX]),
            "OutOfRange { row: 0, column: 1, value: Unsigned(18446744073709551615)",
            "holds 18446744073709551615",
        ),
        case("rank of a huge float", Rankings::from_ranks(1, 2, &[1.0, 1e300]), "row: 0, column: 1", "holds 1e300"),
        case(
            "order too large",
            Rankings::from_orders(1, 2, &[1, 3]),
            "OutOfRange { row: 0, column: 1, value: Signed(3)",
            "row 0, column 1 holds 3",
        ),
        case(
            "one item",
            Rankings::from_ranks(1, 1, &[5]),
            "OutOfRange { row: 0, column: 0, value: Signed(5)",
            "row 0, column 0 holds 5, but every row of 1 items must be a permutation of 1",
        ),
        case(
            "mixed bases",
            Rankings::from_ranks(2, 2, &[1, 2, 1, 0]),
            "MixedBase { row: 0, column: 1, zero_row: 1, zero_column: 1, items: 2 }",
            "row 0, column 1 holds 2 and row 1, column 1 holds 0, but rows of 2 items must all be permutations of \
             1..2 or all of 0..1",
        ),
        case(
            "rank twice",
            Rankings::from_ranks(1, 3, &[2, 1, 2]),
            "Duplicate { row: 0, earlier: 0, column: 2, value: Signed(2), first: 1, items: 3 }",
            "row 0 holds 2 twice, in columns 0 and 2, but every row of 3 items must be a permutation of 1..3; if these \
             are ranks, Incomplete::from_ranks takes ties",
        ),
        case(
            "item twice",
            Rankings::from_orders(1, 3, &[0, 0, 1]),
            "Duplicate { row: 0, earlier: 0, column: 1",
            "row 0 holds 0 twice, in columns 0 and 1",
        ),
        case(
            "score twice",
            Rankings::from_scores(2, 2, &[1.0, 2.0, 3.5, 3.5]),
            "Tie { row: 1, earlier: 0, column: 1, value: Real(3.5) }",
            "row 1 holds 3.5 twice, in columns 0 and 1: the numbers of a row must all differ; Incomplete::from_scores \
             takes ties",
        ),
        case(
            "other items",
            x(2, 3).compose(&x(2, 4)),
            "ItemsDiffer { left: 3, right: 4 }",
            "rankings of 3 items cannot go with 4 items: both must have the same number",
        ),
        case(
            "other rows",
            x(2, 3).compose(&x(1, 3)),
            "RowsDiffer { left: 2, right: 1 }",
            "2 rankings cannot go row by row with 1 rankings: both must have the same number",
        ),
        case(
            "incomplete NaN",
            Incomplete::from_ranks(1, 2, &[1.0, nan], Missing::Error),
            "NotANumber { row: 0, column: 1 }",
            "row 0, column 1 holds NaN: every item needs a number",
        ),
        case(
            "incomplete and infinite",
            Incomplete::from_scores(1, 2, &[1.0, f64::INFINITY], Missing::Bottom),
            "Infinite { row: 0, column: 1, value: inf }",
            "row 0, column 1 holds inf: numbers must be finite",
        ),
        case(
            "incomplete and short",
            Incomplete::from_ranks(2, 2, &[1.0], Missing::Error),
            "Shape { values: 1, rows: 2, items: 2 }",
            "1 values cannot fill 2 rows of 2 items",
        ),
    ]
}

pub fn weights() -> Vec<Case> {
    let of = |weight: &Weight| Measure::kernel(weight, 3);
    let nan = f64::NAN;
    vec![
        case(
            "k of zero",
            of(&Weight::Top(0)),
            "TopOutOfRange { k: 0, items: 3 }",
            "k is 0, but must be from 1 to 3, the number of items",
        ),
        case("k too large", of(&Weight::Top(4)), "TopOutOfRange { k: 4, items: 3 }", "k is 4, but must be from 1 to 3"),
        case(
            "k of no items",
            Measure::kernel(&Weight::Top(2), 0),
            "TopOutOfRange { k: 2, items: 0 }",
            "must be from 1 to 1",
        ),
        case(
            "u short",
            of(&mult(&[1.0])),
            "FactorLength { given: 1, items: 3 }",
            "u has 1 position weights, but the rankings have 3 items: one is needed for each",
        ),
        case(
            "values of u short",
            Factor::Values(vec![1.0]).values(3),
            "FactorLength { given: 1, items: 3 }",
            "u has 1",
        ),
        case(
            "u not a number",
            of(&mult(&[1.0, nan, 1.0])),
            "FactorNotFinite { position: 1, value: NaN }",
            "u[1] is NaN: position weights must be finite",
        ),
        case(
            "u infinite",
            of(&Weight::Add(Factor::Values(vec![1.0, 1.0, f64::INFINITY]))),
            "FactorNotFinite { position: 2, value: inf }",
            "u[2] is inf: position weights must be finite",
        ),
        case(
            "u too large",
            of(&mult(&[1.0, -1e90, 1.0])),
            "FactorTooLarge { position: 1, value: -1e90 }",
            "u[1] is -1e90, too large: products of position weights overflow; scale u down",
        ),
        case(
            "u too large for the order",
            kernel(&mult(&[1e60, 1.0, 1.0])).with_order(3),
            "FactorTooLarge { position: 0, value: 1e60 }",
            "u[0] is 1e60, too large",
        ),
        case(
            "matrix short",
            of(&Weight::Matrix(vec![1.0; 8])),
            "WeightShape { given: 8, arrays: 1, axes: 2, items: 3 }",
            "there are 8 weights, but for 3 items it must be 3 x 3",
        ),
        case(
            "tensor short",
            of(&tensor(3, &[1.0; 26])),
            "WeightShape { given: 26, arrays: 1, axes: 3, items: 3 }",
            "there are 26 weights, but for 3 items it must be 3 x 3 x 3",
        ),
        case(
            "factors short",
            of(&factors(2, &[1.0; 7])),
            "WeightShape { given: 7, arrays: 2, axes: 1, items: 3 }",
            "there are 7 weights, but for 3 items they must be 2 times 3",
        ),
        case(
            "quadruples short",
            of(&Weight::Quadruples([1.0; 80].into())),
            "WeightShape { given: 80, arrays: 1, axes: 4, items: 3 }",
            "there are 80 weights, but for 3 items it must be 3 x 3 x 3 x 3",
        ),
        case(
            "matrix with NaN",
            of(&Weight::Matrix([vec![1.0; 5], vec![nan; 4]].concat())),
            "WeightEntry { name: \"U\", at: [1, 2], value: NaN }",
            "U[1, 2] is NaN: weights must be finite and small enough for sums of products not to overflow",
        ),
        case(
            "stack with an infinity",
            of(&tensor(2, &[[0.0; 17].as_slice(), &[f64::INFINITY]].concat())),
            "WeightEntry { name: \"U\", at: [1, 2, 2], value: inf }",
            "U[1, 2, 2] is inf",
        ),
        case(
            "matrix too large",
            of(&Weight::Matrix(vec![1e160; 9])),
            "WeightEntry { name: \"U\", at: [0, 0], value: 1e160 }",
            "U[0, 0] is 1e160: weights must be finite and small enough",
        ),
        case(
            "factors with NaN",
            of(&factors(2, &[1.0, 1.0, 1.0, 1.0, nan, 1.0])),
            "WeightEntry { name: \"the factors of U\"",
            "the factors of U[",
        ),
        case(
            "quadruples with NaN",
            of(&Weight::Quadruples([nan; 81].into())),
            "WeightEntry { name: \"W\", at: [0, 1, 0, 1], value: NaN }",
            "W[0, 1, 0, 1] is NaN",
        ),
        case(
            "tensor of no axes",
            of(&tensor(0, &[])),
            "Order { order: 0 }",
            "order is 0: named weights take an order of 1 or more, general weights have their own order",
        ),
        case("factors of no axes", of(&factors(0, &[])), "Order { order: 0 }", "order is 0"),
        case(
            "too steep for its order",
            of(&mult(&[1.0, 1e-300, 1e-300])).and_then(|kernel| kernel.with_order(3)?.try_normalized()),
            "TooSteep { order: 3 }",
            "u falls too steeply for a normalized kernel of order 3",
        ),
        case(
            "tensor of many axes",
            of(&tensor(50, &[])),
            "OrderTooHigh { order: 50, items: 3 }",
            "sums over tuples of 50 of 3 items are too large for a float64: take a lower order",
        ),
        case(
            "order of many tuples",
            Measure::kernel(&Weight::Standard, 3000).unwrap().with_order(1500),
            "OrderTooHigh { order: 1500, items: 3000 }",
            "sums over tuples of 1500 of 3000 items are too large",
        ),
        case(
            "lambda negative",
            Measure::mallows(3, -1.0),
            "Lambda { value: -1.0 }",
            "lambda is -1.0: the Mallows kernel needs a finite number that is not negative",
        ),
        case("lambda NaN", Measure::mallows(3, nan), "Lambda { value: NaN }", "lambda is NaN"),
    ]
}
