"""The state of a run as a JSON file."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from wkendall._disk import as_path, write_whole
from wkendall._text import shown
from wkendall.optimize.moves import Orders

_FORMAT, _VERSION = "wkendall.optimize", 1
_SETTINGS = ("n_items", "n_initial", "kernel", "space", "noisy", "feasible", "rng")


def write_state(path: str | os.PathLike[str], settings: dict[str, Any], orders: Orders, values: list[float]) -> None:
    """Write settings and evaluations. JSON has no infinite numbers: an order that failed has the value null."""
    finite = [value if np.isfinite(value) else None for value in values]
    state = {"format": _FORMAT, "version": _VERSION, **settings, "x": orders.tolist(), "y": finite}
    write_whole(as_path(path), json.dumps(state, allow_nan=False) + "\n")


def read_state(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[list[int]], list[float]]:
    """Read a file of `write_state`."""
    file = as_path(path)
    try:
        state = json.loads(file.read_bytes())
    except ValueError:
        raise ValueError(f"{str(file)!r} is not a file that Optimizer.save wrote: it is not JSON") from None
    if not isinstance(state, dict) or state.get("format") != _FORMAT:
        raise ValueError(f"{str(file)!r} is not a file that Optimizer.save wrote: it is other JSON")
    if state.get("version") != _VERSION:
        raise ValueError(f"{str(file)!r} has version {shown(state.get('version'))}, but must have version {_VERSION}")
    missing = [name for name in (*_SETTINGS, "x", "y") if name not in state]
    if missing:
        raise ValueError(f"{str(file)!r} is not complete: it has no {missing[0]!r}")
    orders, values = state["x"], state["y"]
    if not (isinstance(orders, list) and isinstance(values, list) and len(orders) == len(values)):
        raise ValueError(f"{str(file)!r} is damaged: 'x' and 'y' must be lists of the same length")
    numbers = [np.inf if value is None else value for value in values]
    return {name: state[name] for name in _SETTINGS}, orders, numbers
