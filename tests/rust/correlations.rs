//! Kendall's tau-b of columns against its definition, for every strategy and instruction set.

mod backends;
mod naive;

use std::ops::ControlFlow;

use naive::{Random, permutations};
use wkendall::{
    Alternative, Backend, Coefficient, Columns, CorrelationSettings, Correlations, Error, Options, Progress,
    correlations_at_least, correlations_of,
};

/// Tau-b, for at least `least` common observations.
fn correlations(
    x: &Columns,
    y: Option<&Columns>,
    least: usize,
    alternative: Option<Alternative>,
    options: Options<'_>,
) -> Result<Correlations, Error> {
    let settings = CorrelationSettings { least, alternative, ..CorrelationSettings::default() };
    wkendall::correlations(x, y, &settings, options)
}

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

const COEFFICIENTS: [Coefficient; 6] = [
    Coefficient::TauA,
    Coefficient::TauB,
    Coefficient::TauC,
    Coefficient::Gamma,
    Coefficient::Somers,
    Coefficient::Spearman,
];

fn sign(a: f64, b: f64) -> f64 {
    f64::from(a > b) - f64::from(a < b)
}

/// A coefficient by its definition, with weights.
fn definition(coefficient: Coefficient, x: &[f64], y: &[f64], w: &[f64]) -> f64 {
    let all: Vec<[f64; 3]> = (0..x.len()).map(|i| [x[i], y[i], w[i]]).collect();
    let all: Vec<[f64; 3]> = all.into_iter().filter(|[x, y, w]| !x.is_nan() && !y.is_nan() && *w > 0.0).collect();
    let (mut s, mut of_x, mut of_y, mut both, mut pairs) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let (mut rq, mut rr, mut qq) = (0.0, 0.0, 0.0);
    for one in &all {
        let (mut r, mut q) = (0.0, 0.0);
        for other in &all {
            let (first, second) = (sign(one[0], other[0]), sign(one[1], other[1]));
            let weight = one[2] * other[2];
            s += weight * first * second;
            of_x += weight * first.abs();
            of_y += weight * second.abs();
            both += weight * (first * second).abs();
            pairs += weight;
            r += other[2] * first;
            q += other[2] * second;
        }
        rq += one[2] * r * q;
        rr += one[2] * r * r;
        qq += one[2] * q * q;
    }
    let distinct = |column: usize| {
        let mut values: Vec<f64> = all.iter().map(|one| one[column]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values.len() as f64
    };
    let levels = distinct(0).min(distinct(1));
    let own: f64 = all.iter().map(|one| one[2] * one[2]).sum();
    if of_x == 0.0 || of_y == 0.0 {
        return f64::NAN;
    }
    match coefficient {
        Coefficient::TauA => s / (pairs - own),
        Coefficient::TauB => s / (of_x * of_y).sqrt(),
        Coefficient::TauC => s * levels / (pairs * (levels - 1.0)),
        Coefficient::Gamma => s / both,
        Coefficient::Somers => s / of_x,
        _ => rq / (rr * qq).sqrt(),
    }
}

#[test]
fn every_coefficient_is_its_definition() {
    for observations in (0..9).chain([30, 70]) {
        let mut random = Random(observations as u64 + 5);
        let values = values(&mut random, 9, observations);
        let x = Columns::from_values(9, observations, &values).unwrap();
        let column = |index: usize| &values[index * observations..(index + 1) * observations];
        let ones = vec![1.0; observations];
        let weights: Vec<f64> = (0..observations).map(|_| random.below(3) as f64 * random.real().abs()).collect();
        let pairs: Vec<(usize, usize)> = (0..81).map(|place| (place / 9, place % 9)).collect();
        for coefficient in COEFFICIENTS {
            for w in [None, Some(&weights[..])] {
                for confidence in [None, Some(0.9)] {
                    let settings =
                        CorrelationSettings { coefficient, weights: w, confidence, ..CorrelationSettings::default() };
                    let found = wkendall::correlations(&x, None, &settings, Options::default()).unwrap();
                    let again = correlations_of(&x, None, &pairs, &settings, Options::default()).unwrap();
                    for (index, &value) in found.statistic.iter().enumerate() {
                        let (i, j) = pairs[index];
                        let expected = definition(coefficient, column(i), column(j), w.unwrap_or(&ones));
                        assert!(close(value, expected), "{coefficient:?}, {observations}: {value} is not {expected}");
                        assert!(close(again.statistic[index], value));
                        if let (Some(low), Some(high)) = (&found.low, &found.high) {
                            let inside = low[index] <= value + 1e-12 && value <= high[index] + 1e-12;
                            assert!(value.is_nan() || inside || observations < 9 && low[index].is_nan());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn sparse_columns_have_the_values_of_dense_ones() {
    for (observations, share) in [(0, 2), (1, 2), (2, 2), (5, 2), (30, 3), (60, 50), (300, 2), (300, 1)] {
        let mut random = Random(observations as u64 + 9);
        let number = |_| if random.below(share) == 0 { random.below(7) as f64 - 2.0 } else { 0.0 };
        let values: Vec<f64> = (0..8 * observations).map(number).collect();
        let (mut starts, mut rows, mut stored) = (vec![0], Vec::new(), Vec::new());
        for column in 0..8 {
            for row in 0..observations {
                let value = values[column * observations + row];
                // Some zeros are stored.
                if value != 0.0 || row % 5 == 0 {
                    rows.push(row);
                    stored.push(value);
                }
            }
            starts.push(rows.len());
        }
        let sparse = Columns::from_sparse(observations, &starts, &rows, &stored).unwrap();
        let dense = Columns::from_values(8, observations, &values).unwrap();
        for coefficient in COEFFICIENTS {
            for (alternative, confidence) in [(None, None), (Some(Alternative::Less), None), (None, Some(0.5))] {
                let settings =
                    CorrelationSettings { coefficient, alternative, confidence, ..CorrelationSettings::default() };
                let of = |columns| wkendall::correlations(columns, None, &settings, Options::default()).unwrap();
                let (one, two) = (of(&sparse), of(&dense));
                let parts = |found: Correlations| {
                    [Some(found.statistic), found.pvalue, found.low, found.high].into_iter().flatten().flatten()
                };
                for (value, expected) in parts(one).zip(parts(two)) {
                    assert!(close(value, expected), "{coefficient:?}, {observations}: {value} is not {expected}");
                }
            }
        }
    }
}

#[test]
fn large_correlations_are_those_of_the_matrix() {
    let mut random = Random(2);
    let values: Vec<f64> = (0..20 * 9).map(|_| random.below(30) as f64).collect();
    let x = Columns::from_values(20, 9, &values).unwrap();
    for coefficient in COEFFICIENTS {
        let settings = CorrelationSettings { coefficient, ..CorrelationSettings::default() };
        let whole = wkendall::correlations(&x, None, &settings, Options::default()).unwrap().statistic;
        for limit in [0.0, 0.3, 0.9, 2.0] {
            let (pairs, found) = correlations_at_least(&x, None, limit, &settings, Options::default()).unwrap();
            let all = (0..20).flat_map(|row| (row + 1..20).map(move |column| (row, column)));
            let expected: Vec<_> = all.filter(|(i, j)| whole[i * 20 + j].abs() >= limit).collect();
            assert_eq!(pairs, expected);
            assert!(pairs.iter().zip(found).all(|(&(i, j), value)| close(value, whole[i * 20 + j])));
        }
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
    let options = Options { watch: Some(&mut watch), ..Options::default() };
    correlations(&x, None, 1, Some(Alternative::TwoSided), options).unwrap();
    assert!(seen.windows(2).all(|two| two[0].done <= two[1].done), "{seen:?}");
    assert!(seen.last().is_some_and(|last| last.done == last.total));
}
