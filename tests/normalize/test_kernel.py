"""The kernel, compiled and not, against the slow reference."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from normalize import strategies
from normalize.builtin import rules_of
from normalize.workers import new_worker, text_of
from reference.normalize import Result, Rules, normalize

from piecetokenizer.normalize import BUILTIN, PREFIX, TRIM_LEFT, TRIM_RIGHT, Charsmap

KERNELS = pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "uncompiled"])
RULES = {name: Rules(rules_of(name)) for name in BUILTIN}


def expected(data: bytes, rules: Rules, collapse: bool, flags: int) -> Result:
    return normalize(
        data, rules, collapse=collapse, trim_left=bool(flags & TRIM_LEFT), trim_right=bool(flags & TRIM_RIGHT), prefix=bool(flags & PREFIX)
    )


def result_of(worker: Any, size: int, tracing: bool) -> Result:
    offsets = [int(offset) for offset in worker.offsets[: size + 1]] if tracing else []
    return Result(text_of(worker, size), offsets, worker.invalid_bytes, worker.removed_spaces, worker.changed)


def check_one(compiled: bool, charsmap: Charsmap, rules: Rules, data: bytes, collapse: bool, flags: int, valid: bool) -> None:
    want = expected(data, rules, collapse, flags)
    for tracing in (False, True):
        worker = new_worker(compiled, charsmap, collapse)
        size = worker.run_one(data, flags, valid, tracing)
        got = result_of(worker, size, tracing)
        assert got == (want if tracing else Result(want.text, [], want.invalid, want.removed, want.changed))
        assert worker.rewritten == sum(want.changed.values())
        assert worker.stops[0] == size


@KERNELS
@given(data=strategies.byte_texts, name=st.sampled_from(BUILTIN), collapse=st.booleans(), flags=strategies.flags)
def test_builtin_rules_on_bytes(compiled: bool, data: bytes, name: str, collapse: bool, flags: int) -> None:
    check_one(compiled, Charsmap.builtin(name), RULES[name], data, collapse, flags, False)


@KERNELS
@given(text=strategies.texts, name=st.sampled_from(BUILTIN), collapse=st.booleans(), flags=strategies.flags)
def test_builtin_rules_on_text_known_to_be_valid(compiled: bool, text: str, name: str, collapse: bool, flags: int) -> None:
    check_one(compiled, Charsmap.builtin(name), RULES[name], text.encode(), collapse, flags, True)


@KERNELS
@given(data=strategies.texts_for_rules, rules=strategies.rules, collapse=st.booleans(), flags=strategies.flags)
def test_any_rules(compiled: bool, data: bytes, rules: Rules, collapse: bool, flags: int) -> None:
    check_one(compiled, Charsmap.from_rules(rules), Rules(rules), data, collapse, flags, False)
    text = data.decode(errors="replace").encode()
    check_one(compiled, Charsmap.from_rules(rules), Rules(rules), text, collapse, flags, True)


@KERNELS
@given(
    parts=st.lists(st.tuples(strategies.byte_texts, strategies.flags), max_size=8),
    gap=st.binary(max_size=3),
    name=st.sampled_from(BUILTIN),
    collapse=st.booleans(),
    tracing=st.booleans(),
)
def test_many_texts_in_one_call(
    compiled: bool, parts: list[tuple[bytes, int]], gap: bytes, name: str, collapse: bool, tracing: bool
) -> None:
    data = gap
    starts = []
    for text, _ in parts:
        starts.append(len(data))
        data += text + gap
    stops = [start + len(text) for start, (text, _) in zip(starts, parts, strict=True)]
    arrays = (np.array(starts, np.int64), np.array(stops, np.int64), np.array([flags for _, flags in parts], np.uint8))
    worker = new_worker(compiled, Charsmap.builtin(name), collapse)
    for _ in range(2):  # the second time into buffers that are big enough
        size = worker.run(data, *map(memoryview, arrays), False, tracing)
        wanted = [expected(text, RULES[name], collapse, flags) for text, flags in parts]
        assert text_of(worker, size) == b"".join(want.text for want in wanted)
        begin = 0
        for k, want in enumerate(wanted):
            end = int(worker.stops[k])
            assert text_of(worker, end)[begin:] == want.text
            if tracing:
                assert [int(offset) - starts[k] for offset in worker.offsets[begin:end]] == want.offsets[:-1]
            begin = end
        assert begin == size
