"""The one command of the benchmarks:   python benchmarks/run.py [--corpora DIR] [--only NAME] [--runs N]

Builds the corpora and the peers' environment where they are missing, measures, and writes RESULTS.md beside this file with the
machine, the versions and the corpora's sums.  Half an hour on two cores.
"""

import time
from pathlib import Path

import click
import growth
import sections
import setting
import threads

HERE = Path(__file__).resolve().parent
ALL = {**sections.SECTIONS, "Two threads": threads.threads, "Growth": growth.growth, "Worst cases": growth.worst}


@click.command()
@click.option(
    "--corpora",
    type=click.Path(path_type=Path, resolve_path=True),
    default=setting.ROOT / "corpora",
    show_default=True,
    help="Folder of the corpora.",
)
@click.option(
    "--peers",
    type=click.Path(path_type=Path, resolve_path=True),
    default=setting.ROOT / "build/peers",
    show_default=True,
    help="The peers' own environment.",
)
@click.option(
    "--scratch",
    type=click.Path(path_type=Path, resolve_path=True),
    default=setting.ROOT / "build/benchmarks",
    show_default=True,
    help="Models and ids on the way.",
)
@click.option("--only", type=click.Choice([*ALL]), multiple=True, help="Measure only this; prints instead of writing RESULTS.md.")
@click.option(
    "--other", multiple=True, metavar="PYTHON", help="Another Python with piecetokenizer, for the two-thread runs: a free-threaded one."
)
@click.option("--runs", default=3, show_default=True, help="How often each command of a comparison runs.")
def main(corpora: Path, peers: Path, scratch: Path, only: tuple[str, ...], other: tuple[str, ...], runs: int) -> None:
    """Measure piecetokenizer next to its peers."""
    scratch.mkdir(parents=True, exist_ok=True)
    at = setting.Setting(setting.corpora(corpora), setting.peers_python(peers), scratch, runs, other)
    parts = [
        "# Results\n",
        f"Made by `python benchmarks/run.py` on {time.strftime('%Y-%m-%d')}. {setting.machine()}.\n",
        f"Peers: {', '.join(setting.versions(at.peers))}.\n",
        "CPU time of whole processes or of the calls named; MB/s are megabytes of UTF-8 a CPU second.\n",
        "Figures of one table come from one run, tools in turn, medians. The machine is shared: believe ratios, not single seconds.\n",
    ]
    for name in only or ALL:
        click.echo(f"measuring: {name}", err=True)
        parts += [f"## {name}\n", ALL[name].__doc__.splitlines()[0] + "\n", ALL[name](at)]
    parts += ["## Corpora\n", "\n".join(f"- {line}" for line in setting.sums(at.files)) + "\n"]
    text = "\n".join(parts)
    if only:
        click.echo(text)
    else:
        (HERE / "RESULTS.md").write_text(text)


if __name__ == "__main__":
    main()
