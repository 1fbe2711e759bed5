"""Groups by labels, blocks, weights, every two groups, pairs of items: definitions with loops, and all permutations."""

import tracemalloc
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
import wkendall
from definitions import random_rankings, squared_discrepancy
from wkendall import Kendall, RankingError, Rankings, pair_differences, two_sample_test
from wkendall.statistics.permutations import holm

KERNEL = Kendall()
INCOMPLETE = np.array(
    [[1, 2, 2, np.nan], [np.nan, 1, np.nan, 2], [4, 3, 2, 1], [1, 1, 2, np.nan], [np.nan, np.nan, 1, 2]]
)


def rankings(seed, people, n=4):
    return random_rankings(np.random.default_rng(seed), people, n)


def weighted_discrepancy(K, w, first, second):
    """The squared distance of weighted means, minus the variances of the means, each estimated without bias."""
    total = 0.0
    for group, other in ((first, second), (second, first)):
        a, b = (np.array([w[i] for i in some]) / sum(w[i] for i in some) for some in (group, other))
        square = sum(a[i] * a[j] * K[p, q] for i, p in enumerate(group) for j, q in enumerate(group))
        spread = sum(a[i] * K[p, p] for i, p in enumerate(group)) - square
        one = sum(a**2)
        total += square - one / (1 - one) * spread
        total -= sum(a[i] * b[j] * K[p, q] for i, p in enumerate(group) for j, q in enumerate(other))
    return total


@pytest.mark.parametrize("labels", ["baabbabab", [2, 10, 10, 2, 2, 10, 2, 10, 2], np.arange(9) % 2 == 0])
def test_labels(labels):
    X, labels = rankings(0, 9), list(labels)
    names = sorted(set(labels))
    parts = [X[[label == name for label in labels]] for name in names]
    wanted = two_sample_test(*parts, kernel=KERNEL, rng=0, n_permutations=99)
    for given in (labels, np.array(labels), pd.Series(labels), pd.DataFrame({"g": labels}), pd.Categorical(labels)):
        found = two_sample_test(X, groups=given, kernel=KERNEL, rng=0, n_permutations=99)
        assert found == pytest.approx(wanted, rel=1e-12)
        assert found.groups == names
    ordered = pd.Categorical(labels, categories=names[::-1], ordered=True)
    assert two_sample_test(X, groups=ordered, n_permutations=9).groups == names[::-1]


def outcomes(group, blocks):
    """All assignments within blocks, each as often as permutations make it."""
    parts = [np.flatnonzero(np.array(blocks) == block) for block in sorted(set(blocks))]
    for orders in product(*(permutations(part) for part in parts)):
        found = np.empty(len(group), dtype=int)
        for part, order in zip(parts, orders, strict=True):
            found[list(order)] = np.array(group)[part]
        yield tuple(found)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("blocks", [[0] * 6, [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1], "abcabc", [0, 0, 0, 1, 1, 1]])
def test_all_permutations_within_blocks(blocks, weighted):
    X, group, blocks = rankings([1, len(set(blocks))], 6), [0, 1, 0, 1, 1, 0], list(blocks)
    w = [0.5, 1.0, 2.5, 1.0, 3.0, 0.25] if weighted else [1.0] * 6
    K = wkendall.gram_matrix(X)

    def statistic(assigned):
        return weighted_discrepancy(K, w, *(np.flatnonzero(np.array(assigned) == one) for one in (0, 1)))

    every = np.array([statistic(assigned) for assigned in outcomes(group, blocks)])
    options = {"sample_weight": w} if weighted else {}
    found = two_sample_test(X, groups=group, blocks=blocks, kernel=KERNEL, rng=0, n_permutations=8000, **options)
    assert found.statistic == pytest.approx(statistic(group), abs=1e-12)
    if not weighted:
        parts = [np.flatnonzero(np.array(group) == one) for one in (0, 1)]
        assert found.statistic == pytest.approx(squared_discrepancy(K, *parts), abs=1e-12)
    exact = (every >= found.statistic - 1e-9).mean()
    assert abs(found.pvalue - exact) < 5 * (exact * (1 - exact) / 8000) ** 0.5 + 1e-3
    values, wanted = np.unique(every.round(9), return_counts=True)
    counts = np.bincount(np.abs(found.null_distribution[:, None] - values).argmin(axis=1), minlength=len(values))
    assert np.abs(found.null_distribution[:, None] - values).min(axis=1).max() < 1e-8
    expected = wanted / len(every) * 8000
    assert ((counts - expected) ** 2 / expected).sum() < 3 * len(values) + 15


def test_weights():
    """People of weight 0 do not count, a common factor does not matter, equal weights are no weights, ties shift nothing."""
    X, group = rankings(2, 12), [0, 1, 2] * 4
    w = np.random.default_rng(0).random(12) + 0.1
    w[[3, 7]] = 0
    options = {"kernel": KERNEL, "rng": 0, "n_permutations": 99}
    found = two_sample_test(X, groups=group, sample_weight=w, **options)
    kept = w > 0
    for other in (
        two_sample_test(X[kept], groups=np.array(group)[kept], sample_weight=w[kept], **options),
        two_sample_test(X, groups=group, sample_weight=1e300 * w, **options),
        two_sample_test(Rankings(X, counts=[1] * 12), groups=group, sample_weight=w, **options),
    ):
        assert other == pytest.approx(found, rel=1e-9)
    K = wkendall.gram_matrix(X)
    for a, b in combinations(range(3), 2):
        parts = [[row for row in range(12) if group[row] == one and w[row]] for one in (a, b)]
        assert found.pairwise[a, b] == pytest.approx(weighted_discrepancy(K, w, *parts), abs=1e-12)
    sizes = [sum(w[row] for row in range(12) if group[row] == one) for one in range(3)]
    products = np.outer(sizes, sizes)[np.triu_indices(3, 1)]
    assert found.statistic == pytest.approx(
        products @ found.pairwise[np.triu_indices(3, 1)] / products.sum(), abs=1e-12
    )
    plain = two_sample_test(X, groups=group, **options)
    assert two_sample_test(X, groups=group, sample_weight=np.full(12, 0.3), **options) == plain
    # The rate of the Mallows kernel: 2 / (weighted mean distance of two people).
    D = wkendall.distance_matrix(X).astype(float)
    mean = w @ D @ w / (w.sum() ** 2 - (w**2).sum())
    assert two_sample_test(X, groups=group, sample_weight=w, n_permutations=9).kernel.lam == pytest.approx(2 / mean)


def test_counts_are_people():
    """A row of three people in a block or with a weight is three rows of one person."""
    X, counts, group = rankings(3, 8), [1, 3, 2, 1, 0, 2, 1, 4], [0, 1] * 4
    each = np.repeat(np.arange(8), counts)
    for options in ({"blocks": [0, 0, 1, 1] * 2}, {"sample_weight": np.arange(1.0, 9)}, {}):
        how = {"kernel": KERNEL, "rng": 0, "n_permutations": 99}
        found = two_sample_test(Rankings(X, counts=counts), groups=group, **options, **how)
        repeated = {name: np.repeat(values, counts) for name, values in options.items()}
        assert found == pytest.approx(two_sample_test(X[each], groups=np.array(group)[each], **repeated, **how))


def test_every_two_groups():
    """Each pair alone, with permutations of its own people, and Holm's method by its definition."""
    X = np.concatenate([rankings(4, 40), np.tile([1, 2, 3, 4], (15, 1))])
    group = np.repeat([0, 1, 2], [20, 20, 15])
    found = two_sample_test(X, groups=group, kernel=KERNEL, rng=0, n_permutations=999)
    alone = {
        pair: two_sample_test(*(X[group == one] for one in pair), kernel=KERNEL, rng=1, n_permutations=999).pvalue
        for pair in combinations(range(3), 2)
    }
    smallest, *_, largest = sorted(alone.values())
    assert found.pairwise_pvalues[0, 2] == pytest.approx(3 * alone[0, 2], abs=0.006)
    assert found.pairwise_pvalues[0, 1] == pytest.approx(largest, abs=0.08)
    assert smallest == 0.001
    assert (found.pairwise_pvalues == found.pairwise_pvalues.T).all()
    assert (found.pairwise_pvalues.diagonal() == 1).all()
    two = two_sample_test(X[:40], groups=group[:40], rng=0, n_permutations=99)
    assert two.pairwise_pvalues[0, 1] == two.pvalue
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.6, 0.9])).tolist() == [1, 1]


def share(X, weights, i, j, missing):
    """The share of "i before j", its weight, and the squared standard error with two more people."""
    scores = []
    for row, w in zip(X, weights, strict=True):
        a, b = row[i], row[j]
        if (np.isnan(a) and np.isnan(b)) or (missing == "anywhere" and (np.isnan(a) or np.isnan(b))):
            continue
        scores.append((1.0 if np.isnan(b) else 0.0 if np.isnan(a) else (a < b) + 0.5 * (a == b), w))
    if not scores:
        return None
    total = sum(w for _, w in scores)
    one = sum(w * w for _, w in scores) / total
    more = [*scores, (0.0, one), (1.0, one)]
    size = sum(w for _, w in more)
    mean = sum(s * w for s, w in more) / size
    error = sum(w * w * (s - mean) ** 2 for s, w in more) / size**2
    return sum(s * w for s, w in scores) / total, mean, error


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [None, "bottom", "anywhere"])
def test_pair_differences(missing, weighted):
    rng = np.random.default_rng(5)
    X = rankings(5, 16).astype(float) if missing is None else INCOMPLETE[rng.integers(5, size=16)]
    given = Rankings(X, items="abcd") if missing is None else Rankings(X, ties="mean", missing=missing, items="abcd")
    group, w = np.array(["x", "y"] * 8), rng.random(16) + 0.2 if weighted else np.ones(16)
    options = {"sample_weight": w} if weighted else {}
    found = pair_differences(given, group, rng=0, n_permutations=199, **options)
    assert found.groups == ("x", "y")
    assert (found.difference >= 0).all()
    assert (np.diff(found.difference) <= 0).all()
    wanted = 0
    for i, j in combinations(range(4), 2):
        parts = [share(X[group == one], w[group == one], i, j, missing) for one in "xy"]
        wanted += None not in parts
        for first, second in ((i, j), (j, i)):
            for place in np.flatnonzero((found.first == "abcd"[first]) & (found.second == "abcd"[second])):
                shares = [part[0] if first == i else 1 - part[0] for part in parts]
                np.testing.assert_allclose(found.shares[place], shares, atol=1e-12)
                center = (parts[0][1] - parts[1][1]) * (1 if first == i else -1)
                middle = (found.low[place] + found.high[place]) / 2
                if found.low[place] > -1 and found.high[place] < 1:
                    assert middle == pytest.approx(center, abs=1e-12)
    assert len(found.first) == wanted
    table = found.to_frame()
    assert list(table) == ["first", "second", "share x", "share y", "difference", "low", "high", "pvalue"]
    np.testing.assert_array_equal(table[["share x", "share y"]], found.shares)
    np.testing.assert_array_equal(table["pvalue"], found.pvalue)


def test_pair_differences_by_all_permutations():
    """P-values are shares of all splits whose largest statistic is as large; intervals have one width for each error."""
    X, first = rankings(6, 8, 3), (0, 1, 2)
    pairs = list(combinations(range(3), 2))

    def statistics(some):
        inside = np.isin(np.arange(8), some)
        parts = [
            [share(X[rows].astype(float), np.ones(rows.sum()), i, j, None) for i, j in pairs]
            for rows in (inside, ~inside)
        ]
        return np.array([(a[1] - b[1]) / (a[2] + b[2]) ** 0.5 for a, b in zip(*parts, strict=True)])

    every = np.array([np.abs(statistics(some)).max() for some in combinations(range(8), 3)])
    found = pair_differences(X, np.isin(np.arange(8), first), rng=0, n_permutations=4000, confidence=0.8)
    t = dict(zip(pairs, statistics(first), strict=True))
    for a, b, pvalue, low, high in zip(found.first, found.second, found.pvalue, found.low, found.high, strict=True):
        exact = (every >= abs(t[min(a, b), max(a, b)]) - 1e-9).mean()
        assert abs(pvalue - exact) < 5 * (exact * (1 - exact) / 4000) ** 0.5 + 1e-3
        assert pvalue <= 0.2 or low <= 0 <= high


def test_pair_differences_of_counts_and_little():
    X, counts, group = rankings(7, 10, 4), np.arange(10), ["b", "a"] * 5
    each = np.repeat(np.arange(10), counts)
    one = pair_differences(Rankings(X, counts=counts), group, rng=0, n_permutations=49)
    two = pair_differences(X[each], np.array(group)[each], rng=0, n_permutations=49)
    for a, b in zip(one[:-1], two[:-1], strict=True):
        np.testing.assert_array_equal(a, b)
    for n in (0, 1):
        assert len(pair_differences(rankings(8, 6, n), [0, 1] * 3, n_permutations=9).first) == 0
    certain = pair_differences([[1, 2]] * 6, [0, 1] * 3, n_permutations=9)
    assert (certain.difference[0], certain.pvalue[0], certain.low[0], certain.high[0]) == (0, 1, -1, 1)


def test_pair_differences_in_blocks(monkeypatch):
    """Blocks of pairs change nothing, and memory does not grow with the number of rankings times that of pairs."""
    X, group = Rankings(np.tile(INCOMPLETE, (4, 1)), ties="mean", missing="bottom"), [0, 1] * 10
    whole = pair_differences(X, group, rng=0, n_permutations=99)
    monkeypatch.setattr("wkendall.statistics.pair_differences.BLOCK", 2)
    for a, b in zip(whole, pair_differences(X, group, rng=0, n_permutations=99), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    monkeypatch.undo()
    X, pairs = rankings(9, 60, 300), 300 * 299 // 2
    tracemalloc.start()
    pair_differences(X, [0, 1] * 30, rng=0, n_permutations=9)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60 * pairs * 8


X6, G6 = rankings(9, 6), [0, 1] * 3
FRAME, SHIFTED = pd.DataFrame(X6), pd.Series(G6, range(1, 7))
BAD = [
    (lambda: two_sample_test(X6, X6, groups=G6), TypeError, None, None),
    (lambda: two_sample_test(X6), TypeError, None, None),
    (lambda: two_sample_test(X6, groups=[0] * 6), RankingError, "groups", "groups"),
    (lambda: two_sample_test(X6, groups=[0] * 5 + [1]), RankingError, "groups", "too few"),
    (lambda: two_sample_test(X6, groups=[0, 1]), RankingError, "groups", "rows differ"),
    (lambda: two_sample_test(X6, groups=[0, 1, 0, 1, 0, None]), RankingError, "groups", "nan"),
    (lambda: two_sample_test(X6, groups=np.zeros((6, 2))), RankingError, "groups", "axes"),
    (lambda: two_sample_test(X6, groups="ab"), TypeError, None, None),
    (lambda: two_sample_test(FRAME, groups=SHIFTED), RankingError, "groups", "rows differ"),
    (lambda: two_sample_test(FRAME, groups=G6, blocks=SHIFTED), RankingError, "blocks", "rows differ"),
    (lambda: two_sample_test(X6, groups=G6, blocks=G6), RankingError, "blocks", "blocks"),
    (lambda: two_sample_test(X6, groups=G6, blocks=[0, np.nan] * 3), RankingError, "blocks", "nan"),
    (lambda: two_sample_test(X6, groups=G6, sample_weight=[1, 1, 1, 1, 1, 1e-9]), RankingError, "sample_weight", None),
    (lambda: two_sample_test(X6, groups=G6, sample_weight=[1, 1, 0, 1, 0, 1]), RankingError, "groups", "too few"),
    (lambda: pair_differences(X6, [0, 1, 2] * 2), RankingError, "groups", "groups"),
    (lambda: pair_differences(X6, G6, confidence=95), RankingError, "confidence", None),
    (lambda: pair_differences(X6, G6, sample_weight=[1, 1, 0, 1, 0, 1]), RankingError, "groups", "too few"),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(BAD)))
def test_bad_input(place):
    call, error, argument, kind = BAD[place]
    with pytest.raises(error) as caught:
        call()
    if error is RankingError:
        assert (caught.value.argument, caught.value.kind) == (argument, kind)


def test_messages():
    message = r"^groups\['e'\] is nan: every ranking needs a label; to leave out rankings without a label, pass "
    with pytest.raises(RankingError, match=message + r"rankings\[mask\] and groups\[mask\]$"):
        two_sample_test(X6, groups=pd.Series([*G6[:4], np.nan, 1], list("abcdef")))
    with pytest.raises(RankingError, match=r"^blocks has no block with two groups: people change places only within"):
        two_sample_test(X6, groups=G6, blocks=G6)
