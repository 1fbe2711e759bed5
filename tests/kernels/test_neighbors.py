"""Neighbours: bitwise identical to sorting the rows of the whole matrix."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
import wkendall
from completions import random_rows
from definitions import random_rankings
from nouns import measure_of, rankings_of
from wkendall import Kendall, KendallCorrelation, KendallDistance, Rankings, _core
from wkendall._run import Run
from wkendall.nearest import graph_of

BOTTOM = {"ties": "mean", "missing": "bottom"}
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


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, 12, 13, 23, 24, 50, 129, 130])
def test_every_weight(n):
    rng = np.random.default_rng(n)
    X, Y = random_rankings(rng, 23, n), random_rankings(rng, 70, n)
    for options in kernels(n, rng):
        check(X, **options)
        check(X, Y, **options)
        check(Y, X, counts=(23,), **options)


@pytest.mark.parametrize("m", [*range(1, 12), 63, 64, 65, 257])
def test_every_number_of_rankings_and_neighbours(m):
    rng = np.random.default_rng(m)
    X = random_rankings(rng, m, 6)
    for options in (DISTANCE, {}, {"weight": "mult", "u": "log"}):
        counts = range(1, m) if m < 12 else (1, 8, m // 2, m - 2, m - 1)
        if m > 1:
            check(X, counts=counts, **options)
        check(X, X[::-1], counts=[*counts, m], **options)


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
    rows, columns = np.nonzero(~np.isnan(X))
    lists = sp.csr_array((X[rows, columns], (rows, columns)), shape=X.shape)
    for options in kernels(n, rng):
        check(lists, missing="bottom", **options)
        check(lists[:6], lists, missing="bottom", **options)
    dense = np.where(np.isnan(X), np.nan, X)
    check(dense, lists, missing="bottom", signed=True, normalize=True)


def test_repeated_rankings():
    rng = np.random.default_rng(2)
    few = random_rankings(rng, 20, 4)
    X, Y = few[rng.integers(20, size=300)], few[rng.integers(20, size=100)]
    Z = random_rankings(rng, 90, 4)
    for options in (DISTANCE, {}, {"weight": "mult", "u": "log", "normalize": True}, {"weight": "average"}):
        check(X, counts=(1, 5, 20, 150, 299), **options)
        check(X, Y, counts=(1, 5, 99, 100), **options)
        check(Z, Y, counts=(1, 100), **options)
        check(Y, Z, counts=(1, 90), **options)
    tied = np.round(rng.random((20, 4)) * 3)[rng.integers(20, size=200)]
    check(tied, ties="mean", counts=(1, 10, 100), **DISTANCE)
    lists = sp.csr_array(few[rng.integers(20, size=200)] * (rng.random((200, 4)) < 0.5))
    check(lists, missing="bottom", signed=True, normalize=True)


def test_steep_mallows_kernels_have_equal_values_for_different_distances():
    X = random_rankings(np.random.default_rng(3), 100, 25)
    core = _core.Rankings(X)
    for lam in (0.0, 1e-20, 0.1, 100.0):
        measure = _core.Measure("mallows", 25, {"lam": lam})
        K = np.empty((100, 100))
        _core.gram(measure, core, None, K)
        values, indices = _core.neighbors(measure, core, None, 5)
        expected = sorted_rows(K, -1, 5, same=True)
        np.testing.assert_array_equal(values, expected[0])
        np.testing.assert_array_equal(indices, expected[1])
        starts, columns, _ = _core.within(measure, core, None, float(np.median(K)))
        close = np.median(K) <= K
        np.fill_diagonal(close, val=False)
        np.testing.assert_array_equal(columns, np.nonzero(close)[1])
        np.testing.assert_array_equal(np.diff(starts), close.sum(axis=1))


def test_a_kernel_of_zeros():
    X = random_rankings(np.random.default_rng(0), 9, 3)
    check(X, counts=(1, 8), weight="mult", u=[0, 0, 0])
    check(X, X[:4], counts=(4,), U=np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("strategy", "options"),
    [
        ("bits", DISTANCE),
        ("bits", {}),
        ("bits", {"weight": "average"}),
        ("bits", {"weight": "top", "k": 5}),
        ("product", {"weight": "mult", "u": "log"}),
        ("pairs", {"weight": "mult", "u": "log"}),
        ("pairs", DISTANCE),
        ("partition", {"weight": "add", "u": "log"}),
        ("partition", {}),
    ],
)
def test_strategies_instruction_sets_threads_and_tiles(strategy, options):
    rng = np.random.default_rng(1)
    x, y = (random_rankings(rng, m, 20) for m in (70, 150))
    items, is_distance = 20, options == DISTANCE
    kernel = {name: value for name, value in options.items() if name != "metric"}
    measure = _core.Measure("distance", items, {}) if is_distance else _core.Measure("kendall", items, kernel)
    x, y = (_core.Rankings(values) for values in (x, y))
    for isa, columns in product(_core.instruction_sets(), (None, y)):
        backend = strategy if strategy == "partition" else f"{strategy}-{isa}"
        K = np.empty((70, 70 if columns is None else 150))
        _core.gram(measure, x, columns, K, backend=backend)
        values, indices = sorted_rows(K, 1 if is_distance else -1, 7, columns is None)
        for threads, tile in ((1, None), (2, None), (3, 1), (2, 7), (5, 64), (1, 1000)):
            found = _core.neighbors(measure, x, columns, 7, threads=threads, tile=tile, backend=backend)
            np.testing.assert_array_equal(found[1], indices)
            np.testing.assert_array_equal(found[0], values)
            limit = float(np.quantile(K, 0.7, method="nearest"))
            starts, _, data = _core.within(measure, x, columns, limit, threads=threads, tile=tile, backend=backend)
            close = limit >= K if is_distance else limit <= K
            if columns is None:
                np.fill_diagonal(close, val=False)
            np.testing.assert_array_equal(data, K[close])
            np.testing.assert_array_equal(np.diff(starts), close.sum(axis=1))


def test_many_columns_on_any_number_of_threads():
    rng = np.random.default_rng(4)
    X, Y = random_rankings(rng, 11, 8), random_rankings(rng, 50_000, 8)
    K = wkendall.distance_matrix(X, Y)
    order = np.argsort(K, axis=1, kind="stable")[:, :40]
    for n_jobs in (1, 2, 5):
        found = wkendall.neighbors(X, Y, n_neighbors=40, n_jobs=n_jobs)
        np.testing.assert_array_equal(found.indices, order)
        np.testing.assert_array_equal(found.values, np.take_along_axis(K, order, axis=1))


def test_what_the_numbers_are():
    rng = np.random.default_rng(6)
    X = random_rankings(rng, 30, 6)
    kernel = Kendall("mult", u="hyperbolic")
    expected = wkendall.neighbors(X, n_neighbors=4, measure=kernel)
    orders, scores = np.argsort(X, axis=1) + 1, -X.astype(float)
    for values, options in ((orders, {"input": "orders"}), (scores, {"input": "scores"}), (7 - X, {"top": "high"})):
        found = wkendall.neighbors(Rankings(values, **options), n_neighbors=4, measure=kernel)
        np.testing.assert_array_equal(found.indices, expected.indices)


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


def test_progress_rises_to_the_end():
    X = _core.Rankings(random_rankings(np.random.default_rng(0), 800, 20))
    for measure in (_core.Measure("distance", 20, {}), _core.Measure("kendall", 20, {"weight": "mult", "u": "log"})):
        seen = []
        _core.neighbors(measure, X, None, 3, progress=lambda *step, seen=seen: seen.append(step))
        assert all(0 <= done <= total for done, total in seen)
        assert seen[-1][0] == seen[-1][1]


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
