//! Incomplete rankings against the mean over all complete rankings that agree with them.

mod naive;

use naive::permutations;
use wkendall::{
    Error, Factor, Incomplete, Measure, Missing, Options, Rankings, RunOptions, Weight, Workspace, diagonal, embedding,
    gram, gram_into,
};

const NONE: f64 = f64::NAN;

/// Rankings without ties, with some, and with nothing else.
const ROWS: [[f64; 4]; 6] = [
    [1.0, 2.0, 3.0, 4.0],
    [1.0, 1.0, 2.0, 2.0],
    [3.0, 3.0, 3.0, 3.0],
    [NONE, 1.0, NONE, 2.0],
    [NONE, NONE, NONE, NONE],
    [2.0, 1.0, NONE, 1.0],
];

/// The ranks, from 1, of the complete rankings that agree with a row.
fn completions(row: &[f64], missing: Missing) -> Vec<Vec<i64>> {
    let items = 0..row.len();
    let agree = |i: usize, j: usize| match (row[i].is_nan(), row[j].is_nan()) {
        (false, false) => row[i] <= row[j],
        (true, false) => missing == Missing::Anywhere,
        _ => true,
    };
    let agrees = |ranks: &Vec<i64>| items.clone().all(|i| items.clone().all(|j| ranks[i] >= ranks[j] || agree(i, j)));
    permutations(row.len()).into_iter().filter(agrees).collect()
}

fn mean(measure: &Measure, s: &[f64], t: &[f64], missing: Missing) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for one in completions(s, missing) {
        for other in completions(t, missing) {
            let both = Rankings::from_ranks(2, s.len(), &[one.clone(), other].concat()).unwrap();
            sum += measure.between(both.row(0), both.row(1), &mut Workspace::new(s.len())).unwrap();
            count += 1.0;
        }
    }
    sum / count
}

#[test]
fn values_are_means_over_completions() {
    let rows = ROWS;
    let u = Factor::Values(vec![1.0, 0.5, -0.25, 0.125]);
    let weights = [Weight::Standard, Weight::Top(2), Weight::Add(u.clone()), Weight::Mult(u), Weight::Average];
    for weight in weights {
        for missing in [Missing::Bottom, Missing::Anywhere] {
            if missing == Missing::Anywhere && weight != Weight::Standard {
                continue;
            }
            let x = Incomplete::from_ranks(6, 4, rows.as_flattened(), missing).unwrap();
            let kernel = || Measure::kernel(&weight, 4).unwrap();
            let mut measures = vec![kernel(), kernel().signed().unwrap()];
            if missing == Missing::Bottom {
                measures.push(kernel().with_order(1).unwrap());
            }
            for measure in measures {
                let mut out = [0.0; 36];
                gram_into(&measure, &x, None, &mut out, Options::default()).unwrap();
                for (index, &value) in out.iter().enumerate() {
                    let wanted = mean(&measure, &rows[index / 6], &rows[index % 6], missing);
                    assert!((value - wanted).abs() < 1e-12, "{weight:?} {missing:?} {index}: {value} {wanted}");
                }
            }
        }
    }
}

fn lists() -> Incomplete {
    Incomplete::from_ranks(6, 4, ROWS.as_flattened(), Missing::Bottom).unwrap()
}

/// Weights of pairs without any symmetry.
fn matrix() -> Vec<f64> {
    (0..16).map(|entry| f64::from(entry * entry % 11) - 4.5).collect()
}

#[test]
fn general_weights_are_means_over_completions() {
    let x = lists();
    let (entries, vector) = (matrix(), vec![1.0, -0.5, 0.25, 2.0]);
    let factors = [vector.clone(), vec![0.5, 1.0, 0.0, -1.0], vec![1.0; 4], vector.clone()].concat();
    let weights = [
        Weight::Matrix(entries.clone()),
        Weight::Matrix((0..16).map(|at| entries[at] + entries[at % 4 * 4 + at / 4]).collect()),
        Weight::Tensor { order: 2, entries: [&entries[..], &entries[..]].concat().into() },
        Weight::Tensor { order: 1, entries: vector.into() },
        Weight::Factors { order: 2, vectors: factors.into() },
    ];
    for weight in weights {
        let measure = Measure::kernel(&weight, 4).unwrap();
        for backend in ["product", "partition", "product-portable"] {
            let options = Options { backend: backend.parse().unwrap(), ..Options::default() };
            let out = gram(&measure, &x, None, options).unwrap();
            for (index, &value) in out.iter().enumerate() {
                let wanted = mean(&measure, &ROWS[index / 6], &ROWS[index % 6], Missing::Bottom);
                assert!((value - wanted).abs() < 1e-11, "{weight:?} {backend} {index}: {value} {wanted}");
            }
            for (row, own) in diagonal(&measure, &x, Options::default()).unwrap().into_iter().enumerate() {
                assert!((own - out[row * 7]).abs() < 1e-11, "{weight:?} {row}");
            }
        }
    }
}

#[test]
fn embeddings_are_means_over_completions() {
    let (x, weights) = (lists(), matrix());
    let tensor: Vec<f64> = weights.iter().rev().copied().collect();
    let mut wanted = vec![0.0; 6 * 16];
    for (row, wanted) in ROWS.iter().zip(wanted.chunks_exact_mut(16)) {
        let all = completions(row, Missing::Bottom);
        for ranks in &all {
            for (at, wanted) in wanted.iter_mut().enumerate() {
                let [i, j] = [at / 4, at % 4].map(|item| ranks[item] as usize - 1);
                *wanted += weights[i * 4 + j] / all.len() as f64;
            }
        }
    }
    let close = |found: &[f64], wanted: &[f64]| {
        assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-11), "{found:?} {wanted:?}");
    };
    let mut out = vec![0.0; 6 * 16];
    embedding::embed_into(&x, 2, &weights, &mut out, RunOptions::default()).unwrap();
    close(&out, &wanted);
    let coefficients = [1.0, -2.0, 0.5, 3.0, 0.25, -1.0];
    let sum = |at: usize| coefficients.iter().enumerate().map(|(row, factor)| factor * wanted[row * 16 + at]).sum();
    let found = embedding::combine(&x, &coefficients, 2, &weights, RunOptions::default()).unwrap();
    close(&found, &(0..16).map(sum).collect::<Vec<f64>>());
    let values: Vec<f64> =
        wanted.chunks_exact(16).map(|row| row.iter().zip(&tensor).map(|(a, b)| a * b).sum()).collect();
    close(&embedding::linear_function(&x, 2, &weights, &tensor, RunOptions::default()).unwrap(), &values);
    let mut sums = vec![0.0; 16 * 16];
    embedding::tuple_sums_into(&x, &coefficients, 2, &mut sums, RunOptions::default()).unwrap();
    let product: Vec<f64> =
        sums.chunks_exact(16).map(|row| row.iter().zip(&weights).map(|(a, b)| a * b).sum()).collect();
    close(&product, &found);
    let refused = embedding::combine(&x, &coefficients, 3, &vec![0.0; 64], RunOptions::default());
    assert_eq!(refused, Err(Error::IncompleteOrder { order: 3 }));
    let open = Incomplete::from_ranks(1, 2, &[1.0, NONE], Missing::Anywhere).unwrap();
    let refused = embedding::combine(&open, &[1.0], 1, &[0.0; 2], RunOptions::default());
    assert_eq!(refused, Err(Error::UnknownPlaces));
}

#[test]
fn mallows_kernels_follow_from_distances() {
    for missing in [Missing::Bottom, Missing::Anywhere] {
        let x = Incomplete::from_ranks(6, 4, ROWS.as_flattened(), missing).unwrap();
        let distances = gram(&Measure::distance(4), &x, None, Options::default()).unwrap();
        let measure = Measure::mallows(4, 0.7).unwrap();
        let plain = gram(&measure, &x, None, Options::default()).unwrap();
        let normalized = gram(&measure.clone().normalized(), &x, None, Options::default()).unwrap();
        for (index, distance) in distances.iter().enumerate() {
            let own = f64::midpoint(distances[index / 6 * 7], distances[index % 6 * 7]);
            assert!((plain[index] - (-0.7 * distance).exp()).abs() < 1e-14);
            assert!((normalized[index] - (-0.7 * (distance - own)).exp()).abs() < 1e-14);
        }
        assert_eq!(diagonal(&measure.normalized(), &x, Options::default()).unwrap(), [1.0; 6]);
    }
}

#[test]
fn correlations_divide_means() {
    let x = lists();
    let correlation = Measure::correlation(&Weight::Standard, 4).unwrap();
    let signed = Measure::kernel(&Weight::Standard, 4).unwrap().signed().unwrap();
    let [found, sums] = [&correlation, &signed].map(|measure| gram(measure, &x, None, Options::default()).unwrap());
    for (found, sum) in found.iter().zip(&sums) {
        assert!((found - sum / 6.0).abs() < 1e-15);
    }
    let own = diagonal(&correlation, &x, Options::default()).unwrap();
    for (row, own) in own.into_iter().enumerate() {
        assert!((own - found[row * 7]).abs() < 1e-15);
    }
}

/// Rows take memory even where there are no items.
#[test]
fn more_rows_than_memory_are_refused() {
    for rows in [usize::MAX, usize::MAX / 4 + 1] {
        let refused = Incomplete::from_ranks::<f64>(rows, 0, &[], Missing::Bottom);
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: rows.saturating_mul(4) }));
    }
}
