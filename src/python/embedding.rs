//! The embedding, rows of features, and sums over them.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::rankings::Rankings;
use super::{in_use, watched};
use crate::{Element, embedding};

/// Fills `out`, float64 or float32 with one row a ranking, with the embedding by a flat tensor of weights.
#[pyfunction]
#[pyo3(signature = (x, order, weights, out, threads=None, progress=None))]
pub(super) fn embed(
    x: &Rankings,
    order: usize,
    weights: PyReadonlyArray1<'_, f64>,
    out: &Bound<'_, PyAny>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let weights = weights.as_slice()?;
    each_type(out, threads, progress, Rows { x: &x.0, weights, order: Some(order) })
}

/// Fills `out`, as for `embed`, with the entries of flat n x n tables for all pairs of items; columns left over are not touched.
#[pyfunction]
#[pyo3(signature = (x, tables, out, threads=None, progress=None))]
pub(super) fn pair_features(
    x: &Rankings,
    tables: PyReadonlyArray1<'_, f64>,
    out: &Bound<'_, PyAny>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let weights = tables.as_slice()?;
    each_type(out, threads, progress, Rows { x: &x.0, weights, order: None })
}

/// What is written for each ranking: the embedding of some order, or entries of tables for pairs.
#[derive(Clone, Copy)]
struct Rows<'a> {
    x: &'a crate::Rankings,
    weights: &'a [f64],
    order: Option<usize>,
}

fn each_type(
    out: &Bound<'_, PyAny>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    rows: Rows<'_>,
) -> PyResult<()> {
    let progress = progress.map(|progress| progress.clone().unbind());
    if let Ok(out) = out.cast::<PyArray2<f64>>() {
        fill_rows(out, threads, progress.as_ref(), rows)
    } else if let Ok(out) = out.cast::<PyArray2<f32>>() {
        fill_rows(out, threads, progress.as_ref(), rows)
    } else {
        Err(PyTypeError::new_err("out must be a writeable 2-d array of float64 or float32"))
    }
}

fn fill_rows<T: Element + numpy::Element>(
    out: &Bound<'_, PyArray2<T>>,
    threads: Option<usize>,
    progress: Option<&Py<PyAny>>,
    Rows { x, weights, order }: Rows<'_>,
) -> PyResult<()> {
    let width = out.shape()[1];
    let mut borrowed = out.try_readwrite().map_err(|_| in_use("out"))?;
    let cells = borrowed.as_slice_mut()?;
    watched(out.py(), progress, |watch| {
        let run = embedding::Run { threads, watch: Some(watch) };
        match order {
            Some(order) => embedding::embed_into(x, order, weights, cells, run),
            None => embedding::pairs_into(x, weights, width, cells, run),
        }
    })
}

/// The flat sum over rankings of a coefficient times the embedding.
#[pyfunction]
#[pyo3(signature = (x, coefficients, order, weights, threads=None, progress=None))]
pub(super) fn combine<'py>(
    py: Python<'py>,
    x: &Rankings,
    coefficients: PyReadonlyArray1<'py, f64>,
    order: usize,
    weights: PyReadonlyArray1<'py, f64>,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (coefficients, weights) = (coefficients.as_slice()?, weights.as_slice()?);
    let progress = progress.map(|progress| progress.clone().unbind());
    let sum = watched(py, progress.as_ref(), |watch| {
        let run = embedding::Run { threads, watch: Some(watch) };
        embedding::combine(&x.0, coefficients, order, weights, run)
    })?;
    Ok(PyArray1::from_vec(py, sum))
}

/// For each tuple of items, a row, and each tuple of ranks the sum of the coefficients of the rankings that give the one the other.
#[pyfunction]
#[pyo3(signature = (x, coefficients, order, out, threads=None))]
pub(super) fn tuple_sums<'py>(
    py: Python<'py>,
    x: &Rankings,
    coefficients: PyReadonlyArray1<'py, f64>,
    order: usize,
    out: &Bound<'py, PyArray2<f64>>,
    threads: Option<usize>,
) -> PyResult<()> {
    let coefficients = coefficients.as_slice()?;
    let mut out = out.try_readwrite()?;
    let out = out.as_slice_mut()?;
    watched(py, None, |watch| {
        let run = embedding::Run { threads, watch: Some(watch) };
        embedding::tuple_sums_into(&x.0, coefficients, order, out, run)
    })
}

/// The inner product of a flat tensor and the embedding, for each ranking.
#[pyfunction]
#[pyo3(signature = (x, order, weights, tensor, threads=None, progress=None))]
pub(super) fn linear_function<'py>(
    py: Python<'py>,
    x: &Rankings,
    order: usize,
    weights: PyReadonlyArray1<'py, f64>,
    tensor: PyReadonlyArray1<'py, f64>,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (weights, tensor) = (weights.as_slice()?, tensor.as_slice()?);
    let progress = progress.map(|progress| progress.clone().unbind());
    let values = watched(py, progress.as_ref(), |watch| {
        let run = embedding::Run { threads, watch: Some(watch) };
        embedding::linear_function(&x.0, order, weights, tensor, run)
    })?;
    Ok(PyArray1::from_vec(py, values))
}
