"""Reading and writing whole files: what cannot be read is named, and nobody ever sees half of a file."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from reference.model_files import EXAMPLE

from piecetokenizer.errors import ModelError
from piecetokenizer.model import Model


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    none, empty = tmp_path / "none", tmp_path / "empty"
    for path, reason in ((none, "No such file"), (tmp_path, "it is a folder"), ("a\0b", "null"), (empty, "is empty")):
        with pytest.raises(ModelError, match=reason) as caught:
            Model.load(path)
        assert "\n" not in str(caught.value)


def as_somebody(code: str, *arguments: object) -> str:
    """What a script prints that runs without the rights of root, if we have them."""
    drop = "import os, sys\nif os.geteuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
    head = "import piecetokenizer.modelfile\nfrom piecetokenizer.model import Model\nfrom piecetokenizer.errors import ModelError\n"
    command = [sys.executable, "-c", head + drop + code, *map(str, arguments)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


def test_no_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for folder in tmp_path.parents:
        if folder.name.startswith("pytest-"):
            folder.chmod(0o755)
    EXAMPLE.save(tmp_path / "m.model")
    (tmp_path / "m.model").chmod(0)
    code = "try: Model.load(sys.argv[1])\nexcept ModelError as error: print(error)"
    assert as_somebody(code, tmp_path / "m.model") == f"{tmp_path / 'm.model'}: cannot be read: Permission denied"
    (tmp_path / "m.model").chmod(0o644)
    code = "m = Model.load(sys.argv[1])\ntry: m.save(sys.argv[2])\nexcept ModelError as error: print(error)"
    tmp_path.chmod(0o555)
    assert as_somebody(code, tmp_path / "m.model", tmp_path / "n.model") == f"{tmp_path / 'n.model'}: cannot be written: Permission denied"
    assert sorted(os.listdir(tmp_path)) == ["m.model"]
    tmp_path.chmod(0o755)


def test_saving_keeps_permissions_and_links(tmp_path: Path) -> None:
    path = tmp_path / "m.model"
    old = os.umask(0o027)
    try:
        EXAMPLE.save(path)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o600)
    EXAMPLE.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / "link").symlink_to(path)
    changed = EXAMPLE.replace(template="x")
    changed.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert Model.load(path) == changed
    assert sorted(os.listdir(tmp_path)) == ["link", "m.model"]


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.model"
    EXAMPLE.save(path)
    for failure in (OSError(28, "No space left on device"), KeyboardInterrupt()):

        def fail(*_: object, failure: BaseException = failure) -> None:
            raise failure

        for step in ("fsync", "replace"):
            with monkeypatch.context() as patched:
                patched.setattr(os, step, fail)
                with pytest.raises((ModelError, KeyboardInterrupt)):
                    EXAMPLE.replace(template="x").save(path)
            assert Model.load(path) == EXAMPLE
            assert os.listdir(tmp_path) == ["m.model"]
    with pytest.raises(ModelError, match="directory"):
        EXAMPLE.save(tmp_path)
    with pytest.raises(ModelError, match="No such file or directory"):
        EXAMPLE.save(tmp_path / "none" / "m.model")
    with pytest.raises(ModelError, match="null"):
        EXAMPLE.save("a\0b")


def test_saving_to_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE) as reader:
        EXAMPLE.save(tmp_path / "pipe")
        assert reader.communicate()[0] == EXAMPLE.dumps()
    assert os.listdir(tmp_path) == ["pipe"]
