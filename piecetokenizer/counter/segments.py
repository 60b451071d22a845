r"""Segments: the distinct segments of a corpus and how often each occurs.

In: what the segment table counted, pairs of (text, count), or a file of them.  Out: three arrays that every later step of the
counter reads.  Spaces are real ones (byte 0x20); text is UTF-8; counts are exact 64-bit integers of at least 1.  The order of the
segments has no meaning: nothing that is learned from them depends on it.

The file form is one segment a line, `text<TAB>count`, UTF-8, LF.  In the text a backslash, a control character (tab and line feed
among them), U+0085, U+2028, U+2029 and a byte that is not UTF-8 are written `\xHH`, byte by byte, so that any segment survives.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from operator import mul

import numpy as np
import numpy.typing as npt

from piecetokenizer.errors import InputError
from piecetokenizer.lowlevel import PADDING

__all__ = ["Segments"]

MAX_COUNT = (1 << 63) - 1

_ESCAPED = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ESCAPE = re.compile(rb"\\x([0-9A-Fa-f]{2})")
_BAD_ESCAPE = re.compile(rb"\\(?!x[0-9A-Fa-f]{2})")


@dataclass(frozen=True, eq=False, slots=True)
class Segments:
    """Segment i is `arena[offsets[i]:offsets[i + 1]]` and occurs `counts[i]` times; the arena has slack behind its last byte.

    >>> segments = Segments.from_pairs([(" the", 7), ("n", 2), (" the", 3)])
    >>> len(segments), segments.total
    (2, 12)
    >>> segments.to_pairs()
    [(' the', 10), ('n', 2)]
    """

    arena: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, int]]) -> "Segments":
        """Segments from (text, count); counts of equal texts are added up."""
        counts: dict[bytes, int] = {}
        for text, count in pairs:
            if not text or count < 1:
                raise InputError(f"segment {text!r} with count {count} cannot be used: a segment is not empty and occurs at least once")
            try:
                key = text.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError as error:
                raise InputError(f"segment {text!r} cannot be used: it has a lone surrogate at character {error.start}") from None
            counts[key] = counts.get(key, 0) + int(count)
        return cls._from_counts(counts)

    @classmethod
    def _from_counts(cls, counts: dict[bytes, int]) -> "Segments":
        if sum(counts.values()) > MAX_COUNT:
            raise InputError(f"the counts add up to more than {MAX_COUNT}, the largest that can be counted exactly; scale them down")
        offsets = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, counts), np.int64, len(counts)), out=offsets[1:])
        arena = np.zeros(int(offsets[-1]) + PADDING, np.uint8)
        arena[: offsets[-1]] = np.frombuffer(b"".join(counts), np.uint8)
        return cls(arena, offsets, np.fromiter(counts.values(), np.int64, len(counts)))

    def __len__(self) -> int:
        return len(self.counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segments):
            return NotImplemented
        end = self.offsets[-1]
        return (
            np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.counts, other.counts)
            and np.array_equal(self.arena[:end], other.arena[:end])
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def total(self) -> int:
        """How many segments the corpus has, repetitions counted."""
        return int(self.counts.sum(dtype=object)) if len(self) else 0

    @property
    def characters(self) -> int:
        """How many characters the distinct segments have; a byte that is not UTF-8 may count as one."""
        return int(np.count_nonzero((self.arena[: self.offsets[-1]] & 0xC0) != 0x80))

    def check_weight(self) -> None:
        """Raise InputError if frequencies, which can be as high as all bytes of the corpus, do not fit into 64 bits."""
        if int(self.counts.max(initial=0)) * int(self.offsets[-1]) <= MAX_COUNT:
            return
        lengths = np.diff(self.offsets)
        # The estimate is off by far less than a factor of two; only a corpus of exabytes takes the slow, exact sum.
        if float(np.multiply(self.counts, lengths, dtype=np.float64).sum()) > MAX_COUNT / 2:
            weight = sum(map(mul, self.counts.tolist(), lengths.tolist()))
            if weight > MAX_COUNT:
                raise InputError(f"the corpus has {weight} bytes, more than can be counted exactly ({MAX_COUNT}); scale the counts down")

    def texts(self) -> list[bytes]:
        """The segments as byte strings, in order."""
        data = self.arena[: self.offsets[-1]].tobytes()
        ends = self.offsets.tolist()
        return [data[begin:end] for begin, end in pairwise(ends)]

    def to_pairs(self) -> list[tuple[str, int]]:
        """All segments as (text, count), in order; a byte that is not UTF-8 becomes a surrogate (surrogateescape)."""
        return [(text.decode("utf-8", "surrogateescape"), count) for text, count in zip(self.texts(), self.counts.tolist(), strict=True)]

    def sorted(self) -> "Segments":
        """The same segments by count, highest first, then by text in code-point order."""
        texts = self.texts()
        counts = self.counts.tolist()
        order = sorted(range(len(self)), key=lambda i: (-counts[i], texts[i]))
        return self._taken(np.asarray(order, np.int64))

    def at_least(self, min_count: int) -> "Segments":
        """Only the segments that occur `min_count` times or more, in order.

        >>> Segments.from_pairs([("a", 1), ("b", 2)]).at_least(2).to_pairs()
        [('b', 2)]
        """
        keep = self.counts >= min_count
        return self if keep.all() else self._taken(np.flatnonzero(keep))

    def _taken(self, order: npt.NDArray[np.int64]) -> "Segments":
        """The segments of the given indices, in that order."""
        lengths = np.diff(self.offsets)[order]
        offsets = np.zeros(len(order) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        # Byte j of the new arena comes from old start + (j - new start): one gather instead of a loop over segments.
        source = np.repeat(self.offsets[:-1][order] - offsets[:-1], lengths) + np.arange(offsets[-1], dtype=np.int64)
        arena = np.zeros(int(offsets[-1]) + PADDING, np.uint8)
        np.take(self.arena, source, out=arena[: offsets[-1]])
        return Segments(arena, offsets, self.counts[order])

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file form; `sorted()` first gives the same file for any order of the corpus."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            for text, count in self.to_pairs():
                file.write(f"{_ESCAPED.sub(_escape, text)}\t{count}\n")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Segments":
        """Read the file form; counts of equal segments are added up, so that files can simply be joined."""
        counts: dict[bytes, int] = {}
        with open(path, "rb") as file:
            data = file.read()
        for number, line in enumerate(data.split(b"\n"), 1):
            if not line:
                continue
            text, tab, count = line.rpartition(b"\t")
            if not tab or not text or not count.isdigit() or len(count) > 19 or int(count) < 1:
                raise InputError(f"{path}, line {number}: expected a segment, a tab and a count of at least 1, found {line[:60]!r}")
            if _BAD_ESCAPE.search(text):
                raise InputError(f"{path}, line {number}: a backslash is written \\x5C, and two hexadecimal digits follow every \\x")
            key = _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), text)
            counts[key] = counts.get(key, 0) + int(count)
        return cls._from_counts(counts)


def _escape(match: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02X}" for byte in match[0].encode("utf-8", "surrogateescape"))
