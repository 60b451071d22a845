"""Layout: the pieces that are not learned, and the ids that are set.

In: `CounterSpec`.  Out: `Layout`, everything of the vocabulary but the merges and the characters.  Rule: unk, bos, eos and pad have
the ids that the spec says (an id of -1, or an empty name, leaves the role out; pad without an id takes the smallest free one); all
other pieces fill the remaining ids in order: 256 bytes, user-defined symbols, what is learned, control tokens, reserved ones,
padding.  Roles with one name are one piece, which has one id.  Any other text that occurs twice is an error that names it.
"""

from dataclasses import dataclass

from piecetokenizer.errors import SpecError
from piecetokenizer.messages import Message, Option
from piecetokenizer.spec import CounterSpec

__all__ = ["BYTE_PIECES", "Layout", "plan"]

BYTE_PIECES = tuple(f"<0x{byte:02X}>" for byte in range(256))


@dataclass(frozen=True, slots=True)
class Layout:
    """`fixed` maps ids to special pieces, `roles` maps unk, bos, eos, pad to ids, -1 for none.

    `padding` are names for as many padding pieces as may be needed.
    """

    fixed: dict[int, str]
    roles: dict[str, int]
    user_defined: tuple[str, ...]
    control: tuple[str, ...]
    padding: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many pieces this is, without padding."""
        return len(self.fixed) + len(BYTE_PIECES) + len(self.user_defined) + len(self.control)

    def texts(self) -> list[str]:
        """The texts of all these pieces, padding included."""
        return [*self.fixed.values(), *BYTE_PIECES, *self.user_defined, *self.control, *self.padding]


def plan(spec: CounterSpec) -> Layout:
    """Where the special pieces go.

    >>> plan(CounterSpec(pad_piece="<pad>")).fixed
    {0: '<unk>', 1: '<s>', 2: '</s>', 3: '<pad>'}
    >>> plan(CounterSpec(bos_piece="<|end|>", eos_piece="<|end|>", bos_id=1, eos_id=1)).roles
    {'unk': 0, 'bos': 1, 'eos': 1, 'pad': -1}
    """
    if spec.unk_id < 0:
        raise SpecError(Option("unk_id", -1), " is not allowed: every vocabulary has an unknown piece")
    names = {"unk": spec.unk_piece, "bos": spec.bos_piece, "eos": spec.eos_piece, "pad": spec.pad_piece or "<pad>" * (spec.pad_id >= 0)}
    ids = {"unk": spec.unk_id, "bos": spec.bos_id, "eos": spec.eos_id, "pad": spec.pad_id}
    if names["pad"] and ids["pad"] < 0:
        shared = [ids[role] for role in ("bos", "eos") if names[role] == names["pad"] and ids[role] >= 0]
        taken = {ids[role] for role in ("unk", "bos", "eos") if names[role]}
        ids["pad"] = shared[0] if shared else min(set(range(4)) - taken)
    roles: dict[str, int] = {}
    fixed: dict[int, str] = {}
    for role, name in names.items():
        roles[role] = ids[role] if name else -1
        if roles[role] >= 0:
            _fix(role, names, roles, fixed)
    numbered = tuple(f"<|reserved_{i}|>" for i in range(spec.reserve + spec.pad_to_multiple - 1))
    control = (*spec.control, *numbered[: spec.reserve])
    layout = Layout(fixed, roles, spec.user_defined, control, numbered[spec.reserve :])
    _check_unique(layout)
    return layout


def _fix(role: str, names: dict[str, str], roles: dict[str, int], fixed: dict[int, str]) -> None:
    """Put a role's piece at its id, which it may share with another role of the same name."""
    name, id = names[role], roles[role]
    for other, other_id in roles.items():
        if other == role or other_id < 0:
            continue
        if (names[other] == name) != (other_id == id):
            raise SpecError(
                Option(f"{other}_piece", names[other]),
                " has ",
                Option(f"{other}_id", other_id),
                " and ",
                Option(f"{role}_piece", name),
                " has ",
                Option(f"{role}_id", id),
                ": one piece has one id; give both roles the same name and id, or two names and two ids",
            )
        if other_id == id and "unk" in (role, other):
            rule = " too, which must be a piece of its own: choose another name"
            raise SpecError(Option(f"{role}_piece", name), " is the ", Option("unk_piece"), rule)
    fixed[id] = name


def _check_unique(layout: Layout) -> None:
    """Raise SpecError if a text is given in two places, naming both."""
    origins = dict.fromkeys(BYTE_PIECES, Message("a byte piece"))
    for role, id in layout.roles.items():
        if id >= 0:
            if layout.fixed[id] in BYTE_PIECES:
                raise SpecError(Option(f"{role}_piece", layout.fixed[id]), " is not allowed: it is the name of a byte piece")
            origins[layout.fixed[id]] = Message("the ", Option(f"{role}_piece"))
    user_defined, control, padding = Message(Option("user_defined")), Message(Option("control")), Message("padding")
    for where, texts in ((user_defined, layout.user_defined), (control, layout.control), (padding, layout.padding)):
        for text in texts:
            if text in origins:
                raise SpecError(where, f" holds {text!r}, which is ", origins[text], " already: name each piece once")
            origins[text] = Message("in ", where)
