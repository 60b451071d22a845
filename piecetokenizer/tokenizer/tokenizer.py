"""Tokenizer: text -> ids -> text, with one model.

In: a Model, with cn=dict also its Dictionary.  Out: an immutable object, equal and hashable by content, safe from many threads, picklable.
A call takes a workspace from a pool, so that no two calls ever share state; caches in it change the time a call takes, never its result.
"""

import os
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import SpecError
from piecetokenizer.model import Model, PieceType
from piecetokenizer.normalize import PREFIX, TRIM_LEFT, TRIM_RIGHT, WHOLE, Charsmap, Normalizer
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.tokenizer.decode import Decoder, printed_bytes, text_of
from piecetokenizer.tokenizer.ids import Ids, check_id
from piecetokenizer.tokenizer.special import Parts, Span, SpecialTokens, joined, utf8
from piecetokenizer.tokenizer.tables import build_tables
from piecetokenizer.tokenizer.workspace import Workspace

__all__ = ["Tokenizer"]

Text = str | bytes | Parts
Special = Literal["text", "parse", "error"]
Errors = Literal["strict", "replace"]


class Tokenizer:
    """Encodes and decodes with one model."""

    def __init__(self, model: Model, *, dictionary: Any = None) -> None:
        self.model = model
        self._dictionary = dictionary
        spec = model.pretokenizer
        self._normalizer = Normalizer(spec, charsmap_of(model))
        self._pretokenizer = PreTokenizer(spec, dictionary) if spec.cn == "dict" else PreTokenizer(spec)
        self._tables = build_tables(
            model.texts, model.scores, model.types == PieceType.NORMAL, spec.space, byte_ids(model), max(model.tokenizer.unk_id, 0)
        )
        self._special = SpecialTokens(model)
        self._plain = not self._special.always
        self._size = len(model)
        self._ints = list(range(self._size))
        self._flags = WHOLE | (PREFIX if spec.prefix != "none" else 0)
        self._bos = model.tokenizer.bos_id if model.tokenizer.add_bos else -1
        self._eos = model.tokenizer.eos_id if model.tokenizer.add_eos else -1
        self._decoders: dict[bool, Decoder] = {}
        self._pool: list[Workspace] = []

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, dict: Any = None) -> "Tokenizer":
        """Read a model file and make a Tokenizer of it."""
        return cls(Model.load(path), dictionary=dict)

    def __len__(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        return self.model == other.model if isinstance(other, Tokenizer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.model)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self.model, self._dictionary)

    def __repr__(self) -> str:
        return f"<Tokenizer of {self._size} pieces, {self.model.tokenizer.semantics}>"

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the model's file: the same for equal models, another after any edit."""
        return self.model.fingerprint

    @property
    def vocab_size(self) -> int:
        """The number of pieces; ids go from 0 to one less."""
        return self._size

    # ---- encoding

    def encode(
        self,
        text: Text,
        *,
        bos: bool | None = None,
        eos: bool | None = None,
        special: Special = "text",
        out: Literal["list", "numpy", "pieces"] = "list",
        errors: Errors = "strict",
    ) -> Any:
        """The ids of a text."""
        first = self._bos if bos is None else self._role("bos") if bos else -1
        last = self._eos if eos is None else self._role("eos") if eos else -1
        pool = self._pool
        if self._plain and special == "text" and type(text) is str:
            try:
                data = text.encode()
            except UnicodeEncodeError:
                data = utf8(text, errors)
            work = self._checkout()
            encoder = work.run_one(data, self._flags, first)
        else:
            work = self._checkout()
            encoder = self._run(work, text, special, errors, first)
        if last >= 0:
            encoder.append(last)
        if out == "list":
            ids: Any = encoder.take(0, encoder.size, self._ints)
            work.release()
        elif out == "numpy":
            ids = work.result()
        elif out == "pieces":
            texts = self.model.texts
            ids = [texts[id] for id in encoder.take(0, encoder.size, self._ints)]
            work.release()
        else:
            raise SpecError(f"out={out!r} is not allowed: it is one of list, numpy, pieces")
        pool.append(work)
        return ids

    def _run(self, work: Workspace, text: Text, special: Special, errors: Errors, first: int) -> Any:
        """Encode a text in which special tokens may be found."""
        trusted = None
        if isinstance(text, (str, bytes, bytearray)):
            data = utf8(text, errors)
        else:
            data, trusted = joined(text, errors)
        spans = self._special.spans(data, special, trusted)
        if not spans:
            return work.run_one(data, self._flags, first)
        work.run_rows(data, *self._fragments(data, spans, first))
        return work.encoder

    def _fragments(
        self, data: bytes, spans: Sequence[Span], first: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int32]]:
        """What lies between spans, as rows for the workspace: starts, stops, flags, and the id before each."""
        starts = np.array([0, *(end for _, end, _ in spans)], np.int64)
        stops = np.array([*(start for start, _, _ in spans), len(data)], np.int64)
        leads = np.array([first, *(id for _, _, id in spans)], np.int32)
        flags = np.full(len(starts), PREFIX if self.model.pretokenizer.prefix == "fragment" else 0, np.uint8)
        flags[0] |= self._flags & (TRIM_LEFT | PREFIX)
        flags[-1] |= TRIM_RIGHT
        return starts, stops, flags, leads

    def _checkout(self) -> Workspace:
        try:
            return self._pool.pop()
        except IndexError:
            return Workspace(self._normalizer, self._pretokenizer, self._tables)

    def _role(self, role: str) -> int:
        id: int = getattr(self.model.tokenizer, f"{role}_id")
        if id < 0:
            raise SpecError(f"{role}=True is not allowed: this model has no {role} piece; set {role}_id in its [TokenizerSpec]")
        return id

    # ---- decoding

    def _decoder(self, skip_special: bool) -> Decoder:
        decoder = self._decoders.get(skip_special)
        if decoder is None:
            decoder = self._decoders[skip_special] = Decoder(printed_bytes(self.model, skip_special))
        return decoder

    def decode(self, ids: Ids, *, skip_special: bool = True) -> str:
        """The text of ids; bytes that are not UTF-8 become U+FFFD."""
        return text_of(self._decoder(skip_special).bytes_of(ids))

    def decode_bytes(self, ids: Ids, *, skip_special: bool = True) -> bytes:
        """The bytes of ids, as they are."""
        return self._decoder(skip_special).bytes_of(ids).tobytes()

    def decode_batch(self, batch: Sequence[Ids], *, skip_special: bool = True) -> list[str]:
        """The text of each sequence of ids."""
        return [self.decode(ids, skip_special=skip_special) for ids in batch]

    # ---- pieces

    @overload
    def id_to_piece(self, id: int) -> str: ...
    @overload
    def id_to_piece(self, id: Sequence[int]) -> list[str]: ...
    def id_to_piece(self, id: int | Sequence[int]) -> str | list[str]:
        """The text of a piece in the form of the model file (▁ for the space), or of several."""
        if isinstance(id, (list, tuple)):
            return [self.model.texts[check_id(i, self._size, position)] for position, i in enumerate(id)]
        return self.model.texts[check_id(id, self._size)]

    def piece_to_id(self, piece: str) -> int | None:
        """The id of the piece with this text in the form of the model file; None if there is none."""
        return self.model.id_of(piece)


def byte_ids(model: Model) -> NDArray[np.int32]:
    """The id of each byte's piece, -1 where a byte has none."""
    ids = np.full(256, -1, np.int32)
    for id in np.flatnonzero(model.types == PieceType.BYTE).tolist():
        ids[int(model.texts[id][3:5], 16)] = id
    return ids


def charsmap_of(model: Model) -> Charsmap | None:
    """The charsmap that a model carries; None if its normalization has a name."""
    if model.charsmap is not None:
        return Charsmap.from_blob(model.charsmap)
    return None if model.charsmap_rules is None else Charsmap.from_rules(model.charsmap_rules)


def _remade(model: Model, dictionary: Any) -> Tokenizer:
    """A Tokenizer out of its pickled parts."""
    return Tokenizer(model, dictionary=dictionary)
