"""Names that llama.cpp knows: whatever type the file gives such a token, llama.cpp gives it another.

In: Columns, and by role the ids that the file names.  Out: the types that llama.cpp works with, and Findings about what that
changes.  Facts of llama.cpp as of October 2026 (the tests ask the real one); newer versions may know more names.

    names of ends           CONTROL, and they end generation
    names of fill-ins       CONTROL, unless a key of the file names that token (fill-in-the-middle)
    four names of channels  USER_DEFINED: always found in a text, always printed
    <|end|>                 USER_DEFINED beside (<|return|> or <|flush|>) and (<|call|> or <|calls|>)
    </s>                    NORMAL beside <|tool_response>
"""

from collections.abc import Mapping

from piecetokenizer.formats.columns import CONTROL, NORMAL, SPACE, USER_DEFINED, Columns, show
from piecetokenizer.formats.verdict import Finding, Kind

__all__ = ["END_NAMES", "FILL_NAMES", "PRINTED_NAMES", "retyped", "retyped_types"]

# fmt: off
END_NAMES = frozenset((
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "<end_of_turn>", "<|endoftext|>",
    "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>",
    "<|tool_response>", "<｜end▁of▁sentence｜>", "[e~[",
))
FILL_NAMES = {
    "fim_pre": ("<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>", "<|code_prefix|>", "<|prefix|>"),
    "fim_suf": ("<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>", "<|code_suffix|>", "<|suffix|>"),
    "fim_mid": ("<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>", "<|code_middle|>", "<|middle|>"),
    "fim_pad": ("<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"),
    "fim_rep": ("<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"),
    "fim_sep": ("<|file_sep|>",),
}
PRINTED_NAMES = frozenset(("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"))
# fmt: on


def retyped_types(columns: Columns, roles: Mapping[str, int]) -> list[int]:
    """The types that llama.cpp works with; `roles` are the ids that the file names, by role."""
    becomes = _Names(columns, roles)
    return [type if (new := becomes.type_of(text)) is None else new for text, type in zip(columns.texts, columns.types, strict=True)]


def retyped(columns: Columns, roles: Mapping[str, int]) -> list[Finding]:
    """What differs because of a name."""
    becomes = _Names(columns, roles)
    findings = []
    for id, (text, type) in enumerate(zip(columns.texts, columns.types, strict=True)):
        new = becomes.type_of(text)
        piece = f"piece {id} {show(text)}"
        if new is None:
            continue
        if new == type:
            if new == CONTROL and id not in roles.values():
                what = "ends generation" if text in END_NAMES else "is taken for a fill-in-the-middle token"
                findings.append(Finding(Kind.NOTE, f"{piece} {what} in llama.cpp, because of its name"))
        elif new == NORMAL:
            findings.append(Finding(Kind.NOTE, f"{piece} is an ordinary token in llama.cpp, because there is <|tool_response>"))
        else:
            effect = "a control token in llama.cpp, which prints nothing" if new == CONTROL else "always found and printed in llama.cpp"
            what = f"texts that spell {text} (because of its name {piece} is {effect})"
            findings.append(Finding(Kind.EXCEPTION, what, (text, text.replace(SPACE, " "))))
    return findings


class _Names:
    """The rules, for one vocabulary."""

    def __init__(self, columns: Columns, roles: Mapping[str, int]) -> None:
        self.texts = set(columns.texts)
        self.fill = {name for role, names in FILL_NAMES.items() if roles.get(role, -1) < 0 for name in names}

    def type_of(self, text: str) -> int | None:
        """The type that the name brings, or None."""
        if text in PRINTED_NAMES:
            return USER_DEFINED
        if text == "<|end|>" and self._ends_otherwise():
            return USER_DEFINED
        if text == "</s>" and "<|tool_response>" in self.texts:
            return NORMAL
        return CONTROL if text in END_NAMES or text in self.fill else None

    def _ends_otherwise(self) -> bool:
        call = "<|call|>" in self.texts or "<|calls|>" in self.texts
        return call and ("<|return|>" in self.texts or "<|flush|>" in self.texts)
