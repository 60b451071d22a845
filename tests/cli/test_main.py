"""The command as a whole: help, versions, errors, pipes, interruption."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from piecetokenizer.cli.main import COMMANDS

SCRIPT = Path(sys.executable).with_name("piecetokenizer")


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"PATH": f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, check=False, timeout=60)


def test_help_lists_every_command(cli):
    help = cli("--help")
    assert help.code == 0
    assert [name for name in COMMANDS if f"\n  {name} " not in help.text] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_an_example(cli, command):
    help = cli(command, "--help")
    assert help.code == 0
    assert f"piecetokenizer {command}" in help.text.partition("\n")[2]
    assert help.text == cli(command, "-h").text


def test_version(cli):
    assert cli("--version").text.startswith("piecetokenizer 0.")


def test_module_and_script_are_the_same(tmp_path):
    by_module = subprocess.run([sys.executable, "-m", "piecetokenizer", "--help"], cwd=tmp_path, capture_output=True, check=True)
    by_script = subprocess.run([SCRIPT, "--help"], cwd=tmp_path, capture_output=True, check=True)
    assert by_module.stdout == by_script.stdout != b""


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nonsense"], ["nonsense", "piecetokenizer --help"]),
        (["encode", "--nonsense"], ["--nonsense", "piecetokenizer encode --help"]),
        (["encode"], ["--model"]),
        (["encode", "-m", "missing.model"], ["missing.model"]),
        (["encode", "-m", "."], ["."]),
        (["info", "missing.model"], ["missing.model"]),
        (["train", "missing.txt", "-o", "x"], ["missing.txt"]),
        (["train"], ["INPUT"]),
        (["train", "a.txt", "-o", "x", "--split", "words"], ["words", "isolate"]),
        (["decode", "-m", "missing.model", "--special"], ["missing.model"]),
    ],
)
def test_errors_are_one_line(cli, tmp_path, monkeypatch, args, words):
    monkeypatch.chdir(tmp_path)
    result = cli(*args)
    assert [word for word in words if word not in result.error] == []
    assert result.err.count("error") == 1
    assert result.out == b""
    assert os.listdir(tmp_path) == []


def test_a_reader_that_goes_away_ends_it_quietly(model, tmp_path):
    done = shell(f"yes 'the cat' | head -n 300000 | piecetokenizer encode -m {model} | head -n 1; echo ${{PIPESTATUS[2]}}", tmp_path)
    *_, code = done.stdout.split()
    assert (code, done.stderr) == (b"141", b"")


def test_help_into_a_closed_pipe_is_quiet(tmp_path):
    done = shell("piecetokenizer train --help | true; echo ${PIPESTATUS[0]}", tmp_path)
    assert done.stdout.strip() in (b"0", b"141")  # all of it may have fitted into the pipe
    assert done.stderr == b""


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_bytes_are_utf8_whatever_the_locale(model, tmp_path, locale):
    environment = {"LC_ALL": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PATH": os.environ["PATH"]}
    encoded = subprocess.run(
        [SCRIPT, "encode", "-m", model, "--pieces"], input="你好 naïve\n".encode(), env=environment, capture_output=True, check=True
    )
    decoded = subprocess.run(
        [SCRIPT, "decode", "-m", model, "--pieces"], input=encoded.stdout, env=environment, capture_output=True, check=True
    )
    assert "你好" in encoded.stdout.decode()
    assert decoded.stdout.decode() == "你好 naïve\n"


def heed_interrupts():
    """A shell lets its background jobs, and all that they start, ignore Ctrl-C; these are to heed it whoever started the tests."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_interrupted_training_leaves_the_old_file_and_no_other(tmp_path):
    model = tmp_path / "old.model"
    model.write_bytes(b"old")
    process = subprocess.Popen(
        [SCRIPT, "train", "-", "-o", model, "--vocab-size", "300"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        preexec_fn=heed_interrupts,
    )
    assert process.stdin is not None
    process.stdin.write(b"the cat sat\n" * 1000)
    process.stdin.flush()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"interrupted" in err
    assert out == b""
    assert model.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["old.model"]


def test_interrupted_encoding_leaves_no_file(model, tmp_path):
    process = subprocess.Popen(
        [SCRIPT, "encode", "-m", model, "-o", "ids.npz"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        preexec_fn=heed_interrupts,
    )
    assert process.stdin is not None
    process.stdin.write(b"the cat sat\n" * 1000)
    process.stdin.flush()
    deadline = time.monotonic() + 20
    while not os.listdir(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert os.listdir(tmp_path) != []
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert os.listdir(tmp_path) == []


def answer(process: subprocess.Popen[bytes], line: bytes) -> bytes:
    """The line that comes for a line, while the input stays open."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    process.stdin.flush()
    return process.stdout.readline()


def test_answers_come_while_the_input_is_open(model, tmp_path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "cwd": tmp_path}
    with (
        subprocess.Popen([SCRIPT, "encode", "-m", model, "--pieces"], **pipes) as encode,
        subprocess.Popen([SCRIPT, "decode", "-m", model, "--pieces"], **pipes) as decode,
    ):
        for text in (b"the cat\n", b"the mat\n"):
            pieces = answer(encode, text)
            assert pieces.replace(b" ", b"").replace("▁".encode(), b" ") == text
            assert answer(decode, pieces) == text
        for process in (encode, decode):
            process.stdin.close()
            assert process.wait(timeout=30) == 0


def test_main_leaves_the_process_as_it_is_and_run_does_not(model, tmp_path):
    """Whoever calls `main` from a program of their own keeps their settings."""
    settings = "(gc.get_threshold()[0], gc.get_freeze_count() > 0, os.environ.get('OPENBLAS_NUM_THREADS'))"
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for name, changed in (("main", "before"), ("run", "(100_000, True, '1')")):
        code = (
            f"import gc, os, sys; from piecetokenizer.cli import {name} as function\n"
            f"before = {settings}; assert function() == 0; assert {settings} == {changed}, {settings}"
        )
        command = [sys.executable, "-c", code, "encode", "-m", str(model), "-o", "ids.txt", "--threads", "2"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


def test_nothing_to_do_says_what_there_is_to_do(cli):
    nothing = cli()
    assert (nothing.code, nothing.err) == (0, "")
    assert nothing.text == cli("--help").text


def test_what_is_read_is_not_written_over(cli, model, corpus, tmp_path):
    """Each command whose result would take the place of what it reads; also by another name of the same file."""
    copy, link = tmp_path / "copy.model", tmp_path / "link.txt"
    copy.write_bytes(model.read_bytes())
    link.symlink_to(corpus)
    before = corpus.read_bytes(), copy.read_bytes()
    slips = [
        ["train", corpus, "-o", corpus],
        ["train", link, "-o", corpus, "--vocab-size", 300],
        ["count", corpus, "-o", link],
        ["normalize", corpus, "-o", corpus],
        ["pretokenize", corpus, "-o", corpus],
        ["encode", "-m", copy, corpus, "-o", corpus],
        ["encode", "-m", copy, corpus, "-o", copy],
        ["decode", "-m", copy, corpus, "-o", copy],
        ["export", copy, "--to", "gguf", "-o", copy],
        ["export", copy, "--to", "huggingface", "-o", copy],
        ["import", copy, "-o", copy],
        ["edit", copy, "-o", tmp_path / "new.model", "--id-map", copy],
    ]
    for slip in slips:
        assert "is read and would be written over" in cli(*slip).error, slip
    assert (corpus.read_bytes(), copy.read_bytes()) == before
    assert not (tmp_path / "new.model").exists()
    assert cli("edit", copy, "-o", copy, "--control", "<new>").code == 0  # an edit in place is no slip
    assert copy.read_bytes() != before[1]


@pytest.mark.parametrize("command", [["train"], ["count"]])
def test_a_place_that_cannot_be_written_is_said_before_the_work(cli, tmp_path, command):
    for place in (tmp_path / "nowhere" / "x", tmp_path):
        assert "folder" in cli(*command, tmp_path / "no-corpus.txt", "-o", place).error


def test_models_go_to_standard_output(cli, model, corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli("edit", model, "-o", "-").out == model.read_bytes()
    assert cli("import", model, "-o", "-").out == model.read_bytes()
    assert cli("train", corpus, "-o", "-", "--vocab-size", "300", "-q").out.startswith(b"# piecetokenizer model 1\n")
    assert "standard output" in cli("export", model, "--to", "gguf", "-o", "-").error
    assert os.listdir(tmp_path) == [corpus.name]


def test_a_text_in_place_of_a_file_name(cli, model):
    assert "standard input" in cli("encode", "-m", model, "the cat sat").error
