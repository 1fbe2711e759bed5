"""Calls of the package for scripts that compare two versions of it, one of which may have no `Rankings` and no measures.

Before there were `Rankings` and measures, each function took the options of both. Here a call has these options for either
version: those of `Kendall` and `TensorKernel` (`weight`, `k`, `u`, ...), `lam` for a Mallows kernel, `metric="distance"` for
the Kendall distance, and those of `Rankings` (`input`, `top`, `ties`, `missing`). All other options are passed on.
`gram_matrix`, `kernel`, `kappa` and `diagonal` of the package take options in both versions and are called directly.
"""

import numpy as np
import wkendall
from scipy.sparse import issparse
from scipy.stats import rankdata

#: Whether the package has `Rankings` and measures.
NOUNS = hasattr(wkendall, "Rankings")
READING = ("input", "top", "ties", "missing")
KERNEL = ("weight", "k", "u", "U", "W", "order", "check", "signed", "normalize", "lam", "metric")


def split(options):
    """Return the options of a measure, those of reading, and the others."""
    measure, reading = ({name: options[name] for name in names if name in options} for names in (KERNEL, READING))
    return measure, reading, {name: value for name, value in options.items() if name not in KERNEL + READING}


def measure_of(options):
    """Return the measure that options describe; None without options."""
    if not options:
        return None
    if options.get("metric") == "distance":
        return wkendall.KendallDistance()
    if "lam" in options:
        return wkendall.Mallows(**options)
    return (wkendall.TensorKernel if "U" in options or "W" in options else wkendall.Kendall)(**options)


def _or_kendall(options):
    """Return options with a measure: the Kendall kernel if they have none."""
    return options if any(name in options for name in KERNEL) else {"weight": "standard", **options}


def _read(X, reading):
    return X if X is None or not reading else wkendall.Rankings(X, **reading)


def _named(options):
    """Return options of an estimator without measures, where the Mallows kernel is a weight."""
    return {"weight": "mallows", **options} if "lam" in options else options


def of_two(function, X, Y=None, argument="kernel", **options):
    """Call a function of two sets of rankings, given by its name."""
    if not NOUNS:
        return getattr(wkendall, function)(X, Y, **options)
    measure, reading, rest = split(options)
    if measure:
        rest[argument] = measure_of(measure)
    return getattr(wkendall, function)(_read(X, reading), _read(Y, reading), **rest)


def of_one(function, X, *arguments, **options):
    """Call a function of one set of rankings, given by its name."""
    if not NOUNS:
        return getattr(wkendall, function)(X, *arguments, **options)
    measure, reading, rest = split(options)
    if measure:
        rest["kernel"] = measure_of(measure)
    return getattr(wkendall, function)(_read(X, reading), *arguments, **rest)


def gram_by_objects(X, Y=None, **options):
    """Compute a Gram matrix, by a `Rankings` and a kernel if there are any."""
    if not NOUNS:
        return wkendall.gram_matrix(X, Y, **options)
    measure, reading, rest = split(options)
    x, y = wkendall.Rankings(X, **reading), None if Y is None else wkendall.Rankings(Y, **reading)
    return wkendall.gram_matrix(x, y, measure_of(measure), **rest)


def gram_to_file(path, X, Y=None, **options):
    if not NOUNS:
        return wkendall.gram_to_file(path, X, Y, **options)
    measure, reading, rest = split(options)
    return wkendall.gram_to_file(path, _read(X, reading), _read(Y, reading), measure_of(measure), **rest)


def distance_matrix(X, Y=None, kernel=None, **options):
    """Compute distances, in the feature space of a kernel if its options are given."""
    if kernel is not None:
        options["kernel"] = measure_of(_or_kendall(kernel)) if NOUNS else kernel
    return of_two("distance_matrix", X, Y, **options)


def mallows(X, Y=None, lam=1.0, **options):
    if not NOUNS:
        return wkendall.mallows(X, Y, lam, **options)
    return of_two("gram_matrix", X, Y, lam=lam, **options)


def correlation(x, y, **options):
    """Compute the weighted correlation of two rankings."""
    return wkendall.KendallCorrelation(**options)(x, y) if NOUNS else wkendall.correlation(x, y, **options)


def neighbors(X, Y=None, **options):
    return of_two("neighbors", X, Y, "measure", **_or_kendall(options))


def neighbors_within(X, Y=None, **options):
    return of_two("neighbors_within" if NOUNS else "neighbors", X, Y, "measure", **_or_kendall(options))


def neighbors_graph(X, Y=None, **options):
    return of_two("neighbors_graph", X, Y, "measure", **_or_kendall(options))


def two_sample_test(*groups, kernel=None, **options):
    """Compare groups; `kernel` has options, which include `weight` or `lam`."""
    if not NOUNS:
        return answer(wkendall.two_sample_test(*groups, **kernel or {}, **options))
    _, reading, rest = split(options)
    groups = [_read(group, reading) for group in groups]
    return answer(wkendall.two_sample_test(*groups, kernel=measure_of(kernel), **rest))


def independence_test(X, y, *, kernel=None, y_kernel=None, bandwidth=None, **options):
    """Test independence; `kernel` and `y_kernel` have options, without which rankings have the default kernel.

    `y_kernel` may also be a name; None is for labels and numbers.
    """
    if NOUNS:
        _, reading, rest = split(options)
        if isinstance(y_kernel, dict):
            y, y_kernel = wkendall.Rankings(y), measure_of(y_kernel)
        given = {"kernel": measure_of(kernel), "y_kernel": y_kernel, "bandwidth": bandwidth}
        return answer(wkendall.independence_test(_read(X, reading), y, **given, **rest))
    if isinstance(y_kernel, dict):
        options["y_options"] = dict(y_kernel)
        y_kernel = "kendall" if "weight" in y_kernel else "mallows"
    elif bandwidth is not None:
        options["y_options"] = {"bandwidth": bandwidth}
    return answer(wkendall.independence_test(X, y, y_kernel=y_kernel or "auto", **kernel or {}, **options))


def answer(result):
    """Return the parts of a result of a test; the rate of a Mallows kernel is called `lam`."""
    found = {"statistic": result.statistic, "pvalue": result.pvalue, "null": result.null_distribution}
    lam = getattr(result.kernel, "lam", None) if NOUNS else result.lam
    parts = {"lam": lam, "pairwise": result.pairwise}
    return found | {name: value for name, value in parts.items() if value is not None}


def consensus(X, **options):
    """Return the parts of a consensus, without names."""
    found = of_one("consensus", X, **options)
    return {name: getattr(found, name) for name in ("ranking", "score", "bound", "optimal")}


def _estimator(name, size, argument, options):
    if not NOUNS:
        return getattr(wkendall, name)(**size, **_named(options))
    measure, reading, rest = split(options)
    return getattr(wkendall, name)(**size, **{argument: measure_of(measure)}, **reading, **rest)


def gram_transformer(**options):
    return _estimator("KendallGram" if NOUNS else "WeightedKendall", {}, "kernel", options)


def feature_map(**options):
    return _estimator("KendallFeatures", {}, "kernel", options)


def nystroem(n_components, **options):
    return _estimator("KendallNystroem", {"n_components": n_components}, "kernel", options)


def k_means(n_clusters, **options):
    return _estimator("KendallKMeans" if NOUNS else "KernelKMeans", {"n_clusters": n_clusters}, "kernel", options)


def kendall_neighbors(n_neighbors, **options):
    return _estimator("KendallNeighbors", {"n_neighbors": n_neighbors}, "measure", _or_kendall(options))


def of_dask(function, *arrays, argument="kernel", **options):
    """Call a function of `wkendall.dask`, given by its name."""
    from wkendall import dask

    if not NOUNS:
        return getattr(dask, function)(*arrays, **options)
    measure, reading, rest = split(options)
    return getattr(dask, function)(*arrays, **{argument: measure_of(measure)}, **reading, **rest)


def places(value):
    """Return the ranks that describe fitted rankings as an array; other values as they are."""
    found = value._places if NOUNS and isinstance(value, wkendall.Rankings) else value
    return found.toarray() if issparse(found) else found


def contents(function, *arguments, **options):
    """Read lists or a file; return ranks from 1, of tied items the best, NaN for missing items, with names and counts."""
    if NOUNS and function == "read_csv":
        options |= {"ties": "mean", "missing": "bottom"}
    found = getattr(wkendall, function)(*arguments, **options)
    if NOUNS:
        parts = {"X": np.asarray(found, dtype=np.float64), "items": found.items, "counts": found.counts}
    else:
        parts = found._asdict() | {"X": rankdata(found.X, "min", axis=1, nan_policy="omit")}
    return {name: value for name, value in parts.items() if value is not None}


def lists_and_options(lists):
    """Return lists of names as rankings, and the options with which `gram_by_objects` reads them."""
    if NOUNS:
        return wkendall.from_lists(lists), {}
    return wkendall.from_lists(lists, sparse=True).X, {"ties": "mean", "missing": "bottom"}
