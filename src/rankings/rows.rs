//! Rows of numbers that are collected one by one. They are checked when rankings are made from them.

use super::value::Value;
use super::{Incomplete, Missing, Rankings};
use crate::error::Error;
use crate::memory;

/// A builder of [`Rankings`] and [`Incomplete`] rankings. Rows of numbers are added one by one, for example from a
/// file.
///
/// ```
/// use wkendall::Rows;
/// let lines = ["1 2 3", "3 1 2"];
/// let mut rows = Rows::new();
/// for line in lines {
///     let numbers: Vec<u32> = line.split(' ').map(|number| number.parse().unwrap()).collect();
///     rows.push(&numbers)?;
/// }
/// let x = rows.ranks()?;
/// assert_eq!((x.rows(), x.items()), (2, 3));
///
/// let x = Rows::collect([[0.5, 0.1], [0.2, 0.7]])?.scores()?;
/// assert_eq!(x.row(1).order(), [1, 0]);
/// # Ok::<(), wkendall::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rows<V> {
    count: usize,
    items: usize,
    values: Vec<V>,
}

impl<V: Value> Default for Rows<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Value> Rows<V> {
    /// No rows; the first row that is added determines the number of items.
    #[must_use]
    pub fn new() -> Self {
        Self { count: 0, items: 0, values: Vec::new() }
    }

    /// All rows of an iterator, each a slice, an array or a vector.
    ///
    /// # Errors
    /// Returns an error when rows have different lengths, or there is no memory.
    pub fn collect(rows: impl IntoIterator<Item = impl AsRef<[V]>>) -> Result<Self, Error> {
        let mut all = Self::new();
        for row in rows {
            all.push(row.as_ref())?;
        }
        Ok(all)
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Returns an error when the length of the row differs from the length of the rows before it, or when there is no
    /// memory. After an error, the row has not been added.
    pub fn push(&mut self, row: &[V]) -> Result<(), Error> {
        if self.count > 0 && row.len() != self.items {
            return Err(Error::RowLength { row: self.count, given: row.len(), items: self.items });
        }
        memory::extend(&mut self.values, row)?;
        (self.count, self.items) = (self.count + 1, row.len());
        Ok(())
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Rankings from rows of ranks.
    ///
    /// # Errors
    /// Returns the same errors as [`Rankings::from_ranks`].
    pub fn ranks(&self) -> Result<Rankings, Error> {
        Rankings::from_ranks(self.count, self.items, &self.values)
    }

    /// Rankings from rows of orders.
    ///
    /// # Errors
    /// Returns the same errors as [`Rankings::from_orders`].
    pub fn orders(&self) -> Result<Rankings, Error> {
        Rankings::from_orders(self.count, self.items, &self.values)
    }

    /// Rankings from rows of scores.
    ///
    /// # Errors
    /// Returns the same errors as [`Rankings::from_scores`].
    pub fn scores(&self) -> Result<Rankings, Error> {
        Rankings::from_scores(self.count, self.items, &self.values)
    }

    /// Rankings with ties and missing items, from rows of ranks.
    ///
    /// # Errors
    /// Returns the same errors as [`Incomplete::from_ranks`].
    pub fn incomplete_ranks(&self, missing: Missing) -> Result<Incomplete, Error> {
        Incomplete::from_ranks(self.count, self.items, &self.values, missing)
    }

    /// Rankings with ties and missing items, from rows of scores.
    ///
    /// # Errors
    /// Returns the same errors as [`Incomplete::from_scores`].
    pub fn incomplete_scores(&self, missing: Missing) -> Result<Incomplete, Error> {
        Incomplete::from_scores(self.count, self.items, &self.values, missing)
    }
}
