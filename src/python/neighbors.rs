//! Neighbours of rankings, and bit vectors for the indexes of other libraries.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use super::gram::in_one_representation;
use super::measure::Measure;
use super::rankings::Rankings;
use super::{run_on, watched};
use crate::Options;
use crate::rankings::with_operands;

pub(super) type Array1<'py, T> = Bound<'py, PyArray1<T>>;
pub(super) type Array2<'py, T> = Bound<'py, PyArray2<T>>;

/// The best values of each row, and their columns. `progress` is used as in `gram`.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // they are keyword arguments in Python
#[pyo3(signature = (measure, x, y, count, threads=None, tile=None, backend=None, progress=None))]
pub(super) fn neighbors<'py>(
    py: Python<'py>,
    measure: &Measure,
    x: &Rankings,
    y: Option<&Rankings>,
    count: usize,
    threads: Option<usize>,
    tile: Option<usize>,
    backend: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Array2<'py, f64>, Array2<'py, i64>)> {
    let backend = backend.map(str::parse).transpose()?.unwrap_or_default();
    let found = in_one_representation(py, measure, x, y, |operands| {
        watched(py, progress.as_ref(), |watch| {
            let options = Options { threads, tile, backend, watch: Some(watch) };
            with_operands!(operands, |x, y| crate::neighbors(&measure.0, x, y, count, options))
        })
    })?;
    table_parts(py, found)
}

/// Values and indices as arrays with one row for each ranking.
pub(super) fn table_parts(py: Python<'_>, found: crate::Neighbors) -> PyResult<(Array2<'_, f64>, Array2<'_, i64>)> {
    let shape = [found.values.len() / found.count, found.count];
    let indices = PyArray1::from_vec(py, signed(found.indices));
    Ok((PyArray1::from_vec(py, found.values).reshape(shape)?, indices.reshape(shape)?))
}

/// The start of the entries of each row, their columns, and their values.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // they are keyword arguments in Python
#[pyo3(signature = (measure, x, y, radius, threads=None, tile=None, backend=None, progress=None))]
pub(super) fn within<'py>(
    py: Python<'py>,
    measure: &Measure,
    x: &Rankings,
    y: Option<&Rankings>,
    radius: f64,
    threads: Option<usize>,
    tile: Option<usize>,
    backend: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Array1<'py, i64>, Array1<'py, i64>, Array1<'py, f64>)> {
    let backend = backend.map(str::parse).transpose()?.unwrap_or_default();
    let found = in_one_representation(py, measure, x, y, |operands| {
        watched(py, progress.as_ref(), |watch| {
            let options = Options { threads, tile, backend, watch: Some(watch) };
            with_operands!(operands, |x, y| crate::within(&measure.0, x, y, radius, options))
        })
    })?;
    Ok(row_parts(py, found))
}

/// Starts, indices and values as arrays.
pub(super) fn row_parts(py: Python<'_>, found: crate::Within) -> (Array1<'_, i64>, Array1<'_, i64>, Array1<'_, f64>) {
    let starts = PyArray1::from_vec(py, signed(found.starts));
    (starts, PyArray1::from_vec(py, signed(found.indices)), PyArray1::from_vec(py, found.values))
}

/// For each ranking, the order of each pair of items as a bit, in whole bytes.
#[pyfunction]
#[pyo3(signature = (x, threads=None))]
pub(super) fn packed_signs<'py>(py: Python<'py>, x: &Rankings, threads: Option<usize>) -> PyResult<Array2<'py, u8>> {
    let x = x.complete()?;
    let bits = run_on(py, threads, None, |run| crate::packed_signs(x, run))?;
    let shape = [x.rows(), crate::sign_bytes(x.items())];
    PyArray1::from_vec(py, bits).reshape(shape)
}

/// Converts row numbers, which are far below 2^63. The memory is reused.
fn signed(numbers: Vec<usize>) -> Vec<i64> {
    numbers.into_iter().map(|number| number as i64).collect()
}
