"""The merges: which pairs of symbols become pieces, in which order.

In: `Segments`, the required characters, how many merges are wanted.  Out: `Merges`, the pairs in the order in which they were
merged.

Rule: the best pair has the highest frequency (overlapping occurrences count), then fewer characters, then the smaller display
string in code-point order, then the shorter left part; all its valid occurrences are replaced from left to right; a pair that
spells a piece of any type is dropped.  The outcome depends on the counts alone, never on the order of the segments.

This file has the story, and owns the arrays of merging; the work is in four kernels: characters_cy lays out the symbols (symbols.py),
pairs_cy counts the pairs (pairs.py), queue_cy says which is next, merges_cy replaces it.  docs/counter.md explains how they fit
together.  Memory: 4 bytes a character of distinct segments for the symbols and up to 12 for positions, of which pages that are never
touched cost nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from piecetokenizer.counter import merges_cy, queue_cy
from piecetokenizer.counter.pairs import gather_pairs
from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.symbols import Symbols, lay_out
from piecetokenizer.memory import zeros

__all__ = ["Merges", "Progress", "learn_merges", "merge_symbols"]

EMPTY = (1 << 64) - 1
NO_ROOM = EMPTY - 1

FLOOR_SHARE = 64
"""The first floor is the total weight of all pairs / (merges wanted * this): low enough that ordinary runs never count again."""

FLOOR_STEP = 8
"""By what the floor is divided when no pair reaches it."""

REPORT_EVERY = 256
"""Merges between two reports of progress."""

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Merges:
    """The pairs (left, right) in display form, how many bytes the left part of each has, its frequency when it was merged, and what the
    work came to.

    `work` counts, with `slots` as the measure of the input: `visited` positions, of them `valid`; neighbours `looked_up`; queue entries
    `popped`; `rebuilds`, how often all pairs were counted again because the floor was too high.
    """

    pairs: list[tuple[str, str]]
    cuts: list[int]
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
    threads: int = 1,
    progress: Progress | None = None,
) -> Merges:
    """The first `wanted` merges, or fewer when no pair is left.

    `alphabet` are the required characters in display form, most frequent first; others take part in no merge.  `taken` are the texts of
    pieces that no merge may spell.  A pair longer than `max_piece_size` bytes of display form is never formed.  `floor` only sets
    how much work is put off, never the result.  `progress` is told (merges made, wanted, the latest piece).

    >>> segments = Segments.from_pairs([("zzzzz", 1), (" ab", 3)])
    >>> learn_merges(segments, ["z", "a", "b", "▁"], 3).pairs
    [('z', 'z'), ('a', 'b'), ('▁', 'ab')]
    """
    symbols = lay_out(segments, alphabet, space, threads)
    return merge_symbols(
        symbols, alphabet, wanted, max_piece_size=max_piece_size, taken=taken, floor=floor, threads=threads, progress=progress
    )


def merge_symbols(
    symbols: Symbols,
    alphabet: Sequence[str],
    wanted: int,
    *,
    max_piece_size: int = 48,
    taken: Iterable[str] = (),
    floor: int | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Merges:
    """What learn_merges does once the segments are laid out, and can be let go of."""
    run = _Run(symbols, list(alphabet), sorted(set(taken)), wanted, max_piece_size, threads)
    run.count_pairs(floor)
    queue, merger = run.queue, run.merger
    while run.done < run.wanted:
        key = queue.next()
        if key == NO_ROOM:
            run.give_text()
        elif key != EMPTY:
            if (born := merger.merge(key)) < 0:
                run.give_table(key)
                born = merger.merge(key)
            if not queue.push(born):
                run.give_heap(born)
                queue.push(born)
            run.done += 1
            if progress is not None and run.done % REPORT_EVERY == 0:
                progress(run.done, wanted, run.latest())
        elif run.floor > 1:
            run.count_pairs(max(1, run.floor // FLOOR_STEP))
        else:
            break
    if progress is not None:
        progress(run.done, wanted, run.latest())
    return run.result()


class _Run:
    """The arrays of one run, and the kernels that work on them."""

    def __init__(self, symbols: Symbols, alphabet: list[str], taken: list[str], wanted: int, max_piece_size: int, threads: int) -> None:
        """Symbol ids are first those of the alphabet, then those of the taken texts (which never occur), then those of merges."""
        self.symbols = symbols
        self.names = alphabet + taken
        self.singles = len(alphabet)
        self.wanted = min(wanted, len(symbols.slots))
        self.max_piece_size = max_piece_size
        self.threads = threads
        self.made = np.zeros(2 * self.wanted, np.uint64)
        self.done = 0
        self.rebuilds = -1
        self.heap: npt.NDArray[np.uint64] = np.zeros(0, np.uint64)
        self.born = np.zeros(2, np.uint64)
        self.pool = zeros(3 * len(symbols.slots), np.uint32)

        known = len(self.names)
        room = known + self.wanted + 1
        spelled = "".join(self.names)
        self.lengths = np.zeros(room, np.int32)
        self.lengths[:known] = [len(name) for name in self.names]
        self.sizes = np.zeros(room, np.int32)
        self.sizes[:known] = [len(name.encode()) for name in self.names]
        self.begins = np.zeros(room, np.int64)
        np.cumsum(self.lengths[:known], out=self.begins[1 : known + 1])
        self.text = np.zeros(len(spelled) + max_piece_size, np.int32)
        self.text[: len(spelled)] = np.frombuffer(spelled.encode("utf-32-le"), np.int32)
        names = np.full(1 << (2 * room).bit_length(), -1, np.int32)
        self.queue: Any = queue_cy.PairQueue(
            self.lengths.data, self.begins.data, self.text.data, names.data, self.made.data, max_piece_size, len(alphabet), known
        )
        self.merger: Any = merges_cy.Merger(
            symbols.slots.data,
            symbols.ends.data,
            symbols.counts.data,
            self.lengths.data,
            self.sizes.data,
            np.zeros(4 * room, np.int64).data,
            np.zeros(2 * room, np.int32).data,
            known,
            max_piece_size,
        )

    def count_pairs(self, floor: int | None) -> None:
        """Record all pairs of at least `floor` (by default, estimated) with their positions: at first, and when the floor was lowered."""
        share = max(1, self.wanted) * FLOOR_SHARE
        pairs = gather_pairs(
            self.symbols,
            self.lengths,
            self.sizes,
            self.singles,
            self.max_piece_size,
            lambda total: max(1, total // share) if floor is None else floor,
            self.pool,
            self.threads,
        )
        self.floor = pairs.floor
        self.table = _empty_table(2 * pairs.count + 1024, 2)
        where = np.empty(len(self.table), np.int64)
        self.heap = np.empty(3 * 2 * pairs.count + 3, np.uint64)
        self.merger.start(self.pool.data, pairs.positions, self.table.data, where.data, self.born.data, self.floor)
        self.merger.load(pairs.entries.data, pairs.count)
        self.queue.start(self.heap.data, self.table.data, self.floor, pairs.entries.data, pairs.count)
        self.rebuilds += 1

    def give_table(self, key: int) -> None:
        """Make room for the pairs that merging this one can bring."""
        most = self.merger.most(key)
        self.born = np.zeros(4 * most, np.uint64)
        self.table = _empty_table(3 * (self.merger.counters()[0] + most), 2)
        self.merger.give(self.table.data, np.empty(len(self.table), np.int64).data, self.born.data)
        self._give()

    def give_heap(self, more: int) -> None:
        """Make room for so many more pairs in the queue."""
        self.heap = _longer(self.heap, 3 * more)
        self._give()

    def give_text(self) -> None:
        """Make room for more names."""
        self.text = _longer(self.text, self.max_piece_size)
        self._give()

    def _give(self) -> None:
        self.queue.give(self.heap.data, self.text.data, self.table.data, self.born.data)

    def latest(self) -> str:
        """The piece that was made last; empty before there is one."""
        symbol = len(self.names) + self.done - 1
        begin = int(self.begins[symbol])
        return "".join(map(chr, self.text[begin : begin + int(self.lengths[symbol])].tolist())) if self.done else ""

    def result(self) -> Merges:
        """The merges so far."""
        names = list(self.names)
        keys = self.made[: 2 * self.done : 2]
        lefts, rights = (keys >> 32).astype(np.int64), (keys & 0xFFFFFFFF).astype(np.int64)
        pairs = []
        for left, right in zip(lefts.tolist(), rights.tolist(), strict=True):
            pair = names[left], names[right]
            pairs.append(pair)
            names.append("".join(pair))
        _, _, visited, valid, looked_up = self.merger.counters()
        work = {"slots": len(self.symbols.slots), "visited": visited, "valid": valid, "looked_up": looked_up}
        work |= {"popped": self.queue.counters()[1], "rebuilds": self.rebuilds}
        return Merges(pairs, self.sizes[lefts].tolist(), self.made[1 : 2 * self.done : 2].tolist(), work)


def _empty_table(entries: int, words: int) -> npt.NDArray[np.uint64]:
    """A hash table of at least so many entries of so many words, the first of which is the key; none is there."""
    table = np.zeros(words << max(4, (entries - 1).bit_length()), np.uint64)
    table[::words] = EMPTY
    return table


def _longer(array: npt.NDArray[Any], more: int) -> npt.NDArray[Any]:
    """A copy with room for at least so many more, and for twice as many."""
    longer = np.empty(2 * len(array) + more, array.dtype)
    longer[: len(array)] = array
    return longer
