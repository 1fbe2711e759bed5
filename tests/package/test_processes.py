"""The processes of the tests themselves: signals reach them, and none is left behind, however the tests are started."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from paths import ROOT
from processes import MARKER, Child, survivors

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")

WAITING = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"]
#: Starts a process in its group. Both print a line when they run, and wait.
PARENT = f"import subprocess, time; subprocess.Popen({WAITING!r}); print(flush=True); time.sleep(600)"
PARENT = [sys.executable, "-c", PARENT]


def test_a_process_ends_with_its_block():
    with Child(WAITING, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        assert child.pid in survivors()
    assert child.returncode == -signal.SIGKILL
    assert child.pid not in survivors(seconds=10)


def test_a_group_ends_with_its_block():
    before = set(survivors())
    with Child(PARENT, stdout=subprocess.PIPE, start_new_session=True) as child:
        for _ in range(2):
            child.stdout.readline()
        assert len(set(survivors()) - before) == 2
        child.kill()
        child.wait()
        assert len(set(survivors()) - before) == 1
    assert not set(survivors(seconds=10)) - before


#: Tests of a run of their own: one that is interrupted, and one that leaves a process behind.
TESTS = """
import signal, subprocess, sys

def test_signal():
    words = [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait() == -signal.SIGINT

def test_leak():
    if {leak}:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(14)"])
"""


@pytest.mark.parametrize("leak", [False, True])
def test_a_run_in_the_background_of_a_shell(leak, tmp_path):
    """The shell ignores Ctrl-C for it, and so would its processes."""
    (tmp_path / "conftest.py").write_text(
        (ROOT / "tests" / "conftest.py").read_text().replace("seconds=10", "seconds=1")
    )
    (tmp_path / "test_it.py").write_text(TESTS.format(leak=leak))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    done = subprocess.run(
        words,
        env={name: value for name, value in os.environ.items() if name != MARKER}
        | {"PYTHONPATH": str(ROOT / "tests" / "helpers")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert "2 passed" in done.stdout, done.stdout
    assert ("1 error" in done.stdout and "time.sleep(14)" in done.stdout) is leak, done.stdout
