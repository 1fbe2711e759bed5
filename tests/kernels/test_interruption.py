"""Ctrl-C at a random moment of a long call: KeyboardInterrupt soon, whatever is being computed."""

import random
import signal
import subprocess
import sys
import time

import pytest
from processes import Child

#: Seconds within which a call should stop, and those that a busy machine may take.
SOON, LATE = 1.0, 3.0

#: What is prepared, and the call that is repeated until it is interrupted.
CALLS = {
    "self-similarities": (
        "X = rng.integers(0, 2000, (300, 4000))",
        'gram_matrix(X, weight="average", signed=True, normalize=True, ties="mean")',
    ),
    "self-similarities on one thread": (
        "X = rng.integers(0, 2000, (300, 4000))",
        'gram_matrix(X, weight="average", signed=True, normalize=True, ties="mean", n_jobs=1)',
    ),
    "two permutations": ("x, y = rng.permutation(5_000_000), rng.permutation(5_000_000)", "kernel(x, y)"),
    "two permutations, additive": (
        "x, y = rng.permutation(3_000_000), rng.permutation(3_000_000)",
        'kernel(x, y, weight="add", u="log", signed=True)',
    ),
    "one permutation": ("x = rng.permutation(5_000_000)", 'kappa(x, weight="mult", u="log")'),
    "scores": ("x, y = rng.random(5_000_000), rng.random(5_000_000)", 'kernel(x, y, input="scores")'),
    "scores with a tie": ("x = np.r_[rng.random(3_000_000), 0.5, 0.5]", 'refused(kernel, x, x, input="scores")'),
    "ties": ("x, y = rng.integers(0, 1_000_000, (2, 2_000_000))", 'kernel(x, y, ties="mean")'),
    "ties, signed average": (
        "x, y = rng.integers(0, 10_000, (2, 30_000))",
        'kernel(x, y, weight="average", signed=True, ties="mean")',
    ),
    "missing items": (
        "x = rng.random(1_500_000); x[::3] = np.nan; y = rng.permutation(x)",
        'kernel(x, y, input="scores", missing="anywhere")',
    ),
    "order 5": ("x, y = rng.permutation(1_000_000), rng.permutation(1_000_000)", "kernel(x, y, order=5)"),
    "U= of order 3": (
        "U = rng.random((250, 250, 250)); X = np.array([rng.permutation(250) for _ in range(30)])",
        "gram_matrix(X, U=U)",
    ),
    "W=": (
        "W = rng.random((50, 50, 50, 50)); X = np.array([rng.permutation(50) for _ in range(2000)])",
        "gram_matrix(X, W=W, check=False)",
    ),
    "whether W= makes a kernel": (
        "A = rng.random((60 * 60, 90)); W = (A @ A.T).reshape((60,) * 4); X = rng.permutation(60)[None]",
        "gram_matrix(X, W=W)",
    ),
    "corr": ("X = rng.random((5000, 600))", "corr(X)"),
    "corr with missing values": ("X = rng.random((4000, 600)); X[X > 0.9] = np.nan", "corr(X, pvalues=True, n_jobs=1)"),
    "corr of many observations": ("X = rng.random((1_000_000, 4)); X[X > 0.9] = np.nan", "corr(X)"),
    "weights of positions": ("", 'position_weights(12_000, "mult", u="log")'),
    "weights of positions of order 1": ("", 'position_weights(100_000_000, "mult", u="log", order=1)'),
    "features": (
        "X = np.array([rng.permutation(2500) for _ in range(20)])",
        'features(X, Kendall("mult", u="log"))',
    ),
}

CHILD = """
import signal, time
import numpy as np
from wkendall import Kendall, corr, features, gram_matrix, kappa, kernel, position_weights

signal.signal(signal.SIGINT, signal.default_int_handler)

def refused(call, *args, **options):
    try:
        call(*args, **options)
    except ValueError:
        return
    raise SystemExit("accepted")

rng = np.random.default_rng(0)
{prepare}
print("ready", flush=True)
try:
    while True:
        {call}
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def seconds_to_stop(name: str) -> float:
    prepare, call = CALLS[name]
    code = CHILD.format(prepare=prepare, call=call)
    with Child([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(random.uniform(0.05, 1.5))
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        answer = child.stdout.readline()
        taken = time.monotonic() - sent
        child.wait(timeout=60)
    assert answer == "stopped\n"
    assert child.returncode == 0
    return taken


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals to send")
@pytest.mark.parametrize("name", CALLS)
def test_a_long_call_stops_soon(name):
    times = []
    while not times or (min(times) > SOON and len(times) < 3):
        times.append(seconds_to_stop(name))
    print(f"{name}: stopped after {', '.join(f'{taken:.2f}' for taken in times)} s")
    assert min(times) < LATE
