"""Exporting a model: check what would go wrong, say how faithful the file will be, write it.

In: a Model, a path and the format.  Out: the file, and a Fidelity.  The order is: refuse, lint, measure, write; so a refused export,
or with `strict` one that is not exact, leaves what was at the path.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Literal

from piecetokenizer.errors import FormatError, InputError, SpecError
from piecetokenizer.formats.drafts import Draft, gguf_draft, huggingface_draft, sentencepiece_draft
from piecetokenizer.formats.generate import generated_texts
from piecetokenizer.formats.sentencepiece import charsmap_of
from piecetokenizer.formats.verdict import ExportRefusedError, Fidelity, Kind, judge
from piecetokenizer.messages import Option
from piecetokenizer.model import Model
from piecetokenizer.normalize import Charsmap, Normalizer
from piecetokenizer.pretokenize import Dictionary, PreTokenizer
from piecetokenizer.tokenizer import Tokenizer

__all__ = ["FORMATS", "ROUTES", "Verify", "export", "fidelity"]

FORMATS = ("gguf", "sentencepiece", "huggingface")
ROUTES = ("llama", "bpe")
GENERATED = 2000
"""Texts that are made to measure with when there is no file: a second or two."""

Verify = str | os.PathLike[str] | Iterable[str]
"""A text file, whose lines are the texts, or the texts themselves."""


def export(
    model: Model,
    path: str | os.PathLike[str],
    *,
    to: str,
    route: str = "llama",
    verify: Verify | None = None,
    chat_template: str | None = None,
    name: str = "",
    strict: bool = False,
    dictionary: Dictionary | str | os.PathLike[str] | None = None,
) -> Fidelity:
    """Write the model for another tool and say how faithful the file is.

    to              gguf, sentencepiece (a .model file) or huggingface (a folder)
    route           for gguf: llama (every llama.cpp) or bpe (newer ones; no text can become a control token)
    verify          measure on these texts: a file's lines or an iterable; by default on texts made from the vocabulary
    chat_template   the template to put in; by default the model's own
    name            the name in the file; by default that of the path
    strict          raise ExportRefusedError, and write nothing, unless the verdict is exact without exceptions
    dictionary      of a model with cn=dict: itself, its name or its path
    """
    draft, verdict = _judged(model, os.fspath(path), to, route, verify, chat_template, name, dictionary)
    if draft is None:
        raise ExportRefusedError(verdict, f"{path}: not written as {verdict.format}: {verdict.reasons[0]}")
    if strict and not verdict.exact:
        why = "; ".join((*verdict.reasons, *verdict.exceptions))
        raise ExportRefusedError(verdict, f"{path}: not written: the export would be {verdict.verdict} ({why}), and strict asks for exact")
    draft.write(path)
    return verdict


def fidelity(
    model: Model,
    *,
    to: str,
    route: str = "llama",
    verify: Verify | None = None,
    name: str = "",
    dictionary: Dictionary | str | os.PathLike[str] | None = None,
) -> Fidelity:
    """What `export` would say, without writing anything; the verdict can be `refused`."""
    return _judged(model, "model", to, route, verify, None, name, dictionary)[1]


def _judged(
    model: Model,
    path: str,
    to: str,
    route: str,
    verify: Verify | None,
    template: str | None,
    name: str,
    dictionary: Dictionary | str | os.PathLike[str] | None,
) -> tuple[Draft | None, Fidelity]:
    if to not in FORMATS:
        raise SpecError(Option("to", to), f" is not allowed: it is one of {', '.join(FORMATS)}")
    if route not in ROUTES:
        raise SpecError(Option("route", route), f" is not allowed: it is one of {', '.join(ROUTES)}")
    if route != "llama" and to != "gguf":
        raise SpecError(Option("route", route), " goes with ", Option("to", "gguf"), " only")
    if isinstance(dictionary, (str, os.PathLike)):
        dictionary = Dictionary.load(os.fspath(dictionary))
    tokenizer = Tokenizer(model, dictionary=dictionary)
    pretokenizer = PreTokenizer(model.pretokenizer, dictionary)
    template = model.template if template is None else template
    name = name or Path(path).stem or "piecetokenizer"
    try:
        if to == "gguf":
            draft = gguf_draft(model, pretokenizer, route=route, name=name, template=template)
        elif to == "sentencepiece":
            draft = sentencepiece_draft(model, pretokenizer)
        else:
            draft = huggingface_draft(model, pretokenizer, template=template)
    except FormatError as error:
        return None, Fidelity(f"gguf ({route})" if to == "gguf" else to, "refused", reasons=(str(error),))
    special: Literal["parse", "text"] = "parse" if draft.parses else "text"
    texts = islice(generated_texts(model), GENERATED) if verify is None else _texts(verify)
    if any(finding.kind is Kind.NORMALIZED for finding in draft.findings):
        texts = _already_normalized(texts, model)

    def ours(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text, bos=False, eos=False, special=special)
        return ids

    return draft, judge(draft.format, draft.findings, texts, ours, draft.theirs)


def _texts(verify: Verify) -> Iterator[str]:
    if not isinstance(verify, (str, os.PathLike)):
        yield from verify
        return
    try:
        with open(verify, encoding="utf-8", errors="replace", newline="\n") as file:
            line = None
            for line in file:
                yield line.rstrip("\n")
            if line is None:
                raise InputError(f"{verify}: is empty, so there is nothing to verify with")
    except OSError as error:
        raise InputError(f"{verify}: cannot be read to verify with: {error.strerror}") from None


def _already_normalized(texts: Iterable[str], model: Model) -> Iterator[str]:
    """Each text normalized, if that is a text that normalization leaves as it is: the texts the verdict speaks of."""
    blob = charsmap_of(model)
    spec = model.pretokenizer.replace(prefix="none")
    normalizer = Normalizer(spec, Charsmap.from_blob(blob) if spec.normalization == "custom" else None)
    for text in texts:
        once = str(normalizer.normalize(text))
        if normalizer.normalize(once) == once:
            yield once
