"""What the kernel reads: the trie of a charsmap, and tables that say where it need not be walked.

In: a proved trie.  Out: `KernelTables`, arrays that any number of kernels share and none writes.

A rule can only begin at a character that is a source by itself, or one whose successor stands second in some source.  So a text needs one
look-up a character, not a walk: that "e" begins the rule for e and an acute accent makes no "e" slow, only an accent does.

`rows` and `entries` are a two-stage table by code point: rows[code >> 6] << 6 | code & 0x3F is the slot of its entry.  An entry says what
goes out for the character alone, in bits 0 to 23, and how many bytes that is, in 24 and 25; and by its flags that this is by a RULE; that
it is a SPACE; that the character stands SECOND in a source; or that it takes a WALK through the trie, since what goes out is nothing, or
longer than the character.  An entry without a rule holds the character itself below U+0800, and nothing from there on.

`triples` gives the row from the first two of three bytes (second << 8 | first), and one of WALK where these begin no character.  `leads`
tells the lead bytes of the SECOND ones.

Before any character is looked at, whole blocks of bytes are: `ranges` are three ranges of ASCII that hold every character with a rule,
and perhaps more; all that is not ASCII is looked at anyway, if there are rules at all.
"""

from dataclasses import dataclass

import numpy as np

from piecetokenizer.normalize.blob import UTF8_STEPS, Children, Trie, base_of
from piecetokenizer.normalize.double_array import BLOCK, UNUSED

__all__ = ["KernelTables"]

CODE_POINTS = 0x110000
ROW = 64
RULE = 1 << 26
SPACE = 1 << 27
SECOND = 1 << 28
WALK = 1 << 29


@dataclass(frozen=True, eq=False)
class KernelTables:
    """The arrays of one charsmap; see the module."""

    units: np.ndarray
    targets: np.ndarray
    target_stops: np.ndarray
    rows: np.ndarray
    triples: np.ndarray
    entries: np.ndarray
    row_places: np.ndarray
    leads: np.ndarray
    ranges: np.ndarray
    filler: int
    has_marks: bool
    has_rules: bool

    @classmethod
    def of(cls, trie: Trie | None) -> "KernelTables":
        """The tables of a proved trie; None is the charsmap without rules."""
        has_rules = trie is not None
        if trie is None:
            trie = Trie(np.full(BLOCK, UNUSED, np.uint32), b"\0")
        targets = np.frombuffer(trie.targets, np.uint8)
        ends = np.flatnonzero(targets == 0)
        stops = ends[np.searchsorted(ends, np.arange(len(targets)))].astype(np.int32)
        by_code_point = np.zeros(CODE_POINTS, np.uint32)
        by_code_point[0x20] = SPACE
        firsts = _classify(trie, stops, by_code_point) if has_rules else np.zeros(0, np.int64)

        # The rows in use are those of one and two bytes, and those that a rule begins in, where it is counted; behind them are a row for
        # characters without rules, and one for bytes that are no character.
        table = by_code_point.reshape(-1, ROW)
        used = np.asarray(table.any(axis=1))
        used[firsts // ROW] = True
        used[: 0x800 // ROW] = True
        places = np.flatnonzero(used)
        rows = np.full(len(table), len(places), np.uint16)
        rows[places] = np.arange(len(places))
        low = by_code_point[:0x800]
        low[:] = np.where(low & (RULE | WALK), low, low | _spelled(np.arange(0x800)))
        triples = np.full((256, 256), len(places) + 1, np.uint16)  # by second byte, by first byte
        triples[0x80:0xC0, 0xE0:0xF0] = rows[: 0x10000 // ROW].reshape(16, 64).T
        triples[0x80:0xA0, 0xE0] = len(places) + 1  # overlong
        triples[0xA0:0xC0, 0xED] = len(places) + 1  # surrogates

        marks = np.flatnonzero(table[:2].ravel() & (RULE | SECOND | WALK)).tolist()
        ranges = _three_ranges(marks)
        return cls(
            units=trie.units,
            targets=targets,
            target_stops=stops,
            rows=rows,
            triples=triples.ravel(),
            entries=np.concatenate([*table[places], np.zeros(ROW, np.uint32), np.full(ROW, WALK, np.uint32)]),
            row_places=places,
            leads=_leads(np.flatnonzero(by_code_point & SECOND)),
            ranges=np.array([*zip(*ranges, strict=True)], np.uint8).ravel(),
            filler=next((byte for byte in range(0x21, 0x7F) if not any(low <= byte <= low + span for low, span in ranges)), 0),
            has_marks=bool(marks),
            has_rules=has_rules,
        )

    def by_character(self, counts: np.ndarray) -> dict[int, int]:
        """Counts by slot as counts by code point; those of 0 are left out."""
        slots = np.flatnonzero(counts)
        characters = self.row_places[slots // ROW] * ROW + slots % ROW
        return dict(zip(characters.tolist(), counts[slots].tolist(), strict=True))


def _classify(trie: Trie, stops: np.ndarray, by_code_point: np.ndarray) -> np.ndarray:
    """Set the entries of all characters; returns those that begin a source."""
    children = Children(trie.units)
    firsts, bases, is_source = _characters(children, base_of(trie.units, np.zeros(1, np.int64)))
    seconds, _, _ = _characters(children, np.unique(bases))
    alone = firsts[is_source]
    target = trie.units[bases[is_source]].astype(np.int64) - UNUSED
    size = stops[target] - target
    text = np.frombuffer(trie.targets + b"\0\0\0", np.uint8).astype(np.uint32)
    word = np.where(size > 0, text[target], 0) | np.where(size > 1, text[target + 1], 0) << 8
    word |= np.where(size > 2, text[target + 2], 0) << 16
    is_space = (size == 1) & (word == 0x20)
    has_space = np.zeros(len(target), bool)
    for k in range(3):
        has_space |= (size > k) & (text[target + k] == 0x20)
    # What is longer than its source needs room, which only a step looks for.  What is empty, or a space from three bytes, is rare, and
    # not worth a case in the kernel's loop.
    source_size = np.where(alone < 0x80, 1, np.where(alone < 0x800, 2, 3))
    entry = RULE | np.where(is_space, SPACE, 0) | size.astype(np.uint32) << 24 | word
    entry = np.where((size == 0) | (size > source_size) | (has_space & ~(is_space & (alone < 0x800))), WALK, entry)
    # A rule from a character to itself is none, as long as the character is alone.
    is_changed = (entry & (1 << 26) - 1 != _spelled(alone)) | (alone >= 0x10000)
    by_code_point[alone[is_changed]] = entry[is_changed]
    by_code_point[seconds] |= SECOND
    return firsts


def _spelled(characters: np.ndarray) -> np.ndarray:
    """The bytes of characters below U+10000, and their number, as an entry has them."""
    one = 1 << 24 | characters
    two = 2 << 24 | 0xC0 | characters >> 6 | (0x80 | characters & 0x3F) << 8
    three = 3 << 24 | 0xE0 | characters >> 12 | (0x80 | characters >> 6 & 0x3F) << 8 | (0x80 | characters & 0x3F) << 16
    spelled: np.ndarray = np.where(characters < 0x80, one, np.where(characters < 0x800, two, three)).astype(np.uint32)
    return spelled


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


def _leads(characters: np.ndarray) -> np.ndarray:
    """For each byte, whether one of these characters begins with it in UTF-8."""
    leads = np.zeros(256, np.uint8)
    leads[characters[characters < 0x80]] = 1
    leads[0xC0 | characters[(characters >= 0x80) & (characters < 0x800)] >> 6] = 1
    leads[0xE0 | characters[(characters >= 0x800) & (characters < 0x10000)] >> 12] = 1
    leads[0xF0 | characters[characters >= 0x10000] >> 18] = 1
    return leads


def _three_ranges(marked: list[int]) -> list[tuple[int, int]]:
    """Three ranges of bytes as (first, last - first) that hold all of these: exactly, or with the smallest gaps between them."""
    runs: list[list[int]] = []
    for byte in marked or [0]:
        if runs and byte == runs[-1][1] + 1:
            runs[-1][1] = byte
        else:
            runs.append([byte, byte])
    while len(runs) > 3:
        _, k = min((runs[k + 1][0] - runs[k][1], k) for k in range(len(runs) - 1))
        runs[k : k + 2] = [[runs[k][0], runs[k + 1][1]]]
    runs += [runs[-1]] * (3 - len(runs))
    return [(first, last - first) for first, last in runs]
