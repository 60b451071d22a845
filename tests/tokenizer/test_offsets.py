"""Spans of the original text: they lie within it, never go backwards, and say where each id comes from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.small_models import small_model

from piecetokenizer.errors import InputError
from piecetokenizer.tokenizer import Tokenizer

PIECES = ["ab", " ab", " ", "a", "你好", "fi"]
EXACT = Tokenizer(small_model(PIECES, user=["New York"]))
TRIMMED = Tokenizer(small_model(PIECES, user=["New York"], reconstruct=False))
REWRITTEN = Tokenizer(small_model(PIECES, user=["New York"], reconstruct=False, normalization="nmt_nfkc"))
TEXT = st.text("ab 你好é😀\ufb01\u0007\u3000①", max_size=25) | st.sampled_from(["x  New York  <s> ", "  ", "<s>", ""])


def spelt(tokenizer: Tokenizer, text: str, **options: object) -> list[tuple[str, str]]:
    """Each piece, and the text of its span."""
    ids, spans = tokenizer.encode_with_offsets(text, **options)  # type: ignore[arg-type]
    return [(piece, text[start:end]) for piece, (start, end) in zip(tokenizer.id_to_piece(ids), spans, strict=True)]


@pytest.mark.filterwarnings("ignore:the text begins with")
@given(TEXT, st.booleans(), st.sampled_from(["text", "parse"]))
def test_spans_lie_in_the_text_and_go_forward(text: str, around: bool, special: str) -> None:
    for tokenizer in (EXACT, TRIMMED, REWRITTEN):
        ids, spans = tokenizer.encode_with_offsets(text, bos=around, eos=around, special=special)  # type: ignore[arg-type]
        assert ids == tokenizer.encode(text, bos=around, eos=around, special=special)  # type: ignore[call-overload]
        assert len(spans) == len(ids)
        last = (0, 0)
        for start, end in spans:
            assert 0 <= start <= end <= len(text)
            assert start >= last[0]
            assert end >= last[1]
            last = (start, end)


@given(TEXT)
def test_without_rewriting_the_spans_are_what_the_ids_print(text: str) -> None:
    ids, spans = EXACT.encode_with_offsets(text)
    for id, (start, end) in zip(ids, spans, strict=True):
        printed = EXACT.decode_bytes([id])
        whole = text[start:end]
        assert whole.encode() == printed or (len(whole) == 1 and printed in whole.encode())
    assert {place for start, end in spans for place in range(start, end)} == set(range(len(text)))


def test_bytes_of_a_character_have_its_span() -> None:
    assert spelt(EXACT, "a😀b") == [("a", "a"), ("<0xF0>", "😀"), ("<0x9F>", "😀"), ("<0x98>", "😀"), ("<0x80>", "😀"), ("<0x62>", "b")]


def test_a_space_has_its_run_and_what_is_trimmed_belongs_to_nobody() -> None:
    assert spelt(TRIMMED, "  a    b  ") == [("a", "a"), ("▁", "    "), ("<0x62>", "b")]
    assert TRIMMED.encode_with_offsets("   ") == ([], [])
    assert spelt(TRIMMED, "a  New York  a") == [("a", "a"), ("▁", "  "), ("New York", "New York"), ("▁", "  "), ("a", "a")]


def test_rewritten_characters() -> None:
    assert spelt(REWRITTEN, "a\ufb01a") == [("a", "a"), ("fi", "\ufb01"), ("a", "a")]
    assert spelt(REWRITTEN, "a\u3000\u3000a") == [("a", "a"), ("▁", "\u3000\u3000"), ("a", "a")]
    assert spelt(REWRITTEN, "aa\u0007c") == [("a", "a"), ("a", "a\u0007"), ("<0x63>", "c")], "what is removed belongs to what is before it"
    assert spelt(REWRITTEN, "①") == [("<0x31>", "①")]


def test_special_tokens_bos_and_eos() -> None:
    assert spelt(EXACT, "你好<s>New York", special="parse") == [("你好", "你好"), ("<s>", "<s>"), ("New York", "New York")]
    ids, spans = EXACT.encode_with_offsets("你好", bos=True, eos=True)
    assert (ids[0], spans[0], ids[-1], spans[-1]) == (1, (0, 0), 2, (2, 2))
    assert EXACT.encode_with_offsets("", bos=True, eos=True) == ([1, 2], [(0, 0), (0, 0)])


def test_parts_count_as_one_text() -> None:
    assert EXACT.encode_with_offsets([("a", False), ("b<s>", True)])[1] == [(0, 2), (2, 5)]


def test_lone_surrogates() -> None:
    with pytest.raises(InputError, match="character 1"):
        EXACT.encode_with_offsets("a\ud800b")
    assert EXACT.encode_with_offsets("a\ud800b", errors="replace")[1] == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]
