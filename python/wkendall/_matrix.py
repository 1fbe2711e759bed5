"""Values of a measure for rankings that have been read: the calls into the Rust crate."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._memory import ADVICE, ADVICE_GRAM
from wkendall._run import Run, progress_bar
from wkendall.rankings import Rankings, matched, read_both, read_ranking


class Described(Protocol):
    """A measure (a function of two rankings) that can be passed to the Rust crate."""

    def _measure(self, items: int, pairs: int = 1) -> _core.Measure: ...


def gram_of(
    x: Rankings, y: Rankings | None, measure: Described, run: Run, function: str = "gram_matrix"
) -> NDArray[Any]:
    """Compute the matrix of all pairs of rankings of `x`, or of all pairs of a ranking of `x` and a ranking of `y`."""
    shape = (len(x), len(x if y is None else y))
    core = measure._measure(x.n_items, shape[0] * shape[1])
    out = run.result(shape, shape[1], ADVICE_GRAM if function == "gram_matrix" else ADVICE)
    with progress_bar(run.progress, function) as show:
        columns = None if y is None else y._handle_for(core)
        _core.gram(core, x._handle_for(core), columns, out, threads=run.threads, backend=run.backend, progress=show)
    return out


def diagonal_of(rankings: Rankings, measure: Described, run: Run) -> NDArray[Any]:
    """Compute the value of the measure for each ranking and itself."""
    core = measure._measure(rankings.n_items)
    if run.result_type == np.float32:
        core.check_single()
    own = _core.diagonal(core, rankings._handle_for(core), threads=run.threads)
    return own.astype(run.result_type, copy=False)


def called(measure: Described, X: ArrayLike | Rankings, Y: ArrayLike | Rankings | None) -> Any:
    """Compute the result of `measure(X, Y)`."""
    if Y is not None and _is_one_ranking(X) and _is_one_ranking(Y):  # slow, but some estimators call kernels this way
        x = read_ranking(X, "X")
        return value_of(measure, x, matched(x, read_ranking(Y, "Y")))
    return gram_of(*read_both(X, None if Y is X else Y), measure, Run(), "similarity_matrix")


def _is_one_ranking(X: Any) -> bool:
    """Return whether `X` is a single ranking, and not several rankings."""
    if isinstance(X, Rankings):
        return False
    try:
        return np.ndim(X) == 1
    except ValueError:  # rows of different lengths
        return False


def value_of(measure: Described, x: Rankings, y: Rankings) -> float:
    """Compute the value of the measure for two single rankings."""
    out = np.empty((1, 1))
    core = measure._measure(x.n_items)
    _core.gram(core, x._handle_for(core), y._handle_for(core), out, threads=1)
    return float(out[0, 0])
