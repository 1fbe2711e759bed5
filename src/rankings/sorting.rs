//! Sorting that can be stopped: long lists are sorted in parts, which are merged.

use std::cmp::Ordering;

use crate::parallel::Stop;

/// Lists up to this long are sorted at once, in some 20 milliseconds.
const PART: usize = 1 << 18;

/// Sorts `places`; `spare` is as long and loses its contents. False if the run ended meanwhile.
pub(crate) fn sort(places: &mut [u32], spare: &mut [u32], stop: &Stop, compare: impl Fn(u32, u32) -> Ordering) -> bool {
    sort_by_parts(PART, places, spare, stop, compare)
}

fn sort_by_parts(
    part: usize,
    places: &mut [u32],
    spare: &mut [u32],
    stop: &Stop,
    compare: impl Fn(u32, u32) -> Ordering,
) -> bool {
    if places.len() <= part {
        places.sort_unstable_by(|&i, &j| compare(i, j));
        return true;
    }
    for places in places.chunks_mut(part) {
        if stop.is_set() {
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
            if !merge(part, one, other, to, stop, &compare) {
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

/// Merges two sorted lists, and looks before every so many whether the run goes on.
fn merge(
    look_every: usize,
    one: &[u32],
    other: &[u32],
    to: &mut [u32],
    stop: &Stop,
    compare: impl Fn(u32, u32) -> Ordering,
) -> bool {
    let (mut one, mut other) = (one, other);
    for part in to.chunks_mut(look_every) {
        if stop.is_set() {
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
            // Many are equal; the number of the item decides then.
            let keys: Vec<u32> = (0..count).map(|i| i * i * 31 % 17).collect();
            let compare = |i: u32, j: u32| keys[i as usize].cmp(&keys[j as usize]).then(i.cmp(&j));
            let mut expected: Vec<u32> = (0..count).collect();
            expected.sort_unstable_by(|&i, &j| compare(i, j));
            for part in [1, 2, 3, 8, 64, 2000] {
                let mut places: Vec<u32> = (0..count).collect();
                let mut spare = vec![7; count as usize];
                assert!(sort_by_parts(part, &mut places, &mut spare, &Stop::default(), compare));
                assert_eq!(places, expected, "{count} in parts of {part}");
            }
        }
    }
}
