"""Write Gram matrices that are larger than memory to files, block by block. With a journal, a run can be resumed."""

from __future__ import annotations

import os
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall import _core
from wkendall._disk import as_path, refuse_own_file
from wkendall._run import Run
from wkendall.gram import as_kernel
from wkendall.gram_file.blocks import Rows, Work
from wkendall.gram_file.matrix_file import opened, write
from wkendall.measures import Kernel, Measure
from wkendall.rankings import Rankings, read_both


def gram_to_file(
    path: str | os.PathLike[str],
    X: ArrayLike | Rankings,
    Y: ArrayLike | Rankings | None = None,
    kernel: Kernel | None = None,
    *,
    resume: bool = False,
    dtype: DTypeLike = np.float64,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> NDArray[Any]:
    """Write the kernel values of all pairs of rankings to an .npy file, which may be larger than memory.

    The matrix is computed in blocks of 64 MiB or less. Until all blocks are done, the file is called `path` +
    ".unfinished". Until then, a small file, `path` + ".journal", records which blocks are done.

    If a run was interrupted or killed, even by a power cut, call the function again with `resume=True`. The finished
    file is then bitwise identical to the file of an uninterrupted run. The values in the file are also bitwise
    identical to the result of `gram_matrix`, with one exception: for sums, products and powers of kernels, the values
    can differ by rounding.

    Parameters
    ----------
    path : str or path
        The name of the file. It must not exist yet, unless `resume` is True.
    X, Y, kernel, dtype, n_jobs, progress
        As for `gram_matrix`.
    resume : bool
        Whether to continue the unfinished file of an earlier call, if there is such a file. The rankings, the options,
        the version of the package and the instruction set of the processor must be the same as in the earlier call. If
        the file is already finished, the whole matrix is computed again and compared with the file.

    Returns
    -------
    memmap of shape (m, m')
        The finished file, mapped into memory. It is read-only.

    Raises
    ------
    FileExistsError
        In five cases:

        - The file exists, and `resume` is False.
        - `resume` is True, but the file exists and contains another matrix.
        - There is an unfinished file, and `resume` is False.
        - Another process is writing to the file.
        - Another file with this name appears during the run. The finished matrix then stays in the unfinished file.

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
    chosen = as_kernel(kernel, "gram_to_file")
    for name, values in {"X": X, "Y": Y, **chosen.get_params()}.items():
        refuse_own_file(as_path(path), values, name)
    run = Run(dtype, n_jobs=n_jobs).check()
    x, y = read_both(X, Y, threads=run.threads)
    write(as_path(path), prepare(chosen, x, y, run), resume=resume, progress=progress)
    return opened(as_path(path))


def prepare(measure: Measure, x: Rankings, y: Rankings | None, run: Run) -> Work:
    """Check everything that can be checked before a file is created."""
    core = measure._measure(x.n_items, len(x) * len(x if y is None else y))
    # Decided for the whole matrix, so that all blocks are computed in the same way.
    expanded = _core.expanded_lists(core, x._handle, None if y is None else y._handle, run.backend)
    if expanded is not None:
        other = None if expanded[1] is None else Rankings._made(expanded[1], x._missing)
        x, y = Rankings._made(expanded[0], x._missing), other
    rows, columns = Rows(x, core), None if y is None else Rows(y, core)
    options = {"measure": type(measure).__name__, **measure._options()}
    work = Work(core, rows, columns, run.result_type, run.threads, run.backend, options)
    work.check()
    return work
