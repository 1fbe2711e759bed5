"""The items of several files, matched by name: one way for all commands."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wkendall._memory import check_fits
from wkendall.cli.errors import CommandError
from wkendall.cli.reading import Source
from wkendall.reading.sparse import is_sparse

_ADVICE = "split the files, or leave out items that few rankings have"


def with_same_items(arguments: argparse.Namespace, *sources: Source) -> list[Source]:
    """Give files the same columns, in the order of the first file; items are matched by name.

    Files of the layouts "choices" and "long" need not list all items; several of them have the items of all. The other
    files must have the same items. Files without names are not changed.
    """
    named = [source for source in sources if source.items is not None]
    listing = [source for source in named if source.lists_items]
    if arguments.input == "orders" or len(sources) == 1:  # the columns of orders are positions, not items
        return list(sources)
    for source in sources:
        if listing and source.items is None:
            raise CommandError(
                f"{source.path} has no names of items, so its columns cannot be matched with the items of {listing[0].path}"
            )
    if all(source.items == named[0].items for source in named):
        return list(sources)
    complete = [source for source in named if not source.lists_items]
    for source in named:
        _check_names(source)
        if complete:
            _check_same(complete[0], source)
    items = [*dict.fromkeys(item for source in complete[:1] or listing for item in source.items or ())]
    return [source if source.items is None else _arranged(source, items) for source in sources]


def _check_names(source: Source) -> None:
    """Refuse names that two items have, as an .npz file may have them."""
    first: dict[str, int] = {}
    for place, name in enumerate(source.items or (), 1):
        if first.setdefault(name, place) != place:
            raise CommandError(f"{source.path}: items {first[name]} and {place} have the same name, {name!r}")


def _check_same(x: Source, y: Source) -> None:
    """Refuse a file with other items than the first; a file that lists items may leave out some."""
    first, second = x.items or [], y.items or []
    of_first, of_second = set(first), set(second)
    lacks = [] if y.lists_items else [item for item in first if item not in of_second]
    more = [item for item in second if item not in of_first]
    if lacks or more:
        found = ((x.path, lacks, y.path), (y.path, more, x.path))
        differences = [_only(has, names, other) for has, names, other in found if names]
        raise CommandError(f"{', and '.join(differences)}: both must have the same items, in any order")


def _only(has: Path, names: Sequence[str], other: Path) -> str:
    what = f"the item {names[0]!r}" if len(names) == 1 else f"{names[0]!r} and {len(names) - 1} more items"
    return f"{has} has {what} that {other} lacks"


def _arranged(source: Source, items: Collection[str]) -> Source:
    """Return the rankings with these columns; the items that the file does not list are missing."""
    assert source.items is not None
    places = {item: place for place, item in enumerate(source.items)}
    if is_sparse(source.X):
        X = _with_columns(source.X, source.items, items)
    elif len(items) == len(places):
        X = source.X[:, [places[item] for item in items]]
    else:
        check_fits(source.rows, len(items), np.dtype(np.float64), _ADVICE)
        X = np.full((source.rows, len(items)), np.nan)
        columns = [(column, places[item]) for column, item in enumerate(items) if item in places]
        X[:, [column for column, _ in columns]] = source.X[:, [place for _, place in columns]]
    return source._replace(X=X, items=list(items))


def _with_columns(X: Any, items: Sequence[str], columns: Collection[str]) -> Any:
    """Return a sparse array of these items with these columns, which contain all its items."""
    from scipy.sparse import csr_array

    places = {item: place for place, item in enumerate(columns)}
    moved = np.array([places[item] for item in items], dtype=X.indices.dtype)
    found = csr_array((X.data, moved[X.indices], X.indptr), shape=(X.shape[0], len(columns)))
    found.sort_indices()
    return found
