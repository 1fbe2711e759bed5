"""Comparisons that people publish: the definitions against published numbers, then the package against the definitions."""

import csv
import gzip
import pickle
from dataclasses import dataclass
from itertools import permutations

import comparisons as by
import numpy as np
import pytest
import wkendall
from definitions import distance as discordant
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


def kendall_parameters(n, rng):
    """What is new: the weight "later", and weights of items."""
    options = [{}, {"signed": True}, {"normalize": True}]
    later = [{"weight": "later", "u": u} for u in ("ap", rng.standard_normal(n), "log")]
    v = {"item_weight": rng.uniform(0, 2, n) * (rng.random(n) < 0.8)}
    weights = [*later, *(v | weight for weight in (later[0], *correlation_parameters(n, rng)))]
    return [weight | options[(n + i) % 3] for i, weight in enumerate(weights)]


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
    definition: object
    parameters: object = lambda n, rng: [{}]
    #: What it compares besides complete rankings without ties: "ties", "lists", and "tied lists", lists with ties.
    takes: frozenset = frozenset({"ties", "lists", "tied lists"})
    kernel: bool = False
    distance: bool = False
    #: What the definition takes instead of rows with NaN: rows with a tied block at the end, or lists.
    read: object = by.at_the_end
    #: The most items for which the definition can be computed with ties.
    tied: int = 40

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
    Comparison("KendallCorrelation", by.kendall_correlation, correlation_parameters, tied=4, kernel=True),
    Comparison("WeightedTau", by.weighted_tau, tau_parameters, TIES),
    Comparison("WeightedConcordance", by.weighted_concordance, concordance_parameters, NONE),
    Comparison("APCorrelation", by.ap_correlation, lambda n, rng: [{}, {"symmetric": True}], TIES),
    Comparison("GeneralizedKendall", by.generalized_kendall, generalized_parameters, NONE, distance=True),
    Comparison("SwapDistance", by.swap_distance, swap_parameters, NONE, distance=True),
    Comparison("RankBiasedOverlap", by.rank_biased_overlap, rbo_parameters, read=by.groups),
    Comparison("AverageOverlap", by.average_overlap, overlap_parameters, kernel=True, read=list),
    Comparison("Footrule", by.footrule, item_parameters, distance=True, read=by.groups),
    Comparison("SpearmanRho", by.spearman_rho, kernel=True),
    Comparison("KemenySnell", by.kemeny_snell, item_parameters, distance=True),
    Comparison("TauX", by.tau_x, kernel=True),
    Comparison("FaginKendall", by.fagin_kendall, fagin_parameters, LISTS, distance=True, read=by.groups),
    Comparison("Kendall", by.kendall_kernel, kendall_parameters, kernel=True, tied=4),
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


# The definitions.


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


def test_rbo_by_definition(rbo_cases):
    """The values that Corsi and Urbano published, SIGIR 2024."""
    assert len(rbo_cases) == 5000
    for case in rbo_cases:
        x, y, p = read_list(case["x"]), read_list(case["y"]), float(case["p"])
        for ties in "wab":
            for value, found in by.all_rank_biased_overlaps(x, y, p, ties).items():
                assert found == pytest.approx(float(case[f"{ties}.{value}"]), abs=1e-12), case


def test_rbo_of_a_readme():
    """The example of github.com/julian-urbano/sigir2024-rbo."""
    x, y = read_list("red (blue green) yellow pink"), read_list("(blue red) white (yellow black purple) green")
    for ties, wanted in [
        ("a", [0.6922853, 0.3310519, 0.8930692, 0.5620173]),
        ("w", [0.7068257, 0.3429684, 0.9049857, 0.5620173]),
        ("b", [0.7207131, 0.3509163, 0.9129336, 0.5620173]),
    ]:
        found = by.all_rank_biased_overlaps(x, y, 0.95, ties)
        assert [found[value] for value in ("ext", "min", "max", "res")] == pytest.approx(wanted, abs=6e-8)


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


def published_ap(value):
    """Check a function of truth, estimate and `symmetric`, which takes scores, with the published values."""
    for x, y, tied_x, tied_y, wanted in AP_CASES:
        found = [value(x, y, False), value(x, tied_y, False), value(x, y, True), value(tied_x, tied_y, True)]
        assert found == pytest.approx(wanted, abs=6e-5)
        assert value(tied_y, tied_x, True) == pytest.approx(found[3], abs=1e-15)


def test_ap_by_definition():
    published_ap(lambda x, y, symmetric: by.ap_correlation([-v for v in x], [-v for v in y], symmetric))
    rng = np.random.default_rng(0)
    for n in (2, 3, 4, 5):  # the mean over all orders that agree
        for s, t in zip(random_cases("ties", rng, 4, n), random_cases("ties", rng, 4, n), strict=True):
            wanted = by.mean_over_orders(by.ap_correlation, s, t)
            assert by.ap_correlation(s, t) == pytest.approx(wanted, abs=1e-12)


def test_tau_and_rho_by_definition():
    rng = np.random.default_rng(1)
    for n in range(2, 14):
        for kind in ("complete", "ties"):
            X, Y = random_cases(kind, rng, 5, n), random_cases(kind, rng, 5, n)
            for s, t in zip(X[1:], Y[1:], strict=True):
                if np.ptp(s) and np.ptp(t):
                    assert by.spearman_rho(s, t) == pytest.approx(spearmanr(s, t).statistic, abs=1e-13)
                for rank in (True, None, False, rng.permutation(n), rng.integers(0, 3, n)):
                    for weigher in ("hyperbolic", lambda r: 1 / (r + 2) ** 2, lambda r: 1):
                        for additive in (True, False):
                            given = None if weigher == "hyperbolic" else weigher
                            wanted = np.nan_to_num(weightedtau(-s, -t, rank, given, additive).statistic)
                            found = by.weighted_tau(s, t, rank, weigher, additive)
                            assert found == pytest.approx(wanted, abs=1e-12)
    # The examples of scipy's documentation, with scores.
    x, y = np.array([12, 2, 1, 12, 2]), np.array([1, 4, 7, 1, 0])
    assert by.weighted_tau(-x, -y) == pytest.approx(-0.56694968153682723)
    assert by.weighted_tau(-x, -y, additive=False) == pytest.approx(-0.62205716951801038)


def test_swap_distance_by_definition():
    rng = np.random.default_rng(2)
    for n in range(1, 7):
        falling = np.sort(rng.uniform(0, 1, n - 1))[::-1]
        for costs in (np.ones(n - 1), np.arange(n - 1, 0, -1), falling, [1, 1, 0, 0, 0][: n - 1]):
            for order, cost in by.cheapest_swaps(list(costs)).items():
                ranks = [order.index(item) + 1 for item in range(n)]
                assert by.swap_distance(range(1, n + 1), ranks, costs) == pytest.approx(cost, abs=1e-12)


def test_overlap_by_definition():
    """With ties a mean over the orders that agree, of both lists; so is rank-biased overlap, variant a."""
    rng = np.random.default_rng(3)
    for n in range(1, 5):
        for x, y in zip(random_cases("ties", rng, 3, n), random_cases("ties", rng, 3, n), strict=True):
            for function in (by.average_overlap, lambda s, t: by.rank_biased_overlap(by.groups(s), by.groups(t))):
                assert function(x, y) == pytest.approx(by.mean_over_orders(function, x, y), abs=1e-12)


def test_definitions_of_special_cases():
    """Without weights these are the Kendall distance; tau_x, Kemeny-Snell and tau are one thing without ties."""
    rng = np.random.default_rng(4)
    for n in range(2, 9):
        s, t = random_rankings(rng, 2, n)
        pairs = n * (n - 1) / 2
        distance = discordant(s, t)
        assert by.generalized_kendall(s, t) == distance
        assert by.swap_distance(s, t, [1] * (n - 1)) == distance
        assert by.fagin_kendall(by.groups(s), by.groups(t)) == distance
        assert by.kemeny_snell(s, t) == 2 * distance
        assert by.tau_x(s, t) == pytest.approx(1 - 2 * distance / pairs)
    # Both items are in one list only: p. An item of each list only: 1. Fagin et al. 2003.
    assert by.fagin_kendall([["a"], ["b"]], [["c"], ["d"]], 0.25) == 4 + 2 * 0.25
    assert by.fagin_kendall([["a"], ["b"]], [["b"]], 0.25) == 1
    assert by.footrule([["a"], ["b"]], [["b"]]) == 2


# The package.


@pytest.mark.parametrize("kind", KINDS)
def test_values(comparison, kind):
    skip_what_is_not_taken(comparison, kind)
    rng = np.random.default_rng(5)
    sizes = range(41) if kind == "complete" else [n for n in (*range(13), 17, 25, 40) if n <= comparison.tied]
    for n in sizes:
        rows = random_cases(kind, rng, 5, n)
        rankings = as_rankings(kind, rows)
        X, Y = rankings[:3], rankings[2:]
        for parameters in comparison.parameters(n, rng):
            measure = comparison.measure(**parameters)
            wanted = comparison.matrix(rows[:3], rows[2:], **parameters)
            size = 1e-12 * max(1.0, np.abs(wanted).max())
            found = measure(X, Y)
            np.testing.assert_allclose(found, wanted, rtol=0, atol=size, err_msg=f"{n} {parameters}")
            np.testing.assert_array_equal(wkendall.similarity_matrix(X, Y, measure), found)
            np.testing.assert_allclose(measure(X)[:, 2], found[:, 0], rtol=1e-12, atol=size)
            if kind == "complete":
                assert measure(rows[0], rows[3]) == pytest.approx(found[0, 1], rel=1e-12, abs=size)
            elif "lists" in kind and "ties" in comparison.takes:
                dense = wkendall.Rankings(rows, ties="mean", missing="bottom")
                np.testing.assert_allclose(measure(dense[:3], dense[2:]), found, rtol=1e-12, atol=size)


@pytest.mark.parametrize("kind", KINDS)
def test_neighbors(comparison, kind):
    skip_what_is_not_taken(comparison, kind)
    rng = np.random.default_rng(6)
    rankings = as_rankings(kind, random_cases(kind, rng, 30, 6))
    X, Y = rankings[:8], rankings[8:]
    for parameters in comparison.parameters(6, rng):
        measure = comparison.measure(**parameters)
        for other in (Y, None):
            values = np.array(measure(X, other))
            if other is None:
                np.fill_diagonal(values, np.inf if comparison.distance else -np.inf)
            found = wkendall.neighbors(X, other, n_neighbors=5, measure=measure)
            order = np.argsort(values if comparison.distance else -values, axis=1, kind="stable")[:, :5]
            np.testing.assert_allclose(found.values, np.take_along_axis(values, order, 1), rtol=1e-12, atol=1e-12)
            nearest = np.take_along_axis(values, np.asarray(found.indices, dtype=np.intp), 1)
            np.testing.assert_allclose(nearest, found.values, rtol=1e-12, atol=1e-12)
            assert all(len(set(row)) == 5 for row in found.indices.tolist())


def test_what_measures_say_of_themselves(comparison):
    for parameters in comparison.parameters(5, np.random.default_rng(8)):
        measure = comparison.measure(**parameters)
        assert measure.is_distance == comparison.distance
        if not any(comparison.name == name for name, *_ in NOT_POSITIVE):  # see below
            assert measure.is_kernel == comparison.kernel
        assert comparison.takes & {"ties", "lists"} <= measure.takes


@pytest.mark.parametrize("name", ["AverageOverlap", "RankBiasedOverlap", "Footrule", "FaginKendall"])
def test_lists_that_differ_by_the_last_item(name, tmp_path):
    """The same for lists, rows with NaN, pickles, one row, items in another order, neighbours and files."""
    rows = np.array([[1, 2, NAN], [1, 2, 3], [3, 1, 2]])
    comparison = BY[name]
    wanted = comparison.matrix(rows, rows, **comparison.parameters(3, np.random.default_rng(0))[0])
    measure = comparison.measure(**comparison.parameters(3, np.random.default_rng(0))[0])
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
    ("Kendall", "u", [None, ONES[1:], NAN * ONES, "steep"], {"weight": "later"}),
    ("Kendall", "item_weight", [ONES[1:], -ONES, NAN * ONES, "idf"], {}),
    ("Kendall", "item_weight", [ONES], {"order": 3}),
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


def test_rbo_of_published_cases(rbo_cases):
    comparison = BY["RankBiasedOverlap"]
    for case in rbo_cases:
        lists = [[set(group) for group in read_list(case[name])] for name in "xy"]
        x = wkendall.from_lists(lists)
        for ties in "wab":
            for value in ("ext", "min", "max", "res"):
                found = comparison.measure(p=float(case["p"]), value=value, ties=ties)(x[:1], x[1:])[0, 0]
                assert found == pytest.approx(float(case[f"{ties}.{value}"]), abs=1e-12), case


def test_ap_of_published_cases():
    def value(x, y, symmetric):
        read = [wkendall.Rankings([row], input="scores", ties="mean") for row in (x, y)]
        return wkendall.APCorrelation(symmetric=symmetric)(*read)[0, 0]

    published_ap(value)


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
def test_kernels_by_definition(name, parameters, kind):
    skip_what_is_not_taken(BY[name], kind)
    rows = random_cases(kind, np.random.default_rng(10), 12, 4)
    values = np.linalg.eigvalsh(BY[name].matrix(rows, rows, **parameters))
    assert values[0] >= -1e-12 * values[-1]


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


def small_kernels(n, rng):
    """Kernels for n items, by name; those with random numbers have new ones each time."""
    u, U = rng.normal(size=n), rng.normal(size=(n, n))
    weights = [
        {},
        {"weight": "top", "k": 2},
        {"weight": "add", "u": u},
        {"weight": "mult", "u": u},
        {"weight": "average"},
    ]
    for weight in weights:
        for signed in (False, True):
            for normalize in (False, True):
                kernel = wkendall.Kendall(**weight, signed=signed, normalize=normalize)
                yield f"Kendall {weight.get('weight')} {signed} {normalize}", kernel
    yield "TensorKernel", wkendall.TensorKernel(U, normalize=True)
    yield "Mallows", wkendall.Mallows(rng.uniform(0.01, 2))
    yield "Mallows, normalized", wkendall.Mallows(rng.uniform(0.01, 2), normalize=True)
    for value in (wkendall.KendallCorrelation(), wkendall.SpearmanRho(), wkendall.TauX(), wkendall.AverageOverlap()):
        yield str(value), value
    for ties in "wab":
        yield f"RankBiasedOverlap {ties}", wkendall.RankBiasedOverlap(rng.uniform(0.05, 0.99), value="min", ties=ties)
    yield "combined", wkendall.SpearmanRho() * wkendall.AverageOverlap() + 2.5 * wkendall.TauX() ** 3


@pytest.mark.parametrize("kind", KINDS)
def test_small_matrices_of_kernels(kind):
    """What says that it is a kernel has no negative eigenvalue, in 50 small matrices of each kind."""
    rng = np.random.default_rng(13)
    for _ in range(50):
        m, n = rng.integers(5, 13), rng.integers(3, 8)
        rankings = as_rankings(kind, random_cases(kind, rng, m, n))
        for name, kernel in small_kernels(n, rng):
            assert kernel.is_kernel
            K = kernel(rankings)
            np.testing.assert_array_equal(K, K.T, err_msg=name)
            values = np.linalg.eigvalsh(K)
            assert values[0] >= -1e-10 * values[-1], name


def all_rankings(n):
    return np.array(list(permutations(range(1, n + 1))), dtype=float)


def all_lists(n, longest):
    """All lists of 1 to `longest` items out of n."""
    orders = [order for k in range(1, longest + 1) for order in permutations(range(n), k)]
    rows = [{item: rank for rank, item in enumerate(order, 1)} for order in orders]
    return np.array([[row.get(item, NAN) for item in range(n)] for row in rows])


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
    comparison = BY[name]
    values = comparison.matrix(rows, rows, **parameters)
    np.testing.assert_allclose(values, values.T, atol=1e-12)
    assert np.linalg.eigvalsh(values)[0] == pytest.approx(least, abs=1e-4)
    measure = comparison.measure(**parameters)
    assert not measure.is_kernel
    with pytest.raises(wkendall.RankingError, match="needs a kernel"):
        wkendall.gram_matrix(all_rankings(3), kernel=measure)
    found = measure(as_rankings("lists" if np.isnan(rows).any() else "complete", rows))
    assert np.linalg.eigvalsh(found)[0] == pytest.approx(least, abs=1e-4)


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
    values = BY[name].matrix(all_rankings(3), all_rankings(3), **parameters)
    assert np.abs(values - values.T).max() > 0.1
    assert not BY[name].measure(**parameters).is_kernel


def test_overlap_of_lists_of_one_length():
    """Extrapolated rank-biased overlap has no negative eigenvalue if all lists have one length."""
    for rows in (all_rankings(4), all_lists(5, 2)[5:], all_lists(4, 3)[16:]):
        assert np.linalg.eigvalsh(BY["RankBiasedOverlap"].matrix(rows, rows, p=0.9))[0] > -1e-12


def least_centred(distances):
    """The least eigenvalue of -J D J: negative if exp(-c D) is not positive definite for some c."""
    J = np.eye(len(distances)) - 1 / len(distances)
    return np.linalg.eigvalsh(-J @ distances @ J)[0]


def test_distances_by_definition():
    """Which of them give kernels exp(-c D), and which are metrics."""
    S, lists = all_rankings(4), all_lists(3, 3)
    ties = random_cases("ties", np.random.default_rng(12), 20, 4)

    def excess(name, rows, **parameters):
        D = BY[name].matrix(rows, rows, **parameters)
        return max((D - D[:, [k]] - D[[k]]).max() for k in range(len(D)))

    assert least_centred(BY["SwapDistance"].matrix(S, S, costs=[1, 1, 0])) == pytest.approx(-0.9282, abs=1e-4)
    costs = {"position_costs": [3, 2, 1, 0.5]}
    assert least_centred(BY["GeneralizedKendall"].matrix(S, S, **costs)) == pytest.approx(-1.8591, abs=1e-4)
    twos, shorter = (
        rows[np.isin(np.sum(rows > 0, axis=1), sizes)] for rows, sizes in ((all_lists(4, 2), 2), (lists, (1, 2)))
    )
    for p, least in [(0, -1), (0.5, -3), (1, -5)]:
        assert least_centred(BY["FaginKendall"].matrix(twos, twos, p=p)) == pytest.approx(least, abs=1e-12)
    assert least_centred(BY["Footrule"].matrix(shorter, shorter)) == pytest.approx(-4 / 3, abs=1e-12)
    assert least_centred(BY["Footrule"].matrix(twos, twos)) > -1e-12  # lists of one length
    assert least_centred(BY["KemenySnell"].matrix(lists, lists)) > -1e-12
    for name in ("Footrule", "KemenySnell"):
        assert least_centred(BY[name].matrix(ties, ties)) > -1e-12
        assert least_centred(BY[name].matrix(S, S)) > -1e-12
        assert excess(name, S) <= excess(name, ties) <= 1e-12
    assert excess("SwapDistance", S, costs=[3, 2, 1]) <= 1e-12
    assert excess("KemenySnell", lists) <= 1e-12
    # These break the triangle inequality: position costs, and lists of different lengths.
    assert excess("GeneralizedKendall", S, **costs) > 0.9
    assert excess("Footrule", lists) > 0
    assert excess("FaginKendall", lists, p=0.5) > 0
