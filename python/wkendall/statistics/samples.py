"""Samples of rankings: the distinct rankings, their counts, and a kernel between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import Array, check_choice
from wkendall._errors import Argument, Option, RankingError, Sentence, bad_argument
from wkendall._memory import check_fits
from wkendall.kernels.gram import gram_of
from wkendall.kernels.named_weights import STANDARD
from wkendall.kernels.run import Run
from wkendall.kernels.specification import Distance, Kernel, Mallows, Specification
from wkendall.reading.distinct import distinct
from wkendall.reading.rankings import CheckedRankings, Places, of_places
from wkendall.reading.sparse import is_sparse

KernelName = Literal["mallows", "kendall"]
Counts = NDArray[np.int64]

#: Without `lam`, the Mallows kernel of two rankings at the mean distance of the sample is exp(-RATE). The value was
#: chosen with `examples/group_powers.py`: see `docs/comparing_groups.md`.
RATE = 2.0
#: The statistics of two permutations count as equal if they differ by at most this, relative to the largest value of
#: the centred kernel.
EQUAL = 1e-10
#: Rounding changes statistics by less than this, relative to the largest value of the kernel before it is centred.
ROUNDING = 2.0**-45
#: The Mallows kernel is computed as `expm1` of distances if the largest exponent is below this: it is nearly constant.
NEARLY_CONSTANT = 1e-3
#: Advice for too many distinct rankings.
ADVICE = "the test needs the kernel between all different rankings: use a random part of each sample"


class KernelOptions(NamedTuple):
    """The parameters of a kernel between rankings, as given by the caller; see `two_sample_test`."""

    kernel: KernelName | None = None
    lam: float | None = None
    weight: str | None = None
    k: SupportsIndex | None = None
    u: str | ArrayLike | None = None
    U: ArrayLike | tuple[object, ...] | None = None
    W: ArrayLike | None = None
    order: SupportsIndex | None = None
    check: bool = True
    signed: bool = False
    normalize: bool | None = None

    def specification(self) -> Specification | None:
        """Return what is computed; None for the Mallows kernel with a rate that depends on the sample."""
        if self.kernel is not None:
            check_choice(self.kernel, "kernel", get_args(KernelName))
        weighted = [name for name in ("weight", "k", "u", "U", "W", "order") if getattr(self, name) is not None]
        if self.kernel == "mallows" and weighted:
            raise _goes_with(weighted[0], "kendall", "mallows")
        if self.kernel == "kendall" or weighted:
            return self._kendall()
        if self.signed is not False:
            raise RankingError(
                Sentence(Option("signed", True), " goes with ", Option("kernel", "kendall")), argument="signed"
            )
        if self.lam is None:
            Mallows.of(1.0, self._normalized)
            return None
        return Mallows.of(self.lam, self._normalized)

    def _kendall(self) -> Kernel:
        if self.lam is not None:
            raise _goes_with("lam", "mallows", "kendall")
        weight = STANDARD if self.weight is None else self.weight
        order = 2 if self.order is None else self.order
        divided = False if self.normalize is None else self.normalize
        return Kernel(weight, self.k, self.u, self.U, self.W, order, self.check, self.signed, divided)

    @property
    def _normalized(self) -> bool:
        """Whether to normalize; by default yes, because self-similarities of long lists with ties would underflow."""
        return True if self.normalize is None else self.normalize


def _goes_with(name: str, good: str, bad: str) -> RankingError:
    pieces = (" goes with ", Option("kernel", good), ", not with ", Option("kernel", bad))
    return RankingError(Sentence(Argument(name), *pieces), argument=name)


def check_size(people: int, name: str) -> None:
    """Refuse a group with fewer than two people."""
    if people < 2:
        found = f" has {people} ranking{'' if people == 1 else 's'}"
        raise bad_argument(name, f"{found}, but a group must have at least 2", value=people, kind="too few")


class Sample(NamedTuple):
    """A sample of rankings: the distinct rankings, the index of each row's ranking among them, and their counts."""

    rankings: CheckedRankings
    member: NDArray[np.intp]
    counts: Counts


def sample_of(rankings: CheckedRankings, counts: Counts | None = None) -> Sample:
    """Merge equal rankings; `counts` says how often each row occurs, once if absent."""
    different, member, _ = distinct(rankings, np.ones(rankings.rows))
    return Sample(different, member, counts_of(member, different.rows, counts))


def counts_of(member: NDArray[np.intp], size: int, counts: Counts | None) -> Counts:
    """Return how often each index occurs."""
    found = np.zeros(size, dtype=np.int64)
    np.add.at(found, member, 1 if counts is None else counts)
    return found


def pooled(groups: Sequence[CheckedRankings], threads: int | None) -> CheckedRankings:
    """Return the rankings of all groups, one group after another."""
    places = [group.places for group in groups]
    if any(is_sparse(some) for some in places):
        return of_places(_stacked(places), "bottom", threads)
    return of_places(np.concatenate(places), groups[0].missing, threads)


def _stacked(places: list[Places]) -> Any:
    from scipy.sparse import csr_array, vstack

    return vstack([csr_array(some) for some in places], format="csr")


def kernel_between(sample: Sample, options: KernelOptions, run: Run) -> tuple[Array, float | None]:
    """Return the kernel between all distinct rankings of a sample, and the rate if it is the Mallows kernel.

    1 is subtracted from a Mallows kernel that is nearly constant. It is centred later, and so keeps its digits.
    """
    what = options.specification()
    size, items = sample.rankings.rows, sample.rankings.items
    check_fits(size, size, np.dtype(np.float64), ADVICE)
    into = run._replace(out=np.empty((size, size)), progress=False)
    if what is None:
        distances = gram_of(sample.rankings, None, Distance(), into)
        what = Mallows.of(rate_of(distances, sample.counts), options._normalized)
    if isinstance(what, Mallows) and what.lam * items * (items - 1) / 2 < NEARLY_CONSTANT:
        what.measure(items)  # refuses negative rates
        return _below_one(gram_of(sample.rankings, None, Distance(), into), what), what.lam
    gram = gram_of(sample.rankings, None, what, into)
    return gram, what.lam if isinstance(what, Mallows) else None


def _below_one(distances: Array, mallows: Mallows) -> Array:
    """Return the Mallows kernel minus 1, in the place of the distances."""
    if mallows.normalize:
        own = distances.diagonal() / 2
        distances -= own + own[:, np.newaxis]
    distances *= -mallows.lam
    return np.expm1(distances, out=distances)


def rate_of(distances: Array, counts: Counts) -> float:
    """Return the rate of the Mallows kernel for a sample: RATE divided by the mean distance of two rankings.

    Rankings with ties have a positive distance from themselves. Half of the sum of the two self-distances is
    subtracted, as `mallows` does with `normalize=True`.
    """
    people, own = counts.astype(np.float64), distances.diagonal()
    size = people.sum()
    total = people @ (distances @ people) - size * (people @ own)
    mean = float(total / (size * (size - 1)))
    return RATE / mean if mean > 1e-12 * max(1.0, float(own.max())) else 1.0


class Scaled(NamedTuple):
    """A centred kernel, divided by `unit`, and the differences of statistics that may come from rounding."""

    gram: Array
    unit: float
    tolerance: float


def scaled(gram: Array, counts: Counts) -> Scaled:
    """Centre a kernel and bring its largest value to 1 to 2, in place."""
    before = reduced(gram)
    centered(gram, counts)
    after = reduced(gram)
    return Scaled(gram, before * after, max(EQUAL, ROUNDING / after))


def centered(gram: Array, counts: Counts) -> Array:
    """Centre a kernel in place: subtract the means over a sample, so that all sums over the sample are 0."""
    people = counts / counts.sum()
    means = gram @ people
    gram -= means[:, np.newaxis]
    gram -= means - people @ means
    return gram


def without_constant(gram: Array, place: int) -> tuple[Array, float]:
    """Subtract the kernel with one ranking c, in place: K(a, b) - K(a, c) - K(c, b) + K(c, c); return it scaled.

    It has the same centred kernel, and is 0 if the kernel is constant.
    """
    column = gram[:, place].copy()
    gram -= column[:, np.newaxis]
    gram -= column - column[place]
    return gram, reduced(gram)


def reduced(gram: Array) -> float:
    """Divide a kernel, in place, by the power of two that brings its largest value to 1 to 2; return that power.

    Sums over many people then neither overflow nor underflow. A kernel that is 0 everywhere is not changed.
    """
    unit = power_of_two(float(max(gram.max(initial=0.0), -gram.min(initial=0.0))))
    gram /= unit
    return unit


def power_of_two(number: float) -> float:
    """Return the largest power of two that is not above a number; 1 for 0."""
    return 2.0 ** (math.frexp(number)[1] - 1) if number else 1.0
