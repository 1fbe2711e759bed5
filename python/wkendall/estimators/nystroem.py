"""A kernel approximated from landmarks: the Nystroem method as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from scipy.linalg import solve_triangular
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from wkendall._arguments import Array, as_order, as_result_type, check_choice, check_same_rows
from wkendall.estimators.base import VectorMap, distinct
from wkendall.estimators.input_checks import random_state
from wkendall.measures import Kernel
from wkendall.rankings import Rankings, sample_weights

#: The maximum number of distinct rankings that the error is measured on, and that "kmeans++" draws from.
MOST = 10_000
#: A landmark must leave at least this fraction of the largest self-similarity unexplained by the landmarks before it.
#: Rounding can leave 1e-10 where landmarks are nearly dependent.
LEAST = 1e-9
#: Squared distances below this fraction of the largest self-similarity are rounding errors of zero.
ROUNDING = 1e-12


@dataclass(eq=False, repr=False)
class KendallNystroem(ClassNamePrefixFeaturesOutMixin, VectorMap):  # type: ignore[misc]
    """Vectors whose inner products approximate any kernel, also for many rankings: the Nystroem method.

    The method draws some rankings, the landmarks, and compares each ranking with the landmarks only. Let K be the Gram
    matrix of the landmarks, and k(s) the kernel values between a ranking s and the landmarks. The inner product of the
    vectors of s and t is k(s) K^+ k(t), where K^+ is the pseudoinverse of K. If s or t is a landmark, this inner
    product equals the kernel exactly. It equals the kernel for all rankings if the landmarks span the same feature
    space, for example if each distinct ranking is a landmark.

    For kernels of pairs of items, `KendallFeatures` is exact. It has about n (n - 1) / 2 columns, or twice as many, for n
    items. Use `KendallNystroem` if there are too many items for this, or for kernels of higher order or with general
    weights.

    Each landmark adds a column: the part of its feature vector that the landmarks before it do not span. If the squared
    length of this part is less than 1e-9 of the largest K(s, s), the landmark is dropped. There may therefore be fewer
    columns than `n_components`. With the same `random_state`, more landmarks add columns and leave the existing columns
    unchanged.

    Parameters
    ----------
    kernel, input, top, ties, missing, n_jobs
        As for `KendallGram`.
    n_components : int
        The number of distinct landmarks to draw. If there are fewer distinct rankings, all of them are landmarks.
    landmarks : {"uniform", "kmeans++"}
        How to draw landmarks from the rankings of `fit`. "uniform": each ranking has the same probability. "kmeans++":
        the landmarks are far apart, because the probability of a ranking is proportional to its squared distance from
        the nearest landmark. A ranking counts as often as it was observed.
    dtype : float64 or float32
        The type of the result.
    random_state : int, RandomState or None
        The source of random numbers.

    Attributes
    ----------
    landmarks_ : Rankings
        The landmarks, one for each column.
    components_ : ndarray of shape (columns, columns)
        The upper triangular matrix C of the transformation: the vector of s is k(s) C.
    error_ : float
        The error of the approximation on the rankings of `fit`, from 0 to 1. It is the sum of
        `K(s, s) - |vector of s|^2` divided by the sum of K(s, s): the relative error of the trace of the Gram matrix.
        If there are more than 10,000 distinct rankings, the error is measured on 10,000 of them.
    n_features_in_, feature_names_in_
        As for `KendallGram`.

    Examples
    --------
    >>> import wkendall
    >>> X = wkendall.datasets.make_mallows(1000, 8, 0.3, rng=0)
    >>> for n_components in (5, 20, 80):
    ...     kernel = wkendall.Kendall(normalize=True)
    ...     nystroem = wkendall.KendallNystroem(kernel, n_components=n_components, random_state=0).fit(X)
    ...     print(nystroem.transform(X).shape, round(nystroem.error_, 3))
    (1000, 5) 0.366
    (1000, 20) 0.09
    (1000, 29) 0.0
    """

    kernel: Kernel | None = None
    _: KW_ONLY
    n_components: SupportsIndex = 100
    landmarks: str = "uniform"
    dtype: DTypeLike = np.float64
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: ArrayLike | Rankings, y: object = None) -> Self:
        """Draw landmarks and measure how well they approximate the kernel."""
        check_same_rows(X, y)
        as_order(self.n_components, "n_components")
        check_choice(self.landmarks, "landmarks", ("uniform", "kmeans++"))
        as_result_type(self.dtype)
        rankings = self._read(X, reset=True)
        random = random_state(self.random_state)
        different, _, counts = distinct(rankings, sample_weights(None, rankings))
        part = random.permutation(len(different))[:MOST]
        some = different[part]
        drawn = self._drawn(different, counts, some, counts[part], random)
        kept, factor = cholesky(self._gram(drawn))
        if kept:
            landmarks, root = drawn[kept], solve_triangular(factor, np.eye(len(kept)), lower=True).T
        else:  # the kernel is zero
            landmarks, root = drawn[:1], np.zeros((1, 1))
        self.landmarks_, self.components_ = landmarks, root
        own = self._own(some)
        squares = np.concatenate([(Z**2).sum(axis=1) for _, Z in self._pieces(some, None)])
        total = float(counts[part] @ own)
        self.error_ = max(0.0, float(counts[part] @ (own - squares)) / total) if total > 0 else 0.0
        return self

    def _drawn(
        self, different: Rankings, counts: Array, some: Rankings, weights: Array, random: np.random.RandomState
    ) -> Rankings:
        if self.landmarks == "uniform":
            # Exponential times with rate `counts`, smallest first: a draw by count in which more landmarks include the
            # fewer.
            with np.errstate(divide="ignore"):
                times = random.exponential(size=len(different)) / counts
            observed = int(np.count_nonzero(counts))
            return different[times.argsort(kind="stable")[: min(int(self.n_components), observed)]]

        def column(one: int) -> Array:
            return self._gram(some, some[one])[:, 0]

        return some[draw_apart(self._own(some), weights, int(self.n_components), random, column)]

    def _vectors(self, rankings: Rankings) -> Array:
        return np.asarray(self._gram(rankings, self.landmarks_) @ self.components_)

    @property
    def _n_features_out(self) -> int:  # type: ignore[override]
        return int(self.components_.shape[1])


def cholesky(gram: Array) -> tuple[list[int], Array]:
    """Return the rows of a Gram matrix that are independent of the rows before them, and the Cholesky factor of these rows.

    Eigenvectors would also work, but they are not unique: their signs are arbitrary, and Gram matrices of rankings
    often have equal eigenvalues. The results would therefore differ between machines.
    """
    columns, least = np.zeros_like(gram), LEAST * float(gram.diagonal().max())
    kept: list[int] = []
    for row in range(len(gram)):
        rank = len(kept)
        rest = gram[row:, row] - columns[row:, :rank] @ columns[row, :rank]
        if rest[0] > least:
            columns[row:, rank] = rest / np.sqrt(rest[0])
            kept.append(row)
    return kept, columns[kept, : len(kept)]


def draw_apart(
    own: Array, weights: Array, count: int, random: np.random.RandomState, column: Callable[[int], Array]
) -> list[int]:
    """Draw rankings as k-means++ does; return their row numbers.

    The first ranking is drawn with a probability proportional to its weight. Each further ranking is drawn with a
    probability proportional to its weight times its squared distance from the nearest ranking drawn so far. If all
    these distances are zero, fewer than `count` rankings are drawn. `own` has the kernel between each ranking and
    itself; `column` returns the kernel between all rankings and one ranking.
    """
    chosen: list[int] = []
    nearest, chances = np.full(len(own), np.inf), weights
    while len(chosen) < count and chances.any():
        sums = chances.cumsum()
        one = min(int(sums.searchsorted(random.uniform() * sums[-1], side="right")), len(own) - 1)
        chosen.append(one)
        squares = own + own[one] - 2 * column(one)
        squares[squares <= ROUNDING * own.max()] = 0
        nearest = np.minimum(nearest, squares)
        chances = weights * nearest
    return chosen
