"""Plots: their contents, not their appearance."""

import itertools
import subprocess
import sys
import warnings
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
import wkendall
from definitions import random_rankings
from sklearn.decomposition import KernelPCA

mpl.use("Agg")
import matplotlib.pyplot as plt
from wkendall.plotting import (
    plot_accuracies,
    plot_differences,
    plot_map,
    plot_matrix,
    plot_objective,
    plot_pairs,
    plot_position_scores,
    plot_rank_intervals,
    plot_ranks,
    plot_reduction_factors,
    plot_shares,
    plot_spectrum,
    plot_weights,
)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_weights_of_few_positions_are_written():
    U = np.array([[0.0, 0.5, -1.0], [0.25, 0.0, 0.1], [0.0, 0.0, -0.001]])
    ax = plot_weights(U, title="weights")
    np.testing.assert_array_equal(ax.images[0].get_array(), U)
    assert ax.images[0].get_clim() == (-1.0, 1.0)
    assert " ".join(text.get_text() for text in ax.texts) == "0.00 0.50 -1.00 0.25 0.00 0.10 0.00 0.00 0.00"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3"]
    assert ax.get_title() == "weights"
    assert not plot_weights(U, values=False).texts


def test_weights_of_single_positions():
    ax = plot_weights([1.0, 0.5])
    assert ax.images[0].get_array().shape == (1, 2)
    ax = plot_weights(np.arange(2000.0))
    ax.figure.draw_without_rendering()
    box = ax.get_window_extent()
    assert box.height > 0.2 * box.width
    ticks = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(one.x1 < other.x0 for one, other in pairwise(ticks))
    ax = plot_position_scores([1.0, 0.5])
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [1.0, 0.5])


def test_scores_of_positions_are_means():
    first, second = np.arange(5.0), np.arange(5.0) ** 2
    U = first[:, None] + second[None, :]
    np.fill_diagonal(U, 7.0)
    ax = plot_position_scores(U)
    off = ~np.eye(5, dtype=bool)
    for line, axis in zip(ax.lines, (1, 0), strict=False):
        np.testing.assert_allclose(line.get_ydata(), np.where(off, U, 0).sum(axis=axis) / 4)
    np.testing.assert_array_equal(ax.lines[2].get_ydata(), np.full(5, 7.0))


def test_a_given_axes_is_used():
    _, given = plt.subplots()
    assert plot_weights(np.eye(3), ax=given) is given
    assert plot_position_scores(np.eye(3), ax=given) is given


def test_the_path_of_the_objective():
    X = random_rankings(np.random.default_rng(0), 60, 4)
    model = wkendall.AlternatingClassifier(tol=1e-2).fit(X, X[:, 0] < 3)
    np.testing.assert_array_equal(plot_objective(model).lines[0].get_ydata(), model.objective_path_)
    model = wkendall.AlternatingClassifier(tol=1e-2).fit(X, X[:, 0])
    assert len(plot_objective(model).lines) == 4
    with pytest.raises(ValueError, match="has no objective_path_: fit an estimator first"):
        plot_objective(wkendall.AlternatingClassifier())


def test_without_matplotlib_it_says_what_to_install():
    code = """
import sys
sys.modules["matplotlib"] = None
import wkendall
try:
    wkendall.plotting.plot_weights([[0.0]])
except ImportError as error:
    print(error)
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "plots need matplotlib: pip install 'wkendall[plot]'"


def test_reduction_factors_are_drawn_for_each_rank():
    ax = plot_reduction_factors(6, k=4)
    drawn = {line.get_label().split(",")[0]: line.get_ydata() for line in ax.lines}
    np.testing.assert_array_equal(drawn["top-4"], [1, 1, 1, 1, 0, 0])
    np.testing.assert_allclose(drawn["hyperbolic"], [1 / (rank + 1) for rank in range(1, 7)])
    np.testing.assert_allclose(drawn["logarithmic"], [1 / np.log2(rank + 1) for rank in range(1, 7)])
    with pytest.raises(ValueError, match="n is 0"):
        plot_reduction_factors(0)


def test_accuracies_are_boxes_with_means_from_the_top():
    figure = plt.figure(figsize=(5.4, 1.5), layout="constrained")
    ax = plot_accuracies({"a": [0.5, 0.6, 0.9], "b": [0.4]}, {"b": 0.45, "c": 0.1}, ax=figure.add_subplot())
    named = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(named["mean"].get_xydata(), [[2 / 3, 2], [0.4, 1]])
    np.testing.assert_allclose(named["paper's mean"].get_xydata(), [[0.45, 1]])
    assert dict(zip(ax.get_yticks(), names(ax)[0], strict=True)) == {2: "a", 1: "b"}
    figure.draw_without_rendering()
    assert not ax.get_legend().get_window_extent().overlaps(ax.xaxis.label.get_window_extent())
    assert plot_accuracies({"a": [0.5]}).get_legend() is None


def test_differences_are_dots_with_intervals_from_the_top():
    ax = plot_differences({"a": (0.1, 0.05, 0.2), "b": (-0.1, -0.2, 0.05)}, {"b": 0.02, "c": 0.1})
    named = {line.get_label(): line.get_xydata().tolist() for line in ax.lines}
    assert named["difference"] == [[0.1, 2], [-0.1, 1]]
    assert named["paper's difference"] == [[0.02, 1]]
    (intervals,) = ax.collections
    assert [path.tolist() for path in intervals.get_segments()] == [[[0.05, 2], [0.2, 2]], [[-0.2, 1], [0.05, 1]]]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]
    assert len(ax.get_legend().get_texts()) == 2
    assert plot_differences({"a": (0.0, -1.0, 1.0)}).get_legend() is None


def test_matrix_in_the_order_of_a_tree():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 80))
    data = np.array([first, second, first, second, first, second]).T + 0.5 * rng.normal(size=(80, 6))
    K = wkendall.corr(data)
    K[0, 5] = K[5, 0] = np.nan
    ax = plot_matrix(K, labels=list("abcdef"), title="tau")
    order, columns = names(ax)
    assert {frozenset(order[:3]), frozenset(order[3:])} == {frozenset("ace"), frozenset("bdf")}
    assert order == columns
    places = ["abcdef".index(name) for name in order]
    shown = np.ma.filled(ax.images[0].get_array().astype(float), np.nan)
    np.testing.assert_array_equal(shown, K[np.ix_(places, places)])
    assert ax.images[0].get_clim() == (-1.0, 1.0)
    assert ax.get_title() == "tau"


def test_matrix_of_a_data_frame_and_of_two():
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(30, 4)), columns=list("wxyz"))
    ax = plot_matrix(wkendall.corr(frame), cluster=False)
    assert names(ax)[1] == list("wxyz")
    assert names(plot_matrix(wkendall.corr(frame, frame[["x", "z"]]))) == (list("wxyz"), ["x", "z"])
    ax = plot_matrix(wkendall.corr(frame), cluster=False, labels=list("abcd"))
    assert names(ax) == (list("abcd"), list("abcd"))
    ax = plot_matrix(np.full((3, 3), np.nan))
    assert ax.images[0].get_clim() == (0.0, 1.0)
    many = plot_matrix(np.eye(200))
    assert len(many.get_xticks()) <= 60


def test_matrices_with_values_and_marks():
    values = np.array([[1.0, -0.25, np.nan], [-0.25, 1.0, 0.5], [np.nan, 0.5, 1.0]])
    tested = np.array([[0.0, 0.2, np.nan], [0.2, 0.0, 0.01], [np.nan, 0.01, 0.0]])
    ax = plot_matrix(values, cluster=False, annotate=True, pvalues=tested, vmin=-1, vmax=1)
    assert ax.images[0].get_clim() == (-1, 1)
    found = {text.get_position(): text.get_text() for text in ax.texts}
    assert found == {
        (0, 0): "1.00", (1, 0): "-0.25", (0, 1): "-0.25", (1, 1): "1.00", (2, 1): "0.50*", (1, 2): "0.50*", (2, 2): "1.00",
    }  # fmt: skip
    assert not plot_matrix(values, cluster=False, pvalues=tested, level=0.005).texts
    two_tables = values + np.triu(np.ones((3, 3)), 1)  # not symmetric
    marked = plot_matrix(two_tables, pvalues=tested, level=0.005)
    assert {text.get_position() for text in marked.texts} == {(0, 0), (1, 1), (2, 2)}
    assert {text.get_text() for text in marked.texts} == {"*"}
    with pytest.raises(ValueError, match=r"pvalues has shape \(2, 2\), but matrix has \(3, 3\)"):
        plot_matrix(values, pvalues=tested[:2, :2])
    for options in ({"pvalues": True}, {"confidence": 0.95}):
        several = wkendall.corr(np.eye(5), **options)
        with pytest.raises(TypeError, match=r"^matrix is a Correlations, .*: pass its field \.statistic$"):
            plot_matrix(several)
    with pytest.raises(TypeError, match=r"^pvalues is a Correlations, .*: pass its field \.pvalue$"):
        plot_matrix(several.statistic, pvalues=several)


def names(ax):
    """The labels of the rows and of the columns."""
    return tuple([label.get_text() for label in axis.get_ticklabels()] for axis in (ax.yaxis, ax.xaxis))


def test_labels_of_a_square_matrix_of_two_tables():
    rng = np.random.default_rng(2)
    one, other = (pl.DataFrame(rng.normal(size=(30, 3)), schema=list(letters)) for letters in ("abc", "xyz"))
    both = wkendall.corr(one, other)
    numbers = ["0", "1", "2"]
    assert names(plot_matrix(both)) == (numbers, list("xyz"))
    assert names(plot_matrix(both, labels=one.columns)) == (list("abc"), list("xyz"))
    both_named = plot_matrix(both.to_numpy(), labels=list("abc"), column_labels=list("xyz"))
    assert names(both_named) == (list("abc"), list("xyz"))
    assert names(plot_matrix(both.to_numpy())) == (numbers, numbers)
    assert names(plot_matrix(wkendall.corr(one), cluster=False)) == (list("abc"), list("abc"))
    assert names(plot_matrix(wkendall.corr(one["a"], other["x"]))) == (["0"], ["x"])
    assert names(plot_matrix(wkendall.corr(one["a"]))) == (["a"], ["a"])
    framed = pd.DataFrame(both.to_numpy(), list("abc"), list("xyz"))
    assert names(plot_matrix(framed)) == (list("abc"), list("xyz"))
    assert names(plot_matrix(framed, labels=list("uvw"))) == (list("uvw"), list("xyz"))
    with pytest.raises(ValueError, match=r"^column_labels has 1 names, but matrix has 3 columns: each needs one"):
        plot_matrix(both, column_labels=["a"])


def test_pairs_are_bars_from_the_top():
    X = wkendall.Rankings([[1, 2, 3], [2, 1, 3]], items=["tea", "milk", "water"])
    found = wkendall.pair_importance(X, [2, -1])
    ax = plot_pairs(found, title="pairs")
    bars = sorted(ax.patches, key=lambda bar: -bar.get_y())
    assert [bar.get_width() for bar in bars] == found.effect.tolist() == [3.0, 1.0, 1.0]
    labels = dict(zip(ax.get_yticks(), names(ax)[0], strict=True))
    assert labels == {3: "tea before milk", 2: "tea before water", 1: "milk before water"}
    assert ax.get_title() == "pairs"


def test_differences_of_groups_are_dots_with_intervals():
    X = wkendall.datasets.make_mallows(40, 8, 0.3, rng=0)
    group = np.repeat(["old", "new"], 20)
    found = wkendall.pair_differences(wkendall.Rankings(X, items="abcdefgh"), group, n_permutations=99, rng=0)
    ax = plot_pairs(found, title="groups")
    dots = next(line for line in ax.lines if line.get_marker() == "o")
    assert dots.get_xdata().tolist() == found.difference[:20].tolist()
    assert [line[:, 0].tolist() for line in ax.collections[0].get_segments()] == [
        [low, high] for low, high in zip(found.low[:20], found.high[:20], strict=True)
    ]
    labels = dict(zip(ax.get_yticks(), names(ax)[0], strict=True))
    assert labels[20] == f"{found.first[0]} before {found.second[0]}"
    assert len(labels) == 20 < len(found.first)
    assert ax.get_xlabel() == "share of new minus share of old,\nwith simultaneous intervals"
    with pytest.raises(wkendall.RankingError, match="classes is for the result of pair_importance"):
        plot_pairs(found, classes=["new", "old"])
    with pytest.raises(TypeError, match="plot_pairs draws what pair_differences returns"):
        plot_differences(found)


def test_spectra_are_bars_of_shares():
    spectra = {name: wkendall.spectrum(wkendall.Kendall(signed=name == "signed"), 5) for name in ("plain", "signed")}
    ax = plot_spectrum(spectra, title="parts")
    widths = np.array([[bar.get_width() for bar in bars] for bars in ax.containers])
    np.testing.assert_allclose(widths, np.array([list(found.parts.values()) for found in spectra.values()]).T)
    np.testing.assert_allclose([bar.get_x() for bar in ax.containers[3]], widths[:3].sum(axis=0))
    assert dict(zip(ax.get_yticks(), names(ax)[0], strict=True)) == {2: "plain", 1: "signed"}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(spectra["plain"].parts)
    assert len(plot_spectrum(spectra["plain"]).containers[0]) == 1
    for wrong in (3, {"a": 3}):
        with pytest.raises(TypeError, match=r"^spectra must be what spectrum returns"):
            plot_spectrum(wrong)


def test_weights_are_labelled_with_names_of_items():
    ax = plot_weights(np.eye(3), items=["tea", "milk", "water"])
    assert names(ax) == (["tea", "milk", "water"],) * 2
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("second item", "first item")


@pytest.mark.parametrize(
    "kernel", [None, wkendall.Kendall("average"), wkendall.Kendall(signed=True, normalize=True), wkendall.Mallows(0.2)]
)
def test_a_map_has_the_principal_components_of_the_kernel(kernel):
    X = random_rankings(np.random.default_rng(0), 30, 5)
    ax = plot_map(X, groups=X[:, 0] < 3, kernel=kernel)
    drawn = np.empty((30, 2))
    for line, group in zip(ax.lines, (False, True), strict=True):
        drawn[(X[:, 0] < 3) == group] = line.get_xydata()
    wanted = KernelPCA(2, kernel="precomputed").fit_transform(wkendall.gram_matrix(X, kernel=kernel))
    for axis in range(2):
        sign = np.sign(drawn[:, axis] @ wanted[:, axis])
        np.testing.assert_allclose(drawn[:, axis], sign * wanted[:, axis], atol=1e-8)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["False", "True"]


@pytest.mark.parametrize("items", [4, 8])
def test_a_map_counts_people(items):
    X = random_rankings(
        np.random.default_rng(3), 700, items
    )  # few places, and more than all eigenvalues are computed for
    counts = 1 + np.arange(700) % 3
    counted, repeated = plot_map(wkendall.Rankings(X, counts=counts)), plot_map(np.repeat(X, counts, axis=0))
    assert counted.get_xlabel() == repeated.get_xlabel()
    assert counted.get_ylabel() == repeated.get_ylabel()
    found, wanted = np.repeat(counted.lines[0].get_xydata(), counts, axis=0), repeated.lines[0].get_xydata()
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    exact = KernelPCA(2, kernel="precomputed").fit_transform(wkendall.gram_matrix(np.repeat(X, counts, axis=0)))
    np.testing.assert_allclose(np.abs(wanted), np.abs(exact), atol=1e-6)
    tips = [sorted(text.xy for text in ax.texts if text.get_text()) for ax in (counted, repeated)]
    np.testing.assert_allclose(*tips, atol=1e-5)


def test_groups_of_a_map_do_not_hide_each_other():
    X = random_rankings(np.random.default_rng(4), 90, 3)
    ax = plot_map(X, groups=np.arange(90) % 3)
    shown = [line.get_transform().transform(line.get_xydata()) for line in ax.lines]
    places = [line.get_xydata() for line in ax.lines]
    for one, other in itertools.combinations(range(3), 2):
        same = np.isclose(places[one][:, None], places[other], atol=1e-9).all(axis=2)
        assert same.any()
        apart = np.linalg.norm(shown[one][:, None] - shown[other], axis=2)[same]
        assert apart.min() > 2
    alone = plot_map(X, groups=X[:, 0])
    assert all(line.get_transform() is alone.transData for line in alone.lines)


def test_arrows_of_a_map_point_to_where_items_are_preferred():
    X = random_rankings(np.random.default_rng(1), 200, 4).astype(float)
    X[:, 2] = np.where(np.arange(200) < 100, 0, 9)
    X[5, 1] = np.nan
    ax = plot_map(wkendall.Rankings(X, items="abcd", ties="mean", missing="bottom"))
    points = ax.lines[0].get_xydata()
    names = {text.get_text(): np.array(text.xy) for text in ax.texts if text.get_text()}
    assert set(names) == {"a", "b", "c", "d"}
    along = points @ (names["c"] / np.linalg.norm(names["c"]))
    assert along[:100].mean() > 0 > along[100:].mean()
    assert max(names, key=lambda name: np.linalg.norm(names[name])) == "c"


def assert_everything_is_inside(ax):
    """All points, tips of arrows and names are in the axes."""
    ax.figure.canvas.draw()
    frame = ax.get_window_extent()
    for line in ax.lines:
        assert all(frame.contains(*point) for point in ax.transData.transform(line.get_xydata()))
    for text in ax.texts:
        assert frame.contains(*ax.transData.transform(text.xy)), text.get_text()
        if text.get_text():
            box = text.get_bbox_patch().get_window_extent()
            assert frame.contains(box.x0, box.y0), text.get_text()
            assert frame.contains(box.x1, box.y1), text.get_text()


DISHES = ["shrimp", "sea eel", "tuna", "squid", "sea urchin", "salmon roe", "egg", "fatty tuna", "tuna roll"]


@pytest.mark.parametrize("size", [(6.4, 4.8), (3, 3), (4, 8), (12, 4)])
@pytest.mark.parametrize("seed", range(2))
def test_a_map_contains_all_items(seed, size):
    two = wkendall.datasets.make_mallows(40, [1, 2, 3, 4, 5, 6], 0.4, rng=5 + seed)
    other = wkendall.datasets.make_mallows(40, [6, 2, 3, 4, 5, 1], 0.4, rng=105 + seed)
    with plt.rc_context({"figure.figsize": size}):
        ax = plot_map(wkendall.Rankings(np.r_[two, other], items="abcdef"))
        assert len(ax.texts) == 12
        assert_everything_is_inside(ax)
        X = wkendall.datasets.make_mallows(300, 9, 0.15, rng=seed)
        ax = plot_map(wkendall.Rankings(X, items=DISHES), groups=X[:, 0] < 4, title="dishes")
        assert_everything_is_inside(ax)


def test_a_map_can_be_resized(caplog):
    X = wkendall.datasets.make_mallows(60, 9, 0.15, rng=0)
    ax = plot_map(wkendall.Rankings(X, items=DISHES))
    for size in [(12, 4), (4, 8), (6.4, 4.8)]:
        ax.figure.set_size_inches(size)
        ax.figure.canvas.draw()
        (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
        assert (right - left) / ax.bbox.width == pytest.approx((top - bottom) / ax.bbox.height)
    assert not caplog.records


def test_a_map_of_equal_rankings():
    assert_everything_is_inside(plot_map([[1, 2, 3]] * 3))


def item_names(ax):
    return {text.get_text() for text in ax.texts} - {""}


def test_a_map_has_the_names_of_the_rankings():
    frame = pd.DataFrame([[1, 2, 3], [2, 1, 3], [3, 1, 2]], columns=["tea", "milk", "water"])
    assert item_names(plot_map(frame)) == item_names(plot_map(wkendall.Rankings(frame))) == {"tea", "milk", "water"}
    assert item_names(plot_map(wkendall.from_lists([["tea", "milk"], ["water"], ["milk"]]))) == {"tea", "milk", "water"}
    assert item_names(plot_map(frame.to_numpy())) == {"0", "1", "2"}
    assert item_names(plot_map(np.empty((3, 0)))) == set()


def test_the_legend_of_a_map():
    groups = pd.Series(["warm", "hot", "cold"], name="weather")
    X = [[1, 2, 3], [2, 1, 3], [3, 1, 2]]

    def legend(groups):
        found = plot_map(X, groups=groups).get_legend()
        return found.get_title().get_text(), [text.get_text() for text in found.get_texts()]

    assert legend(groups) == ("weather", ["cold", "hot", "warm"])
    assert legend(groups.tolist()) == ("group", ["cold", "hot", "warm"])
    order = ["cold", "mild", "warm", "hot"]
    assert legend(groups.astype(pd.CategoricalDtype(order, ordered=True))) == ("weather", ["cold", "warm", "hot"])
    assert legend(pl.Series("weather", groups.tolist(), dtype=pl.Enum(order))) == ("weather", ["cold", "warm", "hot"])
    assert legend(groups.astype(pd.CategoricalDtype(order))) == ("weather", ["cold", "hot", "warm"])
    for absent in (None, np.nan, pd.NA):
        with pytest.raises(
            wkendall.RankingError, match=r"^groups\[1\] is .*: every ranking needs a group; .* groups\[mask\]$"
        ) as caught:
            plot_map(X, groups=pd.Series(["warm", absent, "cold"], dtype=object))
        assert (caught.value.argument, caught.value.row, caught.value.kind) == ("groups", 1, "nan")
    with pytest.raises(
        wkendall.RankingError, match=r"^groups\[1\] is nan: every ranking needs a group; .* groups\[mask\]$"
    ):
        plot_map(X, groups=[1.0, np.nan, 2.0])


def test_groups_of_a_map_are_matched_by_row():
    frame = pd.DataFrame([[1, 2, 3], [2, 1, 3], [3, 1, 2]], index=["ann", "bob", "cem"])
    groups = pd.Series([0, 1, 1], index=["ann", "bob", "cem"])
    for X in (frame, wkendall.Rankings(frame)):
        assert len(plot_map(X, groups=groups).lines) == 2
        with pytest.raises(wkendall.RankingError) as caught:
            plot_map(X, groups=groups[::-1])
        assert (caught.value.argument, caught.value.row, caught.value.kind) == ("groups", 0, "rows differ")
        assert len(plot_map(X, groups=groups[::-1].to_numpy()).lines) == 2


@pytest.mark.parametrize("plot", [plot_weights, plot_position_scores])
def test_bad_weights_are_refused(plot):
    with pytest.raises(ValueError, match=r"U has shape \(2, 3\), but must be square"):
        plot(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="U"):
        plot(np.zeros((2, 2, 2)))


def names_of_rows(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_ranks_and_shares_are_drawn_best_first():
    votes = wkendall.Rankings([[2, 1, 3], [3, 1, 2], [2, 1, 3], [1, 3, 2]], items=["tea", "milk", "beer"])
    found = votes.describe()
    ax = plot_ranks(votes, title="votes")
    assert names_of_rows(ax) == ["milk", "tea", "beer"]
    np.testing.assert_array_equal(ax.images[0].get_array(), found.ranks[[1, 0, 2]] / 4)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), found.mean[[1, 0, 2]] - 1)
    ax = plot_shares(found)
    assert names_of_rows(ax) == [label.get_text() for label in ax.get_xticklabels()] == ["milk", "tea", "beer"]
    assert sorted(text.get_text() for text in ax.texts) == ["0.25"] * 3 + ["0.75"] * 3
    ax = plot_ranks(votes.describe(by=list("aabb")))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]


def test_missing_items_and_large_catalogues_are_drawn():
    lists = wkendall.from_lists([["b", "a"], ["a"], ["b", "c"]], items=[*"abc", *range(200)])
    ax = plot_ranks(lists)
    assert len(names_of_rows(ax)) == 100
    assert [text.get_text() for text in ax.texts[:3]] == ["33%", "33%", "67%"]
    assert ax.get_xticklabels()[-1].get_text() == "missing"
    assert plot_shares(lists).images[0].get_array().shape == (100, 100)


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (3, 0)])
def test_nothing_to_draw(shape):
    rankings = wkendall.Rankings(np.tile(np.arange(1, shape[1] + 1), (shape[0], 1)).reshape(shape))
    for draw in (plot_ranks, plot_shares):
        draw(rankings).figure.canvas.draw()
    plot_rank_intervals(wkendall.rank_intervals(np.zeros((1, shape[1])))).figure.canvas.draw()


def test_intervals_of_ranks():
    scores = pd.DataFrame(np.array([[3, 2, 2, 0]] * 10 + [[2, 3, 2, 0]] * 10), columns=[*"abcd"])
    found = wkendall.rank_intervals(scores, rng=0)
    ax = plot_rank_intervals(found, title="board")
    assert names_of_rows(ax) == ["a", "b", "c", "d"]
    spans = [tuple(segment[:, 0]) for segment in ax.collections[0].get_segments()]
    assert spans == list(zip(found.low, found.high, strict=True))
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["neighbours told apart", "not told apart"]
    with pytest.raises(TypeError, match="rank_intervals"):
        plot_rank_intervals([1, 2])


@pytest.mark.parametrize("draw", [plot_map, plot_ranks, plot_shares])
def test_dollar_signs_in_names_are_no_formula(draw):
    votes = wkendall.Rankings([[1, 2, 3], [2, 1, 3], [3, 1, 2]], items=["$5 bill$^", "b", "c"])
    figure = draw(votes).figure
    figure.canvas.draw()  # a wrong formula would fail here
    texts = [text.get_text() for text in figure.findobj(plt.Text)]
    assert r"\$5 bill\$^" in texts


def assert_no_name_hides_another(ax):
    """Names do not overlap, all are there, and each is inside; so are all arrows."""
    assert_everything_is_inside(ax)
    texts = [text for text in ax.texts if text.get_text()]
    boxes = [text.get_window_extent() for text in texts]
    for number, box in enumerate(boxes):
        for other in boxes[:number]:
            assert min(box.x1, other.x1) <= max(box.x0, other.x0) or min(box.y1, other.y1) <= max(box.y0, other.y0)
    return [text.get_text() for text in texts]


LONG = [
    "The Lord of the Rings: The Return of the King (extended edition)",
    "x" * 70,
    *(f"a long name {i}" for i in range(28)),
]


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize(("names", "alike"), [(LONG, False), (LONG, True), (DISHES, False), (LONG[:3], True)])
def test_no_arrow_and_no_name_of_a_map_is_lost(names, alike, given):
    n = len(names)
    X = wkendall.datasets.make_mallows(60, n, 0.1, rng=0)
    if alike:  # two groups that disagree: all arrows lie along one line
        X = np.r_[
            wkendall.datasets.make_mallows(30, n, 1.0, rng=1), n + 1 - wkendall.datasets.make_mallows(30, n, 1.0, rng=2)
        ]
    ax = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")[1][0] if given else None
    found = assert_no_name_hides_another(plot_map(wkendall.Rankings(X, items=names), groups=X[:, 0] < n / 2, ax=ax))
    assert len(set(found)) == n
    if not given:
        assert [name for name in found if name in names] == [name for name in names if len(name) <= 40]


def test_a_map_of_many_items_groups_and_rankings():
    X = wkendall.datasets.make_mallows(60, 130, 0.02, rng=0)
    ax = plot_map(X)
    assert len(assert_no_name_hides_another(ax)) == 40
    assert ax.figure.get_size_inches()[1] < 6
    Y = wkendall.datasets.make_mallows(2000, 4, 0.3, rng=0)
    regions = [f"region {row % 50} with a long name" for row in range(2000)]
    ax = plot_map(Y, groups=pd.Series(regions, name="region"))
    assert len({(line.get_color(), line.get_marker()) for line in ax.lines}) == 50
    assert all(line.get_alpha() < 0.3 for line in ax.lines)
    assert_no_name_hides_another(ax)
    frame, legend = ax.get_window_extent(), ax.get_legend().get_window_extent()
    assert frame.y0 <= legend.y0
    assert legend.x1 <= frame.x1
    points = np.concatenate([ax.transData.transform(line.get_xydata()) for line in ax.lines])
    assert points[:, 0].max() <= legend.x0
    assert plot_map(Y[:40]).lines[0].get_alpha() > 0.6


def test_the_legend_of_reduction_factors_is_above_the_lines_and_each_rank_has_a_tick():
    ax = plot_reduction_factors(30)
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1
    assert names(ax)[1] == [str(rank) for rank in range(1, 31)]
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
    assert plot_reduction_factors(1000).get_xticks().tolist() == [1, *range(100, 1001, 100)]
    assert plot_position_scores([1.0, 0.5, 0.2]).get_xticks().tolist() == [1, 2, 3]


def test_classes_are_named():
    B, labels = np.eye(3), np.array(["no", "yes"])
    ax = plot_weights(B, items="abc", classes=labels)
    assert ax.figure.axes[-1].get_ylabel() == "red speaks for yes\nblue speaks for no"
    found = wkendall.pair_importance([[1, 2, 3], [2, 1, 3]], [2, -1])
    assert plot_pairs(found).get_xlabel() == "effect: change of the decision function"
    assert plot_pairs(found, classes=labels).get_xlabel().startswith("effect: evidence for yes against no")
    with pytest.raises(wkendall.RankingError, match="classes is 'yes', but must be the two labels"):
        plot_pairs(found, classes="yes")
    with pytest.raises(wkendall.RankingError, match="classes, but without items"):
        plot_weights(B, classes=labels)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("count", [2, 45])
def test_long_names_leave_room_for_the_plot(count):
    """matplotlib warns when names leave no room; names of rows must not overlap."""
    long = [f"{number} is the number of an item with a very long name that does not fit" for number in range(count)]
    votes = wkendall.Rankings(wkendall.datasets.make_mallows(40, count, 0.1, rng=0), items=long)
    pairs = wkendall.pair_importance(votes, np.ones(40), n_pairs=count)
    for draw in (
        lambda **how: plot_ranks(votes.describe(by=[f"a long name of group {row % 3}" for row in range(40)]), **how),
        lambda **how: plot_shares(votes, **how),
        lambda **how: plot_pairs(pairs, **how),
        lambda **how: plot_weights(np.eye(count), items=long, **how),
        lambda **how: plot_matrix(np.eye(count), labels=long, **how),
        lambda **how: plot_accuracies({name: [0.5, 0.6] for name in long}, **how),
    ):
        for ax in (None, plt.subplots(figsize=(4, 3), layout="constrained")[1]):
            drawn = draw() if ax is None else draw(ax=ax)
            drawn.figure.canvas.draw()
            assert drawn.get_window_extent().width > 60
            boxes = sorted((label.get_window_extent() for label in drawn.get_yticklabels()), key=lambda box: box.y0)
            for below, above in pairwise(boxes):
                assert below.y1 <= above.y0 + (2.0 if ax is None else 4.0)
            if ax is None:
                assert all(box.x0 >= -1 for box in boxes)
        plt.close("all")


def test_means_of_many_groups_are_a_line():
    X = wkendall.datasets.make_mallows(100, 4, 0.5, rng=0)
    found = wkendall.Rankings(X).describe(by=np.arange(100) % 50)
    ax = plot_ranks(found)
    means = np.array([group.mean for group in found.groups.values()])[:, found.order] - 1
    (lines,) = ax.collections
    assert [segment[:, 0].tolist() for segment in lines.get_segments()] == [[x.min(), x.max()] for x in means.T]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["all", "means of 50 groups, lowest to highest"]


@pytest.mark.filterwarnings("error")
def test_names_in_other_scripts_take_another_font():
    """A font without Cyrillic letters stands for a usual font without Chinese ones."""
    votes = wkendall.Rankings([[1, 2], [2, 1], [1, 2]], items=["суши", "tea"])
    with plt.rc_context({"font.family": ["cmr10"], "axes.formatter.use_mathtext": True}):
        for draw in (plot_ranks, plot_shares, plot_map):
            ax = draw(votes)
            ax.figure.canvas.draw()
            assert any(
                "DejaVu Sans" in text.get_fontfamily() for text in ax.findobj(plt.Text) if text.get_text() == "суши"
            )


def test_letters_that_no_font_has_are_named_once(monkeypatch):
    monkeypatch.setattr(wkendall.plotting.fonts, "_TOLD", set())
    votes = wkendall.Rankings([[1, 2], [2, 1]], items=["\U0001e100\U0001e101", "tea"])
    with pytest.warns(UserWarning, match="no installed font has the letter") as caught:
        plot_ranks(votes)
    assert len(caught) == 1
    with warnings.catch_warnings(action="error"):
        plot_shares(votes)
