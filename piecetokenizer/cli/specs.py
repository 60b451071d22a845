"""The first two stages as the options of a command, or a model, say."""

from collections.abc import Mapping
from typing import Any

import click

from piecetokenizer import Model, Normalizer, PreTokenizer, formats
from piecetokenizer.cli.options import given
from piecetokenizer.cli.output import note
from piecetokenizer.normalize import Charsmap
from piecetokenizer.options import choose
from piecetokenizer.pretokenize import Dictionary

__all__ = ["dictionary_at", "normalizer_for", "stages"]


def normalizer_for(model: str | None, options: Mapping[str, Any]) -> Normalizer:
    """The first stage alone; `options` are under the names of options.normalizer_options."""
    chosen = given(options)
    if model is not None:
        refuse_beside_a_model(chosen)
        return normalizer_of(formats.load(model))
    choices = choose(chosen, dict=None, charsmap=chosen.pop("charsmap", None))
    return Normalizer(choices.pretokenizer, choices.charsmap)


def stages(model: str | None, options: Mapping[str, Any]) -> tuple[Normalizer, PreTokenizer]:
    """Normalizer and PreTokenizer; `options` are under the names of options.pretokenizer_options."""
    chosen = given(options)
    if model is not None:
        return stages_of_model(formats.load(model), chosen)
    dictionary = chosen.pop("dictionary", None)
    if dictionary == "no":  # in `train` and `count` it stands for more
        dictionary = None
        chosen.setdefault("cn", "char")
    choices = choose(chosen, dict=dictionary, charsmap=chosen.pop("charsmap", None))
    for line in choices.idle():
        note(line)
    spec = choices.pretokenizer
    return Normalizer(spec, choices.charsmap), PreTokenizer(spec, choices.dictionary)


def stages_of_model(model: Model, chosen: Mapping[str, Any]) -> tuple[Normalizer, PreTokenizer]:
    """The stages of a model; the only option that goes with one says where its dictionary is."""
    refuse_beside_a_model(chosen, but="dictionary")
    return normalizer_of(model), PreTokenizer(model.pretokenizer, dictionary_at(chosen.get("dictionary")))


def refuse_beside_a_model(chosen: Mapping[str, Any], *, but: str = "") -> None:
    """An option that says what the model says already."""
    for name in chosen:
        if name != but:
            raise click.UsageError(f"--{name} and --model contradict each other; the model says how it is done")


def normalizer_of(model: Model) -> Normalizer:
    """The first stage as a model has it."""
    charsmap = None if model.charsmap is None else Charsmap.from_blob(model.charsmap)
    if model.charsmap_rules is not None:
        charsmap = Charsmap.from_rules(model.charsmap_rules)
    return Normalizer(model.pretokenizer, charsmap)


def dictionary_at(path: str | None) -> Dictionary | None:
    """The dictionary that an option names; None lets a model find the package's own."""
    return None if path is None else Dictionary.load(path)
