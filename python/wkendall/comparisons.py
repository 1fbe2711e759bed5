"""Comparisons of rankings that are published under a name: correlations, distances and overlaps.

Each is a measure, like `Kendall`: call it for a matrix, or pass it to `similarity_matrix` and `neighbors`. Those that are
kernels can also be added and multiplied, and used wherever a kernel is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from wkendall import _core
from wkendall._arguments import real_array
from wkendall._errors import bad_argument, shown
from wkendall.measures import Kernel, Measure


@dataclass(eq=False, repr=False)
class WeightedTau(Kernel):
    """Vigna's weighted tau: Kendall's tau with weights of items, as `scipy.stats.weightedtau(-s, -t, ...)`.

    The sum over all pairs of items of sign times sign times the weight of the pair, divided by the square roots of the
    same sums for each ranking with itself; 0 if one of these is 0.

    Parameters
    ----------
    rank : bool, None or array-like of n numbers
        The rank of each item that its weight depends on. True: the mean of two values, with the ranks of the first and of
        the second ranking. None: the ranks of the first. False: the number of the item. An array: given ranks, of which
        only the order matters.
    weigher : "hyperbolic", array-like of n numbers, or function
        The weight of rank r, which counts from 0: "hyperbolic" is `1 / (r + 1)`; an array has one weight for each rank.
    additive : bool
        Whether the weight of a pair is the sum of the weights of its items; otherwise it is the product.

    Notes
    -----
    With `rank=False` and with given ranks it is a kernel: the weight of a pair does not depend on the rankings, and the value is
    the cosine of their vectors of signs, each times the root of the weight. Otherwise it is not.

    References
    ----------
    Vigna, A weighted correlation index for rankings with ties, WWW 2015.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.WeightedTau()([[1, 2, 3, 4]], [[2, 1, 3, 4], [1, 2, 4, 3]]).round(3)
    array([[0.52 , 0.813]])
    """

    _name = "weighted_tau"
    rank: bool | ArrayLike | None = True
    weigher: Literal["hyperbolic"] | ArrayLike | Callable[[int], float] = "hyperbolic"
    additive: bool = True

    @property
    def is_kernel(self) -> bool:
        """Whether the matrix of any rankings is symmetric and positive semi-definite."""
        return not (self.rank is None or (isinstance(self.rank, bool | np.bool_) and self.rank))

    def _measure(self, items: int, pairs: int = 1) -> _core.Measure:  # noqa: ARG002
        weigher = self.weigher
        if callable(weigher):
            weigher = [weigher(rank) for rank in range(items)]
            for rank, weight in enumerate(weigher):
                if not isinstance(weight, Real) or isinstance(weight, bool):
                    raise TypeError(f"weigher({rank}) is {shown(weight)}, but must be a real number")
        return _core.Measure(self._name, items, {**vars(self), "weigher": weigher})


@dataclass(eq=False, repr=False)
class WeightedConcordance(Measure):
    """A sum of weights of positions over concordant pairs: Shieh's weighted tau before it is scaled.

    Parameters
    ----------
    w : array-like of shape (n, n), or tuple of two arrays of n numbers
        The weight of a pair with ranks a < b is `w[a, b]`, or `first[a] * second[b]` for two arrays.
    side : {"first", "both"}
        The ranks are those of the first ranking, the row of a matrix; with "both", the weight for the ranks of the second
        ranking is added.

    References
    ----------
    Shieh, A weighted Kendall's tau statistic, Statistics & Probability Letters 39, 1998.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.WeightedConcordance(([1, 1, 1], [3, 2, 1]))([[1, 2, 3]], [[2, 1, 3], [1, 2, 3]])
    array([[2., 4.]])
    """

    _name = "weighted_concordance"
    _takes = frozenset()
    w: ArrayLike | tuple[ArrayLike, ArrayLike]
    side: Literal["first", "both"] = "first"

    def _measure(self, items: int, pairs: int = 1) -> _core.Measure:  # noqa: ARG002
        given: dict[str, Any] = {"w": self.w}
        if isinstance(self.w, tuple) and len(self.w) == 2:
            for side, numbers in zip(("earlier", "later"), self.w, strict=True):
                given[side] = real_array(numbers, "w", (1,), "two arrays of n numbers, or a matrix")
                if len(given[side]) != items:
                    raise bad_argument("w", f" has {len(given[side])} numbers, but there are {items} items")
            del given["w"]
        return _core.Measure(self._name, items, {**given, "side": self.side})


@dataclass(eq=False, repr=False)
class APCorrelation(Measure):
    """AP correlation: Kendall's tau with more weight at the top, of a true ranking (row) and an estimate (column).

    For each item that is not first in the estimate, the share of the items above it there that are above it in the truth
    as well. The mean of these shares, from -1 to 1. It is not a kernel.

    Parameters
    ----------
    symmetric : bool
        The mean of both directions.

    Notes
    -----
    With ties it is the mean over the orders that agree with both rankings, tau_AP,a. With `symmetric`, groups of tied
    items are compared as a whole, tau_AP,b.

    References
    ----------
    Yilmaz, Aslam and Robertson, A new rank correlation coefficient for information retrieval, SIGIR 2008. Urbano and
    Marrero, The treatment of ties in AP correlation, ICTIR 2017.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.APCorrelation()([[1, 2, 3, 4]], [[2, 1, 3, 4], [1, 2, 4, 3]]).round(3)
    array([[0.333, 0.778]])
    """

    _name = "ap_correlation"
    symmetric: bool = False


@dataclass(eq=False, repr=False)
class GeneralizedKendall(Measure):
    """Kumar and Vassilvitskii's distance: discordant pairs, weighted by items and positions.

    A discordant pair of items i and j adds `v[i] v[j] p[i] p[j]`. `v` are the weights of items. `p[i]` is the mean cost of
    the positions that item i passes on its way from its rank in one ranking to its rank in the other; 1 if both are equal.

    Parameters
    ----------
    item_weights : array-like of n numbers, optional
        One number from 0 for each item; 1 by default.
    position_costs : array-like of n numbers, optional
        One number from 0 for each position; 1 by default.

    References
    ----------
    Kumar and Vassilvitskii, Generalized distances between rankings, WWW 2010.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.GeneralizedKendall(position_costs=[3, 2, 1])([[1, 2, 3]], [[2, 1, 3], [1, 3, 2]])
    array([[4., 1.]])
    """

    is_distance = True
    _name = "generalized_kendall"
    _takes = frozenset()
    _: KW_ONLY
    item_weights: ArrayLike | None = None
    position_costs: ArrayLike | None = None


@dataclass(eq=False, repr=False)
class SwapDistance(Measure):
    """The cheapest way from one ranking to the other by swaps of neighbours, if positions have different costs.

    A metric. With equal costs it is the Kendall distance times the cost.

    Parameters
    ----------
    costs : array-like of n - 1 numbers
        `costs[r]` is the cost of swapping the items at positions r and r + 1, which count from 0; from 0, and not
        increasing from the top down.

    References
    ----------
    Farnoud and Milenkovic, An axiomatic approach to constructing distances for rank comparison and aggregation, IEEE
    Transactions on Information Theory 60, 2014.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.SwapDistance([5, 1])([[1, 2, 3]], [[2, 1, 3], [1, 3, 2], [3, 2, 1]])
    array([[5., 1., 7.]])
    """

    is_distance = True
    _name = "swap_distance"
    _takes = frozenset()
    costs: ArrayLike


@dataclass(eq=False, repr=False)
class RankBiasedOverlap(Kernel):
    """Rank-biased overlap of two lists, which may be of different lengths, with ties.

    `(1 - p) / p` times the sum over all depths d of `p ** d` times the agreement at depth d: the number of items that both
    lists have among their first d, divided by d. What follows after the end of a list is unknown.

    Parameters
    ----------
    p : float
        Between 0 and 1: the probability that a reader who has seen one more item goes on. The first 10 items have about
        86 % of the weight for 0.9.
    value : {"ext", "min", "max", "res"}
        "ext": agreement goes on as at the end of the lists. "min" and "max": the smallest and largest values for any
        continuation of the lists. "res": their difference.
    ties : {"w", "a", "b"}
        "w": tied items share the first rank of their group. "a": the mean over all orders of tied items. "b": "a" divided
        so that a list with ties has the value 1 with itself.
    item_weight : array-like of n numbers, optional
        Numbers, at least 0, one for each item, for the values "ext" and "min". These are sums over the common items; a
        common item then adds its weight times what it adds without weights. Values are not limited to 1.

    Notes
    -----
    With `value="min"` it is a kernel: a sum over depths of inner products. The other values are not kernels.

    References
    ----------
    Webber, Moffat and Zobel, A similarity measure for indefinite rankings, ACM TOIS 28, 2010. Corsi and Urbano, The
    treatment of ties in rank-biased overlap, SIGIR 2024.

    Examples
    --------
    >>> import wkendall
    >>> lists = wkendall.from_lists([["a", "b", "c"], ["b", "a", "d", "e"]])
    >>> wkendall.RankBiasedOverlap(0.9)(lists[:1], lists[1:]).round(3)
    array([[0.63]])
    """

    _name = "rank_biased_overlap"
    p: float = 0.9
    _: KW_ONLY
    value: Literal["ext", "min", "max", "res"] = "ext"
    ties: Literal["w", "a", "b"] = "a"
    item_weight: ArrayLike | None = None

    @property
    def _has_complement(self) -> bool:  # type: ignore[override]
        return self.value in ("ext", "max") and self.item_weight is None

    @property
    def is_kernel(self) -> bool:
        """Whether the matrix of any rankings is symmetric and positive semi-definite."""
        return self.value == "min"


@dataclass(eq=False, repr=False)
class AverageOverlap(Kernel):
    """The mean over depths d of the share of common items among the first d of both lists.

    It is a kernel. With ties it is the mean over the orders that agree with both rankings. Items that are not listed are
    never common.

    Parameters
    ----------
    depth : int, optional
        The largest depth, from 1 to n; the number of items by default.
    item_weight : array-like of n numbers, optional
        Numbers, at least 0, one for each item: a common item counts as its weight instead of 1. It is still a kernel.

    References
    ----------
    Wu and Crestani, Methods for ranking information retrieval systems without relevance judgments, SAC 2003.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.AverageOverlap(depth=3)([[1, 2, 3, 4]], [[2, 1, 3, 4], [4, 3, 2, 1]]).round(3)
    array([[0.667, 0.222]])
    """

    _name = "average_overlap"
    depth: SupportsIndex | None = None
    _: KW_ONLY
    item_weight: ArrayLike | None = None


@dataclass(eq=False, repr=False)
class Footrule(Measure):
    """Spearman's footrule: the sum over all items of the absolute difference of their ranks.

    Tied items have the mean of the ranks that they share. In lists, an item that only the other list has gets the rank
    after the last one, and the sum is over the items of both lists. A metric on rankings of all items; lists of different
    lengths can break the triangle inequality.

    Parameters
    ----------
    item_weight : array-like of n numbers, optional
        Numbers, at least 0, one for each item, by which its difference is multiplied.

    References
    ----------
    Fagin, Kumar and Sivakumar, Comparing top k lists, SIAM Journal on Discrete Mathematics 17, 2003.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.Footrule()([[1, 2, 3]], [[2, 1, 3], [3, 2, 1]])
    array([[2., 4.]])
    """

    is_distance = True
    _name = "footrule"
    _: KW_ONLY
    item_weight: ArrayLike | None = None


class SpearmanRho(Kernel):
    """Spearman's rank correlation: the correlation of ranks, of mean ranks for ties.

    It is a kernel: the inner product of centred ranks of length 1. Items that are not listed are tied at the end. 0 if all
    items are tied.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.SpearmanRho()([[1, 2, 3]], [[2, 1, 3], [3, 2, 1]])
    array([[ 0.5, -1. ]])
    """

    _name = "spearman_rho"


@dataclass(eq=False, repr=False)
class KemenySnell(Measure):
    """Kemeny and Snell's distance: 2 for a pair of items in another order, 1 for a pair that only one ranking ties.

    A metric, also with ties: a ranking has the distance 0 from itself. Items that are not listed are tied at the end. For
    complete rankings it is twice the Kendall distance.

    Parameters
    ----------
    item_weight : array-like of n numbers, optional
        Numbers, at least 0, one for each item: what a pair adds is multiplied by the weights of both items.

    References
    ----------
    Kemeny and Snell, Mathematical models in the social sciences, 1962.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.KemenySnell()(wkendall.Rankings([[1, 2, 3], [1, 1, 2], [3, 2, 1]], ties="mean"))
    array([[0., 1., 6.],
           [1., 0., 5.],
           [6., 5., 0.]])
    """

    is_distance = True
    _name = "kemeny_snell"
    _: KW_ONLY
    item_weight: ArrayLike | None = None


class TauX(Kernel):
    """Emond and Mason's tau_x: Kendall's tau in which a tie in both rankings is agreement.

    It is a kernel, and 1 for a ranking and itself, also with ties. Items that are not listed are tied at the end.

    References
    ----------
    Emond and Mason, A new rank correlation coefficient with application to the consensus ranking problem, Journal of
    Multi-Criteria Decision Analysis 11, 2002.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.TauX()(wkendall.Rankings([[1, 2, 3], [1, 1, 2], [3, 2, 1]], ties="mean")).round(3)
    array([[ 1.   ,  0.667, -1.   ],
           [ 0.667,  1.   , -0.667],
           [-1.   , -0.667,  1.   ]])
    """

    _name = "tau_x"


@dataclass(eq=False, repr=False)
class FaginKendall(Measure):
    """Fagin, Kumar and Sivakumar's distance K^(p) of two lists, over the items of both.

    A pair of items adds 1 if the lists put it in another order; an item that is not listed is below those that are. A pair
    adds `p` if one list has both items and the other has none of them. Lists with ties are refused.

    Parameters
    ----------
    p : float
        From 0 to 1: 0 is the optimistic distance, 1/2 the neutral one.
    item_weight : array-like of n numbers, optional
        Numbers, at least 0, one for each item: what a pair adds is multiplied by the weights of both items.

    References
    ----------
    Fagin, Kumar and Sivakumar, Comparing top k lists, SIAM Journal on Discrete Mathematics 17, 2003.

    Examples
    --------
    >>> import wkendall
    >>> lists = wkendall.from_lists([["a", "b", "c"], ["b", "a", "d"]])
    >>> wkendall.FaginKendall()(lists)
    array([[0., 2.],
           [2., 0.]])
    """

    is_distance = True
    _name = "fagin_kendall"
    _takes = frozenset({"lists"})
    p: float = 0.5
    _: KW_ONLY
    item_weight: ArrayLike | None = None
