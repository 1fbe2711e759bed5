"""Every kernel against its definition, and the properties that every Gram matrix has."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
import wkendall
from definitions import kernels, random_rankings
from wkendall import KendallCorrelation

BOUND = 1e-12


@pytest.mark.parametrize("n", [0, 1, 2, 5, 40])
def test_tuples_of_all_items_and_more(n):
    X = random_rankings(np.random.default_rng(n), 4, n)
    X[3] = X[0]
    for normalize in (False, True):
        if n:
            equal = (X[:, None] == X[None]).all(axis=2)
            np.testing.assert_array_equal(wkendall.gram_matrix(X, order=np.int64(n), normalize=normalize), equal)
        for order in (n + 1, 3 * n + 1, 1000):
            for params in kernels(n):
                how = params | {"order": order, "normalize": normalize}
                assert (wkendall.gram_matrix(X, **how) == 0).all()
                assert (wkendall.diagonal(X, **how) == 0).all()
                assert wkendall.kernel(X[0], X[3], **how) == wkendall.kappa(X[0], **how) == 0


def test_counts_of_more_than_128_bits():
    """Two rankings that differ in the first two items: tuples have at most one of these."""
    n, order = 200, 100
    x = np.arange(n)
    wanted = comb(n - 2, order) + 2 * comb(n - 2, order - 1)
    assert wkendall.kernel(x, [1, 0, *x[2:]], order=order) == pytest.approx(wanted, rel=BOUND)
    ratio = wkendall.kernel(x, [1, 0, *x[2:]], order=order, normalize=True)
    assert ratio == pytest.approx(wanted / comb(n, order), rel=BOUND)


@pytest.mark.parametrize("function", ["gram_matrix", "diagonal", "kernel", "kappa"])
def test_values_too_large_for_a_float(function):
    X = random_rankings(np.random.default_rng(0), 2, 3000)
    arguments = {"kernel": (X[0], X[0]), "kappa": (np.arange(3000),)}.get(function, (X,))
    with pytest.raises(ValueError, match="too large"):
        getattr(wkendall, function)(*arguments, order=1500)


def test_zero_self_similarity():
    X = random_rankings(np.random.default_rng(0), 4, 5)
    for params in [
        {"weight": "mult", "u": np.zeros(5), "order": 3},
        {"weight": "top", "k": 2, "order": 3},
        {"U": np.zeros((5, 5, 5)), "order": 3},
        {"U": np.zeros((0, 5, 5, 5)), "order": 3},
        {"U": (np.zeros((2, 5)),) * 3, "order": 3},
        {"W": np.zeros((5, 5, 5, 5))},
    ]:
        for normalize in (False, True):
            assert (wkendall.gram_matrix(X, normalize=normalize, **params) == np.zeros((4, 4))).all()
            assert (wkendall.diagonal(X, normalize=normalize, **params) == np.zeros(4)).all()


def test_average_from_the_other_end_is_the_closed_form_printed_in_the_paper():
    n = 7
    s, t = random_rankings(np.random.default_rng(0), 2, n)
    pairs = [(i, j) for i in range(n) for j in range(n) if s[i] < s[j] and t[i] < t[j]]
    printed = sum(min(s[i], t[i]) for i, j in pairs) / n
    assert wkendall.kernel(s, t, weight="average", top="high") == printed


def test_correlation_whose_denominator_cancels():
    rng = np.random.default_rng(0)
    n = 64
    for _ in range(50):
        s, t = random_rankings(rng, 2, n)
        signs = rng.choice([-1, 1], n)
        x = signs[s - 1] * signs[t - 1]
        if x.sum() ** 2 == n:  # then the sum over all pairs is 0
            assert KendallCorrelation("mult", u=0.1 * signs)(s, t) == 0
        assert abs(KendallCorrelation("add", u=0.1 * signs)(s, t)) < 1e6


def test_a_million_equal_weights_sum_up():
    n = 1_000_000
    for u in (0.1, 0.3):
        exact = Fraction(u) ** 4 * (n * (n - 1) // 2)
        for weight, scale in (("mult", 1), ("add", 4 / u**2)):
            value = wkendall.kappa(np.arange(n), weight=weight, u=np.full(n, u))
            assert abs(Fraction(value) / exact / Fraction(scale) - 1) < 1e-12
