"""Neighbours of sparse lists, by an index from items to lists: what sorting the matrix gives."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import wkendall
from scipy.sparse import csr_array
from wkendall import AverageOverlap, Kendall, KendallCorrelation, KendallDistance, RankBiasedOverlap, Rankings, _core


def lists(rng, rows, items, longest, exponent, levels=None):
    """Lists of items whose popularity falls with their numbers, empty and equal ones among them."""
    popularity = (1.0 + np.arange(items)) ** -exponent
    order = np.argsort(rng.exponential(size=(rows, items)) / popularity, axis=1)
    lengths = rng.integers(0, longest + 1, rows)
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    columns = np.concatenate([order[row, :length] for row, length in enumerate(lengths)])
    values = np.concatenate([np.arange(1, length + 1) for length in lengths]).astype(float)
    if levels is not None:
        values = rng.integers(1, levels + 1, len(values)).astype(float)
    found = csr_array((values, columns, bounds), shape=(rows, items))
    return csr_array(found[rng.integers(0, rows, rows)]) if rows > 20 else found


def best(matrix, count, sign, own):
    """The best of each row, equal values by index."""
    keys = sign * matrix
    if own:
        keys = keys.copy()
        np.fill_diagonal(keys, np.inf)
    order = np.argsort(keys, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(matrix, order, axis=1), order


MEASURES = [
    Kendall(signed=True, normalize=True),
    Kendall(),
    KendallDistance(),
    RankBiasedOverlap(),
    RankBiasedOverlap(0.98, ties="b"),
    RankBiasedOverlap(0.5, ties="w"),
    RankBiasedOverlap(0.8, value="min"),
    RankBiasedOverlap(value="max"),
    RankBiasedOverlap(value="res"),
    AverageOverlap(),
    AverageOverlap(5),
]


@pytest.mark.parametrize("levels", [None, 3])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_the_public_function_uses_it(measure, levels):
    rng = np.random.default_rng(5)
    rows = 1500 if isinstance(measure, Kendall | KendallDistance) else 4100
    Y = Rankings(lists(rng, rows, 3000, 10, 1.0, levels), ties="mean", missing="bottom")
    X = Rankings(lists(rng, 60, 3000, 10, 1.0, levels), ties="mean", missing="bottom")
    for x, y in ((X, Y), (Y, None)) if rows == 1500 else ((X, Y),):
        wanted = best(measure(x, y), 7, 1 if measure.is_distance else -1, y is None)
        for n_jobs in (1, 2):
            found = wkendall.neighbors(x, y, n_neighbors=7, measure=measure, n_jobs=n_jobs)
            np.testing.assert_array_equal(found.indices, wanted[1])
            np.testing.assert_array_equal(found.values, wanted[0])
        radius = float(np.median(wanted[0]))
        close = wkendall.neighbors_within(x, y, radius=radius, measure=measure)
        values = measure(x, y)
        if y is None:
            np.fill_diagonal(values, np.inf if measure.is_distance else -np.inf)
        near = values <= radius if measure.is_distance else values >= radius
        rows = np.repeat(np.arange(len(x)), np.diff(close.indptr))
        np.testing.assert_array_equal([rows, close.indices], np.nonzero(near))
        np.testing.assert_array_equal(close.data, values[near])


@pytest.mark.parametrize("items", [8, 400])
@pytest.mark.parametrize("weight", [{}, {"weight": "average"}, {"weight": "add", "u": "log"}], ids=repr)
def test_correlations(weight, items):
    """Lists of few items are compared as rankings of all items."""
    x = Rankings(lists(np.random.default_rng(6), 300, items, 6, 1.0), missing="bottom")
    measure = KendallCorrelation(**weight)
    wanted = best(measure(x), 7, -1, True)
    found = wkendall.neighbors(x, n_neighbors=7, measure=measure)
    np.testing.assert_array_equal(found.indices, wanted[1])
    np.testing.assert_array_equal(found.values, wanted[0])
    close = wkendall.neighbors_within(x, x[:50], radius=0.1, measure=measure)
    np.testing.assert_array_equal(close.toarray() != 0, measure(x, x[:50]) >= 0.1)


def counted(monkeypatch):
    """Return a list to which "new" is added for every index that is made, and "loaded" for every one from a pickle."""
    made = []
    index = _core.ListIndex

    class Counted:
        def __new__(cls, *arguments):
            made.append("new")
            return index(*arguments)

        @staticmethod
        def from_bytes(*arguments):
            found = index.from_bytes(*arguments)
            made.append("loaded")
            return found

    monkeypatch.setattr(_core, "ListIndex", Counted)
    return made


def test_an_estimator_keeps_the_index(monkeypatch):
    rng = np.random.default_rng(9)
    Y, X = lists(rng, 1300, 3000, 9, 1.0), lists(rng, 12, 3000, 9, 1.0)
    made = counted(monkeypatch)
    kernel = Kendall(signed=True, normalize=True)
    x, y = Rankings(X, missing="bottom"), Rankings(Y, missing="bottom")
    model = wkendall.KendallNeighbors(4, kernel, missing="bottom").fit(Y)
    assert made == ["new"]
    expected = wkendall.neighbors(x, y, n_neighbors=4, measure=kernel)
    for _ in range(3):
        assert (np.sort(model.kneighbors(X, return_distance=False)) == np.sort(expected.indices)).all()
    distances = model.kneighbors(X)[0]
    own, others = wkendall.diagonal(x, kernel), wkendall.diagonal(y, kernel)  # 0 for empty lists
    squares = own[:, np.newaxis] + others[expected.indices] - 2 * expected.values
    np.testing.assert_allclose(distances**2, np.sort(squares, axis=1), atol=1e-9)
    found = model.radius_neighbors_graph(X, 0.2, mode="connectivity")
    within = wkendall.neighbors_within(x, y, radius=0.2, measure=kernel)
    np.testing.assert_array_equal(found.indices, within.indices)
    assert made == ["new"]
    model.set_params(measure__weight="mult", measure__u="log")
    other = Kendall("mult", u="log", signed=True, normalize=True)
    expected = wkendall.neighbors(x, y, n_neighbors=4, measure=other)
    assert (np.sort(model.kneighbors(X, return_distance=False)) == np.sort(expected.indices)).all()
    again = pickle.loads(pickle.dumps(model))
    assert (np.sort(again.kneighbors(X, return_distance=False)) == np.sort(expected.indices)).all()
    assert made == ["new", "new", "loaded"]
    own = wkendall.neighbors(y, n_neighbors=2, measure=other)
    assert (np.sort(again.kneighbors(n_neighbors=2, return_distance=False)) == np.sort(own.indices)).all()


def test_position_weights_that_change(monkeypatch):
    rng = np.random.default_rng(10)
    Y, X = lists(rng, 1300, 3000, 9, 1.0), lists(rng, 12, 3000, 9, 1.0)
    made = counted(monkeypatch)
    u = np.zeros(3000)
    u[:20] = np.linspace(1, -1, 20)
    options = {"signed": True, "normalize": True}
    x, y = Rankings(X, missing="bottom"), Rankings(Y, missing="bottom")

    def check(model, u):
        expected = wkendall.neighbors(x, y, n_neighbors=4, measure=Kendall("mult", u=u, **options))
        for _ in range(2):
            distances, indices = model.kneighbors(X)
            np.testing.assert_array_equal(np.sort(indices), np.sort(expected.indices))
            assert np.isfinite(distances).all()

    model = wkendall.KendallNeighbors(4, Kendall("mult", u=u, **options), missing="bottom").fit(Y)
    check(model, u)
    assert len(made) == 1
    check(model.set_params(measure__u=u.tolist()), u)
    assert len(made) == 1
    model.set_params(measure__u=u)
    u[3] = 5.0  # in place
    check(model, u)
    assert len(made) == 2
    check(model.set_params(measure__u=np.abs(u)), np.abs(u))
    assert len(made) == 3
    check(model.set_params(measure__u="log"), "log")
    check(model.set_params(measure__u=u), u)
    assert len(made) == 5
    with pytest.raises(ValueError, match="u has 2999 position weights, but the rankings have 3000 items"):
        model.set_params(measure__u=u[1:]).kneighbors(X)
    with pytest.raises(TypeError, match="u must be"):
        model.set_params(measure__u=u.astype(str)).kneighbors(X)
    check(model.set_params(measure__u=u), u)
    assert len(made) == 5


def test_damaged_bytes_are_refused():
    x = Rankings(lists(np.random.default_rng(12), 30, 50, 6, 1.0), missing="bottom")._handle
    measure = Kendall("average", normalize=True)._measure(50)
    stored = _core.ListIndex(measure, x).to_bytes()
    for place in (0, 9, 100, len(stored) - 1):
        wrong = stored.copy()
        wrong[place] ^= 1
        with pytest.raises(ValueError, match="the bytes are not an index of lists"):
            _core.ListIndex.from_bytes(measure, wrong)
    with pytest.raises(ValueError, match="the checksum differs"):
        _core.ListIndex.from_bytes(measure, stored[:-8])
    with pytest.raises(TypeError, match="contiguous"):
        _core.ListIndex.from_bytes(measure, stored[::2])


def test_a_pickle_keeps_the_index(monkeypatch):
    Y = lists(np.random.default_rng(13), 1100, 900, 9, 1.0)
    model = wkendall.KendallNeighbors(4, missing="bottom").fit(Y)
    wanted = model.kneighbors()
    made = counted(monkeypatch)
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(model))))  # stored again without a search
    np.testing.assert_array_equal(again.kneighbors()[1], wanted[1])
    assert made == ["loaded"]


@pytest.mark.parametrize("loaded", [False, True])
def test_threads_that_search_at_once_make_one_index(monkeypatch, loaded):
    Y = lists(np.random.default_rng(14), 4000, 1500, 9, 1.0)
    model = wkendall.KendallNeighbors(4, missing="bottom").fit(Y)
    wanted = model.kneighbors(Y[:3])
    made = counted(monkeypatch)
    if loaded:
        model = pickle.loads(pickle.dumps(model))
    else:
        model.set_params(measure=Kendall("average"))
        wanted = wkendall.KendallNeighbors(4, Kendall("average"), missing="bottom").fit(Y).kneighbors(Y[:3])
        made.clear()
    together = threading.Barrier(8)

    def search(_):
        together.wait()
        return model.kneighbors(Y[:3])

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(search, range(8)):
            np.testing.assert_array_equal(found[0], wanted[0])
            np.testing.assert_array_equal(found[1], wanted[1])
    assert made == (["loaded"] if loaded else ["new"])
