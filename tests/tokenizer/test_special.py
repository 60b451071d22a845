"""Special tokens in text: text is text unless asked, and user-defined symbols always match."""

import random
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.small_models import FIRST, small_model

from piecetokenizer.errors import InputError, SpecError
from piecetokenizer.tokenizer import Tokenizer

MODEL = small_model([" a", "hi", " hi", "<s", "<s>x"], control=["<|end|>", "<|end|><|end|>"], user=["New York", "t_1", "t_12", "t_123"])
TOKENIZER = Tokenizer(MODEL)
END, TWO_ENDS, NEW_YORK, T_1, T_12, T_123 = range(FIRST, FIRST + 6)


def pieces(text: object, **options: object) -> list[str]:
    return TOKENIZER.encode(text, out="pieces", **options)  # type: ignore[call-overload, no-any-return]


def test_control_tokens_are_text_unless_asked() -> None:
    text = "<s>hi</s><|end|>"
    ids = TOKENIZER.encode(text)
    assert not {0, 1, 2, END, TWO_ENDS} & set(ids)
    assert TOKENIZER.decode(ids) == text
    assert pieces(text, special="parse") == ["<s>", "hi", "</s>", "<|end|>"]
    assert pieces("a<|end|><|end|><|end|>", special="parse") == ["<0x61>", "<|end|><|end|>", "<|end|>"]


def test_error_names_token_and_place() -> None:
    with pytest.raises(InputError, match=r"control token '<\|end\|>' at character 3"):
        TOKENIZER.encode("你好 <|end|>", special="error")
    assert pieces("hi New York", special="error") == ["hi", "<0x20>", "New York"]
    with pytest.raises(SpecError, match="special='on' is not allowed"):
        TOKENIZER.encode("hi", special="on")  # type: ignore[call-overload]


def test_unknown_is_never_parsed() -> None:
    assert 0 not in TOKENIZER.encode("<unk>", special="parse")


def test_parts_are_one_text_and_only_trusted_ones_are_parsed() -> None:
    assert pieces([("<s>", True), ("<s>hi", False)]) == ["<s>", *pieces("<s>hi")]
    assert pieces([("<|e", True), ("nd|>", True)]) == ["<|end|>"], "the edge of a part is no boundary"
    assert pieces([("<|e", True), ("nd|>", False)]) == pieces("<|end|>"), "not wholly inside trusted text"
    assert pieces([("h", False), ("i", True)]) == ["hi"]
    assert pieces([("<|end|>", True), ("<|end|>", False)]) == ["<|end|>", *pieces("<|end|>")], "a refused match hides no shorter one"
    assert pieces([("t_", False), ("123", True)]) == ["t_123"], "user-defined ones match anywhere"
    assert pieces([]) == []
    with pytest.raises(InputError, match="at character 5"):
        TOKENIZER.encode([("<s>hi", True), ("<s>", False)], special="error")


@pytest.mark.parametrize("parts", [[("a", 1)], [("a",)], ["a"], [["a", True]], 5, None, {"a": True}])
def test_what_is_no_parts(parts: object) -> None:
    with pytest.raises(InputError):
        TOKENIZER.encode(parts)  # type: ignore[call-overload]


def test_many_texts_are_for_encode_batch() -> None:
    with pytest.raises(InputError, match="encode_batch"):
        TOKENIZER.encode(["hi", "New York"])  # type: ignore[call-overload]


def test_a_path_is_no_model() -> None:
    with pytest.raises(TypeError, match=r"Tokenizer\.load\(path\)"):
        Tokenizer("my.model")  # type: ignore[arg-type]


def test_user_defined_ones_match_longest_at_the_leftmost_place() -> None:
    assert pieces("x New York y") == [*pieces("x "), "New York", *pieces(" y")]
    assert pieces("t_123t_12t_1") == ["t_123", "t_12", "t_1"]
    assert TOKENIZER.decode(TOKENIZER.encode("x New York y t_1234")) == "x New York y t_1234"


@given(st.lists(st.text("abc ", min_size=1, max_size=4), min_size=1, max_size=8, unique=True), st.text("abc ", max_size=30), st.randoms())
def test_order_of_definition_decides_nothing(symbols: list[str], text: str, shuffle: random.Random) -> None:
    shuffled = list(symbols)
    shuffle.shuffle(shuffled)
    normal = [piece for piece in ("aab", "b c") if piece not in symbols]
    one, other = (Tokenizer(small_model(normal, user=order)) for order in (symbols, shuffled))
    expected: list[str] = []
    rest = text
    while rest:  # leftmost-longest by definition
        here = [symbol for symbol in symbols if rest.startswith(symbol)]
        expected.append(max(here, key=len) if here else rest[0])
        rest = rest[len(expected[-1]) :]
    for tokenizer in (one, other):
        of_symbols = range(FIRST, FIRST + len(symbols))
        found = tokenizer.id_to_piece([id for id in tokenizer.encode(text) if id in of_symbols])
        assert found == [part for part in expected if part in symbols]
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_only_the_ends_of_the_text_are_trimmed() -> None:
    tokenizer = Tokenizer(small_model(["a", " ", "  "], user=["#"], reconstruct=False, spaces="run"))
    assert tokenizer.encode("  a  #  a  ", out="pieces") == ["a", "▁", "#", "▁", "a"]
    assert tokenizer.encode("  #  ", out="pieces") == ["#"]
    assert tokenizer.encode(" <s> ", out="pieces", special="parse") == ["<s>"]


def test_a_doubled_bos_is_warned_about_once() -> None:
    tokenizer = Tokenizer(MODEL)
    with pytest.warns(UserWarning, match="begins with '<s>'"):
        assert tokenizer.encode("<s>hi", special="parse", bos=True)[:2] == [1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tokenizer.encode("<s>hi", special="parse", bos=True)
        Tokenizer(MODEL).encode("<s>hi", bos=True)
        Tokenizer(MODEL).encode("<s>hi", special="parse")
