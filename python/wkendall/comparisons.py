"""Comparisons of rankings that are published under a name: correlations, distances and overlaps.

Each comparison is a measure, like `Kendall`: call it to compute a matrix, or pass it to `similarity_matrix` and
`neighbors`. Comparisons that are kernels can also be added and multiplied, and passed to every function that takes a
kernel.
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

    Each pair of items adds the product of its signs in both rankings times the weight of the pair. The sum over all
    pairs is divided by the square roots of two other sums: the same sum for each ranking with itself. If one of these
    two sums is 0, the value is 0.

    Parameters
    ----------
    rank : bool, None or array-like of n numbers
        The ranks that the weights of the items depend on. True: the value is the mean of two values, one with the ranks
        of the first ranking and one with the ranks of the second. None: the ranks of the first ranking. False: the
        numbers of the items, in place of ranks. An array: these ranks; only their order matters.
    weigher : "hyperbolic", array-like of n numbers, or function
        The weight of rank r, which counts from 0: "hyperbolic" is `1 / (r + 1)`; an array has one weight for each rank.
    additive : bool
        Whether the weight of a pair is the sum of the weights of its items; otherwise it is the product.

    Notes
    -----
    With `rank=False` and with given ranks this measure is a kernel. The weight of a pair then does not depend on the
    rankings. The value is the cosine of the two vectors of signs, where each sign is multiplied by the root of the
    weight of its pair. With other values of `rank` this measure is not a kernel.

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
        """Whether every matrix of this measure is symmetric and positive semi-definite."""
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
        "first": the ranks are those of the first ranking, which is the row of a matrix. "both": the weight is the sum
        of two weights, one for the ranks of each ranking.

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

    Take an item that is not first in the estimate, and the items above it in the estimate. The share of these items
    that are also above it in the true ranking is computed. The value is the mean of the shares over all items that are
    not first, scaled to -1 to 1. AP correlation is not a kernel.

    Parameters
    ----------
    symmetric : bool
        Whether to return the mean of two values: each of the two rankings is once the true ranking.

    Notes
    -----
    With ties the value is tau_AP,a: the mean over all complete rankings that agree with the two rankings. With
    `symmetric` it is tau_AP,b: groups of tied items are compared as a whole.

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
    the positions that item i passes on its way from its rank in one ranking to its rank in the other; it is 1 if both
    ranks are equal.

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
    """The smallest cost of turning one ranking into the other by swaps of neighbours; the cost depends on the position.

    This distance is a metric. With equal costs it is the Kendall distance times the cost.

    Parameters
    ----------
    costs : array-like of n - 1 numbers
        `costs[r]` is the cost of swapping the items at positions r and r + 1. Positions count from 0. Costs are at
        least 0 and do not increase from the top down.

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

    The value is `(1 - p) / p` times the sum over all depths d of `p ** d` times the agreement at depth d. The agreement
    is the number of items that both lists have among their first d items, divided by d. The items after the end of a
    list are unknown.

    Parameters
    ----------
    p : float
        Between 0 and 1: the probability that a reader who has seen an item goes on to the next item. With p = 0.9 the
        first 10 items have about 86 % of the weight.
    value : {"ext", "min", "max", "res"}
        "ext": the agreement continues as at the end of the lists. "min" and "max": the smallest and the largest value
        for any continuation of the lists. "res": the difference of "max" and "min".
    ties : {"w", "a", "b"}
        "w": tied items share the first rank of their group. "a": the mean over all orders of tied items. "b": "a" divided
        so that a list with ties has the value 1 with itself.
    item_weight : array-like of n numbers, optional
        One number, at least 0, for each item; only for `value="ext"` and `value="min"`. What a common item adds to the
        value is multiplied by its number. Values can then be larger than 1.

    Notes
    -----
    With `value="min"` the overlap is a kernel: a sum over depths of inner products. The other values are not kernels.

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
        """Whether every matrix of this measure is symmetric and positive semi-definite."""
        return self.value == "min"


@dataclass(eq=False, repr=False)
class AverageOverlap(Kernel):
    """The mean over all depths d of the share of common items among the first d items of both lists.

    This measure is a kernel. With ties the value is the mean over all complete rankings that agree with the two
    rankings. Items that are not listed are never common.

    Parameters
    ----------
    depth : int, optional
        The largest depth, from 1 to n; the number of items by default.
    item_weight : array-like of n numbers, optional
        One number, at least 0, for each item. A common item then counts as its number instead of 1. With weights the
        measure is still a kernel.

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

    Tied items have the mean of the ranks that they share. For lists, the sum is over the items of both lists. If only
    one of the lists has an item, the other list gives this item the rank after its last item. The footrule is a metric
    on rankings of all items. Lists of different lengths can break the triangle inequality.

    Parameters
    ----------
    item_weight : array-like of n numbers, optional
        One number, at least 0, for each item. The difference of the ranks of an item is multiplied by its number.

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
    """Spearman's rank correlation: the correlation of ranks; tied items have their mean rank.

    This measure is a kernel: the inner product of two vectors of centred ranks, scaled to length 1. Items that are not
    listed are tied at the end. If all items of a ranking are tied, the value is 0.

    Examples
    --------
    >>> import wkendall
    >>> wkendall.SpearmanRho()([[1, 2, 3]], [[2, 1, 3], [3, 2, 1]])
    array([[ 0.5, -1. ]])
    """

    _name = "spearman_rho"


@dataclass(eq=False, repr=False)
class KemenySnell(Measure):
    """Kemeny and Snell's distance: 2 for a pair of items in opposite orders, 1 for a pair that only one ranking ties.

    This distance is a metric, also with ties: a ranking has the distance 0 from itself. Items that are not listed are
    tied at the end. For complete rankings this distance is twice the Kendall distance.

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

    This measure is a kernel. The value of a ranking with itself is 1, also with ties. Items that are not listed are
    tied at the end.

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
    """Fagin, Kumar and Sivakumar's distance K^(p) of two lists, over the items of both lists.

    A pair of items adds 1 if the lists put it in opposite orders. An item that is not listed is below the listed items.
    A pair adds `p` if one list has both items and the other list has neither. Lists with ties raise an error.

    Parameters
    ----------
    p : float
        From 0 to 1: 0 is the optimistic distance, and 1/2 is the neutral distance.
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
