"""The steps of k-means (Lloyd's algorithm), for points that are given by their inner products or by their coordinates.

A centre is the weighted mean of the points p of a cluster, with weights w_p that add up to 1. For a point s, let A be
the sum of `w_p K(s, p)` over the points p of the cluster. Let B be the sum of `w_p w_q K(p, q)` over all points p and q
of the cluster. The squared distance between s and the centre is then `K(s, s) - 2 A + B`. So each step needs weighted
sums of K(s, p) over the points p of a cluster, for each point s and each cluster. In most steps, only few points change
their cluster. The sums of the step before are then corrected: the terms of these points are added to the sums of the
new clusters, and subtracted from the sums of the old clusters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array

Labels = NDArray[np.intp]

#: Squared distances that differ by less than this fraction of the largest self-similarity count as equal, and the first
#: cluster is chosen. Rankings often have equal distances. Without the tolerance, rounding would decide, differently on
#: each machine.
EQUAL = 1e-10
#: Sums are computed anew if more than this share of the points changed their cluster: that takes less time.
MANY = 0.25


class GramPoints(NamedTuple):
    """Points given by their Gram matrix. `own` contains the kernel value of each point with itself."""

    gram: Array
    own: Array
    weights: Array

    def column(self, chosen: int) -> Array:
        """Return the kernel values between all points and one point."""
        return np.asarray(self.gram[chosen])

    def columns(self, chosen: Labels) -> Array:
        """Return the kernel values between all points (rows) and some points (columns)."""
        return self.gram[chosen].T

    def products(self, coefficients: Array) -> Array:
        """Return the Gram matrix times `coefficients`, which has a row for each point."""
        return np.asarray(self.gram @ coefficients)

    def products_of(self, some: Labels, coefficients: Array) -> Array:
        """Return the Gram matrix times M. M has the rows `coefficients` for the points `some`, and zeros elsewhere."""
        return np.asarray(self.gram[some].T @ coefficients)


class VectorPoints(NamedTuple):
    """Points given by their coordinates, one point per row. `own` contains the squared length of each point."""

    vectors: Array
    own: Array
    weights: Array

    def column(self, chosen: int) -> Array:
        """Return the kernel values between all points and one point."""
        return np.asarray(self.vectors @ self.vectors[chosen])

    def columns(self, chosen: Labels) -> Array:
        """Return the kernel values between all points (rows) and some points (columns)."""
        return np.asarray(self.vectors @ self.vectors[chosen].T)

    def products(self, coefficients: Array) -> Array:
        """Return the Gram matrix times `coefficients`, which has a row for each point."""
        return np.asarray(self.vectors @ (self.vectors.T @ coefficients))

    def products_of(self, some: Labels, coefficients: Array) -> Array:
        """Return the Gram matrix times M. M has the rows `coefficients` for the points `some`, and zeros elsewhere."""
        return np.asarray(self.vectors @ (self.vectors[some].T @ coefficients))


#: Distinct points: the kernel of each with itself, their weights, and sums of the kernel.
Points = GramPoints | VectorPoints


class Clusters(NamedTuple):
    """The result of a run of k-means. Column c of `means` contains the weights of the points in centre c."""

    means: Array
    labels: Labels
    inertia: float
    iterations: int
    converged: bool


class _Members(NamedTuple):
    """The cluster of each point (`labels`), and for each cluster the cluster whose centre it uses (`source`).

    A cluster uses its own centre if it is not empty.
    """

    labels: Labels
    source: Labels


class _Sums:
    """The weighted sums of the kernel values K(s, p) over the points p of each cluster, for each point s."""

    def __init__(self, points: Points, clusters: int) -> None:
        self.points, self.clusters = points, clusters
        self.labels: Labels | None = None
        self.sums = np.empty((0, 0))
        self.exact = True

    def update(self, labels: Labels) -> None:
        """Compute the sums for new labels. If few points have changed their cluster, correct the previous sums."""
        if self.labels is not None:
            moved = np.flatnonzero(labels != self.labels)
            if len(moved) <= MANY * len(labels):
                self._move(moved, self.labels[moved], labels[moved])
                self.labels = labels
                return
        self.compute(labels)

    def compute(self, labels: Labels) -> None:
        """Compute the sums from all points."""
        chosen = np.zeros((len(labels), self.clusters))
        chosen[np.arange(len(labels)), labels] = self.points.weights
        self.sums, self.labels, self.exact = self.points.products(chosen), labels, True

    def _move(self, moved: Labels, before: Labels, after: Labels) -> None:
        if len(moved):
            change, rows = np.zeros((len(moved), self.clusters)), np.arange(len(moved))
            change[rows, after] = self.points.weights[moved]
            change[rows, before] = -self.points.weights[moved]
            self.sums += self.points.products_of(moved, change)
            self.exact = False

    def squared_distances(self, source: Labels) -> Array:
        """Return the squared distances of all points from the centres. `source` is the field of `_Members`."""
        assert self.labels is not None
        weights, labels = self.points.weights, self.labels
        sizes = np.bincount(labels, weights, minlength=self.clusters)
        products = self.sums[:, source] / sizes[source]
        within = weights * self.sums[np.arange(len(labels)), labels]
        norms = np.bincount(labels, within, minlength=self.clusters)[source] / sizes[source] ** 2
        return np.asarray(self.points.own[:, np.newaxis] - 2 * products + norms)


def lloyd(points: Points, squares: Array, max_iter: int) -> Clusters:
    """Run k-means: assign each point to its nearest centre, move the centres, repeat.

    `squares` contains the squared distances of the points (rows) from the initial centres (columns).
    """
    largest = float(points.own.max())
    labels = first_least(squares, largest)
    sums = _Sums(points, squares.shape[1])
    iterations, converged = 0, False
    while not converged and iterations < max_iter:
        members = _filled(labels, squares, largest)
        sums.update(members.labels)
        squares = sums.squared_distances(members.source)
        before, labels = labels, first_least(squares, largest)
        iterations, converged = iterations + 1, np.array_equal(before, labels)
        if not sums.exact and (converged or iterations == max_iter):
            # Many updates could add up rounding errors.
            sums.compute(members.labels)
            squares = sums.squared_distances(members.source)
            labels = first_least(squares, largest)
            converged = np.array_equal(before, labels)
    every = np.arange(len(labels))
    inertia = float(points.weights @ np.maximum(squares[every, labels], 0))
    # The weights of the points in the centres of their clusters; those of a centre add up to 1.
    means = np.zeros((len(labels), len(members.source)))
    means[every, members.labels] = points.weights
    means = means[:, members.source]
    return Clusters(means / means.sum(axis=0), labels, inertia, iterations, converged)


def _filled(labels: Labels, squares: Array, largest: float) -> _Members:
    """Move the points that are farthest from their centres into empty clusters.

    `squares` contains the squared distances of the points from the centres, and `largest` the largest kernel value of a
    point with itself. A cluster stays empty if all points are at their centres. The empty cluster then gets the centre
    of cluster 0, or the centre of the largest cluster if cluster 0 is empty. If two centres are equally near, a point
    belongs to the first of them. So an empty cluster attracts no point if its centre is the centre of cluster 0.
    """
    labels, every = labels.copy(), np.arange(len(labels))
    sizes = np.bincount(labels, minlength=squares.shape[1])
    for empty in np.flatnonzero(sizes == 0):
        away = squares[every, labels] * (sizes[labels] > 1)
        farthest = int(away.argmax())
        if away[farthest] <= EQUAL * largest:
            break
        sizes[labels[farthest]] -= 1
        sizes[empty] = 1
        labels[farthest] = empty
    source = np.where(sizes == 0, int(sizes.argmax() if not sizes[0] else 0), np.arange(len(sizes)))
    return _Members(labels, source)


def squared_distances(points: Points, means: Array) -> Array:
    """Return the squared distances of all points from centres. Column c of `means` has the weights of centre c."""
    products = points.products(means)
    return np.asarray(points.own[:, np.newaxis] - 2 * products + np.einsum("pc,pc->c", means, products))


def square_norms(points: Points, means: Array) -> Array:
    """Return the squared norms of centres. Column c of `means` contains the weights of centre c."""
    return np.asarray(np.einsum("pc,pc->c", means, points.products(means)))


def first_least(squares: Array, largest: float) -> Labels:
    """Return for each row the column with the smallest number; of numbers that are equal up to rounding, the first.

    Two numbers count as equal if their difference is at most `EQUAL` times `largest`.
    """
    return np.asarray((squares <= squares.min(axis=1, keepdims=True) + EQUAL * largest).argmax(axis=1))
