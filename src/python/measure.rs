//! Parameters to measures.

use std::sync::Arc;

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rankings::Rankings;
use crate::{Factor, Weight, Workspace};

/// A checked function of two rankings.
#[pyclass(frozen, module = "wkendall._core")]
pub(super) struct Measure(pub(super) crate::Measure);

#[pymethods]
impl Measure {
    /// A kernel with a named weight; `factor` is a name or an array.
    #[staticmethod]
    #[pyo3(signature = (items, weight, k=None, factor=None))]
    fn kernel(items: usize, weight: &str, k: Option<usize>, factor: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let weight = weight_of(weight, k, factor)?;
        Ok(Self(crate::Measure::kernel(&weight, items)?))
    }

    /// A kernel with weights for tuples of positions: "tensor", "factors" or "quadruples", flat and C-contiguous.
    #[staticmethod]
    fn general(
        py: Python<'_>,
        items: usize,
        kind: &str,
        order: usize,
        weights: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let entries: Arc<[f64]> = weights.as_slice()?.into();
        let weight = match kind {
            "tensor" => Weight::Tensor { order, entries },
            "factors" => Weight::Factors { order, vectors: entries },
            "quadruples" => Weight::Quadruples(entries),
            _ => return Err(PyValueError::new_err(format!("unknown kind {kind:?}"))),
        };
        Ok(Self(py.detach(|| crate::Measure::kernel(&weight, items))?))
    }

    /// The weighted correlation with the weight of a kernel.
    #[staticmethod]
    #[pyo3(signature = (items, weight, k=None, factor=None))]
    fn correlation(items: usize, weight: &str, k: Option<usize>, factor: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let weight = weight_of(weight, k, factor)?;
        Ok(Self(crate::Measure::correlation(&weight, items)?))
    }

    /// The number of discordant pairs.
    #[staticmethod]
    fn distance(items: usize) -> Self {
        Self(crate::Measure::distance(items))
    }

    /// exp(-lam * distance).
    #[staticmethod]
    fn mallows(items: usize, lam: f64) -> PyResult<Self> {
        Ok(Self(crate::Measure::mallows(items, lam)?))
    }

    /// A kernel with a named weight, of another order.
    fn of_order(&self, order: usize) -> PyResult<Self> {
        Ok(Self(self.0.clone().of_order(order)?))
    }

    /// The signed form of a kernel.
    fn signed(&self) -> PyResult<Self> {
        Ok(Self(self.0.clone().signed()?))
    }

    /// A kernel divided by its self-similarity.
    fn normalized(&self, py: Python<'_>) -> Self {
        Self(py.detach(|| self.0.clone().normalized()))
    }

    /// The value for a ranking and itself.
    fn of_equal(&self, py: Python<'_>) -> f64 {
        py.detach(|| self.0.of_equal())
    }

    /// The value for the identity and the one permutation in `pi`.
    fn kappa(&self, py: Python<'_>, pi: &Rankings) -> PyResult<f64> {
        if pi.0.rows() != 1 {
            return Err(PyValueError::new_err("kappa takes one permutation"));
        }
        Ok(py.detach(|| self.0.kappa(pi.0.row(0), &mut Workspace::new(self.0.items())))?)
    }
}

fn weight_of(weight: &str, k: Option<usize>, factor: Option<&Bound<'_, PyAny>>) -> PyResult<Weight> {
    let missing = |what: &str| PyValueError::new_err(format!("weight {weight:?} needs {what}"));
    let factor = || factor_of(factor.ok_or_else(|| missing("u"))?);
    match weight {
        "standard" => Ok(Weight::Standard),
        "top" => Ok(Weight::Top(k.ok_or_else(|| missing("k"))?)),
        "add" => Ok(Weight::Add(factor()?)),
        "mult" => Ok(Weight::Mult(factor()?)),
        "average" => Ok(Weight::Average),
        _ => Err(PyValueError::new_err(format!("unknown weight {weight:?}"))),
    }
}

fn factor_of(factor: &Bound<'_, PyAny>) -> PyResult<Factor> {
    if let Ok(name) = factor.extract::<String>() {
        return match name.as_str() {
            "hyperbolic" => Ok(Factor::Hyperbolic),
            "log" => Ok(Factor::Log),
            _ => Err(PyValueError::new_err(format!("unknown u {name:?}"))),
        };
    }
    let values = factor.extract::<PyReadonlyArray1<'_, f64>>()?;
    Ok(Factor::Values(values.as_array().to_vec()))
}
