"""The lines of [Pieces]: `id<TAB>text<TAB>score<TAB>type`, and for a merge its parts, `<TAB>left<TAB>right`.

`parse_line` defines what a line means.  `parse_pieces` gives the same for all of them at once: columns by one transposition, checks over
whole columns.  If anything at all is odd it goes through the lines one by one, and `parse_line` says which and why.
"""

import re
from itertools import zip_longest

from piecetokenizer.modelfile.escapes import CONTROL, escape, unescape
from piecetokenizer.modelfile.keys import FLOAT, decimal
from piecetokenizer.modelrules import MAX_PIECE_BYTES, show

__all__ = ["TYPE_NAMES", "Table", "format_pieces", "parse_line", "parse_pieces"]

TYPE_NAMES = ("normal", "unknown", "control", "user_defined", "unused", "byte")
TYPE_NUMBERS = {name: number for number, name in enumerate(TYPE_NAMES, 1)}

MAX_WRITTEN = 4 * MAX_PIECE_BYTES
"""Characters of the longest piece when all of it is escaped."""

NOT_NUMERIC = re.compile("[^-+.0-9eE\n]")

Parts = tuple[str, str] | None
Row = tuple[str, float, int, Parts]
Table = tuple[list[str], list[float], list[int], list[Parts]]


def format_pieces(texts: tuple[str, ...], scores: list[float], types: list[int], parts: tuple[Parts, ...]) -> str:
    """All lines, the first with id 0."""
    lines = []
    for id, (text, score, type, pair) in enumerate(zip(texts, scores, types, parts, strict=True)):
        tail = f"\t{escape(pair[0])}\t{escape(pair[1])}" if pair is not None else ""
        lines.append(f"{id}\t{escape(text)}\t{decimal(score)}\t{TYPE_NAMES[type - 1]}{tail}\n")
    return "".join(lines)


def parse_line(line: str, id: int) -> Row:
    """Text, score, type and parts of the line of piece `id`; raises ValueError saying what was found and what is expected."""
    control = CONTROL.search(line)
    if control is not None:
        raise ValueError(f"found the character U+{ord(control[0]):04X}, expected it as \\xHH, each byte of it")
    fields = line.split("\t")
    if len(fields) not in (4, 6):
        raise ValueError(
            f"found {len(fields)} fields in {show(line)}, expected id, text, score, type (a merge: and left, right), tabs between them"
        )
    if fields[0] != str(id):
        raise ValueError(f"found id {show(fields[0])}, expected {id}: ids count up from 0")
    for text in (fields[1], *fields[4:]):
        if len(text) > MAX_WRITTEN:
            raise ValueError(f"found a text of {len(text)} characters, expected a piece of at most {MAX_PIECE_BYTES} bytes")
    if not FLOAT.fullmatch(fields[2]) or abs(float(fields[2])) == float("inf"):
        raise ValueError(f"found score {show(fields[2])}, expected a finite decimal number")
    if fields[3] not in TYPE_NUMBERS:
        raise ValueError(f"found type {show(fields[3])}, expected one of {', '.join(TYPE_NAMES)}")
    parts = (unescape(fields[4]), unescape(fields[5])) if len(fields) == 6 else None
    return unescape(fields[1]), float(fields[2]), TYPE_NUMBERS[fields[3]], parts


def parse_pieces(body: str, lines: list[str]) -> Table | tuple[int, str]:
    """The columns of the lines (`body` is all of them together), or the index of the first bad line and what is wrong there."""
    table = _parse_at_once(body, lines)
    if table is not None:
        return table
    texts: list[str] = []
    scores: list[float] = []
    types: list[int] = []
    parts: list[Parts] = []
    for id, line in enumerate(lines):
        try:
            text, score, type, pair = parse_line(line, id)
        except ValueError as error:
            return id, str(error)
        texts.append(text)
        scores.append(score)
        types.append(type)
        parts.append(pair)
    return texts, scores, types, parts


def _parse_at_once(body: str, lines: list[str]) -> Table | None:
    """The columns, or None if the lines have to be looked at one by one."""
    rows = [line.split("\t") for line in lines]
    lengths = set(map(len, rows))
    if not rows or not lengths <= {4, 6} or CONTROL.search(body.replace("\n", "\t")):
        return None
    ids, texts, written, names, *halves = map(list, zip_longest(*rows))
    if ids != list(map(str, range(len(rows)))) or NOT_NUMERIC.search("\n".join(written)):
        return None
    try:
        scores = list(map(float, written))
        types = list(map(TYPE_NUMBERS.__getitem__, names))
        if "\\" in body:
            texts, *halves = ([unescape(text) if text and "\\" in text else text for text in column] for column in (texts, *halves))
    except (ValueError, KeyError):
        return None
    parts: list[Parts] = [pair if pair[0] is not None else None for pair in zip(*halves, strict=True)] or [None] * len(rows)
    return texts, scores, types, parts
