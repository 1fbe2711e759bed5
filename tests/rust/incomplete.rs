//! Incomplete rankings against the mean over all complete rankings that agree with them.

use wkendall::{
    Error, Factor, Incomplete, Measure, Missing, Options, Rankings, Weight, Workspace, gram_incomplete_into,
};

/// All orders of the items, best first.
fn orders(items: usize) -> Vec<Vec<usize>> {
    if items == 0 {
        return vec![Vec::new()];
    }
    let insert = |order: &Vec<usize>, at: usize| [&order[..at], &[items - 1], &order[at..]].concat();
    orders(items - 1).iter().flat_map(|order| (0..items).map(move |at| insert(order, at))).collect()
}

/// The ranks, from 1, of the complete rankings that agree with a row.
fn completions(row: &[f64], missing: Missing) -> Vec<Vec<u32>> {
    let agrees = |order: &Vec<usize>| {
        order.iter().enumerate().all(|(place, &i)| {
            order[place + 1..].iter().all(|&j| match (row[i].is_nan(), row[j].is_nan()) {
                (false, false) => row[i] <= row[j],
                (true, false) => missing == Missing::Anywhere,
                _ => true,
            })
        })
    };
    let ranks = |order: Vec<usize>| {
        let mut ranks = vec![0; row.len()];
        (1..).zip(order).for_each(|(rank, item)| ranks[item] = rank);
        ranks
    };
    orders(row.len()).into_iter().filter(agrees).map(ranks).collect()
}

fn mean(measure: &Measure, s: &[f64], t: &[f64], missing: Missing) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for one in completions(s, missing) {
        for other in completions(t, missing) {
            let both = Rankings::from_ranks(2, s.len(), &[one.clone(), other].concat()).unwrap();
            sum += measure.between(both.row(0), both.row(1), &mut Workspace::new(s.len())).unwrap();
            count += 1.0;
        }
    }
    sum / count
}

#[test]
fn values_are_means_over_completions() {
    const NONE: f64 = f64::NAN;
    let rows: [[f64; 4]; 6] = [
        [1.0, 2.0, 3.0, 4.0],
        [1.0, 1.0, 2.0, 2.0],
        [3.0, 3.0, 3.0, 3.0],
        [NONE, 1.0, NONE, 2.0],
        [NONE, NONE, NONE, NONE],
        [2.0, 1.0, NONE, 1.0],
    ];
    let u = Factor::Values(vec![1.0, 0.5, -0.25, 0.125]);
    let weights = [Weight::Standard, Weight::Top(2), Weight::Add(u.clone()), Weight::Mult(u), Weight::Average];
    for weight in weights {
        for missing in [Missing::Bottom, Missing::Anywhere] {
            if missing == Missing::Anywhere && weight != Weight::Standard {
                continue;
            }
            let x = Incomplete::from_ranks(6, 4, rows.as_flattened(), missing).unwrap();
            for measure in
                [Measure::kernel(&weight, 4).unwrap(), Measure::kernel(&weight, 4).unwrap().signed().unwrap()]
            {
                let mut out = [0.0; 36];
                gram_incomplete_into(&measure, &x, None, &mut out, Options::default()).unwrap();
                for (index, &value) in out.iter().enumerate() {
                    let wanted = mean(&measure, &rows[index / 6], &rows[index % 6], missing);
                    assert!((value - wanted).abs() < 1e-12, "{weight:?} {missing:?} {index}: {value} {wanted}");
                }
            }
        }
    }
}

#[test]
fn what_is_not_a_ranking_is_refused() {
    let missing = Incomplete::from_ranks(1, 2, &[1.0, f64::NAN], Missing::Error).unwrap_err();
    assert_eq!(missing.to_string(), "row 0, column 1 holds NaN: every item needs a number");
    assert!(Incomplete::from_scores(1, 2, &[1.0, f64::INFINITY], Missing::Bottom).is_err());
    assert!(Incomplete::from_ranks(1, 3, &[1, 1], Missing::Error).is_err());
    let x = Incomplete::from_ranks(1, 2, &[1, 1], Missing::Error).unwrap();
    assert!(!x.is_complete() && x.complete().is_none());
    let cubic = Measure::kernel(&Weight::Standard, 2).unwrap().of_order(3).unwrap();
    assert!(gram_incomplete_into(&cubic, &x, None, &mut [0.0], Options::default()).is_err());
    let complete = Incomplete::from_ranks(1, 3, &[10, 30, 20], Missing::Error).unwrap();
    assert_eq!(complete.complete().unwrap().row(0).ranks(), [0, 2, 1]);
}

/// Rows take memory even where there are no items.
#[test]
fn more_rows_than_memory_are_refused() {
    for rows in [usize::MAX, 1 << 62] {
        let refused = Incomplete::from_ranks::<f64>(rows, 0, &[], Missing::Bottom);
        assert_eq!(refused, Err(Error::OutOfMemory { bytes: rows.saturating_mul(4) }));
    }
}
