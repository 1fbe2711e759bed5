//! The table of bad input: every call is refused with the variant, the numbers and the words that it should have.
//! The numbers are those of 64-bit sizes; tests/rust/gram.rs has a test of sizes that holds for others too.
#![cfg(target_pointer_width = "64")]

mod backends;
mod refused;

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use refused::{
    Case, case, forms, kernel, lists, mult, open, options, pairs, rankings, standard, ties, weights, with,
    without_threads, x,
};
use wkendall::{
    Backend, Columns, Error, Matrix, Measure, Options, Progress, Rankings, RunOptions, Weight, Workspace, correlations,
    correlations_into, diagonal, embedding, features, gram, gram_into, neighbors, planned, within,
};

/// Variants that no call of a test reaches, and why.
const NOT_REACHED: [(&str, &str); 4] = [
    ("OutOfMemory", "needs an input as large as the memory"),
    ("MissingInstructions", "needs a CPU without AVX2 or AVX-512; reached there"),
    ("Changed", "needs another thread that writes to the input"),
    ("ListedTie", "needs lists whose numbers must differ, which only the Python package reads"),
];

/// Calls that are refused because of what is to be computed, and where to.
#[allow(clippy::too_many_lines)] // a table: one entry a call
fn runs() -> Vec<Case> {
    let (measure, three) = (standard(), &x(2, 3));
    let (large, small) = (kernel(&mult(&[1e12; 3])), kernel(&mult(&[1e-10; 3])));
    let many = Rankings::from_ranks::<i64>(usize::MAX / 2, 0, &[]).unwrap();
    let none = Measure::kernel(&Weight::Standard, 0).unwrap();
    let mut stop = |_: Progress| ControlFlow::Break(());
    let (mut short, mut single) = ([0.0; 3], [0.0_f32; 4]);
    let any = Options::default;
    let table = |observations: usize| Columns::from_values(1, observations, &vec![1.0; observations]).unwrap();
    vec![
        case(
            "tensors beyond memory",
            embedding::tuple_sums(three, &[1.0; 2], 40, RunOptions::default()),
            "TooLarge",
            "does not fit into memory",
        ),
        case(
            "a matrix of other values",
            Matrix::from_vec(2, 2, vec![1.0; 3]),
            "OutputLength { given: 3, rows: 2, columns: 2 }",
            "the output holds 3 values, but the result is 2 x 2",
        ),
        case(
            "other observations",
            correlations(&table(3), Some(&table(4)), 1, None, any()),
            "ObservationsDiffer { left: 3, right: 4 }",
            "columns of 3 observations cannot go with columns of 4",
        ),
        case(
            "output of correlations short",
            correlations_into(&table(3), None, 1, &mut [0.0; 2], None, any()),
            "OutputLength { given: 2, rows: 1, columns: 1 }",
            "the output holds 2 values",
        ),
        case(
            "columns of another shape",
            Columns::from_values(2, 3, &[1.0]),
            "ColumnShape { values: 1, columns: 2, observations: 3 }",
            "1 values cannot fill 2 columns of 3 observations",
        ),
        case("other items", gram(&measure, three, Some(&x(2, 4)), any()), "ItemsDiffer", "items cannot go with"),
        case(
            "measure of other items",
            gram(&measure, &x(2, 4), None, any()),
            "ItemsDiffer { left: 4, right: 3 }",
            "rankings of 4 items cannot go with 3 items",
        ),
        case(
            "pair of other items",
            measure.between(x(1, 4).row(0), x(1, 4).row(0), &mut Workspace::new(4)),
            "ItemsDiffer { left: 4, right: 3 }",
            "rankings of 4 items",
        ),
        case(
            "permutation of other items",
            measure.kappa(x(1, 2).row(0), &mut Workspace::new(2)),
            "ItemsDiffer { left: 2, right: 3 }",
            "rankings of 2 items cannot go with 3 items",
        ),
        case(
            "no neighbours",
            neighbors(&measure, three, None, 0, any()),
            "NeighborCount { count: 0, rankings: 1, others: true }",
            "count is 0, but there are 1 other rankings: it must be from 1 to 1",
        ),
        case(
            "more neighbours than others",
            neighbors(&measure, three, None, 2, any()),
            "NeighborCount { count: 2, rankings: 1, others: true }",
            "count is 2, but there are 1 other rankings",
        ),
        case(
            "more neighbours than rankings",
            neighbors(&measure, three, Some(three), 3, any()),
            "NeighborCount { count: 3, rankings: 2, others: false }",
            "count is 3, but there are 2 rankings: it must be from 1 to 2",
        ),
        case(
            "no others",
            neighbors(&measure, &x(1, 3), None, 1, any()),
            "NeighborCount { count: 1, rankings: 0, others: true }",
            "count is 1, but there are 0 other rankings: none can be found",
        ),
        case(
            "neighbours of other items",
            neighbors(&measure, &x(1, 4), None, 1, any()),
            "ItemsDiffer { left: 4, right: 3 }",
            "rankings of 4 items",
        ),
        case(
            "radius NaN",
            within(&measure, three, None, f64::NAN, any()),
            "Radius { value: NaN, distance: false }",
            "radius is NaN: it must be a value of the kernel",
        ),
        case(
            "radius negative",
            within(&Measure::distance(3), three, None, -1.0, any()),
            "Radius { value: -1.0, distance: true }",
            "radius is -1.0: it must be a distance from 0",
        ),
        case(
            "radius of other items",
            within(&measure, three, Some(&x(1, 4)), 1.0, any()),
            "ItemsDiffer { left: 4, right: 3 }",
            "rankings of 4 items",
        ),
        case(
            "output short",
            gram_into(&measure, three, None, &mut short, any()),
            "OutputLength { given: 3, rows: 2, columns: 2 }",
            "the output holds 3 values, but the result is 2 x 2",
        ),
        case(
            "result beyond memory",
            gram(&none, &many, None, any()),
            "TooLarge { rows: 9223372036854775807, columns: 9223372036854775807 }",
            "9223372036854775807 does not fit into memory: compute it in blocks of rows",
        ),
        case(
            "beyond single precision",
            gram_into(&large, three, None, &mut single, any()),
            "BeyondSingle { value: 3",
            "too large for single precision: normalize, scale the weights down or use double precision",
        ),
        case(
            "below single precision",
            gram_into(&small, three, None, &mut single, any()),
            "BelowSingle { value: 3",
            "too small for single precision: normalize, scale the weights up or use double precision",
        ),
        case(
            "backend unknown",
            "bit".parse::<Backend>(),
            "UnknownBackend { name: \"bit\", ",
            "backend \"bit\" does not exist: it is a strategy (bits, product, pairs, partition), an instruction set",
        ),
        case("backend of two strategies", "bits-product".parse::<Backend>(), "UnknownBackend", "does not exist"),
        case(
            "backend that cannot",
            gram(&kernel(&Weight::Average), three, None, with("product")),
            "CannotCompute { name: \"product\" }",
            "backend \"product\" cannot compute this measure",
        ),
        case(
            "plan that cannot",
            planned(&kernel(&mult(&[1.0; 3])), 2, 2, &with("bits")),
            "CannotCompute { name: \"bits\" }",
            "backend \"bits\" cannot compute this measure",
        ),
        case(
            "stopped",
            gram(&measure, three, None, Options { watch: Some(&mut stop), ..any() }),
            "Interrupted",
            "stopped on request",
        ),
        case(
            "order of ties",
            diagonal(&standard().with_order(3).unwrap(), &ties(), any()),
            "IncompleteOrder { order: 3 }",
            "order is 3, but rankings with ties or missing items take orders 1 and 2 only",
        ),
        case(
            "quadruples of ties",
            diagonal(&kernel(&Weight::Quadruples(vec![0.0; 81].into())), &ties(), any()),
            "IncompleteQuadruples",
            "W is for complete rankings: with ties or missing items each pair of items would need a mean",
        ),
        case(
            "weight of unknown places",
            diagonal(&kernel(&mult(&[1.0; 3])), &open(), any()),
            "UnknownPlaces",
            "if missing items can be anywhere, the weight must be the standard one, and the order 2",
        ),
        case(
            "footrule of unknown places",
            diagonal(&Measure::footrule(3), &open(), any()),
            "NotTaken { measure: \"the footrule\"",
            "the footrule is not defined for missing items that can be anywhere, only for missing items that come last",
        ),
        case(
            "costs that increase",
            Measure::swap_distance(3, &[1.0, 2.0]),
            "Parameter { name: \"costs\", value: \"2.0 at index 1\"",
            "costs is 2.0 at index 1, but must be at most the cost before it, 1.0",
        ),
        case(
            "single items of unknown places",
            diagonal(&standard().with_order(1).unwrap(), &open(), any()),
            "UnknownPlaces",
            "the weight must be the standard one, and the order 2",
        ),
        case(
            "output of ties short",
            gram_into(&measure, &ties(), None, &mut short, any()),
            "OutputLength { given: 3, rows: 2, columns: 2 }",
            "the output holds 3 values, but the result is 2 x 2",
        ),
        case(
            "ties of other items",
            gram_into(&Measure::distance(4), &ties(), None, &mut [0.0; 4], any()),
            "ItemsDiffer { left: 3, right: 4 }",
            "rankings of 3 items cannot go with 4 items",
        ),
    ]
}

/// Calls that are refused because an embedding does not fit.
fn embeddings() -> Vec<Case> {
    let x = &x(2, 3);
    let (run, weights) = (RunOptions::default, [1.0; 3]);
    let mut short = [0.0; 5];
    vec![
        case(
            "embedding of other weights",
            embedding::embed_into(x, 1, &[1.0; 4], &mut short, run()),
            "WeightShape { given: 4",
            "there are 4 weights, but for 3 items it must be 3",
        ),
        case(
            "embedding into too little",
            embedding::embed_into(x, 1, &weights, &mut short, run()),
            "OutputLength { given: 5, rows: 2, columns: 3 }",
            "the output holds 5 values, but the result is 2 x 3",
        ),
        case(
            "features into too little",
            features::features_into(&Measure::kernel(&Weight::Average, 3).unwrap(), x, &mut short, run()),
            "OutputLength { given: 5, rows: 2, columns: 12 }",
            "the output holds 5 values, but the result is 2 x 12",
        ),
        case(
            "features of a distance",
            features::columns(&Measure::distance(3)),
            "NoFeatures",
            "only kernels of order 2 with a named weight have features of pairs",
        ),
        case(
            "coefficients too few",
            embedding::combine(x, &[1.0], 1, &weights, run()),
            "CoefficientCount { given: 1, rankings: 2 }",
            "there are 1 weights or coefficients for 2 rankings: every ranking needs one",
        ),
        case(
            "tuples into too little",
            embedding::tuple_sums_into(x, &[1.0; 2], 1, &mut short, run()),
            "OutputLength { given: 5, rows: 3, columns: 3 }",
            "the output holds 5 values, but the result is 3 x 3",
        ),
        case(
            "function of other weights",
            embedding::linear_function(x, 1, &weights, &[1.0], run()),
            "WeightShape { given: 1",
            "there are 1 weights, but for 3 items it must be 3",
        ),
        case(
            "function of no axes",
            embedding::linear_function(x, 0, &[], &[], run()),
            "Order { order: 0 }",
            "order is 0",
        ),
    ]
}

fn all_cases() -> impl Iterator<Item = Case> {
    [rankings(), lists(), weights(), forms(), runs(), options(), embeddings(), pairs()].into_iter().flatten()
}

/// The name of a variant.
fn variant(error: &Error) -> String {
    format!("{error:?}").split([' ', '{']).next().unwrap().to_owned()
}

#[test]
fn every_call_is_refused_with_its_numbers_and_words() {
    for case in all_cases() {
        let Case { what, error, numbers, words } = case;
        let (debugged, message) = (format!("{error:?}"), error.to_string());
        assert!(debugged.contains(numbers), "{what}: {debugged}");
        assert!(message.contains(words), "{what}: {message}");
        assert!(!message.contains('\n') && !message.ends_with('.') && message.len() < 300, "{what}: {message}");
    }
}

#[test]
fn errors_tell_their_numbers_one_by_one() {
    for Case { what, error, .. } in all_cases() {
        let debugged = format!("{error:?}");
        // In a list, the column of a number is its item.
        let column = if debugged.contains(" item: ") { "item" } else { "column" };
        for (name, number) in [("row", error.row()), (column, error.column())] {
            let said = debugged.contains(&format!(" {name}: "));
            assert_eq!(said, number.is_some(), "{what}: {debugged}");
            assert!(number.is_none_or(|number| debugged.contains(&format!(" {name}: {number}"))), "{what}: {debugged}");
        }
        assert!(error.row().is_none() || (error.kind().is_some() && error.value().is_some()), "{what}: {debugged}");
    }
}

#[test]
fn every_variant_is_reached_or_has_a_reason_not_to_be() {
    let source = include_str!("../../src/error.rs");
    let body = source.split("pub enum Error {").nth(1).unwrap().split("\n}\n").next().unwrap();
    let names = body.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     "));
    let declared: BTreeSet<String> = names
        .map(|line| line.trim().trim_end_matches([',', '{', ' ']))
        .filter(|name| name.chars().next().is_some_and(char::is_uppercase))
        .map(ToOwned::to_owned)
        .collect();
    assert!(declared.len() > 30, "{declared:?}");
    let cases = all_cases();
    let mut covered: BTreeSet<String> = cases.map(|case| variant(&case.error)).collect();
    covered.extend(NOT_REACHED.map(|(name, _)| name.to_owned()));
    assert_eq!(declared, covered);
}

#[test]
fn instructions_that_the_cpu_lacks_are_named() {
    let present = wkendall::instruction_sets();
    for &name in backends::instruction_sets().iter().filter(|name| !present.iter().any(|set| set == *name)) {
        let error = gram(&standard(), &x(2, 3), None, with(name)).unwrap_err();
        assert_eq!(error.to_string(), format!("this CPU does not have the instructions of backend {name:?}"));
    }
}

/// The public functions of the crate that take options with threads, from its source.
fn functions_with_threads() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() && !entry.ends_with("src/python") {
                folders.push(entry);
            } else if entry.extension().is_some_and(|ending| ending == "rs") {
                add_functions(&fs::read_to_string(&entry).unwrap(), &mut found);
            }
        }
    }
    found
}

fn add_functions(source: &str, found: &mut BTreeSet<String>) {
    for (at, _) in source.match_indices("pub fn ") {
        let head = source[at + "pub fn ".len()..].split('{').next().unwrap();
        if !["Options<", "RunOptions<", "threads: Option"].iter().any(|taken| head.contains(taken)) {
            continue;
        }
        let name = head.split(['(', '<']).next().unwrap();
        // A method is indented and belongs to the last `impl` before it.
        let owner = source[..at].ends_with("    ").then(|| source[..at].rsplit("\nimpl").next().unwrap());
        let owner = owner.map(|text| text.trim_start_matches("<'a>").trim().split(['<', ' ']).next().unwrap());
        found.insert(owner.map_or_else(|| name.to_owned(), |owner| format!("{owner}::{name}")));
    }
}

#[test]
fn every_public_function_with_threads_refuses_to_run_on_none() {
    let tried: BTreeSet<String> = without_threads().into_iter().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(functions_with_threads(), tried);
    for (name, found) in without_threads() {
        assert_eq!(found, Err(Error::NoThreads), "{name}");
    }
}
