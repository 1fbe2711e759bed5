//! Kernels of any order, general weights and the embedding against their definitions.

mod naive;

use naive::Random;
use wkendall::{Measure, Options, Rankings, RunOptions, Weight, Workspace, embedding, gram};

/// All tuples of `order` numbers below `n`, in lexicographic order.
fn tuples(n: usize, order: usize) -> Vec<Vec<usize>> {
    (0..order).fold(vec![Vec::new()], |shorter, _| {
        shorter.into_iter().flat_map(|t| (0..n).map(move |i| [t.clone(), vec![i]].concat())).collect()
    })
}

fn ranks_of(rankings: &Rankings, row: usize) -> Vec<usize> {
    rankings.row(row).ranks().iter().map(|&rank| rank as usize).collect()
}

fn sum(s: &[usize], t: &[usize], order: usize, term: impl Fn(&[usize], &[usize]) -> f64) -> f64 {
    let ranks =
        |ranking: &[usize], tuple: &[usize]| -> Vec<usize> { tuple.iter().map(|&item| ranking[item]).collect() };
    tuples(s.len(), order).iter().map(|tuple| term(&ranks(s, tuple), &ranks(t, tuple))).sum()
}

fn close(value: f64, wanted: f64, size: f64) {
    assert!((value - wanted).abs() <= 1e-12 * size, "{value} {wanted}");
}

/// More orders than fit a register, and more leaves than one: against a dynamic programme.
#[test]
fn many_items_and_orders() {
    let mut random = Random(2);
    for n in [7, 8, 9, 16, 17, 63, 64, 65, 100, 257] {
        let x = Rankings::from_ranks(1, n, &random.rankings(1, n)).unwrap();
        let values = ranks_of(&x, 0);
        let mut ending = vec![1.0; n];
        for order in 1..=20 {
            let kernel = Measure::kernel(&Weight::Standard, n).unwrap().with_order(order).unwrap();
            let wanted: f64 = ending.iter().sum();
            assert_eq!(kernel.kappa(x.row(0), &mut Workspace::new(n)).unwrap(), wanted, "n = {n}, order {order}");
            ending = (0..n).map(|j| (0..j).filter(|&i| values[i] < values[j]).map(|i| ending[i]).sum()).collect();
        }
    }
}

#[test]
fn tensors_factors_and_quadruples() {
    let mut random = Random(3);
    for n in 0..=5 {
        let x = Rankings::from_ranks(9, n, &random.rankings(9, n)).unwrap();
        let check = |weight: &Weight, order: usize, term: &dyn Fn(&[usize], &[usize]) -> f64| {
            let kernel = Measure::kernel(weight, n).unwrap();
            for backend in ["product-portable", "product", "partition"] {
                let backend = backend.parse().unwrap();
                let Ok(values) = gram(&kernel, &x, None, Options { backend, ..Options::default() }) else {
                    assert!(matches!(weight, Weight::Quadruples(_)));
                    continue;
                };
                for (index, &value) in values.iter().enumerate() {
                    let wanted = sum(&ranks_of(&x, index / 9), &ranks_of(&x, index % 9), order, term);
                    close(value, wanted, 1e3);
                }
            }
        };
        let at = |ranks: &[usize]| ranks.iter().fold(0, |index, rank| index * n + rank);
        for order in 1..=3 {
            let size = n.pow(order as u32);
            let entries: Vec<f64> = (0..2 * size).map(|_| random.real()).collect();
            let weight = Weight::Tensor { order, entries: entries.clone().into() };
            check(&weight, order, &|a, c| (0..2).map(|l| entries[l * size + at(a)] * entries[l * size + at(c)]).sum());
            let vectors: Vec<f64> = (0..2 * order * n).map(|_| random.real()).collect();
            let dense = |ranks: &[usize]| -> f64 {
                let entry = |term: usize, axis: usize, rank: usize| vectors[(term * order + axis) * n + rank];
                (0..2)
                    .map(|term| ranks.iter().enumerate().map(|(axis, &rank)| entry(term, axis, rank)).product::<f64>())
                    .sum()
            };
            check(&Weight::Factors { order, vectors: vectors.clone().into() }, order, &|a, c| dense(a) * dense(c));
        }
        let half: Vec<f64> = (0..n * n).map(|_| random.real()).collect();
        let symmetric: Vec<f64> =
            (0..n * n).map(|index| half[index] + half[index % n.max(1) * n + index / n.max(1)]).collect();
        check(&Weight::Matrix(symmetric.clone()), 2, &|a, c| symmetric[at(a)] * symmetric[at(c)]);
        let quadruples: Vec<f64> = (0..n.pow(4)).map(|index| half[index / (n * n)] * half[index % (n * n)]).collect();
        check(&Weight::Quadruples(quadruples.clone().into()), 2, &|a, c| {
            if a[0] < a[1] && c[0] < c[1] { quadruples[at(&[a, c].concat())] } else { 0.0 }
        });
    }
}

#[test]
fn the_embedding_and_its_linear_functions() {
    let mut random = Random(4);
    for (n, order) in [(0, 1), (1, 3), (4, 1), (4, 2), (5, 3), (3, 4)] {
        let rows = 7;
        let x = Rankings::from_ranks(rows, n, &random.rankings(rows, n)).unwrap();
        let size = n.pow(order as u32);
        let mut numbers = |count: usize| -> Vec<f64> { (0..count).map(|_| random.real()).collect() };
        let (weights, tensor, coefficients) = (numbers(size), numbers(size), numbers(rows));
        let run = RunOptions::default;
        let mut out = vec![0.0; rows * size];
        embedding::embed_into(&x, order, &weights, &mut out, run()).unwrap();
        for row in 0..rows {
            let ranks = ranks_of(&x, row);
            for (index, tuple) in tuples(n, order).iter().enumerate() {
                let at = tuple.iter().fold(0, |at, &item| at * n + ranks[item]);
                assert_eq!(out[row * size + index], weights[at]);
            }
        }
        let combined = embedding::combine(&x, &coefficients, order, &weights, run()).unwrap();
        for (index, &value) in combined.iter().enumerate() {
            close(value, (0..rows).map(|row| coefficients[row] * out[row * size + index]).sum(), 10.0);
        }
        let mut sums = vec![f64::NAN; size * size];
        embedding::tuple_sums_into(&x, &coefficients, order, &mut sums, run()).unwrap();
        for (row, &value) in sums.chunks_exact(size.max(1)).zip(&combined) {
            close(value, row.iter().zip(&weights).map(|(sum, weight)| sum * weight).sum(), 10.0);
        }
        let values = embedding::linear_function(&x, order, &weights, &tensor, run()).unwrap();
        let swapped = embedding::linear_function(&x.clone().inverse(), order, &tensor, &weights, run()).unwrap();
        for (row, (&value, &same)) in values.iter().zip(&swapped).enumerate() {
            close(value, (0..size).map(|index| tensor[index] * out[row * size + index]).sum(), 100.0);
            close(value, same, 100.0);
        }
    }
}
