"""Estimators for scikit-learn: classifiers and regressors that learn weights, transformers, clustering.

Layers, each using only those below it:

    mixtures   a classifier and a regressor that mix kernels
    supervised classifiers and regressors that learn weights
    learners   the common base of the classes in `supervised`
    label_ranking  rankings predicted from features
    cluster_number  how many clusters there seem to be
    alpha_search   the strength of a penalty, chosen on held-out rankings
    clustering k-means in the feature space of a kernel
    kmeans     the steps of k-means, from inner products or coordinates
    kendall_neighbors  nearest rankings and their graphs
    nystroem   vectors from landmarks, which are some of the rankings
    feature_map  explicit features
    gram_transformer   Gram matrices
    list_encoder   ranked lists to ranks
    base       the common base of the estimators, and of the transformers to vectors
    kernel_cache   a cache of kernel values
    known_rows     a cache of rankings that were read
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
