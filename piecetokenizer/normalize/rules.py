"""Rules as people write them: one a line, `hex source<TAB>hex target`, several code points parted by spaces, the target possibly empty.

    FB01<TAB>66 69          ﬁ becomes fi
    200B<TAB>               removed
    # a line that begins with # is a comment; so is all after a second tab, and blank lines are skipped
"""

from os import PathLike, fspath

from piecetokenizer.errors import ModelError

__all__ = ["parse_rules", "read_rules", "write_rules"]


def read_rules(path: str | PathLike[str]) -> dict[str, str]:
    """The rules of a TSV file."""
    try:
        with open(path, "rb") as file:
            text = file.read().decode()
    except OSError as error:
        raise ModelError(f"rules {fspath(path)}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ModelError(f"rules {fspath(path)}: not UTF-8 at byte {error.start}; rules are written in hex") from None
    return parse_rules(text, f"rules {fspath(path)}")


def parse_rules(text: str, where: str = "rules") -> dict[str, str]:
    r"""The rules of a TSV; an error names `where` and the line.

    >>> parse_rules("FB01\t66 69\n200B\t\n")
    {'ﬁ': 'fi', '\u200b': ''}
    """
    rules: dict[str, str] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = line.removesuffix("\r")
        if not line.strip() or line.startswith("#"):
            continue
        place = f"{where}, line {number}"
        source, tab, rest = line.partition("\t")
        if not tab:
            raise ModelError(f"{place}: {line[:40]!r} has no tab; write hex source, tab, hex target (none to remove the source)")
        key = _characters(source, place)
        if not key:
            raise ModelError(f"{place}: the source is empty; write its code points in hex")
        value = _characters(rest.partition("\t")[0], place)
        if rules.setdefault(key, value) != value:
            raise ModelError(f"{place}: {source.strip()} is already the source of a rule with another target; keep one of them")
    return rules


def write_rules(rules: dict[str, str]) -> str:
    r"""The TSV of these rules, in the order of their sources.

    >>> write_rules({"ﬁ": "fi", "\u200b": ""})
    '200B\t\nFB01\t0066 0069\n'
    """
    return "".join(f"{_hex(source)}\t{_hex(rules[source])}\n" for source in sorted(rules))


def _hex(text: str) -> str:
    return " ".join(f"{ord(character):04X}" for character in text)


def _characters(column: str, place: str) -> str:
    characters = []
    for code in column.split():
        try:
            value = int(code, 16) if code.isalnum() and code.isascii() else -1
        except ValueError:
            value = -1
        if not 0 < value <= 0x10FFFF or 0xD800 <= value <= 0xDFFF:
            raise ModelError(f"{place}: {code[:20]!r} is not a code point in hex from 1 to 10FFFF, surrogates excepted")
        characters.append(chr(value))
    return "".join(characters)
