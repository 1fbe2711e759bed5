//! Kendall's tau-b of columns against its definition, for every strategy and instruction set.

mod backends;
mod naive;

use std::ops::ControlFlow;

use naive::{Random, permutations};
use wkendall::{Alternative, Backend, Columns, Options, Progress, correlations, correlations_into};

/// Columns of which some have ties and some lack observations: the kind of column i is i % 8.
fn values(random: &mut Random, columns: usize, observations: usize) -> Vec<f64> {
    let mut all = Vec::new();
    for column in 0..columns {
        for _ in 0..observations {
            let value = match column % 4 {
                0 => random.real(),
                1 => random.below(4) as f64,
                2 => random.below(observations.max(1)) as f64 - 3.0,
                _ => f64::NEG_INFINITY,
            };
            let missing = column % 8 > 3 && random.below(5) == 0;
            all.push(if missing { f64::NAN } else { value });
        }
    }
    all
}

/// Concordant less discordant pairs, over the root of the product of the numbers of pairs untied in each column.
fn tau(x: &[f64], y: &[f64]) -> f64 {
    let both: Vec<(f64, f64)> =
        x.iter().copied().zip(y.iter().copied()).filter(|(a, b)| !a.is_nan() && !b.is_nan()).collect();
    let (mut balance, mut in_x, mut in_y) = (0_i64, 0_i64, 0_i64);
    let sign = |a: f64, b: f64| i64::from(a > b) - i64::from(a < b);
    for (i, one) in both.iter().enumerate() {
        for other in &both[..i] {
            let (first, second) = (sign(one.0, other.0), sign(one.1, other.1));
            balance += first * second;
            in_x += first.abs();
            in_y += second.abs();
        }
    }
    balance as f64 / ((in_x * in_y) as f64).sqrt()
}

fn close(found: f64, expected: f64) -> bool {
    (found.is_nan() && expected.is_nan()) || (found - expected).abs() <= 1e-12
}

fn backends() -> Vec<Backend> {
    let strategies = ["bits", "pairs", "partition"];
    let all =
        strategies.iter().flat_map(|strategy| backends::instruction_sets().iter().map(move |set| (strategy, set)));
    let names = all.filter(|(_, set)| wkendall::instruction_sets().contains(&(**set).to_owned()));
    names.map(|(strategy, set)| format!("{strategy}-{set}").parse().unwrap()).collect()
}

#[test]
fn every_backend_gives_the_definition() {
    for observations in (0..20).chain([63, 64, 65, 130, 200]) {
        let mut random = Random(observations as u64 + 1);
        let values = values(&mut random, 18, observations);
        let x = Columns::from_values(18, observations, &values).unwrap();
        let column = |index: usize| &values[index * observations..(index + 1) * observations];
        for backend in backends() {
            for (threads, tile) in [(1, None), (2, Some(1)), (3, Some(5))] {
                let options = Options { backend, tile, threads: Some(threads), ..Options::default() };
                let found = correlations(&x, None, 1, None, options).unwrap();
                assert!(found.pvalue.is_none());
                for (index, &value) in found.statistic.iter().enumerate() {
                    let expected = tau(column(index / 18), column(index % 18));
                    assert!(close(value, expected), "{observations}, {backend:?}: {value} is not {expected}");
                }
            }
        }
    }
}

#[test]
fn columns_without_missing_values() {
    for observations in (0..12).chain([64, 150]) {
        let mut random = Random(7);
        let all: Vec<f64> = (0..6).flat_map(|_| values(&mut random, 3, observations)).collect();
        let x = Columns::from_values(18, observations, &all).unwrap();
        let column = |index: usize| &all[index * observations..(index + 1) * observations];
        for alternative in [None, Some(Alternative::Less)] {
            let found = correlations(&x, Some(&x.clone()), 1, alternative, Options::default()).unwrap();
            for (index, &value) in found.statistic.iter().enumerate() {
                assert!(close(value, tau(column(index / 18), column(index % 18))));
            }
            assert_eq!(found.pvalue.is_some(), alternative.is_some());
        }
    }
}

#[test]
fn whole_numbers_beyond_doubles_keep_their_order() {
    let large = [i64::MAX - 2, i64::MAX - 1, i64::MAX];
    let x = Columns::from_values(2, 3, &[large, [1, 3, 2]].concat()).unwrap();
    assert_eq!(correlations(&x, None, 1, None, Options::default()).unwrap().statistic[1], 1.0 / 3.0);
}

#[test]
fn exact_pvalues_are_shares_of_all_orders() {
    for observations in 2..7 {
        let all = permutations(observations);
        let (y, x) = (all.concat(), (1..=observations as i64).collect::<Vec<_>>());
        let y = Columns::from_values(all.len(), observations, &y).unwrap();
        let x = Columns::from_values(1, observations, &x).unwrap();
        let found = |alternative| correlations(&x, Some(&y), 1, Some(alternative), Options::default()).unwrap();
        let taus = found(Alternative::Greater).statistic;
        let share = |at_least: &dyn Fn(f64) -> bool| {
            taus.iter().filter(|&&tau| at_least(tau)).count() as f64 / taus.len() as f64
        };
        let greater = found(Alternative::Greater).pvalue.unwrap();
        let less = found(Alternative::Less).pvalue.unwrap();
        let both = found(Alternative::TwoSided).pvalue.unwrap();
        for (index, &tau) in taus.iter().enumerate() {
            assert!(close(greater[index], share(&|other| other >= tau - 1e-9)));
            assert!(close(less[index], share(&|other| other <= tau + 1e-9)));
            assert!(close(both[index], share(&|other| other.abs() >= tau.abs() - 1e-9)));
        }
    }
}

#[test]
fn too_few_common_observations_give_nan() {
    let none = f64::NAN;
    let x = Columns::from_values(2, 4, &[1.0, 2.0, 3.0, none, none, 1.0, 2.0, 3.0]).unwrap();
    for least in 0..5 {
        let found = correlations(&x, None, least, Some(Alternative::TwoSided), Options::default()).unwrap();
        let is_nan: Vec<bool> = found.statistic.iter().map(|value| value.is_nan()).collect();
        assert_eq!(is_nan, [least > 3, least > 2, least > 2, least > 3]);
        assert_eq!(is_nan, found.pvalue.unwrap().iter().map(|value| value.is_nan()).collect::<Vec<_>>());
    }
}

#[test]
fn progress_never_goes_back() {
    let mut random = Random(4);
    let values: Vec<f64> = (0..300 * 800).map(|_| random.below(40) as f64).collect();
    let x = Columns::from_values(300, 800, &values).unwrap();
    let mut seen = Vec::new();
    let mut watch = |progress: Progress| {
        seen.push(progress);
        ControlFlow::Continue(())
    };
    let mut out = (vec![0.0; 300 * 300], vec![0.0; 300 * 300]);
    let options = Options { watch: Some(&mut watch), ..Options::default() };
    let test = Some((Alternative::TwoSided, &mut out.1[..]));
    correlations_into(&x, None, 1, &mut out.0, test, options).unwrap();
    assert!(seen.windows(2).all(|two| two[0].done <= two[1].done), "{seen:?}");
    assert!(seen.last().is_some_and(|last| last.done == last.total));
}
