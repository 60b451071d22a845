"""Tokenizer: text -> ids -> text, with one model.

In: a Model, with cn=dict also its Dictionary.  Out: an immutable object, equal and hashable by content, picklable, safe from many
threads and across forks.  Each call has a state of its own (see engine.py); caches change the time that a call takes, never its result.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import SpecError
from piecetokenizer.model import Model
from piecetokenizer.pretokenize import Dictionary
from piecetokenizer.tokenizer.batch import Flat, flat_batches, joined_flat, list_batches, padded, truncated
from piecetokenizer.tokenizer.block import block_spans
from piecetokenizer.tokenizer.engine import Engine, Options, Path, Text, chosen_seed, drop_threshold
from piecetokenizer.tokenizer.ids import Ids, check_id
from piecetokenizer.tokenizer.lane_cy import QuickEncode
from piecetokenizer.tokenizer.offsets import encode_with_spans
from piecetokenizer.tokenizer.special import utf8
from piecetokenizer.tokenizer.text_cy import utf8_of
from piecetokenizer.tokenizer.unbatch import text_batches

__all__ = ["Tokenizer"]

Special = Literal["text", "parse", "error"]
Errors = Literal["strict", "replace"]
Side = Literal["left", "right"]
Out = Literal["list", "numpy", "pieces"]


class Tokenizer(QuickEncode):
    """Encodes and decodes with one model.

    Everywhere `bos` and `eos` say whether to put the model's BOS first and EOS last; None does what the model says.  `special` says what
    happens to control tokens in a text: with "text" they are text, "parse" makes them ids, "error" refuses them.  A text may also be parts
    `(text, trusted)`: they are one text, in which control tokens become ids where they lie wholly inside trusted parts.

    >>> from piecetokenizer import train
    >>> model = train(iter(["the cat sat on the mat"] * 9), vocab_size=277, reconstruct=True, control=["<|end|>"])
    >>> tokenizer = Tokenizer(model)
    >>> tokenizer.encode("the cat")
    [261, 263, 259]
    >>> tokenizer.decode([261, 263, 259])
    'the cat'
    """

    __slots__ = ("_bos", "_engine", "_eos", "model")

    def __init__(self, model: Model, *, dictionary: Dictionary | Path | None = None) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a Model is expected, not {type(model).__name__}: Tokenizer.load(path) reads a file")
        self.model = model
        self._engine = Engine(model, dictionary)
        super().__init__(self._engine.pool)
        self._bos = model.tokenizer.bos_id if model.tokenizer.add_bos else -1
        self._eos = model.tokenizer.eos_id if model.tokenizer.add_eos else -1

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, dict: Dictionary | Path | None = None) -> "Tokenizer":
        """A Tokenizer of a model file, or of a GGUF, a SentencePiece .model or a tokenizer.json, with the rules of the tool that wrote it.

        `dict` is the Dictionary of a model with cn=dict, or its name or path.
        """
        from piecetokenizer.formats import load  # other tools' formats are built on this one, and few programs need them

        return cls(load(path), dictionary=dict)

    def __len__(self) -> int:
        return self._engine.size

    def __eq__(self, other: object) -> bool:
        return self.model == other.model if isinstance(other, Tokenizer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.model)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self.model, self._engine.dictionary)

    def __repr__(self) -> str:
        return f"<Tokenizer of {len(self)} pieces, {self.model.tokenizer.semantics}>"

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the model's file: the same for equal models, another after any edit."""
        return self.model.fingerprint

    @property
    def vocab_size(self) -> int:
        """The number of pieces; ids go from 0 to one less."""
        return self._engine.size

    # ---- encoding

    if TYPE_CHECKING:  # the method is QuickEncode's, which has its documentation

        @overload
        def encode(
            self, text: Text, *, bos: bool | None = ..., eos: bool | None = ..., special: Special = ..., out: Literal["list"] = ...,
            dropout: float = ..., seed: int | None = ..., errors: Errors = ...,
        ) -> list[int]: ...  # fmt: skip
        @overload
        def encode(
            self, text: Text, *, bos: bool | None = ..., eos: bool | None = ..., special: Special = ..., out: Literal["numpy"],
            dropout: float = ..., seed: int | None = ..., errors: Errors = ...,
        ) -> NDArray[np.int32]: ...  # fmt: skip
        @overload
        def encode(
            self, text: Text, *, bos: bool | None = ..., eos: bool | None = ..., special: Special = ..., out: Literal["pieces"],
            dropout: float = ..., seed: int | None = ..., errors: Errors = ...,
        ) -> list[str]: ...  # fmt: skip
        def encode(
            self, text: Text, *, bos: bool | None = ..., eos: bool | None = ..., special: Special = ..., out: Out = ...,
            dropout: float = ..., seed: int | None = ..., errors: Errors = ...,
        ) -> Any:  # fmt: skip
            """See QuickEncode."""

    def _encode(
        self, text: Text, bos: bool | None, eos: bool | None, special: Special, out: Out, dropout: float, seed: int | None, errors: Errors
    ) -> Any:
        """What `encode` does with all that is not for the fast lane."""
        engine = self._engine
        first = self._bos if bos is None else engine.role("bos") if bos else -1
        last = self._eos if eos is None else engine.role("eos") if eos else -1
        if type(text) is str and special == "text" and not dropout and (engine.is_native_plain or engine.is_plain_text(text)):
            data = utf8_of(text) or utf8(text, errors)
            work = engine.checkout()
            encoder = work.run_one(data, engine.flags, first, last)
        else:
            options = self._options(first, last, special, errors, dropout, seed)
            engine = engine.engine_for(options)
            work = engine.checkout()
            encoder = engine.run_text(work, text, options)
        if out == "list":
            ids: Any = encoder.take(engine.ints)
        elif out == "numpy":
            ids = work.result()
        elif out == "pieces":
            ids = list(map(self.model.texts.__getitem__, encoder.take(engine.ints)))
        else:
            raise SpecError(f"out={out!r} is not allowed: it is one of list, numpy, pieces")
        engine.checkin(work)
        return ids

    def encode_with_offsets(
        self, text: Text, *, bos: bool | None = None, eos: bool | None = None, special: Special = "text", errors: Errors = "strict"
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """The ids of a text, and for each the span of the original text that it stands for: code points, end exclusive.

        >>> from piecetokenizer import train
        >>> model = train(iter(["the cat sat on the mat"] * 9), vocab_size=277, reconstruct=True, control=["<|end|>"])
        >>> tokenizer = Tokenizer(model)
        >>> tokenizer.encode_with_offsets("the cat!")
        ([261, 263, 259, 36], [(0, 3), (3, 5), (5, 7), (7, 8)])
        """
        options = self._options(*self._around(bos, eos), special, errors)
        ids, spans = encode_with_spans(self._engine, text, options)
        return ids.tolist(), [(start, end) for start, end in spans.tolist()]

    def count_tokens(
        self, text: Text, *, bos: bool | None = None, eos: bool | None = None, special: Special = "text", errors: Errors = "strict"
    ) -> int:
        """How many ids a text has, without making them Python objects.

        >>> from piecetokenizer import train
        >>> model = train(iter(["the cat sat on the mat"] * 9), vocab_size=277, reconstruct=True, control=["<|end|>"])
        >>> tokenizer = Tokenizer(model)
        >>> tokenizer.count_tokens("the cat")
        3
        """
        work = self._engine.checkout()
        size: int = self._engine.run_text(work, text, self._options(*self._around(bos, eos), special, errors)).size
        self._engine.checkin(work)
        return size

    def encode_batch(
        self,
        texts: Iterable[Text],
        *,
        threads: int = 1,
        bos: bool | None = None,
        eos: bool | None = None,
        special: Special = "text",
        out: Literal["list", "flat", "padded"] = "list",
        max_length: int | None = None,
        truncation_side: Side = "right",
        pad_to: int | None = None,
        pad_id: int | None = None,
        padding_side: Side = "right",
        dropout: float = 0.0,
        seed: int | None = None,
        errors: Errors = "strict",
    ) -> Any:
        """The ids of many texts: a list of lists, or Flat(ids, offsets), or Padded(ids, mask).

        `max_length` cuts the ids of a text, but neither BOS nor EOS.  `pad_to` is the width of the padded matrix (the longest text's by
        default), `pad_id` what it is filled with (the model's pad piece by default).

        >>> from piecetokenizer import train
        >>> model = train(iter(["the cat sat on the mat"] * 9), vocab_size=277, reconstruct=True, control=["<|end|>"])
        >>> tokenizer = Tokenizer(model)
        >>> tokenizer.encode_batch(["the cat", "sat"])
        [[261, 263, 259], [275, 259]]
        >>> ids, offsets = tokenizer.encode_batch(["the cat", "sat"], out="flat")
        >>> ids[offsets[1] : offsets[2]].tolist()
        [275, 259]
        >>> ids, mask = tokenizer.encode_batch(["the cat", "sat"], out="padded", pad_id=0)
        >>> ids.tolist(), mask.tolist()
        ([[261, 263, 259], [275, 259, 0]], [[True, True, True], [True, True, False]])
        """
        if out not in ("list", "flat", "padded"):
            raise SpecError(f"out={out!r} is not allowed: it is one of list, flat, padded")
        first, last = self._around(bos, eos)
        options = self._options(first, last, special, errors, dropout, seed)
        if out == "list" and max_length is None:
            return [ids for chunk in list_batches(self._engine, texts, options, threads) for ids in chunk]
        if max_length is None:
            flat = joined_flat(flat_batches(self._engine, texts, options, threads))
        else:
            inner = self._options(-1, -1, special, errors, dropout, options.seed)
            flat = truncated(joined_flat(flat_batches(self._engine, texts, inner, threads)), first, last, max_length, truncation_side)
        if out == "padded":
            pad = self._engine.role("pad") if pad_id is None else check_id(pad_id, len(self))
            return padded(flat, pad, pad_to, padding_side)
        if out == "list":
            return [row.tolist() for row in np.split(flat.ids, flat.offsets[1:-1])] if len(flat.offsets) > 1 else []
        return flat

    def encode_block(
        self,
        data: bytes,
        starts: NDArray[np.int64],
        stops: NDArray[np.int64],
        *,
        bos: bool | None = None,
        eos: bool | None = None,
        special: Special = "text",
    ) -> Flat:
        """The ids of texts that lie in one block of valid UTF-8, text i being data[starts[i]:stops[i]]: as `encode_batch` with out="flat".

        No object is made for a text, so that threads, each with blocks of its own, hardly ever wait for each other.
        """
        options = self._options(*self._around(bos, eos), special, "strict")
        spans = block_spans(data, starts, stops)
        work = self._engine.checkout()
        ends = self._engine.run_block(work, data, *spans, options)
        ids = work.result()
        self._engine.checkin(work)
        return Flat(ids, np.append(np.zeros(1, np.int64), ends))

    def encode_iter(
        self,
        texts: Iterable[Text],
        *,
        threads: int = 1,
        bos: bool | None = None,
        eos: bool | None = None,
        special: Special = "text",
        dropout: float = 0.0,
        seed: int | None = None,
        errors: Errors = "strict",
    ) -> Iterator[list[int]]:
        """The ids of each text of a stream, in order; only some chunks of the stream are in memory at a time.

        >>> from piecetokenizer import train
        >>> model = train(iter(["the cat sat on the mat"] * 9), vocab_size=277, reconstruct=True, control=["<|end|>"])
        >>> tokenizer = Tokenizer(model)
        >>> list(tokenizer.encode_iter(text for text in ("the cat", "sat")))
        [[261, 263, 259], [275, 259]]
        """
        options = self._options(*self._around(bos, eos), special, errors, dropout, seed)
        return (ids for chunk in list_batches(self._engine, texts, options, threads) for ids in chunk)

    def _around(self, bos: bool | None, eos: bool | None) -> tuple[int, int]:
        """The ids to put first and last, -1 for none."""
        first = self._bos if bos is None else self._engine.role("bos") if bos else -1
        last = self._eos if eos is None else self._engine.role("eos") if eos else -1
        return first, last

    @staticmethod
    def _options(first: int, last: int, special: str, errors: str, dropout: float = 0.0, seed: int | None = None) -> Options:
        drop = drop_threshold(dropout)
        return Options(first, last, special, errors, drop, chosen_seed(seed) if drop else 0)

    # ---- decoding

    def decode(self, ids: Ids, *, skip_special: bool = True) -> str:
        """The text of ids; bytes that are not UTF-8 become U+FFFD.  Control, unknown and unused pieces print nothing, unless asked.

        >>> from piecetokenizer import train
        >>> model = train(iter(["the cat sat on the mat"] * 9), vocab_size=277, reconstruct=True, control=["<|end|>"])
        >>> tokenizer = Tokenizer(model)
        >>> tokenizer.decode([261, 263, 259, 276])
        'the cat'
        >>> tokenizer.decode([261, 263, 259, 276], skip_special=False)
        'the cat<|end|>'
        """
        return self._engine.decoder(skip_special).text(ids)

    def decode_bytes(self, ids: Ids, *, skip_special: bool = True) -> bytes:
        """The bytes of ids, as they are."""
        return self._engine.decoder(skip_special).text_bytes(ids).tobytes()

    def decode_part(self, ids: Ids, *, skip_special: bool = True, at_start: bool = True) -> tuple[bytes, bool]:
        """The bytes of ids that continue others, and whether the ids that follow are still at the start of the text.

        At the start of a text, models with a space prefix leave that space out.
        """
        return self._engine.decoder(skip_special).part(ids, at_start)

    def decode_batch(self, batch: Iterable[Ids], *, threads: int = 1, skip_special: bool = True) -> list[str]:
        """The text of each sequence of ids; a Flat or Padded of `encode_batch` is a batch too.

        Most of the time goes into making Python's objects, so `threads` gain little but in a Python that is free-threaded.  The batch is
        read ahead by some thousand sequences: one that comes from an iterator must not be a buffer that is filled again.

        >>> from piecetokenizer import train
        >>> model = train(iter(["the cat sat on the mat"] * 9), vocab_size=277, reconstruct=True, control=["<|end|>"])
        >>> tokenizer = Tokenizer(model)
        >>> tokenizer.decode_batch([[261, 263, 259], [275, 259]])
        ['the cat', 'sat']
        """
        return [text for chunk in text_batches(self._engine.decoder(skip_special), batch, threads) for text in chunk]

    def decode_lines(self, ids: Ids, offsets: NDArray[np.int64], *, skip_special: bool = True) -> bytes:
        """The texts of flat ids, as `encode_batch` with out="flat" gives them, in UTF-8 with LF behind each.

        >>> from piecetokenizer import train
        >>> model = train(iter(["the cat sat on the mat"] * 9), vocab_size=277, reconstruct=True, control=["<|end|>"])
        >>> tokenizer = Tokenizer(model)
        >>> tokenizer.decode_lines(*tokenizer.encode_batch(["the cat", "sat"], out="flat"))
        b'the cat\\nsat\\n'
        """
        return self._engine.decoder(skip_special).lines(ids, offsets)

    # ---- pieces

    @overload
    def id_to_piece(self, id: int) -> str: ...
    @overload
    def id_to_piece(self, id: Sequence[int] | NDArray[np.integer[Any]]) -> list[str]: ...
    def id_to_piece(self, id: int | Sequence[int] | NDArray[np.integer[Any]]) -> str | list[str]:
        """The text of a piece in the form of the model file (▁ for the space), or of several.

        >>> from piecetokenizer import train
        >>> model = train(iter(["the cat sat on the mat"] * 9), vocab_size=277, reconstruct=True, control=["<|end|>"])
        >>> tokenizer = Tokenizer(model)
        >>> tokenizer.id_to_piece(263), tokenizer.id_to_piece([261, 263])
        ('▁c', ['the', '▁c'])
        """
        texts = self.model.texts
        if isinstance(id, (list, tuple, np.ndarray)):
            return [texts[check_id(i, len(self), position)] for position, i in enumerate(id)]
        return texts[check_id(id, len(self))]

    @overload
    def piece_to_id(self, piece: str) -> int | None: ...
    @overload
    def piece_to_id(self, piece: list[str] | tuple[str, ...]) -> list[int | None]: ...
    def piece_to_id(self, piece: str | list[str] | tuple[str, ...]) -> int | list[int | None] | None:
        """The id of the piece with this text in the form of the model file, None if there is none; or of several."""
        if isinstance(piece, (list, tuple)):
            return [self.model.id_of(one) for one in piece]
        return self.model.id_of(piece)


def _remade(model: Model, dictionary: Dictionary | None) -> Tokenizer:
    """A Tokenizer out of its pickled parts."""
    return Tokenizer(model, dictionary=dictionary)
