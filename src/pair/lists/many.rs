//! The pairs of common items of two lists, if there are many common items. They are computed as for rankings with ties,
//! with only these items.

use super::ListWorkspace;
use crate::error::Error;
use crate::memory;
use crate::pair::concordant_of;
use crate::weight::means::Means;
use crate::weight::pair::Terms;

/// The items in order of their blocks.
#[derive(Default)]
pub(super) struct Sorted {
    /// The items by position in the first list. Tied items are in the reverse order of the second list.
    of_first: Vec<u32>,
    /// The items by position in the second list. Tied items are in the reverse order of the first list.
    of_second: Vec<u32>,
    /// The position of each item in the second list.
    places: Vec<u32>,
    /// Numbers of the items, by position in the second list.
    p: Vec<f64>,
    q: Vec<f64>,
}

impl Sorted {
    /// Makes room for `items` items.
    pub(super) fn fit(&mut self, items: usize) -> Result<(), Error> {
        let Self { of_first, of_second, places, p, q } = self;
        [of_first, of_second, places].into_iter().try_for_each(|list| memory::reserve(list, items))?;
        [p, q].into_iter().try_for_each(|list| memory::reserve(list, items))
    }

    /// Sorts the items. `turned` tells whether the second list is reversed.
    fn sort(&mut self, of_first: &[u32], of_second: &[u32], turned: bool) {
        let count = of_first.len() as u32;
        let second = |item: u32| if turned { !of_second[item as usize] } else { of_second[item as usize] };
        let first = |item: u32| of_first[item as usize];
        self.of_first.clear();
        self.of_first.extend(0..count);
        self.of_first.sort_unstable_by_key(|&item| (first(item), !second(item), item));
        self.of_second.clear();
        self.of_second.extend(0..count);
        self.of_second.sort_unstable_by_key(|&item| (second(item), !first(item), !item));
        self.places.resize(count as usize, 0);
        for (place, &item) in (0..).zip(&self.of_second) {
            self.places[item as usize] = place;
        }
    }
}

/// The term of a pair that is tied in neither list. It is computed from the numbers of the items in memory.
#[derive(Clone, Copy)]
pub(super) enum ListTerm {
    Ones,
    Products,
    Sums,
    Later,
}

/// The sum over the pairs that are tied in neither list and in the same order in both. With `turned`, the sum over the
/// pairs in opposite orders. Afterwards, the items are sorted.
pub(super) fn split(term: ListTerm, turned: bool, memory: &mut ListWorkspace) -> f64 {
    let ListWorkspace { workspace, starts: [of_first, of_second], numbers: [first, second, ..], sorted, .. } = memory;
    sorted.sort(of_first, of_second, turned);
    if workspace.is_stopped() {
        return 0.0;
    }
    workspace.shorten(of_first.len());
    for (value, &item) in workspace.values.iter_mut().zip(&sorted.of_first) {
        *value = sorted.places[item as usize];
    }
    let Sorted { of_second, p, q, .. } = sorted;
    let by_place = |from: &[f64], to: &mut Vec<f64>| {
        to.clear();
        to.extend(of_second.iter().map(|&item| from[item as usize]));
    };
    let terms = match term {
        ListTerm::Ones => Terms::Ones,
        ListTerm::Products => {
            by_place(first, p);
            Terms::Products(p)
        }
        ListTerm::Later => {
            by_place(first, p);
            Terms::Later(p)
        }
        ListTerm::Sums => {
            by_place(first, p);
            by_place(second, q);
            Terms::Sums { p, q }
        }
    };
    concordant_of(terms, workspace)
}

/// Goes through the items of a list, the second list if `second`. The items come in the order of the blocks of this
/// list, and within a block in the reverse order of the other list. Calls `visit` with four arguments: the item, its
/// blocks in this list and in the other, whether the previous item is in the same block of this list, and whether it is
/// also in the same block of the other list.
fn each_sorted(second: bool, memory: &ListWorkspace, mut visit: impl FnMut(usize, [u32; 2], bool, bool)) {
    let ListWorkspace { starts: [of_first, of_second], sorted, .. } = memory;
    let (order, own, other) =
        if second { (&sorted.of_second, of_second, of_first) } else { (&sorted.of_first, of_first, of_second) };
    let mut before = [u32::MAX; 2];
    for &item in order {
        let item = item as usize;
        let blocks = [own[item], other[item]];
        visit(item, blocks, blocks[0] == before[0], blocks == before);
        before = blocks;
    }
}

/// The number of pairs that are tied in one list (the second list if `second`), and the number of pairs that are tied
/// in both. The items must be sorted.
pub(super) fn tied_pairs(second: bool, memory: &ListWorkspace) -> (u64, u64) {
    let (mut in_own, mut in_both) = (0, 0);
    let (mut of_block, mut of_cell) = (0, 0);
    each_sorted(second, memory, |_, _, same_block, same_cell| {
        of_block = if same_block { of_block + 1 } else { 0 };
        of_cell = if same_cell { of_cell + 1 } else { 0 };
        in_own += of_block;
        in_both += of_cell;
    });
    (in_own, in_both)
}

/// Two sums: over the pairs that are tied in one list (the second list if `second`) and not in the other, and over the
/// pairs that are tied in both. The items must be sorted.
pub(super) fn tied<const ADD: bool>(own: &Means, other: &Means, second: bool, memory: &ListWorkspace) -> (f64, f64) {
    let (mut in_own, mut in_both) = (0.0, 0.0);
    // The sum and the number of the items of the block so far; the same for the items before the cell; and the number
    // of items of the cell so far.
    let (mut sum, mut number, mut before, mut number_before, mut of_cell) = (0.0, 0.0, 0.0, 0.0, 0.0);
    each_sorted(second, memory, |_, [start, of_other], same_block, same_cell| {
        if !same_block {
            (sum, number) = (0.0, 0.0);
        }
        (before, number_before) = if same_cell { (before, number_before) } else { (sum, number) };
        of_cell = if same_cell { of_cell + 1.0 } else { 0.0 };
        let value = other.of_block[of_other as usize];
        let tied = own.of_tied[start as usize];
        in_own += tied * if ADD { before + number_before * value } else { before * value };
        in_both += 2.0 * of_cell * (tied * other.of_tied[of_other as usize]);
        sum += value;
        number += 1.0;
    });
    (in_own, in_both)
}

/// The same two sums for the average weight. `in_one` is the term of an item that is tied with an earlier item only in
/// this list. `in_both` is the term if the two items are tied in both lists.
pub(super) fn tied_later(in_one: &[f64], in_both: &[f64], second: bool, memory: &ListWorkspace) -> (f64, f64) {
    let (mut of_one, mut of_both) = (0.0, 0.0);
    let (mut sum, mut before, mut of_cell) = (0.0, 0.0, 0.0);
    each_sorted(second, memory, |item, _, same_block, same_cell| {
        sum = if same_block { sum } else { 0.0 };
        before = if same_cell { before } else { sum };
        of_cell = if same_cell { of_cell + 1.0 } else { 0.0 };
        of_one += before;
        of_both += 2.0 * of_cell * in_both[item];
        sum += in_one[item];
    });
    (of_one, of_both)
}
