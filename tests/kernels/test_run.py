"""How results are computed: threads, processes, interruption, progress, memory. All results are bitwise identical."""

import io
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import wkendall
from cases import STRATEGIES
from definitions import kernels, random_rankings
from orders import counted
from processes import Child
from wkendall import _core, _memory

MULT = {"weight": "mult", "u": "log"}


def test_the_same_bits_for_any_number_of_threads():
    X = random_rankings(np.random.default_rng(0), 150, 40)
    Y = random_rankings(np.random.default_rng(1), 60, 40)
    for params in kernels(40):
        for other in (None, Y):
            one = wkendall.gram_matrix(X, other, n_jobs=1, **params)
            for n_jobs in (2, 3, -1, None, 100):
                assert (one == wkendall.gram_matrix(X, other, n_jobs=n_jobs, **params)).all()


@pytest.mark.parametrize("tile", [1, 2, 7, 64, 1000])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_bits_for_any_tile(tile, threads):
    values = random_rankings(np.random.default_rng(0), 70, 40)
    x = _core.Rankings(values)
    measure = _core.Measure("kendall", 40, {"weight": "add", "u": "log"})
    for y in (None, x):
        out = np.full((70, 70), np.nan)
        _core.gram(measure, x, y, out, threads=threads, tile=tile)
        assert (out == wkendall.gram_matrix(values, weight="add", u="log")).all()


@pytest.mark.parametrize("level", _core.instruction_sets())
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_backend(strategy, level):
    X = random_rankings(np.random.default_rng(0), 70, 130)
    for params in kernels(130):
        weighted = not counted(params)
        if (strategy == "bits" and weighted) or (strategy == "product" and not weighted):
            continue
        wanted = wkendall.gram_matrix(X, backend="partition", **params)
        found = wkendall.gram_matrix(X, backend=f"{strategy}-{level}", **params)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * wanted[0, 0] if weighted else 0)


def test_repeated_rankings():
    X = random_rankings(np.random.default_rng(0), 40, 6)
    pick = np.random.default_rng(1).integers(0, 40, 500)
    for params in kernels(6):
        K = wkendall.gram_matrix(X, **params)
        found = wkendall.gram_matrix(X[pick], **params)
        np.testing.assert_allclose(found, K[np.ix_(pick, pick)], rtol=0, atol=1e-12 * max(K[0, 0], 0))
        assert (found == wkendall.gram_matrix(X[pick], X[pick].copy(), **params)).all()


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


def test_progress_is_shown(monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    X = random_rankings(np.random.default_rng(0), 100, 100)
    K = wkendall.gram_matrix(X, progress=True)
    assert "100%" in shown.getvalue()
    assert (wkendall.gram_matrix(X) == K).all()


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


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interruption(n_jobs):
    """Ctrl-C stops minutes of work at once and leaves the interpreter and the threads usable."""
    script = textwrap.dedent(f"""
        import time, numpy as np, wkendall
        X = np.array([np.random.default_rng(p).permutation(2000) for p in range(6000)])
        print("ready", flush=True)
        try:
            wkendall.gram_matrix(X, weight="mult", u="log", n_jobs={n_jobs})
            print("finished", flush=True)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        print(wkendall.gram_matrix(X[:300], n_jobs={n_jobs}).trace(), flush=True)
    """)
    words = [sys.executable, "-c", script]
    with Child(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert output.splitlines() == ["interrupted", str(300 * 2000 * 1999 / 2)], errors


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
    assert during > 10


def test_calls_from_several_threads_at_once():
    X = random_rankings(np.random.default_rng(0), 120, 60)
    wanted = wkendall.gram_matrix(X, **MULT)
    results = [None] * 6

    def call(index):
        results[index] = wkendall.gram_matrix(X, n_jobs=1 + index % 3, **MULT)

    threads = [threading.Thread(target=call, args=(index,)) for index in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((result == wanted).all() for result in results)


def test_a_small_call_does_not_wait_for_a_large_one():
    X = random_rankings(np.random.default_rng(0), 1500, 600)
    order = []

    def large():
        wkendall.gram_matrix(X, n_jobs=2, **MULT)
        order.append("large")

    thread = threading.Thread(target=large)
    thread.start()
    time.sleep(0.3)
    wkendall.gram_matrix(X[:80, :60].argsort(), n_jobs=2)
    order.append("small")
    thread.join()
    assert order == ["small", "large"]


def test_out_used_by_two_calls_at_once():
    X = random_rankings(np.random.default_rng(0), 900, 600)
    out = np.empty((900, 900))
    thread = threading.Thread(target=wkendall.gram_matrix, args=(X,), kwargs={"out": out, "n_jobs": 1, **MULT})
    thread.start()
    time.sleep(0.1)
    with pytest.raises(ValueError, match="out is in use by another call"):
        wkendall.gram_matrix(X, out=out, **MULT)
    thread.join()
    assert (out == wkendall.gram_matrix(X, **MULT)).all()


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
