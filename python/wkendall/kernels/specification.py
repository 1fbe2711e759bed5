"""What is computed for a pair of rankings: a kernel with its parameters, the Mallows kernel, or the distance."""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from numbers import Real
from typing import Any, NamedTuple, Protocol, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from wkendall import _core
from wkendall._arguments import as_order, check_flag
from wkendall._errors import Argument, Option, RankingError, Sentence, bad_argument
from wkendall._text import shown
from wkendall.kernels.named_weights import STANDARD, DefaultWeight, check_unused, named_weight
from wkendall.kernels.tensors import Weights, quadruple_weights, tensor_weights


class Specification(Protocol):
    """What is computed for a pair of rankings."""

    @property
    def function(self) -> str:
        """The name of the public function that computes it."""
        ...

    def measure(self, items: int, pairs: int = 1) -> _core.Measure:
        """Check the parameters for `items` items; `pairs` is the number of pairs of rankings to compare."""
        ...

    def options(self) -> dict[str, Any]:
        """Return the parameters as numbers and texts."""
        ...


class Distance(NamedTuple):
    """The Kendall tau distance."""

    function: str = "distance_matrix"

    def measure(self, items: int, pairs: int = 1) -> _core.Measure:  # noqa: ARG002
        """Return the measure of the Rust crate."""
        return _core.Measure.distance(items)

    def options(self) -> dict[str, Any]:
        """Return an empty dictionary: there are no parameters."""
        return {}


class Mallows(NamedTuple):
    """The Mallows kernel with its rate."""

    lam: float
    #: Whether to divide by the square roots of both self-similarities, which differ from 1 with ties or missing items.
    normalize: bool = False
    function: str = "mallows"

    @classmethod
    def of(cls, lam: object, normalize: bool = False) -> Mallows:
        """Check that the rate is a number; the Rust crate checks its range."""
        check_flag(normalize, "normalize")
        if not isinstance(lam, Real) or isinstance(lam, bool | np.bool_):
            raise TypeError(f"lam must be a real number, not {shown(lam)}")
        try:
            return cls(float(lam), bool(normalize))
        except OverflowError:
            raise ValueError(f"lam is {shown(lam)}, too large: it must be a finite number from 0") from None

    def measure(self, items: int, pairs: int = 1) -> _core.Measure:  # noqa: ARG002
        """Return the measure of the Rust crate."""
        measure = _core.Measure.mallows(items, self.lam)
        return measure.normalized() if self.normalize else measure

    def options(self) -> dict[str, Any]:
        """Return the rate, and whether values are normalized."""
        return {"lam": self.lam, "normalize": self.normalize}


class Kernel(NamedTuple):
    """The parameters of a kernel, as given by the caller; see `gram_matrix`."""

    weight: str = STANDARD
    k: SupportsIndex | None = None
    u: str | ArrayLike | None = None
    U: ArrayLike | tuple[object, ...] | None = None
    W: ArrayLike | None = None
    order: SupportsIndex = 2
    check: bool = True
    signed: bool = False
    normalize: bool = False

    @property
    def function(self) -> str:
        """The name of the public function that computes it."""
        return "gram_matrix"

    def measure(self, items: int, pairs: int = 1) -> _core.Measure:
        """Check the parameters for `items` items; `pairs` is the number of pairs of rankings to compare."""
        check_flag(self.check, "check")
        check_flag(self.signed, "signed")
        check_flag(self.normalize, "normalize")
        order = as_order(self.order, "order")
        if self.signed and order != 2:
            rule = f" is for order 2, not {order}: higher orders have no discordant tuples"
            raise RankingError(Sentence(Option("signed", True), rule), argument="signed")
        # A normalized kernel does not depend on the scale of its weights.
        rescaled = bool(self.normalize)
        if self.U is None and self.W is None:
            named = named_weight(items, self.weight, self.k, self.u)
            measure = _core.Measure.kernel(items, *named, rescaled=rescaled)
            measure = measure if order == 2 else measure.of_order(order)
        else:
            weights = self._general(items, order, pairs)
            measure = _core.Measure.general(items, weights.kind, weights.order, weights.values, rescaled=rescaled)
        if self.signed:
            measure = measure.signed()
        return measure.normalized() if self.normalize else measure

    def _general(self, items: int, order: int, pairs: int) -> Weights:
        if self.U is not None and self.W is not None:
            raise ValueError("both U and W are given: pass one of them")
        given = "U" if self.W is None else "W"
        if not isinstance(self.weight, DefaultWeight):
            both = Sentence("both ", Argument(given), f" and weight={self.weight!r} are given: pass one of them")
            raise RankingError(both, argument=given)
        check_unused(self.k, "k", Argument(given))
        check_unused(self.u, "u", Argument(given))
        if self.signed:
            needs = Sentence(Option("signed", True), f" needs a named weight, not {given}")
            raise RankingError(needs, argument="signed")
        if self.W is None:
            return tensor_weights(self.U, items, order, pairs)
        if order != 2:
            raise bad_argument("W", f" is for pairs, of order 2, but order is {order}: use U for higher orders")
        return quadruple_weights(self.W, items, bool(self.check))

    def options(self) -> dict[str, Any]:
        """Return the parameters as numbers and texts; arrays are hashed."""
        names = ("weight", "k", "u", "U", "W", "order", "signed", "normalize")
        options = {name: _described(getattr(self, name)) for name in names}
        # The check also makes W exactly symmetric.
        return options if self.W is None else options | {"check": bool(self.check)}


def _described(value: Any) -> Any:
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        return [_described(part) for part in value]
    # Values that cannot be described are refused later, when the measure is made.
    with suppress(TypeError, ValueError, OverflowError):
        array = np.asarray(value)
        if not array.ndim:
            return array.item()
        array = np.ascontiguousarray(array, dtype="<f8")
        return f"array {array.shape} {blake2b(array.tobytes(), digest_size=16).hexdigest()}"
    return None
