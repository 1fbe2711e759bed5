"""The options for a kernel or for another measure. They are the same in all commands."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wkendall.cli.arrays import load_array
from wkendall.cli.messages import UsageError
from wkendall.cli.options import whole_number
from wkendall.measures import POSITION_WEIGHTS, WEIGHTS, Kendall, KendallDistance, Mallows, Measure, TensorKernel

#: The options, and their values if they are not given.
_ABSENT: dict[str, Any] = {"weight": None, "k": None, "u": None, "U": None, "W": None, "order": None, "lam": None}
_ABSENT |= {"signed": False, "normalize": False}
#: Options of the Kendall kernel alone, or of general weights: they need not be told which kernel.
_WEIGHTED = ("weight", "k", "u", "U", "W", "order", "signed")


def add_kernel(parser: argparse.ArgumentParser, name: str = "", kinds: Mapping[str, str] | None = None) -> None:
    """Add the options. If a command has several kinds of measures, the option `name` chooses one of `kinds`."""
    kernel = parser.add_argument_group("the kernel")
    if kinds is not None:
        meanings = "; ".join(f"{kind}: {meaning}" for kind, meaning in kinds.items())
        kernel.add_argument(name, choices=(*kinds,), dest="kernel", help=meanings)
    # Without any option the measure is the distance if that is the first of the kinds.
    parser.set_defaults(kernel_option=name, distance_first=next(iter(kinds or ()), "") == "distance")
    which = kernel.add_mutually_exclusive_group()
    which.add_argument("--weight", choices=WEIGHTS, help="the weights of concordant pairs; default standard")
    which.add_argument(
        "--U",
        metavar="FILE.npy",
        type=Path,
        help="weights of pairs of positions (with --order, of tuples of positions)",
    )
    which.add_argument(
        "--W", metavar="FILE.npy", type=Path, help="an array of n x n x n x n weights that makes a kernel"
    )
    which.add_argument(
        "--lam",
        type=_rate,
        help="for the Mallows kernel exp(-lam d), where d is the number of discordant pairs: the number lam; auto is "
        "8 / (n (n - 1)) for n items",
    )
    kernel.add_argument("--k", type=whole_number(1), metavar="K", help=f"{_users('k')}: how many top ranks count")
    kernel.add_argument(
        "--u",
        type=_position_weights,
        metavar="WEIGHTS",
        help=f"{_users('u')}: the weights of the ranks. They are {', '.join(POSITION_WEIGHTS)}, an .npy file, or numbers "
        "such as 1,0.5,0.25, the weight of the best rank first (if the first number is negative, write --u=-1,0)",
    )
    kernel.add_argument(
        "--order", type=whole_number(1), metavar="D", help="compare tuples of D items; default 2, which means pairs"
    )
    kernel.add_argument("--signed", action="store_true", help="discordant pairs count as negative")
    kernel.add_argument("--normalize", action="store_true", help="scale each ranking's kernel value with itself to 1")
    kernel.add_argument("--no-check", action="store_true", help="do not check that W makes a kernel")


def _users(parameter: str) -> str:
    return f"for --weight {', '.join(name for name, needed in WEIGHTS.items() if needed == parameter)}"


def is_weighted(arguments: argparse.Namespace) -> bool:
    """Return whether an option was given that only kernels with weights have."""
    return any(getattr(arguments, name) != _ABSENT[name] for name in _WEIGHTED)


def check_kernel(arguments: argparse.Namespace) -> None:
    """Raise an error about options that the measure does not have, before any file is read."""
    measure, said = _chosen(arguments)
    for name in _given(arguments):
        if name not in measure._names():
            raise UsageError(f"--{name} does not go with {said}")
    if arguments.no_check and arguments.W is None:
        raise UsageError("--no-check goes with --W")


def measure_of(arguments: argparse.Namespace) -> Measure:
    """Return the measure that the options describe."""
    check_kernel(arguments)
    given = {name: load_array(value) if isinstance(value, Path) else value for name, value in _given(arguments).items()}
    if arguments.no_check:
        given["check"] = False
    return _chosen(arguments)[0](**given)


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    found = {name: getattr(arguments, name) for name in _ABSENT}
    return {name: value for name, value in found.items() if value != _ABSENT[name]}


def _chosen(arguments: argparse.Namespace) -> tuple[type[Measure], str]:
    """Return the class of the measure, and the option that determines this class."""
    kind = getattr(arguments, "kernel", None)
    said = f"{arguments.kernel_option} {kind}"
    if kind == "distance" or (kind is None and arguments.distance_first and not _given(arguments)):
        return KendallDistance, said
    if kind == "mallows":
        return Mallows, said
    if kind != "kendall" and arguments.lam is not None:
        return Mallows, "--lam"
    for name in ("U", "W"):
        if getattr(arguments, name) is not None:
            return TensorKernel, f"--{name}"
    return Kendall, said


def _rate(text: str) -> float | str:
    try:
        return text if text == "auto" else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor auto") from None


def _position_weights(text: str) -> str | Path | list[float]:
    if text in POSITION_WEIGHTS:
        return text
    if text.lower().endswith(".npy"):
        return Path(text)
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither {' nor '.join(POSITION_WEIGHTS)} nor numbers such as 1,0.5,0.25 nor the name of an .npy file"
        ) from None
