"""Words against jieba's own (HMM off), which cuts by the same dictionary with the same kind of path.

Four things differ, and explain themselves by weights.  jieba's logarithms are floating point; its total counts the 72 entries that are
left out here, which weighs each word 61 units less; of equal paths it takes the one with the longer *first* word; and a
character that is no word has no edge of its own in jieba where some word begins with it.  So where the paths differ, ours is as good
as jieba's or better, and but for the last by no more than the first two make.
"""

import importlib
import math
import re
import warnings
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from piecetokenizer.pretokenize import Dictionary

TOTAL_OFF = 61
"""Units of 2^-24 between log of jieba's total and of ours: log(60101967 / 60101750) * 2^24 = 60.6."""


@pytest.fixture(scope="module")
def jieba(tmp_path_factory) -> Any:
    """A maker of jieba's tokenizers, which keep their caches in a folder of the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module("jieba")
    module.setLogLevel(60)

    def make(**options: str) -> Any:
        tokenizer = module.Tokenizer(**options)
        tokenizer.tmp_dir = str(tmp_path_factory.mktemp("jieba"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tokenizer.initialize()
        return tokenizer

    return make


def score(words: list[str], entries: dict[str, int], total: int) -> int:
    return sum(round((math.log(entries.get(word, 1)) - math.log(total)) * 2**24) for word in words)


def differs(ours: list[str], theirs: list[str], entries: dict[str, int], total: int, total_off: int) -> bool:
    """Whether two ways to cut a text differ; where they do, ours must be as good or a little better."""
    assert "".join(ours) == "".join(theirs)
    if ours == theirs:
        return False
    lead = score(ours, entries, total) - score(theirs, entries, total)
    assert -len(ours) <= lead <= total_off * abs(len(ours) - len(theirs)) + len(ours) + len(theirs)
    return True


def test_the_dictionary_that_comes_with_the_package(jieba):
    dictionary, tokenizer = Dictionary.load("zh"), jieba()
    lines = (files("piecetokenizer.dicts") / "zh.txt").read_text(encoding="utf-8").splitlines()
    entries = {line.split(" ")[0]: int(line.split(" ")[1]) for line in lines}
    # Only ideographs that jieba's own patterns take for such.
    words = [word for word in entries if re.fullmatch("[\u4e00-\u9fd5]+", word)]
    random = np.random.default_rng(0)
    sums = np.cumsum([entries[word] ** 0.5 for word in words])
    characters = sorted({character for word in words[::50] for character in word})
    different = 0
    for i in range(900):
        if i % 3 == 0:
            text = "".join(words[at] for at in np.searchsorted(sums, random.random(12) * sums[-1]))
        elif i % 3 == 1:
            text = "".join(words[at] for at in random.integers(0, len(words), 12))
        else:
            text = "".join(characters[at] for at in random.integers(0, len(characters), 30))
        theirs = list(tokenizer.cut(text, HMM=False))
        different += differs(dictionary.cut(text), theirs, entries, dictionary.trie.total, TOTAL_OFF)
    assert different <= 9  # one in a hundred; none was seen


def test_small_dictionaries_full_of_ties(jieba, tmp_path):
    random = np.random.default_rng(1)
    different, equal = 0, 0
    for i in range(40):
        entries = dict.fromkeys("甲乙丙丁", 1)
        for _ in range(30):
            word = "".join(random.choice(list("甲乙丙丁"), random.integers(1, 5)))
            entries[word] = int(random.choice([1, 2, 3, 3, 3, 50]))
        file = tmp_path / f"{i}.txt"
        file.write_text("".join(f"{word} {frequency} n\n" for word, frequency in entries.items()), encoding="utf-8")
        dictionary, tokenizer = Dictionary.load(file), jieba(dictionary=str(file))
        for _ in range(20):
            text = "".join(random.choice(list("甲乙丙丁"), 20))
            theirs = list(tokenizer.cut(text, HMM=False))
            if differs(dictionary.cut(text), theirs, entries, dictionary.trie.total, 0):
                different += 1
            else:
                equal += 1
    assert different + equal == 800
    assert equal > different > 0


def test_of_equal_paths_jieba_takes_the_longer_first_word(jieba, tmp_path):
    file = tmp_path / "tie.txt"
    file.write_text("甲乙 5\n乙丙 5\n甲 5\n丙 5\n", encoding="utf-8")
    assert list(jieba(dictionary=str(file)).cut("甲乙丙", HMM=False)) == ["甲乙", "丙"]
    assert Dictionary.load(file).cut("甲乙丙") == ["甲", "乙丙"]


def test_where_a_word_begins_jieba_knows_no_character_alone(jieba, tmp_path):
    file = tmp_path / "alone.txt"
    file.write_text("甲乙 1\n乙丙 900\n丙 1\n", encoding="utf-8")
    assert list(jieba(dictionary=str(file)).cut("甲乙丙", HMM=False)) == ["甲乙", "丙"]
    assert Dictionary.load(file).cut("甲乙丙") == ["甲", "乙丙"]
