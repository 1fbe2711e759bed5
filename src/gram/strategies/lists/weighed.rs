//! A weight, with the means that lists need. To compute the means takes a pass over the weights of all items. An index
//! keeps the means that its searches need.

use crate::error::Error;
use crate::gram::cost::PASS_NS;
use crate::memory;
use crate::pair::lists::ListSums;
use crate::parallel::{self, Watch};
use crate::weight::kinds::PairWeight;
use crate::weight::tails::Tails;

/// An index is prepared for lists of up to this many items, even if its own lists are shorter. This takes 32 bytes for
/// each item.
const READY_FOR: usize = 1 << 10;

/// A weight with its means over the unlisted items at the end of a list.
pub(super) struct Weighed<'a> {
    pub(super) weight: &'a PairWeight,
    tails: Tails<'a>,
    pub(super) signed: bool,
    pub(super) items: usize,
    /// Whether sums are over single items.
    pub(super) single: bool,
}

impl<'a> Weighed<'a> {
    /// The weight with its means for lists of up to `longest` items.
    pub(super) fn new(
        weight: &'a PairWeight,
        signed: bool,
        items: usize,
        longest: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        Ok(Self { weight, tails: tails_of(weight, items, longest, watch)?, signed, items, single: false })
    }

    /// Makes the object from means that are already known.
    fn known(weight: &'a PairWeight, signed: bool, items: usize, tails: &[(f64, f64)]) -> Result<Self, Error> {
        Ok(Self { weight, tails: Tails::known(weight, items, tails)?, signed, items, single: false })
    }

    /// The same weight. With `single`, it is for sums over single items.
    pub(super) fn over(self, single: bool) -> Self {
        Self { single, ..self }
    }

    pub(super) fn sums(&self) -> ListSums<'_> {
        let Self { weight, tails, signed, items, single } = self;
        ListSums { weight, tails, signed: *signed, items: *items, single: *single }
    }
}

fn tails_of<'a>(
    weight: &'a PairWeight,
    items: usize,
    longest: usize,
    watch: Option<Watch<'_>>,
) -> Result<Tails<'a>, Error> {
    parallel::run_one(PASS_NS * items as f64, watch, |cancel| Tails::new(weight, items, longest, cancel))
}

/// The means of a weight that an index keeps. With them, searches need no pass over the weights of all items.
#[derive(Debug, Clone)]
pub(super) struct KnownWeight {
    /// The length of the longest list of the index.
    longest: usize,
    /// For each length of a list, the means of the weights over the unlisted items.
    tails: Vec<(f64, f64)>,
    /// If any weight is negative: the absolute values of the first weights, and their means.
    without_signs: Option<(PairWeight, Vec<(f64, f64)>)>,
}

impl KnownWeight {
    /// The means for an index whose longest list has `longest` items.
    pub(super) fn new(
        weight: &PairWeight,
        items: usize,
        longest: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        let mut watch = watch;
        let ready_for = longest.max(READY_FOR).min(items);
        let mut means = |weight: &PairWeight| {
            let tails = tails_of(weight, items, ready_for, parallel::share(&mut watch))?;
            memory::collect(tails.means().iter().copied())
        };
        let without_signs = match weight.without_signs()? {
            Some(sizes) => Some((sizes.of_first(ready_for)?, means(&sizes)?)),
            None => None,
        };
        Ok(Self { longest, tails: means(weight)?, without_signs })
    }

    /// Adds the means that an index needs whose longest list has `longest` items.
    pub(super) fn grow(
        &mut self,
        weight: &PairWeight,
        items: usize,
        longest: usize,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error> {
        if self.suffices(longest) {
            self.longest = self.longest.max(longest);
        } else {
            *self = Self::new(weight, items, longest, watch)?;
        }
        Ok(())
    }

    /// The length of the longest list of the index.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Whether the means are enough for lists of this many items.
    pub(super) fn suffices(&self, longest: usize) -> bool {
        self.tails.len() > longest
    }

    /// The weight.
    pub(super) fn weighed<'a>(&self, weight: &'a PairWeight, signed: bool, items: usize) -> Result<Weighed<'a>, Error> {
        Weighed::known(weight, signed, items, &self.tails)
    }

    /// The weight with absolute values, if any is negative.
    pub(super) fn without_signs(&self, signed: bool, items: usize) -> Result<Option<Weighed<'_>>, Error> {
        let known = self.without_signs.as_ref();
        known.map(|(weight, tails)| Weighed::known(weight, signed, items, tails)).transpose()
    }
}
