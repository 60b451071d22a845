"""Stage 3 as its definition reads: recount everything after every merge.

All texts are in display form: the space is the mark `▁`, and a literal mark is a dead character, given as any other that is not required.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from fractions import Fraction
from itertools import pairwise

DEAD = None


def required_characters(counts: Iterable[tuple[str, int]], coverage: str, outside: Collection[str] = ("\ufffd",)) -> list[str]:
    """By (frequency descending, code point ascending), until the share before adding one reaches the coverage."""
    frequency: Counter[str] = Counter()
    for text, count in counts:
        for character in text:
            if character not in outside:
                frequency[character] += count
    total = sum(frequency.values())
    required: list[str] = []
    before = 0
    for character in sorted(frequency, key=lambda c: (-frequency[c], c)):
        if Fraction(before, total) >= Fraction(coverage):
            break
        required.append(character)
        before += frequency[character]
    return required


def merges(
    counts: Iterable[tuple[str, int]], alphabet: Collection[str], wanted: int, max_piece_size: int = 48, taken: Collection[str] = ()
) -> list[tuple[str, str, int]]:
    """The merges in order as (left, right, frequency)."""
    segments = [([character if character in alphabet else DEAD for character in text], count) for text, count in counts]
    names = set(taken)
    made: list[tuple[str, str, int]] = []
    while len(made) < wanted:
        frequency: Counter[tuple[str, str]] = Counter()
        for symbols, count in segments:
            for left, right in pairwise(symbols):
                if left is not DEAD and right is not DEAD:
                    frequency[left, right] += count
        allowed = [
            (-count, len(left + right), left + right, len(left), left, right)
            for (left, right), count in frequency.items()
            if left + right not in names and len((left + right).encode()) <= max_piece_size
        ]
        if not allowed:
            break
        count, _, name, _, left, right = min(allowed)
        made.append((left, right, -count))
        names.add(name)
        segments = [(replace(symbols, left, right), count) for symbols, count in segments]
    return made


def replace(symbols: list[str | None], left: str, right: str) -> list[str | None]:
    """All occurrences of the pair, left to right."""
    result: list[str | None] = []
    i = 0
    while i < len(symbols):
        if symbols[i : i + 2] == [left, right]:
            result.append(left + right)
            i += 2
        else:
            result.append(symbols[i])
            i += 1
    return result
