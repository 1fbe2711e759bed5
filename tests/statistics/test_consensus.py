"""The consensus of rankings, compared with all rankings tried one by one, an integer program, and a naive search."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import wkendall
from definitions import completions, random_rankings, random_rows
from wkendall import Kendall, Rankings, TensorKernel


def every_ranking(n):
    return np.array(list(permutations(range(1, n + 1))), dtype=np.int64).reshape(-1, n)


def margins(X, weights=None):
    """For each pair of items how many rankings have the first one before the second, less those that have not."""
    weights = np.ones(len(X)) if weights is None else weights
    return np.einsum("p,pij->ij", weights, np.sign(X[:, None, :] - X[:, :, None]))


def of_order(D, ranking):
    order = np.argsort(ranking)
    return np.triu(D[np.ix_(order, order)], 1).sum()


def test_local_search_finds_the_optimum_of_random_profiles():
    rng = np.random.default_rng(0)
    found = 0
    for seed in range(40):
        X = random_rankings(rng, int(rng.integers(3, 30)), 12)
        exact = wkendall.consensus(X, method="exact")
        local = wkendall.consensus(X, method="local", rng=seed)
        assert local.score <= exact.score <= local.bound
        found += local.score == exact.score
    assert found >= 39


def test_items_that_can_be_anywhere():
    X = random_rows(np.random.default_rng(7), 6, 4)
    rankings = Rankings(X, ties="mean", missing="anywhere")
    found = wkendall.consensus(rankings)
    assert found.score == pytest.approx(wkendall.gram_matrix(every_ranking(4), rankings).mean(axis=1).max())
    assert found.optimal
    borda = wkendall.consensus(rankings, method="borda").ranking
    means = np.mean([np.mean(completions(row, "anywhere"), axis=0) for row in X], axis=0)
    np.testing.assert_array_equal(borda, means.argsort(kind="stable").argsort() + 1)
    with pytest.raises(ValueError, match="the weight must be the standard one"):
        wkendall.consensus(rankings, kernel=Kendall("average"))


def test_a_stack_and_factors_of_weights():
    rng = np.random.default_rng(9)
    X, stack, vectors = random_rankings(rng, 5, 5), rng.standard_normal((2, 5, 5)), rng.standard_normal((2, 3, 5))
    weights = rng.random(5)
    kernels = [TensorKernel(stack), TensorKernel(tuple(vectors)), Kendall("mult", u="log", signed=True, normalize=True)]
    for kernel in (*kernels, TensorKernel(wkendall.position_weights(5, "average"))):
        best = (wkendall.gram_matrix(every_ranking(5), X, kernel) @ weights).max() / weights.sum()
        for method in ("exact", "local"):
            found = wkendall.consensus(X, kernel=kernel, sample_weight=weights, method=method, rng=0)
            assert found.score == pytest.approx(best, rel=1e-10)
    named = wkendall.consensus(X, kernel=Kendall("average"))
    given = wkendall.consensus(X, kernel=TensorKernel(wkendall.position_weights(5, "average")))
    assert named.score == pytest.approx(given.score)


@pytest.mark.parametrize("method", ["auto", "local"])
def test_a_condorcet_order_is_found(method):
    rng = np.random.default_rng(10)
    for n in (5, 12, 40, 150):
        ranks = rng.permutation(n) + 1
        # Each ranking reverses a few adjacent items; most rankings keep each pair.
        X = np.array([ranks] * 9)
        for row in X:
            first = rng.integers(1, n)
            row[ranks == first], row[ranks == first + 1] = first + 1, first
        assert (margins(X)[np.ix_(np.argsort(ranks), np.argsort(ranks))][np.triu_indices(n, 1)] > 0).all()
        found = wkendall.consensus(X, method=method, rng=0)
        np.testing.assert_array_equal(found.ranking, ranks)
        assert found.optimal
        assert found.bound == found.score


def test_groups_of_items_one_after_the_other_are_ordered_exactly():
    rng = np.random.default_rng(12)
    blocks = [random_rankings(rng, 7, 11), random_rankings(rng, 7, 14)]
    X = np.hstack([blocks[0], blocks[1] + 11])
    found = wkendall.consensus(X, rng=0)
    parts = [wkendall.consensus(block, method="exact") for block in blocks]
    assert found.optimal
    assert found.score == pytest.approx(parts[0].score + parts[1].score + 11 * 14)
    assert wkendall.consensus(X, method="exact", rng=0)[1:] == found[1:]


def test_the_bound_of_many_items_is_a_bound():
    rng = np.random.default_rng(13)
    X = random_rankings(rng, 11, 24)
    pairs = np.abs(margins(X)).sum() / 2
    found = wkendall.consensus(X, rng=0)
    majority = (pairs + 11 * 24 * 23 / 2) / 2 / 11
    assert found.score <= found.bound <= majority
    for options in ({"weight": "top", "k": 9}, {"weight": "mult", "u": "log"}, {"weight": "average"}):
        weighted = wkendall.consensus(X, kernel=Kendall(**options), rng=0)
        same = wkendall.consensus(X[:1], kernel=Kendall(**options), rng=0)
        assert weighted.score <= weighted.bound
        np.testing.assert_allclose(same.score, wkendall.kernel(X[0], X[0], **options))
        assert same.optimal


def test_borda_is_the_order_of_mean_ranks():
    rng = np.random.default_rng(14)
    X, weights = random_rankings(rng, 6, 30), rng.random(6)
    found = wkendall.consensus(X, sample_weight=weights, method="borda")
    np.testing.assert_array_equal(found.ranking, (weights @ X).argsort(kind="stable").argsort() + 1)
    assert found.score <= wkendall.consensus(X, sample_weight=weights, rng=0).score <= found.bound


def test_whole_weights_are_exact_and_any_scale_gives_the_same():
    rng = np.random.default_rng(17)
    X, weights = random_rankings(rng, 30, 9), rng.integers(0, 10**9, 30)
    found = wkendall.consensus(X, sample_weight=weights)
    D = margins(X, weights)
    exact = (of_order(D, found.ranking) + weights.sum() * 36) / 2 / weights.sum()
    assert found.score == pytest.approx(exact, rel=1e-15)
    for scale in (1e-300, 1e290):
        other = wkendall.consensus(X, sample_weight=weights * scale)
        np.testing.assert_array_equal(other.ranking, found.ranking)
        assert other.score == pytest.approx(found.score, rel=1e-12)
    repeated = wkendall.consensus(np.repeat(X, weights % 5, axis=0))
    assert repeated.score == wkendall.consensus(X, sample_weight=weights % 5).score


def test_items_are_named():
    X = [[2, 1, 3], [2, 3, 1], [2, 1, 3]]
    assert wkendall.consensus(X).items == [1, 0, 2]
    assert wkendall.consensus(Rankings(X, items=["pear", "fig", "plum"])).items == ["fig", "pear", "plum"]
    assert wkendall.consensus(pd.DataFrame(X, columns=["pear", "fig", "plum"])).items == ["fig", "pear", "plum"]
    assert wkendall.consensus(Rankings(X, items=[(1, 2), None, 7.5])).items == [None, (1, 2), 7.5]


def test_counts_are_weights():
    rng = np.random.default_rng(19)
    X, counts = random_rankings(rng, 12, 7), rng.integers(0, 9, 12)
    counted, wanted = Rankings(X, counts=counts), wkendall.consensus(X, sample_weight=counts)
    repeated = wkendall.consensus(np.repeat(X, counts, axis=0))
    for found in (wkendall.consensus(counted), wkendall.consensus(counted.distinct()), repeated):
        np.testing.assert_array_equal(found.ranking, wanted.ranking)
        assert found[1:] == wanted[1:]
    # Weights replace counts.
    plain = wkendall.consensus(X)
    found = wkendall.consensus(counted, sample_weight=np.ones(12))
    np.testing.assert_array_equal(found.ranking, plain.ranking)
    assert found[1:] == plain[1:]
    with pytest.raises(ValueError, match=r"^counts is zero for all rankings"):
        wkendall.consensus(Rankings(X, counts=np.zeros(12)))


@pytest.mark.parametrize("method", ["auto", "exact", "local", "borda"])
@pytest.mark.parametrize("signed", [False, True])
def test_items_that_no_list_has_are_last(method, signed, monkeypatch):
    """They are left out of the search, which changes neither score nor bound; a weight of 0 counts as no list."""
    rng, kernel = np.random.default_rng(0), wkendall.Kendall(signed=signed)
    for _ in range(15):
        n, m = rng.integers(4, 14), rng.integers(1, 9)
        known, rows = rng.permutation(n)[: rng.integers(1, n // 2 + 1)], []
        for length in rng.integers(0, len(known) + 1, size=m):
            row = rng.permutation(known)[:length].tolist()
            rows.append([row[0], set(row[1:3]), *row[3:]] if length > 2 and rng.random() < 0.5 else row)
        lists, weights = wkendall.from_lists(rows, items=range(n)), rng.integers(0, 4, m) + np.eye(m)[0]
        how = {"kernel": kernel, "sample_weight": weights, "method": method, "rng": 0}
        found = wkendall.consensus(lists, **how)
        every = wkendall.Rankings(np.asarray(lists), ties="mean", missing="bottom")
        whole = wkendall.consensus(every, **how)
        assert (found.score, found.bound) == pytest.approx((whole.score, whole.bound))
        assert found.score == pytest.approx(weights @ kernel(found.ranking[np.newaxis], every)[0] / weights.sum())
        assert found.optimal == whole.optimal
        assert whole.unique in (None, found.unique)
        listed = {item for row, weight in zip(rows, weights, strict=True) if weight
                  for part in row for item in (part if isinstance(part, set) else [part])}  # fmt: skip
        assert set(found.items[: len(listed)]) == listed or method == "borda"


def test_lists_out_of_a_very_large_catalogue():
    lists = wkendall.from_lists([[5, 900_000, 7], [900_000, 5], [7]], items=range(10**6))
    found = wkendall.consensus(lists)
    assert found.items[:4] == [900_000, 5, 7, 0] or found.items[:4] == [5, 900_000, 7, 0]
    assert found.optimal
    assert found.unique is False


@pytest.mark.parametrize("span", [5, 15, 30, 60])
def test_steep_weights_with_ties_keep_their_digits(span):
    """Tied items add nothing to a signed kernel, not even rounding of their weights, which can be far larger."""
    rng = np.random.default_rng(span)
    for _ in range(60):
        n = int(rng.integers(3, 6))
        u = np.sort(10.0 ** -(rng.random(n) * span))[::-1]
        X = rng.integers(1, 3, (int(rng.integers(1, 4)), n))
        tied, kernel = Rankings(X, ties="mean"), Kendall("mult", u=u, signed=True)
        found = wkendall.consensus(tied, kernel=kernel, rng=0)
        score = kernel([found.ranking], tied).mean()
        size = np.sqrt(wkendall.diagonal(tied, kernel)).mean() * np.sqrt(kernel(found.ranking, found.ranking))
        assert abs(found.score - score) <= 1e-12 * size
        scaled = wkendall.consensus(tied, kernel=Kendall("mult", u=u, signed=True, normalize=True), rng=0)
        assert abs(scaled.score) <= 1 + 1e-9
