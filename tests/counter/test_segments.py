"""Segments: what goes in comes out, through pairs and through the file form."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecetokenizer.counter.segments import Segments
from piecetokenizer.errors import InputError

PAIRS = st.dictionaries(
    st.one_of(st.text(min_size=1), st.text("a\\x\t\n\r\0 é\u2028\u0085▁𝄞4", min_size=1)), st.integers(1, 1 << 40), max_size=12
).map(lambda counts: list(counts.items()))


@given(PAIRS)
def test_pairs_come_back(pairs: list[tuple[str, int]]) -> None:
    segments = Segments.from_pairs(pairs)
    assert segments.to_pairs() == pairs
    assert segments.total == sum(count for _, count in pairs)
    assert len(segments) == len(pairs)


@given(pairs=PAIRS)
def test_file_comes_back(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, int]]) -> None:
    path = tmp_path_factory.mktemp("segments") / "counts.tsv"
    segments = Segments.from_pairs(pairs)
    segments.write(path)
    assert Segments.read(path) == segments
    assert path.read_bytes().count(b"\n") == len(pairs)


def test_file_form(tmp_path: Path) -> None:
    path = tmp_path / "counts.tsv"
    Segments.from_pairs([(" the", 7), ("\t\n", 2), ("a\\b", 1), ("\u2028", 3), ("\udcff", 4)]).write(path)
    assert path.read_bytes() == b" the\t7\n\\x09\\x0A\t2\na\\x5Cb\t1\n\\xE2\\x80\\xA8\t3\n\\xFF\t4\n"


@given(PAIRS)
def test_sorted_is_by_count_then_text(pairs: list[tuple[str, int]]) -> None:
    expected = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    assert Segments.from_pairs(pairs).sorted().to_pairs() == expected
    assert Segments.from_pairs(pairs[::-1]).sorted() == Segments.from_pairs(expected)


@given(PAIRS, st.integers(1, 100))
def test_at_least(pairs: list[tuple[str, int]], min_count: int) -> None:
    kept = Segments.from_pairs(pairs).at_least(min_count)
    assert kept.to_pairs() == [(text, count) for text, count in pairs if count >= min_count]


def test_equal_texts_add_up_exactly() -> None:
    segments = Segments.from_pairs([("a", 1 << 61), ("b", 1), ("a", (1 << 61) + 1)])
    assert segments.to_pairs() == [("a", (1 << 62) + 1), ("b", 1)]
    assert segments.counts.dtype == np.int64


@pytest.mark.parametrize("pair", [("", 1), ("a", 0), ("a", -1)])
def test_bad_pairs(pair: tuple[str, int]) -> None:
    with pytest.raises(InputError, match="cannot be used"):
        Segments.from_pairs([pair])


def test_lone_surrogate() -> None:
    with pytest.raises(InputError, match="lone surrogate at character 1"):
        Segments.from_pairs([("a\ud800", 1)])


def test_too_many() -> None:
    with pytest.raises(InputError, match="add up to more than 9223372036854775807"):
        Segments.from_pairs([("a", 1 << 62), ("b", 1 << 62)])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"a", "line 2: expected a segment, a tab and a count"),
        (b"a\t", "line 2: expected"),
        (b"a\t0", "line 2: expected"),
        (b"a\t" + b"9" * 5000, "line 2: expected"),
        (b"a\t-3", "line 2: expected"),
        (b"\t3", "line 2: expected"),
        (b"a\\b\t3", r"line 2: a backslash is written \\x5C"),
        (b"a\\x4\t3", "line 2: a backslash"),
    ],
)
def test_bad_files(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "counts.tsv"
    path.write_bytes(b"ok\t1\n" + line + b"\n")
    with pytest.raises(InputError, match=message):
        Segments.read(path)
