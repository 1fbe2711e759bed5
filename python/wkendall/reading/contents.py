"""The contents of a file of rankings before they are checked, and the check that turns them into rankings."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall._errors import RankingError, made, parts_of, remade
from wkendall._memory import check_fits
from wkendall.arrays.convert import tell_of_large
from wkendall.arrays.options import Read, Reading
from wkendall.arrays.sparse import SparseRows
from wkendall.rankings import Rankings

#: Advice for lists that would have to be an array.
ADVICE = "take fewer rankings at a time, or leave out items that few rankings have"


class Contents(NamedTuple):
    """The rankings of a file before they are checked, with the names, labels and counts that the file has."""

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
        """Check the rankings. Sparse rows become lists if some rows leave out items and `missing` is "bottom"."""
        items = None if self.items is None or reading.input == "orders" else tuple(self.items)
        try:
            core, listed, doubt = self._read(reading)
        except RankingError as error:
            raise self._located(error) from None
        if doubt is not None and not self._counts_rows(doubt.column):
            warnings.warn(made(UserWarning, parts_of(self._located(doubt))), stacklevel=3)
        self._tell_of_large(reading)
        parts: dict[str, Any] = {"listed": listed, "items": items, "labels": self.ids, "counts": self.counts}
        kept = reading._replace(lists=isinstance(self.X, SparseRows))
        return Rankings._made(core, reading.missing, reading=kept, **parts)

    def _read(self, reading: Reading) -> Read:
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

    def _counts_rows(self, columns: Any) -> Any:
        """Return whether columns count the rows; there is a warning about such columns before they are read."""
        return not isinstance(self.X, SparseRows) and (np.diff(self.X[:, columns], axis=0) == 1).all(axis=0)

    def _tell_of_large(self, reading: Reading) -> None:
        """Warn of a column with numbers that are too large for ranks, such as ages."""
        if reading.input != "ranks" or self.items is None or not self.lines or isinstance(self.X, SparseRows):
            return
        tell_of_large(np.where(self._counts_rows(slice(None)), np.nan, self.X), self.items, self.name, "no name", 5)

    def arranged(self, items: Sequence[str]) -> Contents:
        """Return the contents with the given items, in the given order. Lists may lack some of these items."""
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
        """Add the position in the file to an error: the line, as a text editor counts lines, and the item."""
        parts = parts_of(error)
        if not parts.places:
            return error
        noun = "column" if self.layout == "ranks" else "item"
        where, reason = parts.place(self._row, self._column, noun), parts.reason
        if noun == "item" and error.kind == "nan":  # the array has a column for each item, but the file has none
            where, reason = f"{self._row(parts.places[0][0])} leaves out item {self._column(parts.places[0][1])}", ""
        row = self.lines[error.row] - 1 if self.lines and error.row is not None else error.row
        advice = ("item numbers of files",) if self.lines and parts.advice[:1] == ("item numbers",) else parts.advice
        if "".join(advice[:1]) in ("", "scores") and self._may_be_long(error):
            advice = ("long table",)
        return remade(error, parts._replace(reason=f": {where}{reason}", places=(), advice=advice), row=row)

    def _may_be_long(self, error: RankingError) -> bool:
        """Return whether a file may have a line for each item of each ranking.

        Such a file has three columns, and the same ranking in several lines.
        """
        if error.kind not in ("out of range", "mixed base") or not self.lines or isinstance(self.X, SparseRows):
            return False
        rows, columns = self.shape
        return columns == 3 and rows > 3 and any(2 * len(np.unique(column)) <= rows for column in self.X.T)

    def _row(self, number: int) -> str:
        if self.layout == "long" and self.ids is not None:
            return f"ranking {self.ids[number]!r}"
        return f"line {self.lines[number]}" if self.lines else f"row {number}"

    def _column(self, number: int) -> str:
        if self.items is not None:
            return repr(self.items[number])
        return str(number + 1 if self.lines else number)
