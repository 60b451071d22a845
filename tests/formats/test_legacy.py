"""Text models of the C++ PieceTokenizer: what is taken, and what is refused with the reason."""

from pathlib import Path

import pytest

from piecetokenizer import Tokenizer, formats
from piecetokenizer.errors import FormatError

PIECES = [
    ("<unk>", "0", 2, "", ""),
    ("<s>", "0", 3, "", ""),
    ("</s>", "0", 3, "", ""),
    *((f"<0x{byte:02X}>", "0", 6, "", "") for byte in range(256)),
    ("th", "0", 1, "t", "h"),
    ("▁th", "-1", 1, "▁", "th"),
    ("\\x5C", "-2", 1, "", ""),
    ("t", "-3", 1, "", ""),
    ("h", "-4", 1, "", ""),
    ("▁", "-5.5", 1, "", ""),
    ("<pad>", "0", 3, "", ""),
]


COUNTER = "method=sentencepiece\nunk_id=0\nbos_id=1\neos_id=2\npad_id=265"
SPEC = "name=no\nspace=▁\ncut=1\nreconstruct=1\nsplit_digits=0"


def write(
    path: Path,
    *,
    head: str = "[PreTokenizerSpec]",
    counter: str = COUNTER,
    spec: str = SPEC,
    size: int | None = None,
    rows: list[str] | None = None,
) -> Path:
    rows = [f"{id}\t" + "\t".join(map(str, row)) for id, row in enumerate(PIECES)] if rows is None else rows
    text = f"[CounterSpec]\n{counter}\n\n{head}\n{spec}\n\n[Pieces]\nsize={len(rows) if size is None else size}\n" + "\n".join(rows) + "\n"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("head", ["[PreTokenizerSpec]", "[NormalizerSpec]"])
def test_cut_1_is_isolate(head: str, tmp_path: Path) -> None:
    model = formats.load(write(tmp_path / "m", head=head))
    assert (model.pretokenizer.split, model.pretokenizer.digit, model.pretokenizer.reconstruct) == ("isolate", "keep", True)
    assert model.texts[259:] == ("th", "▁th", "\\", "t", "h", "▁", "<pad>")
    assert model.scores[259:].tolist() == [0, -1, -2, -3, -4, -5.5, 0]
    assert model.parts[259] == ("t", "h")
    assert (model.tokenizer.unk_id, model.tokenizer.bos_id, model.tokenizer.eos_id, model.tokenizer.pad_id) == (0, 1, 2, 265)
    assert model.tokenizer.semantics == "native"
    # A space stands alone under isolate, so `▁th` never comes out.
    assert Tokenizer(model).encode(" th\\", out="pieces") == ["▁", "th", "\\"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("name=NFKC\ncut=1", ("nfkc", False, "keep")),
        ("name=NMT_NFKC_CF\ncut=1\nsplit_digits=1", ("nmt_nfkc_cf", False, "split")),
        ("name=\ncut=1\nreconstruct=1", ("none", True, "keep")),
    ],
)
def test_options(spec: str, expected: tuple[str, bool, str], tmp_path: Path) -> None:
    found = formats.load(write(tmp_path / "m", spec=spec)).pretokenizer
    assert (found.normalization, found.reconstruct, found.digit) == expected


def test_another_mark_for_the_space(tmp_path: Path) -> None:
    rows = [f"{id}\t" + "\t".join(map(str, row)).replace("▁", "_") for id, row in enumerate(PIECES)]
    model = formats.load(write(tmp_path / "m", spec="name=no\nspace=_\ncut=1\nreconstruct=1", rows=rows))
    assert model.texts[260] == "▁th"
    assert model.parts[260] == ("▁", "th")


def test_cut_0_is_refused_unless_asked_for_as_word(tmp_path: Path) -> None:
    write(tmp_path / "m", spec="name=no\ncut=0\nreconstruct=1")
    with pytest.raises(FormatError, match=r"cut=0 attaches one punctuation mark to a following word, a rule .* say --as word"):
        formats.load(tmp_path / "m")
    model = formats.load(tmp_path / "m", as_="word")
    assert model.pretokenizer.split == "word"
    assert Tokenizer(model).encode(" th", out="pieces") == ["▁th"]
    with pytest.raises(FormatError, match="as_='isolate' is not allowed: it is 'word'"):
        formats.load(tmp_path / "m", as_="isolate")
    model.save(tmp_path / "native")
    with pytest.raises(FormatError, match=r"it is 'word', for models of the C\+\+ PieceTokenizer with cut=0"):
        formats.load(tmp_path / "native", as_="word")
    assert formats.load(tmp_path / "native") == model


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"counter": "method=bytepiece"}, "method='bytepiece' cannot be imported, it is a method of that tool that is not a BPE with byte"),
        ({"counter": "method=magic"}, "method='magic' cannot be imported, it is not known"),
        ({"counter": "vocab_size=3"}, "method='' cannot be imported"),
        ({"counter": "method=sentencepiece\nnonsense"}, ":3: 'nonsense' is not key=value"),
        ({"counter": "method=sentencepiece\nunk_id=x"}, "unk_id is 'x', expected a whole number"),
        ({"counter": "method=sentencepiece\nunk_id=-1"}, "unk_id=-1 is not the piece of type unknown"),
        ({"spec": "name=NFD\ncut=1"}, "name='NFD' is not a normalization that is known"),
        ({"spec": "name=no\ncut=2"}, "cut='2' is not known: it is 0 or 1"),
        ({"spec": "name=no\ncut=1\nreconstruct=yes"}, "reconstruct='yes' is not known: it is 0 or 1"),
        ({"head": "[Strange]"}, "[Strange] is not a section of such a model"),
        ({"size": 1 << 60}, "[Pieces] has 266 pieces and says size=1152921504606846976: the file is cut off or damaged"),
        ({"rows": []}, "a vocabulary of 0 pieces is not possible"),
        ({"rows": ["0\t<unk>\t0\t2\t\t", "7\ta\t0\t1\t\t"]}, "the id is '7', expected 1"),
        ({"rows": ["0\t<unk>\tnothing\t2"]}, "the score is 'nothing', expected a number"),
        ({"rows": ["0\t<unk>\tnan\t2"]}, "has score nan"),
        ({"rows": ["0\t<unk>\t0\t9"]}, "has type 9"),
        ({"rows": ["0\t<unk>\t0"]}, "3 columns: a piece has id, text, score and type"),
        ({"rows": ["0\t<unk>\t0\t2"]}, "of the 256 byte pieces are missing"),
    ],
)
def test_what_is_wrong_is_said(changes: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        formats.load(write(tmp_path / "m", **changes))  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert str(tmp_path / "m") in str(caught.value)
    assert "\n" not in str(caught.value)
