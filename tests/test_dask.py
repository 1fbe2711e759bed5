"""Gram matrices, features and neighbours as dask arrays: the values of the local calls, lazily, block by block, on a cluster."""

import os
import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pytest
import wkendall
import wkendall.dask
import zarr
from dask.distributed import Client, LocalCluster
from definitions import kernels, random_rankings
from nouns import kernel_of, measure_of, rankings_of, split
from scipy.sparse import csr_array, issparse
from wkendall import Kendall, KendallDistance, _core

MULT = {"weight": "mult", "u": "log"}
MULTIPLICATIVE = Kendall(**MULT)
MEMORY_LIMIT = 250_000_000


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes with little memory."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, memory_limit=MEMORY_LIMIT, dashboard_address=None
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


def chunked(X, rows, columns=None):
    return da.from_array(X, chunks=(rows, columns or X.shape[1]))


def gram_matrix(X, Y=None, **options):
    """The lazy matrix, for its own options and those of a kernel and of reading."""
    own = {name: options.pop(name) for name in ("chunks", "dtype", "n_jobs", "backend") if name in options}
    kernel, reading = split(options)
    return wkendall.dask.gram_matrix(X, Y, kernel_of(kernel), **own, **reading)


def general_kernels(n):
    """Weights by arrays, and of other orders."""
    rng = np.random.default_rng(n)
    U = rng.standard_normal((n, n))
    half = rng.standard_normal((n**2, 3))
    return [
        {"U": U},
        {"U": np.outer(U[0], U[1])},  # whose factors are found
        {"U": rng.standard_normal((2, n, n))},
        {"U": (U[:2], U[2:4])},
        {"U": rng.standard_normal((n, n, n)), "order": 3},
        {"W": (half @ half.T).reshape(n, n, n, n)},
        {"weight": "add", "u": "log", "order": 3},
        {"order": 1},
    ]


@pytest.mark.parametrize("chunks", [None, 50, 11, ((0, 20, 0, 100), (0, 20, 0, 100))])
def test_the_same_bits_for_any_blocks(here, chunks):
    X = random_rankings(np.random.default_rng(0), 120, 9)
    Y = random_rankings(np.random.default_rng(1), 40, 9)
    for params in [*kernels(9), *general_kernels(9)]:
        K = gram_matrix(chunked(X, 60, 4), chunks=chunks, **params)
        assert (K.compute() == wkendall.gram_matrix(X, **params)).all()
        found = gram_matrix(chunked(X, 60), chunked(Y, 40), chunks=(31, 13), **params)
        assert (found.compute() == wkendall.gram_matrix(X, Y, **params)).all()


def test_the_same_bits_where_blocks_alone_would_be_computed_otherwise(here):
    X = random_rankings(np.random.default_rng(0), 250, 120)
    whole = _core.planned(_core.Measure("kendall", 120, {"weight": "mult", "u": "log"}), 250, 250)
    assert whole != _core.planned(_core.Measure("kendall", 120, {"weight": "mult", "u": "log"}), 7, 7)
    assert (gram_matrix(X, chunks=7, **MULT).compute() == wkendall.gram_matrix(X, **MULT)).all()


def test_every_option(here):
    X = random_rankings(np.random.default_rng(0), 30, 6)
    scores = np.random.default_rng(0).standard_normal((30, 6))
    incomplete = np.where(X == 6, np.nan, np.maximum(X, 3))
    for values, options in [
        (X, {"signed": True}),
        (X, {"normalize": True, **MULT}),
        (X - 1, {"input": "orders", **MULT}),
        (scores, {"input": "scores", "top": "high", **MULT}),
        (X, {"top": "high", "weight": "top", "k": 2}),
        (np.maximum(X, 3), {"ties": "mean", **MULT}),
        (incomplete, {"ties": "mean", "missing": "bottom", "normalize": True}),
        (incomplete, {"ties": "mean", "missing": "anywhere"}),
        (X, {"W": np.zeros((6,) * 4) + np.eye(6), "check": False}),
        (X, {"backend": "partition", **MULT}),
        (X, {"dtype": np.float32, **MULT}),
        (X, {"dtype": "float32"}),
    ]:
        K = gram_matrix(chunked(values, 8), **options)
        wanted = wkendall.gram_matrix(values, **options)
        assert K.dtype == wanted.dtype == K.compute().dtype
        np.testing.assert_allclose(K.compute(), wanted, rtol=1e-5 if K.dtype == np.float32 else 1e-12)


def test_complete_and_incomplete_chunks_go_together(here):
    X = random_rankings(np.random.default_rng(0), 20, 6).astype(float)
    X[15, 2] = np.nan
    for missing in ("bottom", "anywhere"):
        K = wkendall.dask.gram_matrix(chunked(X, 5), missing=missing).compute()
        np.testing.assert_allclose(K, wkendall.gram_matrix(X, missing=missing), rtol=1e-12)
        assert (K == K.T).all()


def test_nothing_is_computed_before_it_is_asked_for(here):
    seen = []

    def load(rows):
        seen.append(len(rows))
        return rows

    X = random_rankings(np.random.default_rng(0), 30, 6)
    lazy = chunked(X, 10).map_blocks(load, dtype=X.dtype, meta=np.empty((0, 0), X.dtype))
    K = wkendall.dask.gram_matrix(lazy, lazy[:10])
    features = wkendall.dask.features(lazy)
    assert isinstance(K, da.Array)
    assert seen == []
    assert (K[10:20].compute() == wkendall.gram_matrix(X[10:20], X[:10])).all()
    assert len(seen) == 2  # the first chunk also says where ranks begin
    assert (features.compute() == wkendall.features(X)).all()


def test_names_and_pickles(here):
    X = random_rankings(np.random.default_rng(0), 20, 6)
    K = gram_matrix(chunked(X, 10), **MULT)
    assert K.name == gram_matrix(chunked(X, 10), **MULT).name
    others = [{}, {**MULT, "u": "hyperbolic"}, {**MULT, "dtype": np.float32}, {**MULT, "chunks": 5}]
    assert K.name not in [gram_matrix(chunked(X, 10), **params).name for params in others]
    assert (pickle.loads(pickle.dumps(K)).compute() == K.compute()).all()


@pytest.mark.parametrize(("n_jobs", "threads"), [(None, 1), (1, 1), (2, 2)])
def test_threads(monkeypatch, n_jobs, threads):
    """Dask runs blocks on all its threads: a block takes one of them, or as many as it is told to."""
    found = []

    def gram(*args, **options):
        found.append(options["threads"])
        return compute(*args, **options)

    compute = _core.gram
    X = random_rankings(np.random.default_rng(0), 30, 6)
    K = wkendall.dask.gram_matrix(chunked(X, 10), n_jobs=n_jobs)
    monkeypatch.setattr(_core, "gram", gram)
    with dask.config.set(scheduler="threads", num_workers=2):
        assert (K.compute() == wkendall.gram_matrix(X, n_jobs=1)).all()
    assert found == [threads] * 6 + [1]


def test_sizes_of_blocks():
    def sizes(m, rows, *other, **params):
        found = wkendall.dask.gram_matrix(da.ones((m, 3), chunks=(rows, 3), dtype=np.int8), *other, **params).chunks
        return [sorted(set(axis), reverse=True) for axis in found]

    most = 2896  # 64 MiB of doubles
    assert sizes(10_000, 1000) == [[1000], [1000]]
    assert sizes(10_000, 10_000) == [[2500], [2500]]
    assert sizes(10_000, most) == [[most, 10_000 - 3 * most]] * 2
    assert sizes(10_000, 10_000, dtype=np.float32) == [[3334, 3332]] * 2
    assert sizes(10_000, 3000, chunks=4000) == [[4000, 2000], [4000, 2000]]
    assert sizes(10_000, 3000, chunks="2 MiB")[0][0] in range(400, 513)
    assert sizes(10_000, 10_000, chunks=-1) == [[10_000], [10_000]]
    landmarks = da.ones((500, 3), dtype=np.int8)
    assert sizes(100_000, 50_000, landmarks) == [[16_667, 16_665], [500]]
    assert sizes(500, 500, da.ones((100_000, 3), dtype=np.int8)) == [[500], [16_667, 16_665]]
    features = wkendall.dask.features(da.ones((10**6, 21), chunks=-1))
    assert features.chunks == ((38_462,) * 25 + (38_450,), (211,))


def test_features(here):
    X = random_rankings(np.random.default_rng(0), 30, 6)
    for params in kernels(6):
        for options in ({}, {"signed": True}, {"normalize": True}, {"dtype": np.float32}):
            how = {"dtype": options["dtype"]} if "dtype" in options else {}
            kernel = Kendall(**params) if how else Kendall(**params, **options)
            wanted = wkendall.features(X, kernel, **how)
            found = wkendall.dask.features(chunked(X, 8, 2), kernel, **how)
            assert (found.shape, found.dtype, found.chunks[0]) == (wanted.shape, wanted.dtype, (8, 8, 8, 6))
            assert (found.compute() == wanted).all()
    assert wkendall.dask.features(X, chunks=7).chunks == ((7, 7, 7, 7, 2), (16,))
    assert wkendall.dask.features(X, chunks=(10, 20)).chunks == ((10, 20), (16,))
    tied = np.maximum(X, 3)
    wanted = wkendall.features(wkendall.Rankings(tied, ties="mean"), MULTIPLICATIVE)
    assert (wkendall.dask.features(chunked(tied, 8), MULTIPLICATIVE, ties="mean").compute() == wanted).all()
    gaps = np.where(tied == 5, np.nan, tied)
    wanted = wkendall.features(wkendall.Rankings(gaps, ties="mean", missing="anywhere"))
    assert (wkendall.dask.features(chunked(gaps, 8), ties="mean", missing="anywhere").compute() == wanted).all()


def test_bad_arrays_are_refused_at_once():
    X = chunked(random_rankings(np.random.default_rng(0), 4, 6), 2)
    for make in (wkendall.dask.gram_matrix, wkendall.dask.features, lambda Y: wkendall.dask.gram_matrix(Y, X)):
        with pytest.raises(ValueError, match=r"X has chunks of unknown size: call X.compute_chunk_sizes\(\) first"):
            make(X[X[:, 0] > 2])
        with pytest.raises(ValueError, match="X is 1-dimensional"):
            make(X[0])
        with pytest.raises(TypeError, match="X has dtype bool, but rankings are made of real numbers"):
            make(X > 2)
        with pytest.raises(TypeError, match=r"X is a dask Delayed, but must be a dask array"):
            make(dask.delayed(X))
        with pytest.raises(ValueError, match="X: row 1 has 1 items, but row 0 has 2"):
            make([[1, 2], [1]])
    with pytest.raises(ValueError, match="X has 6 items, but Y has 5"):
        wkendall.dask.gram_matrix(X, X[:, :5])
    with pytest.raises(ValueError, match="chunks is 0, but must be the number of rows"):
        wkendall.dask.features(X, chunks=0)
    with pytest.raises(ValueError, match="without Y the rows and the columns must have the same chunks"):
        wkendall.dask.gram_matrix(X, chunks=((2, 2), (1, 3)))


def test_errors_name_the_row_of_the_whole_array(here):
    good = random_rankings(np.random.default_rng(0), 25, 6)
    bad = good.copy()
    bad[17, 3] = 9
    whole = re.escape(
        ': row 17, column 3 holds 9, but every row of 6 items must be a permutation of 1..6; input="scores" '
    )
    for x, y, name in [(bad, None, "X"), (bad, good, "X"), (good, bad, "Y")]:
        y = None if y is None else chunked(y, 5)
        with pytest.raises(ValueError, match=f"^{name}{whole}"):
            wkendall.dask.gram_matrix(chunked(x, 5), y).compute()
    last = wkendall.dask.gram_matrix(chunked(bad, 5)).blocks[0, 3]  # there the chunk is the second argument
    with pytest.raises(ValueError, match=f"^X{whole}"):
        last.compute()
    with pytest.raises(ValueError, match=f"^X{whole}"):
        wkendall.dask.features(chunked(bad, 5)).compute()
    bad = bad.astype(object)
    bad[17, 3] = "row 3, column 2"
    with pytest.raises(TypeError, match=r"^X: row 17, column 3 holds 'row "):
        wkendall.dask.gram_matrix(chunked(bad, 5)).compute()


def test_chunks_that_count_from_different_numbers(here):
    X = random_rankings(np.random.default_rng(0), 20, 6)
    mixed = X.copy()
    mixed[15:] -= 1
    message = ": rows 15 to 19 count from 0, but row 0 from 1: all rows must count from 0 or all from 1$"
    for make, name in [
        (lambda: wkendall.dask.gram_matrix(chunked(mixed, 5)), "X"),
        (lambda: wkendall.dask.gram_matrix(chunked(mixed, 5), X), "X"),
        (lambda: wkendall.dask.gram_matrix(X, chunked(mixed, 5)), "Y"),
        (lambda: wkendall.dask.features(chunked(mixed, 5)), "X"),
    ]:
        with pytest.raises(ValueError, match=f"^{name}{message}"):
            make().compute()
    assert (wkendall.dask.gram_matrix(chunked(X - 1, 5), X).compute() == wkendall.gram_matrix(X)).all()
    wanted = wkendall.gram_matrix(mixed, input="scores")
    assert (wkendall.dask.gram_matrix(chunked(mixed, 5), input="scores").compute() == wanted).all()


def test_without_dask():
    script = "import sys; sys.modules['dask'] = None; import wkendall; from wkendall import *; wkendall.dask"
    failed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert failed.stderr.endswith('ImportError: wkendall.dask needs dask: pip install "wkendall[dask]"\n')


def test_on_a_cluster(client):
    X = random_rankings(np.random.default_rng(0), 150, 9)
    for params in [*kernels(9)[:6], *general_kernels(9)]:
        K = gram_matrix(chunked(X, 60), **params)
        assert (K.compute() == wkendall.gram_matrix(X, **params)).all()
    found = wkendall.dask.features(chunked(X, 40), MULTIPLICATIVE)
    assert (found.compute() == wkendall.features(X, MULTIPLICATIVE)).all()
    X[77, 3] = 99
    with pytest.raises(ValueError, match=r"^X: row 77, column 3 holds 99"):
        wkendall.dask.gram_matrix(chunked(X, 40)).compute()


def threads_of_the_engine():
    return sum(name.read_text().startswith("wkendall-") for name in Path("/proc/self/task").glob("*/comm"))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not list threads in /proc")
def test_workers_start_no_threads_of_their_own_unless_told_to(client):
    X = random_rankings(np.random.default_rng(0), 400, 300)
    wkendall.dask.gram_matrix(chunked(X, 200), kernel=MULTIPLICATIVE).compute()
    assert list(client.run(threads_of_the_engine).values()) == [0, 0]
    if _core.available_cores() > 1:  # or they would not be kept
        wkendall.dask.gram_matrix(chunked(X, 200), kernel=MULTIPLICATIVE, n_jobs=2).compute()
        assert sum(client.run(threads_of_the_engine).values()) in (2, 4)


def test_more_than_the_workers_memory_goes_to_zarr(client, tmp_path):
    """No worker is ended for taking more than its limit."""
    X = random_rankings(np.random.default_rng(0), 8000, 12).astype(np.int8)
    K = wkendall.dask.gram_matrix(X, chunks=1000)
    assert K.nbytes > 2 * MEMORY_LIMIT
    before = client.run(os.getpid)
    K.to_zarr(tmp_path / "gram.zarr")
    assert client.run(os.getpid) == before
    stored = zarr.open_array(tmp_path / "gram.zarr", mode="r")
    assert (stored.shape, stored.chunks, stored.dtype) == ((8000, 8000), (1000, 1000), np.float64)
    for start in range(0, 8000, 1000):
        assert (stored[start : start + 1000] == wkendall.gram_matrix(X[start : start + 1000], X)).all()


def test_a_worker_that_is_killed_does_not_change_the_result(cluster, client):
    X = random_rankings(np.random.default_rng(0), 900, 300)
    K = wkendall.dask.gram_matrix(chunked(X, 100), kernel=MULTIPLICATIVE)
    before = client.run(os.getpid)
    future = client.compute(K)
    workers = cluster.scheduler.workers
    victim = None
    while victim is None:  # until one of them has blocks that will be lost
        time.sleep(0.01)
        victim = next(
            (name for name in before if sum(K.name in str(task.key) for task in workers[name].has_what) > 5), None
        )
    os.kill(before[victim], signal.SIGKILL)
    assert (future.result() == wkendall.gram_matrix(X, **MULT)).all()
    client.wait_for_workers(2)
    assert before[victim] not in client.run(os.getpid).values()


# Neighbours.


def same_neighbours(found, expected):
    values, indices = dask.compute(found.values, found.indices)
    np.testing.assert_array_equal(indices, expected.indices)
    np.testing.assert_array_equal(values, expected.values)
    assert (found.values.shape, found.indices.shape) == (values.shape, indices.shape)
    assert (found.values.dtype, found.indices.dtype) == (values.dtype, indices.dtype)


@pytest.mark.parametrize("rows", [1, 13, 24, (0, 10, 0, 14)])
def test_the_same_neighbours_for_any_blocks(here, rows):
    rng = np.random.default_rng(0)
    X, Y = random_rankings(rng, 24, 5), random_rankings(rng, 11, 5)  # of few items, so that values are equal
    X = X[:9] if rows == 1 else X
    options = [*kernels(5), {"metric": "distance"}, {"order": 3}, {"signed": True, "normalize": True, **MULT}]
    for number, params in enumerate(options):
        count = 1 + 3 * number % 8
        how = {"n_neighbors": count, "measure": measure_of(params)}
        same_neighbours(wkendall.dask.neighbors(chunked(X, rows), **how), wkendall.neighbors(X, **how))
        found = wkendall.dask.neighbors(chunked(X, rows), chunked(Y, 5), **how)
        same_neighbours(found, wkendall.neighbors(X, Y, **how))


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
        same_neighbours(found, wkendall.neighbors(rankings_of(values, options), **how))
    lists = csr_array(np.where(X > 3, 0, X))
    how = {"n_neighbors": 4, "measure": Kendall(signed=True, normalize=True)}
    found = wkendall.dask.neighbors(lists, missing="bottom", **how)
    same_neighbours(found, wkendall.neighbors(wkendall.Rankings(lists, missing="bottom"), **how))


def test_no_neighbours_are_computed_before_they_are_asked_for():
    def fail(_):
        raise AssertionError

    X = da.map_blocks(fail, da.zeros((9, 4), chunks=(3, 4)), dtype=np.int64)
    found = wkendall.dask.neighbors(X, n_neighbors=2)
    assert isinstance(found, tuple)
    assert found.values.shape == found.indices.shape == (9, 2)


def test_errors_of_neighbours_name_the_row_of_the_whole_array(here):
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
    with pytest.raises(wkendall.RankingError, match=r"^X: row \d+, column [02] is masked: every entry") as raised:
        found.indices.compute(scheduler="synchronous")
    assert (raised.value.row, raised.value.column) in ((1, 2), (len(X) - 1, 0))
