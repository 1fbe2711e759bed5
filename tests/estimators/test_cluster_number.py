"""`cluster_number`: its definition, mixtures that are found, simulations with the ties and missing items of the data."""

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from wkendall import Mallows, RankingError, Rankings, cluster_number
from wkendall.datasets import make_mallows, make_uniform
from wkendall.estimators import KendallKMeans
from wkendall.estimators.cluster_number import MAX_PEOPLE, _Reference, _squares

CENTERS = ([1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1], [4, 1, 7, 2, 6, 3, 5], [3, 6, 1, 5, 2, 7, 4])


def mixture(clusters, lam=1.2, people=120):
    return np.concatenate([make_mallows(people // clusters, CENTERS[c], lam, rng=c) for c in range(clusters)])


@pytest.mark.parametrize("clusters", [1, 2, 3, 4])
def test_mixtures(clusters):
    X = mixture(clusters)
    for kernel in (None, Mallows(0.2)):
        found = cluster_number(X, kernel, max_clusters=5, n_references=10, rng=0)
        assert found.n_clusters == clusters
        assert found.gap.shape == found.error.shape == (clusters,)
    assert cluster_number(X, max_clusters=1, rng=0).n_clusters == 1


def test_the_gap_and_the_choice(monkeypatch):
    """Falls of the logarithms of the sums of squares, and the first number whose gap is small."""
    rng, calls, chosen = np.random.default_rng(0), [], set()
    monkeypatch.setattr(_Reference, "__init__", lambda self, rankings, *_: setattr(self, "rankings", rankings))
    monkeypatch.setattr(_Reference, "draw", lambda self, _: self.rankings)

    def fake(rankings, _weights, _model, numbers, _random):
        found = [10 * rng.uniform(*((0.2, 0.5) if len(numbers) == 1 else (0.49, 0.51))) ** k for k in numbers]
        calls.append((tuple(numbers), found))
        return found, np.arange(len(rankings)) % max(numbers)

    monkeypatch.setattr("wkendall.estimators.cluster_number._squares", fake)
    for _ in range(9):
        calls.clear()
        found = cluster_number(make_uniform(9, 4, rng=0), max_clusters=4, n_references=5, rng=0)
        own = [squares[0] for numbers, squares in calls if len(numbers) == 1]
        least = 1e-6 * own[0]
        for k, (gap, error) in enumerate(zip(found.gap, found.error, strict=True), 1):
            falls = [
                np.log((a + least) / (b + least))
                for numbers, (a, *rest) in calls
                if numbers == (k, k + 1)
                for b in rest
            ]
            mean = sum(falls) / 5
            assert gap == pytest.approx(np.log((own[k - 1] + least) / (own[k] + least)) - mean)
            assert error == pytest.approx((sum((fall - mean) ** 2 for fall in falls) / 4 * 1.2) ** 0.5)
            assert (gap <= max(0.03, 2 * error)) == (k == found.n_clusters)
        assert found.n_clusters == len(found.gap) or (found.n_clusters, len(found.gap)) == (4, 3)
        chosen.add(found.n_clusters)
    assert len(chosen) > 1


def test_sums_of_squares():
    X, weights = mixture(2, people=40), np.linspace(0.1, 1, 40)
    found, labels = _squares(Rankings(X), weights, KendallKMeans(n_init=5), (1, 3, 2), np.random.default_rng(0))
    for k, square in zip((1, 3, 2), found, strict=True):
        model = KendallKMeans(k, n_init=20, random_state=0).fit(X, sample_weight=weights)
        assert square == pytest.approx(model.inertia_, rel=0.01)
    assert len({*zip(labels, model.labels_, strict=True)}) == 2


INCOMPLETE = np.array([[1, 2, 2, np.nan], [np.nan, 1, np.nan, 2], [4, 3, 2, 1], [1, 1, 2, np.nan]])


@pytest.mark.parametrize("missing", ["bottom", "anywhere"])
def test_references_have_the_same_ties_and_gaps(missing):
    X = Rankings(INCOMPLETE[np.arange(80) % 4], ties="mean", missing=missing)
    weights, model = np.ones(80), KendallKMeans(n_init=2)
    reference = _Reference(X, weights, model, np.random.default_rng(0))
    drawn = reference.draw(np.random.default_rng(1))
    assert (drawn.kind, drawn.shape, drawn._missing) == (X.kind, X.shape, missing)
    ours, theirs = X._ranks(), drawn._ranks()
    np.testing.assert_array_equal(np.sort(ours, axis=1), np.sort(theirs, axis=1))
    if missing == "anywhere":
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
    several = [X, *(reference.draw(np.random.default_rng(seed)) for seed in range(20))]
    wide, *others = (_squares(some, weights, model, (1,), np.random.default_rng(0))[0][0] for some in several)
    assert np.mean(others) == pytest.approx(wide, rel=0.05)


def short_lists(groups, people=60, n=5000):
    """Lists of two to five items with ties; each group draws from ten items of its own."""
    rng, rows = np.random.default_rng(0), []
    for person in range(people):
        items = (rng.permutation(10) + 10 * (person % groups)).tolist()
        rows.append([items[0], set(items[1:3]), *items[3 : 3 + person % 3]] if person % 4 else items[:2])
    return wkendall.from_lists(rows, items=range(n))


def test_references_of_short_lists():
    X, weights, model = short_lists(1), np.ones(60), KendallKMeans(n_init=2)
    reference = _Reference(X, weights, model, np.random.default_rng(0))
    assert reference.short
    drawn = [reference.draw(np.random.default_rng(seed)) for seed in range(20)]
    for some in drawn:
        assert (some.kind, some.shape, some._missing) == (X.kind, X.shape, "bottom")
        np.testing.assert_array_equal(some._listed, X._listed)
        np.testing.assert_array_equal(np.sort(some._ranks(), axis=1), np.sort(X._ranks(), axis=1))
    wide, *others = (_squares(some, weights, model, (1,), np.random.default_rng(0))[0][0] for some in [X, *drawn])
    assert np.mean(others) == pytest.approx(wide, rel=0.05)
    # The items that most people list are at the centre of the model.
    assert set(reference.order[:10]) == set(range(10))


def test_short_lists_out_of_many_items():
    """Time and memory do not grow with the number of items."""
    for groups in (1, 3):
        assert cluster_number(short_lists(groups, people=90, n=10**6), n_references=3, rng=0).n_clusters == groups
    weights = np.arange(60) % 3 == 0
    assert cluster_number(short_lists(3), sample_weight=weights, n_references=3, rng=0).n_clusters == 1


def test_lists_and_counts_and_weights():
    lists = wkendall.from_lists([["a", "b", "c"]] * 30 + [["x", "y", "z"]] * 30)
    assert cluster_number(lists, rng=0).n_clusters == 2
    X, counts = mixture(2, people=60), np.arange(60) % 3
    by_counts = cluster_number(Rankings(X, counts=counts), rng=0, n_references=3)
    by_rows = cluster_number(np.repeat(X, counts, axis=0), rng=0, n_references=3)
    np.testing.assert_array_equal(by_counts.gap, by_rows.gap)
    # Without the people of one cluster there is one.
    assert cluster_number(X, sample_weight=np.arange(60) < 30, rng=0).n_clusters == 1


@pytest.mark.parametrize("X", [[[1, 2, 3]], [[1]] * 5, [[2, 1]] * 9, random_rankings(np.random.default_rng(0), 3, 4)])
def test_little(X):
    found = cluster_number(X, rng=0)
    assert found.n_clusters == 1
    assert np.isfinite([*found.gap, *found.error]).all()


def test_seeds_and_many_people(capsys):
    X = np.tile(mixture(2), (10, 1))
    assert len(X) > MAX_PEOPLE
    one, two = (cluster_number(X, rng=5, n_references=3, n_jobs=jobs, progress=jobs == 1) for jobs in (1, 2))
    assert one.n_clusters == two.n_clusters == 2
    np.testing.assert_array_equal(one.gap, two.gap)
    assert "cluster_number" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "argument"),
    [({"max_clusters": 0}, "max_clusters"), ({"n_references": 1}, "n_references"), ({"X": np.zeros((0, 3))}, "X")],
)
def test_bad_input(options, argument):
    with pytest.raises(RankingError) as caught:
        cluster_number(**({"X": [[1, 2], [2, 1]]} | options))
    assert caught.value.argument == argument
