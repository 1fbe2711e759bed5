//! Packing the order of items into bits, and counting the bits in which two rankings agree or differ.

use std::ops::Range;

use super::place::Square;
use super::task;
use crate::simd::arch::{Arch, Words8};

/// The number of rankings that are interleaved in a packed panel: entry `[group][word][lane]`.
pub(crate) const GROUP: usize = 8;
/// Rows and columns of counts whose values are stored together: two lines of the cache.
pub(crate) const SQUARE: usize = 16;

task! {
    /// The signs of the pairs of items (i, j), i < j, for j in `later`: bits `ranks[i] < ranks[j]`, packed without gaps
    /// except at the end. Ranks are padded to whole blocks of 64.
    pub(crate) fn pack_signs<A>(ranks: &[[u16; 64]], later: Range<usize>, out: &mut Vec<u64>) {
        let mut stream = Stream::new();
        for j in later {
            let pivot = ranks[j / 64][j % 64];
            for (block, ranks) in ranks[..j.div_ceil(64)].iter().enumerate() {
                stream.push(A::Words8::below(ranks, pivot), (j - 64 * block).min(64), |word| out.push(word));
            }
        }
        stream.finish(|word| out.push(word));
    }
}

task! {
    /// As [`pack_signs`]; each word is followed by a mask of the pairs with both ranks below `top`.
    pub(crate) fn pack_signs_of_top<A>(ranks: &[[u16; 64]], later: Range<usize>, top: u16, out: &mut Vec<u64>) {
        let (mut signs, mut masks) = (Stream::new(), Stream::new());
        for j in later {
            let pivot = ranks[j / 64][j % 64];
            for (block, ranks) in ranks[..j.div_ceil(64)].iter().enumerate() {
                let count = (j - 64 * block).min(64);
                let mask = if pivot < top { A::Words8::below(ranks, top) } else { 0 };
                signs.push(A::Words8::below(ranks, pivot), count, |word| out.push(word));
                masks.push(mask, count, |word| out.push(word));
            }
        }
        signs.finish(|word| out.push(word));
        masks.finish(|word| out.push(word));
    }
}

task! {
    /// As [`pack_signs`] for ranks that can be equal; each word is followed by a mask of the pairs that differ.
    pub(crate) fn pack_signs_with_ties<A>(ranks: &[[u16; 64]], later: Range<usize>, out: &mut Vec<u64>) {
        let (mut signs, mut decided) = (Stream::new(), Stream::new());
        for j in later {
            let pivot = ranks[j / 64][j % 64];
            for (block, ranks) in ranks[..j.div_ceil(64)].iter().enumerate() {
                let count = (j - 64 * block).min(64);
                let below = A::Words8::below(ranks, pivot);
                let above = !A::Words8::below(ranks, pivot + 1);
                signs.push(below, count, |word| out.push(word));
                decided.push(below | above, count, |word| out.push(word));
            }
        }
        signs.finish(|word| out.push(word));
        decided.finish(|word| out.push(word));
    }
}

task! {
    /// For each item of `items`: `n - rank`, then the items ranked before it as bits.
    pub(crate) fn pack_predecessors<A>(ranks: &[[u16; 64]], items: Range<usize>, n: u64, out: &mut Vec<u64>) {
        for item in items {
            let pivot = ranks[item / 64][item % 64];
            out.push(n - u64::from(pivot));
            out.reserve(ranks.len());
            for (word, ranks) in out.spare_capacity_mut().iter_mut().zip(ranks) {
                word.write(A::Words8::below(ranks, pivot));
            }
            // SAFETY: there was capacity for a word for each block of ranks, and these words were just written.
            out.set_len(out.len() + ranks.len());
        }
    }
}

/// Collects bits into words.
pub(super) struct Stream {
    word: u64,
    filled: usize,
}

impl Stream {
    pub(super) fn new() -> Self {
        Self { word: 0, filled: 0 }
    }

    /// Appends the lowest `count` bits, 1 to 64 of them.
    #[inline(always)]
    pub(super) fn push(&mut self, bits: u64, count: usize, mut full: impl FnMut(u64)) {
        let bits = bits & (u64::MAX >> (64 - count));
        self.word |= bits << self.filled;
        self.filled += count;
        if self.filled >= 64 {
            full(self.word);
            self.filled -= 64;
            self.word = if self.filled == 0 { 0 } else { bits >> (count - self.filled) };
        }
    }

    pub(super) fn finish(self, mut full: impl FnMut(u64)) {
        if self.filled > 0 {
            full(self.word);
        }
    }
}

task! {
    /// Adds to `counts[row][column]` the number of bits in which a row and a column differ; if `upper`, only from about
    /// the diagonal on.
    ///
    /// `rows` holds `words` words for each row; `columns` is a packed panel of as many words for each group of
    /// [`GROUP`] columns; `counts` has one entry for each row and each column of every group.
    pub(crate) fn count_differing<A>(words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]) {
        pairs::<A, Differing>(words, 1, upper, rows, columns, counts);
    }
}

task! {
    /// Adds to `counts[row][column]` the number of bits that are set in the masks of both and agree in their
    /// signs. Panels as for [`count_differing`], with two words for each: sign and mask.
    pub(crate) fn count_agreeing<A>(words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]) {
        pairs::<A, Agreeing>(words, 2, upper, rows, columns, counts);
    }
}

task! {
    /// Adds to `counts[row][column]`, wrapping around below 0, the number of bits that are set in the masks of both and
    /// agree in their signs, minus the number of those that differ. Panels as for [`count_agreeing`].
    pub(crate) fn count_balance<A>(words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]) {
        pairs::<A, SignBalance>(words, 2, upper, rows, columns, counts);
    }
}

/// What is counted in the words of a row and of a group of columns. A trait and not a closure, because a closure might
/// not be inlined.
///
/// # Safety
/// As for [`Words8`]; `step` words of the row and of each column are read at a time.
trait CountWords {
    unsafe fn of<W: Words8>(row: *const u64, columns: *const u64) -> W;
}

struct Differing;

impl CountWords for Differing {
    #[inline(always)]
    unsafe fn of<W: Words8>(row: *const u64, columns: *const u64) -> W {
        unsafe { W::splat(*row).xor(W::load(columns)).count() }
    }
}

struct Agreeing;

impl CountWords for Agreeing {
    #[inline(always)]
    unsafe fn of<W: Words8>(row: *const u64, columns: *const u64) -> W {
        unsafe {
            let (row_signs, signs) = (W::splat(*row), W::load(columns));
            let both = W::splat(*row.add(1)).and(W::load(columns.add(GROUP)));
            both.and_equal(row_signs, signs).count()
        }
    }
}

struct SignBalance;

impl CountWords for SignBalance {
    #[inline(always)]
    unsafe fn of<W: Words8>(row: *const u64, columns: *const u64) -> W {
        unsafe {
            let (row_signs, signs) = (W::splat(*row), W::load(columns));
            let both = W::splat(*row.add(1)).and(W::load(columns.add(GROUP)));
            both.and_equal(row_signs, signs).count().sub(both.and(row_signs.xor(signs)).count())
        }
    }
}

/// Adds to `counts` the counts of `C` in every `step` words of a row and of a group of columns.
///
/// # Safety
/// As for [`Words8`]; `C` may read `step` words of a row and of each column.
#[inline(always)]
unsafe fn pairs<A: Arch, C: CountWords>(
    words: usize,
    step: usize,
    upper: bool,
    rows: &[u64],
    columns: &[u64],
    counts: &mut [u64],
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
            unsafe { block::<A, C, 4>(length, step, quad, panel, &mut counts) };
        }
        for row in quads.remainder().chunks_exact(length) {
            unsafe { block::<A, C, 1>(length, step, row, panel, &mut counts) };
        }
    }
}

/// The rows to compare with a group of columns: all, or those that are not below all of them.
#[inline(always)]
pub(super) fn rows_for(upper: bool, group: usize, length: usize, rows: &[u64]) -> &[u64] {
    let end = if upper { rows.len().min((group + 1) * GROUP * length) } else { rows.len() };
    &rows[..end]
}

/// `R` rows against one group of columns, with all counts in registers.
#[inline(always)]
unsafe fn block<'a, A: Arch, C: CountWords, const R: usize>(
    length: usize,
    step: usize,
    rows: &[u64],
    panel: &[u64],
    counts: &mut impl Iterator<Item = &'a mut [u64]>,
) {
    assert!(rows.len() == R * length && panel.len() == GROUP * length);
    // SAFETY: `word + step <= length`, so all reads are within `rows` and `panel`, whose lengths were just
    // checked; the caller keeps the promise of `Words8`.
    unsafe {
        let mut sums = [A::Words8::zero(); R];
        for word in (0..length).step_by(step) {
            for (row, sum) in sums.iter_mut().enumerate() {
                let a = rows.as_ptr().add(row * length + word);
                *sum = sum.add(C::of::<A::Words8>(a, panel.as_ptr().add(word * GROUP)));
            }
        }
        for (sum, counts) in sums.into_iter().zip(counts) {
            assert!(counts.len() == GROUP);
            A::Words8::load(counts.as_ptr()).add(sum).store(counts.as_mut_ptr());
        }
    }
}

task! {
    /// `values[row][column] = all - counts[row * width + column]`, for fewer than 2^52; a count above `all` gives any
    /// value. Rows are whole groups of counts.
    pub(crate) fn subtract_from<A>(all: u64, width: usize, counts: &[u64], values: &mut Square<SQUARE>) {
        for (counts, values) in counts.chunks(width).zip(values) {
            for (&count, value) in groups(counts).zip(values) {
                *value = real(all.wrapping_sub(count));
            }
        }
    }
}

task! {
    /// `values[row][column] = counts[row * width + column]`, divided by both divisors, for counts below 2^52. Rows are
    /// whole groups of counts.
    pub(crate) fn divide<A>(
        divisors: (f64, f64), width: usize, counts: &[u64], values: &mut Square<SQUARE>,
    ) {
        let (first, second) = divisors;
        for (counts, values) in counts.chunks(width).zip(values) {
            for (&count, value) in groups(counts).zip(values) {
                *value = real(count);
                // Divisions take most of the time, and most divisors are 1.
                if first != 1.0 {
                    *value /= first;
                }
                if second != 1.0 {
                    *value /= second;
                }
            }
        }
    }
}

/// The counts of whole groups, at most a square of them.
#[inline(always)]
fn groups(counts: &[u64]) -> impl Iterator<Item = &u64> {
    counts.as_chunks::<GROUP>().0.as_flattened().iter().take(SQUARE)
}

/// An integer below 2^52. AVX2 has no instruction for it; here the integer becomes the lower bits of a number.
#[inline(always)]
fn real(integer: u64) -> f64 {
    const SHIFT: f64 = (1_u64 << 52) as f64;
    f64::from_bits(integer | SHIFT.to_bits()) - SHIFT
}

task! {
    /// `values[row][column] = table[zero + counts[row * width + column]]`, where counts wrap around below 0. A count
    /// that is no index of the table gives any entry. Rows are whole groups of counts.
    ///
    /// # Panics
    /// If the table is empty or has 2^32 entries.
    pub(crate) fn look_up<A>(table: &[f64], zero: u64, width: usize, counts: &[u64], values: &mut Square<SQUARE>) {
        assert!(!table.is_empty() && u32::try_from(table.len()).is_ok());
        let (zero, last) = (A::Words8::splat(zero), A::Words8::splat(table.len() as u64 - 1));
        for (counts, values) in counts.chunks(width).zip(values) {
            for (counts, values) in counts.as_chunks::<GROUP>().0.iter().zip(values.as_chunks_mut::<GROUP>().0) {
                // The lower half of a word is then at most `last`, and the upper half is 0.
                A::Words8::load(counts.as_ptr()).add(zero).min(last).pick(table, values);
            }
        }
    }
}

task! {
    /// Adds to `sums[row][column]`, summed over items: the number of predecessors that the item has in both rankings,
    /// times `n` minus the larger of its ranks. Panels as for [`count_differing`], made by [`pack_predecessors`] with
    /// `step` words for each item.
    pub(crate) fn sum_common<A>(
        items: usize, step: usize, upper: bool, rows: &[u64], columns: &[u64], sums: &mut [u64],
    ) {
        let length = items * step;
        let width = columns.len() / length.max(1);
        for (group, panel) in columns.chunks_exact((length * GROUP).max(1)).enumerate() {
            let mut sums = sums.chunks_mut(width).map(|row| &mut row[group * GROUP..][..GROUP]);
            let rows = rows_for(upper, group, length, rows);
            let mut quads = rows.chunks_exact(length * 4);
            for quad in &mut quads {
                common::<A, 4>(length, step, quad, panel, &mut sums);
            }
            for row in quads.remainder().chunks_exact(length) {
                common::<A, 1>(length, step, row, panel, &mut sums);
            }
        }
    }
}

/// `R` rows against one group of columns.
///
/// # Safety
/// As for [`Words8`].
#[inline(always)]
unsafe fn common<'a, A: Arch, const R: usize>(
    length: usize,
    step: usize,
    rows: &[u64],
    panel: &[u64],
    sums: &mut impl Iterator<Item = &'a mut [u64]>,
) {
    assert!(rows.len() == R * length && panel.len() == GROUP * length && length.is_multiple_of(step) && step > 1);
    // SAFETY: `item + word < length`, so all reads are within `rows` and `panel`, whose lengths were just
    // checked; the caller keeps the promise of `Words8`.
    unsafe {
        let mut totals = [A::Words8::zero(); R];
        for item in (0..length).step_by(step) {
            // The first word is counted apart: if counts began with 0, the compiler would no longer see that they are
            // short, and multiply 64 bits.
            let mut counts = [A::Words8::zero(); R];
            let column = A::Words8::load(panel.as_ptr().add((item + 1) * GROUP));
            for (row, count) in counts.iter_mut().enumerate() {
                *count = A::Words8::splat(*rows.as_ptr().add(row * length + item + 1)).and(column).count();
            }
            for word in item + 2..item + step {
                let column = A::Words8::load(panel.as_ptr().add(word * GROUP));
                for (row, count) in counts.iter_mut().enumerate() {
                    let row = A::Words8::splat(*rows.as_ptr().add(row * length + word));
                    *count = count.add(row.and(column).count());
                }
            }
            let column = A::Words8::load(panel.as_ptr().add(item * GROUP));
            for (row, total) in totals.iter_mut().enumerate() {
                // n - max(rank, rank) of both rankings.
                let weight = A::Words8::splat(*rows.as_ptr().add(row * length + item)).min(column);
                *total = total.add(counts[row].mul(weight));
            }
        }
        for (total, sums) in totals.into_iter().zip(sums) {
            assert!(sums.len() == GROUP);
            A::Words8::load(sums.as_ptr()).add(total).store(sums.as_mut_ptr());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Isa, Level};

    #[test]
    fn every_instruction_set_looks_up_the_entry_or_the_last() {
        let table = [0.5, 1.5, 2.5];
        for isa in Level::ALL.into_iter().filter_map(Isa::new) {
            for (rows, width) in (0..=SQUARE).flat_map(|rows| [8, 16, 40].map(|width| (rows, width))) {
                let counts: Vec<u64> = (0..rows * width).map(|i| [0, 2, 1, 3, u64::MAX, 1 << 40][i % 6]).collect();
                let mut values = [[-1.0; SQUARE]; SQUARE];
                look_up(isa, &table, 0, width, &counts, &mut values);
                for (row, values) in values.into_iter().enumerate() {
                    for (column, value) in values.into_iter().enumerate() {
                        if row >= rows || column >= width {
                            assert_eq!(value, -1.0);
                            continue;
                        }
                        match counts[row * width + column] {
                            count @ 0..3 => assert_eq!(value, table[count as usize]),
                            3 => assert_eq!(value, 2.5),
                            _ => assert!(table.contains(&value)),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn counts_are_subtracted() {
        let all = 65_536 * 65_535 / 2;
        for isa in Level::ALL.into_iter().filter_map(Isa::new) {
            for (rows, width) in (0..=SQUARE).flat_map(|rows| [8, 16, 40].map(|width| (rows, width))) {
                let counts: Vec<u64> = (0..rows * width).map(|i| [0, 1, all, all / 3, 1 << 20][i % 5]).collect();
                let mut values = [[-1.0; SQUARE]; SQUARE];
                subtract_from(isa, all, width, &counts, &mut values);
                for (row, values) in values.into_iter().enumerate() {
                    for (column, value) in values.into_iter().enumerate() {
                        let given = row < rows && column < width;
                        assert_eq!(value, if given { (all - counts[row * width + column]) as f64 } else { -1.0 });
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "is_empty")]
    fn an_empty_table_is_refused() {
        look_up(Isa::portable(), &[], 0, 8, &[0; 8], &mut [[0.0; SQUARE]; SQUARE]);
    }
}
