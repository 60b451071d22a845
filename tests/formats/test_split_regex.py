"""The regular expression of a pre-tokenizer's rule, against the rule, in the library that it is for."""

import numpy as np
from hypothesis import given
from pretokenize.strategies import texts
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from piecetokenizer import PreTokenizerSpec
from piecetokenizer.formats.split_regex import IMPORTABLE, split_regex
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.pretokenize.classes import class_table

SPLITS = [(PreTokenizer(spec), Split(Regex(split_regex(spec) or ""), "isolated")) for spec in IMPORTABLE]


@given(texts)
def test_matches_are_segments(text: str) -> None:
    text = text.replace("▁", "_")
    for pretokenizer, split in SPLITS:
        theirs = [part.replace("▁", " ") for part, _ in split.pre_tokenize_str(text.replace(" ", "▁"))]
        assert theirs == pretokenizer.pretokenize(text), pretokenizer.spec


def test_the_first_and_the_last_character_of_every_range() -> None:
    """Each beside some of every class: no edge of a table is off by one."""
    first, blocks = class_table()
    of = blocks.reshape(-1, 256)[first[: 0x110000 >> 8]].reshape(-1)
    starts = np.flatnonzero(of[1:] != of[:-1]) + 1
    edges = [chr(code) for code in np.union1d(starts, starts - 1).tolist() if not 0xD7FF < code < 0xE000 and code != 0x2581]
    assert len(edges) > 3000
    lines = [f"a{c}1{c}一{c}\u0301{c}'{c} {c}" for c in edges]
    for place in (0, 7, 15):
        pretokenizer, split = SPLITS[place]
        for line in lines:
            theirs = [part.replace("▁", " ") for part, _ in split.pre_tokenize_str(line.replace(" ", "▁"))]
            assert theirs == pretokenizer.pretokenize(line)


def test_a_dictionary_has_no_expression() -> None:
    assert split_regex(PreTokenizerSpec(cn="dict", cn_dict="zh,1,00")) is None
    assert len({split_regex(spec) for spec in IMPORTABLE}) == len(IMPORTABLE)
