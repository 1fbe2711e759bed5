//! An index of lists, kept between calls.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::measure::Measure;
use super::neighbors::{Array1, Array2, row_parts, table_parts};
use super::rankings::Rankings;
use super::{in_use, watched};
use crate::gram::{IndexParts, Postings};
use crate::{Error, Options, memory};

/// An index as arrays: divisors, classes, and the postings.
type IndexArrays<'py> = (
    Array1<'py, f64>,
    Array1<'py, u32>,
    Array1<'py, u32>,
    Array1<'py, u64>,
    Array1<'py, u32>,
    Array1<'py, f32>,
    Array1<'py, u8>,
    f64,
);

fn copied<T: numpy::Element + Copy>(array: &Array1<'_, T>) -> PyResult<Vec<T>> {
    let values = array.try_readonly().map_err(|_| in_use(array.py(), "a part of an index"))?;
    Ok(memory::collect(values.as_slice()?.iter().copied())?)
}

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

    /// The index as arrays, for `from_parts`.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<IndexArrays<'py>> {
        let IndexParts { roots, classes, postings } = py.detach(|| self.0.to_parts())?;
        let Postings { items, starts, lists, norms, ranks, largest } = postings;
        let starts = starts.into_iter().map(|start| start as u64).collect();
        Ok((
            PyArray1::from_vec(py, roots),
            PyArray1::from_vec(py, classes),
            PyArray1::from_vec(py, items),
            PyArray1::from_vec(py, starts),
            PyArray1::from_vec(py, lists),
            PyArray1::from_vec(py, norms),
            PyArray1::from_vec(py, ranks),
            largest,
        ))
    }

    /// The index of these lists for a measure, from the result of `parts`.
    #[staticmethod]
    fn from_parts(py: Python<'_>, measure: &Measure, lists: &Rankings, parts: IndexArrays<'_>) -> PyResult<Self> {
        let (roots, classes, items, starts, of_items, norms, ranks, largest) = parts;
        let starts = memory::collect(copied(&starts)?.into_iter().map(|start| start as usize))?;
        let (items, lists_of_items) = (copied(&items)?, copied(&of_items)?);
        let postings =
            Postings { items, starts, lists: lists_of_items, norms: copied(&norms)?, ranks: copied(&ranks)?, largest };
        let parts = IndexParts { roots: copied(&roots)?, classes: copied(&classes)?, postings };
        let index = watched(py, None, |watch| {
            crate::ListIndex::from_parts(&measure.0, lists.0.as_lists()?.into_owned(), parts, Some(watch))
        })?;
        index.map(Self).ok_or_else(|| PyValueError::new_err("these are not the parts of an index of these lists"))
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
