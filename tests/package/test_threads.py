"""Everything from eight threads at once, and what the module says about interpreters without a lock."""

import pickle
import subprocess
import sys
import sysconfig
import textwrap
import threading

import numpy as np
import pytest
import wkendall
from sklearn.base import BaseEstimator
from wkendall import Kendall, Mallows, TensorKernel

RNG = np.random.default_rng(0)
X = np.array([RNG.permutation(9) + 1 for _ in range(60)])
Y = X[::3, ::-1].copy()
LABELS = (X[:, 0] < X[:, 1]).astype(int)
COEF = RNG.standard_normal(60)
U, B = RNG.standard_normal((2, 9, 9))
HARD = np.random.default_rng(1).integers(0, 100, (24, 24))
W = np.eye(81).reshape(9, 9, 9, 9)
TIED = np.minimum(X, 5)
LISTS = wkendall.from_lists([[f"item {i}" for i in row[:4]] for row in X.tolist()])
TABLE = RNG.standard_normal((50, 6)).round(1)

MULT = Kendall("mult", u="log", normalize=True)
KERNELS = [
    Kendall(),
    Kendall("top", k=4),
    Kendall("add", u="log", signed=True),
    MULT,
    Kendall("average", order=3),
    TensorKernel(U),
    TensorKernel(W=W),
    Mallows(0.3),
]

#: Every public function of the package but those that read and print, each as a function of a folder of its thread.
CALLS = {
    **{
        f"gram_matrix {number}": lambda _, kernel=kernel: wkendall.gram_matrix(X, kernel=kernel, n_jobs=2)
        for number, kernel in enumerate(KERNELS)
    },
    "gram_matrix tied": lambda _: wkendall.gram_matrix(TIED, ties="mean", weight="mult", u="log"),
    "gram_matrix lists": lambda _: wkendall.gram_matrix(LISTS, kernel=Kendall("average")),
    "Rankings": lambda _: np.asarray(wkendall.Rankings(TIED, ties="mean", items="abcdefghi").distinct()),
    "Kendall": lambda _: MULT(X, Y),
    "TensorKernel": lambda _: TensorKernel(U)(X, Y),
    "Mallows": lambda _: Mallows(0.3)(X, Y),
    "KendallDistance": lambda _: wkendall.KendallDistance()(LISTS),
    "KendallCorrelation": lambda _: wkendall.KendallCorrelation("mult", u="log")(X[0], X[1]),
    **{
        type(measure).__name__: lambda _, measure=measure: wkendall.similarity_matrix(X, measure=measure)
        for measure in (
            wkendall.APCorrelation(),
            wkendall.AverageOverlap(),
            wkendall.FaginKendall(),
            wkendall.Footrule(),
            wkendall.GeneralizedKendall(position_costs=range(9)),
            wkendall.KemenySnell(),
            wkendall.RankBiasedOverlap(),
            wkendall.SpearmanRho(),
            wkendall.SwapDistance(range(8, 0, -1)),
            wkendall.TauX(),
            wkendall.WeightedConcordance((range(9), range(9))),
            wkendall.WeightedTau(),
        )
    },
    "similarity_matrix": lambda _: wkendall.similarity_matrix(X, measure=wkendall.KendallCorrelation("average")),
    "kernel": lambda _: wkendall.kernel(X[0], X[1], weight="add", u="log"),
    "kappa": lambda _: wkendall.kappa(X[0], weight="average"),
    "diagonal": lambda _: wkendall.diagonal(X, weight="add", u="log"),
    "distance_matrix": lambda _: wkendall.distance_matrix(X, Y),
    "embed": lambda _: wkendall.embed(X, U),
    "combine": lambda _: wkendall.combine(X, COEF, U),
    "linear_function": lambda _: wkendall.linear_function(X, U, B),
    "inverse": lambda _: wkendall.inverse(X),
    "features": lambda _: wkendall.features(X, MULT),
    "position_weights": lambda _: wkendall.position_weights(9, weight="mult", u="log"),
    "neighbors": lambda _: wkendall.neighbors(X, n_neighbors=5, measure=MULT),
    "neighbors of lists": lambda _: wkendall.neighbors(LISTS, n_neighbors=5, measure=Kendall(signed=True)),
    "neighbors_within": lambda _: wkendall.neighbors_within(X, radius=10).toarray(),
    "neighbors_graph": lambda _: wkendall.neighbors_graph(X, n_neighbors=5).toarray(),
    "packed_signs": lambda _: wkendall.packed_signs(X),
    "corr": lambda _: (wkendall.corr(TABLE, pvalues=True), wkendall.corr(TABLE, confidence=0.9, at_least=0.1)),
    "corr_difference": lambda _: wkendall.corr_difference(*TABLE[:, :3].T),
    "consensus": lambda _: wkendall.consensus(X, rng=0),
    "Rankings described": lambda _: (lambda found: (found.mean, found.shares))(wkendall.Rankings(X).describe()),
    "rank_intervals": lambda _: wkendall.rank_intervals(-X, n_resamples=99, rng=0),
    "linear_ordering": lambda _: (wkendall.linear_ordering(U), wkendall.linear_ordering(HARD, rng=0)),
    "pair_importance": lambda _: wkendall.pair_importance(X, COEF),
    "spectrum": lambda _: wkendall.spectrum(MULT, 9),
    "components": lambda _: wkendall.components(X, MULT, n_permutations=19, rng=0),
    "two_sample_test": lambda _: wkendall.two_sample_test(X[:30], X[30:], n_permutations=99, rng=0),
    "pair_differences": lambda _: wkendall.pair_differences(X, X[:, 0] < 5, n_permutations=99, rng=0),
    "cluster_number": lambda _: wkendall.cluster_number(X, max_clusters=2, n_references=2, rng=0),
    "independence_test": lambda _: wkendall.independence_test(X, COEF, n_permutations=99, rng=0),
    "permutation_pvalue": lambda _: wkendall.permutation_pvalue(X[:2], Y[:2], n_permutations=99, rng=0),
    "suquan_svd": lambda _: wkendall.suquan_svd(X, LABELS),
    "from_lists": lambda _: wkendall.from_lists([["a", "b"], ["b", "c"]]).to_lists(),
    "gram_to_file": lambda folder: (wkendall.gram_to_file(folder / "gram.npy", X), np.load(folder / "gram.npy"))[1],
    "ListEncoder": lambda _: wkendall.ListEncoder().fit_transform([["a", "b"], ["b", "c"]]),
    "KendallFeatures": lambda _: wkendall.KendallFeatures().fit_transform(X),
    "KendallNystroem": lambda _: wkendall.KendallNystroem(n_components=8, random_state=0).fit_transform(X),
    "KendallNeighbors": lambda _: wkendall.KendallNeighbors(n_neighbors=3).fit(X).kneighbors(Y),
    "KendallKMeans": lambda _: wkendall.KendallKMeans(3, random_state=0).fit(X).labels_,
    "LabelRanker": lambda _: wkendall.LabelRanker().fit(TABLE, X[: len(TABLE)]).predict(TABLE),
    "KendallGram": lambda _: wkendall.KendallGram(Kendall("average"), cache_size=1).fit_transform(X),
    "SuquanSVDClassifier": lambda _: wkendall.SuquanSVDClassifier().fit(X, LABELS).U_,
    "SuquanSVDRegressor": lambda _: wkendall.SuquanSVDRegressor().fit(X, COEF).U_,
    "AlternatingClassifier": lambda _: wkendall.AlternatingClassifier(max_iter=2).fit(X, LABELS).U_,
    "AlternatingRegressor": lambda _: wkendall.AlternatingRegressor(max_iter=2).fit(X, COEF).U_,
    "KernelMixtureClassifier": lambda _: wkendall.KernelMixtureClassifier().fit(X, LABELS).weights_,
    "KernelMixtureRegressor": lambda _: wkendall.KernelMixtureRegressor().fit(X, COEF).weights_,
}
#: They read files, print, or are modules.
LEFT_OUT = {"RankingError", "__version__", "datasets", "gaussian_process", "optimize", "plotting"}
LEFT_OUT |= {"read_csv", "read_preflib", "read_trec", "show_config"}
LEFT_OUT |= {
    "ClusterNumber",
    "Components",
    "Consensus",
    "CorrelationDifference",
    "CorrelationTable",
    "Correlations",
    "Description",
    "Neighbors",
    "PairDifferences",
    "PairImportance",
    "RankIntervals",
    "Spectrum",
    "TestResult",
}  # types of results


def bits(value):
    """Return what two equal results have in common: all of their bits."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, tuple | list):
        return tuple(bits(one) for one in value)
    if hasattr(value, "__dict__") and not isinstance(value, BaseEstimator):
        return tuple((name, bits(one)) for name, one in sorted(vars(value).items()))
    return pickle.dumps(value)


def on_eight_threads(work):
    """Call a function with 0 to 7, on a thread each, all at the same moment."""
    start = threading.Barrier(8)

    def run(index):
        start.wait()
        work(index)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_every_public_name_is_called():
    assert {name.split()[0] for name in CALLS} == set(wkendall.__all__) - LEFT_OUT


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_eight_threads_at_once(tmp_path):
    folders = [tmp_path / str(index) for index in range(9)]
    for folder in folders:
        folder.mkdir()
    wanted = {name: bits(call(folders[8])) for name, call in CALLS.items()}
    wrong = []

    def work(index):
        for name in np.random.default_rng(index).permutation(list(CALLS)):
            try:
                if bits(CALLS[name](folders[index])) != wanted[name]:
                    wrong.append((index, name))
            except Exception as error:
                wrong.append((index, name, repr(error)))

    on_eight_threads(work)
    assert wrong == []


def test_one_pair_of_nouns_for_eight_threads():
    """Rankings and kernels may be used by all threads, also while one of them fails."""
    rankings, kernel = wkendall.Rankings(X), Kendall("mult", u="log")
    wanted = wkendall.gram_matrix(X, weight="mult", u="log")
    wrong = []

    def work(index):
        for _ in range(50):
            if not np.array_equal(wkendall.gram_matrix(rankings, kernel=kernel, n_jobs=1 + index % 2), wanted):
                wrong.append(index)
            try:
                wkendall.Rankings(X * 2)
                wrong.append(index)
            except wkendall.RankingError as error:
                if error.row != 0:
                    wrong.append(index)

    on_eight_threads(work)
    assert wrong == []


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has an interpreter lock")
def test_the_interpreter_lock_stays_off():
    script = "import sys, wkendall; wkendall.gram_matrix([[1, 2]]); print(sys._is_gil_enabled())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert "GIL" not in done.stderr


@pytest.mark.skipif(sys.version_info < (3, 13), reason="this Python does not check what modules say")
def test_an_isolated_interpreter_is_refused():
    """As `concurrent.interpreters` makes them: an error that can be caught, and the first interpreter goes on."""
    script = textwrap.dedent("""
        import _interpreters
        import wkendall._core
        second = _interpreters.create("isolated")
        failure = _interpreters.run_string(second, "import wkendall._core")
        print(failure is not None and failure.type.__name__ == "ImportError")
        _interpreters.destroy(second)
        print(wkendall.gram_matrix([[1, 2]]).tolist())
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["True", "[[1.0]]"], done.stderr
