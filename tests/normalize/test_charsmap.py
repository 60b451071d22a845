"""Charsmap: rules in, the same rules out, whatever they pass through; and blobs that SentencePiece reads."""

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from normalize import strategies
from normalize.builtin import rules_of
from normalize.oracle import blob_of, by_blob, by_name, by_rules

from piecetokenizer.errors import ModelError, SpecError
from piecetokenizer.normalize import BUILTIN, Charsmap, Normalizer, parse_rules, write_rules
from piecetokenizer.normalize.blob import Trie
from piecetokenizer.spec import PreTokenizerSpec

characters = st.characters(codec="utf-8", min_codepoint=1)
any_rules = strategies.rules | st.dictionaries(st.text(characters, min_size=1, max_size=5), st.text(characters, max_size=5))


@given(any_rules)
def test_rules_survive_the_trie_the_blob_and_the_tsv(rules: dict[str, str]) -> None:
    charsmap = Charsmap.from_rules(rules)
    assert charsmap.rules() == rules
    assert Charsmap.from_blob(charsmap.blob).rules() == rules
    assert parse_rules(write_rules(rules)) == rules
    assert Charsmap.from_rules(dict(reversed(rules.items()))).blob == charsmap.blob


@given(any_rules, any_rules)
def test_equality_is_that_of_the_rules(rules: dict[str, str], others: dict[str, str]) -> None:
    assert (Charsmap.from_rules(rules) == Charsmap.from_rules(others)) == (rules == others)
    changed = rules | dict(list(others.items())[:1])
    assert (Charsmap.from_rules(rules) == Charsmap.from_rules(changed)) == (rules == changed)


@given(any_rules.filter(bool))
def test_layouts_of_sentencepiece_are_equal_to_ours(rules: dict[str, str]) -> None:
    rules = {source: target for source, target in rules.items() if source != target} or {"a": "b"}
    ours = Charsmap.from_rules(rules)
    theirs = Charsmap.from_blob(blob_of(by_rules(rules)))
    assert theirs == ours
    assert hash(theirs) == hash(ours)
    assert theirs.rules() == rules


@pytest.mark.parametrize("name", BUILTIN[1:])
def test_sentencepiece_reads_our_blobs(name: str) -> None:
    rules = rules_of(name)
    sample = list(rules)[:: len(rules) // 5000]
    text = "\ue000".join(sample)
    assert by_blob(Charsmap.builtin(name).blob).normalize(text) == by_name(name).normalize(text)


def test_equal_subtrees_are_stored_once() -> None:
    letters = [chr(code) for code in range(0x100, 0x180)]
    rules = {first + second: "x" for first in letters for second in letters}
    assert len(rules) == 16384
    assert len(Trie.split(Charsmap.from_rules(rules).blob).units) <= 512


@pytest.mark.parametrize("name", BUILTIN)
def test_builtin_sets_are_sound_and_share_one_object(name: str) -> None:
    charsmap = Charsmap.builtin(name)
    assert Charsmap.builtin(name) is charsmap
    assert Charsmap.from_blob(charsmap.blob) == charsmap
    assert pickle.loads(pickle.dumps(charsmap)) is charsmap
    assert len(charsmap.blob) < 260_000


@pytest.mark.parametrize("name", BUILTIN[1:])
def test_the_data_are_what_the_compiler_makes(name: str) -> None:
    assert Charsmap.from_rules(rules_of(name)).blob == Charsmap.builtin(name).blob


def test_pickled_rules_are_equal() -> None:
    charsmap = Charsmap.from_rules({"a": "b", "ab": ""})
    assert pickle.loads(pickle.dumps(charsmap)) == charsmap


def test_unknown_set_is_named() -> None:
    with pytest.raises(SpecError, match=r"normalization='nfc' has no built-in rules: none, nfkc, nmt_nfkc, nfkc_cf, nmt_nfkc_cf have"):
        Charsmap.builtin("nfc")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"": "x"}, "the source '' has 0 bytes; from 1 to 255 are allowed"),
        ({"a" * 256: "x"}, "has 256 bytes; from 1 to 255 are allowed"),
        ({"a\0": "x"}, "holds U\\+0000"),
        ({"a": "\0"}, "holds U\\+0000"),
        ({"\ud800": "x"}, "holds a lone surrogate"),
    ],
)
def test_rules_that_a_charsmap_cannot_hold(rules: dict[str, str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Charsmap.from_rules(rules)


def test_a_rule_may_be_long() -> None:
    rules = {"a" * 255: "b" * 100_000}
    normalizer = Normalizer(PreTokenizerSpec(normalization="custom"), Charsmap.from_rules(rules))
    assert normalizer.normalize("a" * 256) == "b" * 100_000 + "a"


@pytest.mark.parametrize(
    ("tsv", "line", "message"),
    [
        ("0041 0042\n", 1, "has no tab"),
        ("# fine\n\n41\t42\nXY\t42\n", 4, "'XY' is not a code point in hex"),
        ("110000\t\n", 1, "'110000' is not a code point"),
        ("41\tD800\n", 1, "'D800' is not a code point"),
        ("0\t41\n", 1, "'0' is not a code point"),
        ("+41\t42\n", 1, "is not a code point"),
        ("\t42\n", 1, "the source is empty"),
        ("41\t42\n41\t43\n", 2, "41 is already the source of a rule"),
    ],
)
def test_errors_of_a_tsv_name_file_and_line(tmp_path: Path, tsv: str, line: int, message: str) -> None:
    path = tmp_path / "my rules.tsv"
    path.write_text(tsv, "utf-8")
    with pytest.raises(ModelError, match=message) as caught:
        Charsmap.from_tsv(path)
    assert f"my rules.tsv, line {line}: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_a_tsv_may_hold(tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_bytes("\ufeff# comment\r\n\r\nfb01\t66 69\tﬁ, a ligature\r\n200B\t\r\n41\t42\r\n41\t42\r\n".encode())
    assert Charsmap.from_tsv(path).rules() == {"ﬁ": "fi", "\u200b": "", "A": "B"}
    assert Charsmap.from_tsv(str(path)) == Charsmap.from_tsv(path.read_text("utf-8"))


def test_a_tsv_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read: No such file"):
        Charsmap.from_tsv(tmp_path / "none.tsv")
    (tmp_path / "latin.tsv").write_bytes(b"41\t42\t\xe9\n")
    with pytest.raises(ModelError, match="not UTF-8 at byte 6"):
        Charsmap.from_tsv(tmp_path / "latin.tsv")


def test_no_rules_are_the_empty_blob() -> None:
    assert Charsmap.from_rules({}).blob == b""
    assert Charsmap.from_blob(b"") == Charsmap.builtin("none")
