//! Emond and Mason's `tau_x`: Kendall's tau in which ties count as agreement.
//!
//! It is a kernel. A ranking has n (n - 1) numbers, one for each ordered pair of items: 1 for "before or tied" and -1
//! for "after". The value is the inner product of the numbers of two rankings, divided by n (n - 1).

use super::Measure;
use super::kemeny_snell::KemenySnell;
use super::pairwise::{About, Kind, PairMeasure, SharedMeasure, Takes, Values};
use crate::error::Error;
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;

/// The correlation `tau_x`: 1 - D / pairs, where D is the Kemeny-Snell distance.
#[derive(Debug, PartialEq)]
struct TauX {
    distance: KemenySnell,
}

impl Measure {
    /// The correlation `tau_x` of Emond and Mason (2002): `(C - D + B) / (n (n - 1) / 2)`. C is the number of pairs of
    /// items in the same order, and D is the number of pairs in opposite orders. B is the number of pairs that are tied
    /// in both rankings. Without ties, `tau_x` is Kendall's tau. It is a kernel. For equal rankings, its value is 1.
    ///
    /// Items that are not in a [list](crate::Lists) are tied at its end. For fewer than two items the value is 0.
    /// Counts are exact up to 2^53, and the value is rounded once.
    ///
    /// ```
    /// use wkendall::{Incomplete, Measure, Missing, Options, gram};
    /// let x = Incomplete::from_ranks(2, 3, &[1, 2, 2, 1, 1, 1], Missing::Error)?;
    /// assert_eq!(gram(&Measure::tau_x(3), &x, None, Options::default())?, [1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    #[must_use]
    pub fn tau_x(items: usize) -> Self {
        SharedMeasure::new(TauX { distance: KemenySnell { items, weighted: None } }).into()
    }
}

impl PairMeasure for TauX {
    fn about(&self) -> About {
        About::new("tau_x", self.distance.items, Kind::Kernel, Takes::Lists)
    }

    fn pair_ns(&self, length: usize) -> f64 {
        self.distance.pair_ns(length) + 5.0
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        Ok(self.of_distances(self.distance.complete(rows, columns, cancel)?))
    }

    fn tied<'a>(
        &'a self,
        rows: Vec<Blocks<'a>>,
        columns: Vec<Blocks<'a>>,
        cancel: &Cancel,
    ) -> Result<Values<'a>, Error> {
        Ok(self.of_distances(self.distance.tied(rows, columns, cancel)?))
    }

    fn lists<'a>(&'a self, rows: Vec<List<'a>>, columns: Vec<List<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        Ok(self.of_distances(self.distance.lists(rows, columns, cancel)?))
    }
}

impl TauX {
    fn of_distances<'a>(&self, mut distance: Values<'a>) -> Values<'a> {
        let n = self.distance.items as f64;
        let pairs = n * (n - 1.0) / 2.0;
        Box::new(move |row, column| if pairs > 0.0 { (pairs - distance(row, column)) / pairs } else { 0.0 })
    }
}
