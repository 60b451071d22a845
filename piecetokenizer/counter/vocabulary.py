"""Vocabulary: the whole of stage 3, from segments to the columns of a Model.

In: `Segments` and `CounterSpec`.  Out: `Vocabulary`: texts, scores, types, parts, the ids of the roles, and what the report needs.
Rule: special pieces at their ids; then, in order, bytes, user-defined symbols, merges with scores 0, -1, -2, ..., required
characters by frequency with the scores going on, control tokens, reserved ones.  Together they are `vocab_size` pieces, exactly;
padding to a multiple comes on top.  A size that cannot be reached is an error that says which can be; with `soft_vocab_limit`, too
few pieces are not an error but a note.
"""

from dataclasses import dataclass

import numpy as np

from piecetokenizer.columns import Columns, Parts, canonical_texts, parts_column
from piecetokenizer.counter.coverage import Coverage, cover
from piecetokenizer.counter.layout import BYTE_PIECES, Layout, plan
from piecetokenizer.counter.merges import Merges, Progress, merge_symbols
from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.symbols import lay_out
from piecetokenizer.errors import InputError, SpecError
from piecetokenizer.messages import Message, Option
from piecetokenizer.model import PieceType
from piecetokenizer.spec import CounterSpec

__all__ = ["Vocabulary", "learn_vocabulary"]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The columns of a Model in the order of ids, and how they came about.

    `roles` are the ids of unk, bos, eos, pad (-1: none).  `dropped` is (segments, occurrences) below `min_count`.  `note` is empty, or
    one line that says why there are fewer pieces than asked for.
    """

    columns: Columns
    roles: dict[str, int]
    coverage: Coverage
    merges: Merges
    dropped: tuple[int, int]
    note: str

    def __len__(self) -> int:
        return len(self.columns.texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each piece."""
        return self.columns.texts

    @property
    def parts(self) -> tuple[Parts | None, ...]:
        """The left and right part of each merge, None for other pieces."""
        return parts_column(self.columns)


def learn_vocabulary(
    segments: Segments, spec: CounterSpec, *, space: str = "▁", threads: int = 1, progress: Progress | None = None
) -> Vocabulary:
    """Learn a vocabulary; `progress` is told (merges made, merges wanted, the latest piece) some times a second.

    >>> segments = Segments.from_pairs([(" ab", 3), ("ab", 1)])
    >>> vocabulary = learn_vocabulary(segments, CounterSpec(vocab_size=264))
    >>> vocabulary.texts[259:], vocabulary.parts[259:261]
    (('ab', '▁ab', 'a', 'b', '▁'), (('a', 'b'), ('▁', 'ab')))
    """
    layout = plan(spec)
    kept = segments.at_least(spec.min_count)
    if not len(kept):
        raise InputError(
            Message(
                "there is nothing to learn from: with ",
                Option("min_count", spec.min_count),
                f" all {len(segments)} distinct segments are left out: they occur less often",
            )
            if len(segments)
            else "there is nothing to learn from: the corpus has no segments"
        )
    # A space shows as the mark in every merge, so a piece that is written with a real space also blocks the merge that would look like it.
    taken = {text.replace(" ", space) for text in layout.texts()}
    coverage = cover(kept, spec.character_coverage, required_chars=spec.required_chars, taken=taken, space=space, threads=threads)
    least = layout.size + len(coverage.required)
    wanted = spec.vocab_size - least
    if wanted < 0:
        # Each merge removes a symbol; how many there could really be is not worth the time of finding out.
        most = least + kept.characters - len(kept)
        raise SpecError(
            Option("vocab_size", spec.vocab_size),
            f" is too small: the sizes possible are {least} to at most {most} ({_make_up(layout, coverage)}); raise it, or lower ",
            Option("character_coverage"),
        )
    dropped = (len(segments) - len(kept), segments.total - kept.total)
    symbols = lay_out(kept, coverage.required, space, threads)
    del segments, kept  # merging takes as much memory again; where nobody else holds them, they make room for it
    merges = merge_symbols(
        symbols, coverage.required, wanted, max_piece_size=spec.max_piece_size, taken=taken, threads=threads, progress=progress
    )
    note = ""
    if len(merges) < wanted:
        most = least + len(merges)
        if not spec.soft_vocab_limit:
            raise InputError(
                Option("vocab_size", spec.vocab_size),
                f" is too large: no pair is left after {len(merges)} merges, the sizes possible are {least} to "
                f"{most} ({_make_up(layout, coverage)}, up to {len(merges)} merges); lower it, set ",
                Option("soft_vocab_limit"),
                ", or give more text",
            )
        note = f"{most} pieces in place of {spec.vocab_size}: no pair is left"
    return _assemble(layout, coverage, merges, spec, dropped, note)


def _make_up(layout: Layout, coverage: Coverage) -> str:
    """What the pieces that are always there are."""
    return (
        f"{len(BYTE_PIECES)} bytes, {len(layout.fixed)} special, {len(layout.user_defined)} user-defined, {len(layout.control)} control, "
        f"{len(coverage.required)} characters"
    )


def _assemble(layout: Layout, coverage: Coverage, merges: Merges, spec: CounterSpec, dropped: tuple[int, int], note: str) -> Vocabulary:
    """Put all pieces at their ids."""
    learned = [*map("".join, merges.pairs), *coverage.required]
    size = layout.size + len(learned)
    padding = layout.padding[: -size % spec.pad_to_multiple]
    size += len(padding)
    for role, id in layout.roles.items():
        if id >= size:
            raise SpecError(Option(f"{role}_id", id), f" is not possible: the vocabulary has {size} pieces, with ids up to {size - 1}")

    texts = [*BYTE_PIECES, *layout.user_defined, *learned, *layout.control, *padding]
    types = [PieceType.BYTE] * len(BYTE_PIECES) + [PieceType.USER_DEFINED] * len(layout.user_defined)
    types += [PieceType.NORMAL] * len(learned) + [PieceType.CONTROL] * (len(layout.control) + len(padding))
    cuts = [0] * len(texts)
    first = len(BYTE_PIECES) + len(layout.user_defined)
    cuts[first : first + len(merges)] = merges.cuts
    for id in sorted(layout.fixed):  # ascending, so that what is put in later moves none of them
        texts.insert(id, layout.fixed[id])
        types.insert(id, PieceType.UNKNOWN if id == layout.roles["unk"] else PieceType.CONTROL)
        cuts.insert(id, 0)
    types_of_all = np.asarray(types, np.uint8)
    scores = np.zeros(size, np.float64)
    scores[types_of_all == PieceType.NORMAL] = -np.arange(len(learned), dtype=np.int64)
    columns = Columns(canonical_texts(tuple(texts)), scores, types_of_all, np.array(cuts, np.int32))
    return Vocabulary(columns, layout.roles, coverage, merges, dropped, note)
