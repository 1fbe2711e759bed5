"""Neighbours: graphs, packed signs, what they take. test_properties.py compares them with sorted rows of matrices."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
import wkendall
from definitions import random_rankings
from nouns import measure_of, rankings_of
from wkendall import Kendall, KendallCorrelation, KendallDistance, Rankings
from wkendall._run import Run
from wkendall.nearest import graph_of

DISTANCE = {"metric": "distance"}


def matrix(X, Y=None, **options):
    """The whole matrix, and the factor that turns its values into keys, the smallest being the best."""
    measure = measure_of(options)
    x, y = rankings_of(X, options), None if Y is None else rankings_of(Y, options)
    return wkendall.similarity_matrix(x, y, measure), 1 if measure.is_distance else -1


def sorted_rows(K, sign, count, same):
    """The best of each row, by the definition."""
    keys = sign * K
    if same:
        np.fill_diagonal(keys, np.inf)
    indices = np.argsort(keys, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(K, indices, axis=1), indices


def test_no_rankings():
    none = np.empty((0, 4), dtype=int)
    X = random_rankings(np.random.default_rng(0), 5, 4)
    for measure in (KendallDistance(), Kendall(), Kendall("mult", u="log")):
        found = wkendall.neighbors(none, X, n_neighbors=2, measure=measure)
        assert found.values.shape == found.indices.shape == (0, 2)
        assert wkendall.neighbors_within(none, X, radius=1.0, measure=measure).shape == (0, 5)
        assert wkendall.neighbors_within(none, radius=1.0, measure=measure).shape == (0, 0)
        assert wkendall.neighbors_within(X, none, radius=1.0, measure=measure).shape == (5, 0)


def test_the_graph():
    rng = np.random.default_rng(7)
    X, Y = random_rankings(rng, 20, 6), random_rankings(rng, 30, 6)
    Y[3] = X[0]
    for options, y in product((DISTANCE, {}, {"weight": "mult", "u": "log"}), (None, Y)):
        K, _ = matrix(X, y, **options)
        if options != DISTANCE:
            own = wkendall.diagonal(X if y is None else Y, **options)
            K = np.sqrt(np.maximum(wkendall.diagonal(X, **options)[:, None] + own - 2 * K, 0))
        measure = measure_of(options)
        found = wkendall.neighbors(X, y, n_neighbors=4, measure=measure)
        graph = wkendall.neighbors_graph(X, y, n_neighbors=4, measure=measure)
        assert isinstance(graph, sp.csr_array)
        assert graph.nnz == 80
        np.testing.assert_array_equal(graph.indices.reshape(20, 4), found.indices)
        np.testing.assert_allclose(graph.data, np.take_along_axis(K, found.indices, axis=1).ravel(), atol=1e-7)
        ones = wkendall.neighbors_graph(X, y, n_neighbors=4, mode="connectivity", measure=measure)
        assert (ones.data == 1).all()
        np.testing.assert_array_equal(ones.indices, graph.indices)
        limit = float(np.median(found.values))
        x = Rankings(X)
        close = graph_of(x, None if y is None else Rankings(y), measure, limit, "distance", Run())
        assert close.nnz == wkendall.neighbors_within(X, y, radius=limit, measure=measure).nnz
        assert all((np.diff(close.data[a:b]) >= 0).all() for a, b in zip(close.indptr, close.indptr[1:], strict=False))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 12, 17, 64, 65, 100])
def test_packed_signs(n):
    X = random_rankings(np.random.default_rng(n), 9, n)
    bits = wkendall.packed_signs(X)
    pairs = [(i, j) for j in range(n) for i in range(j)]
    signs = np.array([[row[i] < row[j] for i, j in pairs] for row in X], dtype=bool).reshape(9, len(pairs))
    np.testing.assert_array_equal(bits, np.packbits(signs, axis=1, bitorder="little"))
    hamming = np.unpackbits(bits[:, None] ^ bits[None], axis=2).sum(axis=2)
    np.testing.assert_array_equal(hamming, wkendall.distance_matrix(X))
    np.testing.assert_array_equal(wkendall.packed_signs(Rankings(np.argsort(X, axis=1), input="orders")), bits)
    np.testing.assert_array_equal(wkendall.packed_signs(Rankings(n + 1 - X, top="high")), bits)


def test_indices_have_the_type_that_other_libraries_expect():
    X = random_rankings(np.random.default_rng(0), 20, 5)
    graphs = [wkendall.neighbors_graph(X, mode=mode, n_neighbors=2) for mode in ("distance", "connectivity")]
    for graph in [*graphs, wkendall.neighbors_within(X, radius=2)]:
        assert graph.indices.dtype == graph.indptr.dtype == np.int32


def test_measures_that_are_not_kernels():
    """Other similarities have neighbours, but no distances."""
    X = random_rankings(np.random.default_rng(1), 25, 6)
    measure = KendallCorrelation("add", u="log")
    K = wkendall.similarity_matrix(X, measure=measure)
    found = wkendall.neighbors(X, n_neighbors=3, measure=measure)
    values, indices = sorted_rows(K, -1, 3, same=True)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_array_equal(found.values, values)
    close = wkendall.neighbors_within(X, radius=0.5, measure=measure)
    np.testing.assert_array_equal(close.data, K[(K >= 0.5) & ~np.eye(25, dtype=bool)])
    assert (wkendall.neighbors_graph(X, n_neighbors=3, mode="connectivity", measure=measure).data == 1).all()
    with pytest.raises(wkendall.RankingError, match="neither a distance nor a kernel") as caught:
        wkendall.neighbors_graph(X, n_neighbors=3, measure=measure)
    assert (caught.value.argument, caught.value.kind) == ("measure", "no kernel")


def test_the_default_is_the_distance():
    X = random_rankings(np.random.default_rng(2), 12, 6)
    found, wanted = (wkendall.neighbors(X, n_neighbors=4, **how) for how in ({}, {"measure": KendallDistance()}))
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_array_equal(found.values, wanted.values)
    assert (np.diff(found.values, axis=1) >= 0).all()
    close = wkendall.neighbors_within(X, radius=3)
    D = wkendall.distance_matrix(X)
    np.testing.assert_array_equal(close.toarray() + np.eye(12), np.where(D <= 3, D, 0) + np.eye(12))
