//! The types of results, and memory for them.

use crate::error::Error;
use crate::matrix::Matrix;
use crate::memory;
use crate::parallel::{self, Watch};

/// The number of values that are zeroed between two checks for a stop: a few milliseconds.
const ZEROED_AT_ONCE: usize = 1 << 20;
/// Time to write a zero to a byte that has not been used yet (Xeon 2.3 GHz). The operating system takes most of this
/// time.
const ZERO_NS: f64 = 0.25;

/// A type of results: `f64`, or `f32`, which takes half the memory. Counts are computed exactly for both types. With
/// `f32`, weighted sums over up to a few hundred items are computed in single precision if the loss of digits is small
/// enough.
pub trait Element: Copy + Send + Sync + Default + sealed::Sealed {
    /// The smallest and the largest positive number of the type that keeps full precision; `None` for `f64`.
    #[doc(hidden)]
    const RANGE: Option<(f64, f64)>;
    #[doc(hidden)]
    fn from_f64(value: f64) -> Self;
    /// Values of this type as values of any type.
    #[doc(hidden)]
    fn output(values: &mut [Self]) -> Output<'_>;
    /// Memory for a result, filled with zeros while the caller watches.
    #[doc(hidden)]
    fn zeros(rows: usize, columns: usize, watch: Option<Watch<'_>>) -> Result<Vec<Self>, Error>;
}

mod sealed {
    pub trait Sealed: crate::simd::place::Cell {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// Memory for results of one of the types of [`Element`]. Functions that take this type are not generic. So the code
/// for `f64` and `f32` is compiled in this crate, and not in the crates that use this crate.
#[derive(Debug)]
#[allow(missing_docs)] // one variant for each type
pub enum Output<'a> {
    Double(&'a mut [f64]),
    Single(&'a mut [f32]),
}

/// Evaluates an expression for the slice of an [`Output`].
macro_rules! with_output {
    ($output:expr, |$values:ident| $result:expr) => {
        match $output {
            $crate::gram::Output::Double($values) => $result,
            $crate::gram::Output::Single($values) => $result,
        }
    };
}
pub(crate) use with_output;

impl Element for f64 {
    const RANGE: Option<(f64, f64)> = None;
    fn from_f64(value: f64) -> Self {
        value
    }
    fn output(values: &mut [Self]) -> Output<'_> {
        Output::Double(values)
    }
    fn zeros(rows: usize, columns: usize, watch: Option<Watch<'_>>) -> Result<Vec<Self>, Error> {
        zeroed(rows, columns, watch)
    }
}

impl Element for f32 {
    const RANGE: Option<(f64, f64)> = Some((f32::MIN_POSITIVE as f64, f32::MAX as f64));
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    fn output(values: &mut [Self]) -> Output<'_> {
        Output::Single(values)
    }
    fn zeros(rows: usize, columns: usize, watch: Option<Watch<'_>>) -> Result<Vec<Self>, Error> {
        zeroed(rows, columns, watch)
    }
}

fn zeroed<T: Element>(rows: usize, columns: usize, watch: Option<Watch<'_>>) -> Result<Vec<T>, Error> {
    let too_large = || Error::TooLarge { rows, columns };
    let count = rows.checked_mul(columns).ok_or_else(too_large)?;
    let mut values = memory::with_capacity(count).map_err(|_| too_large())?;
    let ns = ZERO_NS * (count * size_of::<T>()) as f64;
    parallel::run_one(ns, watch, move |cancel| {
        while values.len() < count {
            if cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            values.resize(count.min(values.len() + ZEROED_AT_ONCE), T::default());
        }
        Ok(values)
    })
}

/// Returns an error for a value beyond the range of the result's type.
pub(super) fn check_single<T: Element>(value: f64) -> Result<(), Error> {
    match T::RANGE {
        Some((_, max)) if value.abs() > max => Err(Error::BeyondSingle { value }),
        _ => Ok(()),
    }
}

/// A matrix of zeros, made while the caller watches.
pub(crate) fn zero_matrix<T: Element>(
    rows: usize,
    columns: usize,
    watch: Option<Watch<'_>>,
) -> Result<Matrix<T>, Error> {
    Matrix::from_vec(rows, columns, T::zeros(rows, columns, watch)?)
}

/// The most similar rankings for each ranking: see [`neighbors`](crate::neighbors).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Neighbors {
    /// The number of neighbours of each ranking.
    pub count: usize,
    /// The row numbers of the neighbours, the best first: `count` numbers for the first ranking, then `count` numbers
    /// for the second ranking, and so on.
    pub indices: Vec<usize>,
    /// The values of the neighbours, in the same order.
    pub values: Vec<f64>,
}

/// All rankings within a radius of each ranking: see [`within`](crate::within).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Within {
    /// For each ranking, the start of its entries in `indices` and `values`. The last number is the number of all
    /// entries.
    pub starts: Vec<usize>,
    /// The row numbers of the neighbours, in increasing order for each ranking.
    pub indices: Vec<usize>,
    /// The values of the neighbours, in the same order as `indices`.
    pub values: Vec<f64>,
}
