"""The pairs to begin with: all pairs of adjacent symbols that are frequent enough, with their positions.

In: `Symbols` and a floor.  Out: `Pairs`, and the pool filled with positions.  The slots are divided into stretches, each counted on a
thread of its own; how many there are changes nothing but the order in which pairs are listed, which means nothing.  See pairs_cy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from piecetokenizer.counter import pairs_cy
from piecetokenizer.counter.symbols import DEAD, Symbols
from piecetokenizer.memory import zeros
from piecetokenizer.threads import side_by_side

__all__ = ["Pairs", "gather_pairs"]

FIRST_TABLE = 1 << 12
"""Entries, at first, of the table in which pairs are counted; a power of two."""

WINDOW = 128
"""Pairs whose cache misses overlap."""

STRETCH = 1 << 19
"""Slots that are worth a thread of their own: some milliseconds."""

MOST_STRETCHES = 8
"""Each has a table of its own, which is compared with all before it."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pair i of `count` is `entries[4 * i : 4 * i + 4]`: key, weight, the start of its positions in the pool and their number.

    `positions` is the number of all of them; `floor` is what the pairs' weights reach.
    """

    entries: npt.NDArray[np.uint64]
    count: int
    positions: int
    floor: int


def gather_pairs(
    symbols: Symbols,
    lengths: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int32],
    singles: int,
    max_size: int,
    floor: Callable[[int], int],
    pool: npt.NDArray[np.uint32],
    threads: int,
) -> Pairs:
    """Count all pairs, then list those that reach the floor, which depends on the weight of all, and write their positions into the pool.

    `lengths` and `sizes` are those of the symbols in characters and bytes; the first `singles` symbols are single characters.
    """
    stretches = divide(symbols.slots, max(1, min(threads, MOST_STRETCHES, len(symbols.slots) // STRETCH)))
    counters = side_by_side(threads, [partial(_counted, symbols, stretch, lengths, singles) for stretch in stretches])
    totals, distinct = zip(*(counter.totals() for counter in counters), strict=True)
    shared = sum(counter.hand_over(other) for n, counter in enumerate(counters) for other in counters[:n])
    least = floor(sum(totals))
    entries = zeros(4 * (sum(distinct) - shared), np.uint64)
    found = positions = 0
    for n, counter in enumerate(counters):
        found, positions = counter.collect(sizes.data, least, max_size, entries.data, found, positions)
        for later in counters[n + 1 :]:
            later.follow(counter)
    side_by_side(threads, [partial(counter.place, pool.data) for counter in counters])
    return Pairs(entries, found, positions, least)


def _counted(symbols: Symbols, stretch: slice, lengths: npt.NDArray[np.int32], singles: int) -> Any:
    """A counter that went through one stretch of the slots."""
    table = zeros(4 * FIRST_TABLE, np.uint64)
    window = np.empty(2 * min(WINDOW, FIRST_TABLE // 2), np.uint64)
    ends, counts = symbols.ends.data, symbols.counts.data
    counter: Any = pairs_cy.PairCounter(
        symbols.slots[stretch].data, lengths.data, ends, counts, singles, stretch.start, window.data, table.data
    )
    while not counter.count():
        table = zeros(2 * len(table), np.uint64)
        counter.give(table.data)
    return counter


def divide(slots: npt.NDArray[np.int32], parts: int) -> list[slice]:
    """So many stretches of about one length, or fewer: each begins and ends with a dead slot, which two neighbours share.

    >>> divide(np.array([-2, 0, 1, -2, 1, 0, -2, 0, 0, -2], np.int32), 2)
    [slice(0, 7, None), slice(6, 10, None)]
    """
    cuts = [0]
    for n in range(1, parts + 1):
        at = max(cuts[-1] + 1, (len(slots) - 1) * n // parts)
        if at < len(slots):
            cuts.append(at + int(np.argmax(slots[at:] == DEAD)))
    return [slice(first, last + 1) for first, last in pairwise(cuts)]
