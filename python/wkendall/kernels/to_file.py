"""Gram matrices larger than memory, in files: block by block, with a journal, so that a run that was killed can go on."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wkendall import _core
from wkendall._arguments import as_result_type, as_threads
from wkendall._disk import as_path, refuse_own_file
from wkendall.kernels.blocks import Rows, Work
from wkendall.kernels.matrix_file import opened, write
from wkendall.kernels.named_weights import STANDARD
from wkendall.kernels.specification import Kernel
from wkendall.reading.rankings import Input, Missing, Ties, Top, read_both


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

    The matrix is computed in blocks of 64 MiB or less. Until it is complete, the file is called `path` + ".unfinished". A small
    file, `path` + ".journal", says which blocks are done. A run that was interrupted or killed, even by a power cut, goes on with
    `resume=True`. The file is then bitwise identical to that of an unbroken run, and to what `gram_matrix` returns.

    Parameters
    ----------
    path : str or path
        The name of the file. It must not exist yet.
    X, Y
        As for `gram_matrix`.
    resume : bool
        Go on with the unfinished file of an earlier call, if there is one. Rankings, options, the version of the package and the
        instruction set of the machine must be those of that call.
    weight, k, u, U, W, order, check, signed, normalize, input, top, ties, missing, dtype, n_jobs, progress, backend
        As for `gram_matrix`.

    Returns
    -------
    memmap of shape (m, m')
        The finished file, mapped into memory, read-only.

    Raises
    ------
    FileExistsError
        If the file exists, at the start or at the end; the finished matrix then stays in the unfinished file. If there is an
        unfinished file, and `resume` is False. If another process is writing to it.
    ValueError
        If the unfinished file is that of other rankings or options.

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
    call = Call("gram_matrix", kernel.measure, options_of(kernel), (ties, missing))
    work = prepare(call, X, Y, input, top, dtype, n_jobs, backend)
    write(as_path(path), work, resume=resume, progress=progress)
    return opened(as_path(path))


class Call(NamedTuple):
    """What a matrix has for values: a function of the package, with what changes its values, and what makes its measure."""

    name: str
    measure_of: Callable[[int, int], _core.Measure]
    options: dict[str, Any]
    #: How ties and missing items are read; None where only complete rankings make sense.
    incomplete: tuple[Ties, Missing] | None = None


def options_of(kernel: Kernel) -> dict[str, Any]:
    """Return the parameters of a kernel as numbers and texts; arrays are hashed."""
    names = ("weight", "k", "u", "U", "W", "order", "signed", "normalize")
    options = {name: _described(getattr(kernel, name)) for name in names}
    # What is checked is also made symmetric to the last bit.
    return options if kernel.W is None else options | {"check": bool(kernel.check)}


def _described(value: Any) -> Any:
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        return [_described(part) for part in value]
    # What cannot be described is refused when the measure is made.
    with suppress(TypeError, ValueError, OverflowError):
        array = np.asarray(value)
        if not array.ndim:
            return array.item()
        array = np.ascontiguousarray(array, dtype="<f8")
        return f"array {array.shape} {blake2b(array.tobytes(), digest_size=16).hexdigest()}"
    return None


def prepare(
    call: Call,
    X: ArrayLike,
    Y: ArrayLike | None,
    input: Input,
    top: Top,
    dtype: DTypeLike,
    n_jobs: SupportsIndex | None,
    backend: str | None,
) -> Work:
    """Check everything that can be checked before a file is made."""
    result_type = as_result_type(dtype)
    threads = as_threads(n_jobs)
    if backend is not None and not isinstance(backend, str):
        raise TypeError(f"backend must be a name or None, not {backend!r}")
    x, y = read_both(X, Y, input, top, call.incomplete, threads)
    measure = call.measure_of(x.items, x.rows * (x if y is None else y).rows)
    missing: Missing = "error" if call.incomplete is None else call.incomplete[1]
    rows, columns = Rows(x, missing), None if y is None else Rows(y, missing)
    options = {"function": call.name, **call.options}
    work = Work(measure, rows, columns, x.items, result_type, threads, backend, options)
    work.check()
    return work
