"""Make dicts/zh.txt: the dictionary of jieba 0.42.1, byte for byte.

In: the PyPI package jieba 0.42.1, installed.  Out: dicts/zh.txt, after its SHA-256 was compared.  It is kept as it is, with the lines
that are left out when it is loaded, so that a model made with it can also be used with the file that comes with jieba.

    pip install jieba==0.42.1
    python scripts/make_dictionary.py
"""

import hashlib
from importlib.util import find_spec
from pathlib import Path

SHA256 = "7197c3211ddd98962b036cdf40324d1ea2bfaa12bd028e68faa70111a88e12a8"
OUTPUT = Path(__file__).resolve().parent.parent / "dicts" / "zh.txt"


def main() -> None:
    """Copy the file."""
    package = find_spec("jieba")
    if package is None or package.origin is None:
        raise SystemExit("jieba is not installed: pip install jieba==0.42.1")
    data = (Path(package.origin).parent / "dict.txt").read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise SystemExit(f"the installed jieba has another dictionary (SHA-256 {found}): pip install jieba==0.42.1")
    OUTPUT.write_bytes(data)
    lines = data.count(b"\n")
    print(f"{OUTPUT.name}: {len(data)} bytes, {lines} lines")


if __name__ == "__main__":
    main()
