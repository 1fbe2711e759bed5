//! Numbers as given by the caller, and their meaning.

use crate::error::{Error, Number};

/// A number that can be a rank, an item number or a score: any integer of up to 64 bits, `f32` or `f64`.
pub trait Value: Copy + Sync + sealed::Sealed {
    /// Whether long rows of these numbers are common enough to have a compiled sort of their own.
    #[doc(hidden)]
    const OFTEN_LONG: bool = false;
    /// The value as a whole number, if it is one that fits.
    #[doc(hidden)]
    fn whole(self) -> Option<i64>;
    /// The value for messages.
    #[doc(hidden)]
    fn number(self) -> Number;
    /// Whether the value is neither NaN nor infinite.
    #[doc(hidden)]
    fn is_real(self) -> bool;
    /// Whether the value is not NaN.
    #[doc(hidden)]
    fn is_known(self) -> bool;
    /// The order of two values of which neither is NaN.
    #[doc(hidden)]
    fn order(self, other: Self) -> std::cmp::Ordering;
    /// An integer with the same order as the values, none of which is NaN.
    #[doc(hidden)]
    fn key(self) -> u64;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! integer_values {
    ($variant:ident: $($type:ty),*) => {$(
        impl sealed::Sealed for $type {}
        impl Value for $type {
            fn whole(self) -> Option<i64> {
                self.try_into().ok()
            }
            fn number(self) -> Number {
                Number::$variant(self as _)
            }
            fn is_real(self) -> bool {
                true
            }
            fn is_known(self) -> bool {
                true
            }
            fn order(self, other: Self) -> std::cmp::Ordering {
                self.cmp(&other)
            }
            fn key(self) -> u64 {
                // Counts from the smallest number of the type.
                (self as u64).wrapping_sub(<$type>::MIN as u64)
            }
        }
    )*};
}
integer_values!(Signed: i8, i16, i32, i64, isize);
integer_values!(Unsigned: u8, u16, u32, u64, usize);

impl sealed::Sealed for f64 {}
impl Value for f64 {
    const OFTEN_LONG: bool = true;
    fn whole(self) -> Option<i64> {
        // Above 2^53 every float is an integer, far beyond any rank: it is reported as out of range.
        (self.fract() == 0.0).then_some(self as i64)
    }
    fn number(self) -> Number {
        match self.whole() {
            Some(whole) if self.abs() < 1e15 => Number::Signed(whole),
            _ => Number::Real(self),
        }
    }
    fn is_real(self) -> bool {
        self.is_finite()
    }
    fn is_known(self) -> bool {
        !self.is_nan()
    }
    fn order(self, other: Self) -> std::cmp::Ordering {
        self.partial_cmp(&other).unwrap_or(std::cmp::Ordering::Equal)
    }
    fn key(self) -> u64 {
        // The bits of floats are ordered like the numbers, except for the sign. Adding 0 turns -0 into 0.
        let bits = (self + 0.0).to_bits();
        if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
    }
}

impl sealed::Sealed for f32 {}
impl Value for f32 {
    fn whole(self) -> Option<i64> {
        f64::from(self).whole()
    }
    fn number(self) -> Number {
        f64::from(self).number()
    }
    fn is_real(self) -> bool {
        self.is_finite()
    }
    fn is_known(self) -> bool {
        !self.is_nan()
    }
    fn order(self, other: Self) -> std::cmp::Ordering {
        f64::from(self).order(other.into())
    }
    fn key(self) -> u64 {
        f64::from(self).key()
    }
}

/// The meaning of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputKind {
    Ranks,
    Orders,
    Scores,
}

/// The value counting from 0, if it is below the number of items.
pub(crate) fn index_of<V: Value>(value: V, zero_based: bool, items: usize) -> Option<usize> {
    let index = value.whole()?.checked_sub(i64::from(!zero_based))?;
    usize::try_from(index).ok().filter(|&index| index < items)
}

/// Marks a rank that is not taken yet; `check_shape` keeps columns below it.
pub(crate) const VACANT: u32 = u32::MAX;

pub(crate) fn check_shape(rows: usize, items: usize, values: usize) -> Result<(), Error> {
    if items >= VACANT as usize {
        return Err(Error::TooManyItems { items });
    }
    match rows.checked_mul(items) {
        Some(product) if product == values => Ok(()),
        _ => Err(Error::Shape { values, rows, items }),
    }
}
