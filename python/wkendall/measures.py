"""Measures: functions of two rankings, such as kernels, correlations and distances.

A measure is a kernel (a positive definite similarity), another similarity, or a distance. A measure stores only its
parameters. The Rust crate checks the parameters when the measure is used. Kernels can be added, multiplied and raised
to powers.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from hashlib import blake2b
from inspect import Parameter, signature
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from wkendall import _core
from wkendall._arguments import as_order, check_flag
from wkendall._errors import RankingError, bad_argument, shown
from wkendall._matrix import called
from wkendall.tensors import quadruple_weights, tensor_weights

if TYPE_CHECKING:
    from wkendall.rankings import Rankings

#: What a measure can compare: rankings with ties or missing items at the bottom, lists out of a catalogue, and rankings
#: with items whose position is unknown.
Takes = Literal["ties", "lists", "unknown"]
_TAKES_TIES: frozenset[Takes] = frozenset({"ties", "lists"})
_TAKES_ALL: frozenset[Takes] = _TAKES_TIES | {"unknown"}
#: The named weights, and the parameter that each needs. The Rust crate has the table.
WEIGHTS: dict[str, str | None] = {name: parameter for name, parameter, *_ in _core.weights()}
#: The names of position weights.
POSITION_WEIGHTS = tuple(_core.position_weights(0))


class Measure:
    """A function of two rankings. This is the base class of all measures.

    Each parameter is an attribute with the same name. `get_params` and `set_params` work as in scikit-learn. For
    example, a grid search over an estimator with the parameter `kernel` can vary `kernel__weight`. Two measures are
    equal if they have the same class and the same parameters.
    """

    #: Whether small values mean that rankings are similar.
    is_distance: ClassVar[bool] = False
    #: Whether 1 minus the value is a published distance.
    _has_complement: bool = False
    #: The name of the measure in the Rust crate, which has the rules about its parameters.
    _name: ClassVar[str]

    @property
    def is_kernel(self) -> bool:
        """Whether the measure is a kernel: every matrix `measure(X)` is symmetric and positive semi-definite."""
        return False

    #: What `takes` says, if that does not depend on parameters.
    _takes: ClassVar[frozenset[Takes]] = _TAKES_TIES

    @property
    def takes(self) -> frozenset[Takes]:
        """The kinds of rankings that the measure accepts, in addition to complete rankings."""
        return self._takes

    def __call__(self, X: ArrayLike | Rankings, Y: ArrayLike | Rankings | None = None) -> Any:
        """Return a matrix with the value of each pair of rankings of `X`, or of each ranking of `X` with each of `Y`.

        If `X` and `Y` are two single rankings, return a number.

        scikit-learn calls a kernel in the same way, so a measure can be the kernel of an estimator, as in
        `SVC(kernel=Kendall("top", k=5))`. Parameters that a kernel does not need are ignored, for example `k` in
        `Kendall("mult", u="log", k=5)`. A grid search can therefore vary the weight and keep the other parameters.
        """
        return called(self._used(), X, Y)

    @classmethod
    def _names(cls) -> list[str]:
        kinds = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        found = signature(cls.__init__).parameters.values()
        return [parameter.name for parameter in found if parameter.name != "self" and parameter.kind not in kinds]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        With `deep`, also return the parameters of the parts of a sum or product, such as `left__weight`.
        """
        found = {name: getattr(self, name) for name in self._names()}
        if deep:
            for name, value in list(found.items()):
                if isinstance(value, Measure):
                    found |= {f"{name}__{inner}": part for inner, part in value.get_params().items()}
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters, also the parameters of the parts of a sum or product, as in `left__weight`."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                names = ", ".join(known) or "no parameters"
                rule = f"{type(self).__name__} has no parameter {shown(name)}: it has {names}"
                raise RankingError(rule, argument=name)
            part, _, inner = name.partition("__")
            if inner:
                getattr(self, part).set_params(**{inner: value})
            else:
                setattr(self, name, value)
        return self

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        one, two = self.get_params(deep=False), other.get_params(deep=False)
        return all(_same(value, two[name]) for name, value in one.items())

    def __hash__(self) -> int:
        # KernelRidge, KernelPCA and Nystroem of scikit-learn look kernels up in a dictionary. Parameters can change.
        return hash(type(self))

    def __repr__(self) -> str:
        parts: list[str] = []
        for name, parameter in signature(type(self)).parameters.items():
            value = getattr(self, name)
            if _same(value, parameter.default):
                continue
            keyword = parameter.kind is Parameter.KEYWORD_ONLY or len(parts) != list(self._names()).index(name)
            text = shown(np.asarray(value)) if isinstance(value, np.ndarray) else shown(value)
            parts.append(f"{name}={text}" if keyword else text)
        return f"{type(self).__name__}({', '.join(parts)})"

    def _measure(self, items: int, pairs: int = 1) -> _core.Measure:  # noqa: ARG002
        """Check the parameters for `items` items; `pairs` is the number of pairs of rankings to compare."""
        return _core.Measure(self._name, items, vars(self))

    def _used(self) -> Self:
        """Return the measure without the parameters that do not change its values."""
        return self

    def _options(self) -> dict[str, Any]:
        """Return the parameters as numbers and texts; an array is replaced by its hash."""
        return {name: described(value) for name, value in self.get_params(deep=False).items()}


class Kernel(Measure):
    """A measure that is a kernel, at least for some parameters.

    If `a` and `b` are kernels, `a + b`, `2.5 * a`, `a * b` and `a ** 2` are kernels too.
    """

    @property
    def is_kernel(self) -> bool:
        """Whether the measure is a kernel: every matrix `measure(X)` is symmetric and positive semi-definite."""
        return True

    def __add__(self, other: object) -> Kernel:
        return Sum(self, other) if _are_kernels(self, other) else NotImplemented  # type: ignore[arg-type]

    def __mul__(self, other: object) -> Kernel:
        if _are_kernels(self, other):
            return Product(self, other)  # type: ignore[arg-type]
        return Scaled(self, other) if self.is_kernel and _is_number(other, Real) else NotImplemented  # type: ignore[arg-type]

    __rmul__ = __mul__

    def __pow__(self, exponent: object) -> Kernel:
        known = self.is_kernel and _is_number(exponent, Integral)
        return Power(self, exponent) if known else NotImplemented  # type: ignore[arg-type]


def _are_kernels(*measures: object) -> bool:
    return all(isinstance(measure, Kernel) and measure.is_kernel for measure in measures)


def _is_number(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


@dataclass(eq=False, repr=False)
class Kendall(Kernel):
    """The weighted Kendall kernel: the sum of the weights of all concordant pairs (or larger tuples) of items.

    A pair of items is concordant if both rankings put the two items in the same order. The weight of a pair depends on
    four ranks: the ranks of both items in both rankings. Without `item_weight`, the kernel does not change if the items
    are relabelled in the same way in all rankings.

    Parameters
    ----------
    weight : {"standard", "top", "add", "mult", "average", "later"}
        The weight that a concordant pair adds to the kernel. The two items have the ranks `a < b` in one ranking and
        `c < d` in the other ranking. There are n items, and `u[a]` means the weight of rank a.

        - "standard": 1. The kernel is then the number of concordant pairs. This kernel is called the Kendall kernel.
        - "top": 1 if all four ranks are at most `k`, otherwise 0.
        - "add": `(u[a] + u[b]) (u[c] + u[d])`.
        - "mult": `u[a] u[b] u[c] u[d]`.
        - "average": `(n + 1 - max(b, d)) / n`, the mean of the weight "top" over k = 1..n.
        - "later": `u[b] u[d]`: the weight of the later item in one ranking, times its weight in the other ranking. With
          `u="ap"` the kernel is a positive definite variant of AP correlation (`APCorrelation`).
    k : int, optional
        For "top": the number of ranks that count, from 1 to n.
    u : {"hyperbolic", "log", "ap"} or array-like of n numbers, optional
        For "add", "mult" and "later": the weights of the positions, the most preferred position first. The weight of
        rank r is `1 / (r + 1)` for "hyperbolic", and `1 / log2(r + 1)` for "log". For "ap" it is `1 / (r - 1)`, and 0
        for the first rank.
    order : int
        The number of items in a tuple: 2 for pairs. A tuple is concordant if both rankings put all its items in the
        same order. The weight "later" needs order 2.
    signed : bool
        Subtract from the kernel the sum of the weights of the discordant pairs: pairs that the two rankings put in
        opposite orders. Only for order 2.
    normalize : bool
        Divide the kernel K(s, t) of two rankings s and t by `sqrt(K(s, s) K(t, t))`. K(s, s) is called the
        self-similarity of ranking s. If a self-similarity is 0, the result is 0. For the standard weight,
        `signed=True, normalize=True` gives Kendall's tau. A self-similarity is a sum of one weight for each pair. If a
        self-similarity is at most 1e-12 times the sum of the absolute values of these weights, it counts as a rounding
        error and is set to 0, also without `normalize`.
    item_weight : array-like of n numbers, optional
        One number, at least 0, for each item. The weight of a pair of items i and j is multiplied by
        `item_weight[i] * item_weight[j]`. Only for order 2.

    Notes
    -----
    If each ranking lists only a few of the items, use `signed=True, normalize=True`. Without `signed=True`, the
    normalized standard kernel of any two such rankings is near 1, because most items are in neither of them. For
    example, take two top-10 lists that have no item in common, out of 1,000 items. Their normalized standard kernel is
    0.98 without `signed=True`, and -0.01 with `signed=True`.

    Examples
    --------
    >>> import wkendall
    >>> kernel = wkendall.Kendall("mult", u="log", normalize=True)
    >>> kernel
    Kendall('mult', u='log', normalize=True)
    >>> kernel([[1, 2, 3, 4], [2, 1, 3, 4]]).round(3)
    array([[1.   , 0.566],
           [0.566, 1.   ]])
    >>> wkendall.kernel([1, 2, 3, 4], [2, 1, 3, 4], 2 * wkendall.Kendall() + wkendall.Kendall("top", k=3))
    12.0
    """

    _name = "kendall"
    weight: str = "standard"
    _: KW_ONLY
    k: SupportsIndex | None = None
    u: str | ArrayLike | None = None
    order: SupportsIndex = 2
    signed: bool = False
    normalize: bool = False
    item_weight: ArrayLike | None = None

    @property
    def takes(self) -> frozenset[Takes]:
        """The kinds of rankings that the measure accepts, in addition to complete rankings."""
        if self.order not in (1, 2):
            return frozenset()
        unknown = self.weight == "standard" and self.order == 2 and self.item_weight is None
        return _TAKES_ALL if unknown else _TAKES_TIES

    def _used(self) -> Self:
        used = WEIGHTS.get(self.weight) if isinstance(self.weight, str) else None
        if (self.k is None or used == "k") and (self.u is None or used == "u"):
            return self
        parameters = self.get_params()
        return type(self)(**{name: value for name, value in parameters.items() if name not in "ku" or name == used})


@dataclass(eq=False, repr=False)
class TensorKernel(Kernel):
    """The kernel with any weights of positions, given as an array `U` or `W`.

    Parameters
    ----------
    U : array-like of shape (n, .., n) or (r, n, .., n), or tuple, optional
        Weights of tuples of positions; for pairs (`order=2`), `U[a, b]` is the weight of the positions a and b. The
        kernel is then the sum of `U[s(i), s(j)] U[t(i), t(j)]` over all items i and j, including i = j. Here s(i) and
        t(i) are the positions of item i in the two rankings. Discordant pairs are part of this sum. They add 0 if
        `U[a, b]` is 0 for all a > b. For another `order`, the sum is over all tuples of `order` items.

        An array with one more axis in front is called a stack of arrays U. The kernel of a stack is the sum of the
        kernels of its arrays. If U is a sum of r outer products of vectors, you can pass these vectors as a tuple. The
        tuple contains `order` arrays of shape (r, n), one for each axis of U. Or the tuple contains r tuples, one for
        each outer product. Each of the r tuples contains `order` vectors.
    W : array-like of shape (n, n, n, n), optional
        A concordant pair with ranks a < b in one ranking and c < d in the other adds `W[a, b, c, d]`. Read W as a
        matrix with a row for each pair (a, b) and a column for each pair (c, d): this matrix must be symmetric and
        positive semi-definite.
    order : int
        The number of axes of U, without the axis of a stack. This is the number of items in each tuple.
    normalize : bool
        As for `Kendall`.
    check : bool
        Whether to check that W defines a kernel. The check takes time O(n^6).

    Examples
    --------
    >>> import numpy as np, wkendall
    >>> wkendall.TensorKernel(np.triu(np.ones((3, 3)), 1))([[1, 2, 3], [2, 1, 3]])
    array([[3., 2.],
           [2., 3.]])
    """

    _name = "tensor"
    U: ArrayLike | tuple[object, ...] | None = None
    _: KW_ONLY
    W: ArrayLike | None = None
    order: SupportsIndex = 2
    normalize: bool = False
    check: bool = True

    @property
    def takes(self) -> frozenset[Takes]:
        """The kinds of rankings that the measure accepts, in addition to complete rankings."""
        return _TAKES_TIES if self.W is None and self.order in (1, 2) else frozenset()

    def _measure(self, items: int, pairs: int = 1) -> _core.Measure:
        check_flag(self.check, "check")
        order = as_order(self.order, "order")
        if (self.U is None) == (self.W is None):
            both = "both U and W are given" if self.U is not None else "neither U nor W is given"
            raise RankingError(f"{both}: pass one of them", argument="U")
        if self.W is None:
            weights = tensor_weights(self.U, items, order, pairs)
        elif order != 2:
            raise bad_argument("W", f" is for pairs, of order 2, but order is {order}: use U for higher orders")
        else:
            weights = quadruple_weights(self.W, items, bool(self.check))
        parameters = {weights.kind: weights.values, "order": order, "normalize": self.normalize}
        return _core.Measure(self._name, items, parameters)


@dataclass(eq=False, repr=False)
class Mallows(Kernel):
    """The Mallows kernel: `exp(-lam * distance)`, where the distance is the number of discordant pairs of items.

    A pair is discordant if the two rankings put its items in opposite orders. With ties or missing items, take all
    complete rankings s' that agree with the first ranking, and all complete rankings t' that agree with the second
    ranking (see `ties` of `Rankings`). The distance is the mean distance of s' and t' over all these rankings, and the
    kernel is computed from this mean. The kernel is still positive definite: it is a constant times
    `exp(lam / 2 <s, t>)`. Here s and t are vectors, one for each of the two rankings. A vector has one entry for each
    pair of items: the mean sign of the pair in all complete rankings that agree with the ranking. The sign is 1 if the
    first item comes first, and -1 if the second item comes first. A ranking with ties has a positive distance from
    itself, so its kernel with itself is below 1.

    Parameters
    ----------
    lam : float or "auto"
        How fast the kernel falls with the number of discordant pairs; at least 0. This number is called the rate.
        "auto" is `8 / (n * (n - 1))` for n items: 2 divided by the mean distance of two random rankings. This rate
        depends only on n, so it is the same for training and test rankings. For many items the default rate of 1 is far
        too large: the kernel of two different rankings is then near 0.
    normalize : bool
        Divide the kernel K(s, t) by `sqrt(K(s, s) K(t, t))`. The result is `exp(-lam / 4 |s - t|^2)`, where s and t are
        the vectors of mean signs described above. This value is 1 for equal rankings. For complete rankings `normalize`
        does not change the values.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.Mallows(0.5)([[1, 2, 3], [2, 1, 3], [3, 2, 1]]).round(3)
    array([[1.   , 0.607, 0.223],
           [0.607, 1.   , 0.368],
           [0.223, 0.368, 1.   ]])
    >>> wkendall.Mallows("auto")([[1, 2, 3], [2, 1, 3], [3, 2, 1]]).round(3)
    array([[1.   , 0.264, 0.018],
           [0.264, 1.   , 0.069],
           [0.018, 0.069, 1.   ]])
    """

    _name = "mallows"
    _takes = _TAKES_ALL
    lam: float | Literal["auto"] = 1.0
    _: KW_ONLY
    normalize: bool = False


class KendallDistance(Measure):
    """The Kendall tau distance: the number of discordant pairs of items.

    A pair is discordant if the two rankings put its items in opposite orders. With ties or missing items, take all
    complete rankings s' that agree with the first ranking, and all complete rankings t' that agree with the second
    ranking (see `ties` of `Rankings`). The distance is the mean distance of s' and t' over all these rankings. A pair
    that is tied in at least one of the two rankings adds 1/2. A ranking with ties therefore has a positive distance
    from itself, so with ties the distance is not a metric.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.KendallDistance()([[1, 2, 3], [2, 1, 3], [3, 2, 1]])
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """

    is_distance = True
    _name = "distance"
    _takes = _TAKES_ALL


@dataclass(eq=False, repr=False)
class KendallCorrelation(Kernel):
    """Kendall's tau with weights of positions: (C - D) / (C + D).

    C is the sum of the weights of the concordant pairs: pairs of items that both rankings put in the same order. D is
    the sum of the weights of the discordant pairs: pairs that the two rankings put in opposite orders. With the
    standard weight the correlation is Kendall's tau-a, and it is a kernel. With other weights the correlation is not a
    kernel, because a matrix of correlations can have negative eigenvalues. For a kernel with values from -1 to 1, use
    `Kendall(..., signed=True, normalize=True)`.

    With ties or missing items, take all complete rankings s' that agree with the first ranking, and all complete
    rankings t' that agree with the second ranking (see `ties` of `Rankings`). C and D are then the means of the two
    sums for s' and t' over all these rankings. A pair of tied items adds the same amount to C and to D. The standard
    weight therefore gives tau-a, whose denominator is the number of all pairs. The correlation of a ranking with itself
    is below 1 if the ranking has ties. For tau-b use `Kendall(signed=True, normalize=True)`.

    Parameters
    ----------
    weight, k, u
        As for `Kendall`.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.KendallCorrelation("add", u="log")([[1, 2, 3, 4]], [[4, 3, 2, 1]])
    array([[-1.]])
    """

    _name = "correlation"
    weight: str = "standard"
    _: KW_ONLY
    k: SupportsIndex | None = None
    u: str | ArrayLike | None = None

    @property
    def takes(self) -> frozenset[Takes]:
        """The kinds of rankings that the measure accepts, in addition to complete rankings."""
        return _TAKES_ALL if self.weight == "standard" else _TAKES_TIES

    @property
    def is_kernel(self) -> bool:
        """Whether the measure is a kernel: every matrix `measure(X)` is symmetric and positive semi-definite."""
        return self.weight == "standard"

    _used = Kendall._used


class Combination(Kernel):
    """A kernel whose value for two rankings is computed from the values of other kernels for these two rankings."""

    def _parts(self) -> list[Kernel]:
        return [value for value in self.get_params(deep=False).values() if isinstance(value, Kernel)]

    @property
    def takes(self) -> frozenset[Takes]:
        """The kinds of rankings that the measure accepts, in addition to complete rankings."""
        return frozenset.intersection(*(part.takes for part in self._parts()))

    def _used(self) -> Self:
        given = self.get_params(deep=False)
        return type(self)(**{name: v._used() if isinstance(v, Kernel) else v for name, v in given.items()})


@dataclass(eq=False, repr=False)
class _Pair(Combination):
    left: Kernel
    right: Kernel


class Sum(_Pair):
    """The sum of two kernels: `left + right`."""

    def __repr__(self) -> str:
        return f"{self.left!r} + {self.right!r}"

    def _measure(self, items: int, pairs: int = 1) -> _core.Measure:
        return self.left._measure(items, pairs).plus(self.right._measure(items, pairs))


class Product(_Pair):
    """The product of two kernels: `left * right`. Each value is the product of the two values."""

    def __repr__(self) -> str:
        return f"{_factor(self.left)} * {_factor(self.right)}"

    def _measure(self, items: int, pairs: int = 1) -> _core.Measure:
        return self.left._measure(items, pairs).times(self.right._measure(items, pairs))


@dataclass(eq=False, repr=False)
class Scaled(Combination):
    """A multiple of a kernel: `factor * kernel`; the factor is at least 0."""

    kernel: Kernel
    factor: float

    def __repr__(self) -> str:
        return f"{shown(self.factor)} * {_factor(self.kernel)}"

    def _measure(self, items: int, pairs: int = 1) -> _core.Measure:
        factor = np.inf
        with suppress(OverflowError):  # a whole number that is too large is refused as infinity is
            factor = float(self.factor)
        return self.kernel._measure(items, pairs).scaled(factor)


@dataclass(eq=False, repr=False)
class Power(Combination):
    """A power of each value of a kernel: `kernel ** exponent`; the exponent is a whole number of at least 1."""

    kernel: Kernel
    exponent: int

    def __repr__(self) -> str:
        return f"{_factor(self.kernel)} ** {shown(self.exponent)}"

    def _measure(self, items: int, pairs: int = 1) -> _core.Measure:
        return self.kernel._measure(items, pairs).power(as_order(self.exponent, "exponent"))


def _factor(kernel: Kernel) -> str:
    return repr(kernel) if not isinstance(kernel, Combination) else f"({kernel!r})"


def described(value: Any) -> Any:
    """Return a parameter as a number or a text that can be stored on disk; an array is replaced by its hash."""
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, Measure):
        return {"measure": type(value).__name__, **value._options()}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        return [described(part) for part in value]
    # Values that cannot be described are refused later, when the measure is made.
    with suppress(TypeError, ValueError, OverflowError):
        array = np.asarray(value)
        if not array.ndim:
            return array.item()
        array = np.ascontiguousarray(array, dtype="<f8")
        return f"array {array.shape} {blake2b(array.tobytes(), digest_size=16).hexdigest()}"
    return None


def _same(one: Any, two: Any) -> bool:
    if one is two:
        return True
    if isinstance(one, Measure | str) or isinstance(two, str):
        return type(one) is type(two) and bool(one == two)
    if one is None or two is None:
        return False
    if isinstance(one, tuple) or isinstance(two, tuple):
        if not (isinstance(one, tuple) and isinstance(two, tuple)) or len(one) != len(two):
            return False
        return all(map(_same, one, two))
    try:
        return bool(np.array_equal(one, two))
    except (TypeError, ValueError):
        return False
