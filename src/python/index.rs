//! An index of lists, kept between calls.

use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use super::measure::Measure;
use super::neighbors::{Array1, Array2, row_parts, table_parts};
use super::rankings::{Rankings, Set};
use super::{in_use, run_on};

/// A read-only array, for example a file that is mapped to memory.
struct ReadOnly {
    bytes: &'static [u8],
    #[allow(dead_code)] // it is dropped with the bytes
    array: Py<PyArray1<u8>>,
}

impl ReadOnly {
    /// The array, if it is contiguous and nothing can write to it; otherwise `None`.
    #[allow(unsafe_code)]
    fn new(array: &Array1<'_, u8>) -> PyResult<Option<Self>> {
        if array.getattr("flags")?.getattr("writeable")?.extract()? {
            return Ok(None);
        }
        // SAFETY: nothing writes to the array, which is read-only; it is contiguous and aligned, or this is an error.
        let bytes = unsafe { array.as_slice()? };
        // SAFETY: the memory lives as long as the array, which is kept with it.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) };
        Ok(Some(Self { bytes, array: array.clone().unbind() }))
    }
}

impl AsRef<[u8]> for ReadOnly {
    fn as_ref(&self) -> &[u8] {
        self.bytes
    }
}

/// An index of lists by item, for one measure.
#[pyclass(frozen, module = "wkendall._core")]
pub(super) struct ListIndex(crate::ListIndex<'static>);

#[pymethods]
impl ListIndex {
    #[new]
    #[pyo3(signature = (measure, lists, threads=None, progress=None))]
    fn new(
        py: Python<'_>,
        measure: &Measure,
        lists: &Rankings,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self(run_on(py, threads, progress.as_ref(), |run| {
            Ok(crate::ListIndex::new(&measure.0, &*lists.0.as_lists()?, run.into())?.into_owned())
        })?))
    }

    /// The index as bytes, for `from_bytes`.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Array1<'py, u8>> {
        let bytes = py.detach(|| self.0.to_bytes())?;
        Ok(PyArray1::from_vec(py, bytes))
    }

    /// The index for a measure, made from the result of `to_bytes`. With `keep`, the index uses the memory of a
    /// read-only array. This memory must not change.
    #[staticmethod]
    #[pyo3(signature = (measure, bytes, keep=false, threads=None))]
    fn from_bytes(
        py: Python<'_>,
        measure: &Measure,
        bytes: &Array1<'_, u8>,
        keep: bool,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        if let Some(kept) = if keep { ReadOnly::new(bytes)? } else { None } {
            return Ok(Self(run_on(py, threads, None, |run| {
                crate::ListIndex::from_shared_bytes(&measure.0, Arc::new(kept), run.into())
            })?));
        }
        let bytes = bytes.try_readonly().map_err(|_| in_use(py, "an index"))?;
        let bytes = bytes.as_slice()?;
        Ok(Self(run_on(py, threads, None, |run| crate::ListIndex::from_bytes(&measure.0, bytes, run.into()))?))
    }

    /// The number of lists.
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    /// All lists of the index, or some of them.
    #[pyo3(signature = (rows=None))]
    fn lists(&self, py: Python<'_>, rows: Option<PyReadonlyArray1<'_, i64>>) -> PyResult<Rankings> {
        let rows = rows.map(|rows| numbers(&rows));
        let lists = py.detach(|| rows.map_or_else(|| self.0.to_lists(), |rows| self.0.select(&rows)))?;
        Ok(Rankings(Set::Lists(lists)))
    }

    /// The index with more lists; it shares memory with this one.
    #[pyo3(signature = (lists, threads=None))]
    fn added(&self, py: Python<'_>, lists: &Rankings, threads: Option<usize>) -> PyResult<Self> {
        let mut index = self.0.clone();
        run_on(py, threads, None, |run| index.add(&*lists.0.as_lists()?, run.into()))?;
        Ok(Self(index))
    }

    /// The index without some lists; it shares memory with this one.
    #[pyo3(signature = (rows, threads=None))]
    fn removed(&self, py: Python<'_>, rows: PyReadonlyArray1<'_, i64>, threads: Option<usize>) -> PyResult<Self> {
        let rows = numbers(&rows);
        let mut index = self.0.clone();
        run_on(py, threads, None, |run| index.remove(&rows, run.into()))?;
        Ok(Self(index))
    }

    /// For each list of `x`, or for each list of the index: the best values, and the lists that have them. The results
    /// are in the form of `neighbors`.
    #[pyo3(signature = (x, count, threads=None, progress=None))]
    fn neighbors<'py>(
        &self,
        py: Python<'py>,
        x: Option<&Rankings>,
        count: usize,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Array2<'py, f64>, Array2<'py, i64>)> {
        let found = run_on(py, threads, progress.as_ref(), |run| {
            self.0.neighbors(x.map(|x| x.0.as_lists()).transpose()?.as_deref(), count, run.into())
        })?;
        table_parts(py, found)
    }

    /// The measure of each list of `x` and itself.
    #[pyo3(signature = (x, threads=None))]
    fn diagonal<'py>(&self, py: Python<'py>, x: &Rankings, threads: Option<usize>) -> PyResult<Array1<'py, f64>> {
        let found = run_on(py, threads, None, |run| self.0.diagonal(&*x.0.as_lists()?, run.into()))?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// The start of the entries of each row, their columns, and their values. The results are in the form of `within`.
    #[pyo3(signature = (x, radius, threads=None, progress=None))]
    fn within<'py>(
        &self,
        py: Python<'py>,
        x: Option<&Rankings>,
        radius: f64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Array1<'py, i64>, Array1<'py, i64>, Array1<'py, f64>)> {
        let found = run_on(py, threads, progress.as_ref(), |run| {
            self.0.within(x.map(|x| x.0.as_lists()).transpose()?.as_deref(), radius, run.into())
        })?;
        Ok(row_parts(py, found))
    }
}

/// Row numbers. A negative number becomes larger than all row numbers, so that it is an error.
fn numbers(rows: &PyReadonlyArray1<'_, i64>) -> Vec<usize> {
    rows.as_array().iter().map(|&row| usize::try_from(row).unwrap_or(usize::MAX)).collect()
}
