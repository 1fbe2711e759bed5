//! Explicit features: rows of numbers whose inner products are a kernel of order 2, for linear models on many rankings.
//!
//! With the weight `U[a, b]` of two ranks, a ranking s gives the ordered pair of items (i, j) the number `U[s(i), s(j)]` if i comes first,
//! otherwise 0; an incomplete ranking gives it the mean of that. For the unordered pairs i < j there are
//!
//! ```text
//! signed kernels      1 column:   the number of (i, j) less that of (j, i)
//! the standard one    1 column:   the same over the root of 2; and a constant for all pairs, since f f' + g g' = (1 + e e') / 2
//!                                 with f + g = 1 and e = f - g
//! all others          2 columns:  the numbers of (i, j), for all pairs, then those of (j, i)
//! ```
//!
//! The average kernel is the mean of the top-k kernels over k, so it has these columns for each k from 2.

use std::borrow::Cow::{self, Borrowed, Owned};
use std::ops::ControlFlow;

use crate::embedding::{Run, each_row};
use crate::error::Error;
use crate::gram::{Element, own_incomplete};
use crate::incomplete::Incomplete;
use crate::kappa::incomplete::Means;
use crate::kappa::pairs_of;
use crate::measure::{Mean, Measure};
use crate::parallel::Progress;
use crate::ranking::Rankings;
use crate::weight::ValidWeight;

/// How many features a ranking has.
///
/// # Errors
/// When the measure is not a kernel of order 2 with a named weight.
///
/// ```
/// use wkendall::{Measure, Weight, features};
/// let kernel = Measure::kernel(&Weight::Standard, 4)?;
/// assert_eq!(features::columns(&kernel)?, 7);
/// assert_eq!(features::columns(&kernel.signed()?)?, 6);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn columns(measure: &Measure) -> Result<usize, Error> {
    Layout::new(measure).map(|layout| layout.columns())
}

/// Writes the features of every ranking, one after the other.
///
/// # Errors
/// As [`columns`], when the numbers of items differ, the slice has another length than the number of rankings times that of columns, or
/// `run.watch` stops the run.
///
/// ```
/// use wkendall::{Measure, Rankings, Weight, embedding, features};
/// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 3, 2, 1])?;
/// let kernel = Measure::kernel(&Weight::Standard, 3)?.signed()?;
/// let mut out = [0.0; 6];
/// features::features_into(&kernel, &x, &mut out, embedding::Run::default())?;
/// assert_eq!(out, [1.0, 1.0, 1.0, -1.0, -1.0, -1.0]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn features_into<T: Element>(
    measure: &Measure,
    rankings: &Rankings,
    out: &mut [T],
    run: Run<'_>,
) -> Result<(), Error> {
    let layout = Layout::new(measure)?;
    measure.check_items(rankings.items())?;
    let means: Vec<Means> = layout.weights.iter().map(|weight| Means::of_ranks(weight, measure.items())).collect();
    let scale = if measure.is_zero() { 0.0 } else { measure.scale().sqrt() };
    each_row(rankings.rows(), layout.columns(), out, run, |row, out| {
        layout.fill(rankings.row(row).ranks(), scale, |index| &means[index], out);
    })
}

/// As [`features_into`] for incomplete rankings.
///
/// # Errors
/// As [`features_into`], and when items can be anywhere.
pub fn features_incomplete_into<T: Element>(
    measure: &Measure,
    rankings: &Incomplete,
    out: &mut [T],
    run: Run<'_>,
) -> Result<(), Error> {
    let layout = Layout::new(measure)?;
    measure.check_items(rankings.items())?;
    if rankings.has_unknown() {
        return Err(Error::UnknownPlaces);
    }
    let mut ignore = |_| ControlFlow::Continue(());
    let watch = run.watch.unwrap_or(&mut ignore);
    // Most of the time goes into the features.
    let mut first = |_| watch(Progress { done: 0, total: 1 });
    let own = own_incomplete(measure, rankings, run.threads, Some(&mut first))?;
    let run = Run { threads: run.threads, watch: Some(watch) };
    each_row(rankings.rows(), layout.columns(), out, run, |row, out| {
        let blocks = rankings.row(row);
        let scale = match own[row] {
            own if own <= 0.0 => 0.0,
            own if measure.is_normalized() => own.sqrt().recip(),
            _ => 1.0,
        };
        let means: Vec<Means> = layout.weights.iter().map(|weight| Means::of(weight, blocks)).collect();
        layout.fill(blocks.starts, scale, |index| &means[index], out);
    })
}

/// Which features there are.
struct Layout<'a> {
    items: usize,
    signed: bool,
    /// Whether there is one column for each pair, and a constant.
    halved: bool,
    /// What all numbers are multiplied by.
    factor: f64,
    /// The kernel is the sum of those of these weights.
    weights: Vec<Cow<'a, ValidWeight>>,
}

impl<'a> Layout<'a> {
    fn new(measure: &'a Measure) -> Result<Self, Error> {
        let (weight, mean) = measure.mean().filter(|(_, mean)| *mean != Mean::Discordant).ok_or(Error::NoFeatures)?;
        let (items, signed) = (measure.items(), mean == Mean::Signed);
        let halved = !signed && *weight == ValidWeight::Standard;
        let plain = Self { items, signed, halved, factor: 1.0, weights: Vec::new() };
        Ok(match weight {
            ValidWeight::Average => Self {
                factor: (items.max(1) as f64).sqrt().recip(),
                weights: (2..=items).map(|k| Owned(ValidWeight::Top(k))).collect(),
                ..plain
            },
            ValidWeight::Standard if halved => {
                Self { factor: 0.5_f64.sqrt(), weights: vec![Borrowed(weight)], ..plain }
            }
            _ => Self { weights: vec![Borrowed(weight)], ..plain },
        })
    }

    fn columns(&self) -> usize {
        let each = if self.signed || self.halved { 1 } else { 2 };
        pairs_of(self.items as u64) as usize * each * self.weights.len() + usize::from(self.halved)
    }

    /// Fills in the features of a ranking, given by the first rank of each item's block.
    fn fill<'m, T: Element>(&self, starts: &[u32], scale: f64, means: impl Fn(usize) -> &'m Means, out: &mut [T]) {
        let mut cells = out.iter_mut();
        let factor = self.factor * scale;
        for turned in [false, true] {
            if turned && (self.signed || self.halved) {
                continue;
            }
            for (index, weight) in self.weights.iter().enumerate() {
                let means = means(index);
                for (i, &first) in starts.iter().enumerate() {
                    for (&second, cell) in starts[i + 1..].iter().zip(&mut cells) {
                        let (before, after) = means.of_pair(weight, first, second);
                        let number = match (self.signed || self.halved, turned) {
                            (true, _) => before - after,
                            (false, false) => before,
                            (false, true) => after,
                        };
                        *cell = T::from_f64(number * factor);
                    }
                }
            }
        }
        if let Some(cell) = cells.next() {
            *cell = T::from_f64((pairs_of(self.items as u64) as f64 / 2.0).sqrt() * scale);
        }
    }
}
