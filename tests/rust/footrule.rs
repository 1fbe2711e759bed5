//! Spearman's footrule against its definition, as an example of a measure that is computed pair by pair.

mod naive;

use naive::Random;
use wkendall::{
    Error, Incomplete, Lists, Matrix, Measure, Missing, Options, RankingSet, Rankings, Weight, Workspace, diagonal,
    features, gram, gram_matrix, neighbors, planned, within,
};

/// The sum of the differences of ranks. Without items, `sum` is -0.
fn definition(s: &[f64], t: &[f64]) -> f64 {
    s.iter().zip(t).map(|(s, t)| (s - t).abs()).sum::<f64>() + 0.0
}

/// Mean ranks, from 1, of numbers.
fn mean_ranks(values: &[f64]) -> Vec<f64> {
    let count = |of: &dyn Fn(f64) -> bool| values.iter().filter(|&&value| of(value)).count() as f64;
    values.iter().map(|&own| count(&|value| value < own) + f64::midpoint(count(&|value| value == own), 1.0)).collect()
}

/// The footrule of two lists of items and numbers, over the items of both.
fn of_lists(s: &[(usize, f64)], t: &[(usize, f64)], items: usize) -> f64 {
    let rank = |list: &[(usize, f64)], item: usize| {
        let ranks = mean_ranks(&list.iter().map(|entry| entry.1).collect::<Vec<_>>());
        list.iter().position(|entry| entry.0 == item).map_or(list.len() as f64 + 1.0, |place| ranks[place])
    };
    let listed = |item: usize| s.iter().chain(t).any(|entry| entry.0 == item);
    (0..items).filter(|&item| listed(item)).map(|item| (rank(s, item) - rank(t, item)).abs()).sum::<f64>() + 0.0
}

fn with_threads(threads: usize) -> Options<'static> {
    Options { threads: Some(threads), ..Options::default() }
}

/// Compares everything that is computed for these rankings with their values.
fn check<R: RankingSet>(x: &R, y: &R, wanted: impl Fn(usize, Option<usize>, usize) -> f64) {
    let footrule = Measure::footrule(x.items());
    for other in [None, Some(y)] {
        let columns = other.unwrap_or(x).rows();
        // The column is of x, or of y.
        let value = |row: usize, column: usize| wanted(row, other.map(|_| column), column);
        let all: Vec<f64> = (0..x.rows() * columns).map(|cell| value(cell / columns, cell % columns)).collect();
        for threads in [1, 2] {
            assert_eq!(gram(&footrule, x, other, with_threads(threads)).unwrap(), all);
            let single: Matrix<f32> = gram_matrix(&footrule, x, other, with_threads(threads)).unwrap();
            assert!(single.as_slice().iter().zip(&all).all(|(&value, &wanted)| f64::from(value) == wanted));
            let small = Options { tile: Some(3), threads: Some(threads), ..Options::default() };
            assert_eq!(gram(&footrule, x, other, small).unwrap(), all);
        }
        let allowed = |row: usize| (0..columns).filter(move |&column| other.is_some() || column != row);
        let radius = all.get(1).copied().unwrap_or(0.0);
        for threads in [1, 2] {
            let close = within(&footrule, x, other, radius, with_threads(threads)).unwrap();
            let near = neighbors(&footrule, x, other, 2, with_threads(threads)).unwrap();
            for row in 0..x.rows() {
                let entries = close.starts[row]..close.starts[row + 1];
                let wanted: Vec<usize> = allowed(row).filter(|&column| all[row * columns + column] <= radius).collect();
                assert_eq!(close.indices[entries.clone()], wanted);
                assert!(entries.clone().all(|entry| close.values[entry] == all[row * columns + close.indices[entry]]));
                let mut best: Vec<usize> = allowed(row).collect();
                best.sort_by(|&a, &b| all[row * columns + a].total_cmp(&all[row * columns + b]).then(a.cmp(&b)));
                assert_eq!(near.indices[2 * row..2 * row + 2], best[..2]);
                assert_eq!(near.values[2 * row], all[row * columns + best[0]]);
            }
        }
    }
    assert_eq!(diagonal(&footrule, x, Options::default()).unwrap(), vec![0.0; x.rows()]);
}

#[test]
fn complete_rankings() {
    let mut random = Random(1);
    for items in 0..=40 {
        let [x, y] = [9, 4].map(|rows| random.rankings(rows, items));
        let row = |values: &[i64], row: usize| -> Vec<f64> {
            values[row * items..(row + 1) * items].iter().map(|&rank| rank as f64).collect()
        };
        let [s, t] = [(9, &x), (4, &y)].map(|(rows, values)| Rankings::from_ranks(rows, items, values).unwrap());
        check(&s, &t, |of_x, of_y, column| {
            definition(&row(&x, of_x), &row(if of_y.is_some() { &y } else { &x }, column))
        });
        let footrule = Measure::footrule(items);
        let mut workspace = Workspace::new(items);
        let value = definition(&row(&x, 0), &row(&x, 1));
        assert_eq!(footrule.between(s.row(0), s.row(1), &mut workspace).unwrap(), value);
        let identity: Vec<f64> = (1..=items).map(|rank| rank as f64).collect();
        let value = definition(&identity, &row(&x, 2));
        assert_eq!(footrule.kappa(s.row(2), &mut workspace).unwrap(), value);
        assert_eq!(footrule.self_similarity(), 0.0);
        assert_eq!(footrule.items(), items);
    }
}

#[test]
fn rankings_with_ties() {
    let mut random = Random(2);
    for items in 1..=40 {
        let levels = 1 + random.below(items);
        let [x, y] =
            [7, 5].map(|rows| -> Vec<f64> { (0..rows * items).map(|_| random.below(levels) as f64).collect() });
        let row = |values: &[f64], row: usize| mean_ranks(&values[row * items..(row + 1) * items]);
        let [s, t] = [(7, &x), (5, &y)]
            .map(|(rows, values)| Incomplete::from_ranks(rows, items, values, Missing::Error).unwrap());
        check(&s, &t, |of_x, of_y, column| {
            definition(&row(&x, of_x), &row(if of_y.is_some() { &y } else { &x }, column))
        });
    }
    // Missing items are not listed: they have rank 3.
    let x = Incomplete::from_ranks(2, 4, &[1.0, 2.0, f64::NAN, f64::NAN, 4.0, 3.0, 2.0, 1.0], Missing::Bottom).unwrap();
    assert_eq!(gram(&Measure::footrule(4), &x, None, Options::default()).unwrap()[1], 3.0 + 1.0 + 1.0 + 2.0);
}

/// Lists of any lengths.
fn random_lists(random: &mut Random, rows: usize, items: usize, ties: bool) -> Vec<Vec<(usize, f64)>> {
    let mut lists = vec![Vec::new()];
    while lists.len() < rows {
        let length = random.below(items + 1);
        let order = random.ranks(items);
        let value = |place: usize| if ties { (place / 2) as f64 } else { place as f64 };
        lists.push((0..length).map(|place| (order[place] as usize - 1, value(place))).collect());
    }
    lists
}

fn lists_of(items: usize, lists: &[Vec<(usize, f64)>]) -> Lists {
    let mut bounds = vec![0];
    for list in lists {
        bounds.push(bounds[bounds.len() - 1] + list.len());
    }
    let entries: Vec<(usize, f64)> = lists.concat();
    let (listed, values): (Vec<usize>, Vec<f64>) = entries.into_iter().unzip();
    Lists::from_ranks(items, &bounds, &listed, &values).unwrap()
}

#[test]
fn lists() {
    let mut random = Random(3);
    for items in 0..=40 {
        for ties in [false, true] {
            let [x, y] = [8, 5].map(|rows| random_lists(&mut random, rows, items, ties));
            check(&lists_of(items, &x), &lists_of(items, &y), |of_x, of_y, column| {
                of_lists(&x[of_x], if of_y.is_some() { &y[column] } else { &x[column] }, items)
            });
        }
    }
    let x = Lists::from_orders(1_000_000, &[vec![3, 999_999, 8], vec![8], vec![]]).unwrap();
    let found = gram(&Measure::footrule(1_000_000), &x, None, Options::default()).unwrap();
    assert_eq!(found, [0.0, 3.0, 3.0, 3.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
}

#[test]
fn repeated_rankings_and_many_tiles() {
    let mut random = Random(4);
    let distinct = random.rankings(30, 12);
    let picked: Vec<usize> = (0..400).map(|_| random.below(30)).collect();
    let values: Vec<i64> = picked.iter().flat_map(|&row| distinct[row * 12..(row + 1) * 12].to_vec()).collect();
    let x = Rankings::from_ranks(400, 12, &values).unwrap();
    let row = |row: usize| -> Vec<f64> { values[row * 12..(row + 1) * 12].iter().map(|&rank| rank as f64).collect() };
    check(&x, &x.clone(), |of_x, _, column| definition(&row(of_x), &row(column)));
    let x = Rankings::from_ranks(300, 8, &random.rankings(300, 8)).unwrap();
    let footrule = Measure::footrule(8);
    let whole = gram(&footrule, &x, None, with_threads(1)).unwrap();
    for threads in [2, 3] {
        assert_eq!(gram(&footrule, &x, None, with_threads(threads)).unwrap(), whole);
        assert_eq!(gram(&footrule, &x, Some(&x.clone()), with_threads(threads)).unwrap(), whole);
    }
}

#[test]
fn forms_and_rankings_that_it_does_not_have() {
    let footrule = || Measure::footrule(3);
    let standard = || Measure::kernel(&Weight::Standard, 3).unwrap();
    let name = "the footrule";
    assert_eq!(footrule().signed(), Err(Error::NoSignedForm { measure: name }));
    assert_eq!(footrule().try_normalized(), Err(Error::NoNormalizedForm { measure: name }));
    assert_eq!(footrule().with_order(3), Err(Error::NoOtherOrder { measure: name, order: 3 }));
    assert_eq!(footrule().plus(standard()), Err(Error::NotAKernel { measure: name }));
    assert_eq!(standard().times(footrule()), Err(Error::NotAKernel { measure: name }));
    assert_eq!(features::columns(&footrule()), Err(Error::NoFeatures));
    assert_eq!(footrule(), footrule());
    assert_ne!(footrule(), Measure::footrule(4));
    assert_ne!(footrule(), Measure::distance(3));
    assert_eq!(planned(&footrule(), 100, 100, &Options::default()).unwrap(), "pairs");
    let bits = Options { backend: "bits".parse().unwrap(), ..Options::default() };
    assert_eq!(planned(&footrule(), 100, 100, &bits), Err(Error::CannotCompute { name: "bits".to_owned() }));
    let anywhere = Incomplete::from_ranks(1, 3, &[1.0, f64::NAN, 2.0], Missing::Anywhere).unwrap();
    let error = gram(&footrule(), &anywhere, None, Options::default()).unwrap_err();
    let wanted =
        "the footrule is not defined for missing items that can be anywhere, only for missing items that come last";
    assert_eq!(error.to_string(), wanted);
}
