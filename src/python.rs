//! The extension module `wkendall._core`: borrows arrays, lets go of the interpreter lock, calls the crate, maps errors.

// Borrowed arrays are handles, passed as Python passes them.
#![allow(clippy::needless_pass_by_value)]

use std::ops::ControlFlow;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::incomplete::Reading;
use crate::ranking::Kind;
use crate::{Element, Error, Factor, Missing, Options, Progress, Value, Watch, Weight, Workspace, embedding};

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match error {
            Error::Threads { .. } | Error::Interrupted => PyRuntimeError::new_err(error.to_string()),
            _ => PyValueError::new_err(error.to_string()),
        }
    }
}

/// Checked rankings.
#[pyclass(frozen, module = "wkendall._core")]
struct Rankings(crate::Rankings);

#[pymethods]
impl Rankings {
    /// From a C-contiguous array of integers, float32 or float64; `kind` is "ranks", "orders" or "scores".
    #[new]
    #[pyo3(signature = (values, kind, mirrored, threads=None))]
    fn new(values: &Bound<'_, PyAny>, kind: &str, mirrored: bool, threads: Option<usize>) -> PyResult<Self> {
        let kind = match kind {
            "ranks" => Kind::Ranks,
            "orders" => Kind::Orders,
            "scores" => Kind::Scores,
            _ => return Err(PyValueError::new_err(format!("unknown kind {kind:?}"))),
        };
        macro_rules! try_types {
            ($($type:ty),*) => {$(
                if let Ok(values) = values.cast::<PyArray2<$type>>() {
                    return checked(values, kind, mirrored, threads);
                }
            )*};
        }
        try_types!(i64, i32, i16, i8, u64, u32, u16, u8, f64, f32);
        Err(PyTypeError::new_err("values must be a 2-d array of integers or of single or double precision"))
    }

    /// The number of rankings.
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    /// The number of items.
    #[getter]
    fn items(&self) -> usize {
        self.0.items()
    }

    /// The inverse permutation of each.
    fn inverse(&self, py: Python<'_>) -> Self {
        Self(py.detach(|| self.0.clone().inverse()))
    }

    /// Ranks, from 1.
    fn ranks<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i64>> {
        let ranks = PyArray2::zeros(py, [self.0.rows(), self.0.items()], false);
        let mut borrowed = ranks.readwrite();
        if let Ok(cells) = borrowed.as_slice_mut() {
            for (row, cells) in cells.chunks_exact_mut(self.0.items().max(1)).enumerate() {
                for (cell, &rank) in cells.iter_mut().zip(self.0.row(row).ranks()) {
                    *cell = i64::from(rank) + 1;
                }
            }
        }
        drop(borrowed);
        ranks
    }
}

fn checked<V: Value + numpy::Element>(
    values: &Bound<'_, PyArray2<V>>,
    kind: Kind,
    mirrored: bool,
    threads: Option<usize>,
) -> PyResult<Rankings> {
    let borrowed = values.try_readonly().map_err(|_| in_use("the array"))?;
    let (rows, items) = (values.shape()[0], values.shape()[1]);
    let slice = borrowed.as_slice()?;
    watched(values.py(), None, |watch| {
        let rankings = crate::Rankings::build(kind, rows, items, slice, threads, Some(watch))?;
        Ok(Rankings(if mirrored { rankings.mirrored() } else { rankings }))
    })
}

/// Another call, on another thread, writes to an array.
fn in_use(what: &str) -> PyErr {
    PyValueError::new_err(format!("{what} is in use by another call: give each its own"))
}

/// Rankings that may have ties and missing items.
#[pyclass(frozen, module = "wkendall._core")]
struct Incomplete(crate::Incomplete);

#[pymethods]
impl Incomplete {
    /// Takes a C-contiguous 2-d array of integers of up to 64 bits, float32 or float64, in which NaN is an item without a number.
    #[new]
    #[pyo3(signature = (values, descending, ties, missing, threads=None))]
    fn new(
        values: &Bound<'_, PyAny>,
        descending: bool,
        ties: bool,
        missing: &str,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let missing = match missing {
            "error" => Missing::Error,
            "bottom" => Missing::Bottom,
            "anywhere" => Missing::Anywhere,
            _ => return Err(PyValueError::new_err(format!("unknown missing {missing:?}"))),
        };
        let reading = Reading { descending, ties, missing };
        macro_rules! try_types {
            ($($type:ty),*) => {$(
                if let Ok(values) = values.cast::<PyArray2<$type>>() {
                    return incomplete(values, reading, threads);
                }
            )*};
        }
        try_types!(f64, f32, i64, i32, i16, i8, u64, u32, u16, u8);
        Err(PyTypeError::new_err("rankings must be a 2-d array of integers of up to 64 bits, float32 or float64"))
    }

    #[staticmethod]
    fn from_rankings(rankings: &Rankings) -> Self {
        Self((&rankings.0).into())
    }

    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    #[getter]
    fn items(&self) -> usize {
        self.0.items()
    }

    /// For each item the first rank, from 0, of its block of tied items.
    fn starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i64>> {
        let starts = PyArray2::zeros(py, [self.0.rows(), self.0.items()], false);
        let mut cells = starts.readwrite();
        for (cell, &start) in cells.as_array_mut().iter_mut().zip(self.0.starts()) {
            *cell = start.into();
        }
        drop(cells);
        starts
    }

    /// The same as complete rankings, or None if they are not.
    fn complete(&self) -> Option<Rankings> {
        self.0.complete().map(Rankings)
    }
}

fn incomplete<V: Value + numpy::Element>(
    values: &Bound<'_, PyArray2<V>>,
    reading: Reading,
    threads: Option<usize>,
) -> PyResult<Incomplete> {
    let borrowed = values.try_readonly().map_err(|_| in_use("the array of rankings"))?;
    let [rows, items] = [values.shape()[0], values.shape()[1]];
    let cells = borrowed.as_slice()?;
    let built = watched(values.py(), None, |watch| {
        crate::Incomplete::build(reading, rows, items, cells, threads, Some(watch))
    })?;
    Ok(Incomplete(built))
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

/// A checked function of two rankings.
#[pyclass(frozen, module = "wkendall._core")]
struct Measure(crate::Measure);

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

/// Fills `out`, float64 or float32 and C-contiguous, with the measure of every pair.
///
/// `progress` is called with the numbers of tiles done and in all; what it raises, and what a signal handler raises, stops
/// the run and is raised here.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // they have names on the other side
#[pyo3(signature = (measure, x, y, out, threads=None, tile=None, backend=None, progress=None))]
fn gram(
    measure: &Measure,
    x: Sets<'_>,
    y: Option<Sets<'_>>,
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
        fill(measure, &x, y.as_ref(), out, &options, progress.as_ref())
    } else if let Ok(out) = out.cast::<PyArray2<f32>>() {
        fill(measure, &x, y.as_ref(), out, &options, progress.as_ref())
    } else {
        Err(PyTypeError::new_err("out must be a writeable 2-d array of float64 or float32"))
    }
}

/// Rankings of either kind.
#[derive(FromPyObject)]
enum Sets<'py> {
    Complete(PyRef<'py, Rankings>),
    Incomplete(PyRef<'py, Incomplete>),
}

fn fill<T: Element + numpy::Element>(
    measure: &Measure,
    x: &Sets<'_>,
    y: Option<&Sets<'_>>,
    out: &Bound<'_, PyArray2<T>>,
    options: &Options<'static>,
    progress: Option<&Py<PyAny>>,
) -> PyResult<()> {
    let py = out.py();
    let mut borrowed = out.try_readwrite().map_err(|_| in_use("out"))?;
    let cells = borrowed.as_slice_mut()?;
    let &Options { threads, tile, backend, .. } = options;
    let measure = &measure.0;
    match (x, y) {
        (Sets::Complete(x), None | Some(Sets::Complete(_))) => {
            let x = &x.0;
            let y = match y {
                Some(Sets::Complete(y)) => Some(&y.0),
                _ => None,
            };
            watched(py, progress, |watch| {
                crate::gram_into(measure, x, y, cells, Options { threads, tile, backend, watch: Some(watch) })
            })
        }
        (Sets::Incomplete(x), None | Some(Sets::Incomplete(_))) => {
            let x = &x.0;
            let y = match y {
                Some(Sets::Incomplete(y)) => Some(&y.0),
                _ => None,
            };
            watched(py, progress, |watch| {
                crate::gram_incomplete_into(
                    measure,
                    x,
                    y,
                    cells,
                    Options { threads, tile, backend, watch: Some(watch) },
                )
            })
        }
        _ => Err(PyTypeError::new_err("complete and incomplete rankings cannot be compared")),
    }
}

/// The measure of each incomplete ranking and itself.
#[pyfunction]
#[pyo3(signature = (measure, x, threads=None))]
fn diagonal<'py>(
    py: Python<'py>,
    measure: &Measure,
    x: &Incomplete,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (measure, x) = (&measure.0, &x.0);
    let values = watched(py, None, |watch| {
        crate::diagonal_incomplete(measure, x, Options { threads, watch: Some(watch), ..Options::default() })
    })?;
    Ok(PyArray1::from_vec(py, values))
}

/// Fills `out`, float64 or float32 with one row a ranking, with the embedding by a flat tensor of weights.
#[pyfunction]
#[pyo3(signature = (x, order, weights, out, threads=None, progress=None))]
fn embed(
    x: &Rankings,
    order: usize,
    weights: PyReadonlyArray1<'_, f64>,
    out: &Bound<'_, PyAny>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let weights = weights.as_slice()?;
    each_type(out, threads, progress, Rows { x: &x.0, weights, order: Some(order) })
}

/// Fills `out`, as for `embed`, with the entries of flat n x n tables for all pairs of items; columns left over are not touched.
#[pyfunction]
#[pyo3(signature = (x, tables, out, threads=None, progress=None))]
fn pair_features(
    x: &Rankings,
    tables: PyReadonlyArray1<'_, f64>,
    out: &Bound<'_, PyAny>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let weights = tables.as_slice()?;
    each_type(out, threads, progress, Rows { x: &x.0, weights, order: None })
}

/// What is written for each ranking: the embedding of some order, or entries of tables for pairs.
#[derive(Clone, Copy)]
struct Rows<'a> {
    x: &'a crate::Rankings,
    weights: &'a [f64],
    order: Option<usize>,
}

fn each_type(
    out: &Bound<'_, PyAny>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    rows: Rows<'_>,
) -> PyResult<()> {
    let progress = progress.map(|progress| progress.clone().unbind());
    if let Ok(out) = out.cast::<PyArray2<f64>>() {
        fill_rows(out, threads, progress.as_ref(), rows)
    } else if let Ok(out) = out.cast::<PyArray2<f32>>() {
        fill_rows(out, threads, progress.as_ref(), rows)
    } else {
        Err(PyTypeError::new_err("out must be a writeable 2-d array of float64 or float32"))
    }
}

fn fill_rows<T: Element + numpy::Element>(
    out: &Bound<'_, PyArray2<T>>,
    threads: Option<usize>,
    progress: Option<&Py<PyAny>>,
    Rows { x, weights, order }: Rows<'_>,
) -> PyResult<()> {
    let width = out.shape()[1];
    let mut borrowed = out.try_readwrite().map_err(|_| in_use("out"))?;
    let cells = borrowed.as_slice_mut()?;
    watched(out.py(), progress, |watch| {
        let run = embedding::Run { threads, watch: Some(watch) };
        match order {
            Some(order) => embedding::embed_into(x, order, weights, cells, run),
            None => embedding::pairs_into(x, weights, width, cells, run),
        }
    })
}

/// The flat sum over rankings of a coefficient times the embedding.
#[pyfunction]
#[pyo3(signature = (x, coefficients, order, weights, threads=None, progress=None))]
fn combine<'py>(
    py: Python<'py>,
    x: &Rankings,
    coefficients: PyReadonlyArray1<'py, f64>,
    order: usize,
    weights: PyReadonlyArray1<'py, f64>,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (coefficients, weights) = (coefficients.as_slice()?, weights.as_slice()?);
    let progress = progress.map(|progress| progress.clone().unbind());
    let sum = watched(py, progress.as_ref(), |watch| {
        let run = embedding::Run { threads, watch: Some(watch) };
        embedding::combine(&x.0, coefficients, order, weights, run)
    })?;
    Ok(PyArray1::from_vec(py, sum))
}

/// For each tuple of items, a row, and each tuple of ranks the sum of the coefficients of the rankings that give the one the other.
#[pyfunction]
#[pyo3(signature = (x, coefficients, order, out, threads=None))]
fn tuple_sums<'py>(
    py: Python<'py>,
    x: &Rankings,
    coefficients: PyReadonlyArray1<'py, f64>,
    order: usize,
    out: &Bound<'py, PyArray2<f64>>,
    threads: Option<usize>,
) -> PyResult<()> {
    let coefficients = coefficients.as_slice()?;
    let mut out = out.try_readwrite()?;
    let out = out.as_slice_mut()?;
    watched(py, None, |watch| {
        let run = embedding::Run { threads, watch: Some(watch) };
        embedding::tuple_sums_into(&x.0, coefficients, order, out, run)
    })
}

/// The inner product of a flat tensor and the embedding, for each ranking.
#[pyfunction]
#[pyo3(signature = (x, order, weights, tensor, threads=None, progress=None))]
fn linear_function<'py>(
    py: Python<'py>,
    x: &Rankings,
    order: usize,
    weights: PyReadonlyArray1<'py, f64>,
    tensor: PyReadonlyArray1<'py, f64>,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (weights, tensor) = (weights.as_slice()?, tensor.as_slice()?);
    let progress = progress.map(|progress| progress.clone().unbind());
    let values = watched(py, progress.as_ref(), |watch| {
        let run = embedding::Run { threads, watch: Some(watch) };
        embedding::linear_function(&x.0, order, weights, tensor, run)
    })?;
    Ok(PyArray1::from_vec(py, values))
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
fn planned(measure: &Measure, rows: usize, columns: usize) -> PyResult<String> {
    Ok(crate::planned(&measure.0, rows, columns, &Options::default())?)
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
    use super::{
        Incomplete, Measure, Rankings, available_cores, combine, default_threads, diagonal, embed, gram,
        instruction_sets, linear_function, pair_features, planned, tuple_sums,
    };

    #[pymodule_export]
    const MOST_THREADS: usize = crate::parallel::MOST_THREADS;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
