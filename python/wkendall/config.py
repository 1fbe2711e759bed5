"""What this installation and this machine have."""

from __future__ import annotations

import platform

import numpy as np

from wkendall import _core

#: Weights, with the position weights they need.
_EXAMPLES = {"standard": None, "average": None, "mult": "log", "add": "log"}


def show_config() -> None:
    """Print versions, threads, instruction sets, and which way of computing would be picked.

    A name as in "bits-avx512" gives a strategy and an instruction set; `gram_matrix(..., backend=...)` forces either or both.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.show_config()  # doctest: +ELLIPSIS
    wkendall ...
    """
    sizes = (6, 20, 100, 300, 1000, 5000, 20_000)
    print(f"wkendall {_core.__version__}, Python {platform.python_version()}, NumPy {np.__version__}")
    print(
        f"machine: {platform.machine()}, {_core.available_cores()} cores, {_core.default_threads()} threads by default"
    )
    print(f"instruction sets: {', '.join(_core.instruction_sets())}")
    print("picked for 1000 rankings:")
    for weight, factor in _EXAMPLES.items():
        picked: dict[str, list[str]] = {}
        for n in sizes:
            measure = _core.Measure.kernel(n, weight, factor=factor)
            picked.setdefault(_core.planned(measure, 1000, 1000), []).append(str(n))
        print(f"  {weight:9}" + "; ".join(f"{name} for n = {', '.join(items)}" for name, items in picked.items()))
