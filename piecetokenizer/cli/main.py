"""The command `piecetokenizer` itself: which commands there are, and what becomes of errors.

In: the arguments.  Out: the exit code.  A command's module is imported when the command is named, so that `encode` does not wait for what
only `train` needs.
"""

import gc
import io
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any

import click

from piecetokenizer.errors import PieceTokenizerError

__all__ = ["main", "run"]

INTERRUPTED = 130
BROKEN_PIPE = 141
"""128 and the number of the signal: what a shell reports of a program that the signal ended."""

OBJECTS = 100_000
"""New objects after which the collector looks for cycles."""

COMMANDS = {
    "train": ("training.train", "Learn a vocabulary from text."),
    "encode": ("encoding.encode", "Texts into ids."),
    "decode": ("decoding.decode", "Ids into texts."),
    "info": ("info.info", "What a model is, and how well it compresses."),
    "normalize": ("stages.normalize", "Text as the tokenizer sees it: stage 1."),
    "pretokenize": ("stages.pretokenize", "Where no merge crosses: stages 1 and 2."),
    "count": ("counting.count", "The segments of text and their counts, as TSV."),
    "edit": ("editing.edit", "Add, rename, remove tokens; cut and merge vocabularies."),
    "check": ("editing.check", "Whether a model keeps what a vocabulary promises."),
    "export": ("exchange.export", "Write a model for llama.cpp, SentencePiece, Hugging Face."),
    "import": ("exchange.import_", "Read a model of another tool."),
}
"""Each command, where in this folder it is, and what the list of commands says of it; in the order of a first day's use."""


@contextmanager
def quiet_pipe() -> Iterator[None]:
    """Turn a broken pipe into an exit code, before click, which has another one for it, sees it."""
    try:
        yield
    except BrokenPipeError:
        _forget_stdout()
        raise click.exceptions.Exit(BROKEN_PIPE) from None


class Commands(click.Group):
    """A group whose commands are imported when asked for."""

    def make_context(self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any) -> click.Context:
        """Read the arguments; --help and --version print here."""
        with quiet_pipe():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with quiet_pipe():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in their own order, which tells more than the alphabet's."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in --help, for which none is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(".")
        command: click.Command = getattr(import_module(f"piecetokenizer.cli.{module}"), name)
        return command


def show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the installed version; read from the package's metadata only when asked, since that takes longer than the rest of the start."""
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"piecetokenizer {version('piecetokenizer')}")
        ctx.exit()


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Each command has its own --help. Text is UTF-8, one text a line; '-' is standard input or output.",
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=show_version, help="Show the version and exit.")
def commands() -> None:
    """Train a BPE vocabulary from text, and encode and decode with it.

    \b
      piecetokenizer train corpus.txt -o my.model --vocab-size 8000
      piecetokenizer encode -m my.model < text.txt > ids.txt
      piecetokenizer decode -m my.model < ids.txt
    """


def main(args: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code; `args` are sys.argv's without it.  With nothing to do it says what there is to do.

    >>> main(["--version"])                                 # doctest: +ELLIPSIS
    piecetokenizer ...
    0
    """
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        _warn_of_slow_kernels()
        try:
            given = list(sys.argv[1:] if args is None else args)
            code = commands.main(args=given or ["--help"], prog_name="piecetokenizer", standalone_mode=False)
            if code != BROKEN_PIPE:
                sys.stdout.flush()
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else "piecetokenizer"
            return _complain(f"{error.format_message()} (see {path} --help)")
        except click.ClickException as error:
            return _complain(error.format_message())
        except (KeyboardInterrupt, click.Abort):
            _complain("interrupted; no file was written or changed")
            return INTERRUPTED
        except BrokenPipeError:
            _forget_stdout()
            return BROKEN_PIPE
        except OSError as error:
            _forget_stdout()
            return _complain(f"{os.fspath(error.filename)}: {error.strerror}" if error.filename and error.strerror else str(error))
        except PieceTokenizerError as error:
            return _complain(error.message.with_flags())
        except MemoryError as error:
            return _complain(str(error) or "out of memory")
    return code if isinstance(code, int) else 0


def run() -> int:
    """A process that is one command: what `main` says, with settings for the whole process, which `main` leaves to those who call it.

    While modules and a model are loaded, Python's collector of cycles would look at all objects many times, and at the end of the process
    twice more: all of them live until then, and a short command spends a tenth of its time so.  numpy would start threads of linear
    algebra, which no command does, one for each processor: half of the time that its import takes.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(OBJECTS)
    code = main()
    gc.freeze()
    return code


def _complain(message: str) -> int:
    """One line on standard error, and the exit code for it."""
    _say("piecetokenizer: error: " + " ".join(message.replace("\n\t", "\n").split("\n")))
    return 2


def _say(line: str) -> None:
    """A line on standard error; where that takes none (a full disk), the exit code must do."""
    with suppress(OSError):
        print(line, file=sys.stderr)


def _warn_of_slow_kernels() -> None:
    """Say it when the kernels are not compiled: in a source tree Python finds that before the installed package."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    kernel = os.path.join(folder, "counter", "table_cy")
    # Looked up by name: to ask Python's import system would import the whole counter, and numpy, also for --help.
    if not os.environ.get("PIECETOKENIZER_PURE") and not any(os.path.exists(kernel + suffix) for suffix in EXTENSION_SUFFIXES):
        where = os.path.dirname(folder)
        warnings.warn(f"the kernels in {where} are not compiled, and a hundred times slower; run from another folder", stacklevel=2)


def _show_warning(message: Warning | str, *rest: Any, **options: Any) -> None:
    """A warning of the package as one line too, without the place in the source."""
    _say(f"piecetokenizer: warning: {message}")


def _open_closed_streams() -> None:
    """Give a standard stream that was closed (`<&-`, `>&-`), which Python shows as None, something that answers as such a one should.

    Input and output are opened the wrong way round, so that whoever does use them gets the system's own "bad file descriptor", and a
    command that does not need them runs.  What would go to a closed standard error is dropped.
    """
    if sys.stdin is None:
        sys.stdin = open(os.open(os.devnull, os.O_WRONLY), encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _forget_stdout() -> None:
    """Point standard output elsewhere, or Python would try to flush it once more at exit and say that it failed."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # not a real file: nothing will be flushed
        pass
