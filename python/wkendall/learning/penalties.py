"""Penalties that give learned weights U a structure. They penalise the difference V = U - U0 from given weights U0.

U and P are written with a vector theta of parameters: U = U0 + T theta and P = |theta|^2 / 2, where T is a linear map.
For the ridge penalty, T is the identity. The scores of rankings are linear in theta. So for every penalty, a step over
U is the training of a kernel machine.

- "ridge": P(V) = |V|^2 / 2.
- "smooth": P(V) = (|V|^2 + n^2 D(V)) / 2. D(V) is the sum of the squared differences between neighbouring entries of V,
  along all axes. D has a simple form if V is written as a combination of cosines: it is then a weighted sum of the
  squared coefficients. Only the first 20 cosines of each axis are used: the penalty of the other cosines, which change
  faster, is large. For order 2 and more than 200 positions, only products of a cosine and a constant are used.
- "monotone": P(V) = |V|^2 / 2 with two conditions. The first is U[0] >= U[1] >= U[2] and so on. The second is that V is
  constant on each of at most 30 bins, which are groups of neighbouring positions. For order 2, the conditions apply
  only to the diagonals of U and V.
- "low-rank", for order 2: P(V) is the sum of sqrt(sigma^2 + eps^2) - eps over the singular values sigma of V. This is
  the nuclear norm of V, smoothed at zero. For any positive definite matrix H, an upper bound of P is
  (tr V' H^-1 V + tr H + eps^2 tr H^-1) / 2 - n eps. This bound equals P if H = (V V' + eps^2 I)^(1/2). Each step takes
  the H for the V of the step before, and minimises the bound for this H.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy.linalg import eigh
from sklearn.isotonic import isotonic_regression

from wkendall._arguments import Array
from wkendall._memory import check_fits
from wkendall.learning.coefficients import Mapped
from wkendall.learning.position_tensors import BLOCK, PositionTensors

Name = Literal["ridge", "smooth", "monotone", "low-rank"]
#: The largest numbers of cosines of an axis, and of bins of positions.
MAX_COSINES, MAX_BINS = 20, 30
#: With more positions, smooth weights of pairs are sums of functions of single positions.
MAX_PAIRED = 200
#: The singular values of V below this fraction of the root mean square of those of the start are penalised like squares.
SMOOTHED = 1e-2


def cosines(items: int) -> Array:
    """Return the first cosines over the positions, as orthonormal columns."""
    count = min(items, MAX_COSINES)
    places = np.pi * np.arange(count) / max(items, 1)
    waves = np.cos((np.arange(items)[:, np.newaxis] + 0.5) * places) * np.sqrt(2 / max(items, 1))
    waves[:, :1] /= np.sqrt(2)
    return np.asarray(waves)


def sizes(items: int, count: int) -> Array:
    """Return n^2 times the sum of the squared differences between neighbouring entries, for each of the cosines."""
    found: Array = items**2 * (2 - 2 * np.cos(np.pi * np.arange(count) / max(items, 1)))
    return found


class Smooth:
    """Weights that change little between neighbouring positions."""

    def __init__(self, items: int, order: int) -> None:
        self._cosines = cosines(items)
        count = self._cosines.shape[1]
        self._sizes = 1 + sum(np.ix_(*[sizes(items, count)] * order), np.zeros((count,) * order))
        if order == 2 and items > MAX_PAIRED:
            self._sizes[1:, 1:] = np.inf

    def map(self, sample: PositionTensors, fixed: Array, V: Array) -> Mapped:  # noqa: ARG002
        """Return the scores of rankings as a linear function of theta."""
        roots = np.sqrt(self._sizes)
        features = reduced(
            sample, fixed, lambda tensors: (self._transformed(tensors) / roots).reshape(len(tensors), -1)
        )
        return Mapped(features, lambda theta: self._combined(theta.reshape(roots.shape) / roots))

    def value(self, V: Array) -> float:
        """Return P(V)."""
        squares = sum(float((np.diff(V, axis=axis) ** 2).sum()) for axis in range(V.ndim))
        return (float(np.vdot(V, V)) + len(V) ** 2 * squares) / 2

    def nearest(self, V: Array) -> Array:
        """Return the combination of cosines that is nearest to V."""
        return self._combined(np.where(np.isfinite(self._sizes), self._transformed(V), 0.0))

    def _transformed(self, tensors: Array) -> Array:
        """Return the coefficients of the cosines along the last axes."""
        for axis in range(-1, -self._sizes.ndim - 1, -1):
            tensors = np.moveaxis(np.moveaxis(tensors, axis, -1) @ self._cosines, -1, axis)
        return tensors

    def _combined(self, tensor: Array) -> Array:
        for axis in range(tensor.ndim):
            tensor = np.moveaxis(np.moveaxis(tensor, axis, -1) @ self._cosines.T, -1, axis)
        return tensor


class Monotone:
    """Weights that do not increase from the first position to the last. For order 2, this holds for the diagonal."""

    def __init__(self, toward: Array) -> None:
        self._pairs = toward.ndim == 2
        line = toward.diagonal() if self._pairs else toward
        count = min(len(line), MAX_BINS)
        self._starts = np.arange(count) * len(line) // max(count, 1)
        self._sizes = np.diff(self._starts, append=len(line))
        # The change may rise from bin to bin by what U0 falls from the end of a bin to the start of the next.
        falls = line[self._starts[1:] - 1] - line[self._starts[1:]]
        self._falls = np.concatenate([[0.0], falls]).cumsum()

    def map(self, sample: PositionTensors, fixed: Array, V: Array) -> Mapped:  # noqa: ARG002
        """Return the scores of rankings as a linear function of theta, and the constraints on theta."""
        roots = np.sqrt(self._sizes)
        features = reduced(sample, fixed, self._parameters)
        limits = np.zeros((len(roots) - 1, features.shape[1]))
        limits[:, : len(roots)] = (np.eye(len(roots)) - np.eye(len(roots), k=1))[:-1] / roots
        return Mapped(features, self._tensor, limits, -np.diff(self._falls))

    def value(self, V: Array) -> float:
        """Return P(V)."""
        return float(np.vdot(V, V)) / 2

    def nearest(self, V: Array) -> Array:
        """Return the array nearest to V for which the weights, U0 plus this array, do not increase."""
        return self._tensor(self._parameters(V[np.newaxis])[0])

    def _parameters(self, tensors: Array) -> Array:
        """Return theta for each tensor: the values of the bins, and then, for order 2, the entries off the diagonal."""
        lines = np.diagonal(tensors, axis1=-2, axis2=-1) if self._pairs else tensors
        bins = np.add.reduceat(lines, self._starts, axis=-1) / np.sqrt(self._sizes)
        if not self._pairs:
            return np.asarray(bins)
        beside = np.where(np.eye(tensors.shape[-1], dtype=bool), 0.0, tensors)
        return np.hstack([bins, beside.reshape(len(tensors), -1)])

    def _tensor(self, theta: Array) -> Array:
        """Return the array V for theta. If V violates the conditions because of rounding, it is corrected."""
        count, items = len(self._sizes), int(self._sizes.sum())
        levels = theta[:count] / np.sqrt(self._sizes)
        free = isotonic_regression(levels - self._falls, sample_weight=self._sizes, increasing=False)
        line = np.repeat(free + self._falls, self._sizes)
        if not self._pairs:
            return line
        tensor = theta[count:].reshape(items, items).copy()
        np.fill_diagonal(tensor, line)
        return tensor


class LowRank:
    """Weights U0 + V for which V has few singular values that are not small."""

    def __init__(self, start: Array) -> None:
        self._small = SMOOTHED * float(np.linalg.norm(start)) / np.sqrt(len(start))

    def map(self, sample: PositionTensors, fixed: Array, V: Array) -> Mapped:
        """Return the scores of rankings as a linear function of theta, for the upper bound that belongs to V."""
        squares, vectors = eigh(V @ V.T)
        root = (vectors * (np.maximum(squares, 0.0) + self._small**2) ** 0.25) @ vectors.T
        features = reduced(sample, fixed, lambda tensors: (root @ tensors).reshape(len(tensors), -1))
        return Mapped(features, lambda theta: root @ theta.reshape(V.shape))

    def value(self, V: Array) -> float:
        """Return P(V)."""
        singular = np.linalg.svd(V, compute_uv=False)
        return float((np.hypot(singular, self._small) - self._small).sum())

    def nearest(self, V: Array) -> Array:
        """Return V: every matrix is allowed."""
        return V


Penalty = Smooth | Monotone | LowRank


def named_penalty(name: Name, start: Array, toward: Array | None) -> Penalty | None:
    """Return the penalty with this name, for weights with the shape of `start`; None for the ridge penalty."""
    if name == "smooth":
        return Smooth(len(start), start.ndim)
    if name == "monotone":
        return Monotone(np.zeros_like(start) if toward is None else toward)
    return LowRank(start) if name == "low-rank" else None


def reduced(sample: PositionTensors, fixed: Array, change: Callable[[Array], Array]) -> Array:
    """Apply the function `change` to the tensor of each ranking for the weights `fixed`, one block after another."""
    size = change(np.zeros((1, *fixed.shape))).size
    rows = BLOCK // max(fixed.size, 1)
    check_fits(sample.rows, size, np.dtype(np.float64), "use another penalty")
    return np.concatenate([change(part.embed(fixed).reshape(-1, *fixed.shape)) for part in sample.blocks(rows)])
