"""`edit` and `check`: other models from a trained one, and what is wrong with one."""

import os
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from piecetokenizer import Model, PieceType, checking, editing, formats
from piecetokenizer.cli.options import many_texts, utf8
from piecetokenizer.cli.output import check_place, note, output, save
from piecetokenizer.cli.pieces import find_piece
from piecetokenizer.editing import Edit
from piecetokenizer.errors import SpecError

__all__ = ["check", "edit", "roles_of"]

Command = TypeVar("Command", bound=Callable[..., Any])
Step = Callable[[Model], Edit]

TYPES = {kind.label: kind for kind in PieceType}
SHOWN = 10
"""How many lost pieces are named."""


def pairs(name: str, what: str, help: str) -> Callable[[Command], Command]:
    """An option that takes two values and may be repeated."""
    return click.option(name, multiple=True, nargs=2, type=utf8, metavar=what, help=f"{help}; may be repeated.")


@click.command()
@click.argument("model")
@click.option("-o", "--output", "output_path", required=True, metavar="MODEL", help="The model file to write.")
@pairs("--rename", "PIECE TEXT", "Give a piece another text")
@pairs("--retype", "PIECE TYPE", "Make a piece normal, unknown, control, user_defined, unused or byte")
@many_texts("--remove", "Take a piece out", metavar="PIECE")
@click.option("--truncate", type=int, metavar="N", help="Keep N pieces: the merges that were learned last go.")
@click.option("--merge", metavar="MODEL", help="Put the pieces of another model behind.")
@many_texts("--control", "Add a control token at the end")
@many_texts("--user-defined", "Add a user-defined symbol at the end")
@many_texts("--role", "Give a piece a role (bos, eos, pad, eot, ...); ROLE= takes a role away", metavar="ROLE=PIECE")
@click.option("--chat-template", metavar="FILE", help="Put in a chat template, which is kept and exported, not run.")
@click.option("--id-map", metavar="FILE", help="Write where each id went: old id, tab, new id, which is -1 if the piece is gone.")
@click.option("--merged-id-map", metavar="FILE", help="The same for the ids of the model that was merged.")
def edit(model: str, output_path: str, chat_template: str | None, id_map: str | None, merged_id_map: str | None, **options: Any) -> None:
    """Make another model of a trained one, and say where its ids went.

    Edits are made in the order in which they are listed here. A piece is named by its text, as `info` shows it, or by the id that it has
    when its edit begins.

    \b
      piecetokenizer edit my.model -o chat.model --control '<|user|>' --control '<|end|>' --role 'eot=<|end|>'
      piecetokenizer edit big.model -o small.model --truncate 16000 --id-map ids.tsv
    """
    if merged_id_map and not options["merge"]:
        raise click.UsageError("--merged-id-map goes with --merge")
    written = [path for path in (output_path, id_map, merged_id_map) if path]
    if len({os.path.realpath(path) for path in written}) < len(written):
        raise click.UsageError("the model and the maps go to different places: give each a name of its own")
    sources = [options["merge"], chat_template]
    check_place(output_path, sources)  # the model itself may be edited in place
    for path in (id_map, merged_id_map):
        check_place(path or "-", [model, *sources])
    before = Model.load(model)
    whole = editing.set_roles(before)  # no change: where the edits begin
    for step in steps(**options):
        whole = whole.then(step(whole.model))
    after = whole.model
    if chat_template:
        after = after.replace(template=read_template(chat_template))
    save(after, output_path)
    for path, ids in ((id_map, whole.id_map), (merged_id_map, whole.other_maps[-1] if whole.other_maps else ())):
        if path:
            with output(path) as file:
                file.writelines(b"%d\t%d\n" % pair for pair in enumerate(ids))
    note(f"{output_path}: {len(after)} pieces; {model} has {len(before)}")
    if whole.lost:
        more = f" and {len(whole.lost) - SHOWN} more" if len(whole.lost) > SHOWN else ""
        note(f"no text becomes these pieces any more: {'; '.join(map(str, whole.lost[:SHOWN]))}{more}")


def steps(
    rename: tuple[tuple[str, str], ...],
    retype: tuple[tuple[str, str], ...],
    remove: tuple[str, ...],
    truncate: int | None,
    merge: str | None,
    control: tuple[str, ...],
    user_defined: tuple[str, ...],
    role: tuple[str, ...],
) -> Iterator[Step]:
    """The edits that were asked for, in their order."""
    if rename:
        yield lambda model: editing.rename(model, {find_piece(model, name): text for name, text in rename})
    if retype:
        yield lambda model: editing.retype(model, {find_piece(model, name): type_named(type) for name, type in retype})
    if remove:
        yield lambda model: editing.remove(model, [find_piece(model, name) for name in remove])
    if truncate is not None:
        yield lambda model: editing.truncate(model, truncate)
    if merge:
        yield lambda model: editing.merge(model, Model.load(merge))
    if control or user_defined:
        yield lambda model: editing.add_tokens(model, control=control, user_defined=user_defined)
    if role:
        yield lambda model: editing.set_roles(model, **roles_of(model, role))


def roles_of(model: Model, given: tuple[str, ...]) -> dict[str, int | None]:
    """The roles of `ROLE=PIECE` options."""
    roles: dict[str, int | None] = {}
    for item in given:
        role, found, name = item.partition("=")
        if not found:
            raise SpecError(f"--role {item!r} is not allowed: write ROLE=PIECE, as in eot=<|end|>")
        roles[role] = find_piece(model, name) if name else None
    return roles


def type_named(name: str) -> PieceType:
    """The type of a piece by its name in model files."""
    if name not in TYPES:
        raise SpecError(f"type {name!r} is not allowed: it is one of {', '.join(TYPES)}")
    return TYPES[name]


def read_template(path: str) -> str:
    """A chat template, as it is in its file."""
    with open(path, "rb") as file:
        try:
            return file.read().decode()
        except UnicodeDecodeError as error:
            raise SpecError(f"{path}: not UTF-8 at byte {error.start}; a chat template is text") from None


@click.command()
@click.argument("model")
@click.option("--all", "everything", is_flag=True, help="List every piece that was found, not only the first few.")
@click.pass_context
def check(ctx: click.Context, model: str, everything: bool) -> None:
    """Check MODEL: bytes complete, scores falling, parts of merges consistent, every piece reachable, no control token spelled by text.

    Pieces that no text becomes are listed, and are no fault. Exit code 0: sound; 1: something is wrong.

    \b
      piecetokenizer check my.model
    """
    report = checking.check(formats.load(model))
    for line in report.lines():
        click.echo(line)
    if everything:
        for title, found in (("bad parts", report.bad_parts), ("spelled", report.spelled), ("unreachable", report.unreachable)):
            for piece in found:
                click.echo(f"{title}\t{piece}")
    if not report.sound:
        ctx.exit(1)
