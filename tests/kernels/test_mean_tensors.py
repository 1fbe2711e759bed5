"""General weights with ties and missing items: means over all complete rankings that agree, by enumeration."""

import numpy as np
import pytest
import wkendall
from completions import NAN, completions, random_rows
from definitions import embedding, random_rankings
from nouns import gram_to_file
from wkendall import Rankings, TensorKernel
from wkendall._run import Run
from wkendall.embedding import combine_of, embed_of, linear_function_of

LISTS = {"ties": "mean", "missing": "bottom"}
UNKNOWN = {"ties": "mean", "missing": "anywhere"}


def mean_tensor(row, U):
    """The mean of U[s(i), s(j)] over all complete rankings s that agree with a row."""
    return np.mean([embedding(ranks, U) for ranks in completions(row, "bottom")], axis=0)


def mean_size(row, U):
    return mean_tensor(row, np.abs(U))


def weights(n, rng):
    """Weights of pairs as they are given, and as stacks."""
    dense, other = rng.standard_normal((2, n, n))
    one, two = rng.standard_normal((2, 2, n))
    return [
        (dense, dense[np.newaxis]),
        (dense + dense.T, (dense + dense.T)[np.newaxis]),
        (dense - dense.T, (dense - dense.T)[np.newaxis]),
        (np.abs(dense), np.abs(dense)[np.newaxis]),
        (np.stack([dense, other, dense - other]), np.stack([dense, other, dense - other])),
        ((one, two), np.einsum("ri,rj->ij", one, two)[np.newaxis]),
        ((np.abs(one), np.abs(one)), np.einsum("ri,rj->ij", np.abs(one), np.abs(one))[np.newaxis]),
    ]


def expected(X, Y, stack):
    X, Y = ([[mean_tensor(row, U).ravel() for U in stack] for row in rows] for rows in (X, Y))
    return np.array([[sum(np.dot(a, b) for a, b in zip(s, t, strict=True)) for t in Y] for s in X]).reshape(len(X), -1)


@pytest.mark.parametrize("n", range(7))
def test_kernels_of_pairs_are_means_over_completions(n):
    rng = np.random.default_rng(n)
    X, Y = random_rows(rng, 5 if n < 6 else 3, n), random_rows(rng, 3, n)
    for U, stack in weights(n, rng):
        wanted, size = expected(X, Y, stack), expected(X, Y, np.abs(stack))
        for backend in (None, "product", "partition", "product-portable"):
            if backend is not None and n < 2:
                continue  # always complete, with strategies of their own
            K = wkendall.gram_matrix(X, Y, U=U, backend=backend, **LISTS)
            assert (np.abs(K - wanted) <= 1e-12 * size).all(), backend
        own = np.diag(expected(X, X, stack))
        np.testing.assert_allclose(wkendall.diagonal(X, U=U, **LISTS), own, rtol=1e-12, atol=1e-14)
        K = wkendall.gram_matrix(X, U=U, **LISTS)
        assert np.linalg.eigvalsh(K).min(initial=0) > -1e-12 * max(np.abs(own).max(initial=0), 1)


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("kernel", [{"U": True}, {"weight": "top", "k": 1}, {"weight": "mult"}, {"weight": "add"}, {},
                                    {"weight": "average"}])  # fmt: skip
def test_order_one(n, kernel):
    rng = np.random.default_rng(n)
    X = random_rows(rng, 5, n)
    u = rng.standard_normal(n)
    kernel = {"U": u} if "U" in kernel else kernel | ({"u": u} if kernel.get("weight") in ("add", "mult") else {})
    stack = {"top": np.eye(n)[:1], "average": np.tri(n) / np.sqrt(n)}.get(kernel.get("weight"), u[np.newaxis])
    stack = stack if kernel else np.ones((1, n))
    K = wkendall.gram_matrix(X, order=1, **kernel, **LISTS)
    np.testing.assert_allclose(K, expected(X, X, stack), atol=1e-12)
    np.testing.assert_allclose(wkendall.diagonal(X, order=1, **kernel, **LISTS), np.diag(K), atol=1e-12)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("n", range(6))
def test_embeddings_are_means_over_completions(n, order):
    rng = np.random.default_rng(n)
    rows = random_rows(rng, 6, n)
    X = Rankings(rows, **LISTS)
    U, B = rng.standard_normal((2, *(n,) * order))
    coefficients = rng.standard_normal(6)
    wanted = np.array([mean_tensor(row, U) for row in rows]).reshape(6, *U.shape)
    size = np.array([mean_size(row, U) for row in rows]).reshape(6, *U.shape)
    assert (np.abs(wkendall.embed(X, U) - wanted) <= 1e-14 * size).all()
    np.testing.assert_allclose(
        wkendall.combine(X, coefficients, U), np.tensordot(coefficients, wanted, axes=1), atol=1e-12
    )
    np.testing.assert_allclose(wkendall.linear_function(X, U, B), (wanted * B).reshape(6, -1).sum(axis=1), atol=1e-12)


def block_tensor(row, U):
    """The definition with block means, for more items than can be enumerated."""
    values = np.where(np.isnan(row), np.inf, row)
    ranks = [np.flatnonzero(np.sort(values) == value) for value in values]
    found = np.empty(U.shape)
    for i, of_i in enumerate(ranks):
        for j, of_j in enumerate(ranks):
            table = U[np.ix_(of_i, of_j)]
            if i == j:
                found[i, j] = np.diag(table).mean()
            elif values[i] == values[j]:
                found[i, j] = table[~np.eye(len(of_i), dtype=bool)].mean()
            else:
                found[i, j] = table.mean()
    return found


@pytest.mark.parametrize("n", [7, 24, 40, 57])
def test_blocks_of_every_size(n):
    rng = np.random.default_rng(n)
    X = random_rows(rng, 30, n)
    for row in range(3, 12):
        X[row] = rng.integers(0, row - 1, n)
    X[12, : n - 18] = np.arange(n - 18)
    X[12, n - 18 :] = NAN
    U, B = rng.standard_normal((2, n, n))
    x = Rankings(X, **LISTS)
    for weights in (U, U + U.T):
        wanted = np.array([block_tensor(row, weights) for row in X]).reshape(30, -1)
        np.testing.assert_allclose(wkendall.embed(x, weights).reshape(30, -1), wanted, atol=1e-13)
        size = np.abs(wanted) @ np.abs(wanted).T
        for backend in ("product", "partition"):
            K = wkendall.gram_matrix(X, U=weights, backend=backend, **LISTS)
            assert (np.abs(K - wanted @ wanted.T) <= 1e-12 * size).all()
        np.testing.assert_allclose(wkendall.linear_function(x, weights, B), wanted @ B.ravel(), atol=1e-11)
        coefficients = rng.standard_normal(30)
        np.testing.assert_allclose(
            wkendall.combine(x, coefficients, weights).ravel(), coefficients @ wanted, atol=1e-11
        )


def test_same_bits_for_threads_and_copies():
    rng = np.random.default_rng(4)
    for m, n in ((300, 7), (130, 40), (1100, 5)):
        X = random_rows(rng, m, n)
        U, B = rng.standard_normal((2, n, n))
        for weights in (U, U + U.T, np.stack([U, B])):
            K = wkendall.gram_matrix(X, U=weights, n_jobs=1, **LISTS)
            for other in (
                wkendall.gram_matrix(X, U=weights, n_jobs=3, **LISTS),
                wkendall.gram_matrix(X, X.copy(), U=weights, n_jobs=2, **LISTS),
                K.T,
            ):
                np.testing.assert_array_equal(other, K)
            np.testing.assert_array_equal(
                wkendall.gram_matrix(X, U=weights, dtype=np.float32, **LISTS), K.astype(np.float32)
            )
        coefficients, x = rng.standard_normal(m), Rankings(X, **LISTS)._handle
        for call in (
            lambda run, x=x, U=U: embed_of(x, U, run),
            lambda run, x=x, U=U, c=coefficients: combine_of(x, c, U, run),
            lambda run, x=x, U=U, B=B: linear_function_of(x, U, B, run),
        ):
            np.testing.assert_array_equal(call(Run(n_jobs=1)), call(Run(n_jobs=3)))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_complete_rankings_stay_what_they_are(order):
    rng = np.random.default_rng(order)
    X = random_rankings(rng, 80, 6)
    U, B = rng.standard_normal((2, *(6,) * order))
    coefficients = rng.standard_normal(80)
    for call in (
        lambda X: wkendall.gram_matrix(X, U=U, order=order),
        lambda X: wkendall.embed(X, U),
        lambda X: wkendall.combine(X, coefficients, U),
        lambda X: wkendall.linear_function(X, U, B),
    ):
        np.testing.assert_array_equal(call(Rankings(X, **LISTS)), call(X))


def test_normalized_kernels():
    rng = np.random.default_rng(3)
    X = random_rows(rng, 70, 6)
    for U, _ in weights(6, rng):
        K, N = (wkendall.gram_matrix(X, U=U, normalize=normalize, **LISTS) for normalize in (False, True))
        own = np.diag(K)
        alive = own > 1e-9
        root = np.sqrt(own[alive])
        np.testing.assert_allclose(
            N[np.ix_(alive, alive)], (K / 1)[np.ix_(alive, alive)] / np.outer(root, root), atol=1e-12
        )
        assert (N[~alive] == 0).all()
        assert (np.diag(N)[alive] == 1).all()
        np.testing.assert_array_equal(wkendall.diagonal(X, U=U, normalize=True, **LISTS), alive)
    # All items tied: the mean of a skew-symmetric matrix is zero.
    skew = rng.standard_normal((6, 6))
    assert (wkendall.gram_matrix([[1] * 6] * 2, U=skew - skew.T, normalize=True, ties="mean") == 0).all()


def test_one_pair_and_files(tmp_path):
    rng = np.random.default_rng(7)
    X = random_rows(rng, 9, 5)
    U = rng.standard_normal((5, 5))
    K = wkendall.gram_matrix(X, U=U, **LISTS)
    assert wkendall.kernel(X[3], X[4], U=U, **LISTS) == pytest.approx(K[3, 4], rel=1e-12)
    identity = np.arange(5)
    assert wkendall.kappa(X[3], U=U, **LISTS) == wkendall.kernel(identity, X[3], U=U, **LISTS)
    np.testing.assert_array_equal(gram_to_file(tmp_path / "K.npy", X, U=U, **LISTS), K)
    np.testing.assert_array_equal(wkendall.KendallGram(TensorKernel(U), **LISTS).fit_transform(X), K)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda X: wkendall.embed(Rankings(X, **LISTS), np.ones((3, 3, 3))),
            "^order is 3, but rankings with ties .* not implemented",
        ),
        (
            lambda X: wkendall.combine(Rankings(X, **LISTS), [1, 2], np.ones((3, 3, 3))),
            "^order is 3, but rankings with ties",
        ),
        (
            lambda X: wkendall.linear_function(Rankings(X, **LISTS), *np.ones((2, 3, 3, 3))),
            "^order is 3, but rankings with ties",
        ),
        (
            lambda X: wkendall.gram_matrix(X, U=np.ones((3, 3, 3)), order=3, **LISTS),
            "^order is 3, but rankings with ties",
        ),
        (
            lambda X: wkendall.gram_matrix(X, W=np.ones((3, 3, 3, 3)), check=False, **LISTS),
            "^W is for complete rankings",
        ),
        (
            lambda X: wkendall.embed(X, np.ones(3)),
            '^X: row 0 holds 1 twice, .* ties="mean" treats equal numbers as ties',
        ),
        (lambda X: wkendall.embed(X[1:], np.ones(3)), '^X: row 0, column 2 holds NaN.*missing="bottom"'),
        (
            lambda X: wkendall.embed(Rankings(X, **UNKNOWN), np.ones(3)),
            '^missing="anywhere" is for the standard weight',
        ),
        (
            lambda X: wkendall.combine(Rankings(X, **UNKNOWN), [1, 2], np.ones(3)),
            '^missing="anywhere" is for the standard',
        ),
        (
            lambda X: wkendall.gram_matrix(X, U=np.eye(3), ties="mean", missing="anywhere"),
            "^if missing items can be",
        ),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call([[1, 1, 2], [1, 2, NAN]])
