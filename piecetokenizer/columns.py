"""The vocabulary as columns, each in its one canonical form: what a Model keeps, and what files are read into.

In: texts, scores, types and parts as anyone gives them.  Out: `Columns`, or a ModelError about the first piece that cannot be kept
(its `piece` attribute is the id, from which a file's reader finds the line).  What the columns must obey together is in modelrules.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from piecetokenizer.errors import ModelError, show

__all__ = [
    "Columns",
    "Parts",
    "canonical_texts",
    "cut_column",
    "cut_of",
    "fault",
    "parts_column",
    "parts_of",
    "score_column",
    "type_column",
]

NORMAL, BYTE = 1, 6

SURROGATE = re.compile("[\ud800-\udfff]")

Parts = tuple[str, str]
"""The left and the right symbol of the merge that made a piece."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The vocabulary, one entry a piece in each column.

    `cuts` says where a merge joined: how many bytes of the text are its left part, 0 for a piece without known parts.  Since the parts
    join to the text, that is all there is to know about them; half a character has its bytes as surrogate escapes.
    """

    texts: tuple[str, ...]
    scores: npt.NDArray[np.float64]
    types: npt.NDArray[np.uint8]
    cuts: npt.NDArray[np.int32]

    def __post_init__(self) -> None:
        """Nobody changes a column that a model shares."""
        for column in (self.scores, self.types, self.cuts):
            column.flags.writeable = False


def parts_of(text: str, cut: int) -> Parts:
    """The left and right part of a text that is cut after so many bytes.

    >>> parts_of("▁the", 4)
    ('▁t', 'he')
    """
    if text.isascii():
        return text[:cut], text[cut:]
    data = text.encode("utf-8", "surrogateescape")
    return data[:cut].decode("utf-8", "surrogateescape"), data[cut:].decode("utf-8", "surrogateescape")


def cut_of(text: str, left: str, right: str) -> int:
    """How many bytes of the text are its left part; ValueError if the two parts do not join to it."""
    if left + right == text and left and right:
        return len(left) if left.isascii() else len(left.encode("utf-8", "surrogateescape"))
    try:
        # Two halves of a character join as bytes, not as strings.
        first, second = left.encode("utf-8", "surrogateescape"), right.encode("utf-8", "surrogateescape")
        joins = first + second == text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        joins = False
    if not joins or not left or not right:
        raise ValueError(f"parts {show(left)} and {show(right)} that do not join to {show(text)}")
    return len(first)


def cut_column(texts: Sequence[str], parts: Sequence[Parts | None]) -> npt.NDArray[np.int32]:
    """The cuts from one entry a piece, each None or the left and right part."""
    cuts = np.zeros(len(texts), dtype=np.int32)
    for piece, pair in enumerate(parts):
        if pair is not None:
            if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], str)):
                raise fault(piece, f"has parts {pair!r}: they are None or a tuple of two strings")
            try:
                cuts[piece] = cut_of(texts[piece], *pair)
            except ValueError as error:
                raise fault(piece, f"has {error}") from None
    return cuts


def parts_column(columns: Columns) -> tuple[Parts | None, ...]:
    """The parts of each piece, None where they are not known."""
    return tuple(parts_of(text, cut) if cut else None for text, cut in zip(columns.texts, columns.cuts.tolist(), strict=True))


def canonical_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The texts, checked to be strings that have bytes."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        pass
    except TypeError:
        piece, text = next((piece, text) for piece, text in enumerate(texts) if not isinstance(text, str))
        raise fault(piece, f"is {text!r}: the text of a piece is a string") from None
    else:
        return texts
    found = list(texts)
    for piece, text in enumerate(texts):
        if SURROGATE.search(text):
            try:
                found[piece] = canonical_text(text)
            except UnicodeEncodeError as error:
                raise fault(piece, f"{show(text)}: a lone surrogate at character {error.start} stands for no byte") from None
    return tuple(found)


def score_column(scores: Any) -> npt.NDArray[np.float64]:
    """The scores as a read-only array of float64: finite, and 0 where -0 was given."""
    try:
        column = np.array(scores, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError("scores holds something that is not a number") from None
    if column.ndim != 1:
        raise ModelError(f"scores has {column.ndim} dimensions: it is one number for each piece")
    finite = np.isfinite(column)
    if not finite.all():
        piece = int(np.argmin(finite))
        raise fault(piece, f"has score {column[piece]}: scores are finite numbers")
    column += 0.0  # -0.0 + 0.0 is 0.0
    return column


def type_column(types: Any) -> npt.NDArray[np.uint8]:
    """The types as a read-only array of uint8, each from 1 (normal) to 6 (byte)."""
    wide = np.array(types)
    if wide.ndim != 1 or (wide.dtype.kind not in "iu" and wide.size):
        raise ModelError("types holds something that is not a piece type: it is one number from 1 (normal) to 6 (byte) for each piece")
    known = (wide >= NORMAL) & (wide <= BYTE)
    if not known.all():
        piece = int(np.argmin(known))
        raise fault(piece, f"has type {wide[piece]}: types go from 1 (normal) to 6 (byte)")
    return wide.astype(np.uint8)


def canonical_text(text: str) -> str:
    """The text whose bytes are the same and that is UTF-8 wherever the bytes are (escaped bytes could also spell a character)."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def fault(piece: int, problem: str) -> ModelError:
    """The error about a piece."""
    return ModelError(f"piece {piece} {problem}", piece=piece)
