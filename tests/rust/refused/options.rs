//! Runs on no threads or in tiles without rows, for every public function that takes options.

use std::sync::Arc;

use wkendall::{
    Columns, CorrelationSettings, Error, ListIndex, Lists, Options, RunOptions, consensus, correlations,
    correlations_at_least, correlations_of, diagonal, embedding, features, gram, gram_into, gram_matrix, importance,
    leave_one_out, neighbors, packed_signs, planned, within,
};

use super::{Case, case, standard, ties, x};

/// What a function returns for options that it must refuse.
pub type Refused = (&'static str, Result<(), Error>);

fn drop_value<T>(result: Result<T, Error>) -> Result<(), Error> {
    result.map(drop)
}

/// The functions that take [`Options`], with these options.
fn with_options(options: &impl Fn() -> Options<'static>) -> Vec<Refused> {
    let (measure, three) = (standard(), &x(2, 3));
    let lists = &Lists::from_ranks(3, &[0, 1, 2], &[0, 1], &[1, 1]).unwrap();
    let index = ListIndex::new(&measure, lists, Options::default()).unwrap();
    let columns = &Columns::from_values(2, 3, &[1.0, 2.0, 3.0, 1.0, 3.0, 2.0]).unwrap();
    let settings = CorrelationSettings::default();
    let mut out = [0.0; 4];
    vec![
        ("gram", drop_value(gram(&measure, three, None, options()))),
        ("gram_matrix", drop_value(gram_matrix::<_, f32>(&measure, three, None, options()))),
        ("gram_into", gram_into(&measure, three, None, &mut out, options())),
        ("gram_into", gram_into(&measure, &ties(), None, &mut out, options())),
        ("diagonal", drop_value(diagonal(&measure, three, options()))),
        ("diagonal", drop_value(diagonal(&measure, &ties(), options()))),
        ("planned", drop_value(planned(&measure, 2, 2, &options()))),
        ("neighbors", drop_value(neighbors(&measure, three, None, 1, options()))),
        ("within", drop_value(within(&measure, three, None, 1.0, options()))),
        ("ListIndex::new", drop_value(ListIndex::new(&measure, lists, options()))),
        ("ListIndex::from_bytes", drop_value(ListIndex::from_bytes(&measure, &[], options()))),
        (
            "ListIndex::from_shared_bytes",
            drop_value(ListIndex::from_shared_bytes(&measure, Arc::new([0; 0]), options())),
        ),
        ("ListIndex::neighbors", drop_value(index.neighbors(None, 1, options()))),
        ("ListIndex::within", drop_value(index.within(None, 1.0, options()))),
        ("ListIndex::diagonal", drop_value(index.diagonal(lists, options()))),
        ("ListIndex::add", index.clone().add(lists, options())),
        ("ListIndex::remove", index.clone().remove(&[], options())),
        ("correlations", drop_value(correlations(columns, None, &settings, options()))),
        ("correlations_of", drop_value(correlations_of(columns, None, &[(0, 0)], &settings, options()))),
        ("correlations_at_least", drop_value(correlations_at_least(columns, None, 0.5, &settings, options()))),
        ("leave_one_out", drop_value(leave_one_out(columns, columns, &settings, options()))),
    ]
}

/// Every public function that takes a number of threads, with 0 threads.
pub fn without_threads() -> Vec<Refused> {
    let (measure, three) = (standard(), &x(2, 3));
    let run = || RunOptions { threads: Some(0), ..RunOptions::default() };
    let none = || consensus::Options { threads: Some(0), ..consensus::Options::default() };
    let weights = [1.0; 3];
    let (mut out, mut sums) = ([0.0; 6], [0.0; 9]);
    let mut found = with_options(&|| Options { threads: Some(0), ..Options::default() });
    found.extend([
        ("consensus", drop_value(consensus::consensus(&measure, three, None, none()))),
        ("linear_ordering", drop_value(consensus::linear_ordering(1, &[0.0], none()))),
        ("linear_orderings", drop_value(consensus::linear_orderings(1, 1, &[0.0], none()))),
        ("largest_effects", drop_value(importance::largest_effects(&measure, three, &[1.0; 2], 1, run()))),
        ("packed_signs", drop_value(packed_signs(three, run()))),
        ("features", drop_value(features::features::<_, f64>(&measure, three, run()))),
        ("features_into", features::features_into(&measure, three, &mut out, run())),
        ("features_into", features::features_into(&measure, &ties(), &mut out, run())),
        ("embed", drop_value(embedding::embed::<_, f64>(three, 1, &weights, run()))),
        ("embed_into", embedding::embed_into(three, 1, &weights, &mut out, run())),
        ("combine", drop_value(embedding::combine(three, &[1.0; 2], 1, &weights, run()))),
        ("tuple_sums", drop_value(embedding::tuple_sums(three, &[1.0; 2], 1, run()))),
        ("tuple_sums_into", embedding::tuple_sums_into(three, &[1.0; 2], 1, &mut sums, run())),
        ("linear_function", drop_value(embedding::linear_function(three, 1, &weights, &weights, run()))),
    ]);
    found
}

/// Every public function that takes the size of a tile, with tiles of size 0.
pub fn without_tiles() -> Vec<Refused> {
    with_options(&|| Options { tile: Some(0), ..Options::default() })
}

/// One case for each function and option.
pub fn options() -> Vec<Case> {
    let threads = without_threads().into_iter().map(|(_, found)| case(found, "NoThreads"));
    threads.chain(without_tiles().into_iter().map(|(_, found)| case(found, "NoTile"))).collect()
}
