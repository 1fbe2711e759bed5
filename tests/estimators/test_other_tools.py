"""Tools that take neighbours and are not needed here: UMAP, scanpy, hdbscan. The calls are those of docs/neighbors.md."""

import warnings

import numpy as np
import pytest
import wkendall
from sklearn.cluster import HDBSCAN, SpectralClustering
from sklearn.manifold import TSNE, Isomap
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.pipeline import make_pipeline

#: Of other projects, at import and later.
pytestmark = pytest.mark.filterwarnings("ignore")


def tool(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"{name} is not installed")


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    centres = wkendall.datasets.make_uniform(3, 12, rng=rng)
    people = np.concatenate([wkendall.datasets.make_mallows(60, centre, 0.8, rng=rng) for centre in centres])
    return people, np.repeat([0, 1, 2], 60)


@pytest.mark.parametrize("measure", [None, wkendall.Kendall("mult", u="log", normalize=True)], ids=str)
def test_umap(people, measure):
    umap = tool("umap")
    X, group = people
    distances, indices = wkendall.KendallNeighbors(15, measure).fit(X).kneighbors(X)
    np.testing.assert_array_equal(distances[:, 0], 0)
    points = umap.UMAP(15, precomputed_knn=(indices, distances), random_state=0).fit_transform(X)
    assert points.shape == (180, 2)
    assert silhouette_score(points, group) > 0.2


def test_scanpy(people):
    sc, anndata = tool("scanpy"), tool("anndata")
    X, group = people
    adata = anndata.AnnData(X.astype(np.float64))
    sc.pp.neighbors(adata, n_neighbors=15, transformer=wkendall.KendallNeighbors(15), use_rep="X")
    found, expected = adata.obsp["distances"], wkendall.distance_matrix(X)
    rows, columns = found.nonzero()
    np.testing.assert_array_equal(np.asarray(found[rows, columns]).ravel(), expected[rows, columns])
    sc.tl.umap(adata, random_state=0)
    assert silhouette_score(adata.obsm["X_umap"], group) > 0.2


def symmetric_graph(X, n_neighbors):
    graph = wkendall.neighbors_graph(X, n_neighbors=n_neighbors)
    graph.data[graph.data == 0] = 1e-9
    return graph.maximum(graph.T)


def test_hdbscan_of_scikit_learn(people):
    X, group = people
    labels = HDBSCAN(metric="precomputed", min_cluster_size=20).fit_predict(symmetric_graph(X, 90))
    assert adjusted_rand_score(group, labels) > 0.3


def test_hdbscan_links_equal_rankings():
    X = np.repeat(wkendall.datasets.make_uniform(4, 8, rng=np.random.default_rng(0)), 20, axis=0)
    labels = HDBSCAN(metric="precomputed", min_cluster_size=5).fit_predict(symmetric_graph(X, 40))
    assert adjusted_rand_score(np.repeat(np.arange(4), 20), labels) == 1


def test_maps_and_clusters_of_scikit_learn(people):
    X, group = people
    isomap = make_pipeline(wkendall.KendallNeighbors(45), Isomap(n_neighbors=45, metric="precomputed"))
    assert silhouette_score(isomap.fit_transform(X), group) > 0.3
    tsne = TSNE(perplexity=15, metric="precomputed", init="random", random_state=0)
    assert silhouette_score(make_pipeline(wkendall.KendallNeighbors(46), tsne).fit_transform(X), group) > 0.3
    spectral = SpectralClustering(3, n_neighbors=20, affinity="precomputed_nearest_neighbors", random_state=0)
    labels = make_pipeline(wkendall.KendallNeighbors(20), spectral).fit_predict(X)
    assert adjusted_rand_score(group, labels) > 0.8
