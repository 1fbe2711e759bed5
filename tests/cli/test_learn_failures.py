"""`wkendall learn`: pictures, old files, and whatever goes wrong."""

import itertools
import shlex
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import ITEMS, SOC, fails, run, without_sizes, write_table
from definitions import random_rankings
from learning_files import DRAW, GRID, NUMBERS, RNG, M, X, folder, learned  # noqa: F401
from wkendall.cli import learn_picture, main
from wkendall.cli.validation import plan_of, standard


def test_pictures(monkeypatch, capsys):
    from wkendall import plotting

    drawn = []
    for name in ("plot_weights", "plot_position_scores", "plot_matrix"):
        function = getattr(plotting, name)
        monkeypatch.setattr(
            plotting,
            name,
            lambda U, name=name, function=function, **how: drawn.append((name, how["title"])) or function(U, **how),
        )
    monkeypatch.setattr(learn_picture, "draw", DRAW)
    weights, items = ("plot_weights", "weights of positions"), ("plot_matrix", "what the rank of an item adds")
    learned("--C 1 --folds 2 --order 1")
    assert Path("out/weights.png").read_bytes().startswith(b"\x89PNG")
    assert drawn == [items, weights]
    drawn.clear()
    learned("--C 1 --folds 2 --components 3")
    assert [name for name, _ in drawn] == ["plot_matrix", "plot_weights", "plot_weights"]
    drawn.clear()
    learned("--C 1 --folds 2 --pure")
    assert drawn == [("plot_weights", "coefficients of pairs of items"), weights]
    drawn.clear()
    monkeypatch.setattr(learn_picture, "CLASSES", 2)
    learned("--C 1 --folds 2 --order 1", "people.csv --skip age --skip number --label city")
    assert drawn == [(name, f"{title}, class {city}") for city in ("Bern", "Oslo") for name, title in (items, weights)]
    drawn.clear()
    np.save("wide.npy", random_rankings(RNG, M, 51))
    learned("--C 1 --folds 2 --order 1 --regression", "wide.npy --labels numbers.npy")
    assert drawn == [items, ("plot_position_scores", "weights of positions")]
    capsys.readouterr()
    run("learn x.npy --labels ages.npy -o three --C 1 --folds 2 --order 3")
    assert "no picture: weights of order 3 have more than two axes\n" in capsys.readouterr().out
    assert not Path("three/weights.png").exists()


@pytest.mark.parametrize("order", [1, 2])
def test_effects_of_ranks_are_means_over_rankings(order):
    rng = np.random.default_rng(0)
    n, every = 4, np.array(list(itertools.permutations(range(4))))
    U, B = rng.normal(size=(2, 2, *(n,) * order))  # two parts

    def function(ranks):
        seen = U[:, ranks] if order == 1 else U[:, ranks[:, None], ranks[None, :]]
        return (seen * B).sum()

    values = np.array([function(ranks) for ranks in every])
    wanted = np.array([[values[every[:, item] == rank].mean() for rank in range(n)] for item in range(n)])
    np.testing.assert_allclose(learn_picture.rank_effects(order, U, B), wanted - values.mean(), atol=1e-12)
    assert np.isfinite(
        learn_picture.rank_effects(
            order, U[..., :1][..., :1, :1] if order == 2 else U[..., :1], np.ones((2, *(1,) * order))
        )
    ).all()


def test_the_picture_says_which_class_is_red(monkeypatch):
    from matplotlib.figure import Figure

    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, **_: figures.append(figure))
    first = np.where(X[:, 0] < X[:, 1], "yes", "no")
    model = wkendall.SuquanSVDClassifier().fit(wkendall.Rankings(X, items=ITEMS), first)
    DRAW("x.png", 2, model, ITEMS)
    items, bar = figures[0].axes[0], figures[0].axes[1]
    assert bar.get_ylabel() == "red speaks for yes\nblue speaks for no"
    shown = np.ma.filled(items.images[0].get_array(), np.nan)
    names = [label.get_text() for label in items.get_yticklabels()]
    assert (names[0], names[-1]) == (ITEMS[0], ITEMS[1])  # "yes" if the first item is before the second
    assert shown[0, 0] > 0 > shown[0, -1]
    assert shown[-1, 0] < 0 < shown[-1, -1]


def test_without_matplotlib(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    run("learn x.npy --labels ages.npy -o out --C 1 --folds 2")
    shown = capsys.readouterr().out
    assert "no picture: it needs matplotlib: pip install 'wkendall[cli]'\n" in shown
    assert "wrote weights.npz, scores.json to out in " in shown
    assert sorted(path.name for path in Path("out").iterdir()) == ["scores.json", "weights.npz"]


def test_an_old_picture_does_not_stay():
    learned("--C 1 --folds 2")
    assert Path("out/weights.png").exists()
    learned("--C 1 --folds 2 --order 3")
    assert not Path("out/weights.png").exists()


def test_overwriting(capsys):
    words = "learn x.npy --labels ages.npy -o out --C 1 --folds 2"
    for name in ("weights.npz", "scores.json", "weights.png"):
        Path("out").mkdir(exist_ok=True)
        Path("out", name).write_text("precious")
        fails(capsys, words, f"{Path('out', name)} already exists: --force overwrites it")
        Path("out", name).unlink()
    Path("out/notes.txt").write_text("mine")
    run(words)
    assert Path("out/notes.txt").read_text() == "mine"
    assert len(list(Path("out").iterdir())) == 4


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (OSError(28, "No space left on device"), 1)])
def test_nothing_is_left_of_what_failed(there, error, code, monkeypatch, capsys):
    def fail(path, *_):
        path.write_text("half")
        raise error

    if there:
        Path("out").mkdir()
    before = set(Path().rglob("*"))
    monkeypatch.setattr(learn_picture, "draw", fail)
    assert main(shlex.split("learn x.npy --labels ages.npy -o out --C 1 --folds 2")) == code
    assert set(Path().rglob("*")) == before
    said = "wkendall: interrupted\n" if code == 130 else "wkendall: out: No space left on device\n"
    assert without_sizes(capsys.readouterr().err) == said


BROKEN = {
    "empty.csv": "a,b,y\n1,2,u\n2,1,\n",
    "text.csv": "a,b,y\n1,2,3\n2,1,many\n",
    "one.csv": "a,b,y\n1,2,u\n2,1,u\n",
    "few.csv": "a,b,y\n" + "1,2,u\n" * 9 + "2,1,v\n",
    "three.csv": "a,b,y\n" + "1,2,u\n2,1,v\n" * 3,
    "twice.csv": "a,b,y\n" + "1,2,u\n2,1,v\n" * 5 + "1,1,v\n",
    "none.txt": "",
    "short.txt": "u\nv\n",
    "headed.txt": "age\n" + "u\nv\n" * 20,
    "wide.csv": "y,z\nu,v\n",
    "ragged.csv": "y,z\nu,v\nw\n",
    "votes.soc": SOC,
}
FAILURES = [
    ("none.csv --label age", "none.csv: No such file or directory"),
    ("x.npy --labels none.npy", "none.npy: No such file or directory"),
    ("people.csv --label sex", "people.csv, line 1: there is no column 'sex': they are 'age', 'city', 'number', 'tea'"),
    ("people.csv --label age", "column 2, 'city', holds"),
    ("x.npz --label sex", "x.npz has no array 'sex': it has X, age, number"),
    ("empty.csv --label y", "empty.csv, line 3: the label is missing"),
    ("text.csv --label y --regression", "text.csv, line 3: the label is 'many', but --regression needs a finite"),
    ("one.csv --label y", "all labels are u, but a classifier needs at least two classes"),
    ("few.csv --label y", "class v has 1 of the 10 rankings, but 5 folds need at least 5 of each class: use fewer"),
    ("three.csv --label y --folds 2", "class u has 3 of the 6 rankings, but 2 folds need at least 4 of each class"),
    ("three.csv --label b --folds 2 --regression --skip y --input scores", "there are 6 rankings, but 2 folds need"),
    ("twice.csv --label y", "twice.csv: line 12 holds 1 twice, in columns 'a' and 'b'"),
    ("x.npy --labels none.txt", "none.txt is empty"),
    ("x.npy --labels short.txt", "short.txt has 2 labels, but x.npy has 40 rankings"),
    ("x.npy --labels headed.txt", "40 rankings; if the first line is the name of the labels, add --label 'age'"),
    ("x.npy --labels wide.csv", "wide.csv, line 1: the row has 2 cells, not 1: --label says which column has the"),
    ("x.npy --labels wide.csv --label w", "wide.csv, line 1: there is no column 'w': they are 'y', 'z'"),
    ("x.npy --labels ragged.csv --label y", "ragged.csv, line 3: the row has 1 cells, not 2"),
    ("x.npy --labels votes.soc", "votes.soc: labels are read from .npy and CSV files"),
    ("x.npy --labels square.npy", "square.npy: the labels have shape (2, 2), but must be a row of labels"),
    ("x.npy --labels numbers.npy", "numbers.npy: the labels are not whole numbers: --regression is for numbers to"),
    ("x.npy --labels ages.npy --regression", "ages.npy: the labels must be finite numbers for --regression, not"),
    ("x.npy --labels nan.npy --regression", "nan.npy: the labels must be finite numbers for --regression, not"),
    ("x.npy --labels bytes.npy", "bytes.npy: the labels must be text, whole numbers or true and false, not |S1"),
    ("flat.npy --labels ages.npy", "flat.npy has an array of shape (3,), but must have two axes: one ranking per row"),
    ("votes.soc --labels ages.npy", "votes.soc has orders of several voters: --expand makes a row for each, which"),
    ("x.npy --labels numbers.npy --regression --folds 21", "there are 40 rankings, but 21 folds need at least 42"),
    ("x.npy --labels ages.npy --missing anywhere", "--missing is 'anywhere', which is for the standard weight"),
    ("x.npy --labels ages.npy --method alternating --order 6", "--init is 'standard', which has only zeros for order"),
]


@pytest.mark.parametrize(("words", "message"), FAILURES, ids=[words for words, _ in FAILURES])
def test_failures(words, message, capsys):
    for name, content in BROKEN.items():
        Path(name).write_text(content)
    np.save("square.npy", np.eye(2))
    np.save("flat.npy", np.array([1, 2, 3]))
    np.save("nan.npy", np.where(NUMBERS > 0, np.nan, 1))
    np.save("bytes.npy", np.array([b"a", b"b"]))
    fails(capsys, f"learn {words} -o out", message)


def test_a_file_where_the_folder_should_be(capsys):
    fails(capsys, "learn x.npy --labels ages.npy -o x.npz", "x.npz is a file, but the results need a folder")
    fails(capsys, "learn x.npy --labels ages.npy -o none/out", "none/out cannot be written: there is no folder none")


WRONG = [
    ("", "the following arguments are required: INPUT, -o/--out/--output"),
    ("x.csv -o out", "the labels are missing: --label COLUMN, or --labels FILE"),
    ("x.npy -o out --label age", "--label goes with CSV and .npz files: use --labels FILE"),
    ("x.csv -o out --label y --method alternating --pure", "--pure goes with --method svd"),
    ("x.csv -o out --label y --method alternating --components 2", "--components goes with --method svd"),
    ("x.csv -o out --label y --init suquan", "--init goes with --method alternating"),
    ("x.csv -o out --label y --C 0", "argument --C: 0 must be a finite number above zero"),
    ("x.csv -o out --label y --C 1,inf", "argument --C: inf must be a finite number above zero"),
    ("x.csv -o out --label y --C much", "argument --C: 'much' is not a number, or several such as 0.1,1,10"),
    ("x.csv -o out --label y --folds 1", "argument --folds: '1' must be a whole number from 2"),
    ("x.csv -o out --label y --folds few", "argument --folds: 'few' must be a whole number from 2"),
    ("x.csv -o out --label y --order 0", "argument --order: '0' must be a whole number from 1"),
    ("x.csv -o out --label y --components 0", "argument --components: '0' must be a whole number from 1"),
    ("x.csv -o out --label y --seed -1", "argument --seed: '-1' must be a whole number from 0"),
    ("x.csv -o out --label y --expand", "--expand goes with PrefLib files"),
]


@pytest.mark.parametrize(("words", "message"), WRONG, ids=[words for words, _ in WRONG])
def test_wrong_usage(words, message, capsys):
    fails(capsys, f"learn {words}", message, code=2)


@pytest.mark.parametrize(
    ("regression", "size", "folds", "grid", "enough"),
    [
        (False, 4, 2, GRID, True),
        (False, 3, 2, GRID, False),
        (False, 3, 2, [1.0], False),
        (False, 3, 3, GRID, True),
        (True, 8, 2, GRID, True),
        (True, 7, 2, GRID, False),
        (True, 7, 2, [1.0], False),
        (True, 6, 3, GRID, True),
        (True, 5, 3, GRID, False),
    ],
)
def test_the_least_number_of_rankings(regression, size, folds, grid, enough):
    """As few rankings as are let through can be scored, with folds inside folds."""
    from wkendall.cli.messages import CommandError

    y = np.arange(float(size)) if regression else np.repeat([0, 1], size)
    if not enough:
        with pytest.raises(CommandError, match=f"{folds} folds need at least {size + 1}"):
            plan_of(y, regression, grid, folds, 0)
        return
    plan = plan_of(y, regression, grid, folds, 0)
    K = wkendall.gram_matrix(random_rankings(np.random.default_rng(0), len(y), 4), normalize=True)
    assert np.isfinite(plan.scores(standard(K, y, regression)).folds).all()


@pytest.mark.filterwarnings("always:the rankings contain no information")
def test_a_warning_of_many_fits_is_said_once(capsys):
    write_table(Path("flat.csv"), X, ITEMS, same=np.full(M, 3))
    assert main(shlex.split("learn flat.csv --label same --regression --folds 2 --no-baseline -o out")) == 0
    lines = without_sizes(capsys.readouterr().err).splitlines()
    assert lines == ["wkendall: warning: the rankings contain no information about y: no weights can be learned"]
