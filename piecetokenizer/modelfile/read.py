"""A model file's bytes as a Model, section by section, each rule with the line that breaks it.

Lines are counted as LF ends them, which is what editors show: a CR is never accepted, and the other line ends of Unicode are escaped.
"""

import dataclasses
import re
from typing import Any, NoReturn, TypeVar

from piecetokenizer.columns import Columns
from piecetokenizer.errors import ModelError, SpecError, show
from piecetokenizer.model import Model
from piecetokenizer.modelfile.charsmap import parse_blob, parse_rules
from piecetokenizer.modelfile.escapes import CONTROL, unescape
from piecetokenizer.modelfile.foreign import HEADER, refuse_other_files
from piecetokenizer.modelfile.keys import MAX_DIGITS, parse_value
from piecetokenizer.modelfile.pieces import not_utf8, parse_pieces
from piecetokenizer.spec import MAX_VOCAB_SIZE, CounterSpec, PreTokenizerSpec, TokenizerSpec

__all__ = ["loads"]

SECTIONS = ("CounterSpec", "PreTokenizerSpec", "TokenizerSpec", "Charsmap", "Template", "Pieces")

Spec = TypeVar("Spec", CounterSpec, PreTokenizerSpec, TokenizerSpec)


def loads(data: bytes, name: str) -> Model:
    """The model; `name` is what errors call the file."""
    refuse_other_files(data[:4096], name)
    reader = _Reader(data, name)
    reader.header()
    counter = reader.spec("CounterSpec", CounterSpec)
    pretokenizer = reader.spec("PreTokenizerSpec", PreTokenizerSpec)
    tokenizer = reader.spec("TokenizerSpec", TokenizerSpec)
    charsmap = reader.charsmap() if reader.section_is("Charsmap") else {}
    template = reader.template() if reader.section_is("Template") else None
    columns = reader.pieces()
    try:
        return Model.of_columns(counter, pretokenizer, tokenizer, columns, template=template, **charsmap)
    except ModelError as error:
        reader.fail(str(error), reader.line_of(error))


class _Reader:
    """The bytes and how far they have been read."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name
        self.position = 0
        self.number = 0
        """The line that was read last, from 1."""
        self.keys: dict[str, int] = {}
        """The line of each key."""
        self.first_piece = 0
        """The line of piece 0."""

    def fail(self, problem: str, line: int | None = None) -> NoReturn:
        """Raise the error about a line, by default the last one read; 0 is the whole file."""
        line = self.number if line is None else line
        raise ModelError(f"{self.name}, line {line}: {problem}" if line else f"{self.name}: {problem}")

    def line_of(self, error: ModelError) -> int:
        """The line of what a Model does not accept: a piece's, or that of the key that the message begins with."""
        if error.piece is not None:
            return self.first_piece + error.piece
        return self.keys.get(re.split("[^a-z_]", str(error), maxsplit=1)[0], 0)

    def peek(self) -> bytes | None:
        """The next line without its LF; None at the end of the file, also if a line begins there and does not end."""
        end = self.data.find(b"\n", self.position)
        return None if end < 0 else self.data[self.position : end]

    def in_section(self) -> bool:
        """Is there another line of this section?"""
        line = self.peek()
        return line is not None and not line.startswith(b"[")

    def next(self, expected: str) -> str:
        """The next line, checked for what may not stand in a line."""
        read = self.peek()
        self.number += 1
        if read is None:
            found = self.data[self.position : self.position + 100].decode(errors="replace")
            if "\r" in found:
                self.fail("the line ends in CR, expected LF: save the file with Unix line ends")
            self.fail(f"the file ends here{f' in the middle of {show(found)}' if found else ''}, expected {expected}: it is cut short")
        try:
            line = read.decode()
        except UnicodeDecodeError as error:
            self.fail(not_utf8(error))
        self.position += len(read) + 1
        control = CONTROL.search(line)
        if control is not None:
            if control[0] == "\r" and line.index("\r") == len(line) - 1:
                self.fail("the line ends in CR LF, expected LF alone: save the file with Unix line ends")
            self.fail(f"found the character U+{ord(control[0]):04X}, expected it as \\xHH, each byte of it")
        return line

    def header(self) -> None:
        """The first line."""
        line = self.next(repr(HEADER))
        if line != HEADER:
            version = re.fullmatch("# piecetokenizer model ([0-9]{1,9})", line)
            if version is not None:
                self.fail(f"found a model file of version {version[1]}, expected version 1: a newer piecetokenizer may read it")
            self.fail(f"found {show(line)}, expected {HEADER!r}: this is not a piecetokenizer model file")

    def section_is(self, name: str) -> bool:
        """Does the next section have this name?"""
        return self.peek() == f"[{name}]".encode()

    def begin(self, name: str) -> None:
        """The line that begins a section."""
        line = self.next(f"[{name}]")
        if line != f"[{name}]":
            known = line[1:-1] in SECTIONS and line[:1] == "[" and line[-1:] == "]"
            reason = "sections have one order and come once" if known else f"sections are {' '.join(SECTIONS)}"
            self.fail(f"found {show(line)}, expected [{name}]: {reason}")

    def values(self, section: str, names: list[str]) -> dict[str, str]:
        """The key=value lines of a section: each key once, in any order, none missing."""
        found: dict[str, str] = {}
        while self.in_section():
            line = self.next("key=value")
            name, equals, value = line.partition("=")
            if not equals:
                self.fail(f"found {show(line)}, expected key=value or the next section")
            if name not in names:
                self.fail(f"found the key {show(name)}, expected one of [{section}]: {' '.join(names)}")
            if name in found:
                self.fail(f"found the key {name} again (first in line {self.keys[name]}), expected each key once")
            found[name] = value
            self.keys[name] = self.number
        missing = [name for name in names if name not in found]
        if missing:
            if self.peek() is None:
                self.next(f"{missing[0]}=")
            self.fail(f"the section [{section}] ends here without {', '.join(missing)}, expected all of its keys", self.number + 1)
        return found

    def spec(self, section: str, kind: type[Spec]) -> Spec:
        """A section that is a spec."""
        self.begin(section)
        fields = dataclasses.fields(kind)
        mark = dict(self.keys)
        self.keys = {}
        written = self.values(section, [field.name for field in fields])
        values = {}
        for field in fields:
            try:
                values[field.name] = parse_value(field, written[field.name])
            except ValueError as error:
                self.fail(f"{field.name}: {error}", self.keys[field.name])
        try:
            spec = kind(**values)
        except SpecError as error:
            self.fail(str(error), self.keys.get(re.split("[^a-z_]", str(error), maxsplit=1)[0], 0))
        self.keys = mark | self.keys
        return spec

    def charsmap(self) -> dict[str, Any]:
        """The section [Charsmap], in either of its forms."""
        self.begin("Charsmap")
        self.keys["normalization"] = self.keys["charsmap"] = self.number  # what its faults begin with
        lines: list[tuple[int, str]] = []
        while self.in_section():
            lines.append((self.number + 1, self.next("a rule")))
        try:
            if lines and "\t" not in lines[0][1]:
                return {"charsmap": parse_blob(lines)}
            return {"charsmap_rules": parse_rules(lines)}
        except ValueError as error:
            number, problem = error.args
            self.fail(problem, number)

    def template(self) -> str:
        """The section [Template]."""
        self.begin("Template")
        written = self.values("Template", ["chat_template"])["chat_template"]
        try:
            return unescape(written)
        except ValueError as error:
            self.fail(f"chat_template: {error}")

    def pieces(self) -> Columns:
        """The section [Pieces], which ends the file."""
        self.begin("Pieces")
        line = self.next("size=")
        if not re.fullmatch("size=[0-9]+", line) or len(line) > len("size=") + MAX_DIGITS:
            self.fail(f"found {show(line)}, expected size= and the number of pieces")
        size = int(line.removeprefix("size="))
        if not 1 <= size <= MAX_VOCAB_SIZE:
            self.fail(f"found size={size}, expected a size from 1 to {MAX_VOCAB_SIZE}")
        self.first_piece = self.number + 1
        body = self.data[self.position :]
        columns = parse_pieces(body)
        if isinstance(columns, tuple):
            index, problem = columns
            self.fail(problem, self.first_piece + index)
        found = len(columns.texts)
        last = body[body.rfind(b"\n") + 1 :]
        if last:
            self.number = self.first_piece + found
            self.fail(
                f"the file ends in the middle of {show(last.decode(errors='replace'))}, expected a line feed: "
                "it is cut short, or an editor left that out"
            )
        if found != size:
            self.fail(f"found {found} pieces, expected {size} as size says: the file is cut short or was edited")
        return columns
