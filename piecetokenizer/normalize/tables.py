"""What the kernel reads: the trie of a charsmap, and two tables that say where it need not be walked.

In: a proved trie.  Out: `KernelTables`, arrays that any number of kernels share and none writes.

A rule can only begin at a character that is a source by itself (ALONE), or one whose successor is the second character of some source (SECOND);
both are classes of a single character, so a text needs two look-ups a character instead of a walk.  That "e" begins the rule for e + acute accent
makes no "e" slow: only an accent does.  `pages` and `classes` are the two-stage table of these classes by code point.

Before any character is looked at, whole blocks of bytes are: `ranges` are three ranges of bytes that hold every byte to look at (ASCII of either
class, and all that is not ASCII), and perhaps more.  The second triple is for texts known to be valid UTF-8: without rules it is empty.
"""

from dataclasses import dataclass

import numpy as np

from piecetokenizer.normalize.blob import UTF8_STEPS, Children, Trie, base_of
from piecetokenizer.normalize.double_array import BLOCK, UNUSED

__all__ = ["KernelTables"]

ALONE = 1
SECOND = 2
CODE_POINTS = 0x110000
PAGE = 256


@dataclass(frozen=True, eq=False)
class KernelTables:
    """The arrays of one charsmap; see the module."""

    units: np.ndarray
    targets: np.ndarray
    target_stops: np.ndarray
    pages: np.ndarray
    classes: np.ndarray
    ranges: np.ndarray
    filler: int
    has_rules: bool

    @classmethod
    def of(cls, trie: Trie | None) -> "KernelTables":
        """The tables of a proved trie; None is the charsmap without rules."""
        by_code_point = np.zeros(CODE_POINTS, np.uint8)
        if trie is not None:
            _classify(Children(trie.units), by_code_point)
        rows = by_code_point.reshape(-1, PAGE)
        used = np.flatnonzero(rows.any(axis=1))
        used = used[used > 0]
        pages = np.zeros(len(rows), np.uint16)
        pages[used] = np.arange(1, len(used) + 1)
        targets = np.frombuffer(b"\0" if trie is None else trie.targets, np.uint8)
        ends = np.flatnonzero(targets == 0)
        marked = np.flatnonzero(by_code_point[:0x80]).tolist()
        high = range(0x80, 0x100)
        unknown = _three_ranges([*marked, *high])
        valid = _three_ranges([*marked, *(high if len(used) else ())])
        filler = next((byte for byte in range(0x21, 0x7F) if not any(low <= byte <= low + span for low, span in unknown)), 0)
        return cls(
            units=np.full(BLOCK, UNUSED, np.uint32) if trie is None else trie.units,
            targets=targets,
            target_stops=ends[np.searchsorted(ends, np.arange(len(targets)))].astype(np.int32),
            pages=pages,
            classes=np.concatenate([rows[0], *rows[used]]),
            ranges=np.array([row for pairs in (unknown, valid) for row in zip(*pairs, strict=True)], np.uint8).ravel(),
            filler=filler,
            has_rules=trie is not None,
        )


def _classify(children: Children, by_code_point: np.ndarray) -> None:
    """Set the classes of the characters that begin a source, and of those that stand second in one."""
    characters, bases, is_source = _characters(children, base_of(children.units, np.zeros(1, np.int64)))
    by_code_point[characters[is_source]] |= ALONE
    characters, _, _ = _characters(children, np.unique(bases))
    by_code_point[characters] |= SECOND


def _characters(children: Children, bases: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All characters that lead down from these bases: code point, base after it, and whether a source ends there."""
    found = []
    states = np.zeros(len(bases), np.int64)
    values = np.zeros(len(bases), np.int64)
    while len(bases):
        parents, places = children.of(bases)
        units = children.units[places]
        byte = (units & 0xFF).astype(np.int64)
        # The lead byte loses the bits that say its length; a continuation byte adds six.
        lead = np.where(byte < 0x80, byte, np.where(byte < 0xE0, byte & 0x1F, np.where(byte < 0xF0, byte & 0x0F, byte & 0x07)))
        values = np.where(states[parents] == 0, lead, values[parents] << 6 | byte & 0x3F)
        states = UTF8_STEPS[states[parents], byte]
        bases = base_of(children.units, places)
        whole = states == 0
        found.append((values[whole], bases[whole], (units[whole] & 0x100) != 0))
        values, states, bases = values[~whole], states[~whole], bases[~whole]
    return tuple(np.concatenate(column) for column in zip(*found, strict=True))  # type: ignore[return-value]


def _three_ranges(marked: list[int]) -> list[tuple[int, int]]:
    """Three ranges of bytes as (first, last - first) that hold all of these: exactly, or with the smallest gaps between them."""
    runs: list[list[int]] = []
    for byte in marked or [0xFF]:  # 0xFF is in no valid UTF-8
        if runs and byte == runs[-1][1] + 1:
            runs[-1][1] = byte
        else:
            runs.append([byte, byte])
    while len(runs) > 3:
        _, k = min((runs[k + 1][0] - runs[k][1], k) for k in range(len(runs) - 1))
        runs[k : k + 2] = [[runs[k][0], runs[k + 1][1]]]
    runs += [runs[-1]] * (3 - len(runs))
    return [(first, last - first) for first, last in runs]
