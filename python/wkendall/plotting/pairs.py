"""Bar chart of the pairs of items that matter most to a function of rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wkendall._arguments import real_array
from wkendall._errors import bad_type
from wkendall._text import shown
from wkendall.plotting.figures import axes_or_new
from wkendall.statistics.importance import PairImportance

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_pairs(importance: PairImportance, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Bar chart of pairs of items, the largest effect on top: which item comes first, and how much that adds.

    Parameters
    ----------
    importance : PairImportance
        The result of `pair_importance`, with the names of the items if the rankings had names.
    ax : matplotlib Axes, optional
        The axes to draw on; a new figure if absent.
    title : str, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import wkendall
    >>> X = wkendall.Rankings([[1, 2, 3], [2, 1, 3]], items=["tea", "milk", "water"])
    >>> ax = wkendall.plotting.plot_pairs(wkendall.pair_importance(X, [1, -1], n_pairs=2))
    """
    if not isinstance(importance, tuple) or len(importance) != 3:
        raise bad_type("importance", f" must be what pair_importance returns, not {shown(importance)}")
    first, second, effects = importance
    lengths = real_array(effects, "effect", (1,), "an array of effects")
    if len(first) != len(lengths) or len(second) != len(lengths):
        raise ValueError(
            f"importance has {len(first)}, {len(second)} and {len(lengths)} entries, but must have as many of each"
        )
    ax = axes_or_new(ax)
    places = np.arange(len(lengths), 0, -1)
    ax.barh(places, lengths, color="#4477aa", height=0.7)
    ax.set_yticks(places, [f"{one} before {other}" for one, other in zip(first, second, strict=True)])
    ax.set(xlabel="effect", ylim=(0.4, len(lengths) + 0.6))
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    if title is not None:
        ax.set_title(title)
    return ax
