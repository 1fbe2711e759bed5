//! One list against all lists of an index.
//!
//! 1. Visit the lists of each item of the query. For each list, add up bounds of the terms of the common items.
//! 2. Take the best lists of each class that were not visited.
//! 3. Compute the values of the few lists with the largest bounds. From the hits that are kept so far, find the
//!    smallest bound that can still be good enough, for each class.
//! 4. If very many lists can be good enough, find the items that they share with the query. Lists that share one or two
//!    items have few different values.
//! 5. Compute the values of the other lists, the largest bound first, until a bound is not good enough.

use super::kept::{Hit, Kept};
use super::patterns::{MAX_SHARED, Patterns};
use super::segment::Part;
use super::shared::{STRIP, SharedSums};
use crate::error::Error;
use crate::memory;
use crate::parallel::Poll;
use crate::rankings::lists::List;

/// The values of this many lists with the largest bounds are computed before the candidates are chosen. With 64 such
/// lists, some queries for 10 neighbours among 1,000,000 top-10 lists had 87,000 candidates. With 256 such lists, a
/// query takes 0.06 ms more, and there are at most 14,000 candidates.
const LARGEST: usize = 256;
/// If many hits are kept, four times as many lists are computed first, but at most this many.
const MAX_LARGEST: usize = 1 << 12;
/// The number of candidates that are computed first. Then the rest is filtered again, and each further batch is four
/// times as large.
const FIRST_BATCH: usize = 64;
/// The number of lists that are read into the cache together. For lists of ten items, they take about 10 kB.
const FETCHED: usize = 64;
/// The number of strips of lists between two checks for cancellation.
const STRIPS_BETWEEN: usize = 64;
/// The number of values between two checks for cancellation.
const VALUES_BETWEEN: usize = 256;
/// If there are at most this many classes, one list of each class is prepared for all queries of a thread. It takes
/// some hundred bytes.
pub(super) const MAX_READY: usize = 1 << 12;

/// Compares a query with the lists of a segment. There is one implementation for each kind of measure.
pub(super) trait Compare {
    /// Prepares a query: one of the rows.
    fn begin(&mut self, row: usize) -> Result<(), Error>;

    /// The query.
    fn query(&self) -> List<'_>;

    /// For each list, adds up bounds for the items that it shares with the query.
    fn add_bounds(&mut self, shared: &mut SharedSums) -> Result<(), Error>;

    /// The value with a list of a class that shares no item with the query; `None` if every list of the class must
    /// share one.
    fn disjoint(&self, class: usize, list: usize) -> Option<f64>;

    /// The best possible value with a list of a class, if the shared items add at most `added`.
    fn bound(&self, class: usize, added: f64) -> f64;

    /// The value with a list.
    fn value(&mut self, list: usize) -> Result<f64, Error>;

    /// Reads a list into the cache. Returns any number that depends on the list, so that the compiler keeps the read.
    fn fetch(&self, list: usize) -> u32;
}

/// Memory of one thread.
pub(super) struct Searcher<'a, C> {
    part: &'a Part<'a>,
    compare: C,
    /// Whether the queries are the lists of the segment. A list is then not its own neighbour.
    own: bool,
    /// 1 if small values are good, -1 if large values are good.
    sign: f64,
    /// The limits for each class.
    limits: Vec<Limits>,
    shared: SharedSums,
    patterns: Patterns,
    common: Vec<[u32; 2]>,
    candidates: Vec<(f64, u32)>,
}

/// The smallest sum of bounds with which a list can be good enough.
#[derive(Clone, Copy, Default)]
struct Limits {
    /// The limit for a list whose index is below the indices of all kept hits.
    min: f32,
    /// The limit for a list whose index is above these indices.
    min_of_last: f32,
}

impl<'a, C: Compare> Searcher<'a, C> {
    pub(super) fn new(part: &'a Part<'a>, compare: C, own: bool, sign: f64) -> Result<Self, Error> {
        let (lists, classes) = (part.segment.lists.rows(), part.segment.classes.members().len());
        Ok(Self {
            part,
            compare,
            own,
            sign,
            limits: memory::filled(classes, Limits::default())?,
            shared: SharedSums::new(part.segment.by, lists, classes)?,
            patterns: Patterns::default(),
            common: Vec::new(),
            candidates: Vec::new(),
        })
    }

    /// Searches the hits for a row. `kept` can have hits of other parts.
    pub(super) fn search(&mut self, row: usize, kept: &mut Kept, poll: &mut Poll<'_>) -> Result<(), Error> {
        self.compare.begin(row)?;
        self.compare.add_bounds(&mut self.shared)?;
        if self.own {
            self.shared.set_known(row);
        }
        for &list in self.part.removed() {
            self.shared.set_known(list as usize);
        }
        self.take_apart(kept)?;
        self.take_largest(kept)?;
        self.find_candidates(kept, poll)?;
        self.shared.clear();
        self.take_candidates(kept, poll)
    }

    /// The hit for a list with this value.
    fn hit(&self, list: u32, value: f64) -> Hit {
        Hit { key: self.sign * value + 0.0, index: self.part.number(list), value }
    }

    /// Whether a list with this key would be kept.
    fn admits(&self, kept: &Kept, key: f64, list: u32) -> bool {
        kept.admits(key, self.part.number(list))
    }

    /// Takes lists that share no item with the query, class by class.
    fn take_apart(&mut self, kept: &mut Kept) -> Result<(), Error> {
        for (class, members) in self.part.segment.classes.members().iter().enumerate() {
            let mut value = None;
            for &list in members {
                if self.shared.is_met(list) {
                    continue;
                }
                if value.is_none() {
                    // All lists of the class that share no item have the value of the first of them. The value must not
                    // be computed with a list that shares items, because this list may equal the query.
                    value = self.compare.disjoint(class, list as usize);
                }
                let Some(value) = value else { break };
                let hit = self.hit(list, value);
                if !kept.admits(hit.key, hit.index) {
                    break;
                }
                kept.offer(hit)?;
            }
        }
        Ok(())
    }

    /// Takes the lists with the largest bounds. This is done only if a number of best hits is requested, and if a
    /// larger part has not given a limit yet.
    fn take_largest(&mut self, kept: &mut Kept) -> Result<(), Error> {
        let count = match &*kept {
            Kept::Best { count, .. } if self.part.first == 0 || !kept.is_full() => {
                count.saturating_mul(4).clamp(LARGEST, MAX_LARGEST)
            }
            Kept::Best { .. } | Kept::Close { .. } => return Ok(()),
        };
        let largest = self.shared.largest(count)?;
        self.fetch(largest.iter().copied());
        for list in largest {
            let value = self.compare.value(list as usize)?;
            kept.offer(self.hit(list, value))?;
            self.shared.set_known(list as usize);
        }
        Ok(())
    }

    /// The best possible key of a list of this class whose sum of bounds is `shared`.
    fn bound(&self, class: usize, shared: f32) -> f64 {
        self.sign * self.compare.bound(class, self.shared.added(shared)) + 0.0
    }

    /// The smallest sum of bounds with which a list of this class and this index can be good enough.
    fn min_of(&self, class: usize, index: u32, kept: &Kept) -> f32 {
        // The order of positive numbers is the order of their bits, so the search is by bits.
        let (mut too_small, mut enough) = (0, f32::MAX.to_bits());
        if self.limits.len() > MAX_READY {
            return f32::from_bits(1); // with this many classes, checking the lists one by one takes no longer
        }
        while enough - too_small > 1 {
            let middle = too_small + (enough - too_small) / 2;
            if kept.admits(self.bound(class, f32::from_bits(middle)), index) {
                enough = middle;
            } else {
                too_small = middle;
            }
        }
        f32::from_bits(enough)
    }

    /// Finds the visited lists that can be good enough. If there are very many, takes the lists that share few items at
    /// once.
    fn find_candidates(&mut self, kept: &mut Kept, poll: &mut Poll<'_>) -> Result<(), Error> {
        for class in 0..self.limits.len() {
            let (min, min_of_last) = (self.min_of(class, 0, kept), self.min_of(class, u32::MAX, kept));
            self.limits[class] = Limits { min, min_of_last };
        }
        self.patterns.clear();
        let segment = &self.part.segment;
        let max = Patterns::worth_from(self.compare.query(), segment);
        self.gather(kept, max, poll)?;
        if self.candidates.len() < max {
            return Ok(());
        }
        if self.share_few()? {
            self.patterns.find(self.compare.query(), &segment.postings, segment.lists.rows())?;
        }
        self.gather(kept, usize::MAX, poll)
    }

    /// Collects at most `max` candidates. Lists with known patterns are taken at once.
    fn gather(&mut self, kept: &mut Kept, max: usize, poll: &mut Poll<'_>) -> Result<(), Error> {
        self.candidates.clear();
        let min_of_all = self.limits.iter().fold(f32::INFINITY, |min, limits| min.min(limits.min));
        let last = kept.last();
        for strip in 0..self.shared.strips() {
            let mut found = self.shared.at_least(strip, min_of_all);
            while found > 0 {
                let list = (strip * STRIP) as u32 + found.trailing_zeros();
                found &= found - 1;
                let (class, sum) = (self.part.segment.classes.of(list as usize), self.shared.number(list));
                let Limits { min, min_of_last } = self.limits[class];
                // A list that equals the worst kept hit is good enough if its index is smaller.
                if sum < min || (sum < min_of_last && self.part.number(list) > last) {
                    continue;
                }
                if let Some(code) = self.patterns.of(list) {
                    let value = self.value_of_pattern(list, class, code)?;
                    kept.offer(self.hit(list, value))?;
                    continue;
                }
                let bound = self.bound(class, sum);
                if self.admits(kept, bound, list) {
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

    /// Whether most of the first candidates share few items with the query.
    fn share_few(&mut self) -> Result<bool, Error> {
        let some = &self.candidates[..FETCHED.min(self.candidates.len())];
        self.fetch(some.iter().map(|&(_, candidate)| candidate));
        let mut few = 0;
        for &(_, candidate) in some {
            find_common(self.compare.query(), self.part.segment.lists.row(candidate as usize), &mut self.common)?;
            few += usize::from(self.common.len() <= MAX_SHARED);
        }
        Ok(2 * few > some.len())
    }

    /// The value for a list that shares few items; it may be known from another list.
    fn value_of_pattern(&mut self, list: u32, class: usize, code: u32) -> Result<f64, Error> {
        if let Some(value) = self.patterns.value(class, code) {
            return Ok(value);
        }
        let value = self.compare.value(list as usize)?;
        self.patterns.keep(class, code, value);
        Ok(value)
    }

    /// Computes the values of candidates as long as their bounds are good enough.
    fn take_candidates(&mut self, kept: &mut Kept, poll: &mut Poll<'_>) -> Result<(), Error> {
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
                if !self.admits(kept, bound, list) {
                    continue;
                }
                let value = self.compare.value(list as usize)?;
                kept.offer(self.hit(list, value))?;
                computed += 1;
                if computed % VALUES_BETWEEN == 0 && poll.is_cancelled() {
                    return Ok(());
                }
            }
            let mut good = 0;
            for place in 0..later.len() {
                if self.admits(kept, later[place].0, later[place].1) {
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

    /// Reads the lists whose values are computed next into the cache. These lists are far apart in memory. The reads
    /// overlap here, so the CPU does not wait for each of them.
    fn fetch(&self, lists: impl Iterator<Item = u32>) {
        let mut read = 0;
        for list in lists {
            let list = list as usize;
            read ^= self.compare.fetch(list) ^ self.part.segment.classes.of(list) as u32;
        }
        std::hint::black_box(read);
    }
}

/// Finds the common items of two lists. They are given by their places in both lists, in the order of the items.
pub(super) fn find_common(s: List<'_>, t: List<'_>, common: &mut Vec<[u32; 2]>) -> Result<(), Error> {
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
