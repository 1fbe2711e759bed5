"""The embedding of rankings: what it takes, threads, memory."""

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import wkendall
from definitions import embedding, random_rankings
from wkendall import Kendall, Rankings
from wkendall._run import Run
from wkendall.embedding import combine_of, embed_of, linear_function_of


def test_embed_accepts_what_the_kernels_accept():
    rng = np.random.default_rng(0)
    X, U = random_rankings(rng, 6, 5), rng.integers(-9, 9, (5, 5, 5))
    wanted = np.array([embedding(s, U.astype(float)) for s in X])
    for same in (U, U.tolist(), U.astype(np.float32), np.asfortranarray(U)):
        assert (wkendall.embed(X, same) == wanted).all()
    orders, scores = Rankings(np.argsort(X, axis=1), input="orders"), Rankings(1 / X, input="scores")
    for same in (X.tolist(), X - 1, orders, scores, Rankings(6 - X, top="high")):
        assert (wkendall.embed(same, U) == wanted).all()


@pytest.mark.parametrize(("n", "order"), [(40, 1), (40, 2), (12, 3), (7, 4)])
def test_the_same_bits_for_any_number_of_threads(n, order):
    rng = np.random.default_rng(n)
    X, coef = random_rankings(rng, 500, n), rng.standard_normal(500)
    U, B = rng.standard_normal((2, *(n,) * order))
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
@pytest.mark.parametrize(
    "work",
    [
        "assert abs(wkendall.gram_matrix(X, U=U, order=3)[0, 0] / (U**2).sum() - 1) < 1e-12",
        "wkendall.linear_function(X, U, wkendall.combine(X, np.ones(300), U))",
    ],
)
def test_the_embedding_of_all_rankings_is_never_in_memory(work):
    script = textwrap.dedent(f"""
        import re, numpy as np, wkendall
        def most():
            return int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) * 1024
        rng = np.random.default_rng(0)
        X, U = rng.permuted(np.tile(np.arange(64), (300, 1)), axis=1), rng.standard_normal((64, 64, 64))
        wkendall.gram_matrix(X[:2], U=U[0])
        before = most()
        {work}
        print(most() - before)
    """)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 300 * 64**3 * 8 / 10
