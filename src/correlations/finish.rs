//! From counts over two columns to tau-b and its p-value.

use super::Alternative;
use super::exact::Exact;
use super::normal::{both_tails, upper_tail};
use crate::gram::FinishPair;
use crate::pair::observed::Observed;
use crate::pair::pairs_of;

/// Tau-b of pairs of columns with enough common observations, and its p-value if there is an alternative.
pub(super) struct TauB {
    least: usize,
    test: Option<(Alternative, &'static Exact)>,
}

impl TauB {
    pub(super) fn new(least: usize, alternative: Option<Alternative>) -> Self {
        Self { least, test: alternative.map(|alternative| (alternative, Exact::get())) }
    }

    /// The minimum number of common observations.
    pub(super) fn least(&self) -> usize {
        self.least
    }

    /// The correlation from a balance and the numbers of pairs that are not tied in each column; NaN if one of these
    /// is 0. The square root of the product of two equal numbers is that number, so a column has correlation exactly 1
    /// with itself.
    #[inline]
    pub(super) fn tau(balance: f64, decided: f64, of_other: f64) -> f64 {
        (balance / (decided * of_other).sqrt()).clamp(-1.0, 1.0)
    }
}

impl FinishPair for TauB {
    fn has_pvalues(&self) -> bool {
        self.test.is_some()
    }

    fn finish(&self, observed: &Observed) -> (f64, f64) {
        let &Observed { observations, balance, ties: [one, other] } = observed;
        let all = pairs_of(observations);
        let (decided, of_other) = (all - one.pairs, all - other.pairs);
        if decided == 0 || of_other == 0 || observations < self.least as u64 {
            return (f64::NAN, f64::NAN);
        }
        let tau = Self::tau(balance as f64, decided as f64, of_other as f64);
        let Some((alternative, exact)) = self.test else { return (tau, f64::NAN) };
        let untied = one.pairs == 0 && other.pairs == 0;
        let concordant = (all.cast_signed() + balance).unsigned_abs() / 2;
        let exactly = || exact.pvalue(observations, concordant, alternative);
        let pvalue = untied.then(exactly).flatten().unwrap_or_else(|| approximate(observed, alternative));
        (tau, pvalue)
    }
}

/// The p-value of the normal approximation, with its correction for ties.
fn approximate(observed: &Observed, alternative: Alternative) -> f64 {
    let deviation = observed.balance as f64 / variance(observed).sqrt();
    match alternative {
        Alternative::TwoSided => both_tails(deviation),
        Alternative::Greater => upper_tail(deviation),
        Alternative::Less => upper_tail(-deviation),
    }
}

/// The variance of the balance of two independent columns with these ties (Kendall, Rank Correlation Methods).
fn variance(&Observed { observations, ties: [one, other], .. }: &Observed) -> f64 {
    let n = observations as f64;
    let ordered = n * (n - 1.0);
    // t (t - 1) (2 t + 5) = 2 t (t - 1) (t - 2) + 9 t (t - 1)
    let lost = (2.0 * one.triples + 18.0 * one.pairs as f64) + (2.0 * other.triples + 18.0 * other.pairs as f64);
    let by_pairs = 2.0 * (one.pairs as f64 * other.pairs as f64) / ordered;
    let triples = one.triples * other.triples;
    let by_triples = if triples == 0.0 { 0.0 } else { triples / (9.0 * ordered * (n - 2.0)) };
    (ordered * (2.0 * n + 5.0) - lost) / 18.0 + by_pairs + by_triples
}
