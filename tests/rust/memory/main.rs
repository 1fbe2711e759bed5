//! Memory that is not there: every allocation of more than a mebibyte is made to fail in turn. Each run gives the
//! numbers of the run without a fault or an error, and never aborts.

#![allow(unsafe_code)]

mod faults;
#[path = "../naive/mod.rs"]
mod naive;

use std::sync::Arc;

use faults::{MEBIBYTE, alone, each_fault, each_fault_above, short};
use naive::Random;
use wkendall::{
    Backend, Element, Error, Factor, Incomplete, Lists, Measure, Missing, Options, RankingSet, Rankings, RunOptions,
    Weight, Workspace, diagonal, embedding, features, gram, gram_into, neighbors, packed_signs, within,
};

/// A number that tells results apart.
fn digest<T: Element + Into<f64>>(values: &[T]) -> u64 {
    values.iter().fold(0, |sum, &value| (sum ^ value.into().to_bits()).wrapping_mul(0x0100_0000_01b3).rotate_left(7))
}

/// So many items that a number of 4 bytes for each takes more than a mebibyte.
const MANY: usize = 280_000;

fn permutations(rows: usize, items: usize) -> Rankings {
    Rankings::from_ranks(rows, items, &Random(7).rankings(rows, items)).unwrap()
}

/// Rows in which every item but a few is tied with another one.
fn tied(rows: usize, items: usize) -> Incomplete {
    let values: Vec<f64> = Random(8).rankings(rows, items).iter().map(|&rank| f64::from(rank as u32 / 2)).collect();
    Incomplete::from_ranks(rows, items, &values, Missing::Error).unwrap()
}

fn on(threads: usize) -> Options<'static> {
    Options { threads: Some(threads), ..Options::default() }
}

fn backend(name: &str) -> Backend {
    name.parse().unwrap()
}

#[test]
fn rankings() {
    let _alone = alone();
    let ranks = Random(1).rankings(1, MANY);
    let scores: Vec<f64> = ranks.iter().map(|&rank| rank as f64).collect();
    each_fault("from_ranks", || Rankings::from_ranks(1, MANY, &ranks));
    each_fault("from_orders", || Rankings::from_orders(1, MANY, &ranks));
    each_fault("from_scores", || Rankings::from_scores(1, MANY, &scores));
    let many = Random(2).rankings(200_000, 3);
    each_fault("from_ranks of many rows", || Rankings::from_ranks(200_000, 3, &many));
    let x = permutations(1, MANY);
    each_fault("compose", || x.compose(&x));
    let mut wrong = ranks.clone();
    wrong[MANY - 1] = wrong[0];
    each_fault("no permutation", || Rankings::from_ranks(1, MANY, &wrong));
    each_fault("no scores", || Rankings::from_scores(1, MANY, &wrong));
    let mut halves: Vec<f64> = ranks.iter().map(|&rank| f64::from(rank as u32 / 2)).collect();
    halves[5] = f64::NAN;
    for missing in [Missing::Error, Missing::Bottom, Missing::Anywhere] {
        each_fault("Incomplete::from_ranks", || Incomplete::from_ranks(1, MANY, &halves, missing));
        each_fault("Incomplete::from_scores", || Incomplete::from_scores(1, MANY, &halves, missing));
    }
    each_fault("Incomplete::from_rankings", || Incomplete::from_rankings(&x));
    let complete = Incomplete::from_rankings(&x).unwrap();
    // Here a missing answer stands for missing memory.
    each_fault("complete", || complete.complete().ok_or(Error::OutOfMemory { bytes: MEBIBYTE }));
}

#[test]
fn measures_and_one_pair() {
    let _alone = alone();
    let x = permutations(2, MANY);
    let u: Vec<f64> = (0..MANY).map(|rank| 1.0 / (1.0 + rank as f64)).collect();
    each_fault("Workspace", || Workspace::try_new(MANY).map(drop));
    let add = Weight::Add(Factor::Values(u.clone()));
    let mult = Weight::Mult(Factor::Hyperbolic);
    for weight in [Weight::Standard, Weight::Top(MANY - 5), add.clone(), mult.clone(), Weight::Average] {
        let kernel = || Measure::kernel(&weight, MANY);
        if matches!(weight, Weight::Add(_) | Weight::Mult(_)) {
            each_fault("kernel", || kernel().map(|_| ()));
            each_fault("normalized", || kernel()?.try_normalized());
        }
        for measure in [kernel().unwrap(), kernel().unwrap().signed().unwrap()] {
            each_fault(&format!("between {}", short(&weight)), || {
                measure.between(x.row(0), x.row(1), &mut Workspace::default()).map(f64::to_bits)
            });
        }
        each_fault("kappa", || kernel()?.kappa(x.row(0), &mut Workspace::try_new(MANY)?).map(f64::to_bits));
        let orders = match weight {
            Weight::Standard => [1, 3],
            Weight::Add(_) => [4, 12],
            _ => continue,
        };
        for order in orders {
            let measure = kernel().unwrap().with_order(order).unwrap();
            each_fault(&format!("order {order}"), || {
                measure.between(x.row(0), x.row(1), &mut Workspace::default()).map(f64::to_bits)
            });
        }
    }
    let correlation = Measure::correlation(&mult, MANY).unwrap();
    each_fault("correlation", || Measure::correlation(&mult, MANY).map(|_| ()));
    each_fault("correlation of a pair", || {
        correlation.between(x.row(0), x.row(1), &mut Workspace::default()).map(f64::to_bits)
    });
}

#[test]
fn general_weights() {
    let _alone = alone();
    let mut random = Random(3);
    let mut numbers = |count: usize| -> Vec<f64> { (0..count).map(|_| random.real()).collect() };
    let (matrix, tensor) = (numbers(400 * 400), numbers(60 * 60 * 60));
    let quadruples: Arc<[f64]> = numbers(20_usize.pow(4)).into();
    let vectors = numbers(4 * 3 * 600);
    each_fault("quadruples", || Measure::kernel(&Weight::Quadruples(quadruples.clone()), 20)?.try_normalized());
    let weights = [
        (400, Weight::Matrix(matrix)),
        (60, Weight::Tensor { order: 3, entries: tensor.into() }),
        (600, Weight::Factors { order: 3, vectors: vectors.into() }),
    ];
    for (items, weight) in weights {
        let x = permutations(240, items);
        if items != 600 {
            each_fault("normalized", || Measure::kernel(&weight, items)?.try_normalized());
        }
        let measure = Measure::kernel(&weight, items).unwrap();
        // The matrix of order 2 has 80,000 features: a few rankings have to do.
        let few = if items == 400 { repeated(&x, 100, 1) } else { x };
        let mut out = vec![0.0; few.rows() * few.rows()];
        let mut single = vec![0.0_f32; out.len()];
        for threads in [1, 2] {
            let name = format!("gram with weights for {items} items on {threads} threads");
            each_fault_above(MEBIBYTE / 4, &name, || {
                gram_into(&measure, &few, None, &mut out, on(threads)).map(|()| digest(&out))
            });
            each_fault_above(MEBIBYTE / 8, &name, || {
                gram_into(&measure, &few, None, &mut single, on(threads)).map(|()| digest(&single))
            });
        }
    }
}

/// The first rows, each so many times.
fn repeated(x: &Rankings, rows: usize, times: usize) -> Rankings {
    let ranks: Vec<u32> = (0..rows).flat_map(|row| x.row(row).ranks().repeat(times)).collect();
    Rankings::from_ranks(rows * times, x.items(), &ranks).unwrap()
}

#[test]
fn matrices() {
    let _alone = alone();
    // Rankings, items, tile, backend.
    let shapes = [
        (600, 12, Some(4), "bits"),
        (1800, 300, None, "bits"),
        (100, 6000, None, "bits"),
        (240, 560, Some(240), "product"),
        (600, 10, Some(4), "product"),
        (600, 8, Some(4), "pairs"),
        (600, 8, Some(4), "partition"),
        (2, MANY, None, "pairs"),
        (2, MANY, None, "partition"),
    ];
    for (rows, items, tile, name) in shapes {
        let x = permutations(rows, items);
        let y = permutations(rows / 2, items);
        let mut out = vec![0.0; rows * rows];
        let mut single = vec![0.0_f32; rows * y.rows()];
        for weight in [Weight::Standard, Weight::Average, Weight::Add(Factor::Log), Weight::Mult(Factor::Log)] {
            let measure = Measure::kernel(&weight, items).unwrap();
            let weighted = matches!(weight, Weight::Add(_) | Weight::Mult(_));
            if (name == "bits" && weighted) || (name == "product" && !weighted) {
                continue;
            }
            for threads in [1, 2] {
                let options = || Options { tile, backend: backend(name), ..on(threads) };
                let name = format!("{rows} x {items}, {name}, {weight:?}, {threads} threads");
                each_fault(&name, || gram_into(&measure, &x, None, &mut out, options()).map(|()| digest(&out)));
                // Half as much memory, and still some lists above the limit.
                each_fault_above(MEBIBYTE / 4, &name, || {
                    gram_into(&measure, &x, Some(&y), &mut single, options()).map(|()| digest(&single))
                });
            }
        }
    }
    let x = permutations(400, 10);
    let measure = Measure::kernel(&Weight::Standard, 10).unwrap();
    each_fault("gram", || gram(&measure, &x, None, on(1)).map(|values| digest(&values)));
}

#[test]
fn repeated_rankings() {
    let _alone = alone();
    // The matrix of 400 distinct rankings takes more than a mebibyte. Without it the numbers are the same.
    let x = repeated(&permutations(400, 40), 400, 3);
    let mut out = vec![0.0; 1200 * 1200];
    for weight in [Weight::Standard, Weight::Add(Factor::Log), Weight::Average] {
        let measure = Measure::kernel(&weight, 40).unwrap();
        for threads in [1, 2] {
            each_fault("repeated", || gram_into(&measure, &x, None, &mut out, on(threads)).map(|()| digest(&out)));
        }
    }
    let starts: Vec<u32> = tied(400, 40).starts().chunks(40).flat_map(|row| row.repeat(3)).collect();
    let x = Incomplete::from_ranks(1200, 40, &starts, Missing::Error).unwrap();
    let measure = Measure::kernel(&Weight::Mult(Factor::Log), 40).unwrap().normalized();
    each_fault("repeated with ties", || gram_into(&measure, &x, None, &mut out, on(2)).map(|()| digest(&out)));
    // So many rows that the lists of them are long, with many distinct ones and with few.
    for (items, distinct) in [(4, 20), (10, 100_000)] {
        let x = repeated(&permutations(distinct, items), distinct, 400_000 / distinct);
        let y = permutations(1, items);
        let measure = Measure::kernel(&Weight::Standard, items).unwrap();
        let mut out = vec![0.0; x.rows()];
        each_fault("many rows", || gram_into(&measure, &x, Some(&y), &mut out, on(2)).map(|()| digest(&out)));
    }
}

#[test]
fn incomplete_rankings() {
    let _alone = alone();
    let x = tied(2, MANY);
    let half = |rank: &i64| if rank % 3 == 0 { f64::NAN } else { f64::from(*rank as u32 / 2) };
    let halves: Vec<f64> = Random(4).rankings(2, MANY).iter().map(half).collect();
    let unknown = Incomplete::from_ranks(2, MANY, &halves, Missing::Anywhere).unwrap();
    let mut out = vec![0.0; 4];
    let kernel = |weight: &Weight, items| Measure::kernel(weight, items).unwrap();
    for weight in
        [Weight::Standard, Weight::Top(MANY / 2), Weight::Add(Factor::Log), Weight::Mult(Factor::Log), Weight::Average]
    {
        let mut measures = vec![kernel(&weight, MANY), kernel(&weight, MANY).normalized()];
        if weight != Weight::Average {
            measures.push(kernel(&weight, MANY).signed().unwrap());
        }
        // The others differ in nothing that has to do with memory.
        let all = matches!(weight, Weight::Add(_) | Weight::Average);
        for (measure, threads) in measures.iter().zip([2, 1, 1]).skip(if all { 0 } else { 2 }) {
            let name = format!("ties, {weight:?}, {threads} threads");
            each_fault(&name, || gram_into(measure, &x, None, &mut out, on(threads)).map(|()| digest(&out)));
        }
        if !all {
            continue;
        }
        each_fault("diagonal", || diagonal(&measures[1], &x, on(1)).map(|values| digest(&values)));
    }
    let measure = kernel(&Weight::Standard, MANY).signed().unwrap().normalized();
    each_fault("anywhere", || gram_into(&measure, &unknown, None, &mut out, on(1)).map(|()| digest(&out)));
    // It takes time that grows with the square of the number of items, so that these are fewer, and the limit is lower.
    let few = tied(2, 8400);
    let measure = kernel(&Weight::Average, 8400).signed().unwrap().normalized();
    each_fault_above(1 << 16, "signed average", || {
        gram_into(&measure, &few, None, &mut out, on(1)).map(|()| digest(&out))
    });
    let many = tied(60, 600);
    let mut out = vec![0.0; 60 * 60];
    for threads in [1, 2] {
        let options = || Options { backend: backend("product"), ..on(threads) };
        let measure = kernel(&Weight::Add(Factor::Log), 600).normalized();
        each_fault("features", || gram_into(&measure, &many, None, &mut out, options()).map(|()| digest(&out)));
    }
    let matrix = Weight::Matrix((0..600 * 600).map(|entry| f64::from(entry % 7) - 3.0).collect());
    let factors = Weight::Factors { order: 2, vectors: (0..1200).map(|entry| f64::from(entry % 7) - 3.0).collect() };
    let mut few_values = vec![0.0; 30 * 30];
    let thirty = tied(30, 600);
    for (weight, threads) in [(matrix, 1), (factors, 2)] {
        let measure = kernel(&weight, 600).normalized();
        each_fault("general weights of ties", || {
            gram_into(&measure, &thirty, None, &mut few_values, on(threads)).map(|()| digest(&few_values))
        });
    }
    let rows = tied(200_000, 3);
    let measure = kernel(&Weight::Standard, 3).normalized();
    each_fault("diagonal of many rows", || diagonal(&measure, &rows, on(2)).map(|values| digest(&values)));
}

/// Sums over few long rankings and over many short ones.
fn sums_of<R: RankingSet>(few: &R, many: &R, matrix: &[f64], threads: usize) {
    let run = || RunOptions { threads: Some(threads), watch: None };
    let (coefficients, weights, mut sums) = (vec![0.5; 200_000], [1.0, 2.0, 3.0], vec![0.0; 9]);
    each_fault("combine", || embedding::combine(few, &coefficients[..3], 2, matrix, run()).map(|sum| digest(&sum)));
    each_fault("tuple_sums_into", || {
        embedding::tuple_sums_into(many, &coefficients, 1, &mut sums, run()).map(|()| digest(&sums))
    });
    each_fault("linear_function", || {
        embedding::linear_function(many, 1, &weights, &[0.5; 3], run()).map(|sum| digest(&sum))
    });
}

#[test]
fn embeddings() {
    let _alone = alone();
    let run = |threads| RunOptions { threads: Some(threads), watch: None };
    let mut random = Random(5);
    let matrix: Vec<f64> = (0..400 * 400).map(|_| random.real()).collect();
    let (few, many) = (permutations(3, 400), permutations(200_000, 3));
    let coefficients = vec![0.5; 200_000];
    let mut out = vec![0.0; 200_000 * 3];
    for threads in [1, 2] {
        sums_of(&few, &many, &matrix, threads);
        sums_of(&tied(3, 400), &tied(200_000, 3), &matrix, threads);
        each_fault("combine many", || {
            embedding::combine(&many, &coefficients, 1, &[1.0, 2.0, 3.0], run(threads)).map(|sum| digest(&sum))
        });
    }
    let mult = Weight::Mult(Factor::Values((0..600).map(|rank| 1.0 - f64::from(rank) / 300.0).collect()));
    let mult = Measure::kernel(&mult, 600).and_then(Measure::try_normalized).expect("finite weights");
    let wide = permutations(3, 600);
    let mut columns = vec![0.0; 3 * features::columns(&mult).expect("a named weight")];
    each_fault("features_into", || {
        features::features_into(&mult, &wide, &mut columns, run(1)).map(|()| digest(&columns))
    });
    let (signed, rows) = (
        Measure::kernel(&Weight::Standard, 3).and_then(Measure::signed).and_then(Measure::try_normalized).unwrap(),
        tied(200_000, 3),
    );
    each_fault("features_into", || features::features_into(&signed, &rows, &mut out, run(1)).map(|()| digest(&out)));
    // Their lists of jobs are short: one for a quarter of a million entries. A list of 300,000 rows takes more.
    each_fault("embed_into and what is made of it", || {
        embedding::embed_into(&many, 1, &[1.0, 2.0, 3.0], &mut out, run(2))?;
        features::features_into(&Measure::kernel(&Weight::Standard, 3)?.signed()?, &many, &mut out, run(2))?;
        embedding::linear_function(&many, 1, &out[..3], &[0.5; 3], run(2)).map(|sum| digest(&sum))
    });
}

#[test]
fn lists() {
    let _alone = alone();
    let listed = Random(9).rankings(1, MANY).iter().map(|&rank| rank * 3).collect::<Vec<_>>();
    let bounds = [0, MANY as i64];
    let scores: Vec<f64> = Random(10).rankings(1, MANY).iter().map(|&rank| (rank / 2) as f64).collect();
    each_fault("Lists::from_scores", || Lists::from_scores(4 * MANY, &bounds, &listed, &scores));
    let ties = tied(1, MANY);
    each_fault("Lists::from_incomplete", || Lists::from_incomplete(&ties));
    let x = Lists::from_scores(4 * MANY, &bounds, &listed, &scores).unwrap();
    let copy = x.clone();
    let short: Vec<i64> = (0..200_000).collect();
    let many = Lists::from_ranks(200_000, &short, &short[1..], &short[1..]).unwrap();
    for weight in [Weight::Standard, Weight::Mult(Factor::Log)] {
        let measure = |items: usize| Measure::kernel(&weight, items).unwrap().normalized();
        let of_one = measure(4 * MANY);
        each_fault(&format!("a long list, {weight:?}"), || {
            gram(&of_one, &x, Some(&copy), on(1)).map(|values| digest(&values))
        });
        let of_many = measure(200_000);
        each_fault(&format!("many lists, {weight:?}"), || {
            diagonal(&of_many, &many, on(2)).map(|values| digest(&values))
        });
    }
}

#[test]
fn neighbours() {
    let _alone = alone();
    let x = permutations(20_000, 5);
    let few = permutations(300, 5);
    let unlike = permutations(2000, 30);
    for (name, measure, x) in [
        ("counts", Measure::distance(5), &x),
        ("tiles", Measure::kernel(&Weight::Mult(Factor::Log), 5).unwrap(), &x),
        ("different", Measure::distance(30), &unlike),
        ("different tiles", Measure::kernel(&Weight::Mult(Factor::Log), 30).unwrap(), &unlike),
    ] {
        let options = || Options { threads: Some(1), ..Options::default() };
        let y = if x.items() == 5 { &few } else { x };
        each_fault(name, || neighbors(&measure, x, Some(y), 100, options()));
        // All of them.
        let radius = if name.ends_with("tiles") { -1e9 } else { 1e9 };
        each_fault(name, || within(&measure, x, Some(y), radius, options()));
    }
    let long = permutations(2000, 100);
    each_fault("packed_signs", || packed_signs(&long, RunOptions::default()));
}
