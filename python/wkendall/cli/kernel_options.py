"""The options for what is computed for a pair of rankings."""

from __future__ import annotations

import argparse

from wkendall.cli.errors import UsageError
from wkendall.cli.weighting import WEIGHTING, add_weights, check_weights


def add_kernel(parser: argparse.ArgumentParser, name: str, kinds: dict[str, str]) -> None:
    """Add the option `name`; `kinds` are its choices with descriptions. The first is the default and takes weights."""
    kernel = parser.add_argument_group("the kernel")
    first = next(iter(kinds))
    meanings = "; ".join(f"{kind}: {meaning}" for kind, meaning in kinds.items())
    kernel.add_argument(name, choices=(*kinds,), default=first, dest="kernel", help=meanings)
    parser.set_defaults(weighted=(name, first))
    add_weights(kernel)
    if "mallows" in kinds:
        lam = "for --kernel mallows: the rate at which it falls with each discordant pair; default 1"
        kernel.add_argument("--lam", type=float, help=lam)


def check_kernel(arguments: argparse.Namespace) -> None:
    """Refuse wrong combinations of options."""
    option, weighted = arguments.weighted
    if arguments.kernel != weighted:
        for name, unsaid in WEIGHTING.items():
            if getattr(arguments, name) != unsaid and (arguments.kernel, name) != ("mallows", "normalize"):
                raise UsageError(f"--{name} goes with {option} {weighted}, not {arguments.kernel}")
    if getattr(arguments, "lam", None) is not None and arguments.kernel != "mallows":
        raise UsageError("--lam goes with --kernel mallows")
    check_weights(arguments)
