//! A segment of an index: some lists, with the numbers that a search needs. An index has one large segment, and smaller
//! segments with lists that were added later.

use std::borrow::Cow;
use std::sync::Arc;

use super::IndexMeasure;
use super::classes::Classes;
use super::postings::Postings;
use crate::error::Error;
use crate::gram::cost::{self, FIND_NS, INDEX_ENTRY_NS, STOP_CHECK_INTERVAL_NS};
use crate::gram::strategies::lists::setting::ListSetting;
use crate::memory;
use crate::pair::lists::bounds::BoundBy;
use crate::parallel::{self, Cancel, Phases, RunOptions, Workers};
use crate::rankings::Lists;

/// Some lists, indexed by item.
#[derive(Debug, Clone)]
pub(super) struct Segment<'a> {
    pub(super) lists: Cow<'a, Lists>,
    /// The length of the longest list.
    pub(super) longest: usize,
    /// The divisors of values, if there are any.
    pub(super) roots: Option<Vec<f64>>,
    /// How bounds are made.
    pub(super) by: BoundBy,
    pub(super) postings: Postings,
    pub(super) classes: Classes,
}

impl<'a> Segment<'a> {
    /// The segment of these lists. The measure must have the means for lists of this length.
    pub(super) fn new(measure: &IndexMeasure<'_>, lists: Cow<'a, Lists>, run: RunOptions<'_>) -> Result<Self, Error> {
        let (threads, mut phases) = (run.threads, Phases::new(run.watch, 100));
        let (mut roots, mut by, mut norms) = (None, BoundBy::default(), Vec::new());
        if let Some((measure, known)) = measure.kendall() {
            let setting = phases.run(5, |watch| ListSetting::with_known(measure, &lists, &lists, known, watch))?;
            by = bound_by(&setting, &lists);
            if setting.needs_roots() {
                roots = Some(phases.run(20, |watch| setting.roots_of(&lists, RunOptions { threads, watch }))?);
            }
            norms = phases.run(25, |watch| find_norms(&setting, by, RunOptions { threads, watch }))?;
        }
        let sorting = INDEX_ENTRY_NS * lists.entries() as f64;
        let postings = phases
            .run(30, |watch| parallel::run_one(sorting, watch, |cancel| Postings::new(&lists, &norms, cancel)))?;
        drop(norms);
        let sorting = FIND_NS * 2.0 * lists.entries() as f64;
        let classes = phases.run(20, |watch| {
            parallel::run_one(sorting, watch, |cancel| Classes::new(&lists, roots.as_deref(), cancel))
        })?;
        Ok(Self { longest: lists.longest(), lists, roots, by, postings, classes })
    }

    /// The same segment with its own copy of the lists.
    pub(super) fn into_owned(self) -> Segment<'static> {
        let Self { lists, longest, roots, by, postings, classes } = self;
        Segment { lists: Cow::Owned(lists.into_owned()), longest, roots, by, postings, classes }
    }
}

/// How bounds are made for these lists.
pub(super) fn bound_by(setting: &ListSetting<'_>, lists: &Lists) -> BoundBy {
    setting.sums().bounded_by(lists.entries().div_ceil(lists.rows().max(1)))
}

/// The lists of a segment that are in the index, and their numbers.
#[derive(Debug, Clone)]
pub(super) struct Part<'a> {
    pub(super) segment: Arc<Segment<'a>>,
    removed: Option<Arc<Removed>>,
    /// The number of the first list.
    pub(super) first: u32,
}

#[derive(Debug)]
struct Removed {
    /// The removed lists of the segment, in increasing order.
    lists: Vec<u32>,
    /// For each list of the segment, the number of lists before it that are not removed.
    before: Vec<u32>,
}

impl<'a> Part<'a> {
    /// All lists of a segment.
    pub(super) fn all(segment: Segment<'a>) -> Self {
        Self { segment: Arc::new(segment), removed: None, first: 0 }
    }

    /// The same segment with its own copy of the lists.
    pub(super) fn into_owned(self) -> Part<'static> {
        let Self { segment, removed, first } = self;
        Part { segment: Arc::new(Arc::unwrap_or_clone(segment).into_owned()), removed, first }
    }

    /// The same part, with numbers of lists from `first` on.
    pub(super) fn numbered_from(self, first: u32) -> Self {
        Self { first, ..self }
    }

    /// The number of lists that are not removed.
    pub(super) fn rows(&self) -> usize {
        self.segment.lists.rows() - self.removed().len()
    }

    /// The removed lists of the segment, in increasing order.
    pub(super) fn removed(&self) -> &[u32] {
        self.removed.as_ref().map_or(&[], |removed| &removed.lists)
    }

    /// The number in the index of a list of the segment.
    pub(super) fn number(&self, list: u32) -> u32 {
        self.first + self.removed.as_ref().map_or(list, |removed| removed.before[list as usize])
    }

    /// The list of the segment with this number in the index.
    pub(super) fn list(&self, number: u32) -> u32 {
        let number = number - self.first;
        match &self.removed {
            None => number,
            Some(removed) => removed.before.partition_point(|&before| before <= number) as u32 - 1,
        }
    }

    /// The lists of the segment that are not removed.
    pub(super) fn kept(&self) -> Result<Vec<u32>, Error> {
        let mut removed = self.removed().iter().peekable();
        let all = 0..self.segment.lists.rows() as u32;
        memory::collect(all.filter(|list| removed.next_if_eq(&list).is_none()))
    }

    /// The same part without some more lists of the segment. These lists are in increasing order.
    pub(super) fn without(&self, lists: &[u32]) -> Result<Self, Error> {
        if lists.is_empty() {
            return Ok(self.clone());
        }
        let mut all = memory::collect(self.removed().iter().chain(lists).copied())?;
        all.sort_unstable();
        all.dedup();
        let mut before = memory::with_capacity(self.segment.lists.rows())?;
        let (mut kept, mut start) = (0, 0);
        for end in all.iter().copied().chain([self.segment.lists.rows() as u32]) {
            before.extend(kept..kept + (end - start));
            kept += end - start;
            if before.len() < self.segment.lists.rows() {
                before.push(kept);
            }
            start = end + 1;
        }
        let removed = Some(Arc::new(Removed { lists: all, before }));
        Ok(Self { segment: Arc::clone(&self.segment), removed, first: self.first })
    }
}

/// The norms of all entries of the lists, list by list.
fn find_norms(setting: &ListSetting<'_>, by: BoundBy, run: RunOptions<'_>) -> Result<Vec<f64>, Error> {
    let lists = setting.y;
    let mut norms = memory::filled(lists.entries(), 0.0)?;
    let list_ns = cost::lists_norms_ns(lists.entries().div_ceil(lists.rows().max(1)));
    let at_once = ((STOP_CHECK_INTERVAL_NS / list_ns) as usize).max(1);
    let mut jobs = Vec::new();
    let mut rest = &mut norms[..];
    for first in (0..lists.rows()).step_by(at_once) {
        let end = lists.rows().min(first + at_once);
        let length = (first..end).map(|list| lists.row(list).len()).sum();
        let (own, others) = std::mem::take(&mut rest).split_at_mut(length);
        memory::push(&mut jobs, (first..end, own))?;
        rest = others;
    }
    let threads = run.threads_for(list_ns * lists.rows() as f64);
    parallel::run(
        jobs,
        Workers::new(threads, cost::lists_norms_ns(lists.longest())),
        run.watch,
        |_: &Cancel| Ok(Vec::new()),
        |(rows, mut out), of_block, poll| {
            for row in rows {
                let list = lists.row(row);
                setting.sums().find_norms(by, &setting.listed(list)?, of_block)?;
                let own;
                (own, out) = std::mem::take(&mut out).split_at_mut(list.len());
                for (norm, &[_, start]) in own.iter_mut().zip(list) {
                    *norm = of_block[start as usize];
                }
                if poll.is_cancelled() {
                    break;
                }
            }
            Ok(())
        },
    )?;
    Ok(norms)
}
