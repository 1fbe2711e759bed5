//! Columns in the order in which they are computed. Columns that need the same work are next to each other.

use std::ops::Range;

use crate::error::Error;
use crate::gram::plan::Strategy;
use crate::memory;
use crate::pair::observed::TieSums;
use crate::parallel::Cancel;
use crate::rankings::Incomplete;
use crate::rankings::tied::Blocks;

/// The properties of a column that cause more work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Needs {
    /// Whether observations are missing.
    pub(super) gaps: bool,
    /// Whether some observations are equal.
    pub(super) ties: bool,
}

impl Needs {
    fn with(self, other: Self) -> Self {
        Self { gaps: self.gaps || other.gaps, ties: self.ties || other.ties }
    }
}

/// The columns for the rows or the columns of a result.
pub(super) struct ColumnSide<'a> {
    pub(super) set: &'a Incomplete,
    /// The column at each position.
    order: Vec<usize>,
    /// The needs of the column at each position.
    needs: Vec<Needs>,
    /// The ties of all observations of the column at each position.
    pub(super) ties: Vec<TieSums>,
}

impl<'a> ColumnSide<'a> {
    /// Columns in the order that suits the strategy.
    pub(super) fn new(set: &'a Incomplete, strategy: Strategy, cancel: &Cancel) -> Result<Self, Error> {
        let mut order = memory::collect(0..set.rows())?;
        if strategy != Strategy::Bits {
            return Ok(Self { set, order, needs: Vec::new(), ties: Vec::new() });
        }
        let mut all = memory::with_capacity(set.rows())?;
        for row in 0..set.rows() {
            if cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            all.push(TieSums::among(set.row(row), |_| true));
        }
        let needs_of = |row: usize| Needs { gaps: set.row(row).placed < set.items(), ties: all[row].pairs > 0 };
        order.sort_unstable_by_key(|&row| (needs_of(row), row));
        let needs = memory::collect(order.iter().map(|&row| needs_of(row)))?;
        let ties = memory::collect(order.iter().map(|&row| all[row]))?;
        Ok(Self { set, order, needs, ties })
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The column at a position.
    pub(super) fn column(&self, place: usize) -> Blocks<'a> {
        self.set.row(self.order[place])
    }

    pub(super) fn needs(&self, place: usize) -> Needs {
        self.needs[place]
    }

    /// The combined needs of some columns.
    pub(super) fn needs_of(&self, places: Range<usize>) -> Needs {
        self.needs[places].iter().fold(Needs::default(), |all, &one| all.with(one))
    }

    fn is_in_place(&self) -> bool {
        self.order.is_sorted()
    }

    /// Restores the order of the entries of each row of a matrix whose columns are this side.
    pub(super) fn put_back_entries(&self, matrix: &mut [f64]) -> Result<(), Error> {
        if self.is_in_place() {
            return Ok(());
        }
        let mut row_before = memory::filled(self.len(), 0.0)?;
        for row in matrix.chunks_exact_mut(self.len()) {
            row_before.copy_from_slice(row);
            for (&value, &column) in row_before.iter().zip(&self.order) {
                row[column] = value;
            }
        }
        Ok(())
    }

    /// Restores the order of the rows of a matrix with `columns` columns.
    pub(super) fn put_back_rows(&self, matrix: &mut [f64], columns: usize) -> Result<(), Error> {
        if self.is_in_place() || columns == 0 {
            return Ok(());
        }
        let mut order = memory::collect(self.order.iter().copied())?;
        for place in 0..order.len() {
            // The row at this place belongs to another place. Swap the rows of the two places until the right row is
            // here.
            while order[place] != place {
                let target = order[place];
                let (low, high) = (place.min(target), place.max(target));
                let (above, below) = matrix.split_at_mut(high * columns);
                above[low * columns..][..columns].swap_with_slice(&mut below[..columns]);
                order.swap(place, target);
            }
        }
        Ok(())
    }
}
