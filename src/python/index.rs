//! An index of lists, kept between calls.

use numpy::PyArray1;
use pyo3::prelude::*;

use super::measure::Measure;
use super::neighbors::{Array1, Array2, row_parts, table_parts};
use super::rankings::Rankings;
use super::watched;
use crate::{Error, Options};

/// An index of lists by item, for one measure.
#[pyclass(frozen, module = "wkendall._core")]
pub(super) struct ListIndex(crate::ListIndex<'static>);

#[pymethods]
impl ListIndex {
    #[new]
    #[pyo3(signature = (measure, lists, threads=None))]
    fn new(py: Python<'_>, measure: &Measure, lists: &Rankings, threads: Option<usize>) -> PyResult<Self> {
        let index = watched(py, None, |watch| {
            let lists = lists.0.as_lists()?;
            let options = Options { threads, watch: Some(watch), ..Options::default() };
            Ok::<_, Error>(crate::ListIndex::new(&measure.0, &lists, options)?.into_owned())
        })?;
        Ok(Self(index))
    }

    /// The best values for each list of `x`, or for each list of the index, and the lists that have them; as
    /// `neighbors`.
    #[pyo3(signature = (x, count, threads=None, progress=None))]
    fn neighbors<'py>(
        &self,
        py: Python<'py>,
        x: Option<&Rankings>,
        count: usize,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Array2<'py, f64>, Array2<'py, i64>)> {
        let found = watched(py, progress.as_ref(), |watch| {
            let x = x.map(|x| x.0.as_lists()).transpose()?;
            let options = Options { threads, watch: Some(watch), ..Options::default() };
            self.0.neighbors(x.as_deref(), count, options)
        })?;
        table_parts(py, found)
    }

    /// The measure of each list of `x` and itself.
    #[pyo3(signature = (x, threads=None))]
    fn diagonal<'py>(&self, py: Python<'py>, x: &Rankings, threads: Option<usize>) -> PyResult<Array1<'py, f64>> {
        let found = watched(py, None, |watch| {
            let options = Options { threads, watch: Some(watch), ..Options::default() };
            self.0.diagonal(&*x.0.as_lists()?, options)
        })?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// Where the entries of each row begin, their columns, and their values; as `within`.
    #[pyo3(signature = (x, radius, threads=None, progress=None))]
    fn within<'py>(
        &self,
        py: Python<'py>,
        x: Option<&Rankings>,
        radius: f64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Array1<'py, i64>, Array1<'py, i64>, Array1<'py, f64>)> {
        let found = watched(py, progress.as_ref(), |watch| {
            let x = x.map(|x| x.0.as_lists()).transpose()?;
            let options = Options { threads, watch: Some(watch), ..Options::default() };
            self.0.within(x.as_deref(), radius, options)
        })?;
        Ok(row_parts(py, found))
    }
}
