"""`normalize`, `pretokenize` and `info`."""

import json

import pytest

from piecetokenizer import Model
from piecetokenizer.cli.pieces import read_piece, shown


def test_normalize(cli):
    text = "  the ﬁrst　 cat \n\nA\n"
    assert cli("normalize", input=text).text == "the ﬁrst　 cat\n\nA\n"
    assert cli("normalize", "--normalization", "nfkc_cf", input=text).text == "the first cat\n\na\n"
    assert cli("normalize", "--reconstruct", input=text).text == text
    assert "--split" in cli("normalize", "--split", "word", input=text).error  # has nothing to do with it
    assert cli("normalize", "--json", "--normalization", "nfkc", input='"ﬁ\\n  x"\n').text == '"fi\\n x"\n'


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ([], "Hello , ▁world ▁ 你好 123"),
        (["--split", "isolate", "--digit", "split", "--cn", "char"], "Hello , ▁ world ▁ 你 好 1 2 3"),
        (["--dict", "no"], "Hello , ▁world ▁ 你 好 123"),
        (["--dict", "zh"], "Hello , ▁world ▁ 你好 123"),
        (["--split", "space"], "Hello, ▁world ▁你好123"),
        (["--split", "none", "--space", "·"], "Hello,·world·你好123"),
    ],
)
def test_pretokenize(cli, options, shown):
    assert cli("pretokenize", *options, input="Hello, world 你好123\n").text == shown + "\n"


def test_pretokenize_shows_what_cannot_be_seen(cli):
    line = 'a▁b\tc \\ "\\u2028"'
    assert cli("pretokenize", "--split", "none", input=line + "\n").text == 'a\\xE2\\x96\\x81b\\x09c▁\\x5C▁"\\x5Cu2028"\n'
    assert json.loads(cli("pretokenize", "--json", "--reconstruct", input=json.dumps("a ▁\n b") + "\n").text) == ["a", " ▁", "\n", " b"]


def test_a_model_says_how(cli, model):
    assert (
        cli("pretokenize", "-m", model, input="  a  b\n").text
        == "▁ ▁a ▁ ▁b\n"
        == cli("pretokenize", "--reconstruct", input="  a  b\n").text
    )
    assert "--split" in cli("pretokenize", "-m", model, "--split", "word", input="a\n").error
    assert cli("normalize", "-m", model, input="  a  b\n").text == "  a  b\n"
    assert "--reconstruct" in cli("normalize", "-m", model, "--reconstruct", input="a\n").error
    assert "surrogate" in cli("pretokenize", "--json", input='"\\udc00"\n').error


def test_info_as_text(cli, model):
    text = cli("info", model, "--first", 3, "--longest", 2, "--piece", "▁the", "--piece", "0", "--piece", "New\\x20York").text
    loaded = Model.load(model)
    assert f"{len(loaded)} pieces" in text
    assert loaded.fingerprint in text
    for words in ("reconstruct=1", "user_defined=New\\x20York", "semantics=native", "1 user_defined", "256 byte"):
        assert words in text
    first = text.partition("first learned pieces")[2].split("\n")[1:4]
    assert [line.split("\t")[2] for line in first] == list(loaded.texts[260:263])
    assert f"piece {loaded.id_of('▁the')}: ▁the normal" in text
    assert "piece 0: <unk> unknown" in text


def test_info_as_json(cli, model, corpus):
    facts = json.loads(cli("info", model, "--json", "--measure", corpus).text)
    loaded = Model.load(model)
    assert facts["pieces"] == len(loaded)
    assert facts["specs"]["PreTokenizerSpec"]["reconstruct"] is True
    measured = facts["measured"][0]
    assert measured["bytes"] == sum(len(line) for line in corpus.read_bytes().split(b"\n"))
    assert measured["bytes_per_token"] == measured["bytes"] / measured["tokens"] > 1
    longest = [len(piece["text"]) for piece in facts["longest"]]
    assert longest == sorted(longest, reverse=True)
    assert longest[0] == max(len(text) for text, kind in zip(loaded.texts, loaded.types, strict=True) if kind == 1)


@pytest.mark.parametrize("name", ["nothing", "99999", "99999999999999999999", "\\x0", ""])
def test_info_of_pieces_that_are_not_there(cli, model, name):
    assert len(cli("info", model, "--piece", name).error) < 200


@pytest.mark.parametrize("text", ["a", "▁a", "New York", "\\", "\\x41", "a\tb\n", "\udc80\udcff", "\u2028", "é"])
def test_pieces_as_words(text):
    word = shown(text)
    assert " " not in word
    assert word.isprintable()
    assert read_piece(word) == text


def test_a_damaged_model_file_is_still_one(cli, model, tmp_path):
    path = tmp_path / "bad.model"
    path.write_bytes(b"\xef\xbb\xbf" + model.read_bytes())
    assert "save the file as UTF-8 without it" in cli("info", path).error
    path.write_bytes(model.read_bytes()[:12])
    assert "line 1" in cli("info", path).error
    assert cli("edit", tmp_path, "-o", tmp_path / "x.model").error.endswith("not a piecetokenizer model file: it is a folder")
