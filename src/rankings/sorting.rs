//! Sorting a row of numbers. Long rows are sorted in parts, which are then merged, so that sorting can be stopped.

use std::cmp::Ordering;

use super::value::Value;
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;

/// Lists up to this length are sorted at once, in some 20 milliseconds.
const PART: usize = 1 << 18;

/// Integers are counted instead of sorted if their range is at most this many times the number of items.
const SPAN: u64 = 4;

/// Sorts the items of a row by numbers that all have a place; memory for one thread.
pub(super) struct ItemSort {
    cancel: Cancel,
    keys: Vec<(u64, u32)>,
}

impl ItemSort {
    /// For rows of so many items.
    pub(super) fn new(items: usize, cancel: &Cancel) -> Result<Self, Error> {
        let mut new = Self { cancel: cancel.clone(), keys: Vec::new() };
        // Longer rows are sorted in place.
        if items <= PART {
            memory::reserve(&mut new.keys, items)?;
        }
        Ok(new)
    }

    /// Whether the run is to end.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Writes the items, the one with the largest number first; `spare` loses its contents. False if the run ended
    /// meanwhile.
    pub(super) fn fill<V: Value>(&mut self, values: &[V], spare: &mut [u32], order: &mut [u32]) -> bool {
        if values.len() > PART {
            for (item, place) in (0..).zip(order.iter_mut()) {
                *place = item;
            }
            let compare = |i: u32, j: u32| values[j as usize].order(values[i as usize]);
            return sort_long::<V>(order, spare, &self.cancel, compare);
        }
        self.keys.clear();
        self.keys.extend((0..).zip(values).map(|(item, value)| (!value.key(), item)));
        self.keys.sort_unstable();
        for (place, &(_, item)) in order.iter_mut().zip(&self.keys) {
            *place = item;
        }
        true
    }
}

/// Sorts the items of a row into blocks of equal numbers; memory for one thread.
pub(super) struct BlockSort {
    cancel: Cancel,
    keys: Vec<(u64, u32)>,
    counts: Vec<u32>,
}

impl BlockSort {
    /// For rows of `items` items.
    pub(super) fn new(items: usize, cancel: &Cancel) -> Result<Self, Error> {
        let mut new = Self { cancel: cancel.clone(), keys: Vec::new(), counts: Vec::new() };
        // Longer rows are sorted in place.
        if items <= PART {
            memory::reserve(&mut new.keys, items)?;
            memory::reserve(&mut new.counts, items * SPAN as usize + 1)?;
        }
        Ok(new)
    }

    /// Writes the items in the order of their numbers, equal ones by item, those without a position last; and for each
    /// item the first position of its block. Returns the number of items with positions, and whether two share one.
    /// `None` if the run is stopped.
    pub(super) fn fill<V: Value>(
        &mut self,
        descending: bool,
        has_place: fn(V) -> bool,
        values: &[V],
        starts: &mut [u32],
        order: &mut [u32],
    ) -> Option<(usize, bool)> {
        if values.len() > PART {
            self.sort_in_place(descending, has_place, values, starts, order)?;
        } else if !self.count(descending, has_place, values, order) {
            self.sort_keys(descending, has_place, values, order);
        }
        let listed = order.iter().rposition(|&item| has_place(values[item as usize])).map_or(0, |last| last + 1);
        let (mut start, mut tied) = (0, false);
        for (rank, &item) in order.iter().enumerate() {
            let same = rank > 0 && {
                let before = order[rank - 1] as usize;
                rank > listed || (rank < listed && values[before].order(values[item as usize]).is_eq())
            };
            tied |= same && rank < listed;
            start = if same { start } else { rank as u32 };
            starts[item as usize] = start;
        }
        Some((listed, tied))
    }

    /// Sorts integers of a small range by counting them; returns false for other numbers.
    fn count<V: Value>(&mut self, descending: bool, has_place: fn(V) -> bool, values: &[V], order: &mut [u32]) -> bool {
        let key = |value: V| value.whole().map(|whole| if descending { !whole } else { whole });
        let (mut min, mut max, mut listed) = (i64::MAX, i64::MIN, 0);
        for &value in values.iter().filter(|&&value| has_place(value)) {
            // Larger floating-point numbers are not exact integers.
            let Some(key) = key(value).filter(|key| key.unsigned_abs() < 1 << 53) else { return false };
            (min, max) = (min.min(key), max.max(key));
            listed += 1;
        }
        let span = if listed == 0 { 0 } else { max.abs_diff(min) + 1 };
        if span > SPAN * values.len() as u64 {
            return false;
        }
        // The position after each number; then, from the last item on, the position before it.
        let counts = &mut self.counts;
        counts.clear();
        counts.resize(span as usize, 0);
        let place = |value: V| key(value).map_or(0, |key| key.abs_diff(min) as usize);
        for &value in values.iter().filter(|&&value| has_place(value)) {
            counts[place(value)] += 1;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            next += std::mem::replace(count, next);
        }
        let mut missing = listed;
        for (item, &value) in (0..).zip(values) {
            let at = if has_place(value) { &mut counts[place(value)] } else { &mut missing };
            order[*at as usize] = item;
            *at += 1;
        }
        true
    }

    fn sort_keys<V: Value>(&mut self, descending: bool, has_place: fn(V) -> bool, values: &[V], order: &mut [u32]) {
        let known = (0..).zip(values).filter(|&(_, &value)| has_place(value));
        self.keys.clear();
        self.keys.extend(known.map(|(item, value)| (if descending { !value.key() } else { value.key() }, item)));
        self.keys.sort_unstable();
        let missing = (0..).zip(values).filter(|&(_, &value)| !has_place(value)).map(|(item, _)| item);
        for (place, item) in order.iter_mut().zip(self.keys.iter().map(|&(_, item)| item).chain(missing)) {
            *place = item;
        }
    }

    fn sort_in_place<V: Value>(
        &self,
        descending: bool,
        has_place: fn(V) -> bool,
        values: &[V],
        spare: &mut [u32],
        order: &mut [u32],
    ) -> Option<()> {
        for (item, place) in (0..).zip(order.iter_mut()) {
            *place = item;
        }
        let compare = |i: u32, j: u32| {
            let (one, other) = (values[i as usize], values[j as usize]);
            let by_value = match (has_place(one), has_place(other)) {
                (true, true) if descending => other.order(one),
                (true, true) => one.order(other),
                (one, other) => other.cmp(&one),
            };
            by_value.then(i.cmp(&j))
        };
        sort_long::<V>(order, spare, &self.cancel, compare).then_some(())
    }
}

/// Sorts the items of a row of more than `PART`. Real numbers have a compiled sort of their own. For the other types it
/// would be 160 kB of machine code; they take up to a quarter longer (a row of a million).
fn sort_long<V: Value>(
    places: &mut [u32],
    spare: &mut [u32],
    cancel: &Cancel,
    compare: impl Fn(u32, u32) -> Ordering,
) -> bool {
    if V::OFTEN_LONG { sort(places, spare, cancel, compare) } else { sort(places, spare, cancel, by_any(&compare)) }
}

/// A comparison that is called through a pointer, so that the types of all numbers share one compiled sort.
pub(super) fn by_any(compare: &dyn Fn(u32, u32) -> Ordering) -> impl Fn(u32, u32) -> Ordering {
    move |i, j| compare(i, j)
}

/// Sorts `places`; `spare` is as long and loses its contents. False if the run ended meanwhile.
pub(crate) fn sort(
    places: &mut [u32],
    spare: &mut [u32],
    cancel: &Cancel,
    compare: impl Fn(u32, u32) -> Ordering,
) -> bool {
    sort_by_parts(PART, places, spare, cancel, compare)
}

fn sort_by_parts(
    part: usize,
    places: &mut [u32],
    spare: &mut [u32],
    cancel: &Cancel,
    compare: impl Fn(u32, u32) -> Ordering,
) -> bool {
    if places.len() <= part {
        places.sort_unstable_by(|&i, &j| compare(i, j));
        return true;
    }
    for places in places.chunks_mut(part) {
        if cancel.is_cancelled() {
            return false;
        }
        places.sort_unstable_by(|&i, &j| compare(i, j));
    }
    let (mut from, mut to) = (&mut *places, spare);
    let mut length = part;
    let mut moved = false;
    while length < from.len() {
        for (from, to) in from.chunks(2 * length).zip(to.chunks_mut(2 * length)) {
            let (one, other) = from.split_at(length.min(from.len()));
            if !merge(part, one, other, to, cancel, &compare) {
                return false;
            }
        }
        (from, to) = (to, from);
        moved = !moved;
        length *= 2;
    }
    if moved {
        to.copy_from_slice(from);
    }
    true
}

/// Merges two sorted lists, with regular checks for a stop.
fn merge(
    look_every: usize,
    one: &[u32],
    other: &[u32],
    to: &mut [u32],
    cancel: &Cancel,
    compare: impl Fn(u32, u32) -> Ordering,
) -> bool {
    let (mut one, mut other) = (one, other);
    for part in to.chunks_mut(look_every) {
        if cancel.is_cancelled() {
            return false;
        }
        for place in part {
            let from = match (one, other) {
                ([first, ..], [second, ..]) if compare(*first, *second).is_le() => &mut one,
                ([], _) => &mut other,
                (_, []) => &mut one,
                _ => &mut other,
            };
            if let [first, rest @ ..] = *from {
                *place = *first;
                *from = rest;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_merged_into_what_sorting_at_once_gives() {
        for count in (0..70).chain([1000]) {
            // Many are equal; then the number of the item decides.
            let keys: Vec<u32> = (0..count).map(|i| i * i * 31 % 17).collect();
            let compare = |i: u32, j: u32| keys[i as usize].cmp(&keys[j as usize]).then(i.cmp(&j));
            let mut expected: Vec<u32> = (0..count).collect();
            expected.sort_unstable_by(|&i, &j| compare(i, j));
            for part in [1, 2, 3, 8, 64, 2000] {
                let mut places: Vec<u32> = (0..count).collect();
                let mut spare = vec![7; count as usize];
                assert!(sort_by_parts(part, &mut places, &mut spare, &Cancel::default(), compare));
                assert_eq!(places, expected, "{count} in parts of {part}");
            }
        }
    }
}
