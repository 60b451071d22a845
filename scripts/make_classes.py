"""Make the table of character classes: piecetokenizer/pretokenize/data/classes-17.0.bin.

In: the general categories and names of Unicode 17.0, from the PyPI package unicodedata2 17.0.x.  Out: the class of every code point as
a two-stage table: 8192 block numbers (for code points 256 * k ...), then the blocks, 256 bytes each, equal ones stored once.

    pip install unicodedata2==17.0.1
    python scripts/make_classes.py            writes the file and prints how many code points each class has

The first stage reaches up to U+1FFFFF, past the end of Unicode, because that is what the four bytes of a malformed sequence can
spell: a kernel looks up whatever it decodes, without a check.

Unicode's own files name the ideographs by property (Unified_Ideograph); unicodedata2 has no such property, but the names say the same:
an ideograph is named "CJK UNIFIED IDEOGRAPH-..." or "CJK COMPATIBILITY IDEOGRAPH-..." (twelve of the latter are Unified_Ideograph too).
"""

from collections import Counter
from pathlib import Path

import unicodedata2

VERSION = "17.0.0"
OUTPUT = Path(__file__).resolve().parent.parent / "piecetokenizer" / "pretokenize" / "data" / "classes-17.0.bin"

CLASSES = "SNTHLMDJPA"
"""The letters of the design, in the order of their numbers; A is the apostrophe, which is P but for the split `isolate`."""

NEWLINES = {0x0A, 0x0D, 0x85, 0x2028, 0x2029}
HAN_MARKS = {0x3005, 0x3007, 0x303B}
"""Iteration marks and the ideographic zero: they stand for an ideograph, and words are written with them."""

APOSTROPHES = {0x27, 0x2019}
IDEOGRAPHS = ("CJK UNIFIED IDEOGRAPH-", "CJK COMPATIBILITY IDEOGRAPH-")


def class_of(code_point: int) -> str:
    """The class of one code point, from its category and name."""
    character = chr(code_point)
    category = unicodedata2.category(character)
    if code_point == 0x20:
        return "S"
    if code_point in NEWLINES:
        return "N"
    if category in ("Zs", "Cc"):
        return "T"
    if code_point in HAN_MARKS or unicodedata2.name(character, "").startswith(IDEOGRAPHS):
        return "H"
    if code_point in APOSTROPHES:
        return "A"
    if category == "Nd":
        return "D"
    if category == "Cf":
        return "J"
    return category[0] if category[0] in "LM" else "P"


def main() -> None:
    """Write the table."""
    if unicodedata2.unidata_version != VERSION:
        raise SystemExit(f"unicodedata2 has Unicode {unicodedata2.unidata_version}, not {VERSION}: pip install unicodedata2==17.0.1")
    classes = bytes(CLASSES.index(class_of(code_point)) for code_point in range(0x110000))
    classes += bytes([CLASSES.index("P")]) * (0x200000 - len(classes))
    blocks: dict[bytes, int] = {}
    first = bytes(blocks.setdefault(classes[at : at + 256], len(blocks)) for at in range(0, len(classes), 256))
    OUTPUT.write_bytes(first + b"".join(blocks))
    print(f"{OUTPUT.name}: {OUTPUT.stat().st_size} bytes, {len(blocks)} blocks")
    for number, count in sorted(Counter(classes[:0x110000]).items()):
        print(f"  {CLASSES[number]} {count}")


if __name__ == "__main__":
    main()
