"""Loading a model whatever tool wrote it: the first bytes say which format it is.

In: a path, to a file or to a Hugging Face folder.  Out: a Model, with the semantics of the tool that wrote it; a file that is none
of ours to read is a FormatError that says what it is or what was looked for.
"""

import os

from piecetokenizer.errors import FormatError
from piecetokenizer.messages import Option
from piecetokenizer.model import Model
from piecetokenizer.modelfile.foreign import BOM, START, kind_of

__all__ = ["load", "sniff"]

HEAD = 4096


def load(path: str | os.PathLike[str], *, as_: str | None = None) -> Model:
    """The model of a piecetokenizer model file, GGUF, SentencePiece .model, tokenizer.json (or its folder) or C++ PieceTokenizer model.

    `as_="word"` takes a model of the C++ PieceTokenizer that was trained with cut=0, whose rule is not ours, as if it were split=word.
    """
    kind = sniff(path)
    if as_ is not None and (kind != "legacy" or as_ != "word"):
        raise FormatError(f"{path}: ", Option("as_", as_), " is not allowed: it is 'word', for models of the C++ PieceTokenizer with cut=0")
    if kind == "model":
        return Model.load(path)
    if kind == "gguf":
        from piecetokenizer.formats.gguf import read_gguf

        return read_gguf(path)
    if kind == "huggingface":
        from piecetokenizer.formats.huggingface_import import read_huggingface

        return read_huggingface(path)
    if kind == "legacy":
        from piecetokenizer.formats.legacy import read_legacy

        return read_legacy(path, as_word=as_ == "word")
    from piecetokenizer.formats.sentencepiece import read_sentencepiece

    return read_sentencepiece(path)


def sniff(path: str | os.PathLike[str]) -> str:
    """The format at the path: model, gguf, sentencepiece, huggingface or legacy."""
    if os.path.isdir(path):
        if os.path.isfile(os.path.join(path, "tokenizer.json")):
            return "huggingface"
        raise FormatError(f"{path}: the folder has no tokenizer.json")
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from None
    if head.startswith((START, BOM + START)) or (head and START.startswith(head)):  # damaged ones too: Model.load says what is wrong
        return "model"
    if head.startswith(b"GGUF"):
        return "gguf"
    if head.lstrip().startswith((b"{", b"\xef\xbb\xbf{")):
        return "huggingface"
    if head.startswith((b"[CounterSpec]", b"[NormalizerSpec]", b"[PreTokenizerSpec]")):
        return "legacy"
    # A ModelProto begins with its first field: 1 (pieces) in every file that was ever written, of wire type 2.
    if head[:1] == b"\x0a" and kind_of(head) in (None, "a SentencePiece model"):
        return "sentencepiece"
    what = kind_of(head) or ("no format that is known" if head else "an empty file")
    known = "a piecetokenizer model, a GGUF, a SentencePiece .model, a tokenizer.json or a C++ PieceTokenizer model"
    raise FormatError(f"{path}: {what}: expected {known}")
