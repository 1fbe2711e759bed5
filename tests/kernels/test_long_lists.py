"""Sparse rows that are not short: they are compared as rankings of all items where that is faster."""

import numpy as np
import wkendall
from definitions import BOTTOM, sparse
from nouns import kernel_of
from wkendall import Kendall, KendallDistance, Rankings, _core
from wkendall.gram_file import blocks

KERNELS = [
    {},
    {"signed": True, "normalize": True},
    {"weight": "mult", "u": "log"},
    {"weight": "add", "u": "hyperbolic", "signed": True},
    {"weight": "average", "normalize": True},
    {"weight": "average", "signed": True},
    {"weight": "top", "k": 20},
]


def cells(rng, rows, items, length, levels):
    """Popular items, with counts of few levels, as in tables of cells and genes."""
    X = np.full((rows, items), np.nan)
    for row in X:
        listed = np.argsort(rng.exponential(size=items) * (1 + np.arange(items)))[:length]
        row[listed] = rng.integers(1, levels + 1, length)
    return X


def is_expanded(X, Y=None, what=None, backend=None):
    """Whether the rows are expanded."""
    x, y = Rankings(X, **BOTTOM), None if Y is None else Rankings(Y, **BOTTOM)
    measure = (Kendall() if what is None else what)._measure(x.n_items)
    return _core.expanded_lists(measure, x._handle, None if y is None else y._handle, backend) is not None


def test_which_rows_are_expanded():
    rng = np.random.default_rng(0)
    long, short, few = cells(rng, 200, 150, 60, 5), cells(rng, 200, 2000, 10, 5), cells(rng, 10, 150, 60, 5)
    kernels = [kernel_of(kernel) for kernel in KERNELS]
    assert all(is_expanded(sparse(long), None, what) for what in [*kernels, KendallDistance()])
    assert not any(is_expanded(sparse(short), None, what) for what in kernels)
    assert not any(is_expanded(sparse(few), None, what) for what in kernels)
    assert is_expanded(long, sparse(long))
    assert not is_expanded(long)  # is no list
    assert not is_expanded(sparse(long), backend="pairs")
    assert is_expanded(sparse(long), backend=_core.instruction_sets()[-1])
    assert not is_expanded(sparse(long), None, Kendall(order=1))


def test_a_file_is_the_matrix(tmp_path, monkeypatch):
    x = sparse(cells(np.random.default_rng(2), 150, 150, 60, 5))
    y = sparse(cells(np.random.default_rng(3), 90, 150, 60, 5))
    kernel = {"weight": "mult", "u": "log", "normalize": True}
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * 40 * 40)
    for number, other in enumerate((None, y)):
        K = wkendall.gram_matrix(x, other, **kernel, **BOTTOM)
        lists = Rankings(x, **BOTTOM), None if other is None else Rankings(other, **BOTTOM)
        file = wkendall.gram_to_file(tmp_path / f"{number}.npy", *lists, kernel_of(kernel))
        np.testing.assert_array_equal(file, K)


def test_neighbours_of_long_lists_have_no_index():
    rng = np.random.default_rng(4)
    X = cells(rng, 1100, 80, 40, 4)
    kernel = Kendall("average", signed=True, normalize=True)
    model = wkendall.KendallNeighbors(5, kernel, **BOTTOM).fit(sparse(X))
    judge = wkendall.KendallNeighbors(5, kernel, **BOTTOM).fit(X)
    for given in (None, sparse(X[:50])):
        np.testing.assert_allclose(model.kneighbors(given)[0], judge.kneighbors(given)[0], atol=1e-7)
    assert model._searched._made[1] is None
    found, wanted = model.fit_transform(sparse(X)), judge.fit_transform(X)
    np.testing.assert_allclose(found.data, wanted.data, atol=1e-7)
