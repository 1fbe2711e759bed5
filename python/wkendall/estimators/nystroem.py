"""The Nystroem method as a scikit-learn transformer: vectors whose inner products approximate a kernel."""

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
    """The Nystroem method: a transformer from rankings to vectors whose inner products approximate any kernel.

    `fit` draws some of its rankings at random. The drawn rankings are called landmarks. `transform` compares each
    ranking only with the landmarks, so it is fast even for many rankings. Let K be the Gram matrix of the landmarks.
    For a ranking s, let k(s) be the row of kernel values between s and each landmark. Let K^+ be the pseudoinverse of
    K. The inner product of the vectors of two rankings s and t is then `k(s) K^+ k(t)^T`. Up to rounding, this inner
    product equals the kernel value of s and t if s or t is a landmark. It equals the kernel value of every s and t if,
    for example, each distinct ranking is a landmark.

    For `Kendall` kernels of order 2 (the default), `KendallFeatures` computes exact vectors. For n items these vectors
    have about `n (n - 1) / 2` columns. For some weights they have twice as many columns, and for the weight "average"
    about n times as many. Use `KendallNystroem` if this is too many columns. Also use it for kernels that
    `KendallFeatures` does not accept, such as `Mallows`, `TensorKernel`, or `Kendall` kernels of higher order.

    A landmark is dropped if it adds nothing to the landmarks that were drawn earlier. This is tested with feature
    vectors: a kernel value is the inner product of the feature vectors of two rankings. The feature vectors of the
    landmarks drawn so far span a subspace. If the feature vector of the next landmark lies in this subspace, this
    landmark is dropped. More exactly, it is dropped if its squared distance from the subspace is at most 1e-9 times the
    largest diagonal entry of K. Each of the remaining landmarks adds a column to the result, so there can be fewer
    columns than `n_components`. If you increase `n_components` and keep the same seed as `random_state`, new columns
    are added, and the existing columns do not change.

    Parameters
    ----------
    kernel, input, top, ties, missing, n_jobs
        As for `KendallGram`.
    n_components : int
        The number of landmarks to draw, all distinct. If `fit` gets fewer distinct rankings than this number, all of
        them are drawn.
    landmarks : {"uniform", "kmeans++"}
        How to draw landmarks from the rankings of `fit`. "uniform": each ranking has the same probability. "kmeans++":
        the landmarks are far apart, because the probability of a ranking is proportional to its squared distance from
        the nearest landmark drawn so far. A ranking that was observed c times counts as c rankings in the draws.
    dtype : float64 or float32
        The type of the numbers in the vectors.
    random_state : int, RandomState or None
        The seed, or the generator, of the random numbers.

    Attributes
    ----------
    landmarks_ : Rankings
        The remaining landmarks, one for each column of the result.
    components_ : ndarray of shape (columns, columns)
        The upper triangular matrix C of the transformation: the vector of a ranking s is k(s) C.
    error_ : float
        The error of the approximation on the rankings of `fit`, from 0 (exact) to 1. It is the relative error of the
        trace of the Gram matrix of these rankings. Let g(s) be the kernel value of a ranking s with itself, and v(s)
        the vector of s. The error is the sum of `g(s) - |v(s)|^2` over the rankings, divided by the sum of g(s). If
        there are more than 10,000 distinct rankings, the error is measured on 10,000 of them.
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
        """Draw the landmarks, and measure the error of the approximation."""
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
    """Return the linearly independent rows of a Gram matrix, from the first row on, and their Cholesky factor.

    Eigenvectors of the Gram matrix would also give vectors for the rankings. But eigenvectors are not unique: their
    signs are arbitrary, and Gram matrices of rankings often have equal eigenvalues. So vectors made from eigenvectors
    would differ between machines.
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
    these distances are zero, the drawing stops, and fewer than `count` rankings are returned. `own` contains the kernel
    value of each ranking with itself. `weights` contains the weight of each ranking. `column(i)` returns the kernel
    values between all rankings and ranking i.
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
