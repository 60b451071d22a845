"""SegmentTable: the compiled kernel, the same kernel uncompiled, and collections.Counter agree on everything."""

from collections import Counter
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.uncompiled import load_uncompiled

from piecetokenizer.counter import table as table_module
from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.table import SegmentTable, join
from piecetokenizer.errors import InputError
from piecetokenizer.lowlevel import PADDING

MOST = (1 << 63) - 1
SIZES = [*range(1, 10), 15, 16, 17, 22, 23, 24, 25, 31, 32, 33, 39, 40, 41, 200]


@pytest.fixture(params=["compiled", "uncompiled"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test with each kernel."""
    if request.param == "uncompiled":
        monkeypatch.setattr(table_module, "TableKernel", load_uncompiled("counter/table_cy.py").TableKernel)
    return str(request.param)


def add(table: SegmentTable, segments: list[bytes], *, before: bytes = b"", cut: int = 1 << 20) -> None:
    """Count segments as a Cutter gives them: one text, windows of `cut` ends."""
    text = np.frombuffer(before + b"".join(segments) + b"\xff" * PADDING, np.uint8)  # the slack is not all zero: nothing may depend on it
    ends = np.array(list(accumulate(map(len, segments), initial=len(before)))[1:], np.int64)
    begin = len(before)
    for i in range(0, len(ends), cut):
        window = ends[i : i + cut]
        table.add(text, begin, window, len(window))
        begin = int(window[-1])


def counts_of(segments: Segments) -> dict[bytes, int]:
    return dict(zip(segments.texts(), segments.counts.tolist(), strict=True))


def counted(table: SegmentTable) -> dict[bytes, int]:
    segments = table.export()
    counts = counts_of(segments)
    assert len(counts) == len(segments) == len(table)
    return counts


segment = st.one_of(
    st.binary(min_size=1, max_size=45),
    st.sampled_from([b"a" * n for n in SIZES] + [b"\0" * n for n in SIZES]),
    st.builds(lambda n, last: b"x" * (n - 1) + last, st.sampled_from(SIZES), st.sampled_from([b"\0", b"x", b"y"])),
)


@given(st.lists(segment, max_size=120), st.integers(1, 9), st.integers(1, 40))
def test_equals_counter(segments: list[bytes], window: int, cut: int) -> None:
    tables = [SegmentTable(slots=16, window=window)]
    add(tables[0], segments, before=b"not a segment", cut=cut)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_module, "TableKernel", load_uncompiled("counter/table_cy.py").TableKernel)
        tables.append(SegmentTable(slots=16, window=window))
        add(tables[1], segments, before=b"not a segment", cut=cut)
    compiled, uncompiled = (table.export() for table in tables)
    assert compiled == uncompiled  # slot by slot, so the hashes are equal too
    assert counted(tables[0]) == Counter(segments)


@given(st.lists(st.lists(segment, max_size=60), min_size=1, max_size=4), st.integers(1, 4), st.integers(1, 3))
def test_join_adds(parts: list[list[bytes]], window: int, min_count: int) -> None:
    kernels = (table_module.TableKernel, load_uncompiled("counter/table_cy.py").TableKernel)
    found = []
    for kernel in kernels:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table_module, "TableKernel", kernel)
            patch.setattr(table_module, "SHARE", 8)  # many shares of few slots
            tables = [SegmentTable(slots=16, window=window) for _ in parts]
            for table, part in zip(tables, parts, strict=True):
                add(table, part)
            found.append(join(tables, min_count))
    assert found[0] == found[1]
    expected = Counter(segment for part in parts for segment in part)
    assert len(found[0]) == len(set(found[0].texts()))
    assert counts_of(found[0]) == {segment: count for segment, count in expected.items() if count >= min_count}


def test_growth(kind: str) -> None:
    segments = [f" word{n % 1500}".encode() + b"!" * (n % 40) for n in range(4000)]
    table = SegmentTable(slots=16, window=4)
    add(table, segments, cut=333)
    assert counted(table) == Counter(segments)


def test_join_of_large_tables() -> None:
    tables = [SegmentTable() for _ in range(4)]
    for n, table in enumerate(tables):
        add(table, [b"%d" % i for i in range(0, 200_000, n + 1)])
    assert counts_of(join(tables)) == {b"%d" % i: sum(i % n == 0 for n in range(1, 5)) for i in range(200_000)}


def test_long_segments_of_one_size(kind: str) -> None:
    base = bytearray(b"." * 100)
    segments = []
    for i in range(100):  # each differs from all others in one byte
        base[i] ^= 1
        segments.append(bytes(base))
        base[i] ^= 1
    table = SegmentTable(slots=64, window=2)
    add(table, segments * 3)
    assert counted(table) == dict.fromkeys(segments, 3)


def test_same_hash_is_not_same_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    # Uncompiled, the mixing step can be taken away: then all short segments have one hash, and all long ones.
    kernel = load_uncompiled("counter/table_cy.py")
    monkeypatch.setattr(table_module, "TableKernel", kernel.TableKernel)
    monkeypatch.setattr(kernel, "fold", lambda a, b: 7)
    segments = [b"%d" % n for n in range(60)] + [b"%040d" % n for n in range(60)]
    table = SegmentTable(slots=16, window=3)
    add(table, segments + segments[::2])
    assert counted(table) == Counter(segments + segments[::2])
    other = SegmentTable(slots=16, window=3)
    add(other, [*segments[1::3], b"new"])
    assert counts_of(join([other, table])) == Counter(segments + segments[::2] + segments[1::3] + [b"new"])


def test_a_megabyte_is_one_segment() -> None:
    table = SegmentTable()
    add(table, [b"a" * 1_000_000, b"a" * 999_999, b"a" * 1_000_000])
    assert counted(table) == {b"a" * 1_000_000: 2, b"a" * 999_999: 1}


def test_nothing() -> None:
    table = SegmentTable()
    add(table, [])
    assert (len(table), table.export().to_pairs(), join([table, SegmentTable()]).to_pairs()) == (0, [], [])


def test_min_count(kind: str) -> None:
    table = SegmentTable()
    add(table, [b"a", b"b", b"a", b"c" * 30, b"c" * 30, b"c" * 30])
    assert sorted(table.export(2).to_pairs()) == [("a", 2), ("c" * 30, 3)]
    assert table.export(MOST).to_pairs() == []


def test_counts_made_before(kind: str) -> None:
    table = SegmentTable(slots=16, window=2)
    pairs = [(" the", 1 << 53), ("x" * 30, (1 << 40) + 1), ("é", 7)]
    table.add_segments(Segments.from_pairs(pairs))
    table.add_segments(Segments.from_pairs([(" the", 1)]))
    add(table, [b"x" * 30])
    assert sorted(table.export().to_pairs()) == [(" the", (1 << 53) + 1), ("x" * 30, (1 << 40) + 2), ("é", 7)]


@pytest.mark.parametrize("text", [" the", "x" * 30])
def test_counts_beyond_63_bits(kind: str, text: str) -> None:
    table = SegmentTable()
    table.add_segments(Segments.from_pairs([(text, MOST)]))
    assert table.export().to_pairs() == [(text, MOST)]
    with pytest.raises(InputError, match=r"more than 2\^63 - 1 times"):
        add(table, [text.encode()])
    other = SegmentTable()
    add(other, [text.encode()])
    with pytest.raises(InputError, match=r"more than 2\^63 - 1 times"):
        join([other, table])


def test_too_many_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "MAX_SLOTS", 64)
    table = SegmentTable(slots=16, window=2)
    with pytest.raises(InputError, match="distinct segments, too many for"):
        add(table, [b"%d" % n for n in range(100)])


def test_memory_is_near_its_content() -> None:
    table = SegmentTable()
    add(table, [b"%d" % n for n in range(100_000)])
    assert table.nbytes <= 3 * 32 * 100_000
