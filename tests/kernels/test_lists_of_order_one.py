"""Kernels of order 1 of sparse lists: sums over single items, at a cost that depends on the lengths of the lists."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
import wkendall
from completions import NAN, completions, random_rows
from wkendall import Kendall, Rankings

BOTTOM = {"ties": "mean", "missing": "bottom"}


def sparse(X):
    rows, columns = np.nonzero(~np.isnan(X))
    return sp.csr_array((X[rows, columns], (rows, columns)), shape=X.shape)


def kernels(n, rng):
    u = rng.uniform(0.1, 1, n)
    signed = rng.standard_normal(n)
    return [
        ({"weight": "standard"}, lambda _b, _d: 1),
        ({"weight": "top", "k": max(1, n // 2)}, lambda b, d: int(max(b, d) <= max(1, n // 2))),
        ({"weight": "add", "u": u}, lambda b, d: Fraction(u[b - 1]) * Fraction(u[d - 1])),
        ({"weight": "mult", "u": signed}, lambda b, d: Fraction(signed[b - 1]) * Fraction(signed[d - 1])),
        ({"weight": "average"}, lambda b, d: Fraction(n + 1 - max(b, d), n)),
    ]


@pytest.mark.parametrize("n", range(1, 6))
def test_means_over_completions(n):
    rng = np.random.default_rng(n)
    X = random_rows(rng, 4, n)
    for kernel, term in kernels(n, rng):
        wanted = np.empty((4, 4))
        for p, q in product(range(4), repeat=2):
            pairs = list(product(completions(X[p], "bottom"), completions(X[q], "bottom")))
            total = sum(term(int(b), int(d)) for s, t in pairs for b, d in zip(s, t, strict=True))
            wanted[p, q] = float(Fraction(total) / len(pairs))
        K = wkendall.gram_matrix(sparse(X), order=1, **BOTTOM, **kernel)
        np.testing.assert_allclose(K, wanted, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(K, K.T)
        np.testing.assert_allclose(wkendall.diagonal(sparse(X), order=1, **BOTTOM, **kernel), np.diag(K), rtol=1e-13)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("n", [3, 40, 300])
def test_values_are_those_of_the_dense_array(n, normalize):
    rng = np.random.default_rng(n)
    X = np.where(rng.random((60, n)) < 0.3, rng.integers(0, n, (60, n)).astype(float), NAN)
    Y = np.where(rng.random((9, n)) < 0.9, rng.integers(0, 4, (9, n)).astype(float), NAN)
    X[4] = NAN
    X[5] = np.arange(n)
    for kernel, _ in kernels(n, rng):
        options = {"order": 1, "normalize": normalize, **BOTTOM, **kernel}
        wanted = wkendall.gram_matrix(X, Y, **options)
        close = {"rtol": 1e-11, "atol": 1e-11 * np.abs(wanted).max()}
        K = wkendall.gram_matrix(sparse(X), sparse(Y), **options)
        np.testing.assert_allclose(K, wanted, **close)
        np.testing.assert_array_equal(wkendall.gram_matrix(sparse(Y), sparse(X), **options), K.T)
        np.testing.assert_array_equal(wkendall.gram_matrix(X, sparse(Y), **options), K)
        np.testing.assert_allclose(wkendall.diagonal(sparse(X), **options), wkendall.diagonal(X, **options), **close)
        lists = (Rankings(sparse(each), **BOTTOM) for each in (X, Y))
        found = wkendall.neighbors(*lists, n_neighbors=3, measure=Kendall(order=1, normalize=normalize, **kernel))
        np.testing.assert_array_equal(found.indices, np.argsort(-K, axis=1, kind="stable")[:, :3])
        if normalize:
            assert (np.diag(wkendall.gram_matrix(sparse(X), **options)) == 1).all()


def test_weights_that_cancel_give_zero():
    u = np.array([0.1, 0.2, -0.3])
    X = sparse(np.array([[NAN] * 3, [1, NAN, NAN]]))
    for normalize in (False, True):
        K = wkendall.gram_matrix(X, weight="mult", u=u, order=1, normalize=normalize, **BOTTOM)
        assert K[0, 0] == 0
        assert K[1, 1] > 0


def test_a_huge_catalogue():
    """An array of all items would take 69 GB."""
    n = 2**32 - 2
    X = sp.csr_array(([1, 2, 3, 2, 1, 4], [0, 1, 2, 0, 1, n - 1], [0, 3, 6]), shape=(2, n))
    assert wkendall.gram_matrix(X, weight="top", k=3, order=1, **BOTTOM).tolist() == [[3, 2], [2, 3]]
    assert wkendall.gram_matrix(X, order=1, **BOTTOM).tolist() == [[n, n], [n, n]]
    K = wkendall.gram_matrix(X, weight="average", order=1, **BOTTOM)
    np.testing.assert_allclose(K, n / 3, rtol=1e-8)


def test_neighbours_of_many_lists():
    rng = np.random.default_rng(3)
    m, n, k = 3000, 2_000_000, 5
    columns = rng.integers(0, n // k // 1000, (m, k)) + np.arange(k) * (n // k)
    X = sp.csr_array((np.tile(np.arange(1.0, k + 1), m), columns.ravel(), np.arange(0, m * k + 1, k)), shape=(m, n))
    kernel, lists = Kendall("mult", u="hyperbolic", order=1), Rankings(X, missing="bottom")
    found = wkendall.neighbors(lists[:50], lists, n_neighbors=4, measure=kernel)
    K = wkendall.gram_matrix(lists[:50], lists, kernel)
    np.testing.assert_array_equal(found.indices, np.argsort(-K, axis=1, kind="stable")[:, :4])
    model = wkendall.KendallNeighbors(4, kernel, missing="bottom").fit(X)
    np.testing.assert_array_equal(np.sort(model.kneighbors(X[:50])[1]), np.sort(found.indices))
