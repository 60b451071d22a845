"""What all tests share: the hypothesis profiles, the guard that the installed package is what is tested, and the paths of the repository.

Tests run against the *installed* package, since only there are the kernels compiled.  Run them as `.venv/bin/pytest` from the
repository's root; `python -m pytest` would put the source tree first, and the guard below would say so.
"""

import os
from importlib.util import find_spec
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parent.parent

hypothesis.settings.register_profile("default", deadline=None, max_examples=100, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("ci", hypothesis.settings.get_profile("default"), derandomize=True, print_blob=True)
hypothesis.settings.register_profile("checked", hypothesis.settings.get_profile("ci"), max_examples=25)
hypothesis.settings.register_profile("long", hypothesis.settings.get_profile("default"), max_examples=5000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop before the first test if `import piecetokenizer` would not find an installed package."""
    spec = find_spec("piecetokenizer")
    if spec is None or spec.origin is None:
        pytest.exit("piecetokenizer is not installed: run `.venv/bin/pip install .` first, then `.venv/bin/pytest`", returncode=4)
    if Path(spec.origin).resolve().is_relative_to(ROOT / "piecetokenizer"):
        pytest.exit(
            "the source tree would be tested, whose kernels are not compiled: "
            "run `.venv/bin/pip install .`, then `.venv/bin/pytest` (not `python -m pytest`, and without the source tree in PYTHONPATH)",
            returncode=4,
        )


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder of golden files; a file that is missing there fails the test that opens it."""
    return ROOT / "tests" / "golden"
