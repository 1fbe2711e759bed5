"""`independence_test`: the criterion by its definition, for labels, numbers, vectors and other rankings."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import wkendall
from definitions import criterion, distance, random_rankings
from scipy.spatial.distance import pdist
from wkendall import Kendall, Mallows, Rankings
from wkendall.datasets import make_uniform
from wkendall.statistics import dependence, paired_values


def outcome(X, y, **options):
    options = {"rng": 0, "n_permutations": 29} | options
    return wkendall.independence_test(X, y, **options)


def mallows(X, lam):
    return np.exp(-lam * np.array([[distance(s, t) for t in X.tolist()] for s in X.tolist()]))


def gaussian(y, bandwidth=None):
    vectors = np.asarray(y, dtype=float).reshape(len(y), -1)
    distances = np.array([[np.linalg.norm(a - b) for b in vectors] for a in vectors])
    if bandwidth is None:
        apart = distances[distances > 0]
        bandwidth = np.median(apart) if len(apart) else 1
    return np.exp(-(distances**2) / (2 * bandwidth**2))


def delta(y):
    return np.array([[float(a == b) for b in y] for a in y])


def beside(rng, m):
    """What may stand beside the rankings: values, options, the kernel between them."""
    numbers, vectors = rng.standard_normal(m), rng.standard_normal((m, 3))
    few, texts, others = rng.integers(4, size=m), rng.choice(["a", "b", "c"], m), random_rankings(rng, m, 4)
    return {
        "numbers": (numbers, {}, gaussian(numbers)),
        "a list of numbers": (numbers.tolist(), {}, gaussian(numbers)),
        "a column": (numbers[:, None], {}, gaussian(numbers)),
        "whole numbers": (few, {}, gaussian(few)),
        "bandwidth": (numbers, {"bandwidth": 0.3}, gaussian(numbers, 0.3)),
        "vectors": (vectors, {}, gaussian(vectors)),
        "texts": (texts, {}, delta(texts)),
        "a list of texts": (texts.tolist(), {}, delta(texts)),
        "flags": (few > 1, {}, delta(few > 1)),
        "labels that are numbers": (few, {"y_kernel": "delta"}, delta(few)),
        "flags as numbers": (few > 1, {"y_kernel": "gaussian"}, gaussian(few > 1)),
        "categories": (pd.Series(few).astype("category"), {}, delta(few)),
        "categories of polars": (pl.Series(texts.tolist(), dtype=pl.Categorical), {}, delta(texts)),
        "mixed labels": (np.array([*texts[1:], 3], dtype=object), {}, delta([*texts[1:], 3])),
        "numbers as objects": (np.array(numbers.tolist(), dtype=object), {}, gaussian(numbers)),
        "rankings": (others, {"y_kernel": Mallows(0.4)}, mallows(others, 0.4)),
        "rankings by a weight": (
            Rankings(others, top="high"),
            {"y_kernel": Kendall("top", k=2)},
            wkendall.gram_matrix(others, weight="top", k=2, top="high"),
        ),
        "rankings with ties": (
            Rankings(few[:, None] % [2, 3, 4] + 1, ties="mean"),
            {"y_kernel": Kendall()},
            wkendall.gram_matrix(few[:, None] % [2, 3, 4] + 1, ties="mean"),
        ),
        "nothing": (["same"] * m, {}, np.ones((m, m))),
        "one number": ([3.0] * m, {}, np.ones((m, m))),
    }


NAMES = list(beside(np.random.default_rng(0), 5))


@pytest.mark.parametrize("way", ["the quickest", "factors", "pairs"])
@pytest.mark.parametrize("m", [2, 3, 9, 20])
@pytest.mark.parametrize("name", NAMES)
def test_the_statistic(name, m, way, monkeypatch):
    if way != "the quickest":
        monkeypatch.setattr(dependence, "most_factors", lambda *_: 10**9 if way == "factors" else 0)
    rng = np.random.default_rng([m, NAMES.index(name)])
    y, options, L = beside(rng, m)[name]
    for X in (random_rankings(rng, m, 3), random_rankings(rng, m, 9)):
        result = outcome(X, y, kernel=Mallows(0.5), **options)
        scale = L.max()
        np.testing.assert_allclose(result.statistic, criterion(mallows(X, 0.5), L), rtol=0, atol=1e-12 * scale)
        other = outcome(X, y, kernel=Kendall("average"), **options)
        K = wkendall.gram_matrix(X, weight="average")
        np.testing.assert_allclose(other.statistic, criterion(K, L), rtol=0, atol=1e-12 * K.max() * scale)
        assert result.statistic > -1e-12 * scale
        assert (result.null_distribution > -1e-12 * scale).all()


@pytest.mark.parametrize("way", ["factors", "pairs"])
@pytest.mark.parametrize("name", ["numbers", "whole numbers", "vectors", "texts", "rankings"])
def test_p_values_by_enumeration(name, way, monkeypatch):
    """All 720 permutations of six people."""
    monkeypatch.setattr(dependence, "most_factors", lambda *_: 10**9 if way == "factors" else 0)
    rng = np.random.default_rng(3)
    y, options, L = beside(rng, 6)[name]
    X = random_rankings(rng, 6, 4)
    X[3] = X[1]
    result = outcome(X, y, kernel=Mallows(0.5), n_permutations=5000, **options)
    K = mallows(X, 0.5)
    every = np.array([(K * (L[np.ix_(order, order)] - L.mean(0)[list(order)] - L.mean(0)[list(order)][:, None] + L.mean())).mean()
                      for order in permutations(range(6))])  # fmt: skip
    assert abs(every[0] - result.statistic) < 1e-12
    exact = (every >= every[0] - 1e-9).mean()
    assert abs(result.pvalue - exact) < 5 * (exact * (1 - exact) / 5000) ** 0.5 + 1e-3
    assert np.abs(result.null_distribution[:, None] - every).min(axis=1).max() < 1e-12


def test_dependence_is_found():
    rng = np.random.default_rng(5)
    X = make_uniform(120, 5, rng=rng)
    # No effect on mean ranks or pairs: the distance of the first item from the middle.
    far = np.abs(X[:, 0] - 3) + rng.normal(0, 0.5, 120)
    assert outcome(X, far, n_permutations=199).pvalue < 0.02
    assert outcome(X, np.where(far > 1, "far", "near"), n_permutations=199).pvalue < 0.02
    assert outcome(X, np.stack([far, far**2], axis=1), n_permutations=199).pvalue < 0.02
    assert outcome(X, Rankings(6 - X), n_permutations=199).pvalue == 1 / 200
    assert outcome(X, rng.standard_normal(120), n_permutations=199).pvalue > 0.02


@pytest.mark.parametrize("y", [np.arange(30) % 7 * 1.5, np.random.default_rng(8).standard_normal((30, 6))])
def test_the_same_for_a_seed(y):
    X = make_uniform(30, 5, rng=0)
    one = outcome(X, y, n_jobs=1)
    for n_jobs in (2, None):
        other = outcome(X, y, n_jobs=n_jobs)
        assert tuple(one) == tuple(other)
        assert (one.null_distribution == other.null_distribution).all()
    assert one.pairwise is None


def test_too_many_different_vectors(leave_memory):
    X = make_uniform(60, 4, rng=1)
    vectors = np.random.default_rng(0).standard_normal((60, 9))
    leave_memory(10_000)
    with pytest.raises(ValueError, match=r"60 x 60 float64 values takes 28.1 KiB"):
        outcome(make_uniform(60, 9, rng=1), vectors)
    with pytest.raises(ValueError, match=r"64 x 60 float64 values takes 30.0 KiB, .*: the test needs the kernel"):
        outcome(X, vectors)


SCALES = (2.0**-1040, 1e-300, 1e-200, 1e-160, 1e-155, 1e150, 1e155, 1e200, 1e300, 2.0**1021)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("width", [1, 2])
def test_numbers_of_any_size(scale, width):
    """Numbers times a power of two, or nearly so, have the same kernel: its bandwidth is a median of distances."""
    rng = np.random.default_rng(8)
    X = random_rankings(rng, 30, 4)
    y = X[:, :width] + rng.normal(size=(30, width)).round(3)
    expected = wkendall.independence_test(X, y, rng=0, n_permutations=99)
    found = wkendall.independence_test(X, y * scale, rng=0, n_permutations=99)
    np.testing.assert_allclose(found, expected, rtol=1e-3 if scale < 1e-307 else 1e-12)
    constant = np.c_[y * scale, np.full(30, 1e250)]
    np.testing.assert_allclose(wkendall.independence_test(X, constant, rng=0, n_permutations=99), found, rtol=1e-12)


@pytest.mark.parametrize(("bandwidth", "labels"), [(1e-300, True), (5e-324, True), (1e300, False)])
def test_bandwidths_of_any_size(bandwidth, labels):
    """With a bandwidth far below all distances numbers are labels; far above, all are alike."""
    rng = np.random.default_rng(10)
    X = random_rankings(rng, 24, 4)
    y = rng.integers(0, 4, 24)
    found = wkendall.independence_test(X, y, rng=0, n_permutations=19, bandwidth=bandwidth)
    expected = wkendall.independence_test(X, y, y_kernel="delta", rng=0, n_permutations=19).statistic if labels else 0
    assert found.statistic == pytest.approx(expected, abs=1e-14)


def test_labels_of_a_list_are_not_mixed_up():
    X = random_rankings(np.random.default_rng(12), 6, 4)
    large = [2**53, 2**53 + 1, 1.5, 2**53, 2**53 + 1, 1.5]
    how = {"y_kernel": "delta", "rng": 0, "n_permutations": 19}
    expected = wkendall.independence_test(X, list("abcabc"), **how)
    assert wkendall.independence_test(X, large, **how) == expected
    for labels in (
        [1, "1", "a", 1, "1", "a"],
        [True, 1, 0, True, 1, 0],
        ["a", b"a", 2, "a", b"a", 2],
        [1, "nan", "1"] * 2,
    ):
        assert wkendall.independence_test(X, labels, rng=0, n_permutations=19) == expected
        assert wkendall.independence_test(X, np.array(labels, dtype=object), rng=0, n_permutations=19) == expected
    assert wkendall.independence_test(X, [1, 2, 3, 1.0, 2.0, np.float32(3)], **how) == expected
    for labels, row in [
        (["a", "b", float("nan"), "a", "b", "a"], 2),
        (("a", "b", "a", np.nan, "b", "a"), 3),
        ([True, None, False, True, True, True], 1),
        ([1, "1", np.float32("nan"), "a", "b", 3], 2),
    ]:
        message = rf"^y\[{row}\] is (nan|None|np.float32\(nan\)): every ranking needs a label; .* and y\[mask\]$"
        with pytest.raises(wkendall.RankingError, match=message) as raised:
            wkendall.independence_test(X, labels, rng=0, n_permutations=19)
        assert raised.value.row == row


def median_over_people(y):
    distances = [abs(a - b) for place, a in enumerate(y) for b in y[:place] if a != b]
    return float(np.median(distances))


@pytest.mark.parametrize("seed", range(5))
def test_the_bandwidth_is_a_median_over_people(seed):
    rng = np.random.default_rng(seed)
    X = make_uniform(60 + seed, 4, rng=rng)
    y = rng.integers(0, 6, len(X)).astype(float)
    y[:5] = rng.uniform(100, 1000, 5)
    found = outcome(X, y)
    assert found.bandwidth == pytest.approx(median_over_people(y.tolist()), rel=1e-15)
    given = outcome(X, y, bandwidth=found.bandwidth)
    assert given.bandwidth == found.bandwidth
    assert given == found
    assert outcome(X, y, y_kernel="delta").bandwidth is None
    assert outcome(X, Rankings(X)).bandwidth is None


def test_the_bandwidth_of_many_different_values():
    """That of 1,000 people, evenly spaced: 90 % of them have one of two values, whatever the distinct values are."""
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(10_000), np.ones(10_000), rng.uniform(100, 1000, 2_000)]
    X = make_uniform(len(y), 3, rng=rng)
    assert outcome(X, y, n_permutations=1).bandwidth == 1


LARGE = [2**53, 2**60, 2**62, 2**63 + 5, 2**70, -(2**60), 10**300]


@pytest.mark.parametrize("add", LARGE)
def test_large_whole_numbers_keep_their_digits(add):
    X = make_uniform(30, 5, rng=0)
    small = X[:, 0] + 3 * (np.arange(30) == 7)
    expected = outcome(X, small)
    assert expected.statistic > 1e-3
    values = [add + int(value) for value in small]
    assert outcome(X, values) == expected
    assert outcome(X, np.array(values, dtype=object)) == expected
    if -(2**63) <= add < 2**64 - 100:
        assert outcome(X, np.array(values)) == expected
        assert outcome(X, pd.Series(values)) == expected
    both = np.array([values, small.tolist()], dtype=object).T
    assert outcome(X, both).statistic == pytest.approx(outcome(X, np.c_[small, small]).statistic, rel=1e-12)


def test_large_whole_numbers_and_others():
    """Doubles next to 2^60 are 256 apart."""
    X = make_uniform(40, 5, rng=0)
    near, far = X[:, 0].tolist(), [0.5, 1e19]
    y = [2**60 + value for value in near[:-2]] + far
    found = outcome(X, y, bandwidth=2.0)
    L = np.array([[np.exp(-(((a - b) if isinstance(a, int) and isinstance(b, int) else float(a) - float(b)) ** 2) / 8)
                   for a in y] for b in y])  # fmt: skip
    np.testing.assert_allclose(found.statistic, criterion(mallows(X, found.kernel.lam), L), rtol=1e-10)
    unsigned = np.array([2**64 - 1 - value for value in near], dtype=np.uint64)
    assert outcome(X, unsigned).statistic == pytest.approx(outcome(X, near).statistic, rel=1e-12)


def scaled(result, factor):
    return result.statistic / factor, result.pvalue


@pytest.mark.parametrize("lam", [1e-3, 1e-6, 1e-10, 1e-12, 1e-14, 1e-20, 1e-100, 1e-300])
def test_kernels_that_are_nearly_constant(lam):
    """A Mallows kernel with a small rate is 1 - lam * distance: the test does not depend on the rate."""
    X = make_uniform(30, 5, rng=0)
    y = X[:, 0] + np.random.default_rng(0).normal(0, 1, 30)
    few = {"n_permutations": 999, "rng": 0}
    expected = outcome(X, y, kernel=Mallows(1e-9), **few)
    assert expected.pvalue < 0.01
    rtol = 30 * max(lam, 1e-9)
    found = outcome(X, y, kernel=Mallows(lam), **few)
    np.testing.assert_allclose(scaled(found, lam), scaled(expected, 1e-9), rtol=rtol)
    other = outcome(X, X, kernel=Mallows(lam), y_kernel=Mallows(lam), **few)
    assert other.pvalue == 0.001
    two = wkendall.two_sample_test(X[y < 3], X[y >= 3], kernel=Mallows(lam), **few)
    expected = wkendall.two_sample_test(X[y < 3], X[y >= 3], kernel=Mallows(1e-9), **few)
    np.testing.assert_allclose(scaled(two, lam), scaled(expected, 1e-9), rtol=rtol)
    assert two.pvalue < 0.05


@pytest.mark.parametrize("bandwidth", [1e3, 1e5, 1e7, 1e12, 1e100])
def test_bandwidths_that_are_large(bandwidth):
    """The kernel is 1 - |a - b|^2 / 2 h^2: the test does not depend on h."""
    X = make_uniform(30, 5, rng=0)
    y = X[:, 0] + np.random.default_rng(0).normal(0, 1, 30)
    few = {"n_permutations": 999, "rng": 0}
    expected = outcome(X, y, bandwidth=1e4, **few)
    found = outcome(X, y, bandwidth=bandwidth, **few)
    np.testing.assert_allclose(scaled(found, bandwidth**-2), scaled(expected, 1e-8), rtol=1e-4)


def test_constant_kernels():
    """Nothing but rounding: no permutation is less extreme than the data."""
    X = make_uniform(30, 5, rng=0)
    y = X[:, 0].astype(float)
    for kernel in (Mallows(0), Kendall("top", k=1)):
        assert outcome(X, y, kernel=kernel).pvalue == 1
    assert wkendall.two_sample_test(X[:15], X[15:], kernel=Mallows(0), rng=0, n_permutations=99).pvalue == 1


def test_the_kernel_of_rankings_beside_rankings():
    """Without a kernel it is the one of `two_sample_test`: its rate depends on the rankings of y."""
    X, y = make_uniform(20, 4, rng=0), make_uniform(20, 5, rng=1)
    found = outcome(X, Rankings(y))
    lam = 2 / np.mean([distance(s, t) for i, s in enumerate(y) for j, t in enumerate(y) if i != j])
    expected = outcome(X, y, y_kernel=Mallows(lam, normalize=True))
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.pvalue == expected.pvalue
    assert found.kernel == expected.kernel  # of X


def counted(rng):
    """Rankings with counts, and the same people one by one."""
    X, counts = random_rankings(rng, 14, 4), rng.integers(0, 5, 14)
    return X, counts, np.repeat(np.arange(14), counts)


@pytest.mark.parametrize("name", ["numbers", "vectors", "texts", "flags", "mixed labels", "categories", "rankings"])
def test_counts_stand_for_people(name):
    rng = np.random.default_rng(4)
    X, counts, people = counted(rng)
    y, options, _ = beside(rng, 14)[name]
    repeated = y.iloc[people] if isinstance(y, pd.Series) else np.asarray(y)[people]
    found = outcome(Rankings(X, counts=counts), y, **options)
    wanted = outcome(X[people], repeated, **options)
    assert tuple(found) == pytest.approx(tuple(wanted), rel=1e-12)
    np.testing.assert_allclose(found.null_distribution, wanted.null_distribution, rtol=1e-9, atol=1e-14)
    assert found.bandwidth == wanted.bandwidth


def test_the_bandwidth_if_nearly_all_values_are_equal():
    """None of 1,000 people has another value than 0: then it is that of distinct values."""
    high = np.r_[np.linspace(-1, 0, 700), np.linspace(0, 1, 700)[1:]][:, np.newaxis]
    counts = np.ones(1399, dtype=np.int64)
    counts[699] = 10**7
    found = paired_values.median_distance(paired_values.Numbers(high, np.zeros_like(high)), counts)
    assert found == pytest.approx(np.median(pdist(high)), rel=0.02)
