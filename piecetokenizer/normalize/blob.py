"""Blobs: a compiled charsmap as bytes in SentencePiece's layout, and the proof that one from outside is harmless.

A blob is the size of the trie in bytes (u32, little-endian), the trie (u32 units, see double_array), then the targets, each ended by NUL;
the leaf of a source holds the place of its target among them.

`read_blob` follows every path, one byte of all paths at a time, and so proves what the kernel relies on: every walk on any bytes stays in
the array; no path is longer than MAX_SOURCE bytes, so none goes in a circle; every path ends in a rule; sources and targets are valid
UTF-8 without NUL; every target begins at a character and ends by NUL.  Anything else is a ModelError that says what.  Paths that come to
the same node in the same state of UTF-8 go on as one, with their number, so the cost is about linear in the units, for a hostile blob at
most MAX_VISITS steps.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from piecetokenizer.errors import ModelError
from piecetokenizer.normalize.double_array import BLOCK, UNUSED

__all__ = ["MAX_BLOB", "MAX_RULES", "MAX_SOURCE", "Children", "Trie", "decompile", "have_equal_rules", "pack_blob", "read_blob"]

MAX_SOURCE = 255
"""Bytes of a source at most: it bounds what the walk at one position of a text can cost."""
MAX_RULES = 1 << 22
MAX_BLOB = 1 << 24
MAX_VISITS = 1 << 23
VALUE = np.uint32(0x7FFFFFFF)
"""The bits of a leaf that say where its target begins."""


@dataclass(frozen=True, eq=False)
class Trie:
    """The two parts of a blob: units padded to whole blocks by unused ones, and targets."""

    units: np.ndarray
    targets: bytes

    @classmethod
    def split(cls, blob: bytes) -> "Trie":
        """The parts of a blob, of which nothing is checked but the sizes."""
        if not 4 <= len(blob) <= MAX_BLOB:
            raise ModelError(f"charsmap: it has {len(blob):,} bytes; from 4 to {MAX_BLOB:,} are allowed")
        (size,) = struct.unpack_from("<I", blob)
        if size % 4 or not 0 < size <= len(blob) - 4:
            raise ModelError(f"charsmap: its trie should have {size:,} bytes, but {len(blob) - 4:,} follow; it is damaged or cut off")
        units = np.full(-(-size // (4 * BLOCK)) * BLOCK, UNUSED, np.uint32)
        units[: size // 4] = np.frombuffer(blob, "<u4", size // 4, 4)
        return cls(units, blob[4 + size :])


def pack_blob(units: np.ndarray, targets: bytes) -> bytes:
    r"""The blob of a trie and its targets.

    >>> pack_blob(np.array([7], np.uint32), b"a\0")
    b'\x04\x00\x00\x00\x07\x00\x00\x00a\x00'
    """
    return struct.pack("<I", 4 * len(units)) + units.astype("<u4").tobytes() + targets


def base_of(units: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The base of the node that the unit at each place leads to."""
    values = units[places].astype(np.int64)
    base: np.ndarray = places ^ ((values >> 10) << ((values & 0x200) >> 6))
    return base


class Children:
    """The way down: all units sorted by the base whose children they would be, and by their labels."""

    def __init__(self, units: np.ndarray) -> None:
        self.units = units
        places = np.flatnonzero(units < UNUSED)  # not leaves, nor what no walk can take
        labels = (units[places] & 0xFF).astype(np.int64)
        owners = places ^ labels
        self._places = places[np.argsort(owners << 8 | labels)]
        self._begins = np.zeros(len(units) + 1, np.int64)
        np.cumsum(np.bincount(owners, minlength=len(units)), out=self._begins[1:])

    def of(self, bases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All children of these bases: the index of the base that each one belongs to, and the child's place."""
        begins = self._begins[bases]
        sizes = self._begins[bases + 1] - begins
        parents = np.repeat(np.arange(len(bases)), sizes)
        firsts = np.cumsum(sizes) - sizes
        return parents, self._places[begins[parents] + np.arange(len(parents)) - firsts[parents]]


def _utf8_steps() -> np.ndarray:
    """From a state and a byte to the next state, 9 for none.

    State 0 is between characters, 1 to 3 wait for as many continuation bytes, 4 to 7 too, but the first of them is restricted.
    """
    steps = np.full((10, 256), 9, np.int64)
    steps[0, 0x01:0x80] = 0
    steps[0, 0xC2:0xE0] = 1
    steps[0, 0xE0:0xF0] = 2
    steps[0, 0xF0:0xF5] = 3
    steps[1, 0x80:0xC0] = 0
    steps[2, 0x80:0xC0] = 1
    steps[3, 0x80:0xC0] = 2
    restricted = ((4, 0xE0, 0xA0, 0xC0, 1), (5, 0xED, 0x80, 0xA0, 1), (6, 0xF0, 0x90, 0xC0, 2), (7, 0xF4, 0x80, 0x90, 2))
    for state, lead, low, high, after in restricted:
        steps[0, lead] = state
        steps[state, low:high] = after
    return steps


UTF8_STEPS = _utf8_steps()


def read_blob(blob: bytes) -> Trie:
    """The parts of a blob from anywhere, proved to be harmless."""
    trie = Trie.split(blob)
    begins = _target_begins(trie.targets)
    units = trie.units
    children = Children(units)
    if units[0] & 0x100:
        raise ModelError("charsmap: a rule has an empty source")
    bases = _inside(units, base_of(units, np.zeros(1, np.int64)))
    states = np.zeros(1, np.int64)
    paths: np.ndarray = np.ones(1)
    ends_rule = np.zeros(1, bool)
    rules = 0.0
    visits = 0
    for depth in range(1, MAX_SOURCE + 2):
        parents, places = children.of(bases)
        visits += len(places)
        if np.any((np.bincount(parents, minlength=len(bases)) == 0) & ~ends_rule):
            raise ModelError(f"charsmap: a path of {depth - 1} bytes through the trie leads to no rule")
        if not len(places):
            break
        if depth > MAX_SOURCE or visits > MAX_VISITS:
            raise ModelError(f"charsmap: the trie has a circle, or a source of more than {MAX_SOURCE} bytes")
        states = UTF8_STEPS[states[parents], units[places] & 0xFF]
        ends_rule = (units[places] & 0x100) != 0
        if np.any(states == 9) or np.any(ends_rule & (states != 0)):
            raise ModelError(f"charsmap: a source is not UTF-8 at byte {depth - 1}, or has a NUL there")
        bases = _inside(units, base_of(units, places))
        leaves = units[bases[ends_rule]].astype(np.int64)
        if np.any(leaves < UNUSED) or np.any(leaves - UNUSED >= len(begins)) or not np.all(begins[leaves - UNUSED]):
            raise ModelError("charsmap: a leaf of the trie does not lead to a target")
        paths = np.minimum(paths[parents], 2.0 * MAX_RULES)
        rules += float(paths[ends_rule].sum())
        if rules > MAX_RULES:
            raise ModelError(f"charsmap: it has more than {MAX_RULES:,} rules")
        # A node is the same for all that come to it in the same state; whether it ends a rule is said by the units that lead there.
        keys, first, same = np.unique(bases * 20 + states * 2 + ends_rule, return_index=True, return_inverse=True)
        paths = np.bincount(same, paths, len(keys)).astype(np.float64)
        bases, states, ends_rule = bases[first], states[first], ends_rule[first]
    return trie


def decompile(trie: Trie) -> Iterator[tuple[bytes, bytes]]:
    """All rules of a proved trie as (source, target), in the order of the sources' bytes."""
    units = trie.units
    children = Children(units)
    ways: dict[int, list[tuple[bytes, int, int]]] = {}  # base -> for each child, the last first: its byte, its base, its target or -1
    stack = [(b"", int(base_of(units, np.zeros(1, np.int64))[0]), -1)]
    while stack:
        source, base, target = stack.pop()
        if target >= 0:
            yield source, target_at(trie, target)
        if base not in ways:
            _, places = children.of(np.array([base]))
            below = base_of(units, places)
            values = np.where(units[places] & 0x100, units[below].astype(np.int64) - UNUSED, -1)
            labels = (units[places] & 0xFF).tolist()
            ways[base] = sorted(zip(map(_BYTES.__getitem__, labels), below.tolist(), values.tolist(), strict=True), reverse=True)
        stack.extend([(source + byte, child, value) for byte, child, value in ways[base]])


def have_equal_rules(one: Trie, other: Trie) -> bool:
    """Whether two proved tries hold the same rules, however they are laid out: both are walked at once, by pairs of bases."""
    tries = (one, other)
    children = [Children(trie.units) for trie in tries]
    bases = [base_of(trie.units, np.zeros(1, np.int64)) for trie in tries]
    while len(bases[0]):
        (parents, places), (other_parents, other_places) = (way.of(base) for way, base in zip(children, bases, strict=True))
        unit, other_unit = one.units[places], other.units[other_places]
        if not np.array_equal(parents, other_parents) or np.any((unit ^ other_unit) & 0x1FF):
            return False
        bases = [base_of(one.units, places), base_of(other.units, other_places)]
        leaves = [trie.units[base[(unit & 0x100) != 0]] & VALUE for trie, base in zip(tries, bases, strict=True)]
        for begin, other_begin in np.unique(np.stack(leaves), axis=1).T.tolist():
            if target_at(one, begin) != target_at(other, other_begin):
                return False
        bases = list(np.unique(np.stack(bases), axis=1))
    return True


def target_at(trie: Trie, begin: int) -> bytes:
    """The target that begins there."""
    return trie.targets[begin : trie.targets.index(0, begin)]


_BYTES = [bytes([byte]) for byte in range(256)]


def _inside(units: np.ndarray, bases: np.ndarray) -> np.ndarray:
    """The same bases; since blocks are whole, base ^ byte is inside the units for every byte if the base is."""
    if np.any(bases >= len(units)):
        raise ModelError("charsmap: an offset in the trie leads out of it")
    return bases


def _target_begins(targets: bytes) -> np.ndarray:
    """For each byte of the targets, whether a target may begin there."""
    if not targets.endswith(b"\0"):
        raise ModelError("charsmap: its last target has no end (NUL); it is damaged or cut off")
    try:
        targets.decode()
    except UnicodeDecodeError as error:
        raise ModelError(f"charsmap: its targets are not UTF-8 at byte {error.start}") from None
    begins: np.ndarray = (np.frombuffer(targets, np.uint8) & 0xC0) != 0x80
    return begins
