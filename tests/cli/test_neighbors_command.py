"""`wkendall neighbors`: what it writes is what the function gives."""

import csv
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import ITEMS, M, X, Y, fails, folder, run, started, without_sizes, write_table  # noqa: F401
from definitions import random_rankings
from nouns import measure_of, rankings_of, split

OPTIONS = {
    "": {},
    "-n 2": {"n_neighbors": 2},
    "--n-neighbors 3 --metric distance": {"n_neighbors": 3, "metric": "distance"},
    "-n 1 --weight top --k 3": {"n_neighbors": 1, "weight": "top", "k": 3},
    "-n 3 --weight mult --u log --normalize": {"n_neighbors": 3, "weight": "mult", "u": "log", "normalize": True},
    "-n 3 --weight average --signed": {"n_neighbors": 3, "weight": "average", "signed": True},
    "-n 3 --order 3": {"n_neighbors": 3, "order": 3},
    "-n 3 --lam 0.2": {"n_neighbors": 3, "lam": 0.2},
    "-n 3 --input orders --top high --jobs 1": {"n_neighbors": 3, "input": "orders", "top": "high"},
    "-n 3 --input scores --ties mean": {"n_neighbors": 3, "input": "scores", "ties": "mean"},
}


def near(X, Y=None, n_neighbors=10, **options):
    """What the function gives for options of a measure and of reading."""
    x, y = rankings_of(X, options), None if Y is None else rankings_of(Y, options)
    described = split(options)[0]
    measure = measure_of(described) if described else None  # the distance
    return wkendall.neighbors(x, y, n_neighbors=n_neighbors, measure=measure)


def table(path):
    with Path(path).open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["row", "rank", "neighbor", "value"]
    return rows[1:]


def lines(found, rows=None, columns=None):
    """The lines for what the function gives."""
    for row, (indices, values) in enumerate(zip(found.indices, found.values, strict=True)):
        for rank, (index, value) in enumerate(zip(indices, values, strict=True), 1):
            name = str(row) if rows is None else rows[row]
            yield [name, str(rank), str(index) if columns is None else columns[index], str(value)]


@pytest.mark.parametrize("words", OPTIONS)
def test_every_option(words, capsys):
    options = {"n_neighbors": 10} | OPTIONS[words]
    if not words:
        rng = np.random.default_rng(0)
        many = random_rankings(rng, 30, 5)
        write_table(Path("x.csv"), many, ITEMS)
        run("neighbors x.csv -o one.csv")
        assert table("one.csv") == list(lines(near(many, n_neighbors=10)))
        assert capsys.readouterr().out.startswith("wrote one.csv: 300 neighbours of 30 rankings in ")
        return
    run(f"neighbors x.csv -o one.csv {words}")
    run(f"neighbors x.csv y.csv -o two.csv {words}")
    run(f"neighbors x.npy y.npy -o two.npz {words}")
    assert table("one.csv") == list(lines(near(X, **options)))
    both = near(X, Y, **options)
    assert table("two.csv") == list(lines(both))
    with np.load("two.npz") as arrays:
        np.testing.assert_array_equal(arrays["values"], both.values)
        np.testing.assert_array_equal(arrays["indices"], both.indices)


@pytest.mark.parametrize(
    ("words", "options"), [("--radius 6 --metric kernel", {}), ("--radius 3.5", {"metric": "distance"})]
)
def test_radius(words, options):
    radius = float(words.split()[1])
    run(f"neighbors x.csv -o one.csv {words}")
    found = wkendall.neighbors_within(X, radius=radius, measure=measure_of(options))
    expected = [
        [str(row), str(rank), str(index), str(value)]
        for row in range(M)
        for rank, (index, value) in enumerate(
            zip(
                found.indices[found.indptr[row] : found.indptr[row + 1]],
                found.data[found.indptr[row] : found.indptr[row + 1]],
                strict=True,
            ),
            1,
        )
    ]
    assert table("one.csv") == expected
    run(f"neighbors x.csv -o one.npz {words}")
    with np.load("one.npz") as arrays:
        for name, array in {"indptr": found.indptr, "indices": found.indices, "values": found.data}.items():
            np.testing.assert_array_equal(arrays[name], array)
        assert arrays["items"].tolist() == ITEMS


def test_names_take_the_place_of_rows(capsys):
    people, others = [f"p{i}" for i in range(M)], ["ann", "bob", "cy"]
    write_table(Path("a.csv"), X, ITEMS, who=people)
    write_table(Path("b.csv"), Y, ITEMS, who=others)
    run("neighbors a.csv b.csv -n 2 -o names.csv --id who")
    assert table("names.csv") == list(lines(near(X, Y, n_neighbors=2), people, others))
    run("neighbors a.csv -n 2 -o names.npz --id who")
    with np.load("names.npz") as arrays:
        assert arrays["ids"].tolist() == people
    capsys.readouterr()
    run("neighbors a.csv -n 1 -o - --id who")
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "row,rank,neighbor,value"
    assert [line.split(",") for line in out.splitlines()[1:]] == list(lines(near(X, n_neighbors=1), people, people))
    assert without_sizes(err).startswith("wrote -: 7 neighbours of 7 rankings in ")


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        ("x.csv -n 7 -o out.csv", "--n-neighbors is 7, but there are 6 other rankings", 1),
        ("x.csv y.csv -n 4 -o out.csv", "--n-neighbors is 4, but there are 3 rankings", 1),
        ("x.csv -n 2 --radius 1 -o out.csv", "not allowed with argument", 2),
        ("x.csv --radius=-1 --metric distance -o out.csv", "--radius is -1.0", 1),
        ("x.csv --radius nan -o out.csv", "--radius is NaN", 1),
        ("x.csv --metric euclid -o out.csv", "invalid choice: 'euclid'", 2),
        (
            "x.csv --metric distance --weight top --k 2 -o out.csv",
            "--weight does not go with --metric distance",
            2,
        ),
        ("x.csv -o out.npy", "the name of the output must end in one of .csv, .npz", 2),
        ("bad.csv -n 1 -o out.csv", "bad.csv: line 3", 1),
        (
            "x.csv few.csv -n 1 -o out.csv",
            "x.csv has 'tea' and 4 more items that few.csv lacks, and few.csv has 'a' and 2 more items",
            1,
        ),
    ],
)
def test_what_is_refused(capsys, words, message, code):
    Path("bad.csv").write_text("a,b,c\n1,2,3\n1,2,2\n")
    Path("few.csv").write_text("a,b,c\n1,2,3\n")
    fails(capsys, f"neighbors {words}", message, code)


def test_files_are_not_overwritten(capsys):
    run("neighbors x.csv -n 1 -o out.csv")
    capsys.readouterr()
    fails(capsys, "neighbors x.csv -n 1 -o out.csv", "out.csv already exists: --force overwrites it")
    run("neighbors x.csv -n 2 -o out.csv --force")
    assert len(table("out.csv")) == 2 * M
