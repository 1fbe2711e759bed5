"""Rankings that are read and checked once.

The Rust crate decides whether numbers are rankings. A `Rankings` contains the checked rankings, the names of the items,
the labels of the rows, and how often each row was observed. Every function takes a `Rankings`, or data from which it
makes a `Rankings`.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import check_same_rows, entry_name, group_rows, plain_name, real_array, row_labels
from wkendall._errors import (
    RankingError,
    bad_argument,
    located,
    made,
    names_beside,
    parts_of,
    short,
    shown,
    some_names,
)
from wkendall._memory import check_fits
from wkendall.arrays.convert import (
    about_stray_text,
    acceptable,
    as_array,
    check_collected,
    check_not_rearranged,
    known_frame,
    labels_of,
    library_of,
    tell_of_large,
)
from wkendall.arrays.options import RANKS, Input, Missing, Reading, Ties, Top, from_places
from wkendall.arrays.sparse import SparseRows, sparse_array
from wkendall.description import Description, Source

#: Rows that a `Rankings` shows of itself.
SHOWN_ROWS = 5
#: Rows of a data frame in which numbers are looked for that no rank has.
SAMPLE_ROWS = 1000
#: Items that it shows of each row.
SHOWN_ITEMS = 6

Kind = Literal["complete", "tied", "lists"]
#: Rows of a `Rankings`: a number, a slice, a mask, or numbers of rows.
Index = int | slice | Sequence[int] | NDArray[Any]


class Rankings:
    """Rankings of the same items, read and checked once. A `Rankings` cannot be changed.

    Parameters
    ----------
    X : array-like of shape (m, n), data frame, sparse array or Rankings
        One ranking per row: `X[p, i]` is the rank that ranking p gives to item i. `X` can be a list of rows, an array,
        or a data frame of pandas, polars, pyarrow or modin. The columns of a data frame are the names of the items.
        With the default options, all numbers must be whole: every row is a permutation of 1..n, or every row is a
        permutation of 0..n-1.
    input : {"ranks", "orders", "scores"}
        The meaning of the numbers in `X`. "ranks": see `X`. "orders": each row lists the numbers of the items, the most
        preferred item first. The numbers of the items start at 1 or at 0. The function `inverse` turns orders into
        ranks, and ranks into orders. "scores": any real numbers; a larger score is better. Without `ties="mean"`, the
        scores of a row must all be different.
    top : {"low", "high"}
        "low": the most preferred item has rank 1. "high": the most preferred item has rank n, as in the R package
        kernrank.
    ties : {"error", "mean"}
        The meaning of equal numbers in the same row. "error": equal numbers are a mistake and raise an error. "mean":
        the items are tied, and only the order of the numbers of a row matters. A complete ranking has no ties and no
        missing items. Let s be a ranking with ties. A complete ranking agrees with s if every two items that are not
        tied in s have the same order in both rankings. The Kendall kernel of s and another ranking is the mean of the
        kernel over all complete rankings that agree with s.
    missing : {"error", "bottom", "anywhere"}
        The meaning of NaN in a row. "error": NaN is a mistake and raises an error. "bottom": the item is below all
        items that have a number, and tied with the other items that have no number (a top-k list). "anywhere": the
        position of the item is unknown, so a complete ranking that agrees with the row can have the item at any
        position. With "bottom" and "anywhere", only the order of the numbers of a row matters. Ranks can then have gaps
        and can be larger than n.

        With "bottom", `X` can be a sparse array of scipy. A row then lists only the items for which the row stores a
        number: the rank or the score of the item. A stored rank can be zero. Stored scores must be positive. Time and
        memory then depend on how many items the rows list.
    items : iterable of n names, optional
        The names of the items: any hashable objects. For a data frame, `items` contains the names of the columns to
        read, in the wanted order. If `X` is a `Rankings` with names, `items` contains the same names in the wanted
        order.
    counts : array-like of m whole numbers, optional
        How often each ranking was observed; 1 by default. `consensus`, the statistical tests and `KendallKMeans` use
        the counts.

    Examples
    --------
    >>> import wkendall
    >>> votes = wkendall.Rankings([[1, 2, 3], [2, 1, 3], [3, 1, 2]], items=["apple", "pear", "plum"])
    >>> votes
    Rankings: 3 complete rankings of 3 items
      apple > pear > plum
      pear > apple > plum
      pear > plum > apple
    >>> votes[1:].to_lists()
    [['pear', 'apple', 'plum'], ['pear', 'plum', 'apple']]
    >>> wkendall.Rankings([[1, 1, 2], [1, float("nan"), 2]], ties="mean", missing="bottom").to_lists()
    [[{0, 1}, 2], [0, 2]]
    """

    _handle: _core.Rankings
    _missing: Missing
    #: The number of items that each row lists, if some rows leave items out at the bottom.
    _listed: NDArray[np.int64] | None
    _items: tuple[Hashable, ...] | None
    _labels: Sequence[object] | None
    _counts: NDArray[np.int64] | None
    #: How arrays that are compared with these rankings are read; None for the defaults.
    _reading: Reading | None

    def __init__(
        self,
        X: ArrayLike | Rankings,
        *,
        input: Input = "ranks",
        top: Top = "low",
        ties: Ties = "error",
        missing: Missing = "error",
        items: Iterable[Hashable] | None = None,
        counts: ArrayLike | None = None,
    ) -> None:
        reading = Reading(input, top, ties, missing)
        names = None
        if items is not None:
            X = known_frame(X)
            known = X._items if isinstance(X, Rankings) else item_names(X, "columns", reading, "X")
            names = as_names(items, known)
            if known is not None and not isinstance(X, Rankings):
                frame = cast("Any", X)
                X = frame.select(list(names)) if library_of(X) == "pyarrow" else frame[list(names)]
        read = read_rankings(X, "X", reading)
        if names is not None:
            if len(names) != read.n_items:
                rule = f"the rankings have {read.n_items} items: pass a name for each"
                raise bad_argument("items", f" has {len(names)} names, but {rule}")
            read = matched(Rankings._made(read._handle, items=names), read)
            read = read._with(items=names)
        if counts is not None:
            check_same_rows(read, counts, ("X", "counts"))
            read = read._with(counts=as_counts(counts, len(read)))
        self.__dict__.update(vars(read))

    @classmethod
    def _made(
        cls,
        handle: _core.Rankings,
        missing: Missing = "error",
        *,
        listed: NDArray[np.int64] | None = None,
        items: tuple[Hashable, ...] | None = None,
        labels: Sequence[object] | None = None,
        counts: NDArray[np.int64] | None = None,
        reading: Reading | None = None,
    ) -> Rankings:
        """Make a `Rankings` from parts that have been checked."""
        made = object.__new__(cls)
        # Not by assignments, which are refused, and in a third of the time of `object.__setattr__`.
        made.__dict__.update(
            _handle=handle,
            _missing=missing,
            _listed=listed,
            _items=items,
            _labels=labels,
            _counts=counts,
            _reading=reading,
        )
        return made

    def _with(self, **parts: Any) -> Rankings:
        """Return the same rankings with other names, labels or counts."""
        return Rankings._made(self._handle, self._missing, **self._parts | parts)

    @property
    def _parts(self) -> dict[str, Any]:
        """The parts of the rankings, as `_made` takes them."""
        return {name: self.__dict__[f"_{name}"] for name in ("listed", "items", "labels", "counts", "reading")}

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Rankings cannot be changed: {name} is read-only")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Rankings cannot be changed: {name} is read-only")

    def __len__(self) -> int:
        return self._handle.rows

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rankings and the number of items."""
        return self._handle.rows, self._handle.items

    @property
    def ndim(self) -> int:
        """The number of axes: always 2, as for a matrix."""
        return 2

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self._handle.items

    @property
    def items(self) -> list[Any] | None:
        """The names of the items; None if the items have no names."""
        return None if self._items is None else list(self._items)

    @property
    def labels(self) -> list[Any] | None:
        """The labels of the rows, such as the index of a data frame; None if the rows have no labels."""
        return None if self._labels is None else list(self._labels)

    @property
    def counts(self) -> NDArray[np.int64] | None:
        """How often each ranking was observed; None if every ranking was observed once."""
        return None if self._counts is None else self._counts.copy()

    @property
    def kind(self) -> Kind:
        """How the rankings are stored: "complete", "tied" or "lists".

        "complete": no ties, and at most one missing item, which is then last. "lists": only the listed items of each
        ranking are stored. "tied": all other rankings.
        """
        return "complete" if self._handle.is_complete else "lists" if self._handle.is_lists else "tied"

    def __getitem__(self, rows: Index | tuple[Index, Any]) -> Rankings:
        """Return some of the rankings, chosen by row numbers, a slice, a boolean mask, or labels of rows.

        Labels must be texts: a number always means a row number. As for NumPy arrays, `X[rows, ...]` means the same as
        `X[rows]`.
        """
        if isinstance(rows, tuple):
            chosen, *rest = rows
            if any(part is not Ellipsis and part != slice(None) for part in rest):
                raise IndexError("a Rankings is indexed by rows only: all rankings are rankings of the same items")
            rows = cast("Index", chosen)
        numbers = self._row_numbers(rows)
        return Rankings._made(
            self._handle.select(numbers),
            self._missing,
            listed=None if self._listed is None else self._listed[numbers],
            items=self._items,
            labels=None if self._labels is None else [self._labels[row] for row in numbers.tolist()],
            counts=None if self._counts is None else self._counts[numbers],
            reading=self._reading,
        )

    def __iter__(self) -> Iterator[Rankings]:
        return (self[row] for row in range(len(self)))

    def _row_numbers(self, rows: Index) -> NDArray[np.int64]:
        """Return the numbers of the chosen rows; the time depends only on how many rows are chosen."""
        if isinstance(rows, slice):
            return np.arange(*rows.indices(len(self)), dtype=np.int64)
        numbers = np.asarray(rows)
        if numbers.dtype == object and numbers.size and all(isinstance(flag, bool | np.bool_) for flag in numbers.flat):
            numbers = numbers.astype(bool)
        if numbers.dtype.kind in "iu" and numbers.ndim <= 1 and numbers.size and numbers.min() >= 0:
            return np.atleast_1d(numbers).astype(np.int64, copy=False)
        if numbers.size == 0 and numbers.ndim == 1 and numbers.dtype.kind != "b":
            return np.zeros(0, dtype=np.int64)
        if numbers.ndim <= 1 and all(isinstance(label, str) for label in numbers.flat):
            return self._labelled_rows(np.atleast_1d(numbers).tolist())
        if numbers.ndim > 1 or numbers.dtype.kind not in ("iu" if numbers.ndim == 0 else "iub"):
            kinds = "a number, a slice, a mask, numbers or labels that are texts"
            raise IndexError(f"rows of a Rankings are {kinds}, not {shown(rows)}")
        if numbers.dtype.kind == "b":
            if len(numbers) != len(self):
                rule = f"there are {len(self)} rankings: it must have one for each"
                raise IndexError(f"the mask has {len(numbers)} values, but {rule}")
            if rows is not numbers:
                check_same_rows(self, rows, ("the rankings", "the mask"))
        return np.atleast_1d(np.arange(len(self), dtype=np.int64)[numbers])  # a mask, or counted from the end

    def _labelled_rows(self, labels: Sequence[str]) -> NDArray[np.int64]:
        """Return the numbers of the rows with these labels."""
        rows: dict[object, list[int]] = {}
        for row, label in enumerate(self._labels or ()):
            rows.setdefault(label, []).append(row)
        for label in labels:
            if label not in rows:
                hint = names_beside(label, rows, "labels") if rows else ": the rows have no labels"
                raise IndexError(f"no row is labelled {shown(label)}{hint}")
        return np.array([row for label in labels for row in rows[label]], dtype=np.int64)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the ranks, which begin at 1; tied items have the best rank that they share, missing items have NaN."""
        ranks = self._ranks()
        return ranks if dtype is None else ranks.astype(dtype, copy=bool(copy))

    def _ranks(self) -> NDArray[Any]:
        if self.kind == "complete":
            places = self._handle.ranks()
        elif self._handle.is_lists:
            bounds, columns, starts = self._handle.parts()
            lengths = np.diff(bounds)
            places = np.repeat(lengths[:, np.newaxis] + 1, self.n_items, axis=1)
            places[np.repeat(np.arange(len(self)), lengths), columns] = starts
        else:
            places = self._handle.ranks() + 1
        if self._missing == "anywhere":
            hidden = places > self.n_items
        elif self._listed is not None:
            hidden = places == self._listed[:, np.newaxis] + 1
        else:
            return places
        return np.where(hidden, np.nan, places) if hidden.any() else places

    @cached_property
    def _places(self) -> Any:
        """An array in which two rows are equal only if the two rankings are equal; for lists, the array is sparse."""
        if self._handle.is_lists:
            bounds, columns, starts = self._handle.parts()
            return sparse_array(SparseRows(bounds, columns, starts, self.shape))
        if self.kind == "complete":
            return self._handle.ranks()
        places = self._handle.ranks() + 1
        return np.where(places > self.n_items, np.nan, places) if self._missing == "anywhere" else places

    def _handle_for(self, measure: _core.Measure) -> _core.Rankings:
        """Return the rankings as a measure takes them: some measures need to know which rows list all items."""
        if self._listed is None or not measure.takes_listed:
            return self._handle
        return self._handle.listed(self._listed == self.n_items)

    def distinct(self) -> Rankings:
        """Return each different ranking once, in the order in which the rankings first appear.

        The counts of equal rankings are added up. The rows of the result have no labels, because a row can stand for
        several rows of the data.

        Examples
        --------
        >>> import wkendall
        >>> found = wkendall.Rankings([[1, 2, 3], [2, 1, 3], [1, 2, 3]]).distinct()
        >>> len(found), found.counts
        (2, array([2, 1]))
        """
        first, member = merged(self)
        observed = np.ones(len(self), dtype=np.int64) if self._counts is None else self._counts
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, member, observed)
        order = np.argsort(first)
        return self[first[order]]._with(labels=None, counts=counts[order])

    def describe(self, by: ArrayLike | None = None, *, sample_weight: ArrayLike | None = None) -> Description:
        """Describe the rankings: mean ranks, how often one item is before another, Kendall's W and more.

        The documentation of `Description` lists all results, and says how ties and missing items are counted.

        Parameters
        ----------
        by : array-like of shape (m,), optional
            A label for each ranking. Rankings with the same label form a group. The attribute `groups` of the result
            describes each group. If the labels are ordered categories, the groups are in the order of the categories.
        sample_weight : array-like of shape (m,), optional
            The weight of each ranking, such as a survey weight. The weights replace the counts of the rankings.

        Returns
        -------
        Description

        Examples
        --------
        >>> import wkendall
        >>> votes = wkendall.Rankings([[1, 2, 3], [2, 1, 3], [3, 1, 2]], items=["apple", "pear", "plum"])
        >>> votes.describe(by=["old", "young", "young"])
        3 rankings of 3 items, 3 distinct, Kendall's W 0.44
        old: 1 ranking of 3 items, 1 distinct, Kendall's W 1.00
        young: 2 rankings of 3 items, 2 distinct, Kendall's W 0.75
          mean rank   all   old  young
          pear       1.33  2.00   1.00
          apple      2.00  1.00   2.50
          plum       2.67  3.00   2.50
        """
        weights = None if sample_weight is None else sample_weights(sample_weight, self)
        if by is None:
            return Description(self._source(weights))
        check_same_rows(self, by, ("the rankings", "by"))
        numbers = group_rows(by, len(self), "by")
        return Description(
            self._source(weights),
            {
                label: Description(
                    self[rows]._source(None if weights is None else sample_weights(weights[rows], self[rows]))
                )
                for label, rows in numbers.items()
            },
        )

    def _source(self, weights: NDArray[np.float64] | None = None) -> Source:
        """Return the data from which a description is computed."""
        shares = None if weights is None else weights / weights.max() / (weights / weights.max()).sum()
        observed = self if self._counts is None else self[self._counts > 0]
        distinct = len(merged(observed)[0])
        return Source(
            self._handle, self._missing == "anywhere", self._listed, self._counts, self._items, distinct, shares
        )

    def to_lists(self) -> list[list[Any]]:
        """Return each ranking as a list of item names, best item first; items without names have numbers from 0.

        Items that are tied with each other are together in a set. Items that are not listed, and items of unknown
        position, are left out.

        Examples
        --------
        >>> import wkendall
        >>> wkendall.Rankings([[2, 1, 2]], items="abc", ties="mean").to_lists() == [["b", {"a", "c"}]]
        True
        """
        return [self._listed_row(row) for row in range(len(self))]

    def _listed_row(self, row: int) -> list[Any]:
        names: Sequence[Any] = range(self.n_items) if self._items is None else self._items
        columns, starts = self._row_entries(row)
        groups: dict[int, list[Any]] = {}
        for column, start in zip(columns, starts, strict=True):
            groups.setdefault(start, []).append(names[column])
        return [groups[start][0] if len(groups[start]) == 1 else set(groups[start]) for start in sorted(groups)]

    def _row_entries(self, row: int) -> tuple[list[int], list[int]]:
        """Return the items that a row lists, and for each item the best of the ranks that it shares."""
        one = self[row]
        if not self._handle.is_lists:
            ranks = one._ranks()[0]
            listed = np.flatnonzero(ranks == ranks)
            return listed.tolist(), ranks[listed].astype(np.int64).tolist()
        _, columns, starts = one._handle.parts()
        found = columns.tolist(), starts.tolist()
        if one._listed is not None and one._listed[0] > len(columns):  # the last block is not stored
            rest = np.setdiff1d(np.arange(self.n_items), columns)
            return found[0] + rest.tolist(), found[1] + [len(columns) + 1] * len(rest)
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rankings):
            return NotImplemented
        if self.shape != other.shape or self._items != other._items or not _equal(self._counts, other._counts):
            return False
        if self._handle.is_lists and other._handle.is_lists:
            parts = zip(self._handle.parts(), other._handle.parts(), strict=True)
            return _equal(self._listed, other._listed) and all(_equal(one, two) for one, two in parts)
        ranks, others = self._ranks(), other._ranks()
        if (self._missing == "anywhere") != (other._missing == "anywhere") and np.isnan(ranks).any():
            return False
        return bool(np.array_equal(ranks, others, equal_nan=True))

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: object) -> Rankings:
        return self

    def __copy__(self) -> Rankings:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._places, self._missing, self._parts)

    def __repr__(self) -> str:
        lines = [f"Rankings: {self._summary()}"]
        lines += [f"  {self._line(row)}" for row in range(min(len(self), SHOWN_ROWS))]
        if len(self) > SHOWN_ROWS:
            lines.append(f"  ... and {len(self) - SHOWN_ROWS:,} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(f"<li>{escape(self._line(row))}</li>" for row in range(min(len(self), SHOWN_ROWS)))
        more = f"<li>… and {len(self) - SHOWN_ROWS:,} more</li>" if len(self) > SHOWN_ROWS else ""
        return f"<div><b>Rankings</b>: {escape(self._summary())}<ul>{rows}{more}</ul></div>"

    def _summary(self) -> str:
        """Say how many rankings and items there are, and how many rankings have ties or miss items."""
        m, n = self.shape
        tied, short_rows = self._incomplete()
        complete = "ranking" if short_rows else "complete ranking"
        kind = {"complete": complete, "tied": "ranking", "lists": "list"}[self.kind]
        parts = [f"{m:,} {kind}{'' if m == 1 else 's'} of {n:,} item{'' if n == 1 else 's'}"]
        if tied:
            parts.append(f"{tied:,} with ties")
        if short_rows:
            parts.append(f"{short_rows:,} with missing items")
        if self._counts is not None:
            parts.append(f"observed {int(self._counts.sum()):,} times")
        return ", ".join(parts)

    def _incomplete(self) -> tuple[int, int]:
        """Return how many rankings have ties, and how many miss items."""
        missing = 0 if self._listed is None else int((self._listed < self.n_items).sum())
        if self.kind == "complete":
            return 0, missing
        if self._handle.is_lists:
            bounds, _, starts = self._handle.parts()
            lengths = np.diff(bounds)
            blocks = np.unique(np.repeat(np.arange(len(self)), lengths) * (self.n_items + 1) + starts)
            untied = np.bincount(blocks // (self.n_items + 1), minlength=len(self))
            last = 0 if self._listed is None else self._listed - lengths  # the items of a last block that is not stored
            return int(((untied < lengths) | (last > 1)).sum()), missing
        ranks = self._ranks()
        if self._missing == "anywhere":
            missing = int(np.isnan(ranks).any(axis=1).sum())
        ordered = np.sort(ranks, axis=1)
        return int((ordered[:, 1:] == ordered[:, :-1]).any(axis=1).sum()), missing

    def _line(self, row: int) -> str:
        groups = self._listed_row(row)
        words = [
            " = ".join(sorted(map(str, group))) if isinstance(group, set) else str(group)
            for group in groups[:SHOWN_ITEMS]
        ]
        line = " > ".join(short(word, 40) for word in words) + (" > ..." if len(groups) > SHOWN_ITEMS else "")
        line = line or "(no items)"
        if self._counts is not None:
            line = f"{self._counts[row]:,} x {line}"
        return line if self._labels is None or isinstance(self._labels, range) else f"{self._labels[row]}: {line}"


def _equal(first: NDArray[Any] | None, second: NDArray[Any] | None) -> bool:
    if first is None or second is None:
        return first is second
    return bool(np.array_equal(first, second))


def read_rankings(
    values: ArrayLike | Rankings, name: str, reading: Reading = RANKS, threads: int | None = None
) -> Rankings:
    """Return rankings, one per row; `name` is the name of the caller's argument."""
    if isinstance(values, Rankings):
        _check_not_read(reading, name)
        return values
    items, labels = None, None
    if type(values) is not np.ndarray:  # which has no names: a third of a microsecond
        values = known_frame(values)
        items, labels = item_names(values, "columns", reading, name), row_labels(values)
    try:
        core, listed, doubt = reading.read(values, name, 2, threads)
    except RankingError as error:
        raise located(error if items is None else about_stray_text(error, values), items, labels) from None
    if doubt is not None:
        warnings.warn(made(UserWarning, parts_of(located(doubt, items, labels))), stacklevel=3)
    if items is not None and reading.input == "ranks" and (reading.ties, reading.missing) != RANKS[2:4]:
        frame = cast("Any", values)
        some = frame.head(SAMPLE_ROWS) if hasattr(frame, "head") else frame
        tell_of_large(acceptable(as_array(some, name, 2), name), items, name, "items", 4)
    return Rankings._made(core, reading.missing, listed=listed, items=items, labels=labels, reading=reading)


def read_ranking(values: ArrayLike | Rankings, name: str, reading: Reading = RANKS) -> Rankings:
    """Return one ranking, from an array-like with one axis, a sparse array with one row or a `Rankings`."""
    if isinstance(values, Rankings):
        _check_not_read(reading, name)
        found = values
    else:
        items = None if type(values) is np.ndarray else item_names(values, "index", reading, name)
        try:
            core, listed, _ = reading.read(values, name, 1, 1)
        except RankingError as error:
            raise located(error, items, None) from None
        found = Rankings._made(core, reading.missing, listed=listed, items=items, reading=reading)
    if len(found) != 1:
        raise bad_argument(name, f" has {len(found)} rows, but must be one ranking", value=len(found), kind="axes")
    return found


def read_both(
    X: ArrayLike | Rankings, Y: ArrayLike | Rankings | None, reading: Reading = RANKS, threads: int | None = None
) -> tuple[Rankings, Rankings | None]:
    """Read two sets of rankings of the same items."""
    if Y is not None and reading.input == "orders":  # the columns are places
        check_not_rearranged(X, Y, "columns", ("X", "Y"), "column")
    x = read_rankings(X, "X", reading_beside(reading, X, Y), threads)
    return x, None if Y is None else matched(x, read_rankings(Y, "Y", reading_beside(reading, Y, X), threads))


def reading_beside(reading: Reading, values: object, *others: object) -> Reading:
    """Return the options for reading `Y`, which is compared with `X`; if `X` is a `Rankings`, its options are the default."""
    if isinstance(values, Rankings):
        return reading
    read = [other._reading or RANKS for other in others if isinstance(other, Rankings)]
    if not read or reading[:4] != RANKS[:4]:
        return reading
    if any(other[:4] != read[0][:4] for other in read):
        rule = "the Rankings beside an array were read with different options: pass Rankings in place of the array"
        raise RankingError(rule, kind="reading")
    return Reading(*read[0][:4], *reading[4:])


def _check_not_read(reading: Reading, name: str) -> None:
    for option, value, default in zip(Reading._fields[:4], reading, RANKS, strict=False):
        if value != default:
            rule = f"{name} is a Rankings, which has been read: pass {option} when you make it"
            raise RankingError(rule, argument=option, value=value)


def item_names(values: object, attribute: str, reading: Reading, name: str) -> tuple[Hashable, ...] | None:
    """Return the names of the items, or None; with `input="orders"`, column labels are not names of items."""
    check_collected(values, name)
    found = None if reading.input == "orders" else labels_of(values, attribute)
    if found is None or found == list(range(len(found))):
        return None
    check_different(found, name)
    return tuple(found)


def check_different(names: Sequence[Hashable], argument: str) -> None:
    """Raise an error if two items, or two columns, have the same name."""
    places: dict[Hashable, int] = {}
    for place, name in enumerate(names):
        if (first := places.setdefault(name, place)) != place:
            rule = f"{argument} has two items named {shown(name)}, in places {first} and {place}: names must differ"
            raise RankingError(rule, argument=argument, column=place, value=name, kind="duplicate name")


def read_complete(X: ArrayLike | Rankings) -> Rankings:
    """Read rankings that must be permutations."""
    rankings = read_rankings(X, "X", Reading(advises=False))
    if rankings.kind != "complete":
        rule = " has ties or missing items, but must be complete: a permutation in each row"
        raise bad_argument("X", rule, kind="not complete")
    return rankings


def sample_weights(weights: ArrayLike | None, rankings: Rankings) -> NDArray[np.float64]:
    """Check the weights of rankings; the default is their counts."""
    rows = len(rankings)
    given, name = (rankings._counts, "counts") if weights is None else (weights, "sample_weight")
    if given is None:
        return np.ones(rows)
    check_same_rows(rankings, given, ("X", name))
    flags = isinstance(given, np.ndarray) and given.dtype == bool
    meaning = f"one number, or an array of {rows} numbers, one for each ranking"
    found = real_array(np.asarray(given, dtype=np.int64) if flags else given, name, (0, 1), meaning)
    found = np.full(rows, found) if found.ndim == 0 else found
    if len(found) != rows:
        raise bad_argument(name, f" has {len(found)} numbers, but X has {rows} rankings: it must be {meaning}")
    for row in np.flatnonzero(~((found >= 0) & (found < np.inf)))[:1].tolist():
        value = float(found[row])
        raise bad_argument(
            entry_name(given, name, row), f" is {value}, but must be a finite number from 0", value=value
        )
    if not found.any():
        raise bad_argument(name, " is zero for all rankings: at least one must count")
    return found


def matched(x: Rankings, y: Rankings, names: tuple[str, str] = ("X", "Y")) -> Rankings:
    """Return the rankings `y` with the items in the order of `x`; raise an error if the items differ."""
    if y.n_items != x.n_items:
        raise items_differ(x.n_items, y.n_items, names, _differences(x, y, names))
    # Rows of one set share their items, which may be very many.
    if x._items is None or y._items is None or x._items is y._items or x._items == y._items:
        return y
    columns = {item: column for column, item in enumerate(y._items)}
    for place, item in enumerate(x._items):
        if item not in columns:
            rule = f"{names[0]} has the item {item!r}, but {names[1]} does not: both must rank the same items"
            mine = set(x._items)
            rule += f"; only {names[1]} has {some_names(name for name in y._items if name not in mine)}"
            rule += _same_lists(x, y)
            raise RankingError(rule, argument=names[1], column=place, value=item, kind="items differ")
    core = from_places(y._places[:, [columns[item] for item in x._items]], y._missing)
    parts: dict[str, Any] = {"listed": y._listed, "labels": y._labels, "counts": y._counts, "reading": y._reading}
    return Rankings._made(core, y._missing, items=x._items, **parts)


def _differences(x: Rankings, y: Rankings, names: tuple[str, str]) -> str:
    """Return a text that names the items of only one of two sets of rankings, if both sets have names."""
    if x._items is None or y._items is None:
        return ""
    sides = [(names[0], x._items, set(y._items)), (names[1], y._items, set(x._items))]
    only = [(name, [item for item in items if item not in others]) for name, items, others in sides]
    found = " and ".join(f"only {name} has {some_names(items)}" for name, items in only if items)
    return f"; {found}{_same_lists(x, y)}" if found else ""


def _same_lists(x: Rankings, y: Rankings) -> str:
    """Return advice on making lists with the same items as the rankings `x`."""
    read = getattr(x, "_reading", None), y._reading
    lists = "lists" in (getattr(x, "kind", None), y.kind) or any(reading and reading.lists for reading in read)
    return "; from_lists(lists, items=...) makes lists of the same items" if lists else ""


def items_differ(first: int, second: int, names: tuple[str, str] = ("X", "Y"), which: str = "") -> RankingError:
    """Make the error for two sets of rankings with different numbers of items."""
    message = f"{names[0]} has {first} items, but {names[1]} has {second}: both must rank the same items{which}"
    return RankingError(message, argument=names[1], kind="items differ", value=second)


def merged(rankings: Rankings) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the number of the first row of each distinct ranking, and for each row the index of its distinct ranking.

    The distinct rankings are sorted.
    """
    if not rankings.n_items:
        keys = np.zeros(len(rankings))
    else:
        keys = _keys_of_lists(rankings) if rankings._handle.is_lists else _keys(rankings._places)
    _, first, member = np.unique(keys, return_index=True, return_inverse=True)
    if rankings._listed is not None:
        # [1, 2, NaN, NaN] and [1, 2, 3, 3] have equal kernels, but do not list the same items.
        same = np.stack([member, rankings._listed], axis=1)
        _, first, member = np.unique(same, axis=0, return_index=True, return_inverse=True)
    return first, member.reshape(-1)


def _keys(places: NDArray[Any]) -> NDArray[Any]:
    """Return a byte string for each ranking; byte strings are sorted ten times as fast as rows."""
    whole = np.nan_to_num(places, nan=0).astype(np.min_scalar_type(places.shape[1]).newbyteorder(">"))
    return np.asarray(whole.view(f"S{whole.itemsize * whole.shape[1]}").ravel())


def _keys_of_lists(rankings: Rankings) -> NDArray[Any]:
    """Return a byte string for each list; the byte strings have different lengths, like the lists."""
    bounds, columns, starts = rankings._handle.parts()
    entries = np.stack([columns, starts], axis=1).astype(">u4")
    ends = zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    keys = np.empty(len(rankings), dtype=object)
    keys[:] = [entries[first:last].tobytes() for first, last in ends]
    return keys


def check_all_items_fit(rankings: Rankings) -> None:
    """Raise an error if lists have too many items in total: methods for pairs need an array of all items of all rows."""
    if rankings.kind == "lists":
        check_fits(*rankings.shape, np.dtype(np.float64), "leave out the items that few rankings list")


def as_names(items: Iterable[Hashable], known: Sequence[Hashable] | None) -> tuple[Hashable, ...]:
    """Check that the names of items are all different, and that they are known names if names are known."""
    if isinstance(items, bytes | dict | set | frozenset) or not isinstance(items, Iterable):
        raise TypeError(f"items must be a list of names, not {shown(items)}")
    names, possible = tuple(map(plain_name, items)), set(known or ())
    places: dict[Hashable, int] = {}
    for place, name in enumerate(names):
        try:
            first = places.setdefault(name, place)
        except TypeError:
            what = f"{shown(name)} of type {type(name).__name__}, but names must be hashable"
            raise TypeError(f"items[{place}] is {what}: strings, numbers or tuples") from None
        if first != place:
            raise bad_argument("items", f" holds {shown(name)} twice, in places {first} and {place}")
        if known is not None and name not in possible:
            rule = f"items has {shown(name)}, but X has no item of this name: it has {some_names(known)}"
            raise RankingError(rule, argument="items", column=place, value=name, kind="items differ")
    return names


def as_counts(counts: ArrayLike, rows: int) -> NDArray[np.int64]:
    """Check the counts of rankings: whole numbers of at least 0, one for each row."""
    given = np.asarray(counts)
    meaning = f"an array of {rows} whole numbers, one for each ranking"
    if given.dtype.kind not in "iuf" and given.size:
        raise TypeError(f"counts must be {meaning}, not {shown(counts)}")
    if given.shape != (rows,):
        raise bad_argument("counts", f" has shape {given.shape}, but must be {meaning}")
    for row in np.flatnonzero(~((given >= 0) & (given < 2**63) & (given == np.floor(given))))[:1].tolist():
        value = given[row].item()
        raise bad_argument(
            entry_name(counts, "counts", row), f" is {value}, but must be a whole number from 0", value=value
        )
    return given.astype(np.int64)


def _unpickled(places: Any, missing: Missing, parts: dict[str, Any]) -> Rankings:
    return Rankings._made(from_places(places, missing), missing, **parts)
