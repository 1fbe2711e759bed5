"""Cases of same_bits.py for kernels: Gram matrices in all variants, single pairs, embeddings, errors.

A group is a function that yields pairs of a name and a call. Each call is made at once, so loops may reuse their variables.
"""

from functools import partial
from itertools import product

import calls
import numpy as np
import wkendall
from wkendall import _core, gram_matrix

SIZES = (0, 1, 2, 3, 5, 8, 20, 33, 64, 65, 100, 150, 300, 1000)
STRATEGIES = ("bits", "product", "pairs", "partition")
LEVELS = tuple(_core.instruction_sets())
MODES = {
    "plain": {},
    "signed": {"signed": True},
    "normalized": {"normalize": True},
    "signed normalized": {"signed": True, "normalize": True},
}
SINGLE = {"dtype": np.float32}


def random_of(*key):
    """Return a random generator seeded by these numbers."""
    return np.random.default_rng([55, *key])


def rankings(m, n, seed=0, repeated=0):
    """Draw rankings; `repeated` of them, spread over all rows, are copies of others."""
    random = random_of(m, n, seed)
    X = random.permuted(np.tile(np.arange(1, n + 1), (m, 1)), axis=1)
    if repeated:
        X[m - repeated :] = X[random.integers(m - repeated, size=repeated)]
        X = random.permutation(X)
    return X


def factors(n):
    """Return position weights: named, positive, of both signs, steep."""
    random = random_of(n)
    return {
        "log": "log",
        "hyperbolic": "hyperbolic",
        "positive": random.uniform(0.1, 2, n),
        "signs": random.normal(size=n),
        "steep": 0.5 ** np.minimum(np.arange(n), 60),
    }


def weights(n):
    """Return the named weights with their parameters."""
    found = {"standard": {}, "average": {"weight": "average"}}
    for k in sorted({1, 2, n // 3, n - 1, n}):
        if 1 <= k <= n:
            found[f"top {k}"] = {"weight": "top", "k": k}
    for weight, (name, u) in product(("add", "mult"), factors(n).items()):
        found[f"{weight} {name}"] = {"weight": weight, "u": u}
    return found


def fewer(n):
    """Return one of each kind of named weight."""
    chosen = ("standard", "average", f"top {max(n // 3, 1)}", "add log", "add signs", "mult log", "mult signs")
    return {name: options for name, options in weights(n).items() if name in chosen}


def tensors(n):
    """Return general weights for n items: options of `gram_matrix`."""
    random = random_of(n, 1)
    U, symmetric = random.normal(size=(n, n)), random.normal(size=(n, n))
    vectors = random.normal(size=(2, 3, n))
    found = {
        "U general": {"U": U},
        "U symmetric": {"U": symmetric + symmetric.T},
        "U antisymmetric": {"U": symmetric - symmetric.T},
        "U upper": {"U": np.triu(U, 1)},
        "U integer": {"U": random.integers(-3, 4, size=(n, n))},
        "U low rank": {"U": np.einsum("ra,rb->ab", *vectors)},
        "U stack": {"U": random.normal(size=(3, n, n))},
        "U factors": {"U": tuple(vectors)},
        "U terms": {"U": tuple(tuple(term) for term in vectors.transpose(1, 0, 2))},
        "U order 1": {"U": U[0] if n else np.ones(0), "order": 1},
        "U factors order 3": {"U": tuple(random.normal(size=(3, 2, n))), "order": 3},
        "U factors order 5": {"U": tuple(random.normal(size=(5, 2, n))), "order": 5},
    }
    if n <= 33:
        found["U order 3"] = {"U": random.normal(size=(n, n, n)), "order": 3}
    if n <= 8:
        square = random.normal(size=(n * n, n * n))
        found["U order 4"] = {"U": random.normal(size=(n,) * 4), "order": 4}
        found["U stack order 3"] = {"U": random.normal(size=(2, n, n, n)), "order": 3}
        found["W"] = {"W": (square @ square.T).reshape((n,) * 4)}
        found["W unchecked"] = {"W": square.reshape((n,) * 4), "check": False}
        found["W indefinite"] = {"W": (square + square.T).reshape((n,) * 4)}
    return found


def incomplete(n):
    """Return rankings with ties, missing items or both, and the options that allow them."""
    random = random_of(n, 2)
    m = 9 if n <= 300 else 4
    found = {}
    for levels in sorted({2, 5, max(n // 2, 1)}):
        found[f"{levels} levels"] = (random.integers(1, levels + 1, size=(m, n)), {"ties": "mean"})
    lists = rankings(m, n, 3).astype(float)
    lengths = random.integers(0, n + 1, size=(m, 1))
    lists[lists > lengths] = np.nan
    found["lists"] = (lists, {"missing": "bottom"})
    holes = rankings(m, n, 4).astype(float)
    holes[random.uniform(size=(m, n)) < 0.3] = np.nan
    tied = np.ceil(holes / 3)
    found["holes bottom"] = (tied, {"ties": "mean", "missing": "bottom"})
    found["holes anywhere"] = (holes, {"missing": "anywhere"})
    found["tied holes anywhere"] = (tied, {"ties": "mean", "missing": "anywhere"})
    found["no ties"] = (rankings(m, n, 5), {"ties": "mean", "missing": "bottom"})
    return found


def three_ways(X, Y, **options):
    """Compute without Y, with Y, and in single precision."""
    return {
        "X": gram_matrix(X, **options),
        "X Y": gram_matrix(X, Y, **options),
        "X single": gram_matrix(X, **options, **SINGLE),
    }


def gram():
    """Every named weight, size, mode and order, with the default strategy."""
    for n in SIZES:
        m = 9 if n <= 300 else 4
        X, Y = rankings(m, n, repeated=2), rankings(m - 2, n, 1)
        for (name, options), (mode, more) in product(weights(n).items(), MODES.items()):
            yield f"n={n} {name} {mode}", partial(three_ways, X, Y, **options, **more)
        for (name, options), order, normalize in product(weights(n).items(), (1, 3, 5), (False, True)):
            title = f"n={n} {name} order {order}{' normalized' * normalize}"
            yield title, partial(gram_matrix, X, Y, **options, order=order, normalize=normalize)


def backends():
    """Every strategy with every instruction set of the machine."""
    for n in (0, 1, 3, 8, 33, 64, 65, 100, 150, 300):
        X, Y = rankings(11, n, 2, repeated=3), rankings(6, n, 3)
        of_pairs = {
            f"{name} {mode}": {**options, **MODES[mode]}
            for (name, options), mode in product(fewer(n).items(), ("plain", "signed normalized"))
        }
        general = {name: tensors(n)[name] for name in ("U general", "U antisymmetric", "U factors", "U stack")}
        higher = {f"{name} order 3": {**options, "order": 3} for name, options in fewer(n).items()}
        for (name, options), strategy, level in product((of_pairs | general | higher).items(), STRATEGIES, LEVELS):
            backend = f"{strategy}-{level}"
            yield f"n={n} {name} {backend}", partial(gram_matrix, X, Y, **options, backend=backend)
            if n in (8, 65, 150):
                yield f"n={n} {name} {backend} single", partial(gram_matrix, X, **options, backend=backend, **SINGLE)


def tiles():
    """Enough rankings for several tiles, with and without repeated rows, on one thread and on two."""
    for n in (6, 20, 65, 150, 300):
        X, Y, few = rankings(100, n), rankings(70, n, 1), rankings(130, n, 2, repeated=90)
        kinds = {**fewer(n), "mult steep": weights(n)["mult steep"]}
        kinds |= {f"{name} signed normalized": {**kinds[name], **MODES["signed normalized"]} for name in list(kinds)}
        if n <= 65:
            kinds |= {f"{name} order 3": {**options, "order": 3} for name, options in fewer(n).items()}
            kinds |= {
                name: tensors(n)[name] for name in ("U general", "U low rank", "U symmetric", "U factors", "U stack")
            }
        for (name, options), jobs in product(kinds.items(), (1, 2)):
            call = partial(gram_matrix, **options, n_jobs=jobs)
            yield f"n={n} {name} 100 x 70, {jobs} threads", partial(call, X, Y)
            yield f"n={n} {name} 100, {jobs} threads", partial(call, X)
            yield f"n={n} {name} repeated rows, {jobs} threads", partial(call, few)
            yield (
                f"n={n} {name} single, {jobs} threads",
                partial(call, X, out=np.empty((100, 100), np.float32), **SINGLE),
            )
        for name, strategy in product(fewer(n), STRATEGIES[:3]):
            yield f"n={n} {name} {strategy}", partial(gram_matrix, few, Y, **fewer(n)[name], backend=strategy)
    many = rankings(1500, 6, 4)
    for name, options in fewer(6).items():
        yield f"1500 rankings of 6 items {name}", partial(gram_matrix, many, many[:200], **options)


def general():
    """U, stacks, factors and W."""
    for n in (0, 1, 2, 3, 5, 8, 20, 33, 65, 100):
        X, Y = rankings(8, n, repeated=2), rankings(6, n, 1)
        many = rankings(40, n, 2)
        for (name, options), mode in product(tensors(n).items(), ("plain", "normalized", "signed")):
            if n <= 33 or "order" not in name:
                yield f"n={n} {name} {mode}", partial(three_ways, X, Y, **options, **MODES[mode])
        for name in ("U general", "U low rank", "U symmetric", "U antisymmetric", "U factors"):
            yield f"n={n} {name} 40 rankings", partial(gram_matrix, many, **tensors(n)[name])
        for name, top in product(("U general", "U order 1"), ("low", "high")):
            yield f"n={n} {name} top {top}", partial(gram_matrix, X, **tensors(n)[name], top=top)


def ties():
    """Ties and missing items."""
    for n in SIZES:
        complete = rankings(5, n, 6)
        for kind, (X, allowed) in incomplete(n).items():
            kinds = weights(n) if n in (5, 33) else fewer(n)
            if kind.endswith("anywhere"):
                kinds = {name: kinds[name] for name in ("standard", "add log")}
            for (name, options), (mode, more) in product(kinds.items(), MODES.items()):
                call = partial(gram_matrix, X, **options, **more, **allowed)
                yield f"n={n} {kind} {name} {mode}", call
                if mode != "signed":
                    yield f"n={n} {kind} {name} {mode} with complete", partial(call, complete)
            yield f"n={n} {kind} distance", partial(calls.distance_matrix, X, complete, **allowed)
            yield f"n={n} {kind} single", partial(gram_matrix, X, **allowed, weight="standard", **SINGLE)
            yield f"n={n} {kind} high", partial(gram_matrix, X, **allowed, top="high", normalize=True)
            yield f"n={n} {kind} scores", partial(gram_matrix, X, **allowed, input="scores", signed=True)
            yield f"n={n} {kind} diagonal", partial(wkendall.diagonal, X, **allowed)


def ties_backends():
    """Ties and missing items by every strategy, in single precision, on two threads, in tiles."""
    for n in (3, 20, 65, 150):
        for kind, (X, allowed) in incomplete(n).items():
            for (name, options), strategy, level in product(fewer(n).items(), STRATEGIES, LEVELS):
                if kind in ("5 levels", "lists", "holes anywhere"):
                    call = partial(gram_matrix, X, **options, **allowed, backend=f"{strategy}-{level}")
                    yield f"n={n} {kind} {name} {strategy}-{level}", call
            many = np.concatenate([X] * 9)[: 60 if n > 65 else 80]
            for (name, options), jobs in product(fewer(n).items(), (1, 2)):
                call = partial(gram_matrix, **options, **allowed, n_jobs=jobs, signed=True, normalize=True)
                yield f"n={n} {kind} {name} repeated rows, {jobs} threads", partial(call, many)
                yield f"n={n} {kind} {name} single, {jobs} threads", partial(call, X, **SINGLE)
    for name, options in fewer(30).items():
        X = random_of(9).integers(1, 9, size=(100, 30))
        yield f"100 x 70 tied rankings {name}", partial(gram_matrix, X, X[30:], ties="mean", **options)


def single_pairs():
    """Functions of one or two rankings, distances, Mallows kernels and diagonals."""
    for n in SIZES:
        X, Y = rankings(6, n, 7, repeated=1), rankings(5, n, 8)
        for name, options in weights(n).items():
            for mode, more in MODES.items():
                yield f"kernel n={n} {name} {mode}", partial(wkendall.kernel, X[0], Y[0], **options, **more)
                yield f"kappa n={n} {name} {mode}", partial(wkendall.kappa, X[0], **options, **more)
            yield f"kappa n={n} {name} high", partial(wkendall.kappa, X[0], **options, top="high")
            yield f"kernel n={n} {name} order 3", partial(wkendall.kernel, X[0], Y[0], **options, order=3)
            yield f"correlation n={n} {name}", partial(calls.correlation, X[0], Y[0], **options)
            yield f"diagonal n={n} {name}", partial(wkendall.diagonal, X, **options)
            yield f"diagonal n={n} {name} order 3", partial(wkendall.diagonal, X, **options, order=3)
        for dtype in ("float64", "float32"):
            yield f"distance n={n} {dtype}", partial(calls.distance_matrix, X, Y, dtype=dtype)
            for lam in (0.0, 0.003, 0.1, 1.0):
                yield f"mallows n={n} {lam} {dtype}", partial(calls.mallows, X, Y, lam, dtype=dtype)
    for name, options in tensors(8).items():
        X = rankings(2, 8, 9)
        yield f"kernel {name}", partial(wkendall.kernel, *X, **options, normalize=True)
        yield f"kappa {name}", partial(wkendall.kappa, X[0], **options)
        yield f"diagonal {name}", partial(wkendall.diagonal, X, **options)


def embeddings():
    """Tensors, sums of tensors, features, position weights."""
    for n in (0, 1, 2, 3, 5, 8, 20, 33):
        X, random = rankings(7, n, 10, repeated=2), random_of(n, 10)
        yield f"inverse n={n}", partial(calls.of_one, "inverse", X)
        for order in (1, 2, 3) if n <= 8 else (1, 2):
            U, B, coefficients = (
                random.normal(size=(n,) * order),
                random.normal(size=(n,) * order),
                random.normal(size=7),
            )
            for top in ("low", "high"):
                title, told = f"n={n} order {order} {top}", {"top": top}
                yield f"embed {title}", partial(calls.of_one, "embed", X, U, **told)
                yield f"combine {title}", partial(calls.of_one, "combine", X, coefficients, U, **told)
                yield f"linear_function {title}", partial(calls.of_one, "linear_function", X, U, B, **told)
        for (name, options), (mode, more) in product(weights(n).items(), MODES.items()):
            yield f"features n={n} {name} {mode}", partial(calls.of_one, "features", X, **options, **more)
        for name, options in fewer(n).items():
            yield f"features n={n} {name} single", partial(calls.of_one, "features", X, **options, **SINGLE)
            for kind, (tied, allowed) in incomplete(n).items():
                yield f"features n={n} {kind} {name}", partial(calls.of_one, "features", tied, **options, **allowed)
        for (name, options), order in product(weights(n).items(), (1, 2, 3)):
            if n <= 20:
                yield (
                    f"weights n={n} {name} order {order}",
                    partial(wkendall.position_weights, n, **options, order=order),
                )
    many = rankings(300, 12, 11, repeated=100)
    U, coefficients = random_of(12).normal(size=(12, 12)), random_of(13).normal(size=300)
    yield "combine 300 rankings", partial(calls.of_one, "combine", many, coefficients, U)
    yield "linear_function 300 rankings", partial(calls.of_one, "linear_function", many, U, U.T.copy())


def inputs():
    """Kinds and types of input."""
    for n in (1, 5, 33, 100):
        X, options = rankings(6, n, 12), {"weight": "mult", "u": "log"}
        scores = random_of(n, 12).normal(size=(6, n))
        given = {
            "from 0": X - 1,
            "lists": X.tolist(),
            "columns": np.asfortranarray(X),
            "every other": np.repeat(X, 2, 0)[::2],
        }
        given |= {name: X.astype(name) for name in ("int8", "uint16", "int32", "uint64", "float32", "float64")}
        for (name, values), kind, top in product(given.items(), ("ranks", "orders", "scores"), ("low", "high")):
            yield f"n={n} {name} {kind} {top}", partial(gram_matrix, values, **options, input=kind, top=top)
        for kind, top in product(("ranks", "scores"), ("low", "high")):
            yield f"n={n} real {kind} {top}", partial(gram_matrix, scores, **options, input=kind, top=top)
        yield f"n={n} inverse of orders", partial(calls.of_one, "inverse", X, input="orders")
        yield f"n={n} distance of orders", partial(calls.distance_matrix, X, input="orders", top="high")


def refusals():
    """Calls that raise an error; the type of the error must not change."""
    X = rankings(4, 5, 13)
    bad = {
        "repeated rank": [[1, 1, 3]], "rank 0 and 4": [[0, 4, 3]], "half a rank": [[1.5, 2, 3]], "NaN": [[1, np.nan, 3]],
        "infinity": [[1, np.inf, 3]], "text": [["a", "b"]], "one axis": [1, 2, 3], "ragged": [[1, 2], [1]], "None": None,
        "complex": [[1j, 2]], "mixed bases": [[0, 1, 2], [1, 2, 3]], "booleans": [[True, False]],
    }  # fmt: skip
    for (name, values), kind in product(bad.items(), ("ranks", "orders", "scores", "places")):
        yield f"{name} {kind}", partial(gram_matrix, values, input=kind)
        for ties, missing in (("mean", "error"), ("error", "bottom"), ("mean", "anywhere")):
            yield (
                f"{name} {kind} {ties} {missing}",
                partial(gram_matrix, values, input=kind, ties=ties, missing=missing),
            )
    wrong = [
        {"weight": "best"}, {"weight": "top"}, {"weight": "top", "k": 0}, {"weight": "top", "k": 6}, {"weight": "mult"},
        {"k": 2}, {"u": "log"}, {"weight": "mult", "u": "steep"}, {"weight": "mult", "u": [1, 2]}, {"order": 0},
        {"weight": "mult", "u": [1, 2, np.nan, 4, 5]}, {"order": 2.5}, {"order": 3, "signed": True}, {"signed": 1},
        {"U": np.ones((4, 4))}, {"U": np.ones(5)}, {"U": np.eye(5), "weight": "add"}, {"W": np.ones((5, 5))}, {"top": "left"},
        {"U": np.eye(5), "W": np.ones((5,) * 4)}, {"U": ()}, {"dtype": "int64"}, {"out": np.empty((4, 3))}, {"n_jobs": 0},
        {"backend": "fast"}, {"ties": "first"}, {"missing": "top"}, {"weight": "mult", "u": np.full(5, 1e200)},
        {"weight": "mult", "u": np.full(5, 1e20), **SINGLE}, {"Y": rankings(2, 6)}, {"progress": 2}, {"n_jobs": 1.5},
    ]  # fmt: skip
    for number, options in enumerate(wrong):
        yield f"options {number} {', '.join(options)}", partial(gram_matrix, X, **options)
    yield "mallows negative", partial(calls.mallows, X, lam=-1)
    yield "kernel of two sizes", partial(wkendall.kernel, [1, 2], [1, 2, 3])
    yield "combine too few", partial(calls.of_one, "combine", X, [1.0], np.eye(5))
    yield "linear_function two orders", partial(calls.of_one, "linear_function", X, np.eye(5), np.ones(5))
    yield "embed wrong size", partial(calls.of_one, "embed", X, np.eye(4))
    yield "position_weights negative", partial(wkendall.position_weights, -1)


GROUPS = {
    "gram": gram, "backends": backends, "tiles": tiles, "general": general, "ties": ties, "tied-engine": ties_backends,
    "pairs": single_pairs, "embedding": embeddings, "input": inputs, "refusals": refusals,
}  # fmt: skip
