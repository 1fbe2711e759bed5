"""Nearest rankings as an object of scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
import wkendall
from definitions import random_rankings
from sklearn.base import clone
from sklearn.cluster import DBSCAN, SpectralClustering
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from transformed import two_classes
from wkendall import KendallNeighbors
from wkendall.kernels import nearest

KERNELS = [
    {"metric": "distance"},
    {},
    {"weight": "mult", "u": "log", "normalize": True},
    {"weight": "mallows", "lam": 0.1},
]


@parametrize_with_checks(
    [
        KendallNeighbors(input="scores", ties="mean"),
        KendallNeighbors(mode="connectivity", metric="distance", input="scores", ties="mean"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def distances(X, Y, options):
    """All distances, by the matrix."""
    if options.get("metric") == "distance":
        return wkendall.distance_matrix(X, Y)
    if options.get("weight") == "mallows":
        return np.sqrt(np.maximum(2 - 2 * wkendall.mallows(X, Y, lam=options["lam"]), 0))
    own, other = (wkendall.diagonal(values, **options) for values in (X, Y))
    return np.sqrt(np.maximum(own[:, None] + other - 2 * wkendall.gram_matrix(X, Y, **options), 0))


@pytest.mark.parametrize("options", KERNELS)
def test_as_nearest_neighbors(options):
    rng = np.random.default_rng(0)
    X, Y = random_rankings(rng, 40, 7), random_rankings(rng, 25, 7)
    D, own = distances(Y, X, options), distances(X, X, options)
    model = KendallNeighbors(4, **options).fit(X)
    judge = NearestNeighbors(n_neighbors=4, metric="precomputed").fit(own)
    for given, expected in ((Y, judge.kneighbors(D)), (None, judge.kneighbors())):
        found, indices = model.kneighbors(given)
        np.testing.assert_allclose(found, expected[0], atol=1e-7)
        np.testing.assert_array_equal(model.kneighbors(given, return_distance=False), indices)
        whole = D if given is not None else own
        np.testing.assert_allclose(found, np.take_along_axis(whole, indices, axis=1), atol=1e-7)
        graph = model.kneighbors_graph(given, 3, mode="distance")
        np.testing.assert_allclose(graph.data.reshape(-1, 3), found[:, :3], atol=1e-7)
        assert (model.kneighbors_graph(given).data == 1).all()
    assert model.kneighbors(Y, 40)[1].shape == (25, 40)


@pytest.mark.parametrize("options", KERNELS[:3])
def test_radius(options):
    rng = np.random.default_rng(1)
    X, Y = random_rankings(rng, 40, 6), random_rankings(rng, 10, 6)
    found = wkendall.neighbors(Y, X, n_neighbors=5, **options)
    limit = float(np.median(found.values))
    model = KendallNeighbors(radius=limit, **options).fit(X)
    close = wkendall.neighbors(Y, X, radius=limit, **options)
    near, indices = model.radius_neighbors(Y)
    assert near.shape == indices.shape == (10,)
    np.testing.assert_array_equal(np.concatenate(indices), close.indices)
    D = distances(Y, X, options)
    for row, columns in enumerate(indices):
        np.testing.assert_allclose(near[row], D[row, columns], atol=1e-7)
    ordered, _ = model.radius_neighbors(Y, sort_results=True)
    assert all((np.diff(row) >= 0).all() for row in ordered)
    np.testing.assert_array_equal(np.concatenate(model.radius_neighbors(Y, return_distance=False)), close.indices)
    assert model.radius_neighbors_graph(Y, mode="distance").nnz == close.nnz
    assert model.radius_neighbors_graph().nnz == wkendall.neighbors(X, radius=limit, **options).nnz


def test_a_pipeline_with_precomputed_neighbours():
    X, y = two_classes(np.random.default_rng(2), rows=120)
    D = wkendall.distance_matrix(X)
    model = make_pipeline(KendallNeighbors(7, metric="distance"), KNeighborsClassifier(7, metric="precomputed"))
    found = cross_val_score(model, X, y)
    assert found.mean() > 0.6
    train, test = slice(80), slice(80, None)
    judge = KNeighborsClassifier(1, metric="precomputed", weights="distance").fit(D[train, train], y[train])
    model = make_pipeline(KendallNeighbors(1, metric="distance"), KNeighborsClassifier(1, metric="precomputed"))
    nearest = model.fit(X[train], y[train])[0].kneighbors(X[test], return_distance=False)[:, 0]
    np.testing.assert_array_equal(model.predict(X[test]), y[train][nearest])
    assert judge.score(D[test, train], y[test]) > 0.5


def test_transform_has_each_ranking_with_itself():
    X = random_rankings(np.random.default_rng(3), 30, 6)
    graph = KendallNeighbors(4, metric="distance").fit_transform(X)
    assert isinstance(graph, sp.csr_matrix)  # as scikit-learn's; scanpy and UMAP take no arrays
    assert graph.shape == (30, 30)
    assert graph.nnz == 150
    assert all(
        row in graph.indices[5 * row : 5 * row + 5] or (graph.data[5 * row : 5 * row + 5] == 0).all()
        for row in range(30)
    )
    ones = KendallNeighbors(4, metric="distance", mode="connectivity").fit_transform(X)
    assert ones.nnz == 120
    assert (ones.data == 1).all()


def test_clusters_of_graphs():
    rng = np.random.default_rng(4)
    centres = [[1, 2, 3, 4, 5, 6, 7, 8], [8, 7, 6, 5, 4, 3, 2, 1]]
    X = np.concatenate([wkendall.datasets.make_mallows(40, centre, 1.0, rng=rng) for centre in centres])
    graph = KendallNeighbors(20, metric="distance").fit(X).kneighbors_graph(mode="distance")
    labels = DBSCAN(eps=8, min_samples=5, metric="precomputed").fit_predict(graph)
    assert len({*labels[:40]} & {*labels[40:]} - {-1}) == 0
    connected = KendallNeighbors(45, metric="distance").fit(X).kneighbors_graph()
    similar = (connected + connected.T).toarray()
    labels = SpectralClustering(2, affinity="precomputed", random_state=0).fit_predict(similar)
    assert len({*labels[:40]}) == len({*labels[40:]}) == 1


def test_lists():
    rng = np.random.default_rng(5)
    X = np.where(rng.random((30, 12)) < 0.4, rng.random((30, 12)), np.nan)
    rows, columns = np.nonzero(~np.isnan(X))
    lists = sp.csr_array((X[rows, columns], (rows, columns)), shape=X.shape)
    options = {"missing": "bottom", "signed": True, "normalize": True}
    expected = wkendall.neighbors(lists[:4], lists, n_neighbors=3, **options)
    model = KendallNeighbors(3, **options).fit(lists)
    found, indices = model.kneighbors(lists[:4])
    assert {*map(frozenset, indices.tolist())} == {*map(frozenset, expected.indices.tolist())}
    np.testing.assert_allclose(found, np.sqrt(2 - 2 * expected.values), atol=1e-7)
    assert clone(model).fit(X).kneighbors(X[:4])[1].tolist() == indices.tolist()


def test_the_distance_takes_the_defaults_of_the_kernel_however_they_are_written():
    X = random_rankings(np.random.default_rng(7), 12, 5)
    expected = KendallNeighbors(3, metric="distance").fit(X).kneighbors()
    model = KendallNeighbors(3, metric="distance", weight="standard", order=np.int64(2), check=False, signed=False)
    np.testing.assert_array_equal(model.fit(X).kneighbors(), expected)


def test_what_is_reported_for_lists_of_unequal_size():
    """By kernel the long list comes first, by distance the short one: neighbours are chosen by one, reported by the other."""
    X = sp.csr_array([[1, 2, 3, 4, 5, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0]])
    query = sp.csr_array([[1, 2, 0, 0, 0, 0, 0, 0]])
    how = {"missing": "bottom", "signed": True}
    K = wkendall.gram_matrix(query, X, **how)[0]
    own = wkendall.diagonal(X, **how)
    D = np.sqrt(wkendall.diagonal(query, **how)[0] + own - 2 * K)
    assert K[0] > K[1]
    assert D[0] > D[1]
    found, indices = KendallNeighbors(1, **how).fit(X).kneighbors(query)
    assert indices.tolist() == [[0]]
    np.testing.assert_allclose(found, [[D[0]]])
    assert KendallNeighbors(2, **how).fit(X).kneighbors(query)[1].tolist() == [[1, 0]]


def test_names_of_columns():
    model = KendallNeighbors(2).fit(random_rankings(np.random.default_rng(6), 5, 4))
    assert model.get_feature_names_out().tolist() == [f"kendallneighbors{row}" for row in range(5)]


@pytest.mark.parametrize(
    "kernel",
    [
        {"weight": "mult", "u": "log", "signed": True},
        {"weight": "mult", "u": "hyperbolic", "signed": True, "normalize": True},
        {"weight": "top", "k": 4},
        {"weight": "add", "u": 1.0 - np.arange(60) / 20},
        {"metric": "distance"},
    ],
)
def test_distances_of_lists_by_an_index(kernel):
    """Enough lists for an index, which is also asked for what lists have with themselves."""
    rng = np.random.default_rng(8)
    listed = np.argsort(rng.random((1204, 60)) ** (1 + np.arange(60)), axis=1)[:, -4:]
    bounds = np.arange(1205) * 4
    X = sp.csr_array((np.tile(np.arange(1.0, 5), 1204), listed.ravel(), bounds), shape=(1204, 60))
    how = {"missing": "bottom", **kernel}
    model = KendallNeighbors(3, **how).fit(X[:1200])
    found, indices = model.kneighbors(X[1200:])
    if "metric" in kernel:
        expected = wkendall.distance_matrix(X[1200:], X[:1200], missing="bottom")
        np.testing.assert_array_equal(found, np.sort(expected, axis=1)[:, :3])
        return
    K = wkendall.gram_matrix(X[1200:], X[:1200], **how)
    best = np.argsort(-K, axis=1, kind="stable")[:, :3]
    np.testing.assert_array_equal(np.sort(indices), np.sort(best))
    own = wkendall.diagonal(X, **how)
    squares = own[1200:, np.newaxis] + own[indices] - 2 * np.take_along_axis(K, indices, axis=1)
    np.testing.assert_allclose(found, np.sqrt(np.maximum(squares, 0)), atol=1e-12)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize(
    "options", [*KERNELS, {"ties": "mean"}, {"ties": "mean", "weight": "add", "u": "log"}], ids=str
)
def test_fit_transform_is_transform(mode, options):
    """Rankings with ties can be more similar to others than to themselves; some are equal."""
    rng = np.random.default_rng(8)
    X = random_rankings(rng, 50, 6)
    X[40:] = X[:10]
    if "ties" in options:
        X = np.ceil(X / 2)
    model = KendallNeighbors(4, mode=mode, **options)
    found, wanted = model.fit_transform(X), clone(model).fit(X).transform(X)
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(found.indptr, wanted.indptr)
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_array_equal(found.data, wanted.data)


def test_fit_transform_computes_half_of_the_matrix(monkeypatch):
    """The rankings are searched among themselves, as one object."""
    X = random_rankings(np.random.default_rng(8), 50, 6)
    seen = []
    monkeypatch.setattr(nearest, "_core", Watched(nearest._core, seen))
    KendallNeighbors(4).fit_transform(X)
    assert len(seen) == 1
    assert seen[0][1] is seen[0][2]


class Watched:
    """The crate; notes what its search is called with."""

    def __init__(self, core, seen):
        self.core, self.seen = core, seen

    def __getattr__(self, name):
        return getattr(self.core, name)

    def neighbors(self, *arguments, **options):
        self.seen.append(arguments)
        return self.core.neighbors(*arguments, **options)
