//! Gram matrices: the same bits whatever the way they are computed.

mod backends;
mod naive;

use std::ops::ControlFlow;

use naive::Random;
use wkendall::{
    Error, Factor, Matrix, Measure, Options, Progress, Rankings, Weight, Workspace, gram, gram_matrix,
    instruction_sets, planned,
};

fn measures(n: usize) -> Vec<Measure> {
    let mut measures = naive::named_kernels(n);
    measures.extend(measures.clone().into_iter().map(Measure::normalized));
    measures.push(Measure::kernel(&Weight::Mult(Factor::Log), n).unwrap().signed().unwrap());
    measures.push(Measure::distance(n));
    measures.push(Measure::mallows(n, 0.01).unwrap());
    measures
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Every strategy on every instruction set that this machine has, on every small n and those around the sizes of words
/// and blocks.
#[test]
fn all_backends_agree() {
    let mut random = Random(5);
    let mut used = std::collections::HashSet::new();
    for n in (0..=40).chain([63, 64, 65, 66, 97, 127, 128, 129, 200, 257]) {
        let (m, m2) = (1 + random.below(12), 1 + random.below(35));
        let x = Rankings::from_ranks(m, n, &random.rankings(m, n)).unwrap();
        // Some pairs are equal and some reversed, where sums vanish.
        let mut other = random.rankings(m2, n);
        for (i, &rank) in x.row(0).ranks().iter().enumerate() {
            other[i] = i64::from(rank) + 1;
            if m2 > 1 {
                other[n + i] = n as i64 - i64::from(rank);
            }
        }
        let y = Rankings::from_ranks(m2, n, &other).unwrap();
        let mut workspace = Workspace::new(n);
        for measure in all_measures(n, &mut random) {
            for &strategy in backends::strategies() {
                for &level in backends::instruction_sets() {
                    let backend = format!("{strategy}-{level}").parse().unwrap();
                    let run = |y| gram(&measure, &x, y, Options { backend, threads: Some(1), ..Options::default() });
                    match run(Some(&y)) {
                        Ok(values) => {
                            used.insert((strategy, level));
                            check_block(&measure, &x, &y, &values, strategy, &mut workspace);
                            let square = run(None).unwrap();
                            assert_eq!(bits(&square), bits(&run(Some(&x.clone())).unwrap()), "{strategy}-{level}");
                        }
                        Err(Error::MissingInstructions { .. } | Error::CannotCompute { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        }
    }
    for &strategy in backends::strategies() {
        for level in instruction_sets() {
            assert!(used.contains(&(strategy, level.as_str())), "{strategy}-{level}");
        }
    }
}

/// Otherwise the tests would pass on Arm without having tried its instructions.
#[cfg(all(target_arch = "aarch64", target_endian = "little", not(wkendall_portable)))]
#[test]
fn every_64_bit_arm_cpu_has_neon() {
    assert_eq!(instruction_sets(), ["portable", "neon"]);
}

/// Every number of splits and halvings of the pairs strategy, and blocks of bits that hold one item or less.
#[test]
fn many_items() {
    let mut random = Random(7);
    for n in [1000, 3072, 3073, 5000, 8192, 8193, 20_000, 24_576, 24_577, 70_000] {
        let x = Rankings::from_ranks(2, n, &random.rankings(2, n)).unwrap();
        let mut workspace = Workspace::new(n);
        for measure in measures(n) {
            let wanted = measure.between(x.row(0), x.row(1), &mut workspace).unwrap();
            for strategy in ["bits", "pairs"] {
                for &level in backends::instruction_sets() {
                    if strategy == "bits" && level == "portable" && n > 5000 {
                        continue; // seconds
                    }
                    let backend = format!("{strategy}-{level}").parse().unwrap();
                    match gram(&measure, &x, None, Options { backend, ..Options::default() }) {
                        Ok(values) => {
                            let room = if is_count(&measure) { 0.0 } else { 1e-12 * measure.self_similarity() };
                            let name = format!("{strategy}-{level} n = {n}");
                            assert!((values[1] - wanted).abs() <= room, "{name}: {} {wanted}", values[1]);
                            assert!((values[0] - measure.self_similarity()).abs() <= room, "{name}: {}", values[0]);
                        }
                        Err(Error::MissingInstructions { .. } | Error::CannotCompute { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        }
    }
}

/// A top-k kernel of all items is the standard kernel, also where bits of 16 just hold the ranks.
#[test]
fn the_top_of_all_items_and_nearly_all_is_exact_around_65_536_items() {
    let pairs = |count: usize| (count * count.saturating_sub(1) / 2) as f64;
    for n in [65_535, 65_536, 65_537] {
        let turn = 1000;
        let rotated = (0..n).map(|item| (item + turn) % n);
        let x = Rankings::from_ranks(2, n, &(0..n).chain(rotated).collect::<Vec<_>>()).unwrap();
        for k in [n - 1, n] {
            // Of the items in both tops, those before the turn stay behind those after it.
            let both = pairs(k - turn) + pairs(k - (n - turn));
            let kernel = Measure::kernel(&Weight::Top(k), n).unwrap();
            for name in ["bits", "pairs", "partition"] {
                let options = Options { backend: name.parse().unwrap(), ..Options::default() };
                let found = gram(&kernel, &x, None, options);
                if name == "bits" && n > 65_536 {
                    assert_eq!(found, Err(Error::CannotCompute { name: "bits".to_owned() }));
                } else {
                    assert_eq!(found.unwrap(), [pairs(k), both, both, pairs(k)], "{name}, n = {n}, k = {k}");
                }
            }
        }
    }
}

/// Whether values follow from counts, which all strategies must agree on.
fn is_count(measure: &Measure) -> bool {
    ["Count", "Later"].iter().any(|kind| format!("{measure:?}").contains(kind))
}

/// Those of `measures`, and weights of both signs, steep ones, and a matrix.
fn all_measures(n: usize, random: &mut Random) -> Vec<Measure> {
    let mixed: Vec<f64> = (0..n).map(|_| random.real()).collect();
    let steep: Vec<f64> = (0..n).map(|rank| 0.5f64.powi(rank as i32)).collect();
    let matrix: Vec<f64> = (0..n * n).map(|_| random.real()).collect();
    let mut all = measures(n);
    for u in [mixed, steep] {
        for weight in [Weight::Add(Factor::Values(u.clone())), Weight::Mult(Factor::Values(u))] {
            let kernel = Measure::kernel(&weight, n).unwrap();
            all.extend([kernel.clone(), kernel.signed().unwrap()]);
        }
    }
    if n < 60 {
        all.push(Measure::kernel(&Weight::Matrix(matrix), n).unwrap());
    }
    all.push(Measure::kernel(&Weight::Standard, n).unwrap().signed().unwrap().normalized());
    all
}

/// Compares with the partition algorithm, which has its own tests against definitions. Counts must be equal; sums are
/// close relative to what they would be at most if no terms cancelled.
fn check_block(measure: &Measure, x: &Rankings, y: &Rankings, values: &[f64], name: &str, workspace: &mut Workspace) {
    let counts = is_count(measure);
    let mixed = format!("{measure:?}").contains('-') || format!("{measure:?}").contains("Signed");
    for p in 0..x.rows() {
        for q in 0..y.rows() {
            let wanted = measure.between(x.row(p), y.row(q), workspace).unwrap();
            let found = values[p * y.rows() + q];
            let size = if mixed { measure.self_similarity().abs().max(wanted.abs()) } else { wanted.abs() };
            let room = if counts { 0.0 } else { 1e-12 * size };
            assert!((found - wanted).abs() <= room, "{name} {measure:?} {p} {q}: {found} {wanted}");
        }
    }
}

#[test]
fn repeated_rankings_are_spread() {
    let mut random = Random(6);
    for (m, n, kinds) in [(200, 5, 7), (130, 3, 2), (64, 1, 1), (70, 0, 1), (300, 40, 100)] {
        let kinds: Vec<Vec<i64>> = (0..kinds).map(|_| random.ranks(n)).collect();
        let repeated: Vec<i64> = (0..m).flat_map(|_| kinds[random.below(kinds.len())].clone()).collect();
        let x = Rankings::from_ranks(m, n, &repeated).unwrap();
        let y = Rankings::from_ranks(9, n, &random.rankings(9, n)).unwrap();
        let mut workspace = Workspace::new(n);
        for measure in measures(n) {
            for threads in [1, 2] {
                let run =
                    |x, y| gram(&measure, x, y, Options { threads: Some(threads), ..Options::default() }).unwrap();
                let copy = x.clone();
                assert_eq!(bits(&run(&x, None)), bits(&run(&x, Some(&copy))));
                for (x, y, values) in
                    [(&x, &x, run(&x, None)), (&x, &y, run(&x, Some(&y))), (&y, &x, run(&y, Some(&x)))]
                {
                    check_block(&measure, x, y, &values, "distinct", &mut workspace);
                }
            }
        }
    }
}

/// As many rankings as half of the bits of a size can count have a matrix whose size it cannot.
#[test]
fn matrices_beyond_the_largest_size_are_refused() {
    let rows = 1 << (usize::BITS / 2);
    let x = Rankings::from_ranks::<i64>(rows, 0, &[]).unwrap();
    let measure = Measure::kernel(&Weight::Standard, 0).unwrap();
    let refused = Err(Error::TooLarge { rows, columns: rows });
    assert_eq!(gram(&measure, &x, None, Options::default()), refused);
    assert_eq!(gram(&measure, &x, Some(&x), Options::default()), refused);
    // The number of values can be counted, that of their bytes cannot.
    let fewer = Rankings::from_ranks::<i64>(rows / 2, 0, &[]).unwrap();
    let refused = Err(Error::TooLarge { rows: rows / 2, columns: rows / 2 });
    assert_eq!(gram(&measure, &fewer, None, Options::default()), refused);
}

/// Unless something else is asked for, the widest instructions are used, and the strategy that suits the measure.
#[test]
fn the_plan_picks_the_widest_instructions() {
    let widest = instruction_sets().pop().unwrap();
    let picked = |weight, n, m| planned(&Measure::kernel(&weight, n).unwrap(), m, m, &Options::default()).unwrap();
    assert_eq!(picked(Weight::Standard, 20, 1000), format!("bits-{widest}"));
    assert_eq!(picked(Weight::Average, 100, 1000), format!("bits-{widest}"));
    assert_eq!(picked(Weight::Mult(Factor::Log), 20, 1000), format!("product-{widest}"));
    // Without vector instructions the grid is slower than the partition algorithm.
    let pairs = if widest == "portable" { "partition".to_owned() } else { format!("pairs-{widest}") };
    assert_eq!(picked(Weight::Add(Factor::Log), 2000, 1000), pairs);
    // With narrow vectors it is slower for counts of many items.
    let name = picked(Weight::Standard, 100_000, 10);
    assert!(name == pairs || (name == "partition" && widest != "avx512"), "{name}");
    assert_eq!(picked(Weight::Standard, 100, 2), "partition");
    let kernel = Measure::kernel(&Weight::Mult(Factor::Log), 1000).unwrap();
    let portable = Options { backend: "portable".parse().unwrap(), ..Options::default() };
    assert_eq!(planned(&kernel, 1000, 1000, &portable).unwrap(), "pairs-portable");
}

#[test]
fn threads_start_for_large_work() {
    // The plan keeps small work on the calling thread; this is enough for the pool, for each of several tiles.
    let mut random = Random(2);
    let (m, n) = (120, 64);
    let x = Rankings::from_ranks(m, n, &random.rankings(m, n)).unwrap();
    let y = Rankings::from_ranks(7, n, &random.rankings(7, n)).unwrap();
    for measure in measures(n) {
        for y in [None, Some(&y)] {
            let run = |threads| {
                bits(&gram(&measure, &x, y, Options { threads: Some(threads), ..Options::default() }).unwrap())
            };
            let one = run(1);
            assert_eq!(one, run(2));
            assert_eq!(one, run(1_000_000));
        }
    }
}

#[test]
fn a_result_beyond_memory_is_refused() {
    let rows = 1 << 23;
    let x = Rankings::from_ranks(rows, 1, &vec![1i64; rows]).unwrap();
    let result = gram(&Measure::distance(1), &x, None, Options::default());
    assert_eq!(result, Err(Error::TooLarge { rows, columns: rows }));
}

#[test]
fn the_watch_sees_progress() {
    let mut random = Random(4);
    let (m, n) = (300, 300);
    let x = Rankings::from_ranks(m, n, &random.rankings(m, n)).unwrap();
    for threads in [1, 2] {
        let mut seen: Vec<Progress> = Vec::new();
        let mut watch = |progress| {
            seen.push(progress);
            ControlFlow::Continue(())
        };
        let options = Options { threads: Some(threads), watch: Some(&mut watch), ..Options::default() };
        gram(&Measure::distance(n), &x, None, options).unwrap();
        assert!(seen.windows(2).all(|pair| pair[0].done <= pair[1].done));
        let last = seen.last().unwrap();
        assert_eq!(last.done, last.total);
    }
}

#[test]
fn a_matrix_has_the_values_of_the_slice() {
    let x = Rankings::from_ranks(3, 4, &[1, 2, 3, 4, 4, 3, 2, 1, 2, 1, 4, 3]).unwrap();
    let y = Rankings::from_ranks(2, 4, &[1, 2, 4, 3, 3, 4, 1, 2]).unwrap();
    let measure = Measure::kernel(&Weight::Mult(Factor::Log), 4).unwrap();
    let flat = gram(&measure, &x, Some(&y), Options::default()).unwrap();
    let matrix: Matrix = gram_matrix(&measure, &x, Some(&y), Options::default()).unwrap();
    assert_eq!((matrix.rows(), matrix.columns(), matrix.as_slice()), (3, 2, &flat[..]));
    assert_eq!(matrix.iter().len(), 3);
    for (row, values) in matrix.iter().enumerate() {
        assert_eq!(values, matrix.row(row));
        for (column, value) in values.iter().enumerate() {
            assert_eq!((*value, *value), (flat[2 * row + column], matrix[(row, column)]));
        }
    }
    assert_eq!((&matrix).into_iter().rev().flatten().copied().sum::<f64>(), flat.iter().rev().sum::<f64>());
    assert_eq!(Matrix::from_vec(3, 2, flat.clone()).unwrap(), matrix);
    let mut single: Matrix<f32> = gram_matrix(&measure, &x, Some(&y), Options::default()).unwrap();
    assert!(single.as_slice().iter().zip(&flat).all(|(single, double)| (f64::from(*single) - double).abs() < 1e-6));
    single[(2, 1)] = 7.0;
    assert_eq!(single.row(2)[1], 7.0);
    assert_eq!(Vec::from(matrix), flat);
    let empty: Matrix = Matrix::zeros(3, 0).unwrap();
    assert_eq!(empty.iter().map(<[f64]>::len).collect::<Vec<_>>(), [0, 0, 0]);
    assert!(std::panic::catch_unwind(|| empty[(0, 0)]).is_err());
}
