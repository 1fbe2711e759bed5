"""Smooth weights of pairs of positions, for thousands of positions.

The weights are U = U0 + V with V[a, b] = f[a] + g[b], where f and g are smooth. For fewer positions, the smooth penalty
uses all products of two cosines (see `penalties`). Here V uses only the products in which one of the two cosines is
constant. The sums of f and of g over all positions are zero, except that f can contain a constant. B is a weighted sum
of the tensors of the training rankings.

No array of n x n numbers is needed. The reason is that only inner products of tensors are needed. The tensor of a
ranking s for weights U is Phi_U(s) (see `embed`). For two rankings p and s, the inner product of their tensors for U0
is the kernel of U0. All other inner products are computed from vectors:

    <Phi_U0(p), Phi_V(s)> = <r(p), f(s)> + <c(p), g(s)>,    <Phi_V(p), Phi_V'(s)> = n <f(p), f'(s)> + n <g(p), g'(s)>

Here f(s) is the vector with the entry f[s(i)] for each item i, where s(i) is the rank of item i. g(s), r(p) and c(p)
are such vectors too, for the vectors g, r and c. r contains the sum of each row of U0, and c the sum of each column. f'
and g' belong to V'. These equations also hold with ties: the mean of f[a] + g[b] over the ranks of two tied items is
the sum of the mean of f[a] and the mean of g[b].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from wkendall._arguments import Array
from wkendall._matrix import gram_of
from wkendall._memory import check_fits
from wkendall._run import Run
from wkendall.learning.bases import Base
from wkendall.learning.coefficients import Mapped
from wkendall.learning.interior_point import FromGram
from wkendall.learning.penalties import cosines, sizes
from wkendall.learning.position_tensors import tensors_of
from wkendall.rankings import Rankings


@dataclass
class Combination:
    """B as a weighted sum of the tensors of rankings. The tensors belong to the weights with parameters `theta`."""

    coefficients: Array
    theta: Array
    square: float

    def __mul__(self, factor: float) -> Combination:
        return Combination(self.coefficients * factor, self.theta, self.square * factor**2)

    __rmul__ = __mul__

    def spread(self, rows: NDArray[np.intp], count: int) -> Combination:
        """Return the same sum, but over all rankings: with the coefficient 0 for rankings that are not in `rows`."""
        coefficients = np.zeros(count)
        coefficients[rows] = self.coefficients
        return Combination(coefficients, self.theta, self.square)

    def __truediv__(self, factor: float) -> Combination:
        return self * (1 / factor)


class Products(NamedTuple):
    """Three kinds of inner products between rankings.

    - `base`: the inner products of the tensors for U0.
    - `mixed[p, s]`: the inner products of r(p) and c(p), from the sums of U0, with the cosines at the ranks of ranking
      s.
    - `cosines`: the inner products of the cosines at the ranks of one ranking with the cosines at the ranks of another.
      The axes are ranking, cosine, ranking, cosine.
    """

    base: Array
    mixed: Array
    cosines: Array

    def part(self, rows: NDArray[np.intp]) -> Products:
        """Return the inner products of some of the rankings."""
        between = np.ix_(rows, rows)
        return Products(self.base[between], self.mixed[between], self.cosines[rows][:, :, rows])


class Placed:
    """For each ranking, the values of the cosines at the ranks of its items, and the inner products of these values."""

    def __init__(self, rankings: Rankings, n_jobs: int | None) -> None:
        self.rankings, self._n_jobs = rankings, n_jobs
        self._sample, rows, items = tensors_of(rankings, n_jobs), len(rankings), rankings.n_items
        waves = cosines(items)
        self._shape = (rows, waves.shape[1])
        size = waves.shape[1] * rows
        check_fits(size, items + size, np.dtype(np.float64), "use fewer rankings")
        self._placed = np.stack([self._sample.embed(wave) for wave in waves.T], axis=1).reshape(size, items)
        self._found: dict[object, Products] = {}
        self._cosines = (self._placed @ self._placed.T).reshape(*self._shape, *self._shape)

    def space(self, base: Base | None, rows: NDArray[np.intp] | None = None) -> SinglePositions:
        """Return the `SinglePositions` for the weights U0 in `base`, for all rankings or for the rankings in `rows`."""
        name = None if base is None else (base.weights if isinstance(base.weights, str) else "", base.scale)
        if name not in self._found:
            self._found[name] = self._products(base)
        products = self._found[name]
        return SinglePositions(products if rows is None else products.part(rows), self.rankings.n_items, base)

    def _products(self, base: Base | None) -> Products:
        """Compute the inner products for the weights U0 in `base`."""
        rows, count = self._shape
        if base is None:
            return Products(np.zeros((rows, rows)), np.zeros((rows, rows, 2 * count - 1)), self._cosines)
        gram = gram_of(self.rankings, None, base.kernel(), Run(n_jobs=self._n_jobs))
        one, other = ((self._sample.embed(sums) @ self._placed.T).reshape(rows, *self._shape) for sums in base.sums())
        mixed = np.concatenate([one, other[..., 1:]], axis=2) / np.sqrt(self.rankings.n_items)
        return Products(gram, mixed, self._cosines)


class SinglePositions:
    """The same functions as in `Dense`, but U is a vector theta of parameters, and B is a `Combination` of rankings.

    theta contains the coefficients of the cosines in f, and then the coefficients in g without the constant cosine. All
    these coefficients are multiplied by the square root of n.
    """

    exact = False

    def __init__(self, products: Products, items: int, base: Base | None) -> None:
        self._products, self._items, self._base = products, items, base
        self.toward_zero = self.balances = base is None
        self._count = products.cosines.shape[1]
        one = 1 + sizes(items, self._count)
        self._sizes = np.append(one, one[1:])

    def coefficients(self, U: Array) -> Combined:
        """Return the scores of the rankings as a function of B, for the weights U."""
        base, mixed, between = self._products
        rows = len(base)
        linear = mixed @ U
        gram = base + linear + linear.T
        for theta in self._split(U):
            half = (between.reshape(-1, self._count) @ theta).reshape(rows, self._count, rows)
            gram += np.einsum("pks,k->ps", half, theta)
        return Combined((gram + gram.T) / 2, U)

    def weights(self, U: Array, B: Combination) -> Mapped:  # noqa: ARG002
        """Return the scores of the rankings as a function of V = U - U0, without the scores of U0."""
        roots = np.sqrt(self._sizes)
        return Mapped(self._features(B) / roots, lambda theta: theta / roots)

    def moved(self, V: Array) -> Array:
        """Return U0 + V."""
        return V

    def offsets(self, B: Combination) -> Array:
        """Return the scores for the weights U0 and the coefficients B."""
        return B.coefficients @ self._products.base + (self._products.mixed @ B.theta) @ B.coefficients

    def scores(self, U: Array, B: Combination) -> Array:
        """Return the scores of the rankings without the intercept."""
        return self._features(B) @ U + self.offsets(B)

    def ridge(self, B: Combination) -> float:
        """Return |B|^2 / 2."""
        return B.square / 2

    def value(self, U: Array) -> float:
        """Return P(U - U0)."""
        return float(self._sizes @ U**2) / 2

    def leading(self, slopes: Array) -> Array:
        """Return theta of the f of norm 1 that separates the targets best, by SUQUAN-SVD of order 1 on cosines."""
        moments = np.einsum("p,pksl,s->kl", slopes, self._products.cosines, slopes, optimize=True)
        f = eigh(moments)[1][:, -1]
        return np.append(f * np.sign(f[np.abs(f).argmax()]), np.zeros(self._count - 1))

    def nearest(self, start: Base | None, *, unit: bool = False) -> Array:
        """Return theta of the weights U0 + V that are nearest to the weights `start`; zeros, which mean U0, for None.

        With `unit=True`, the weights `start` are first divided by their norm.
        """
        theta = np.zeros(2 * self._count - 1)
        if start is None:
            return theta
        waves = cosines(self._items) / np.sqrt(self._items)
        for base, factor in ((start, start.square() ** -0.5 if unit else 1.0), (self._base, -1.0)):
            if base is not None:
                rows, columns = base.sums()
                theta += factor * np.append(rows @ waves, (columns @ waves)[1:])
        return theta

    def _features(self, B: Combination) -> Array:
        features: Array = np.einsum("p,psk->sk", B.coefficients, self._products.mixed)
        rows = len(features)
        between = self._products.cosines.reshape(rows * self._count, -1)
        parts = [
            (np.outer(B.coefficients, theta).ravel() @ between).reshape(rows, -1) for theta in self._split(B.theta)
        ]
        return features + np.hstack([parts[0], parts[1][:, 1:]])

    def _split(self, theta: Array) -> tuple[Array, Array]:
        return split(theta, self._count)


class Combined(NamedTuple):
    """The scores of rankings, as a function of the coefficients of the training rankings in B."""

    gram: Array
    theta: Array

    def kernel(self) -> FromGram:
        """Return the kernel matrix of the training rankings."""
        return FromGram(self.gram)

    def tensor(self, coefficients: Array) -> Combination:
        """Return B: the `Combination` of the training rankings with these coefficients."""
        return Combination(coefficients, self.theta, float(coefficients @ self.gram @ coefficients))


class Expansion(NamedTuple):
    """A fitted function of rankings of many items: the training rankings, U0, the parameters of U, and B."""

    rankings: Rankings
    base: Base | None
    U: Array
    B: Combination

    def scores(self, rankings: Rankings, n_jobs: int | None) -> Array:
        """Return the scores of rankings without the intercept."""
        sample, items = tensors_of(rankings, n_jobs), self.rankings.n_items
        both = list(zip(self._functions(self.U), self._functions(self.B.theta), strict=True))
        known = tensors_of(self.rankings, n_jobs)
        total = sum(items * sample.scores(now, known.combine(self.B.coefficients, then)) for now, then in both)
        if self.base is not None:
            gram = gram_of(rankings, self.rankings, self.base.kernel(), Run(n_jobs=n_jobs))
            total = total + gram @ self.B.coefficients
            for sums, (now, then) in zip(self.base.sums(), both, strict=True):
                total = total + sample.scores(now, known.combine(self.B.coefficients, sums))
                total = total + sample.scores(sums, known.combine(self.B.coefficients, then))
        return np.asarray(total)

    def weights(self, theta: Array | None = None) -> Array:
        """Return U as a matrix."""
        items = self.rankings.n_items
        check_fits(items, items, np.dtype(np.float64), "weights of positions for fewer items")
        f, g = self._functions(self.U if theta is None else theta)
        V = f[:, np.newaxis] + g
        return V if self.base is None else V + self.base.tensor()

    def coefficients(self, n_jobs: int | None) -> Array:
        """Return B as a matrix."""
        return tensors_of(self.rankings, n_jobs).combine(self.B.coefficients, self.weights(self.B.theta))

    def _functions(self, theta: Array) -> tuple[Array, Array]:
        waves = cosines(self.rankings.n_items)
        one, other = split(theta, waves.shape[1])
        return waves @ one / np.sqrt(len(waves)), waves @ other / np.sqrt(len(waves))


def split(theta: Array, count: int) -> tuple[Array, Array]:
    """Split theta into the coefficients of f and of g. The coefficient of the constant in g is 0."""
    return theta[:count], np.append(0.0, theta[count:])
