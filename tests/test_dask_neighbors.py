"""Neighbours in dask arrays: the results of the local call, block by block, on a real cluster."""

import os
import signal
import time

import dask
import dask.array as da
import numpy as np
import pytest
import wkendall
import wkendall.dask
from dask.distributed import Client, LocalCluster
from definitions import kernels, random_rankings
from nouns import measure_of, rankings_of, split
from scipy.sparse import csr_array, issparse
from wkendall import Kendall, KendallDistance

MULT = {"weight": "mult", "u": "log"}
MULTIPLICATIVE = Kendall(**MULT)


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes with little memory."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, memory_limit=250_000_000, dashboard_address=None
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client


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


def test_the_same_bits_where_blocks_alone_would_be_computed_otherwise(here):
    X = random_rankings(np.random.default_rng(0), 250, 120)
    how = {"n_neighbors": 4, "measure": MULTIPLICATIVE}
    check(wkendall.dask.neighbors(chunked(X, 7), **how), wkendall.neighbors(X, **how))


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


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"n_neighbors": 6},
            ValueError,
            r"^n_neighbors is 6, but there are 5 other rankings: it must be from 1",
        ),
        ({"n_neighbors": 0}, ValueError, r"^n_neighbors is 0, but must be at least 1"),
        ({"n_neighbors": 1.5}, TypeError, r"^n_neighbors must be an integer"),
        ({"radius": -1}, ValueError, r"^radius is -1.0"),
        ({"radius": "wide"}, TypeError, r"^radius must be a real number, not 'wide'"),
        ({"measure": "cosine"}, TypeError, r"^measure must be a measure, .* not 'cosine'"),
        ({"measure": Kendall("top")}, ValueError, "^k is missing: the weight"),
        ({"n_jobs": 0}, ValueError, r"^n_jobs is 0"),
    ],
)
def test_parameters_are_checked_at_once(options, error, message):
    X = chunked(random_rankings(np.random.default_rng(0), 6, 4), 2)
    search = wkendall.dask.neighbors_within if "radius" in options else wkendall.dask.neighbors
    with pytest.raises(error, match=message):
        search(X, **options)
    if "n_neighbors" in options and error is ValueError:
        with pytest.raises(error, match=r"^n_neighbors is"):
            wkendall.neighbors(X.compute(), **options)


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


def test_a_cluster(client):
    X = random_rankings(np.random.default_rng(3), 600, 30)
    check(wkendall.dask.neighbors(chunked(X, 100), n_neighbors=7), wkendall.neighbors(X, n_neighbors=7))


def test_a_worker_that_is_killed_does_not_change_the_result(cluster, client):
    X = random_rankings(np.random.default_rng(4), 900, 500)
    found = wkendall.dask.neighbors(chunked(X, 100), n_neighbors=5, measure=MULTIPLICATIVE)
    before = client.run(os.getpid)
    futures = client.compute([found.values, found.indices])
    workers = cluster.scheduler.workers
    victim = None
    while victim is None:  # until one of them has blocks that will be lost
        time.sleep(0.01)
        victim = next(
            (name for name in before if sum("wkendall-" in str(task.key) for task in workers[name].has_what) > 1), None
        )
    os.kill(before[victim], signal.SIGKILL)
    assert not all(future.done() for future in futures)
    values, indices = client.gather(futures)
    expected = wkendall.neighbors(X, n_neighbors=5, measure=MULTIPLICATIVE)
    np.testing.assert_array_equal(values, expected.values)
    np.testing.assert_array_equal(indices, expected.indices)
    client.wait_for_workers(2)
    assert before[victim] not in client.run(os.getpid).values()


def test_masked_entries_of_a_block():
    """A block knows its own rows: the entry that it names need not be the first of all."""
    X = random_rankings(np.random.default_rng(0), 9, 5)
    hidden = np.ma.masked_array(X, mask=np.zeros(X.shape, dtype=bool))
    hidden[1, 2] = hidden[len(X) - 1, 0] = np.ma.masked
    found = wkendall.dask.neighbors(da.from_array(hidden, chunks=(3, -1)), n_neighbors=1)
    with pytest.raises(wkendall.RankingError, match=r"^X: row \d+, column [02] is masked: every entry") as raised:
        found.indices.compute(scheduler="synchronous")
    assert (raised.value.row, raised.value.column) in ((1, 2), (len(X) - 1, 0))
