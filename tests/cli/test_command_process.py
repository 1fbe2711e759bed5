"""The command line as a program: help, examples, signals, pipes and full disks."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import ITEMS, TOI, M, X, fails, folder, run, started, without_sizes, write_table  # noqa: F401
from definitions import random_rankings
from paths import ENVIRONMENT, ROOT
from wkendall import _core, cli
from wkendall.cli import cluster, compare, corr, gram, info, learn, main, predict


def test_version_and_help(capsys):
    run("--version")
    assert capsys.readouterr().out == f"wkendall {_core.__version__}\n"
    run("--help")
    shown = capsys.readouterr().out
    commands = [command.__name__.rpartition(".")[2] for command in cli.COMMANDS]
    for wanted in (*commands, "exit codes:", "  130  interrupted by Ctrl-C"):
        assert wanted in shown
    for command in commands:
        run(f"{command} --help")
        assert "examples:" in capsys.readouterr().out


@pytest.mark.parametrize("command", [gram, corr, compare, cluster, learn, predict, info])
def test_examples_of_the_help(command):
    """Every example in a help text runs."""
    write_table(Path("people.csv"), X[[0] * 15 + [1] * 15], ITEMS, age=["young"] * 15 + ["old"] * 15)
    twice = {"when": ["before", "after"] * M, "person": np.repeat(np.arange(M), 2), "weight": np.arange(1, 2 * M + 1)}
    write_table(Path("paired.csv"), np.concatenate([X, X]), ITEMS, **twice)
    write_table(Path("table.csv"), X, ITEMS)
    write_table(Path("traits.csv"), X[:, :2], ITEMS[:2])
    for name in ("north", "south", "west"):
        write_table(Path(f"{name}.csv"), X, ITEMS)
        Path(f"{name}.toi").write_text(TOI)
    examples = [line.strip() for line in command._EPILOG.splitlines() if line.startswith("  wkendall ")]
    assert examples
    for example in examples:
        run(example.removeprefix("wkendall "))


def compared(shown, wanted):
    """Check that two texts say the same; times may differ, and scores by a ranking or two."""
    assert re.sub(r"[0-9]+", "0", shown).split() == re.sub(r"[0-9]+", "0", wanted).split()
    for line, other in zip(shown.splitlines(), wanted.splitlines(), strict=True):
        found, expected = (re.findall(r"[0-9]+\.[0-9]+", text.split(" in ")[0]) for text in (line, other))
        np.testing.assert_allclose(np.array(found, float), np.array(expected, float), atol=0.02)


@pytest.mark.parametrize("page", ["docs/command_line.md", "README.md"])
def test_examples_of_pages(page, capsys):
    """Every command of a page runs, and prints what the text block after it says."""
    blocks = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "docs/command_line.md").read_text(), flags=re.DOTALL)
    making = next(code for language, code in blocks if language == "python")
    if page == "README.md":
        blocks = re.findall(r"```(\w+)\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
        blocks = [("python", making), *(block for block in blocks if block[0] == "sh")]
    session, ran = {}, 0
    for (language, code), following in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if language == "python":
            exec(compile(code, page, "exec"), session)
        elif language == "sh":
            commands = [line for line in code.splitlines() if line.startswith("wkendall ")]
            ran += len(commands)
            for command in commands:
                assert main(shlex.split(command, comments=True)[1:]) == 0
        shown = capsys.readouterr()
        assert without_sizes(shown.err) == ""
        if following[0] == "text" and language in ("python", "sh"):
            compared(shown.out, following[1])
    assert ran >= 3


def test_info(capsys):
    run("info")
    shown = capsys.readouterr().out
    for wanted in (
        _core.__version__,
        np.__version__,
        "scikit-learn",
        "threads by default",
        _core.instruction_sets()[-1],
    ):
        assert wanted in shown
    run("info --json")
    found = json.loads(capsys.readouterr().out)
    assert found["wkendall"] == wkendall.__version__
    assert found["libraries"]["numpy"] == np.__version__
    assert found["threads"] == _core.default_threads()
    assert found["instruction_sets"] == list(_core.instruction_sets())
    measure = _core.Measure("kendall", 20, {})
    assert found["picked"]["standard"]["20"] == _core.planned(measure, 1000, 1000)


def test_info_without_a_library(capsys, monkeypatch):
    monkeypatch.setattr("wkendall._config._LIBRARIES", ("numpy", "no-such-library"))
    run("info")
    assert "no-such-library" in capsys.readouterr().out.split("not installed")[0].splitlines()[-1]
    run("info --json")
    assert json.loads(capsys.readouterr().out)["libraries"]["no-such-library"] is None


def test_light_start():
    """--help and matrices do not load scikit-learn."""
    script = (
        "import sys; from wkendall.cli import main; main(sys.argv[1:]); print(sorted(sys.modules), file=sys.stderr)"
    )
    for words in (["--help"], ["info"], ["gram", "x.csv", "-o", "out.npy"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True, env=ENVIRONMENT
        )
        loaded = {name.split(".")[0] for name in done.stderr.strip("[]\n").replace("'", "").split(", ")}
        assert "wkendall" in loaded
        assert not {"sklearn", "scipy", "matplotlib", "tqdm"} & loaded


def test_as_a_process():
    with started("gram x.csv -o out.npy") as process:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, without_sizes(err)) == (0, "")
    assert out.startswith("wrote out.npy: 7 x 7 float64 in ")
    assert (np.load("out.npy") == wkendall.gram_matrix(X)).all()
    with started("gram none.csv -o out2.npy") as process:
        assert process.communicate(timeout=60) == ("", "wkendall: none.csv: No such file or directory\n")
        assert process.returncode == 1
    with started("gram x.csv") as process:
        missing = "the following arguments are required: -o/--out/--output"
        assert process.communicate(timeout=60)[1] == f"wkendall: {missing} (wkendall gram --help shows more)\n"
        assert process.returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="pipes are closed as on Unix")
@pytest.mark.parametrize("words", ["gram many.npy -o -", "info"])
def test_a_closed_pipe(words):
    np.save("many.npy", random_rankings(np.random.default_rng(0), 300, 5))
    reader, writer = os.pipe()
    os.close(reader)
    with started(words, stdout=writer) as process:
        os.close(writer)
        assert without_sizes(process.communicate(timeout=60)[1]) == ""
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", ["gram many.npy -o -", "info"])
def test_a_full_disk(words):
    np.save("many.npy", random_rankings(np.random.default_rng(0), 300, 5))
    with Path("/dev/full").open("w") as full, started(words, stdout=full) as process:
        said = without_sizes(process.communicate(timeout=60)[1])
        assert said == "wkendall: standard output: No space left on device\n"
    assert process.returncode == 1


@pytest.mark.skipif(os.name == "nt", reason="output is closed as on Unix")
def test_no_standard_output():
    script = f"{shlex.quote(sys.executable)} -m wkendall gram x.csv -o - >&-"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (1, "wkendall: standard output is closed\n")
    script = f"{shlex.quote(sys.executable)} -m wkendall gram x.csv -o out.npy >&- 2>&-"
    assert subprocess.run(["sh", "-c", script], timeout=60, env=ENVIRONMENT).returncode == 0
    assert np.load("out.npy").shape == (M, M)


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs a device")
def test_devices_are_not_replaced(capsys):
    Path("null.npy").symlink_to("/dev/null")
    fails(capsys, "gram x.csv -o null.npy --force", "null.npy is not a regular file: it cannot be replaced")


def test_signals_are_as_before():
    before = signal.getsignal(signal.SIGTERM)
    run("info")
    assert signal.getsignal(signal.SIGTERM) is before


def test_in_another_thread():
    from threading import Thread

    codes = []
    thread = Thread(target=lambda: codes.append(main(["gram", "x.csv", "-o", "out.npy"])))
    thread.start()
    thread.join()
    assert codes == [0]
