"""scan: the counts of a corpus against the obvious way, whatever the chunks, the threads and the order."""

import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import scan as reference

from piecetokenizer import Normalizer, PreTokenizer, PreTokenizerSpec
from piecetokenizer import scan as scan_module
from piecetokenizer.corpus import Chunk, Corpus
from piecetokenizer.errors import InputError
from piecetokenizer.scan import ScanCounts, scan


def counted(
    corpus: Corpus, spec: PreTokenizerSpec | None = None, *, symbols: tuple[str, ...] = (), threads: int = 1
) -> tuple[dict[str, int], ScanCounts]:
    spec = spec or PreTokenizerSpec()
    segments, counts = scan(corpus, Normalizer(spec), PreTokenizer(spec), symbols=symbols, threads=threads)
    assert segments.total == counts.segments
    return dict(segments.to_pairs()), counts


letters = st.text("ab  é你1.\n\t▁\ufffd", max_size=25)
symbol_lists = st.lists(st.text("ab é\n", min_size=1, max_size=3), unique=True, max_size=4).map(tuple)


@given(st.lists(letters, max_size=12), symbol_lists, st.booleans(), st.integers(1, 60), st.integers(1, 3))
def test_equals_the_obvious_way(texts: list[str], symbols: tuple[str, ...], reconstruct: bool, block: int, threads: int) -> None:
    spec = PreTokenizerSpec(reconstruct=reconstruct)
    found, counts = counted(Corpus(iter(texts), block=block), spec, symbols=symbols, threads=threads)
    data = [text.encode() for text in texts]
    assert found == reference.segments(data, symbols, reconstruct, PreTokenizer(spec).pretokenize)
    assert counts.symbols == sum(len(reference.spans(symbols, text)) for text in data)


@given(st.binary(max_size=60), symbol_lists)
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes, symbols: tuple[str, ...]) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    found, counts = counted(Corpus(path), symbols=symbols)
    lines = [line.removesuffix(b"\r") for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    assert found == reference.segments(lines, symbols, False, PreTokenizer(PreTokenizerSpec()).pretokenize)
    assert counts.invalid_bytes == reference.replaced(data).count("\ufffd") - data.count("\ufffd".encode())


def test_a_symbol_does_not_reach_over_a_line(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"ab\r\nab\na\n\nb")
    assert counted(Corpus(path), symbols=("b\r", "a\n", "\n", "\r\n", "b\na")) == ({"ab": 2, "a": 1, "b": 1}, ScanCounts(segments=4))
    found, counts = counted(Corpus(path, text_unit="file"), symbols=("\n", "b\r\n", "\r\n"))
    assert (found, counts.symbols) == ({"a": 2, "ab": 1, "b": 1}, 4)


def test_edges_of_symbols_are_not_edges_of_texts() -> None:
    found, counts = counted(Corpus(iter(["  x  New York  y  "])), symbols=("New York",))
    assert found == {"x": 1, " ": 1, " y": 1}
    assert (counts.symbols, counts.removed_spaces) == (1, 6)


def test_texts_that_touch_in_a_chunk_stay_apart() -> None:
    assert counted(Corpus(iter(["a", " 1"])), symbols=("a",))[0] == {"1": 1}
    assert counted(Corpus(iter(["1 ", "a", " 2"])), symbols=("a",))[0] == {"1": 1, "2": 1}
    assert counted(Corpus(iter(["x", "ab", "y"])), symbols=("xa", "b", "by"))[0] == {"x": 1, "a": 1, "y": 1}


def test_newlines_can_be_learned_from_whole_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\n\nb\n\n")
    assert counted(Corpus([tmp_path / "a"] * 3, text_unit="file"))[0] == {"a": 3, "\n\n": 6, "b": 3}
    assert counted(Corpus([tmp_path / "a"] * 3))[0] == {"a": 3, "b": 3}


@pytest.mark.parametrize("threads", [2, 7])
def test_threads_and_order_decide_nothing(tmp_path: Path, threads: int) -> None:
    lines = [f"line {n % 97} of {n % 1013} é{n}\n".encode() for n in range(5000)]
    (tmp_path / "a").write_bytes(b"".join(lines))
    expected = counted(Corpus(tmp_path / "a"))
    random.Random(1).shuffle(lines)
    (tmp_path / "b").write_bytes(b"".join(lines[:2000]))
    (tmp_path / "c").write_bytes(b"".join(lines[2000:]))
    assert counted(Corpus([tmp_path / "b", tmp_path / "c"], block=1000), threads=threads) == expected


@pytest.mark.parametrize("threads", [1, 3])
def test_strict_names_the_first_invalid_byte(tmp_path: Path, threads: int) -> None:
    lines = [b"line %d\n" % n for n in range(3000)]
    for bad in (2500, 1234, 2000):
        lines[bad] = b"l\xc3\xa9 \xff %d\n" % bad
    (tmp_path / "a").write_bytes(b"".join(lines))
    offset = sum(map(len, lines[:1234])) + 4
    with pytest.raises(InputError, match=f"a, line 1235, byte offset {offset}: byte 0xFF is not valid UTF-8; use errors='replace'"):
        counted(Corpus(tmp_path / "a", errors="strict", block=500), threads=threads)


def test_skip_leaves_out_texts(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"good\n\xff\nbad \xe4\xbd\n\xf0\x9f\x98\x80\n")
    assert counted(Corpus(tmp_path / "a", errors="skip")) == ({"good": 1, "😀": 1}, ScanCounts(segments=2, skipped=2))
    (tmp_path / "b").write_bytes(b"\xff\n\xff")
    assert counted(Corpus(tmp_path / "b", errors="skip"), symbols=("a", "b")) == ({}, ScanCounts(skipped=2))


def test_replace_counts_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"ab\xffcd\n")
    assert counted(Corpus(tmp_path / "a")) == ({"ab": 1, "\ufffdcd": 1}, ScanCounts(segments=2, invalid_bytes=1))


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_of_the_iterable_comes_out(threads: int) -> None:
    def texts() -> Iterator[str]:
        yield from ["text"] * 100
        raise OSError("the disk is gone")

    before = threading.active_count()
    with pytest.raises(OSError, match="the disk is gone"):
        counted(Corpus(texts(), block=8), threads=threads)
    assert threading.active_count() == before


def test_without_threads_of_the_system_the_calling_one_scans_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert counted(Corpus(iter(["text"] * 100), block=8), threads=3)[0] == {"text": 100}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("while_", ["reading", "telling"])
def test_interrupting_stops_at_once(threads: int, while_: str) -> None:
    def texts() -> Iterator[str]:
        yield from ["text"] * 100
        if while_ == "reading":
            raise KeyboardInterrupt

    def tell(read: int) -> None:
        if while_ == "telling" and read > 100:
            raise KeyboardInterrupt

    before = threading.active_count()
    spec = PreTokenizerSpec()
    with pytest.raises(KeyboardInterrupt) as caught:
        scan(Corpus(texts(), block=8), Normalizer(spec), PreTokenizer(spec), threads=threads, progress=tell)
    assert threading.active_count() == before, caught  # while the traceback still holds the frames


def test_progress_is_told_of_every_chunk() -> None:
    seen: list[int] = []
    spec = PreTokenizerSpec()
    scan(Corpus(iter(["text"] * 1000), block=4), Normalizer(spec), PreTokenizer(spec), threads=2, progress=seen.append)
    assert seen == [4 * n for n in range(1, 1001)]


def test_chunks_are_not_read_far_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    done = read = ahead = 0
    lock = threading.Lock()
    plain = scan_module._Worker.scan

    def slow(worker: scan_module._Worker, chunk: Chunk) -> None:
        nonlocal done
        time.sleep(0.001)
        plain(worker, chunk)
        with lock:
            done += 1

    def texts() -> Iterator[str]:
        nonlocal read, ahead
        for _ in range(100):
            read += 1
            ahead = max(ahead, read - done)
            yield "text"

    monkeypatch.setattr(scan_module._Worker, "scan", slow)
    assert counted(Corpus(texts(), block=4), threads=3)[0] == {"text": 100}
    assert ahead <= 2 * 3 + 1


def test_rewritten_characters_are_counted() -> None:
    spec = PreTokenizerSpec(normalization="nfkc")
    found, counts = counted(Corpus(iter(["ﬁ ﬁ ①", "ﬁ"])), spec)
    assert found == {"fi": 2, " fi": 1, " ": 1, "1": 1}
    assert (counts.rewritten, dict(counts.changed)) == (4, {0xFB01: 3, 0x2460: 1})


def test_a_long_line_without_a_space() -> None:
    found, _ = counted(Corpus(iter(["x" * 3_000_000, "x" * 3_000_000])), threads=2)
    assert found == {"x" * 3_000_000: 2}
