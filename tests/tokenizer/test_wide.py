"""Text in one step is what the bytes say, or is left to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.small_models import FIRST_BYTE, small_model
from reference.uncompiled import load_uncompiled

from piecetokenizer.tokenizer import Tokenizer, wide_cy

KERNELS = [wide_cy, load_uncompiled("tokenizer/wide_cy.py")]
CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.sampled_from("a é你\u0800\ud7ff\ue000\uffff😀")
WHOLE = st.text(CHARACTERS, max_size=3) | st.text("ab你", max_size=40)
BYTES = [bytes([byte]) for byte in range(256)]


def decoded(kernel, pieces: list[bytes], ids: list[int]) -> list[tuple[str, bool]]:  # type: ignore[no-untyped-def]
    """The text in parts, and which of them went by bytes."""
    data, offsets = np.frombuffer(b"".join(pieces) + b"\0", np.uint8), np.cumsum([0, *map(len, pieces)])
    slots, briefs, arena = np.zeros(16 * len(pieces), np.uint16), np.zeros(len(pieces), np.uint8), np.zeros(len(data), np.uint16)
    kernel.fill_slots(data.data, offsets.data, slots.data, briefs.data, arena.data)
    array = np.array(ids, np.int32)
    parts = []
    at = 0
    while at < len(ids):
        count, stop, behind = kernel.survey(array.data, at, slots.data, briefs.data)
        assert at <= stop <= behind
        if count >= 0:
            text = kernel.wide_text(array[at:stop].data, slots.data, arena.data, count)
            assert "\u0100" <= max(text) <= "\uffff", "no wider than it has to be"
            assert text == b"".join(pieces[id] for id in ids[at:stop]).decode()
            parts.append((text, False))
            at = stop
        if at < behind:
            parts.append((b"".join(pieces[id] for id in ids[at:behind]).decode(errors="replace"), True))
            at = behind
    return parts


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "not"])
@given(st.lists(WHOLE, max_size=8), st.text(CHARACTERS, max_size=3), st.data())
def test_whole_pieces_and_the_bytes_of_characters(kernel, texts: list[str], rare: str, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    pieces = BYTES + [text.encode() for text in texts]
    choice = [list(character.encode()) for character in rare] + [[256 + i] for i in range(len(texts))]
    ids = [id for part in data.draw(st.lists(st.sampled_from(choice), max_size=12) if choice else st.just([])) for id in part]
    expected = b"".join(pieces[id] for id in ids).decode()
    parts = decoded(kernel, pieces, ids)
    assert "".join(text for text, _ in parts) == expected
    if "\u0100" <= max(expected, default="") <= "\uffff":
        assert parts == [(expected, False)], "all of it in one step"


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "not"])
@given(st.lists(st.binary(max_size=5) | WHOLE.map(str.encode), min_size=1, max_size=8), st.data())
def test_any_pieces(kernel, pieces: list[bytes], data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    ids = data.draw(st.lists(st.integers(0, len(pieces) - 1), max_size=12))
    found = "".join(text for text, _ in decoded(kernel, pieces, ids))
    assert found == b"".join(pieces[id] for id in ids).decode(errors="replace")


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "not"])
def test_every_character_and_what_is_none(kernel) -> None:  # type: ignore[no-untyped-def]
    text = "".join(chr(code) for code in range(0x80, 0x10000) if not 0xD800 <= code < 0xE000)
    assert decoded(kernel, BYTES, list(text.encode())) == [(text, False)]
    for first in range(0x80, 0x100):
        for second in range(0x7F, 0xC1, 5 if kernel is wide_cy else 13):
            data = bytes([first, second, 0x80])
            parts = decoded(kernel, [*BYTES, "你".encode()], [256, *data, 256])
            assert "".join(part for part, _ in parts) == f"你{data.decode(errors='replace')}你", data


PIECES = ["ab", " c", "你好", "é", "😀 ", "a piece that is longer than a slot 你"]
TOKENIZER = Tokenizer(small_model(PIECES, control=["<|end|>"]))


@given(
    st.lists(st.integers(0, len(TOKENIZER) - 1) | st.integers(FIRST_BYTE + 0x80, len(TOKENIZER) - 1), max_size=30), st.sampled_from([1, 40])
)
def test_a_tokenizer_decodes_long_texts_as_the_bytes_say(ids: list[int], times: int) -> None:
    many = np.array(ids * times, np.int32)
    assert TOKENIZER.decode(many) == TOKENIZER.decode_bytes(many).decode(errors="replace")


def test_the_space_that_encoding_put_first_is_left_out_of_long_texts_too() -> None:
    tokenizer = Tokenizer(small_model(["你", " 你"], prefix="text"))
    for text in ("你" * 300, " 你" * 300, "你好" * 300, "ab" * 300):
        assert tokenizer.decode(tokenizer.encode(text)) == text
