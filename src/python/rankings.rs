//! Arrays to rankings: one handle, whatever they lack.

use std::borrow::Cow;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::{in_use, watched};
use crate::rankings::tied::Reading;
use crate::rankings::value::InputKind;
use crate::{Error, Incomplete, Missing, Value, Watch, memory};

/// Returns what `$call` makes of an array, if it is one of numbers that rankings can be read from.
macro_rules! with_numbers {
    ($values:ident, $call:expr) => {
        with_numbers!($values, $call; i64, i32, i16, i8, u64, u32, u16, u8, f64, f32)
    };
    ($values:ident, $call:expr; $($type:ty),*) => {$(
        if let Ok($values) = $values.cast::<PyArray2<$type>>() {
            return $call;
        }
    )*};
}

/// Checked rankings. Those with ties or missing items have another representation than complete ones; nobody outside
/// needs to know.
#[pyclass(frozen, module = "wkendall._core")]
pub(super) struct Rankings(pub(super) Set);

/// The representations.
pub(super) enum Set {
    Complete(crate::Rankings),
    Tied(Incomplete),
}

#[pymethods]
impl Rankings {
    /// Complete rankings from a C-contiguous array of integers, float32 or float64; `kind` is "ranks", "orders" or
    /// "scores".
    #[new]
    #[pyo3(signature = (values, kind, mirrored, threads=None))]
    fn new(values: &Bound<'_, PyAny>, kind: &str, mirrored: bool, threads: Option<usize>) -> PyResult<Self> {
        let kind = match kind {
            "ranks" => InputKind::Ranks,
            "orders" => InputKind::Orders,
            "scores" => InputKind::Scores,
            _ => return Err(PyValueError::new_err(format!("unknown kind {kind:?}"))),
        };
        with_numbers!(values, complete(values, kind, mirrored, threads));
        Err(PyTypeError::new_err("values must be a 2-d array of integers or of single or double precision"))
    }

    /// Rankings that may have ties and missing items, from an array as for `Rankings` in which NaN is an item without a
    /// number.
    #[staticmethod]
    #[pyo3(signature = (values, descending, ties, missing, threads=None))]
    fn tied(
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
        with_numbers!(values, tied(values, reading, threads));
        Err(PyTypeError::new_err("rankings must be a 2-d array of integers of up to 64 bits, float32 or float64"))
    }

    /// The number of rankings.
    #[getter]
    fn rows(&self) -> usize {
        match &self.0 {
            Set::Complete(set) => set.rows(),
            Set::Tied(set) => set.rows(),
        }
    }

    /// The number of items.
    #[getter]
    fn items(&self) -> usize {
        match &self.0 {
            Set::Complete(set) => set.items(),
            Set::Tied(set) => set.items(),
        }
    }

    /// Whether no ranking has ties or missing items.
    #[getter]
    fn is_complete(&self) -> bool {
        matches!(self.0, Set::Complete(_))
    }

    /// Some of the rankings. If these are complete, they have that representation unless it is to be kept.
    #[pyo3(signature = (rows, keep=false))]
    fn select(&self, py: Python<'_>, rows: PyReadonlyArray1<'_, i64>, keep: bool) -> PyResult<Self> {
        let all = self.rows();
        let rows = rows.as_array();
        let rows = rows.iter().map(|&row| usize::try_from(row).ok().filter(|&row| row < all).ok_or(row));
        let no_row = |row| PyIndexError::new_err(format!("there is no row {row}: there are {all} rankings"));
        let rows: Vec<usize> = rows.collect::<Result<_, _>>().map_err(no_row)?;
        watched(py, None, |watch| {
            Ok(Self(match &self.0 {
                Set::Complete(set) => Set::Complete(set.select(&rows)?),
                Set::Tied(set) if keep => Set::Tied(set.select(&rows)?),
                Set::Tied(set) => Set::of_tied(set.select(&rows)?, watch)?,
            }))
        })
    }

    /// How many rankings a Gram matrix is computed of: those that repeat once, if that is worthwhile.
    fn computed(&self, py: Python<'_>) -> PyResult<usize> {
        watched(py, None, |watch| match &self.0 {
            Set::Complete(set) => crate::gram::computed(set, Some(watch)),
            Set::Tied(set) => crate::gram::computed(set, Some(watch)),
        })
    }

    /// The inverse permutation of each.
    fn inverse(&self, py: Python<'_>) -> PyResult<Self> {
        let set = self.complete()?;
        Ok(Self(Set::Complete(py.detach(|| set.try_clone())?.inverse())))
    }

    /// Ranks, from 1, of complete rankings; of others, for each item the first rank, from 0, of its block of tied
    /// items.
    fn ranks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let (rows, items) = (self.rows(), self.items());
        table(py, rows, items, || match &self.0 {
            Set::Complete(set) => {
                let mut cells = memory::with_capacity(rows * items)?;
                for row in 0..rows {
                    cells.extend(set.row(row).ranks().iter().map(|&rank| i64::from(rank) + 1));
                }
                Ok(cells)
            }
            Set::Tied(set) => memory::collect(set.starts().iter().map(|&start| i64::from(start))),
        })
    }
}

impl Rankings {
    /// The rankings, if they are complete.
    pub(super) fn complete(&self) -> PyResult<&crate::Rankings> {
        match &self.0 {
            Set::Complete(set) => Ok(set),
            Set::Tied(_) => Err(PyValueError::new_err("rankings with ties or missing items are not permutations")),
        }
    }
}

impl Set {
    /// The representation that suits: that of complete rankings, if they are.
    fn of_tied(set: Incomplete, watch: Watch<'_>) -> Result<Self, Error> {
        Ok(set.try_complete(Some(watch))?.map_or_else(|| Self::Tied(set), Self::Complete))
    }

    /// The rankings with ties; complete ones are turned into such.
    pub(super) fn as_tied(&self) -> Result<Cow<'_, Incomplete>, Error> {
        match self {
            Self::Complete(set) => Ok(Cow::Owned(Incomplete::from_rankings(set)?)),
            Self::Tied(set) => Ok(Cow::Borrowed(set)),
        }
    }
}

/// An array of the numbers that `make` gives. One that is allocated by `numpy` panics where there is no memory.
fn table(
    py: Python<'_>,
    rows: usize,
    columns: usize,
    make: impl FnOnce() -> Result<Vec<i64>, Error> + Send,
) -> PyResult<Bound<'_, PyArray2<i64>>> {
    PyArray1::from_vec(py, py.detach(make)?).reshape([rows, columns])
}

fn complete<V: Value + numpy::Element>(
    values: &Bound<'_, PyArray2<V>>,
    kind: InputKind,
    mirrored: bool,
    threads: Option<usize>,
) -> PyResult<Rankings> {
    let borrowed = values.try_readonly().map_err(|_| in_use(values.py(), "the array"))?;
    let (rows, items) = (values.shape()[0], values.shape()[1]);
    let slice = borrowed.as_slice()?;
    watched(values.py(), None, |watch| {
        let rankings = crate::Rankings::build(kind, rows, items, slice, threads, Some(watch))?;
        Ok(Rankings(Set::Complete(if mirrored { rankings.mirrored() } else { rankings })))
    })
}

fn tied<V: Value + numpy::Element>(
    values: &Bound<'_, PyArray2<V>>,
    reading: Reading,
    threads: Option<usize>,
) -> PyResult<Rankings> {
    let borrowed = values.try_readonly().map_err(|_| in_use(values.py(), "the array of rankings"))?;
    let [rows, items] = [values.shape()[0], values.shape()[1]];
    let cells = borrowed.as_slice()?;
    watched(values.py(), None, |watch| {
        let set = Incomplete::build(reading, rows, items, cells, threads, Some(&mut *watch))?;
        Ok(Rankings(Set::of_tied(set, watch)?))
    })
}
