//! The distribution of the number of concordant pairs of two independent columns without ties, for few observations.
//!
//! Among the n! orders of the observations, c concordant pairs are as frequent as c discordant pairs. Take the
//! observation that is last in one column. The number of observations before it in the other column is 0 to n - 1, and
//! all these numbers are equally probable. Take the probabilities of c, c - 1, ..., c - n + 1 concordant pairs for n -
//! 1 observations. Their mean is the probability of c concordant pairs for n observations.

use std::sync::OnceLock;

use super::Alternative;
use crate::pair::pairs_of;

/// P-values are exact up to this many observations.
const MOST: usize = 33;
/// With at most this many discordant pairs, p-values are exact for any number of observations.
const FEW: u64 = 1;

/// For each number of observations up to [`MOST`]: the probability of each number of concordant pairs, and the
/// probability of at most this number.
pub(super) struct Exact {
    chances: Vec<Vec<f64>>,
    at_most: Vec<Vec<f64>>,
}

impl Exact {
    /// The table of probabilities. It is computed once.
    pub(super) fn get() -> &'static Self {
        static TABLES: OnceLock<Exact> = OnceLock::new();
        TABLES.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut chances = vec![vec![1.0]];
        for n in 1..=MOST {
            let before = &chances[n - 1];
            let length = pairs_of(n as u64) as usize + 1;
            let chance = |c: usize| {
                let first = c.saturating_sub(n - 1);
                before[first..before.len().min(c + 1)].iter().sum::<f64>() / n as f64
            };
            chances.push((0..length).map(chance).collect());
        }
        let add = |sum: &mut f64, &chance: &f64| {
            *sum += chance;
            Some(*sum)
        };
        let at_most = chances.iter().map(|chances| chances.iter().scan(0.0, add).collect()).collect();
        Self { chances, at_most }
    }

    /// The p-value for `concordant` pairs, if it can be exact.
    pub(super) fn pvalue(&self, observations: u64, concordant: u64, alternative: Alternative) -> Option<f64> {
        let discordant = pairs_of(observations) - concordant;
        let fewer = concordant.min(discordant);
        let (chance, tail) = if observations <= MOST as u64 {
            let (n, c) = (observations as usize, fewer as usize);
            (self.chances[n][c], self.at_most[n][c])
        } else if fewer <= FEW {
            let one = one_order(observations);
            // One order has no discordant pair, and n - 1 orders have one.
            if fewer == 0 { (one, one) } else { ((observations - 1) as f64 * one, one_order(observations - 1)) }
        } else {
            return None;
        };
        let towards = match alternative {
            Alternative::TwoSided => return Some((2.0 * tail).min(1.0)),
            Alternative::Less => concordant < discordant,
            Alternative::Greater => concordant >= discordant,
        };
        Some(if towards { tail } else { (1.0 - tail + chance).min(1.0) })
    }
}

/// The probability of one order of the observations.
fn one_order(observations: u64) -> f64 {
    // For more than 170 observations, the factorial is infinite and the probability is 0.
    1.0 / (2..=observations.min(200)).map(|factor| factor as f64).product::<f64>()
}
