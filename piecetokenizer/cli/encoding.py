"""`encode`: texts into ids, one text a line."""

import random
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from piecetokenizer import Tokenizer
from piecetokenizer.cli.lines import Block, Returns, read_blocks, watched
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
from piecetokenizer.cli.specs import dictionary_at
from piecetokenizer.cli.writers import Ids, Offsets, writer_for
from piecetokenizer.errors import InputError
from piecetokenizer.progress import Bars, silent
from piecetokenizer.threads import in_order

__all__ = ["encode"]


@dataclass(frozen=True)
class BlockEncoder:
    """The ids of the texts of a block, as the options say; any thread may use it."""

    tokenizer: Tokenizer
    options: dict[str, Any]
    errors: Any
    as_json: bool
    dropout: float
    seed: int

    def flat(self, block: Block) -> tuple[Ids, Offsets]:
        """All ids, and where each text begins in them."""
        if not self.as_json and not self.dropout:
            try:
                return self.tokenizer.encode_block(block.data, block.starts, block.stops, **self.options)
            except InputError:  # not all of it is text: the way below replaces that, or says where it is
                pass
        texts = block.texts(errors=self.errors, as_json=self.as_json)
        rows = []
        for index, text in enumerate(texts):
            # A seed for each text, so that chance does not depend on where a block ends.
            seed = self.seed + (block.number + index << 64)
            try:
                rows.append(self.tokenizer.encode(text, out="numpy", dropout=self.dropout, seed=seed, errors=self.errors, **self.options))
            except InputError as error:
                raise InputError(f"{block.place(index)}: ", error.message) from None
        return np.concatenate([np.empty(0, np.int32), *rows]), np.cumsum([0, *map(len, rows)])


@click.command()
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
@click.option("-q", "--quiet", is_flag=True, help="No progress.  (There is none without a terminal, or where ids go to standard output.)")
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
    quiet: bool,
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
    if seed is not None and not dropout:
        raise click.UsageError("--seed is the seed of --dropout, and does nothing without it")
    tokenizer = Tokenizer.load(model, dict=dictionary_at(dictionary))
    seed = random.getrandbits(32) if seed is None else seed
    encoder = BlockEncoder(tokenizer, {"bos": bos, "eos": eos, "special": special}, errors, as_json, dropout, seed)
    returns = Returns()
    with output(output_path, [model, dictionary, *inputs]) as file, Bars() as bars:
        writer = writer_for(file, output_path, tokenizer, pieces)
        blocks = watched(read_blocks(inputs, returns=returns), inputs, silent if quiet or output_path == "-" else bars)
        for made in in_order(lambda block: writer.ready(*encoder.flat(block)), blocks, threads):
            writer.write(made)
        writer.finish()
    if not as_json:
        returns.tell()
