"""The embedding of rankings, its sums and inner products, and explicit features."""

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import wkendall
from definitions import embedding, kernels, outer_form, random_rankings
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


# What is refused.

X = random_rankings(np.random.default_rng(0), 6, 5)
U = np.ones((5, 5))
