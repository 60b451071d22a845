"""Options that several commands have in common, under the names that the specs give them.

A decorator puts its options on a command; `given` picks those that were set from what the command received.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from piecetokenizer.threads import MOST_THREADS

__all__ = [
    "dict_path_option",
    "errors_option",
    "given",
    "input_argument",
    "json_option",
    "many_texts",
    "model_instead_option",
    "model_option",
    "normalizer_options",
    "output_option",
    "pretokenizer_options",
    "threads_option",
    "together",
    "utf8",
]

Command = TypeVar("Command", bound=Callable[..., Any])


def utf8(value: str) -> str:
    """The type of an option that is text: an argument's bytes as UTF-8, whatever the locale made of them."""
    try:
        return os.fsencode(value).decode()
    except UnicodeEncodeError:  # not from a command line: an argument in a program
        return value
    except UnicodeDecodeError:
        raise click.BadParameter(f"{value!r} is not UTF-8") from None


def many_texts(name: str, help: str, metavar: str = "TEXT") -> Callable[[Command], Command]:
    """An option for texts that may be repeated."""
    return click.option(name, multiple=True, type=utf8, metavar=metavar, help=f"{help}; may be repeated.")


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, shown by --help in the order given here."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


model_option = click.option(
    "-m", "--model", required=True, metavar="MODEL", envvar="PIECETOKENIZER_MODEL", show_envvar=True, help="The model to use."
)
input_argument = click.argument("inputs", nargs=-1, metavar="[INPUT]...")
output_option = click.option(
    "-o", "--output", "output_path", default="-", metavar="FILE", help="Where to write.  [default: standard output]"
)
json_option = click.option("--json", "as_json", is_flag=True, help="Texts are JSON strings, one a line, so that a text may hold newlines.")
threads_option = click.option(
    "--threads", type=click.IntRange(1, MOST_THREADS), default=1, show_default=True, metavar="N", help="Threads to use."
)
errors_option = click.option(
    "--errors",
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="What to do about bytes that are not UTF-8 and lone surrogates: stop with the place, or take U+FFFD for each.",
)
model_instead_option = click.option("-m", "--model", metavar="MODEL", help="Do as this model does, in place of the options below.")
dict_path_option = click.option(
    "--dict",
    "dictionary",
    metavar="PATH",
    help="Where the dictionary is with which the model was trained, if the package does not have it.",
)
normalizer_options = together(
    click.option(
        "--normalization",
        type=click.Choice(["none", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf", "custom"]),
        help="Rules that rewrite characters.  [default: none]",
    ),
    click.option("--charsmap", metavar="TSV", help="Rules for --normalization custom: hex code points, tab, hex code points, a line."),
    click.option("--reconstruct", is_flag=True, default=None, help="Keep every space, so that decoding gives back the exact text."),
)
pretokenizer_options = together(
    normalizer_options,
    click.option(
        "--split",
        type=click.Choice(["word", "isolate", "space", "none"]),
        help="Where pieces may not reach over: word keeps one mark or space before a word with it, isolate lets nothing join a word, "
        "space cuts before each space only, none never.  [default: word]",
    ),
    click.option("--digit", type=click.Choice(["keep", "split"]), help="Numbers as runs of digits, or each digit alone.  [default: keep]"),
    click.option("--cn", type=click.Choice(["none", "char"]), help="Han: as other letters, or each character alone.  [default: none]"),
    click.option(
        "--dict",
        "dictionary",
        metavar="no|zh|PATH",
        help="Cut Han by a dictionary: zh is the one that comes with the package, a path another; no stands for --cn char, in train and "
        "count also for --split isolate --digit split.",
    ),
    click.option("--spaces", type=click.Choice(["each", "run"]), help="run: a run of spaces is one segment, for code.  [default: each]"),
    click.option("--space", type=utf8, metavar="CHAR", help="The character that shows a space where people look.  [default: ▁]"),
)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were set, so that defaults stay the specs' own."""
    return {name: value for name, value in options.items() if value is not None and value != ()}
