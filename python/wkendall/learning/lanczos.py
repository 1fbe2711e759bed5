"""The largest eigenvalues of a symmetric operator on several invariant subspaces, by Lanczos iterations.

The subspaces are orthogonal, and the operator maps each subspace to itself. The iterations make a step in all subspaces
at once: the operator is applied to a sum of vectors, one vector from each subspace. The basis consists of these sums. A
new vector is made orthogonal to the two vectors before it. After a restart, a new vector is also made orthogonal to the
Ritz vectors that were kept. It need not be made orthogonal to the other vectors of the basis, because orthogonality is
lost only when an eigenvector has converged.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg

from wkendall._arguments import Array
from wkendall._run import Show

#: Singular values with a relative difference below this count as equal; their squares differ by twice as much.
SAME = 1e-8
#: The residual of an eigenvector, relative to its eigenvalue.
ACCURATE = 1e-14
#: Vectors shorter than this fraction of the norm of the operator are rounding errors.
ROUNDING = 1e-15
#: An eigenvalue counts as smaller than a bound if its residual is at most this fraction of the difference. It could be
#: another than the largest only if the start had almost no part of the largest, as rarely as that.
CERTAIN = 1e-5
#: The probability that a random start misses an eigenvalue above a bound, for the worst operator; it is far smaller for others.
MISSED = 1e-3
#: The size of the basis: bytes, the minimum and maximum number of vectors, and the number to keep at a restart.
BYTES, LEAST, MOST, KEPT = 1 << 27, 32, 160, 8
#: After each this fraction of the steps, it is checked whether eigenvalues have converged.
OFTEN = 0.06


class Lanczos:
    """Lanczos iterations for the operator `product`, whose norm is at most `norm`.

    `part(which, rows)` projects each of the `rows` onto the subspace with the number `which`.
    """

    def __init__(
        self,
        product: Callable[[Array], Array],
        part: Callable[[int, Array], Array],
        norm: float,
        show: Show | None = None,
    ) -> None:
        self._product, self._part, self._norm, self._show = product, part, norm, show
        self._steps = 0

    def largest(self, starts: Array, known: list[Array], floor: float, share: bool) -> list[Array | None]:
        """Return a leading eigenvector for each subspace, orthogonal to the eigenvectors that are already known.

        `starts` has a starting vector for each subspace as a row. Each array of `known` has the known eigenvectors of a
        subspace as rows. For a subspace, the result is None if the start is zero, or if the eigenvalue is below the
        number `floor`. With `share=True`, the result is also None for each subspace whose eigenvalue is smaller than
        the largest eigenvalue of all subspaces.
        """
        parts, size = starts.shape
        capacity = min(max(BYTES // (8 * size), LEAST), MOST)
        basis, inside = np.empty((capacity, size)), np.zeros((parts, capacity + 1, capacity + 1))
        found: list[Array | None] = [None] * parts
        lengths = np.linalg.norm(starts, axis=1)
        active = lengths > 0.0
        vectors = _divided(starts, lengths)
        before, links = np.zeros_like(vectors), np.zeros(parts)
        values, residuals = np.zeros(parts), np.zeros(parts)
        steps = count = kept = check = 0
        while active.any():
            basis[count] = vectors.sum(0)
            product = self._product(basis[count])[np.newaxis]
            new = np.concatenate([self._part(which, product) for which in range(parts)])
            inside[:, count, count] = np.einsum("ij,ij->i", vectors, new)
            new -= inside[:, count, count, np.newaxis] * vectors
            new -= links[:, np.newaxis] * before
            if kept:
                new -= self._combined(np.einsum("ij,kj->ik", new, basis[:kept]), basis[:kept])
            for which in range(parts):
                new[which] -= np.einsum("k,kj->j", np.einsum("kj,j->k", known[which], new[which]), known[which])
            links = np.where(active, np.linalg.norm(new, axis=1), 0.0)
            links[links <= ROUNDING * self._norm] = 0.0
            before, vectors = vectors, _divided(new, links)
            steps, count = steps + 1, count + 1
            inside[:, count, count - 1] = inside[:, count - 1, count] = links
            if steps < check and count < capacity and links[active].all():
                continue
            check = steps + 1 + int(OFTEN * steps)
            ritz = {
                int(which): _leading(inside[which, :count, :count], KEPT if kept else 1)
                for which in np.flatnonzero(active)
            }
            for which, (squares, mixing) in ritz.items():
                values[which], residuals[which] = squares[-1], links[which] * abs(mixing[-1, -1])
            for which, (_, mixing) in ritz.items():
                bound = max(floor, float(values.max())) if share else floor
                if _below(values[which], residuals[which], bound * (1 - 2 * SAME), steps, size):
                    active[which] = False
                elif residuals[which] <= ACCURATE * values[which]:
                    active[which] = False
                    vector = self._part(which, mixing[np.newaxis, :, -1] @ basis[:count])
                    found[which] = vector[0] / np.linalg.norm(vector)
            self._tell(steps, residuals[active] / values[active])
            vectors[~active], links[~active] = 0.0, 0.0
            if count == capacity:
                mixings = np.zeros((KEPT, parts, count))
                inside[:] = 0.0
                for which in map(int, np.flatnonzero(active)):
                    squares, mixing = ritz[which]
                    mixings[:, which] = mixing[:, -KEPT:].T
                    inside[which, range(KEPT), range(KEPT)] = squares[-KEPT:]
                    inside[which, KEPT, :KEPT] = inside[which, :KEPT, KEPT] = links[which] * mixing[-1, -KEPT:]
                basis[:KEPT] = sum(self._part(which, mixings[:, which] @ basis) for which in range(parts))
                count = kept = KEPT
                before, links = np.zeros_like(vectors), np.zeros(parts)
        self._steps += steps
        return found

    def _combined(self, factors: Array, basis: Array) -> Array:
        """Return, for each subspace, a combination of the basis. `factors` has one row per subspace."""
        # Not BLAS: its threads take longer to start than such products, and compete with those of the operator.
        rows = np.einsum("ik,kj->ij", factors, basis)
        return np.concatenate([self._part(which, rows[which : which + 1]) for which in range(len(rows))])

    def _tell(self, steps: int, errors: Array) -> None:
        """Show the number of steps so far, and an estimate of the total number if the errors fall equally fast."""
        if self._show is not None:
            reached = np.log(np.clip(errors, ACCURATE, 0.5)).max(initial=np.log(ACCURATE)) / np.log(ACCURATE)
            self._show(self._steps + steps, self._steps + int(steps / reached))


def _leading(matrix: Array, width: int) -> tuple[Array, Array]:
    """Return the largest eigenvalues of a band matrix, and their eigenvectors.

    Other solvers would start threads, which is slow for a small matrix.
    """
    size = len(matrix)
    bands = np.zeros((width + 1, size))
    for band in range(min(width + 1, size)):
        bands[band, : size - band] = matrix.diagonal(-band)
    last = (max(size - KEPT, 0), size - 1)
    values, vectors = scipy.linalg.eig_banded(bands, lower=True, select="i", select_range=last)
    return np.asarray(values, dtype=np.float64), np.asarray(vectors, dtype=np.float64)


def _below(value: float, residual: float, bound: float, steps: int, size: int) -> bool:
    """Return whether the largest eigenvalue is below the number `bound`. `value` is its present estimate.

    There are two tests. The first test uses a theorem on the error of the estimate after `steps` steps from a random
    start (Kuczynski and Wozniakowski 1992). The second test compares the residual of the estimate with `bound - value`.
    """
    error = (np.log(1.648 * np.sqrt(size) / MISSED) / (2 * steps - 1)) ** 2
    return bool(value < bound * (1 - error) or residual <= CERTAIN * (bound - value))


def _divided(rows: Array, lengths: Array) -> Array:
    return rows / np.where(lengths > 0.0, lengths, np.inf)[:, np.newaxis]
