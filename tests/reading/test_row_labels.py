"""Rows are matched by position: two pandas objects with different labels of rows are refused everywhere."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
import wkendall
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from wkendall import datasets

mpl.use("Agg")

X = datasets.make_uniform(12, 5, rng=0)
Y = np.arange(12) % 2
TRANSFORMERS = [wkendall.KendallGram, wkendall.KendallFeatures, wkendall.KendallNystroem, wkendall.KendallNeighbors]
LEARNERS = [getattr(wkendall, name) for name in wkendall.__all__ if name.endswith(("Classifier", "Regressor"))]


class Last(BaseEstimator):
    """The last step of a pipeline."""

    def fit(self, X, y):
        self.fitted_ = X, y
        return self


def fitted(model):
    return model.fit(X, Y)


def ranks_beside(X, y):
    """Rankings of one item beside those of X."""
    others = y.to_frame() if isinstance(y, pd.Series) else np.asarray(y)[:, np.newaxis]
    return wkendall.independence_test(X, wkendall.Rankings(others, ties="mean"), rng=0)


def kmeans():
    return wkendall.KendallKMeans(2, random_state=0)


#: The name of the argument that has a value for each row, and what is done with X and this argument.
PAIRED = {
    "corr": ("other", lambda X, y: wkendall.corr(X, y)),
    "independence_test": ("y", lambda X, y: wkendall.independence_test(X, y, rng=0, n_permutations=9)),
    "independence_test of rankings": ("y", ranks_beside),
    "consensus": ("sample_weight", lambda X, y: wkendall.consensus(X, sample_weight=y + 1, rng=0)),
    "suquan_svd": ("y", lambda X, y: wkendall.suquan_svd(X, y)),
    "combine": ("coef", lambda X, y: wkendall.combine(X, y, [5, 4, 3, 2, 1])),
    "plot_map": ("groups", lambda X, y: wkendall.plotting.plot_map(X, groups=y)),
    "KendallKMeans.fit": ("sample_weight", lambda X, y: kmeans().fit(X, sample_weight=y + 1)),
    "KendallKMeans.score": ("sample_weight", lambda X, y: fitted(kmeans()).score(X, sample_weight=y + 1)),
    "Rankings, counts": ("counts", lambda X, y: wkendall.Rankings(X, counts=y)),
    "Rankings, mask": ("the mask", lambda X, y: wkendall.Rankings(X)[y > 0]),
    "KendallKMeans.fit, y": ("y", lambda X, y: kmeans().fit(X, y)),
    "KendallKMeans.score, y": ("y", lambda X, y: fitted(kmeans()).score(X, y)),
    "KendallKMeans, init": ("init", lambda X, y: wkendall.KendallKMeans(2, init=y).fit(X)),
}
for transformer in TRANSFORMERS:
    PAIRED |= {
        f"{transformer.__name__}.fit": ("y", lambda X, y, of=transformer: of().fit(X, y)),
        f"{transformer.__name__}.fit_transform": ("y", lambda X, y, of=transformer: of().fit_transform(X, y)),
        f"{transformer.__name__} in a pipeline": (
            "y",
            lambda X, y, of=transformer: make_pipeline(of(), Last()).fit(X, y),
        ),
    }
for learner in LEARNERS:
    PAIRED |= {
        f"{learner.__name__}.fit": ("y", lambda X, y, of=learner: of().fit(X, y)),
        f"{learner.__name__}.fit, weights": (
            "sample_weight",
            lambda X, y, of=learner: of().fit(X, Y, sample_weight=y + 1),
        ),
        f"{learner.__name__}.score": ("y", lambda X, y, of=learner: fitted(of()).score(X, y)),
        f"{learner.__name__}.score, weights": (
            "sample_weight",
            lambda X, y, of=learner: fitted(of()).score(X, Y, y + 1),
        ),
    }


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", PAIRED)
def test_rows_with_other_labels_are_refused(name):
    argument, work = PAIRED[name]
    first = {"corr": "data", "Rankings, mask": "the rankings"}.get(name, "X")
    frame = pd.DataFrame(X)
    for labels, row, one, other in [
        (range(11, -1, -1), 0, "0", "11"),
        ([0, 1, 3, 2, *range(4, 12)], 2, "2", "3"),
        (range(5, 17), 0, "0", "5"),
        ([*range(11), np.nan], 11, "11", "nan"),
        (list("abcdefghijkl"), 0, "0", "'a'"),
    ]:
        if name == "permutation_pvalue" and other == "'a'":
            work(frame, pd.Series(Y, index=labels))  # rankings of others, such as another system
            continue
        message = (
            rf"^row {row} is labelled {one} in {first} and {other}(\.0)? in {argument}, but rows are matched by position: "
            rf"give both the same index, or pass {argument} as an array$"
        )
        with pytest.raises(wkendall.RankingError, match=message) as raised:
            work(frame, pd.Series(Y, index=labels))
        assert (raised.value.argument, raised.value.row, raised.value.kind) == (argument, row, "rows differ")


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", PAIRED)
def test_rows_with_the_same_labels_or_none_are_taken(name):
    _, work = PAIRED[name]
    labels = [*"abcdefghijk", np.nan]
    work(pd.DataFrame(X, index=labels), pd.Series(Y, index=labels))
    work(pd.DataFrame(X, index=labels), Y)
    work(X, pd.Series(Y, index=labels))
    work(pd.DataFrame(X), pd.Series(Y, index=np.arange(12.0)))
    work(X, pl.Series(Y))
