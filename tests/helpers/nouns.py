"""Rankings and measures from the keywords of a call, so that tests can be parametrised by dictionaries."""

from __future__ import annotations

import wkendall
from wkendall import Kendall, KendallDistance, Mallows, Rankings, TensorKernel

READING = ("input", "top", "ties", "missing")


def split(options):
    """The options of a kernel, and those of reading."""
    kernel = {name: value for name, value in options.items() if name not in READING}
    return kernel, {name: value for name, value in options.items() if name in READING}


def kernel_of(options):
    """The kernel that options describe: `lam` is the rate of a Mallows kernel, U and W are weights of positions."""
    kernel, _ = split(options)
    if "lam" in kernel:
        return Mallows(**kernel)
    return TensorKernel(**kernel) if "U" in kernel or "W" in kernel else Kendall(**kernel)


def measure_of(options):
    """As `kernel_of`; `metric="distance"` is the Kendall distance."""
    if options.get("metric") == "distance":
        return KendallDistance()
    return kernel_of({name: value for name, value in options.items() if name != "metric"})


def rankings_of(X, options, **more):
    """Rankings, read as options say."""
    return Rankings(X, **split(options)[1], **more)


def features(X, options, **how):
    """`wkendall.features` for options of a kernel and of reading."""
    return wkendall.features(rankings_of(X, options), kernel_of(options), **how)


def gram_to_file(path, X, Y=None, resume=False, dtype=float, n_jobs=None, progress=False, **options):
    """`wkendall.gram_to_file` for options of a kernel and of reading."""
    x, y = rankings_of(X, options), None if Y is None else rankings_of(Y, options)
    how = {"resume": resume, "dtype": dtype, "n_jobs": n_jobs, "progress": progress}
    return wkendall.gram_to_file(path, x, y, kernel_of(options), **how)
