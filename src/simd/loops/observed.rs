//! Columns of observations with missing values, as bits: the order of each pair of observations, whether it is decided,
//! that is, not tied, and whether both are present.

use std::ops::Range;

use super::bits::{GROUP, Stream, rows_for};
use super::task;
use crate::simd::arch::{Arch, Words8};

/// Planes of bits of a column: order, decided, present.
pub(crate) const PLANES: usize = 3;

task! {
    /// The pairs (i, j), i < j, for j in `later`: words of bits `ranks[i] < ranks[j]`, each followed by a mask of the
    /// pairs that differ and are present, and, for [`PLANES`] planes, by a mask of the pairs that are present. Ranks
    /// from `missing` on are missing observations; ranks are padded to whole blocks of 64.
    pub(crate) fn pack_observed<A>(
        ranks: &[[u16; 64]], later: Range<usize>, missing: u16, planes: usize, out: &mut Vec<u64>,
    ) {
        let (mut signs, mut decided, mut present) = (Stream::new(), Stream::new(), Stream::new());
        for j in later {
            let pivot = ranks[j / 64][j % 64];
            for (block, ranks) in ranks[..j.div_ceil(64)].iter().enumerate() {
                let count = (j - 64 * block).min(64);
                let here = if pivot < missing { A::Words8::below(ranks, missing) } else { 0 };
                let below = A::Words8::below(ranks, pivot);
                let above = !A::Words8::below(ranks, pivot + 1);
                signs.push(below, count, |word| out.push(word));
                decided.push((below | above) & here, count, |word| out.push(word));
                if planes == PLANES {
                    present.push(here, count, |word| out.push(word));
                }
            }
        }
        signs.finish(|word| out.push(word));
        decided.finish(|word| out.push(word));
        if planes == PLANES {
            present.finish(|word| out.push(word));
        }
    }
}

task! {
    /// Adds to the three counts of each row and column, wrapping around below 0: the pairs decided in both and in the
    /// same order minus those in opposite order; those decided in the row and present in the column; and the reverse.
    ///
    /// `rows` and `columns` are packed as for [`count_balance`](super::bits::count_balance), with three words for each.
    /// `counts` has three lines for each row, with an entry for each column of every group.
    pub(crate) fn count_observed<A>(words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]) {
        let length = words * PLANES;
        let width = columns.len() / length.max(1);
        for (group, panel) in columns.chunks_exact((length * GROUP).max(1)).enumerate() {
            let mut counts = counts.chunks_mut((PLANES * width).max(1));
            let rows = rows_for(upper, group, length, rows);
            let mut quads = rows.chunks_exact((length * 4).max(1));
            for quad in &mut quads {
                block::<A, 4>(length, width, group, quad, panel, &mut counts);
            }
            for row in quads.remainder().chunks_exact(length) {
                block::<A, 1>(length, width, group, row, panel, &mut counts);
            }
        }
    }
}

/// `R` rows against one group of columns, with all counts in registers.
///
/// # Safety
/// As for [`Words8`].
#[inline(always)]
unsafe fn block<'a, A: Arch, const R: usize>(
    length: usize,
    width: usize,
    group: usize,
    rows: &[u64],
    panel: &[u64],
    counts: &mut impl Iterator<Item = &'a mut [u64]>,
) {
    assert!(rows.len() == R * length && panel.len() == GROUP * length && length.is_multiple_of(PLANES));
    // SAFETY: `word + PLANES <= length`, so all reads are within `rows` and `panel`, whose lengths were just checked;
    // the caller keeps the promise of `Words8`.
    unsafe {
        let mut sums = [[A::Words8::zero(); PLANES]; R];
        for word in (0..length).step_by(PLANES) {
            let column = panel.as_ptr().add(word * GROUP);
            let order = A::Words8::load(column);
            let decided = A::Words8::load(column.add(GROUP));
            let present = A::Words8::load(column.add(2 * GROUP));
            for (row, [balance, of_row, of_column]) in sums.iter_mut().enumerate() {
                let row = rows.as_ptr().add(row * length + word);
                let own_order = A::Words8::splat(*row);
                let own = A::Words8::splat(*row.add(1));
                let both = own.and(decided);
                let differ = both.and(own_order.xor(order));
                *balance = balance.add(both.and_equal(own_order, order).count()).sub(differ.count());
                *of_row = of_row.add(own.and(present).count());
                *of_column = of_column.add(A::Words8::splat(*row.add(2)).and(decided).count());
            }
        }
        for (sums, counts) in sums.into_iter().zip(counts) {
            for (sum, counts) in sums.into_iter().zip(counts.chunks_exact_mut(width)) {
                let counts = &mut counts[group * GROUP..][..GROUP];
                A::Words8::load(counts.as_ptr()).add(sum).store(counts.as_mut_ptr());
            }
        }
    }
}
