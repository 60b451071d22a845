"""Model: everything that decides ids, as one immutable value.

In: three specs and the vocabulary as columns (texts, scores, types, parts).  Out: the same, checked (see modelrules), with lookups,
equality by content, and reading and writing of the model file (see modelfile and docs/model-file.md).

Columns stay columns: a `Piece` is made only when one is asked for, so that loading 32,000 pieces costs a few milliseconds.

In NORMAL pieces the spec's `space` (▁) stands for the space; texts of all other types are what they are.  Bytes that are not UTF-8
are kept as Python's surrogateescape does, so `text.encode("utf-8", "surrogateescape")` gives the exact bytes of any piece.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from piecetokenizer import columns as forms
from piecetokenizer import modelrules
from piecetokenizer.columns import Columns, Parts
from piecetokenizer.errors import IdError, ModelError
from piecetokenizer.files import read_file, write_atomically
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec

if TYPE_CHECKING:
    from piecetokenizer.editing import Edit

__all__ = ["Model", "Parts", "Piece", "PieceType"]

ARGUMENTS = ("counter", "pretokenizer", "tokenizer", "texts", "scores", "types", "parts", "charsmap", "charsmap_rules", "template")
"""What a Model is made from, and compared by."""


class PieceType(IntEnum):
    """What a piece is for; the numbers are those of SentencePiece and GGUF.

    >>> PieceType.USER_DEFINED.label
    'user_defined'
    """

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6

    @property
    def label(self) -> str:
        """The name of the type in a model file."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry of the vocabulary.  `parts` are the two symbols that were merged into it, where that is known."""

    id: int
    text: str
    score: float
    type: PieceType
    parts: Parts | None = None


class Model:
    """An immutable vocabulary with the specs it was made with.

    `texts` and `parts` are tuples, `scores` (float64) and `types` (uint8) read-only numpy arrays; each has one entry a piece, in
    the order of ids.  Two models are equal if everything in them is; `fingerprint` is the same for equal models.

    >>> from piecetokenizer import train
    >>> model = train(iter(["a cat sat, a hat"] * 3), vocab_size=272, reconstruct=True)
    >>> len(model), model.id_of("▁cat"), model[259].parts
    (272, 264, ('a', 't'))
    >>> Model.loads(model.dumps()) == model
    True
    """

    __slots__ = (
        "__weakref__",
        "_fingerprint",
        "_index",
        "_parts",
        "charsmap",
        "charsmap_rules",
        "columns",
        "counter",
        "pretokenizer",
        "template",
        "tokenizer",
    )

    counter: CounterSpec
    pretokenizer: PreTokenizerSpec
    tokenizer: TokenizerSpec
    columns: Columns
    charsmap: bytes | None
    charsmap_rules: Mapping[str, str] | None
    template: str | None
    _index: dict[str, int]
    _parts: tuple[Parts | None, ...] | None
    _fingerprint: str | None

    def __init__(
        self,
        *,
        counter: CounterSpec,
        pretokenizer: PreTokenizerSpec,
        tokenizer: TokenizerSpec,
        texts: Sequence[str],
        scores: Sequence[float] | npt.NDArray[np.float64],
        types: Sequence[int] | npt.NDArray[np.uint8],
        parts: Sequence[Parts | None] | None = None,
        charsmap: bytes | None = None,
        charsmap_rules: Mapping[str, str] | None = None,
        template: str | None = None,
    ) -> None:
        """Check everything and keep it; a rule that is broken raises ModelError naming the piece, what was found and what is allowed."""
        _same_length(len(texts), scores=scores, types=types, parts=parts)
        canonical = forms.canonical_texts(tuple(texts))
        cuts = forms.cut_column(canonical, parts or ())
        columns = Columns(canonical, forms.score_column(scores), forms.type_column(types), cuts)
        self._fill(counter, pretokenizer, tokenizer, columns, charsmap, charsmap_rules, template)

    @classmethod
    def of_columns(
        cls,
        counter: CounterSpec,
        pretokenizer: PreTokenizerSpec,
        tokenizer: TokenizerSpec,
        columns: Columns,
        charsmap: bytes | None = None,
        charsmap_rules: Mapping[str, str] | None = None,
        template: str | None = None,
    ) -> "Model":
        """A model from columns as it keeps them: what a file's reader has, without the detour over one entry a piece."""
        model = cls.__new__(cls)
        model._fill(counter, pretokenizer, tokenizer, columns, charsmap, charsmap_rules, template)
        return model

    def _fill(
        self,
        counter: CounterSpec,
        pretokenizer: PreTokenizerSpec,
        tokenizer: TokenizerSpec,
        columns: Columns,
        charsmap: bytes | None,
        charsmap_rules: Mapping[str, str] | None,
        template: str | None,
    ) -> None:
        index = modelrules.check_pieces(columns, space=pretokenizer.space, native=tokenizer.semantics == "native")
        modelrules.check_roles(columns, tokenizer)
        modelrules.check_charsmap(pretokenizer, charsmap, charsmap_rules)
        modelrules.check_template(template)
        values: dict[str, Any] = {
            "counter": counter,
            "pretokenizer": pretokenizer,
            "tokenizer": tokenizer,
            "columns": columns,
            "charsmap": charsmap,
            "charsmap_rules": None if charsmap_rules is None else MappingProxyType(dict(charsmap_rules)),
            "template": template,
            "_index": index,
            "_parts": None,
            "_fingerprint": None,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    # ---- columns

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each piece."""
        return self.columns.texts

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """The score of each piece, read-only."""
        return self.columns.scores

    @property
    def types(self) -> npt.NDArray[np.uint8]:
        """The type of each piece as a number, read-only."""
        return self.columns.types

    @property
    def parts(self) -> tuple[Parts | None, ...]:
        """The left and right part of each piece that is known as a merge."""
        parts = self._parts
        if parts is None:
            parts = forms.parts_column(self.columns)
            object.__setattr__(self, "_parts", parts)
        return parts

    # ---- one piece at a time

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, id: int) -> Piece:
        if not isinstance(id, (int, np.integer)) or isinstance(id, bool) or not 0 <= id < len(self.texts):
            hint = "; id_of(text) finds the id of a text" if isinstance(id, str) else ""
            raise IdError(f"id {id!r} is not in the vocabulary: ids go from 0 to {len(self.texts) - 1}{hint}")
        id = int(id)
        cut = int(self.columns.cuts[id])
        parts = forms.parts_of(self.texts[id], cut) if cut else None
        return Piece(id, self.texts[id], float(self.scores[id]), PieceType(int(self.types[id])), parts)

    def __iter__(self) -> Iterator[Piece]:
        return (self[id] for id in range(len(self.texts)))

    def id_of(self, text: str) -> int | None:
        """The id of the piece with this text, in the form of `texts` (▁ for the space in NORMAL pieces); None if there is none."""
        return self._index.get(text)

    def longest(self, count: int) -> list[int]:
        """The ids of the NORMAL pieces with the most characters, the longest first, equals in the order of ids."""
        learned = np.flatnonzero(self.types == PieceType.NORMAL)
        lengths = np.fromiter((len(self.texts[id]) for id in learned.tolist()), np.int64, len(learned))
        ids: list[int] = learned[np.argsort(-lengths, kind="stable")[:count]].tolist()
        return ids

    def piece_bytes(self) -> list[bytes]:
        """What each piece stands for in a text: UTF-8, ▁ of NORMAL pieces as a space, a byte piece as its byte."""
        space = self.pretokenizer.space
        normal, byte = int(PieceType.NORMAL), int(PieceType.BYTE)
        return [
            text.replace(space, " ").encode("utf-8", "surrogateescape")
            if type == normal
            else bytes.fromhex(text[3:5])
            if type == byte
            else text.encode("utf-8", "surrogateescape")
            for text, type in zip(self.texts, self.types.tolist(), strict=True)
        ]

    # ---- as a value

    def replace(self, **changes: Any) -> "Model":
        """A copy with some of the constructor's arguments changed, checked again."""
        return Model(**{name: getattr(self, name) for name in ARGUMENTS} | changes)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the model file that `save` writes, in hexadecimal: equal models, equal fingerprints."""
        fingerprint = self._fingerprint
        if fingerprint is None:
            from hashlib import sha256  # loads OpenSSL, which few programs need

            fingerprint = sha256(self.dumps()).hexdigest()
            object.__setattr__(self, "_fingerprint", fingerprint)
        return fingerprint

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self is other or all(
            np.array_equal(mine, theirs) if isinstance(mine, np.ndarray) else mine == theirs
            for mine, theirs in ((getattr(self, name), getattr(other, name)) for name in ARGUMENTS)
        )

    def __hash__(self) -> int:
        return hash((self.counter, self.pretokenizer, self.tokenizer, self.texts))

    def __repr__(self) -> str:
        return f"<Model of {len(self)} pieces, {self.tokenizer.semantics}>"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Model cannot be changed ({name}): make another one with replace() or with piecetokenizer.editing")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Model cannot be changed ({name})")

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.loads, (self.dumps(),)

    # ---- edited: each gives the new model and where every id went, see piecetokenizer.editing (which imports this module)

    def add_tokens(self, *, control: Sequence[str] = (), user_defined: Sequence[str] = ()) -> "Edit":
        """Control tokens and user-defined symbols at the end."""
        from piecetokenizer import editing

        return editing.add_tokens(self, control=control, user_defined=user_defined)

    def retype(self, types: Mapping[int | str, PieceType | int]) -> "Edit":
        """Other types for some pieces."""
        from piecetokenizer import editing

        return editing.retype(self, types)

    def rename(self, texts: Mapping[int | str, str]) -> "Edit":
        """Other texts for some pieces."""
        from piecetokenizer import editing

        return editing.rename(self, texts)

    def remove(self, pieces: Sequence[int | str]) -> "Edit":
        """Without some pieces."""
        from piecetokenizer import editing

        return editing.remove(self, pieces)

    def truncate(self, size: int) -> "Edit":
        """With the first merges only, as if trained with a smaller vocab_size."""
        from piecetokenizer import editing

        return editing.truncate(self, size)

    def merge(self, other: "Model") -> "Edit":
        """With the pieces of another model behind."""
        from piecetokenizer import editing

        return editing.merge(self, other)

    def set_roles(self, **roles: int | str | None) -> "Edit":
        """With other pieces as bos, eos, eot and so on."""
        from piecetokenizer import editing

        return editing.set_roles(self, **roles)

    # ---- as a file

    def dumps(self) -> bytes:
        """The model file's content; the same bytes for equal models."""
        from piecetokenizer.modelfile import dumps  # modelfile imports Model

        return dumps(self)

    @staticmethod
    def loads(data: bytes, *, name: str = "model") -> "Model":
        """A model from a model file's content; `name` is what errors call it."""
        from piecetokenizer.modelfile import loads  # modelfile imports Model

        return loads(data, name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, all of it or nothing: a file that was there stays whole until the new one is complete."""
        write_atomically(path, self.dumps())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Model":
        """Read a model file; one that breaks a rule raises ModelError with line, what was found and what was expected."""
        from piecetokenizer.modelfile import refuse_folder, refuse_other_files  # modelfile imports Model

        refuse_folder(path)
        return Model.loads(read_file(path, check_head=refuse_other_files), name=os.fspath(path))


def _same_length(size: int, **columns: Any) -> None:
    for name, column in columns.items():
        if column is not None and len(column) != size:
            raise ModelError(f"{name} has {len(column)} entries for {size} texts: give one for each piece")
