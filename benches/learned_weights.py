"""Learned weights against fixed kernels: the tables of docs/learned_or_fixed.md.

Every method gets the same training and test rankings. Everything else is chosen inside the training rankings:
`AlternatingClassifier` chooses U0, C and alpha itself ("auto"); for the others C is chosen by 5-fold cross-validation. The
kernels are scaled to variance 1, so that one grid of C suits all. Accuracies are appended to a file; a second run continues
it, and without a data set the script only prints the tables.

    python benches/learned_weights.py results.jsonl --set survey --most 200
    python benches/learned_weights.py results.jsonl
"""

import argparse
import csv
import gzip
import json
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC
from wkendall import (
    AlternatingClassifier,
    Kendall,
    KernelMixtureClassifier,
    Mallows,
    Rankings,
    SuquanSVDClassifier,
    TensorKernel,
)
from wkendall.datasets import load_eurobarometer, make_plackett_luce, make_survey, make_uniform
from wkendall.experiments.protocol import Protocol, draw

DATA = Path(__file__).resolve().parents[2] / "shared/data"
GRID = 10.0 ** np.arange(-2, 3)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=1)


def expression(name):
    """Samples of gene expression, four times five folds."""
    folder = DATA / "expression" / name
    if not folder.exists():
        raise SystemExit(f"{name}: skipped, because {folder} is absent")
    with gzip.open(folder / "values.csv.gz", "rt") as text:
        values = np.array(list(csv.reader(text))[1:], dtype=float)
    labels = np.array([line.split(",")[0] for line in (folder / "labels.csv").read_text().split()[1:]])
    y = (labels == labels[0]).astype(int)
    X = Rankings(values, input="scores", ties="mean")
    for seed in range(4):
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(values, y):
            yield X, y, train, test


def survey():
    """The protocol of the paper; simulated people if the survey is absent."""
    file = DATA / "eurobarometer55_2/counts.csv"
    people = load_eurobarometer(file) if file.exists() else make_survey(12216, rng=0)
    for repetition in range(200):
        train, test, _ = draw(people.y, Protocol(), repetition)
        rows = np.concatenate([train, test])
        yield Rankings(people.X[rows]), people.y[rows], np.arange(len(train)), np.arange(len(train), len(rows))


def sushi():
    """Two groups whose Plackett-Luce strengths differ slightly: 10 items, 400 rankings to train and 400 to test."""
    for seed in range(20):
        rng = np.random.default_rng([1, seed])
        common, change = rng.standard_normal((2, 10))
        X = np.vstack([make_plackett_luce(400, np.exp(common + sign * 0.2 * change), rng=rng) for sign in (-1, 1)])
        mixed = rng.permutation(800)
        yield Rankings(X[mixed]), mixed // 400, np.arange(400), np.arange(400, 800)


def planted(shape):
    """Labels from weights of positions that are a smooth function, random coefficients of items, and noise."""
    places = (np.arange(30) + 0.5) / 30
    U = np.exp(-(((places - 0.5) / 0.15) ** 2)) if shape == "middle" else np.exp(-places / 0.1)
    for seed in range(20):
        rng = np.random.default_rng([2, seed])
        X = make_uniform(200, 30, rng=rng)
        scores = U[X - 1] @ rng.standard_normal(30)
        scores = scores / scores.std() + 0.3 * rng.standard_normal(200)
        y = (scores > np.median(scores)).astype(int)
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
            yield Rankings(X), y, train, test


#: For each data set: its tasks, and how many of them make one independent unit (0: none is independent).
SETS = {
    "alon": (lambda: expression("alon"), 0),
    "golub": (lambda: expression("golub"), 0),
    "survey": (survey, 1),
    "sushi": (sushi, 1),
    "planted middle": (lambda: planted("middle"), 5),
    "planted top": (lambda: planted("top"), 5),
}


def ramp(X):
    return TensorKernel(np.arange(X.n_items, 0.0, -1.0), order=1)


FIXED = {
    "Kendall": lambda _: Kendall(),
    "ramp of order 1": ramp,
    "average": lambda _: Kendall("average"),
    "mult, log": lambda _: Kendall("mult", u="log"),
    "mult, hyperbolic": lambda _: Kendall("mult", u="hyperbolic"),
    "Mallows": lambda _: Mallows("auto"),
}
AUTO = {"alpha": "auto", "toward": "auto", "C": "auto", "n_jobs": 1}
LEARNERS = {
    "learned, smooth": lambda: AlternatingClassifier(penalty="smooth", **AUTO),
    "learned, ridge": lambda: AlternatingClassifier(**AUTO),
    "learned, low-rank": lambda: AlternatingClassifier(penalty="low-rank", **AUTO),
    "learned, monotone": lambda: AlternatingClassifier(1, penalty="monotone", **AUTO),
}
OTHERS = {
    "learned, paper": lambda: AlternatingClassifier(n_jobs=1),
    "SUQUAN-SVD": lambda: SuquanSVDClassifier(n_jobs=1),
    "SUQUAN-SVD of order 1": lambda: SuquanSVDClassifier(1, n_jobs=1),
    "mixture": lambda: KernelMixtureClassifier(n_jobs=1),
}


def fixed(kernel, X, y, train, test):
    """Return the accuracy of a fixed kernel, and the C of cross-validation."""
    own, cross = kernel(X[train]), kernel(X[test], X[train])
    variance = own.diagonal().mean() - own.mean()
    found = GridSearchCV(SVC(kernel="precomputed"), {"C": GRID}, cv=FOLDS).fit(own / variance, y[train])
    return found.score(cross / variance, y[test]), found.best_params_["C"]


def measure(method, X, y, train, test):
    """Return the accuracy of a method, and what was chosen."""
    if method in FIXED:
        return fixed(FIXED[method](X), X, y, train, test)
    if method in OTHERS:
        found = GridSearchCV(OTHERS[method](), {"C": GRID}, cv=FOLDS).fit(X[train], y[train])
        return found.score(X[test], y[test]), found.best_params_["C"]
    model = LEARNERS[method]().fit(X[train], y[train])
    most = max(one.alpha for one in model.candidates_ if one.toward == model.toward_)
    name = "zero" if model.toward_ is None else model.toward_
    moved = model.toward_ is None or model.alpha_ < 1e-3 * most
    return model.score(X[test], y[test]), f"from {name}" if moved else name


def run(path, name, methods, tasks_to_do):
    tasks, _ = SETS[name]
    done = {(row["set"], row["task"], row["method"]) for row in read(path)}
    for number, task in enumerate(tasks()):
        for method in methods:
            if number not in tasks_to_do or (name, number, method) in done:
                continue
            start = time.process_time()
            accuracy, chosen = measure(method, *task)
            row = {"set": name, "task": number, "method": method, "accuracy": accuracy, "chosen": chosen}
            with path.open("a") as file:
                print(json.dumps(row | {"seconds": time.process_time() - start}), file=file)


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def interval(differences, unit):
    """Return the mean and half the length of its 95 % interval.

    Folds of one data set are not independent: their variance is corrected by Nadeau and Bengio (2003).
    """
    if len(differences) < max(unit, 1):
        return differences.sum() / max(len(differences), 1), np.nan
    values = differences[: len(differences) // max(unit, 1) * max(unit, 1)].reshape(-1, max(unit, 1)).mean(axis=1)
    if len(values) < 2:
        return values.mean(), np.nan
    share = 1 / len(values) + (0.25 if unit == 0 else 0.0)
    return values.mean(), stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) * np.sqrt(share)


def table(path):
    """Print a table for each data set: the accuracy, the difference from the Kendall kernel, and how often weights moved."""
    rows = read(path)
    for name, (_, unit) in SETS.items():
        found = {}
        for row in rows:
            if row["set"] == name:
                found.setdefault(row["method"], {})[row["task"]] = row
        if not found:
            continue
        print(f"\n{name}\n\n| method | tests | accuracy | difference from Kendall (95 %) | weights learned | CPU, s |")
        print("|---|---|---|---|---|---|")
        means = {method: np.mean([row["accuracy"] for row in of.values()]) for method, of in found.items()}
        for method in sorted(means, key=means.get, reverse=True):
            of, base = found[method], found.get("Kendall", {})
            common = sorted(set(of) & set(base))
            mean, half = interval(np.array([of[k]["accuracy"] - base[k]["accuracy"] for k in common]), unit)
            ends = "" if np.isnan(half) else f" ({mean - half:+.3f} to {mean + half:+.3f})"
            text = "" if method == "Kendall" or not common else f"{mean:+.3f}{ends}"
            moved = ""
            if method in LEARNERS:
                moved = f"{np.mean([str(row['chosen']).startswith('from') for row in of.values()]):.0%}"
            seconds = np.mean([row["seconds"] for row in of.values()])
            print(f"| {method} | {len(of)} | {means[method]:.3f} | {text} | {moved} | {seconds:.2f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--set", choices=SETS)
    parser.add_argument("--methods", nargs="+", default=[*FIXED, *LEARNERS, *OTHERS])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--most", type=int, default=1000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.set:
        run(options.out, options.set, options.methods, range(options.first, options.most))
    table(options.out)
