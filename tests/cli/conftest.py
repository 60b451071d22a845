"""Runs commands in this process, with bytes for standard input and output, as a shell would see them."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from piecetokenizer.cli import main


@dataclass(frozen=True)
class Result:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def lines(self) -> list[str]:
        """The lines of standard output; only LF ends one."""
        return self.text.removesuffix("\n").split("\n") if self.out else []

    @property
    def error(self) -> str:
        """The one line of an error, without its beginning; fails if this is no error as all should be."""
        assert self.code == 2, (self.code, self.err)
        *_, line = self.err.removesuffix("\n").split("\n")
        assert line.startswith("piecetokenizer: error: "), self.err
        assert "Traceback" not in self.err
        return line.removeprefix("piecetokenizer: error: ")


Cli = Callable[..., Result]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    """cli("encode", "-m", path, input="text") -> Result."""

    def run(*args: object, input: bytes | str = b"") -> Result:
        data = input.encode() if isinstance(input, str) else input
        streams = {name: io.BytesIO() for name in ("stdout", "stderr")}
        with monkeypatch.context() as patch:
            # Latin-1 stands for any locale: what comes out must be UTF-8 all the same.
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "latin-1"))
            for name, stream in streams.items():
                patch.setattr(sys, name, io.TextIOWrapper(stream, "latin-1", write_through=True))
            code = main([str(arg) for arg in args])
            sys.stdout.flush()
            sys.stderr.flush()
            return Result(code, streams["stdout"].getvalue(), streams["stderr"].getvalue().decode())

    return run


CORPUS = "".join(
    f"the cat sat on the mat, {word} the other cat\n  def {word}(self):\n" for word in ["then", "there", "你好", "naïve", "other"] * 8
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A small corpus of a few languages."""
    path = tmp_path / "corpus.txt"
    path.write_text(CORPUS, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model trained on it that keeps every space, with a control token and a user-defined symbol."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "corpus.txt").write_text(CORPUS, encoding="utf-8")
    path = folder / "small.model"
    options = ["--vocab-size", "360", "--soft-vocab-limit", "--reconstruct", "--control", "<sep>", "--user-defined", "New York", "--quiet"]
    assert main(["train", str(folder / "corpus.txt"), "-o", str(path), *options]) == 0
    return path
