"""Encoding equals the replay by definition, whatever the vocabulary, and decoding gives the text back."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.encode import encode_segment
from reference.small_models import FIRST, FIRST_BYTE, normal_pieces, small_model

from piecetokenizer.errors import InputError, SpecError
from piecetokenizer.model import Model
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.tokenizer import Tokenizer

BYTES = list(range(FIRST_BYTE, FIRST_BYTE + 256))
ALPHABETS = ["ab", "abc ", "aé你😀", "▁ a", "你好世界 一"]


@st.composite
def vocabularies(draw: st.DrawFn) -> tuple[dict[str, float], str]:
    """Pieces over a small alphabet with arbitrary scores, and the alphabet; characters of pieces may be no pieces."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    letters = alphabet.replace("▁", "")  # in a piece it is the space
    texts = draw(st.lists(st.text(letters, min_size=1, max_size=6), max_size=25, unique=True))
    scores = draw(st.lists(st.sampled_from([0.0, -1.0, -2.5]) | st.integers(-50, 0).map(float), min_size=len(texts), max_size=len(texts)))
    return dict(zip(texts, scores, strict=True)), alphabet


def by_definition(model: Model, text: str) -> list[int]:
    """Segments, each replayed by the reference."""
    pieces = normal_pieces(model)
    return [id for segment in PreTokenizer(model.pretokenizer).pretokenize(text) for id in encode_segment(segment, pieces, BYTES)]


@given(vocabularies(), st.data(), st.sampled_from(["word", "space", "none"]))
def test_equals_the_naive_replay(vocabulary: tuple[dict[str, float], str], data: st.DataObject, split: str) -> None:
    pieces, alphabet = vocabulary
    model = small_model(pieces, split=split)
    tokenizer = Tokenizer(model)
    for text in data.draw(st.lists(st.text(alphabet, max_size=90), min_size=1, max_size=4)):
        ids = tokenizer.encode(text)
        assert ids == by_definition(model, text)
        assert tokenizer.encode(text) == ids, "the second time from the cache"
        assert tokenizer.decode(ids) == text


@pytest.mark.parametrize(
    ("pieces", "text", "expected"),
    [
        (["ug", "un", "hug", "t"], "thug", ["t", "hug"]),
        (["bc", "ab", "a"], "abc", ["a", "bc"]),
        (["aa", "a"], "aaaaa", ["aa", "aa", "a"]),
        (["aa", "aaaa", "a"], "aaaaaaa", ["aaaa", "aa", "a"]),
        (["ab", "b c"], "ab c", ["ab", "<0x20>", "<0x63>"]),
    ],
    ids=["hug", "best score anywhere first", "leftmost of equal", "and again", "not across a segment"],
)
def test_order_of_merges(pieces: list[str], text: str, expected: list[str]) -> None:
    assert Tokenizer(small_model(pieces)).encode(text, out="pieces") == expected


@pytest.mark.parametrize(
    "text",
    ["abc▁d d", "<0x41>", "<0x0A>", "<s>hi</s>", "a\0b", "a\tb\r\nc\n\nd", "  hi  ", " ", "",
     "👨‍👩‍👧 👍🏽 🇳🇱 ❤️ e\u0301", "\ufeffa\u200bb\u2028"],
)  # fmt: skip
def test_round_trip_of_what_looks_special(text: str) -> None:
    tokenizer = Tokenizer(small_model(["hi", " d", "s>", "41"]))
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert not {0, 1, 2} & set(ids)


def test_a_literal_space_symbol_is_no_space() -> None:
    tokenizer = Tokenizer(small_model([" a", " ", "a"]))
    assert tokenizer.encode("▁a", out="pieces") == ["<0xE2>", "<0x96>", "<0x81>", "a"]
    assert tokenizer.encode(" a", out="pieces") == ["▁a"]


def test_bos_and_eos() -> None:
    model = small_model(["ab"])
    plain, marked = Tokenizer(model), Tokenizer(model.replace(tokenizer=model.tokenizer.replace(add_bos=True, add_eos=True)))
    assert plain.encode("ab") == [FIRST]
    assert plain.encode("ab", bos=True) == [1, FIRST]
    assert plain.encode("ab", eos=True, bos=True) == [1, FIRST, 2]
    assert marked.encode("ab") == [1, FIRST, 2]
    assert marked.encode("ab", bos=False) == [FIRST, 2]
    assert marked.encode("") == [1, 2]
    assert marked.decode([1, FIRST, 2]) == "ab"


def test_bos_without_one_is_refused() -> None:
    model = small_model(["ab"], tokenizer={"bos_id": -1})
    with pytest.raises(SpecError, match="bos=True is not allowed: this model has no bos piece"):
        Tokenizer(model).encode("ab", bos=True)


def test_kinds_of_output() -> None:
    tokenizer = Tokenizer(small_model(["ab", " c"]))
    array = tokenizer.encode("ab c", out="numpy")
    assert array.dtype == np.int32
    assert array.tolist() == [FIRST, FIRST + 1]
    assert tokenizer.encode("ab c", out="pieces") == ["ab", "▁c"]
    with pytest.raises(SpecError, match="out='ids' is not allowed"):
        tokenizer.encode("ab c", out="ids")  # type: ignore[arg-type]


def test_lone_surrogates_and_bytes() -> None:
    tokenizer = Tokenizer(small_model(["ab"]))
    with pytest.raises(InputError, match="character 1"):
        tokenizer.encode("a\ud800b")
    assert tokenizer.decode(tokenizer.encode("a\ud83d\udc4db", errors="replace")) == "a\ufffd\ufffdb"
    with pytest.raises(InputError, match="byte 0xFF at byte 2"):
        tokenizer.encode(b"ab\xff\xfecd")
    assert tokenizer.decode(tokenizer.encode(b"ab\xff\xfecd", errors="replace")) == "ab\ufffd\ufffdcd"
    with pytest.raises(InputError, match="not a text"):
        tokenizer.encode(5)  # type: ignore[arg-type]


def test_an_error_leaves_the_tokenizer_usable() -> None:
    tokenizer = Tokenizer(small_model(["ab"]))
    for _ in range(3):
        with pytest.raises(InputError):
            tokenizer.encode("\udfff")
        assert tokenizer.encode("ab") == [FIRST]


def test_long_texts_take_many_windows() -> None:
    model = small_model(["ab", " ab", "abab", "你好"])
    tokenizer = Tokenizer(model)
    text = "ab abab 你好," * 30_000
    once = by_definition(model, "ab abab 你好,")
    array = tokenizer.encode(text, out="numpy")
    assert array.tolist() == once * 30_000
    assert tokenizer.encode(text) == once * 30_000
    assert tokenizer.encode("ab") == [FIRST], "and the workspace goes back to short texts"


def test_pickle() -> None:
    tokenizer = Tokenizer(small_model(["ab", " c"]))
    again = pickle.loads(pickle.dumps(tokenizer))
    assert again.encode("ab c") == tokenizer.encode("ab c")
    assert again == tokenizer
    assert hash(again) == hash(tokenizer)


def test_ids_and_pieces_of_many_at_once() -> None:
    tokenizer = Tokenizer(small_model([" a", "hi"]))
    ids = tokenizer.encode("hi a", out="numpy")
    pieces = tokenizer.encode("hi a", out="pieces")
    assert tokenizer.id_to_piece(ids) == tokenizer.id_to_piece(ids.tolist()) == pieces
    assert tokenizer.piece_to_id(pieces) == ids.tolist()
    assert tokenizer.piece_to_id(["hi", "no such piece"]) == [tokenizer.piece_to_id("hi"), None]


def test_a_huge_text_leaves_no_large_buffers_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("piecetokenizer.tokenizer.workspace._LARGE", 1 << 17)
    tokenizer = Tokenizer(small_model(["ab", "aa"]))
    engine = tokenizer._engine
    for text, kept in (("ab" * 1000, True), ("ab " * 100_000, False), ("a" * 140_000, False), ("ab", True)):
        for out in ("list", "numpy"):
            assert tokenizer.decode(tokenizer.encode(text, out=out)) == text  # type: ignore[call-overload]
            work = engine.pool.take()
            assert (work is not None) == kept
            if kept:
                assert work.out is work.kept
                engine.pool.give(work)
