//! Putting squares of values into rows of a matrix, as they are or mirrored.

use super::{Isa, dispatch};

/// A number for each pair of a group of rows and a group of columns.
pub(crate) type Square<const G: usize> = [[f64; G]; G];

/// What a matrix holds.
pub trait Cell: Copy {
    /// Puts the rows of a square of so many columns into `rows`, from column `at` on.
    fn place(isa: Isa, square: &[f64], side: usize, rows: &mut [&mut [Self]], at: usize);
    /// Puts the columns of a square into `rows`.
    fn place_mirrored(isa: Isa, square: &[f64], side: usize, rows: &mut [&mut [Self]], at: usize);
}

/// Puts the rows of a square into `rows`, from column `at` on, so far as there are rows and columns.
pub(crate) fn place<T: Cell, const G: usize>(isa: Isa, square: &Square<G>, rows: &mut [&mut [T]], at: usize) {
    T::place(isa, square.as_flattened(), G, rows, at);
}

/// As [`place`], mirrored.
pub(crate) fn place_mirrored<T: Cell, const G: usize>(isa: Isa, square: &Square<G>, rows: &mut [&mut [T]], at: usize) {
    T::place_mirrored(isa, square.as_flattened(), G, rows, at);
}

macro_rules! cell {
    ($type:ty, $store:ident) => {
        impl Cell for $type {
            fn place(isa: Isa, square: &[f64], side: usize, rows: &mut [&mut [Self]], at: usize) {
                dispatch!(
                    isa,
                    _L: () | () | (),
                    (square: &[f64], side: usize, rows: &mut [&mut [$type]], at: usize),
                    for (values, cells) in square.chunks_exact(side).zip(rows) {
                        let (blocks, rest) = cells[at..].as_chunks_mut::<8>();
                        // Of known length, which takes no call.
                        let mut values = values.chunks_exact(8);
                        for (cells, values) in blocks.iter_mut().zip(&mut values) {
                            for (cell, &value) in cells.iter_mut().zip(values) {
                                *cell = value as $type;
                            }
                        }
                        for (cell, &value) in rest.iter_mut().zip(values.next().unwrap_or_default()) {
                            *cell = value as $type;
                        }
                    }
                );
            }

            fn place_mirrored(isa: Isa, square: &[f64], side: usize, rows: &mut [&mut [Self]], at: usize) {
                dispatch!(
                    isa,
                    L: Portable | Avx2 | Avx512,
                    (square: &[f64], side: usize, rows: &mut [&mut [$type]], at: usize),
                    for (column, band) in (0..side).step_by(8).zip(rows.chunks_mut(8)) {
                        for (row, square) in (0..side).step_by(8).zip(square.chunks_exact(8 * side)) {
                            let block = std::array::from_fn(|i| L::load(&square[i * side + column..]));
                            for (values, cells) in L::transpose(block).into_iter().zip(&mut *band) {
                                let Some(cells) = cells.get_mut(at + row..) else { continue };
                                match cells.first_chunk_mut() {
                                    Some(cells) => values.$store(cells),
                                    None => {
                                        let mut all = [0.0; 8];
                                        values.$store(&mut all);
                                        cells.copy_from_slice(&all[..cells.len()]);
                                    }
                                }
                            }
                        }
                    }
                );
            }
        }
    };
}
cell!(f64, store);
cell!(f32, store_single);

/// Eight doubles, in one or more registers.
///
/// # Safety
/// The functions may only be called, and must be inlined, where the instructions they stand for are enabled.
trait Eight: Copy {
    /// The first eight of the values.
    unsafe fn load(values: &[f64]) -> Self;
    unsafe fn store(self, values: &mut [f64; 8]);
    unsafe fn store_single(self, values: &mut [f32; 8]);
    /// Turns rows into columns.
    unsafe fn transpose(rows: [Self; 8]) -> [Self; 8];
}

#[derive(Clone, Copy)]
struct Portable([f64; 8]);

impl Eight for Portable {
    #[inline(always)]
    unsafe fn load(values: &[f64]) -> Self {
        Self(std::array::from_fn(|lane| values[lane]))
    }
    #[inline(always)]
    unsafe fn store(self, values: &mut [f64; 8]) {
        *values = self.0;
    }
    #[inline(always)]
    unsafe fn store_single(self, values: &mut [f32; 8]) {
        *values = self.0.map(|value| value as f32);
    }
    #[inline(always)]
    unsafe fn transpose(rows: [Self; 8]) -> [Self; 8] {
        std::array::from_fn(|column| Self(std::array::from_fn(|row| rows[row].0[column])))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Eight;
    use std::arch::x86_64::*;

    #[derive(Clone, Copy)]
    pub(super) struct Avx512(__m512d);

    impl Eight for Avx512 {
        #[inline(always)]
        unsafe fn load(values: &[f64]) -> Self {
            // SAFETY: the slice has eight values.
            unsafe { Self(_mm512_loadu_pd(values[..8].as_ptr())) }
        }
        #[inline(always)]
        unsafe fn store(self, values: &mut [f64; 8]) {
            // SAFETY: the array has eight values.
            unsafe { _mm512_storeu_pd(values.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        unsafe fn store_single(self, values: &mut [f32; 8]) {
            // SAFETY: the array has eight values.
            unsafe { _mm256_storeu_ps(values.as_mut_ptr(), _mm512_cvtpd_ps(self.0)) }
        }
        #[inline(always)]
        unsafe fn transpose(rows: [Self; 8]) -> [Self; 8] {
            unsafe {
                // Even columns of pairs of rows, then odd ones; each holds its four columns in four quarters.
                let low: [_; 4] = std::array::from_fn(|i| _mm512_unpacklo_pd(rows[2 * i].0, rows[2 * i + 1].0));
                let high: [_; 4] = std::array::from_fn(|i| _mm512_unpackhi_pd(rows[2 * i].0, rows[2 * i + 1].0));
                let columns = |[a, b, c, d]: [__m512d; 4]| {
                    let (first, second) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0x88>(c, d));
                    let (third, fourth) = (_mm512_shuffle_f64x2::<0xdd>(a, b), _mm512_shuffle_f64x2::<0xdd>(c, d));
                    [
                        Self(_mm512_shuffle_f64x2::<0x88>(first, second)),
                        Self(_mm512_shuffle_f64x2::<0x88>(third, fourth)),
                        Self(_mm512_shuffle_f64x2::<0xdd>(first, second)),
                        Self(_mm512_shuffle_f64x2::<0xdd>(third, fourth)),
                    ]
                };
                let (even, odd) = (columns(low), columns(high));
                std::array::from_fn(|column| if column % 2 == 0 { even[column / 2] } else { odd[column / 2] })
            }
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Avx2(__m256d, __m256d);

    impl Avx2 {
        #[inline(always)]
        unsafe fn transpose_four([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
            unsafe {
                let (first, second) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
                let (third, fourth) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
                [
                    _mm256_permute2f128_pd::<0x20>(first, third),
                    _mm256_permute2f128_pd::<0x20>(second, fourth),
                    _mm256_permute2f128_pd::<0x31>(first, third),
                    _mm256_permute2f128_pd::<0x31>(second, fourth),
                ]
            }
        }
    }

    impl Eight for Avx2 {
        #[inline(always)]
        unsafe fn load(values: &[f64]) -> Self {
            // SAFETY: the slices have four values each.
            unsafe { Self(_mm256_loadu_pd(values[..4].as_ptr()), _mm256_loadu_pd(values[4..8].as_ptr())) }
        }
        #[inline(always)]
        unsafe fn store(self, values: &mut [f64; 8]) {
            // SAFETY: the array has eight values.
            unsafe {
                _mm256_storeu_pd(values.as_mut_ptr(), self.0);
                _mm256_storeu_pd(values.as_mut_ptr().add(4), self.1);
            }
        }
        #[inline(always)]
        unsafe fn store_single(self, values: &mut [f32; 8]) {
            // SAFETY: the array has eight values.
            unsafe {
                _mm_storeu_ps(values.as_mut_ptr(), _mm256_cvtpd_ps(self.0));
                _mm_storeu_ps(values.as_mut_ptr().add(4), _mm256_cvtpd_ps(self.1));
            }
        }
        #[inline(always)]
        unsafe fn transpose(rows: [Self; 8]) -> [Self; 8] {
            unsafe {
                let quarter = |row: usize, right: bool| {
                    Self::transpose_four(std::array::from_fn(|i| if right { rows[row + i].1 } else { rows[row + i].0 }))
                };
                let (left, left_below) = (quarter(0, false), quarter(4, false));
                let (right, right_below) = (quarter(0, true), quarter(4, true));
                std::array::from_fn(|column| match column {
                    0..4 => Self(left[column], left_below[column]),
                    _ => Self(right[column - 4], right_below[column - 4]),
                })
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
