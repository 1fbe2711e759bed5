"""Little memory: a call returns what it should or raises MemoryError or ValueError, and never ends the process."""

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource", reason="the system has no limits of memory to set")

#: What is prepared, and a call that needs some hundred megabytes or less.
CALLS = {
    "gram_matrix": ("X = permutations(3000, 40)", 'gram_matrix(X, weight="mult", u="log")'),
    "gram_matrix, bits": ("X = permutations(3000, 100)", "gram_matrix(X)"),
    "gram_matrix, repeated": ("X = np.repeat(permutations(1500, 30), 2, axis=0)", "gram_matrix(X)"),
    "gram_matrix, ties": ("X = rng.integers(0, 200, (1000, 400))", 'gram_matrix(X, ties="mean", normalize=True)'),
    "neighbors": ("X = permutations(30_000, 12)", "neighbors(X, X[:3000], n_neighbors=100).indices"),
    "neighbors_within": ("X = permutations(3000, 12)", "neighbors_within(X, radius=35, measure=Kendall()).indices"),
    "features": ("X = permutations(200, 400)", 'features(X, Kendall("mult", u="log"))'),
    "combine": ("X = permutations(100, 1500); U = rng.random((1500, 1500))", "combine(X, np.ones(100), U)"),
    "kernel of scores": ("x, y = rng.random((2, 1_000_000))", 'kernel(x, y, input="scores")'),
    "corr, missing": (
        "X = rng.random((60, 1000)).round(2); X[X > 0.9] = np.nan",
        "corr(X, pvalues=True).pvalue",
    ),
    "diagonal": ("X = rng.integers(0, 200, (20_000, 40))", 'diagonal(X, ties="mean")'),
}

CHILD = """
import resource
import numpy as np
from wkendall import Kendall, combine, corr, diagonal, features, gram_matrix, kernel, neighbors, neighbors_within

rng = np.random.default_rng(0)

def permutations(rows, items):
    return np.array([rng.permutation(items) for _ in range(rows)])

def used():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

{prepare}
{call}  # starts the threads
expected = {call}
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
for mebibytes in (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 4096):
    resource.setrlimit(resource.RLIMIT_AS, (used() + mebibytes * 2**20, hard))
    try:
        found = {call}
        said = "right" if np.array_equal(found, expected) else "wrong"
        del found
    except (MemoryError, ValueError) as error:
        said = f"{{type(error).__name__}}: {{error}}"
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    print(mebibytes, said, flush=True)
"""


def run(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much address space is in use")
@pytest.mark.parametrize("name", CALLS)
def test_steps_of_address_space(name):
    prepare, call = CALLS[name]
    lines = run(CHILD.format(prepare=prepare, call=call))
    assert len(lines) == 13
    assert not [line for line in lines if line.endswith("wrong")]
    assert lines[-1] == "4096 right"
