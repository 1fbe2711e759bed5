"""Random rankings from three models: the uniform model, the Mallows model and the Plackett-Luce model."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import Random, as_order, generator, real_array
from wkendall._errors import RankingError, bad_argument, parts_of, remade
from wkendall._memory import check_fits
from wkendall.arrays.options import Reading
from wkendall.rankings import Rankings, read_ranking

Ranks = NDArray[np.int64]


def make_uniform(m: SupportsIndex, n: SupportsIndex, *, rng: Random = None) -> Ranks:
    """Draw rankings uniformly: all rankings are equally probable.

    Parameters
    ----------
    m, n : int
        Number of rankings and number of items.
    rng : int or numpy.random.Generator, optional
        A seed (a whole number, at least 0) or a generator of random numbers. With a seed, each call draws the same
        rankings. Without `rng`, each call draws different rankings.

    Returns
    -------
    ndarray of shape (m, n)
        One ranking per row. The entry in column j is the rank of item j; 1 is the most preferred.

    Examples
    --------
    >>> from wkendall.datasets import make_uniform
    >>> make_uniform(3, 4, rng=0)
    array([[3, 1, 2, 4],
           [4, 3, 2, 1],
           [2, 4, 1, 3]])
    """
    rows, items = as_order(m, "m", 0), as_order(n, "n")
    random = generator(rng)
    check_size(rows, items)
    return random.permuted(np.tile(np.arange(1, items + 1, dtype=np.int64), (rows, 1)), axis=1)


def make_mallows(m: SupportsIndex, center: ArrayLike | Rankings, lam: float, *, rng: Random = None) -> Ranks:
    """Draw rankings from the Mallows model: the probability of a ranking is proportional to exp(-lam * distance).

    The distance is the Kendall distance between the ranking and a central ranking `center`: the number of pairs of
    items that are in opposite orders in the two rankings. The rankings are drawn from exactly this model. The method is
    repeated insertion: the items are added one by one in the order of `center`, best item first. An item is inserted k
    places before the end, and k is drawn at random for each item.

    Parameters
    ----------
    center : array-like of n ranks, Rankings of one complete ranking, or int
        The central ranking, which is the most probable ranking. A number n stands for the ranking 1, 2, .., n.
    lam : float
        How concentrated the rankings are around `center`; at least 0. If `lam` is 0, all rankings are equally probable.
    m, rng
        As for `make_uniform`. The result has the same form as the result of `make_uniform`.

    Examples
    --------
    >>> from wkendall.datasets import make_mallows
    >>> make_mallows(3, [2, 1, 4, 3], 1.5, rng=0)
    array([[2, 1, 3, 4],
           [2, 1, 3, 4],
           [1, 2, 4, 3]])
    """
    rows, middle = as_order(m, "m", 0), _center(center)
    spread = float(real_array(lam, "lam", (0,), "one number from 0").item())
    if not 0 <= spread < np.inf:
        raise bad_argument("lam", f" is {spread}, but must be a finite number from 0", value=spread)
    random = generator(rng)
    items = len(middle)
    check_size(rows, items)
    found = np.empty((items, rows), dtype=np.int64)
    with np.errstate(over="ignore"):
        chances = np.exp(-spread * np.arange(items)).cumsum()
    for come in range(items):
        steps = (chances[: come + 1] / chances[come]).searchsorted(random.random(rows), side="right")
        place = come - steps
        found[:come] += found[:come] >= place
        found[come] = place
    X = np.empty((rows, items), dtype=np.int64)
    X[:, middle.argsort()] = found.T + 1
    return X


def mallows_tops(m: int, n: int, lam: float, depth: int, random: np.random.Generator) -> Ranks:
    """Draw the first `depth` items of Mallows rankings with the centre 0, 1, .., n - 1, one row for each ranking.

    A ranking is drawn from its first item on. In each step, the items that are left are numbered j = 0, 1, .. in the
    order of the centre. The next item is item j with a probability proportional to exp(-lam * j). The time is
    O(m depth^2) and does not depend on n. So short lists are drawn much faster than complete rankings.
    """
    drawn = np.empty((m, depth), dtype=np.int64)
    taken = drawn[:, :0]  # what was drawn, in the order of the centre
    for place in range(depth):
        left, chance = n - place, random.random(m)
        step = -np.log1p(chance * np.expm1(-lam * left)) / lam if lam else chance * left
        number = np.minimum(step.astype(np.int64), left - 1)  # rounding
        item = number + (taken - np.arange(place) <= number[:, np.newaxis]).sum(axis=1)
        taken = np.sort(np.column_stack([taken, item]), axis=1, kind="stable")
        drawn[:, place] = item
    return drawn


def make_plackett_luce(m: SupportsIndex, strengths: ArrayLike, *, rng: Random = None) -> Ranks:
    """Draw rankings from the Plackett-Luce model: the probability of the next item is proportional to its strength.

    The model builds a ranking item by item, best item first. The next item is drawn from the items that are left. The
    function uses an equivalent method: it adds Gumbel noise to the logarithm of each strength, and sorts the items by
    these sums, largest sum first.

    Parameters
    ----------
    strengths : array-like of n positive numbers
        The strength of each item. Only the ratios of the strengths matter.
    m, rng
        As for `make_uniform`. The result has the same form as the result of `make_uniform`.

    Examples
    --------
    >>> from wkendall.datasets import make_plackett_luce
    >>> make_plackett_luce(3, [8, 4, 2, 1], rng=0)
    array([[4, 3, 2, 1],
           [1, 3, 2, 4],
           [2, 3, 4, 1]])
    """
    rows = as_order(m, "m", 0)
    known = real_array(strengths, "strengths", (1,), "an array of n positive numbers")
    if not known.size:
        raise bad_argument("strengths", " is empty, but must have a positive number for each item")
    for item, strength in enumerate(known.tolist()):
        if not 0 < strength < np.inf:
            raise bad_argument(
                "strengths", f": item {item} has {strength}, but must have a positive finite number", value=strength
            )
    random = generator(rng)
    check_size(rows, known.size)
    scores = np.log(known) + random.gumbel(size=(rows, known.size))
    orders = (-scores).argsort(axis=1)
    X = np.empty((rows, known.size), dtype=np.int64)
    np.put_along_axis(X, orders, np.arange(1, known.size + 1, dtype=np.int64)[np.newaxis], axis=1)
    return X


def check_size(rows: int, items: int) -> None:
    """Raise an error if rankings of this size do not fit in memory."""
    ranks: np.dtype[Any] = np.dtype(np.int64)
    check_fits(max(rows, 1), items, ranks, "draw or read fewer rankings at a time")


def _center(center: ArrayLike | Rankings) -> Ranks:
    if hasattr(center, "__index__") and np.ndim(center) == 0:
        items = as_order(center, "center")
        check_size(1, items)
        return np.arange(1, items + 1, dtype=np.int64)
    try:
        found = read_ranking(center, "center", Reading(advises=False))
    except RankingError as error:
        # The advice about names and scores does not apply here.
        raise remade(error, parts_of(error)._replace(advice=())) from None
    if found.kind != "complete":
        rule = "center has ties or missing items, but must be a complete ranking"
        raise RankingError(rule, argument="center", kind="not complete")
    if not found.n_items:
        raise bad_argument("center", " is empty, but must rank at least one item")
    ranks: Ranks = found._handle.ranks()[0]
    return ranks
