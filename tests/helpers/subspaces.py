"""Pure tensors and singular subspaces, from dense matrices."""

import numpy as np


def pure_basis(n, order):
    """Tensors that are zero where indices are equal and have zero sums: the null space of these conditions."""
    rows = []
    shape = (n,) * order
    for place in np.ndindex(*shape):
        if len(set(place)) < order:
            row = np.zeros(shape)
            row[place] = 1
            rows.append(row.ravel())
    for axis in range(order):
        for place in np.ndindex(*shape[1:]):
            row = np.zeros(shape)
            row[(*place[:axis], slice(None), *place[axis:])] = 1
            rows.append(row.ravel())
    conditions = np.array(rows).reshape(-1, n**order)
    _, sizes, right = np.linalg.svd(conditions)
    rank = int((sizes > 1e-9).sum())
    return right[rank:]


def leading_subspaces(M, count):
    """The different singular values of a matrix, and for each the projections on its left and right singular vectors."""
    left, values, right = np.linalg.svd(M)
    found = []
    while len(values) and values[0] > 1e-12 and len(found) < count:
        same = values > values[0] * (1 - 1e-8)
        found.append((values[0], left[:, same] @ left[:, same].T, right[same].T @ right[same], int(same.sum())))
        left, values, right = left[:, ~same], values[~same], right[~same]
    return found
