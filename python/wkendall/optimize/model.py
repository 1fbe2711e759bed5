"""The model of the function: its predictions, and its best points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wkendall._arguments import Array
from wkendall.optimize.correlations import Kernel, View
from wkendall.optimize.distances import Discordant, Displaced, Distance, Edges
from wkendall.optimize.moves import Orders
from wkendall.optimize.process import Process
from wkendall.optimize.spaces import Space
from wkendall.optimize.weighted import WeightedKernel, WeightedView

AnyKernel = Kernel | WeightedKernel
AnyView = View | WeightedView

#: The distances of the kernels: a list of choices, each a list of distances.
KERNELS: dict[str, list[list[Distance]]] = {
    "mallows": [[Discordant()], [Displaced()]],
    "discordant": [[Discordant()]],
    "displaced": [[Displaced()]],
    "kendall": [[]],
}
#: The cost of a correlation, relative to "mallows".
COSTS = {name: 1 if choices[0] else WeightedKernel.cost for name, choices in KERNELS.items()}


#: Up to this many evaluations the hyperparameters are fitted in each step, up to twice as many in every second, and so on.
_OFTEN = 10


class Hyperparameters(NamedTuple):
    """The distances of the kernel and a process with fitted hyperparameters, from the first `evaluations` ones."""

    evaluations: int
    measures: list[Distance]
    process: Process


class Model:
    """A Gaussian process over paths, with standardised values.

    The hyperparameters are fitted to the first evaluations only, so that they do not have to be fitted in each step;
    `earlier` has those of an earlier step, which are used again if they are from as many evaluations.
    """

    def __init__(
        self,
        kernel: str,
        space: Space,
        paths: Orders,
        values: Array,
        noisy: bool,
        earlier: Hyperparameters | None = None,
    ) -> None:
        self.paths = paths
        self.values, self.centre, self.scale = standardised(values)
        choices: list[list[Distance]] = [[Edges()]] if space.is_tour else KERNELS[kernel]
        count = len(paths) - len(paths) % (1 + len(paths) // _OFTEN)
        if earlier is None or earlier.evaluations != count:
            first = standardised(values[:count])[0]
            found = [(measures, Process(order_kernel(measures, paths[:count]), first)) for measures in choices]
            earlier = Hyperparameters(count, *min(found, key=lambda pair: pair[1].misfit))
        self.hyper = earlier
        self.measures = earlier.measures
        self.kernel = order_kernel(self.measures, paths)
        self.process = earlier.process.conditioned(self.kernel, self.values)
        correlations = self.kernel.matrix(self.process.parameters)[0]
        self.fitted = self.process.mean(correlations)
        #: The values to improve on, by which the best points are chosen. For noisy values these are predictions,
        #: because the smallest noisy value is usually below the true value at its point.
        self.judged = self.fitted if noisy else self.values

    def predictions(self) -> Array:
        """Return the mean of the process at the evaluated paths, on the scale of the values."""
        return self.centre + self.scale * self.fitted

    def best_paths(self, count: int) -> list[Orders]:
        """Return the `count` best paths, without duplicates."""
        found: dict[bytes, Orders] = {}
        for place in np.argsort(self.judged, kind="stable"):
            found.setdefault(self.paths[place].tobytes(), self.paths[place])
            if len(found) == count:
                break
        return list(found.values())

    @property
    def reaches(self) -> tuple[float, float]:
        """The arguments `first` and `again` of `search.reach`."""
        return self.measures[0].reaches if self.measures else Discordant.reaches

    def last_best(self) -> Orders:
        """Return the last of the best paths, which have the same value."""
        last: Orders = self.paths[np.flatnonzero(self.judged == self.judged.min())[-1]]
        return last

    def given(self, pending: list[Orders]) -> tuple[AnyKernel, Process, float]:
        """Return the kernel, the process and the value to improve on; paths without a value get the prediction."""
        best = float(self.judged.min())
        if not pending:
            return self.kernel, self.process, best
        predicted = self.process.mean(self.kernel.between(np.array(pending), self.process.parameters))
        kernel = order_kernel(self.measures, np.concatenate([self.paths, pending]))
        return kernel, self.process.conditioned(kernel, np.concatenate([self.values, predicted])), best


def order_kernel(measures: list[Distance], paths: Orders) -> AnyKernel:
    """Return the kernel of some distances, or the weighted one if there is none."""
    return Kernel(measures, paths) if measures else WeightedKernel(paths)


def standardised(values: Array) -> tuple[Array, float, float]:
    """Return values with mean 0 and variance 1, the mean and the standard deviation. Equal values all become 0.

    An order that failed, with the value inf, counts as the largest of the other values.
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
