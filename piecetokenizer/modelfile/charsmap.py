"""The [Charsmap] section: the rules of normalization=custom, or the compiled charsmap of an imported model.

Rules are lines `source<TAB>target`, each side the code points of a string in hexadecimal with a space between two; an empty target
removes the source.  They are written sorted by source.  A compiled charsmap is base64 in lines of 76 characters.  A line of rules has
a tab and a line of base64 has none, so the first line tells which it is; a section without lines is a charsmap without rules.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping

from piecetokenizer.errors import show

__all__ = ["format_blob", "format_rules", "parse_blob", "parse_rules"]

LINE = 76
CODE_POINTS = re.compile("[0-9A-Fa-f]{1,6}( [0-9A-Fa-f]{1,6})*")


def format_rules(rules: Mapping[str, str]) -> str:
    """The lines of the rules.

    >>> format_rules({"e\\u0301": "é"})
    '0065 0301\\t00E9\\n'
    """
    return "".join(f"{_hex(source)}\t{_hex(rules[source])}\n" for source in sorted(rules))


def format_blob(blob: bytes) -> str:
    """The lines of a compiled charsmap."""
    text = base64.b64encode(blob).decode()
    return "".join(f"{text[start : start + LINE]}\n" for start in range(0, len(text), LINE))


def parse_rules(lines: Iterable[tuple[int, str]]) -> dict[str, str]:
    """The rules from numbered lines; raises ValueError(number, what is wrong)."""
    rules: dict[str, str] = {}
    for number, line in lines:
        sides = line.split("\t")
        if len(sides) != 2 or not sides[0]:
            raise ValueError(number, f"found {show(line)}, expected source, tab and target as hexadecimal code points")
        source, target = (_text(number, side) for side in sides)
        if source in rules:
            raise ValueError(number, f"the source {sides[0]} has a rule already")
        rules[source] = target
    return rules


def parse_blob(lines: Iterable[tuple[int, str]]) -> bytes:
    """The compiled charsmap from numbered lines; raises ValueError(number, what is wrong)."""
    parts: list[bytes] = []
    ended = False
    for number, line in lines:
        try:
            if ended or not line or not line.isascii():
                raise binascii.Error
            parts.append(base64.b64decode(line, validate=True))
        except binascii.Error:
            raise ValueError(number, f"found {show(line)}, expected base64") from None
        ended = line.endswith("=")
    return b"".join(parts)


def _hex(text: str) -> str:
    return " ".join(f"{ord(character):04X}" for character in text)


def _text(number: int, side: str) -> str:
    if not side:
        return ""
    if not CODE_POINTS.fullmatch(side):
        raise ValueError(number, f"found {show(side)}, expected code points in hexadecimal, a space between two")
    points = [int(point, 16) for point in side.split(" ")]
    for point in points:
        if not 0 < point <= 0x10FFFF or 0xD800 <= point <= 0xDFFF:
            raise ValueError(number, f"{point:04X} is no character: a code point is 1 to 10FFFF without D800 to DFFF")
    return "".join(map(chr, points))
