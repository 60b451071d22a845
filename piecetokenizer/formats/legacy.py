r"""Text models of the C++ PieceTokenizer, import only.

    [CounterSpec]       key=value lines: method, vocab_size, unk_id ... pad_piece
    [PreTokenizerSpec]  name (normalization), space, cut, reconstruct, split_digits; older files call it [NormalizerSpec]
    [Pieces]            size=N, then a line a piece: id, text, score, type, left part, right part, separated by tabs
    \xHH                stands for one byte in texts

Only method=sentencepiece is a vocabulary of our kind.  cut=1 is split=isolate.  cut=0 attaches one punctuation mark to a following
word ("(hello" is one segment), a rule that we do not have: such a file is refused unless it is asked for as split=word, under which
text is cut otherwise than it was in training, so pieces such as "(he" never come out.  Its Chinese mode is not in the file.
"""

import os
import re
from collections.abc import Iterator
from typing import Any

from piecetokenizer.errors import FormatError, ModelError, SpecError
from piecetokenizer.files import read_file
from piecetokenizer.formats.columns import show
from piecetokenizer.model import Model
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec

__all__ = ["read_legacy"]

SECTIONS = ("CounterSpec", "PreTokenizerSpec", "NormalizerSpec", "Pieces")
NORMALIZATIONS = dict.fromkeys(("", "no", "none"), "none")
NORMALIZATIONS |= {name.upper(): name for name in ("nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf")}
METHODS = ("naive", "piece", "bytepiece")
NORMAL, CONTROL = 1, 3
MAX_FILE = 1 << 30

_ESCAPE = re.compile(rb"\\x([0-9A-Fa-f]{2})")


def read_legacy(path: str | os.PathLike[str], *, as_word: bool = False) -> Model:
    """A native model from the file; `as_word` takes cut=0 for split=word."""
    where = os.fspath(path)
    if os.path.getsize(path) > MAX_FILE:
        raise FormatError(f"{where}: larger than {MAX_FILE} bytes, which no such model is")
    keys: dict[str, dict[str, str]] = {"CounterSpec": {}, "PreTokenizerSpec": {}}
    rows: list[tuple[int, list[bytes]]] = []
    size = None
    for number, section, line in _lines(read_file(path), where):
        if section == "Pieces" and not line.startswith(b"size="):
            rows.append((number, line.split(b"\t")))
        elif section == "Pieces":
            size = _number(line[5:].decode("utf-8", "replace"), where, number, "size")
        else:
            name, found, value = line.decode("utf-8", "replace").partition("=")
            if not found:
                raise FormatError(f"{where}:{number}: {show(name)} is not key=value")
            keys["CounterSpec" if section == "CounterSpec" else "PreTokenizerSpec"][name] = value
    if size is None or size != len(rows):
        said = "no size" if size is None else f"size={size}"
        raise FormatError(f"{where}: [Pieces] has {len(rows)} pieces and says {said}: the file is cut off or damaged")
    counter, spec = keys["CounterSpec"], keys["PreTokenizerSpec"]
    _check_method(counter, where)
    return _model(counter, _pretokenizer(spec, as_word, where), rows, spec.get("space", "▁"), where)


def _lines(data: bytes, where: str) -> Iterator[tuple[int, str, bytes]]:
    """Number, section and content of every line that is not empty."""
    section = ""
    for number, line in enumerate(data.split(b"\n"), 1):
        line = line.removesuffix(b"\r")
        if line.startswith(b"[") and line.endswith(b"]") and b"\t" not in line:
            section = line[1:-1].decode("utf-8", "replace")
            if section not in SECTIONS:
                raise FormatError(f"{where}:{number}: [{section[:40]}] is not a section of such a model: they are {', '.join(SECTIONS)}")
        elif line:
            if not section:
                raise FormatError(f"{where}:{number}: a line before the first section")
            yield number, section, line


def _check_method(counter: dict[str, str], where: str) -> None:
    method = counter.get("method", "")
    if method != "sentencepiece":
        kind = "a method of that tool that is not a BPE with byte fallback" if method in METHODS else "not known"
        raise FormatError(f"{where}: method={show(method)} cannot be imported, it is {kind}: only method=sentencepiece can")


def _pretokenizer(spec: dict[str, str], as_word: bool, where: str) -> PreTokenizerSpec:
    name = spec.get("name", "")
    if name not in NORMALIZATIONS:
        raise FormatError(f"{where}: name={show(name)} is not a normalization that is known: {', '.join(filter(None, NORMALIZATIONS))}")
    cut = spec.get("cut", "0")
    if cut not in ("0", "1"):
        raise FormatError(f"{where}: cut={show(cut)} is not known: it is 0 or 1")
    if cut == "0" and not as_word:
        raise FormatError(
            f"{where}: cut=0 attaches one punctuation mark to a following word, a rule that is not ours: "
            "pieces learned with it would never come out; to take it as split=word all the same, say --as word (as_='word')"
        )
    flags = {}
    for key in ("reconstruct", "split_digits"):
        if spec.get(key, "0") not in ("0", "1"):
            raise FormatError(f"{where}: {key}={show(spec[key])} is not known: it is 0 or 1")
        flags[key] = spec.get(key, "0") == "1"
    return PreTokenizerSpec(
        normalization=NORMALIZATIONS[name],
        reconstruct=flags["reconstruct"],
        split="isolate" if cut == "1" else "word",
        digit="split" if flags["split_digits"] else "keep",
    )


def _model(counter: dict[str, str], spec: PreTokenizerSpec, rows: list[tuple[int, list[bytes]]], space: str, where: str) -> Model:
    texts: list[str] = []
    scores: list[float] = []
    types: list[int] = []
    parts: list[tuple[str, str] | None] = []
    mark = _unescape(space.encode("utf-8", "surrogateescape"))
    for id, (number, fields) in enumerate(rows):
        if len(fields) < 4:
            raise FormatError(f"{where}:{number}: {len(fields)} columns: a piece has id, text, score and type, separated by tabs")
        if fields[0] != b"%d" % id:
            raise FormatError(f"{where}:{number}: the id is {show(fields[0].decode('utf-8', 'replace'))}, expected {id}")
        type = _number(fields[3].decode("utf-8", "replace"), where, number, "the type")
        marked = [_unescape(field) for field in (fields[1], *[*fields[4:6], b"", b""][:2])]
        if type == NORMAL and mark != "▁":
            marked = [text.replace(mark, "▁") for text in marked]
        texts.append(marked[0])
        types.append(type)
        parts.append((marked[1], marked[2]) if type == NORMAL and marked[1] and marked[2] else None)
        try:
            scores.append(float(fields[2]))
        except ValueError:
            raise FormatError(f"{where}:{number}: the score is {show(fields[2].decode('utf-8', 'replace'))}, expected a number") from None
    try:
        return Model(
            counter=CounterSpec(method="imported", vocab_size=max(1, len(texts))),
            pretokenizer=spec,
            tokenizer=_roles(counter, types, where),
            texts=texts,
            scores=scores,
            types=types,
            parts=parts,
        )
    except (ModelError, SpecError) as error:
        raise FormatError(f"{where}: {error}") from None


def _roles(counter: dict[str, str], types: list[int], where: str) -> TokenizerSpec:
    ids: dict[str, Any] = {}
    for role, usual in (("unk", 0), ("bos", 1), ("eos", 2), ("pad", -1)):
        id = _number(counter.get(f"{role}_id", str(usual)), where, 0, f"{role}_id")
        ids[f"{role}_id"] = id if 0 <= id < len(types) else -1
    return TokenizerSpec(**ids)


def _unescape(field: bytes) -> str:
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), field).decode("utf-8", "surrogateescape")


def _number(text: str, where: str, line: int, what: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,30}", text):
        raise FormatError(f"{where}{f':{line}' if line else ''}: {what} is {show(text)}, expected a whole number")
    return int(text)
