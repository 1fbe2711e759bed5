"""Kernels for Gaussian processes, and their values and slopes by definition."""

from itertools import combinations
from math import exp, log, prod

import numpy as np
from definitions import random_rankings
from sklearn.gaussian_process.kernels import (
    ConstantKernel,
    Exponentiation,
    WhiteKernel,
)
from wkendall.gaussian_process import MallowsKernel, WeightedKendallKernel

LEARNED = [
    *(
        WeightedKendallKernel(weight, u=u, a=a)
        for weight in ("add", "mult")
        for u, a in [("power", 0.7), ("exponential", 0.3)]
    ),
    WeightedKendallKernel("mult", u="power", a=1.3, normalize=False),
    WeightedKendallKernel("add", u="exponential", a=0.2, normalize=False),
    WeightedKendallKernel("mult", u="exponential", a=0.4, signed=True),
    WeightedKendallKernel("add", u="power", a=2.0, signed=True, normalize=False),
    WeightedKendallKernel("mult", u="power", a=0.5, order=3),
    WeightedKendallKernel("mult", u="exponential", a=0.2, order=4, normalize=False),
    WeightedKendallKernel("add", u="power", a=0.9, order=3),
    WeightedKendallKernel("mult", u="power", a=1.1, top="high"),
    WeightedKendallKernel("add", u="exponential", a=0.2, input="orders"),
    WeightedKendallKernel("mult", u="power", a=0.8, input="scores"),
    WeightedKendallKernel("mult", u="power", a=0.8, ties="mean"),
    MallowsKernel(0.07),
    MallowsKernel(0.2, input="orders", top="high"),
]
FIXED = [
    WeightedKendallKernel("standard"),
    WeightedKendallKernel("top", k=3),
    WeightedKendallKernel("average", signed=True),
    WeightedKendallKernel("add", u="log"),
    WeightedKendallKernel("mult", u="hyperbolic", normalize=False),
    WeightedKendallKernel("mult", u=np.linspace(1, -0.2, 6)),
    WeightedKendallKernel("mult", a_bounds="fixed"),
    MallowsKernel(0.3, "fixed"),
]
MIXED = [
    2.0 * MallowsKernel(0.05) + WhiteKernel(0.1),
    ConstantKernel(0.5) * WeightedKendallKernel("mult", u="power", a=0.6) + MallowsKernel(0.1) * 3.0,
    WeightedKendallKernel("add", u="exponential", a=0.4) * MallowsKernel(0.02) + WeightedKendallKernel("standard"),
    ConstantKernel(0.7) * WeightedKendallKernel("top", k=2) + WeightedKendallKernel("mult", a=0.5, normalize=False),
    Exponentiation(WeightedKendallKernel("mult", u="power", a=0.6), 2),
]
ALL = LEARNED + FIXED + MIXED


def rankings(rows=9, items=6, seed=0):
    """As scikit-learn hands them over: whole numbers in an array of floats."""
    return random_rankings(np.random.default_rng(seed), rows, items).astype(np.float64)


def position_weights(kernel, items):
    """The weights u and their derivatives with respect to the logarithm of a, rank by rank."""
    u, changes = [], []
    for rank in range(1, items + 1):
        fall = log(rank) if kernel.u == "power" else rank - 1
        u.append(exp(-kernel.a * fall))
        changes.append(-kernel.a * fall * u[-1])
    return u, changes


def value_and_slope(kernel, s, t):
    """The concordant sum and its derivative, by the product rule for every tuple of items; not normalized."""
    u, changes = position_weights(kernel, len(s))

    def of_ranks(ranks):
        if kernel.weight == "add":
            return sum(u[a] for a in ranks), sum(changes[a] for a in ranks)
        others = [prod(u[b] for b in ranks if b != a) for a in ranks]
        return prod(u[a] for a in ranks), sum(changes[a] * other for a, other in zip(ranks, others, strict=True))

    value = slope = 0.0
    for items in combinations(sorted(range(len(s)), key=s.__getitem__), int(kernel.order)):
        first, second = [int(s[i]) - 1 for i in items], [int(t[i]) - 1 for i in items]
        sign = 1 if second == sorted(second) else -1 if kernel.signed else 0
        (x, dx), (y, dy) = of_ranks(first), of_ranks(second)
        value += sign * x * y
        slope += sign * (dx * y + x * dy)
    return value, slope


def numerical_gradient(kernel, X, step=2e-3):
    """Differences of the fourth order, one hyperparameter after the other."""
    columns = []
    for axis in np.eye(kernel.n_dims):
        at = [kernel.clone_with_theta(kernel.theta + move * step * axis)(X) for move in (-2, -1, 1, 2)]
        columns.append((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step))
    return np.stack(columns, axis=2)
