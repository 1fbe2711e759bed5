"""A Gaussian process that predicts means and standard deviations.

The hyperparameters of the process maximise the posterior density.
"""

from __future__ import annotations

from copy import copy
from typing import Protocol

import numpy as np
from scipy.linalg import lapack, solve_triangular
from scipy.optimize import minimize

from wkendall._arguments import Array
from wkendall._run import one_thread

#: Added to the noise, so that matrices of nearly equal points can be factored.
_JITTER = 1e-8
#: The number of steps of the search for hyperparameters from each start.
_STEPS = 30
#: Means, standard deviations and bounds of the logarithms of the noise and the variance, for values with variance 1.
#: The prior dominates while there are few values, and it keeps the noise from explaining all of them.
_NOISE, _VARIANCE = (np.log(1e-3), 2.0, (np.log(1e-6), np.log(2.0))), (0.0, 1.0, (-3.0, 3.0))


class Correlation(Protocol):
    """The interface of a kernel for a Gaussian process: correlations of the evaluated points, for given parameters.

    `prior` has three things for each parameter: the mean and the standard deviation of its prior distribution, and its
    bounds. `starts` has the starting points of the searches for the best parameters.
    """

    prior: list[tuple[float, float, tuple[float, float]]]
    starts: list[list[float]]

    def matrix(self, parameters: Array) -> tuple[Array, list[Array]]:
        """Return the correlations of all pairs of points, and the derivatives with respect to each parameter."""


class Process:
    """The distribution of a function, given its standardised values at some points.

    `parameters` are the fitted parameters of the correlation. `noise` and `variance` are the variances of the noise and
    of the function, for values that are scaled to variance 1. `misfit` is the negative logarithm of the posterior
    density of the parameters, up to a constant.
    """

    def __init__(self, correlation: Correlation, values: Array) -> None:
        prior = [*correlation.prior, _NOISE, _VARIANCE]
        means, deviations, bounds = zip(*prior, strict=True)
        centre, scale = np.array(means), np.array(deviations)
        starts = [np.concatenate([start, centre[len(start) :]]) for start in correlation.starts]

        def misfit(parameters: Array) -> tuple[float, Array]:
            return _misfit(parameters, correlation, values, centre, scale)

        with one_thread():
            found = [
                minimize(misfit, start, method="L-BFGS-B", jac=True, bounds=bounds, options={"maxiter": _STEPS})
                for start in starts
            ]
        best = min(found, key=lambda one: float(one.fun))
        self.misfit = float(best.fun)
        self.parameters = best.x[:-2]
        self.noise, self.variance = np.exp(best.x[-2:]).tolist()
        self._condition(correlation, values)

    def conditioned(self, correlation: Correlation, values: Array) -> Process:
        """Return the Gaussian process with the same hyperparameters, given other points and values."""
        made = copy(self)
        made._condition(correlation, values)
        return made

    def _condition(self, correlation: Correlation, values: Array) -> None:
        matrix = self.variance * correlation.matrix(self.parameters)[0]
        matrix[np.diag_indices_from(matrix)] += self.noise + _JITTER
        factor = np.linalg.cholesky(matrix)
        # The inverse, because many small sets of points are predicted: matrix products are faster than substitution.
        self.inverse: Array = solve_triangular(factor, np.eye(len(values)), lower=True)
        self.weights: Array = self.inverse.T @ (self.inverse @ values)

    def mean(self, correlations: Array) -> Array:
        """Predict the function. `correlations` has a row for each new point, and a column for each evaluated point."""
        return np.asarray(correlations @ (self.variance * self.weights))

    def deviation(self, correlations: Array) -> Array:
        """Return the standard deviation of the function, without noise. `correlations` are as for `mean`."""
        explained = correlations @ (self.variance * self.inverse.T)
        left = self.variance - np.einsum("ij,ij->i", explained, explained)
        return np.asarray(np.sqrt(np.maximum(left, 1e-12)))

    def deviation_bound(self, correlations: Array) -> Array:
        """Return a quick upper bound: the standard deviation if only the most similar evaluated point were known."""
        alone = 1 + (self.noise + _JITTER) / self.variance
        left = self.variance * (1 - correlations.max(axis=1, initial=0.0) ** 2 / alone)
        return np.asarray(np.sqrt(np.maximum(left, 1e-12)))


def _misfit(
    parameters: Array, correlation: Correlation, values: Array, centre: Array, scale: Array
) -> tuple[float, Array]:
    """Return the negative logarithm of the posterior density of the hyperparameters, and its gradient."""
    noise, variance = np.exp(parameters[-2:])
    signal, slopes = correlation.matrix(parameters[:-2])
    signal = variance * signal
    matrix = signal.copy()
    matrix[np.diag_indices_from(matrix)] += noise + _JITTER
    away = (parameters - centre) / scale
    factor, failed = lapack.dpotrf(matrix, lower=1)
    if failed:
        return 1e10, np.zeros_like(parameters)
    inverse = lapack.dpotri(factor, lower=1)[0].T  # the rest of it is zero; in the memory layout of the other matrices
    inverse = inverse + inverse.T
    inverse[np.diag_indices_from(inverse)] /= 2
    weights = inverse @ values
    likelihood = values @ weights / 2 + np.log(factor.diagonal()).sum()
    # Half of the inverse minus the outer product of the weights is the derivative with respect to the matrix.
    slope = [variance * (np.vdot(inverse, each) - weights @ each @ weights) / 2 for each in slopes]
    slope += [
        noise * (np.trace(inverse) - weights @ weights) / 2,
        (np.vdot(inverse, signal) - weights @ signal @ weights) / 2,
    ]
    return likelihood + away @ away / 2, np.array(slope) + away / scale
