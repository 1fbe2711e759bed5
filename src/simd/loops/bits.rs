//! Packs the order of items into bits, and counts the bits in which two rankings agree or differ.

use std::ops::Range;

use super::place::Square;
use super::task;
use crate::simd::arch::{Arch, MAX_COUNTED, Ones, PickTable, Words8};

/// The number of rankings that are interleaved in a packed panel: entry `[group][word][lane]`.
pub(crate) const GROUP: usize = 8;
/// The number of rows and columns of counts whose values are stored together. A row of them takes two cache lines.
pub(crate) const SQUARE: usize = 16;

task! {
    /// Packs the signs of the pairs of items (i, j) with i < j, for j in `later`. A sign is the bit `ranks[i] <
    /// ranks[j]`. The bits have no gaps except at the end. Ranks are padded to whole blocks of 64.
    pub(crate) fn pack_signs(arch: A, ranks: &[[u16; 64]], later: Range<usize>, out: &mut Vec<u64>) {
        let mut stream = Stream::new();
        for j in later {
            let pivot = ranks[j / 64][j % 64];
            for (block, ranks) in ranks[..j.div_ceil(64)].iter().enumerate() {
                stream.push(A::Words8::below(arch, ranks, pivot), (j - 64 * block).min(64), |word| out.push(word));
            }
        }
        stream.finish(|word| out.push(word));
    }
}

task! {
    /// The same as [`pack_signs`], but only for pairs with both ranks below `top`. After each word with the bits
    /// `ranks[i] < ranks[j]` comes a word with the bits `ranks[i] > ranks[j]`. Other pairs have 0 in both words.
    pub(crate) fn pack_signs_of_top(arch: A, ranks: &[[u16; 64]], later: Range<usize>, top: u16, out: &mut Vec<u64>) {
        let (mut before, mut after) = (Stream::new(), Stream::new());
        for j in later {
            let pivot = ranks[j / 64][j % 64];
            // For items beyond the top, the ranks are compared with 0, so they have no bits. A branch would be
            // unpredictable.
            let inside = u16::from(pivot < top).wrapping_neg();
            let (pivot, top) = (pivot & inside, top & inside);
            for (block, ranks) in ranks[..j.div_ceil(64)].iter().enumerate() {
                let count = (j - 64 * block).min(64);
                let (below, mask) = (A::Words8::below(arch, ranks, pivot), A::Words8::below(arch, ranks, top));
                before.push(below, count, |word| out.push(word));
                after.push(mask & !below, count, |word| out.push(word));
            }
        }
        before.finish(|word| out.push(word));
        after.finish(|word| out.push(word));
    }
}

task! {
    /// The same as [`pack_signs`], for ranks that can be equal. After each word comes a mask of the pairs whose ranks
    /// differ.
    pub(crate) fn pack_signs_with_ties(arch: A, ranks: &[[u16; 64]], later: Range<usize>, out: &mut Vec<u64>) {
        let (mut signs, mut decided) = (Stream::new(), Stream::new());
        for j in later {
            let pivot = ranks[j / 64][j % 64];
            for (block, ranks) in ranks[..j.div_ceil(64)].iter().enumerate() {
                let count = (j - 64 * block).min(64);
                let below = A::Words8::below(arch, ranks, pivot);
                let above = !A::Words8::below(arch, ranks, pivot + 1);
                signs.push(below, count, |word| out.push(word));
                decided.push(below | above, count, |word| out.push(word));
            }
        }
        signs.finish(|word| out.push(word));
        decided.finish(|word| out.push(word));
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
    /// Adds to `counts[row][column]` the number of bits in which a row and a column differ. With `upper`, only the
    /// counts above the diagonal are needed, and most of the others are skipped. There are at most [`MAX_COUNTED`]
    /// words.
    ///
    /// `rows` holds `words` words for each row; `columns` is a packed panel of as many words for each group of
    /// [`GROUP`] columns; `counts` has one entry for each row and each column of every group.
    pub(crate) fn count_differing(
        arch: A, words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64],
    ) {
        pairs::<A, Differing, 1>(arch, words, upper, rows, columns, counts);
    }
}

task! {
    /// Adds to `counts[row][column]` the number of bits that a row and a column have in common. The panels are as for
    /// [`count_differing`], with two words for each of their words. A bit is set in at most one of the two words.
    pub(crate) fn count_agreeing(
        arch: A, words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64],
    ) {
        pairs::<A, Agreeing, 2>(arch, words, upper, rows, columns, counts);
    }
}

task! {
    /// Takes the bits that are set in the masks of both a row and a column. Adds to `counts[row][column]` the number of
    /// these bits whose signs agree, minus the number of these bits whose signs differ. The counts wrap around below 0.
    /// The panels are as for [`count_differing`], with two words for each of their words: the signs and the mask.
    pub(crate) fn count_balance(arch: A, words: usize, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]) {
        pairs::<A, SignBalance, 2>(arch, words, upper, rows, columns, counts);
    }
}

/// What is counted in `STEP` words of a row and of each column of a group. It is a trait and not a closure, because a
/// closure might not be inlined.
trait CountWords<const STEP: usize> {
    fn add<W: Words8>(arch: W::Arch, row: &[u64; STEP], columns: &[[u64; GROUP]; STEP], ones: Ones<W>) -> Ones<W>;
}

struct Differing;

impl CountWords<1> for Differing {
    #[inline(always)]
    fn add<W: Words8>(arch: W::Arch, [row]: &[u64; 1], [columns]: &[[u64; GROUP]; 1], ones: Ones<W>) -> Ones<W> {
        ones.count(W::splat(arch, *row).xor(W::load(arch, columns)))
    }
}

struct Agreeing;

impl CountWords<2> for Agreeing {
    #[inline(always)]
    fn add<W: Words8>(
        arch: W::Arch,
        [row_before, row_after]: &[u64; 2],
        [before, after]: &[[u64; GROUP]; 2],
        ones: Ones<W>,
    ) -> Ones<W> {
        let both_after = W::splat(arch, *row_after).and(W::load(arch, after));
        ones.count(both_after.or_both(W::splat(arch, *row_before), W::load(arch, before)))
    }
}

struct SignBalance;

impl CountWords<2> for SignBalance {
    #[inline(always)]
    fn add<W: Words8>(
        arch: W::Arch,
        [row, row_mask]: &[u64; 2],
        [columns, masks]: &[[u64; GROUP]; 2],
        ones: Ones<W>,
    ) -> Ones<W> {
        let (row_signs, signs) = (W::splat(arch, *row), W::load(arch, columns));
        let both = W::splat(arch, *row_mask).and(W::load(arch, masks));
        ones.count_balance(both.and_equal(row_signs, signs), both.and(row_signs.xor(signs)))
    }
}

/// Adds to `counts` the counts of `C` in every `STEP` words of a row and of a group of columns.
#[inline(always)]
fn pairs<A: Arch, C: CountWords<STEP>, const STEP: usize>(
    arch: A,
    words: usize,
    upper: bool,
    rows: &[u64],
    columns: &[u64],
    counts: &mut [u64],
) {
    let length = words * STEP;
    if length == 0 {
        return;
    }
    assert!(words <= MAX_COUNTED);
    let width = columns.len() / length;
    for (group, panel) in columns.chunks_exact(length * GROUP).enumerate() {
        let mut counts = of_group(group, width, counts);
        let rows = rows_for(upper, group, length, rows);
        let mut quads = rows.chunks_exact(length * 4);
        for quad in &mut quads {
            block::<A, C, STEP, 4>(arch, quad, panel, &mut counts);
        }
        for row in quads.remainder().chunks_exact(length) {
            block::<A, C, STEP, 1>(arch, row, panel, &mut counts);
        }
    }
}

/// For each row, the counts of a group of columns.
#[inline(always)]
pub(super) fn of_group(group: usize, width: usize, counts: &mut [u64]) -> impl Iterator<Item = &mut [u64; GROUP]> {
    counts.chunks_mut(width).map(move |row| row[group * GROUP..].first_chunk_mut().expect("a count for each column"))
}

/// The rows to compare with a group of columns. These are all rows or, with `upper`, the rows that are above the
/// diagonal for some of the columns.
#[inline(always)]
pub(super) fn rows_for(upper: bool, group: usize, length: usize, rows: &[u64]) -> &[u64] {
    let end = if upper { rows.len().min((group + 1) * GROUP * length) } else { rows.len() };
    &rows[..end]
}

/// Compares `R` rows with one group of columns. All counts are in registers.
#[inline(always)]
fn block<'a, A: Arch, C: CountWords<STEP>, const STEP: usize, const R: usize>(
    arch: A,
    rows: &[u64],
    panel: &[u64],
    counts: &mut impl Iterator<Item = &'a mut [u64; GROUP]>,
) {
    let panel = panel.as_chunks::<GROUP>().0.as_chunks::<STEP>().0;
    let rows = split_rows::<STEP, R>(rows, panel.len());
    let mut sums = [Ones::<A::Words8>::zero(arch); R];
    for (word, columns) in panel.iter().enumerate() {
        for (sum, row) in sums.iter_mut().zip(rows) {
            *sum = C::add(arch, &row[word], columns, *sum);
        }
    }
    for (sum, counts) in sums.into_iter().zip(counts) {
        A::Words8::load(arch, counts).add(sum.sum()).store(counts);
    }
}

/// Splits words into `R` rows of `length` times `STEP` words. The compiler knows the length of each row, so that an
/// index below it needs no check.
#[inline(always)]
pub(super) fn split_rows<const STEP: usize, const R: usize>(rows: &[u64], length: usize) -> [&[[u64; STEP]]; R] {
    let all = rows.as_chunks::<STEP>().0;
    let mut rows = [all; R];
    for (index, row) in rows.iter_mut().enumerate() {
        *row = &all[index * length..][..length];
    }
    rows
}

#[inline(always)]
pub(super) fn add_to_counts<'a, A: Arch, const R: usize>(
    arch: A,
    sums: [A::Words8; R],
    counts: &mut impl Iterator<Item = &'a mut [u64; GROUP]>,
) {
    for (sum, counts) in sums.into_iter().zip(counts) {
        A::Words8::load(arch, counts).add(sum).store(counts);
    }
}

task! {
    /// `values[row][column] = all - counts[row * width + column]`, for numbers below 2^52. A count above `all` gives
    /// any value. Rows are whole groups of counts.
    pub(crate) fn subtract_from(_arch: A, all: u64, width: usize, counts: &[u64], values: &mut Square<SQUARE>) {
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
    pub(crate) fn divide(
        _arch: A, divisors: (f64, f64), width: usize, counts: &[u64], values: &mut Square<SQUARE>,
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

/// Converts an integer below 2^52. AVX2 has no instruction for this, so the integer becomes the lower bits of a number.
#[inline(always)]
fn real(integer: u64) -> f64 {
    const SHIFT: f64 = (1_u64 << 52) as f64;
    f64::from_bits(integer | SHIFT.to_bits()) - SHIFT
}

task! {
    /// `values[row][column] = table[zero + counts[row * width + column]]`, where counts wrap around below 0. If this is
    /// not an index of the table, the value is any entry. Rows are whole groups of counts.
    ///
    /// # Panics
    /// Panics if the table is empty or has 2^32 entries.
    pub(crate) fn look_up(
        arch: A, table: &[f64], zero: u64, width: usize, counts: &[u64], values: &mut Square<SQUARE>,
    ) {
        let (table, zero) = (PickTable::new(table), A::Words8::splat(arch, zero));
        for (counts, values) in counts.chunks(width).zip(values) {
            for (counts, values) in counts.as_chunks::<GROUP>().0.iter().zip(values.as_chunks_mut::<GROUP>().0) {
                A::Words8::load(arch, counts).add(zero).pick(table, values);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Isa, Level};

    #[test]
    fn counts_of_as_many_words_as_allowed_are_exact() {
        // Four rows at once, and one alone.
        let (rows, most) = (5, 64 * MAX_COUNTED as u64);
        let [ones, zeros] = [u64::MAX, 0].map(|word| vec![word; 2 * MAX_COUNTED * GROUP]);
        let row_words = |first: u64, second: u64| [first, second].repeat(MAX_COUNTED * rows);
        let columns = |first: u64, second: u64| [[first; GROUP], [second; GROUP]].concat().repeat(MAX_COUNTED);
        for isa in Level::ALL.into_iter().filter_map(Isa::new) {
            let mut counts = vec![7; rows * GROUP];
            count_differing(
                isa,
                MAX_COUNTED,
                false,
                &ones[..rows * MAX_COUNTED],
                &zeros[..GROUP * MAX_COUNTED],
                &mut counts,
            );
            assert_eq!(counts, vec![7 + most; rows * GROUP]);
            for (sign, balance, agreeing) in [(u64::MAX, most, most), (0, most.wrapping_neg(), 0)] {
                let mut counts = vec![7; rows * GROUP];
                count_balance(
                    isa,
                    MAX_COUNTED,
                    false,
                    &row_words(u64::MAX, u64::MAX),
                    &columns(sign, u64::MAX),
                    &mut counts,
                );
                assert_eq!(counts, vec![balance.wrapping_add(7); rows * GROUP]);
                for (row, expected) in [((u64::MAX, 0), agreeing), ((0, u64::MAX), most - agreeing)] {
                    counts.fill(7);
                    let (row, columns) = (row_words(row.0, row.1), columns(sign, !sign));
                    count_agreeing(isa, MAX_COUNTED, false, &row, &columns, &mut counts);
                    assert_eq!(counts, vec![7 + expected; rows * GROUP]);
                }
            }
        }
    }

    task! {
        fn smaller(arch: A, a: &[u64; 8], b: &[u64; 8], out: &mut [u64; 8]) {
            A::Words8::load(arch, a).min(A::Words8::load(arch, b)).store(out);
        }
    }

    #[test]
    fn the_smaller_word_is_at_most_the_one_below_two_to_the_32() {
        let small = [0, 1, 5, (1 << 32) - 1];
        let large = [1 << 32, (1 << 32) + 3, 1 << 63, u64::MAX];
        for isa in Level::ALL.into_iter().filter_map(Isa::new) {
            let mut found = [0; 8];
            for a in small {
                for b in small.into_iter().chain(large) {
                    for (a, b) in [(a, b), (b, a)] {
                        smaller(isa, &[a; 8], &[b; 8], &mut found);
                        let right = |found: u64| if a.max(b) < 1 << 32 { found == a.min(b) } else { found <= a.min(b) };
                        assert!(found.into_iter().all(right), "{a} {b} {found:?}");
                    }
                }
            }
        }
    }

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
