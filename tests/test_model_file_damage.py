"""A model file that breaks a rule is one error that names the line, what was found and what was expected: cut short, edited, hostile."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.model_files import EXAMPLE, edited, line_of, refusal

from piecetokenizer.errors import ModelError
from piecetokenizer.model import Model
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec


def test_cut_anywhere_is_refused() -> None:
    data = EXAMPLE.replace(
        template="x\ny", pretokenizer=PreTokenizerSpec(normalization="custom"), charsmap_rules={"a": "b", "c": ""}
    ).dumps()
    bytes_begin, bytes_end = data.index(b"10\t<0x07>"), data.index(b"250\t<0xF7>")  # 240 lines that are alike
    for size in (*range(bytes_begin), *range(bytes_begin, bytes_end, 31), *range(bytes_end, len(data))):
        message = refusal(data[:size])
        assert "line" in message or size == 0
    assert Model.loads(data)


@pytest.mark.parametrize(
    ("old", "new", "found", "line"),
    [
        ("# piecetokenizer model 1", "# piecetokenizer model 2", "version 2", 1),
        ("# piecetokenizer model 1", "# piecetokenizer model x", "not a piecetokenizer model file", 1),
        ("# piecetokenizer model 1\n", "", "'[CounterSpec]'", 1),
        ("[CounterSpec]", "[Counter]", "sections are CounterSpec", 2),
        ("[CounterSpec]", "", "expected [CounterSpec]", 2),
        ("[CounterSpec]", "[TokenizerSpec]", "one order", 2),
        ("[PreTokenizerSpec]", "[CounterSpec]\n[PreTokenizerSpec]", "expected [PreTokenizerSpec]", line_of("[PreTokenizerSpec]")),
        ("[Pieces]", "[Extra]\nx=1\n[Pieces]", "sections are", line_of("[Pieces]")),
        ("vocab_size=265", "vocab_size=265\nvocab_sizes=1", "the key 'vocab_sizes'", line_of("vocab_size=265") + 1),
        ("vocab_size=265", "vocab_size=265\nvocab_size=265", f"first in line {line_of('vocab_size=265')}", line_of("vocab_size=265") + 1),
        ("vocab_size=265\n", "", "without vocab_size", line_of("[PreTokenizerSpec]") - 1),
        ("vocab_size=265", "vocab_size", "expected key=value", line_of("vocab_size=265")),
        ("vocab_size=265", "", "found ''", line_of("vocab_size=265")),
        ("vocab_size=265", "# a note", "expected key=value", line_of("vocab_size=265")),
        ("vocab_size=265", " vocab_size=265", "the key ' vocab_size'", line_of("vocab_size=265")),
        ("vocab_size=265", "vocab_size=0", "vocab_size=0 is not allowed", line_of("vocab_size=265")),
        ("vocab_size=265", "vocab_size=265.0", "whole number", line_of("vocab_size=265")),
        ("vocab_size=265", "vocab_size=２６５", "whole number", line_of("vocab_size=265")),
        ("vocab_size=265", "vocab_size=2_65", "whole number", line_of("vocab_size=265")),
        ("vocab_size=265", "vocab_size=" + "9" * 10000, "whole number", line_of("vocab_size=265")),
        ("coverage=0.9995", "coverage=nan", "decimal number", line_of("character_coverage=0.9995")),
        ("coverage=0.9995", "coverage=2", "character_coverage=2.0 is not allowed", line_of("character_coverage=0.9995")),
        ("coverage=0.9995", "coverage=", "decimal number", line_of("character_coverage=0.9995")),
        ("reconstruct=1", "reconstruct=yes", "0 or 1", line_of("reconstruct=1")),
        ("split=word", "split=words", "split='words' is not allowed", line_of("split=word")),
        ("space=▁", "space=▁▁", "space=", line_of("space=▁")),
        ("space=▁", "space=\\", "no escape", line_of("space=▁")),
        ("cn=none", "cn=dict", "cn='dict' with cn_dict=''", line_of("cn=none")),
        ("normalization=none", "normalization=custom", "charsmap", line_of("normalization=none")),
        ("[TokenizerSpec]\n", "[TokenizerSpec]\n\n", "found ''", line_of("[TokenizerSpec]") + 1),
        ("suppressed=", "suppressed=1,2", "whole number", line_of("suppressed=")),
        ("suppressed=", "suppressed=1\t265", "suppressed holds 265", line_of("suppressed=")),
        ("suppressed=", "suppressed=1\t", "whole number", line_of("suppressed=")),
        ("\ncontrol=", "\ncontrol=a\ta", "holds 'a' twice", line_of("control=")),
        ("\ncontrol=", "\ncontrol=a\t", "non-empty", line_of("control=")),
        ("\ncontrol=", "\ncontrol=\\xff", "surrogate", line_of("control=")),
        ("eot_id=-1", "eot_id=265", "eot_id=265 is not in the vocabulary", line_of("eot_id=-1")),
        ("eot_id=-1", "eot_id=259", "ordinary text", line_of("eot_id=-1")),
        ("[Pieces]", "[Template]\n[Pieces]", "without chat_template", line_of("[Pieces]") + 1),
        ("[Pieces]", "[Template]\nchat_template=\\n\n[Pieces]", "no escape", line_of("[Pieces]") + 1),
        ("[Pieces]", "[Charsmap]\n0041\t0061\n[Pieces]", "normalization=none with 1 charsmap", line_of("[Pieces]")),
        ("size=265\n0", "size=264\n0", "found 265 pieces, expected 264", line_of("size=265")),
        ("size=265\n0", "size=266\n0", "found 265 pieces, expected 266", line_of("size=265")),
        ("size=265\n0", "size=0\n0", "expected a size from 1", line_of("size=265")),
        ("size=265\n0", "size=-5\n0", "the number of pieces", line_of("size=265")),
        ("size=265\n0", "size=1000000000000000000\n0", "expected a size from 1", line_of("size=265")),
        ("size=265\n0", "size=" + "9" * 100000 + "\n0", "the number of pieces", line_of("size=265")),
        ("[Pieces]\nsize=265\n", "[Pieces]\n", "the number of pieces", line_of("size=265")),
        ("261\tt\t", "-261\tt\t", "found id '-261', expected 261", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t", "0261\tt\t", "found id '0261', expected 261", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t", "２６１\tt\t", "expected 261", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t", "262\tt\t", "found id '262', expected 261", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t", "\tt\t", "found id '', expected 261", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal\n", "", "found id '262', expected 261", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal\n", "\n", "found an empty line", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261 t -2 normal", "found 1 field in", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\t-2", "found 3 fields", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\t-2\tnormal\t", "found 5 fields", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\t-2\tnormal\t\t", "do not join", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\t-2\tNormal", "found type 'Normal'", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\t-2\tunusef", "found type 'unusef'", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\t-2\tcontro", "found type 'contro'", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\t-2\t", "found type ''", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\t-2\tunknown", "exactly one", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\t-2\tbyte", "is no byte", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\t\t-2\tnormal", "is empty", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tth\t-2\tnormal", "same text as piece 260", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt x\t-2\tnormal", "write ▁", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\\\t-2\tnormal", "no escape", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\\x4\t-2\tnormal", "no escape", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\tt\\n\t-2\tnormal", "no escape", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\t" + "t" * (1 << 20) + "\t-2\tnormal", "at most 65535", line_of("261\tt\t-2\tnormal")),
        ("261\tt\t-2\tnormal", "261\t" + "t" * 65536 + "\t-2\tnormal", "at most 65535", line_of("261\tt\t-2\tnormal")),
        ("260\tth\t-1\tnormal\tt\th", "260\tth\t-1\tnormal\tt\tt", "do not join", line_of("260\tth\t-1\tnormal\tt\th")),
        ("260\tth\t-1\tnormal\tt\th", "260\tth\t-1\tnormal\tth\t", "do not join", line_of("260\tth\t-1\tnormal\tt\th")),
        ("260\tth\t-1\tnormal\tt\th", "260\tth\t-1\tnormal\tt\th\tx", "found 7 fields", line_of("260\tth\t-1\tnormal\tt\th")),
        ("260\tth\t-1\tnormal\tt\th", "260\tth\t-1\tcontrol\tt\th", "not normal", line_of("260\tth\t-1\tnormal\tt\th")),
        ("260\tth\t-1\tnormal\tt\th", "260\tt\\x68\t-1\tnormal\tt\\x\t68", "no escape", line_of("260\tth\t-1\tnormal\tt\th")),
        ("3\t<0x00>\t0\tbyte", "3\t<0x0g>\t0\tbyte", "is no byte", line_of("3\t<0x00>\t0\tbyte")),
        ("3\t<0x00>\t0\tbyte", "3\t<0x00>\t0\tcontrol", "1 of the 256 byte pieces are missing, the first is <0x00>", 0),
    ],
)
def test_one_edit_is_one_error_with_its_line(old: str, new: str, found: str, line: int) -> None:
    message = refusal(edited((old, new)))
    assert found in message
    assert message.startswith(f"m.model, line {line}: " if line else "m.model: ")


NO_NUMBERS = ["nan", "NaN", "inf", "-inf", "1e999", "-1e999", "", "-", "1,5", "1_0", " 1", "１", "0x1", "1e", "--1", "[1]", "1],[2"]


@pytest.mark.parametrize("score", NO_NUMBERS)
def test_scores_that_are_none(score: str) -> None:
    message = refusal(edited(("261\tt\t-2\t", f"261\tt\t{score}\t")))
    assert message.startswith(f"m.model, line {line_of('261' + chr(9) + 't' + chr(9) + '-2' + chr(9) + 'normal')}: ")
    assert "finite decimal number" in message


@pytest.mark.parametrize(
    ("score", "value"),
    [("-0", 0.0), ("007", 7.0), ("+1", 1.0), ("1.", 1.0), (".5", 0.5), ("-1E2", -100.0), ("9999999999999999", 1e16), ("1e-400", 0.0)],
)
def test_scores_that_people_write(score: str, value: float) -> None:
    data = edited(("261\tt\t-2\t", f"261\tt\t{score}\t"))
    loaded = Model.loads(data)
    assert repr(float(loaded.scores[261])) == repr(value)
    assert Model.loads(loaded.dumps()) == loaded


@pytest.mark.parametrize("character", [chr(code) for code in (*range(9), *range(11, 32), *range(0x7F, 0xA0), 0x2028, 0x2029)])
def test_control_characters_are_escaped_or_refused(character: str) -> None:
    for old in ("260\tth\t", "required_chars=", "[Pieces]"):
        message = refusal(edited((old, old.strip() + character + ("\t" if old.endswith("\t") else ""))))
        assert f"U+{ord(character):04X}" in message or (character == "\r" and "Unix line ends" in message)
    written = "".join(f"\\x{byte:02x}" for byte in character.encode())
    assert Model.loads(edited(("264\t<|user|>", f"264\t{written}"))).texts[264] == character


def test_keys_may_come_in_any_order() -> None:
    moved = edited(("[TokenizerSpec]\nsemantics=native\n", "[TokenizerSpec]\n"), ("suppressed=\n", "suppressed=\nsemantics=native\n"))
    assert moved != EXAMPLE.dumps()
    assert Model.loads(moved) == EXAMPLE


def test_line_ends_and_marks_of_other_systems() -> None:
    data = EXAMPLE.dumps()
    assert "Unix line ends" in refusal(data.replace(b"\n", b"\r\n"))
    assert "Unix line ends" in refusal(data.replace(b"\n", b"\r"))
    assert "byte order mark" in refusal(b"\xef\xbb\xbf" + data)
    assert "UTF-16" in refusal(data.decode().encode("utf-16"))
    assert "U+0000" in refusal(data + b"\0\n")
    assert "cut short" in refusal(data + b"\0")
    assert "is empty" in refusal(b"")
    assert refusal(data[:-1]) == (
        f"m.model, line {data.count(10)}: the file ends in the middle of '264\\t<|user|>\\t0\\tcontrol', expected a line feed: "
        "it is cut short, or an editor left that out"
    )
    assert "found an empty line" in refusal(data + b"\n")


@pytest.mark.parametrize("junk", [b"\xff", b"\xc3", b"\xe2\x28\xa1", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\x80"])
def test_bytes_that_are_not_utf8(junk: bytes) -> None:
    data = EXAMPLE.dumps()
    for old, line in ((b"261\tt", b"261\tt\t-2\tnormal"), (b"cn_dict=", b"cn_dict="), (b"1\t<s>\t0\tcontrol", b"1\t<s>\t0\tcontrol")):
        message = refusal(data.replace(old, old + junk))
        assert message.startswith(f"m.model, line {line_of(line.decode())}: found the byte 0x{junk[0]:02X}, which is not UTF-8")


@pytest.mark.parametrize(
    ("lines", "found", "at"),
    [
        ("0041\t0061\n0041\t0062\n", "has a rule already", 2),
        ("0041 0061\n0041\t0062\n", "expected base64", 1),
        ("0041\t0061\nxyz\n", "expected source, tab and target", 2),
        ("\t0061\n", "expected source, tab and target", 1),
        ("0041\t0061\t0062\n", "expected source, tab and target", 1),
        ("0041\tD800\n", "D800 is no character", 1),
        ("110000\t0041\n", "110000 is no character", 1),
        ("0000\t0041\n", "0000 is no character", 1),
        ("0041\t+041\n", "hexadecimal", 1),
        ("0041  0042\t0041\n", "hexadecimal", 1),
        ("AAAA\nAAA\n", "expected base64", 2),
        ("AAA=\nAAAA\n", "expected base64", 2),
        ("AA A\n", "expected base64", 1),
        ("AAAÄ\n", "expected base64", 1),
        ("AAAA\n\n", "expected base64", 2),
        ("AAAA\n", "charsmap: it has 3 bytes", 0),
        ("AAAAAAAA\n", "charsmap: its trie should have 0 bytes", 0),
    ],
)
def test_charsmaps_that_are_none(lines: str, found: str, at: int) -> None:
    data = edited(("normalization=none", "normalization=custom"), ("[Pieces]", f"[Charsmap]\n{lines}[Pieces]"))
    message = refusal(data)
    assert found in message
    assert message.startswith(f"m.model, line {line_of('[Pieces]') + at}: ")


def test_a_file_without_end_is_refused_by_its_beginning() -> None:
    with pytest.raises(ModelError, match=r"^/dev/zero, line 1: found .* expected '# piecetokenizer model 1'"):
        Model.load("/dev/zero")


CUSTOM = PreTokenizerSpec(normalization="custom")
FULL = EXAMPLE.replace(template="x\ny", pretokenizer=CUSTOM, charsmap_rules={"a": "b"}, counter=CounterSpec(control=("x",))).dumps()
KEPT = FULL.index(b"10\t<0x07>")
"""Where 250 lines begin that are alike; damage is done before and behind them."""


@settings(max_examples=200)
@given(st.data())
def test_any_damage_is_a_model_or_one_error(data: Any) -> None:
    body = bytearray(FULL)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.one_of(st.integers(0, KEPT), st.integers(len(FULL) - 150, len(FULL))))
        junk = st.one_of(st.binary(max_size=3), st.sampled_from([b"\t", b"\n", b"\\", b"=", b"[", b"9" * 30, b"\r\n", b"\xe2\x80\xa8"]))
        body[place : place + data.draw(st.integers(0, 3))] = data.draw(junk)
    try:
        found = Model.loads(bytes(body), name="m.model")
    except ModelError as error:
        message = str(error)
    else:
        message = "m.model"
        assert Model.loads(found.dumps()) == found
    assert message.startswith("m.model")
    assert message.isprintable()
    assert len(message) < 600


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"GGUF\x03\0\0\0" + b"\0" * 100, "a GGUF file"),
        (b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02\n\x0c\n\x03<s>" + b"\0" * 40, "a SentencePiece model"),
        (b'{\n  "version": "1.0",\n  "truncation": null,\n  "added_tokens": []}', "a tokenizer.json of Hugging Face tokenizers"),
        (b'{"a": 1}', "JSON"),
        (b"\x1f\x8b\x08\0\0", "compressed with gzip"),
        (b"PK\x03\x04\0\0", "a zip archive"),
        (b"#version: 0.2\nt h\n", "a merges.txt"),
        (b"<unk>\t0\n<s>\t0\n", "a .vocab listing"),
        (b"\xff\xfea\0", "UTF-16"),
    ],
)
def test_files_of_other_tools_are_named(head: bytes, kind: str, tmp_path: Path) -> None:
    assert kind in refusal(head)
    (tmp_path / "other").write_bytes(head + b"\0" * 10000)
    with pytest.raises(ModelError, match=kind):
        Model.load(tmp_path / "other")


def test_a_real_sentencepiece_model_is_named(tmp_path: Path) -> None:
    import sentencepiece

    (tmp_path / "text").write_text("the cat sat on the mat\n" * 20)
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text"), model_prefix=str(tmp_path / "sp"), vocab_size=20, model_type="bpe", minloglevel=2
    )
    with pytest.raises(ModelError, match="it is a SentencePiece model"):
        Model.load(tmp_path / "sp.model")
