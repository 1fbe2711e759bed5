"""What must hold for every Gram matrix, however it is asked for. tests/rust compares the values with definitions.

`make test` takes the same few cases each time, `make fuzz` as many new ones as WKENDALL_EXAMPLES says.
"""

import os
import pickle
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
import wkendall
from definitions import NAN, counted, random_rankings
from nouns import features, kernel_of, rankings_of
from wkendall import KendallCorrelation, KendallDistance, Mallows, _core

EXAMPLES = os.environ.get("WKENDALL_EXAMPLES")
SEEDS = np.random.SeedSequence().generate_state(int(EXAMPLES)).tolist() if EXAMPLES else range(60)
STRATEGIES = ("bits", "product", "pairs", "partition")
SETS = _core.instruction_sets()
BACKENDS = [*STRATEGIES, *SETS, *(f"{strategy}-{level}" for strategy in STRATEGIES for level in SETS)]


class Case(NamedTuple):
    """Rows of ranks, of which the least is the best, and options of `gram_matrix`."""

    X: np.ndarray
    options: dict

    @property
    def n(self):
        return self.X.shape[1]

    @property
    def incomplete(self):
        return "ties" in self.options

    def gram(self, X=None, Y=None, **changed):
        return wkendall.gram_matrix(self.X if X is None else X, Y, **(self.options | changed))

    def close(self, found, wanted, exact=True):
        """Compare two ways to compute values, relative to the largest self-similarity; counts are exact."""
        if exact and counted(self.options) and not self.incomplete and not self.options.get("normalize"):
            np.testing.assert_array_equal(found, wanted)
        size = wkendall.diagonal(self.X, **self.options).max(initial=0.0)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * max(size, self.options.get("normalize", False)))


def general(rng, n):
    """The options of a kernel with weights `U=` or `W=` in each of their forms."""
    order = int(rng.choice([1, 2, 3] if n <= 8 else [1, 2]))
    root, factors = rng.standard_normal((n * n, 2)), rng.standard_normal((2, order, n))
    forms = {
        "dense": rng.standard_normal((n,) * order),
        "stack": rng.standard_normal((2,) + (n,) * order),
        "axes": tuple(np.ascontiguousarray(factors[:, axis]) for axis in range(order)),
        "terms": tuple(tuple(term) for term in factors),
    }
    kind = str(rng.choice([*forms, *(["W"] if n <= 5 else [])]))
    return {"W": (root @ root.T).reshape((n,) * 4)} if kind == "W" else {"U": forms[kind], "order": order}


def named(rng, n, kind):
    """The options of a kernel with a named weight, and how rankings of a kind are read."""
    weight = (
        "standard" if kind == "anywhere" else str(rng.choice(["standard", "top", "add", "mult", "average", "later"]))
    )
    options = {"weight": weight}
    if weight == "top":
        options["k"] = int(rng.integers(1, max(n, 1) + 1))
    if weight in ("add", "mult", "later"):
        options["u"] = ["hyperbolic", "log", rng.standard_normal(n), 10.0 ** -np.arange(n)][rng.integers(4)]
    if kind == "complete":
        return options | [{}, {"signed": True}, {"order": 3}][rng.integers(2 if weight == "later" else 3)]
    missing = "error" if kind == "tied" else kind
    return options | {"signed": bool(rng.integers(2)), "ties": "mean", "missing": missing}


@pytest.fixture(params=SEEDS)
def case(request):
    rng = np.random.default_rng(request.param)
    kind = str(rng.choice(["complete", "complete", "tied", "bottom", "anywhere", "general"]))
    n = int(rng.choice([*range(13), 33, 65]))
    options = {"normalize": bool(rng.integers(2))} | (general(rng, n) if kind == "general" else named(rng, n, kind))
    X = random_rankings(rng, int(rng.integers(0, 8)), n)
    if "ties" in options:
        X = np.ceil(X / rng.integers(1, 4, (len(X), 1)))
        X[rng.random(X.shape) < (0 if kind == "tied" else 0.3)] = NAN
    return Case(np.concatenate([X, X[: rng.integers(3)]]), options)


def same_bits(one, other):
    assert one.dtype == other.dtype
    np.testing.assert_array_equal(one.view(f"u{one.itemsize}"), other.view(f"u{other.itemsize}"))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_symmetric_and_positive_semidefinite(case, dtype):
    K = case.gram(dtype=dtype)
    assert (K.shape, K.dtype) == ((len(case.X), len(case.X)), dtype)
    assert np.isfinite(K).all()
    for same in (K.T, case.gram(Y=case.X.copy(), dtype=dtype), case.gram(out=np.full_like(K, NAN), dtype=dtype)):
        same_bits(K, np.ascontiguousarray(same))
    eigenvalues = np.linalg.eigvalsh(K.astype(float)) if K.size else np.ones(1)
    assert eigenvalues[0] >= -(1e-10 if dtype is np.float64 else 1e-5) * abs(eigenvalues[-1])
    if case.options["normalize"]:
        assert (np.abs(K) <= 1 + 1e-6).all()
        assert np.isin(np.diag(K).round(6), [0, 1]).all()


def test_memory_layout_does_not_matter(case):
    X, K = case.X, case.gram()
    wide = np.zeros((len(X), 2 * case.n + 1), dtype=X.dtype)
    wide[:, 1::2] = X
    layouts = [np.asfortranarray(X), wide[:, 1::2], X[::-1].copy()[::-1], X.astype(X.dtype.newbyteorder())]
    layouts += [] if np.isnan(X).any() else [X.astype(kind) for kind in (np.int16, np.uint8, np.uint64, np.float32)]
    for same in [*layouts, *([X.tolist()] if X.size else [])]:
        same_bits(K, case.gram(same))


def test_threads_tiles_and_backends_agree(case):
    rng = np.random.default_rng(0)
    rows = [rng.permutation(case.X[row % len(case.X)]) for row in range(49)] if len(case.X) else case.X
    many = Case(np.array(rows), case.options)
    K = many.gram(n_jobs=1)
    x, measure = rankings_of(many.X, case.options), kernel_of(case.options)._measure(case.n, K.size)
    for jobs in (2, 3):
        same_bits(K, many.gram(n_jobs=jobs))
        for y in (None, x[:]._handle):
            out = np.empty_like(K)
            _core.gram(measure, x._handle, y, out, threads=jobs, tile=7 * jobs)
            same_bits(K, out)
    used = set()
    for backend in BACKENDS:
        try:
            many.close(many.gram(backend=backend), K)
            used.add(backend)
        except ValueError as error:
            assert "cannot compute this measure" in str(error)  # noqa: PT017
    assert used >= {"partition", *SETS}


@pytest.mark.parametrize("top", ["low", "high"])
def test_inputs_and_ends(case, top):
    K, ranks = case.gram(), case.X if top == "low" else case.n + 1 - case.X
    same_bits(K, case.gram(ranks, top=top))
    same_bits(K, case.gram(np.exp2(-ranks / 7.0), input="scores", top=top))
    if case.incomplete:
        same_bits(K, case.gram(3.5 * case.X - 100))
    else:
        same_bits(K, case.gram(np.argsort(ranks, axis=1) + 1, input="orders", top=top))
        if case.X.size:
            same_bits(K, case.gram(np.argsort(ranks, axis=1), input="orders", top=top))
            same_bits(K, case.gram(ranks - 1, top=top))


def test_objects_give_what_the_shorthand_gives(case):
    kernel, x, K = kernel_of(case.options), rankings_of(case.X, case.options), case.gram()
    same_bits(K, wkendall.gram_matrix(x, x[:], kernel))
    same_bits(K, wkendall.gram_matrix(rankings_of(x, {}), kernel=pickle.loads(pickle.dumps(kernel))))
    same_bits(K, wkendall.gram_matrix(pickle.loads(pickle.dumps(x)), kernel=kernel))


def test_one_pair_one_permutation_and_the_diagonal(case):
    K, identity = case.gram(), np.arange(1, case.n + 1)
    case.close(wkendall.diagonal(case.X, **case.options), np.diag(K))
    for p, s in enumerate(case.X[:3]):
        case.close([wkendall.kernel(s, t, **case.options) for t in case.X], K[p])
        case.close(wkendall.kappa(s, **case.options), wkendall.kernel(identity, s, **case.options))
    if {"U", "W"} & set(case.options) or case.options.get("order") or case.options.get("missing") == "anywhere":
        return
    F = features(case.X, case.options)
    case.close(F @ F.T, K, exact=False)
    if not case.incomplete:
        weight = {name: case.options[name] for name in ("weight", "k", "u") if name in case.options}
        signed, plain = (wkendall.gram_matrix(case.X, signed=signed, **weight) for signed in (True, False))
        whole = 2 * plain - signed
        far = np.abs(whole) > 1e-3 * np.abs(plain).max(initial=0)
        np.testing.assert_allclose(KendallCorrelation(**weight)(case.X)[far], (signed / np.where(far, whole, 1))[far])


def test_distances_and_mallows(case):
    x, pairs = rankings_of(case.X, case.options), case.n * (case.n - 1) / 2
    D = wkendall.distance_matrix(x)
    np.testing.assert_allclose(D, pairs - wkendall.gram_matrix(x), rtol=1e-12, atol=1e-12 * pairs)
    np.testing.assert_allclose(Mallows(0.3)(x), np.exp(-0.3 * D), rtol=1e-14)


def test_neighbours(case):
    """Bitwise the values of the matrix: the best of each row, equal ones by their index, and all within a radius."""
    x = rankings_of(case.X, case.options)
    for measure, y in product((kernel_of(case.options), KendallDistance()), (None, x[: len(x) - 1])):
        K = wkendall.similarity_matrix(x, y, measure)
        keys = K.copy() if measure.is_distance else -K
        if y is None:
            np.fill_diagonal(keys, np.inf)
        for count in {1, len(x) // 2, len(x) - 1} if len(x) > 1 else ():
            found = wkendall.neighbors(x, y, n_neighbors=max(count, 1), measure=measure)
            indices = np.argsort(keys, axis=1, kind="stable")[:, : max(count, 1)]
            np.testing.assert_array_equal(found.indices, indices)
            same_bits(found.values, np.take_along_axis(K, indices, axis=1))
        limit = np.quantile(K, 0.3, method="nearest") if K.size else 0.0
        close = keys <= (limit if measure.is_distance else -limit)
        within = wkendall.neighbors_within(x, y, radius=limit, measure=measure)
        assert within.has_sorted_indices
        np.testing.assert_array_equal(within.indices, np.nonzero(close)[1])
        same_bits(within.data, K[close])
