"""What a training run read, lost, changed and made.

In: the counts of each stage.  Out: a TrainReport, whose text is for people: one line a fact, the losses first, nothing that did not happen.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from piecetokenizer.corpus import CorpusCounts
from piecetokenizer.counter.coverage import Coverage
from piecetokenizer.scan import ScanCounts

__all__ = ["TrainReport"]

TOP = 20


@dataclass
class TrainReport:
    """Filled in by `train` as it goes; what was lost on the way is in `losses()`, everything in `str(report)`."""

    corpus: CorpusCounts = field(default_factory=CorpusCounts)
    scan: ScanCounts = field(default_factory=ScanCounts)
    normalization: str = "none"
    dictionary: str = ""
    """What was read of a dictionary, and what was left out of it."""
    unit: str = "line"
    distinct: int = 0
    """Distinct segments."""
    min_count: int = 1
    dropped: tuple[int, int] = (0, 0)
    """Distinct segments under min_count, and their occurrences."""
    coverage: Coverage | None = None
    pieces: dict[str, int] = field(default_factory=dict)
    """How many there are of each type."""
    longest: list[str] = field(default_factory=list)
    note: str = ""
    """Why there are fewer pieces than asked for; not in the text, since it is told as it comes up."""
    seconds: dict[str, float] = field(default_factory=dict)

    def losses(self) -> list[str]:
        """What was not text, was left out, or was changed: one line each."""
        corpus, scan, unit = self.corpus, self.scan, self.unit
        return [
            *_many(corpus.empty, f"empty {unit}"),
            *_many(corpus.boms, "byte order mark", " at the start of a file: not text"),
            *_many(corpus.carriage_returns, "carriage return", " at the end of a line: not text"),
            *_many(corpus.skipped + scan.skipped, unit, " left out, not valid UTF-8"),
            *_many(scan.invalid_bytes, "byte", " not valid UTF-8, read as U+FFFD, which is never learned"),
            *_many(corpus.surrogates, "lone surrogate", " read as U+FFFD, which is never learned"),
            *_many(scan.removed_spaces, "space", f" removed: all but one of each run, all at the ends of a {unit}"),
            *_many(scan.rewritten, "character", f" rewritten by {self.normalization}, most often {_top(scan.changed.most_common(TOP))}"),
            *self._rare(),
            *_many(self.dropped[0], "distinct segment", f" ({self.dropped[1]:,} in all) left out, under {self.min_count:,} times each"),
        ]

    def summary(self) -> str:
        """The losses in one line, empty if there are none."""
        return "; ".join(line.split(", most often")[0] for line in self.losses())

    def _rare(self) -> list[str]:
        """The characters that will be encoded as bytes."""
        coverage = self.coverage
        if coverage is None:
            return []
        many = sum(count for _, count in coverage.rare)
        often = _top((ord(text), count) for text, count in coverage.rare[:TOP])
        share = f" ({many:,} in all, {many / max(1, coverage.total):.4%} of the text)"
        return [
            *_many(coverage.marks, "literal ▁", " will be encoded as bytes, since ▁ stands for the space"),
            *_many(len(coverage.rare), "rare character", f"{share} will be encoded as bytes, most often {often}"),
        ]

    def __str__(self) -> str:
        corpus = self.corpus
        read = [*_many(corpus.files, "file"), f"{corpus.bytes:,} bytes", *_many(corpus.texts, self.unit, always=True)]
        counted = [
            *_many(self.scan.segments, "segment", f", {self.distinct:,} distinct", always=True),
            *_many(self.scan.symbols, "user-defined symbol"),
        ]
        lines = [f"read: {', '.join(read)}", *(f"  {line}" for line in self.losses()), f"counted: {', '.join(counted)}"]
        if self.dictionary:
            lines.append(f"dictionary: {self.dictionary}")
        if self.pieces:
            kinds = ", ".join(f"{count:,} {kind}" for kind, count in self.pieces.items())
            lines.append(f"made: {sum(self.pieces.values()):,} pieces: {kinds}")
            lines.append(f"  the longest: {' '.join(self.longest)}")
        if self.seconds:
            lines.append("took: " + ", ".join(f"{phase} {seconds:.2f} s" for phase, seconds in self.seconds.items()))
        return "\n".join(lines)


def _many(count: int, noun: str, rest: str = "", *, always: bool = False) -> list[str]:
    """A line that begins with a count; none for a count of 0, unless asked."""
    return [f"{count:,} {noun}{'s' * (count != 1)}{rest}"] if count or always else []


def _top(points: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{_shown(point)} {count:,}" for point, count in points)


def _shown(point: int) -> str:
    character = chr(point)
    return f"{character} (U+{point:04X})" if character.isprintable() and character != " " else f"U+{point:04X}"
