"""Checking a model: what a vocabulary promises, looked at piece by piece.

In: a Model (which already obeys modelrules).  Out: a `Report` of what is wrong (`faults`) and of what is merely so (`unreachable`).

    bytes     each of the 256 bytes has a piece, so that any text can be encoded; a native model always has them
    scores    the scores of NORMAL pieces fall strictly with the id, so that no tie is left to a reader's rule
    parts     the two parts of a merge are pieces or single characters, and a piece among them has a higher score than the merge: it
              has to be there before it
    spelled   no control, unknown, unused or byte piece can be merged from the tokens of a text.  Encoding here never does that, but
              llama.cpp merges into any piece: every way to split the text into two of (token, single character) is a hit.  `alone` says
              that the text, alone, does become the piece there; otherwise it takes certain neighbours, or never happens
    reach     each NORMAL piece is what encoding makes of its own text (see reach.py); others are listed

About half a second for 32,000 pieces.
"""

from dataclasses import dataclass

import numpy as np

from piecetokenizer.columns import parts_of
from piecetokenizer.model import Model, PieceType
from piecetokenizer.modelrules import BYTE_TEXTS
from piecetokenizer.reach import Replay, Unreachable, unreachable_pieces

__all__ = ["BadParts", "Report", "Spelled", "check"]

SHOWN = 5


@dataclass(frozen=True, slots=True)
class BadParts:
    """A merge whose parts cannot be what made it."""

    id: int
    text: str
    left: str
    right: str
    problem: str

    def __str__(self) -> str:
        return f"{self.id} {self.text!r}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Spelled:
    """A token that a llama-style reader can merge from ordinary text, here from `left` and `right` (empty if it is one character)."""

    id: int
    text: str
    left: str
    right: str
    alone: bool

    def __str__(self) -> str:
        way = f"from {self.left!r} and {self.right!r}" if self.right else "since it is a single character"
        return f"{self.id} {self.text!r}: {way}{'' if self.alone else ', in some surroundings'}"


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found; everything is in the order of ids."""

    size: int
    missing_bytes: tuple[int, ...]
    not_falling: tuple[int, ...]
    """NORMAL pieces whose score is not below that of the NORMAL piece before them."""
    bad_parts: tuple[BadParts, ...]
    spelled: tuple[Spelled, ...]
    unreachable: tuple[Unreachable, ...]

    @property
    def faults(self) -> list[str]:
        """One line for each kind of fault, with the first few of it; empty for a sound model."""
        found = []
        if self.missing_bytes:
            shown = ", ".join(BYTE_TEXTS[byte] for byte in self.missing_bytes[:SHOWN])
            found.append(f"{len(self.missing_bytes)} bytes have no piece: {shown}{_more(self.missing_bytes)}")
        if self.not_falling:
            shown = ", ".join(map(str, self.not_falling[:SHOWN]))
            found.append(f"{len(self.not_falling)} scores are not below the score before: pieces {shown}{_more(self.not_falling)}")
        if self.bad_parts:
            found.append(f"{len(self.bad_parts)} merges have parts that cannot be: {_list(self.bad_parts)}")
        if self.spelled:
            found.append(f"{len(self.spelled)} tokens can be merged from ordinary text by llama.cpp: {_list(self.spelled)}")
        return found

    @property
    def sound(self) -> bool:
        """Whether there is no fault; unreachable pieces are none, they only take up ids."""
        return not (self.missing_bytes or self.not_falling or self.bad_parts or self.spelled)

    def lines(self) -> list[str]:
        """The whole report, for people."""
        found = [*self.faults]
        if self.unreachable:
            found.append(f"{len(self.unreachable)} of {self.size} pieces are never reached: {_list(self.unreachable)}")
        return found or [f"{self.size} pieces: bytes complete, scores fall, parts fit, no token can be spelled, every piece is reached"]


def check(model: Model) -> Report:
    """Look at everything.

    >>> from piecetokenizer import train
    >>> model = train(iter(["a cat sat, a hat"] * 3), vocab_size=272, reconstruct=True)
    >>> check(model).sound
    True
    """
    return Report(
        size=len(model),
        missing_bytes=tuple(byte for byte, text in enumerate(BYTE_TEXTS) if not _is_byte(model, text)),
        not_falling=_not_falling(model),
        bad_parts=_bad_parts(model),
        spelled=_spelled(model),
        unreachable=tuple(unreachable_pieces(model)),
    )


def _is_byte(model: Model, text: str) -> bool:
    id = model.id_of(text)
    return id is not None and model.types[id] == PieceType.BYTE


def _not_falling(model: Model) -> tuple[int, ...]:
    ids = np.flatnonzero(model.types == PieceType.NORMAL)
    wrong = np.flatnonzero(np.diff(model.scores[ids]) >= 0) + 1
    return tuple(ids[wrong].tolist())


def _bad_parts(model: Model) -> tuple[BadParts, ...]:
    normal = {text: score for text, score, type in _rows(model) if type == PieceType.NORMAL}
    found = []
    for id in np.flatnonzero(model.columns.cuts).tolist():
        text = model.texts[id]
        left, right = parts_of(text, int(model.columns.cuts[id]))
        for part in (left, right):
            if part not in normal:
                problem = "" if len(part) == 1 else f"its part {part!r} is neither a normal piece nor a single character"
            elif len(part) > 1 and normal[part] <= normal[text]:
                problem = f"its part {part!r} has no higher score"
            else:
                problem = ""
            if problem:
                found.append(BadParts(id, text, left, right, problem))
                break
    return tuple(found)


def _spelled(model: Model) -> tuple[Spelled, ...]:
    known = set(model.texts)
    replay = Replay(model, frozenset(PieceType))
    found = []
    for id, (text, _, type) in enumerate(_rows(model)):
        # A reader of this kind has ▁ for every space of a text, so a token with a real space is never met there.
        if type in (PieceType.NORMAL, PieceType.USER_DEFINED) or " " in text:
            continue
        if len(text) == 1:
            found.append(Spelled(id, text, text, "", True))
            continue
        split = next((cut for cut in range(1, len(text)) if _is_symbol(text[:cut], known) and _is_symbol(text[cut:], known)), 0)
        if split:
            found.append(Spelled(id, text, text[:split], text[split:], replay.symbols(text) == [text]))
    return tuple(found)


def _is_symbol(text: str, known: set[str]) -> bool:
    return len(text) == 1 or text in known


def _rows(model: Model) -> "zip[tuple[str, float, int]]":
    return zip(model.texts, model.scores.tolist(), model.types.tolist(), strict=True)


def _more(found: tuple[object, ...]) -> str:
    return f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""


def _list(found: tuple[object, ...]) -> str:
    return f"{'; '.join(map(str, found[:SHOWN]))}{_more(found)}"
