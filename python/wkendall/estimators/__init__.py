"""Estimators for scikit-learn: classifiers and regressors that learn weights, transformers, clustering.

Modules, the highest first. Each module imports only modules below it:

    mixtures   a classifier and a regressor that mix kernels
    supervised classifiers and regressors that learn weights
    learners   the common base of the classes in `supervised`
    label_ranking  a model that predicts rankings from features
    cluster_number  an estimate of the number of clusters
    alpha_search   the choice of the strength of a penalty, on held-out rankings
    clustering k-means in the feature space of a kernel
    kmeans     the steps of k-means, from inner products or coordinates
    kendall_neighbors  nearest rankings, and sparse matrices of neighbours
    nystroem   approximate vectors, from comparisons with some rankings (landmarks)
    feature_map  exact feature vectors of a kernel
    gram_transformer   Gram matrices
    list_encoder   a transformer that converts ranked lists to ranks
    base       the common base of the estimators, and the base of the transformers to vectors
    kernel_cache   a cache of kernel values
    known_rows     a cache of rankings that were read before
    input_checks   the input checks of scikit-learn
"""

from wkendall.estimators.clustering import KendallKMeans as KendallKMeans
from wkendall.estimators.feature_map import KendallFeatures as KendallFeatures
from wkendall.estimators.gram_transformer import KendallGram as KendallGram
from wkendall.estimators.kendall_neighbors import KendallNeighbors as KendallNeighbors
from wkendall.estimators.label_ranking import LabelRanker as LabelRanker
from wkendall.estimators.list_encoder import ListEncoder as ListEncoder
from wkendall.estimators.mixtures import KernelMixtureClassifier as KernelMixtureClassifier
from wkendall.estimators.mixtures import KernelMixtureRegressor as KernelMixtureRegressor
from wkendall.estimators.nystroem import KendallNystroem as KendallNystroem
from wkendall.estimators.supervised import AlternatingClassifier as AlternatingClassifier
from wkendall.estimators.supervised import AlternatingRegressor as AlternatingRegressor
from wkendall.estimators.supervised import SuquanSVDClassifier as SuquanSVDClassifier
from wkendall.estimators.supervised import SuquanSVDRegressor as SuquanSVDRegressor
