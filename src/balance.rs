//! Balances of pairs of items. A ranking has a balance for the pair (i, j): the weight of "i before j" minus the weight
//! of "j before i". These balances are multiplied by the coefficients of the rankings and added up.
//!
//! A ranking with ties counts as the mean over the complete rankings that agree with it, so two tied items have the
//! balance 0.

use std::borrow::Cow;

use crate::embedding::STOP_CHECK_INTERVAL;
use crate::error::Error;
use crate::gram::{self, Options};
use crate::measure::KendallMeasure;
use crate::memory;
use crate::pair::expected_signs;
use crate::parallel::{Poll, Watch};
use crate::rankings::{Incomplete, Operands, RankingSet, Rankings};
use crate::weight::kinds::PairWeight;
use crate::weight::means::Means;

/// The number of rankings whose terms are summed separately before they are added to the total, to reduce rounding.
const RUN: usize = 512;

/// Rankings in which the order of pairs of items is looked up.
#[derive(Clone, Copy)]
pub(crate) enum Ranked<'a> {
    Complete(&'a Rankings),
    Tied(&'a Incomplete),
}

impl<'a> Ranked<'a> {
    /// Makes it from a set of rankings that are not lists.
    pub(crate) fn of<R: RankingSet>(rankings: &'a R) -> Self {
        match R::operands(rankings, None) {
            Operands::Complete(set, _) => Self::Complete(set),
            Operands::Tied(set, _) => Self::Tied(set),
            Operands::Lists(..) => unreachable!("lists become rankings of all items, which have pairs of all items"),
        }
    }

    pub(crate) fn rows(self) -> usize {
        match self {
            Self::Complete(set) => set.rows(),
            Self::Tied(set) => set.rows(),
        }
    }

    pub(crate) fn items(self) -> usize {
        match self {
            Self::Complete(set) => set.items(),
            Self::Tied(set) => set.items(),
        }
    }

    /// For each item, the first rank of its block; if the position of the item is unknown, the number of items.
    pub(crate) fn starts(self, row: usize) -> &'a [u32] {
        match self {
            Self::Complete(set) => set.row(row).ranks(),
            Self::Tied(set) => set.row(row).starts,
        }
    }

    /// Whether items can have unknown positions.
    pub(crate) fn has_unknown(self) -> bool {
        matches!(self, Self::Tied(set) if set.has_unknown())
    }
}

/// Coefficients for the unnormalized kernel. With them, the weighted sum of unnormalized kernels equals the weighted
/// sum of the values of the measure, times the square root of the self-similarity of the other ranking.
pub(crate) fn plain_coefficients<'a, R: RankingSet>(
    measure: &KendallMeasure,
    rankings: &R,
    coefficients: &'a [f64],
    threads: Option<usize>,
    watch: Option<Watch<'_>>,
) -> Result<Cow<'a, [f64]>, Error> {
    if !measure.is_normalized() {
        return Ok(Cow::Borrowed(coefficients));
    }
    let mut own = gram::diagonal(&measure.plain().into(), rankings, Options { threads, watch, ..Options::default() })?;
    for (own, coefficient) in own.iter_mut().zip(coefficients) {
        *own = if *own > 0.0 { coefficient / own.sqrt() } else { 0.0 };
    }
    Ok(Cow::Owned(own))
}

/// The term of an ordered pair of items in one ranking, where i is the earlier item.
enum BalanceTerms {
    /// 1.
    Ones,
    /// The number 1. If one item has a position and the other has none, the expected sign of the pair.
    Open(Vec<f64>),
    /// `x_i x_j`.
    Products(Vec<f64>),
    /// `x_i + x_j`.
    Sums(Vec<f64>),
    /// `x_j`.
    Later(Vec<f64>),
}

/// Sums over rankings, for one item at a time.
pub(crate) struct Balance<'a> {
    ranked: Ranked<'a>,
    coefficients: &'a [f64],
    terms: BalanceTerms,
}

impl<'a> Balance<'a> {
    /// The balances for a named weight. The function `later` gives the terms of a weight that depends only on the rank
    /// of the later item.
    pub(crate) fn new(
        ranked: Ranked<'a>,
        coefficients: &'a [f64],
        weight: &PairWeight,
        later: impl FnOnce() -> Result<Vec<f64>, Error>,
    ) -> Result<Self, Error> {
        let terms = match weight {
            PairWeight::Count { top: None } if ranked.has_unknown() => BalanceTerms::Open(open_signs(ranked)?),
            PairWeight::Count { top: None } => BalanceTerms::Ones,
            _ if ranked.has_unknown() => return Err(Error::UnknownPlaces),
            PairWeight::Count { top: Some(_) } | PairWeight::Products(_) => {
                BalanceTerms::Products(block_means(ranked, weight)?)
            }
            PairWeight::Sums(_) => BalanceTerms::Sums(block_means(ranked, weight)?),
            // As for sums of position weights, only the mean of the weights over a block is needed.
            PairWeight::Average => BalanceTerms::Later(block_means(ranked, &PairWeight::Sums(later()?.into()))?),
        };
        Ok(Self { ranked, coefficients, terms })
    }

    /// The time for one pair in one ranking, in nanoseconds. Measured on two cores of an AMD EPYC with AVX-512.
    pub(crate) fn pair_ns() -> f64 {
        0.6
    }

    /// Writes the sums of an item with all later items. `part` is workspace of the same length.
    pub(crate) fn item(&self, item: usize, sums: &mut [f64], part: &mut [f64], poll: &mut Poll<'_>) {
        sums.fill(0.0);
        let (rows, from) = (self.ranked.rows(), item + 1);
        for start in (0..rows).step_by(RUN) {
            part.fill(0.0);
            for row in start..rows.min(start + RUN) {
                if sums.len() >= STOP_CHECK_INTERVAL && poll.is_cancelled() {
                    return;
                }
                self.add(row, item, from, part);
            }
            sums.iter_mut().zip(&*part).for_each(|(sum, part)| *sum += part);
            if poll.is_cancelled() {
                return;
            }
        }
    }

    fn add(&self, row: usize, item: usize, from: usize, sums: &mut [f64]) {
        let starts = self.ranked.starts(row);
        let (own, others) = (starts[item], &starts[from..]);
        let coefficient = self.coefficients[row];
        let numbers = |all: &'_ [f64]| -> (f64, std::ops::Range<usize>) {
            let first = row * starts.len();
            (all[first + item], first + from..first + starts.len())
        };
        match &self.terms {
            BalanceTerms::Ones => {
                for (sum, &other) in sums.iter_mut().zip(others) {
                    *sum += coefficient * sign(own, other);
                }
            }
            BalanceTerms::Open(signs) => {
                let (of_item, rest) = numbers(signs);
                let nowhere = starts.len() as u32;
                for ((sum, &other), of_other) in sums.iter_mut().zip(others).zip(&signs[rest]) {
                    *sum += coefficient
                        * match (own == nowhere, other == nowhere) {
                            (false, false) => sign(own, other),
                            (false, true) => of_item,
                            (true, false) => -of_other,
                            (true, true) => 0.0,
                        };
                }
            }
            BalanceTerms::Products(all) => {
                let (of_item, rest) = numbers(all);
                let factor = coefficient * of_item;
                for ((sum, &other), of_other) in sums.iter_mut().zip(others).zip(&all[rest]) {
                    *sum += factor * of_other * sign(own, other);
                }
            }
            BalanceTerms::Sums(all) => {
                let (of_item, rest) = numbers(all);
                for ((sum, &other), of_other) in sums.iter_mut().zip(others).zip(&all[rest]) {
                    *sum += coefficient * (of_item + of_other) * sign(own, other);
                }
            }
            BalanceTerms::Later(all) => {
                let (of_item, rest) = numbers(all);
                for ((sum, &other), of_other) in sums.iter_mut().zip(others).zip(&all[rest]) {
                    // There are no branches here, so that the compiler vectorizes the loop.
                    let (before, after) = (f64::from(i32::from(own < other)), f64::from(i32::from(own > other)));
                    *sum += coefficient * (of_other * before - of_item * after);
                }
            }
        }
    }
}

/// 1 if the first item comes first, -1 if the second item comes first, and 0 if the two are tied.
#[inline]
fn sign(first: u32, second: u32) -> f64 {
    f64::from(i32::from(first < second) - i32::from(first > second))
}

/// For each item of each ranking, the mean weight of its block.
fn block_means(ranked: Ranked<'_>, weight: &PairWeight) -> Result<Vec<f64>, Error> {
    let items = ranked.items();
    let mut numbers = memory::with_capacity(ranked.rows() * items)?;
    let of_ranks = Means::of_ranks(weight, items)?;
    for row in 0..ranked.rows() {
        let means = match ranked {
            Ranked::Complete(_) => None,
            Ranked::Tied(set) => Some(Means::of(weight, set.row(row))?),
        };
        let means = &means.as_ref().unwrap_or(&of_ranks).of_block;
        numbers.extend(ranked.starts(row).iter().map(|&start| means[start as usize]));
    }
    Ok(numbers)
}

/// For each ranking and each item with a position: the expected sign of its pair with an item that has no position.
fn open_signs(ranked: Ranked<'_>) -> Result<Vec<f64>, Error> {
    let mut numbers = memory::with_capacity(ranked.rows() * ranked.items())?;
    if let Ranked::Tied(set) = ranked {
        let mut signs = memory::with_capacity(ranked.items())?;
        for row in 0..ranked.rows() {
            expected_signs(set.row(row), &mut signs);
            numbers.extend_from_slice(&signs);
        }
    }
    Ok(numbers)
}
