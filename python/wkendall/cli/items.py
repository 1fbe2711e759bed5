"""The items of several files, matched by name: one way for all commands."""

from __future__ import annotations

from collections.abc import Sequence

from wkendall.cli.messages import CommandError
from wkendall.reading.contents import Contents


def with_same_items(input: str, *files: Contents) -> list[Contents]:
    """Give files the same items, in the order of the first file; items are matched by name.

    Files of the layouts "choices" and "long" need not list all items; several of them have the items of all. The other
    files must have the same items. Files without names are not changed.
    """
    named = [file for file in files if file.items is not None]
    listing = [file for file in named if _lists_items(file)]
    if input == "orders" or len(files) == 1:  # the columns of orders are positions, not items
        return list(files)
    for file in files:
        if listing and file.items is None:
            raise CommandError(
                f"{file.name} has no names of items, so its columns cannot be matched with the items of {listing[0].name}"
            )
    if all(file.items == named[0].items for file in named):
        return list(files)
    complete = [file for file in named if not _lists_items(file)]
    for file in named:
        _check_names(file)
        if complete:
            _check_same(complete[0], file)
    items = [*dict.fromkeys(item for file in complete[:1] or listing for item in file.items or ())]
    return [file if file.items is None else file.arranged(items) for file in files]


def _lists_items(file: Contents) -> bool:
    """Return whether the items are those that the rankings list: another file may list others."""
    return file.layout in ("choices", "long")


def _check_names(file: Contents) -> None:
    """Refuse names that two items have, as an .npz file may have them."""
    first: dict[str, int] = {}
    for place, name in enumerate(file.items or (), 1):
        if first.setdefault(name, place) != place:
            raise CommandError(f"{file.name}: items {first[name]} and {place} have the same name, {name!r}")


def _check_same(x: Contents, y: Contents) -> None:
    """Refuse a file with other items than the first; a file that lists items may leave out some."""
    first, second = x.items or [], y.items or []
    of_first, of_second = set(first), set(second)
    lacks = [] if _lists_items(y) else [item for item in first if item not in of_second]
    more = [item for item in second if item not in of_first]
    if lacks or more:
        found = ((x.name, lacks, y.name), (y.name, more, x.name))
        differences = [_only(has, names, other) for has, names, other in found if names]
        raise CommandError(f"{', and '.join(differences)}: both must have the same items, in any order")


def _only(has: str, names: Sequence[str], other: str) -> str:
    what = f"the item {names[0]!r}" if len(names) == 1 else f"{names[0]!r} and {len(names) - 1} more items"
    return f"{has} has {what} that {other} lacks"
