//! The table of bad input: every call is refused with the variant and the numbers that it should have.
//! The numbers are those of 64-bit sizes; tests/rust/gram.rs has a test of sizes that holds for others too.
#![cfg(target_pointer_width = "64")]

mod backends;
mod refused;

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use refused::{
    Case, case, forms, kernel, lists, mult, open, options, pairs, parameters, rankings, standard, ties, weights, with,
    without_threads, x,
};
use wkendall::{
    Backend, Columns, CorrelationSettings, Error, Matrix, Measure, Options, Progress, Rankings, RunOptions, Weight,
    Workspace, correlations, diagonal, embedding, features, gram, gram_into, neighbors, planned, within,
};

/// Variants that no call of a test reaches, and why.
const NOT_REACHED: [(&str, &str); 3] = [
    ("OutOfMemory", "needs an input as large as the memory"),
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
        case(embedding::tuple_sums(three, &[1.0; 2], 40, RunOptions::default()), "TooLarge"),
        case(Matrix::from_vec(2, 2, vec![1.0; 3]), "OutputLength { given: 3, rows: 2, columns: 2 }"),
        case(
            correlations(&table(3), Some(&table(4)), &CorrelationSettings::default(), any()),
            "ObservationsDiffer { left: 3, right: 4 }",
        ),
        case(Columns::from_values(2, 3, &[1.0]), "ColumnShape { values: 1, columns: 2, observations: 3 }"),
        case(gram(&measure, three, Some(&x(2, 4)), any()), "ItemsDiffer"),
        case(gram(&measure, &x(2, 4), None, any()), "ItemsDiffer { left: 4, right: 3 }"),
        case(
            measure.between(x(1, 4).row(0), x(1, 4).row(0), &mut Workspace::new(4)),
            "ItemsDiffer { left: 4, right: 3 }",
        ),
        case(measure.kappa(x(1, 2).row(0), &mut Workspace::new(2)), "ItemsDiffer { left: 2, right: 3 }"),
        case(neighbors(&measure, three, None, 0, any()), "NeighborCount { count: 0, rankings: 1, others: true }"),
        case(neighbors(&measure, three, None, 2, any()), "NeighborCount { count: 2, rankings: 1, others: true }"),
        case(
            neighbors(&measure, three, Some(three), 3, any()),
            "NeighborCount { count: 3, rankings: 2, others: false }",
        ),
        case(neighbors(&measure, &x(1, 3), None, 1, any()), "NeighborCount { count: 1, rankings: 0, others: true }"),
        case(neighbors(&measure, &x(1, 4), None, 1, any()), "ItemsDiffer { left: 4, right: 3 }"),
        case(within(&measure, three, None, f64::NAN, any()), "Radius { value: NaN, distance: false }"),
        case(within(&Measure::distance(3), three, None, -1.0, any()), "Radius { value: -1.0, distance: true }"),
        case(within(&measure, three, Some(&x(1, 4)), 1.0, any()), "ItemsDiffer { left: 4, right: 3 }"),
        case(gram_into(&measure, three, None, &mut short, any()), "OutputLength { given: 3, rows: 2, columns: 2 }"),
        case(gram(&none, &many, None, any()), "TooLarge { rows: 9223372036854775807, columns: 9223372036854775807 }"),
        case(gram_into(&large, three, None, &mut single, any()), "BeyondSingle { value: 3"),
        case(gram_into(&small, three, None, &mut single, any()), "BelowSingle { value: 3"),
        case("bit".parse::<Backend>(), "UnknownBackend { name: \"bit\", "),
        case("bits-product".parse::<Backend>(), "UnknownBackend"),
        case(gram(&measure, three, None, with(absent_instructions()[0])), "MissingInstructions { name: "),
        case(gram(&kernel(&Weight::Average), three, None, with("product")), "CannotCompute { name: \"product\" }"),
        case(planned(&kernel(&mult(&[1.0; 3])), 2, 2, &with("bits")), "CannotCompute { name: \"bits\" }"),
        case(gram(&measure, three, None, Options { watch: Some(&mut stop), ..any() }), "Interrupted"),
        case(diagonal(&standard().with_order(3).unwrap(), &ties(), any()), "IncompleteOrder { order: 3 }"),
        case(diagonal(&kernel(&Weight::Quadruples(vec![0.0; 81].into())), &ties(), any()), "IncompleteQuadruples"),
        case(diagonal(&kernel(&mult(&[1.0; 3])), &open(), any()), "UnknownPlaces"),
        case(diagonal(&Measure::footrule(3), &open(), any()), "NotTaken { measure: \"the footrule\""),
        case(diagonal(&standard().with_order(1).unwrap(), &open(), any()), "UnknownPlaces"),
        case(gram_into(&measure, &ties(), None, &mut short, any()), "OutputLength { given: 3, rows: 2, columns: 2 }"),
        case(
            gram_into(&Measure::distance(4), &ties(), None, &mut [0.0; 4], any()),
            "ItemsDiffer { left: 3, right: 4 }",
        ),
    ]
}

/// Calls that are refused because an embedding does not fit.
fn embeddings() -> Vec<Case> {
    let x = &x(2, 3);
    let (run, weights) = (RunOptions::default, [1.0; 3]);
    let mut short = [0.0; 5];
    vec![
        case(embedding::embed_into(x, 1, &[1.0; 4], &mut short, run()), "WeightShape { given: 4"),
        case(
            embedding::embed_into(x, 1, &weights, &mut short, run()),
            "OutputLength { given: 5, rows: 2, columns: 3 }",
        ),
        case(
            features::features_into(&Measure::kernel(&Weight::Average, 3).unwrap(), x, &mut short, run()),
            "OutputLength { given: 5, rows: 2, columns: 12 }",
        ),
        case(features::columns(&Measure::distance(3)), "NoFeatures"),
        case(embedding::combine(x, &[1.0], 1, &weights, run()), "CoefficientCount { given: 1, rankings: 2 }"),
        case(
            embedding::tuple_sums_into(x, &[1.0; 2], 1, &mut short, run()),
            "OutputLength { given: 5, rows: 3, columns: 3 }",
        ),
        case(embedding::linear_function(x, 1, &weights, &[1.0], run()), "WeightShape { given: 1"),
        case(embedding::linear_function(x, 0, &[], &[], run()), "Order { order: 0 }"),
    ]
}

fn all_cases() -> impl Iterator<Item = Case> {
    [rankings(), lists(), weights(), forms(), runs(), options(), embeddings(), pairs(), parameters()]
        .into_iter()
        .flatten()
}

/// The name of a variant.
fn variant(error: &Error) -> String {
    format!("{error:?}").split([' ', '{']).next().unwrap().to_owned()
}

#[test]
fn errors_keep_their_numbers() {
    for Case { error, numbers } in all_cases() {
        let (debugged, message) = (format!("{error:?}"), error.to_string());
        assert!(debugged.contains(numbers), "{numbers}: {debugged}");
        assert!(!message.contains('\n') && !message.ends_with('.') && message.len() < 300, "{message}");
        // In a list, the column of a number is its item.
        let column = if debugged.contains(" item: ") { "item" } else { "column" };
        for (name, number) in [("row", error.row()), (column, error.column())] {
            assert_eq!(debugged.contains(&format!(" {name}: ")), number.is_some(), "{debugged}");
            assert!(number.is_none_or(|number| debugged.contains(&format!(" {name}: {number}"))), "{debugged}");
        }
        assert!(error.row().is_none() || (error.kind().is_some() && error.value().is_some()), "{debugged}");
        assert!(error.argument().is_none() || error.row().is_none(), "{debugged}");
    }
}

#[test]
fn every_variant_is_reached_or_has_a_reason_not_to_be() {
    let source = include_str!("../../src/error.rs");
    let body = source.split("pub enum Error {").nth(1).unwrap().split("\n}\n").next().unwrap();
    let names = body.lines().map(|line| line.trim().split([' ', ',']).next().unwrap_or_default());
    let declared: BTreeSet<String> =
        names.filter(|name| name.starts_with(char::is_uppercase)).map(ToOwned::to_owned).collect();
    assert!(declared.len() > 30, "{declared:?}");
    let cases = all_cases();
    let mut covered: BTreeSet<String> = cases.map(|case| variant(&case.error)).collect();
    covered.extend(NOT_REACHED.map(|(name, _)| name.to_owned()));
    assert_eq!(declared, covered);
}

/// The instruction sets that this CPU does not have: at least those of other families of CPUs.
fn absent_instructions() -> Vec<&'static str> {
    let present = wkendall::instruction_sets();
    backends::instruction_sets().iter().copied().filter(|name| !present.iter().any(|set| set == name)).collect()
}

#[test]
fn instructions_that_the_cpu_lacks_are_named() {
    for name in absent_instructions() {
        let error = gram(&standard(), &x(2, 3), None, with(name)).unwrap_err();
        assert_eq!(error.to_string(), format!("backend {name:?} needs instructions that this CPU does not have"));
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
