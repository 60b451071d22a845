"""The command line: `piecetokenizer COMMAND`, also as `python -m piecetokenizer COMMAND`.

In: arguments, files, standard input.  Out: files, standard output, an exit code.  One file a group of commands, each thin: what a command
does is done by the package's public functions, so that everything can be had from Python as well.

The rules that all commands obey:

- `-` is standard input or output; without a file, text comes from standard input and goes to standard output.
- Text is UTF-8, whatever the locale.  A line ends at LF and nowhere else; one CR before it and a byte order mark at a file's start are
  not text, and said to be left out.
- A file appears under its name only when it is complete; Ctrl-C leaves the old one or none.
- An error is one line on standard error, in which options are flags, and exit code 2; Ctrl-C is 130; a reader that went away (`| head`)
  is 141, quietly, as a shell reports it.
"""

from piecetokenizer.cli.main import main, run

__all__ = ["main", "run"]
