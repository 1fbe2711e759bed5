"""Kernels that are sums over pairs of items, and how much room all pairs need."""

from __future__ import annotations

import numpy as np

from wkendall._arguments import as_order
from wkendall._errors import Argument, bad_argument
from wkendall._memory import check_fits
from wkendall.kernels.specification import Kernel
from wkendall.reading.rankings import CheckedRankings

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
            "W", f" does not go with {function}: pass ", Argument("U"), ", a matrix of weights or a stack of these"
        )


def check_all_items_fit(rankings: CheckedRankings) -> None:
    """Refuse lists out of a catalogue that is too large: pairs of items need rankings of all items."""
    if rankings.core.is_lists:
        check_fits(rankings.rows, rankings.items, np.dtype(np.float64), ADVICE)
