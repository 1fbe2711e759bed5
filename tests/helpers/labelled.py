"""What the tests of estimators share: rankings of two classes, scores and objectives by definition, singular subspaces."""

import numpy as np
import wkendall
from nouns import kernel_of
from wkendall import (
    AlternatingClassifier,
    AlternatingRegressor,
    KendallFeatures,
    KendallGram,
    KendallNystroem,
    SuquanSVDClassifier,
    SuquanSVDRegressor,
)

CLASSIFIERS = [SuquanSVDClassifier, AlternatingClassifier]
REGRESSORS = [SuquanSVDRegressor, AlternatingRegressor]
KINDS = [KendallGram, KendallNystroem, KendallFeatures]
KERNEL = {"weight", "k", "u", "U", "W", "order", "check", "signed", "normalize", "lam"}
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


def made(kind, options, **more):
    """An estimator with the kernel and the other parameters that options describe."""
    kernel = {name: value for name, value in options.items() if name in KERNEL}
    others = {name: value for name, value in options.items() if name not in KERNEL}
    return kind(kernel=kernel_of(kernel) if kernel else None, **others, **more)


def pieces_of(mapping, X, size):
    return np.concatenate([vectors for _, vectors in mapping.chunks(X, size)])


def pure_basis(n, order):
    """Tensors that are zero where indices are equal and have zero sums: the null space of these conditions."""
    rows = []
    shape = (n,) * order
    for place in np.ndindex(*shape):
        if len(set(place)) < order:
            row = np.zeros(shape)
            row[place] = 1
            rows.append(row.ravel())
    for axis in range(order):
        for place in np.ndindex(*shape[1:]):
            row = np.zeros(shape)
            row[(*place[:axis], slice(None), *place[axis:])] = 1
            rows.append(row.ravel())
    conditions = np.array(rows).reshape(-1, n**order)
    _, sizes, right = np.linalg.svd(conditions)
    rank = int((sizes > 1e-9).sum())
    return right[rank:]


def leading_subspaces(M, count):
    """The different singular values of a matrix, and for each the projections on its left and right singular vectors."""
    left, values, right = np.linalg.svd(M)
    found = []
    while len(values) and values[0] > 1e-12 and len(found) < count:
        same = values > values[0] * (1 - 1e-8)
        found.append((values[0], left[:, same] @ left[:, same].T, right[same].T @ right[same], int(same.sum())))
        left, values, right = left[:, ~same], values[~same], right[~same]
    return found
