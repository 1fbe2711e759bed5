"""How results are computed: data type, output array, threads, progress bar, backend, and BLAS with one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any, NamedTuple, Self, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wkendall._arguments import as_result_type, as_threads, check_flag, check_out
from wkendall._errors import shown
from wkendall._memory import ADVICE, check_fits

Show = Callable[[int, int], None]
#: No progress bar; a generator would take a tenth of the time of a small Gram matrix.
_NONE: AbstractContextManager[Show | None] = nullcontext()


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
        """Check the parameters that can be checked before rankings are read; return the run."""
        as_result_type(self.dtype)
        as_threads(self.n_jobs)
        check_flag(self.progress, "progress")
        if self.backend is not None and not isinstance(self.backend, str):
            raise TypeError(f"backend must be a name or None, not {shown(self.backend)}")
        return self

    def result(self, shape: tuple[int, ...], columns: int, advice: str = ADVICE) -> NDArray[Any]:
        """Return the output array: the checked array of the caller, or a new array of `shape`; a row has `columns` numbers."""
        if self.out is not None:
            check_out(self.out, shape, self.result_type)
            return self.out
        check_fits(shape[0], columns, self.result_type, advice)
        return np.empty(shape, dtype=self.result_type)


def progress_bar(
    progress: bool, what: str, already: int = 0, total: int | None = None
) -> AbstractContextManager[Show | None]:
    """Return a context manager for a progress bar; it gives a function, or None without `progress`.

    Call the function with the finished work and the total work.

    The work that was finished before this run (`already`) is shown as finished. The estimate of the remaining time
    ignores this work.
    """
    return _bar(what, already, total) if progress else _NONE


@contextmanager
def _bar(what: str, already: int, total: int | None) -> Iterator[Show]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError('a progress bar needs tqdm: pip install "wkendall[progress]"') from None
    with tqdm(desc=what, initial=already, total=total) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


def one_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread: results are bitwise identical for any number of cores, and small matrices are faster.

    On two busy cores, two threads waited for each other: Bayesian optimisation with 100 points and 15 items took 100
    times as long as with one thread. k-means of 5,000 rankings took 20 times as long as with one thread.
    """
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited


@lru_cache(maxsize=1)
def _controller() -> Any:
    """Return an object that controls the loaded libraries; finding the libraries takes a few milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
