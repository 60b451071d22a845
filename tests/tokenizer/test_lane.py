"""The fast lane gives what the ordinary way gives, and leaves to it what it cannot do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.small_models import small_model

from piecetokenizer.errors import InputError
from piecetokenizer.tokenizer import Tokenizer

PIECES = ["ab", " ab", "a", "  ", "你好", "é", "fi", " t", "th"]
TOKENIZERS = [
    Tokenizer(small_model(PIECES)),
    Tokenizer(small_model(PIECES, reconstruct=False, normalization="nfkc")),
    Tokenizer(small_model(PIECES, tokenizer={"add_bos": True, "add_eos": True})),
]
TEXTS = st.text("ab  你好éﬁt\x00▁ﷺ", max_size=60) | st.text(max_size=30)


def the_ordinary_way(tokenizer: Tokenizer, text: str) -> list[int]:
    """To ask for pieces is not for the lane."""
    ids = map(tokenizer.piece_to_id, tokenizer.encode(text, out="pieces"))
    return [id for id in ids if id is not None]


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=["plain", "rewritten", "bos and eos"])
@given(text=TEXTS)
def test_equals_the_ordinary_way(tokenizer: Tokenizer, text: str) -> None:
    expected = the_ordinary_way(tokenizer, text)
    assert tokenizer.encode(text) == expected
    array = tokenizer.encode(text, out="numpy")
    assert array.dtype == np.int32
    assert array.tolist() == expected


@pytest.mark.parametrize("size", [1, 1023, 1024, 1025, 4094, 4095, 4096, 4097, 70_000])
@pytest.mark.parametrize("unit", ["a", "ab ", "ﷺ", "你", "x" * 1500 + " "])
def test_any_length_on_a_fresh_and_on_a_used_tokenizer(unit: str, size: int) -> None:
    text = (unit * (size // len(unit) + 1))[:size]
    for model in (small_model(PIECES, normalization="nfkc"), small_model(PIECES, split="none")):
        tokenizer = Tokenizer(model)
        first = tokenizer.encode(text)
        assert first == tokenizer.encode(text) == the_ordinary_way(tokenizer, text)
        assert tokenizer.encode("ab ab") == the_ordinary_way(tokenizer, "ab ab"), "and afterwards a short one"


def test_a_result_is_the_callers_own() -> None:
    tokenizer = TOKENIZERS[0]
    one = tokenizer.encode("ab ab", out="numpy")
    kept = one.tolist()
    one[:] = 0
    assert tokenizer.encode("ab ab", out="numpy").tolist() == kept


def test_a_lone_surrogate_is_refused_and_forgotten() -> None:
    tokenizer = TOKENIZERS[0]
    with pytest.raises(InputError, match="character 1"):
        tokenizer.encode("a\ud800b")
    assert tokenizer.encode("a\ud800b", errors="replace") == tokenizer.encode("a\ufffdb")
    assert tokenizer.encode("ab") == the_ordinary_way(tokenizer, "ab")
