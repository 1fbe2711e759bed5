"""Processes that tests start: each is ended with the test, and none outlives the run."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

#: All processes of a run have this in their environment, also those that their parents have left.
MARKER = "WKENDALL_TEST_RUN"
#: Processes that multiprocessing and joblib keep for later; they end with the process that started them.
_KEPT = ("resource_tracker", "forkserver", "popen_loky", "spawn_main", "multiprocessing-fork", "semaphore_tracker")


class Child(subprocess.Popen):
    """A process that is killed when its block ends, with its group if it has one of its own."""

    def __init__(self, *words, **how):
        self._group = how.get("start_new_session", False)
        super().__init__(*words, **how)

    def __exit__(self, *error):
        with suppress(ProcessLookupError):
            if self._group:
                os.killpg(self.pid, signal.SIGKILL)
            elif self.poll() is None:
                self.kill()
        super().__exit__(*error)


def with_default_signals():
    """Let Ctrl-C and requests to terminate have their effect, where a shell in the background ignores them.

    What a process ignores, its children ignore too.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGTERM) == signal.SIG_IGN:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def mark():
    """Mark this process, before it starts others."""
    os.environ[MARKER] = f"{os.getpid()}-{time.time_ns()}"


def survivors(seconds=0.0):
    """Return the processes of this run that are still there after so many seconds, and what they do; where there is /proc."""
    end = time.monotonic() + seconds
    while (found := _marked()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def _marked():
    wanted = f"{MARKER}={os.environ[MARKER]}".encode()
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # A process that has ended has no environment, although its parent may not know yet.
            if int(folder.name) != os.getpid() and wanted in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    return {number: words for number, words in found.items() if not any(kept in words for kept in _KEPT)}
