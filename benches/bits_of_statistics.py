"""Cases of same_bits.py for neighbours, tests, consensus, importance of pairs, correlations and optimisation."""

from functools import partial
from itertools import product

import calls
import numpy as np
import wkendall
from bits_of_kernels import MODES, SINGLE, fewer, incomplete, random_of, rankings, tensors
from bits_of_models import COMPLETE_AND_NOT, clustered, transformed
from scipy.sparse import csr_array
from wkendall.optimize import minimize

PERMUTATIONS = 49


def sparse_parts(graph):
    return {"data": graph.data, "indices": graph.indices, "indptr": graph.indptr}


def measures(n):
    """Return measures as options."""
    kinds = {f"{name} {mode}": {**o, **MODES[mode]} for (name, o), mode in product(fewer(n).items(), MODES)}
    return kinds | {"distance": {"metric": "distance"}, "U": tensors(n)["U general"]}


def catalogue(m, n, seed):
    """Return lists of three items out of n as a sparse array."""
    listed = np.argsort(random_of(m, n, seed).random((m, n)), axis=1)[:, :3]
    return csr_array((np.tile([1.0, 2.0, 3.0], m), listed.ravel(), np.arange(m + 1) * 3), shape=(m, n))


def searched(X, Y, **options):
    """Find the nearest rankings, those within a radius, and the graph."""
    near = calls.neighbors(X, Y, n_neighbors=3, **options)
    radius = float(np.median(near.values))
    within = calls.neighbors_within(X, Y, radius=radius, **options)
    found = {"values": near.values, "neighbours": near.indices}
    found |= {f"within {name}": part for name, part in sparse_parts(within).items()}
    graph = calls.neighbors_graph(X, Y, n_neighbors=3, **options)
    return found | {f"graph {name}": part for name, part in sparse_parts(graph).items()}


def model_searched(model, X, Y):
    model.fit(X)
    found = dict(zip(("distances", "neighbours"), model.kneighbors(Y), strict=True))
    found |= dict(zip(("own distances", "own neighbours"), model.kneighbors(), strict=True))
    found |= {f"graph {name}": part for name, part in sparse_parts(model.transform(Y)).items()}
    return found | {"connected": model.kneighbors_graph(Y).indices}


def neighbours():
    for n in (4, 8, 30, 150):
        X, Y = rankings(30, n, 90, repeated=6), rankings(20, n, 91)
        for name, options in measures(n).items():
            yield f"n={n} {name}", partial(searched, X, None, **options)
            yield f"n={n} {name} Y", partial(searched, X, Y, **options)
            yield f"KendallNeighbors n={n} {name}", partial(model_searched, calls.kendall_neighbors(3, **options), X, Y)
        model = calls.kendall_neighbors(3, lam=0.05)
        yield f"KendallNeighbors n={n} mallows", partial(model_searched, model, X, Y)
        for kind, (tied, allowed) in incomplete(n).items():
            yield f"n={n} {kind}", partial(searched, tied, None, **allowed)
            yield f"n={n} {kind} distance", partial(searched, tied, tied[::-1], metric="distance", **allowed)
            repeated = np.concatenate([tied, tied[::2]])
            for name, options in measures(n).items():
                if not kind.endswith("anywhere") or name in ("standard signed normalized", "distance"):
                    model = calls.kendall_neighbors(3, **options, **allowed)
                    yield f"KendallNeighbors n={n} {kind} {name}", partial(model_searched, model, repeated, tied[::2])
        yield f"packed_signs n={n}", partial(calls.of_one, "packed_signs", X)
        yield f"packed_signs n={n} high", partial(calls.of_one, "packed_signs", X, top="high")
    for m, n in ((60, 200), (400, 1000)):
        X, Y, allowed = catalogue(m, n, 92), catalogue(20, n, 93), {"missing": "bottom"}
        kinds = measures(n)
        for name in sorted(kinds.keys() - {"U"}):
            yield f"{m} lists of {n} {name}", partial(searched, X, Y, **kinds[name], **allowed)
            model = calls.kendall_neighbors(3, **kinds[name], **allowed)
            yield f"KendallNeighbors {m} lists of {n} {name}", partial(model_searched, model, X, Y)


def distances():
    """Distances in the feature spaces of kernels."""
    for n in (4, 8, 30):
        X, Y = rankings(20, n, 94, repeated=5), rankings(9, n, 95)
        kernels = {f"{name} {mode}": {**o, **MODES[mode]} for (name, o), mode in product(fewer(n).items(), MODES)}
        for name, options in (kernels | {"U": tensors(n)["U general"]}).items():
            yield f"n={n} {name}", partial(calls.distance_matrix, X, kernel=options)
            yield f"n={n} {name} Y", partial(calls.distance_matrix, X, Y, kernel=options)
            yield f"n={n} {name} single", partial(calls.distance_matrix, X, kernel=options, **SINGLE)
        for kind, (tied, allowed) in incomplete(n).items():
            kernel = {"weight": "standard", "signed": True}
            yield f"n={n} {kind}", partial(calls.distance_matrix, tied, kernel=kernel, **allowed)


def objects():
    """Gram matrices by `Rankings` and kernels, where there are any."""
    for n in (0, 1, 5, 33, 100):
        X, Y = rankings(8, n, 96, repeated=2), rankings(5, n, 97)
        for (name, options), (mode, more) in product(fewer(n).items(), MODES.items()):
            yield f"n={n} {name} {mode}", partial(calls.gram_by_objects, X, Y, **options, **more)
        for name, options in tensors(n).items():
            yield f"n={n} {name}", partial(calls.gram_by_objects, X, **options)
        for (kind, (tied, allowed)), (name, options) in product(incomplete(n).items(), fewer(n).items()):
            yield f"n={n} {kind} {name}", partial(calls.gram_by_objects, tied, **options, **allowed)
        for kind, top in product(("ranks", "orders", "scores"), ("low", "high")):
            yield f"n={n} {kind} {top}", partial(calls.gram_by_objects, X, weight="average", input=kind, top=top)


def lists():
    """Lists out of a catalogue as sparse arrays."""
    for m, n in ((12, 9), (40, 200)):
        X, Y, allowed = catalogue(m, n, 101), catalogue(10, n, 102), {"missing": "bottom"}
        kinds = measures(n)
        for name in sorted(kinds.keys() - {"U", "distance"}):
            told = kinds[name] | allowed
            yield f"gram {m} of {n} {name}", partial(wkendall.gram_matrix, X, Y, **told)
            yield f"objects {m} of {n} {name}", partial(calls.gram_by_objects, X, Y, **told)
            yield f"diagonal {m} of {n} {name}", partial(wkendall.diagonal, X, **told)
            if n < 100:
                yield f"features {m} of {n} {name}", partial(calls.of_one, "features", X, **told)
            yield f"KendallGram {m} of {n} {name}", partial(transformed, calls.gram_transformer(**told), X, Y)
            nystroem = calls.nystroem(5, random_state=0, **told)
            yield f"KendallNystroem {m} of {n} {name}", partial(transformed, nystroem, X, Y)
            k_means = calls.k_means(3, n_init=2, random_state=0, **told)
            yield f"KendallKMeans {m} of {n} {name}", partial(clustered, k_means, X, Y)
        full = csr_array(rankings(6, n, 103).astype(float))
        for order in (1, 2, 3):
            yield f"all items {n} order {order}", partial(wkendall.gram_matrix, full, order=order, **allowed)
        yield f"distance {m} of {n}", partial(calls.distance_matrix, X, Y, **allowed)
        yield f"mallows {m} of {n}", partial(calls.mallows, X, Y, 0.1, **allowed)
        how = {"n_permutations": PERMUTATIONS, "rng": 5}
        yield f"two {m} of {n}", partial(calls.two_sample_test, X, Y, **allowed, **how)
        yield f"independence {m} of {n}", partial(calls.independence_test, X, list("abcd") * (m // 4), **allowed, **how)
        yield f"consensus {m} of {n}", partial(calls.consensus, X, method="borda", rng=1, **allowed)


def groups_of(n):
    make = wkendall.datasets.make_mallows
    return [make(25, rankings(1, n, 98)[0], lam, rng=number) for number, lam in enumerate((0.2, 0.3, 1.0))]


def tests():
    """Tests of groups and of independence."""
    how = {"n_permutations": PERMUTATIONS, "rng": 5}
    for n in (3, 5, 12):
        groups = groups_of(n)
        kernels = {"default": None, "mallows": {"lam": 0.1, "normalize": True}}
        kernels |= {name: {"weight": "standard", **options} for name, options in fewer(n).items()}
        kernels |= {"U": tensors(n)["U general"], "order 3": {"weight": "standard", "order": 3}}
        numbers, labels = random_of(n).normal(size=25), [str(k % 3) for k in range(25)]
        values = {"labels": labels, "numbers": numbers, "repeated": np.round(numbers), "whole": np.arange(25) % 7}
        values |= {"vectors": random_of(n, 1).normal(size=(25, 2))}
        for name, kernel in kernels.items():
            yield f"two n={n} {name}", partial(calls.two_sample_test, *groups[:2], kernel=kernel, **how)
            yield f"three n={n} {name}", partial(calls.two_sample_test, *groups, kernel=kernel, **how)
            for kind, y in values.items():
                call = partial(calls.independence_test, groups[0], y, kernel=kernel, **how)
                yield f"independence n={n} {name} {kind}", call
        for name, y_kernel in {"default": {}, "mallows": kernels["mallows"], "mult": kernels["mult log"]}.items():
            call = partial(calls.independence_test, groups[0], groups[1], y_kernel=y_kernel, **how)
            yield f"independence n={n} of rankings {name}", call
        for kind in ("numbers", "repeated", "vectors"):
            call = partial(calls.independence_test, groups[0], values[kind], bandwidth=0.7, **how)
            yield f"independence n={n} bandwidth {kind}", call
        yield (
            f"independence n={n} delta",
            partial(calls.independence_test, groups[0], values["whole"], y_kernel="delta", **how),
        )
        for kind in COMPLETE_AND_NOT:
            tied, allowed = incomplete(n)[kind]
            yield f"two n={n} {kind}", partial(calls.two_sample_test, tied, tied[::2], **allowed, **how)
            y = np.arange(len(tied)) % 4
            yield f"independence n={n} {kind}", partial(calls.independence_test, tied, y, **allowed, **how)


def agreement():
    """Consensus and importance of pairs."""
    for n in (3, 6, 9, 20):
        X, random = rankings(15, n, 99, repeated=4), random_of(n, 99)
        weight, coefficients = random.uniform(size=15), random.normal(size=15)
        for (name, options), method in product(fewer(n).items(), ("auto", "exact", "local", "borda")):
            if n < 20 or method != "exact":
                yield f"consensus n={n} {name} {method}", partial(calls.consensus, X, method=method, rng=2, **options)
        yield f"consensus n={n} weights", partial(calls.consensus, X, sample_weight=weight, rng=3)
        for name, options in (fewer(n) | {"U": tensors(n)["U general"]}).items():
            for normalize in (False, True):
                call = partial(calls.of_one, "pair_importance", X, coefficients, normalize=normalize, **options)
                yield f"importance n={n} {name}{' normalized' * normalize}", lambda call=call: call()._asdict()
        for kind in COMPLETE_AND_NOT:
            tied, allowed = incomplete(n)[kind]
            yield f"consensus n={n} {kind}", partial(calls.consensus, tied, rng=4, **allowed)
            call = partial(calls.of_one, "pair_importance", tied, coefficients[: len(tied)], n_pairs=5, **allowed)
            yield f"importance n={n} {kind}", lambda call=call: call()._asdict()


def correlations():
    for n, m in product((2, 5, 30, 100), (1, 4)):
        data = random_of(n, m).normal(size=(n, m))
        holes = np.where(random_of(n, m, 1).uniform(size=(n, m)) < 0.2, np.nan, np.round(data, 1))
        for name, values in {"no ties": data, "ties": np.round(data), "missing": holes}.items():
            yield f"n={n} m={m} {name}", partial(wkendall.corr, values)
            yield f"n={n} m={m} {name} other", partial(wkendall.corr, values, data)
            for side in ("two-sided", "less", "greater"):
                call = partial(wkendall.corr, values, pvalues=True, alternative=side)
                yield f"n={n} m={m} {name} {side}", lambda call=call: call()._asdict()


def optimisation():
    for kernel, space in (("mallows", "order"), ("discordant", "order"), ("displaced", "order"), ("kendall", "order"),
                          ("mallows", "tour")):  # fmt: skip
        gains = random_of(7).uniform(size=(7, 7))
        call = partial(minimize, lambda x, gains=gains: -np.triu(gains[np.ix_(x, x)], 1).sum(), 7)
        call = partial(call, n_calls=14, n_initial=6, kernel=kernel, space=space, rng=1)
        yield f"{kernel} {space}", lambda call=call: {name: call()[name] for name in ("func_vals", "x")}


def dask_neighbours():
    """Neighbours of dask arrays, if dask is installed."""
    try:
        import dask.array as da
    except ImportError:
        return
    for n in (5, 40):
        X, Y = (da.from_array(rankings(m, n, 80), chunks=(17, n)) for m in (50, 30))

        def found(Y=None, X=X, **options):
            near = calls.of_dask("neighbors", X, Y, argument="measure", n_neighbors=4, **options)
            return {"values": near.values.compute(), "neighbours": near.indices.compute()}

        for name, options in ({"distance": {"metric": "distance"}} | fewer(n)).items():
            told = options or {"weight": "standard"}
            yield f"n={n} {name}", partial(found, **told)
            yield f"n={n} {name} Y", partial(found, Y, **told)


GROUPS = {
    "neighbours": neighbours, "distances": distances, "objects": objects, "lists": lists,
    "tests": tests, "agreement": agreement,
    "corr": correlations, "optimise": optimisation, "dask-near": dask_neighbours,
}  # fmt: skip
