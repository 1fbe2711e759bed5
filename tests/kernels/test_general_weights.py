"""The forms of `U=` and `W=`: what is read as factors, which entries of W count."""

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
import wkendall
from definitions import pairs_of_pairs, random_rankings
from wkendall import tensors


def semidefinite(rng, n, rank):
    A = rng.standard_normal((rank, n * n))
    return (A.T @ A).reshape((n,) * 4)


def test_a_tuple_is_factors_and_nothing_else():
    """Whatever the numbers of terms, items and axes are, no form is read in two ways."""
    n = 2
    X = [[1, 2], [2, 1]]
    left, right = np.array([[1.0, 2], [3, 5]]), np.array([[7.0, 11], [13, 17]])
    wanted = wkendall.gram_matrix(X, U=left.T @ right)
    frames = (pd.DataFrame(left), pd.DataFrame(right))
    series = tuple((pd.Series(a), b.tolist()) for a, b in zip(left, right, strict=True))
    terms = tuple((a, b) for a, b in zip(left, right, strict=True))
    numbers = tuple((tuple(a), tuple(b)) for a, b in zip(left.tolist(), right.tolist(), strict=True))
    for factors in ((left, right), (np.asfortranarray(left), right.astype(int)), frames, series, terms, numbers):
        np.testing.assert_allclose(wkendall.gram_matrix(X, U=factors), wanted, rtol=1e-14)
    stack = [left.tolist(), right.tolist()]
    np.testing.assert_allclose(
        wkendall.gram_matrix(X, U=stack), wkendall.gram_matrix(X, U=left) + wkendall.gram_matrix(X, U=right), rtol=1e-14
    )
    refused = [
        (left.tolist(), right.tolist()),  # each list could be for an axis or for a term
        (list(left), list(right)),
        (left, right.tolist()),
        (left[0].tolist(), right[0].tolist()),
        tuple(left.tolist()),  # a matrix as a tuple of rows
        tuple(map(tuple, left.tolist())),
        (left, tuple(right)),
        (tuple(left), right),
        (1.0, 2.0),
    ]
    for wrong in refused:
        with pytest.raises(
            TypeError, match=rf"^U\[[01]\].* a tuple must contain factors: for {n} items and order 2, 2 arrays of shape"
        ):
            wkendall.gram_matrix(X, U=wrong)
    for vectors, order in (((0.5, 0.3), 1), ((left, right), 1)):
        with pytest.raises((TypeError, ValueError), match=r"a tuple must contain factors: for 2 items and order 1"):
            wkendall.gram_matrix(X, U=vectors, order=order)


def counted(n):
    """Mark the entries that count: a < b and c < d."""
    earlier = np.triu(np.ones((n, n), dtype=bool), 1)
    return earlier[:, :, np.newaxis, np.newaxis] & earlier


def test_entries_that_never_count_do_not_hide_what_is_wrong():
    n = 4
    X = random_rankings(np.random.default_rng(0), 3, n)
    huge = np.where(counted(n), 0.0, 1e15 * np.eye(n * n).reshape((n,) * 4))
    indefinite = huge - np.where(counted(n), np.eye(n * n).reshape((n,) * 4), 0)
    with pytest.raises(ValueError, match=r"W is not positive semi-definite: .* most negative eigenvalue is -1, the"):
        wkendall.gram_matrix(X, W=indefinite)
    uneven = huge + np.where(counted(n), np.eye(n * n).reshape((n,) * 4), 0)
    uneven[0, 1, 2, 3] = 0.25
    with pytest.raises(ValueError, match=r"not symmetric: W\[0, 1, 2, 3\] is 0\.25, but W\[2, 3, 0, 1\] is 0\.0"):
        wkendall.gram_matrix(X, W=uneven)
    large = np.zeros((n,) * 4)
    large[3, 0, 3, 0], large[1, 2, 1, 2] = 1e308, 1e308
    with pytest.raises(ValueError, match=r"^W\[1, 2, 1, 2\] is 1e308: weights must be finite and small enough"):
        wkendall.gram_matrix(X, W=large)
    infinite = np.zeros((n,) * 4)
    infinite[1, 0, 0, 0], infinite[1, 2, 1, 2] = np.nan, np.inf
    for check in (True, False):
        with pytest.raises(ValueError, match=r"^W\[1, 2, 1, 2\] is inf"):
            wkendall.gram_matrix(X, W=infinite, check=check)
        with pytest.raises(ValueError, match=r"^W\[1, 0, 0, 0\] is NaN"):
            wkendall.gram_matrix(X, W=np.where(counted(n), 0.0, infinite), check=check)


def test_nearly_symmetric_weights_of_pairs_of_pairs():
    n = 5
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 6, n)
    W = semidefinite(rng, n, n * n)
    nearly = W * (1 + 2e-13 * rng.uniform(-1, 1, W.shape))
    K = wkendall.gram_matrix(X, W=nearly)
    assert (K == K.T).all()
    for p, s in enumerate(X):
        for q, t in enumerate(X):
            room = 1e-12 * pairs_of_pairs(s, t, np.abs(nearly))
            assert abs(K[p, q] - pairs_of_pairs(s, t, nearly)) <= room
    with pytest.raises(ValueError, match="W is not symmetric"):
        wkendall.gram_matrix(X, W=W * (1 + 1e-11 * rng.uniform(-1, 1, W.shape)))
    steep = 1e12 * np.where(counted(n), np.eye(n * n).reshape((n,) * 4), 0)
    steep[0, 1, 2, 3], steep[2, 3, 0, 1] = 1.0, 1.5
    with pytest.raises(ValueError, match="W is not symmetric"):
        wkendall.gram_matrix(X, W=steep)


@pytest.mark.parametrize("step", [1, 7, 30])
def test_position_weights_made_in_pieces(step, monkeypatch):
    """The entries of one piece, whatever the size of the pieces."""
    kernels = [{}, {"weight": "average"}, {"weight": "add", "u": "log"}, {"weight": "mult", "u": "hyperbolic"}]
    for n in range(6):
        for order in range(1, 5):
            for kernel in [*kernels, *({"weight": "top", "k": k} for k in range(1, n + 1))]:
                whole = wkendall.position_weights(n, order=order, **kernel)
                with monkeypatch.context() as patch:
                    patch.setattr(tensors, "STEP", step)
                    pieces = wkendall.position_weights(n, order=order, **kernel)
                assert pieces.shape == whole.shape
                assert (pieces == whole).all()


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")
def test_eigenvalues_do_not_keep_an_interruption_waiting(monkeypatch):
    """They are one call to LAPACK, which sees no signals."""
    over = threading.Event()
    monkeypatch.setattr(np.linalg, "eigvalsh", lambda matrix: over.wait(30))
    timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tensors._check_definite(-np.eye(3))
    assert time.monotonic() - began < 10
    over.set()


def test_errors_of_eigenvalues_are_passed_on(monkeypatch):
    def fail(matrix):
        raise np.linalg.LinAlgError("Eigenvalues did not converge")

    monkeypatch.setattr(np.linalg, "eigvalsh", fail)
    with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
        tensors._check_definite(-np.eye(3))

    def no_thread(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(np.linalg, "eigvalsh", lambda matrix: np.array([-1.0, 1.0]))
    monkeypatch.setattr(threading.Thread, "start", no_thread)
    with pytest.raises(ValueError, match="W is not positive semi-definite"):
        tensors._check_definite(-np.eye(3))


@pytest.mark.parametrize("piece", [7, 200])
@pytest.mark.parametrize("rank", [1, 45])
def test_which_matrices_are_refused(piece, rank, monkeypatch):
    """As eigenvalues say, also close to the limit, for matrices of full and of low rank and of any size of numbers."""
    monkeypatch.setattr(tensors, "PIECE", piece)
    factor = np.random.default_rng(0).standard_normal((45, rank))
    definite = factor @ factor.T
    limit = tensors.INDEFINITE * np.linalg.eigvalsh(definite)[-1]
    least = np.linalg.eigvalsh(definite)[0] if rank == 45 else 0.0
    for scale in (1.0, 1e-300, 1e290):
        for below, refused in ((-1.0, False), (0.0, False), (0.3, False), (0.9, False), (1.1, True), (1e5, True)):
            matrix = (definite - (least + below * limit) * np.eye(45)) * scale
            if refused:
                with pytest.raises(ValueError, match="W is not positive semi-definite"):
                    tensors._check_definite(matrix)
            else:
                tensors._check_definite(matrix)
