"""Kernels of any order against their definitions."""

from itertools import permutations
from math import comb

import numpy as np
import pytest
import wkendall
from definitions import (
    kernels,
    orders,
    random_rankings,
    tuples,
)
from orders import BOUND, absolute, assert_near, counted, every_kind, nearly_equal, steep
from wkendall import _core

# The named kernels against their definitions.


@pytest.mark.parametrize("order", range(1, 6))
@pytest.mark.parametrize("n", range(8))
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


@pytest.mark.parametrize("n", [8, 9, 15, 16, 17, 31, 32, 33, 48, 60])
def test_up_to_twelve_items_at_a_time(n):
    rng = np.random.default_rng(n)
    s, other = random_rankings(rng, 2, n)
    X = np.array([s, other, nearly_equal(rng, s, 3), n + 1 - s])
    for params in kernels(n, rng):
        wanted = [orders(s, t, 12, **params) for t in X]
        sizes = [orders(s, t, 12, **absolute(params)) for t in X]
        for order in (1, 2, 3, 4, 5, 7, 12):
            values = wkendall.gram_matrix(X[:1], X, order=order, **params)[0]
            own = float(wanted[0][order - 1])
            ratios = wkendall.gram_matrix(X[:1], X, order=order, normalize=True, **params)[0]
            for p, value in enumerate(values):
                exact, size = wanted[p][order - 1], sizes[p][order - 1]
                assert_near(value, exact, size, params["weight"])
                room = 1e-12 * float(size) / own if own else 0
                assert ratios[p] == pytest.approx(float(exact) / own if own else 0, rel=1e-9, abs=room)


def test_hundreds_of_items():
    n = 300
    rng = np.random.default_rng(n)
    s, t = random_rankings(rng, 2, n)
    near = nearly_equal(rng, s, 10)
    for params in [
        {"weight": "standard"},
        {"weight": "top", "k": 170},
        {"weight": "average"},
        {"weight": "add", "u": rng.standard_normal(n)},
        {"weight": "mult", "u": rng.standard_normal(n)},
        {"weight": "mult", "u": "log"},
    ]:
        for other in (t, near):
            wanted, sizes = orders(s, other, 6, **params), orders(s, other, 6, **absolute(params))
            for order in range(1, 7):
                value = wkendall.kernel(s, other, order=order, **params)
                assert_near(value, wanted[order - 1], sizes[order - 1], params["weight"])


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


@pytest.mark.parametrize("order", [1, 2, 3, 4, 7])
def test_the_weights_are_related_as_they_should_be(order):
    n = 13
    rng = np.random.default_rng(order)
    X = np.concatenate([random_rankings(rng, 5, n), [np.arange(1, n + 1)]])
    X = np.concatenate([X, [nearly_equal(rng, X[0], 2)]])
    standard = wkendall.gram_matrix(X, order=order)
    tops = [wkendall.gram_matrix(X, order=order, weight="top", k=k) for k in range(1, n + 1)]
    assert (np.diag(standard) == comb(n, order)).all()
    assert (tops[-1] == standard).all()
    assert wkendall.kernel(X[0], n + 1 - X[0], order=order) == (n if order == 1 else 0)
    ones = np.ones(n)
    np.testing.assert_allclose(wkendall.gram_matrix(X, order=order, weight="mult", u=ones), standard, rtol=BOUND)
    add = wkendall.gram_matrix(X, order=order, weight="add", u=ones)
    np.testing.assert_allclose(add, order**2 * standard, rtol=BOUND)
    for k in (4, 9):
        cut = wkendall.gram_matrix(X, order=order, weight="mult", u=(np.arange(n) < k).astype(float))
        np.testing.assert_allclose(cut, tops[k - 1], rtol=BOUND)
    average = wkendall.gram_matrix(X, order=order, weight="average")
    np.testing.assert_allclose(average, sum(tops) / n, rtol=BOUND)


# Large values.


@pytest.mark.parametrize("swaps", [0, 5, 1000])
def test_counts_of_more_digits_than_a_float_has(swaps):
    n, order = 200, 20
    rng = np.random.default_rng(swaps)
    s = random_rankings(rng, 1, n)[0]
    t = nearly_equal(rng, s, swaps)
    for params in [
        {"weight": "standard"},
        {"weight": "top", "k": 150},
        {"weight": "average"},
        {"weight": "add", "u": "log"},
        {"weight": "mult", "u": "log"},
        {"weight": "add", "u": rng.standard_normal(n)},
        {"weight": "mult", "u": rng.standard_normal(n)},
    ]:
        wanted = orders(s, t, order, **params)[-1]
        size = orders(s, t, order, **absolute(params))[-1]
        K = wkendall.gram_matrix([s, t], order=order, **params)
        assert np.isfinite(K).all()
        if wanted == size:
            assert (K >= 0).all()
        assert_near(K[0, 1], wanted, size, params["weight"])
        assert_near(wkendall.kernel(t, s, order=order, **params), wanted, size, params["weight"])
    own = wkendall.diagonal([s, t], order=order)
    assert own == pytest.approx([comb(n, order)] * 2, rel=BOUND)


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


@pytest.mark.parametrize("scale", [1e-300, 1e-40, 1e30])
@pytest.mark.parametrize("weight", ["add", "mult"])
def test_normalized_does_not_depend_on_the_scale(weight, scale):
    rng = np.random.default_rng(0)
    X, u = random_rankings(rng, 12, 8), rng.uniform(0.3, 1, 8)
    wanted = wkendall.gram_matrix(X, weight=weight, u=u, order=3, normalize=True)
    K = wkendall.gram_matrix(X, weight=weight, u=scale * u, order=3, normalize=True)
    np.testing.assert_allclose(K, wanted, rtol=1e-12)


# What holds for kernels of every kind.


@pytest.mark.parametrize("options", [{}, {"normalize": True}])
@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_contract(n, options):
    rng = np.random.default_rng(n)
    X = random_rankings(rng, 25, n)
    relabelled = X[:, rng.permutation(n)]
    pi = X[2][np.argsort(X[1])]
    for kind in every_kind(n, rng):
        params = kind | options
        K = wkendall.gram_matrix(X, **params)
        room = 0 if counted(params) else BOUND * K[0, 0]
        assert K.dtype == np.float64
        assert (K == K.T).all()
        eigenvalues = np.linalg.eigvalsh(K)
        assert eigenvalues[0] >= -1e-10 * max(eigenvalues[-1], 0)
        assert (wkendall.gram_matrix(X, X.copy(), **params) == K).all()
        np.testing.assert_allclose(wkendall.diagonal(X, **params), np.diag(K), rtol=0, atol=room)
        np.testing.assert_allclose(wkendall.gram_matrix(relabelled, **params), K, rtol=0, atol=room)
        np.testing.assert_allclose(wkendall.gram_matrix(X[:3], X[4:9], **params), K[:3, 4:9], rtol=0, atol=room)
        assert wkendall.kernel(X[1], X[2], **params) == pytest.approx(K[1, 2], rel=0, abs=room)
        assert wkendall.kernel(X[2], X[1], **params) == pytest.approx(K[1, 2], rel=0, abs=room)
        assert wkendall.kappa(pi, **params) == pytest.approx(K[1, 2], rel=0, abs=room)
        assert (wkendall.gram_matrix(X, top="high", **params) == wkendall.gram_matrix(n + 1 - X, **params)).all()


@pytest.mark.parametrize("m", [0, 1, 3])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_degenerate_shapes(m, n):
    rng = np.random.default_rng(0)
    X, Y = random_rankings(rng, m, n), random_rankings(rng, 2, n)
    for params in every_kind(n, rng):
        assert wkendall.gram_matrix(X, **params).shape == (m, m)
        assert wkendall.gram_matrix(X, Y, **params).shape == (m, 2)
        assert wkendall.diagonal(X, **params).shape == (m,)
        assert np.isfinite(wkendall.gram_matrix(X, normalize=True, **params)).all()


def test_normalized_is_the_kernel_divided_by_the_self_similarities():
    n = 9
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 8, n)
    for params in every_kind(n, rng):
        K = wkendall.gram_matrix(X, **params)
        ratio = wkendall.gram_matrix(X, normalize=True, **params)
        wanted = K / K[0, 0] if K[0, 0] > 0 else np.zeros((8, 8))
        np.testing.assert_allclose(ratio, wanted, rtol=0, atol=1e-11)
        if K[0, 0] > 0:
            np.testing.assert_allclose(np.diag(ratio), 1, rtol=1e-14)


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


@pytest.mark.parametrize("n", [6, 17, 50])
def test_the_same_bits_for_any_number_of_threads(n):
    rng = np.random.default_rng(n)
    X, Y = random_rankings(rng, 60, n), random_rankings(rng, 23, n)
    named = [{**params, "order": order} for order in (1, 3, 5) for params in kernels(n, rng)]
    for params in every_kind(n, rng) if n < 20 else named:
        for other in (None, Y):
            one = wkendall.gram_matrix(X, other, n_jobs=1, **params)
            for n_jobs in (2, 3):
                assert (wkendall.gram_matrix(X, other, n_jobs=n_jobs, **params) == one).all()


def test_single_precision():
    n = 10
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 12, n)
    for params in every_kind(n, rng):
        wanted = wkendall.gram_matrix(X, **params)
        K = wkendall.gram_matrix(X, dtype=np.float32, **params)
        assert K.dtype == np.float32
        if counted(params):
            assert (wanted.astype(np.float32) == K).all()
        np.testing.assert_allclose(K, wanted, rtol=0, atol=1e-5 * wanted[0, 0])


def test_out():
    n = 7
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 9, n)
    for params in every_kind(n, rng):
        out = np.full((9, 9), np.nan)
        assert wkendall.gram_matrix(X, out=out, **params) is out
        assert (out == wkendall.gram_matrix(X, **params)).all()


def test_orders_and_scores():
    n = 7
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 5, n)
    for params in every_kind(n, rng):
        K = wkendall.gram_matrix(X, **params)
        assert (wkendall.gram_matrix(X - 1, **params) == K).all()
        assert (wkendall.gram_matrix(np.argsort(X, axis=1), input="orders", **params) == K).all()
        assert (wkendall.gram_matrix(1 / X, input="scores", **params) == K).all()


@pytest.mark.parametrize("backend", [*(f"pairs-{level}" for level in _core.instruction_sets()), "partition"])
@pytest.mark.parametrize("n", [5, 33, 70])
def test_every_backend(n, backend):
    rng = np.random.default_rng(n)
    X = random_rankings(rng, 20, n)
    X[1:4] = [nearly_equal(rng, X[0], 2) for _ in range(3)]
    for order in (1, 2, 3, 4, 6):
        for params in kernels(n, rng):
            wanted = wkendall.gram_matrix(X, order=order, **params)
            found = wkendall.gram_matrix(X, order=order, backend=backend, **params)
            size = wkendall.diagonal(X[:1], order=order, **absolute(params))[0]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=0 if counted(params) else BOUND * size)
