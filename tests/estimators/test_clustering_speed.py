"""Clusters of rankings: explicit features or a Gram matrix, steps that add only what has changed, weights of any size."""

import pickle

import numpy as np
import pytest
from definitions import random_rankings
from scipy.sparse import csr_array
from wkendall import Kendall, KendallKMeans, Mallows, TensorKernel, datasets
from wkendall.estimators import clustering, kmeans

NAN = float("nan")
KERNELS = [
    Kendall(signed=True),
    Kendall(),
    Kendall("mult", u=[1.0, 0.62, 0.41, 0.3, 0.17, 0.05], normalize=True),
    Kendall("add", u=[1.0, 0.62, 0.41, 0.3, 0.17, 0.05], signed=True),
    Kendall("average"),
]


def both_ways(monkeypatch, X, weights=None, **how):
    """Models that were fitted with the Gram matrix and with explicit features."""
    made = []
    for fewer in (10**9, 0):
        monkeypatch.setattr(clustering, "FEWER", fewer)
        made.append(KendallKMeans(**how).fit(X, sample_weight=weights))
    return made


@pytest.mark.filterwarnings("ignore:. clusters found, not n_clusters", "ignore:not converged after max_iter")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", range(3))
def test_features_and_gram_matrices_give_the_same(kernel, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X, weights = datasets.make_mallows(120, 6, 0.2, rng=rng), rng.integers(0, 3, 120)
    new = random_rankings(rng, 30, 6)
    for clusters, more in [(1, {}), (4, {}), (30, {}), (5, {"max_iter": 2}), (3, {"init": X[:3]})]:
        how = {"n_clusters": clusters, "random_state": seed, "n_init": 2, "kernel": kernel} | more
        gram, vectors = both_ways(monkeypatch, X, weights, **how)
        np.testing.assert_array_equal(gram.labels_, vectors.labels_)
        np.testing.assert_array_equal(gram.means_, vectors.means_)
        assert gram.n_iter_ == vectors.n_iter_
        assert gram.inertia_ == pytest.approx(vectors.inertia_, abs=1e-9)
        np.testing.assert_allclose(gram.transform(new) ** 2, vectors.transform(new) ** 2, atol=1e-9)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(vectors)).predict(new), gram.predict(new))


def test_features_of_ties_and_lists_give_the_same(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, (80, 6)).astype(float)
    X[rng.random(X.shape) < 0.3] = NAN
    X[0] = 1
    how = {"n_clusters": 3, "random_state": 0, "ties": "mean", "missing": "bottom"}
    for rows in (X, csr_array(np.nan_to_num(X + 1))):
        for kernel in (None, Kendall("mult", u="log", normalize=True)):
            gram, vectors = both_ways(monkeypatch, rows, **how, kernel=kernel)
            assert (gram._centres is None, vectors._centres is None) == (True, False)
            np.testing.assert_array_equal(gram.labels_, vectors.labels_)
            np.testing.assert_array_equal(gram.predict(rows), vectors.predict(rows))


def test_many_rankings_of_few_items_need_no_gram_matrix(monkeypatch):
    X = datasets.make_mallows(700, 6, 0.1, rng=0)  # 16 features
    monkeypatch.setattr(KendallKMeans, "_gram", lambda *_: pytest.fail("a Gram matrix was made"))
    model = KendallKMeans(3, random_state=0).fit(X)
    assert len(model.rankings_) > 300
    model.predict(X)


def test_kernels_without_features_need_the_gram_matrix(monkeypatch):
    monkeypatch.setattr(clustering, "FEWER", 0)
    X = datasets.make_mallows(100, 5, 0.1, rng=0)
    for kernel in (Mallows(0.1), Kendall(order=3), TensorKernel(np.tri(5))):
        assert KendallKMeans(2, kernel, random_state=0).fit(X)._centres is None
    assert KendallKMeans(2, random_state=0, missing="anywhere").fit(X)._centres is None


@pytest.mark.parametrize("kernel", [None, Mallows(0.2)])
def test_steps_add_only_what_has_changed(kernel, monkeypatch):
    X = datasets.make_uniform(500, 6, rng=0)
    model = KendallKMeans(6, kernel, n_init=1, random_state=0).fit(X)
    assert model.n_iter_ > 8
    monkeypatch.setattr(kmeans, "MANY", -1)
    whole = KendallKMeans(6, kernel, n_init=1, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, whole.labels_)
    assert (model.n_iter_, model.inertia_) == (whole.n_iter_, whole.inertia_)
    counted = []
    for points in (kmeans.GramPoints, kmeans.VectorPoints):
        was = points.products
        monkeypatch.setattr(points, "products", lambda *rest, was=was: counted.append(0) or was(*rest))
    for many, products in ((-1, model.n_iter_ + 1), (1, 3)):
        monkeypatch.setattr(kmeans, "MANY", many)
        counted.clear()
        KendallKMeans(6, kernel, n_init=1, random_state=0).fit(X)
        assert len(counted) == products


@pytest.mark.parametrize("weight", [1e308, 1.7e308, 5e-324, 1e-300])
def test_weights_of_any_size(weight):
    X = datasets.make_mallows(60, 5, 0.3, rng=0)
    expected = KendallKMeans(3, random_state=0).fit(X)
    found = KendallKMeans(3, random_state=0).fit(X, sample_weight=np.full(60, weight))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_allclose(found.means_, expected.means_, rtol=1e-12)
    with np.errstate(over="ignore"):
        assert found.inertia_ == pytest.approx(np.float64(weight) * expected.inertia_, rel=1e-12)
        assert found.score(X, sample_weight=np.full(60, weight)) == pytest.approx(-found.inertia_)
    mixed = np.where(np.arange(60) < 30, weight, weight * 1e-320)
    assert np.isfinite(KendallKMeans(3, random_state=0).fit(X, sample_weight=mixed).means_).all()
