"""Comparisons that people publish, against published numbers, scipy and, with weights of items, definitions.

tests/rust compares all of them with definitions; here: what Python adds, and which are kernels, distances and metrics.
"""

import csv
import gzip
import pickle
from dataclasses import dataclass
from itertools import permutations

import comparisons as by
import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from paths import SHARED
from scipy.stats import spearmanr, weightedtau

NAN = np.nan
RBO_CASES = SHARED / "data/rbo/cases.csv.gz"


# Parameters for n items.


def tau_parameters(n, rng):
    ranks = [True, None, False, rng.permutation(n), rng.integers(0, 3, n)]
    weighers = ["hyperbolic", rng.uniform(0, 2, n), lambda r: 1 / (r + 2) ** 2]
    return [
        {},
        {"rank": ranks[n % 5], "weigher": weighers[n % 3], "additive": n % 2 == 0},
        {"rank": ranks[(n + 2) % 5], "weigher": weighers[(n + 1) % 3], "additive": n % 2 == 1},
    ]


def correlation_parameters(n, rng):
    top, u = [{"weight": "top", "k": (n + 1) // 2}] if n else [], rng.uniform(0, 1, n)
    return [{}, {"weight": "average"}, *top, {"weight": "add", "u": "log"}, {"weight": "mult", "u": u}]


def rbo_parameters(n, rng):
    p = [0.9, 0.5, 0.99, 0.1][n % 4]
    values = [{"p": p, "value": v, "ties": "wab"[(n + i) % 3]} for i, v in enumerate(("ext", "min", "max", "res"))]
    return [{}, *values, *(values[i] | item_parameters(n, rng)[1] for i in (0, 1))]


def concordance_parameters(n, rng):
    w, pair = rng.standard_normal((n, n)), (rng.uniform(0, 1, n), rng.standard_normal(n))
    return [{"w": w}, {"w": w, "side": "both"}, {"w": pair, "side": "first"}, {"w": pair, "side": "both"}]


def generalized_parameters(n, rng):
    v, costs = rng.uniform(0, 1, n), rng.uniform(0, 1, n)
    return [{}, {"item_weights": v}, {"position_costs": costs}, {"item_weights": v, "position_costs": costs}]


def swap_parameters(n, rng):
    costs = np.sort(rng.uniform(0, 1, max(n - 1, 0)))[::-1]
    return [{"costs": np.ones(max(n - 1, 0))}, {"costs": costs}, {"costs": np.round(costs)}]


def item_parameters(n, rng):
    return [{}, {"item_weight": rng.uniform(0, 2, n) * (rng.random(n) < 0.8)}]


def overlap_parameters(n, rng):
    depth = {"depth": (n + 1) // 2} if n else {}
    return [{}, depth, *(depth | items for items in item_parameters(n, rng))]


def fagin_parameters(n, rng):
    return [{}, {"p": 0.0}, {"p": 1.0}, *({"p": 0.3} | items for items in item_parameters(n, rng))]


@dataclass(frozen=True)
class Comparison:
    name: str
    parameters: object = lambda n, rng: [{}]
    #: What it compares besides complete rankings without ties: "ties", "lists", and "tied lists", lists with ties.
    takes: frozenset = frozenset({"ties", "lists", "tied lists"})
    kernel: bool = False
    distance: bool = False
    #: Its definition, if it takes weights of items, and how that reads a row, in which NaN is not listed.
    definition: object = None
    read: object = by.groups

    def __str__(self):
        return self.name

    def measure(self, **parameters):
        """The measure of the package."""
        return getattr(wkendall, self.name)(**parameters)

    def matrix(self, X, Y, **parameters):
        """The matrix by the definition."""
        values = [self.definition(self.read(x), self.read(y), **parameters) for x in X for y in Y]
        return np.array(values, dtype=float).reshape(len(X), len(Y))


NONE, TIES, LISTS = frozenset(), frozenset({"ties"}), frozenset({"lists"})
COMPARISONS = [
    Comparison("KendallCorrelation", correlation_parameters, kernel=True),
    Comparison("WeightedTau", tau_parameters, TIES),
    Comparison("WeightedConcordance", concordance_parameters, NONE),
    Comparison("APCorrelation", lambda n, rng: [{}, {"symmetric": True}], TIES),
    Comparison("GeneralizedKendall", generalized_parameters, NONE, distance=True),
    Comparison("SwapDistance", swap_parameters, NONE, distance=True),
    Comparison("RankBiasedOverlap", rbo_parameters, definition=by.rank_biased_overlap),
    Comparison("AverageOverlap", overlap_parameters, kernel=True, definition=by.average_overlap, read=list),
    Comparison("Footrule", item_parameters, distance=True, definition=by.footrule),
    Comparison("SpearmanRho", kernel=True),
    Comparison("KemenySnell", item_parameters, distance=True, definition=by.kemeny_snell, read=by.at_the_end),
    Comparison("TauX", kernel=True),
    Comparison("FaginKendall", fagin_parameters, LISTS, distance=True, definition=by.fagin_kendall),
    Comparison("Kendall", kernel=True),
]
BY = {comparison.name: comparison for comparison in COMPARISONS}


@pytest.fixture(params=COMPARISONS, ids=str)
def comparison(request):
    return request.param


def id_of(value):
    return value if isinstance(value, str) else ""


def random_cases(kind, rng, m, n):
    """Rows of ranks: complete, with ties, lists (NaN is not listed) or lists with ties."""
    rows = random_rankings(rng, m, n).astype(float)
    if "tie" in kind:
        levels = rng.integers(1, n + 1, m) if n else np.ones(m)
        rows = np.ceil(rows * levels[:, np.newaxis] / max(n, 1))
        rows[:1] = 1.0
    if "lists" in kind:
        lengths = rng.integers(0, n + 1, m)
        lengths[-1:] = 0
        keep = np.argsort(np.argsort(rng.random((m, n)), axis=1), axis=1) < lengths[:, np.newaxis]
        rows = np.where(keep, rows, NAN)
    return rows


def as_rankings(kind, rows):
    if "lists" not in kind:
        return wkendall.Rankings(rows, ties="mean" if kind == "ties" else "error")
    lists = [[set(group) for group in by.groups(row)] for row in rows]
    return wkendall.from_lists(lists, items=range(rows.shape[1]))


KINDS = ["complete", "ties", "lists", "tied lists"]


def skip_what_is_not_taken(comparison, kind):
    if kind != "complete" and kind not in comparison.takes:
        pytest.skip(f"{comparison} does not take {kind}")


# Published values.


def read_list(text):
    """The list of a text such as "a (b c) d"."""
    found, tied = [], False
    for word in text.split():
        if not tied:
            found.append([])
        found[-1].append(word.strip("()"))
        tied = word.startswith("(") or (tied and not word.endswith(")"))
    return found


@pytest.fixture(scope="module")
def rbo_cases():
    if not RBO_CASES.exists():
        pytest.skip(f"no {RBO_CASES}")
    with gzip.open(RBO_CASES, "rt") as file:
        return list(csv.DictReader(file))


def all_overlaps(x, y, p, ties):
    """The four values of rank-biased overlap of two texts."""
    rankings = wkendall.from_lists([[set(group) for group in read_list(text)] for text in (x, y)])
    measures = (wkendall.RankBiasedOverlap(p, value=value, ties=ties) for value in ("ext", "min", "max", "res"))
    return [measure(rankings[:1], rankings[1:])[0, 0] for measure in measures]


def test_rbo_of_published_cases(rbo_cases):
    """The values that Corsi and Urbano published, SIGIR 2024."""
    assert len(rbo_cases) == 5000
    for case in rbo_cases:
        for ties in "wab":
            wanted = [float(case[f"{ties}.{value}"]) for value in ("ext", "min", "max", "res")]
            found = all_overlaps(case["x"], case["y"], float(case["p"]), ties)
            assert found == pytest.approx(wanted, abs=1e-12), case


@pytest.mark.parametrize(
    ("ties", "wanted"),
    [
        ("a", [0.6922853, 0.3310519, 0.8930692, 0.5620173]),
        ("w", [0.7068257, 0.3429684, 0.9049857, 0.5620173]),
        ("b", [0.7207131, 0.3509163, 0.9129336, 0.5620173]),
    ],
)
def test_rbo_of_a_readme(ties, wanted):
    """The example of github.com/julian-urbano/sigir2024-rbo."""
    found = all_overlaps("red (blue green) yellow pink", "(blue red) white (yellow black purple) green", 0.95, ties)
    assert found == pytest.approx(wanted, abs=6e-8)


#: Scores and values of the tests of github.com/julian-urbano/ircor: x, y, the same with ties; tau_AP, tau_AP,a with ties
#: in y, symmetric tau_AP, tau_AP,b with ties in both.
AP_CASES = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
        [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
        (0.8519, 0.7454, 0.8333, 0.7321),
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
        [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
        (0.2504, 0.2692, 0.2880, 0.297),
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
        (-0.6971, -0.5558, -0.668, -0.7047),
    ),
]


def test_ap_of_published_cases():
    def value(x, y, symmetric):
        read = [wkendall.Rankings([row], input="scores", ties="mean") for row in (x, y)]
        return wkendall.APCorrelation(symmetric=symmetric)(*read)[0, 0]

    for x, y, tied_x, tied_y, wanted in AP_CASES:
        found = [value(x, y, False), value(x, tied_y, False), value(x, y, True), value(tied_x, tied_y, True)]
        assert found == pytest.approx(wanted, abs=6e-5)
        assert value(tied_y, tied_x, True) == pytest.approx(found[3], abs=1e-15)


@pytest.mark.parametrize("kind", ["complete", "ties"])
@pytest.mark.parametrize("n", range(2, 14))
def test_tau_and_rho_of_scipy(n, kind):
    rng = np.random.default_rng(n)
    X = random_cases(kind, rng, 5, n)[1:]
    x = as_rankings(kind, X)
    rho = [[spearmanr(s, t).statistic if np.ptp(s) and np.ptp(t) else 0 for t in X] for s in X]
    np.testing.assert_allclose(wkendall.SpearmanRho()(x), rho, rtol=0, atol=1e-13)
    for rank in (True, None, False, rng.permutation(n), rng.integers(0, 3, n)):
        for weigher in ("hyperbolic", lambda r: 1 / (r + 2) ** 2, lambda r: 1):
            for additive in (True, False):
                given = None if weigher == "hyperbolic" else weigher
                taus = [[weightedtau(-s, -t, rank, given, additive).statistic for t in X] for s in X]
                found = wkendall.WeightedTau(rank=rank, weigher=weigher, additive=additive)(x)
                np.testing.assert_allclose(found, np.nan_to_num(taus), rtol=0, atol=1e-12)


@pytest.mark.parametrize("measure", [wkendall.APCorrelation(), wkendall.AverageOverlap(), wkendall.RankBiasedOverlap()])
def test_means_over_orders(measure):
    """With ties: over the orders that agree, of both rankings."""
    rng = np.random.default_rng(0)
    for n in range(2, 6):
        x = random_cases("ties", rng, 4, n)
        found = measure(as_rankings("ties", x))
        for s, t in np.ndindex(4, 4):
            wanted = measure(list(by.orders(x[s])), list(by.orders(x[t]))).mean()
            assert found[s, t] == pytest.approx(wanted, abs=1e-12)


def test_special_cases():
    """Without weights these are the Kendall distance; tau_x, Kemeny-Snell and tau are one thing without ties."""
    rng = np.random.default_rng(4)
    for n in range(2, 9):
        X = random_rankings(rng, 5, n)
        D = wkendall.distance_matrix(X)
        for measure in (wkendall.GeneralizedKendall(), wkendall.SwapDistance([1] * (n - 1)), wkendall.FaginKendall()):
            np.testing.assert_array_equal(measure(X), D)
        np.testing.assert_array_equal(wkendall.KemenySnell()(X), 2 * D)
        np.testing.assert_allclose(wkendall.TauX()(X), 1 - 4 * D / (n * (n - 1)), rtol=0, atol=1e-15)
    # Both items are in one list only: p. An item of each list only: 1. Fagin et al. 2003.
    x = wkendall.from_lists([["a", "b"], ["c", "d"], ["b"]])
    np.testing.assert_array_equal(wkendall.FaginKendall(0.25)(x)[0], [0, 4 + 2 * 0.25, 1])
    assert wkendall.Footrule()(x)[0, 2] == 2
    # Both forms of w.
    first, second, X = rng.random(5), rng.random(5), random_rankings(rng, 4, 5)
    one, other = (wkendall.WeightedConcordance(w)(X) for w in ((first, second), np.outer(first, second)))
    np.testing.assert_allclose(one, other, rtol=1e-13)


# All of them.


@pytest.mark.parametrize("kind", KINDS)
def test_values(comparison, kind):
    """By definition with weights of items, and the same in every form of the rankings."""
    skip_what_is_not_taken(comparison, kind)
    rng = np.random.default_rng(5)
    for n in (*range(13), 17, 25, 40):
        rows = random_cases(kind, rng, 5, n)
        rankings = as_rankings(kind, rows)
        X, Y = rankings[:3], rankings[2:]
        for parameters in comparison.parameters(n, rng):
            measure = comparison.measure(**parameters)
            found = measure(X, Y)
            size = 1e-12 * max(1.0, np.abs(found).max())
            if "item_weight" in parameters:
                wanted = comparison.matrix(rows[:3], rows[2:], **parameters)
                np.testing.assert_allclose(found, wanted, rtol=0, atol=size, err_msg=f"{n} {parameters}")
            np.testing.assert_array_equal(wkendall.similarity_matrix(X, Y, measure), found)
            np.testing.assert_allclose(measure(X)[:, 2], found[:, 0], rtol=1e-12, atol=size)
            if kind == "complete":
                assert measure(rows[0], rows[3]) == pytest.approx(found[0, 1], rel=1e-12, abs=size)
            elif "lists" in kind and "ties" in comparison.takes:
                dense = wkendall.Rankings(rows, ties="mean", missing="bottom")
                np.testing.assert_allclose(measure(dense[:3], dense[2:]), found, rtol=1e-12, atol=size)


def test_what_measures_say_of_themselves(comparison):
    for parameters in comparison.parameters(5, np.random.default_rng(8)):
        measure = comparison.measure(**parameters)
        assert measure.is_distance == comparison.distance
        if not any(comparison.name == name for name, *_ in NOT_POSITIVE):  # see below
            assert measure.is_kernel == comparison.kernel
        assert comparison.takes & {"ties", "lists"} <= measure.takes
        for kind in ("ties", "lists"):  # what it says that it takes is computed, the rest is refused
            given = as_rankings(kind, random_cases(kind, np.random.default_rng(3), 4, 5))
            if kind in measure.takes:
                assert measure(given).shape == (4, 4)
            else:
                with pytest.raises(wkendall.RankingError):
                    measure(given)


@pytest.mark.parametrize("name", ["AverageOverlap", "RankBiasedOverlap", "Footrule", "FaginKendall"])
def test_lists_that_differ_by_the_last_item(name, tmp_path):
    """The same for lists, rows with NaN, pickles, one row, items in another order, neighbours and files."""
    rows = np.array([[1, 2, NAN], [1, 2, 3], [3, 1, 2]])
    comparison = BY[name]
    parameters = comparison.parameters(3, np.random.default_rng(0))[0]
    measure, wanted = comparison.measure(**parameters), comparison.matrix(rows, rows, **parameters)
    dense, lists = wkendall.Rankings(rows, missing="bottom", items=list("abc")), as_rankings("lists", rows)
    for x in (dense, lists):
        found = measure(x)
        np.testing.assert_allclose(found, wanted, atol=1e-15)
        np.testing.assert_array_equal(measure(pickle.loads(pickle.dumps(x))), found)
        assert measure(x[0], x[1])[0, 0] == found[0, 1]
        assert len(x.distinct()) == 3
        near = wkendall.neighbors(x, measure=measure, n_neighbors=2)
        np.testing.assert_array_equal(near.values, np.take_along_axis(found, near.indices, axis=1))
    turned = wkendall.Rankings(rows[:, ::-1], missing="bottom", items=list("cba"))
    np.testing.assert_allclose(measure(dense, turned), wanted, atol=1e-15)
    if measure.is_kernel:
        np.testing.assert_array_equal(
            wkendall.gram_to_file(tmp_path / "matrix.npy", dense, kernel=measure), measure(dense)
        )


def test_ties_and_lists_where_none_are_taken(comparison):
    rng = np.random.default_rng(9)
    measure = comparison.measure(**comparison.parameters(4, rng)[0])
    for kind in {"ties", "lists", "tied lists"} - comparison.takes if comparison.takes <= LISTS else ():
        with pytest.raises(wkendall.RankingError, match=r"tie|list|complete|missing") as caught:
            measure(as_rankings(kind, random_cases(kind, rng, 4, 4)))
        assert "\n" not in str(caught.value)


ONES, SQUARE = np.ones(4), np.ones((4, 4))
#: Measures for four items: the class, the name of a parameter, wrong values of it, other parameters.
BAD = [
    ("RankBiasedOverlap", "p", [0, 1, -0.1, 1.5, NAN, np.inf, "0.9", None], {}),
    ("RankBiasedOverlap", "value", ["mean", None, 1], {}),
    ("RankBiasedOverlap", "ties", ["c", "mean", None], {}),
    ("AverageOverlap", "depth", [0, -1, 2.5, "3", True], {}),
    ("FaginKendall", "p", [-0.1, 1.1, NAN, "half"], {}),
    ("SwapDistance", "costs", [[1, 2, 1], [1, 1], ONES, [1, 0, -1], [NAN] * 3, "log", 1], {}),
    ("WeightedConcordance", "w", [np.ones((3, 3)), ONES, (ONES, ONES[1:]), NAN * SQUARE, "log"], {}),
    ("WeightedConcordance", "side", ["second", None], {"w": SQUARE}),
    ("GeneralizedKendall", "item_weights", [ONES[1:], -ONES, NAN * ONES, "idf"], {}),
    ("GeneralizedKendall", "position_costs", [ONES[1:], -ONES, NAN * ONES, "log"], {}),
    ("WeightedTau", "weigher", ["steep", ONES[1:], -ONES, NAN * ONES, lambda r: -1.0, lambda r: ""], {}),
    ("WeightedTau", "rank", [[0, 1, 2], "ranks", [0, 1, 2, NAN]], {}),
    ("WeightedTau", "additive", ["no"], {}),
    ("APCorrelation", "symmetric", ["no"], {}),
    *(
        (name, "item_weight", [ONES[1:], -ONES, NAN * ONES, "idf"], {})
        for name in ("AverageOverlap", "RankBiasedOverlap", "Footrule", "KemenySnell")
    ),
    *(("RankBiasedOverlap", "item_weight", [ONES], {"value": value}) for value in ("max", "res")),
]


@pytest.mark.parametrize(("name", "argument", "values", "others"), BAD, ids=id_of)
def test_bad_parameters(name, argument, values, others):
    for value in values:
        measure = BY[name].measure(**{argument: value}, **others)
        with pytest.raises((wkendall.RankingError, TypeError), match=rf"\b{argument}\b") as caught:
            measure(np.array([[1, 2, 3, 4], [2, 1, 4, 3]]))
        assert "\n" not in str(caught.value)
        assert getattr(caught.value, "argument", argument) == argument


# Kernels.

#: Parameters of measures that are positive definite for complete rankings, ties and lists.
POSITIVE = [
    ("KendallCorrelation", {}),
    ("AverageOverlap", {}),
    ("AverageOverlap", {"depth": 3}),
    ("AverageOverlap", {"item_weight": [1, 0, 2, 0.5]}),
    ("SpearmanRho", {}),
    ("TauX", {}),
    *(("RankBiasedOverlap", {"p": p, "value": "min", "ties": ties}) for p in (0.9, 0.3) for ties in "wab"),
    *(("RankBiasedOverlap", {"value": "min", "ties": ties, "item_weight": [1, 0, 2, 0.5]}) for ties in "wab"),
    *(("WeightedTau", {"rank": rank, "additive": a}) for rank in (False, [2, 0, 1, 1]) for a in (True, False)),
    ("Kendall", {"weight": "later", "u": "ap"}),
    ("Kendall", {"weight": "later", "u": "log", "signed": True}),
    ("Kendall", {"item_weight": [1, 0, 2, 0.5], "weight": "mult", "u": "log"}),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "parameters"), POSITIVE, ids=id_of)
def test_kernels(name, parameters, kind):
    skip_what_is_not_taken(BY[name], kind)
    measure = BY[name].measure(**parameters)
    assert measure.is_kernel
    rng = np.random.default_rng(11)
    for n in (4,) if "item_weight" in parameters or "rank" in parameters else (3, 4, 6, 9):
        for _ in range(20):
            K = wkendall.gram_matrix(as_rankings(kind, random_cases(kind, rng, 40, n)), kernel=measure)
            values = np.linalg.eigvalsh(K)
            assert values[0] >= -1e-10 * values[-1]


def all_rankings(n):
    return np.array(list(permutations(range(1, n + 1))), dtype=float)


def all_lists(n, longest):
    """All lists of 1 to `longest` items out of n."""
    orders = [order for k in range(1, longest + 1) for order in permutations(range(n), k)]
    rows = [{item: rank for rank, item in enumerate(order, 1)} for order in orders]
    return np.array([[row.get(item, NAN) for item in range(n)] for row in rows])


def matrix(measure, rows):
    """The matrix of all rows, in which NaN is not listed."""
    return measure(as_rankings("lists" if np.isnan(rows).any() else "complete", rows))


#: Measures that are not positive definite, a set of rankings that shows it, and the least eigenvalue of their matrix.
NOT_POSITIVE = [
    ("KendallCorrelation", {"weight": "top", "k": 3}, all_rankings(4), -16 / 3),
    ("KendallCorrelation", {"weight": "add", "u": "log"}, all_rankings(3), -0.0611),
    ("KendallCorrelation", {"weight": "mult", "u": "hyperbolic"}, all_rankings(3), -0.1978),
    ("KendallCorrelation", {"weight": "average"}, all_rankings(3), -1 / 3),
    ("WeightedTau", {}, all_rankings(3), -0.0359),
    ("WeightedTau", {"additive": False}, all_rankings(3), -0.1196),
    ("WeightedConcordance", {"w": np.eye(3, k=1) * [[1], [0], [0]], "side": "both"}, all_rankings(3), -1),
    ("APCorrelation", {"symmetric": True}, all_rankings(3), -0.0729),
    ("APCorrelation", {"symmetric": True}, all_rankings(4), -0.2773),
    ("RankBiasedOverlap", {"value": "ext"}, all_lists(2, 2), -0.1606),
    ("RankBiasedOverlap", {"value": "max"}, all_lists(3, 2), -0.0284),
    ("RankBiasedOverlap", {"value": "res"}, all_lists(2, 2), -0.1558),
]


@pytest.mark.parametrize(("name", "parameters", "rows", "least"), NOT_POSITIVE, ids=id_of)
def test_measures_that_are_not_kernels(name, parameters, rows, least):
    measure = BY[name].measure(**parameters)
    assert not measure.is_kernel
    with pytest.raises(wkendall.RankingError, match="needs a kernel"):
        wkendall.gram_matrix(all_rankings(3), kernel=measure)
    values = matrix(measure, rows)
    np.testing.assert_allclose(values, values.T, atol=1e-12)
    assert np.linalg.eigvalsh(values)[0] == pytest.approx(least, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("APCorrelation", {}),
        ("WeightedTau", {"rank": None}),
        ("WeightedConcordance", {"w": [[0, 1, 0], [0] * 3, [0] * 3]}),
    ],
    ids=id_of,
)
def test_measures_that_are_not_symmetric(name, parameters):
    measure = BY[name].measure(**parameters)
    values = measure(all_rankings(3))
    assert np.abs(values - values.T).max() > 0.1
    assert not measure.is_kernel


def test_overlap_of_lists_of_one_length():
    """Extrapolated rank-biased overlap has no negative eigenvalue if all lists have one length."""
    for rows in (all_rankings(4), all_lists(5, 2)[5:], all_lists(4, 3)[16:]):
        assert np.linalg.eigvalsh(matrix(wkendall.RankBiasedOverlap(), rows))[0] > -1e-12


def least_centred(distances):
    """The least eigenvalue of -J D J: negative if exp(-c D) is not positive definite for some c."""
    J = np.eye(len(distances)) - 1 / len(distances)
    return np.linalg.eigvalsh(-J @ distances @ J)[0]


def test_distances():
    """Which of them give kernels exp(-c D), and which are metrics."""
    S, lists = all_rankings(4), all_lists(3, 3)
    ties = random_cases("ties", np.random.default_rng(12), 20, 4)

    def of(name, rows, **parameters):
        measure = BY[name].measure(**parameters)
        return measure(as_rankings("ties", rows)) if rows is ties else matrix(measure, rows)

    def excess(name, rows, **parameters):
        D = of(name, rows, **parameters)
        return max((D - D[:, [k]] - D[[k]]).max() for k in range(len(D)))

    assert least_centred(of("SwapDistance", S, costs=[1, 1, 0])) == pytest.approx(-0.9282, abs=1e-4)
    costs = {"position_costs": [3, 2, 1, 0.5]}
    assert least_centred(of("GeneralizedKendall", S, **costs)) == pytest.approx(-1.8591, abs=1e-4)
    twos, shorter = (
        rows[np.isin(np.sum(rows > 0, axis=1), sizes)] for rows, sizes in ((all_lists(4, 2), 2), (lists, (1, 2)))
    )
    for p, least in [(0, -1), (0.5, -3), (1, -5)]:
        assert least_centred(of("FaginKendall", twos, p=p)) == pytest.approx(least, abs=1e-12)
    assert least_centred(of("Footrule", shorter)) == pytest.approx(-4 / 3, abs=1e-12)
    assert least_centred(of("Footrule", twos)) > -1e-12  # lists of one length
    assert least_centred(of("KemenySnell", lists)) > -1e-12
    for name in ("Footrule", "KemenySnell"):
        assert least_centred(of(name, ties)) > -1e-12
        assert least_centred(of(name, S)) > -1e-12
        assert excess(name, S) <= excess(name, ties) <= 1e-12
    assert excess("SwapDistance", S, costs=[3, 2, 1]) <= 1e-12
    assert excess("KemenySnell", lists) <= 1e-12
    # These break the triangle inequality: position costs, and lists of different lengths.
    assert excess("GeneralizedKendall", S, **costs) > 0.9
    assert excess("Footrule", lists) > 0
    assert excess("FaginKendall", lists, p=0.5) > 0
