"""Kernels that are sums over pairs of items, and lists expanded to all items."""

from __future__ import annotations

import numpy as np

from wkendall._arguments import as_order
from wkendall._errors import Argument, bad_argument
from wkendall._memory import check_fits
from wkendall.kernels.specification import Kernel
from wkendall.reading.rankings import CheckedRankings, of_places

#: Advice for lists out of a catalogue that is too large.
ADVICE = "leave out the items that few rankings list"


def check_pairs(kernel: Kernel, function: str) -> None:
    """Refuse kernels that are not sums, over pairs of items, of products of two weights."""
    order = as_order(kernel.order, "order")
    if order != 2:
        rule = f" is {order}, but {function} is for pairs of items: order 2"
        raise bad_argument("order", rule, value=order)
    if kernel.W is not None:
        raise bad_argument(
            "W", f" is not available for {function}: pass ", Argument("U"), ", a matrix of weights or a stack of these"
        )


def with_all_items(rankings: CheckedRankings) -> CheckedRankings:
    """Expand lists out of a catalogue to rankings of all items, which computations with pairs of items need."""
    if not rankings.core.is_lists:
        return rankings
    check_fits(rankings.rows, rankings.items, np.dtype(np.float64), ADVICE)
    bounds, columns, starts = rankings.core.parts()
    lengths = np.diff(bounds)
    # Items that are not listed come last.
    places = np.repeat(lengths + 1, rankings.items).reshape(rankings.rows, rankings.items)
    places[np.repeat(np.arange(rankings.rows), lengths), columns] = starts
    return of_places(places)
