"""Neighbours: bitwise identical to sorting the rows of the whole matrix."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
import wkendall
from definitions import BOTTOM, random_rankings, random_rows, sparse
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


def check(X, Y=None, counts=(1, 3), radius=True, **options):
    K, sign = matrix(X, Y, **options)
    measure = measure_of(options)
    x, y = rankings_of(X, options), None if Y is None else rankings_of(Y, options)
    most = K.shape[1] - (Y is None)
    for count in sorted({min(count, most) for count in counts}):
        found = wkendall.neighbors(x, y, n_neighbors=count, measure=measure)
        values, indices = sorted_rows(K, sign, count, Y is None)
        np.testing.assert_array_equal(found.indices, indices)
        np.testing.assert_array_equal(found.values, values)
    if radius:
        limit = np.quantile(K, 0.3, method="nearest") if K.size else 0.0
        close = sign * K <= sign * limit
        if Y is None:
            np.fill_diagonal(close, val=False)
        found = wkendall.neighbors_within(x, y, radius=limit, measure=measure)
        assert found.has_sorted_indices
        assert found.nnz == close.sum()
        np.testing.assert_array_equal(found.indices, np.nonzero(close)[1])
        np.testing.assert_array_equal(found.data, K[close])


def kernels(n, rng):
    u = rng.standard_normal(n)
    return [
        DISTANCE,
        {},
        {"signed": True, "normalize": True},
        {"weight": "top", "k": max(1, n // 2)},
        {"weight": "add", "u": u},
        {"weight": "mult", "u": u, "signed": True},
        {"weight": "mult", "u": "log", "normalize": True},
        {"weight": "average", "normalize": True},
        {"weight": "average", "signed": True},
    ]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 24, 130])
def test_every_weight(n):
    rng = np.random.default_rng(n)
    X, Y = random_rankings(rng, 23, n), random_rankings(rng, 70, n)
    for options in kernels(n, rng):
        check(X, **options)
        check(X, Y, **options)
        check(Y, X, counts=(23,), **options)


def test_no_rankings():
    none = np.empty((0, 4), dtype=int)
    X = random_rankings(np.random.default_rng(0), 5, 4)
    for measure in (KendallDistance(), Kendall(), Kendall("mult", u="log")):
        found = wkendall.neighbors(none, X, n_neighbors=2, measure=measure)
        assert found.values.shape == found.indices.shape == (0, 2)
        assert wkendall.neighbors_within(none, X, radius=1.0, measure=measure).shape == (0, 5)
        assert wkendall.neighbors_within(none, radius=1.0, measure=measure).shape == (0, 0)
        assert wkendall.neighbors_within(X, none, radius=1.0, measure=measure).shape == (5, 0)


@pytest.mark.parametrize(
    "options", [{"order": 3}, {"order": 1, "weight": "mult", "u": "log"}, "U", "W", "stack", "factors"]
)
def test_orders_and_general_weights(options):
    rng = np.random.default_rng(5)
    X, Y = random_rankings(rng, 15, 5), random_rankings(rng, 30, 5)
    general = {
        "U": {"U": rng.standard_normal((5, 5))},
        "W": {"W": rng.standard_normal((5, 5, 5, 5)), "check": False},
        "stack": {"U": rng.standard_normal((2, 5, 5)), "normalize": True},
        "factors": {"U": (rng.standard_normal((2, 5)), rng.standard_normal((2, 5)))},
    }
    chosen = general[options] if isinstance(options, str) else options
    check(X, **chosen)
    check(X, Y, **chosen)


@pytest.mark.parametrize("n", range(7))
def test_ties_and_missing_items(n):
    rng = np.random.default_rng(n)
    X, Y = random_rows(rng, 30, n), random_rows(rng, 12, n)
    for options in kernels(n, rng):
        check(X, **options, **BOTTOM)
        check(Y, X, **options, **BOTTOM)
    check(X, ties="mean", missing="anywhere")
    check(X, Y, ties="mean", missing="anywhere", **DISTANCE)
    check(X, ties="mean", missing="bottom", U=rng.standard_normal((n, n)))


@pytest.mark.parametrize("n", [5, 40])
def test_lists(n):
    rng = np.random.default_rng(n)
    X = np.where(rng.random((25, n)) < 4 / n, rng.random((25, n)), np.nan)
    lists = sparse(X)
    for options in kernels(n, rng):
        check(lists, missing="bottom", **options)
        check(lists[:6], lists, missing="bottom", **options)
    dense = np.where(np.isnan(X), np.nan, X)
    check(dense, lists, missing="bottom", signed=True, normalize=True)


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


def test_progress(capsys):
    pytest.importorskip("tqdm")
    wkendall.neighbors(random_rankings(np.random.default_rng(0), 30, 5), progress=True)
    assert "neighbors" in capsys.readouterr().err


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
