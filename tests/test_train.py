"""train: the same model from the same texts whatever the way they come, every option where it belongs, every bad input answered."""

import itertools
import logging
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from piecetokenizer import Model, PieceType, train
from piecetokenizer.errors import InputError, PieceTokenizerError, SpecError
from piecetokenizer.normalize import Charsmap
from piecetokenizer.progress import Bars
from piecetokenizer.train import TrainReport

TEXT = (
    "we sow and reap what was sown when winter is over but then thaw comes with swollen rivers mud on every lane blackbirds quarrel "
    "about fat juicy worms children zigzag between puddles until evening keeps them indoors"
)
WORDS = TEXT.split()


def lines(many: int = 400, seed: int = 5) -> list[str]:
    """Generated text: words with a skewed frequency."""
    rng = random.Random(seed)
    return [" ".join(WORDS[min(rng.randrange(len(WORDS)), rng.randrange(len(WORDS)))] for _ in range(12)) for _ in range(many)]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines()) + "\n")
    return path


def test_pieces_are_learned() -> None:
    model = train(iter(["we sow and we reap"] * 3), vocab_size=273)
    assert len(model) == 273
    texts = [piece.text for piece in model if piece.type == PieceType.NORMAL]
    # (w, e) occurs twice in the text, all other pairs once; of equal ones the fewer characters, then the smaller string.
    assert texts[:4] == ["we", "an", "ap", "ow"]
    assert (model.tokenizer.unk_id, model.tokenizer.bos_id, model.tokenizer.eos_id, model.tokenizer.pad_id) == (0, 1, 2, -1)


def test_ways_to_give_a_corpus(corpus: Path) -> None:
    expected = train(corpus, vocab_size=320).dumps()
    assert train(str(corpus), vocab_size=320).dumps() == expected
    assert train([corpus], vocab_size=320).dumps() == expected
    assert train((line for line in lines()), vocab_size=320).dumps() == expected
    assert train([corpus, str(corpus)], vocab_size=320).texts == Model.loads(expected).texts


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_and_order_decide_nothing(tmp_path: Path, threads: int) -> None:
    # Every line also backwards, so that ties abound.
    texts = lines() + [line[::-1] for line in lines()]
    expected = train(iter(texts), vocab_size=400, threads=1).dumps()
    random.Random(threads).shuffle(texts)
    for name, part in (("a", texts[:100]), ("b", texts[100:])):
        (tmp_path / name).write_text("\n".join(part))
    assert train([tmp_path / "b", tmp_path / "a"], vocab_size=400, threads=threads).dumps() == expected


@pytest.mark.parametrize("seed", ["0", "1"])
def test_hash_seed_decides_nothing(corpus: Path, tmp_path: Path, seed: str) -> None:
    program = (
        "import sys, piecetokenizer; piecetokenizer.train(sys.argv[1], vocab_size=350, user_defined=['was', 'en', 'q']).save(sys.argv[2])"
    )
    out = tmp_path / "out.model"
    subprocess.run([sys.executable, "-c", program, corpus, out], env=os.environ | {"PYTHONHASHSEED": seed}, check=True, cwd=tmp_path)
    assert out.read_bytes() == train(corpus, vocab_size=350, user_defined=["was", "en", "q"]).dumps()


def test_options_reach_their_specs() -> None:
    options: dict[str, Any] = {
        "vocab_size": 300, "soft_vocab_limit": True, "character_coverage": 1.0, "min_count": 2, "max_piece_size": 16,
        "pad_piece": "<pad>", "pad_id": 3, "control": ["<sep>"], "user_defined": ("sow and",), "reserve": 2, "required_chars": "xyz",
        "reconstruct": True, "split": "isolate", "digit": "split", "cn": "char", "spaces": "run", "add_bos": True, "add_eos": True,
    }  # fmt: skip
    model = train(iter(lines()), **options)
    for name, value in options.items():
        spec = next(spec for spec in (model.counter, model.pretokenizer, model.tokenizer) if hasattr(spec, name))
        assert getattr(spec, name) == (tuple(value) if isinstance(value, list) else value)
    assert model.tokenizer.pad_id == 3
    assert {piece.text for piece in model if piece.type == PieceType.USER_DEFINED} == {"sow and"}
    assert model == Model.loads(model.dumps())


def test_no_option_has_that_name() -> None:
    with pytest.raises(SpecError, match="there is no option 'vocabsize'; did you mean vocab_size"):
        train(iter(["a"]), vocabsize=300)
    for name in ("method", "prefix", "cn_dict", "unk", "qqqq"):
        with pytest.raises(SpecError, match=f"there is no option '{name}'"):
            train(iter(["a"]), **{name: "none"})


def test_dict_no() -> None:
    spec = train(iter(lines()), vocab_size=300, dict="no").pretokenizer
    assert (spec.cn, spec.split, spec.digit) == ("char", "isolate", "split")
    spec = train(iter(lines()), vocab_size=300, dict="no", split="space", digit="keep").pretokenizer
    assert (spec.cn, spec.split, spec.digit) == ("char", "space", "keep")


def test_dictionaries(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("你好\t10\n世界\t10\n")
    text = ["他说你好世界"] * 9
    report = TrainReport()
    model = train(iter(text), vocab_size=280, dict=path, soft_vocab_limit=True, report=report)
    assert "dictionary: own.txt: 2 entries, 2 words used; left out: 0 not wholly Han, 0 repeated" in str(report)
    assert model.pretokenizer.cn_dict.startswith("own.txt,2,")
    assert {"你好", "世界"} <= set(model.texts)
    assert "好世" not in model.texts
    with pytest.raises(SpecError, match=r"cn='char' and dict='zh' contradict"):
        train(iter(text), dict="zh", cn="char")
    with pytest.raises(SpecError, match=r"cn='dict' needs a dictionary: dict='zh'"):
        train(iter(text), cn="dict")
    with pytest.raises(PieceTokenizerError, match="missing"):
        train(iter(text), dict=tmp_path / "missing")


def test_charsmaps(tmp_path: Path) -> None:
    rules = {"q": "k", "…": "..."}
    charsmap = Charsmap.from_rules(rules)
    path = tmp_path / "rules.tsv"
    path.write_text("71\t6B\n2026\t2E 2E 2E\n")
    model = train(iter(["q…"] * 3), vocab_size=270, charsmap=charsmap, soft_vocab_limit=True)
    assert model.charsmap_rules == rules
    assert "q" not in model.texts
    assert train(iter(["q…"] * 3), vocab_size=270, charsmap=path, normalization="custom", soft_vocab_limit=True) == model
    with pytest.raises(SpecError, match="normalization='nfkc' and charsmap contradict"):
        train(iter(["q"]), charsmap=path, normalization="nfkc")
    with pytest.raises(SpecError, match="normalization='custom' needs charsmap: a TSV"):
        train(iter(["q"]), normalization="custom")


def test_user_defined_symbols_cut_the_corpus() -> None:
    model = train(iter(["x New York y"] * 5), vocab_size=270, user_defined=["New York"], soft_vocab_limit=True)
    assert "New York" in model.texts
    assert not any("N" in piece.text or "k" in piece.text for piece in model if piece.type == PieceType.NORMAL)


def test_newlines_are_learned_in_document_mode(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"a\n\nb\n\n" * 20)
    assert "\n\n" in train(path, vocab_size=270, text_unit="file", soft_vocab_limit=True).texts
    assert "\n\n" in train(iter(["a\n\nb\n\n"] * 20), vocab_size=270, soft_vocab_limit=True).texts
    assert "\n\n" not in train(path, vocab_size=270, soft_vocab_limit=True).texts


def test_the_mark_of_broken_input_is_never_learned(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"ab\xffcd ab\xffcd \xef\xbf\xbd\n" * 50)
    report = TrainReport()
    model = train(path, vocab_size=270, soft_vocab_limit=True, report=report)
    assert not any("\ufffd" in text for text in model.texts)
    assert report.scan.invalid_bytes == 100
    with pytest.raises(InputError, match="a, line 1, byte offset 2: byte 0xFF is not valid UTF-8"):
        train(path, vocab_size=270, errors="strict")
    with pytest.raises(InputError, match=r"no text to learn from; .* 50 lines; .*50 lines left out, not valid UTF-8"):
        train(path, vocab_size=270, errors="skip")


def test_nul_and_other_controls_survive(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"a\0b\ta\x0cb\xe2\x80\xa8 a\0b\n" * 50)
    model = train(path, vocab_size=300, character_coverage=1.0, soft_vocab_limit=True)
    assert {"\0", "\t", "\x0c", "\u2028"} <= set(model.texts)
    assert Model.loads(model.dumps()) == model


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"no text to learn from; read: 1 file, 0 bytes, 0 lines$"),
        (b"\n\r\n\n", r"no text to learn from; read: 1 file, 4 bytes, 3 lines; 3 empty lines; 1 carriage return at the end of a line"),
        (b"  \n \n", r"no text to learn from; read: 1 file, 5 bytes, 2 lines; 3 spaces removed"),
        (b"\xef\xbb\xbf", r"no text to learn from; read: 1 file, 3 bytes, 0 lines; 1 byte order mark"),
    ],
)
def test_a_corpus_without_text(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        train(path, vocab_size=300)


def test_an_iterable_without_text() -> None:
    with pytest.raises(InputError, match=r"no text to learn from; read: 0 bytes, 0 texts$"):
        train(iter([]), vocab_size=300)
    with pytest.raises(InputError, match=r"no text to learn from; read: 0 bytes, 2 texts; 2 empty texts$"):
        train(iter(["", ""]), vocab_size=300)
    with pytest.raises(InputError, match=r"no text to learn from; read: 0 bytes, 0 texts$"):
        train([], vocab_size=300)
    with pytest.raises(InputError, match=r"0 texts; a limit of 3 bytes leaves nothing of it$"):
        train(iter(["long text"]), vocab_size=300, limit="3B")


def test_missing_files_before_any_work(corpus: Path, tmp_path: Path) -> None:
    told: list[object] = []
    with pytest.raises(InputError, match="missing': No such file"):
        train([corpus, tmp_path / "missing"], vocab_size=300, progress=lambda *facts: told.append(facts))
    assert told == []


def test_sizes_that_cannot_be() -> None:
    with pytest.raises(SpecError, match="vocab_size=200"):
        train(iter(["a"]), vocab_size=200)
    with pytest.raises(PieceTokenizerError, match="260"):  # 3 special, 256 bytes, a
        train(iter(["a"]), vocab_size=8000)
    notices: list[str] = []
    assert len(train(iter(["a"]), vocab_size=8000, soft_vocab_limit=True, reconstruct=True, notice=notices.append)) == 260
    assert notices == ["260 pieces in place of 8000: no pair is left"]
    assert len(train(iter(["a"]), vocab_size=260)) == 260


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2"])
def test_threads_that_cannot_be(threads: Any) -> None:
    with pytest.raises(SpecError, match=r"threads=.* is not allowed: it is a whole number from 1"):
        train(iter(["a"]), vocab_size=260, threads=threads)


def test_what_rules_out_gguf_is_said_before_reading() -> None:
    said: list[str] = []

    def texts() -> Iterator[str]:
        said.append("reading")
        yield "a"

    train(texts(), vocab_size=260, notice=said.append)
    assert said[0].startswith("these options rule out an exact GGUF export: spaces are merged and trimmed")
    assert said[1] == "reading"
    said.clear()
    train(texts(), vocab_size=260, notice=said.append, reconstruct=True)
    assert said == ["reading"]
    said.clear()
    train(texts(), vocab_size=260, notice=said.append, reconstruct=True, normalization="nfkc")
    assert said == ["these options rule out an exact GGUF export: normalization='nfkc' is not done there", "reading"]
    said.clear()
    train(texts(), vocab_size=260, notice=said.append, reconstruct=True, dict="zh")
    assert said[0].startswith("with these options a GGUF export may not be exact: no dictionary cuts there")
    assert said[0].endswith(" (cn='char' needs none)")


def test_an_option_without_effect_is_said() -> None:
    said: list[str] = []
    train(iter(["a"]), vocab_size=260, spaces="run", notice=said.append)
    assert said[0] == "spaces='run' has no effect without reconstruct: of a run of spaces only one is left"
    said.clear()
    train(iter(["a"]), vocab_size=260, spaces="run", reconstruct=True, notice=said.append)
    assert said == []


def test_losses_are_said_in_any_case(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "piecetokenizer"):
        train(iter(["a  b", "", "a\ud800"]), vocab_size=262, soft_vocab_limit=True, reconstruct=False)
    assert "of the corpus: 1 empty text; 1 lone surrogate read as U+FFFD, which is never learned; 1 space removed" in caplog.messages[-1]


def test_the_report(corpus: Path) -> None:
    report = TrainReport()
    notices: list[str] = []
    model = train(corpus, vocab_size=300, report=report, notice=notices.append, reconstruct=True, character_coverage=0.9, min_count=2)
    assert notices == []  # the losses are in the report
    assert report.pieces == {"normal": 41, "unknown": 1, "control": 2, "byte": 256}
    assert (report.corpus.files, report.corpus.texts, report.scan.segments) == (1, 400, 4800)
    assert set(report.longest) <= set(model.texts)
    text = str(report)
    assert text.startswith(f"read: 1 file, {corpus.stat().st_size:,} bytes, 400 lines\n")
    assert "rare characters (" in text
    assert "counted: 4,800 segments, " in text
    assert "made: 300 pieces: 41 normal, 1 unknown, 2 control, 256 byte" in text
    assert set(report.seconds) == {"read", "merge"}


def test_the_report_of_rewritten_characters() -> None:
    report = TrainReport()
    train(iter(["ﬁ ﬁ ① ﬁ"]), vocab_size=263, normalization="nfkc", soft_vocab_limit=True, report=report, notice=lambda line: None)
    assert "4 characters rewritten by nfkc, most often ﬁ (U+FB01) 3, ① (U+2460) 1" in report.losses()


def test_limits(corpus: Path) -> None:
    assert train(corpus, vocab_size=290, limit=20) == train(iter(lines()[:20]), vocab_size=290)
    size = sum(len(line) + 1 for line in lines()[:20])
    assert train(corpus, vocab_size=290, limit=f"{size}B") == train(iter(lines()[:20]), vocab_size=290)


def test_progress_to_a_function(corpus: Path) -> None:
    told: list[tuple[str, int, int | None, str]] = []
    model = train(corpus, vocab_size=300, progress=lambda *facts: told.append(facts))
    size = corpus.stat().st_size
    assert [phase for phase, _ in itertools.groupby(told, key=lambda facts: facts[0])] == ["read", "merge"]
    assert ("read", size, size, "") in told
    assert told[-1][:2] == ("merge", told[-1][2])
    assert told[-1][3] in model.texts


def test_bars_only_on_a_terminal(corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    train(corpus, vocab_size=300, progress=True, reconstruct=True, character_coverage=1.0)
    assert capfd.readouterr() == ("", "")


def test_bars_on_a_terminal(corpus: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    train(corpus, vocab_size=300, progress=True, reconstruct=True, character_coverage=1.0)
    err = capfd.readouterr().err
    assert "read: 100%" in err
    assert "merge: 100%" in err


def test_a_piece_cannot_command_the_terminal(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Bars() as bars:
        bars("merge", 5, 5, "\x1b[2J\n▁é")
    assert "\\x1b[2J\\n▁é" in capfd.readouterr().err


def test_interrupted_bars_are_closed(corpus: Path) -> None:
    def stop(phase: str, done: int, total: int | None, note: str) -> None:
        if phase == "merge":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(corpus, vocab_size=300, progress=stop)
