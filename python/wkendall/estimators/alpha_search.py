"""Choose the given weights U0, the cost C of errors and the strength alpha of the penalty, on held-out rankings.

The rankings are split into five folds, and each fold is held out once. If there are classes, all folds have nearly the
same share of each class. The kernel with the unchanged weights U0 is called the fixed kernel of U0. First, the fixed
kernels of all candidates U0 are compared, each of them with every value of C. A fixed kernel is fitted in milliseconds,
so this comparison uses several random splits into folds. Then weights are learned on the first split, for several
values of alpha: with a penalty on the distance from the best U0, and, if zero is a candidate for U0, with a penalty on
the distance from zero. The best learned weights are chosen only if they are better than the best fixed kernel by more
than 1.5 standard errors. Each held-out ranking has two scores, one from the learned weights and one from the fixed
kernel. The standard error is the standard error of the mean difference of these two scores.

For classes, learned weights are compared with the fixed kernel by the mean of two numbers: the accuracy, and the area
under the ROC curve. The accuracy alone often misses large gains: with 160 rankings, the difference of two accuracies
has a standard error of 0.04. The difference of two areas has a smaller standard error, because an area depends on the
predicted values and not only on their signs. The area alone can mislead: in data of surveys, some weights with a larger
area have a lower accuracy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold

from wkendall._arguments import Array
from wkendall._errors import bad_argument
from wkendall.learning.alternating import EXACT, FACTOR_STEPS
from wkendall.learning.bases import Base
from wkendall.learning.coefficients import Loss, Problem
from wkendall.learning.interior_point import FromFeatures, FromGram

#: Candidates for C of a kernel of variance 1.
COSTS = 10.0 ** np.arange(-2, 3)
#: Candidates for alpha without U0 if C is 1. Only C / alpha^(1/2) matters.
ZERO = 10.0 ** np.arange(-2.0, 5.0)
#: The same if they compete with named weights.
FEW_ZERO = 10.0 ** np.arange(-3.0, 2.0, 2.0)
#: The same with U0, relative to the alpha at which U0 and its coefficients have equal penalties. The last is that of the fixed
#: kernel. From 10^3 on the weights hardly differ from U0; a smooth penalty needs the smallest ones.
TOWARD = 10.0 ** np.arange(-4.0, 3.0)
#: The same if there are several U0.
FEW_TOWARD = 10.0 ** np.arange(-4.0, 1.0, 2.0)
FIXED = 1e9
#: The folds, and how often the rankings are split for fixed kernels: so that about so many predictions are scored.
FOLDS, SPLITS, PREDICTIONS = 5, (2, 10), 800
#: The standard errors by which a fixed kernel must exceed the first one, so that one ranking does not decide.
PREFERRED = 1.0
#: Those by which learned weights must exceed the fixed kernel. They are the best of several: with one standard error of the
#: accuracy, noise alone moves the weights in about half of the samples of a survey.
ERRORS = 1.5
#: The least tolerance of candidates. With a smaller one they take twice as long and have the same scores.
COARSE = 1e-3
#: The relative accuracy of the steps of candidates, and of fixed kernels.
ACCURATE, ROUGH = 1e-6, 1e-3
#: How many factors of B a step over U tries for candidates.
FEW_FACTORS = 2
#: After so many folds, candidates that are worse than the fixed kernel are given up.
FIRST = 2
#: From more rankings than this, a random part of about as many is used.
MOST = 1000
#: A kernel whose variance is below this fraction of its mean value for a ranking and itself is constant.
CONSTANT = 1e-12
#: The difference between the scores of training and of held-out rankings from which on a warning is given.
GAP = 0.2

Rows = NDArray[np.intp]


class Setting(NamedTuple):
    """The parameters of a fit: U0 (`base`), C, alpha, the initial weights, and how exactly the problems are solved."""

    base: Base | None
    C: float
    alpha: float
    init: Any
    tol: float
    accuracy: float = EXACT
    factor_steps: int = FACTOR_STEPS


class Scored(NamedTuple):
    """A setting, scores of held-out rankings (one column per split), and `_places` of the first split."""

    setting: Setting
    scores: Array
    places: Array


class Candidate(NamedTuple):
    """The values of a candidate: U0 (`toward`), C and alpha, and the mean score on held-out rankings."""

    toward: Any
    C: float
    alpha: float
    score: float


class Chosen(NamedTuple):
    """The chosen setting, its mean score on held-out rankings, and all candidates."""

    setting: Setting
    score: float
    candidates: list[Candidate]


class Search(NamedTuple):
    """The data of a search. The functions `gram` and `fit` use the rankings, which are not stored here."""

    targets: list[Array]
    #: The weight of each ranking in scores, and in losses.
    weights: Array
    costs: Array
    #: The score of each ranking, from what the functions of all targets return for it.
    judge: Callable[[Array], Array]
    #: The classes, if there are classes.
    classes: NDArray[np.intp] | None
    loss: Loss
    gram: Callable[[Base], Array]
    #: Fits all functions with a setting and the costs of errors, and returns what they give for every ranking.
    fit: Callable[[Setting, Array], Array]


def sampled(costs: Array, classes: NDArray[np.intp] | None) -> Rows:
    """Return the rows of the rankings with positive costs, or a random part of them if there are more than `MOST`."""
    rows = np.flatnonzero(costs > 0)
    parts = -(-len(rows) // MOST)
    if parts < 2:
        return rows
    kind = KFold if classes is None else StratifiedKFold
    folds = kind(parts, shuffle=True, random_state=0)
    part: Rows = next(folds.split(rows, None if classes is None else classes[rows]))[1]
    return rows[part]


def choose(search: Search, bases: list[Base | None], C: float | None, init: Any, tol: float, *, scaled: bool) -> Chosen:
    """Choose U0 and alpha, and C if it is None. With `scaled`, each U0 is scaled so that its kernel has variance 1."""
    least, most = SPLITS
    splits = [_folds(search, seed) for seed in range(min(max(PREDICTIONS // len(search.costs), least), most))]
    named = [base for base in bases if base is not None]
    candidates: list[Candidate] = []
    settings: list[Setting] = []
    if None in bases:
        # Only C / alpha^(1/2) matters without U0.
        cost = C or 1.0
        alphas, start = (FEW_ZERO * cost**2, "suquan") if named else (ZERO, init)
        settings += [Setting(None, cost, alpha, start, tol) for alpha in alphas]
    fixed = None
    if named:
        kernels = [
            _best_cost(search, Setting(base, C or 0.0, 0.0, init, tol), splits, candidates, scaled) for base in named
        ]
        fixed = kernels[0]
        for other in kernels[1:]:
            if _better(search, other.scores, fixed.scores, PREFERRED):
                fixed = other
        relative = TOWARD if len(named) == 1 else FEW_TOWARD
        settings += [fixed.setting._replace(alpha=fixed.setting.alpha / FIXED * alpha) for alpha in relative]
    rival = None if fixed is None else fixed.places
    tried = [_held_out(search, setting, splits[0], rival) for setting in settings]
    learned = [one for one in tried if one is not None]
    candidates += [_row(search, one) for one in learned]
    # Equal places choose the larger alpha.
    best = max(learned, key=lambda one: (round(_mean(search, one.places), 9), one.setting.alpha), default=fixed)
    assert best is not None
    if fixed is not None and not _better(search, best.places, fixed.places, ERRORS):
        best = fixed
    return Chosen(best.setting, _mean(search, best.scores), candidates)


def _mean(search: Search, scores: Array) -> float:
    """Return the mean of the scores of rankings, over all splits."""
    return float(np.average(scores.reshape(len(scores), -1).mean(axis=1), weights=search.weights))


def _better(search: Search, scores: Array, others: Array, errors: float) -> bool:
    """Return whether the mean of `scores` is above the mean of `others` by more than `errors` standard errors."""
    shares = search.weights / search.weights.sum()
    gains = (scores - others).reshape(len(scores), -1).mean(axis=1)
    mean = float(shares @ gains)
    return mean > errors * float(np.sqrt(shares**2 @ (gains - mean) ** 2)) * (1 + 1e-9) + 1e-12


def _best_cost(
    search: Search, setting: Setting, splits: list[list[Rows]], candidates: list[Candidate], scaled: bool
) -> Scored:
    """Return the fixed kernel of a setting, with the given C or else with the C of the best mean score."""
    base = setting.base
    assert base is not None
    shares = search.weights / search.weights.sum()
    gram = search.gram(base)
    size = float(shares @ gram.diagonal())
    variance = size - float(shares @ gram @ shares)
    if not variance > CONSTANT * size:
        variance = size
    if scaled:
        base, gram, variance = base._replace(scale=variance**-0.5), gram / variance, 1.0
    features = _features(gram)
    found = []
    for cost in [setting.C] if setting.C else COSTS / variance:
        tables = [_fixed(search, gram, features, cost, folds) for folds in splits]
        values, square = tables[0]
        ratio = max(square / base.square(), np.finfo(float).tiny)
        one = setting._replace(base=base, C=float(cost), alpha=FIXED * ratio)
        scores = np.column_stack([search.judge(held) for held, _ in tables])
        found.append(Scored(one, scores, _places(search, values, splits[0])))
    candidates += [_row(search, one) for one in found]
    return max(found, key=lambda one: (round(_mean(search, one.scores), 9), -one.setting.C))


def _features(gram: Array) -> Array | None:
    """Return feature vectors of the rankings if these vectors are less than half as long as the Gram matrix."""
    values, vectors = eigh(gram)
    kept = values > 1e-10 * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept]) if kept.sum() < len(gram) / 2 else None


def _fixed(search: Search, gram: Array, features: Array | None, C: float, folds: list[Rows]) -> tuple[Array, float]:
    """Fit a fixed kernel for each fold. Return the predicted values of held-out rankings, and the median of |B|^2."""
    given = np.empty((len(gram), len(search.targets)))
    squares = []
    for held, train in _parts(folds, search.costs):
        kernel = FromGram(gram[np.ix_(train, train)]) if features is None else FromFeatures(features[train])
        across = gram[np.ix_(held, train)]
        for column, targets in enumerate(search.targets):
            problem = Problem(kernel, targets[train], C * search.costs[train])
            coefficients, intercept = search.loss.solve(problem, ROUGH)
            given[held, column] = across @ coefficients + intercept
            squares.append(float(coefficients @ kernel.times(coefficients)))
    return given, float(np.median(squares))


def _held_out(search: Search, setting: Setting, folds: list[Rows], rival: Array | None) -> Scored | None:
    """Score learned weights on held-out rankings.

    `rival` contains the places of a fixed kernel (see `_places`). The result is None if, after the first `FIRST` folds,
    the mean place of the learned weights is below the mean place of the fixed kernel.
    """
    given = np.zeros((len(search.costs), len(search.targets)))
    coarse = setting._replace(tol=max(setting.tol, COARSE), accuracy=ACCURATE, factor_steps=FEW_FACTORS)
    for number, (held, train) in enumerate(_parts(folds, search.costs), 1):
        costs = np.zeros_like(search.costs)
        costs[train] = search.costs[train]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            given[held] = search.fit(coarse, costs)[held]
        if rival is not None and number == FIRST:
            done = np.concatenate(folds[:FIRST])
            if search.weights[done] @ (_places(search, given, folds[:FIRST]) - rival)[done] < 0:
                return None
    return Scored(setting, search.judge(given)[:, np.newaxis], _places(search, given, folds))


def _places(search: Search, values: Array, folds: list[Rows]) -> Array:
    """Return a number for each ranking, its place: the mean of its score and of a share.

    Take the rankings of other classes in the same fold as a ranking r. The share is the share of these rankings whose
    predicted value for the class of r is below the predicted value of r. The mean share over two classes is the area
    under the ROC curve. If there are no classes, the place is the score.
    """
    scores = search.judge(values)
    if search.classes is None:
        return scores
    columns = np.hstack([-values, values]) if values.shape[1] == 1 else values
    places = np.zeros(len(values))
    for held in folds:
        for one in np.unique(search.classes[held]):
            own = search.classes[held] == one
            mine, others = columns[held[own], one], columns[held[~own], one]
            weights = search.weights[held[~own]]
            lower = (mine[:, np.newaxis] > others) + 0.5 * (mine[:, np.newaxis] == others)
            places[held[own]] = lower @ weights / weights.sum()
    return (scores + places) / 2


def _parts(folds: list[Rows], costs: Array) -> Iterator[tuple[Rows, Rows]]:
    """Yield, for each fold, the rows of the fold and the rows of all other rankings."""
    for held in folds:
        yield held, np.setdiff1d(np.arange(len(costs)), held)


def _folds(search: Search, seed: int) -> list[Rows]:
    rows, classes = len(search.costs), search.classes
    fewest = rows if classes is None else int(np.bincount(classes).min())
    if fewest < 2:
        raise bad_argument("alpha", " is 'auto', which needs at least two rankings of each class: give a number")
    kind = KFold if classes is None else StratifiedKFold
    split = kind(min(FOLDS, fewest), shuffle=True, random_state=seed).split(np.zeros(rows), classes)
    return [held for _, held in split]


def _row(search: Search, one: Scored) -> Candidate:
    base, C, alpha = one.setting[:3]
    return Candidate(None if base is None else base.weights, C, float(alpha), _mean(search, one.scores))
