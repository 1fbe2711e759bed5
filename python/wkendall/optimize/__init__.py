"""Bayesian optimisation over permutations: schedules, tours, assignments, orders of steps.

Layers, each using only those below it:

    optuna       a sampler for Optuna's studies
    minimizing   `minimize`: the whole run
    optimizer    `Optimizer`: ask and tell, and the state of a run as a file
    alternating  the search for the largest expected improvement, over an order and other variables in turn
    search       the search for the largest expected improvement over orders, by moves
    model        the model: values, kernel and Gaussian process together
    process      the Gaussian process
    product      the kernels, also of an order with other variables
    weighted     weighted Kendall kernels, updated for all neighbours of a path
    correlations Mallows kernels, updated for all neighbours of a path
    distances    distances for orders, assignments and tours, updated for all neighbours of a path
    spaces       orders and tours, and the points that may be proposed
    arguments    checks of arguments
    variables    the variables beside an order
    moves        all neighbours of an order, and the distance for orders

>>> from wkendall.optimize import minimize
>>> minimize(lambda x: float(x[0] + 2 * x[1] + 3 * x[2]), 3, rng=0).x
array([2, 1, 0])
"""

from wkendall.optimize.minimizing import minimize
from wkendall.optimize.optimizer import Optimizer

__all__ = ["Optimizer", "minimize"]
