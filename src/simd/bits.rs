//! Counting bits that two rankings have in common or apart, and making such bits.

use std::ops::Range;

pub(crate) use super::words::GROUP;
use super::words::{Avx2, Avx512, Portable, Words};
use super::{Isa, dispatch};

/// The signs of the pairs of items (i, j), i < j, for j in `later`: bits `ranks[i] < ranks[j]`, packed without gaps but for the
/// end. Ranks are padded to whole blocks of 64.
pub(crate) fn pack_signs(isa: Isa, ranks: &[[u16; 64]], later: Range<usize>, out: &mut Vec<u64>) {
    dispatch!(isa, L: Portable | Avx2 | Avx512, (ranks: &[[u16; 64]], later: Range<usize>, out: &mut Vec<u64>), {
        let mut stream = Stream::new();
        for j in later {
            let pivot = ranks[j / 64][j % 64];
            for (block, ranks) in ranks[..j.div_ceil(64)].iter().enumerate() {
                stream.push(L::below(ranks, pivot), (j - 64 * block).min(64), |word| out.push(word));
            }
        }
        stream.finish(|word| out.push(word));
    });
}

/// As [`pack_signs`], each word followed by one that tells which pairs have both ranks below `top`.
pub(crate) fn pack_signs_of_top(isa: Isa, ranks: &[[u16; 64]], later: Range<usize>, top: u16, out: &mut Vec<u64>) {
    dispatch!(isa, L: Portable | Avx2 | Avx512, (ranks: &[[u16; 64]], later: Range<usize>, top: u16, out: &mut Vec<u64>), {
        let (mut signs, mut masks) = (Stream::new(), Stream::new());
        for j in later {
            let pivot = ranks[j / 64][j % 64];
            for (block, ranks) in ranks[..j.div_ceil(64)].iter().enumerate() {
                let count = (j - 64 * block).min(64);
                let mask = if pivot < top { L::below(ranks, top) } else { 0 };
                signs.push(L::below(ranks, pivot), count, |word| out.push(word));
                masks.push(mask, count, |word| out.push(word));
            }
        }
        signs.finish(|word| out.push(word));
        masks.finish(|word| out.push(word));
    });
}

/// For each item of `items`: `room - rank`, then the items ranked before it as bits.
pub(crate) fn pack_predecessors(isa: Isa, ranks: &[[u16; 64]], items: Range<usize>, room: u64, out: &mut Vec<u64>) {
    dispatch!(isa, L: Portable | Avx2 | Avx512, (ranks: &[[u16; 64]], items: Range<usize>, room: u64, out: &mut Vec<u64>), {
        for item in items {
            let pivot = ranks[item / 64][item % 64];
            out.push(room - u64::from(pivot));
            out.extend(ranks.iter().map(|ranks| L::below(ranks, pivot)));
        }
    });
}

/// Bits on their way into words.
struct Stream {
    word: u64,
    filled: usize,
}

impl Stream {
    fn new() -> Self {
        Self { word: 0, filled: 0 }
    }

    /// Appends the lowest `count` bits, 1 to 64 of them.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: usize, mut full: impl FnMut(u64)) {
        let bits = bits & (u64::MAX >> (64 - count));
        self.word |= bits << self.filled;
        self.filled += count;
        if self.filled >= 64 {
            full(self.word);
            self.filled -= 64;
            self.word = if self.filled == 0 { 0 } else { bits >> (count - self.filled) };
        }
    }

    fn finish(self, mut full: impl FnMut(u64)) {
        if self.filled > 0 {
            full(self.word);
        }
    }
}

/// Adds to `counts[row][column]` the number of bits in which a row and a column differ; if `upper`, only from about the diagonal
/// on.
///
/// `rows` holds `words` words for each row; `columns` is a packed panel of as many words for each group of [`GROUP`]
/// columns; `counts` has one entry for each row and each column of every group.
pub(crate) fn count_differing(isa: Isa, words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]) {
    dispatch!(isa, L: Portable | Avx2 | Avx512, (words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]), {
        pairs::<L>(words, 1, upper, rows, columns, counts, |a, b| L::splat(*a).xor(L::load(b)));
    });
}

/// Adds to `counts[row][column]` the number of bits that are set in the masks of both and agree in their signs. Panels as for
/// [`count_differing`], with two words for each: sign and mask.
pub(crate) fn count_agreeing(isa: Isa, words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]) {
    dispatch!(isa, L: Portable | Avx2 | Avx512, (words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]), {
        pairs::<L>(words, 2, upper, rows, columns, counts, |a, b| {
            let differ = L::splat(*a).xor(L::load(b));
            let both = L::splat(*a.add(1)).and(L::load(b.add(GROUP)));
            both.and_not(differ)
        });
    });
}

/// Adds to `counts` the number of ones in `combine` of every word of a row and of a group of columns; `step` words of each make
/// one.
///
/// # Safety
/// As for [`Words`].
#[inline(always)]
unsafe fn pairs<L: Words>(
    words: usize,
    step: usize,
    upper: bool,
    rows: &[u64],
    columns: &[u64],
    counts: &mut [u64],
    combine: impl Fn(*const u64, *const u64) -> L + Copy,
) {
    let length = words * step;
    if length == 0 {
        return;
    }
    let width = columns.len() / length;
    for (group, panel) in columns.chunks_exact(length * GROUP).enumerate() {
        let mut counts = counts.chunks_mut(width).map(|row| &mut row[group * GROUP..][..GROUP]);
        let rows = rows_for(upper, group, length, rows);
        let mut quads = rows.chunks_exact(length * 4);
        for quad in &mut quads {
            unsafe { block::<L, 4>(length, step, quad, panel, &mut counts, combine) };
        }
        for row in quads.remainder().chunks_exact(length) {
            unsafe { block::<L, 1>(length, step, row, panel, &mut counts, combine) };
        }
    }
}

/// The rows to compare with a group of columns: all, or those that are not below all of them.
#[inline(always)]
fn rows_for(upper: bool, group: usize, length: usize, rows: &[u64]) -> &[u64] {
    let end = if upper { rows.len().min((group + 1) * GROUP * length) } else { rows.len() };
    &rows[..end]
}

/// `R` rows against one group of columns, with all counts in registers.
#[inline(always)]
unsafe fn block<'a, L: Words, const R: usize>(
    length: usize,
    step: usize,
    rows: &[u64],
    panel: &[u64],
    counts: &mut impl Iterator<Item = &'a mut [u64]>,
    combine: impl Fn(*const u64, *const u64) -> L,
) {
    assert!(rows.len() == R * length && panel.len() == GROUP * length);
    // SAFETY: `word + step <= length`, so all reads are within `rows` and `panel`, whose lengths were just checked; the caller
    // keeps the promise of `Words`.
    unsafe {
        let mut sums = [L::zero(); R];
        for word in (0..length).step_by(step) {
            for (row, sum) in sums.iter_mut().enumerate() {
                let a = rows.as_ptr().add(row * length + word);
                *sum = sum.add(combine(a, panel.as_ptr().add(word * GROUP)).count());
            }
        }
        for (sum, counts) in sums.into_iter().zip(counts) {
            assert!(counts.len() == GROUP);
            L::load(counts.as_ptr()).add(sum).store(counts.as_mut_ptr());
        }
    }
}

/// Sets each value to the entry of the table that its count says, or to another one if there is no such entry.
///
/// # Panics
/// If the table is empty or has 2^32 entries.
pub(crate) fn look_up(isa: Isa, table: &[f64], counts: &[u64], values: &mut [f64]) {
    assert!(!table.is_empty() && u32::try_from(table.len()).is_ok());
    dispatch!(isa, L: Portable | Avx2 | Avx512, (table: &[f64], counts: &[u64], values: &mut [f64]), {
        let last = table.len() - 1;
        let ((groups, rest), (into, into_rest)) = (counts.as_chunks::<GROUP>(), values.as_chunks_mut::<GROUP>());
        for (counts, values) in groups.iter().zip(into) {
            // The lesser half of a word is at most `last` then, and the other half 0.
            L::load(counts.as_ptr()).min(L::splat(last as u64)).pick(table, values);
        }
        for (&count, value) in rest.iter().zip(into_rest) {
            *value = table[last.min(count as usize)];
        }
    });
}

/// Adds to `sums[row][column]` the sum over items of the number of predecessors that row and column share, times the lesser of
/// their rooms. Panels as for [`count_differing`], made by [`pack_predecessors`] of `step` words for each item.
pub(crate) fn sum_common(
    isa: Isa,
    items: usize,
    step: usize,
    upper: bool,
    rows: &[u64],
    columns: &[u64],
    sums: &mut [u64],
) {
    dispatch!(
        isa,
        L: Portable | Avx2 | Avx512,
        (items: usize, step: usize, upper: bool, rows: &[u64], columns: &[u64], sums: &mut [u64]),
        {
            let length = items * step;
            let width = columns.len() / length.max(1);
            for (group, panel) in columns.chunks_exact((length * GROUP).max(1)).enumerate() {
                let mut sums = sums.chunks_mut(width).map(|row| &mut row[group * GROUP..][..GROUP]);
                let rows = rows_for(upper, group, length, rows);
                let mut quads = rows.chunks_exact(length * 4);
                for quad in &mut quads {
                    common::<L, 4>(length, step, quad, panel, &mut sums);
                }
                for row in quads.remainder().chunks_exact(length) {
                    common::<L, 1>(length, step, row, panel, &mut sums);
                }
            }
        }
    );
}

/// `R` rows against one group of columns.
///
/// # Safety
/// As for [`Words`].
#[inline(always)]
unsafe fn common<'a, L: Words, const R: usize>(
    length: usize,
    step: usize,
    rows: &[u64],
    panel: &[u64],
    sums: &mut impl Iterator<Item = &'a mut [u64]>,
) {
    assert!(rows.len() == R * length && panel.len() == GROUP * length && length.is_multiple_of(step));
    // SAFETY: `item + word < length`, so all reads are within `rows` and `panel`, whose lengths were just checked; the caller
    // keeps the promise of `Words`.
    unsafe {
        let mut totals = [L::zero(); R];
        for item in (0..length).step_by(step) {
            let mut counts = [L::zero(); R];
            for word in item + 1..item + step {
                let column = L::load(panel.as_ptr().add(word * GROUP));
                for (row, count) in counts.iter_mut().enumerate() {
                    let row = L::splat(*rows.as_ptr().add(row * length + word));
                    *count = count.add(row.and(column).count());
                }
            }
            let column = L::load(panel.as_ptr().add(item * GROUP));
            for (row, total) in totals.iter_mut().enumerate() {
                let room = L::splat(*rows.as_ptr().add(row * length + item)).min(column);
                *total = total.add(counts[row].mul(room));
            }
        }
        for (total, sums) in totals.into_iter().zip(sums) {
            assert!(sums.len() == GROUP);
            L::load(sums.as_ptr()).add(total).store(sums.as_mut_ptr());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;

    #[test]
    fn every_instruction_set_looks_up_the_entry_or_the_last() {
        let table = [0.5, 1.5, 2.5];
        for isa in Level::ALL.into_iter().filter_map(Isa::new) {
            for length in 0..20 {
                let counts: Vec<u64> = (0..length).map(|i| [0, 2, 1, 3, u64::MAX, 1 << 40][i % 6]).collect();
                let mut values = vec![0.0; length];
                look_up(isa, &table, &counts, &mut values);
                for (count, value) in counts.iter().zip(values) {
                    match count {
                        0..3 => assert_eq!(value, table[*count as usize]),
                        3 => assert_eq!(value, 2.5),
                        _ => assert!(table.contains(&value)),
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "is_empty")]
    fn an_empty_table_is_refused() {
        look_up(Isa::portable(), &[], &[0], &mut [0.0]);
    }
}
