"""Finding symbols that are never cut: user-defined pieces in a corpus and in a text, control tokens where they are asked for.

In: a text as UTF-8 bytes.  Out: spans (start, end, index of the symbol), ascending, never overlapping.
The rule is leftmost-longest: of all matches the one that starts first, of those the longest; then the same again behind its
end.  The order in which the symbols were given decides nothing.

Spans are found by a scan that leaps (symbols_cy): a nanosecond or two for each byte.  pyahocorasick reports every match of every symbol
(`iter`): that is what `matches` gives, and what `spans` falls back on where the scan gives up; the choice is then made here, because
pyahocorasick's own `iter_long` is not leftmost-longest: with {a, cac} it misses the last `a` of some texts.  The installed builds of it
take `str` only, so bytes are read as Latin-1: one character for each byte.  Symbols are valid UTF-8, so a match always begins and ends
between characters.  Linear in the text plus n log n in the number of matches.

The automaton is made, and pyahocorasick imported, when `matches` is first asked for: few calls need it, and to import it switches the
global interpreter lock of a free-threaded Python on again.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import SpecError
from piecetokenizer.symbols_cy import SymbolScanner

__all__ = ["SymbolMatcher"]

_SPANS = 1 << 14
"""Spans that one call of the scanner can give."""


class SymbolMatcher:
    """Immutable; one matcher serves any number of threads.

    >>> SymbolMatcher(["t_1", "t_123", "New York"]).spans(b"t_123 in New York, t_12")
    [(0, 5, 1), (9, 17, 2), (19, 22, 0)]
    """

    def __init__(self, symbols: Sequence[str]) -> None:
        self.symbols = tuple(symbols)
        if "" in self.symbols:
            raise SpecError("an empty symbol cannot be found in a text; leave it out")
        if len(set(self.symbols)) < len(self.symbols):
            twice = next(symbol for symbol, count in Counter(self.symbols).items() if count > 1)
            raise SpecError(f"the symbol {twice!r} is given twice; name it once")
        if self.symbols:
            self._scanner = _scanner([symbol.encode() for symbol in self.symbols])

    def __reduce__(self) -> tuple[type["SymbolMatcher"], tuple[tuple[str, ...]]]:
        return SymbolMatcher, (self.symbols,)

    @cached_property
    def _automaton(self) -> Any:
        """Each word's value is its index and its size in bytes.  Threads that come at once may each make one: they are alike."""
        from ahocorasick import Automaton

        automaton = Automaton()
        for index, symbol in enumerate(self.symbols):
            word = symbol.encode()
            automaton.add_word(word.decode("latin-1"), (index, len(word)))
        automaton.make_automaton()
        return automaton

    def matches(self, text: bytes) -> Iterator[tuple[int, int, int]]:
        """Every match of every symbol, overlapping ones too, by ascending end."""
        if self.symbols:  # an automaton without words cannot be searched
            for last, (index, size) in self._automaton.iter(text.decode("latin-1")):
                yield last + 1 - size, last + 1, index

    def spans(self, text: bytes) -> list[tuple[int, int, int]]:
        """The matches that count: leftmost-longest, not overlapping."""
        return [(start, end, index) for start, end, index in self.span_array(text).tolist()]

    def span_array(self, text: bytes) -> NDArray[np.int64]:
        """The same as an array of three columns."""
        found = []
        start = 0
        room = np.empty(3 * min(len(text) // 4 + 1, _SPANS), np.int64)
        while self.symbols and start < len(text):
            count = self._scanner.scan(memoryview(text), start, room.data)
            if count < 0:
                return np.array(leftmost_longest(self.matches(text)), np.int64).reshape(-1, 3)
            found.append(room[: 3 * count].reshape(-1, 3).copy())
            if 3 * count < len(room):
                break
            start = int(found[-1][-1, 1])
        return np.concatenate(found) if found else np.empty((0, 3), np.int64)


def _scanner(symbols: Sequence[bytes]) -> SymbolScanner:
    """The scanner of some symbols, at least one."""
    sizes = np.array([len(symbol) for symbol in symbols], np.int64)
    offsets = np.append(np.zeros(1, np.int64), np.cumsum(sizes))
    by_size = np.argsort(sizes, kind="stable")
    arena = np.frombuffer(b"".join(symbols), np.uint8)
    return SymbolScanner(
        arena, offsets, by_size.data, np.empty(1 << 14, np.uint8), np.full(1 << 12, -1, np.int32), np.empty(len(symbols), np.int32)
    )


def leftmost_longest(matches: Iterator[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Of matches that come by ascending end, the leftmost, of those the longest, and so on behind its end."""
    longest = {start: (end, index) for start, end, index in matches}  # a later match from the same start is a longer one
    chosen = []
    free = 0
    for start in sorted(longest):
        if start >= free:
            end, index = longest[start]
            chosen.append((start, end, index))
            free = end
    return chosen
