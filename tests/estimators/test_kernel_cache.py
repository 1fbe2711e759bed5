"""The cache of `KendallGram`: the same values, computed once."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import numpy as np
import pytest
import wkendall
from definitions import kernels, random_rankings
from joblib import parallel_config
from joblib.externals.loky import get_reusable_executor
from labelled import NAN, made, two_classes
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from wkendall import Kendall, KendallGram, Mallows, Rankings, gram
from wkendall.estimators import kernel_cache


@pytest.fixture(autouse=True)
def _forget():
    KendallGram.clear_cache()


@pytest.fixture
def computed(monkeypatch):
    """How many values were computed."""
    counts = []

    def counted(x, y, kernel, run):
        counts.append(len(x) * len(x if y is None else y))
        return gram.gram_of(x, y, kernel, run)

    monkeypatch.setattr(kernel_cache, "gram_of", counted)
    return counts


@parametrize_with_checks([KendallGram(input="scores", ties="mean", cache_size=1)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def requests(rng, rows):
    """Folds, with rows in any order."""
    for _ in range(6):
        chosen = rng.permutation(rows)
        cut, end = sorted(rng.integers(1, rows, 2))
        yield chosen[:cut], chosen[cut : end + 1]


@pytest.mark.parametrize("items", [2, 5, 40, 130])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_same_bits_for_any_folds(items, dtype):
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 40, items)
    every = [
        *kernels(items, rng),
        {"order": 3},
        {"lam": 0.1},
        {"weight": "mult", "u": "log", "signed": True},
    ]
    if items < 10:
        every += [{"W": rng.normal(size=(items,) * 4), "check": False}]
    for parameters in every:
        for train, test in requests(rng, 40):
            plain = made(KendallGram, {**parameters, "normalize": len(train) % 2 == 0}, dtype=dtype)
            cached = clone(plain).set_params(cache_size=10)
            np.testing.assert_array_equal(cached.fit_transform(X[train]), plain.fit_transform(X[train]))
            np.testing.assert_array_equal(cached.transform(X[test]), plain.transform(X[test]))
            assert cached.rankings_ == plain.rankings_ == Rankings(X[train])
            assert cached.get_feature_names_out().tolist() == plain.get_feature_names_out().tolist()


def test_what_rows_are_is_still_checked():
    model = KendallGram(cache_size=1)
    model.fit([[1, 2, 3]])
    model.fit([[0, 1, 2]])
    with pytest.raises(ValueError, match="X: row 0, column 2 holds 3 and row 1"):
        model.fit([[1, 2, 3], [0, 1, 2]])
    with pytest.raises(ValueError, match="X: row 1"):
        model.fit([[1, 2, 3], [1, 2, 2]])
    scores = KendallGram(input="scores", cache_size=1)
    np.testing.assert_array_equal(scores.fit([[1, 2, 3]]).rankings_, [[3, 2, 1]])
    np.testing.assert_array_equal(model.fit([[1, 2, 3]]).rankings_, [[1, 2, 3]])
    for bad in ({"weight": "topp"}, {"weight": "top"}, {"U": [[1, "a"]]}, {"signed": 1}, {"n_jobs": 0}):
        with pytest.raises((ValueError, TypeError)):
            made(KendallGram, bad, cache_size=1).fit([[1, 2, 3]])


def test_each_pair_is_computed_once(computed):
    X, y = two_classes(np.random.default_rng(2), rows=50, items=7)
    X = np.unique(X, axis=0, return_index=True)[1]
    X = two_classes(np.random.default_rng(2), rows=50, items=7)[0][np.sort(X)]
    y = np.arange(len(X)) % 2
    grid = {"kendallgram__kernel__weight": ["standard", "average"], "svc__C": [0.1, 1.0, 10.0]}
    inner = make_pipeline(KendallGram(Kendall(), cache_size=10), SVC(kernel="precomputed"))
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    found = cross_val_score(GridSearchCV(inner, grid, cv=folds), X, y, cv=folds)
    assert 2 * len(X) ** 2 / 2 <= sum(computed) <= 1.5 * 2 * len(X) ** 2
    plain = make_pipeline(KendallGram(Kendall()), SVC(kernel="precomputed"))
    np.testing.assert_array_equal(found, cross_val_score(GridSearchCV(plain, grid, cv=folds), X, y, cv=folds))


def test_memory_is_bounded(computed):
    rng = np.random.default_rng(3)
    model = KendallGram(cache_size=0.05)
    most = kernel_cache.as_bytes(0.05)
    for _ in range(20):
        X = random_rankings(rng, int(rng.integers(1, 60)), 9)
        kernel = Kendall(str(rng.choice(["standard", "average"])))
        fitted = clone(model).set_params(kernel=kernel)
        np.testing.assert_array_equal(fitted.fit_transform(X), kernel(X))
        np.testing.assert_array_equal(fitted.transform(X[:3]), kernel(X[:3], X))
        assert kernel_cache.CACHE.used <= most
    kernel_cache.CACHE.forget()
    assert kernel_cache.CACHE.used == 0
    np.testing.assert_array_equal(fitted.transform(X), kernel(X))


def test_copies_and_other_processes():
    X, y = two_classes(np.random.default_rng(4))
    model = KendallGram(Kendall("add", u="log"), cache_size=1).fit(X[:30])
    expected = wkendall.gram_matrix(X, X[:30], weight="add", u="log")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(X), expected)
    np.testing.assert_array_equal(again.rankings_, X[:30])
    program = "import pickle, sys; model, X = pickle.load(sys.stdin.buffer); pickle.dump(model.transform(X), sys.stdout.buffer)"
    run = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps((model, X)), capture_output=True, check=True
    )
    np.testing.assert_array_equal(pickle.loads(run.stdout), expected)
    pipeline = make_pipeline(KendallGram(cache_size=1), SVC(kernel="precomputed"))
    with parallel_config(n_jobs=2):
        scores = cross_val_score(pipeline, X, y)
    get_reusable_executor().shutdown(wait=True)  # whose processes would stay for the other tests
    np.testing.assert_array_equal(scores, cross_val_score(pipeline.set_params(kendallgram__cache_size=None), X, y))


def test_arrays_that_change_in_place():
    rng = np.random.default_rng(6)
    X = random_rankings(rng, 12, 9)
    model = KendallGram(Kendall("average"), cache_size=1)
    for _ in range(20):
        for _ in range(2):  # the second time the numbers of all rows are known
            np.testing.assert_array_equal(model.fit_transform(X), wkendall.gram_matrix(X, weight="average"))
        row, items = rng.integers(12), rng.permutation(9)[:2]
        X[row, items] = X[row, items[::-1]]
    X[3, 0] = X[3, 1]
    with pytest.raises(ValueError, match=r"X: row 3 holds \d twice"):
        model.fit(X)


def test_arrays_of_one_hash_have_the_same_bytes_kind_and_shape():
    X, inverse = np.array([[2, 3, 1, 4], [4, 3, 2, 1]]), [[3, 1, 2, 4], [4, 3, 2, 1]]
    model = KendallGram(cache_size=1)
    for _ in range(2):
        np.testing.assert_array_equal(model.fit(X).rankings_, X)
        np.testing.assert_array_equal(model.fit(np.asfortranarray(X)).rankings_, X)
        np.testing.assert_array_equal(model.fit(X.astype(np.uint64)).rankings_, X)
        np.testing.assert_array_equal(clone(model).set_params(input="orders").fit(X).rankings_, inverse)
        with pytest.raises(ValueError, match="X: row 0, column 1 holds 3"):
            model.fit(X.reshape(4, 2))


@pytest.mark.parametrize("how", [{}, {"ties": "mean"}, {"input": "scores"}])
def test_rankings_that_lack_one_item(how):
    X = np.array([[1, NAN, NAN, 2], [1, 2, 3, NAN], [2, 1, 3, NAN], [1, 2, 3, 4]])
    for rows in (X, X[1:], X[1:3], X[3:], X[1:], X):
        plain = KendallGram(missing="bottom", **how)
        cached = clone(plain).set_params(cache_size=1)
        np.testing.assert_allclose(cached.fit_transform(rows), plain.fit_transform(rows), rtol=1e-12)
        np.testing.assert_allclose(cached.transform(X), plain.transform(X), rtol=1e-12)


def test_sparse_lists_are_not_cached():
    lists = csr_array(np.array([[1, 2, 0], [0, 1, 2], [2, 0, 1]]))
    model = KendallGram(Kendall(signed=True), missing="bottom", cache_size=1)
    np.testing.assert_array_equal(
        model.fit_transform(lists), clone(model).set_params(cache_size=None).fit_transform(lists)
    )


@pytest.mark.parametrize("how", [{}, {"ties": "mean", "missing": "bottom"}, {"ties": "mean", "missing": "anywhere"}])
def test_rankings_that_have_been_read_are_cached_too(how, computed):
    rng = np.random.default_rng(8)
    X = rng.permutation([*permutations(range(1, 6))])[:40].astype(float)
    if how:
        X[::3] = rng.integers(1, 5, (14, 5))
        X[1::3][rng.random((13, 5)) < 0.3] = NAN
    votes = Rankings(X, **how)
    model = KendallGram(cache_size=1)
    for _ in range(3):
        np.testing.assert_allclose(model.fit_transform(votes), Kendall()(votes), rtol=1e-12)
        np.testing.assert_allclose(model.fit(votes[:20]).transform(votes), Kendall()(votes, votes[:20]), rtol=1e-12)
        assert model.rankings_ == votes[:20]
    assert sum(computed) == 40**2
    # Arrays of the same rankings have their own numbers.
    array = KendallGram(cache_size=1, **how).fit(X)
    np.testing.assert_allclose(array.transform(votes), Kendall()(votes), rtol=1e-12)


def test_rankings_of_other_sizes_are_told_apart():
    """A list of three items and how many it lists, and a ranking of four items with ties, have the same numbers."""
    short = Rankings([[1, 2, NAN], [2, 1, NAN], [NAN, NAN, 1]], missing="bottom", ties="mean")
    longer = Rankings([[1, 2, 3, 2], [2, 1, 3, 2], [2, 2, 1, 1]], missing="bottom", ties="mean")
    for votes in (short, longer, short):
        np.testing.assert_array_equal(KendallGram(cache_size=1).fit_transform(votes), Kendall()(votes))


def test_kernels_are_told_apart():
    X = random_rankings(np.random.default_rng(9), 10, 6)
    u = np.linspace(1, 0, 6)
    kernels = [Kendall(), Kendall(order=3), Kendall(normalize=True), Mallows(1), Mallows(0.5), Kendall("mult", u=u)]
    kernels += [Kendall("mult", u=2 * u), Kendall("mult", u="log"), Kendall("top", k=3), Kendall("top", k=np.int64(4))]
    for _ in range(2):
        for kernel in kernels:
            np.testing.assert_array_equal(KendallGram(kernel, cache_size=1).fit_transform(X), kernel(X))
    model = KendallGram(kernels[5], cache_size=1)
    model.fit_transform(X)
    u *= 3
    np.testing.assert_array_equal(model.fit_transform(X), Kendall("mult", u=u)(X))
    for bad in ({"signed": 1}, {"order": 2.0}, {"order": True}):
        with pytest.raises((TypeError, ValueError)):
            KendallGram(Kendall(**bad), cache_size=1).fit(X)


def test_threads_share_it():
    rng = np.random.default_rng(5)
    X = random_rankings(rng, 60, 30)
    expected = wkendall.gram_matrix(X, weight="mult", u="log", n_jobs=1)

    def one(seed):
        rows = np.random.default_rng(seed).permutation(60)[:20]
        size = 0.01 if seed % 7 == 0 else 1  # which makes it forget
        found = KendallGram(Kendall("mult", u="log"), n_jobs=1, cache_size=size).fit(X[rows]).transform(X)
        np.testing.assert_allclose(found, expected[:, rows], rtol=1e-12)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(60)))
