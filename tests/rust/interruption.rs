//! Stopping: a watch function that says stop at its first call is not called again, and the run ends long before its
//! time.
//!
//! Where nothing is said of time, the whole computation takes seconds; those that would take minutes end the test only
//! if they are really given up.

mod naive;

use std::ops::ControlFlow;

use naive::Random;
use wkendall::importance::largest_effects;
use wkendall::{
    Columns, CorrelationSettings, Error, Factor, Incomplete, Lists, Measure, Missing, Options, Progress, Rankings,
    RunOptions, Watch, Weight, consensus, correlations, diagonal, embedding, features, gram, gram_into, neighbors,
    packed_signs, within,
};

/// Runs with a watch that stops at once.
fn stops<R: std::fmt::Debug>(name: &str, run: impl FnOnce(Watch<'_>) -> Result<R, Error>) {
    let mut calls = 0;
    let mut watch = |progress: Progress| {
        calls += 1;
        assert!(progress.done <= progress.total);
        ControlFlow::Break(())
    };
    let result = run(&mut watch);
    assert!(matches!(result, Err(Error::Interrupted)), "{name}: {result:?}");
    assert_eq!(calls, 1, "{name}");
}

/// The same for one thread and for two.
fn stops_on_threads(name: &str, mut run: impl FnMut(Options<'_>) -> Result<(), Error>) {
    for threads in [1, 2] {
        stops(name, |watch| run(Options { threads: Some(threads), watch: Some(watch), ..Options::default() }));
    }
}

fn pair(measure: &Measure) -> impl FnMut(Options<'_>) -> Result<(), Error> {
    let items = measure.items();
    let x = Rankings::from_ranks(1, items, &Random(1).ranks(items)).unwrap();
    let y = Rankings::from_ranks(1, items, &Random(2).ranks(items)).unwrap();
    move |options| gram_into(measure, &x, Some(&y), &mut [0.0], options)
}

/// So many items in `blocks` blocks of ties.
fn tied(rows: usize, items: usize, blocks: usize) -> Incomplete {
    let mut random = Random(3);
    let values: Vec<f64> = (0..rows * items).map(|_| random.below(blocks) as f64).collect();
    Incomplete::from_ranks(rows, items, &values, Missing::Error).unwrap()
}

#[test]
fn one_pair_of_many_items() {
    for weight in [Weight::Standard, Weight::Add(Factor::Log), Weight::Mult(Factor::Log), Weight::Average] {
        let measure = Measure::kernel(&weight, 1_500_000).unwrap();
        stops_on_threads("kernel", pair(&measure));
        stops_on_threads("signed", pair(&measure.signed().unwrap()));
    }
}

/// The memory of a large result takes longer to be zeroed than a call of the watch function may be late.
#[test]
fn a_large_result_before_its_first_value() {
    let x = Rankings::from_ranks(6000, 20, &Random(1).rankings(6000, 20)).unwrap();
    let distance = Measure::distance(20);
    let mut seen = Vec::new();
    let mut watch = |progress: Progress| {
        seen.push((progress.done, progress.total));
        ControlFlow::Break(())
    };
    let stopped = gram(&distance, &x, None, Options { watch: Some(&mut watch), ..Options::default() });
    assert_eq!(stopped, Err(Error::Interrupted));
    // Not one of the many tiles.
    assert_eq!(seen, [(0, 1)]);
}

#[test]
fn tuples_of_high_order() {
    // Many seconds. Larger weights would overflow on the way, smaller ones underflow.
    let weight = Weight::Mult(Factor::Values(vec![0.016; 600_000]));
    let measure = Measure::kernel(&weight, 600_000).unwrap().with_order(400).unwrap();
    assert!(measure.self_similarity() > 0.0);
    stops_on_threads("order 400", pair(&measure));
}

#[test]
fn weights_for_tuples_of_positions() {
    // Minutes: a million pairs of terms with 60,000 products each.
    let vectors: Vec<f64> = (0..1000 * 3 * 20_000).map(|i| f64::from(i % 7)).collect();
    let factors = Measure::kernel(&Weight::Factors { order: 3, vectors: vectors.into() }, 20_000).unwrap();
    stops_on_threads("factors", pair(&factors));
    let tensor: Vec<f64> = (0..280 * 280 * 280).map(|i| f64::from(i % 7)).collect();
    let tensor = Measure::kernel(&Weight::Tensor { order: 3, entries: tensor.into() }, 280).unwrap();
    stops_on_threads("tensor", pair(&tensor));
}

#[test]
fn ties_of_the_average_weight() {
    // Minutes: steps grow with the square of the number of items.
    let x = tied(2, 300_000, 100_000);
    let mut out = [0.0; 4];
    let average = Measure::kernel(&Weight::Average, 300_000).unwrap();
    let signed = average.clone().signed().unwrap();
    stops_on_threads("signed", |options| gram_into(&signed, &x, None, &mut out, options));
    let normalized = signed.clone().normalized();
    stops_on_threads("normalized", |options| gram_into(&normalized, &x, None, &mut out, options));
    stops_on_threads("diagonal", |options| diagonal(&normalized, &x, options).map(drop));
    let large = tied(1, 300_000, 2);
    let single = tied(1, 300_000, 1 << 30);
    stops_on_threads("large blocks", |options| gram_into(&average, &large, Some(&single), &mut [0.0], options));
}

#[test]
fn incomplete_rankings_of_many_items() {
    let x = tied(2, 1_000_000, 500_000);
    let mut out = [0.0; 4];
    for weight in [Weight::Standard, Weight::Add(Factor::Log), Weight::Mult(Factor::Log)] {
        let measure = Measure::kernel(&weight, 1_000_000).unwrap();
        stops_on_threads("ties", |options| gram_into(&measure, &x, None, &mut out, options));
    }
    let values: Vec<f64> = (0..2_000_000).map(|i| if i % 3 == 0 { f64::NAN } else { f64::from(i % 99_991) }).collect();
    let x = Incomplete::from_ranks(2, 1_000_000, &values, Missing::Anywhere).unwrap();
    let measure = Measure::kernel(&Weight::Standard, 1_000_000).unwrap();
    stops_on_threads("anywhere", |options| gram_into(&measure, &x, None, &mut out, options));
}

fn run_watched(threads: Option<usize>, watch: Watch<'_>) -> RunOptions<'_> {
    RunOptions { threads, watch: Some(watch) }
}

#[test]
fn features_and_sums_of_them() {
    let x = Rankings::from_ranks(20, 3000, &Random(5).rankings(20, 3000)).unwrap();
    let table = vec![1.0; 3000 * 3000];
    let kernel = Measure::kernel(&Weight::Standard, 3000).unwrap().signed().unwrap();
    let tied = Incomplete::from_ranks(1, 3000, &vec![1; 3000], Missing::Error).unwrap();
    let mut out = vec![0.0; 4_498_500];
    let one = Rankings::from_ranks(1, 3000, &Random(5).ranks(3000)).unwrap();
    for threads in [Some(1), Some(2)] {
        stops("features_into", |watch| features::features_into(&kernel, &one, &mut out, run_watched(threads, watch)));
        stops("features_into", |watch| features::features_into(&kernel, &tied, &mut out, run_watched(threads, watch)));
        stops("embed_into", |watch| {
            embedding::embed_into(&one, 2, &table, &mut vec![0.0; 9_000_000], run_watched(threads, watch))
        });
        stops("combine", |watch| embedding::combine(&x, &[1.0; 20], 2, &table, run_watched(threads, watch)));
        stops("linear_function", |watch| {
            embedding::linear_function(&x, 2, &table, &table, run_watched(threads, watch))
        });
        stops("embed_into of ties", |watch| {
            embedding::embed_into(&tied, 2, &table, &mut vec![0.0; 9_000_000], run_watched(threads, watch))
        });
        stops("combine of ties", |watch| embedding::combine(&tied, &[1.0], 2, &table, run_watched(threads, watch)));
        stops("linear_function of ties", |watch| {
            embedding::linear_function(&tied, 2, &table, &table, run_watched(threads, watch))
        });
        stops("tuple_sums_into of ties", |watch| {
            embedding::tuple_sums_into(&tied, &[1.0], 1, &mut vec![0.0; 9_000_000], run_watched(threads, watch))
        });
        stops("tuple_sums_into", |watch| {
            embedding::tuple_sums_into(&x, &[1.0; 20], 1, &mut vec![0.0; 9_000_000], run_watched(threads, watch))
        });
    }
}

#[test]
fn general_weights_of_rankings_with_ties() {
    let x = tied(60, 1000, 200);
    let matrix = Measure::kernel(&Weight::Matrix((0..1_000_000).map(|i| f64::from(i % 7)).collect()), 1000).unwrap();
    let vectors: Vec<f64> = (0..400 * 2 * 1000).map(|i| f64::from(i % 7)).collect();
    let factors = Measure::kernel(&Weight::Factors { order: 2, vectors: vectors.into() }, 1000).unwrap();
    for measure in [matrix.clone(), matrix.normalized(), factors] {
        stops_on_threads("general", |options| gram_into(&measure, &x, None, &mut vec![0.0; 3600], options));
    }
}

#[test]
fn progress_counts_both_phases_and_never_goes_back() {
    let x = tied(40, 400, 200);
    let measure = Measure::kernel(&Weight::Average, 400).unwrap().signed().unwrap().normalized();
    for y in [None, Some(&x.clone())] {
        let mut seen = Vec::new();
        let mut watch = |progress: Progress| {
            seen.push(progress);
            ControlFlow::Continue(())
        };
        let options = Options { threads: Some(1), watch: Some(&mut watch), ..Options::default() };
        gram_into(&measure, &x, y, &mut [0.0; 1600], options).unwrap();
        assert!(seen.windows(2).all(|two| two[0].done <= two[1].done && two[0].total == two[1].total), "{seen:?}");
        assert!(seen.last().is_some_and(|last| last.done == last.total));
        assert!(seen.first().is_some_and(|first| first.done < first.total));
    }
}

#[test]
fn lists_out_of_a_catalogue() {
    // Twenty million pairs of lists; and one pair of lists of a million items.
    let lists = |rows: usize, length: usize, items: usize| {
        let mut random = Random(5);
        let bounds: Vec<usize> = (0..=rows).map(|row| row * length).collect();
        let listed: Vec<usize> = (0..rows * length).map(|entry| entry % length * (items / length)).collect();
        let values: Vec<u64> = (0..rows * length).map(|_| random.next()).collect();
        Lists::from_ranks(items, &bounds, &listed, &values).unwrap()
    };
    let (many, long) = (lists(6000, 10, 1000), lists(2, 1_000_000, 3_000_000));
    let mut out = vec![0.0_f32; 6000 * 6000];
    for weight in [Weight::Standard, Weight::Add(Factor::Log), Weight::Mult(Factor::Log), Weight::Average] {
        let kernel = |items: usize| Measure::kernel(&weight, items).unwrap().normalized();
        let (of_many, of_long) = (kernel(1000), kernel(3_000_000));
        stops_on_threads("many lists", |options| gram_into(&of_many, &many, None, &mut out, options));
        stops_on_threads("long lists", |options| gram_into(&of_long, &long, None, &mut [0.0; 4], options));
    }
    // Hours.
    let average = Measure::kernel(&Weight::Average, 3_000_000).unwrap().signed().unwrap();
    stops_on_threads("signed average", |options| gram_into(&average, &long, None, &mut [0.0; 4], options));
}

#[test]
fn neighbours() {
    // Seconds each: on packed bits, by tiles, with ties.
    let x = Rankings::from_ranks(60_000, 40, &Random(6).rankings(60_000, 40)).unwrap();
    let mult = Measure::kernel(&Weight::Mult(Factor::Log), 40).unwrap();
    stops_on_threads("counts", |options| neighbors(&Measure::distance(40), &x, None, 10, options).map(drop));
    stops_on_threads("tiles", |options| neighbors(&mult, &x, None, 10, options).map(drop));
    stops_on_threads("counts within", |options| within(&Measure::distance(40), &x, None, 10.0, options).map(drop));
    stops_on_threads("tiles within", |options| within(&mult, &x, None, 1e9, options).map(drop));
    let ties = tied(20_000, 40, 5);
    stops_on_threads("ties", |options| neighbors(&Measure::distance(40), &ties, None, 10, options).map(drop));
    let many = Rankings::from_ranks(100, 5000, &Random(7).rankings(100, 5000)).unwrap();
    for threads in [Some(1), Some(2)] {
        stops("packed_signs", |watch| packed_signs(&many, run_watched(threads, watch)));
    }
}

#[test]
fn measures_that_are_computed_pair_by_pair() {
    let x = Rankings::from_ranks(3000, 600, &Random(5).rankings(3000, 600)).unwrap();
    let tied = Incomplete::from_rankings(&x).unwrap();
    let (footrule, mut out) = (Measure::footrule(600), vec![0.0; 9_000_000]);
    stops_on_threads("complete", |options| gram_into(&footrule, &x, None, &mut out, options));
    stops_on_threads("ties", |options| gram_into(&footrule, &tied, None, &mut out, options));
    stops_on_threads("neighbors", |options| neighbors(&footrule, &x, None, 3, options).map(drop));
    stops_on_threads("within", |options| within(&footrule, &x, None, 10.0, options).map(drop));
}

#[test]
fn the_consensus_and_effects_of_pairs() {
    let x = Rankings::from_ranks(40, 300, &Random(5).rankings(40, 300)).unwrap();
    let matrices: Vec<f64> = (0..20 * 3600).map(|place| f64::from(place * 7919 % 1013)).collect();
    stops_on_threads("linear orderings", |Options { threads, watch, .. }| {
        let options = consensus::Options { threads, watch, ..consensus::Options::default() };
        consensus::linear_orderings(20, 60, &matrices, options).map(drop)
    });
    for weight in [Weight::Standard, Weight::Average, Weight::Add(Factor::Log)] {
        let measure = Measure::kernel(&weight, 300).unwrap();
        stops_on_threads("consensus", |Options { threads, watch, .. }| {
            let options = consensus::Options { threads, watch, seed: 1, ..consensus::Options::default() };
            consensus::consensus(&measure, &x, None, options).map(drop)
        });
        stops_on_threads("effects", |Options { threads, watch, .. }| {
            largest_effects(&measure, &x, &[1.0; 40], 5, RunOptions { threads, watch }).map(drop)
        });
    }
}

#[test]
fn correlations_of_columns() {
    let mut random = Random(3);
    for (columns, observations, gaps) in [(400, 3000, true), (400, 3000, false), (4, 1_500_000, true)] {
        let number = |_| if gaps && random.below(9) == 0 { f64::NAN } else { random.below(1_000_000) as f64 };
        let values: Vec<f64> = (0..columns * observations).map(number).collect();
        let x = Columns::from_values(columns, observations, &values).unwrap();
        for confidence in [None, Some(0.9)] {
            let settings = CorrelationSettings { confidence, ..CorrelationSettings::default() };
            stops_on_threads("correlations", |options| correlations(&x, None, &settings, options).map(drop));
        }
    }
}
