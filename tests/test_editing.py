"""Editing: the new model, where each id went, and that everything which is not edited still means the same."""

import doctest
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.small_models import FIRST, FIRST_BYTE, small_model

from piecetokenizer.checking import check
from piecetokenizer.editing import Edit, add_tokens, merge, remove, rename, retype, set_roles, truncate
from piecetokenizer.errors import IdError, ModelError, SpecError
from piecetokenizer.model import Model, PieceType
from piecetokenizer.spec import TokenizerSpec
from piecetokenizer.tokenizer import Tokenizer
from piecetokenizer.train import train

SYLLABLES = ["the", "re", "an", "in", "on", "at", "er", "st", "le", "qu", "mo", "ta", "ka", "ne"]
OTHERS = ["你好", "好", "naïve", "café", "12", "123", "don't"]


def corpus(seed: int = 1, lines: int = 300) -> list[str]:
    """Lines of words and a few other things."""
    draw = random.Random(seed)
    words = ["".join(draw.choice(SYLLABLES) for _ in range(draw.randrange(1, 5))) for _ in range(120)] + OTHERS
    return [" ".join(draw.choice(words) for _ in range(draw.randrange(1, 9))) for _ in range(lines)]


def trained(size: int, **options: Any) -> Model:
    return train(iter(corpus()), vocab_size=size, **{"reconstruct": True} | options)


def ranks(model: Model) -> list[float]:
    """The scores of NORMAL pieces in the order of ids."""
    found: list[float] = model.scores[model.types == PieceType.NORMAL].tolist()
    return found


def follows(edit: Edit) -> None:
    """The id map says the truth of all that was not edited, and the result is a sound model."""
    assert len(edit.id_map) == len(edit.before)
    kept = [new for new in edit.id_map.tolist() if new >= 0]
    assert len(set(kept)) == len(kept)
    assert ranks(edit.model) == [-float(rank) for rank in range(len(ranks(edit.model)))]
    assert check(edit.model).bad_parts == ()
    assert Model.loads(edit.model.dumps()) == edit.model


# ---- adding


def test_added_tokens_come_last() -> None:
    model = trained(320)
    edit = add_tokens(model, control=["<|user|>", "<|end of turn|>"], user_defined=["New York", "\n\n"])
    follows(edit)
    assert edit.model.texts == (*model.texts, "<|user|>", "<|end of turn|>", "New York", "\n\n")
    assert edit.model.types[-4:].tolist() == [3, 3, 4, 4]
    assert edit.id_map.tolist() == list(range(320))
    assert edit.model.parts[:320] == model.parts
    assert edit.model.tokenizer == model.tokenizer
    assert edit.lost == ()
    for line in corpus(2, 50):
        assert Tokenizer(edit.model).encode(line) == Tokenizer(model).encode(line)
    assert model.add_tokens(control=["<|user|>"]).model.texts[-1] == "<|user|>"


def test_added_symbols_can_hide_pieces() -> None:
    model = small_model([" a", "ab", "abc", "cab", "x"])
    edit = add_tokens(model, user_defined=["bc"])
    assert [(piece.text, piece.reason) for piece in edit.lost] == [("abc", "user-defined")]


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ({"control": ["<s>"]}, "is piece 1 already, of type control: there is nothing to add"),
        ({"user_defined": ["<s>"]}, "is piece 1 already, of type control: retype that one instead"),
        ({"user_defined": ["<0x41>"]}, "of type byte"),
        ({"control": ["x", "x"]}, "twice"),
        ({"control": ["x"], "user_defined": ["x"]}, "twice"),
        ({"control": [""]}, "not empty"),
        ({"control": ["\ud800"]}, "lone surrogate"),
        ({"control": [7]}, "is a string"),
        ({"control": ["x" * 65536]}, "at most 65535"),
    ],
)
def test_tokens_that_cannot_be_added(tokens: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        add_tokens(small_model(["a"]), **tokens)


# ---- retyping and renaming


def test_retyped_pieces_stand_for_the_same_text() -> None:
    model = small_model(["ab", " ab", "a", "b", " "], control=["<x y>"])
    space_ab = model.id_of("▁ab")
    assert space_ab is not None
    edit = retype(model, {"▁ab": PieceType.USER_DEFINED, "<x y>": PieceType.NORMAL})
    assert edit.model[space_ab].text == " ab"
    assert edit.model[space_ab].type == PieceType.USER_DEFINED
    assert edit.model[space_ab].score == 0
    assert edit.id_map.tolist() == list(range(len(model)))
    new = edit.model[FIRST]
    assert (new.text, new.type) == ("<x▁y>", PieceType.NORMAL)
    assert new.score < min(score for score in ranks(edit.model) if score != new.score)
    assert Tokenizer(edit.model).decode([space_ab]) == Tokenizer(model).decode([space_ab]) == " ab"


def test_a_last_piece_becomes_normal_in_rank() -> None:
    edit = retype(add_tokens(small_model(["ab", "a", "b"]), control=["abb"]).model, {"abb": 1})
    follows(edit)
    assert Tokenizer(edit.model).encode("abb") == [len(edit.model) - 1]


def test_what_cannot_be_retyped() -> None:
    model = small_model(["a"], control=["<▁>", "ab"], user=["a "])
    for types, message in (
        ({"<▁>": 1}, "literal ▁"),
        ({"a": 7}, "types go from 1"),
        ({"a": "normal"}, "types go from 1"),
        ({"<0x41>": 4}, "byte pieces are missing"),
        ({"<unk>": 3}, "exactly one"),
        ({"a": 2}, "exactly one"),
        ({"a": 6}, "no byte"),
        ({"<s>": 1}, "ordinary text"),
        ({"zz": 1}, "no piece 'zz'"),
    ):
        with pytest.raises(ModelError, match=message):
            retype(model, types)  # type: ignore[arg-type]
    for key in (-1, len(model), True):
        with pytest.raises(IdError, match="not in the vocabulary"):
            retype(model, {key: 3})


def test_renamed_pieces() -> None:
    model = small_model(["ab", "abc", "a", "b", "c"], control=["<x>", "<y>"]).replace(parts=None)
    edit = rename(model, {"<x>": "<y>", "<y>": "<x>", 0: "[unk]"})
    follows(edit)
    assert edit.model.texts[FIRST : FIRST + 2] == ("<y>", "<x>")
    assert edit.model.texts[0] == "[unk]"
    assert edit.lost == ()
    edit = rename(model, {"ab": "xb"})
    assert [(piece.text, piece.reason, piece.symbols) for piece in edit.lost] == [("abc", "merges", ("a", "b", "c"))]
    refused = {"<x>": ("<y>", "same text"), "ab": ("a b", "write ▁"), "a": ("", "not empty"), "<0x00>": ("x", "no byte")}
    for key, (text, message) in refused.items():
        with pytest.raises(ModelError, match=message):
            rename(model, {key: text})


def test_parts_that_are_gone_are_forgotten() -> None:
    model = trained(330)
    merged = [piece for piece in model if piece.parts and len(piece.parts[0]) > 1]
    victim = merged[0].parts[0]  # type: ignore[index]
    for edit in (remove(model, [victim]), rename(model, {victim: "zzz"}), retype(model, {victim: PieceType.UNUSED})):
        piece = edit.model[int(edit.id_map[merged[0].id])]
        assert piece.text == merged[0].text
        assert piece.parts is None
        assert check(edit.model).bad_parts == ()


# ---- removing and truncating


def test_removed_pieces_and_moved_roles() -> None:
    model = small_model(["ab", "a", "b"], control=["<x>", "<y>"], tokenizer={"eot_id": FIRST + 1, "suppressed": (FIRST, FIRST + 1)})
    edit = remove(model, ["<x>", "a"])
    follows(edit)
    assert edit.model.texts == tuple(text for text in model.texts if text not in ("<x>", "a"))
    assert edit.id_map[FIRST] == -1
    assert edit.id_map.tolist() == [edit.model.id_of(text) if edit.model.id_of(text) is not None else -1 for text in model.texts]
    assert edit.model.tokenizer.eot_id == FIRST
    assert edit.model.tokenizer.suppressed == (FIRST,)
    assert remove(model, []).model == model
    for key, message in (("<y>", "it is the eot piece"), (1, "it is the bos piece"), ("<0x41>", "byte pieces are missing")):
        with pytest.raises(ModelError, match=message):
            remove(model, [key])
    assert set_roles(model, eot=None).model.remove(["<y>"]).model.tokenizer.eot_id == -1


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"control": ("<|a|>", "<|b|>"), "user_defined": ("the", "\n"), "pad_piece": "<pad>", "reserve": 3},
        {"split": "isolate", "digit": "split", "cn": "char"},
        {"split": "none", "normalization": "nfkc", "reconstruct": False, "spaces": "run"},
        {"pad_to_multiple": 64, "control": ("<|a|>",)},
        {"unk_id": 3, "bos_id": 0, "eos_id": 1, "pad_id": 2, "character_coverage": 0.99},
    ],
)
def test_a_ladder_of_sizes_is_what_training_gives(options: Any) -> None:
    """32k -> 16k -> 8k in small: each rung, from the top and from the rung before, is the very model of its own training."""
    top, middle, bottom = 360, 332, 310
    models = {size: trained(size, **options) for size in (top, middle, bottom)}
    down = truncate(models[top], middle)
    assert down.model == models[middle]
    assert truncate(models[top], bottom).model == models[bottom]
    further = truncate(down.model, bottom)
    assert further.model == models[bottom]
    assert down.then(further).id_map.tolist() == truncate(models[top], bottom).id_map.tolist()
    for old, new in enumerate(down.id_map.tolist()):
        assert new == -1 or models[top].texts[old] == down.model.texts[new]
    assert down.lost == ()
    follows(down)


def test_sizes_that_cannot_be() -> None:
    model = trained(330)
    least = 330 - sum(1 for piece in model if piece.type == PieceType.NORMAL and len(piece.text) > 1)
    assert len(truncate(model, least).model) == least
    assert truncate(model, 330).model == model
    for size in (least - 1, 331, -1, True, 320.0, "320"):
        with pytest.raises(ModelError, match=f"always stay; choose {least} to 330"):
            truncate(model, size)  # type: ignore[arg-type]


# ---- merging two models


def test_merged_models() -> None:
    first = small_model(["ab", "a", "b"], control=["<x>"])
    second = small_model(["bc", "ab", "bcd", "b", "c", "d"], control=["<x>", "<z>"], user=["<y>"])
    edit = merge(first, second)
    follows(edit)
    size = len(first)
    assert edit.model.texts == (*first.texts, "<z>", "<y>", "bc", "bcd", "c", "d")
    assert edit.id_map.tolist() == list(range(size))
    (other,) = edit.other_maps
    assert other[0] == 0
    assert other[FIRST_BYTE + 7] == FIRST_BYTE + 7
    assert [edit.model.texts[id] for id in other.tolist()] == list(second.texts)
    assert edit.lost == ()
    assert Tokenizer(edit.model).encode("abcd") == [first.id_of("ab"), edit.model.id_of("c"), edit.model.id_of("d")]
    assert Tokenizer(edit.model).encode("xbcd")[1:] == [edit.model.id_of("bcd")]


def test_merging_names_what_the_first_model_takes_apart() -> None:
    first, second = small_model(["ab", "a", "b"]), small_model(["bc", "bcc", "abcc", "a", "b", "c"])
    assert check(second).unreachable == ()
    edit = merge(first, second)
    assert [(piece.text, piece.reason, piece.symbols) for piece in edit.lost] == [("abcc", "merges", ("ab", "c", "c"))]


def test_merged_trained_models_encode_the_text_of_the_first_as_before_where_it_suffices() -> None:
    first, second = trained(320), train(iter(["qu que quel quelle"] * 50), vocab_size=268, reconstruct=True)
    edit = merge(first, second)
    follows(edit)
    assert edit.model.texts[:320] == first.texts
    assert Tokenizer(edit.model).decode(Tokenizer(edit.model).encode("quelle the")) == "quelle the"
    assert len(Tokenizer(edit.model).encode("quelle")) < len(Tokenizer(first).encode("quelle"))
    spaced = second.replace(
        pretokenizer=second.pretokenizer.replace(space="_"), texts=[text.replace("▁", "_") for text in second.texts], parts=None
    )
    assert merge(first, spaced).model.texts == edit.model.texts


# ---- roles, maps, imported models


def test_roles() -> None:
    model = small_model(["a"], control=["<|end|>"], tokenizer={"add_bos": True})
    edit = set_roles(model, eot="<|end|>", pad=FIRST, bos=None)
    assert (edit.model.tokenizer.eot_id, edit.model.tokenizer.pad_id, edit.model.tokenizer.bos_id) == (FIRST, FIRST, -1)
    assert not edit.model.tokenizer.add_bos
    assert edit.id_map.tolist() == list(range(len(model)))
    with pytest.raises(SpecError, match="one of unk, bos"):
        set_roles(model, stop="a")
    with pytest.raises(ModelError, match="ordinary text"):
        set_roles(model, eot="a")
    with pytest.raises(ModelError, match="unk_id"):
        set_roles(model, unk=None)


def test_edits_one_after_the_other() -> None:
    model = small_model(["ab", "a", "b"], control=["<x>"])
    first = add_tokens(model, control=["<y>"])
    second = remove(first.model, ["<x>", "ab"])
    third = merge(second.model, small_model(["q"]))
    fourth = remove(third.model, ["q"])
    whole = first.then(second).then(third).then(fourth)
    assert whole.before is model
    assert whole.model is fourth.model
    assert [whole.model.texts[id] if id >= 0 else None for id in whole.id_map.tolist()] == [
        None if text in ("<x>", "ab") else text for text in model.texts
    ]
    assert whole.other_maps[0][-1] == -1
    assert whole.id_map_tsv().splitlines()[FIRST - 1 :] == ["258\t258", "259\t-1", "260\t-1", "261\t259", "262\t260"]


def test_scores_of_imported_models_stay() -> None:
    texts = ["a", "b", "ab", "<unk>"]
    model = small_model(["x"]).replace(
        texts=texts, scores=[-3.5, -4.5, -1.25, 0.0], types=[1, 1, 1, 2], parts=None, tokenizer=TokenizerSpec(semantics="llama", unk_id=3)
    )
    assert remove(model, ["a"]).model.scores.tolist() == [-4.5, -1.25, 0.0]
    assert add_tokens(model, control=["c"]).model.scores.tolist() == [-3.5, -4.5, -1.25, 0.0, 0.0]
    assert merge(model, small_model(["b", "q", "r"])).model.scores.tolist()[-2:] == [-5.5, -6.5]


@settings(max_examples=60)
@given(st.data())
def test_any_edits_keep_a_model_valid_and_its_map_true(data: Any) -> None:
    model = small_model(["ab", "bc", "abc", " a", "a", "b", "c"], control=["<x>", "<y>"], user=["zz"])
    edit = Edit(model, model, np.arange(len(model)))
    for _ in range(data.draw(st.integers(1, 4))):
        now = edit.model
        key = data.draw(st.integers(FIRST, len(now) - 1)) if len(now) > FIRST else 0
        kind = data.draw(st.sampled_from(["add", "retype", "rename", "remove"]))
        try:
            if kind == "add":
                step = add_tokens(now, control=[data.draw(st.text("xyz \\\t", min_size=1, max_size=3))])
            elif kind == "retype":
                step = retype(now, {key: data.draw(st.sampled_from([1, 3, 4, 5]))})
            elif kind == "rename":
                step = rename(now, {key: data.draw(st.text("abc▁", min_size=1, max_size=3))})
            else:
                step = remove(now, [key])
        except ModelError:  # one that the rules do not allow
            continue
        edit = edit.then(step)
    assert Model.loads(edit.model.dumps()) == edit.model
    assert check(edit.model).bad_parts == ()
    kept = [new for new in edit.id_map.tolist() if new >= 0]
    assert sorted(set(kept)) == sorted(kept)
    tokenizer = Tokenizer(edit.model)
    lost = {piece.id for piece in edit.lost}
    for id in (edit.model.types == PieceType.NORMAL).nonzero()[0].tolist():
        assert (tokenizer.encode(edit.model.texts[id].replace("▁", " ")) == [id]) == (id not in lost)


def test_the_documentation(root: Path) -> None:
    failed, run = doctest.testfile(str(root / "docs" / "editing.md"), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert run > 15


def test_one_text_is_not_a_list_of_its_letters() -> None:
    model = train(iter(["a cat sat, a hat"] * 3), vocab_size=272, reconstruct=True)
    for edit in (lambda: model.add_tokens(control="xyz"), lambda: model.add_tokens(user_defined="xyz"), lambda: model.remove("at")):
        with pytest.raises(ModelError, match="is expected: write \\['"):
            edit()
