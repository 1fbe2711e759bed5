//! Computes a coefficient and its p-value from counts over two columns.

use super::exact::Exact;
use super::normal::{both_tails, upper_tail};
use super::{Alternative, Coefficient};
use crate::gram::FinishPair;
use crate::pair::observed::Observed;
use crate::pair::pairs_of;

/// All counts over the common observations of two columns.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) observed: Observed,
    /// Pairs that are tied in both columns.
    pub(super) joint: u64,
    /// The smaller of the two numbers of distinct values.
    pub(super) levels: usize,
}

/// Computes the coefficient of pairs of columns with enough common observations. If there is an alternative, also
/// computes its p-value.
pub(super) struct Finish {
    pub(super) coefficient: Coefficient,
    least: usize,
    test: Option<(Alternative, &'static Exact)>,
}

impl Finish {
    pub(super) fn new(coefficient: Coefficient, least: usize, alternative: Option<Alternative>) -> Self {
        Self { coefficient, least, test: alternative.map(|alternative| (alternative, Exact::get())) }
    }

    /// The minimum number of common observations.
    pub(super) fn least(&self) -> usize {
        self.least
    }

    /// The coefficient, for coefficients that need only four numbers: the balance, the number of pairs, and for each
    /// column the number of pairs that are not tied. If one of the last three is 0, the coefficient is NaN. The square
    /// root of the product of two equal numbers is exactly this number, so the correlation of a column with itself is
    /// exactly 1.
    #[inline]
    pub(super) fn value(&self, balance: f64, all: f64, decided: f64, of_other: f64) -> f64 {
        let found = match self.coefficient {
            Coefficient::TauA if decided * of_other > 0.0 => balance / all,
            Coefficient::Somers if of_other > 0.0 => balance / decided,
            Coefficient::TauA | Coefficient::Somers => f64::NAN,
            _ => balance / (decided * of_other).sqrt(),
        };
        found.clamp(-1.0, 1.0)
    }

    /// The coefficient and its p-value. If the p-value does not follow from the counts, it is NaN.
    pub(super) fn of_counts(&self, counts: &Counts) -> (f64, f64) {
        let (value, pvalue) = self.finish(&counts.observed);
        let Observed { observations, balance, ties: [one, other] } = counts.observed;
        let value = match self.coefficient {
            _ if value.is_nan() => value,
            Coefficient::TauC => {
                let (n, levels) = (observations as f64, counts.levels as f64);
                2.0 * balance as f64 * levels / (n * n * (levels - 1.0))
            }
            Coefficient::Gamma => {
                let decided = pairs_of(observations) + counts.joint - one.pairs - other.pairs;
                balance as f64 / decided as f64
            }
            _ => value,
        };
        (value, if value.is_nan() { value } else { pvalue })
    }

    /// The p-value of a standard normal deviation.
    pub(super) fn tail(&self, deviation: f64) -> f64 {
        self.test.map_or(f64::NAN, |(alternative, _)| tail(deviation, alternative))
    }
}

impl FinishPair for Finish {
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
        let value = self.value(balance as f64, all as f64, decided as f64, of_other as f64);
        let Some((alternative, exact)) = self.test else { return (value, f64::NAN) };
        let untied = one.pairs == 0 && other.pairs == 0;
        let concordant = (all.cast_signed() + balance).unsigned_abs() / 2;
        let exactly = || exact.pvalue(observations, concordant, alternative);
        let pvalue = untied.then(exactly).flatten();
        (value, pvalue.unwrap_or_else(|| tail(balance as f64 / variance(observed).sqrt(), alternative)))
    }
}

/// The tail of the normal distribution for an alternative.
fn tail(deviation: f64, alternative: Alternative) -> f64 {
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
