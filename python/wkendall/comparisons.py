"""Published comparisons of rankings: correlations, distances and overlaps.

Each comparison is a measure (a function of two rankings), like `Kendall`. To compute a matrix, call the measure, or
pass it to `similarity_matrix`. It can also be passed to `neighbors`. A comparison that is a kernel can be passed to
every function that takes a kernel. Comparisons that are kernels can also be added and multiplied.
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
    """Vigna's weighted tau: Kendall's tau with weights of items, as in `scipy.stats.weightedtau`.

    In each ranking, a pair of items has a sign: 1 if the first item comes first, -1 if the second item comes first, 0
    for a tie. For two rankings s and t, let S(s, t) be the sum over all pairs of (sign in s) (sign in t) (weight of the
    pair). The value is `S(s, t) / sqrt(S(s, s) S(t, t))`. If the denominator is 0, the value is 0. scipy returns this
    value as `weightedtau(-s, -t, ...)`.

    Parameters
    ----------
    rank : bool, None or array-like of n numbers
        The ranks from which the weights of the items are computed. None: the ranks in the first ranking. True: the
        value is computed with the ranks in the first ranking, and again with the ranks in the second ranking; the
        result is the mean of these two values. False: item i has the rank i. An array: the given ranks; only their
        order matters.
    weigher : "hyperbolic", array-like of n numbers, or function
        The weight of each rank. Ranks count from 0. "hyperbolic" is `1 / (r + 1)` for rank r. An array has one weight
        for each rank. A function takes a rank and returns its weight.
    additive : bool
        True: the weight of a pair is the sum of the weights of its two items. False: it is their product.

    Notes
    -----
    If `rank` is False or an array, this measure is a kernel, because the weight of a pair does not depend on the
    rankings. The value is then the cosine of two vectors, one for each ranking. The vector of a ranking has one entry
    for each pair: the sign of the pair, times the square root of its weight. If `rank` is True or None, this measure is
    not a kernel.

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
        """Whether the measure is a kernel: every matrix `measure(X)` is symmetric and positive semi-definite."""
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
    """The sum of the weights of all concordant pairs of items, from which Shieh computes his weighted tau.

    A pair of items is concordant if both rankings put the two items in the same order. The weight of the pair depends
    on the ranks of the two items.

    Parameters
    ----------
    w : array-like of shape (n, n), or tuple of two arrays of n numbers
        The weight of a pair with ranks a < b is `w[a, b]`. Here ranks count from 0. If w is a tuple of two arrays, the
        weight is `w[0][a] * w[1][b]`.
    side : {"first", "both"}
        "first": the weight of a pair is computed from its ranks in the first ranking. In a matrix of values, the first
        ranking is the ranking of the row. "both": the weight is the sum of two weights, one from the first ranking and
        one from the second ranking.

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
    """AP (average precision) correlation of a true ranking and an estimate: Kendall's tau with more weight at the top.

    For each item i of the estimate except the first, take the items above i in the estimate. Compute the share of these
    items that are also above i in the true ranking. Let m be the mean of these shares. The value is `2 m - 1`, which is
    between -1 and 1. In a matrix of values, the rows belong to the true rankings, and the columns to the estimates. AP
    correlation is not a kernel.

    Parameters
    ----------
    symmetric : bool
        Whether to compute a second value, with the roles of the two rankings exchanged, and to return the mean of both
        values.

    Notes
    -----
    With ties and `symmetric=False`, take all complete rankings s' that agree with the first ranking, and all complete
    rankings t' that agree with the second ranking (see `ties` of `Rankings`). The value is the mean of the values for
    s' and t' over all these rankings. Urbano and Marrero call this mean tau_AP,a. With ties and `symmetric=True`, the
    value is instead their tau_AP,b, in which an item is not above the items that are tied with it.

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
    """Kumar and Vassilvitskii's distance: the sum of the costs of all discordant pairs of items.

    A pair of items i and j is discordant if the two rankings put them in opposite orders. A discordant pair has the
    cost `v[i] v[j] p[i] p[j]`, where v[i] is the weight of item i. Let item i have the rank a in one ranking and the
    larger rank b in the other ranking. Then p[i] is the mean cost of the positions a + 1, a + 2, .., b. If item i has
    the same rank in both rankings, p[i] is 1.

    Parameters
    ----------
    item_weights : array-like of n numbers, optional
        One number, at least 0, for each item; 1 by default.
    position_costs : array-like of n numbers, optional
        One number, at least 0, for each position; 1 by default.

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
    """The smallest cost of turning one ranking into the other by swaps of neighbouring items.

    The cost of a swap depends on the positions of the two items. If all costs are positive, this distance is a metric.
    If every swap has the same cost c, the distance is c times the Kendall distance.

    Parameters
    ----------
    costs : array-like of n - 1 numbers
        `costs[r]` is the cost of swapping the items at positions r and r + 1. Positions count from 0. Costs are at
        least 0, and `costs[r + 1]` is at most `costs[r]`.

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
    """Rank-biased overlap of two lists; the lists can have different lengths and ties.

    The agreement A(d) at depth d is the number of items that both lists have among their first d items, divided by d.
    The value is `(1 - p) / p` times the sum of `p ** d * A(d)` over all depths d = 1, 2, 3, ... The items after the end
    of a list are unknown; the parameter `value` says how they are counted.

    Parameters
    ----------
    p : float
        The probability, between 0 and 1, that a person who reads a list goes on from one item to the next item. With
        `p=0.9` the first 10 items have about 86 % of the total weight.
    value : {"ext", "min", "max", "res"}
        "ext": the agreement at every depth after the end of the lists is assumed to be the same as at their end. "min"
        and "max": the smallest and the largest value over all possible continuations of the lists. "res": the value of
        "max" minus the value of "min".
    ties : {"w", "a", "b"}
        "w": all items of a group of tied items have the best rank of the group. "a": the value is the mean over all
        orders of tied items. "b": the value of "a", scaled so that a list with ties has the value 1 with itself.
    item_weight : array-like of n numbers, optional
        One number, at least 0, for each item; only for `value="ext"` and `value="min"`. What a common item adds to the
        value is multiplied by the weight of the item. Values can then be larger than 1.

    Notes
    -----
    With `value="min"` the overlap is a kernel, because it is a sum of inner products, one for each depth. With "ext",
    "max" and "res" it is not a kernel.

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
        """Whether the measure is a kernel: every matrix `measure(X)` is symmetric and positive semi-definite."""
        return self.value == "min"


@dataclass(eq=False, repr=False)
class AverageOverlap(Kernel):
    """The share of common items among the first d items of both lists, averaged over the depths d = 1, 2, ..., `depth`.

    This measure is a kernel. With ties, take all complete rankings s' that agree with the first ranking, and all
    complete rankings t' that agree with the second ranking (see `ties` of `Rankings`). The value is the mean of the
    values for s' and t' over all these rankings. An item that a list leaves out is never a common item.

    Parameters
    ----------
    depth : int, optional
        The largest depth, from 1 to n. The default is n, the number of items.
    item_weight : array-like of n numbers, optional
        One number, at least 0, for each item. A common item then counts with its weight instead of 1. The measure is
        still a kernel.

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

    Tied items have the mean of the ranks that they share. For lists (rankings that leave items out), the sum is over
    all items that are in at least one of the two lists. If an item is in only one list, its rank in the other list is
    the length of that other list plus 1. The footrule is a metric on rankings of all items. For lists of different
    lengths the footrule is not always a metric, because the triangle inequality can be violated.

    Parameters
    ----------
    item_weight : array-like of n numbers, optional
        One number, at least 0, for each item. The difference of the ranks of an item is multiplied by the weight of the
        item.

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
    """Spearman's rank correlation: Pearson's correlation of the ranks, where tied items have their mean rank.

    This measure is a kernel, because it is an inner product of two vectors. The vector of a ranking contains the ranks
    minus their mean, and is scaled to length 1. Items that a ranking leaves out are tied at the end. If all items of a
    ranking are tied, the value is 0.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.SpearmanRho()([[1, 2, 3]], [[2, 1, 3], [3, 2, 1]])
    array([[ 0.5, -1. ]])
    """

    _name = "spearman_rho"


@dataclass(eq=False, repr=False)
class KemenySnell(Measure):
    """Kemeny and Snell's distance: a pair in opposite orders adds 2, and a pair that is tied in only one ranking adds 1.

    This distance is a metric, also with ties: for example, a ranking with ties has the distance 0 from itself. Items
    that a ranking leaves out are tied at the end. For complete rankings this distance is twice the Kendall distance.

    Parameters
    ----------
    item_weight : array-like of n numbers, optional
        One number, at least 0, for each item. What a pair adds is multiplied by the weights of its two items.

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
    """Emond and Mason's tau_x: a variant of Kendall's tau in which two rankings agree on a pair that both tie.

    This measure is a kernel. The value of a ranking with itself is 1, also with ties. Items that a ranking leaves out
    are tied at the end.

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
    """Fagin, Kumar and Sivakumar's distance K^(p) of two lists, over the items that are in at least one list.

    A pair of items adds 1 if the lists put the two items in opposite orders. An item that a list leaves out is below
    all items of this list. A pair adds `p` if one list has both items and the other list has neither. Lists with ties
    raise an error.

    Parameters
    ----------
    p : float
        What a pair adds if one list has both items and the other list has neither: a number from 0 to 1. The authors
        call the distance optimistic if p is 0, and neutral if p is 1/2.
    item_weight : array-like of n numbers, optional
        One number, at least 0, for each item. What a pair adds is multiplied by the weights of its two items.

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
