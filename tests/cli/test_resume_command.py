"""The command `wkendall gram --resume`: what it continues, what it refuses, and its messages."""

import shlex
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import without_sizes
from stopped_runs import StopError, X, files, interrupted, small_blocks, stop_after
from wkendall.cli import main
from wkendall.gram_file import matrix_file
from wkendall.gram_file.journal import Journal


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words, code=0):
    assert main(shlex.split(words)) == code


def test_the_command(monkeypatch, capsys):
    np.save("x.npy", X)
    np.save("other.npy", X[::-1])
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
            said = "the finished part is kept in gram.npy.unfinished: --resume continues from there\nwkendall: interrupted\n"
            assert without_sizes(capsys.readouterr().err) == said
        run(f"gram x.npy -o gram.npy {words}", 1)
        said = "wkendall: gram.npy.unfinished is from an earlier run: --resume continues it, --force starts again\n"
        assert without_sizes(capsys.readouterr().err) == said
        run(f"gram x.npy -o gram.npy --resume {words}")
        assert "60 x 60 float64 in " in (out := capsys.readouterr().out)
        assert out.endswith(" s, with 4 blocks of an earlier run\n")
        assert Path("gram.npy").read_bytes() == Path("whole.npy").read_bytes()
        before = Path("gram.npy").stat()
        run(f"gram x.npy -o gram.npy --resume {words}")
        assert capsys.readouterr().out.startswith("gram.npy was complete already: 60 x 60 float64 in ")
        assert Path("gram.npy").stat().st_mtime_ns == before.st_mtime_ns
        run(f"gram x.npy -o gram.npy {words}", 1)
        assert without_sizes(capsys.readouterr().err) == "wkendall: gram.npy already exists: --force overwrites it\n"
        run(f"gram other.npy -o gram.npy --resume {words.replace('x.npy', 'other.npy')}", 1)
        assert without_sizes(capsys.readouterr().err) == (
            "wkendall: gram.npy already exists, and is not the matrix of these rankings and options: --force overwrites it\n"
        )
        run(f"gram x.npy -o gram.npy --resume --force {words}")
        assert Path("gram.npy").read_bytes() == Path("whole.npy").read_bytes()
        assert files() == ["gram.npy", "other.npy", "whole.npy", "x.npy"]
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
    message = "was started with signed = False, not True: pass the same value; --force starts again\n"
    assert capsys.readouterr().err.endswith(message)
    run("gram x.npy -o gram.npy --force --signed")
    assert files() == ["gram.npy", "x.npy"]
    assert (np.load("gram.npy") == wkendall.gram_matrix(X, signed=True)).all()


def test_resume_with_force_starts_again_if_it_is_other_work(monkeypatch, capsys):
    np.save("x.npy", X)
    np.save("other.npy", X[::-1])
    for words, params, rankings in (("x.npy", {"signed": True}, X), ("other.npy", {}, X[::-1])):
        interrupted(monkeypatch, 4)
        words = f"gram {words} -o gram.npy --resume {'--signed' if params else ''}"
        run(words, 1)
        same = "value" if params else "rankings"
        assert capsys.readouterr().err.endswith(f": pass the same {same}; --force starts again\n")
        run(f"{words} --force")
        assert "earlier run" not in capsys.readouterr().out
        assert (np.load("gram.npy") == wkendall.gram_matrix(rankings, **params)).all()
        Path("gram.npy").unlink()
    # The same work continues, and lost files are computed again.
    interrupted(monkeypatch, 4)
    run("gram x.npy -o gram.npy --resume --force")
    assert "with 4 blocks of an earlier run" in capsys.readouterr().out
    Path("gram.npy").unlink()
    interrupted(monkeypatch, 4)
    Path("gram.npy.unfinished").unlink()
    run("gram x.npy -o gram.npy --resume", 1)
    assert capsys.readouterr().err.endswith("gram.npy.journal exists: --force starts again\n")
    run("gram x.npy -o gram.npy --resume --force")
    assert (np.load("gram.npy") == wkendall.gram_matrix(X)).all()
    assert files() == ["gram.npy", "other.npy", "x.npy"]


def test_resume_is_for_arrays(capsys):
    np.save("x.npy", X)
    for name in ("gram.csv", "gram.npz"):
        run(f"gram x.npy -o {name} --resume", 2)
        assert "--resume goes with an .npy file" in capsys.readouterr().err
    run("gram none.npy -o gram.npy --resume", 1)
    assert without_sizes(capsys.readouterr().err) == "wkendall: none.npy: No such file or directory\n"
    assert files() == ["x.npy"]


@pytest.mark.parametrize("place", ["_name", "claim", "_clean", "unlink"])
def test_stopped_when_all_blocks_are_done(place, monkeypatch, capsys):
    """What is said about a file that is complete, before and after it has its name."""
    np.save("x.npy", X)
    with monkeypatch.context() as patch:
        small_blocks(patch, 15)

        def stop(*_, **__):
            raise StopError

        where = {"claim": matrix_file, "unlink": Journal}.get(place, matrix_file._File)
        patch.setattr(where, "remove" if place == "unlink" else place, stop)
        with pytest.raises(StopError):
            wkendall.gram_to_file("gram.npy", X)
    named = place in ("_clean", "unlink")
    assert Path("gram.npy").exists() == named
    said = (
        "gram.npy is complete, but its run was stopped" if named else "gram.npy.unfinished is the unfinished file of an"
    )
    with pytest.raises(FileExistsError, match=f"{said}.* resume=True "):
        wkendall.gram_to_file("gram.npy", X)
    with pytest.raises(
        ValueError, match=f"gram.npy{'' if named else '.unfinished'} was started with signed = False, not True"
    ):
        wkendall.gram_to_file("gram.npy", X, kernel=wkendall.Kendall(signed=True), resume=True)
    run("gram x.npy -o gram.npy", 1)
    said = (
        "is complete, but its run was stopped before it was recorded: --resume finishes it"
        if named
        else "--resume continues it"
    )
    assert capsys.readouterr().err.endswith(f"{said}, --force starts again\n")
    run("gram x.npy -o gram.npy --resume")
    assert capsys.readouterr().out.endswith("with 10 blocks of an earlier run\n")
    assert files() == ["gram.npy", "x.npy"]
    assert (np.load("gram.npy") == wkendall.gram_matrix(X)).all()
