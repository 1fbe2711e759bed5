//! The best values of each row of a Gram matrix, or all values within a limit, without the matrix.
//!
//! A tile is computed, the values that its rows keep are extracted, and the tile is dropped. Values are bitwise
//! identical to those of [`gram`](crate::gram()), because the strategy and the rankings are the same.
//!
//! ```text
//! mod        check, plan, run
//! repeated   repeated rankings: the results of one, copied to all
//! tiled      values of any strategy, tile by tile
//! counted    packed bits: only counts that are good enough are written to memory
//! kept       the entries that are kept for each row
//! ```

mod counted;
mod kept;
mod repeated;
mod tiled;

use super::distinct::Few;
use super::expand::of_all_items;
use super::found::{Neighbors, Within};
use super::plan::{GramTask, Plan, Representation, cost};
use super::{Backend, ListIndex, Options, check, combined, fill_all, find_own, measure_of_items, new_task};
use crate::error::Error;
use crate::measure::{KendallMeasure, Measure, MeasureKind};
use crate::memory;
use crate::parallel::{self, Watch};
use crate::rankings::{Lists, RankingSet, Sides, with_sides};
use counted::CountedSearch;
use kept::{Best, Candidate, Close, CloseRows, Keep};
use repeated::EqualRankings;
use tiled::Reduction;

/// For each ranking of `x` the `count` most similar rankings of `y` or, without `y`, of the rest of `x`.
///
/// These have the largest values of [`gram`](crate::gram()) in each row; for [`Measure::distance`] the smallest. Among
/// equal values the smaller index comes first. The matrix is never built: memory grows with `count`, not with the
/// number of rankings of `y`. If `y` is `x` itself, rankings can be their own neighbours, and half of the values are
/// computed, as without `y`.
///
/// # Errors
/// As [`gram`](crate::gram()), and when `count` is 0 or there are fewer rankings.
///
/// ```
/// use wkendall::{Measure, Options, Rankings, neighbors};
/// let x = Rankings::from_ranks(3, 4, &[1, 2, 3, 4, 2, 1, 3, 4, 4, 3, 2, 1])?;
/// let found = neighbors(&Measure::distance(4), &x, None, 1, Options::default())?;
/// assert_eq!(found.indices, [1, 0, 1]);
/// assert_eq!(found.values, [1.0, 1.0, 5.0]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn neighbors<R: RankingSet>(
    measure: &Measure,
    x: &R,
    y: Option<&R>,
    count: usize,
    options: Options<'_>,
) -> Result<Neighbors, Error> {
    neighbors_of_sides(measure, R::sides(x, y), count, options)
}

fn neighbors_of_sides(
    measure: &Measure,
    sides: Sides<'_>,
    count: usize,
    options: Options<'_>,
) -> Result<Neighbors, Error> {
    check(measure, sides, &options)?;
    with_sides!(sides, |x, y| match measure.kind() {
        MeasureKind::Kendall(measure) => neighbors_of(measure, x, y, count, options),
        MeasureKind::Combination(it) => combined::neighbors(it, x, y, count, options),
    })
}

fn neighbors_of<R: RankingSet>(
    measure: &KendallMeasure,
    x: &R,
    y: Option<&R>,
    count: usize,
    options: Options<'_>,
) -> Result<Neighbors, Error> {
    let rankings = y.map_or(x.rows().saturating_sub(1), RankingSet::rows);
    if count == 0 || count > rankings {
        return Err(Error::NeighborCount { count, rankings, others: y.is_none() });
    }
    let same = y.is_some_and(|y| std::ptr::eq(x, y));
    if let Some((x, of_y)) = of_all_items(measure, x, y.filter(|_| !same), &options)? {
        return neighbors_of(measure, &x, if same { Some(&x) } else { of_y.as_ref() }, count, options);
    }
    if let Some((x, lists)) = searched::<R>(measure, x, y, &options) {
        let mut options = options;
        let index = ListIndex::of(measure, lists, options.again())?;
        return index.neighbors(x, count, options);
    }
    // A ranking may be its own best neighbour.
    let kept = count + usize::from(y.is_none());
    search(measure, x, y, Wanted::Best(kept), options, |classes, found, run| classes.neighbors(count, kept, found, run))
}

/// For each ranking of `x` all rankings of `y` or, without `y`, all others of `x`, whose value is at least `radius`;
/// for [`Measure::distance`] at most `radius`.
///
/// # Errors
/// As [`gram`](crate::gram()), when the radius is NaN or that of a distance is negative, and when there is no memory
/// for the result.
///
/// ```
/// use wkendall::{Measure, Options, Rankings, within};
/// let x = Rankings::from_ranks(3, 4, &[1, 2, 3, 4, 2, 1, 3, 4, 4, 3, 2, 1])?;
/// let found = within(&Measure::distance(4), &x, None, 1.0, Options::default())?;
/// assert_eq!(found.starts, [0, 1, 2, 2]);
/// assert_eq!(found.indices, [1, 0]);
/// assert_eq!(found.values, [1.0, 1.0]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn within<R: RankingSet>(
    measure: &Measure,
    x: &R,
    y: Option<&R>,
    radius: f64,
    options: Options<'_>,
) -> Result<Within, Error> {
    within_of_sides(measure, R::sides(x, y), radius, options)
}

fn within_of_sides(measure: &Measure, sides: Sides<'_>, radius: f64, options: Options<'_>) -> Result<Within, Error> {
    check(measure, sides, &options)?;
    with_sides!(sides, |x, y| match measure.kind() {
        MeasureKind::Kendall(measure) => within_of(measure, x, y, radius, options),
        MeasureKind::Combination(it) => combined::within(it, x, y, radius, options),
    })
}

fn within_of<R: RankingSet>(
    measure: &KendallMeasure,
    x: &R,
    y: Option<&R>,
    radius: f64,
    options: Options<'_>,
) -> Result<Within, Error> {
    if radius.is_nan() || (measure.is_distance() && radius < 0.0) {
        return Err(Error::Radius { value: radius, distance: measure.is_distance() });
    }
    if let Some((x, y)) = of_all_items(measure, x, y, &options)? {
        return within_of(measure, &x, y.as_ref(), radius, options);
    }
    if let Some((x, lists)) = searched::<R>(measure, x, y, &options) {
        let mut options = options;
        let index = ListIndex::of(measure, lists, options.again())?;
        return index.within(x, radius, options);
    }
    search(measure, x, y, Wanted::Close(radius), options, EqualRankings::within)
}

/// Searches neighbours of lists with an index of the others, if building one pays off, unless a backend is requested.
fn searched<'a, R: RankingSet>(
    measure: &KendallMeasure,
    x: &'a R,
    y: Option<&'a R>,
    options: &Options<'_>,
) -> Option<(Option<&'a Lists>, &'a Lists)> {
    let Sides::Lists(x, y) = R::sides(x, y) else { return None };
    let lists = y.unwrap_or(x);
    let free = options.backend == Backend::default() && options.tile.is_none() && !measure.is_ordered();
    (free && cost::worth_an_index(x.rows(), lists)).then_some((y.map(|_| x), lists))
}

/// The entries to keep for each row.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    /// This many best.
    Best(usize),
    /// All within this value.
    Close(f64),
}

/// The results, for each of the distinct rankings of the rows.
enum FoundRows {
    Best(Best<Candidate>),
    /// Numbers of discordant pairs, and the key of each.
    Counts(Best<u64>, Vec<f64>),
    Close(CloseRows),
    /// All values are 0: this many columns, from the first on.
    Zeros(usize),
}

impl FoundRows {
    /// The candidates of a row, in the order of the result.
    fn row(&self, row: usize, sign: f64, candidates: &mut Vec<Candidate>) -> Result<(), Error> {
        candidates.clear();
        match self {
            Self::Best(best) => best.row(row, candidates),
            Self::Counts(best, keys) => {
                let mut entries = Vec::new();
                best.row(row, &mut entries)?;
                memory::reserve(candidates, entries.len())?;
                // A count in the upper half, a column in the lower half.
                let decoded = |entry| Candidate { key: keys[(entry >> 32) as usize], index: entry as u32 as usize };
                candidates.extend(entries.into_iter().map(decoded));
                Ok(())
            }
            Self::Close(rows) => {
                let found = rows.row(row);
                memory::reserve(candidates, found.len())?;
                candidates.extend(found.iter().map(|&(_, candidate)| candidate));
                Ok(())
            }
            &Self::Zeros(columns) => {
                memory::reserve(candidates, columns)?;
                candidates.extend((0..columns).map(|index| Candidate { key: sign * 0.0, index }));
                Ok(())
            }
        }
    }
}

/// The options for the last step of a search.
struct Ending<'w> {
    threads: Option<usize>,
    watch: Option<Watch<'w>>,
}

/// Searches for the distinct rankings, and lets `finish` build the result for all rankings.
fn search<R: RankingSet, T>(
    measure: &KendallMeasure,
    x: &R,
    y: Option<&R>,
    wanted: Wanted,
    options: Options<'_>,
    finish: impl FnOnce(&EqualRankings, &FoundRows, Ending<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut options = options;
    let of_items = measure_of_items(measure, R::sides(x, None))?;
    let measure = of_items.as_ref().unwrap_or(measure);
    find_own(measure, &mut options)?;
    // A ranking that is searched among all can be its own neighbour. Half of the matrix is enough in both cases.
    let others = y.is_none();
    let y = y.filter(|&y| !std::ptr::eq(x, y));
    let task = new_task::<R, f64>(measure, x, y)?;
    let few = Few::find(x, y, parallel::share(&mut options.watch))?;
    let sign = if measure.is_distance() { 1.0 } else { -1.0 };
    let classes = EqualRankings::new(few.as_ref(), x, others, sign)?;
    let found = match &few {
        Some(few) => {
            let (x, y) = few.sets();
            let (rows, columns) = few.shape();
            find(GramTask { rows, columns, ..task }, x, y, wanted, sign, &mut options)
        }
        None => find(task, x, y, wanted, sign, &mut options),
    }?;
    drop(few);
    finish(&classes, &found, Ending { threads: options.threads, watch: options.watch })
}

fn find<R: RankingSet>(
    task: GramTask<'_>,
    x: &R,
    y: Option<&R>,
    wanted: Wanted,
    sign: f64,
    options: &mut Options<'_>,
) -> Result<FoundRows, Error> {
    let GramTask { measure, representation, rows, columns, .. } = task;
    if representation == Representation::Complete && measure.is_zero() {
        return Ok(FoundRows::Zeros(match wanted {
            Wanted::Best(kept) => kept.min(columns),
            Wanted::Close(radius) => {
                if radius <= 0.0 {
                    columns
                } else {
                    0
                }
            }
        }));
    }
    let plan = Plan::for_reduction(task, options)?;
    if let Sides::Complete(x, y) = R::sides(x, y)
        && let Some(counts) = CountedSearch::new(task, plan, x, y, wanted, sign)?
    {
        return counts.find(wanted, sign, options);
    }
    let plan = Plan { tile: plan.tile.min(rows.max(columns)).max(1), ..plan };
    match wanted {
        Wanted::Best(kept) => {
            let best = Best::new(rows, plan.tile, kept.min(columns))?;
            reduce(task, plan, x, y, &best, sign, options)?;
            Ok(FoundRows::Best(best))
        }
        Wanted::Close(radius) => {
            let close = Close::new(rows, plan.tile, radius * sign)?;
            reduce(task, plan, x, y, &close, sign, options)?;
            Ok(FoundRows::Close(close.into_rows()?))
        }
    }
}

fn reduce<R: RankingSet>(
    task: GramTask<'_>,
    plan: Plan,
    x: &R,
    y: Option<&R>,
    keep: &impl Keep,
    sign: f64,
    options: &mut Options<'_>,
) -> Result<(), Error> {
    let &mut Options { threads, tile, backend, ref mut watch } = options;
    let options = Options { threads, tile, backend, watch: parallel::share(watch) };
    fill_all(task, plan, x, y, Reduction { keep, sign }, options)
}
