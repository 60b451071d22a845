"""Files of other tools, known by their first bytes, so that the error can say what the file is, before the rest of it is read."""

import os

from piecetokenizer.errors import ModelError, show

__all__ = ["HEADER", "refuse_folder", "refuse_other_files"]

HEADER = "# piecetokenizer model 1"
START = b"# piecetokenizer model "
BOM = b"\xef\xbb\xbf"

GGUF = "a GGUF file"
SENTENCEPIECE = "a SentencePiece model"
HUGGINGFACE = "a tokenizer.json of Hugging Face tokenizers"
IMPORTED = (GGUF, SENTENCEPIECE, HUGGINGFACE)
"""The kinds of which `formats` can make a Model."""
HINT = "; `piecetokenizer import` makes a model file of it, formats.load reads it as it is"

KINDS = (
    (b"GGUF", GGUF),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"\xfd7zXZ", "compressed with xz"),
    (b"BZh", "compressed with bzip2"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x93NUMPY", "a numpy array"),
    (b"\xff\xfe", "UTF-16 text; save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text; save it as UTF-8"),
    (b"#version:", "a merges.txt of Hugging Face tokenizers"),
    (b"<unk>\t0", "a .vocab listing of SentencePiece; it does not say how text is normalized and cut"),
)


def refuse_other_files(head: bytes, name: str) -> None:
    """Raise ModelError unless a file that begins with `head` can be a model file, if only one that was cut short."""
    if not head:
        raise ModelError(f"{name}: the file is empty: a model file begins with the line {HEADER!r}")
    if head.startswith(BOM):
        raise ModelError(f"{name}, line 1: found a byte order mark, expected {HEADER!r}: save the file as UTF-8 without it")
    if head.startswith(START) or START.startswith(head):
        return
    kind = kind_of(head)
    if kind is not None:
        raise ModelError(f"{name}: not a piecetokenizer model file: it is {kind}{HINT if kind in IMPORTED else ''}")
    line = head.split(b"\n", 1)[0].decode(errors="replace")
    raise ModelError(f"{name}, line 1: found {show(line)}, expected {HEADER!r}: this is not a piecetokenizer model file")


def refuse_folder(path: str | os.PathLike[str]) -> None:
    """Raise ModelError if a folder was named, which may be one of Hugging Face's."""
    if os.path.isdir(path):
        found = f"a folder with {HUGGINGFACE}{HINT}" if os.path.isfile(os.path.join(path, "tokenizer.json")) else "a folder"
        raise ModelError(f"{os.fspath(path)}: not a piecetokenizer model file: it is {found}")


def kind_of(head: bytes) -> str | None:
    """What a file that begins with these bytes is, if it is known not to be a model file."""
    for magic, kind in KINDS:
        if head.startswith(magic):
            return kind
    if _is_sentencepiece(head):
        return SENTENCEPIECE
    if head.lstrip()[:1] == b"{":
        names = [key for key in (b'"added_tokens"', b'"model"', b'"version"', b'"truncation"', b'"normalizer"') if key in head]
        return HUGGINGFACE if len(names) > 1 else "JSON"
    return None


def _is_sentencepiece(head: bytes) -> bool:
    """A ModelProto begins with a piece: field 1 with a length, and in it field 1 (the text) with a length that fits."""
    return len(head) > 4 and head[0] == head[2] == 0x0A and head[3] + 2 <= head[1] < 0x80
