"""The package's front door: public names, loaded when first used."""

import subprocess
import sys
from pathlib import Path

from piecetokenizer import train


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd="/")
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


def test_the_package_is_light_to_import() -> None:
    heavy = "{'numpy', 'click', 'tqdm', 'ahocorasick', 'gguf', 'importlib.metadata', 'json', 'dataclasses', 'typing'}"
    code = f"import sys; before = set(sys.modules); import piecetokenizer; print((set(sys.modules) - before) & {heavy})"
    assert run(code) == "set()"


def test_encoding_imports_nothing_that_it_does_not_need() -> None:
    others = "{'concurrent.futures', 'difflib', 'fractions', 'hashlib', 'tqdm', 'zipfile'}"
    assert run(f"import sys, piecetokenizer.cli.encoding; print(set(sys.modules) & {others})") == "set()"


def test_encoding_does_not_import_pyahocorasick(tmp_path: Path) -> None:
    """It would switch the global interpreter lock of a free-threaded Python on again."""
    path = tmp_path / "my.model"
    train(iter(["we sow New York"]), vocab_size=268, user_defined=["New York"]).save(path)
    code = (
        f"import sys, piecetokenizer as p; tokenizer = p.Tokenizer.load({str(path)!r})\n"
        "ids = tokenizer.encode('we sow in New York'), tokenizer.encode('<s>we', special='parse')\n"
        "print([tokenizer.decode(i) for i in ids], 'ahocorasick' in sys.modules)"
    )
    assert run(code) == "['we sow in New York', 'we'] False"


def test_the_version_is_the_installed_one() -> None:
    from importlib.metadata import version

    assert run("import piecetokenizer; print(piecetokenizer.__version__)") == version("piecetokenizer")


def test_names_are_the_same_objects_wherever_they_come_from() -> None:
    assert run("import piecetokenizer as p, piecetokenizer.model as m; print(p.Model is m.Model, p.Piece is m.Piece)") == "True True"
    assert run("import piecetokenizer.errors, piecetokenizer as p; print(p.errors.ModelError.__mro__[2].__name__)") == "ValueError"
    assert run("from piecetokenizer import errors; print(errors.__name__)") == "piecetokenizer.errors"


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert "no attribute 'Modell'" in run("import piecetokenizer\ntry: piecetokenizer.Modell\nexcept AttributeError as error: print(error)")


def test_all_names_are_listed() -> None:
    assert run("import piecetokenizer as p; print(set(p.__all__) - set(dir(p)))") == "set()"


def test_modules_are_loaded_when_they_are_first_used() -> None:
    used = "p.formats.load, p.editing.add_tokens, p.checking, p.errors.ModelError, p.tokenizer.Tokenizer, p.normalize.Charsmap"
    assert run(f"import piecetokenizer as p; {used}; print(p.formats.__name__)") == "piecetokenizer.formats"
    assert run("import piecetokenizer as p; print(all(hasattr(p, name) for name in dir(p)))") == "True"
    assert run("import sys, piecetokenizer as p; dir(p); print('piecetokenizer.formats' in sys.modules)") == "False"


def test_what_is_listed_is_what_is_offered() -> None:
    names = [name for name in run("import piecetokenizer as p; print(*dir(p))").split() if not name.startswith("__")]
    assert {"train", "Model", "formats", "editing", "checking"} <= set(names)
    assert not {"sys", "ModuleType", "TYPE_CHECKING", "import_module"} & set(names)
    assert not [name for name in names if name.startswith("_")]


def test_train_stays_the_function() -> None:
    """The module piecetokenizer.train has the name of its function; importing it must not put it in the function's place."""
    check = "print(callable(piecetokenizer.train), piecetokenizer.train is sys.modules['piecetokenizer.train'].train)"
    for first in ("piecetokenizer", "piecetokenizer.train", "piecetokenizer.model"):
        for then in ("", "from piecetokenizer.train import train\n", "from piecetokenizer import train\n"):
            assert run(f"import sys, {first}, piecetokenizer\n{then}piecetokenizer.train\n{check}") == "True True"
