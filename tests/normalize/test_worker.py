"""What a worker does beside rewriting: buffers that grow, counters, many texts, and arguments that make no sense."""

import threading
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from normalize.workers import new_worker, text_of

from piecetokenizer.lowlevel import PADDING
from piecetokenizer.normalize import PREFIX, TRIM_LEFT, TRIM_RIGHT, WHOLE, Charsmap, NormalizeWorker
from piecetokenizer.normalize.tables import KernelTables

NFKC = Charsmap.builtin("nfkc")
NONE = Charsmap.builtin("none")


def run(worker: NormalizeWorker, texts: list[bytes], flags: int = WHOLE, gap: bytes = b"\n") -> list[bytes]:
    """The normalized texts, from one call."""
    data = gap.join(texts)
    sizes = np.array([len(text) for text in texts], np.int64)
    stops = np.cumsum(sizes + len(gap)) - len(gap)
    size = worker.run(data, stops - sizes, stops, np.full(len(texts), flags, np.uint8))
    ends = [0, *worker.stops[: len(texts)].tolist()]
    assert ends[-1] == size
    return [text_of(worker, end)[begin:] for begin, end in pairwise(ends)]


def test_a_text_that_grows_eleven_times() -> None:
    worker = new_worker(True, NFKC)
    size = worker.run_one("ﷺ".encode() * 100_000)
    assert text_of(worker, size) == "صلى الله عليه وسلم".encode() * 100_000
    assert worker.changed == {0xFDFA: 100_000}


def test_growth_in_the_middle_of_many_texts() -> None:
    worker = new_worker(True, NFKC)
    texts = ["ﷺ", "plain", "x" * 3000, "ﷺ" * 500, "", "ﷺﷺ end"] * 20
    want = [text.replace("ﷺ", "صلى الله عليه وسلم").encode() for text in texts]
    assert run(worker, [text.encode() for text in texts]) == want
    assert worker.changed == {0xFDFA: 503 * 20}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("source", "target"), [("ŉ", "ʼn"), ("A", "中"), ("é", "中"), ("A", "b" * 7), ("中", "😀"), ("AB", "中中中")])
def test_one_character_that_grows(compiled: bool, source: str, target: str) -> None:
    worker = new_worker(compiled, Charsmap.from_rules({source: target}))
    for times in (1, 10, 64, 1000):
        size = worker.run_one(source.encode() * times)
        assert text_of(worker, size) == target.encode() * times
        assert len(worker.text) >= size + PADDING


def test_invalid_bytes_grow_three_times() -> None:
    worker = new_worker(True, NONE)
    assert text_of(worker, worker.run_one(b"\xff" * 50_000)) == "\ufffd".encode() * 50_000
    assert worker.invalid_bytes == 50_000


def test_slack_behind_the_text_stays() -> None:
    worker = new_worker(True, NONE)
    for size in [0, 1, 63, 64, 65, 4095, 4096, 4097, 10_000]:
        assert worker.run_one(b"a" * size) == size
        assert len(worker.text) >= size + PADDING


def test_counters_add_up_over_calls() -> None:
    worker = new_worker(True, NFKC)
    run(worker, [b"  a  b ", "ﬁ \xa0ﬁ①".encode(), b"\xff"])
    worker.run_one("①".encode())
    assert (worker.removed_spaces, worker.invalid_bytes, worker.rewritten) == (5, 1, 5)
    assert worker.changed == {0xFB01: 2, 0xA0: 1, 0x2460: 2}


def test_each_fragment_has_its_own_edges() -> None:
    worker = new_worker(True, NONE)
    fragment = b"  a  b  "
    assert run(worker, [fragment], 0) == [b" a b "]
    assert run(worker, [fragment], TRIM_LEFT) == [b"a b "]
    assert run(worker, [fragment], TRIM_RIGHT) == [b" a b"]
    assert run(worker, [fragment], WHOLE) == [b"a b"]
    assert run(worker, [fragment], WHOLE | PREFIX) == [b" a b"]
    assert run(worker, [b"   "] * 2, 0) == [b" ", b" "]
    assert run(worker, [b"   "] * 2, TRIM_LEFT) == [b"", b""]
    assert run(worker, [b"   ", b"", b"x"], WHOLE | PREFIX) == [b"", b"", b" x"]


def test_reconstruct_keeps_every_space() -> None:
    worker = new_worker(True, NONE, collapse=False)
    assert run(worker, [b"  a  b  ", b"   "], WHOLE) == [b"  a  b  ", b"   "]
    assert run(worker, [b" a", b""], WHOLE | PREFIX) == [b"  a", b""]
    assert worker.removed_spaces == 0


def test_a_short_space_after_a_text_that_ends_in_one() -> None:
    assert run(new_worker(True, NONE), [b"a ", b" b"], 0, gap=b"") == [b"a ", b" b"]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("start", "stop"), [(-1, 2), (2, 1), (0, 4), (1 << 62, 1 << 62), (-(1 << 62), 3)])
def test_texts_outside_of_the_data(compiled: bool, start: int, stop: int) -> None:
    worker = new_worker(compiled, NONE)
    starts, stops, flags = (memoryview(np.array(values, dtype)) for values, dtype in (((0, start), "q"), ((3, stop), "q"), ((3, 3), "B")))
    with pytest.raises(ValueError, match=f"text 1: {start} to {stop} is not within 3 bytes of data"):
        worker.run(b"abc", starts, stops, flags)
    assert text_of(worker, worker.run_one(b"still good")) == b"still good"


def test_arrays_of_different_lengths() -> None:
    two = np.array([0, 1], np.int64)
    with pytest.raises(ValueError, match="2 starts, 1 stops, 2 flags"):
        new_worker(True, NONE).run(b"abc", two, two[1:], np.zeros(2, np.uint8))


def test_no_texts() -> None:
    nothing = np.zeros(0, np.int64)
    assert new_worker(True, NONE).run(b"", nothing, nothing, np.zeros(0, np.uint8)) == 0


def test_many_texts_take_no_memory_each() -> None:
    worker = new_worker(True, NONE)
    texts = [b"some line of text"] * 50_000
    run(worker, texts)
    data = b"".join(texts)
    stops = np.arange(1, len(texts) + 1, dtype=np.int64) * 17
    starts, flags = stops - 17, np.full(len(texts), WHOLE, np.uint8)
    tracemalloc.start()
    worker.run(data, starts, stops, flags)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000


def test_tables_are_shared_by_threads() -> None:
    text = ("ﬁne ①  e\u0301 中文 plain ascii text " * 2000).encode()
    want = text_of(worker := new_worker(True, NFKC), worker.run_one(text))
    wrong: list[int] = []

    def work(number: int) -> None:
        own = new_worker(True, NFKC)
        wrong.extend(number for _ in range(20) if text_of(own, own.run_one(text)) != want)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_rules_on_every_ascii_character_leave_no_harmless_byte() -> None:
    rules = {chr(code): chr(code ^ 1) for code in range(1, 128) if code ^ 1}
    charsmap = Charsmap.from_rules(rules)
    assert isinstance(charsmap.tables, KernelTables)
    worker = new_worker(True, charsmap, collapse=False)
    text = bytes(range(2, 128)) * 3
    assert text_of(worker, worker.run_one(text)) == bytes(byte ^ 1 for byte in text)
