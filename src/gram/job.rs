//! The steps that matrices, diagonals, plans and searches for neighbours have in common:
//!
//! - Check that rankings and measure match.
//! - Expand lists to rankings of all items if that is needed or faster.
//! - Give measures that use only listed items exactly these items.
//! - Turn the measure into the form that its strategies take.

use std::borrow::Cow;

use super::expand::{self, Expanded};
use super::plan::{GramTask, PairwiseTask, Plan, Representation, cost};
use super::strategies::complete::product;
use super::strategies::{complete, lists, pairwise, tied};
use super::target::Target;
use super::{Element, Options};
use crate::error::Error;
use crate::measure::{ItemWeighted, KendallMeasure, Measure, PairMeasure, Part, Takes};
use crate::parallel;
use crate::rankings::{Incomplete, Lists, Operands, RankingSet, with_operands};

/// Returns an error if the number of threads or the size of tiles is 0, or if the rankings and the measure have
/// different numbers of items.
pub(super) fn check(measure: &Measure, operands: Operands<'_>, options: &Options<'_>) -> Result<(), Error> {
    options.check()?;
    with_operands!(operands, |x, y| {
        measure.check_items(x.items())?;
        measure.check_items(y.unwrap_or(x).items())
    })
}

/// In which cases lists are expanded to rankings of all items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expand {
    /// If the measure cannot be computed from lists.
    IfNeeded,
    /// If the measure cannot be computed from lists, and also if it is faster to compare rankings of all items.
    IfFaster,
}

/// A measure and rankings for which a task can be planned.
pub(super) struct Job<'a> {
    measure: JobMeasure<'a>,
    given: Operands<'a>,
    converted: Option<Converted>,
}

/// Rankings that were converted to another kind of set.
enum Converted {
    Expanded(Expanded),
    /// Lists with entries for all listed items, also those of the last block.
    Listed(Lists, Option<Lists>),
}

enum JobMeasure<'a> {
    Kendall(Cow<'a, KendallMeasure>),
    Pairwise(&'a dyn PairMeasure),
}

impl<'a> Job<'a> {
    pub(super) fn new(
        part: &'a Part,
        given: Operands<'a>,
        expand: Expand,
        options: &mut Options<'_>,
    ) -> Result<Self, Error> {
        match (part, ItemWeighted::tensor_of(part)) {
            (Part::Kendall(measure), _) => Self::kendall(measure, given, expand, options),
            // Lists are not expanded for the tensor.
            (Part::Pairwise(_), Some(tensor)) if !matches!(given, Operands::Lists(..)) => {
                Self::kendall(tensor, given, expand, options)
            }
            (Part::Pairwise(measure), _) => Self::pairwise(measure.get(), given),
        }
    }

    fn kendall(
        measure: &'a KendallMeasure,
        given: Operands<'a>,
        expand: Expand,
        options: &mut Options<'_>,
    ) -> Result<Self, Error> {
        let expanded = match (given, expand) {
            (Operands::Lists(x, y), Expand::IfFaster) => expand::if_needed_or_faster(measure, x, y, options)?,
            (Operands::Lists(x, y), Expand::IfNeeded) => expand::if_needed(measure, x, y)?,
            (Operands::Complete(..) | Operands::Tied(..), _) => None,
        };
        let is_tied = expanded.is_some() || matches!(given, Operands::Tied(..));
        let of_items = if is_tied { measure.as_positions()? } else { None };
        let measure = of_items.map_or(Cow::Borrowed(measure), Cow::Owned);
        find_own(&measure, options)?;
        let converted = expanded.map(Converted::Expanded);
        Ok(Self { measure: JobMeasure::Kendall(measure), given, converted })
    }

    fn pairwise(measure: &'a dyn PairMeasure, given: Operands<'a>) -> Result<Self, Error> {
        let takes = measure.about().takes;
        let converted = match given {
            Operands::Tied(..) | Operands::Lists(..) if takes == Takes::Complete => {
                return Err(measure.complete_only());
            }
            Operands::Tied(x, y) if x.has_unknown() || y.is_some_and(Incomplete::has_unknown) => {
                let rankings = "missing items that can be anywhere, only for missing items that come last";
                return Err(Error::NotTaken { measure: measure.about().name, rankings });
            }
            Operands::Lists(x, y) if takes == Takes::Ties => Some(Converted::Expanded(expand::all_items(x, y)?)),
            Operands::Lists(x, y) if takes == Takes::Listed && has(x.has_all(), y.map(Lists::has_all), true) => {
                let y = y.map(Lists::with_last_blocks).transpose()?;
                Some(Converted::Listed(x.with_last_blocks()?, y))
            }
            Operands::Tied(x, y) if takes == Takes::Listed && has(x.has_all(), y.map(Incomplete::has_all), false) => {
                let listed = |set| Lists::from_incomplete(set)?.with_last_blocks();
                Some(Converted::Listed(listed(x)?, y.map(listed).transpose()?))
            }
            Operands::Complete(..) | Operands::Tied(..) | Operands::Lists(..) => None,
        };
        Ok(Self { measure: JobMeasure::Pairwise(measure), given, converted })
    }

    /// The rankings, converted if this was decided.
    pub(super) fn operands(&self) -> Operands<'_> {
        match &self.converted {
            Some(Converted::Expanded((x, y))) => Operands::Tied(x, y.as_ref()),
            Some(Converted::Listed(x, y)) => Operands::Lists(x, y.as_ref()),
            None => self.given,
        }
    }

    /// The task for a result of this type.
    ///
    /// # Errors
    /// Returns an error when the measure is not defined for these rankings.
    pub(super) fn task<T: Element>(&self) -> Result<Task<'_>, Error> {
        let operands = self.operands();
        let (rows, columns) = operands.shape();
        Ok(match &self.measure {
            JobMeasure::Kendall(measure) => {
                let (representation, single) = match operands {
                    Operands::Complete(..) => (Representation::Complete, is_single::<T>(measure)?),
                    Operands::Tied(x, y) => (tied::representation_of(measure, x, y.unwrap_or(x))?, false),
                    Operands::Lists(x, y) => (lists::representation_of(measure, x, y.unwrap_or(x))?, false),
                };
                Task::Kendall(GramTask { measure, representation, single, rows, columns })
            }
            &JobMeasure::Pairwise(measure) => {
                let (length, longest) = match operands {
                    Operands::Complete(..) | Operands::Tied(..) => (measure.items(), measure.items()),
                    Operands::Lists(x, y) => {
                        let y = y.unwrap_or(x);
                        let mean = (x.entries() + y.entries()).div_ceil((rows + columns).max(1));
                        (mean, x.longest().max(y.longest()))
                    }
                };
                Task::Pairwise(PairwiseTask { measure, length, longest, rows, columns })
            }
        })
    }

    /// Returns an error if values can be beyond the range of the result's type.
    pub(super) fn check_range<T: Element>(&self) -> Result<(), Error> {
        match &self.measure {
            JobMeasure::Kendall(measure) => check_range::<T>(measure),
            // Each value is checked when it is computed.
            JobMeasure::Pairwise(_) => Ok(()),
        }
    }
}

/// Whether any row of the two sets has this flag.
fn has(x: &[bool], y: Option<&[bool]>, flag: bool) -> bool {
    x.contains(&flag) || y.is_some_and(|y| y.contains(&flag))
}

/// What is computed, without the rankings.
#[derive(Clone, Copy)]
pub(super) enum Task<'a> {
    Kendall(GramTask<'a>),
    Pairwise(PairwiseTask<'a>),
}

impl<'a> Task<'a> {
    /// The task for this many complete rankings.
    pub(super) fn of_complete<T: Element>(part: &'a Part, rows: usize, columns: usize) -> Result<Self, Error> {
        Ok(match (part, ItemWeighted::tensor_of(part)) {
            (Part::Kendall(measure), _) | (_, Some(measure)) => {
                let (representation, single) = (Representation::Complete, is_single::<T>(measure)?);
                Self::Kendall(GramTask { measure, representation, single, rows, columns })
            }
            (Part::Pairwise(measure), None) => {
                let measure = measure.get();
                let (length, longest) = (measure.items(), measure.items());
                Self::Pairwise(PairwiseTask { measure, length, longest, rows, columns })
            }
        })
    }

    /// The same task for other numbers of rows and columns.
    pub(super) fn with_shape(self, (rows, columns): (usize, usize)) -> Self {
        match self {
            Self::Kendall(task) => Self::Kendall(GramTask { rows, columns, ..task }),
            Self::Pairwise(task) => Self::Pairwise(PairwiseTask { rows, columns, ..task }),
        }
    }

    /// The numbers of rows and columns.
    pub(super) fn shape(self) -> (usize, usize) {
        match self {
            Self::Kendall(GramTask { rows, columns, .. }) | Self::Pairwise(PairwiseTask { rows, columns, .. }) => {
                (rows, columns)
            }
        }
    }

    /// Whether all values are known to be 0.
    pub(super) fn is_zero(self) -> bool {
        match self {
            Self::Kendall(task) => task.representation == Representation::Complete && task.measure.is_zero(),
            Self::Pairwise(_) => false,
        }
    }

    pub(super) fn plan(self, options: &Options<'_>) -> Result<Plan, Error> {
        match self {
            Self::Kendall(task) => Plan::new(task, options),
            Self::Pairwise(task) => Plan::pairwise(task, options),
        }
    }

    /// The plan for work in which a thread always takes a whole tile.
    pub(super) fn plan_for_reduction(self, options: &Options<'_>) -> Result<Plan, Error> {
        match self {
            Self::Kendall(task) => Plan::for_reduction(task, options),
            Self::Pairwise(task) => Plan::pairwise(task, options),
        }
    }

    /// The strategy and the instruction set, as in "bits-portable".
    pub(super) fn planned(self, options: &Options<'_>) -> Result<String, Error> {
        let plan = self.plan(options)?;
        Ok(match self {
            Self::Kendall(_) => plan.name(),
            Self::Pairwise(_) => plan.strategy.to_string(),
        })
    }

    /// Computes all values.
    pub(super) fn fill<R: RankingSet>(
        self,
        plan: Plan,
        x: &R,
        y: Option<&R>,
        target: impl Target,
        options: Options<'_>,
    ) -> Result<(), Error> {
        match (self, R::operands(x, y)) {
            (Self::Kendall(task), Operands::Complete(x, y)) => complete::fill(task, plan, x, y, target, options),
            (Self::Kendall(task), Operands::Tied(x, y)) => tied::fill(task, plan, x, y, target, options),
            (Self::Kendall(task), Operands::Lists(x, y)) => lists::fill(task, plan, x, y, target, options),
            (Self::Pairwise(task), _) => pairwise::fill(task, plan, x, y, target, options),
        }
    }
}

/// Computes the self-similarity in advance, because it can take as long as a pair of rankings.
fn find_own(measure: &KendallMeasure, options: &mut Options<'_>) -> Result<f64, Error> {
    parallel::run_one(cost::own_ns(measure), parallel::share(&mut options.watch), |cancel| measure.find_own(cancel))
}

/// Whether weighted sums are computed in single precision.
fn is_single<T: Element>(measure: &KendallMeasure) -> Result<bool, Error> {
    Ok(T::RANGE.is_some() && product::single_is_enough(measure)?)
}

/// Returns an error if values can be beyond the range of the result's type. No value of a kernel is larger than the
/// value for equal rankings.
pub(crate) fn check_range<T: Element>(measure: &KendallMeasure) -> Result<(), Error> {
    let value = measure.largest();
    match T::RANGE {
        Some((_, max)) if value > max => Err(Error::BeyondSingle { value }),
        Some((min, _)) if value > 0.0 && value < min => Err(Error::BelowSingle { value }),
        _ => Ok(()),
    }
}
