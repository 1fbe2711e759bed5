"""From arrays to checked rankings: the options of reading, and the handle of checked rankings.

The Rust crate decides whether numbers are rankings. Its errors are passed on, with the name of the argument in front. A
`Reading` is used once, when rankings come in. All later functions take `CheckedRankings` and never look at the arrays
again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import check_choice, wrong_axes
from wkendall._errors import (
    Advice,
    Argument,
    Option,
    Piece,
    RankingError,
    Sentence,
    about,
    bad_argument,
    changed,
    sentence_of,
)
from wkendall.reading.arrays import acceptable, as_array, check_not_rearranged, check_same_labels
from wkendall.reading.sparse import SparseRows, is_sparse, sparse_array, sparse_rows

Input = Literal["ranks", "orders", "scores"]
Top = Literal["low", "high"]
Ties = Literal["error", "mean"]
Missing = Literal["error", "bottom", "anywhere"]
_INPUT, _TOP, _TIES, _MISSING = (get_args(words) for words in (Input, Top, Ties, Missing))
#: Ranks from 1. Tied items have the first of the ranks that they share; items of unknown position have NaN. For lists
#: out of a catalogue this is a sparse array without the unlisted items.
Places = Any


#: Advice for equal numbers.
_TAKES_TIES: tuple[Piece, ...] = ("; ", Option("ties", "mean"), " treats equal numbers as ties")
#: Advice for orders that leave out items.
_LISTS = Advice("lists", "; from_lists takes lists that leave out items")
#: What replaces the advice of the crate, by kind.
_INSTEAD: dict[str, tuple[Piece, ...]] = {
    "ties": _TAKES_TIES,
    "ranks": ("; ", Option("input", "ranks"), " with ", Option("ties", "mean"), " reads such ranks"),
}


class KeptIndex:
    """An index of lists that is kept for the next search, and what it was made for.

    Several threads that ask for it at once make it once. A pickle contains it as arrays.
    """

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._lock = Lock()
        self._made: tuple[str, NDArray[np.float64] | None, _core.ListIndex | None] | None = None
        #: From a pickle: the measure, the weights, the parts of the index.
        self._stored: tuple[str, NDArray[np.float64] | None, tuple[Any, ...]] | None = None

    def index(
        self, lists: _core.Rankings, measure: KeptMeasure, make: Callable[[], _core.Measure], threads: int | None
    ) -> _core.ListIndex | None:
        """Return the index of these lists for a measure, which `make` makes; the last index is dropped.

        None for long lists, which are compared faster as rankings of all items.
        """
        with self._lock:
            if self._made is None or not measure.is_that(*self._made[:2]):
                index = self._loaded(lists, measure, make)
                if index is None and _core.expanded_lists(make(), lists, None) is None:
                    index = _core.ListIndex(make(), lists, threads)
                # The caller may change the array of weights.
                weights = None if measure.weights is None else measure.weights.copy()
                self._made, self._stored = (measure.name, weights, index), None
            return self._made[2]

    def _loaded(
        self, lists: _core.Rankings, measure: KeptMeasure, make: Callable[[], _core.Measure]
    ) -> _core.ListIndex | None:
        """Return the index of a pickle, if it has one for this measure and these lists."""
        if self._stored is None or not measure.is_that(*self._stored[:2]):
            return None
        try:
            return _core.ListIndex.from_parts(make(), lists, self._stored[2])
        except (TypeError, ValueError):  # of another version, or for other lists
            return None

    def __getstate__(self) -> dict[str, Any]:
        """Return the index as arrays."""
        with self._lock:
            if self._made is None:
                return {"version": _core.__version__, "stored": self._stored}
            name, weights, index = self._made
        stored = None if index is None else (name, weights, index.parts())
        return {"version": _core.__version__, "stored": stored}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Keep the arrays until the first search; those of another version are dropped."""
        self.__init__()  # type: ignore[misc]
        if state["version"] == _core.__version__:
            self._stored = state["stored"]


class KeptMeasure(NamedTuple):
    """The measure of an index: its options, and its position weights if they are given as an array."""

    name: str
    weights: NDArray[np.float64] | None

    def is_that(self, name: str, weights: NDArray[np.float64] | None) -> bool:
        """Return whether this is the measure with this name and these weights."""
        if self.name != name:
            return False
        if self.weights is None or weights is None:
            return self.weights is weights
        # Bit by bit, because the caller may have changed the array. A hash of a million weights takes 10 ms, this 0.3.
        return np.array_equal(self.weights.view(np.int64), weights.view(np.int64))


@dataclass(frozen=True, eq=False)
class CheckedRankings:
    """Rankings that have been read and checked: a handle of the Rust crate, and the meaning of missing numbers."""

    core: _core.Rankings
    missing: Missing = "error"
    #: The places from which the rankings were made, if they were made from places.
    origin: Places | None = None
    #: The index of the last search, if the rankings are kept for many searches.
    kept: KeptIndex | None = None

    @property
    def rows(self) -> int:
        """Number of rankings."""
        return self.core.rows

    @property
    def items(self) -> int:
        """Number of items."""
        return self.core.items

    @property
    def is_complete(self) -> bool:
        """Whether no ranking has ties or missing items."""
        return self.core.is_complete

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Complete rankings: ranks from 1. Other rankings: the first rank, from 0, of each item's block of tied items."""
        return self.core.ranks()

    @cached_property
    def places(self) -> Places:
        """The full description of each ranking, independent of the input format: equal rankings have equal places."""
        if self.origin is not None:
            return self.origin
        if self.core.is_lists:
            bounds, columns, starts = self.core.parts()
            return sparse_array(SparseRows(bounds, columns, starts, (self.rows, self.items)))
        if self.is_complete:
            return self.starts
        places = self.starts + 1
        return np.where(places > self.items, np.nan, places) if self.missing == "anywhere" else places

    def select(self, rows: slice | NDArray[np.intp] | list[int]) -> CheckedRankings:
        """Return some of the rankings."""
        chosen = self._numbers(rows)
        if self.core.is_lists:
            return CheckedRankings(self.core.select(chosen), self.missing)
        return CheckedRankings(self.core.select(chosen), self.missing, self.places[rows])

    def _numbers(self, rows: slice | NDArray[np.intp] | list[int]) -> NDArray[np.int64]:
        """Return the numbers of some rows, in time that depends on how many they are, not on the number of rankings."""
        if isinstance(rows, slice):
            return np.arange(*rows.indices(self.rows), dtype=np.int64)
        numbers = np.asarray(rows)
        if numbers.dtype.kind == "i" and numbers.size and numbers.min() >= 0:
            return numbers.astype(np.int64, copy=False)
        return np.arange(self.rows, dtype=np.int64)[rows]  # a mask, or counted from the end


def of_places(places: Places, missing: Missing = "error", threads: int | None = None) -> CheckedRankings:
    """Return the rankings with these places, which come from checked rankings."""
    if is_sparse(places):
        return _of_lists(sparse_rows(places, "places"), False, True, missing, threads)
    numbers = np.ascontiguousarray(places)
    try:
        return CheckedRankings(_core.Rankings(numbers, "ranks", False, threads), missing, numbers)
    except ValueError:
        unknown: Missing = "anywhere" if missing == "anywhere" else "error"
        return CheckedRankings(_core.Rankings.tied(numbers, False, True, unknown, threads), missing, numbers)


def completed(rankings: CheckedRankings) -> CheckedRankings:
    """Return lists that have all items, without ties, as complete rankings; others as they are."""
    # The last of all items is not stored.
    if not rankings.core.is_lists or not rankings.rows:
        return rankings
    bounds, columns, starts = rankings.core.parts()
    if len(columns) != rankings.rows * (rankings.items - 1):
        return rankings
    places = np.full((rankings.rows, rankings.items), rankings.items)
    places[np.repeat(np.arange(rankings.rows), np.diff(bounds)), columns] = starts
    found = of_places(places)
    return found if found.is_complete else rankings


def _of_lists(rows: SparseRows, descending: bool, ties: bool, missing: Missing, threads: int | None) -> CheckedRankings:
    parts = (rows.bounds, rows.columns, rows.values)
    return CheckedRankings(_core.Rankings.lists(*parts, rows.shape[1], descending, ties, threads), missing)


class Reading(NamedTuple):
    """The options for reading arrays as rankings."""

    input: Input = "ranks"
    top: Top = "low"
    ties: Ties = "error"
    missing: Missing = "error"
    #: Whether errors suggest options for ties and missing items; false for functions that need complete rankings.
    advises: bool = True
    #: Whether `missing="anywhere"` is possible, and therefore suggested.
    anywhere: bool = True

    def rankings(self, values: ArrayLike, name: str, threads: int | None = None) -> CheckedRankings:
        """Check a 2-d array-like or sparse array of rankings, one per row; `name` is the name of the caller's argument."""
        if is_sparse(values):
            return self._lists(values, name, (2,), threads)
        return self._checked(as_array(values, name, 2), name, threads)

    def ranking(self, values: ArrayLike, name: str) -> CheckedRankings:
        """Check a 1-d array-like, or a sparse array with one row, that is one ranking."""
        if is_sparse(values):
            found = self._lists(values, name, (1, 2), 1)
            if found.rows != 1:
                raise bad_argument(
                    name, f" has {found.rows} rows, but must be one ranking", value=found.rows, kind="axes"
                )
            return found
        return self._checked(as_array(values, name, 1)[np.newaxis], name, 1)

    def both(
        self, X: ArrayLike, Y: ArrayLike | None, threads: int | None
    ) -> tuple[CheckedRankings, CheckedRankings | None]:
        """Check two sets of rankings of the same items."""
        x = self.rankings(X, "X", threads)
        if Y is None:
            return x, None
        y = self.rankings(Y, "Y", threads)
        check_same_items(x, y)
        if self.input == "orders":
            check_not_rearranged(X, Y, "columns", ("X", "Y"), "column")
        else:
            check_same_labels(X, Y, "columns", ("X", "Y"))
        return x, y

    @property
    def _descending(self) -> bool:
        """Whether the largest number is the most preferred."""
        return (self.input == "scores") != (self.top == "high")

    @property
    def positive(self) -> bool:
        """Whether the numbers that a sparse array stores must be positive: scores of which the largest is the best."""
        return self.input == "scores" and self.top == "low"

    def check(self) -> None:
        """Refuse options that do not exist."""
        check_choice(self.ties, "ties", _TIES)
        check_choice(self.missing, "missing", _MISSING)
        check_choice(self.input, "input", _INPUT)
        check_choice(self.top, "top", _TOP)

    def check_takes_lists(self, name: str) -> None:
        """Refuse sparse arrays unless `missing="bottom"`."""
        self.check()
        if self.missing == "bottom" and self.input != "orders":
            return
        said = " is sparse: items that a row does not store are not listed and come last, "
        advice: tuple[Piece, ...] = ("which is not possible here; pass an array with a number for every item",)
        if self.input == "orders":
            advice = ("which goes with ", Option("input", "ranks"), " and ", Option("input", "scores"))
        elif self.advises:
            advice = ("so pass ", Option("missing", "bottom"))
        raise RankingError(Sentence(Argument(name), said, *advice), argument=name, kind="sparse")

    def _lists(self, values: Any, name: str, axes: tuple[int, ...], threads: int | None) -> CheckedRankings:
        """Check lists out of a catalogue; only stored entries are read."""
        self.check_takes_lists(name)
        if len(values.shape) not in axes:
            raise wrong_axes(values, name, "a sparse array with two axes, one list per row")
        rows = sparse_rows(values, name, positive=self.positive)
        try:
            return _of_lists(rows, self._descending, self.ties == "mean", self.missing, threads)
        except RankingError as error:
            advice = ("; leave out items that are not listed",) if error.kind == "nan" else self._what_allows(error)
            raise about(error, name, *advice) from None

    def _checked(self, array: NDArray[Any], name: str, threads: int | None) -> CheckedRankings:
        """Check an array. Complete rankings are returned as complete, even if ties or missing items are allowed."""
        self.check()
        allowed = not self.ties == self.missing == "error"
        if allowed and self.input == "orders":
            orders, ranks, scores = (Option("input", kind) for kind in ("orders", "ranks", "scores"))
            once = (orders, " lists every item once: for ties and missing items use ", ranks, " and ", scores)
            raise RankingError(Sentence(*once), argument="input", value=self.input)
        numbers = acceptable(array, name)
        try:
            return CheckedRankings(_core.Rankings(numbers, self.input, self.top == "high", threads), self.missing)
        except RankingError as error:
            if not allowed:
                raise self._explained(error, name) from None
        try:
            found = _core.Rankings.tied(numbers, self._descending, self.ties == "mean", self.missing, threads)
        except RankingError as error:
            raise self._explained(error, name) from None
        return CheckedRankings(found, self.missing)

    def _explained(self, error: RankingError, name: str) -> RankingError:
        """Add the name of the argument, and advice, to an error."""
        pieces = sentence_of(error).pieces
        replaced = [piece for piece in pieces if isinstance(piece, Advice) and piece.kind in _INSTEAD]
        advice = [part for piece in replaced for part in _INSTEAD[piece.kind]] if self.advises else []
        kept = [piece for piece in pieces if piece not in replaced]
        return about(changed(error, kept), name, *advice, *self._what_allows(error))

    def _what_allows(self, error: RankingError) -> tuple[Piece, ...]:
        """Return the option that allows what is wrong with a row."""
        if not self.advises:
            return ()
        if self.input == "orders":
            return (_LISTS,) if error.kind == "nan" else ()
        if error.kind == "duplicate":
            return _TAKES_TIES
        if error.kind == "nan":
            bottom, anywhere = Option("missing", "bottom"), Option("missing", "anywhere")
            last = ("; ", bottom, " puts items without a number last")
            return (*last, ", ", anywhere, " leaves their position open") if self.anywhere else last
        return ()


class OfItems(Protocol):
    """Rankings of a number of items."""

    @property
    def items(self) -> int:
        """Number of items."""
        ...


def check_same_items(x: OfItems, y: OfItems, names: tuple[str, str] = ("X", "Y")) -> None:
    """Refuse rankings of different numbers of items."""
    if y.items != x.items:
        raise items_differ(x.items, y.items, names)


def items_differ(first: int, second: int, names: tuple[str, str] = ("X", "Y")) -> RankingError:
    """Make the error for two sets of rankings of different numbers of items."""
    pieces = (f" has {first} items, but ", Argument(names[1]), f" has {second}: both must rank the same items")
    return RankingError(Sentence(Argument(names[0]), *pieces), argument=names[1], kind="items differ", value=second)
