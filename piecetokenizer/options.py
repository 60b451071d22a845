"""The options of training, sorted into the specs they belong to.

In: options by name, as `train` and the command line take them.  Out: `Choices`: validated specs, and the dictionary and the charsmap that
go with them.  An option that does not exist is an error that names the nearest one that does.

`dict` is a short way to say more than one thing: "no" is cn=char, isolate and digit split, unless those are chosen otherwise; "zh" or a
path is cn=dict with that dictionary.
"""

import dataclasses
import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from piecetokenizer.errors import SpecError
from piecetokenizer.messages import Message, Option
from piecetokenizer.normalize import Charsmap
from piecetokenizer.pretokenize import Dictionary
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec

__all__ = ["Choices", "choose"]

NO_DICTIONARY = {"cn": "char", "split": "isolate", "digit": "split"}
NOT_CHOSEN = {"method", "prefix", "cn_dict"}
"""Fields that training does not let anyone set: they say what it did, or belong to imported models."""


@dataclass(frozen=True)
class Choices:
    """What a training run is to do."""

    counter: CounterSpec
    pretokenizer: PreTokenizerSpec
    tokenizer: TokenizerSpec
    dictionary: Dictionary | None
    charsmap: Charsmap | None

    def idle(self) -> list[Message]:
        """Options that were chosen and change nothing, a line for each."""
        spec = self.pretokenizer
        if spec.spaces == "each" or spec.reconstruct:
            return []
        chosen, missing = Option("spaces", spec.spaces), Option("reconstruct")
        return [Message(chosen, " has no effect without ", missing, ": of a run of spaces only one is left")]

    def obstacles(self) -> list[Message]:
        """A line if a GGUF file cannot give exactly the same ids, or may not; none if it will, whatever is learned."""
        spec = self.pretokenizer
        certain = []
        if spec.normalization != "none":
            certain.append(Message(Option("normalization", spec.normalization), " is not done there"))
        if not spec.reconstruct:
            certain.append(Message("spaces are merged and trimmed, which is not done there (", Option("reconstruct"), " keeps them)"))
        possible = []
        if spec.cn == "dict":
            shows = "no dictionary cuts there, which shows once a piece has two Han characters side by side ("
            possible.append(Message(shows, Option("cn", "char"), " needs none)"))
        if not certain and not possible:
            return []
        rule = "these options rule out an exact GGUF export: " if certain else "with these options a GGUF export may not be exact: "
        first, *rest = [*certain, *possible]
        return [Message(rule, first, *(part for reason in rest for part in ("; ", reason)))]


def choose(
    options: Mapping[str, Any], *, dict: str | os.PathLike[str] | None, charsmap: Charsmap | str | os.PathLike[str] | None
) -> Choices:
    """Sort and check options.

    >>> choose({"vocab_size": 8000, "split": "isolate"}, dict=None, charsmap=None).counter.vocab_size
    8000
    >>> choose({"vocabsize": 8000}, dict=None, charsmap=None)
    Traceback (most recent call last):
        ...
    piecetokenizer.errors.SpecError: there is no option 'vocabsize'; did you mean vocab_size?
    """
    counter, pretokenizer, tokenizer = _names(CounterSpec), _names(PreTokenizerSpec), {"add_bos", "add_eos"}
    known = (counter | pretokenizer | tokenizer) - NOT_CHOSEN
    chosen: MutableMapping[str, Any] = {}
    for name, value in options.items():
        if name not in known:
            from difflib import get_close_matches  # only for this message

            near = get_close_matches(name, sorted(known), 1)
            raise SpecError(
                f"there is no option {name!r}; " + (f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}")
            )
        chosen[name] = tuple(value) if isinstance(value, list) else value
    dictionary = None
    if dict == "no":
        chosen = {**NO_DICTIONARY, **chosen}
    elif dict is not None:
        if chosen.setdefault("cn", "dict") != "dict":
            raise SpecError(Option("cn", chosen["cn"]), " and ", Option("dict", os.fspath(dict)), " contradict each other; leave one out")
        dictionary = Dictionary.load(os.fspath(dict))
        chosen["cn_dict"] = dictionary.identity
    elif chosen.get("cn") == "dict":
        shipped = Option("dict", "zh")
        raise SpecError(
            Option("cn", "dict"), " needs a dictionary: ", shipped, " is the one that comes with the package, dict=PATH another"
        )
    if charsmap is not None and not isinstance(charsmap, Charsmap):
        charsmap = Charsmap.from_tsv(charsmap)
    if charsmap is not None and chosen.setdefault("normalization", "custom") != "custom":
        other = Option("normalization", chosen["normalization"])
        raise SpecError(other, " and ", Option("charsmap"), " contradict each other; leave one out")
    if charsmap is None and chosen.get("normalization") == "custom":
        raise SpecError(Option("normalization", "custom"), " needs ", Option("charsmap"), ": a TSV file of rules, or a Charsmap")
    return Choices(
        CounterSpec(**{name: chosen[name] for name in counter & chosen.keys()}),
        PreTokenizerSpec(**{name: chosen[name] for name in pretokenizer & chosen.keys()}),
        TokenizerSpec(**{name: chosen[name] for name in tokenizer & chosen.keys()}),
        dictionary,
        charsmap,
    )


def _names(spec: type) -> set[str]:
    return {field.name for field in dataclasses.fields(spec)}
