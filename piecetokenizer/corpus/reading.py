"""Files and iterables into chunks of whole texts.

In: paths (`-` is standard input; names ending in .gz, .bz2, .xz are decompressed), or any other iterable, of `str`.
Out: `Chunk`s of about `block` bytes in the order of the input; a text that is longer makes its chunk as long as it needs.
All paths are checked before the first is read.  Memory is one chunk, plus what the consumer holds on to.
"""

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt

from piecetokenizer.corpus.limit import Limit
from piecetokenizer.corpus.lines_cy import LineFinder
from piecetokenizer.errors import InputError, SpecError
from piecetokenizer.messages import Option

__all__ = ["Chunk", "Corpus", "CorpusCounts", "Source", "lines_of"]

BLOCK = 1 << 18
"""Bytes that are read at a time: so few that what is made of them stays in the second-level cache."""
BOM = b"\xef\xbb\xbf"
LF = 10
MOST = (1 << 63) - 1
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
SURROGATE = re.compile("[\ud800-\udfff]")

Path = str | os.PathLike[str]
Source = Path | Iterable[Path] | Iterable[str]
Numbers = npt.NDArray[np.int64]


@dataclass
class CorpusCounts:
    """What a corpus was found to hold, and what of it was not text."""

    files: int = 0
    bytes: int = 0
    texts: int = 0
    empty: int = 0
    boms: int = 0
    carriage_returns: int = 0
    surrogates: int = 0
    skipped: int = 0


@dataclass(slots=True)
class Chunk:
    """Texts: number i is data[starts[i]:stops[i]], none of them empty, none overlapping, in ascending order."""

    data: bytes
    starts: Numbers
    stops: Numbers
    name: str
    """The file, or what stands for one in messages."""
    offset: int | None = None
    """Where in the file the data begins; None for texts that came from an iterable."""
    line: int = 1
    """The number of the line with which the data begins, or of the text in the iterable."""
    numbers: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    """Texts that came from an iterable: the number of each there."""

    def place(self, number: int, at: int) -> str:
        """Byte `at` of the data, which lies in text `number`, as a message names it."""
        if self.offset is None:
            return f"{self.name} {self.numbers[number]}, byte {at - int(self.starts[number])}"
        line = self.line + self.data.count(b"\n", 0, at)
        return f"{self.name}, line {line}, byte offset {self.offset + at}"


class Corpus:
    """A corpus that can be read once.

    >>> corpus = Corpus(iter(["one text", "", "another"]))
    >>> [chunk.data[a:b] for chunk in corpus for a, b in zip(chunk.starts, chunk.stops)]
    [b'one text', b'another']
    >>> corpus.counts.texts, corpus.counts.empty
    (3, 1)
    """

    def __init__(
        self,
        source: Source,
        *,
        text_unit: str = "line",
        errors: str = "replace",
        limit: Limit | int | str | None = None,
        block: int = BLOCK,
    ) -> None:
        if text_unit not in ("line", "file"):
            raise SpecError(Option("text_unit", text_unit), " is not allowed: it is one of line, file")
        if errors not in ("replace", "strict", "skip"):
            raise SpecError(Option("errors", errors), " is not allowed: it is one of replace, strict, skip")
        self.counts = CorpusCounts()
        self.limit = Limit.parse(limit)
        self.size: int | None = None
        """How many bytes there are to read, if that is known."""
        self._paths: list[str] | None = None
        self._texts: Iterable[object] = ()
        self._whole = text_unit == "file"
        self.errors = errors
        self._block = block
        self._full = False
        if isinstance(source, (str, os.PathLike)):
            source = [source]
        if isinstance(source, (list, tuple)):
            self._paths = [_path(item, number) for number, item in enumerate(source)]
            sizes = [_checked_size(path) for path in self._paths]
            if None not in sizes:
                self.size = sum(size or 0 for size in sizes)
                self.size = min(self.size, self.limit.bytes or self.size)
        elif isinstance(source, Iterable):
            self._texts = source
        else:
            raise InputError(f"a corpus is paths or an iterable of str, not {type(source).__name__}")

    def __iter__(self) -> Iterator[Chunk]:
        """The chunks; `counts` is complete when they have all been given out."""
        if self._paths is None:
            yield from self._gather(self._texts)
            return
        for path in self._paths:
            if not self._full:
                yield from self._read(path)

    def _read(self, path: str) -> Iterator[Chunk]:
        name = "standard input" if path == "-" else path
        before, offset = self.counts.texts, 0
        self.counts.files += 1
        try:
            with _open(path) as file:
                while not self._full and (data := file.read(-1 if self._whole else self._block)):
                    if not self._whole and data[-1] != LF:
                        data += file.readline()
                    chunk = Chunk(data, *_NONE, name, offset, self.counts.texts - before + 1)
                    offset += len(data)
                    if self._cut(chunk):
                        yield chunk
        except _reading_errors() as error:
            raise InputError(f"cannot read {name} after {offset} bytes: {getattr(error, 'strerror', None) or error}") from None

    def _cut(self, chunk: Chunk) -> bool:
        """Find the texts of a block of a file; whether there are any."""
        counts, size = self.counts, len(chunk.data)
        begin = len(BOM) if chunk.offset == 0 and chunk.data.startswith(BOM) else 0
        counts.boms += begin > 0
        most, reach = self._allowed()
        if self._whole:
            self._full = most < 1 or reach < size
            if self._full:
                return False
            chunk.starts, chunk.stops = np.array([begin]), np.array([size])
            counts.texts += 1
            counts.bytes += size
            return True
        finder = LineFinder(begin)
        chunk.starts, chunk.stops = _found(finder, chunk.data, most, reach)
        self._full = finder.at < size
        counts.bytes += finder.at
        counts.texts += finder.lines
        counts.empty += finder.lines - finder.texts
        counts.carriage_returns += finder.returns
        return bool(finder.texts)

    def _allowed(self) -> tuple[int, int]:
        """How many texts and how many bytes may still be read."""
        texts, size = self.limit.texts, self.limit.bytes
        return (MOST if texts is None else texts - self.counts.texts, MOST if size is None else size - self.counts.bytes)

    def _gather(self, texts: Iterable[object]) -> Iterator[Chunk]:
        """Texts from an iterable, put together to blocks."""
        counts = self.counts
        parts: list[bytes] = []
        numbers: list[int] = []
        size = 0
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                raise InputError(f"text {number} of the iterable is of type {type(text).__name__}, not a str")
            data = self._encoded(text, number)
            most, reach = self._allowed()
            if most < 1 or len(data or b"") > reach:
                break
            counts.texts += 1
            if data is None:
                counts.skipped += 1
                continue
            counts.bytes += len(data)
            if not data:
                counts.empty += 1
                continue
            parts.append(data)
            numbers.append(number)
            size += len(data)
            if size >= self._block:
                yield _joined(parts, numbers)
                parts, numbers, size = [], [], 0
        if parts:
            yield _joined(parts, numbers)

    def _encoded(self, text: str, number: int) -> bytes | None:
        """As UTF-8; None if the text is to be left out."""
        try:
            return text.encode()
        except UnicodeEncodeError as error:
            if self.errors == "skip":
                return None
            if self.errors == "strict":
                found = f"a lone surrogate U+{ord(text[error.start]):04X} at character {error.start}"
                ways = Option("errors", "replace"), " or ", Option("errors", "skip")
                raise InputError(f"text {number} of the iterable has {found}; use ", *ways) from None
            replaced, many = SURROGATE.subn("\ufffd", text)
            self.counts.surrogates += many
            return replaced.encode()


_NONE = (np.zeros(0, np.int64), np.zeros(0, np.int64))


def lines_of(data: bytes, begin: int, end: int) -> tuple[Numbers, Numbers, int]:
    """Where all lines of data[begin:end] begin and stop, empty ones too, without LF and one CR before it; and how many such CR there are.

    >>> starts, stops, returns = lines_of(b"sow\\r\\n\\nreap", 0, 10)
    >>> starts.tolist(), stops.tolist(), returns
    ([0, 5, 6], [3, 5, 10], 1)
    """
    finder = LineFinder(begin, True)
    starts, stops = _found(finder, data, MOST, end)
    return starts, stops, finder.returns


def _found(finder: LineFinder, data: bytes, most: int, reach: int) -> tuple[Numbers, Numbers]:
    """Let a finder walk over a block, at most so many lines and so far; where the texts begin and stop."""
    room = len(data) // 64 + 16
    starts, stops = np.empty(room, np.int64), np.empty(room, np.int64)
    while not finder.find(data, most, reach, starts.data, stops.data):
        starts, stops = (np.concatenate((array, np.empty(len(array), np.int64))) for array in (starts, stops))
    return starts[: finder.texts], stops[: finder.texts]


def _joined(parts: list[bytes], numbers: list[int]) -> Chunk:
    stops = np.cumsum([len(part) for part in parts])
    starts = np.concatenate(([0], stops[:-1]))
    return Chunk(b"".join(parts), starts, stops, "text", None, numbers=np.array(numbers))


def _path(item: object, number: int) -> str:
    if isinstance(item, os.PathLike):
        item = os.fspath(item)
    if not isinstance(item, str):
        raise InputError(f"item {number} of the list of paths is of type {type(item).__name__}, not a str or a path")
    return item


def _checked_size(path: str) -> int | None:
    """The bytes of a file that can be read, None if that cannot be known; an error if it cannot be read."""
    if path == "-":
        return None
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        shown = path if len(path) <= 80 else f"{path[:60]}..."
        hint = "; a list names files, give texts themselves as an iterator: iter(texts)" if len(path.split()) > 1 else ""
        raise InputError(f"cannot read {shown!r}: {getattr(error, 'strerror', None) or error}{hint}") from None
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"cannot read {path!r}: it is a directory; name the files in it")
    if not os.access(path, os.R_OK):
        raise InputError(f"cannot read {path!r}: no permission")
    return found.st_size if stat.S_ISREG(found.st_mode) and not path.endswith(tuple(COMPRESSED)) else None


def _open(path: str) -> AbstractContextManager[BinaryIO]:
    if path == "-":
        return nullcontext(sys.stdin.buffer)
    module = COMPRESSED.get(os.path.splitext(path)[1])
    return cast(BinaryIO, import_module(module).open(path, "rb")) if module else open(path, "rb")


def _reading_errors() -> tuple[type[Exception], ...]:
    """What a damaged file may raise; asked for only when something was raised."""
    import lzma
    import zlib

    return OSError, EOFError, zlib.error, lzma.LZMAError
