"""Bayesian optimisation over permutations, such as schedules, tours, assignments and orders of steps.

A path is the part of an order that can change: the whole order, or a closed route (a tour) without its first item. A
neighbour of a path is the path after one small change, a move.

Modules, the highest first. Each module imports only modules below it:

    optuna       a sampler for Optuna's studies
    minimizing   `minimize`: the whole run
    optimizer    `Optimizer`: `ask`, `tell`, and a file with the state of a run
    alternating  the search for the largest expected improvement, by changes of the order and of the variables in turn
    search       the search for the largest expected improvement, by changes of the order only
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
