//! Columns of observations with missing values, as bits. Each pair of observations has three bits: its order, whether
//! it is decided (not tied), and whether both observations are present.

use std::ops::Range;

use super::bits::{GROUP, Stream, rows_for, split_rows};
use super::task;
use crate::simd::arch::{Arch, MAX_COUNTED, Ones, Words8};

/// The number of planes of bits of a column: order, decided, present.
pub(crate) const PLANES: usize = 3;

task! {
    /// Packs the pairs (i, j) with i < j, for j in `later`. Each word has the bits `ranks[i] < ranks[j]`. After it
    /// comes a mask of the pairs that are present and differ. For [`PLANES`] planes, a mask of the pairs that are
    /// present follows. Ranks from `missing` on are missing observations. Ranks are padded to whole blocks of 64.
    pub(crate) fn pack_observed(
        arch: A, ranks: &[[u16; 64]], later: Range<usize>, missing: u16, planes: usize, out: &mut Vec<u64>,
    ) {
        let (mut signs, mut decided, mut present) = (Stream::new(), Stream::new(), Stream::new());
        for j in later {
            let pivot = ranks[j / 64][j % 64];
            for (block, ranks) in ranks[..j.div_ceil(64)].iter().enumerate() {
                let count = (j - 64 * block).min(64);
                let here = if pivot < missing { A::Words8::below(arch, ranks, missing) } else { 0 };
                let below = A::Words8::below(arch, ranks, pivot);
                let above = !A::Words8::below(arch, ranks, pivot + 1);
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
    /// Adds to the three counts of each row and column. The counts wrap around below 0. They are:
    ///
    /// 1. the pairs that are decided in both and in the same order, minus the pairs that are decided in both and in
    ///    opposite orders
    /// 2. the pairs that are decided in the row and present in the column
    /// 3. the pairs that are decided in the column and present in the row
    ///
    /// `rows` and `columns` are packed as for [`count_balance`](super::bits::count_balance), with three words for each.
    /// `counts` has three lines for each row, with an entry for each column of every group.
    pub(crate) fn count_observed(
        arch: A, words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64],
    ) {
        let length = words * PLANES;
        if length == 0 {
            return;
        }
        assert!(words <= MAX_COUNTED);
        let width = columns.len() / length;
        for (group, panel) in columns.chunks_exact(length * GROUP).enumerate() {
            let mut counts = counts.chunks_mut(PLANES * width);
            let rows = rows_for(upper, group, length, rows);
            let mut quads = rows.chunks_exact(length * 4);
            for quad in &mut quads {
                block::<A, 4>(arch, width, group, quad, panel, &mut counts);
            }
            for row in quads.remainder().chunks_exact(length) {
                block::<A, 1>(arch, width, group, row, panel, &mut counts);
            }
        }
    }
}

/// Compares `R` rows with one group of columns. All counts are in registers.
#[inline(always)]
fn block<'a, A: Arch, const R: usize>(
    arch: A,
    width: usize,
    group: usize,
    rows: &[u64],
    panel: &[u64],
    counts: &mut impl Iterator<Item = &'a mut [u64]>,
) {
    let panel = panel.as_chunks::<GROUP>().0.as_chunks::<PLANES>().0;
    let rows = split_rows::<PLANES, R>(rows, panel.len());
    let mut sums = [[Ones::<A::Words8>::zero(arch); PLANES]; R];
    for (word, [order, decided, present]) in panel.iter().enumerate() {
        let (order, decided) = (A::Words8::load(arch, order), A::Words8::load(arch, decided));
        let present = A::Words8::load(arch, present);
        for ([balance, of_row, of_column], row) in sums.iter_mut().zip(rows) {
            let [own_order, own, own_present] = row[word];
            let (own_order, own) = (A::Words8::splat(arch, own_order), A::Words8::splat(arch, own));
            let both = own.and(decided);
            let differ = both.and(own_order.xor(order));
            *balance = balance.count_balance(both.and_equal(own_order, order), differ);
            *of_row = of_row.count(own.and(present));
            *of_column = of_column.count(A::Words8::splat(arch, own_present).and(decided));
        }
    }
    for (sums, counts) in sums.into_iter().zip(counts) {
        for (sum, counts) in sums.into_iter().zip(counts.chunks_exact_mut(width)) {
            let counts = counts[group * GROUP..].first_chunk_mut().expect("a count for each column");
            A::Words8::load(arch, counts).add(sum.sum()).store(counts);
        }
    }
}
