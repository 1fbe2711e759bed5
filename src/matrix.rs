//! A result with rows and columns that owns its memory.

use std::ops::{Index, IndexMut, Range};

use crate::error::Error;
use crate::memory;

/// A matrix of numbers, row by row.
///
/// ```
/// use wkendall::{Matrix, Measure, Options, Rankings, Weight, gram_matrix};
/// let x = Rankings::from_ranks(3, 3, &[1, 2, 3, 3, 2, 1, 2, 1, 3])?;
/// let kernel = Measure::kernel(&Weight::Standard, 3)?;
/// let k: Matrix = gram_matrix(&kernel, &x, None, Options::default())?;
/// assert_eq!((k.rows(), k.columns()), (3, 3));
/// assert_eq!(k[(0, 2)], 2.0);
/// for row in &k {
///     println!("{row:?}");
/// }
/// # Ok::<(), wkendall::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix<T = f64> {
    rows: usize,
    columns: usize,
    values: Vec<T>,
}

impl<T> Matrix<T> {
    /// A matrix from its values, row by row.
    ///
    /// # Errors
    /// Returns an error when there are not `rows * columns` values.
    pub fn from_vec(rows: usize, columns: usize, values: Vec<T>) -> Result<Self, Error> {
        if rows.checked_mul(columns) != Some(values.len()) {
            return Err(Error::OutputLength { given: values.len(), rows, columns });
        }
        Ok(Self { rows, columns, values })
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A row.
    ///
    /// # Panics
    /// Panics when `row` is not below [`Matrix::rows`].
    #[must_use]
    pub fn row(&self, row: usize) -> &[T] {
        assert!(row < self.rows, "row {row} of a matrix with {} rows", self.rows);
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// All rows, in order.
    #[must_use]
    pub fn iter(&self) -> MatrixRows<'_, T> {
        MatrixRows { matrix: self, left: 0..self.rows }
    }

    /// All values, row by row.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    /// All values, row by row.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// All values, row by row, without a copy.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.values
    }

    fn place(&self, (row, column): (usize, usize)) -> usize {
        assert!(
            row < self.rows && column < self.columns,
            "row {row}, column {column} of a matrix of {} x {}",
            self.rows,
            self.columns
        );
        row * self.columns + column
    }
}

impl<T: Clone + Default> Matrix<T> {
    /// A matrix of zeros.
    ///
    /// # Errors
    /// Returns an error when the matrix does not fit into memory.
    pub fn zeros(rows: usize, columns: usize) -> Result<Self, Error> {
        let too_large = || Error::TooLarge { rows, columns };
        let len = rows.checked_mul(columns).ok_or_else(too_large)?;
        Ok(Self { rows, columns, values: memory::filled(len, T::default()).map_err(|_| too_large())? })
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;

    fn index(&self, place: (usize, usize)) -> &T {
        &self.values[self.place(place)]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, place: (usize, usize)) -> &mut T {
        let place = self.place(place);
        &mut self.values[place]
    }
}

impl<T> From<Matrix<T>> for Vec<T> {
    fn from(matrix: Matrix<T>) -> Self {
        matrix.into_vec()
    }
}

/// The rows of a [`Matrix`], in order.
#[derive(Debug, Clone)]
pub struct MatrixRows<'a, T> {
    matrix: &'a Matrix<T>,
    left: Range<usize>,
}

impl<'a, T> Iterator for MatrixRows<'a, T> {
    type Item = &'a [T];

    fn next(&mut self) -> Option<&'a [T]> {
        self.left.next().map(|row| self.matrix.row(row))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<T> DoubleEndedIterator for MatrixRows<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left.next_back().map(|row| self.matrix.row(row))
    }
}

impl<T> ExactSizeIterator for MatrixRows<'_, T> {}

impl<'a, T> IntoIterator for &'a Matrix<T> {
    type Item = &'a [T];
    type IntoIter = MatrixRows<'a, T>;

    fn into_iter(self) -> MatrixRows<'a, T> {
        self.iter()
    }
}
