"""Read the survey of the paper, Eurobarometer 55.2, from a table of counts, a file of R, or the file of ICPSR."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from wkendall._disk import as_path
from wkendall._errors import short, shown
from wkendall.datasets.simulated import Ranks, check_size
from wkendall.datasets.survey import ITEMS, Survey
from wkendall.reading.text_files import MISSING, File, lines_of, opened, rows_of

#: The columns of the counts table.
COUNTS = (*ITEMS, "SEX", "AGE4", "y")
#: The names of the six sources in the R package prefmod.
PREFMOD = ("TV", "RAD", "NEWSP", "SCIMAG", "WWW", "EDINST")
#: The columns of the file of ICPSR: the ranks of the six sources, and the age in years.
ICPSR = ("v57", "v58", "v59", "v60", "v61", "v62", "v522")
#: The codes in that file for a rank or an age that was not given.
NOT_GIVEN = (*MISSING, ".")
#: The lowest ages of the age groups 2, 3 and 4.
AGES = (25, 40, 55)
INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
#: The first bytes of such files: compressed, or not.
STARTS = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"RDX", b"RDA", b"RDB")


def load_eurobarometer(path: str | os.PathLike[str]) -> Survey:
    r"""Read the survey Eurobarometer 55.2 (2001), in which people rank six sources of information about science.

    Jiao and Vert use this survey in their paper "The Weighted Kendall and High-order Kernels for Permutations". In this
    function the label `y` is 1 for people of age 40 and over. In the paper the label is 1 for people over 40, so people
    of age 40 have another label in the paper. The counts table (see `path`) contains age groups instead of ages, so the
    label of the paper cannot be computed from this table.

    Parameters
    ----------
    path : path
        A file of one of the three kinds below. The function recognises the kind by the contents. Columns that are not
        named below are ignored.

        - A counts table: CSV in UTF-8 with commas, semicolons or tabs. A row has the ranks of the six sources in the
          columns television, radio, newspapers_magazines, scientific_magazines, internet and school_university. The other
          columns are SEX (1 male, 2 female), AGE4 (1 for 15-24, 2 for 25-39, 3 for 40-54, 4 for 55 and over) and y (the
          number of people with this sex, age group and ranking).
        - `euro55.2.des.RData` of the R package prefmod, or another file that R's `save` wrote. The file has one data
          frame with the columns of the counts table. The columns of the sources may also have the names of prefmod: TV,
          RAD, NEWSP, SCIMAG, WWW and EDINST. Instead of ranks, these columns may contain the numbers that prefmod uses.
          The number of a source is the number of sources ranked below it minus the number of sources ranked above it.
          This number is 5 for the first source and -5 for the last source. To read these files, install rdata
          (`pip install "wkendall[rdata]"`).
        - The file of study 03341 of the data archive ICPSR, with columns separated by tabs. The columns v57 to v62 have
          the ranks of the sources, in the same order as in a counts table. The column v522 has the age in years. Column
          names may be in upper or lower case.

    Returns
    -------
    X : ndarray of shape (people, 6)
        The ranks that people gave; 1 is the most important source. People are in the order of the file. Each row of a
        counts table is repeated in X, as often as the column y of the table says.
    y : ndarray of shape (people,)
        1 for age 40 and over, otherwise 0.
    items : list of str
        The names of the six sources.
    sex, age_group : ndarray of shape (people,), or None
        The columns SEX and AGE4. For the file of ICPSR, the age group is computed from the age, and `sex` is None.
    left_out : int
        For the file of ICPSR: the number of people who are not in X, because they did not give six different ranks, or
        gave no age. For the other files it is 0.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from wkendall.datasets import COUNTS, load_eurobarometer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "counts.csv")
    ...     _ = path.write_text(",".join(COUNTS) + "\n1,2,3,4,5,6,1,2,2\n2,1,3,6,5,4,2,3,1\n")
    ...     people = load_eurobarometer(path)
    >>> people.X
    array([[1, 2, 3, 4, 5, 6],
           [1, 2, 3, 4, 5, 6],
           [2, 1, 3, 6, 5, 4]])
    >>> people.y
    array([0, 0, 1])
    """
    source = as_path(path)
    data = source.read_bytes()
    if data.startswith(STARTS) or source.suffix.lower() in (".rdata", ".rda"):
        return _from_r(source.name, data)
    file = opened(path)
    rows = rows_of(file, max(",;\t", key=lines_of(file.text)[0].count))
    line, names = next(rows, (1, []))
    if not names or names == [""]:
        file.fail(1, "the line is blank, but must have the names of the columns")
    lower = [name.lower() for name in names]
    original = any(name in lower for name in ICPSR)
    if not original and not any(name in names for name in COUNTS):
        kinds = f"those of the counts table ({', '.join(COUNTS)}) nor those of the file of ICPSR ({', '.join(ICPSR)})"
        file.fail(line, f"the columns, {shown(', '.join(names))}, are neither {kinds}")
    wanted = ICPSR if original else COUNTS
    columns = _columns(lower if original else names, wanted, lambda reason: file.fail(line, reason))
    table: list[tuple[int, list[str]]] = []
    blank = 0
    for line, cells in rows:
        if cells in ([], [""]):
            blank = blank or line
            continue
        if blank:
            file.fail(blank, "the line is blank, but only the last lines may be")
        if len(cells) != len(names):
            file.fail(line, f"the row has {len(cells)} cells, but the names of the columns are {len(names)}")
        table.append((line, [cells[column] for column in columns]))
    if not table:
        file.fail(1, "the names of the columns are the only row: there must be people after them")
    return (_from_icpsr if original else _from_counts)(file, table)


def _from_counts(file: File, table: list[tuple[int, list[str]]]) -> Survey:
    numbers = [
        [_whole(file, line, name, cell) for name, cell in zip(COUNTS, cells, strict=True)] for line, cells in table
    ]
    return _expanded(np.array(numbers, dtype=np.int64), lambda row, reason: file.fail(table[row][0], reason))


def _from_icpsr(file: File, table: list[tuple[int, list[str]]]) -> Survey:
    complete = list(range(1, len(ITEMS) + 1))
    rankings, ages = [], []
    for line, (*cells, age) in table:
        pairs = zip(ICPSR, cells, strict=False)
        ranks = [0 if cell in NOT_GIVEN else _whole(file, line, name, cell) for name, cell in pairs]
        if sorted(ranks) != complete or age in NOT_GIVEN:
            continue
        years = _whole(file, line, ICPSR[-1], age)
        if not 15 <= years <= 120:
            file.fail(line, f"column {ICPSR[-1]} holds {years}, but must be an age from 15 to 120")
        rankings.append(ranks)
        ages.append(years)
    if not rankings:
        file.fail(
            table[0][0],
            f"neither this row nor any after it ranks all six sources and has an age: {', '.join(ICPSR[:-1])} are ranks, "
            f"{ICPSR[-1]} is the age",
        )
    groups = np.digitize(ages, AGES).astype(np.int64) + 1
    return _people(np.array(rankings, dtype=np.int64), None, groups, len(table) - len(rankings))


def _whole(file: File, line: int, name: str, cell: str) -> int:
    if not INTEGER.fullmatch(cell):
        file.fail(line, f"column {name} holds {shown(cell)}, but must hold a whole number of at most 9 digits")
    return int(cell)


def _columns(names: Sequence[str], wanted: Sequence[str], fail: Callable[[str], NoReturn]) -> list[int]:
    lacking = [name for name in wanted if name not in names]
    if lacking:
        which = f"columns {', '.join(lacking)} are" if len(lacking) > 1 else f"column {lacking[0]} is"
        fail(f"the {which} missing: there must be {', '.join(wanted)}")
    for name in wanted:
        if names.count(name) > 1:
            fail(f"there are {names.count(name)} columns {name}, but there must be one")
    return [names.index(name) for name in wanted]


def _expanded(numbers: Ranks, fail: Callable[[int, str], NoReturn]) -> Survey:
    """Return the people of a table that has the columns of the counts table."""
    size = len(ITEMS)
    ranks, (sex, groups, counts) = numbers[:, :size], numbers[:, size:].T
    for row in np.flatnonzero((np.sort(ranks, axis=1) != np.arange(1, size + 1)).any(axis=1)):
        fail(int(row), f"the ranks {', '.join(map(str, ranks[row]))} must be the numbers from 1 to {size}, each once")
    for name, values, least, most in (("SEX", sex, 1, 2), ("AGE4", groups, 1, 4), ("y", counts, 0, None)):
        for row in np.flatnonzero((values < least) | (False if most is None else values > most)):
            rule = f"a number from {least}" + ("" if most is None else f" to {most}")
            fail(int(row), f"column {name} holds {values[row]}, but must hold {rule}")
    if not counts.any():
        fail(0, "column y holds 0, here and in all rows after it: there must be people")
    # Memory for X, sex, age group and label, and for computing them.
    check_size(sum(counts.tolist()), size + 4)
    return _people(ranks.repeat(counts, axis=0), sex.repeat(counts), groups.repeat(counts), 0)


def _people(X: Ranks, sex: Ranks | None, groups: Ranks, left_out: int) -> Survey:
    return Survey(X, (groups >= 3).astype(np.int64), list(ITEMS), sex, groups, left_out)


def _from_r(name: str, data: bytes) -> Survey:
    frame = RFrame(name, data)
    said = [ITEMS[PREFMOD.index(column)] if column in PREFMOD else column for column in frame.columns]
    numbers = np.array([frame.whole(column) for column in _columns(said, COUNTS, frame.fail)]).T
    ranks = numbers[:, : len(ITEMS)]
    ahead = len(ITEMS) + 1 - 2 * np.arange(1, len(ITEMS) + 1)
    if np.isin(ranks, ahead).all():
        ranks[:] = (len(ITEMS) + 1 - ranks) // 2
    return _expanded(numbers, lambda row, reason: frame.fail(f"row {row + 1}: {reason}"))


class RFrame:
    """The only data frame of a file that R saved, read with the package rdata."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        try:
            import rdata
        except ImportError:
            why = f'{name} is a file of R, which needs the package rdata: pip install "wkendall[rdata]"'
            raise ImportError(why) from None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about classes of R that it does not know
                found = rdata.conversion.convert(rdata.parser.parse_data(data))
        except Exception as error:  # a damaged file can raise any
            reason = f"{type(error).__name__}: {short(str(error), 200)}" if str(error) else type(error).__name__
            self.fail(f"the file cannot be read as one that R's save() writes ({reason})")
        values = found.values() if isinstance(found, dict) else [found]
        frames = [value for value in values if hasattr(value, "iloc") and hasattr(value, "columns")]
        if len(frames) != 1:
            self.fail(f"there must be one data frame in the file, but there are {len(frames)}")
        self._frame: Any = frames[0]
        self.columns = [str(column) for column in self._frame.columns]
        if not len(self._frame):
            self.fail("the data frame has no rows")

    def fail(self, reason: str) -> NoReturn:
        """Raise an error about the file."""
        raise ValueError(f"{self.name}: {reason}") from None

    def whole(self, column: int) -> Ranks:
        """Return the whole numbers of a column; for a factor of R, its levels, or its codes if the levels are words."""
        series, name = self._frame.iloc[:, column], self.columns[column]
        values: list[Any] = series.tolist()
        if hasattr(series, "cat"):
            levels = [str(level) for level in series.cat.categories]
            if not all(map(INTEGER.fullmatch, levels)):
                values = [None if code < 0 else code + 1 for code in series.cat.codes.tolist()]
        found = []
        for row, value in enumerate(values, 1):
            whole = isinstance(value, float) and value.is_integer()
            text = str(int(value)) if whole else str(value)
            if not isinstance(value, int | float | str) or not INTEGER.fullmatch(text):
                said = shown(value) if isinstance(value, int | float | str) and value == value else "NA"
                self.fail(f"row {row}: column {name} holds {said}, but must hold a whole number of at most 9 digits")
            found.append(int(text))
        return np.array(found, dtype=np.int64)
