"""Stage 1: text becomes normalized text.

In: UTF-8 bytes, or a str.  Out: valid UTF-8, contiguous, in which a space is byte 0x20 and nothing else stands for one.

The rule: at each position the longest rule of the charsmap whose source is a prefix of the rest puts its target there; without one, a
valid character stays as it is; a byte that is no part of valid UTF-8 becomes U+FFFD.  Then, unless the spec says reconstruct, runs of
U+0020 become one, and those at the two ends of the text go.  All places and sizes are in bytes.

    charsmap.py      the rules: from a TSV (rules.py), a blob (blob.py), or the built-in sets (data/)
    double_array.py  rules -> trie
    tables.py        what the kernel reads: the trie, and where it need not be walked
    kernel_cy.py     bytes -> normalized bytes; worker.py holds its buffers
    normalizer.py    the whole stage for a PreTokenizerSpec
"""

from piecetokenizer.normalize.charsmap import BUILTIN, Charsmap
from piecetokenizer.normalize.normalizer import Normalizer, to_utf8
from piecetokenizer.normalize.rules import parse_rules, write_rules
from piecetokenizer.normalize.worker import PREFIX, TRIM_LEFT, TRIM_RIGHT, WHOLE, NormalizeWorker

__all__ = [
    "BUILTIN", "PREFIX", "TRIM_LEFT", "TRIM_RIGHT", "WHOLE",
    "Charsmap", "NormalizeWorker", "Normalizer", "parse_rules", "to_utf8", "write_rules",
]  # fmt: skip
