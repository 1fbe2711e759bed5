"""Objects for scikit-learn: classifiers and regressors that learn weights, transformers, clustering.

supervised classifiers and regressors that learn weights
learners   what these share
clustering k-means in the geometry of a kernel
transformers   Gram matrices, landmarks and features
kernel_parameters  what the objects with the parameters of a kernel share
input_checks   what scikit-learn checks for its estimators
"""

from wkendall.estimators.clustering import KernelKMeans
from wkendall.estimators.supervised import (
    AlternatingClassifier,
    AlternatingRegressor,
    SuquanSVDClassifier,
    SuquanSVDRegressor,
)
from wkendall.estimators.transformers import KendallFeatures, KendallNystroem, WeightedKendall

__all__ = [
    "AlternatingClassifier",
    "AlternatingRegressor",
    "KendallFeatures",
    "KendallNystroem",
    "KernelKMeans",
    "SuquanSVDClassifier",
    "SuquanSVDRegressor",
    "WeightedKendall",
]
