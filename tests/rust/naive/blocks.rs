//! Values and the sizes of their terms, for kernels of every kind, by their definitions.
//!
//! The size is the sum of the absolute values of the terms, which is the value for the absolute values of all weights,
//! with discordant pairs counted too where the kernel is signed.

use super::Naive;

/// A value and the sum of the absolute values of its terms.
#[derive(Debug, Clone, Copy)]
pub struct Value {
    pub value: f64,
    pub size: f64,
}

/// The same weight with the absolute values of its numbers.
fn absolute(weight: &Naive) -> Naive {
    let sizes = |u: &[f64]| u.iter().map(|u| u.abs()).collect();
    match weight {
        Naive::Add(u) => Naive::Add(sizes(u)),
        Naive::Mult(u) => Naive::Mult(sizes(u)),
        Naive::Standard | Naive::Top(_) | Naive::Average => weight.clone(),
    }
}

/// The kernel of any order of two complete rankings, ranks from 1.
pub fn ordered(weight: &Naive, order: usize, s: &[f64], t: &[f64]) -> Value {
    Value { value: tuples(weight, order, s, t), size: tuples(&absolute(weight), order, s, t) }
}

/// Sums over the tuples that end at each item, one order after the other.
fn tuples(weight: &Naive, order: usize, s: &[f64], t: &[f64]) -> f64 {
    let n = s.len();
    let mut pairs: Vec<(usize, usize)> = s.iter().zip(t).map(|(&a, &b)| (a as usize - 1, b as usize - 1)).collect();
    pairs.sort_unstable();
    if let Naive::Top(k) = weight {
        pairs.retain(|&(a, b)| a < *k && b < *k);
    }
    // Of each tuple: how many there are, or their product; the sum in s, the sum in t, and the product of these sums.
    let item = |&(a, b): &(usize, usize)| match weight {
        Naive::Mult(u) => [u[a] * u[b], 0.0, 0.0, 0.0],
        Naive::Add(u) => [1.0, u[a], u[b], u[a] * u[b]],
        Naive::Standard | Naive::Top(_) | Naive::Average => [1.0, 0.0, 0.0, 0.0],
    };
    let mut ends: Vec<[f64; 4]> = pairs.iter().map(item).collect();
    for _ in 1..order {
        let next = (0..pairs.len()).map(|j| {
            let mut sum = [0.0; 4];
            for i in (0..j).filter(|&i| pairs[i].1 < pairs[j].1) {
                sum.iter_mut().zip(ends[i]).for_each(|(sum, end)| *sum += end);
            }
            let ([own, x, y, xy], [count, a, b, ab]) = (item(&pairs[j]), sum);
            match weight {
                Naive::Add(_) => [count, a + count * x, b + count * y, ab + a * y + b * x + count * xy],
                Naive::Standard | Naive::Top(_) | Naive::Mult(_) | Naive::Average => [own * count, 0.0, 0.0, 0.0],
            }
        });
        ends = next.collect();
    }
    let sums = ends.iter().zip(&pairs).map(|(end, &(a, b))| match weight {
        Naive::Add(_) => end[3],
        Naive::Average => end[0] * (n - a.max(b)) as f64,
        Naive::Standard | Naive::Top(_) | Naive::Mult(_) => end[0],
    });
    sums.sum::<f64>() / if matches!(weight, Naive::Average) { n.max(1) as f64 } else { 1.0 }
}

/// The kernel of order 2 of two rows of numbers, of which the least is the best and NaN is below all others: the mean
/// over the complete rankings that agree with them.
pub fn mean(weight: &Naive, signed: bool, s: &[f64], t: &[f64]) -> Value {
    let own = features(weight, s).into_iter().zip(features(weight, t));
    let mut value = 0.0;
    for (one, other) in own {
        value += product(&one, &other, signed);
    }
    let sizes = features(&absolute(weight), s).into_iter().zip(features(&absolute(weight), t));
    let size: f64 = sizes.map(|(one, other)| product(&size_of(one, signed), &size_of(other, signed), false)).sum();
    let scale = if matches!(weight, Naive::Average) { s.len().max(1) as f64 } else { 1.0 };
    Value { value: value / scale, size: size / scale }
}

/// The standard kernel of order 2 of two rows of numbers in which what is NaN can be anywhere.
pub fn anywhere(signed: bool, s: &[f64], t: &[f64]) -> Value {
    let (one, other) = (chances(s), chances(t));
    let turned = (0..t.len()).map(|i| other.iter().map(|row| row[i]).collect()).collect();
    let (same, opposite) = (product(&one, &other, false), product(&one, &turned, false));
    if signed { Value { value: same - opposite, size: same + opposite } } else { Value { value: same, size: same } }
}

/// The chance that the first of two items comes first.
fn chances(row: &[f64]) -> Table {
    let count = |what: &dyn Fn(f64) -> bool| row.iter().filter(|&&value| what(value)).count() as f64;
    let known = count(&|value| !value.is_nan());
    // That an item with this number comes before one without.
    let early =
        |of: f64| 1.0 - (2.0 * count(&|value| value < of) + count(&|value| value == of) + 1.0) / (2.0 * (known + 1.0));
    let chance = |one: f64, other: f64| match (one.is_nan(), other.is_nan()) {
        (true, true) => 0.5,
        (false, true) => early(one),
        (true, false) => 1.0 - early(other),
        (false, false) => f64::midpoint(f64::from(u8::from(one < other)), f64::from(u8::from(one <= other))),
    };
    row.iter().map(|&one| row.iter().map(|&other| chance(one, other)).collect()).collect()
}

type Table = Vec<Vec<f64>>;

/// The absolute values of the terms; those of a signed kernel, once for each pair, have no part for the other order.
fn size_of(table: Table, signed: bool) -> Table {
    if !signed {
        return table;
    }
    let n = table.len();
    (0..n).map(|i| (0..n).map(|j| if i < j { (table[i][j] - table[j][i]).abs() } else { 0.0 }).collect()).collect()
}

fn product(one: &Table, other: &Table, signed: bool) -> f64 {
    let mut sum = 0.0;
    for i in 0..one.len() {
        for j in 0..one.len() {
            if signed && i < j {
                sum += (one[i][j] - one[j][i]) * (other[i][j] - other[j][i]);
            } else if !signed && i != j {
                sum += one[i][j] * other[i][j];
            }
        }
    }
    sum
}

/// What each ordered pair of items has, in one table or, for the average weight, in one for each k.
fn features(weight: &Naive, row: &[f64]) -> Vec<Table> {
    match weight {
        Naive::Average => (1..=row.len()).map(|k| features_of(&Naive::Top(k), row)).collect(),
        Naive::Standard | Naive::Top(_) | Naive::Add(_) | Naive::Mult(_) => vec![features_of(weight, row)],
    }
}

fn features_of(weight: &Naive, row: &[f64]) -> Table {
    let n = row.len();
    let key = |value: f64| if value.is_nan() { f64::INFINITY } else { value };
    let block = |i: usize| {
        let start = row.iter().filter(|&&other| key(other) < key(row[i])).count();
        start..start + row.iter().filter(|&&other| key(other) == key(row[i])).count()
    };
    let blocks: Vec<_> = (0..n).map(block).collect();
    let of_ranks = |a: usize, b: usize| match weight {
        _ if a >= b => 0.0,
        Naive::Top(k) => f64::from(u8::from(b < *k)),
        Naive::Add(u) => u[a] + u[b],
        Naive::Mult(u) => u[a] * u[b],
        // Of the average weight there are tables for each k instead.
        Naive::Standard | Naive::Average => 1.0,
    };
    let mut means = vec![vec![f64::NAN; n]; n];
    for first in &blocks {
        for second in &blocks {
            let mean = &mut means[first.start][second.start];
            if mean.is_nan() {
                let others = if first == second { (second.len() - 1).max(1) } else { second.len() };
                let sum: f64 = first.clone().map(|a| second.clone().map(|b| of_ranks(a, b)).sum::<f64>()).sum();
                *mean = sum / (first.len() * others) as f64;
            }
        }
    }
    blocks.iter().map(|first| blocks.iter().map(|second| means[first.start][second.start]).collect()).collect()
}

/// `G_U` for tensors with so many axes, one after the other, of two complete rankings, ranks from 1.
pub fn tensors(entries: &[f64], order: usize, s: &[f64], t: &[f64]) -> Value {
    let n = s.len();
    let size = n.pow(order as u32);
    let mut found = Value { value: 0.0, size: 0.0 };
    for tensor in entries.chunks_exact(size.max(1)) {
        for tuple in 0..size {
            let at = |ranks: &[f64]| {
                let (mut rest, mut place) = (tuple, 0);
                for _ in 0..order {
                    place = place * n + ranks[rest % n] as usize - 1;
                    rest /= n;
                }
                tensor[place]
            };
            let term = at(s) * at(t);
            found.value += term;
            found.size += term.abs();
        }
    }
    found
}

/// `G_U` for sums of outer products, of two complete rankings, ranks from 1.
pub fn factors(vectors: &[f64], order: usize, s: &[f64], t: &[f64]) -> Value {
    let n = s.len();
    let inner = |a: &[f64], b: &[f64], sign: fn(f64) -> f64| -> f64 {
        s.iter().zip(t).map(|(&s, &t)| sign(a[s as usize - 1] * b[t as usize - 1])).sum()
    };
    let mut found = Value { value: 0.0, size: 0.0 };
    for a in vectors.chunks_exact((order * n).max(1)) {
        for b in vectors.chunks_exact((order * n).max(1)) {
            let axes = || a.chunks_exact(n).zip(b.chunks_exact(n));
            found.value += axes().map(|(a, b)| inner(a, b, |x| x)).product::<f64>();
            found.size += axes().map(|(a, b)| inner(a, b, f64::abs)).product::<f64>();
        }
    }
    found
}

/// `K_W` of two complete rankings, ranks from 1.
pub fn quadruples(entries: &[f64], s: &[f64], t: &[f64]) -> Value {
    let n = s.len();
    let mut found = Value { value: 0.0, size: 0.0 };
    for i in 0..n {
        for j in 0..n {
            if s[i] < s[j] && t[i] < t[j] {
                let place = [s[i], s[j], t[i], t[j]].iter().fold(0, |place, &rank| place * n + rank as usize - 1);
                found.value += entries[place];
                found.size += entries[place].abs();
            }
        }
    }
    found
}
