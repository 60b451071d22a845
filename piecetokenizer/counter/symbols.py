"""The segments as the merge loop sees them: slots that hold symbols.

In: `Segments` and the required characters.  Out: `Symbols`.  See characters_cy for what slots and count classes are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from piecetokenizer.counter import characters_cy
from piecetokenizer.counter.segments import Segments
from piecetokenizer.errors import InputError
from piecetokenizer.memory import zeros
from piecetokenizer.threads import shares, side_by_side

__all__ = ["DEAD", "Symbols", "lay_out"]

DEAD = -2
MAX_SLOTS = (1 << 32) - 1
LARGE = (1 << 16) - 1
"""The least count that is not sorted by its digits."""

SHARE = 1 << 16
"""Segments that are worth a thread of their own: some milliseconds."""


@dataclass(frozen=True, slots=True)
class Symbols:
    """The characters of the segments as slots, see characters_cy.

    Class c ends before slot `ends[c]`, its segments occur `counts[c]` times.
    """

    slots: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]


def lay_out(segments: Segments, alphabet: Sequence[str], space: str, threads: int = 1) -> Symbols:
    """The symbols that merging starts from; the number of threads may change the number of classes, which means nothing."""
    segments.check_weight()
    symbols = np.full(0x110000, DEAD, np.int32)
    for symbol, character in enumerate(alphabet):
        symbols[ord(" " if character == space else character)] = symbol
    room = int(segments.offsets[-1]) + len(segments) + 2
    if room > MAX_SLOTS:
        room = segments.characters + len(segments) + 2  # there are fewer characters than bytes, but to count them takes time
        if room > MAX_SLOTS:
            raise InputError(
                f"the distinct segments have {segments.characters} characters, more than can be merged ({MAX_SLOTS}); raise min_count"
            )
    order = by_count(segments.counts)
    slots = zeros(room, np.int32)
    parts = [order[share.start : share.stop] for share in shares(len(order), threads, SHARE)]
    # The first is laid out in place, the others beside it, since nobody knows yet where they will begin.
    laid = side_by_side(threads, [partial(_laid, segments, part, symbols, None if n else slots) for n, part in enumerate(parts)])
    filled = 1
    for n, part in enumerate(laid):
        many = len(part.slots) - 1
        if n:
            slots[filled : filled + many] = part.slots[1:]
        part.ends[:] += filled - 1
        filled += many
    slots[filled] = DEAD
    return Symbols(slots[: filled + 1], np.concatenate([part.ends for part in laid]), np.concatenate([part.counts for part in laid]))


def _laid(segments: Segments, order: npt.NDArray[np.int64], symbols: npt.NDArray[np.int32], slots: npt.NDArray[np.int32] | None) -> Symbols:
    """The segments of `order`, in the given array or a new one; the first slot is a dead one."""
    if slots is None:
        offsets = segments.offsets
        slots = zeros(int((offsets[1:][order] - offsets[:-1][order]).sum()) + len(order) + 1, np.int32)
    slots[0] = DEAD
    ends, counts = zeros(len(order), np.int64), zeros(len(order), np.int64)
    filled, classes = characters_cy.lay_out(
        segments.arena.data, segments.offsets.data, segments.counts.data, order.data, symbols.data, slots.data, ends.data, counts.data
    )
    return Symbols(slots[:filled], ends[:classes].copy(), counts[:classes].copy())


def by_count(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The indices of counts, the highest first.

    Nearly all counts are small, and small numbers are sorted by their digits, in a third of the time; only the others are compared.

    >>> by_count(np.array([1, 1 << 40, 7, 1 << 50])).tolist()
    [3, 1, 2, 0]
    """
    order = np.argsort((LARGE - np.minimum(counts, LARGE)).astype(np.uint16), kind="stable")
    large = order[: np.count_nonzero(counts >= LARGE)]
    large[:] = large[np.argsort(-counts[large])]
    return order
