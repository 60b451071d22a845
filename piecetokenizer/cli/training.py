"""`train`: text into a model; and the options that `count`, its first half, has too."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from piecetokenizer import train as learn
from piecetokenizer.cli.options import given, many_texts, pretokenizer_options, together, utf8
from piecetokenizer.cli.output import check_place, note, save, show
from piecetokenizer.errors import SpecError
from piecetokenizer.train import TrainReport

__all__ = ["corpus_options", "train", "whole_number"]

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Command], Command]


def whole_number(name: str, default: int, help: str) -> Option[Any]:
    """An option for a whole number; the default is the spec's, and only said here, as is what it may be."""
    return click.option(name, type=int, metavar="N", help=f"{help}  [default: {default}]")


def role_options(role: str, what: str, piece: str, id: int) -> list[Option[Any]]:
    """The text and the id of the piece that has a role."""
    shown = f"  [default: {piece}]" if piece else ""
    return [
        click.option(f"--{role}-piece", type=utf8, metavar="TEXT", help=f"The text of the {what} piece.{shown}"),
        click.option(f"--{role}-id", type=int, metavar="ID", help=f"The id of the {what} piece, -1 for none.  [default: {id}]"),
    ]


corpus_options = together(
    click.option(
        "--text-unit", type=click.Choice(["line", "file"]), help="A text is a line, or a whole file, newlines and all.  [default: line]"
    ),
    click.option(
        "--errors",
        type=click.Choice(["replace", "strict", "skip"]),
        help="Bytes that are not UTF-8: read them as U+FFFD, which is never learned, stop, or leave the text out.  [default: replace]",
    ),
    click.option("--limit", metavar="N|SIZE", help="Read only so many texts, or so much: 100MB, 1.5GiB."),
    click.option("--threads", type=int, metavar="N", help="Threads to use.  [default: one for each processor]"),
)


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("-o", "--output", "output_path", required=True, metavar="MODEL", help="The model file to write.")
@whole_number("--vocab-size", 32000, "How many pieces the model has, of all kinds together.")
@click.option("--soft-vocab-limit", is_flag=True, default=None, help="Take what there is if the text has fewer pieces to learn.")
@pretokenizer_options
@click.option("--character-coverage", type=float, metavar="SHARE", help="The most frequent characters become pieces.  [default: 0.9995]")
@click.option("--required-chars", type=utf8, metavar="CHARS", help="Characters that become pieces however rare they are.")
@whole_number("--min-count", 1, "Leave out segments that occur less often.")
@whole_number("--max-piece-size", 48, "The longest piece, in bytes.")
@many_texts("--user-defined", "A text that is always one piece, wherever it stands")
@many_texts("--control", "A control token, which never comes out of text unless asked for")
@click.option("--pad", is_flag=True, help="A piece for padding: <pad>, with the id 3.")
@whole_number("--reserve", 0, "Control tokens to keep free for later, <|reserved_0|> and on.")
@whole_number("--pad-to-multiple", 1, "Add reserved tokens up to a multiple of this size.")
@together(
    *role_options("unk", "unknown", "<unk>", 0),
    *role_options("bos", "begin-of-text", "<s>", 1),
    *role_options("eos", "end-of-text", "</s>", 2),
    *role_options("pad", "padding", "", -1),
)
@click.option("--add-bos", is_flag=True, default=None, help="Encoding puts the begin-of-text id first unless told otherwise.")
@click.option("--add-eos", is_flag=True, default=None, help="Encoding puts the end-of-text id last unless told otherwise.")
@corpus_options
@click.option("-q", "--quiet", is_flag=True, help="No progress, no report; only errors and warnings.")
def train(inputs: tuple[str, ...], output_path: str, dictionary: str | None, pad: bool, quiet: bool, **options: Any) -> None:
    """Learn a vocabulary from the INPUT files and write it to MODEL.

    A text is a line. '-' is standard input; files that end in .gz, .bz2 or .xz are unpacked. The same text and options give the same
    model, byte by byte, on any number of threads and for any order of the lines. A report on standard error says what was read, lost
    and made.

    \b
      piecetokenizer train corpus.txt -o my.model --vocab-size 8000
      piecetokenizer train src/*.py -o code.model --reconstruct --spaces run
      piecetokenizer train zh.txt.gz -o zh.model --dict zh --control '<|im_start|>' --control '<|im_end|>'
    """
    check_place(output_path, [*inputs, options["charsmap"], dictionary])
    chosen = given(options)
    if pad:
        if chosen.setdefault("pad_piece", "<pad>") != "<pad>":
            raise SpecError(f"--pad stands for --pad-piece '<pad>', and --pad-piece {chosen['pad_piece']!r} was given too; leave --pad out")
        chosen.setdefault("pad_id", 3)
    report = TrainReport()
    model = learn(list(inputs), dict=dictionary, progress=not quiet, report=report, notice=note, **chosen)
    save(model, output_path)
    if not quiet:
        show(str(report))
