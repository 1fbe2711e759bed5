"""`python -m wkendall` is the command `wkendall`."""

import sys

from wkendall.cli import main

if __name__ == "__main__":
    sys.exit(main())
