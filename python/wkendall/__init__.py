"""Weighted Kendall kernels for rankings: exact, positive definite, fast.

```python
import wkendall

X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]  # three rankings of four items, 1 is the most preferred
K = wkendall.gram_matrix(X, weight="mult", u="log", normalize=True)
```

Layers, each using only those below it:

    cli        the command line
    experiments  the experiment of the paper: measurements, table, report
    dask, plotting, gaussian_process  one door each to a neighbouring library
    datasets   simulated rankings and the survey of the paper
    estimators classifiers, regressors, transformers and clustering for scikit-learn
    learning   weights of positions, learned from labelled rankings
    kernels    Gram matrices, single pairs, distances, correlations, features
    reading    arrays, data frames, ranked lists and files to checked rankings
    _config    versions, threads, instruction sets
    _arguments arguments of all kinds, checked one by one
    _progress  bars
    _disk      files that are written whole or not at all
    _memory    how much room there is
    _errors    errors that keep row, column and value
    _text      values as messages show them
    _core      the Rust crate
"""

#: Without the module that has it: `python -m wkendall` loads this file before it can say how an interruption ends it.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from wkendall import _core as _core
    from wkendall import dask as dask
    from wkendall import datasets, gaussian_process, plotting
    from wkendall._config import show_config
    from wkendall._core import __version__
    from wkendall.estimators import (
        AlternatingClassifier,
        AlternatingRegressor,
        KendallFeatures,
        KendallNeighbors,
        KendallNystroem,
        KernelKMeans,
        SuquanSVDClassifier,
        SuquanSVDRegressor,
        WeightedKendall,
    )
    from wkendall.kernels import (
        combine,
        correlation,
        diagonal,
        distance_matrix,
        embed,
        features,
        gram_matrix,
        gram_to_file,
        inverse,
        kappa,
        kernel,
        linear_function,
        mallows,
        neighbors,
        neighbors_graph,
        packed_signs,
        position_weights,
    )
    from wkendall.learning import suquan_svd
    from wkendall.reading.csv_files import read_csv
    from wkendall.reading.lists import from_lists
    from wkendall.reading.preflib import read_preflib

__all__ = [
    "AlternatingClassifier",
    "AlternatingRegressor",
    "KendallFeatures",
    "KendallNeighbors",
    "KendallNystroem",
    "KernelKMeans",
    "RankingError",
    "SuquanSVDClassifier",
    "SuquanSVDRegressor",
    "WeightedKendall",
    "__version__",
    "combine",
    "correlation",
    "datasets",
    "diagonal",
    "distance_matrix",
    "embed",
    "features",
    "from_lists",
    "gaussian_process",
    "gram_matrix",
    "gram_to_file",
    "inverse",
    "kappa",
    "kernel",
    "linear_function",
    "mallows",
    "neighbors",
    "neighbors_graph",
    "packed_signs",
    "plotting",
    "position_weights",
    "read_csv",
    "read_preflib",
    "show_config",
    "suquan_svd",
]

#: The modules of all names, loaded when first used: NumPy, scipy, scikit-learn, matplotlib and dask take long. What cannot be
#: loaded without an extra is not in `__all__`.
_LATER = {
    "AlternatingClassifier": "estimators",
    "AlternatingRegressor": "estimators",
    "KendallFeatures": "estimators",
    "KendallNeighbors": "estimators",
    "KendallNystroem": "estimators",
    "KernelKMeans": "estimators",
    "RankingError": "_errors",
    "SuquanSVDClassifier": "estimators",
    "SuquanSVDRegressor": "estimators",
    "WeightedKendall": "estimators",
    "__version__": "_core",
    "_core": "_core",
    "combine": "kernels",
    "correlation": "kernels",
    "dask": "dask",
    "datasets": "datasets",
    "diagonal": "kernels",
    "distance_matrix": "kernels",
    "embed": "kernels",
    "features": "kernels",
    "from_lists": "reading.lists",
    "gaussian_process": "gaussian_process",
    "gram_matrix": "kernels",
    "gram_to_file": "kernels",
    "inverse": "kernels",
    "kappa": "kernels",
    "kernel": "kernels",
    "linear_function": "kernels",
    "mallows": "kernels",
    "neighbors": "kernels",
    "neighbors_graph": "kernels",
    "packed_signs": "kernels",
    "plotting": "plotting",
    "position_weights": "kernels",
    "read_csv": "reading.csv_files",
    "read_preflib": "reading.preflib",
    "show_config": "_config",
    "suquan_svd": "learning",
}
#: Families that are attributes of the package without being imported.
_FAMILIES = ("estimators", "kernels", "learning", "reading")
_LATER |= {name: name for name in _FAMILIES}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'wkendall' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"wkendall.{_LATER[name]}")
    found = module if name == _LATER[name] else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
