//! Arrays to rankings, complete or not.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::{in_use, watched};
use crate::rankings::complete::Kind;
use crate::rankings::tied::Reading;
use crate::{Error, Missing, Value, memory};

/// Returns what `$call` makes of an array, if it is one of numbers that rankings can be read from.
macro_rules! with_numbers {
    ($values:ident, $call:expr) => {
        with_numbers!($values, $call; i64, i32, i16, i8, u64, u32, u16, u8, f64, f32)
    };
    ($values:ident, $call:expr; $($type:ty),*) => {$(
        if let Ok($values) = $values.cast::<PyArray2<$type>>() {
            return $call;
        }
    )*};
}

/// Checked rankings.
#[pyclass(frozen, module = "wkendall._core")]
pub(super) struct Rankings(pub(super) crate::Rankings);

#[pymethods]
impl Rankings {
    /// From a C-contiguous array of integers, float32 or float64; `kind` is "ranks", "orders" or "scores".
    #[new]
    #[pyo3(signature = (values, kind, mirrored, threads=None))]
    fn new(values: &Bound<'_, PyAny>, kind: &str, mirrored: bool, threads: Option<usize>) -> PyResult<Self> {
        let kind = match kind {
            "ranks" => Kind::Ranks,
            "orders" => Kind::Orders,
            "scores" => Kind::Scores,
            _ => return Err(PyValueError::new_err(format!("unknown kind {kind:?}"))),
        };
        with_numbers!(values, checked(values, kind, mirrored, threads));
        Err(PyTypeError::new_err("values must be a 2-d array of integers or of single or double precision"))
    }

    /// The number of rankings.
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    /// The number of items.
    #[getter]
    fn items(&self) -> usize {
        self.0.items()
    }

    /// The inverse permutation of each.
    fn inverse(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self(py.detach(|| self.0.try_clone())?.inverse()))
    }

    /// Ranks, from 1.
    fn ranks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let (rows, items) = (self.0.rows(), self.0.items());
        table(py, rows, items, || {
            let mut cells = memory::room(rows * items)?;
            for row in 0..rows {
                cells.extend(self.0.row(row).ranks().iter().map(|&rank| i64::from(rank) + 1));
            }
            Ok(cells)
        })
    }
}

/// An array of the numbers that `make` gives. One that is allocated by `numpy` panics where there is no memory.
fn table(
    py: Python<'_>,
    rows: usize,
    columns: usize,
    make: impl FnOnce() -> Result<Vec<i64>, Error> + Send,
) -> PyResult<Bound<'_, PyArray2<i64>>> {
    PyArray1::from_vec(py, py.detach(make)?).reshape([rows, columns])
}

fn checked<V: Value + numpy::Element>(
    values: &Bound<'_, PyArray2<V>>,
    kind: Kind,
    mirrored: bool,
    threads: Option<usize>,
) -> PyResult<Rankings> {
    let borrowed = values.try_readonly().map_err(|_| in_use(values.py(), "the array"))?;
    let (rows, items) = (values.shape()[0], values.shape()[1]);
    let slice = borrowed.as_slice()?;
    watched(values.py(), None, |watch| {
        let rankings = crate::Rankings::build(kind, rows, items, slice, threads, Some(watch))?;
        Ok(Rankings(if mirrored { rankings.mirrored() } else { rankings }))
    })
}

/// Rankings that may have ties and missing items.
#[pyclass(frozen, module = "wkendall._core")]
pub(super) struct Incomplete(pub(super) crate::Incomplete);

#[pymethods]
impl Incomplete {
    /// Takes a C-contiguous 2-d array of integers of up to 64 bits, float32 or float64, in which NaN is an item without a number.
    #[new]
    #[pyo3(signature = (values, descending, ties, missing, threads=None))]
    fn new(
        values: &Bound<'_, PyAny>,
        descending: bool,
        ties: bool,
        missing: &str,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let missing = match missing {
            "error" => Missing::Error,
            "bottom" => Missing::Bottom,
            "anywhere" => Missing::Anywhere,
            _ => return Err(PyValueError::new_err(format!("unknown missing {missing:?}"))),
        };
        let reading = Reading { descending, ties, missing };
        with_numbers!(values, incomplete(values, reading, threads));
        Err(PyTypeError::new_err("rankings must be a 2-d array of integers of up to 64 bits, float32 or float64"))
    }

    #[staticmethod]
    fn from_rankings(py: Python<'_>, rankings: &Rankings) -> PyResult<Self> {
        Ok(Self(py.detach(|| crate::Incomplete::from_rankings(&rankings.0))?))
    }

    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    #[getter]
    fn items(&self) -> usize {
        self.0.items()
    }

    /// For each item the first rank, from 0, of its block of tied items.
    fn starts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        table(py, self.0.rows(), self.0.items(), || {
            memory::collect(self.0.starts().iter().map(|&start| i64::from(start)))
        })
    }

    /// The same as complete rankings, or None if they are not.
    fn complete(&self, py: Python<'_>) -> PyResult<Option<Rankings>> {
        Ok(watched(py, None, |watch| self.0.try_complete(Some(watch)))?.map(Rankings))
    }
}

fn incomplete<V: Value + numpy::Element>(
    values: &Bound<'_, PyArray2<V>>,
    reading: Reading,
    threads: Option<usize>,
) -> PyResult<Incomplete> {
    let borrowed = values.try_readonly().map_err(|_| in_use(values.py(), "the array of rankings"))?;
    let [rows, items] = [values.shape()[0], values.shape()[1]];
    let cells = borrowed.as_slice()?;
    let built = watched(values.py(), None, |watch| {
        crate::Incomplete::build(reading, rows, items, cells, threads, Some(watch))
    })?;
    Ok(Incomplete(built))
}
