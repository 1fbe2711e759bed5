"""Signals at random moments of everything that takes long: no crash, no half file, nothing left behind, and no waiting.

The short form sends a few; `make faults` sends hundreds.
"""

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import interrupts
import numpy as np
import pytest
from command_line import without_sizes
from definitions import random_rankings
from paths import ENVIRONMENT
from processes import Child

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")

#: One thread of BLAS: those of OpenBLAS wait for each other for seconds, in one call, where the machine has other work.
ENVIRONMENT = {**ENVIRONMENT, "OPENBLAS_NUM_THREADS": "1"}
LONG = os.environ.get("WKENDALL_FAULTS") == "long"
ROUNDS = 8 if LONG else 1
#: Seconds from the signal to the end. Most take 0.1; machines of tests are slow and have other work.
LIMIT = 30.0


@pytest.fixture(scope="module")
def interrupted():
    """The results of all interruptions, by the name of the call. A call that ends its process is the last of its process."""
    found = {}
    left = [*interrupts.CASES]
    while left:
        words = [*left, "--rounds", str(ROUNDS), *(["--both", "--longest", "3"] if LONG else ["--longest", "0.4"])]
        done = subprocess.run(
            [sys.executable, interrupts.__file__, *words], env=ENVIRONMENT, capture_output=True, text=True, timeout=3000
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        for line in lines:
            found.setdefault(line["name"], []).append(line)
        if done.returncode == 0:
            break
        found[lines[-1]["name"]].append(
            {"name": lines[-1]["name"], "died": done.returncode, "said": done.stderr[-2000:]}
        )
        left = left[left.index(lines[-1]["name"]) + 1 :]
    return found


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", interrupts.CASES)
def test_a_call_that_is_interrupted(name, interrupted):
    begun = [line for line in interrupted[name] if len(line) == 1]
    ended = [line for line in interrupted[name] if "raised" in line]
    assert not [line for line in interrupted[name] if "died" in line]
    assert len(begun) == len(ended) == ROUNDS * (2 if LONG else 1)
    for line in ended:
        assert line["works"], line
        assert line["left"] == [], line
        if line["raised"] is None:  # it was done before the signal came, on a machine that is fast
            assert line["late"] is None
            continue
        assert line["raised"] == {"SIGINT": "KeyboardInterrupt", "SIGTERM": "SystemExit"}[line["signal"]]
        assert line["late"] < LIMIT, line


COMMANDS = {
    "gram large.npy -o out.npy --weight mult --u log": ".wkendall-*",
    "gram large.npy -o out.csv --weight mult --u log": ".wkendall-*",
    "gram large.npy -o out.npz --weight mult --u log": ".wkendall-*",
    "gram large.npy -o out.npy --weight mult --u log --resume": "out.npy.journal",
    "gram large.npy -o out.npy --resume --kernel distance --jobs 1": "out.npy.journal",
    "learn few.npy --labels labels.npy -o out": ".wkendall-*",
    "learn few.npy --labels labels.npy -o out --method alternating --jobs 1": ".wkendall-*",
    "reproduce -o out --jobs 1 --no-progress --repeats 40": "out/settings.json",
    "reproduce -o out --jobs 2 --no-progress --repeats 40": "out/settings.json",
}
#: What may be said besides "wkendall: interrupted".
KEPT = (
    "the finished part is kept in out.npy.unfinished: --resume continues from there",
    " measurements are kept in out: --resume ",
)
SHORT = [0, 3, 5, 8]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("large.npy", random_rankings(np.random.default_rng(0), 2000, 200))
    np.save("few.npy", random_rankings(np.random.default_rng(0), 400, 12))
    np.save("labels.npy", np.arange(400) % 2)


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("words", [*COMMANDS] if LONG else [[*COMMANDS][index] for index in SHORT])
def test_a_command_that_is_interrupted(words, number):
    rng = random.Random(f"{words} {number}")
    for _ in range(ROUNDS):
        before = set(Path().rglob("*"))
        with Child(
            [sys.executable, "-m", "wkendall", *shlex.split(words)],
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            end = time.monotonic() + 60
            while not list(Path().glob(COMMANDS[words])) and process.poll() is None and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 2 if LONG else 0.5))
            process.send_signal(number)
            sent = time.monotonic()
            _, err = process.communicate(timeout=60)
        late = time.monotonic() - sent
        # Python ends itself by the signal if that came inside an exec() of a text, as when a library makes its classes.
        assert process.returncode in (0, 128 + number, *([-signal.SIGINT] if number == signal.SIGINT else [])), err
        if process.returncode:
            said = [line for line in without_sizes(err).splitlines() if not any(kept in line for kept in KEPT)]
            assert said == (["wkendall: interrupted"] if number == signal.SIGINT else []), err
            assert late < LIMIT
            left = set(Path().rglob("*")) - before
            kept = {"out.npy.unfinished", "out.npy.journal"} if "--resume" in words else set()
            if "reproduce" in words:
                kept = {"out", "settings.json", "measurements.jsonl"}
            assert {path.name for path in left} <= kept
            assert bool(left) == any(kept in err for kept in KEPT)
        for path in sorted(set(Path().rglob("*")) - before, reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()


#: Sends the signal when a module is looked for, and tells that it went on.
WHILE_LOADING = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
            print("went on")

sys.meta_path.insert(0, Finder())
import wkendall.__main__
sys.exit(wkendall.__main__.main())
"""


@pytest.mark.parametrize("name", ["wkendall.cli", "wkendall._core", "numpy", "numpy.linalg", "wkendall.cli.gram"])
def test_a_command_that_is_interrupted_while_it_is_loaded(name):
    """No traceback; and where the signal is ignored, as in the background of a shell, it stays so."""
    words = [sys.executable, "-c", WHILE_LOADING.format(name=name), "--version"]
    how = {"env": ENVIRONMENT, "capture_output": True, "text": True}
    done = subprocess.run(words, **how)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
    done = subprocess.run(words, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN), **how)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "went on")


def test_nothing_is_loaded_before_the_signal_is_taken_care_of():
    script = "import sys; import wkendall.__main__; print({'numpy', 'wkendall._core', 'argparse'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", script], env=ENVIRONMENT, text=True) == "set()\n"
