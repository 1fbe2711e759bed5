"""Files of choices: short lists out of many items are read as lists, and the results are those of arrays."""

import csv
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import folder, run  # noqa: F401
from wkendall.cli import compare, gram, neighbors, reading


def choices(seed, rows=250, items=1500, longest=9):
    rng = np.random.default_rng(seed)
    names = [f"item {number}" for number in range(items)]
    lengths = rng.integers(1, longest + 1, rows)
    return [[names[item] for item in (items * rng.random(40) ** 2).astype(int)] for _ in lengths], lengths


def write_choices(path, seed, **size):
    found, lengths = choices(seed, **size)
    found = [list(dict.fromkeys(row))[:length] for row, length in zip(found, lengths, strict=True)]
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([*row, *[""] * (9 - len(row))] for row in found)
    return found


def write_long(path, found):
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["who", "what", "rank"])
        for person, row in enumerate(found):
            writer.writerows([person, item, rank] for rank, item in enumerate(row, 1))
            if not person:
                writer.writerow([person, "never ranked", ""])


@pytest.fixture
def read(monkeypatch):
    """What the commands read."""
    seen = []

    def noted(*arguments, **options):
        found = reading.read_rankings(*arguments, **options)
        seen.extend(source.rankings for source in found)
        return found

    for command in (gram, neighbors, compare):
        monkeypatch.setattr(command, "read_rankings", noted)
    return seen


KERNELS = {
    "": wkendall.Kendall(),
    "--weight mult --u log --signed --normalize": wkendall.Kendall("mult", u="log", signed=True, normalize=True),
    "--weight mult --u log --order 1": wkendall.Kendall("mult", u="log", order=1),
}


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


def as_array(rankings):
    """The same rankings, stored as an array."""
    return wkendall.Rankings(np.asarray(rankings), ties="mean", missing="bottom", items=rankings.items)


@pytest.mark.parametrize("words", KERNELS)
@pytest.mark.parametrize("layout", ["choices", "long"])
def test_lists_are_read_as_lists(words, layout, read):
    one, other = write_choices("one.csv", 0), write_choices("other.csv", 1, rows=180)
    if layout == "long":
        write_long("one.csv", one)
        write_long("other.csv", other)
    options = f"--layout {layout} {'--no-header' if layout == 'choices' else ''} {words}"
    kernel, more = KERNELS[words], ["never ranked"] if layout == "long" else []
    items = [*dict.fromkeys([*one[0], *more, *chain(*one, *other)])]
    x, y = (wkendall.from_lists(found, items=items) for found in (one, other))
    assert (x.kind, as_array(x).kind) == ("lists", "tied")
    run(f"gram one.csv --against other.csv -o both.npz {options}")
    assert np.load("both.npz")["items"].tolist() == items
    close(np.load("both.npz")["K"], wkendall.gram_matrix(as_array(x), as_array(y), kernel))
    run(f"neighbors other.csv one.csv -n 3 -o among.npz {options}")
    wanted = wkendall.neighbors(as_array(y), as_array(x), n_neighbors=3, measure=kernel)
    close(np.load("among.npz")["values"], wanted.values)
    alone = wkendall.from_lists(one, items=[item for item in items if item in {*chain(*one), *more}])
    run(f"gram one.csv -o alone.npy {options}")
    close(np.load("alone.npy"), wkendall.gram_matrix(as_array(alone), kernel=kernel))
    assert len(read) == 5
    assert {rankings.kind for rankings in read} == {"lists"}


def test_negative_scores_of_long_tables(read):
    """A sparse array of scipy may not have them, because 0 stands for what it does not store; a file may."""
    found = write_choices("one.csv", 0)
    with Path("one.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["who", "what", "score"])
        for person, row in enumerate(found):
            writer.writerows([person, item, -place] for place, item in enumerate(row))
    run("gram one.csv -o scores.npy --layout long --input scores")
    assert read[0].kind == "lists"
    np.testing.assert_array_equal(np.load("scores.npy"), wkendall.gram_matrix(wkendall.from_lists(found)))
