//! Sums, products, multiples and powers of kernels, and the correlation, against the same function of the values of the
//! parts.

mod naive;

use naive::Random;
use wkendall::{
    Factor, Incomplete, Lists, Matrix, Measure, Missing, Options, RankingSet, Rankings, RunOptions, Weight, Workspace,
    diagonal, features, gram, gram_matrix, neighbors, planned, within,
};

type Function = fn(&[f64]) -> f64;

/// Kernels, and the function that a combination of them computes.
fn combinations(items: usize) -> Vec<(Vec<Measure>, Measure, Function)> {
    let kernel = |weight: &Weight| Measure::kernel(weight, items).unwrap();
    let (standard, mult) = (kernel(&Weight::Standard), kernel(&Weight::Mult(Factor::Log)));
    let mallows = Measure::mallows(items, 0.3).unwrap();
    let tau = standard.clone().signed().unwrap().normalized();
    vec![
        (vec![standard.clone(), mult.clone()], standard.clone().plus(mult.clone()).unwrap(), |v| v[0] + v[1]),
        (vec![tau.clone(), mallows.clone()], tau.clone().times(mallows.clone()).unwrap(), |v| v[0] * v[1]),
        (vec![mult.clone()], mult.clone().scaled(2.5).unwrap(), |v| 2.5 * v[0]),
        (vec![tau.clone()], tau.clone().power(3).unwrap(), |v| v[0].powi(3)),
        (
            vec![standard.clone(), tau.clone(), mallows.clone(), mult.clone()],
            standard
                .scaled(0.5)
                .unwrap()
                .plus(tau.power(2).unwrap().times(mallows.plus(mult).unwrap()).unwrap())
                .unwrap(),
            |v| 0.5 * v[0] + v[1].powi(2) * (v[2] + v[3]),
        ),
    ]
}

fn check<R: RankingSet>(x: &R, y: &R) {
    for (parts, combined, function) in combinations(x.items()) {
        let of = |measure: &Measure, y: Option<&R>| gram(measure, x, y, Options::default()).unwrap();
        for other in [None, Some(y)] {
            let of_parts: Vec<Vec<f64>> = parts.iter().map(|part| of(part, other)).collect();
            let found = of(&combined, other);
            let columns = other.unwrap_or(x).rows();
            assert_eq!(found.len(), x.rows() * columns);
            for (cell, &value) in found.iter().enumerate() {
                let values: Vec<f64> = of_parts.iter().map(|part| part[cell]).collect();
                let wanted = function(&values);
                assert!((value - wanted).abs() <= 1e-13 * wanted.abs().max(1e-300), "{value} {wanted}");
            }
            // Bitwise the same for any threads, and the best of the same values.
            for threads in [1, 2, 3] {
                let options = Options { threads: Some(threads), ..Options::default() };
                assert_eq!(gram(&combined, x, other, options).unwrap(), found);
            }
            let near = neighbors(&combined, x, other, 2, Options::default()).unwrap();
            let close = within(&combined, x, other, found[0] / 2.0, Options::default()).unwrap();
            for row in 0..x.rows() {
                let mut wanted: Vec<(usize, f64)> = (0..columns)
                    .filter(|&column| other.is_some() || column != row)
                    .map(|column| (column, found[row * columns + column]))
                    .collect();
                let all: Vec<usize> =
                    wanted.iter().filter(|pair| pair.1 >= found[0] / 2.0).map(|&(column, _)| column).collect();
                assert_eq!(close.indices[close.starts[row]..close.starts[row + 1]], all);
                wanted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                assert_eq!(near.indices[2 * row..2 * row + 2], [wanted[0].0, wanted[1].0]);
                assert_eq!(near.values[2 * row..2 * row + 2], [wanted[0].1, wanted[1].1]);
            }
        }
        assert_eq!(of(&combined, Some(x)), of(&combined, None));
        let own = diagonal(&combined, x, Options::default()).unwrap();
        let whole = of(&combined, None);
        for (row, &value) in own.iter().enumerate() {
            let wanted = whole[row * x.rows() + row];
            assert!((value - wanted).abs() <= 1e-12 * wanted.abs(), "{value} {wanted}");
        }
    }
}

fn permutations(random: &mut Random, rows: usize, items: usize) -> Rankings {
    Rankings::from_ranks(rows, items, &random.rankings(rows, items)).unwrap()
}

#[test]
fn complete_rankings() {
    let mut random = Random(7);
    for items in [1, 2, 5, 30] {
        let (x, y) = (permutations(&mut random, 9, items), permutations(&mut random, 4, items));
        check(&x, &y);
    }
}

#[test]
fn rankings_with_ties_and_lists() {
    let rows = [[1.0, 2.0, 2.0, 4.0, 5.0], [3.0, 1.0, f64::NAN, f64::NAN, 2.0], [1.0, 1.0, 1.0, 1.0, 2.0]];
    let all: Vec<f64> = rows.iter().flatten().copied().collect();
    let x = Incomplete::from_ranks(3, 5, &all, Missing::Bottom).unwrap();
    check(&x, &x.clone());
    let lists = Lists::from_incomplete(&x).unwrap();
    check(&lists, &lists.clone());
}

#[test]
fn one_pair_of_rankings() {
    let mut random = Random(1);
    let x = permutations(&mut random, 2, 8);
    let mut workspace = Workspace::new(8);
    for (parts, combined, function) in combinations(8) {
        let values: Vec<f64> =
            parts.iter().map(|part| part.between(x.row(0), x.row(1), &mut workspace).unwrap()).collect();
        assert_eq!(combined.between(x.row(0), x.row(1), &mut workspace).unwrap(), function(&values));
        let values: Vec<f64> = parts.iter().map(|part| part.kappa(x.row(0), &mut workspace).unwrap()).collect();
        assert_eq!(combined.kappa(x.row(0), &mut workspace).unwrap(), function(&values));
        let own: Vec<f64> = parts.iter().map(Measure::self_similarity).collect();
        assert_eq!(combined.self_similarity(), function(&own));
        assert_eq!(combined.items(), 8);
        assert_eq!(planned(&combined, 100, 100, &Options::default()).unwrap().split(" + ").count(), parts.len());
    }
}

#[test]
fn features_of_sums_are_side_by_side() {
    let mut random = Random(3);
    let x = permutations(&mut random, 6, 7);
    let kernel = |weight: &Weight| Measure::kernel(weight, 7).unwrap();
    let sum = kernel(&Weight::Standard).scaled(3.0).unwrap().plus(kernel(&Weight::Add(Factor::Log))).unwrap();
    let phi: Matrix = features::features(&sum, &x, RunOptions::default()).unwrap();
    assert_eq!(phi.row(0).len(), features::columns(&sum).unwrap());
    let wanted: Matrix = gram_matrix(&sum, &x, None, Options::default()).unwrap();
    for i in 0..6 {
        for j in 0..6 {
            let inner: f64 = phi.row(i).iter().zip(phi.row(j)).map(|(a, b)| a * b).sum();
            assert!((inner - wanted[(i, j)]).abs() <= 1e-12 * wanted[(0, 0)]);
        }
    }
    let product = kernel(&Weight::Standard).power(2).unwrap();
    assert!(features::columns(&product).is_err());
}

#[test]
fn single_precision_has_a_range() {
    let x = Rankings::from_ranks(1, 3, &[1, 2, 3]).unwrap();
    let large = Measure::kernel(&Weight::Mult(Factor::Values(vec![1e8; 3])), 3).unwrap().power(2).unwrap();
    let found: Result<Matrix<f32>, _> = gram_matrix(&large, &x, None, Options::default());
    assert!(found.is_err());
    assert!(gram_matrix::<_, f64>(&large, &x, None, Options::default()).is_ok());
}
