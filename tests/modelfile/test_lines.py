"""The kernel of [Pieces]: it gives what the lines one by one give, or nothing; and the same compiled as uncompiled."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from reference.model_files import EXAMPLE
from reference.uncompiled import load_uncompiled

from piecetokenizer.modelfile import lines_cy
from piecetokenizer.modelfile.pieces import TYPE_BYTES, parse_at_once, parse_pieces


def test_the_kernel_reads_what_the_lines_say() -> None:
    body = EXAMPLE.dumps().partition(b"[Pieces]\nsize=265\n")[2]
    fast, slow = parse_at_once(body), parse_pieces(body, fast=False)
    assert fast is not None
    assert not isinstance(slow, tuple)
    for column in ("texts", "scores", "types", "cuts"):
        assert list(getattr(fast, column)) == list(getattr(slow, column))


@given(st.data())
def test_any_damage_is_read_alike_by_kernel_and_by_line(data: Any) -> None:
    """One byte or field of a few lines changed: the kernel gives up, or gives what the lines one by one give."""
    merges = "1\tab\t-1\tnormal\ta\tb\n2\t\\x0Aé\t-2.5\tnormal\t\\x0A\té\n"
    body = bytearray(f"0\ta\t0\tnormal\n{merges}3\t<0x41>\t0\tbyte\n4\t\u2027~¡\t-4\tunused\n".encode())
    for _ in range(data.draw(st.integers(0, 2))):
        place = data.draw(st.integers(0, len(body) - 1))
        body[place : place + data.draw(st.integers(0, 2))] = data.draw(
            st.one_of(
                st.binary(max_size=2),
                st.sampled_from([*b"\t\n\\0-\xc3\x7f\r"]).map(lambda byte: bytes([byte])),
                st.sampled_from([b"\\x", b"\xc2\x85", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xe2\x80"]),
            )
        )
    fast = parse_at_once(bytes(body))
    slow = parse_pieces(bytes(body), fast=False)
    if fast is not None:
        assert not isinstance(slow, tuple)
        assert body.endswith(b"\n")
        for column in ("texts", "scores", "types", "cuts"):
            assert list(getattr(fast, column)) == list(getattr(slow, column))


def test_kernel_compiled_and_uncompiled_agree() -> None:
    uncompiled = load_uncompiled("modelfile/lines_cy.py")
    whole = EXAMPLE.dumps().partition(b"[Pieces]\nsize=265\n")[2]
    other_score, other_part = whole.replace(b"th\t-1", b"th\t-1.5"), whole.replace(b"\tt\th", b"\tt\tx")
    bodies = [whole[whole.index(b"2\t</s>") :], whole, whole[:-1] + b"x\n", other_score, other_part, b"\n"]
    kinds = (np.float64, np.int64, np.uint8, np.int32)
    results = []
    for module in (lines_cy, uncompiled):
        found = []
        for body in bodies:
            arrays = [np.zeros(len(body), dtype=np.uint8), *(np.zeros(300, dtype=kind) for kind in kinds)]
            views = [memoryview(array) for array in arrays]
            scanner = module.Scanner(memoryview(body), memoryview(TYPE_BYTES), *views)
            found.append((scanner.run(), scanner.totals(), [array.tolist() for array in arrays]))
        results.append(found)
    assert results[0] == results[1]
    assert [done for done, *_ in results[0]] == [False, True, False, True, False, False]
