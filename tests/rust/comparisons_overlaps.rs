//! Overlaps, the footrule, and counts of pairs of lists, against their definitions.

mod naive;

use naive::Random;
use wkendall::{
    Error, Incomplete, Lists, Matrix, Measure, Missing, Options, RankingSet, Rankings, Weight, Workspace, diagonal,
    features, gram, gram_matrix, neighbors, planned, within,
};

/// Groups of tied items, the best first. Items that are not listed are in none.
type Groups = Vec<Vec<usize>>;

/// The definitions, of groups of items out of a catalogue.
mod definition {
    use super::Groups;

    /// For each item the first rank, from 0, of its group, and the size of the group.
    type Blocks = Vec<Option<(usize, usize)>>;

    fn blocks(groups: &Groups, items: usize) -> Blocks {
        let (mut blocks, mut start) = (vec![None; items], 0);
        for group in groups {
            for &item in group {
                blocks[item] = Some((start, group.len()));
            }
            start += group.len();
        }
        blocks
    }

    /// The same with the items that are not listed as a group at the end.
    fn all_blocks(groups: &Groups, items: usize) -> Vec<(usize, usize)> {
        let listed = groups.iter().map(Vec::len).sum();
        blocks(groups, items).into_iter().map(|block| block.unwrap_or((listed, items - listed))).collect()
    }

    /// The probability that an item is in the top.
    fn share(blocks: &Blocks, item: usize, depth: usize) -> f64 {
        blocks[item].map_or(0.0, |(start, size)| depth.saturating_sub(start).min(size) as f64 / size as f64)
    }

    pub fn average_overlap(s: &Groups, t: &Groups, items: usize, depth: usize) -> f64 {
        let (s, t) = (blocks(s, items), blocks(t, items));
        let common = |d| (0..items).map(|item| share(&s, item, d) * share(&t, item, d)).sum::<f64>();
        (1..=depth).map(|d| common(d) / d as f64).sum::<f64>() / depth.max(1) as f64
    }

    pub fn rank_biased_overlap(s: &Groups, t: &Groups, items: usize, p: f64, value: &str, ties: &str) -> f64 {
        let length = |groups: &Groups| groups.iter().map(Vec::len).sum::<usize>();
        let (s, t) = if length(s) <= length(t) { (s, t) } else { (t, s) };
        let (short, long, order) = (length(s), length(t), t.concat());
        let (s, t) = (blocks(s, items), blocks(t, items));
        let member = |blocks: &Blocks, item: usize, depth: usize| {
            let share = share(blocks, item, depth);
            if ties == "w" { f64::from(share > 0.0) } else { share }
        };
        let square = |blocks: &Blocks, depth: usize| {
            (0..items).map(|item| member(blocks, item, depth).powi(if ties == "w" { 1 } else { 2 })).sum::<f64>()
        };
        let only_long: Vec<usize> = order.into_iter().filter(|&item| s[item].is_none()).collect();
        let common = long - only_long.len();
        let (mut ext, mut min, mut max, mut last) = (0.0, 0.0, 0.0, 0.0);
        for depth in 1..=long {
            let overlap: f64 = (0..items).map(|item| member(&s, item, depth) * member(&t, item, depth)).sum();
            let a = if depth > short { depth as f64 } else { square(&s, depth) };
            let size = match ties {
                "w" => f64::midpoint(a, square(&t, depth)),
                "a" => depth as f64,
                _ => (a * square(&t, depth)).sqrt(),
            };
            let (mut more, mut most) = (0.0, 0.0);
            if depth > short {
                let shares: Vec<f64> = only_long.iter().map(|&item| member(&t, item, depth)).collect();
                let positive = shares.iter().filter(|&&share| share > 0.0).count() as f64;
                more = (depth - short) as f64 * last * shares.iter().sum::<f64>() / positive;
                most = shares[..depth - short].iter().sum();
            }
            let weight = p.powf(depth as f64 - 1.0) * (1.0 - p);
            ext += weight * (overlap + more) / size;
            min += weight * overlap / size;
            max += weight * (overlap + most) / size;
            last = if depth == short { overlap / size } else { last };
        }
        // After the end of both lists, until nothing is left.
        let end = (long + short) as f64 - common as f64;
        let tail = |agreement: &dyn Fn(f64) -> f64| -> f64 {
            let depths = (long + 1..long + 1 + (50.0 / (1.0 - p)) as usize).rev();
            depths.map(|d| p.powf(d as f64 - 1.0) * (1.0 - p) * agreement(d as f64)).sum()
        };
        ext += tail(&|_| if long > 0 { (common as f64 + (long - short) as f64 * last) / long as f64 } else { 0.0 });
        min += tail(&|d| common as f64 / d);
        max += tail(&|d| ((2.0 * d - end) / d).min(1.0));
        match value {
            "ext" => ext,
            "min" => min,
            "max" => max,
            _ => max - min,
        }
    }

    /// The sum of the differences of mean ranks, over the items of both lists.
    pub fn footrule(s: &Groups, t: &Groups, items: usize) -> f64 {
        let after = |groups: &Groups| groups.iter().map(Vec::len).sum::<usize>() as f64 + 1.0;
        let (last, of_s, of_t) = ([after(s), after(t)], blocks(s, items), blocks(t, items));
        let rank = |block: (usize, usize)| block.0 as f64 + f64::midpoint(block.1 as f64, 1.0);
        let union = (0..items).filter(|&item| of_s[item].or(of_t[item]).is_some());
        union.map(|item| (of_s[item].map_or(last[0], rank) - of_t[item].map_or(last[1], rank)).abs()).sum::<f64>() + 0.0
    }

    pub fn spearman_rho(s: &Groups, t: &Groups, items: usize) -> f64 {
        let centred = |groups: &Groups| -> Vec<f64> {
            let blocks = all_blocks(groups, items).into_iter();
            blocks.map(|(start, size)| (2 * start + size) as f64 - items as f64).collect()
        };
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() + 0.0;
        let (a, b) = (centred(s), centred(t));
        let lengths = product(&a, &a) * product(&b, &b);
        if lengths > 0.0 { product(&a, &b) / lengths.sqrt() } else { 0.0 }
    }

    fn pairs(items: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..items).flat_map(|j| (0..j).map(move |i| (i, j)))
    }

    fn signs(groups: &Groups, items: usize) -> impl Fn(usize, usize) -> i64 {
        let blocks = all_blocks(groups, items);
        move |i, j| i64::from(blocks[i].0 < blocks[j].0) - i64::from(blocks[i].0 > blocks[j].0)
    }

    pub fn kemeny_snell(s: &Groups, t: &Groups, items: usize) -> f64 {
        let (a, b) = (signs(s, items), signs(t, items));
        pairs(items).map(|(i, j)| (a(i, j) - b(i, j)).abs()).sum::<i64>() as f64
    }

    pub fn tau_x(s: &Groups, t: &Groups, items: usize) -> f64 {
        let (a, b) = (signs(s, items), signs(t, items));
        let score = |sign: i64| if sign >= 0 { 1 } else { -1 };
        let both = |i, j| score(a(i, j)) * score(b(i, j));
        let sum: i64 = pairs(items).map(|(i, j)| both(i, j) + both(j, i)).sum();
        if items > 1 { sum as f64 / (items * (items - 1)) as f64 } else { 0.0 }
    }

    pub fn fagin_kendall(s: &Groups, t: &Groups, items: usize, p: f64) -> f64 {
        let (a, b) = (signs(s, items), signs(t, items));
        let (s, t) = (blocks(s, items), blocks(t, items));
        let listed = |item: usize| s[item].or(t[item]).is_some();
        let union = pairs(items).filter(|&(i, j)| listed(i) && listed(j));
        union.map(|(i, j)| [1.0, p, 0.0][(a(i, j) * b(i, j) + 1) as usize]).sum::<f64>() + 0.0
    }
}

type Definition = Box<dyn Fn(&Groups, &Groups) -> f64>;

/// A measure of `items` items and its definition; counts must be equal.
struct Case {
    measure: Measure,
    definition: Definition,
    tolerance: f64,
}

fn cases(items: usize, ties: bool) -> Vec<Case> {
    let case = |measure: Measure, tolerance: f64, definition: Definition| Case { measure, definition, tolerance };
    let mut cases = vec![
        case(Measure::spearman_rho(items), 1e-14, Box::new(move |s, t| definition::spearman_rho(s, t, items))),
        case(Measure::footrule(items), 0.0, Box::new(move |s, t| definition::footrule(s, t, items))),
        case(Measure::kemeny_snell(items), 0.0, Box::new(move |s, t| definition::kemeny_snell(s, t, items))),
        case(Measure::tau_x(items), 1e-15, Box::new(move |s, t| definition::tau_x(s, t, items))),
    ];
    for depth in [None, Some(1), Some(items / 5), Some(items.div_ceil(2))] {
        if let Ok(measure) = Measure::average_overlap(items, depth) {
            let depth = depth.unwrap_or(items);
            let definition = move |s: &Groups, t: &Groups| definition::average_overlap(s, t, items, depth);
            cases.push(case(measure, 1e-14, Box::new(definition)));
        }
    }
    let p = [0.9, 0.5, 0.99, 0.1][items % 4];
    for value in ["ext", "min", "max", "res"] {
        for variant in ["w", "a", "b"] {
            let measure = Measure::rank_biased_overlap(items, p, value, variant).unwrap();
            let definition =
                move |s: &Groups, t: &Groups| definition::rank_biased_overlap(s, t, items, p, value, variant);
            cases.push(case(measure, 1e-13, Box::new(definition)));
        }
    }
    if !ties {
        for p in [0.0, 0.5, 1.0] {
            let measure = Measure::fagin_kendall(items, p).unwrap();
            cases.push(case(measure, 0.0, Box::new(move |s, t| definition::fagin_kendall(s, t, items, p))));
        }
    }
    cases
}

/// Compares all matrices with the definitions, for one and two threads and small tiles, and swapped.
fn check<R: RankingSet>(items: usize, ties: bool, (x, of_x): (&R, &[Groups]), (y, of_y): (&R, &[Groups])) {
    for Case { measure, definition, tolerance } in cases(items, ties) {
        let run = |x: &R, y: Option<&R>, threads: usize, tile: Option<usize>| {
            gram(&measure, x, y, Options { threads: Some(threads), tile, ..Options::default() }).unwrap()
        };
        let (found, swapped) = (run(x, Some(y), 1, None), run(y, Some(x), 2, Some(3)));
        let own = run(x, None, 1, None);
        for (row, s) in of_x.iter().enumerate() {
            for (column, t) in of_y.iter().enumerate() {
                let (value, wanted) = (found[row * of_y.len() + column], definition(s, t));
                assert!((value - wanted).abs() <= tolerance, "{measure:?}\n{s:?}\n{t:?}\n{value} not {wanted}");
                assert_eq!(value.to_bits(), swapped[column * of_x.len() + row].to_bits(), "{measure:?}");
            }
        }
        if tolerance == 0.0 {
            let single: Matrix<f32> = gram_matrix(&measure, x, Some(y), Options::default()).unwrap();
            assert!(single.as_slice().iter().zip(&found).all(|(&one, &two)| one == two as f32), "{measure:?}");
        }
        assert_eq!(own, run(x, None, 2, Some(2)));
        assert_eq!(own, run(x, Some(x), 1, None));
        let diagonal = diagonal(&measure, x, Options::default()).unwrap();
        assert!(diagonal.iter().enumerate().all(|(row, &value)| value == own[row * of_x.len() + row]));
    }
}

fn groups_of(items: usize, values: &[f64]) -> Vec<Groups> {
    let group = |row: &[f64]| {
        let mut levels = row.to_vec();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        levels.iter().map(|&level| (0..items).filter(|&item| row[item] == level).collect()).collect()
    };
    values.chunks(items.max(1)).map(group).collect()
}

#[test]
fn complete_rankings() {
    let mut random = Random(1);
    for items in 0..=40 {
        let [x, y] = [4, 3].map(|rows| random.rankings(rows, items));
        let [s, t] = [(4, &x), (3, &y)].map(|(rows, ranks)| Rankings::from_ranks(rows, items, ranks).unwrap());
        let groups = |rows: usize, ranks: &[i64]| {
            let found = groups_of(items, &ranks.iter().map(|&rank| rank as f64).collect::<Vec<_>>());
            if items == 0 { vec![Groups::new(); rows] } else { found }
        };
        check(items, false, (&s, &groups(4, &x)), (&t, &groups(3, &y)));
        let (mut workspace, identity) = (Workspace::new(items), groups(1, &(1..=items as i64).collect::<Vec<_>>()));
        for Case { measure, definition, tolerance } in cases(items, false) {
            let between = measure.between(s.row(0), s.row(1), &mut workspace).unwrap();
            let kappa = measure.kappa(s.row(2), &mut workspace).unwrap();
            for (value, [s, t]) in
                [(between, [&groups(4, &x)[0], &groups(4, &x)[1]]), (kappa, [&identity[0], &groups(4, &x)[2]])]
            {
                assert!((value - definition(s, t)).abs() <= tolerance, "{measure:?}: {value}");
            }
        }
    }
}

#[test]
fn rankings_with_ties() {
    let mut random = Random(2);
    for items in 1..=40 {
        let [(x, s), (y, t)] = [4, 3].map(|rows| {
            let levels: Vec<usize> = (0..rows).map(|row| if row == 0 { 1 } else { 1 + random.below(items) }).collect();
            let values: Vec<f64> = (0..rows * items).map(|cell| random.below(levels[cell / items]) as f64).collect();
            let rankings = Incomplete::from_ranks(rows, items, &values, Missing::Error).unwrap();
            (rankings, groups_of(items, &values))
        });
        check(items, true, (&x, &s), (&y, &t));
        // The same as lists of all items, bitwise.
        for Case { measure, .. } in cases(items, true) {
            let lists = Lists::from_incomplete(&x).unwrap();
            let [found, of_lists] = [
                gram(&measure, &x, None, Options::default()).unwrap(),
                gram(&measure, &lists, None, Options::default()).unwrap(),
            ];
            assert_eq!(found, of_lists, "{measure:?}");
        }
    }
}

/// Lists of any lengths, an empty one among them.
fn random_lists(random: &mut Random, rows: usize, items: usize, ties: bool) -> Vec<Groups> {
    let mut lists = vec![Groups::new()];
    while lists.len() < rows {
        let lengths = [random.below(items + 1), random.below(items.min(4) + 1), items, items.saturating_sub(1)];
        let length = lengths[random.below(4)];
        let order: Vec<usize> = random.ranks(items)[..length].iter().map(|&item| item as usize - 1).collect();
        let mut groups = Groups::new();
        for (place, &item) in order.iter().enumerate() {
            let tied = ties && place > 0 && random.below(2) == 0;
            if tied { groups.last_mut().unwrap().push(item) } else { groups.push(vec![item]) }
        }
        lists.push(groups);
    }
    lists
}

fn lists_of(items: usize, lists: &[Groups]) -> Lists {
    let (mut bounds, mut listed, mut values) = (vec![0], Vec::<usize>::new(), Vec::new());
    for list in lists {
        for (place, group) in list.iter().enumerate() {
            listed.extend_from_slice(group);
            values.resize(listed.len(), place as f64);
        }
        bounds.push(listed.len());
    }
    Lists::from_ranks(items, &bounds, &listed, &values).unwrap()
}

/// The same lists as rows of numbers, in which NaN is not listed.
fn incomplete_of(items: usize, lists: &[Groups]) -> Incomplete {
    let mut values = vec![f64::NAN; items * lists.len()];
    for (row, list) in values.chunks_mut(items.max(1)).zip(lists) {
        for (place, group) in (0..).zip(list) {
            for &item in group {
                row[item] = f64::from(place);
            }
        }
    }
    Incomplete::from_ranks(lists.len(), items, &values, Missing::Bottom).unwrap()
}

#[test]
fn lists() {
    let mut random = Random(3);
    for items in 0..=40 {
        for ties in [false, true] {
            let [x, y] = [6, 4].map(|rows| random_lists(&mut random, rows, items, ties));
            check(items, ties, (&lists_of(items, &x), &x), (&lists_of(items, &y), &y));
            if items > 0 {
                let [s, t] = [&x, &y].map(|lists| incomplete_of(items, lists));
                check(items, ties, (&s, &x), (&t, &y));
                assert_eq!(Lists::from_incomplete(&s).unwrap(), lists_of(items, &x));
                assert_eq!(
                    Lists::from_incomplete(&lists_of(items, &x).to_incomplete().unwrap()),
                    Ok(lists_of(items, &x))
                );
            }
        }
    }
}

#[test]
fn lists_that_differ_by_the_last_items() {
    // Out of three items: a b, a b c, a, and a (b c). Kernels see two rankings, measures of listed items see four.
    let x = [vec![vec![0], vec![1]], vec![vec![0], vec![1], vec![2]], vec![vec![0]], vec![vec![0], vec![1, 2]]];
    let lists = lists_of(3, &x);
    assert_ne!(lists_of(3, &x[..1]), lists_of(3, &x[1..2]));
    check(3, true, (&lists, &x), (&lists, &x));
    let many: Vec<Groups> = (0..400).map(|row| x[row * row % 7 % 4].clone()).collect();
    check(3, true, (&lists_of(3, &many), &many), (&lists, &x));
    for kernel in [Measure::kernel(&Weight::Standard, 3).unwrap(), Measure::kemeny_snell(3)] {
        let found = gram(&kernel, &lists, None, Options::default()).unwrap();
        assert!((0..4).all(|row| found[4 * row] == found[4 * row + 1] && found[4 * row + 2] == found[4 * row + 3]));
    }
}

#[test]
fn long_rankings_and_lists() {
    // Beyond the number of items that are compared as bits, and of common items that are compared with each other.
    let (mut random, items) = (Random(4), 600);
    let p = 0.99;
    let overlap = |variant: &str| Measure::rank_biased_overlap(items, p, "ext", variant).unwrap();
    let measures = [Measure::kemeny_snell(items), Measure::tau_x(items), Measure::spearman_rho(items)];
    let definitions = [definition::kemeny_snell, definition::tau_x, definition::spearman_rho];
    for ties in [false, true] {
        let x: Vec<Groups> = random_lists(&mut random, 8, items, ties).split_off(4);
        let dense: Vec<f64> = x
            .iter()
            .flat_map(|groups| {
                let level = |item| groups.iter().position(|group| group.contains(&item)).unwrap_or(groups.len());
                (0..items).map(move |item| level(item) as f64)
            })
            .collect();
        let lists = lists_of(items, &x);
        let dense = Incomplete::from_ranks(x.len(), items, &dense, Missing::Error).unwrap();
        for (measure, definition) in measures.iter().zip(definitions) {
            let found = gram(measure, &lists, None, Options::default()).unwrap();
            let all = gram(measure, &dense, None, Options::default()).unwrap();
            for (cell, (&value, &other)) in found.iter().zip(&all).enumerate() {
                let wanted = definition(&x[cell / x.len()], &x[cell % x.len()], items);
                assert!((value - wanted).abs() <= 1e-12 && (value - other).abs() <= 1e-12, "{measure:?}");
            }
        }
        for variant in ["w", "a", "b"] {
            let found = gram(&overlap(variant), &lists, None, Options::default()).unwrap();
            for (cell, &value) in found.iter().enumerate() {
                let (s, t) = (&x[cell / x.len()], &x[cell % x.len()]);
                let wanted = definition::rank_biased_overlap(s, t, items, p, "ext", variant);
                assert!((value - wanted).abs() <= 1e-13, "{variant}: {value} not {wanted}");
            }
        }
    }
    let ranks = random.rankings(3, items);
    let complete = Rankings::from_ranks(3, items, &ranks).unwrap();
    let groups = groups_of(items, &ranks.iter().map(|&rank| rank as f64).collect::<Vec<_>>());
    for (measure, definition) in measures.iter().zip(definitions) {
        let found = gram(measure, &complete, None, Options::default()).unwrap();
        assert!((found[1] - definition(&groups[0], &groups[1], items)).abs() <= 1e-12);
    }
    let found = gram(&Measure::fagin_kendall(items, 0.5).unwrap(), &complete, None, Options::default()).unwrap();
    assert_eq!(found[1], definition::kemeny_snell(&groups[0], &groups[1], items) / 2.0);
}

#[test]
fn lists_out_of_a_large_catalogue() {
    let items = 1_000_000;
    let x = Lists::from_orders(items, &[vec![3, 999_999, 8], vec![8], vec![]]).unwrap();
    let value = |measure: Measure| gram(&measure, &x, None, Options::default()).unwrap();
    let n = items as f64;
    // Item 8 has rank 3 and rank 1; the two others are tied in the second list.
    let distance = 2.0 * 2.0 + 2.0 * (n - 3.0) + 1.0;
    assert_eq!(value(Measure::kemeny_snell(items))[1], distance);
    assert_eq!(value(Measure::tau_x(items))[1], 1.0 - distance / (n * (n - 1.0) / 2.0));
    assert_eq!(value(Measure::kemeny_snell(items))[2], 3.0 + 3.0 * (n - 3.0));
    assert_eq!(value(Measure::footrule(items)), [0.0, 3.0, 3.0, 3.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
    assert_eq!(value(Measure::spearman_rho(items))[2], 0.0);
    assert_eq!(value(Measure::spearman_rho(items))[4], 1.0);
    assert_eq!(value(Measure::fagin_kendall(items, 0.5).unwrap())[1], 2.0 + 0.5);
    // The sum of 1 / d from 3 to a million, divided by a million.
    let wanted = (3..=items).rev().map(|d| 1.0 / d as f64).sum::<f64>() / n;
    let found = value(Measure::average_overlap(items, None).unwrap());
    assert!((found[1] - wanted).abs() < 1e-15 * wanted.max(1.0) && (found[1] / wanted - 1.0).abs() < 1e-13);
    assert_eq!(found[2], 0.0);
    for p in [1e-300, 0.3, 0.9, 0.999_999, 1.0 - f64::EPSILON] {
        let found = value(Measure::rank_biased_overlap(items, p, "min", "a").unwrap());
        // One common item from depth 3 on: -ln(1 - p) - p - p^2 / 2.
        let series: f64 = if p < 0.95 {
            (3..1000).rev().map(|d| p.powf(f64::from(d) - 1.0) / f64::from(d)).sum()
        } else {
            (-(1.0 - p).ln() - p - p * p / 2.0) / p
        };
        let wanted = (1.0 - p) * series;
        assert!((found[1] - wanted).abs() <= 1e-13 * wanted, "{p}: {} not {wanted}", found[1]);
    }
}

#[test]
fn nearest_lists() {
    let items = 30;
    let x = random_lists(&mut Random(5), 40, items, false);
    let lists = lists_of(items, &x);
    for Case { measure, .. } in cases(items, false) {
        let values = gram(&measure, &lists, None, Options::default()).unwrap();
        // Among the measures here, those that are 0 for all lists and themselves are distances.
        let sign = if (0..40).all(|row| values[41 * row] == 0.0) { 1.0 } else { -1.0 };
        let near = neighbors(&measure, &lists, None, 3, Options::default()).unwrap();
        let radius = values[1];
        let close = within(&measure, &lists, None, radius, Options { threads: Some(2), ..Options::default() }).unwrap();
        for row in 0..40 {
            let mut others: Vec<usize> = (0..40).filter(|&column| column != row).collect();
            let value = |column: usize| values[40 * row + column];
            let wanted: Vec<usize> = others.iter().copied().filter(|&c| sign * value(c) <= sign * radius).collect();
            let entries = close.starts[row]..close.starts[row + 1];
            assert_eq!(close.indices[entries.clone()], wanted, "{measure:?}");
            assert!(entries.clone().all(|entry| close.values[entry] == value(close.indices[entry])));
            others.sort_by(|&a, &b| (sign * value(a)).total_cmp(&(sign * value(b))).then(a.cmp(&b)));
            assert_eq!(near.indices[3 * row..3 * row + 3], others[..3], "{measure:?}");
            assert!((0..3).all(|place| near.values[3 * row + place] == value(others[place])), "{measure:?}");
        }
    }
}

#[test]
fn kernels_are_parts_of_sums() {
    let standard = || Measure::kernel(&Weight::Standard, 3).unwrap();
    let overlap = |value: &str| Measure::rank_biased_overlap(3, 0.9, value, "w").unwrap();
    let average = Measure::average_overlap(3, None).unwrap();
    for kernel in [average, Measure::spearman_rho(3), Measure::tau_x(3), overlap("min")] {
        assert!(kernel.plus(standard()).is_ok());
    }
    let others = [Measure::kemeny_snell(3), Measure::fagin_kendall(3, 0.5).unwrap()];
    for other in others.into_iter().chain(["ext", "max", "res"].map(overlap)) {
        assert!(matches!(other.plus(standard()), Err(Error::NotAKernel { .. })));
    }
}

#[test]
fn wrong_parameters() {
    let message = |found: Result<Measure, Error>| found.unwrap_err().to_string();
    for p in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
        let wanted = format!("p is {p:?}, but must be a number above 0 and below 1");
        assert_eq!(message(Measure::rank_biased_overlap(4, p, "ext", "a")), wanted);
    }
    let found = Measure::rank_biased_overlap(4, 0.9, "mean", "a");
    assert_eq!(message(found), r#"value is "mean", but must be "ext", "min", "max" or "res""#);
    assert_eq!(
        message(Measure::rank_biased_overlap(4, 0.9, "ext", "c")),
        r#"ties is "c", but must be "w", "a" or "b""#
    );
    for depth in [0, 5] {
        let wanted = format!("depth is {depth}, but must be from 1 to 4, the number of items");
        assert_eq!(message(Measure::average_overlap(4, Some(depth))), wanted);
    }
    for p in [-0.1, 1.1, f64::NAN] {
        let error = Measure::fagin_kendall(4, p).unwrap_err();
        assert_eq!(error.to_string(), format!("p is {p:?}, but must be a number from 0 to 1"));
        assert_eq!(error.argument(), Some("p"));
    }
    let fagin = Measure::fagin_kendall(4, 0.5).unwrap();
    let wanted = "the distance of Fagin et al. is not defined for rankings with ties, only for lists and complete rankings \
                  without";
    let tied = Incomplete::from_ranks(1, 4, &[1, 1, 2, 3], Missing::Error).unwrap();
    assert_eq!(gram(&fagin, &tied, None, Options::default()).unwrap_err().to_string(), wanted);
    let lists = Lists::from_ranks(4, &[0, 2], &[0, 1], &[1, 1]).unwrap();
    assert_eq!(gram(&fagin, &lists, None, Options::default()).unwrap_err().to_string(), wanted);
}

#[test]
fn repeated_rankings_and_many_tiles() {
    let (mut random, items) = (Random(6), 12);
    let distinct = random.rankings(30, items);
    let picked: Vec<i64> = (0..400).flat_map(|_| distinct[random.below(30) * items..][..items].to_vec()).collect();
    let x = Rankings::from_ranks(400, items, &picked).unwrap();
    let groups = groups_of(items, &picked.iter().map(|&rank| rank as f64).collect::<Vec<_>>());
    for Case { measure, definition, tolerance } in cases(items, false).into_iter().take(2) {
        let found = gram(&measure, &x, None, Options { threads: Some(2), ..Options::default() }).unwrap();
        let pairs = groups.iter().flat_map(|s| groups.iter().map(move |t| (s, t)));
        assert!(found.iter().zip(pairs).all(|(value, (s, t))| (value - definition(s, t)).abs() <= tolerance));
        assert_eq!(gram(&measure, &x, Some(&x.clone()), Options::default()).unwrap(), found);
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
