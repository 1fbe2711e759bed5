//! The kernels by their definitions, sums over tuples of items. Shares no code with the crate.

use std::ops::Range;

/// A weight with its parameters, for n items.
#[derive(Debug, Clone)]
pub enum Naive {
    Standard,
    Top(usize),
    Add(Vec<f64>),
    Mult(Vec<f64>),
    Average,
    /// Stacks of tensors with so many axes.
    Tensor(usize, Vec<f64>),
    /// For each term so many vectors.
    Factors(usize, Vec<f64>),
    Quadruples(Vec<f64>),
}

/// A sum, and the sum of the absolute values of its terms.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum {
    pub value: f64,
    pub size: f64,
    /// What rounding added to the value: a mean over ties has some 100,000 terms, too many for plain sums.
    excess: f64,
}

impl Sum {
    /// The difference of two sums.
    pub fn less(self, other: Self) -> Self {
        Self { value: self.value - other.value, size: self.size + other.size, excess: 0.0 }
    }

    fn add(&mut self, value: f64, size: f64) {
        let term = value - self.excess;
        let sum = self.value + term;
        self.excess = (sum - self.value) - term;
        self.value = sum;
        self.size += size;
    }
}

impl Naive {
    /// The same with the largest weight near 1, which changes no normalized value.
    pub fn scaled(self) -> Self {
        let scaled = |values: Vec<f64>| -> Vec<f64> {
            let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
            let exponent = if largest > 0.0 { largest.log2().round() } else { 0.0 };
            // In two steps, because the inverse of a very small number is infinite.
            let half = (-exponent / 2.0).floor();
            values.iter().map(|value| value * half.exp2() * (-exponent - half).exp2()).collect()
        };
        match self {
            Self::Add(u) => Self::Add(scaled(u)),
            Self::Mult(u) => Self::Mult(scaled(u)),
            Self::Tensor(order, entries) => Self::Tensor(order, scaled(entries)),
            Self::Factors(order, vectors) => Self::Factors(order, scaled(vectors)),
            Self::Quadruples(entries) => Self::Quadruples(scaled(entries)),
            counts => counts,
        }
    }

    /// What a tuple of items adds that is in the same order in both rankings; ranks count from 0.
    fn term(&self, n: usize, a: &[usize], c: &[usize]) -> (f64, f64) {
        let largest = a.iter().chain(c).max().copied().unwrap_or(0);
        let sum = |u: &[f64], ranks: &[usize]| ranks.iter().map(|&rank| u[rank]).sum::<f64>();
        let sizes = |u: &[f64], ranks: &[usize]| ranks.iter().map(|&rank| u[rank].abs()).sum::<f64>();
        let value = match self {
            Self::Standard => 1.0,
            Self::Top(k) => f64::from(u8::from(largest < *k)),
            Self::Average => (n - largest) as f64 / n as f64,
            Self::Add(u) => return (sum(u, a) * sum(u, c), sizes(u, a) * sizes(u, c)),
            Self::Mult(u) => a.iter().chain(c).map(|&rank| u[rank]).product(),
            Self::Quadruples(w) => w[((a[0] * n + a[1]) * n + c[0]) * n + c[1]],
            Self::Tensor(..) | Self::Factors(..) => unreachable!("weights of all tuples"),
        };
        (value, value.abs())
    }

    /// The weight of a tuple of ranks in each tensor of a stack.
    fn entries(&self, n: usize, ranks: &[usize]) -> Vec<f64> {
        match self {
            Self::Tensor(order, entries) => {
                let size = n.pow(*order as u32);
                let at = ranks.iter().fold(0, |at, rank| at * n + rank);
                entries.chunks(size.max(1)).map(|tensor| tensor[at]).collect()
            }
            Self::Factors(order, vectors) => {
                let term = |vectors: &[f64]| -> f64 {
                    ranks.iter().enumerate().map(|(axis, &rank)| vectors[axis * n + rank]).product()
                };
                vectors.chunks((order * n).max(1)).map(term).collect()
            }
            _ => unreachable!("weights of tuples in order"),
        }
    }
}

/// All tuples of `order` of `n` numbers; only increasing ones if asked for.
fn tuples(n: usize, order: usize, increasing: bool, mut visit: impl FnMut(&[usize])) {
    fn extend(tuple: &mut Vec<usize>, n: usize, order: usize, increasing: bool, visit: &mut dyn FnMut(&[usize])) {
        if tuple.len() == order {
            return visit(tuple);
        }
        let first = if increasing { tuple.last().map_or(0, |last| last + 1) } else { 0 };
        for next in first..n {
            tuple.push(next);
            extend(tuple, n, order, increasing, visit);
            tuple.pop();
        }
    }
    extend(&mut Vec::new(), n, order, increasing, &mut visit);
}

/// Sums over the tuples that are concordant and, of pairs, discordant. Ranks count from 0.
pub fn sums(weight: &Naive, order: usize, s: &[usize], t: &[usize]) -> [Sum; 2] {
    let n = s.len();
    let [mut concordant, mut discordant] = [Sum::default(); 2];
    if let Naive::Tensor(order, _) | Naive::Factors(order, _) = weight {
        tuples(n, *order, false, |items| {
            let of =
                |ranking: &[usize]| weight.entries(n, &items.iter().map(|&item| ranking[item]).collect::<Vec<_>>());
            let (of_s, of_t) = (of(s), of(t));
            match weight {
                Naive::Tensor(..) => of_s.iter().zip(&of_t).for_each(|(a, b)| concordant.add(a * b, (a * b).abs())),
                _ => {
                    let size = |of: &[f64]| of.iter().map(|value| value.abs()).sum::<f64>();
                    concordant.add(of_s.iter().sum::<f64>() * of_t.iter().sum::<f64>(), size(&of_s) * size(&of_t));
                }
            }
        });
        return [concordant, discordant];
    }
    // The items in the order of s, so that increasing tuples of places are the tuples in that order.
    let mut items: Vec<usize> = (0..n).collect();
    items.sort_by_key(|&item| s[item]);
    tuples(n, order, true, |a| {
        let mut c: Vec<usize> = a.iter().map(|&place| t[items[place]]).collect();
        if c.windows(2).all(|two| two[0] < two[1]) {
            let (value, size) = weight.term(n, a, &c);
            concordant.add(value, size);
        } else if order == 2 && !matches!(weight, Naive::Quadruples(_)) {
            // Named weights of a pair do not ask which of its ranks is which.
            c.reverse();
            let (value, size) = weight.term(n, a, &c);
            discordant.add(value, size);
        }
    });
    [concordant, discordant]
}

/// The mean of sums over pairs for two rankings with ties: tied items have the ranks of their block in any order.
pub fn mean_sums(weight: &Naive, s: &[Range<usize>], t: &[Range<usize>]) -> [Sum; 2] {
    let n = s.len();
    let [mut concordant, mut discordant] = [Sum::default(); 2];
    for (i, j) in (0..n).flat_map(|j| (0..j).map(move |i| (i, j))) {
        let (of_s, of_t) = (places(&s[i], &s[j]), places(&t[i], &t[j]));
        let share = 1.0 / (of_s.len() * of_t.len()) as f64;
        for a in &of_s {
            for c in &of_t {
                let sorted = |pair: &[usize; 2]| if pair[0] < pair[1] { *pair } else { [pair[1], pair[0]] };
                let (value, size) = weight.term(n, &sorted(a), &sorted(c));
                let sum = if (a[0] < a[1]) == (c[0] < c[1]) { &mut concordant } else { &mut discordant };
                sum.add(share * value, share * size);
            }
        }
    }
    [concordant, discordant]
}

/// All places of two different items with these blocks.
fn places(one: &Range<usize>, other: &Range<usize>) -> Vec<[usize; 2]> {
    one.clone().flat_map(|a| other.clone().map(move |b| [a, b])).filter(|[a, b]| a != b).collect()
}

/// The mean numbers of concordant and of discordant pairs of two rankings; items that are `None` can be anywhere.
pub fn mean_anywhere(s: &[Option<Range<usize>>], t: &[Option<Range<usize>>]) -> [Sum; 2] {
    let n = s.len();
    let [mut concordant, mut discordant] = [Sum::default(); 2];
    for (i, j) in (0..n).flat_map(|j| (0..j).map(move |i| (i, j))) {
        let (p, q) = (chance(s, i, j), chance(t, i, j));
        let both = p * q + (1.0 - p) * (1.0 - q);
        concordant.add(both, 1.0);
        discordant.add(1.0 - both, 1.0);
    }
    [concordant, discordant]
}

/// The chance that item i comes before item j. An item that can be anywhere has the same chance for each gap between
/// the others.
fn chance(row: &[Option<Range<usize>>], i: usize, j: usize) -> f64 {
    let gaps = row.iter().flatten().count() as f64 + 1.0;
    let middle = |block: &Range<usize>| (block.start + block.end + 1) as f64 / 2.0;
    match (&row[i], &row[j]) {
        (None, None) => 0.5,
        (Some(known), None) => 1.0 - middle(known) / gaps,
        (None, Some(known)) => middle(known) / gaps,
        (Some(one), Some(other)) if one == other => 0.5,
        (Some(one), Some(other)) => f64::from(u8::from(one.start < other.start)),
    }
}
