"""`decode`: ids into texts, one text a line."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

import click
import numpy as np
import numpy.typing as npt

from piecetokenizer import StreamDecoder, Tokenizer
from piecetokenizer.cli.arrays import read_flat, read_rows
from piecetokenizer.cli.lines import Block, read_blocks
from piecetokenizer.cli.options import input_argument, json_option, model_option, output_option
from piecetokenizer.cli.output import output
from piecetokenizer.cli.pieces import read_piece, shown
from piecetokenizer.errors import InputError, PieceTokenizerError

__all__ = ["decode"]

DECIMAL = re.compile(rb"[0-9 \t]*")
NUMBERS = re.compile(rb"[ \t\n]*[0-9][0-9 \t\n]*")
LARGEST_ID = 1 << 31
LONGEST_ID = 20
"""Digits of a number that is worth reading: longer ones are no ids of any model, and Python takes its time over them."""


@click.command()
@input_argument
@model_option
@output_option
@click.option("--pieces", is_flag=True, help="The input is pieces, as `encode --pieces` writes them, in place of ids.")
@json_option
@click.option("--special", is_flag=True, help="Write the texts of control tokens too; otherwise they print nothing.")
def decode(inputs: tuple[str, ...], model: str, output_path: str, pieces: bool, as_json: bool, special: bool) -> None:
    """Decode each line of ids in the INPUT files, or on standard input, into a text.

    An INPUT that ends in .npz holds ids and offsets, as `encode` writes them, and gives a line for each text. One that ends in .npy
    holds the ids of one text, and what they say is written as it is, with nothing behind it.

    \b
      echo 'Hello, world' | piecetokenizer encode -m my.model | piecetokenizer decode -m my.model
      piecetokenizer decode -m my.model ids.npz -o corpus.txt
    """
    tokenizer = Tokenizer.load(model)
    with output(output_path, [model, *inputs]) as file:
        for source in inputs or ("-",):
            if source.endswith(".npy"):
                decode_flat(file, tokenizer, source, as_json, special)
                continue
            for rows, place in npz_rows(source) if source.endswith(".npz") else line_rows(source, tokenizer, pieces):
                texts = decode_rows(tokenizer, rows, place, special)
                file.writelines(as_bytes(text, as_json) + b"\n" for text in texts)
                file.flush()


Rows = tuple[Sequence[Any], Callable[[int], str]]
"""The ids of some texts, and what an error calls the text at an index."""


def line_rows(source: str, tokenizer: Tokenizer, pieces: bool) -> Iterator[Rows]:
    """The texts of a file of lines."""
    for block in read_blocks([source]):
        if pieces:
            yield [piece_ids(line, tokenizer, block, index) for index, line in enumerate(block.lines())], block.place
        else:
            rows = decimal_rows(block)
            yield rows or [decimal_ids(line, block, index) for index, line in enumerate(block.lines())], block.place


def npz_rows(source: str) -> Iterator[Rows]:
    """The texts of a .npz file."""
    first = 0
    for rows in read_rows(source):
        start = first
        yield rows, lambda index: f"{source}, text {start + index}"  # noqa: B023  (used before the loop goes on)
        first += len(rows)


def decimal_rows(block: Block) -> list[npt.NDArray[np.int64]]:
    """The ids of all lines at once, by numpy; nothing if there are none, or something is wrong, which the way line by line will find."""
    data = block.data[block.begin : block.end]
    if NUMBERS.fullmatch(data) is None:
        return []
    ids = np.fromstring(data, np.int64, sep=" ")
    if ids.max() > LARGEST_ID:
        return []
    digits = np.frombuffer(b"\n" + data, np.uint8) >= ord("0")  # of the bytes that are here, only digits are
    firsts = np.flatnonzero(digits[1:] & ~digits[:-1])
    return np.split(ids, np.searchsorted(firsts, block.starts - block.begin)[1:])


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


def decode_rows(tokenizer: Tokenizer, rows: Sequence[Any], place: Callable[[int], str], special: bool) -> list[str]:
    """The texts; an error says which of them it is in."""
    try:
        return tokenizer.decode_batch(rows, skip_special=not special)
    except PieceTokenizerError as failure:
        for index, ids in enumerate(rows):
            try:
                tokenizer.decode(ids, skip_special=not special)
            except PieceTokenizerError as error:
                raise InputError(f"{place(index)}: {error}") from None
        raise failure


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
            raise InputError(f"{source}: {error}") from None


def as_bytes(text: str, as_json: bool) -> bytes:
    """A text, or the JSON string of it, in UTF-8."""
    return (json.dumps(text, ensure_ascii=False) if as_json else text).encode()
