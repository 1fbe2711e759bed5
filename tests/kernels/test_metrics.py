"""Distances in the feature space of a kernel, which are metrics with ties too."""

import itertools

import numpy as np
import pytest
import wkendall
from nouns import kernel_of
from scipy.sparse import csr_array
from wkendall import Kendall, Rankings

METRICS = [
    {},
    {"signed": True},
    {"weight": "mult", "u": "log"},
    {"weight": "add", "u": "hyperbolic"},
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
    x, chosen = Rankings(X, **options), kernel_of(kernel)
    D = wkendall.distance_matrix(x, kernel=chosen)
    np.testing.assert_allclose(D, wanted, rtol=1e-9, atol=3e-6)
    assert (D == D.T).all()
    assert (D.diagonal() == 0).all()
    assert D[3, 7] == 0
    for p, q, r in itertools.product(range(12), repeat=3):
        assert D[p, r] <= D[p, q] + D[q, r] + 1e-9
    both = wkendall.distance_matrix(x[:4], x, kernel=chosen)
    np.testing.assert_allclose(both, D[:4], rtol=1e-9, atol=3e-6)
    single = wkendall.distance_matrix(x, kernel=chosen, dtype=np.float32)
    np.testing.assert_array_equal(single, D.astype(np.float32))


def test_the_distance_of_complete_rankings_and_the_metric():
    X = np.array(list(itertools.permutations([1, 2, 3, 4])))
    D = wkendall.distance_matrix(X)
    np.testing.assert_allclose(wkendall.distance_matrix(X, kernel=Kendall()), np.sqrt(2 * D), rtol=1e-14)
    np.testing.assert_allclose(wkendall.distance_matrix(X, kernel=Kendall(signed=True)), 2 * np.sqrt(D), rtol=1e-14)
    out = np.empty((24, 24))
    assert wkendall.distance_matrix(X, kernel=Kendall(), out=out) is out
    assert wkendall.distance_matrix(X[:0], kernel=Kendall()).shape == (0, 0)


def test_metrics_are_computed_in_blocks(monkeypatch):
    import wkendall.gram as module

    X = np.array(list(itertools.permutations([1, 2, 3, 4])))
    wanted = wkendall.distance_matrix(X, kernel=Kendall("mult", u="log"))
    monkeypatch.setattr(module, "_CELLS", 50)
    for dtype in (np.float64, np.float32):
        found = wkendall.distance_matrix(X, kernel=Kendall("mult", u="log"), dtype=dtype)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("kernel", METRICS, ids=str)
@pytest.mark.parametrize("sparse", [False, True])
def test_distances_of_neighbours_are_those_of_the_matrix(kernel, sparse):
    """Equal rankings with ties are at distance 0."""
    rng = np.random.default_rng(6)
    X = rng.integers(1, 8, (40, 60)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[20:] = X[:20]
    options = {"ties": "mean", "missing": "bottom"}
    chosen = kernel_of(kernel)
    D = wkendall.distance_matrix(Rankings(X, **options), kernel=chosen)
    rows, columns = np.nonzero(~np.isnan(X))
    given = csr_array((X[rows, columns], (rows, columns)), shape=X.shape) if sparse else X
    graph = wkendall.neighbors_graph(Rankings(given, **options), n_neighbors=39, measure=chosen)
    found = np.full((40, 40), np.nan)
    np.put_along_axis(found, graph.indices.reshape(40, 39), graph.data.reshape(40, 39), axis=1)
    np.fill_diagonal(found, 0)
    np.testing.assert_allclose(found, D, rtol=1e-9, atol=1e-9 * D.max())
    equal = np.arange(20), np.arange(20, 40)
    assert (D[equal] == 0).all()
    assert (found[equal] == 0).all()
    distances, indices = wkendall.KendallNeighbors(40, chosen, **options).fit(given).kneighbors(given)
    where = np.argsort(indices, axis=1)
    found = np.take_along_axis(distances, where, axis=1)
    np.testing.assert_allclose(found, D, rtol=1e-9, atol=1e-9 * D.max())
    assert (found[equal] == 0).all()
    assert (np.diag(found) == 0).all()
