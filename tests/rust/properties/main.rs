//! What must hold for every Gram matrix, for random rankings and kernels, every strategy and every instruction set.
//!
//! A normal run takes the same few cases each time. `WKENDALL_EXAMPLES` is how many new ones to take instead for each
//! property.

#[path = "../backends/mod.rs"]
mod all_backends;
mod cases;
#[path = "../naive/mod.rs"]
mod naive;

use std::collections::HashSet;
use std::sync::Mutex;

use cases::{Case, Sum, cases};
use naive::Naive;
use naive::blocks::Value;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use wkendall::{Measure, Weight, instruction_sets};

/// A self-similarity of at most 1e-12 of the size of its terms is 0. Rounding decides between these.
const SURELY_ZERO: f64 = 5e-13;
const SURELY_POSITIVE: f64 = 2e-12;

fn backends() -> Vec<String> {
    let sets = instruction_sets();
    let named = all_backends::strategies()
        .iter()
        .flat_map(|strategy| sets.iter().map(move |level| format!("{strategy}-{level}")));
    named.chain(sets.iter().cloned()).collect()
}

/// Runs a property on the same few cases, or on as many new ones as the environment asks for.
fn check(property: impl Fn(Case)) {
    let wanted = std::env::var("WKENDALL_EXAMPLES").ok().and_then(|value| value.parse().ok());
    let config = ProptestConfig {
        cases: wanted.unwrap_or(150),
        rng_seed: if wanted.is_some() { RngSeed::Random } else { RngSeed::Fixed(1) },
        failure_persistence: None,
        max_global_rejects: u32::MAX,
        max_local_rejects: u32::MAX,
        ..ProptestConfig::default()
    };
    let begin = std::time::Instant::now();
    let count = config.cases;
    TestRunner::new(config)
        .run(&cases(), |case| {
            property(case);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{count} cases in {:.1} s", begin.elapsed().as_secs_f64());
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Compares the value for two rows with the definition.
fn check_value(case: &Case, wanted: &[Value], found: f64, p: usize, q: usize, single: bool) {
    let m = case.rows.len();
    let raw = wanted[p * m + q];
    let own = [p, q].map(|row| wanted[row * m + row]);
    let parts = own.map(|own| if own.size > 0.0 { own.value / own.size } else { 0.0 });
    let part = parts[0].min(parts[1]);
    let at = format!("{p} {q}: {found} {raw:?} {own:?}");
    if !case.normalized {
        if case.is_count() && !single {
            assert_eq!(found, raw.value, "{at}");
            return;
        }
        let order = match &case.sum {
            Sum::Named { order, .. } | Sum::Tensors { order, .. } | Sum::Factors { order, .. } => *order,
            Sum::Quadruples(_) => 2,
        };
        let underflow = 1e-300 * case.largest().max(1.0).powi(2 * order as i32);
        let rounding =
            if single { 2e-6 * own[0].value.max(own[1].value) + 1e-7 * raw.value.abs() + 1e-44 } else { 0.0 };
        let is_zero = found == 0.0 && parts[0].max(parts[1]) <= SURELY_POSITIVE;
        assert!(is_zero || (found - raw.value).abs() <= 1e-12 * raw.size + underflow + rounding, "{at}");
        return;
    }
    assert!(found.abs() <= 1.0 + 1e-9, "{at}");
    // The definition can underflow where the kernel does not.
    let in_range = own.iter().all(|own| own.size > 1e-280);
    if part <= SURELY_ZERO && in_range {
        assert_eq!(found, 0.0, "{at}");
    } else if part >= SURELY_POSITIVE && in_range {
        let unit = own[0].value.sqrt() * own[1].value.sqrt();
        let rounding = if single { 2e-6 } else { 0.0 };
        let room = 1e-12 * (raw.size / unit + 2.0 / part) + rounding;
        assert!((found - raw.value / unit).abs() <= room, "{at}");
    }
}

/// Every strategy on every instruction set gives what the definition gives, and the bits depend on neither tiles nor
/// copies.
#[test]
fn values_of_every_backend() {
    let used = Mutex::new(HashSet::new());
    check(|case| {
        let (m, wanted) = (case.rows.len(), case.wanted());
        for backend in backends() {
            let Some(values) = case.gram::<f64>(&backend, 1, None, false) else { continue };
            used.lock().unwrap().insert(backend.clone());
            for p in 0..m {
                for q in 0..=p {
                    assert_eq!(values[p * m + q].to_bits(), values[q * m + p].to_bits(), "{backend} {p} {q}");
                    check_value(&case, &wanted, values[p * m + q], p, q, false);
                }
            }
            let tiled = case.gram::<f64>(&backend, 2, Some(case.tile), false).unwrap();
            assert_eq!(bits(&values), bits(&tiled), "{backend}, tiles of {}", case.tile);
            let copied = case.gram::<f64>(&backend, 3, Some(case.tile), true).unwrap();
            assert_eq!(bits(&values), bits(&copied), "{backend}, copied, tiles of {}", case.tile);
        }
    });
    assert_eq!(used.into_inner().unwrap().len(), backends().len());
}

/// Single precision: finite, near the definition, and the bits depend on neither tiles nor copies.
#[test]
fn values_in_single_precision() {
    check(|case| {
        let (m, wanted) = (case.rows.len(), case.wanted());
        for backend in backends() {
            let Some(values) = case.gram::<f32>(&backend, 1, None, false) else { continue };
            for p in 0..m {
                for q in 0..=p {
                    assert!(values[p * m + q].is_finite());
                    check_value(&case, &wanted, values[p * m + q].into(), p, q, true);
                }
            }
            let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<u32>>();
            let tiled = case.gram::<f32>(&backend, 2, Some(case.tile), true).unwrap();
            assert_eq!(bits(values), bits(tiled), "{backend}, tiles of {}", case.tile);
        }
    });
}

/// Normalized values are finite and from -1 to 1, and the diagonal is 1, or 0 together with its row.
#[test]
fn normalized_values() {
    check(|mut case| {
        case.normalized = true;
        let m = case.rows.len();
        for backend in backends() {
            let Some(values) = case.gram::<f64>(&backend, 1, None, false) else { continue };
            for (row, values) in values.chunks_exact(m.max(1)).enumerate() {
                assert!(values.iter().all(|value| value.abs() <= 1.0 + 1e-9), "{backend} {values:?}");
                let zero = values.iter().all(|&value| value == 0.0);
                assert!(zero || (values[row] - 1.0).abs() <= 1e-9, "{backend} {row} {values:?}");
            }
        }
    });
}

/// Enough work for several threads: the rankings of the case with their items shuffled in many ways.
#[test]
fn any_number_of_threads() {
    let chosen = Mutex::new(naive::Random(1));
    check(|mut case| {
        let mut random = chosen.lock().unwrap();
        if case.rows.is_empty() || case.items < 2 || random.below(4) > 0 {
            return;
        }
        let rows = 48 + random.below(30);
        case.rows = (0..rows)
            .map(|row| {
                let order = random.ranks(case.items);
                let old = &case.rows[row % case.rows.len()];
                order.iter().map(|&item| old[item as usize - 1]).collect()
            })
            .collect();
        for strategy in all_backends::strategies() {
            let Some(one) = case.gram::<f64>(strategy, 1, None, false) else { continue };
            for threads in [2, 3] {
                let more = case.gram::<f64>(strategy, threads, None, threads == 3).unwrap();
                assert_eq!(bits(&one), bits(&more), "{strategy}, {threads} threads");
            }
        }
    });
}

/// Relabelling the items changes nothing for one pair at a time, and counts not at all; other sums stay within the
/// bound.
#[test]
fn relabelling() {
    let chosen = Mutex::new(naive::Random(2));
    check(|case| {
        let order = chosen.lock().unwrap().ranks(case.items);
        let relabel = |row: &Vec<f64>| order.iter().map(|&item| row[item as usize - 1]).collect();
        let other = Case { rows: case.rows.iter().map(relabel).collect(), ..case.clone() };
        let (m, wanted) = (case.rows.len(), case.wanted());
        for backend in backends() {
            let Some(values) = case.gram::<f64>(&backend, 1, None, false) else { continue };
            let relabelled = other.gram::<f64>(&backend, 1, None, false).unwrap();
            let by_pair = !case.incomplete && (backend.starts_with("pairs") || backend.starts_with("partition"));
            if by_pair || case.is_count() {
                assert_eq!(bits(&values), bits(&relabelled), "{backend}");
            }
            for (index, &value) in relabelled.iter().enumerate() {
                check_value(&case, &wanted, value, index / m, index % m, false);
            }
        }
    });
}

/// The distance and the Mallows kernel follow from the standard kernel.
#[test]
fn distance_and_mallows() {
    check(|case| {
        if case.incomplete {
            return;
        }
        let n = case.items;
        let pairs = (n * n.saturating_sub(1) / 2) as f64;
        let standard = Sum::Named { weight: Naive::Standard, order: 2, signed: false };
        let case = Case { sum: standard, normalized: false, ..case };
        let concordant = case.gram::<f64>("partition", 1, None, false).unwrap();
        let x = wkendall::Rankings::from_ranks(case.rows.len(), n, &case.rows.concat()).unwrap();
        for backend in backends() {
            let backend = || wkendall::Options { backend: backend.parse().unwrap(), ..wkendall::Options::default() };
            let Ok(distance) = wkendall::gram(&Measure::distance(n), &x, None, backend()) else { continue };
            let mallows = wkendall::gram(&Measure::mallows(n, 0.1).unwrap(), &x, None, backend()).unwrap();
            let signed = Measure::kernel(&Weight::Standard, n).unwrap().signed().unwrap();
            let signed = wkendall::gram(&signed, &x, None, backend()).unwrap();
            for (index, &count) in concordant.iter().enumerate() {
                assert_eq!(distance[index], pairs - count);
                assert_eq!(signed[index], 2.0 * count - pairs);
                assert!((mallows[index] - (-0.1 * distance[index]).exp()).abs() <= 1e-15);
            }
        }
    });
}
