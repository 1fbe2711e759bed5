//! Memory whose size grows with the input. If an allocation fails, the caller gets an error, and the process is not
//! aborted.
//!
//! Allocations that always stay below a mebibyte do not use these functions.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::error::Error;

fn lacking<T>(count: usize) -> Error {
    Error::OutOfMemory { bytes: count.saturating_mul(size_of::<T>()) }
}

/// Makes room for `count` values in total.
pub(crate) fn reserve<T>(vector: &mut Vec<T>, count: usize) -> Result<(), Error> {
    let more = count.saturating_sub(vector.len());
    vector.try_reserve_exact(more).map_err(|_| lacking::<T>(count))
}

/// An empty vector with room for `count` values.
pub(crate) fn with_capacity<T>(count: usize) -> Result<Vec<T>, Error> {
    let mut vector = Vec::new();
    reserve(&mut vector, count)?;
    Ok(vector)
}

/// `count` copies of a value.
pub(crate) fn filled<T: Clone>(count: usize, value: T) -> Result<Vec<T>, Error> {
    let mut vector = with_capacity(count)?;
    vector.resize(count, value);
    Ok(vector)
}

/// Sets the length of a vector; new elements are `value`.
pub(crate) fn resize<T: Clone>(vector: &mut Vec<T>, count: usize, value: T) -> Result<(), Error> {
    reserve(vector, count)?;
    vector.resize(count, value);
    Ok(())
}

/// Appends a value.
pub(crate) fn push<T>(vector: &mut Vec<T>, value: T) -> Result<(), Error> {
    if vector.len() == vector.capacity() {
        vector.try_reserve(1).map_err(|_| lacking::<T>(vector.len() + 1))?;
    }
    vector.push(value);
    Ok(())
}

/// Appends values. The vector gets room for more values, so that many calls take linear time.
pub(crate) fn extend<T: Copy>(vector: &mut Vec<T>, values: &[T]) -> Result<(), Error> {
    vector.try_reserve(values.len()).map_err(|_| lacking::<T>(vector.len().saturating_add(values.len())))?;
    vector.extend_from_slice(values);
    Ok(())
}

/// All values of an iterator.
pub(crate) fn collect<T>(values: impl IntoIterator<Item = T>) -> Result<Vec<T>, Error> {
    let values = values.into_iter();
    let (lower, upper) = values.size_hint();
    let mut vector = with_capacity(lower)?;
    if upper == Some(lower) {
        vector.extend(values);
    } else {
        for value in values {
            push(&mut vector, value)?;
        }
    }
    Ok(vector)
}

/// Calls a function for each value, and collects the results.
pub(crate) fn try_map<T, R>(values: Vec<T>, map: impl FnMut(T) -> Result<R, Error>) -> Result<Vec<R>, Error> {
    let mut results = with_capacity(values.len())?;
    for result in values.into_iter().map(map) {
        results.push(result?);
    }
    Ok(results)
}

/// Numbers that copies of a measure share.
#[derive(Debug, Clone)]
pub(crate) enum Shared {
    /// Numbers that the caller gave.
    Given(Arc<[f64]>),
    /// Numbers that this crate made. They are in a `Vec`, because the allocation of an `Arc<[f64]>` cannot return an
    /// error.
    Made(Arc<Vec<f64>>),
}

impl Deref for Shared {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Self::Given(numbers) => numbers,
            Self::Made(numbers) => numbers,
        }
    }
}

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl From<Vec<f64>> for Shared {
    fn from(numbers: Vec<f64>) -> Self {
        Self::Made(Arc::new(numbers))
    }
}

impl From<&Arc<[f64]>> for Shared {
    fn from(numbers: &Arc<[f64]>) -> Self {
        Self::Given(Arc::clone(numbers))
    }
}

/// An object that keeps bytes in memory, such as a file that is mapped to memory.
pub(crate) type Keeper = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Numbers that are stored as bytes, in little-endian order.
pub(crate) trait Plain: Copy + 'static {
    type Bytes: AsRef<[u8]>;

    fn to_bytes(self) -> Self::Bytes;

    /// The numbers with these bytes; `None` if the bytes of the last number are not complete.
    fn read(bytes: &[u8]) -> Result<Option<Vec<Self>>, Error>;
}

macro_rules! plain {
    ($($number:ty, $size:literal, $to:expr, $from:expr;)*) => {$(
        impl Plain for $number {
            type Bytes = [u8; $size];

            fn to_bytes(self) -> [u8; $size] {
                $to(self)
            }

            fn read(bytes: &[u8]) -> Result<Option<Vec<Self>>, Error> {
                let (numbers, rest) = bytes.as_chunks::<$size>();
                rest.is_empty().then(|| collect(numbers.iter().map(|&number| $from(number)))).transpose()
            }
        }
    )*};
}

plain! {
    u8, 1, u8::to_le_bytes, u8::from_le_bytes;
    u32, 4, u32::to_le_bytes, u32::from_le_bytes;
    u64, 8, u64::to_le_bytes, u64::from_le_bytes;
    f32, 4, f32::to_le_bytes, f32::from_le_bytes;
    f64, 8, f64::to_le_bytes, f64::from_le_bytes;
    [u32; 2], 8,
        |[first, second]: Self| (u64::from(first) | u64::from(second) << 32).to_le_bytes(),
        |bytes| { let both = u64::from_le_bytes(bytes); [both as u32, (both >> 32) as u32] };
}

/// Numbers that own their memory, or that are in memory which another object keeps, such as a file that is mapped to
/// memory.
#[derive(Clone)]
pub(crate) enum Stored<T: 'static> {
    Own(Vec<T>),
    Kept {
        numbers: &'static [T],
        #[allow(dead_code)] // it is dropped with the numbers
        keeper: Keeper,
    },
}

impl<T: Plain> Stored<T> {
    /// The numbers in some bytes of a keeper. `None` if the bytes are not aligned, or if this machine does not store
    /// numbers in little-endian order.
    #[allow(unsafe_code)]
    pub(crate) fn kept(keeper: &Keeper, range: Range<usize>) -> Option<Self> {
        let bytes = (**keeper).as_ref().get(range).filter(|_| cfg!(target_endian = "little"))?;
        // SAFETY: every pattern of bits is a value of the types that are `Plain`, all made of numbers.
        let (before, numbers, after) = unsafe { bytes.align_to::<T>() };
        if !(before.is_empty() && after.is_empty()) {
            return None;
        }
        // SAFETY: the slice is borrowed from the object of `keeper`. The new `Arc` keeps this object at its address,
        // and while the `Arc` exists, no code can have a mutable reference to the object.
        let numbers = unsafe { std::slice::from_raw_parts(numbers.as_ptr(), numbers.len()) };
        Some(Self::Kept { numbers, keeper: Arc::clone(keeper) })
    }
}

impl<T> Deref for Stored<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Own(numbers) => numbers,
            Self::Kept { numbers, .. } => numbers,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Stored<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Stored<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Stored<T> {}

impl<T> From<Vec<T>> for Stored<T> {
    fn from(numbers: Vec<T>) -> Self {
        Self::Own(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_an_error() {
        let bytes = usize::MAX / 2;
        assert_eq!(with_capacity::<u8>(bytes), Err(Error::OutOfMemory { bytes }));
        assert_eq!(filled(bytes / 4, 0_u32), Err(Error::OutOfMemory { bytes: bytes / 4 * 4 }));
        assert_eq!(collect((0..bytes).map(|_| 0_u8)), Err(Error::OutOfMemory { bytes }));
        let mut few = vec![1_u8];
        assert_eq!(resize(&mut few, bytes, 0), Err(Error::OutOfMemory { bytes }));
        assert_eq!(few, [1]);
    }

    #[test]
    fn enough_is_what_the_standard_library_gives() {
        assert_eq!(filled(3, 7), Ok(vec![7; 3]));
        assert_eq!(collect((0..100).filter(|i| i % 3 == 0)), Ok((0..100).step_by(3).collect()));
        assert_eq!(collect(0..5), Ok(vec![0, 1, 2, 3, 4]));
        let mut vector = vec![1, 2, 3];
        assert_eq!(resize(&mut vector, 2, 0), Ok(()));
        assert_eq!(resize(&mut vector, 4, 9), Ok(()));
        assert_eq!(push(&mut vector, 5), Ok(()));
        assert_eq!(vector, [1, 2, 9, 9, 5]);
    }
}
