"""Progress of encoding: bytes read, of how many; silent where nobody looks."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from piecetokenizer.cli.lines import read_blocks, watched


def test_it_tells_all_bytes_of_all_files(tmp_path: Path) -> None:
    files = [tmp_path / "one.txt", tmp_path / "two.txt"]
    files[0].write_bytes(b"a line\n" * 10)
    files[1].write_bytes(b"another\n" * 5)
    names = [str(path) for path in files]
    told: list[tuple[str, int, int | None, str]] = []
    blocks = list(watched(read_blocks(names, size=16), names, lambda *what: told.append(what)))
    assert b"".join(block.data[block.begin : block.end] for block in blocks) == b"a line\n" * 10 + b"another\n" * 5
    assert told[-1] == ("read", 110, 110, "")
    assert [done for _, done, _, _ in told] == sorted(done for _, done, _, _ in told)


def test_how_much_there_is_may_not_be_known(tmp_path: Path) -> None:
    file = tmp_path / "one.txt"
    file.write_bytes(b"a line\n")
    told: list[int | None] = []
    list(watched(read_blocks([str(file)]), [str(file), "-"], lambda _phase, _done, total, _note: told.append(total)))
    assert told == [None]


@pytest.mark.parametrize(("options", "shown"), [([], True), (["--quiet"], False)])
def test_a_terminal_sees_a_bar_unless_it_is_quiet(model: Path, tmp_path: Path, options: list[str], shown: bool) -> None:
    text = tmp_path / "text.txt"
    text.write_text("the cat sat on the mat\n" * 1000)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    command = [sys.executable, "-m", "piecetokenizer", "encode", "-m", model, text, "-o", tmp_path / "ids.npy", *options]
    subprocess.run(command, stderr=theirs, check=True, cwd=tmp_path)
    os.write(theirs, b"END")
    seen = b""
    while not seen.endswith(b"END"):
        seen += os.read(ours, 4096)
    os.close(theirs)
    os.close(ours)
    assert (b"read: 100%" in seen) == shown
