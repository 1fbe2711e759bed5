"""Rankings in CSV files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from typing import Any

from wkendall._arguments import check_choice
from wkendall._errors import bad_argument, shown
from wkendall.arrays.options import Input, Missing, Reading, Ties, Top
from wkendall.rankings import Rankings
from wkendall.reading.contents import Contents
from wkendall.reading.csv_layouts import of_choices, of_long, of_numbers
from wkendall.reading.csv_rows import LAYOUTS, Layout, read_rows
from wkendall.reading.lists import Gaps, columns_of


def read_csv(
    path: str | os.PathLike[str],
    *,
    layout: Layout = "ranks",
    id: str | None = None,
    skip: str | Collection[str] = (),
    item: str | None = None,
    value: str | None = None,
    items: Iterable[str] | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    input: Input = "ranks",
    top: Top = "low",
    ties: Ties = "error",
    missing: Missing | None = None,
) -> Rankings:
    r"""Read a CSV file of rankings.

    Parameters
    ----------
    path : path
        A text file. Blank lines are allowed only at the end. These cells mean a missing value, as in pandas: empty
        cells, NA, N/A, NaN, nan, null, None and some others. In a column of names, a quoted cell such as "NA" is a
        name.
    layout : {"ranks", "choices", "lists", "long"}
        The layout of the file:

        - "ranks": one ranking per row, one item per column. Cells are numbers, with a point as decimal separator.
          `input` says what the numbers mean.
        - "choices": one ranking per row. Cells are names of items, the first choice first. Rows with fewer choices end
          with missing cells.
        - "lists": like "choices", but missing cells can be anywhere. Missing cells are left out, so that later choices
          move up.
        - "long": one row for each item of each ranking. The row has the name of the ranking, the item, and the rank or
          score of the item.
    id : str, optional
        The column with the names of the rankings. Pass the name of the column, or a string with its number from 1, such
        as "2". If a column has the name "2", this column is used. In a "long" file, all rows with the same name in this
        column belong to one ranking, and the default is the first column.
    skip : str or collection of str
        Columns to ignore. The cells of these columns can have any content.
    item, value : str, optional
        For "long": the column of the items, and the column of the ranks or scores of the items. By default, `item` is
        the first column that has no other use, and `value` is the next such column.
    items : iterable of str, optional
        All items, in the order that you want, for example the items of an earlier file. In a "ranks" file, the columns
        with these names are read, and other columns are ignored. A file with another layout must not contain other
        items. Without `items`, the items are taken from the file, in the order in which they first appear.
    delimiter : str, optional
        The character between cells. By default, the function chooses the comma, the semicolon or the tab, so that all
        rows have the same number of cells.
    header : bool, optional
        Whether the first row contains the names of the columns. With False, the first row is a row of data. The default
        is the same as True, but there is a warning if the first row may be a row of data:

        - "ranks": the first row has only numbers.
        - "choices" and "lists": the first row has an item of another row, or of `items`.
        - "long": the first row has a number, a blank cell, or a cell that occurs again in its column.
    encoding : str
        The encoding of the file: a name that Python's `open` accepts. Files from older programs on Windows often have
        the encoding "cp1252".
    input, top, ties, missing
        As for `Rankings`. The default of `missing` is "error" for the layout "ranks", and "bottom" for the other
        layouts.

    Returns
    -------
    Rankings
        The rankings, with the names of the items. If the file has names of the rankings, these names are the `labels`.
        With the layouts "choices", "lists" and "long", the rankings are stored as lists if some rankings leave out
        items.

    Examples
    --------
    >>> import pathlib, tempfile, wkendall
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "votes.csv")
    >>> _ = path.write_text("who;apple;pear;plum\nann;1;2;3\nbob;2;1;\n")
    >>> votes = wkendall.read_csv(path, id="who", missing="bottom")
    >>> votes
    Rankings: 2 rankings of 3 items, 1 with missing items
      ann: apple > pear > plum
      bob: pear > apple
    >>> votes.items, votes.labels
    (['apple', 'pear', 'plum'], ['ann', 'bob'])

    >>> _ = path.write_text("who,first,second\nann,pear,apple\nbob,plum,\n")
    >>> wkendall.read_csv(path, layout="choices", id="who", items=votes.items)
    Rankings: 2 lists of 3 items, 2 with missing items
      ann: pear > apple
      bob: plum

    >>> _ = path.write_text("who,fruit,rank\nann,pear,1\nann,apple,2\nbob,plum,1\n")
    >>> wkendall.read_csv(path, layout="long").to_lists()
    [['pear', 'apple'], ['plum']]
    >>> folder.cleanup()
    """
    left_out = _columns(skip)
    for name, given in (("id", id), ("item", item), ("value", value)):
        if given is not None and not isinstance(given, str):
            raise TypeError(f"{name} must be {_COLUMN}, not {shown(given)}")
    absent: Missing = "error" if layout == "ranks" else "bottom"
    reading = Reading(input, top, ties, absent if missing is None else missing)
    reading.check()
    how: dict[str, Any] = {
        "encoding": encoding,
        "layout": layout,
        "delimiter": delimiter,
        "header": header,
        "item": item,
        "value": value,
    }
    return read_table(path, skip=left_out, id=id, items=items, **how).rankings(reading)


#: What an argument for a column must be.
_COLUMN = "the name of a column, or its number from 1 as text"


def _columns(skip: object) -> list[str]:
    """Return the columns to ignore. Raise an error if `skip` is neither a text nor a collection of texts."""
    if isinstance(skip, str):
        return [skip]
    if not isinstance(skip, Iterable) or isinstance(skip, bytes):
        raise TypeError(f"skip must be {_COLUMN}, or a list of them, not {shown(skip)}")
    found = list(skip)
    for name in found:
        if not isinstance(name, str):
            raise TypeError(f"skip must be {_COLUMN}, or a list of them, not {shown(name)}")
    return found


def read_table(
    path: str | os.PathLike[str],
    *,
    layout: str = "ranks",
    delimiter: str | None = None,
    header: bool | None = None,
    apart: Collection[str] = (),
    skip: Collection[str] = (),
    may_lack: bool = False,
    id: str | None = None,
    item: str | None = None,
    value: str | None = None,
    items: Iterable[str] | None = None,
    encoding: str = "utf-8",
) -> Contents:
    """Read a CSV file of rankings as `read_csv` does, without checking the rankings.

    `apart` has the columns that are not items, such as labels. A column is given by its name, or by its number from 1
    if no column has this name. The cells of these columns stay text. `may_lack` says whether the file may lack columns
    to ignore. If two files are read, one of the files may lack them.
    """
    check_choice(layout, "layout", LAYOUTS)
    if layout != "long" and (item is not None or value is not None):
        given = "value" if item is None else "item"
        raise bad_argument(given, f' goes with layout="long", not {shown(layout)}')
    known = None if items is None else [str(name) for name in columns_of(items)]
    chosen = [name for name in (id, item, value) if name is not None]
    how: dict[str, Any] = {"delimiter": delimiter, "header": header, "skip": skip, "may_lack": may_lack}
    how["encoding"] = encoding
    how |= {"apart": [*dict.fromkeys([*apart, *chosen])], "known_items": set(known or ())}
    gaps: Gaps = "close" if layout == "lists" else "error"
    layout = "choices" if layout == "lists" else layout
    rows = read_rows(path, layout, columns=known if layout == "ranks" else None, **how)
    if layout == "long":
        return of_long(rows, id, item, value, known)
    found = of_numbers(rows) if layout == "ranks" else of_choices(rows, known, gaps)
    return found if id is None else found._replace(ids=found.apart[id])
