//! Small computations, compared with their definitions: `wasm32-unknown-unknown` has no threads and no clock.

use std::ops::ControlFlow;

use wkendall::{Factor, Incomplete, Lists, Measure, Missing, Options, Rankings, Weight, gram, neighbors};

const ROWS: usize = 40;
const ITEMS: usize = 70;

/// Ranks from 0, in an order that looks random.
fn rankings() -> Vec<usize> {
    let mut seed = 1_u64;
    let mut all = Vec::new();
    for _ in 0..ROWS {
        let mut row: Vec<usize> = (0..ITEMS).collect();
        for last in (1..ITEMS).rev() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            row.swap(last, (seed >> 33) as usize % (last + 1));
        }
        all.extend(row);
    }
    all
}

/// The sum over concordant pairs of the product of a number for each of the four ranks.
fn naive(s: &[usize], t: &[usize], u: impl Fn(usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..ITEMS {
        for j in 0..ITEMS {
            if s[i] < s[j] && t[i] < t[j] {
                sum += u(s[i]) * u(s[j]) * u(t[i]) * u(t[j]);
            }
        }
    }
    sum
}

/// Checks everything; a mistake is a trap. Returns the number of calls of the watch function.
#[unsafe(no_mangle)]
pub extern "C" fn check() -> u32 {
    let ranks = rankings();
    let row = |p: usize| &ranks[p * ITEMS..(p + 1) * ITEMS];
    let x = Rankings::from_ranks(ROWS, ITEMS, &ranks).unwrap();
    let tied = Incomplete::from_ranks(ROWS, ITEMS, &ranks, Missing::Error).unwrap();
    let lists = Lists::from_incomplete(&tied).unwrap();
    let mut calls = 0;
    let mut watch = |_| {
        calls += 1;
        ControlFlow::Continue(())
    };
    let weights: [(Weight, fn(usize) -> f64); 2] =
        [(Weight::Standard, |_| 1.0), (Weight::Mult(Factor::Hyperbolic), |rank| 1.0 / (rank as f64 + 2.0))];
    for (weight, u) in weights {
        let kernel = Measure::kernel(&weight, ITEMS).unwrap();
        for backend in ["", "bits", "product", "pairs", "partition"] {
            let backend = backend.parse().unwrap_or_default();
            let options = Options { threads: Some(4), backend, watch: Some(&mut watch), ..Options::default() };
            let Ok(found) = gram(&kernel, &x, None, options) else { continue };
            for p in 0..ROWS {
                for q in 0..ROWS {
                    let value = naive(row(p), row(q), u);
                    assert!((found[p * ROWS + q] - value).abs() <= 1e-12 * value);
                }
            }
        }
        let found = gram(&kernel, &x, None, Options::default()).unwrap();
        let near = |other: Vec<f64>| found.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1e-12 * a);
        assert!(near(gram(&kernel, &tied, None, Options::default()).unwrap()));
        assert!(near(gram(&kernel, &lists, None, Options::default()).unwrap()));
    }
    let distance = Measure::distance(ITEMS);
    assert_eq!(neighbors(&distance, &x, Some(&x), 1, Options::default()).unwrap().indices, Vec::from_iter(0..ROWS));
    let stopped =
        gram(&distance, &x, None, Options { watch: Some(&mut |_| ControlFlow::Break(())), ..Options::default() });
    assert_eq!(stopped, Err(wkendall::Error::Interrupted));
    calls
}
