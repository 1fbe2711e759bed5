//! Correlations of columns.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::neighbors::Array1;
use super::rankings::with_numbers;
use super::{by_rows, in_use, run_on, watched};
use crate::{Alternative, Coefficient, CorrelationSettings, Options, Value, memory};

/// Columns of observations, read and sorted.
#[pyclass(frozen, module = "wkendall._core")]
pub(super) struct Columns(crate::Columns);

#[pymethods]
impl Columns {
    /// Columns from a C-contiguous array of integers, float32 or float64. A row of the array is a column of
    /// observations. NaN is a missing observation.
    #[new]
    #[pyo3(signature = (values, threads=None))]
    fn new(values: &Bound<'_, PyAny>, threads: Option<usize>) -> PyResult<Self> {
        with_numbers!(values, read(values, threads));
        Err(PyTypeError::new_err("values must be a 2-d array of integers of up to 64 bits, float32 or float64"))
    }

    /// Columns from the values that are not 0. The values of column i are at `starts[i]..starts[i + 1]`.
    #[staticmethod]
    fn from_sparse(
        py: Python<'_>,
        observations: usize,
        starts: PyReadonlyArray1<'_, i64>,
        rows: PyReadonlyArray1<'_, i64>,
        values: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let whole = |array: &PyReadonlyArray1<'_, i64>| -> PyResult<Vec<usize>> {
            Ok(memory::collect(array.as_slice()?.iter().map(|&number| number as usize))?)
        };
        let (starts, rows, values) = (whole(&starts)?, whole(&rows)?, values.as_slice()?);
        let built = watched(py, None, |_| crate::Columns::from_sparse(observations, &starts, &rows, values))?;
        Ok(Self(built))
    }

    /// The number of columns.
    #[getter]
    fn columns(&self) -> usize {
        self.0.columns()
    }

    /// The number of observations of each column.
    #[getter]
    fn observations(&self) -> usize {
        self.0.observations()
    }
}

fn read<V: Value + numpy::Element>(values: &Bound<'_, PyArray2<V>>, threads: Option<usize>) -> PyResult<Columns> {
    let py = values.py();
    let borrowed = values.try_readonly().map_err(|_| in_use(py, "data"))?;
    let (columns, observations) = (values.shape()[0], values.shape()[1]);
    let numbers = by_rows(&borrowed)?;
    let built = watched(py, None, |watch| crate::Columns::build(columns, observations, numbers, threads, Some(watch)))?;
    Ok(Columns(built))
}

/// The settings of what is computed, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct Settings<'py> {
    method: String,
    least: usize,
    alternative: Option<String>,
    confidence: Option<f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
}

impl Settings<'_> {
    fn get(&self) -> PyResult<CorrelationSettings<'_>> {
        let coefficient = match self.method.as_str() {
            "tau-b" => Coefficient::TauB,
            "tau-a" => Coefficient::TauA,
            "tau-c" => Coefficient::TauC,
            "gamma" => Coefficient::Gamma,
            "somers" => Coefficient::Somers,
            "spearman" => Coefficient::Spearman,
            other => return Err(PyValueError::new_err(format!("unknown method {other:?}"))),
        };
        let alternative = match self.alternative.as_deref() {
            None => None,
            Some("two-sided") => Some(Alternative::TwoSided),
            Some("less") => Some(Alternative::Less),
            Some("greater") => Some(Alternative::Greater),
            Some(other) => return Err(PyValueError::new_err(format!("unknown alternative {other:?}"))),
        };
        let weights = self.weights.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let Self { least, confidence, .. } = *self;
        Ok(CorrelationSettings { coefficient, least, alternative, confidence, weights })
    }
}

/// Statistics, p-values, lower and upper ends, as flat arrays.
type Found<'py> = (Array1<'py, f64>, Option<Array1<'py, f64>>, Option<Array1<'py, f64>>, Option<Array1<'py, f64>>);

fn arrays(py: Python<'_>, found: crate::Correlations) -> Found<'_> {
    let array = |values: Option<Vec<f64>>| values.map(|values| PyArray1::from_vec(py, values));
    (PyArray1::from_vec(py, found.statistic), array(found.pvalue), array(found.low), array(found.high))
}

/// The correlations of every pair of columns, row by row. `progress` is used as in `gram`.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // they are keyword arguments in Python
#[pyo3(signature = (x, y, settings, threads=None, tile=None, backend=None, progress=None))]
pub(super) fn correlations<'py>(
    py: Python<'py>,
    x: &Columns,
    y: Option<&Columns>,
    settings: Settings<'py>,
    threads: Option<usize>,
    tile: Option<usize>,
    backend: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Found<'py>> {
    let backend = backend.map(str::parse).transpose()?.unwrap_or_default();
    let (settings, y) = (settings.get()?, y.map(|y| &y.0));
    let found = watched(py, progress.as_ref(), |watch| {
        crate::correlations(&x.0, y, &settings, Options { threads, tile, backend, watch: Some(watch) })
    })?;
    Ok(arrays(py, found))
}

/// The correlations of chosen pairs of columns.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // they are keyword arguments in Python
#[pyo3(signature = (x, y, first, second, settings, threads=None, progress=None))]
pub(super) fn correlations_of<'py>(
    py: Python<'py>,
    x: &Columns,
    y: Option<&Columns>,
    first: PyReadonlyArray1<'py, i64>,
    second: PyReadonlyArray1<'py, i64>,
    settings: Settings<'py>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Found<'py>> {
    let both = first.as_slice()?.iter().zip(second.as_slice()?);
    let pairs = memory::collect(both.map(|(&first, &second)| (first as usize, second as usize)))?;
    let (settings, y) = (settings.get()?, y.map(|y| &y.0));
    let found =
        run_on(py, threads, progress.as_ref(), |run| crate::correlations_of(&x.0, y, &pairs, &settings, run.into()))?;
    Ok(arrays(py, found))
}

/// The pairs of columns with a large correlation: first and second columns, and the correlations.
#[pyfunction]
#[pyo3(signature = (x, y, limit, settings, threads=None, progress=None))]
pub(super) fn correlations_at_least<'py>(
    py: Python<'py>,
    x: &Columns,
    y: Option<&Columns>,
    limit: f64,
    settings: Settings<'py>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Array1<'py, i64>, Array1<'py, i64>, Array1<'py, f64>)> {
    let (settings, y) = (settings.get()?, y.map(|y| &y.0));
    let (pairs, values) = run_on(py, threads, progress.as_ref(), |run| {
        crate::correlations_at_least(&x.0, y, limit, &settings, run.into())
    })?;
    let first = memory::collect(pairs.iter().map(|&(first, _)| first as i64))?;
    let second = memory::collect(pairs.iter().map(|&(_, second)| second as i64))?;
    Ok((PyArray1::from_vec(py, first), PyArray1::from_vec(py, second), PyArray1::from_vec(py, values)))
}

/// The correlation of the two first columns, and, for each observation, the correlation without it.
#[pyfunction]
pub(super) fn leave_one_out<'py>(
    py: Python<'py>,
    x: &Columns,
    y: &Columns,
    settings: Settings<'py>,
) -> PyResult<(f64, Array1<'py, f64>)> {
    let settings = settings.get()?;
    let (statistic, without) = run_on(py, None, None, |run| crate::leave_one_out(&x.0, &y.0, &settings, run.into()))?;
    Ok((statistic, PyArray1::from_vec(py, without)))
}
