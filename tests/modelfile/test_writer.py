"""The kernel that writes [Pieces]: it gives what the lines one by one give, or nothing; and the same compiled as uncompiled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.model_files import EXAMPLE
from reference.uncompiled import load_uncompiled

from piecetokenizer.columns import Columns, score_column, type_column
from piecetokenizer.modelfile import pieces, writer_cy
from piecetokenizer.modelfile.pieces import format_at_once, format_pieces

ODD = "\\\t\n\r\0\x1f\x7f\x80\x85\x9f\xa0¡ÂÃ\u2027\u2028\u2029\u202aé好😀▁ "


def made(rows: list[tuple[str, float, int]]) -> Columns:
    """Columns of texts, scores and where their left part ends in bytes."""
    texts, scores, cuts = zip(*rows, strict=True)
    types = type_column([1 + n % 6 for n in range(len(rows))])
    return Columns(texts, score_column(scores), types, np.array(cuts, np.int32))


def test_the_kernel_writes_what_the_lines_say() -> None:
    assert format_at_once(EXAMPLE.columns) == format_pieces(EXAMPLE.columns, fast=False)


texts = st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"])), min_size=1, max_size=8)
scores = st.one_of(st.integers(-(10**15) + 1, 10**15 - 1), st.sampled_from([0, -1, -9, -10, -99, -100]))


@given(st.lists(st.tuples(texts, scores, st.integers(0, 8)), min_size=1, max_size=12))
def test_any_texts_and_scores(rows: list[tuple[str, int, int]]) -> None:
    columns = made([(text, score, len(text[:cut].encode()) if cut < len(text) else 0) for text, score, cut in rows])
    slow = format_pieces(columns, fast=False)
    assert format_at_once(columns) == slow
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "Writer", load_uncompiled("modelfile/writer_cy.py").Writer)
        assert format_at_once(columns) == slow
    assert len(slow) <= writer_cy.most_bytes(len(rows), sum(len(text.encode()) for text, *_ in rows))


@pytest.mark.parametrize("row", [("a\udcc3", 0, 0), ("aé", -1, 2), ("a", -1.5, 0), ("a", 1e15, 0), ("a", -1e300, 0)])
def test_what_is_left_to_the_lines(row: tuple[str, float, int]) -> None:
    columns = made([("plain", -1, 0), row])
    assert format_at_once(columns) is None
    assert len(format_pieces(columns).splitlines()) == 2
