"""Kernels between rankings as objects of scikit-learn: the Gram matrix, its approximation by landmarks, explicit features."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.linalg import solve_triangular
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from wkendall._arguments import as_order, as_result_type
from wkendall._memory import check_fits
from wkendall.estimators.input_checks import random_state
from wkendall.estimators.kernel_parameters import OfKernel, OfRankings, Places, distinct, draw_apart, used
from wkendall.kernels.embedding import BLOCK, features
from wkendall.learning.decomposition import Array
from wkendall.reading.files import shown
from wkendall.reading.rankings import Input, Missing, Ties, Top, check_choice, check_same_labels

#: How many different rankings the error of an approximation is measured on, and landmarks are drawn apart from, at most.
MOST = 10_000
#: The least part of a landmark, of the largest self-similarity, that those before it must leave unexplained. Where landmarks are
#: nearly dependent, rounding can leave 1e-10.
LEAST = 1e-9


class WeightedKendall(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OfKernel):  # type: ignore[misc]
    """A kernel with all its parameters: a transformer of rankings to Gram matrices, and a function of two sets of rankings.

    `transform` gives the kernel between rankings and those of `fit`. Put it in front of an estimator that takes
    `kernel="precomputed"` or `affinity="precomputed"`: whole matrices are computed at once, and in cross-validation the rankings
    of `fit` are those of the training. As a function it is for `SVC(kernel=WeightedKendall(...))`. KernelPCA, KernelRidge and
    Nystroem of scikit-learn take functions too, but call them for one pair after the other: use the transformer there, and
    `KendallNystroem`.

    Parameters
    ----------
    weight, k, u, U, W, order, check, signed, normalize, input, top, ties, missing, dtype, n_jobs
        As for `gram_matrix`. `weight` can be "mallows" as well. `k` and `u` are ignored, not refused, with a weight that does not
        use them, so that a grid search can change the weight alone.
    lam : float
        For `weight="mallows"`: as for `mallows`. Ignored with others.

    Attributes
    ----------
    rankings_ : ndarray of shape (m, n)
        The rankings of `fit`, as ranks from 1, whatever `input` and `top`; tied items have the first of the ranks that they
        share, items of unknown place NaN.
    n_features_in_ : int
        The number of items.
    feature_names_in_ : ndarray of n names
        If `fit` was given a data frame.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1]]
    >>> wkendall.WeightedKendall(weight="top", k=3).fit(X).transform([[1, 2, 4, 3]])
    array([[1., 0., 0.]])

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> model = make_pipeline(wkendall.WeightedKendall(weight="mult", u="log"), SVC(kernel="precomputed"))
    >>> model.fit(X, ["a", "a", "b"]).predict([[1, 2, 4, 3]])
    array(['a'], dtype='<U1')
    """

    def __init__(
        self,
        weight: str = "standard",
        *,
        k: SupportsIndex | None = None,
        u: str | ArrayLike | None = None,
        U: ArrayLike | tuple[object, ...] | None = None,
        W: ArrayLike | None = None,
        order: SupportsIndex = 2,
        check: bool = True,
        signed: bool = False,
        normalize: bool = False,
        lam: float | None = None,
        input: Input = "ranks",
        top: Top = "low",
        ties: Ties = "error",
        missing: Missing = "error",
        dtype: DTypeLike = np.float64,
        n_jobs: SupportsIndex | None = None,
    ) -> None:
        super().__init__(
            weight, k=k, u=u, U=U, W=W, order=order, check=check, signed=signed, normalize=normalize, lam=lam,
            input=input, top=top, ties=ties, missing=missing, n_jobs=n_jobs,
        )  # fmt: skip
        self.dtype = dtype

    def __call__(self, X: ArrayLike, Y: ArrayLike | None = None) -> Any:
        """Kernel between all rankings of `X`, or of `X` and `Y`; `fit` does not matter.

        Parameters
        ----------
        X, Y : array-like of shape (m, n) and (m', n)
            Rankings, one a row. Or two single rankings, which is how some estimators of scikit-learn ask: slow.

        Returns
        -------
        ndarray of shape (m, m'), or float
        """
        if Y is not None and _is_one(X) and _is_one(Y):
            return float(self(np.asarray(X)[np.newaxis], np.asarray(Y)[np.newaxis])[0, 0])
        if Y is None or Y is X:
            return self._gram(self._places(X, "X"), dtype=self.dtype)
        if self.input != "orders":
            check_same_labels(X, Y, "columns", ("X", "Y"))
        return self._gram(self._places(X, "X"), self._places(Y, "Y"), dtype=self.dtype)

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: ARG002
        """Keep the rankings to compare with.

        Parameters
        ----------
        X : array-like of shape (m, n)
            Rankings, one a row.
        y : object
            Not used.

        Returns
        -------
        self
        """
        as_result_type(self.dtype)
        self.rankings_ = self._read(X, reset=True)
        self._gram(self.rankings_[:1])  # which checks the parameters
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Kernel between rankings and those of `fit`.

        Parameters
        ----------
        X : array-like of shape (m', n)

        Returns
        -------
        ndarray of shape (m', m)
        """
        check_is_fitted(self)
        return self._gram(self._read(X, reset=False), self.rankings_, dtype=self.dtype)

    def fit_transform(self, X: ArrayLike, y: object = None) -> Array:
        """Kernel between all rankings, which are kept.

        Parameters
        ----------
        X : array-like of shape (m, n)
        y : object
            Not used.

        Returns
        -------
        ndarray of shape (m, m)
        """
        self.fit(X, y)
        return self._gram(self.rankings_, dtype=self.dtype)

    @property
    def _n_features_out(self) -> int:
        return len(self.rankings_)


class _Map(TransformerMixin, OfRankings):  # type: ignore[misc]
    """A map of rankings to vectors, one by one, so that any number of them can be done in chunks."""

    dtype: DTypeLike
    _n_features_out: int

    @abstractmethod
    def _vectors(self, places: Places) -> Array:
        """Return the vectors of some rankings."""

    def transform(self, X: ArrayLike) -> Array:
        """Vectors of rankings.

        Parameters
        ----------
        X : array-like of shape (m, n)
            Rankings, one a row.

        Returns
        -------
        ndarray of shape (m, columns)
        """
        check_is_fitted(self)
        places, result_type = self._read(X, reset=False), as_result_type(self.dtype)
        check_fits(
            len(places), self._n_features_out, result_type, "use dtype=np.float32, or a loop over the method chunks"
        )
        out = np.empty((len(places), self._n_features_out), dtype=result_type)
        for rows, vectors in self._pieces(places, None):
            out[rows] = vectors
        return out

    def chunks(self, X: ArrayLike, size: SupportsIndex | None = None) -> Iterator[tuple[slice, Array]]:
        """Vectors of rankings, some rows at a time: for models with `partial_fit`, in little memory.

        Parameters
        ----------
        X : array-like of shape (m, n)
            Rankings, one a row; all are checked before the first chunk.
        size : int, optional
            Rows of a chunk; if absent, so many that it takes a few MiB.

        Returns
        -------
        iterator of (slice, ndarray)
            Which rows, and their vectors.
        """
        check_is_fitted(self)
        rows = None if size is None else as_order(size, "size")
        return self._pieces(self._read(X, reset=False), rows)

    def _pieces(self, places: Places, size: int | None) -> Iterator[tuple[slice, Array]]:
        step = size or max(1, BLOCK // max(self._n_features_out, 1))
        for begin in range(0, len(places), step):
            rows = slice(begin, min(begin + step, len(places)))
            yield rows, self._vectors(places[rows])


class KendallNystroem(ClassNamePrefixFeaturesOutMixin, _Map, OfKernel):  # type: ignore[misc]
    """Vectors whose inner products are nearly a kernel, from landmarks: the Nystroem method, for any kernel and many rankings.

    With K the kernel between landmarks, the inner product of the vectors of s and t is k(s) K^+ k(t), k(s) being the kernel
    between s and the landmarks. It is exact for landmarks, and for all rankings as soon as the landmarks span what there is, at
    the latest when each different ranking is a landmark. `KendallFeatures` is exact for kernels of order 2, with about
    n (n - 1) / 2 columns or twice as many; landmarks are for more items, higher orders and general weights.

    Each landmark adds a column: the part of the kernel with it that those before it do not explain (a Cholesky factor of K). A
    landmark of which that part is less than 1e-9 of the largest K(s, s) adds nothing but rounding, and is left out. So there may
    be fewer columns than `n_components`, for instance never more than n (n - 1) / 2 + 1 for the standard kernel. More landmarks
    with the same `random_state` add columns, and leave those that there are.

    Parameters
    ----------
    n_components : int
        How many landmarks to draw, all different; all different rankings if there are fewer.
    landmarks : {"uniform", "kmeans++"}
        How to draw them from the rankings of `fit`: each with the same chance, or far apart, with a chance proportional to
        the squared distance from the nearest landmark.
    weight, k, u, U, W, order, check, signed, normalize, lam, input, top, ties, missing, n_jobs
        As for `WeightedKendall`.
    dtype : float64 or float32
        The type of the result.
    random_state : int, RandomState or None
        What to draw with.

    Attributes
    ----------
    landmarks_ : ndarray of shape (columns, n)
        The landmarks, as ranks from 1 as in `WeightedKendall.rankings_`.
    components_ : ndarray of shape (columns, columns)
        What the kernel with the landmarks is multiplied by; upper triangular.
    error_ : float
        The error of the approximation on the rankings of `fit`, from 0 to 1: the sum of `K(s, s) - |vector of s|^2` over the sum
        of K(s, s). That is the relative error of the trace of the Gram matrix; since what is left out is positive semi-definite,
        the sum of its eigenvalues. Measured on 10,000 different rankings if there are more.
    n_features_in_, feature_names_in_
        As for `WeightedKendall`.

    Examples
    --------
    >>> import wkendall
    >>> X = wkendall.datasets.make_mallows(1000, 8, 0.3, rng=0)
    >>> for n_components in (5, 20, 80):
    ...     nystroem = wkendall.KendallNystroem(n_components, normalize=True, random_state=0).fit(X)
    ...     print(nystroem.transform(X).shape, round(nystroem.error_, 3))
    (1000, 5) 0.366
    (1000, 20) 0.09
    (1000, 29) 0.0
    """

    def __init__(
        self,
        n_components: SupportsIndex = 100,
        *,
        landmarks: str = "uniform",
        weight: str = "standard",
        k: SupportsIndex | None = None,
        u: str | ArrayLike | None = None,
        U: ArrayLike | tuple[object, ...] | None = None,
        W: ArrayLike | None = None,
        order: SupportsIndex = 2,
        check: bool = True,
        signed: bool = False,
        normalize: bool = False,
        lam: float | None = None,
        input: Input = "ranks",
        top: Top = "low",
        ties: Ties = "error",
        missing: Missing = "error",
        dtype: DTypeLike = np.float64,
        n_jobs: SupportsIndex | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            weight, k=k, u=u, U=U, W=W, order=order, check=check, signed=signed, normalize=normalize, lam=lam,
            input=input, top=top, ties=ties, missing=missing, n_jobs=n_jobs,
        )  # fmt: skip
        self.n_components = n_components
        self.landmarks = landmarks
        self.dtype = dtype
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: ARG002
        """Draw landmarks and measure how well they stand for all.

        Parameters
        ----------
        X : array-like of shape (m, n)
            Rankings, one a row.
        y : object
            Not used.

        Returns
        -------
        self
        """
        as_order(self.n_components, "n_components")
        check_choice(self.landmarks, "landmarks", ("uniform", "kmeans++"))
        as_result_type(self.dtype)
        places = self._read(X, reset=True)
        random = random_state(self.random_state)
        different, _, counts = distinct(places, np.ones(len(places)))
        part = random.permutation(len(different))[:MOST]
        drawn = self._drawn(different, counts, part, random)
        kept, factor = cholesky(self._gram(drawn))
        if kept:
            self.landmarks_, self.components_ = drawn[kept], solve_triangular(factor, np.eye(len(kept)), lower=True).T
        else:  # a kernel of zeros
            self.landmarks_, self.components_ = drawn[:1], np.zeros((1, 1))
        own = self._own(different[part])
        squares = np.concatenate([(Z**2).sum(axis=1) for _, Z in self._pieces(different[part], None)])
        total = float(counts[part] @ own)
        self.error_ = max(0.0, float(counts[part] @ (own - squares)) / total) if total > 0 else 0.0
        return self

    def _drawn(self, different: Places, counts: Array, part: NDArray[np.intp], random: np.random.RandomState) -> Places:
        if self.landmarks == "uniform":
            # A race in which the fastest of the people with a ranking counts: draws by number, of which more include the fewer.
            times = random.exponential(size=len(different)) / counts
            return different[times.argsort(kind="stable")[: int(self.n_components)]]
        some, weights = different[part], counts[part]

        def column(one: int) -> Array:
            return self._gram(some, some[one : one + 1])[:, 0]

        chosen = draw_apart(self._own(some), weights, int(self.n_components), random, column)
        return some[chosen]

    def _vectors(self, places: Places) -> Array:
        return np.asarray(self._gram(places, self.landmarks_) @ self.components_)

    @property
    def _n_features_out(self) -> int:  # type: ignore[override]
        return int(self.components_.shape[1])


class KendallFeatures(_Map):
    """Vectors whose inner products are a kernel of order 2, exactly: `features` as a transformer.

    Nothing is learned from the rankings of `fit` but the number and the names of the items.

    Parameters
    ----------
    weight, k, u, signed, normalize, input, top, ties, missing, dtype, n_jobs
        As for `features`. `k` and `u` are ignored with a weight that does not use them.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        As for `WeightedKendall`.

    Examples
    --------
    >>> import wkendall
    >>> map = wkendall.KendallFeatures(signed=True).fit([[1, 2, 3]])
    >>> map.get_feature_names_out(["tea", "milk", "beer"])
    array(['tea before milk', 'tea before beer', 'milk before beer'],
          dtype=object)
    >>> map.transform([[1, 2, 3], [3, 2, 1]])
    array([[ 1.,  1.,  1.],
           [-1., -1., -1.]])
    """

    def __init__(
        self,
        weight: str = "standard",
        *,
        k: SupportsIndex | None = None,
        u: str | ArrayLike | None = None,
        signed: bool = False,
        normalize: bool = False,
        input: Input = "ranks",
        top: Top = "low",
        ties: Ties = "error",
        missing: Missing = "error",
        dtype: DTypeLike = np.float64,
        n_jobs: SupportsIndex | None = None,
    ) -> None:
        self.weight = weight
        self.k = k
        self.u = u
        self.signed = signed
        self.normalize = normalize
        self.input = input
        self.top = top
        self.ties = ties
        self.missing = missing
        self.dtype = dtype
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: object = None) -> Self:  # noqa: ARG002
        """Check rankings and parameters.

        Parameters
        ----------
        X : array-like of shape (m, n)
            Rankings, one a row.
        y : object
            Not used.

        Returns
        -------
        self
        """
        places = self._read(X, reset=True)
        self._n_features_out = self._vectors(places[:1]).shape[1]
        return self

    def _vectors(self, places: Places) -> Array:
        chosen = {name: getattr(self, name) for name in ("weight", "signed", "normalize", "dtype")}
        return features(places, **chosen, **used(self.weight, self.k, self.u), **self._reading())

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the columns.

        A column "a before b" is zero, or the negative if signed, where b is before a. The average kernel has the same for the
        top 2, 3, .., n of the ranking. The standard kernel has signs too, and a constant in its last column.

        Parameters
        ----------
        input_features : array-like of n names, optional
            Those of the items. If absent, those of the data frame of `fit`, or x0, x1, ..

        Returns
        -------
        ndarray of names
        """
        check_is_fitted(self)
        if input_features is not None and not _is_one(input_features):
            raise ValueError(f"input_features is {shown(input_features)}, but must be an array of n names, or None")
        items = _check_feature_names_in(self, input_features)
        pairs = [(items[i], items[j]) for i, j in zip(*np.triu_indices(len(items), 1), strict=True)]
        if self.weight == "standard" and not self.signed:
            return np.array([*(f"{i} before {j}" for i, j in pairs), "constant"], dtype=object)
        orders = [pairs] if self.signed else [pairs, [(j, i) for i, j in pairs]]
        tops = [f", top {k}" for k in range(2, len(items) + 1)] if self.weight == "average" else [""]
        return np.array([f"{i} before {j}{top}" for order in orders for top in tops for i, j in order], dtype=object)


def _is_one(X: ArrayLike) -> bool:
    """Tell one ranking from several."""
    try:
        return np.ndim(X) == 1
    except ValueError:  # rows of different lengths
        return False


def cholesky(gram: Array) -> tuple[list[int], Array]:
    """Return which rows of a Gram matrix are no combinations of those before, and the Cholesky factor of these.

    Eigenvectors would do as well but for their signs, and where eigenvalues are equal, which rankings make often: there every
    machine has others.
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
