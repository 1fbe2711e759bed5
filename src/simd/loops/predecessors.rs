//! For each item, packs the items that are ranked before it as bits. Also computes sums over the items that come before
//! an item in both rankings.
#![allow(unsafe_code)]

use std::ops::Range;

use super::bits::{GROUP, add_to_counts, of_group, rows_for, split_rows};
use super::task;
use crate::simd::arch::{Arch, MAX_COUNTED, Ones, Words8};

task! {
    /// Writes, for each item of `items`, the word `n - rank`, and then the items that are ranked before it as bits.
    pub(crate) fn pack_predecessors(arch: A, ranks: &[[u16; 64]], items: Range<usize>, n: u64, out: &mut Vec<u64>) {
        for item in items {
            let pivot = ranks[item / 64][item % 64];
            out.push(n - u64::from(pivot));
            out.reserve(ranks.len());
            for (word, ranks) in out.spare_capacity_mut().iter_mut().zip(ranks) {
                word.write(A::Words8::below(arch, ranks, pivot));
            }
            // SAFETY: there was capacity for a word for each block of ranks, and these words were just written.
            unsafe { out.set_len(out.len() + ranks.len()) };
        }
    }
}

task! {
    /// Adds a sum over items to `sums[row][column]`. An item adds the number of its predecessors in both rankings,
    /// times (`n` minus the larger of its two ranks). The panels are as for
    /// [`count_differing`](super::bits::count_differing). They are made by [`pack_predecessors`], with `step` words for
    /// each item.
    pub(crate) fn sum_common(
        arch: A, items: usize, step: usize, upper: bool, rows: &[u64], columns: &[u64], sums: &mut [u64],
    ) {
        // With a constant number of words, the loops over the words of an item are unrolled.
        match step {
            2 => sum_by_step(arch, items, 2, upper, rows, columns, sums),
            3 => sum_by_step(arch, items, 3, upper, rows, columns, sums),
            4 => sum_by_step(arch, items, 4, upper, rows, columns, sums),
            _ => sum_by_step(arch, items, step, upper, rows, columns, sums),
        }
    }
}

/// The same as [`sum_common`]. It is inlined, so that `step` can be a constant.
#[inline(always)]
fn sum_by_step<A: Arch>(
    arch: A,
    items: usize,
    step: usize,
    upper: bool,
    rows: &[u64],
    columns: &[u64],
    sums: &mut [u64],
) {
    let length = items * step;
    if length == 0 {
        return;
    }
    assert!((2..=MAX_COUNTED).contains(&step));
    let width = columns.len() / length;
    for (group, panel) in columns.chunks_exact(length * GROUP).enumerate() {
        let panel = panel.as_chunks::<GROUP>().0.chunks_exact(step);
        let mut sums = of_group(group, width, sums);
        let rows = rows_for(upper, group, length, rows);
        let mut quads = rows.chunks_exact(length * 4);
        for quad in &mut quads {
            let [a, b, c, d] = split_rows::<1, 4>(quad, length).map(|row| row.as_flattened().chunks_exact(step));
            let mut totals = [A::Words8::zero(arch); 4];
            for (columns, ((a, b), (c, d))) in panel.clone().zip(a.zip(b).zip(c.zip(d))) {
                add_common(arch, [a, b, c, d], columns, &mut totals);
            }
            add_to_counts(arch, totals, &mut sums);
        }
        for row in quads.remainder().chunks_exact(length) {
            let mut totals = [A::Words8::zero(arch)];
            for (columns, row) in panel.clone().zip(row.chunks_exact(step)) {
                add_common(arch, [row], columns, &mut totals);
            }
            add_to_counts(arch, totals, &mut sums);
        }
    }
}

/// Adds the sum of one item for `R` rows and one group of columns. All of them have the same number of words, at least
/// two.
#[inline(always)]
fn add_common<A: Arch, const R: usize>(
    arch: A,
    rows: [&[u64]; R],
    columns: &[[u64; GROUP]],
    totals: &mut [A::Words8; R],
) {
    // The first word of bits is counted before the loop. If the counts began with 0, the compiler would not see that
    // they are small, and would multiply 64 bits.
    let mut counts = [Ones::<A::Words8>::zero(arch); R];
    let column = A::Words8::load(arch, &columns[1]);
    for (row, count) in rows.into_iter().zip(&mut counts) {
        *count = count.count(A::Words8::splat(arch, row[1]).and(column));
    }
    let others = &columns[2..];
    let mut of_rows = rows;
    for row in &mut of_rows {
        *row = &row[2..][..others.len()];
    }
    for (word, column) in others.iter().enumerate() {
        let column = A::Words8::load(arch, column);
        for (row, count) in of_rows.into_iter().zip(&mut counts) {
            *count = count.count(A::Words8::splat(arch, row[word]).and(column));
        }
    }
    let column = A::Words8::load(arch, &columns[0]);
    for ((row, count), total) in rows.into_iter().zip(counts).zip(totals) {
        // This is n - max(rank, rank') for the two rankings.
        let weight = A::Words8::splat(arch, row[0]).min(column);
        *total = total.add(count.sum().mul(weight));
    }
}
