"""Runs that write a matrix to a file and are stopped before the end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from definitions import random_rankings
from nouns import gram_to_file
from wkendall.gram_file import blocks, matrix_file

MULT = {"weight": "mult", "u": "log"}


def small_blocks(monkeypatch, side):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", side * side * 8)


def files():
    return sorted(path.name for path in Path().iterdir())


X = random_rankings(np.random.default_rng(0), 60, 8)


class StopError(Exception):
    pass


def stop_after(monkeypatch, count, error=StopError):
    """Fail when so many blocks are stored."""
    store = matrix_file._File._store
    left = [count]

    def fail(self, file, block, out):
        if not left[0]:
            raise error
        left[0] -= 1
        store(self, file, block, out)

    monkeypatch.setattr(matrix_file._File, "_store", fail)


def interrupted(monkeypatch, count, error=StopError, **params):
    """Leave an unfinished file with so many of 10 blocks."""
    with monkeypatch.context() as patch:
        small_blocks(patch, 15)
        stop_after(patch, count, error)
        with pytest.raises(error):
            gram_to_file("gram.npy", X, **params)
