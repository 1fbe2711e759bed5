//! Queries by a measure whose value is bounded by a sum over the common items, such as rank-biased overlap.
//!
//! An upper bound of what an item adds depends on the larger of its two ranks, and on the lengths of the two lists.
//! Lists of equal or similar lengths are a group. So a query has one bound for each group and rank.

use std::ops::RangeInclusive;

use super::query::{Compare, MAX_READY, find_common};
use super::segment::Segment;
use super::shared::{RANKS, SharedSums, rounded_up};
use crate::error::Error;
use crate::measure::{BoundedPairs, PairMeasure, Ranked};
use crate::memory;
use crate::rankings::Lists;
use crate::rankings::lists::List;

/// For lists of up to this many items, each length is a group. Longer lists have a group for each power of two.
const EXACT: usize = 16;

/// Memory of one thread.
pub(super) struct OverlapQuery<'a> {
    segment: &'a Segment<'a>,
    rows: &'a Lists,
    pairs: Box<dyn BoundedPairs + 'a>,
    row: usize,
    /// The query.
    s: Ranked<'a>,
    /// One prepared list of each class.
    ready: Vec<Ranked<'a>>,
    groups: Vec<Group>,
    /// The group of each class.
    of_class: Vec<u8>,
    /// For each group and larger rank, an upper bound of what a common item adds. The last number of a group is for all
    /// larger ranks.
    table: Vec<[f32; RANKS]>,
    common: Vec<[u32; 2]>,
}

/// Lists of similar lengths.
struct Group {
    lengths: RangeInclusive<usize>,
    tied: bool,
}

impl<'a> OverlapQuery<'a> {
    /// `None` if the measure has no bounds.
    pub(super) fn new(
        segment: &'a Segment<'a>,
        measure: &'a dyn PairMeasure,
        rows: &'a Lists,
        longest: usize,
    ) -> Result<Option<Self>, Error> {
        let Some(pairs) = measure.bounded(longest)? else { return Ok(None) };
        let members = segment.classes.members();
        let (mut ready, mut groups, mut of_class) = (Vec::new(), Vec::new(), memory::with_capacity(members.len())?);
        let mut places = [u8::MAX; 2 * (EXACT + 1 + usize::BITS as usize)];
        for lists in members {
            let list = Ranked::from_list(segment.lists.row(lists[0] as usize))?;
            let (lengths, tied) = (similar_to(list.len()), list.is_tied);
            let number = if list.len() > EXACT { EXACT + lengths.end().ilog2() as usize } else { list.len() };
            let place = &mut places[2 * number + usize::from(tied)];
            if *place == u8::MAX {
                *place = groups.len() as u8;
                groups.push(Group { lengths, tied });
            }
            of_class.push(*place);
            if members.len() <= MAX_READY {
                memory::push(&mut ready, list)?;
            }
        }
        let table = memory::filled(groups.len(), [0.0; RANKS])?;
        let s = Ranked::from_list(&[])?;
        Ok(Some(Self { segment, rows, pairs, row: 0, s, ready, groups, of_class, table, common: Vec::new() }))
    }
}

/// The lengths of the lists that are in a group with lists of this length.
fn similar_to(length: usize) -> RangeInclusive<usize> {
    if length <= EXACT { length..=length } else { length.next_power_of_two() / 2 + 1..=length.next_power_of_two() }
}

impl Compare for OverlapQuery<'_> {
    fn begin(&mut self, row: usize) -> Result<(), Error> {
        self.row = row;
        self.s = Ranked::from_list(self.rows.row(row))?;
        let (length, is_tied) = (self.s.len(), self.s.is_tied);
        for (Group { lengths, tied }, of_ranks) in self.groups.iter().zip(&mut self.table) {
            let longest = (*lengths.end()).min(self.segment.longest);
            let lengths = *lengths.start()..=longest;
            for (larger, number) in (0..longest.max(length)).zip(of_ranks) {
                *number = rounded_up(self.pairs.bound(length, lengths.clone(), larger, *tied || is_tied));
            }
        }
        Ok(())
    }

    fn query(&self) -> List<'_> {
        self.rows.row(self.row)
    }

    fn add_bounds(&mut self, shared: &mut SharedSums) -> Result<(), Error> {
        let groups = (&self.of_class[..], self.segment.classes.all());
        shared.add_by_rank(self.rows.row(self.row), &self.segment.postings, groups, &self.table);
        Ok(())
    }

    fn disjoint(&self, _: usize, _: usize) -> Option<f64> {
        Some(0.0)
    }

    fn bound(&self, _: usize, added: f64) -> f64 {
        added
    }

    fn value(&mut self, list: usize) -> Result<f64, Error> {
        let (class, list) = (self.segment.classes.of(list), self.segment.lists.row(list));
        let query = self.rows.row(self.row);
        find_common(query, list, &mut self.common)?;
        for places in &mut self.common {
            *places = [query[places[0] as usize][1], list[places[1] as usize][1]];
        }
        // The blocks depend only on the class.
        Ok(match self.ready.get(class) {
            Some(blocks) => self.pairs.value(&self.s, blocks, &self.common),
            None => self.pairs.value(&self.s, &Ranked::from_list(list)?, &self.common),
        })
    }

    fn fetch(&self, list: usize) -> u32 {
        let list = self.segment.lists.row(list);
        list.first().map_or(0, |entry| entry[0]) ^ list.last().map_or(0, |entry| entry[0])
    }
}
