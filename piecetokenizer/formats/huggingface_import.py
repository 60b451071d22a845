"""Import of tokenizer.json, where it is of our family: BPE with byte_fallback, all splits as merges, spaces as ▁.

In: the file or its folder (tokenizer_config.json beside it gives roles and the chat template).  Out: a Model with semantics=native,
since merging by such a list is merging by score (see merges).  Everything in the file is read; what our spec cannot say is refused
by name, never left out in silence.

A difference stays: that library always looks for control tokens in a text, we do so with special="parse".
"""

import json
import os
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from piecetokenizer.errors import FormatError, ModelError
from piecetokenizer.files import read_file
from piecetokenizer.formats.columns import BYTE, BYTES, CONTROL, NORMAL, SPACE, UNKNOWN, USER_DEFINED, show
from piecetokenizer.formats.huggingface import ROLES, TRIM, split
from piecetokenizer.formats.merges import merge_ranks, splits
from piecetokenizer.formats.split_regex import IMPORTABLE, split_regex
from piecetokenizer.model import Model
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec

__all__ = ["read_huggingface"]

MAX_FILE = 1 << 29
MARK = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
UNMARK = {"type": "Replace", "pattern": {"String": SPACE}, "content": " "}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
PREPEND = {"type": "Prepend", "prepend": SPACE}

Json = dict[str, Any]


def read_huggingface(path: str | os.PathLike[str]) -> Model:
    """The model of a tokenizer.json, or of the folder that it is in."""
    place = Path(path)
    if place.is_dir():
        place = place / "tokenizer.json"
    content = _parse(place)
    where = os.fspath(place)
    config_file = place.with_name("tokenizer_config.json")
    config = _parse(config_file) if config_file.is_file() else {}
    try:
        return _Reader(content, config, where).model()
    except ModelError as error:
        raise FormatError(f"{where}: {error}") from None


def _parse(path: Path) -> Json:
    def pairs(items: list[tuple[str, Any]]) -> Json:
        found = dict(items)
        if len(found) != len(items):
            seen: set[str] = set()
            twice = next(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise FormatError(f"{path}: the key {show(twice)} is there twice")
        return found

    try:
        if path.stat().st_size > MAX_FILE:
            raise FormatError(f"{path}: larger than {MAX_FILE} bytes, which no tokenizer is")
        content = json.loads(read_file(path).decode("utf-8-sig"), object_pairs_hook=pairs)
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not valid UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise FormatError(f"{path}: nested too deeply to be a tokenizer") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # JSONDecodeError, and numbers of thousands of digits
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: not valid JSON: {error}") from None
    if not isinstance(content, dict):
        raise FormatError(f"{path}: not a tokenizer.json: it is not an object")
    return content


class _Reader:
    """The parts of one file, checked one after another."""

    def __init__(self, content: Json, config: Json, where: str) -> None:
        self.content = content
        self.config = config
        self.where = where

    def refuse(self, what: str) -> NoReturn:
        raise FormatError(f"{self.where}: {what}")

    def model(self) -> Model:
        bpe = self.bpe()
        texts, types = self.vocabulary(bpe)
        merges = self.merges(bpe)
        spec = self.spaces()
        self.decoder(spec.prefix)
        scores = self.scores(texts, types, merges)
        template = self.config.get("chat_template")
        return Model(
            counter=CounterSpec(method="imported", vocab_size=len(texts)),
            pretokenizer=spec,
            tokenizer=self.roles(texts, types),
            texts=texts,
            scores=scores,
            types=np.array(types, np.uint8),
            template=template if isinstance(template, str) else None,
        )

    def bpe(self) -> Json:
        """The model part, if it is one that we have."""
        model = self.content.get("model")
        if not isinstance(model, dict):
            self.refuse("not a tokenizer.json: it has no model")
        if model.get("type", "BPE") != "BPE" or not isinstance(model.get("merges"), list):
            self.refuse(f"a {model.get('type', 'model without merges')} model cannot be imported: only BPE can")
        if model.get("byte_fallback") is not True:
            self.refuse("a BPE without byte_fallback (byte-level, or one that loses characters) cannot be imported")
        for key in ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "ignore_merges"):
            if model.get(key):
                self.refuse(f"{key}={model[key]!r} cannot be imported: our merging has no such rule")
        return model

    def vocabulary(self, bpe: Json) -> tuple[list[str], list[int]]:
        """Texts and types by id."""
        vocab = bpe.get("vocab")
        added = self.content.get("added_tokens") or []
        if not isinstance(vocab, dict) or not vocab or not isinstance(added, list):
            self.refuse("the vocabulary or the list of added tokens is missing")
        ids = dict(vocab)
        special: dict[str, int] = {}
        for token in added:
            if not isinstance(token, dict) or not isinstance(token.get("content"), str):
                self.refuse("an added token has no content")
            text = token["content"]
            for key in ("lstrip", "rstrip", "single_word", "normalized"):
                if token.get(key):
                    self.refuse(f"the added token {show(text)} has {key}: here tokens are found in the text as it is, nothing else")
            if ids.setdefault(text, token.get("id")) != token.get("id"):
                self.refuse(f"the added token {show(text)} has two ids")
            special[text] = CONTROL if token.get("special") else USER_DEFINED
        size = len(ids)
        texts: list[str | None] = [None] * size
        for text, id in ids.items():
            if type(id) is not int or not 0 <= id < size or texts[id] is not None:
                self.refuse(f"the id of {show(text)} is {id!r}: ids go from 0 to {size - 1}, each once")
            texts[id] = text
        unknown = bpe.get("unk_token")
        bytes_ = set(BYTES)
        kinds = [
            UNKNOWN if text == unknown else special.get(text, BYTE if text in bytes_ else NORMAL)
            for text in texts
            if text is not None
        ]
        return [text for text in texts if text is not None], kinds

    def merges(self, bpe: Json) -> list[tuple[str, str]]:
        """The merges as pairs; older files write them as one string with a space."""
        merges = []
        for position, merge in enumerate(bpe["merges"]):
            pair = merge.split(" ") if isinstance(merge, str) else merge
            if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, str) and part for part in pair):
                self.refuse(f"merge {position} is {show(str(merge))}: it is two pieces")
            merges.append((pair[0], pair[1]))
        return merges

    def scores(self, texts: list[str], types: list[int], merges: list[tuple[str, str]]) -> list[float]:
        """0, -1, -2, ... in the order of the merges, then the pieces that none makes; 0 for what is not NORMAL."""
        normal = {text: id for id, (text, type) in enumerate(zip(texts, types, strict=True)) if type == NORMAL}
        known = set(texts)
        kept = []
        for left, right in merges:
            if left + right not in known:
                self.refuse(f"the merge {show(left)} {show(right)} makes nothing that is in the vocabulary")
            # An added token is cut out before anything is merged, so a merge that makes one never happens.
            if left + right in normal:
                kept.append((left, right))
        ranks = merge_ranks(kept, normal, self.where)
        for text in normal:
            if text not in ranks and splits(text, normal):
                self.refuse(f"{show(text)} has no merges, but is made of two pieces: scores would merge it")
        rest = [text for text in normal if text not in ranks]
        scores = [0.0] * len(texts)
        for rank, text in enumerate([*sorted(ranks, key=lambda text: ranks[text]), *rest]):
            scores[normal[text]] = float(-rank)
        return scores

    def spaces(self) -> PreTokenizerSpec:
        """What normalizer and pre-tokenizer do, as our spec."""
        steps = _sequence(self.content.get("normalizer"), "normalizers")
        before = self.content.get("pre_tokenizer")
        reconstruct = True
        if steps[:2] == list(TRIM):
            reconstruct, steps = False, steps[2:]
        if before is not None:
            rule = next((rule for rule in IMPORTABLE if before == split(split_regex(rule) or "")), None) if steps == [MARK] else None
            if rule is not None:
                return rule.replace(reconstruct=reconstruct)
            self.refuse(f"the pre-tokenizer {_name(before)} cannot be imported: it is none of those that our spec can express")
        prefix = "none"
        if steps[:1] == [PREPEND]:
            prefix, steps = "fragment", steps[1:]
        if steps != [MARK]:
            name = _name(self.content.get("normalizer"))
            self.refuse(f"the normalizer {name} cannot be imported: it is none of those that our spec can express")
        return PreTokenizerSpec(split="none", reconstruct=reconstruct, prefix=prefix)

    def decoder(self, prefix: str) -> None:
        """Refuse a decoder that does something else than ours."""
        steps = _sequence(self.content.get("decoder"), "decoders")
        if steps != [UNMARK, {"type": "ByteFallback"}, {"type": "Fuse"}] + [STRIP] * (prefix != "none"):
            self.refuse(f"the decoder {_name(self.content.get('decoder'))} cannot be imported: it does not undo what the normalizer does")

    def roles(self, texts: list[str], types: list[int]) -> TokenizerSpec:
        """From tokenizer_config.json, and BOS and EOS from the post-processor."""
        ids = {text: id for id, text in enumerate(texts)}
        first, last = self.around()
        named: dict[str, Any] = {}
        for key, role in ROLES.items():
            token = self.config.get(key)
            token = token.get("content") if isinstance(token, dict) else token
            id = ids.get(token, -1) if isinstance(token, str) else -1
            named[f"{role}_id"] = id if id >= 0 and types[id] not in (NORMAL, BYTE) else -1
        for role, text in (("bos", first), ("eos", last)):
            if text:
                if text not in ids or types[ids[text]] in (NORMAL, BYTE):
                    self.refuse(f"the post-processor adds {show(text)}, which is no special token")
                named[f"{role}_id"] = ids[text]
        if UNKNOWN in types:
            named["unk_id"] = types.index(UNKNOWN)
        return TokenizerSpec(add_bos=bool(first), add_eos=bool(last), **named)

    def around(self) -> tuple[str, str]:
        """What the post-processor puts before and behind a text, '' for nothing."""
        processor = self.content.get("post_processor")
        if processor is None:
            return "", ""
        single = processor.get("single") if isinstance(processor, dict) and processor.get("type") == "TemplateProcessing" else None
        names = [_special(item) for item in single] if isinstance(single, list) else []
        if names.count("") != 1 or None in names or len(names) > 3:
            self.refuse(f"the post-processor {_name(processor)} cannot be imported: one token before and one behind the text is all we add")
        place = names.index("")
        if place > 1 or len(names) - place > 2:
            self.refuse("the post-processor adds more than one token on one side, which cannot be imported")
        return names[0] or "", names[-1] or ""


def _special(item: Any) -> str | None:
    """A template's token; '' for the text itself, None for anything else."""
    if isinstance(item, dict) and isinstance(item.get("Sequence"), dict):
        return ""
    token = item.get("SpecialToken") if isinstance(item, dict) else None
    name = token.get("id") if isinstance(token, dict) else None
    return name if isinstance(name, str) and name else None


def _sequence(part: Any, key: str) -> list[Any]:
    """The steps of a part that may be one step, or a sequence, or nothing."""
    if part is None:
        return []
    if isinstance(part, dict) and part.get("type") == "Sequence" and isinstance(part.get(key), list):
        steps: list[Any] = part[key]
        return steps
    return [part]


def _name(part: Any) -> str:
    """What a part is called in a message."""
    for key in ("normalizers", "pretokenizers", "decoders"):
        if isinstance(part, dict) and isinstance(part.get(key), list):
            return " + ".join(_name(step) for step in part[key]) or "(empty)"
    name = part.get("type") if isinstance(part, dict) else None
    return show(str(name or "none")).strip("'")
