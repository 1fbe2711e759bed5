//! The extension module `wkendall._core`. Its functions borrow arrays, release the interpreter lock, call the crate,
//! and turn errors into exceptions.

// Borrowed arrays are handles. They are passed by value, because Python passes them by value.
#![allow(clippy::needless_pass_by_value)]

mod consensus;
mod correlations;
mod embedding;
mod gram;
mod index;
mod measure;
mod neighbors;
mod rankings;

use std::ops::ControlFlow;

use numpy::{Element, PyReadonlyArray, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;
use xxhash_rust::xxh3::xxh3_128;

use crate::error::Number;
use crate::{Error, Options, Progress, RunOptions, Watch};
use measure::Measure;

/// The function of the Python package that makes the exception for users. Its arguments are in `refused`.
static RAISED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match error {
            Error::Interrupted => PyRuntimeError::new_err(error.to_string()),
            Error::OutOfMemory { .. } => PyMemoryError::new_err(error.to_string()),
            _ if error.kind().is_none() && error.argument().is_none() => PyValueError::new_err(error.to_string()),
            _ => Python::attach(|py| refused(py, &error).unwrap_or_else(|failure| failure)),
        }
    }
}

/// A `wkendall.RankingError` with the details of the error. `from_core` writes the message, which says where the error
/// is and what to do.
fn refused(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let value = error.value().map(|value| match value {
        Number::Signed(value) => value.into_py_any(py),
        Number::Unsigned(value) => value.into_py_any(py),
        Number::Real(value) => value.into_py_any(py),
    });
    let advice = match error {
        Error::NotWhole { .. } => Some("scores"),
        Error::Midrank { in_order: true, .. } => Some("tied ranks"),
        Error::Midrank { .. } => Some("ties"),
        _ => None,
    };
    let made = RAISED.import(py, "wkendall._errors", "from_core")?.call1((
        error.reason(),
        error.kind(),
        advice,
        error.places(),
        error.argument(),
        error.row(),
        error.column(),
        value.transpose()?,
    ))?;
    Ok(PyErr::from_value(made))
}

/// Runs without the interpreter lock. The watch function handles signals, and calls `progress` if there is one. An
/// exception in either stops the run and is raised here.
fn watched<R: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    run: impl FnOnce(Watch<'_>) -> Result<R, Error> + Send,
) -> PyResult<R> {
    py.detach(|| {
        let mut raised = None;
        let mut watch = |Progress { done, total }| {
            let looked = Python::attach(|py| {
                py.check_signals()?;
                progress.map_or(Ok(()), |progress| progress.call1(py, (done, total)).map(drop))
            });
            match looked {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    raised = Some(error);
                    ControlFlow::Break(())
                }
            }
        };
        let result = run(&mut watch);
        match raised {
            Some(error) => Err(error),
            None => result.map_err(PyErr::from),
        }
    })
}

/// The same as [`watched`], with the options of a run on this many threads.
fn run_on<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    progress: Option<&Py<PyAny>>,
    run: impl FnOnce(RunOptions<'_>) -> Result<R, Error> + Send,
) -> PyResult<R> {
    watched(py, progress, |watch| run(RunOptions { threads, watch: Some(watch) }))
}

/// The entries of an array, row by row. `as_slice` alone would also accept arrays that are stored column by column.
fn by_rows<'a, T: Element, D: numpy::ndarray::Dimension>(array: &'a PyReadonlyArray<'_, T, D>) -> PyResult<&'a [T]> {
    if !array.is_c_contiguous() {
        return Err(PyValueError::new_err("the array is not stored row by row"));
    }
    Ok(array.as_slice()?)
}

/// The error when another call, on another thread, writes to an array.
fn in_use(py: Python<'_>, what: &str) -> PyErr {
    let message = format!("{what} is in use by another call: give each its own");
    let made = RAISED.import(py, "wkendall._errors", "from_core").and_then(|make| make.call1((message, "in use")));
    made.map_or_else(|failure| failure, PyErr::from_value)
}

/// The default number of threads.
#[pyfunction]
fn default_threads() -> usize {
    crate::default_threads()
}

/// The cores that this process may use.
#[pyfunction]
fn available_cores() -> usize {
    crate::available_cores()
}

/// The strategy and the instruction set that would be chosen for this many rankings.
#[pyfunction]
#[pyo3(signature = (measure, rows, columns, single=false, backend=None))]
fn planned(measure: &Measure, rows: usize, columns: usize, single: bool, backend: Option<&str>) -> PyResult<String> {
    let options = Options { backend: backend.map(str::parse).transpose()?.unwrap_or_default(), ..Options::default() };
    Ok(if single {
        crate::gram::planned_for::<f32>(&measure.0, rows, columns, &options)?
    } else {
        crate::gram::planned_for::<f64>(&measure.0, rows, columns, &options)?
    })
}

/// The maximum number of terms with which it pays off to search for factors of a matrix of weights; None if it never
/// pays off.
#[pyfunction]
fn most_factors(items: usize, pairs: usize) -> Option<usize> {
    crate::gram::python_limits::max_factors(items, pairs)
}

/// The hashes of all rows, 16 bytes for each row. Different rows have different hashes, if nobody has constructed rows
/// with equal hashes.
#[pyfunction]
fn row_hashes<'py>(py: Python<'py>, rows: PyReadonlyArray2<'py, u8>) -> PyResult<Bound<'py, PyBytes>> {
    let (bytes, width) = (by_rows(&rows)?, rows.shape()[1].max(1));
    let mut hashes = Vec::new();
    hashes.try_reserve_exact(bytes.len() / width * 16).map_err(|_| PyMemoryError::new_err("no memory for hashes"))?;
    // After this many rows, which take about ten milliseconds, there is a check for signals.
    for some in bytes.chunks((1usize << 28).next_multiple_of(width)) {
        py.check_signals()?;
        py.detach(|| hashes.extend(some.chunks_exact(width).flat_map(|row| xxh3_128(row).to_le_bytes())));
    }
    Ok(PyBytes::new(py, &hashes))
}

/// The instruction sets that this machine has and the crate can use.
#[pyfunction]
fn instruction_sets() -> Vec<String> {
    crate::instruction_sets()
}

/// The Rust side of wkendall. Its classes are frozen, and shared data is behind locks. So a free-threaded interpreter
/// does not need to switch on the interpreter lock for this module. Isolated interpreters cannot import it.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::consensus::{consensus, largest_effects, linear_ordering, linear_orderings};
    #[pymodule_export]
    use super::correlations::{Columns, correlations, correlations_at_least, correlations_of, leave_one_out};
    #[pymodule_export]
    use super::embedding::{combine, embed, feature_columns, fill_features, linear_function, tuple_sums};
    #[pymodule_export]
    use super::gram::{diagonal, expanded_lists, gram, planned_of};
    #[pymodule_export]
    use super::index::ListIndex;
    #[pymodule_export]
    use super::measure::{Measure, mallows_rate, position_weights, weights};
    #[pymodule_export]
    use super::neighbors::{neighbors, packed_signs, within};
    #[pymodule_export]
    use super::rankings::Rankings;
    #[pymodule_export]
    use super::{available_cores, default_threads, instruction_sets, most_factors, planned, row_hashes};

    #[pymodule_export]
    const BLOCK_BYTES: usize = crate::gram::python_limits::BLOCK_BYTES;

    #[pymodule_export]
    const BLOCK_WORK: usize = crate::gram::python_limits::BLOCK_WORK;

    #[pymodule_export]
    const MAX_THREADS: usize = crate::parallel::MAX_THREADS;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
