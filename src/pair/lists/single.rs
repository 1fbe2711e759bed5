//! Kernels of order 1 of two lists: sums over single items.
//!
//! The term of an item depends on its block in each list. For position weights, it is the product of two block means.
//! For the average weight, see [`later_term`].

use super::{ListSums, ListWorkspace, Listed};
use crate::weight::kinds::PairWeight;
use crate::weight::own::sum;

/// The sum for two lists without a common item. `rest` is the number of items in neither list.
pub(super) fn disjoint(sums: &ListSums<'_>, s: &mut Listed<'_>, t: &mut Listed<'_>, rest: usize) -> f64 {
    let both = against_tail(sums, s, t) + against_tail(sums, t, s);
    both + rest as f64 * of_tails(sums, s, t)
}

/// The sum over all items of the list `own`, if none of them is in `other`. It depends only on the length of `other`,
/// so it is kept for the next list of this length.
fn against_tail(sums: &ListSums<'_>, own: &mut Listed<'_>, other: &Listed<'_>) -> f64 {
    let length = other.list.len();
    if let Some((known, sum)) = own.alone
        && known == length
    {
        return sum;
    }
    let sum = alone(sums, own, other, |_| 0);
    own.alone = Some((length, sum));
    sum
}

/// The sum for two lists whose common items are in `memory.starts`.
pub(super) fn of_common(sums: &ListSums<'_>, s: &Listed<'_>, t: &Listed<'_>, memory: &mut ListWorkspace) -> f64 {
    let ListWorkspace { starts: [of_s, of_t], counts, .. } = memory;
    let common = sum(of_s.iter().zip(&*of_t).map(|(&in_s, &in_t)| term(sums, (s, in_s), (t, in_t))));
    let [only_s, only_t] = [(s, t, &*of_s), (t, s, &*of_t)].map(|(own, other, starts)| {
        for &start in starts {
            counts[start as usize] += 1;
        }
        alone(sums, own, other, |start| std::mem::take(&mut counts[start]))
    });
    let rest = sums.items + of_s.len() - s.list.len() - t.list.len();
    common + (only_s + only_t) + rest as f64 * of_tails(sums, s, t)
}

/// The sum over the items that are only in the list `own`. `common` returns the number of common items of a block, and
/// resets it.
fn alone(sums: &ListSums<'_>, own: &Listed<'_>, other: &Listed<'_>, mut common: impl FnMut(usize) -> u32) -> f64 {
    let tail = other.list.len() as u32;
    let blocks = own.sizes.iter().enumerate().filter(|&(_, &size)| size > 0);
    sum(blocks.map(|(start, &size)| {
        let count = size - common(start);
        if count > 0 { f64::from(count) * term(sums, (own, start as u32), (other, tail)) } else { 0.0 }
    }))
}

/// The term of an item in neither list.
fn of_tails(sums: &ListSums<'_>, s: &Listed<'_>, t: &Listed<'_>) -> f64 {
    term(sums, (s, s.list.len() as u32), (t, t.list.len() as u32))
}

/// The mean weight of an item, given its blocks in both lists by their first ranks.
fn term(sums: &ListSums<'_>, s: (&Listed<'_>, u32), t: (&Listed<'_>, u32)) -> f64 {
    match sums.weight {
        PairWeight::Count { top: None } => 1.0,
        PairWeight::Count { top: Some(_) } | PairWeight::Products(_) | PairWeight::Sums(_) => {
            let [in_s, in_t] = [s, t].map(|(listed, start)| listed.means.of_block[start as usize]);
            in_s * in_t
        }
        PairWeight::Average => {
            let [in_s, in_t] = [s, t].map(|(listed, start)| {
                let start = start as usize;
                let tail = sums.items - listed.list.len();
                (start as f64, listed.sizes.get(start).map_or(tail as f64, |&size| f64::from(size)))
            });
            later_term(sums.items as f64, in_s, in_t)
        }
    }
}

/// The mean of `(n - max(b, d)) / n`. Here b and d are independent ranks, from 0, each in a block that is given by its
/// first rank and its size. The mean is a sum over k from 1 to n, divided by n: each k adds the probability that both
/// ranks are below k.
fn later_term(items: f64, s: (f64, f64), t: (f64, f64)) -> f64 {
    if s.1 == 0.0 || t.1 == 0.0 {
        return 0.0;
    }
    // `s` is the block that ends first, and `t` is the other block.
    let (s, t) = if s.0 + s.1 <= t.0 + t.1 { (s, t) } else { (t, s) };
    let (from, shift, end, last) = (s.0.max(t.0), (s.0 - t.0).abs(), s.0 + s.1, t.0 + t.1);
    // k goes through the ranks in both blocks, then through the rest of `t`, then through the ranks after both.
    let inside = (end - from).max(0.0);
    let squares = inside * (inside + 1.0) * (2.0 * inside + 1.0) / 6.0 + shift * inside * (inside + 1.0) / 2.0;
    let middle = end.max(from);
    let linear = (last - middle) * ((middle + 1.0 - t.0) + (last - t.0)) / 2.0;
    (squares / (s.1 * t.1) + linear / t.1 + (items - last)) / items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_term_of_two_blocks_is_a_mean() {
        let items = 9;
        for (s, p) in (0..items).flat_map(|start| (1..=items - start).map(move |size| (start, size))) {
            for (t, q) in (0..items).flat_map(|start| (1..=items - start).map(move |size| (start, size))) {
                let ranks = (s..s + p).flat_map(|b| (t..t + q).map(move |d| (items - b.max(d)) as f64));
                let mean = ranks.sum::<f64>() / (p * q * items) as f64;
                let found = later_term(items as f64, (s as f64, p as f64), (t as f64, q as f64));
                assert!((found - mean).abs() < 1e-14, "{s} {p} {t} {q}: {found} {mean}");
            }
        }
    }
}
