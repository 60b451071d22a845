"""Our pre-tokenizer's rule as one regular expression, for tokenizer.json.

In: a PreTokenizerSpec.  Out: a pattern (Oniguruma) that matches one segment of a text in which ▁ stands for the space; None for cn=dict,
which no expression can say.

A segment goes on as long as neighbours are joined, and that depends on their two classes: so it is any number of "a character of
these classes, before one of those", and then one more character.  The classes are written out as code points, not as \\p{...},
because the reader's Unicode tables are of another version than ours; that makes the pattern long (up to 130 KB) and exact.
Only the apostrophe of split=isolate needs more than two characters: it joins when a letter or a mark is on both sides.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache

import numpy as np

from piecetokenizer.formats.columns import SPACE
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.pretokenize.classes import CLASSES, class_table
from piecetokenizer.spec import PreTokenizerSpec

__all__ = ["IMPORTABLE", "split_regex"]

EXAMPLES = {"S": " ", "N": "\n", "T": "\t", "H": "一", "L": "a", "M": "\u0301", "D": "1", "J": "\u200d", "P": ".", "A": "'"}
"""A character of each class."""

IMPORTABLE = tuple(
    PreTokenizerSpec(split=split, digit=digit, cn=cn, spaces=spaces)
    for split in ("isolate", "word", "space")
    for digit in ("keep", "split")
    for cn in ("none", "char")
    for spaces in ("each", "run")
)
"""The rules whose expression is known when it comes back."""


def split_regex(spec: PreTokenizerSpec) -> str | None:
    """The pattern of a segment."""
    if spec.cn == "dict":
        return None
    pretokenizer = PreTokenizer(spec)
    after: dict[frozenset[str], list[str]] = defaultdict(list)
    for left, example in EXAMPLES.items():
        joined = frozenset(right for right, other in EXAMPLES.items() if not pretokenizer.may_be_boundary(example, other))
        after[joined].append(left)
    steps = [f"{_class(lefts)}(?={_class(joined)})" for joined, lefts in after.items() if joined]
    if spec.split == "isolate":
        word, apostrophe = _class("LM"), _class("A")
        steps += [f"{word}(?={apostrophe}{word})", f"(?<={word}){apostrophe}(?={word})"]
    return f"(?:{'|'.join(steps)})*+[\\s\\S]"


def _class(letters: Iterable[str]) -> str:
    """A set of our classes; P is everything that is in no other, so a set with P is written as what is not in it."""
    chosen = set(letters)
    if "P" in chosen:
        return f"[^{''.join(_ranges(letter) for letter in CLASSES if letter not in chosen)}]"
    return f"[{''.join(_ranges(letter) for letter in CLASSES if letter in chosen)}]"


@cache
def _ranges(letter: str) -> str:
    """The code points of a class as the inside of a bracket expression; S is the mark that stands for the space."""
    if letter == "S":
        return SPACE
    first, blocks = class_table()
    of = blocks.reshape(-1, 256)[first[: 0x110000 >> 8]].reshape(-1)
    inside = np.concatenate([[False], of == CLASSES.index(letter), [False]])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    return "".join(
        f"\\x{{{low:x}}}" if low == high else f"\\x{{{low:x}}}-\\x{{{high:x}}}"
        for low, high in zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True)
    )
