"""Kernels of pairs with weights of items by their definition, numbers of pairs of items, averaged over ties.

Shares no code with the package. A row holds ranks; equal ranks are ties, NaN is not listed: one tied block at the end.
"""

import numpy as np


def blocks(row):
    """The positions, from 0, that each item can have."""
    row = np.where(np.isnan(row), np.inf, row)
    return [range(int((row < rank).sum()), int((row <= rank).sum())) for rank in row]


def tables(n, weight, k=None, u=None):
    """Matrices of weights of two positions; the kernel is the sum of theirs."""
    ranks = np.arange(1, n + 1)
    named = {"hyperbolic": 1 / (ranks + 1), "log": 1 / np.log2(ranks + 1), "ap": 1 / np.maximum(ranks - 1, 1)}
    u = (named[u] * (ranks > 1) if u == "ap" else named[u]) if isinstance(u, str) else u
    before = ranks[:, None] < ranks
    if weight == "average":
        return [(before & (ranks <= last)) / np.sqrt(n) for last in ranks]
    made = {
        "standard": lambda: 1.0,
        "top": lambda: ranks <= k,
        "add": lambda: np.add.outer(u, u),
        "mult": lambda: np.multiply.outer(u, u),
        "later": lambda: np.asarray(u),
    }
    return [before * made[weight]()]


def pair_numbers(row, table):
    """The mean weights of each ordered pair of items, for each table, over the complete rankings that agree with a row."""
    of, n = blocks(row), len(row)
    shares = np.array([[(position in block) / len(block) for position in range(n)] for block in of]).reshape(n, n)
    numbers = shares @ table @ shares.T
    for block in set(of):
        items = [item for item in range(n) if of[item] == block]
        inside = table[:, block][:, :, block].sum((1, 2)) / max(len(items) * (len(items) - 1), 1)
        numbers[:, *np.ix_(items, items)] = inside[:, None, None]
    numbers[:, range(n), range(n)] = 0.0
    return numbers


def kernel_matrix(X, Y, weight="standard", *, k=None, u=None, signed=False, normalize=False, item_weight=None):
    """The matrix of the kernel: inner products of the numbers of pairs, times the weights of both items."""
    n = X.shape[1]
    v = np.ones(n) if item_weight is None else np.asarray(item_weight, dtype=float)

    def features(rows):
        found = []
        for row in rows:
            made = tables(n, weight, k, u)
            numbers = pair_numbers(row, np.array(made, dtype=float).reshape(len(made), n, n))
            numbers = (numbers - numbers.swapaxes(1, 2)) / np.sqrt(2) if signed else numbers
            found.append(np.ravel(numbers * np.sqrt(np.outer(v, v))))
        return np.array(found).reshape(len(rows), -1)

    F, G = features(X), features(Y)
    K = F @ G.T
    if not normalize:
        return K
    own = np.sqrt(np.outer((F * F).sum(1), (G * G).sum(1)))
    return np.divide(K, own, out=np.zeros_like(K), where=own > 0)
