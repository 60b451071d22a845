"""The boundary kernel, compiled and uncompiled, against the reference."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pretokenize.strategies import ALL_SPECS, SAMPLES, specs, texts
from reference import pretokenize as reference
from reference.uncompiled import load_uncompiled

from piecetokenizer.lowlevel import PADDING
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.pretokenize.classes import class_table


def padded(parts: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Texts as one buffer with slack, and their stops."""
    buffer = np.frombuffer(b"".join(parts) + b"\xff" * PADDING, np.uint8).copy()
    return buffer, np.cumsum([len(part) for part in parts], dtype=np.int64)


def drain(cutter) -> list[int]:
    ends: list[int] = []
    while n := cutter.cut():
        ends += list(cutter.ends[:n])
    assert cutter.cut() == 0
    return ends


def expected_ends(spec, parts: list[str]) -> list[int]:
    segments = [segment for part in parts for segment in reference.pretokenize(spec, part)]
    return list(itertools.accumulate(len(segment.encode()) for segment in segments))


def uncompiled_cutter(pretokenizer: PreTokenizer, window: int):
    """The kernel as ordinary Python, with the same tables."""
    kernel = load_uncompiled("pretokenize/cutter_cy.py")
    tables = (pretokenizer._bytewise, *class_table(), pretokenizer._table)
    return kernel.BoundaryCutter(*map(memoryview, tables), pretokenizer._isolate, memoryview(np.empty(window, np.int64)))


@pytest.mark.parametrize("spec", ALL_SPECS, ids=lambda spec: f"{spec.split}-{spec.digit}-{spec.cn}-{spec.spaces}")
def test_every_pair_and_triple_of_classes(spec):
    pretokenizer = PreTokenizer(spec)
    one_of_each = [characters[-1] for characters in SAMPLES.values()]
    several = ["".join(x) for x in itertools.product("".join(SAMPLES.values()), repeat=2)]
    several += ["".join(x) for x in itertools.product(one_of_each, repeat=3)]
    for text in several:
        assert pretokenizer.pretokenize(text) == reference.pretokenize(spec, text), (text, spec)


@given(specs, st.lists(texts, max_size=4), st.sampled_from([1, 2, 3, 7, 2048]))
def test_many_texts_through_any_window(spec, parts, window):
    buffer, stops = padded([part.encode() for part in parts])
    cutter = PreTokenizer(spec).cutter(window)
    expected = expected_ends(spec, parts)
    cutter.start(buffer, stops, len(stops))
    assert drain(cutter) == expected
    for part in parts:
        buffer, _ = padded([part.encode()])
        cutter.start_one(buffer, len(part.encode()))
        assert drain(cutter) == expected_ends(spec, [part])


@given(specs, st.lists(texts, max_size=4), st.sampled_from([1, 2, 7, 2048]))
def test_uncompiled_is_the_same(spec, parts, window):
    buffer, stops = padded([part.encode() for part in parts])
    cutter = uncompiled_cutter(PreTokenizer(spec), window)
    cutter.start(memoryview(buffer), memoryview(stops), len(stops))
    assert drain(cutter) == expected_ends(spec, parts)


@given(specs, st.binary(max_size=40), st.integers(0, 40), st.sampled_from([1, 3, 2048]))
def test_malformed_bytes_do_no_harm(spec, data, cut, window):
    buffer, stops = padded([data[:cut], data[cut:]])
    pretokenizer = PreTokenizer(spec)
    cutter = pretokenizer.cutter(window)
    cutter.start(buffer, stops, 2)
    ends = drain(cutter)
    assert ends == sorted(set(ends))
    assert ends[-1:] == ([len(data)] if data else [])
    assert cut in ends or cut == 0 or cut >= len(data)
    slow = uncompiled_cutter(pretokenizer, window)
    slow.start(memoryview(buffer), memoryview(stops), 2)
    assert drain(slow) == ends


def test_a_run_of_one_class_longer_than_the_window():
    for run in ("a", "1", " ", "é", "你", "𐐀", "'", "\n"):
        for spec in ALL_SPECS:
            text = run * 5000
            expected = reference.pretokenize(spec, run * 3)
            found = PreTokenizer(spec).pretokenize(text)
            assert found == ([text] if len(expected) == 1 else [run] * 5000)


def test_stops_that_lie_outside_the_buffer_or_go_back_are_moved_inside():
    buffer, _ = padded([b"ab cd"])
    cutter = PreTokenizer(ALL_SPECS[0]).cutter()
    cutter.start(buffer, np.array([3, 1, 1000], np.int64), 3)
    assert drain(cutter) == [2, 3, 5]


def test_a_call_with_wrong_sizes_is_an_error():
    buffer, stops = padded([b"abc"])
    cutter = PreTokenizer(ALL_SPECS[0]).cutter()
    with pytest.raises(ValueError, match="padding"):
        cutter.start_one(np.zeros(10, np.uint8), 3)
    with pytest.raises(ValueError, match="longer"):
        cutter.start_one(buffer, 4)
    with pytest.raises(ValueError, match="longer"):
        cutter.start_one(buffer, -1)
    with pytest.raises(ValueError, match="stops"):
        cutter.start(buffer, stops, 2)
    assert cutter.cut() == 0


def test_the_buffer_may_change_between_two_texts():
    cutter = PreTokenizer(ALL_SPECS[0]).cutter()
    buffer, _ = padded([b"ab cd"])
    cutter.start_one(buffer, 5)
    assert drain(cutter) == [2, 5]
    buffer[:5] = list(b"a bcd")
    cutter.start_one(buffer, 5)
    assert drain(cutter) == [1, 5]
