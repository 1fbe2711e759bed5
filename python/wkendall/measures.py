"""Measures: functions of two rankings, described once by their parameters. The other noun of the package is `Rankings`.

A measure is a kernel (similarity, positive definite), another similarity, or a distance. It holds parameters and nothing
else; the Rust crate checks them when the measure is used. Kernels can be added, multiplied and raised to powers.
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

    Parameters are attributes with the same names. `get_params` and `set_params` work as in scikit-learn, so that a grid
    search can vary `kernel__weight`. Two measures are equal if their parameters are equal.
    """

    #: Whether small values mean that rankings are similar.
    is_distance: ClassVar[bool] = False
    #: Whether 1 minus the value is a published distance.
    _has_complement: bool = False
    #: The name of the measure in the Rust crate, which has the rules about its parameters.
    _name: ClassVar[str]

    @property
    def is_kernel(self) -> bool:
        """Whether every matrix of this measure is symmetric and positive semi-definite."""
        return False

    #: What `takes` says, if that does not depend on parameters.
    _takes: ClassVar[frozenset[Takes]] = _TAKES_TIES

    @property
    def takes(self) -> frozenset[Takes]:
        """The kinds of rankings that the measure compares, besides complete rankings."""
        return self._takes

    def __call__(self, X: ArrayLike | Rankings, Y: ArrayLike | Rankings | None = None) -> Any:
        """Return the matrix of all pairs of rankings of `X`, or of `X` and `Y`; a number for two single rankings.

        Estimators of scikit-learn that take a function as a kernel call it this way: `SVC(kernel=Kendall("top", k=5))`.
        Parameters that the weight does not use are ignored, so that a grid search can vary the weight alone.
        """
        return called(self._used(), X, Y)

    @classmethod
    def _names(cls) -> list[str]:
        kinds = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        found = signature(cls.__init__).parameters.values()
        return [parameter.name for parameter in found if parameter.name != "self" and parameter.kind not in kinds]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep`, also the parameters of its parts, such as `left__weight`."""
        found = {name: getattr(self, name) for name in self._names()}
        if deep:
            for name, value in list(found.items()):
                if isinstance(value, Measure):
                    found |= {f"{name}__{inner}": part for inner, part in value.get_params().items()}
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters, also the parameters of parts, as in `left__weight`."""
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
        """Return the measure without parameters that it does not use."""
        return self

    def _options(self) -> dict[str, Any]:
        """Return the parameters as numbers and texts; arrays are hashed."""
        return {name: described(value) for name, value in self.get_params(deep=False).items()}


class Kernel(Measure):
    """A measure that is a kernel, at least with some parameters. `a + b`, `2.5 * a`, `a * b` and `a ** 2` are kernels too."""

    @property
    def is_kernel(self) -> bool:
        """Whether every matrix of this measure is symmetric and positive semi-definite."""
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
    """The weighted Kendall kernel: the sum of a weight over all concordant pairs of items, or tuples of any order.

    A pair is concordant if both rankings put its items in the same order. The weight depends on the four ranks of the
    pair. Relabelling the items does not change the kernel, unless items have weights.

    Parameters
    ----------
    weight : {"standard", "top", "add", "mult", "average", "later"}
        What a concordant pair with ranks a < b in one ranking and c < d in the other adds:

        - "standard": 1, the Kendall kernel.
        - "top": 1 if all four ranks are at most `k`, otherwise 0.
        - "add": `(u[a] + u[b]) (u[c] + u[d])`.
        - "mult": `u[a] u[b] u[c] u[d]`.
        - "average": `(n + 1 - max(b, d)) / n`, the mean of the top-k kernels over k = 1..n.
        - "later": `u[b] u[d]`, the weight of the later item in both rankings, multiplied. With `u="ap"` it is a
          positive definite variant of AP correlation.
    k : int, optional
        For "top": the number of ranks that count, from 1 to n.
    u : {"hyperbolic", "log", "ap"} or array-like of n numbers, optional
        For "add", "mult" and "later": position weights, from the most preferred position down. "hyperbolic" is
        `1 / (r + 1)` for rank r, "log" is `1 / log2(r + 1)`, "ap" is `1 / (r - 1)`, and 0 for the first rank.
    order : int
        The number of items in a tuple. Tuples are concordant if both rankings put all of their items in the same order.
        "later" has order 2 only.
    signed : bool
        Subtract the weights of discordant pairs. Only for order 2.
    normalize : bool
        Divide by `sqrt(K(s, s) K(t, t))`. K(s, s) is the self-similarity of s; the result is 0 where a self-similarity
        is 0. With or without `normalize`, a self-similarity counts as 0 if it is at most 1e-12 times the sum of the
        absolute values of its terms. `signed=True, normalize=True` with the standard weight is Kendall's tau.
    item_weight : array-like of n numbers, optional
        One number, at least 0, for each item. What a pair of items i and j adds is multiplied by
        `item_weight[i] * item_weight[j]`. Relabelling the items then changes the kernel. Only for order 2.

    Notes
    -----
    Use `signed=True, normalize=True` for lists. Otherwise the pairs of items that are in neither list make almost all
    lists very similar: for two disjoint top-10 lists out of 1,000 items the normalized value is 0.98, but -0.01 with
    `signed=True`.

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
        """The kinds of rankings that the measure compares, besides complete rankings."""
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
    """The kernel of general weights: `U` for tuples of positions, or `W` for pairs of pairs of positions.

    Parameters
    ----------
    U : array-like of shape (n, .., n) or (r, n, .., n), or tuple, optional
        Weights of tuples of positions, with `order` axes: every tuple of items, concordant or not, adds the product of
        its weights in both rankings. An array with one more axis in front is a stack: the kernel is the sum of the
        kernels of its members. A tuple contains factors of U: either `order` arrays of shape (r, n), one for each axis,
        or tuples of `order` vectors, one tuple for each term.
    W : array-like of shape (n, n, n, n), optional
        A concordant pair with ranks a < b in one ranking and c < d in the other adds `W[a, b, c, d]`. As a matrix of
        pairs of positions, W must be symmetric and positive semi-definite.
    order : int
        The number of axes of U.
    normalize : bool
        As for `Kendall`.
    check : bool
        Whether to check that W defines a kernel; the check takes O(n^6).

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
        """The kinds of rankings that the measure compares, besides complete rankings."""
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
    """The Mallows kernel: `exp(-lam * distance)`, with the number of discordant pairs as the distance.

    With ties or missing items, the distance is a mean over the complete rankings that agree with the two rankings. The
    result is then not the mean of the Mallows kernels of these complete rankings. The result is still positive
    definite: it equals `exp(lam / 2 <s, t>)` times a constant, where s and t are the vectors of the mean signs of pairs
    of items. The distance of a ranking with ties from itself is not zero, so its self-similarity is below 1.

    Parameters
    ----------
    lam : float or "auto"
        The rate at which the similarity falls with each discordant pair; not negative. "auto" is 2 divided by the mean
        distance of two random rankings of n items: `8 / (n * (n - 1))`. It depends only on n, so training and test
        rankings have the same kernel. For many items the default of 1 is far too large: the values of different
        rankings are then near 0.
    normalize : bool
        Divide by the square roots of both self-similarities. The result is `exp(-lam / 4 |s - t|^2)`, which is 1 for
        equal rankings. For complete rankings `normalize` does not change the values.

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

    With ties or missing items the distance is the mean over the complete rankings that agree with the two rankings. A
    pair of tied items adds 1/2, also to the distance of a ranking from itself. With ties the distance is therefore not
    a metric.

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
    """Weighted correlation of two rankings: (C - D) / (C + D).

    C is the sum of the weights of the concordant pairs of items, and D is the sum of the weights of the discordant
    pairs. With the standard weight the correlation is a kernel. With other weights it is not: the denominator depends
    on the pair of rankings, and a matrix of correlations can have negative eigenvalues. For a kernel with values from
    -1 to 1 use `Kendall(..., signed=True, normalize=True)`. With the standard weight both measures are Kendall's tau.

    With ties or missing items, C and D are means of these two sums: the means over all complete rankings that agree with
    the two rankings. A pair of tied items adds the same amount to C and to D. The standard weight therefore gives tau-a, with
    all pairs in the denominator. A ranking with ties has a correlation below 1 with itself. For tau-b use
    `Kendall(signed=True, normalize=True)`.

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
        """The kinds of rankings that the measure compares, besides complete rankings."""
        return _TAKES_ALL if self.weight == "standard" else _TAKES_TIES

    @property
    def is_kernel(self) -> bool:
        """Whether every matrix of this measure is symmetric and positive semi-definite."""
        return self.weight == "standard"

    _used = Kendall._used


class Combination(Kernel):
    """A kernel made of kernels, entry by entry."""

    def _parts(self) -> list[Kernel]:
        return [value for value in self.get_params(deep=False).values() if isinstance(value, Kernel)]

    @property
    def takes(self) -> frozenset[Takes]:
        """The kinds of rankings that the measure compares, besides complete rankings."""
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
    """The product of two kernels, entry by entry: `left * right`."""

    def __repr__(self) -> str:
        return f"{_factor(self.left)} * {_factor(self.right)}"

    def _measure(self, items: int, pairs: int = 1) -> _core.Measure:
        return self.left._measure(items, pairs).times(self.right._measure(items, pairs))


@dataclass(eq=False, repr=False)
class Scaled(Combination):
    """A multiple of a kernel: `factor * kernel`; the factor is not negative."""

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
    """A power of a kernel, entry by entry: `kernel ** exponent`; the exponent is a whole number from 1."""

    kernel: Kernel
    exponent: int

    def __repr__(self) -> str:
        return f"{_factor(self.kernel)} ** {shown(self.exponent)}"

    def _measure(self, items: int, pairs: int = 1) -> _core.Measure:
        return self.kernel._measure(items, pairs).power(as_order(self.exponent, "exponent"))


def _factor(kernel: Kernel) -> str:
    return repr(kernel) if not isinstance(kernel, Combination) else f"({kernel!r})"


def described(value: Any) -> Any:
    """Return a parameter as a number or a text, for a record on disk; arrays are hashed."""
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
