//! The average weight of two lists: the term of a concordant pair depends on the blocks of its later item.

use super::many::{self, ListTerm};
use super::{FEW, ListSums, ListWorkspace, Listed};
use crate::error::Error;
use crate::memory;
use crate::pair::tops::top_block;
use crate::simd::tops::{Four, TopBlock, of_blocks};

/// If a row has pairs of at least this many items, there is a check for a stop before it.
const LONG: usize = 1 << 12;

/// The terms of the blocks of a list with the last block of another list. They depend only on the length of the other
/// list.
#[derive(Default)]
pub(super) struct AgainstTail {
    /// The blocks of the list, each stored at its first rank. The last block is stored at the length of the list.
    pub(super) own: Vec<TopBlock>,
    /// The length of the other list.
    length: Option<usize>,
    /// For each block, at its first rank: four terms of the pairs whose later item is in this block and in the last
    /// block of the other list. The terms are for pairs that are tied in neither list, in this list, in the other list,
    /// and in both.
    blocks: Vec<Four>,
    /// The sum over the pairs of items of the list. All of these pairs are tied in the other list.
    within: f64,
    /// The terms of the last blocks of both lists.
    tails: Four,
}

/// Finds the blocks of a list.
pub(super) fn find_blocks(items: usize, listed: &mut Listed<'_>) -> Result<(), Error> {
    let (length, own) = (listed.list.len(), &mut listed.against_tail.own);
    memory::resize(own, length + 1, [0.0; 4])?;
    for (start, &size) in listed.sizes.iter().enumerate().filter(|&(_, &size)| size > 0) {
        own[start] = top_block(&(start..start + size as usize));
    }
    own[length] = top_block(&(length..items));
    Ok(())
}

fn block_of(listed: &Listed<'_>, start: u32) -> TopBlock {
    listed.against_tail.own[start as usize]
}

/// Computes the terms of a list with the last block of lists of this length.
fn meet(items: usize, own: &mut Listed<'_>, length: usize) -> Result<(), Error> {
    if own.against_tail.length == Some(length) || items == 0 {
        return Ok(());
    }
    let tail = top_block(&(length..items));
    let AgainstTail { own: tops, length: known, blocks, within, tails } = &mut own.against_tail;
    memory::resize(blocks, own.list.len(), [0.0; 4])?;
    *within = 0.0;
    for (start, &size) in own.sizes.iter().enumerate().filter(|&(_, &size)| size > 0) {
        let found = of_blocks(items as f64, tops[start], tail);
        *within += f64::from(size) * (start as f64 * found[2] + (f64::from(size) - 1.0) * found[3]);
        blocks[start] = found;
    }
    *tails = of_blocks(items as f64, tops[own.list.len()], tail);
    *known = Some(length);
    Ok(())
}

fn meet_both(items: usize, s: &mut Listed<'_>, t: &mut Listed<'_>) -> Result<(), Error> {
    let (length, other_length) = (s.list.len(), t.list.len());
    meet(items, s, other_length)?;
    meet(items, t, length)
}

/// The sum for two lists without a common item. `rest` is the number of items in neither list.
pub(super) fn disjoint(sums: &ListSums<'_>, s: &mut Listed<'_>, t: &mut Listed<'_>, rest: usize) -> Result<f64, Error> {
    meet_both(sums.items, s, t)?;
    let (length, other_length) = (s.list.len() as f64, t.list.len() as f64);
    let [neither, ..] = s.against_tail.tails;
    let sum = if sums.signed {
        -(neither * (length * other_length))
    } else {
        let (of_s, of_t) = ((length, s.against_tail.within), (other_length, t.against_tail.within));
        tied_somewhere(s.against_tail.tails, of_s, of_t, rest as f64)
    };
    Ok(per_item(sum, sums.items))
}

fn per_item(sum: f64, items: usize) -> f64 {
    sum / items.max(1) as f64
}

/// The sum over the pairs of items that are tied in the last block of at least one list. `of_s` and `of_t` have, for
/// the items in only one of the lists, their number and the sum over their pairs.
fn tied_somewhere(tails: Four, of_s: (f64, f64), of_t: (f64, f64), rest: f64) -> f64 {
    let [_, in_s, in_t, in_both] = tails;
    // In s, the items that only s has come before the rest. In t, they are tied with the rest.
    (of_s.1 + of_t.1) + rest * (of_s.0 * in_t + of_t.0 * in_s) + rest * (rest - 1.0) * in_both
}

/// The sum for two lists whose common items are in `memory.starts`.
pub(super) fn of_common(
    sums: &ListSums<'_>,
    s: &mut Listed<'_>,
    t: &mut Listed<'_>,
    memory: &mut ListWorkspace,
) -> Result<f64, Error> {
    meet_both(sums.items, s, t)?;
    let both = memory.starts[0].len();
    let within = match (sums.signed, both > FEW) {
        (true, _) => signed_within(sums.items, s, t, memory),
        (false, false) => {
            find_numbers(sums.items, s, t, memory);
            concordant_within(memory)
        }
        (false, true) => {
            find_numbers(sums.items, s, t, memory);
            many_within(memory)
        }
    };
    let only_s = pass(sums.signed, s, false, memory);
    let only_t = pass(sums.signed, t, true, memory);
    let both = both as f64;
    let (alone_s, alone_t) = (s.list.len() as f64 - both, t.list.len() as f64 - both);
    let rest = sums.items as f64 - both - alone_s - alone_t;
    let tails = s.against_tail.tails;
    let sum = within + (only_s.with_both + only_t.with_both) + tails[0] * (both * rest);
    let others = if sums.signed {
        -(tails[0] * (alone_s * alone_t))
    } else {
        tied_somewhere(tails, (alone_s, only_s.within), (alone_t, only_t.within), rest)
    };
    Ok(per_item(sum + others, sums.items))
}

/// Sums over the items that are in only one of two lists.
struct AverageAlone {
    /// The sum over the pairs with an item in both lists.
    with_both: f64,
    /// The sum over the pairs of these items. All of these pairs are tied in the other list.
    within: f64,
}

/// One pass over the blocks of a list. `second` tells whether it is the second list in memory.
fn pass(signed: bool, own: &Listed<'_>, second: bool, memory: &mut ListWorkspace) -> AverageAlone {
    let ListWorkspace { starts, counts, .. } = memory;
    let mut alone = AverageAlone { with_both: 0.0, within: 0.0 };
    let of_own = &starts[usize::from(second)];
    if of_own.len() == own.list.len() {
        return alone;
    }
    for &start in of_own {
        counts[start as usize] += 1;
    }
    let (mut passed, mut passed_both) = (0.0, 0.0);
    let mut start = 0;
    while start < own.list.len() {
        let size = own.sizes[start];
        let both = f64::from(std::mem::take(&mut counts[start]));
        let count = f64::from(size) - both;
        let [neither, in_own, in_other, in_both] = own.against_tail.blocks[start];
        if signed {
            alone.with_both += neither * (count * passed_both - both * passed);
        } else {
            alone.with_both += count * (neither * passed_both + in_own * both);
            alone.within += count * (in_other * passed + in_both * (count - 1.0));
        }
        passed += count;
        passed_both += both;
        start += size as usize;
    }
    alone
}

/// Computes four terms of each common item as the later item of a pair: for pairs that are tied in neither list, in the
/// first, in the second, and in both.
fn find_numbers(items: usize, s: &Listed<'_>, t: &Listed<'_>, memory: &mut ListWorkspace) {
    let ListWorkspace { starts: [of_s, of_t], numbers, .. } = memory;
    numbers.iter_mut().for_each(Vec::clear);
    for (&in_s, &in_t) in of_s.iter().zip(&*of_t) {
        let found = of_blocks(items as f64, block_of(s, in_s), block_of(t, in_t));
        for (list, number) in numbers.iter_mut().zip(found) {
            list.push(number);
        }
    }
}

/// The sum over the pairs of the common items.
fn concordant_within(memory: &ListWorkspace) -> f64 {
    let ListWorkspace { starts: [of_s, of_t], numbers: [neither, in_s, in_t, in_both], .. } = memory;
    let mut sum = 0.0;
    for j in 0..of_s.len() {
        for i in 0..j {
            let (tied_in_s, tied_in_t) = (of_s[i] == of_s[j], of_t[i] == of_t[j]);
            let (later_in_s, later_in_t) = (of_s[i] < of_s[j], of_t[i] < of_t[j]);
            sum += match (tied_in_s, tied_in_t) {
                (true, true) => 2.0 * in_both[j],
                (true, false) => in_s[if later_in_t { j } else { i }],
                (false, true) => in_t[if later_in_s { j } else { i }],
                (false, false) if later_in_s == later_in_t => neither[if later_in_s { j } else { i }],
                (false, false) => 0.0,
            };
        }
    }
    sum
}

/// The same sum for many items.
fn many_within(memory: &mut ListWorkspace) -> f64 {
    let concordant = many::split(ListTerm::Later, false, memory);
    let [_, in_s, in_t, in_both] = &memory.numbers;
    let (tied_in_s, tied_in_both) = many::tied_later(in_s, in_both, false, memory);
    concordant + tied_in_s + many::tied_later(in_t, in_both, true, memory).0 + tied_in_both
}

/// The signed sum over the pairs of the common items. Pairs are added one by one, because the later item of a
/// discordant pair is not the same in both lists.
fn signed_within(items: usize, s: &Listed<'_>, t: &Listed<'_>, memory: &ListWorkspace) -> f64 {
    let ListWorkspace { starts: [of_s, of_t], workspace, .. } = memory;
    let mut sum = 0.0;
    for (j, (&in_s, &in_t)) in of_s.iter().zip(of_t).enumerate() {
        if j >= LONG && workspace.is_stopped() {
            break;
        }
        let mut of_item = 0.0;
        for (&other_s, &other_t) in of_s[..j].iter().zip(&of_t[..j]) {
            if other_s != in_s && other_t != in_t {
                let (later_s, later_t) = (in_s.max(other_s), in_t.max(other_t));
                let [term, ..] = of_blocks(items as f64, block_of(s, later_s), block_of(t, later_t));
                of_item += if (other_s < in_s) == (other_t < in_t) { term } else { -term };
            }
        }
        sum += of_item;
    }
    sum
}
