"""`wkendall consensus`: what it writes is what the function gives."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import ITEMS, X, fails, folder, run, write_table  # noqa: F401
from nouns import kernel_of, rankings_of


def order_of(found, items=ITEMS):
    return [items[number] for number in np.argsort(found.ranking)]


def test_text_on_standard_output(capsys):
    run("consensus x.csv")
    found = wkendall.consensus(X)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[1] for line in lines[:-1]] == order_of(found)
    assert lines[-1] == f"score {found.score:.6g}: every other ranking has a smaller one"
    run("consensus x.csv --method borda")
    borda = wkendall.consensus(X, method="borda")
    assert capsys.readouterr().out.endswith(f"score {borda.score:.6g}: none is larger than {borda.bound:.6g}\n")
    write_table(Path("even.csv"), [[1, 2, 3], [1, 3, 2]], ["a", "b", "c"])
    run("consensus even.csv")
    assert capsys.readouterr().out.endswith("score 2.5: no ranking has a larger one, but others have the same one\n")


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("--weight top --k 2", {"weight": "top", "k": 2}),
        ("--weight mult --u log --signed", {"weight": "mult", "u": "log", "signed": True}),
        ("--U U.npy", {"U": np.arange(25.0).reshape(5, 5)}),
        ("--method borda", {"method": "borda"}),
        ("--method local --seed 3 --weight average", {"method": "local", "rng": 3, "weight": "average"}),
        ("--top high --normalize", {"top": "high", "normalize": True}),
        ("--input orders", {"input": "orders"}),
    ],
)
def test_json_has_what_the_function_returns(words, options, capsys):
    np.save("U.npy", np.arange(25.0).reshape(5, 5))
    run(f"consensus x.csv --format json {words}")
    how = {name: options[name] for name in ("method", "rng") if name in options}
    given = {name: value for name, value in options.items() if name not in how}
    found = wkendall.consensus(rankings_of(X, given), kernel=kernel_of(given), **how)
    result = json.loads(capsys.readouterr().out)
    assert result["ranking"] == found.ranking.tolist()
    # The columns of orders are positions, so that the items have numbers.
    orders = options.get("input") == "orders"
    assert result["order"] == ((np.argsort(found.ranking) + 1).tolist() if orders else order_of(found))
    assert [result[name] for name in ("score", "bound", "optimal", "unique")] == [*found[1:4], found.unique]


def test_files_are_written_whole(capsys):
    run("consensus x.csv -o ranking.csv")
    rows = list(csv.reader(Path("ranking.csv").read_text().splitlines()))
    assert rows[0] == ["rank", "item"]
    assert rows[1:] == [[str(rank), item] for rank, item in enumerate(order_of(wkendall.consensus(X)), 1)]
    assert capsys.readouterr().out.startswith("wrote ranking.csv: 5 items, score ")
    fails(capsys, "consensus x.csv -o ranking.csv", "already exists: --force overwrites it")
    run("consensus x.npy -o ranking.json --force")
    assert json.loads(Path("ranking.json").read_text())["order"] == [
        int(number) + 1 for number in np.argsort(wkendall.consensus(X).ranking)
    ]


def test_a_column_of_weights(capsys):
    weights = [3, 1, 0, 2, 2.5, 1, 1]
    write_table(Path("weighted.csv"), X, ITEMS, voters=weights)
    np.savez("weighted.npz", X=X, voters=np.array(weights), items=np.array(ITEMS))
    found = wkendall.consensus(X, sample_weight=weights)
    for name in ("weighted.csv", "weighted.npz"):
        run(f"consensus {name} --weights voters --format json")
        result = json.loads(capsys.readouterr().out)
        assert (result["order"], result["score"]) == (order_of(found), found.score)


def test_a_consensus_for_each_group(capsys):
    ages, weights = ["old", "young", "old", "old", "young", "old", "young"], np.array([3, 1, 0, 2, 2.5, 1, 1])
    write_table(Path("people.csv"), X, ITEMS, age=ages, voters=weights)
    rows = {age: np.flatnonzero(np.array(ages) == age) for age in ("old", "young")}
    wanted = {age: wkendall.consensus(X[some]) for age, some in rows.items()}
    run("consensus people.csv --group age --skip voters --format json")
    report = json.loads(capsys.readouterr().out)
    assert report["column"] == "age"
    for found, age in zip(report["groups"], rows, strict=True):
        assert (found["group"], found["rankings"]) == (age, len(rows[age]))
        assert (found["order"], found["score"]) == (order_of(wanted[age]), wanted[age].score)
    run("consensus people.csv --group age --weights voters -o groups.csv")
    assert capsys.readouterr().out == "wrote groups.csv: 2 groups, 5 items\n"
    weighted = [(age, wkendall.consensus(X[some], sample_weight=weights[some])) for age, some in rows.items()]
    assert list(csv.reader(Path("groups.csv").read_text().splitlines())) == [
        ["group", "rank", "item"],
        *([age, str(rank), item] for age, found in weighted for rank, item in enumerate(order_of(found), 1)),
    ]
    run("consensus people.csv --group age --items tea,coffee,milk,juice,'\"water, still\"'")
    lines = capsys.readouterr().out.splitlines()
    assert [lines[0], lines[7], lines[8]] == ["age old, 4 rankings", "", "age young, 3 rankings"]
    assert [line.split("  ")[1] for line in lines[1:6]] == order_of(wanted["old"])
    np.savez("people.npz", X=X, age=np.array([2, 10, 2, 2, 10, 2, 10]))
    run("consensus people.npz --group age --format json")
    report = json.loads(capsys.readouterr().out)
    assert [found["group"] for found in report["groups"]] == ["2", "10"]
    assert report["groups"][0]["ranking"] == wanted["old"].ranking.tolist()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("consensus x.csv -o ranking.npy", 2, "must end in one of .txt, .csv, .json"),
        ("consensus x.csv -o ranking.csv --format json", 2, "--format json does not go with the name 'ranking.csv'"),
        ("consensus x.csv --order 3", 1, "--order is 3, but consensus is for pairs of items: order 2"),
        ("consensus x.csv --W W.npy", 1, "--W does not go with consensus: pass U"),
        ("consensus x.csv --lam 1", 1, "consensus needs a kernel of pairs of items: Kendall"),
        ("consensus votes.soc --group a", 2, "--group goes with CSV and .npz files"),
        ("consensus gap.csv --group voters", 1, "gap.csv, line 4: the group is missing ("),
        ("consensus halves.csv --group half --weights voters", 1, "voters is 0 for all rankings of half b, but at"),
        ("consensus votes.soc --weights a", 2, "--weights goes with CSV and .npz files"),
        ("consensus x.csv --weights nothing", 1, "nothing"),
        ("consensus words.csv --weights voters", 1, "words.csv, line 2: voters is 'many', but must be a finite"),
        ("consensus gap.csv --weights voters", 1, "gap.csv, line 4: voters is missing, but must be a finite number"),
        ("consensus nothing.csv --weights voters", 1, "nothing.csv: voters is 0 for all rankings, but at least one"),
        ("consensus bad.npz --weights voters", 1, "bad.npz: voters[2] is nan, but must be a finite number from 0"),
        (
            "consensus many.csv --method exact --weight top --k 3",
            1,
            '--method "exact" is for up to 20 items with this weight',
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words, code, message, capsys):
    np.save("W.npy", np.zeros((5,) * 4))
    write_table(Path("halves.csv"), X, ITEMS, half=[*"aaabbbb"], voters=[1, 1, 1, 0, 0, 0, 0])
    write_table(Path("words.csv"), X, ITEMS, voters=["many"] * 7)
    write_table(Path("gap.csv"), X, ITEMS, voters=[1, 1, "", 1, 1, 1, 1])
    write_table(Path("nothing.csv"), X, ITEMS, voters=[0] * 7)
    np.savez("bad.npz", X=X, voters=[1, 2, np.nan, 1, 1, 1, 1])
    write_table(Path("many.csv"), [range(1, 22)], [f"item {number}" for number in range(21)])
    fails(capsys, words, message, code)
