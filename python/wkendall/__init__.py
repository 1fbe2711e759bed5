"""Weighted Kendall kernels for rankings: exact, positive definite, fast.

```python
import wkendall

X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]  # three rankings of four items, 1 is the most preferred
K = wkendall.gram_matrix(X, weight="mult", u="log", normalize=True)
```

This is the list of public names. `help(wkendall.gram_matrix)` and so on give the details.

Kernels
    gram_matrix            kernel between all pairs of rankings
    gram_to_file           the same, written to a file that may be larger than memory
    kernel                 kernel between two rankings
    kappa                  kernel as a function of one permutation
    diagonal               kernel between each ranking and itself
    distance_matrix        number of discordant pairs of items, for all pairs of rankings
    mallows                Mallows kernel, exp(-lam * distance)
    correlation            weighted correlation of two rankings
Neighbours
    neighbors              the most similar rankings, without the matrix of all pairs
    neighbors_graph        neighbours as a sparse graph, for scikit-learn, UMAP and others
    packed_signs           bit vectors whose Hamming distance is the Kendall distance, for binary indexes
Statistics
    corr                   Kendall's tau-b between all columns of a table, with p-values
    Correlations           what corr returns with p-values
    two_sample_test        test whether groups of rankings differ
    TestResult             what the tests return
    independence_test      test whether rankings depend on labels, numbers or other rankings
    consensus              the ranking that agrees most with others
    Consensus              what consensus returns
    pair_importance        the pairs of items that a model of rankings looks at
    PairImportance         what pair_importance returns
Lists and files
    from_lists             ranks from ranked lists of names
    read_csv               rankings from a CSV file
    read_preflib           rankings from a PrefLib file
Weights and the embedding
    position_weights       the weights U of pairs of positions that equal a named weight
    features               vectors whose inner products are the kernel
    embed                  tensors of rankings
    combine                weighted sum of these tensors
    linear_function        inner product of each of these tensors with a given one
    inverse                inverse permutations
    suquan_svd             position weights learned from two classes
For scikit-learn
    ListEncoder            ranked lists of names to ranks, with the same columns for new lists
    WeightedKendall        a kernel as a transformer to Gram matrices, and as a function
    KendallFeatures        features as a transformer
    KendallNystroem        approximate features, for any kernel and many rankings
    KernelKMeans           clusters of rankings
    KendallNeighbors       the most similar rankings, with the methods of scikit-learn's NearestNeighbors
    SuquanSVDClassifier    classifier with position weights from singular vectors
    SuquanSVDRegressor     regressor with position weights from singular vectors
    AlternatingClassifier  classifier that optimises position weights and coefficients in turn
    AlternatingRegressor   regressor that optimises position weights and coefficients in turn
Others
    RankingError           the error for rankings that cannot be used; it has row, column and value
    show_config            print versions, threads and instruction sets
    datasets               random rankings, and a survey
    gaussian_process       kernels for the Gaussian processes of scikit-learn, and in torch of GPyTorch and BoTorch
    optimize               Bayesian optimisation over permutations
    plotting               plots, with matplotlib
    dask                   Gram matrices and neighbours of dask arrays
"""

#: The modules of the package; a test compares this map with the imports.
_LAYERS = """
Layers, each using only those below it:

    cli        the command line
    experiments  the experiment of the paper: measurements, table, report
    dask, plotting, gaussian_process  interfaces to other libraries
    optimize   Bayesian optimisation over permutations
    datasets   simulated rankings and the survey of the paper
    estimators classifiers, regressors, transformers and clustering for scikit-learn
    learning   position weights, learned from labelled rankings
    statistics tests, consensus, importance of pairs, correlation matrices
    kernels    Gram matrices, single pairs, distances, correlations, features
    reading    arrays, data frames, ranked lists and files to checked rankings
    _config    versions, threads, instruction sets
    _arguments checks of arguments
    _progress  progress bars
    _disk      safe file operations: names, locks, synced data
    _blas      one thread for linear algebra
    _memory    checks of the memory that a result needs
    _errors    errors that keep row, column and value
    _text      values and texts as shown in messages
    _core      the Rust crate
"""

#: Not imported from `typing`: `python -m wkendall` loads this file before it has installed its handling of Ctrl-C.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from wkendall import _core as _core
    from wkendall import dask as dask
    from wkendall import datasets, gaussian_process, optimize, plotting
    from wkendall._config import show_config
    from wkendall._core import __version__
    from wkendall.estimators import (
        AlternatingClassifier,
        AlternatingRegressor,
        KendallFeatures,
        KendallNeighbors,
        KendallNystroem,
        KernelKMeans,
        ListEncoder,
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
    from wkendall.statistics.consensus import Consensus, consensus
    from wkendall.statistics.correlations import Correlations, corr
    from wkendall.statistics.importance import PairImportance, pair_importance
    from wkendall.statistics.independence import independence_test
    from wkendall.statistics.results import TestResult
    from wkendall.statistics.two_samples import two_sample_test

__all__ = [
    "AlternatingClassifier",
    "AlternatingRegressor",
    "Consensus",
    "Correlations",
    "KendallFeatures",
    "KendallNeighbors",
    "KendallNystroem",
    "KernelKMeans",
    "ListEncoder",
    "PairImportance",
    "RankingError",
    "SuquanSVDClassifier",
    "SuquanSVDRegressor",
    "TestResult",
    "WeightedKendall",
    "__version__",
    "combine",
    "consensus",
    "corr",
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
    "independence_test",
    "inverse",
    "kappa",
    "kernel",
    "linear_function",
    "mallows",
    "neighbors",
    "neighbors_graph",
    "optimize",
    "packed_signs",
    "pair_importance",
    "plotting",
    "position_weights",
    "read_csv",
    "read_preflib",
    "show_config",
    "suquan_svd",
    "two_sample_test",
]

#: The modules of all public names. They are loaded on first use, because NumPy, scipy, scikit-learn, matplotlib and
#: dask load slowly. Names that need an optional dependency are not in `__all__`.
_LATER = {
    "AlternatingClassifier": "estimators",
    "AlternatingRegressor": "estimators",
    "Consensus": "statistics.consensus",
    "Correlations": "statistics.correlations",
    "KendallFeatures": "estimators",
    "KendallNeighbors": "estimators",
    "KendallNystroem": "estimators",
    "KernelKMeans": "estimators",
    "ListEncoder": "estimators",
    "PairImportance": "statistics.importance",
    "RankingError": "_errors",
    "SuquanSVDClassifier": "estimators",
    "SuquanSVDRegressor": "estimators",
    "TestResult": "statistics.results",
    "WeightedKendall": "estimators",
    "__version__": "_core",
    "_core": "_core",
    "combine": "kernels",
    "corr": "statistics.correlations",
    "consensus": "statistics.consensus",
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
    "independence_test": "statistics.independence",
    "inverse": "kernels",
    "kappa": "kernels",
    "kernel": "kernels",
    "linear_function": "kernels",
    "mallows": "kernels",
    "neighbors": "kernels",
    "neighbors_graph": "kernels",
    "optimize": "optimize",
    "packed_signs": "kernels",
    "pair_importance": "statistics.importance",
    "plotting": "plotting",
    "position_weights": "kernels",
    "read_csv": "reading.csv_files",
    "read_preflib": "reading.preflib",
    "show_config": "_config",
    "suquan_svd": "learning",
    "two_sample_test": "statistics.two_samples",
}
#: Subpackages that are attributes of the package without being imported.
_FAMILIES = ("estimators", "kernels", "learning", "reading", "statistics")
_LATER |= {name: name for name in _FAMILIES}


#: Modules that are attributes of the package under another name.
_ALIASES = {"torch": "gaussian_process.torch"}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _ALIASES:
        return import_module(f"wkendall.{_ALIASES[name]}")
    if name not in _LATER:
        raise AttributeError(f"module 'wkendall' has no attribute {name!r}")
    module = import_module(f"wkendall.{_LATER[name]}")
    found = module if name == _LATER[name] else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    # `help` shows every special name that it finds here.
    hidden = {"TYPE_CHECKING", "__all__", "__dir__", "__getattr__"}
    loaded = {name for name in globals() if name.startswith("__") or not name.startswith("_")}
    return sorted((loaded | set(__all__)) - hidden)
