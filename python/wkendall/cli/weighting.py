"""The options for weights: what a pair of items adds to a kernel."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wkendall.cli.errors import UsageError
from wkendall.cli.options import whole_number
from wkendall.cli.reading import load_array
from wkendall.kernels.named_weights import FACTORS, WEIGHTS

if TYPE_CHECKING:
    Group = argparse._ArgumentGroup

#: Options for weights, and their defaults.
WEIGHTING = {
    "weight": None,
    "k": None,
    "u": None,
    "U": None,
    "W": None,
    "order": 2,
    "signed": False,
    "normalize": False,
}


def add_weights(kernel: Group) -> None:
    """Add the options for weights."""
    which = kernel.add_mutually_exclusive_group()
    which.add_argument("--weight", choices=WEIGHTS, help="what a concordant pair adds; default standard")
    which.add_argument(
        "--U", metavar="FILE.npy", type=Path, help="weights of pairs (or, with --order, tuples) of positions"
    )
    which.add_argument(
        "--W", metavar="FILE.npy", type=Path, help="an array of n x n x n x n weights that makes a kernel"
    )
    kernel.add_argument(
        "--k", type=whole_number(1), metavar="K", help="for --weight top: the number of ranks that count"
    )
    kernel.add_argument(
        "--u",
        type=_position_weights,
        metavar="WEIGHTS",
        help="for --weight add and mult: hyperbolic, log, numbers such as 1,0.5,0.25 (--u=-1,0 if the first is negative), or an "
        ".npy file; the first is the weight of the best rank",
    )
    kernel.add_argument(
        "--order", type=whole_number(1), default=2, metavar="D", help="number of items in a tuple; default 2, pairs"
    )
    kernel.add_argument("--signed", action="store_true", help="subtract the weights of discordant pairs")
    kernel.add_argument("--normalize", action="store_true", help="divide by the square roots of the self-similarities")
    kernel.add_argument("--no-check", action="store_true", help="do not check that W makes a kernel")


def check_weights(arguments: argparse.Namespace) -> None:
    """Refuse wrong combinations of options for weights."""
    if arguments.no_check and arguments.W is None:
        raise UsageError("--no-check goes with --W")
    if arguments.weight == "top" and arguments.k is None:
        raise UsageError("--weight top needs --k, the number of ranks that count")
    if arguments.k is not None and arguments.weight != "top":
        raise UsageError("--k goes with --weight top")
    if arguments.weight in ("add", "mult") and arguments.u is None:
        raise UsageError(f"--weight {arguments.weight} needs --u: hyperbolic, log, numbers, or an .npy file")
    if arguments.u is not None and arguments.weight not in ("add", "mult"):
        raise UsageError("--u goes with --weight add and --weight mult")
    if arguments.signed and (arguments.U or arguments.W):
        raise UsageError("--signed goes with --weight, not with --U and --W")
    if arguments.signed and arguments.order != 2:
        raise UsageError("--signed goes with --order 2")
    if arguments.W and arguments.order != 2:
        raise UsageError("--W goes with --order 2")


def weights_given(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of the kernel that were given."""
    given = {
        name: getattr(arguments, name) for name, unsaid in WEIGHTING.items() if getattr(arguments, name) is not unsaid
    }
    loaded = {name: load_array(value) for name, value in given.items() if isinstance(value, Path)}
    return given | loaded | {"check": not arguments.no_check}


def _position_weights(text: str) -> str | Path | list[float]:
    if text in FACTORS:
        return text
    if text.lower().endswith(".npy"):
        return Path(text)
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither {' nor '.join(FACTORS)} nor numbers such as 1,0.5,0.25 nor the name of an .npy file"
        ) from None
