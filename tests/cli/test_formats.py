"""`export` and `import`, as a shell would see them."""

from pathlib import Path

import pytest
from cli.conftest import Cli

from piecetokenizer import Model, formats


def test_export_says_how_faithful_the_file_is(cli: Cli, model: Path, tmp_path: Path) -> None:
    result = cli("export", model, "--to", "gguf", "-o", tmp_path / "m.gguf", "--strict")
    assert result.code == 0
    assert result.lines[:2] == ["gguf (llama): exact", "  measured: 2000 texts, 0 differ"]
    assert formats.load(tmp_path / "m.gguf").texts == Model.load(model).texts
    assert cli("export", model, "--to", "gguf", "--route", "bpe", "-o", tmp_path / "b.gguf").lines[0] == "gguf (bpe): exact"


@pytest.mark.parametrize("to", ["sentencepiece", "huggingface"])
def test_export_to_the_other_formats(to: str, cli: Cli, model: Path, corpus: Path, tmp_path: Path) -> None:
    result = cli("export", model, "--to", to, "-o", tmp_path / "m", "--verify", corpus)
    assert result.lines[:2] == [f"{to}: exact", "  measured: 80 texts, 0 differ"]


def test_roles_suppressed_pieces_and_template_go_into_the_file(cli: Cli, model: Path, tmp_path: Path) -> None:
    (tmp_path / "chat").write_text("{{ 'naïve' }}\n", encoding="utf-8")
    options = ["--role", "eot=<sep>", "--role", "eom=<sep>", "--suppress", "<unk>", "--suppress", "<0x00>"]
    options += ["--chat-template", str(tmp_path / "chat")]
    assert cli("export", model, "--to", "gguf", "-o", tmp_path / "m.gguf", *options).code == 0
    back = formats.load(tmp_path / "m.gguf")
    sep = back.id_of("<sep>")
    assert (back.tokenizer.eot_id, back.tokenizer.eom_id) == (sep, sep)
    assert back.tokenizer.suppressed == (0, back.id_of("<0x00>"))
    assert back.template == "{{ 'naïve' }}\n"


def test_import_makes_a_model_that_encodes_as_the_tool_does(cli: Cli, model: Path, tmp_path: Path) -> None:
    text = "the other cat  New York\n"
    ids = cli("encode", "-m", model, input=text).text
    for to, name in (("gguf", "m.gguf"), ("sentencepiece", "m.model"), ("huggingface", "folder")):
        cli("export", model, "--to", to, "-o", tmp_path / name)
        result = cli("import", tmp_path / name, "-o", tmp_path / "back.model")
        assert (result.code, result.out) == (0, b"")
        rules = {"gguf": "the rules of llama", "sentencepiece": "the rules of sentencepiece", "huggingface": "our own rules (native)"}
        assert result.err == f"piecetokenizer: {tmp_path / 'back.model'}: {len(Model.load(model))} pieces; it encodes by {rules[to]}\n"
        assert cli("encode", "-m", tmp_path / "back.model", input=text).text == ids
        # Other tools' files can be used without importing them first.
        assert cli("encode", "-m", tmp_path / name, input=text).text == ids
        assert cli("decode", "-m", tmp_path / name, input=ids).text == text
        assert cli("info", tmp_path / name).lines[1:3] == cli("info", tmp_path / "back.model").lines[1:3]
        assert cli("check", tmp_path / name).out == cli("check", tmp_path / "back.model").out
        for stage in ("normalize", "pretokenize"):
            assert cli(stage, "-m", tmp_path / name, input=text).out == cli(stage, "-m", tmp_path / "back.model", input=text).out != b""
        # An edit makes a model file, and is made of one.
        for slip in (["edit", tmp_path / name], ["edit", model, "--merge", tmp_path / name]):
            error = cli(*slip, "-o", tmp_path / "new.model", "--control", "<new>").error
            assert "`piecetokenizer import` makes a model file of it" in error


def test_errors_are_one_line(cli: Cli, model: Path, tmp_path: Path) -> None:
    out = ["-o", tmp_path / "m.gguf"]
    assert "Invalid value for '--to'" in cli("export", model, "--to", "tiktoken", *out).error
    assert "--route bpe goes with --to gguf only" in cli("export", model, "--to", "sentencepiece", "--route", "bpe", *out).error
    assert "eot" in cli("export", model, "--to", "gguf", "--role", "eot", *out).error
    assert "x" in cli("export", model, "--to", "gguf", "--role", "x=<sep>", *out).error
    assert "nothing" in cli("export", model, "--to", "gguf", "--suppress", "nothing", *out).error
    assert "without phi-3" in cli("export", model, "--to", "gguf", "--name", "Phi-3", *out).error
    (tmp_path / "bad").write_bytes(b"\xff")
    assert "bad: not UTF-8 at byte 0" in cli("export", model, "--to", "gguf", "--chat-template", tmp_path / "bad", *out).error
    assert "No such file" in cli("export", model, "--to", "gguf", "--chat-template", tmp_path / "no", *out).error
    assert "No such file" in cli("export", model, "--to", "gguf", "--verify", tmp_path / "no", *out).error
    assert "no format that is known" in cli("import", tmp_path / "bad", "-o", tmp_path / "x").error
    assert "No such file" in cli("import", tmp_path / "none", "-o", tmp_path / "x").error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad"]


def test_strict_writes_nothing_unless_exact(cli: Cli, corpus: Path, tmp_path: Path) -> None:
    trained = tmp_path / "trimming.model"
    assert cli("train", corpus, "-o", trained, "--vocab-size", "305", "--quiet").code == 0
    error = cli("export", trained, "--to", "gguf", "-o", tmp_path / "m.gguf", "--strict").error
    assert "not written: the export would be exact on normalized text" in error
    assert not (tmp_path / "m.gguf").exists()
    assert cli("export", trained, "--to", "gguf", "-o", tmp_path / "m.gguf").lines[0] == "gguf (llama): exact on normalized text"


def test_nothing_to_verify_with_is_no_measurement(cli: Cli, model: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"")
    assert "nothing to verify with" in cli("export", model, "--to", "gguf", "-o", tmp_path / "x.gguf", "--verify", empty).error
    assert not (tmp_path / "x.gguf").exists()
