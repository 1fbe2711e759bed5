"""Data frames in files that R saved, read with the package rdata."""

from __future__ import annotations

import re
import warnings
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from wkendall._text import short, shown

INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
#: The first bytes of such files: compressed, or not.
STARTS = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"RDX", b"RDA", b"RDB")


class RFrame:
    """The only data frame of a file that R saved."""

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

    def whole(self, column: int) -> NDArray[np.int64]:
        """Return the whole numbers of a column; for a factor those of its levels, or its codes if the levels are words."""
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
