"""The model of the function to minimise: the predictions of the model, and the best evaluated points."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wkendall._arguments import Array
from wkendall.optimize.distances import Discordant, Distance, Edges, Footrule, TopFootrule
from wkendall.optimize.process import Process
from wkendall.optimize.product import KERNELS, ProductKernel, VariableKernel, order_kernel
from wkendall.optimize.spaces import Site, Space
from wkendall.optimize.variables import Variables

#: Up to this many evaluations the hyperparameters are fitted in each step, up to twice as many in every second, and so on.
_OFTEN = 10
#: With variables, the weighted kernel is tried if the pairs of items of all fitted orders are at most this many. Its fit
#: takes longer than that of the others: 0.2 s for 20 items and 200 orders, 0.4 s for 100 items and 100 orders.
_MAX_PAIRS = 500_000


class Hyperparameters(NamedTuple):
    """The distances of the kernel, and a Gaussian process that was fitted to the first `evaluations` values."""

    evaluations: int
    measures: list[Distance]
    process: Process


class Model:
    """A Gaussian process over points. The values of the function are scaled to mean 0 and variance 1.

    To save time, the hyperparameters are not fitted in each step, and the last few evaluations are left out of a fit.
    `earlier` has the hyperparameters of an earlier step. They are used again if a new fit would use the same
    evaluations.
    """

    def __init__(
        self,
        kernel: str,
        space: Space,
        variables: Variables | None,
        sites: list[Site],
        values: Array,
        noisy: bool,
        earlier: Hyperparameters | None = None,
    ) -> None:
        self.variables, self.sites = variables, sites
        self.values, self.centre, self.scale = standardised(values)
        count = len(sites) - len(sites) % (1 + len(sites) // _OFTEN)
        choices: list[list[Distance]] = [[Edges()]] if space.is_tour else KERNELS[kernel]
        if variables is not None and kernel == "mallows" and not space.is_tour:
            choices = [*choices, [Footrule()], [Edges()], [TopFootrule()]]
            if count * space.length * (space.length - 1) // 2 <= _MAX_PAIRS:
                choices.append([])
        if earlier is None or earlier.evaluations != count:
            first = standardised(values[:count])[0]
            found = [(measures, Process(self._kernel(measures, sites[:count]), first)) for measures in choices]
            earlier = Hyperparameters(count, *min(found, key=lambda pair: pair[1].misfit))
        self.hyper = earlier
        self.measures = earlier.measures
        self.kernel = self._kernel(self.measures, sites)
        self.process = earlier.process.conditioned(self.kernel, self.values)
        correlations = self.kernel.matrix(self.process.parameters)[0]
        self.fitted = self.process.mean(correlations)
        #: The values to improve on, by which the best points are chosen. For noisy values these are predictions,
        #: because the smallest noisy value is usually below the true value at its point.
        self.judged = self.fitted if noisy else self.values

    def predictions(self) -> Array:
        """Return the predicted values at the evaluated points, not scaled: in the unit of the function."""
        return self.centre + self.scale * self.fitted

    def best(self, count: int) -> list[Site]:
        """Return the `count` best evaluated points, without duplicates."""
        found: dict[bytes, Site] = {}
        for place in np.argsort(self.judged, kind="stable"):
            found.setdefault(self.sites[place].key, self.sites[place])
            if len(found) == count:
                break
        return list(found.values())

    @property
    def reaches(self) -> tuple[float, float]:
        """The values of the arguments `first` and `again` of `search.reach`."""
        return self.measures[0].reaches if self.measures else Discordant.reaches

    def last_best(self) -> Site:
        """Return the best point. If several points have the best value, return the last of them."""
        return self.sites[int(np.flatnonzero(self.judged == self.judged.min())[-1])]

    def given(self, pending: list[Site]) -> tuple[Any, Process, float]:
        """Return the kernel, the Gaussian process, and the best value so far, on which the next point should improve.

        The values of the points `pending` are not known yet. Predicted values are used instead.
        """
        best = float(self.judged.min())
        if not pending:
            return self.kernel, self.process, best
        predicted = self.process.mean(self.kernel.between(*self.parts(pending), self.process.parameters))
        kernel = self._kernel(self.measures, self.sites + pending)
        return kernel, self.process.conditioned(kernel, np.concatenate([self.values, predicted])), best

    def _kernel(self, measures: list[Distance], sites: list[Site]) -> Any:
        paths, *places = self.parts(sites)
        orders = order_kernel(measures, paths)
        return orders if self.variables is None else ProductKernel(orders, VariableKernel(self.variables, *places))

    def parts(self, sites: list[Site]) -> list[Any]:
        """Return the paths of points. If there are variables, also return the places of the values of the variables."""
        paths = np.array([site.path for site in sites])
        return (
            [paths]
            if self.variables is None
            else [paths, np.array([self.variables.places(site.values) for site in sites])]
        )


def standardised(values: Array) -> tuple[Array, float, float]:
    """Return the values scaled to mean 0 and variance 1, and the mean and the standard deviation before scaling.

    If all values are equal, they become 0. The value of a point that could not be evaluated is inf. Before scaling, it
    is replaced by the largest of the finite values.
    """
    finite = values[np.isfinite(values)]
    low, high = finite.min(initial=np.inf), finite.max(initial=-np.inf)
    if not low < high:
        return np.zeros(len(values)), float(low) if finite.size else 0.0, 1.0
    # Halves, because the difference of two numbers can overflow.
    spread = high / 2 - low / 2
    unit = (np.minimum(values, high) / 2 - low / 2) / spread
    mean, deviation = unit.mean(), unit.std()
    return (unit - mean) / deviation, float(low / 2 + spread * mean) * 2, float(spread * deviation) * 2
