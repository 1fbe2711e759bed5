"""Kernels of any order against their definitions."""

from itertools import permutations
from math import comb

import numpy as np
import pytest
import wkendall
from definitions import (
    BOUND,
    absolute,
    assert_near,
    kernels,
    nearly_equal,
    orders,
    random_rankings,
    steep,
    tuples,
)

# The named kernels against their definitions.


@pytest.mark.parametrize("order", range(1, 6))
@pytest.mark.parametrize("n", range(6))
def test_all_tuples_of_few_items(n, order):
    rng = np.random.default_rng(n)
    X = random_rankings(rng, 2, n)
    Y = np.array(list(permutations(range(1, n + 1))), dtype=int) if n < 5 else random_rankings(rng, 4, n)
    for params in [*kernels(n, rng), *steep(n)]:
        K = wkendall.gram_matrix(X, Y, order=order, **params)
        assert K.shape == (len(X), len(Y))
        for s, row in zip(X, K, strict=True):
            for t, value in zip(Y, row, strict=True):
                size = tuples(s, t, order, **absolute(params))
                assert_near(value, tuples(s, t, order, **params), size, params["weight"])
                assert params["weight"] != "average" or value == pytest.approx(float(size), rel=BOUND)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 12])
def test_first_order_is_the_sum_over_items(n):
    rng = np.random.default_rng(n)
    s, t = random_rankings(rng, 2, n)
    u = rng.standard_normal(n)
    largest = np.maximum(s, t)
    assert wkendall.kernel(s, t, order=1) == n
    for k in range(1, n + 1):
        assert wkendall.kernel(s, t, order=1, weight="top", k=k) == (largest <= k).sum()
    average = ((n + 1 - largest) / max(n, 1)).sum()
    assert wkendall.kernel(s, t, order=1, weight="average") == pytest.approx(average, rel=BOUND)
    for weight in ("add", "mult"):
        value = wkendall.kernel(s, t, order=1, weight=weight, u=u)
        assert abs(value - u[s - 1] @ u[t - 1]) <= BOUND * (np.abs(u[s - 1]) @ np.abs(u[t - 1]))


@pytest.mark.parametrize("options", [{}, {"normalize": True}])
@pytest.mark.parametrize("n", [0, 1, 2, 6, 17, 64])
def test_second_order_is_the_plain_kernel(n, options):
    X = random_rankings(np.random.default_rng(n), 12, n)
    Y = X[:5, ::-1].copy()
    for params in kernels(n):
        for other in (None, Y):
            plain = wkendall.gram_matrix(X, other, **params, **options)
            assert (wkendall.gram_matrix(X, other, order=2, **params, **options) == plain).all()
            assert (wkendall.gram_matrix(X, other, order=np.int64(2), **params, **options) == plain).all()
        assert (wkendall.diagonal(X, order=2, **params, **options) == wkendall.diagonal(X, **params, **options)).all()
    assert (wkendall.gram_matrix(X, order=2, signed=True) == wkendall.gram_matrix(X, signed=True)).all()


@pytest.mark.parametrize("n", [0, 1, 2, 5, 40])
def test_as_many_items_as_there_are_and_more(n):
    rng = np.random.default_rng(n)
    X = random_rankings(rng, 4, n)
    X[3] = X[0]
    equal = (X[:, None] == X[None]).all(axis=2)
    if n:
        assert (wkendall.gram_matrix(X, order=n) == equal).all()
        assert (wkendall.gram_matrix(X, order=n, normalize=True) == equal).all()
    for order in (n + 1, n + 2, 3 * n + 1, 1000):
        for params in kernels(n, rng):
            for options in ({}, {"normalize": True}):
                assert (wkendall.gram_matrix(X, order=order, **params, **options) == np.zeros((4, 4))).all()
                assert (wkendall.diagonal(X, order=order, **params, **options) == np.zeros(4)).all()
                assert wkendall.kernel(X[0], X[3], order=order, **params, **options) == 0
                assert wkendall.kappa(X[0], order=order, **params, **options) == 0


# Large values.


def test_counts_of_more_than_128_bits():
    n, order = 200, 100
    rng = np.random.default_rng(0)
    s = random_rankings(rng, 1, n)[0]
    for t in (s, nearly_equal(rng, s, 3)):
        wanted = orders(s, t, order, "standard")[-1]
        assert wanted > 0
        assert_near(wkendall.kernel(s, t, order=order), wanted, wanted, "standard")
    ratio = wkendall.kernel(s, t, order=order, normalize=True)
    assert ratio == pytest.approx(float(wanted / comb(n, order)), rel=BOUND)


@pytest.mark.parametrize("function", ["gram_matrix", "diagonal", "kernel", "kappa"])
def test_values_too_large_for_a_float(function):
    X = random_rankings(np.random.default_rng(0), 2, 3000)
    arguments = {"kernel": (X[0], X[0]), "kappa": (np.arange(3000),)}.get(function, (X,))
    with pytest.raises(ValueError, match="too large"):
        getattr(wkendall, function)(*arguments, order=1500)


# What holds for kernels of every kind.


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
