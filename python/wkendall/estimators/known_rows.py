"""A cache of rankings that were read before. A hash of the row identifies each ranking.

Reading is slow: for example, reading 64 rankings of 5,000 items takes longer than training a support vector machine
with these rankings. So a row that was read before is not read again. To find such rows, the hashes of the rows are
compared. Whether a row is a valid ranking depends on this row alone, with one exception: all rows of an array must
count from the same number, 0 or 1.

Two rows count as equal if their hashes of 128 bits are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wkendall.arrays.options import Missing, from_places
from wkendall.rankings import Rankings

Numbers = NDArray[np.intp]

#: Bytes of a hash.
HASH_BYTES = 16
#: Approximate overhead of Python for a row or an array, in bytes, in addition to its data.
ROW_BYTES = 400


@dataclass(slots=True)
class KnownRow:
    """A ranking that was read."""

    places: NDArray[Any]
    #: The number of items that it lists; None if it was read together with rankings that leave nothing out.
    listed: int | None
    #: The lowest rank (0 or 1) of a complete ranking; None if it was read together with incomplete ones.
    first: int | None


@dataclass(eq=False)
class Rows:
    """The rows that were read before, for arrays with the same options. Each distinct row has a number."""

    missing: Missing
    known: list[KnownRow] = field(default_factory=list)
    by_hash: dict[bytes, int] = field(default_factory=dict)

    def count_new(self, hashes: bytes) -> int:
        """Return how many of the rows with these hashes were not read before."""
        return sum(row not in self.by_hash for row in _each(hashes))

    def find(self, hashes: bytes) -> Known | None:
        """Return the rankings with these hashes if all are known and complete, and all count from the same number."""
        numbers = [self.by_hash.get(row, -1) for row in _each(hashes)]
        if -1 in numbers:
            return None
        rows = [self.known[number] for number in numbers]
        firsts = {row.first for row in rows}
        if len(firsts) != 1 or None in firsts:
            return None
        return Known(self, np.array(numbers, dtype=np.intp), rows, True)

    def add(self, hashes: bytes, read: Rankings, firsts: list[int | None]) -> Known:
        """Give each row a number. Equal rows get the same number."""
        listed = [None] * len(read) if read._listed is None else read._listed.tolist()
        numbers = [self._add(*row) for row in zip(_each(hashes), read._places, listed, firsts, strict=True)]
        rows = [self.known[number] for number in numbers]
        return Known(self, np.array(numbers, dtype=np.intp), rows, read.kind == "complete", read)

    def _add(self, hashed: bytes, places: NDArray[Any], listed: int | None, first: int | None) -> int:
        number = self.by_hash.get(hashed)
        if number is None:
            self.known.append(KnownRow(places.copy(), listed, first))
            number = self.by_hash[hashed] = len(self.known) - 1
        else:
            row = self.known[number]
            row.listed, row.first = row.listed if listed is None else listed, row.first if first is None else first
        return number


def _each(hashes: bytes) -> list[bytes]:
    return [hashes[start : start + HASH_BYTES] for start in range(0, len(hashes), HASH_BYTES)]


@dataclass(frozen=True, eq=False)
class Known:
    """Rankings that have numbers in the cache."""

    table: Rows
    numbers: Numbers
    rows: list[KnownRow]
    is_complete: bool
    #: The rankings, if they had to be read.
    read: Rankings | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n_items(self) -> int:
        """The number of items of each ranking."""
        return len(self.rows[0].places)

    @property
    def bytes_of_numbers(self) -> int:
        """The size of this object in bytes, without the rankings: a number, a reference and a hash for each ranking."""
        return (16 + HASH_BYTES) * len(self.numbers) + ROW_BYTES

    def without_handle(self) -> Known:
        """Return a copy that takes less memory, because it does not hold the rankings that were read."""
        return self if self.read is None else replace(self, read=None)

    def rankings(self, threads: int | None = None, **parts: Any) -> Rankings:
        """Return the rankings, with the names, labels and counts that `parts` contains."""
        return self._made(self.rows, threads, **parts) if self.read is None else self.read

    def select(self, rows: Numbers, threads: int | None) -> Rankings:
        """Return some of the rankings."""
        if self.read is not None:
            return self.read[rows]
        return self._made([self.rows[row] for row in rows.tolist()], threads)

    def _made(self, rows: list[KnownRow], threads: int | None, **parts: Any) -> Rankings:
        core = from_places(np.stack([row.places for row in rows]), self.table.missing, threads)
        listed = None
        if not core.is_complete and all(row.listed is not None for row in rows):
            listed = np.array([row.listed for row in rows], dtype=np.int64)
        return Rankings._made(core, self.table.missing, listed=listed, **parts)

    @cached_property
    def repeats(self) -> bool:
        """Whether each distinct ranking occurs at least twice on average."""
        return 2 * len(set(self.numbers.tolist())) <= len(self.numbers)
