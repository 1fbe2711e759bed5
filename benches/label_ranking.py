"""How well `LabelRanker` predicts rankings: the table of the page on label ranking.

    python benches/label_ranking.py ../shared/data/label_ranking --repeats 5 --folds 10

Each CSV file of the folder has features and, in the last column, a ranking such as a>b>c: the semi-synthetic data of Cheng,
Huehn and Huellermeier (2009). Cross-validation is repeated with other folds. Within each training set, parameters are chosen by
cross-validation with `--inner` folds: `alpha` and `gamma` of kernel ridge regression, and whether it or extremely randomised
trees predict better. The table has the mean Kendall tau of all test folds, and its standard deviation.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
import wkendall
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import GridSearchCV, KFold, RepeatedKFold

#: Times 1 / number of features.
GAMMAS = (0.1, 0.3, 1, 3)
ALPHAS = (0.01, 0.1, 1)
DATA = ("iris", "glass", "wine", "vehicle", "vowel", "bodyfat", "stock")
COLUMNS = ("default", "kernel ridge", "extra trees", "chosen")


def read(path):
    with path.open() as file:
        rows = list(csv.reader(file))[1:]
    lists = [row[-1].split(">") for row in rows]
    return np.array([row[:-1] for row in rows], dtype=float), wkendall.from_lists(lists, items=sorted(lists[0]))


def searches(features, inner, trees):
    """The two regressors, each with the choice of its parameters."""
    ridge = {"regressor__alpha": ALPHAS, "regressor__gamma": np.array(GAMMAS) / features}
    forest = ExtraTreesRegressor(trees, max_features="sqrt", random_state=0)
    return (
        GridSearchCV(wkendall.LabelRanker(), ridge, cv=inner),
        GridSearchCV(wkendall.LabelRanker(), {"regressor": [forest]}, cv=inner),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", nargs="+", default=DATA)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--inner", type=int, default=3)
    parser.add_argument("--trees", type=int, default=100)
    options = parser.parse_args()
    print(f"| data | rows | features | labels | {' | '.join(COLUMNS)} | CPU s |\n|{'---|' * (len(COLUMNS) + 5)}")
    for name in options.data:
        X, y = read(options.folder / f"{name}.csv")
        started, taus = time.process_time(), []
        for train, test in RepeatedKFold(n_splits=options.folds, n_repeats=options.repeats, random_state=0).split(X):
            inner = KFold(options.inner, shuffle=True, random_state=0)
            fitted = [search.fit(X[train], y[train]) for search in searches(X.shape[1], inner, options.trees)]
            fitted.append(max(fitted, key=lambda search: search.best_score_))
            models = (wkendall.LabelRanker().fit(X[train], y[train]), *fitted)
            taus.append([model.score(X[test], y[test]) for model in models])
        cells = [
            f"{mean:.3f} ± {deviation:.3f}" for mean, deviation in zip(np.mean(taus, 0), np.std(taus, 0), strict=True)
        ]
        seconds = time.process_time() - started
        print(f"| {name} | {len(X)} | {X.shape[1]} | {y.n_items} | {' | '.join(cells)} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
