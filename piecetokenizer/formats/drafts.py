"""One draft for each format: what the file will hold, what is known about it, and a reader of it to measure with.

In: a Model and its PreTokenizer.  Out: a Draft; making one checks everything and writes nothing.

Which rules apply to an export follows from what the model does itself and what the reader does.  Both are one of three: `native` merges
NORMAL pieces only, `sentencepiece` UNUSED ones too (and takes them apart again), `llama` any token.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass

from piecetokenizer.errors import FormatError
from piecetokenizer.formats import lint, llama_names
from piecetokenizer.formats.columns import BYTE, CONTROL, NORMAL, SPACE, UNKNOWN, UNUSED, USER_DEFINED, Columns, columns_of, show
from piecetokenizer.formats.gguf import roles_of, write_gguf
from piecetokenizer.formats.huggingface import tokenizer_json, write_huggingface
from piecetokenizer.formats.merges import merges_of
from piecetokenizer.formats.readers import LlamaBpeReader, LlamaReader, huggingface_encode, sentencepiece_encode
from piecetokenizer.formats.sentencepiece import model_proto, write_sentencepiece
from piecetokenizer.formats.split_regex import split_regex
from piecetokenizer.formats.verdict import Encode, Finding, Kind
from piecetokenizer.model import Model
from piecetokenizer.pretokenize import PreTokenizer

__all__ = ["Draft", "gguf_draft", "huggingface_draft", "sentencepiece_draft"]

MERGED = {
    "native": frozenset[int](),
    "sentencepiece": frozenset({UNUSED}),
    "llama": frozenset({UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE}),
}
"""The types beside NORMAL that merges can make."""

SINGLE = {"native": frozenset[int](), "sentencepiece": frozenset[int](), "llama": frozenset({UNKNOWN, CONTROL, UNUSED, BYTE})}
"""The types beside NORMAL that one character of a text can be; a user-defined one is found before."""


@dataclass(frozen=True)
class Draft:
    """An export that is ready to be judged and written; `parses` says that the reader always looks for control tokens in a text."""

    format: str
    findings: list[Finding]
    theirs: Encode
    write: Callable[[str | os.PathLike[str]], None]
    parses: bool = False


def gguf_draft(model: Model, pretokenizer: PreTokenizer, *, route: str, name: str, template: str | None) -> Draft:
    """For llama.cpp: route llama merges by score and any token, route bpe has its merges written out."""
    if any(word in name.lower() for word in ("phi-3", "phi3")):
        raise FormatError(f"the name {name!r} would make llama.cpp strip spaces behind tokens: use one without phi-3 or phi3")
    columns = columns_of(model, user_space=" ")
    spec = model.pretokenizer
    roles = roles_of(model.tokenizer)
    types = llama_names.retyped_types(columns, roles)
    findings = [
        *lint.normalized(model),
        *lint.boundaries(model, pretokenizer),
        *llama_names.retyped(columns, roles),
        *lint.literal_space(model, "llama"),
        *_prefix(model, columns, "fragment"),
    ]
    if model.tokenizer.semantics != "llama":
        findings += lint.overlapping(columns.of_type(USER_DEFINED))
    if model.tokenizer.eos_id < 0:
        findings.append(Finding(Kind.NOTE, "the model has no EOS, which GGUF cannot say: its key names the unknown token"))
    if route == "llama":
        findings += _merged(model, columns, MERGED["llama"], SINGLE["llama"])
        theirs = LlamaReader(columns.texts, columns.scores, types, space_prefix=spec.prefix != "none")
        merges = None
    else:
        if spec.prefix != "none":
            raise FormatError("the bpe route has no space prefix: export this model with route llama")
        findings += _merged(model, columns, MERGED["native"], SINGLE["llama"])
        findings += _lines(columns)
        merges = merges_of(columns, single=True)
        if not merges:
            raise FormatError("llama.cpp does not load the bpe route without a merge, and this model has none: export it with route llama")
        theirs = LlamaBpeReader(columns.texts, types, merges)

    def write(path: str | os.PathLike[str]) -> None:
        write_gguf(model, columns, path, name=name, merges=merges, template=template)

    return Draft(f"gguf ({route})", findings, theirs.encode, write)


def sentencepiece_draft(model: Model, pretokenizer: PreTokenizer) -> Draft:
    """For SentencePiece, which normalizes as we do and is itself the reader to measure with."""
    columns = columns_of(model, user_space=SPACE)
    if len(columns.of_type(UNKNOWN)) != 1:
        raise FormatError(f"{len(columns.of_type(UNKNOWN))} pieces are of type unknown: a SentencePiece model has exactly one")
    findings = [
        *lint.boundaries(model, pretokenizer),
        *lint.literal_space(model, "sentencepiece"),
        *_merged(model, columns, MERGED["sentencepiece"], SINGLE["sentencepiece"]),
        *_prefix(model, columns, "text"),
    ]
    if model.tokenizer.semantics != "sentencepiece":
        findings += _found_after_normalizing(model)
    if model.tokenizer.semantics == "llama":
        findings += lint.overlapping(columns.of_type(USER_DEFINED))
    data = model_proto(model, columns)
    return Draft("sentencepiece", findings, sentencepiece_encode(data), lambda path: write_sentencepiece(data, path))


def huggingface_draft(model: Model, pretokenizer: PreTokenizer, *, template: str | None) -> Draft:
    """For tokenizers and transformers, with the library as the reader if it is installed."""
    columns = columns_of(model, user_space=" ")
    unknown = columns.of_type(UNKNOWN)
    if len(unknown) != 1:
        raise FormatError(f"{len(unknown)} pieces are of type unknown: this export needs exactly one")
    spec = model.pretokenizer
    added = columns.of_type(UNKNOWN, CONTROL, USER_DEFINED)
    crossing = lint.boundaries(model, pretokenizer)
    pattern = split_regex(spec) if crossing else None
    findings = [
        *(crossing if pattern is None else []),
        *lint.literal_space(model, "huggingface"),
        *_halves(columns),
        *_merged(model, columns, MERGED["native"], frozenset({UNUSED}), found=frozenset({UNKNOWN, CONTROL})),
    ]
    # Here "parse" looks for control tokens, but not for the unknown one.
    parsed = f'the reader always looks for control tokens, and for {unknown[0]}, in a text: it encodes as special="parse" does here'
    findings.append(Finding(Kind.NOTE, parsed, tuple(unknown)))
    if spec.normalization != "none":
        what = "puts combining marks into order, ours does not" if spec.normalization == "nfkc" else "drops some combining marks"
        findings.append(Finding(Kind.DIFFERS, f"normalization {spec.normalization}: the reader's {what}"))
    if not spec.reconstruct:
        beside = tuple(form for text in added for form in (text + " ", " " + text))
        findings.append(Finding(Kind.EXCEPTION, "texts with an added token beside a space, which the reader trims there", beside))
    if spec.prefix == "text":
        findings.append(Finding(Kind.EXCEPTION, "texts with an added token, behind which the reader puts another space", tuple(added)))
    if model.tokenizer.semantics == "llama":
        findings += lint.overlapping(added)
    content = tokenizer_json(model, columns, merges := merges_of(columns), pattern)
    if pattern is not None:
        note = f"texts are cut before they are merged, by a regular expression of {len(pattern)} characters"
        findings.append(Finding(Kind.NOTE, note))
    return Draft(
        "huggingface",
        findings,
        huggingface_encode(content, merges, pretokenizer.pretokenize if pattern else None),
        lambda path: write_huggingface(model, columns, content, path, template),
        parses=True,
    )


def _merged(
    model: Model,
    columns: Columns,
    merged: frozenset[int],
    single: frozenset[int],
    *,
    found: frozenset[int] = frozenset(),
) -> list[Finding]:
    """Tokens that ordinary text becomes in one of the two encoders and not in the other; those `found` whole are never merged."""
    ours = model.tokenizer.semantics
    return lint.spelled(columns, merged=(MERGED[ours] ^ merged) - found, single=(SINGLE[ours] ^ single) - found)


def _prefix(model: Model, columns: Columns, theirs: str) -> list[Finding]:
    """A space before the text, or before each fragment: the same unless tokens are found in the text."""
    ours = model.pretokenizer.prefix
    if ours in ("none", theirs):
        return []
    where = "behind every {} too" if theirs == "fragment" else "before the text only, not behind a {}"
    if columns.of_type(USER_DEFINED):
        return [Finding(Kind.DIFFERS, f"the reader puts a space {where.format('user-defined symbol')}")]
    return [Finding(Kind.NOTE, f"the reader puts a space {where.format('control token')} that it parses")]


def _found_after_normalizing(model: Model) -> list[Finding]:
    """User-defined symbols, which SentencePiece looks for in the normalized text, with ▁ for a space."""
    spec = model.pretokenizer
    symbols = [text for text, type in zip(model.texts, model.types.tolist(), strict=True) if type == USER_DEFINED]
    if not symbols:
        return []
    if spec.normalization != "none":
        return [Finding(Kind.DIFFERS, "the reader looks for user-defined symbols in the normalized text, we in the text as it is")]
    spaced = [text for text in symbols if " " in text]
    if spaced and not spec.reconstruct:
        return [Finding(Kind.DIFFERS, f"the user-defined symbol {show(spaced[0])} holds a space: the reader merges spaces first")]
    marked = [text for text in symbols if SPACE in text]
    if marked:
        return [Finding(Kind.DIFFERS, f"the user-defined symbol {show(marked[0])} holds ▁, which is a space for the reader")]
    return []


def _lines(columns: Columns) -> list[Finding]:
    """The bpe route cuts between a line feed and what is none."""
    mixed = [text for text in columns.of_type(NORMAL) if "\n" in text and text.strip("\n")]
    if not mixed:
        return []
    return [Finding(Kind.DIFFERS, f"{len(mixed)} pieces hold a line feed and other characters ({show(mixed[0])}): the reader cuts there")]


def _halves(columns: Columns) -> list[Finding]:
    """Pieces with a character that is no piece: merging by score can begin from it, a list of merges of pieces cannot."""
    normal = set(columns.of_type(NORMAL))
    loose = [text for text in columns.of_type(NORMAL) if len(text) > 1 and any(character not in normal for character in text)]
    if not loose:
        return []
    return [Finding(Kind.DIFFERS, f"{len(loose)} pieces hold a character that is no piece ({show(loose[0])}): the reader cannot merge it")]
