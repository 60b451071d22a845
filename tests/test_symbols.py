"""SymbolMatcher against a direct reading of its rule."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.scan import spans
from reference.uncompiled import load_uncompiled

from piecetokenizer.errors import SpecError
from piecetokenizer.symbols import SymbolMatcher, leftmost_longest
from piecetokenizer.symbols_cy import SymbolScanner


@given(st.lists(st.text("abcé\0", min_size=1, max_size=4), unique=True, max_size=6), st.text("abcé\0", max_size=30))
def test_equals_the_rule(symbols: list[str], text: str) -> None:
    assert SymbolMatcher(symbols).spans(text.encode()) == spans(symbols, text.encode())


def test_the_last_a_is_found() -> None:
    assert SymbolMatcher(["a", "cac"]).spans(b"cacca") == [(0, 3, 1), (4, 5, 0)]


@pytest.mark.parametrize("order", [["t_1", "t_12", "t_123"], ["t_123", "t_12", "t_1"], ["t_12", "t_123", "t_1"]])
def test_longest_in_any_order(order: list[str]) -> None:
    assert SymbolMatcher(order).spans(b"t_123") == [(0, 5, order.index("t_123"))]


def test_bytes_that_are_not_utf8() -> None:
    assert SymbolMatcher(["é", "b"]).spans(b"\xff\xc3\xc3\xa9\xa9b\x80") == [(2, 4, 0), (5, 6, 1)]


def test_no_symbols() -> None:
    assert SymbolMatcher([]).spans(b"anything") == []


def test_pickled() -> None:
    assert pickle.loads(pickle.dumps(SymbolMatcher(["ab", "c"]))).spans(b"abc") == [(0, 2, 0), (2, 3, 1)]


def test_symbols_that_cannot_be() -> None:
    with pytest.raises(SpecError, match="empty symbol"):
        SymbolMatcher(["a", ""])
    with pytest.raises(SpecError, match="'a' is given twice"):
        SymbolMatcher(["a", "b", "a"])


@given(st.lists(st.text("ab", min_size=1, max_size=40), unique=True, max_size=8), st.data())
def test_long_symbols_and_leaps(symbols: list[str], data: st.DataObject) -> None:
    pieces = data.draw(st.lists(st.sampled_from([*symbols, "a", "b", "xyz", "-" * 30]), max_size=12))
    text = "".join(pieces).encode()
    matcher = SymbolMatcher(symbols)
    expected = spans(symbols, text)
    assert matcher.spans(text) == expected
    assert leftmost_longest(matcher.matches(text)) == expected


def test_more_spans_than_one_call_gives() -> None:
    assert SymbolMatcher(["ab", "abc"]).spans(b"abcab" * 20_000) == [
        span for i in range(0, 100_000, 5) for span in ((i, i + 3, 1), (i + 3, i + 5, 0))
    ]


def test_symbols_made_to_be_compared_in_vain() -> None:
    """Every place of the text begins 500 symbols that all fail late: the scan gives up, and the automaton takes over."""
    symbols = ["a" * count + "\u0100" for count in range(5, 505)]
    text = ("a" * 30_000 + "\u0100" + "a" * 100).encode()
    matcher = SymbolMatcher(symbols)
    assert matcher._scanner.scan(text, 0, np.empty(300, np.int64).data) == -1
    assert matcher.spans(text) == [(30_000 - 504, 30_002, 499)]


@given(st.lists(st.binary(min_size=1, max_size=12), unique=True, min_size=1, max_size=6), st.data())
def test_scanner_compiled_and_uncompiled_agree(symbols: list[bytes], data: st.DataObject) -> None:
    text = b"".join(data.draw(st.lists(st.sampled_from(symbols) | st.binary(max_size=3), max_size=10)))
    sizes = np.array([len(symbol) for symbol in symbols])
    results = []
    for scanner in (SymbolScanner, load_uncompiled("symbols_cy.py").SymbolScanner):
        made = scanner(
            np.frombuffer(b"".join(symbols), np.uint8), np.append(0, np.cumsum(sizes)), np.argsort(sizes, kind="stable").data,
            np.empty(1 << 14, np.uint8), np.full(1 << 12, -1, np.int32), np.empty(len(symbols), np.int32),
        )  # fmt: skip
        room = np.zeros(60, np.int64)
        count = made.scan(memoryview(text), 0, room.data)
        results.append((count, room[: 3 * max(count, 0)].tolist()))
    assert results[0] == results[1]
