"""Make piecetokenizer/normalize/data/*.charsmap.gz, the built-in rule sets, from the tables of the sentencepiece package.

    python scripts/make_charsmaps.py DIRECTORY

The rules are facts of Unicode 17.0 as sentencepiece 0.2.3 applies them: its SentencePieceNormalizer lists them, our compiler lays them
out.  Needs both packages installed; the result depends on nothing else, so running it again gives the same files.
"""

import gzip
import sys
from importlib.metadata import version
from pathlib import Path

from sentencepiece import SentencePieceNormalizer

from piecetokenizer.normalize import BUILTIN, Charsmap

SENTENCEPIECE = "0.2.3"


def main(directory: Path) -> None:
    """Write the four files, and say what is in them."""
    if version("sentencepiece") != SENTENCEPIECE:
        sys.exit(f"sentencepiece {version('sentencepiece')} is installed; the data are made from {SENTENCEPIECE} (Unicode 17.0)")
    for name in BUILTIN:
        if name == "none":
            continue
        rules = dict(SentencePieceNormalizer(rule_name=name).Decompile())
        blob = Charsmap.from_rules(rules).blob
        packed = gzip.compress(blob, 9, mtime=0)
        (directory / f"{name}.charsmap.gz").write_bytes(packed)
        print(f"{name}: {len(rules):,} rules, {len(blob):,} bytes, {len(packed):,} compressed")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_charsmaps.py DIRECTORY")
    main(Path(sys.argv[1]))
