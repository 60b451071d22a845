"""The errors of this package: few, each also one of Python's own, so that code that catches ValueError keeps working.

A file that is missing, or cannot be read or written, is the error of what it was to be: a ModelError for a model, an InputError for a
corpus, a FormatError for another tool's file; so a ValueError, and no OSError.

A message is one line: what was wrong, where (file, line, position), and what to do.  It is given in parts, so that options can be named as
the command line names them (see messages).
"""

from piecetokenizer.messages import Message, Option, show

__all__ = [
    "FormatError",
    "IdError",
    "IdTypeError",
    "InputError",
    "MissingExtraError",
    "ModelError",
    "PieceTokenizerError",
    "SpecError",
    "show",
]


class PieceTokenizerError(Exception):
    """The base of all errors raised by piecetokenizer."""

    def __init__(self, *parts: str | Option) -> None:
        self.message = Message(*parts)
        super().__init__(self.message)


class SpecError(PieceTokenizerError, ValueError):
    """An option has a value that is not allowed, or options contradict each other."""


class InputError(PieceTokenizerError, ValueError):
    """Text, a corpus or ids cannot be used: empty corpus, invalid UTF-8 under errors=strict, a lone surrogate."""


class IdError(PieceTokenizerError, IndexError):
    """An id lies outside the vocabulary."""


class IdTypeError(PieceTokenizerError, TypeError):
    """Something that is no id stands where ids are wanted: a bool, a float, a text."""


class ModelError(PieceTokenizerError, ValueError):
    """A model, a model file or a dictionary breaks a rule of its format; `piece` is the id of the piece that does, if it is one's fault."""

    def __init__(self, *parts: str | Option, piece: int | None = None) -> None:
        super().__init__(*parts)
        self.piece = piece


class FormatError(PieceTokenizerError, ValueError):
    """A file of another tool cannot be read, or a model cannot be written as one."""


class MissingExtraError(PieceTokenizerError, ImportError):
    """A feature needs a package that is not installed; the message names the extra that brings it."""
