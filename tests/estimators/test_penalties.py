"""Learned weights with structure: penalties, weights to stay near to, and the strength chosen on held-out rankings."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import wkendall
from definitions import random_rankings
from labelled import two_classes
from paths import ROOT
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC
from wkendall import AlternatingClassifier, AlternatingRegressor, Rankings
from wkendall.estimators.alpha_search import Search, _places

CASES = [("ridge", 1), ("ridge", 2), ("ridge", 3), ("smooth", 1), ("smooth", 2), ("monotone", 1)]
CASES += [("monotone", 2), ("low-rank", 2)]
KINDS = [AlternatingClassifier, AlternatingRegressor]


def penalty_of(name, V, small):
    """P(V) by its formula; `small` is where the nuclear norm is rounded off."""
    if name == "low-rank":
        return sum(np.sqrt(value**2 + small**2) - small for value in np.linalg.svd(V, compute_uv=False))
    total = sum(value**2 for value in V.ravel())
    if name == "smooth":
        n = len(V)
        for axis in range(V.ndim):
            moved = np.moveaxis(V, axis, 0)
            total += n**2 * sum(((moved[place + 1] - moved[place]) ** 2).sum() for place in range(n - 1))
    return total / 2


def base_of(toward, n, order):
    if toward is None:
        return np.zeros((n,) * order)
    if toward == "ramp":
        return np.subtract.outer(*[np.arange(n, 0.0, -1.0)] * 2)
    if toward == "standard":
        return np.arange(n, 0.0, -1.0) if order == 1 else wkendall.position_weights(n, order=order)
    return wkendall.position_weights(n, "mult", u=toward, order=order)


def objective(model, X, y, U, B, intercept):
    """The objective by its definition, for any weights and coefficients."""
    n, order = X.shape[1], model.order
    base = base_of(model.toward, n, order)
    start = base if model.toward else base_of("standard", n, order) / np.linalg.norm(base_of("standard", n, order))
    scores = np.tensordot(wkendall.embed(X, U), B, axes=order) + intercept
    squares = isinstance(model, AlternatingRegressor)
    losses = (y - scores) ** 2 if squares else np.maximum(0, 1 - np.where(y == 1, 1, -1) * scores)
    small = 0.01 * np.linalg.norm(start) / np.sqrt(n)
    return model.C * losses.sum() + (B**2).sum() / 2 + model.alpha * penalty_of(model.penalty, U - base, small)


@pytest.mark.parametrize("toward", [None, "standard"])
@pytest.mark.parametrize(("penalty", "order"), CASES)
def test_the_objective_is_that_of_the_formula_and_no_small_change_lowers_it(penalty, order, toward):
    rng = np.random.default_rng(order)
    X, y = two_classes(rng, 40, 5)
    for kind, alpha in zip(KINDS, (0.5, 3.0), strict=True):
        options = {"alpha": alpha, "penalty": penalty, "toward": toward, "C": 0.3}
        model = kind(order, tol=1e-5, max_iter=500, **options).fit(X, y)
        path = model.objective_path_
        assert np.diff(path).max(initial=0.0) <= 1e-6 * path[0]
        end = objective(model, X, y, model.U_, model.B_, model.intercept_)
        np.testing.assert_allclose(path[-1], end, rtol=1e-8)
        assert path[-1] < path[0]
        for _ in range(10):
            change = rng.standard_normal(model.U_.shape)
            for size in (1e-2, 1e-3):
                U = model.U_ + size * np.abs(model.U_).max() * change
                if penalty == "monotone":
                    line = np.sort(U if order == 1 else U.diagonal())[::-1]
                    if order == 1:
                        U = line
                    else:
                        np.fill_diagonal(U, line)
                assert objective(model, X, y, U, model.B_, model.intercept_) >= end * (1 - 3e-5)
                B = model.B_ + size * np.abs(model.B_).max() * change
                assert objective(model, X, y, model.U_, B, model.intercept_) >= end * (1 - 3e-5)


@pytest.mark.parametrize(("penalty", "order"), CASES)
def test_a_large_alpha_gives_the_fixed_kernel(penalty, order):
    X, y = two_classes(np.random.default_rng(2), 60, 6)
    U = base_of("standard", 6, order)
    machine = SVC(kernel=wkendall.TensorKernel(U, order=order), C=0.1, tol=1e-10).fit(X, y)
    model = AlternatingClassifier(order, C=0.1, alpha=1e12, penalty=penalty, toward="standard").fit(X, y)
    np.testing.assert_allclose(model.U_, U, atol=1e-6)
    np.testing.assert_allclose(model.decision_function(X), machine.decision_function(X), atol=1e-6)
    given = AlternatingClassifier(order, C=0.1, alpha=1e12, penalty=penalty, toward=U).fit(X, y)
    np.testing.assert_array_equal(given.U_, model.U_)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("penalty", "order"), CASES[:-1])
def test_without_u0_a_strength_is_a_change_of_the_cost(kind, penalty, order):
    """Scaling U by c and B by 1 / c gives it: with alpha = c^-4 the penalties, both squares, are divided by c^2."""
    X, y = two_classes(np.random.default_rng(4), 40, 5)
    factor, start = 0.01**-0.25, base_of("standard", 5, order)
    plain = kind(order, penalty=penalty, C=0.3, init=start).fit(X, y)
    model = kind(order, penalty=penalty, C=0.3 * 0.01**0.5, alpha=0.01, init=start * factor).fit(X, y)
    np.testing.assert_allclose(model.U_, plain.U_ * factor, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(model.B_, plain.B_ / factor, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [1, 2])
def test_a_small_alpha_gives_the_problem_of_the_paper(kind, order):
    """With U0 and alpha near zero, at the cost of the test above: U0 changes the objective by about alpha^(1/4) = 1e-7."""
    X, y = two_classes(np.random.default_rng(4), 40, 5)
    alpha, options = 1e-28, {"order": order, "tol": 1e-7, "max_iter": 300}
    plain = kind(C=0.3, **options).fit(X, y)
    near = plain.U_ * alpha**-0.25
    model = kind(C=0.3 * alpha**0.5, alpha=alpha, toward="standard", init=near, **options).fit(X, y)
    np.testing.assert_allclose(model.objective_path_[-1] / alpha**0.5, plain.objective_path_[-1], rtol=1e-6)
    np.testing.assert_allclose(model.U_, near, rtol=1e-5, atol=1e-5 * np.abs(near).max())


def test_many_positions_have_few_weights():
    X, y = two_classes(np.random.default_rng(3), 40, 200)
    for toward in (None, "standard"):
        base = base_of(toward, 200, 1)
        falling = AlternatingClassifier(1, C=0.1, penalty="monotone", toward=toward, alpha=1e-3).fit(X, y)
        assert (np.diff(falling.U_) <= 0).all()
        assert len(np.unique((falling.U_ - base).round(9))) <= 30
        smooth = AlternatingClassifier(1, C=0.1, penalty="smooth", toward=toward, alpha=1e-9).fit(X, y)
        frequencies = np.cos(np.pi * np.outer(np.arange(200) + 0.5, np.arange(200)) / 200)
        coefficients = (smooth.U_ - base) @ frequencies
        np.testing.assert_allclose(coefficients[20:], 0, atol=1e-9 * np.abs(coefficients).max(initial=1e-300))
        assert np.abs(coefficients[:20]).max() > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_diagonal_that_falls(kind):
    """The kernel of a diagonal is the one of order 1. Without weights beside it, the steps are those of order 1."""
    X, y = two_classes(np.random.default_rng(3), 60, 40)
    line = np.arange(40, 0.0, -1.0)
    pairs = kind(2, penalty="monotone", toward=np.diag(line), alpha=1e-4, C=0.01).fit(X, y)
    falls = np.diff(pairs.U_.diagonal())
    assert (falls <= 1e-12).all()
    assert len(np.unique((pairs.U_.diagonal() - line).round(9))) <= 30
    single = kind(1, penalty="monotone", toward=line, alpha=1e-4, C=0.01).fit(X, y)
    np.testing.assert_allclose(pairs.U_ - np.diag(pairs.U_.diagonal()), 0, atol=1e-9)
    np.testing.assert_allclose(pairs.U_.diagonal(), single.U_, atol=1e-5)
    free = kind(2, penalty="monotone", C=0.1).fit(X, y)  # from the standard weights, which have no diagonal
    assert (np.diff(free.U_.diagonal()) <= 1e-12).all()
    assert np.abs(free.U_ - np.diag(free.U_.diagonal())).max() > 0


def test_twenty_thousand_positions_have_twenty_weights():
    """Orders 1 and 2: all that is learned are 20 numbers for each function of a position."""
    n, rng = 20_000, np.random.default_rng(12)
    X = Rankings(np.array([rng.permutation(n) + 1 for _ in range(12)]))
    y = np.arange(12) % 2
    waves = np.cos(np.pi * np.outer(np.arange(n) + 0.5, np.arange(20)) / n)
    waves /= np.linalg.norm(waves, axis=0)
    for toward in (None, "log"):
        model = AlternatingClassifier(1, penalty="smooth", toward=toward, alpha=1e-9, C=1e-3).fit(X, y)
        change = model.U_ - base_of(toward, n, 1)
        np.testing.assert_allclose(waves @ (waves.T @ change), change, atol=1e-9 * np.abs(change).max())
        falling = AlternatingClassifier(1, penalty="monotone", toward=toward, alpha=1e-9, C=1e-3).fit(X, y)
        assert len(np.unique((falling.U_ - base_of(toward, n, 1)).round(9))) <= 30
    pairs = AlternatingClassifier(2, penalty="smooth", toward="log", alpha=1e-9, C=1e-3).fit(X, y)
    (expansion,) = pairs.expansions_
    assert len(expansion.U) == 20 + 19  # f, and g without its constant


MACHINE = """
import sys, warnings
import numpy as np
from labelled import two_classes
from wkendall import AlternatingClassifier, AlternatingRegressor
warnings.simplefilter("ignore")
X, y = two_classes(np.random.default_rng(13), 40, 5)
found = {}
for penalty, order in [("ridge", 1), ("ridge", 2), ("smooth", 2), ("monotone", 1), ("low-rank", 2)]:
    for kind in (AlternatingClassifier, AlternatingRegressor):
        for toward in (None, "standard"):
            model = kind(order, penalty=penalty, toward=toward, C=0.3).fit(X, y)
            found[f"{kind.__name__} {penalty} {order} {toward}"] = model.U_
auto = AlternatingClassifier(1, penalty="smooth", C="auto", alpha="auto", toward="auto").fit(X, y)
found["auto"] = auto.U_
np.savez(sys.argv[1], **found)
"""


def test_the_same_weights_on_other_processors(tmp_path):
    """Other instructions of BLAS, another number of its threads and of ours."""
    found = []
    for core, threads in (("", "1"), ("Prescott", "2")):
        path = tmp_path / f"{core}{threads}.npz"
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
        changed = dict.fromkeys(names, threads) | ({"OPENBLAS_CORETYPE": core} if core else {})
        paths = os.pathsep.join([str(ROOT / "tests/helpers"), *sys.path])
        env = os.environ | changed | {"PYTHONPATH": paths}
        subprocess.run([sys.executable, "-c", MACHINE, path], check=True, env=env)
        found.append(np.load(path))
    one, other = found
    for name, U in one.items():
        np.testing.assert_allclose(other[name], U, atol=1e-6 * np.abs(U).max(), err_msg=name)


def test_a_low_rank():
    rng = np.random.default_rng(4)
    X = random_rankings(rng, 150, 7)
    one, other, B = rng.standard_normal(7), rng.standard_normal(7), rng.standard_normal((7, 7))
    y = wkendall.linear_function(X, np.outer(one, other), B)
    ridge, low = (
        AlternatingRegressor(
            penalty=penalty, C=1.0, init=np.outer(one, other) + 0.3 * rng.standard_normal((7, 7)), max_iter=500
        ).fit(X, y)
        for penalty in ("ridge", "low-rank")
    )
    shares = [np.linalg.svd(model.U_, compute_uv=False) for model in (ridge, low)]
    assert shares[1][1:].sum() / shares[1].sum() < 0.2 * shares[0][1:].sum() / shares[0].sum()


def top_half(rng, rows, items=6):
    """Rankings, and whether one of the first three items is in first place: a ramp cannot express that."""
    X = random_rankings(rng, rows, items)
    return X, (X[:, :3] == 1).any(axis=1).astype(int)


def is_fixed(model):
    """Whether the weights are U0, up to a factor."""
    if model.toward_ is None:
        return False
    base = base_of(model.toward_, len(model.U_), model.U_.ndim)
    return np.vdot(model.U_, base) > (1 - 1e-9) * np.linalg.norm(model.U_) * np.linalg.norm(base)


def test_alpha_is_chosen_on_held_out_rankings():
    rng = np.random.default_rng(5)
    X, y = top_half(rng, 60)
    noise = rng.permutation(60) % 2
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the model does not generalise")
        fixed = AlternatingClassifier(1, alpha="auto", toward="standard", C=0.01).fit(X, noise)
    assert fixed.candidates_[0].alpha == fixed.alpha_
    assert is_fixed(fixed)
    np.testing.assert_allclose(fixed.U_, base_of("standard", 6, 1), atol=1e-6)
    model = AlternatingClassifier(1, alpha="auto", toward="standard", C=0.1).fit(X, y)
    assert not is_fixed(model)
    assert (model.toward_, model.C_) == ("standard", 0.1)
    (score,) = [one.score for one in model.candidates_ if one.alpha == model.alpha_]
    assert model.validated_ == score
    again = AlternatingClassifier(1, alpha=model.alpha_, toward="standard", C=0.1).fit(X, y)
    np.testing.assert_array_equal(again.U_, model.U_)
    numbers = AlternatingRegressor(1, alpha="auto", toward="standard").fit(X, (X[:, 0] == 1) + 0.0)
    assert numbers.score(X, X[:, 0] == 1) > 0.5
    zero = AlternatingClassifier(1, alpha="auto", C=0.5).fit(X, y)
    assert [one.toward for one in zero.candidates_] == [None] * 7
    assert zero.validated_ in [one.score for one in zero.candidates_ if one.alpha == zero.alpha_]


def test_learned_weights_are_compared_by_accuracy_and_area_under_the_curve():
    rng = np.random.default_rng(14)
    for classes in (2, 3):
        member, weights = np.arange(30) % classes, rng.integers(1, 4, 30).astype(float)
        values = rng.standard_normal((30, 1 if classes == 2 else 3)).round(1)  # with ties
        folds = np.split(np.arange(30), 3)
        search = Search([], weights, np.ones(30), lambda values: values[:, 0], member, None, None, None)
        places = 2 * _places(search, values, folds) - values[:, 0]
        for held in folds:
            for one in range(classes):
                column = (2 * one - 1) * values[:, 0] if classes == 2 else values[:, one]
                own = member[held] == one
                area = roc_auc_score(own, column[held], sample_weight=weights[held])
                assert np.average(places[held[own]], weights=weights[held[own]]) == pytest.approx(area)
    np.testing.assert_array_equal(_places(search._replace(classes=None), values, folds), values[:, 0])


def test_a_fixed_kernel_is_scored_like_a_support_vector_machine():
    X, y = two_classes(np.random.default_rng(7), 400, 6)
    model = AlternatingClassifier(2, alpha="auto", C="auto", toward="log").fit(X, y)
    gram = wkendall.Kendall("mult", u="log")(X)
    variance = gram.diagonal().mean() - gram.mean()
    for place in (1, 2, 3):
        scores = []
        for seed in range(2):
            folds = StratifiedKFold(5, shuffle=True, random_state=seed)
            machine = SVC(kernel="precomputed", C=10.0 ** (place - 2) / variance)
            scores.append(cross_val_score(machine, gram, y, cv=folds).mean())
        candidate = model.candidates_[place]
        np.testing.assert_allclose(candidate.C, 10.0 ** (place - 2) / variance)
        assert candidate.score == pytest.approx(np.mean(scores), abs=0.011)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_everything_is_chosen(order):
    X, y = two_classes(np.random.default_rng(8), 60, 5)
    model = AlternatingClassifier(order, alpha="auto", C="auto", toward="auto").fit(X, y)
    names = {1: ["standard", "hyperbolic", "log"], 2: ["standard", "ramp", "hyperbolic", "log"]}
    wanted = names.get(order, names[1])
    assert list(dict.fromkeys(one.toward for one in model.candidates_ if one.toward)) == wanted
    assert max(one.score for one in model.candidates_) >= model.validated_ > 0.6
    numbers = AlternatingRegressor(order, alpha="auto", toward="auto").fit(X, 2.0 * X[:, 0])
    assert numbers.C_ == 1.0
    if model.toward_ is not None:
        base = base_of(model.toward_, 5, order)
        gram = wkendall.TensorKernel(base, order=order)(X)
        scale = 1 / np.sqrt(gram.diagonal().mean() - gram.mean())
        again = AlternatingClassifier(order, C=model.C_, alpha=model.alpha_, toward=scale * base).fit(X, y)
        np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-5)


def test_weights_of_a_new_shape_are_learned_without_a_choice_of_the_user():
    rng = np.random.default_rng(9)
    X = np.array([rng.permutation(20) + 1 for _ in range(300)])
    middle = np.exp(-(((np.arange(20) - 9.5) / 3) ** 2))
    scores = wkendall.linear_function(X, middle, rng.standard_normal(20))
    y = (scores > np.median(scores)).astype(int)
    model = AlternatingClassifier(penalty="smooth", C="auto", alpha="auto", toward="auto").fit(X[:200], y[:200])
    fixed = max(one.score for one in model.candidates_ if one.alpha > 1e6)
    assert model.score(X[200:], y[200:]) > fixed + 0.1
    assert not is_fixed(model)


def test_a_gain_is_found_in_few_rankings():
    """100 rankings of which the bottom matters. With the accuracy alone the fixed kernel was kept, with a score of 0.69."""
    rng = np.random.default_rng(1005)
    X = np.array([rng.permutation(12) + 1 for _ in range(600)])
    scores = wkendall.linear_function(X, np.exp(-np.arange(12)[::-1] / 2), rng.standard_normal(12))
    scores = scores / scores.std() + 0.3 * rng.standard_normal(600)
    y = (scores > np.median(scores)).astype(int)
    model = AlternatingClassifier(1, penalty="smooth", C="auto", alpha="auto", toward="auto").fit(X[:100], y[:100])
    assert not is_fixed(model)
    assert model.score(X[100:], y[100:]) > 0.72


@pytest.mark.filterwarnings("ignore:the model does not generalise")
def test_rankings_without_weight_are_not_chosen_with_and_many_are_a_part():
    X, y = two_classes(np.random.default_rng(10), 60, 5)
    weights = np.arange(60) % 3 + 0.0
    options = {"alpha": "auto", "C": "auto", "toward": "auto", "penalty": "smooth"}
    model = AlternatingClassifier(**options).fit(X, y, weights)
    same = AlternatingClassifier(**options).fit(X[weights > 0], y[weights > 0], weights[weights > 0])
    assert model.candidates_ == same.candidates_
    rng = np.random.default_rng(11)
    X = random_rankings(rng, 2500, 4)
    y = (X[:, 0] < X[:, 1]).astype(int)
    many = AlternatingClassifier(alpha="auto", C="auto", toward="standard").fit(X, y)
    assert many.score(X, y) == 1.0


def test_what_does_not_generalise_is_said():
    rng = np.random.default_rng(6)
    X, y = random_rankings(rng, 40, 12), rng.permutation(40) % 2
    with pytest.warns(UserWarning, match=r"does not generalise: the mean score is 0.* toward='auto'"):
        AlternatingClassifier(alpha="auto", C=1.0, max_iter=20, tol=1e-2).fit(X, y)
    with pytest.warns(UserWarning, match="the model predicts class False for every ranking of fit: a larger C"):
        AlternatingClassifier(1, C=1e-7).fit(X, np.arange(40) < 15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": "rough"}, "penalty"),
        ({"penalty": "monotone", "order": 3}, "penalty is 'monotone', which is for order 1 and 2, but order is 3"),
        ({"penalty": "low-rank", "order": 1}, "penalty is 'low-rank', which is for order 2, but order is 1"),
        ({"alpha": 0.0}, "alpha is 0.0, but must be a finite number above zero"),
        ({"alpha": "best"}, "alpha"),
        ({"toward": "auto"}, "toward is 'auto', but alpha is 1: use alpha='auto', too"),
        ({"C": "auto"}, "C is 'auto', but alpha is 1: use alpha='auto', too"),
        ({"C": "most"}, "C is 'most', but must be a finite number above zero"),
        ({"toward": "ramp", "order": 1}, "toward"),
        ({"toward": "kendall"}, "toward"),
        ({"toward": [1.0, 2.0]}, "toward"),
        ({"toward": np.zeros((3, 3))}, "toward has only zeros"),
        ({"order": 1, "penalty": "monotone", "toward": [1.0, 2.0, 0.0]}, r"toward\[1\] is larger than toward\[0\]"),
        ({"penalty": "monotone", "toward": np.diag([1.0, 2, 0])}, r"toward\[1, 1\] is larger than toward\[0, 0\]"),
        ({"alpha": "auto"}, "alpha is 'auto', which needs at least two rankings of each class"),
    ],
)
def test_bad_parameters(options, message):
    X = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [3, 2, 1]]
    with pytest.raises(ValueError, match=message):
        AlternatingClassifier(**options).fit(X, [0, 0, 0, 1])
