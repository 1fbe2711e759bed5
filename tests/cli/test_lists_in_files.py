"""Files of choices: short lists out of many items are read as lists, and the results are those of dense arrays."""

import csv
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import folder, run  # noqa: F401
from scipy.sparse import issparse
from wkendall.cli import compare, gram, neighbors, reading
from wkendall.reading import lists as module


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
        seen.append(found)
        return found

    for command in (gram, neighbors, compare):
        monkeypatch.setattr(command, "read_rankings", noted)
    return seen


OPTIONS = ["", "--weight mult --u log --signed --normalize", "--weight mult --u log --order 1"]


@pytest.mark.parametrize("words", OPTIONS)
@pytest.mark.parametrize("layout", ["choices", "long"])
def test_short_lists_are_read_as_lists(words, layout, read, monkeypatch):
    one, other = write_choices("one.csv", 0), write_choices("other.csv", 1, rows=180)
    if layout == "long":
        write_long("one.csv", one)
        write_long("other.csv", other)
    options = f"--layout {layout} --missing bottom {'--no-header' if layout == 'choices' else ''} {words}"
    commands = {
        "alone.npy": "gram one.csv",
        "both.npy": "gram one.csv --against other.csv",
        "near.npz": "neighbors one.csv",
        "among.npz": "neighbors other.csv one.csv -n 3",
    }
    for output, command in commands.items():
        run(f"{command} -o sparse_{output} {options}")
    assert all(issparse(source.X) for source in read)
    read.clear()
    monkeypatch.setattr(module, "_SMALL", 10**9)
    for output, command in commands.items():
        run(f"{command} -o dense_{output} {options}")
        found, wanted = np.load(f"sparse_{output}"), np.load(f"dense_{output}")
        if output.endswith("npz"):
            assert found["items"].tolist() == wanted["items"].tolist()
            found, wanted = found["values"], wanted["values"]
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
    assert not any(issparse(source.X) for source in read)


def test_groups(read, capsys):
    write_choices("one.csv", 0)
    write_choices("other.csv", 1)
    run(
        "compare one.csv other.csv --layout choices --no-header --missing bottom --permutations 99 --kernel kendall --signed"
    )
    assert len(read) == 2
    assert all(issparse(source.X) for source in read)
    assert "p-value" in capsys.readouterr().out


def test_other_meanings_of_missing_items_take_arrays(read):
    write_choices("one.csv", 0, rows=50)
    run("neighbors one.csv -o near.csv --layout choices --no-header --missing anywhere")
    assert not issparse(read[0].X)


def test_negative_scores_of_long_tables(read):
    """A sparse array may not have them."""
    found = write_choices("one.csv", 0)
    with Path("one.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["who", "what", "score"])
        for person, row in enumerate(found):
            writer.writerows([person, item, -place] for place, item in enumerate(row))
    run("gram one.csv -o scores.npy --layout long --missing bottom --input scores")
    assert not issparse(read[0].X)
    ranks = wkendall.from_lists(found, sparse=False).X
    np.testing.assert_array_equal(np.load("scores.npy"), wkendall.gram_matrix(ranks, missing="bottom"))
