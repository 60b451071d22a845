"""How much of a corpus to read.

In: a number of texts (`1000`, `"1000"`) or of bytes (`"100MB"`, `"1.5GiB"`).  Out: a Limit.
Reading stops before the first text that would exceed it, so `100MB` never reads more than 100,000,000 bytes of whole lines, their
LFs included; empty lines count as lines.
"""

import re
from dataclasses import dataclass

from piecetokenizer.errors import SpecError
from piecetokenizer.messages import Option

__all__ = ["Limit"]

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


@dataclass(frozen=True)
class Limit:
    """At most so many texts, or at most so many bytes; None is no limit.

    >>> Limit.parse("1.5MB")
    Limit(texts=None, bytes=1500000)
    >>> Limit.parse(1000)
    Limit(texts=1000, bytes=None)
    """

    texts: int | None = None
    bytes: int | None = None

    @staticmethod
    def parse(value: "int | str | Limit | None") -> "Limit":
        """From what a user writes."""
        if value is None:
            return Limit()
        if isinstance(value, Limit):
            return value
        from fractions import Fraction  # few commands have a limit, and it takes its time to import

        if not isinstance(value, bool):
            match = re.fullmatch(r"\s*(\d{1,18}(?:\.\d{1,18})?)\s*([a-zA-Z]*)\s*", str(value), re.ASCII)
            unit = match.group(2).upper() if match else ""
            amount = Fraction(match.group(1)) * UNITS.get(unit, 1) if match else Fraction(0)
            if amount >= 1 and not unit and amount.denominator == 1:
                return Limit(texts=int(amount))
            if amount >= 1 and unit in UNITS:
                return Limit(bytes=int(amount))
        raise SpecError(Option("limit", value), " is not allowed: it is a number of texts, as 100000, or of bytes, as 100MB or 1.5GiB")

    def __str__(self) -> str:
        """As a message says it."""
        if self.texts is not None:
            return f"a limit of {self.texts} text{'s' * (self.texts != 1)}"
        return "no limit" if self.bytes is None else f"a limit of {self.bytes} byte{'s' * (self.bytes != 1)}"
