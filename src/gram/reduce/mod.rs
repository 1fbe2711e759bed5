//! The best values of each row of a Gram matrix, or all values within a limit, without the matrix.
//!
//! A tile is computed, then the values that are kept for its rows are copied, and the tile is dropped. Values are
//! bitwise identical to those of [`gram`](crate::gram()), because the strategy and the rankings are the same.
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

use super::distinct::Deduplicated;
use super::element::{Neighbors, Within};
use super::job::{Expand, Job, Task, check};
use super::plan::{Plan, cost};
use super::{Backend, ListIndex, Options, check_count, combined, computed};
use crate::error::Error;
use crate::measure::{Measure, MeasureKind, Part};
use crate::memory;
use crate::parallel::{self, RunOptions};
use crate::rankings::{Lists, Operands, RankingSet, with_operands};
use counted::CountedSearch;
use kept::{Best, Candidate, Close, CloseRows};
use repeated::EqualRankings;
use tiled::Reduction;

/// Finds, for each ranking of `x`, the `count` most similar rankings of `y`. Without `y`, finds the `count` most
/// similar other rankings of `x`.
///
/// The most similar rankings have the largest values of [`gram`](crate::gram()) in each row. For a distance, such as
/// [`Measure::distance`] or [`Measure::footrule`], they have the smallest values. Among equal values, the smaller index
/// comes first. The matrix is never built: memory grows with `count`, not with the number of rankings of `y`. If `y` is
/// the same object as `x`, a ranking can be its own neighbour. In this case, and also without `y`, only half of the
/// values are computed.
///
/// # Errors
/// Returns the same errors as [`gram`](crate::gram()), and an error when `count` is 0 or larger than the number of
/// rankings that are searched.
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
    neighbors_of(measure, R::operands(x, y), count, options)
}

fn neighbors_of(
    measure: &Measure,
    operands: Operands<'_>,
    count: usize,
    options: Options<'_>,
) -> Result<Neighbors, Error> {
    check(measure, operands, &options)?;
    check_count(operands, count)?;
    let part = match computed(measure, operands).kind() {
        MeasureKind::Part(part) => part,
        MeasureKind::Combination(it) => {
            return with_operands!(operands, |x, y| combined::neighbors(it, x, y, count, options));
        }
    };
    // A ranking may be its own best neighbour, so one more is kept.
    let kept = count + usize::from(others(operands));
    search(
        part,
        operands,
        Wanted::Best(kept),
        options,
        |index, x, options| index.neighbors(x, count, options),
        |classes, found, run| classes.neighbors(count, kept, found, run),
    )
}

/// Finds, for each ranking of `x`, all rankings of `y` whose value is at least `radius`. For a distance, such as
/// [`Measure::distance`] or [`Measure::footrule`], the value must be at most `radius`. Without `y`, the other rankings
/// of `x` are searched.
///
/// # Errors
/// Returns the same errors as [`gram`](crate::gram()), and an error when the radius is NaN, when the radius is negative
/// for a distance, or when there is no memory for the result.
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
    within_of(measure, R::operands(x, y), radius, options)
}

fn within_of(measure: &Measure, operands: Operands<'_>, radius: f64, options: Options<'_>) -> Result<Within, Error> {
    check(measure, operands, &options)?;
    let distance = matches!(measure.kind(), MeasureKind::Part(part) if part.is_distance());
    if radius.is_nan() || (distance && radius < 0.0) {
        return Err(Error::Radius { value: radius, distance });
    }
    let part = match computed(measure, operands).kind() {
        MeasureKind::Part(part) => part,
        MeasureKind::Combination(it) => {
            return with_operands!(operands, |x, y| combined::within(it, x, y, radius, options));
        }
    };
    let by_index = |index: &ListIndex<'_>, x: Option<&Lists>, options: Options<'_>| index.within(x, radius, options);
    search(part, operands, Wanted::Close(radius), options, by_index, EqualRankings::within)
}

/// Whether rankings are compared with the other rankings of the same set, so that a ranking is not its own neighbour.
fn others(operands: Operands<'_>) -> bool {
    with_operands!(operands, |_x, y| y.is_none())
}

/// The same rankings. If the columns are the same object as the rows, the columns are removed, and half of the matrix
/// is enough.
fn without_same(operands: Operands<'_>) -> Operands<'_> {
    match operands {
        Operands::Complete(x, y) => Operands::Complete(x, y.filter(|&y| !std::ptr::eq(x, y))),
        Operands::Tied(x, y) => Operands::Tied(x, y.filter(|&y| !std::ptr::eq(x, y))),
        Operands::Lists(x, y) => Operands::Lists(x, y.filter(|&y| !std::ptr::eq(x, y))),
    }
}

/// Whether neighbours of lists are searched with an index. They are, if the measure has an index, if building it pays
/// off, and if no backend is requested.
fn worth_an_index(part: &Part, queries: usize, lists: &Lists, wanted: Wanted, options: &Options<'_>) -> bool {
    let has_index = match part {
        Part::Kendall(measure) => !measure.is_ordered(),
        Part::Pairwise(measure) => {
            let has_bounds = || measure.get().bounds_ties() || !lists.has_ties();
            measure.is_bounded() && cost::worth_overlaps(lists, wanted.most(lists.rows())) && has_bounds()
        }
    };
    let free = options.backend == Backend::default() && options.tile.is_none();
    has_index && free && cost::worth_an_index(queries, lists)
}

/// The entries to keep for each row.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    /// This many best entries.
    Best(usize),
    /// All entries whose value is within this radius.
    Close(f64),
}

impl Wanted {
    /// The number of entries of a row out of `columns`, if it is known.
    fn most(self, columns: usize) -> Option<usize> {
        match self {
            Self::Best(count) => Some(count.min(columns)),
            Self::Close(_) => None,
        }
    }
}

/// The results for the distinct rankings of the rows.
enum FoundRows {
    Best(Best<Candidate>),
    /// Numbers of discordant pairs, and the key of each number.
    Counts(Best<u64>, Vec<f64>),
    Close(CloseRows),
    /// All values are 0. The result is this many columns, from the first column on.
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
                // An entry has a count in its upper half and a column in its lower half.
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

/// Searches lists with an index if that pays off. Otherwise computes the results of the distinct rankings; `finish`
/// then builds the result for all rankings.
fn search<T>(
    part: &Part,
    operands: Operands<'_>,
    wanted: Wanted,
    mut options: Options<'_>,
    by_index: impl FnOnce(&ListIndex<'_>, Option<&Lists>, Options<'_>) -> Result<T, Error>,
    finish: impl FnOnce(&EqualRankings, &FoundRows, RunOptions<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let others = others(operands);
    let job = Job::new(part, without_same(operands), Expand::IfFaster, &mut options)?;
    let task = job.task::<f64>()?;
    if let Operands::Lists(x, y) = job.operands() {
        let lists = y.unwrap_or(x);
        if worth_an_index(part, x.rows(), lists, wanted, &options) {
            let index = ListIndex::of(part, lists, options.again())?;
            return by_index(&index, (!others).then_some(x), options);
        }
    }
    let sign = if part.is_distance() { 1.0 } else { -1.0 };
    let (classes, found) = with_operands!(job.operands(), |x, y| {
        let deduplicated = Deduplicated::find(x, y, parallel::share(&mut options.watch))?;
        let classes = EqualRankings::new(deduplicated.as_ref(), x, others, sign)?;
        let found = match &deduplicated {
            Some(deduplicated) => {
                let (x, y) = deduplicated.sets();
                find(task.with_shape(deduplicated.shape()), x, y, wanted, sign, &mut options)
            }
            None => find(task, x, y, wanted, sign, &mut options),
        }?;
        (classes, found)
    });
    finish(&classes, &found, options.run())
}

fn find<R: RankingSet>(
    task: Task<'_>,
    x: &R,
    y: Option<&R>,
    wanted: Wanted,
    sign: f64,
    options: &mut Options<'_>,
) -> Result<FoundRows, Error> {
    let (rows, columns) = task.shape();
    if task.is_zero() {
        return Ok(FoundRows::Zeros(match wanted {
            Wanted::Best(kept) => kept.min(columns),
            Wanted::Close(radius) if radius <= 0.0 => columns,
            Wanted::Close(_) => 0,
        }));
    }
    let plan = task.plan_for_reduction(options)?;
    if let (Task::Kendall(task), Operands::Complete(x, y)) = (task, R::operands(x, y))
        && let Some(counts) = CountedSearch::new(task, plan, x, y, wanted, sign)?
    {
        return counts.find(wanted, sign, options);
    }
    let plan = Plan { tile: plan.tile.min(rows.max(columns)).max(1), ..plan };
    match wanted {
        Wanted::Best(kept) => {
            let best = Best::new(rows, plan.tile, kept.min(columns))?;
            task.fill(plan, x, y, Reduction { keep: &best, sign }, options.again())?;
            Ok(FoundRows::Best(best))
        }
        Wanted::Close(radius) => {
            let close = Close::new(rows, plan.tile, radius * sign)?;
            task.fill(plan, x, y, Reduction { keep: &close, sign }, options.again())?;
            Ok(FoundRows::Close(close.into_rows()?))
        }
    }
}
