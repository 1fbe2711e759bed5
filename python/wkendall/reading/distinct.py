"""Equal rankings, merged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array
from wkendall.reading.rankings import CheckedRankings


def distinct(rankings: CheckedRankings, weights: Array) -> tuple[CheckedRankings, NDArray[np.intp], Array]:
    """Return the distinct rankings, the index of each row's ranking among them, and the sums of their weights."""
    if not rankings.items:
        keys = np.zeros(rankings.rows)
    else:
        keys = _keys_of_lists(rankings) if rankings.core.is_lists else _keys(rankings.places)
    _, first, member = np.unique(keys, return_index=True, return_inverse=True)
    sums = np.bincount(member, weights, minlength=len(first)).astype(np.float64)
    return rankings.select(first), member, sums


def _keys(places: NDArray[Any]) -> NDArray[Any]:
    """Return a key for each ranking: a byte string, which sorts ten times as fast as rows do."""
    whole = np.nan_to_num(places, nan=0).astype(np.min_scalar_type(places.shape[1]).newbyteorder(">"))
    return np.asarray(whole.view(f"S{whole.itemsize * whole.shape[1]}").ravel())


def _keys_of_lists(rankings: CheckedRankings) -> NDArray[Any]:
    """Return a key for each list; lists have different lengths."""
    bounds, columns, starts = rankings.core.parts()
    entries = np.stack([columns, starts], axis=1).astype(">u4")
    ends = zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    keys = np.empty(rankings.rows, dtype=object)
    keys[:] = [entries[first:last].tobytes() for first, last in ends]
    return keys
