//! Every measure of one pair against its definition.

mod naive;

use naive::blocks::mean;
use naive::{Random, permutations, weights};
use wkendall::{FACTORS, Factor, Measure, Needs, Parameters, Rankings, WEIGHTS, Weight, Workspace};

fn ranks(values: &[i64]) -> Rankings {
    Rankings::from_ranks(1, values.len(), values).unwrap()
}

/// Checks every weight, plain, signed and as a correlation, for one pair of rankings.
fn check(s: &[i64], t: &[i64], random: &mut Random, workspace: &mut Workspace) {
    let n = s.len();
    let (x, y) = (ranks(s), ranks(t));
    let numbers = [s, t].map(|ranks| ranks.iter().map(|&rank| rank as f64).collect::<Vec<f64>>());
    for naive in weights(n, random) {
        let [plain, signed] = [false, true].map(|signed| mean(&naive, signed, &numbers[0], &numbers[1]));
        let kernel = Measure::kernel(&naive.weight(), n).unwrap();
        let mut between =
            |measure: &Measure, s: &Rankings, t: &Rankings| measure.between(s.row(0), t.row(0), workspace).unwrap();
        for (measure, expected) in [(kernel.clone(), &plain), (kernel.clone().signed().unwrap(), &signed)] {
            let value = between(&measure, &x, &y);
            // The promise for weighted sums; counts are exact.
            let room = if naive.is_count() { 0.0 } else { 1e-12 * expected.size };
            assert!((value - expected.value).abs() <= room, "{measure:?} {s:?} {t:?} {value}");
        }
        let both = 2.0 * plain.value - signed.value;
        let value = between(&Measure::correlation(&naive.weight(), n).unwrap(), &x, &y);
        if both == 0.0 {
            assert_eq!(value, 0.0, "{naive:?} {s:?} {t:?}");
        } else if both > 0.01 * signed.size {
            assert!((value - signed.value / both).abs() < 1e-9, "correlation {naive:?} {s:?} {t:?} {value}");
        }
        let [forward, backward] = [between(&kernel, &x, &y), between(&kernel, &y, &x)].map(f64::to_bits);
        assert_eq!(forward, backward, "symmetric to the bit: {naive:?} {s:?} {t:?}");
    }
}

#[test]
fn every_n_up_to_40_and_some_more() {
    let mut random = Random(1);
    let mut workspace = Workspace::default();
    for n in (0..=40).chain([64, 129]) {
        for _ in 0..6 {
            let (s, t) = (random.ranks(n), random.ranks(n));
            check(&s, &t, &mut random, &mut workspace);
        }
        let sorted: Vec<i64> = (1..=n as i64).collect();
        let reversed: Vec<i64> = sorted.iter().rev().copied().collect();
        check(&sorted, &sorted, &mut random, &mut workspace);
        check(&sorted, &reversed, &mut random, &mut workspace);
    }
}

#[test]
fn all_permutations_of_few_items() {
    let mut random = Random(3);
    let mut workspace = Workspace::default();
    for n in 0..=5 {
        let identity: Vec<i64> = (1..=n as i64).collect();
        for permutation in permutations(n) {
            check(&identity, &permutation, &mut random, &mut workspace);
        }
    }
}

#[test]
fn kappa_is_the_kernel_with_the_identity() {
    let mut random = Random(7);
    let mut workspace = Workspace::default();
    for n in 0..=30 {
        let identity: Vec<i64> = (1..=n as i64).collect();
        let pi = ranks(&random.ranks(n));
        for naive in weights(n, &mut random) {
            let kernel = Measure::kernel(&naive.weight(), n).unwrap();
            let kappa = kernel.kappa(pi.row(0), &mut workspace).unwrap();
            let value = kernel.between(ranks(&identity).row(0), pi.row(0), &mut workspace).unwrap();
            let inverse = kernel.kappa(pi.clone().inverse().row(0), &mut workspace).unwrap();
            assert_eq!(kappa.to_bits(), value.to_bits());
            assert_eq!(kappa.to_bits(), inverse.to_bits());
        }
    }
}

#[test]
fn normalized_is_one_for_equal_rankings_and_zero_without_self_similarity() {
    let mut random = Random(9);
    let mut workspace = Workspace::default();
    for n in 0..=40 {
        let x = ranks(&random.ranks(n));
        for naive in weights(n, &mut random) {
            let kernel = Measure::kernel(&naive.weight(), n).unwrap();
            let own = kernel.between(x.row(0), x.row(0), &mut workspace).unwrap();
            assert_eq!(own.to_bits(), kernel.self_similarity().to_bits());
            let expected = if own == 0.0 { 0.0 } else { 1.0 };
            for measure in [kernel.clone().normalized(), kernel.signed().unwrap().normalized()] {
                assert_eq!(measure.between(x.row(0), x.row(0), &mut workspace).unwrap(), expected, "{naive:?}");
            }
        }
    }
}

#[test]
fn a_million_items_in_any_arrangement() {
    let n = 1_000_000i64;
    let pairs = (n * (n - 1) / 2) as f64;
    let mut workspace = Workspace::new(n as usize);
    let mut count = |ranks: Vec<i64>| {
        let pi = Rankings::from_ranks(1, n as usize, &ranks).unwrap();
        Measure::kernel(&Weight::Standard, n as usize).unwrap().kappa(pi.row(0), &mut workspace).unwrap()
    };
    assert_eq!(count((1..=n).collect()), pairs);
    assert_eq!(count((1..=n).rev().collect()), 0.0);
    // Odd numbers up, then even numbers down: a value before the peak is below all later odd ones and the larger even
    // ones.
    let pipe: Vec<i64> = (1..=n).step_by(2).chain((2..=n).rev().step_by(2)).collect();
    let half = (n / 2) as f64;
    assert_eq!(count(pipe), half * (half - 1.0) / 2.0 + half * (half + 1.0) / 2.0);
}

#[test]
fn builders_in_any_order_give_the_same_value() {
    let (s, t) = (ranks(&[1, 2, 3, 4]), ranks(&[2, 1, 4, 3]));
    // Of the six pairs four are concordant; of the four triples none is.
    let kernel = || Measure::kernel(&Weight::Standard, 4).unwrap();
    let (mallows, tau) = (Measure::mallows(4, 0.5).unwrap(), Measure::correlation(&Weight::Standard, 4).unwrap());
    for (what, measure, expected) in [
        ("kernel", kernel(), 4.0),
        ("of order 2", kernel().with_order(2).unwrap(), 4.0),
        ("back to order 2", kernel().with_order(3).unwrap().with_order(2).unwrap(), 4.0),
        ("signed", kernel().signed().unwrap(), 2.0),
        ("signed twice", kernel().signed().unwrap().signed().unwrap(), 2.0),
        ("signed of order 2", kernel().signed().unwrap().with_order(2).unwrap(), 2.0),
        ("distance of order 2", Measure::distance(4).with_order(2).unwrap(), 2.0),
        ("of order 2, signed", kernel().with_order(2).unwrap().signed().unwrap(), 2.0),
        ("normalized", kernel().normalized(), 4.0 / 6.0),
        ("normalized twice", kernel().normalized().normalized(), 4.0 / 6.0),
        ("signed, normalized", kernel().signed().unwrap().normalized(), 2.0 / 6.0),
        ("normalized, signed", kernel().normalized().signed().unwrap(), 2.0 / 6.0),
        ("tau of order 2", kernel().signed().unwrap().normalized().with_order(2).unwrap(), 2.0 / 6.0),
        ("of order 1, normalized", kernel().with_order(1).unwrap().normalized(), 1.0),
        ("normalized, of order 1", kernel().normalized().with_order(1).unwrap(), 1.0),
        ("triples", kernel().normalized().with_order(3).unwrap(), 0.0),
        ("distance", Measure::distance(4), 2.0),
        ("Mallows", mallows.clone(), (-1.0_f64).exp()),
        ("Mallows, normalized", mallows.normalized(), (-1.0_f64).exp()),
        ("correlation", tau.clone(), 2.0 / 6.0),
        ("correlation, normalized", tau.normalized(), 2.0 / 6.0),
    ] {
        assert_eq!(measure.between(s.row(0), t.row(0), &mut Workspace::new(4)).unwrap(), expected, "{what}");
    }
}

#[test]
fn measures_by_name() {
    let none = Parameters::new;
    let named = |name: &str, parameters: Parameters| Measure::from_parameters(name, 4, &parameters).unwrap();
    let kernel = |weight| Measure::kernel(&weight, 4).unwrap();
    let u = vec![4.0, 3.0, 2.0, 1.0];
    assert_eq!(named("kendall", none()), kernel(Weight::Standard));
    for weight in WEIGHTS {
        let parameters = none().with("weight", weight.name);
        let (parameters, expected) = match weight.needs {
            Needs::Nothing(make) => (parameters, make()),
            Needs::K(make) => (parameters.with("k", 2), make(2)),
            Needs::U(make) => (parameters.with("u", u.clone()), make(Factor::Values(u.clone()))),
            _ => unreachable!(),
        };
        let correlation = Measure::correlation(&expected, 4).unwrap();
        assert_eq!(named("correlation", parameters.clone()), correlation);
        if !matches!(expected, Weight::Later(_)) {
            let of_order = named("kendall", parameters.clone().with("order", 3));
            assert_eq!(of_order, kernel(expected.clone()).with_order(3).unwrap());
        }
        assert_eq!(
            named("kendall", parameters.clone().with("signed", true)),
            kernel(expected.clone()).signed().unwrap()
        );
        assert_eq!(named("kendall", parameters.with("normalize", true)), kernel(expected).normalized());
    }
    for (name, factor) in FACTORS {
        let parameters = none().with("weight", "add").with("u", name);
        assert_eq!(named("kendall", parameters), kernel(Weight::Add(factor)));
    }
    let huge = none().with("weight", "mult").with("u", vec![4e200; 4]).with("normalize", true);
    assert_eq!(named("kendall", huge).self_similarity(), 1.0);
    assert_eq!(named("distance", none()), Measure::distance(4));
    assert_eq!(named("mallows", none().with("lam", 2)), Measure::mallows(4, 2.0).unwrap());
    assert_eq!(named("mallows", none()), Measure::mallows(4, 1.0).unwrap());
    // 2 divided by the mean distance of two rankings, n (n - 1) / 4; 1 where that is 0.
    for (items, rate) in [(0, 1.0), (1, 1.0), (2, 4.0), (4, 2.0 / 3.0), (2000, 8.0 / (2000.0 * 1999.0))] {
        let auto = Measure::from_parameters("mallows", items, &none().with("lam", "auto")).unwrap();
        assert_eq!(auto, Measure::mallows(items, rate).unwrap());
    }
    let entries: Vec<f64> = (0..16).map(f64::from).collect();
    assert_eq!(named("tensor", none().with("U", entries.clone())), kernel(Weight::Matrix(entries)));
    assert_eq!(
        named("tensor", none().with("factors", u.clone()).with("order", 1)),
        kernel(Weight::Factors { order: 1, vectors: u.into() })
    );
}
