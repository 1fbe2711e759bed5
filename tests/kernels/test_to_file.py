"""Gram matrices in files: bitwise identical to gram_matrix, for any blocks, however often the run was killed."""

import errno
import io
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from nouns import gram_to_file, kernel_of
from stopped_runs import MULT, StopError, X, files, small_blocks
from wkendall import Kendall, KendallDistance, Rankings, _disk
from wkendall._run import Run
from wkendall.gram_file import blocks, matrix_file, to_file


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small_blocks(monkeypatch, 15)
    return tmp_path


def check(X, Y=None, **params):
    """Compare the file, all of it, with what NumPy makes of the matrix in memory."""
    wanted = io.BytesIO()
    np.save(wanted, wkendall.gram_matrix(X, Y, **params))
    found = gram_to_file("gram.npy", X, Y, **params)
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
@pytest.mark.parametrize("n", [1, 5, 120, 700])
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
    check(X.tolist(), u=np.arange(40).tolist(), weight="add")
    kernel, x = kernel_of(MULT), Rankings(X)
    for backend in ("portable", "product", "pairs-portable", "partition"):
        for dtype in (np.float64, np.float32):
            work = to_file.prepare(kernel, x, None, Run(dtype, backend=backend))
            matrix_file.write(Path("gram.npy"), work, resume=False, progress=False)
            wanted = wkendall.gram_matrix(x, kernel=kernel, backend=backend, dtype=dtype)
            assert (np.load("gram.npy") == wanted).all()
            Path("gram.npy").unlink()
    for empty in (np.empty((0, 4)), np.empty((0, 0))):
        check(empty)
        check(empty, np.zeros((3, empty.shape[1])) + np.arange(empty.shape[1]))


@pytest.mark.parametrize(("rows", "columns"), [(300, None), (300, 7), (7, 300), (300, 299), (1, 1)])
def test_blocks_cover_a_matrix_once(rows, columns, monkeypatch):
    small_blocks(monkeypatch, 17)
    X = Rankings(random_rankings(np.random.default_rng(0), rows, 5))
    Y = None if columns is None else Rankings(random_rankings(np.random.default_rng(1), columns, 5))
    work = to_file.prepare(KendallDistance(), X, Y, Run(n_jobs=1))
    covered = np.zeros(work.shape, int)
    for block in work.blocks(work.block_sides()):
        assert 0 < block.shape[0] * block.shape[1] <= 17 * 17
        covered[block.rows, block.columns] += 1
        if Y is None and block.rows != block.columns:
            covered[block.columns, block.rows] += 1
    assert (covered == 1).all()


def test_little_memory_and_long_work_make_small_blocks(monkeypatch):
    X = Rankings(random_rankings(np.random.default_rng(0), 3, 5))
    work = to_file.prepare(KendallDistance(), X, None, Run("f4", n_jobs=1))
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 2**26)
    assert work.block_sides() == (4096, 4096)
    monkeypatch.setattr(blocks, "available_bytes", lambda: 8 * 2**20)
    assert work.block_sides() == (512, 512)
    monkeypatch.setattr(blocks, "available_bytes", lambda: 0)
    assert work.block_sides() == (128, 128)
    monkeypatch.setattr(blocks, "available_bytes", lambda: None)
    monkeypatch.setattr(blocks, "BLOCK_WORK", 50_000)
    assert work.block_sides() == (70, 70)


BAD = [
    ({"path": 3}, TypeError, "path must be the name of a file, not 3"),
    ({"path": "none/gram.npy"}, FileNotFoundError, "none/gram.npy cannot be written: there is no folder none"),
    ({"path": "."}, IsADirectoryError, "is a folder, but must be the name of a file"),
    ({"resume": 1}, TypeError, "resume must be True or False, not 1"),
    ({"progress": None}, TypeError, "progress must be True or False, not None"),
    (
        {"kernel": Kendall("mult", u=[1e30] * 8), "dtype": np.float32},
        ValueError,
        "too large for single precision",
    ),
    ({"kernel": Kendall(order=3), "X": Rankings([[1, 1, 2]], ties="mean")}, ValueError, "orders 1 and 2 only"),
]


@pytest.mark.parametrize(("params", "error", "message"), BAD, ids=[str(number) for number in range(len(BAD))])
def test_bad_arguments_make_no_file(params, error, message):
    with pytest.raises(error, match=message):
        wkendall.gram_to_file(**{"path": "gram.npy", "X": X, **params})
    assert files() == []


def test_a_disk_that_is_too_small(monkeypatch):
    monkeypatch.setattr(_disk.shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    with pytest.raises(OSError, match=r"No space left on device: 28\.2 KiB are needed and 1000\.0 B are") as caught:
        wkendall.gram_to_file("gram.npy", X)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "gram.npy")
    assert files() == []


# Files that are there: finished ones, and those of somebody else.


def command(*words):
    """Run the command line."""
    from wkendall.cli import main

    return main(list(words))


SAME = [{}, MULT, {"Y": X[:7]}, {"dtype": np.float32, **MULT}, {"normalize": True, **MULT}, {"X": X[:0]}, {"X": X[:1]}]


@pytest.mark.parametrize("params", SAME, ids=range(len(SAME)))
def test_a_finished_file_is_done(params):
    """With the same rankings and options there is nothing to do, also if the file was written by other means."""
    wanted = gram_to_file("gram.npy", **{"X": X, **params})
    before = Path("gram.npy").stat()
    found = gram_to_file("gram.npy", resume=True, **{"X": X, **params})
    assert (found == wanted).all()
    assert (Path("gram.npy").stat().st_ino, Path("gram.npy").stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert files() == ["gram.npy"]
    np.save("gram.npy", wkendall.gram_matrix(**{"X": X, **params}))
    assert (gram_to_file("gram.npy", resume=True, **{"X": X, **params}) == wanted).all()


#: Of the last, the first 15 rankings are the same, so that the first block is.
OTHERS = [
    {"X": X[::-1]},
    {"X": X[:50]},
    {"Y": X[:50]},
    {"signed": True},
    {"dtype": np.float32},
    {"weight": "top", "k": 3},
    {"X": np.vstack([X[:-1], X[-2:-1]])},
]


@pytest.mark.parametrize("other", OTHERS, ids=range(len(OTHERS)))
def test_another_matrix_is_refused(other):
    wkendall.gram_to_file("gram.npy", X)
    before = Path("gram.npy").read_bytes()
    message = (
        r"^gram.npy already exists, and is not (an .npy file of|the matrix of these).*: remove it, or use another name$"
    )
    with pytest.raises(FileExistsError, match=message):
        gram_to_file("gram.npy", resume=True, **{"X": X, **other})
    assert Path("gram.npy").read_bytes() == before
    assert files() == ["gram.npy"]


def test_every_bit_counts():
    gram_to_file("gram.npy", X, **MULT)
    whole = Path("gram.npy").read_bytes()
    for place in (3, 130, len(whole) // 2, len(whole) - 1, len(whole)):
        damaged = bytearray(whole + b"x")
        damaged[place] ^= 1
        Path("gram.npy").write_bytes(bytes(damaged) if place == len(whole) else bytes(damaged[:-1]))
        with pytest.raises(FileExistsError, match="already exists, and is not"):
            gram_to_file("gram.npy", X, resume=True, **MULT)


def test_a_comparison_that_is_interrupted(monkeypatch):
    wkendall.gram_to_file("gram.npy", X)
    with monkeypatch.context() as patch:

        def stop(*_):
            raise StopError

        patch.setattr(matrix_file.Work, "fill", stop)
        patch.setattr(matrix_file.Work, "check", lambda _: None)
        with pytest.raises(StopError):
            wkendall.gram_to_file("gram.npy", X, resume=True)
    assert files() == ["gram.npy"]
    assert (wkendall.gram_to_file("gram.npy", X, resume=True) == wkendall.gram_matrix(X)).all()


FOREIGN = [
    b"my diary",
    b"abc",
    b"0123456789abcdef",
    b"0123456789abcdef  x.npy\n",
    b"{}\n",
    b"\n",
    b"\0" * 40,
    b"0123456789abcde",
]


@pytest.mark.parametrize("content", FOREIGN)
@pytest.mark.parametrize("resume", [True, False])
def test_a_journal_of_somebody_else(content, resume):
    Path("gram.npy.journal").write_bytes(content)
    Path("gram.npy.unfinished").write_bytes(b"precious")
    np.save("x.npy", X)
    message = r"gram.npy.journal is not a journal of an earlier run: move or rename it$"
    with pytest.raises(ValueError, match=message):
        wkendall.gram_to_file("gram.npy", X, resume=resume)
    for words in (["--resume"], ["--force"], ["--resume", "--force"], []):
        assert command("gram", "x.npy", "-o", "gram.npy", *words) == 1
    assert Path("gram.npy.journal").read_bytes() == content
    assert Path("gram.npy.unfinished").read_bytes() == b"precious"
    assert files() == ["gram.npy.journal", "gram.npy.unfinished", "x.npy"]


def test_an_unfinished_file_of_somebody_else_beside_an_empty_journal():
    """A run that is killed as it begins leaves an empty journal, but no unfinished file."""
    np.save("x.npy", X)
    for words in (["--force"], ["--resume", "--force"]):
        Path("gram.npy.journal").write_bytes(b"")
        Path("gram.npy.unfinished").write_bytes(b"precious")
        command("gram", "x.npy", "-o", "gram.npy", *words)
        assert Path("gram.npy.unfinished").read_bytes() == b"precious"


@pytest.mark.parametrize("resume", [True, False])
def test_links_that_lead_to_each_other(resume, capsys):
    Path("gram.npy").symlink_to("other.npy")
    Path("other.npy").symlink_to("gram.npy")
    with pytest.raises(OSError, match=r"symbolic links: 'gram\.npy'$"):
        wkendall.gram_to_file("gram.npy", X, resume=resume)
    np.save("x.npy", X)
    for words in (["--resume"], [], ["--force"]):
        assert command("gram", "x.npy", "-o", "gram.npy", *words) == 1
        assert "gram.npy: Too many levels of symbolic links" in capsys.readouterr().err
    assert files() == ["gram.npy", "other.npy", "x.npy"]
