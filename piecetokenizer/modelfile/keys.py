"""The key=value lines of a spec: one for each field, in the order and under the name that it has in spec.py.

| type of the field | value |
|---|---|
| bool | `0` or `1` |
| int | decimal digits, with `-` before them if negative |
| float | the shortest decimal that reads back as the same number |
| str | the text, escaped |
| tuple of str | the texts, each escaped, with a tab between two; nothing for none |
| tuple of int | the numbers, with a tab between two; nothing for none |

A space that ends a line is written `\\x20`, so that an editor which trims lines changes nothing.
"""

import dataclasses
import re
from typing import Any

from piecetokenizer.errors import show
from piecetokenizer.modelfile.escapes import escape, unescape

__all__ = ["MAX_DIGITS", "decimal", "format_line", "format_spec", "parse_value"]

MAX_DIGITS = 19
"""Digits of the largest integers that a file may hold (64 bits): more are refused before they are converted."""

INTEGER = re.compile("-?[0-9]+")
FLOAT = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


def decimal(number: float) -> str:
    """The shortest decimal that reads back as this number, without a fraction that says nothing.

    >>> decimal(-3.0), decimal(-0.0), decimal(0.1)
    ('-3', '0', '0.1')
    """
    return repr(number + 0.0).removesuffix(".0")


def format_line(name: str, value: Any) -> str:
    """One line of a spec, with its line feed."""
    if isinstance(value, bool):
        written = str(int(value))
    elif isinstance(value, float):
        written = decimal(value)
    elif isinstance(value, tuple):
        written = "\t".join(escape(item) if isinstance(item, str) else str(item) for item in value)
    else:
        written = escape(str(value))
    if written.endswith(" "):
        written = written[:-1] + "\\x20"
    return f"{name}={written}\n"


def format_spec(spec: Any) -> str:
    """All lines of a spec."""
    return "".join(format_line(field.name, getattr(spec, field.name)) for field in dataclasses.fields(spec))


def parse_value(field: "dataclasses.Field[Any]", written: str) -> Any:
    """The value of a field from what was written; raises ValueError saying what was found and what is expected."""
    kind = field.type
    if kind is bool:
        if written not in ("0", "1"):
            raise ValueError(f"found {show(written)}, expected 0 or 1")
        return written == "1"
    if kind is int:
        return _integer(written)
    if kind is float:
        if not FLOAT.fullmatch(written):
            raise ValueError(f"found {show(written)}, expected a decimal number")
        return float(written)
    if kind is str:
        return unescape(written)
    items = written.split("\t") if written else []
    return tuple(map(unescape if kind == tuple[str, ...] else _integer, items))


def _integer(written: str) -> int:
    if not INTEGER.fullmatch(written) or len(written) > MAX_DIGITS + 1:
        raise ValueError(f"found {show(written)}, expected a whole number")
    return int(written)
