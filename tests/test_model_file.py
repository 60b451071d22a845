"""The model file: what is saved is read back as the same model, by the kernel as by the line, and docs/model-file.md says how it looks."""

import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.model_files import BYTES, EXAMPLE, edited, model, refusal

from piecetokenizer.errors import ModelError
from piecetokenizer.model import Model
from piecetokenizer.modelfile.escapes import escape, unescape
from piecetokenizer.modelfile.keys import decimal, format_spec
from piecetokenizer.normalize import Charsmap
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec


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
    for target in ("x", "xy", "xyz", "xyzz" * 57):
        imported = changed.replace(charsmap=Charsmap.from_rules({"a": target}).blob, charsmap_rules=None)
        assert Model.loads(imported.dumps()) == imported
    without = changed.replace(charsmap_rules={}, template="")
    assert Model.loads(without.dumps()) == without


PIECE_TEXT = st.one_of(
    st.text(min_size=1, max_size=8),
    st.text(st.sampled_from("\\x041 \t\n\r\0\x7f\x85\u2028\u2029\u200b\ufeff▁#=[]<>é𠮷"), min_size=1, max_size=8),
    st.binary(min_size=1, max_size=8).map(lambda data: data.decode("utf-8", "surrogateescape")),
    st.sampled_from(["<0x4g>", "<0x41>\n", "<0xab>", "\\x41", "[Pieces]", "size=3", "# a", "\u3000", "\xad", " ", "▁"]),
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
    numbers = {0.0: "0", -31999.0: "-31999", 0.1: "0.1", 1e22: "1e+22", -1e-7: "-1e-07", 16777217.0: "16777217"}
    assert decimal(-0.0) == "0"
    for number, written in numbers.items():
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


def test_hostile_sizes_cost_nothing() -> None:
    million_lines = EXAMPLE.dumps().replace(b"size=265", b"size=16777216") + b"\n" * 10_000_000
    long_line = edited(("261\tt\t-2\tnormal", "261\t" + "t" * 30_000_000))
    long_escapes = edited(("261\tt\t-2\tnormal", "261\t" + "\\x41" * 5_000_000 + "\t-2\tnormal"))
    long_key = edited(("cn_dict=", "cn_dict=" + "x" * 30_000_000))
    fields = edited(("261\tt\t-2\tnormal", "261" + "\t" * 30_000_000))
    tracemalloc.start()
    try:
        for data in (million_lines, long_line, long_escapes, long_key, fields):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            refusal(data)
            assert tracemalloc.get_traced_memory()[1] - before < 12 * len(data)
    finally:
        tracemalloc.stop()


def test_the_documentation_names_every_key_and_its_default(root: Path) -> None:
    text = (root / "docs" / "model-file.md").read_text()
    for spec in (CounterSpec(), PreTokenizerSpec(), TokenizerSpec()):
        section = text.partition(f"## [{type(spec).__name__}]")[2].partition("\n## ")[0]
        rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]
        listed: dict[str, str] = {}
        for names, _, default in rows:
            keys = names.strip("| ").replace("`", "").split()
            defaults = default.strip("| ").replace("`", "").split() or [""]
            listed |= zip(keys, defaults * len(keys) if len(defaults) == 1 else defaults, strict=False)
        written = dict(line.split("=", 1) for line in format_spec(spec).splitlines())
        assert list(listed) == list(written)
        assert [value.replace("none", "") for value in listed.values()] == [value.replace("none", "") for value in written.values()]


def test_the_error_that_the_documentation_shows() -> None:
    data = edited(("264\t<|user|>", "264\tx\t0\tcontrol\n266\t<|user|>"))
    with pytest.raises(ModelError) as caught:
        Model.loads(data, name="tiny.model")
    shown = "tiny.model, line 317: found id '266', expected 265: ids count up from 0"
    assert str(caught.value) == shown
    assert shown in (Path(__file__).parent.parent / "docs" / "model-file.md").read_text()
