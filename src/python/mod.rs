//! The extension module `wkendall._core`: borrows arrays, lets go of the interpreter lock, calls the crate, maps errors.

// Borrowed arrays are handles, passed as Python passes them.
#![allow(clippy::needless_pass_by_value)]

mod embedding;
mod gram;
mod measure;
mod rankings;

use std::ops::ControlFlow;

use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::{Error, Options, Progress, Watch};
use measure::Measure;

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match error {
            Error::Interrupted => PyRuntimeError::new_err(error.to_string()),
            Error::OutOfMemory { .. } => PyMemoryError::new_err(error.to_string()),
            _ => PyValueError::new_err(error.to_string()),
        }
    }
}

/// Runs without the interpreter lock. Signals, and `progress` if there is one, are seen to by the watch function; what either
/// raises stops the run and is raised here.
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

/// Another call, on another thread, writes to an array.
fn in_use(what: &str) -> PyErr {
    PyValueError::new_err(format!("{what} is in use by another call: give each its own"))
}

/// How many threads run when nothing is said.
#[pyfunction]
fn default_threads() -> usize {
    crate::default_threads()
}

/// The cores that this process may use.
#[pyfunction]
fn available_cores() -> usize {
    crate::available_cores()
}

/// The strategy and the instruction set that would be picked for so many rankings.
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

/// How many terms the factors of a matrix of weights may have to be worth looking for; None if none are.
#[pyfunction]
fn most_factors(items: usize, pairs: usize) -> Option<usize> {
    crate::gram::cost::most_factors(items, pairs)
}

/// The instruction sets that this machine has, of those that there are loops for.
#[pyfunction]
fn instruction_sets() -> Vec<String> {
    crate::instruction_sets()
}

/// The Rust side of wkendall.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::embedding::{combine, embed, feature_columns, fill_features, linear_function, tuple_sums};
    #[pymodule_export]
    use super::gram::{diagonal, gram};
    #[pymodule_export]
    use super::measure::Measure;
    #[pymodule_export]
    use super::rankings::Rankings;
    #[pymodule_export]
    use super::{available_cores, default_threads, instruction_sets, most_factors, planned};

    #[pymodule_export]
    const BLOCK_BYTES: usize = crate::gram::cost::BLOCK_BYTES;

    #[pymodule_export]
    const BLOCK_WORK: usize = crate::gram::cost::BLOCK_WORK;

    #[pymodule_export]
    const MOST_THREADS: usize = crate::parallel::MOST_THREADS;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
