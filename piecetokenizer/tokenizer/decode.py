"""Decoder: ids -> bytes or text.

A NORMAL piece prints its text with real spaces, a byte piece its byte, a user-defined piece its text; control, unknown and unused
pieces print nothing, or their text too if asked.  Bytes join before they are read as text: what is not UTF-8 then becomes U+FFFD, one
for each maximal ill-formed part, as in Python's own `bytes.decode(errors="replace")`.
"""

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.tokenizer.block import checked_offsets, rows_of
from piecetokenizer.tokenizer.ids import Ids, id_array
from piecetokenizer.tokenizer.imported import LeadingSpace
from piecetokenizer.tokenizer.printer import Printer
from piecetokenizer.tokenizer.wide_cy import fill_slots, mostly_wide, survey, wide_text

__all__ = ["Decoder"]

_MANY = 256
"""Ids from which on the way of wide_cy is worth its tables, and each of its stretches worth a call."""
_FEW = 8
"""Parts of a text that are never too many, however short it is."""


class Decoder(Printer):
    """Immutable; shared by all threads."""

    __slots__ = ("_leading", "_wide", "size")

    def __init__(self, arena: NDArray[np.uint8], offsets: NDArray[np.int64], leading: LeadingSpace) -> None:
        """Piece k prints arena[offsets[k]:offsets[k + 1]]; one more, for `lines`, the end of a line."""
        super().__init__(np.append(arena, np.uint8(ord("\n"))), np.append(offsets, len(arena) + 1))
        self.size = len(offsets) - 1
        self._leading = leading
        self._wide: tuple[memoryview, memoryview, memoryview] | None = None

    def text(self, ids: Ids) -> str:
        """The text of ids; what is not UTF-8 becomes U+FFFD."""
        array = id_array(ids, self.size)
        text = self._wide_text(array) if len(array) >= _MANY else None
        if text is None:
            text = str(self.printed(array).data, "utf-8", "replace")
        return text[self._leading.count(array, self._piece)[0] :] if self._leading.strips else text

    def _wide_text(self, ids: NDArray[np.int32]) -> str | None:
        """The text of ids by the way of wide_cy; None if it is not worth it."""
        slots, briefs, arena = self._wide_tables()
        if not mostly_wide(ids.data, briefs):
            return None
        parts: list[str] = []
        at = 0
        while at < len(ids):
            count, stop, behind = survey(ids.data, at, slots, briefs)
            if count >= 0:
                parts.append(wide_text(ids[at:stop].data, slots, arena, count))
                at = stop
            if at < behind:
                parts.append(str(self.printed(ids[at:behind]).data, "utf-8", "replace"))
                at = behind
            if len(parts) > _FEW + len(ids) // _MANY:
                return None
        return "".join(parts)

    def _wide_tables(self) -> tuple[memoryview, memoryview, memoryview]:
        """The tables of wide_cy, made when they are first needed."""
        if self._wide is None:
            slots, briefs = np.zeros(16 * (self.size + 1), np.uint16).data, np.zeros(self.size + 1, np.uint8).data
            arena = np.zeros(len(self._arena) + 1, np.uint16).data
            fill_slots(self._arena, self._offsets, slots, briefs, arena)
            self._wide = slots, briefs, arena
        return self._wide

    def text_bytes(self, ids: Ids) -> NDArray[np.uint8]:
        """The bytes of a whole text, as an array."""
        array = id_array(ids, self.size)
        data = self.printed(array)
        return data[self._leading.count(array, self._piece)[0] :] if self._leading.strips else data

    def lines(self, ids: Ids, offsets: NDArray[np.int64]) -> bytes:
        """The texts ids[offsets[i]:offsets[i + 1]] in UTF-8, each with LF behind it."""
        array = id_array(ids, self.size)
        offsets = checked_offsets(offsets, len(array))
        if self._leading.strips:
            return "".join(self.text(row) + "\n" for row in rows_of(array, offsets)).encode()
        data = self._lines(array, offsets)
        try:
            str(data.data, "utf-8")
        except UnicodeDecodeError:  # LF continues no character, so what is not UTF-8 is the same in a text and in all of them
            return str(data.data, "utf-8", "replace").encode()
        return data.tobytes()

    def texts(self, ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> list[str] | None:
        """The texts ids[offsets[i]:offsets[i + 1]] by one pass over all; None if `text` is the way, for one after the other."""
        if self._leading.strips or len(ids) >= _MANY * (len(offsets) - 1):
            return None
        texts = str(self._lines(ids, offsets).data, "utf-8", "replace").split("\n")
        return texts[:-1] if len(texts) == len(offsets) else None  # else some text holds LF itself

    def _lines(self, ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.uint8]:
        """What ids[offsets[i]:offsets[i + 1]] print, each with LF behind it."""
        return self.printed(np.insert(ids, offsets[1:], self.size))

    def part(self, ids: Ids, at_start: bool) -> tuple[bytes, bool]:
        """The bytes of some ids of a text, and whether the next ids are still at its start."""
        array = id_array(ids, self.size)
        data = self.printed(array).tobytes()
        if not at_start or not self._leading.strips:
            return data, False
        left_out, at_start = self._leading.count(array, self._piece)
        return data[left_out:], at_start

    def _piece(self, id: int) -> bytes:
        """What one id of the vocabulary prints."""
        return bytes(self._arena[self._offsets[id] : self._offsets[id + 1]])
