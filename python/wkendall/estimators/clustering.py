"""Clusters of rankings for scikit-learn, found by k-means in the feature space of a kernel."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self, SupportsIndex, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from wkendall._arguments import Array, Random, as_order, check_choice, check_same_rows, check_unmasked, generator
from wkendall._errors import bad_argument
from wkendall._memory import check_fits
from wkendall._run import Run, one_thread
from wkendall.arrays.convert import as_array
from wkendall.arrays.sparse import is_sparse
from wkendall.embedding import BLOCK, columns_of_features, features_of
from wkendall.estimators import kmeans
from wkendall.estimators.base import RankingEstimator, distinct
from wkendall.estimators.input_checks import FITTED, check_items_of_fit, random_state
from wkendall.estimators.nystroem import draw_apart
from wkendall.gram import check_pairs
from wkendall.measures import Kendall, Kernel, Mallows
from wkendall.rankings import Rankings, matched, read_rankings, sample_weights
from wkendall.statistics.consensus import consensus_of
from wkendall.statistics.ordering import Method
from wkendall.statistics.samples import power_of_two

#: Explicit features are used instead of the Gram matrix if there are at least this many distinct rankings for each
#: feature. With fewer, steps take longer, measured with 5,000 rankings of 10 and 20 items.
FEWER = 12


@dataclass(eq=False, repr=False)
class KendallKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, RankingEstimator):  # type: ignore[misc]
    """Clusters of rankings, by k-means in the feature space of a kernel.

    Each ranking has a feature vector: the kernel value of two rankings is the inner product of their feature vectors.
    The result is the same as the result of k-means on these vectors. The vectors are computed only if a vector has far
    fewer entries than there are distinct rankings. Otherwise the Gram matrix is computed, which is possible for every
    kernel.

    Equal rankings are merged first, so the Gram matrix has one row for each distinct ranking. Each step then moves the
    centres of the clusters. A step lowers the sum of the squared distances between the rankings and the centres of
    their clusters. If a cluster becomes empty, one ranking moves into it: the ranking that is farthest from the centre
    of its own cluster. The method `consensus` returns one ranking for each cluster.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    kernel, input, top, ties, missing, n_jobs
        As for `KendallGram`.
    init : "k-means++", Rankings, or array-like of shape (m,) or (n_clusters, n)
        How the clusters at the start of a run are chosen. "k-means++": the initial centres are rankings that are far
        apart, drawn at random. An array of length m contains the initial cluster of each ranking, from 0 to
        `n_clusters - 1`. A `Rankings`, or an array of shape (n_clusters, n), contains the initial centre of each
        cluster, as a ranking.
    n_init : int
        The number of runs from different starts. The run with the smallest `inertia_` is kept. If `init` is not
        "k-means++", there is only one run.
    max_iter : int
        The maximum number of times that a run moves the centres.
    random_state : int, RandomState or None
        The seed, or the generator, of the random numbers.

    Attributes
    ----------
    labels_ : ndarray of shape (m,)
        The cluster of each ranking.
    inertia_ : float
        The sum of the squared distances between the rankings and the centres of their clusters. Each squared distance
        is multiplied by the weight of its ranking.
    n_iter_ : int
        The number of times that the kept run moved the centres.
    rankings_ : Rankings
        The distinct rankings.
    means_ : ndarray of shape (number of distinct rankings, n_clusters)
        The centre of a cluster is a weighted mean of feature vectors. Column c contains the weight of each distinct
        ranking in the centre of cluster c. The weights of a column add up to 1.
    n_features_in_, feature_names_in_
        As for `KendallGram`.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [4, 3, 2, 1], [2, 1, 3, 4], [1, 2, 3, 4], [4, 3, 1, 2]]
    >>> model = wkendall.KendallKMeans(2, random_state=0).fit(X)
    >>> model.labels_.tolist(), model.predict([[1, 2, 4, 3]]).tolist()
    ([0, 1, 0, 0, 1], [0])
    """

    n_clusters: SupportsIndex = 8
    kernel: Kernel | None = None
    _: KW_ONLY
    init: str | ArrayLike | Rankings = "k-means++"
    n_init: SupportsIndex = 10
    max_iter: SupportsIndex = 300
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: ArrayLike | Rankings, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the clusters of rankings.

        `sample_weight` contains a weight for each ranking. By default, this weight is the number of times that the
        ranking was observed.
        """
        check_same_rows(X, y)
        as_order(self.n_init, "n_init")
        as_order(self.max_iter, "max_iter")
        clusters = as_order(self.n_clusters, "n_clusters")
        rankings = self._read(X, reset=True)
        if len(rankings) < clusters:
            raise bad_argument(
                "n_clusters", f" is {clusters}, but n_samples={len(rankings)}: there are fewer rankings than that"
            )
        weights = sample_weights(sample_weight, rankings)
        if getattr(self.init, "ndim", None) == 1:
            check_same_rows(X, self.init, ("X", "init"))
        # Sums of the largest weights would not be finite.
        unit = power_of_two(float(weights.max()))
        weights = weights / unit
        counted = weights > 0
        counting = rankings if counted.all() else rankings[counted]
        different, member, total = distinct(counting, weights[counted])
        points = self._points(different, total)
        with one_thread():
            best = self._best_run(points, self._starts(points, different, member, weights))
        self.rankings_, self.means_ = different, best.means
        self.inertia_, self.n_iter_ = unit * best.inertia, best.iterations
        self._norms, self._largest = kmeans.square_norms(points, best.means), float(points.own.max())
        self._centres = points.vectors.T @ best.means if isinstance(points, kmeans.VectorPoints) else None
        self.labels_ = np.empty(len(rankings), dtype=np.int32)
        self.labels_[counted] = best.labels[member]
        if not counted.all():
            self.labels_[~counted] = self._nearest(rankings[~counted], different)[0]
        return self

    def _points(self, different: Rankings, weights: Array) -> kmeans.Points:
        """Return the feature vectors of the distinct rankings if the vectors are short, otherwise the Gram matrix."""
        rows = len(different)
        advice = "use KendallFeatures or KendallNystroem with MiniBatchKMeans of scikit-learn"
        columns = columns_of_features(self._kernel(), different)
        if columns is not None and FEWER * columns <= rows:
            check_fits(rows, columns, np.dtype(np.float64), advice)
            return kmeans.VectorPoints(self._features(different), self._own(different), weights)
        check_fits(rows, rows, np.dtype(np.float64), advice)
        gram = self._gram(different)
        return kmeans.GramPoints(gram, gram.diagonal().copy(), weights)

    def _features(self, rankings: Rankings) -> Array:
        return features_of(rankings, self._kernel(), Run(n_jobs=self.n_jobs))

    def _starts(
        self, points: kmeans.Points, different: Rankings, member: kmeans.Labels, weights: Array
    ) -> Iterator[Array]:
        """Yield the squared distances of the rankings from the starting centres."""
        clusters = int(self.n_clusters)
        if not isinstance(self.init, str):
            yield self._given(points, different, member, weights)
            return
        check_choice(self.init, "init", ("k-means++",))
        random = random_state(self.random_state)
        for _ in range(int(self.n_init)):
            chosen = draw_apart(points.own, points.weights, clusters, random, points.column)
            chosen += chosen[:1] * (clusters - len(chosen))
            yield points.own[:, np.newaxis] + points.own[chosen] - 2 * points.columns(np.array(chosen))

    def _given(self, points: kmeans.Points, different: Rankings, member: kmeans.Labels, weights: Array) -> Array:
        clusters = int(self.n_clusters)
        check_unmasked(self.init, "init")
        given: Any = self.init
        if not isinstance(given, Rankings) and not is_sparse(given):
            try:
                given = np.asarray(self.init)
            except ValueError:
                given = as_array(self.init, "init", 2)
        if given.ndim == 1:
            means = np.zeros((len(different), clusters))
            np.add.at(means, (member, checked_labels(given, weights, clusters)), weights[weights > 0])
            return kmeans.squared_distances(points, means / means.sum(axis=0))
        if given.shape != (clusters, different.n_items):
            raise bad_argument(
                "init",
                f" has shape {given.shape}, but must be (n_clusters, n) = {(clusters, different.n_items)}, the rankings to "
                f"start at, or (m,) = ({len(weights)},), the cluster of each ranking, or 'k-means++'",
            )
        if not isinstance(given, Rankings):
            check_items_of_fit(self, self.init, "init")
            given = read_rankings(given, "init", self._reading(reset=False), self._threads)
        centres = matched(different, given, (FITTED, "init"))
        return points.own[:, np.newaxis] + self._own(centres) - 2 * self._gram(different, centres)

    def _best_run(self, points: kmeans.Points, starts: Iterator[Array]) -> kmeans.Clusters:
        best: kmeans.Clusters | None = None
        for start in starts:
            run = kmeans.lloyd(points, start, int(self.max_iter))
            # Among runs that differ only by rounding, keep the first.
            if best is None or run.inertia < best.inertia - kmeans.EQUAL * float(points.weights @ points.own):
                best = run
        assert best is not None
        found = len(np.unique(best.labels))
        if found < int(self.n_clusters):
            message = f"{found} clusters found, not n_clusters={self.n_clusters}: the kernel does not distinguish more rankings"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        elif not best.converged:
            message = f"not converged after max_iter={self.max_iter} iterations: increase max_iter"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        return best

    def predict(self, X: ArrayLike | Rankings) -> NDArray[np.int32]:
        """For each ranking, return the cluster whose centre is nearest.

        If several centres are equally near, the cluster with the smallest number is returned.
        """
        check_is_fitted(self)
        return self._nearest(self._read(X, reset=False), self.rankings_)[0]

    def transform(self, X: ArrayLike | Rankings) -> Array:
        """Return the distance between each ranking (row) and each centre (column), in the kernel's feature space."""
        check_is_fitted(self)
        return self._output(np.sqrt(self._squares(self._read(X, reset=False), self.rankings_)), X)

    def score(self, X: ArrayLike | Rankings, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Return minus the weighted sum of the squared distances between each ranking and its nearest centre.

        A larger score is better. The weights are as for `fit`.
        """
        check_is_fitted(self)
        check_same_rows(X, y)
        rankings = self._read(X, reset=False)
        weights = sample_weights(sample_weight, rankings)
        unit = power_of_two(float(weights.max()))
        return -unit * float(weights / unit @ self._nearest(rankings, self.rankings_)[1])

    def _nearest(self, rankings: Rankings, fitted: Rankings) -> tuple[NDArray[np.int32], Array]:
        """Return the cluster with the nearest centre for each ranking, and the squared distance from this centre."""
        squares = self._squares(rankings, fitted)
        labels = kmeans.first_least(squares, self._largest)
        return labels.astype(np.int32), squares[np.arange(len(labels)), labels]

    def _squares(self, rankings: Rankings, fitted: Rankings) -> Array:
        different, member, _ = distinct(rankings, np.ones(len(rankings)))
        squares = np.empty((len(different), self.means_.shape[1]))
        centres: Array | None = self._centres
        step = max(1, BLOCK // (len(fitted) if centres is None else len(centres)))
        for begin in range(0, len(different), step):
            some = different[begin : begin + step]
            products = self._gram(some, fitted) @ self.means_ if centres is None else self._features(some) @ centres
            squares[begin : begin + step] = self._own(some)[:, np.newaxis] - 2 * products + self._norms
        return np.maximum(squares, 0)[member]

    def consensus(self, *, method: Method = "auto", rng: Random = None) -> Rankings:
        """Return one ranking for each cluster: the ranking that is most similar to the rankings of the cluster.

        The centre of a cluster is a mean of feature vectors. In general, no ranking has this mean as its feature
        vector. The consensus of the cluster is a ranking: of all rankings, it has the largest mean kernel value with
        the rankings of the cluster. Here the kernel is the parameter `kernel` of the class. With a `Mallows` kernel,
        the consensus is Kemeny's ranking instead: this ranking has the smallest mean number of discordant pairs with
        the rankings of the cluster. A pair of items is discordant if two rankings put its items in opposite orders.

        `method` and `rng` are as for `wkendall.consensus`. The result is a `Rankings` with one row for each cluster,
        and with the names of the items.

        Examples
        --------
        >>> import wkendall
        >>> X = [[1, 2, 3, 4], [4, 3, 2, 1], [2, 1, 3, 4], [1, 2, 3, 4], [4, 3, 1, 2]]
        >>> rankings = wkendall.Rankings(X, items=["fig", "plum", "pear", "lime"])
        >>> wkendall.KendallKMeans(2, random_state=0).fit(rankings).consensus().to_lists()
        [['fig', 'plum', 'pear', 'lime'], ['pear', 'lime', 'plum', 'fig']]
        """
        check_is_fitted(self)
        check_choice(method, "method", get_args(Method))
        kernel = self._kernel()
        kernel = Kendall() if isinstance(kernel, Mallows) else kernel
        check_pairs(kernel, "consensus")
        random, run = generator(rng), Run(n_jobs=self.n_jobs)
        fitted = self.rankings_
        found = []
        for column in self.means_.T:
            members = np.flatnonzero(column)
            found.append(consensus_of(fitted[members], column[members], kernel, method, random, run).ranking)
        return Rankings(np.array(found), items=fitted.items)

    @property
    def _n_features_out(self) -> int:
        return int(self.means_.shape[1])


def checked_labels(given: NDArray[Any], weights: Array, clusters: int) -> kmeans.Labels:
    """Check the given cluster of each ranking. Return the clusters of the rankings that have a positive weight."""
    if len(given) != len(weights):
        raise bad_argument(
            "init", f" has {len(given)} clusters, but there are {len(weights)} rankings: each must have one"
        )
    if given.dtype.kind not in "iu":
        raise TypeError(f"init must be an array of clusters, of whole numbers, or of rankings, not of {given.dtype}")
    for row, label in enumerate(given.tolist()):
        if not 0 <= label < clusters:
            raise bad_argument("init", f": row {row} is in cluster {label}, but must be from 0 to {clusters - 1}")
    counted = given[weights > 0].astype(np.intp)
    for cluster, size in enumerate(np.bincount(counted, minlength=clusters).tolist()):
        if not size:
            raise bad_argument("init", f": no ranking is in cluster {cluster}, but each cluster must have one")
    return counted
