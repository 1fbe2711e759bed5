//! What is a ranking and what is not.

mod naive;

use naive::Random;
use wkendall::{Error, Incomplete, Missing, Rankings, Rows};

#[test]
fn ranks_may_count_from_one_or_from_zero() {
    let mut random = Random(1);
    for n in 0..=40 {
        let from_one = random.rankings(3, n);
        let from_zero: Vec<i64> = from_one.iter().map(|rank| rank - 1).collect();
        let real: Vec<f64> = from_one.iter().map(|&rank| rank as f64).collect();
        let unsigned: Vec<u64> = from_zero.iter().map(|&rank| rank as u64).collect();
        let x = Rankings::from_ranks(3, n, &from_one).unwrap();
        assert_eq!(x, Rankings::from_ranks(3, n, &from_zero).unwrap());
        assert_eq!(x, Rankings::from_ranks(3, n, &real).unwrap());
        assert_eq!(x, Rankings::from_ranks(3, n, &unsigned).unwrap());
        assert_eq!((x.rows(), x.items()), (3, n));
        for p in 0..3 {
            let ranks: Vec<u32> = from_zero[p * n..(p + 1) * n].iter().map(|&rank| rank as u32).collect();
            assert_eq!(x.row(p).ranks(), ranks);
        }
    }
}

#[test]
fn orders_scores_and_ranks_say_the_same() {
    let mut random = Random(2);
    for n in 0..=40 {
        let ranks = random.rankings(2, n);
        let x = Rankings::from_ranks(2, n, &ranks).unwrap();
        let scores: Vec<f64> = ranks.iter().map(|&rank| -(rank as f64).sqrt()).collect();
        assert_eq!(x, Rankings::from_scores(2, n, &scores).unwrap());
        let whole: Vec<i64> = ranks.iter().map(|&rank| i64::MAX - rank).collect();
        assert_eq!(x, Rankings::from_scores(2, n, &whole).unwrap());
        let orders: Vec<i64> = (0..2).flat_map(|p| x.row(p).order().iter().map(|&item| i64::from(item) + 1)).collect();
        assert_eq!(x, Rankings::from_orders(2, n, &orders).unwrap());
    }
}

#[test]
fn group_laws() {
    let mut random = Random(3);
    for n in 0..=20 {
        let mut next = || Rankings::from_ranks(2, n, &random.rankings(2, n)).unwrap();
        let (x, y, z) = (next(), next(), next());
        let identity: Vec<i64> = (1..=n as i64).cycle().take(2 * n).collect();
        let identity = Rankings::from_ranks(2, n, &identity).unwrap();
        assert_eq!(x.compose(&identity).unwrap(), x);
        assert_eq!(x.compose(&x.clone().inverse()).unwrap(), identity);
        assert_eq!(x.compose(&y).unwrap().compose(&z).unwrap(), x.compose(&y.compose(&z).unwrap()).unwrap());
        assert_eq!(x.compose(&y).unwrap().inverse(), y.clone().inverse().compose(&x.clone().inverse()).unwrap());
        assert_eq!(x.clone().mirrored().mirrored(), x);
        for p in 0..2 {
            for (&rank, &mirrored) in x.row(p).ranks().iter().zip(x.clone().mirrored().row(p).ranks()) {
                assert_eq!(rank + mirrored, n as u32 - 1);
            }
            for (rank, &item) in (0..).zip(x.clone().mirrored().row(p).order()) {
                assert_eq!(x.row(p).ranks()[item as usize], n as u32 - 1 - rank);
            }
        }
    }
}

#[test]
fn rankings_are_visited_in_order() {
    for (rows, items) in [(0, 0), (0, 3), (3, 0), (1, 1), (4, 3)] {
        let row: Vec<usize> = (1..=items).collect();
        let mut values = row.repeat(rows);
        if rows == 4 {
            values[3..6].reverse();
        }
        let x = Rankings::from_ranks(rows, items, &values).unwrap();
        assert_eq!(x.iter().len(), rows);
        assert_eq!(x.iter().collect::<Vec<_>>(), (0..rows).map(|row| x.row(row)).collect::<Vec<_>>());
        assert_eq!(x.iter().rev().collect::<Vec<_>>(), (0..rows).rev().map(|row| x.row(row)).collect::<Vec<_>>());
        let mut count = 0;
        for ranking in &x {
            assert_eq!(ranking.ranks().len(), items);
            count += 1;
        }
        assert_eq!(count, rows);
    }
}

#[test]
fn rows_that_come_one_by_one_make_the_same_rankings() {
    let (flat, rows) = ([1, 2, 3, 3, 1, 2], [[1, 2, 3], [3, 1, 2]]);
    let mut built = Rows::new();
    assert!(built.is_empty());
    for row in rows {
        built.push(&row).unwrap();
    }
    assert_eq!(built.len(), 2);
    assert_eq!(built, Rows::collect(rows.iter()).unwrap());
    assert_eq!(built.ranks(), Rankings::from_ranks(2, 3, &flat));
    assert_eq!(built.orders(), Rankings::from_orders(2, 3, &flat));
    assert_eq!(built.scores(), Rankings::from_scores(2, 3, &flat));
    assert_eq!(built.push(&[1, 2]), Err(Error::RowLength { row: 2, given: 2, items: 3 }));
    assert_eq!(built.len(), 2, "a row that is refused changes nothing");
    let nan = f64::NAN;
    let gaps = Rows::collect([vec![1.0, nan, 1.0], vec![nan, 2.0, 1.0]]).unwrap();
    let flat = [1.0, nan, 1.0, nan, 2.0, 1.0];
    let same = |found: Result<Incomplete, Error>, wanted: Result<Incomplete, Error>| {
        assert_eq!(found.unwrap().starts(), wanted.unwrap().starts());
    };
    for missing in [Missing::Bottom, Missing::Anywhere] {
        same(gaps.incomplete_ranks(missing), Incomplete::from_ranks(2, 3, &flat, missing));
        same(gaps.incomplete_scores(missing), Incomplete::from_scores(2, 3, &flat, missing));
    }
    let none = Rows::<i64>::default().ranks().unwrap();
    assert_eq!((none.rows(), none.items()), (0, 0));
    let empty = Rows::<i64>::collect([[], []]).unwrap().ranks().unwrap();
    assert_eq!((empty.rows(), empty.items()), (2, 0));
}

#[test]
fn half_ranks_are_mean_ranks_only_where_they_repeat() {
    let found = |row: [f64; 4]| Rankings::from_ranks(1, 4, &row).unwrap_err();
    assert!(matches!(found([1.0, 2.5, 2.5, 4.0]), Error::Midrank { column: 1, .. }));
    assert!(matches!(found([1.5, 1.5, 3.5, 3.5]), Error::Midrank { column: 0, .. }));
    let order = Rankings::from_orders(1, 4, &[1.0, 2.5, 2.5, 4.0]).unwrap_err();
    assert!(matches!(order, Error::Midrank { column: 1, in_order: true, .. }));
    assert!(matches!(found([1.0, 2.5, 3.0, 4.0]), Error::NotWhole { column: 1, .. }));
    assert!(matches!(found([0.3, 0.3, 3.0, 4.0]), Error::NotWhole { column: 0, .. }));
    assert!(matches!(found([1.0, 7.5, 7.5, 4.0]), Error::NotWhole { column: 1, .. }));
    assert_eq!(found([1.0, 2.5, 2.5, 4.0]).kind(), Some("not whole"));
}
