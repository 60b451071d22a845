"""Engine: what a Tokenizer is made of, and how one call runs.

In: a Model.  Out: an immutable set of tables and stages, and a pool of workspaces; a call takes one out, and puts it back when it went
well.

A text becomes rows: the fragments between special tokens, each with the id that stands before it (a special token, or BOS) or -1.  EOS
is one more row, without text.  Only the ends of the whole text count as its ends for the trimming of spaces.
"""

import os
import pathlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import InputError, SpecError
from piecetokenizer.messages import Message, Option
from piecetokenizer.model import Model, PieceType
from piecetokenizer.normalize import PREFIX, TRIM_LEFT, TRIM_RIGHT, WHOLE, Charsmap, Normalizer
from piecetokenizer.pretokenize import Dictionary, PreTokenizer
from piecetokenizer.tokenizer.block import block_rows, refuse_invalid
from piecetokenizer.tokenizer.decode import Decoder
from piecetokenizer.tokenizer.imported import Imported, LeadingSpace, mergeable, printed
from piecetokenizer.tokenizer.lane_cy import Pool
from piecetokenizer.tokenizer.rows import NormalRows, RowArrays, Rows
from piecetokenizer.tokenizer.special import Parts, Spans, SpecialTokens, joined, utf8
from piecetokenizer.tokenizer.tables import build_tables
from piecetokenizer.tokenizer.workspace import Workspace

__all__ = ["Engine", "Options", "Text"]

_NO_SPANS: Spans = np.empty((0, 3), np.int64)

Path = str | os.PathLike[str]

Text = str | bytes | Parts
"""One text: a str, UTF-8 bytes, or parts (text, trusted)."""


@dataclass(frozen=True, slots=True)
class Options:
    """How texts are encoded: the ids to put first and last (-1: none), and what happens to special tokens, bad text and merges."""

    first: int = -1
    last: int = -1
    special: str = "text"
    errors: str = "strict"
    drop: int = 0
    seed: int = 0


class Engine:
    """Shared by all threads; see Workspace for what is not."""

    def __init__(self, model: Model, dictionary: Dictionary | Path | None = None, all_splits: bool = False) -> None:
        """`all_splits`: keep also those ways to make a piece that only dropout can take."""
        spec = model.pretokenizer
        charsmap = charsmap_of(model)
        self.model = model
        self.dictionary = _loaded(dictionary)
        self.size = len(model)
        self.normalizer = Normalizer(spec, charsmap)
        self.pretokenizer = PreTokenizer(spec, self.dictionary)
        self.special = SpecialTokens(model)
        self.imported = None if model.tokenizer.semantics == "native" else Imported(model, charsmap)
        space = spec.space if self.imported is None else self.imported.kernel_space
        unk = max(model.tokenizer.unk_id, 0)
        self.tables = build_tables(model.texts, model.scores, mergeable(model), space, byte_ids(model), unk, all_splits)
        self.is_byte = model.types == PieceType.BYTE
        self.piece_sizes = np.where(self.is_byte, 1, self.tables.sizes).astype(np.int64)
        self.is_plain = not self.special.always and (self.imported is None or self.imported.is_plain)
        self.is_native_plain = self.is_plain and self.imported is None
        self.space = "" if self.imported is None else spec.space
        self.ints = list(range(self.size))
        self.flags = WHOLE | (PREFIX if spec.prefix != "none" else 0)
        self._inner_flags = PREFIX if spec.prefix == "fragment" else 0
        self._warned = False
        self._for_dropout: Engine | None = self if all_splits else None
        self._decoders: dict[bool, Decoder] = {}
        self.pool: Any = Pool()

    def workspace(self) -> Workspace:
        """A new workspace."""
        work = Workspace(self.normalizer, self.pretokenizer, self.tables)
        if self.is_native_plain:
            spec = self.model.tokenizer
            work.open_lane(self.flags, spec.bos_id if spec.add_bos else -1, spec.eos_id if spec.add_eos else -1, self.ints)
        return work

    def checkout(self) -> Workspace:
        """A workspace for one call, which gives it back with `checkin` when it went well."""
        work: Workspace | None = self.pool.take()
        return self.workspace() if work is None else work

    def checkin(self, work: Workspace) -> None:
        """Give a workspace back; one that a huge text has made large is let go."""
        if work.release():
            self.pool.give(work)

    def engine_for(self, options: Options) -> "Engine":
        """The engine that runs with these options: for dropout another one, made when it is first needed."""
        if not options.drop:
            return self
        if self._for_dropout is None:
            self._for_dropout = Engine(self.model, self.dictionary, all_splits=True)
        return self._for_dropout

    def decoder(self, skip_special: bool) -> Decoder:
        """The decoder that leaves out, or prints, control, unknown and unused pieces."""
        decoder = self._decoders.get(skip_special)
        if decoder is None:
            decoder = self._decoders[skip_special] = Decoder(*printed(self.model, skip_special), LeadingSpace(self.model))
        return decoder

    def role(self, role: str) -> int:
        """The id with a role; an error if the model has none."""
        id: int = getattr(self.model.tokenizer, f"{role}_id")
        if id < 0:
            asked = Message("padding needs a pad_id") if role == "pad" else Message(Option(role, True), " is not allowed")
            raise SpecError(asked, f": this model has no {role} piece; give a piece this role (set_roles, `piecetokenizer edit --role`)")
        return id

    # ---- texts to rows

    def cut(self, text: Text, options: Options) -> tuple[bytes, Spans]:
        """A text as UTF-8, and the special tokens in it."""
        if isinstance(text, (str, bytes, bytearray, memoryview)):
            data = utf8(text, options.errors)
            if options.special == "text" and not self.special.always:
                return data, _NO_SPANS
            return data, self.special.spans(data, options.special, None)
        data, trusted = joined(text, options.errors)
        return data, self.special.spans(data, options.special, trusted)

    def add_rows(self, rows: Rows, data: bytes, spans: Spans, options: Options) -> None:
        """Append a text to some rows."""
        flags, base = self._inner_flags | self.flags & (TRIM_LEFT | PREFIX), rows.size
        rows.data.append(data)
        rows.size += len(data)
        if len(spans):
            begins, ends, ids = spans.T
            if options.first >= 0 and begins[0] == 0 and ids[0] == options.first:
                self._warn_of_bos(options.first)
            rows.starts += [base, *(ends + base).tolist()]
            rows.stops += [*(begins + base).tolist(), rows.size]
            rows.flags += [flags, *[self._inner_flags] * (len(ids) - 1), self._inner_flags | TRIM_RIGHT]
            rows.leads += [options.first, *ids.tolist()]
        else:
            rows.add(base, rows.size, flags | TRIM_RIGHT, options.first)
        if options.last >= 0:
            rows.add(rows.size, rows.size, 0, options.last)
        rows.text_ends.append(len(rows.starts))

    def is_plain_text(self, text: str) -> bool:
        """Whether a text has no special tokens (special=text), and no literal ▁ that a model of another tool takes for a space."""
        return self.is_plain and (not self.space or self.space not in text)

    def _warn_of_bos(self, first: int) -> None:
        """Say once that a text that already begins with BOS got another."""
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"the text begins with {self.model.texts[first]!r} and got another before it: pass bos=False for texts that have one",
                stacklevel=5,  # the caller of Tokenizer.encode
            )

    # ---- one call

    def normalized(
        self, work: Workspace, arrays: RowArrays, lead_spans: Sequence[tuple[int, int]]
    ) -> tuple[NormalRows, Sequence[int] | NDArray[np.int64]]:
        """Rows as they are merged, and for each row given, which is its last now."""
        if self.imported is None:
            return work.normalized(arrays, lead_spans), range(len(lead_spans))
        return self.imported.normalized(work, arrays, lead_spans)

    def _run_rows(self, work: Workspace, arrays: RowArrays) -> NDArray[np.int64]:
        """Encode rows; returns where the ids of each end."""
        if self.imported is None:
            return work.run_rows(*arrays)
        rows, last = self.imported.normalized(work, arrays, [(0, 0)] * len(arrays[1]))
        return work.run_normalized(rows)[last]

    def run_text(self, work: Workspace, text: Text, options: Options) -> Any:
        """Encode one text; returns the encoder, which has the ids."""
        if options.drop:
            return self.run_with_dropout(work, text, options, 0)
        data, spans = self.cut(text, options)
        rows = Rows()
        self.add_rows(rows, data, spans, options)
        self._run_rows(work, rows.arrays())
        return work.encoder

    def run_texts(self, work: Workspace, texts: Sequence[Text], options: Options, index: int = 0) -> NDArray[np.int64]:
        """Encode many texts, one behind the other; returns where the ids of each end.  `index` is the number of the first, for messages."""
        if options.special == "text" and self.is_plain and options.last < 0:
            plain = self._plain_rows(texts, options.first)
            if plain:
                return work.run_rows(*plain)
        rows = Rows()
        for place, text in enumerate(texts):
            try:
                self.add_rows(rows, *self.cut(text, options), options)
            except InputError as error:
                raise InputError(f"text {index + place} of the batch: {error}") from None
        ends = self._run_rows(work, rows.arrays())
        return ends[np.array(rows.text_ends, np.int64) - 1]

    def run_block(
        self, work: Workspace, data: bytes, starts: NDArray[np.int64], stops: NDArray[np.int64], options: Options
    ) -> NDArray[np.int64]:
        """Encode the texts data[starts[i]:stops[i]]; returns where the ids of each end.  What is not UTF-8 is refused."""
        if options.special != "text" or not self.is_native_plain:
            texts = [data[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
            return self.run_texts(work, texts, options)
        before = work.invalid_bytes
        ends = work.run_rows(*block_rows(data, starts, stops, self.flags, options.first, options.last), valid=False)
        if work.invalid_bytes > before:
            refuse_invalid(data, starts, stops)
        return ends[1::2] if options.last >= 0 else ends

    def _plain_rows(self, texts: Sequence[Text], first: int) -> RowArrays | None:
        """The rows of texts that are one row each, without a step of Python for each; None if some text is no valid str."""
        count = len(texts)
        try:
            whole = "".join(texts)  # type: ignore[arg-type]
            if not self.is_plain_text(whole):
                return None
            if whole.isascii():
                data, sizes = whole.encode(), map(len, texts)
            else:
                encoded = [text.encode() for text in texts]  # type: ignore[union-attr]
                data, sizes = b"".join(encoded), map(len, encoded)
        except (TypeError, UnicodeEncodeError):
            return None
        edges = np.zeros(count + 1, np.int64)
        np.cumsum(np.fromiter(sizes, np.int64, count), out=edges[1:])
        return data, edges[:-1], edges[1:], np.full(count, self.flags, np.uint8), np.full(count, first, np.int32)

    def run_with_dropout(self, work: Workspace, text: Text, options: Options, index: int) -> Any:
        """Encode text number `index` of a batch, leaving out merges by a chance that depends on seed and index only."""
        rows = Rows()
        self.add_rows(rows, *self.cut(text, options), options)
        from hashlib import blake2b  # loads OpenSSL, which few programs need

        seed = blake2b(b"%d %d" % (options.seed, index), digest_size=8).digest()
        work.drop(int.from_bytes(seed, "little"), options.drop)
        self._run_rows(work, rows.arrays())
        work.drop(0, 0)
        return work.encoder


def _loaded(dictionary: Dictionary | Path | None) -> Dictionary | None:
    """A dictionary given as itself, by its name or by its path."""
    if dictionary is None or isinstance(dictionary, Dictionary):
        return dictionary
    return Dictionary.load(dictionary if isinstance(dictionary, str) else pathlib.Path(dictionary))


def drop_threshold(dropout: float) -> int:
    """A probability as the kernel takes it, in units of 2^-53."""
    if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
        raise SpecError(Option("dropout", dropout), " is not allowed: it is a probability from 0 to 1")
    return int(dropout * (1 << 53))


def chosen_seed(seed: int | None) -> int:
    """The seed of a call; a random one if none is given."""
    if seed is None:
        return int.from_bytes(os.urandom(8), "little")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise SpecError(Option("seed", seed), " is not allowed: it is a whole number")
    return int(seed)


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
