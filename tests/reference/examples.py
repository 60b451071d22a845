"""Runs the examples of a Markdown document, in order, in one folder.

In: the text.  Out: a list of complaints, empty if every example does what the document shows.

    ```console      lines after `$ ` are given to bash (a line that ends in a backslash goes on); what follows is what they must print
    ```python       a doctest session if it has `>>>`, else statements; all blocks of a document share one namespace
    ```file NAME    the block is written to that file, for the examples after it

Expected output may use `...` for any text, as in doctest.  Blocks of other kinds are not run.
"""

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^```(?P<info>[^\n`]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
SCRIPTS = str(Path(sys.executable).parent)


@dataclass(frozen=True)
class Block:
    kind: str
    argument: str
    body: str
    line: int


def blocks(text: str) -> list[Block]:
    """All fenced blocks with a kind."""
    found = []
    for match in FENCE.finditer(text):
        kind, _, argument = match["info"].strip().partition(" ")
        found.append(Block(kind, argument.strip(), match["body"], text.count("\n", 0, match.start()) + 2))
    return found


def run_document(text: str, folder: Path) -> list[str]:
    """Run every example with `folder` as the current one (the caller changes into it); say what came out differently."""
    complaints: list[str] = []
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(text):
        if block.kind == "console":
            complaints += run_console(block, folder)
        elif block.kind == "python":
            complaints += run_python(block, names)
        elif block.kind == "file":
            (folder / block.argument).write_text(block.body, encoding="utf-8")
    return complaints


def run_console(block: Block, folder: Path) -> list[str]:
    """Each command by itself, with what it must print: standard output and standard error as they come."""
    complaints = []
    for command, expected in commands(block.body):
        environment = os.environ | {"PATH": SCRIPTS + os.pathsep + os.environ["PATH"]}
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
        )
        printed = done.stdout.decode("utf-8", "replace")
        if not doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS):
            complaints.append(f"line {block.line}: $ {command}\n--- the document says\n{expected}--- it printed\n{printed}")
    return complaints


def commands(body: str) -> list[tuple[str, str]]:
    """The commands of a console block and the output below each."""
    found: list[tuple[list[str], list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif found and found[-1][0][-1].endswith("\\") and not found[-1][1]:
            found[-1][0].append(line)
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError(f"a console block begins with a command after '$ ', not with {line!r}")
    return [("\n".join(command), "".join(f"{line}\n" for line in output)) for command, output in found]


def run_python(block: Block, names: dict[str, Any]) -> list[str]:
    """A doctest session, or plain statements that must not raise."""
    if ">>>" not in block.body:
        exec(compile(block.body, f"<example at line {block.line}>", "exec"), names)
        return []
    test = doctest.DocTestParser().get_doctest(block.body, names, "example", "document", block.line)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    printed: list[str] = []
    runner.run(test, out=printed.append, clear_globs=False)
    names.update(test.globs)
    return printed
