"""Functions that all plots use: for the axes, for their size, and for the names in a plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from wkendall._errors import bad_argument, short, shown
from wkendall.plotting.fonts import use_fonts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The height of a row of a new figure, of rows if there are more than 40, of rows with numbers, and of everything around
#: the rows, in inches.
ROW, LOW_ROW, NUMBER_ROW, AROUND = 0.22, 0.15, 0.45, 1.6
#: The longest name, in letters.
LONGEST = 40
#: The width of a letter, in inches.
LETTER = 0.075
#: The size of names, the smallest one, and the part of a row that a name takes, in points.
LARGE, LEAST, FILLED = 8.3, 3.0, 0.8


def axes_or_new(ax: Axes | None) -> Axes:
    """Return the given axes, or the axes of a new figure."""
    if ax is not None:
        if not hasattr(ax, "set_xlabel"):
            raise TypeError(f"ax must be Axes of matplotlib or None, not {shown(ax)}")
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'wkendall[plot]'") from None
    return plt.figure(layout="constrained").add_subplot()


def tall_axes(ax: Axes | None, rows: int, row: float | None = None, least: float = 3.6, square: bool = False) -> Axes:
    """Return the given axes, or new axes with a height (in inches) of `row` for each row, and at least `least`."""
    new = ax is None
    ax = axes_or_new(ax)
    if new:
        height = max(least, (row or (ROW if rows <= 40 else LOW_ROW)) * rows + AROUND)
        ax.figure.set_size_inches(max(6.4, height + 1.5) if square else 6.4, height)  # type: ignore[union-attr]
    return ax


def widened(ax: Axes, names: Sequence[object], tall: bool = False) -> None:
    """Make a new figure wider, or wider and taller, for long names beside the axes."""
    letters = max((len(written(name)) for name in names), default=0)
    more = max(0.0, LETTER * letters - 1.2)
    width, height = ax.figure.get_size_inches()  # type: ignore[union-attr]
    ax.figure.set_size_inches(width + more, height + more * tall)  # type: ignore[union-attr]


def axes_of_rows(ax: Axes | None, names: Sequence[object]) -> Axes:
    """Return the given axes, or new axes that fit the names of the rows."""
    new = ax is None
    ax = tall_axes(ax, len(names))
    if new:
        widened(ax, names)
    return ax


def written(name: object, longest: int = LONGEST) -> str:
    """Return a name as it is drawn: on one line, shortened, and with escaped dollar signs."""
    return short(str(name), longest).replace("$", r"\$")


def size_of_names(ax: Axes, count: int, axis: str = "y") -> float:
    """Return the font size, in points, at which this number of names fits beside the axes."""
    box = ax.get_window_extent()
    length = (box.height if axis == "y" else box.width) * 72 / ax.figure.dpi
    return float(np.clip(FILLED * length / max(count, 1), LEAST, LARGE))


def letters_beside(ax: Axes) -> int:
    """Return how many letters of a name fit beside the axes: names take up to half of the width of the axes."""
    width = ax.get_window_extent().width / ax.figure.dpi
    return int(np.clip(0.5 * width / LETTER, 8, LONGEST))


def name_rows(ax: Axes, names: Sequence[object], places: ArrayLike | None = None) -> None:
    """Write names beside the rows; the default places of the rows are 0, 1, 2, ..."""
    at = np.arange(len(names)) if places is None else np.asarray(places)
    longest = letters_beside(ax)
    ax.set_yticks(at, [written(name, longest) for name in names], fontsize=size_of_names(ax, len(names)))


def title_axes(ax: Axes, title: str | None, **how: Any) -> Axes:
    """Add the title, if there is one, and choose fonts that have all letters; return the axes."""
    from matplotlib.text import Text

    if title is not None:
        ax.set_title(title, **how)
    use_fonts(text for text in ax.findobj(Text) if isinstance(text, Text))
    return ax


def two_labels(classes: Any) -> tuple[str, str] | None:
    """Return the labels of the classes for negative and for positive values, as they are drawn."""
    if classes is None:
        return None
    labels = list(classes) if np.ndim(classes) == 1 else []
    if len(labels) != 2:
        rule = "the two labels, such as model.classes_: the second is that of positive values"
        raise bad_argument("classes", f" is {shown(classes)}, but must be {rule}")
    return written(labels[0], 24), written(labels[1], 24)
