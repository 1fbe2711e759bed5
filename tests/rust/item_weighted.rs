//! The weight "later" and weights of items against their definition: means over all complete rankings that agree.

mod naive;

use naive::{Random, permutations};
use wkendall::{
    Error, Factor, Incomplete, Matrix, Measure, Missing, Options, RankingSet, Rankings, RunOptions, Weight, Workspace,
    consensus, diagonal, features, gram, gram_matrix, importance, neighbors,
};

/// What a pair adds, from its ranks in both rankings, which count from 1.
fn term(weight: &Weight, u: &[f64], [a, b]: [usize; 2], [c, d]: [usize; 2], n: usize) -> f64 {
    let (a, b, c, d) = (a.min(b), a.max(b), c.min(d), c.max(d));
    let u = |rank: usize| u[rank - 1];
    match weight {
        Weight::Top(k) => f64::from(u8::from(b <= *k && d <= *k)),
        Weight::Add(_) => (u(a) + u(b)) * (u(c) + u(d)),
        Weight::Mult(_) => u(a) * u(b) * u(c) * u(d),
        Weight::Average => (n + 1 - b.max(d)) as f64 / n as f64,
        Weight::Later(_) => u(b) * u(d),
        Weight::Standard => 1.0,
        _ => panic!("no definition of {weight:?}"),
    }
}

/// The sum for two complete rankings.
fn definition(weight: &Weight, u: &[f64], v: &[f64], signed: bool, s: &[usize], t: &[usize]) -> f64 {
    let n = s.len();
    let mut sum = 0.0;
    for i in 0..n {
        for j in 0..i {
            let value = v[i] * v[j] * term(weight, u, [s[i], s[j]], [t[i], t[j]], n);
            if (s[i] < s[j]) == (t[i] < t[j]) {
                sum += value;
            } else if signed {
                sum -= value;
            }
        }
    }
    sum
}

/// All complete rankings that agree with numbers, of which the smallest is the best.
fn completions(values: &[u32]) -> Vec<Vec<usize>> {
    let n = values.len();
    let agrees = |ranks: &Vec<i64>| (0..n).all(|i| (0..n).all(|j| values[i] >= values[j] || ranks[i] < ranks[j]));
    let whole = |ranks: Vec<i64>| ranks.into_iter().map(|rank| rank as usize).collect();
    permutations(n).into_iter().filter(agrees).map(whole).collect()
}

fn mean(weight: &Weight, u: &[f64], v: &[f64], signed: bool, s: &[u32], t: &[u32]) -> f64 {
    let (of_s, of_t) = (completions(s), completions(t));
    let sums = of_s.iter().flat_map(|s| of_t.iter().map(move |t| definition(weight, u, v, signed, s, t)));
    sums.sum::<f64>() / (of_s.len() * of_t.len()) as f64
}

fn weights(n: usize, u: &[f64]) -> Vec<Weight> {
    let factor = || Factor::Values(u.to_vec());
    vec![
        Weight::Standard,
        Weight::Top(n.div_ceil(2).max(1)),
        Weight::Add(factor()),
        Weight::Mult(factor()),
        Weight::Average,
        Weight::Later(factor()),
    ]
}

fn close(found: f64, wanted: f64, unit: f64) {
    assert!((found - wanted).abs() <= 1e-12 * unit.max(1.0), "{found} is not {wanted}");
}

/// Compares matrices, diagonals and neighbours with values.
fn check<R: RankingSet>(measure: &Measure, x: &R, wanted: impl Fn(usize, usize) -> f64, normalized: bool) {
    let rows = x.rows();
    let found = gram(measure, x, None, Options::default()).unwrap();
    let own: Vec<f64> = (0..rows).map(|row| wanted(row, row)).collect();
    for row in 0..rows {
        for column in 0..rows {
            let mut value = wanted(row, column);
            if normalized {
                let unit = (own[row] * own[column]).sqrt();
                // The definition rounds sums that are 0.
                value = if own[row].min(own[column]) < 1e-14 { 0.0 } else { value / unit };
            }
            close(found[row * rows + column], value, own[row].max(own[column]));
            assert_eq!(found[row * rows + column].to_bits(), found[column * rows + row].to_bits());
        }
        close(diagonal(measure, x, Options::default()).unwrap()[row], found[row * rows + row], own[row]);
    }
    for (threads, tile) in [(1, None), (2, Some(2))] {
        let options = || Options { threads: Some(threads), tile, ..Options::default() };
        assert_eq!(gram(measure, x, None, options()).unwrap(), found);
        assert_eq!(gram(measure, x, Some(x), options()).unwrap(), found);
    }
    if rows > 1 {
        let near = neighbors(measure, x, None, 1, Options::default()).unwrap();
        let best = |row: usize| (0..rows).filter(move |&column| column != row).map(move |column| (row, column));
        for (row, &value) in near.values.iter().enumerate() {
            let most = best(row).map(|(row, column)| found[row * rows + column]).fold(f64::NEG_INFINITY, f64::max);
            close(value, most, own[row]);
        }
    }
}

/// All weights, with and without weights of items.
fn each_measure(n: usize, random: &mut Random, mut check: impl FnMut(&Measure, &Weight, [&[f64]; 2], bool, bool)) {
    let mut number = || random.below(2000) as f64 / 1000.0 - 0.5;
    let u: Vec<f64> = (0..n).map(|_| number()).collect();
    let v: Vec<f64> = (0..n).map(|_| number().max(0.0)).collect();
    for weight in weights(n, &u) {
        for signed in [false, true] {
            for normalized in [false, true] {
                let mut plain = Measure::kernel(&weight, n).unwrap();
                plain = if signed { plain.signed().unwrap() } else { plain };
                let plain = if normalized { plain.normalized() } else { plain };
                check(&plain.clone().with_item_weight(&v).unwrap(), &weight, [&u, &v], signed, normalized);
                if matches!(weight, Weight::Later(_)) {
                    check(&plain, &weight, [&u, &vec![1.0; n]], signed, normalized);
                }
            }
        }
    }
}

#[test]
fn complete_rankings() {
    let mut random = Random(1);
    for n in (0..12).chain([32, 39, 40, 41, 70, 127, 128, 129, 140]) {
        let ranks = random.rankings(4, n);
        let x = Rankings::from_ranks(4, n, &ranks).unwrap();
        let of = |row: usize| -> Vec<usize> { ranks[row * n..][..n].iter().map(|&rank| rank as usize).collect() };
        each_measure(n, &mut random, |measure, weight, [u, v], signed, normalized| {
            check(measure, &x, |s, t| definition(weight, u, v, signed, &of(s), &of(t)), normalized);
        });
    }
}

#[test]
fn ties_and_lists() {
    let mut random = Random(2);
    for n in 0..6 {
        for _ in 0..4 {
            // The largest number is that of items that are not listed.
            let rows: Vec<Vec<u32>> = (0..3).map(|_| (0..n).map(|_| random.below(4) as u32).collect()).collect();
            let numbers = |row: &Vec<u32>| row.iter().map(|&value| f64::from(value)).collect::<Vec<_>>();
            let tied = Incomplete::from_ranks(3, n, &rows.iter().flat_map(numbers).collect::<Vec<_>>(), Missing::Error);
            let listed = |row: &Vec<u32>| -> Vec<f64> {
                row.iter().map(|&value| if value < 3 { f64::from(value) } else { f64::NAN }).collect()
            };
            let lists = naive::lists_of(3, n, &rows.iter().flat_map(listed).collect::<Vec<_>>());
            each_measure(n, &mut random, |measure, weight, [u, v], signed, normalized| {
                let wanted = |s: usize, t: usize| mean(weight, u, v, signed, &rows[s], &rows[t]);
                check(measure, tied.as_ref().unwrap(), wanted, normalized);
                check(measure, &lists, wanted, normalized);
            });
        }
    }
}

#[test]
fn many_tied_items() {
    let mut random = Random(3);
    let n = 60;
    let numbers: Vec<f64> = (0..4 * n).map(|_| random.below(9) as f64).collect();
    let x = Incomplete::from_ranks(4, n, &numbers, Missing::Error).unwrap();
    let listed: Vec<f64> = numbers.iter().map(|&value| if value < 5.0 { value } else { f64::NAN }).collect();
    let lists = naive::lists_of(4, n, &listed);
    let expanded = lists.to_incomplete().unwrap();
    each_measure(n, &mut random, |measure, _, _, _, _| {
        // Explicit features have another way to the same values.
        let phi: Matrix = features::features(measure, &x, RunOptions::default()).unwrap();
        let found = gram(measure, &x, None, Options::default()).unwrap();
        for row in 0..4 {
            for column in 0..4 {
                let wanted: f64 = phi.row(row).iter().zip(phi.row(column)).map(|(a, b)| a * b).sum();
                close(found[row * 4 + column], wanted, found[row * 5].max(found[column * 5]));
            }
        }
        let of_lists = gram(measure, &lists, None, Options::default()).unwrap();
        let wanted = gram(measure, &expanded, None, Options::default()).unwrap();
        for (found, wanted) in of_lists.into_iter().zip(wanted.iter().copied()) {
            close(found, wanted, wanted.abs().max(wanted.abs()));
        }
    });
}

#[test]
fn items_that_weigh_one_change_nothing() {
    for weight in weights(5, &[1.0, 0.5, 0.25, -1.0, 0.0]) {
        let kernel = Measure::kernel(&weight, 5).unwrap();
        let with_ones = kernel.clone().with_item_weight(&[1.0; 5]).unwrap();
        assert_eq!(with_ones == kernel, !matches!(weight, Weight::Later(_)));
    }
}

#[test]
fn permutations_sums_and_other_functions() {
    let x = Rankings::from_ranks(3, 4, &[1, 2, 3, 4, 2, 1, 4, 3, 4, 3, 2, 1]).unwrap();
    let later = Measure::kernel(&Weight::Later(Factor::Ap), 4).unwrap();
    let mut workspace = Workspace::new(4);
    // 1 x 1 + 2 x 1/4 + 3 x 1/9.
    close(later.self_similarity(), 1.0 + 0.5 + 1.0 / 3.0, 1.0);
    close(later.kappa(x.row(0), &mut workspace).unwrap(), later.self_similarity(), 1.0);
    close(later.between(x.row(0), x.row(1), &mut workspace).unwrap(), 4.0 / 6.0, 1.0);
    let single: Matrix<f32> = gram_matrix(&later, &x, None, Options::default()).unwrap();
    close(f64::from(single[(0, 1)]), 4.0 / 6.0, 1e6);
    let weighted = later.clone().with_item_weight(&[1.0, 2.0, 0.0, 3.0]).unwrap();
    let no_weights = |taker| Err::<(), _>(Error::NoItemWeight { taker });
    let taker = "kappa, a function of one permutation,";
    assert_eq!(weighted.kappa(x.row(0), &mut workspace).map(drop), no_weights(taker));
    let sum = weighted.clone().plus(later.clone().scaled(2.0).unwrap()).unwrap();
    let [found, one, two] =
        [&sum, &weighted, &later].map(|measure| gram(measure, &x, None, Options::default()).unwrap());
    for ((found, one), two) in found.into_iter().zip(one).zip(two) {
        close(found, one + 2.0 * two, 10.0);
    }
    let best = |measure| consensus::consensus(measure, &x, None, consensus::Options::default());
    assert!(best(&later).unwrap().optimal);
    assert_eq!(best(&weighted).map(drop), no_weights("a consensus"));
    let effects = |measure| importance::largest_effects(measure, &x, &[1.0, -1.0, 0.5], 1, RunOptions::default());
    assert_eq!(effects(&later).unwrap().len(), 1);
    assert_eq!(effects(&weighted).map(drop), no_weights("the importance of pairs"));
    assert_eq!(Factor::Ap.values(4).unwrap(), [0.0, 1.0, 0.5, 1.0 / 3.0]);
}

#[test]
fn weights_of_items_that_are_refused() {
    let kernel = || Measure::kernel(&Weight::Standard, 3).unwrap();
    let length = kernel().with_item_weight(&[1.0; 2]).unwrap_err().to_string();
    assert_eq!(
        length,
        "item_weight is an array of length 2, but must be an array of length 3, one number for each item"
    );
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let error = kernel().with_item_weight(&[1.0, bad, 1.0]).unwrap_err();
        assert_eq!(error.argument(), Some("item_weight"));
    }
    assert!(kernel().with_item_weight(&[1e200; 3]).is_err());
    assert!(kernel().normalized().with_item_weight(&[1e200; 3]).is_ok());
    assert!(Measure::kernel(&Weight::Later(Factor::Values(vec![1e200; 3])), 3).is_err());
    assert!(Measure::rescaled_kernel(&Weight::Later(Factor::Values(vec![1e200; 3])), 3).is_ok());
    for measure in [
        kernel().with_order(3).unwrap(),
        Measure::distance(3),
        Measure::mallows(3, 1.0).unwrap(),
        Measure::tau_x(3),
        Measure::kernel(&Weight::Matrix(vec![0.0; 9]), 3).unwrap(),
        kernel().plus(kernel()).unwrap(),
    ] {
        assert!(matches!(measure.with_item_weight(&[1.0; 3]), Err(Error::NoItemWeight { .. })));
    }
    let later = Measure::kernel(&Weight::Later(Factor::Log), 3).unwrap();
    assert!(matches!(later.clone().with_order(3), Err(Error::NoOtherOrder { order: 3, .. })));
    assert!(later.with_order(2).is_ok());
    let unknown = Incomplete::from_ranks(1, 3, &[1.0, f64::NAN, 2.0], Missing::Anywhere).unwrap();
    let weighted = kernel().with_item_weight(&[1.0, 2.0, 3.0]).unwrap();
    assert!(matches!(gram(&weighted, &unknown, None, Options::default()), Err(Error::NotTaken { .. })));
}
