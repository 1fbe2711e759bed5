"""Weighted Kendall kernels for rankings: exact, positive definite, fast.

```python
import wkendall

X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]  # three rankings of four items, 1 is the most preferred
K = wkendall.gram_matrix(X, weight="mult", u="log", normalize=True)
```

This is the list of public names. For the details of a name, call `help`, as in `help(wkendall.gram_matrix)`.

Rankings and measures
    Rankings               rankings, read and checked once, with names and counts
    Description            what Rankings.describe returns: mean ranks, how often each item is first, Kendall's W
    Kendall                the weighted Kendall kernel, for pairs or larger tuples of items
    TensorKernel           a kernel with any weights of positions, given as an array U or W
    Mallows                the Mallows kernel: exp(-lam * number of pairs of items in opposite orders), for lam >= 0
    KendallDistance        the number of discordant pairs: pairs of items in opposite orders
    KendallCorrelation     Kendall's tau of two rankings, with weights of positions
Published comparisons
    WeightedTau            Vigna's weighted tau, as scipy's weightedtau
    APCorrelation          AP correlation of a true ranking and an estimate
    SpearmanRho            Spearman's rank correlation
    TauX                   Emond and Mason's correlation of rankings with ties
    RankBiasedOverlap      rank-biased overlap of lists of any lengths
    AverageOverlap         the share of common items among the first d items of two lists, averaged over d
    Footrule               Spearman's footrule
    KemenySnell            Kemeny and Snell's distance of rankings with ties
    FaginKendall           the Kendall distance of two lists, over the items that are in at least one list
    GeneralizedKendall     Kendall's distance with weights of items and positions
    SwapDistance           the smallest cost of turning one ranking into the other by swaps of neighbours
    WeightedConcordance    Shieh's sum of the weights of concordant pairs: pairs in the same order
Matrices
    gram_matrix            values of a kernel between all pairs of rankings
    gram_to_file           like gram_matrix, but the result is written to a file and can be larger than memory
    similarity_matrix      values of any measure of two rankings, kernel or not, for all pairs of rankings
    distance_matrix        distances between all pairs of rankings
    kernel                 value of a kernel for two rankings
    kappa                  value of a kernel for one permutation and the identity permutation 1..n
    diagonal               value of a kernel for each ranking and itself
Neighbours
    neighbors              the nearest rankings of each ranking, without the matrix of all pairs
    Neighbors              what neighbors returns
    neighbors_within       all rankings within a radius of each ranking
    neighbors_graph        neighbours as a sparse graph, for scikit-learn, UMAP and others
    packed_signs           rankings as bit vectors whose Hamming distance is the Kendall distance, for FAISS and others
Statistics
    corr                   rank correlations between columns of a table, with p-values and intervals
    Correlations           what corr returns with p-values or intervals
    CorrelationTable       what corr returns if it is asked only for large correlations, with at_least
    corr_difference        a test of whether column x has the same correlation with column y as with z
    CorrelationDifference  what corr_difference returns
    two_sample_test        a test of whether groups of rankings differ
    TestResult             what two_sample_test and independence_test return
    pair_differences       the pairs of items that two groups order differently, with confidence intervals
    PairDifferences        what pair_differences returns
    independence_test      a test of whether rankings depend on labels, numbers or other rankings
    permutation_pvalue     p-values of any measure, from random relabellings of the items
    consensus              the ranking that agrees most with all rankings
    linear_ordering        the best order of items, given a number for each pair of items
    Consensus              what consensus and linear_ordering return
    rank_intervals         confidence intervals for all ranks of a leaderboard at once
    RankIntervals          what rank_intervals returns
    spectrum               eigenvalues of a kernel over all rankings: which differences of rankings change the kernel
    Spectrum               what spectrum returns
    components             how much rankings agree on single positions and on pairs of items, with p-values
    Components             what components returns
    pair_importance        the pairs of items that determine the predictions of a model
    PairImportance         what pair_importance returns
Lists and files
    from_lists             rankings from ranked lists of names
    read_csv               rankings from a CSV file
    read_preflib           rankings from a PrefLib file
    read_trec              search results from TREC run files: rankings for each topic
Weights and the embedding
    position_weights       the array U for which TensorKernel(U) is the kernel of a weight such as "mult"
    features               vectors whose inner products are the kernel
    embed                  rankings as tensors (arrays) whose inner products are the values of TensorKernel(U)
    combine                weighted sum of the tensors of rankings
    linear_function        inner product of the tensor of each ranking with a given array
    inverse                inverse permutations: from ranks to orders, or from orders to ranks
    suquan_svd             position weights, learned from rankings of two classes
For scikit-learn
    ListEncoder            transformer from ranked lists of names to rankings of the same items
    KendallGram            transformer from rankings to Gram matrices of a kernel
    KendallFeatures        transformer from rankings to vectors whose inner products are the kernel
    KendallNystroem        transformer from rankings to vectors whose inner products approximate any kernel
    KendallKMeans          k-means clustering of rankings
    cluster_number         an estimate of the number of clusters of rankings
    ClusterNumber          what cluster_number returns
    LabelRanker            model that predicts a ranking of labels from features
    KendallNeighbors       search for similar rankings, with the methods of scikit-learn's NearestNeighbors
    SuquanSVDClassifier    classifier that finds position weights with a singular value decomposition
    SuquanSVDRegressor     regressor that finds position weights with a singular value decomposition
    AlternatingClassifier  classifier that optimises position weights and coefficients of items in turn
    AlternatingRegressor   regressor that optimises position weights and coefficients of items in turn
    KernelMixtureClassifier  classifier that learns a weighted mixture of kernels
    KernelMixtureRegressor   regressor that learns a weighted mixture of kernels
Others
    RankingError           the error for invalid rankings; its attributes include row, column and value
    show_config            print versions, number of threads, and instruction sets of the processor
    datasets               random rankings, and survey data
    gaussian_process       kernels for Gaussian processes in scikit-learn, GPyTorch and BoTorch
    optimize               Bayesian optimisation over permutations
    plotting               plots, with matplotlib
    dask                   Gram matrices and neighbours of dask arrays
"""

#: The modules of the package; a test compares this map with the imports.
_LAYERS = """
Modules, the highest first. Each module imports only modules below it:

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
    _saved     an object as one file, whose arrays can stay there
    _html      HTML pages that stand alone
    _disk      safe file operations: names, locks, synced data
    _memory    checks of the memory that a result needs
    _errors    errors with argument, row, column, value and kind, and values as shown in messages
    _core      the Rust crate
"""

#: Not imported from `typing`: `python -m wkendall` loads this file before it has installed its handling of Ctrl-C.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from wkendall import _core as _core
    from wkendall import dask as dask
    from wkendall import datasets as datasets
    from wkendall import gaussian_process as gaussian_process
    from wkendall import optimize as optimize
    from wkendall import plotting as plotting
    from wkendall._config import show_config as show_config
    from wkendall._core import __version__ as __version__
    from wkendall._errors import RankingError as RankingError
    from wkendall.comparisons import APCorrelation as APCorrelation
    from wkendall.comparisons import AverageOverlap as AverageOverlap
    from wkendall.comparisons import FaginKendall as FaginKendall
    from wkendall.comparisons import Footrule as Footrule
    from wkendall.comparisons import GeneralizedKendall as GeneralizedKendall
    from wkendall.comparisons import KemenySnell as KemenySnell
    from wkendall.comparisons import RankBiasedOverlap as RankBiasedOverlap
    from wkendall.comparisons import SpearmanRho as SpearmanRho
    from wkendall.comparisons import SwapDistance as SwapDistance
    from wkendall.comparisons import TauX as TauX
    from wkendall.comparisons import WeightedConcordance as WeightedConcordance
    from wkendall.comparisons import WeightedTau as WeightedTau
    from wkendall.description import Description as Description
    from wkendall.embedding import combine as combine
    from wkendall.embedding import embed as embed
    from wkendall.embedding import features as features
    from wkendall.embedding import inverse as inverse
    from wkendall.embedding import linear_function as linear_function
    from wkendall.estimators import AlternatingClassifier as AlternatingClassifier
    from wkendall.estimators import AlternatingRegressor as AlternatingRegressor
    from wkendall.estimators import KendallFeatures as KendallFeatures
    from wkendall.estimators import KendallGram as KendallGram
    from wkendall.estimators import KendallKMeans as KendallKMeans
    from wkendall.estimators import KendallNeighbors as KendallNeighbors
    from wkendall.estimators import KendallNystroem as KendallNystroem
    from wkendall.estimators import KernelMixtureClassifier as KernelMixtureClassifier
    from wkendall.estimators import KernelMixtureRegressor as KernelMixtureRegressor
    from wkendall.estimators import LabelRanker as LabelRanker
    from wkendall.estimators import ListEncoder as ListEncoder
    from wkendall.estimators import SuquanSVDClassifier as SuquanSVDClassifier
    from wkendall.estimators import SuquanSVDRegressor as SuquanSVDRegressor
    from wkendall.estimators.cluster_number import ClusterNumber as ClusterNumber
    from wkendall.estimators.cluster_number import cluster_number as cluster_number
    from wkendall.gram import diagonal as diagonal
    from wkendall.gram import distance_matrix as distance_matrix
    from wkendall.gram import gram_matrix as gram_matrix
    from wkendall.gram import kappa as kappa
    from wkendall.gram import kernel as kernel
    from wkendall.gram import similarity_matrix as similarity_matrix
    from wkendall.gram_file.to_file import gram_to_file as gram_to_file
    from wkendall.learning import suquan_svd as suquan_svd
    from wkendall.measures import Kendall as Kendall
    from wkendall.measures import KendallCorrelation as KendallCorrelation
    from wkendall.measures import KendallDistance as KendallDistance
    from wkendall.measures import Mallows as Mallows
    from wkendall.measures import TensorKernel as TensorKernel
    from wkendall.nearest import Neighbors as Neighbors
    from wkendall.nearest import neighbors as neighbors
    from wkendall.nearest import neighbors_graph as neighbors_graph
    from wkendall.nearest import neighbors_within as neighbors_within
    from wkendall.nearest import packed_signs as packed_signs
    from wkendall.rankings import Rankings as Rankings
    from wkendall.reading.csv_files import read_csv as read_csv
    from wkendall.reading.lists import from_lists as from_lists
    from wkendall.reading.preflib import read_preflib as read_preflib
    from wkendall.reading.trec import read_trec as read_trec
    from wkendall.statistics.components import Components as Components
    from wkendall.statistics.components import components as components
    from wkendall.statistics.consensus import consensus as consensus
    from wkendall.statistics.correlations import CorrelationDifference as CorrelationDifference
    from wkendall.statistics.correlations import Correlations as Correlations
    from wkendall.statistics.correlations import CorrelationTable as CorrelationTable
    from wkendall.statistics.correlations import corr as corr
    from wkendall.statistics.correlations import corr_difference as corr_difference
    from wkendall.statistics.importance import PairImportance as PairImportance
    from wkendall.statistics.importance import pair_importance as pair_importance
    from wkendall.statistics.independence import independence_test as independence_test
    from wkendall.statistics.ordering import Consensus as Consensus
    from wkendall.statistics.ordering import linear_ordering as linear_ordering
    from wkendall.statistics.pair_differences import PairDifferences as PairDifferences
    from wkendall.statistics.pair_differences import pair_differences as pair_differences
    from wkendall.statistics.permutations import TestResult as TestResult
    from wkendall.statistics.rank_intervals import RankIntervals as RankIntervals
    from wkendall.statistics.rank_intervals import rank_intervals as rank_intervals
    from wkendall.statistics.relabelings import permutation_pvalue as permutation_pvalue
    from wkendall.statistics.spectrum import Spectrum as Spectrum
    from wkendall.statistics.spectrum import spectrum as spectrum
    from wkendall.statistics.two_samples import two_sample_test as two_sample_test
    from wkendall.tensors import position_weights as position_weights

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
_LATER |= {name: name for name in ("datasets", "gaussian_process", "optimize", "plotting")}
__all__ = sorted(_LATER)
#: dask needs an optional dependency, so it is not in `__all__`.
_LATER |= {name: name for name in ("_core", "dask")}
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
