"""The rules behind a verdict, one by one, and the report."""

import itertools
from pathlib import Path

import pytest
from formats.models import trained
from formats.oracles import llama
from hypothesis import given
from hypothesis import strategies as st
from reference.small_models import small_model

from piecetokenizer import Model, Tokenizer, formats
from piecetokenizer.errors import FormatError, InputError, SpecError
from piecetokenizer.formats import lint
from piecetokenizer.formats.columns import columns_of
from piecetokenizer.formats.generate import generated_texts
from piecetokenizer.formats.llama_names import END_NAMES, FILL_NAMES, PRINTED_NAMES, retyped_types
from piecetokenizer.formats.merges import merge_ranks, merges_of, splits
from piecetokenizer.formats.readers import partition
from piecetokenizer.formats.verdict import judge
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.symbols import SymbolMatcher

# ---- boundaries


@pytest.mark.parametrize(
    ("spec", "piece", "found"),
    [
        ({}, "ab", None),
        ({}, " ab", None),
        ({}, "a b", "across a boundary"),
        ({}, "a.", "across a boundary"),
        ({}, ".a", None),
        ({"split": "none"}, "a. b", None),
        ({"split": "space"}, "a.b", None),
        ({"split": "isolate"}, ".a", "across a boundary"),
        ({"split": "isolate"}, "n't", "a boundary in some texts (apostrophes in split=isolate)"),
        ({"digit": "split"}, "12", "across a boundary"),
        ({"cn": "char"}, "你好", "across a boundary"),
        ({"spaces": "run"}, "  ", None),
        ({}, "  ", "across a boundary"),
    ],
)
def test_pieces_across_boundaries_are_found(spec: dict[str, str], piece: str, found: str | None) -> None:
    model = small_model([piece, *dict.fromkeys(piece)], **spec)
    findings = lint.boundaries(model, PreTokenizer(model.pretokenizer))
    assert [finding.kind.value for finding in findings] == ["differs"] * (found is not None)
    assert found is None or found in findings[0].text


# ---- spelled


def naive_symbols(text: str, texts: set[str]) -> set[str]:
    """Every symbol that any order of merges can make somewhere in the text."""
    made = set(text)
    while True:
        more = {a + b for a in made for b in made if a + b in texts and a + b in text} - made
        if not more:
            return made
        made |= more


@given(st.sets(st.text("ab<>", min_size=1, max_size=4), max_size=12), st.text("ab<>", min_size=1, max_size=4))
def test_a_token_that_is_not_found_can_never_be_merged(pieces: set[str], control: str) -> None:
    model = small_model(sorted(pieces - {control}), control=(control,), split="none")
    found = lint.spelled(columns_of(model, user_space=" "), merged=(3,), single=(3,))
    if control in naive_symbols(control, pieces | {control}):
        assert any(control in finding.spelled for finding in found)
    if not found:
        tokenizer = Tokenizer(model.replace(tokenizer=model.tokenizer.replace(semantics="llama")))
        assert model.id_of(control) not in tokenizer.encode(f"a{control}b{control}")


def test_a_user_defined_symbol_with_a_literal_space_mark_can_come_from_a_space() -> None:
    model = small_model(["a", "b", " ", "ab"], user=("▁ab", "a b"), split="none")
    verdict = formats.fidelity(model, to="gguf")
    assert verdict.exceptions == ("texts that spell ▁ab",)


# ---- overlapping


SYMBOLS = st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=4, unique=True)


@given(SYMBOLS, st.text("abc", max_size=20))
def test_symbols_that_do_not_overlap_are_cut_alike(symbols: list[str], text: str) -> None:
    ours = [symbols[index] for _, _, index in SymbolMatcher(symbols).spans(text.encode())]
    theirs = [part for part, taken in partition(text, sorted(symbols, key=len, reverse=True)) if taken]
    assert ours == theirs or lint.overlapping(symbols)


@pytest.mark.parametrize(("symbols", "overlap"), [("ab bcd", True), ("aa", False), ("ab abc b", False), ("aba bab", True)])
def test_overlapping(symbols: str, overlap: bool) -> None:
    assert bool(lint.overlapping(symbols.split())) == overlap


# ---- names


NORMAL, CONTROL, USER_DEFINED = 1 << 2, 1 << 3, 1 << 4
"""Bits of llama.cpp's token attributes."""


OTHERS = ("<|pad|>", "<end>", "</S>", "<|im_start|>", "<think>", "<|unk|>")
CHANGE_OTHERS = {"<|tool_response>", "<|return|>", "<|flush|>"}


def sets_of_names() -> list[list[str]]:
    """Sets in which no name hides what another does: of the names for one role llama.cpp takes only one."""
    rounds = [[*names] for names in itertools.zip_longest(*FILL_NAMES.values())]
    rounds[0] += sorted((END_NAMES | PRINTED_NAMES) - CHANGE_OTHERS)
    rounds[1] += [*OTHERS, "<|tool_response>", "</s>", "<|end|>", "<|return|>", "<|call|>"]
    rounds[2] += ["<|end|>", "<|flush|>", "<|calls|>"]
    rounds[3] += ["<|end|>", "<|return|>"]
    return [[name for name in names if name] for names in rounds]


def _without_eos(names: list[str]) -> Model:
    """A model of these pieces, whose EOS has a name that nobody knows."""
    model = small_model([name for name in names if name != "</s>"], split="none", tokenizer={"eos_id": -1})
    texts = ["<end of text>" if text == "</s>" else text for text in model.texts] + ["</s>"] * ("</s>" in names)
    extra = len(texts) - len(model)
    return model.replace(texts=texts, scores=[*model.scores, *[-99.0] * extra], types=[*model.types, *[1] * extra], parts=None)


@pytest.mark.parametrize("names", sets_of_names(), ids=range(8))
def test_llama_cpp_retypes_just_these_names(names: list[str], tmp_path: Path) -> None:
    model = _without_eos(names)
    formats.export(model, tmp_path / "m.gguf", to="gguf", verify=["a"])
    given = llama(tmp_path / "m.gguf", [["types"]])[0]
    expected = retyped_types(columns_of(model, user_space=" "), {"unk": 0, "bos": 1})
    for name in names:
        id = model.id_of(name)
        found = next(type for type, bit in ((3, CONTROL), (4, USER_DEFINED), (1, NORMAL)) if given[id] & bit)
        assert (name, found) == (name, expected[id])


def test_a_name_that_a_role_has_taken_leaves_the_others_alone(tmp_path: Path) -> None:
    model = small_model(["<MID>", " "], control=("<middle>",), split="none", tokenizer={"fim_mid_id": 259})
    assert formats.export(model, tmp_path / "m.gguf", to="gguf").verdict == "exact"
    assert llama(tmp_path / "m.gguf", [["types"]])[0][model.id_of("<MID>")] == NORMAL
    assert "<MID>" in formats.fidelity(small_model(["<MID>"], split="none"), to="gguf").exceptions[0]


def test_what_retyping_means_for_a_verdict() -> None:
    control = small_model(["a", " "], control=("<|im_end|>", "<|start|>"), split="none")
    verdict = formats.fidelity(control, to="gguf")
    why = "because of its name piece 260 '<|start|>' is always found and printed in llama.cpp"
    assert verdict.exceptions == (f"texts that spell <|start|> ({why})",)
    assert "piece 259 '<|im_end|>' ends generation in llama.cpp, because of its name" in verdict.notes
    user = small_model(["a", " "], user=("<eos>",), split="none")
    assert "is a control token in llama.cpp, which prints nothing" in formats.fidelity(user, to="gguf").exceptions[0]


# ---- merges


@given(st.sets(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=15))
def test_scores_as_merges_and_back(pieces: set[str]) -> None:
    ordered = sorted(pieces)
    columns = columns_of(small_model(ordered, split="none"), user_space=" ")
    merges = merges_of(columns, single=True)
    known = {text: id for id, text in enumerate(ordered)}
    assert len(merges) == sum(len(splits(text, known, single=True)) for text in ordered)
    made = [text for text in ordered if splits(text, known, single=True)]
    assert list(merge_ranks(merges, known, "here", single=True)) == made
    if len(merges) > 1:
        with pytest.raises(FormatError, match=r"here: .*cannot be said by scores"):
            merge_ranks([*merges[1:], merges[0], merges[1]], known, "here", single=True)


# ---- the report


def test_the_report_says_what_was_found() -> None:
    model = trained(reconstruct=True, split="isolate")
    verdict = formats.fidelity(model, to="gguf", verify=["it's", "'s", "a ▁ b", "plain"])
    lines = str(verdict).splitlines()
    assert lines[0] == "gguf (llama): sampled"
    assert "(apostrophes in split=isolate): the reader cuts nowhere" in lines[1]
    assert lines[2] == f"  measured: 3 texts, {verdict.differ} differ"
    assert verdict.differ == len(verdict.examples)
    for example in verdict.examples:
        assert f"    {example.text!r}" in lines
    assert lines[-1].startswith("  note: a literal ▁")


def test_long_examples_are_cut_around_what_differs() -> None:
    example = formats.Difference("x" * 100, tuple(range(50)), (*range(30), 99, *range(31, 50)))
    report = str(formats.Fidelity("gguf", "sampled", tried=1, differ=1, examples=(example,)))
    assert f"'{'x' * 57}...'" in report
    assert "ours   ... 28 29 30 31 32 33 34 35 36 37 38 39 ..." in report
    assert "theirs ... 28 29 99 31 32" in report


def test_a_difference_that_no_rule_foresees_is_said_all_the_same() -> None:
    verdict = judge("x", [], ["a", "b"], lambda text: [1], lambda text: [1 if text == "a" else 2])
    assert (verdict.verdict, verdict.tried, verdict.differ) == ("sampled", 2, 1)
    assert "no rule foresees" in verdict.reasons[0]


def test_options_that_do_not_go_together() -> None:
    model = small_model(["a"])
    with pytest.raises(SpecError, match="to='tiktoken' is not allowed: it is one of gguf, sentencepiece, huggingface"):
        formats.fidelity(model, to="tiktoken")
    with pytest.raises(SpecError, match="route='x' is not allowed: it is one of llama, bpe"):
        formats.fidelity(model, to="gguf", route="x")
    with pytest.raises(SpecError, match="route='bpe' goes with to='gguf' only"):
        formats.fidelity(model, to="sentencepiece", route="bpe")
    with pytest.raises(InputError, match=r"/nowhere: cannot be read to verify with: No such file"):
        formats.fidelity(model, to="gguf", verify="/nowhere")


def test_verify_reads_the_lines_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "texts").write_bytes("one\r\ntwo  \n\nbad \xff\nlast".encode("latin-1"))
    verdict = formats.fidelity(small_model(["a", "o", " "], split="none"), to="gguf", verify=tmp_path / "texts")
    assert (verdict.verdict, verdict.tried) == ("exact", 5)


def test_generated_texts_are_the_same_every_time_and_hold_what_is_hard() -> None:
    model = trained(user_defined=("New York",))
    texts = list(itertools.islice(generated_texts(model), 1000))
    assert texts == list(itertools.islice(generated_texts(model), 1000))
    assert texts != list(itertools.islice(generated_texts(model, seed=1), 1000))
    joined = "\n".join(texts)
    assert all(part in joined for part in ("New York", "'s", "  ", "\t", "👍"))


def test_a_vocabulary_without_the_space_says_so(tmp_path: Path) -> None:
    """Readers write ▁ for a space before they know whether it is a piece."""
    model = small_model(["a", "b", "ab"], split="none")
    for to in formats.FORMATS:
        verdict = formats.fidelity(model, to=to, verify=["ab", "a b"])
        assert (verdict.verdict, verdict.differ) == ("sampled", 1)
        assert "the space is no piece" in verdict.reasons[0]
