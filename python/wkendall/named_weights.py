"""The named weights, and the parameters of each."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import as_integer, check_choice, real_array
from wkendall._errors import bad_argument
from wkendall._text import shown

WEIGHTS = ("standard", "top", "add", "mult", "average")

FACTORS = ("hyperbolic", "log")
#: How many entries of a long array are computed at a time.
STEP = 2**20


def parameters_of(weight: object) -> tuple[str, ...]:
    """Return the parameters that a weight uses."""
    return {"top": ("k",), "add": ("u",), "mult": ("u",)}.get(weight, ()) if isinstance(weight, str) else ()


def named_weight(
    items: int, weight: str, k: SupportsIndex | None, u: str | ArrayLike | None
) -> tuple[str, int | None, str | NDArray[np.float64] | None]:
    """Check a named weight, and that it gets all of its parameters and no others."""
    check_choice(weight, "weight", WEIGHTS)
    if weight == "top":
        if k is None:
            rule = f"the number of ranks that count, from 1 to {max(items, 1)}"
            raise bad_argument("k", f" is missing: the weight {weight!r} needs {rule}")
    else:
        check_unused(k, "k", weight)
    if weight in ("add", "mult"):
        if u is None:
            rule = f"one of 'hyperbolic' and 'log' or an array of {items} position weights"
            raise bad_argument("u", f" is missing: the weight {weight!r} needs {rule}")
    else:
        check_unused(u, "u", weight)
    return str(weight), None if k is None else _top_ranks(k, items), None if u is None else _factor(u)


def check_unused(value: object, name: str, weight: str) -> None:
    """Refuse a parameter that belongs to another kind of weight."""
    if value is not None:
        uses = "'top'" if name == "k" else "'add' and 'mult'"
        raise bad_argument(name, f" is given, but the weight {weight!r} does not use it: it goes with {uses}")


def _top_ranks(k: SupportsIndex, items: int) -> int:
    number = as_integer(k, "k")
    if not 1 <= number <= max(items, 1):
        most = f"{max(items, 1)}, the number of items"
        raise bad_argument("k", f" is {shown(number)}, but must be from 1 to {most}", value=number)
    return number


def _factor(u: str | ArrayLike) -> str | NDArray[np.float64]:
    if isinstance(u, str):
        check_choice(u, "u", FACTORS)
        return str(u)
    return as_position_weights(u)


def as_position_weights(u: ArrayLike) -> NDArray[np.float64]:
    """Check position weights that are given as numbers; arrays are not copied if their type allows."""
    return real_array(u, "u", (1,), "an array of n position weights, or one of 'hyperbolic' and 'log'")


def as_factor(factor: str | NDArray[np.float64], items: int) -> NDArray[np.float64]:
    """Return position weights, which are given by name or as an array."""
    if isinstance(factor, str):
        values = np.empty(items)
        # In steps, so that Ctrl-C is handled in between.
        for first in range(0, items, STEP):
            ranks = np.arange(first + 1, min(first + STEP, items) + 1)
            values[first : first + STEP] = 1 / (ranks + 1) if factor == "hyperbolic" else 1 / np.log2(ranks + 1)
        return values
    if len(factor) != items:
        raise bad_argument("u", f" has {len(factor)} position weights, but there are {items} items")
    return factor
