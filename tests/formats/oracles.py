"""The real readers, for tests: llama.cpp in a process of its own, sentencepiece and tokenizers here.

`generate` texts come from a vocabulary; expected ids always come from the reader, never from us.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

DRIVER = Path(__file__).with_name("llama_driver.py")
ROOT = Path(__file__).resolve().parent.parent.parent


class LlamaError(Exception):
    """llama.cpp ended the process or did not load the file; the message is what it said last."""


def llama(path: str | os.PathLike[str], requests: Iterable[Sequence[Any]]) -> list[Any]:
    """Every request's answer; LlamaError if the process ended before."""
    lines = [json.dumps(request) for request in requests]
    command = [sys.executable, os.fspath(DRIVER), os.fspath(path)]
    run = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=600)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if run.returncode or len(answers) != len(lines):
        raise LlamaError(f"exit {run.returncode} after {len(answers)} of {len(lines)} answers: {run.stderr[-500:]}")
    return answers


def llama_encode(
    path: str | os.PathLike[str], texts: Iterable[str], *, add_special: bool = False, parse_special: bool = False
) -> list[list[int]]:
    return llama(path, (["encode", text, add_special, parse_special] for text in texts))


def llama_decode(path: str | os.PathLike[str], ids: Iterable[Sequence[int]], *, remove: bool = False, unparse: bool = False) -> list[bytes]:
    return [bytes.fromhex(answer) for answer in llama(path, (["decode", list(one), remove, unparse] for one in ids))]


def llama_vocabularies() -> Path:
    """The folder with llama.cpp's own test vocabularies: PIECETOKENIZER_LLAMA_VOCABS, or shared/llama beside the repository.

    They are not ours to distribute.  Whoever runs the tests without them may deselect those tests (-m "not llama_vocabularies").
    """
    folder = Path(os.environ.get("PIECETOKENIZER_LLAMA_VOCABS", ROOT.parent / "shared" / "llama"))
    if not (folder / "ggml-vocab-llama-spm.gguf").is_file():
        raise FileNotFoundError(
            f"{folder} has no ggml-vocab-llama-spm.gguf: set PIECETOKENIZER_LLAMA_VOCABS to the folder of llama.cpp's models/ that has it, "
            'or deselect these tests with -m "not llama_vocabularies"'
        )
    return folder
