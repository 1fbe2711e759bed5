"""Files of rankings, and the command line run on them."""

import argparse
import csv
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from definitions import random_rankings
from paths import ENVIRONMENT
from processes import Child
from wkendall.cli import _parser, main

N, M = 5, 7
X = random_rankings(np.random.default_rng(0), M, N)
Y = random_rankings(np.random.default_rng(1), 3, N)
ITEMS = ["tea", "coffee", "milk", "juice", "water, still"]
SOC = """\
# DATA TYPE: soc
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 6
# NUMBER UNIQUE ORDERS: 2
# ALTERNATIVE NAME 1: a
# ALTERNATIVE NAME 2: b
# ALTERNATIVE NAME 3: c
4: 1,2,3
2: 3,1,2
"""
TOI = SOC.replace("soc", "toi").replace("3,1,2", "{3,1}")


def write_table(path, rows, names=(), **columns):
    """Write a CSV file with columns in front."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if names:
            writer.writerow([*columns, *names])
        for index, row in enumerate(rows):
            writer.writerow([*(cells[index] for cells in columns.values()), *row])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder to work in, with files of the same rankings."""
    monkeypatch.chdir(tmp_path)
    write_table(Path("x.csv"), X, ITEMS)
    write_table(Path("y.csv"), Y, ITEMS)
    write_table(Path("votes.csv"), X, ITEMS)
    np.save("x.npy", X)
    np.save("y.npy", Y)
    np.savez("x.npz", X=X, other=Y)
    Path("votes.soc").write_text(SOC)
    Path("votes.toi").write_text(TOI)
    return tmp_path


def run(words, code=0):
    assert main(shlex.split(words)) == code


def fails(capsys, words, message, code=1):
    """Check that a command fails with one line and leaves the folder as it was."""
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    assert main(shlex.split(words) if isinstance(words, str) else words) == code
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == before
    out, err = capsys.readouterr()
    assert out == ""
    lines = without_sizes(err).splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith("wkendall: ")
    assert message in lines[0], f"{message!r} is not in {lines[0]!r}"
    assert lines[0].endswith(" --help shows more)") == (code == 2)
    check_options(shlex.split(words) if isinstance(words, str) else words, lines[0])


def without_sizes(err):
    """Leave out the lines that say how much was read."""
    return re.sub(r"^read [0-9]+ \w+ of [0-9]+ \w+ from .*\n", "", err, flags=re.MULTILINE)


def options_of(command):
    """The options of a command, or of the program if there is no such command."""
    commands = next(action for action in _parser()._actions if isinstance(action, argparse._SubParsersAction))
    found = commands.choices[command]._actions if command in commands.choices else _parser()._actions
    return {name for action in found for name in action.option_strings}


def check_options(words, message):
    """Check that a message names only options that the command takes, or says which command takes them."""
    for found in re.finditer(r"(wkendall learn with |(?<![\w-]))(--[A-Za-z][\w-]*)", message):
        known = options_of("learn") if found[1] else options_of(words[0] if words else None)
        assert found[2] in known or found[2] in {word.partition("=")[0] for word in words}, message
    own = message.replace("allow_pickle=False", "")  # in a message of NumPy
    assert not re.search(r"(?<![\w-])[a-z_]+=(\"|True|False|None)", own), f"arguments of Python in {message!r}"


def started(words, **how):
    """Start the command as a process of its own; use it in a `with`, which ends it."""
    return Child(
        [sys.executable, "-m", "wkendall", *shlex.split(words)],
        stdout=how.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        text=True,
        **how,
    )
