//! Correlations of columns.

use numpy::{PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::rankings::with_numbers;
use super::{in_use, watched};
use crate::{Alternative, Options, Value};

/// Columns of observations, read and sorted.
#[pyclass(frozen, module = "wkendall._core")]
pub(super) struct Columns(crate::Columns);

#[pymethods]
impl Columns {
    /// Columns from a C-contiguous array whose rows are the columns, of integers, float32 or float64; NaN is missing.
    #[new]
    #[pyo3(signature = (values, threads=None))]
    fn new(values: &Bound<'_, PyAny>, threads: Option<usize>) -> PyResult<Self> {
        with_numbers!(values, read(values, threads));
        Err(PyTypeError::new_err("values must be a 2-d array of integers of up to 64 bits, float32 or float64"))
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
    let numbers = borrowed.as_slice()?;
    let built = watched(py, None, |watch| crate::Columns::build(columns, observations, numbers, threads, Some(watch)))?;
    Ok(Columns(built))
}

/// Fills `statistic`, float64 and C-contiguous, with the tau-b of every pair of columns, and `pvalue` with its
/// p-values.
///
/// `progress` is called with the number of finished tiles and their total. An exception in it, or in a signal handler,
/// stops the run and is raised here.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // they are keyword arguments in Python
#[pyo3(signature = (
    x, y, least, statistic, pvalue=None, alternative="two-sided", threads=None, tile=None, backend=None, progress=None
))]
pub(super) fn correlations(
    x: &Columns,
    y: Option<&Columns>,
    least: usize,
    statistic: &Bound<'_, PyArray2<f64>>,
    pvalue: Option<&Bound<'_, PyArray2<f64>>>,
    alternative: &str,
    threads: Option<usize>,
    tile: Option<usize>,
    backend: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let alternative = match alternative {
        "two-sided" => Alternative::TwoSided,
        "less" => Alternative::Less,
        "greater" => Alternative::Greater,
        _ => return Err(PyValueError::new_err(format!("unknown alternative {alternative:?}"))),
    };
    let py = statistic.py();
    let backend = backend.map(str::parse).transpose()?.unwrap_or_default();
    let progress = progress.map(|progress| progress.clone().unbind());
    let mut statistic = statistic.try_readwrite().map_err(|_| in_use(py, "statistic"))?;
    let mut pvalue = pvalue.map(|out| out.try_readwrite().map_err(|_| in_use(py, "pvalue"))).transpose()?;
    let cells = statistic.as_slice_mut()?;
    let test = pvalue.as_mut().map(|pvalue| Ok::<_, PyErr>((alternative, pvalue.as_slice_mut()?))).transpose()?;
    let (x, y) = (&x.0, y.map(|y| &y.0));
    watched(py, progress.as_ref(), |watch| {
        let options = Options { threads, tile, backend, watch: Some(watch) };
        crate::correlations_into(x, y, least, cells, test, options)
    })
}
