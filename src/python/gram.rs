//! Gram matrices and diagonals.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::measure::Measure;
use super::rankings::{Incomplete, Rankings};
use super::{in_use, watched};
use crate::{Element, Options, RankingSet};

/// Fills `out`, float64 or float32 and C-contiguous, with the measure of every pair.
///
/// `progress` is called with the numbers of tiles done and in all; what it raises, and what a signal handler raises, stops
/// the run and is raised here.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // they have names on the other side
#[pyo3(signature = (measure, x, y, out, threads=None, tile=None, backend=None, progress=None))]
pub(super) fn gram(
    measure: &Measure,
    x: Sets<'_>,
    y: Option<Sets<'_>>,
    out: &Bound<'_, PyAny>,
    threads: Option<usize>,
    tile: Option<usize>,
    backend: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let backend = backend.map(str::parse).transpose()?.unwrap_or_default();
    let progress = progress.map(|progress| progress.clone().unbind());
    let options = Options { threads, tile, backend, watch: None };
    if let Ok(out) = out.cast::<PyArray2<f64>>() {
        fill(measure, &x, y.as_ref(), out, &options, progress.as_ref())
    } else if let Ok(out) = out.cast::<PyArray2<f32>>() {
        fill(measure, &x, y.as_ref(), out, &options, progress.as_ref())
    } else {
        Err(PyTypeError::new_err("out must be a writeable 2-d array of float64 or float32"))
    }
}

/// Rankings of either kind.
#[derive(FromPyObject)]
pub(super) enum Sets<'py> {
    Complete(PyRef<'py, Rankings>),
    Incomplete(PyRef<'py, Incomplete>),
}

fn fill<T: Element + numpy::Element>(
    measure: &Measure,
    x: &Sets<'_>,
    y: Option<&Sets<'_>>,
    out: &Bound<'_, PyArray2<T>>,
    options: &Options<'static>,
    progress: Option<&Py<PyAny>>,
) -> PyResult<()> {
    let py = out.py();
    let mut borrowed = out.try_readwrite().map_err(|_| in_use(out.py(), "out"))?;
    let cells = borrowed.as_slice_mut()?;
    match (x, y) {
        (Sets::Complete(x), None) => of_sets(py, &measure.0, &x.0, None, cells, options, progress),
        (Sets::Complete(x), Some(Sets::Complete(y))) => {
            of_sets(py, &measure.0, &x.0, Some(&y.0), cells, options, progress)
        }
        (Sets::Incomplete(x), None) => of_sets(py, &measure.0, &x.0, None, cells, options, progress),
        (Sets::Incomplete(x), Some(Sets::Incomplete(y))) => {
            of_sets(py, &measure.0, &x.0, Some(&y.0), cells, options, progress)
        }
        _ => Err(PyTypeError::new_err("complete and incomplete rankings cannot be compared")),
    }
}

fn of_sets<R: RankingSet, T: Element>(
    py: Python<'_>,
    measure: &crate::Measure,
    x: &R,
    y: Option<&R>,
    cells: &mut [T],
    &Options { threads, tile, backend, .. }: &Options<'static>,
    progress: Option<&Py<PyAny>>,
) -> PyResult<()> {
    watched(py, progress, |watch| {
        crate::gram_into(measure, x, y, cells, Options { threads, tile, backend, watch: Some(watch) })
    })
}

/// The measure of each incomplete ranking and itself.
#[pyfunction]
#[pyo3(signature = (measure, x, threads=None))]
pub(super) fn diagonal<'py>(
    py: Python<'py>,
    measure: &Measure,
    x: &Incomplete,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (measure, x) = (&measure.0, &x.0);
    let values = watched(py, None, |watch| {
        crate::diagonal(measure, x, Options { threads, watch: Some(watch), ..Options::default() })
    })?;
    Ok(PyArray1::from_vec(py, values))
}
