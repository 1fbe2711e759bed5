"""From the parameters of a kernel to what the Rust crate computes."""

from __future__ import annotations

from typing import NamedTuple, SupportsIndex

from numpy.typing import ArrayLike

from wkendall import _core
from wkendall._arguments import as_order, check_flag
from wkendall._errors import Argument, Option, RankingError, Sentence, bad_argument
from wkendall.kernels.named_weights import DefaultWeight, check_unused, named_weight
from wkendall.kernels.tensors import Weights, quadruple_weights, tensor_weights


class Kernel(NamedTuple):
    """The parameters of a kernel, as given."""

    weight: str
    k: SupportsIndex | None
    u: str | ArrayLike | None
    U: ArrayLike | tuple[object, ...] | None
    W: ArrayLike | None
    order: SupportsIndex
    check: bool
    signed: bool
    normalize: bool

    def measure(self, items: int, pairs: int = 1) -> _core.Measure:
        """Check the parameters for so many items; `pairs` is how many pairs of rankings are to be compared."""
        for name in ("check", "signed", "normalize"):
            check_flag(getattr(self, name), name)
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
            needs = Sentence(Option("signed", True), f" needs concordant pairs with a weight by name, not {given}")
            raise RankingError(needs, argument="signed")
        if self.W is None:
            return tensor_weights(self.U, items, order, pairs)
        if order != 2:
            raise bad_argument("W", f" is for pairs, of order 2, but order is {order}: higher orders take U")
        return quadruple_weights(self.W, items, bool(self.check))
