"""Weighted Kendall kernels for rankings: exact, positive definite, fast.

```python
import wkendall

X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]  # three rankings of four items, 1 is the most preferred
K = wkendall.gram_matrix(X, weight="mult", u="log", normalize=True)
```

This is the list of public names. `help(wkendall.gram_matrix)` and so on give the details.

Rankings and measures
    Rankings               rankings, read and checked once, with names and counts
    Description            what Rankings.describe returns: mean ranks, shares of pairs, Kendall's W
    Kendall                the weighted Kendall kernel of any order
    TensorKernel           the kernel of general weights of positions
    Mallows                the Mallows kernel, exp(-lam * distance)
    KendallDistance        the number of discordant pairs of items
    KendallCorrelation     the weighted correlation of two rankings
Published comparisons
    WeightedTau            Vigna's weighted tau, as scipy's weightedtau
    APCorrelation          AP correlation of a true ranking and an estimate
    SpearmanRho            Spearman's rank correlation
    TauX                   Emond and Mason's correlation of rankings with ties
    RankBiasedOverlap      rank-biased overlap of lists of any lengths
    AverageOverlap         the mean share of common items among the first d
    Footrule               Spearman's footrule
    KemenySnell            Kemeny and Snell's distance of rankings with ties
    FaginKendall           the Kendall distance of two lists over their own items
    GeneralizedKendall     Kendall's distance with weights of items and positions
    SwapDistance           the cheapest swaps of neighbours
    WeightedConcordance    Shieh's sum of weights over concordant pairs
Matrices
    gram_matrix            kernel between all pairs of rankings
    gram_to_file           the same, written to a file that may be larger than memory
    similarity_matrix      any measure between all pairs of rankings
    distance_matrix        distances between all pairs of rankings
    kernel                 kernel between two rankings
    kappa                  kernel as a function of one permutation
    diagonal               kernel between each ranking and itself
Neighbours
    neighbors              the nearest rankings, without the matrix of all pairs
    Neighbors              what neighbors returns
    neighbors_within       all rankings within a radius
    neighbors_graph        neighbours as a sparse graph, for scikit-learn, UMAP and others
    packed_signs           bit vectors whose Hamming distance is the Kendall distance, for binary indexes
Statistics
    corr                   rank correlations between columns of a table, with p-values and intervals
    Correlations           what corr returns with p-values or intervals
    CorrelationTable       what corr returns with at_least
    corr_difference        whether x has the same correlation with y as with z
    CorrelationDifference  what corr_difference returns
    two_sample_test        test whether groups of rankings differ
    TestResult             what the tests return
    pair_differences       the pairs of items that two groups order differently, with simultaneous intervals
    PairDifferences        what pair_differences returns
    independence_test      test whether rankings depend on labels, numbers or other rankings
    permutation_pvalue     p-values of any measure, by relabelled items
    consensus              the ranking that agrees most with others
    linear_ordering        the order with the largest sum of any numbers of pairs
    Consensus              what consensus and linear_ordering return
    rank_intervals         how far a leaderboard can be trusted: intervals of all ranks at once
    RankIntervals          what rank_intervals returns
    spectrum               what a kernel of pairs sees: its eigenvalues over all rankings
    Spectrum               what spectrum returns
    components             how much rankings agree in each part of a kernel, tested against chance
    Components             what components returns
    pair_importance        the pairs of items that a model of rankings looks at
    PairImportance         what pair_importance returns
Lists and files
    from_lists             rankings from ranked lists of names
    read_csv               rankings from a CSV file
    read_preflib           rankings from a PrefLib file
    read_trec              search results from run files of TREC, by topic
Weights and the embedding
    position_weights       the weights U of pairs of positions that equal a named weight
    features               vectors whose inner products are the kernel
    embed                  tensors of rankings
    combine                weighted sum of these tensors
    linear_function        inner product of each of these tensors with a given one
    inverse                inverse permutations
    suquan_svd             position weights learned from two classes
For scikit-learn
    ListEncoder            ranked lists of names to rankings of the same items, also for new lists
    KendallGram            a kernel as a transformer to Gram matrices
    KendallFeatures        features as a transformer
    KendallNystroem        approximate features, for any kernel and many rankings
    KendallKMeans          clusters of rankings
    cluster_number         how many clusters of rankings there seem to be
    ClusterNumber          what cluster_number returns
    LabelRanker            rankings of labels, predicted from features
    KendallNeighbors       the most similar rankings, with the methods of scikit-learn's NearestNeighbors
    SuquanSVDClassifier    classifier with position weights from singular vectors
    SuquanSVDRegressor     regressor with position weights from singular vectors
    AlternatingClassifier  classifier that optimises position weights and coefficients in turn
    AlternatingRegressor   regressor that optimises position weights and coefficients in turn
    KernelMixtureClassifier  classifier with a mixture of kernels, whose weights are learned
    KernelMixtureRegressor   regressor with a mixture of kernels
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
    report_page  one page about a set of rankings
    dask, plotting, gaussian_process  interfaces to other libraries
    optimize   Bayesian optimisation over permutations
    estimators classifiers, regressors, transformers and clustering for scikit-learn
    datasets   simulated rankings and the survey of the paper
    learning   position weights, learned from labelled rankings
    statistics tests, consensus, importance of pairs, correlation matrices
    gram_file  Gram matrices larger than memory
    nearest    neighbours of rankings, and bits for binary indexes
    embedding  the tensors and features whose inner products are the kernels
    gram       matrices of all pairs, single pairs, and the diagonal
    comparisons  comparisons that are published under a name
    measures   what is computed for two rankings
    tensors    general weights, and the tensors of the named weights
    low_rank   factors of a matrix of weights
    _matrix    values of a measure, computed by the Rust crate
    reading    ranked lists and files to rankings
    rankings   rankings with their names and counts
    description  ranks, shares of pairs and agreement of rankings
    arrays     arrays, data frames and sparse arrays: conversion, and what the numbers mean
    _run       how results are computed: type, threads, progress, strategy
    _config    versions, threads, instruction sets
    _arguments checks of arguments
    _progress  progress bars
    _saved     an object as one file, whose arrays can stay there
    _html      HTML pages that stand alone
    _disk      safe file operations: names, locks, synced data
    _blas      one thread for linear algebra
    _memory    checks of the memory that a result needs
    _errors    errors with argument, row, column, value and kind
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
    from wkendall.comparisons import (
        APCorrelation,
        AverageOverlap,
        FaginKendall,
        Footrule,
        GeneralizedKendall,
        KemenySnell,
        RankBiasedOverlap,
        SpearmanRho,
        SwapDistance,
        TauX,
        WeightedConcordance,
        WeightedTau,
    )
    from wkendall.description import Description
    from wkendall.embedding import combine, embed, features, inverse, linear_function
    from wkendall.estimators import (
        AlternatingClassifier,
        AlternatingRegressor,
        KendallFeatures,
        KendallGram,
        KendallKMeans,
        KendallNeighbors,
        KendallNystroem,
        KernelMixtureClassifier,
        KernelMixtureRegressor,
        LabelRanker,
        ListEncoder,
        SuquanSVDClassifier,
        SuquanSVDRegressor,
    )
    from wkendall.estimators.cluster_number import ClusterNumber, cluster_number
    from wkendall.gram import diagonal, distance_matrix, gram_matrix, kappa, kernel, similarity_matrix
    from wkendall.gram_file.to_file import gram_to_file
    from wkendall.learning import suquan_svd
    from wkendall.measures import Kendall, KendallCorrelation, KendallDistance, Mallows, TensorKernel
    from wkendall.nearest import Neighbors, neighbors, neighbors_graph, neighbors_within, packed_signs
    from wkendall.rankings import Rankings
    from wkendall.reading.csv_files import read_csv
    from wkendall.reading.lists import from_lists
    from wkendall.reading.preflib import read_preflib
    from wkendall.reading.trec import read_trec
    from wkendall.statistics.components import Components, components
    from wkendall.statistics.consensus import consensus
    from wkendall.statistics.correlations import (
        CorrelationDifference,
        Correlations,
        CorrelationTable,
        corr,
        corr_difference,
    )
    from wkendall.statistics.importance import PairImportance, pair_importance
    from wkendall.statistics.independence import independence_test
    from wkendall.statistics.ordering import Consensus, linear_ordering
    from wkendall.statistics.pair_differences import PairDifferences, pair_differences
    from wkendall.statistics.permutations import TestResult
    from wkendall.statistics.rank_intervals import RankIntervals, rank_intervals
    from wkendall.statistics.relabelings import permutation_pvalue
    from wkendall.statistics.spectrum import Spectrum, spectrum
    from wkendall.statistics.two_samples import two_sample_test
    from wkendall.tensors import position_weights

__all__ = [
    "APCorrelation",
    "AlternatingClassifier",
    "AlternatingRegressor",
    "AverageOverlap",
    "ClusterNumber",
    "Components",
    "Consensus",
    "CorrelationDifference",
    "CorrelationTable",
    "Correlations",
    "Description",
    "FaginKendall",
    "Footrule",
    "GeneralizedKendall",
    "KemenySnell",
    "Kendall",
    "KendallCorrelation",
    "KendallDistance",
    "KendallFeatures",
    "KendallGram",
    "KendallKMeans",
    "KendallNeighbors",
    "KendallNystroem",
    "KernelMixtureClassifier",
    "KernelMixtureRegressor",
    "LabelRanker",
    "ListEncoder",
    "Mallows",
    "Neighbors",
    "PairDifferences",
    "PairImportance",
    "RankBiasedOverlap",
    "RankIntervals",
    "RankingError",
    "Rankings",
    "SpearmanRho",
    "Spectrum",
    "SuquanSVDClassifier",
    "SuquanSVDRegressor",
    "SwapDistance",
    "TauX",
    "TensorKernel",
    "TestResult",
    "WeightedConcordance",
    "WeightedTau",
    "__version__",
    "cluster_number",
    "combine",
    "components",
    "consensus",
    "corr",
    "corr_difference",
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
    "linear_ordering",
    "neighbors",
    "neighbors_graph",
    "neighbors_within",
    "optimize",
    "packed_signs",
    "pair_differences",
    "pair_importance",
    "permutation_pvalue",
    "plotting",
    "position_weights",
    "rank_intervals",
    "read_csv",
    "read_preflib",
    "read_trec",
    "show_config",
    "similarity_matrix",
    "spectrum",
    "suquan_svd",
    "two_sample_test",
]

#: The modules of all public names. They are loaded on first use, because NumPy, scipy, scikit-learn, matplotlib and
#: dask load slowly.
_MODULES = {
    "_config": "show_config",
    "_core": "__version__",
    "_errors": "RankingError",
    "comparisons": "APCorrelation AverageOverlap FaginKendall Footrule GeneralizedKendall KemenySnell RankBiasedOverlap "
    "SpearmanRho SwapDistance TauX WeightedConcordance WeightedTau",
    "description": "Description",
    "embedding": "combine embed features inverse linear_function",
    "estimators": "AlternatingClassifier AlternatingRegressor KendallFeatures KendallGram KendallKMeans KendallNeighbors "
    "KendallNystroem KernelMixtureClassifier KernelMixtureRegressor LabelRanker ListEncoder SuquanSVDClassifier "
    "SuquanSVDRegressor",
    "estimators.cluster_number": "ClusterNumber cluster_number",
    "gram": "diagonal distance_matrix gram_matrix kappa kernel similarity_matrix",
    "gram_file.to_file": "gram_to_file",
    "learning": "suquan_svd",
    "measures": "Kendall KendallCorrelation KendallDistance Mallows TensorKernel",
    "nearest": "Neighbors neighbors neighbors_graph neighbors_within packed_signs",
    "rankings": "Rankings",
    "reading.csv_files": "read_csv",
    "reading.lists": "from_lists",
    "reading.preflib": "read_preflib",
    "reading.trec": "read_trec",
    "statistics.components": "Components components",
    "statistics.consensus": "consensus",
    "statistics.correlations": "CorrelationDifference CorrelationTable Correlations corr corr_difference",
    "statistics.importance": "PairImportance pair_importance",
    "statistics.independence": "independence_test",
    "statistics.ordering": "Consensus linear_ordering",
    "statistics.rank_intervals": "RankIntervals rank_intervals",
    "statistics.relabelings": "permutation_pvalue",
    "statistics.pair_differences": "PairDifferences pair_differences",
    "statistics.permutations": "TestResult",
    "statistics.spectrum": "Spectrum spectrum",
    "statistics.two_samples": "two_sample_test",
    "tensors": "position_weights",
}
_LATER = {name: module for module, names in _MODULES.items() for name in names.split()}
#: Public modules. dask needs an optional dependency, so it is not in `__all__`.
_PUBLIC = ["datasets", "gaussian_process", "optimize", "plotting"]
_LATER |= {name: name for name in (*_PUBLIC, "_core", "dask")}
#: Subpackages that are attributes of the package without being imported.
_FAMILIES = ("arrays", "estimators", "gram_file", "learning", "reading", "statistics")
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
