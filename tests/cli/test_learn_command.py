"""`wkendall learn`: scores as scikit-learn finds them, weights as the estimators do, and labels from every kind of file."""

import json
from pathlib import Path

import numpy as np
import pytest
import wkendall
from command_line import ITEMS, SOC, fails, run, without_sizes, write_table
from learning_files import AGES, CITIES, GRID, NUMBERS, WIDE, M, N, X, folder, learned  # noqa: F401
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.svm import SVC
from wkendall.cli.validation import Plan


def assert_scores(found, wanted, C):
    np.testing.assert_allclose(found["folds"], wanted, atol=1e-6)
    assert found["mean"] == pytest.approx(sum(wanted) / len(wanted), abs=1e-6)
    spread = sum((score - sum(wanted) / len(wanted)) ** 2 for score in wanted) / (len(wanted) - 1)
    assert found["sd"] == pytest.approx(spread**0.5, abs=1e-6)
    assert C is None or len(found["C"]) == len(wanted)


def nested(model, inputs, y, kind, folds, grid=GRID, name="C"):
    """Nested cross-validation by scikit-learn."""
    search = GridSearchCV(model, {name: grid}, cv=kind(folds, shuffle=True, random_state=3))
    return cross_val_score(search, inputs, y, cv=kind(folds, shuffle=True, random_state=3)).tolist()


@pytest.mark.parametrize("words", ["", "--order 1", "--components 2", "--pure"])
def test_scores_of_classes(words):
    report, weights = learned(f"{words} --folds 4 --seed 3")
    model = wkendall.SuquanSVDClassifier(
        order=1 if "order" in words else 2, n_components=2 if "comp" in words else 1, pure="pure" in words
    )
    assert report["score"] == "accuracy"
    assert_scores(report["scores"]["learned"], nested(model, X, AGES, StratifiedKFold, 4), GRID)
    K = wkendall.gram_matrix(X, normalize=True)
    assert_scores(
        report["scores"]["standard"], nested(SVC(kernel="precomputed"), K, AGES, StratifiedKFold, 4, WIDE), WIDE
    )
    assert_scores(report["scores"]["constant"], [0.5] * 4, None)
    search = GridSearchCV(model, {"C": GRID}, cv=StratifiedKFold(4, shuffle=True, random_state=3)).fit(X, AGES)
    assert report["settings"]["C"] == search.best_params_["C"]
    np.testing.assert_allclose(weights["U"], search.best_estimator_.U_, atol=1e-7)
    np.testing.assert_allclose(weights["B"], search.best_estimator_.B_, atol=1e-4)
    assert weights["intercept"] == pytest.approx(search.best_estimator_.intercept_, abs=1e-4)
    assert weights["classes"].tolist() == ["old", "young"]
    assert weights["items"].tolist() == ITEMS
    assert json.loads(str(weights["settings"])) == report["settings"]


def test_scores_of_numbers():
    file = "people.csv --skip city --skip age --label number --regression"
    report, weights = learned("--folds 4 --seed 3", file)
    assert report["score"] == "R^2"
    model = wkendall.SuquanSVDRegressor()
    assert_scores(report["scores"]["learned"], nested(model, X, NUMBERS, KFold, 4), GRID)
    # Ridge regression on explicit features has an intercept of its own.
    features = wkendall.features(X) / np.sqrt(N * (N - 1) / 2)
    alphas = [1 / (2 * C) for C in WIDE]
    assert_scores(report["scores"]["standard"], nested(Ridge(), features, NUMBERS, KFold, 4, alphas, "alpha"), GRID)
    wanted = []
    for train, test in KFold(4, shuffle=True, random_state=3).split(X):
        errors = NUMBERS[test] - NUMBERS[train].mean()
        wanted.append(1 - (errors**2).sum() / ((NUMBERS[test] - NUMBERS[test].mean()) ** 2).sum())
    assert_scores(report["scores"]["constant"], wanted, None)
    best = wkendall.SuquanSVDRegressor(C=report["settings"]["C"]).fit(X, NUMBERS)
    predicted = wkendall.linear_function(X, weights["U"], weights["B"]) + weights["intercept"]
    np.testing.assert_allclose(predicted, best.predict(X), atol=1e-9)
    assert "classes" not in weights


def test_one_C_is_taken_as_it_is():
    report, _ = learned("--C 2 --folds 3 --seed 3")
    wanted = cross_val_score(
        wkendall.SuquanSVDClassifier(C=2.0), X, AGES, cv=StratifiedKFold(3, shuffle=True, random_state=3)
    )
    assert_scores(report["scores"]["learned"], wanted.tolist(), [2.0])
    assert report["scores"]["learned"]["C"] == [2.0] * 3


@pytest.mark.parametrize("words", ["--C 10 0.1 1", "--C 0.1,1,10", "--C 1,10 0.1", ""])
def test_ways_to_give_C(words):
    assert learned(f"{words} --folds 2")[0]["settings"]["C_tried"] == GRID


def test_of_equal_C_the_smallest():
    plan = Plan(np.arange(8.0), True, GRID, 2, 2, 0)
    assert plan.best_C(lambda C, train, test: 0.0) == 0.1


@pytest.mark.parametrize(("kind", "init"), [("Classifier", "standard"), ("Regressor", "suquan")])
def test_alternating(kind, init):
    y, words = (AGES, "") if kind == "Classifier" else (NUMBERS, "--regression")
    name = "ages" if kind == "Classifier" else "numbers"
    report, weights = learned(
        f"--method alternating --init {init} --C 1 --folds 2 {words}", f"x.npy --labels {name}.npy"
    )
    model = getattr(wkendall, f"Alternating{kind}")(init=init).fit(X, y)
    np.testing.assert_allclose(weights["U"], model.U_, atol=1e-9)
    np.testing.assert_allclose(weights["B"], model.B_, atol=1e-9)
    assert report["scores"]["learned"]["name"] == "alternating, order 2"
    assert report["settings"]["init"] == init
    assert weights["items"].tolist() == ["1", "2", "3", "4", "5"]


def test_options_of_rankings_reach_the_model():
    scores = np.round(-X + 0.0)
    scores[:, 1] = scores[:, 2]
    scores[3, 0] = np.nan
    np.save("scores.npy", scores)
    how = {"input": "scores", "ties": "mean", "missing": "bottom", "top": "high"}
    words = " ".join(f"--{name} {value}" for name, value in how.items())
    report, weights = learned(f"{words} --C 1 --folds 2 --seed 3 --jobs 1", "scores.npy --labels ages.npy")
    model = wkendall.SuquanSVDClassifier(**how).fit(scores, AGES)
    np.testing.assert_allclose(weights["U"], model.U_, atol=1e-7)
    assert {name: report["settings"][name] for name in how} == how
    K = wkendall.gram_matrix(scores, normalize=True, **how)
    wanted = nested(SVC(kernel="precomputed"), K, AGES, StratifiedKFold, 2, WIDE)
    assert_scores(report["scores"]["standard"], wanted, WIDE)


LABELS = {
    "x.npz --label age": AGES,
    "x.npy --labels ages.npy": AGES,
    "x.npy --labels ages.txt": AGES,
    "x.npy --labels more.csv --label age": AGES,
    "x.npy --labels flags.npy": AGES == "old",
    "x.npy --labels whole.npy": np.where(AGES == "old", 2, 10),
    "x.npy --labels whole.txt": np.where(AGES == "old", 2, 10),
    "all.soc --expand --labels ages.npy": AGES,
}


@pytest.mark.parametrize("words", LABELS)
def test_labels_from_everywhere(words):
    Path("ages.txt").write_text("\n".join(AGES) + "\n")
    Path("more.csv").write_text("age,sex\n" + "".join(f"{age},f\n" for age in AGES))
    np.save("flags.npy", AGES == "old")
    np.save("whole.npy", np.where(AGES == "old", 2.0, 10.0))
    Path("whole.txt").write_text("\n".join("2" if age == "old" else "10" for age in AGES))
    head = "".join(f"# ALTERNATIVE NAME {number}: {name}\n" for number, name in enumerate("abcde", 1))
    counts = np.unique(X, axis=0, return_counts=True)
    orders = [",".join(map(str, row.argsort() + 1)) for row in counts[0]]
    start = SOC.split("# ALTERN")[0].replace(": 3", ": 5")
    Path("all.soc").write_text(
        start.replace("VOTERS: 6", f"VOTERS: {M}").replace("ORDERS: 2", f"ORDERS: {len(orders)}")
        + head
        + "".join(f"{count}: {order}\n" for count, order in zip(counts[1], orders, strict=True))
    )
    rankings = counts[0].repeat(counts[1], axis=0) if "all" in words else X
    _, weights = learned("--C 1 --folds 2", words)
    model = wkendall.SuquanSVDClassifier().fit(rankings, LABELS[words])
    assert weights["classes"].tolist() == model.classes_.tolist()
    np.testing.assert_allclose(weights["B"], model.B_, atol=1e-6)


def test_what_is_shown(capsys):
    run("learn people.csv --label age --skip city --skip number -o out --folds 4")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "40 rankings of 5 items, 2 classes; 4 folds, seed 0"
    assert lines[1].split() == ["accuracy", "SD"]
    scores = json.loads(Path("out/scores.json").read_text())["scores"]
    for line, key in zip(lines[2:5], ("learned", "standard", "constant"), strict=True):
        assert line.startswith(scores[key]["name"])
        assert line.split()[-2:] == [f"{scores[key]['mean']:.3f}", f"{scores[key]['sd']:.3f}"]
    C = json.loads(Path("out/scores.json").read_text())["settings"]["C"]
    assert lines[5] == f"C for all rankings: {C:g}, of 0.1, 1, 10"
    assert lines[6].startswith("wrote weights.npz, scores.json, weights.png to out in ")
    assert len(lines) == 7


def test_a_baseline_that_does_not_fit(leave_memory, capsys):
    leave_memory(10_000)
    words = "learn x.npy --labels ages.npy -o out --C 1 --folds 2 --order 1"
    fails(capsys, words, "takes 12.5 KiB, but only 9.8 KiB of memory are available: --no-baseline leaves it out")
    run(f"{words} --no-baseline")


def test_progress(capsys):
    learned("--folds 2 --progress")
    assert "100%" in capsys.readouterr().err
    learned("--folds 2 --C 1")
    assert without_sizes(capsys.readouterr().err) == ""


def test_labels_are_those_of_the_rankings(capsys):
    who = [f"p{row}" for row in range(len(X))]
    write_table(Path("known.csv"), X, ITEMS, who=who)
    write_table(Path("ages.csv"), [[age] for age in AGES], ["age"], who=who)
    write_table(Path("turned.csv"), [[age] for age in AGES[::-1]], ["age"], who=who[::-1])
    words = "learn known.csv --id who --label age --C 1 --folds 2 --no-baseline"
    run(f"{words} --labels ages.csv -o out")
    capsys.readouterr()
    last = len(X) - 1
    message = (
        f"turned.csv, line 2: the label is for 'p{last}', but the ranking is 'p0' in known.csv, line 2: both must have the same "
        "rankings in the same order"
    )
    fails(capsys, f"{words} --labels turned.csv -o other", message)


def test_labels_in_another_encoding(capsys):
    ages = ["\xe2g\xe9" if age == "old" else "jeune" for age in AGES]
    Path("ages.csv").write_text("\n".join(ages), encoding="latin-1")
    words = "learn x.npy --labels ages.csv --C 1 --folds 2 --no-baseline"
    run(f"{words} -o out --encoding latin-1")
    assert "\xe2g\xe9" in np.load("out/weights.npz")["classes"]
    capsys.readouterr()
    fails(capsys, f"{words} -o other", "--encoding cp1252 reads files from older programs on Windows")
    fails(capsys, "learn x.npy --labels ages.npy -o new --encoding latin-1", "--encoding goes with CSV and PrefLib", 2)
