"""Lists out of a large catalogue, given as sparse arrays: the values of the dense array with NaN, without its cost."""

import pickle
import re

import dask
import numpy as np
import pytest
import scipy.sparse as sp
import wkendall
import wkendall.dask
from definitions import BOTTOM, NAN, sparse
from nouns import gram_to_file, kernel_of
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from wkendall import Kendall, KendallCorrelation, Mallows, Rankings
from wkendall.gram_file import blocks


@pytest.mark.parametrize("top", ["low", "high"])
@pytest.mark.parametrize("input", ["ranks", "scores"])
def test_values_are_those_of_the_dense_array(input, top):
    """For every way to read; tests/rust compares the values of lists with definitions."""
    rng = np.random.default_rng(0)
    X, Y = (np.where(rng.random((6, 30)) < share, rng.integers(1, 9, (6, 30)), NAN) for share in (0.9, 0.3))
    for kernel in ({"signed": True}, {"weight": "average", "normalize": True}, {"weight": "top", "k": 9}):
        how = {**BOTTOM, "input": input, "top": top, **kernel}
        found, wanted = wkendall.gram_matrix(sparse(X), sparse(Y), **how), wkendall.gram_matrix(X, Y, **how)
        np.testing.assert_allclose(found, wanted, rtol=1e-11)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok"])
@pytest.mark.parametrize("made", ["array", "matrix"])
def test_formats_and_types(form, made):
    X = np.array([[0, NAN, 2, 1], [NAN, 0, NAN, NAN], [NAN] * 4, [3, 2, 1, 0]])
    wanted = wkendall.gram_matrix(X, missing="bottom")
    for dtype in (np.float64, np.float32, np.int64, np.int8, np.uint16, np.uint64, np.longdouble):
        stored = getattr(sp, f"{form}_{made}")(sparse(X, form).astype(dtype))
        np.testing.assert_array_equal(wkendall.gram_matrix(stored, missing="bottom"), wanted)


def test_unsorted_rows_and_large_indices():
    X = sp.csr_array((np.array([1, 2, 3.0]), np.array([7, 5, 6], dtype=np.int64), np.array([0, 3])), shape=(1, 2**31))
    assert wkendall.gram_matrix(X, missing="bottom", signed=True)[0, 0] == 3 + 3 * (2**31 - 3)


def test_kernel_of_two_lists():
    s, t = sparse([[1, 2, NAN, NAN]]), sparse([[2, 1, NAN, NAN]])
    assert wkendall.kernel(s, t, missing="bottom", signed=True) == 3
    assert wkendall.kernel(s, [2, 1, NAN, NAN], missing="bottom", signed=True) == 3
    with pytest.raises(wkendall.RankingError, match="x has 2 rows, but must be one ranking"):
        wkendall.kernel(sparse([[1, NAN], [1, NAN]]), t, missing="bottom")


def test_mallows_of_a_huge_catalogue():
    lists = sp.csr_array(([1, 2, 3, 2, 1, 3], [0, 1, 2, 0, 1, 2], [0, 3, 6]), shape=(2, 2**31 - 1))
    K = Mallows(0.5, normalize=True)(Rankings(lists, missing="bottom"))
    np.testing.assert_allclose(K, [[1, np.exp(-0.5)], [np.exp(-0.5), 1]], rtol=1e-12)


def test_large_unsigned_numbers_are_not_rounded():
    numbers = np.array([0, 1, 2, 2, 1, 0], np.uint64) + np.uint64(2**63)
    lists = sp.csr_array((numbers, [0, 1, 2, 0, 1, 2], [0, 3, 6]), shape=(2, 4))
    np.testing.assert_array_equal(wkendall.gram_matrix(lists, missing="bottom", signed=True), [[6, 0], [0, 6]])


@pytest.mark.parametrize("shape", [(4,), (2, 2, 2)])
def test_a_matrix_has_two_axes(shape):
    with pytest.raises(ValueError, match=f"X is {len(shape)}-dimensional"):
        wkendall.gram_matrix(sp.coo_array(np.ones(shape)), missing="bottom", ties="mean")


@pytest.mark.parametrize("n", [3, 5, 9])
def test_what_has_a_number_for_every_item_takes_sparse_arrays(n):
    rng = np.random.default_rng(n)
    X, y = np.array(lists(12, n, rng, length=min(n, 3))), np.arange(12) % 2
    U, B = rng.standard_normal((2, n, n))
    u = np.linspace(1, -0.5, n)
    coef = rng.standard_normal(12)
    calls = [
        lambda X: wkendall.gram_matrix(X, U=U, **BOTTOM),
        lambda X: wkendall.gram_matrix(X, X[:3], U=(U[:1], B[:1]), normalize=True, **BOTTOM),
        lambda X: wkendall.gram_matrix(X, weight="mult", u=u, order=1, **BOTTOM),
        lambda X: wkendall.diagonal(X, U=U, **BOTTOM),
        lambda X: wkendall.embed(Rankings(X, **BOTTOM), U),
        lambda X: wkendall.combine(Rankings(X, **BOTTOM), coef, U),
        lambda X: wkendall.linear_function(Rankings(X, **BOTTOM), U, B),
        lambda X: wkendall.features(Rankings(X, **BOTTOM), Kendall("mult", u=u)),
        lambda X: wkendall.KendallFeatures(missing="bottom", ties="mean").fit(X).transform(X),
        lambda X: wkendall.suquan_svd(Rankings(X, **BOTTOM), y).singular_values,
        lambda X: KendallCorrelation("add", u=u)(Rankings(X, **BOTTOM)),
        lambda X: KendallCorrelation()(Rankings(X, **BOTTOM)),
    ]
    for call in calls:
        np.testing.assert_allclose(call(sparse(X)), call(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("values", "columns", "known", "message"),
    [
        ([1, 1], [0, 2], (1, 2, "duplicate"), 'row 1 holds 1 twice, in columns 0 and 2.*; ties="mean"'),
        ([1, NAN], [0, 2], (1, 2, "nan"), "row 1, column 2 holds NaN: every item needs a number; leave out items"),
        ([1, np.inf], [0, 2], (1, 2, "infinite"), "row 1, column 2 holds inf"),
        ([1, 2], [2, 2], (1, 2, "listed twice"), "row 1, column 2 is listed twice: an item has one place"),
        ([1, 2], [0, 3], (1, None, "out of range"), "row 1 lists item 3, but there are 3 items, counted from 0"),
        ([1, 2], [0, -1], (1, None, "out of range"), "row 1 lists item -1"),
    ],
)
def test_what_is_no_list_is_refused(values, columns, known, message):
    X = sp.csr_array((3, 3))
    X.indptr, X.indices, X.data = (
        np.array([0, 0, 2, 2], dtype=np.int32),
        np.array(columns, dtype=np.int32),
        np.array(values),
    )
    with pytest.raises(wkendall.RankingError, match=re.compile(message)) as caught:
        wkendall.gram_matrix(X, missing="bottom")
    assert (caught.value.row, caught.value.column, caught.value.kind) == known
    assert caught.value.argument == "X"


def test_entries_in_one_place_are_refused_and_not_added_up():
    X = sp.coo_array(([1.0, 2.0], ([1, 1], [2, 2])), shape=(2, 3))
    with pytest.raises(wkendall.RankingError, match="X: row 1, column 2 is listed twice") as caught:
        wkendall.gram_matrix(X, missing="bottom")
    assert (caught.value.row, caught.value.column) == (1, 2)


@pytest.mark.parametrize("dtype", [bool, complex])
def test_what_is_no_real_number_is_refused(dtype):
    with pytest.raises(TypeError, match=f"X is sparse and has dtype {np.dtype(dtype)}"):
        wkendall.gram_matrix(sp.csr_array(np.ones((2, 2), dtype=dtype)), missing="bottom")


def lists(m, n, rng, length=10):
    """Lists in which some items are popular, some of them twice."""
    X = np.full((m, n), NAN)
    for row in X:
        chosen = np.unique((n * rng.random(length) ** 4).astype(int))
        row[chosen] = rng.permutation(len(chosen))
    X[m // 2 :: 2] = X[: len(X[m // 2 :: 2])]
    return X


def test_blocks_in_a_file_and_in_dask(tmp_path):
    X = sparse(lists(60, 500, np.random.default_rng(5)))
    wanted = wkendall.gram_matrix(X, missing="bottom", weight="mult", u="log", signed=True)
    kernel = {"missing": "bottom", "weight": "mult", "u": "log", "signed": True}
    np.testing.assert_array_equal(gram_to_file(tmp_path / "k.npy", X, **kernel), wanted)
    chosen = kernel_of(kernel)
    with dask.config.set(scheduler="synchronous"):
        for rankings in (X, dask.array.from_array(X.tocsr(), chunks=(25, -1), asarray=False)):
            K = wkendall.dask.gram_matrix(rankings, kernel=chosen, chunks=20 if rankings is X else 25, missing="bottom")
            np.testing.assert_array_equal(K.compute(), wanted)
        K = wkendall.dask.gram_matrix(X, X[:7], chosen, chunks=(30, 7), missing="bottom")
        np.testing.assert_array_equal(K.compute(), wanted[:, :7])
        found = wkendall.dask.features(X, chosen, chunks=20, missing="bottom")
        np.testing.assert_array_equal(found.compute(), wkendall.features(Rankings(X, missing="bottom"), chosen))


def test_a_file_goes_on_only_with_the_same_lists(tmp_path):
    X = sparse(lists(20, 50, np.random.default_rng(6)))
    digests = [blocks.Rows(Rankings(x, missing="bottom")).digest()
               for x in (X, X.copy(), X[:19], sp.csr_array((X.data, X.indices, X.indptr), shape=(20, 51)))]  # fmt: skip
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


def test_estimators():
    rng = np.random.default_rng(7)
    dense = lists(80, 200, rng)
    X = sparse(dense)
    kernel, x = Kendall(signed=True, normalize=True), Rankings(X, missing="bottom")
    options = {"kernel": kernel, "missing": "bottom"}
    K = wkendall.gram_matrix(x, kernel=kernel)
    model = wkendall.KendallGram(**options).fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(X), K)
    np.testing.assert_array_equal(clone(model).fit_transform(X.tocsc()), K)
    np.testing.assert_array_equal(kernel(x, x[:3]), K[:, :3])
    np.testing.assert_array_equal(clone(model).fit_transform(x), K)
    np.testing.assert_array_equal(wkendall.KendallGram(**options).fit(dense).transform(X), K)
    nystroem = wkendall.KendallNystroem(n_components=200, random_state=0, **options).fit(X)
    Z = nystroem.transform(X)
    np.testing.assert_allclose(Z @ Z.T, K, atol=1e-8)
    for init in ("k-means++", X[:3]):
        clusters = wkendall.KendallKMeans(3, init=init, random_state=0, **options)
        clusters.fit(X)
        assert (clusters.predict(X) == clusters.labels_).all()
    of_dense = clone(clusters).set_params(init=dense[:3]).fit(dense)
    assert (clusters.labels_ == of_dense.labels_).all()
    assert clusters.inertia_ == pytest.approx(of_dense.inertia_)
    labels = np.isnan(dense[:, 0]).astype(int)
    pipeline = make_pipeline(wkendall.KendallGram(**options), SVC(kernel="precomputed")).fit(X, labels)
    assert pipeline.score(X, labels) > 0.9


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("stored", ["all", "all but the last"])
def test_lists_of_all_items_are_complete_rankings(n, stored):
    """What only complete rankings have works for them: higher orders, W, kernels of tuples."""
    rng = np.random.default_rng(n)
    X, Y = (1.0 + rng.permuted(np.tile(np.arange(n), (rows, 1)), axis=1) for rows in (5, 3))
    X_lists, Y_lists = (sparse(np.where(n + (stored == "all") > Z, Z, NAN)) for Z in (X, Y))
    some = rng.standard_normal((n * n, n * n))
    options = [{"order": order} for order in range(1, 5)] + [{"weight": "mult", "u": "log", "order": 3}]
    options += [{"W": (some @ some.T).reshape(n, n, n, n)}, {"U": rng.standard_normal((n, n))}]
    for kernel in options:
        expected = wkendall.gram_matrix(X, Y, **kernel)
        close = {"rtol": 1e-11, "atol": 1e-11 * np.abs(expected).max()}
        np.testing.assert_allclose(wkendall.gram_matrix(X_lists, Y_lists, **kernel, **BOTTOM), expected, **close)
        np.testing.assert_allclose(wkendall.gram_matrix(X, Y_lists, **kernel, **BOTTOM), expected, **close)
        x, y, chosen = Rankings(X_lists, **BOTTOM), Rankings(Y_lists, **BOTTOM), kernel_of(kernel)
        found = wkendall.neighbors(x, y, n_neighbors=2, measure=chosen)
        np.testing.assert_allclose(found.values, -np.sort(-expected, axis=1)[:, :2], **close)
        within = wkendall.neighbors_within(x, y, radius=-np.inf, measure=chosen)
        np.testing.assert_allclose(within.toarray(), expected, **close)
        np.testing.assert_allclose(
            wkendall.diagonal(X_lists, **kernel, **BOTTOM), wkendall.diagonal(X, **kernel), rtol=1e-11
        )
    kernel = Kendall("top", k=n, order=3)
    model = wkendall.KendallNeighbors(2, kernel, missing="bottom").fit(X_lists)
    judge = wkendall.KendallNeighbors(2, kernel).fit(X)
    np.testing.assert_array_equal(model.kneighbors(Y_lists)[0], judge.kneighbors(Y)[0])


def test_one_list_that_leaves_out_items_has_no_orders_above_two():
    X = sparse([[1, 2, 3, 4], [1, 2, NAN, NAN]])
    with pytest.raises(ValueError, match=r"^order is 3, but rankings with ties or missing items take orders 1 and 2"):
        wkendall.gram_matrix(X, order=3, **BOTTOM)
    np.testing.assert_array_equal(wkendall.gram_matrix(X[:1], order=3, **BOTTOM), [[4.0]])


def test_order_one_of_a_huge_catalogue():
    """An array of all items would take 69 GB."""
    n = 2**32 - 2
    X = sp.csr_array(([1, 2, 3, 2, 1, 4], [0, 1, 2, 0, 1, n - 1], [0, 3, 6]), shape=(2, n))
    assert wkendall.gram_matrix(X, weight="top", k=3, order=1, **BOTTOM).tolist() == [[3, 2], [2, 3]]
    assert wkendall.gram_matrix(X, order=1, **BOTTOM).tolist() == [[n, n], [n, n]]
    K = wkendall.gram_matrix(X, weight="average", order=1, **BOTTOM)
    np.testing.assert_allclose(K, n / 3, rtol=1e-8)


def test_neighbours_of_many_lists():
    rng = np.random.default_rng(3)
    m, n, k = 3000, 2_000_000, 5
    columns = rng.integers(0, n // k // 1000, (m, k)) + np.arange(k) * (n // k)
    X = sp.csr_array((np.tile(np.arange(1.0, k + 1), m), columns.ravel(), np.arange(0, m * k + 1, k)), shape=(m, n))
    kernel, lists = Kendall("mult", u="hyperbolic", order=1), Rankings(X, missing="bottom")
    found = wkendall.neighbors(lists[:50], lists, n_neighbors=4, measure=kernel)
    K = wkendall.gram_matrix(lists[:50], lists, kernel)
    np.testing.assert_array_equal(found.indices, np.argsort(-K, axis=1, kind="stable")[:, :4])
    model = wkendall.KendallNeighbors(4, kernel, missing="bottom").fit(X)
    np.testing.assert_array_equal(np.sort(model.kneighbors(X[:50])[1]), np.sort(found.indices))
