"""Kendall's tau-b of columns: the definition, scipy, every way of computing, every number of observations from 0."""

import itertools
import math

import numpy as np
import pytest
import wkendall
from scipy.stats import kendalltau
from wkendall import _core

ALTERNATIVES = ("two-sided", "less", "greater")
SETTINGS = {"method": "tau-b", "least": 1, "alternative": None, "confidence": None, "weights": None}


def from_scipy(x, y, alternative="two-sided"):
    both = ~(np.isnan(x) | np.isnan(y))
    if both.sum() < 2:
        return math.nan, math.nan
    found = kendalltau(x[both], y[both], alternative=alternative)
    return found.statistic, found.pvalue


def columns(rng, rows, kinds):
    """Columns of each kind: no ties, few levels, constant; the second letter says how much is missing."""
    made = []
    for kind, missing in kinds:
        column = {
            "plain": lambda: rng.normal(size=rows),
            "tied": lambda: rng.integers(0, 4, rows).astype(float),
            "some": lambda: rng.integers(0, max(rows, 1), rows).astype(float),
            "equal": lambda: np.full(rows, 2.5),
        }[kind]()
        column[rng.random(rows) < missing] = np.nan
        made.append(column)
    return np.array(made).reshape(len(kinds), rows).T


MIXED = [(kind, missing) for kind in ("plain", "tied", "some", "equal") for missing in (0.0, 0.05, 0.5, 1.0)]
COMPLETE = [("plain", 0.0), ("tied", 0.0), ("some", 0.0), ("equal", 0.0), ("plain", 0.0)]
GAPS = [("plain", 0.0), ("plain", 0.2), ("plain", 0.4)]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 5, 8, 20, 32, 33, 34, 35, 64, 150, 400])
def test_scipy(rows, alternative):
    data = columns(np.random.default_rng(rows), rows, [*COMPLETE, *MIXED])
    data = np.c_[data, data[:, :1] ** 3, -data[:, :1]]  # in perfect agreement, and the reverse
    found = wkendall.corr(data, pvalues=True, alternative=alternative)
    assert np.array_equal(found.statistic, wkendall.corr(data), equal_nan=True)
    np.testing.assert_array_equal(found.pvalue, found.pvalue.T)
    for i, j in itertools.combinations_with_replacement(range(data.shape[1]), 2):
        statistic, pvalue = from_scipy(data[:, i], data[:, j], alternative)
        np.testing.assert_allclose(found.statistic[i, j], statistic, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.pvalue[i, j], pvalue, rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("rows", [2, 3, 4, 5, 33, 34, 40, 171, 172, 173])
def test_pvalues_near_the_ends(rows, alternative):
    """Nearly sorted columns: exact for any number of observations with at most one pair out of order."""
    up = np.arange(rows, dtype=float)
    made = [up, up[::-1]]
    for swaps in (1, 2, 3):
        column = up.copy()
        for place in range(0, min(2 * swaps, rows - 1), 2):
            column[[place, place + 1]] = column[[place + 1, place]]
        made += [column, -column]
    data = np.array(made).T
    found = wkendall.corr(data, pvalues=True, alternative=alternative)
    for i, j in itertools.product(range(data.shape[1]), repeat=2):
        _, pvalue = from_scipy(data[:, i], data[:, j], alternative)
        np.testing.assert_allclose(found.pvalue[i, j], pvalue, rtol=1e-8, atol=0)


@pytest.mark.parametrize("kinds", [MIXED, COMPLETE, GAPS], ids=["mixed", "complete", "gaps"])
def test_other_columns(kinds):
    rng = np.random.default_rng(3)
    data, other = columns(rng, 40, kinds), columns(rng, 40, [*COMPLETE, ("tied", 0.3)])
    whole = wkendall.corr(np.c_[data, other], pvalues=True)
    found = wkendall.corr(data, other, pvalues=True)
    assert found.low is found.high is None
    for part, all_of_it in zip(
        (found.statistic, found.pvalue, found.n), (whole.statistic, whole.pvalue, whole.n), strict=True
    ):
        np.testing.assert_allclose(part, all_of_it[: data.shape[1], data.shape[1] :], rtol=1e-14)
    np.testing.assert_array_equal(wkendall.corr(other, data), wkendall.corr(data, other).T)
    np.testing.assert_array_equal(wkendall.corr(data, data), wkendall.corr(data))


def test_many_observations():
    rng = np.random.default_rng(6)
    data = columns(rng, 70_000, [("plain", 0.1), ("some", 0.0), ("tied", 0.02), ("plain", 0.0)])
    found = wkendall.corr(data, pvalues=True)
    for i, j in itertools.combinations(range(4), 2):
        statistic, pvalue = from_scipy(data[:, i], data[:, j])
        np.testing.assert_allclose(found.statistic[i, j], statistic, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.pvalue[i, j], pvalue, rtol=1e-8)


def test_min_periods():
    data = np.array([[1.0, 5], [2, 6], [3, np.nan], [4, np.nan], [5, 9]])
    shared = np.array([[5, 3], [3, 3]])
    for least in range(8):
        found = wkendall.corr(data, min_periods=least)
        np.testing.assert_array_equal(np.isnan(found), shared < least)
        complete = wkendall.corr(data[:, :1], min_periods=least, pvalues=True)
        assert np.isnan(complete.statistic[0, 0]) == np.isnan(complete.pvalue[0, 0]) == (least > 5)


def test_infinite_values_are_the_largest():
    data = np.array([[-np.inf, 1], [0, 2], [1, np.inf], [np.inf, np.inf], [np.nan, 3]])
    finite = np.array([[-9, 1], [0, 2], [1, 9], [9, 9], [np.nan, 3.0]])
    np.testing.assert_array_equal(wkendall.corr(data), wkendall.corr(finite))


def test_progress_reaches_the_end():
    seen = []
    data = columns(np.random.default_rng(8), 200, [("tied", 0.1)] * 300)
    x = _core.Columns(np.ascontiguousarray(data.T))
    _core.correlations(x, None, SETTINGS, threads=2, tile=50, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (21, 21)
    wkendall.corr(data, progress=True)


def test_what_progress_raises_stops_the_run():
    data = columns(np.random.default_rng(8), 2000, [("tied", 0.1)] * 300)
    x = _core.Columns(np.ascontiguousarray(data.T))

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _core.correlations(x, None, SETTINGS, threads=1, progress=stop)


def test_a_result_larger_than_memory_is_refused(leave_memory):
    data = np.zeros((3, 200))
    leave_memory(400_000)
    wkendall.corr(data)
    with pytest.raises(ValueError, match=r"the result of 200 x 200 float64 values takes .* take fewer columns"):
        wkendall.corr(data, pvalues=True)
