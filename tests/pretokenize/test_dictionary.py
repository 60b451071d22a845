"""The format of dictionary files, and what identifies them."""

import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.uncompiled import load_uncompiled

from piecetokenizer.errors import ModelError, SpecError
from piecetokenizer.pretokenize import Dictionary, PreTokenizer, trie
from piecetokenizer.spec import PreTokenizerSpec


def load(data: bytes) -> Dictionary:
    return Dictionary("test", data, "some/where.txt")


def counts(dictionary: Dictionary) -> tuple[int, int, int, int]:
    trie = dictionary.trie
    return trie.entries, trie.words, trie.foreign, trie.repeated


def test_every_way_to_write_a_line():
    data = "\ufeff你好 3\n世界\t4\n\n大家 5 n\r\n都好\t6\tn tag with more\n很 007\n没有".encode() + b" 9223372036854775807"
    dictionary = load(data)
    assert counts(dictionary) == (6, 6, 0, 0)
    assert dictionary.trie.total == 3 + 4 + 5 + 6 + 7 + 2**63 - 1
    assert dictionary.cut("你好世界都好大家") == ["你好", "世界", "都好", "大家"]


def test_words_that_are_left_out_are_counted():
    dictionary = load("New York\t5\nC++ 3\nB超 3\n你好 3\n你好 900\nＡ 1\n. 2 x\n".encode())
    assert counts(dictionary) == (7, 1, 5, 1)
    assert dictionary.trie.total == 3
    assert dictionary.report() == "test: 7 entries, 1 words used; left out: 5 not wholly Han, 1 repeated"


@pytest.mark.parametrize(
    ("data", "line", "problem"),
    [
        ("你好 3\n世界\n", 2, "no TAB or space"),
        ("你好 3\n 5\n", 2, "no word"),
        ("\t5\n", 1, "no word"),
        ("你好 \n", 1, "not a whole number"),
        ("你好 n 5\n", 1, "not a whole number"),
        ("你好  5\n", 1, "not a whole number"),
        ("New York 5\n", 1, "not a whole number"),
        ("你好 -5\n", 1, "not a whole number"),
        ("你好 5.0\n", 1, "not a whole number"),
        ("你好 ５\n", 1, "not a whole number"),
        ("你好 5n\n", 1, "not a whole number"),
        ("你好 3\n\n世界 0 n\n", 3, "the frequency is 0"),
        ("你好 9223372036854775808\n", 1, "above 9223372036854775807"),
        ("你好 99999999999999999999999999\n", 1, "above 9223372036854775807"),
        ("你好 3\n" + "好" * 256 + " 3\n", 2, "more than 255 characters"),
        ("你好 3\n世\0界 3\n", 2, "NUL"),
        ("你好 3\n世界 3 \0\n", 2, "NUL"),
        ("   \n", 1, "no word"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(data, line, problem):
    with pytest.raises(ModelError, match=rf"^some/where\.txt, line {line}: .*{problem}"):
        load(data.encode())


def test_bytes_that_are_not_utf8_are_named():
    with pytest.raises(ModelError, match=r"line 3: bytes that are not UTF-8"):
        load("你好 3\n世界 3\n".encode() + b"\xff\xfe 3\n")
    with pytest.raises(ModelError, match=r"line 1: bytes that are not UTF-8"):
        load("你好 3".encode("utf-16"))


def test_the_message_shows_no_more_than_the_beginning_of_a_long_line():
    with pytest.raises(ModelError) as caught:
        load(("好" * 100_000).encode())
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\n\n", b"abc 5\n"])
def test_a_dictionary_without_a_word_is_an_error(data):
    with pytest.raises(ModelError, match=r"some/where\.txt: "):
        load(data)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"nothing\.txt: the dictionary cannot be read: No such file"):
        Dictionary.load(tmp_path / "nothing.txt")
    with pytest.raises(ModelError, match="the dictionary cannot be read: Is a directory"):
        Dictionary.load(tmp_path)
    odd = tmp_path / "a\nb.txt"
    odd.write_text("你好 3\n")
    with pytest.raises(ModelError, match="rename the file"):
        Dictionary.load(odd)


def test_a_file_by_path(tmp_path):
    file = tmp_path / "my,own.txt"
    file.write_text("你好 3\n", encoding="utf-8")
    dictionary = Dictionary.load(str(file))
    assert dictionary.identity.startswith("my,own.txt,1,")
    spec = PreTokenizerSpec(cn="dict", cn_dict=dictionary.identity)
    assert PreTokenizer(spec, dictionary).pretokenize("你好") == ["你好"]
    with pytest.raises(ModelError, match=r"needs the dictionary my,own.txt \(1 entries, SHA-256 [0-9a-f]{64}\): give the file"):
        PreTokenizer(spec)


def test_another_dictionary_than_the_models_is_an_error():
    one, other = load("你好 3\n".encode()), load("你好 4\n".encode())
    with pytest.raises(ModelError, match=r"needs the dictionary test \(1 entries, SHA-256 .*not test \(1 entries"):
        PreTokenizer(PreTokenizerSpec(cn="dict", cn_dict=one.identity), other)
    # The same words under another name are the same dictionary.
    renamed = Dictionary("renamed", "你好 3\n".encode(), "renamed")
    assert PreTokenizer(PreTokenizerSpec(cn="dict", cn_dict=one.identity), renamed).pretokenize("你好!") == ["你好", "!"]
    with pytest.raises(ModelError, match="the model needs the dictionary 'nonsense'"):
        PreTokenizer(PreTokenizerSpec(cn="dict", cn_dict="nonsense"))
    with pytest.raises(SpecError, match="this model uses no dictionary"):
        PreTokenizer(PreTokenizerSpec(), one)


def test_may_be_a_boundary_inside_a_run():
    dictionary = load("你好 3\n".encode())
    pretokenizer = PreTokenizer(PreTokenizerSpec(cn="dict", cn_dict=dictionary.identity), dictionary)
    assert pretokenizer.may_be_boundary("你", "好")
    assert not pretokenizer.never_inside("你", "好")
    assert pretokenizer.never_inside("你", "a")
    assert not pretokenizer.may_be_boundary("你", "\u0301")


def test_the_dictionary_that_comes_with_the_package():
    dictionary = Dictionary.load("zh")
    assert dictionary.identity == "zh,349046,7197c3211ddd98962b036cdf40324d1ea2bfaa12bd028e68faa70111a88e12a8"
    assert counts(dictionary) == (349046, 348974, 72, 0)
    assert Dictionary.load("zh") is dictionary
    assert dictionary.cut("今天是星期天,我们去北京大学。") == ["今天", "是", "星期天", ",", "我们", "去", "北京大学", "。"]
    pretokenizer = PreTokenizer(PreTokenizerSpec(cn="dict", cn_dict=dictionary.identity))
    assert pretokenizer.pretokenize("𠮷野家很好吃") == ["𠮷", "野", "家", "很", "好吃"]


def test_the_dictionary_is_not_loaded_unless_it_is_asked_for():
    code = """
import sys
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.spec import PreTokenizerSpec
for cn in ("none", "char"):
    PreTokenizer(PreTokenizerSpec(cn=cn)).pretokenize("今天")
assert not [name for name in sys.modules if name.startswith("piecetokenizer.dicts")]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_tables_cannot_be_written_and_survive_pickling():
    dictionary = load("你好 3\n".encode())
    for table in (dictionary.trie.roots, dictionary.trie.slots, dictionary.trie.weights):
        assert not table.flags.writeable
    again = pickle.loads(pickle.dumps(dictionary))
    assert (again.identity, again.cut("你好你")) == (dictionary.identity, ["你好", "你"])
    assert len(pickle.dumps(Dictionary.load("zh"))) < 200
    assert pickle.loads(pickle.dumps(Dictionary.load("zh"))) is Dictionary.load("zh")


@given(st.lists(st.text(st.sampled_from("甲乙丙丁戊𠮷"), min_size=1, max_size=6), min_size=1, max_size=60))
def test_the_trie_finds_every_word_and_no_other(entries):
    dictionary = load("".join(f"{word} 1000000\n" for word in entries).encode())
    assert dictionary.trie.words == len(set(entries))
    for word in set(entries):
        assert dictionary.cut(word) == [word]


short_words = st.text(st.sampled_from("甲乙𠮷甲乙𠮷a\t "), max_size=5)
lines_of_words = st.tuples(short_words, st.sampled_from([" 3", "\t5 n", " 7", "\t1", "", " 0", " x"]))


@given(st.lists(lines_of_words, min_size=1, max_size=12))
def test_uncompiled_reads_the_same(parts):
    lines = "".join(f"{word}{rest}\n" for word, rest in parts).encode()
    results = []
    for reader in (trie.WordReader, load_uncompiled("pretokenize/lexicon_cy.py").WordReader):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trie, "WordReader", reader)
            try:
                found = trie.read_trie(lines, 0x123456789ABCDEF1)
            except trie.BadLine as error:
                results.append((error.line, error.problem))
            else:
                results.append((found.slots.tobytes(), found.roots.tobytes(), found.weights.tobytes(), found.longest, found.total))
                results[-1] += (found.entries, found.words, found.foreign, found.repeated)
    assert results[0] == results[1]


def test_many_words_make_the_tables_grow():
    """Long words of their own bring many more nodes than lines."""
    words = [chr(0x4E00 + i) + "".join(chr(0x4E00 + (i * 37 + j * j) % 20000) for j in range(200)) for i in range(300)]
    dictionary = load("".join(f"{word} 5\n" for word in words).encode())
    assert dictionary.trie.words == 300
    assert dictionary.trie.longest == 201
    assert dictionary.cut(words[7] + words[3]) == [words[7], words[3]]


@given(st.binary(max_size=60))
def test_any_bytes_are_a_dictionary_or_a_clear_error(data):
    message = ""
    try:
        assert load(data).trie.words > 0
    except ModelError as error:
        message = str(error)
    assert message == "" or (message.startswith("some/where.txt") and "\n" not in message)
