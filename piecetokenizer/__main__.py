"""`python -m piecetokenizer` is the console script `piecetokenizer`."""

import sys

from piecetokenizer.cli import main

if __name__ == "__main__":
    sys.exit(main())
