"""Dictionary: Chinese words and their weights, for cn=dict.

In: "zh" for the dictionary that comes with the package, or the path of a file in the format of jieba's, a line for each word:
`word<TAB or space>freq[ tag]`.  Out: an immutable trie of words, for any number of threads.

A word ends at the line's first TAB, or at its first space if it has no TAB; freq is a whole number from 1 to 2^63 - 1 (0 would
be a word that never occurs, and log 0 does not exist, so it is an error); what follows another space or TAB is not looked at.
Empty lines are passed over, and so is a byte order mark at the start.  Any other line is an error that names it, and so are a
NUL and a Han word of more than 255 characters, the bound that keeps cutting linear in any text.  Words that are not wholly
Han, or that were there before (the first counts), are left out and counted; the total is over what is left.

The trie is laid out by lexicon_cy.py, the weights by weights.py.  Loading the one that ships takes about 0.1 s.
"""

import os
from functools import cache
from typing import Any, SupportsIndex

import numpy as np

from piecetokenizer.errors import ModelError
from piecetokenizer.pretokenize.boundaries import boundary_table
from piecetokenizer.pretokenize.cutters import WINDOW, Cutter, DictionaryCutter, TextCutter, boundary_cutter, classes_of_bytes
from piecetokenizer.pretokenize.trie import BadLine, read_trie
from piecetokenizer.pretokenize.words_cy import WordCutter
from piecetokenizer.spec import PreTokenizerSpec

__all__ = ["Dictionary"]

SHIPPED = ("zh",)


class Dictionary:
    """Words with weights.  `identity` is stored in the models that are made with it: they need the same dictionary.

    >>> Dictionary.load("zh").cut("他说你好世界!")
    ['他', '说', '你好', '世界', '!']
    """

    def __init__(self, name: str, data: bytes, place: str) -> None:
        """Read the lines in `data`; `place` is what error messages call them.  Usually `Dictionary.load` is what you want."""
        if not name.isprintable():
            raise ModelError(f"{name!r} cannot be the name of a dictionary, since a model file names it in a line: rename the file")
        from hashlib import sha256  # loads OpenSSL, which few programs need

        digest = sha256(data)
        self.name = name
        self.sha256 = digest.hexdigest()
        data = _checked(data, place)
        try:
            trie = read_trie(data, int.from_bytes(digest.digest()[:8], "little") | 1)
        except BadLine as error:
            raise _bad_line(place, data, error.line, error.problem) from None
        if not trie.words:
            raise ModelError(f"{place}: no line has a word that is wholly Han; a line is `word<TAB or space>freq[ tag]`")
        self.trie = trie

    @staticmethod
    def load(source: str | os.PathLike[str]) -> "Dictionary":
        """The dictionary named "zh", or the one in a file (one that is named so too is "./zh")."""
        if source in SHIPPED:
            return _shipped(str(source))
        path = os.fspath(source)
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise ModelError(f"{path}: the dictionary cannot be read: {error.strerror}") from None
        return Dictionary(os.path.basename(path), data, path)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        """Pickled as its tables; the one that comes with the package as its name."""
        if self.name in SHIPPED and _shipped(self.name) is self:
            return Dictionary.load, (self.name,)
        return super().__reduce_ex__(protocol)

    @property
    def identity(self) -> str:
        """Name, number of entries, SHA-256 of the file: what a PreTokenizerSpec has as cn_dict.

        >>> Dictionary.load("zh").identity[:20]
        'zh,349046,7197c3211d'
        """
        return f"{self.name},{self.trie.entries},{self.sha256}"

    def report(self) -> str:
        """One line on what was read and what was left out.

        >>> Dictionary.load("zh").report()
        'zh: 349046 entries, 348974 words used; left out: 72 not wholly Han, 0 repeated'
        """
        trie = self.trie
        return (
            f"{self.name}: {trie.entries} entries, {trie.words} words used; "
            f"left out: {trie.foreign} not wholly Han, {trie.repeated} repeated"
        )

    def check(self, expected: str) -> None:
        """Raise ModelError unless this is the dictionary with the identity `expected`; its name may differ."""
        if expected.rpartition(",")[2] != self.sha256:
            raise ModelError(
                f"the model needs the dictionary {describe(expected)}, not {describe(self.identity)}: give the file that it was made with"
            )

    def cutter(self, boundaries: Cutter, window: int = WINDOW) -> Cutter:
        """A walk that cuts further what `boundaries` finds; in its segments all Han must come first."""
        trie = self.trie
        words = WordCutter(
            trie.roots.data, trie.slots.data, trie.weights.data, trie.multiplier, trie.longest,
            boundaries.ends.data, np.empty(window, np.int64),
        )
        return DictionaryCutter(boundaries, words)

    def cut(self, text: str) -> list[str]:
        """The words of each run of Han; what lies between two runs stays whole."""
        table = boundary_table(PreTokenizerSpec(split="none", cn="dict", cn_dict=self.identity))
        return TextCutter(self.cutter(boundary_cutter(table, classes_of_bytes(False), False))).cut(text)


def describe(identity: str) -> str:
    """An identity in words.

    >>> describe("zh,349046,7197c3")
    'zh (349046 entries, SHA-256 7197c3)'
    """
    parts = identity.rsplit(",", 2)
    return "{} ({} entries, SHA-256 {})".format(*parts) if len(parts) == 3 else repr(identity)


@cache
def _shipped(name: str) -> Dictionary:
    """A dictionary of the package, read once."""
    from importlib.resources import files

    file = files("piecetokenizer.dicts") / f"{name}.txt"
    return Dictionary(name, file.read_bytes(), str(file))


def _checked(data: bytes, place: str) -> bytes:
    """The data without a byte order mark; an error if it is empty, not UTF-8 or holds a NUL."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data:
        raise ModelError(f"{place}: the dictionary is empty; a line is `word<TAB or space>freq[ tag]`")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise _bad_line(place, data, data.count(b"\n", 0, error.start) + 1, "bytes that are not UTF-8") from None
    nul = data.find(b"\0")
    if nul >= 0:
        raise _bad_line(place, data, data.count(b"\n", 0, nul) + 1, "a NUL character")
    return data


def _bad_line(place: str, data: bytes, line: int, problem: str) -> ModelError:
    """The error for a line, with the line's first characters."""
    found = data.split(b"\n", line)[line - 1].decode(errors="replace")
    shown = found if len(found) <= 40 else found[:40] + "..."
    return ModelError(f"{place}, line {line}: {problem}: {shown!r}; a line is `word<TAB or space>freq[ tag]`")
