"""Progress of a long call, as bars on standard error or to a function of the caller.

In: (phase, done, total or None, note) as the work goes on.  Out: one bar for each phase, in bytes or pieces; nothing where standard
error is no terminal.
"""

import sys
from collections.abc import Callable
from typing import Any

__all__ = ["Bars", "ProgressFunction", "silent"]

ProgressFunction = Callable[[str, int, int | None, str], None]
"""Called as f(phase, done, total, note): phase is "read" (in bytes) or "merge" (in merges), total is None where it is not known."""


def silent(phase: str, done: int, total: int | None, note: str) -> None:
    """Progress that nobody wants to see."""


class Bars:
    """A ProgressFunction that draws; used as a context, so that a bar is closed whatever happens."""

    def __init__(self) -> None:
        self._phase = ""
        self._bar: Any = None
        self._seen = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> "Bars":
        return self

    def __exit__(self, *failure: object) -> None:
        self._close()

    def __call__(self, phase: str, done: int, total: int | None, note: str) -> None:
        """Move the bar of a phase, a new one if the phase is new."""
        if not self._seen:
            return
        if phase != self._phase:
            from tqdm import tqdm  # only where a bar may be drawn: importing it takes longer than importing this package

            self._close()
            self._phase = phase
            unit: dict[str, Any] = {"unit": "B", "unit_scale": True} if phase == "read" else {"unit": " pieces"}
            self._bar = tqdm(desc=phase, total=total, file=sys.stderr, **unit)
        self._bar.update(done - self._bar.n)
        if note:
            self._bar.set_postfix_str(repr(note)[1:-1], refresh=False)  # a piece may hold what a terminal would obey

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
