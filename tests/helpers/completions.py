"""Rankings with ties and missing items, and all complete rankings that agree with one."""

from itertools import permutations, product

import numpy as np
import scipy.sparse as sp
from definitions import random_rankings

NAN = np.nan
#: How lists are read.
BOTTOM = {"ties": "mean", "missing": "bottom"}


def sparse(X, form="csr"):
    """Rows as lists: what is not NaN is stored, zeros too."""
    X = np.asarray(X, dtype=float)
    rows, columns = np.nonzero(~np.isnan(X))
    return sp.coo_array((X[rows, columns], (rows, columns)), shape=X.shape).asformat(form)


def completions(row, missing):
    """All complete rankings that agree with a row of ranks, of which the least is the best and NaN is missing."""
    n = len(row)
    known = [i for i in range(n) if not np.isnan(row[i])]
    unknown = [i for i in range(n) if np.isnan(row[i])]
    found = []
    for order in permutations(range(n)):  # items, best first
        place = {item: rank for rank, item in enumerate(order)}
        if any(row[i] < row[j] and place[i] > place[j] for i, j in product(known, known)):
            continue
        if missing == "bottom" and any(place[i] > place[j] for i, j in product(known, unknown)):
            continue
        found.append([place[i] + 1 for i in range(n)])
    return found


def random_rows(rng, m, n, ties=True, missing=True):
    """Rows of ranks with ties and NaN; the first has every item tied, the second none, the third lacks all."""
    rows = rng.integers(1, n + 1, (m, n)).astype(float) if ties else random_rankings(rng, m, n).astype(float)
    if missing:
        rows[rng.random((m, n)) < 0.3] = NAN
    if ties and m > 2:
        rows[0] = 1.0
        rows[1] = random_rankings(rng, 1, n)[0]
        if missing:
            rows[2] = NAN
    return rows
