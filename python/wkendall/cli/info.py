"""`wkendall info`: versions of this installation, and properties of this machine."""

from __future__ import annotations

import argparse
import json

from wkendall._config import configuration, show_config
from wkendall.cli.output import standard_output

_SUMMARY = "show versions, instruction sets and threads"
_DESCRIPTION = """\
Show the versions of wkendall and of the libraries that it uses, the instruction
sets of the processor, and the number of threads. Also show the backend (the way of
computing) that is chosen for rankings of 6 to 20,000 items.
"""
_EPILOG = """\
examples:
  wkendall info
  wkendall info --json
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print the information."""
    found = configuration()
    with standard_output() as file:
        if arguments.json:
            print(json.dumps(found._asdict(), indent=2), file=file)
            return 0
        show_config()
        print("libraries:", file=file)
        for name, version in found.libraries.items():
            print(f"  {name:13}{version or 'not installed'}", file=file)
    return 0
