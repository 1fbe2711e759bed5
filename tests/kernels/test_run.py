"""How results are computed: threads, processes, interruption, progress, memory. All results are bitwise identical."""

import io
import multiprocessing
import os
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from wkendall import _core, _memory

MULT = {"weight": "mult", "u": "log"}


def test_show_config(capsys):
    wkendall.show_config()
    shown = capsys.readouterr().out
    assert _core.instruction_sets()[-1] in shown
    assert "bits-" in shown


def test_threads_from_the_environment(monkeypatch):
    monkeypatch.delenv("RAYON_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert _core.default_threads() == _core.available_cores()
    monkeypatch.setenv("OMP_NUM_THREADS", "3,2")
    assert _core.default_threads() == 3
    monkeypatch.setenv("RAYON_NUM_THREADS", "5")
    assert _core.default_threads() == 5
    monkeypatch.setenv("RAYON_NUM_THREADS", "many")
    assert _core.default_threads() == 3


def test_out(tmp_path):
    X = random_rankings(np.random.default_rng(0), 20, 9)
    wanted = wkendall.gram_matrix(X, **MULT)
    out = np.full((20, 20), np.nan)
    assert wkendall.gram_matrix(X, out=out, **MULT) is out
    assert (out == wanted).all()
    single = np.full((20, 20), np.nan, dtype=np.float32)
    wkendall.gram_matrix(X, out=single, dtype=np.float32, **MULT)
    np.testing.assert_allclose(single, wanted, rtol=1e-5)
    file = np.lib.format.open_memmap(tmp_path / "gram.npy", mode="w+", shape=(20, 20))
    assert wkendall.gram_matrix(X, out=file, **MULT) is file
    file.flush()
    assert (np.load(tmp_path / "gram.npy") == wanted).all()
    part = np.zeros((40, 20))
    wkendall.gram_matrix(X, out=part[20:], **MULT)
    assert (part[20:] == wanted).all()
    assert (part[:20] == 0).all()
    assert (wkendall.distance_matrix(X, out=out) == wkendall.distance_matrix(X)).all()


def test_out_may_be_the_input():
    X = random_rankings(np.random.default_rng(0), 5, 5).astype(float)
    wanted = wkendall.gram_matrix(X)
    assert (wkendall.gram_matrix(X, out=X) == wanted).all()


#: Calls that show a progress bar, by what it says.
BARS = {
    "gram_matrix": lambda X: wkendall.gram_matrix(X, progress=True),
    "neighbors": lambda X: wkendall.neighbors(X, progress=True),
    "index": lambda X: wkendall.KendallNeighbors(1, wkendall.RankBiasedOverlap(), progress=True).fit(
        wkendall.from_lists([[row % 300, 300 + row % 299] for row in range(1200)])
    ),
    "two_sample_test": lambda X: wkendall.two_sample_test(X[:9], X[9:], n_permutations=19, progress=True),
    "independence_test": lambda X: wkendall.independence_test(X, X[:, 0], n_permutations=19, progress=True),
}


@pytest.mark.parametrize("what", BARS)
def test_progress_is_shown(what, monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    BARS[what](random_rankings(np.random.default_rng(0), 30, 10))
    assert what in shown.getvalue()
    assert "100%" in shown.getvalue() or what == "index"  # too quick to be looked at


def test_progress_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match=r"a progress bar needs tqdm: pip install \"wkendall\[progress\]\""):
        wkendall.gram_matrix([[1, 2]], progress=True)


def test_an_error_while_showing_progress_comes_through():
    x = _core.Rankings(random_rankings(np.random.default_rng(0), 50, 10))

    def fail(done, total):
        raise RuntimeError("no screen")

    for threads in (1, 2):
        with pytest.raises(RuntimeError, match="no screen"):
            _core.gram(_core.Measure("distance", 10, {}), x, None, np.empty((50, 50)), threads=threads, progress=fail)


def test_other_python_threads_run_meanwhile():
    X = random_rankings(np.random.default_rng(0), 600, 600)
    ticks = 0
    stop = threading.Event()

    def tick():
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    before = ticks
    wkendall.gram_matrix(X, n_jobs=1, **MULT)
    during = ticks - before
    stop.set()
    ticker.join()
    assert during > 1


@contextmanager
def held(X, out, threads):
    """Another thread computes distances, and stays in the middle of its call until the block ends."""
    begun, go = threading.Event(), threading.Event()

    def wait(*_):
        begun.set()
        assert go.wait(60)

    words = _core.Measure("distance", X.shape[1], {}), _core.Rankings(X), None, out
    thread = threading.Thread(target=_core.gram, args=words, kwargs={"threads": threads, "progress": wait})
    thread.start()
    try:
        assert begun.wait(60)
        yield
    finally:
        go.set()
        thread.join()


def test_a_call_does_not_wait_for_another():
    X = random_rankings(np.random.default_rng(0), 120, 60)
    with held(X, np.empty((120, 120)), 2):
        found = wkendall.gram_matrix(X, n_jobs=2, **MULT)
    assert (found == wkendall.gram_matrix(X, n_jobs=1, **MULT)).all()


def test_out_used_by_two_calls_at_once():
    X, out = random_rankings(np.random.default_rng(0), 50, 10), np.empty((50, 50))
    with held(X, out, 1), pytest.raises(ValueError, match="out is in use by another call"):
        wkendall.gram_matrix(X, out=out)
    assert (out == wkendall.distance_matrix(X)).all()


def _gram_in_child(X):
    return wkendall.gram_matrix(X, n_jobs=2, **MULT)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_forked_child():
    """A child made by fork after the parent used its threads computes and exits."""
    X = random_rankings(np.random.default_rng(0), 200, 100)
    wanted = _gram_in_child(X)
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        results = pool.map_async(_gram_in_child, [X] * 4).get(timeout=60)
    assert all((result == wanted).all() for result in results)
    child = context.Process(target=_gram_in_child, args=(X,))
    child.start()
    child.join(timeout=60)
    assert child.exitcode == 0
    assert (_gram_in_child(X) == wanted).all()


def test_memory_limits(tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 100 kB\nMemAvailable:      7 kB\n")
    assert _memory._from_meminfo(tmp_path / "meminfo") == 7168
    assert _memory._from_meminfo(tmp_path / "absent") is None
    assert _memory._from_cgroup(tmp_path) is None
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("10\n")
    assert _memory._from_cgroup(tmp_path) is None
    (tmp_path / "memory.max").write_text("100\n")
    (tmp_path / "memory.stat").write_text("anon 3\ninactive_file 4\n")
    assert _memory._from_cgroup(tmp_path) == 94
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory").mkdir()
    for name, text in {"limit_in_bytes": "50", "usage_in_bytes": "20", "stat": "total_inactive_file 5"}.items():
        (tmp_path / "memory" / f"memory.{name}").write_text(text)
    assert _memory._from_cgroup(tmp_path) == 35
    assert _memory.available_bytes() > 0


def test_a_small_result_that_does_not_fit(leave_memory):
    leave_memory(100)
    X = random_rankings(np.random.default_rng(0), 4, 3)
    with pytest.raises(ValueError, match=r"4 x 4 float64 values takes 128\.0 B, but only 100\.0 B of memory"):
        wkendall.gram_matrix(X)
    assert wkendall.gram_matrix(X, dtype=np.float32).shape == (4, 4)
    assert wkendall.gram_matrix(X, out=np.empty((4, 4))).shape == (4, 4)
