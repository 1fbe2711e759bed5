"""A matrix cut into blocks: the list of blocks, the computation of a block, and the description that identifies a run.

A value of the matrix depends only on its two rankings. But the rounding of the value also depends on the strategy of
the computation. The fastest strategy depends on the number of rankings. The strategy is therefore chosen once, for the
whole matrix. The values of the blocks are then bitwise identical to the result of a single call for the whole matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall import _core
from wkendall._memory import available_bytes
from wkendall.rankings import Rankings

#: The largest size of a block in bytes; its mirror image takes as much again. Blocks are smaller if little memory is
#: left.
BLOCK_BYTES = _core.BLOCK_BYTES
#: The largest number of pairs of rankings times items in a block, so that a block takes seconds and not minutes.
BLOCK_WORK = _core.BLOCK_WORK


class Block(NamedTuple):
    """Rows and columns of a matrix."""

    rows: slice
    columns: slice

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and number of columns."""
        return self.rows.stop - self.rows.start, self.columns.stop - self.columns.start


class Rows:
    """Checked rankings from which rows can be selected.

    A measure that uses only listed items also needs to know which items are listed.
    """

    def __init__(self, rankings: Rankings, measure: _core.Measure | None = None) -> None:
        of_listed = measure is not None and measure.takes_listed
        self.core = rankings._handle if measure is None else rankings._handle_for(measure)
        self._missing, self._listed = rankings._missing, rankings._listed if of_listed else None

    def __len__(self) -> int:
        return self.core.rows

    def part(self, rows: slice) -> _core.Rankings:
        """Return some of the rankings. They are stored as complete only if all rankings are complete."""
        return self.core.select(np.arange(len(self))[rows], keep=True)

    def digest(self) -> str:
        """Return a hash of the rankings and of how they were read."""
        if self.core.is_lists:
            kind, parts = "lists", [np.array([self.core.items]), *self.core.parts()]
        else:
            kind = "complete" if self.core.is_complete else f"incomplete, {self._missing}"
            parts = [self.core.ranks().astype("<u4")]
        if self._listed is not None:
            parts.append(self._listed.astype("<u4"))
        found = blake2b(f"{kind} {parts[-1].shape}".encode(), digest_size=16)
        for part in parts:
            if part.size:
                found.update(part.data)
        return found.hexdigest()


@dataclass(frozen=True)
class Work:
    """A matrix to compute."""

    measure: _core.Measure
    x: Rows
    #: The rankings of the columns; None if they are those of the rows.
    y: Rows | None
    dtype: np.dtype[Any]
    threads: int | None
    #: As given by the caller.
    backend: str | None
    #: Every option that changes values, as texts and numbers.
    options: dict[str, Any]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return len(self.x), len(self.x if self.y is None else self.y)

    @property
    def mirrored(self) -> bool:
        """Whether the matrix is symmetric: there is no `Y`, and the measure is symmetric."""
        return self.y is None and self.measure.symmetric

    def check(self) -> None:
        """Compute the first entry of the matrix, to raise every error that a call for the whole matrix would raise."""
        corner = Block(slice(0, min(1, self.shape[0])), slice(0, min(1, self.shape[1])))
        self.fill(corner, np.empty(corner.shape, self.dtype), self.backend, None)

    def fill(self, block: Block, out: NDArray[Any], backend: str | None, progress: Any) -> None:
        """Compute a block."""
        x = self.x.part(block.rows)
        same = self.mirrored and block.rows == block.columns
        y = None if same else (self.x if self.y is None else self.y).part(block.columns)
        if backend is not None and "+" in backend:  # a combined kernel, whose parts have plans of their own
            backend = self.backend
        _core.gram(self.measure, x, y, out, threads=self.threads, backend=backend, progress=progress)

    def chosen_backend(self) -> str:
        """Return the strategy and the instruction set that a single call for the whole matrix would use."""
        y = None if self.y is None else self.y.core
        return _core.planned_of(self.measure, self.x.core, y, self.dtype == np.float32, self.backend)

    def block_sides(self) -> tuple[int, int]:
        """Return the number of rows and the number of columns of a block: equal numbers if the matrix is symmetric."""
        left = available_bytes()
        size = BLOCK_BYTES if left is None else min(BLOCK_BYTES, max(left // 8, 2**16))
        order = int(self.options.get("order", 2))
        stored = max(self.x.core.stored, 0 if self.y is None else self.y.core.stored)
        cells = max(1, min(size // self.dtype.itemsize, BLOCK_WORK // max(stored * order, 1)))
        side = max(isqrt(cells), 1)
        if self.y is None:
            return side, side
        rows = min(self.shape[0], max(side, cells // max(self.shape[1], 1)))
        return max(rows, 1), max(1, cells // max(rows, 1))

    def blocks(self, sides: tuple[int, int]) -> list[Block]:
        """Return the blocks to compute. For a symmetric matrix, these are the blocks on the diagonal and above it."""
        across, down = (
            [slice(start, min(start + side, end)) for start in range(0, end, side)]
            for side, end in zip(sides, self.shape, strict=True)
        )
        blocks = [Block(rows, columns) for rows in across for columns in down]
        return [block for block in blocks if not self.mirrored or block.columns.start >= block.rows.start]
