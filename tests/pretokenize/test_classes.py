"""The frozen class table is Unicode 17.0's, at every code point."""

import numpy as np
import pytest
import unicodedata2
from reference import pretokenize as reference

from piecetokenizer.pretokenize.classes import CLASSES, STAGE_ONE, class_of, class_table
from piecetokenizer.pretokenize.trie import FIRST, LAST


def test_every_code_point_has_the_class_of_its_category():
    assert unicodedata2.unidata_version == "17.0.0"
    first, blocks = class_table()
    found = blocks.reshape(-1, 256)[first].ravel()
    assert len(found) == STAGE_ONE * 256
    wrong = []
    for code_point in range(0x110000):
        letter = CLASSES[found[code_point]]
        expected = "A" if code_point in (0x27, 0x2019) else reference.class_of(chr(code_point))
        if letter != expected:
            wrong.append((hex(code_point), letter, expected))
    assert wrong == []
    # Behind the end of Unicode, where only malformed bytes lead.
    assert set(found[0x110000:]) == {CLASSES.index("P")}


@pytest.mark.parametrize("han", "𠮷\u3400\U0002a700\U00030000\uf900\U0002f800\ufa0e々〇〻\U00033479")
def test_ideographs_of_every_plane_are_han(han):
    assert class_of(han) == "H"


def test_the_tables_of_the_dictionary_reach_all_han():
    first, blocks = class_table()
    han = np.flatnonzero(blocks.reshape(-1, 256)[first].ravel() == CLASSES.index("H"))
    assert FIRST <= han.min() <= han.max() <= LAST


def test_numerals_that_are_no_decimal_digits_are_not_class_digit():
    assert [class_of(c) for c in "1١۱１१"] == ["D"] * 5
    assert [class_of(c) for c in "²Ⅹ①〡"] == ["P"] * 4
    assert [class_of(c) for c in "一二"] == ["H", "H"]


def test_what_is_never_assigned_is_p():
    assert [class_of(c) for c in "\ue000\U0010ffff\u0378\ufffe"] == ["P"] * 4


def test_table_is_read_only():
    first, blocks = class_table()
    assert not first.flags.writeable
    assert not blocks.flags.writeable
    assert first.dtype == blocks.dtype == np.uint8
