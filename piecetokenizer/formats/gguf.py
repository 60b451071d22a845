"""GGUF, both directions: the tokenizer of a llama.cpp model, without tensors.

Export has two routes.  `llama` is the SentencePiece kind: tokens, scores, types; every llama.cpp knows it, and any token can be
merged there.  `bpe` carries the merges explicitly (model "gpt2", pre "sarvam-moe"), which only newer versions know; there no
ordinary text can become a control token.  All keys are written, none is left to a reader's default.

Import takes both.  A file of the `llama` kind gives a model with semantics=llama, which encodes and decodes as llama.cpp does; one
of the `bpe` kind gives semantics=native, since its merges are exactly those of the scores.

What GGUF cannot say: that there is no BOS or EOS (readers then take ids 1 and 2).  Where the model has none, the key names the
unknown token, which no text and no generation gives; import reads that as "none".
"""

import os
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from piecetokenizer.errors import FormatError, ModelError
from piecetokenizer.files import write_atomically
from piecetokenizer.formats.columns import BYTE, BYTES, NORMAL, UNKNOWN, Columns, show
from piecetokenizer.formats.gguf_file import read_keys
from piecetokenizer.formats.llama_names import retyped_types
from piecetokenizer.formats.merges import Merge, merge_ranks
from piecetokenizer.model import Model
from piecetokenizer.spec import ROLES, CounterSpec, PreTokenizerSpec, TokenizerSpec

__all__ = ["read_gguf", "roles_of", "write_gguf"]

PREFIX = "tokenizer.ggml."
ROLE_KEYS = {role: f"{PREFIX}{name}_token_id" for role, name in zip(ROLES, ("unknown", "bos", "eos", "padding", *ROLES[4:]), strict=True)}
TOKENS, SCORES, TYPES, MERGES = (PREFIX + name for name in ("tokens", "scores", "token_type", "merges"))
KIND, PRE, SUPPRESSED = PREFIX + "model", PREFIX + "pre", PREFIX + "suppress_tokens"
ADD_BOS, ADD_EOS, SPACE_PREFIX = PREFIX + "add_bos_token", PREFIX + "add_eos_token", PREFIX + "add_space_prefix"
TEMPLATE = "tokenizer.chat_template"
WANTED = (TOKENS, SCORES, TYPES, MERGES, KIND, PRE, SUPPRESSED, ADD_BOS, ADD_EOS, SPACE_PREFIX, TEMPLATE, *ROLE_KEYS.values())

BPE_PRES = ("sarvam-moe",)
"""The pre-tokenizers of the BPE kind that do what ours does on these vocabularies: they cut at line feeds and nowhere else."""


def roles_of(spec: TokenizerSpec) -> dict[str, int]:
    """The id of each role that a piece has."""
    return {role: id for role in ROLES if (id := getattr(spec, f"{role}_id")) >= 0}


def write_gguf(
    model: Model, columns: Columns, path: str | os.PathLike[str], *, name: str, merges: list[Merge] | None, template: str | None
) -> None:
    """Write the file; with merges it is of the bpe kind, without of the llama kind."""
    from gguf import GGUFWriter  # imports in 0.2 s, and only writing needs it

    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder, "tokenizer.gguf")
        writer = GGUFWriter(draft, "llama")
        try:
            writer.add_name(name)
            writer.add_tokenizer_model("llama" if merges is None else "gpt2")
            writer.add_tokenizer_pre("default" if merges is None else BPE_PRES[0])
            writer.add_token_list(list(columns.texts))
            writer.add_token_scores(columns.scores.tolist())
            writer.add_token_types(list(columns.types))
            if merges is not None:
                writer.add_token_merges([f"{left} {right}" for left, right in merges])
            spec = model.tokenizer
            for role, key in ROLE_KEYS.items():
                id = getattr(spec, f"{role}_id")
                if id < 0 and role in ("bos", "eos"):
                    id = spec.unk_id
                if id >= 0:
                    writer.add_uint32(key, id)
            if spec.suppressed:
                writer.add_array(SUPPRESSED, [int(id) for id in spec.suppressed])
            writer.add_add_bos_token(spec.add_bos)
            writer.add_add_eos_token(spec.add_eos)
            writer.add_add_space_prefix(model.pretokenizer.prefix != "none")
            writer.add_bool(PREFIX + "remove_extra_whitespaces", not model.pretokenizer.reconstruct)
            if template:
                writer.add_chat_template(template)
            writer.write_header_to_file()
            writer.write_kv_data_to_file()
        finally:
            writer.close()
        write_atomically(path, draft.read_bytes())


def read_gguf(path: str | os.PathLike[str]) -> Model:
    """The vocabulary of a GGUF file, with or without the model's tensors, as a Model that encodes as llama.cpp does."""
    where = os.fspath(path)
    keys = read_keys(path, WANTED)
    kind, pre = _text(keys, KIND, where), _text(keys, PRE, where)
    if kind == "gpt2" and pre not in BPE_PRES:
        what = f"a byte-level BPE (tokenizer.ggml.model=gpt2, pre={pre or 'missing'})"
        raise FormatError(f"{where}: {what} cannot be imported: only pre={BPE_PRES[0]} can")
    if kind not in ("llama", "gpt2"):
        what = f"tokenizer.ggml.model={kind or 'missing'}"
        raise FormatError(f"{where}: {what} cannot be imported: only llama (SentencePiece BPE) and gpt2 with pre={BPE_PRES[0]} can")
    texts = _texts(keys, where)
    types = _column(keys, TYPES, "i", len(texts), where)
    if types is None:
        raise FormatError(f"{where}: {TYPES} is missing: without it byte tokens could not be told from text")
    scores = _column(keys, SCORES, "fi", len(texts), where)
    if kind == "gpt2":
        scores = _scores_of_merges(keys, texts, scores, types, where)
    elif scores is None:
        raise FormatError(f"{where}: {SCORES} is missing: without scores merges have no order")
    columns = Columns(texts, np.asarray(scores, np.float32), tuple(int(type) for type in types))
    missing = sorted(set(BYTES) - set(columns.of_type(BYTE)))
    if missing:
        what = f"{len(missing)} of the 256 byte pieces are missing, the first is {missing[0]}"
        raise FormatError(f"{where}: {what}: llama.cpp aborts on a text that needs it")
    spec = _roles(keys, columns, kind, where)
    if kind == "llama":
        types = retyped_types(columns, roles_of(spec))
    template = _text(keys, TEMPLATE, where)
    # The bpe kind has the key too, but looks at it nowhere.
    prefixed = _flag(keys, SPACE_PREFIX, True, where) and kind == "llama"
    try:
        return Model(
            counter=CounterSpec(method="imported", vocab_size=len(texts)),
            pretokenizer=PreTokenizerSpec(split="none", reconstruct=True, prefix="fragment" if prefixed else "none"),
            tokenizer=spec,
            texts=texts,
            scores=np.asarray(scores, np.float64),
            types=types,
            template=template or None,
        )
    except ModelError as error:
        raise FormatError(f"{where}: {error}") from None


def _texts(keys: dict[str, Any], where: str) -> tuple[str, ...]:
    tokens = keys.get(TOKENS)
    if not isinstance(tokens, list) or not tokens:
        raise FormatError(f"{where}: {TOKENS} is missing or is not a list of strings: the file has no vocabulary")
    texts = []
    for id, token in enumerate(tokens):
        try:
            texts.append(token.decode())
        except UnicodeDecodeError as error:
            raise FormatError(f"{where}: token {id} is not valid UTF-8: byte 0x{token[error.start]:02X} at {error.start}") from None
    return tuple(texts)


def _column(keys: dict[str, Any], key: str, kinds: str, size: int, where: str) -> Any:
    """An array with a number for each token, or None."""
    column = keys.get(key)
    if column is None:
        return None
    if not isinstance(column, np.ndarray) or column.dtype.kind not in kinds or column.dtype.itemsize != 4:
        raise FormatError(f"{where}: {key} is not an array of {'INT32' if kinds == 'i' else 'FLOAT32'}")
    if len(column) != size:
        raise FormatError(f"{where}: {key} has {len(column)} entries for {size} tokens")
    return column


def _scores_of_merges(keys: dict[str, Any], texts: tuple[str, ...], scores: Any, types: Any, where: str) -> Any:
    """Scores that say what the merges say: those of the file where they do, else made from the order of the merges."""
    merges = keys.get(MERGES)
    if not isinstance(merges, list):
        raise FormatError(f"{where}: {MERGES} is missing or is not a list of strings")
    pairs = []
    for position, merge in enumerate(merges):
        # llama.cpp looks for the space from the second character on; no token of this kind holds one.
        line = merge.decode("utf-8", "replace")
        left, _, right = line.partition(" ")
        if not left or not right or " " in right:
            raise FormatError(f"{where}: merge {position} is {show(line)}: it is two tokens with one space between them")
        pairs.append((left, right))
    normal = {text: id for id, (text, type) in enumerate(zip(texts, types, strict=True)) if type == NORMAL}
    ranks = merge_ranks(pairs, normal, where, single=True)
    made = sorted(ranks, key=lambda text: ranks[text])
    if scores is not None:
        given = [float(scores[normal[text]]) for text in made]
        if all(a > b for a, b in pairwise(given)):
            return scores
    new = np.full(len(texts), 0.0, np.float32)
    rest = [id for text, id in normal.items() if text not in ranks]
    for rank, id in enumerate([normal[text] for text in made] + rest):
        new[id] = -rank
    return new


def _roles(keys: dict[str, Any], columns: Columns, kind: str, where: str) -> TokenizerSpec:
    size = len(columns.texts)
    ids: dict[str, Any] = {}
    for role, key in ROLE_KEYS.items():
        id = keys.get(key, {"unk": 0, "bos": 1, "eos": 2}.get(role, -1) if kind == "llama" else -1)
        if type(id) is not int:
            raise FormatError(f"{where}: {key} is not a number")
        # llama.cpp does not use an id that is outside; "no BOS" and "no EOS" are written as the unknown token (see above).
        outside = not 0 <= id < size
        ids[f"{role}_id"] = -1 if outside or (role in ("bos", "eos") and columns.types[id] == UNKNOWN) else id
    suppressed = keys.get(SUPPRESSED)
    if suppressed is not None and (not isinstance(suppressed, np.ndarray) or suppressed.dtype.kind != "i"):
        raise FormatError(f"{where}: {SUPPRESSED} is not an array of INT32")
    return TokenizerSpec(
        semantics="llama" if kind == "llama" else "native",
        add_bos=_flag(keys, ADD_BOS, kind == "llama", where),
        add_eos=_flag(keys, ADD_EOS, False, where),
        suppressed=tuple(id for id in ([] if suppressed is None else suppressed.tolist()) if 0 <= id < size),
        **ids,
    )


def _flag(keys: dict[str, Any], key: str, default: bool, where: str) -> bool:
    value = keys.get(key, default)
    if not isinstance(value, bool):
        raise FormatError(f"{where}: {key} is not a BOOL")
    return value


def _text(keys: dict[str, Any], key: str, where: str) -> str:
    value = keys.get(key, b"")
    if not isinstance(value, bytes):
        raise FormatError(f"{where}: {key} is not a STRING")
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise FormatError(f"{where}: {key} is not valid UTF-8") from None
