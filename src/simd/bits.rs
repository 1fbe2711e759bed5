//! Counting bits that two rankings have in common or apart, and making such bits.

use std::ops::Range;

use super::{Isa, dispatch};

/// How many rankings lie side by side in a packed panel: entry `[group][word][lane]`.
pub(crate) const GROUP: usize = 8;

/// Vectors of 64-bit integers, eight at a time in one or more registers.
///
/// # Safety
/// The functions may only be called, and must be inlined, where the instructions they stand for are enabled. Pointers must be
/// valid for [`GROUP`] words.
trait Words: Copy {
    unsafe fn zero() -> Self;
    unsafe fn splat(word: u64) -> Self;
    unsafe fn load(words: *const u64) -> Self;
    unsafe fn store(self, words: *mut u64);
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn and_not(self, not: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    /// The number of ones in each word.
    unsafe fn count(self) -> Self;
    /// The lesser of two words below 2^32.
    unsafe fn min(self, other: Self) -> Self;
    /// The product of two words below 2^32.
    unsafe fn mul(self, other: Self) -> Self;
    /// `ranks[i] < pivot` for 64 ranks, bit i.
    unsafe fn below(ranks: &[u16; 64], pivot: u16) -> u64;
}

#[derive(Clone, Copy)]
struct Portable([u64; GROUP]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

impl Words for Portable {
    #[inline(always)]
    unsafe fn zero() -> Self {
        Self([0; GROUP])
    }
    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        Self([word; GROUP])
    }
    #[inline(always)]
    unsafe fn load(words: *const u64) -> Self {
        // SAFETY: valid for `GROUP` words, as the trait asks.
        Self(unsafe { words.cast::<[u64; GROUP]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u64) {
        // SAFETY: valid for `GROUP` words, as the trait asks.
        unsafe { words.cast::<[u64; GROUP]>().write(self.0) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
    #[inline(always)]
    unsafe fn and_not(self, not: Self) -> Self {
        self.zip(not, |a, b| a & !b)
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_add)
    }
    #[inline(always)]
    unsafe fn count(self) -> Self {
        Self(self.0.map(|word| u64::from(word.count_ones())))
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        self.zip(other, u64::min)
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_mul)
    }
    #[inline(always)]
    unsafe fn below(ranks: &[u16; 64], pivot: u16) -> u64 {
        ranks.iter().rev().fold(0, |bits, &rank| bits << 1 | u64::from(rank < pivot))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{GROUP, Words};
    use std::arch::x86_64::*;

    #[derive(Clone, Copy)]
    pub(super) struct Avx512(__m512i);

    impl Words for Avx512 {
        #[inline(always)]
        unsafe fn zero() -> Self {
            unsafe { Self(_mm512_setzero_si512()) }
        }
        #[inline(always)]
        unsafe fn splat(word: u64) -> Self {
            unsafe { Self(_mm512_set1_epi64(word.cast_signed())) }
        }
        #[inline(always)]
        unsafe fn load(words: *const u64) -> Self {
            unsafe { Self(_mm512_loadu_si512(words.cast())) }
        }
        #[inline(always)]
        unsafe fn store(self, words: *mut u64) {
            unsafe { _mm512_storeu_si512(words.cast(), self.0) }
        }
        #[inline(always)]
        unsafe fn xor(self, other: Self) -> Self {
            unsafe { Self(_mm512_xor_si512(self.0, other.0)) }
        }
        #[inline(always)]
        unsafe fn and(self, other: Self) -> Self {
            unsafe { Self(_mm512_and_si512(self.0, other.0)) }
        }
        #[inline(always)]
        unsafe fn and_not(self, not: Self) -> Self {
            unsafe { Self(_mm512_andnot_si512(not.0, self.0)) }
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            unsafe { Self(_mm512_add_epi64(self.0, other.0)) }
        }
        #[inline(always)]
        unsafe fn count(self) -> Self {
            unsafe { Self(_mm512_popcnt_epi64(self.0)) }
        }
        #[inline(always)]
        unsafe fn min(self, other: Self) -> Self {
            unsafe { Self(_mm512_min_epu32(self.0, other.0)) }
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            unsafe { Self(_mm512_mul_epu32(self.0, other.0)) }
        }
        #[inline(always)]
        unsafe fn below(ranks: &[u16; 64], pivot: u16) -> u64 {
            // SAFETY: 64 ranks are two registers of 32.
            unsafe {
                let pivot = _mm512_set1_epi16(pivot.cast_signed());
                let low = _mm512_loadu_si512(ranks.as_ptr().cast());
                let high = _mm512_loadu_si512(ranks.as_ptr().add(32).cast());
                let (low, high) = (_mm512_cmplt_epu16_mask(low, pivot), _mm512_cmplt_epu16_mask(high, pivot));
                u64::from(low) | u64::from(high) << 32
            }
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Avx2(__m256i, __m256i);

    impl Avx2 {
        /// Counts by looking up each half byte in a table (W. Mula's way), then adding up the bytes of each word.
        #[inline(always)]
        unsafe fn count_half(words: __m256i) -> __m256i {
            unsafe {
                let table = _mm256_setr_epi8(
                    0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                );
                let low = _mm256_set1_epi8(0x0f);
                let lower = _mm256_shuffle_epi8(table, _mm256_and_si256(words, low));
                let upper = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(words, 4), low));
                _mm256_sad_epu8(_mm256_add_epi8(lower, upper), _mm256_setzero_si256())
            }
        }
    }

    impl Words for Avx2 {
        #[inline(always)]
        unsafe fn zero() -> Self {
            unsafe { Self(_mm256_setzero_si256(), _mm256_setzero_si256()) }
        }
        #[inline(always)]
        unsafe fn splat(word: u64) -> Self {
            unsafe { Self(_mm256_set1_epi64x(word.cast_signed()), _mm256_set1_epi64x(word.cast_signed())) }
        }
        #[inline(always)]
        unsafe fn load(words: *const u64) -> Self {
            unsafe { Self(_mm256_loadu_si256(words.cast()), _mm256_loadu_si256(words.add(GROUP / 2).cast())) }
        }
        #[inline(always)]
        unsafe fn store(self, words: *mut u64) {
            unsafe {
                _mm256_storeu_si256(words.cast(), self.0);
                _mm256_storeu_si256(words.add(GROUP / 2).cast(), self.1);
            }
        }
        #[inline(always)]
        unsafe fn xor(self, other: Self) -> Self {
            unsafe { Self(_mm256_xor_si256(self.0, other.0), _mm256_xor_si256(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn and(self, other: Self) -> Self {
            unsafe { Self(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn and_not(self, not: Self) -> Self {
            unsafe { Self(_mm256_andnot_si256(not.0, self.0), _mm256_andnot_si256(not.1, self.1)) }
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            unsafe { Self(_mm256_add_epi64(self.0, other.0), _mm256_add_epi64(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn count(self) -> Self {
            unsafe { Self(Self::count_half(self.0), Self::count_half(self.1)) }
        }
        #[inline(always)]
        unsafe fn min(self, other: Self) -> Self {
            unsafe { Self(_mm256_min_epu32(self.0, other.0), _mm256_min_epu32(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            unsafe { Self(_mm256_mul_epu32(self.0, other.0), _mm256_mul_epu32(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn below(ranks: &[u16; 64], pivot: u16) -> u64 {
            // SAFETY: 64 ranks are four registers of 16.
            unsafe {
                // Comparing is for signed numbers; flipping the highest bit makes them so and keeps the order.
                let flip = _mm256_set1_epi16(i16::MIN);
                let pivot = _mm256_xor_si256(_mm256_set1_epi16(pivot.cast_signed()), flip);
                let less = |index: usize| {
                    let ranks = _mm256_loadu_si256(ranks.as_ptr().add(16 * index).cast());
                    _mm256_cmpgt_epi16(pivot, _mm256_xor_si256(ranks, flip))
                };
                // Packing interleaves the halves of both registers; the permutation puts them in order again.
                let bits = |index: usize| {
                    let packed = _mm256_packs_epi16(less(index), less(index + 1));
                    _mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b11_01_10_00>(packed)).cast_unsigned()
                };
                u64::from(bits(0)) | u64::from(bits(2)) << 32
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
use x86::{Avx2, Avx512};
#[cfg(not(target_arch = "x86_64"))]
type Avx2 = Portable;
#[cfg(not(target_arch = "x86_64"))]
type Avx512 = Portable;

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
