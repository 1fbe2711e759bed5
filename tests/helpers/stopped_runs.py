"""Runs that write a matrix to a file and are stopped before the end.

    python tests/helpers/stopped_runs.py --rows 20000 --kills 20 --folder /tmp

kills a run of `wkendall gram --resume` at random moments, goes on each time, and compares the file with that of an unbroken run:
it prints the moments, the blocks that were done, and the hashes of both files.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from nouns import gram_to_file
from processes import Child
from wkendall.gram_file import blocks, matrix_file

MULT = {"weight": "mult", "u": "log"}


def small_blocks(monkeypatch, side):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", side * side * 8)


def files():
    return sorted(path.name for path in Path().iterdir())


X = random_rankings(np.random.default_rng(0), 60, 8)


class StopError(Exception):
    pass


def stop_after(monkeypatch, count, error=StopError):
    """Fail when so many blocks are stored."""
    store = matrix_file._File._store
    left = [count]

    def fail(self, file, block, out):
        if not left[0]:
            raise error
        left[0] -= 1
        store(self, file, block, out)

    monkeypatch.setattr(matrix_file._File, "_store", fail)


def interrupted(monkeypatch, count, error=StopError, **params):
    """Leave an unfinished file with so many of 10 blocks."""
    with monkeypatch.context() as patch:
        small_blocks(patch, 15)
        stop_after(patch, count, error)
        with pytest.raises(error):
            gram_to_file("gram.npy", X, **params)


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(wkendall.__file__).resolve().parents[1])}
#: The command with another size of blocks.
COMMAND = (
    "import sys; from wkendall import cli; from wkendall.gram_file import blocks; "
    "blocks.BLOCK_BYTES = int(sys.argv.pop(1)); sys.exit(cli.main())"
)
KERNEL = ["--weight", "mult", "--u", "log"]


def command(block_bytes: int, folder: Path, output: str) -> list[str]:
    """Return the words that start a run."""
    words = ["gram", str(folder / "x.npy"), "-o", str(folder / output), *KERNEL, "--resume"]
    return [sys.executable, "-c", COMMAND, str(block_bytes), *words]


def digest(path: Path) -> str:
    """Return a hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def run_unbroken(block_bytes: int, folder: Path, output: str) -> float:
    """Run once to the end; return the seconds it took."""
    started = time.monotonic()
    subprocess.run(command(block_bytes, folder, output), check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def run_killed(block_bytes: int, folder: Path, output: str, kills: int, seconds: float, say: bool) -> int:
    """Run and kill `kills` times, then run to the end; return how many files were finished.

    Each run is killed at a random moment of the first seconds. If one ends before, its file must be bitwise identical
    to that of an uninterrupted run, and a new one is started.
    """
    wanted = digest(folder / "whole.npy")
    journal = folder / f"{output}.journal"
    killed = finished = 0
    rng = random.Random(0)
    while killed < kills:
        wait = rng.uniform(0, seconds)
        words = command(block_bytes, folder, output)
        with Child(words, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            try:
                output_of_it, _ = process.communicate(timeout=wait)
            except subprocess.TimeoutExpired:
                process.kill()
                output_of_it, _ = process.communicate()
        if process.returncode == -signal.SIGKILL:
            killed += 1
            done = journal.read_bytes().count(b"\n") - 1 if journal.exists() else 0
            if (folder / output).exists() and not journal.exists():
                # It came to its end just before.
                assert digest(folder / output) == wanted
                finished += 1
                (folder / output).unlink()
            if say:
                print(f"killed after {wait:.2f} s, {max(done, 0)} blocks done", flush=True)
            continue
        assert process.returncode == 0, output_of_it
        assert digest(folder / output) == wanted
        finished += 1
        (folder / output).unlink()
    run_unbroken(block_bytes, folder, output)
    assert digest(folder / output) == wanted
    return finished + 1


def main() -> None:
    """Do it with a matrix of any size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--block-bytes", type=int, default=blocks.BLOCK_BYTES)
    parser.add_argument("--folder", default=None)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        rng = np.random.default_rng(0)
        np.save(folder / "x.npy", np.argsort(rng.random((arguments.rows, arguments.items))) + 1)
        seconds = run_unbroken(arguments.block_bytes, folder, "whole.npy")
        print(f"unbroken: {seconds:.1f} s, {digest(folder / 'whole.npy')}", flush=True)
        # Short, so that most kills happen in the middle.
        span = 2 * (seconds / (arguments.kills + 1) + 0.5)
        finished = run_killed(arguments.block_bytes, folder, "killed.npy", arguments.kills, span, say=True)
        print(
            f"killed {arguments.kills} times, {finished} finished: {digest(folder / 'killed.npy')}, bitwise identical"
        )
        left = sorted(path.name for path in folder.iterdir())
        assert left == ["killed.npy", "whole.npy", "x.npy"], left


if __name__ == "__main__":
    main()
