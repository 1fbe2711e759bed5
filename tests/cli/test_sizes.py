"""Every command says how much it read, and warns of a column that counts the rows."""

from pathlib import Path

import numpy as np
import pytest
from command_line import ITEMS, M, N, X, folder, run, write_table

assert folder


@pytest.fixture
def said(capsys):
    """What the commands before have said about what they read."""

    def lines():
        return [line for line in capsys.readouterr().err.splitlines() if line.startswith("read ")]

    return lines


#: The items, as they are listed.
LISTED = ': tea, coffee, milk, juice, "water, still"'

RANKINGS = [
    "gram FILE -o out.npy",
    "gram FILE -o out.npy --resume",
    "gram FILE -o -",
    "neighbors FILE -n 2 -o out.csv",
    "consensus FILE",
    "learn FILE --labels labels.npy -o model --C 1 --folds 3",
]


@pytest.mark.parametrize("words", RANKINGS)
@pytest.mark.parametrize("name", ["x.csv", "x.npy"])
def test_commands_say_how_much_they_read(words, name, said):
    np.save("labels.npy", np.arange(M) % 2)
    run(words.replace("FILE", name))
    assert said() == [f"read {M} rankings of {N} items from {name}{LISTED if name == 'x.csv' else ''}"]


def test_two_files_and_other_words(said):
    run("gram x.csv --against y.csv -o out.npy")
    assert said() == [
        f"read {M} rankings of {N} items from x.csv{LISTED}",
        f"read 3 rankings of {N} items from y.csv{LISTED}",
    ]
    run("compare x.csv y.csv --permutations 10")
    assert said() == [
        f"read {M} rankings of {N} items from x.csv{LISTED}",
        f"read 3 rankings of {N} items from y.csv{LISTED}",
    ]
    run("consensus votes.soc")
    assert said() == ["read 2 rankings of 3 items from votes.soc (6 voters): a, b, c"]
    run("consensus votes.soc --expand")
    assert said() == ["read 6 rankings of 3 items from votes.soc: a, b, c"]
    run("corr x.csv -o tau.csv")
    assert said() == [f"read {M} observations of {N} columns from x.csv"]
    Path("one.csv").write_text("a\n1\n")
    run("gram one.csv -o -")
    assert said() == ["read 1 ranking of 1 item from one.csv: a"]
    write_table(Path("labelled.csv"), X, ITEMS, label=np.arange(M) % 2)
    run("learn labelled.csv --label label -o model --C 1 --folds 3")
    assert said() == [f"read {M} rankings of {N} items from labelled.csv{LISTED}"]
    run("predict y.csv --model model -o out.csv")
    assert said() == [f"read 3 rankings of {N} items from y.csv{LISTED}"]
    many = [f"item{number}" for number in range(15)]
    write_table(Path("many.csv"), [range(1, 16)], many)
    run("gram many.csv -o -")
    assert said() == [f"read 1 ranking of 15 items from many.csv: {', '.join(many[:9])}, ..., item14"]


@pytest.mark.filterwarnings("default")
def test_a_column_that_counts_the_rows(capsys):
    scores = np.random.default_rng(0).normal(size=(5, 3))
    write_table(Path("scores.csv"), scores, ["a", "b", "c"], no=range(1, 6))
    run("gram scores.csv --input scores -o out.npy")
    assert capsys.readouterr().err.splitlines() == [
        "wkendall: warning: scores.csv: column 1, 'no', counts the rows (1, 2, ...), but is read as an item: --id no reads it as "
        "the names of the rankings, --skip no leaves it out",
        "read 5 rankings of 4 items from scores.csv: no, a, b, c",
    ]
    for words in ("--id no", "--skip no"):
        run(f"gram scores.csv --input scores -o out.npy --force {words}")
        assert capsys.readouterr().err == "read 5 rankings of 3 items from scores.csv: a, b, c\n"
