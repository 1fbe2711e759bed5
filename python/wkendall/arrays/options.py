"""Make rankings from arrays: the four options that give the meaning of the numbers.

The Rust crate decides whether numbers are rankings. Its errors are passed on, with the name of the argument in front. A
`Reading` is used only once: when an array becomes a `Rankings`. All later functions take the `Rankings`, and never use
the array.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import check_choice, wrong_axes
from wkendall._errors import Parts, RankingError, bad_argument, bad_entry, made, parts_of, remade
from wkendall.arrays.convert import acceptable, as_array, unmasked
from wkendall.arrays.sparse import SparseRows, is_sparse, sparse_rows

#: Kinds of errors that lists of item numbers give, and rows that are looked at to find out whether they are such lists.
_KINDS_OF_LISTS, CHECKED_ROWS = ("out of range", "mixed base", "nan"), 1000
#: Ranks of some items of a larger table can exceed the number of items, but hardly so many times.
MANY = 10

Input = Literal["ranks", "orders", "scores"]
Top = Literal["low", "high"]
Ties = Literal["error", "mean"]
Missing = Literal["error", "bottom", "anywhere"]
_INPUT, _TOP, _TIES, _MISSING = (get_args(words) for words in (Input, Top, Ties, Missing))


def from_places(places: Any, missing: Missing = "error", threads: int | None = None) -> _core.Rankings:
    """Return rankings from `places`, an array of ranks that comes from checked rankings (`Rankings._places`)."""
    if is_sparse(places):
        rows = sparse_rows(places, "places")
        parts = (rows.bounds, rows.columns, rows.values)
        return _core.Rankings.lists(*parts, rows.shape[1], False, True, threads)
    unknown: Missing = "anywhere" if missing == "anywhere" else "error"
    return _core.Rankings(np.ascontiguousarray(places), ties="mean", missing=unknown, threads=threads)


class Read(NamedTuple):
    """Rankings in the Rust crate; with `missing="bottom"`, also the number of listed items of each row."""

    core: _core.Rankings
    listed: NDArray[np.int64] | None = None
    #: What a warning says about a number that may be a code of a missing answer.
    doubt: RankingError | None = None


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
    #: Whether the caller takes the options; if not, errors suggest a `Rankings`.
    own: bool = True
    #: Whether lists were read, which may all have all items.
    lists: bool = False

    def read(self, values: ArrayLike, name: str, axes: int = 2, threads: int | None = None) -> Read:
        """Check rankings, one per row, or a single ranking with `axes=1`; `name` is the name of the caller's argument."""
        if is_sparse(values):
            return self._lists(values, name, (1, 2)[axes - 1 :], threads)
        try:
            array = as_array(
                unmasked(values)
                if isinstance(self.missing, str) and self.missing in ("bottom", "anywhere")
                else values,
                name,
                axes,
            )
        except RankingError as error:
            if error.kind != "masked":
                raise
            raise _explained(error, name, self._what_allows(error)) from None
        return self._checked(array if axes == 2 else array[np.newaxis], name, threads)

    @property
    def _descending(self) -> bool:
        """Whether the largest number is the most preferred."""
        return (self.input == "scores") != (self.top == "high")

    @property
    def positive(self) -> bool:
        """Whether the numbers that a sparse array stores must be positive: scores, of which the largest is the best."""
        return self.input == "scores" and self.top == "low"

    def check(self) -> None:
        """Raise an error for options that do not exist."""
        if self is RANKS or self is UNSAID:  # in most calls
            return
        check_choice(self.ties, "ties", _TIES)
        check_choice(self.missing, "missing", _MISSING)
        check_choice(self.input, "input", _INPUT)
        check_choice(self.top, "top", _TOP)

    def check_takes_lists(self, name: str) -> None:
        """Raise an error for a sparse array if `missing` is not "bottom"."""
        self.check()
        if self.missing == "bottom" and self.input != "orders":
            return
        reason = " is sparse: items that a row does not store are not listed and come last, "
        if self.input == "orders":
            raise bad_argument(name, f"{reason}which goes with ranks and scores, not with orders", kind="sparse")
        if self.advises:
            raise bad_argument(name, reason, "sparse" if self.own else "sparse of", name, kind="sparse")
        rule = "which is not possible here; pass an array with a number for every item"
        raise bad_argument(name, reason + rule, kind="sparse")

    def _lists(self, values: Any, name: str, axes: tuple[int, ...], threads: int | None) -> Read:
        """Check the lists of a sparse array; only stored entries are read."""
        self.check_takes_lists(name)
        if len(values.shape) not in axes:
            raise wrong_axes(values, name, "a sparse array with two axes, one list per row")
        return self.read_lists(sparse_rows(values, name, positive=self.positive), name, threads)

    def read_lists(self, rows: SparseRows, name: str, threads: int | None = None) -> Read:
        """Check the lists of a sparse array, with `missing="bottom"`; items without a stored entry are not listed."""
        try:
            parts = (rows.bounds, rows.columns, rows.values, rows.shape[1])
            core = _core.Rankings.lists(*parts, self._descending, self.ties == "mean", threads)
        except RankingError as error:
            advice = "leave out" if error.kind == "nan" else self._what_allows(error)
            raise _explained(error, name, advice) from None
        return Read(core, np.diff(rows.bounds).astype(np.int64))

    def _checked(self, array: NDArray[Any], name: str, threads: int | None) -> Read:
        """Check an array; complete rankings are returned as complete, even if ties or missing items are allowed."""
        self.check()
        if self.input == "orders" and not self.ties == self.missing == "error":
            once = " is 'orders', which list every item once: for ties and missing items use 'ranks' or 'scores'"
            raise bad_argument("input", once, value=self.input)
        numbers = acceptable(array, name)
        try:
            found = _core.Rankings(numbers, self.input, self.top, self.ties, self.missing, threads)
        except RankingError as error:
            advice, ranked = self._what_allows(error), self.input != "scores" and error.kind in _KINDS_OF_LISTS
            if self.advises and ranked and _hold_items(numbers, numbers.shape[1]):
                advice = "item numbers"
            raise _explained(error, name, advice) from None
        many = MANY * numbers.shape[1]
        if self.missing == "bottom" and self.input == "ranks" and _hold_items(numbers, many):
            parts = Parts(
                f"{name}: most rows have numbers above {many}, which are read as ranks", advice=("item numbers",)
            )
            warnings.warn(made(UserWarning, parts), stacklevel=5)
        lenient = not self.ties == self.missing == "error"
        doubt = _code_in(numbers, name) if lenient and self.input == "ranks" and self.top == "low" else None
        if self.missing != "bottom" or numbers.dtype.kind != "f" or not np.isnan(numbers).any():
            return Read(found, doubt=doubt)
        return Read(found, np.count_nonzero(numbers == numbers, axis=1).astype(np.int64), doubt)

    def _what_allows(self, error: RankingError) -> str:
        """Return advice for an error in a row: the option that allows such rows, if there is one."""
        given = "".join(parts_of(error).advice)  # of the crate
        if not self.advises:
            return ""
        of = "" if self.own else " of"
        if error.kind in ("nan", "masked"):
            return "lists" if self.input == "orders" else f"missing{of}" if self.anywhere else f"missing last{of}"
        if error.kind == "duplicate" and self.input != "orders":
            return ("ratings" if self.input == "ranks" else "ties") + of
        if error.kind == "out of range" and self.input == "ranks":
            given = "scores"
        return given + of * (given == "scores")


def _hold_items(numbers: NDArray[Any], limit: int) -> bool:
    """Return whether rows look like lists of item numbers.

    The numbers must be whole, and different within a row. In most rows, some number must be above `limit`.

    NaN is padding at the end of a list.
    """
    some = numbers[:CHECKED_ROWS]
    if len(some) < 2 or not some.size or not np.fmax.reduce(some, axis=None) > limit:
        return False
    some = some.astype(np.float64)
    if (np.isnan(some[:, :-1]) & ~np.isnan(some[:, 1:])).any():
        return False
    beyond = np.fmax.reduce(some, axis=1) > limit
    some.sort(axis=1)
    wrong = (some < 0).any() or (some % 1 > 0).any() or (some[:, 1:] <= some[:, :-1]).any()
    return bool(beyond.mean() > 0.5 and not wrong)


def _code_in(numbers: NDArray[Any], name: str) -> RankingError | None:
    """Return what is wrong if ranks seem to contain a code of a missing answer, such as 0 or -9.

    The numbers must be whole. In most rows, the smallest number must be 1. Then a smaller number may be a code.
    """
    if not numbers.size or numbers.shape[1] < 2:
        return None
    least = np.fmin.reduce(numbers, axis=1)
    low, known = np.flatnonzero(least < 1), np.count_nonzero(least == least)
    if not len(low) or 2 * np.count_nonzero(least == 1) <= known or (numbers % 1 > 0).any():
        return None
    row = int(low[0])
    column = int(np.flatnonzero(numbers[row] == least[row])[0])
    reason = (
        f" holds {least[row]:.15g}, which is read as the best rank, but in most rows the best rank is 1; turn codes of "
        "missing answers into NaN or empty cells"
    )
    return bad_entry(name, (row, column), reason, value=least[row].item())


def _explained(error: RankingError, name: str, advice: str) -> RankingError:
    """Add the name of the argument, and advice, to an error."""
    parts = parts_of(error)
    reason = parts.reason if parts.places else f": {parts.reason}"
    return remade(error, parts._replace(reason=reason, subject=name, advice=(advice, name)), argument=name)


#: How arrays are read by functions without options of reading: complete rankings, given by ranks.
RANKS = Reading(own=False)
#: The same where there are options of reading, and none is given.
UNSAID = Reading()
