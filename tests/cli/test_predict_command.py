"""`wkendall predict`: the labels that the estimators predict, from every kind of file; and files of choices and long tables."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import ITEMS, fails, run, without_sizes, write_table
from definitions import random_rankings
from learning_files import AGES, CITIES, NUMBERS, RNG, N, X, folder  # noqa: F401

NEW = random_rankings(RNG, 9, N)
PEOPLE = "people.csv --skip city --skip number --label age --folds 2 --no-baseline"


@pytest.fixture(autouse=True)
def new_people(folder):  # noqa: F811
    write_table(Path("new.csv"), NEW, ITEMS, who=[f"p{row}" for row in range(9)])
    np.save("new.npy", NEW)


def predicted(words):
    run(f"predict {words} -o found.csv --force")
    with Path("found.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    return {name: [row[column] for row in rows[1:]] for column, name in enumerate(rows[0])}


def changed_settings(**change):
    reading = {"input": "ranks", "top": "low", "ties": "error", "missing": "error"}
    return np.array(json.dumps({"regression": False, "order": 2, "named": True} | reading | change))


@pytest.mark.parametrize("words", ["", "--method alternating", "--order 1", "--components 2", "--order 3", "--pure"])
def test_two_classes(words, capsys):
    run(f"learn {PEOPLE} -o out --C 1 {words}")
    kind = wkendall.AlternatingClassifier if "alternating" in words else wkendall.SuquanSVDClassifier
    how = {"order": int(words[-1])} if "order" in words else {}
    how |= {"n_components": 2} if "comp" in words else {}
    how |= {"pure": True} if "pure" in words else {}
    model = kind(C=1.0, **how).fit(X, AGES)
    capsys.readouterr()
    found = predicted("new.csv --id who --model out")
    assert capsys.readouterr().out == "wrote found.csv: 9 predictions\n"
    assert list(found) == ["id", "prediction", "score"]
    assert found["id"] == [f"p{row}" for row in range(9)]
    assert found["prediction"] == model.predict(NEW).tolist()
    np.testing.assert_allclose([float(score) for score in found["score"]], model.decision_function(NEW), atol=1e-9)
    # An array has no names.
    assert predicted("new.npy --model out")["prediction"] == found["prediction"]


def test_more_classes_and_numbers():
    run("learn people.csv --skip age --skip number --label city -o out --C 1 --folds 2 --no-baseline")
    model = wkendall.SuquanSVDClassifier(C=1.0).fit(X, CITIES)
    found = predicted("new.npy --model out")
    assert list(found) == ["prediction", "score Bern", "score Oslo", "score Rome"]
    assert found["prediction"] == model.predict(NEW).tolist()
    scores = np.array([found[f"score {city}"] for city in ("Bern", "Oslo", "Rome")], dtype=float).T
    np.testing.assert_allclose(scores, model.decision_function(NEW), atol=1e-9)
    run("learn people.csv --skip age --skip city --label number --regression -o numbers --C 1 --folds 2 --no-baseline")
    found = predicted("new.npy --model numbers")
    wanted = wkendall.SuquanSVDRegressor(C=1.0).fit(X, NUMBERS).predict(NEW)
    np.testing.assert_allclose(np.array(found["prediction"], float), wanted, atol=1e-9)


def test_the_numbers_mean_what_they_meant():
    np.save("scores.npy", -X.astype(float))
    np.save("new_scores.npy", -NEW.astype(float))
    run("learn scores.npy --labels ages.npy -o out --C 1 --folds 2 --no-baseline --input scores --ties mean")
    wanted = wkendall.SuquanSVDClassifier(C=1.0).fit(X, AGES).predict(NEW).tolist()
    assert predicted("new_scores.npy --model out")["prediction"] == wanted


def test_standard_output(capsys):
    run(f"learn {PEOPLE} -o out --C 1")
    capsys.readouterr()
    run("predict new.csv --skip who --model out -o -")
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "prediction,score"
    assert len(out.splitlines()) == 10
    assert without_sizes(err) == "wrote -: 9 predictions\n"


def names_of(ranks, most):
    return [ITEMS[item] for item in np.argsort(ranks)[:most]]


def write_lists(name, rows, most=3, **columns):
    """Write the same lists as choices and as a long table."""
    lists = [names_of(row, most - index % 2) for index, row in enumerate(rows)]
    padded = [[*listed, *[""] * (most - len(listed))] for listed in lists]
    write_table(Path(f"{name}.csv"), padded, [f"choice {rank}" for rank in range(1, most + 1)], **columns)
    entries = [(row, item, rank) for row, listed in enumerate(lists) for rank, item in enumerate(listed, 1)]
    apart = {key: [cells[row] for row, _, _ in entries] for key, cells in columns.items()}
    write_table(Path(f"{name}-long.csv"), [(item, rank) for _, item, rank in entries], ["what", "rank"], **apart)
    return lists


@pytest.mark.parametrize(("file", "layout"), [("lists.csv", "choices"), ("lists-long.csv", "long")])
def test_learning_and_predicting_from_lists(file, layout):
    who = [f"q{row}" for row in range(len(X))]
    lists = write_lists("lists", X, who=who, age=AGES)
    new = write_lists("new-lists", NEW[::-1], who=who[:9])
    words = f"--layout {layout} --id who"
    run(f"learn {file} {words} --label age -o out --C 1 --folds 2 --no-baseline")
    found = predicted(f"new-{file} {words} --model out")
    table = wkendall.from_lists(lists)
    model = wkendall.SuquanSVDClassifier(C=1.0).fit(table, AGES)
    assert found["prediction"] == model.predict(wkendall.from_lists(new, items=table.items)).tolist()
    assert found["id"] == who[:9]
    assert json.loads(str(np.load("out/weights.npz")["settings"]))["named"]


def test_columns_that_the_model_does_not_have(capsys):
    run(f"learn {PEOPLE} -o out --C 1")
    wanted = predicted("new.npy --model out")
    order = [3, 0, 4, 2, 1]
    write_table(Path("more.csv"), NEW[:, order], [ITEMS[place] for place in order], who="abcdefghi", number=range(9))
    for words, unused in (
        ("", "who, number"),
        ("--id who", "number"),
        ("--id 1 --skip 2", ""),
        ("--id who --skip number", ""),
    ):
        capsys.readouterr()
        found = predicted(f"more.csv {words} --model out")
        first = capsys.readouterr().err.splitlines()[0]
        said = f"not used from more.csv, because not in out/weights.npz: {unused}"
        assert first == said if unused else first.startswith("read 9 rankings of 5 items from more.csv: tea, coffee")
        assert found["prediction"] == wanted["prediction"]
        assert found.get("id") == (list("abcdefghi") if "--id" in words else None)


def test_the_names_of_rankings_are_where_they_were_in_learning():
    write_table(Path("known.csv"), X, ITEMS, who=range(len(X)), age=AGES)
    run("learn known.csv --id who --label age -o out --C 1 --folds 2 --no-baseline")
    assert predicted("new.csv --model out")["id"] == [f"p{row}" for row in range(9)]
    write_table(Path("unknown.csv"), NEW, ITEMS)
    assert "id" not in predicted("unknown.csv --model out")


# What is refused.


def test_refused(capsys):
    run(f"learn {PEOPLE} -o out --C 1")
    capsys.readouterr()
    write_table(Path("other.csv"), NEW, ["cola", *ITEMS[1:]])
    write_table(Path("gaps.csv"), [["", *row[1:]] for row in NEW.tolist()], ITEMS)
    write_table(Path("twice.csv"), [[2, 2, 3, 4, 5]], ITEMS)
    np.save("four.npy", random_rankings(RNG, 3, 4))
    Path("strange.csv").write_text("first,second\ntea,wine\n")
    for words, message in (
        ("new.csv --skip who --model nowhere", "there is no nowhere/weights.npz: wkendall learn -o nowhere writes it"),
        (
            "other.csv --model out",
            "out/weights.npz has the item 'tea' that other.csv lacks, and other.csv has the item 'cola' that out/weights.npz ",
        ),
        (
            "gaps.csv --model out",
            "line 2, column 'tea' holds NaN: every item needs a number; wkendall learn with --missing bottom puts items without "
            "a number last",
        ),
        ("twice.csv --model out", "; wkendall learn with --ties mean treats equal numbers as ties"),
        ("four.npy --model out", "four.npy has 4 items, but out/weights.npz was learned from 5"),
        ("strange.csv --layout choices --model out", "line 2: column 2, 'second', holds 'wine', which is not one of"),
        ("strange.csv --layout choices --no-header --model out", "line 1: column 1 holds 'first', which is not one"),
    ):
        fails(capsys, f"predict {words} -o found.csv", message)
    for words, message in (
        ("new.csv --model out -o found.npy", "the name of the output must end in .csv"),
        ("new.csv --model out -o new.csv", "is the input"),
        ("new.csv --item what --model out -o found.csv", "--item goes with --layout long"),
        ("new.npy --layout long --model out -o found.csv", "--layout goes with CSV files"),
    ):
        fails(capsys, f"predict {words}", message, 2)
    fails(capsys, "gram new.csv --layout choices --input scores -o k.npy", "--input scores does not go with", 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": None}, "it has no 'settings'"),
        ({"settings": "{"}, "Expecting property name"),
        ({"B": np.ones((4, 4))}, "U and B have shapes (5, 5) and (4, 4) for 5 items"),
        ({"classes": np.array(["a", "b", "c"])}, "there are 1 functions, but must be 3"),
        ({"intercept": np.zeros(3)}, "it has no 'U_0'"),
        ({"U": np.array([["x"]])}, "U has dtype <U1, but must have numbers"),
        ({"U": np.full((N, N), np.nan)}, "U has numbers that are not finite"),
        ({"U": np.ones((N, N)) * 1j}, "U has dtype complex128, but must have numbers"),
        ({"settings": np.array("[" * 100_000)}, "it has lists in lists, too many to read"),
        ({"settings": changed_settings(order=np.inf)}, "order must be an integer, not inf"),
        ({"settings": changed_settings(order=10**30)}, "order is 1000000000000000000000000000000, but must be at most"),
        ({"settings": changed_settings(order=0)}, "order is 0, but must be at least 1"),
        ({"classes": np.array([1])}, "classes has shape (1,), but must have at least two"),
        ({"items": np.zeros((N, N))}, "U and B have shapes"),
    ],
)
def test_files_that_learn_did_not_write(change, message, capsys):
    run(f"learn {PEOPLE} -o out --C 1")
    arrays = {name: value for name, value in (dict(np.load("out/weights.npz")) | change).items() if value is not None}
    np.savez("out/weights.npz", **arrays)
    capsys.readouterr()
    fails(
        capsys,
        "predict new.npy --model out -o found.csv",
        f"out/weights.npz was not written by wkendall learn: {message}",
    )


def test_no_code_is_run_from_a_file(capsys):
    class Trap:
        def __reduce__(self):
            return Path.touch, (Path("sprung"),)

    Path("out").mkdir()
    np.savez("out/weights.npz", settings=np.array([Trap()], dtype=object))
    fails(capsys, "predict new.npy --model out -o found.csv", "the array 'settings' cannot be read")
    assert not Path("sprung").exists()
