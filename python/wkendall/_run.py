"""How results are computed: data type, output array, threads, progress bar, strategy."""

from __future__ import annotations

from typing import Any, NamedTuple, Self, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wkendall._arguments import as_result_type, as_threads, check_flag, check_out
from wkendall._memory import ADVICE, check_fits
from wkendall._text import shown


class Run(NamedTuple):
    """The parameters of a run, as given by the caller; see `gram_matrix`."""

    dtype: DTypeLike = np.float64
    out: NDArray[Any] | None = None
    n_jobs: SupportsIndex | None = None
    progress: bool = False
    backend: str | None = None

    @property
    def result_type(self) -> np.dtype[Any]:
        """The type of the result, checked."""
        return as_result_type(self.dtype)

    @property
    def threads(self) -> int | None:
        """The number of threads, checked; None for the default."""
        return as_threads(self.n_jobs)

    def check(self) -> Self:
        """Refuse whatever can be refused before rankings are read; return the run."""
        as_result_type(self.dtype)
        as_threads(self.n_jobs)
        check_flag(self.progress, "progress")
        if self.backend is not None and not isinstance(self.backend, str):
            raise TypeError(f"backend must be a name or None, not {shown(self.backend)}")
        return self

    def result(self, shape: tuple[int, ...], columns: int, advice: str = ADVICE) -> NDArray[Any]:
        """Return the output array: the given one, checked, or a new one of `shape`; a row has `columns` numbers."""
        if self.out is not None:
            check_out(self.out, shape, self.result_type)
            return self.out
        check_fits(shape[0], columns, self.result_type, advice)
        return np.empty(shape, dtype=self.result_type)
