"""Random rankings follow their models."""

import itertools

import numpy as np
import pytest
import wkendall
from paths import SURVEY
from survey_files import needs_survey
from wkendall.datasets import (
    ITEMS,
    MODEL,
    SIZES,
    Survey,
    group_chances,
    load_eurobarometer,
    make_mallows,
    make_plackett_luce,
    make_survey,
    make_uniform,
)
from wkendall.datasets.simulated import mallows_tops

FOUR = np.array(list(itertools.permutations(range(1, 5))))
SIX = np.array(list(itertools.permutations(range(1, 7))))


def shares(X, rankings):
    """How often each ranking occurs."""
    number = {tuple(ranking): place for place, ranking in enumerate(rankings.tolist())}
    counts = np.bincount([number[tuple(row)] for row in X.tolist()], minlength=len(rankings))
    return counts / len(X)


def chi_square(X, chances):
    return len(X) * ((shares(X, FOUR) - chances) ** 2 / chances).sum()


#: The 99.9th percentile of the chi-square distribution with 23 degrees of freedom.
BOUND = 49.73


# Random rankings.


def test_uniform():
    X = make_uniform(40_000, 4, rng=1)
    assert X.dtype == np.int64
    assert X.shape == (40_000, 4)
    assert chi_square(X, np.full(24, 1 / 24)) < BOUND


@pytest.mark.parametrize("lam", [0, 0.3, 1.2])
@pytest.mark.parametrize("center", [4, [3, 1, 4, 2], [2, 0, 1, 3]])
def test_mallows(center, lam):
    X = make_mallows(40_000, center, lam, rng=2)
    assert X.dtype == np.int64
    assert X.flags.c_contiguous
    middle = np.arange(1, 5) if isinstance(center, int) else np.array(center) + (min(center) == 0)
    distance = [
        sum((s[i] - s[j]) * (middle[i] - middle[j]) < 0 for i, j in itertools.combinations(range(4), 2)) for s in FOUR
    ]
    chances = np.exp(-lam * np.array(distance))
    assert chi_square(X, chances / chances.sum()) < BOUND


def test_mallows_around_rankings():
    center = wkendall.Rankings([[3, 1, 4, 2]], top="high", items="abcd")
    np.testing.assert_array_equal(make_mallows(20, center, 0.7, rng=0), make_mallows(20, [2, 4, 1, 3], 0.7, rng=0))
    for wrong in (wkendall.Rankings([[1, 1, 2]], ties="mean"), wkendall.Rankings([[1, 2, 3], [2, 1, 3]])):
        with pytest.raises(wkendall.RankingError, match=r"^center has") as caught:
            make_mallows(3, wrong, 0.7)
        assert caught.value.argument == "center"


def test_mallows_at_the_ends():
    np.testing.assert_array_equal(make_mallows(3, [2, 3, 1], 1e308, rng=0), [[2, 3, 1]] * 3)
    np.testing.assert_array_equal(make_mallows(3, [2, 3, 1], 1000, rng=0), [[2, 3, 1]] * 3)
    assert chi_square(make_mallows(20_000, 4, 1e-300, rng=4), np.full(24, 1 / 24)) < BOUND


def test_mallows_of_many_items():
    X = make_mallows(2000, 50, 0.2, rng=5)
    np.testing.assert_array_equal(np.sort(X, axis=1), np.tile(np.arange(1, 51), (2000, 1)))
    q = np.exp(-0.2)
    sizes = np.arange(1, 51)
    expected = (q / (1 - q) - sizes * q**sizes / (1 - q**sizes)).sum()
    distance = wkendall.distance_matrix(X, np.arange(1, 51)[np.newaxis]).mean()
    assert distance == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("lam", [0, 0.3, 1.2, 800])
@pytest.mark.parametrize("depth", [0, 1, 2, 4])
def test_first_items_of_mallows(lam, depth):
    """The first items have the chances of all rankings that begin with them."""
    chances = {}
    for order in itertools.permutations(range(4)):
        weight = np.exp(-lam * sum(one > two for one, two in itertools.combinations(order, 2)))
        chances[order[:depth]] = chances.get(order[:depth], 0) + weight
    total, m = sum(chances.values()), 40_000
    found = mallows_tops(m, 4, lam, depth, np.random.default_rng(0))
    assert found.shape == (m, depth)
    counts = dict.fromkeys(chances, 0)
    for top in map(tuple, found.tolist()):
        counts[top] += 1
    expected = {top: m * chance / total for top, chance in chances.items()}
    assert sum((counts[top] - many) ** 2 / many for top, many in expected.items() if many > 1e-9) < BOUND
    assert all(not counts[top] for top, many in expected.items() if many < 1e-9)


@pytest.mark.parametrize("strengths", [[1, 1, 1, 1], [4.0, 1.0, 0.5, 2.0], [8e200, 4e200, 2e200, 1e200]])
def test_plackett_luce(strengths):
    X = make_plackett_luce(40_000, strengths, rng=6)
    assert X.dtype == np.int64
    chances = []
    for ranking in FOUR:
        left = [strengths[item] for item in ranking.argsort()]
        chances.append(np.prod([left[place] / sum(left[place:]) for place in range(4)]))
    assert chi_square(X, np.array(chances)) < BOUND


@pytest.mark.parametrize(
    "make",
    [
        lambda rng: make_uniform(20, 6, rng=rng),
        lambda rng: make_mallows(20, 6, 0.5, rng=rng),
        lambda rng: make_plackett_luce(20, np.arange(1, 7), rng=rng),
        lambda rng: make_survey(20, rng=rng).X,
    ],
    ids=["uniform", "mallows", "plackett_luce", "survey"],
)
def test_seeds(make):
    first = make(7)
    np.testing.assert_array_equal(first, make(np.int64(7)))
    np.testing.assert_array_equal(first, make(np.random.default_rng(7)))
    assert (first != make(8)).any()
    assert (make(None) != make(None)).any()
    random = np.random.default_rng(7)
    assert (make(random) != make(random)).any()
    np.testing.assert_array_equal(np.sort(first, axis=1), np.tile(np.arange(1, 7), (20, 1)))


def test_no_rankings_and_one_item():
    with pytest.raises(ValueError, match="strengths is empty"):
        make_plackett_luce(2, [])
    assert make_uniform(0, 3, rng=0).shape == (0, 3)
    assert make_mallows(0, 3, 1, rng=0).shape == (0, 3)
    assert make_plackett_luce(0, [1, 2], rng=0).shape == (0, 2)
    assert make_survey(0, rng=0).X.shape == (0, 6)
    np.testing.assert_array_equal(make_mallows(2, 1, 1.0, rng=0), [[1], [1]])


# Simulated people.


def test_survey_has_the_sizes_of_the_survey():
    people = make_survey(rng=0)
    assert isinstance(people, Survey)
    assert people.X.shape == (12216, 6)
    assert people.X.dtype == people.y.dtype == np.int64
    np.testing.assert_array_equal(np.bincount(people.y), SIZES)
    assert people.items == list(ITEMS)
    assert people.sex is people.age_group is None
    assert people.left_out == 0
    np.testing.assert_array_equal(np.bincount(make_survey(1000, rng=0).y), [468, 532])
    assert 0 < people.y[:50].mean() < 1


def test_survey_follows_its_model():
    people = make_survey(200_000, rng=1)
    for group, classes in enumerate(MODEL):
        chances = group_chances(SIX, classes)
        assert chances.sum() == pytest.approx(1)
        np.testing.assert_allclose(shares(people.X[people.y == group], SIX), chances, atol=0.002)


@needs_survey
def test_survey_is_close_to_the_counts():
    real, drawn = load_eurobarometer(SURVEY), make_survey(rng=0)
    before = np.array([SIX[:, i] < SIX[:, j] for i, j in itertools.combinations(range(6), 2)], dtype=float)
    for group, classes in enumerate(MODEL):
        wanted, found = (shares(people.X[people.y == group], SIX) for people in (real, drawn))
        model = group_chances(SIX, classes)
        np.testing.assert_allclose(SIX.T @ model, SIX.T @ wanted, rtol=0, atol=0.001)
        np.testing.assert_allclose(before @ model, before @ wanted, rtol=0, atol=0.0005)
        for rank in range(1, 7):
            np.testing.assert_allclose((rank == SIX).T @ model, (rank == SIX).T @ wanted, rtol=0, atol=0.035)
        assert abs(model - wanted).sum() / 2 < 0.19
        np.testing.assert_allclose(SIX.T @ found, SIX.T @ wanted, rtol=0, atol=0.05)
        np.testing.assert_allclose(before @ found, before @ wanted, rtol=0, atol=0.02)


# The files of the survey.
