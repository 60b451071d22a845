"""`encode`: texts into ids, one text a line."""

import random
from itertools import pairwise
from typing import Any, BinaryIO, Protocol

import click
import numpy as np
import numpy.typing as npt

from piecetokenizer import Tokenizer
from piecetokenizer.cli.arrays import NpyWriter, NpzWriter
from piecetokenizer.cli.lines import Block, in_order, read_blocks
from piecetokenizer.cli.options import (
    dict_path_option,
    errors_option,
    input_argument,
    json_option,
    model_option,
    output_option,
    threads_option,
)
from piecetokenizer.cli.output import output
from piecetokenizer.cli.pieces import shown
from piecetokenizer.cli.specs import dictionary_at
from piecetokenizer.errors import InputError

__all__ = ["encode"]

Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]


class Writer(Protocol):
    """What the ids of a block go to."""

    def write(self, ids: Ids, offsets: Offsets) -> None:
        """Add the ids of some texts; text i has ids[offsets[i]:offsets[i + 1]]."""

    def finish(self) -> None:
        """All texts were written."""


class LineWriter:
    """A line for each text: a word for each id, spaces between."""

    def __init__(self, file: BinaryIO, words: list[bytes]) -> None:
        self.file = file
        self.word = words.__getitem__

    def write(self, ids: Ids, offsets: Offsets) -> None:
        """Write the lines, and hand them on at once: someone may wait for them."""
        words = list(map(self.word, ids.tolist()))
        self.file.writelines(b" ".join(words[start:stop]) + b"\n" for start, stop in pairwise(offsets.tolist()))
        self.file.flush()

    def finish(self) -> None:
        """Nothing is left to do."""


@click.command(short_help="Texts into ids.")
@input_argument
@model_option
@output_option
@click.option("--pieces", is_flag=True, help="Write pieces in place of ids.")
@json_option
@click.option("--bos/--no-bos", default=None, help="Put the begin-of-text id before each text.  [default: as the model says]")
@click.option("--eos/--no-eos", default=None, help="Put the end-of-text id behind each text.  [default: as the model says]")
@click.option(
    "--special",
    type=click.Choice(["text", "parse", "error"]),
    default="text",
    show_default=True,
    help="What a control token's text in the input is: text like any other, the token, or an error.",
)
@click.option("--dropout", type=float, default=0.0, metavar="P", help="BPE-dropout: leave out each merge with this probability.")
@click.option("--seed", type=int, metavar="N", help="The seed of --dropout, for the same result again.")
@errors_option
@threads_option
@dict_path_option
def encode(
    inputs: tuple[str, ...],
    model: str,
    output_path: str,
    pieces: bool,
    as_json: bool,
    bos: bool | None,
    eos: bool | None,
    special: str,
    dropout: float,
    seed: int | None,
    errors: str,
    threads: int,
    dictionary: str | None,
) -> None:
    """Encode each line of the INPUT files, or of standard input, into ids.

    A FILE that ends in .npy gets all ids as one int32 array; one that ends in .npz also where each text begins:
    text i is ids[offsets[i]:offsets[i+1]]. Otherwise a text's ids are decimal numbers on a line.

    \b
      echo 'Hello, world' | piecetokenizer encode -m my.model
      piecetokenizer encode -m my.model corpus.txt -o ids.npy --eos --threads 2
    """
    if pieces and output_path.endswith((".npy", ".npz")):
        raise click.UsageError("--pieces writes text, which a .npy or .npz file cannot hold")
    tokenizer = Tokenizer.load(model, dict=dictionary_at(dictionary))

    options: dict[str, Any] = {"bos": bos, "eos": eos, "special": special, "errors": errors}
    seed = random.getrandbits(32) if seed is None else seed

    def ids_of(block: Block) -> tuple[Ids, Offsets]:
        texts = block.texts(errors=errors, as_json=as_json)
        try:
            if dropout:  # chance must not depend on where a block ends
                seeds = (seed + (number << 64) for number in range(block.number, block.number + len(texts)))
                rows = [
                    tokenizer.encode(text, out="numpy", dropout=dropout, seed=seed, **options)
                    for text, seed in zip(texts, seeds, strict=True)
                ]
                return np.concatenate([np.empty(0, np.int32), *rows]), np.cumsum([0, *map(len, rows)])
            ids, offsets = tokenizer.encode_batch(texts, out="flat", **options)
            return ids, offsets
        except InputError as failure:
            raise InputError(place_of_error(tokenizer, block, texts, options) or str(failure)) from None

    with output(output_path) as file:
        writer = writer_for(file, output_path, tokenizer, pieces)
        for ids, offsets in in_order(ids_of, read_blocks(inputs), threads):
            writer.write(ids, offsets)
        writer.finish()


def place_of_error(tokenizer: Tokenizer, block: Block, texts: list[str], options: dict[str, Any]) -> str:
    """What is wrong with the first text of a block that cannot be encoded, and where that is."""
    for index, text in enumerate(texts):
        try:
            tokenizer.encode(text, **options)
        except InputError as error:
            return f"{block.place(index)}: {error}"
    return ""


def writer_for(file: BinaryIO, path: str, tokenizer: Tokenizer, pieces: bool) -> Writer:
    """The writer that the name of the output asks for."""
    if path.endswith(".npy"):
        return NpyWriter(file)
    if path.endswith(".npz"):
        return NpzWriter(file)
    if pieces:
        words = [shown(tokenizer.id_to_piece(id)).encode("utf-8", "surrogateescape") for id in range(len(tokenizer))]
    else:
        words = [str(id).encode("ascii") for id in range(len(tokenizer))]
    return LineWriter(file, words)
