"""What is divided over threads comes out as if it were not: characters, slots, stretches."""

from collections import Counter
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecetokenizer.counter import coverage, symbols
from piecetokenizer.counter.pairs import divide
from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.symbols import DEAD, Symbols, by_count, lay_out

PAIRS = st.lists(st.tuples(st.text("abé好 x", min_size=1, max_size=6), st.integers(1, 5)), min_size=1, max_size=12)


def runs(laid: Symbols) -> Counter[tuple[tuple[int, ...], int]]:
    """The runs of symbols with the counts of their classes."""
    found: Counter[tuple[tuple[int, ...], int]] = Counter()
    ends = laid.ends.tolist()
    assert ends == sorted(ends)
    assert laid.slots[0] == laid.slots[-1] == DEAD
    dead = np.flatnonzero(laid.slots == DEAD).tolist()
    for before, behind in pairwise(dead):
        if behind - before > 1:
            number = next(c for c, end in enumerate(ends) if before + 1 < end)
            found[tuple(laid.slots[before + 1 : behind].tolist()), int(laid.counts[number])] += 1
    return found


@given(PAIRS, st.integers(2, 5))
def test_slots_hold_the_same_runs(pairs: list[tuple[str, int]], threads: int) -> None:
    segments = Segments.from_pairs(pairs)
    whole = lay_out(segments, "abé▁", "▁")
    with patch.object(symbols, "SHARE", 1):
        divided = lay_out(segments, "abé▁", "▁", threads)
    assert runs(divided) == runs(whole)
    assert len(divided.slots) == len(whole.slots)


@given(PAIRS, st.integers(2, 5))
def test_characters_are_counted_alike(pairs: list[tuple[str, int]], threads: int) -> None:
    segments = Segments.from_pairs(pairs)
    with patch.object(coverage, "SHARE", 1):
        assert coverage.cover(segments, 0.9, threads=threads) == coverage.cover(segments, 0.9)


@given(st.lists(st.one_of(st.integers(1, 9), st.sampled_from([65534, 65535, 65536, 1 << 62])), min_size=1))
def test_by_count(counts: list[int]) -> None:
    order = by_count(np.array(counts, np.int64)).tolist()
    assert sorted(order) == list(range(len(counts)))
    assert [counts[i] for i in order] == sorted(counts, reverse=True)


@pytest.mark.parametrize("parts", [1, 2, 3, 9])
@pytest.mark.parametrize("runs", [[], [2], [2, 2], [9, 2, 2], [2, 2, 9], [2] * 20])
def test_stretches_meet_in_dead_slots(runs: list[int], parts: int) -> None:
    slots = np.array([DEAD, *(slot for size in runs for slot in [*range(size), DEAD]), DEAD], np.int32)
    stretches = divide(slots, parts)
    assert len(stretches) <= parts
    assert stretches[0].start == 0
    assert stretches[-1].stop == len(slots)
    assert all(one.stop - 1 == two.start and slots[two.start] == DEAD for one, two in pairwise(stretches))
