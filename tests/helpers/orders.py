"""Kernels of every kind and order, and how near values must be."""

from fractions import Fraction

import numpy as np
from definitions import (
    kernels,
)

BOUND = 1e-12


def absolute(params):
    """The same kernel with the absolute values of its position weights: the size that errors are measured by."""
    u = params.get("u")
    return params if u is None or isinstance(u, str) else params | {"u": np.abs(u)}


def assert_near(value, wanted, size, weight):
    """Counts are exact, means of counts and weighted sums within the bound."""
    assert np.isfinite(value)
    if weight in ("standard", "top") and wanted < 2**53:
        assert value == wanted
    else:
        assert abs(Fraction(float(value)) - wanted) <= BOUND * size


def steep(n):
    return [{"weight": weight, "u": 1000.0 ** -np.arange(n)} for weight in ("add", "mult")]


def nearly_equal(rng, s, swaps):
    """A ranking with a few items exchanged, so that many long tuples keep their order."""
    t = s.copy()
    for i, j in rng.integers(0, len(s), (swaps, 2)):
        t[[i, j]] = t[[j, i]]
    return t


def every_kind(n, rng):
    """Parameters of kernels of every kind: named, tensor, stack, factors, weights of pairs of pairs."""
    A = rng.standard_normal((3, n * n))
    W = A.T @ A
    return [
        *({**params, "order": order} for order in (1, 3, 4) for params in kernels(n, rng)),
        *({"U": rng.standard_normal((n,) * order), "order": order} for order in (1, 2, 3, 4)),
        *({"U": rng.standard_normal((2,) + (n,) * order), "order": order} for order in (1, 2, 3)),
        *({"U": tuple(rng.standard_normal((order, 2, n))), "order": order} for order in (1, 2, 3, 7)),
        {"W": (W + W.T).reshape((n,) * 4)},
    ]


def counted(params):
    """Whether the values of a named kernel are counts, or counts divided once, and so exact. General weights are not."""
    exact = {"standard": True, "top": True, "add": False, "mult": False, "average": True}
    return "weight" in params and exact[params["weight"]]
