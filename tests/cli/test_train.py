"""`train` and `count`: options reach the specs, the report says what was lost, nothing is half written."""

import gzip
import json
import os

import pytest

from piecetokenizer import Model
from piecetokenizer.counter.segments import Segments


def trained(cli, corpus, tmp_path, *options):
    path = tmp_path / "out.model"
    result = cli("train", corpus, "-o", path, *options)
    assert result.code == 0, result.err
    assert result.out == b""
    return Model.load(path), result.err


def test_options_are_those_of_the_specs(cli, corpus, tmp_path):
    options = """--vocab-size 350 --soft-vocab-limit --character-coverage 0.99 --min-count 2 --max-piece-size 12 --reserve 2
        --pad-to-multiple 8 --normalization nfkc --reconstruct --split isolate --digit split --cn char --spaces run --space ␣
        --unk-piece [UNK] --bos-piece [CLS] --eos-piece [SEP] --pad-piece [PAD] --unk-id 1 --bos-id 2 --eos-id 3 --pad-id 0
        --required-chars é你 --control <a> --control <b> --user-defined x/y --add-bos --add-eos --quiet"""
    model, _ = trained(cli, corpus, tmp_path, *options.split())
    spec, counter, tokenizer = model.pretokenizer, model.counter, model.tokenizer
    assert (spec.normalization, spec.reconstruct, spec.split, spec.digit, spec.cn, spec.spaces, spec.space) == (
        "nfkc", True, "isolate", "split", "char", "run", "␣",
    )  # fmt: skip
    assert (counter.character_coverage, counter.min_count, counter.max_piece_size, counter.reserve) == (0.99, 2, 12, 2)
    assert (counter.control, counter.user_defined, counter.required_chars) == (("<a>", "<b>"), ("x/y",), "é你")
    assert model.texts[:4] == ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
    assert (tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id) == (0, 1, 2, 3)
    assert (tokenizer.add_bos, tokenizer.add_eos) == (True, True)
    assert len(model) % 8 == 0
    assert {"é", "你", "<a>", "<b>", "x/y", "<|reserved_1|>"} <= set(model.texts)


def test_pad_is_the_piece_with_id_3(cli, corpus, tmp_path):
    model, _ = trained(cli, corpus, tmp_path, "--vocab-size", 300, "--pad")
    assert (model.texts[3], model.tokenizer.pad_id) == ("<pad>", 3)
    assert "--pad" in cli("train", corpus, "-o", tmp_path / "x", "--pad", "--pad-piece", "[PAD]").error


def test_dict_no_is_three_options(cli, corpus, tmp_path):
    model, _ = trained(cli, corpus, tmp_path, "--vocab-size", 290, "--dict", "no")
    assert (model.pretokenizer.cn, model.pretokenizer.split, model.pretokenizer.digit) == ("char", "isolate", "split")


def test_dictionary(cli, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("天地 10\n玄黄 10 n\n天 3\n", encoding="utf-8")
    text = tmp_path / "text.txt"
    text.write_text("天地玄黄\n天地\n" * 5, encoding="utf-8")
    model, notes = trained(cli, text, tmp_path, "--vocab-size", 265, "--dict", words, "--reconstruct")
    assert model.pretokenizer.cn_dict.startswith("words.txt,3,")
    assert {"天地", "玄黄"} <= set(model.texts)
    assert "GGUF" in notes
    path = tmp_path / "out.model"
    assert "words.txt" in cli("encode", "-m", path, input="天地\n").error
    assert cli("encode", "-m", path, "--dict", words, "--pieces", input="天地玄黄\n").text == "天地 玄黄\n"
    assert cli("pretokenize", "-m", path, "--dict", words, input="地玄黄天地\n").text == "地 玄黄 天地\n"
    assert cli("normalize", "-m", path, input="地玄黄天地\n").text == "地玄黄天地\n"  # no dictionary needed
    words.write_text("天 1\n", encoding="utf-8")
    assert "words.txt" in cli("encode", "-m", path, "--dict", words, input="天地\n").error


def test_custom_charsmap_is_kept_in_the_model(cli, corpus, tmp_path):
    rules = tmp_path / "rules.tsv"
    rules.write_text("74 68\tDE\n")
    model, _ = trained(cli, corpus, tmp_path, "--vocab-size", 290, "--charsmap", rules)
    assert model.pretokenizer.normalization == "custom"
    rules.unlink()
    assert cli("normalize", "-m", tmp_path / "out.model", input="the  other\n").text == "Þe oÞer\n"
    assert cli("normalize", "--charsmap", tmp_path / "rules.tsv").error.count(str(tmp_path / "rules.tsv")) == 1


def test_threads_and_order_change_nothing(cli, corpus, tmp_path):
    lines = corpus.read_text(encoding="utf-8").splitlines(keepends=True)
    backwards = tmp_path / "backwards.txt"
    backwards.write_text("".join(reversed(lines)), encoding="utf-8")
    packed = tmp_path / "packed.txt.gz"
    packed.write_bytes(gzip.compress(corpus.read_bytes()))
    models = []
    for number, (source, threads) in enumerate([(corpus, 1), (corpus, 7), (backwards, 2), (packed, 1), ("-", 1)]):
        path = tmp_path / f"{number}.model"
        data = corpus.read_bytes() if source == "-" else b""
        assert cli("train", source, "-o", path, "--vocab-size", 300, "--threads", threads, "-q", input=data).code == 0
        models.append(path.read_bytes())
    assert len(set(models)) == 1


def test_the_report_says_what_was_lost(cli, tmp_path):
    path = tmp_path / "dirty.txt"
    path.write_bytes(b"\xef\xbb\xbfa  b\r\n\n\nc\xff\xfed\n" + "é".encode() * 3 + b"\n")
    _, report = trained(cli, path, tmp_path, "--vocab-size", 270, "--soft-vocab-limit")
    for words in ("1 file", "2 empty lines", "byte order mark", "carriage return", "2 bytes", "space"):
        assert words in report
    _, silence = trained(cli, path, tmp_path, "--vocab-size", 270, "--soft-vocab-limit", "--reconstruct", "--quiet")
    assert "empty lines" not in silence


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--vocab-size", "100"], ["100", "256 bytes"]),
        (["--vocab-size", "100000"], ["--vocab-size 100000", "--soft-vocab-limit"]),
        (["--vocab-size", "0"], ["--vocab-size 0"]),
        (["--character-coverage", "2"], ["--character-coverage 2.0"]),
        (["--user-defined", ""], ["--user-defined holds ''"]),
        (["--user-defined", "cn='char'", "--control", "cn='char'"], ["--control holds \"cn='char'\"", "in --user-defined already"]),
        (["--bos-piece", "<unk>", "--bos-id", "0"], ["--bos-piece '<unk>'", "--unk-piece"]),
        (["--min-count", "1000"], ["--min-count 1000"]),
        (["--soft-vocab-limit", "--unk-id", "100000"], ["--unk-id 100000"]),
        (["--control", "a", "--control", "a"], ["'a'"]),
        (["--cn", "char", "--dict", "zh"], ["--cn char and --dict zh"]),
        (["--dict", "missing.txt"], ["missing.txt"]),
        (["--charsmap", "missing.tsv"], ["missing.tsv"]),
        (["--normalization", "custom"], ["--normalization custom needs --charsmap"]),
        (["--limit", "lots"], ["--limit lots", "100MB"]),
        (["--threads", "0"], ["--threads 0"]),
        (["--space", "ab"], ["--space ab"]),
    ],
)
def test_what_cannot_be(cli, corpus, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    before = sorted(os.listdir(tmp_path))
    error = cli("train", corpus, "-o", "x.model", *options).error
    assert [word for word in words if word not in error] == []
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("content", [b"", b"\n\n\r\n", b"\xef\xbb\xbf"])
def test_nothing_to_learn_from(cli, tmp_path, content):
    path = tmp_path / "empty.txt"
    path.write_bytes(content)
    assert "no text" in cli("train", path, "-o", tmp_path / "x.model").error
    assert "directory" in cli("train", tmp_path, "-o", tmp_path / "x.model").error
    assert not (tmp_path / "x.model").exists()


def test_errors_of_bytes(cli, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"good text\nbad \xff text\n" * 3)
    assert "line 2" in cli("train", path, "-o", tmp_path / "x.model", "--errors", "strict").error
    model, report = trained(cli, path, tmp_path, "--errors", "skip", "--vocab-size", 270, "--soft-vocab-limit")
    assert "3 lines left out" in report
    assert "b" not in model.texts


def test_limit(cli, corpus, tmp_path):
    result = cli("count", corpus, "--limit", "2", input="")
    assert "2 lines" in result.err
    assert cli("count", corpus, "--limit", "1KB", "-q").code == 0


def test_whole_files_are_texts_if_asked(cli, tmp_path):
    path = tmp_path / "document.txt"
    path.write_text("a\n\nb\n\n" * 20)
    model, _ = trained(cli, path, tmp_path, "--text-unit", "file", "--vocab-size", 263, "--reconstruct")
    assert "\n\n" in model.texts


def test_count_is_a_table_that_can_be_read_back(cli, tmp_path):
    target = tmp_path / "counts.tsv"
    text = "the cat the\tcat\nthe  \\ cat\n"
    assert cli("count", "-o", target, "--reconstruct", "--quiet", input=text).code == 0
    lines = target.read_text(encoding="utf-8").split("\n")[:-1]
    assert lines[0] == " cat\t2"
    segments = Segments.read(target)
    assert segments == segments.sorted()
    assert dict(segments.to_pairs())[" \\"] == dict(segments.to_pairs())["\t"] == 1
    counted = cli("count", "--min-count", "2", "--reconstruct", "-q", input=text)
    assert all(int(line.rpartition("\t")[2]) >= 2 for line in counted.lines)
    symbols = cli("count", "--user-defined", "cat", "-q", input=text)
    assert not any("cat" in line for line in symbols.lines)


def test_a_size_that_the_text_has_not_is_said_once(cli, corpus, tmp_path):
    model, said = trained(cli, corpus, tmp_path, "--vocab-size", 100_000, "--soft-vocab-limit", "--reconstruct")
    assert said.count("100000") == 1
    assert f"piecetokenizer: {len(model)} pieces in place of 100000: no pair is left\n" in said


def test_the_longest_pieces_are_the_same_in_the_report_and_in_info(cli, corpus, tmp_path):
    model, said = trained(cli, corpus, tmp_path, "--vocab-size", 310)
    shown = [line.split("\t")[2] for line in cli("info", tmp_path / "out.model", "--first", 0, "--longest", 5).lines if "\t" in line]
    assert f"  the longest: {' '.join(shown)}\n" in said
    ids = model.longest(5)
    assert [model.texts[id] for id in ids] == shown
    assert ids == sorted(ids, key=lambda id: (-len(model.texts[id]), id))


def test_dict_no_splits_more_in_train_and_count_than_in_pretokenize(cli, corpus, tmp_path):
    trained(cli, corpus, tmp_path, "--vocab-size", 290, "--dict", "no")
    text = "Hello, world 你好123\n"
    more = ["--dict", "no", "--split", "isolate", "--digit", "split"]
    assert cli("pretokenize", *more, input=text).out == cli("pretokenize", "-m", tmp_path / "out.model", input=text).out
    segments = cli("pretokenize", *more, "--json", input=json.dumps(text[:-1]) + "\n").text
    counted = cli("count", "--dict", "no", "-q", input=text)
    assert sorted(line.partition("\t")[0] for line in counted.lines) == sorted(set(json.loads(segments)))


def test_options_are_named_as_flags(cli, corpus, model, tmp_path):
    _, said = trained(cli, corpus, tmp_path, "--vocab-size", 290, "--normalization", "nfkc", "--spaces", "run")
    assert "piecetokenizer: --spaces run has no effect without --reconstruct: of a run of spaces only one is left\n" in said
    assert "--normalization nfkc is not done there; " in said
    for command in (["count", "-q"], ["pretokenize"]):
        assert cli(*command, "--spaces", "run", input="a  b\n").err.startswith("piecetokenizer: --spaces run has no effect")
        assert cli(*command, "--spaces", "run", "--reconstruct", input="a  b\n").err == ""
    assert "use --errors replace" in cli("count", "-", "--errors", "strict", input=b"\xff\n").error
    error = cli("encode", "-m", model, "--special", "error", input="the special='text'\nspecial='text'<sep>\n").error
    assert error == (
        "standard input, line 2: the text has the control token '<sep>' at character 14: "
        "remove it, or pass --special text to take it as text or --special parse as a token"
    )
    assert cli("encode", "-m", model, "--dropout", 2, input="a\n").error.startswith("--dropout 2.0 is not allowed")
    assert cli("encode", "-m", model, "--dict", "zh", input="a\n").error == "this model uses no dictionary: leave out --dict"
    assert cli("pretokenize", "-m", model, "--dict", "zh", input="a\n").error == "this model uses no dictionary: leave out --dict"
    assert cli("edit", model, "-o", tmp_path / "x.model", "--truncate", 5).error.startswith("--truncate 5 is not possible")


def test_what_an_export_cannot_keep_is_said_before_anything_is_read(cli, tmp_path):
    said = cli("train", tmp_path / "missing", "-o", tmp_path / "x.model").err
    assert said.startswith("piecetokenizer: these options rule out an exact GGUF export: ")
