"""`gram_to_file` with files that are there: finished ones, and those of somebody else."""

from pathlib import Path

import numpy as np
import pytest
import wkendall
from nouns import gram_to_file
from stopped_runs import MULT, StopError, X, files, interrupted, small_blocks
from wkendall.gram_file import matrix_file


def command(*words):
    """Run the command line."""
    from wkendall.cli import main

    return main(list(words))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small_blocks(monkeypatch, 15)
    return tmp_path


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


def test_a_beginning_that_was_torn_off(monkeypatch):
    """A power cut may leave a part of the first line; too short a part could be of anybody."""
    interrupted(monkeypatch, 3)
    whole = Path("gram.npy.journal").read_bytes()
    for cut in (0, 18, 40):
        Path("gram.npy.journal").write_bytes(whole[:cut])
        assert (wkendall.gram_to_file("gram.npy", X, resume=True) == wkendall.gram_matrix(X)).all()
        Path("gram.npy").unlink()
    Path("gram.npy.journal").write_bytes(whole[:17])
    with pytest.raises(ValueError, match="is not a journal of an earlier run"):
        wkendall.gram_to_file("gram.npy", X, resume=True)


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
