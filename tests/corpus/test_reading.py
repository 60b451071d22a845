"""Corpus: what is a text, what is not, what is counted, and what cannot be read."""

import bz2
import gzip
import io
import lzma
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference.uncompiled import load_uncompiled

from piecetokenizer.corpus import Corpus, CorpusCounts, Limit, lines_cy
from piecetokenizer.corpus.utf8 import describe_first, invalid_texts
from piecetokenizer.errors import InputError, SpecError


def texts_of(corpus: Corpus) -> list[bytes]:
    return [chunk.data[a:b] for chunk in corpus for a, b in zip(chunk.starts.tolist(), chunk.stops.tolist(), strict=True)]


def file_of(folder: Path, data: bytes, name: str = "corpus.txt") -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


def slow_lines(data: bytes) -> tuple[list[bytes], CorpusCounts]:
    """What one file holds, read the obvious way."""
    counts = CorpusCounts(files=1, bytes=len(data))
    if data.startswith(b"\xef\xbb\xbf"):
        counts.boms = 1
        data = data[3:]
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    texts = []
    for line in lines:
        counts.texts += 1
        if line.endswith(b"\r"):
            counts.carriage_returns += 1
            line = line[:-1]
        if line:
            texts.append(line)
        else:
            counts.empty += 1
    return texts, counts


bits = st.sampled_from(
    [b"a", b"bc ", b"\n", b"\n", b"\r", b"\r\n", b"\xef\xbb\xbf", b"\0", b"\xff", "é".encode(), "\u2028\x0c\x85".encode()],
)


@given(st.lists(bits, max_size=30).map(b"".join), st.integers(1, 20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_equals_the_obvious_way(tmp_path: Path, data: bytes, block: int) -> None:
    corpus = Corpus(file_of(tmp_path, data), block=block)
    texts, counts = slow_lines(data)
    assert texts_of(corpus) == texts
    assert corpus.counts == counts
    assert corpus.size == len(data)


@given(st.lists(bits, max_size=30).map(b"".join), st.integers(0, 5), st.integers(1, 40), st.integers(0, 60), st.integers(1, 9))
def test_the_kernel_uncompiled(data: bytes, at: int, most: int, reach: int, room: int) -> None:
    found = []
    for kernel in (lines_cy, load_uncompiled("corpus/lines_cy.py")):
        finder = kernel.LineFinder(min(at, len(data)))
        starts, stops = np.zeros(room, np.int64), np.zeros(room, np.int64)
        done = bool(finder.find(memoryview(data), most, reach, starts.data, stops.data)) if data else True
        found.append((done, finder.at, finder.lines, finder.texts, finder.returns, starts.tolist(), stops.tolist()))
    assert found[0] == found[1]


def test_only_lf_ends_a_line(tmp_path: Path) -> None:
    line = "a\u2028b\u2029c\x0cd\x0be\x85f\x1cg\rh"
    assert texts_of(Corpus(file_of(tmp_path, f"{line}\r\r\n{line}".encode()))) == [f"{line}\r".encode(), line.encode()]


def test_a_line_longer_than_the_block(tmp_path: Path) -> None:
    long = b"x" * 10_000
    corpus = Corpus(file_of(tmp_path, b"a\n" + long + b"\nb\n" + long), block=100)
    assert texts_of(corpus) == [b"a", long, b"b", long]


def test_texts_of_one_chunk_are_many(tmp_path: Path) -> None:
    chunks = list(Corpus(file_of(tmp_path, b"line\n" * 1000), block=1000))
    assert [len(chunk.starts) for chunk in chunks] == [200] * 5
    assert {chunk.starts.dtype for chunk in chunks} == {np.dtype(np.int64)}


def test_whole_files_are_texts(tmp_path: Path) -> None:
    paths = [file_of(tmp_path, b"\xef\xbb\xbfa\n\nb\r\n\n", "1"), file_of(tmp_path, b"", "2"), file_of(tmp_path, b"c", "3")]
    corpus = Corpus(paths, text_unit="file", block=2)
    assert texts_of(corpus) == [b"a\n\nb\r\n\n", b"c"]
    assert corpus.counts == CorpusCounts(files=3, bytes=11, texts=2, boms=1)


@pytest.mark.parametrize(("suffix", "module"), [(".gz", gzip), (".bz2", bz2), (".xz", lzma)])
def test_compressed(tmp_path: Path, suffix: str, module: object) -> None:
    data = b"some text\n" * 5000
    packed = module.compress(data)  # type: ignore[attr-defined]
    corpus = Corpus(file_of(tmp_path, packed, f"a.txt{suffix}"), block=4000)
    assert corpus.size is None
    assert texts_of(corpus) == [b"some text"] * 5000
    for damaged in (packed[: len(packed) // 2], b"\0" * 100, packed[:20] + b"\xff" * 20 + packed[40:]):
        with pytest.raises(InputError, match=r"cannot read .*b\.txt.* after \d+ bytes: "):
            list(Corpus(file_of(tmp_path, damaged, f"b.txt{suffix}")))


def test_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\r\ntwo")))
    corpus = Corpus(["-", file_of(tmp_path, b"three\n")])
    assert corpus.size is None
    assert texts_of(corpus) == [b"one", b"two", b"three"]
    assert corpus.counts.files == 2


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"from a pipe\n")
    os.close(writing)
    corpus = Corpus(f"/dev/fd/{reading}")
    assert (corpus.size, texts_of(corpus)) == (None, [b"from a pipe"])
    os.close(reading)


def test_an_iterable_of_texts() -> None:
    corpus = Corpus(iter(["one\n\ntwo\r\n", "", "é\0", "\ufeffx"]), block=3)
    assert texts_of(corpus) == [b"one\n\ntwo\r\n", "é\0".encode(), "\ufeffx".encode()]
    assert corpus.counts == CorpusCounts(bytes=17, texts=4, empty=1)
    assert texts_of(Corpus({"a": 1})) == [b"a"]


def test_a_generator_is_not_exhausted_before_it_is_needed() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield "text"

    assert texts_of(Corpus(endless(), limit=3)) == [b"text"] * 3


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "a\ud83d\udc4d"])
def test_lone_surrogates(text: str) -> None:
    corpus = Corpus(iter(["x", text]))
    assert texts_of(corpus) == [b"x", "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text).encode()]
    assert corpus.counts.surrogates == sum("\ud800" <= c <= "\udfff" for c in text)
    corpus = Corpus(iter(["x", text, "y"]), errors="skip")
    assert texts_of(corpus) == [b"x", b"y"]
    assert corpus.counts.skipped == 1
    at = next(i for i, c in enumerate(text) if "\ud800" <= c <= "\udfff")
    with pytest.raises(InputError, match=rf"text 1 of the iterable has a lone surrogate U\+{ord(text[at]):04X} at character {at}"):
        list(Corpus(iter(["x", text]), errors="strict"))


def test_items_that_are_not_str() -> None:
    with pytest.raises(InputError, match="text 1 of the iterable is of type bytes, not a str"):
        list(Corpus(iter(["a", b"b"])))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="text 0 of the iterable is of type int"):
        list(Corpus(b"bytes"))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="paths or an iterable of str, not int"):
        Corpus(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="item 1 of the list of paths is of type int"):
        Corpus([__file__, 3])  # type: ignore[list-item]


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = file_of(tmp_path, b"text\n")
    with pytest.raises(InputError, match=r"cannot read '.*/missing': No such file or directory$"):
        Corpus([good, str(tmp_path / "missing")])
    with pytest.raises(
        InputError, match=r"cannot read 'some text': No such file .*; a list names files, give texts themselves as an iterator"
    ):
        Corpus(["some text"])
    with pytest.raises(InputError, match=r"cannot read '(long ){12}\.\.\.': File name too long"):
        Corpus(["long " * 1000])
    with pytest.raises(InputError, match="it is a directory; name the files in it"):
        Corpus(tmp_path)
    with pytest.raises(InputError, match=r"cannot read 'a\\x00b': "):
        Corpus("a\0b")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may read everything
    with pytest.raises(InputError, match="no permission"):
        Corpus(good)


def test_a_file_that_fails_while_it_is_read(tmp_path: Path) -> None:
    path = file_of(tmp_path, b"text\n")
    corpus = Corpus(path)
    os.remove(path)
    with pytest.raises(InputError, match=r"cannot read .*corpus.txt after 0 bytes: No such file"):
        list(corpus)


@pytest.mark.parametrize(
    ("limit", "many"),
    [(1, 1), ("3", 3), (100, 10), ("29B", 2), ("30b", 3), ("0.03KB", 3), ("1kb", 10), (Limit(bytes=99), 9), (Limit(bytes=9), 0)],
)
def test_limits(tmp_path: Path, limit: Limit | int | str | None, many: int) -> None:
    paths = [file_of(tmp_path, b"123456789\n" * 5, "1"), file_of(tmp_path, b"123456789\n" * 5, "2")]
    for block in (1, 25, 1000):
        corpus = Corpus(paths, limit=limit, block=block)
        assert texts_of(corpus) == [b"123456789"] * many
        assert (corpus.counts.texts, corpus.counts.bytes) == (many, many * 10)
    assert texts_of(Corpus(iter(["1234567890"] * 10), limit=limit)) == [b"1234567890"] * many


@pytest.mark.parametrize("limit", [0, -1, "", "MB", "10XB", "1e3", 1.5, True, "0.1", "9" * 30, "0.1B"])
def test_limits_that_are_none(limit: object) -> None:
    with pytest.raises(SpecError, match=r"limit=.* is not allowed: it is a number of texts, as 100000, or of bytes, as 100MB"):
        Corpus([], limit=limit)  # type: ignore[arg-type]


def test_options_that_are_none() -> None:
    with pytest.raises(SpecError, match="text_unit='word' is not allowed"):
        Corpus([], text_unit="word")
    with pytest.raises(SpecError, match="errors='ignore' is not allowed"):
        Corpus([], errors="ignore")


def test_where_invalid_bytes_are(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbfgood\r\n\nbad \xff\n\xc3\ngood\n"
    for block in (1, 5, 100):
        found = [
            (describe_first(chunk), [chunk.data[chunk.starts[n] : chunk.stops[n]] for n, _ in invalid_texts(chunk)])
            for chunk in Corpus(file_of(tmp_path, data), block=block)
            if list(invalid_texts(chunk))
        ]
        assert [text for _, texts in found for text in texts] == [b"bad \xff", b"\xc3"]
        assert found[0][0].endswith("corpus.txt, line 3, byte offset 14: byte 0xFF is not valid UTF-8")
    assert found == [(found[0][0], [b"bad \xff", b"\xc3"])]
