"""The class of each character, from frozen tables of Unicode 17.0.

In: a character.  Out: one of ten numbers, which the boundary table and the kernels are indexed by:

    S  the space U+0020                              N  newlines: LF CR U+0085 U+2028 U+2029
    T  other white space and controls (Zs, Cc)       H  Han: ideographs, U+3005 U+3007 U+303B
    L  other letters (L*)                            M  marks (M*)
    D  decimal digits (Nd)                           J  format characters (Cf): joiners, bidi marks, emoji tags, BOM
    P  everything else: punctuation, symbols, Nl, No, unassigned, private
    A  the apostrophes ' and U+2019: P, but for the split `isolate`

The table is made by scripts/make_classes.py, which says how it is laid out; data/README.md names its sources.
"""

import os
from functools import cache

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import ModelError

__all__ = ["CLASSES", "class_of", "class_table"]

CLASSES = "SNTHLMDJPA"
"""The class letters, each at the place of its number."""

STAGE_ONE = 0x200000 >> 8
"""Entries of the first stage: one for 256 code points, up to all that four bytes of malformed UTF-8 can spell."""


@cache
def class_table() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The two stages: the class of code point c is `blocks[first[c >> 8] << 8 | c & 255]`."""
    path = os.path.join(os.path.dirname(__file__), "data", "classes-17.0.bin")
    with open(path, "rb") as file:
        data = np.frombuffer(file.read(), dtype=np.uint8)
    first, blocks = data[:STAGE_ONE], data[STAGE_ONE:]
    # The kernel looks up without checks, so a damaged installation must be found here.
    if len(first) != STAGE_ONE or (int(first.max()) + 1) * 256 > len(blocks) or int(blocks.max()) >= len(CLASSES):
        raise ModelError(f"{path} is damaged; install piecetokenizer again")
    return first, blocks


def class_of(character: str) -> str:
    """The class letter of one character.

    >>> "".join(map(class_of, " \\n\\ta你1é'!"))
    'SNTLHDLAP'
    """
    first, blocks = class_table()
    code_point = ord(character)
    return CLASSES[blocks[int(first[code_point >> 8]) << 8 | code_point & 255]]
