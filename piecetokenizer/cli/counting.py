"""`count`: the segments of a text and how often each occurs, the first half of training."""

from typing import Any

import click

from piecetokenizer.cli.options import given, input_argument, many_texts, output_option, pretokenizer_options
from piecetokenizer.cli.output import check_place, note, output, show
from piecetokenizer.cli.training import corpus_options, whole_number
from piecetokenizer.modelfile.escapes import escape
from piecetokenizer.options import choose
from piecetokenizer.progress import Bars, silent
from piecetokenizer.train import TrainReport
from piecetokenizer.train import count as count_segments

__all__ = ["count"]


@click.command()
@input_argument
@output_option
@pretokenizer_options
@many_texts("--user-defined", "A text that is a piece of its own and in no segment")
@whole_number("--min-count", 1, "Leave out segments that occur less often.")
@corpus_options
@click.option("-q", "--quiet", is_flag=True, help="No progress, no report.")
def count(
    inputs: tuple[str, ...],
    output_path: str,
    dictionary: str | None,
    charsmap: str | None,
    quiet: bool,
    min_count: int | None,
    **options: Any,
) -> None:
    """Count the segments of the INPUT files, or of standard input, as `train` does.

    A line is a segment, a tab and its count, the most frequent first and equals in the order of code points. A space is a space;
    what cannot be seen is \\xHH.

    \b
      piecetokenizer count corpus.txt --split isolate --min-count 5 -o counts.tsv
    """
    check_place(output_path, [*inputs, charsmap, dictionary])
    chosen = given(options)
    reading = {name: chosen.pop(name) for name in ("text_unit", "errors", "limit", "threads") if name in chosen}
    choices = choose(chosen, dict=dictionary, charsmap=charsmap)
    report = TrainReport()
    with Bars() as bars:
        segments = count_segments(list(inputs) or ["-"], choices, report=report, progress=silent if quiet else bars, **reading)
    kept = segments.at_least(min_count or 1).sorted()
    with output(output_path) as file:
        file.writelines(f"{escape(text)}\t{count}\n".encode() for text, count in kept.to_pairs())
    for line in choices.idle():
        note(line)
    if not quiet:
        show(str(report))
