"""Run a command and say what it cost: CPU seconds of all its threads, wall seconds, peak memory.

The machine may be noisy: commands that are compared run in turn, several times, and the median of each figure counts.
"""

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """What one process used; `output` is its standard output."""

    cpu: float
    wall: float
    peak_mb: float
    output: str = ""


def run(command: list[str], environment: dict[str, str] | None = None) -> Cost:
    """Run once.  A command that fails ends the benchmark: a figure of a failed run is no figure."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
    assert process.stdout is not None and process.stderr is not None
    output = process.stdout.read().decode()
    complaint = process.stderr.read().decode("utf-8", "replace")
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with {process.returncode}:\n{complaint[-2000:]}")
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, output)


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
