"""The types of the extension module, checked against it by stubtest."""

from collections.abc import Callable
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BLOCK_BYTES",
    "BLOCK_WORK",
    "MAX_THREADS",
    "Columns",
    "ListIndex",
    "Measure",
    "Rankings",
    "__version__",
    "available_cores",
    "combine",
    "consensus",
    "correlations",
    "correlations_at_least",
    "correlations_of",
    "default_threads",
    "diagonal",
    "embed",
    "expanded_lists",
    "feature_columns",
    "features",
    "gram",
    "instruction_sets",
    "largest_effects",
    "leave_one_out",
    "linear_function",
    "linear_ordering",
    "linear_orderings",
    "mallows_rate",
    "most_factors",
    "neighbors",
    "packed_signs",
    "planned",
    "planned_of",
    "position_weights",
    "row_hashes",
    "tuple_sums",
    "weights",
    "within",
]

__version__: str
BLOCK_BYTES: int
BLOCK_WORK: int
MAX_THREADS: int

@final
class Rankings:
    def __new__(
        cls,
        values: NDArray[np.integer | np.float32 | np.float64],
        input: Literal["ranks", "orders", "scores"] = "ranks",
        top: Literal["low", "high"] = "low",
        ties: Literal["error", "mean"] = "error",
        missing: Literal["error", "bottom", "anywhere"] = "error",
        threads: int | None = None,
    ) -> Rankings: ...
    @property
    def rows(self) -> int: ...
    @property
    def items(self) -> int: ...
    @staticmethod
    def lists(
        bounds: NDArray[np.int32 | np.int64],
        listed: NDArray[np.int32 | np.int64],
        values: NDArray[np.int32 | np.int64 | np.float32 | np.float64],
        items: int,
        descending: bool,
        ties: bool,
        threads: int | None = None,
    ) -> Rankings: ...
    @property
    def is_complete(self) -> bool: ...
    @property
    def is_lists(self) -> bool: ...
    @property
    def stored(self) -> int: ...
    def select(self, rows: NDArray[np.int64], keep: bool = False) -> Rankings: ...
    def joined(self, other: Rankings) -> Rankings: ...
    def listed(self, has_all: NDArray[np.bool_]) -> Rankings: ...
    def inverse(self) -> Rankings: ...
    def parts(self) -> list[NDArray[np.int64]]: ...
    def ranks(self) -> NDArray[np.int64]: ...

@final
class Columns:
    def __new__(cls, values: NDArray[np.integer | np.float32 | np.float64], threads: int | None = None) -> Columns: ...
    @staticmethod
    def from_sparse(
        observations: int, starts: NDArray[np.int64], rows: NDArray[np.int64], values: NDArray[np.float64]
    ) -> Columns: ...
    @property
    def columns(self) -> int: ...
    @property
    def observations(self) -> int: ...

@final
class ListIndex:
    def __new__(
        cls,
        measure: Measure,
        lists: Rankings,
        threads: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> ListIndex: ...
    def to_bytes(self) -> NDArray[np.uint8]: ...
    @staticmethod
    def from_bytes(
        measure: Measure, bytes: NDArray[np.uint8], keep: bool = False, threads: int | None = None
    ) -> ListIndex: ...
    @property
    def rows(self) -> int: ...
    def lists(self, rows: NDArray[np.int64] | None = None) -> Rankings: ...
    def added(self, lists: Rankings, threads: int | None = None) -> ListIndex: ...
    def removed(self, rows: NDArray[np.int64], threads: int | None = None) -> ListIndex: ...
    def neighbors(
        self,
        x: Rankings | None,
        count: int,
        threads: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
    def within(
        self,
        x: Rankings | None,
        radius: float,
        threads: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
    def diagonal(self, x: Rankings, threads: int | None = None) -> NDArray[np.float64]: ...

@final
class Measure:
    def __new__(cls, name: str, items: int, parameters: dict[str, Any]) -> Measure: ...
    def position_weights(self) -> tuple[Literal["products", "sums", "later", "tops"], NDArray[np.float64]]: ...
    def plus(self, other: Measure) -> Measure: ...
    def times(self, other: Measure) -> Measure: ...
    def scaled(self, factor: float) -> Measure: ...
    def power(self, exponent: int) -> Measure: ...
    @property
    def rate(self) -> float | None: ...
    @property
    def symmetric(self) -> bool: ...
    @property
    def has_index(self) -> bool: ...
    @property
    def takes_listed(self) -> bool: ...
    def check_single(self) -> None: ...
    def kappa(self, pi: Rankings) -> float: ...

def gram(
    measure: Measure,
    x: Rankings,
    y: Rankings | None,
    out: NDArray[Any],
    threads: int | None = None,
    tile: int | None = None,
    backend: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> None: ...
def correlations(
    x: Columns,
    y: Columns | None,
    settings: dict[str, Any],
    threads: int | None = None,
    tile: int | None = None,
    backend: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.float64] | None, NDArray[np.float64] | None]: ...
def correlations_of(
    x: Columns,
    y: Columns | None,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    settings: dict[str, Any],
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.float64] | None, NDArray[np.float64] | None]: ...
def correlations_at_least(
    x: Columns,
    y: Columns | None,
    limit: float,
    settings: dict[str, Any],
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
def leave_one_out(x: Columns, y: Columns, settings: dict[str, Any]) -> tuple[float, NDArray[np.float64]]: ...
def neighbors(
    measure: Measure,
    x: Rankings,
    y: Rankings | None,
    count: int,
    threads: int | None = None,
    tile: int | None = None,
    backend: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def within(
    measure: Measure,
    x: Rankings,
    y: Rankings | None,
    radius: float,
    threads: int | None = None,
    tile: int | None = None,
    backend: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
def packed_signs(x: Rankings, threads: int | None = None) -> NDArray[np.uint8]: ...
def diagonal(measure: Measure, x: Rankings, threads: int | None = None) -> NDArray[np.float64]: ...
def embed(
    x: Rankings,
    order: int,
    weights: NDArray[np.float64],
    out: NDArray[Any],
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    inverse: bool = False,
) -> None: ...
def feature_columns(measure: Measure) -> int: ...
def features(
    measure: Measure,
    x: Rankings,
    out: NDArray[Any],
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> None: ...
def combine(
    x: Rankings,
    coefficients: NDArray[np.float64],
    order: int,
    weights: NDArray[np.float64],
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    inverse: bool = False,
) -> NDArray[np.float64]: ...
def consensus(
    measure: Measure,
    x: Rankings,
    weights: NDArray[np.float64],
    method: str,
    seed: int = 0,
    threads: int | None = None,
    prove: Callable[[NDArray[np.float64], NDArray[np.int64], float], object] | None = None,
) -> tuple[NDArray[np.int64], float, float, bool, bool | None]: ...
def linear_ordering(
    matrix: NDArray[np.float64],
    method: str,
    seed: int = 0,
    threads: int | None = None,
    prove: Callable[[NDArray[np.float64], NDArray[np.int64], float], object] | None = None,
) -> tuple[NDArray[np.int64], float, float, bool, bool | None]: ...
def linear_orderings(
    matrices: NDArray[np.float64], method: str, seed: int = 0, threads: int | None = None
) -> tuple[NDArray[np.int64], list[float], list[float], list[bool], list[bool | None]]: ...
def largest_effects(
    measure: Measure,
    x: Rankings,
    coefficients: NDArray[np.float64],
    count: int,
    threads: int | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
def tuple_sums(
    x: Rankings,
    coefficients: NDArray[np.float64],
    order: int,
    out: NDArray[np.float64],
    threads: int | None = None,
) -> None: ...
def linear_function(
    x: Rankings,
    order: int,
    weights: NDArray[np.float64],
    tensor: NDArray[np.float64],
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    inverse: bool = False,
) -> NDArray[np.float64]: ...
def planned(measure: Measure, rows: int, columns: int, single: bool = False, backend: str | None = None) -> str: ...
def expanded_lists(
    measure: Measure, x: Rankings, y: Rankings | None, backend: str | None = None
) -> tuple[Rankings, Rankings | None] | None: ...
def planned_of(
    measure: Measure, x: Rankings, y: Rankings | None, single: bool = False, backend: str | None = None
) -> str: ...
def mallows_rate(mean_distance: float) -> float: ...
def weights() -> list[tuple[str, str | None, bool, str]]: ...
def position_weights(items: int) -> dict[str, NDArray[np.float64]]: ...
def most_factors(items: int, pairs: int) -> int | None: ...
def instruction_sets() -> list[str]: ...
def available_cores() -> int: ...
def row_hashes(rows: NDArray[np.uint8]) -> bytes: ...
def default_threads() -> int: ...
