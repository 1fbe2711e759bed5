"""Kernels between rankings for the Gaussian processes of scikit-learn, with hyperparameters that can be learned.

The kernels compute whole matrices, as `gram_matrix` does. Each kernel has one hyperparameter. A Gaussian process
searches for the best value of the hyperparameter between bounds, on a logarithmic scale. For this search, the kernels
also compute the derivative of the matrix with respect to the logarithm of the hyperparameter.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from inspect import signature
from numbers import Real
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike
from sklearn.gaussian_process.kernels import Hyperparameter
from sklearn.gaussian_process.kernels import Kernel as ProcessKernel

from wkendall._arguments import Array, as_order, check_choice, real_array
from wkendall._errors import bad_argument, shown
from wkendall._run import Run
from wkendall.arrays.options import Input, Missing, Reading, Ties, Top
from wkendall.gram import diagonal_of, gram_of
from wkendall.measures import POSITION_WEIGHTS, WEIGHTS, Kendall, KendallDistance, Kernel, Mallows
from wkendall.rankings import Rankings, matched, read_rankings, reading_beside

__all__ = ["MallowsKernel", "WeightedKendallKernel"]

Bounds = tuple[float, float] | str

#: Position weights with a parameter: u = exp(a s), where the slopes s depend only on the rank.
FAMILIES = ("power", "exponential")


@dataclass(init=False, eq=False, repr=False)
class _RankingKernel(ProcessKernel):  # type: ignore[misc]
    """The common base of the kernels: it reads rankings, and computes, compares and prints kernels.

    The parameters are fields, and `dataclass` makes the constructors. A kernel has one hyperparameter.
    """

    _: KW_ONLY
    normalize: bool = True
    input: Input = "ranks"
    top: Top = "low"
    ties: Ties = "error"
    missing: Missing = "error"
    n_jobs: SupportsIndex | None = None

    @abstractmethod
    def _hyperparameter(self) -> Hyperparameter:
        """Check and return the hyperparameter."""

    @abstractmethod
    def _kernel(self, items: int) -> Kernel:
        """Return the kernel of wkendall that is computed for `items` items."""

    @abstractmethod
    def _gradient(self, rankings: Rankings, K: Array) -> Array:
        """Return the derivative of the matrix `K` with respect to the logarithm of the hyperparameter."""

    def __call__(
        self, X: ArrayLike | Rankings, Y: ArrayLike | Rankings | None = None, eval_gradient: bool = False
    ) -> Array | tuple[Array, Array]:
        """Return the kernel values between all rankings of `X`, or between the rankings of `X` and `Y`.

        With `eval_gradient=True`, also return the derivative of the kernel values with respect to the logarithm of the
        hyperparameter. This is possible only without `Y`. For m rankings, the derivative has the shape (m, m, 1). If
        the hyperparameter is fixed or not used, the shape is (m, m, 0).
        """
        if eval_gradient and Y is not None:
            raise bad_argument("eval_gradient", "=True is for the matrix of X alone: leave Y out")
        fixed = self._hyperparameter().fixed
        x = self._read(X, "X", Y)
        y = None if Y is None else matched(x, self._read(Y, "Y", X))
        K: Array = gram_of(x, y, self._kernel(x.n_items), self._run())
        if not eval_gradient:
            return K
        return K, np.empty((*K.shape, 0)) if fixed else self._gradient(x, K)[:, :, np.newaxis]

    def diag(self, X: ArrayLike | Rankings) -> Array:
        """Return the kernel value of each ranking with itself."""
        self._hyperparameter()
        rankings = self._read(X)
        return diagonal_of(rankings, self._kernel(rankings.n_items), self._run())

    def _read(self, X: ArrayLike | Rankings, name: str = "X", other: ArrayLike | Rankings | None = None) -> Rankings:
        """Return the rankings of an array, read and checked. A `Rankings` is returned unchanged.

        If the kernel has the default options and `other` is a `Rankings`, the array is read as `other` was read.
        """
        own = Reading(self.input, self.top, self.ties, self.missing)
        options = Reading() if isinstance(X, Rankings) else reading_beside(own, X, other)
        return read_rankings(X, name, options, self._run().threads)

    def _run(self) -> Run:
        return Run(n_jobs=self.n_jobs)

    def __eq__(self, other: object) -> bool:
        # Parameters can be arrays, also of different lengths.
        if not (isinstance(other, _RankingKernel) and type(self) is type(other)):
            return False
        mine, others = self.get_params(), other.get_params()
        return all(np.array_equal(value, others[name]) for name, value in mine.items())

    def _unusual(self, *known: str) -> list[str]:
        """Return the parameters that are not at their defaults, as in the text of a call, without those in `known`."""
        usual = {name: parameter.default for name, parameter in signature(type(self).__init__).parameters.items()}
        own = type(self).__annotations__  # these come first
        return [
            f"{name}={_shown(value)}"
            for name, value in sorted(self.get_params().items(), key=lambda pair: pair[0] not in own)
            if name not in known and not np.array_equal(value, usual[name])
        ]


@dataclass(eq=False, repr=False)
class MallowsKernel(_RankingKernel):
    """Mallows kernel for Gaussian processes: exp(-lam d), where d is the number of discordant pairs of items.

    A pair is discordant if the two rankings put its items in opposite orders. With ties or missing items, d is the mean
    number of discordant pairs over all complete rankings that do not contradict the given rankings; see `Mallows`.

    Parameters
    ----------
    lam : float
        How fast the kernel falls: each discordant pair multiplies the kernel by exp(-lam). The search for the best
        `lam` starts from this value. Two random rankings of n items have `n (n - 1) / 4` discordant pairs on average.
        So start with a `lam` for which `lam n (n - 1) / 4` is not much above 1. With a much larger `lam`, the kernel of
        every two different rankings is nearly 0. The likelihood then hardly depends on `lam`, and the search makes no
        progress.
    lam_bounds : pair of floats or "fixed"
        The range of the search for the best `lam`. With "fixed" there is no search.
    normalize : bool
        Whether to divide the kernel value K(s, t) of two rankings s and t by `sqrt(K(s, s) K(t, t))`. This changes the
        kernel only if there are ties or missing items. With `normalize=True`, each K(s, s) is 1, whatever `lam` is. The
        default is True. For the class `Mallows` the default is False.
    input, top, ties, missing
        How to read arrays, as for `Rankings`. If you pass a `Rankings` to the kernel, these parameters are not used. A
        model of scikit-learn converts a `Rankings` to an array of ranks from 1, before it calls the kernel. So if you
        pass a `Rankings` to a model, leave `input` and `top` at their defaults.
    n_jobs
        As for `gram_matrix`.

    Examples
    --------
    >>> from sklearn.gaussian_process import GaussianProcessRegressor
    >>> from wkendall.gaussian_process import MallowsKernel
    >>> X = [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]]
    >>> model = GaussianProcessRegressor(MallowsKernel(0.5, lam_bounds="fixed")).fit(X, [0.0, 1.0, 1.0, 3.0])
    >>> model.predict([[2, 3, 1]]).round(2)
    array([1.72])
    """

    lam: float = 0.1
    lam_bounds: Bounds = (1e-5, 1e2)

    @property
    def hyperparameter_lam(self) -> Hyperparameter:
        """The hyperparameter `lam`."""
        return _hyperparameter("lam", self.lam, self.lam_bounds)

    def _hyperparameter(self) -> Hyperparameter:
        return self.hyperparameter_lam

    def is_stationary(self) -> bool:
        """Return whether the kernel depends only on how two rankings differ.

        The result is True if the kernel is normalized, or if there can be no ties and no missing items.
        """
        return bool(self.normalize) or self.ties == self.missing == "error"

    def __repr__(self) -> str:
        return f"MallowsKernel({', '.join([f'lam={_shown(self.lam)}', *self._unusual('lam')])})"

    def _kernel(self, items: int) -> Mallows:  # noqa: ARG002
        return Mallows(self.lam, normalize=self.normalize)

    def _gradient(self, rankings: Rankings, K: Array) -> Array:
        distances: Array = gram_of(rankings, None, KendallDistance(), self._run())
        if self.normalize and rankings.kind != "complete":
            own = diagonal_of(rankings, KendallDistance(), self._run()) / 2
            distances -= own[:, np.newaxis]
            distances -= own
        return -self.lam * distances * K


@dataclass(eq=False, repr=False)
class WeightedKendallKernel(_RankingKernel):
    """Weighted Kendall kernel for Gaussian processes, with position weights whose steepness can be learned.

    Parameters
    ----------
    weight : {"standard", "top", "add", "mult", "average", "later"}
        As for `Kendall`.
    u : {"power", "exponential", "hyperbolic", "log", "ap"} or array-like of shape (n,)
        The weights of the positions, for `weight="add"`, `"mult"` and `"later"`. The other values of `weight` do not
        use `u`. With "power", the weight of rank r = 1..n is r^-a. With "exponential", it is exp(-a (r - 1)). Here a is
        the parameter `a` below. "power" and "exponential" are not allowed for "later". The other values of `u` are
        fixed weights, as for `Kendall`.
    a : float
        The steepness of the weights, for `u="power"` and `u="exponential"`. If `a` is large, the weights fall fast from
        the first position to the last. If `a` is near 0, all positions have nearly the same weight.
    a_bounds : pair of floats or "fixed"
        The range of the search for the best `a`. With "fixed" there is no search.
    k, order, signed
        As for `Kendall`. If the weight does not use `k`, the value of `k` is ignored, so that a grid search can vary
        only the weight.
    normalize : bool
        Whether to divide the kernel value K(s, t) of two rankings s and t by `sqrt(K(s, s) K(t, t))`. Each K(s, s) is
        then 1, whatever `a` is. The default is True. For the class `Kendall` the default is False. To learn the
        variance of the Gaussian process, multiply the kernel by a `ConstantKernel`.
    input, top, ties, missing, n_jobs
        As for `MallowsKernel`.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import WhiteKernel
    >>> from wkendall.gaussian_process import WeightedKendallKernel
    >>> X = [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]]
    >>> kernel = WeightedKendallKernel("mult", u="exponential", a=0.5) + WhiteKernel(0.01, "fixed")
    >>> kernel(X).round(2)
    array([[1.01, 0.3 , 0.81, 0.  ],
           [0.3 , 1.01, 0.24, 0.24],
           [0.81, 0.24, 1.01, 0.24],
           [0.  , 0.24, 0.24, 1.01]])
    """

    weight: str = "mult"
    _: KW_ONLY
    u: str | ArrayLike = "power"
    a: float = 1.0
    a_bounds: Bounds = (1e-3, 1e1)
    k: SupportsIndex | None = None
    order: SupportsIndex = 2
    signed: bool = False

    @property
    def hyperparameter_a(self) -> Hyperparameter:
        """The hyperparameter `a`. If the position weights do not depend on `a`, then `a` counts as fixed."""
        check_choice(self.weight, "weight", tuple(WEIGHTS))
        if isinstance(self.u, str):
            check_choice(self.u, "u", FAMILIES + POSITION_WEIGHTS)
        return _hyperparameter("a", self.a, self.a_bounds if self._has_parameter() else "fixed")

    def _hyperparameter(self) -> Hyperparameter:
        return self.hyperparameter_a

    def is_stationary(self) -> bool:
        """Return whether the kernel depends only on how two rankings differ: True without ties and missing items."""
        return self.ties == self.missing == "error"

    def __repr__(self) -> str:
        said = [repr(self.weight)]
        if self.weight in ("add", "mult"):
            said.append(f"u={_shown(self.u)}")
        if self._has_parameter():
            said.append(f"a={_shown(self.a)}")
        known = ("weight", "u", "a") if self._has_parameter() else ("weight", "u") if len(said) > 1 else ("weight",)
        return f"WeightedKendallKernel({', '.join([*said, *self._unusual(*known)])})"

    def _has_parameter(self) -> bool:
        return self.weight in ("add", "mult") and isinstance(self.u, str) and self.u in FAMILIES

    def _kernel(self, items: int) -> Kendall:
        u = np.exp(self.a * self._slopes(items)) if self._has_parameter() else self.u
        return self._with_weights(u, normalize=self.normalize)

    def _with_weights(self, u: str | ArrayLike, *, normalize: bool = False) -> Kendall:
        return Kendall(self.weight, k=self.k, u=u, order=self.order, signed=self.signed, normalize=normalize)._used()

    def _slopes(self, items: int) -> Array:
        """Return the derivative of the logarithm of each position weight with respect to `a`."""
        ranks = np.arange(items, dtype=np.float64)
        return -np.log1p(ranks) if self.u == "power" else -ranks

    def _gradient(self, rankings: Rankings, K: Array) -> Array:
        """Return the derivative of the matrix `K` with respect to the logarithm of `a`.

        Without normalization, each kernel value is a polynomial in the position weights u. Its degree is 2 for "add",
        and twice the order for "mult". Let u' be the derivative of u with respect to the logarithm of `a`. For the
        weights u + t u', the kernel value is a polynomial in a number t. The method needs the derivative of this
        polynomial at t = 0. Finite differences compute this derivative exactly from the kernel values for some other t.
        So no vectors with O(n^2) numbers are needed, for any order.
        """
        changes = self.a * self._slopes(rankings.n_items)
        # Scale u' to the size of u, to avoid cancellation and overflow.
        reach = np.abs(changes).max(initial=0.0)
        slope, moved = np.zeros_like(K), np.empty_like(K)
        if reach == 0:
            return slope
        u = np.exp(changes)
        pairs = 1 if self.weight == "add" else as_order(self.order, "order")
        for node, coefficient in zip(*_differences(pairs), strict=True):
            for sign in (1.0, -1.0):
                moving = self._with_weights(u * (1 + sign * node / reach * changes))
                gram_of(rankings, None, moving, self._run()._replace(out=moved))
                slope += sign * coefficient * reach * moved
        if not self.normalize:
            return slope
        own = diagonal_of(rankings, self._with_weights(u), self._run())
        # Where the self-similarity is zero, the normalized kernel is zero for every `a`.
        root = np.divide(1.0, np.sqrt(own), out=np.zeros_like(own), where=own > 0)
        rates = slope.diagonal() * root * root / 2
        normalized: Array = slope * root[:, np.newaxis] * root - K * (rates[:, np.newaxis] + rates)
        return normalized


def _differences(pairs: int) -> tuple[Array, Array]:
    """Return nodes t and coefficients c such that p'(0) is the sum of `c (p(t) - p(-t))` for polynomials p.

    The formula is exact for polynomials of degree up to `2 * pairs`. The nodes are the positive zeros of the Chebyshev
    polynomial of degree `2 * pairs`, because the coefficients are then small. The coefficients are the derivatives at 0
    of Lagrange's polynomials. In `p(t) - p(-t)`, all even powers of t cancel, also the power `2 * pairs`.
    """
    numbers = np.arange(1, pairs + 1)
    angles = (2 * numbers - 1) * np.pi / (4 * pairs)
    return np.cos(angles), (-1.0) ** (pairs + numbers) * np.sin(angles) / (2 * pairs * np.cos(angles) ** 2)


def _shown(value: object) -> str:
    if isinstance(value, Real) and not isinstance(value, int):
        return f"{value:.3g}"
    return repr(value) if isinstance(value, str) else shown(value)


def _hyperparameter(name: str, value: object, bounds: object) -> Hyperparameter:
    """Check a hyperparameter and its bounds."""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be a real number, not {shown(value)}")
    fixed = isinstance(bounds, str) and bounds == "fixed"
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not (0 < number < float("inf") or (fixed and number == 0)):
        zero = " or zero" if fixed else f', or zero with {name}_bounds="fixed"'
        raise bad_argument(name, f" is {shown(value)}, but must be a finite number above zero{zero}", value=value)
    if fixed:
        return Hyperparameter(name, "numeric", "fixed")
    meaning = 'a pair of numbers, lower and upper, or "fixed"'
    pair = real_array(bounds, f"{name}_bounds", (1, 2), meaning).ravel()
    if len(pair) != 2 or not 0 < pair[0] <= pair[1] < float("inf"):
        raise bad_argument(
            f"{name}_bounds", f" is {shown(bounds)}, but must be {meaning}, finite, above zero and in this order"
        )
    return Hyperparameter(name, "numeric", (float(pair[0]), float(pair[1])))
