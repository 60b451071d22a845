"""Texts and rules that meet each other: few characters, chosen for what a rule, a space or a block's edge can do to them."""

from hypothesis import strategies as st

SPACES = [" ", "  ", " " * 70]
PLAIN = ["a", "b", "0", "xyz" * 30, "\0", "\n", "中", "文字" * 15, "▁", "😀", "\u07ff", "\uffff", "\U0010ffff"]
REWRITTEN = ["ﬁ", "ﷺ", "①", "Ａ", "\u00a0", "\u3000", "\t", "\x01", "\u200b", "\u00a8", "S", "ſ", "\u1e9b", "한", "\u212b"]
MARKED = ["e\u0301", "a\u0307\u0323", "\u1100\u1161\u11a8", "か\u3099", "\u0301", "\u0323", "\u11a8", "é\u0323", " \u0301", "ﬁ\u0301"]
INVALID = [b"\xff", b"\xc0\x80", b"\xe4\xb8", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf0\x9f\x9a", b"\x80", b"\xe4"]
INVALID += [b"\xf0\x80\x80\x80", b"\xc2", b"\xf5"]

valid_parts = st.one_of(st.sampled_from(SPACES + PLAIN + REWRITTEN + MARKED), st.text(st.characters(codec="utf-8"), max_size=3))
texts = st.lists(valid_parts, max_size=25).map("".join)
byte_texts = st.lists(st.one_of(valid_parts.map(str.encode), st.sampled_from(INVALID), st.binary(max_size=3)), max_size=25).map(b"".join)

RULE_CHARACTERS = "ab. é中\u0301\u0323😀A"
rule_texts = st.text(RULE_CHARACTERS, max_size=4)
rules = st.dictionaries(rule_texts.filter(bool), rule_texts | st.just("x" * 40), max_size=12)
texts_for_rules = st.lists(
    st.one_of(st.text(RULE_CHARACTERS, max_size=8), st.sampled_from(SPACES + PLAIN)).map(str.encode) | st.sampled_from(INVALID), max_size=20
).map(b"".join)
flags = st.integers(0, 7)
