"""Cases of same_bits.py for everything built on the kernels: files, lists, learning, scikit-learn, dask, data sets."""

import tempfile
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import calls
import numpy as np
import wkendall
from bits_of_kernels import MODES, SINGLE, fewer, incomplete, random_of, rankings, tensors, weights
from sklearn.gaussian_process import GaussianProcessRegressor
from wkendall.gaussian_process import MallowsKernel, WeightedKendallKernel

COMPLETE_AND_NOT = ("5 levels", "lists", "holes bottom")


def attributes(model, *names):
    """Return fitted attributes, with lists as separate entries."""
    found = {}
    for name in names:
        value = calls.places(getattr(model, name, None))
        if isinstance(value, list):
            found |= {f"{name}{number}": member for number, member in enumerate(value)}
        elif value is not None:
            found[name] = value
    return found


def in_folder(name, text, read):
    """Write a file, read it, and return the result."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        if text is not None:
            path.write_text(text)
        return read(path)


def plain(result):
    """Return the fields of a named tuple that are not None."""
    return {name: value for name, value in result._asdict().items() if value is not None}


def to_file(X, Y=None, **options):
    return in_folder("gram.npy", None, lambda path: np.array(calls.gram_to_file(path, X, Y, **options)))


def files():
    """Matrices in files, and reading of files and lists."""
    for n in (3, 20, 65):
        X, Y = rankings(30, n, 20, repeated=9), rankings(12, n, 21)
        for name, options in (fewer(n) | {"U": {"U": random_of(n).normal(size=(n, n))}}).items():
            yield f"gram_to_file n={n} {name}", partial(to_file, X, **options)
            yield f"gram_to_file n={n} {name} Y", partial(to_file, X, Y, **options, **SINGLE)
        for kind, (tied, allowed) in incomplete(n).items():
            yield f"gram_to_file n={n} {kind}", partial(to_file, tied, **allowed)
    csv = "a,b,c\n1,2,3\n3,,1\n2,2,1\n"
    read = partial(calls.contents, "read_csv")
    yield "read_csv", partial(in_folder, "t.csv", csv, read)
    yield "read_csv bad", partial(in_folder, "t.csv", csv + "1,x,2\n", read)
    toi = "3\n1,apple\n2,pear\n3,plum\n7,7,2\n4,1,{2,3}\n3,2\n"
    read = partial(calls.contents, "read_preflib")
    yield "read_preflib", partial(in_folder, "t.toi", toi, read)
    yield "read_preflib bad", partial(in_folder, "t.toc", toi, read)
    lists = [["a", "b", "c"], ["c", {"d", "a"}], [], ["e"], ["b", ["a", "e"], "c"]]
    yield "from_lists", partial(calls.contents, "from_lists", lists)
    yield "from_lists items", partial(calls.contents, "from_lists", lists, items=list("edcbaf"))
    yield "from_lists unknown", partial(calls.contents, "from_lists", lists, items=list("ab"))
    yield "from_lists twice", partial(calls.contents, "from_lists", [["a", "a"]])
    X, allowed = calls.lists_and_options(lists)
    for (name, options), (mode, more) in product(weights(5).items(), MODES.items()):
        yield f"lists {name} {mode}", partial(calls.gram_by_objects, X, **options, **more, **allowed)


def many_sizes():
    """Few and many rankings of few and many items, so that each strategy is used."""
    sizes = {6: 700, 10: 600, 40: 300, 128: 260, 129: 130, 257: 130, 1000: 40, 5000: 6, 20_000: 3}
    for n, most in sizes.items():
        for m in (1, 2, 3, 5, 16, 33, 64, 130, 257, 600):
            if m > most:
                break
            X, Y = rankings(m, n, 30), rankings(max(m // 2, 1), n, 31)
            for name, options in fewer(n).items():
                yield f"m={m} n={n} {name}", partial(wkendall.gram_matrix, X, Y, **options)
                yield f"m={m} n={n} {name} alone", partial(wkendall.gram_matrix, X, **options, normalize=True)
                yield f"m={m} n={n} {name} single", partial(wkendall.gram_matrix, X, **options, **SINGLE)
            yield f"m={m} n={n} distance", partial(calls.distance_matrix, X)
            yield f"m={m} n={n} mallows", partial(calls.mallows, X, Y, 1 / n)
            if n <= 257:
                for name in ("U general", "U low rank", "U symmetric", "U antisymmetric", "U factors", "U stack"):
                    yield f"m={m} n={n} {name}", partial(wkendall.gram_matrix, X, **tensors(n)[name])
            if n <= 128:
                tied = np.ceil(X / 3)
                for name, options in fewer(n).items():
                    yield f"m={m} n={n} {name} ties", partial(wkendall.gram_matrix, tied, ties="mean", **options)


def transformed(model, X, Y):
    fitted = model.fit_transform(X)
    return {"fit_transform": fitted, "transform": model.transform(Y)} | attributes(
        model, "rankings_", "components_", "landmarks_", "normalization_"
    )


def transformers():
    """Gram matrices, landmarks and features as transformers."""
    for n in (5, 20, 65):
        X, Y = rankings(40, n, 40, repeated=12), rankings(15, n, 41)
        kinds = {f"{name} {mode}": {**o, **MODES[mode]} for (name, o), mode in product(fewer(n).items(), MODES)}
        for name, options in kinds.items():
            yield f"KendallGram n={n} {name}", partial(transformed, calls.gram_transformer(**options), X, Y)
            for landmarks in ("uniform", "kmeans++"):
                nystroem = calls.nystroem(10, landmarks=landmarks, random_state=3, **options)
                yield f"KendallNystroem n={n} {name} {landmarks}", partial(transformed, nystroem, X, Y)
            if n < 65:
                yield f"KendallFeatures n={n} {name}", partial(transformed, calls.feature_map(**options), X, Y)
        mallows = {"lam": 0.1}
        yield f"KendallGram n={n} mallows", partial(transformed, calls.gram_transformer(**mallows), X, Y)
        nystroem = calls.nystroem(9, random_state=1, **mallows, **SINGLE)
        yield f"KendallNystroem n={n} mallows", partial(transformed, nystroem, X, Y)
        for kind in COMPLETE_AND_NOT:
            tied, told = incomplete(n)[kind]
            for name, options in fewer(n).items():
                model = calls.nystroem(4, random_state=2, **options, **told)
                yield f"KendallNystroem n={n} {kind} {name}", partial(transformed, model, tied, tied[::-1])


def clustered(model, X, Y):
    model.fit(X)
    found = attributes(model, "labels_", "inertia_", "n_iter_", "rankings_", "means_")
    return found | {"predict": model.predict(Y), "transform": model.transform(Y), "score": model.score(Y)}


def clusters():
    for n in (4, 8, 30):
        X = np.concatenate(
            [wkendall.datasets.make_mallows(25, rankings(1, n, seed)[0], 0.4, rng=seed) for seed in range(3)]
        )
        for (name, options), number in product(fewer(n).items(), (2, 3, 6)):
            model = calls.k_means(number, n_init=3, random_state=5, **options)
            yield f"KendallKMeans n={n} {name} {number}", partial(clustered, model, X, rankings(20, n, 50))
        for kind in COMPLETE_AND_NOT:
            tied, told = incomplete(n)[kind]
            model = calls.k_means(3, n_init=2, random_state=5, signed=True, **told)
            yield f"KendallKMeans n={n} {kind}", partial(clustered, model, tied, tied)


def learned(model, X, y, Y):
    model.fit(X, y)
    names = ("U_", "B_", "intercept_", "classes_", "n_iter_", "objective_path_", "singular_values_")
    found = attributes(model, *names) | {"predict": model.predict(Y)}
    return found | ({"decision": model.decision_function(Y)} if hasattr(model, "decision_function") else {})


def classes(X, number=2):
    """Return classes and numbers that depend on the rankings."""
    values = X[:, 0] - X[:, 1] + random_of(len(X)).normal(size=len(X)) * X.shape[1] / 4
    return np.digitize(values, np.quantile(values, np.arange(1, number) / number)), values


def learning():
    """SUQUAN-SVD and the classes that learn weights."""
    for n in (3, 5, 8):
        X, Y = rankings(50, n, 60, repeated=10), rankings(20, n, 61)
        y, values = classes(X)
        for order, number, pure in product((1, 2, 3), (1, 2), (False, True)):
            title = f"n={n} order {order} {number} components{' pure' * pure}"
            told = {"order": order, "n_components": number, "pure": pure}
            yield f"suquan_svd {title}", partial(lambda *a, **o: plain(wkendall.suquan_svd(*a, **o)), X, y, **told)
            if n < 8 or order < 3:
                yield f"SuquanSVDClassifier {title}", partial(learned, wkendall.SuquanSVDClassifier(**told), X, y, Y)
                yield f"SuquanSVDRegressor {title}", partial(learned, wkendall.SuquanSVDRegressor(**told), X, values, Y)
        for order, start in product((1, 2, 3) if n < 8 else (1, 2), ("standard", "suquan")):
            told = {"order": order, "init": start, "max_iter": 8}
            title = f"n={n} order {order} from {start}"
            yield f"AlternatingClassifier {title}", partial(learned, wkendall.AlternatingClassifier(**told), X, y, Y)
            yield f"AlternatingRegressor {title}", partial(learned, wkendall.AlternatingRegressor(**told), X, values, Y)
        three = classes(X, 3)[0]
        yield f"SuquanSVDClassifier n={n} 3 classes", partial(learned, wkendall.SuquanSVDClassifier(), X, three, Y)
        model = wkendall.AlternatingClassifier(max_iter=4, class_weight="balanced")
        yield f"AlternatingClassifier n={n} 3 classes", partial(learned, model, X, three, Y)
        yield f"suquan_svd n={n} one class", partial(wkendall.suquan_svd, X, np.zeros(50))
        tied = np.ceil(X / 2)
        for name in ("SuquanSVDClassifier", "SuquanSVDRegressor", "AlternatingClassifier", "AlternatingRegressor"):
            model = getattr(wkendall, name)(ties="mean", **({"max_iter": 4} if name.startswith("Alt") else {}))
            yield f"{name} n={n} ties", partial(learned, model, tied, values if name.endswith("sor") else y, tied[:9])


def of_process(kernel, X, Y, gradient):
    found = {"X": kernel(X), "X Y": kernel(X, Y), "diag": kernel.diag(X)}
    return found | ({"gradient": kernel(X, eval_gradient=True)[1]} if gradient else {})


def regressed(kernel, X, y, Y):
    model = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(X, y)
    mean, deviation = model.predict(Y, return_std=True)
    return {"mean": mean, "deviation": deviation, "likelihood": model.log_marginal_likelihood_value_}


def processes():
    """Kernels of Gaussian processes: values, gradients, a regression with fixed parameters."""
    for n in (4, 8, 40):
        X, Y = rankings(20, n, 70, repeated=5), rankings(9, n, 71)
        kernels = {f"mallows {lam}": MallowsKernel(lam) for lam in (0.01, 0.2)}
        for weight, u, a, (mode, options) in product(
            ("add", "mult"), ("power", "exponential"), (0.3, 1.2), MODES.items()
        ):
            told = {"normalize": False, **options}
            kernels[f"{weight} {u} {a} {mode}"] = WeightedKendallKernel(weight, u=u, a=a, **told)
        for weight, u in product(("add", "mult"), ("power", "exponential")):
            kernels[f"{weight} {u} order 3"] = WeightedKendallKernel(weight, u=u, a=0.7, order=3)
        for name, kernel in kernels.items():
            yield f"n={n} {name}", partial(of_process, kernel, X, Y, True)
        for name, options in fewer(n).items():
            yield (
                f"n={n} {name}",
                partial(of_process, WeightedKendallKernel(**{"weight": "standard", **options}), X, Y, False),
            )
        for name in ("mallows 0.2", "mult power 1.2 normalized"):
            yield f"regression n={n} {name}", partial(regressed, kernels[name], X, classes(X)[1], Y)


def computed(function, *arguments, **options):
    return calls.of_dask(function, *arguments, **options).compute(scheduler="threads", num_workers=2)


def dask_arrays():
    """Gram matrices and features as dask arrays, if dask is installed."""
    if find_spec("dask") is None:
        return
    for n in (5, 40):
        X, Y = rankings(50, n, 80, repeated=10), rankings(30, n, 81)
        for name, options in (fewer(n) | {"U": {"U": random_of(n).normal(size=(n, n))}}).items():
            yield f"gram n={n} {name}", partial(computed, "gram_matrix", X, chunks=17, **options)
            yield (
                f"gram n={n} {name} Y",
                partial(computed, "gram_matrix", X, Y, chunks=17, **options, **SINGLE),
            )
        for name, options in fewer(n).items():
            yield f"features n={n} {name}", partial(computed, "features", X, chunks=17, **options)
        for kind, (tied, allowed) in incomplete(n).items():
            yield f"gram n={n} {kind}", partial(computed, "gram_matrix", tied, chunks=4, **allowed)


def data_sets():
    make = wkendall.datasets
    for m, n, seed in product((0, 1, 50), (1, 2, 6, 30), (0, 7)):
        strengths = random_of(n).uniform(0.1, 3, n)
        yield f"uniform {m} {n} {seed}", partial(make.make_uniform, m, n, rng=seed)
        for lam in (0.0, 0.3, 2.0):
            yield f"mallows {m} {n} {lam} {seed}", partial(make.make_mallows, m, n, lam, rng=seed)
        yield f"plackett-luce {m} {n} {seed}", partial(make.make_plackett_luce, m, strengths, rng=seed)
    for m in (10, 1000, None):
        yield f"survey {m}", partial(lambda m: plain(make.make_survey(m, rng=3)), m)


GROUPS = {
    "files": files, "sizes": many_sizes, "transformer": transformers, "clusters": clusters, "learning": learning,
    "processes": processes, "dask": dask_arrays, "datasets": data_sets,
}  # fmt: skip
