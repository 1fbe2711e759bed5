"""What must hold for every Gram matrix, for random rankings and kernels over the whole option space.

`make test` runs the same few cases each time, `make fuzz` many new ones: see `cases.py`.
"""

import pickle
import re
import time
from dataclasses import replace
from math import sqrt

import cases
import exact
import numpy as np
import pytest
import wkendall
from cases import Case, rankings
from definitions import completions
from exact import ratio
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from nouns import features, kernel_of, rankings_of
from wkendall import KendallCorrelation, Mallows, _core

ALL = settings().max_examples
#: What is refused with a clear message instead of computed.
REFUSED = re.compile("too large|too small for single precision|not to overflow|not positive semi-definite")
#: A self-similarity of at most 1e-12 of the size of its terms is 0. Rounding decides between these.
SURELY_ZERO, SURELY_POSITIVE = 5e-13, 2e-12


@pytest.fixture(scope="module", autouse=True)
def tally():
    begin = time.perf_counter()
    yield
    print(f"\nproperties: {RUNS['matrices']} matrices in {time.perf_counter() - begin:.0f} s")


RUNS = {"matrices": 0}


def allowed(**kinds):
    return cases.cases(**kinds)


def gram(case: Case, X=None, Y=None, **changed) -> np.ndarray:
    """The matrix of a case, with another way to compute it where the one that was drawn cannot."""
    X, Y = (case.X, case.Y) if X is None else (X, Y)
    RUNS["matrices"] += 1
    try:
        return wkendall.gram_matrix(X, Y, **(case.call | changed))
    except ValueError as error:
        if "cannot compute this measure" in str(error) and "backend" not in changed:
            case.backend = None
            return gram(case, X, Y, **changed)
        if REFUSED.search(str(error)):
            reject()
        raise


def same_bits(one, other):
    assert one.dtype == other.dtype
    np.testing.assert_array_equal(one.view(f"u{one.itemsize}"), other.view(f"u{other.itemsize}"))


def check_value(case: Case, found: float, s: int, t: int) -> None:
    """Compare the value for rows s and t, those of Y after those of X, with the definition."""
    rows = [*case.X, *(() if case.Y is None else case.Y)]
    raw, own = case.raw(rows[s], rows[t]), (case.own[s], case.own[t])
    where = f"{case} {s} {t}: {found}"
    single = case.dtype is np.float32
    parts = [one.value / one.size if one.size else 0 for one in own]
    if not case.options.get("normalize"):
        if case.counts and not single:
            assert found == float(raw.value), where
            return
        room = 1e-12 * raw.size + case.underflow
        if single:
            room += 2e-6 * max(one.value for one in own) + 1e-7 * abs(raw.value) + 1e-44
        is_zero = found == 0 and max(parts) <= SURELY_POSITIVE
        assert is_zero or abs(found - raw.value) <= room, f"{where}, but {float(raw.value)} within {float(room)}"
        return
    assert abs(found) <= 1 + 1e-9, where
    if min(parts) <= SURELY_ZERO:
        assert found == 0, where
    elif min(parts) >= SURELY_POSITIVE:
        wanted = ratio(raw.value, own[0].value, own[1].value)
        room = 1e-12 * (ratio(raw.size, own[0].value, own[1].value) + abs(wanted) * float(1 / min(parts)) + 1)
        room += 2e-6 * single
        assert abs(found - wanted) <= room, f"{where}, but {wanted} within {room}"


@given(allowed(two=True, most=65, dtypes=(np.float64, np.float64, np.float32)))
def test_values_are_those_of_the_definition(case):
    K = gram(case)
    columns = range(len(case.X)) if case.Y is None else range(len(case.X), len(case.X) + len(case.Y))
    assert K.shape == (len(case.X), len(columns))
    for p in range(len(case.X)):
        for q, column in enumerate(columns):
            if case.Y is not None or q <= p:
                check_value(case, float(K[p, q]), p, column)


@settings(max_examples=max(1, ALL // 2))
@given(st.data(), st.integers(0, 5), st.integers(0, 4))
def test_any_weights_of_four_ranks(data, n, m):
    """`W=` that is not symmetric: the two rankings cannot change places."""
    X, W = data.draw(rankings(n, m)), data.draw(cases.numbers(n**4)).reshape((n,) * 4)
    for backend in (None, "partition"):
        K = wkendall.gram_matrix(X, W=W, check=False, backend=backend)
        for p in range(m):
            for q in range(m):
                wanted = exact.quadruples(X[p], X[q], W)
                assert abs(K[p, q] - wanted.value) <= 1e-12 * wanted.size, (X[p], X[q], W)
        np.testing.assert_array_equal(K, wkendall.gram_matrix(X, X.copy(), W=W, check=False, backend=backend))


@given(allowed(dtypes=(np.float64, np.float64, np.float32)))
def test_symmetric_and_positive_semidefinite(case):
    K = gram(case)
    same_bits(K, np.ascontiguousarray(K.T))
    same_bits(K, gram(case, case.X, case.X.copy()))
    assert np.isfinite(K).all()
    largest = np.abs(K).max(initial=0.0)
    if largest < 1e-280 or (case.dtype is np.float32 and largest < 1e-30):
        return
    eigenvalues = np.linalg.eigvalsh(K.astype(np.float64) / float(largest))
    # In addition to the promised bound: the rounding of terms that cancel.
    parts = [float(own.size / own.value) for own in case.own if own.value > 0]
    room = 1e-10 if case.dtype is np.float64 else 1e-5
    assert eigenvalues[0] >= -room * eigenvalues[-1] - 1e-14 * len(K) * max(parts, default=0), (case, eigenvalues)


@given(allowed(normalize=True, dtypes=(np.float64, np.float64, np.float32)))
def test_normalized_values(case):
    K = gram(case)
    assert np.isfinite(K).all(), case
    assert np.abs(K).max(initial=0.0) <= 1 + 1e-9, case
    own = np.diag(K)
    room = 1e-9 if case.dtype is np.float64 else 1e-6
    assert ((own == 0) | (np.abs(own - 1) <= room)).all(), (case, own)
    parts = np.array([float(one.value / one.size) if one.size else 0.0 for one in case.own])
    assert not own[parts <= SURELY_ZERO].any(), (case, own)
    assert own[parts >= SURELY_POSITIVE].all(), (case, own)
    assert not K[own == 0].any()
    assert not K[:, own == 0].any()


def layouts(X):
    """The same rankings in other memory."""
    wide = np.zeros((len(X), 2 * X.shape[1] + 1), dtype=X.dtype)
    wide[:, ::2][:, : X.shape[1]] = X
    swapped = X.astype(X.dtype.newbyteorder())
    return [np.asfortranarray(X), wide[:, ::2][:, : X.shape[1]], X[::-1].copy()[::-1], swapped, X.astype(float)]


@given(allowed(most=65), st.integers(0, 4), st.sampled_from([np.int16, np.uint8, np.uint64, np.float32]))
def test_memory_layout_does_not_matter(case, layout, dtype):
    K = gram(case)
    same_bits(K, gram(case, layouts(case.X)[layout]))
    same_bits(K, gram(case, case.X.copy(), out=np.full_like(K, np.nan)))
    if case.X.size:
        same_bits(K, gram(case, case.X.tolist()))
    if not np.isnan(case.X).any():
        same_bits(K, gram(case, case.X.astype(dtype)))


def tiled(case: Case, threads, tile) -> np.ndarray:
    """The matrix in tiles of a given width."""
    x, y = (rankings_of(X, case.options)._handle for X in (case.X, case.X.copy()))
    out = np.empty((len(case.X), len(case.X)), case.dtype)
    measure = kernel_of(case.options)._measure(case.n, out.size)
    square = tile % 2 == 0
    y = None if square else y
    _core.gram(measure, x, y, out, threads=threads, tile=tile, backend=case.backend)
    return out


@settings(max_examples=max(1, ALL // 5))
@given(allowed(dtypes=(np.float64, np.float32)), st.integers(0, 2**32), st.sampled_from([24, 49, 150]))
def test_threads_do_not_matter(case, seed, m):
    """Enough work for several threads: the rankings of the case and others like them."""
    assume(len(case.X) and case.n > 1)
    rng = np.random.default_rng(seed)
    case = replace(case, X=np.array([rng.permutation(case.X[rng.integers(len(case.X))]) for _ in range(m)]))
    one = gram(case, n_jobs=1)
    for jobs in (2, 3):
        same_bits(one, gram(case, n_jobs=jobs))
        same_bits(one, tiled(case, jobs, 7 * jobs))
    same_bits(one, np.ascontiguousarray(one.T))


def close(case: Case, one, other, room=2e-12):
    """Whether two ways to compute a matrix agree to within the bound. Where a self-similarity may be rounding, anything goes."""
    for p, q in zip(*np.nonzero(one != other), strict=True):
        raw, own = case.raw(case.X[p], case.X[q]), (case.own[p], case.own[q])
        parts = min(part.value / part.size if part.size else 0 for part in own)
        if not case.options.get("normalize"):
            if not (0 in (one[p, q], other[p, q]) and parts <= SURELY_POSITIVE):
                assert abs(one[p, q] - other[p, q]) <= room * raw.size + case.underflow, (case, p, q)
        elif parts >= SURELY_POSITIVE:
            size = ratio(raw.size, own[0].value, own[1].value) + float(1 / parts)
            assert abs(one[p, q] - other[p, q]) <= room * (size + 1), (case, p, q, one[p, q], other[p, q])
        else:
            assert parts > SURELY_ZERO, (case, p, q, one[p, q], other[p, q])


@given(allowed(most=65))
def test_all_ways_to_compute_agree(case):
    case.backend = None
    K = gram(case)
    used = set()
    for backend in cases.BACKENDS[1:]:
        try:
            other = gram(case, backend=backend)
        except ValueError as error:
            assert "cannot compute this measure" in str(error)  # noqa: PT017
            continue
        used.add(backend)
        if case.counts:
            same_bits(K, other)
        else:
            close(case, K, other)
    assert used >= {"partition", *_core.instruction_sets()}


@given(allowed(most=65), st.booleans())
def test_inputs_and_ends(case, high):
    K = gram(case)
    ends = {"top": "high"} if high else {}
    same_bits(K, gram(case, case.n + 1 - case.X if high else case.X, **ends))
    scores = np.exp2(-(case.n + 1 - case.X if high else case.X) / 7.0)
    same_bits(K, gram(case, scores, input="scores", **ends))
    if not case.incomplete:
        ranks = case.n + 1 - case.X if high else case.X
        same_bits(K, gram(case, np.argsort(ranks, axis=1) + 1, input="orders", **ends))
        if case.X.size:
            same_bits(K, gram(case, np.argsort(ranks, axis=1), input="orders", **ends))
            same_bits(K, gram(case, ranks - 1, **ends))
    else:
        same_bits(K, gram(case, 3.5 * case.X - 100))


@given(allowed(most=65))
def test_objects_give_what_the_shorthand_gives(case):
    kernel, x = kernel_of(case.options), rankings_of(case.X, case.options)
    K = gram(case)
    how = {"dtype": case.dtype, "backend": case.backend}
    same_bits(K, wkendall.gram_matrix(x, kernel=kernel, **how))
    same_bits(K, wkendall.gram_matrix(x, x[:], kernel, **how))
    back = rankings_of(x, {})
    same_bits(K, wkendall.gram_matrix(back, kernel=pickle.loads(pickle.dumps(kernel)), **how))
    same_bits(K, wkendall.gram_matrix(pickle.loads(pickle.dumps(x)), kernel=kernel, **how))


@given(allowed(most=12))
def test_one_pair_one_permutation_and_the_diagonal(case):
    case.backend = None
    K = gram(case)
    own = wkendall.diagonal(case.X, **case.options)
    values = K.copy()
    np.fill_diagonal(values, own)
    close(case, K, values)
    for p in range(min(len(case.X), 3)):
        for q in range(min(len(case.X), 3)):
            values[p, q] = wkendall.kernel(case.X[p], case.X[q], **case.options)
    close(case, K, values)
    if len(case.X):
        identity, pi = np.arange(1, case.n + 1), case.X[0]
        case = replace(case, X=np.array([identity, pi]).reshape(2, case.n))
        one, other = gram(case), np.zeros((2, 2))
        other[:] = one
        other[0, 1] = wkendall.kappa(pi, **case.options)
        close(case, one, other)


@given(cases.cases(only_named=True, most=65))
def test_distance_mallows_and_correlation(case):
    options = {name: case.options[name] for name in ("ties", "missing") if name in case.options}
    D = wkendall.distance_matrix(rankings_of(case.X, options))
    pairs = case.n * (case.n - 1) // 2
    np.testing.assert_allclose(D, pairs - wkendall.gram_matrix(case.X, **options), rtol=1e-12, atol=1e-12 * pairs)
    if options:
        return
    signed = wkendall.gram_matrix(case.X, signed=True)
    np.testing.assert_array_equal(signed, pairs - 2 * D)
    np.testing.assert_allclose(Mallows(0.3)(case.X), np.exp(-0.3 * D), rtol=1e-14)
    if len(case.X) > 1 and case.n > 1:
        tau = wkendall.kernel(case.X[0], case.X[1], signed=True, normalize=True)
        assert KendallCorrelation()(case.X[0], case.X[1]) == pytest.approx(tau, rel=1e-15)
        weight = {name: case.options[name] for name in ("weight", "k", "u") if name in case.options}
        C = exact.named(case.X[0], case.X[1], **weight)
        both = exact.named(case.X[0], case.X[1], **weight, signed=True)
        whole = 2 * C.value - both.value
        found = KendallCorrelation(**weight)(case.X[0], case.X[1])
        if whole == 0:
            assert found == 0, case
        elif abs(whole) > 1e-9 * both.size and both.size > 0:
            wanted = float(both.value / whole)
            room = 1e-12 * float(both.size / abs(whole)) * (1 + abs(wanted))
            if "u" not in case.options or case.spread < 1e60:
                assert abs(found - wanted) <= room, (case, found, wanted)


@st.composite
def features_cases(draw):
    case = draw(allowed(only_named=True, most=33))
    options = {name: value for name, value in case.options.items() if name != "order"}
    if options.get("missing") == "anywhere":
        options["missing"] = "bottom"
    assume(case.n <= 12 or options["weight"] != "average")
    return replace(case, options=options, backend=None)


@given(features_cases())
def test_inner_products_of_features(case):
    K = gram(case)
    F = features(case.X, case.options)
    # Features have no terms of their own: they cancel in the inner products.
    found, roots = F @ F.T, [sqrt(own.size) for own in case.own]
    if case.options.get("normalize"):
        close(case, K, found, 4e-12)
        return
    room = 1e-12 * np.outer(roots, roots) + float(case.underflow)
    assert (np.abs(found - K) <= room).all(), (case, found - K)


@settings(max_examples=max(1, ALL // 2))
@given(st.data(), st.integers(1, 3), st.integers(0, 6), st.integers(0, 5))
def test_the_embedding_agrees_with_itself(data, order, n, m):
    X = data.draw(rankings(n, m))
    U, B = (np.clip(data.draw(cases.tensors(n, order)), -1e30, 1e30) for _ in range(2))
    coef = data.draw(cases.numbers(m))
    phi = wkendall.embed(X, U)
    for row, tensor in zip(X, phi, strict=True):
        np.testing.assert_array_equal(tensor, U[np.ix_(*[row - 1] * order)])
    size = np.tensordot(np.abs(coef), np.abs(phi), 1)
    combined = wkendall.combine(X, coef, U)
    assert (np.abs(combined - np.tensordot(coef, phi, 1)) <= 1e-12 * size).all()
    axes = tuple(range(1, order + 1))
    values = wkendall.linear_function(X, U, B)
    sizes = np.abs(phi * B).sum(axis=axes)
    assert (np.abs(values - (phi * B).sum(axis=axes)) <= 1e-12 * sizes + 1e-290).all()
    turned = wkendall.linear_function(wkendall.inverse(X), B, U)
    assert (np.abs(values - turned) <= 2e-12 * sizes + 1e-290).all()
    flat = phi.reshape(m, n**order)
    K = wkendall.gram_matrix(X, U=U, order=order, backend="partition")
    assert (np.abs(K - flat @ flat.T) <= 2e-12 * (np.abs(flat) @ np.abs(flat).T) + 1e-290).all()
    np.testing.assert_array_equal(wkendall.inverse(wkendall.inverse(X)), X)
    for row, back in zip(X, wkendall.inverse(X), strict=True):
        np.testing.assert_array_equal(back[row - 1], np.arange(1, n + 1))


@settings(max_examples=max(1, ALL // 2))
@given(st.data(), st.integers(0, 5), st.sampled_from(["bottom", "anywhere"]), st.booleans())
def test_the_definition_is_the_mean_over_complete_rankings(data, n, missing, signed):
    """The blocks of the definition that the other properties compare with."""
    X = data.draw(cases.tied(n, 2, True))
    u = data.draw(st.lists(st.sampled_from(cases.PLAIN), min_size=n, max_size=n))
    weights = [{}] if missing == "anywhere" else [{}, {"weight": "top", "k": max(1, n // 2)}, {"weight": "average"}]
    weights += [] if missing == "anywhere" else [{"weight": "add", "u": u}, {"weight": "mult", "u": u}]
    agreeing = [completions(row, missing) for row in X]
    if len(agreeing[0]) * len(agreeing[1]) > 400:
        agreeing[1] = agreeing[1][:1]
        X[1] = agreeing[1][0]
    for weight in weights:
        found = exact.named(X[0], X[1], missing=missing, signed=signed, **weight)
        values = [exact.named(s, t, signed=signed, **weight) for s in agreeing[0] for t in agreeing[1]]
        wanted = sum(value.value for value in values) / len(values)
        size = sum(value.size for value in values) / len(values)
        assert abs(found.value - wanted) <= 1e-14 * float(size), (X, weight)
        # Tied pairs cancel in signed kernels.
        assert found.size <= size if signed else abs(found.size - size) <= 1e-14 * float(size), (X, weight)
