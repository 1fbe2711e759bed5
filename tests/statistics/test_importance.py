"""The pairs that matter most to a function of rankings, compared with its values for all rankings."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import wkendall
from definitions import random_rankings, random_rows
from nouns import kernel_of, rankings_of
from scipy.sparse import csr_array
from wkendall import Kendall, Rankings, TensorKernel


def importance(X, coef, n_pairs=20, n_jobs=None, **options):
    """The largest effects, for options of a kernel and of reading."""
    how = {"n_pairs": n_pairs, "n_jobs": n_jobs}
    return wkendall.pair_importance(rankings_of(X, options), coef, kernel=kernel_of(options), **how)


@pytest.mark.parametrize("missing", ["bottom", "anywhere"])
def test_ties_and_missing_items(missing):
    """The mean embedding: a function of complete rankings minus that of the same with two neighbours turned round."""
    rng = np.random.default_rng(1)
    X, coef, n = random_rows(rng, 7, 5), rng.standard_normal(7), 5
    found = importance(X, coef, n_pairs=100, ties="mean", missing=missing)
    values = {(int(i), int(j)): effect for i, j, effect in zip(*found, strict=True)}
    for i, j in combinations(range(n), 2):
        others = [item for item in range(n) if item not in (i, j)]
        rows = np.empty((2, n))
        rows[:, others] = [3, 4, 5]
        rows[:, [i, j]] = [[1, 2], [2, 1]]
        function = wkendall.gram_matrix(rows, X, ties="mean", missing=missing) @ coef
        effect = function[0] - function[1]
        assert values.get((i, j), -values.get((j, i), np.nan)) == pytest.approx(effect, abs=1e-12)


def test_normalized_functions():
    rng = np.random.default_rng(5)
    X, coef = random_rows(rng, 6, 5, missing=False), rng.standard_normal(6)
    found = importance(X, coef, ties="mean", signed=True, normalize=True)
    own = wkendall.diagonal(X, ties="mean", signed=True)
    plain = importance(X, np.where(own > 0, coef / np.sqrt(np.maximum(own, 1e-300)), 0), ties="mean", signed=True)
    np.testing.assert_array_equal(found.first, plain.first)
    np.testing.assert_allclose(found.effect, plain.effect / np.sqrt(10), rtol=1e-12)


def test_lists_order_and_threads():
    rng = np.random.default_rng(7)
    X, coef = random_rankings(rng, 9, 8), rng.standard_normal(9)
    dense, sparse = np.where(X <= 3, X, np.nan), csr_array(np.where(X <= 3, X, 0))
    one = importance(dense, coef, missing="bottom", n_jobs=1)
    for other in (
        importance(sparse, coef, missing="bottom"),
        importance(dense, coef[None], missing="bottom", n_jobs=2),
        importance(dense, csr_array(coef[None]), missing="bottom"),
    ):
        for left, right in zip(one, other, strict=True):
            np.testing.assert_array_equal(left, right)
    np.testing.assert_array_equal(one.effect[:5], importance(dense, coef, missing="bottom", n_pairs=5).effect)
    equal = wkendall.pair_importance([[1, 2, 3, 4]], [-1.0])
    assert list(zip(equal.first, equal.second, strict=True)) == [(1, 0), (2, 0), (3, 0), (2, 1), (3, 1), (3, 2)]
    assert len(wkendall.pair_importance([[1]], [1.0]).first) == 0
    assert len(wkendall.pair_importance(np.empty((0, 3)), []).first) == 3


@pytest.mark.parametrize("scale", [2.0**-1000, 1e-300, 1e300, 2.0**1020])
def test_coefficients_of_any_size(scale):
    """Sums of coefficients that overflow on the way do not matter as long as the effects fit into a double."""
    rng = np.random.default_rng(5)
    X = random_rankings(rng, 40, 5)
    coef = np.r_[rng.uniform(0.5, 1, 20), -rng.uniform(0.5, 1, 20)] / 8
    expected = wkendall.pair_importance(X, coef)
    found = wkendall.pair_importance(X, coef * scale)
    np.testing.assert_array_equal(found.first, expected.first)
    np.testing.assert_allclose(found.effect, expected.effect * scale, rtol=1e-13)
    same = [[1, 2, 3]] * 4
    np.testing.assert_array_equal(wkendall.pair_importance(same, [1.7e308, 1.7e308, -1.7e308, -1.7e308]).effect, 0)


@pytest.mark.parametrize(("coef", "message"), [
    ([1.7e308] * 4, r"^coef: the effect of items 0 and 1 is too large for a double; divide the coefficients"),
    ([1, np.inf, 1, 1], r"^coef\[1\] is inf: coefficients must be finite"),
    ([[1, 1, -np.inf, 1]], r"^coef\[2\] is -inf: coefficients must be finite"),
    (csr_array([[1, 1, np.nan, 1]]), r"^coef\[2\] is nan: coefficients must be finite"),
])  # fmt: skip
def test_effects_that_are_not_finite_are_refused(coef, message):
    with pytest.raises(wkendall.RankingError, match=message) as raised:
        wkendall.pair_importance([[1, 2, 3]] * 4, coef)
    assert raised.value.argument == "coef"


def test_names_of_any_kind():
    X, coef = [[1, 2, 3], [2, 1, 3]], [2.0, 1.0]
    numbers = wkendall.pair_importance(X, coef)
    for items in (["a", "b", "c"], [(1, 2), None, 5], pd.Index(["a", "b", "c"])):
        found = wkendall.pair_importance(Rankings(X, items=items), coef)
        assert found.first.tolist() == [items[item] for item in numbers.first]
        assert found.second.tolist() == [items[item] for item in numbers.second]
        np.testing.assert_array_equal(found.effect, numbers.effect)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    assert wkendall.pair_importance(frame, coef).first.tolist() == ["abc"[item] for item in numbers.first]


def test_coefficients_of_other_rows_are_refused():
    frame = pd.DataFrame([[1, 2, 3], [2, 1, 3]], index=["x", "y"])
    with pytest.raises(wkendall.RankingError, match="coef"):
        wkendall.pair_importance(frame, pd.Series([1.0, 2.0], index=["y", "x"]))
    with pytest.raises(wkendall.RankingError, match="coef"):
        wkendall.pair_importance(Rankings(frame), pd.Series([1.0, 2.0], index=["y", "x"]))


@pytest.mark.parametrize(
    "kernel", [wkendall.Mallows(1.0), TensorKernel(W=np.ones((3,) * 4)), Kendall(order=3)], ids=repr
)
def test_kernels_that_are_no_sums_over_pairs_are_refused(kernel):
    with pytest.raises(wkendall.RankingError, match="pair_importance"):
        wkendall.pair_importance([[1, 2, 3]], [1.0], kernel=kernel)
