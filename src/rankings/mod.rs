//! Sets of rankings of the same items, the input of Gram matrices.
//!
//! ```text
//! mod         the interface of every set of rankings
//! rows        rows from an iterator, before they are checked
//! lists       short lists out of a large catalogue
//! sparse      reads lists from compressed sparse rows
//! tied        rankings with ties and missing items
//! complete    permutations
//! diagnosis   the error in a row
//! sorting     sorts a row, and can be stopped
//! value       numbers as given by the caller
//! ```

pub(crate) mod complete;
mod diagnosis;
pub(crate) mod lists;
mod rows;
mod sorting;
pub(crate) mod sparse;
pub(crate) mod tied;
pub(crate) mod value;

pub use complete::{Iter, Rankings, Row};
pub use lists::Lists;
pub use rows::Rows;
pub use tied::{Incomplete, Missing};
pub use value::Value;

/// A set of rankings of the same items. There are three kinds of sets:
///
/// - [`Rankings`] are complete and have no ties.
/// - [`Incomplete`] rankings can have ties and missing items.
/// - [`Lists`] rank a few items out of a large catalogue.
///
/// The numbers of a ranking can be ranks, orders or scores. You say which when you make the set; afterwards the set is
/// the same for all three.
pub trait RankingSet: sealed::Set {
    /// The number of rankings.
    fn rows(&self) -> usize;
    /// The number of items.
    fn items(&self) -> usize;
}

/// The rankings of the rows of a matrix, and the rankings of its columns. If the columns are `None`, they are the
/// rankings of the rows.
#[derive(Debug, Clone, Copy)]
pub enum Operands<'a> {
    /// Complete rankings.
    Complete(&'a Rankings, Option<&'a Rankings>),
    /// Rankings with ties or missing items.
    Tied(&'a Incomplete, Option<&'a Incomplete>),
    /// Lists of a few out of many items.
    Lists(&'a Lists, Option<&'a Lists>),
}

/// Evaluates an expression for the rankings of the rows and columns, whichever variant of [`Operands`] they are. Use it
/// in functions that are not generic. Then the code for every variant is compiled in this crate, and not in the crates
/// that use this crate.
macro_rules! with_operands {
    ($operands:expr, |$x:ident, $y:pat_param| $result:expr) => {
        match $operands {
            $crate::rankings::Operands::Complete($x, $y) => $result,
            $crate::rankings::Operands::Tied($x, $y) => $result,
            $crate::rankings::Operands::Lists($x, $y) => $result,
        }
    };
}
pub(crate) use with_operands;

impl Operands<'_> {
    /// The numbers of rows and of columns.
    pub(crate) fn shape(self) -> (usize, usize) {
        with_operands!(self, |x, y| (x.rows(), y.unwrap_or(x).rows()))
    }
}

pub(crate) mod sealed {
    use crate::error::Error;

    /// The interface of a set of rankings for the Gram engine.
    pub trait Set: Sized + Send + Sync {
        /// The key of a ranking: equal rankings have equal keys.
        fn key(&self, row: usize) -> &[u32];
        /// The total length of the keys of all rankings.
        fn numbers(&self) -> usize;
        /// The rankings of these rows.
        ///
        /// # Errors
        /// Returns an error when there is no memory.
        fn select(&self, rows: &[usize]) -> Result<Self, Error>;
        /// The rankings of rows and columns as [`Operands`](super::Operands).
        fn operands<'a>(x: &'a Self, y: Option<&'a Self>) -> super::Operands<'a>;
    }
}

/// Implements [`RankingSet`]: a method calls the method of the set that has the same name, and the key is a field of a
/// row.
macro_rules! set {
    ($set:ty, $kind:ident, $row:ident => $key:expr, $all:ident => $numbers:expr) => {
        impl RankingSet for $set {
            fn rows(&self) -> usize {
                self.rows()
            }
            fn items(&self) -> usize {
                self.items()
            }
        }

        impl sealed::Set for $set {
            fn key(&self, row: usize) -> &[u32] {
                let $row = self.row(row);
                $key
            }
            fn numbers(&self) -> usize {
                let $all = self;
                $numbers
            }
            fn select(&self, rows: &[usize]) -> Result<Self, crate::error::Error> {
                self.select(rows)
            }
            fn operands<'a>(x: &'a Self, y: Option<&'a Self>) -> Operands<'a> {
                Operands::$kind(x, y)
            }
        }
    };
}
set!(Rankings, Complete, row => row.ranks(), all => all.rows() * all.items());
set!(Incomplete, Tied, row => row.starts, all => all.rows() * all.items());
set!(Lists, Lists, row => row.as_flattened(), all => 2 * all.entries());
