"""Checking: each promise of a vocabulary, kept and broken; the replay against the reference and the tokenizer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.encode import encode_segment
from reference.small_models import FIRST, FIRST_BYTE, normal_pieces, small_model

from piecetokenizer.checking import BadParts, Spelled, check
from piecetokenizer.model import Model, PieceType
from piecetokenizer.reach import Replay, Unreachable, unreachable_pieces
from piecetokenizer.spec import TokenizerSpec
from piecetokenizer.tokenizer import Tokenizer


def reasons(model: Model) -> dict[str, str]:
    return {piece.text: piece.reason for piece in unreachable_pieces(model)}


def test_a_sound_model() -> None:
    report = check(small_model(["ab", " ab", "abab", "a", "b", " "], control=["<x>"], user=["New York"]))
    assert report.sound
    assert report.faults == []
    assert report.unreachable == ()
    assert report.lines() == ["267 pieces: bytes complete, scores fall, parts fit, no token can be spelled, every piece is reached"]


def test_missing_bytes() -> None:
    texts = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256) if byte not in (0, 255)), "a"]
    model = small_model([]).replace(
        texts=texts, scores=[0.0] * 256, types=[2] + [6] * 254 + [1], parts=None, tokenizer=TokenizerSpec(semantics="llama")
    )
    report = check(model)
    assert report.missing_bytes == (0, 255)
    assert not report.sound
    assert report.faults[0] == "2 bytes have no piece: <0x00>, <0xFF>"


def test_scores_that_do_not_fall() -> None:
    report = check(small_model({"a": 0.0, "b": -1.0, "c": -1.0, "d": -0.5, "e": -3.0}))
    assert report.not_falling == (FIRST + 2, FIRST + 3)
    assert report.faults == [f"2 scores are not below the score before: pieces {FIRST + 2}, {FIRST + 3}"]


def test_parts_that_cannot_be() -> None:
    model = small_model(["ab", "abc", "cab", "xyz", "a", "b"], control=["xy"])
    parts: list[tuple[str, str] | None] = [None] * FIRST
    parts += [None, ("a", "b"), ("ab", "c"), ("c", "ab"), ("xy", "z"), None, None]
    assert check(model.replace(parts=parts)).bad_parts == (
        BadParts(FIRST + 4, "xyz", "xy", "z", "its part 'xy' is neither a normal piece nor a single character"),
    )
    later = small_model(["abc", "ab", "a", "b", "c"])
    assert check(later.replace(parts=[*[None] * FIRST, ("ab", "c"), ("a", "b"), None, None, None])).bad_parts == (
        BadParts(FIRST, "abc", "ab", "c", "its part 'ab' has no higher score"),
    )


def test_tokens_that_a_text_could_be_merged_into() -> None:
    report = check(small_model(["<e", "od>", "x<e"], control=["<eod>", "<fim>", "†", "a b", "<e>"]))
    assert report.spelled == (
        Spelled(FIRST, "<eod>", "<e", "od>", False),  # of its characters, `od>` is not made: there is no `od` and no `d>`
        Spelled(FIRST + 2, "†", "†", "", True),
        Spelled(FIRST + 4, "<e>", "<e", ">", True),
    )
    assert not report.sound
    assert report.faults[0].startswith("3 tokens can be merged from ordinary text by llama.cpp: 259 '<eod>': from '<e' and 'od>', in some ")
    assert check(small_model(["s>", "<"])).spelled == (Spelled(1, "<s>", "<", "s>", True),)
    assert check(small_model(["0x", "0x4", "0x41", "<0x41"])).spelled == (Spelled(FIRST_BYTE + 0x41, "<0x41>", "<0x41", ">", True),)


def test_why_a_piece_is_not_reached() -> None:
    assert reasons(small_model(["ab", "abcd", "cd"])) == {}
    assert unreachable_pieces(small_model(["ab", "abc", "bc", "abcd"])) == []
    assert unreachable_pieces(small_model(["ab", "bcc", "bc", "abcc"])) == [Unreachable(FIRST + 3, "abcc", "merges", ("ab", "c", "c"))]
    assert reasons(small_model(["a.", ".a", " a", "a "])) == {"a.": "boundary", "a▁": "boundary"}
    assert reasons(small_model(["a.", "a "], split="none")) == {}
    assert reasons(small_model(["'t", "n'", "n.", "12"], split="isolate", digit="split")) == {"n.": "boundary", "12": "boundary"}
    assert reasons(small_model(["你好", "a你"], cn="char")) == {"你好": "boundary", "a你": "boundary"}
    assert reasons(small_model(["你好", "a你"], cn="dict", cn_dict="zh,1,00")) == {"a你": "boundary"}
    assert reasons(small_model(["  ", " "], spaces="run")) == {}
    assert reasons(small_model(["  ", " "], spaces="run", reconstruct=False)) == {"▁▁": "spaces"}
    assert reasons(small_model(["ﬁ", "fi", "é"], normalization="nfkc")) == {"ﬁ": "normalization"}
    custom = small_model(["x", "y"]).replace(
        pretokenizer=small_model([]).pretokenizer.replace(normalization="custom"), charsmap_rules={"x": "y"}
    )
    assert reasons(custom) == {"x": "normalization"}
    assert reasons(small_model(["\udcff", "a"])) == {"\udcff": "not UTF-8"}


def test_symbols_hide_pieces() -> None:
    model = small_model(["ca", "cab", "b", " "], user=["ab", " "])
    assert reasons(model) == {"cab": "user-defined", "▁": "user-defined"}


@given(st.lists(st.text(st.sampled_from("abc"), min_size=1, max_size=5), min_size=1, max_size=14, unique=True), st.data())
def test_replay_is_the_reference_and_the_tokenizer(pieces: list[str], data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.sampled_from([0.0, -1.0, -2.0, -3.5]), min_size=len(pieces), max_size=len(pieces)))
    model = small_model(dict(zip(pieces, scores, strict=True)), split="none")
    text = data.draw(st.text(st.sampled_from("abc"), max_size=14))
    symbols = Replay(model).symbols(text)
    assert "".join(symbols) == text
    ids = []
    for symbol in symbols:
        id = model.id_of(symbol)
        ids += [FIRST_BYTE + byte for byte in symbol.encode()] if id is None else [id]
    assert ids == encode_segment(text, normal_pieces(model), range(FIRST_BYTE, FIRST_BYTE + 256)) == Tokenizer(model).encode(text)
    unreachable = {piece.text for piece in check(model).unreachable}
    for piece in pieces:
        assert (Tokenizer(model).encode(piece) == [model.id_of(piece)]) == (piece not in unreachable)


def test_a_long_piece_takes_no_square() -> None:
    sizes = [1 << power for power in range(16)]
    model = small_model(["a" * size for size in sizes], split="none")
    assert check(model).unreachable == ()
    assert len(Replay(model).symbols("a" * 65535)) == 16


@pytest.mark.parametrize(("semantics", "types", "expected"), [
    ("native", [1, 4, 1], ["ab", "c"]), ("sentencepiece", [1, 4, 1], ["abc"]), ("llama", [1, 3, 1], ["abc"]),
])  # fmt: skip
def test_each_reader_merges_its_own_types(semantics: str, types: list[int], expected: list[str]) -> None:
    model = small_model(["ab", "abc", "c"]).replace(
        tokenizer=TokenizerSpec(semantics=semantics), types=np.array([2, 3, 3] + [6] * 256 + types, dtype=np.uint8)
    )
    assert Replay(model).symbols("abc") == expected


def test_types_have_names() -> None:
    assert [type.label for type in PieceType] == ["normal", "unknown", "control", "user_defined", "unused", "byte"]
