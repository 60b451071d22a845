"""Finding symbols that are never cut: user-defined pieces in a corpus and in a text, control tokens where they are asked for.

In: a text as UTF-8 bytes.  Out: spans (start, end, index of the symbol), ascending, never overlapping.
The rule is leftmost-longest: of all matches the one that starts first, of those the longest; then the same again behind its
end.  The order in which the symbols were given decides nothing.

pyahocorasick reports every match of every symbol (`iter`); the choice is made here, because its own `iter_long` is not
leftmost-longest: with {a, cac} it misses the last `a` of some texts.  The installed builds of it take `str` only, so bytes are
read as Latin-1: one character for each byte.  Symbols are valid UTF-8, so a match always begins and ends between characters.
Linear in the text plus n log n in the number of matches.
"""

from collections.abc import Iterator, Sequence

import ahocorasick

from piecetokenizer.errors import SpecError

__all__ = ["SymbolMatcher"]


class SymbolMatcher:
    """Immutable; one matcher serves any number of threads.

    >>> SymbolMatcher(["t_1", "t_123", "New York"]).spans(b"t_123 in New York, t_12")
    [(0, 5, 1), (9, 17, 2), (19, 22, 0)]
    """

    def __init__(self, symbols: Sequence[str]) -> None:
        self.symbols = tuple(symbols)
        self._sizes = [len(symbol.encode()) for symbol in self.symbols]
        self._automaton = ahocorasick.Automaton()
        for index, symbol in enumerate(self.symbols):
            if not symbol:
                raise SpecError("an empty symbol cannot be found in a text; leave it out")
            if not self._automaton.add_word(symbol.encode().decode("latin-1"), index):
                raise SpecError(f"the symbol {symbol!r} is given twice; name it once")
        if self.symbols:  # an automaton without words cannot be searched
            self._automaton.make_automaton()

    def __reduce__(self) -> tuple[type["SymbolMatcher"], tuple[tuple[str, ...]]]:
        return SymbolMatcher, (self.symbols,)

    def matches(self, text: bytes) -> Iterator[tuple[int, int, int]]:
        """Every match of every symbol, overlapping ones too, by ascending end."""
        if not self.symbols:
            return
        sizes = self._sizes
        for last, index in self._automaton.iter(text.decode("latin-1")):
            yield last + 1 - sizes[index], last + 1, index

    def spans(self, text: bytes) -> list[tuple[int, int, int]]:
        """The matches that count: leftmost-longest, not overlapping."""
        return leftmost_longest(self.matches(text))


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
