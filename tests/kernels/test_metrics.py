"""Distances in the feature space of a kernel, which are metrics with ties too."""

import itertools

import numpy as np
import pytest
import wkendall

METRICS = [
    {},
    {"signed": True},
    {"weight": "mult", "u": "log"},
    {"weight": "average", "normalize": True},
    {"weight": "top", "k": 3},
]


@pytest.mark.parametrize("kernel", METRICS, ids=str)
@pytest.mark.parametrize("options", [{"ties": "mean"}, {"ties": "mean", "missing": "bottom"}], ids=["ties", "lists"])
def test_the_distance_of_a_kernel_is_a_metric(kernel, options):
    rng = np.random.default_rng(5)
    X = rng.integers(1, 6, (12, 6)).astype(float)
    X[3] = X[7]
    if "missing" in options:
        X[::2, 1] = np.nan
        X[3] = X[7]
    K = wkendall.gram_matrix(X, **kernel, **options)
    wanted = [[max(K[p, p] + K[q, q] - 2 * K[p, q], 0) ** 0.5 for q in range(12)] for p in range(12)]
    D = wkendall.distance_matrix(X, kernel=kernel, **options)
    np.testing.assert_allclose(D, wanted, rtol=1e-9, atol=3e-6)
    assert (D == D.T).all()
    assert (D.diagonal() == 0).all()
    assert D[3, 7] == 0
    for p, q, r in itertools.product(range(12), repeat=3):
        assert D[p, r] <= D[p, q] + D[q, r] + 1e-9
    both = wkendall.distance_matrix(X[:4], X, kernel=kernel, **options)
    np.testing.assert_allclose(both, D[:4], rtol=1e-9, atol=3e-6)
    single = wkendall.distance_matrix(X, kernel=kernel, dtype=np.float32, **options)
    np.testing.assert_array_equal(single, D.astype(np.float32))


def test_the_distance_of_complete_rankings_and_the_metric():
    X = np.array(list(itertools.permutations([1, 2, 3, 4])))
    D = wkendall.distance_matrix(X)
    np.testing.assert_allclose(wkendall.distance_matrix(X, kernel={}), np.sqrt(2 * D), rtol=1e-14)
    np.testing.assert_allclose(wkendall.distance_matrix(X, kernel={"signed": True}), 2 * np.sqrt(D), rtol=1e-14)
    out = np.empty((24, 24))
    assert wkendall.distance_matrix(X, kernel={}, out=out) is out
    assert wkendall.distance_matrix(X[:0], kernel={}).shape == (0, 0)


def test_metrics_are_computed_in_blocks(monkeypatch):
    import wkendall.kernels.gram as module

    X = np.array(list(itertools.permutations([1, 2, 3, 4])))
    wanted = wkendall.distance_matrix(X, kernel={"weight": "mult", "u": "log"})
    monkeypatch.setattr(module, "_CELLS", 50)
    for dtype in (np.float64, np.float32):
        found = wkendall.distance_matrix(X, kernel={"weight": "mult", "u": "log"}, dtype=dtype)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
