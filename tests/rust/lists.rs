//! Lists out of a catalogue against the definition, against the rankings with ties that they stand for, and against
//! themselves in other circumstances.

mod naive;

use naive::blocks::{self, Value};
use naive::{Naive, Random};
use wkendall::{
    Error, Factor, Incomplete, Lists, Measure, Missing, Number, Options, RankingSet, Rankings, RunOptions, Weight,
    diagonal, embedding, features, gram, gram_into,
};

/// Rows of numbers in which NaN is what a list leaves out.
struct Table {
    items: usize,
    rows: Vec<Vec<f64>>,
}

impl Table {
    /// Lists of up to so many items, with numbers of so many levels.
    fn random(rows: usize, items: usize, longest: usize, levels: usize, random: &mut Random) -> Self {
        let row = |random: &mut Random| {
            let length = random.below(longest.min(items) + 1);
            let chosen = random.ranks(items);
            (0..items)
                .map(|item| if chosen[item] as usize <= length { random.below(levels) as f64 } else { f64::NAN })
                .collect()
        };
        Self { items, rows: (0..rows).map(|_| row(random)).collect() }
    }

    fn dense(&self) -> Incomplete {
        Incomplete::from_ranks(self.rows.len(), self.items, &self.rows.concat(), Missing::Bottom).unwrap()
    }

    fn lists(&self) -> Lists {
        naive::lists_of(self.rows.len(), self.items, &self.rows.concat())
    }
}

/// A kernel, signed or not.
fn kernel(weight: &Naive, signed: bool, items: usize) -> Measure {
    let kernel = Measure::kernel(&weight.weight(), items).unwrap();
    if signed { kernel.signed().unwrap() } else { kernel }
}

fn of(measure: &Measure, lists: &Lists) -> Vec<f64> {
    gram(measure, lists, None, Options::default()).unwrap()
}

fn check(table: &Table, weight: &Naive, signed: bool) {
    let found = of(&kernel(weight, signed, table.items), &table.lists());
    let pairs = table.rows.iter().flat_map(|s| table.rows.iter().map(move |t| (s, t)));
    for ((s, t), found) in pairs.zip(found) {
        let Value { value, size } = blocks::mean(weight, signed, s, t);
        let allowed = if matches!(weight, Naive::Standard) { 0.0 } else { 1e-12 * size };
        assert!((found - value).abs() <= allowed, "{weight:?} {signed} {s:?} {t:?}: {found}, not {value} of {size}");
    }
}

#[test]
fn values_are_those_of_the_definition() {
    let mut random = Random(1);
    for items in 0..=9 {
        for weight in naive::weights(items, &mut random) {
            for (longest, levels) in [(3, 100), (items, 100), (items, 3), (items, 1)] {
                let table = Table::random(7, items, longest, levels, &mut random);
                check(&table, &weight, false);
                check(&table, &weight, true);
            }
        }
    }
}

#[test]
fn long_lists_are_those_of_the_definition_too() {
    let mut random = Random(2);
    for levels in [1000, 12] {
        // Lists with more than 64 items in common, and some with less.
        let mut table = Table::random(2, 110, 110, levels, &mut random);
        while table.rows.iter().any(|row| row.iter().filter(|value| !value.is_nan()).count() < 90) {
            table = Table::random(2, 110, 110, levels, &mut random);
        }
        table.rows.extend(Table::random(1, 110, 90, levels, &mut random).rows);
        // Counts are added up one by one for more items.
        let full = Table { items: 170, rows: vec![(0..170).map(|_| random.below(levels) as f64).collect(); 2] };
        check(&full, &Naive::Standard, false);
        let mut half = Table::random(6, 300, 300, levels, &mut random);
        half.rows.push((0..300).map(|_| random.below(levels) as f64).collect());
        check(&half, &Naive::Standard, true);
        for weight in naive::weights(110, &mut random).into_iter().step_by(2) {
            check(&table, &weight, false);
            check(&table, &weight, true);
        }
    }
}

#[test]
fn values_are_those_of_rankings_with_ties() {
    let mut random = Random(3);
    for (items, longest, levels) in [(1, 1, 1), (2, 2, 2), (30, 30, 30), (300, 10, 1000), (1000, 400, 50)] {
        let table = Table::random(12, items, longest, levels, &mut random);
        let (lists, dense) = (table.lists(), table.dense());
        assert_eq!(lists, Lists::from_incomplete(&dense).unwrap());
        for weight in [Naive::Standard, Naive::Top(items.div_ceil(3)), Naive::Average] {
            let plain = kernel(&weight, false, items);
            let signed = plain.clone().signed().unwrap();
            let normalized = [plain.clone().normalized(), signed.clone().normalized()];
            for measure in [plain, signed, Measure::distance(items)].into_iter().chain(normalized) {
                let wanted = gram(&measure, &dense, None, Options::default()).unwrap();
                let largest = wanted.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
                let whole = matches!(weight, Naive::Standard) && largest > 1.0;
                let allowed = if whole { 0.0 } else { 1e-12 * largest };
                for (found, wanted) in of(&measure, &lists).into_iter().zip(&wanted) {
                    assert!((found - wanted).abs() <= allowed, "{weight:?} {items}: {found}, not {wanted}");
                }
                let own = diagonal(&measure, &lists, Options::default()).unwrap();
                for (row, own) in own.iter().enumerate() {
                    assert!((own - wanted[row * 13]).abs() <= allowed, "{weight:?} {items}: {own}");
                }
            }
        }
    }
}

#[test]
fn steep_and_mixed_weights_are_normalized_like_those_of_rankings_with_ties() {
    let mut random = Random(4);
    let items = 40;
    let table = Table::random(9, items, 8, 6, &mut random);
    let (lists, dense) = (table.lists(), table.dense());
    let steep: Vec<f64> = (0..items).map(|rank| 1e-30_f64.powi(rank as i32).max(1e-300)).collect();
    let mixed: Vec<f64> = (0..items).map(|_| random.real()).collect();
    let zero: Vec<f64> = (0..items).map(|rank| [1.0, -1.0][rank % 2]).collect();
    for u in [steep, mixed, zero] {
        for weight in [Weight::Mult(Factor::Values(u.clone())), Weight::Add(Factor::Values(u.clone()))] {
            for signed in [false, true] {
                let measure = Measure::rescaled_kernel(&weight, items).unwrap();
                let measure = if signed { measure.signed().unwrap() } else { measure }.normalized();
                let wanted = gram(&measure, &dense, None, Options::default()).unwrap();
                for (found, wanted) in of(&measure, &lists).into_iter().zip(wanted) {
                    assert!((found - wanted).abs() < 1e-9, "{weight:?} {signed}: {found}, not {wanted}");
                }
            }
        }
    }
}

#[test]
fn the_mallows_kernel_is_a_function_of_the_mean_distance() {
    let mut random = Random(6);
    for items in 1..8 {
        let table = Table::random(8, items, items, 4, &mut random);
        let lists = table.lists();
        let distance =
            |s: &[f64], t: &[f64]| (items * (items - 1) / 2) as f64 - blocks::mean(&Naive::Standard, false, s, t).value;
        let plain = Measure::mallows(items, 0.3).unwrap();
        let (found, normalized) = (of(&plain, &lists), of(&plain.clone().normalized(), &lists));
        for (at, (found, normalized)) in found.into_iter().zip(normalized).enumerate() {
            let (s, t) = (&table.rows[at / 8], &table.rows[at % 8]);
            let wanted = (-0.3 * distance(s, t)).exp();
            let root = (-0.3 * distance(s, s) / 2.0).exp() * (-0.3 * distance(t, t) / 2.0).exp();
            assert!((found - wanted).abs() < 1e-14 && (normalized - wanted / root).abs() < 1e-14);
        }
        let own = diagonal(&plain, &lists, Options::default()).unwrap();
        assert!(own.iter().zip(&table.rows).all(|(own, s)| (own - (-0.3 * distance(s, s)).exp()).abs() < 1e-14));
        assert_eq!(diagonal(&plain.normalized(), &lists, Options::default()), Ok(vec![1.0; 8]));
    }
}

#[test]
fn results_do_not_depend_on_tiles_threads_or_copies() {
    let mut random = Random(5);
    let items = 5000;
    let mut table = Table::random(90, items, 12, 100, &mut random);
    // Lists that have much in common, some of them long, and some of them twice.
    table.rows.extend(Table::random(20, 150, 150, 100, &mut random).rows.into_iter().map(|mut row| {
        row.resize(items, f64::NAN);
        row
    }));
    table.rows.extend_from_within(80..100);
    let lists = table.lists();
    let copy = lists.clone();
    let u: Vec<f64> = (0..items).map(|_| random.real()).collect();
    for weight in [Naive::Standard, Naive::Top(7), Naive::Add(u.clone()), Naive::Mult(u), Naive::Average] {
        for signed in [false, true] {
            let measure = kernel(&weight, signed, items).normalized();
            let wanted = of(&measure, &lists);
            let rows = lists.rows();
            assert!((0..rows * rows).all(|at| wanted[at] == wanted[at % rows * rows + at / rows]));
            for (threads, tile, y) in [(1, Some(1), None), (3, Some(7), None), (2, Some(64), Some(&copy))] {
                let mut found = vec![0.0; rows * rows];
                let options = Options { threads: Some(threads), tile, ..Options::default() };
                gram_into(&measure, &lists, y, &mut found, options).unwrap();
                assert_eq!(found, wanted);
            }
        }
    }
}

#[test]
fn counts_are_exact_for_a_large_catalogue() {
    // Of 2^31 items, lists of 2 and of 1 with one item in common: it comes before all but one in both.
    let items = 1 << 31;
    let lists = Lists::from_ranks(items, &[0, 2, 3], &[5, 9, 5], &[1, 2, 1]).unwrap();
    let signed = kernel(&Naive::Standard, true, items);
    let all = (items as u64 * (items as u64 - 1) / 2) as f64;
    let own = items as f64 * 2.0 - 3.0;
    assert_eq!(of(&signed, &lists), [own, items as f64 - 1.0, items as f64 - 1.0, items as f64 - 1.0]);
    let concordant = of(&kernel(&Naive::Standard, false, items), &lists);
    assert_eq!(concordant[0], f64::midpoint(all, own));
    assert_eq!(of(&Measure::distance(items), &lists)[1], all - concordant[1]);
}

#[test]
fn the_average_weight_of_a_large_catalogue_is_near_that_of_a_smaller_one() {
    // The signed normalized kernel hardly depends on the number of items that nobody lists.
    let (bounds, listed, values) = ([0, 3, 6, 8], [1, 2, 3, 2, 3, 9, 7, 8], [1, 2, 3, 1, 3, 2, 1, 1]);
    let normalized = |items: usize| {
        let lists = Lists::from_ranks(items, &bounds, &listed, &values).unwrap();
        of(&kernel(&Naive::Average, true, items).normalized(), &lists)
    };
    for (one, other) in normalized(100_000).into_iter().zip(normalized(100_000_000)) {
        assert!((one - other).abs() < 1e-4, "{one} and {other}");
    }
}

#[test]
fn the_last_block_is_not_stored() {
    let lists =
        |bounds: &[usize], listed: &[usize], values: &[i32]| Lists::from_ranks(3, bounds, listed, values).unwrap();
    // What comes last need not be listed for a kernel. Lists with and without it differ.
    let same = |one: Lists, other: Lists| {
        assert_ne!(one, other);
        assert_eq!(one.to_incomplete().unwrap().starts(), other.to_incomplete().unwrap().starts());
        assert_eq!(one.entries(), other.entries());
    };
    same(lists(&[0, 3], &[0, 1, 2], &[5, 7, 6]), lists(&[0, 2], &[2, 0], &[9, 1]));
    same(lists(&[0, 3], &[0, 1, 2], &[4, 4, 4]), lists(&[0, 0], &[], &[]));
    assert_eq!(lists(&[0, 3], &[0, 1, 2], &[5, 7, 6]), lists(&[0, 3], &[2, 0, 1], &[2, 1, 9]));
    let scores = Lists::from_scores(3, &[0, 3, 5], &[0, 1, 2, 0, 2], &[3.0, 1.0, 2.0, 3.0, 2.0]).unwrap();
    assert_eq!(scores, lists(&[0, 3, 5], &[0, 2, 1, 0, 2], &[1, 2, 3, 1, 2]));
    assert_eq!((scores.rows(), scores.items(), scores.entries()), (2, 3, 4));
    assert_eq!([scores.block_of(0, 0), scores.block_of(0, 1), scores.block_of(0, 2)], [0..1, 2..3, 1..2]);
    let complete = Rankings::from_ranks(1, 3, &[1, 3, 2]).unwrap();
    assert_eq!(Lists::from_incomplete(&Incomplete::from(&complete)).unwrap().block_of(0, 1), 2..3);
}

/// The bounds, the items and the numbers can be of three types; lists of items need no numbers.
#[test]
fn lists_from_orders_are_those_from_ranks() {
    let orders = [vec![3_u32, 0], vec![], vec![4, 1, 2, 0, 3]];
    let lists = Lists::from_orders(5, &orders).unwrap();
    let listed = [0_u8, 3, 0, 1, 2, 3, 4];
    let ranks = [2.0_f32, 1.0, 4.0, 2.0, 3.0, 5.0, 1.0];
    assert_eq!(lists, Lists::from_ranks(5, &[0_usize, 2, 2, 7], &listed, &ranks).unwrap());
    for (row, order) in orders.iter().enumerate() {
        for (place, &item) in order.iter().enumerate() {
            assert_eq!(lists.block_of(row, item as usize), place..place + 1);
        }
    }
    assert_eq!(Lists::from_orders(5, &[[0_i16; 0]; 0]).unwrap().rows(), 0);
    assert_eq!(Lists::from_orders(0, &[[0_i16; 0]; 2]).unwrap().rows(), 2);
    let twice = Lists::from_orders(5, &[[1, 0, 2], [2, 4, 2]]);
    assert_eq!(twice, Err(Error::ListedTwice { row: 1, item: 2 }));
    let outside = Error::NotInCatalogue { row: 0, value: Number::Signed(5), items: 5 };
    assert_eq!(Lists::from_orders(5, &[[1, 5]]), Err(outside));
}

#[test]
fn items_that_can_be_anywhere_are_in_no_list() {
    let with =
        |numbers: &[f64; 6]| Lists::from_incomplete(&Incomplete::from_ranks(2, 3, numbers, Missing::Anywhere).unwrap());
    let placed = with(&[1.0, 2.0, 3.0, 2.0, 1.0, 1.0]).unwrap();
    assert_eq!(placed, Lists::from_ranks(3, &[0, 3, 6], &[0, 1, 2, 0, 1, 2], &[1, 2, 3, 2, 1, 1]).unwrap());
    assert_eq!(with(&[1.0, 2.0, 3.0, 1.0, f64::NAN, 2.0]), Err(Error::ListedAnywhere { row: 1, item: 1 }));
}

/// What takes a number for every item anyway, and correlations: all have the values of the rankings of all items.
#[test]
fn what_needs_all_items_has_the_values_of_whole_rankings() {
    let mut random = Random(11);
    for n in 0..9 {
        let lists = Table::random(6, n, n, 4, &mut random).lists();
        let whole = lists.to_incomplete().unwrap();
        assert_eq!(Lists::from_incomplete(&whole).unwrap(), lists);
        let u: Vec<f64> = (0..n).map(|_| random.real()).collect();
        let matrix: Vec<f64> = (0..n * n).map(|_| random.real()).collect();
        let tensor = Measure::kernel(&Weight::Matrix(matrix.clone()), n).unwrap();
        let mut measures = vec![tensor.clone(), tensor.normalized()];
        for weight in
            [Weight::Standard, Weight::Average, Weight::Add(Factor::Values(u.clone())), Weight::Mult(Factor::Log)]
        {
            measures.push(Measure::kernel(&weight, n).unwrap().with_order(1).unwrap());
            measures.push(Measure::correlation(&weight, n).unwrap());
        }
        for measure in measures {
            let (options, what) = (Options::default, format!("{measure:?}"));
            let wanted = gram(&measure, &whole, None, options()).unwrap();
            close(&gram(&measure, &lists, None, options()).unwrap(), &wanted, &what);
            close(&gram(&measure, &lists, Some(&lists), options()).unwrap(), &wanted, &what);
            let [found, wanted] = [diagonal(&measure, &lists, options()), diagonal(&measure, &whole, options())];
            close(&found.unwrap(), &wanted.unwrap(), &what);
        }
        let coefficients: Vec<f64> = (0..6).map(|_| random.real()).collect();
        assert_eq!(embedded(&lists, &coefficients, &matrix), embedded(&whole, &coefficients, &matrix));
    }
}

/// Everything that is made of the embedding and of features.
fn embedded<R: RankingSet>(x: &R, coefficients: &[f64], matrix: &[f64]) -> [Vec<f64>; 4] {
    let run = RunOptions::default;
    let kernel = Measure::kernel(&Weight::Standard, x.items()).unwrap();
    let mut tensors = vec![0.0; 6 * matrix.len()];
    let mut vectors = vec![0.0; 6 * features::columns(&kernel).unwrap()];
    embedding::embed_into(x, 2, matrix, &mut tensors, run()).unwrap();
    features::features_into(&kernel, x, &mut vectors, run()).unwrap();
    let sum = embedding::combine(x, coefficients, 2, matrix, run()).unwrap();
    [tensors, vectors, sum, embedding::linear_function(x, 2, matrix, matrix, run()).unwrap()]
}

fn close(found: &[f64], wanted: &[f64], what: &str) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() <= 1e-11 * wanted.abs().max(1.0), "{what}: {found} and not {wanted}");
    }
}

/// Lists of a third of the items are compared as rankings of all items, where that is faster.
#[test]
fn long_lists_have_the_values_of_rankings_of_all_items() {
    let mut random = Random(21);
    let (one, other) = (Table::random(250, 90, 80, 4, &mut random), Table::random(220, 90, 80, 4, &mut random));
    let (x, y) = (one.lists(), other.lists());
    for weight in [Weight::Standard, Weight::Average, Weight::Top(9), Weight::Mult(Factor::Log)] {
        let kernel = Measure::kernel(&weight, 90).unwrap();
        for kernel in [kernel.clone(), kernel.signed().unwrap().normalized()] {
            let found = gram(&kernel, &x, Some(&y), Options::default()).unwrap();
            let wanted = gram(&kernel, &one.dense(), Some(&other.dense()), Options::default()).unwrap();
            assert_eq!(found, wanted, "{kernel:?}");
            let backend = "pairs".parse().unwrap();
            let by_lists = gram(&kernel, &x, Some(&y), Options { backend, ..Options::default() }).unwrap();
            let largest = found.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            assert!(found.iter().zip(&by_lists).all(|(a, b)| (a - b).abs() <= 1e-12 * largest), "{kernel:?}");
        }
    }
}
