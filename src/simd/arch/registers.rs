//! Vectors made of several registers.

use super::vectors::{Doubles16, GridRegister, Register, Vector};

/// Read from `8 - lane` on: minus infinity in the lanes below `lane`, infinity in the others. Taking the maximum with
/// it hides the latter.
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

impl<R: Copy, const N: usize> Registers<R, N> {
    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(R, R) -> R) -> Self {
        for (value, other) in self.0.iter_mut().zip(other.0) {
            *value = f(*value, other);
        }
        self
    }
}

/// A register with the operations for features.
///
/// # Safety
/// As for all [vectors](super::vectors).
pub(super) trait FeatureRegister<S>: Register<S> {
    /// `table[at[lane]]`. All indices must be within the table and below 2^31.
    unsafe fn gather(table: &[S], at: &[u32]) -> Self;
    /// `self` in the lanes where `a < b`, and `-self` in the others.
    unsafe fn negative_unless_less(self, a: Self, b: Self) -> Self;
}

impl<R: GridRegister, const N: usize> Doubles16 for Registers<R, N> {
    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        const { assert!(N * R::WIDTH == 16) };
        unsafe { Self([R::splat(value); N]) }
    }
    #[inline(always)]
    unsafe fn load(values: &[f64; 16]) -> Self {
        unsafe { load(values) }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f64 {
        let mut parts = self.0;
        let mut count = N;
        while count > 1 {
            count /= 2;
            for index in 0..count {
                parts[index] = unsafe { parts[2 * index].add(parts[2 * index + 1]) };
            }
        }
        unsafe { parts[0].sum() }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| unsafe { a.mul(b) })
    }
    #[inline(always)]
    unsafe fn add_product(mut self, a: Self, b: Self) -> Self {
        for (sum, (a, b)) in self.0.iter_mut().zip(a.0.into_iter().zip(b.0)) {
            *sum = unsafe { sum.add_product(a, b) };
        }
        self
    }
}

impl<S: Copy + Default, R: FeatureRegister<S>, const N: usize, const G: usize> Vector<S, G> for Registers<R, N> {
    #[inline(always)]
    unsafe fn zero() -> Self {
        const { assert!(N * R::WIDTH == G) };
        unsafe { Self([R::splat(S::default()); N]) }
    }
    #[inline(always)]
    unsafe fn load(values: &[S; G]) -> Self {
        unsafe { load(values) }
    }
    #[inline(always)]
    unsafe fn store(self, values: &mut [S; G]) {
        for (register, values) in self.0.into_iter().zip(values.chunks_exact_mut(R::WIDTH)) {
            unsafe { register.store(values) };
        }
    }
    #[inline(always)]
    unsafe fn gather(table: &[S], at: &[u32; G]) -> Self {
        unsafe {
            let mut registers = [R::splat(S::default()); N];
            for (register, at) in registers.iter_mut().zip(at.chunks_exact(R::WIDTH)) {
                // SAFETY: all indices are within the table, as the trait asks.
                *register = R::gather(table, at);
            }
            Self(registers)
        }
    }
    #[inline(always)]
    unsafe fn add_times(self, value: S, other: Self) -> Self {
        unsafe {
            let value = R::splat(value);
            self.zip(other, |sum, other| sum.add_product(value, other))
        }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| unsafe { a.add(b) })
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| unsafe { a.mul(b) })
    }
    #[inline(always)]
    unsafe fn negative_unless_less(mut self, a: Self, b: Self) -> Self {
        for (value, (a, b)) in self.0.iter_mut().zip(a.0.into_iter().zip(b.0)) {
            *value = unsafe { value.negative_unless_less(a, b) };
        }
        self
    }
}

/// # Safety
/// As for all [vectors](super::vectors).
#[inline(always)]
unsafe fn load<S: Copy + Default, R: Register<S>, const N: usize>(values: &[S]) -> Registers<R, N> {
    unsafe {
        let mut registers = [R::splat(S::default()); N];
        for (register, values) in registers.iter_mut().zip(values.chunks_exact(R::WIDTH)) {
            *register = R::load(values);
        }
        Registers(registers)
    }
}
