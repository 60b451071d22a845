"""The lines of [Pieces]: `id<TAB>text<TAB>score<TAB>type`, and for a merge its parts, `<TAB>left<TAB>right`.

`parse_line` defines what a line means.  `parse_pieces` gives the same for all lines: at once, by the kernel `lines_cy`, which takes 2 ms
for 32,000 pieces and accepts only what is written as we write it; else one by one with `parse_line`, 100 ms, which says what is wrong
and where.  In the same way `format_line` defines how a line is written, and `format_pieces` writes all of them at once, by the kernel
`writer_cy`, in 3 ms in place of 50, or one by one.
"""

from collections.abc import Iterable, Iterator
from itertools import count

import numpy as np

from piecetokenizer.columns import Columns, cut_of, parts_of, score_column, type_column
from piecetokenizer.errors import show
from piecetokenizer.modelfile.escapes import CONTROL, escape, unescape
from piecetokenizer.modelfile.keys import FLOAT, decimal
from piecetokenizer.modelfile.lines_cy import COMPILED, Scanner
from piecetokenizer.modelfile.writer_cy import Writer, most_bytes
from piecetokenizer.modelrules import MAX_PIECE_BYTES

__all__ = ["format_pieces", "parse_line", "parse_pieces"]

TYPE_NAMES = ("normal", "unknown", "control", "user_defined", "unused", "byte")
TYPE_NUMBERS = {name: number for number, name in enumerate(TYPE_NAMES, 1)}
TYPE_BYTES = b"".join(name.encode().ljust(16, b"\0") for name in ("", *TYPE_NAMES))

MAX_WRITTEN = 4 * MAX_PIECE_BYTES
"""Bytes of the longest piece when all of it is escaped."""

WHOLE = 1e15
"""From here on numbers are not written digit by digit."""

SHORTEST = len("0\t\t0\tbyte\n")
"""Bytes of the shortest line that there can be."""


def format_pieces(columns: Columns, *, fast: bool = COMPILED) -> bytes:
    """All lines, the first with id 0."""
    data = format_at_once(columns) if fast else None
    return "".join(map(format_line, count(), *rows_of(columns))).encode() if data is None else data


def rows_of(columns: Columns) -> tuple[Iterable[str], Iterable[float], Iterable[int], Iterable[int]]:
    """The columns as Python's own values."""
    return columns.texts, columns.scores.tolist(), columns.types.tolist(), columns.cuts.tolist()


def format_line(id: int, text: str, score: float, type: int, cut: int) -> str:
    r"""The line of one piece.

    >>> format_line(7, "to", -1.0, 1, 1)
    '7\tto\t-1\tnormal\tt\to\n'
    """
    tail = map(escape, parts_of(text, cut)) if cut else ()
    return "\t".join((str(id), escape(text), decimal(score), TYPE_NAMES[type - 1], *tail)) + "\n"


def format_at_once(columns: Columns) -> bytes | None:
    """All lines, or None if they have to be written one by one."""
    scores = columns.scores
    if (np.abs(scores) >= WHOLE).any() or (scores != np.trunc(scores)).any():
        return None
    try:
        data = "".join(columns.texts).encode()
    except UnicodeEncodeError:
        return None
    # A character begins at each byte that continues none; from their numbers to bytes, and one more place for the end of all.
    begins = np.flatnonzero(np.frombuffer(data + b"\0", np.uint8) & 0xC0 != 0x80)
    ends = begins[np.cumsum(np.fromiter(map(len, columns.texts), np.int64, len(columns.texts)))]
    out = np.empty(most_bytes(len(ends), len(data)), np.uint8)
    writer = Writer(data, ends, columns.cuts, scores.astype(np.int64), columns.types, TYPE_BYTES, out)
    size = writer.run()
    return None if size < 0 else out[:size].tobytes()


Row = tuple[str, float, int, int]


def parse_line(line: str, id: int) -> Row:
    """Text, score, type and cut (see columns) of the line of piece `id`; raises ValueError saying what was found and expected."""
    control = CONTROL.search(line)
    if control is not None:
        raise ValueError(f"found the character U+{ord(control[0]):04X}, expected it as \\xHH, each byte of it")
    fields = line.split("\t", 7)
    if len(fields) not in (4, 6):
        found = line.count("\t") + 1
        what = f"{found} field{'s' * (found > 1)} in {show(line)}" if line else "an empty line"
        raise ValueError(f"found {what}, expected id, text, score, type (and left, right), tabs between them")
    if fields[0] != str(id):
        raise ValueError(f"found id {show(fields[0])}, expected {id}: ids count up from 0")
    for text in (fields[1], *fields[4:]):
        if len(text) > MAX_WRITTEN:
            raise ValueError(f"found a text of {len(text)} characters, expected a piece of at most {MAX_PIECE_BYTES} bytes")
    if not FLOAT.fullmatch(fields[2]) or abs(float(fields[2])) == float("inf"):
        raise ValueError(f"found score {show(fields[2])}, expected a finite decimal number")
    if fields[3] not in TYPE_NUMBERS:
        raise ValueError(f"found type {show(fields[3])}, expected one of {', '.join(TYPE_NAMES)}")
    text = unescape(fields[1])
    cut = 0
    if len(fields) == 6:
        left, right = unescape(fields[4]), unescape(fields[5])
        try:
            cut = cut_of(text, left, right)
        except ValueError as error:
            raise ValueError(f"found {error}") from None
    return text, float(fields[2]), TYPE_NUMBERS[fields[3]], cut


def parse_pieces(data: bytes, *, fast: bool = COMPILED) -> Columns | tuple[int, str]:
    """The columns of the lines, or the index of the first bad line and what is wrong there."""
    columns = parse_at_once(data) if fast else None  # uncompiled, line by line is faster than the kernel
    if columns is not None:
        return columns
    rows: list[Row] = []
    for line in lines_of(data):
        try:
            rows.append(parse_line(line.decode(), len(rows)))
        except UnicodeDecodeError as error:
            return len(rows), not_utf8(error)
        except ValueError as error:
            return len(rows), str(error)
    texts, scores, types, cuts = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Columns(texts, score_column(scores), type_column(types), np.array(cuts, dtype=np.int32))


def lines_of(data: bytes) -> Iterator[bytes]:
    """The lines that end in LF, without it; one at a time, since a file may have as many as bytes."""
    begin = 0
    while (end := data.find(b"\n", begin)) >= 0:
        yield data[begin:end]
        begin = end + 1


def not_utf8(error: UnicodeDecodeError) -> str:
    """What to say about bytes that cannot be decoded."""
    return f"found the byte 0x{error.object[error.start]:02X}, which is not UTF-8: other bytes are written as \\xHH"


def parse_at_once(data: bytes) -> Columns | None:
    """The columns, or None if the lines have to be looked at one by one."""
    if not data.endswith(b"\n"):
        return None
    size = len(data) // SHORTEST + 1
    packed = np.empty(len(data), dtype=np.uint8)
    scores = np.empty(size, dtype=np.float64)
    places = np.empty(size, dtype=np.int64)
    types = np.empty(size, dtype=np.uint8)
    cuts = np.empty(size, dtype=np.int32)
    scanner = Scanner(data, TYPE_BYTES, packed, scores, places, types, cuts)
    if not scanner.run():
        return None
    lines, used, left_over = scanner.totals()
    try:
        joined = packed[: used - 1].tobytes().decode()
        if left_over:
            for line in np.flatnonzero(places[:lines] >= 0).tolist():
                scores[line] = _number(data[places[line] : data.index(b"\t", places[line])])
        texts = joined.split("\n")
        if "\\" in joined:
            _unescape_all(texts, cuts)
        return Columns(tuple(texts), score_column(scores[:lines]), type_column(types[:lines]), cuts[:lines].copy())
    except ValueError:
        return None


def _number(written: bytes) -> float:
    text = written.decode()
    if not FLOAT.fullmatch(text):
        raise ValueError
    return float(text)


def _unescape_all(texts: list[str], cuts: "np.ndarray[tuple[int], np.dtype[np.int32]]") -> None:
    """Escapes of texts become bytes, and with them cuts (bytes of the written left part) the bytes of the left part itself."""
    for piece, written in enumerate(texts):
        if "\\" in written:
            if len(written) > MAX_WRITTEN:
                raise ValueError
            texts[piece] = unescape(written)
            if cut := int(cuts[piece]):
                left, right = parts_of(written, cut)
                cuts[piece] = cut_of(texts[piece], unescape(left), unescape(right))
