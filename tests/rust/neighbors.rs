//! Neighbours: what sorting the rows of the whole matrix gives, to the last bit, whatever the way it is computed.

mod backends;
mod naive;

use naive::Random;
use wkendall::{
    Backend, Error, Incomplete, Measure, Missing, Options, RankingSet, Rankings, RunOptions, gram, neighbors,
    packed_signs, sign_bytes, within,
};

fn measures(n: usize) -> Vec<Measure> {
    let mut measures = naive::named_kernels(n);
    measures.extend(measures.clone().into_iter().map(|kernel| kernel.signed().unwrap().normalized()));
    measures.push(Measure::distance(n));
    measures.push(Measure::mallows(n, 0.01).unwrap());
    measures
}

fn is_distance(measure: &Measure) -> bool {
    format!("{measure:?}").contains("Discordant")
}

/// The columns of each row, the best first, by the definition.
fn sorted(measure: &Measure, values: &[f64], columns: usize, same: bool) -> Vec<Vec<usize>> {
    let largest_first = !is_distance(measure);
    let rows = values.chunks_exact(columns.max(1)).enumerate();
    rows.map(|(row, values)| {
        let mut order: Vec<usize> = (0..columns).filter(|&column| !same || column != row).collect();
        order.sort_by(|&a, &b| {
            let by_value = values[a].partial_cmp(&values[b]).unwrap();
            if largest_first { by_value.reverse() } else { by_value }
        });
        order
    })
    .collect()
}

fn bits(values: impl IntoIterator<Item = f64>) -> Vec<u64> {
    values.into_iter().map(f64::to_bits).collect()
}

fn check<R: RankingSet>(
    measure: &Measure,
    x: &R,
    y: Option<&R>,
    counts: &[usize],
    mut options: impl FnMut() -> Options<'static>,
) {
    let columns = y.unwrap_or(x).rows();
    let values = gram(measure, x, y, options()).unwrap();
    let expected = sorted(measure, &values, columns, y.is_none());
    let value = |row: usize, column: usize| values[row * columns + column];
    for &count in counts {
        let found = neighbors(measure, x, y, count, options()).unwrap();
        let best: Vec<(usize, usize)> = expected
            .iter()
            .enumerate()
            .flat_map(|(row, order)| order[..count].iter().map(move |&c| (row, c)))
            .collect();
        assert_eq!(found.count, count);
        assert_eq!(found.indices, best.iter().map(|&(_, column)| column).collect::<Vec<_>>(), "{measure:?} {count}");
        assert_eq!(bits(found.values), bits(best.iter().map(|&(row, column)| value(row, column))), "{measure:?}");
    }
    let Some(radius) = expected.first().and_then(|order| Some(value(0, *order.get(order.len() / 3)?))) else { return };
    let found = within(measure, x, y, radius, options()).unwrap();
    let is_close = |value: f64| if is_distance(measure) { value <= radius } else { value >= radius };
    let mut starts = vec![0];
    let (mut indices, mut close) = (Vec::new(), Vec::new());
    for row in 0..x.rows() {
        for column in (0..columns).filter(|&column| y.is_some() || column != row) {
            if is_close(value(row, column)) {
                indices.push(column);
                close.push(value(row, column));
            }
        }
        starts.push(indices.len());
    }
    assert_eq!((found.starts, found.indices), (starts, indices), "{measure:?}");
    assert_eq!(bits(found.values), bits(close), "{measure:?}");
}

#[test]
fn every_measure_tile_and_number_of_threads() {
    let mut random = Random(1);
    for (m, n) in [(2, 0), (3, 1), (7, 2), (23, 11), (40, 12), (40, 30), (9, 130)] {
        let x = Rankings::from_ranks(m, n, &random.rankings(m, n)).unwrap();
        let y = Rankings::from_ranks(m + 30, n, &random.rankings(m + 30, n)).unwrap();
        for measure in measures(n) {
            for (threads, tile) in [(1, None), (2, Some(1)), (3, Some(7)), (2, Some(1000))] {
                let options = || Options { threads: Some(threads), tile, ..Options::default() };
                check(&measure, &x, None, &[1, m - 1], options);
                check(&measure, &x, Some(&x), &[1, m], options);
                check(&measure, &x, Some(&y), &[1, 5, m + 30], options);
            }
        }
    }
}

#[test]
fn every_strategy_and_instruction_set() {
    let mut random = Random(2);
    let mut used = 0;
    for n in [3, 12, 17, 24, 129] {
        let x = Rankings::from_ranks(30, n, &random.rankings(30, n)).unwrap();
        let y = Rankings::from_ranks(50, n, &random.rankings(50, n)).unwrap();
        for measure in measures(n) {
            for strategy in backends::strategies() {
                for isa in backends::instruction_sets() {
                    let backend: Backend = format!("{strategy}-{isa}").parse().unwrap();
                    let options = || Options { backend, threads: Some(2), ..Options::default() };
                    match neighbors(&measure, &x, None, 1, options()) {
                        Err(Error::MissingInstructions { .. } | Error::CannotCompute { .. }) => continue,
                        found => assert!(found.is_ok()),
                    }
                    used += 1;
                    check(&measure, &x, None, &[4, 29], options);
                    check(&measure, &x, Some(&y), &[4, 50], options);
                }
            }
        }
    }
    assert!(used > 100);
}

#[test]
fn ties_and_lists() {
    let mut random = Random(3);
    for n in [0, 1, 2, 5, 9] {
        let mut rows = |m: usize| -> Vec<f64> {
            let mut value = || if random.below(3) == 0 { f64::NAN } else { random.below(4) as f64 };
            (0..m * n).map(|_| value()).collect()
        };
        let (some, more) = (rows(20), rows(35));
        let x = Incomplete::from_ranks(20, n, &some, Missing::Bottom).unwrap();
        let y = Incomplete::from_ranks(35, n, &more, Missing::Bottom).unwrap();
        let (few, many) = (naive::lists_of(20, n, &some), naive::lists_of(35, n, &more));
        for measure in measures(n) {
            let options = || Options { threads: Some(2), tile: Some(8), ..Options::default() };
            check(&measure, &x, None, &[1, 6, 19], options);
            check(&measure, &x, Some(&y), &[1, 6, 35], Options::default);
            check(&measure, &few, None, &[1, 6, 19], options);
            check(&measure, &few, Some(&many), &[1, 6, 35], Options::default);
        }
    }
}

#[test]
fn rankings_that_repeat() {
    let mut random = Random(4);
    let n = 5;
    let few = random.rankings(12, n);
    let mut repeated = |m: usize| {
        let chosen: Vec<i64> = (0..m).flat_map(|_| few[random.below(12) * n..].iter().take(n).copied()).collect();
        Rankings::from_ranks(m, n, &chosen).unwrap()
    };
    let (x, y) = (repeated(150), repeated(90));
    let z = Rankings::from_ranks(70, n, &Random(5).rankings(70, n)).unwrap();
    for measure in measures(n) {
        check(&measure, &x, None, &[1, 10, 80, 149], Options::default);
        check(&measure, &x, Some(&y), &[1, 89, 90], Options::default);
        check(&measure, &z, Some(&y), &[1, 20], Options::default);
        check(&measure, &y, Some(&z), &[1, 70], Options::default);
    }
}

#[test]
fn the_worst_kept_is_beaten_by_an_equal_value_of_a_smaller_index() {
    // Many equal distances, in more columns than are compared at a time, on threads that finish in any order.
    let (m, n) = (60_000, 4);
    let x = Rankings::from_ranks(3, n, &Random(6).rankings(3, n)).unwrap();
    let y = Rankings::from_ranks(m, n, &Random(7).rankings(m, n)).unwrap();
    let measure = Measure::distance(n);
    for threads in [1, 2, 4] {
        let backend: Backend = "bits".parse().unwrap();
        let options = || Options { threads: Some(threads), backend, ..Options::default() };
        check(&measure, &x, Some(&y), &[1, 2000, 3000], options);
    }
}

#[test]
fn packed_signs_have_the_distance() {
    let mut random = Random(8);
    for n in [0, 1, 2, 5, 11, 12, 40] {
        let x = Rankings::from_ranks(7, n, &random.rankings(7, n)).unwrap();
        let bytes = packed_signs(&x, RunOptions::default()).unwrap();
        let distances = gram(&Measure::distance(n), &x, None, Options::default()).unwrap();
        let size = sign_bytes(n);
        assert_eq!(bytes.len(), 7 * size);
        let row = |row: usize| &bytes[row * size..(row + 1) * size];
        for p in 0..7 {
            for q in 0..7 {
                let differing: u32 = row(p).iter().zip(row(q)).map(|(a, b)| (a ^ b).count_ones()).sum();
                assert_eq!(f64::from(differing), distances[p * 7 + q]);
            }
        }
    }
}

/// A search of rankings among themselves finds what a search among a copy of them finds.
#[test]
fn rankings_among_themselves() {
    let mut random = Random(9);
    let (m, n) = (80, 8);
    let numbers = random.rankings(m, n);
    let x = Rankings::from_ranks(m, n, &numbers).unwrap();
    let tied = Incomplete::from_ranks(m, n, &numbers.iter().map(|&rank| rank / 2).collect::<Vec<_>>(), Missing::Error);
    let tied = tied.unwrap();
    for measure in measures(n) {
        check(&measure, &tied, Some(&tied), &[1, 5, m], Options::default);
        check(&measure, &x, Some(&x), &[1, 5, m], Options::default);
        let kept = neighbors(&measure, &tied, Some(&tied), 7, Options::default()).unwrap();
        let copied = neighbors(&measure, &tied, Some(&tied.clone()), 7, Options::default()).unwrap();
        assert_eq!((kept.indices, bits(kept.values)), (copied.indices, bits(copied.values)), "{measure:?}");
    }
}
