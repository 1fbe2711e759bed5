"""Kernels that are sums over pairs of items, and how much room all pairs need."""

from __future__ import annotations

import numpy as np

from wkendall._arguments import as_order
from wkendall._errors import bad_argument
from wkendall._memory import check_fits
from wkendall.measures import Kendall, Kernel, TensorKernel
from wkendall.rankings import Rankings

#: Advice for lists out of a catalogue that is too large.
ADVICE = "leave out the items that few rankings list"


def check_pairs(kernel: Kernel, function: str) -> None:
    """Refuse kernels that are not sums, over pairs of items, of products of two weights."""
    if not isinstance(kernel, Kendall | TensorKernel):
        rule = f" is {kernel!r}, but {function} needs a kernel of pairs of items: Kendall, or TensorKernel with U"
        raise bad_argument("kernel", rule, kind="no pairs")
    order = as_order(kernel.order, "order")
    if order != 2:
        raise bad_argument("order", f" is {order}, but {function} is for pairs of items: order 2", value=order)
    if isinstance(kernel, TensorKernel) and kernel.W is not None:
        raise bad_argument("W", f" does not go with {function}: pass U, a matrix of weights or a stack of these")


def check_all_items_fit(rankings: Rankings) -> None:
    """Refuse lists out of a catalogue that is too large: pairs of items need rankings of all items."""
    if rankings.kind == "lists":
        check_fits(*rankings.shape, np.dtype(np.float64), ADVICE)
