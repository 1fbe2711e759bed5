"""Commands with several files: items are matched by name, whatever the layout and the order."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import ITEMS, SOC, X, Y, fails, folder, run, write_table  # noqa: F401

TURNED = [3, 0, 4, 1, 2]


def write_files(name, ranks, columns, most=5):
    """Write rankings as a table of ranks, as choices, and as a long table; `columns` is the order of the items."""
    names = [ITEMS[column] for column in columns]
    write_table(Path(f"{name}-ranks.csv"), ranks[:, columns], names)
    lists = [[ITEMS[item] for item in np.argsort(row)[: most - number % 2]] for number, row in enumerate(ranks)]
    numbered = [f"choice {rank}" for rank in range(1, most + 1)]
    write_table(Path(f"{name}-choices.csv"), [[*row, *[""] * (most - len(row))] for row in lists], numbered)
    entries = [
        (f"{name}{number}", item, rank, f"day {number}-{rank}")
        for number, row in enumerate(lists)
        for rank, item in enumerate(row, 1)
    ]
    write_table(Path(f"{name}-long.csv"), entries, ["who", "what", "rank", "day"])
    return lists


@pytest.fixture
def files():
    np.savez("y-ranks.npz", X=Y[:, TURNED], items=np.array(ITEMS)[TURNED])
    return write_files("x", X, range(5)), write_files("y", Y, TURNED)


def layouts(files, x=X, y=Y):
    """The layouts with the arrays that they stand for."""
    lists = wkendall.from_lists([*files[0], *files[1]], items=ITEMS)
    yield "ranks", "", x, y
    for layout, words in (("choices", ""), ("long", "--skip day")):
        yield layout, f"--layout {layout} {words}", lists[: len(x)], lists[len(x) :]


def test_gram(files):
    for layout, words, x, y in layouts(files):
        run(f"gram x-{layout}.csv --against y-{layout}.csv {words} -o k.npz --force")
        np.testing.assert_array_equal(np.load("k.npz")["K"], wkendall.gram_matrix(x, y))
    run("gram x-ranks.csv --against y-ranks.npz -o k.npz --force")
    np.testing.assert_array_equal(np.load("k.npz")["K"], wkendall.gram_matrix(X, Y))
    assert np.load("k.npz")["items"].tolist() == ITEMS


def test_neighbors(files):
    for layout, words, x, y in layouts(files):
        run(f"neighbors x-{layout}.csv y-{layout}.csv {words} -n 2 -o near.npz --force")
        found, wanted = np.load("near.npz"), wkendall.neighbors(x, y, n_neighbors=2)
        np.testing.assert_array_equal(found["indices"], wanted.indices)
        np.testing.assert_array_equal(found["values"], wanted.values)


def test_compare(files, capsys):
    for layout, words, x, y in layouts(files):
        run(f"compare x-{layout}.csv y-{layout}.csv y-{layout}.csv {words} --json --permutations 19")
        report = json.loads(capsys.readouterr().out)
        wanted = wkendall.two_sample_test(x, y, y, n_permutations=19, rng=0)
        assert report["pairwise"] == pytest.approx(wanted.pairwise, abs=1e-12)


def test_predict():
    labels, new = np.arange(14) % 2, Y
    people = np.concatenate([X, X[:, ::-1]])
    np.save("labels.npy", labels)
    np.savez("y-ranks.npz", X=new[:, TURNED], items=np.array(ITEMS)[TURNED])
    for layout, words, x, y in layouts((write_files("x", people, range(5)), write_files("y", new, TURNED)), people):
        run(f"learn x-{layout}.csv {words} --labels labels.npy -o out-{layout} --C 1 --folds 2 --no-baseline")
        model = wkendall.SuquanSVDClassifier(C=1.0).fit(x, labels)
        wanted = model.decision_function(y)
        for file in (f"y-{layout}.csv", *(["y-ranks.npz"] if layout == "ranks" else [])):
            run(f"predict {file} {words} --model out-{layout} -o found.csv --force")
            with Path("found.csv").open(newline="") as table:
                found = [float(row["score"]) for row in csv.DictReader(table)]
            np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_preflib_files_with_other_numbers_for_the_items():
    """The numbers of the alternatives may differ between two files; the names count."""
    Path("b.soc").write_text(
        SOC.replace("NAME 1: a", "NAME 1: c").replace("NAME 3: c", "NAME 3: a").replace("4: 1,2,3", "4: 3,2,1")
        .replace("2: 3,1,2", "2: 1,3,2")
    )  # fmt: skip
    run("gram votes.soc -o one.csv")
    run("gram votes.soc --against b.soc -o two.csv")
    assert Path("one.csv").read_text() == Path("two.csv").read_text()


def test_columns_of_orders_are_positions():
    orders = np.argsort(X, axis=1) + 1
    write_table(Path("a.csv"), orders, ["first", "second", "third", "fourth", "fifth"])
    write_table(Path("b.csv"), orders, ["best", "next", "then", "and", "last"])
    run("gram a.csv --against b.csv --input orders -o k.npy")
    np.testing.assert_array_equal(np.load("k.npy"), wkendall.gram_matrix(X))
    run("gram a.csv --input orders -o k.npz")
    assert "items" not in np.load("k.npz")


def test_files_that_list_items_have_the_items_of_all(capsys):
    Path("a.csv").write_text("first,second\ntea,milk\nmilk,tea\n")
    Path("b.csv").write_text("first,second\nwine,milk\nmilk,\n")
    run("compare a.csv b.csv --layout choices --missing bottom --permutations 9 --json")
    assert json.loads(capsys.readouterr().out)["items"] == 3
    words = "--layout choices --missing error -o out.npz"
    fails(capsys, f"gram a.csv --against b.csv {words}", "a.csv: line 2 leaves out item 'wine'; --missing bottom")
    fails(capsys, f"neighbors b.csv a.csv {words} -n 1", "b.csv: line 2 leaves out item 'tea'; --missing bottom")


def test_what_is_refused(capsys):
    narrow = ITEMS[:4]
    write_table(Path("narrow.csv"), X[:, :4].argsort().argsort() + 1, narrow)
    Path("wine.csv").write_text("first,second\na,wine\n")
    Path("list.csv").write_text("first,second\ntea,coffee\n")
    np.savez("twice.npz", X=X, items=["tea", "milk", "tea", "juice", "water, still"])
    bad = X[:, TURNED].copy()
    bad[0, 0] = bad[0, 1]
    np.savez("bad.npz", X=bad, items=np.array(ITEMS)[TURNED])
    for words, message in [
        ("x.csv narrow.csv",
         "x.csv has the item 'water, still' that narrow.csv lacks: both must have the same items, in any order"),
        ("narrow.csv x.csv",
         "x.csv has the item 'water, still' that narrow.csv lacks: both must have the same items, in any order"),
        ("votes.soc wine.csv --layout choices --missing bottom", "wine.csv has the item 'wine' that votes.soc lacks: both must"),
        ("list.csv x.npy --layout choices --missing bottom",
         "x.npy has no names of items, so its columns cannot be matched with the items of list.csv"),
        ("x.csv twice.npz", "twice.npz: items 1 and 3 have the same name, 'tea'"),
        # The columns of the file are in another order than those of the result.
        ("x.csv bad.npz", f"bad.npz: row 0 holds {bad[0, 0]} twice, in columns 'tea' and 'juice'"),
    ]:  # fmt: skip
        x, y, *more = words.split()
        for command in (f"compare {x} {y}", f"gram {x} --against {y} -o k.npy", f"neighbors {x} {y} -n 1 -o k.npz"):
            fails(capsys, f"{command} {' '.join(more)}", message)


def test_items_are_called_items(capsys):
    Path("top.csv").write_text("who,first,second\nann,Alien,Brazil\nbob,Duel,\n")
    Path("long.csv").write_text("who,what,rank\nann,Alien,1\nbob,Alien,2\nann,Brazil,1\nbob,Brazil,7\n")
    for words, message in [
        ("top.csv --layout choices --id who --missing error", "top.csv: line 2 leaves out item 'Duel'; --missing bottom puts"),
        ("long.csv --layout long --missing error",
         "long.csv: ranking 'ann' holds 1 twice, for items 'Alien' and 'Brazil', but every row of 2 items must be"),
        ("long.csv --layout long --ties mean --input ranks --missing error --weight top --k 9", "--k is 9"),
    ]:  # fmt: skip
        fails(capsys, f"gram {words} -o out.npy", message)
    Path("long.csv").write_text("who,what,rank\nann,Alien,1\nann,Brazil,2\nbob,Brazil,7\nbob,Alien,2\n")
    words = "gram long.csv --layout long --missing error -o out.npy"
    fails(capsys, words, "long.csv: ranking 'bob', item 'Brazil' holds 7, but every row")
    Path("long.csv").write_text("who,what,rank\nann,Alien,1\nann,Brazil,2.25\n")
    message = (
        "item 'Brazil' holds 2.25, which is not a whole number: ranks and item numbers must be whole; --input scores"
    )
    fails(capsys, words, message)
    Path("long.csv").write_text("who,what,rank\nann,Alien,1\nann,Brazil,2\nbob,Brazil,1\nbob,Alien,NA\n")
    fails(capsys, words, "long.csv: ranking 'bob' leaves out item 'Alien'; --missing")
