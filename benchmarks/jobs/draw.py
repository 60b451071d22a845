"""Draw lines over a logarithmic axis of megabytes:   draw.py JSON_OF_NAME_TO_POINTS OUT.svg"""

import json
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

lines, out = json.loads(sys.argv[1]), sys.argv[2]
for name, points in lines.items():
    plt.plot(*zip(*points, strict=True), marker="o", label=name)
plt.xscale("log")
plt.ylim(0)
plt.xlabel("MB of text")
plt.ylabel("CPU nanoseconds a byte")
plt.legend()
plt.savefig(out)
