"""Strings out of a PreTokenizer: those of the slow reference, on cutters that are used again and shared by threads."""

import pickle
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import pretokenize as reference
from reference.uncompiled import load_uncompiled

from piecetokenizer.errors import InputError
from piecetokenizer.lowlevel import PADDING
from piecetokenizer.pretokenize import Dictionary, PreTokenizer
from piecetokenizer.pretokenize.cutters import SPARE_BYTES
from piecetokenizer.pretokenize.slicer_cy import Slicer
from piecetokenizer.spec import PreTokenizerSpec

PLAIN = PreTokenizer(PreTokenizerSpec(split="isolate"))
ZH = Dictionary.load("zh")
WORDS = PreTokenizer(PreTokenizerSpec(cn="dict", cn_dict=ZH.identity), ZH)
THREADS = 8
ALPHABET = "ab 1é'你好世界很中文。😀\u0301\n\x00"


@given(st.lists(st.text(ALPHABET, max_size=60), max_size=6))
def test_a_used_cutter_gives_what_a_new_one_gives(texts: list[str]) -> None:
    for text in texts:
        assert PLAIN.pretokenize(text) == reference.pretokenize(PLAIN.spec, text)
        assert WORDS.pretokenize(text) == PreTokenizer(WORDS.spec, ZH).pretokenize(text)


@pytest.mark.parametrize("shared", [PLAIN, WORDS], ids=["plain", "words"])
def test_threads_share_one(shared: PreTokenizer) -> None:
    rng = random.Random(5)
    work = [["".join(rng.choices(ALPHABET, k=rng.choice([0, 5, 60, 5000]))) for _ in range(40)] for _ in range(THREADS)]
    expected = [[PreTokenizer(shared.spec, shared.dictionary).pretokenize(text) for text in texts] for texts in work]
    barrier = threading.Barrier(THREADS)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)

    def run(texts: list[str]) -> list[list[str]]:
        barrier.wait()
        return [shared.pretokenize(text) for text in texts]

    try:
        with ThreadPoolExecutor(THREADS) as pool:
            assert list(pool.map(run, work)) == expected
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("unit", ["a", "é", "你好", "😀 ", "ab 你"])
def test_any_length(unit: str) -> None:
    for size in (0, 1, 1023, 1024, 1025, 9000, SPARE_BYTES + 1):
        text = (unit * (size // len(unit) + 1))[:size]
        for shared in (PLAIN, WORDS):
            segments = shared.pretokenize(text)
            assert "".join(segments) == text
            assert "" not in segments
            assert shared.pretokenize("你好 ab") == PreTokenizer(shared.spec, shared.dictionary).pretokenize("你好 ab")


def test_after_an_error_all_is_well() -> None:
    pretokenizer = PreTokenizer(PreTokenizerSpec())
    assert pretokenizer.pretokenize("a b") == ["a", " b"]
    with pytest.raises(InputError, match="character 2"):
        pretokenizer.pretokenize("a \ud800")
    assert pretokenizer.pretokenize("a b") == ["a", " b"]


def test_a_used_one_can_be_pickled() -> None:
    WORDS.pretokenize("你好")
    copy = pickle.loads(pickle.dumps(WORDS))
    assert copy.spec == WORDS.spec
    assert copy.pretokenize("你好世界") == ["你好", "世界"]


@given(st.lists(st.text("aé你😀", min_size=1, max_size=4), max_size=20), st.integers(1, 5))
def test_the_kernel_compiled_or_not(parts: list[str], window: int) -> None:
    text = "".join(parts)
    data = text.encode()
    for kernel in (Slicer, load_uncompiled("pretokenize/slicer_cy.py").Slicer):
        ends, buffer = np.zeros(window, np.int64), np.zeros(len(data) + PADDING, np.uint8)
        slicer = kernel(ends, buffer)
        slicer.put(data)
        assert buffer.tobytes() == data + bytes(PADDING)
        found: list[str] = []
        at = 0
        for first in range(0, len(parts), window):
            some = parts[first : first + window]
            for i, part in enumerate(some):
                at += len(part.encode())
                ends[i] = at
            assert slicer.add(found, text, len(some)) == at
        assert found == parts


@pytest.mark.parametrize("kernel", [Slicer, load_uncompiled("pretokenize/slicer_cy.py").Slicer], ids=["compiled", "not"])
def test_what_is_out_of_bounds_is_refused(kernel: type) -> None:
    ends = np.array([9])
    slicer = kernel(ends, np.zeros(4 + PADDING, np.uint8))
    with pytest.raises(ValueError, match="longer than the buffer"):
        slicer.put(b"abcde")
    slicer.put("é".encode())
    with pytest.raises(ValueError, match="behind the text"):
        slicer.add([], "é", 1)
    with pytest.raises(ValueError, match="fewer ends"):
        slicer.add([], "é", 2)
