"""Cross-validated scores. An inner cross-validation chooses C, so that C is never chosen with the test data of a score.

C is the cost of errors. For each fold, the rankings of the other folds are split into inner folds. The C with the best
score on the inner folds is used to fit a model to all rankings of the other folds. The score of this model is then
computed on the fold that was left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import KernelCenterer
from sklearn.svm import SVC

from wkendall.cli.messages import CommandError
from wkendall.rankings import Rankings

Rows = NDArray[np.int64]
#: Fits on some rows with a given C, and returns the score on other rows.
Score = Callable[[float, Rows, Rows], float]


class Scores(NamedTuple):
    """The score on each fold, and the C of the model that was scored on this fold."""

    folds: list[float]
    C: list[float]

    @property
    def mean(self) -> float:
        """The mean over the folds."""
        return float(np.mean(self.folds))

    @property
    def sd(self) -> float:
        """The standard deviation over the folds, with the number of folds minus 1 in the denominator."""
        return float(np.std(self.folds, ddof=1))


class Plan(NamedTuple):
    """The split of labelled rankings into folds."""

    y: NDArray[Any]
    regression: bool
    grid: list[float]
    folds: int
    inner: int
    seed: int

    def fits(self) -> tuple[int, int]:
        """Return the number of fits that `scores` makes, and the number of fits that `best_C` makes."""
        search = 0 if len(self.grid) == 1 else self.inner * len(self.grid)
        return self.folds * (search + 1), search

    def scores(self, score: Score) -> Scores:
        """Compute the score on every fold."""
        found, chosen = [], []
        for train, test in self._split(np.arange(len(self.y)), self.folds):
            chosen.append(self.best_C(score, train))
            found.append(score(chosen[-1], train, test))
        return Scores(found, chosen)

    def best_C(self, score: Score, rows: Rows | None = None) -> float:
        """Return the C with the best cross-validated score on `rows` or all rows; of several such C, the smallest."""
        if len(self.grid) == 1:
            return self.grid[0]
        every = np.arange(len(self.y)) if rows is None else rows
        parts = list(self._split(every, self.inner))
        means = [np.mean([score(C, train, test) for train, test in parts]) for C in self.grid]
        return self.grid[int(np.argmax(means))]

    def _split(self, rows: Rows, folds: int) -> Iterator[tuple[Rows, Rows]]:
        kind = KFold if self.regression else StratifiedKFold
        for train, test in kind(folds, shuffle=True, random_state=self.seed).split(rows, self.y[rows]):
            yield rows[train], rows[test]


def plan_of(y: NDArray[Any], regression: bool, grid: list[float], folds: int, seed: int) -> Plan:
    """Return the split into folds. Raise an error if there are too few labels for `folds` folds and two inner folds."""
    if regression:
        # The score of a fold compares numbers with their mean, so a fold needs at least two.
        least = 8 if folds == 2 else 2 * folds
        if len(y) < least:
            raise CommandError(
                f"there are {len(y)} rankings, but {folds} folds need at least {least}{_other(folds, len(y) >= 6)}"
            )
        return Plan(y, True, grid, folds, min(folds, (len(y) - -(-len(y) // folds)) // 2), seed)
    classes, sizes = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise CommandError(f"all labels are {classes[0]!s}, but a classifier needs at least two classes")
    least = 4 if folds == 2 else folds
    size = int(sizes.min())
    if size < least:
        raise CommandError(
            f"class {classes[sizes.argmin()]!s} has {size} of the {len(y)} rankings, but {folds} folds need at least {least} of "
            f"each class{_other(folds, size >= 3)}; use --regression if the labels are numbers to predict"
        )
    return Plan(y, False, grid, folds, min(folds, size - -(-size // folds)), seed)


def _other(folds: int, three_do: bool) -> str:
    """Return advice about --folds. With 2 folds and 2 inner folds, more rankings are needed than with 3 folds."""
    if folds > 3:
        return ": use fewer --folds"
    return ": use --folds 3" if folds == 2 and three_do else ""


def learned(model: Any, X: Rankings, y: NDArray[Any]) -> Score:
    """Return a function that scores an estimator of the package for given C, training rows and test rows."""

    def score(C: float, train: Rows, test: Rows) -> float:
        return float(clone(model).set_params(C=C).fit(X[train], y[train]).score(X[test], y[test]))

    return score


def standard(K: NDArray[np.float64], y: NDArray[Any], regression: bool) -> Score:
    """As `learned`, for a support vector machine (or a kernel ridge regression) with a given Gram matrix `K`."""

    def score(C: float, train: Rows, test: Rows) -> float:
        own, cross = K[np.ix_(train, train)], K[np.ix_(test, train)]
        if not regression:
            return float(SVC(kernel="precomputed", C=C).fit(own, y[train]).score(cross, y[test]))
        # Ridge regression needs no intercept if the features and the targets are centred.
        centre, middle = KernelCenterer().fit(own), y[train].mean()
        ridge = KernelRidge(alpha=1 / (2 * C), kernel="precomputed").fit(centre.transform(own), y[train] - middle)
        return float(r2_score(y[test], ridge.predict(centre.transform(cross)) + middle))

    return score


def constant(y: NDArray[Any], regression: bool) -> Score:
    """As `learned`, for the best constant prediction: the largest class, or the mean of the labels."""
    model = DummyRegressor() if regression else DummyClassifier(strategy="most_frequent")

    def score(_: float, train: Rows, test: Rows) -> float:
        nothing = np.zeros((len(y), 1))
        return float(clone(model).fit(nothing[train], y[train]).score(nothing[test], y[test]))

    return score
