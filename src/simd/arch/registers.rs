//! Vectors made of several registers.
#![allow(unsafe_code)]

use super::vectors::{Doubles16, GridRegister, ProductColumns, Register, Simd, Vector};

/// From `8 - lane` on, it has minus infinity in the lanes below `lane`, and infinity in the other lanes. The maximum
/// with it hides these other lanes.
pub(super) static HIDDEN: [f64; 16] = {
    let mut hidden = [f64::NEG_INFINITY; 16];
    let mut lane = 8;
    while lane < 16 {
        hidden[lane] = f64::INFINITY;
        lane += 1;
    }
    hidden
};

/// `N` registers as one vector.
#[derive(Clone, Copy)]
pub(super) struct Registers<R, const N: usize>([R; N]);

impl<R: Simd, const N: usize> Simd for Registers<R, N> {
    type Arch = R::Arch;
}

/// A register with the operations for features.
pub(super) trait FeatureRegister<S>: Register<S> {
    /// `self` in the lanes where `a < b`, and `-self` in the others.
    fn negative_unless_less(self, a: Self, b: Self) -> Self;
    /// Writes the numbers as doubles, or adds them to `sums`.
    fn store_doubles(self, sums: &mut [f64], add: bool);
    /// `table[at[lane]]`.
    ///
    /// # Safety
    /// All indices must be within the table and below 2^31.
    unsafe fn gather(arch: Self::Arch, table: &[S], at: &[u32]) -> Self;
}

impl<R: GridRegister, const N: usize> Doubles16 for Registers<R, N> {
    #[inline(always)]
    fn splat(arch: R::Arch, value: f64) -> Self {
        const { assert!(N * R::WIDTH == 16) };
        Self([R::splat(arch, value); N])
    }
    #[inline(always)]
    fn load(arch: R::Arch, values: &[f64; 16]) -> Self {
        load(arch, values)
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        let mut parts = self.0;
        let mut count = N;
        while count > 1 {
            count /= 2;
            for index in 0..count {
                parts[index] = parts[2 * index].add(parts[2 * index + 1]);
            }
        }
        parts[0].sum()
    }
    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        for (value, other) in self.0.iter_mut().zip(other.0) {
            *value = value.mul(other);
        }
        self
    }
    #[inline(always)]
    fn add_product(mut self, a: Self, b: Self) -> Self {
        for (sum, (a, b)) in self.0.iter_mut().zip(a.0.into_iter().zip(b.0)) {
            *sum = sum.add_product(a, b);
        }
        self
    }
}

impl<S: Copy + Default, R: FeatureRegister<S>, const N: usize, const G: usize> Vector<S, G> for Registers<R, N> {
    #[inline(always)]
    fn zero(arch: R::Arch) -> Self {
        const { assert!(N * R::WIDTH == G) };
        Self([R::splat(arch, S::default()); N])
    }
    #[inline(always)]
    fn load(arch: R::Arch, values: &[S; G]) -> Self {
        load(arch, values)
    }
    #[inline(always)]
    fn store(self, values: &mut [S; G]) {
        for (register, values) in self.0.into_iter().zip(values.chunks_exact_mut(R::WIDTH)) {
            register.store(values);
        }
    }
    #[inline(always)]
    unsafe fn gather(arch: R::Arch, table: &[S], at: &[u32; G]) -> Self {
        let mut registers = [R::splat(arch, S::default()); N];
        for (register, at) in registers.iter_mut().zip(at.chunks_exact(R::WIDTH)) {
            // SAFETY: all indices are within the table and below 2^31, as the trait asks.
            *register = unsafe { R::gather(arch, table, at) };
        }
        Self(registers)
    }
    #[inline(always)]
    fn add_times(mut self, arch: R::Arch, value: S, other: Self) -> Self {
        let value = R::splat(arch, value);
        for (sum, other) in self.0.iter_mut().zip(other.0) {
            *sum = sum.add_product(value, other);
        }
        self
    }
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for (value, other) in self.0.iter_mut().zip(other.0) {
            *value = value.add(other);
        }
        self
    }
    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        for (value, other) in self.0.iter_mut().zip(other.0) {
            *value = value.mul(other);
        }
        self
    }
    #[inline(always)]
    fn negative_unless_less(mut self, a: Self, b: Self) -> Self {
        for (value, (a, b)) in self.0.iter_mut().zip(a.0.into_iter().zip(b.0)) {
            *value = value.negative_unless_less(a, b);
        }
        self
    }
}

impl<S: Copy + Default, R: FeatureRegister<S>, const N: usize> ProductColumns<S> for Registers<R, N> {
    const COUNT: usize = N * R::WIDTH;

    #[inline(always)]
    fn zero(arch: R::Arch) -> Self {
        Self([R::splat(arch, S::default()); N])
    }
    #[inline(always)]
    fn load(arch: R::Arch, values: &[S]) -> Self {
        load(arch, values)
    }
    #[inline(always)]
    fn add_times(mut self, arch: R::Arch, value: S, other: Self) -> Self {
        let value = R::splat(arch, value);
        for (sum, other) in self.0.iter_mut().zip(other.0) {
            *sum = sum.add_product(value, other);
        }
        self
    }
    #[inline(always)]
    fn store_doubles(self, sums: &mut [f64], add: bool) {
        for (register, sums) in self.0.into_iter().zip(sums.chunks_exact_mut(R::WIDTH)) {
            register.store_doubles(sums, add);
        }
    }
}

#[inline(always)]
fn load<S: Copy + Default, R: Register<S>, const N: usize>(arch: R::Arch, values: &[S]) -> Registers<R, N> {
    let mut registers = [R::splat(arch, S::default()); N];
    for (register, values) in registers.iter_mut().zip(values.chunks_exact(R::WIDTH)) {
        *register = R::load(arch, values);
    }
    Registers(registers)
}
