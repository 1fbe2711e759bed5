//! Turns arrays into rankings. One Python class stands for all kinds of sets of rankings.

use std::borrow::Cow;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::{by_rows, in_use, watched};
use crate::rankings::sparse::{ListReading, Parts};
use crate::rankings::tied::Reading;
use crate::rankings::value::InputKind;
use crate::rankings::{Operands, with_operands};
use crate::{Error, Incomplete, Lists, Missing, Value, Watch, memory};

/// Returns the result of `$call` for an array, if it has a number type from which rankings can be read.
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

/// Returns the result of `$call` for the parts of compressed sparse rows, if lists can be read from their types.
macro_rules! with_parts {
    ($bounds:ident, $listed:ident, $values:ident, $call:expr) => {
        with_parts!($bounds, $listed, $values, $call; i32: i32, i64, f32, f64; i64: i32, i64, f32, f64)
    };
    ($bounds:ident, $listed:ident, $values:ident, $call:expr; $($index:ty: $($type:ty),*);*) => {$($(
        if let (Ok($bounds), Ok($listed), Ok($values)) = (
            $bounds.cast::<PyArray1<$index>>(),
            $listed.cast::<PyArray1<$index>>(),
            $values.cast::<PyArray1<$type>>(),
        ) {
            return $call;
        }
    )*)*};
}

pub(super) use with_numbers;

/// Checked rankings. Rankings with ties or missing items are stored in another way than complete rankings. Python does
/// not see this difference.
#[pyclass(frozen, module = "wkendall._core")]
pub(super) struct Rankings(pub(super) Set);

/// The kinds of sets.
pub(super) enum Set {
    Complete(crate::Rankings),
    Tied(Incomplete),
    Lists(Lists),
}

#[pymethods]
impl Rankings {
    /// Rankings from a C-contiguous array of integers, float32 or float64. The options are those of the Python package:
    /// `input` is "ranks", "orders" or "scores"; `top` is "low" or "high"; `ties` is "error" or "mean"; `missing` is
    /// "error", "bottom" or "anywhere". If the rankings are complete, they are always stored as complete rankings.
    #[new]
    #[pyo3(signature = (values, input="ranks", top="low", ties="error", missing="error", threads=None))]
    fn new(
        values: &Bound<'_, PyAny>,
        input: &str,
        top: &str,
        ties: &str,
        missing: &str,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let unknown = |name: &str, value: &str| PyValueError::new_err(format!("unknown {name} {value:?}"));
        let kind = match input {
            "ranks" => InputKind::Ranks,
            "orders" => InputKind::Orders,
            "scores" => InputKind::Scores,
            _ => return Err(unknown("input", input)),
        };
        let missing = match missing {
            "error" => Missing::Error,
            "bottom" => Missing::Bottom,
            "anywhere" => Missing::Anywhere,
            _ => return Err(unknown("missing", missing)),
        };
        let (mirrored, ties) = match (top, ties) {
            ("low" | "high", "error" | "mean") => (top == "high", ties == "mean"),
            ("low" | "high", _) => return Err(unknown("ties", ties)),
            _ => return Err(unknown("top", top)),
        };
        let reading = Reading { descending: (kind == InputKind::Scores) != mirrored, ties, missing, infinite: false };
        with_numbers!(values, read(values, kind, mirrored, reading, threads));
        Err(PyTypeError::new_err("values must be a 2-d array of integers or of single or double precision"))
    }

    /// Lists out of a catalogue of `items` items, from compressed sparse rows. Bounds and items are C-contiguous arrays
    /// of int32 or int64. The numbers of the items are a C-contiguous array of int32, int64, float32 or float64.
    #[staticmethod]
    #[pyo3(signature = (bounds, listed, values, items, descending, ties, threads=None))]
    fn lists(
        bounds: &Bound<'_, PyAny>,
        listed: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        items: usize,
        descending: bool,
        ties: bool,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let reading = ListReading { descending, ties };
        with_parts!(bounds, listed, values, lists(bounds, listed, values, items, reading, threads));
        Err(PyTypeError::new_err(
            "lists must be 1-d arrays: two of int32 or int64, and one of these, float32 or float64",
        ))
    }

    /// The number of rankings.
    #[getter]
    fn rows(&self) -> usize {
        self.0.operands().shape().0
    }

    /// The number of items.
    #[getter]
    fn items(&self) -> usize {
        with_operands!(self.0.operands(), |x, _| x.items())
    }

    /// Whether no ranking has ties or missing items.
    #[getter]
    fn is_complete(&self) -> bool {
        matches!(self.0, Set::Complete(_))
    }

    /// Whether these are lists out of a catalogue.
    #[getter]
    fn is_lists(&self) -> bool {
        matches!(self.0, Set::Lists(_))
    }

    /// The mean number of items that a ranking stores.
    #[getter]
    fn stored(&self) -> usize {
        match &self.0 {
            Set::Complete(_) | Set::Tied(_) => self.items(),
            Set::Lists(set) => set.entries().div_ceil(set.rows().max(1)),
        }
    }

    /// The rankings of these rows. If they are complete, they are stored as complete rankings. With `keep`, they are
    /// stored as before.
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
                Set::Lists(set) => Set::Lists(set.select(&rows)?),
            }))
        })
    }

    /// These rankings, followed by other rankings of the same items.
    fn joined(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        if self.items() != other.items() {
            return Err(Error::ItemsDiffer { left: self.items(), right: other.items() }.into());
        }
        let joined = py.detach(|| {
            Ok::<_, Error>(match (&self.0, &other.0) {
                (Set::Complete(one), Set::Complete(other)) => Set::Complete(one.joined(other)?),
                (Set::Lists(_), _) | (_, Set::Lists(_)) => {
                    let (one, other) = (self.0.as_lists()?, other.0.as_lists()?);
                    let all = |lists: &Lists| memory::collect(0..lists.rows() as u32);
                    Set::Lists(Lists::concatenated(one.items(), &[(&*one, all(&one)?), (&*other, all(&other)?)])?)
                }
                _ => Set::Tied(self.0.as_tied()?.joined(&*other.0.as_tied()?)?),
            })
        })?;
        Ok(Self(joined))
    }

    /// The rankings as lists. `has_all` tells which lists have all items, because complete rankings do not store this.
    /// If nothing changes, the result is the same object.
    fn listed<'py>(slf: &Bound<'py, Self>, has_all: PyReadonlyArray1<'_, bool>) -> PyResult<Bound<'py, Self>> {
        let (py, set, has_all) = (slf.py(), &slf.get().0, has_all.as_slice()?);
        if matches!(set, Set::Lists(lists) if lists.has_all() == has_all) {
            return Ok(slf.clone());
        }
        if has_all.len() != slf.get().rows() {
            return Err(PyValueError::new_err("there must be one flag for each ranking"));
        }
        let lists = py.detach(|| {
            let has_all = memory::collect(has_all.iter().copied())?;
            Ok::<_, Error>(set.as_lists()?.into_owned().with_all(has_all))
        })?;
        Bound::new(py, Self(Set::Lists(lists)))
    }

    /// The inverse permutation of each ranking.
    fn inverse(&self, py: Python<'_>) -> PyResult<Self> {
        let set = self.complete()?;
        Ok(Self(Set::Complete(py.detach(|| set.try_clone())?.inverse())))
    }

    /// Lists as compressed sparse rows: the bounds, the items, and for each item the first rank of its block, from 1.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyArray1<i64>>; 3]> {
        let Set::Lists(set) = &self.0 else {
            return Err(PyValueError::new_err("these rankings are stored whole, not as lists"));
        };
        let entries = |part: usize| memory::collect(set.all_entries().iter().map(|entry| i64::from(entry[part])));
        let (bounds, listed, mut starts) = py.detach(|| {
            let bounds = memory::collect(set.bounds().iter().map(|&bound| bound as i64))?;
            Ok::<_, Error>((bounds, entries(0)?, entries(1)?))
        })?;
        for start in &mut starts {
            *start += 1;
        }
        Ok([bounds, listed, starts].map(|part| PyArray1::from_vec(py, part)))
    }

    /// For complete rankings, the ranks from 1. For other rankings, the first rank of the block of each item, from 0.
    fn ranks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        if self.is_lists() {
            return Err(PyValueError::new_err("lists out of a catalogue are not stored as ranks of all items"));
        }
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
            Set::Lists(_) => Ok(Vec::new()),
        })
    }
}

impl Rankings {
    /// The rankings, if they are complete.
    pub(super) fn complete(&self) -> PyResult<&crate::Rankings> {
        match &self.0 {
            Set::Complete(set) => Ok(set),
            Set::Tied(_) | Set::Lists(_) => {
                Err(PyValueError::new_err("rankings with ties or missing items are not permutations"))
            }
        }
    }
}

impl Set {
    pub(super) fn operands(&self) -> Operands<'_> {
        match self {
            Self::Complete(set) => Operands::Complete(set, None),
            Self::Tied(set) => Operands::Tied(set, None),
            Self::Lists(set) => Operands::Lists(set, None),
        }
    }

    /// The set, stored as complete rankings if the rankings are complete.
    fn of_tied(set: Incomplete, watch: Watch<'_>) -> Result<Self, Error> {
        Ok(set.try_complete(Some(watch))?.map_or_else(|| Self::Tied(set), Self::Complete))
    }

    /// The set as rankings with ties. Complete rankings are converted; lists are an error.
    pub(super) fn as_tied(&self) -> Result<Cow<'_, Incomplete>, Error> {
        match self {
            Self::Complete(set) => Ok(Cow::Owned(Incomplete::from_rankings(set)?)),
            Self::Tied(set) => Ok(Cow::Borrowed(set)),
            Self::Lists(set) => Ok(Cow::Owned(set.to_incomplete()?)),
        }
    }

    /// The set as lists. Other rankings are converted.
    pub(super) fn as_lists(&self) -> Result<Cow<'_, Lists>, Error> {
        match self {
            Self::Lists(set) => Ok(Cow::Borrowed(set)),
            Self::Tied(set) if set.has_unknown() => Err(Error::UnknownPlaces),
            Self::Complete(_) | Self::Tied(_) => Ok(Cow::Owned(Lists::from_incomplete(&*self.as_tied()?)?)),
        }
    }
}

/// An array of the numbers of `make`. `numpy` panics if its own allocation fails.
fn table(
    py: Python<'_>,
    rows: usize,
    columns: usize,
    make: impl FnOnce() -> Result<Vec<i64>, Error> + Send,
) -> PyResult<Bound<'_, PyArray2<i64>>> {
    PyArray1::from_vec(py, py.detach(make)?).reshape([rows, columns])
}

fn read<V: Value + numpy::Element>(
    values: &Bound<'_, PyArray2<V>>,
    kind: InputKind,
    mirrored: bool,
    reading: Reading,
    threads: Option<usize>,
) -> PyResult<Rankings> {
    let borrowed = values.try_readonly().map_err(|_| in_use(values.py(), "the array of rankings"))?;
    let [rows, items] = [values.shape()[0], values.shape()[1]];
    let cells = by_rows(&borrowed)?;
    watched(values.py(), None, |watch| {
        let strict = !reading.ties && reading.missing == Missing::Error;
        // The input is read as complete rankings first, because this is faster. Orders have neither ties nor missing
        // items.
        match crate::Rankings::build(kind, rows, items, cells, threads, Some(&mut *watch)) {
            Ok(set) => Ok(Rankings(Set::Complete(if mirrored { set.mirrored() } else { set }))),
            Err(error) if error.kind().is_none() || kind == InputKind::Orders || strict => Err(error),
            Err(_) => {
                let set = Incomplete::build(reading, rows, items, cells, threads, Some(&mut *watch))?;
                Ok(Rankings(Set::of_tied(set, watch)?))
            }
        }
    })
}

fn lists<I: Value + numpy::Element, V: Value + numpy::Element>(
    bounds: &Bound<'_, PyArray1<I>>,
    listed: &Bound<'_, PyArray1<I>>,
    values: &Bound<'_, PyArray1<V>>,
    items: usize,
    reading: ListReading,
    threads: Option<usize>,
) -> PyResult<Rankings> {
    let py = values.py();
    let taken = |_| in_use(py, "the sparse array of rankings");
    let (bounds, listed) = (bounds.try_readonly().map_err(taken)?, listed.try_readonly().map_err(taken)?);
    let values = values.try_readonly().map_err(taken)?;
    let [bounds, listed] = [I::numbers(bounds.as_slice()?), I::numbers(listed.as_slice()?)];
    let parts = Parts { bounds, listed, values: values.as_slice()?, items };
    watched(py, None, |watch| Ok(Rankings(Set::Lists(Lists::build(reading, parts, threads, Some(watch))?))))
}
