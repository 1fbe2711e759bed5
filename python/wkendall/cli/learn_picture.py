"""The picture of `wkendall learn`: the effect of the ranks of items on the decision, and the weights of positions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wkendall._arguments import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Up to this many items the picture shows pairs of positions; for more items it shows single positions.
PAIRS_SHOWN = 50
#: Classes and parts of weights that are drawn, and items: of more items, those with the largest effects.
CLASSES, PARTS, ITEMS = 5, 2, 40
#: Effects of single items below this, relative to the coefficients, are rounding errors.
TINY = 1e-9


def draw(path: Path, order: int, model: Any, items: Sequence[object]) -> None:
    """Draw a row of panels for each class: first the effects of the ranks of items, then the weights."""
    from matplotlib.figure import Figure

    from wkendall.plotting import plot_position_scores, plot_weights
    from wkendall.plotting.axes import written

    one = isinstance(model.U_, np.ndarray)
    pairs = [(model.U_, model.B_)] if one else list(zip(model.U_, model.B_, strict=True))
    known = getattr(model, "classes_", None)
    parts = [U.reshape(-1, *U.shape[U.ndim - order :]) for U, _ in pairs]
    rows, columns = min(len(pairs), CLASSES), 1 + min(max(map(len, parts)), PARTS)
    tall = max(5.0, 1.6 + 0.2 * min(len(items), ITEMS))
    figure = Figure(figsize=(6.5 * columns, tall * rows), layout="constrained")
    plot = plot_position_scores if len(items) > PAIRS_SHOWN else plot_weights
    for row, ((U, B), members) in enumerate(zip(pairs[:rows], parts, strict=False)):
        classes = None if known is None else tuple(known) if one else ("other classes", known[row])
        of_class = "" if one or known is None else f", class {written(known[row], 24)}"
        draw_items(figure.add_subplot(rows, columns, row * columns + 1), order, U, B, items, classes, of_class)
        for number, member in enumerate(members[:PARTS], 1):
            part = f", part {number} of {len(members)}" if len(members) > 1 else ""
            ax = figure.add_subplot(rows, columns, row * columns + 1 + number)
            plot(member, ax=ax, title=f"weights of positions{of_class}{part}")
    if rows < len(pairs):
        figure.suptitle(f"the first {rows} of {len(pairs)} classes")
    with warnings.catch_warnings():
        # The plots have warned of letters that no font has, once.
        warnings.filterwarnings("ignore", "Glyph .* missing")
        figure.savefig(path, dpi=120)


def draw_items(ax: Axes, order: int, U: Array, B: Array, items: Sequence[object], classes: Any, of_class: str) -> None:
    """Draw the effect of each rank of each item. If these effects are all zero, draw the coefficients of pairs."""
    from wkendall.plotting import plot_matrix, plot_weights
    from wkendall.plotting.axes import two_labels

    labels = two_labels(classes)
    effects = rank_effects(order, U, B)
    scale = float(np.abs(U).max(initial=0.0) * np.abs(B).max(initial=0.0))
    if order == 2 and B.ndim == 2 and not np.abs(effects).max(initial=0.0) > TINY * scale:
        plot_weights(B, items=items, ax=ax, title=f"coefficients of pairs of items{of_class}", values=False)
        speaks = "raises the prediction" if labels is None else f"speaks for {labels[1]}"
        ax.set_xlabel(f"second item\n(coefficient times weight of the two ranks: a positive product {speaks})")
        return
    reach = np.ptp(effects, axis=1)
    some = np.sort(np.argsort(-reach, kind="stable")[:ITEMS])
    some = some[np.argsort(-effects[some, 0], kind="stable")]
    largest = float(np.abs(effects).max(initial=0.0)) or 1.0
    bar = "red raises the prediction" if labels is None else f"red speaks for {labels[1]}\nblue speaks for {labels[0]}"
    plot_matrix(
        effects[some], labels=[items[item] for item in some], column_labels=range(1, effects.shape[1] + 1), cluster=False,
        vmin=-largest, vmax=largest, ax=ax, bar=bar, title=f"what the rank of an item adds{of_class}",
    )  # fmt: skip
    ax.set_aspect("auto")
    ax.tick_params(axis="x", labelrotation=0)
    first = "" if len(some) == len(items) else f" ({len(some)} of {len(items)} items)"
    ax.set(xlabel="rank of the item", ylabel=f"item{first}")


def rank_effects(order: int, U: Array, B: Array) -> Array:
    """Return the effect of each rank of each item on the learned function.

    The effect is the mean of the function over all rankings in which the item has this rank, minus the mean over all
    rankings. The function is the sum over all items i, j of U[rank of i, rank of j] B[i, j]. With order 1, it is the
    sum over all items i of U[rank of i] B[i].
    """
    n = B.shape[-1]
    total = np.zeros((n, n))
    for weights, coefficients in zip(U.reshape(-1, *(n,) * order), B.reshape(-1, *(n,) * order), strict=True):
        if order == 1:
            total += np.outer(coefficients, weights) + np.outer(coefficients.sum() - coefficients, _others(weights))
            continue
        own, each = np.diag(weights), np.diag(coefficients)
        first, second = weights.sum(axis=1) - own, weights.sum(axis=0) - own
        before, behind = coefficients.sum(axis=1) - each, coefficients.sum(axis=0) - each
        rest = (first.sum() - first - second) / max((n - 1) * (n - 2), 1)
        total += np.outer(each, own) + (np.outer(before, first) + np.outer(behind, second)) / max(n - 1, 1)
        total += np.outer(each.sum() - each, _others(own)) + np.outer(before.sum() - before - behind, rest)
    return np.asarray(total - total.mean(axis=1, keepdims=True))


def _others(values: Array) -> Array:
    """Return, for each value, the mean of all other values."""
    return np.asarray((values.sum() - values) / max(len(values) - 1, 1))
