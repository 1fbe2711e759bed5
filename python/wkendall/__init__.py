"""Weighted Kendall kernels for rankings: exact, positive definite, fast.

```python
import wkendall

X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]  # three rankings of four items, 1 is the most preferred
K = wkendall.gram_matrix(X, weight="mult", u="log", normalize=True)
```

Layers, each using only those below it:

    cli        the command line
    experiments  the experiment of the paper: measurements, table, report
    config     show_config
    dask       Gram matrices and features as dask arrays
    datasets   simulated rankings and the survey of the paper
    rdata      data frames in files of R
    tables, preflib, lists  CSV files, PrefLib files and ranked lists to arrays of ranks
    plotting   pictures of weights and results
    clustering k-means in the geometry of a kernel, for scikit-learn
    transformers Gram matrices, landmarks and features, for scikit-learn
    base       what the objects with the parameters of a kernel share
    gaussian_process  kernels for the Gaussian processes of scikit-learn
    estimators classifiers and regressors that learn weights, for scikit-learn
    models     what these share
    checks     what scikit-learn checks for its estimators
    learning   the weights of positions from labelled rankings
    machines   the best coefficients for given weights
    spectrum   singular values of weighted sums of permutations
    samples    the tensors of rankings to learn from, complete or not
    parts      how tensors split under permutations
    to_file    Gram matrices larger than memory, in files
    blocks     a matrix cut into blocks
    kernels    gram_matrix and its family
    embedding  the tensors and features behind the kernels
    measures   the parameters of a kernel together
    tensors    general weights, checked
    factoring  factors of a matrix of weights
    parameters what a kernel and a run can be told, checked one by one
    rankings   arrays, data frames and lists to checked rankings
    _core      the Rust crate
"""

#: Without the module that has it: `python -m wkendall` loads this file before it can say how an interruption ends it.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from wkendall import _core as _core
    from wkendall import dask as dask
    from wkendall import datasets, gaussian_process, plotting
    from wkendall._core import __version__
    from wkendall.clustering import KernelKMeans
    from wkendall.config import show_config
    from wkendall.embedding import combine, embed, features, inverse, linear_function
    from wkendall.estimators import (
        AlternatingClassifier,
        AlternatingRegressor,
        SuquanSVDClassifier,
        SuquanSVDRegressor,
    )
    from wkendall.kernels import correlation, diagonal, distance_matrix, gram_matrix, kappa, kernel, mallows
    from wkendall.learning import suquan_svd
    from wkendall.lists import from_lists
    from wkendall.preflib import read_preflib
    from wkendall.tables import read_csv
    from wkendall.tensors import position_weights
    from wkendall.to_file import gram_to_file
    from wkendall.transformers import KendallFeatures, KendallNystroem, WeightedKendall

__all__ = [
    "AlternatingClassifier",
    "AlternatingRegressor",
    "KendallFeatures",
    "KendallNystroem",
    "KernelKMeans",
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
    "KendallFeatures": "transformers",
    "KendallNystroem": "transformers",
    "KernelKMeans": "clustering",
    "SuquanSVDClassifier": "estimators",
    "SuquanSVDRegressor": "estimators",
    "WeightedKendall": "transformers",
    "__version__": "_core",
    "_core": "_core",
    "combine": "embedding",
    "correlation": "kernels",
    "dask": "dask",
    "datasets": "datasets",
    "diagonal": "kernels",
    "distance_matrix": "kernels",
    "embed": "embedding",
    "features": "embedding",
    "from_lists": "lists",
    "gaussian_process": "gaussian_process",
    "gram_matrix": "kernels",
    "gram_to_file": "to_file",
    "inverse": "embedding",
    "kappa": "kernels",
    "kernel": "kernels",
    "linear_function": "embedding",
    "mallows": "kernels",
    "plotting": "plotting",
    "position_weights": "tensors",
    "read_csv": "tables",
    "read_preflib": "preflib",
    "show_config": "config",
    "suquan_svd": "learning",
}
#: Modules that the functions above need, and that are attributes of the package without being imported.
_PARTS = (
    "blocks",
    "config",
    "embedding",
    "factoring",
    "kernels",
    "measures",
    "parameters",
    "rankings",
    "tensors",
    "to_file",
)
_LATER |= {name: name for name in _PARTS}


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
