r"""Pieces as words on a line: how `encode --pieces` and `info` write them, and `decode --pieces` reads them.

A piece is written as in a model file (what cannot be seen is `\xHH`), and a space in it, which only control and user-defined pieces
have, as `\x20`; so a space always lies between two pieces, and every piece can be read back.
"""

from piecetokenizer.modelfile.escapes import escape, unescape

__all__ = ["read_piece", "shown"]


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
