"""utf8_of is str.encode, for texts of every width."""

from hypothesis import given
from hypothesis import strategies as st
from reference.uncompiled import load_uncompiled

from piecetokenizer.tokenizer.text_cy import utf8_of

RUNS = st.text("ab", max_size=20) | st.text("aé", max_size=3) | st.text("—你\uffff", max_size=3)
WIDE = RUNS | st.sampled_from(["😀", "\U0010ffff"])
BROKEN = WIDE | st.sampled_from(["\ud800", "\udfff"])


@given(st.lists(RUNS, max_size=30) | st.lists(WIDE, max_size=30) | st.lists(BROKEN, max_size=30), st.sampled_from([0, 230, 4096]))
def test_equals_str_encode(runs: list[str], filling: int) -> None:
    text = "x" * filling + "".join(runs) + "y" * filling
    try:
        expected = text.encode()
    except UnicodeEncodeError:
        expected = None
    assert utf8_of(text) == expected
    assert load_uncompiled("tokenizer/text_cy.py").utf8_of(text) == expected


def test_every_character() -> None:
    text = "".join(chr(code) + "." * 30 for code in range(0, 0x110000, 7) if not 0xD800 <= code < 0xE000)
    assert utf8_of(text) == text.encode()
    narrow = "".join(chr(code) + "." * 30 for code in range(0, 0x10000, 3) if not 0xD800 <= code < 0xE000)
    assert utf8_of(narrow) == narrow.encode()
