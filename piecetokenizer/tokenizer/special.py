"""Special tokens in a text: where it is cut, and which id stands there.

In: the bytes of a text, and which parts of it are trusted.  Out: spans (start, end, id) as an array, ascending, never overlapping.

User-defined pieces always match, before normalization.  Control pieces match only where that was asked for: text is text, however it is
spelt.  All that may match is taken leftmost, of those the longest (by llama.cpp's rule in its models); a control piece that does not
lie wholly inside trusted text is no match, so that it does not hide a shorter one either.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import InputError, SpecError
from piecetokenizer.messages import Option
from piecetokenizer.model import Model, PieceType
from piecetokenizer.normalize import to_utf8
from piecetokenizer.symbols import SymbolMatcher, leftmost_longest

__all__ = ["Parts", "Spans", "SpecialTokens", "joined", "utf8"]

Spans = NDArray[np.int64]
"""Rows of start, end and id: places in bytes, ascending, never overlapping."""
Parts = Sequence[tuple[str, bool]]


class SpecialTokens:
    """The pieces of a model that are found in raw text.  Immutable; shared by all threads."""

    def __init__(self, model: Model) -> None:
        llama, sentencepiece = (model.tokenizer.semantics == name for name in ("llama", "sentencepiece"))
        user = [] if sentencepiece else _in_text(model, PieceType.USER_DEFINED)
        control = _in_text(model, PieceType.CONTROL, *([PieceType.UNKNOWN] if llama else []))
        self._llama = llama
        self._ids = np.array([*user, *control], np.int64)
        self._first_control = len(user)
        self._texts = [model.texts[id] for id in self._ids.tolist()]
        self._user = SymbolMatcher(self._texts[: len(user)])
        self._all: SymbolMatcher | None = None
        self.always = bool(user)
        """Whether every text must be searched."""

    def _matcher(self) -> SymbolMatcher:
        if self._all is None:
            self._all = SymbolMatcher(self._texts)
        return self._all

    def _found(self, matcher: SymbolMatcher, data: bytes) -> Spans:
        """The matches that count, if all symbols may match everywhere."""
        return _array(longest_first(matcher.matches(data))) if self._llama else matcher.span_array(data)

    def spans(self, data: bytes, special: str, trusted: Sequence[tuple[int, int]] | None) -> Spans:
        """What is cut out of a text: an array of (start, end, id).

        `special` is text (control pieces are text), parse (they are found), or error (they are refused).  `trusted` are the stretches,
        in bytes, in which they are found in any case; without it, parse trusts the whole text.
        """
        if special not in ("text", "parse", "error"):
            raise SpecError(Option("special", special), " is not allowed: it is one of text, parse, error")
        if special == "parse" and trusted is None:
            found = self._found(self._matcher(), data)
        elif special == "error" or trusted:
            found = self._found_in(data, special, trusted or [])
        else:
            found = self._found(self._user, data) if self.always else _array([])
        found[:, 2] = self._ids[found[:, 2]]
        return found

    def _found_in(self, data: bytes, special: str, trusted: Sequence[tuple[int, int]]) -> Spans:
        """The matches that count, if control pieces may match in trusted stretches only, and elsewhere are passed over or refused."""
        firsts = [first for first, _ in trusted]

        def allowed(start: int, end: int, index: int) -> bool:
            stretch = bisect_right(firsts, start) - 1
            return index < self._first_control or (stretch >= 0 and end <= trusted[stretch][1])

        if special != "error":
            matches = (match for match in self._matcher().matches(data) if allowed(*match))
            return _array(longest_first(matches) if self._llama else leftmost_longest(matches))
        found = self._found(self._matcher(), data)
        for start, end, index in found.tolist():
            if not allowed(start, end, index):
                place = len(data[:start].decode("utf-8", "replace"))
                raise InputError(
                    f"the text has the control token {self._texts[index]!r} at character {place}: remove it, or pass ",
                    Option("special", "text"),
                    " to take it as text or ",
                    Option("special", "parse"),
                    " as a token",
                )
        return found


def _array(found: Sequence[tuple[int, int, int]]) -> Spans:
    return np.array(found, np.int64).reshape(-1, 3)


def longest_first(matches: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """llama.cpp's choice of matches (start, end, index): all of the longest symbol, from the left, then of the next, in what is left."""
    chosen: list[tuple[int, int, int]] = []
    taken = bytearray()
    for start, end, index in sorted(matches, key=lambda match: (match[0] - match[1], match[2], match[0])):
        if len(taken) < end:
            taken.extend(bytes(end - len(taken)))
        if taken.find(1, start, end) < 0:
            taken[start:end] = b"\1" * (end - start)
            chosen.append((start, end, index))
    return sorted(chosen)


def _in_text(model: Model, *types: PieceType) -> list[int]:
    """The pieces of some types that a text can hold: those that are UTF-8."""
    ids: list[int] = np.flatnonzero(np.isin(model.types, types)).tolist()
    return [id for id in ids if not any("\ud800" <= char <= "\udfff" for char in model.texts[id])]


def utf8(text: str | bytes | bytearray | memoryview, errors: str = "strict") -> bytes:
    """A text as valid UTF-8.

    What cannot be is refused with its position (errors=strict), or becomes U+FFFD (errors=replace): each lone surrogate of a str, each
    byte of bytes that is not part of valid UTF-8.
    """
    if errors not in ("strict", "replace"):
        raise SpecError(Option("errors", errors), " is not allowed: it is one of strict, replace")
    if isinstance(text, str):
        return to_utf8(text, errors)
    if not isinstance(text, (bytes, bytearray, memoryview)):
        raise InputError(f"{text!r} is of type {type(text).__name__}, not a text: give a str or UTF-8 bytes")
    data = bytes(text)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if errors == "strict":
            raise InputError(
                f"the text is not UTF-8: byte 0x{data[error.start]:02X} at byte {error.start}; pass ",
                Option("errors", "replace"),
                " to read it as U+FFFD",
            ) from None
        return _each_byte_replaced(data)
    return data


def _each_byte_replaced(data: bytes) -> bytes:
    """Every byte that is not part of valid UTF-8 becomes a U+FFFD of its own."""
    escaped = data.decode("utf-8", "surrogateescape")
    return "".join("\ufffd" if "\udc80" <= char <= "\udcff" else char for char in escaped).encode()


def joined(parts: Parts, errors: str) -> tuple[bytes, list[tuple[int, int]]]:
    """Parts of a text as one, and the stretches of it that are trusted; a part's edge is no boundary."""
    if not isinstance(parts, (list, tuple)):
        raise InputError(f"{parts!r} is of type {type(parts).__name__}, not a text: give a str, UTF-8 bytes, or a list of parts")
    if parts and isinstance(parts[0], str):
        raise InputError("a list of str is not a text: encode_batch takes many texts, and the parts of one are tuples (text, trusted)")
    for part in parts:
        if not isinstance(part, tuple) or len(part) != 2 or not isinstance(part[1], bool):
            raise InputError(f"{part!r} is not a part of a text: give tuples (text, trusted) with trusted True or False")
    encoded = [utf8(text, errors) for text, _ in parts]
    edges = [0, *np.cumsum([len(data) for data in encoded]).tolist()]
    trusted: list[tuple[int, int]] = []
    for (_, trust), (first, last) in zip(parts, pairwise(edges), strict=True):
        if trust and trusted and trusted[-1][1] == first:
            trusted[-1] = (trusted[-1][0], last)
        elif trust:
            trusted.append((first, last))
    return b"".join(encoded), trusted
