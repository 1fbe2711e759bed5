"""Gram matrices in files: the bits of gram_matrix, in whatever pieces, however often the run was killed."""

import errno
import io
import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import kill
import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from wkendall import _disk, _journal, blocks, to_file
from wkendall._journal import Journal
from wkendall.cli import main

MULT = {"weight": "mult", "u": "log"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def small_blocks(monkeypatch, side):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", side * side * 8)


def files():
    return sorted(path.name for path in Path().iterdir())


def check(X, Y=None, **params):
    """Compare the file, all of it, with what NumPy makes of the matrix in memory."""
    wanted = io.BytesIO()
    np.save(wanted, wkendall.gram_matrix(X, Y, **params))
    found = wkendall.gram_to_file("gram.npy", X, Y, **params)
    assert Path("gram.npy").read_bytes() == wanted.getvalue()
    assert files() == ["gram.npy"]
    assert found.shape == (len(X), len(X if Y is None else Y))
    Path("gram.npy").unlink()


def every_kernel(n, rng):
    yield {}
    yield {"weight": "top", "k": min(n, 3), "normalize": True}
    yield {"weight": "average"}
    yield {"weight": "add", "u": "log", "signed": True}
    yield {"weight": "add", "u": rng.standard_normal(n)}
    yield {"weight": "mult", "u": "hyperbolic", "normalize": True}
    yield {"weight": "mult", "u": "log", "order": 3}
    yield {"U": rng.standard_normal((n, n)) if n <= 120 else np.outer(rng.random(n), rng.random(n))}
    yield {"U": (rng.standard_normal((2, n)), rng.standard_normal((2, n)))}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 2, 5, 20, 120, 700])
def test_the_bits_of_gram_matrix(n, dtype, monkeypatch):
    """Also where a block alone would be computed by another strategy than the matrix."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    small_blocks(monkeypatch, 30 if n < 700 else 60)
    rng = np.random.default_rng(n)
    rows = 100 if n < 700 else 70
    X, Y = random_rankings(rng, rows, n), random_rankings(rng, 9, n)
    repeated = X[rng.integers(0, rows // 3, rows)]
    for params in every_kernel(n, rng):
        if n == 700 and "order" in params:
            continue
        check(X, **params, dtype=dtype)
        check(X, Y, **params, dtype=dtype)
        check(repeated, **params, dtype=dtype)
        check(X[:5], **params, dtype=dtype)


def test_the_bits_where_precision_changes_the_strategy(monkeypatch):
    """300 rankings of 400 items: products in single precision, pairs in double."""
    small_blocks(monkeypatch, 100)
    for n, dtype in itertools.product((300, 400, 500), (np.float32, np.float64)):
        X = random_rankings(np.random.default_rng(0), 250, n)
        check(X, **MULT, dtype=dtype)


@pytest.mark.parametrize("n", [1, 5, 20, 120])
def test_the_bits_with_ties_and_missing_items(n, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    small_blocks(monkeypatch, 20)
    rng = np.random.default_rng(n)
    tied = rng.integers(1, n // 2 + 2, (50, n)).astype(float)
    gaps = np.where(rng.random(tied.shape) < 0.3, np.nan, tied)
    complete = random_rankings(rng, 25, n)
    for params in [*every_kernel(n, rng)][:6]:
        check(tied, ties="mean", **params)
        check(tied, complete, ties="mean", **params, dtype=np.float32)
        check(complete, gaps, ties="mean", missing="bottom", **params)
        check(gaps, ties="mean", missing="bottom", input="scores", **params)
        check(gaps, ties="mean", missing="bottom", top="high", **params)
    for params in ({}, {"signed": True, "normalize": True}):
        check(np.vstack([complete, gaps]), ties="mean", missing="anywhere", **params)
        check(complete, gaps, ties="mean", missing="anywhere", **params)


def test_the_bits_of_other_inputs_and_backends(monkeypatch):
    small_blocks(monkeypatch, 20)
    rng = np.random.default_rng(0)
    X = random_rankings(rng, 70, 40)
    check(X, input="orders", **MULT)
    check(X, top="high", **MULT)
    check(X - 1, **MULT)
    check(rng.random((70, 40)), input="scores", **MULT)
    check(X.tolist(), u=np.arange(40).tolist(), weight="add")
    for backend in ("portable", "product", "pairs-portable", "partition"):
        for dtype in (np.float64, np.float32):
            check(X, backend=backend, dtype=dtype, **MULT)
    for empty in (np.empty((0, 4)), np.empty((0, 0))):
        check(empty)
        check(empty, np.zeros((3, empty.shape[1])) + np.arange(empty.shape[1]))


@pytest.mark.parametrize(("rows", "columns"), [(300, None), (300, 7), (7, 300), (300, 299), (1, 1)])
def test_blocks_cover_a_matrix_once(rows, columns, monkeypatch):
    small_blocks(monkeypatch, 17)
    X = random_rankings(np.random.default_rng(0), rows, 5)
    Y = None if columns is None else random_rankings(np.random.default_rng(1), columns, 5)
    call = to_file.Call("gram_matrix", lambda items, _: wkendall._core.Measure.distance(items), {}, "error", "error")
    work = to_file.prepare(call, X, Y, "ranks", "low", np.float64, 1, None)
    covered = np.zeros(work.shape, int)
    for block in work.blocks(work.block_sides()):
        assert 0 < block.shape[0] * block.shape[1] <= 17 * 17
        covered[block.rows, block.columns] += 1
        if Y is None and block.rows != block.columns:
            covered[block.columns, block.rows] += 1
    assert (covered == 1).all()


def test_little_memory_and_long_work_make_small_blocks(monkeypatch):
    call = to_file.Call("gram_matrix", lambda items, _: wkendall._core.Measure.distance(items), {}, "error", "error")
    work = to_file.prepare(call, random_rankings(np.random.default_rng(0), 3, 5), None, "ranks", "low", "f4", 1, None)
    assert work.block_sides() == (4096, 4096)
    monkeypatch.setattr(blocks, "available_bytes", lambda: 8 * 2**20)
    assert work.block_sides() == (512, 512)
    monkeypatch.setattr(blocks, "available_bytes", lambda: 0)
    assert work.block_sides() == (128, 128)
    monkeypatch.setattr(blocks, "available_bytes", lambda: None)
    monkeypatch.setattr(blocks, "BLOCK_WORK", 50_000)
    assert work.block_sides() == (70, 70)


# A run that stops and goes on.

X = random_rankings(np.random.default_rng(0), 60, 8)


class StopError(Exception):
    pass


def stop_after(monkeypatch, count, error=StopError):
    """Fail when so many blocks are stored."""
    store = to_file._File._store
    left = [count]

    def fail(self, file, block, out):
        if not left[0]:
            raise error
        left[0] -= 1
        store(self, file, block, out)

    monkeypatch.setattr(to_file._File, "_store", fail)


def interrupted(monkeypatch, count, error=StopError, **params):
    """Leave an unfinished file with so many of 10 blocks."""
    with monkeypatch.context() as patch:
        small_blocks(patch, 15)
        stop_after(patch, count, error)
        with pytest.raises(error):
            wkendall.gram_to_file("gram.npy", X, **params)


@pytest.mark.parametrize("count", range(1, 10))
@pytest.mark.parametrize("error", [StopError, KeyboardInterrupt])
def test_what_is_done_is_not_done_again(count, error, monkeypatch):
    interrupted(monkeypatch, count, error, **MULT)
    assert files() == ["gram.npy.journal", "gram.npy.unfinished"]
    filled = []
    fill = blocks.Work.fill
    with monkeypatch.context() as patch:
        patch.setattr(blocks.Work, "fill", lambda self, block, *rest: filled.append(block) or fill(self, block, *rest))
        found = wkendall.gram_to_file("gram.npy", X, resume=True, **MULT)
    # One more for the check of parameters; the size of blocks is that of the first run.
    assert len(filled) == 10 - count + 1
    assert (found == wkendall.gram_matrix(X, **MULT)).all()
    assert files() == ["gram.npy"]


def test_nothing_is_left_if_nothing_was_done(monkeypatch):
    interrupted(monkeypatch, 0)
    assert files() == []


def test_progress_knows_what_is_done(monkeypatch, capsys):
    interrupted(monkeypatch, 7)
    wkendall.gram_to_file("gram.npy", X, resume=True, progress=True)
    shown = [line for line in capsys.readouterr().err.split("\r") if line.strip()]
    assert "700/1000" in "".join(shown)
    assert "1000/1000" in shown[-1]
    assert not any(f" {part}/1000" in "".join(shown) for part in (0, 100, 600))


def test_an_unfinished_file_is_an_error_without_resume(monkeypatch):
    interrupted(monkeypatch, 3)
    before = {name: Path(name).read_bytes() for name in files()}
    message = r"gram.npy.unfinished is the unfinished file of an earlier run: resume=True goes on with it; to start again, remove"
    with pytest.raises(FileExistsError, match=message):
        wkendall.gram_to_file("gram.npy", X)
    assert {name: Path(name).read_bytes() for name in files()} == before


OTHERS = [
    ({"X": X[::-1]}, "other rankings X"),
    ({"X": X[:50]}, "other rankings X"),
    ({"Y": X}, "other rankings Y"),
    ({"u": "hyperbolic"}, "u = 'log', not 'hyperbolic'"),
    ({"u": np.arange(8)}, r"u = 'log', not 'array \(8,\) "),
    ({"weight": "add"}, "weight = 'mult', not 'add'"),
    ({"order": 3}, "order = 2, not 3"),
    ({"signed": True}, "signed = False, not True"),
    ({"normalize": True}, "normalize = False, not True"),
    ({"dtype": np.float32}, "dtype = 'float64', not 'float32'"),
    ({"backend": "partition"}, "backend = 'product-[a-z0-9]*', not 'partition-"),
    ({"top": "high"}, "other rankings X"),
]


@pytest.mark.parametrize(("other", "message"), OTHERS, ids=[str(number) for number in range(len(OTHERS))])
def test_something_else_is_refused(other, message, monkeypatch):
    interrupted(monkeypatch, 3, **MULT)
    before = {name: Path(name).read_bytes() for name in files()}
    with pytest.raises(
        ValueError, match=f"gram.npy.unfinished was begun with {message}.*: give the same; to start again, remove"
    ):
        wkendall.gram_to_file("gram.npy", resume=True, **{"X": X, **MULT, **other})
    assert {name: Path(name).read_bytes() for name in files()} == before
    # What does not change a bit may change.
    wkendall.gram_to_file("gram.npy", X + 0.0, resume=True, n_jobs=1, check=False, **MULT)


@pytest.mark.parametrize(("name", "value"), [("format", 2), ("version", "0.0.0")])
def test_another_version_is_refused(name, value, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(to_file, "FORMAT", 2 if name == "format" else 1)
        patch.setattr(to_file._core, "__version__", "0.0.0" if name == "version" else wkendall.__version__)
        interrupted(monkeypatch, 3)
    with pytest.raises(ValueError, match=f"was begun with {name} = {value!r}, not "):
        wkendall.gram_to_file("gram.npy", X, resume=True)


def test_a_file_that_appears(monkeypatch):
    small_blocks(monkeypatch, 15)
    name = to_file._File._name

    def late(self):
        Path("gram.npy").write_text("precious")
        name(self)

    with monkeypatch.context() as patch:
        patch.setattr(to_file._File, "_name", late)
        message = "gram.npy was made by something else during the run and is left alone: the matrix is complete in .*unfinished"
        with pytest.raises(FileExistsError, match=message):
            wkendall.gram_to_file("gram.npy", X)
    for resume in (True, False):
        with pytest.raises(FileExistsError, match=r"is there already|is the unfinished file"):
            wkendall.gram_to_file("gram.npy", X, resume=resume)
    assert Path("gram.npy").read_text() == "precious"
    Path("gram.npy").unlink()
    found = wkendall.gram_to_file("gram.npy", X, resume=True)
    assert (found == wkendall.gram_matrix(X)).all()
    with pytest.raises(FileExistsError, match=r"^gram.npy is there already: remove it, or use another name$"):
        wkendall.gram_to_file("gram.npy", X, resume=True)
    assert files() == ["gram.npy"]


@pytest.mark.parametrize("where", ["before", "linked", "named", "cleaned"])
def test_killed_while_the_file_gets_its_name(where, monkeypatch):
    """Every state that a process can leave between the last block and the end."""

    def stop(*_):
        raise StopError

    with monkeypatch.context() as patch:
        small_blocks(patch, 15)
        if where == "before":
            patch.setattr(to_file, "claim", stop)
        elif where == "linked":
            patch.setattr(to_file, "claim", lambda unfinished, target: os.link(unfinished, target) or stop())
        elif where == "named":
            patch.setattr(to_file, "sync_folder", stop)
        else:
            patch.setattr(Journal, "remove", stop)
        with pytest.raises(StopError):
            wkendall.gram_to_file("gram.npy", X)
    assert "gram.npy.journal" in files()
    found = wkendall.gram_to_file("gram.npy", X, resume=True)
    assert (found == wkendall.gram_matrix(X)).all()
    assert files() == ["gram.npy"]


def test_a_torn_line_is_cut_off(monkeypatch):
    interrupted(monkeypatch, 5)
    whole = Path("gram.npy.journal").read_bytes()
    lines = whole.splitlines(keepends=True)
    assert len(lines) == 6
    unfinished = Path("gram.npy.unfinished").read_bytes()
    wanted = wkendall.gram_matrix(X)
    for cut in (*range(len(whole) - len(lines[-1]), len(whole)), len(lines[0]), len(lines[0]) - 1, 3, 0):
        Path("gram.npy.journal").write_bytes(whole[:cut])
        Path("gram.npy.unfinished").write_bytes(unfinished)
        assert (wkendall.gram_to_file("gram.npy", X, resume=True) == wanted).all()
        Path("gram.npy").unlink()
    # The last sector of a file can hold anything after a power cut.
    Path("gram.npy.journal").write_bytes(whole[:-9] + b"\0" * 8 + b"\n")
    Path("gram.npy.unfinished").write_bytes(unfinished)
    assert (wkendall.gram_to_file("gram.npy", X, resume=True) == wanted).all()


def test_a_damaged_journal(monkeypatch):
    interrupted(monkeypatch, 5)
    lines = Path("gram.npy.journal").read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"[", b"{")
    Path("gram.npy.journal").write_bytes(b"".join(lines))
    with pytest.raises(ValueError, match=r"line 3 of .*gram.npy.journal is damaged: remove the file and start again"):
        wkendall.gram_to_file("gram.npy", X, resume=True)


def test_a_damaged_file(monkeypatch):
    interrupted(monkeypatch, 5)
    with Path("gram.npy.unfinished").open("r+b") as file:
        file.truncate(1000)
    with pytest.raises(
        ValueError, match=r"gram.npy.unfinished is damaged: remove it and gram.npy.journal to start again"
    ):
        wkendall.gram_to_file("gram.npy", X, resume=True)
    Path("gram.npy.unfinished").unlink()
    with pytest.raises(
        FileNotFoundError, match=r"gram.npy.unfinished is not there, but gram.npy.journal is: remove that"
    ):
        wkendall.gram_to_file("gram.npy", X, resume=True)


def test_data_are_on_disk_before_the_journal_says_so(monkeypatch):
    """The order of events, as the file system sees them."""
    small_blocks(monkeypatch, 15)
    events = []
    sync, put, append = os.fsync, to_file._File._put, Journal._append

    def synced(handle):
        events.append(("sync", Path(f"/proc/self/fd/{handle}").readlink().name))
        sync(handle)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(to_file._File, "_put", lambda *words: events.append(("write", "")) or put(*words))
    monkeypatch.setattr(Journal, "_append", lambda self, value: events.append(("note", value)) or append(self, value))
    if not Path("/proc/self/fd").exists():
        pytest.skip("looks for names of open files in /proc")
    wkendall.gram_to_file("gram.npy", X)
    shown = "".join(
        {"write": "w", "note": "N"}.get(
            kind, "s" if str(what).endswith("unfinished") else "j" if "journal" in str(what) else "d"
        )
        for kind, what in events
    )
    # Synced in full size, noted, folder synced; then blocks with or without a mirror image; then the name.
    assert re.fullmatch(r"sNjd(ww?sNj){10}Njd", shown), shown


def test_one_run_at_a_time(monkeypatch):
    interrupted(monkeypatch, 5)
    journal = Journal(Path("gram.npy.journal"))
    for resume in (True, False):
        with pytest.raises(FileExistsError, match=r"another run is writing to .*gram.npy.journal: wait for its end"):
            wkendall.gram_to_file("gram.npy", X, resume=resume)
    journal.close()
    assert (wkendall.gram_to_file("gram.npy", X, resume=True) == wkendall.gram_matrix(X)).all()


def test_a_journal_that_was_removed_meanwhile(monkeypatch):
    """Whoever waits for a journal must not get hold of one that is gone."""
    Path("journal").write_bytes(b"")
    lock = _disk.lock
    removed = []

    def late(file):
        if not removed:
            removed.append(Path("journal").unlink())
        return lock(file)

    monkeypatch.setattr(_journal, "lock", late)
    journal = Journal(Path("journal"))
    journal.begin({})
    assert Path("journal").read_bytes().endswith(b" {}\n")
    journal.close()


def test_without_locks(monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    assert (wkendall.gram_to_file("gram.npy", X) == wkendall.gram_matrix(X)).all()


BAD = [
    ({"path": 3}, TypeError, "path must be the name of a file, not 3"),
    ({"path": "none/gram.npy"}, FileNotFoundError, "none/gram.npy cannot be written: there is no folder none"),
    ({"path": "."}, IsADirectoryError, "is a folder, but must be the name of a file"),
    ({"resume": 1}, TypeError, "resume must be True or False, not 1"),
    ({"progress": None}, TypeError, "progress must be True or False, not None"),
    ({"X": [[1, 1]]}, ValueError, "X: row 0 holds 1 twice"),
    ({"Y": [[1, 2]]}, ValueError, "X has 8 items, but Y has 2"),
    ({"weight": "none"}, ValueError, "weight is 'none'"),
    ({"weight": "top", "k": 9}, ValueError, "k is 9, but must be from 1 to 8"),
    ({"weight": "mult", "u": [1, 2]}, ValueError, "2"),
    ({"U": np.ones((3, 3))}, ValueError, r"U has shape \(3, 3\)"),
    ({"dtype": int}, ValueError, "must be float64 or float32"),
    ({"n_jobs": 0}, ValueError, "n_jobs is 0"),
    ({"backend": "none"}, ValueError, "none"),
    ({"backend": "product"}, ValueError, "product"),
    ({"backend": 3}, TypeError, "backend must be a name or None, not 3"),
    ({"weight": "mult", "u": [1e30] * 8, "dtype": np.float32}, ValueError, "too large for single precision"),
    ({"order": 3, "ties": "mean", "X": [[1, 1, 2]]}, ValueError, "order 2"),
]


@pytest.mark.parametrize(("params", "error", "message"), BAD, ids=[str(number) for number in range(len(BAD))])
def test_bad_arguments_make_no_file(params, error, message):
    with pytest.raises(error, match=message):
        wkendall.gram_to_file(**{"path": "gram.npy", "X": X, **params})
    assert files() == []


def test_a_disk_that_is_too_small(monkeypatch):
    monkeypatch.setattr(_disk.shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    with pytest.raises(
        OSError, match=r"No space left on device: 28\.2 KiB are needed and 1000\.0 B are free"
    ) as caught:
        wkendall.gram_to_file("gram.npy", X)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "gram.npy")
    assert files() == []


# The command.


def run(words, code=0):
    assert main(shlex.split(words)) == code


def test_the_command(monkeypatch, capsys):
    np.save("x.npy", X)
    small_blocks(monkeypatch, 15)
    for words in (
        "",
        "--weight mult --u log --normalize",
        "--kernel mallows --lam 0.3",
        "--kernel distance",
        "--against x.npy",
    ):
        run(f"gram x.npy -o whole.npy {words}")
        with monkeypatch.context() as patch:
            stop_after(patch, 4, KeyboardInterrupt)
            capsys.readouterr()
            run(f"gram x.npy -o gram.npy --resume {words}", 130)
            said = "what is done is kept in gram.npy.unfinished: --resume goes on from there\nwkendall: interrupted\n"
            assert capsys.readouterr().err == said
        run(f"gram x.npy -o gram.npy {words}", 1)
        said = "wkendall: gram.npy.unfinished is from an earlier run: --resume goes on with it, --force starts again\n"
        assert capsys.readouterr().err == said
        run(f"gram x.npy -o gram.npy --resume {words}")
        assert "60 x 60 float64 in " in (out := capsys.readouterr().out)
        assert out.endswith(" s, with 4 blocks of an earlier run\n")
        assert Path("gram.npy").read_bytes() == Path("whole.npy").read_bytes()
        run(f"gram x.npy -o gram.npy --resume {words}", 1)
        assert capsys.readouterr().err == "wkendall: gram.npy is there already: --force overwrites it\n"
        run(f"gram x.npy -o gram.npy --resume --force {words}")
        assert Path("gram.npy").read_bytes() == Path("whole.npy").read_bytes()
        assert files() == ["gram.npy", "whole.npy", "x.npy"]
        run(f"gram x.npy -o whole.npy {words} --force")
        for name in ("whole.npy", "gram.npy"):
            Path(name).unlink()


def test_force_starts_again(monkeypatch, capsys):
    np.save("x.npy", X)
    with monkeypatch.context() as patch:
        small_blocks(patch, 15)
        stop_after(patch, 4, KeyboardInterrupt)
        run("gram x.npy -o gram.npy --resume", 130)
    run("gram x.npy -o gram.npy --resume --signed", 1)
    assert "was begun with signed = False, not True: give the same" in capsys.readouterr().err
    run("gram x.npy -o gram.npy --force --signed")
    assert files() == ["gram.npy", "x.npy"]
    assert (np.load("gram.npy") == wkendall.gram_matrix(X, signed=True)).all()


def test_resume_is_for_arrays(capsys):
    np.save("x.npy", X)
    for name in ("gram.csv", "gram.npz"):
        run(f"gram x.npy -o {name} --resume", 2)
        assert "--resume goes with an .npy file" in capsys.readouterr().err
    run("gram none.npy -o gram.npy --resume", 1)
    assert capsys.readouterr().err == "wkendall: none.npy: No such file or directory\n"
    assert files() == ["x.npy"]


def test_kill_and_go_on():
    """Kill -9 at random moments; `python tests/kill.py` does the same with 20,000 rankings."""
    np.save("x.npy", random_rankings(np.random.default_rng(0), 600, 20))
    size = 60 * 60 * 8
    folder = Path.cwd()
    seconds = kill.run_unbroken(size, folder, "whole.npy")
    assert (np.load("whole.npy") == wkendall.gram_matrix(np.load("x.npy"), **MULT)).all()
    kill.run_killed(size, folder, "killed.npy", 6, seconds, say=False)
    assert Path("whole.npy").read_bytes() == Path("killed.npy").read_bytes()
    assert files() == ["killed.npy", "whole.npy", "x.npy"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills as Unix does")
@pytest.mark.parametrize("place", ["_begin", "_compute", "_store", "_put", "_name", "_clean"])
@pytest.mark.parametrize("after", [False, True])
def test_killed_at_every_step(place, after):
    """A process that is killed right before or after each step, once in the middle."""
    script = f"""
import os, signal, numpy as np, wkendall
from wkendall import blocks, to_file
blocks.BLOCK_BYTES = 15 * 15 * 8
step = to_file._File.{place}
calls = []
def killed(*words):
    calls.append(1)
    last = len(calls) == (4 if "{place}" in ("_store", "_put") else 1)
    if last and not {after}:
        os.kill(os.getpid(), signal.SIGKILL)
    result = step(*words)
    if last:
        os.kill(os.getpid(), signal.SIGKILL)
    return result
to_file._File.{place} = killed
wkendall.gram_to_file("gram.npy", np.load("x.npy"))
"""
    np.save("x.npy", X)
    done = subprocess.run([sys.executable, "-c", script], env=kill.ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    if (place, after) in (("_clean", True), ("_name", True)):
        assert files() == ["gram.npy", "x.npy"]
        return
    assert (wkendall.gram_to_file("gram.npy", X, resume=True) == wkendall.gram_matrix(X)).all()
    assert files() == ["gram.npy", "x.npy"]


def test_the_journal_can_be_read(monkeypatch):
    interrupted(monkeypatch, 2, **MULT)
    header, *entries = [
        json.loads(line.partition(" ")[2]) for line in Path("gram.npy.journal").read_text().splitlines()
    ]
    assert header["weight"] == "mult"
    assert header["shape"] == [60, 60]
    assert entries == [[0, 0], [0, 15]]
