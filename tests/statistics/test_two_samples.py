"""`two_sample_test`: the statistic by its definition, p-values by enumeration, counts of equal rankings."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import wkendall
from definitions import consecutive, distance, mean_discrepancy, random_rankings, splits, squared_discrepancy
from nouns import kernel_of, split
from paths import ROOT, loaded
from wkendall import Kendall, Mallows, Rankings
from wkendall.datasets import make_mallows, make_uniform
from wkendall.statistics import permutations
from wkendall.statistics.permutations import Groups, TestResult, null_distribution

U = np.random.default_rng(5).standard_normal((5, 5))
W = np.einsum("ab,cd->abcd", np.triu(U, 1), np.triu(U, 1))
KENDALL = {
    "standard": {"weight": "standard"},
    "signed": {"signed": True},
    "by its weight": {"weight": "average", "signed": True},
    "top": {"weight": "top", "k": 3},
    "add": {"weight": "add", "u": "log"},
    "mult": {"weight": "mult", "u": "hyperbolic", "normalize": True},
    "U": {"U": U},
    "W": {"W": W},
    "order 3": {"order": 3},
    "order 1": {"order": 1, "weight": "mult", "u": "log"},
    "other end": {"weight": "top", "k": 2, "top": "high"},
    "orders": {"weight": "top", "k": 2, "input": "orders"},
}


def outcome(*groups, **options):
    """The test, for its own options and those of a kernel and of reading."""
    own = {"rng": 0, "n_permutations": 19}
    own |= {name: options.pop(name) for name in ("rng", "n_permutations", "n_jobs", "progress") if name in options}
    kernel, reading = split(options)
    rankings = [Rankings(group, **reading) for group in groups] if reading else groups
    return wkendall.two_sample_test(*rankings, kernel=kernel_of(kernel) if kernel else None, **own)


def close(found, wanted, scale=1.0):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * scale)


def plain(X, lam):
    """The Mallows kernel of complete rankings, one pair after the other."""
    return np.exp(-lam * np.array([[distance(s, t) for t in X] for s in X]))


@pytest.mark.parametrize("n", range(2, 7))
@pytest.mark.parametrize("sizes", [(2, 2), (2, 9), (12, 7), (3, 4, 5), (2, 2, 2, 6)])
def test_the_statistic(n, sizes):
    X = random_rankings(np.random.default_rng([n, *sizes]), sum(sizes), n)
    groups = [X[rows] for rows in consecutive(sizes)]
    for lam in (0.0, 0.3, 2.0, None):
        result = outcome(*groups, **({} if lam is None else {"lam": lam}))
        K = plain(X.tolist(), result.kernel.lam)
        close(result.statistic, mean_discrepancy(K, consecutive(sizes)))
        for a, first in enumerate(consecutive(sizes)):
            for b, second in enumerate(consecutive(sizes)):
                close(result.pairwise[a, b], 0 if a == b else squared_discrepancy(K, first, second))
    assert result.kernel.lam > 0


@pytest.mark.parametrize("n", [0, 1])
def test_rankings_that_say_nothing(n):
    X = random_rankings(np.random.default_rng(0), 7, n)
    for options in ({}, {"weight": "standard"}, {"lam": 1.0}):
        assert tuple(outcome(X[:3], X[3:], **options)) == (0.0, 1.0)


@pytest.mark.parametrize("name", KENDALL)
def test_every_kernel(name):
    X = random_rankings(np.random.default_rng(1), 17, 5)
    options = KENDALL[name]
    result = outcome(X[:8], X[8:], **options)
    K = wkendall.gram_matrix(X, **options)
    close(result.statistic, squared_discrepancy(K, *consecutive((8, 9))), np.abs(K).max())
    assert result.kernel == kernel_of(options)


INCOMPLETE = np.array(
    [[1, 2, 2, np.nan], [np.nan, 1, np.nan, 2], [1, 1, 1, 1], [4, 3, 2, 1], [1, 2, 2, 4], [1, 1, 2, np.nan]]
)


@pytest.mark.parametrize("missing", ["bottom", "anywhere"])
@pytest.mark.parametrize("normalize", [None, False, True])
def test_ties_and_missing_items(missing, normalize):
    X = Rankings(INCOMPLETE[np.random.default_rng(2).integers(6, size=19)], ties="mean", missing=missing)
    result = outcome(X[:10], X[10:], **({} if normalize is None else {"lam": 0.4, "normalize": normalize}))
    if normalize is None:
        D = wkendall.distance_matrix(X)
        D = D - (D.diagonal()[:, None] + D.diagonal()) / 2
        close(result.kernel.lam, 2 / (D.sum() / (19 * 18)), result.kernel.lam)
        assert result.kernel.normalize
    close(result.statistic, squared_discrepancy(result.kernel(X), *consecutive((10, 9))))
    other = outcome(X[:10], X[10:], weight="standard", normalize=bool(normalize))
    K = wkendall.gram_matrix(X, normalize=bool(normalize))
    close(other.statistic, squared_discrepancy(K, *consecutive((10, 9))), K.max())


def test_lists_out_of_a_large_catalogue():
    """Self-similarities of long rankings with ties are too small for a float, which the normalized kernel does not need."""
    rng = np.random.default_rng(3)
    columns = np.concatenate([rng.choice(30, 5, replace=False) + shift for shift in [0] * 15 + [20] * 15])
    X = scipy.sparse.csr_array((np.tile(np.arange(1, 6), 30), columns, np.arange(0, 151, 5)), shape=(30, 100_000))
    result = outcome(X[:15], X[15:], missing="bottom", n_permutations=199)
    assert result.pvalue == 1 / 200
    assert 0 < result.statistic < 2


def test_the_rate():
    """2 divided by the mean distance of two people."""
    X = random_rankings(np.random.default_rng(4), 11, 4)
    pairs = [distance(X[i], X[j]) for i in range(11) for j in range(11) if i != j]
    close(outcome(X[:5], X[5:]).kernel.lam, 2 / np.mean(pairs))
    assert outcome(X[[0] * 3], X[[0] * 4]).kernel == Mallows(1.0, normalize=True)


@pytest.mark.parametrize("options", [{}, {"weight": "top", "k": 2}, {"weight": "mult", "u": "log", "normalize": True}])
def test_p_values_by_enumeration(options):
    """All 35 splits of seven people, each as probable as the others."""
    X = random_rankings(np.random.default_rng(6), 7, 4)
    X[5] = X[0]
    result = outcome(X[:3], X[3:], n_permutations=20_000, **options)
    K = wkendall.gram_matrix(X, **options) if options else plain(X.tolist(), result.kernel.lam)
    every = np.array([squared_discrepancy(K, *split) for split in splits(7, 3)])
    exact = (every >= result.statistic - 1e-9).mean()
    assert abs(result.pvalue - exact) < 5 * (exact * (1 - exact) / 20_000) ** 0.5 + 1e-4
    nearest = np.abs(result.null_distribution[:, None] - every).min(axis=1)
    assert nearest.max() < 1e-12
    # Each split is drawn as often as the others: counts of equal statistics, by their places in order.
    values, wanted = np.unique(every.round(9), return_counts=True)
    counts = np.bincount(np.abs(result.null_distribution[:, None] - values).argmin(axis=1), minlength=len(values))
    expected = wanted / 35 * 20_000
    assert ((counts - expected) ** 2 / expected).sum() < 3 * len(values) + 15


def test_rounding_makes_no_statistic_smaller():
    """Of two different rankings only their numbers in a group matter: all kernels have the same p-value."""
    a, b = [1, 2, 3, 4, 5], [2, 5, 1, 3, 4]
    X, Y = np.array([a] * 4 + [b] * 2), np.array([a] * 2 + [b] * 4)
    found = set()
    for options in (*KENDALL.values(), {"lam": 0.1234}, {"lam": 3.3}, {}):
        if options.get("input") == "orders" or options.get("k") == 2:
            continue  # both rankings may be alike for these
        result = outcome(X, Y, n_permutations=499, **options)
        found.add(result.pvalue)
    assert len(found) == 1
    # Exactly: four of the first kind, or more, or two or fewer, of 12 people in halves.
    assert abs(found.pop() - (1 - 400 / 924)) < 0.1


@pytest.mark.parametrize("exponent", [-70, 20, 66])
def test_huge_and_tiny_weights(exponent):
    """Sums over many people neither overflow nor vanish."""
    X = make_mallows(300, 5, 0.2, rng=0)
    u = np.array([5.0, 4, 3, 2, 1])
    plainly = outcome(X[:100], X[100:], weight="mult", u=u)
    found = outcome(X[:100], X[100:], weight="mult", u=u * 10.0**exponent)
    np.testing.assert_allclose(found.statistic / 10.0 ** (4 * exponent), plainly.statistic, rtol=1e-9)
    assert found.pvalue == plainly.pvalue
    labels = ["a"] * 100 + ["b"] * 200
    one, other = (
        wkendall.independence_test(X, labels, kernel=Kendall("mult", u=weights), rng=0, n_permutations=19)
        for weights in (u * 10.0**exponent, u)
    )
    assert one.pvalue == other.pvalue


def test_too_many_people():
    X = [[1, 2], [2, 1]]
    groups = [Rankings(X, counts=[10**9, 1])] * 2
    with pytest.raises(ValueError, match=r"^there are 2000000002 people, but a test takes fewer than 1000000000$"):
        outcome(*groups)
    groups = [Rankings(X, counts=[10**8, 2 * 10**8]), Rankings(X, counts=[10**8, 10**8])]
    assert outcome(*groups, n_permutations=9).pvalue == 0.1


@pytest.mark.parametrize("sizes", [(3, 4), (2, 3, 2)])
@pytest.mark.parametrize("shuffles", [0, 10**9], ids=["by counts", "by people"])
def test_draws(sizes, shuffles, monkeypatch):
    """Tables have the right sums, and each as often as people make it."""
    monkeypatch.setattr(permutations, "PEOPLE", shuffles)
    counts = np.array([4, 1, 2])
    groups = Groups(np.zeros((3, 3)), counts, np.array(sizes))
    tables = groups.draw(np.random.default_rng(8), 6000)
    assert tables.shape == (6000, len(sizes) - 1, 3)
    assert (tables.sum(axis=2) == sizes[:-1]).all()
    assert (tables >= 0).all()
    assert (tables.sum(axis=1) <= counts).all()
    # The same of people, shuffled one table after the other.
    rng, people = np.random.default_rng(9), np.repeat(np.arange(3), counts)
    wanted = np.array([
        [np.bincount(part, minlength=3) for part in np.split(rng.permutation(people), np.cumsum(sizes)[:-1])[:-1]]
        for _ in range(6000)
    ])  # fmt: skip
    (_, found), (_, expected) = (
        np.unique(np.concatenate([some, tables, wanted]).reshape(-1, tables[0].size), axis=0, return_counts=True)
        for some in (tables, wanted)
    )
    assert len(found) == len(expected)
    difference = found - expected
    both = (found + expected) / 3
    assert (difference**2 / both).sum() < 3 * len(found) + 15


@pytest.mark.parametrize("people", [40, 3000])
def test_the_same_for_a_seed(people):
    X = make_uniform(people, 5, rng=0)
    groups = X[: people // 3], X[people // 3 :]
    one = outcome(*groups, n_permutations=299, n_jobs=1)
    for n_jobs in (2, -1, None):
        other = outcome(*groups, n_permutations=299, n_jobs=n_jobs)
        assert tuple(one) == tuple(other)
        assert (one.null_distribution == other.null_distribution).all()
    assert (
        outcome(*groups, rng=np.random.default_rng(0)).null_distribution == outcome(*groups).null_distribution
    ).all()
    assert (outcome(*groups, rng=None).null_distribution != outcome(*groups).null_distribution).any()
    generator = np.random.default_rng(0)
    assert (
        outcome(*groups, rng=generator).null_distribution != outcome(*groups, rng=generator).null_distribution
    ).any()


def test_batches(monkeypatch):
    """A batch has few numbers, and all permutations are done."""
    X = make_uniform(60, 6, rng=1)
    monkeypatch.setattr(permutations, "BATCH_NUMBERS", 500)
    result = outcome(X[:20], X[20:40], X[40:], n_permutations=101)
    assert len(result.null_distribution) == 101
    assert abs(result.null_distribution.mean()) < 0.02
    seen = []
    null_distribution(lambda batch: seen.append(batch) or np.zeros(batch), 101, 25, (False, ""))
    assert seen == [25, 25, 25, 25, 1]


def test_what_comes_back():
    X = make_mallows(12, 4, 0.5, rng=0)
    result = outcome(X[:6], X[6:])
    statistic, pvalue = result
    assert (statistic, pvalue) == (result.statistic, result.pvalue) == result[:2]
    assert repr(result) == f"TestResult(statistic={statistic!r}, pvalue={pvalue!r})"
    for other in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert type(other) is TestResult
        assert other == result
        assert (other.null_distribution == result.null_distribution).all()
        assert other.kernel == result.kernel
    assert TestResult.__test__ is False


def test_data_frames():
    X = make_mallows(12, 4, 0.5, rng=0)
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert outcome(frame[:6], frame[6:]) == outcome(X[:6], X[6:])
    # Items are matched by name.
    assert outcome(frame[:6], frame[6:][list("dacb")]) == outcome(X[:6], X[6:])
    with pytest.raises(
        wkendall.RankingError, match=r"^groups\[0\] has the item 'd', but groups\[1\] does not"
    ) as caught:
        outcome(frame[:6], pd.DataFrame(X[6:], columns=list("abce")))
    assert (caught.value.argument, caught.value.value, caught.value.kind) == ("groups[1]", "d", "items differ")
    # Each group may count from 0 or from 1.
    assert outcome(X[:6] - 1, X[6:]) == outcome(X[:6], X[6:])


def test_too_many_different_rankings(leave_memory):
    X = make_uniform(60, 6, rng=1)
    leave_memory(1000)
    with pytest.raises(
        ValueError, match=r"takes .* KiB, but only 1000.0 B .*: the test needs the kernel .* random part of each"
    ):
        outcome(X[:30], X[30:])
    with pytest.raises(ValueError, match=r"result of 1000000 float64 values .*: ask for fewer permutations"):
        outcome(X[:30], X[30:], n_permutations=1_000_000)


def test_counts_stand_for_people():
    rng = np.random.default_rng(10)
    X, counts = random_rankings(rng, 20, 4), rng.integers(0, 6, 20)
    people = Rankings(X, counts=counts)
    one, two = np.repeat(X[:12], counts[:12], axis=0), np.repeat(X[12:], counts[12:], axis=0)
    wanted = outcome(one, two, n_permutations=99)
    for groups in ((people[:12], people[12:]), (people[:12], two), (people[:12].distinct(), people[12:].distinct())):
        found = outcome(*groups, n_permutations=99)
        assert tuple(found) == pytest.approx(tuple(wanted), rel=1e-12)
        assert found.kernel.lam == pytest.approx(wanted.kernel.lam, rel=1e-12)
        np.testing.assert_allclose(found.pairwise, wanted.pairwise, rtol=1e-12)
    with pytest.raises(wkendall.RankingError, match=r"^groups\[1\] has 1 ranking, but a group must have at least 2"):
        outcome(people, Rankings([[1, 2, 3, 4]] * 2, counts=[1, 0]))


@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_labels_without_their_name(kind):
    X, labels = wkendall.datasets.make_uniform(4, 3, rng=0), kind(["a", "a", "b", "b"])
    with pytest.raises(
        TypeError, match=r"for each group, not .*; a label for each row is groups: two_sample_test\(X, gro"
    ):
        wkendall.two_sample_test(X, labels)
    with pytest.raises(wkendall.RankingError, match="1-dimensional"):
        wkendall.two_sample_test(X, [1, 2, 3])


def test_kinds_of_groups():
    """Complete rankings, ties, lists: groups of different kinds can be compared."""
    rng = np.random.default_rng(11)
    X = random_rankings(rng, 16, 5).astype(float)
    Y = np.where(X > 3, np.nan, X)
    lists = Rankings(scipy.sparse.csr_array(np.nan_to_num(Y)), missing="bottom")
    wanted = outcome(X[:8], Y[8:], missing="bottom")
    for second in (Rankings(Y, missing="bottom")[8:], lists[8:]):
        assert tuple(outcome(X[:8], second)) == pytest.approx(tuple(wanted), rel=1e-12)


# Level and power, beside a test of mean ranks: a short run of the script behind the docs.

group_powers = loaded(ROOT / "examples/group_powers.py")
NULL = [model for model in group_powers.MODELS if model.startswith("no difference")]
REVERSED = "a ranking or its reverse, half of them noise"


@pytest.mark.parametrize("model", NULL)
def test_level(model):
    """Of 400 data sets 20 are expected, with a standard deviation of 4.4."""
    for found in group_powers.rejected(model, 5, 400, 99, seed=1):
        assert 0.015 < found < 0.09


def test_power_where_mean_ranks_are_equal():
    found, mean_ranks = group_powers.rejected(REVERSED, 5, 150, 99, seed=2)
    assert found >= 0.8
    assert mean_ranks < 0.15


@pytest.mark.parametrize("model", [model for model in group_powers.MODELS if model not in NULL])
def test_power_of_the_others(model):
    """Little power is lost where mean ranks differ."""
    found, mean_ranks = group_powers.rejected(model, 8, 100, 99, seed=3)
    assert found > mean_ranks - 0.15
    assert found > 0.15
