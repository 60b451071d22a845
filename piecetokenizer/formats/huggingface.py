"""Export as a Hugging Face folder: tokenizer.json, tokenizer_config.json, special_tokens_map.json.

tokenizer.json is for the library tokenizers, the other two for transformers, which opens the folder as PreTrainedTokenizerFast.
The vocabulary becomes a BPE with byte_fallback and explicit merges; spaces and prefixes are normalizers.  There is no pre-tokenizer,
since cutting first changes no id of most vocabularies; where it would, our rule is written as a regular expression (see split_regex).

Control and unknown tokens are added tokens, which that library always looks for in a text: it encodes as ours does with
special="parse".  It normalizes each fragment between added tokens by itself.
"""

import base64
import json
import os
from pathlib import Path
from typing import Any

from piecetokenizer.files import write_atomically
from piecetokenizer.formats.columns import CONTROL, SPACE, UNKNOWN, USER_DEFINED, Columns
from piecetokenizer.formats.merges import Merge
from piecetokenizer.formats.sentencepiece import charsmap_of
from piecetokenizer.model import Model

__all__ = ["TRIM", "split", "tokenizer_json", "write_huggingface"]

Json = dict[str, Any]

TRIM: tuple[Json, ...] = (
    {"type": "Replace", "pattern": {"Regex": r"\A +| +\z"}, "content": ""},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
)
"""What our normalization does to spaces, as two normalizers of that library."""

ROLES = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unk", "pad_token": "pad"}


def tokenizer_json(model: Model, columns: Columns, merges: list[Merge], pattern: str | None = None) -> Json:
    """The content of tokenizer.json; with a pattern, texts are cut into its matches before merging."""
    spec = model.pretokenizer
    steps: list[Json] = []
    if spec.normalization == "nfkc":
        steps.append({"type": "NFKC"})
    elif spec.normalization != "none":
        steps.append({"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap_of(model)).decode()})
    if not spec.reconstruct:
        steps += TRIM
    # Metaspace could put the prefix before the first fragment only, but forgets it where spaces were trimmed before it.
    steps += [{"type": "Prepend", "prepend": SPACE}] * (spec.prefix != "none")
    steps.append({"type": "Replace", "pattern": {"String": " "}, "content": SPACE})
    after: list[Json] = [{"type": "Replace", "pattern": {"String": SPACE}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]
    if spec.prefix != "none":
        after.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": id, **token} for id, token in _added(columns).items()],
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": None if pattern is None else split(pattern),
        "post_processor": _post_processor(model, columns),
        "decoder": {"type": "Sequence", "decoders": after},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": columns.texts[columns.types.index(UNKNOWN)],
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": {text: id for id, text in enumerate(columns.texts)},
            "merges": [list(merge) for merge in merges],
        },
    }


def split(pattern: str) -> Json:
    """The pre-tokenizer that cuts a text into the matches of a pattern."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def write_huggingface(model: Model, columns: Columns, content: Json, folder: str | os.PathLike[str], template: str | None) -> None:
    """Write the folder's files; others that are in it stay."""
    tokens = {key: columns.texts[id] for key, role in ROLES.items() if (id := getattr(model.tokenizer, f"{role}_id")) >= 0}
    extra = [text for text in columns.of_type(CONTROL) if text not in tokens.values()]
    config: Json = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "add_bos_token": model.tokenizer.add_bos,
        "add_eos_token": model.tokenizer.add_eos,
        "add_prefix_space": model.pretokenizer.prefix != "none",
        "added_tokens_decoder": {str(id): token for id, token in _added(columns).items()},
        "clean_up_tokenization_spaces": False,
        "model_max_length": int(1e30),
        **tokens,
    }
    named: Json = dict(tokens)
    if extra:
        named["additional_special_tokens"] = extra
        config["additional_special_tokens"] = extra
    if template is not None:
        config["chat_template"] = template
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, value in (("tokenizer.json", content), ("tokenizer_config.json", config), ("special_tokens_map.json", named)):
        write_atomically(Path(folder, name), (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())


def _added(columns: Columns) -> dict[int, Json]:
    """The tokens that are looked for in the raw text, by id."""
    return {
        id: {"content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": type != USER_DEFINED}
        for id, (text, type) in enumerate(zip(columns.texts, columns.types, strict=True))
        if type in (CONTROL, UNKNOWN, USER_DEFINED)
    }


def _post_processor(model: Model, columns: Columns) -> Json | None:
    """BOS and EOS around a text, if the model adds them."""
    spec = model.tokenizer
    ids = {"bos": spec.bos_id if spec.add_bos else -1, "eos": spec.eos_id if spec.add_eos else -1}
    used = {role: columns.texts[id] for role, id in ids.items() if id >= 0}
    if not used:
        return None

    def around(name: str, type: int) -> list[Json]:
        first = [{"SpecialToken": {"id": used["bos"], "type_id": type}}] if "bos" in used else []
        last = [{"SpecialToken": {"id": used["eos"], "type_id": type}}] if "eos" in used else []
        return [*first, {"Sequence": {"id": name, "type_id": type}}, *last]

    return {
        "type": "TemplateProcessing",
        "single": around("A", 0),
        "pair": around("A", 0) + around("B", 1),
        "special_tokens": {text: {"id": text, "ids": [ids[role]], "tokens": [text]} for role, text in used.items()},
    }
