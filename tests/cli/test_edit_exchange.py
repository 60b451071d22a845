"""`edit`, `check`, `export` and `import`."""

import pytest

from piecetokenizer import Model, PieceType, Tokenizer, train


def test_edit_does_all_of_it(cli, model, tmp_path):
    target, ids = tmp_path / "new.model", tmp_path / "ids.tsv"
    template = tmp_path / "chat.jinja"
    template.write_text("{{ messages }}\n", encoding="utf-8")
    result = cli(
        "edit", model, "-o", target, "--id-map", ids, "--chat-template", template, "--role", "eot=<|end|>", "--role", "bos=",
        "--control", "<|user|>", "--control", "<|end|>", "--user-defined", "a b", "--remove", "▁the",
        "--rename", "<sep>", "<mid>", "--retype", "<0x41>", "byte",
    )  # fmt: skip
    assert result.code == 0, result.err
    before, after = Model.load(model), Model.load(target)
    gone = before.id_of("▁the")
    assert after.texts[-3:] == ("<|user|>", "<|end|>", "a b")
    assert (after.tokenizer.eot_id, after.tokenizer.bos_id) == (after.id_of("<|end|>"), -1)
    assert after.id_of("<sep>") is None
    assert after[after.id_of("<mid>")].type == PieceType.CONTROL
    assert after.template == "{{ messages }}\n"
    moved = [tuple(map(int, line.split("\t"))) for line in ids.read_text().splitlines()]
    assert moved == [(id, id if id < gone else -1 if id == gone else id - 1) for id in range(len(before))]
    assert f"{len(after)} pieces" in result.err


def test_a_ladder_of_sizes_is_training_at_each(cli, tmp_path):
    texts = ["the cat sat on the mat", "that hat is the cat's hat"] * 10
    train(iter(texts), vocab_size=288).save(tmp_path / "big.model")
    assert cli("edit", tmp_path / "big.model", "-o", tmp_path / "small.model", "--truncate", 280).code == 0
    assert Model.load(tmp_path / "small.model") == train(iter(texts), vocab_size=280)


def test_merging_says_where_both_went(cli, model, tmp_path):
    train(iter(["xyz xyz xyz"]), vocab_size=264).save(tmp_path / "other.model")
    result = cli("edit", model, "-o", tmp_path / "both.model", "--merge", tmp_path / "other.model", "--merged-id-map", tmp_path / "ids.tsv")
    assert result.code == 0, result.err
    both, other = Model.load(tmp_path / "both.model"), Model.load(tmp_path / "other.model")
    moved = dict(line.split("\t") for line in (tmp_path / "ids.tsv").read_text().splitlines())
    assert [both.texts[int(moved[str(piece.id)])] for piece in other] == list(other.texts)


def test_pieces_that_are_lost_are_named(cli, model, tmp_path):
    result = cli("edit", model, "-o", tmp_path / "x.model", "--user-defined", "cat")
    assert "no text becomes" in result.err
    assert "▁cat" in result.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--remove", "<unk>"], ["<unk>"]),
        (["--remove", "nonsense"], ["nonsense"]),
        (["--retype", "▁the", "word"], ["'word'", "user_defined"]),
        (["--role", "eot"], ["ROLE=PIECE"]),
        (["--role", "boss=<s>"], ["boss"]),
        (["--truncate", "5"], ["5"]),
        (["--control", "<s>"], ["<s>"]),
        (["--merged-id-map", "x"], ["--merge"]),
        (["--chat-template", "missing"], ["missing"]),
    ],
)
def test_edits_that_cannot_be(cli, model, tmp_path, options, words):
    error = cli("edit", model, "-o", tmp_path / "x.model", *options).error
    assert [word for word in words if word not in error] == []
    assert list(tmp_path.iterdir()) == []


def test_check(cli, model, tmp_path):
    sound = cli("check", model)
    assert (sound.code, len(sound.lines)) == (0, 1)
    cli("edit", model, "-o", tmp_path / "bad.model", "--control", "thecat", "--control", "the")
    cli("edit", model, "-o", tmp_path / "bad.model", "--control", "ttt", "--control", "tt")
    bad = cli("check", tmp_path / "bad.model", "--all")
    assert bad.code == 1
    assert "'ttt'" in bad.text
    assert any(line.startswith("spelled\t") for line in bad.lines)


def test_export_and_import_come_back(cli, model, tmp_path):
    target = tmp_path / "model.gguf"
    result = cli("export", model, "--to", "gguf", "-o", target, "--role", "eot=<sep>", "--suppress", "▁the", "--name", "small")
    assert result.code == 0, result.err
    assert result.text.startswith("gguf (llama): ")
    assert cli("import", target, "-o", tmp_path / "back.model").code == 0
    before, back = Model.load(model), Model.load(tmp_path / "back.model")
    assert back.texts == before.texts
    assert back.tokenizer.eot_id == before.id_of("<sep>")
    assert back.tokenizer.suppressed == (before.id_of("▁the"),)
    text = "the cat, there"
    assert Tokenizer(back).encode(text, bos=False) == Tokenizer(before).encode(text)


def test_export_verified_on_a_file(cli, model, corpus, tmp_path):
    result = cli("export", model, "--to", "huggingface", "-o", tmp_path / "folder", "--verify", corpus)
    assert result.code == 0, result.err
    assert "measured: 80 texts, 0 differ" in result.text
    assert cli("import", tmp_path / "folder", "-o", tmp_path / "back.model").code == 0
    assert Model.load(tmp_path / "back.model").texts == Model.load(model).texts


def test_what_is_not_exact_is_refused_if_asked(cli, corpus, tmp_path):
    cli("train", corpus, "-o", tmp_path / "nfkc.model", "--vocab-size", 300, "--normalization", "nfkc", "-q")
    error = cli("export", tmp_path / "nfkc.model", "--to", "gguf", "-o", tmp_path / "x.gguf", "--strict").error
    assert "exact" in error
    assert not (tmp_path / "x.gguf").exists()


@pytest.mark.parametrize("content", [b"", b"GGUF", b"{}", b"\x0a\x00", b"\x00" * 100, b"[CounterSpec]\n"])
def test_files_that_are_no_models(cli, tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert str(path) in cli("import", path, "-o", tmp_path / "x.model").error
    assert str(path) in cli("encode", "-m", path, input="a\n").error
    assert not (tmp_path / "x.model").exists()
