"""Neighbours in dask arrays: the results of the local call, block by block, on a real cluster."""

import dask
import dask.array as da
import numpy as np
import pytest
import wkendall
import wkendall.dask
from definitions import kernels, random_rankings
from nouns import measure_of, rankings_of, split
from scipy.sparse import csr_array, issparse
from wkendall import Kendall, KendallDistance

MULT = {"weight": "mult", "u": "log"}


@pytest.fixture
def here():
    """Blocks one after the other, in this thread."""
    with dask.config.set(scheduler="synchronous"):
        yield


def chunked(X, rows):
    return da.from_array(X, chunks=(rows, X.shape[1]))


def check(found, expected):
    values, indices = dask.compute(found.values, found.indices)
    np.testing.assert_array_equal(indices, expected.indices)
    np.testing.assert_array_equal(values, expected.values)
    assert (found.values.shape, found.indices.shape) == (values.shape, indices.shape)
    assert (found.values.dtype, found.indices.dtype) == (values.dtype, indices.dtype)


@pytest.mark.parametrize("rows", [1, 13, 24, (0, 10, 0, 14)])
def test_the_same_for_any_blocks(here, rows):
    rng = np.random.default_rng(0)
    X, Y = random_rankings(rng, 24, 5), random_rankings(rng, 11, 5)  # of few items, so that values are equal
    X = X[:9] if rows == 1 else X
    options = [*kernels(5), {"metric": "distance"}, {"order": 3}, {"signed": True, "normalize": True, **MULT}]
    for number, params in enumerate(options):
        count = 1 + 3 * number % 8
        how = {"n_neighbors": count, "measure": measure_of(params)}
        check(wkendall.dask.neighbors(chunked(X, rows), **how), wkendall.neighbors(X, **how))
        found = wkendall.dask.neighbors(chunked(X, rows), chunked(Y, 5), **how)
        check(found, wkendall.neighbors(X, Y, **how))


@pytest.mark.parametrize("measure", [None, KendallDistance(), Kendall(normalize=True)], ids=repr)
def test_radius(here, measure):
    rng = np.random.default_rng(1)
    X, Y = random_rankings(rng, 40, 5), random_rankings(rng, 23, 5)
    radius = 0.6 if isinstance(measure, Kendall) else 3
    for other in (None, Y):
        y = None if other is None else chunked(other, 10)
        found = wkendall.dask.neighbors_within(chunked(X, 9), y, radius=radius, measure=measure)
        expected = wkendall.neighbors_within(X, other, radius=radius, measure=measure)
        assert found.shape == expected.shape
        result = found.compute()
        assert issparse(result)
        result = csr_array(result)
        np.testing.assert_array_equal(result.indptr, expected.indptr)
        np.testing.assert_array_equal(result.indices, expected.indices)
        np.testing.assert_array_equal(result.data, expected.data)


def test_ties_orders_scores_and_lists(here):
    rng = np.random.default_rng(2)
    X = random_rankings(rng, 30, 6)
    tied = np.where(X == 6, np.nan, np.maximum(X, 3))
    for values, options in [
        (X - 1, {"input": "orders"}),
        (rng.standard_normal((30, 6)), {"input": "scores", "top": "high"}),
        (tied, {"ties": "mean", "missing": "bottom", "signed": True}),
        (tied, {"ties": "mean", "missing": "anywhere"}),
    ]:
        how = {"n_neighbors": 4, "measure": measure_of(options)}
        found = wkendall.dask.neighbors(chunked(values, 8), **how, **split(options)[1])
        check(found, wkendall.neighbors(rankings_of(values, options), **how))
    lists = csr_array(np.where(X > 3, 0, X))
    how = {"n_neighbors": 4, "measure": Kendall(signed=True, normalize=True)}
    found = wkendall.dask.neighbors(lists, missing="bottom", **how)
    check(found, wkendall.neighbors(wkendall.Rankings(lists, missing="bottom"), **how))


def test_nothing_is_computed_before_it_is_asked_for():
    def fail(_):
        raise AssertionError

    X = da.map_blocks(fail, da.zeros((9, 4), chunks=(3, 4)), dtype=np.int64)
    found = wkendall.dask.neighbors(X, n_neighbors=2)
    assert isinstance(found, tuple)
    assert found.values.shape == found.indices.shape == (9, 2)


def test_errors_name_the_row_of_the_whole_array(here):
    X = random_rankings(np.random.default_rng(0), 20, 4)
    wrong = X.copy()
    wrong[13] = [1, 2, 2, 4]
    with pytest.raises(wkendall.RankingError, match=r"^X: row 13 holds 2 twice") as caught:
        wkendall.dask.neighbors(chunked(wrong, 6), n_neighbors=2).indices.compute()
    assert (caught.value.argument, caught.value.row) == ("X", 13)
    with pytest.raises(wkendall.RankingError, match=r"^Y: row 13 holds 2 twice") as caught:
        wkendall.dask.neighbors(chunked(X, 6), chunked(wrong, 6), n_neighbors=2).indices.compute()
    assert (caught.value.argument, caught.value.row) == ("Y", 13)
    with pytest.raises(ValueError, match="both must rank the same items"):
        wkendall.dask.neighbors(X, X[:, :3])
    mixed = X.copy()
    mixed[12:] -= 1
    with pytest.raises(ValueError, match=r"X: rows (12 to 17|18 to 19) count from 0, but row 0 from 1"):
        wkendall.dask.neighbors(chunked(mixed, 6), n_neighbors=2).values.compute()


def test_masked_entries_of_a_block():
    """A block knows its own rows: the entry that it names need not be the first of all."""
    X = random_rankings(np.random.default_rng(0), 9, 5)
    hidden = np.ma.masked_array(X, mask=np.zeros(X.shape, dtype=bool))
    hidden[1, 2] = hidden[len(X) - 1, 0] = np.ma.masked
    found = wkendall.dask.neighbors(da.from_array(hidden, chunks=(3, -1)), n_neighbors=1)
    with pytest.raises(
        wkendall.RankingError, match=r"^X has masked entries, one at row \d+, column [02]: every entry"
    ) as raised:
        found.indices.compute(scheduler="synchronous")
    assert (raised.value.row, raised.value.column) in ((1, 2), (len(X) - 1, 0))
