"""The Gaussian process and the expected improvement, compared with their definitions."""

from itertools import combinations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal, norm
from wkendall.optimize import process as process_module
from wkendall.optimize.correlations import Kernel
from wkendall.optimize.distances import Discordant, Displaced
from wkendall.optimize.moves import Moves
from wkendall.optimize.process import Process
from wkendall.optimize.search import log_improvement
from wkendall.optimize.weighted import WeightedKernel

RNG = np.random.default_rng(0)
PATHS = np.array([RNG.permutation(6) for _ in range(20)])
VALUES = RNG.standard_normal(20)


def kernels():
    return [Kernel([Discordant()], PATHS), Kernel([Discordant(), Displaced()], PATHS), WeightedKernel(PATHS)]


@pytest.mark.parametrize("kernel", kernels())
def test_misfit_is_the_posterior_density(kernel):
    """Its differences are those of the log density of the values and the normal prior; its gradient matches differences."""
    prior = [*kernel.prior, process_module._NOISE, process_module._VARIANCE]
    centre, scale = (np.array([each[place] for each in prior]) for place in (0, 1))

    def direct(parameters):
        matrix = np.exp(parameters[-1]) * kernel.matrix(parameters[:-2])[0] + np.exp(parameters[-2]) * np.eye(20)
        return -multivariate_normal.logpdf(VALUES, cov=matrix) - norm.logpdf(parameters, centre, scale).sum()

    points = [centre + shift for shift in (0.0, 0.5, 1.1)]
    found = [process_module._misfit(point, kernel, VALUES, centre, scale) for point in points]
    for point, (misfit, slope) in zip(points, found, strict=True):
        assert misfit - found[0][0] == pytest.approx(direct(point) - direct(points[0]), rel=1e-4, abs=1e-4)
        assert slope == pytest.approx(approx_fprime(point, direct, 1e-6), rel=2e-3, abs=2e-3)


@pytest.mark.parametrize("kernel", kernels())
def test_predictions(kernel):
    process = Process(kernel, VALUES)
    others = np.array([RNG.permutation(6) for _ in range(7)] + [PATHS[3]])
    between = kernel.between(others, process.parameters)
    matrix = process.variance * kernel.matrix(process.parameters)[0] + (process.noise + 1e-8) * np.eye(20)
    mean = process.variance * between @ np.linalg.solve(matrix, VALUES)
    explained = process.variance**2 * np.sum(between * np.linalg.solve(matrix, between.T).T, axis=1)
    assert process.mean(between) == pytest.approx(mean, abs=1e-9)
    assert process.deviation(between) ** 2 == pytest.approx(process.variance - explained, abs=1e-9)
    assert np.all(process.deviation_bound(between) >= process.deviation(between) - 1e-12)


def test_weighted_kernel_is_a_sum_over_pairs():
    """Each pair of items adds or takes off the weights of its four positions; divided by the sum for equal orders."""
    kernel, a = WeightedKernel(PATHS[:6]), 0.4
    ranks = np.argsort(PATHS[:6], axis=1)

    def between(s, t):
        pairs = combinations(range(6), 2)
        return sum(
            (1 if (s[i] < s[j]) == (t[i] < t[j]) else -1) * np.exp(-a * (s[i] + s[j] + t[i] + t[j])) for i, j in pairs
        )

    expected = [[between(s, t) / np.sqrt(between(s, s) * between(t, t)) for t in ranks] for s in ranks]
    parameters = np.array([np.log(a)])
    assert kernel.matrix(parameters)[0] == pytest.approx(np.array(expected), abs=1e-13)
    assert kernel.between(PATHS[:6], parameters) == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("items", [1, 2, 3, 4, 5, 6, 9, 14])
def test_weighted_kernels_of_neighbours(items):
    """Equal to those that the engine computes for each neighbour by itself."""
    rng = np.random.default_rng(items)
    kernel, moves = WeightedKernel(np.array([rng.permutation(items) for _ in range(5)])), Moves(items, reversals=False)
    view, parameters = kernel.view(rng.permutation(items)), np.array([-1.2])
    for _ in range(3):  # values are carried on from move to move
        found = view.neighbours(moves, parameters)
        around = [moves.neighbour(view.path, move) for move in range(len(moves))]
        assert found.shape == (len(around), 5)
        if around:
            assert found == pytest.approx(kernel.between(np.array(around), parameters), abs=1e-13)
            view = view.moved(moves, int(rng.integers(len(moves))))


def test_fewer_values_with_the_same_hyperparameters():
    process = Process(kernels()[0], VALUES)
    part = process.conditioned(Kernel([Discordant()], PATHS[:5]), VALUES[:5])
    assert (part.noise, part.variance) == (process.noise, process.variance)
    assert len(part.weights) == 5
    assert len(process.weights) == 20


@pytest.mark.parametrize("z", [-30.0, -8.0, -1.001, -0.999, 0.0, 0.7, 5.0])
@pytest.mark.parametrize("deviation", [0.2, 3.0])
def test_expected_improvement(z, deviation):
    best = 1.5
    found = np.exp(log_improvement(best, np.array([best - z * deviation]), np.array([deviation])))[0]
    # Integrated over the gain g, with the largest value of the density as a factor.
    top = min(z, 0.0)

    def gain(g):
        return g * np.exp(-((g - z) ** 2) / 2 + top**2 / 2)

    integral = quad(gain, 0, max(z, 0) + 12, epsabs=0, epsrel=1e-11, limit=200)[0]
    assert found == pytest.approx(deviation * integral * np.exp(-(top**2) / 2) / np.sqrt(2 * np.pi), rel=1e-9)


def test_expected_improvement_far_away_still_grows():
    mean = np.array([1e3, 999.0, 1e5, 3e9])
    found = log_improvement(0.0, mean, np.ones(4))
    assert np.all(np.isfinite(found))
    assert found[1] > found[0] > found[2] > found[3]
