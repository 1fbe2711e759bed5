//! Every strategy on every instruction set that this machine has, at sizes around the widths of registers, words and
//! groups of rankings: few and small, so that they can be run under valgrind, which takes some fifty times as long.

mod backends;
mod naive;

use naive::Random;
use wkendall::{
    Element, Error, Factor, Incomplete, Measure, Missing, Options, Rankings, Weight, gram_into, instruction_sets,
};

/// Numbers of items, and of rankings on both sides: rankings are taken by 24 or 48, bits by 64, numbers by 4, 8 or 16.
const SIZES: [(usize, usize, usize); 14] = [
    (0, 2, 1),
    (1, 3, 2),
    (2, 1, 9),
    (3, 2, 5),
    (4, 5, 1),
    (5, 2, 3),
    (7, 3, 25),
    (8, 1, 49),
    (9, 2, 24),
    (16, 2, 3),
    (17, 1, 48),
    (31, 2, 7),
    (65, 2, 3),
    (130, 1, 2),
];

fn measures(n: usize, random: &mut Random) -> Vec<Measure> {
    let kernel = |weight: Weight| Measure::kernel(&weight, n).unwrap();
    let u: Vec<f64> = (0..n).map(|_| random.real()).collect();
    let mut all = vec![
        kernel(Weight::Standard).signed().unwrap(),
        kernel(Weight::Top(n.div_ceil(2).max(1))),
        kernel(Weight::Average),
        kernel(Weight::Add(Factor::Values(u.clone()))),
        kernel(Weight::Mult(Factor::Log)).signed().unwrap(),
        Measure::distance(n),
    ];
    for weight in [Weight::Standard, Weight::Add(Factor::Log), Weight::Mult(Factor::Values(u)), Weight::Average] {
        all.push(kernel(weight).with_order(3).unwrap());
    }
    if n < 20 {
        all.push(kernel(Weight::Matrix((0..n * n).map(|_| random.real()).collect())));
        let vectors: Vec<f64> = (0..2 * 3 * n).map(|_| random.real()).collect();
        all.push(kernel(Weight::Factors { order: 3, vectors: vectors.into() }));
    }
    all
}

/// The values on each instruction set are those of the partition algorithm; which strategies ran.
fn compare<T: Element + Into<f64>>(
    room: f64,
    run: impl Fn(&str, &mut Vec<T>) -> Result<(), Error>,
) -> Vec<&'static str> {
    let mut wanted = Vec::new();
    run("partition-portable", &mut wanted).unwrap();
    let largest = wanted.iter().fold(1.0, |largest: f64, &value| largest.max(value.into().abs()));
    let mut ran = Vec::new();
    for &strategy in backends::strategies() {
        for level in instruction_sets() {
            let mut found = Vec::new();
            match run(&format!("{strategy}-{level}"), &mut found) {
                Ok(()) => ran.push(strategy),
                Err(Error::CannotCompute { .. }) => continue,
                Err(error) => panic!("{error}"),
            }
            for (&found, &wanted) in found.iter().zip(&wanted) {
                let (found, wanted): (f64, f64) = (found.into(), wanted.into());
                assert!((found - wanted).abs() <= room * largest, "{strategy}-{level}: {found} {wanted}");
            }
        }
    }
    ran
}

fn complete<T: Element + Into<f64>>(room: f64) {
    let mut random = Random(1);
    let mut ran = Vec::new();
    for (n, m, m2) in SIZES {
        let x = Rankings::from_ranks(m, n, &random.rankings(m, n)).unwrap();
        let y = Rankings::from_ranks(m2, n, &random.rankings(m2, n)).unwrap();
        for measure in measures(n, &mut random) {
            ran.extend(compare::<T>(room, |backend, out| {
                // Exactly as long as the result, so that a value beyond it is one beyond the allocation.
                *out = vec![T::default(); m * m2];
                let backend = backend.parse()?;
                gram_into(&measure, &x, Some(&y), out, Options { backend, threads: Some(1), ..Options::default() })
            }));
        }
    }
    assert!(backends::strategies().iter().all(|strategy| ran.contains(strategy)));
}

#[test]
fn complete_rankings() {
    println!("instruction sets: {}", instruction_sets().join(", "));
    complete::<f64>(1e-12);
}

#[test]
fn complete_rankings_in_single_precision() {
    complete::<f32>(1e-4);
}

#[test]
fn incomplete_rankings() {
    let mut random = Random(2);
    let mut ran = Vec::new();
    for (n, m, m2) in SIZES {
        let mut rows = |count: usize| -> Vec<f64> {
            let number = |value: usize| if value == 0 { f64::NAN } else { value as f64 };
            (0..count * n).map(|_| number(random.below(9))).collect()
        };
        let x = Incomplete::from_ranks(m, n, &rows(m), Missing::Bottom).unwrap();
        let y = Incomplete::from_scores(m2, n, &rows(m2), Missing::Bottom).unwrap();
        for weight in [Weight::Standard, Weight::Average, Weight::Add(Factor::Log), Weight::Mult(Factor::Hyperbolic)] {
            let kernel = Measure::kernel(&weight, n).unwrap();
            for measure in [kernel.clone(), kernel.signed().unwrap().normalized()] {
                ran.extend(compare::<f64>(1e-12, |backend, out| {
                    *out = vec![0.0; m * m2];
                    let options = Options { backend: backend.parse()?, threads: Some(1), ..Options::default() };
                    gram_into(&measure, &x, Some(&y), out, options)
                }));
            }
        }
    }
    assert!(["product", "pairs", "partition"].iter().all(|strategy| ran.contains(strategy)));
}
