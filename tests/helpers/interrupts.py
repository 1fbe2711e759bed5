"""Long calls, interrupted at random moments: how long each goes on, and whether all works afterwards.

    python tests/helpers/interrupts.py NAME ... --rounds 3 --seed 0

prints one line of JSON for each interruption. SIGINT raises KeyboardInterrupt; SIGTERM raises SystemExit, as in a service that
removes its files before it ends. All calls run in one process: one that is left half dead shows in those that follow.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import wkendall as wk
from wkendall import Rankings

rng = np.random.default_rng(0)


@cache
def rankings(rows: int, items: int) -> np.ndarray:
    """Return random rankings."""
    return rng.permuted(np.tile(np.arange(1, items + 1, dtype=np.int32), (rows, 1)), axis=1)


@cache
def tied(rows: int, items: int) -> np.ndarray:
    """Return random rankings with ties."""
    return rng.integers(0, items // 4, (rows, items))


@cache
def lists(rows: int, items: int) -> Rankings:
    """Return random lists of ten items."""
    first = rng.integers(0, items, (rows, 1))
    return wk.from_lists((first + 97 * np.arange(10)) % items, items=range(items))


SIGNALS = (signal.SIGINT, signal.SIGTERM)
MULT = {"weight": "mult", "u": "log"}
KERNEL = wk.Kendall(**MULT)
FOLDER = tempfile.TemporaryDirectory()


def to_file(X: np.ndarray) -> None:
    """Write what is thrown away again."""
    folder = Path(FOLDER.name)
    try:
        wk.gram_to_file(folder / "gram.npy", X, kernel=KERNEL, resume=True)
    finally:
        for path in folder.iterdir():
            path.unlink()


def products(A: np.ndarray) -> np.ndarray:
    """Spend most of the time on the eigenvalues."""
    A = A.astype(float)
    return wk.gram_matrix(rankings(1, 60), W=(A @ A.T).reshape((60,) * 4))


#: Rankings, how many of how many items, and a call that takes seconds if it is left alone.
CASES = {
    "gram_matrix": (rankings, (4000, 1500), lambda X: wk.gram_matrix(X, **MULT)),
    "gram_matrix, ties": (tied, (2000, 1000), lambda X: wk.gram_matrix(X, ties="mean", **MULT)),
    "distance_matrix": (rankings, (6000, 1500), wk.distance_matrix),
    "neighbors": (rankings, (120_000, 40), wk.neighbors),
    "neighbors, radius": (rankings, (120_000, 40), lambda X: wk.neighbors_within(X, radius=10)),
    "index of lists": (lists, (600_000, 100_000), lambda X: wk.KendallNeighbors(5, wk.RankBiasedOverlap()).fit(X)),
    "index of lists, kernel": (
        lists,
        (600_000, 100_000),
        lambda X: wk.KendallNeighbors(5, wk.Kendall(normalize=True)).fit(X),
    ),
    "diagonal": (tied, (1000, 4000), lambda X: wk.diagonal(X, ties="mean", weight="average", signed=True)),
    "features": (rankings, (4000, 300), lambda X: wk.features(X, KERNEL, dtype=np.float32)),
    "embed": (rankings, (4000, 300), lambda X: wk.embed(X, np.ones((300, 300)))),
    "combine": (rankings, (6000, 1500), lambda X: wk.combine(X, np.ones(len(X)), np.ones((1500, 1500)))),
    "linear_function": (
        rankings,
        (6000, 1500),
        lambda X: wk.linear_function(X, np.ones((1500, 1500)), np.ones((1500, 1500))),
    ),
    "suquan_svd": (rankings, (6000, 300), lambda X: wk.suquan_svd(X, np.arange(len(X)) % 2)),
    "SuquanSVDClassifier": (rankings, (3000, 150), lambda X: wk.SuquanSVDClassifier().fit(X, X[:, 0] % 2)),
    "AlternatingClassifier": (rankings, (1000, 60), lambda X: wk.AlternatingClassifier().fit(X, X[:, 0] % 2)),
    "KendallKMeans": (rankings, (4000, 400), lambda X: wk.KendallKMeans(20, KERNEL).fit(X)),
    "KendallNystroem": (
        rankings,
        (12000, 500),
        lambda X: wk.KendallNystroem(KERNEL, n_components=1500).fit_transform(X),
    ),
    "two_sample_test": (rankings, (3000, 12), lambda X: wk.two_sample_test(X[:1500], X[1500:], n_permutations=10**5)),
    "independence_test": (
        rankings,
        (1500, 12),
        lambda X: wk.independence_test(X, X[::-1], y_kernel=wk.Mallows(0.05), n_permutations=10**5),
    ),
    "components": (rankings, (3000, 12), lambda X: wk.components(X, n_permutations=10**5)),
    "consensus": (rankings, (50, 400), wk.consensus),
    "linear_ordering": (rankings, (60, 60), wk.linear_ordering),
    "pair_importance": (
        tied,
        (400, 8000),
        lambda X: wk.pair_importance(Rankings(X, ties="mean"), np.ones(len(X)), kernel=KERNEL),
    ),
    "gram_to_file": (rankings, (6000, 400), to_file),
    "kernel": (rankings, (2, 4_000_000), lambda X: wk.kernel(*X)),
    "kernel, scores": (rankings, (2, 4_000_000), lambda X: wk.kernel(*X, input="scores")),
    "kappa": (rankings, (2, 4_000_000), lambda X: wk.kappa(X[0], **MULT)),
    "whether W makes a kernel": (rankings, (60 * 60, 90), products),
    "corr": (rankings, (5000, 600), wk.corr),
    "corr, many observations": (rankings, (4, 1_000_000), lambda X: wk.corr(np.where(X % 9, X, np.nan).T)),
    "position_weights": (rankings, (1, 1), lambda _: wk.position_weights(12_000, **MULT)),
    "position_weights of order 1": (rankings, (1, 1), lambda _: wk.position_weights(10**8, order=1, **MULT)),
}


def interrupt(name: str, number: int, wait: float) -> dict[str, object]:
    """Call, send the signal after a while, and say what came of it."""
    made, shape, call = CASES[name]
    X = made(*shape)
    sent: list[float] = []
    over = threading.Event()

    def send() -> None:
        if not over.wait(wait):
            sent.append(time.monotonic())
            os.kill(os.getpid(), number)

    sender = threading.Thread(target=send)
    before = set(threading.enumerate())
    raised = None
    began = time.monotonic()
    try:
        sender.start()
        call(X)
        over.set()
        sender.join()
    except (KeyboardInterrupt, SystemExit) as error:
        raised = type(error).__name__
    ended = time.monotonic()
    over.set()
    sender.join()
    late = ended - sent[0] if sent and raised else None
    # All works as if nothing had happened, on several threads.
    few = rankings(200, 30)
    works = bool((wk.gram_matrix(few, n_jobs=2, **MULT) == wk.gram_matrix(few, n_jobs=1, **MULT)).all())
    left = [thread.name for thread in threading.enumerate() if thread not in before]
    return {
        "name": name,
        "signal": signal.Signals(number).name,
        "wait": round(wait, 3),
        "raised": raised,
        "late": None if late is None else round(late, 3),
        "seconds": round(ended - began, 2),
        "works": works,
        "left": left,
    }


def main() -> None:
    """Interrupt the calls that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*CASES])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--both", action="store_true", help="both signals each time, not one of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=1.0, help="the latest moment, in seconds")
    arguments = parser.parse_args()
    moments = random.Random(arguments.seed)
    warnings.simplefilter("ignore")

    def leave(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    import sklearn.svm  # noqa: F401  so that no signal comes while it is loaded

    for name in wk.__all__:
        getattr(wk, name)
    for name in arguments.names:
        for _ in range(arguments.rounds):
            for number in SIGNALS if arguments.both else (moments.choice(SIGNALS),):
                print(json.dumps({"name": name}), flush=True)  # if the process dies, this one did it
                print(json.dumps(interrupt(name, number, moments.uniform(0.05, arguments.longest))), flush=True)


if __name__ == "__main__":
    main()
    sys.exit(0)
