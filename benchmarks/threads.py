"""What a second thread brings, in wall time: training, files, batches; in this Python, and in another one if `--other` names it.

Wall times of a shared machine differ from run to run, so each figure is the best of several.
"""

import statistics
import sys

import measure
import setting
from measure import table
from setting import JOBS, Setting

WHAT_IT_IS = """
import sys
locked = getattr(sys, "_is_gil_enabled", lambda: True)()
print(sys.version.split()[0] + ("" if locked else ", free-threaded"))
"""


def threads(at: Setting) -> str:
    """Wall seconds with one thread and with two, of whole processes and of calls, the best of several runs in turn."""
    large = at.scratch / "large.txt"
    large.write_bytes(at.files["en"].read_bytes() * 3)
    batch = at.scratch / "batch.txt"
    batch.write_bytes(setting.head(at.files["en"], 40_000_000, 50_000_000))
    rows = []
    for python in (sys.executable, *at.others):
        name = measure.run([python, "-c", WHAT_IT_IS]).output.strip()
        work = {}
        for corpus, vocab in (("en", 8000), ("mixed", 32000)):
            job = [python, str(JOBS / "train.py"), "piecetokenizer", str(at.files[corpus]), str(vocab), str(at.scratch / "two")]
            work[f"train, {vocab:,} pieces on {corpus}"] = job
        for label, path in (("113 MB", at.files["en"]), ("339 MB", large)):
            work[f"encode a file of {label}"] = at.encode_file(path, python)
        for out in ("numpy", "list"):
            work[f"encode_batch of 40 MB in lines to {out}"] = [python, str(JOBS / "batch.py"), str(at.native), str(batch), out]
        commands = {(task, count): [*command, str(count)] for task, command in work.items() for count in (1, 2)}
        found: dict[tuple[str, int], list[float]] = {key: [] for key in commands}
        for _ in range(2 * at.runs):
            for key, command in commands.items():
                cost = measure.run(command)
                found[key].append(float(cost.output) if "batch.py" in command[1] else cost.wall)
        for task in work:
            one, two = (found[task, count] for count in (1, 2))
            ratio = statistics.median(b / a for a, b in zip(one, two, strict=True))
            rows.append([name, task, f"{min(one):.2f}", f"{min(two):.2f}", f"{min(two) / min(one):.2f}", f"{ratio:.2f}"])
    large.unlink()
    return table(["Python", "what", "1 thread, s", "2 threads, s", "ratio", "median ratio"], rows)
