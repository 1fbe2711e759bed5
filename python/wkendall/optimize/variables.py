"""The variables besides an order: numbers and choices.

Each value has a place. The place of a number is from 0 to 1, and the place of a choice is its index.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import reduce
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wkendall._arguments import Array
from wkendall._errors import bad_argument, bad_type, shown, some_names
from wkendall.optimize.moves import Orders

#: The values of all variables of a point, in the sequence of the dictionary.
Values = tuple[Any, ...]

_RULE = 'a tuple (low, high) or (low, high, "log") of finite numbers, or a list of choices'
#: Whole numbers up to this are exact as doubles.
_LARGEST = 2**53


class Point(NamedTuple):
    """An order, and the values of the other variables by name."""

    order: Orders
    variables: dict[str, Any]


class Range(NamedTuple):
    """The numbers from `low` to `high`. The place of a number is its position between them, from 0 to 1."""

    low: float
    high: float
    whole: bool
    log: bool

    @property
    def spec(self) -> tuple[Any, ...]:
        """The range as users write it."""
        return (self.low, self.high, "log") if self.log else (self.low, self.high)

    @property
    def size(self) -> float:
        """The number of values."""
        return self.high - self.low + 1 if self.whole else math.inf

    def place(self, value: float) -> float:
        """Return the place of a value."""
        low, high, at = (self._scale(number) for number in (self.low, self.high, value))
        return (at - low) / (high - low)

    def value(self, place: float) -> float:
        """Return the value at a place; for a range of whole numbers, the nearest whole number. The two ends are exact."""
        if place <= 0 or place >= 1:
            return self.low if place <= 0 else self.high
        low, high = self._scale(self.low), self._scale(self.high)
        return self._inside(low + place * (high - low))

    def drawn(self, uniform: float) -> float:
        """Turn a uniform random number into a value. With `log`, the value is uniform on the logarithmic scale."""
        half = 0.5 if self.whole else 0.0
        low, high = self._scale(self.low - half), self._scale(self.high + half)
        return self._inside(low + uniform * (high - low))

    def _scale(self, number: float) -> float:
        return math.log(number) if self.log else number

    def _inside(self, number: float) -> float:
        value = math.exp(number) if self.log else number
        return min(self.high, max(self.low, round(value) if self.whole else value))

    def around(self, value: float) -> list[float]:
        """Return whole numbers other than `value`: the nearest numbers, and some numbers at growing distances."""
        steps = [2**power for power in range(int(self.size).bit_length())]
        return [value + step for step in (*(-s for s in steps), *steps) if self.low <= value + step <= self.high]

    def checked(self, value: object, where: str, row: int | None) -> float:
        """Check a value."""
        kind = "a whole number" if self.whole else "a number"
        rule = f"{kind} from {self.low} to {self.high}"
        number = _number(value)
        if number is None:
            raise bad_type(where, f" must be {rule}, not {shown(value)}")
        if not self.low <= number <= self.high or (self.whole and number != int(number)):
            raise bad_argument(
                where, f" is {shown(value)}, but must be {rule}", row=row, value=value, kind="out of range"
            )
        return int(number) if self.whole else float(number)


class Choices(NamedTuple):
    """A list of values, whose sequence in the list has no meaning. The place of a value is its index."""

    choices: tuple[Any, ...]

    @property
    def spec(self) -> list[Any]:
        """The choices as users write them."""
        return list(self.choices)

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.choices)

    def place(self, value: Any) -> float:
        """Return the index of a value."""
        return float(self.choices.index(value))

    def value(self, place: float) -> Any:
        """Return the value with an index."""
        return self.choices[int(place)]

    def drawn(self, uniform: float) -> Any:
        """Turn a uniform random number into one of the values."""
        return self.choices[min(int(uniform * len(self.choices)), len(self.choices) - 1)]

    def around(self, value: Any) -> list[Any]:
        """Return all other values."""
        return [choice for choice in self.choices if choice != value]

    def checked(self, value: object, where: str, row: int | None) -> Any:
        """Check a value."""
        with suppress(TypeError, ValueError):  # arrays cannot be compared
            if value in self.choices:
                return self.choices[self.choices.index(value)]
        raise bad_argument(
            where, f" is {shown(value)}, but must be one of {some_names(self.choices)}",
            row=row, value=value, kind="out of range",
        )  # fmt: skip


class Variables:
    """All variables beside the order.

    In arrays of places, each variable has a column. `numbers` has the columns of the numbers, which come first. `real`
    has the columns of the real numbers.
    """

    def __init__(self, specs: Mapping[str, Any]) -> None:
        if not isinstance(specs, Mapping):
            raise bad_type("variables", f" must be a dictionary of names and values, not {shown(specs)}")
        if not specs:
            raise bad_argument("variables", " is empty, but must have at least one name: without variables pass None")
        for name in specs:
            if not isinstance(name, str):
                raise bad_type("variables", f" has the name {shown(name)}, but names must be texts")
        self.names = tuple(specs)
        self.parts = [_variable(f"variables[{name!r}]", spec) for name, spec in specs.items()]
        kinds = list(enumerate(self.parts))
        self.numbers = [column for column, part in kinds if isinstance(part, Range)]
        self.real = [column for column, part in kinds if isinstance(part, Range) and not part.whole]
        self.discrete = [column for column in range(len(kinds)) if column not in self.real]
        self.choices = [column for column, part in kinds if isinstance(part, Choices)]

    @property
    def specs(self) -> dict[str, Any]:
        """The variables as users write them."""
        return {name: part.spec for name, part in zip(self.names, self.parts, strict=True)}

    @property
    def size(self) -> float:
        """The number of different combinations of values, infinite if there are real numbers."""
        return reduce(operator.mul, (part.size for part in self.parts))

    def checked(self, values: object, where: str = "x", row: int | None = None) -> Values:
        """Check the values of a point."""
        if not isinstance(values, Mapping):
            raise bad_type(where, f" must have a dictionary with the values of the variables, not {shown(values)}")
        for name in values:
            if name not in self.names:
                said = f" has a variable {shown(name)}, but the variables are {some_names(self.names)}"
                raise bad_argument(where, said, row=row, kind="unknown name")
        for name in self.names:
            if name not in values:
                raise bad_argument(where, f" has no variable {name!r}", row=row, kind="missing name")
        pairs = zip(self.names, self.parts, strict=True)
        return tuple(part.checked(values[name], f"{where}[{name!r}]", row) for name, part in pairs)

    def by_name(self, values: Values) -> dict[str, Any]:
        """Return the values of a point by name."""
        return dict(zip(self.names, values, strict=True))

    def places(self, values: Values) -> Array:
        """Return the places of the values of a point."""
        return np.array([part.place(value) for part, value in zip(self.parts, values, strict=True)], float)

    def values(self, places: Array) -> Values:
        """Return the values at the places."""
        return tuple(part.value(float(place)) for part, place in zip(self.parts, places, strict=True))

    def drawn(self, uniform: Array) -> Values:
        """Return values from one uniform number for each variable."""
        return tuple(part.drawn(float(one)) for part, one in zip(self.parts, uniform, strict=True))

    def random(self, rng: np.random.Generator) -> Values:
        """Draw values; all are equally likely."""
        return self.drawn(rng.random(len(self.parts)))

    def spread(self, number: int, count: int, seed: int) -> Values:
        """Return the values of point `number` of `count` points, spread evenly in each range (a Latin hypercube)."""
        block, number = divmod(number, count)
        rng = np.random.default_rng([seed, block, 2**32])
        columns = [(rng.permutation(count) + rng.random(count)) / count for _ in self.parts]
        return self.drawn(np.array([column[number] for column in columns]))

    def near(self, values: Values, changed: NDArray[np.bool_], spread: float, rng: np.random.Generator) -> Values:
        """Change some of the values.

        A real number is changed by about the share `spread` of its range. Another value is replaced by a neighbouring
        value.
        """
        found = list(values)
        for column in np.flatnonzero(changed):
            part, value = self.parts[column], values[column]
            if column in self.real:
                found[column] = part.value(min(1.0, max(0.0, part.place(value) + spread * rng.standard_normal())))
            else:
                others = part.around(value)
                found[column] = others[rng.integers(len(others))]
        return tuple(found)

    def all(self) -> Iterator[Values]:
        """Yield all combinations of values, if their number is finite."""
        ranges = [
            part.choices if isinstance(part, Choices) else range(int(part.low), int(part.high) + 1)
            for part in self.parts
        ]
        return product(*ranges)

    def around(self, values: Values, columns: list[int]) -> list[Values]:
        """Return combinations that differ from `values` in one of `columns`. None of these may have real numbers."""
        return [
            (*values[:column], other, *values[column + 1 :])
            for column in columns
            for other in self.parts[column].around(values[column])
        ]


def _variable(where: str, spec: object) -> Range | Choices:
    """Check one variable."""
    if isinstance(spec, list):
        return _choices(where, spec)
    if not isinstance(spec, tuple):
        raise bad_type(where, f" must be {_RULE}, not {shown(spec)}")
    if len(spec) not in (2, 3) or (len(spec) == 3 and not (isinstance(spec[2], str) and spec[2] == "log")):
        raise bad_argument(where, f" is {shown(spec)}, but must be {_RULE}")
    low, high = (_number(end) for end in spec[:2])
    if low is None or high is None:
        raise bad_type(where, f" is {shown(spec)}, but must be {_RULE}")
    log = len(spec) == 3
    if not (low < high and math.isfinite(high - low)):
        raise bad_argument(where, f" is {shown(spec)}, but low must be less than high, and their difference finite")
    if log and low <= 0:
        raise bad_argument(where, f" is {shown(spec)}, but low must be greater than 0 for a logarithmic scale")
    whole = isinstance(low, int) and isinstance(high, int)
    if whole and max(abs(low), abs(high)) > _LARGEST:
        raise bad_argument(where, f" is {shown(spec)}, but whole numbers must be at most {_LARGEST}")
    return Range(low, high, True, log) if whole else Range(float(low), float(high), False, log)


def _choices(where: str, choices: list[Any]) -> Choices:
    if len(choices) < 2:
        raise bad_argument(where, f" is {shown(choices)}, but must have at least two choices")
    # NumPy's numbers and truth values become Python's, which files can hold.
    choices = [choice.item() if isinstance(choice, np.generic) else choice for choice in choices]
    for place, choice in enumerate(choices):
        endless = isinstance(choice, float) and not math.isfinite(choice)
        if endless or not (choice is None or isinstance(choice, str | bool | int | float)):
            kinds = "texts, finite numbers, truth values or None"
            raise bad_type(where, f" has {shown(choice)}, but choices must be {kinds}")
        if choice in choices[:place]:
            raise bad_argument(where, f" has {shown(choice)} twice, or choices that are equal", kind="duplicate")
    return Choices(tuple(choices))


def _number(value: object) -> float | None:
    """Return a finite real number, or None if `value` is something else. A number of an integer type becomes an int."""
    if isinstance(value, bool | np.bool_ | str | bytes):
        return None
    with suppress(TypeError):
        number = operator.index(value)  # type: ignore[arg-type]
        return number if abs(number) <= 10**300 else None
    with suppress(TypeError, ValueError, OverflowError):
        real = float(value)  # type: ignore[arg-type]
        return real if math.isfinite(real) else None
    return None
