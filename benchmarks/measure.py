"""Run a command and say what it cost: CPU seconds of all its threads, wall seconds, peak memory.

The machine may be noisy: commands that are compared run in turn, several times, and the median of each figure counts.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True)
class Cost:
    """What one process used; `output` is its standard output."""

    cpu: float
    wall: float
    peak_mb: float
    output: str = ""


def run(command: list[str]) -> Cost:
    """Run once, away from the source tree, which Python would import uncompiled.  A command that fails ends the benchmark."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=tempfile.gettempdir())
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output, complaint = (_whole(file).decode("utf-8", "replace") for file in (out, err))
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


def _whole(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()
