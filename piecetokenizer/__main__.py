"""`python -m piecetokenizer` is the console script `piecetokenizer`."""

import sys

from piecetokenizer.cli import run

if __name__ == "__main__":
    sys.exit(run())
