//! The consensus of rankings, linear orderings, and the pairs of items that matter most to a function of rankings.

use numpy::{
    PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::measure::Measure;
use super::rankings::Rankings;
use super::{run_on, watched};
use crate::consensus::{Consensus, Large, Method, Options, Ordered, Prove};
use crate::rankings::with_operands;
use crate::{Error, Watch, importance, memory};

type Effects<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

type Found<'py> = (Bound<'py, PyArray1<i64>>, f64, f64, bool, Option<bool>);
type FoundMany<'py> = (Bound<'py, PyArray2<i64>>, Vec<f64>, Vec<f64>, Vec<bool>, Vec<Option<bool>>);

fn method_of(method: &str) -> PyResult<Method> {
    match method {
        "auto" => Ok(Method::Auto),
        "exact" => Ok(Method::Exact),
        "local" => Ok(Method::Local),
        "borda" => Ok(Method::Borda),
        _ => Err(PyValueError::new_err(format!("unknown method {method:?}"))),
    }
}

/// Calls `run`, with a Python function that improves the orders of large components, if there is one. The Python
/// function gets margins, an order and a bound. It returns an order, a bound, whether the order is optimal, and whether
/// it is the only best order.
fn proved<R: Send>(
    py: Python<'_>,
    prove: Option<&Py<PyAny>>,
    run: impl for<'a> FnOnce(Watch<'a>, Option<Prove<'a>>) -> Result<R, Error> + Send,
) -> PyResult<R> {
    let mut raised = None;
    let result = watched(py, None, |watch| {
        let mut call = |large: &Large<'_>| {
            let called = Python::attach(|py| {
                let margins = PyArray1::from_slice(py, large.margins).reshape([large.items; 2])?;
                let order = PyArray1::from_iter(py, large.order.iter().map(|&item| i64::from(item)));
                let prove = prove.map_or_else(|| py.None().into_bound(py), |prove| prove.bind(py).clone());
                prove.call1((margins, order, large.bound))?.extract::<(Vec<u32>, f64, bool, Option<bool>)>()
            });
            called.map(|(order, bound, optimal, unique)| Ordered::new(order, bound, optimal, unique)).map_err(|error| {
                raised = Some(error);
                Error::Interrupted
            })
        };
        run(watch, if prove.is_some() { Some(&mut call) } else { None })
    });
    raised.map_or(result, Err)
}

fn found_of(py: Python<'_>, found: Consensus) -> PyResult<Found<'_>> {
    let ranks = memory::collect(found.ranks.iter().map(|&rank| i64::from(rank)))?;
    Ok((PyArray1::from_vec(py, ranks), found.score, found.bound, found.optimal, found.unique))
}

/// Finds the ranking with the largest score, the weighted mean kernel. Returns its ranks from 1, its score, an upper
/// bound of the score, whether no ranking has a larger score, and whether no other ranking has the same score.
#[pyfunction]
#[pyo3(signature = (measure, x, weights, method, seed=0, threads=None, prove=None))]
#[allow(clippy::too_many_arguments)]
pub(super) fn consensus<'py>(
    py: Python<'py>,
    measure: &Measure,
    x: &Rankings,
    weights: PyReadonlyArray1<'py, f64>,
    method: &str,
    seed: u64,
    threads: Option<usize>,
    prove: Option<Py<PyAny>>,
) -> PyResult<Found<'py>> {
    let (measure, weights, method) = (&measure.0, weights.as_slice()?, method_of(method)?);
    let found = proved(py, prove.as_ref(), |watch, prove| {
        let options = Options { method, seed, threads, watch: Some(watch), prove };
        with_operands!(x.0.operands(), |x, _| crate::consensus::consensus(measure, x, Some(weights), options))
    })?;
    found_of(py, found)
}

/// Finds the order with the largest sum of entries of pairs. Returns its ranks from 1, this sum, and the same further
/// results as `consensus`.
#[pyfunction]
#[pyo3(signature = (matrix, method, seed=0, threads=None, prove=None))]
pub(super) fn linear_ordering<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArray2<'py, f64>,
    method: &str,
    seed: u64,
    threads: Option<usize>,
    prove: Option<Py<PyAny>>,
) -> PyResult<Found<'py>> {
    let (items, matrix, method) = (matrix.shape()[0], matrix.as_slice()?, method_of(method)?);
    let found = proved(py, prove.as_ref(), |watch, prove| {
        let options = Options { method, seed, threads, watch: Some(watch), prove };
        crate::consensus::linear_ordering(items, matrix, options)
    })?;
    found_of(py, found)
}

/// Calls `linear_ordering` for several matrices in parallel. Returns, for each matrix, the ranks, the score, the bound,
/// whether the order is optimal, and whether it is the only best order (None if this is not known).
#[pyfunction]
#[pyo3(signature = (matrices, method, seed=0, threads=None))]
pub(super) fn linear_orderings<'py>(
    py: Python<'py>,
    matrices: PyReadonlyArray3<'py, f64>,
    method: &str,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<FoundMany<'py>> {
    let (count, items, entries, method) =
        (matrices.shape()[0], matrices.shape()[1], matrices.as_slice()?, method_of(method)?);
    let found = watched(py, None, |watch| {
        let options = Options { method, seed, threads, watch: Some(watch), prove: None };
        crate::consensus::linear_orderings(count, items, entries, options)
    })?;
    let ranks = memory::collect(found.iter().flat_map(|found| found.ranks.iter().map(|&rank| i64::from(rank))))?;
    Ok((
        PyArray1::from_vec(py, ranks).reshape([count, items])?,
        found.iter().map(|found| found.score).collect(),
        found.iter().map(|found| found.bound).collect(),
        found.iter().map(|found| found.optimal).collect(),
        found.iter().map(|found| found.unique).collect(),
    ))
}

/// The pairs of items with the largest effects in a weighted sum of kernels, and the effects.
#[pyfunction]
#[pyo3(signature = (measure, x, coefficients, count, threads=None))]
pub(super) fn largest_effects<'py>(
    py: Python<'py>,
    measure: &Measure,
    x: &Rankings,
    coefficients: PyReadonlyArray1<'py, f64>,
    count: usize,
    threads: Option<usize>,
) -> PyResult<Effects<'py>> {
    let (measure, coefficients) = (&measure.0, coefficients.as_slice()?);
    let found = run_on(py, threads, None, |run| {
        with_operands!(x.0.operands(), |x, _| importance::largest_effects(measure, x, coefficients, count, run))
    })?;
    let firsts = memory::collect(found.iter().map(|pair| pair.first as i64))?;
    let seconds = memory::collect(found.iter().map(|pair| pair.second as i64))?;
    let effects = memory::collect(found.iter().map(|pair| pair.effect))?;
    Ok((PyArray1::from_vec(py, firsts), PyArray1::from_vec(py, seconds), PyArray1::from_vec(py, effects)))
}
