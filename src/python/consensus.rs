//! The consensus of rankings, and the pairs of items that matter most to a function of rankings.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::measure::Measure;
use super::rankings::Rankings;
use super::watched;
use crate::consensus::{Method, Options};
use crate::rankings::with_operands;
use crate::{RunOptions, importance, memory};

type Effects<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// The ranks, from 1, of the ranking with the largest weighted mean kernel, that mean, an upper bound, and whether no
/// ranking has a larger one.
#[pyfunction]
#[pyo3(signature = (measure, x, weights, method, seed=0, threads=None))]
pub(super) fn consensus<'py>(
    py: Python<'py>,
    measure: &Measure,
    x: &Rankings,
    weights: PyReadonlyArray1<'py, f64>,
    method: &str,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, f64, f64, bool)> {
    let method = match method {
        "auto" => Method::Auto,
        "exact" => Method::Exact,
        "local" => Method::Local,
        "borda" => Method::Borda,
        _ => return Err(PyValueError::new_err(format!("unknown method {method:?}"))),
    };
    let (measure, weights) = (&measure.0, weights.as_slice()?);
    let found = watched(py, None, |watch| {
        let options = Options { method, seed, threads, watch: Some(watch) };
        with_operands!(x.0.operands(), |x, _| crate::consensus::consensus(measure, x, Some(weights), options))
    })?;
    let ranks = memory::collect(found.ranks.iter().map(|&rank| i64::from(rank)))?;
    Ok((PyArray1::from_vec(py, ranks), found.score, found.bound, found.optimal))
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
    let found = watched(py, None, |watch| {
        let run = RunOptions { threads, watch: Some(watch) };
        with_operands!(x.0.operands(), |x, _| importance::largest_effects(measure, x, coefficients, count, run))
    })?;
    let firsts = memory::collect(found.iter().map(|pair| pair.first as i64))?;
    let seconds = memory::collect(found.iter().map(|pair| pair.second as i64))?;
    let effects = memory::collect(found.iter().map(|pair| pair.effect))?;
    Ok((PyArray1::from_vec(py, firsts), PyArray1::from_vec(py, seconds), PyArray1::from_vec(py, effects)))
}
