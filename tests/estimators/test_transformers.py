"""The Gram matrix, landmarks and features as transformers for scikit-learn."""

import gzip
import pickle
import subprocess
import sys
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import wkendall
from definitions import kernels, random_rankings, sums
from paths import ROOT
from sklearn.base import clone
from sklearn.cluster import SpectralClustering
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from wkendall import KendallFeatures, KendallNystroem, WeightedKendall, datasets
from wkendall.estimators import kernel_parameters, transformers

SURVEY = ROOT.parent / "shared/data/eurobarometer55_2/counts.csv"
COLON = ROOT.parent / "shared/data/expression/alon/values.csv.gz"
NAN = float("nan")
KINDS = [WeightedKendall, KendallNystroem, KendallFeatures]


def two_classes(rng, rows=60, items=5):
    """Rankings of people of whom one half tends to put the first two items first."""
    scores = rng.standard_normal((rows, items))
    y = np.arange(rows) % 2
    scores[:, :2] += 1.5 * y[:, np.newaxis]
    return (-scores).argsort(axis=1).argsort(axis=1) + 1, y


def pieces_of(mapping, X, size):
    return np.concatenate([vectors for _, vectors in mapping.chunks(X, size)])


@parametrize_with_checks([kind(input="scores", ties="mean") for kind in KINDS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# WeightedKendall.


@pytest.mark.parametrize("signed", [False, True])
def test_the_matrix_by_definition(signed):
    rng = np.random.default_rng(0)
    X, Y = random_rankings(rng, 7, 5), random_rankings(rng, 4, 5)
    for parameters in kernels(5, rng):
        u = parameters.get("u")
        explicit = {} if u is None else {"u": wkendall._arguments.as_factor(u, 5)}
        naive = [[sums(s, t, **(parameters | explicit)) for t in X] for s in Y]
        expected = [[value.signed if signed else value.concordant for value in row] for row in naive]
        model = WeightedKendall(**parameters, signed=signed).fit(X)
        np.testing.assert_allclose(model.transform(Y), expected, atol=1e-12)
        np.testing.assert_allclose(model(Y, X), expected, atol=1e-12)


PARAMETERS = [
    {"weight": "top", "k": 3, "normalize": True},
    {"order": 3},
    {"U": np.arange(16.0).reshape(4, 4)},
    {"U": np.arange(4.0), "order": 1, "normalize": True},
    {"W": np.ones((4, 4, 4, 4)), "check": False},
    {"weight": "average", "signed": True, "top": "high"},
    {"weight": "mult", "u": [3.0, 2.0, 1.0, 0.5], "dtype": np.float32, "n_jobs": 1},
    {"input": "orders"},
    {"weight": "add", "u": "log", "input": "scores"},
]


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_every_parameter_of_a_gram_matrix(parameters):
    rng = np.random.default_rng(1)
    X, Y = random_rankings(rng, 8, 4), random_rankings(rng, 5, 4)
    model = WeightedKendall(**parameters)
    both, one = wkendall.gram_matrix(Y, X, **parameters), wkendall.gram_matrix(X, **parameters)
    assert model(Y, X).dtype == both.dtype
    for found, expected in [(model(Y, X), both), (model(X), one), (model(X, X), one), (model.fit_transform(X), one)]:
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(model.transform(Y), both)
    np.testing.assert_array_equal(model.transform(X), one)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(Y), both)
    np.testing.assert_array_equal(clone(model).fit(X).transform(Y), both)
    assert model(Y[0], X[0]) == both[0, 0]
    assert isinstance(model(Y[0], X[0]), float)


@pytest.mark.parametrize(
    "parameters",
    [
        {"ties": "mean", "weight": "mult", "u": "log"},
        {"ties": "mean", "missing": "bottom", "normalize": True, "input": "scores"},
        {"missing": "bottom", "weight": "top", "k": 3},
        {"ties": "mean", "missing": "anywhere"},
        {"ties": "mean", "missing": "anywhere", "signed": True, "normalize": True, "top": "high"},
    ],
)
def test_ties_and_missing_items(parameters):
    rng = np.random.default_rng(2)
    X = random_rankings(rng, 30, 5).astype(float)
    if "ties" in parameters:
        X = rng.integers(1, 5, (30, 5)).astype(float)
    if "missing" in parameters:
        X[rng.random(X.shape) < 0.3] = NAN
    one = wkendall.gram_matrix(X, **parameters)
    model = WeightedKendall(**parameters)
    np.testing.assert_allclose(model.fit(X[:20]).transform(X), one[:, :20], atol=1e-12)
    np.testing.assert_allclose(model(X), one, atol=1e-12)
    np.testing.assert_allclose(model.fit(random_rankings(rng, 3, 5)).fit_transform(X), one, atol=1e-12)
    Z = KendallNystroem(30, **parameters, random_state=0).fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, one, atol=1e-8)
    if parameters.get("missing") != "anywhere":
        Z = KendallFeatures(**parameters).fit(X).transform(X)
        np.testing.assert_allclose(Z @ Z.T, one, atol=1e-10)


def test_the_mallows_kernel():
    rng = np.random.default_rng(3)
    X, Y = random_rankings(rng, 9, 5), random_rankings(rng, 4, 5)
    model = WeightedKendall("mallows", lam=0.3)
    np.testing.assert_array_equal(model.fit(X).transform(Y), wkendall.mallows(Y, X, lam=0.3))
    np.testing.assert_array_equal(model(X), wkendall.mallows(X, lam=0.3))
    Z = KendallNystroem(9, weight="mallows", lam=0.3, random_state=0).fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, wkendall.mallows(X, lam=0.3), atol=1e-10)


def test_a_function_for_support_vector_machines():
    X, y = two_classes(np.random.default_rng(4))
    new = random_rankings(np.random.default_rng(5), 30, 5)
    model = SVC(kernel=WeightedKendall("mult", u="log"), tol=1e-8).fit(X, y)
    K = wkendall.gram_matrix(X, weight="mult", u="log")
    expected = SVC(kernel="precomputed", tol=1e-8).fit(K, y)
    np.testing.assert_allclose(
        model.decision_function(new), expected.decision_function(wkendall.gram_matrix(new, X, weight="mult", u="log"))
    )
    search = GridSearchCV(model, {"kernel__u": ["log", "hyperbolic"], "C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.6
    assert model.kernel.u == "log"


def test_a_cross_validated_pipeline_is_a_loop_over_blocks():
    X, y = two_classes(np.random.default_rng(6))
    folds = StratifiedKFold(4)
    pipeline = make_pipeline(WeightedKendall("mult", u="log", normalize=True), SVC(kernel="precomputed"))
    found = cross_validate(pipeline, X, y, cv=folds, return_estimator=True)
    K = wkendall.gram_matrix(X, weight="mult", u="log", normalize=True)
    expected = []
    for (train, test), fitted in zip(folds.split(X, y), found["estimator"], strict=True):
        machine = SVC(kernel="precomputed").fit(K[np.ix_(train, train)], y[train])
        expected.append(machine.score(K[np.ix_(test, train)], y[test]))
        # Nothing of the test fold is kept.
        np.testing.assert_array_equal(fitted[0].rankings_, X[train])
    np.testing.assert_allclose(found["test_score"], expected)


def test_a_grid_search_is_a_loop_over_kernels():
    X, y = two_classes(np.random.default_rng(7))
    grid = [
        {"weight": ["standard", "average"]},
        {"weight": ["top"], "k": [2, 4]},
        {"weight": ["add", "mult"], "u": ["log", "hyperbolic", np.array([2.0, 1, 0, 0, 0])]},
        {"order": [1, 3]},
    ]
    search = GridSearchCV(
        make_pipeline(WeightedKendall(normalize=True), SVC(kernel="precomputed")),
        [{f"weightedkendall__{name}": values for name, values in one.items()} for one in grid],
        cv=StratifiedKFold(3),
    ).fit(X, y)
    assert len(search.cv_results_["params"]) == 12
    for parameters, found in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
        kernel = {name.removeprefix("weightedkendall__"): value for name, value in parameters.items()}
        K = wkendall.gram_matrix(X, normalize=True, **kernel)
        expected = cross_val_score(SVC(kernel="precomputed"), K, y, cv=StratifiedKFold(3)).mean()
        assert found == pytest.approx(expected)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()


def test_what_a_weight_does_not_use_is_ignored():
    X, y = two_classes(np.random.default_rng(16))
    unused = {"k": 2, "u": "log", "lam": 0.5}
    uses = {"standard": (), "average": (), "top": ("k",), "add": ("u",), "mult": ("u",)}
    for weight, names in uses.items():
        expected = wkendall.gram_matrix(X, weight=weight, **{name: unused[name] for name in names})
        np.testing.assert_array_equal(WeightedKendall(weight, **unused).fit_transform(X), expected)
        features = KendallFeatures(weight, k=2, u="log").fit_transform(X)
        np.testing.assert_allclose(features @ features.T, expected, atol=1e-12)
    np.testing.assert_array_equal(WeightedKendall("mallows", **unused)(X), wkendall.mallows(X, lam=0.5))
    np.testing.assert_array_equal(WeightedKendall(U=np.eye(5), **unused)(X), wkendall.gram_matrix(X, U=np.eye(5)))
    model = make_pipeline(WeightedKendall(**unused), SVC(kernel="precomputed"))
    grid = {"weightedkendall__weight": [*uses], "weightedkendall__k": [2, 4], "weightedkendall__order": [1, 2, 3]}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 30


def test_other_methods_take_the_matrix():
    rng = np.random.default_rng(8)
    X, y = two_classes(rng)
    new = random_rankings(rng, 10, 5)
    kernel = {"weight": "add", "u": "log", "normalize": True}
    K, K_new = wkendall.gram_matrix(X, **kernel), wkendall.gram_matrix(new, X, **kernel)
    gram = WeightedKendall(**kernel)
    ridge = make_pipeline(gram, KernelRidge(kernel="precomputed")).fit(X, y)
    expected = KernelRidge(kernel="precomputed").fit(K, y).predict(K_new)
    np.testing.assert_allclose(ridge.predict(new), expected)
    pair_by_pair = KernelRidge(kernel=gram).fit(X, y).predict(new)
    np.testing.assert_allclose(pair_by_pair, expected)
    components = make_pipeline(gram, KernelPCA(2, kernel="precomputed")).fit(X).transform(new)
    expected = KernelPCA(2, kernel="precomputed").fit(K).transform(K_new)
    np.testing.assert_allclose(components, expected, atol=1e-10)
    spectral = SpectralClustering(2, affinity="precomputed", random_state=0)
    found = make_pipeline(gram, clone(spectral)).fit_predict(X)
    np.testing.assert_array_equal(found, spectral.fit_predict(K))


# Frames and names.


@pytest.mark.parametrize("kind", KINDS)
def test_frames(kind):
    import pandas as pd

    X = pd.DataFrame(random_rankings(np.random.default_rng(9), 12, 4), columns=list("abcd"))
    kind = partial(kind, random_state=0) if kind is KendallNystroem else kind
    model = kind().set_output(transform="pandas")
    out = model.fit_transform(X)
    assert out.columns.tolist() == model.get_feature_names_out().tolist()
    np.testing.assert_array_equal(out.to_numpy(), kind().fit_transform(X.to_numpy()))
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(X[list("bacd")])
    first = {"KendallFeatures": "a before b"}
    name = type(model).__name__
    assert out.columns[0] == first.get(name, f"{name.lower()}0")


def test_the_function_compares_labels():
    import pandas as pd

    X = pd.DataFrame([[1, 2, 3], [3, 2, 1]], columns=list("abc"))
    np.testing.assert_array_equal(WeightedKendall()(X, X.copy()), [[3, 0], [0, 3]])
    with pytest.raises(ValueError, match="item 0 is labelled 'a' in X and 'b' in Y"):
        WeightedKendall()(X, X[list("bac")])


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ({"signed": True}, ["a before b", "a before c", "b before c"]),
        ({}, ["a before b", "a before c", "b before c", "constant"]),
        ({"weight": "top", "k": 2, "signed": True}, ["a before b", "a before c", "b before c"]),
        (
            {"weight": "mult", "u": "log"},
            ["a before b", "a before c", "b before c", "b before a", "c before a", "c before b"],
        ),
        (
            {"weight": "average", "signed": True},
            [f"{pair}, top {k}" for k in (2, 3) for pair in ("a before b", "a before c", "b before c")],
        ),
    ],
)
def test_names_of_features(parameters, names):
    model = KendallFeatures(**parameters).fit([[1, 2, 3]])
    assert model.get_feature_names_out(list("abc")).tolist() == names
    # Each ranking has what its names say.
    items = {"a": 0, "b": 1, "c": 2}
    for ranks in ([1, 2, 3], [3, 1, 2], [2, 3, 1]):
        for name, value in zip(names, model.transform([ranks])[0], strict=True):
            if name == "constant":
                continue
            pair, _, top = name.partition(", top ")
            first, second = (ranks[items[item]] for item in pair.split(" before "))
            deepest = int(top) if top else parameters.get("k", 3)
            sign = 1 if first < second else -1 if parameters.get("signed") or not parameters.get("weight") else 0
            assert np.sign(value) == (sign if max(first, second) <= deepest else 0)


# Landmarks.


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans++"])
@pytest.mark.parametrize(
    "parameters", [{}, {"weight": "mult", "u": "log", "normalize": True}, {"order": 3}, {"weight": "top", "k": 2}]
)
def test_all_rankings_as_landmarks_are_exact(parameters, landmarks):
    X = random_rankings(np.random.default_rng(10), 60, 5)
    Z = KendallNystroem(60, landmarks=landmarks, **parameters, random_state=0).fit(X)
    K = wkendall.gram_matrix(X, **parameters)
    found = Z.transform(X) @ Z.transform(X).T
    np.testing.assert_allclose(found, K, rtol=1e-8, atol=1e-8 * K.max())
    assert Z.error_ < 1e-10
    # Equal rankings once.
    assert len(Z.landmarks_) == len(np.unique(Z.landmarks_, axis=0)) <= len(np.unique(X, axis=0))


def naive_error(X, landmarks, **parameters):
    """The relative error of the trace, and the approximation, with a pseudo-inverse."""
    K, columns = wkendall.gram_matrix(X, **parameters), wkendall.gram_matrix(X, landmarks, **parameters)
    near = columns @ np.linalg.pinv(wkendall.gram_matrix(landmarks, **parameters), rcond=1e-12) @ columns.T
    return (np.trace(K) - np.trace(near)) / np.trace(K), near


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans++"])
def test_the_approximation_by_its_definition(landmarks):
    X = datasets.make_mallows(200, 7, 0.3, rng=0)
    new = random_rankings(np.random.default_rng(11), 20, 7)
    for count in (1, 2, 5, 20, 60):
        parameters = {"weight": "add", "u": "hyperbolic", "normalize": True}
        model = KendallNystroem(count, landmarks=landmarks, **parameters, random_state=3).fit(X)
        error, near = naive_error(X, model.landmarks_, **parameters)
        Z = model.transform(X)
        np.testing.assert_allclose(Z @ Z.T, near, atol=1e-9)
        assert model.error_ == pytest.approx(error, abs=1e-10)
        own = wkendall.gram_matrix(model.landmarks_, **parameters)
        marks = model.transform(model.landmarks_)
        np.testing.assert_allclose(marks @ marks.T, own, atol=1e-9)
        np.testing.assert_allclose(
            model.transform(new) @ marks.T, wkendall.gram_matrix(new, model.landmarks_, **parameters), atol=1e-9
        )
        rows = {tuple(row) for row in X.tolist()}
        assert all(tuple(row) in rows for row in model.landmarks_.tolist())


def check_errors(X, counts, **parameters):
    """More landmarks include the fewer, and the error falls."""
    for landmarks in ("uniform", "kmeans++"):
        models = [KendallNystroem(count, landmarks=landmarks, **parameters, random_state=0).fit(X) for count in counts]
        for fewer, more in pairwise(models):
            columns = len(fewer.landmarks_)
            np.testing.assert_array_equal(more.landmarks_[:columns], fewer.landmarks_)
            np.testing.assert_allclose(more.transform(X)[:, :columns], fewer.transform(X), atol=1e-8)
            assert more.error_ < fewer.error_ or more.error_ < 1e-12
        assert models[-1].error_ < models[0].error_ / 2


def test_errors_fall_on_simulated_rankings():
    check_errors(datasets.make_mallows(500, 10, 0.2, rng=1), (5, 20, 80, 200), weight="mult", u="log")
    check_errors(datasets.make_mallows(500, 10, 0.2, rng=1), (5, 50, 300), order=3, normalize=True)


@pytest.mark.skipif(not SURVEY.exists(), reason="the counts of the survey are not there")
def test_errors_fall_on_the_survey():
    survey = datasets.load_eurobarometer(SURVEY)
    for parameters in ({}, {"weight": "mult", "u": "log", "normalize": True}, {"weight": "mallows", "lam": 0.3}):
        check_errors(survey.X, (2, 10, 40, 160), **parameters)
    assert len(KendallNystroem(1000, random_state=0).fit(survey.X).landmarks_) <= 720


@pytest.mark.skipif(not COLON.exists(), reason="the expression data are not there")
def test_errors_fall_on_gene_expression():
    with gzip.open(COLON, "rt") as file:
        X = np.loadtxt(file, delimiter=",", skiprows=1)
    parameters = {"input": "scores", "ties": "mean", "weight": "mult", "u": "log", "normalize": True}
    check_errors(X, (2, 15, 50), **parameters)
    Z = KendallNystroem(62, **parameters, random_state=0).fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, wkendall.gram_matrix(X, **parameters), atol=1e-8)


def test_landmarks_follow_the_number_of_people():
    X = np.repeat([[1, 2, 3], [3, 2, 1]], [990, 10], axis=0)
    first = [KendallNystroem(1, random_state=seed).fit(X).landmarks_[0, 0] for seed in range(200)]
    assert 190 <= first.count(1) < 200


def test_landmarks_apart_are_apart():
    reverse = [8, 7, 6, 5, 4, 3, 2, 1]
    X = np.concatenate([datasets.make_mallows(995, 8, 5.0, rng=0), np.tile(reverse, (5, 1))])
    found = {"uniform": 0, "kmeans++": 0}
    for landmarks in found:
        for seed in range(20):
            model = KendallNystroem(3, landmarks=landmarks, random_state=seed).fit(X)
            found[landmarks] += reverse in model.landmarks_.tolist()
    assert found["kmeans++"] > 15
    assert found["uniform"] < 10
    # Of 24 rankings the top-2 kernel tells 12 apart.
    R = np.array(np.meshgrid(*[range(1, 5)] * 4)).reshape(4, -1).T
    R = R[(np.sort(R, axis=1) == [1, 2, 3, 4]).all(axis=1)]
    apart = KendallNystroem(24, landmarks="kmeans++", weight="top", k=2, random_state=0).fit(R)
    assert len(apart.landmarks_) == 12
    assert apart.transform(R).shape == (24, 12)


def test_the_error_of_many_rankings_is_that_of_some(monkeypatch):
    X = datasets.make_uniform(2000, 8, rng=0)
    full = KendallNystroem(15, normalize=True, random_state=0).fit(X)
    monkeypatch.setattr(transformers, "MOST", 300)
    some = KendallNystroem(15, normalize=True, random_state=0).fit(X)
    assert some.error_ == pytest.approx(full.error_, rel=0.1)
    assert some.error_ != full.error_
    apart = KendallNystroem(15, landmarks="kmeans++", normalize=True, random_state=0).fit(X)
    assert len(apart.landmarks_) == 15


@pytest.mark.parametrize("kernel", [{"order": 3}, {"weight": "top", "k": 1}, {"U": np.zeros((2, 2))}])
def test_a_kernel_of_zeros_has_a_column_of_zeros(kernel):
    model = KendallNystroem(2, **kernel, random_state=0).fit([[1, 2], [2, 1]])
    np.testing.assert_array_equal(model.transform([[1, 2], [2, 1], [1, 2]]), np.zeros((3, 1)))
    assert model.error_ == 0


def test_the_same_seed_draws_the_same():
    X = datasets.make_uniform(100, 6, rng=0)
    for landmarks in ("uniform", "kmeans++"):
        one, other = (KendallNystroem(9, landmarks=landmarks, random_state=seed).fit(X) for seed in (0, 1))
        again = clone(one).fit(X[::-1])
        np.testing.assert_array_equal(one.landmarks_, again.landmarks_)
        assert not np.array_equal(one.landmarks_, other.landmarks_)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(one)).transform(X), one.transform(X))


# Features, and chunks of either.


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("normalize", [False, True])
def test_features_are_exact(signed, normalize):
    rng = np.random.default_rng(12)
    for items in (1, 2, 3, 6):
        X = random_rankings(rng, 20, items)
        for parameters in kernels(items, rng):
            model = KendallFeatures(**parameters, signed=signed, normalize=normalize)
            Z = model.fit_transform(X)
            assert len(model.get_feature_names_out()) == Z.shape[1]
            K = wkendall.gram_matrix(X, **parameters, signed=signed, normalize=normalize)
            np.testing.assert_allclose(Z @ Z.T, K, atol=1e-12 * max(1, K.max()))


@pytest.mark.parametrize("mapping", [KendallNystroem(20, weight="mult", u="log", random_state=0), KendallFeatures()])
def test_chunks_are_pieces_of_the_whole(mapping, monkeypatch):
    X = datasets.make_uniform(137, 6, rng=0)
    mapping = clone(mapping).fit(X)
    whole = mapping.transform(X)
    for size in (None, 1, 10, 137, 1000):
        slices = [rows for rows, _ in mapping.chunks(X, size)]
        assert [rows.start for rows in slices] == [0, *(rows.stop for rows in slices[:-1])]
        assert slices[-1].stop == 137
        np.testing.assert_allclose(pieces_of(mapping, X, size), whole, atol=1e-12)
    monkeypatch.setattr(transformers, "BLOCK", 50)
    np.testing.assert_allclose(mapping.transform(X), whole, atol=1e-12)
    single = clone(mapping).set_params(dtype=np.float32).fit(X).transform(X)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, whole, atol=1e-5)
    # All rankings are checked, and named by their row in all of them, before the first chunk.
    X[100] = 1
    with pytest.raises(ValueError, match="X: row 100"):
        mapping.chunks(X, 10)
    with pytest.raises(ValueError, match="size is 0"):
        mapping.chunks(X, 0)


def test_a_linear_model_learns_from_chunks():
    X, y = two_classes(np.random.default_rng(13), 4000, 6)
    for mapping in (KendallFeatures(signed=True), KendallNystroem(30, order=3, normalize=True, random_state=0)):
        model = SGDClassifier(random_state=0)
        for rows, Z in mapping.fit(X[:1000]).chunks(X[:3000], 100):
            model.partial_fit(Z, y[:3000][rows], classes=[0, 1])
        assert model.score(mapping.transform(X[3000:]), y[3000:]) > 0.7


def test_features_and_landmarks_in_a_grid_search():
    X, y = two_classes(np.random.default_rng(14), 200)
    for mapping in (KendallFeatures("mult", u="log"), KendallNystroem(20, weight="mult", u="log", random_state=0)):
        name = type(mapping).__name__.lower()
        grid = {f"{name}__weight": ["add", "mult"], f"{name}__u": ["log", "hyperbolic"]}
        search = GridSearchCV(make_pipeline(mapping, LogisticRegression()), grid, cv=3).fit(X, y)
        assert search.best_score_ > 0.7


def test_the_example_of_a_million_rankings_runs():
    path = ROOT / "examples/million_rankings.py"
    done = subprocess.run([sys.executable, path, "--people=2000"], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()[2:]]
    assert len(rows) == 4
    assert all(0.5 < float(row[-5]) < 1 for row in rows)


# Parts.


def test_different_rankings():
    rng = np.random.default_rng(15)
    for items in (1, 3, 300):
        places = random_rankings(rng, 8, items)[rng.integers(0, 8, 50)]
        weights = rng.integers(0, 5, 50).astype(float)
        different, member, total = kernel_parameters.distinct(places, weights)
        np.testing.assert_array_equal(different[member], places)
        assert len(different) == len({tuple(row) for row in places.tolist()})
        np.testing.assert_array_equal(total, [weights[member == one].sum() for one in range(len(different))])
    different, member, _ = kernel_parameters.distinct(np.array([[1, NAN, 2], [2, NAN, 1], [1, NAN, 2]]), np.ones(3))
    assert len(different) == 2
    np.testing.assert_array_equal(different[member[2]], [1, NAN, 2])


def test_draws_apart_have_the_chances_of_kmeans_plus_plus():
    places = np.array([0.0, 1.0, 3.0])  # on a line
    gram, weights = np.multiply.outer(places, places), np.array([1.0, 2.0, 1.0])
    random = np.random.RandomState(0)
    draws = [
        tuple(kernel_parameters.draw_apart(places**2, weights, 2, random, lambda one: gram[:, one]))
        for _ in range(20_000)
    ]
    for first in range(3):
        chances = weights * (places - places[first]) ** 2
        for second in range(3):
            expected = weights[first] / 4 * chances[second] / chances.sum()
            assert draws.count((first, second)) / 20_000 == pytest.approx(expected, abs=0.02)


# Errors.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("X", "parameters", "error", "message"),
    [
        ([[1, 2, 2]], {}, ValueError, 'X: row 0 .*ties="mean" takes equal numbers for ties'),
        ([[1, 2, NAN]], {}, ValueError, 'X: row 0, column 2 holds NaN.*missing="bottom"'),
        ([[1, 2, 4]], {}, ValueError, "X: row 0"),
        ([[1, 2, 3]], {"weight": "topp"}, ValueError, "weight is 'topp', but must be one of"),
        ([[1, 2, 3]], {"weight": "top"}, ValueError, 'weight="top" needs k'),
        ([[1, 2, 3]], {"weight": "mult", "u": [1, 2]}, ValueError, "u has 2|2 position weights|u"),
        ([[1, 2, 3]], {"input": "rank"}, ValueError, "input is 'rank'"),
        ([[1, 2, 3]], {"n_jobs": 0}, ValueError, "n_jobs is 0"),
        ([[1, 2, 3]], {"signed": 1}, TypeError, "signed must be True or False"),
        ([[1, 2, 3]], {"dtype": int}, ValueError, "dtype is .*, but must be float64 or float32"),
    ],
)
def test_bad_input_is_refused(kind, X, parameters, error, message):
    with pytest.raises(error, match=message):
        kind(**parameters).fit_transform(X)


@pytest.mark.parametrize("kind", [WeightedKendall, KendallNystroem])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weight": "mallows"}, 'weight="mallows" needs lam'),
        ({"weight": "mallows", "lam": 1.0, "order": 3}, 'weight="mallows" has no U, no W, no order but 2'),
        ({"weight": "mallows", "lam": 1.0, "U": np.eye(3)}, 'weight="mallows" has no U'),
        ({"weight": "mallows", "lam": 1.0, "signed": True}, 'weight="mallows" has .* no signed=True'),
        ({"weight": "mallows", "lam": -1.0}, "lam"),
        ({"weight": "mallows", "lam": 1.0, "ties": "mean"}, 'weight="mallows" is for complete rankings'),
        ({"weight": "mult", "U": np.eye(3)}, "both U and weight='mult' are given"),
        ({"U": np.eye(3), "W": np.ones((3, 3, 3, 3))}, "both U and W are given"),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(kind, parameters, message):
    with pytest.raises(ValueError, match=message):
        kind(**parameters).fit([[1, 2, 3], [2, 1, 3]])


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_components": 0}, ValueError, "n_components is 0, but must be at least 1"),
        ({"n_components": 2.5}, TypeError, "n_components must be an integer"),
        ({"landmarks": "random"}, ValueError, "landmarks is 'random', but must be one of 'uniform', 'kmeans"),
    ],
)
def test_bad_landmarks_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        KendallNystroem(**parameters).fit([[1, 2, 3]])


def test_items_of_unknown_place_have_no_features():
    with pytest.raises(ValueError, match='missing="anywhere" has no features'):
        KendallFeatures(missing="anywhere").fit([[1, 2, NAN]])


@pytest.mark.parametrize("kind", KINDS)
def test_other_rankings_than_fitted_are_refused(kind):
    with pytest.raises(NotFittedError):
        kind().transform([[1, 2, 3]])
    with pytest.raises(ValueError, match=r"X has 4 features, but .* is expecting 3 features"):
        kind().fit([[1, 2, 3]]).transform([[1, 2, 3, 4]])
