"""Rankings of two classes, and scores and objectives by definition."""

import numpy as np
import wkendall
from wkendall import AlternatingClassifier, AlternatingRegressor, SuquanSVDClassifier, SuquanSVDRegressor

CLASSIFIERS = [SuquanSVDClassifier, AlternatingClassifier]
REGRESSORS = [SuquanSVDRegressor, AlternatingRegressor]
NAN = float("nan")


def two_classes(rng, rows=80, items=5):
    """Rankings of people of whom one half tends to put the first two items first."""
    scores = rng.standard_normal((rows, items))
    y = np.arange(rows) % 2
    scores[:, :2] += 1.5 * y[:, np.newaxis]
    return (-scores).argsort(axis=1).argsort(axis=1) + 1, y


def scores_of(model, X, inverted=False):
    """The scores of a fitted model from the tensors of the rankings, all of them built."""
    U, B = (model.B_, model.U_) if inverted else (model.U_, model.B_)
    order = int(model.order)
    X = wkendall.inverse(X) if inverted else X
    pairs = zip(U.reshape(-1, *U.shape[-order:]), B.reshape(-1, *B.shape[-order:]), strict=True)
    return sum(np.tensordot(wkendall.embed(X, u), b, axes=order) for u, b in pairs) + model.intercept_


def objective(model, X, y, C, squares=False):
    """The objective of the alternating estimators, from its definition."""
    scores = scores_of(model, X)
    losses = (y - scores) ** 2 if squares else np.maximum(0, 1 - np.where(y == model.classes_[1], 1, -1) * scores)
    return C * losses.sum() + (model.U_**2).sum() / 2 + (model.B_**2).sum() / 2
