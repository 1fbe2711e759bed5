//! One list against all lists of an index.
//!
//! 1. Go through the lists of each item of the query. For each of these lists, add up bounds of what the common
//!    items can add to the value.
//! 2. Among the lists that share no item with the query, take the best by class.
//! 3. Compute the values of the few lists with the largest sums. The hits kept so far give, for each class, a minimum
//!    sum below which a list cannot be good enough.
//! 4. Compute the values of the others, the largest bounds first, as long as a bound is good enough.

use super::ListIndex;
use super::kept::{Hit, Kept};
use super::postings::fraction;
use crate::error::Error;
use crate::gram::strategies::lists::setting::Setting;
use crate::kappa::lists::{ListWorkspace, Listed};
use crate::memory;
use crate::parallel::{Proceed, Stop};
use crate::rankings::lists::List;
use crate::simd::Isa;

/// More than the rounding error of adding single-precision numbers, per number.
const ROUNDING: f64 = 2.4e-7;
/// The number of values that are computed first; the next batches are four times as large.
const FIRST_BATCH: usize = 64;
/// The number of sums that are looked through at a time.
const STRIP: usize = 64;
/// The number of values between two checks whether to proceed.
const VALUES_BETWEEN: usize = 256;
/// Marks the sum of a list whose value is known.
const KNOWN: f32 = -1.0;
/// Up to this many classes have a list that is prepared for all queries of a thread; each takes some hundred bytes.
const MOST_READY: usize = 1 << 12;

/// Memory of one thread.
pub(super) struct Searcher<'a> {
    index: &'a ListIndex<'a>,
    setting: &'a Setting<'a>,
    /// Whether rows are the lists of the index; a list does not find itself.
    own: bool,
    /// 1 if small values are good, -1 if large values are.
    sign: f64,
    memory: ListWorkspace,
    /// One prepared list of each class.
    ready: Vec<Listed<'a>>,
    /// For each class an upper bound of what pairs without a common item add.
    without: Vec<f64>,
    /// For each list the bound of what the items that it shares with the query add; 0 for lists that share none, and
    /// negative once the value is known.
    shared: Vec<f32>,
    /// For each class the minimum sum that can be good enough.
    least: Vec<f32>,
    norms: Vec<f64>,
    common: Vec<[u32; 2]>,
    candidates: Vec<(f64, u32)>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(
        index: &'a ListIndex<'a>,
        setting: &'a Setting<'a>,
        own: bool,
        sign: f64,
        stop: &Stop,
    ) -> Result<Self, Error> {
        let members = index.classes.members();
        let mut ready = Vec::new();
        if members.len() <= MOST_READY {
            for lists in members {
                memory::push(&mut ready, setting.listed(setting.y.row(lists[0] as usize))?)?;
            }
        }
        Ok(Self {
            index,
            setting,
            own,
            sign,
            memory: setting.memory(Some(Isa::widest()), stop)?,
            ready,
            without: memory::filled(members.len(), 0.0)?,
            shared: memory::filled(setting.y.rows(), 0.0)?,
            least: memory::filled(members.len(), 0.0)?,
            norms: Vec::new(),
            common: Vec::new(),
            candidates: Vec::new(),
        })
    }

    /// Searches the hits for a row.
    pub(super) fn search(&mut self, row: usize, kept: &mut Kept, proceed: Proceed<'_>) -> Result<(), Error> {
        let mut s = self.setting.listed(self.setting.x.row(row))?;
        let scale = self.meet(row, &s)?;
        self.take_apart(row, &mut s, kept)?;
        self.take_largest(row, &mut s, kept)?;
        self.find_candidates(row, scale, kept)?;
        self.shared.fill(0.0);
        self.take_candidates(row, &mut s, kept, proceed)
    }

    /// Adds up the bounds of the common items for each list; returns the factor of the sums.
    fn meet(&mut self, row: usize, s: &Listed<'_>) -> Result<f64, Error> {
        self.setting.sums().find_norms(s, &mut self.norms)?;
        let largest = self.norms.iter().copied().fold(0.0, f64::max);
        let Self { shared, norms, index, own: same, .. } = self;
        for &[item, start] in s.list {
            let own = fraction(norms[start as usize], largest);
            let (lists, norms) = index.postings.of_item(item);
            for (&list, &norm) in lists.iter().zip(norms) {
                shared[list as usize] += own * norm;
            }
        }
        if *same {
            shared[row] = KNOWN;
        }
        Ok(largest * index.postings.largest() * (1.0 + ROUNDING * (s.list.len() as f64 + 8.0)))
    }

    /// Takes lists that share no item, class by class, and bounds what the pairs without a common item add.
    fn take_apart(&mut self, row: usize, s: &mut Listed<'a>, kept: &mut Kept) -> Result<(), Error> {
        let (setting, sums) = (self.setting, self.setting.sums());
        for (class, members) in self.index.classes.members().iter().enumerate() {
            let first = members[0] as usize;
            let mut made;
            let t = if let Some(ready) = self.ready.get_mut(class) {
                ready
            } else {
                made = setting.listed(setting.y.row(first))?;
                &mut made
            };
            self.without[class] = if self.index.is_bounded { sums.bound_without(s, t) } else { 0.0 };
            if s.list.len() + t.list.len() > setting.y.items() {
                continue; // two such lists share an item
            }
            let sum = setting.of_sum(sums.apart(s, t)?);
            let mut value = None;
            for &list in members {
                if self.shared[list as usize] != 0.0 {
                    continue;
                }
                // The value of the first is that of all. It must not share items with the query: it may equal the
                // query.
                let value = *value.get_or_insert_with(|| setting.finished(sum, row, list as usize));
                let key = self.sign * value + 0.0;
                if !kept.admits(key, list) {
                    break;
                }
                kept.offer(Hit { key, index: list, value })?;
            }
        }
        Ok(())
    }

    /// Takes the lists with the largest sums, if a number of best lists is wanted.
    fn take_largest(&mut self, row: usize, s: &mut Listed<'a>, kept: &mut Kept) -> Result<(), Error> {
        if !self.index.is_bounded || matches!(kept, Kept::Close { .. }) {
            return Ok(());
        }
        let largest = largest_of(&self.shared, FIRST_BATCH)?;
        for &list in &largest {
            let value = self.value(row, s, list as usize)?;
            kept.offer(Hit { key: self.sign * value + 0.0, index: list, value })?;
            self.shared[list as usize] = KNOWN;
        }
        Ok(())
    }

    /// A lower bound of the key of a list of this class with this sum.
    fn bound(&self, row: usize, class: usize, shared: f32, scale: f64) -> f64 {
        if !self.index.is_bounded {
            return f64::NEG_INFINITY;
        }
        let sum = self.without[class] + f64::from(shared) * scale;
        let column = self.index.classes.members()[class][0] as usize;
        self.sign * self.setting.finished(self.setting.of_sum(sum), row, column) + 0.0
    }

    /// The minimum sum with which a list of this class can be good enough.
    fn least_of(&self, row: usize, class: usize, scale: f64, kept: &Kept) -> f32 {
        // Positive floating-point numbers are ordered like their bits.
        let (mut too_small, mut enough) = (0, f32::MAX.to_bits());
        if self.least.len() > MOST_READY {
            return f32::from_bits(1); // so many that checking the lists one by one is as fast
        }
        while enough - too_small > 1 {
            let middle = too_small + (enough - too_small) / 2;
            if kept.admits(self.bound(row, class, f32::from_bits(middle), scale), 0) {
                enough = middle;
            } else {
                too_small = middle;
            }
        }
        f32::from_bits(enough)
    }

    /// Finds the lists that can be good enough.
    fn find_candidates(&mut self, row: usize, scale: f64, kept: &Kept) -> Result<(), Error> {
        for class in 0..self.least.len() {
            self.least[class] = self.least_of(row, class, scale, kept);
        }
        let least_of_all = self.least.iter().copied().fold(f32::INFINITY, f32::min);
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for (strip, sums) in self.shared.chunks(STRIP).enumerate() {
            if largest(sums) < least_of_all {
                continue;
            }
            for (list, &sum) in (strip * STRIP..).zip(sums) {
                let class = self.index.classes.of(list);
                if sum < self.least[class] {
                    continue;
                }
                let bound = self.bound(row, class, sum, scale);
                if kept.admits(bound, list as u32) {
                    memory::push(&mut candidates, (bound, list as u32))?;
                }
            }
        }
        self.candidates = candidates;
        Ok(())
    }

    /// Computes the values of candidates, as long as their bounds are good enough.
    fn take_candidates(
        &mut self,
        row: usize,
        s: &mut Listed<'a>,
        kept: &mut Kept,
        proceed: Proceed<'_>,
    ) -> Result<(), Error> {
        let mut candidates = std::mem::take(&mut self.candidates);
        let (mut rest, mut batch, mut computed) = (&mut candidates[..], FIRST_BATCH, 0);
        while !rest.is_empty() {
            if batch < rest.len() {
                rest.select_nth_unstable_by(batch, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            }
            let cut = batch.min(rest.len());
            let (now, later) = std::mem::take(&mut rest).split_at_mut(cut);
            for &mut (bound, list) in now {
                if !kept.admits(bound, list) {
                    continue;
                }
                let value = self.value(row, s, list as usize)?;
                kept.offer(Hit { key: self.sign * value + 0.0, index: list, value })?;
                computed += 1;
                if computed % VALUES_BETWEEN == 0 && !proceed() {
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

    /// The value for two lists that share an item.
    fn value(&mut self, row: usize, s: &mut Listed<'a>, list: usize) -> Result<f64, Error> {
        let setting = self.setting;
        find_common(s.list, setting.y.row(list), &mut self.common)?;
        let mut t = setting.listed(setting.y.row(list))?;
        let sum = setting.sums().of_common(s, &mut t, &self.common, &mut self.memory)?;
        Ok(setting.finished(setting.of_sum(sum), row, list))
    }
}

/// The largest of some sums, or 0.
fn largest(sums: &[f32]) -> f32 {
    sums.iter().fold(0.0, |largest, &sum| if sum > largest { sum } else { largest })
}

/// The lists with the largest sums: `count` of them, or as many as share an item.
fn largest_of(shared: &[f32], count: usize) -> Result<Vec<u32>, Error> {
    let mut found: Vec<(f32, u32)> = memory::with_capacity(2 * count)?;
    let mut least = 0.0;
    for (strip, sums) in shared.chunks(STRIP).enumerate() {
        if largest(sums) <= least {
            continue;
        }
        for (list, &sum) in (strip * STRIP..).zip(sums) {
            if sum > least {
                found.push((sum, list as u32));
                if found.len() == 2 * count {
                    found.select_nth_unstable_by(count - 1, |a, b| b.0.total_cmp(&a.0));
                    found.truncate(count);
                    least = found[count - 1].0;
                }
            }
        }
    }
    found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    memory::collect(found.iter().take(count).map(|&(_, list)| list))
}

/// Finds the items that are in both lists, by their positions in both, in order of the items.
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
