"""`decode`: ids into texts, one text a line."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import click
import numpy as np
import numpy.typing as npt

from piecetokenizer import StreamDecoder, Tokenizer
from piecetokenizer.cli.arrays import read_flat, read_rows
from piecetokenizer.cli.lines import Block, read_blocks
from piecetokenizer.cli.options import input_argument, json_option, model_option, output_option, threads_option
from piecetokenizer.cli.output import output
from piecetokenizer.cli.pieces import read_piece, shown
from piecetokenizer.errors import InputError, PieceTokenizerError
from piecetokenizer.threads import in_order
from piecetokenizer.tokenizer.block import rows_of
from piecetokenizer.tokenizer.ids import ids_of_lines

__all__ = ["decode"]

DECIMAL = re.compile(rb"[0-9 \t]*")
LONGEST_ID = 20
"""Digits of a number that is worth reading: longer ones are no ids of any model, and Python takes its time over them."""


@click.command()
@input_argument
@model_option
@output_option
@click.option("--pieces", is_flag=True, help="The input is pieces, as `encode --pieces` writes them, in place of ids.")
@json_option
@click.option("--special", is_flag=True, help="Write the texts of control tokens too; otherwise they print nothing.")
@threads_option
def decode(inputs: tuple[str, ...], model: str, output_path: str, pieces: bool, as_json: bool, special: bool, threads: int) -> None:
    """Decode each line of ids in the INPUT files, or on standard input, into a text.

    An INPUT that ends in .npz holds ids and offsets, as `encode` writes them, and gives a line for each text. One that ends in .npy
    holds the ids of one text, and what they say is written as it is, with nothing behind it.

    \b
      echo 'Hello, world' | piecetokenizer encode -m my.model | piecetokenizer decode -m my.model
      piecetokenizer decode -m my.model ids.npz -o corpus.txt
    """
    if pieces and any(source.endswith((".npy", ".npz")) for source in inputs):
        raise click.UsageError("--pieces reads text, which a .npy or .npz file is not: it holds ids")
    decoder = RowDecoder(Tokenizer.load(model), pieces, as_json, special)
    with output(output_path, [model, *inputs]) as file:
        for source in inputs or ("-",):
            if source.endswith(".npy"):
                decode_flat(file, decoder.tokenizer, source, as_json, special)
                continue
            if source.endswith(".npz"):
                made = in_order(decoder.part, npz_parts(source), threads)
            else:
                made = in_order(decoder.block, read_blocks([source]), threads)
            for lines in made:
                file.write(lines)
                file.flush()


Place = Callable[[int], str]
"""What an error calls the text at an index."""
Part = tuple[npt.NDArray[Any], npt.NDArray[np.int64], Place]
"""The ids of some texts, and where each begins in them."""


@dataclass(frozen=True)
class RowDecoder:
    """The lines of some texts, as the options say; any thread may use it."""

    tokenizer: Tokenizer
    pieces: bool
    as_json: bool
    special: bool

    def block(self, block: Block) -> bytes:
        """From lines of ids or pieces."""
        if self.pieces:
            return self.rows([piece_ids(line, self.tokenizer, block, index) for index, line in enumerate(block.lines())], block.place)
        flat = decimal_rows(block)
        if flat is not None:
            return self.part((*flat, block.place))
        return self.rows([decimal_ids(line, block, index) for index, line in enumerate(block.lines())], block.place)

    def part(self, part: Part) -> bytes:
        """From arrays."""
        ids, offsets, place = part
        if not self.as_json:
            try:
                return self.tokenizer.decode_lines(ids, offsets, skip_special=not self.special)
            except PieceTokenizerError:  # the way below says where
                pass
        return self.rows(rows_of(ids, offsets), place)

    def rows(self, rows: Sequence[Any], place: Place) -> bytes:
        """From the ids of each text; an error says which of them it is in."""
        lines = []
        for index, ids in enumerate(rows):
            try:
                text = self.tokenizer.decode(ids, skip_special=not self.special)
            except PieceTokenizerError as error:
                raise InputError(f"{place(index)}: ", error.message) from None
            lines.append(as_bytes(text, self.as_json) + b"\n")
        return b"".join(lines)


def npz_parts(source: str) -> Iterator[Part]:
    """The texts of a .npz file."""

    def place_from(first: int) -> Place:
        return lambda index: f"{source}, text {first + index}"

    first = 0
    for ids, offsets in read_rows(source):
        yield ids, offsets, place_from(first)
        first += len(offsets) - 1


def decimal_rows(block: Block) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]] | None:
    """The ids of all lines, and where each line begins in them; None if something is wrong, which the way line by line will find."""
    return ids_of_lines(block.data, block.begin, block.end, len(block.starts))


def decimal_ids(line: bytes, block: Block, index: int) -> list[int]:
    """The ids of a line of decimal numbers."""
    if DECIMAL.fullmatch(line) is None or (len(line) > LONGEST_ID and max(map(len, line.split())) > LONGEST_ID):
        wrong = next(word for word in line.split() or [line] if not word.isdigit() or len(word) > LONGEST_ID)
        found = wrong[:40].decode("utf-8", "backslashreplace")
        raise InputError(f"{block.place(index)}: {found!r} is not an id; ids are decimal numbers with spaces between")
    return list(map(int, line.split()))


def piece_ids(line: bytes, tokenizer: Tokenizer, block: Block, index: int) -> list[int]:
    """The ids of a line of pieces."""
    ids = []
    for word in line.decode("utf-8", "surrogateescape").split(" ") if line else []:
        try:
            id = tokenizer.piece_to_id(read_piece(word))
        except ValueError as error:
            raise InputError(f"{block.place(index)}: {error}") from None
        if id is None:
            raise InputError(f"{block.place(index)}: {shown(word)[:80]!r} is not a piece of the model")
        ids.append(id)
    return ids


def decode_flat(file: BinaryIO, tokenizer: Tokenizer, source: str, as_json: bool, special: bool) -> None:
    """One text of any length, as a stream."""
    decoder = StreamDecoder(tokenizer, skip_special=not special)
    parts = push_all(decoder, source)
    if as_json:
        file.write(as_bytes("".join(parts) + decoder.flush(), as_json) + b"\n")
        return
    for part in parts:
        file.write(part.encode())
    file.write(decoder.flush().encode())


def push_all(decoder: StreamDecoder[str], source: str) -> Iterator[str]:
    """The texts of the ids of a `.npy` file, some at a time."""
    for ids in read_flat(source):
        try:
            yield decoder.push(ids)
        except PieceTokenizerError as error:
            raise InputError(f"{source}: ", error.message) from None


def as_bytes(text: str, as_json: bool) -> bytes:
    """A text, or the JSON string of it, in UTF-8."""
    return (json.dumps(text, ensure_ascii=False) if as_json else text).encode()
