"""Weights U0, given by a name or as an array. A penalty keeps learned weights near U0.

For thousands of positions, the matrix with a weight for each pair of positions is large. If the weights are given by a
name, this matrix is not needed: the kernel of the weights, and the sums over the rows and the columns of the matrix,
are enough.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from wkendall._arguments import Array
from wkendall.measures import Kendall, Kernel, TensorKernel
from wkendall.tensors import position_weights

Name = Literal["standard", "ramp", "hyperbolic", "log"]


def names(order: int) -> tuple[Name, ...]:
    """Return the names of the weights that can be given by name, for kernels of this order.

    The name "ramp" is only for order 2. For order 1 it would add nothing: the standard weights of order 1 already fall
    linearly.
    """
    return ("standard", "ramp", "hyperbolic", "log") if order == 2 else ("standard", "hyperbolic", "log")


class Base(NamedTuple):
    """Weights, given by a name or as an array, times the number `scale`."""

    weights: Name | Array
    items: int
    order: int
    scale: float = 1.0

    def tensor(self) -> Array:
        """Return the weights."""
        return self.scale * self._tensor() if self.scale != 1 else self._tensor()

    def _tensor(self) -> Array:
        if not isinstance(self.weights, str):
            return self.weights
        places = np.arange(float(self.items))
        if self.weights == "ramp":
            return places - places[:, np.newaxis]
        if self.weights == "standard":
            # The standard weights of order 1 are all equal, and their kernel is constant.
            return self.items - places if self.order == 1 else position_weights(self.items, order=self.order)
        return position_weights(self.items, "mult", u=self.weights, order=self.order)

    def kernel(self) -> Kernel:
        """Return the kernel of the weights."""
        kernel: Kernel
        if self.order != 2 or not isinstance(self.weights, str):
            kernel = TensorKernel(self._tensor(), order=self.order)
        elif self.weights == "ramp":
            kernel = 2.0 * self.items * TensorKernel(_middled(self.items), order=1)
        else:
            kernel = Kendall() if self.weights == "standard" else Kendall("mult", u=self.weights)
        return self.scale**2 * kernel if self.scale != 1 else kernel

    def sums(self) -> tuple[Array, Array]:
        """Return the sum of each row, and the sum of each column, of the matrix of weights; for order 2."""
        if not isinstance(self.weights, str):
            rows, columns = self.weights.sum(axis=1), self.weights.sum(axis=0)
        elif self.weights == "ramp":
            rows = -self.items * _middled(self.items)
            columns = -rows
        else:
            u = self._single()
            columns = u * (np.cumsum(u) - u)
            rows = u * (np.cumsum(u[::-1])[::-1] - u)
        return self.scale * rows, self.scale * columns

    def square(self) -> float:
        """Return the sum of the squared weights."""
        if self.order != 2 or not isinstance(self.weights, str):
            return self.scale**2 * float(np.vdot(self._tensor(), self._tensor()))
        if self.weights == "ramp":
            return self.scale**2 * 2.0 * self.items * float((_middled(self.items) ** 2).sum())
        squares = self._single() ** 2
        return self.scale**2 * float(squares @ (np.cumsum(squares) - squares))

    def _single(self) -> Array:
        """Return the vector u, for weights of order 2 that are u[a] u[b] if a < b, otherwise 0."""
        standard = self.weights == "standard"
        return np.ones(self.items) if standard else position_weights(self.items, "mult", u=str(self.weights), order=1)


def _middled(items: int) -> Array:
    return np.arange(float(items)) - (items - 1) / 2
