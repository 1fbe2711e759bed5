"""The program `wkendall`, which `python -m wkendall` also starts.

Loading a command takes a moment. No file is written during this time, so Ctrl-C ends the process without a message.
After loading, Ctrl-C makes the command line print a message and remove unfinished files.
"""

import sys

try:
    import signal
except KeyboardInterrupt:
    sys.exit(130)


def main() -> int:
    """Load the command line and run the command of the user."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        from wkendall.cli import main as run

        return run()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from wkendall.cli import INTERRUPTED
    from wkendall.cli import main as run

    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return run()
    except KeyboardInterrupt:  # before the command begins, or after it ends
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
