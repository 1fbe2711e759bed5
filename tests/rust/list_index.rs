//! Searches in an index of lists against the sorted rows of the matrix.

mod naive;

use naive::Random;
use std::ops::ControlFlow;
use std::sync::Arc;
use wkendall::{Error, Factor, ListIndex, Lists, Measure, Options, Progress, Weight, diagonal, gram};

/// Lists of up to `longest` items, with numbers of so many levels; popular items have small numbers, the more so the
/// larger `popular` is.
fn random(rows: usize, items: usize, longest: usize, levels: usize, popular: u32, random: &mut Random) -> Lists {
    let (mut bounds, mut listed, mut values) = (vec![0usize], Vec::new(), Vec::new());
    for row in 0..rows {
        if row > 3 && random.below(6) == 0 {
            // A list that was there before.
            let from = random.below(row);
            for entry in bounds[from]..bounds[from + 1] {
                listed.push(listed[entry]);
                values.push(values[entry]);
            }
            bounds.push(listed.len());
            continue;
        }
        let length = if random.below(3) == 0 { random.below(longest + 1) } else { longest }.min(items);
        let start = listed.len();
        while listed.len() < start + length {
            let item = (0..=popular).map(|_| random.below(items)).min().unwrap();
            if !listed[start..].contains(&item) {
                listed.push(item);
                let place = listed.len() - start;
                values.push(if levels == 0 { place as f64 } else { random.below(levels) as f64 });
            }
        }
        bounds.push(listed.len());
    }
    Lists::from_ranks(items, &bounds, &listed, &values).unwrap()
}

fn measures(items: usize) -> Vec<Measure> {
    let values = |f: fn(usize) -> f64| Factor::Values((0..items).map(f).collect());
    let weights = [
        Weight::Standard,
        Weight::Top(items.div_ceil(3).max(1)),
        Weight::Average,
        Weight::Mult(Factor::Log),
        Weight::Add(Factor::Hyperbolic),
        Weight::Mult(values(|rank| (rank % 4) as f64)),
        Weight::Add(values(|rank| 0.1 + rank as f64)),
        Weight::Mult(values(|rank| 2.0 - (rank % 5) as f64)),
        Weight::Add(values(|rank| 1.0 - (rank % 3) as f64)),
        Weight::Top(items.clamp(1, 5)),
        Weight::Top(items.clamp(1, 10)),
        Weight::Mult(Factor::Hyperbolic),
        Weight::Mult(values(|rank| 1e-3_f64.powi(rank.min(40) as i32))),
        Weight::Mult(values(|rank| if rank < 10 { 1.0 } else { -0.01 })),
        Weight::Mult(values(|rank| if rank < 10 { -1.0 - rank as f64 } else { 0.0 })),
        Weight::Mult(values(|rank| if rank < 10 { 1.0 } else { (rank % 2) as f64 - 0.5 })),
        Weight::Add(values(|rank| if rank < 10 { 1.0 } else { (rank % 2) as f64 - 0.5 })),
        Weight::Add(values(|rank| -1.0 / (1 + rank) as f64)),
    ];
    let overlap = |p, value, ties| Measure::rank_biased_overlap(items, p, value, ties).unwrap();
    let mut all = vec![
        Measure::distance(items),
        overlap(0.9, "ext", "a"),
        overlap(0.5, "ext", "w"),
        overlap(0.98, "ext", "b"),
        overlap(0.9, "min", "a"),
        overlap(0.3, "min", "w"),
        overlap(0.9, "min", "b"),
        Measure::average_overlap(items, None).unwrap(),
        Measure::average_overlap(items, Some(items.min(4))).unwrap(),
        Measure::mallows(items, 0.01).unwrap(),
        Measure::mallows(items, 0.05).unwrap().normalized(),
        Measure::mallows(items, 1e6).unwrap(),
    ];
    for weight in &weights {
        let kernel = || Measure::kernel(weight, items).unwrap();
        all.extend([kernel(), kernel().normalized(), kernel().signed().unwrap()]);
        all.push(kernel().signed().unwrap().normalized());
    }
    all
}

/// The columns of each row, sorted: the best first, equal values by index.
fn sorted(values: &[f64], columns: usize, distance: bool, own: bool) -> Vec<Vec<(usize, f64)>> {
    values
        .chunks_exact(columns)
        .enumerate()
        .map(|(row, values)| {
            let mut found: Vec<_> = values.iter().copied().enumerate().filter(|&(at, _)| !own || at != row).collect();
            found.sort_by(|a, b| if distance { a.1.total_cmp(&b.1) } else { b.1.total_cmp(&a.1) }.then(a.0.cmp(&b.0)));
            found
        })
        .collect()
}

/// Zeros of either sign are equal.
fn unsigned_zeros(values: Vec<f64>) -> Vec<f64> {
    values.into_iter().map(|value| value + 0.0).collect()
}

fn check(x: &Lists, y: &Lists, measure: &Measure, distance: bool, count: usize) {
    for own in [false, true] {
        check_side(x, y, measure, distance, count, own);
    }
}

/// Searches for the lists of `x`, or for those of the index.
fn check_side(x: &Lists, y: &Lists, measure: &Measure, distance: bool, count: usize, own: bool) {
    let (queries, other) = if own { (None, None) } else { (Some(x), Some(y)) };
    // Long lists are otherwise compared as rankings of all items, and their values are rounded differently.
    let by_lists = Options { backend: "pairs".parse().unwrap(), ..Options::default() };
    let matrix = gram(measure, if own { y } else { x }, other, by_lists).unwrap();
    let rows = sorted(&unsigned_zeros(matrix), y.rows(), distance, own);
    let count = count.min(y.rows() - usize::from(own));
    for threads in [1, 3] {
        let options = || Options { threads: Some(threads), ..Options::default() };
        let index = ListIndex::new(measure, y, options()).unwrap();
        assert_eq!(index.diagonal(x, options()).unwrap(), diagonal(measure, x, options()).unwrap());
        let found = index.neighbors(queries, count, options()).unwrap();
        assert_eq!(found.count, count);
        for (row, expected) in rows.iter().enumerate() {
            let range = row * count..(row + 1) * count;
            let found: Vec<_> =
                found.indices[range.clone()].iter().copied().zip(found.values[range].iter().copied()).collect();
            assert_eq!(found, expected[..count], "row {row} of {measure:?}");
        }
        let radius = rows[0][rows[0].len() / 3].1;
        if distance && radius < 0.0 {
            continue;
        }
        let found = index.within(queries, radius, options()).unwrap();
        for (row, expected) in rows.iter().enumerate() {
            let range = found.starts[row]..found.starts[row + 1];
            let found: Vec<_> =
                found.indices[range.clone()].iter().copied().zip(found.values[range].iter().copied()).collect();
            let good = |value: f64| if distance { value <= radius } else { value >= radius };
            let mut expected: Vec<_> = expected.iter().copied().filter(|&(_, value)| good(value)).collect();
            expected.sort_by_key(|&(index, _)| index);
            assert_eq!(found, expected, "row {row} of {measure:?} within {radius}");
        }
    }
}

#[test]
fn searches_are_those_of_the_sorted_matrix() {
    let mut numbers = Random(7);
    for (rows, items, longest, levels, popular) in [
        (2, 1, 1, 0, 0),
        (9, 3, 3, 2, 0),
        (40, 12, 12, 0, 0),
        (60, 30, 5, 0, 2),
        (60, 30, 8, 3, 2),
        (80, 500, 10, 0, 5),
        (80, 500, 10, 4, 5),
        (50, 5000, 10, 0, 0),
        (30, 300, 150, 0, 1),
        (30, 300, 150, 20, 1),
    ] {
        let y = random(rows, items, longest, levels, popular, &mut numbers);
        let x = random(7, items, longest, levels, popular, &mut numbers);
        for (number, measure) in measures(items).iter().enumerate() {
            check(&x, &y, measure, number == 0, 1 + numbers.below(12));
        }
    }
}

#[test]
fn empty_lists_and_many_equal_values() {
    let y = Lists::from_ranks(6, &[0, 0, 1, 1, 2, 2, 3], &[3, 3, 4], &[1, 1, 1]).unwrap();
    let x = Lists::from_ranks(6, &[0, 0, 1, 2], &[3, 5], &[1, 1]).unwrap();
    for (number, measure) in measures(6).iter().enumerate() {
        for count in 1..=6 {
            check(&x, &y, measure, number == 0, count);
        }
    }
}

#[test]
fn more_lists_than_are_computed_first() {
    // Short lists of popular items: many values and bounds are equal, and most lists share an item with the query.
    let mut numbers = Random(11);
    for (rows, items, longest, levels, popular) in
        [(700, 40, 6, 0, 3), (900, 25, 4, 2, 1), (1500, 5000, 10, 0, 400), (1300, 1_000_000, 3, 0, 100_000)]
    {
        let y = random(rows, items, longest, levels, popular, &mut numbers);
        let x = random(3, items, longest, levels, popular, &mut numbers);
        for (number, measure) in measures(items.min(5000)).iter().enumerate() {
            if items <= 5000 {
                check_side(&x, &y, measure, number == 0, 1 + numbers.below(15), false);
            }
        }
        if items > 5000 {
            let weights = [Weight::Top(10), Weight::Mult(Factor::Hyperbolic), with_signs(items)];
            for kernel in weights.iter().map(|weight| Measure::kernel(weight, items).unwrap()) {
                check_side(&x, &y, &kernel.signed().unwrap().normalized(), false, 10, false);
            }
        }
        // More neighbours than lists that share an item.
        let kernel = Measure::kernel(&Weight::Top(3), items).unwrap();
        check_side(&x, &y, &kernel, false, rows, false);
    }
}

/// Weights of both signs, and zeros for most positions.
fn with_signs(items: usize) -> Weight {
    Weight::Mult(Factor::Values(
        (0..items).map(|rank| if rank < 1000 { 1.0 - rank as f64 / 500.0 } else { 0.0 }).collect(),
    ))
}

#[test]
fn a_query_that_is_longer_than_all_lists_of_the_index() {
    let mut numbers = Random(13);
    let items = 3000;
    let y = random(40, items, 5, 0, 20, &mut numbers);
    for length in [6, 1024, 1025, 2999, 3000] {
        let (listed, ranks): (Vec<_>, Vec<_>) = (0..length).map(|item| (item, (item * 7 % length) as f64)).unzip();
        let x = Lists::from_ranks(items, &[0, length], &listed, &ranks).unwrap();
        for weight in [Weight::Mult(Factor::Log), with_signs(items), Weight::Average, Weight::Top(2000)] {
            let kernel = || Measure::kernel(&weight, items).unwrap();
            for measure in [kernel(), kernel().signed().unwrap().normalized(), kernel().normalized()] {
                check_side(&x, &y, &measure, false, 9, false);
            }
        }
    }
}

/// Lists of 3 to `longest` items that all have item 0, at any place; two in three have item 1 too. Others are rare.
fn with_a_popular_item(rows: usize, items: usize, longest: usize, levels: usize, random: &mut Random) -> Lists {
    let (mut bounds, mut listed, mut values) = (vec![0usize], Vec::new(), Vec::new());
    for _ in 0..rows {
        let start = listed.len();
        let length = 3 + random.below(longest - 2);
        let mut of_list: Vec<_> = (0..=usize::from(random.below(3) > 0)).collect();
        while of_list.len() < length {
            let item = 2 + random.below(items - 2);
            if !of_list.contains(&item) {
                of_list.push(item);
            }
        }
        let turn = random.below(length);
        of_list.rotate_left(turn);
        values.extend((0..length).map(|place| if levels == 0 { place } else { random.below(levels) } as f64));
        listed.extend(of_list);
        bounds.push(start + length);
    }
    Lists::from_ranks(items, &bounds, &listed, &values).unwrap()
}

#[test]
fn many_lists_that_share_one_or_two_items() {
    let mut numbers = Random(17);
    for (rows, items, longest, levels) in [(1200, 4000, 5, 0), (1200, 4000, 4, 2), (600, 3000, 300, 0)] {
        let y = with_a_popular_item(rows, items, longest, levels, &mut numbers);
        let x = with_a_popular_item(4, items, longest, levels, &mut numbers);
        for (number, measure) in measures(items).iter().enumerate() {
            if longest < 100 || number % 7 == 0 {
                check_side(&x, &y, measure, number == 0, 1 + numbers.below(20), false);
            }
        }
    }
}

/// Some lists of a set, by their rows.
fn rows_of(lists: &Lists, rows: &[usize]) -> Lists {
    let measure = Measure::distance(lists.items());
    ListIndex::new(&measure, lists, Options::default()).unwrap().select(rows).unwrap()
}

#[test]
fn lists_that_are_added_and_removed() {
    let mut numbers = Random(19);
    for (items, longest, levels, popular) in [(4, 4, 0, 0), (30, 6, 0, 2), (500, 10, 3, 5), (5000, 12, 0, 50)] {
        let all = random(400, items, longest, levels, popular, &mut numbers);
        let x = random(3, items, longest, levels, popular, &mut numbers);
        let weight = Weight::Mult(Factor::Log);
        let kernel = || Measure::kernel(&weight, items).unwrap();
        for measure in [
            Measure::distance(items),
            kernel(),
            kernel().signed().unwrap().normalized(),
            Measure::rank_biased_overlap(items, 0.9, "ext", "a").unwrap(),
            Measure::average_overlap(items, None).unwrap(),
        ] {
            // The rows of `all` that are in the index.
            let mut kept: Vec<usize> = (0..numbers.below(100)).collect();
            let first = rows_of(&all, &kept);
            let mut index = ListIndex::new(&measure, &first, Options::default()).unwrap();
            for step in 0..25 {
                let before = index.clone();
                if numbers.below(2) == 0 {
                    let rows: Vec<_> = (0..numbers.below([3, 60][step % 2])).map(|_| numbers.below(400)).collect();
                    index.add(&rows_of(&all, &rows), Options::default()).unwrap();
                    kept.extend(rows);
                } else if !kept.is_empty() {
                    let rows: Vec<_> = (0..numbers.below(kept.len())).map(|_| numbers.below(kept.len())).collect();
                    index.remove(&rows, Options::default()).unwrap();
                    let mut row = 0;
                    kept.retain(|_| {
                        row += 1;
                        !rows.contains(&(row - 1))
                    });
                }
                let lists = rows_of(&all, &kept);
                assert_eq!(index.rows(), kept.len());
                assert_eq!(index.to_lists().unwrap(), lists);
                let fresh = ListIndex::new(&measure, &lists, Options::default()).unwrap();
                for queries in [Some(&x), None] {
                    let most = kept.len().saturating_sub(usize::from(queries.is_none()));
                    for count in [1, 5, most] {
                        let found = index.neighbors(queries, count, Options::default());
                        assert_eq!(found, fresh.neighbors(queries, count, Options::default()), "{count} {measure:?}");
                    }
                    let found = index.within(queries, 0.3, Options::default());
                    assert_eq!(found, fresh.within(queries, 0.3, Options::default()));
                }
                // A copy made before does not change.
                assert!(before.rows() == index.rows() || before.to_lists() != index.to_lists());
            }
        }
    }
}

#[test]
fn an_index_grows_by_longer_lists_and_refuses_others() {
    let items = 3000;
    let mut numbers = Random(23);
    let lists = random(50, items, 5, 0, 20, &mut numbers);
    let (listed, ranks): (Vec<_>, Vec<_>) = (0..2000).map(|item| (item, (item * 7 % 2000) as f64)).unzip();
    let long = Lists::from_ranks(items, &[0, 2000], &listed, &ranks).unwrap();
    let both = Lists::from_orders(items, &[vec![7, 2, 9], vec![1]]).unwrap();
    for measure in [
        Measure::kernel(&Weight::Mult(Factor::Log), items).unwrap().normalized(),
        Measure::rank_biased_overlap(items, 0.99, "ext", "a").unwrap(),
    ] {
        let mut index = ListIndex::new(&measure, &lists, Options::default()).unwrap();
        index.add(&long, Options::default()).unwrap();
        index.add(&both, Options::default()).unwrap();
        let all = index.to_lists().unwrap();
        let fresh = ListIndex::new(&measure, &all, Options::default()).unwrap();
        let found = index.neighbors(None, 9, Options::default()).unwrap();
        assert_eq!(found, fresh.neighbors(None, 9, Options::default()).unwrap());
        let other = Lists::from_orders(items - 1, &[vec![7]]).unwrap();
        assert!(index.add(&other, Options::default()).is_err());
        assert_eq!(
            index.remove(&[3, 53], Options::default()).unwrap_err().to_string(),
            "rows holds 53, but there are 53 rankings, counted from 0"
        );
        assert_eq!(index.to_lists().unwrap(), all);
        assert!(index.select(&[53]).is_err());
        let mut stop = |_: Progress| ControlFlow::Break(());
        let interrupted = Options { watch: Some(&mut stop), ..Options::default() };
        let many = random(200_000, items, 9, 0, 20, &mut numbers);
        assert_eq!(index.add(&many, interrupted), Err(Error::Interrupted));
        assert_eq!(index.rows(), 53);
    }
}

/// Bytes that begin at any address.
struct Shifted(Vec<u8>);

impl AsRef<[u8]> for Shifted {
    fn as_ref(&self) -> &[u8] {
        &self.0[1..]
    }
}

/// The checksum as the documentation of `to_bytes` describes it.
fn set_checksum(bytes: &mut [u8]) {
    let mut hash = 0_u64;
    for word in bytes[16..].chunks(8) {
        let word = word.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    bytes[8..16].copy_from_slice(&hash.to_le_bytes());
}

/// A kernel with divisors, one without, one whose bounds follow from ranks, the distance and an overlap.
fn stored_measures(items: usize) -> Vec<Measure> {
    let kernel = |weight| Measure::kernel(&weight, items).unwrap();
    vec![
        kernel(Weight::Average).normalized(),
        kernel(Weight::Mult(Factor::Values((0..items).map(|rank| 1.0 - rank as f64 / 10.0).collect()))),
        Measure::rank_biased_overlap(items, 0.9, "ext", "a").unwrap(),
        Measure::distance(items),
        Measure::average_overlap(items, None).unwrap(),
    ]
}

#[test]
fn an_index_from_its_bytes() {
    let mut numbers = Random(29);
    for (rows, items, longest, levels) in [(0, 5, 3, 0), (40, 4, 4, 2), (30, 400, 300, 0), (90, 5000, 9, 3)] {
        let lists = random(rows, items, longest, levels, 2, &mut numbers);
        let (more, x) = (random(30, items, longest, levels, 2, &mut numbers), random(5, items, 6, 0, 2, &mut numbers));
        let measures = stored_measures(items);
        for measure in &measures {
            let mut index = ListIndex::new(measure, &lists, Options::default()).unwrap();
            index.add(&more, Options::default()).unwrap();
            index.remove(&[1, 7, rows + 3], Options::default()).unwrap();
            let bytes = index.to_bytes().unwrap();
            assert_eq!(&bytes[..8], b"wkendLI1");
            let mut checked = bytes.clone();
            set_checksum(&mut checked);
            assert_eq!(checked, bytes);
            let all = index.to_lists().unwrap();
            for by in &measures {
                let fresh = ListIndex::new(by, &all, Options::default()).unwrap();
                let shifted = std::iter::once(0).chain(bytes.iter().copied()).collect();
                let shared: [Arc<dyn AsRef<[u8]> + Send + Sync>; 2] =
                    [Arc::new(bytes.clone()), Arc::new(Shifted(shifted))];
                let mut loaded = vec![ListIndex::from_bytes(by, &bytes, Options::default()).unwrap()];
                loaded.extend(shared.map(|kept| ListIndex::from_shared_bytes(by, kept, Options::default()).unwrap()));
                for mut again in loaded {
                    assert_eq!(again.to_lists().unwrap(), all);
                    for queries in [Some(&x), None] {
                        let found = again.neighbors(queries, 9, Options::default());
                        assert_eq!(found, fresh.neighbors(queries, 9, Options::default()), "{by:?}");
                        let found = again.within(queries, 0.3, Options::default());
                        assert_eq!(found, fresh.within(queries, 0.3, Options::default()), "{by:?}");
                    }
                    // It stays what it was when it is stored again, and can grow.
                    assert!(by != measure || again.to_bytes().unwrap() == bytes);
                    again.remove(&[0], Options::default()).unwrap();
                    again.add(&x, Options::default()).unwrap();
                    assert_eq!(again.rows(), all.rows() + 4);
                }
            }
        }
    }
}

#[test]
fn damaged_bytes_are_refused() {
    let mut numbers = Random(31);
    let lists = random(9, 12, 4, 0, 2, &mut numbers);
    for measure in &stored_measures(12) {
        let mut index = ListIndex::new(measure, &lists, Options::default()).unwrap();
        index.remove(&[3], Options::default()).unwrap();
        let bytes = index.to_bytes().unwrap();
        let load = |bytes: &[u8]| ListIndex::from_bytes(measure, bytes, Options::default());
        let refused = |bytes: &[u8], reason: &str| {
            let error = load(bytes).unwrap_err();
            assert!(matches!(error, Error::IndexBytes { .. }) && error.to_string().contains(reason), "{error}");
        };
        for length in 0..bytes.len() {
            refused(&bytes[..length], "the bytes are not an index of lists: ");
        }
        refused(&[&bytes[..], &[0; 8]].concat(), "the checksum differs");
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                refused(&damaged, if at < 8 { "they do not begin as an index" } else { "the checksum differs" });
                let kept = Arc::new(damaged.clone());
                assert!(ListIndex::from_shared_bytes(measure, kept, Options::default()).is_err());
                // With the right checksum the parts are compared with each other, without a panic.
                set_checksum(&mut damaged);
                let _ = load(&damaged);
            }
        }
        let mut longer = [&bytes[..], &[0; 8]].concat();
        set_checksum(&mut longer);
        refused(&longer, "the parts do not fit together");
        let other = Measure::distance(13);
        let error = ListIndex::from_bytes(&other, &bytes, Options::default()).unwrap_err();
        assert_eq!(error, Error::ItemsDiffer { left: 12, right: 13 });
        let other = Measure::rank_biased_overlap(12, 0.9, "max", "a").unwrap();
        assert_eq!(ListIndex::from_bytes(&other, &bytes, Options::default()).unwrap_err(), Error::ListMeasure);
    }
}
