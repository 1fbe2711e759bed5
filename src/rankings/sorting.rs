//! Sorting a row of numbers. Long rows are sorted in parts, which are then merged, so that sorting can be stopped.

use std::cmp::Ordering;

use super::value::Value;
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;

/// Lists up to this length are sorted in one step, which takes about 20 milliseconds.
const PART: usize = 1 << 18;

/// Integers are counted instead of sorted if their range is at most this many times the number of items.
const SPAN: u64 = 4;

/// Rows of at least this many items are sorted digit by digit. Measured against a sort by comparisons: the same time
/// for 1,000 items, and half the time for 10,000 items.
const BY_DIGITS: usize = 2000;

/// The bits of a digit.
const DIGIT: u32 = 9;

/// Sorts items by keys of 64 bits; memory for one thread.
///
/// The highest bits of a key and the number of the item share one word. Sorting words takes 0.4 times as long as
/// sorting pairs of a key and an item. If bits of the key have been left out, items whose words agree in the other bits
/// of the key are compared again.
struct KeySort {
    /// The key of each item.
    keys: Vec<u64>,
    words: Vec<u64>,
    spare: Vec<u64>,
}

impl KeySort {
    /// Memory for rows of `items` items. Rows that are sorted in place need none.
    fn new(items: usize) -> Result<Self, Error> {
        let mut new = Self { keys: Vec::new(), words: Vec::new(), spare: Vec::new() };
        if items <= PART {
            memory::reserve(&mut new.keys, items)?;
            memory::reserve(&mut new.words, items)?;
            memory::reserve(&mut new.spare, if items < BY_DIGITS { 0 } else { items })?;
        }
        Ok(new)
    }

    fn set_keys(&mut self, keys: impl Iterator<Item = u64>) {
        self.keys.clear();
        self.keys.extend(keys);
    }

    /// Sorts items by their keys; items with equal keys are sorted by number. Before the call, `order` must be sorted
    /// by the numbers of the items.
    fn sort(&mut self, order: &mut [u32]) {
        let Self { keys, words, spare } = self;
        let keys_of = || order.iter().map(|&item| keys[item as usize]);
        let (min, max) = keys_of().fold((u64::MAX, 0), |(min, max), key| (key.min(min), key.max(max)));
        if min >= max {
            return;
        }
        let (shift, bits) = ((max - min).leading_zeros(), keys.len().next_power_of_two().trailing_zeros());
        let of_item = (1 << bits) - 1;
        words.clear();
        words.extend(
            (order.iter().zip(keys_of())).map(|(&item, key)| (key - min) << shift & !of_item | u64::from(item)),
        );
        if words.len() < BY_DIGITS {
            words.sort_unstable();
        } else {
            sort_by_digits(words, spare, bits);
        }
        for (place, &word) in order.iter_mut().zip(&*words) {
            *place = (word & of_item) as u32;
        }
        if shift >= bits {
            return;
        }
        let mut rest = order;
        for near in words.chunk_by(|one, other| one ^ other <= of_item) {
            let items;
            (items, rest) = rest.split_at_mut(near.len());
            let first = keys[items[0] as usize];
            if items.iter().any(|&item| keys[item as usize] != first) {
                items.sort_unstable_by_key(|&item| (keys[item as usize], item));
            }
        }
    }
}

/// Sorts words by their bits from `first` on; equal ones keep their order.
fn sort_by_digits(words: &mut Vec<u64>, spare: &mut Vec<u64>, first: u32) {
    const VALUES: usize = 1 << DIGIT;
    let digit = |word: u64, place: u32| (word >> (first + DIGIT * place)) as usize % VALUES;
    let mut counts = [[0_u32; VALUES]; u64::BITS.div_ceil(DIGIT) as usize];
    let places = (u64::BITS - first).div_ceil(DIGIT);
    for &word in &*words {
        for (place, counts) in (0..places).zip(&mut counts) {
            counts[digit(word, place)] += 1;
        }
    }
    spare.clear();
    spare.resize(words.len(), 0);
    for (place, counts) in (0..places).zip(&mut counts) {
        if counts.iter().any(|&count| count as usize == words.len()) {
            continue;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            next += std::mem::replace(count, next);
        }
        for &word in &*words {
            let at = &mut counts[digit(word, place)];
            spare[*at as usize] = word;
            *at += 1;
        }
        std::mem::swap(words, spare);
    }
}

/// Sorts the items of a row in which every item has a number; memory for one thread.
pub(super) struct ItemSort {
    cancel: Cancel,
    keys: KeySort,
}

impl ItemSort {
    /// For rows of so many items.
    pub(super) fn new(items: usize, cancel: &Cancel) -> Result<Self, Error> {
        Ok(Self { cancel: cancel.clone(), keys: KeySort::new(items)? })
    }

    /// The flag that tells whether the run is to end.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Writes the items, the item with the largest number first. `spare` is overwritten. Returns false if the run has
    /// been stopped meanwhile.
    pub(super) fn fill<V: Value>(&mut self, values: &[V], spare: &mut [u32], order: &mut [u32]) -> bool {
        for (item, place) in (0..).zip(order.iter_mut()) {
            *place = item;
        }
        if values.len() > PART {
            let compare = |i: u32, j: u32| values[j as usize].order(values[i as usize]);
            return sort_long::<V>(order, spare, &self.cancel, compare);
        }
        self.keys.set_keys(values.iter().map(|value| !value.key()));
        self.keys.sort(order);
        true
    }
}

/// Sorts the items of a row into blocks of equal numbers; memory for one thread.
pub(super) struct BlockSort {
    cancel: Cancel,
    keys: KeySort,
    counts: Vec<u32>,
}

impl BlockSort {
    /// For rows of `items` items.
    pub(super) fn new(items: usize, cancel: &Cancel) -> Result<Self, Error> {
        let mut counts = Vec::new();
        // Longer rows are sorted in place.
        memory::reserve(&mut counts, if items <= PART { items * SPAN as usize + 1 } else { 0 })?;
        Ok(Self { cancel: cancel.clone(), keys: KeySort::new(items)?, counts })
    }

    /// Writes the items in the order of their numbers. Items with equal numbers are in the order of their item numbers;
    /// items without a position come last. Also writes, for each item, the first position of its block. Returns the
    /// number of items with a position, and whether two items share a position. `None` if the run is stopped.
    pub(super) fn fill<V: Value>(
        &mut self,
        descending: bool,
        has_place: impl Fn(V) -> bool + Copy,
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
    fn count<V: Value>(
        &mut self,
        descending: bool,
        has_place: impl Fn(V) -> bool + Copy,
        values: &[V],
        order: &mut [u32],
    ) -> bool {
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
        // First the number of items with each value; then the first position of each value, which moves up as items are
        // written.
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

    fn sort_keys<V: Value>(
        &mut self,
        descending: bool,
        has_place: impl Fn(V) -> bool + Copy,
        values: &[V],
        order: &mut [u32],
    ) {
        let flip = if descending { u64::MAX } else { 0 };
        self.keys.set_keys(values.iter().map(|value| value.key() ^ flip));
        let mut known = 0;
        for (item, &value) in (0..).zip(values) {
            order[known] = item;
            known += usize::from(has_place(value));
        }
        self.keys.sort(&mut order[..known]);
        let missing = (0..).zip(values).filter(|&(_, &value)| !has_place(value)).map(|(item, _)| item);
        for (place, item) in order[known..].iter_mut().zip(missing) {
            *place = item;
        }
    }

    fn sort_in_place<V: Value>(
        &self,
        descending: bool,
        has_place: impl Fn(V) -> bool + Copy,
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

/// Sorts the items of a row of more than `PART` items. `f64` has a compiled sort of its own. The sorts of the other
/// types would be 160 kB of machine code, so these types share one sort. It takes up to a quarter longer, measured with
/// a row of a million items.
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

/// Sorts `places`. `spare` has the same length and is overwritten. Returns false if the run has been stopped meanwhile.
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
    fn keys_are_sorted_exactly() {
        for items in [0_u32, 1, 2, 3, 64, 65, 1000, 1999, 2000, 5000] {
            let spread = |item: u32| u64::from(item).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            // Keys that differ in all bits; few values; close keys with one far away; one value; keys that differ in
            // the highest bits only; keys that differ in the lowest bits only.
            let kinds: [&dyn Fn(u32) -> u64; 6] = [
                &spread,
                &|item| (spread(item) % 7) << 40,
                &|item| if item == 5 { u64::MAX } else { spread(item) >> 55 },
                &|_| u64::MAX,
                &|item| spread(item) & (7 << 61),
                &|item| (1 << 62) + spread(item) % 3,
            ];
            for (kind, key) in kinds.iter().enumerate() {
                let mut sort = KeySort::new(items as usize).unwrap();
                sort.set_keys((0..items).map(key));
                let mut order: Vec<u32> = (0..items).filter(|item| item % 5 < 4).collect();
                let mut expected = order.clone();
                expected.sort_by_key(|&item| key(item));
                sort.sort(&mut order);
                assert_eq!(order, expected, "{items} items, kind {kind}");
            }
        }
    }

    #[test]
    fn parts_are_merged_into_what_sorting_at_once_gives() {
        for count in (0..70).chain([1000]) {
            // Many keys are equal; the number of the item then decides.
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
