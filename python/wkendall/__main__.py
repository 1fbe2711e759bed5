"""The program `wkendall`, which is also `python -m wkendall`.

Loading what a command needs takes a while. Nothing is written meanwhile, so Ctrl-C just ends the process, as it ends programs
that know nothing of it. From then on the command line says that it was interrupted, and cleans up.
"""

import sys

try:
    import signal
except KeyboardInterrupt:
    sys.exit(130)


def main() -> int:
    """Load the command line and run the command that the program was started with."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        from wkendall.cli import main as run

        return run()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from wkendall.cli import INTERRUPTED
    from wkendall.cli import main as run

    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return run()
    except KeyboardInterrupt:  # before it has begun, or when it is done
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
