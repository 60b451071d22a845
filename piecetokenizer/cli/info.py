"""`info`: what a model is, and how well it compresses a text."""

import dataclasses
import json
import textwrap
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

import click

from piecetokenizer import Piece, PieceType, Tokenizer, formats
from piecetokenizer.cli.lines import Returns, read_blocks
from piecetokenizer.cli.options import utf8
from piecetokenizer.cli.pieces import find_piece, shown

__all__ = ["info"]

Command = TypeVar("Command", bound=Callable[..., Any])


def how_many(name: str, what: str) -> Callable[[Command], Command]:
    """An option for the length of a list."""
    return click.option(name, type=click.IntRange(0), default=10, show_default=True, metavar="N", help=f"How many of the {what} to list.")


@click.command()
@click.argument("model")
@how_many("--first", "first learned pieces")
@how_many("--longest", "longest pieces")
@click.option("--piece", "asked", multiple=True, type=utf8, metavar="PIECE|ID", help="Say everything about one piece; may be repeated.")
@click.option("--measure", multiple=True, metavar="FILE", help="Encode a file and say how many bytes a token stands for; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="The same as one JSON object.")
def info(model: str, first: int, longest: int, asked: tuple[str, ...], measure: tuple[str, ...], as_json: bool) -> None:
    """Say what MODEL is: its size, its specs, its first and its longest pieces.

    Pieces are shown as `encode --pieces` writes them, with ▁ for a space; lengths are in characters.

    \b
      piecetokenizer info my.model --longest 50
      piecetokenizer info my.model --piece ▁the --piece 300
      piecetokenizer info my.model --measure heldout.txt
    """
    loaded = formats.load(model)
    facts: dict[str, Any] = {
        "model": model,
        "pieces": len(loaded),
        "fingerprint": loaded.fingerprint,
        "types": {PieceType(kind).label: count for kind, count in sorted(Counter(loaded.types.tolist()).items())},
        "specs": {type(spec).__name__: dataclasses.asdict(spec) for spec in (loaded.pretokenizer, loaded.counter, loaded.tokenizer)},
    }
    learned = [piece.id for piece in loaded if piece.type == PieceType.NORMAL]
    facts["first"] = [loaded[id] for id in learned[:first]]
    facts["longest"] = [loaded[id] for id in loaded.longest(longest)]
    facts["asked"] = [loaded[find_piece(loaded, name)] for name in asked]
    facts["measured"] = [measured(Tokenizer(loaded), path) for path in measure]
    click.echo(as_one_object(facts) if as_json else as_text(facts))


def measured(tokenizer: Tokenizer, path: str) -> dict[str, Any]:
    """Texts, bytes of text and tokens of a file."""
    counts = {"texts": 0, "bytes": 0, "tokens": 0}
    returns = Returns()
    for block in read_blocks([path], returns=returns):
        texts = block.texts(errors="replace", as_json=False)
        ids, _ = tokenizer.encode_batch(texts, out="flat")
        counts["texts"] += len(texts)
        counts["bytes"] += sum(map(len, block.lines()))
        counts["tokens"] += len(ids)
    returns.tell()
    return {"file": path, **counts, "bytes_per_token": counts["bytes"] / max(counts["tokens"], 1)}


def as_one_object(facts: dict[str, Any]) -> str:
    """Everything as JSON; pieces as objects."""
    plain = {
        key: [piece_fields(item) if isinstance(item, Piece) else item for item in value] if isinstance(value, list) else value
        for key, value in facts.items()
    }
    return json.dumps(plain, ensure_ascii=False, indent=2)


def piece_fields(piece: Piece) -> dict[str, Any]:
    """A piece with the name of its type; bytes that are not UTF-8 as they are shown."""
    parts = None if piece.parts is None else [shown(part) for part in piece.parts]
    return {"id": piece.id, "text": shown(piece.text), "score": piece.score, "type": piece.type.label, "parts": parts}


def as_text(facts: dict[str, Any]) -> str:
    """Everything for reading."""
    lines = [
        f"{facts['model']}: {facts['pieces']} pieces",
        "types: " + ", ".join(f"{count} {name}" for name, count in facts["types"].items()),
        f"fingerprint: {facts['fingerprint']}",
    ]
    for name, fields in facts["specs"].items():
        values = " ".join(f"{key}={spec_value(value)}" for key, value in fields.items())
        lines += [f"{name}:", *(f"  {part}" for part in textwrap.wrap(values, 98, break_long_words=False, break_on_hyphens=False))]
    for title in ("first", "longest"):
        if facts[title]:
            lines += [
                f"{title} learned pieces (id, characters, piece):",
                *(f"  {piece.id}\t{len(piece.text)}\t{shown(piece.text)}" for piece in facts[title]),
            ]
    for piece in facts["asked"]:
        fields = piece_fields(piece)
        merge = f", merged from {' and '.join(fields['parts'])}" if fields["parts"] else ""
        lines.append(f"piece {fields['id']}: {fields['text']} {fields['type']}, score {fields['score']:g}{merge}")
    for found in facts["measured"]:
        share = f"{found['bytes_per_token']:.3f} bytes per token"
        lines.append(f"{found['file']}: {found['bytes']} bytes in {found['texts']} texts are {found['tokens']} tokens: {share}")
    return "\n".join(lines)


def spec_value(value: Any) -> str:
    """A value of a spec as one word."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return ",".join(shown(str(item)) for item in value)
    return shown(str(value))
