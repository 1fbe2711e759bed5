"""A local search, from several starts, for the path with the largest expected improvement."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, ndtr

from wkendall._arguments import Array
from wkendall.optimize.moves import Moves, Orders
from wkendall.optimize.process import Process
from wkendall.optimize.product import AnyKernel, AnyView

#: Deviations are computed for this many neighbours at a time, the most promising first.
_CHUNK = 512
#: The number of correlations (neighbours times evaluated points) that the search for one point may compute. The limit
#: is never reached for 15 items and 100 points; for 100 items and 300 points it allows 11 moves.
MAX_CORRELATIONS = 50_000_000
#: The reach from which there is no limit, and the least one.
_FAR_REACH, _MIN_REACH = 64.0, 1 / 32
#: The number of evaluations without a new best value after which the reach is halved.
PATIENCE = 3
_HALF_LOG = 0.5 * np.log(2 * np.pi)
#: Below this, 1 + z r(z) is computed from its series 1 / z^2, because the direct formula loses all digits.
_FAR = -1e3


def reach(values: list[float], initial: int, first: float, again: float, least: float = 0.0) -> tuple[float, int]:
    """Return the reach: the number of moves by which the next point may differ from the best point.

    The reach depends on `values`, the values so far. After the first `initial` values, the reach is `first`. The reach
    is doubled after each new best value, and halved after `PATIENCE` evaluations without a new best value. The smallest
    reach is not halved: it is replaced by `again`. A value is a new best value if it is lower than the best earlier
    value by more than `least`. The second result is the number of evaluations since the last change of the reach.

    If the reach is below 1, the next point differs by one move, and the reach is the share of the possible moves that
    are tried. So the search is wide if the predictions of the model are good, and stays near the best point if they are
    poor. If no new best values are found for a long time, the search becomes a local search with nearly random moves.
    """
    best, found, misses = min(values[:initial], default=np.inf), first, 0
    for value in values[initial:]:
        if value < best - least:
            best, found, misses = value, min(_FAR_REACH, max(1.0, 2 * found)), 0
        else:
            misses += 1
            if misses == PATIENCE:
                found, misses = found / 2 if found > _MIN_REACH else again, 0
    return found if found < _FAR_REACH else np.inf, misses


class Search(NamedTuple):
    """Search for the acceptable path with the largest expected improvement."""

    kernel: AnyKernel
    process: Process
    best: float
    moves: Moves
    acceptable: Callable[[Orders], bool]

    def from_all(self, starts: list[Orders]) -> Orders | None:
        """Climb from each path of `starts`, with a limited number of steps. Then continue from the best path.

        To climb is to move to the best neighbour again and again. The result is None if no start has an acceptable
        neighbour.
        """
        work = max(1, len(self.moves) * self.kernel.evaluated * self.kernel.cost)
        steps = MAX_CORRELATIONS // work
        best, reached = None, -np.inf
        for start in starts[: max(1, steps // 3)]:
            view, promise = self._climb(self.kernel.view(start), -np.inf, max(2, steps // (2 * len(starts))))
            if promise > reached:
                best, reached = view, promise
        if best is None:
            return None
        return self._climb(best, reached, max(2, steps // 2))[0].path

    def within(self, start: Orders, reach: float, rng: np.random.Generator) -> Orders | None:
        """Climb at most `reach` moves from the path `start`. Return None if no move leads to an acceptable path.

        If `reach` is below 1, make one move. `reach` is then the share of the moves that are tried, chosen at random.
        """
        view = self.kernel.view(start)
        if reach >= 1:
            work = max(1, len(self.moves) * self.kernel.evaluated * self.kernel.cost)
            view, promise = self._climb(view, -np.inf, min(int(reach), max(2, MAX_CORRELATIONS // work)))
            return view.path if promise > -np.inf else None
        correlations = view.neighbours(self.moves, self.process.parameters)
        tried = rng.permutation(len(self.moves))[: max(1, round(reach * len(self.moves)))]
        move, _ = self._best_move(view, correlations[tried], -np.inf, tried)
        return None if move is None else self.moves.neighbour(start, move)

    def promises(self, correlations: Array) -> Array:
        """Return the logarithm of the expected improvement of each path. `correlations` has a row for each path."""
        mean, deviation = self.process.mean(correlations), self.process.deviation(correlations)
        return log_improvement(self.best, mean, deviation)

    def from_one(self, start: Orders, reached: float, searches: int, reach: float) -> tuple[Orders, float]:
        """Climb at most `reach` moves from the path `start`, only to expected improvements larger than `reached`.

        The limit of the work is divided equally among `searches` such searches.
        """
        work = max(1, len(self.moves) * self.kernel.evaluated * self.kernel.cost)
        steps = int(min(reach, max(2, MAX_CORRELATIONS // work // searches)))
        view, promise = self._climb(self.kernel.view(start), reached, steps)
        return view.path, promise

    def _climb(self, view: AnyView, reached: float, steps: int) -> tuple[AnyView, float]:
        """Move to the best acceptable neighbour as long as the expected improvement becomes larger than `reached`."""
        for _ in range(steps):
            correlations = view.neighbours(self.moves, self.process.parameters)
            move, promise = self._best_move(view, correlations, reached, np.arange(len(self.moves)))
            if move is None:
                break
            view, reached = view.moved(self.moves, move), promise
        return view, reached

    def _best_move(self, view: AnyView, correlations: Array, reached: float, moves: Orders) -> tuple[int | None, float]:
        """Return the best acceptable move and its expected improvement, or None if none is above `reached`."""
        mean = self.process.mean(correlations)
        order, bound = np.arange(len(mean)), np.full(len(mean), np.inf)
        if len(mean) > _CHUNK:
            bound = log_improvement(self.best, mean, self.process.deviation_bound(correlations))
            order = np.argsort(-bound, kind="stable")
        choice = None
        for begin in range(0, len(order), _CHUNK):
            part = order[begin : begin + _CHUNK]
            if bound[part[0]] <= reached:
                break
            promises = log_improvement(self.best, mean[part], self.process.deviation(correlations[part]))
            for place in np.argsort(-promises, kind="stable"):
                if promises[place] <= reached:
                    break
                move = int(moves[part[place]])
                if self.acceptable(self.moves.neighbour(view.path, move)):
                    choice, reached = move, float(promises[place])
                    break
        return choice, reached


def log_improvement(best: float, mean: Array, deviation: Array) -> Array:
    """Return the logarithm of E max(best - Y, 0) for normal Y, also where the expectation underflows to 0.

    Let z = (best - mean) / deviation. The expectation is deviation (z cdf(z) + pdf(z)). For negative z, cdf / pdf is
    Mills' ratio r(z) = sqrt(pi / 2) erfcx(-z / sqrt 2). Then z cdf(z) + pdf(z) = pdf(z) (1 + z r(z)).
    """
    z = (best - mean) / deviation
    near = np.maximum(z, -1.0)
    above = np.log(near * ndtr(near) + np.exp(-near * near / 2 - _HALF_LOG))
    far = np.minimum(z, -1.0)
    rest = 1 + far * np.sqrt(np.pi / 2) * erfcx(-far / np.sqrt(2))
    rest = np.where(far < _FAR, 1 / (far * far), np.maximum(rest, np.finfo(float).tiny))
    below = np.log(rest) - far * far / 2 - _HALF_LOG
    return np.asarray(np.where(z > -1, above, below) + np.log(deviation))
