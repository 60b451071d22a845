"""The trie of a dictionary's words, as the tables of the word kernel.

In: the lines of a dictionary.  Out: the hash table of nodes that inline.py describes, the weight of the word that ends at each
node, and a table for the first step, which all searches begin with:

    roots[2 * (c - FIRST)]       the node of character c, or a node without children if no word goes on from there; NOT_HAN
    roots[2 * (c - FIRST) + 1]   its weight, that of log(1 / total) if it is no word by itself

The last place of `roots` is that of a segment without Han: nothing goes on from it, and its weight is 0.

Memory: 8 bytes a slot, of which about half are used.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.pretokenize.classes import CLASSES, class_table
from piecetokenizer.pretokenize.inline import CHILDREN
from piecetokenizer.pretokenize.lexicon_cy import WordReader
from piecetokenizer.pretokenize.weights import exact_sum, log_weight, log_weights

__all__ = ["BadLine", "Trie", "read_trie"]

FIRST, LAST = 0x3000, 0x33FFF
"""The range of the table of first characters; all Han characters of Unicode 17.0 lie in it."""

NOT_HAN = -2

NO_WORD = 0x7FFFFFFF
"""In `weights`: a node where no word ends (a weight is never above 0)."""

PADDED = 64
"""Slots behind the last home."""

DONE, FULL, BAD = range(3)
"""What WordReader.read returns."""

PROBLEMS = {
    1: "no TAB or space between a word and its frequency",
    2: "no word before the frequency",
    3: "the frequency is not a whole number in decimal digits",
    4: "the frequency is 0, leave the word out or give it at least 1",
    5: "the frequency is above 9223372036854775807",
    6: "the word has more than 255 characters",
}
"""What WordReader.problem means."""


class BadLine(Exception):
    """A line that cannot be read: its number and what is wrong with it."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(line, problem)
        self.line, self.problem = line, problem


@dataclass(frozen=True, slots=True)
class Trie:
    """The tables of the word kernel, and what was read to make them."""

    roots: NDArray[np.int32]
    slots: NDArray[np.uint32]
    weights: NDArray[np.int32]
    multiplier: int
    longest: int
    entries: int
    words: int
    foreign: int
    repeated: int
    total: int


def read_trie(data: bytes, multiplier: int) -> Trie:
    """Read lines into a trie; raises BadLine.  `multiplier` is an odd number below 2^64.  `words` may come out as 0."""
    lines = data.count(b"\n") + 1
    nodes, frequencies = np.empty(lines, np.int32), np.empty(lines, np.int64)
    # A usual dictionary's words bring 1.4 nodes each; for others the tables grow.
    homes = 1 << max(10, (3 * lines // 2).bit_length())
    first, blocks = class_table()
    while True:
        if homes > 1 << 30:
            raise BadLine(1, "the dictionary is too large")
        slots, is_word = np.zeros(homes + PADDED, np.uint32), np.zeros(homes + PADDED, np.uint8)
        first_nodes = np.full(LAST + 1 - FIRST, -1, np.int32)
        reader = WordReader(
            data, first.data, blocks.data, slots.data, first_nodes.data, is_word.data, nodes.data, frequencies.data, multiplier
        )
        result = reader.read()
        if result == DONE:
            break
        if result == BAD:
            raise BadLine(reader.line, PROBLEMS[reader.problem])
        homes *= 2
    nodes, frequencies = nodes[: reader.words], frequencies[: reader.words]
    total = max(1, exact_sum(frequencies))
    weights = np.full(len(slots), NO_WORD, np.int32)
    weights[nodes] = log_weights(frequencies, total)
    roots = _roots(first_nodes, slots, weights, log_weight(1, total))
    for table in (roots, slots, weights):
        table.flags.writeable = False
    return Trie(
        roots, slots, weights, multiplier, reader.longest, reader.entries, reader.words, reader.foreign, reader.repeated, total
    )


def _roots(first_nodes: NDArray[np.int32], slots: NDArray[np.uint32], weights: NDArray[np.int32], fallback: int) -> NDArray[np.int32]:
    """The table of first characters, from the node of each."""
    first, blocks = class_table()
    han = blocks.reshape(-1, 256)[first[FIRST >> 8 : (LAST >> 8) + 1]].ravel() == CLASSES.index("H")
    childless = len(slots) - 2  # one of the slots that stay empty
    roots = np.full((LAST + 2 - FIRST, 2), [childless, fallback], np.int32)
    roots[:-1, 0][~han] = NOT_HAN
    roots[-1, 1] = 0
    characters = np.flatnonzero(first_nodes >= 0)
    nodes = first_nodes[characters]
    roots[characters, 0] = np.where(slots[nodes] & CHILDREN, nodes, childless)
    roots[characters, 1] = np.where(weights[nodes] == NO_WORD, fallback, weights[nodes])
    return roots.ravel()
