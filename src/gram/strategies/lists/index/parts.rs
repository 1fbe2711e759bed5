//! An index as plain arrays, to store it and to load it without making it again.

use std::borrow::Cow;

use super::classes::Classes;
use super::postings::Postings;
use super::{ListIndex, bound_by};
use crate::error::Error;
use crate::gram::strategies::lists::setting::{ListSetting, mean_of};
use crate::gram::strategies::lists::weighed::KnownWeight;
use crate::measure::Measure;
use crate::memory;
use crate::parallel::{self, Watch};
use crate::rankings::Lists;

/// The parts of an index that take long to compute. The lists and the measure are stored separately.
pub(crate) struct IndexParts {
    /// The divisors of values; empty if there are none.
    pub(crate) roots: Vec<f64>,
    /// The class of each list; empty if there is one class.
    pub(crate) classes: Vec<u32>,
    pub(crate) postings: Postings,
}

impl ListIndex<'_> {
    /// Copies of the parts.
    pub(crate) fn to_parts(&self) -> Result<IndexParts, Error> {
        Ok(IndexParts {
            roots: memory::collect(self.roots.iter().flatten().copied())?,
            classes: memory::collect(self.classes.all().iter().copied())?,
            postings: self.postings.try_clone()?,
        })
    }

    /// The index of these parts; `None` if they are not the parts of an index of these lists for this measure.
    pub(crate) fn from_parts(
        measure: &Measure,
        lists: Lists,
        parts: IndexParts,
        watch: Option<Watch<'_>>,
    ) -> Result<Option<ListIndex<'static>>, Error> {
        measure.check_items(lists.items())?;
        let measure = measure.kendall().ok_or(Error::ListMeasure)?.clone();
        let IndexParts { roots, classes, postings } = parts;
        let mut watch = watch;
        let (weight, _) = mean_of(&measure)?;
        let known = KnownWeight::new(weight, lists.items(), lists.longest(), parallel::share(&mut watch))?;
        let setting = ListSetting::with_known(&measure, &lists, &lists, &known, watch)?;
        let (by, needs_roots) = (bound_by(&setting, &lists), setting.needs_roots());
        drop(setting);
        if roots.len() != (if needs_roots { lists.rows() } else { 0 }) || !postings.fit(lists.rows(), lists.entries()) {
            return Ok(None);
        }
        let Some(classes) = Classes::from_numbers(classes, lists.rows())? else { return Ok(None) };
        let (measure, lists) = (Cow::Owned(measure), Cow::Owned(lists));
        let roots = needs_roots.then_some(roots);
        Ok(Some(ListIndex { measure, lists, roots, by, known, postings, classes }))
    }
}
