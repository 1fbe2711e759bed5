//! The consensus of rankings: the ranking whose mean kernel with the given rankings is largest. For the standard
//! weight, it is the Kemeny ranking: the ranking with the smallest mean Kendall distance to the given rankings.
//!
//! ```text
//! mod           check, choose a method, score
//! ordering      sums of margins of pairs: the standard kernel, and any matrix
//! search        insertions and exchanges from several starts
//! majorities    which items come before which, and the consequences
//! objective     from rankings and a kernel to the function to maximise
//! bounds        upper bounds
//! terms         the value of an order, and the gain of a change
//! places        dynamic programming over subsets
//! ```

mod bounds;
mod majorities;
pub(crate) mod objective;
mod ordering;
mod places;
mod search;
mod terms;

use crate::balance::{Ranked, plain_coefficients};
use crate::error::Error;
use crate::measure::{KendallMeasure, Mean, MeanWeight, Measure};
use crate::memory;
use crate::parallel::{self, Watch};
use crate::rankings::{Operands, RankingSet, with_operands};
use crate::weight::kinds::PairWeight;
use crate::weight::scale::times_power_of_two;
use objective::Objective;
use places::{MAX_ITEMS, Steps};
use terms::{ObjectiveTerms, best_of_all};

pub use ordering::{Large, Ordered, Prove, linear_ordering, linear_orderings};

/// The largest number of items for which all orders are tried, if weights depend on the positions of all items. For 10
/// items, this takes 0.2 s.
const MAX_TO_TRY: usize = 10;
/// A score is treated as equal to its bound if the two differ by at most this fraction.
const EQUAL: f64 = 1e-12;
/// Two rankings are treated as equally good if their scores differ by at most this fraction of the sum of all terms.
const TIED: f64 = 1e-12;

/// A method to find the consensus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Method {
    /// The exact method if it is possible, otherwise local search.
    #[default]
    Auto,
    /// The best of all rankings, found by dynamic programming over subsets. The number of items is at most 20. For
    /// [`Mult`](crate::Weight::Mult) and for matrices of weights, it is at most 10. With [`Options::prove`] and the
    /// standard weight, there is no limit.
    Exact,
    /// Local search from several starts. Items are inserted at other positions or exchanged, as long as this improves
    /// the score.
    Local,
    /// The items sorted by their mean ranks, for any kernel.
    Borda,
}

/// Options of a run. The number of threads does not change the result. Later versions may add fields, so end your list
/// of fields with `..Default::default()`.
#[derive(Default)]
pub struct Options<'a> {
    /// The method.
    pub method: Method,
    /// The seed of the local search.
    pub seed: u64,
    /// The number of threads; `None` for [`default_threads`](crate::default_threads).
    pub threads: Option<usize>,
    /// A function that receives the progress of the run and can stop it.
    pub watch: Option<Watch<'a>>,
    /// A function that improves orders of many items and their bounds, for the standard weight; see [`Large`].
    pub prove: Option<Prove<'a>>,
}

/// A ranking, and how much the given rankings agree with it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Consensus {
    /// The rank of each item; 1 is the best.
    pub ranks: Vec<u32>,
    /// The weighted mean of the measure between this ranking and the given rankings.
    pub score: f64,
    /// An upper bound of the score: no ranking has a larger score than this.
    pub bound: f64,
    /// Whether no ranking has a larger score.
    pub optimal: bool,
    /// Whether the score of every other ranking is smaller, by more than rounding errors; `None` if this is not known.
    pub unique: Option<bool>,
}

/// The complete ranking whose weighted mean kernel with the given rankings is largest. Without `weights`, each ranking
/// has the weight 1.
///
/// # Errors
/// Returns an error in these cases:
///
/// - The measure is not a kernel of order 2 with weights of pairs.
/// - The numbers of items differ, or there are no rankings.
/// - There is not one weight for each ranking, a weight is negative or not finite, or all weights are 0.
/// - There are too many items for [`Method::Exact`].
/// - Items can be anywhere, and the weight of the kernel is not the standard weight.
/// - `options.threads` is 0.
/// - `options.watch` stops the run.
///
/// ```
/// use wkendall::{Measure, Rankings, Weight, consensus};
/// let x = Rankings::from_ranks(3, 3, &[1, 2, 3, 1, 3, 2, 2, 1, 3])?;
/// let kernel = Measure::kernel(&Weight::Standard, 3)?;
/// let found = consensus::consensus(&kernel, &x, None, consensus::Options::default())?;
/// assert_eq!(found.ranks, [1, 2, 3]);
/// assert_eq!(found.score, 7.0 / 3.0);
/// assert!(found.optimal);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn consensus<R: RankingSet>(
    measure: &Measure,
    rankings: &R,
    weights: Option<&[f64]>,
    options: Options<'_>,
) -> Result<Consensus, Error> {
    let measure = measure.pair_sum("a consensus")?;
    consensus_of_operands(&measure, R::operands(rankings, None), weights, options)
}

fn consensus_of_operands(
    measure: &KendallMeasure,
    operands: Operands<'_>,
    weights: Option<&[f64]>,
    options: Options<'_>,
) -> Result<Consensus, Error> {
    with_operands!(operands, |rankings, _| consensus_of(measure, rankings, weights, options))
}

fn consensus_of<R: RankingSet>(
    measure: &KendallMeasure,
    rankings: &R,
    weights: Option<&[f64]>,
    options: Options<'_>,
) -> Result<Consensus, Error> {
    parallel::check_threads(options.threads)?;
    let weight = pair_weight(measure)?;
    measure.check_items(rankings.items())?;
    let weights = checked_weights(rankings.rows(), weights)?;
    if let Operands::Lists(lists, _) = R::operands(rankings, None) {
        return consensus_of(measure, &lists.to_incomplete()?, Some(&weights), options);
    }
    let (ranked, items) = (Ranked::of(rankings), rankings.items());
    check_method(measure, items, &options)?;
    let Options { method, seed, threads, mut watch, prove } = options;
    let total = weights.iter().sum::<f64>();
    let coefficients = plain_coefficients(measure, rankings, &weights, threads, parallel::share(&mut watch))?;
    let goal = Objective::new(weight, rankings, &coefficients, threads, parallel::share(&mut watch))?;
    let borda = borda_order(ranked, &weights)?;
    let found = solve(&goal, borda, Options { method, seed, threads, watch, prove })?;
    // All complete rankings have the same self-similarity.
    let own = if measure.is_normalized() { measure.plain().self_similarity() } else { 1.0 };
    let divisor = if own > 0.0 { total * own.sqrt() } else { f64::INFINITY };
    let score = (goal.constant + goal.factor * found.value) / divisor;
    let bound = ((goal.constant + goal.factor * found.most) / divisor).max(score);
    let optimal = found.exact || bound - score <= EQUAL * bound.abs().max(goal.terms.size() * goal.factor / divisor);
    let bound = if optimal { score } else { bound };
    Ok(Consensus { ranks: ranks_of(&found.order)?, score, bound, optimal, unique: found.unique })
}

/// The rank of each item, from 1.
fn ranks_of(order: &[u32]) -> Result<Vec<u32>, Error> {
    let mut ranks = memory::filled(order.len(), 0)?;
    for (rank, &item) in (1..).zip(order) {
        ranks[item as usize] = rank;
    }
    Ok(ranks)
}

/// The weight of a kernel of order 2, and whether it is signed.
pub(crate) fn pair_weight(measure: &KendallMeasure) -> Result<(MeanWeight<'_>, bool), Error> {
    if measure.rate().is_some() || measure.is_ordered() {
        return Err(Error::PairsOnly);
    }
    match measure.mean() {
        Ok((MeanWeight::Tensors(weight), _)) if weight.order() != 2 => Err(Error::PairsOnly),
        Ok((weight, Mean::Concordant)) => Ok((weight, false)),
        Ok((weight, Mean::Signed)) => Ok((weight, true)),
        Ok((_, Mean::Discordant)) | Err(_) => Err(Error::PairsOnly),
    }
}

/// The weights of rankings, multiplied by the power of two that brings the largest weight near 1. With a power of two,
/// sums of whole numbers stay exact.
fn checked_weights(rows: usize, weights: Option<&[f64]>) -> Result<Vec<f64>, Error> {
    if rows == 0 {
        return Err(Error::NoRankings);
    }
    let Some(weights) = weights else { return memory::filled(rows, 1.0) };
    if weights.len() != rows {
        return Err(Error::CoefficientCount { given: weights.len(), rankings: rows });
    }
    if let Some(row) = weights.iter().position(|&weight| !(weight >= 0.0 && weight.is_finite())) {
        return Err(Error::RankingWeight { row, value: weights[row] });
    }
    let largest = weights.iter().fold(0.0_f64, |most, &weight| most.max(weight));
    if largest == 0.0 {
        return Err(Error::NoWeight);
    }
    let power = -largest.log2().floor() as i32;
    memory::collect(weights.iter().map(|&weight| times_power_of_two(weight, power)))
}

/// Returns an error for an exact method that would take too long.
fn check_method(measure: &KendallMeasure, items: usize, options: &Options<'_>) -> Result<(), Error> {
    let most = match measure.weight().pairs() {
        Some(PairWeight::Count { top: None }) if options.prove.is_some() => usize::MAX,
        _ if depends_on_all_places(measure) => MAX_TO_TRY,
        _ => MAX_ITEMS,
    };
    match options.method {
        Method::Exact if items > most => Err(Error::TooManyForExact { items, most }),
        Method::Exact | Method::Auto | Method::Local | Method::Borda => Ok(()),
    }
}

fn depends_on_all_places(measure: &KendallMeasure) -> bool {
    measure.weight().pairs().is_none_or(|weight| matches!(weight, PairWeight::Products(_)))
}

/// The items sorted by their mean ranks. Items with equal mean ranks are sorted by number. An item of unknown position
/// has its expected rank.
fn borda_order(ranked: Ranked<'_>, weights: &[f64]) -> Result<Vec<u32>, Error> {
    let items = ranked.items();
    let mut sums = memory::filled(items, 0.0)?;
    for (row, &weight) in weights.iter().enumerate() {
        match ranked {
            Ranked::Complete(set) => {
                for (sum, &rank) in sums.iter_mut().zip(set.row(row).ranks()) {
                    *sum += weight * f64::from(rank + 1);
                }
            }
            Ranked::Tied(set) => {
                let blocks = set.row(row);
                // The items of unknown position are spread evenly among the others.
                let spread = (items + 1) as f64 / (blocks.placed + 1) as f64;
                for block in blocks.ranges() {
                    let mean = (block.start + block.end + 1) as f64 / 2.0 * spread;
                    blocks.order[block].iter().for_each(|&item| sums[item as usize] += weight * mean);
                }
                for &item in &blocks.order[blocks.placed..] {
                    sums[item as usize] += weight * (items + 1) as f64 / 2.0;
                }
            }
        }
    }
    let mut order = memory::collect(0..items as u32)?;
    order.sort_by(|&one, &other| sums[one as usize].total_cmp(&sums[other as usize]));
    Ok(order)
}

/// An order, its value, an upper bound, whether no order is better, and whether it is the only best order.
struct Solution {
    order: Vec<u32>,
    value: f64,
    most: f64,
    exact: bool,
    unique: Option<bool>,
}

fn solve(goal: &Objective, borda: Vec<u32>, options: Options<'_>) -> Result<Solution, Error> {
    if let ObjectiveTerms::Signs(signs) = &goal.terms {
        return ordering::solve(signs, borda, options);
    }
    let Options { method, seed, threads, mut watch, .. } = options;
    let (terms, items) = (&goal.terms, goal.terms.items());
    let most = goal.most.unwrap_or(f64::INFINITY);
    if method == Method::Borda {
        return Ok(Solution { value: terms.value(&borda), order: borda, most, exact: false, unique: None });
    }
    if method != Method::Local {
        let steps = steps_of(terms)?;
        if steps.is_some() || items <= MAX_TO_TRY {
            let least = TIED * terms.size();
            let (order, unique) =
                parallel::run_one(exact_ns(items), parallel::share(&mut watch), |cancel| match &steps {
                    Some(steps) => steps.best_order(least, cancel),
                    None => best_of_all(terms, least, cancel),
                })?;
            let value = terms.value(&order);
            return Ok(Solution { order, value, most: value, exact: true, unique: Some(unique) });
        }
    }
    let (order, value) = search::search(terms, most, &[borda], seed, threads, watch)?;
    Ok(Solution { order, value, most, exact: false, unique: None })
}

/// The time of dynamic programming for `items` items, in nanoseconds. It is also used for the time to try all orders of
/// a few items.
fn exact_ns(items: usize) -> f64 {
    if items <= MAX_TO_TRY { 2e8 } else { 10.0 * items as f64 * (items as f64).exp2() }
}

/// The input of dynamic programming; `None` if dynamic programming cannot be used.
fn steps_of(terms: &ObjectiveTerms) -> Result<Option<Steps>, Error> {
    let items = terms.items();
    if items > MAX_ITEMS {
        return Ok(None);
    }
    Ok(match terms {
        ObjectiveTerms::Tensors(terms) => Steps::of(&terms.placing, items),
        ObjectiveTerms::Later(terms) => {
            let mut numbers = memory::with_capacity(items * items * items)?;
            for place in 0..items {
                (0..items).for_each(|item| numbers.extend_from_slice(terms.row(item, place)));
            }
            Some(Steps { items, factors: vec![1.0; items], base: vec![0.0; items], numbers })
        }
        ObjectiveTerms::Signs(signs) => Some(ordering::steps_of(signs)),
    })
}
