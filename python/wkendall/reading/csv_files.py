"""Rankings in CSV files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from typing import Any

from wkendall._arguments import check_choice
from wkendall._text import shown
from wkendall.reading.csv_layouts import Table, of_choices, of_long, of_numbers
from wkendall.reading.csv_rows import LAYOUTS, Layout, read_rows
from wkendall.reading.lists import RankedLists, columns_of


class CsvRankings(RankedLists):
    """Rankings, the names of the items, and the names of the rankings; see `read_csv`."""

    #: The name of each ranking, if there is a column of names.
    ids: list[str] | None = None


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
) -> CsvRankings:
    r"""Read a CSV file of rankings.

    Parameters
    ----------
    path : path
        A file in UTF-8. Blank lines are allowed only at the end. A cell that is empty, NA, NaN or nan is missing.
    layout : {"ranks", "choices", "long"}
        The layout of the file:

        - "ranks": one ranking per row, one item per column. Cells are numbers, with a point as decimal separator. They
          are ranks or scores, or orders if the columns have no names. Pass the right `input=` to `gram_matrix`.
        - "choices": one ranking per row. Cells are names of items, the first choice first. Rows with fewer choices end
          with missing cells.
        - "long": one row for each item of each ranking, with the name of the ranking, the item, and its rank or score.
    id : str, optional
        The column with the names of the rankings. In a "long" file, rows with the same name belong to the same ranking;
        the default is the first column. Give the name of a column, or its number from 1 as a string, such as "2". Names
        take precedence over numbers.
    skip : str or collection of str
        Columns to ignore. Their cells can have any content.
    item, value : str, optional
        For "long": the columns of the items and of their ranks or scores. If absent, the first columns without another
        use.
    items : iterable of str, optional
        For "choices" and "long": all items in the order of the columns, for example those of an earlier file. If
        absent, the items of the file in the order in which they first appear.
    delimiter : str, optional
        The character between cells. If absent: comma, semicolon or tab, whichever gives all rows the same number of
        cells.
    header : bool, optional
        Whether the first row contains the names of the columns, as it does by default. With False every row is a
        ranking. If absent, a warning names a first row that may be a ranking: one of numbers ("ranks"), one with an
        item of another row or of `items` ("choices"), or one with a number, a blank cell or a cell that occurs again in
        its column ("long"). With True there is no warning.

    Returns
    -------
    X : ndarray of shape (m, n)
        The numbers, or for "choices" the ranks from 1; NaN where they are missing.
    items : list of n names
        "1", "2" and so on if the file has no names.

    Notes
    -----
    The result unpacks as `X, items`. Its attribute `ids` is the list of the names of the rankings. It is None without
    `id`, unless the layout is "long".

    Examples
    --------
    >>> import pathlib, tempfile, wkendall
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "votes.csv")
    >>> _ = path.write_text("who;apple;pear;plum\nann;1;2;3\nbob;2;1;\n")
    >>> votes = wkendall.read_csv(path, id="who")
    >>> votes.items, votes.ids
    (['apple', 'pear', 'plum'], ['ann', 'bob'])
    >>> votes.X
    array([[ 1.,  2.,  3.],
           [ 2.,  1., nan]])

    >>> _ = path.write_text("who,first,second\nann,pear,apple\nbob,plum,\n")
    >>> X, items = wkendall.read_csv(path, layout="choices", id="who")
    >>> items
    ['pear', 'apple', 'plum']
    >>> X
    array([[ 1.,  2., nan],
           [nan, nan,  1.]])

    >>> _ = path.write_text("who,fruit,rank\nann,pear,1\nann,apple,2\nbob,plum,1\n")
    >>> wkendall.read_csv(path, layout="long", items=items).X
    array([[ 1.,  2., nan],
           [nan, nan,  1.]])
    >>> folder.cleanup()
    """
    left_out = _columns(skip)
    for name, given in (("id", id), ("item", item), ("value", value)):
        if given is not None and not isinstance(given, str):
            raise TypeError(f"{name} must be {_COLUMN}, not {shown(given)}")
    apart = () if id is None else (id,)
    how: dict[str, Any] = {"layout": layout, "delimiter": delimiter, "header": header, "item": item, "value": value}
    table = read_table(path, apart=apart, skip=left_out, id=id, items=items, **how)
    found = CsvRankings(table.X, table.items)
    found.ids = table.ids if table.ids is not None or id is None else table.apart[id]
    return found


#: What an argument for a column must be.
_COLUMN = "the name of a column, or its number from 1 as text"


def _columns(skip: object) -> list[str]:
    """Return the columns to ignore; refuse what is neither a text nor a collection of texts."""
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
    sparse: bool | None = False,
) -> Table:
    """Read a CSV file of rankings as `read_csv` does, and separate columns that are not items, such as labels.

    Parameters
    ----------
    path, layout, delimiter, header, id, item, value, items
        As for `read_csv`; `id` is for long tables.
    apart : collection of str
        Columns to separate, each given by its name, or by its number from 1 if no column has that name. Their cells
        stay text.
    skip : collection of str
        Columns to ignore.
    may_lack : bool
        Whether the file may lack columns to ignore, as one of two files may.
    sparse : bool, optional
        Whether to return choices and long tables as a sparse array, as for `from_lists`.

    Returns
    -------
    Table
    """
    check_choice(layout, "layout", LAYOUTS)
    if layout != "long" and (item is not None or value is not None):
        raise ValueError(f'{"value" if item is None else "item"} goes with layout="long", not {shown(layout)}')
    if layout == "ranks" and items is not None:
        raise ValueError(
            'items goes with layout="choices" and layout="long": layout="ranks" takes the items of the file'
        )
    known = None if items is None else [str(name) for name in columns_of(items)]
    chosen = [name for name in (id, item, value) if name is not None] if layout == "long" else []
    how: dict[str, Any] = {"delimiter": delimiter, "header": header, "skip": skip, "may_lack": may_lack}
    how |= {"apart": [*dict.fromkeys([*apart, *chosen])], "known_items": set(known or ())}
    rows = read_rows(path, layout, **how)
    if layout == "long":
        return of_long(rows, id, item, value, known, sparse)
    return of_numbers(rows) if layout == "ranks" else of_choices(rows, known, sparse)
