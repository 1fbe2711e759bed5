"""`wkendall compare`: what it prints is what `two_sample_test` gives."""

import json
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import ITEMS, SOC, TOI, N, X, Y, fails, folder, run, without_sizes, write_table  # noqa: F401
from definitions import random_rankings
from nouns import kernel_of, split

U = np.random.default_rng(2).standard_normal((N, N))
Z = random_rankings(np.random.default_rng(4), 9, N)
KERNELS = {
    "": {},
    "--lam 0.3": {"lam": 0.3, "normalize": True},
    "--lam auto": {"lam": "auto", "normalize": True},
    "--kernel mallows --normalize": {},
    "--kernel kendall": {"weight": "standard"},
    "--kernel kendall --signed --normalize": {"signed": True, "normalize": True},
    "--signed": {"signed": True},
    "--weight top --k 3": {"weight": "top", "k": 3},
    "--weight mult --u log --normalize": {"weight": "mult", "u": "log", "normalize": True},
    "--U U.npy": {"U": U},
    "--order 3": {"order": 3},
    "--top high --weight top --k 2": {"top": "high", "weight": "top", "k": 2},
    "--input orders": {"input": "orders"},
    "--permutations 19 --seed 5": {"n_permutations": 19, "rng": 5},
    "--jobs 1": {"n_jobs": 1},
}


def reported(capsys, words):
    run(f"compare {words} --json")
    shown = capsys.readouterr()
    assert without_sizes(shown.err) == ""
    return json.loads(shown.out)


def same(report, result):
    lam = result.kernel.lam if isinstance(result.kernel, wkendall.Mallows) else None
    assert (report["statistic"], report["pvalue"], report["lam"]) == (*result, lam)
    assert report["pairwise"] == result.pairwise.tolist()


@pytest.mark.parametrize("words", KERNELS)
def test_every_option_of_a_kernel(words, capsys):
    np.save("U.npy", U)
    options = {"rng": 0, "n_permutations": 99, "n_jobs": None} | KERNELS[words]
    how = {name: options.pop(name) for name in ("rng", "n_permutations", "n_jobs")}
    kernel, reading = split(options)
    words = words if "--permutations" in words else f"{words} --permutations 99"
    same(
        reported(capsys, f"x.csv y.npy {words}"),
        wkendall.two_sample_test(
            *(wkendall.Rankings(some, **reading) for some in (X, Y)),
            kernel=kernel_of(kernel) if kernel else None,
            **how,
        ),
    )


def test_three_groups(capsys):
    write_table(Path("z.csv"), Z, ITEMS)
    report = reported(capsys, "x.csv y.csv z.csv --permutations 99")
    same(report, wkendall.two_sample_test(X, Y, Z, n_permutations=99, rng=0))
    assert report["groups"] == [
        {"name": "x.csv", "people": 7},
        {"name": "y.csv", "people": 3},
        {"name": "z.csv", "people": 9},
    ]
    assert (report["items"], report["kernel"], report["permutations"], report["seed"]) == (5, "mallows", 99, 0)


def test_blocks_weights_and_pairs(capsys):
    rows, people = np.concatenate([X, X[:, ::-1]]), np.tile(np.arange(7), 2)
    weights, when = np.arange(1, 15) / 4, np.repeat(["after", "before"], 7)
    write_table(Path("all.csv"), rows, ITEMS, when=when, who=people, w=weights)
    how = {"groups": when, "n_permutations": 99, "rng": 0}
    report = reported(capsys, "all.csv --group when --blocks who --weights w --permutations 99")
    same(report, wkendall.two_sample_test(rows, blocks=people, sample_weight=weights, **how))
    for name, part in (("a", slice(7)), ("b", slice(7, None))):
        write_table(Path(f"{name}.csv"), rows[part], ITEMS, who=people[part])
    report = reported(capsys, "a.csv b.csv --blocks who --permutations 99")
    same(report, wkendall.two_sample_test(rows, blocks=people, **how))
    report = reported(capsys, "all.csv --group when --skip who --weights w --permutations 99 --pairs 3")
    wanted = wkendall.pair_differences(wkendall.Rankings(rows, items=ITEMS), sample_weight=weights, **how)
    for place, pair in enumerate(report["pairs"]):
        assert list(pair.values()) == [column[place].tolist() for column in wanted[:-1]]
    assert len(report["pairs"]) == 3
    run("compare all.csv --group when --skip who,w --permutations 99 --pairs 1")
    pair = capsys.readouterr().out.splitlines()[-1]
    assert " before " in pair
    run("compare all.csv --group who --skip when,w --permutations 99")
    assert "p-values of every two groups, adjusted for their number:" in capsys.readouterr().out
    for words, said, code in (
        ("x.csv votes.toi --blocks who", "--blocks goes with CSV and .npz files", 2),
        ("all.csv --group when --blocks who --pairs 2", "--pairs does not go with --blocks", 2),
        ("x.csv y.csv x.npy --pairs 2", "--pairs goes with two groups", 2),
        ("all.csv --group who --skip when,w --pairs 2", "--pairs goes with two groups, but 'who' has 7", 1),
    ):
        fails(capsys, f"compare {words}", said, code)


def test_groups_of_one_file(capsys):
    rows, groups = np.concatenate([X, Y, Z]), [10] * 7 + [9] * 3 + [10] * 9
    write_table(Path("all.csv"), rows, ITEMS, age=groups)
    wanted = wkendall.two_sample_test(Y, np.concatenate([X, Z]), n_permutations=99, rng=0)
    report = reported(capsys, "all.csv --group age --permutations 99")
    same(report, wanted)
    assert report["groups"] == [{"name": "age 9", "people": 3}, {"name": "age 10", "people": 16}]
    np.savez("all.npz", X=rows, age=np.array(groups))
    same(reported(capsys, "all.npz --group age --permutations 99"), wanted)


def test_text(capsys):
    write_table(Path("z.csv"), Z, ITEMS)
    run("compare x.csv y.csv --permutations 99")
    result = wkendall.two_sample_test(X, Y, n_permutations=99, rng=0)
    assert capsys.readouterr().out == (
        f"2 groups, 5 items, Mallows kernel, lam {result.kernel.lam:.4g}\n"
        "  x.csv         7 people\n"
        "  y.csv         3 people\n"
        f"squared discrepancy {result.statistic:.5f}\n"
        f"p-value {result.pvalue:.4g} (99 permutations, seed 0)\n"
    )
    run("compare x.csv y.csv z.csv --weight average --permutations 9")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "3 groups, 5 items, Kendall kernel"
    assert [len(line.split()) for line in lines[1:4]] == [3, 4, 5]


FAILURES = [
    ("x.csv twice.csv", "twice.csv: line 3 holds 2 twice, in columns 'tea' and 'milk'"),
    ("x.csv other.csv", "x.csv has 'tea' and 4 more items that other.csv lacks, and other.csv has 'a' and 4 more"),
    ("x.npy narrow.npy", "x.npy has 5 items, but narrow.npy has 2: both must rank the same items"),
    ("x.csv one.csv", "one.csv has 1 ranking, but a group must have at least 2"),
    ("groups.csv --group age", "age b has 1 ranking, but a group must have at least 2"),
    ("groups.csv --group party", "groups.csv, line 1: there is no column 'party'"),
    ("same.csv --group age", "same.csv: there is one group in 'age', 'a', but a test needs two"),
    ("gaps.csv --group age", "gaps.csv, line 3: the group is missing (2 of 7 rows); write a name"),
    ("two.npz --group age", "two.npz: the groups have shape (1, 1), but must be a row of labels"),
    ("few.npz --group age", "few.npz has 2 labels, but 7 rankings"),
    ("x.csv y.csv --skip age", "there is no column 'age' to skip in x.csv and y.csv"),
    ("x.csv y.csv --permutations 999999999999999", "ask for fewer permutations"),
]
WRONG = [
    ("x.csv", "there must be two files, one for each group, or --group COLUMN with one file"),
    ("x.csv y.csv --group age", "--group goes with one file"),
    ("votes.soc --group age", "--group goes with CSV and .npz files"),
    ("x.csv y.csv --permutations 0", "'0' must be a whole number from 1"),
    ("x.csv y.csv --kernel mallows --weight top --k 2", "--weight does not go with --kernel mallows"),
    ("x.csv y.csv --kernel kendall --lam 1", "--lam does not go with --kernel kendall"),
    ("x.csv y.csv --weight average --lam 1", "argument --lam: not allowed with argument --weight"),
    ("x.csv y.csv --no-check", "--no-check goes with --W"),
]


@pytest.fixture
def broken():
    twice = X.copy()
    twice[1, 0], twice[1, 2] = 2, 2
    twice[1, 1], twice[1, 3:] = 1, [3, 4]
    write_table(Path("twice.csv"), twice, ITEMS)
    write_table(Path("other.csv"), X, list("abcde"))
    write_table(Path("one.csv"), X[:1], ITEMS)
    write_table(Path("groups.csv"), X, ITEMS, age=[*"aaaaaab"])
    write_table(Path("same.csv"), X, ITEMS, age=[*"aaaaaaa"])
    write_table(Path("gaps.csv"), X, ITEMS, age=["a", "", *"abb", "NA", "b"])
    np.save("narrow.npy", [[1, 2], [2, 1]])
    np.savez("two.npz", X=X, age=[[1]])
    np.savez("few.npz", X=X, age=[1, 2])


@pytest.mark.parametrize(("words", "message"), FAILURES)
@pytest.mark.usefixtures("broken")
def test_failures(words, message, capsys):
    fails(capsys, f"compare {words}", message)


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_wrong_usage(words, message, capsys):
    fails(capsys, f"compare {words}", message, code=2)
