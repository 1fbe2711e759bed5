"""Random cases for the property tests: rankings, kernels and how to compute them, over the whole option space."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import exact
import numpy as np
from definitions import counted
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from wkendall import _core

NAN = np.nan
WEIGHTS = ("standard", "top", "add", "mult", "average")
STRATEGIES = ("bits", "product", "pairs", "partition")
BACKENDS = (
    None,
    *STRATEGIES,
    *_core.instruction_sets(),
    *(f"{strategy}-{level}" for strategy in STRATEGIES for level in _core.instruction_sets()),
)

COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck)}
# The short profile is the same in every run. The long one, of `make fuzz`, takes new cases each time, WKENDALL_EXAMPLES of them
# for each property.
EXAMPLES = os.environ.get("WKENDALL_EXAMPLES")
settings.register_profile("short", derandomize=True, max_examples=200, database=None, **COMMON)
settings.register_profile("long", max_examples=int(EXAMPLES or 1), print_blob=True, **COMMON)
settings.load_profile("long" if EXAMPLES else "short")


@dataclass
class Case:
    """Rows of ranks, of which the least is the best, and the options of `gram_matrix`."""

    X: np.ndarray
    options: dict
    #: What the definition takes instead of `U=`: ("tensor", stack) or ("factors", terms).
    general: tuple | None = None
    Y: np.ndarray | None = None
    dtype: type = np.float64
    backend: str | None = None

    @property
    def n(self) -> int:
        return self.X.shape[1]

    @property
    def incomplete(self) -> bool:
        return "ties" in self.options or "missing" in self.options

    @property
    def counts(self) -> bool:
        """Whether the values are counts, which are exact."""
        named = self.general is None and "W" not in self.options
        return (
            named
            and counted({"weight": "standard", **self.options})
            and not self.incomplete
            and not self.options.get("normalize")
        )

    def raw(self, s, t) -> exact.Value:
        """The value before it is normalized, and the size of its terms."""
        # Kernels are symmetric.
        key = frozenset((np.asarray(s, dtype=float).tobytes(), np.asarray(t, dtype=float).tobytes()))
        if key not in self._raw:
            self._raw[key] = self._value(s, t)
        return self._raw[key]

    @cached_property
    def _raw(self) -> dict[frozenset[bytes], exact.Value]:
        return {}

    def _value(self, s, t) -> exact.Value:
        if self.general is not None:
            kind, weights = self.general
            return (exact.tensor if kind == "tensor" else exact.factored)(s, t, weights)
        if "W" in self.options:
            return exact.quadruples(s, t, self.options["W"])
        missing = self.options.get("missing", "error")
        names = ("weight", "k", "u", "order", "signed")
        options = {name: self.options[name] for name in names if name in self.options}
        return exact.named(s, t, missing="anywhere" if missing == "anywhere" else "bottom", **options)

    @cached_property
    def own(self) -> list[exact.Value]:
        """The self-similarities of the rows of X and Y."""
        rows = [*self.X, *(() if self.Y is None else self.Y)]
        if not self.incomplete:  # the same for all
            return [self.raw(rows[0], rows[0])] * len(rows) if rows else []
        return [self.raw(row, row) for row in rows]

    @property
    def underflow(self) -> Fraction:
        """What products of tiny weights can lose."""
        sizes = [abs(float(v)) for v in self.numbers if v != 0]
        order = self.options.get("order", 2)
        most = Fraction(max([1.0, *sizes]))
        return Fraction(1e-300) * max(1, self.n**2) * most ** (2 * order)

    @property
    def numbers(self) -> np.ndarray:
        """All weights that were given."""
        given = self.general[1] if self.general else self.options.get("W", self.options.get("u"))
        return np.ones(0) if given is None or isinstance(given, str) else np.asarray(given, dtype=float).ravel()

    @property
    def spread(self) -> float:
        """The largest weight over the least that is not zero."""
        sizes = np.abs(self.numbers[self.numbers != 0])
        with np.errstate(over="ignore"):
            return float(sizes.max() / sizes.min()) if sizes.size else 1.0

    @property
    def call(self) -> dict:
        """All options of `gram_matrix`."""
        return self.options | {"dtype": self.dtype, "backend": self.backend}


def sizes(most: int = 130) -> st.SearchStrategy[int]:
    """Numbers of items: small, or at the ends of vectors and words."""
    small = st.integers(0, min(12, most))
    tails = [n for n in (33, 64, 65, 130) if n <= most]
    return st.one_of(small, small, small, st.sampled_from(tails)) if tails else small


@st.composite
def rankings(draw, n, m) -> np.ndarray:
    """Complete rankings, ranks from 1, some of them repeated, reversed, or the same but for two items."""
    rows: list[np.ndarray] = []
    for _ in range(m):
        kind = draw(st.sampled_from("nnrsm")) if rows else "n"
        if kind in "rs":
            row = draw(st.sampled_from(rows)).copy()
            if kind == "s" and n > 1:  # nearly the same
                swap = draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=2))
                row[swap] = row[swap[::-1]]
            rows.append(row)
        elif kind == "m":
            rows.append(n + 1 - draw(st.sampled_from(rows)))
        elif n <= 12:
            rows.append(np.array(draw(st.permutations(range(1, n + 1))), dtype=np.int64))
        else:
            rows.append(np.random.default_rng(draw(st.integers(0, 2**32))).permutation(n) + 1)
    return np.array(rows, dtype=np.int64).reshape(m, n)


@st.composite
def tied(draw, n, m, missing) -> np.ndarray:
    """Rankings with ties, and with NaN if there may be."""
    rows: list[np.ndarray] = []
    for _ in range(m):
        if rows and draw(st.integers(0, 3)) == 0:
            rows.append(draw(st.sampled_from(rows)))
            continue
        levels = draw(st.sampled_from([0, 0, 1, 2, 3, max(n, 1)]))
        if levels == 0:  # blocks of one size
            half = max(1, n // 2)
            row = (draw(rankings(n, 1))[0] - 1) // draw(st.sampled_from([half, half, 2, max(1, n // 3)])) + 1.0
            gone = []
        elif n <= 12:
            row = np.array(draw(st.lists(st.integers(1, levels), min_size=n, max_size=n)), dtype=float)
            gone = draw(st.lists(st.booleans(), min_size=n, max_size=n)) if missing else []
        else:
            rng = np.random.default_rng(draw(st.integers(0, 2**32)))
            row = rng.integers(1, levels, n, endpoint=True).astype(float)
            gone = rng.random(n) < draw(st.sampled_from([0.0, 0.3, 0.9])) if missing else []
        if len(gone):
            row[np.array(gone, dtype=bool)] = NAN
        if draw(st.integers(0, 5)) == 0:
            row = draw(rankings(n, 1))[0].astype(float)
        rows.append(row)
    return np.array(rows, dtype=float).reshape(m, n)


PLAIN = [0.0, 1.0, -1.0, 0.5, 2.0, 0.1, 0.2, -0.3, 0.25, 3.0, 1e-9, -1e-9]


KINDS = ("plain", "random", "positive", "steep", "rising", "line", "cancelling", "balanced", "cliff", "zero", "few")


@st.composite
def numbers(draw, count, kinds=KINDS) -> np.ndarray:
    """Any weights: plain, zero, of both signs, tiny, huge, steep, nearly cancelling."""
    kind = draw(st.sampled_from(kinds))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    if kind == "plain" and count <= 12:
        values = np.array(draw(st.lists(st.sampled_from(PLAIN), min_size=count, max_size=count)), dtype=float)
    elif kind == "plain":
        values = rng.choice(PLAIN, count)
    elif kind == "random":
        values = rng.standard_normal(count)
    elif kind == "positive":
        values = rng.uniform(0, 1, count)
    elif kind in ("steep", "rising"):
        exponents = np.linspace(0, draw(st.sampled_from([-1, -5, -18, -45, -90])), count)
        values = 10.0 ** (exponents if kind == "steep" else exponents[::-1])
    elif kind == "line":
        values = np.linspace(1, -1, count)
    elif kind == "balanced":
        values = rng.choice([0.1, 0.2, 0.3, 0.7, -0.4], count)
        values[-1:] = -values[:-1].sum()
    elif kind == "cliff":
        values = np.full(count, 10.0 ** draw(st.sampled_from([-9, -30, -90])))
        values[:1] = 1.0
    elif kind == "cancelling":
        values = np.resize([1.0, -1.0], count) * rng.choice([0.1, 0.3, 1.0]) + rng.choice([0.0, 1e-15, 1e-8])
    else:
        values = np.zeros(count)
        if kind == "few" and count:
            values[rng.integers(0, count)] = 1.0
    return values * draw(st.sampled_from([1.0] * 8 + [1e-90, 1e-20, 1e20, 1e60]))


@st.composite
def named(draw, n, incomplete=False, weights=WEIGHTS, kinds=KINDS) -> dict:
    """The options of a kernel with a named weight."""
    weight = draw(st.sampled_from(weights))
    options: dict = {"weight": weight}
    if weight == "top":
        options["k"] = draw(st.integers(1, max(n, 1)))
    if weight in ("add", "mult"):
        given = draw(st.integers(0, 5)) > 0 or kinds != KINDS
        options["u"] = draw(numbers(n, kinds) if given else st.sampled_from(["hyperbolic", "log"]))
    if not incomplete and draw(st.integers(0, 2)) == 0:
        options["order"] = draw(st.sampled_from([1, 3, 4, 5, n + 1]))
    elif draw(st.booleans()):
        options["signed"] = True
    if draw(st.booleans()):
        options["normalize"] = True
    return options


@st.composite
def tensors(draw, n, order, kinds=("any", "symmetric", "skew", "outer", "spikes", "upper")) -> np.ndarray:
    """One tensor: without structure, symmetric, skew-symmetric, of low rank, upper."""
    kind = draw(st.sampled_from(kinds))
    if kind == "outer" or order == 1:
        vectors = [draw(numbers(n)) for _ in range(order)]
        if draw(st.booleans()):
            vectors = [vectors[0]] * order
        tensor = vectors[0]
        with np.errstate(over="ignore", under="ignore"):
            for vector in vectors[1:]:
                tensor = np.multiply.outer(tensor, vector)
        return tensor
    if kind == "spikes":
        tensor = np.zeros((n,) * order)
        for size in (1e9, 1e-6) if n else ():
            tensor[tuple(draw(st.integers(0, n - 1)) for _ in range(order))] = size
        return tensor
    tensor = draw(numbers(n**order)).reshape((n,) * order)
    if order == 2 and kind in ("symmetric", "skew"):
        tensor = tensor + tensor.T if kind == "symmetric" else tensor - tensor.T
    if order == 2 and kind == "upper":
        tensor = np.triu(tensor, 1)
    return tensor


@st.composite
def general(draw, n) -> tuple[dict, tuple | None]:
    """The options of a kernel with weights `U=` or `W=`, and what the definition takes."""
    options: dict = {"normalize": True} if draw(st.booleans()) else {}
    order = draw(st.sampled_from([1, 2, 2, 2, 3] if n <= 8 else [1, 2, 2]))
    if order != 2:
        options["order"] = order
    kind = draw(st.sampled_from(["dense", "dense", "stack", "axes", "terms", *(["W"] if n <= 5 else [])]))
    if kind == "W":
        options.pop("order", None)
        rank = draw(st.integers(1, 3))
        root = np.random.default_rng(draw(st.integers(0, 2**16))).standard_normal((n * n, rank))
        W = root @ root.T
        if draw(st.booleans()) and n:  # what never counts
            never = np.tril(np.ones((n, n), dtype=bool)).ravel()
            W[never] = W[:, never] = 1e30
        return options | {"W": W.reshape((n,) * 4)}, None
    if kind == "dense":
        options["U"] = draw(tensors(n, order))
        return options, ("tensor", options["U"][np.newaxis])
    count = draw(st.integers(1, 3))
    if kind == "stack":
        options["U"] = np.array([draw(tensors(n, order)) for _ in range(count)]).reshape((count,) + (n,) * order)
        return options, ("tensor", options["U"])
    terms = np.array([[draw(numbers(n)) for _ in range(order)] for _ in range(count)]).reshape(count, order, n)
    options["U"] = tuple(np.ascontiguousarray(terms[:, axis]) for axis in range(order))
    if kind == "terms":
        options["U"] = tuple(tuple(np.array(vector) for vector in term) for term in terms)
    return options, ("factors", terms)


@st.composite
def cases(draw, complete=False, only_named=False, normalize=None, most=130, two=False, dtypes=(np.float64,)) -> Case:
    """A case of any kind, or of those that are asked for; half of them where sums cancel, vanish or lose small terms."""
    focus = draw(st.sampled_from(["any", "any", "any", "cancelling", "steep", "low rank"]))
    if focus == "low rank" and not only_named:
        return draw(_low_rank(normalize, dtypes))
    incomplete = not complete and draw(st.booleans())
    n = draw(sizes(most))
    definition = None
    if focus == "cancelling":
        incomplete, n = not complete, 2 * draw(st.integers(1, min(22, most // 2)))
        options = draw(named(n, incomplete, ("add", "add", "mult"), ("plain", "line", "cancelling", "balanced")))
        if draw(st.booleans()) and "order" not in options:
            options["signed"] = True
    elif focus == "steep":
        options = draw(named(n, incomplete, ("add", "mult"), ("steep", "rising", "cliff", "few")))
    elif not only_named and draw(st.integers(0, 2)) == 0:
        incomplete = False
        options, definition = draw(general(n))
    else:
        options = draw(named(n, incomplete))
    if normalize is not None:
        options["normalize"] = normalize
    if incomplete:
        places = ["error", "bottom"] + (["anywhere"] if options["weight"] == "standard" else [])
        options["missing"] = draw(st.sampled_from(places))
        options["ties"] = "mean"

    def draw_rows(count):
        if incomplete:
            return draw(tied(n, count, options["missing"] != "error"))
        return draw(rankings(n, count))

    X = draw_rows(draw(st.integers(0, 7 if n <= 12 else 3)))
    if draw(st.integers(0, 4)) == 0:
        X = np.tile(X, (3, 1))
    Y = draw_rows(draw(st.integers(0, 4))) if two and draw(st.booleans()) else None
    return Case(X, options, definition, Y, draw(st.sampled_from(dtypes)), draw(st.sampled_from(BACKENDS)))


@st.composite
def _low_rank(draw, normalize, dtypes) -> Case:
    """A matrix `U=` with factors, and enough pairs of rankings for them to be worth it."""
    n = draw(st.integers(8, 12))
    U = draw(tensors(n, 2, ("outer", "spikes")))
    options = {"U": U} | ({"normalize": True} if normalize or (normalize is None and draw(st.booleans())) else {})
    X = np.tile(draw(rankings(n, 1)), (12, 1))
    for row in range(1, 4):  # small entries show where the large ones do not count
        swap = draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=2))
        X[row, swap] = X[row, swap[::-1]]
    return Case(X, options, ("tensor", U[np.newaxis]), None, draw(st.sampled_from(dtypes)), None)
