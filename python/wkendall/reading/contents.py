"""The contents of a file of rankings before they are checked, and the rankings that they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall._errors import Argument, Column, Piece, RankingError, Row, changed, sentence_of
from wkendall._memory import check_fits
from wkendall.arrays.options import Reading
from wkendall.arrays.sparse import SparseRows
from wkendall.rankings import Rankings

#: Advice for lists that would have to be an array.
ADVICE = "take fewer rankings at a time, or leave out items that few rankings have"


class Contents(NamedTuple):
    """The rankings of a file before they are checked, and what else the file has."""

    #: What messages call the file.
    name: str
    #: A row for each ranking: an array, or the numbers of the listed items.
    X: NDArray[Any] | SparseRows
    #: The names of the items, if the file has any.
    items: Sequence[Any] | None = None
    #: The names of the rankings, if the file has any.
    ids: Sequence[Any] | None = None
    #: How often each ranking was observed.
    counts: NDArray[np.int64] | None = None
    #: The cells of separated columns, or separated arrays, by name.
    apart: Mapping[str, Any] = MappingProxyType({})
    #: The line where each ranking of a text file begins.
    lines: Sequence[int] = ()
    #: The columns to skip or to read that the file has, as they were given.
    found: Collection[str] = ()
    #: The layout of a CSV file, or "PrefLib"; "ranks" for all files with one column for each item.
    layout: str = "ranks"

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rankings and the number of items."""
        rows, columns = self.X.shape
        return int(rows), int(columns)

    def rankings(self, reading: Reading) -> Rankings:
        """Check the rankings. They are stored as lists if some leave out items, which come last."""
        items = None if self.items is None or reading.input == "orders" else tuple(self.items)
        try:
            core, listed = self._read(reading)
        except RankingError as error:
            raise self._located(error) from None
        parts: dict[str, Any] = {"listed": listed, "items": items, "labels": self.ids, "counts": self.counts}
        return Rankings._made(core, reading.missing, **parts)

    def _read(self, reading: Reading) -> Any:
        reading.check()
        if not isinstance(self.X, SparseRows):
            return reading.read(self.X, self.name)
        rows, columns = self.X.shape
        if reading.missing == "bottom" and len(self.X.columns) < rows * columns:
            reading.check_takes_lists(self.name)
            return reading.read_lists(self.X, self.name)
        check_fits(rows, columns, np.dtype(np.float64), ADVICE)
        X = np.full((rows, columns), np.nan)
        X[np.repeat(np.arange(rows), np.diff(self.X.bounds)), self.X.columns] = self.X.values
        return reading.read(X, self.name)

    def arranged(self, items: Sequence[str]) -> Contents:
        """Return the contents with these items, in this order; lists may lack some of them."""
        assert self.items is not None
        if isinstance(self.X, SparseRows):
            places = {item: place for place, item in enumerate(items)}
            moved = np.array([places[item] for item in self.items], dtype=np.int64)
            columns = moved[self.X.columns] if len(moved) else self.X.columns
            X: Any = self.X._replace(columns=columns, shape=(self.X.shape[0], len(items)))
        else:
            places = {item: place for place, item in enumerate(self.items)}
            X = self.X[:, [places[item] for item in items]]
        return self._replace(X=X, items=items)

    def _located(self, error: RankingError) -> RankingError:
        """Say where in the file an error is: lines as text editors show them, and names of items."""
        pieces = sentence_of(error).pieces
        if self.layout != "ranks":
            pieces = _of_items(pieces, error.kind)
        row = self.lines[error.row] - 1 if self.lines and error.row is not None else error.row
        return changed(error, map(self._said, pieces), row=row)

    def _said(self, piece: Piece) -> Piece:
        match piece:
            case Row(number) if self.layout == "long" and self.ids is not None:
                return f"ranking {self.ids[number]!r}"
            case Row(number) if self.lines:
                return f"line {self.lines[number]}"
            case Column(number) if self.items is not None:
                return repr(self.items[number])
            case Column(number) if self.lines:
                return f"{number + 1}"
            case Argument(name) if name == self.name:
                return self.name
            case other:
                return other


def _of_items(pieces: tuple[Piece, ...], kind: str | None) -> tuple[Piece, ...]:
    """Name items: the array that was made from a file has a column for each, but the file has none."""
    columns = [place for place, piece in enumerate(pieces) if isinstance(piece, Column)]
    if kind == "nan" and columns:
        item = columns[0]
        return *pieces[: item - 1], " leaves out item ", pieces[item], *pieces[item + 2 :]
    found = list(pieces)
    for place in columns:
        before = found[place - 1]
        if isinstance(before, str):
            found[place - 1] = before.replace("in columns ", "for items ").replace("column ", "item ")
    return tuple(found)
