"""The model of the function: what it predicts, and where it is lowest."""

from __future__ import annotations

import numpy as np

from wkendall._arguments import Array
from wkendall.optimize.correlations import Discordant, Displaced, Edges, Kernel, Measure
from wkendall.optimize.moves import Orders
from wkendall.optimize.process import Process
from wkendall.optimize.spaces import Space

#: The distances that the kernels look at.
KERNELS: dict[str, tuple[type[Measure], ...]] = {
    "mallows": (Discordant,),
    "positions": (Displaced,),
    "mixed": (Discordant, Displaced),
}


class Model:
    """A Gaussian process over paths, with values that are standardised."""

    def __init__(self, kernel: str, space: Space, paths: Orders, values: Array, noisy: bool) -> None:
        self.measures: list[Measure] = [Edges()] if space.is_tour else [kind() for kind in KERNELS[kernel]]
        self.paths = paths
        finite = np.isfinite(values)
        # An order that failed counts as the worst so far.
        values = np.where(finite, values, values[finite].max(initial=-np.inf)) if finite.any() else np.zeros(len(values))
        self.centre = float(values.mean())
        self.scale = float(values.std()) or 1.0
        self.values = (values - self.centre) / self.scale
        self.kernel = self._kernel(paths)
        self.process = Process(self.kernel, self.values)
        correlations = self.kernel.matrix(self.process.parameters)[0]
        self.fitted = self.process.mean(correlations)
        #: What is to be improved on, and by what the best points are picked. The least of noisy values is lower than what it
        #: is a value of.
        self.judged = self.fitted if noisy else self.values

    def _kernel(self, paths: Orders) -> Kernel:
        return Kernel(self.measures, paths)

    def predictions(self) -> Array:
        """Return the mean of the process at the evaluated paths, on the scale of the values."""
        return self.centre + self.scale * self.fitted

    def best_paths(self, count: int) -> list[Orders]:
        """Return some of the best paths, each once."""
        found: dict[bytes, Orders] = {}
        for place in np.argsort(self.judged, kind="stable"):
            found.setdefault(self.paths[place].tobytes(), self.paths[place])
            if len(found) == count:
                break
        return list(found.values())

    def given(self, pending: list[Orders]) -> tuple[Kernel, Process, float]:
        """Return the kernel, the process and the value to improve on, with predictions for paths that have no value yet."""
        best = float(self.judged.min())
        if not pending:
            return self.kernel, self.process, best
        predicted = self.process.mean(self.kernel.between(np.array(pending), self.process.parameters))
        kernel = self._kernel(np.concatenate([self.paths, pending]))
        return kernel, self.process.conditioned(kernel, np.concatenate([self.values, predicted])), best
