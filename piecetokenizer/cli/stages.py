"""`normalize` and `pretokenize`: what the first two stages make of texts, one text a line."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from piecetokenizer.cli.lines import Returns, read_blocks
from piecetokenizer.cli.options import (
    errors_option,
    input_argument,
    json_option,
    model_instead_option,
    normalizer_options,
    output_option,
    pretokenizer_options,
)
from piecetokenizer.cli.output import output
from piecetokenizer.cli.pieces import shown
from piecetokenizer.cli.specs import normalizer_for, stages
from piecetokenizer.errors import InputError

__all__ = ["normalize", "pretokenize"]


@click.command()
@input_argument
@output_option
@json_option
@errors_option
@model_instead_option
@normalizer_options
def normalize(inputs: tuple[str, ...], output_path: str, as_json: bool, errors: str, model: str | None, **options: Any) -> None:
    """Normalize each line of the INPUT files, or of standard input: stage 1.

    \b
      echo 'ﬁne　 print' | piecetokenizer normalize --normalization nfkc
    """
    normalizer = normalizer_for(model, options)

    def line(text: str) -> str:
        normalized = str(normalizer.normalize(text, errors=errors))
        return json.dumps(normalized, ensure_ascii=False) if as_json else normalized

    write_lines(inputs, output_path, line, errors, as_json)


@click.command()
@input_argument
@output_option
@json_option
@errors_option
@model_instead_option
@pretokenizer_options
def pretokenize(inputs: tuple[str, ...], output_path: str, as_json: bool, errors: str, model: str | None, **options: Any) -> None:
    """Cut each line of the INPUT files, or of standard input, into segments: stages 1 and 2.

    Segments are words on a line, with ▁ for a space and \\xHH for what cannot be seen; with --json, an array of strings on a line, in
    which a space is a space. No piece ever reaches over the end of a segment.

    \b
      echo 'Hello, world 你好123' | piecetokenizer pretokenize --split isolate --digit split --cn char
    """
    normalizer, pretokenizer = stages(model, options)
    space = normalizer.spec.space

    def line(text: str) -> str:
        segments = pretokenizer.pretokenize(str(normalizer.normalize(text, errors=errors)))
        if as_json:
            return json.dumps(segments, ensure_ascii=False)
        return " ".join(shown_segment(segment, space) for segment in segments)

    write_lines(inputs, output_path, line, errors, as_json)


def shown_segment(segment: str, space: str) -> str:
    r"""A segment as a word; a space's sign that stands in the text itself is no space, and is spelt out.

    >>> shown_segment(" a▁", "▁")
    '▁a\\xE2\\x96\\x81'
    """
    spelt = "".join(f"\\x{byte:02X}" for byte in space.encode())
    return shown(segment).replace(space, spelt).replace("\\x20", space)


def write_lines(inputs: Sequence[str], output_path: str, line: Callable[[str], str], errors: str, as_json: bool) -> None:
    """A line of output for each text."""
    returns = Returns()
    with output(output_path, inputs) as file:
        for block in read_blocks(inputs, returns=returns):
            for index, text in enumerate(block.texts(errors=errors, as_json=as_json)):
                try:
                    file.write(line(text).encode() + b"\n")
                except InputError as error:
                    raise InputError(f"{block.place(index)}: ", error.message) from None
            file.flush()
    if not as_json:
        returns.tell()
