"""Disks that fill up or become read-only at every write of every command: one line, no half file, nothing left behind."""

import errno
import os
import shlex
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import without_sizes
from definitions import random_rankings
from paths import ENVIRONMENT
from wkendall.cli import main
from wkendall.experiments.store import RESULTS
from wkendall.gram_file import blocks

LONG = os.environ.get("WKENDALL_FAULTS") == "long"
X = random_rankings(np.random.default_rng(0), 60, 6)
COMMANDS = {
    "gram x.npy -o out.npy": "out.npy",
    "gram x.npy -o out.npz": "out.npz",
    "gram x.npy -o out.csv": "out.csv",
    "gram x.npy -o out.npy --resume": "out.npy",
    "corr x.npy -o out.csv": "out.csv",
    "learn x.npy --labels y.npy -o out --C 1 --folds 2 --no-baseline": "out",
    "reproduce -o out --train 40 --test 20 --kernels standard --repeats 2 --jobs 1 --no-progress": "out",
}
#: Names that may stay for a later run with --resume.
RESUMABLE = {"out.npy.unfinished", "out.npy.journal", "out", "settings.json", "measurements.jsonl", *RESULTS}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 30 * 30 * 8)
    np.save("x.npy", X)
    np.save("y.npy", np.arange(60) % 2)
    return tmp_path


class Fault:
    """Makes a system call that changes a folder fail: Python reports them before they happen, and an exception stops them."""

    CALLS = ("os.mkdir", "os.rename", "os.link", "os.truncate")
    installed = False
    now = None

    def __init__(self, folder, number, at, for_good):
        self.folder, self.number, self.at, self.for_good = str(folder), number, at, for_good
        self.seen = 0

    @classmethod
    @contextmanager
    def inside(cls, *words):
        if not cls.installed:
            sys.addaudithook(lambda event, args: cls.now and cls.now.look(event, args))
            cls.installed = True
        cls.now = fault = cls(*words)
        try:
            yield fault
        finally:
            cls.now = None

    def look(self, event, args):
        if not self._changes(event, args):
            return
        self.seen += 1
        if self.seen == self.at or (self.for_good and self.seen > self.at):
            raise OSError(self.number, os.strerror(self.number), args[0])

    def _changes(self, event, args):
        if event == "open":
            path, mode, flags = args
            write = any(letter in mode for letter in "wax+") if mode else flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            return bool(write) and isinstance(path, str | os.PathLike) and self._is_inside(path)
        calls = self.CALLS + (("os.remove", "os.rmdir") if self.for_good else ())
        return event in calls and self._is_inside(args[0])

    def _is_inside(self, path):
        return isinstance(path, str | os.PathLike) and os.path.abspath(path).startswith(self.folder)  # noqa: PTH100


def said_once(err, name):
    """One line says what is wrong, and names what was asked for."""
    # joblib warns if it cannot make files in memory, which count as files.
    lines = [
        line
        for line in without_sizes(err).splitlines()
        if "kept in out" not in line and not line.startswith("wkendall: warning: ")
    ]
    assert len(lines) == 1, err
    assert lines[0].startswith(f"wkendall: {name}"), err
    return lines[0]


def check_result(words):
    """Every file is complete."""
    if "out.npy" in words:
        assert (np.load("out.npy") == wkendall.gram_matrix(X)).all()
    elif "gram" in words:
        assert Path(COMMANDS[words]).stat().st_size > 1000
    elif "corr" in words:
        assert (np.loadtxt("out.csv", delimiter=",") == wkendall.corr(X)).all()
    else:
        assert len(list(Path("out").iterdir())) >= 3


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO], ids=["full", "read-only", "broken"])
@pytest.mark.parametrize("words", COMMANDS)
def test_every_change_of_the_folder_fails_once(words, number, folder, capsys):
    """Make the first system call fail, then the second, and so on, until the command succeeds."""
    if number != errno.ENOSPC and ("reproduce" in words or "learn" in words) and not LONG:
        pytest.skip("takes long: see make faults")
    name = COMMANDS[words]
    before = set(Path().rglob("*"))
    for at in range(1, 100):
        if "reproduce" in words and not LONG and at not in (1, 2, 3, 4, 6, 9, 100):
            continue
        with Fault.inside(folder, number, at, number == errno.EROFS) as fault:
            code = main(shlex.split(words))
        err = capsys.readouterr().err
        if fault.seen < at:
            assert code == 0
            check_result(words)
            assert at > 2
            return
        left = {path.name for path in set(Path().rglob("*")) - before}
        if number == errno.EROFS:  # nothing can be removed from such a disk, and only that may have failed
            if code == 0 or (name in left and name != "out"):
                check_result(words)
        else:
            assert left <= (RESUMABLE if "resume" in words or "reproduce" in words else set()), (at, left)
            assert name not in left or "reproduce" in words
            assert code == 1
        if code:
            assert os.strerror(number) in said_once(err, name)
        if code and ("reproduce" in words or "resume" in words):
            assert main([*shlex.split(words), "--resume"]) == 0, capsys.readouterr().err
            check_result(words)
            capsys.readouterr()
        for path in sorted(set(Path().rglob("*")) - before, reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    assert "reproduce" in words


@pytest.mark.parametrize("call", ["posix_fallocate", "fsync", "link", "truncate"])
@pytest.mark.parametrize("words", [words for words in COMMANDS if words.startswith("gram")])
def test_calls_of_the_system_fail(words, call, monkeypatch, capsys):
    """Each call in turn; the next run with the same words succeeds."""
    if not hasattr(os, call):
        pytest.skip("this system has no such call")
    before = set(Path().rglob("*"))
    real = getattr(os, call)
    for at in range(1, 40):
        seen = []

        def fail(*args, at=at, seen=seen):
            seen.append(args)
            if len(seen) == at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*args)

        with monkeypatch.context() as patch:
            patch.setattr(os, call, fail)
            code = main(shlex.split(words))
        err = capsys.readouterr().err
        if len(seen) < at:
            assert code == 0
            return
        if code == 0:
            assert call == "fsync"
        else:
            assert "No space left on device" in said_once(err, COMMANDS[words])
            left = {path.name for path in set(Path().rglob("*")) - before}
            # The last call syncs the folder when the file has its name already.
            assert left <= RESUMABLE | {COMMANDS[words]}
            if COMMANDS[words] in left:
                check_result(words)
            assert "resume" in words or set(Path().rglob("*")) == before
            assert main(shlex.split(words)) == 0
            capsys.readouterr()
        check_result(words)
        Path(COMMANDS[words]).unlink()
    raise AssertionError("it never succeeds")


LIMITS = [0, 100, 1000, 5000, 20_000]


@pytest.mark.parametrize("limit", LIMITS if LONG else [0, 5000])
@pytest.mark.parametrize("words", COMMANDS)
def test_files_that_may_not_grow(words, limit):
    """A limit to the size of files stands for a disk that fills up while a file is written."""
    resource = pytest.importorskip("resource")
    before = set(Path().rglob("*"))

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    # Fonts of pictures are looked for in the cache of the user, which is not the disk in question.
    import matplotlib.font_manager  # noqa: F401

    done = subprocess.run(
        [sys.executable, "-m", "wkendall", *shlex.split(words)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=limited,
    )
    if done.returncode == 0:
        check_result(words)
        return
    assert done.returncode == 1
    assert "File too large" in said_once(done.stderr, COMMANDS[words])
    left = {path.name for path in set(Path().rglob("*")) - before}
    assert left <= RESUMABLE if "reproduce" in words or "resume" in words else not left, left
    if "reproduce" in words or "resume" in words:
        assert main([*shlex.split(words), "--resume"]) == 0
        check_result(words)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a folder that may not be written to")
@pytest.mark.parametrize("words", COMMANDS)
def test_a_folder_that_is_closed_to_us(words, capsys):
    Path("closed").mkdir(mode=0o500)
    assert main(shlex.split(words.replace("-o ", "-o closed/"))) == 1
    assert "Permission denied" in said_once(capsys.readouterr().err, "closed/")
    assert list(Path("closed").iterdir()) == []
