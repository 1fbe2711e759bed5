"""Weights of kernels by centred alignment with the targets: ALIGNF of Cortes, Mohri and Rostamizadeh (2012).

The paper is "Algorithms for learning kernels based on centered alignment", Journal of Machine Learning Research 13,
section 4.2. The weights v_k >= 0 minimise the distance between two matrices. The first matrix is the sum of v_k Kc_k
over the kernels, where Kc_k is the centred Gram matrix of kernel k. The second matrix is Y Y^T, where Y contains the
centred targets: one column for numbers, or one column for each class. This is a least squares problem with one unknown
for each kernel. This problem has one solution. The solution needs no starting point and no further parameters. The
mixture stays the same if a kernel is multiplied by a number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from wkendall._arguments import Array
from wkendall.statistics.samples import centered, reduced

#: A kernel whose centred values are below this, relative to the largest value before, is constant on the sample.
CONSTANT = 1e-12
#: Added to the squared norm of each normalized kernel, 1: kernels that are equal get equal parts.
RIDGE = 1e-9
#: Weights below this, relative to the largest, are zero.
LEAST = 1e-9


class Mixture(NamedTuple):
    """A mixture of kernels: for each kernel, its share in the variance of the mixture, and its factor."""

    shares: Array
    factors: Array


def align(grams: list[Array], targets: Array, weights: Array) -> Mixture:
    """Return the mixture that is best aligned with the columns of `targets`. The matrices `grams` are overwritten.

    The variance of a kernel is the weighted mean of the squared distances between the feature vectors of the rankings
    and the mean of these vectors. The factors are such that the mixture has variance 1. A kernel is aligned with the
    targets if its weight v_k is above 0. If no kernel is aligned with the targets, all kernels that are not constant
    have equal shares. `weights` contains the weight of each ranking.
    """
    root = np.sqrt(weights / weights.sum())
    labels = root[:, np.newaxis] * (targets - (root**2) @ targets)
    norms, variances, fits, units = np.zeros((4, len(grams)))
    for place, gram in enumerate(grams):
        units[place] = reduced(gram)
        centered(gram, weights)
        gram *= root
        gram *= root[:, np.newaxis]
        norms[place], variances[place] = np.linalg.norm(gram), max(float(np.trace(gram)), 0.0)
        if norms[place] > CONSTANT:
            gram /= norms[place]
            fits[place] = np.vdot(labels, gram @ labels)
    usable = norms > CONSTANT
    if not usable.any():
        return Mixture(np.full(len(grams), 1 / len(grams)), np.full(len(grams), 1 / len(grams)))
    weight = np.zeros(len(grams))
    found = _nearest([gram for gram, used in zip(grams, usable, strict=True) if used], fits[usable])
    weight[usable] = found / norms[usable] if found.any() else 1 / variances[usable]
    shares = weight * variances
    return Mixture(shares / shares.sum(), weight / shares.sum() / units)


def _nearest(grams: list[Array], fits: Array) -> Array:
    """Return the weights v_k. `grams` are centred and have norm 1. `fits` contains their inner products with Y Y^T."""
    products = np.array([[float(np.vdot(one, other)) for other in grams] for one in grams])
    factor = np.linalg.cholesky(products + RIDGE * np.eye(len(grams)))
    largest = float(fits.max())
    if not largest > 0:
        return np.zeros(len(grams))
    found, _ = nnls(factor.T, solve_triangular(factor, fits / largest, lower=True))
    return np.where(found > LEAST * found.max(), found, 0.0)
