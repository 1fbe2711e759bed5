//! Gram matrices and diagonals.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::measure::Measure;
use super::rankings::{Rankings, Set};
use super::{in_use, run_on, watched};
use crate::measure::Part;
use crate::rankings::{Operands, with_operands};
use crate::{Element, Error, Options};

/// Fills `out` with the measure of every pair of rankings. `out` is float64 or float32, and C-contiguous.
///
/// `progress` is called with the number of finished tiles and their total. An exception in it, or in a signal handler,
/// stops the run and is raised here.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // they are keyword arguments in Python
#[pyo3(signature = (measure, x, y, out, threads=None, tile=None, backend=None, progress=None))]
pub(super) fn gram(
    measure: &Measure,
    x: &Rankings,
    y: Option<&Rankings>,
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
        fill(measure, x, y, out, &options, progress.as_ref())
    } else if let Ok(out) = out.cast::<PyArray2<f32>>() {
        fill(measure, x, y, out, &options, progress.as_ref())
    } else {
        Err(PyTypeError::new_err("out must be a writeable 2-d array of float64 or float32"))
    }
}

fn fill<T: Element + numpy::Element>(
    measure: &Measure,
    x: &Rankings,
    y: Option<&Rankings>,
    out: &Bound<'_, PyArray2<T>>,
    options: &Options<'static>,
    progress: Option<&Py<PyAny>>,
) -> PyResult<()> {
    let py = out.py();
    let mut borrowed = out.try_readwrite().map_err(|_| in_use(out.py(), "out"))?;
    let cells = borrowed.as_slice_mut()?;
    let &Options { threads, tile, backend, .. } = options;
    in_one_representation(py, measure, x, y, |operands| {
        watched(py, progress, |watch| {
            let options = Options { threads, tile, backend, watch: Some(watch) };
            with_operands!(operands, |x, y| crate::gram_into(&measure.0, x, y, cells, options))
        })
    })
}

/// Calls a function with both sets, after converting them to the same kind of set.
pub(super) fn in_one_representation<T>(
    py: Python<'_>,
    measure: &Measure,
    x: &Rankings,
    y: Option<&Rankings>,
    run: impl FnOnce(Operands<'_>) -> PyResult<T>,
) -> PyResult<T> {
    let suited = |set: &Rankings| py.detach(|| suited(measure, &set.0));
    let (made_x, made_y) = (suited(x)?, y.map(suited).transpose()?.flatten());
    match (made_x.as_ref().unwrap_or(&x.0), y.map(|y| made_y.as_ref().unwrap_or(&y.0))) {
        (x, None) => run(x.operands()),
        (Set::Complete(x), Some(Set::Complete(y))) => run(Operands::Complete(x, Some(y))),
        (x @ Set::Lists(_), Some(y)) | (x, Some(y @ Set::Lists(_))) => {
            let (x, y) = py.detach(|| Ok::<_, Error>((x.as_lists()?, y.as_lists()?)))?;
            run(Operands::Lists(&x, Some(&y)))
        }
        (x, Some(y)) => {
            let (x, y) = py.detach(|| Ok::<_, Error>((x.as_tied()?, y.as_tied()?)))?;
            run(Operands::Tied(&x, Some(&y)))
        }
    }
}

/// If the measure is defined only for complete rankings, turns lists of all items into complete rankings.
fn suited(measure: &Measure, set: &Set) -> Result<Option<Set>, Error> {
    match set {
        // In a list of all items, the last item is not stored.
        Set::Lists(lists)
            if lists.entries() == lists.rows() * lists.items().saturating_sub(1)
                && measure.0.parts().iter().any(Part::takes_complete_only) =>
        {
            Ok(lists.to_incomplete()?.try_complete(None)?.map(Set::Complete))
        }
        Set::Complete(_) | Set::Tied(_) | Set::Lists(_) => Ok(None),
    }
}

/// The strategy and the instruction set that would be chosen for the matrix of these rankings. If the result is given
/// as `backend`, parts of the matrix that are computed separately are bitwise identical to the whole matrix.
#[pyfunction]
#[pyo3(signature = (measure, x, y, single=false, backend=None))]
pub(super) fn planned_of(
    py: Python<'_>,
    measure: &Measure,
    x: &Rankings,
    y: Option<&Rankings>,
    single: bool,
    backend: Option<&str>,
) -> PyResult<String> {
    let backend = backend.map(str::parse).transpose()?.unwrap_or_default();
    in_one_representation(py, measure, x, y, |operands| {
        watched(py, None, |watch| {
            let options = Options { backend, watch: Some(watch), ..Options::default() };
            crate::gram::planned_for_sets(&measure.0, operands, single, options)
        })
    })
}

/// The lists as rankings of all items, if the matrix is computed faster from such rankings; otherwise None.
#[pyfunction]
#[pyo3(signature = (measure, x, y, backend=None))]
pub(super) fn expanded_lists(
    py: Python<'_>,
    measure: &Measure,
    x: &Rankings,
    y: Option<&Rankings>,
    backend: Option<&str>,
) -> PyResult<Option<(Rankings, Option<Rankings>)>> {
    let backend = backend.map(str::parse).transpose()?.unwrap_or_default();
    let is_lists = |set: &Rankings| matches!(set.0, Set::Lists(_));
    let measure = measure.0.kendall().filter(|measure| !measure.needs_all_items());
    let Some(measure) = measure.filter(|_| is_lists(x) || y.is_some_and(is_lists)) else { return Ok(None) };
    let found = py.detach(|| {
        let (x, y) = (x.0.as_lists()?, y.map(|y| y.0.as_lists()).transpose()?);
        crate::gram::if_faster(measure, &x, y.as_deref(), &Options { backend, ..Options::default() })
    })?;
    Ok(found.map(|(x, y)| (Rankings(Set::Tied(x)), y.map(|y| Rankings(Set::Tied(y))))))
}

/// The measure of each ranking with itself.
#[pyfunction]
#[pyo3(signature = (measure, x, threads=None))]
pub(super) fn diagonal<'py>(
    py: Python<'py>,
    measure: &Measure,
    x: &Rankings,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let values = run_on(py, threads, None, |run| {
        let (made, measure) = (suited(measure, &x.0)?, &measure.0);
        with_operands!(made.as_ref().unwrap_or(&x.0).operands(), |x, _| crate::diagonal(measure, x, run.into()))
    })?;
    Ok(PyArray1::from_vec(py, values))
}
