//! Weights that are products or sums of position weights, for two lists. `ADD` means sums.

use super::many::{self, ListTerm};
use super::{FEW, ListSums, ListWorkspace, Listed};

/// The term of two items of different blocks.
fn join<const ADD: bool>(one: f64, other: f64) -> f64 {
    if ADD { one + other } else { one * other }
}

/// The term of an item of a block with an unlisted item.
pub(super) fn with_tail<const ADD: bool>(listed: &Listed<'_>, start: u32) -> f64 {
    let means = &listed.means.of_block;
    join::<ADD>(means[start as usize], means[listed.list.len()])
}

/// The term of an ordered pair of unlisted items.
fn tied_tail(listed: &Listed<'_>) -> f64 {
    listed.means.of_tied[listed.list.len()]
}

/// Sums over the items that are in only one of two lists.
#[derive(Default)]
struct Alone {
    /// The sum over the pairs with an item in both lists.
    with_both: f64,
    /// The sum of the terms of these items with an unlisted item of their list.
    to_tail: f64,
    /// The sum of the terms of all ordered pairs of these items in their list.
    within: f64,
}

/// Computes the sums that depend only on the list.
pub(super) fn find_totals<const ADD: bool>(listed: &mut Listed<'_>) {
    let all = pass::<ADD, false>(listed, |_| (0.0, 0.0));
    (listed.to_tail, listed.within) = (all.to_tail, all.within);
}

/// The sum for two lists without a common item. `rest` is the number of items in neither list.
pub(super) fn disjoint(signed: bool, s: &Listed<'_>, t: &Listed<'_>, rest: usize) -> f64 {
    if signed {
        return -(s.to_tail * t.to_tail);
    }
    let rest = rest as f64;
    let (in_s, in_t) = (tied_tail(s), tied_tail(t));
    let tied_once = in_t * (s.within + rest * s.to_tail) + in_s * (t.within + rest * t.to_tail);
    tied_once + rest * (rest - 1.0) * (in_s * in_t)
}

/// The sum for two lists whose common items are in `memory.starts`.
pub(super) fn of_common<const ADD: bool>(
    sums: &ListSums<'_>,
    s: &Listed<'_>,
    t: &Listed<'_>,
    memory: &mut ListWorkspace,
) -> f64 {
    let signed = sums.signed;
    let within = within::<ADD>(signed, s, t, memory);
    let only_s = alone::<ADD>(signed, s, t, false, memory);
    let only_t = alone::<ADD>(signed, t, s, true, memory);
    let [of_s, of_t] = &memory.starts;
    let rest = (sums.items + of_s.len() - s.list.len() - t.list.len()) as f64;
    let items = of_s.iter().zip(of_t);
    let to_tails: f64 = items.map(|(&in_s, &in_t)| with_tail::<ADD>(s, in_s) * with_tail::<ADD>(t, in_t)).sum();
    let sum = within + (only_s.with_both + only_t.with_both) + rest * to_tails;
    if signed {
        return sum - only_s.to_tail * only_t.to_tail;
    }
    let (in_s, in_t) = (tied_tail(s), tied_tail(t));
    let tied_once = in_t * (only_s.within + rest * only_s.to_tail) + in_s * (only_t.within + rest * only_t.to_tail);
    sum + tied_once + rest * (rest - 1.0) * (in_s * in_t)
}

/// The sums over the items that are only in the list `own`. `second` tells whether it is the second list in memory.
fn alone<const ADD: bool>(
    signed: bool,
    own: &Listed<'_>,
    other: &Listed<'_>,
    second: bool,
    memory: &mut ListWorkspace,
) -> Alone {
    let ListWorkspace { starts: [first, last], counts, gains, .. } = memory;
    let (of_own, of_other) = if second { (&*last, &*first) } else { (&*first, &*last) };
    if of_own.len() == own.list.len() {
        return Alone::default();
    }
    for (&start, &of_other) in of_own.iter().zip(of_other) {
        counts[start as usize] += 1;
        gains[start as usize] += with_tail::<ADD>(other, of_other);
    }
    let both = |start: usize| (f64::from(std::mem::take(&mut counts[start])), std::mem::take(&mut gains[start]));
    if signed { pass::<ADD, true>(own, both) } else { pass::<ADD, false>(own, both) }
}

/// One pass over the blocks of a list. For a block, `both` returns the number of common items, and the sum of the terms
/// of these items with the unlisted items in the other list.
fn pass<const ADD: bool, const SIGNED: bool>(own: &Listed<'_>, mut both: impl FnMut(usize) -> (f64, f64)) -> Alone {
    let length = own.list.len();
    let (of_block, of_tied) = (&own.means.of_block[..=length], &own.means.of_tied[..=length]);
    let tail = of_block[length];
    let mut alone = Alone::default();
    // So far: the number and the sum of the items that are only in this list; and for the items in both lists, the sum
    // of their terms, plain and multiplied by the means.
    let (mut number, mut sum, mut gained, mut gained_means) = (0.0, 0.0, 0.0, 0.0);
    let mut start = 0;
    while start < length {
        let size = own.sizes[start];
        let (mean, tied) = (of_block[start], of_tied[start]);
        let (common, gain) = both(start);
        let count = f64::from(size) - common;
        let after = if ADD { gained_means + mean * gained } else { mean * gained_means };
        let before = if ADD { sum + mean * number } else { mean * sum };
        if SIGNED {
            alone.with_both += count * after - gain * before;
        } else {
            alone.with_both += count * (after + tied * gain);
            alone.within += count * (before + (count - 1.0) * tied);
        }
        alone.to_tail += count * join::<ADD>(mean, tail);
        number += count;
        sum += count * mean;
        gained += gain;
        gained_means += gain * mean;
        start += size as usize;
    }
    alone
}

/// The sum over the pairs of the common items.
fn within<const ADD: bool>(signed: bool, s: &Listed<'_>, t: &Listed<'_>, memory: &mut ListWorkspace) -> f64 {
    let ListWorkspace { starts: [of_s, of_t], numbers: [p, q, ..], .. } = memory;
    p.clear();
    q.clear();
    for (&in_s, &in_t) in of_s.iter().zip(&*of_t) {
        let (in_s, in_t) = (s.means.of_block[in_s as usize], t.means.of_block[in_t as usize]);
        p.push(if ADD { in_s } else { in_s * in_t });
        q.push(in_t);
    }
    if of_s.len() > FEW {
        return many_within::<ADD>(signed, s, t, memory);
    }
    let mut sum = 0.0;
    for j in 0..of_s.len() {
        let starts = (&of_s[..=j], &of_t[..=j]);
        let (of_item, tied_somewhere) = if signed {
            with_earlier::<ADD, true>(starts, &p[..=j], &q[..=j])
        } else {
            with_earlier::<ADD, false>(starts, &p[..=j], &q[..=j])
        };
        sum += if ADD { of_item } else { p[j] * of_item };
        if tied_somewhere && !signed {
            let tied_with = (0..j).filter(|&i| of_s[i] == of_s[j] || of_t[i] == of_t[j]);
            sum += tied_with.map(|i| tied::<ADD>((s, of_s[i], of_s[j]), (t, of_t[i], of_t[j]))).sum::<f64>();
        }
    }
    sum
}

/// The sum over the pairs of the last item with each earlier item that are tied in neither list. Products come without
/// the number of the last item. The second result tells whether there are other pairs. There are no branches here,
/// because the order of a pair is unpredictable.
fn with_earlier<const ADD: bool, const SIGNED: bool>(
    (of_s, of_t): (&[u32], &[u32]),
    p: &[f64],
    q: &[f64],
) -> (f64, bool) {
    let (Some((&in_s, of_s)), Some((&in_t, of_t))) = (of_s.split_last(), of_t.split_last()) else {
        return (0.0, false);
    };
    let last = of_s.len();
    let (own_p, own_q, p, q) = (p[last], q[last], &p[..last], &q[..last]);
    let sign = |one: u32, other: u32| i32::from(one < other) - i32::from(one > other);
    let (mut sum, mut tied) = (0.0, false);
    for (i, (&other_s, &other_t)) in of_s.iter().zip(of_t).enumerate() {
        let signs = sign(other_s, in_s) * sign(other_t, in_t);
        // This is arithmetic, because compilers would turn a comparison into a branch.
        let count = if SIGNED { signs } else { (signs * signs + signs) >> 1 };
        let term = if ADD { (p[i] + own_p) * (q[i] + own_q) } else { p[i] };
        sum += f64::from(count) * term;
        tied |= signs == 0;
    }
    (sum, tied)
}

/// The sum of the terms of both orders of a pair that is tied in at least one list, given the two lists and the blocks
/// of the two items in them.
fn tied<const ADD: bool>((s, a, b): (&Listed<'_>, u32, u32), (t, c, d): (&Listed<'_>, u32, u32)) -> f64 {
    let split = |listed: &Listed<'_>, one: u32, other: u32| {
        join::<ADD>(listed.means.of_block[one as usize], listed.means.of_block[other as usize])
    };
    let tied = |listed: &Listed<'_>, start: u32| listed.means.of_tied[start as usize];
    match (a == b, c == d) {
        (true, true) => 2.0 * (tied(s, a) * tied(t, c)),
        (true, false) => tied(s, a) * split(t, c, d),
        (false, _) => split(s, a, b) * tied(t, c),
    }
}

/// The same as [`within`], for many common items.
fn many_within<const ADD: bool>(signed: bool, s: &Listed<'_>, t: &Listed<'_>, memory: &mut ListWorkspace) -> f64 {
    let term = if ADD { ListTerm::Sums } else { ListTerm::Products };
    let concordant = many::split(term, false, memory);
    if signed {
        return concordant - many::split(term, true, memory);
    }
    let (in_s, in_both) = many::tied::<ADD>(&s.means, &t.means, false, memory);
    concordant + in_s + many::tied::<ADD>(&t.means, &s.means, true, memory).0 + in_both
}
