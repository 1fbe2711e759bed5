//! The embedding, rows of features, and sums over them.

use std::borrow::Cow;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::measure::Measure;
use super::rankings::{Rankings, Set};
use super::{in_use, run_on};
use crate::embedding::tied;
use crate::rankings::with_operands;
use crate::weight::mean_tensor::Direction;
use crate::{Element, Error, Incomplete, embedding, features};

/// Fills `out` with the embedding for a flat tensor of weights. `out` is float64 or float32, with one row for each
/// ranking.
#[pyfunction]
#[pyo3(signature = (x, order, weights, out, threads=None, progress=None, inverse=false))]
pub(super) fn embed(
    x: &Rankings,
    order: usize,
    weights: PyReadonlyArray1<'_, f64>,
    out: &Bound<'_, PyAny>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    inverse: bool,
) -> PyResult<()> {
    let weights = weights.as_slice()?;
    let set = Embedded::new(out.py(), x, inverse)?;
    each_type(out, threads, progress, WrittenRows::Embedding { set: &set, weights, order })
}

/// The rankings to embed, or their inverse permutations.
enum Embedded<'a> {
    Complete(Cow<'a, crate::Rankings>),
    Tied(Cow<'a, Incomplete>, Direction),
}

impl<'a> Embedded<'a> {
    fn new(py: Python<'_>, x: &'a Rankings, inverse: bool) -> PyResult<Self> {
        Ok(match &x.0 {
            Set::Complete(set) if inverse => {
                Self::Complete(Cow::Owned(py.detach(|| Ok::<_, Error>(set.try_clone()?.inverse()))?))
            }
            Set::Complete(set) => Self::Complete(Cow::Borrowed(set)),
            set @ (Set::Tied(_) | Set::Lists(_)) => {
                let direction = if inverse { Direction::Inverse } else { Direction::Forward };
                Self::Tied(py.detach(|| set.as_tied())?, direction)
            }
        })
    }
}

/// The number of features of a ranking for a kernel.
#[pyfunction]
pub(super) fn feature_columns(measure: &Measure) -> PyResult<usize> {
    Ok(features::columns(&measure.0)?)
}

/// Fills `out` with the features whose inner products are a kernel. `out` is as in `embed`.
#[pyfunction]
#[pyo3(name = "features", signature = (measure, x, out, threads=None, progress=None))]
pub(super) fn fill_features(
    measure: &Measure,
    x: &Rankings,
    out: &Bound<'_, PyAny>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    each_type(out, threads, progress, WrittenRows::Features { measure: &measure.0, x: &x.0 })
}

/// What is written for each ranking.
#[derive(Clone, Copy)]
enum WrittenRows<'a> {
    Embedding { set: &'a Embedded<'a>, order: usize, weights: &'a [f64] },
    Features { measure: &'a crate::Measure, x: &'a Set },
}

fn each_type(
    out: &Bound<'_, PyAny>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    rows: WrittenRows<'_>,
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
    rows: WrittenRows<'_>,
) -> PyResult<()> {
    let py = out.py();
    let mut borrowed = out.try_readwrite().map_err(|_| in_use(out.py(), "out"))?;
    let cells = borrowed.as_slice_mut()?;
    match rows {
        WrittenRows::Embedding { set, order, weights } => run_on(py, threads, progress, |run| match set {
            Embedded::Complete(x) => embedding::embed_into(&**x, order, weights, cells, run),
            Embedded::Tied(x, direction) => tied::embed_into(x, *direction, order, weights, cells, run),
        }),
        WrittenRows::Features { measure, x } => run_on(py, threads, progress, |run| {
            with_operands!(x.operands(), |x, _| features::features_into(measure, x, cells, run))
        }),
    }
}

/// The flat weighted sum of the embeddings of rankings.
#[pyfunction]
#[pyo3(signature = (x, coefficients, order, weights, threads=None, progress=None, inverse=false))]
#[allow(clippy::too_many_arguments)] // they are keyword arguments in Python
pub(super) fn combine<'py>(
    py: Python<'py>,
    x: &Rankings,
    coefficients: PyReadonlyArray1<'py, f64>,
    order: usize,
    weights: PyReadonlyArray1<'py, f64>,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
    inverse: bool,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let set = Embedded::new(py, x, inverse)?;
    let (coefficients, weights) = (coefficients.as_slice()?, weights.as_slice()?);
    let progress = progress.map(|progress| progress.clone().unbind());
    let sum = run_on(py, threads, progress.as_ref(), |run| match &set {
        Embedded::Complete(x) => embedding::combine(&**x, coefficients, order, weights, run),
        Embedded::Tied(x, direction) => tied::combine(x, *direction, coefficients, order, weights, run),
    })?;
    Ok(PyArray1::from_vec(py, sum))
}

/// For each tuple of items (a row) and each tuple of ranks, the sum of the coefficients of the rankings that give these
/// items these ranks.
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
    run_on(py, threads, None, |run| {
        with_operands!(x.0.operands(), |x, _| embedding::tuple_sums_into(x, coefficients, order, out, run))
    })
}

/// The inner product of a flat tensor and the embedding, for each ranking.
#[pyfunction]
#[pyo3(signature = (x, order, weights, tensor, threads=None, progress=None, inverse=false))]
#[allow(clippy::too_many_arguments)] // they are keyword arguments in Python
pub(super) fn linear_function<'py>(
    py: Python<'py>,
    x: &Rankings,
    order: usize,
    weights: PyReadonlyArray1<'py, f64>,
    tensor: PyReadonlyArray1<'py, f64>,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
    inverse: bool,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let set = Embedded::new(py, x, inverse)?;
    let (weights, tensor) = (weights.as_slice()?, tensor.as_slice()?);
    let progress = progress.map(|progress| progress.clone().unbind());
    let values = run_on(py, threads, progress.as_ref(), |run| match &set {
        Embedded::Complete(x) => embedding::linear_function(&**x, order, weights, tensor, run),
        Embedded::Tied(x, direction) => tied::linear_function(x, *direction, order, weights, tensor, run),
    })?;
    Ok(PyArray1::from_vec(py, values))
}
