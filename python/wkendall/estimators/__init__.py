"""Estimators for scikit-learn: classifiers and regressors that learn weights, transformers, clustering.

Layers, each using only those below it:

    mixtures   a classifier and a regressor that mix kernels
    supervised classifiers and regressors that learn weights
    learners   the common base of these
    label_ranking  rankings predicted from features
    cluster_number  how many clusters there seem to be
    alpha_search   the strength of a penalty, chosen on held-out rankings
    clustering k-means in the feature space of a kernel
    kmeans     Lloyd's steps, from inner products or coordinates
    kendall_neighbors  nearest rankings and their graphs
    nystroem   vectors from landmarks
    feature_map  explicit features
    gram_transformer   Gram matrices
    list_encoder   ranked lists to ranks
    seeding    random draws of rankings that are far apart
    base       the common base of the estimators, and of the transformers to vectors
    kernel_cache   values that were computed before
    known_rows     rankings that were read before
    input_checks   the input checks of scikit-learn
"""

from wkendall.estimators.clustering import KendallKMeans
from wkendall.estimators.feature_map import KendallFeatures
from wkendall.estimators.gram_transformer import KendallGram
from wkendall.estimators.kendall_neighbors import KendallNeighbors
from wkendall.estimators.label_ranking import LabelRanker
from wkendall.estimators.list_encoder import ListEncoder
from wkendall.estimators.mixtures import KernelMixtureClassifier, KernelMixtureRegressor
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
    "KendallGram",
    "KendallKMeans",
    "KendallNeighbors",
    "KendallNystroem",
    "KernelMixtureClassifier",
    "KernelMixtureRegressor",
    "LabelRanker",
    "ListEncoder",
    "SuquanSVDClassifier",
    "SuquanSVDRegressor",
]
