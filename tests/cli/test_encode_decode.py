"""`encode` and `decode`: lines, pieces, JSON, arrays, and what cannot be read."""

import io
import json
import sys
import zipfile
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecetokenizer import Tokenizer
from piecetokenizer.cli.decoding import decimal_rows
from piecetokenizer.cli.lines import read_blocks
from piecetokenizer.cli.writers import LineWriter, NpyWriter, header

HARD = [
    "a  b   c",
    "    if x:",
    "  hi  ",
    " ",
    "   ",
    "",
    "a\tb",
    "a▁b",
    "<0x41>",
    "<s>",
    "<unk>",
    "A<sep>B",
    "New York",
    "a\u2028b\u0085c\fd",
    "nul\0",
    "\\x20",
    "👨‍👩‍👧",
]


def as_lines(texts):
    return "".join(f"{text}\n" for text in texts)


def test_one_line_in_one_line_out(cli, model):
    ids = cli("encode", "-m", model, input=as_lines(HARD))
    tokenizer = Tokenizer.load(model)
    assert [list(map(int, line.split())) for line in ids.lines] == [tokenizer.encode(text) for text in HARD]
    assert cli("decode", "-m", model, input=ids.out).text == as_lines(HARD)


def test_pieces_go_both_ways(cli, model):
    pieces = cli("encode", "-m", model, "--pieces", input=as_lines(HARD))
    assert pieces.lines[HARD.index("New York")] == "New\\x20York"
    assert pieces.lines[0].startswith("a ▁ ▁")
    assert cli("decode", "-m", model, "--pieces", input=pieces.out).text == as_lines(HARD)


def test_json_takes_newlines_both_ways(cli, model):
    texts = ["a\nb\r\n\n", "", "\r", "x\\n", *HARD]
    written = as_lines(json.dumps(text) for text in texts)
    ids = cli("encode", "-m", model, "--json", input=written)
    back = cli("decode", "-m", model, "--json", input=ids.out)
    assert [json.loads(line) for line in back.lines] == texts


@pytest.mark.parametrize("line", ["{", '["a"]', "3", '"a', "", '"a" "b"', "[" * 100_000])
def test_what_is_no_json_string(cli, model, line):
    error = cli("encode", "-m", model, "--json", input=f'"good"\n{line}\n').error
    assert "standard input, line 2" in error
    assert len(error) < 300


def test_npz_holds_ids_and_offsets(cli, model, tmp_path):
    source, target = tmp_path / "texts.txt", tmp_path / "ids.npz"
    source.write_text(as_lines(HARD), encoding="utf-8")
    assert cli("encode", "-m", model, source, "-o", target).code == 0
    tokenizer = Tokenizer.load(model)
    with np.load(target) as arrays:
        ids, offsets = arrays["ids"], arrays["offsets"]
    assert (ids.dtype, offsets.dtype) == (np.dtype("int32"), np.dtype("int64"))
    assert [ids[a:b].tolist() for a, b in pairwise(offsets)] == [tokenizer.encode(text) for text in HARD]
    assert cli("decode", "-m", model, target).text == as_lines(HARD)
    assert cli("decode", "-m", model, target, "-o", tmp_path / "back.txt").code == 0
    assert (tmp_path / "back.txt").read_bytes() == source.read_bytes()


def test_npy_holds_ids(cli, model, tmp_path):
    target = tmp_path / "ids.npy"
    cli("encode", "-m", model, "-o", target, "--eos", input=as_lines(HARD))
    tokenizer = Tokenizer.load(model)
    ids = np.load(target)
    assert ids.dtype == np.int32
    assert ids.tolist() == [id for text in HARD for id in tokenizer.encode(text, eos=True)]
    assert cli("decode", "-m", model, target).text == "".join(HARD)
    assert json.loads(cli("decode", "-m", model, target, "--json").text) == "".join(HARD)


@pytest.mark.parametrize("name", ["ids.npy", "ids.npz", "ids.txt"])
def test_nothing_in_nothing_out(cli, model, tmp_path, name):
    target = tmp_path / name
    assert cli("encode", "-m", model, "-o", target).code == 0
    assert cli("decode", "-m", model, target).out == b""


def test_numpys_own_files_are_read(cli, model, tmp_path):
    tokenizer = Tokenizer.load(model)
    rows = [tokenizer.encode(text) for text in HARD]
    flat = np.concatenate([np.array(row, np.uint64) for row in rows])
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    np.savez_compressed(tmp_path / "packed.npz", ids=flat, offsets=offsets, other=np.zeros(3))
    np.save(tmp_path / "flat.npy", flat.astype(">i2"))
    assert cli("decode", "-m", model, tmp_path / "packed.npz").text == as_lines(HARD)
    assert cli("decode", "-m", model, tmp_path / "flat.npy").text == "".join(HARD)


@pytest.mark.parametrize(
    ("arrays", "word"),
    [
        ({"ids": np.arange(3)}, "offsets"),
        ({"ids": np.arange(3), "offsets": np.array([0, 5])}, "offset of 5"),
        ({"ids": np.arange(3), "offsets": np.array([0, 2, 1, 3])}, "offset of 1"),
        ({"ids": np.arange(3), "offsets": np.array([0, 2])}, "3 ids"),
        ({"ids": np.arange(3), "offsets": np.array([1, 3])}, "begin with 0"),
        ({"ids": np.arange(3), "offsets": np.zeros(0, int)}, "begin with 0"),
        ({"ids": np.zeros(3), "offsets": np.array([0, 3])}, "float64"),
        ({"ids": np.zeros((2, 2), int), "offsets": np.array([0, 4])}, "(2, 2)"),
        ({"ids": np.array([1, 10**6]), "offsets": np.array([0, 1, 2])}, "text 1"),
        ({"ids": np.array([1, -1]), "offsets": np.array([0, 1, 2])}, "-1"),
    ],
)
def test_arrays_that_cannot_be_decoded(cli, model, tmp_path, arrays, word):
    np.savez(tmp_path / "bad.npz", **arrays)
    assert word in cli("decode", "-m", model, tmp_path / "bad.npz").error


def test_damaged_arrays(cli, model, tmp_path):
    good = tmp_path / "good.npz"
    cli("encode", "-m", model, "-o", good, input="the cat\n" * 9)
    data = good.read_bytes()
    for number, bad in enumerate([b"", b"PK", data[:200], data[:-30], data.replace(b"NUMPY", b"NUMPX"), data[:150] + b"\xff" + data[151:]]):
        path = tmp_path / f"bad{number}.npz"
        path.write_bytes(bad)
        assert "bad" in cli("decode", "-m", model, path).error
    for number, bad in enumerate([b"", b"\x93NUMPY", header("<i4", 10**18), header("|O", 1), header("<i4", 3) + b"\1\0\0\0"]):
        path = tmp_path / f"bad{number}.npy"
        path.write_bytes(bad)
        assert "bad" in cli("decode", "-m", model, path).error


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1 2 99999999", ["line 2", "99999999"]),
        ("1 -2", ["line 2", "'-2'"]),
        ("1 2x", ["line 2", "'2x'"]),
        ("1_0", ["line 2", "'1_0'"]),
        ("١", ["line 2", "is not an id"]),
        ("1.0", ["line 2", "'1.0'"]),
        ("9" * 5000, ["line 2", "is not an id"]),
        ("99999999999999999999", ["line 2", "99999999999999999999"]),
    ],
)
def test_ids_that_are_none(cli, model, line, words):
    error = cli("decode", "-m", model, input=f"1 2\n{line}\n3\n").error
    assert [word for word in words if word not in error] == []
    assert len(error) < 300


@pytest.mark.parametrize("word", ["nopiece", "\\x2", "\\", "a\\y", "▁the▁cat", "  "])
def test_pieces_that_are_none(cli, model, word):
    assert "standard input, line 1" in cli("decode", "-m", model, "--pieces", input=f"{word}\n").error


def test_control_tokens(cli, model):
    text = "a<sep>t\n"
    plain = cli("encode", "-m", model, "--pieces", input=text)
    assert "<sep>" not in plain.text.split()
    parsed = cli("encode", "-m", model, "--pieces", "--special", "parse", input=text)
    assert parsed.text == "a <sep> t\n"
    assert "<sep>" in cli("encode", "-m", model, "--special", "error", input=text).error
    assert cli("decode", "-m", model, "--pieces", input=parsed.out).text == "at\n"
    assert cli("decode", "-m", model, "--pieces", "--special", input=parsed.out).text == text


def test_bos_and_eos(cli, model):
    framed = cli("encode", "-m", model, "--pieces", "--bos", "--eos", input="the\n\n")
    assert framed.lines == ["<s> the </s>", "<s> </s>"]


def test_bytes_that_are_not_utf8(cli, model):
    bad = b"good\nab\xff\xfecd\n"
    error = cli("encode", "-m", model, input=bad).error
    assert "standard input, line 2" in error
    assert "0xFF" in error
    replaced = cli("encode", "-m", model, "--errors", "replace", input=bad)
    assert cli("decode", "-m", model, input=replaced.out).text == "good\nab\ufffd\ufffdcd\n"


def test_lone_surrogates(cli, model):
    line = '"ok"\n"a\\ud800b"\n'
    error = cli("encode", "-m", model, "--json", input=line).error
    assert "standard input, line 2" in error
    assert "surrogate" in error
    replaced = cli("encode", "-m", model, "--json", "--errors", "replace", input=line)
    assert cli("decode", "-m", model, "--json", input=replaced.out).lines == ['"ok"', '"a\ufffdb"']


def test_line_ends_and_byte_order_mark(cli, model, tmp_path):
    path = tmp_path / "dos.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\r\n\r\nthree\r")
    ids = cli("encode", "-m", model, path)
    assert "byte order mark" in ids.err
    assert cli("decode", "-m", model, input=ids.out).text == "one\ntwo\r\n\nthree\n"


def test_files_follow_one_another(cli, model, tmp_path):
    for name, text in (("a.txt", "one\ntwo"), ("b.txt", "three\n")):
        (tmp_path / name).write_text(text)
    ids = cli("encode", "-m", model, tmp_path / "a.txt", "-", tmp_path / "b.txt", input="middle\n")
    assert cli("decode", "-m", model, input=ids.out).lines == ["one", "two", "middle", "three"]


def test_threads_change_nothing(cli, model, tmp_path, monkeypatch):
    monkeypatch.setattr("piecetokenizer.cli.lines.BLOCK", 100)
    path = tmp_path / "texts.txt"
    path.write_text(as_lines(f"the cat number {n} sat" for n in range(500)))
    one, seven = (cli("encode", "-m", model, path, "--threads", n) for n in (1, 7))
    assert one.out == seven.out
    assert len(one.lines) == 500
    assert cli("decode", "-m", model, "--threads", 7, input=one.out).text == path.read_text()


def test_dropout_is_reproducible(cli, model):
    text = "the cat sat on the mat there\n" * 20
    results = [cli("encode", "-m", model, "--dropout", "0.3", "--seed", seed, input=text).out for seed in (1, 1, 2)]
    assert results[0] == results[1] != results[2]
    assert cli("decode", "-m", model, input=results[0]).text == text


def test_the_model_may_come_from_the_environment(cli, model, monkeypatch):
    monkeypatch.setenv("PIECETOKENIZER_MODEL", str(model))
    assert cli("decode", input=cli("encode", input="the cat\n").out).text == "the cat\n"


def test_pieces_do_not_go_into_arrays(cli, model, tmp_path):
    assert "--pieces" in cli("encode", "-m", model, "--pieces", "-o", tmp_path / "x.npy").error


def test_output_is_replaced_as_a_whole(cli, model, tmp_path):
    target = tmp_path / "ids.txt"
    target.write_text("old\n")
    target.chmod(0o640)
    assert cli("encode", "-m", model, "-o", target, input=b"good\n\xff\n").code == 2
    assert target.read_text() == "old\n"
    (tmp_path / "link").symlink_to(target)
    assert cli("encode", "-m", model, "-o", tmp_path / "link", input="the\n").code == 0
    assert target.read_text().strip().isdigit()
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ids.txt", "link"]
    assert cli("encode", "-m", model, "-o", "/dev/null", input="the\n").code == 0


@pytest.mark.parametrize("name", ["nowhere/ids.txt", "."])
def test_places_that_cannot_be_written(cli, model, tmp_path, name):
    assert "folder" in cli("encode", "-m", model, "-o", tmp_path / name, input="the\n").error


class Pipe(io.BytesIO):
    """Bytes that cannot be read twice."""

    def seekable(self) -> bool:
        return False


@pytest.mark.parametrize("kind", [io.BytesIO, Pipe])
@given(data=st.binary(max_size=60) | st.text(alphabet="a\r\n▁ \ufeff", max_size=30).map(str.encode), size=st.integers(1, 20))
def test_blocks_are_the_lines(kind, data, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(kind(data)))
        blocks = list(read_blocks([], size=size))
    body = data.removeprefix(b"\xef\xbb\xbf")
    expected = [line.removesuffix(b"\r") for line in body.split(b"\n")]
    if not body or body.endswith(b"\n"):
        expected.pop()
    assert [line for block in blocks for line in block.lines()] == expected
    assert b"".join(block.data[block.begin : block.end] for block in blocks) == body
    assert (
        [block.line for block in blocks]
        == [block.number + 1 for block in blocks]
        == [1 + sum(len(before.lines()) for before in blocks[:n]) for n in range(len(blocks))]
    )


def test_npy_header_is_numpys(tmp_path):
    file = io.BytesIO()
    writer = NpyWriter(file)
    for _ in range(3):
        writer.write(writer.ready(np.arange(5, dtype=np.int32), np.array([0, 5])))
    writer.finish()
    assert len(file.getvalue()) == 128 + 60
    file.seek(0)
    assert np.load(file).tolist() == [0, 1, 2, 3, 4] * 3


@pytest.mark.parametrize("words", [[b"%d" % id for id in range(1201)], [b"w" * (id % 40) for id in range(1201)]])
@given(rows=st.lists(st.lists(st.integers(0, 1200), max_size=4), max_size=6))
def test_lines_are_words_with_spaces_between(words, rows):
    file = io.BytesIO()
    ids, offsets = np.array([id for row in rows for id in row], np.int32), np.cumsum([0, *map(len, rows)])
    writer = LineWriter(file, words)
    writer.write(writer.ready(ids, offsets))
    assert file.getvalue() == b"".join(b" ".join(words[id] for id in row) + b"\n" for row in rows)


def test_npz_is_stored_so_that_it_can_be_mapped(cli, model, tmp_path):
    cli("encode", "-m", model, "-o", tmp_path / "ids.npz", input="the\n")
    with zipfile.ZipFile(tmp_path / "ids.npz") as archive:
        assert archive.testzip() is None
        assert {member.compress_type for member in archive.infolist()} == {zipfile.ZIP_STORED}


@given(st.text("0123 \t\r\n", max_size=30), st.booleans(), st.integers(1, 9))
def test_decimal_rows_are_the_lines(text, marked, size):
    data = b"\xef\xbb\xbf" * marked + text.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        for block in read_blocks([], size=size):
            part = block.data[block.begin : block.end].decode()
            flat = decimal_rows(block)
            assert (flat is not None) == ("\r" not in part and max(map(int, part.split()), default=0) < 2**31)
            if flat is not None:
                ids, offsets = flat
                rows = [ids[start:stop].tolist() for start, stop in pairwise(offsets)]
                assert rows == [[int(word) for word in line.split()] for line in block.lines()]


def test_a_wrong_id_in_an_npy_file_is_said_with_its_file(cli, model, tmp_path):
    np.save(tmp_path / "ids.npy", np.array([5, 10**6]))
    assert "ids.npy: id 1000000" in cli("decode", "-m", model, tmp_path / "ids.npy").error


@pytest.mark.parametrize("name", ["ids.npy", "ids.npz"])
def test_arrays_hold_no_pieces(cli, model, tmp_path, name):
    cli("encode", "-m", model, "-o", tmp_path / name, input="the cat\n")
    assert "--pieces" in cli("decode", "-m", model, "--pieces", tmp_path / name).error
    assert "--pieces" in cli("encode", "-m", model, "--pieces", "-o", tmp_path / name, input="the cat\n").error


def test_a_seed_without_dropout_is_a_slip(cli, model):
    assert "--dropout" in cli("encode", "-m", model, "--seed", 1, input="the cat\n").error
    assert cli("encode", "-m", model, "--seed", 1, "--dropout", 0.5, input="the cat\n").code == 0


def test_carriage_returns_that_are_left_out_are_counted(cli, model, tmp_path):
    for name, data in (("a", b"the cat\r\nthe\rmat\r\r\n\r\n"), ("b", b"the mat\nthe cat\r")):
        (tmp_path / name).write_bytes(data)
    said = "piecetokenizer: 4 carriage returns at the end of a line are not text and were left out\n"
    paths = tmp_path / "a", tmp_path / "b"
    ids = cli("encode", "-m", model, *paths, "--threads", 2)
    assert ids.err == said
    assert cli("decode", "-m", model, input=ids.out.replace(b"\n", b"\r\n")).out == b"the cat\nthe\rmat\r\n\nthe mat\nthe cat\n"
    assert cli("encode", "-m", model, *paths, "-o", tmp_path / "ids.npy").err == said
    for stage in ("normalize", "pretokenize"):
        assert cli(stage, *paths).err == said
    assert cli("info", model, "--measure", paths[1]).err == said.replace("4", "1").replace("returns", "return").replace(
        "are", "is"
    ).replace("were", "was")
    assert cli("encode", "-m", model, input="the cat\n").err == ""
    assert cli("encode", "-m", model, "--json", input='"the\\r"\r\n').err == ""
    assert cli("decode", "-m", model, input="5\r\n").err == ""
