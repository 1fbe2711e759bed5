"""Bad input for optimisation; rows as in `bad_kernels`."""

import tempfile
from pathlib import Path

import numpy as np
from bad_kernels import masked
from wkendall.optimize import Optimizer, minimize

HUGE = 10**5000


def told(x, y, items=4, **options):
    """Tell a point when [0, 1, 2, 3] with the value 1 was told before."""

    def call():
        optimizer = Optimizer(items, rng=0, **options)
        optimizer.tell(np.arange(items), 1.0)
        optimizer.tell(x, y)

    return call


def made(items=4, **options):
    return lambda: Optimizer(items, **options)


def run(f=lambda x: 0.0, items=4, **options):
    return lambda: minimize(f, items, **{"n_calls": 3, "rng": 0} | options)


def file(text):
    def call():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.json")
            path.write_text(text)
            Optimizer.load(path)

    return call


POINTS = [
    ("item twice", told([1, 0, 3, 1], 2), ValueError, ("x", None, 3, "duplicate")),
    ("item too large", told([1, 0, 3, 4], 2), ValueError, ("x", None, 3, "out of range")),
    ("item masked", told(masked([1, 0, 3, 2], 2), 2), ValueError, ("x", None, None, "masked")),
    ("items as text", told(list("1032"), 2), TypeError, "x"),
    ("point nothing", told(None, 2), TypeError, "x"),
    ("point a text", told("1032", 2), TypeError, "x"),
    ("values in a column", told([[1, 0, 2, 3], [0, 1, 3, 2]], [[1], [2]]), ValueError, ("y", None, None, "axes")),
    ("variables that are not there", told(([1, 0, 2, 3], {"a": 1}), 2), ValueError, "x"),
    ("points of different lengths", told([[1, 0, 2, 3], [0, 1]], [1, 2]), ValueError, ("x", 1, None, "axes")),
    ("points with another number of values", told([[1, 0, 2, 3], [0, 1, 3, 2]], [1]), ValueError, "y"),
    ("second point wrong", told([[1, 0, 2, 3], [0, 1, 1, 2]], [1, 2]), ValueError, ("x", 1, 2, "duplicate")),
    ("point not feasible", told([1, 0, 2, 3], 2, feasible=lambda x: x[0] == 0), ValueError, ("x", None, None, "infeasible")),
    ("value not a number", told([1, 0, 2, 3], np.nan), ValueError, ("y", None, None, "nan")),
    ("value nothing", told([1, 0, 2, 3], None), TypeError, "y"),
    ("value huge", told([1, 0, 2, 3], HUGE), TypeError, "y"),
    ("no items", made(0), ValueError, "n_items"),
    ("half an item", made(2.5), TypeError, "n_items"),
    ("too many items", made(HUGE), ValueError, "n_items"),
    ("no first points", made(n_initial=0), ValueError, "n_initial"),
    ("unknown kernel", made(kernel="rbf"), ValueError, "kernel"),
    ("kernel of another type", made(kernel=3), TypeError, "kernel"),
    ("unknown space", made(space="ring"), ValueError, "space"),
    ("kernel with positions of a tour", made(kernel="kendall", space="tour"), ValueError, "kernel"),
    ("feasible no function", made(feasible=[1]), TypeError, "feasible"),
    ("noisy a word", made(noisy="yes"), TypeError, "noisy"),
    ("seed negative", made(rng=-1), ValueError, "rng"),
    ("seed a word", made(rng="x"), TypeError, "rng"),
    ("seed a truth value", made(rng=True), TypeError, "rng"),
    ("ask for none", lambda: Optimizer(4).ask(0), ValueError, "n"),
    ("ask for half", lambda: Optimizer(4).ask(0.5), TypeError, "n"),
    ("f no function", run(3), TypeError, "f"),
    ("f of several values", run(lambda x: x), TypeError, "f"),
    ("no calls", run(n_calls=0), ValueError, "n_calls"),
    ("callback no function", run(callback=1), TypeError, "callback"),
    ("progress a word", run(progress="a"), TypeError, "progress"),
    ("first point wrong", run(x0=[0, 1, 2, 2]), ValueError, ("x0", None, 3, "duplicate")),
    ("first points wrong", run(x0=[[0, 1, 2, 3], [0, 1, 2]]), ValueError, ("x0", 1, None, "axes")),
    ("state in no file", run(save=3), TypeError, "save"),
    ("state in a folder", run(save=tempfile.gettempdir()), IsADirectoryError, "Errno"),
    ("state not JSON", file("{"), ValueError, "tmp"),
    ("state of something else", file("{}"), ValueError, "tmp"),
]  # fmt: skip
