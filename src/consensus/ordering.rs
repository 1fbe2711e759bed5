//! Linear ordering. Each ordered pair of items has a margin, and the problem is to find the order of the items with the
//! largest sum of margins. The Kemeny ranking is the solution for margins of majorities. A matrix with a number for
//! each pair gives margins too.
//!
//! The majorities split the items into components; see `majorities`. In the best order, the components follow one
//! another, so each component is ordered alone: by dynamic programming for up to 20 items, and by local search for
//! more. The caller can improve the orders of large components and prove that they are optimal, for example with a
//! solver for linear programs.

use std::ops::ControlFlow::{Break, Continue};

use super::majorities;
use super::places::{MAX_ITEMS, Steps};
use super::terms::{ObjectiveTerms, Signs};
use super::{Consensus, EQUAL, Method, Options, Solution, TIED, exact_ns, ranks_of, search};
use crate::error::Error;
use crate::memory;
use crate::parallel::{self, Cancel, Poll, Workers};
use crate::weight::scale::times_power_of_two;

/// The difference of two entries is treated as 0 if it is at most this fraction of the entries. So 0.1 + 0.2 equals
/// 0.3.
const ROUNDED: f64 = 4.0 * f64::EPSILON;
/// A margin is treated as a tie if it is at most this fraction of the sum of all margins.
const NO_MAJORITY: f64 = 1e-14;

/// A large component: a group of items that majorities do not split further, and that has too many items for dynamic
/// programming.
#[derive(Debug)]
#[non_exhaustive]
pub struct Large<'a> {
    /// The number of items.
    pub items: usize,
    /// The margins of the ordered pairs of items, row by row. If an order has the first item of a pair before the
    /// second item, the margin of the pair is added to the value of the order. Otherwise it is subtracted.
    pub margins: &'a [f64],
    /// The best order that local search found.
    pub order: &'a [u32],
    /// No order has a larger value than this.
    pub bound: f64,
}

/// The order of the items of a [`Large`] component.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ordered {
    /// The items, the best first.
    pub order: Vec<u32>,
    /// No order has a larger value than this.
    pub bound: f64,
    /// Whether no order has a larger value than this order.
    pub optimal: bool,
    /// Whether the values of all other orders are smaller; `None` if this is not known.
    pub unique: Option<bool>,
}

impl Ordered {
    /// An order; see the fields.
    #[must_use]
    pub fn new(order: Vec<u32>, bound: f64, optimal: bool, unique: Option<bool>) -> Self {
        Self { order, bound, optimal, unique }
    }
}

/// A function that improves the order of a [`Large`] component, or its bound. It is called on the calling thread.
pub type Prove<'a> = &'a mut dyn FnMut(&Large<'_>) -> Result<Ordered, Error>;

/// The order of items with the largest score. The score of an order is the sum of `matrix[i, j]` over all pairs in
/// which item i comes before item j. The diagonal is ignored. [`Method::Borda`] sorts the items by the sums of their
/// rows minus the sums of their columns.
///
/// # Errors
/// Returns an error in these cases:
///
/// - The matrix does not have `items * items` entries, or an entry is not finite.
/// - The method is [`Method::Exact`] without [`Options::prove`], and there are more than 20 items.
/// - `options.threads` is 0.
/// - `options.watch` stops the run.
///
/// ```
/// use wkendall::consensus::{Options, linear_ordering};
/// let found = linear_ordering(3, &[0.0, 5.0, 1.0, 2.0, 0.0, 4.0, 3.0, 1.0, 0.0], Options::default())?;
/// assert_eq!((found.ranks, found.score), (vec![1, 2, 3], 10.0));
/// assert_eq!(found.unique, Some(true));
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn linear_ordering(items: usize, matrix: &[f64], options: Options<'_>) -> Result<Consensus, Error> {
    parallel::check_threads(options.threads)?;
    check(1, items, matrix)?;
    if options.method == Method::Exact && items > MAX_ITEMS && options.prove.is_none() {
        return Err(Error::TooManyForExact { items, most: MAX_ITEMS });
    }
    // Entry i of the diagonal is at i * (items + 1).
    let largest = (0..).zip(matrix).filter(|&(place, _)| place % (items + 1) != 0);
    let largest = largest.fold(0.0_f64, |most, (_, entry)| most.max(entry.abs()));
    let power = if largest > 0.0 { -largest.log2().floor() as i32 } else { 0 };
    // The entries are multiplied by a power of two, so that sums do not overflow and whole numbers stay exact.
    let scaled = memory::collect(matrix.iter().map(|&entry| times_power_of_two(entry, power)))?;
    let mut margins = memory::filled(items * items, 0.0)?;
    for first in 0..items {
        for second in first + 1..items {
            let (before, after) = (scaled[first * items + second], scaled[second * items + first]);
            let margin = before - after;
            let margin = if margin.abs() <= ROUNDED * before.abs().max(after.abs()) { 0.0 } else { margin };
            margins[first * items + second] = margin;
            margins[second * items + first] = -margin;
        }
    }
    let signs = Signs { items, margins };
    let sums = memory::collect(signs.margins.chunks(items.max(1)).map(|row| row.iter().sum::<f64>()))?;
    let mut borda = memory::collect(0..items as u32)?;
    borda.sort_by(|&one, &other| sums[other as usize].total_cmp(&sums[one as usize]));
    let size = size_of_terms(&signs);
    let found = solve(&signs, borda, options)?;
    let row = |place: usize| &scaled[found.order[place] as usize * items..][..items];
    let after = |place: usize| found.order[place + 1..].iter().map(|&item| row(place)[item as usize]).sum::<f64>();
    let total = (0..items).map(after).sum::<f64>();
    let (score, gap) = (times_power_of_two(total, -power), (found.most - found.value) / 2.0);
    let optimal = found.exact || gap <= EQUAL * size;
    let bound = if optimal { score } else { times_power_of_two(total + gap, -power).max(score) };
    Ok(Consensus { ranks: ranks_of(&found.order)?, score, bound, optimal, unique: found.unique })
}

/// Calls [`linear_ordering`] for several matrices in parallel. `options.prove` is not used.
///
/// # Errors
/// Returns the same errors as [`linear_ordering`]. If an entry is not finite, the row in the error counts the rows of
/// all matrices, from the first matrix on.
pub fn linear_orderings(
    count: usize,
    items: usize,
    matrices: &[f64],
    options: Options<'_>,
) -> Result<Vec<Consensus>, Error> {
    let Options { method, seed, threads, watch, .. } = options;
    parallel::check_threads(threads)?;
    check(count, items, matrices)?;
    let mut found: Vec<Option<Consensus>> = memory::filled(count, None)?;
    let size = items * items;
    let jobs = memory::collect(found.iter_mut().enumerate())?;
    let ns = if items <= MAX_ITEMS { exact_ns(items).min(1e4 * (items as f64).exp2()) } else { 1e9 };
    let workers = Workers::new(parallel::threads_for(ns * count as f64, threads), ns);
    let work = |(number, found): (usize, &mut Option<Consensus>), (): &mut (), poll: &mut Poll<'_>| {
        let mut look = |_| if poll.is_cancelled() { Break(()) } else { Continue(()) };
        let options = Options { method, seed, threads: Some(1), watch: Some(&mut look), prove: None };
        *found = Some(linear_ordering(items, &matrices[number * size..][..size], options)?);
        Ok(())
    };
    parallel::run(jobs, workers, watch, |_| Ok(()), work)?;
    found.into_iter().map(|found| found.ok_or(Error::Interrupted)).collect()
}

/// Returns an error if the number of entries is wrong, or if an entry is not finite.
fn check(count: usize, items: usize, entries: &[f64]) -> Result<(), Error> {
    let rows = count.saturating_mul(items);
    if rows.checked_mul(items) != Some(entries.len()) {
        return Err(Error::Shape { values: entries.len(), rows, items });
    }
    let Some(wrong) = entries.iter().position(|entry| !entry.is_finite()) else { return Ok(()) };
    let (row, column, value) = (wrong / items, wrong % items, entries[wrong]);
    Err(if value.is_nan() { Error::NotANumber { row, column } } else { Error::Infinite { row, column, value } })
}

/// The input of dynamic programming.
pub(crate) fn steps_of(signs: &Signs) -> Steps {
    let items = signs.items;
    let numbers = signs.margins.iter().map(|margin| -margin).collect();
    Steps { items, factors: vec![1.0; items], base: vec![0.0; items], numbers }
}

/// Orders the components of majorities one by one. `borda` is a start for local search.
pub(crate) fn solve(signs: &Signs, borda: Vec<u32>, options: Options<'_>) -> Result<Solution, Error> {
    let Options { method, seed, threads, mut watch, mut prove } = options;
    let (items, size) = (signs.items, size_of_terms(signs));
    let least = NO_MAJORITY * 2.0 * size;
    let ns = 2.0 * (items * items) as f64;
    let components =
        parallel::run_one(ns, parallel::share(&mut watch), |cancel| majorities::components(signs, least, cancel))?;
    let order = memory::with_capacity(items)?;
    let mut found = Solution { order, value: 0.0, most: 0.0, exact: true, unique: Some(true) };
    let mut within = 0.0;
    for component in &components {
        if let &[item] = &component[..] {
            found.order.push(item);
            continue;
        }
        let part = signs.among(component)?;
        within += size_of_terms(&part);
        let start = borda_within(&borda, component, items)?;
        let options = Options {
            method,
            seed,
            threads,
            watch: parallel::share(&mut watch),
            prove: match &mut prove {
                Some(prove) => Some(&mut **prove),
                None => None,
            },
        };
        let part = of_component(part, start, TIED * size, options)?;
        found.order.extend(part.order.iter().map(|&index| component[index as usize]));
        // Adds the bound within the component. Between components, all margins count.
        found.most += part.most;
        found.exact &= part.exact;
        found.unique = match (found.unique, part.unique) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
    }
    found.most += size - within;
    let margin = |pair: &[u32]| signs.margins[pair[0] as usize * items + pair[1] as usize];
    // Two neighbours without a majority can change places. If there are no such neighbours, the order is unique if the
    // orders of all components are unique.
    if found.order.windows(2).any(|pair| margin(pair).abs() <= least) {
        found.unique = found.exact.then_some(false);
    }
    let terms = ObjectiveTerms::Signs(Signs { items, margins: memory::collect(signs.margins.iter().copied())? });
    found.value = terms.value(&found.order);
    match method {
        Method::Auto | Method::Exact => Ok(found),
        Method::Borda => {
            Ok(Solution { value: terms.value(&borda), order: borda, most: found.most, exact: false, unique: None })
        }
        Method::Local => {
            // One of the starts is the order of the components, so that Condorcet's order is found if it exists.
            let starts = [borda, found.order];
            let (order, value) = search::search(&terms, found.most, &starts, seed, threads, watch)?;
            Ok(Solution { order, value, most: found.most, exact: false, unique: None })
        }
    }
}

/// The sum of the absolute margins, where each pair counts once.
fn size_of_terms(signs: &Signs) -> f64 {
    signs.margins.iter().map(|margin| margin.abs()).sum::<f64>() / 2.0
}

/// The items of a component in the order that `borda` has for all items. An item is given by its number in the
/// component.
fn borda_within(borda: &[u32], component: &[u32], items: usize) -> Result<Vec<u32>, Error> {
    let mut place = memory::filled(items, u32::MAX)?;
    for (index, &item) in (0..).zip(component) {
        place[item as usize] = index;
    }
    memory::collect(borda.iter().map(|&item| place[item as usize]).filter(|&index| index != u32::MAX))
}

/// The order of the items of one component. For methods that are not exact, it can be the start. Two values are treated
/// as equal if they differ by at most `tied`.
fn of_component(part: Signs, start: Vec<u32>, tied: f64, options: Options<'_>) -> Result<Solution, Error> {
    let Options { method, seed, threads, mut watch, prove } = options;
    let items = part.items;
    let looks = matches!(method, Method::Auto | Method::Exact);
    if looks && items <= MAX_ITEMS {
        let job = |cancel: &Cancel| steps_of(&part).best_order(tied, cancel);
        let (order, unique) = parallel::run_one(exact_ns(items), watch, job)?;
        let value = ObjectiveTerms::Signs(part).value(&order);
        return Ok(Solution { order, value, most: value, exact: true, unique: Some(unique) });
    }
    let ns = items.pow(3) as f64 / 3.0;
    let most = parallel::run_one(ns, parallel::share(&mut watch), |cancel: &Cancel| majorities::most(&part, cancel))?;
    if !looks {
        return Ok(Solution { order: start, value: 0.0, most, exact: false, unique: None });
    }
    let terms = ObjectiveTerms::Signs(part);
    let (order, value) = search::search(&terms, most, &[start], seed, threads, watch)?;
    let (ObjectiveTerms::Signs(Signs { margins, .. }), Some(prove)) = (&terms, prove) else {
        let exact = most - value <= EQUAL * most.abs();
        return Ok(Solution { order, value, most, exact, unique: None });
    };
    let Ordered { order, bound, optimal, unique } = prove(&Large { items, margins, order: &order, bound: most })?;
    let value = terms.value(&order);
    Ok(Solution { order, value, most: if optimal { value } else { bound.max(value) }, exact: optimal, unique })
}
