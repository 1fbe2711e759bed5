"""The state of a run as a JSON file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from wkendall._disk import as_path, write_whole
from wkendall._text import parsed_json, shown
from wkendall.optimize.moves import Orders

_FORMAT, _VERSION = "wkendall.optimize", 1
_SETTINGS = ("n_items", "n_initial", "kernel", "space", "noisy", "feasible", "rng")


def write_state(path: str | os.PathLike[str], settings: dict[str, Any], orders: Orders, values: list[float]) -> None:
    """Write settings and evaluations. JSON has no infinite numbers: an order that failed has the value null."""
    finite = [value if np.isfinite(value) else None for value in values]
    state = {"format": _FORMAT, "version": _VERSION, **settings, "x": orders.tolist(), "y": finite}
    write_whole(as_path(path), json.dumps(state, allow_nan=False) + "\n")


def read_state(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[list[int]], list[float]]:
    """Read a file of `write_state`. The settings and evaluations may be of any type."""
    file = as_path(path)
    try:
        state = parsed_json(file.read_bytes())
    except ValueError:
        raise ValueError(f"{str(file)!r} is not a file that Optimizer.save wrote: it is not JSON") from None
    if not isinstance(state, dict) or state.get("format") != _FORMAT:
        raise ValueError(f"{str(file)!r} is not a file that Optimizer.save wrote: it is other JSON")
    with damaged(path):
        if state.get("version") != _VERSION:
            raise ValueError(f"it has version {shown(state.get('version'))}, but must have version {_VERSION}")
        for name in (*_SETTINGS, "x", "y"):
            if name not in state:
                raise ValueError(f"it has no {name!r}")
        orders, values = state["x"], state["y"]
        if not (isinstance(orders, list) and isinstance(values, list) and len(orders) == len(values)):
            raise ValueError("'x' and 'y' must be lists of the same length")
        numbers = [np.inf if value is None else value for value in values]
    return {name: state[name] for name in _SETTINGS}, orders, numbers


@contextmanager
def damaged(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say of all errors that a file has caused them."""
    try:
        yield
    except RecursionError:
        raise ValueError(f"{str(path)!r} is damaged: it has lists in lists, too many to read") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{str(path)!r} is damaged: {error}") from None
