"""Samples of rankings: the distinct rankings, their counts, and a kernel between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall import _core
from wkendall._arguments import Array
from wkendall._errors import bad_argument
from wkendall._memory import check_fits
from wkendall._run import Run
from wkendall.arrays.options import from_places
from wkendall.arrays.sparse import is_sparse
from wkendall.gram import gram_of
from wkendall.measures import KendallDistance, Kernel, Mallows
from wkendall.rankings import Rankings, merged

Counts = NDArray[np.int64]

#: The statistics of two permutations count as equal if they differ by at most this, relative to the largest value of
#: the centred kernel.
EQUAL = 1e-10
#: Rounding changes statistics by less than this, relative to the largest value of the kernel before it is centred.
ROUNDING = 2.0**-45
#: The Mallows kernel is computed as `expm1` of distances if the largest exponent is below this: it is nearly constant.
NEARLY_CONSTANT = 1e-3
#: Advice for too many distinct rankings.
ADVICE = "the test needs the kernel between all different rankings: use a random part of each sample"


def check_size(people: int, name: str) -> None:
    """Raise an error if a group has fewer than two people."""
    if people < 2:
        found = f" has {people} ranking{'' if people == 1 else 's'}"
        raise bad_argument(name, f"{found}, but a group must have at least 2", value=people, kind="too few")


class Sample(NamedTuple):
    """A sample of rankings: the distinct rankings, the index of the distinct ranking of each row, and the counts."""

    rankings: Rankings
    member: NDArray[np.intp]
    counts: NDArray[Any]
    #: The sum of the squared weights of all people, if they have weights; then `counts` are sums of weights.
    squares: float | None = None


def sample_of(rankings: Rankings) -> Sample:
    """Merge equal rankings and add up how often they were observed."""
    first, member = merged(rankings)
    return Sample(rankings[first], member, counts_of(member, len(first), rankings._counts))


def counts_of(member: NDArray[np.intp], size: int, counts: Counts | None) -> Counts:
    """Return how often each index occurs."""
    found = np.zeros(size, dtype=np.int64)
    np.add.at(found, member, 1 if counts is None else counts)
    return found


def pooled(groups: Sequence[Rankings], threads: int | None) -> Rankings:
    """Return the rankings of all groups, one group after another."""
    places = [group._places for group in groups]
    missing = next((group._missing for group in groups if group.kind != "complete"), groups[0]._missing)
    if any(map(is_sparse, places)):
        from scipy.sparse import csr_array, vstack

        stacked: Any = vstack([csr_array(some) for some in places], format="csr")
    else:
        stacked = np.concatenate(places)
    counts = None
    if any(group._counts is not None for group in groups):
        counts = np.concatenate([observed(group) for group in groups])
    listed = None
    if any(group._listed is not None for group in groups):
        every = [np.full(len(group), group.n_items) if group._listed is None else group._listed for group in groups]
        listed = np.concatenate(every)
    core = from_places(stacked, missing, threads)
    return Rankings._made(core, missing, listed=listed, items=groups[0]._items, counts=counts)


def observed(rankings: Rankings) -> Counts:
    """Return how often each ranking was observed."""
    return np.ones(len(rankings), dtype=np.int64) if rankings._counts is None else rankings._counts


def each_person(rankings: Rankings) -> Rankings:
    """Return rankings without counts, with one row for each person."""
    if rankings._counts is None:
        return rankings
    return rankings[np.repeat(np.arange(len(rankings)), rankings._counts)]._with(labels=None, counts=None)


def kernel_between(sample: Sample, kernel: Kernel | None, run: Run) -> tuple[Array, Kernel]:
    """Return the Gram matrix of the distinct rankings of a sample, and the kernel object that computed the matrix.

    The default is the normalized Mallows kernel, with the rate of `rate_of`. Without normalization, the
    self-similarities of long lists with ties would underflow. If a Mallows kernel is nearly constant, 1 is subtracted
    from it. The kernel then does not lose digits when it is centred later.
    """
    size, items = sample.rankings.shape
    check_fits(size, size, np.dtype(np.float64), ADVICE)
    into = run._replace(out=np.empty((size, size)), progress=False)
    if kernel is None:
        distances = gram_of(sample.rankings, None, KendallDistance(), into)
        kernel = Mallows(rate_of(distances, sample.counts, sample.squares), normalize=True)
    rate = kernel._measure(items).rate  # refuses a wrong rate
    if isinstance(kernel, Mallows) and rate is not None:
        kernel = Mallows(rate, normalize=kernel.normalize)
        if rate * items * (items - 1) / 2 < NEARLY_CONSTANT:
            distances = gram_of(sample.rankings, None, KendallDistance(), into)
            return _below_one(distances, rate, kernel.normalize), kernel
    return gram_of(sample.rankings, None, kernel, into), kernel


def _below_one(distances: Array, rate: float, normalize: bool) -> Array:
    """Replace the distances, in place, by the Mallows kernel minus 1."""
    if normalize:
        own = distances.diagonal() / 2
        distances -= own + own[:, np.newaxis]
    distances *= -rate
    return np.expm1(distances, out=distances)


def rate_of(distances: Array, counts: NDArray[Any], squares: float | None = None) -> float:
    """Return the rate of the Mallows kernel for a sample, from the mean distance between two of its rankings.

    Rankings with ties have a positive distance from themselves. Half of the sum of the self-distances of two rankings
    is therefore subtracted from their distance, as in `Mallows` with `normalize=True`.
    """
    people, own = counts.astype(np.float64), distances.diagonal()
    size = people.sum()
    total = people @ (distances @ people) - size * (people @ own)
    mean = float(total / (size**2 - (size if squares is None else squares)))
    return _core.mallows_rate(mean if mean > 1e-12 * max(1.0, float(own.max())) else 0.0)


class Scaled(NamedTuple):
    """A centred kernel, divided by `unit`, and the largest difference of statistics that may come from rounding."""

    gram: Array
    unit: float
    tolerance: float


def scaled(gram: Array, counts: NDArray[Any]) -> Scaled:
    """Centre a kernel in place, and scale it such that its largest value is between 1 and 2."""
    before = reduced(gram)
    centered(gram, counts)
    after = reduced(gram)
    return Scaled(gram, before * after, max(EQUAL, ROUNDING / after))


def centered(gram: Array, counts: NDArray[Any]) -> Array:
    """Centre a kernel in place: subtract the means over a sample, so that all sums over the sample are 0."""
    people = counts / counts.sum()
    means = gram @ people
    gram -= means[:, np.newaxis]
    gram -= means - people @ means
    return gram


def without_constant(gram: Array, place: int) -> tuple[Array, float]:
    """Replace K(a, b) by K(a, b) - K(a, c) - K(c, b) + K(c, c), in place, for a fixed c; then scale the kernel.

    The ranking or value c has the number `place`. The function returns the kernel and the number by which it was
    divided.

    If the result is centred, it equals the centred kernel K, up to the scale. If K is constant, the result is 0.
    """
    column = gram[:, place].copy()
    gram -= column[:, np.newaxis]
    gram -= column - column[place]
    return gram, reduced(gram)


def reduced(gram: Array) -> float:
    """Divide a kernel in place by a power of two, such that its largest value is between 1 and 2; return this power.

    Sums over many people then neither overflow nor underflow. A kernel that is 0 everywhere is not changed.
    """
    unit = power_of_two(float(max(gram.max(initial=0.0), -gram.min(initial=0.0))))
    gram /= unit
    return unit


def power_of_two(number: float) -> float:
    """Return the largest power of two that is not above a number; 1 for 0."""
    return 2.0 ** (math.frexp(number)[1] - 1) if number else 1.0
