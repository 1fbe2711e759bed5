"""People in groups, and random assignments of people to groups, also within blocks and with weights.

A group is described by two quantities: the total weight of each distinct ranking, and the sum of the squared weights of
its people. If everybody has weight 1, the total weights are counts, and the sum of squared weights is the number of
people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import Array, check_same_rows, entry_name
from wkendall._errors import bad_argument, shown
from wkendall._memory import check_fits
from wkendall.rankings import Rankings, merged, sample_weights
from wkendall.statistics.paired_values import labels_of
from wkendall.statistics.permutations import BATCH_NUMBERS, BATCH_WORK, MAX_PEOPLE, Groups
from wkendall.statistics.samples import Sample, check_size, observed, power_of_two

Labels = NDArray[np.intp]

#: The largest weight may be this many times the smallest: the variance within a group of one large and one tiny weight
#: has no digits left.
MAX_RATIO = 1e6


class Assigned(NamedTuple):
    """Several assignments of people to groups.

    `tables` contains the total weight of each distinct ranking in each group except the last group. `squares` contains
    the sum of the squared weights of the people of each group. `tables` has shape (assignments, groups - 1, rankings),
    and `squares` has shape (assignments, groups), or (1, groups) if it is the same for all assignments.
    """

    tables: NDArray[Any]
    squares: NDArray[Any]


@dataclass(frozen=True)
class People:
    """People, or rows that stand for several people: the ranking, the group, the weight and the block of each.

    A block is a set of people. In a random assignment, people of the same block exchange their groups. If `counted` is
    true, the weights are numbers of people, and there are no blocks: all people may exchange their groups. Otherwise
    each row is one person.
    """

    member: Labels
    group: Labels
    weights: Array
    n_groups: int
    blocks: Labels | None = None
    counted: bool = True

    @cached_property
    def totals(self) -> Array:
        """The total weight of each distinct ranking."""
        return np.asarray(np.bincount(self.member, self.weights), dtype=np.float64)

    @cached_property
    def tables(self) -> Array:
        """The total weight of each distinct ranking in each group."""
        size = len(self.totals)
        found = np.bincount(self.group * size + self.member, self.weights, minlength=self.n_groups * size)
        return np.asarray(found.reshape(self.n_groups, size), dtype=np.float64)

    @cached_property
    def squares(self) -> Array:
        """The sum of the squared weights of the people of each group."""
        each = self.weights if self.counted else self.weights**2
        return np.asarray(np.bincount(self.group, each, minlength=self.n_groups), dtype=np.float64)

    @property
    def observed(self) -> Assigned:
        """The observed groups."""
        return Assigned(self.tables[np.newaxis, :-1], self.squares[np.newaxis])

    def of(self, groups: Sequence[int]) -> tuple[People, Labels]:
        """Return the people of some groups, and the indices of the distinct rankings of these people."""
        rows = np.isin(self.group, groups)
        used, member = np.unique(self.member[rows], return_inverse=True)
        blocks = None if self.blocks is None else self.blocks[rows]
        number = np.zeros(self.n_groups, dtype=np.intp)
        number[list(groups)] = np.arange(len(groups))
        group = number[self.group[rows]]
        return People(member.reshape(-1), group, self.weights[rows], len(groups), blocks, self.counted), used

    def batch(self, work: int) -> int:
        """Return the number of assignments to compute together, if each takes `work` multiplications."""
        if self.counted:
            return self._dealt.batch(work)
        width = max(self.n_groups * len(self.totals), len(self.group))
        return max(1, min(BATCH_NUMBERS // width, BATCH_WORK // (work * (self.n_groups - 1)) + 8))

    def draw(self, random: np.random.Generator, batch: int) -> Assigned:
        """Assign people to groups at random, `batch` times: every group keeps its number of people in each block."""
        if self.counted:
            return Assigned(self._dealt.draw(random, batch), self.squares[np.newaxis])
        group = np.empty((batch, len(self.group)), dtype=np.intp)
        for places in self._places:
            group[:, places] = random.permuted(np.tile(self.group[places], (batch, 1, 1)), axis=2)
        group += np.arange(batch)[:, np.newaxis] * self.n_groups
        weights, size = np.tile(self.weights, batch), len(self.totals)
        squares: NDArray[Any] = np.bincount(group.ravel(), weights**2, minlength=batch * self.n_groups)
        group *= size
        group += self.member
        tables = np.bincount(group.ravel(), weights, minlength=batch * self.n_groups * size)
        shape = (batch, self.n_groups)
        return Assigned(tables.reshape(*shape, size)[:, :-1], squares.reshape(shape))

    @cached_property
    def _dealt(self) -> Groups:
        return Groups(np.empty((0, 0)), self.totals.astype(np.int64), self.tables.sum(axis=1).astype(np.int64))

    @cached_property
    def _places(self) -> list[Labels]:
        """One array of shape (blocks, size) for each size of blocks: the row numbers of the people of each block."""
        blocks = np.zeros(len(self.group), dtype=np.intp) if self.blocks is None else self.blocks
        order, sizes = np.argsort(blocks, kind="stable"), np.bincount(blocks)
        starts = np.cumsum(sizes) - sizes
        return [
            order[starts[sizes == size][:, np.newaxis] + np.arange(size)] for size in np.unique(sizes).tolist() if size
        ]


def people_of(
    rankings: Rankings, group: Labels, names: Sequence[Any], blocks: Any = None, sample_weight: ArrayLike | None = None
) -> tuple[People, Sample]:
    """Return the people of groups and their distinct rankings; `group` has each row's group, and `names` has all groups."""
    counts, weights = observed(rankings), None
    block = None if blocks is None else _blocks(blocks, rankings, group)
    if sample_weight is not None:
        weights = _comparable(sample_weights(sample_weight, rankings), sample_weight)
        counts = np.where(weights > 0, counts, 0)
    for number, name in enumerate(names):
        check_size(int(counts[group == number].sum()), f"groups[{shown(name)}]")
    total = int(counts.sum())
    if total >= MAX_PEOPLE:
        raise ValueError(f"there are {total} people, but a test takes fewer than {MAX_PEOPLE}")
    kept = np.flatnonzero(counts)
    counts = counts[kept]
    first, member = merged(rankings[kept])
    if weights is not None and (weights[kept] == weights[kept[0]]).all():
        weights = None
    if block is None and weights is None:
        people = People(member, group[kept], counts.astype(np.float64), len(names))
    else:
        check_fits(total, len(names), np.dtype(np.float64), "take a random part of the people", shape=f"{total}")
        rows = np.repeat(kept, counts)
        each = np.ones(total) if weights is None else weights[rows]
        within = None if block is None else block[rows]
        people = People(np.repeat(member, counts), group[rows], each, len(names), within, counted=False)
    return people, Sample(rankings[kept[first]], people.member, people.totals, float(people.squares.sum()))


def group_labels(rankings: Rankings, groups: Any, least: int = 2, most: int | None = None) -> tuple[Labels, list[Any]]:
    """Return the number of each row's group, and the labels of the groups, which are sorted if possible."""
    check_same_rows(rankings, groups, ("X", "groups"))
    member, names = labels_of(groups, len(rankings), "groups")
    kind: Any = getattr(groups, "dtype", None)
    ordered = [*kind.categories] if getattr(kind, "ordered", False) else None
    try:
        order = sorted(
            range(len(names)), key=names.__getitem__ if ordered is None else lambda n: ordered.index(names[n])
        )
    except TypeError:  # such as texts and numbers
        order = list(range(len(names)))
    if len(names) < least or (most is not None and len(names) > most):
        rule = f"exactly {least}" if most is not None else f"at least {least}"
        found = f" has {len(names)} different label{'' if len(names) == 1 else 's'}"
        many = most is not None and len(names) > most
        advice = ("one group", shown(names[order[0]])) if many else ()
        reason = f"{found}, but there must be {rule} groups"
        raise bad_argument("groups", reason, *advice, value=len(names), kind="groups")
    return np.argsort(order)[member], [names[place] for place in order]


def _blocks(blocks: Any, rankings: Rankings, group: Labels) -> Labels:
    check_same_rows(rankings, blocks, ("X", "blocks"))
    block, _ = labels_of(blocks, len(rankings), "blocks")
    both = np.unique(np.stack([block, group], axis=1), axis=0)
    if len(both) == len(np.unique(both[:, 0])):
        rule = "people change places only within their block, so a block needs people of several groups"
        raise bad_argument("blocks", f" has no block with two groups: {rule}", kind="blocks")
    return block


def _comparable(weights: Array, given: Any) -> Array:
    """Divide weights by a power of two, so that no sum overflows; raise an error for weights of very different sizes."""
    largest = float(weights.max())
    for row in np.flatnonzero((weights > 0) & (weights < largest / MAX_RATIO))[:1].tolist():
        name = entry_name(given, "sample_weight", row)
        rule = f"0 or at least {largest / MAX_RATIO:g}, a millionth of the largest"
        raise bad_argument(name, f" is {weights[row]:g}, but must be {rule}", row=row, value=float(weights[row]))
    return weights / power_of_two(largest)
