//! An index as plain arrays, to store it and to load it without making it again.

use std::borrow::Cow;

use super::classes::Classes;
use super::postings::Postings;
use super::segment::{Part, Segment, bound_by};
use super::{IndexMeasure, ListIndex, check_rows};
use crate::error::Error;
use crate::gram::strategies::lists::setting::ListSetting;
use crate::measure::{Measure, MeasureKind};
use crate::memory;
use crate::pair::lists::bounds::BoundBy;
use crate::parallel::Watch;
use crate::rankings::Lists;

/// The parts of a segment that take long to compute. The measure is stored separately.
pub(crate) struct IndexParts {
    pub(crate) lists: Lists,
    /// The removed lists, in increasing order.
    pub(crate) removed: Vec<u32>,
    /// The divisors of values; empty if there are none.
    pub(crate) roots: Vec<f64>,
    /// The class of each list; empty if there is one class.
    pub(crate) classes: Vec<u32>,
    pub(crate) postings: Postings,
}

impl ListIndex<'_> {
    /// Copies of the parts of each segment; `take` gets one after the other.
    pub(crate) fn to_parts<T>(
        &self,
        mut take: impl FnMut(&Lists, &[u32], Option<&[f64]>, &[u32], &Postings) -> T,
    ) -> Vec<T> {
        let of_part = |part: &Part<'_>| {
            let Segment { lists, roots, postings, classes, .. } = &*part.segment;
            take(lists, part.removed(), roots.as_deref(), classes.all(), postings)
        };
        self.parts.iter().map(of_part).collect()
    }

    /// The index of these parts; `None` if they are not the parts of an index for this measure.
    pub(crate) fn from_parts(
        measure: &Measure,
        segments: Vec<IndexParts>,
        watch: Option<Watch<'_>>,
    ) -> Result<Option<ListIndex<'static>>, Error> {
        let MeasureKind::Part(part) = measure.kind() else { return Err(Error::ListMeasure) };
        let longest = segments.iter().max_by_key(|segment| segment.lists.longest());
        let Some(longest) = longest else { return Ok(None) };
        let measure = IndexMeasure::new(Cow::Owned(part.clone()), &longest.lists, watch)?;
        let (mut parts, mut first, items) = (Vec::new(), 0, longest.lists.items());
        measure.part.check_items(items)?;
        for IndexParts { lists, removed, roots, classes, postings } in segments {
            let (mut by, mut needs_roots) = (BoundBy::default(), false);
            if let Some((measure, known)) = measure.kendall() {
                let setting = ListSetting::with_known(measure, &lists, &lists, known, None)?;
                (by, needs_roots) = (bound_by(&setting, &lists), setting.needs_roots());
            }
            let Some(classes) = Classes::from_numbers(classes, lists.rows())? else { return Ok(None) };
            let fits = lists.items() == items
                && roots.len() == if needs_roots { lists.rows() } else { 0 }
                && postings.fit(&lists, measure.known.is_some())
                && removed.is_sorted_by(|one, other| one < other)
                && removed.last().is_none_or(|&last| (last as usize) < lists.rows());
            if !fits {
                return Ok(None);
            }
            let (longest, roots, lists) = (lists.longest(), needs_roots.then_some(roots), Cow::Owned(lists));
            let part = Part::all(Segment { lists, longest, roots, by, postings, classes }).without(&removed)?;
            check_rows(first as usize + part.rows())?;
            let rows = part.rows() as u32;
            memory::push(&mut parts, part.numbered_from(first))?;
            first += rows;
        }
        Ok(Some(ListIndex { measure, items, parts }))
    }
}
