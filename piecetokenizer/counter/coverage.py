"""Coverage: which characters a vocabulary must have.

In: `Segments` and the share of the text that must be spelled without byte fallback.  Out: the required characters, by frequency,
and what was left aside.  Rule: characters by (weighted frequency descending, code point ascending) are required until the share
*before* adding one reaches `character_coverage`; shares are compared as exact fractions, of the decimal as it was written.  A
literal `▁` (which stands for the space) and U+FFFD (which stands for broken input) are outside all this: not counted, never
required.  Characters that are pieces anyway, such as user-defined symbols of one character, count but are not required again.
`required_chars` adds some, also ones that never occur.

One pass over the segments, then a sort of the distinct characters.
"""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from piecetokenizer.counter import characters_cy
from piecetokenizer.counter.segments import Segments
from piecetokenizer.errors import SpecError
from piecetokenizer.memory import zeros
from piecetokenizer.threads import shares, side_by_side

__all__ = ["Coverage", "cover"]

BROKEN = "\ufffd"

SHARE = 1 << 16
"""Segments that are worth a thread of their own: some milliseconds."""

MOST_SHARES = 8
"""Each has a total of its own for every code point there is, 9 MB."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The required characters in display form, most frequent first, and what coverage came to.

    `rare` are the characters left to byte fallback with their counts, most frequent first.  All counts are of occurrences in the corpus.
    """

    required: tuple[str, ...]
    counts: tuple[int, ...]
    rare: tuple[tuple[str, int], ...]
    total: int
    broken: int
    marks: int

    @property
    def share(self) -> float:
        """The share of all characters that the vocabulary spells without byte fallback."""
        return 1.0 if not self.total else 1.0 - sum(count for _, count in self.rare) / self.total


def cover(
    segments: Segments,
    character_coverage: float = 0.9995,
    *,
    required_chars: str = "",
    taken: Collection[str] = (),
    space: str = "▁",
    threads: int = 1,
) -> Coverage:
    """The characters that the vocabulary must have.

    >>> segments = Segments.from_pairs([(" the", 10), (" thé", 2)])
    >>> cover(segments, 0.95).required
    ('h', 't', '▁', 'e')
    >>> cover(segments, 0.95, required_chars="xé").required
    ('h', 't', '▁', 'e', 'é', 'x')
    """
    for outside in (space, BROKEN):
        if outside in required_chars:
            raise SpecError(
                f"required_chars holds {outside!r}, which is never a piece" + "; write a real space for the space" * (outside == space)
            )
    segments.check_weight()
    parts = shares(len(segments), threads, SHARE, MOST_SHARES)
    totals, *others = side_by_side(threads, [partial(_counted, segments, part) for part in parts])
    for other in others:
        totals += other
    broken, marks = int(totals[ord(BROKEN)]), int(totals[ord(space)])
    totals[[ord(BROKEN), ord(space)]] = 0, totals[0x20]  # order is by display form, in which the space is the mark
    totals[0x20] = 0
    points = np.flatnonzero(totals)
    points = points[np.argsort(-totals[points], kind="stable")]
    counts = totals[points].tolist()
    characters = [chr(point) for point in points.tolist()]

    total = sum(counts)
    share = Fraction(str(character_coverage))
    enough = share.numerator * total
    before = covered = 0
    for count in counts:
        if before * share.denominator >= enough:
            break
        before += count
        covered += 1
    added = {space if character == " " else character for character in required_chars}
    required = dict(zip(characters[:covered], counts[:covered], strict=True))
    required |= {character: count for character, count in zip(characters[covered:], counts[covered:], strict=True) if character in added}
    rare = tuple((character, count) for character, count in zip(characters, counts, strict=True) if character not in required)
    required |= dict.fromkeys(sorted(added - required.keys()), 0)
    kept = [character for character in required if character not in taken]
    return Coverage(tuple(kept), tuple(required[character] for character in kept), rare, total, broken, marks)


def _counted(segments: Segments, share: range) -> npt.NDArray[np.int64]:
    """How often each code point occurs in these segments."""
    totals: npt.NDArray[np.int64] = zeros(0x110000, np.int64)
    offsets = segments.offsets[share.start : share.stop + 1]
    characters_cy.count_characters(segments.arena.data, offsets.data, segments.counts[share.start : share.stop].data, totals.data)
    return totals
