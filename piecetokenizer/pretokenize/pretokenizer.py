"""PreTokenizer: a spec and its tables, ready to cut normalized text into segments.

In: a PreTokenizerSpec, with cn=dict also the Dictionary.  Out: an immutable object for any number of threads; each
call or thread takes a cutter of its own, which holds the state of a walk.
"""

from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import InputError
from piecetokenizer.lowlevel import PADDING
from piecetokenizer.pretokenize.boundaries import ROWS, boundary_table
from piecetokenizer.pretokenize.classes import CLASSES, class_of, class_table
from piecetokenizer.pretokenize.cutter_cy import BoundaryCutter
from piecetokenizer.spec import PreTokenizerSpec

__all__ = ["Cutter", "PreTokenizer"]

WINDOW = 2048
"""Ends found by one call of a cutter: enough to make the call's cost vanish, few enough to stay in the first-level cache (16 KB)."""

SPECIAL = 16
"""In the kernel's table of bytes: not ASCII, or an apostrophe that needs a look at its neighbours."""


class Cutter(Protocol):
    """The walk over texts that `PreTokenizer.cutter` gives: private to one thread, used for one buffer of texts after another.

    `start` or `start_one` binds texts; then each `cut` puts the next segment ends into `ends[:n]` and returns n, 0 when all texts are done.
    Ends are offsets in the buffer, ascending; each segment begins where the last one ended, the first where the first text begins.
    """

    ends: NDArray[np.int64]

    def start(self, text: NDArray[np.uint8], stops: NDArray[np.int64], count: int) -> None:
        """Bind `count` texts, one after another in `text`, text i ending at stops[i]; the buffer has PADDING bytes behind the last."""

    def start_one(self, text: NDArray[np.uint8], size: int) -> None:
        """Bind one text: the first `size` bytes of the buffer, which has PADDING bytes behind it."""

    def cut(self) -> int:
        """Find the next ends; 0 when there are none left."""
        ...


class PreTokenizer:
    """Cuts normalized text into segments, which no merge crosses.

    >>> PreTokenizer(PreTokenizerSpec()).pretokenize("Hello, world 你好123")
    ['Hello', ',', ' world', ' ', '你好', '123']
    """

    def __init__(self, spec: PreTokenizerSpec) -> None:
        self.spec = spec
        self._first, self._blocks = class_table()
        self._table = boundary_table(spec)
        self._isolate = spec.split == "isolate"
        bytewise = np.full(256, SPECIAL, np.uint8)
        bytewise[:128] = self._blocks[int(self._first[0]) * 256 :][:128]
        bytewise[ord("'")] = SPECIAL if self._isolate else CLASSES.index("P")
        self._bytewise = bytewise

    def cutter(self, window: int = WINDOW) -> Cutter:
        """A new walk, for one thread; see Cutter."""
        ends = np.empty(window, np.int64)
        cutter: Cutter = BoundaryCutter(self._bytewise, self._first, self._blocks, self._table, self._isolate, ends)
        return cutter

    def pretokenize(self, text: str) -> list[str]:
        """The segments of a normalized text; joined they are the text.

        >>> PreTokenizer(PreTokenizerSpec(split="isolate", digit="split", cn="char")).pretokenize("don't 你好 12")
        ["don't", ' ', '你', '好', ' ', '1', '2']
        """
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            raise InputError(f"the text has a lone surrogate at character {error.start}; replace it, or read the text with errors='replace'") from None
        buffer = np.zeros(len(data) + PADDING, np.uint8)
        buffer[: len(data)] = np.frombuffer(data, np.uint8)
        cutter = self.cutter()
        cutter.start_one(buffer, len(data))
        found = [np.zeros(1, np.int64)]
        while n := cutter.cut():
            found.append(cutter.ends[:n].copy())
        ends = np.concatenate(found)
        if len(data) != len(text):
            # Byte offsets to character offsets: how many characters start before each byte.
            starts = np.zeros(len(data) + 1, np.int64)
            np.cumsum((buffer[: len(data)] & 0xC0) != 0x80, out=starts[1:])
            ends = starts[ends]
        return [text[a:b] for a, b in pairwise(ends.tolist())]

    def may_be_boundary(self, a: str, b: str) -> bool:
        """Whether some text has a boundary between its neighbours a and b.

        >>> PreTokenizer(PreTokenizerSpec()).may_be_boundary("a", " "), PreTokenizer(PreTokenizerSpec()).may_be_boundary(" ", "a")
        (True, False)
        """
        return self._cuts(a, b) or self._needs_context(a, b)

    def never_inside(self, a: str, b: str) -> bool:
        """Whether every text has a boundary between its neighbours a and b, so that no segment holds `ab`.

        >>> isolate = PreTokenizer(PreTokenizerSpec(split="isolate"))
        >>> isolate.never_inside("n", "."), isolate.never_inside("n", "'"), isolate.may_be_boundary("n", "'")
        (True, False, True)
        """
        return self._cuts(a, b) and not self._needs_context(a, b)

    def _cuts(self, a: str, b: str) -> bool:
        left, right = (class_of(x).replace("A", "P") for x in (a, b))
        return bool(self._table[ROWS * CLASSES.index(left) + CLASSES.index(right)])

    def _needs_context(self, a: str, b: str) -> bool:
        """Whether more than the two characters decides: `isolate` looks at both sides of an apostrophe, a dictionary at the run of Han."""
        pair = class_of(a) + class_of(b)
        return (self._isolate and pair in ("LA", "MA", "AL")) or (self.spec.cn == "dict" and pair == "HH")
