//! Vectors of eight 64-bit words, in one register of the widest kind or more narrower ones.

/// How many rankings lie side by side in a packed panel: entry `[group][word][lane]`.
pub(crate) const GROUP: usize = 8;

/// Vectors of 64-bit integers, eight at a time in one or more registers.
///
/// # Safety
/// The functions may only be called, and must be inlined, where the instructions they stand for are enabled. Pointers must be
/// valid for [`GROUP`] words.
pub(super) trait Words: Copy {
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
    /// The entries of a table at these places, which must all be within it.
    unsafe fn pick(self, table: &[f64], entries: &mut [f64; GROUP]);
    /// `ranks[i] < pivot` for 64 ranks, bit i.
    unsafe fn below(ranks: &[u16; 64], pivot: u16) -> u64;
}

#[derive(Clone, Copy)]
pub(super) struct Portable([u64; GROUP]);

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
    unsafe fn pick(self, table: &[f64], entries: &mut [f64; GROUP]) {
        entries.iter_mut().zip(self.0).for_each(|(entry, place)| *entry = table[place as usize]);
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
    pub(in crate::simd) struct Avx512(__m512i);

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
        unsafe fn pick(self, table: &[f64], entries: &mut [f64; GROUP]) {
            // SAFETY: the places are within the table, as the trait asks, and there is room for eight.
            unsafe {
                let found = _mm512_i64gather_pd::<8>(self.0, table.as_ptr().cast());
                _mm512_storeu_pd(entries.as_mut_ptr(), found);
            }
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
    pub(in crate::simd) struct Avx2(__m256i, __m256i);

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
        unsafe fn pick(self, table: &[f64], entries: &mut [f64; GROUP]) {
            // One by one: gathers of four are no faster.
            let mut places = [0; GROUP];
            // SAFETY: the array has room for eight.
            unsafe { self.store(places.as_mut_ptr()) };
            entries.iter_mut().zip(places).for_each(|(entry, place)| *entry = table[place as usize]);
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
pub(super) use x86::{Avx2, Avx512};
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Avx2 = Portable;
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Avx512 = Portable;
