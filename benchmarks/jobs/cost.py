"""Run a command and print what it cost as JSON on the last line of standard error:   cost.py COMMAND ...

A process of its own between the benchmark and the command: the system counts to a process's peak memory what its parent had when it began.
"""

import json
import os
import subprocess
import sys
import time

began = time.perf_counter()
process = subprocess.Popen(sys.argv[1:])
_, status, used = os.wait4(process.pid, 0)
wall = time.perf_counter() - began
cost = {"cpu": used.ru_utime + used.ru_stime, "wall": wall, "peak_mb": used.ru_maxrss / 1024}
print(json.dumps(cost), file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
