"""The verdict on an export: how far the reader's ids are ours, and why.

In: findings, each from a rule that can be checked on the vocabulary (see lint), and a measurement: texts encoded by us and by the
reader, or by a small model of it (see readers).  Out: a Fidelity, which prints as a report and is data.

    exact                       every text gets the same ids; `exceptions` names what is known to differ ("texts that spell <s>")
    exact on normalized text    the same for texts that our normalization leaves as they are: the reader does not normalize
    sampled                     no rule makes it exact: `differ` of `tried` texts had other ids, and how the first of them differ
    refused                     nothing was written; `reasons` says what would have gone wrong

A rule is proven once, for all vocabularies that obey it (see docs/formats.md); the measurement is made for every export all the
same, and a difference that no rule foresaw turns the verdict into `sampled`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from piecetokenizer.errors import FormatError

__all__ = ["Difference", "Encode", "ExportRefusedError", "Fidelity", "Finding", "Kind", "judge"]

MAX_EXAMPLES = 5


class Kind(Enum):
    """What a finding does to the verdict."""

    DIFFERS = "differs"
    NORMALIZED = "normalized"
    EXCEPTION = "exception"
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """One thing that a rule found; `spelled` are texts that a text must not hold for the rest to be exact."""

    kind: Kind
    text: str
    spelled: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """A text that the reader encodes otherwise."""

    text: str
    ours: tuple[int, ...]
    theirs: tuple[int, ...]


@dataclass(frozen=True)
class Fidelity:
    """How faithful an export is; printing it gives the report.

    >>> print(Fidelity("gguf", "refused", reasons=("piece 7 is empty",)))
    gguf: refused
      piece 7 is empty
    """

    format: str
    verdict: str
    reasons: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tried: int = 0
    differ: int = 0
    examples: tuple[Difference, ...] = ()
    spelled: tuple[str, ...] = ()
    """What a text must not hold for the verdict to speak of it: the texts that exceptions and notes name.  Such texts were not tried."""

    @property
    def exact(self) -> bool:
        """Whether every text gets the same ids, without exception: what `strict` asks for."""
        return self.verdict == "exact" and not self.exceptions

    def __str__(self) -> str:
        but = ", but for " + "; ".join(self.exceptions) if self.exceptions else ""
        lines = [f"{self.format}: {self.verdict}{but}"]
        lines += [f"  {reason}" for reason in self.reasons]
        if self.verdict != "refused":
            lines.append(f"  measured: {self.tried} texts, {self.differ} differ")
        lines += [f"    {line}" for example in self.examples for line in _shown(example)]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


class ExportRefusedError(FormatError):
    """An export that was not made; `fidelity` is the verdict that forbade it."""

    def __init__(self, fidelity: Fidelity, why: str) -> None:
        self.fidelity = fidelity
        super().__init__(why)


Encode = Callable[[str], Sequence[int]]


def judge(format: str, findings: Iterable[Finding], texts: Iterable[str], ours: Encode, theirs: Encode) -> Fidelity:
    """The verdict from the findings, checked on the texts.

    Texts that hold what an exception names are left out: that they differ is known.  What the caller has already normalized or left
    out is its matter; here every text counts.
    """
    found = list(findings)
    excluded = list(dict.fromkeys(spelled for finding in found for spelled in finding.spelled))
    tried, differ = 0, 0
    examples: list[Difference] = []
    for text in texts:
        if any(spelled in text for spelled in excluded):
            continue
        tried += 1
        mine, other = list(ours(text)), list(theirs(text))
        if mine != other:
            differ += 1
            if len(examples) < MAX_EXAMPLES:
                examples.append(Difference(text, tuple(mine), tuple(other)))
    reasons = [finding.text for finding in found if finding.kind in (Kind.DIFFERS, Kind.NORMALIZED)]
    if any(finding.kind is Kind.DIFFERS for finding in found):
        verdict = "sampled"
    elif differ:
        verdict = "sampled"
        reasons.append("the measurement found a difference that no rule foresees: please report the model")
    elif any(finding.kind is Kind.NORMALIZED for finding in found):
        verdict = "exact on normalized text"
    else:
        verdict = "exact"
    return Fidelity(
        format,
        verdict,
        reasons=tuple(reasons),
        exceptions=tuple(finding.text for finding in found if finding.kind is Kind.EXCEPTION),
        notes=tuple(finding.text for finding in found if finding.kind is Kind.NOTE),
        tried=tried,
        differ=differ,
        examples=tuple(examples),
        spelled=tuple(excluded),
    )


def _shown(example: Difference) -> list[str]:
    """The text around the first id that differs, and both id lists from there."""
    both = list(zip(example.ours, example.theirs, strict=False))
    same = next((i for i, (a, b) in enumerate(both) if a != b), len(both))
    text = example.text if len(example.text) <= 60 else example.text[:57] + "..."
    return [repr(text), f"ours   {_ids(example.ours, same)}", f"theirs {_ids(example.theirs, same)}"]


def _ids(ids: Sequence[int], start: int) -> str:
    start = max(0, start - 2)
    shown = " ".join(map(str, ids[start : start + 12]))
    return ("... " if start else "") + shown + (" ..." if len(ids) > start + 12 else "")
