"""`export` and `import`: models for other tools, and from them."""

import click

from piecetokenizer import formats
from piecetokenizer.cli.editing import read_template, roles_of
from piecetokenizer.cli.options import dict_path_option, many_texts, utf8
from piecetokenizer.cli.output import check_place, check_sources, note, save
from piecetokenizer.cli.pieces import find_piece
from piecetokenizer.cli.specs import dictionary_at
from piecetokenizer.editing import set_roles

__all__ = ["export", "import_"]


@click.command()
@click.argument("model")
@click.option("--to", required=True, type=click.Choice(["gguf", "sentencepiece", "huggingface"]), help="The format.")
@click.option("-o", "--output", "output_path", required=True, metavar="PATH", help="The file to write; a folder for huggingface.")
@click.option(
    "--route",
    type=click.Choice(["llama", "bpe"]),
    default="llama",
    show_default=True,
    help="gguf: llama, which every llama.cpp reads, or bpe, for newer ones, in which no text becomes a control token.",
)
@click.option("--verify", metavar="FILE", help="Measure on the lines of this file.  [default: texts made from the vocabulary]")
@many_texts("--role", "Give a piece a role for the runtime (eot, eom, fim_pre, fim_suf, fim_mid, ...)", metavar="ROLE=PIECE")
@many_texts("--suppress", "A piece that the runtime shall never produce", metavar="PIECE")
@click.option("--chat-template", metavar="FILE", help="The chat template to put in.  [default: the model's own]")
@click.option("--name", type=utf8, default="", metavar="TEXT", help="The name in the file.  [default: that of PATH]")
@click.option("--strict", is_flag=True, help="Write nothing unless the ids will be exactly the same for every text.")
@dict_path_option
def export(
    model: str,
    to: str,
    output_path: str,
    route: str,
    verify: str | None,
    role: tuple[str, ...],
    suppress: tuple[str, ...],
    chat_template: str | None,
    name: str,
    strict: bool,
    dictionary: str | None,
) -> None:
    """Write MODEL for another tool, and say how faithful the file is.

    The verdict is `exact`, `exact on normalized text`, `sampled` (how many of the texts that were tried differ, with examples) or
    `refused`, an error, with the reason. What is exact is proven, and measured all the same.

    \b
      piecetokenizer export my.model --to gguf -o my.gguf --verify heldout.txt
      piecetokenizer export chat.model --to gguf -o chat.gguf --role 'eot=<|im_end|>' --strict
      piecetokenizer export my.model --to huggingface -o folder
    """
    if output_path == "-":
        raise click.UsageError("an export goes to a file or a folder, not to standard output")
    if to == "huggingface":
        check_sources(output_path, [model])
    else:
        check_place(output_path, [model, verify, chat_template, dictionary])
    loaded = formats.load(model)
    if role:
        loaded = set_roles(loaded, **roles_of(loaded, role)).model
    if suppress:
        ids = tuple(sorted({*loaded.tokenizer.suppressed, *(find_piece(loaded, piece) for piece in suppress)}))
        loaded = loaded.replace(tokenizer=loaded.tokenizer.replace(suppressed=ids))
    template = None if chat_template is None else read_template(chat_template)
    verdict = formats.export(
        loaded,
        output_path,
        to=to,
        route=route,
        verify=verify,
        chat_template=template,
        name=name,
        strict=strict,
        dictionary=dictionary_at(dictionary),
    )
    click.echo(str(verdict))


@click.command("import")
@click.argument("path")
@click.option("-o", "--output", "output_path", required=True, metavar="MODEL", help="The model file to write.")
@click.option("--as", "as_", type=click.Choice(["word"]), help="Take a model of the C++ PieceTokenizer with cut=0 as one of split=word.")
def import_(path: str, output_path: str, as_: str | None) -> None:
    """Make a model file of PATH.

    PATH is a GGUF of the SPM kind, a SentencePiece BPE .model, a tokenizer.json or the folder it is in, or a model of the C++
    PieceTokenizer. The model keeps the rules of its reader: it encodes and decodes as llama.cpp, SentencePiece or tokenizers do. What
    cannot be expressed is refused by name.

    \b
      piecetokenizer import llama.gguf -o llama.model
    """
    check_place(output_path, [path])
    model = formats.load(path, as_=as_)
    save(model, output_path)
    rules = "our own rules (native)" if model.tokenizer.semantics == "native" else f"the rules of {model.tokenizer.semantics}"
    note(f"{output_path}: {len(model)} pieces; it encodes by {rules}")
