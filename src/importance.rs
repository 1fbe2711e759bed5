//! The pairs of items that matter most to a linear function of rankings.
//!
//! Such a function is a weighted sum of the kernels with given rankings. It is also a sum of contributions of pairs of
//! items. A contribution depends on which item of the pair comes first. With position weights, it also depends on their
//! positions. The effect of a pair is the difference of two contributions: "first before second" minus "second before
//! first". It is averaged over all positions that the two items can have.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::{Mutex, PoisonError};

use crate::balance::{Balance, Ranked, plain_coefficients};
use crate::consensus::objective::{matrix_of, members};
use crate::consensus::pair_weight;
use crate::embedding;
use crate::error::Error;
use crate::measure::{KendallMeasure, MeanWeight, Measure};
use crate::memory;
use crate::parallel::{self, RunOptions, Workers};
use crate::rankings::{Operands, RankingSet, with_operands};
use crate::weight::kinds::PairWeight;

/// A pair of items, and its effect: what "first before second" adds to the sum, minus what "second before first" adds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Effect {
    /// The item that increases the sum if it comes first.
    pub first: usize,
    /// The other item.
    pub second: usize,
    /// The effect. It is 0 or positive.
    pub effect: f64,
}

/// An effect that is sorted by size, the largest first. Equal effects are sorted by item numbers, the smallest first.
#[derive(Clone, Copy, PartialEq)]
struct RankedEffect(Effect);

impl RankedEffect {
    fn key(&self) -> (usize, usize) {
        (self.0.first.min(self.0.second), self.0.first.max(self.0.second))
    }
}

impl Eq for RankedEffect {}

impl Ord for RankedEffect {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.effect.total_cmp(&other.0.effect).then_with(|| other.key().cmp(&self.key()))
    }
}

impl PartialOrd for RankedEffect {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The pairs with the largest effects in a weighted sum of kernels with rankings, the largest effect first. If there
/// are fewer pairs than requested, all pairs are returned. With named weights, there is no matrix of all pairs: memory
/// does not grow with the square of the number of items.
///
/// # Errors
/// Returns an error in these cases:
///
/// - The measure is not a kernel of order 2 with weights of pairs.
/// - The numbers of items differ.
/// - There is not one coefficient for each ranking, or a coefficient is not finite.
/// - Items can be anywhere, and the weight of the kernel is not the standard weight.
/// - `run.threads` is 0.
/// - `run.watch` stops the run.
///
/// ```
/// use wkendall::{Measure, Rankings, Weight, importance, RunOptions};
/// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 2, 1, 3])?;
/// let kernel = Measure::kernel(&Weight::Standard, 3)?;
/// let found = importance::largest_effects(&kernel, &x, &[1.0, -1.0], 1, RunOptions::default())?;
/// assert_eq!((found[0].first, found[0].second, found[0].effect), (0, 1, 2.0));
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn largest_effects<R: RankingSet>(
    measure: &Measure,
    rankings: &R,
    coefficients: &[f64],
    count: usize,
    run: RunOptions<'_>,
) -> Result<Vec<Effect>, Error> {
    let measure = measure.pair_sum("the importance of pairs")?;
    effects_of_operands(&measure, R::operands(rankings, None), coefficients, count, run)
}

fn effects_of_operands(
    measure: &KendallMeasure,
    operands: Operands<'_>,
    coefficients: &[f64],
    count: usize,
    run: RunOptions<'_>,
) -> Result<Vec<Effect>, Error> {
    with_operands!(operands, |rankings, _| effects_of(measure, rankings, coefficients, count, run))
}

fn effects_of<R: RankingSet>(
    measure: &KendallMeasure,
    rankings: &R,
    coefficients: &[f64],
    count: usize,
    run: RunOptions<'_>,
) -> Result<Vec<Effect>, Error> {
    parallel::check_threads(run.threads)?;
    let (weight, signed) = pair_weight(measure)?;
    measure.check_items(rankings.items())?;
    if coefficients.len() != rankings.rows() {
        return Err(Error::CoefficientCount { given: coefficients.len(), rankings: rankings.rows() });
    }
    if let Some(row) = coefficients.iter().position(|coefficient| !coefficient.is_finite()) {
        return Err(Error::RankingWeight { row, value: coefficients[row] });
    }
    if let Operands::Lists(lists, _) = R::operands(rankings, None) {
        return effects_of(measure, &lists.to_incomplete()?, coefficients, count, run);
    }
    let ranked = Ranked::of(rankings);
    let RunOptions { threads, mut watch } = run;
    let plain = plain_coefficients(measure, rankings, coefficients, threads, parallel::share(&mut watch))?;
    let items = rankings.items();
    let own = if measure.is_normalized() { measure.plain().self_similarity() } else { 1.0 };
    let unit = if own > 0.0 { (1.0 + f64::from(u8::from(signed))) / own.sqrt() } else { 0.0 };
    let best = LargestEffects::new(count.min(items * items.saturating_sub(1) / 2))?;
    let run = RunOptions { threads, watch };
    let weight = match weight {
        MeanWeight::Pairs(weight) => weight,
        MeanWeight::Tensors(_) if ranked.has_unknown() => return Err(Error::UnknownPlaces),
        MeanWeight::Tensors(_) => {
            let weights = mean_matrix(weight, items)?;
            return of_matrix(&embedding::combine(rankings, &plain, 2, &weights, run)?, items, unit, best);
        }
    };
    let balance = Balance::new(ranked, &plain, weight, || later_numbers(items))?;
    let ns = Balance::pair_ns() * (ranked.rows() * items) as f64;
    of_balance(&balance, items, unit * mean_weight(weight, items), ns, best, run)
}

/// The pairs for which the two entries of the matrix differ most.
fn of_matrix(sums: &[f64], items: usize, unit: f64, mut best: LargestEffects) -> Result<Vec<Effect>, Error> {
    for first in 0..items {
        for second in first + 1..items {
            best.offer(first, second, unit * (sums[first * items + second] - sums[second * items + first]));
        }
    }
    best.sorted()
}

/// The pairs with the largest sums. The sums of one item with all later items are computed together, in about `ns`
/// nanoseconds.
fn of_balance(
    balance: &Balance<'_>,
    items: usize,
    unit: f64,
    ns: f64,
    best: LargestEffects,
    run: RunOptions<'_>,
) -> Result<Vec<Effect>, Error> {
    let shared = Mutex::new(best);
    parallel::run(
        memory::collect(0..items)?,
        Workers::new(parallel::threads_for(ns * items as f64 / 2.0, run.threads), ns),
        run.watch,
        |_| Ok((memory::filled(items, 0.0)?, memory::filled(items, 0.0)?)),
        |item, (sums, part), poll| {
            let (sums, part) = (&mut sums[item + 1..], &mut part[item + 1..]);
            balance.item(item, sums, part, poll);
            let mut best = shared.lock().unwrap_or_else(PoisonError::into_inner);
            for (second, sum) in (item + 1..).zip(&*sums) {
                best.offer(item, second, unit * sum);
            }
            Ok(())
        },
    )?;
    shared.into_inner().unwrap_or_else(PoisonError::into_inner).sorted()
}

/// The pairs with the largest effects so far. The smallest of these effects is on top.
struct LargestEffects {
    count: usize,
    heap: BinaryHeap<Reverse<RankedEffect>>,
}

impl LargestEffects {
    fn new(count: usize) -> Result<Self, Error> {
        let mut heap = BinaryHeap::new();
        let lacking = |_| Error::OutOfMemory { bytes: count.saturating_mul(size_of::<Effect>()) };
        heap.try_reserve_exact(count.saturating_add(1)).map_err(lacking)?;
        Ok(Self { count, heap })
    }

    #[inline]
    fn offer(&mut self, first: usize, second: usize, effect: f64) {
        let size = effect.abs();
        if self.heap.len() == self.count && self.heap.peek().is_none_or(|Reverse(least)| size < least.0.effect) {
            return;
        }
        let (first, second) = if effect < 0.0 { (second, first) } else { (first, second) };
        self.heap.push(Reverse(RankedEffect(Effect { first, second, effect: size })));
        if self.heap.len() > self.count {
            self.heap.pop();
        }
    }

    fn sorted(self) -> Result<Vec<Effect>, Error> {
        let mut found = self.heap.into_vec();
        found.sort_unstable();
        memory::collect(found.into_iter().map(|Reverse(RankedEffect(effect))| effect))
    }
}

/// The mean weight of two positions, where the first position is before the second.
fn mean_weight(weight: &PairWeight, items: usize) -> f64 {
    let n = items.max(2) as f64;
    let pairs = n * (n - 1.0);
    match weight {
        PairWeight::Count { top } => {
            let k = top.unwrap_or(items).min(items) as f64;
            k * (k - 1.0) / pairs
        }
        PairWeight::Sums(u) => 2.0 * u.iter().sum::<f64>() / n,
        PairWeight::Products(u) => {
            let (mut sum, mut products) = (0.0, 0.0);
            for &u in u.iter() {
                products += sum * u;
                sum += u;
            }
            2.0 * products / pairs
        }
        // The numbers already contain the mean weight.
        PairWeight::Average => 1.0,
    }
}

/// For each rank of the later item: the mean over k of the top-k weights, each multiplied by its mean weight.
fn later_numbers(items: usize) -> Result<Vec<f64>, Error> {
    let n = items.max(2) as f64;
    let mut numbers = memory::filled(items, 0.0)?;
    let mut sum = 0.0;
    for rank in (0..items).rev() {
        let k = (rank + 1) as f64;
        sum += k * (k - 1.0) / (n * (n - 1.0)) / n;
        numbers[rank] = sum;
    }
    Ok(numbers)
}

/// The sum of matrices of weights. Each matrix is multiplied by a difference: its mean above the diagonal minus its
/// mean below the diagonal.
fn mean_matrix(weight: MeanWeight<'_>, items: usize) -> Result<Vec<f64>, Error> {
    let mut sum = memory::filled(items * items, 0.0)?;
    let pairs = (items * items.saturating_sub(1)).max(1) as f64 / 2.0;
    for index in 0..members(weight, items) {
        let matrix = matrix_of(weight, items, index)?;
        let mut mean = 0.0;
        for first in 0..items {
            for second in first + 1..items {
                mean += (matrix[first * items + second] - matrix[second * items + first]) / pairs;
            }
        }
        sum.iter_mut().zip(&matrix).for_each(|(sum, entry)| *sum += mean * entry);
    }
    Ok(sum)
}
