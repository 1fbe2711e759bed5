"""Nearest rankings as an object of scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
import wkendall
from definitions import random_rankings, sparse
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.estimator_checks import parametrize_with_checks
from wkendall import Kendall, KendallCorrelation, KendallDistance, KendallNeighbors, Mallows, Rankings, nearest

MEASURES = [None, KendallDistance(), Kendall(), Kendall("mult", u="log", normalize=True), Mallows(0.1)]


@parametrize_with_checks(
    [
        KendallNeighbors(measure=Kendall(), input="scores", ties="mean"),
        KendallNeighbors(mode="connectivity", input="scores", ties="mean"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def distances(X, Y, measure):
    """All distances, by the matrix."""
    if measure is None or measure.is_distance:
        return wkendall.distance_matrix(X, Y)
    own, other = (wkendall.diagonal(values, measure) for values in (X, Y))
    return np.sqrt(np.maximum(own[:, None] + other - 2 * measure(X, Y), 0))


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_as_nearest_neighbors(measure):
    rng = np.random.default_rng(0)
    X, Y = random_rankings(rng, 40, 7), random_rankings(rng, 25, 7)
    D, own = distances(Y, X, measure), distances(X, X, measure)
    model = KendallNeighbors(4, measure).fit(X)
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


@pytest.mark.parametrize("measure", MEASURES[1:4], ids=str)
def test_radius(measure):
    rng = np.random.default_rng(1)
    X, Y = random_rankings(rng, 40, 6), random_rankings(rng, 10, 6)
    found = wkendall.neighbors(Y, X, n_neighbors=5, measure=measure)
    limit = float(np.median(found.values))
    model = KendallNeighbors(measure=measure, radius=limit).fit(X)
    close = wkendall.neighbors_within(Y, X, radius=limit, measure=measure)
    near, indices = model.radius_neighbors(Y)
    assert near.shape == indices.shape == (10,)
    np.testing.assert_array_equal(np.concatenate(indices), close.indices)
    D = distances(Y, X, measure)
    for row, columns in enumerate(indices):
        np.testing.assert_allclose(near[row], D[row, columns], atol=1e-7)
    ordered, _ = model.radius_neighbors(Y, sort_results=True)
    assert all((np.diff(row) >= 0).all() for row in ordered)
    np.testing.assert_array_equal(np.concatenate(model.radius_neighbors(Y, return_distance=False)), close.indices)
    assert model.radius_neighbors_graph(Y, mode="distance").nnz == close.nnz
    assert model.radius_neighbors_graph().nnz == wkendall.neighbors_within(X, radius=limit, measure=measure).nnz


def test_transform_has_each_ranking_with_itself():
    X = random_rankings(np.random.default_rng(3), 30, 6)
    graph = KendallNeighbors(4).fit_transform(X)
    assert isinstance(graph, sp.csr_matrix)  # as scikit-learn's; scanpy and UMAP take no arrays
    assert graph.shape == (30, 30)
    assert graph.nnz == 150
    assert all(
        row in graph.indices[5 * row : 5 * row + 5] or (graph.data[5 * row : 5 * row + 5] == 0).all()
        for row in range(30)
    )
    ones = KendallNeighbors(4, mode="connectivity").fit_transform(X)
    assert ones.nnz == 120
    assert (ones.data == 1).all()


def test_lists():
    rng = np.random.default_rng(5)
    X = np.where(rng.random((30, 12)) < 0.4, rng.random((30, 12)), np.nan)
    lists = sparse(X)
    kernel, votes = Kendall(signed=True, normalize=True), Rankings(lists, missing="bottom")
    expected = wkendall.neighbors(votes[:4], votes, n_neighbors=3, measure=kernel)
    model = KendallNeighbors(3, kernel, missing="bottom").fit(lists)
    found, indices = model.kneighbors(lists[:4])
    np.testing.assert_array_equal(KendallNeighbors(3, kernel).fit(votes).kneighbors(votes[:4]), (found, indices))
    assert {*map(frozenset, indices.tolist())} == {*map(frozenset, expected.indices.tolist())}
    np.testing.assert_allclose(found, np.sqrt(2 - 2 * expected.values), atol=1e-7)
    assert clone(model).fit(X).kneighbors(X[:4])[1].tolist() == indices.tolist()


def test_what_is_reported_for_lists_of_unequal_size():
    """By kernel the long list comes first, by distance the short one: neighbours are chosen by one, reported by the other."""
    X = sp.csr_array([[1, 2, 3, 4, 5, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0]])
    query = sp.csr_array([[1, 2, 0, 0, 0, 0, 0, 0]])
    how = {"measure": Kendall(signed=True), "missing": "bottom"}
    K = wkendall.gram_matrix(query, X, missing="bottom", signed=True)[0]
    own = wkendall.diagonal(X, missing="bottom", signed=True)
    D = np.sqrt(wkendall.diagonal(query, missing="bottom", signed=True)[0] + own - 2 * K)
    assert K[0] > K[1]
    assert D[0] > D[1]
    found, indices = KendallNeighbors(1, **how).fit(X).kneighbors(query)
    assert indices.tolist() == [[0]]
    np.testing.assert_allclose(found, [[D[0]]])
    assert KendallNeighbors(2, **how).fit(X).kneighbors(query)[1].tolist() == [[1, 0]]


def test_names_of_columns():
    model = KendallNeighbors(2).fit(random_rankings(np.random.default_rng(6), 5, 4))
    assert model.get_feature_names_out().tolist() == [f"kendallneighbors{row}" for row in range(5)]


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize("ties", ["error", "mean"])
@pytest.mark.parametrize("measure", [*MEASURES, Kendall("add", u="log")], ids=str)
def test_fit_transform_is_transform(mode, measure, ties):
    """Rankings with ties can be more similar to others than to themselves; some are equal."""
    rng = np.random.default_rng(8)
    X = random_rankings(rng, 50, 6)
    X[40:] = X[:10]
    if ties == "mean":
        X = np.ceil(X / 2)
    model = KendallNeighbors(4, measure, mode=mode, ties=ties)
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


def test_rankings_are_matched_by_the_names_of_items():
    X = random_rankings(np.random.default_rng(9), 30, 5)
    votes = Rankings(X, items="abcde", counts=np.arange(30))
    model = KendallNeighbors(3).fit(votes)
    expected = KendallNeighbors(3).fit(X).kneighbors(X)
    for other in (votes, Rankings(X[:, ::-1], items="edcba"), Rankings(X)):
        np.testing.assert_array_equal(model.kneighbors(other), expected)
    assert model.rankings_ == votes
    assert "_kept" not in vars(votes)  # which belongs to the caller
    with pytest.raises(ValueError, match="the data of fit has the item 'a', but X does not"):
        model.kneighbors(Rankings(X, items="xbcde"))


def test_what_is_neither_a_kernel_nor_a_distance_has_no_distances():
    X = random_rankings(np.random.default_rng(9), 30, 5)
    model = KendallNeighbors(3, KendallCorrelation("top", k=3)).fit(X)
    with pytest.raises(ValueError, match="is neither a distance nor a kernel"):
        model.kneighbors()
    with pytest.raises(TypeError, match="measure must be a measure"):
        KendallNeighbors(3, "distance").fit(X)


class Watched:
    """The crate; notes what its search is called with."""

    def __init__(self, core, seen):
        self.core, self.seen = core, seen

    def __getattr__(self, name):
        return getattr(self.core, name)

    def neighbors(self, *arguments, **options):
        self.seen.append(arguments)
        return self.core.neighbors(*arguments, **options)
