//! Numbers as given by the caller, and their meaning.

use crate::error::{Error, Number};

/// A number that can be a rank, an item number or a score: any integer of up to 64 bits, `f32` or `f64`.
pub trait Value: Copy + Sync + sealed::Sealed {
    /// Numbers of this type as numbers of any type.
    #[doc(hidden)]
    fn numbers(values: &[Self]) -> AnyNumbers<'_>;
    /// Whether long rows of these numbers are common. Then the type has a compiled sort of its own.
    #[doc(hidden)]
    const OFTEN_LONG: bool = false;
    /// The value as an `i64`, if it is a whole number in the range of this type.
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

/// Numbers of one of the types of [`Value`]. Functions that take such numbers are not generic. So the code for every
/// type is compiled in this crate, and not in the crates that use this crate.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // one variant for each type
pub enum AnyNumbers<'a> {
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    Isize(&'a [isize]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    Usize(&'a [usize]),
    F32(&'a [f32]),
    F64(&'a [f64]),
}

/// Evaluates an expression for the slice of some [`AnyNumbers`].
macro_rules! with_slice {
    ($numbers:expr, |$values:ident| $result:expr) => {
        match $numbers {
            $crate::rankings::value::AnyNumbers::I8($values) => $result,
            $crate::rankings::value::AnyNumbers::I16($values) => $result,
            $crate::rankings::value::AnyNumbers::I32($values) => $result,
            $crate::rankings::value::AnyNumbers::I64($values) => $result,
            $crate::rankings::value::AnyNumbers::Isize($values) => $result,
            $crate::rankings::value::AnyNumbers::U8($values) => $result,
            $crate::rankings::value::AnyNumbers::U16($values) => $result,
            $crate::rankings::value::AnyNumbers::U32($values) => $result,
            $crate::rankings::value::AnyNumbers::U64($values) => $result,
            $crate::rankings::value::AnyNumbers::Usize($values) => $result,
            $crate::rankings::value::AnyNumbers::F32($values) => $result,
            $crate::rankings::value::AnyNumbers::F64($values) => $result,
        }
    };
}
pub(crate) use with_slice;

impl AnyNumbers<'_> {
    pub(crate) fn len(self) -> usize {
        with_slice!(self, |values| values.len())
    }

    /// A value as an `i64`, if it is a whole number in the range of this type.
    pub(crate) fn whole(self, at: usize) -> Option<i64> {
        with_slice!(self, |values| values[at].whole())
    }

    /// A value for messages.
    pub(crate) fn number(self, at: usize) -> Number {
        with_slice!(self, |values| values[at].number())
    }
}

macro_rules! integer_values {
    ($number:ident: $($variant:ident $type:ty),*) => {$(
        impl sealed::Sealed for $type {}
        impl Value for $type {
            fn numbers(values: &[Self]) -> AnyNumbers<'_> {
                AnyNumbers::$variant(values)
            }
            fn whole(self) -> Option<i64> {
                self.try_into().ok()
            }
            fn number(self) -> Number {
                Number::$number(self as _)
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
integer_values!(Signed: I8 i8, I16 i16, I32 i32, I64 i64, Isize isize);
integer_values!(Unsigned: U8 u8, U16 u16, U32 u32, U64 u64, Usize usize);

impl sealed::Sealed for f64 {}
impl Value for f64 {
    const OFTEN_LONG: bool = true;
    fn numbers(values: &[Self]) -> AnyNumbers<'_> {
        AnyNumbers::F64(values)
    }
    fn whole(self) -> Option<i64> {
        // Above 2^53 every float is an integer. It is far larger than any rank, and it is reported as out of range.
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
    fn numbers(values: &[Self]) -> AnyNumbers<'_> {
        AnyNumbers::F32(values)
    }
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

/// Marks a rank that is not taken yet. No column has this number, because `check_shape` allows fewer columns.
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
