"""The private state of one call: normalizer's worker, cutter, encoder with its cache, and the arrays between them.

In: UTF-8 bytes, as one text or as rows.  Out: ids in an array.  A workspace is taken from a pool by one call at a time, and given back only
when the call went well: after an error it is dropped, and the next call makes a new one.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.lowlevel import PADDING
from piecetokenizer.normalize import Normalizer
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.pretokenize.cutter_cy import BoundaryCutter
from piecetokenizer.tokenizer.kernels import new_encoder, new_merger, widen
from piecetokenizer.tokenizer.lane_cy import Lane
from piecetokenizer.tokenizer.rows import NormalRows, RowArrays
from piecetokenizer.tokenizer.tables import Tables

__all__ = ["SLACK", "Workspace"]

SLACK = 24
"""Room behind the ids of a text: 16 that the kernel may write over the end, and a BOS and an EOS."""

_KEEP = 1 << 16
"""Ids for which a workspace keeps an array; longer results get one of their own."""


_LARGE = 1 << 26
"""Bytes of text, or of one segment, whose buffers are kept for the next call."""


class Workspace:
    """Runs the stages for one call; see the methods for what lies in `out` afterwards."""

    __slots__ = ("_cutter", "_room", "_worker", "encoder", "kept", "lane", "merger", "out")

    def __init__(self, normalizer: Normalizer, pretokenizer: PreTokenizer, tables: Tables) -> None:
        self.out: NDArray[np.int32]
        self._worker: Any = normalizer.worker()
        self._cutter = pretokenizer.cutter()
        self.merger = new_merger(tables)
        self.encoder = new_encoder(tables, self.merger)
        self._room = 0
        self.kept = np.empty(_KEEP + SLACK, np.int32)
        self._write_to(self.kept)
        self.lane: Any = None

    def open_lane(self, flags: int, first: int, last: int, ints: list[int]) -> None:
        """Let short texts take the fast lane: flags of a whole text, the ids put `first` and `last` (-1: none), an int for each id."""
        if isinstance(self._cutter, BoundaryCutter):  # a dictionary's cutter is not one kernel but two, with Python between them
            self.lane = Lane(self._worker, self._cutter, self.encoder, flags, first, last, ints, _KEEP)

    def _write_to(self, out: NDArray[np.int32]) -> None:
        self.out = out
        self.encoder.output(out, out.view(np.uint8))

    def _finish(self, size: int, done: int = 0) -> None:
        """Window after window, until the whole text has its ids; `done` is what the encoder said last."""
        run, cut = self.encoder.run, self._cutter.cut
        while True:
            while done < 0:
                self._room = -done
                widen(self.merger, self._room)
                done = self.encoder.again()
            if done >= size:
                return
            done = run(cut())

    def run_one(self, data: bytes, flags: int, first: int = -1, last: int = -1) -> Any:
        """Encode one text of valid UTF-8, between the ids `first` and `last` (-1: none); returns the encoder, which has the ids."""
        size = self._worker.run_one(data, flags, True)
        text, encoder, cutter = self._worker.text, self.encoder, self._cutter
        if size > _KEEP:
            self._write_to(np.empty(size + SLACK, np.int32))
        encoder.begin_one(text, cutter.ends, first)
        cutter.start_one(text, size)
        done = encoder.run(cutter.cut())
        if done < size:
            self._finish(size, done)
        if last >= 0:
            encoder.append(last)
        return encoder

    def run_rows(
        self,
        data: bytes,
        starts: NDArray[np.int64],
        stops: NDArray[np.int64],
        flags: NDArray[np.uint8],
        leads: NDArray[np.int32],
        valid: bool = True,
    ) -> NDArray[np.int64]:
        """Encode data[starts[i]:stops[i]], each after the id leads[i] if it is not negative; returns where the ids of each row end.

        Unless they are known to be `valid` UTF-8, see `invalid_bytes` before and after.
        """
        size = self._worker.run(data, starts.data, stops.data, flags.data, valid)
        return self._merge(self._worker.text, self._worker.stops, leads, size)

    @property
    def invalid_bytes(self) -> int:
        """How many bytes there have been, in all calls with valid=False, that are not part of valid UTF-8."""
        count: int = self._worker.invalid_bytes
        return count

    def _merge(self, text: NDArray[np.uint8], stops: NDArray[np.int64], leads: NDArray[np.int32], size: int) -> NDArray[np.int64]:
        ends = np.empty(len(leads), np.int64)
        if size + len(leads) > _KEEP:
            self._write_to(np.empty(size + len(leads) + SLACK, np.int32))
        self.encoder.begin(text, self._cutter.ends, stops, leads, ends, len(leads))
        self._cutter.start(text, stops, len(leads))
        self._finish(size)
        return ends

    def normalized(self, arrays: RowArrays, lead_spans: Sequence[tuple[int, int]]) -> NormalRows:
        """The first half of `run_rows`: rows that are normalized, and where everything came from."""
        data, starts, stops, flags, leads = arrays
        size = self._worker.run(data, starts.data, stops.data, flags.data, True, True)
        text: NDArray[np.uint8] = self._worker.text[: size + PADDING].copy()
        origins: NDArray[np.int64] = self._worker.offsets[: size + 1].copy()
        ends = stops.copy()
        ends[-1] = origins[-1]
        return NormalRows(text, self._worker.stops[: len(starts)].copy(), leads, flags, origins, ends, lead_spans)

    def run_normalized(self, rows: NormalRows) -> NDArray[np.int64]:
        """The second half of `run_rows`."""
        return self._merge(rows.text, rows.stops, rows.leads, len(rows.origins) - 1)

    def drop(self, seed: int, drop: int) -> None:
        """From now on leave out merges with probability drop / 2^53, and leave the caches alone; 0 ends it."""
        self.merger.dropout(seed, drop)
        self.encoder.cached(drop == 0)

    def result(self) -> NDArray[np.int32]:
        """The ids as an array that belongs to the caller."""
        size: int = self.encoder.size
        out = self.out
        if out is self.kept:
            copied: NDArray[np.int32] = out[:size].copy()
            return copied
        self._write_to(self.kept)
        out.resize(size, refcheck=False)  # nothing else refers to its memory now
        return out

    def release(self) -> bool:
        """Let go of what only the last call needed; False if its text has made the rest so large that it is better to let go of all."""
        if self.out is not self.kept:
            self._write_to(self.kept)
        text = self._worker.text
        if self.encoder.source is not text:  # rows that were normalized elsewhere
            self._cutter.start_one(text, 0)
            self.encoder.begin_one(text, self._cutter.ends)
        return len(text) <= _LARGE and self._room <= _LARGE
