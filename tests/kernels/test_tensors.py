"""Kernels given by weights: tensors, stacks, factors, weights of pairs of pairs."""

import re

import numpy as np
import pytest
import wkendall
from definitions import kernels, pairs_of_pairs, random_rankings, tensor_kernel


def test_the_order_tells_a_stack_from_a_tensor():
    n = 4
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 3, n)
    U = rng.standard_normal((n, n, n))
    tensor = [[tensor_kernel(s, t, U) for t in X] for s in X]
    stack = [[sum(tensor_kernel(s, t, member) for member in U) for t in X] for s in X]
    np.testing.assert_allclose(wkendall.gram_matrix(X, U=U, order=3), tensor, rtol=0, atol=1e-11)
    np.testing.assert_allclose(wkendall.gram_matrix(X, U=U, order=2), stack, rtol=0, atol=1e-11)
    np.testing.assert_allclose(wkendall.gram_matrix(X, U=U), stack, rtol=0, atol=1e-11)


def test_weights_of_other_kinds():
    n = 4
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 5, n)
    for order in (1, 2, 3):
        U = rng.integers(-3, 4, (n,) * order)
        wanted = wkendall.gram_matrix(X, U=U.astype(float), order=order)
        nested = U.tolist()
        for same in (U, nested, list(U), U.astype(np.float32), np.asfortranarray(U), U[::-1].copy()[::-1]):
            assert (wkendall.gram_matrix(X, U=same, order=order) == wanted).all()
    matrix = rng.standard_normal((n, n))
    wanted = wkendall.gram_matrix(X, U=matrix)
    assert (wkendall.gram_matrix(X, U=[tuple(row) for row in matrix.tolist()], order=2) == wanted).all()


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_position_weights_give_the_named_kernel(n, order):
    X = random_rankings(np.random.default_rng(n), 6, n)
    for params in kernels(n):
        U = wkendall.position_weights(n, order=order, **params)
        for top in ("low", "high"):
            wanted = wkendall.gram_matrix(X, X[:3], order=order, top=top, **params)
            found = wkendall.gram_matrix(X, X[:3], U=U, order=order, top=top)
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11)


@pytest.mark.parametrize("function", ["gram_matrix", "diagonal", "kernel", "kappa"])
def test_weights_that_are_not_positive_semidefinite(function):
    n = 4
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 3, n)
    matrix = rng.standard_normal((n * n, n * n))
    W = (matrix + matrix.T).reshape((n,) * 4)
    earlier = np.flatnonzero(np.triu(np.ones((n, n)), 1))
    least = np.linalg.eigvalsh((matrix + matrix.T)[np.ix_(earlier, earlier)])[0]
    arguments = {"kernel": (X[0], X[1]), "kappa": (X[0],)}.get(function, (X,))
    with pytest.raises(ValueError, match=r"W.*semi-?definite") as raised:
        getattr(wkendall, function)(*arguments, W=W)
    named = [float(number) for number in re.findall(r"-\d+(?:\.\d+)?(?:e[+-]?\d+)?", str(raised.value))]
    assert any(number == pytest.approx(least, rel=1e-2) for number in named)
    wanted = np.array([[pairs_of_pairs(s, t, W) for t in X] for s in X])
    np.testing.assert_allclose(wkendall.gram_matrix(X, W=W, check=False), wanted, rtol=0, atol=1e-11)
