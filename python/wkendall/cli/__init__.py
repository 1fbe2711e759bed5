"""The command line, `wkendall`.

Each command is a module with the texts of its help and with two functions. `add_options(parser)` adds the options of
the command. `run(arguments)` does the work and returns an exit code. Slow imports are made only when a command runs.

Modules, the highest first. Each module imports only modules below it:

    gram, neighbors, corr, learn, predict, compare, cluster, consensus, report, reproduce, info   the commands
    describe            the command describe; also the groups of the report
    validation          cross-validated scores
    learn_picture       the picture of learned weights and of the effects of ranks
    kernel_options      the options for what is computed for a pair of rankings
    labels              labels and groups of rankings
    reading             read files as rankings of the same items
    arrays              read NumPy files as arrays
    options             options that several commands share
    output              files that are written completely or not at all
    messages            errors in one line, which name files and options
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

from wkendall import __version__
from wkendall.cli import (
    cluster,
    compare,
    consensus,
    corr,
    describe,
    gram,
    info,
    learn,
    neighbors,
    predict,
    report,
    reproduce,
)
from wkendall.cli.messages import UsageError, explain, message_of
from wkendall.cli.output import standard_output

__all__ = ["main"]

COMMANDS = (gram, neighbors, corr, learn, predict, describe, compare, cluster, consensus, report, reproduce, info)

DONE, FAILED, WRONG_USAGE, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 130, 141

_EPILOG = """\
exit codes:
  0    success
  1    failure: bad data, a file that cannot be read or written, a full disk, too little memory
  2    wrong usage: an option that does not exist, or options that cannot be combined
  130  interrupted by Ctrl-C
  141  the output was closed, for example by head
  143  ended by a request to terminate (SIGTERM)

Errors are reported in one line on standard error. Files are written completely
or not at all.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. `argv` has the words that follow the name of the program."""
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        with _termination_as_exit(), _warnings_in_one_line():
            code = _run(words)
            if sys.stdout is not None:
                with standard_output() as file:
                    file.flush()
            return code
    except BrokenPipeError:
        code = CLOSED_PIPE
    except KeyboardInterrupt:
        _show(words, "interrupted")
        code = INTERRUPTED
    except Exception as error:
        _show(words, explain(error))
        code = FAILED
    _forget_unwritten_output()
    return code


def _run(words: list[str]) -> int:
    try:
        arguments = _parser().parse_args(words)
        try:
            return int(arguments.run(arguments))
        except UsageError as error:
            parser: argparse.ArgumentParser = arguments.parser
            parser.error(str(error))
    except SystemExit as stop:  # --help, wrong usage, or a request to terminate
        return stop.code if isinstance(stop.code, int) else DONE


class _Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line, without printing the usage."""

    def parse_args(self, words: Sequence[str]) -> argparse.Namespace:  # type: ignore[override]
        found, rest = self.parse_known_args(words)
        if rest:
            several = [name for name in ("--skip", "--items") if name in words and not rest[0].startswith("-")]
            hint = f"; several names of {several[0]} are separated by commas, without spaces" if several else ""
            self.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
        return found

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USAGE, f"wkendall: {' '.join(message.split())} ({self.prog} --help shows more)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="wkendall",
        description="Compare rankings with weighted Kendall kernels, and learn the weights.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"wkendall {__version__}")
    debug: dict[str, Any] = {"action": "store_true", "help": "show the traceback of an error"}
    parser.add_argument("--debug", **debug)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        of_command = commands.add_parser(
            command.__name__.rpartition(".")[2],
            help=command._SUMMARY,
            description=command._DESCRIPTION,
            epilog=command._EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.add_options(of_command)
        of_command.add_argument("--debug", **debug, default=argparse.SUPPRESS)
        of_command.set_defaults(parser=of_command, run=command.run)
    return parser


def _show(words: list[str], message: str) -> None:
    """Print the error `message`. With --debug, also print the traceback."""
    if sys.stderr is None:
        return
    with suppress(OSError):
        if "--debug" in words:
            traceback.print_exc()
        print(f"wkendall: {message}", file=sys.stderr, flush=True)


def _forget_unwritten_output() -> None:
    """Discard output that could not be written, so that Python does not try to write it again at exit."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        with suppress(OSError, ValueError):
            os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@contextmanager
def _termination_as_exit() -> Iterator[None]:
    """Turn a termination signal into an exception, so that unfinished files are removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """Show each warning in one line and only once, even if it is raised many times."""
    said: set[str] = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        text = " ".join((message_of(message) if isinstance(message, Warning) else message).split())
        if sys.stderr is not None and text not in said:
            said.add(text)
            print(f"wkendall: warning: {text}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
