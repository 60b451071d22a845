"""Small random vocabularies, with everything in them that formats disagree about: no difference may surprise the verdict."""

import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from formats.models import texts_for, trained
from formats.oracles import llama_encode
from hypothesis import given, settings
from hypothesis import strategies as st

from piecetokenizer import Model, formats
from piecetokenizer.errors import FormatError, MissingExtraError, ModelError
from piecetokenizer.formats.columns import columns_of
from piecetokenizer.formats.drafts import gguf_draft
from piecetokenizer.formats.huggingface import tokenizer_json
from piecetokenizer.formats.merges import merges_of
from piecetokenizer.formats.readers import HuggingFaceReader, huggingface_encode
from piecetokenizer.formats.split_regex import split_regex
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec

ALPHABET = "aab'1 .<>é一\u0301ﬁ\n"
TEXTS = st.lists(st.text(ALPHABET + "▁ＡA", max_size=16), min_size=1, max_size=8)
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


@st.composite
def models(draw: st.DrawFn) -> Model:
    """A model of some pieces of each type, under any rule."""
    semantics = draw(st.sampled_from(["native", "native", "native", "llama", "sentencepiece"]))
    native = semantics == "native"
    spec = PreTokenizerSpec(
        normalization=draw(st.sampled_from(["none", "none", "nfkc"])) if semantics != "llama" else "none",
        reconstruct=draw(st.booleans()) if semantics != "llama" else True,
        prefix="none" if native else draw(st.sampled_from(["none", "text" if semantics == "sentencepiece" else "fragment"])),
        split=draw(st.sampled_from(["word", "isolate", "space", "none"])) if native else "none",
        digit=draw(st.sampled_from(["keep", "split"])) if native else "keep",
        cn=draw(st.sampled_from(["none", "char"])) if native else "none",
        spaces=draw(st.sampled_from(["each", "run"])) if native else "each",
    )
    pieces = draw(st.lists(st.text(ALPHABET, min_size=1, max_size=4), max_size=14, unique=True))
    rows = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), *((f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256))]
    if not native or draw(st.integers(0, 9)):  # no other tool makes a vocabulary without the space
        pieces.append(" ")
    ranks = draw(st.permutations(range(len(pieces))))
    taken = {text for text, _, _ in rows}
    for text, rank in zip(dict.fromkeys(pieces), ranks, strict=False):
        type = draw(st.sampled_from([NORMAL] * 7 + [CONTROL, USER_DEFINED, UNUSED])) if text != " " else NORMAL
        shown = text.replace(" ", "▁") if type == NORMAL else text
        if shown not in taken:
            taken.add(shown)
            rows.append((shown, -float(rank) if type == NORMAL else 0.0, type))
    texts, scores, types = zip(*rows, strict=True)
    return Model(
        counter=CounterSpec(method="sentencepiece" if native else "imported", vocab_size=len(rows)),
        pretokenizer=spec,
        tokenizer=TokenizerSpec(semantics=semantics, bos_id=1),
        texts=texts,
        scores=scores,
        types=types,
    )


@pytest.mark.parametrize(("to", "route"), [("gguf", "llama"), ("gguf", "bpe"), ("sentencepiece", "llama"), ("huggingface", "llama")])
@settings(max_examples=150)
@given(models(), TEXTS)
def test_no_difference_is_a_surprise(to: str, route: str, model: Model, texts: list[str]) -> None:
    try:
        verdict = formats.fidelity(model, to=to, route=route, verify=texts)
    except ModelError as error:
        assert "unused" in str(error)  # noqa: PT017  # the one kind of imported model that cannot be used at all
        return
    assert not any("no rule foresees" in reason for reason in verdict.reasons), f"{verdict}\n{[*model][258:]}\n{model.pretokenizer}"


# ---- what is not installed


@pytest.mark.parametrize(
    "options",
    [{"reconstruct": True}, {}, {"user_defined": ("://", "the")}, {"split": "isolate", "reconstruct": True}, {"normalization": "nfkc"}],
    ids=str,
)
def test_the_model_of_tokenizers_does_what_the_library_does(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    model = trained(**options)
    columns = columns_of(model, user_space=" ")
    merges = merges_of(columns)
    pattern = split_regex(model.pretokenizer) if model.pretokenizer.split == "isolate" else None
    content = tokenizer_json(model, columns, merges, pattern)
    cut = PreTokenizer(model.pretokenizer).pretokenize if pattern else None
    library = huggingface_encode(content, merges, cut)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    ours = huggingface_encode(content, merges, cut)
    assert isinstance(getattr(ours, "__self__", None), HuggingFaceReader)
    texts = [text for text in texts_for(model) if options.get("normalization") is None or text.isascii()]
    assert [ours(text) for text in texts] == [library(text) for text in texts]


def test_a_gguf_is_read_without_the_package_that_writes_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    formats.export(trained(reconstruct=True), tmp_path / "m.gguf", to="gguf", verify=["a"])
    monkeypatch.setitem(sys.modules, "gguf", None)
    assert len(formats.load(tmp_path / "m.gguf")) == len(trained(reconstruct=True))


def test_without_sentencepiece_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    formats.export(trained(), tmp_path / "m.model", to="sentencepiece", verify=["a"])
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    for use in (lambda: formats.load(tmp_path / "m.model"), lambda: formats.fidelity(trained(), to="sentencepiece")):
        with pytest.raises(MissingExtraError, match=r"pip install 'piecetokenizer\[sentencepiece\]'"):
            use()


@pytest.mark.parametrize("route", formats.ROUTES)
@settings(max_examples=8)
@given(models(), TEXTS)
def test_the_models_of_llama_cpp_do_what_it_does(route: str, model: Model, texts: list[str]) -> None:
    """On the same random vocabularies; one process of llama.cpp for each."""
    try:
        draft = gguf_draft(model, PreTokenizer(model.pretokenizer), route=route, name="x", template=None)
    except FormatError as error:
        assert any(reason in str(error) for reason in ("no space prefix", "without a merge"))  # noqa: PT017  # route bpe
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.gguf")
        draft.write(path)
        assert llama_encode(path, texts) == [draft.theirs(text) for text in texts]
