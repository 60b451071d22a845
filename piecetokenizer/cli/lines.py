"""Reading texts, one a line, in blocks.

In: file names, `-` for standard input.  Out: blocks of whole lines, each with the place where it began.  Memory is that of a few
blocks, whatever the size of the files; a line longer than a block makes a longer block.

Only LF ends a line.  One CR before it, and a byte order mark at the start of a file, are not text; both are reported, the first by those
who read texts (not ids, nor JSON, where it means nothing), once and when all is read.
"""

import json
import os
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt

from piecetokenizer.cli.output import note
from piecetokenizer.corpus import lines_of
from piecetokenizer.errors import InputError
from piecetokenizer.progress import ProgressFunction

__all__ = ["Block", "Returns", "read_blocks", "watched"]

BLOCK = 1 << 20
"""Bytes read at once: much more than a call costs, much less than memory."""

BOM = b"\xef\xbb\xbf"

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Block:
    """Some whole lines of a file, as bytes."""

    source: str
    line: int
    """The number of the first line in its file, from 1."""
    number: int
    """The number of its text in the whole input, from 0."""
    data: bytes
    starts: Numbers
    stops: Numbers
    """Text i is data[starts[i]:stops[i]]: without LF, without one CR before it."""
    begin: int
    end: int
    """The lines are data[begin:end]: what lies around them is not cut off, which would be a copy of them."""

    def place(self, index: int) -> str:
        """What an error calls the line at `index` of this block."""
        return f"{self.source}, line {self.line + index}"

    def lines(self) -> list[bytes]:
        """The texts, without what ends them."""
        return [self.data[start:stop] for start, stop in zip(self.starts.tolist(), self.stops.tolist(), strict=True)]

    def texts(self, *, errors: str, as_json: bool) -> list[str]:
        """The texts as strings: decoded, and as JSON read if they are."""
        try:
            lines = [line.decode() for line in self.lines()]
        except UnicodeDecodeError:
            lines = [self._decode(index, line, errors) for index, line in enumerate(self.lines())]
        return [self._from_json(index, line) for index, line in enumerate(lines)] if as_json else lines

    def _decode(self, index: int, line: bytes, errors: str) -> str:
        text = line.decode("utf-8", "surrogateescape")
        if errors == "strict":
            for position, character in enumerate(text):
                if 0xDC80 <= ord(character) <= 0xDCFF:
                    byte = ord(character) - 0xDC00
                    found = f"byte 0x{byte:02X} after {position} characters is not UTF-8"
                    raise InputError(f"{self.place(index)}: {found}; --errors replace takes U+FFFD for it")
        return "".join("\ufffd" if 0xDC80 <= ord(character) <= 0xDCFF else character for character in text)

    def _from_json(self, index: int, line: str) -> str:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.place(index)}: not a JSON string: {error}") from None
        if not isinstance(value, str):
            raise InputError(f"{self.place(index)}: a JSON string is expected, not {line[:40]}")
        return value


@dataclass(slots=True)
class Returns:
    """The carriage returns at the ends of lines, counted while blocks are read."""

    count: int = 0

    def tell(self) -> None:
        """Say that they were left out, if there were any."""
        if self.count:
            what = (
                "return at the end of a line is not text and was"
                if self.count == 1
                else "returns at the end of a line are not text and were"
            )
            note(f"{self.count} carriage {what} left out")


def read_blocks(inputs: Sequence[str], *, size: int | None = None, returns: Returns | None = None) -> Iterator[Block]:
    """The blocks of all files one after the other; standard input if there are none.  `returns` counts what is left out of them.

    From a pipe, what has arrived is handed on at once if it holds a whole line, so that a program at the other end gets its answer.
    """
    number = 0
    returns = returns or Returns()
    for path in inputs or ["-"]:
        if path == "-":
            number = yield from _blocks(sys.stdin.buffer, "standard input", size or BLOCK, number, returns)
        else:
            try:
                file = open(path, "rb")  # noqa: SIM115  (closed below)
            except FileNotFoundError:
                raise InputError(f"{path}: there is no such file; a text itself is given on standard input") from None
            with file:
                number = yield from _blocks(file, path, size or BLOCK, number, returns)


def _blocks(stream: BinaryIO, source: str, size: int, before: int, returns: Returns) -> Generator[Block, None, int]:
    """The blocks of one file, which has `before` texts before it; returns how many there are behind it."""
    line = 1
    begin = 0
    for data, end in _whole_lines(stream, size):
        if line == 1 and data.startswith(BOM):
            begin = len(BOM)
            note(f"{source}: the byte order mark at its start is not text and was left out")
        starts, stops, found = lines_of(data, begin, end)
        returns.count += found
        block = Block(source, line, before + line - 1, data, starts, stops, begin, end)
        line += len(block.starts)
        begin = 0
        if len(block.starts):
            yield block
    return before + line - 1


def _whole_lines(stream: BinaryIO, size: int) -> Iterator[tuple[bytes, int]]:
    """Bytes that begin where a line does, and where the last line that ends among them ends; the last line of all may lack its LF."""
    if stream.seekable():
        most = size
        while chunk := stream.read(most):
            # What is cut is read once more: that is less work than to join it, and leaves the lock of Python's to who has more to do.
            end = chunk.rfind(b"\n") + 1 if len(chunk) == most else len(chunk)
            stream.seek(end - len(chunk), os.SEEK_CUR)
            if end:
                yield chunk, end
            if len(chunk) < most:  # what another program writes behind it from now on would not begin where a line does
                return
            most = size if end else 2 * most
        return
    waiting: list[bytes] = []  # the beginning of a line whose end was not read yet
    read = getattr(stream, "read1", stream.read)
    while chunk := cast(bytes, read(size)):
        end = chunk.rfind(b"\n") + 1
        if end:
            whole = b"".join([*waiting, chunk[:end]])
            waiting = [chunk[end:]] if end < len(chunk) else []
            yield whole, len(whole)
        else:
            waiting.append(chunk)
    if waiting:
        last = b"".join(waiting)
        yield last, len(last)


def watched(blocks: Iterable[Block], inputs: Sequence[str], tell: ProgressFunction) -> Iterator[Block]:
    """The same blocks; `tell` hears how many bytes of the inputs have been read, of how many if that can be known."""
    sizes = [os.stat(path).st_size for path in inputs if os.path.isfile(path)]
    total = sum(sizes) if inputs and len(sizes) == len(inputs) else None
    done = 0
    for block in blocks:
        yield block
        done += block.end - block.begin
        tell("read", done, total, "")
