//! Explicit features for linear models on many rankings: each ranking becomes a row of numbers, and the inner product
//! of two rows is the kernel of the two rankings. The kernel must have order 2.
//!
//! Let `U[a, b]` be the weight of two ranks. An ordered pair of items (i, j) has a number in a ranking s: `U[s(i),
//! s(j)]` if i comes first, otherwise 0. In an incomplete ranking, it is the mean of this number over the complete
//! rankings that agree. Each unordered pair i < j has these columns:
//!
//! ```text
//! signed kernels       1 column:   the number of (i, j) minus that of (j, i)
//! the standard kernel  1 column:   the same divided by sqrt(2); and one constant for all pairs, because
//!                                  f f' + g g' = (1 + e e') / 2
//!                                  with f + g = 1 and e = f - g
//! all others           2 columns:  the numbers of (i, j), for all pairs, then those of (j, i)
//! ```
//!
//! The average kernel is the mean of the top-k kernels over k, so it has these columns for each k from 2 on.

use std::borrow::Cow::{self, Borrowed, Owned};
use std::ops::ControlFlow;

use crate::embedding::{STOP_CHECK_INTERVAL, each_row};
use crate::error::Error;
use crate::gram::{Element, Output, own_values, with_output, zero_matrix};
use crate::matrix::Matrix;
use crate::measure::{ItemWeighted, KendallMeasure, Mean, MeanWeight, Measure, MeasureKind, Part};
use crate::memory;
use crate::pair::pairs_of;
use crate::parallel::{self, Poll, Progress, RunOptions};
use crate::rankings::{Incomplete, Operands, RankingSet, Rankings, with_operands};
use crate::weight::kinds::PairWeight;
use crate::weight::means::Means;

/// From this many items on, ranks are compared with vector instructions, and the number of a pair is not looked up in a
/// table. Comparing took 1 / 1.5 of the time of a table for 100 items, and 1.4 times its time for 20 items. Comparing
/// is also faster if a table would be used for few rankings.
const COMPARE_FROM: usize = 48;

/// The number of features of a ranking.
///
/// # Errors
/// Returns an error when the measure is not a kernel of order 2 with a named weight.
///
/// ```
/// use wkendall::{Measure, Weight, features};
/// let kernel = Measure::kernel(&Weight::default(), 4)?;
/// assert_eq!(features::columns(&kernel)?, 7);
/// assert_eq!(features::columns(&kernel.signed()?)?, 6);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn columns(measure: &Measure) -> Result<usize, Error> {
    let factors = factors_of(measure)?;
    factors.iter().try_fold(0_usize, |all, (_, part)| {
        Ok(all
            + match (part, ItemWeighted::of(part)) {
                (Part::Kendall(measure), _) => Layout::new(measure)?.columns()?,
                (Part::Pairwise(_), Some(kernel)) => kernel.feature_columns()?,
                (Part::Pairwise(_), None) => return Err(Error::NoFeatures),
            })
    })
}

/// The parts of a sum of multiples of kernels, with their factors.
fn factors_of(measure: &Measure) -> Result<Vec<(f64, &Part)>, Error> {
    let factors = match measure.kind() {
        MeasureKind::Part(_) => vec![1.0],
        MeasureKind::Combination(it) => it.factors().ok_or(Error::NoFeatures)?,
    };
    Ok(factors.into_iter().zip(measure.parts()).collect())
}

/// The features of every ranking, one ranking per row.
///
/// # Errors
/// Returns the same errors as [`features_into`], and an error when the result does not fit into memory.
///
/// ```
/// use wkendall::{Matrix, Measure, Rankings, Weight, features, RunOptions};
/// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 3, 2, 1])?;
/// let kernel = Measure::kernel(&Weight::default(), 3)?.signed()?;
/// let phi: Matrix = features::features(&kernel, &x, RunOptions::default())?;
/// assert_eq!(phi.row(1), [-1.0, -1.0, -1.0]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn features<R: RankingSet, T: Element>(
    measure: &Measure,
    rankings: &R,
    run: RunOptions<'_>,
) -> Result<Matrix<T>, Error> {
    let mut run = run;
    let mut out = zero_matrix(rankings.rows(), columns(measure)?, parallel::share(&mut run.watch))?;
    features_into(measure, rankings, out.as_mut_slice(), run)?;
    Ok(out)
}

/// Writes the features of every ranking, one after another.
///
/// # Errors
/// Returns the same errors as [`columns`], and an error in these cases:
///
/// - The numbers of items differ.
/// - The length of the slice is not the number of rankings times the number of columns.
/// - Items can be anywhere.
/// - `run.watch` stops the run.
///
/// ```
/// use wkendall::{Measure, Rankings, Weight, features, RunOptions};
/// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 3, 2, 1])?;
/// let kernel = Measure::kernel(&Weight::default(), 3)?.signed()?;
/// let mut out = [0.0; 6];
/// features::features_into(&kernel, &x, &mut out, RunOptions::default())?;
/// assert_eq!(out, [1.0, 1.0, 1.0, -1.0, -1.0, -1.0]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn features_into<R: RankingSet, T: Element>(
    measure: &Measure,
    rankings: &R,
    out: &mut [T],
    run: RunOptions<'_>,
) -> Result<(), Error> {
    features_of_measure(measure, R::operands(rankings, None), T::output(out), run)
}

fn features_of_measure(
    measure: &Measure,
    operands: Operands<'_>,
    out: Output<'_>,
    run: RunOptions<'_>,
) -> Result<(), Error> {
    parallel::check_threads(run.threads)?;
    if let MeasureKind::Part(part) = measure.kind()
        && let Some(kernel) = ItemWeighted::of(part)
    {
        measure.check_items(with_operands!(operands, |rankings, _| rankings.items()))?;
        return with_output!(out, |out| of_item_weighted(kernel, operands, out, run));
    }
    match measure.kendall() {
        Some(measure) => features_of_operands(measure, operands, out, run),
        None => with_operands!(operands, |x, _| with_output!(out, |out| features_of_parts(measure, x, out, run))),
    }
}

/// The features of a kernel with weights of items, or with the weight "later".
fn of_item_weighted<T: Element>(
    kernel: &ItemWeighted,
    operands: Operands<'_>,
    out: &mut [T],
    run: RunOptions<'_>,
) -> Result<(), Error> {
    let columns = kernel.feature_columns()?;
    let write = |out: &mut [T], features: &[f64]| {
        for (cell, &value) in out.iter_mut().zip(features) {
            *cell = T::from_f64(value);
            if T::RANGE.is_some_and(|(_, most)| value.abs() > most) {
                return Err(Error::BeyondSingle { value });
            }
        }
        Ok(())
    };
    match operands {
        Operands::Complete(x, _) => each_row(x.rows(), columns, out, run, |row, out, _| {
            let order = x.row(row).order();
            write(out, &kernel.features(order, (0..order.len()).map(|rank| rank..rank + 1))?)
        }),
        Operands::Tied(x, _) if x.has_unknown() => Err(Error::UnknownPlaces),
        Operands::Tied(x, _) => each_row(x.rows(), columns, out, run, |row, out, _| {
            write(out, &kernel.features(x.row(row).order, x.row(row).ranges())?)
        }),
        Operands::Lists(x, _) => of_item_weighted(kernel, Operands::Tied(&x.to_incomplete()?, None), out, run),
    }
}

/// Writes the features of the parts of a sum side by side.
fn features_of_parts<R: RankingSet, T: Element>(
    measure: &Measure,
    rankings: &R,
    out: &mut [T],
    run: RunOptions<'_>,
) -> Result<(), Error> {
    measure.check_items(rankings.items())?;
    let (rows, width) = (rankings.rows(), columns(measure)?);
    if rows.checked_mul(width) != Some(out.len()) {
        return Err(Error::OutputLength { given: out.len(), rows, columns: width });
    }
    let (mut run, mut first) = (run, 0);
    for (factor, part) in factors_of(measure)? {
        let part = Measure::from(part.clone());
        let found: Matrix<f64> = features(&part, rankings, run.again())?;
        let columns = columns(&part)?;
        for (row, values) in out.chunks_exact_mut(width.max(1)).zip(found.as_slice().chunks_exact(columns.max(1))) {
            for (cell, &value) in row[first..].iter_mut().zip(values) {
                *cell = T::from_f64(value * factor.sqrt());
            }
        }
        first += columns;
    }
    Ok(())
}

fn features_of_operands(
    measure: &KendallMeasure,
    operands: Operands<'_>,
    out: Output<'_>,
    run: RunOptions<'_>,
) -> Result<(), Error> {
    parallel::check_threads(run.threads)?;
    let layout = Layout::new(measure)?;
    with_operands!(operands, |rankings, _| measure.check_items(rankings.items()))?;
    with_output!(out, |out| match operands {
        Operands::Complete(rankings, _) => of_complete(measure, &layout, rankings, out, run),
        Operands::Tied(rankings, _) => of_tied(measure, &layout, rankings, out, run),
        Operands::Lists(lists, _) => of_tied(measure, &layout, &lists.to_incomplete()?, out, run),
    })
}

fn of_complete<T: Element>(
    measure: &KendallMeasure,
    layout: &Layout<'_>,
    rankings: &Rankings,
    out: &mut [T],
    run: RunOptions<'_>,
) -> Result<(), Error> {
    check_root::<T>(measure)?;
    let scale = if measure.is_zero() { 0.0 } else { measure.scale().sqrt() };
    let items = measure.items();
    // To look up the number of a pair takes a third of the time to compute it. Counts of many items need neither: ranks
    // are compared.
    let table = |(weight, number): (&PairWeight, PairNumber)| -> Result<PairTable, Error> {
        if let &PairWeight::Count { top } = weight
            && (items >= COMPARE_FROM || layout.weights.len() > 1)
        {
            return Ok(PairTable::Top(top.unwrap_or(items), number));
        }
        let means = Means::of_ranks(weight, items)?;
        let mut entries = memory::with_capacity(items * items)?;
        for a in 0..items as u32 {
            let entry = |b| number.of(means.of_pair(weight, a, b)) * layout.factor * scale;
            entries.extend((0..items as u32).map(entry));
        }
        Ok(PairTable::Entries(entries))
    };
    let mut tables = memory::with_capacity(layout.numbers().count())?;
    for number in layout.numbers() {
        tables.push(table(number)?);
    }
    each_row(rankings.rows(), layout.columns()?, out, run, |row, out, poll| {
        let mut cells = out;
        for table in &tables {
            cells = table.fill(rankings.row(row).ranks(), layout.factor * scale, cells, poll);
        }
        layout.fill_constant(scale, cells.iter_mut());
        Ok(())
    })
}

/// Returns an error if features can be beyond the range of the result's type. No feature is larger than the square root
/// of the self-similarity.
fn check_root<T: Element>(measure: &KendallMeasure) -> Result<(), Error> {
    let value = measure.self_similarity().sqrt();
    match T::RANGE {
        Some((_, most)) if value > most => Err(Error::BeyondSingle { value }),
        _ => Ok(()),
    }
}

/// The numbers of all pairs of ranks, in a form in which they are found quickly.
enum PairTable {
    /// The numbers, row by row.
    Entries(Vec<f64>),
    /// A pair has the number 1 if its ranks are below k.
    Top(usize, PairNumber),
}

impl PairTable {
    /// Fills the first cells, and returns the remaining cells; `None` if the run must stop.
    fn fill<'c, T: Element>(
        &self,
        ranks: &[u32],
        factor: f64,
        mut cells: &'c mut [T],
        poll: &mut Poll<'_>,
    ) -> &'c mut [T] {
        for (i, &first) in ranks.iter().enumerate() {
            if ranks.len() - i >= STOP_CHECK_INTERVAL && poll.is_cancelled() {
                return &mut [];
            }
            let others = &ranks[i + 1..];
            let (filled, rest) = cells.split_at_mut(others.len());
            cells = rest;
            let others = others.iter().zip(filled);
            match self {
                Self::Entries(entries) => {
                    let row = &entries[first as usize * ranks.len()..][..ranks.len()];
                    others.for_each(|(&second, cell)| *cell = T::from_f64(row[second as usize]));
                }
                // The comparison does not depend on the order of the pair, so that the compiler vectorizes it.
                Self::Top(k, number) => {
                    let (k, full, none) = (*k as u32, T::from_f64(factor), T::default());
                    let inside = first < k;
                    match number {
                        PairNumber::Before => others.for_each(|(&second, cell)| {
                            *cell = if first < second && second < k { full } else { none };
                        }),
                        PairNumber::After => others.for_each(|(&second, cell)| {
                            *cell = if second < first && inside { full } else { none };
                        }),
                        PairNumber::Difference => {
                            let minus = T::from_f64(-factor);
                            others.for_each(|(&second, cell)| {
                                let signed = if first < second { full } else { minus };
                                *cell = if inside && second < k { signed } else { none };
                            });
                        }
                    }
                }
            }
        }
        cells
    }
}

fn of_tied<T: Element>(
    measure: &KendallMeasure,
    layout: &Layout<'_>,
    rankings: &Incomplete,
    out: &mut [T],
    run: RunOptions<'_>,
) -> Result<(), Error> {
    if rankings.has_unknown() {
        return Err(Error::UnknownPlaces);
    }
    check_root::<T>(measure)?;
    let RunOptions { threads, mut watch } = run;
    let mut own = Vec::new();
    if measure.is_normalized() {
        // Most of the time is spent on the features.
        let mut first =
            |_| watch.as_mut().map_or(ControlFlow::Continue(()), |watch| watch(Progress { done: 0, total: 1 }));
        own = own_values(measure, rankings, RunOptions { threads, watch: Some(&mut first) })?;
    }
    let run = RunOptions { threads, watch };
    each_row(rankings.rows(), layout.columns()?, out, run, |row, out, poll| {
        let blocks = rankings.row(row);
        let scale = match own.get(row) {
            Some(&own) if own > 0.0 => own.sqrt().recip(),
            Some(_) => 0.0,
            None => 1.0,
        };
        let mut cells = out.iter_mut();
        for (weight, number) in layout.numbers() {
            let mut means = Means::of(weight, blocks)?;
            if measure.is_normalized() {
                means.rescale(means.power(weight, layout.signed), layout.signed);
            }
            for (i, &first) in blocks.starts.iter().enumerate() {
                if blocks.starts.len() - i >= STOP_CHECK_INTERVAL && poll.is_cancelled() {
                    return Ok(());
                }
                for (&second, cell) in blocks.starts[i + 1..].iter().zip(&mut cells) {
                    let pair = means.of_pair(weight, first, second);
                    *cell = T::from_f64(number.of(pair) * layout.factor * scale);
                }
            }
        }
        layout.fill_constant(scale, cells);
        Ok(())
    })
}

/// The columns of the feature matrix.
struct Layout<'a> {
    items: usize,
    signed: bool,
    /// Whether there is one column for each pair, and one constant column.
    halved: bool,
    /// The common factor of all numbers.
    factor: f64,
    /// The kernel is the sum of the kernels of these weights.
    weights: Vec<Cow<'a, PairWeight>>,
}

impl<'a> Layout<'a> {
    fn new(measure: &'a KendallMeasure) -> Result<Self, Error> {
        let Ok((MeanWeight::Pairs(weight), mean @ (Mean::Concordant | Mean::Signed))) = measure.mean() else {
            return Err(Error::NoFeatures);
        };
        let (items, signed) = (measure.items(), mean == Mean::Signed);
        let halved = !signed && weight.counts_all();
        let plain = Self { items, signed, halved, factor: 1.0, weights: Vec::new() };
        Ok(match weight {
            PairWeight::Average => Self {
                factor: (items.max(1) as f64).sqrt().recip(),
                weights: memory::collect((2..=items).map(|k| Owned(PairWeight::Count { top: Some(k) })))?,
                ..plain
            },
            PairWeight::Count { .. } | PairWeight::Sums(_) | PairWeight::Products(_) => {
                Self { factor: if halved { 0.5_f64.sqrt() } else { 1.0 }, weights: vec![Borrowed(weight)], ..plain }
            }
        })
    }

    fn columns(&self) -> Result<usize, Error> {
        let each = if self.signed || self.halved { 1 } else { 2 };
        let pairs = pairs_of(self.items as u64) as usize;
        let columns = pairs.checked_mul(each * self.weights.len()).and_then(|all| all.checked_add(1));
        Ok(columns.ok_or(Error::TooLarge { rows: 1, columns: usize::MAX })? - usize::from(!self.halved))
    }

    /// The groups of columns, one after another. A group has a column for each pair of items. It is given by a weight
    /// and by which number of a pair it has.
    fn numbers(&self) -> impl Iterator<Item = (&PairWeight, PairNumber)> {
        let numbers: &[PairNumber] = if self.signed || self.halved {
            &[PairNumber::Difference]
        } else {
            &[PairNumber::Before, PairNumber::After]
        };
        numbers.iter().flat_map(|&number| self.weights.iter().map(move |weight| (&**weight, number)))
    }

    /// Fills in the constant column, if there is one.
    fn fill_constant<'c, T: Element + 'c>(&self, scale: f64, cells: impl Iterator<Item = &'c mut T>) {
        for cell in cells {
            *cell = T::from_f64((pairs_of(self.items as u64) as f64 / 2.0).sqrt() * scale);
        }
    }
}

/// Which of the two numbers of a pair of items i < j is meant.
#[derive(Clone, Copy)]
enum PairNumber {
    /// The number of (i, j).
    Before,
    /// The number of (j, i).
    After,
    Difference,
}

impl PairNumber {
    fn of(self, (before, after): (f64, f64)) -> f64 {
        match self {
            Self::Before => before,
            Self::After => after,
            Self::Difference => before - after,
        }
    }
}
