//! Measures that are computed for one pair of rankings at a time. Each measure is one file with an `impl PairMeasure`.
//!
//! The Gram engine computes matrices, diagonals and neighbours of such a measure tile by tile, on all threads. A tile
//! compares a few dozen rankings with a few dozen others, so that the measure can prepare each ranking once.

use std::any::Any;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::overlap::Ranked;
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;
use crate::rankings::{Rankings, Row};

/// A function that returns the value for a row and a column of a tile, given their places in the tile. It owns the
/// prepared rankings and the memory for a pair of rankings.
pub(crate) type Values<'a> = Box<dyn FnMut(usize, usize) -> f64 + 'a>;

/// The rankings that a measure can compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Complete rankings.
    Complete,
    /// Complete rankings and rankings with ties. Lists are expanded to rankings of all items.
    Ties,
    /// All rankings; lists are not expanded. Items that are not listed are tied at the end.
    Lists,
    /// All rankings, and only the listed items of a list are used: `[a, b]` and `[a, b, c]` differ, even if a, b and c
    /// are all items.
    Listed,
}

/// What large values mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The rankings are similar.
    Similarity,
    /// The rankings are similar, and the measure is positive definite. So it can be a part of sums and products of
    /// kernels.
    Kernel,
    /// The rankings are different.
    Distance,
}

/// The properties of a measure.
pub(crate) struct About {
    /// The name in messages, for example "the footrule".
    pub(crate) name: &'static str,
    /// The number of items of the rankings.
    pub(crate) items: usize,
    pub(crate) takes: Takes,
    pub(crate) kind: Kind,
    /// Whether the value is bitwise the same for two rankings in either order. If not, the first ranking is the row of
    /// a matrix, and the second ranking is the column.
    pub(crate) is_symmetric: bool,
    /// Whether the value changes if the items are relabelled.
    pub(crate) depends_on_items: bool,
}

impl About {
    /// The properties of a symmetric measure whose value does not change if the items are relabelled.
    pub(crate) fn new(name: &'static str, items: usize, kind: Kind, takes: Takes) -> Self {
        Self { name, items, takes, kind, is_symmetric: true, depends_on_items: false }
    }

    /// The same properties of a measure that may have weights of items.
    pub(super) fn weighted(self, depends_on_items: bool) -> Self {
        Self { depends_on_items, ..self }
    }
}

/// A measure that is computed for one pair of rankings at a time.
pub(crate) trait PairMeasure: Comparable + Debug + Send + Sync {
    fn about(&self) -> About;

    /// The number of items of the rankings.
    fn items(&self) -> usize {
        self.about().items
    }

    /// The same measure with weights of items. The weights have been checked: there is one for each item, and none is
    /// negative.
    fn with_item_weight(&self, item_weight: &[f64]) -> Result<SharedMeasure, Error> {
        let _ = item_weight;
        Err(Error::NoItemWeight { taker: self.about().name })
    }

    /// Approximate time, in nanoseconds, to compare two rankings of `length` items, or lists of this length.
    fn pair_ns(&self, length: usize) -> f64;

    /// Prepares complete rankings. If a value takes more than 50 milliseconds, its computation should stop early when
    /// the run is cancelled. The value is then not used.
    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error>;

    /// Prepares rankings with ties.
    fn tied<'a>(
        &'a self,
        rows: Vec<Blocks<'a>>,
        columns: Vec<Blocks<'a>>,
        cancel: &Cancel,
    ) -> Result<Values<'a>, Error> {
        let _ = (rows, columns, cancel);
        Err(self.complete_only())
    }

    /// Prepares lists. With [`Takes::Listed`], the lists have all listed items. Otherwise a list of all items comes
    /// without the items of its last block.
    fn lists<'a>(&'a self, rows: Vec<List<'a>>, columns: Vec<List<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        let _ = (rows, columns, cancel);
        Err(self.complete_only())
    }

    /// Compares lists of up to `longest` items for an index. `None` if large values do not mean similar lists, or if no
    /// sum over the common items is an upper bound of the value.
    fn bounded(&self, longest: usize) -> Result<Option<Box<dyn BoundedPairs + '_>>, Error> {
        let _ = longest;
        Ok(None)
    }

    /// Whether the bounds of [`PairMeasure::bounded`] also hold for lists with ties.
    fn bounds_ties(&self) -> bool {
        true
    }

    /// The error for rankings with ties, if the measure does not take them.
    fn complete_only(&self) -> Error {
        let rankings = "rankings with ties or missing items, only for complete rankings";
        Error::NotTaken { measure: self.about().name, rankings }
    }
}

/// Compares lists for an index.
pub(crate) trait BoundedPairs {
    /// The value of [`PairMeasure::lists`]. It is 0 for lists without a common item. `starts` has the first ranks of
    /// the blocks of each common item in both lists, in the order of the items.
    fn value(&mut self, s: &Ranked<'_>, t: &Ranked<'_>, starts: &[[u32; 2]]) -> f64;

    /// The largest amount that one common item can add to the value. One list has `length` items, and the length of the
    /// other list is in `lengths`. The larger of the two first ranks of the item is `larger`; the bound must not
    /// increase with this rank. `tied` tells whether a list can have ties. The bound is infinite if there is none.
    fn bound(&self, length: usize, lengths: RangeInclusive<usize>, larger: usize, tied: bool) -> f64;
}

impl dyn PairMeasure {
    /// The value for two complete rankings.
    pub(super) fn between(&self, s: Row<'_>, t: Row<'_>, cancel: &Cancel) -> Result<f64, Error> {
        for row in [s, t] {
            super::check_items(row.ranks().len(), self.items())?;
        }
        Ok(self.complete(vec![s], vec![t], cancel)?(0, 0))
    }

    /// The value for the identity and a permutation. If `pi` is `None`, the value for the identity and itself.
    pub(super) fn with_identity(&self, pi: Option<Row<'_>>, cancel: &Cancel) -> Result<f64, Error> {
        let identity = Rankings::from_ranks(1, self.about().items, &memory::collect(0..self.about().items as u32)?)?;
        self.between(identity.row(0), pi.unwrap_or(identity.row(0)), cancel)
    }
}

/// Equality of two measures that can have different types. It is implemented for all types that are `PartialEq`.
pub(crate) trait Comparable: Any {
    fn equals(&self, other: &dyn Any) -> bool;
}

impl<M: Any + PartialEq> Comparable for M {
    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// A measure behind a pointer that its copies share.
#[derive(Debug, Clone)]
pub(crate) struct SharedMeasure(Arc<dyn PairMeasure>);

impl SharedMeasure {
    pub(crate) fn new(measure: impl PairMeasure) -> Self {
        Self(Arc::new(measure))
    }

    pub(crate) fn get(&self) -> &dyn PairMeasure {
        &*self.0
    }

    /// Whether lists can be searched with an index.
    pub(crate) fn is_bounded(&self) -> bool {
        matches!(self.get().bounded(0), Ok(Some(_)))
    }
}

impl PartialEq for SharedMeasure {
    fn eq(&self, other: &Self) -> bool {
        let other: &dyn Any = other.get();
        self.get().equals(other)
    }
}
