"""People simulated from a model of the survey of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import NamedTuple, SupportsIndex, cast

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Random, as_order, generator
from wkendall.datasets.simulated import Ranks, check_size

#: The six sources of information about science in the survey, in the order of its questions.
ITEMS = ("television", "radio", "newspapers_magazines", "scientific_magazines", "internet", "school_university")

#: The number of people in the survey under 40, and the number aged 40 and over.
SIZES = (5716, 6500)

#: For each of these two groups, two classes of people: the share of the class, and the effects of the pairs of items
#: (1, 2), (1, 3), .., (5, 6).
# fmt: off
MODEL = (
    (
        (0.658, (1.779, 1.32, 1.052, 0.249, -0.158, 0.201, 1.053, 0.276, 0.44, 2.173, 0.721, 0.508, 0.406, 0.26, 0.166)),
        (0.342, (0.737, -0.368, -0.146, -0.132, -0.151, -1.509, -0.453, -0.288, -0.164, -1.066, -0.342, -0.665, 0.051, -0.394,
                 -0.238)),
    ),
    (
        (0.745, (1.584, 0.784, 1.405, 0.641, 0.516, 0.252, 1.384, 0.688, 0.985, 2.263, 1.229, 0.97, 1.024, 0.461, -0.314)),
        (0.255, (0.732, -0.054, -0.474, 0.121, -0.111, -1.043, -0.468, 0.266, -0.016, -0.926, 0.159, -0.27, 0.068, -0.427,
                 -0.043)),
    ),
)
# fmt: on


class Survey(NamedTuple):
    """People, one per row; see `load_eurobarometer` and `make_survey`."""

    X: Ranks
    y: Ranks
    items: list[str]
    sex: Ranks | None
    age_group: Ranks | None
    left_out: int


def make_survey(m: SupportsIndex | None = None, *, rng: Random = None) -> Survey:
    """Simulate people like the people of the survey Eurobarometer 55.2; see `load_eurobarometer`.

    The model has two age groups, and each age group has two classes of people. In a class, the logarithm of the
    probability of a ranking is a constant plus a sum of effects. There is one effect for each of the 15 pairs of items.
    The effect is added if the ranking has the two items in the same order as the questionnaire. The 62 parameters were
    fitted to the 12,216 people of the counts table that `load_eurobarometer` reads, separately for the two age groups.
    The fit used maximum likelihood with the EM algorithm. The parameters are rounded to 3 decimals.

    The model and the survey have the same mean ranks, up to 0.001. For every two items, the model and the survey also
    have the same share of people who prefer the first item, up to 0.001. For an order of three or more items, the
    shares of people with this order are only approximately equal.

    Parameters
    ----------
    m : int, optional
        The number of people. The default is 12,216, as in the survey.
    rng : int or numpy.random.Generator, optional
        As for `make_uniform`.

    Returns
    -------
    X, y, items, sex, age_group, left_out
        As for `load_eurobarometer`. `sex` and `age_group` are None, because the model does not have them. The share of
        ones in `y` is the same as in the survey (6,500 / 12,216), up to rounding.

    Examples
    --------
    >>> from wkendall.datasets import make_survey
    >>> people = make_survey(1000, rng=0)
    >>> people.X[:3]
    array([[3, 4, 1, 5, 2, 6],
           [5, 1, 6, 3, 4, 2],
           [4, 6, 3, 1, 5, 2]])

    People under 40 (label 0) rank television lower than the other people do:

    >>> [float(people.X[people.y == label, 0].mean().round(2)) for label in (0, 1)]
    [2.26, 2.04]
    """
    rows = sum(SIZES) if m is None else as_order(m, "m", 0)
    random = generator(rng)
    check_size(rows, len(ITEMS))
    y = random.permutation(np.arange(rows) < round(rows * SIZES[1] / sum(SIZES))).astype(np.int64)
    rankings = np.array(list(permutations(range(1, len(ITEMS) + 1))))
    X = np.empty((rows, len(ITEMS)), dtype=np.int64)
    for group, classes in enumerate(MODEL):
        chances = group_chances(rankings, classes)
        mine = y == group
        X[mine] = rankings[random.choice(len(rankings), mine.sum(), p=chances)]
    return Survey(X, y, list(ITEMS), None, None, 0)


def group_chances(
    rankings: NDArray[np.integer], classes: Sequence[tuple[float, Sequence[float]]]
) -> NDArray[np.float64]:
    """Return the probability of each of the given rankings, for classes with the given shares and effects."""
    pairs = combinations(range(rankings.shape[1]), 2)
    ordered = np.array([rankings[:, i] < rankings[:, j] for i, j in pairs], dtype=np.float64).T
    total = np.zeros(len(rankings))
    for share, effects in classes:
        odds = np.exp(ordered @ np.asarray(effects))
        total += share * odds / odds.sum()
    return cast("NDArray[np.float64]", total / total.sum())
