//! General weights as tensors, and the self-similarities of rankings with ties.

use std::borrow::Cow;

use crate::error::Error;
use crate::gram::strategies::own::{OwnCost, each_ranking};
use crate::measure::symmetry;
use crate::memory;
use crate::parallel::{self, Cancel, RunOptions, Watch};
use crate::rankings::Incomplete;
use crate::weight::kinds::TensorWeight;
use crate::weight::mean_tensor::{Direction, MeanTensor};
use crate::weight::own;

/// One tensor of weights or several.
pub(super) struct Tensors<'a> {
    pub(super) order: usize,
    pub(super) items: usize,
    entries: Cow<'a, [f64]>,
    /// Whether there is one matrix, and it equals its transpose or minus its transpose. Then half of the matrix is
    /// enough.
    pub(super) halved: bool,
}

impl<'a> Tensors<'a> {
    /// The tensors of a weight. If the weight is given by factors, the tensor is computed from them; the watch function
    /// can stop this.
    pub(super) fn new(weight: &'a TensorWeight, items: usize, watch: &mut Option<Watch<'_>>) -> Result<Self, Error> {
        let numbers = match weight {
            TensorWeight::Tensor { entries, .. } => entries.len(),
            TensorWeight::Factors { vectors, .. } => vectors.len().saturating_mul(items),
        };
        parallel::run_one(numbers as f64, parallel::share(watch), |cancel| Self::until(weight, items, cancel))
    }

    fn until(weight: &'a TensorWeight, items: usize, cancel: &Cancel) -> Result<Self, Error> {
        let (order, entries) = match weight {
            TensorWeight::Tensor { order, entries } => (*order, Cow::Borrowed(&**entries)),
            TensorWeight::Factors { order, vectors } => (*order, Cow::Owned(expanded(vectors, *order, items, cancel)?)),
        };
        let halved = order == 2 && symmetry(&entries, items).is_some();
        Ok(Self { order, items, entries, halved })
    }

    /// The tensors one by one.
    pub(super) fn members(&self) -> impl Iterator<Item = &[f64]> {
        self.entries.chunks_exact(if self.order == 2 { self.items * self.items } else { self.items }.max(1))
    }

    /// The number of rows of each tensor.
    pub(super) fn lines(&self) -> usize {
        if self.order == 2 { self.items } else { self.items.min(1) }
    }

    /// The number of entries of a row that are multiplied.
    pub(super) fn length(&self, line: usize) -> usize {
        if self.halved { line + 1 } else { self.items }
    }

    /// The sum of the squares of the mean tensors of a ranking.
    fn square(&self, set: &Incomplete, row: usize, cancel: &Cancel, lines: &mut [f64]) -> Result<f64, Error> {
        let mut total = 0.0;
        for member in self.members() {
            let tensor = MeanTensor::new(member, self.order, set.row(row), Direction::Forward)?;
            let square = |line: &[f64]| own::sum(line.iter().map(|entry| entry * entry));
            if self.order == 1 {
                let line = &mut lines[..self.items];
                tensor.singles(|place, number| line[place] = number);
                total += square(line);
            } else {
                tensor.each_line(lines, |_, line| {
                    total += square(line);
                    !cancel.is_cancelled()
                });
            }
        }
        Ok(total)
    }

    /// The value of each ranking with itself; 0 if it may be a rounding error, by the rule in [`own`].
    pub(super) fn own_values(&self, set: &Incomplete, run: RunOptions<'_>) -> Result<Vec<f64>, Error> {
        let negative = self.entries.iter().any(|&entry| entry < 0.0);
        let sizes = if negative {
            let entries = Cow::Owned(memory::collect(self.entries.iter().map(|entry| entry.abs()))?);
            Some(Tensors { entries, ..*self })
        } else {
            None
        };
        let ns = 2.0 * self.entries.len() as f64;
        each_ranking(
            set.rows(),
            &OwnCost { usual: ns, longest: ns },
            run,
            |cancel| Ok((cancel.clone(), memory::filled(2 * self.items, 0.0)?)),
            |row, (cancel, lines)| {
                let value = self.square(set, row, cancel, lines)?;
                let Some(sizes) = &sizes else { return Ok(value) };
                Ok(own::unless_rounding(value, sizes.square(set, row, cancel, lines)?))
            },
        )
    }
}

/// The tensor with these factors: the sum of the products of vectors, one vector for each axis.
fn expanded(vectors: &[f64], order: usize, items: usize, cancel: &Cancel) -> Result<Vec<f64>, Error> {
    let size = if order == 2 { items.checked_mul(items) } else { Some(items) };
    let mut entries = memory::filled(size.ok_or(Error::TooLarge { rows: items, columns: items })?, 0.0)?;
    for term in vectors.chunks_exact((order * items).max(1)) {
        if cancel.is_cancelled() {
            return Err(Error::Interrupted);
        }
        let (first, second) = term.split_at(items);
        if order == 1 {
            entries.iter_mut().zip(first).for_each(|(entry, factor)| *entry += factor);
            continue;
        }
        for (line, factor) in entries.chunks_exact_mut(items).zip(first) {
            line.iter_mut().zip(second).for_each(|(entry, other)| *entry += factor * other);
        }
    }
    Ok(entries)
}
