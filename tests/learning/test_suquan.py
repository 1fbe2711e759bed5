"""SUQUAN-SVD against dense singular vectors of the explicit matrix."""

import itertools
import os
import subprocess
import sys
from functools import reduce

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from labelled import leading_subspaces, pure_basis
from wkendall import Rankings
from wkendall.learning import lanczos, singular_values


def labels(rng, rows):
    y = rng.integers(0, 2, rows)
    y[:2] = 0, 1
    return y


def explicit(X, y, order):
    """M as it is written in the paper: Kronecker products of permutation matrices, position by item."""
    n = X.shape[1]
    total = np.zeros((n**order, n**order))
    for ranks, label in zip(X, y, strict=True):
        matrix = np.zeros((n, n))
        for item, rank in enumerate(ranks):
            matrix[rank - 1, item] = 1.0
        share = 1 / np.sum(y == 1) if label == 1 else -1 / np.sum(y == 0)
        total += share * reduce(np.kron, [matrix] * order)
    return total


def check_against_dense(X, y, order, components, pure=False):
    n = X.shape[1]
    M = explicit(X, y, order)
    if pure:
        basis = pure_basis(n, order)
        M = basis.T @ (basis @ M @ basis.T) @ basis
    expected = leading_subspaces(M, components)
    found = wkendall.suquan_svd(X, y, order, components, pure=pure)
    assert found.multiplicity.tolist() == [size for *_, size in expected]
    np.testing.assert_allclose(found.singular_values, [value for value, *_ in expected], rtol=1e-9)
    U, B = (tensor.reshape(-1, n**order) for tensor in (found.U, found.B))
    start = 0
    for value, left, right, size in expected:
        end = start + (1 if components == 1 else size)
        for rows, projection in ((U[start:end], left), (B[start:end], right)):
            np.testing.assert_allclose(rows @ rows.T, np.eye(len(rows)), atol=1e-9)
            # As many orthonormal rows as the subspace has dimensions, all inside: they span it.
            np.testing.assert_allclose(rows @ projection, rows, atol=1e-7)
        np.testing.assert_allclose(U[start:end] @ M, value * B[start:end], atol=1e-8)
        start = end
    if components == 1:
        check_direction(found.U, expected[0][1], n, order)
    return found


def check_direction(U, projection, n, order):
    """U is the normalised projection of the standard weights, or of the identity if these are orthogonal to the subspace."""
    standard = np.zeros((n,) * order)
    for place in np.ndindex(*standard.shape):
        standard[place] = all(a < b for a, b in itertools.pairwise(place))
    identity = np.zeros((n,) * order)
    for rank in range(n):
        identity[(rank,) * order] = 1
    for tensor in (standard, identity):
        place = projection @ tensor.ravel()
        if np.linalg.norm(place) > 1e-3 * np.linalg.norm(tensor):
            np.testing.assert_allclose(U.ravel(), place / np.linalg.norm(place), atol=1e-8)
            return


SIZES = [(n, order) for order, most in ((1, 8), (2, 8), (3, 6)) for n in range(2, most + 1)]


@pytest.mark.parametrize(("n", "order"), SIZES)
@pytest.mark.parametrize("rows", [2, 5, 40])
@pytest.mark.parametrize("components", [1, 3])
def test_same_as_a_dense_decomposition(n, order, rows, components):
    rng = np.random.default_rng(1000 * n + 100 * order + rows)
    X, y = random_rankings(rng, rows, n), labels(rng, rows)
    while not np.abs(explicit(X, y, 1)).sum() > 1e-9:
        X = random_rankings(rng, rows, n)
    check_against_dense(X, y, order, components)


@pytest.mark.parametrize(("n", "order"), [(n, order) for n, order in SIZES if n > order])
@pytest.mark.parametrize("components", [1, 2])
def test_pure_same_as_a_dense_decomposition(n, order, components):
    rng = np.random.default_rng(100 * n + order)
    X, y = random_rankings(rng, 50, n), labels(rng, 50)
    found = check_against_dense(X, y, order, components, pure=True)
    U = found.U.reshape(-1, *(n,) * order)
    for axis in range(1, order + 1):
        np.testing.assert_allclose(U.sum(axis=axis), 0, atol=1e-12)
    for place in np.ndindex(*(n,) * order):
        if len(set(place)) < order:
            assert np.all(U[(slice(None), *place)] == 0)


@pytest.mark.parametrize(
    ("n", "order", "components", "pure"),
    [(7, 2, 1, False), (8, 2, 4, False), (7, 2, 2, True), (5, 3, 2, False), (6, 3, 1, True)],
)
@pytest.mark.parametrize("rows", [3, 80])
@pytest.mark.parametrize("formed", [True, False])
def test_iterations_find_what_all_at_once_finds(n, order, components, pure, rows, formed, monkeypatch):
    rng = np.random.default_rng(rows + n)
    X, y = random_rankings(rng, rows, n), labels(rng, rows)
    monkeypatch.setattr(singular_values, "DENSE", 0)
    if not formed:
        monkeypatch.setattr(singular_values, "FORMED", 0)
        monkeypatch.setattr(singular_values, "FORMED_FOR_MANY", 0)
    check_against_dense(X, y, order, components, pure)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("capacity", [160, 20])
def test_iterations_with_restarts_find_the_singular_values_of_the_matrix(order, capacity, monkeypatch, capsys):
    pytest.importorskip("tqdm")
    rng = np.random.default_rng(order)
    n = 60 if order == 1 else 14
    X, y = random_rankings(rng, 9, n), labels(rng, 9)
    for name, size in (("FORMED", 0), ("FORMED_FOR_MANY", 0)):
        monkeypatch.setattr(singular_values, name, size)
    monkeypatch.setattr(lanczos, "MOST", capacity)
    found = wkendall.suquan_svd(X, y, order, 3, progress=True)
    assert "suquan_svd" in capsys.readouterr().err
    values = np.linalg.svd(explicit(X, y, order), compute_uv=False)
    np.testing.assert_allclose(np.repeat(found.singular_values, found.multiplicity), values[: len(found.U)], rtol=1e-9)


def test_the_leading_weights_know_single_items_only():
    rng = np.random.default_rng(4)
    X = random_rankings(rng, 200, 7)
    y = (X[:, 0] < X[:, 1:].mean(axis=1)).astype(int)
    found = wkendall.suquan_svd(X, y)
    assert found.multiplicity.tolist() == [3]
    U = found.U.copy()
    off = ~np.eye(7, dtype=bool)
    design = np.array(
        [[a == c for c in range(7)] + [b == c for c in range(7)] for a, b in np.argwhere(off)], dtype=float
    )
    fitted = design @ np.linalg.lstsq(design, U[off], rcond=None)[0]
    np.testing.assert_allclose(fitted, U[off], atol=1e-12)
    # Its kernel is that of a weight of single positions.
    single = wkendall.suquan_svd(X, y, order=1).U
    K, first = wkendall.gram_matrix(X, U=found.U), wkendall.gram_matrix(X, U=single, order=1)
    np.testing.assert_allclose(K, first * (K[0, 0] / first[0, 0]), atol=1e-10 * K[0, 0])


def of_pairs(rng, n, sign):
    """A tensor of norm 1 that affects only pairs, symmetric or skew-symmetric."""
    basis = pure_basis(n, 2)
    table = rng.standard_normal((n, n))
    table = ((table + sign * table.T).ravel() @ basis.T @ basis).reshape(n, n)
    return table / np.linalg.norm(table)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_signal_of_pairs(sign):
    rng = np.random.default_rng(12)
    X = random_rankings(rng, 2000, 6)
    U, B = of_pairs(rng, 6, sign), of_pairs(rng, 6, sign)
    pairs = wkendall.linear_function(X, U, B)
    single = wkendall.linear_function(X, *rng.standard_normal((2, 6)))
    single = (single - single.mean()) / single.std()
    # Without another signal it leads, and both forms find it.
    y = pairs > 0
    for pure in (False, True):
        assert abs((wkendall.suquan_svd(X, y, pure=pure).U * U).sum()) > 0.95
    # Beside a signal of single items of the same strength only the pure form does.
    y = pairs / pairs.std() + 1.2 * single > 0
    found = wkendall.suquan_svd(X, y)
    assert found.multiplicity.tolist() == [3]
    assert abs((found.U * U).sum()) < 1e-9
    assert abs((wkendall.suquan_svd(X, y, pure=True).U * U).sum()) > 0.95


@pytest.mark.parametrize(("n", "order"), [(6, 2), (30, 2), (5, 3)])
def test_the_order_of_samples_does_not_matter(n, order):
    rng = np.random.default_rng(5)
    X, y = random_rankings(rng, 70, n), labels(rng, 70)
    places = rng.permutation(70)
    for pure in (False, True):
        found = wkendall.suquan_svd(X, y, order, pure=pure)
        other = wkendall.suquan_svd(X[places], y[places], order, pure=pure, n_jobs=1)
        np.testing.assert_allclose(found.U, other.U, atol=1e-8)
        np.testing.assert_allclose(found.B, other.B, atol=1e-8)


def test_the_number_of_blas_threads_does_not_matter(tmp_path):
    code = """
import numpy as np, sys, wkendall
rng = np.random.default_rng(6)
X = np.array([rng.permutation(9) for _ in range(80)])
np.save(sys.argv[1], wkendall.suquan_svd(X, X[:, 0] < 4).U)
"""
    found = []
    for threads in ("1", "2"):
        path = tmp_path / f"{threads}.npy"
        limits = {f"{name}_NUM_THREADS": threads for name in ("OPENBLAS", "OMP", "MKL")}
        subprocess.run([sys.executable, "-c", code, path], check=True, env=os.environ | limits)
        found.append(np.load(path))
    np.testing.assert_allclose(found[0], found[1], atol=1e-8)


def test_labels_of_any_kind_and_other_inputs_give_the_same():
    rng = np.random.default_rng(7)
    X, y = random_rankings(rng, 40, 6), labels(rng, 40)
    found = wkendall.suquan_svd(X, y)
    for again in (
        wkendall.suquan_svd(X, np.array(["no", "yes"])[y]),
        wkendall.suquan_svd(X, y.astype(bool)),
        wkendall.suquan_svd(Rankings(X, items="abcdef"), y),
        wkendall.suquan_svd(Rankings(-X.astype(float), input="scores"), y),
        wkendall.suquan_svd(Rankings(wkendall.inverse(X), input="orders"), y),
        wkendall.suquan_svd(Rankings(7 - X, top="high"), y),
    ):
        np.testing.assert_array_equal(found.U, again.U)
    np.testing.assert_allclose(wkendall.suquan_svd(X, 1 - y).U, found.U, atol=1e-12)
    np.testing.assert_allclose(wkendall.suquan_svd(X, 1 - y).B, -found.B, atol=1e-12)


def test_counts_are_repetitions():
    rng = np.random.default_rng(11)
    X, y, counts = random_rankings(rng, 30, 5), labels(rng, 30), rng.integers(0, 4, 30)
    counts[:2] = 1
    found = wkendall.suquan_svd(Rankings(X, counts=counts), y)
    expected = wkendall.suquan_svd(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(found.U, expected.U, atol=1e-8)
    np.testing.assert_allclose(found.singular_values, expected.singular_values)
    with pytest.raises(ValueError, match="counts is zero for all rankings of class 1"):
        wkendall.suquan_svd(Rankings(X, counts=1 - y), y)


def test_equal_classes_teach_nothing():
    X = [[1, 2, 3], [1, 2, 3], [3, 1, 2], [3, 1, 2]]
    with pytest.warns(UserWarning, match="no weights can be learned"):
        found = wkendall.suquan_svd(X, [0, 1, 0, 1])
    np.testing.assert_allclose(found.U, wkendall.position_weights(3) / np.sqrt(3))
    assert found.singular_values.tolist() == [0.0]
    assert found.multiplicity.tolist() == [9]
    with pytest.warns(UserWarning, match="no weights can be learned"):
        found = wkendall.suquan_svd(X, [0, 1, 0, 1], n_components=2, pure=True)
    np.testing.assert_allclose(found.U.sum(axis=1), 0, atol=1e-12)
