"""Versions of wkendall, Python and other libraries, and properties of this machine."""

from __future__ import annotations

import platform
from typing import NamedTuple

import numpy as np

from wkendall import _core

#: Weights, with the position weights that they need.
_EXAMPLES = {"standard": None, "average": None, "mult": "log", "add": "log"}
_SIZES = (6, 20, 100, 300, 1000, 5000, 20_000)
#: Libraries that the package uses; some are optional.
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "matplotlib", "tqdm", "dask", "distributed", "zarr")


class Configuration(NamedTuple):
    """Versions of wkendall, Python and other libraries, and properties of this machine."""

    wkendall: str
    python: str
    #: The versions of other libraries; None if not installed.
    libraries: dict[str, str | None]
    system: str
    machine: str
    cores: int
    threads: int
    instruction_sets: list[str]
    #: The backend that would be chosen for 1000 rankings, by weight and number of items.
    picked: dict[str, dict[int, str]]


def configuration() -> Configuration:
    """Return versions, the number of threads, instruction sets, and the default backends (ways to compute)."""
    return Configuration(
        wkendall=_core.__version__,
        python=platform.python_version(),
        libraries={name: _version(name) for name in _LIBRARIES},
        system=platform.system(),
        machine=platform.machine(),
        cores=_core.available_cores(),
        threads=_core.default_threads(),
        instruction_sets=list(_core.instruction_sets()),
        picked={
            weight: {
                n: _core.planned(_core.Measure("kendall", n, {"weight": weight, "u": u}), 1000, 1000) for n in _SIZES
            }
            for weight, u in _EXAMPLES.items()
        },
    )


def show_config() -> None:
    """Print versions, the number of threads, instruction sets, and the backends that are chosen by default.

    A backend is a way to compute a Gram matrix. Its name, such as "bits-avx512", consists of a strategy ("bits") and an
    instruction set of the processor ("avx512"). Use `gram_matrix(..., backend=...)` to choose the strategy, the
    instruction set, or both.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.show_config()  # doctest: +ELLIPSIS
    wkendall ...
    """
    found = configuration()
    print(f"wkendall {found.wkendall}, Python {found.python}, NumPy {np.__version__}")
    print(f"machine: {found.machine}, {found.cores} cores, {found.threads} threads by default")
    print(f"instruction sets: {', '.join(found.instruction_sets)}")
    print("picked for 1000 rankings:")
    for weight, of_sizes in found.picked.items():
        picked: dict[str, list[str]] = {}
        for n, name in of_sizes.items():
            picked.setdefault(name, []).append(str(n))
        print(f"  {weight:9}" + "; ".join(f"{name} for n = {', '.join(items)}" for name, items in picked.items()))


def _version(library: str) -> str | None:
    from importlib import metadata  # loading this takes half as long as loading NumPy

    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None
