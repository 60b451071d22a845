"""Where the benchmarks run: corpora, the peers' own environment, scratch files, and the line that names the machine.

Corpora are one-paragraph-a-line UTF-8 files {en,zh,zh_classical,multi,code}.txt; they are large and not ours to ship.  When the folder
has none, the script named by PIECETOKENIZER_BUILD_CORPORA (default: ../shared/corpora/build.sh beside the project) makes them.
"""

import hashlib
import os
import platform
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOBS = ROOT / "benchmarks/jobs"
PEERS = (
    "numpy",
    "sentencepiece==0.2.3",
    "gigatoken==0.10.0",
    "gigabpe==0.1.0",
    "kitoken==0.11.1",
    "tokenizers==0.23.3",
    "rjieba==0.2.2",
    "jieba==0.42.1",
    "setuptools<81",
    "matplotlib",
)
NAMES = ("en", "zh", "multi", "code")
MIXED = (("en", 50_000_000), ("code", 25_000_000), ("zh", 12_500_000), ("multi", 12_500_000))


@dataclass(frozen=True)
class Setting:
    """What every section needs: corpora, the peers' interpreter, a scratch folder, how many runs, and what other Pythons have ours."""

    files: dict[str, Path]
    peers: str
    scratch: Path
    runs: int
    others: tuple[str, ...] = ()

    def python(self, tool: str) -> str:
        """Ours runs in the environment that runs the benchmark, peers in theirs."""
        return sys.executable if tool.startswith("piecetokenizer") else self.peers

    @property
    def native(self) -> Path:
        """The model of 32,000 pieces on mixed, which `training` makes."""
        return self.scratch / "piecetokenizer-mixed.model"

    def encode_file(self, path: Path, python: str = sys.executable) -> list[str]:
        """The command that encodes a file to an array by that model; how many threads is to be said behind it."""
        ids = self.scratch / "ids.npy"
        return [python, "-m", "piecetokenizer", "encode", "-m", str(self.native), str(path), "-o", str(ids), "--threads"]


def corpora(folder: Path) -> dict[str, Path]:
    """The corpora by name, built first when missing; `mixed` is made of the heads of four, cut at a line's end."""
    files = {name: folder / f"{name}.txt" for name in NAMES}
    if not all(path.exists() for path in files.values()):
        script = Path(os.environ.get("PIECETOKENIZER_BUILD_CORPORA", ROOT.parent / "shared/corpora/build.sh"))
        if not script.exists():
            missing = ", ".join(path.name for path in files.values())
            sys.exit(f"no corpora in {folder} and no script to build them: put {missing} there, or set PIECETOKENIZER_BUILD_CORPORA")
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["bash", str(script), str(folder)], check=True)
    files["mixed"] = folder / "mixed.txt"
    if not files["mixed"].exists():
        files["mixed"].write_bytes(b"".join(head(files[name], size) for name, size in MIXED))
    return files


def head(path: Path, size: int, start: int = 0) -> bytes:
    """Whole lines from the first `size` bytes behind `start`, which is moved to the next line's begin."""
    with path.open("rb") as file:
        file.seek(start)
        if start:
            file.readline()
        data = file.read(size)
    return data[: data.rfind(b"\n") + 1]


def peers_python(folder: Path) -> str:
    """The interpreter of the peers' own environment, which is made when missing."""
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
    return str(python)


def versions(python: str) -> list[str]:
    """name version of every package of the peers' environment that is measured."""
    out = subprocess.run([python, "-m", "pip", "list", "--format=freeze"], check=True, capture_output=True, text=True).stdout
    wanted = {p.split("=")[0].split("<")[0] for p in PEERS} - {"setuptools", "matplotlib"}
    return [line.replace("==", " ") for line in out.splitlines() if line.split("==")[0] in wanted]


def machine() -> str:
    """Processor, cores, memory and Python in one line."""
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")),
        platform.processor(),
    )
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{model}, {os.cpu_count()} cores, {pages / 2**30:.0f} GiB, {system}"


def sums(files: dict[str, Path]) -> list[str]:
    """name, size and SHA-256 of each corpus."""
    return [
        f"{name}.txt {path.stat().st_size:,} bytes, SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}" for name, path in files.items()
    ]
