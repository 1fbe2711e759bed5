"""The measurement of a kernel: many times, an SVM is trained on some people and tested on other people.

Each repetition draws people at random. It draws the same number of people from each of two age groups, which are the
classes. These people are split into a training part and a test part. The parameter C of the SVM, the cost of errors, is
chosen by cross-validation on the training part. The people and the folds of a repetition depend only on the seed and on
the number of the repetition. So all kernels use the same people, and each measurement can be repeated on its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn import config_context
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from wkendall._errors import bad_argument
from wkendall.estimators.mixtures import KernelMixtureClassifier
from wkendall.estimators.supervised import AlternatingClassifier
from wkendall.gram import gram_matrix
from wkendall.learning.coefficients import Hinge, Problem
from wkendall.learning.interior_point import FromFeatures
from wkendall.learning.suquan import suquan_svd
from wkendall.measures import Kendall, Mallows, TensorKernel

Ranks = NDArray[np.int64]
Array = NDArray[np.float64]
#: People, by their positions in the data.
People = NDArray[np.intp]

#: Predicts the classes of new people from old ones, and returns the learned weights, if any.
Predict = Callable[[People, People], tuple[Ranks, Array | None]]

#: The grid of costs of errors.
COSTS = tuple(10.0**power for power in range(-3, 4))
#: The grid of parameters of the Mallows kernel.
SPREADS = (0.03, 0.1, 0.3, 1.0)
#: SVMs with at least this cost are solved by the interior-point method, unless there are more features than the second
#: number.
LARGE, MANY = 100.0, 120


class Published(NamedTuple):
    """The results for a kernel in the paper: mean and standard deviation of the accuracy, in some cases a p-value."""

    mean: float
    sd: float
    p: float | None = None


class Method(NamedTuple):
    """A kernel, or a way to learn a kernel.

    `label` is its name in tables, and `published` has the results in the paper. `candidates(sample)` returns the
    candidates among which cross-validation chooses. Each candidate has parameters and a function. The function learns
    from the classes of some people of the sample, and predicts the classes of other people.
    """

    label: str
    candidates: Callable[[Sample], list[Candidate]]
    published: Published | None = None


class Sample(NamedTuple):
    """The people of one repetition: rankings and classes, and the index of each person's distinct ranking."""

    X: Ranks
    y: Ranks
    different: Ranks
    which: NDArray[np.intp]


class Candidate(NamedTuple):
    """Parameters, and the function `predict` that learns and predicts with these parameters.

    A learner that chooses its parameters itself is the only candidate. Its `parameters` are then an empty dict.
    `predict` adds two things to this dict: the chosen parameters, and the cross-validated accuracy with the key
    "validated".
    """

    parameters: dict[str, float]
    predict: Predict


class Protocol(NamedTuple):
    """The number of people for training, the number of people for testing, the number of folds, and the seed.

    Half of the people in the training part have class 0, and half have class 1. The test part is divided in the same
    way. The paper uses 400 people for training and 100 people for testing.

    Examples
    --------
    >>> from wkendall.experiments import Protocol
    >>> Protocol(seed=1)
    Protocol(train=400, test=100, folds=5, seed=1)
    """

    train: int = 400
    test: int = 100
    folds: int = 5
    seed: int = 0


class Measurement(NamedTuple):
    """The accuracy of a kernel in one repetition, the chosen parameters, and the time of the measurement.

    `accuracy` is the share of correct predictions in the test part. `validated` is the accuracy of the chosen
    parameters in the cross-validation on the training part. `weights` has the learned weights, or None if the kernel is
    not learned.

    Examples
    --------
    >>> from wkendall.experiments import Measurement
    >>> Measurement("standard", 0, 0.62, 0.64, {"C": 1.0}, 0.2, None).accuracy
    0.62
    """

    kernel: str
    repetition: int
    accuracy: float
    validated: float
    parameters: dict[str, float]
    seconds: float
    weights: list[list[float]] | None


def _fixed(weight: str = "standard", **options: Any) -> Callable[[Sample], list[Candidate]]:
    kernel = Kendall(weight, normalize=True, **options)

    def candidates(sample: Sample) -> list[Candidate]:
        gram = gram_matrix(sample.different, kernel=kernel, n_jobs=1)
        return [Candidate({"C": C}, predict) for C, predict in zip(COSTS, _machines(sample, gram), strict=True)]

    return candidates


def _mallows(sample: Sample) -> list[Candidate]:
    found = []
    for lam in SPREADS:
        machines = _machines(sample, gram_matrix(sample.different, kernel=Mallows(lam), n_jobs=1))
        found += [Candidate({"C": C, "lam": lam}, predict) for C, predict in zip(COSTS, machines, strict=True)]
    return sorted(found, key=lambda candidate: candidate.parameters["C"])


def _suquan(sample: Sample) -> list[Candidate]:
    """Make an SVM with the weights that SUQUAN-SVD learns from the same people."""
    learned: dict[bytes, tuple[Array, list[Predict]]] = {}

    def predict(number: int, old: People, new: People) -> tuple[Ranks, Array]:
        if old.tobytes() not in learned:
            U = suquan_svd(sample.X[old], sample.y[old], n_jobs=1).U
            gram = gram_matrix(sample.different, kernel=TensorKernel(U), n_jobs=1)
            learned[old.tobytes()] = U, list(_machines(sample, gram))
        U, machines = learned[old.tobytes()]
        return machines[number](old, new)[0], U

    return [Candidate({"C": C}, partial(predict, number)) for number, C in enumerate(COSTS)]


def _alternating(sample: Sample) -> list[Candidate]:
    def predict(C: float, old: People, new: People) -> tuple[Ranks, Array]:
        model = AlternatingClassifier(C=C, n_jobs=1).fit(sample.X[old], sample.y[old])
        return model.predict(sample.X[new]), model.U_

    return [Candidate({"C": C}, partial(predict, C)) for C in COSTS]


def _structured(sample: Sample) -> list[Candidate]:
    """Make the learner of smooth weights that chooses U0, C and alpha."""
    parameters: dict[str, float] = {}

    def predict(old: People, new: People) -> tuple[Ranks, Array]:
        model = AlternatingClassifier(C="auto", alpha="auto", penalty="smooth", toward="auto", n_jobs=1)
        model.fit(sample.X[old], sample.y[old])
        chosen = {"C": float(model.C_), "alpha": float(model.alpha_)}
        parameters.update(chosen, validated=model.validated_)
        return model.predict(sample.X[new]), model.U_

    return [Candidate(parameters, predict)]


def _mixture(sample: Sample) -> list[Candidate]:
    def predict(C: float, old: People, new: People) -> tuple[Ranks, None]:
        model = KernelMixtureClassifier(C=C, n_jobs=1).fit(sample.X[old], sample.y[old])
        return model.predict(sample.X[new]), None

    return [Candidate({"C": C}, partial(predict, C)) for C in COSTS]


def _machines(sample: Sample, gram: Array) -> Iterator[Predict]:
    """Make one SVM for each cost C, with the kernel between the distinct rankings.

    People of the same class with the same ranking are merged into one row with a larger weight. This does not change
    the solution, and the training needs fewer rows.

    The kernel is multiplied by C, so that the upper bound of each coefficient is the weight of its row, a whole number.
    This avoids rounding errors: for small C, all coefficients are at their bounds. If rounding moved one coefficient
    away from its bound, LIBSVM would compute the threshold from this coefficient alone, and would predict a single
    class.

    The number of steps of LIBSVM grows with C. The number of steps of the interior-point method does not. With C =
    1000, 240 distinct people and a kernel with few features, the interior-point method takes 10 ms, and LIBSVM takes 20
    to 350 ms.
    """
    values, vectors = eigh(gram)
    kept = values > 1e-10 * values[-1]
    features = vectors[:, kept] * np.sqrt(values[kept])

    def predict(C: float, old: People, new: People) -> tuple[Ranks, None]:
        person, counts = np.unique(2 * sample.which[old] + sample.y[old], return_counts=True)
        ranking, label = person // 2, person % 2
        if C < LARGE or features.shape[1] > MANY:
            # The other checks of SVC take as long as LIBSVM itself.
            with config_context(assume_finite=True, skip_parameter_validation=True):
                machine = SVC(kernel="precomputed", C=1.0)
                machine.fit(C * gram[np.ix_(ranking, ranking)], label, sample_weight=counts)
                return machine.predict(C * gram[np.ix_(sample.which[new], ranking)]), None
        known = features[ranking]
        problem = Problem(FromFeatures(known), 2.0 * label - 1.0, C * counts)
        coefficients, intercept = Hinge().solve(problem, 1e-6)
        scores = features[sample.which[new]] @ (coefficients @ known) + intercept
        return (scores > 0).astype(np.int64), None

    for C in COSTS:
        yield partial(predict, C)


METHODS: dict[str, Method] = {
    "top-2": Method("top-2", _fixed("top", k=2), Published(0.590, 0.051)),
    "top-3": Method("top-3", _fixed("top", k=3), Published(0.624, 0.044)),
    "top-4": Method("top-4", _fixed("top", k=4), Published(0.632, 0.053, 0.31)),
    "top-5": Method("top-5", _fixed("top", k=5), Published(0.631, 0.050, 0.20)),
    "standard": Method("standard (top-6)", _fixed(), Published(0.627, 0.050)),
    "average": Method("average", _fixed("average"), Published(0.641, 0.058, 0.01)),
    "add-hyperbolic": Method("add, hyperbolic", _fixed("add", u="hyperbolic"), Published(0.628, 0.048, 0.59)),
    "add-log": Method("add, log", _fixed("add", u="log"), Published(0.627, 0.050)),
    "mult-hyperbolic": Method("mult, hyperbolic", _fixed("mult", u="hyperbolic"), Published(0.623, 0.048)),
    "mult-log": Method("mult, log", _fixed("mult", u="log"), Published(0.618, 0.048)),
    "suquan-svd": Method("learned, SUQUAN-SVD", _suquan, Published(0.635, 0.051, 0.07)),
    "alternating": Method("learned, alternating", _alternating, Published(0.626, 0.051)),
    "order-3": Method("standard of order 3", _fixed(order=3)),
    "order-3-mult": Method("mult of order 3, hyperbolic", _fixed("mult", u="hyperbolic", order=3)),
    "mallows": Method("Mallows", _mallows),
    "smooth": Method("learned, smooth", _structured),
    "mixture": Method("learned mixture", _mixture),
}


def check(y: Ranks, protocol: Protocol) -> None:
    """Raise an error if there are too few people for a protocol."""
    for name, people in (("train", protocol.train), ("test", protocol.test)):
        if people < 2 or people % 2:
            rule = "an even number of people, half of them of each class"
            raise bad_argument(name, f" is {people}, but must be {rule}", value=people)
    if protocol.folds < 2:
        raise ValueError(f"folds is {protocol.folds}, but must be at least 2")
    if protocol.train < 2 * protocol.folds:
        least = f"{2 * protocol.folds}: a person of each class in each of {protocol.folds} folds"
        raise bad_argument("train", f" is {protocol.train}, but must be at least {least}", value=protocol.train)
    needed = (protocol.train + protocol.test) // 2
    for label in (0, 1):
        found = int((y == label).sum())
        if found < needed:
            half = f"half of the {protocol.train} to train and of the {protocol.test} to test"
            raise ValueError(f"class {label} has {found} people, but {needed} are needed: {half}")


def draw(y: Ranks, protocol: Protocol, repetition: int) -> tuple[People, People, list[People]]:
    """Draw people for training, people for testing, and the folds. A fold contains positions in the training part."""
    random = np.random.default_rng([protocol.seed, repetition])
    halves = protocol.train // 2, protocol.test // 2
    chosen = [random.choice(np.flatnonzero(y == label), sum(halves), replace=False) for label in (0, 1)]
    train = np.concatenate([people[: halves[0]] for people in chosen])
    test = np.concatenate([people[halves[0] :] for people in chosen])
    # The people of a class are in random order, so every fifth one makes a random fold with equally many of each class.
    places = np.arange(protocol.train)
    folds = [np.flatnonzero(places % halves[0] % protocol.folds == fold) for fold in range(protocol.folds)]
    return train, test, folds


def measure(X: Ranks, y: Ranks, protocol: Protocol, kernel: str, repetition: int) -> Measurement:
    """Measure the accuracy of a kernel in one repetition of the experiment.

    `X` has ranks; 1 is the most preferred. `y` has the classes 0 and 1. `kernel` is one of the names in `METHODS`. The
    number of the repetition, from 0, and the seed determine which people are drawn. If several values of C have the
    highest cross-validated accuracy, the smallest of these values is used.

    Examples
    --------
    >>> from wkendall.datasets import make_survey
    >>> from wkendall.experiments import Protocol, measure
    >>> people = make_survey(1000, rng=0)
    >>> found = measure(people.X, people.y, Protocol(train=40, test=20, folds=2), "average", repetition=0)
    >>> found.kernel, found.repetition, 0 <= found.accuracy <= 1
    ('average', 0, True)
    """
    start = time.perf_counter()
    train, test, folds = draw(y, protocol, repetition)
    people = np.concatenate([train, test])
    different, which = np.unique(X[people], axis=0, return_inverse=True)
    sample = Sample(X[people], y[people], different, which.ravel())
    places = np.arange(len(train))
    new = np.arange(len(train), len(people))
    best: tuple[float, Candidate] | None = None
    # One thread, so that the rounding of sums does not depend on the number of threads.
    with threadpool_limits(1):
        candidates = METHODS[kernel].candidates(sample)
        for candidate in candidates if len(candidates) > 1 else []:
            right = 0
            for fold in folds:
                predicted, _ = candidate.predict(np.setdiff1d(places, fold), fold)
                right += int((predicted == sample.y[fold]).sum())
            if best is None or right / len(train) > best[0]:
                best = right / len(train), candidate
        validated, candidate = best or (None, candidates[0])
        predicted, weights = candidate.predict(places, new)
        if validated is None:
            validated = candidate.parameters.pop("validated")
    accuracy, learned = float((predicted == sample.y[new]).mean()), None if weights is None else weights.tolist()
    seconds = time.perf_counter() - start
    return Measurement(kernel, repetition, accuracy, validated, candidate.parameters, seconds, learned)
