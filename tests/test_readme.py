"""Every example of the README and of docs/ does what it shows."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from reference.examples import SCRIPTS, blocks, commands, run_document

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_examples(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    complaints = run_document((ROOT / document).read_text(encoding="utf-8"), tmp_path)
    assert not complaints, "\n".join(complaints)


def test_the_tour_passes_every_kernel() -> None:
    tour = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    kernels = Counter(path.name for path in (ROOT / "piecetokenizer").rglob("*_cy.py"))
    assert kernels
    assert {name: count for name, count in kernels.items() if tour.count(name) < count} == {}


def set_up_commands() -> list[str]:
    return [block.body for block in blocks((ROOT / "README.md").read_text(encoding="utf-8")) if block.kind == "sh"]


def test_the_first_set_up_command_after_its_installation(tmp_path: Path) -> None:
    """The part behind `pip install`, with this environment's scripts; .ci/run does the installing."""
    main_job, _ = set_up_commands()
    assert main_job.startswith("python3 -m venv .venv &&")
    job = main_job.partition("pip install -q . &&")[2].replace(".venv/bin", SCRIPTS)
    assert "train" in job
    done = subprocess.run(["bash", "-c", job], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "bytes per token" in done.stdout


def test_the_second_set_up_command_is_what_ci_runs() -> None:
    _, tests = set_up_commands()
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for step in tests.replace("\\\n", " ").split("&&"):
        assert step.split("#")[0].strip() in ci


def test_the_harness_sees_a_wrong_output(tmp_path: Path) -> None:
    text = "```console\n$ printf 'a\\nb\\n'\na\nc\n$ echo x; exit 3\nx\n```\n```python\n>>> 1 + 1\n3\n```\n"
    complaints = run_document(text, tmp_path)
    assert len(complaints) == 2
    assert "it printed\na\nb\n" in complaints[0]
    assert "Expected" in "".join(complaints[1:])


def test_console_commands_go_on_after_a_backslash() -> None:
    assert commands("$ a \\\n  b\nout\n$ c\n") == [("a \\\n  b", "out\n"), ("c", "")]
