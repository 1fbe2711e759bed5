//! The kernels by their definitions, for tests to compare with. Shares no code with the crate.
#![allow(dead_code)]

pub mod blocks;

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
    /// Whether values are counts, or counts divided once: these must be equal, and sums may be rounded.
    pub fn is_count(&self) -> bool {
        match self {
            Self::Standard | Self::Top(_) | Self::Average => true,
            Self::Add(_) | Self::Mult(_) => false,
        }
    }
}

/// Sums over concordant and over discordant pairs.
pub struct Sums {
    pub concordant: f64,
    pub discordant: f64,
    /// The first minus the second.
    pub signed: f64,
    /// The absolute values of the concordant terms.
    pub concordant_size: f64,
    /// The absolute values of all terms.
    pub size: f64,
}

/// By definition, in O(n^2), for ranks from 1.
pub fn sums(weight: &Naive, s: &[i64], t: &[i64]) -> Sums {
    let n = s.len();
    let mut sums = Sums { concordant: 0.0, discordant: 0.0, signed: 0.0, concordant_size: 0.0, size: 0.0 };
    for i in 0..n {
        for j in 0..n {
            if s[i] >= s[j] {
                continue;
            }
            let largest = s[i].max(s[j]).max(t[i]).max(t[j]);
            let at = |u: &[f64], rank: i64| u[rank as usize - 1];
            let term = match weight {
                Naive::Standard => 1.0,
                Naive::Top(k) => f64::from(u8::from(largest <= *k as i64)),
                Naive::Add(u) => (at(u, s[i]) + at(u, s[j])) * (at(u, t[i]) + at(u, t[j])),
                Naive::Mult(u) => at(u, s[i]) * at(u, s[j]) * at(u, t[i]) * at(u, t[j]),
                // Kept whole here and divided once at the end, so that it is exact.
                Naive::Average => (n as i64 + 1 - largest) as f64,
            };
            // Counts get no room for error.
            let size = if weight.is_count() { 0.0 } else { term.abs() };
            if t[i] < t[j] {
                sums.concordant += term;
                sums.concordant_size += size;
            } else {
                sums.discordant += term;
            }
            sums.size += size;
        }
    }
    sums.signed = sums.concordant - sums.discordant;
    if let Naive::Average = weight {
        for sum in [&mut sums.concordant, &mut sums.discordant, &mut sums.signed] {
            *sum /= n.max(1) as f64;
        }
    }
    sums
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
