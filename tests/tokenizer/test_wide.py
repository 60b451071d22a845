"""Text in one step is what the bytes say, or is left to them."""

import sys

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


def decoded(kernel, pieces: list[bytes], ids: list[int]) -> str | None:  # type: ignore[no-untyped-def]
    data, offsets = np.frombuffer(b"".join(pieces) + b"\0", np.uint8), np.cumsum([0, *map(len, pieces)])
    slots, briefs, arena = np.zeros(16 * len(pieces), np.uint16), np.zeros(len(pieces), np.uint8), np.zeros(len(data), np.uint16)
    kernel.fill_slots(data.data, offsets.data, slots.data, briefs.data, arena.data)
    text: str | None = kernel.wide_text(np.array(ids, np.int32).data, slots.data, briefs.data, arena.data)
    return text


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "not"])
@given(st.lists(WHOLE, max_size=8), st.text(CHARACTERS, max_size=3), st.data())
def test_whole_pieces_and_the_bytes_of_characters(kernel, texts: list[str], rare: str, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    pieces = BYTES + [text.encode() for text in texts]
    parts = [list(character.encode()) for character in rare] + [[256 + i] for i in range(len(texts))]
    ids = [id for part in data.draw(st.lists(st.sampled_from(parts), max_size=12) if parts else st.just([])) for id in part]
    expected = b"".join(pieces[id] for id in ids).decode()
    found = decoded(kernel, pieces, ids)
    if not "\u0100" <= max(expected, default="") <= "\uffff":
        assert found is None
    else:
        assert found == expected
        assert hash(found) == hash(expected)
        assert sys.getsizeof(found) == sys.getsizeof(expected), "no wider than it has to be"


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "not"])
@given(st.lists(st.binary(max_size=5) | WHOLE.map(str.encode), min_size=1, max_size=8), st.data())
def test_any_pieces(kernel, pieces: list[bytes], data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    ids = data.draw(st.lists(st.integers(0, len(pieces) - 1), max_size=12))
    found = decoded(kernel, pieces, ids)
    assert found is None or found == b"".join(pieces[id] for id in ids).decode()


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "not"])
def test_every_character_and_what_is_none(kernel) -> None:  # type: ignore[no-untyped-def]
    text = "".join(chr(code) for code in range(0x80, 0x10000) if not 0xD800 <= code < 0xE000)
    assert decoded(kernel, BYTES, list(text.encode())) == text
    for first in range(0x80, 0x100):
        for second in range(0x7F, 0xC1, 5 if kernel is wide_cy else 13):
            data = bytes([first, second, 0x80])
            found = decoded(kernel, [*BYTES, "你".encode()], [*data, 256])
            try:
                expected = data.decode() + "你"
            except UnicodeDecodeError:
                expected = None
            assert found == (None if expected is None or max(expected) > "\uffff" else expected), data


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
