//! Rankings: rows of ranks, checked once and trusted by everything else.

use crate::error::{Error, Number};

/// A number that can stand for a rank, an item number or a score.
///
/// Implemented for `i64`, `u64` and `f64`; other types convert to one of these without loss.
pub trait Value: Copy + Sync + sealed::Sealed {
    /// The value as a whole number, if it is one that fits.
    #[doc(hidden)]
    fn whole(self) -> Option<i64>;
    /// The value for messages.
    #[doc(hidden)]
    fn number(self) -> Number;
    /// A finite value; `Err` says whether it is NaN or infinite.
    #[doc(hidden)]
    fn is_nan(self) -> bool;
    /// Whether the value is infinite.
    #[doc(hidden)]
    fn is_infinite(self) -> bool;
    /// The order of two values of which neither is NaN.
    #[doc(hidden)]
    fn order(self, other: Self) -> std::cmp::Ordering;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i64 {}
    impl Sealed for u64 {}
    impl Sealed for f64 {}
}

macro_rules! integer_value {
    ($type:ty, $variant:ident) => {
        impl Value for $type {
            fn whole(self) -> Option<i64> {
                self.try_into().ok()
            }
            fn number(self) -> Number {
                Number::$variant(self)
            }
            fn is_nan(self) -> bool {
                false
            }
            fn is_infinite(self) -> bool {
                false
            }
            fn order(self, other: Self) -> std::cmp::Ordering {
                self.cmp(&other)
            }
        }
    };
}
integer_value!(i64, Signed);
integer_value!(u64, Unsigned);

impl Value for f64 {
    fn whole(self) -> Option<i64> {
        // Past 2^53 every float is whole, and far beyond any rank: it is reported as out of range.
        (self.fract() == 0.0).then_some(self as i64)
    }
    fn number(self) -> Number {
        match self.whole() {
            Some(whole) if self.abs() < 1e15 => Number::Signed(whole),
            _ => Number::Real(self),
        }
    }
    fn is_nan(self) -> bool {
        f64::is_nan(self)
    }
    fn is_infinite(self) -> bool {
        f64::is_infinite(self)
    }
    fn order(self, other: Self) -> std::cmp::Ordering {
        self.partial_cmp(&other).unwrap_or(std::cmp::Ordering::Equal)
    }
}

/// A number of rankings of the same items, each a permutation, checked when built.
///
/// Ranks are kept counting from 0, the most preferred item having rank 0. The inverse of each row, its items from the
/// most to the least preferred, is kept beside it, since comparing two rankings needs one of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rankings {
    rows: usize,
    items: usize,
    ranks: Vec<u32>,
    orders: Vec<u32>,
}

/// One ranking of a [`Rankings`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    ranks: &'a [u32],
    order: &'a [u32],
}

impl<'a> Row<'a> {
    /// The rank of each item, counting from 0.
    #[must_use]
    pub fn ranks(self) -> &'a [u32] {
        self.ranks
    }

    /// The items from the most preferred to the least, counting from 0.
    #[must_use]
    pub fn order(self) -> &'a [u32] {
        self.order
    }
}

impl Rankings {
    /// Rankings from ranks, row by row: `values[p * items + i]` is the rank that ranking `p` gives to item `i`.
    ///
    /// Ranks run from 1 to `items`; the whole set may count from 0 instead, which its least value tells.
    ///
    /// # Errors
    /// When a row is not a permutation, rows count from 0 and from 1, or the shape does not match.
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_ranks(2, 3, &[1i64, 2, 3, 3, 1, 2])?;
    /// assert_eq!(x.row(1).ranks(), [2, 0, 1]);
    /// assert_eq!(x.row(1).order(), [1, 2, 0]);
    /// assert!(Rankings::from_ranks(1, 3, &[1i64, 2, 2]).is_err());
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_ranks<V: Value>(rows: usize, items: usize, values: &[V]) -> Result<Self, Error> {
        let (ranks, orders) = permutations(rows, items, values)?;
        Ok(Self { rows, items, ranks, orders })
    }

    /// Rankings from orders: row `p` lists the items of ranking `p`, the most preferred first, counting from 1 or from 0.
    ///
    /// # Errors
    /// As [`Rankings::from_ranks`].
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_orders(1, 3, &[2i64, 3, 1])?;
    /// assert_eq!(x, Rankings::from_ranks(1, 3, &[3i64, 1, 2])?);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_orders<V: Value>(rows: usize, items: usize, values: &[V]) -> Result<Self, Error> {
        Ok(Self::from_ranks(rows, items, values)?.inverse())
    }

    /// Rankings from scores: the item with the largest score of its row is the most preferred.
    ///
    /// # Errors
    /// When two scores of a row are equal, one is NaN or infinite, or the shape does not match.
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_scores(1, 3, &[0.1, 7.0, 2.5])?;
    /// assert_eq!(x.row(0).ranks(), [2, 0, 1]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_scores<V: Value>(rows: usize, items: usize, values: &[V]) -> Result<Self, Error> {
        check_shape(rows, items, values.len())?;
        let mut ranks = vec![0; values.len()];
        let mut orders = vec![0; values.len()];
        for (row, scores) in rows_of(values, items).enumerate() {
            let at = row * items..(row + 1) * items;
            sort_scores(row, scores, &mut orders[at.clone()])?;
            invert(&orders[at.clone()], &mut ranks[at]);
        }
        Ok(Self { rows, items, ranks, orders })
    }

    /// The number of rankings.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of items.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items
    }

    /// Ranking `row`.
    ///
    /// # Panics
    /// When `row` is not below [`Rankings::rows`].
    #[must_use]
    pub fn row(&self, row: usize) -> Row<'_> {
        assert!(row < self.rows, "row {row} of {} rankings", self.rows);
        let at = row * self.items..(row + 1) * self.items;
        Row { ranks: &self.ranks[at.clone()], order: &self.orders[at] }
    }

    /// The inverse permutation of every row: ranks become items and items ranks.
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_ranks(1, 3, &[3i64, 1, 2])?;
    /// assert_eq!(x.clone().inverse().row(0).ranks(), [1, 2, 0]);
    /// assert_eq!(x.clone().inverse().inverse(), x);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { ranks: self.orders, orders: self.ranks, ..self }
    }

    /// The composition of every row with the same row of `other`: item `i` gets the rank `self` gives to `other(i)`.
    ///
    /// # Errors
    /// When the numbers of rows or items differ.
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_ranks(1, 3, &[3i64, 1, 2])?;
    /// let identity = Rankings::from_ranks(1, 3, &[1i64, 2, 3])?;
    /// assert_eq!(x.compose(&x.clone().inverse())?, identity);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn compose(&self, other: &Self) -> Result<Self, Error> {
        if self.items != other.items {
            return Err(Error::ItemsDiffer { left: self.items, right: other.items });
        }
        if self.rows != other.rows {
            return Err(Error::RowsDiffer { left: self.rows, right: other.rows });
        }
        let chain = |outer: &[u32], inner: &[u32]| -> Vec<u32> {
            rows_of(outer, self.items)
                .zip(rows_of(inner, self.items))
                .flat_map(|(outer, inner)| inner.iter().map(|&i| outer[i as usize]))
                .collect()
        };
        Ok(Self {
            rows: self.rows,
            items: self.items,
            ranks: chain(&self.ranks, &other.ranks),
            orders: chain(&other.orders, &self.orders),
        })
    }

    /// The same rankings read from the other end: the least preferred item becomes the most preferred.
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_ranks(1, 3, &[3i64, 1, 2])?;
    /// assert_eq!(x.mirrored(), Rankings::from_ranks(1, 3, &[1i64, 3, 2])?);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    #[must_use]
    pub fn mirrored(mut self) -> Self {
        if let Some(last) = self.items.checked_sub(1) {
            for rank in &mut self.ranks {
                *rank = last as u32 - *rank;
            }
            for order in self.orders.chunks_exact_mut(self.items) {
                order.reverse();
            }
        }
        self
    }
}

/// Checks rows that should be permutations; gives them counting from 0, and their inverses.
fn permutations<V: Value>(rows: usize, items: usize, values: &[V]) -> Result<(Vec<u32>, Vec<u32>), Error> {
    check_shape(rows, items, values.len())?;
    let zero = values.iter().position(|value| value.whole() == Some(0));
    let first = i64::from(zero.is_none());
    let mut ranks = vec![0; values.len()];
    let mut orders = vec![VACANT; values.len()];
    for (row, given) in rows_of(values, items).enumerate() {
        let at = row * items..(row + 1) * items;
        let (ranks, order) = (&mut ranks[at.clone()], &mut orders[at]);
        for (column, (&value, rank)) in given.iter().zip(ranks).enumerate() {
            let index = value
                .whole()
                .and_then(|whole| usize::try_from(whole.checked_sub(first)?).ok())
                .filter(|&index| index < items)
                .ok_or_else(|| not_a_rank(value, row, column, items, zero))?;
            if order[index] != VACANT {
                let earlier = order[index] as usize;
                let (value, first) = (value.number(), first as usize);
                return Err(Error::Duplicate { row, earlier, column, value, first, items });
            }
            order[index] = column as u32;
            *rank = index as u32;
        }
    }
    Ok((ranks, orders))
}

/// Marks a rank that no item has taken yet; `check_shape` keeps columns below it.
const VACANT: u32 = u32::MAX;

/// Why a value is no rank; `zero` is where in the array the first 0 stands, if anywhere.
#[cold]
fn not_a_rank<V: Value>(value: V, row: usize, column: usize, items: usize, zero: Option<usize>) -> Error {
    if value.is_nan() {
        return Error::NotANumber { row, column };
    }
    match (value.number(), value.whole(), zero) {
        (number, None, _) => match number {
            Number::Real(value) if value.is_finite() => Error::NotWhole { row, column, value },
            value => Error::OutOfRange { row, column, value, first: usize::from(zero.is_none()), items },
        },
        (_, Some(whole), Some(at)) if usize::try_from(whole) == Ok(items) => {
            Error::MixedBase { row, column, zero_row: at / items, zero_column: at % items, items }
        }
        (value, _, _) => Error::OutOfRange { row, column, value, first: usize::from(zero.is_none()), items },
    }
}

/// Lists the columns of a row from the largest score to the smallest.
fn sort_scores<V: Value>(row: usize, scores: &[V], order: &mut [u32]) -> Result<(), Error> {
    for (column, &score) in scores.iter().enumerate() {
        if score.is_nan() {
            return Err(Error::NotANumber { row, column });
        }
        if let (true, Number::Real(value)) = (score.is_infinite(), score.number()) {
            return Err(Error::Infinite { row, column, value });
        }
        order[column] = column as u32;
    }
    let score = |column: u32| scores[column as usize];
    order.sort_unstable_by(|&i, &j| score(j).order(score(i)).then(i.cmp(&j)));
    match order.windows(2).find(|pair| score(pair[0]).order(score(pair[1])).is_eq()) {
        Some(&[earlier, column]) => {
            let value = score(column).number();
            Err(Error::Tie { row, earlier: earlier as usize, column: column as usize, value })
        }
        _ => Ok(()),
    }
}

fn check_shape(rows: usize, items: usize, values: usize) -> Result<(), Error> {
    if items >= VACANT as usize {
        return Err(Error::TooManyItems { items });
    }
    match rows.checked_mul(items) {
        Some(product) if product == values => Ok(()),
        _ => Err(Error::Shape { values, rows, items }),
    }
}

/// The rows of a matrix of so many columns; none when there are no columns, since then there is nothing to visit.
fn rows_of<T>(values: &[T], items: usize) -> impl Iterator<Item = &[T]> {
    values.chunks_exact(items.max(1))
}

fn invert(permutation: &[u32], inverse: &mut [u32]) {
    for (index, &value) in (0..).zip(permutation) {
        inverse[value as usize] = index;
    }
}
