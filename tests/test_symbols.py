"""SymbolMatcher against a direct reading of its rule."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.scan import spans

from piecetokenizer.errors import SpecError
from piecetokenizer.symbols import SymbolMatcher


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
