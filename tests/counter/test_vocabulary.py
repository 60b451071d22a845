"""The whole vocabulary: layout of ids, sizes, scores, and what happens when it cannot be."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecetokenizer.counter.layout import BYTE_PIECES, plan
from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.vocabulary import Vocabulary, learn_vocabulary
from piecetokenizer.errors import InputError, SpecError
from piecetokenizer.model import Model, PieceType
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec


def learn(counts: str, **options: object) -> Vocabulary:
    """Learn from `text:count` items; `_` stands for a space."""
    pairs = [(text.replace("_", " "), int(count)) for text, _, count in (item.rpartition(":") for item in counts.split())]
    return learn_vocabulary(Segments.from_pairs(pairs), CounterSpec(**options))  # type: ignore[arg-type]


def as_model(vocabulary: Vocabulary, spec: CounterSpec) -> Model:
    roles = {f"{role}_id": id for role, id in vocabulary.roles.items()}
    return Model(
        counter=spec,
        pretokenizer=PreTokenizerSpec(),
        tokenizer=TokenizerSpec(**roles),  # type: ignore[arg-type]
        texts=vocabulary.texts,
        scores=vocabulary.columns.scores,
        types=vocabulary.columns.types,
        parts=vocabulary.parts,
    )


def without_bytes(vocabulary: Vocabulary) -> str:
    return " ".join(text for text in vocabulary.texts if text not in BYTE_PIECES).replace("▁", "_")


@pytest.mark.parametrize(
    ("counts", "options", "pieces"),
    [
        # unk bos eos, then (256 bytes,) merges, then characters by frequency
        ("ab:3 _ab:2 c:9", {"vocab_size": 265}, "<unk> <s> </s> ab _ab c a b _"),
        ("ab:3 _ab:2 c:9", {"vocab_size": 264}, "<unk> <s> </s> ab c a b _"),
        ("ab:3 _ab:2 c:9", {"vocab_size": 263}, "<unk> <s> </s> c a b _"),
        ("ab:3 _ab:2 c:9", {"vocab_size": 264, "pad_piece": "<pad>"}, "<unk> <s> </s> <pad> c a b _"),
        ("ab:3 _ab:2 c:9", {"vocab_size": 264, "pad_id": 0, "unk_id": 3}, "<pad> <s> </s> <unk> c a b _"),
        ("ab:3", {"vocab_size": 260, "bos_id": -1, "eos_piece": ""}, "<unk> ab a b"),
        ("ab:3", {"vocab_size": 261, "bos_piece": "<|end|>", "eos_piece": "<|end|>", "eos_id": 1}, "<unk> <|end|> ab a b"),
        ("ab:3", {"vocab_size": 262, "eos_id": 261}, "<unk> <s> ab a b </s>"),
        ("ab:3", {"vocab_size": 264, "control": ("<c>",), "reserve": 1}, "<unk> <s> </s> ab a b <c> <|reserved_0|>"),
        ("ab:3", {"vocab_size": 263, "user_defined": ("x y",)}, "<unk> <s> </s> x y ab a b"),
        ("ab:3 a:1 c:1", {"vocab_size": 262, "user_defined": ("c",)}, "<unk> <s> </s> c a b"),
        ("ab:3", {"vocab_size": 262, "user_defined": ("ab",)}, "<unk> <s> </s> ab a b"),
        ("ab:3", {"vocab_size": 262, "pad_to_multiple": 5}, "<unk> <s> </s> ab a b <|reserved_0|> <|reserved_1|> <|reserved_2|>"),
        ("ab:3", {"vocab_size": 263, "pad_to_multiple": 4, "reserve": 1}, "<unk> <s> </s> ab a b <|reserved_0|> <|reserved_1|>"),
        ("ab:3 cd:1", {"vocab_size": 262, "min_count": 2}, "<unk> <s> </s> ab a b"),
        ("ab:3", {"vocab_size": 263, "required_chars": "z"}, "<unk> <s> </s> ab a b z"),
    ],
)
def test_one_line(counts: str, options: dict[str, object], pieces: str) -> None:
    vocabulary = learn(counts, **options)
    assert without_bytes(vocabulary) == pieces
    model = as_model(vocabulary, CounterSpec(**options))  # type: ignore[arg-type]
    assert Model.loads(model.dumps()) == model


def test_columns() -> None:
    vocabulary = learn("ab:3 _ab:2", vocab_size=266, control=("<c>",), user_defined=("u",))
    assert vocabulary.texts[:4] == ("<unk>", "<s>", "</s>", "<0x00>")
    assert vocabulary.texts[258:] == ("<0xFF>", "u", "ab", "▁ab", "a", "b", "▁", "<c>")
    assert vocabulary.columns.types[:4].tolist() == [PieceType.UNKNOWN, PieceType.CONTROL, PieceType.CONTROL, PieceType.BYTE]
    assert vocabulary.columns.types[258:].tolist() == [6, 4, 1, 1, 1, 1, 1, 3]
    assert vocabulary.columns.scores[258:].tolist() == [0, 0, 0, -1, -2, -3, -4, 0]
    assert vocabulary.parts[258:] == (None, None, ("a", "b"), ("▁", "ab"), None, None, None, None)
    assert vocabulary.roles == {"unk": 0, "bos": 1, "eos": 2, "pad": -1}


def test_size_equal_to_the_least_passes_and_one_less_says_why() -> None:
    assert len(learn("ab:3", vocab_size=261)) == 261
    with pytest.raises(SpecError) as caught:
        learn("ab:3", vocab_size=260)
    assert "vocab_size=260 is too small: the sizes possible are 261 to at most 262" in str(caught.value)
    assert "256 bytes, 3 special, 0 user-defined, 0 control, 2 characters" in str(caught.value)


def test_size_too_large_says_what_is_possible() -> None:
    with pytest.raises(InputError, match=r"vocab_size=8000 is too large: no pair is left .* the sizes possible are 260 to 260"):
        learn("a:1", vocab_size=8000)
    soft = learn("a:1", vocab_size=8000, soft_vocab_limit=True)
    assert len(soft) == 260
    assert soft.note == "260 pieces in place of 8000: no pair is left"
    assert learn("a:1", vocab_size=260).note == ""


def test_nothing_to_learn_from() -> None:
    with pytest.raises(InputError, match="the corpus has no segments"):
        learn("", vocab_size=300)
    with pytest.raises(InputError, match="with min_count=5 all 2 distinct segments are left out"):
        learn("a:1 b:4", vocab_size=300, min_count=5)


def test_what_was_dropped_is_counted() -> None:
    assert learn("ab:3 cd:1 ef:1", vocab_size=262, min_count=2).dropped == (2, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unk_id": -1}, "unk_id=-1 is not allowed: every vocabulary has an unknown piece"),
        ({"bos_id": 0}, "unk_piece='<unk>' has unk_id=0 and bos_piece='<s>' has bos_id=0: one piece has one id"),
        ({"bos_piece": "</s>"}, "bos_piece='</s>' has bos_id=1 and eos_piece='</s>' has eos_id=2"),
        ({"bos_piece": "<unk>", "bos_id": 0}, "bos_piece='<unk>' is the unk_piece too"),
        ({"eos_piece": "<0x41>"}, "eos_piece='<0x41>' is not allowed: it is the name of a byte piece"),
        ({"control": ("<s>",)}, "control holds '<s>', which is the bos_piece already"),
        ({"user_defined": ("x",), "control": ("x",)}, "control holds 'x', which is in user_defined already"),
        ({"user_defined": ("<0x0A>",)}, "user_defined holds '<0x0A>', which is a byte piece already"),
        ({"control": ("<|reserved_0|>",), "reserve": 1}, "holds '<|reserved_0|>', which is in control already"),
        ({"eos_id": 400, "vocab_size": 262}, "eos_id=400 is not possible: the vocabulary has 262 pieces"),
    ],
)
def test_layouts_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        learn("ab:3", **{"vocab_size": 262, **options})
    assert message in str(caught.value)


def test_pad_shares_a_name() -> None:
    layout = plan(CounterSpec(pad_piece="</s>"))
    assert layout.roles == {"unk": 0, "bos": 1, "eos": 2, "pad": 2}
    assert layout.fixed == {0: "<unk>", 1: "<s>", 2: "</s>"}


def test_a_piece_with_a_space_blocks_the_merge_that_looks_like_it() -> None:
    assert "a▁b" not in learn("a_b:5", vocab_size=265, user_defined=("a b",), soft_vocab_limit=True).texts


def test_text_that_spells_special_pieces_is_not_learned_twice() -> None:
    vocabulary = learn("<s>:9 <0x41>:9", vocab_size=400, soft_vocab_limit=True)
    assert vocabulary.texts.count("<s>") == vocabulary.texts.count("<0x41>") == 1


AWKWARD = ["\n", "\n\n", "\t", " ", "\r", "\u2028", "\u0085", "\\", '"', "#", "\0", "[Pieces]", "a\\x09", "\x1b[0m", "#\n#", "=", "好"]


@given(st.lists(st.tuples(st.sampled_from(AWKWARD), st.sampled_from(AWKWARD)), min_size=1, max_size=8), st.integers(0, 40))
def test_any_vocabulary_survives_its_file(pairs: list[tuple[str, str]], merges: int) -> None:
    spec = CounterSpec(vocab_size=300 + merges, soft_vocab_limit=True, character_coverage=1.0)
    vocabulary = learn_vocabulary(Segments.from_pairs([(left + right, 3) for left, right in pairs]), spec)
    model = as_model(vocabulary, spec)
    again = Model.loads(model.dumps())
    assert again == model
    assert again.texts == vocabulary.texts
    assert again.parts == vocabulary.parts


def test_blank_lines_are_learned_when_they_are_in_segments() -> None:
    assert "\n\n" in learn_vocabulary(Segments.from_pairs([("\n\n", 50), ("a", 1), ("b", 1)]), CounterSpec(vocab_size=263)).texts


SCRIPT = """
import hashlib, random
from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.vocabulary import learn_vocabulary
from piecetokenizer.spec import CounterSpec
words = [a + b + c for a in "abcd" for b in "abcd" for c in " ef"]
random.shuffle(words)
pairs = [(word, 2) for word in words]
vocabulary = learn_vocabulary(Segments.from_pairs(pairs), CounterSpec(vocab_size=320, control=("<x>", "<y>"), user_defined=("qq", "rr")))
print(hashlib.sha256(repr((vocabulary.texts, vocabulary.columns.scores.tolist(), vocabulary.parts)).encode()).hexdigest())
"""


def test_ties_without_end_are_the_same_in_every_process() -> None:
    found = {
        subprocess.run([sys.executable, "-c", SCRIPT], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1
