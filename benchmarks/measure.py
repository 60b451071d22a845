"""Run a command and say what it cost: CPU seconds of all its threads, wall seconds, peak memory.

The machine may be noisy: commands that are compared run in turn, several times, and the median of each figure counts.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What one process used; `output` is its standard output."""

    cpu: float
    wall: float
    peak_mb: float
    output: str = ""


def run(command: list[str]) -> Cost:
    """Run once, away from the source tree, which Python would import uncompiled.  A command that fails ends the benchmark."""
    launcher = [sys.executable, str(Path(__file__).parent / "jobs" / "cost.py")]
    done = subprocess.run([*launcher, *command], capture_output=True, text=True, cwd=tempfile.gettempdir())
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with {done.returncode}:\n{done.stderr[-2000:]}")
    return Cost(**json.loads(done.stderr.splitlines()[-1]), output=done.stdout)


def in_turn(commands: dict[str, list[str]], runs: int) -> dict[str, Cost]:
    """Run all commands in turn, `runs` times; the median of each figure by name."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            costs[name].append(run(command))
    return {
        name: Cost(
            statistics.median(c.cpu for c in all_),
            statistics.median(c.wall for c in all_),
            statistics.median(c.peak_mb for c in all_),
            all_[-1].output,
        )
        for name, all_ in costs.items()
    }


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"
