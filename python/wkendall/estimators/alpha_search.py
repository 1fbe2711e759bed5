"""The strength alpha of a penalty of weights, chosen on held-out rankings.

The rankings are split five times into a part for training and a held-out fifth, by classes where there are classes. Each
candidate is fitted on the first part and scored on the second. With `toward`, the last candidate is so large that the
weights stay where they start: it is the fixed kernel. The candidate with the best mean score is chosen, if its mean
exceeds that of the fixed kernel by more than two standard errors of the difference; equal scores choose the larger alpha.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold

from wkendall._arguments import Array
from wkendall.rankings import Rankings

#: Powers of ten of the candidates.
POWERS = np.arange(-2.0, 5.0)
#: The same with U0, relative to the alpha at which U0 and its coefficients have equal penalties. The last power is that of
#: the fixed kernel. From 3 on the weights hardly differ from U0; a smooth penalty needs the smallest powers.
FIXED = 9.0
TOWARD = np.append(np.arange(-4.0, 3.0), FIXED)
FOLDS = 5
#: The standard errors by which a candidate must exceed the fixed kernel. It is the best of seven: with one standard error,
#: noise alone moves the weights in about half of the samples of a survey.
ERRORS = 2.0
#: The least tolerance of candidates. With a smaller one they take twice as long and have the same scores.
COARSE = 1e-3
#: The difference between the scores of training and of held-out rankings from which on a warning is given.
GAP = 0.2


class Chosen(NamedTuple):
    """The chosen alpha, and a table of candidates and their mean scores."""

    alpha: float
    scores: Array


def choose_alpha(model: Any, rankings: Rankings, y: NDArray[Any], weights: Array) -> Chosen:
    """Choose alpha for a model; every other parameter is that of the model."""
    candidates = 10.0**POWERS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "the model predicts class", UserWarning)
        if model.toward is not None:
            start = clone(model).set_params(alpha=10.0**FIXED, max_iter=1).fit(rankings, y, weights)
            tensors = [[part] if isinstance(part, np.ndarray) else part for part in (start.U_, start.B_)]
            ratios = [float(np.vdot(B, B) / np.vdot(U, U)) for U, B in zip(*tensors, strict=True)]
            scale = max(float(np.median(ratios)), np.finfo(float).tiny)
            candidates = 10.0**TOWARD * scale
        splits = _splits(model, y)
        table = np.array(
            [[_score(model, alpha, rankings, y, weights, *split) for split in splits] for alpha in candidates]
        )
    held, trained = table[..., 0], table[..., 1].mean(axis=1)
    means = held.mean(axis=1)
    best = len(means) - 1 - int(np.argmax(means[::-1]))
    gains = held[best] - held[-1]
    if model.toward is not None and gains.mean() <= ERRORS * gains.std(ddof=1) / np.sqrt(len(gains)):
        best = len(means) - 1
    if trained[best] - means[best] > GAP:
        scores = f"{trained[best]:.2f} for the rankings of training and {means[best]:.2f} for held-out ones"
        advice = "a smaller C may help" if model.toward is not None else "toward='standard' or a smaller C may help"
        warnings.warn(f"the learned weights do not generalise: the mean score is {scores}; {advice}", stacklevel=4)
    return Chosen(float(candidates[best]), np.column_stack([candidates, means]))


def _splits(model: Any, y: NDArray[Any]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    kind = StratifiedKFold if is_classifier(model) else KFold
    fewest = int(np.unique(y, return_counts=True)[1].min()) if is_classifier(model) else len(y)
    if fewest < 2:
        raise ValueError("alpha is 'auto', which needs at least two rankings of each class: give a number")
    folds = kind(min(FOLDS, fewest), shuffle=True, random_state=0)
    return list(folds.split(np.zeros(len(y)), y))


def _score(
    model: Any,
    alpha: float,
    rankings: Rankings,
    y: NDArray[Any],
    weights: Array,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> tuple[float, float]:
    """Return the scores of the held-out rankings and of those of training."""
    fitted = (
        clone(model).set_params(alpha=alpha, tol=max(model.tol, COARSE)).fit(rankings[train], y[train], weights[train])
    )
    held, own = ((rankings[rows], y[rows], weights[rows]) for rows in (test, train))
    return fitted.score(*held), fitted.score(*own)
