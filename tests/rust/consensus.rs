//! The consensus of rankings and the effects of pairs, compared with definitions that share no code with them.

mod naive;

use naive::{Random, permutations};
use wkendall::RunOptions;
use wkendall::consensus::{Consensus, Large, Method, Options, Ordered, consensus, linear_ordering, linear_orderings};
use wkendall::importance::largest_effects;
use wkendall::{Factor, Incomplete, Measure, Missing, Rankings, Weight, gram};

fn with(method: Method) -> Options<'static> {
    Options { method, seed: 1, ..Options::default() }
}

fn weights(items: usize) -> Vec<Weight> {
    let mut random = Random(9);
    let mut numbers = |count: usize| (0..count).map(|_| random.below(1000) as f64 / 500.0 - 1.0).collect::<Vec<f64>>();
    vec![
        Weight::Standard,
        Weight::Average,
        Weight::Top(items.div_ceil(2).max(1)),
        Weight::Add(Factor::Log),
        Weight::Mult(Factor::Hyperbolic),
        Weight::Mult(Factor::Values(numbers(items))),
        Weight::Matrix(numbers(items * items)),
    ]
}

#[test]
fn every_weight_has_the_best_of_all_rankings() {
    for items in 0..6 {
        let everything = permutations(items).concat();
        let count = everything.len().checked_div(items).unwrap_or(1);
        let all = Incomplete::from_ranks(count, items, &everything, Missing::Error).unwrap();
        let mut random = Random(items as u64);
        let values: Vec<f64> = (0..5 * items).map(|_| random.below(4) as f64).collect();
        let x = Incomplete::from_ranks(5, items, &values, Missing::Error).unwrap();
        for weight in weights(items) {
            let plain = Measure::kernel(&weight, items).unwrap();
            let mut forms = vec![plain.clone(), plain.clone().normalized()];
            forms.extend(plain.signed().ok());
            for measure in forms {
                let values = gram(&measure, &all, Some(&x), wkendall::Options::default()).unwrap();
                let best = values.chunks_exact(5).map(|row| row.iter().sum::<f64>() / 5.0).fold(f64::MIN, f64::max);
                for method in [Method::Auto, Method::Exact, Method::Local] {
                    let found = consensus(&measure, &x, None, with(method)).unwrap();
                    let close = (found.score - best).abs() <= 1e-10 * best.abs().max(1.0);
                    assert!(close, "{items} {weight:?} {method:?}: {} {best}", found.score);
                    assert!(found.bound >= found.score);
                    assert!(method == Method::Local || found.optimal);
                }
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let x = Rankings::from_ranks(9, 30, &Random(3).rankings(9, 30)).unwrap();
    for weight in [Weight::Standard, Weight::Average, Weight::Mult(Factor::Log)] {
        let measure = Measure::kernel(&weight, 30).unwrap();
        let on = |threads| {
            let options = Options { threads: Some(threads), ..with(Method::Local) };
            consensus(&measure, &x, Some(&[0.5; 9]), options).unwrap()
        };
        let one: Consensus = on(1);
        assert_eq!(one, on(2));
        assert_eq!(one, on(3));
    }
}

#[test]
fn a_linear_ordering_is_the_best_of_all_orders() {
    let mut random = Random(7);
    for items in 0..6 {
        for largest in [2, 3, 1000] {
            let matrices: Vec<f64> = (0..4 * items * items).map(|_| random.below(largest) as f64 - 1.0).collect();
            let found = linear_orderings(4, items, &matrices, with(Method::Auto)).unwrap();
            for (number, found) in found.iter().enumerate() {
                let matrix = &matrices[number * items * items..][..items * items];
                let score = |ranks: &[i64]| {
                    let pairs = (0..items).flat_map(|i| (0..items).map(move |j| (i, j)));
                    pairs.filter(|&(i, j)| ranks[i] < ranks[j]).map(|(i, j)| matrix[i * items + j]).sum::<f64>()
                };
                let mut scores: Vec<f64> = permutations(items).iter().map(|ranks| score(ranks)).collect();
                scores.sort_by(|one, other| other.total_cmp(one));
                assert_eq!(found.score, scores[0]);
                let ranks: Vec<i64> = found.ranks.iter().map(|&rank| i64::from(rank)).collect();
                assert_eq!(score(&ranks), scores[0]);
                assert_eq!((found.bound, found.optimal), (found.score, true));
                assert_eq!(found.unique, Some(scores.len() < 2 || scores[1] < scores[0]));
                assert_eq!(linear_ordering(items, matrix, with(Method::Exact)).as_ref(), Ok(found));
            }
        }
    }
}

#[test]
fn large_components_are_given_to_the_caller() {
    let mut random = Random(8);
    // Two groups of 25 items: the first before the second.
    let matrix: Vec<f64> = (0..2500)
        .map(|place| if place / 50 < 25 && place % 50 >= 25 { 9e3 } else { random.below(1000) as f64 })
        .collect();
    let alone = linear_ordering(50, &matrix, with(Method::Auto)).unwrap();
    assert_eq!((alone.optimal, alone.unique), (false, None));
    let mut sizes = Vec::new();
    let mut prove = |large: &Large<'_>| {
        let value = |order: &[u32]| -> f64 {
            let after = |place: usize| order[place + 1..].iter().map(move |&j| (order[place] as usize, j as usize));
            (0..order.len()).flat_map(after).map(|(i, j)| large.margins[i * large.items + j]).sum()
        };
        assert!(value(large.order) <= large.bound);
        sizes.push(large.items);
        Ok(Ordered::new(large.order.to_vec(), value(large.order), true, Some(true)))
    };
    let options = Options { method: Method::Exact, seed: 1, prove: Some(&mut prove), ..Options::default() };
    let proved = linear_ordering(50, &matrix, options).unwrap();
    assert_eq!(sizes, [25, 25]);
    assert_eq!((&proved.ranks, proved.score, proved.bound), (&alone.ranks, alone.score, alone.score));
    assert_eq!((proved.optimal, proved.unique), (true, Some(true)));
}

#[test]
fn effects_are_differences_of_kernels() {
    let x = Rankings::from_ranks(6, 5, &Random(4).rankings(6, 5)).unwrap();
    let coefficients = [1.0, -2.0, 0.5, 3.0, -1.0, 0.25];
    let kernel = Measure::kernel(&Weight::Standard, 5).unwrap();
    let found = largest_effects(&kernel, &x, &coefficients, usize::MAX, RunOptions::default()).unwrap();
    assert_eq!(found.len(), 10);
    for pair in &found {
        // The two items come first, one way and the other.
        let mut rows = [[0_i64; 5]; 2];
        for (row, (one, other)) in rows.iter_mut().zip([(pair.first, pair.second), (pair.second, pair.first)]) {
            (row[one], row[other]) = (1, 2);
            let rest = (0..5).filter(|&item| item != one && item != other);
            rest.zip(3..).for_each(|(item, rank)| row[item] = rank);
        }
        let two = Rankings::from_ranks(2, 5, rows.as_flattened()).unwrap();
        let values = gram(&kernel, &two, Some(&x), wkendall::Options::default()).unwrap();
        let function = |row: usize| values[row * 6..][..6].iter().zip(&coefficients).map(|(k, c)| k * c).sum::<f64>();
        assert_eq!(function(0) - function(1), pair.effect);
    }
    assert!(found.windows(2).all(|two| two[0].effect >= two[1].effect));
    assert_eq!(largest_effects(&kernel, &x, &coefficients, 3, RunOptions::default()).unwrap(), found[..3]);
    assert!(largest_effects(&kernel, &x, &coefficients, 0, RunOptions::default()).unwrap().is_empty());
}
