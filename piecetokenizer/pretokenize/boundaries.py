"""The boundary table: between which two neighbours a segment ends.

In: the options split, digit, cn and spaces of a PreTokenizerSpec.  Out: for each ordered pair of classes whether a boundary
lies between two neighbours of these classes.  But for the apostrophe of `isolate` and for the dictionary, which only cuts
further, a boundary depends on nothing but the two characters.  That is what makes exports exact: a vocabulary trained under
the table holds no piece with a boundary pair inside, so no merge crosses a boundary even where nobody looks for boundaries.

Rules come in this order, later ones win: the split, what every split joins, digits, Han, spaces.

What "a digit alone, with the marks and joiners that follow it" means in a table of pairs: a boundary before every D, whatever
comes before it (also a joiner), and one after it unless a mark or a joiner follows.  What follows *that* mark or joiner is
decided by the pair of these two, as everywhere: in `1`+U+0301+`a` the pair M L is joined, so the letter rides along.  To look
back at what the mark stands on would be a context rule, and cost all other text its exact export.  The same holds for H under
cn=char and cn=dict.
"""

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.pretokenize.classes import CLASSES
from piecetokenizer.spec import PreTokenizerSpec

__all__ = ["ROWS", "START", "boundary_table", "joined_pairs"]

ROWS = 16
"""Entries of a row of the table, a power of two above the number of classes."""

START = 10
"""The row of the start of a text: before the first character there is no boundary to report."""

WORD_PAIRS = "LL ML HH DD PP PL SL SP NN TT"
ISOLATE_PAIRS = "LL ML HH DD"


def joined_pairs(spec: PreTokenizerSpec) -> set[str]:
    """The pairs of classes, as two letters, that have no boundary between them.

    A is treated as P here.  In `isolate` the kernel uses class A only for an apostrophe between two of L and M, and P for all others.

    >>> sorted(pair for pair in joined_pairs(PreTokenizerSpec(split="isolate", digit="split")) if pair[0] == "D")
    ['DJ', 'DM']
    """
    classes = CLASSES.replace("A", "")
    every = {a + b for a in classes for b in classes}
    marks = {x + "M" for x in "SLHDPJM"}
    joiners = {x + "J" for x in "SLHDPMJ"} | {"J" + x for x in "LHDPM"}
    if spec.split == "word":
        joined = marks | joiners | set(WORD_PAIRS.split())
    elif spec.split == "isolate":
        joined = marks | joiners | set(ISOLATE_PAIRS.split())
    elif spec.split == "space":
        joined = {pair for pair in every if pair[1] != "S" and (pair == "NN" or "N" not in pair)}
    else:
        joined = every
    if spec.digit == "split":
        joined -= _leaving_alone("D", every)
    if spec.cn != "none":
        joined -= _leaving_alone("H", every)
    if spec.cn == "dict":
        joined.add("HH")
    if spec.spaces == "run":
        joined.add("SS")
    joined = {x + y for pair in joined for x in pair[0].replace("P", "PA") for y in pair[1].replace("P", "PA")}
    if spec.split == "isolate":
        joined |= {"LA", "MA", "AL", "AM"}
    return joined


def boundary_table(spec: PreTokenizerSpec) -> NDArray[np.uint8]:
    """The table for kernels: at `ROWS * a + b` 1 if a boundary lies between classes a and b, else 0; row START is all 0."""
    joined = joined_pairs(spec)
    table = np.zeros((ROWS, ROWS), np.uint8)
    for a, left in enumerate(CLASSES):
        for b, right in enumerate(CLASSES):
            table[a, b] = left + right not in joined
    return table.ravel()


def _leaving_alone(alone: str, every: set[str]) -> set[str]:
    """The pairs that must not be joined so that each character of class `alone` begins a segment, which only marks and joiners continue."""
    return {pair for pair in every if pair[1] == alone or (pair[0] == alone and pair[1] not in "MJ")}
