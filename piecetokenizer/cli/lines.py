"""Reading texts, one a line, in blocks; and doing something with each block on threads, in order.

In: file names, `-` for standard input.  Out: blocks of whole lines, each with the place where it began.  Memory is that of a few
blocks, whatever the size of the files; a line longer than a block makes a longer block.

Only LF ends a line.  One CR before it, and a byte order mark at the start of a file, are not text; the latter is reported.
"""

import json
import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import BinaryIO, TypeVar, cast

import numpy as np
import numpy.typing as npt

from piecetokenizer.cli.output import note
from piecetokenizer.errors import InputError
from piecetokenizer.progress import ProgressFunction

__all__ = ["Block", "in_order", "read_blocks", "watched"]

BLOCK = 1 << 20
"""Bytes read at once: much more than a call costs, much less than memory."""

LF, CR = 10, 13
BOM = b"\xef\xbb\xbf"

Numbers = npt.NDArray[np.int64]
Result = TypeVar("Result")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Block:
    """Some whole lines of a file, as bytes."""

    source: str
    line: int
    """The number of the first line in its file, from 1."""
    number: int
    """The number of its text in the whole input, from 0."""
    data: bytes

    def place(self, index: int) -> str:
        """What an error calls the line at `index` of this block."""
        return f"{self.source}, line {self.line + index}"

    def lines(self) -> list[bytes]:
        """The texts, without what ends them."""
        lines = self.data.split(b"\n")
        if not lines[-1]:  # behind the last LF there is no line
            lines.pop()
        if b"\r" in self.data:
            lines = [line[:-1] if line.endswith(b"\r") else line for line in lines]
        return lines

    def spans(self) -> tuple[Numbers, Numbers]:
        """Where each text begins and stops in the data."""
        data = np.frombuffer(self.data, np.uint8)
        stops = np.flatnonzero(data == LF)
        if len(data) and data[-1] != LF:
            stops = np.append(stops, len(data))
        starts = np.concatenate((np.zeros(1, np.int64), stops + 1))[: len(stops)]
        if b"\r" in self.data:
            stops = stops - ((stops > starts) & (data[stops - 1] == CR))
        return starts, stops

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


def read_blocks(inputs: Sequence[str], *, size: int | None = None) -> Iterator[Block]:
    """The blocks of all files one after the other; standard input if there are none.

    From a pipe, what has arrived is handed on at once if it holds a whole line, so that a program at the other end gets its answer.
    """
    number = 0
    for path in inputs or ["-"]:
        if path == "-":
            number = yield from _blocks(sys.stdin.buffer, "standard input", size or BLOCK, number)
        else:
            try:
                file = open(path, "rb")  # noqa: SIM115  (closed below)
            except FileNotFoundError:
                raise InputError(f"{path}: there is no such file; a text itself is given on standard input") from None
            with file:
                number = yield from _blocks(file, path, size or BLOCK, number)


def _blocks(stream: BinaryIO, source: str, size: int, before: int) -> Generator[Block, None, int]:
    """The blocks of one file, which has `before` texts before it; returns how many there are behind it."""
    line = 1
    waiting: list[bytes] = []  # the beginning of a line whose end was not read yet
    at_start = True

    def block(data: bytes) -> Block:
        nonlocal at_start
        if at_start and data.startswith(BOM):
            data = data[len(BOM) :]
            note(f"{source}: the byte order mark at its start is not text and was left out")
        at_start = False
        return Block(source, line, before + line - 1, data)

    read = getattr(stream, "read1", stream.read)
    while chunk := cast(bytes, read(size)):
        end = chunk.rfind(b"\n") + 1
        if end:
            whole = block(b"".join([*waiting, chunk[:end]]))
            yield whole
            line += whole.data.count(b"\n")
            waiting = [chunk[end:]] if end < len(chunk) else []
        else:
            waiting.append(chunk)
    if waiting and (last := block(b"".join(waiting))).data:
        yield last
        line += 1
    return before + line - 1


def watched(blocks: Iterable[Block], inputs: Sequence[str], tell: ProgressFunction) -> Iterator[Block]:
    """The same blocks; `tell` hears how many bytes of the inputs have been read, of how many if that can be known."""
    sizes = [os.stat(path).st_size for path in inputs if os.path.isfile(path)]
    total = sum(sizes) if inputs and len(sizes) == len(inputs) else None
    done = 0
    for block in blocks:
        yield block
        done += len(block.data)
        tell("read", done, total, "")


def in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """`map(work, items)` on threads: results in the order of items, and never more than two items a thread under way."""
    if threads == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        under_way: deque[Future[Result]] = deque()
        try:
            for item in items:
                under_way.append(pool.submit(work, item))
                if len(under_way) >= 2 * threads:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()
