"""Objects for scikit-learn: classifiers and regressors that learn weights, transformers, clustering.

Layers, each using only those below it:

    supervised classifiers and regressors that learn weights
    learners   what these share
    clustering k-means in the geometry of a kernel
    kendall_neighbors  nearest rankings and their graphs
    nystroem   vectors from landmarks
    feature_map  explicit features
    gram_transformer   Gram matrices
    list_encoder   ranked lists to ranks
    vectors    what the transformers to vectors share
    drawing    draws of rankings that are far apart
    kernel_parameters  what the objects with the parameters of a kernel share
    kernel_cache   values that were computed before
    input_checks   what scikit-learn checks for its estimators
"""

from wkendall.estimators.clustering import KernelKMeans
from wkendall.estimators.feature_map import KendallFeatures
from wkendall.estimators.gram_transformer import WeightedKendall
from wkendall.estimators.kendall_neighbors import KendallNeighbors
from wkendall.estimators.list_encoder import ListEncoder
from wkendall.estimators.nystroem import KendallNystroem
from wkendall.estimators.supervised import (
    AlternatingClassifier,
    AlternatingRegressor,
    SuquanSVDClassifier,
    SuquanSVDRegressor,
)

__all__ = [
    "AlternatingClassifier",
    "AlternatingRegressor",
    "KendallFeatures",
    "KendallNeighbors",
    "KendallNystroem",
    "KernelKMeans",
    "ListEncoder",
    "SuquanSVDClassifier",
    "SuquanSVDRegressor",
    "WeightedKendall",
]
