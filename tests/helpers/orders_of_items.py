"""Random orders of items, with ties and gaps, and files of them."""

import itertools
from collections import namedtuple

import numpy as np
from wkendall.arrays.sparse import SparseRows
from wkendall.reading.csv_files import read_table

NAN = np.nan
Numbers = namedtuple("Numbers", "X items ids")


def same(found, wanted):
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, np.array(wanted, dtype=float))


def numbers(path, skip=(), **how):
    """What a CSV file holds before it is checked: an array with NaN, the items, and the names of the rankings."""
    found = read_table(path, skip=[skip] if isinstance(skip, str) else list(skip), **how)
    return Numbers(dense(found.X), found.items, found.ids)


def dense(X):
    """An array with NaN for what is not listed."""
    if not isinstance(X, SparseRows):
        return X
    found = np.full(X.shape, NAN)
    found[np.repeat(np.arange(X.shape[0]), np.diff(X.bounds)), X.columns] = X.values
    return found


def ranks(rankings):
    """The ranks of rankings as floats, NaN for what is not listed."""
    return np.ascontiguousarray(np.asarray(rankings), dtype=float)


def written(folder, name, text, encoding="utf-8"):
    """Write a file with the ends of lines and the first bytes that it is given."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return path


def random_orders(rng, orders, size, ties, complete):
    """Draw different orders, as lists of lists of items from 0."""
    found = {}
    while len(found) < orders:
        chosen = rng.permutation(size)[: size if complete else rng.integers(1, size + 1)].tolist()
        ends = [1 if not ties else int(rng.integers(1, 4)) for _ in chosen]
        groups = [chosen[end - step : end] for end, step in zip(itertools.accumulate(ends), ends, strict=True)]
        groups = [sorted(group) for group in groups if group]
        found[tuple(map(tuple, groups))] = groups
    return list(found.values())


def ranks_of(groups, size):
    """Rank each item by counting: one more than the number of items in better groups."""
    row = [NAN] * size
    for place, group in enumerate(groups):
        for item in group:
            row[item] = 1 + sum(len(better) for better in groups[:place])
    return row
