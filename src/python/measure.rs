//! Measures from parameters.

use std::collections::BTreeMap;

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

use super::rankings::Rankings;
use super::{by_rows, in_use, watched};
use crate::gram::cost::{own_ns, part_ns};
use crate::measure::{ItemWeighted, KendallMeasure, MeasureKind, NamedMeasure, Numbers, Part};
use crate::weight::kinds::{PairWeight, WeightKind};
use crate::{Error, FACTORS, Parameter, Parameters, WEIGHTS, Workspace, memory, parallel};

/// The function of the Python package that converts parameters whose type is not a built-in type of Python.
static PLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
/// The function of the Python package that makes the exception for a wrong parameter.
static WRONG: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// A checked function of two rankings.
#[pyclass(frozen, module = "wkendall._core")]
pub(super) struct Measure(pub(super) crate::Measure);

#[pymethods]
impl Measure {
    /// A measure by its name. `parameters` has the parameters of the measure by their names, and may have others. The
    /// value None stands for the default.
    #[new]
    fn new(name: &str, items: usize, parameters: &Bound<'_, PyDict>) -> PyResult<Self> {
        let py = parameters.py();
        let named = NamedMeasure::find(name)?;
        let mut given = Parameters::new();
        // The loop uses a copy, because other threads may change the parameters meanwhile.
        for (key, value) in parameters.copy()? {
            let key = key.cast::<PyString>()?.to_string_lossy();
            if let Some(&name) = named.parameters.iter().find(|&&name| name == key) {
                given = given.with(name, parameter_of(name, &value)?);
            }
        }
        let made = py.detach(|| named.make(items, &given));
        let (measure, normalize) = made.or_else(|error| Err(refused(error, parameters)?))?;
        Ok(Self(if normalize { normalized(py, measure)? } else { measure }))
    }

    /// The position weights of a kernel with a named weight, and how a pair combines the weights of its two positions.
    /// This is "products", "sums", "later" (the weight of the later position), or "tops" (the mean over k of the top-k
    /// weights).
    fn position_weights<'py>(&self, py: Python<'py>) -> PyResult<(&'static str, Bound<'py, PyArray1<f64>>)> {
        if let [part] = self.0.parts()
            && let Some(u) = ItemWeighted::of(part).and_then(ItemWeighted::of_later)
        {
            return Ok(("later", PyArray1::from_slice(py, u)));
        }
        let Some(WeightKind::Pairs(weight)) = self.0.kendall().map(KendallMeasure::weight) else {
            return Err(PyValueError::new_err("only a kernel with a named weight has weights of positions"));
        };
        let items = self.0.items();
        let ones = |count| memory::filled(count, 1.0);
        let copy = |values: &[f64]| memory::collect(values.iter().copied());
        let (combined, values) = match weight {
            PairWeight::Count { top } => ("products", ones(top.map_or(items, |top| top.min(items)))?),
            PairWeight::Products(values) => ("products", copy(values)?),
            PairWeight::Sums(values) => ("sums", copy(values)?),
            PairWeight::Average => ("tops", ones(items)?),
        };
        Ok((combined, PyArray1::from_vec(py, values)))
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

    /// The rate of a Mallows kernel; None for another measure.
    #[getter]
    fn rate(&self) -> Option<f64> {
        self.0.kendall().and_then(KendallMeasure::rate)
    }

    /// Whether the value is the same for two rankings in either order.
    #[getter]
    fn symmetric(&self) -> bool {
        self.0.is_symmetric()
    }

    /// Raises an error if values of the measure are beyond the range of single precision.
    fn check_single(&self) -> PyResult<()> {
        if let Some(measure) = self.0.kendall() {
            crate::gram::check_range::<f32>(measure)?;
        }
        Ok(())
    }

    /// Whether there is an index of lists for the measure.
    #[getter]
    fn has_index(&self) -> bool {
        match self.0.kind() {
            MeasureKind::Part(Part::Kendall(measure)) => !measure.needs_all_items() && !measure.is_ordered(),
            MeasureKind::Part(Part::Pairwise(measure)) => measure.is_bounded(),
            MeasureKind::Combination(_) => false,
        }
    }

    /// Whether the measure uses only the listed items of lists.
    #[getter]
    fn takes_listed(&self) -> bool {
        self.0.parts().iter().any(Part::takes_listed)
    }

    /// The value for the identity and a permutation. `pi` has only this permutation.
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

/// A measure divided by the roots of both self-similarities.
fn normalized(py: Python<'_>, measure: crate::Measure) -> PyResult<crate::Measure> {
    let Some(sum) = measure.kendall() else { return Ok(measure.try_normalized()?) };
    let (ns, sum) = (own_ns(sum), sum.clone());
    Ok(watched(py, None, |watch| parallel::run_one(ns, Some(watch), |stop| sum.normalized_until(stop)))?.into())
}

/// A parameter in the form of the crate.
fn parameter_of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Parameter> {
    if let Some(found) = scalar_of(value)? {
        return Ok(found);
    }
    let py = value.py();
    let plain = PLAIN.import(py, "wkendall._arguments", "plain")?.call1((value, name))?;
    let Ok(array) = plain.cast::<PyArrayDyn<f64>>() else {
        return Ok(scalar_of(&plain)?.filter(|found| *found != Parameter::Nothing).unwrap_or(Parameter::Other));
    };
    let borrowed = array.try_readonly().map_err(|_| in_use(py, name))?;
    let numbers = by_rows(&borrowed)?;
    let copy = py.detach(|| memory::collect(numbers.iter().copied()))?;
    Ok(Parameter::Numbers(Numbers::new(array.shape(), copy)))
}

/// A parameter whose type is a built-in type of Python or derived from such a type.
fn scalar_of(value: &Bound<'_, PyAny>) -> PyResult<Option<Parameter>> {
    Ok(Some(if let Ok(flag) = value.cast::<PyBool>() {
        Parameter::Flag(flag.is_true())
    } else if value.is_instance_of::<PyInt>() {
        let beyond = |_| value.lt(0).map(|negative| if negative { i128::MIN } else { i128::MAX });
        Parameter::Whole(value.extract::<i64>().map(i128::from).or_else(beyond)?)
    } else if let Ok(number) = value.cast::<PyFloat>() {
        Parameter::Real(number.value())
    } else if let Ok(text) = value.cast::<PyString>() {
        Parameter::Text(text.to_string_lossy().into_owned())
    } else if value.is_none() {
        Parameter::Nothing
    } else {
        return Ok(None);
    }))
}

/// The exception for an error. If a parameter is wrong, its message has the value as Python shows it.
fn refused(error: Error, parameters: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let (name, rule, of_type) = match &error {
        Error::Parameter { name, rule, .. } => (*name, rule, false),
        Error::ParameterType { name, rule } => (*name, rule, true),
        _ => return Ok(error.into()),
    };
    let wrong = WRONG.import(parameters.py(), "wkendall._arguments", "wrong_parameter")?;
    Ok(PyErr::from_value(wrong.call1((name, parameters.get_item(name)?, rule, of_type))?))
}

/// The rate of a Mallows kernel for rankings with this mean distance.
#[pyfunction]
pub(super) fn mallows_rate(mean_distance: f64) -> f64 {
    crate::mallows_rate(mean_distance)
}

/// The named weights: for each, the name of its parameter, whether sums are whole numbers, and what a pair adds.
#[pyfunction]
pub(super) fn weights() -> Vec<(&'static str, Option<&'static str>, bool, &'static str)> {
    WEIGHTS.iter().map(|weight| (weight.name, weight.needs.parameter(), weight.is_count, weight.adds)).collect()
}

/// The position weights that have names, for this many items.
#[pyfunction]
pub(super) fn position_weights(py: Python<'_>, items: usize) -> PyResult<BTreeMap<&str, Bound<'_, PyArray1<f64>>>> {
    let values = FACTORS.iter().map(|(name, factor)| Ok((*name, PyArray1::from_vec(py, factor.values(items)?))));
    values.collect()
}
