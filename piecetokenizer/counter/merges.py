"""The merges: which pairs of symbols become pieces, in which order.

In: `Segments`, the required characters, how many merges are wanted.  Out: `Merges`, the pairs in the order in which they were merged.
Rule: the best pair has the highest frequency (overlapping occurrences count), then fewer characters, then the smaller display string in
code-point order, then the shorter left part; all its valid occurrences are replaced from left to right; a pair that spells a piece of any
type is dropped.  The outcome depends on the counts alone, never on the order of the segments.

This file owns the arrays: it lays out the symbols, counts the pairs, runs the kernel step by step, gives it room when it asks, and lowers the
floor when nothing above it is left.  Memory: 4 bytes a character for the symbols, up to 12 for positions, of which pages that
are never touched cost nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from piecetokenizer.counter import characters_cy, merges_cy, pairs_cy
from piecetokenizer.counter.segments import Segments
from piecetokenizer.errors import InputError

__all__ = ["Merges", "learn_merges"]

MAX_SLOTS = (1 << 32) - 1
MAX_TOTAL = (1 << 63) - 1
BUDGET = 4_000_000
"""Units of work between two returns from the kernel: about 50 ms, so that a progress bar moves and Ctrl-C is heard."""

FLOOR_SHARE = 64
"""The first floor is the total weight of all pairs / (merges wanted * this): low enough that ordinary runs never count again."""

FLOOR_STEP = 8
"""By what the floor is divided when no pair reaches it."""

ENOUGH, PAUSED, NONE_LEFT, NO_ROOM = range(4)

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Merges:
    """The pairs (left, right) in display form, the frequency of each when it was merged, and what the work came to."""

    pairs: list[tuple[str, str]]
    frequencies: list[int]
    work: dict[str, int]

    def __len__(self) -> int:
        return len(self.pairs)


def learn_merges(
    segments: Segments,
    alphabet: Sequence[str],
    wanted: int,
    *,
    max_piece_size: int = 48,
    taken: Iterable[str] = (),
    space: str = "▁",
    floor: int | None = None,
    progress: Progress | None = None,
) -> Merges:
    """The first `wanted` merges, or fewer when no pair is left.

    `alphabet` are the required characters, in display form; others take part in no merge.  `taken` are the texts of pieces that no merge
    may spell, in display form.  `floor` only sets how much work is put off, never the result.  `progress` is told (merges made, wanted).

    >>> segments = Segments.from_pairs([("zzzzz", 1), (" ab", 3)])
    >>> learn_merges(segments, ["z", "a", "b", "▁"], 3).pairs
    [('z', 'z'), ('a', 'b'), ('▁', 'ab')]
    """
    slots, class_ends, class_counts = _lay_out(segments, alphabet, space)
    run = _Run(slots, class_ends, class_counts, list(alphabet), sorted(set(taken)), min(wanted, len(slots)), max_piece_size)
    run.count_pairs(floor)
    while True:
        status = run.merger.run(run.wanted, BUDGET)
        if progress is not None:
            progress(run.merger.counters()["merged"], wanted)
        if status == ENOUGH or (status == NONE_LEFT and run.floor == 1):
            return run.result()
        if status == NONE_LEFT:
            run.count_pairs(max(1, run.floor // FLOOR_STEP))
        elif status == NO_ROOM:
            run.give_room()


def _lay_out(segments: Segments, alphabet: Sequence[str], space: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The slots and the count classes of the segments."""
    symbols = np.full(0x110000, -2, np.int32)
    for symbol, character in enumerate(alphabet):
        symbols[ord(" " if character == space else character)] = symbol
    ends = segments.offsets
    total = int(ends[-1])
    # Every byte that is not a continuation byte starts a character, or is invalid and dead.
    characters = int(np.count_nonzero((segments.arena[:total] & 0xC0) != 0x80))
    room = characters + len(segments) + 2
    if room > MAX_SLOTS:
        raise InputError(f"the distinct segments have {characters} characters, more than can be merged ({MAX_SLOTS}); raise min_count")
    order = np.argsort(-segments.counts)
    slots = np.empty(room, np.int32)
    class_ends = np.empty(len(segments) + 1, np.int64)
    class_counts = np.empty(len(segments) + 1, np.int64)
    filled, classes = characters_cy.lay_out(
        memoryview(segments.arena),
        memoryview(segments.offsets),
        memoryview(segments.counts),
        memoryview(order),
        memoryview(symbols),
        memoryview(slots),
        memoryview(class_ends),
        memoryview(class_counts),
    )
    return slots[:filled], class_ends[:classes].copy(), class_counts[:classes].copy()


class _Run:
    """The arrays of one run, and the kernel that works on them."""

    def __init__(
        self,
        slots: npt.NDArray[np.int32],
        class_ends: npt.NDArray[np.int64],
        class_counts: npt.NDArray[np.int64],
        alphabet: list[str],
        taken: list[str],
        wanted: int,
        max_piece_size: int,
    ) -> None:
        self.slots = slots
        self.class_ends = class_ends
        self.class_counts = class_counts
        self.names = alphabet + taken
        self.alphabet_size = len(alphabet)
        self.wanted = wanted
        self.max_piece_size = max_piece_size
        self.rebuilds = -1
        symbols = len(self.names)
        room = symbols + wanted + 1
        self.lengths = np.zeros(room, np.int32)
        self.lengths[:symbols] = [len(name) for name in self.names]
        self.sizes = np.zeros(room, np.int32)
        self.sizes[:symbols] = [len(name.encode()) for name in self.names]
        begins = np.zeros(room, np.int64)
        np.cumsum(self.lengths[: symbols], out=begins[1 : symbols + 1])
        joined = "".join(self.names)
        self.text = np.zeros(len(joined) + max_piece_size * 1024, np.int32)
        self.text[: len(joined)] = np.frombuffer(joined.encode("utf-32-le"), np.int32)
        self.made = np.zeros(2 * wanted + 2, np.uint64)
        self.pool = np.empty(3 * len(slots), np.uint32)
        self.merger = merges_cy.Merger(
            memoryview(slots),
            memoryview(class_ends),
            memoryview(class_counts),
            memoryview(self.lengths),
            memoryview(self.sizes),
            memoryview(begins),
            memoryview(self.text),
            len(joined),
            memoryview(np.full(_power_of_two(2 * room), -1, np.int32)),
            memoryview(self.made),
            memoryview(np.zeros(4 * room, np.int64)),
            memoryview(np.zeros(2 * room, np.int32)),
            symbols,
            max_piece_size,
        )
        self.merger.block(len(alphabet))

    def count_pairs(self, floor: int | None) -> None:
        """Record all pairs of at least `floor` (by default, estimated), with their positions: at the beginning, and when the floor was lowered."""
        table = _empty_table(1 << 12, 3)
        state = np.zeros(4, np.int64)
        walk = (memoryview(self.slots), memoryview(self.lengths))
        while not pairs_cy.count(*walk, memoryview(self.class_ends), memoryview(self.class_counts), memoryview(table), memoryview(state)):
            larger = _empty_table(len(table) // 3 * 2, 3)
            pairs_cy.move(memoryview(table), memoryview(larger))
            table = larger
        self.floor = max(1, int(state[3]) // (max(1, self.wanted) * FLOOR_SHARE)) if floor is None else floor
        pairs = np.empty(4 * int(state[2]) + 4, np.uint64)
        found, positions = pairs_cy.collect(memoryview(table), memoryview(self.sizes), self.floor, self.max_piece_size, memoryview(pairs))
        pairs_cy.place(*walk, memoryview(table), memoryview(self.pool))
        size = _power_of_two(4 * found + 4096)
        self.heap = np.empty(3 * (2 * found + 4096), np.uint64)
        self.merger.start(memoryview(self.pool), positions, memoryview(_empty_table(size, 2)), memoryview(np.empty(2 * size, np.uint32)), memoryview(self.heap), self.floor)
        self.merger.load(memoryview(pairs), found)
        self.rebuilds += 1

    def give_room(self) -> None:
        """Replace the arrays that are too small for what the kernel needs next."""
        state = self.merger.counters()
        size = _power_of_two(4 * (state["table_used"] + state["need"]))
        self.merger.give_table(memoryview(_empty_table(size, 2)), memoryview(np.empty(2 * size, np.uint32)))
        self.heap = _longer(self.heap, 3 * (state["heap_used"] + state["need"]))
        self.merger.give_heap(memoryview(self.heap))
        self.text = _longer(self.text, state["text_used"] + self.max_piece_size)
        self.merger.give_text(memoryview(self.text))

    def result(self) -> Merges:
        """The merges so far."""
        state = self.merger.counters()
        made = self.made[: 2 * state["merged"]]
        keys = made[0::2].tolist()
        names = self.names
        pairs = []
        for key in keys:
            left, right = names[key >> 32], names[key & 0xFFFFFFFF]
            pairs.append((left, right))
            names.append(left + right)
        return Merges(pairs, made[1::2].tolist(), {**state, "rebuilds": self.rebuilds, "floor": self.floor, "slots": len(self.slots)})


def _empty_table(entries: int, words: int) -> npt.NDArray[np.uint64]:
    """A hash table of `words` words an entry; a key of all ones is an empty one."""
    table = np.zeros(words * entries, np.uint64)
    table[::words] = 0xFFFFFFFFFFFFFFFF
    return table


def _longer(array: npt.NDArray[np.generic], least: int) -> npt.NDArray[np.generic]:
    """The array itself if it has room, else a copy with twice what is needed."""
    if len(array) >= least:
        return array
    longer = np.empty(2 * least, array.dtype)
    longer[: len(array)] = array
    return longer


def _power_of_two(least: int) -> int:
    return 1 << max(4, (least - 1).bit_length())
