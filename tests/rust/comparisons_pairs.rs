//! Published comparisons that are sums over pairs of items, against their definitions.

mod naive;

use naive::Random;
use wkendall::{
    Error, Incomplete, Lists, Measure, Missing, Options, RankingSet, Rankings, TauRank, Workspace, diagonal, gram,
    neighbors, within,
};

/// Ranks, or numbers with ties, of some rankings.
type Rows = Vec<Vec<f64>>;
type Definition<'a> = &'a dyn Fn(&[f64], &[f64]) -> f64;

/// 1 if i is before j, -1 if after, 0 for a tie.
fn sign(row: &[f64], i: usize, j: usize) -> f64 {
    f64::from(i8::from(row[i] < row[j]) - i8::from(row[i] > row[j]))
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (0..i).map(move |j| (i, j)))
}

fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator == 0.0 { 0.0 } else { numerator / denominator }
}

fn weighted_tau(s: &[f64], t: &[f64], rank: &TauRank, weigher: Option<&[f64]>, additive: bool) -> f64 {
    let n = s.len();
    let rank = match rank {
        TauRank::Both => {
            let one = weighted_tau(s, t, &TauRank::First, weigher, additive);
            return f64::midpoint(one, weighted_tau(t, s, &TauRank::First, weigher, additive));
        }
        TauRank::First => {
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&i, &j| s[i].total_cmp(&s[j]).then(t[i].total_cmp(&t[j])));
            (0..n).map(|item| order.iter().position(|&other| other == item).unwrap()).collect()
        }
        TauRank::Given(numbers) => {
            let mut distinct = numbers.clone();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            numbers.iter().map(|number| distinct.iter().position(|other| other == number).unwrap()).collect()
        }
        _ => (0..n).collect::<Vec<_>>(),
    };
    let weight = |item: usize| weigher.map_or(1.0 / (1 + rank[item]) as f64, |weights| weights[rank[item]]);
    let inner = |x: &[f64], y: &[f64]| -> f64 {
        let of_pair = |i, j| if additive { weight(i) + weight(j) } else { weight(i) * weight(j) };
        pairs(n).map(|(i, j)| sign(x, i, j) * sign(y, i, j) * of_pair(i, j)).sum()
    };
    ratio(inner(s, t), inner(s, s).sqrt() * inner(t, t).sqrt())
}

/// `tau_AP,a`: the mean over the rankings without ties that agree.
fn ap(truth: &[f64], estimate: &[f64]) -> f64 {
    let n = truth.len();
    let mut total = 0.0;
    for j in 0..n {
        let first = 1 + estimate.iter().filter(|&&value| value < estimate[j]).count();
        let size = estimate.iter().filter(|&&value| value == estimate[j]).count();
        let mut of_item = 0.0;
        for i in (0..n).filter(|&i| i != j) {
            for rank in first.max(2)..first + size {
                let tied = (rank - first) as f64 / (size.max(2) - 1) as f64;
                let above = [0.0, tied, 1.0][(1.0 + sign(estimate, i, j)) as usize];
                of_item += f64::midpoint(1.0, sign(truth, i, j)) * above / (size * (rank - 1)) as f64;
            }
        }
        total += of_item;
    }
    if n < 2 { 0.0 } else { 2.0 * total / (n - 1) as f64 - 1.0 }
}

/// `tau_AP,b`.
fn symmetric_ap(s: &[f64], t: &[f64]) -> f64 {
    let n = s.len();
    let direction = |truth: &[f64], estimate: &[f64]| {
        let mut shares = Vec::new();
        for j in 0..n {
            let above: Vec<usize> = (0..n).filter(|&i| estimate[i] < estimate[j]).collect();
            if !above.is_empty() {
                let right = above.iter().filter(|&&i| truth[i] < truth[j]).count();
                shares.push(right as f64 / above.len() as f64);
            }
        }
        (!shares.is_empty()).then(|| 2.0 * shares.iter().sum::<f64>() / shares.len() as f64 - 1.0)
    };
    let Some((one, other)) = direction(s, t).zip(direction(t, s)) else { return 0.0 };
    f64::midpoint(one, other)
}

fn concordance(s: &[f64], t: &[f64], w: &dyn Fn(usize, usize) -> f64, both: bool) -> f64 {
    let n = s.len();
    let all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|&(i, j)| s[i] < s[j] && t[i] < t[j]);
    let of = |row: &[f64], i: usize, j: usize| w(row[i] as usize - 1, row[j] as usize - 1);
    all.map(|(i, j)| of(s, i, j) + if both { of(t, i, j) } else { 0.0 }).sum::<f64>() + 0.0
}

fn generalized(s: &[f64], t: &[f64], weights: Option<&[f64]>, costs: Option<&[f64]>) -> f64 {
    let factor = |i: usize| {
        let (low, high) = (s[i].min(t[i]) as usize, s[i].max(t[i]) as usize);
        let mean = |costs: &[f64]| costs[low..high].iter().sum::<f64>() / (high - low) as f64;
        weights.map_or(1.0, |weights| weights[i]) * if low == high { 1.0 } else { costs.map_or(1.0, mean) }
    };
    let discordant = pairs(s.len()).filter(|&(i, j)| sign(s, i, j) != sign(t, i, j));
    discordant.map(|(i, j)| factor(i) * factor(j)).sum::<f64>() + 0.0
}

/// The closed form of the paper.
fn swaps(s: &[f64], t: &[f64], costs: &[f64]) -> f64 {
    let n = s.len();
    let running = |rank: usize| costs[..rank - 1].iter().sum::<f64>();
    let of_item = |i: usize| {
        let inversions = (0..n).filter(|&j| sign(s, i, j) != sign(t, i, j)).count();
        let lowest = (s[i] as usize + t[i] as usize + inversions) / 2;
        2.0 * running(lowest) - running(s[i] as usize) - running(t[i] as usize)
    };
    (0..n).map(of_item).sum::<f64>() / 2.0 + 0.0
}

fn with_threads(threads: usize) -> Options<'static> {
    Options { threads: Some(threads), ..Options::default() }
}

/// Compares the matrices of x with itself and with y with the definition; they are bitwise the same for one and two
/// threads.
fn check<R: RankingSet>(measure: &Measure, [x, y]: [(&R, &Rows); 2], symmetric: bool, definition: Definition<'_>) {
    for (other, rows) in [(None, x.1), (Some(y.0), y.1)] {
        let found = gram(measure, x.0, other, with_threads(1)).unwrap();
        let wanted: Vec<f64> = x.1.iter().flat_map(|s| rows.iter().map(|t| definition(s, t))).collect();
        let size = wanted.iter().fold(1.0, |size: f64, value| size.max(value.abs()));
        for (cell, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            assert!((found - wanted).abs() <= 1e-12 * size, "{measure:?} {cell}: {found} {wanted}");
        }
        let small = Options { tile: Some(2), ..with_threads(2) };
        assert_eq!(gram(measure, x.0, other, small).unwrap(), found);
        let columns = rows.len();
        if other.is_none() {
            let own: Vec<f64> = (0..columns).map(|row| found[row * columns + row]).collect();
            assert_eq!(diagonal(measure, x.0, Options::default()).unwrap(), own);
        } else if symmetric {
            let swapped = gram(measure, y.0, Some(x.0), with_threads(2)).unwrap();
            for row in 0..x.1.len() {
                assert!((0..columns).all(|column| swapped[column * x.1.len() + row] == found[row * columns + column]));
            }
        }
    }
}

/// Measures with their definitions, for complete rankings and for rankings with ties.
fn each_measure(n: usize, random: &mut Random, see: &mut dyn FnMut(Measure, bool, bool, Definition<'_>)) {
    let mut numbers = |count: usize| -> Vec<f64> { (0..count).map(|_| random.real().abs()).collect() };
    let (w, a, b, v, costs) = (numbers(n * n), numbers(n), numbers(n), numbers(n), numbers(n));
    let mut falling = numbers(n.saturating_sub(1));
    falling.sort_by(|a, b| b.total_cmp(a));
    let ranks = (0..n).map(|_| random.below(4) as f64 - 1.5).collect();
    for rank in [TauRank::Both, TauRank::First, TauRank::Items, TauRank::Given(ranks)] {
        for additive in [true, false] {
            for weigher in [None, Some(&a[..])] {
                let tau = Measure::weighted_tau(n, &rank, weigher, additive).unwrap();
                let definition = |s: &[f64], t: &[f64]| weighted_tau(s, t, &rank, weigher, additive);
                see(tau, true, rank != TauRank::First, &definition);
            }
        }
    }
    see(Measure::ap_correlation(n, false), true, false, &ap);
    see(Measure::ap_correlation(n, true), true, true, &symmetric_ap);
    for both in [false, true] {
        let measure = Measure::weighted_concordance(n, &w, both).unwrap();
        see(measure, false, both, &|s, t| concordance(s, t, &|r, q| w[r * n + q], both));
        let measure = Measure::factored_concordance(n, &a, &b, both).unwrap();
        see(measure, false, both, &|s, t| concordance(s, t, &|r, q| a[r] * b[q], both));
    }
    for weights in [None, Some(&v[..])] {
        for costs in [None, Some(&costs[..])] {
            let measure = Measure::generalized_kendall(n, weights, costs).unwrap();
            see(measure, false, true, &|s, t| generalized(s, t, weights, costs));
        }
    }
    for costs in [&falling, &vec![1.0; n.saturating_sub(1)]] {
        see(Measure::swap_distance(n, costs).unwrap(), false, true, &|s, t| swaps(s, t, costs));
    }
}

fn complete_rows(random: &mut Random, rows: usize, n: usize) -> (Rankings, Rows) {
    let values = random.rankings(rows, n);
    let of_row = |row: usize| values[row * n..(row + 1) * n].iter().map(|&rank| rank as f64).collect();
    (Rankings::from_ranks(rows, n, &values).unwrap(), (0..rows).map(of_row).collect())
}

#[test]
fn complete_rankings() {
    let mut random = Random(1);
    for n in (0..=40).chain([63, 64, 65, 130, 256, 257, 300]) {
        let ((x, of_x), (y, of_y)) = (complete_rows(&mut random, 5, n), complete_rows(&mut random, 3, n));
        each_measure(n, &mut random, &mut |measure, _, symmetric, definition| {
            check(&measure, [(&x, &of_x), (&y, &of_y)], symmetric, definition);
            let one = measure.between(x.row(0), y.row(1), &mut Workspace::new(n)).unwrap();
            assert_eq!(one, gram(&measure, &x, Some(&y), Options::default()).unwrap()[1]);
        });
    }
}

#[test]
fn rankings_with_ties() {
    let mut random = Random(2);
    for n in (0..=40).chain([65, 130, 257]) {
        let mut rows = |count: usize| -> (Incomplete, Rows) {
            let rows: Rows = (0..count)
                .map(|_| {
                    let levels = 1 + random.below(n.max(1));
                    (0..n).map(|_| random.below(levels) as f64).collect()
                })
                .collect();
            (Incomplete::from_ranks(count, n, &rows.concat(), Missing::Error).unwrap(), rows)
        };
        let ((x, of_x), (y, of_y)) = (rows(5), rows(4));
        let ties = "rankings with ties or missing items, only for complete rankings";
        each_measure(n, &mut Random(n as u64 + 1), &mut |measure, takes_ties, symmetric, definition| {
            if takes_ties {
                check(&measure, [(&x, &of_x), (&y, &of_y)], symmetric, definition);
            } else {
                let error = gram(&measure, &x, None, Options::default()).unwrap_err();
                assert!(matches!(error, Error::NotTaken { rankings, .. } if rankings == ties));
            }
        });
    }
    // Items that are not listed are tied.
    let lists = Lists::from_orders(5, &[vec![3, 1], vec![1]]).unwrap();
    let tied = Incomplete::from_ranks(2, 5, &[3, 2, 3, 1, 3, 2, 1, 2, 2, 2], Missing::Error).unwrap();
    let tau = Measure::weighted_tau(5, &TauRank::Both, None, true).unwrap();
    let of_lists = gram(&tau, &lists, None, Options::default()).unwrap();
    assert_eq!(of_lists, gram(&tau, &tied, None, Options::default()).unwrap());
}

/// Values of a published set: github.com/julian-urbano/ircor.
#[test]
fn published_values() {
    let x = [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38];
    let y = [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644];
    let [tied_x, tied_y] = [x, y].map(|row| row.map(|value| (value * 10.0_f64).round()));
    for (rows, symmetric, wanted) in
        [([x, y], false, 0.2504), ([x, tied_y], false, 0.2692), ([x, y], true, 0.2880), ([tied_x, tied_y], true, 0.297)]
    {
        let rows = Incomplete::from_scores(2, 10, rows.as_flattened(), Missing::Error).unwrap();
        let found = gram(&Measure::ap_correlation(10, symmetric), &rows, None, Options::default()).unwrap()[1];
        assert!((found - wanted).abs() < 6e-5, "{found} {wanted}");
    }
    // The examples of scipy's documentation.
    let rows = Incomplete::from_scores(2, 5, &[12, 2, 1, 12, 2, 1, 4, 7, 1, 0], Missing::Error).unwrap();
    for (additive, wanted) in [(true, -0.566_949_681_536_827_2), (false, -0.622_057_169_518_010_4)] {
        let tau = Measure::weighted_tau(5, &TauRank::Both, None, additive).unwrap();
        let found = gram(&tau, &rows, None, Options::default()).unwrap()[1];
        assert!((found - wanted).abs() < 1e-15);
    }
}

/// The cheapest ways by swaps of neighbours, found by a search over all rankings.
#[test]
fn swaps_are_cheapest() {
    let costs = [1.0, 0.75, 0.7, 0.1];
    let distance = Measure::swap_distance(5, &costs).unwrap();
    let start: Vec<u32> = (0..5).collect();
    let mut found = std::collections::BTreeMap::from([(start.clone(), 0.0)]);
    // Until no way becomes cheaper.
    let mut changed = vec![start];
    while let Some(order) = changed.pop() {
        for (r, more) in costs.iter().enumerate() {
            let mut next = order.clone();
            next.swap(r, r + 1);
            let cost = found[&order] + more;
            if found.get(&next).is_none_or(|&old| cost < old - 1e-9) {
                found.insert(next.clone(), cost);
                changed.push(next);
            }
        }
    }
    assert_eq!(found.len(), 120);
    let orders: Vec<u32> = found.keys().flatten().copied().collect();
    let x = Rankings::from_orders(120, 5, &orders).unwrap();
    let row = gram(&distance, &x, None, Options::default()).unwrap();
    assert!(found.values().zip(&row[..120]).all(|(cost, found)| (cost - found).abs() < 1e-12));
}

#[test]
fn steep_weights_and_large_numbers() {
    // Nearly all of the weight is in pairs that are tied.
    let x = Incomplete::from_ranks(2, 4, &[1, 2, 2, 2, 2, 1, 1, 1], Missing::Error).unwrap();
    for weigher in [[1e-20, 1.0, 1.0, 1.0], [1e300, 1e308, 1e308, 1e308], [0.0, 1.0, 1.0, 1.0]] {
        let tau = Measure::weighted_tau(4, &TauRank::Items, Some(&weigher), false).unwrap();
        let wanted = if weigher[0] == 0.0 { 0.0 } else { -1.0 };
        assert_eq!(gram(&tau, &x, None, Options::default()).unwrap()[1], wanted);
    }
    // Small costs after a large one keep their digits.
    let distance = Measure::swap_distance(4, &[1e20, 0.3, 0.1]).unwrap();
    let x = Rankings::from_orders(2, 4, &[0, 1, 2, 3, 0, 1, 3, 2]).unwrap();
    assert_eq!(gram(&distance, &x, None, Options::default()).unwrap(), [0.0, 0.1, 0.1, 0.0]);
    // As many items as need several levels of a partition.
    let n = 70_000;
    let reversed: Vec<usize> = (0..n).rev().collect();
    let x = Rankings::from_orders(2, n, &[(0..n).collect(), reversed].concat()).unwrap();
    let all = (n * (n - 1) / 2) as f64;
    let value = |measure: Result<Measure, Error>| gram(&measure.unwrap(), &x, None, with_threads(1)).unwrap();
    assert_eq!(value(Measure::swap_distance(n, &vec![1.0; n - 1])), [0.0, all, all, 0.0]);
    assert_eq!(value(Measure::generalized_kendall(n, None, None)), [0.0, all, all, 0.0]);
    assert_eq!(value(Measure::generalized_kendall(n, Some(&vec![1.0; n]), None)), [0.0, all, all, 0.0]);
    assert_eq!(value(Measure::factored_concordance(n, &vec![1.0; n], &vec![2.0; n], false))[..2], [2.0 * all, 0.0]);
    for symmetric in [false, true] {
        assert_eq!(value(Ok(Measure::ap_correlation(n, symmetric))), [1.0, -1.0, -1.0, 1.0]);
    }
    for additive in [false, true] {
        let found = value(Measure::weighted_tau(n, &TauRank::Both, None, additive));
        assert!((found[1] + 1.0).abs() < 1e-12 && found[0] == 1.0, "{found:?}");
    }
}

#[test]
fn neighbors_by_a_measure_of_its_own() {
    let mut random = Random(5);
    let (x, _) = complete_rows(&mut random, 40, 12);
    let tau = Measure::weighted_tau(12, &TauRank::Both, None, true).unwrap();
    let all = gram(&tau, &x, None, Options::default()).unwrap();
    for threads in [1, 2] {
        let near = neighbors(&tau, &x, None, 3, with_threads(threads)).unwrap();
        let close = within(&tau, &x, None, 0.3, with_threads(threads)).unwrap();
        for row in 0..40 {
            let mut others: Vec<usize> = (0..40).filter(|&other| other != row).collect();
            let wanted: Vec<usize> = others.iter().copied().filter(|&other| all[row * 40 + other] >= 0.3).collect();
            assert_eq!(close.indices[close.starts[row]..close.starts[row + 1]], wanted);
            others.sort_by(|&i, &j| all[row * 40 + j].total_cmp(&all[row * 40 + i]).then(i.cmp(&j)));
            assert_eq!(near.indices[3 * row..3 * row + 3], others[..3]);
        }
    }
    // The row is the truth.
    let ap = Measure::ap_correlation(12, false);
    let found = neighbors(&ap, &x, None, 1, Options::default()).unwrap();
    let all = gram(&ap, &x, None, Options::default()).unwrap();
    assert!(found.indices.iter().zip(&found.values).enumerate().all(|(row, (&i, &value))| all[row * 40 + i] == value));
}

#[test]
fn wrong_parameters() {
    let ones = [1.0; 4];
    let tau = |rank: TauRank, weigher: Option<&[f64]>| Measure::weighted_tau(4, &rank, weigher, true).err();
    let given = |ranks: &[f64]| tau(TauRank::Given(ranks.to_vec()), None);
    let nan = [1.0, f64::NAN, 1.0, 1.0];
    for (error, name, message) in [
        (
            tau(TauRank::Both, Some(&[1.0, 2.0])),
            "weigher",
            "an array of length 2, but must be an array of length 4, one number for each rank",
        ),
        (
            tau(TauRank::Both, Some(&[1.0, 2.0, -1.0, 0.0])),
            "weigher",
            "[2] is -1.0, but must be a finite number that is not negative",
        ),
        (tau(TauRank::First, Some(&nan)), "weigher", "[1] is NaN, but must be a finite number that is not negative"),
        (given(&[1.0, 2.0]), "rank", "an array of length 2, but must be an array of length 4, one rank for each item"),
        (given(&nan), "rank", "[1] is NaN, but must be a finite number"),
        (
            Measure::weighted_concordance(4, &ones, false).err(),
            "w",
            "an array of length 4, but must be an array of length 16, one number for each two ranks",
        ),
        (Measure::weighted_concordance(2, &nan, true).err(), "w", "[1] is NaN, but must be a finite number"),
        (
            Measure::weighted_concordance(2, &[1e308; 4], true).err(),
            "w",
            "as large as 1e308, but must be small enough for sums below 1.8e308",
        ),
        (
            Measure::factored_concordance(4, &ones, &ones[1..], false).err(),
            "w",
            "an array of length 3, but must be an array of length 4, one number for each rank",
        ),
        (
            Measure::factored_concordance(4, &[1e200; 4], &[1e200; 4], false).err(),
            "w",
            "as large as 1e200, but must be small enough for sums below 1.8e308",
        ),
        (
            Measure::generalized_kendall(4, Some(&ones[1..]), None).err(),
            "item_weights",
            "an array of length 3, but must be an array of length 4, one number for each item",
        ),
        (
            Measure::generalized_kendall(4, Some(&[1e200; 4]), None).err(),
            "item_weights",
            "as large as 1e200, but must be small enough for sums below 1.8e308",
        ),
        (
            Measure::generalized_kendall(4, None, Some(&[-0.5; 4])).err(),
            "position_costs",
            "[0] is -0.5, but must be a finite number that is not negative",
        ),
        (
            Measure::generalized_kendall(4, None, Some(&[1e308; 4])).err(),
            "position_costs",
            "as large as 1e308, but must be small enough for sums below 1.8e308",
        ),
        (
            Measure::swap_distance(4, &ones).err(),
            "costs",
            "an array of length 4, but must be an array of length 3, one number for each two neighbouring ranks",
        ),
        (
            Measure::swap_distance(4, &[1.0, 2.0, 1.0]).err(),
            "costs",
            "[1] is 2.0, but must be at most the cost before it, 1.0",
        ),
        (
            Measure::swap_distance(4, &[1.0, 0.0, -1.0]).err(),
            "costs",
            "[2] is -1.0, but must be a finite number that is not negative",
        ),
        (
            Measure::swap_distance(4, &[1e308; 3]).err(),
            "costs",
            "as large as 1e308, but must be small enough for sums below 1.8e308",
        ),
    ] {
        let error = error.unwrap();
        let is = if message.starts_with('[') { "" } else { " is " };
        assert_eq!(error.to_string(), format!("{name}{is}{message}"));
        assert_eq!(error.argument(), Some(name));
    }
}
