//! An index of lists, kept between calls.

use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::measure::Measure;
use super::neighbors::{Array1, Array2, row_parts, table_parts};
use super::rankings::{Rankings, Set};
use super::{in_use, watched};
use crate::gram::{IndexParts, Postings};
use crate::memory::{self, Stored};
use crate::{Error, Lists, Options};

/// A segment of an index as arrays: bounds, entries and flags of the lists, removed lists, divisors, classes, and the postings.
type SegmentArrays<'py> = (
    (Array1<'py, u64>, Array1<'py, u32>, Array1<'py, bool>, Array1<'py, u32>),
    (Array1<'py, f64>, Array1<'py, u32>),
    (Array1<'py, u32>, Array1<'py, u64>, Array1<'py, u32>, Array1<'py, f32>, Array1<'py, u8>, f64),
);

fn copied<T: numpy::Element + Copy>(array: &Array1<'_, T>) -> PyResult<Vec<T>> {
    let values = array.try_readonly().map_err(|_| in_use(array.py(), "a part of an index"))?;
    Ok(memory::collect(values.as_slice()?.iter().copied())?)
}

fn sizes(array: &Array1<'_, u64>) -> PyResult<Vec<usize>> {
    Ok(memory::collect(copied(array)?.into_iter().map(|number| number as usize))?)
}

/// The numbers of an array in another form: a copy, or with `keep` the memory of a read-only array, such as a file in
/// memory.
#[allow(unsafe_code)]
fn stored<T: numpy::Element + Copy + 'static, U: Copy>(
    array: &Array1<'_, T>,
    keep: bool,
    form: fn(&[T]) -> &[U],
) -> PyResult<Stored<U>> {
    if !keep || array.getattr("flags")?.getattr("writeable")?.extract()? {
        let values = array.try_readonly().map_err(|_| in_use(array.py(), "a part of an index"))?;
        return Ok(memory::collect(form(values.as_slice()?).iter().copied())?.into());
    }
    // SAFETY: nothing writes to the array, which is read-only; it is contiguous and aligned, or this is an error.
    let numbers = form(unsafe { array.as_slice()? });
    // SAFETY: the memory lives as long as the array, which is kept with it; `keep` promises that nothing writes to it.
    let numbers = unsafe { std::slice::from_raw_parts(numbers.as_ptr(), numbers.len()) };
    Ok(Stored::Kept { numbers, keeper: Arc::new(array.clone().unbind()) })
}

fn pairs(numbers: &[u32]) -> &[[u32; 2]] {
    numbers.as_chunks().0
}

fn same<T>(numbers: &[T]) -> &[T] {
    numbers
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
        let index = watched(py, progress.as_ref(), |watch| {
            let lists = lists.0.as_lists()?;
            let options = Options { threads, watch: Some(watch), ..Options::default() };
            Ok::<_, Error>(crate::ListIndex::new(&measure.0, &lists, options)?.into_owned())
        })?;
        Ok(Self(index))
    }

    /// The segments of the index as arrays, for `from_parts`.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Vec<SegmentArrays<'py>>> {
        let segments = self.0.to_parts(|lists, removed, roots, classes, postings| {
            let sizes = |sizes: &[usize]| memory::collect(sizes.iter().map(|&size| size as u64));
            let flags = memory::collect(lists.has_all().iter().copied())?;
            Ok((
                (
                    PyArray1::from_vec(py, sizes(lists.bounds())?),
                    array(py, lists.all_entries().as_flattened())?,
                    PyArray1::from_vec(py, flags),
                    array(py, removed)?,
                ),
                (array(py, roots.unwrap_or_default())?, array(py, classes)?),
                (
                    array(py, &postings.items)?,
                    PyArray1::from_vec(py, sizes(&postings.starts)?),
                    array(py, &postings.lists)?,
                    array(py, &postings.norms)?,
                    array(py, &postings.ranks)?,
                    postings.largest,
                ),
            ))
        });
        segments.into_iter().collect()
    }

    /// The index of lists of `items` items for a measure, from the result of `parts`. With `keep`, the memory of read-only
    /// arrays is used, and must not change.
    #[staticmethod]
    #[pyo3(signature = (measure, items, segments, keep=false))]
    fn from_parts(
        py: Python<'_>,
        measure: &Measure,
        items: usize,
        segments: Vec<SegmentArrays<'_>>,
        keep: bool,
    ) -> PyResult<Self> {
        let refused = || PyValueError::new_err("these are not the parts of an index of lists for this measure");
        let mut parts = Vec::new();
        for (lists, (roots, classes), (listed, starts, of_items, norms, ranks, largest)) in segments {
            let (bounds, entries, has_all, removed) = lists;
            let lists = (items, sizes(&bounds)?, stored(&entries, keep, pairs)?, copied(&has_all)?);
            let postings = Postings {
                items: copied(&listed)?,
                starts: sizes(&starts)?,
                lists: stored(&of_items, keep, same)?,
                norms: stored(&norms, keep, same)?,
                ranks: stored(&ranks, keep, same)?,
                largest,
            };
            parts.push((lists, copied(&removed)?, copied(&roots)?, copied(&classes)?, postings));
        }
        let index = watched(py, None, |watch| {
            let mut segments = Vec::new();
            for ((items, bounds, entries, has_all), removed, roots, classes, postings) in parts {
                let Some(lists) = Lists::from_parts(items, bounds, entries, has_all) else { return Ok(None) };
                segments.push(IndexParts { lists, removed, roots, classes, postings });
            }
            crate::ListIndex::from_parts(&measure.0, segments, Some(watch))
        })?;
        index.map(Self).ok_or_else(refused)
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
        let index = watched(py, None, |watch| {
            let mut index = self.0.clone();
            let options = Options { threads, watch: Some(watch), ..Options::default() };
            index.add(&*lists.0.as_lists()?, options)?;
            Ok::<_, Error>(index)
        })?;
        Ok(Self(index))
    }

    /// The index without some lists; it shares memory with this one.
    #[pyo3(signature = (rows, threads=None))]
    fn removed(&self, py: Python<'_>, rows: PyReadonlyArray1<'_, i64>, threads: Option<usize>) -> PyResult<Self> {
        let rows = numbers(&rows);
        let index = watched(py, None, |watch| {
            let mut index = self.0.clone();
            index.remove(&rows, Options { threads, watch: Some(watch), ..Options::default() })?;
            Ok::<_, Error>(index)
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

/// Row numbers; a negative one is larger than all rows.
fn numbers(rows: &PyReadonlyArray1<'_, i64>) -> Vec<usize> {
    rows.as_array().iter().map(|&row| usize::try_from(row).unwrap_or(usize::MAX)).collect()
}

fn array<'py, T: numpy::Element + Copy>(py: Python<'py>, values: &[T]) -> PyResult<Array1<'py, T>> {
    Ok(PyArray1::from_vec(py, memory::collect(values.iter().copied())?))
}
