//! Gram matrices: the same bits whatever the way they are computed.

mod naive;

use std::ops::ControlFlow;

use naive::Random;
use wkendall::{Error, Factor, Measure, Options, Progress, Rankings, Weight, Workspace, gram, gram_into};

fn measures(n: usize) -> Vec<Measure> {
    let kernel = |weight: &Weight| Measure::kernel(weight, n).unwrap();
    let mut measures = vec![
        kernel(&Weight::Standard),
        kernel(&Weight::Top(n.div_ceil(2).max(1))),
        kernel(&Weight::Add(Factor::Hyperbolic)),
        kernel(&Weight::Mult(Factor::Log)),
        kernel(&Weight::Average),
    ];
    measures.extend(measures.clone().into_iter().map(Measure::normalized));
    measures.push(kernel(&Weight::Mult(Factor::Log)).signed().unwrap());
    measures.push(Measure::distance(n));
    measures.push(Measure::mallows(n, 0.01).unwrap());
    measures
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn any_tile_and_any_number_of_threads_give_the_same_bits() {
    let mut random = Random(1);
    for (m, n) in [(0, 5), (1, 5), (3, 0), (4, 1), (7, 2), (23, 30), (40, 100)] {
        let x = Rankings::from_ranks(m, n, &random.rankings(m, n)).unwrap();
        let mut workspace = Workspace::new(n);
        for measure in measures(n) {
            let mut expected = Vec::new();
            for p in 0..m {
                for q in 0..m {
                    expected.push(measure.between(x.row(p), x.row(q), &mut workspace).unwrap());
                }
            }
            for threads in [1, 2, 5] {
                for tile in [None, Some(1), Some(3), Some(16), Some(1000)] {
                    let options = || Options { threads: Some(threads), tile, watch: None };
                    let square = gram(&measure, &x, None, options()).unwrap();
                    let copied = gram(&measure, &x, Some(&x.clone()), options()).unwrap();
                    assert_eq!(bits(&square), bits(&expected), "{measure:?} {threads} {tile:?}");
                    assert_eq!(bits(&copied), bits(&expected), "{measure:?} {threads} {tile:?}");
                }
            }
        }
    }
}

#[test]
fn threads_start_for_large_work() {
    // The plan keeps small work on the calling thread; this is enough for the pool, for each of several tiles.
    let mut random = Random(2);
    let (m, n) = (120, 64);
    let x = Rankings::from_ranks(m, n, &random.rankings(m, n)).unwrap();
    let y = Rankings::from_ranks(7, n, &random.rankings(7, n)).unwrap();
    for measure in measures(n) {
        for y in [None, Some(&y)] {
            let run = |threads| {
                bits(&gram(&measure, &x, y, Options { threads: Some(threads), ..Options::default() }).unwrap())
            };
            let one = run(1);
            assert_eq!(one, run(2));
            assert_eq!(one, run(1_000_000));
        }
    }
}

#[test]
fn single_precision_rounds_the_double_result() {
    let mut random = Random(3);
    let x = Rankings::from_ranks(9, 12, &random.rankings(9, 12)).unwrap();
    for measure in measures(12) {
        let double = gram(&measure, &x, None, Options::default()).unwrap();
        let mut single = vec![0f32; 81];
        gram_into(&measure, &x, None, &mut single, Options::default()).unwrap();
        assert!(double.iter().zip(&single).all(|(&double, &single)| double as f32 == single));
    }
}

#[test]
fn sizes_that_do_not_match_are_refused() {
    let three = Rankings::from_ranks(2, 3, &[1i64, 2, 3, 3, 2, 1]).unwrap();
    let two = Rankings::from_ranks(1, 2, &[1i64, 2]).unwrap();
    let measure = Measure::distance(3);
    let differ = Err(Error::ItemsDiffer { left: 2, right: 3 });
    assert_eq!(gram(&measure, &two, None, Options::default()), differ);
    assert_eq!(gram(&measure, &three, Some(&two), Options::default()), differ);
    let short = gram_into(&measure, &three, None, &mut [0.0; 3], Options::default());
    assert_eq!(short, Err(Error::OutputLength { given: 3, rows: 2, columns: 2 }));
}

#[test]
fn a_result_beyond_memory_is_refused() {
    let rows = 1 << 23;
    let x = Rankings::from_ranks(rows, 1, &vec![1i64; rows]).unwrap();
    let result = gram(&Measure::distance(1), &x, None, Options::default());
    assert_eq!(result, Err(Error::TooLarge { rows, columns: rows }));
}

#[test]
fn the_watch_sees_progress_and_can_stop() {
    let mut random = Random(4);
    let (m, n) = (300, 300);
    let x = Rankings::from_ranks(m, n, &random.rankings(m, n)).unwrap();
    for threads in [1, 2] {
        let mut seen: Vec<Progress> = Vec::new();
        let mut watch = |progress| {
            seen.push(progress);
            ControlFlow::Continue(())
        };
        let options = Options { threads: Some(threads), tile: None, watch: Some(&mut watch) };
        gram(&Measure::distance(n), &x, None, options).unwrap();
        assert!(seen.windows(2).all(|pair| pair[0].done <= pair[1].done));
        let last = seen.last().unwrap();
        assert_eq!(last.done, last.total);

        let mut calls = 0;
        let mut stop = |_| {
            calls += 1;
            ControlFlow::Break(())
        };
        let options = Options { threads: Some(threads), tile: None, watch: Some(&mut stop) };
        assert_eq!(gram(&Measure::distance(n), &x, None, options), Err(Error::Interrupted));
        assert_eq!(calls, 1);
    }
}
