"""The embedding of rankings, its sums and inner products, and explicit features."""

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import wkendall
from definitions import embedding, kernels, outer_form, random_rankings
from nouns import features, kernel_of
from wkendall import Kendall, Rankings
from wkendall._run import Run
from wkendall.embedding import combine_of, embed_of, linear_function_of

ORDERS = range(1, 5)
BOUND = 1e-12


def tensors(rng, n, order, count):
    return rng.standard_normal((count,) + (n,) * order)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", range(6))
def test_embed_by_definition(n, order):
    rng = np.random.default_rng(n)
    U = tensors(rng, n, order, 1)[0]
    for m in (0, 1, 5):
        X = random_rankings(rng, m, n)
        phi = wkendall.embed(X, U)
        assert phi.shape == (m,) + (n,) * order
        assert phi.dtype == np.float64
        assert all((found == embedding(s, U)).all() for s, found in zip(X, phi, strict=True))


def test_embed_accepts_what_the_kernels_accept():
    n = 5
    rng = np.random.default_rng(0)
    X, U = random_rankings(rng, 6, n), rng.integers(-9, 9, (n, n, n))
    wanted = np.array([embedding(s, U.astype(float)) for s in X])
    for same in (U, U.tolist(), U.astype(np.float32), np.asfortranarray(U)):
        assert (wkendall.embed(X, same) == wanted).all()
    assert (wkendall.embed(X.tolist(), U) == wanted).all()
    assert (wkendall.embed(X - 1, U) == wanted).all()
    assert (wkendall.embed(Rankings(np.argsort(X, axis=1), input="orders"), U) == wanted).all()
    assert (wkendall.embed(Rankings(1 / X, input="scores"), U) == wanted).all()
    assert (wkendall.embed(Rankings(n + 1 - X, top="high"), U) == wanted).all()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [0, 1, 2, 4, 7])
def test_embed_dotted_is_the_gram(n, order):
    rng = np.random.default_rng(n)
    X, Y = random_rankings(rng, 8, n), random_rankings(rng, 3, n)
    U = tensors(rng, n, order, 1)[0]
    first, second = (wkendall.embed(rankings, U).reshape(len(rankings), n**order) for rankings in (X, Y))
    room = BOUND * (U**2).sum()
    np.testing.assert_allclose(wkendall.gram_matrix(X, U=U, order=order), first @ first.T, rtol=0, atol=room)
    np.testing.assert_allclose(wkendall.gram_matrix(X, Y, U=U, order=order), first @ second.T, rtol=0, atol=room)


@pytest.mark.parametrize("order", ORDERS)
def test_embed_with_position_weights_dotted_is_the_named_kernel(order):
    n = 6
    rng = np.random.default_rng(order)
    X = random_rankings(rng, 6, n)
    for params in kernels(n, rng):
        U = wkendall.position_weights(n, order=order, **params)
        stack = U if params["weight"] == "average" else U[None]
        phi = np.concatenate([wkendall.embed(X, member).reshape(6, -1) for member in stack], axis=1)
        wanted = wkendall.gram_matrix(X, order=order, **params)
        np.testing.assert_allclose(phi @ phi.T, wanted, rtol=0, atol=BOUND * (U**2).sum())


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_combine_is_the_weighted_sum_of_embed(n, order):
    rng = np.random.default_rng(n)
    U = tensors(rng, n, order, 1)[0]
    for m in (0, 1, 2, 40):
        X, coef = random_rankings(rng, m, n), rng.standard_normal(m)
        found = wkendall.combine(X, coef, U)
        assert found.shape == (n,) * order
        assert found.dtype == np.float64
        wanted = np.tensordot(coef, wkendall.embed(X, U), axes=1)
        room = BOUND * np.abs(coef).sum() * np.abs(U).max(initial=0)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=room)


def test_combine_of_one_ranking_is_its_embedding():
    rng = np.random.default_rng(0)
    X, U = random_rankings(rng, 1, 6), rng.standard_normal((6, 6, 6))
    assert (wkendall.combine(X, [1], U) == wkendall.embed(X, U)[0]).all()
    assert (wkendall.combine(X, [0], U) == 0).all()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_linear_function_is_the_inner_product_with_embed(n, order):
    rng = np.random.default_rng(n)
    U, B = tensors(rng, n, order, 2)
    for m in (0, 1, 9):
        X = random_rankings(rng, m, n)
        found = wkendall.linear_function(X, U, B)
        assert found.shape == (m,)
        assert found.dtype == np.float64
        wanted = np.tensordot(wkendall.embed(X, U), B, axes=order)
        room = BOUND * np.sqrt((U**2).sum() * (B**2).sum())
        np.testing.assert_allclose(found, wanted, rtol=0, atol=room)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_theorems_2_and_3(n, order):
    """Weights and coefficients trade places when rankings are inverted; both are one form in the permutation matrix."""
    rng = np.random.default_rng(n)
    U, B = tensors(rng, n, order, 2)
    X = random_rankings(rng, 5, n)
    room = BOUND * np.sqrt((U**2).sum() * (B**2).sum())
    found = wkendall.linear_function(X, U, B)
    exchanged = wkendall.linear_function(wkendall.inverse(X), B, U)
    np.testing.assert_allclose(found, [outer_form(s, U, B) for s in X], rtol=0, atol=room)
    np.testing.assert_allclose(exchanged, found, rtol=0, atol=room)
    by_hand = [(B * embedding(s, U)).sum() for s in X]
    np.testing.assert_allclose(found, by_hand, rtol=0, atol=room)


@pytest.mark.parametrize("order", ORDERS)
def test_theorems_2_and_3_with_more_items(order):
    n = 9
    rng = np.random.default_rng(order)
    U, B = tensors(rng, n, order, 2)
    X, coef = random_rankings(rng, 30, n), rng.standard_normal(30)
    room = BOUND * np.sqrt((U**2).sum() * (B**2).sum())
    values = wkendall.linear_function(X, U, B)
    np.testing.assert_allclose(wkendall.linear_function(wkendall.inverse(X), B, U), values, rtol=0, atol=room)
    # The sum of embeddings is the adjoint of the linear function, from either side.
    room *= np.abs(coef).sum()
    assert coef @ values == pytest.approx((wkendall.combine(X, coef, U) * B).sum(), rel=0, abs=room)
    assert coef @ values == pytest.approx((wkendall.combine(wkendall.inverse(X), coef, B) * U).sum(), rel=0, abs=room)
    # With the embedding of a ranking as coefficients it is the kernel.
    own = wkendall.linear_function(X, U, wkendall.embed(X[:1], U)[0])
    np.testing.assert_allclose(own, wkendall.gram_matrix(X, X[:1], U=U, order=order)[:, 0], rtol=0, atol=room)


def test_what_the_numbers_are_and_which_end_is_the_top():
    n = 6
    rng = np.random.default_rng(0)
    X, coef = random_rankings(rng, 7, n), rng.standard_normal(7)
    U, B = tensors(rng, n, 2, 2)
    for values, options in [
        (X - 1, {}),
        (np.argsort(X, axis=1), {"input": "orders"}),
        (-(X**3.0), {"input": "scores"}),
        (n + 1 - X, {"top": "high"}),
    ]:
        rankings = Rankings(values, **options)
        assert (wkendall.combine(rankings, coef, U) == wkendall.combine(X, coef, U)).all()
        assert (wkendall.linear_function(rankings, U, B) == wkendall.linear_function(X, U, B)).all()
        assert (wkendall.inverse(rankings) == wkendall.inverse(X)).all()
        for params in kernels(n, rng):
            kernel = kernel_of(params)
            assert (wkendall.features(rankings, kernel) == wkendall.features(X, kernel)).all()


@pytest.mark.parametrize("m", [0, 1, 5])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 300])
def test_inverse(n, m):
    X = random_rankings(np.random.default_rng(n), m, n)
    found = wkendall.inverse(X)
    assert found.shape == (m, n)
    assert found.dtype == np.int64
    for s, inverted in zip(X, found, strict=True):
        assert [s[item - 1] for item in inverted] == list(range(1, n + 1))
    assert (wkendall.inverse(found) == X).all()
    # The inverse of a ranking is its order.
    assert (wkendall.inverse(Rankings(found, input="orders")) == found).all()


@pytest.mark.parametrize(("n", "order"), [(40, 1), (40, 2), (12, 3), (7, 4)])
def test_the_same_bits_for_any_number_of_threads(n, order):
    rng = np.random.default_rng(n)
    X, coef = random_rankings(rng, 500, n), rng.standard_normal(500)
    U, B = tensors(rng, n, order, 2)
    handle, runs = Rankings(X)._handle, [Run(n_jobs=n_jobs) for n_jobs in (1, 2, 3, None)]
    for found in (
        [embed_of(handle, U, run) for run in runs],
        [combine_of(handle, coef, U, run) for run in runs],
        [linear_function_of(handle, U, B, run) for run in runs],
    ):
        assert all((other == found[0]).all() for other in found)
    found = [wkendall.features(X[:100], Kendall("add", u="log"), n_jobs=n_jobs) for n_jobs in (1, 2, 3, None)]
    assert all((other == found[0]).all() for other in found)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system does not say how much memory was used")
def test_sums_are_made_without_the_embedding():
    script = textwrap.dedent("""
        import re, numpy as np, wkendall
        def most():
            return int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) * 1024
        rng = np.random.default_rng(0)
        X, U = rng.permuted(np.tile(np.arange(64), (300, 1)), axis=1), rng.standard_normal((64, 64, 64))
        wkendall.combine(X[:2], [1, 1], U[0])
        before = most()
        total = wkendall.combine(X, np.ones(300), U)
        assert abs(total.sum() - 300 * U.sum()) < 1e-9 * np.abs(U).sum()
        wkendall.linear_function(X, U, total)
        print(most() - before)
    """)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 300 * 64**3 * 8 / 10


# Features.

OPTIONS = [{}, {"signed": True}, {"normalize": True}, {"signed": True, "normalize": True}]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 8, 23])
def test_features_dotted_are_the_kernel(n, options):
    rng = np.random.default_rng(n)
    X, Y = random_rankings(rng, 9, n), random_rankings(rng, 4, n)
    for params in kernels(n, rng):
        for top in ("low", "high"):
            same = {**params, **options, "top": top}
            first, second = features(X, same), features(Y, same)
            assert first.ndim == 2
            assert first.dtype == np.float64
            assert first.shape == (9, second.shape[1])
            K = wkendall.gram_matrix(X, **same)
            room = BOUND * max(K[0, 0], 0)
            np.testing.assert_allclose(first @ first.T, K, rtol=0, atol=room)
            np.testing.assert_allclose(first @ second.T, wkendall.gram_matrix(X, Y, **same), rtol=0, atol=room)


@pytest.mark.parametrize("n", [2, 3, 8, 23])
def test_how_many_features(n):
    X = random_rankings(np.random.default_rng(n), 3, n)
    pairs = n * (n - 1) // 2
    for params in kernels(n):
        if params["weight"] != "average":
            assert wkendall.features(X, Kendall(signed=True, **params)).shape == (3, pairs)
            assert wkendall.features(X, Kendall(signed=True, normalize=True, **params)).shape == (3, pairs)
    assert wkendall.features(X).shape == (3, pairs + 1)
    assert wkendall.features(X[:0], Kendall(signed=True)).shape == (0, pairs)


def test_features_in_single_precision():
    X = random_rankings(np.random.default_rng(0), 6, 9)
    for params in kernels(9):
        for options in OPTIONS:
            kernel = Kendall(**params, **options)
            single = wkendall.features(X, kernel, dtype=np.float32)
            assert single.dtype == np.float32
            np.testing.assert_allclose(single, wkendall.features(X, kernel), rtol=1e-6, atol=1e-12)


# What is refused.

X = random_rankings(np.random.default_rng(0), 6, 5)
U = np.ones((5, 5))
COEF = np.ones(6)
TWICE = [[1, 2, 3, 4, 4]]
UNKNOWN = Rankings([[1, 2, 3, 4, np.nan]], missing="anywhere")


def embed(values=X, weights=U):
    return lambda: wkendall.embed(values, weights)


def combine(values=X, coef=COEF, weights=U):
    return lambda: wkendall.combine(values, coef, weights)


def linear(values=X, weights=U, coefficients=U):
    return lambda: wkendall.linear_function(values, weights, coefficients)


def vectors(values=X, dtype=np.float64, **options):
    return lambda: wkendall.features(values, kernel_of(options), dtype=dtype)


# What is wrong, how it is called, the exception, what its message must contain.
REFUSED = [
    ("embed no rankings", embed(TWICE), ValueError, ["X: row 0 holds 4 twice"]),
    ("embed one ranking", embed(X[0]), ValueError, ["X is 1-dimensional"]),
    ("embed too small", embed(weights=np.ones((4, 4))), ValueError, ["U", "(4, 4)", "5"]),
    ("embed no square", embed(weights=np.ones((5, 4))), ValueError, ["U", "(5, 4)", "5"]),
    ("embed no cube", embed(weights=np.ones((2, 5, 5))), ValueError, ["U", "(2, 5, 5)", "5"]),
    ("embed a number", embed(weights=1.0), ValueError, ["U is a single value"]),
    ("embed strings", embed(weights=[["a"] * 5] * 5), TypeError, ["U", "real numbers"]),
    ("combine no rankings", combine(TWICE, [1]), ValueError, ["X: row 0 holds 4 twice"]),
    ("combine coef short", combine(coef=np.ones(4)), ValueError, ["coef", "4", "6"]),
    ("combine coef a matrix", combine(coef=np.ones((6, 1))), ValueError, ["coef", "(6, 1)"]),
    ("combine coef of strings", combine(coef=["a"] * 6), TypeError, ["coef", "real numbers"]),
    ("combine too small", combine(weights=np.ones((4, 4, 4))), ValueError, ["U", "(4, 4, 4)", "5"]),
    ("linear no rankings", linear(TWICE), ValueError, ["X: row 0 holds 4 twice"]),
    ("linear U too small", linear(weights=np.ones((4, 4))), ValueError, ["U", "(4, 4)", "5"]),
    ("linear B too small", linear(coefficients=np.ones((4, 4))), ValueError, ["B", "(4, 4)", "5"]),
    ("linear B with other axes", linear(coefficients=np.ones((5, 5, 5))), ValueError, ["B", "(5, 5, 5)"]),
    ("linear B of strings", linear(coefficients=[["a"] * 5] * 5), TypeError, ["B", "real numbers"]),
    ("inverse no rankings", lambda: wkendall.inverse(TWICE), ValueError, ["X: row 0 holds 4 twice"]),
    ("inverse one ranking", lambda: wkendall.inverse(X[0]), ValueError, ["X is 1-dimensional"]),
    ("inverse of ties", lambda: wkendall.inverse(Rankings(TWICE, ties="mean")), ValueError, ["ties"]),
    ("embed unknown positions", embed(UNKNOWN), ValueError, ['missing="anywhere"', 'missing="bottom"']),
    ("features of unknown positions", lambda: wkendall.features(UNKNOWN), ValueError, ['missing="anywhere"']),
    ("features of a distance", lambda: wkendall.features(X, wkendall.KendallDistance()), ValueError, ["needs a kernel"]),
    ("features of order 3", vectors(order=3), ValueError, ["order"]),
    ("features of weights", vectors(U=U), ValueError, []),
    ("features of Mallows", vectors(lam=1.0), ValueError, []),
    ("features no rankings", vectors(TWICE), ValueError, ["X: row 0 holds 4 twice"]),
    ("features weight unknown", vectors(weight="kendall"), ValueError, ["weight is 'kendall'"]),
    ("features k missing", vectors(weight="top"), ValueError, ["needs k"]),
    ("features u short", vectors(weight="mult", u=[1, 2]), ValueError, ["u has 2", "5"]),
    ("features u unused", vectors(u="log"), ValueError, ["u is given"]),
    ("features signed no flag", vectors(signed=1), TypeError, ["signed must be True or False"]),
    ("features normalize no flag", vectors(normalize=1), TypeError, ["normalize must be True or False"]),
    ("features of integers", vectors(dtype=int), ValueError, ["dtype", "float64 or float32"]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused(call, error, words):
    with pytest.raises(error) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_results_that_do_not_fit_in_memory(leave_memory):
    leave_memory(100)
    for call in (embed(), vectors(), vectors(signed=True)):
        with pytest.raises(ValueError, match=r"but only 100\.0 B of memory"):
            call()
