"""Rankings that were read before, recognised by a hash.

Rows are compared as given, before they are read: reading 64 rankings of 5,000 items takes longer than fitting a support
vector machine to them. A known row is not read again. Whether it is a ranking depends only on the row, with one
exception: all rows must count from 0, or all from 1.

Rows are equal if they have the same hash, of 128 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wkendall.reading.rankings import CheckedRankings, Missing, Places, of_places

Numbers = NDArray[np.intp]

#: Bytes of a hash.
HASH_BYTES = 16
#: Approximate overhead of Python for a row or an array, in bytes, in addition to its data.
ROW_BYTES = 400


@dataclass(slots=True)
class KnownRow:
    """A ranking that was read."""

    places: NDArray[Any]
    #: The lowest rank (0 or 1) of a complete ranking; None if it was read together with incomplete ones.
    first: int | None


@dataclass(eq=False)
class Rows:
    """Rows of arrays of one kind, by number."""

    missing: Missing
    known: list[KnownRow] = field(default_factory=list)
    by_hash: dict[bytes, int] = field(default_factory=dict)

    def count_new(self, hashes: bytes) -> int:
        """Return how many rows are new."""
        return sum(row not in self.by_hash for row in _each(hashes))

    def find(self, hashes: bytes) -> Known | None:
        """Return the rankings if all are known, complete, and count from the same number."""
        numbers = [self.by_hash.get(row, -1) for row in _each(hashes)]
        if -1 in numbers:
            return None
        rows = [self.known[number] for number in numbers]
        firsts = {row.first for row in rows}
        if len(firsts) != 1 or None in firsts:
            return None
        return Known(self, np.array(numbers, dtype=np.intp), [row.places for row in rows], self.missing, True)

    def add(self, hashes: bytes, read: CheckedRankings, firsts: list[int | None]) -> Known:
        """Give each row a number, that of an equal row if there is one."""
        numbers = [self._add(*row) for row in zip(_each(hashes), read.places, firsts, strict=True)]
        places = [self.known[number].places for number in numbers]
        return Known(self, np.array(numbers, dtype=np.intp), places, self.missing, read.is_complete, read)

    def _add(self, hashed: bytes, places: NDArray[Any], first: int | None) -> int:
        number = self.by_hash.get(hashed)
        if number is None:
            self.known.append(KnownRow(places.copy(), first))
            number = self.by_hash[hashed] = len(self.known) - 1
        elif first is not None:
            self.known[number].first = first
        return number


def _each(hashes: bytes) -> list[bytes]:
    return [hashes[start : start + HASH_BYTES] for start in range(0, len(hashes), HASH_BYTES)]


@dataclass(frozen=True, eq=False)
class Known:
    """Rankings that have numbers in the cache."""

    rows: Rows | None
    numbers: Numbers
    places: list[NDArray[Any]]
    missing: Missing
    is_complete: bool
    #: The checked rankings, if they had to be read.
    read: CheckedRankings | None = None

    @property
    def items(self) -> int:
        """The number of items of each ranking."""
        return len(self.places[0])

    @property
    def bytes_of_numbers(self) -> int:
        """The bytes of this object without the rankings: a number, a reference and a hash of each."""
        return (16 + HASH_BYTES) * len(self.numbers) + ROW_BYTES

    def without_handle(self) -> Known:
        """Return a copy without the checked rankings, which take much memory."""
        return self if self.read is None else replace(self, read=None)

    def all_places(self) -> Places:
        """Return the places of all rankings as a new array."""
        return np.stack(self.places)

    def checked(self, threads: int | None) -> CheckedRankings:
        """Return the checked rankings."""
        return of_places(self.all_places(), self.missing, threads) if self.read is None else self.read

    def select(self, rows: Numbers, threads: int | None) -> CheckedRankings:
        """Return some of the checked rankings."""
        if self.read is not None:
            return self.read.select(rows)
        return of_places(np.stack([self.places[row] for row in rows.tolist()]), self.missing, threads)

    @cached_property
    def repeats(self) -> bool:
        """Whether each ranking occurs twice on average: then the matrix is computed for the distinct ones."""
        return 2 * len(set(self.numbers.tolist())) <= len(self.numbers)

    def __reduce__(self) -> tuple[Any, ...]:
        # The numbers are valid only in this process.
        return _unknown, (self.all_places(), self.missing, self.is_complete)


def _unknown(places: NDArray[Any], missing: Missing, is_complete: bool) -> Known:
    return Known(None, np.zeros(0, dtype=np.intp), list(places), missing, is_complete)
