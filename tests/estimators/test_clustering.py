"""Clusters of rankings by k-means in the feature space of a kernel."""

import pickle

import numpy as np
import pytest
import sklearn
import wkendall
from definitions import random_rankings
from nouns import features, kernel_of
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks
from wkendall import Kendall, KendallKMeans, Mallows, Rankings, TensorKernel, datasets
from wkendall.estimators import clustering, kmeans

EXPECTED = {"check_clustering": "its points have two coordinates, of which a ranking keeps only which is larger"}
if sklearn.__version__.startswith("1.6."):
    EXPECTED["check_sample_weight_equivalence_on_sparse_data"] = (
        "made for estimators that take sparse data, run for all"
    )
KERNELS = [
    {"signed": True},
    {},
    {"weight": "mult", "u": [1.0, 0.62, 0.41, 0.3, 0.17, 0.05], "normalize": True},
    {"weight": "add", "u": [1.0, 0.62, 0.41, 0.3, 0.17, 0.05], "signed": True},
    {"weight": "average"},
]


def three_groups(rng, rows, lam=1.0):
    """Rankings around three centres."""
    centres = [[1, 2, 3, 4, 5, 6, 7, 8], [8, 7, 6, 5, 4, 3, 2, 1], [4, 3, 2, 1, 8, 7, 6, 5]]
    group = rng.integers(0, 3, rows)
    X = np.array([datasets.make_mallows(1, centres[one], lam, rng=rng)[0] for one in group])
    return X, group


def squares_by_definition(model, X, kernel):
    """Squared distances of rankings from centres, from explicit features and the clusters' members."""
    centres = model.means_.T @ features(model.rankings_, kernel)
    return ((features(X, kernel)[:, np.newaxis] - centres) ** 2).sum(axis=2)


@pytest.mark.filterwarnings("ignore:. clusters found, not n_clusters", "ignore:not converged after max_iter")
@parametrize_with_checks([KendallKMeans(input="scores", ties="mean")], expected_failed_checks=lambda _: EXPECTED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def plain_kmeans(Z, centres):
    """Lloyd's steps on points, equal distances going to the first centre, until nothing changes; no cluster may be empty."""
    labels = None
    while True:
        squares = ((Z[:, np.newaxis] - centres) ** 2).sum(axis=2).round(9)
        before, labels = labels, squares.argmin(axis=1)
        if np.array_equal(before, labels):
            return labels, squares.min(axis=1).sum()
        centres = np.array([Z[labels == one].mean(axis=0) for one in range(len(centres))])


def different_rows(rng, X, count):
    rows = np.unique(X, axis=0)
    return rows[rng.permutation(len(rows))[:count]]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", range(5))
def test_equals_plain_kmeans_on_features(kernel, seed):
    rng = np.random.default_rng(seed)
    X = datasets.make_mallows(150, 6, 0.2, rng=rng)
    start = different_rows(rng, X, 4)
    Z = features(X, kernel)
    labels, inertia = plain_kmeans(Z, features(start, kernel))
    model = KendallKMeans(4, init=start, kernel=kernel_of(kernel)).fit(X)
    np.testing.assert_array_equal(model.labels_, labels)
    assert model.inertia_ == pytest.approx(inertia)
    new = random_rankings(rng, 40, 6)
    np.testing.assert_allclose(model.transform(new) ** 2, squares_by_definition(model, new, kernel), atol=1e-9)


def test_a_start_from_labels():
    rng = np.random.default_rng(2)
    X = datasets.make_mallows(100, 6, 0.2, rng=rng)
    labels = rng.integers(0, 3, 100)
    kernel = KERNELS[2]
    Z = features(X, kernel)
    means = np.array([Z[labels == one].mean(axis=0) for one in range(3)])
    plain = KMeans(3, init=means, n_init=1, tol=0).fit(Z)
    model = KendallKMeans(3, init=labels, kernel=kernel_of(kernel)).fit(X)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert model.inertia_ == pytest.approx(plain.inertia_)


def test_weights_of_samples_count_like_repetitions():
    rng = np.random.default_rng(6)
    X = datasets.make_mallows(60, 6, 0.3, rng=rng)
    weights = rng.integers(0, 4, 60)
    for init in ("k-means++", X[:3]):
        model = KendallKMeans(3, init=init, random_state=0).fit(X, sample_weight=weights)
        repeated = KendallKMeans(3, init=init, random_state=0).fit(np.repeat(X, weights, axis=0))
        assert model.inertia_ == pytest.approx(repeated.inertia_)
        np.testing.assert_array_equal(np.repeat(model.labels_, weights), repeated.labels_)
        np.testing.assert_array_equal(model.labels_, repeated.predict(X))
        assert model.score(X, sample_weight=weights) == pytest.approx(-model.inertia_)
    labels = np.arange(60) % 3
    model = KendallKMeans(3, init=labels).fit(X, sample_weight=weights)
    repeated = KendallKMeans(3, init=np.repeat(labels, weights)).fit(np.repeat(X, weights, axis=0))
    np.testing.assert_array_equal(np.repeat(model.labels_, weights), repeated.labels_)


def test_the_order_of_the_rankings_does_not_matter():
    X, _ = three_groups(np.random.default_rng(7), 100, lam=0.3)
    one, other = (KendallKMeans(4, random_state=0).fit(rows) for rows in (X, X[::-1]))
    np.testing.assert_array_equal(one.labels_, other.labels_[::-1])


def test_an_empty_cluster_takes_the_farthest_ranking():
    X = [[1, 2, 3, 4], [1, 2, 4, 3], [2, 1, 3, 4], [4, 3, 2, 1]]
    # The third centre is nearest to none.
    model = KendallKMeans(3, init=[[1, 2, 3, 4], [1, 2, 4, 3], [3, 4, 1, 2]]).fit(X[:3])
    assert sorted(model.labels_) == [0, 1, 2]
    model = KendallKMeans(2, init=[[1, 2, 3, 4], [1, 2, 3, 4]]).fit(X)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1])


def test_fewer_rankings_than_clusters_are_said():
    X = [[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]]
    for init in ("k-means++", [[2, 1, 3], [2, 3, 1], [2, 3, 1]]):
        with pytest.warns(ConvergenceWarning, match="2 clusters found, not n_clusters=3"):
            model = KendallKMeans(3, init=init, random_state=0).fit(X)
        assert model.inertia_ == pytest.approx(0, abs=1e-9)
        assert model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
        assert np.isfinite(model.transform(X)).all()
        np.testing.assert_array_equal(model.predict(X), model.labels_)
    # The kernel sees no difference: one cluster.
    with pytest.warns(ConvergenceWarning, match="1 clusters found, not n_clusters=2"):
        model = KendallKMeans(2, Kendall("top", k=1), random_state=0).fit(X)
    assert model.labels_.tolist() == [0, 0, 0, 0]


def test_too_few_iterations_are_said():
    X = datasets.make_uniform(300, 6, rng=1)
    with pytest.warns(ConvergenceWarning, match="not converged after max_iter=1 iterations: increase max_iter"):
        model = KendallKMeans(5, max_iter=1, n_init=1, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.n_iter_ == 1


def test_chunks_of_predictions(monkeypatch):
    X = datasets.make_uniform(300, 6, rng=2)
    model = KendallKMeans(4, random_state=0).fit(X[:100])
    whole = model.transform(X)
    monkeypatch.setattr(clustering, "BLOCK", 700)
    np.testing.assert_allclose(model.transform(X), whole, atol=1e-7)


def test_clone_pickle_frames_and_pipelines():
    import pandas as pd

    X = pd.DataFrame(datasets.make_mallows(80, 5, 0.3, rng=3), columns=list("abcde"))
    model = KendallKMeans(3, Kendall("top", k=3), random_state=0).fit(X)
    assert model.feature_names_in_.tolist() == list("abcde")
    assert clone(model).get_params() == model.get_params()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.labels_)
    out = clone(model).set_output(transform="pandas").fit_transform(X)
    assert out.columns.tolist() == ["kendallkmeans0", "kendallkmeans1", "kendallkmeans2"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[list("bacde")])
    pipeline = make_pipeline(FunctionTransformer(lambda X: 6 - X), clone(model).set_params(top="high"))
    np.testing.assert_array_equal(pipeline.fit_predict(X), model.labels_)


GOOD = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [3, 2, 1]]


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_clusters": 0}, ValueError, "n_clusters is 0, but must be at least 1"),
        ({"n_clusters": 5}, ValueError, "n_clusters is 5, but n_samples=4"),
        ({"n_init": 0}, ValueError, "n_init is 0"),
        ({"max_iter": 1.5}, TypeError, "max_iter must be an integer"),
        ({"init": "random"}, ValueError, "init is 'random', but must be one of 'k-means"),
        ({"init": [[1, 2, 3]]}, ValueError, r"init has shape \(1, 3\), but must be \(n_clusters, n\) = \(2, 3\)"),
        ({"init": [[1, 2, 3], [1, 2, 2]]}, ValueError, "init: row 1"),
        ({"init": [0, 1, 0]}, ValueError, "init has 3 clusters, but there are 4 rankings"),
        ({"init": [0, 1, 0, 2]}, ValueError, "init: row 3 is in cluster 2, but must be from 0 to 1"),
        ({"init": [0, 0, 0, 0]}, ValueError, "init: no ranking is in cluster 1"),
        ({"init": [0.0, 1.0, 0.0, 0.5]}, TypeError, "init must be an array of clusters, of whole numbers"),
        ({"kernel": Kendall("top")}, ValueError, "k is missing: the weight"),
    ],
)
def test_bad_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        KendallKMeans(**({"n_clusters": 2} | parameters)).fit(GOOD)


def test_too_many_different_rankings_are_refused(leave_memory):
    leave_memory(100)
    with pytest.raises(ValueError, match="use KendallFeatures or KendallNystroem with MiniBatchKMeans"):
        KendallKMeans(2).fit(GOOD)


@pytest.mark.parametrize("kernel", [None, Kendall("top", k=3), Mallows(0.1)])
def test_each_cluster_has_a_consensus(kernel):
    rng = np.random.default_rng(5)
    X = np.vstack(
        [wkendall.datasets.make_mallows(30, centre, 1.0, rng=rng) for centre in ([1, 2, 3, 4, 5], [5, 3, 4, 1, 2])]
    )
    model = KendallKMeans(2, kernel, random_state=0).fit(X)
    found = model.consensus(rng=0)
    kernel = Kendall() if kernel is None or isinstance(kernel, Mallows) else kernel
    for label, ranking in enumerate(found):
        alone = wkendall.consensus(X[model.labels_ == label], rng=0, kernel=kernel)
        score = kernel(ranking, X[model.labels_ == label]).mean()
        assert score == pytest.approx(alone.score)
    assert model.consensus(method="borda").shape == (2, 5)


def test_clusters_of_ties_and_lists_have_a_consensus():
    X = np.array([[1, 1, 2, np.nan], [1, 2, 2, np.nan], [np.nan, 3, 1, 1], [np.nan, 2, 1, 1]])
    model = KendallKMeans(2, random_state=0, ties="mean", missing="bottom").fit(X)
    found = model.consensus()[model.labels_[[0, 2]]]
    assert np.asarray(found)[:, 0].tolist() == [1, 4]
    sparse = wkendall.KendallKMeans(2, random_state=0, ties="mean", missing="bottom").fit(csr_array(np.nan_to_num(X)))
    assert sorted(sparse.consensus().to_lists()) == sorted(model.consensus().to_lists())


def test_rankings_give_what_their_array_gives():
    rng = np.random.default_rng(10)
    X = datasets.make_mallows(60, 5, 0.3, rng=rng)
    model = KendallKMeans(3, random_state=0).fit(X)
    votes = Rankings(X, items="abcde")
    found = KendallKMeans(3, random_state=0, input="scores").fit(votes)
    np.testing.assert_array_equal(found.labels_, model.labels_)
    assert found.inertia_ == model.inertia_
    assert found.rankings_.items == list("abcde")
    backwards = Rankings(X[:, ::-1], items="edcba")
    np.testing.assert_array_equal(found.predict(backwards), model.labels_)
    np.testing.assert_array_equal(found.transform(backwards), model.transform(X))
    with pytest.raises(ValueError, match="the data of fit has the item 'e', but X does not"):
        found.predict(Rankings(X, items="abcdx"))
    start = KendallKMeans(3, init=X[:3]).fit(X).labels_
    for init in (votes[:3], backwards[:3], Rankings(X[:3])):
        np.testing.assert_array_equal(KendallKMeans(3, init=init).fit(votes).labels_, start)
        np.testing.assert_array_equal(clone(KendallKMeans(3, init=init)).fit(votes).labels_, start)
    with pytest.raises(ValueError, match="the data of fit has the item 'e', but init does not"):
        KendallKMeans(3, init=Rankings(X[:3], items="abcdx")).fit(votes)
    with pytest.raises(ValueError, match=r"init has shape \(2, 5\)"):
        KendallKMeans(3, init=votes[:2]).fit(votes)


def test_counts_are_weights():
    X = datasets.make_mallows(200, 5, 0.3, rng=11)
    votes = Rankings(X)
    counted = votes.distinct()
    assert counted.counts.max() > 1
    model, expected = (KendallKMeans(3, random_state=0).fit(data) for data in (counted, votes))
    assert model.inertia_ == pytest.approx(expected.inertia_)
    np.testing.assert_array_equal(model.predict(X), expected.labels_)
    assert model.score(counted) == pytest.approx(-expected.inertia_)
    one_each = KendallKMeans(3, random_state=0).fit(counted, sample_weight=np.ones(len(counted)))
    same = KendallKMeans(3, random_state=0).fit(np.asarray(counted))
    np.testing.assert_array_equal(one_each.labels_, same.labels_)
    assert one_each.inertia_ == same.inertia_ != model.inertia_


NAN = float("nan")


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
        how = {"n_clusters": clusters, "random_state": seed, "n_init": 2, "kernel": kernel_of(kernel)} | more
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
