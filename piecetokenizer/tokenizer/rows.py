"""Rows: texts as the workspace takes them, before and after normalization.

A text becomes rows: the fragments between special tokens, each with the id that stands before it (a special token, or BOS) or -1.  EOS is
one more row, without text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.lowlevel import PADDING

__all__ = ["NormalRows", "RowArrays", "Rows", "padded_text"]

RowArrays = tuple[bytes, NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int32]]
"""What Workspace.run_rows takes: bytes, and of each row its start, stop, flags and lead."""


@dataclass(slots=True)
class Rows:
    """Rows of one or more texts."""

    data: list[bytes] = field(default_factory=list)
    size: int = 0
    starts: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    leads: list[int] = field(default_factory=list)
    text_ends: list[int] = field(default_factory=list)
    """For each text, how many rows there are up to its end."""

    def add(self, start: int, stop: int, flags: int, lead: int) -> None:
        """Append a row; start and stop are places in all the data."""
        self.starts.append(start)
        self.stops.append(stop)
        self.flags.append(flags)
        self.leads.append(lead)

    def arrays(self) -> RowArrays:
        """As the workspace takes them."""
        return (
            b"".join(self.data),
            np.array(self.starts, np.int64),
            np.array(self.stops, np.int64),
            np.array(self.flags, np.uint8),
            np.array(self.leads, np.int32),
        )


@dataclass(slots=True)
class NormalRows:
    """Rows of normalized text, one behind the other."""

    text: NDArray[np.uint8]
    """Their bytes, and PADDING more."""
    stops: NDArray[np.int64]
    """Where each row's bytes end."""
    leads: NDArray[np.int32]
    flags: NDArray[np.uint8]
    """Those that the row was normalized with."""
    origins: NDArray[np.int64]
    """For each byte, the place in the original that it came from, and for the end the place where that ends."""
    ends: NDArray[np.int64]
    """Where the original of each row ends; what is trimmed at the end of a text is not part of it."""
    lead_spans: Sequence[tuple[int, int]]
    """The place in the original of each row's lead."""


def padded_text(data: bytes) -> NDArray[np.uint8]:
    """Bytes as a kernel takes a text, with the slack behind them."""
    text = np.zeros(len(data) + PADDING, np.uint8)
    text[: len(data)] = np.frombuffer(data, np.uint8)
    return text
