"""Model: the rules that every vocabulary obeys, lookups, equality, immutability."""

import copy
import hashlib
import pickle
from typing import Any

import numpy as np
import pytest

from piecetokenizer.errors import IdError, ModelError
from piecetokenizer.model import Model, Piece, PieceType
from piecetokenizer.normalize import Charsmap
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def columns(*normal: str, **changes: Any) -> dict[str, Any]:
    """The arguments of a small native model: unk, s, /s, the bytes, then the given NORMAL pieces."""
    texts = ["<unk>", "<s>", "</s>", *BYTES, *normal]
    found: dict[str, Any] = {
        "counter": CounterSpec(vocab_size=len(texts)),
        "pretokenizer": PreTokenizerSpec(reconstruct=True),
        "tokenizer": TokenizerSpec(unk_id=0, bos_id=1, eos_id=2),
        "texts": texts,
        "scores": [0.0] * 259 + [-float(rank) for rank in range(len(normal))],
        "types": [2, 3, 3] + [6] * 256 + [1] * len(normal),
    }
    return found | changes


def small(*normal: str, **changes: Any) -> Model:
    return Model(**columns(*normal, **changes))


def refusal(*normal: str, **changes: Any) -> str:
    with pytest.raises(ModelError) as caught:
        small(*normal, **changes)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    return message


def test_columns_and_pieces() -> None:
    model = small("▁t", "he", parts=[None] * 259 + [("▁", "t"), None])
    assert len(model) == 261
    assert model[259] == Piece(259, "▁t", 0.0, PieceType.NORMAL, ("▁", "t"))
    assert model[np.int64(260)] == Piece(260, "he", -1.0, PieceType.NORMAL)
    assert [piece.text for piece in model] == list(model.texts)
    assert [piece.id for piece in model] == list(range(261))
    assert model.id_of("he") == 260
    assert model.id_of("<0x41>") == 3 + 0x41
    assert model.id_of(" t") is None
    assert model.scores.dtype == np.float64
    assert model.types.dtype == np.uint8


@pytest.mark.parametrize("id", [-1, 261, 10**30, True, 1.0, "1", None])
def test_ids_outside_the_vocabulary(id: Any) -> None:
    model = small("▁t", "he")
    with pytest.raises(IdError, match="ids go from 0 to 260"):
        model[id]


def test_a_model_cannot_be_changed() -> None:
    model = small("a")
    with pytest.raises(AttributeError, match="cannot be changed"):
        model.texts = ()
    with pytest.raises(AttributeError, match="cannot be changed"):
        del model.texts
    for column in (model.scores, model.types):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


def test_given_columns_are_copied() -> None:
    scores = np.zeros(260)
    types = np.array([2, 3, 3] + [6] * 256 + [1], dtype=np.uint8)
    model = small("a", scores=scores, types=types)
    scores[259] = 7
    types[259] = 3
    assert model[259] == Piece(259, "a", 0.0, PieceType.NORMAL)


def test_equality_is_of_content() -> None:
    model = small("a", "b")
    assert model == small("a", "b")
    assert hash(model) == hash(small("a", "b"))
    assert model.fingerprint == small("a", "b").fingerprint
    others = [
        small("a", "c"),
        small("b", "a"),
        small("a"),
        small("a", "b", scores=[0.0] * 261),
        small("a", "b", types=[2, 3, 3] + [6] * 256 + [1, 4]),
        small("a", "b", template=""),
        small("a", "b", pretokenizer=PreTokenizerSpec()),
        small("a", "b", counter=CounterSpec()),
        small("a", "b", tokenizer=TokenizerSpec(bos_id=1, eos_id=1)),
        small("a", "ab", parts=[None] * 260 + [("a", "b")]),
    ]
    for other in others:
        assert model != other
        assert model.fingerprint != other.fingerprint
    assert model != "model"


def test_copies_and_pickles() -> None:
    model = small("a", "b", template="{{ x }}\n")
    assert pickle.loads(pickle.dumps(model)) == model
    assert copy.deepcopy(model) == model


def test_the_fingerprint_is_the_sum_of_the_file(tmp_path: Any) -> None:
    model = small("a", "b")
    model.save(tmp_path / "m.model")
    assert model.fingerprint == hashlib.sha256((tmp_path / "m.model").read_bytes()).hexdigest()


def test_replace() -> None:
    model = small("a", "b")
    assert model.replace() == model
    assert model.replace(template="x").template == "x"
    with pytest.raises(ModelError, match="texts"):
        model.replace(texts=["a"])


def test_piece_bytes() -> None:
    types = [2, 3, 3] + [6] * 256 + [1, 3, 1]
    pieces = small("▁x", "▁c d", "\udcff", types=types).piece_bytes()
    assert pieces[:3] == [b"<unk>", b"<s>", b"</s>"]
    assert pieces[3:259] == [bytes([byte]) for byte in range(256)]
    assert pieces[259:] == [b" x", "▁c d".encode(), b"\xff"]


def test_zero_has_one_spelling() -> None:
    model = small("a", scores=[0.0] * 259 + [-0.0])
    assert not np.signbit(model.scores).any()
    assert model == small("a", scores=[0] * 260)


def test_bytes_that_spell_a_character_are_the_character() -> None:
    escaped = "é".encode().decode("ascii", "surrogateescape")
    assert escaped != "é"
    assert small(escaped) == small("é")
    assert "same text" in refusal("é", escaped)
    halves = [None] * 259 + [(escaped[0], escaped[1])]
    assert small("é", parts=halves)[259].parts == (escaped[0], escaped[1])


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -float("inf"), 10**400, "x", None])
def test_scores_are_finite_numbers(score: Any) -> None:
    assert "number" in refusal("a", scores=[0.0] * 259 + [score])


@pytest.mark.parametrize("type", [0, 7, 255, 257, -1, 10**30, 1.5, "normal", None])
def test_types_are_known(type: Any) -> None:
    assert "type" in refusal("a", types=[2, 3, 3] + [6] * 256 + [type])


def test_texts_are_unique() -> None:
    assert refusal("a", "b", "a") == "piece 261 'a' has the same text as piece 259: texts are unique"
    assert "same text as piece 1" in refusal("a", "<s>")
    assert "same text as piece 68" in refusal("<0x41>")


def test_texts_are_texts() -> None:
    assert "is empty" in refusal("")
    assert "is a string" in refusal(7)  # type: ignore[arg-type]
    assert "lone surrogate at character 1" in refusal("a\ud83db")
    assert len(small("é" * 32767 + "a")) == 260
    assert "has 65536 bytes" in refusal("é" * 32768)
    assert "has 1048576 bytes" in refusal("a" * (1 << 20))


def test_normal_pieces_hold_no_real_space() -> None:
    assert "write ▁" in refusal("a b")
    types = [2, 3, 3] + [6] * 256
    for type in (3, 4, 5):
        assert small("a b", types=[*types, type])[259].text == "a b"
    assert "write _" in refusal("a b", pretokenizer=PreTokenizerSpec(space="_"))


def test_parts_join_to_the_piece() -> None:
    none = [None] * 259
    assert "do not join" in refusal("ab", parts=[*none, ("a", "c")])
    assert "do not join" in refusal("ab", parts=[*none, ("ab", "")])
    assert "tuple of two strings" in refusal("ab", parts=[*none, "ab"])
    assert "not normal" in refusal("ab", parts=[*none, ("a", "b")], types=[2, 3, 3] + [6] * 256 + [3])
    assert "entries" in refusal("ab", parts=none)


def test_a_native_vocabulary_has_all_bytes_and_one_unknown() -> None:
    texts = ["<unk>", "<s>", "</s>", *BYTES]
    types = [2, 3, 3] + [6] * 256
    assert "exactly one" in refusal(types=[3, 3, 3] + [6] * 256)
    assert "exactly one" in refusal(types=[2, 2, 3] + [6] * 256)
    assert "<0xFF>" in refusal(texts=texts[:-1], types=types[:-1], scores=[0.0] * 258)
    assert "no byte" in refusal("<0xab>", types=[*types, 6])
    assert "<0x00>" in refusal(types=[2, 3, 3, 1] + [6] * 255)
    imported = TokenizerSpec(semantics="llama", unk_id=-1)
    assert len(small(texts=["a"], types=[1], scores=[0], tokenizer=imported)) == 1


def test_roles_lie_in_the_vocabulary() -> None:
    assert "eos_id=260" in refusal("a", tokenizer=TokenizerSpec(eos_id=260))
    assert "ordinary text" in refusal("a", tokenizer=TokenizerSpec(eos_id=259))
    assert "ordinary text" in refusal("a", tokenizer=TokenizerSpec(pad_id=4))
    assert "unk_id=1" in refusal("a", tokenizer=TokenizerSpec(unk_id=1))
    assert "unk_id=-1" in refusal("a", tokenizer=TokenizerSpec(unk_id=-1))
    assert "suppressed holds 260" in refusal("a", tokenizer=TokenizerSpec(suppressed=(3, 260)))
    both = small("a", tokenizer=TokenizerSpec(bos_id=1, eos_id=1, pad_id=0))
    assert both.tokenizer.eos_id == 1


def test_a_vocabulary_is_not_empty() -> None:
    assert "a vocabulary of 0 pieces" in refusal(texts=[], scores=[], types=[], tokenizer=TokenizerSpec(semantics="llama"))


def test_a_charsmap_goes_with_custom() -> None:
    custom = PreTokenizerSpec(normalization="custom")
    assert "custom" in refusal("a", charsmap_rules={"a": "b"})
    assert "custom" in refusal("a", charsmap=b"blob")
    assert "custom" in refusal("a", pretokenizer=custom)
    assert "custom" in refusal("a", pretokenizer=custom, charsmap=b"blob", charsmap_rules={})
    assert "charsmap: " in refusal("a", pretokenizer=custom, charsmap=b"blob")
    assert "charsmap_rules={}" in refusal("a", pretokenizer=custom, charsmap=b"")
    assert "255" in refusal("a", pretokenizer=custom, charsmap_rules={"x" * 256: "y"})
    blob = Charsmap.from_rules({"a": "b"}).blob
    assert small("a", pretokenizer=custom, charsmap=blob).charsmap == blob
    rules = {"a": "b"}
    model = small("a", pretokenizer=custom, charsmap_rules=rules)
    rules["c"] = "d"
    assert model.charsmap_rules == {"a": "b"}
    for source, target in (("", "x"), ("a", "\ud800"), ("a\0", "b"), (1, "b"), ("a", None)):
        assert "charsmap: found the rule" in refusal("a", pretokenizer=custom, charsmap_rules={source: target})


def test_a_template_is_text() -> None:
    assert "template" in refusal("a", template=b"x")
    assert "character 1" in refusal("a", template="x\ud800")
