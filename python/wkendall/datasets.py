"""Rankings to try things on: random ones, those of the survey of the paper, and people simulated from a model of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from typing import Any, NamedTuple, NoReturn, SupportsIndex, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall._arguments import as_order, real_array
from wkendall._memory import check_fits
from wkendall.reading.files import MISSING, File, as_path, lines_of, opened, rows_of, shown
from wkendall.reading.rankings import as_ranking
from wkendall.reading.rdata import INTEGER, PACKED, Save

__all__ = ["load_eurobarometer", "make_mallows", "make_plackett_luce", "make_survey", "make_uniform"]

#: The six sources of information about science that the survey asks about, in the order of its questions.
ITEMS = ("television", "radio", "newspapers_magazines", "scientific_magazines", "internet", "school_university")
#: The columns of the counts table.
COUNTS = (*ITEMS, "SEX", "AGE4", "y")
#: What the R package prefmod calls the six sources.
PREFMOD = ("TV", "RAD", "NEWSP", "SCIMAG", "WWW", "EDINST")
#: The columns of the file of ICPSR: the ranks of the six sources, and the age in years.
ICPSR = ("v57", "v58", "v59", "v60", "v61", "v62", "v522")
#: What stands there for a rank or an age that was not given.
UNSAID = (*MISSING, ".")
#: The youngest ages of the age groups 2, 3 and 4.
AGES = (25, 40, 55)
#: How many people of the survey are under 40, and how many are 40 and over.
SIZES = (5716, 6500)

#: For each of these two groups, two classes of people: the share of the class, and its effects for the pairs of items (1, 2),
#: (1, 3), .., (5, 6).
# fmt: off
MODEL = (
    (
        (0.658, (1.779, 1.32, 1.052, 0.249, -0.158, 0.201, 1.053, 0.276, 0.44, 2.173, 0.721, 0.508, 0.406, 0.26, 0.166)),
        (0.342, (0.737, -0.368, -0.146, -0.132, -0.151, -1.509, -0.453, -0.288, -0.164, -1.066, -0.342, -0.665, 0.051, -0.394,
                 -0.238)),
    ),
    (
        (0.745, (1.584, 0.784, 1.405, 0.641, 0.516, 0.252, 1.384, 0.688, 0.985, 2.263, 1.229, 0.97, 1.024, 0.461, -0.314)),
        (0.255, (0.732, -0.054, -0.474, 0.121, -0.111, -1.043, -0.468, 0.266, -0.016, -0.926, 0.159, -0.27, 0.068, -0.427,
                 -0.043)),
    ),
)
# fmt: on

Ranks = NDArray[np.int64]
Random = SupportsIndex | np.random.Generator | None


class Survey(NamedTuple):
    """People, one a row; see `load_eurobarometer` and `make_survey`."""

    X: Ranks
    y: Ranks
    items: list[str]
    sex: Ranks | None
    age_group: Ranks | None
    left_out: int


def make_uniform(m: SupportsIndex, n: SupportsIndex, *, rng: Random = None) -> Ranks:
    """Draw rankings that are all equally probable.

    Parameters
    ----------
    m, n : int
        How many rankings, of how many items.
    rng : int or numpy.random.Generator, optional
        A seed, from 0, or what to draw from. If absent, every call draws something else.

    Returns
    -------
    ndarray of shape (m, n)
        Ranks from 1, the most preferred.

    Examples
    --------
    >>> from wkendall.datasets import make_uniform
    >>> make_uniform(3, 4, rng=0)
    array([[3, 1, 2, 4],
           [4, 3, 2, 1],
           [2, 4, 1, 3]])
    """
    rows, items = as_order(m, "m", 0), as_order(n, "n")
    random = _generator(rng)
    _check_size(rows, items)
    return random.permuted(np.tile(np.arange(1, items + 1, dtype=np.int64), (rows, 1)), axis=1)


def make_mallows(m: SupportsIndex, center: ArrayLike, lam: float, *, rng: Random = None) -> Ranks:
    """Draw rankings from the Mallows model: the probability of a ranking is proportional to exp(-lam * distance).

    The distance is Kendall's, the number of pairs of items that the ranking and the centre order differently. The draws are
    exact, by repeated insertion: the items come in the order of the centre, and each is put so many places before the end of
    those that have come.

    Parameters
    ----------
    m : int
        How many rankings.
    center : array-like of n ranks, or int
        The most probable ranking. A number n stands for 1, 2, .., n.
    lam : float
        How concentrated the rankings are, from 0: all are equally probable at 0.
    rng : int or numpy.random.Generator, optional
        As for `make_uniform`.

    Returns
    -------
    ndarray of shape (m, n)
        Ranks from 1, the most preferred.

    Examples
    --------
    >>> from wkendall.datasets import make_mallows
    >>> make_mallows(3, [2, 1, 4, 3], 1.5, rng=0)
    array([[2, 1, 3, 4],
           [2, 1, 3, 4],
           [1, 2, 4, 3]])
    """
    rows, middle, spread = as_order(m, "m", 0), _center(center), _spread(lam)
    random = _generator(rng)
    items = len(middle)
    _check_size(rows, items)
    found = np.empty((items, rows), dtype=np.int64)
    with np.errstate(over="ignore"):
        chances = np.exp(-spread * np.arange(items)).cumsum()
    for come in range(items):
        steps = (chances[: come + 1] / chances[come]).searchsorted(random.random(rows), side="right")
        place = come - steps
        found[:come] += found[:come] >= place
        found[come] = place
    X = np.empty((rows, items), dtype=np.int64)
    X[:, middle.argsort()] = found.T + 1
    return X


def make_plackett_luce(m: SupportsIndex, strengths: ArrayLike, *, rng: Random = None) -> Ranks:
    """Draw rankings from the Plackett-Luce model: the next item is chosen with probability proportional to its strength.

    The draws are exact: sorting the logarithms of the strengths plus Gumbel noise amounts to these choices.

    Parameters
    ----------
    m : int
        How many rankings.
    strengths : array-like of n positive numbers
        Only their ratios matter.
    rng : int or numpy.random.Generator, optional
        As for `make_uniform`.

    Returns
    -------
    ndarray of shape (m, n)
        Ranks from 1, the most preferred.

    Examples
    --------
    >>> from wkendall.datasets import make_plackett_luce
    >>> make_plackett_luce(3, [8, 4, 2, 1], rng=0)
    array([[4, 3, 2, 1],
           [1, 3, 2, 4],
           [2, 3, 4, 1]])
    """
    rows = as_order(m, "m", 0)
    known = real_array(strengths, "strengths", (1,), "an array of n positive numbers")
    if not known.size:
        raise ValueError("strengths is empty, but must have a positive number for each item")
    for item, strength in enumerate(known.tolist()):
        if not 0 < strength < np.inf:
            raise ValueError(f"strengths: item {item} has {strength}, but must have a positive finite number")
    random = _generator(rng)
    _check_size(rows, known.size)
    scores = np.log(known) + random.gumbel(size=(rows, known.size))
    orders = (-scores).argsort(axis=1)
    X = np.empty((rows, known.size), dtype=np.int64)
    np.put_along_axis(X, orders, np.arange(1, known.size + 1, dtype=np.int64)[np.newaxis], axis=1)
    return X


def make_survey(m: SupportsIndex | None = None, *, rng: Random = None) -> Survey:
    """Simulate people like those of Eurobarometer 55.2, from a model with two groups of two classes each.

    In a class the logarithm of the probability of a ranking is a constant plus the effects of the pairs of items that it
    orders as the questions do, one effect for each of the 15 pairs. The 62 numbers were fitted to the 12,216 people of the
    counts table by maximum likelihood, the age groups apart, with the EM algorithm, and rounded to 3 digits after the point.

    The largest difference between the model and the survey, over both groups, is 0.0009 in the mean rank of an item, 0.0003 in
    the share of people who prefer one item to another, and 0.034 in the share who give an item a certain rank. In
    12,216 people drawn from it chance adds more: 0.038 in a mean rank and 0.013 in a preference, the averages over 20 draws.
    The total variation distance of model and survey over all 720 rankings is 0.19 for those under 40 and 0.17 for the others;
    orders of three and more items are reproduced only as far as the two classes carry them.

    Parameters
    ----------
    m : int, optional
        How many people. If absent, as many as in the survey: 12,216.
    rng : int or numpy.random.Generator, optional
        As for `make_uniform`.

    Returns
    -------
    X : ndarray of shape (m, 6)
        Ranks from 1, the most important source.
    y : ndarray of shape (m,)
        1 for age 40 and over, else 0, in random order. The share of the 1s is that of the survey, 6,500 of 12,216, rounded.
    items : list of the six names
    sex, age_group : None
        The model does not know them.
    left_out : 0

    Examples
    --------
    >>> from wkendall.datasets import make_survey
    >>> people = make_survey(1000, rng=0)
    >>> people.X[:3]
    array([[3, 4, 1, 5, 2, 6],
           [5, 1, 6, 3, 4, 2],
           [4, 6, 3, 1, 5, 2]])

    Those under 40 rank television lower than the others:

    >>> [float(people.X[people.y == label, 0].mean().round(2)) for label in (0, 1)]
    [2.26, 2.04]
    """
    rows = sum(SIZES) if m is None else as_order(m, "m", 0)
    random = _generator(rng)
    _check_size(rows, len(ITEMS))
    y = random.permutation(np.arange(rows) < round(rows * SIZES[1] / sum(SIZES))).astype(np.int64)
    rankings = np.array(list(permutations(range(1, len(ITEMS) + 1))))
    X = np.empty((rows, len(ITEMS)), dtype=np.int64)
    for group, classes in enumerate(MODEL):
        chances = group_chances(rankings, classes)
        mine = y == group
        X[mine] = rankings[random.choice(len(rankings), mine.sum(), p=chances)]
    return Survey(X, y, list(ITEMS), None, None, 0)


def group_chances(
    rankings: NDArray[np.integer], classes: Sequence[tuple[float, Sequence[float]]]
) -> NDArray[np.float64]:
    """Return the probability of each ranking of a list of all, for classes of people with these shares and effects."""
    pairs = combinations(range(rankings.shape[1]), 2)
    ordered = np.array([rankings[:, i] < rankings[:, j] for i, j in pairs], dtype=np.float64).T
    total = np.zeros(len(rankings))
    for share, effects in classes:
        odds = np.exp(ordered @ np.asarray(effects))
        total += share * odds / odds.sum()
    return cast("NDArray[np.float64]", total / total.sum())


def load_eurobarometer(path: str | os.PathLike[str]) -> Survey:
    r"""Read the survey of the paper, Eurobarometer 55.2 (2001): how people rank six sources of information about science.

    The label is age 40 and over. The paper's is age over 40: people aged 40 are on the other side there. The published counts
    have age groups only, so that the paper's label cannot be made from them.

    Parameters
    ----------
    path : path
        One of these files, found by what is in it; other columns than those named are ignored:

        - A counts table, CSV in UTF-8 with commas, semicolons or tabs, and the columns television, radio,
          newspapers_magazines, scientific_magazines, internet, school_university (ranks), SEX (1 male, 2 female), AGE4
          (1 for 15-24, 2 for 25-39, 3 for 40-54, 4 for 55 and over) and y, the number of people.
        - `euro55.2.des.RData` of the R package prefmod, or any R save file in XDR format, compressed or not, of one data frame
          with the same columns. The sources may also have prefmod's names, TV, RAD, NEWSP, SCIMAG, WWW and EDINST, and
          prefmod's numbers in place of ranks: how many sources are behind less how many are ahead, from 5 to -5.
        - The file of ICPSR 03341, separated by tabs, with the columns v57 to v62 (ranks, in the order above) and v522 (age in
          years). Small and capital letters are the same.

    Returns
    -------
    X : ndarray of shape (people, 6)
        Ranks from 1, the most important source, in the order of the file: of a counts table each row y times.
    y : ndarray of shape (people,)
        1 for age 40 and over, else 0.
    items : list of the six names
    sex, age_group : ndarray of shape (people,), or None
        SEX and AGE4. The file of ICPSR gives the age group, from the age, but no sex.
    left_out : int
        How many people of the file of ICPSR are not in X because they did not rank all six, each with another rank, or gave no
        age. 0 for the other files.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from wkendall.datasets import COUNTS, load_eurobarometer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "counts.csv")
    ...     _ = path.write_text(",".join(COUNTS) + "\n1,2,3,4,5,6,1,2,2\n2,1,3,6,5,4,2,3,1\n")
    ...     people = load_eurobarometer(path)
    >>> people.X
    array([[1, 2, 3, 4, 5, 6],
           [1, 2, 3, 4, 5, 6],
           [2, 1, 3, 6, 5, 4]])
    >>> people.y
    array([0, 0, 1])
    """
    source = as_path(path)
    data = source.read_bytes()
    if data.startswith((*PACKED, b"RDX", b"RDA", b"RDB")) or source.suffix.lower() in (".rdata", ".rda"):
        return _from_r(source.name, data)
    file = opened(path)
    rows = rows_of(file, max(",;\t", key=lines_of(file.text)[0].count))
    line, names = next(rows, (1, []))
    if not names or names == [""]:
        file.fail(1, "the line is blank, but must have the names of the columns")
    lower = [name.lower() for name in names]
    original = any(name in lower for name in ICPSR)
    if not original and not any(name in names for name in COUNTS):
        kinds = f"those of the counts table ({', '.join(COUNTS)}) nor those of the file of ICPSR ({', '.join(ICPSR)})"
        file.fail(line, f"the columns, {shown(', '.join(names))}, are neither {kinds}")
    wanted = ICPSR if original else COUNTS
    columns = _columns(lower if original else names, wanted, lambda reason: file.fail(line, reason))
    table: list[tuple[int, list[str]]] = []
    blank = 0
    for line, cells in rows:
        if cells in ([], [""]):
            blank = blank or line
            continue
        if blank:
            file.fail(blank, "the line is blank, but only the last lines may be")
        if len(cells) != len(names):
            file.fail(line, f"the row has {len(cells)} cells, but the names of the columns are {len(names)}")
        table.append((line, [cells[column] for column in columns]))
    if not table:
        file.fail(1, "the names of the columns are the only row: there must be people after them")
    return (_from_icpsr if original else _from_counts)(file, table)


def _from_counts(file: File, table: list[tuple[int, list[str]]]) -> Survey:
    numbers = [
        [_whole(file, line, name, cell) for name, cell in zip(COUNTS, cells, strict=True)] for line, cells in table
    ]
    return _expanded(np.array(numbers, dtype=np.int64), lambda row, reason: file.fail(table[row][0], reason))


def _from_icpsr(file: File, table: list[tuple[int, list[str]]]) -> Survey:
    complete = list(range(1, len(ITEMS) + 1))
    rankings, ages = [], []
    for line, (*cells, age) in table:
        pairs = zip(ICPSR, cells, strict=False)
        ranks = [0 if cell in UNSAID else _whole(file, line, name, cell) for name, cell in pairs]
        if sorted(ranks) != complete or age in UNSAID:
            continue
        years = _whole(file, line, ICPSR[-1], age)
        if not 15 <= years <= 120:
            file.fail(line, f"column {ICPSR[-1]} holds {years}, but must be an age from 15 to 120")
        rankings.append(ranks)
        ages.append(years)
    if not rankings:
        file.fail(
            table[0][0],
            f"neither this row nor any after it ranks all six sources and has an age: {', '.join(ICPSR[:-1])} are ranks, "
            f"{ICPSR[-1]} is the age",
        )
    groups = np.digitize(ages, AGES).astype(np.int64) + 1
    return _people(np.array(rankings, dtype=np.int64), None, groups, len(table) - len(rankings))


def _whole(file: File, line: int, name: str, cell: str) -> int:
    if not INTEGER.fullmatch(cell):
        file.fail(line, f"column {name} holds {shown(cell)}, but must hold a whole number of at most 9 digits")
    return int(cell)


def _columns(names: Sequence[str], wanted: Sequence[str], fail: Callable[[str], NoReturn]) -> list[int]:
    """Return where the columns are that are wanted."""
    lacking = [name for name in wanted if name not in names]
    if lacking:
        which = f"columns {', '.join(lacking)} are" if len(lacking) > 1 else f"column {lacking[0]} is"
        fail(f"the {which} missing: there must be {', '.join(wanted)}")
    for name in wanted:
        if names.count(name) > 1:
            fail(f"there are {names.count(name)} columns {name}, but there must be one")
    return [names.index(name) for name in wanted]


def _expanded(numbers: Ranks, fail: Callable[[int, str], NoReturn]) -> Survey:
    """Return the people of a table with the columns of the counts table."""
    size = len(ITEMS)
    ranks, (sex, groups, counts) = numbers[:, :size], numbers[:, size:].T
    for row in np.flatnonzero((np.sort(ranks, axis=1) != np.arange(1, size + 1)).any(axis=1)):
        fail(int(row), f"the ranks {', '.join(map(str, ranks[row]))} must be the numbers from 1 to {size}, each once")
    for name, values, least, most in (("SEX", sex, 1, 2), ("AGE4", groups, 1, 4), ("y", counts, 0, None)):
        for row in np.flatnonzero((values < least) | (False if most is None else values > most)):
            rule = f"a number from {least}" + ("" if most is None else f" to {most}")
            fail(int(row), f"column {name} holds {values[row]}, but must hold {rule}")
    if not counts.any():
        fail(0, "column y holds 0, here and in all rows after it: there must be people")
    # X, sex, age group and label, and what is needed to make them.
    _check_size(sum(counts.tolist()), size + 4)
    return _people(ranks.repeat(counts, axis=0), sex.repeat(counts), groups.repeat(counts), 0)


def _people(X: Ranks, sex: Ranks | None, groups: Ranks, left_out: int) -> Survey:
    return Survey(X, (groups >= 3).astype(np.int64), list(ITEMS), sex, groups, left_out)


def _from_r(name: str, data: bytes) -> Survey:
    """Read an R save file with one data frame that has the columns of the counts table."""
    save = Save(name, data)
    names, columns = save.frame()
    said = [ITEMS[PREFMOD.index(name)] if name in PREFMOD else name for name in names]
    chosen = _columns(said, COUNTS, save.fail)
    numbers = np.array([save.whole(names[column], columns[column]) for column in chosen]).T
    ranks = numbers[:, : len(ITEMS)]
    ahead = len(ITEMS) + 1 - 2 * np.arange(1, len(ITEMS) + 1)
    if np.isin(ranks, ahead).all():
        ranks[:] = (len(ITEMS) + 1 - ranks) // 2
    return _expanded(numbers, lambda row, reason: save.fail(f"row {row + 1}: {reason}"))


def _generator(rng: Random) -> np.random.Generator:
    rule = f"rng must be None, a seed from 0 or a numpy.random.Generator, not {shown(rng)}"
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    if isinstance(rng, bool | np.bool_) or not hasattr(rng, "__index__"):
        raise TypeError(rule)
    try:
        return np.random.default_rng(int(rng.__index__()))
    except (TypeError, ValueError):
        raise ValueError(rule) from None


def _check_size(rows: int, items: int) -> None:
    ranks: np.dtype[Any] = np.dtype(np.int64)
    check_fits(max(rows, 1), items, ranks, "draw or read fewer rankings at a time")


def _center(center: ArrayLike) -> Ranks:
    if hasattr(center, "__index__") and np.ndim(center) == 0:
        items = as_order(center, "center")
        _check_size(1, items)
        return np.arange(1, items + 1, dtype=np.int64)
    try:
        ranks = as_ranking(center, "center", "ranks", "low").ranks()[0]
    except ValueError as error:
        raise ValueError(str(error).partition("; ")[0]) from None
    if not ranks.size:
        raise ValueError("center is empty, but must rank at least one item")
    return cast("Ranks", ranks)


def _spread(lam: float) -> float:
    number = float(real_array(lam, "lam", (0,), "one number from 0").item())
    if not 0 <= number < np.inf:
        raise ValueError(f"lam is {number}, but must be a finite number from 0")
    return number
