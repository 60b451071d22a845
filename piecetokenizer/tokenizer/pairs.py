"""The pair table of a model as arrays: see pairs_cy for what they mean."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import ModelError
from piecetokenizer.memory import table
from piecetokenizer.tokenizer.pairs_cy import build_pairs

__all__ = ["PairTable", "build_pair_table", "power_of_two"]

_MIX = 0x9E3779B97F4A7C15
_FREE = np.uint64(0xFFFFFFFFFFFFFFFF)
_ATTEMPTS = 64


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """What `Merger.look_up` reads."""

    slots: NDArray[np.uint64]
    factors: NDArray[np.uint16]
    factor_shift: int
    mix: int
    known: NDArray[np.uint64]


def build_pair_table(splits: NDArray[np.int32], count: int, spread: float = 1.2) -> PairTable:
    """The table of the first `count` splits (left, right, rank, id), with `spread` times as many slots; about 1.5 ms for 30,000.

    In the rare case that a bucket has no factor another mix is tried, and with every fourth a larger table.
    """
    buckets = power_of_two(count // 3)
    size = int(count * spread) + 16
    factor_shift = 65 - buckets.bit_length()
    hashes, items = np.empty(count, np.uint64), np.empty(count, np.int32)
    starts, by_size = np.empty(buckets + 1, np.int32), np.empty(buckets, np.int32)
    for attempt in range(_ATTEMPTS):
        slots, factors = table(2 * size, np.uint64), np.ones(buckets, np.uint16)
        slots.fill(_FREE)
        known = np.zeros(max(power_of_two(8 * count) // 64, 1), np.uint64)
        mix = _MIX + 2 * attempt
        scratch = hashes.data, items.data, starts.data, by_size.data
        if build_pairs(splits.data, count, mix, factors.data, factor_shift, slots.data, known.data, *scratch):
            return PairTable(slots, factors, factor_shift, mix, known)
        size += (attempt % 4 == 3) * size
    raise ModelError(f"no table for {count} pairs was found in {_ATTEMPTS} attempts: report the model, it breaks the hash")


def power_of_two(least: int) -> int:
    """The least power of two that is at least 2 and `least`."""
    return 1 << max(least - 1, 1).bit_length()
