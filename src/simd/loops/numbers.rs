//! The numbers of items that a grid looks up, given the value and the position of the item.
#![allow(unsafe_code)]

use crate::simd::arch::GridRegister;
use crate::weight::pair::TermNumber;

/// `M` numbers of each item. Values are counted from the first.
pub(super) trait Numbers<const M: usize> {
    /// The number of items.
    fn len(&self) -> usize;

    /// # Safety
    /// The value and the position must be below [`Numbers::len`].
    unsafe fn of(&self, value: usize, position: usize) -> [f64; M];
}

/// No numbers.
pub(super) struct Nothing;

impl Numbers<0> for Nothing {
    #[inline(always)]
    fn len(&self) -> usize {
        usize::MAX
    }
    #[inline(always)]
    unsafe fn of(&self, _: usize, _: usize) -> [f64; 0] {
        []
    }
}

/// `x[value]`.
pub(super) struct ByValue<'a>(pub(super) &'a [f64]);

impl Numbers<1> for ByValue<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    unsafe fn of(&self, value: usize, _: usize) -> [f64; 1] {
        // SAFETY: below the length, as the trait asks.
        unsafe { [*self.0.get_unchecked(value)] }
    }
}

/// `p[value]` and `q[value]`.
pub(super) struct TwoByValue<'a> {
    pub(super) p: &'a [f64],
    pub(super) q: &'a [f64],
}

impl Numbers<2> for TwoByValue<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.p.len().min(self.q.len())
    }
    #[inline(always)]
    unsafe fn of(&self, value: usize, _: usize) -> [f64; 2] {
        // SAFETY: below the length, as the trait asks.
        unsafe { [*self.p.get_unchecked(value), *self.q.get_unchecked(value)] }
    }
}

/// `u[value] * u[position]`.
pub(super) struct ProductOfBoth<'a>(pub(super) &'a [f64]);

impl Numbers<1> for ProductOfBoth<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    unsafe fn of(&self, value: usize, position: usize) -> [f64; 1] {
        // SAFETY: below the length, as the trait asks.
        unsafe { [self.0.get_unchecked(value) * self.0.get_unchecked(position)] }
    }
}

/// `u[position]` and `u[value]`.
pub(super) struct Both<'a>(pub(super) &'a [f64]);

impl Numbers<2> for Both<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    unsafe fn of(&self, value: usize, position: usize) -> [f64; 2] {
        // SAFETY: below the length, as the trait asks.
        unsafe { [*self.0.get_unchecked(position), *self.0.get_unchecked(value)] }
    }
}

/// `n - max(value, position)`.
pub(super) struct Remaining(pub(super) u32);

impl Numbers<1> for Remaining {
    #[inline(always)]
    fn len(&self) -> usize {
        usize::MAX
    }
    #[inline(always)]
    unsafe fn of(&self, value: usize, position: usize) -> [f64; 1] {
        [f64::from(self.0 - value.max(position) as u32)]
    }
}

/// A register as a number of [`PairTerm`](crate::weight::pair::PairTerm).
#[derive(Clone, Copy)]
pub(super) struct Lanes<V>(pub(super) V);

impl<V: GridRegister> TermNumber for Lanes<V> {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(self.0.add(other.0))
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self(self.0.mul(other.0))
    }
}
