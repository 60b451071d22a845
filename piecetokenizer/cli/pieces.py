r"""Pieces as words on a line: how `encode --pieces` and `info` write them, and `decode --pieces` reads them.

A piece is written as in a model file (what cannot be seen is `\xHH`), and a space in it, which only control and user-defined pieces
have, as `\x20`; so a space always lies between two pieces, and every piece can be read back.
"""

from piecetokenizer import Model
from piecetokenizer.errors import InputError
from piecetokenizer.modelfile.escapes import escape, unescape

__all__ = ["find_piece", "read_piece", "shown"]


def shown(text: str) -> str:
    r"""A piece's text as one word.

    >>> shown("New York\n")
    'New\\x20York\\x0A'
    """
    return escape(text).replace(" ", "\\x20")


def read_piece(word: str) -> str:
    r"""The text of a piece that was written as one word; ValueError says what is wrong.

    >>> read_piece("New\\x20York\\x0A")
    'New York\n'
    """
    return unescape(word)


def find_piece(model: Model, name: str) -> int:
    """The id of the piece that a user means: by its text, as it is or as it is shown, or by its id."""
    try:
        texts = [name, read_piece(name)]
    except ValueError:  # a backslash that begins no escape
        texts = [name]
    for text in texts:
        id = model.id_of(text)
        if id is not None:
            return id
    if name.isascii() and name.isdigit() and len(name) < 10:
        return model[int(name)].id
    space = model.pretokenizer.space
    raise InputError(f"no piece {name!r} in the model; a space is shown as {space}, and an id is a number up to {len(model) - 1}")
