//! The kernels by their definitions, for tests to compare with. They share no code with the crate.
#![allow(dead_code)]

pub mod blocks;

use wkendall::{Factor, Lists, Measure, Weight};

/// A small random number generator (splitmix64), so that tests are the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Uniform in [-1, 1).
    pub fn real(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A permutation of 1..=n.
    pub fn ranks(&mut self, n: usize) -> Vec<i64> {
        let mut ranks: Vec<i64> = (1..=n as i64).collect();
        for i in (1..n).rev() {
            ranks.swap(i, self.below(i + 1));
        }
        ranks
    }

    /// `m` rankings, one after the other.
    pub fn rankings(&mut self, m: usize, n: usize) -> Vec<i64> {
        (0..m).flat_map(|_| self.ranks(n)).collect()
    }
}

/// A weight by name, with its parameters.
#[derive(Debug, Clone)]
pub enum Naive {
    Standard,
    Top(usize),
    Add(Vec<f64>),
    Mult(Vec<f64>),
    Average,
}

impl Naive {
    /// The same weight for the crate.
    pub fn weight(&self) -> Weight {
        match self {
            Self::Standard => Weight::Standard,
            Self::Top(k) => Weight::Top(*k),
            Self::Add(u) => Weight::Add(Factor::Values(u.clone())),
            Self::Mult(u) => Weight::Mult(Factor::Values(u.clone())),
            Self::Average => Weight::Average,
        }
    }

    /// Whether values are counts, or counts divided once: these must be equal, and sums may be rounded.
    pub fn is_count(&self) -> bool {
        match self {
            Self::Standard | Self::Top(_) | Self::Average => true,
            Self::Add(_) | Self::Mult(_) => false,
        }
    }
}

/// All five weights for n items, the additive and multiplicative ones with several kinds of position weights.
pub fn weights(n: usize, random: &mut Random) -> Vec<Naive> {
    let hyperbolic: Vec<f64> = (1..=n).map(|rank| 1.0 / (rank as f64 + 1.0)).collect();
    let log: Vec<f64> = (1..=n).map(|rank| 1.0 / (rank as f64 + 1.0).log2()).collect();
    let mixed: Vec<f64> = (0..n).map(|_| random.real()).collect();
    let steep: Vec<f64> = (0..n).map(|rank| 0.5f64.powi(rank as i32)).collect();
    let mut weights = vec![Naive::Standard, Naive::Average];
    weights.extend([1, n.div_ceil(2), n].into_iter().filter(|&k| 1 <= k && k <= n).map(Naive::Top));
    for u in [hyperbolic, log, mixed, steep, vec![0.0; n]] {
        weights.push(Naive::Add(u.clone()));
        weights.push(Naive::Mult(u));
    }
    weights
}

/// A kernel of each kind, with position weights by name.
pub fn named_kernels(n: usize) -> Vec<Measure> {
    let weights = [
        Weight::Standard,
        Weight::Top(n.div_ceil(2).max(1)),
        Weight::Add(Factor::Hyperbolic),
        Weight::Mult(Factor::Log),
        Weight::Average,
    ];
    weights.iter().map(|weight| Measure::kernel(weight, n).unwrap()).collect()
}

/// The lists of rows of numbers, one after the other, in which NaN is not listed.
pub fn lists_of(rows: usize, items: usize, values: &[f64]) -> Lists {
    let (mut bounds, mut listed, mut numbers) = (vec![0], Vec::new(), Vec::new());
    for row in 0..rows {
        // From the last item on, because the order of entries does not matter.
        for item in (0..items).rev().filter(|item| !values[row * items + item].is_nan()) {
            listed.push(item);
            numbers.push(values[row * items + item]);
        }
        bounds.push(listed.len());
    }
    Lists::from_ranks(items, &bounds, &listed, &numbers).unwrap()
}

/// All permutations of 1..=n.
pub fn permutations(n: usize) -> Vec<Vec<i64>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let insert = |shorter: &Vec<i64>, at: usize| [&shorter[..at], &[n as i64], &shorter[at..]].concat();
    permutations(n - 1).iter().flat_map(|shorter| (0..n).map(move |at| insert(shorter, at))).collect()
}
