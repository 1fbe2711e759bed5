//! One list against all lists of an index.
//!
//! 1. Visit the lists of each item of the query. For each list, add up bounds of the terms of the common items.
//! 2. Of the lists that were not visited, take the best of each class.
//! 3. Compute the values of the few lists with the largest bounds. The hits kept so far give the smallest bound of each
//!    class that can be good enough.
//! 4. If very many lists can be good enough, find the items that they share: lists that share one or two items have few
//!    different values.
//! 5. Compute the values of the others, the largest bounds first, until a bound is not good enough.

use super::ListIndex;
use super::kept::{Hit, Kept};
use super::patterns::{MAX_SHARED, Patterns};
use super::shared::{STRIP, SharedSums};
use crate::error::Error;
use crate::gram::strategies::lists::setting::ListSetting;
use crate::memory;
use crate::pair::lists::bounds::Bound;
use crate::pair::lists::{ListWorkspace, Listed};
use crate::parallel::{Cancel, Poll};
use crate::rankings::lists::List;
use crate::simd::Isa;

/// The number of lists with the largest bounds that are computed before others are candidates. With 64, some queries of
/// 1,000,000 top-10 lists had 87,000 candidates for a top of 10; 256 take 0.06 ms more and leave at most 14,000.
const LARGEST: usize = 256;
/// If many hits are kept, four times as many are computed first, but at most this many.
const MAX_LARGEST: usize = 1 << 12;
/// The number of candidates that are computed first. Then four times as many are computed before the rest is filtered
/// again.
const FIRST_BATCH: usize = 64;
/// The number of lists that are read into the cache together: some 10 kB for lists of ten items.
const FETCHED: usize = 64;
/// The number of strips of lists between two checks for cancellation.
const STRIPS_BETWEEN: usize = 64;
/// The number of values between two checks for cancellation.
const VALUES_BETWEEN: usize = 256;
/// For at most this many classes a list is prepared for all queries of a thread; some hundred bytes each.
const MAX_READY: usize = 1 << 12;

/// Memory of one thread.
pub(super) struct Searcher<'a> {
    index: &'a ListIndex<'a>,
    setting: &'a ListSetting<'a>,
    /// Whether rows are the lists of the index; a list does not find itself.
    own: bool,
    /// 1 if small values are good, -1 if large values are.
    sign: f64,
    memory: ListWorkspace,
    /// One prepared list of each class.
    ready: Vec<Listed<'a>>,
    /// For each class the numbers that depend on the shapes only.
    classes: Vec<OfClass>,
    shared: SharedSums,
    patterns: Patterns,
    bounds: Vec<Bound>,
    norms: Vec<f64>,
    common: Vec<[u32; 2]>,
    candidates: Vec<(f64, u32)>,
}

/// Numbers that all lists of a class share.
#[derive(Clone, Copy, Default)]
struct OfClass {
    /// The sum with a list of the class that shares no item; `None` if two such lists share one.
    disjoint: Option<f64>,
    /// The smallest number of a list that can be good enough, if its index is below those of all kept hits.
    min: f32,
    /// The same if its index is above them.
    min_of_last: f32,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(
        index: &'a ListIndex<'a>,
        setting: &'a ListSetting<'a>,
        own: bool,
        sign: f64,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        let members = index.classes.members();
        let mut ready = Vec::new();
        if members.len() <= MAX_READY {
            for lists in members {
                memory::push(&mut ready, setting.listed(setting.y.row(lists[0] as usize))?)?;
            }
        }
        Ok(Self {
            index,
            setting,
            own,
            sign,
            memory: setting.memory(Some(Isa::widest()), cancel)?,
            ready,
            classes: memory::filled(members.len(), OfClass::default())?,
            shared: SharedSums::new(index.by, setting.y.rows(), members.len())?,
            patterns: Patterns::default(),
            bounds: memory::filled(members.len(), Bound::default())?,
            norms: Vec::new(),
            common: Vec::new(),
            candidates: Vec::new(),
        })
    }

    /// Searches the hits for a row.
    pub(super) fn search(&mut self, row: usize, kept: &mut Kept, poll: &mut Poll<'_>) -> Result<(), Error> {
        let mut s = self.setting.listed(self.setting.x.row(row))?;
        self.look_at_classes(&mut s)?;
        self.meet(row, &s)?;
        self.take_apart(row, kept)?;
        self.take_largest(row, &mut s, kept)?;
        self.find_candidates(row, &mut s, kept, poll)?;
        self.shared.clear();
        self.take_candidates(row, &mut s, kept, poll)
    }

    /// Computes the numbers that depend on the shapes of the lists only.
    fn look_at_classes(&mut self, s: &mut Listed<'a>) -> Result<(), Error> {
        let (setting, sums) = (self.setting, self.setting.sums());
        for (class, members) in self.index.classes.members().iter().enumerate() {
            let mut made;
            let t = if let Some(ready) = self.ready.get_mut(class) {
                ready
            } else {
                made = setting.listed(setting.y.row(members[0] as usize))?;
                &mut made
            };
            self.bounds[class] = sums.bound(self.index.by, s, t);
            let can_be_disjoint = s.list.len() + t.list.len() <= setting.y.items();
            self.classes[class].disjoint =
                if can_be_disjoint { Some(setting.value_from_sum(sums.disjoint(s, t)?)) } else { None };
        }
        Ok(())
    }

    /// Adds up the bounds of the lists that share items with the query.
    fn meet(&mut self, row: usize, s: &Listed<'_>) -> Result<(), Error> {
        let Self { index, norms, shared, bounds, .. } = self;
        self.setting.sums().find_norms(index.by, s, norms)?;
        shared.meet(s.list, norms, &index.postings, bounds, index.classes.all());
        if self.own {
            shared.set_known(row);
        }
        Ok(())
    }

    /// Takes lists that share no item, class by class.
    fn take_apart(&mut self, row: usize, kept: &mut Kept) -> Result<(), Error> {
        for (members, class) in self.index.classes.members().iter().zip(&self.classes) {
            let Some(sum) = class.disjoint else { continue };
            let mut value = None;
            for &list in members {
                if self.shared.is_met(list) {
                    continue;
                }
                // All have the value of the first. It must not be a list that shares items, which may equal the query.
                let value = *value.get_or_insert_with(|| self.setting.finished(sum, row, list as usize));
                let key = self.sign * value + 0.0;
                if !kept.admits(key, list) {
                    break;
                }
                kept.offer(Hit { key, index: list, value })?;
            }
        }
        Ok(())
    }

    /// Takes the lists with the largest bounds, if a number of best hits is requested.
    fn take_largest(&mut self, row: usize, s: &mut Listed<'a>, kept: &mut Kept) -> Result<(), Error> {
        let count = match kept {
            Kept::Best { count, .. } => count.saturating_mul(4).clamp(LARGEST, MAX_LARGEST),
            Kept::Close { .. } => return Ok(()),
        };
        let largest = self.shared.largest(count)?;
        self.fetch(largest.iter().copied());
        for list in largest {
            let value = self.value(row, s, list as usize)?;
            kept.offer(Hit { key: self.sign * value + 0.0, index: list, value })?;
            self.shared.set_known(list as usize);
        }
        Ok(())
    }

    /// The best possible key of a list of this class with this number.
    fn bound(&self, row: usize, class: usize, shared: f32) -> f64 {
        let sum = self.bounds[class].without + self.shared.added(shared);
        let column = self.index.classes.members()[class][0] as usize;
        self.sign * self.setting.finished(self.setting.value_from_sum(sum), row, column) + 0.0
    }

    /// The smallest number with which a list of this class can be good enough, if it has this index.
    fn min_of(&self, row: usize, class: usize, index: u32, kept: &Kept) -> f32 {
        // Positive numbers are in the order of their bits.
        let (mut too_small, mut enough) = (0, f32::MAX.to_bits());
        if self.classes.len() > MAX_READY {
            return f32::from_bits(1); // with this many classes, checking the lists one by one takes no longer
        }
        while enough - too_small > 1 {
            let middle = too_small + (enough - too_small) / 2;
            if kept.admits(self.bound(row, class, f32::from_bits(middle)), index) {
                enough = middle;
            } else {
                too_small = middle;
            }
        }
        f32::from_bits(enough)
    }

    /// Finds the visited lists that can be good enough. If there are very many, takes those that share few items.
    fn find_candidates(
        &mut self,
        row: usize,
        s: &mut Listed<'a>,
        kept: &mut Kept,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        for class in 0..self.classes.len() {
            self.classes[class].min = self.min_of(row, class, 0, kept);
            self.classes[class].min_of_last = self.min_of(row, class, u32::MAX, kept);
        }
        self.patterns.clear();
        let (postings, lists) = (&self.index.postings, self.setting.y.rows());
        let max = Patterns::worth_from(s.list, postings, lists);
        self.gather(row, s, kept, max, poll)?;
        if self.candidates.len() < max {
            return Ok(());
        }
        if self.share_few(s.list)? {
            self.patterns.find(s.list, postings, lists)?;
        }
        self.gather(row, s, kept, usize::MAX, poll)
    }

    /// Collects at most `max` candidates. Lists with known patterns are taken at once.
    fn gather(
        &mut self,
        row: usize,
        s: &mut Listed<'a>,
        kept: &mut Kept,
        max: usize,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        self.candidates.clear();
        let min_of_all = self.classes.iter().fold(f32::INFINITY, |min, class| min.min(class.min));
        let last = kept.last();
        for strip in 0..self.shared.strips() {
            let mut found = self.shared.at_least(strip, min_of_all);
            while found > 0 {
                let list = (strip * STRIP) as u32 + found.trailing_zeros();
                found &= found - 1;
                let (class, sum) = (self.index.classes.of(list as usize), self.shared.number(list));
                let OfClass { min, min_of_last, .. } = self.classes[class];
                // A list that equals the worst kept hit is good enough if its index is smaller.
                if sum < min || (sum < min_of_last && list > last) {
                    continue;
                }
                if let Some(code) = self.patterns.of(list) {
                    let value = self.value_of_pattern(row, s, list, class, code)?;
                    kept.offer(Hit { key: self.sign * value + 0.0, index: list, value })?;
                    continue;
                }
                let bound = self.bound(row, class, sum);
                if kept.admits(bound, list) {
                    memory::push(&mut self.candidates, (bound, list))?;
                    if self.candidates.len() == max {
                        return Ok(());
                    }
                }
            }
            if strip % STRIPS_BETWEEN == 0 && poll.is_cancelled() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether most of the first candidates share few items with a list.
    fn share_few(&mut self, list: List<'_>) -> Result<bool, Error> {
        let some = &self.candidates[..FETCHED.min(self.candidates.len())];
        self.fetch(some.iter().map(|&(_, candidate)| candidate));
        let mut few = 0;
        for &(_, candidate) in some {
            find_common(list, self.setting.y.row(candidate as usize), &mut self.common)?;
            few += usize::from(self.common.len() <= MAX_SHARED);
        }
        Ok(2 * few > some.len())
    }

    /// The value for a list that shares few items; it may be known from another list.
    fn value_of_pattern(
        &mut self,
        row: usize,
        s: &mut Listed<'a>,
        list: u32,
        class: usize,
        code: u32,
    ) -> Result<f64, Error> {
        if let Some(value) = self.patterns.value(class, code) {
            return Ok(value);
        }
        let value = self.value(row, s, list as usize)?;
        self.patterns.keep(class, code, value);
        Ok(value)
    }

    /// Computes the values of candidates, as long as their bounds are good enough.
    fn take_candidates(
        &mut self,
        row: usize,
        s: &mut Listed<'a>,
        kept: &mut Kept,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        let mut candidates = std::mem::take(&mut self.candidates);
        let (mut rest, mut batch, mut computed) = (&mut candidates[..], FIRST_BATCH, 0);
        while !rest.is_empty() {
            if batch < rest.len() {
                rest.select_nth_unstable_by(batch, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            }
            let cut = batch.min(rest.len());
            let (now, later) = std::mem::take(&mut rest).split_at_mut(cut);
            for (place, &(bound, list)) in now.iter().enumerate() {
                if place % FETCHED == 0 {
                    let next = &now[place..now.len().min(place + FETCHED)];
                    self.fetch(next.iter().map(|&(_, list)| list));
                }
                if !kept.admits(bound, list) {
                    continue;
                }
                let value = self.value(row, s, list as usize)?;
                kept.offer(Hit { key: self.sign * value + 0.0, index: list, value })?;
                computed += 1;
                if computed % VALUES_BETWEEN == 0 && poll.is_cancelled() {
                    return Ok(());
                }
            }
            let mut good = 0;
            for place in 0..later.len() {
                if kept.admits(later[place].0, later[place].1) {
                    later.swap(good, place);
                    good += 1;
                }
            }
            rest = &mut later[..good];
            batch *= 4;
        }
        self.candidates = candidates;
        Ok(())
    }

    /// Reads the lists whose values are computed next into the cache. They are scattered in memory; here the reads
    /// overlap, which saves waiting for each.
    fn fetch(&self, lists: impl Iterator<Item = u32>) {
        let mut read = 0;
        for list in lists {
            let list = list as usize;
            read ^= self.setting.fetch(list) ^ self.index.classes.of(list) as u32;
        }
        std::hint::black_box(read);
    }

    /// The value for two lists that share an item.
    fn value(&mut self, row: usize, s: &mut Listed<'a>, list: usize) -> Result<f64, Error> {
        let setting = self.setting;
        find_common(s.list, setting.y.row(list), &mut self.common)?;
        let mut made;
        let t = if let Some(ready) = self.ready.get_mut(self.index.classes.of(list)) {
            // The prepared numbers depend on the shape only.
            ready.list = setting.y.row(list);
            ready
        } else {
            made = setting.listed(setting.y.row(list))?;
            &mut made
        };
        let sum = setting.sums().of_common(s, t, &self.common, &mut self.memory)?;
        Ok(setting.finished(setting.value_from_sum(sum), row, list))
    }
}

/// Finds the items that two lists have, by their places in both, in order of the items.
fn find_common(s: List<'_>, t: List<'_>, common: &mut Vec<[u32; 2]>) -> Result<(), Error> {
    common.clear();
    memory::reserve(common, s.len().min(t.len()))?;
    let (mut in_s, mut in_t) = (0, 0);
    while let (Some(&[one, _]), Some(&[other, _])) = (s.get(in_s), t.get(in_t)) {
        if one == other {
            common.push([in_s as u32, in_t as u32]);
        }
        in_s += usize::from(one <= other);
        in_t += usize::from(other <= one);
    }
    Ok(())
}
