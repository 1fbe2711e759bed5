"""Bad input for optimisation with variables; rows as in `bad_kernels`."""

import math
import tempfile
from pathlib import Path

import numpy as np
from wkendall.optimize import Optimizer, minimize

GOOD = {"speed": (0.5, 2.0), "count": (1, 9), "rate": (1e-4, 1.0, "log"), "kind": ["a", "b"]}
VALUES = {"speed": 1.0, "count": 3, "rate": 0.1, "kind": "a"}
ORDER = [0, 1, 2, 3]


def made(variables, **options):
    return lambda: Optimizer(4, variables=variables, **options)


def one(spec):
    return made({"v": spec})


def told(x, y=1.0, **options):
    return lambda: Optimizer(4, variables=GOOD, rng=0, **options).tell(x, y)


def changed(**values):
    return told((ORDER, VALUES | values))


def run(f=lambda order, variables: 0.0, **options):
    return lambda: minimize(f, 4, **{"n_calls": 3, "rng": 0, "variables": GOOD} | options)


def file(**changes):
    def call():
        import json

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.json")
            optimizer = Optimizer(4, variables=GOOD, rng=0)
            optimizer.tell((ORDER, VALUES), 1.0)
            optimizer.save(path)
            path.write_text(json.dumps(json.loads(path.read_text()) | changes))
            Optimizer.load(path)

    return call


def without(name):
    return {key: value for key, value in VALUES.items() if key != name}


VARIABLES = [
    ("variables a list", made([("a", (0, 1))]), TypeError, "variables"),
    ("variables a text", made("speed"), TypeError, "variables"),
    ("no variables", made({}), ValueError, "variables"),
    ("name a number", made({1: (0, 1)}), TypeError, "variables"),
    ("range a number", one(3), TypeError, "variables"),
    ("range nothing", one(None), TypeError, "variables"),
    ("range a text", one("ab"), TypeError, "variables"),
    ("range an array", one(np.arange(2)), TypeError, "variables"),
    ("range a set", one({1, 2}), TypeError, "variables"),
    ("range of one end", one((1,)), ValueError, "variables"),
    ("range empty", one(()), ValueError, "variables"),
    ("range of three numbers", one((0, 1, 2)), ValueError, "variables"),
    ("range with an unknown scale", one((1, 2, "ln")), ValueError, "variables"),
    ("range of four", one((1, 2, "log", 3)), ValueError, "variables"),
    ("choices as a tuple", one(("a", "b")), TypeError, "variables"),
    ("truth values as a range", one((False, True)), TypeError, "variables"),
    ("end NaN", one((0.0, math.nan)), TypeError, "variables"),
    ("end infinite", one((0.0, math.inf)), TypeError, "variables"),
    ("ends complex", one((0, 1j)), TypeError, "variables"),
    ("ends reversed", one((2, 1)), ValueError, "variables"),
    ("ends equal", one((1.0, 1.0)), ValueError, "variables"),
    ("range too wide", one((-1.7e308, 1.7e308)), ValueError, "variables"),
    ("integers too large", one((0, 10**5000)), TypeError, "variables"),
    ("integers not exact", one((0, 2**60)), ValueError, "variables"),
    ("logarithm of zero", one((0.0, 1.0, "log")), ValueError, "variables"),
    ("logarithm of a negative number", one((-1, 1, "log")), ValueError, "variables"),
    ("no choices", one([]), ValueError, "variables"),
    ("one choice", one(["a"]), ValueError, "variables"),
    ("choice twice", one(["a", "b", "a"]), ValueError, ("variables", None, None, "duplicate")),
    ("choices that are equal", one([1, True]), ValueError, ("variables", None, None, "duplicate")),
    ("choice a function", one([len, max]), TypeError, "variables"),
    ("choice a list", one([[1], [2]]), TypeError, "variables"),
    ("choice NaN", one([1.0, math.nan]), TypeError, "variables"),
    ("maximize a word", made(GOOD, maximize="yes"), TypeError, "maximize"),
    ("order without variables", told(ORDER), TypeError, "x"),
    ("variables alone", told(VALUES), TypeError, "x"),
    ("nothing told", told(None), TypeError, "x"),
    ("no pairs", told([]), TypeError, "x"),
    ("pair of three", told((ORDER, VALUES, 1)), TypeError, "x"),
    ("values as a list", told((ORDER, [1.0, 3, 0.1, "a"])), TypeError, "x"),
    ("second pair wrong", told([(ORDER, VALUES), (ORDER[::-1], 3)], [1, 2]), TypeError, "x"),
    ("second order wrong", told([(ORDER, VALUES), ([0, 1, 2, 2], VALUES)], [1, 2]), ValueError, ("x", 1, 3, "duplicate")),
    ("item twice", told(([0, 1, 1, 2], VALUES)), ValueError, ("x", None, 2, "duplicate")),
    ("too few values", told([(ORDER, VALUES)], [1, 2]), ValueError, "y"),
    ("variable missing", told((ORDER, without("rate"))), ValueError, ("x", None, None, "missing name")),
    ("variable unknown", changed(other=1), ValueError, ("x", None, None, "unknown name")),
    ("number below", changed(speed=0.4), ValueError, ("x", None, None, "out of range")),
    ("number NaN", changed(speed=math.nan), TypeError, "x"),
    ("number a text", changed(speed="1"), TypeError, "x"),
    ("number a truth value", changed(count=True), TypeError, "x"),
    ("number nothing", changed(count=None), TypeError, "x"),
    ("number huge", changed(count=10**5000), TypeError, "x"),
    ("not whole", changed(count=2.5), ValueError, ("x", None, None, "out of range")),
    ("choice unknown", changed(kind="c"), ValueError, ("x", None, None, "out of range")),
    ("choice an array", changed(kind=np.arange(3)), ValueError, ("x", None, None, "out of range")),
    ("point twice", told([(ORDER, VALUES), (ORDER, VALUES)], [1, 2]), ValueError, ("x", 1, None, "duplicate")),
    ("point not feasible", told((ORDER, VALUES), feasible=lambda x, v: v["count"] > 5),
     ValueError, ("x", None, None, "infeasible")),
    ("failed in the wrong sign", told((ORDER, VALUES), -math.inf), ValueError, ("y", None, None, "nan")),
    ("failed when maximised", told((ORDER, VALUES), math.inf, maximize=True), ValueError, ("y", None, None, "nan")),
    ("f of several values", run(lambda x, v: x), TypeError, "f"),
    ("first point without variables", run(x0=ORDER), TypeError, "x0"),
    ("first point out of range", run(x0=(ORDER, VALUES | {"speed": 3})), ValueError, ("x0", None, None, "out of range")),
    ("values without points", run(y0=1.0), ValueError, "y0"),
    ("values without orders", run(variables=None, y0=[1.0]), ValueError, "y0"),
    ("value of no number", run(x0=(ORDER, VALUES), y0="a"), TypeError, "y0"),
    ("other number of values", run(x0=[(ORDER, VALUES)], y0=[1.0, 2.0]), ValueError, "y0"),
    ("value NaN", run(x0=[(ORDER, VALUES)], y0=[math.nan]), ValueError, ("y0", 0, None, "nan")),
    ("known point twice", run(x0=[(ORDER, VALUES)] * 2, y0=[1.0, 2.0]), ValueError, ("x0", 1, None, "duplicate")),
    ("file without variables", file(variables=None), ValueError, "tmp"),
    ("file with other variables", file(variables={"v": {"range": [0, 1]}}), ValueError, "tmp"),
    ("file with variables as a list", file(variables=[1]), ValueError, "tmp"),
    ("file with a variable of no kind", file(variables={"v": {"between": [0, 1]}}), ValueError, "tmp"),
    ("file with a bad range", file(variables={"v": {"range": [1, 0]}}), ValueError, "tmp"),
    ("file with values out of range", file(x_variables=[[9.0, 3, 0.1, "a"]]), ValueError, "tmp"),
    ("file with too few values", file(x_variables=[[1.0, 3, 0.1]]), ValueError, "tmp"),
    ("file with values for other orders", file(x_variables=[]), ValueError, "tmp"),
]  # fmt: skip
