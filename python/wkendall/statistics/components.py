"""How much the rankings of a sample agree on single positions and on pairs of items, tested against random rankings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from wkendall._arguments import Array, Random, generator
from wkendall._errors import bad_argument
from wkendall._run import Run
from wkendall.arrays.options import RANKS, Missing, Reading, from_places
from wkendall.embedding import BLOCK, combine_of, embed_of
from wkendall.gram import as_kernel
from wkendall.measures import Kernel
from wkendall.rankings import Rankings, check_all_items_fit, read_rankings
from wkendall.statistics.permutations import checked_permutations, null_distribution
from wkendall.statistics.samples import check_size, each_person
from wkendall.statistics.spectrum import PARTS, ZERO, Tops, Weights, lines, residuals, spectrum, weights_of

#: Agreements that differ by at most this count as equal.
EQUAL = 1e-10


class Components(NamedTuple):
    """What `components` returns. Each array has one entry for each part of the feature vectors of the kernel.

    The parts are positions of items, symmetric pairs and skew pairs (see `components`). The constant part is left out.
    Parts that are 0 for every ranking are also left out.

    Attributes
    ----------
    names : tuple of str
        The names of the parts, as for `spectrum`.
    agreement : ndarray
        How much the rankings agree in each part, from 0 to 1. Let v be one part of the feature vector of a ranking. The
        agreement in this part is `|mean of v|^2 / mean of |v|^2`, with means over all rankings. The agreement is 1 if
        all rankings are equal. For m random rankings it is 1/m on average.
    share : ndarray
        The number `|mean of v|^2` of each part, divided by the sum of these numbers over all parts.
    pvalue : ndarray
        For each part: (1 + number of permutations with at least the observed agreement) / (1 + number of permutations).

    Examples
    --------
    >>> import wkendall
    >>> wkendall.components([[1, 2, 3]] * 9, rng=0, n_permutations=99).pvalue
    array([0.01, 0.01])
    """

    names: tuple[str, ...]
    agreement: Array
    share: Array
    pvalue: Array


def components(
    X: ArrayLike | Rankings,
    kernel: Kernel | None = None,
    *,
    n_permutations: SupportsIndex = 999,
    rng: Random = None,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> Components:
    """Measure how much rankings agree on single positions and on pairs of items, and test this against random rankings.

    The kernel of two rankings is the inner product of their feature vectors. Each feature vector is a sum of four
    parts: a constant part and the three parts below (see `spectrum`). If all rankings are equally likely, the mean
    feature vector has only the constant part. If rankings agree, the mean feature vector also has other parts:

    - positions of items: some items are usually near the top, or near the bottom;
    - symmetric pairs: two items often occupy the same two positions, for example the first and the last, no matter
      which of the two items is first;
    - skew pairs: an item is before another item more often than the positions of the two items explain.

    For n items and the kernel `TensorKernel(range(n), order=1)`, the agreement on positions is Kendall's W.

    The hypothesis of the tests is that people are independent, and that all rankings of the items are equally likely.
    For a ranking with ties, the hypothesis is that all rankings are equally likely that result from exchanging its
    items. Each of the `n_permutations` permutations exchanges the items of every ranking at random, separately for each
    person. The p-values are therefore exact for any number of rankings.

    Parameters
    ----------
    X : Rankings or array-like of shape (m, n)
        Rankings, one per row; at least two. If `X` has `counts`, each row stands for as many people as its count. Items
        of unknown position (`missing="anywhere"`) raise an error.
    kernel : Kernel, optional
        As for `spectrum`. The default is the Kendall kernel. Its part of symmetric pairs is 0, so this part is left out
        of the result.
    n_permutations, rng, n_jobs, progress
        As for `two_sample_test`.

    Returns
    -------
    Components

    Notes
    -----
    For m rankings of n items, a permutation takes time O(m n^2) for each array U of weights of positions (see
    `TensorKernel`). `Kendall("average")` has several arrays U, and a `TensorKernel` can have several. Each part has its
    own test. To test whether there is agreement in at least one part, multiply the smallest p-value by the number of
    parts.

    Examples
    --------
    >>> import wkendall
    >>> X = wkendall.datasets.make_mallows(30, 5, 0.6, rng=0)
    >>> found = wkendall.components(X, wkendall.Kendall("mult", u="log"), rng=0)
    >>> for name, agreement, pvalue in zip(found.names, found.agreement.round(2), found.pvalue):
    ...     print(name, agreement, pvalue)
    (n-1,1) positions of items 0.15 0.003
    (n-2,2) symmetric pairs 0.02 0.726
    (n-2,1,1) skew pairs: who is before whom 0.05 0.2
    """
    chosen = as_kernel(kernel, "components")
    permutations, random = checked_permutations(n_permutations), generator(rng)
    run = Run(n_jobs=n_jobs, progress=progress).check()
    rankings = _read(X, run.threads)
    n, people = rankings.n_items, len(rankings)
    sees = spectrum(chosen, n).parts
    parts = [place for place, name in enumerate(PARTS[1:]) if sees.get(name, 0) > 0]
    features = _Features(weights_of(chosen, n, "components"), rankings._missing, run._replace(progress=False))
    places = rankings._places
    observed, own = features.of_means(places, people)[0, parts], features.mean_norms(places)[parts]
    # Rankings with many ties may have nothing of a part but rounding errors.
    absent = own <= ZERO * features.size()
    observed[absent], own[absent] = 0, 0

    def draw(batch: int) -> Array:
        drawn = random.permuted(np.tile(places, (batch, 1)), axis=1)
        return features.of_means(drawn, people)[:, parts]

    null = null_distribution(draw, permutations, max(1, BLOCK // (people * n**2)), (run.progress, "components"))
    as_large = np.count_nonzero(null >= observed - EQUAL * own, axis=0)
    total = float(observed.sum())
    share = observed / total if total > 0 else np.zeros(len(parts))
    agreement = np.divide(observed, own, out=np.zeros(len(parts)), where=own > 0)
    return Components(tuple(PARTS[1 + p] for p in parts), agreement, share, (1 + as_large) / (1 + permutations))


def _read(X: ArrayLike | Rankings, threads: int | None) -> Rankings:
    """Return rankings, one row for each person, with the places of all items."""
    rankings = read_rankings(X, "X", RANKS._replace(anywhere=False), threads)
    if rankings._missing == "anywhere":
        raise bad_argument("missing", " is 'anywhere', which has no components: use 'bottom'", value="anywhere")
    people: Any = len(rankings) if rankings._counts is None else rankings._counts.sum()
    check_size(int(people), "X")
    check_all_items_fit(rankings)
    if rankings._handle.is_lists:
        dense = read_rankings(np.asarray(rankings), "X", Reading(ties="mean", missing="bottom"), threads)
        rankings = dense._with(counts=rankings._counts)
    return each_person(rankings)


class _Features(NamedTuple):
    """The features of the kernel with the weights of positions `weights`, and the squared norms of their parts."""

    weights: list[Weights]
    missing: Missing
    run: Run

    def _members(self) -> Iterator[Array]:
        """Yield the weights one by one: vectors and matrices."""
        for some in self.weights:
            yield from (some.matrix(k) for k in range(2, some.n + 1)) if isinstance(some, Tops) else some

    def size(self) -> float:
        """Return the squared norm of the features of a complete ranking."""
        return sum(float(np.vdot(U, U)) for U in self._members())

    def of_means(self, places: Any, people: int) -> Array:
        """Return the squared norms of the parts of the mean features, for samples of `people` rankings each."""
        core, total = from_places(places, self.missing, self.run.threads), np.zeros((len(places) // people, 3))
        for U in self._members():
            if len(places) == people:
                mean = combine_of(core, np.full(people, 1 / people), U, self.run)[np.newaxis]
            else:
                mean = embed_of(core, U, self.run).reshape(-1, people, *U.shape).mean(axis=1)
            total += _norms(mean)
        return total

    def mean_norms(self, places: Any) -> Array:
        """Return the squared norms of the parts of the features, averaged over rankings."""
        total, step = np.zeros(3), max(1, BLOCK // places.shape[1] ** 2)
        for begin in range(0, len(places), step):
            core = from_places(places[begin : begin + step], self.missing, self.run.threads)
            for U in self._members():
                total += _norms(embed_of(core, U, self.run)).sum(axis=0)
        return total / len(places)


def _norms(features: Array) -> Array:
    """Return the squared norms of the parts of features (.., n, n) or (.., n): positions, symmetric and skew pairs."""
    count, n = len(features), features.shape[-1]
    first = (lines(features, n) ** 2).sum(axis=1).reshape(-1, count).sum(axis=0)
    if features.ndim == 2:
        return np.stack([first, np.zeros(count), np.zeros(count)], axis=1)
    left = residuals(features, n)
    own, crossed = np.einsum("pij,pij->p", left, left), np.einsum("pij,pji->p", left, left)
    return np.stack([first, (own + crossed) / 2, (own - crossed) / 2], axis=1)
