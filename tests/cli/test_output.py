"""Final names are claimed once: a file that appears during a run is not touched, and finished work is not lost."""

import errno
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import without_sizes
from definitions import random_rankings
from paths import ENVIRONMENT
from processes import Child
from wkendall import _disk
from wkendall._disk import write_whole
from wkendall.cli import gram, learn, main
from wkendall.cli.messages import CommandError
from wkendall.cli.output import new_file, new_files
from wkendall.experiments import report

X = random_rankings(np.random.default_rng(0), 30, 5)
LEARN = "learn x.npy --labels y.npy -o out --C 1 --folds 2 --no-baseline"
REPRODUCE = "reproduce --train 40 --test 20 --kernels standard --repeats 1 --jobs 1 --no-progress -o out"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    np.save("y.npy", np.arange(30) % 2)
    return tmp_path


def without_links(monkeypatch, number=errno.EPERM):
    """Simulate a disk on which a file cannot have two names."""

    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.parametrize("links", [True, False])
def test_a_name_is_given_once(links, monkeypatch):
    if not links:
        without_links(monkeypatch)
    for text in ("one", "two"):
        Path(text).write_text(text)
    _disk.claim(Path("one"), Path("name"))
    assert not Path("one").exists()
    with pytest.raises(FileExistsError):
        _disk.claim(Path("two"), Path("name"))
    assert (Path("name").read_text(), Path("two").read_text()) == ("one", "two")


def test_a_name_without_links_is_not_left_empty(monkeypatch):
    without_links(monkeypatch, errno.EOPNOTSUPP)
    Path("one").write_text("one")

    def fail(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="Input/output"):
        _disk.claim(Path("one"), Path("name"))
    assert not Path("name").exists()
    assert Path("one").read_text() == "one"


def test_other_errors_of_links_come_through(monkeypatch):
    without_links(monkeypatch, errno.ENOSPC)
    Path("one").write_text("one")
    with pytest.raises(OSError, match="No space left"):
        _disk.claim(Path("one"), Path("name"))
    assert Path("one").exists()


def kept_file(said, name):
    """The name in a message; the file must exist."""
    prefix = f"wkendall: {name} was created by another program during the run and is not changed: the result is "
    assert said.startswith(prefix), said
    return Path(said.removeprefix(prefix).strip())


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("name", ["out.npy", "out.npz", "out.csv"])
def test_a_file_that_appears_during_the_run(name, links, monkeypatch, capsys):
    compute = gram.similarity_matrix

    def slow(*words, **how):
        Path(name).write_text("precious")
        return compute(*words, **how)

    if not links:
        without_links(monkeypatch)
    monkeypatch.setattr(gram, "similarity_matrix", slow)
    before = set(Path().iterdir())
    assert main(["gram", "x.npy", "-o", name]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert without_sizes(err).count("\n") == 1
    kept = kept_file(without_sizes(err), name)
    assert Path(name).read_text() == "precious"
    assert set(Path().iterdir()) == before | {Path(name), kept}
    assert kept.suffix == Path(name).suffix
    if name == "out.npy":
        assert (np.load(kept) == wkendall.gram_matrix(X)).all()
    # --force removes the other file.
    assert main(["gram", "x.npy", "-o", name, "--force"]) == 0
    assert b"precious" not in Path(name).read_bytes()


def test_a_name_in_another_folder():
    Path("sub").mkdir()

    def write():
        with new_file(Path("sub/a.txt"), False) as file:
            Path("sub/a.txt").write_text("precious")
            file.write_text("mine")

    with pytest.raises(CommandError, match=r"the result is sub/a-[0-9a-f]{6}\.txt$"):
        write()
    assert sorted(path.read_text() for path in Path("sub").iterdir()) == ["mine", "precious"]


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("name", learn.FILES)
def test_a_file_that_appears_in_the_folder(name, there, monkeypatch, capsys):
    write = learn._write

    def slow(folder, *words):
        write(folder, *words)
        Path("out").mkdir(exist_ok=True)
        Path("out", name).write_text("precious")
        # It appears all the same if this run has no such file.
        if name == "weights.png":
            (folder / name).unlink(missing_ok=True)

    if there:
        Path("out").mkdir()
    monkeypatch.setattr(learn, "_write", slow)
    assert main(shlex.split(LEARN)) == 1
    err = capsys.readouterr().err
    kept = kept_file(without_sizes(err), "out")
    assert [path.name for path in Path("out").iterdir()] == [name]
    assert Path("out", name).read_text() == "precious"
    assert {"scores.json", "weights.npz"} <= {path.name for path in kept.iterdir()}
    assert set(Path().iterdir()) == {Path("x.npy"), Path("y.npy"), Path("out"), kept}


def write_both(appears):
    with new_files(Path("out"), ["a", "b"], False) as folder:
        for name in "ab":
            (folder / name).write_text("mine")
        if appears:
            Path("out").write_text("precious")


def test_a_file_where_the_folder_should_be():
    with pytest.raises(CommandError, match=r"the result is out-[0-9a-f]{6}$"):
        write_both(appears=True)
    assert Path("out").read_text() == "precious"
    assert [path.read_text() for path in Path().glob("out-*/[ab]")] == ["mine", "mine"]


def test_all_files_get_their_names_or_none(monkeypatch):
    """An interruption between two names takes the first one back."""
    claim = _disk.claim

    def stop(unfinished, target):
        if target.name == "b":
            raise KeyboardInterrupt
        claim(unfinished, target)

    monkeypatch.setattr("wkendall.cli.output.claim", stop)
    with pytest.raises(KeyboardInterrupt):
        write_both(appears=False)
    assert not Path("out").exists()
    assert not list(Path().glob(".wkendall-*"))


def test_results_of_an_experiment(monkeypatch, capsys):
    draw = report.draw

    def slow(measurements):
        Path("out/report.html").write_text("precious")
        return draw(measurements)

    with monkeypatch.context() as patch:
        patch.setattr(report, "draw", slow)
        assert main(shlex.split(REPRODUCE)) == 1
    err = without_sizes(capsys.readouterr().err).splitlines()
    assert err == [
        "1 measurements are kept in out: --resume continues from there",
        "wkendall: out/report.html was created by another program in the meantime and is not changed",
    ]
    assert Path("out/report.html").read_text() == "precious"
    Path("out/report.html").unlink()
    assert main(shlex.split(f"{REPRODUCE} --resume")) == 0
    assert main(shlex.split(f"{REPRODUCE} --resume")) == 0  # own results are replaced


def test_pictures_of_others_are_not_overwritten(capsys):
    Path("out").mkdir()
    Path("out/accuracies.png").write_text("precious")
    assert main(shlex.split(REPRODUCE)) == 1
    assert "accuracies.png already exists, but is not from a run" in capsys.readouterr().err
    assert [path.name for path in Path("out").iterdir()] == ["accuracies.png"]


def test_every_result_of_an_experiment_is_known():
    """What a run writes is on the list of names that it looks for first."""
    from wkendall.experiments.store import RESULTS

    words = REPRODUCE.replace("--kernels standard", "--kernels standard,average,suquan-svd,alternating")
    assert main(shlex.split(words.replace("--repeats 1", "--repeats 2"))) == 0
    assert {path.name for path in Path("out").iterdir()} == {*RESULTS, "settings.json", "measurements.jsonl"}


def test_a_text_that_may_not_replace():
    write_whole(Path("a"), "one", replace=False)
    with pytest.raises(FileExistsError, match="a was created by another program in the meantime and is not changed"):
        write_whole(Path("a"), "two", replace=False)
    assert Path("a").read_text() == "one"
    assert not list(Path().glob(".*"))
    write_whole(Path("a"), "two")
    assert Path("a").read_text() == "two"


@pytest.mark.parametrize("ending", ["", "--force", "--force --resume", "--resume"])
def test_an_output_that_is_an_input_is_refused(ending, capsys):
    np.save("U.npy", np.eye(5))
    Path("link.npy").symlink_to("x.npy")
    Path("out").mkdir()
    Path("out/weights.npz").write_bytes(b"")
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    for words, output, found in (
        ("gram x.npy -o x.npy", "x.npy", "x.npy"),
        ("gram x.npy -o ./link.npy", "link.npy", "x.npy"),
        ("gram y.npy --against x.npy -o x.npy", "x.npy", "x.npy"),
        ("gram x.npy -o U.npy --U U.npy", "U.npy", "U.npy"),
        ("learn out/weights.npz --label y -o out", "out/weights.npz", "out/weights.npz"),
    ):
        if "learn" in words and "resume" in ending:
            continue
        assert main(shlex.split(f"{words} {ending}")) == 2
        said = f"wkendall: the output {output} is the input {found}, which would be overwritten: give it another name ("
        assert without_sizes(capsys.readouterr().err).startswith(said)
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == before


def test_a_matrix_is_not_written_over_the_rankings_that_it_is_made_from():
    mapped = np.load("x.npy", mmap_mode="r")
    for values in (mapped, mapped[:5], np.asarray(mapped)[::2]):
        for how in ({"X": values}, {"X": X, "Y": values}):
            with pytest.raises(ValueError, match=r"^x.npy is the file that [XY] is read from: use another name"):
                wkendall.gram_to_file("x.npy", resume=True, **how)
    assert (wkendall.gram_to_file("gram.npy", mapped) == wkendall.gram_matrix(X)).all()


RACES = [
    "gram large.npy -o out.npy",
    "gram large.npy -o out.npz",
    "gram large.npy -o out.npy --resume",
    "learn x.npy --labels y.npy -o out --C 1 --folds 5 --no-baseline",
    "reproduce --train 40 --test 20 --kernels standard --repeats 3 --jobs 1 --no-progress -o out",
]
#: Says that it is there, and starts when told: both runs begin at the same moment.
TOGETHER = "import sys; from wkendall.cli import main; print(flush=True); sys.stdin.readline(); sys.exit(main())"


@pytest.mark.parametrize("words", RACES)
def test_of_two_runs_one_succeeds(words):
    np.save("large.npy", random_rankings(np.random.default_rng(0), 1500, 60))
    together = [sys.executable, "-c", TOGETHER, *shlex.split(words)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with (
        Child(together, env=ENVIRONMENT, text=True, **pipes) as one,
        Child(together, env=ENVIRONMENT, text=True, **pipes) as two,
    ):
        runs = [one, two]
        for run in runs:
            assert run.stdout.readline() == "\n"
        for run in runs:
            run.stdin.write("\n")
            run.stdin.flush()
        said = [run.communicate(timeout=120)[1] for run in runs]
    codes = sorted(run.returncode for run in runs)
    if "npy --resume" in words and codes == [0, 0]:  # the second began after the first had ended, and found its file
        return
    assert codes == [0, 1], said
    lost = without_sizes(said[[run.returncode for run in runs].index(1)])
    assert lost.count("\n") == 1
    assert "Traceback" not in "".join(said)
    if "npy --resume" in words or "reproduce" in words:
        assert "another run is writing to" in lost or "already exists" in lost or "already has results" in lost
    elif "already exists" not in lost:  # it came so late that nothing was computed
        assert kept_file(lost, "out" + Path(words.split(" -o ")[1].split()[0]).suffix).exists()
    if words == RACES[0]:
        assert (np.load("out.npy") == wkendall.gram_matrix(np.load("large.npy"))).all()
