//! What items bring to a grid and take from it, for each kind of [`Terms`](super::grid::Terms).

use crate::simd::arch::GridRegister;

/// What a kind of terms does with an item. Values are counted from the first.
///
/// # Safety
/// As for [`GridRegister`]; values and positions must be below [`Rule::len`].
pub(super) trait Rule<const N: usize> {
    /// Whether an item takes what others bring by another number than it brings; if not, by the last of the numbers it brings the
    /// first, and so on.
    const TAKES: bool;
    /// Whether pairs are added up by two numbers of each item or by one.
    const TWO: bool;

    /// How many items there are numbers of.
    fn len(&self) -> usize;
    /// The numbers that an item brings.
    unsafe fn brings(&self, value: usize, position: usize) -> [f64; N];
    /// The number by which an item takes, if it is another.
    unsafe fn takes(&self, value: usize, position: usize) -> f64;
    /// The numbers by which pairs are added up one by one.
    unsafe fn both(&self, value: usize, position: usize) -> (f64, f64);
    /// What each of some earlier items adds with a later one, but for a factor of the earlier one.
    unsafe fn pair<L: GridRegister>(earlier: (L, L), later: (f64, f64)) -> L;
    /// That factor.
    unsafe fn factor<L: GridRegister>(earlier: (L, L)) -> L;
}

/// A rule by which pairs add the product of a number of each item.
macro_rules! square_rule {
    ($rule:ty, |$self:ident, $value:ident, $position:ident| $number:expr, $len:expr) => {
        impl Rule<1> for $rule {
            const TAKES: bool = false;
            const TWO: bool = false;

            fn len(&$self) -> usize {
                $len
            }
            #[inline(always)]
            unsafe fn brings(&$self, $value: usize, $position: usize) -> [f64; 1] {
                // SAFETY: as the trait asks.
                #[allow(unused_unsafe)]
                unsafe { [$number] }
            }
            #[inline(always)]
            unsafe fn takes(&$self, $value: usize, $position: usize) -> f64 {
                // SAFETY: as the trait asks.
                #[allow(unused_unsafe)]
                unsafe { $number }
            }
            #[inline(always)]
            unsafe fn both(&$self, $value: usize, $position: usize) -> (f64, f64) {
                // SAFETY: as the trait asks.
                #[allow(unused_unsafe)]
                unsafe { ($number, 0.0) }
            }
            #[inline(always)]
            unsafe fn pair<L: GridRegister>(_: (L, L), later: (f64, f64)) -> L {
                unsafe { L::splat(later.0) }
            }
            #[inline(always)]
            unsafe fn factor<L: GridRegister>(earlier: (L, L)) -> L {
                earlier.0
            }
        }
    };
}

/// A rule by which pairs add a number of the later item.
macro_rules! later_rule {
    ($rule:ty, |$self:ident, $value:ident, $position:ident| $number:expr, $len:expr) => {
        impl Rule<1> for $rule {
            const TAKES: bool = true;
            const TWO: bool = false;

            fn len(&$self) -> usize {
                $len
            }
            #[inline(always)]
            unsafe fn brings(&self, _: usize, _: usize) -> [f64; 1] {
                [1.0]
            }
            #[inline(always)]
            unsafe fn takes(&$self, $value: usize, $position: usize) -> f64 {
                // SAFETY: as the trait asks.
                #[allow(unused_unsafe)]
                unsafe { $number }
            }
            #[inline(always)]
            unsafe fn both(&$self, $value: usize, $position: usize) -> (f64, f64) {
                // SAFETY: as the trait asks.
                #[allow(unused_unsafe)]
                unsafe { ($number, 0.0) }
            }
            #[inline(always)]
            unsafe fn pair<L: GridRegister>(_: (L, L), later: (f64, f64)) -> L {
                unsafe { L::splat(later.0) }
            }
            #[inline(always)]
            unsafe fn factor<L: GridRegister>(_: (L, L)) -> L {
                unsafe { L::splat(1.0) }
            }
        }
    };
}

pub(super) struct Ones;
pub(super) struct Squares<'a>(pub(super) &'a [f64]);
pub(super) struct Products<'a>(pub(super) &'a [f64]);
pub(super) struct Later<'a>(pub(super) &'a [f64]);
pub(super) struct Rooms(pub(super) u32);

square_rule!(Ones, |self, _value, _position| 1.0, usize::MAX);
square_rule!(Squares<'_>, |self, value, _position| *self.0.get_unchecked(value), self.0.len());
square_rule!(
    Products<'_>,
    |self, value, position| self.0.get_unchecked(value) * self.0.get_unchecked(position),
    self.0.len()
);
later_rule!(Later<'_>, |self, value, _position| *self.0.get_unchecked(value), self.0.len());
later_rule!(Rooms, |self, value, position| f64::from(self.0 - value.max(position) as u32), usize::MAX);

/// A rule by which pairs add the product of two sums, each of a number of each item. 1, p, q and p q are brought.
macro_rules! sums_rule {
    ($rule:ty, |$self:ident, $value:ident, $position:ident| $both:expr, $len:expr) => {
        impl Rule<4> for $rule {
            const TAKES: bool = false;
            const TWO: bool = true;

            fn len(&$self) -> usize {
                $len
            }
            #[inline(always)]
            unsafe fn brings(&self, value: usize, position: usize) -> [f64; 4] {
                // SAFETY: as the trait asks.
                let (p, q) = unsafe { self.both(value, position) };
                [1.0, p, q, p * q]
            }
            #[inline(always)]
            unsafe fn takes(&self, _: usize, _: usize) -> f64 {
                0.0
            }
            #[inline(always)]
            unsafe fn both(&$self, $value: usize, $position: usize) -> (f64, f64) {
                // SAFETY: as the trait asks.
                unsafe { $both }
            }
            #[inline(always)]
            unsafe fn pair<L: GridRegister>(earlier: (L, L), later: (f64, f64)) -> L {
                unsafe { earlier.0.add(L::splat(later.0)).mul(earlier.1.add(L::splat(later.1))) }
            }
            #[inline(always)]
            unsafe fn factor<L: GridRegister>(_: (L, L)) -> L {
                unsafe { L::splat(1.0) }
            }
        }
    };
}

pub(super) struct Sums<'a> {
    pub(super) p: &'a [f64],
    pub(super) q: &'a [f64],
}

/// The two numbers of an item are those of its position and its value.
pub(super) struct PlaceSums<'a>(pub(super) &'a [f64]);

sums_rule!(
    Sums<'_>,
    |self, value, _position| (*self.p.get_unchecked(value), *self.q.get_unchecked(value)),
    self.p.len().min(self.q.len())
);
sums_rule!(
    PlaceSums<'_>,
    |self, value, position| (*self.0.get_unchecked(position), *self.0.get_unchecked(value)),
    self.0.len()
);
