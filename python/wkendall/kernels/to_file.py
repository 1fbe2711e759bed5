"""Gram matrices larger than memory, written to files block by block with a journal, so that a run can be resumed."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall import _core
from wkendall._disk import as_path, refuse_own_file
from wkendall.kernels.blocks import Rows, Work
from wkendall.kernels.matrix_file import opened, write
from wkendall.kernels.named_weights import STANDARD
from wkendall.kernels.run import Run
from wkendall.kernels.specification import Kernel, Specification
from wkendall.reading.rankings import Input, Missing, Reading, Ties, Top


def gram_to_file(
    path: str | os.PathLike[str],
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    resume: bool = False,
    weight: str = STANDARD,
    k: SupportsIndex | None = None,
    u: str | ArrayLike | None = None,
    U: ArrayLike | tuple[object, ...] | None = None,
    W: ArrayLike | None = None,
    order: SupportsIndex = 2,
    check: bool = True,
    signed: bool = False,
    normalize: bool = False,
    input: Input = "ranks",
    top: Top = "low",
    ties: Ties = "error",
    missing: Missing = "error",
    dtype: DTypeLike = np.float64,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
    backend: str | None = None,
) -> NDArray[Any]:
    """Kernel between all pairs of rankings, written to an .npy file that may be larger than memory.

    The matrix is computed in blocks of 64 MiB or less. Until it is complete, the file is called `path` + ".unfinished".
    A small file, `path` + ".journal", records which blocks are done. Resume a run that was interrupted or killed, even
    by a power cut, with `resume=True`. The file is then bitwise identical to that of an uninterrupted run, and to the
    result of `gram_matrix`.

    Parameters
    ----------
    path : str or path
        The name of the file. It must not exist yet, unless `resume` is True.
    X, Y
        As for `gram_matrix`.
    resume : bool
        Continue the unfinished file of an earlier call, if there is one. The rankings, the options, the version of the
        package and the instruction set of the machine must be the same as in that call. A file that is finished already
        is compared with the matrix, which takes as long as to compute it again: if all bits are the same, there is
        nothing to do.
    weight, k, u, U, W, order, check, signed, normalize, input, top, ties, missing, dtype, n_jobs, progress, backend
        As for `gram_matrix`.

    Returns
    -------
    memmap of shape (m, m')
        The finished file, mapped into memory, read-only.

    Raises
    ------
    FileExistsError
        If the file exists, at the start or at the end; in the second case the finished matrix stays in the unfinished
        file. With `resume`, if it exists and is another matrix. If there is an unfinished file and `resume` is False.
        If another process is writing to the file.
    ValueError
        If the unfinished file belongs to other rankings or options.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import wkendall
    >>> path = Path(tempfile.mkdtemp()) / "gram.npy"
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]
    >>> wkendall.gram_to_file(path, X, resume=True)
    memmap([[6., 5., 0.],
            [5., 6., 1.],
            [0., 1., 6.]])
    """
    for name, values in (("X", X), ("Y", Y), ("u", u), ("U", U), ("W", W)):
        refuse_own_file(as_path(path), values, name)
    kernel = Kernel(weight, k, u, U, W, order, check, signed, normalize)
    run = Run(dtype, n_jobs=n_jobs, backend=backend)
    work = prepare(kernel, X, Y, Reading(input, top, ties, missing), run)
    write(as_path(path), work, resume=resume, progress=progress)
    return opened(as_path(path))


def prepare(what: Specification, X: ArrayLike, Y: ArrayLike | None, reading: Reading, run: Run) -> Work:
    """Check everything that can be checked before a file is created."""
    run.check()
    x, y = reading.both(X, Y, run.threads)
    measure = what.measure(x.items, x.rows * (x if y is None else y).rows)
    # Decided for the whole matrix, so that all blocks are computed in the same way.
    expanded = _core.expanded_lists(measure, x.core, None if y is None else y.core, run.backend)
    if expanded is not None:
        x, y = replace(x, core=expanded[0]), None if expanded[1] is None else replace(x, core=expanded[1])
    rows, columns = Rows(x), None if y is None else Rows(y)
    options = {"function": what.function, **what.options()}
    work = Work(measure, rows, columns, run.result_type, run.threads, run.backend, options)
    work.check()
    return work
