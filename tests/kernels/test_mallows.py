"""The Mallows kernel and the correlation of rankings with ties and missing items."""

from itertools import permutations

import numpy as np
import pytest
import wkendall
from definitions import NAN, random_rankings
from nouns import kernel_of, rankings_of, split
from wkendall import KendallCorrelation

MISSING = ["bottom", "anywhere"]


def mallows(X, Y=None, dtype=np.float64, n_jobs=None, **options):
    """The matrix of the Mallows kernel."""
    x, y = rankings_of(X, options), None if Y is None else rankings_of(Y, options)
    return wkendall.gram_matrix(x, y, kernel_of(options), dtype=dtype, n_jobs=n_jobs)


def correlation(s, t, **options):
    """The correlation of one pair."""
    kernel, _ = split(options)
    return KendallCorrelation(**kernel)(rankings_of([s], options), rankings_of([t], options))[0, 0]


@pytest.mark.parametrize("n", range(7))
def test_the_automatic_rate(n):
    every = np.array(list(permutations(range(1, n + 1)))[:: max(1, n - 4)], dtype=np.int64)
    mean = n * (n - 1) / 4
    rate = 2 / mean if mean else 1.0
    if n < 5:  # all rankings
        assert wkendall.distance_matrix(every).mean() == pytest.approx(mean)
    auto = wkendall.Mallows("auto")
    np.testing.assert_array_equal(auto(every), wkendall.Mallows(rate)(every))
    # The rate depends on the number of items only, not on the rankings.
    np.testing.assert_array_equal(auto(every[:1], every), auto(every)[:1])
    assert repr(auto) == "Mallows('auto')"
    assert auto == wkendall.Mallows("auto") != wkendall.Mallows(rate)


def test_the_automatic_rate_in_tests_and_for_many_items():
    rng = np.random.default_rng(0)
    X, Y = random_rankings(rng, 20, 6), random_rankings(rng, 20, 6)
    result, wanted = (
        wkendall.two_sample_test(X, Y, kernel=wkendall.Mallows(lam), rng=0, n_permutations=19)
        for lam in ("auto", 8 / 30)
    )
    assert result == wanted
    assert result.kernel == wkendall.Mallows(8 / 30)
    # Without a kernel the mean is over the sample: the same rule.
    distances = wkendall.distance_matrix(np.concatenate([X, Y]))
    found = wkendall.two_sample_test(X, Y, rng=0, n_permutations=19).kernel.lam
    assert found == pytest.approx(2 / distances[np.triu_indices(40, 1)].mean())
    many = random_rankings(rng, 3, 2000)
    assert wkendall.Mallows(1.0)(many)[0, 1] < 1e-300
    assert wkendall.Mallows("auto")(many)[0, 1] == pytest.approx(np.exp(-2), abs=0.02)


def test_it_is_not_the_mean_of_mallows_kernels():
    tied, complete = [1, 1], [1, 2]
    assert mallows([complete], [tied], lam=1.0, ties="mean")[0, 0] == np.exp(-0.5)
    assert np.exp(-0.5) < (1 + np.exp(-1.0)) / 2


def test_large_rates_leave_no_quotient_of_zeros():
    X = np.array([[1, 1, 1, 1], [1, 1, 2, 2], [1, 1, 1, 1], [NAN] * 4])
    K = mallows(X, lam=1e300, ties="mean", missing="bottom", normalize=True)
    equal = np.array([[1, 0, 1, 1], [0, 1, 0, 0], [1, 0, 1, 1], [1, 0, 1, 1]])
    np.testing.assert_array_equal(K, equal)
    assert (mallows(X, lam=1e300, ties="mean", missing="bottom") == 0).all()


def test_correlation_with_ties_is_tau_a():
    x, y = [1, 2, 2, 4], [1, 1, 3, 4]
    assert correlation(x, y, ties="mean") == 4 / 6
    assert wkendall.kernel(x, y, ties="mean", signed=True, normalize=True) == pytest.approx(4 / 5)
    assert correlation([1, 1, 1], [1, 2, 3], ties="mean") == 0
    assert correlation([1, 2, 3], [1, 3, 2], ties="mean") == correlation([1, 2, 3], [1, 3, 2])
    # Nothing but rounding is left of a sum that cancels.
    assert correlation([1, 1, 2], [1, 2, 2], weight="add", u=[0.1, -0.1, 0.1], ties="mean") in (-1, 0, 1)
