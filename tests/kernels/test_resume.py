"""Gram matrices in files whose run was stopped: interrupted, killed at any moment, or by a full disk."""

import errno
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from nouns import gram_to_file
from paths import ENVIRONMENT
from processes import Child
from stopped_runs import MULT, StopError, X, files, interrupted, small_blocks
from wkendall import _disk
from wkendall.gram_file import blocks, matrix_file
from wkendall.gram_file.journal import Journal


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("count", range(1, 10))
@pytest.mark.parametrize("error", [StopError, KeyboardInterrupt])
def test_what_is_done_is_not_done_again(count, error, monkeypatch):
    interrupted(monkeypatch, count, error, **MULT)
    assert files() == ["gram.npy.journal", "gram.npy.unfinished"]
    filled = []
    fill = blocks.Work.fill
    with monkeypatch.context() as patch:
        patch.setattr(blocks.Work, "fill", lambda self, block, *rest: filled.append(block) or fill(self, block, *rest))
        found = gram_to_file("gram.npy", X, resume=True, **MULT)
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
    message = r"gram.npy.unfinished is the unfinished file of an earlier run: resume=True continues it; to start again, remove"
    with pytest.raises(FileExistsError, match=message):
        wkendall.gram_to_file("gram.npy", X)
    assert {name: Path(name).read_bytes() for name in files()} == before


OTHERS = [
    ({"X": X[::-1]}, "X has other rankings"),
    ({"X": X[:50]}, "X has other rankings"),
    ({"Y": X}, "Y has other rankings"),
    ({"u": "hyperbolic"}, "u = 'log', not 'hyperbolic'"),
    ({"u": np.arange(8)}, r"u = 'log', not 'array \(8,\) "),
    ({"weight": "add"}, "weight = 'mult', not 'add'"),
    ({"order": 3}, "order = 2, not 3"),
    ({"signed": True}, "signed = False, not True"),
    ({"normalize": True}, "normalize = False, not True"),
    ({"dtype": np.float32}, "dtype = 'float64', not 'float32'"),
    ({"top": "high"}, "X has other rankings"),
]


@pytest.mark.parametrize(("other", "message"), OTHERS, ids=[str(number) for number in range(len(OTHERS))])
def test_something_else_is_refused(other, message, monkeypatch):
    interrupted(monkeypatch, 3, **MULT)
    before = {name: Path(name).read_bytes() for name in files()}
    with pytest.raises(ValueError, match=f"{message}.*: pass the same (rankings|value); to start again, remove"):
        gram_to_file("gram.npy", resume=True, **{"X": X, **MULT, **other})
    assert {name: Path(name).read_bytes() for name in files()} == before
    # Options that do not change a bit may differ.
    gram_to_file("gram.npy", X + 0.0, resume=True, n_jobs=1, **MULT)


def test_another_kernel_is_refused(monkeypatch):
    interrupted(monkeypatch, 3, **MULT)
    with pytest.raises(ValueError, match="measure = 'Kendall', not 'Mallows'"):
        wkendall.gram_to_file("gram.npy", X, kernel=wkendall.Mallows(0.5), resume=True)


@pytest.mark.parametrize(("name", "value"), [("format", 2), ("version", "0.0.0")])
def test_another_version_is_refused(name, value, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(matrix_file, "FORMAT", 2 if name == "format" else 1)
        patch.setattr(matrix_file._core, "__version__", "0.0.0" if name == "version" else wkendall.__version__)
        interrupted(monkeypatch, 3)
    with pytest.raises(ValueError, match=f"was started with {name} = {value!r}, not "):
        wkendall.gram_to_file("gram.npy", X, resume=True)


def test_a_file_that_appears(monkeypatch):
    small_blocks(monkeypatch, 15)
    name = matrix_file._File._name

    def late(self):
        Path("gram.npy").write_text("precious")
        name(self)

    with monkeypatch.context() as patch:
        patch.setattr(matrix_file._File, "_name", late)
        message = "gram.npy was created by another program during the run and is not changed: the matrix is complete in"
        with pytest.raises(FileExistsError, match=message):
            wkendall.gram_to_file("gram.npy", X)
    for resume in (True, False):
        with pytest.raises(FileExistsError, match=r"already exists|is the unfinished file"):
            wkendall.gram_to_file("gram.npy", X, resume=resume)
    assert Path("gram.npy").read_text() == "precious"
    Path("gram.npy").unlink()
    found = wkendall.gram_to_file("gram.npy", X, resume=True)
    assert (found == wkendall.gram_matrix(X)).all()
    with pytest.raises(FileExistsError, match=r"^gram.npy already exists: remove it, or use another name$"):
        wkendall.gram_to_file("gram.npy", X)
    assert files() == ["gram.npy"]


def test_a_torn_line_is_cut_off(monkeypatch):
    interrupted(monkeypatch, 5)
    whole = Path("gram.npy.journal").read_bytes()
    lines = whole.splitlines(keepends=True)
    assert len(lines) == 6
    unfinished = Path("gram.npy.unfinished").read_bytes()
    wanted = wkendall.gram_matrix(X)
    for cut in (*range(len(whole) - len(lines[-1]), len(whole)), len(lines[0]), len(lines[0]) - 1, 18, 0):
        Path("gram.npy.journal").write_bytes(whole[:cut])
        Path("gram.npy.unfinished").write_bytes(unfinished)
        assert (wkendall.gram_to_file("gram.npy", X, resume=True) == wanted).all()
        Path("gram.npy").unlink()
    # Too short a part of the first line could be of anybody.
    Path("gram.npy").unlink(missing_ok=True)
    Path("gram.npy.journal").write_bytes(whole[:17])
    with pytest.raises(ValueError, match="is not a journal of an earlier run"):
        wkendall.gram_to_file("gram.npy", X, resume=True)
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
    with pytest.raises(ValueError, match=r"gram.npy.unfinished is damaged: to start again, remove it and"):
        wkendall.gram_to_file("gram.npy", X, resume=True)
    Path("gram.npy.unfinished").unlink()
    with pytest.raises(FileNotFoundError, match=r"gram.npy.unfinished is missing, but gram.npy.journal exists: to"):
        wkendall.gram_to_file("gram.npy", X, resume=True)


def test_data_are_on_disk_before_the_journal_says_so(monkeypatch):
    """The order of events, as the file system sees them."""
    small_blocks(monkeypatch, 15)
    events = []
    sync, put, append = os.fsync, matrix_file._File._put, Journal._append

    def synced(handle):
        events.append(("sync", Path(f"/proc/self/fd/{handle}").readlink().name))
        sync(handle)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(matrix_file._File, "_put", lambda *words: events.append(("write", "")) or put(*words))
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
    # Noted, folder synced, made in full size and synced, folder synced; then blocks, some mirrored; then the name.
    assert re.fullmatch(r"Njdsd(ww?sNj){10}Njd", shown), shown


def test_one_run_at_a_time(monkeypatch):
    interrupted(monkeypatch, 5)
    journal = Journal(Path("gram.npy.journal"))
    for resume in (True, False):
        with pytest.raises(FileExistsError, match=r"another run is writing to .*gram.npy.journal: wait until it ends"):
            wkendall.gram_to_file("gram.npy", X, resume=resume)
    journal.close()
    assert (wkendall.gram_to_file("gram.npy", X, resume=True) == wkendall.gram_matrix(X)).all()


def test_a_journal_that_was_removed_meanwhile(monkeypatch):
    """A process that waits for a journal must not get one that was removed."""
    Path("journal").write_bytes(b"")
    lock = _disk.lock
    removed = []

    def late(file):
        if not removed:
            removed.append(Path("journal").unlink())
        return lock(file)

    monkeypatch.setattr("wkendall.gram_file.journal.lock", late)
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


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills as Unix does")
@pytest.mark.parametrize("place", ["_begin", "_compute", "_store", "_put", "_name", "_clean"])
@pytest.mark.parametrize("after", [False, True])
def test_killed_at_every_step(place, after):
    """A process that is killed right before or after each step, once in the middle."""
    script = f"""
import os, signal, numpy as np, wkendall
from wkendall.gram_file import blocks
from wkendall.gram_file import matrix_file
blocks.BLOCK_BYTES = 15 * 15 * 8
step = matrix_file._File.{place}
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
matrix_file._File.{place} = killed
wkendall.gram_to_file("gram.npy", np.load("x.npy"))
"""
    np.save("x.npy", X)
    done = subprocess.run([sys.executable, "-c", script], env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    if (place, after) in (("_clean", True), ("_name", True)):
        assert files() == ["gram.npy", "x.npy"]
        return
    assert (wkendall.gram_to_file("gram.npy", X, resume=True) == wkendall.gram_matrix(X)).all()
    assert files() == ["gram.npy", "x.npy"]


#: The command with small blocks.
SMALL = "from wkendall import cli; from wkendall.gram_file import blocks; blocks.BLOCK_BYTES = 10**5; exit(cli.main())"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills as Unix does")
def test_killed_at_random_moments():
    """`make faults` kills more often."""
    moments, many = random.Random(0), random_rankings(np.random.default_rng(0), 1500, 50)
    np.save("x.npy", many)
    wanted = wkendall.gram_matrix(many, **MULT)
    words = [sys.executable, "-c", SMALL, *shlex.split("gram x.npy -o gram.npy --weight mult --u log --resume")]
    for _ in range(200 if os.environ.get("WKENDALL_FAULTS") == "long" else 4):
        with Child(words, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            time.sleep(moments.uniform(0.2, 1.5))  # at the end of the block it is killed
        if files() == ["gram.npy", "x.npy"]:
            assert (np.load("gram.npy") == wanted).all()
            Path("gram.npy").unlink()
    assert (gram_to_file("gram.npy", many, resume=True, **MULT) == wanted).all()
    assert files() == ["gram.npy", "x.npy"]
