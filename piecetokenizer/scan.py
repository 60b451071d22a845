"""From a corpus to the counts of its segments: stages 1 and 2 and the segment table, over chunks, on threads.

In: a Corpus, a Normalizer, a PreTokenizer, user-defined symbols.  Out: Segments, and ScanCounts of what was changed on the way.
The rule is that of encoding: symbols cut a text first (leftmost-longest), the fragments between them are normalized, then cut.

Each thread has a worker of its own, with its own table; the tables are joined at the end, so neither the number of threads nor
the order of the chunks decides anything.  At most two chunks a thread are in memory.  Every kernel releases the GIL.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from queue import Empty, SimpleQueue
from typing import cast

import numpy as np
import numpy.typing as npt

from piecetokenizer.corpus import Chunk, Corpus
from piecetokenizer.corpus.utf8 import describe_first, invalid_texts
from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.table import SegmentTable, join
from piecetokenizer.errors import InputError
from piecetokenizer.messages import Option
from piecetokenizer.normalize import Normalizer
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.symbols import SymbolMatcher, leftmost_longest
from piecetokenizer.threads import helpers

__all__ = ["ScanCounts", "scan"]

WINDOW = 1 << 16
"""Segments between two kernel calls: a whole block of text as a rule, so that threads seldom wait for each other at the GIL."""

TEXT_START, TEXT_END = 1, 2
"""Flags of a fragment: it begins where its text begins, it ends where its text ends.  Only there are spaces trimmed."""

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.uint8]


@dataclass
class ScanCounts:
    """What became of the texts."""

    invalid_bytes: int = 0
    skipped: int = 0
    removed_spaces: int = 0
    rewritten: int = 0
    changed: Counter[int] = field(default_factory=Counter)
    symbols: int = 0
    segments: int = 0


def scan(
    corpus: Corpus,
    normalizer: Normalizer,
    pretokenizer: PreTokenizer,
    *,
    symbols: Sequence[str] = (),
    min_count: int = 1,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> tuple[Segments, ScanCounts]:
    """Count the segments of a corpus; `progress` is told how many bytes were read."""
    matcher = SymbolMatcher(symbols)
    workers = [_Worker(normalizer, pretokenizer, matcher, corpus) for _ in range(threads)]
    _work_through(corpus, workers, progress or (lambda read: None))
    total = ScanCounts()
    for worker in workers:
        worker.add_to(total)
    return join([worker.table for worker in workers], min_count), total


def _work_through(corpus: Corpus, workers: "list[_Worker]", progress: Callable[[int], None]) -> None:
    """Scan all chunks, each with the worker that is free first.

    The corpus is read and progress told by the calling thread, and by no other; it has a worker too, and scans a chunk whenever there
    are enough to go on with for the others.  So there are no more threads than workers, and none of them ever waits for long.
    """
    mine, *others = workers
    todo: SimpleQueue[tuple[int, Chunk] | None] = SimpleQueue()
    failed: list[tuple[int, BaseException]] = []

    def work(worker: _Worker, item: tuple[int, Chunk]) -> None:
        number, chunk = item
        try:
            worker.scan(chunk)
        except Exception as error:
            failed.append((number, error))

    def help_out(worker: _Worker) -> None:
        while (item := todo.get()) is not None:
            if not failed:
                work(worker, item)

    def stop() -> None:
        for _ in others:
            todo.put(None)

    with helpers([partial(help_out, worker) for worker in others], stop):
        try:
            for item in enumerate(corpus):
                todo.put(item)
                with suppress(Empty):
                    while todo.qsize() >= len(workers) and not failed:
                        work(mine, cast(tuple[int, Chunk], todo.get_nowait()))
                progress(corpus.counts.bytes)
                if failed:
                    break
            with suppress(Empty):
                while not failed:
                    work(mine, cast(tuple[int, Chunk], todo.get_nowait()))
        except BaseException as error:
            failed.append((-1, error))  # stops the helpers
            raise
    if failed:
        # Chunks are taken in order and finished once taken, so the first error of the corpus is among them: it is the one that is raised.
        raise min(failed, key=itemgetter(0))[1]


class _Worker:
    """One thread's share: a normalizer's worker, a cutter and a table of its own."""

    def __init__(self, normalizer: Normalizer, pretokenizer: PreTokenizer, matcher: SymbolMatcher, corpus: Corpus) -> None:
        self.table = SegmentTable()
        self._normalize = normalizer.worker()
        self._cutter = pretokenizer.cutter(WINDOW)
        self._matcher = matcher
        self._errors = corpus.errors
        self._counts = ScanCounts()

    def scan(self, chunk: Chunk) -> None:
        """Count the segments of a chunk."""
        if self._errors != "replace":
            self._refuse_invalid(chunk)
        starts, stops, flags = self._fragments(chunk)
        normalize, cutter, table = self._normalize, self._cutter, self.table
        normalize.run(chunk.data, starts, stops, flags)
        text = normalize.text
        cutter.start(text, normalize.stops, len(starts))
        begin = 0
        while n := cutter.cut():
            ends = cutter.ends
            table.add(text, begin, ends, n)
            begin = int(ends[n - 1])
            self._counts.segments += n

    def add_to(self, total: ScanCounts) -> None:
        """Add what this worker counted."""
        normalize = self._normalize
        total.invalid_bytes += normalize.invalid_bytes
        total.removed_spaces += normalize.removed_spaces
        total.rewritten += normalize.rewritten
        total.changed.update(normalize.changed)
        total.skipped += self._counts.skipped
        total.symbols += self._counts.symbols
        total.segments += self._counts.segments

    def _refuse_invalid(self, chunk: Chunk) -> None:
        """errors=strict: stop at the first byte that is not UTF-8; errors=skip: leave the texts out that have one."""
        try:
            chunk.data.decode()
        except UnicodeDecodeError:
            bad = [number for number, _ in invalid_texts(chunk)]
            if bad and self._errors == "strict":
                ways = Option("errors", "replace"), ", ", Option("errors", "skip"), ", or convert the file"
                raise InputError(f"{describe_first(chunk)}; use ", *ways) from None
            self._counts.skipped += len(bad)
            chunk.starts, chunk.stops = np.delete(chunk.starts, bad), np.delete(chunk.stops, bad)

    def _fragments(self, chunk: Chunk) -> tuple[Numbers, Numbers, Flags]:
        """What is left of the texts between the symbols in them."""
        starts, stops = chunk.starts, chunk.stops
        found = list(self._matcher.matches(chunk.data))
        if found and len(starts):
            # A match that reaches over a text's end is none; without those, a choice for the whole chunk is one for each text.
            places = np.array(found, np.int64)
            text = np.searchsorted(starts, places[:, 0], "right") - 1
            inside = (text >= 0) & (places[:, 1] <= stops[text])
            spans = leftmost_longest(match for match, within in zip(found, inside.tolist(), strict=True) if within)
            self._counts.symbols += len(spans)
            starts, stops, flags = _between(starts, stops, np.array(spans, np.int64).reshape(-1, 3))
        else:
            flags = np.full(len(starts), TEXT_START | TEXT_END, np.uint8)
        return starts, stops, flags


def _between(starts: Numbers, stops: Numbers, spans: Numbers) -> tuple[Numbers, Numbers, Flags]:
    """Fragments: each begins at a text's start or a span's end, and ends at the next text's end or span's start."""
    # Texts may touch: at one place, what ends the text before comes first, so a span's end before a start, a stop before a span's start.
    begins = np.concatenate((spans[:, 1], starts))
    ends = np.concatenate((stops, spans[:, 0]))
    first, last = np.argsort(begins, kind="stable"), np.argsort(ends, kind="stable")
    flags = np.where(first >= len(spans), TEXT_START, 0) | np.where(last < len(stops), TEXT_END, 0)
    begins, ends = begins[first], ends[last]
    full = ends > begins
    return begins[full], ends[full], flags[full].astype(np.uint8)
