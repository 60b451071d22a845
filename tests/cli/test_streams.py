"""Where input comes from and results go: closed and full streams, `-`, devices, and names that are an input already."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from piecetokenizer.cli.output import output
from piecetokenizer.threads import MOST_THREADS

SCRIPT = Path(sys.executable).with_name("piecetokenizer")


def shell(command: str, folder: Path) -> tuple[int, str, str]:
    environment = os.environ | {"PATH": f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, check=False, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def folder(tmp_path: Path, model: Path, corpus: Path) -> Path:
    """A folder with m.model and corpus.txt."""
    (tmp_path / "m.model").write_bytes(model.read_bytes())
    return tmp_path


TRAIN = "piecetokenizer train corpus.txt --vocab-size 360 --soft-vocab-limit --reconstruct -q"


@pytest.mark.parametrize(
    "command",
    [
        "piecetokenizer encode -m m.model <&-",
        "piecetokenizer decode -m m.model <&-",
        "piecetokenizer normalize <&-",
        "piecetokenizer count <&-",
        "piecetokenizer train - -o x.model <&-",
        "piecetokenizer encode -m m.model corpus.txt >&-",
        "piecetokenizer info m.model >&-",
        "piecetokenizer check m.model >&-",
        "piecetokenizer train --help >&-",
        "piecetokenizer --version >&-",
        f"{TRAIN} -o - >&-",
        "piecetokenizer encode -m m.model corpus.txt > /dev/full",
        f"{TRAIN} -o - > /dev/full",
    ],
)
def test_a_stream_that_cannot_be_used_is_one_line_of_error(folder, command):
    code, out, err = shell(command, folder)
    assert (code, out) == (2, "")
    *notes, error = err.removesuffix("\n").split("\n")
    assert error.startswith("piecetokenizer: error: ")
    assert all(line.startswith("piecetokenizer: ") for line in notes), err


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "2>/dev/full", "<&- >&- 2>&-"])
def test_a_stream_that_is_not_needed_may_be_closed_or_full(folder, closed):
    code, out, _ = shell(f"{TRAIN.removesuffix(' -q')} -o x.model {closed}", folder)
    assert (code, out) == (0, "")  # what is said to a person does not turn up among the results instead
    assert shell(f"{TRAIN} -o y.model", folder)[0] == 0
    assert (folder / "x.model").read_bytes() == (folder / "y.model").read_bytes()


@pytest.mark.parametrize(
    "command", [f"{TRAIN} -o {{}}", "piecetokenizer edit m.model --control '<new>' -o {}", "piecetokenizer import m.model -o {}"]
)
@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_a_model_can_go_to_standard_output(folder, command, name):
    assert shell(command.format("x.model"), folder)[0] == 0
    code, out, _ = shell(f"{command.format(name)} | cat", folder)
    assert code == 0
    assert out == (folder / "x.model").read_text(encoding="utf-8")
    assert not (folder / "-").exists()


def test_lines_can_go_to_a_device_that_is_a_pipe(folder):
    expected = shell("piecetokenizer encode -m m.model corpus.txt", folder)
    assert expected[1]
    assert shell("piecetokenizer encode -m m.model corpus.txt -o /dev/stdout | cat", folder) == expected


@pytest.mark.parametrize("to", ["gguf", "sentencepiece", "huggingface"])
def test_an_export_does_not_go_to_a_file_called_minus(cli, model, tmp_path, monkeypatch, to):
    monkeypatch.chdir(tmp_path)
    assert "not to standard output" in cli("export", model, "--to", to, "-o", "-").error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "corpus.txt", "-o", "corpus.txt"],
        ["train", "corpus.txt", "-o", "./corpus.txt"],
        ["train", "corpus.txt", "-o", "link"],
        ["train", "m.model", "--charsmap", "corpus.txt", "-o", "corpus.txt"],
        ["encode", "-m", "m.model", "corpus.txt", "-o", "corpus.txt"],
        ["encode", "-m", "m.model", "corpus.txt", "-o", "m.model"],
        ["decode", "-m", "m.model", "corpus.txt", "-o", "corpus.txt"],
        ["normalize", "m.model", "corpus.txt", "-o", "corpus.txt"],
        ["pretokenize", "corpus.txt", "-o", "corpus.txt"],
        ["count", "corpus.txt", "-o", "corpus.txt"],
        ["edit", "m.model", "-o", "x.model", "--id-map", "m.model"],
        ["edit", "m.model", "-o", "corpus.txt", "--chat-template", "corpus.txt"],
        ["import", "m.model", "-o", "m.model"],
        ["export", "m.model", "--to", "gguf", "-o", "m.model"],
        ["export", "m.model", "--to", "gguf", "-o", "corpus.txt", "--verify", "corpus.txt"],
    ],
)
def test_an_input_is_never_overwritten(cli, folder, monkeypatch, arguments):
    monkeypatch.chdir(folder)
    (folder / "link").symlink_to("corpus.txt")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "would be written over" in cli(*arguments).error
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_model_may_be_edited_in_place(cli, folder):
    path = folder / "m.model"
    assert cli("edit", path, "-o", path, "--control", "<new>").code == 0
    assert "<new>" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("names", [("x", "x", "y"), ("x", "y", "y"), ("x", "y", "x"), ("-", "-", "y")])
def test_the_results_of_an_edit_do_not_overwrite_each_other(cli, folder, monkeypatch, names):
    monkeypatch.chdir(folder)
    output, ids, merged = names
    result = cli("edit", "m.model", "--merge", "m.model", "-o", output, "--id-map", ids, "--merged-id-map", merged)
    assert "different places" in result.error
    assert not (folder / "x").exists()


@pytest.mark.parametrize("command", ["train", "count", "encode"])
def test_threads_have_a_limit(cli, folder, command):
    options = {"train": ["-o", folder / "x.model"], "count": [], "encode": ["-m", folder / "m.model"]}[command]
    error = cli(command, folder / "corpus.txt", *options, "--threads", 10**9).error
    assert "threads" in error
    assert str(MOST_THREADS) in error


def test_a_file_larger_than_what_sets_out_for_the_disk_at_once(tmp_path):
    parts = [bytes([number]) * 999_999 for number in range(11)]
    with output(str(tmp_path / "large")) as file:
        for part in parts:
            file.write(part)
        file.seek(0)
        file.write(b"begin")
    assert (tmp_path / "large").read_bytes() == b"begin" + b"".join(parts)[5:]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_system_that_takes_no_advice(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "posix_fadvise", refuse, raising=False)
    monkeypatch.setattr(os, "POSIX_FADV_DONTNEED", 4, raising=False)
    with output(str(tmp_path / "large")) as file:
        file.write(bytes(5_000_000))
    assert (tmp_path / "large").stat().st_size == 5_000_000
