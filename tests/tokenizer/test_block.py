"""encode_block: the texts of a block, as encode_batch gives them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecetokenizer import Tokenizer, train
from piecetokenizer.errors import InputError

TEXTS = ["the cat sat on the mat", "that hat is the cat's hat", "  你好  ▁"] * 5
PLAIN = Tokenizer(train(iter(TEXTS), vocab_size=290, reconstruct=True, soft_vocab_limit=True))
SPECIAL = Tokenizer(train(iter(TEXTS), vocab_size=290, user_defined=["at s"], control=["<c>"], soft_vocab_limit=True))


@given(
    texts=st.lists(st.text("the cat▁<>你 \n", max_size=12) | st.sampled_from(["", "<c>", "at s"]), max_size=8),
    between=st.text("\r\n你", max_size=2),
    bos=st.booleans(),
    eos=st.booleans(),
    special=st.sampled_from(["text", "parse"]),
)
@pytest.mark.parametrize("tokenizer", [PLAIN, SPECIAL])
def test_equals_encode_batch(tokenizer, texts, between, bos, eos, special):
    data, starts, stops = between.encode(), [], []
    for text in texts:
        starts.append(len(data))
        data += text.encode()
        stops.append(len(data))
        data += between.encode()
    found = tokenizer.encode_block(data, np.array(starts, np.int64), np.array(stops, np.int64), bos=bos, eos=eos, special=special)
    expected = tokenizer.encode_batch(texts, out="flat", bos=bos, eos=eos, special=special)
    assert found.ids.tolist() == expected.ids.tolist()
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert (found.ids.dtype, found.offsets.dtype) == (np.int32, np.int64)


def test_texts_may_overlap_and_come_in_any_order():
    found = PLAIN.encode_block(b"the cat", np.array([4, 0, 0]), np.array([7, 7, 3]))
    assert np.split(found.ids, found.offsets[1:-1])[1].tolist() == PLAIN.encode("the cat")
    assert found.offsets[3] == sum(len(PLAIN.encode(text)) for text in ("cat", "the cat", "the"))


def test_what_lies_between_texts_may_be_anything():
    found = PLAIN.encode_block(b"\xffthe\xfe cat", np.array([1, 5]), np.array([4, 9]))
    assert found.ids.tolist() == PLAIN.encode("the") + PLAIN.encode(" cat")


@pytest.mark.parametrize(
    ("data", "starts", "stops", "word"),
    [
        (b"abc", [0], [4], "text 0"),
        (b"abc", [0, -1], [1, 2], "text 1"),
        (b"abc", [2], [1], "from 2 to 1"),
        (b"abc", [0, 1], [1], "shape"),
        (b"xa\xffc", [0, 1], [1, 4], "text 1 of the block is not UTF-8: byte 0xFF at byte 2"),
        ("a你b".encode(), [0, 2], [1, 5], "text 1 of the block is not UTF-8"),
        ("a你b".encode(), [0], [3], "text 0 of the block is not UTF-8"),
    ],
)
def test_what_is_no_block(data, starts, stops, word):
    with pytest.raises(InputError, match=word):
        PLAIN.encode_block(data, np.array(starts), np.array(stops))
    with pytest.raises(InputError):
        SPECIAL.encode_block(data, np.array(starts), np.array(stops))
    assert PLAIN.encode_block(b"the", np.array([0]), np.array([3])).ids.tolist() == PLAIN.encode("the")
