//! Measures from parameters.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rankings::Rankings;
use super::watched;
use crate::gram::cost::{own_ns, part_ns};
use crate::measure::KendallMeasure;
use crate::memory::Shared;
use crate::weight::kinds::{TensorWeight, WeightKind};
use crate::{Factor, Weight, Workspace, memory, parallel};

/// A checked function of two rankings.
#[pyclass(frozen, module = "wkendall._core")]
pub(super) struct Measure(pub(super) crate::Measure);

#[pymethods]
impl Measure {
    /// A kernel with a named weight; `factor` is a name or an array. With `rescaled`, weights may be of any size.
    #[staticmethod]
    #[pyo3(signature = (items, weight, k=None, factor=None, *, rescaled=false))]
    fn kernel(
        items: usize,
        weight: &str,
        k: Option<usize>,
        factor: Option<&Bound<'_, PyAny>>,
        rescaled: bool,
    ) -> PyResult<Self> {
        let weight = weight_of(weight, k, factor)?;
        let kernel = if rescaled { crate::Measure::rescaled_kernel } else { crate::Measure::kernel };
        Ok(Self(kernel(&weight, items)?))
    }

    /// A kernel with weights of tuples of positions: "tensor", "factors" or "quadruples", flat and C-contiguous.
    #[staticmethod]
    #[pyo3(signature = (items, kind, order, weights, *, rescaled=false))]
    fn general(
        py: Python<'_>,
        items: usize,
        kind: &str,
        order: usize,
        weights: PyReadonlyArray1<'_, f64>,
        rescaled: bool,
    ) -> PyResult<Self> {
        let of: fn(usize, Shared) -> WeightKind = match kind {
            "tensor" => |order, entries| TensorWeight::Tensor { order, entries }.into(),
            "factors" => |order, vectors| TensorWeight::Factors { order, vectors }.into(),
            "quadruples" => |_, entries| WeightKind::Quadruples(entries),
            _ => return Err(PyValueError::new_err(format!("unknown kind {kind:?}"))),
        };
        let weights = weights.as_slice()?;
        let weight = py.detach(|| {
            let given = of(order, memory::collect(weights.iter().copied())?.into());
            if rescaled { given.scaled_to_unit(items)? } else { given }.checked(items)
        })?;
        Ok(Self(KendallMeasure::of_weight(weight, items).into()))
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
        Ok(Self(self.0.clone().with_order(order)?))
    }

    /// The sum of two kernels.
    fn plus(&self, other: &Self) -> PyResult<Self> {
        Ok(Self(self.0.clone().plus(other.0.clone())?))
    }

    /// The product of two kernels.
    fn times(&self, other: &Self) -> PyResult<Self> {
        Ok(Self(self.0.clone().times(other.0.clone())?))
    }

    /// A multiple of a kernel.
    fn scaled(&self, factor: f64) -> PyResult<Self> {
        Ok(Self(self.0.clone().scaled(factor)?))
    }

    /// A power of a kernel.
    fn power(&self, exponent: u32) -> PyResult<Self> {
        Ok(Self(self.0.clone().power(exponent)?))
    }

    /// The signed form of a kernel.
    fn signed(&self) -> PyResult<Self> {
        Ok(Self(self.0.clone().signed()?))
    }

    /// A kernel divided by its self-similarity.
    fn normalized(&self, py: Python<'_>) -> PyResult<Self> {
        let Some(measure) = self.0.kendall() else { return Ok(Self(self.0.clone().try_normalized()?)) };
        let (ns, measure) = (own_ns(measure), measure.clone());
        let normalized =
            watched(py, None, |watch| parallel::run_one(ns, Some(watch), |cancel| measure.normalized_until(cancel)))?;
        Ok(Self(normalized.into()))
    }

    /// Whether the value is the same for two rankings in either order.
    #[getter]
    fn symmetric(&self) -> bool {
        self.0.is_symmetric()
    }

    /// Refuses a measure whose values are beyond the range of single precision.
    fn check_single(&self) -> PyResult<()> {
        if let Some(measure) = self.0.kendall() {
            crate::gram::check_range::<f32>(measure)?;
        }
        Ok(())
    }

    /// The value for the identity and the one permutation in `pi`.
    fn kappa(&self, py: Python<'_>, pi: &Rankings) -> PyResult<f64> {
        let pi = pi.complete()?;
        if pi.rows() != 1 {
            return Err(PyValueError::new_err("kappa takes one permutation"));
        }
        let (measure, pi) = (&self.0, pi.row(0));
        watched(py, None, |watch| {
            parallel::run_one(measure.parts().iter().map(part_ns).sum(), Some(watch), |cancel| {
                measure.kappa(pi, &mut Workspace::for_run(None, cancel))
            })
        })
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
    Ok(Factor::Values(memory::collect(values.as_array().iter().copied())?))
}
