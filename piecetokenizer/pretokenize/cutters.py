"""Cutters: walks over texts that give the ends of their segments, and the strings made of them.

In: a buffer of normalized texts.  Out: segment ends, a window at a time.  BoundaryCutter (cutter_cy.py) goes by the boundary
table; DictionaryCutter hands its segments on to the word kernel, which cuts those that begin with Han.  TextCutter walks over one text
with either, and slices it (slicer_cy.py).
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import InputError
from piecetokenizer.lowlevel import PADDING
from piecetokenizer.pretokenize.classes import CLASSES, class_table
from piecetokenizer.pretokenize.cutter_cy import BoundaryCutter
from piecetokenizer.pretokenize.slicer_cy import Slicer

__all__ = ["WINDOW", "Cutter", "DictionaryCutter", "TextCutter", "boundary_cutter"]

WINDOW = 2048
"""Ends found by one call of a cutter: enough to make the call's cost vanish, few enough to stay in the first-level cache (16 KB)."""

SPECIAL = 16
"""In the kernel's table of bytes: not ASCII, or an apostrophe that needs a look at its neighbours."""

FIRST_ROOM = 1 << 10
"""Elements of the word kernel's row at first: its arrays (36 KB) stay near.  It doubles for a run that needs more."""

SPARE_BYTES = 1 << 22
"""A TextCutter whose buffer is larger than this is not kept."""


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


def boundary_cutter(table: NDArray[np.uint8], bytewise: NDArray[np.uint8], isolate: bool, window: int = WINDOW) -> Cutter:
    """A walk that goes by a boundary table."""
    first, blocks = class_table()
    cutter: Cutter = BoundaryCutter(bytewise.data, first.data, blocks.data, table.data, isolate, np.empty(window, np.int64))
    return cutter


def classes_of_bytes(isolate: bool) -> NDArray[np.uint8]:
    """The kernel's table of bytes: the class of each ASCII character, SPECIAL for what needs the other way."""
    first, blocks = class_table()
    bytewise = np.full(256, SPECIAL, np.uint8)
    bytewise[:128] = blocks[int(first[0]) * 256 :][:128]
    bytewise[ord("'")] = SPECIAL if isolate else CLASSES.index("P")
    return bytewise


class DictionaryCutter:
    """The walk of cn=dict: the boundary kernel finds segments, the word kernel cuts those of Han."""

    def __init__(self, boundaries: Cutter, words: Any) -> None:
        """`words` is a WordCutter that reads its segments from `boundaries.ends`."""
        self._boundaries = boundaries
        self._words = words
        self._room = 0
        self._give_room()
        self.ends: NDArray[np.int64] = words.ends

    def start(self, text: NDArray[np.uint8], stops: NDArray[np.int64], count: int) -> None:
        """Bind many texts; see Cutter."""
        self._boundaries.start(text, stops, count)
        self._words.start(text)

    def start_one(self, text: NDArray[np.uint8], size: int) -> None:
        """Bind one text; see Cutter."""
        self._boundaries.start_one(text, size)
        self._words.start(text)

    def cut(self) -> int:
        """Find the next ends; see Cutter."""
        while True:
            found: int = self._words.cut()
            if found:
                return found
            if self._words.needs_room:
                self._give_room()
                continue
            segments = self._boundaries.cut()
            if not segments:
                return 0
            self._words.feed(segments)

    def _give_room(self) -> None:
        self._room = max(FIRST_ROOM, 2 * self._room)
        size = self._room + 2
        chars, nodes, back = (np.zeros(size, np.int32).data for _ in range(3))
        offsets, best = (np.zeros(size, np.int64).data for _ in range(2))
        self._words.give_room(chars, np.zeros(size, np.uint64).data, nodes, offsets, best, back)


class TextCutter:
    """A cutter that gives strings, one text after another: private to one thread, as the cutter is.

    Short texts are many: what a text needs is made once, and grows.
    """

    __slots__ = ("_buffer", "_cutter", "_slicer")

    def __init__(self, cutter: Cutter) -> None:
        self._cutter = cutter
        self._give_room(FIRST_ROOM)

    def _give_room(self, size: int) -> None:
        self._buffer: NDArray[np.uint8] = np.zeros(size + PADDING, np.uint8)
        self._slicer = Slicer(self._cutter.ends, self._buffer)

    def cut(self, text: str) -> list[str]:
        """The segments of a text; after an error this cutter is not to be used again."""
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            raise InputError(f"the text has a lone surrogate at character {error.start}; remove or replace it") from None
        if len(data) > len(self._buffer) - PADDING:
            self._give_room(2 * len(data))
        self._slicer.put(data)
        self._cutter.start_one(self._buffer, len(data))
        segments: list[str] = []
        done = 0
        while done < len(data):
            done = self._slicer.add(segments, text, self._cutter.cut())
        return segments

    @property
    def is_small(self) -> bool:
        """Whether no text has made it so large that it had better be let go."""
        return len(self._buffer) <= SPARE_BYTES
