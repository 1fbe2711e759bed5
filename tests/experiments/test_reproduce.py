"""`wkendall reproduce`: a run gives the same however it came about, on one page."""

import errno
import importlib.util
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
import wkendall
from paths import ENVIRONMENT
from processes import Child, survivors
from survey_files import SMALL, made_up
from wkendall.cli import main
from wkendall.cli import reproduce as command
from wkendall.datasets import make_survey
from wkendall.experiments import Protocol, Store, write_results
from wkendall.experiments.store import settings_of

FEW = ["reproduce", "--train", "40", "--test", "20", "--kernels", "standard,average,suquan-svd"]
REPEATS = 6


def reproduce(folder, *more, repeats=REPEATS):
    return main([*FEW, "--out", str(folder), "--repeats", str(repeats), *more])


def results(folder):
    """The table, and what was measured, but for the time it took."""
    lines = [json.loads(line) for line in (folder / "measurements.jsonl").read_text().splitlines()]
    kept = sorted((line["kernel"], line["repetition"], repr({**line, "seconds": 0})) for line in lines)
    return (folder / "table.csv").read_text(), kept


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken")
    assert reproduce(folder, "--jobs", "1", "--no-progress") == 0
    return folder


def test_the_same_table_for_any_number_of_processes(unbroken, tmp_path, capsys):
    assert reproduce(tmp_path / "two", "--jobs", "2") == 0
    said = capsys.readouterr()
    assert "average" in said.out
    assert "paper: mean ± SD" in said.out
    assert said.out.endswith(f"report: {tmp_path / 'two' / 'report.html'}\n")
    assert "18 of 18 measurements" in said.err
    assert results(tmp_path / "two") == results(unbroken)
    assert len(results(unbroken)[1]) == 18
    assert reproduce(tmp_path / "other", "--seed", "1", "--jobs", "1", "--no-progress", repeats=1) == 0
    assert capsys.readouterr().err == ""
    assert results(tmp_path / "other")[1][0] != results(unbroken)[1][0]


def test_a_run_can_be_extended(unbroken, tmp_path):
    assert reproduce(tmp_path, "--jobs", "1", repeats=2) == 0
    first = (tmp_path / "measurements.jsonl").read_text()
    assert reproduce(tmp_path, "--jobs", "1", "--resume") == 0
    assert (tmp_path / "measurements.jsonl").read_text().startswith(first)
    assert results(tmp_path) == results(unbroken)
    before = (tmp_path / "measurements.jsonl").read_bytes()
    assert reproduce(tmp_path, "--resume") == 0
    assert (tmp_path / "measurements.jsonl").read_bytes() == before
    assert results(tmp_path) == results(unbroken)


def test_a_folder_is_for_one_run_at_a_time(tmp_path, capsys):
    people = make_survey(rng=0)
    settings = settings_of(people.X, people.y, Protocol(40, 20), "12,216 simulated people")
    store = Store(tmp_path, settings)
    for more in ([], ["--resume"]):
        assert reproduce(tmp_path, *more) == 1
        assert capsys.readouterr().err == (
            f"wkendall: another run is writing to {tmp_path}: wait until it ends, or use another folder\n"
        )
    store.close()
    assert reproduce(tmp_path) == 1
    assert capsys.readouterr().err == (
        f"wkendall: {tmp_path} already has results: continue with --resume, or use another folder\n"
    )
    assert not (tmp_path / "measurements.jsonl").read_bytes()


def test_a_terminal_without_the_letters(monkeypatch):
    file = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(file, encoding="ascii"))
    command._say("0.6 ± 0.1")
    sys.stdout.flush()
    assert file.getvalue() == b"0.6 ? 0.1\n"


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_stopped_goes_on(how, unbroken, tmp_path):
    before = set(survivors())
    words = [sys.executable, "-m", "wkendall", *FEW, f"--repeats={REPEATS}", "--jobs=2", f"--out={tmp_path / 'a'}"]
    # A group of its own, as a terminal gives it: Ctrl-C reaches the processes of the pool, too.
    with Child(words, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        lines = tmp_path / "a/measurements.jsonl"
        end = time.monotonic() + 60
        while not (lines.exists() and lines.read_bytes().count(b"\n") >= 2) and time.monotonic() < end:
            time.sleep(0.01)
        if how == signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, how)
        said = process.communicate(timeout=30)[1]
        assert not set(survivors(seconds=20)) - before
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert re.search(
            r"(\d+) measurements are kept in .*: --resume continues from there\nwkendall: interrupted\n$", said
        )
        assert "Traceback" not in said
    assert not (tmp_path / "a/table.csv").exists()
    assert 2 <= lines.read_bytes().count(b"\n") < 18
    kept = lines.read_bytes()
    assert reproduce(tmp_path / "a", "--jobs", "1", "--resume") == 0
    assert lines.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    assert results(tmp_path / "a") == results(unbroken)
    # The time of the last part is not that of the run.
    assert json.loads((tmp_path / "a/table.json").read_text())["seconds"] is None
    assert json.loads((unbroken / "table.json").read_text())["seconds"] > 0


def test_the_report_has_everything_on_one_page(tmp_path):
    found = made_up("standard", [0.6, 0.7]) + made_up("suquan-svd", [0.62, 0.7]) + made_up("alternating", [0.6, 0.65])
    # Weights of the alternating steps are of any length.
    found = [one if one.kernel == "standard" else one._replace(weights=[[0.0, 3e-5], [-4e-5, 0.0]]) for one in found]
    write_results(tmp_path, found, {**SMALL._asdict(), "data": "people & <others>"}, 12.3)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    opened, closed = (Counter(re.findall(rf"<{slash}(\w+)[ >]", text)) for slash in ("", "/"))
    assert all(opened[tag] == closed[tag] for tag in ("html", "body", "h2", "p", "table", "tr", "td", "svg"))
    assert not re.findall(r'(?:src|href)="(?!#|data:)', text)
    assert (opened["svg"], opened["table"]) == (5, 4)
    assert "@import" not in text
    assert "age 40 and over, not over 40" in text
    assert "Data: people &amp; &lt;others&gt;." in text
    assert len(re.findall(r">[-\u2212]0\.80<", text)) == 2
    for label in ("standard (top-6)", "learned, SUQUAN-SVD", "learned, alternating"):
        assert f"<td>{label}</td>" in text
    for name in ("accuracies", "differences", "reduction_factors", "weights_suquan-svd", "weights_alternating"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    described = json.loads((tmp_path / "table.json").read_text())
    assert described["settings"]["train"] == 40
    assert described["versions"]["wkendall"] == wkendall.__version__
    assert {row["kernel"] for row in described["rows"]} == {"standard", "suquan-svd", "alternating"}
    assert set(described["seconds_by_kernel"]) == {"standard", "suquan-svd", "alternating"}


def test_failures_are_one_line(tmp_path, capsys):
    def said(*words, code=1):
        assert main(["reproduce", *words]) == code
        lines = capsys.readouterr().err.splitlines()
        assert "Traceback" not in "\n".join(lines)
        return lines[-1]

    out = ("--out", str(tmp_path / "out"))
    (tmp_path / "table.csv").write_text("TV,radio\n1,2\n")
    assert "SEX" in said("--data", str(tmp_path / "table.csv"), *out)
    assert "none.csv" in said("--data", str(tmp_path / "none.csv"), *out)
    assert not (tmp_path / "out").exists()
    assert "argument --train: 41 must be an even number of people" in said("--train", "41", *out, code=2)
    assert said("--train", "8", *out).startswith("wkendall: --train is 8, but must be at least 10")
    wanted = (
        "wkendall: class 0 has 5716 people, but 20050 are needed: half of the 40000 to train and of the 100 to test"
    )
    assert said("--train", "40000", *out) == wanted
    (tmp_path / "file").write_text("")
    assert str(tmp_path / "file/sub") in said("--out", str(tmp_path / "file/sub"))
    assert "'first' is none of all, paper, top-2" in said("--kernels", "first", code=2)
    assert "--jobs: '0' must be a whole number from 1" in said("--jobs", "0", code=2)
    assert "must be a whole number from 1" in said("--repeats", "0", code=2)


def test_without_matplotlib_nothing_is_begun(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert reproduce(tmp_path / "out") == 1
    assert capsys.readouterr().err == "wkendall: the report needs matplotlib: pip install 'wkendall[cli]'\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("room", "where"), [(0, "settings.json"), (2, "measurements.jsonl"), (4, "table.csv")])
def test_a_full_disk_keeps_what_was_finished(room, where, tmp_path, monkeypatch, capsys):
    written = []

    def full(handle):
        written.append(handle)
        if len(written) > room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    few = ["--kernels", "standard", "--jobs", "1", "--no-progress"]
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert reproduce(tmp_path, *few, repeats=3) == 1
    *before, last = capsys.readouterr().err.splitlines()
    assert last == f"wkendall: {tmp_path / where}: No space left on device"
    kept = f"{room - 1} measurements are kept in {tmp_path}: --resume continues from there"
    assert before == ([kept] if room else [])
    lines = (tmp_path / "measurements.jsonl").read_bytes()
    assert reproduce(tmp_path, *few, "--resume", repeats=3) == 0
    assert (tmp_path / "measurements.jsonl").read_bytes().startswith(lines)
    assert [repetition for _, repetition, _ in results(tmp_path)[1]] == [0, 1, 2]
