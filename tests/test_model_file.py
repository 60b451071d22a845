"""The model file: what is saved is read back as the same model, and a file that breaks a rule is one error that names the line."""

import os
import stat
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecetokenizer.errors import ModelError
from piecetokenizer.model import Model
from piecetokenizer.modelfile import pieces as pieces_section
from piecetokenizer.modelfile.escapes import escape, unescape
from piecetokenizer.modelfile.keys import decimal
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def model(*normal: str, extra: tuple[tuple[str, int], ...] = (), **changes: Any) -> Model:
    """A small native model: unk, s, /s, the bytes, the NORMAL pieces, then pieces of other types."""
    texts = ["<unk>", "<s>", "</s>", *BYTES, *normal, *(text for text, _ in extra)]
    values: dict[str, Any] = {
        "counter": CounterSpec(vocab_size=len(texts)),
        "pretokenizer": PreTokenizerSpec(reconstruct=True),
        "tokenizer": TokenizerSpec(unk_id=0, bos_id=1, eos_id=2),
        "texts": texts,
        "scores": [0.0] * 259 + [-float(rank) for rank in range(len(normal))] + [0.0] * len(extra),
        "types": [2, 3, 3] + [6] * 256 + [1] * len(normal) + [type for _, type in extra],
    }
    return Model(**values | changes)


EXAMPLE = model("▁t", "th", "t", "h", "▁", parts=[None] * 259 + [("▁", "t"), ("t", "h"), None, None, None, None], extra=(("<|user|>", 3),))


def edited(*changes: tuple[str, str], of: Model = EXAMPLE) -> bytes:
    """The file of a model with some of its text replaced, each once."""
    text = of.dumps().decode()
    for old, new in changes:
        assert text.count(old) == 1, (old, text.count(old))
        text = text.replace(old, new)
    return text.encode("utf-8", "surrogateescape")


def refusal(data: bytes) -> str:
    with pytest.raises(ModelError) as caught:
        Model.loads(data, name="m.model")
    message = str(caught.value)
    assert message.startswith("m.model")
    assert message.isprintable(), message
    assert len(message) < 600
    return message


def line_of(text: str, data: bytes | None = None) -> int:
    """The number of the line that is `text`."""
    return (data or EXAMPLE.dumps()).decode().split("\n").index(text) + 1


# ---- what is written


def test_the_file_as_it_is_read_by_people() -> None:
    lines = EXAMPLE.dumps().decode().split("\n")
    assert lines[:3] == ["# piecetokenizer model 1", "[CounterSpec]", "method=sentencepiece"]
    assert [line for line in lines if line.startswith("[")] == ["[CounterSpec]", "[PreTokenizerSpec]", "[TokenizerSpec]", "[Pieces]"]
    for line in ("vocab_size=265", "character_coverage=0.9995", "control=", "space=▁", "reconstruct=1", "cn_dict=", "eot_id=-1"):
        assert lines.count(line) == 1, line
    start = lines.index("[Pieces]")
    assert lines[start + 1] == "size=265"
    assert lines[start + 2] == "0\t<unk>\t0\tunknown"
    assert lines[start + 3] == "1\t<s>\t0\tcontrol"
    assert lines[start + 5] == "3\t<0x00>\t0\tbyte"
    assert lines[start + 261] == "259\t▁t\t0\tnormal\t▁\tt"
    assert lines[start + 262 : start + 264] == ["260\tth\t-1\tnormal\tt\th", "261\tt\t-2\tnormal"]
    assert lines[-2:] == ["264\t<|user|>\t0\tcontrol", ""]


def test_all_options_come_back() -> None:
    changed = EXAMPLE.replace(
        counter=CounterSpec(
            method="imported",
            vocab_size=5,
            soft_vocab_limit=True,
            character_coverage=1.0,
            min_count=(1 << 63) - 1,
            max_piece_size=3,
            required_chars=" \t\n\\=[é\u2028 ",
            unk_piece="[x]",
            user_defined=("New York", "\t", "\n", "a,b", '"', " ", "▁", "x "),
            control=("=", "[Pieces]", " "),
            reserve=3,
            pad_to_multiple=64,
        ),
        pretokenizer=PreTokenizerSpec(
            normalization="custom", space="_", prefix="fragment", split="none", digit="split", cn="dict", spaces="run", cn_dict="a b,3,ff"
        ),
        tokenizer=TokenizerSpec(semantics="llama", add_bos=True, add_eos=True, eot_id=264, fim_sep_id=264, suppressed=(0, 7, 264)),
        charsmap_rules={"e\u0301": "é", "x": "", "\U0001f600": " ", "\n": "\t"},
        template="{% for m in x %}\n[Pieces]\r\n\\x41{{ m }}\t{% endfor %} ",
        texts=[text.replace("▁", "_") for text in EXAMPLE.texts],
        parts=None,
    )
    again = Model.loads(changed.dumps())
    assert again == changed
    assert again.dumps() == changed.dumps()
    blob = bytes(range(256)) * 3
    for size in (1, 56, 57, 58, 768):
        imported = changed.replace(charsmap=blob[:size], charsmap_rules=None)
        assert Model.loads(imported.dumps()) == imported
    without = changed.replace(charsmap_rules={}, template="")
    assert Model.loads(without.dumps()) == without


PIECE_TEXT = st.one_of(
    st.text(min_size=1, max_size=8),
    st.text(st.sampled_from("\\x041 \t\n\r\0\x7f\x85\u2028\u2029\u200b\ufeff▁#=[]<>é𠮷"), min_size=1, max_size=8),
    st.binary(min_size=1, max_size=8).map(lambda data: data.decode("utf-8", "surrogateescape")),
    st.sampled_from(["<0x4g>", "<0x41>\n", "<0xab>", "\\x41", "[Pieces]", "size=3", "# piecetokenizer model 1", "\u3000", "\u00ad", " ", "▁"]),
)


@given(st.lists(PIECE_TEXT, max_size=12, unique=True), st.lists(st.sampled_from([1, 3, 4, 5]), min_size=12, max_size=12), st.randoms())
def test_any_piece_comes_back(texts: list[str], types: list[int], random: Any) -> None:
    pairs = []
    for text, type in zip(texts, types, strict=False):
        if text not in BYTES and text not in ("<unk>", "<s>", "</s>"):
            pairs.append((text, 5 if type == 1 and " " in text else type))
    parts: list[Any] = [None] * 259
    for text, type in pairs:
        cut = random.randrange(len(text))
        parts.append((text[:cut], text[cut:]) if type == 1 and cut else None)
    first = model(extra=tuple(pairs), parts=parts)
    data = first.dumps()
    again = Model.loads(data)
    assert again == first
    assert again.dumps() == data
    assert data.count(b"\n") == len(data.decode().splitlines())  # no text can break its line, for any reader


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_any_score_comes_back(scores: list[float]) -> None:
    first = model(*(f"p{rank}" for rank in range(len(scores))), scores=[0.0] * 259 + scores)
    assert Model.loads(first.dumps()) == first


def test_scores_are_short() -> None:
    for number, written in ((0.0, "0"), (-0.0, "0"), (-31999.0, "-31999"), (0.1, "0.1"), (1e22, "1e+22"), (-1e-7, "-1e-07"), (16777217.0, "16777217")):
        assert decimal(number) == written
        assert float(written) == number


@given(st.text(), st.binary())
def test_escapes_are_one_visible_line_and_come_back(text: str, data: bytes) -> None:
    for source in (text, data.decode("utf-8", "surrogateescape")):
        written = escape(source)
        written.encode()
        assert len(written.splitlines()) <= 1
        assert "\t" not in written
        assert unescape(written) == source


def test_escapes_by_example() -> None:
    assert escape("a\\b\t\n\r\0\x1f\x7f\x85\u2028\u2029") == (
        r"a\x5Cb\x09\x0A\x0D\x00\x1F\x7F\xC2\x85\xE2\x80\xA8\xE2\x80\xA9"
    )
    assert escape(b"\xff\xe2\x80".decode("utf-8", "surrogateescape")) == r"\xFF\xE2\x80"
    assert escape("é▁ \u3000<0x41>") == "é▁ \u3000<0x41>"
    assert unescape(r"\xe2\x80\xa8\x41") == "\u2028A"


# ---- what is refused


def test_cut_anywhere_is_refused() -> None:
    data = EXAMPLE.replace(
        template="x\ny", pretokenizer=PreTokenizerSpec(normalization="custom"), charsmap_rules={"a": "b", "c": ""}
    ).dumps()
    for size in range(len(data)):
        message = refusal(data[:size])
        assert "line" in message or size == 0
    assert Model.loads(data)
