"""The project's own files of a zip: what a package may hold, by a list of what belongs there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

# ASCII, since file systems differ in how they write other letters; a name that Python can import.
_IMPORTABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_DATA = re.compile(r"py\.typed|(?:[A-Za-z0-9_-]+\.)?schema\.json", re.ASCII)
_TESTS = re.compile(r"tests?|conftest\.py|test_.*\.py|.*_test\.py")
_BYTECODE = "__pycache__"
_BELONGS = "a package holds modules (importable names of ASCII letters, .py), py.typed and *.schema.json"


class StrayFileError(ValueError):
    """Files in functions/ that no zip may hold; the message names each, the rule and the remedy."""


def packages(functions: Path, runtime: str) -> dict[str, dict[str, Path]]:
    """Return the files of each package in the folder FUNCTIONS: by package, name inside the zip to file.

    A package is RUNTIME, the shared library, or a folder with a handler.py. Bytecode that Python keeps in
    __pycache__ stays behind. Raises StrayFileError for everything else that does not belong there: a file
    is neither packed nor left out in silence.
    """
    found: dict[str, dict[str, Path]] = {}
    strays = []
    for path in _files(functions):
        relative = path.relative_to(functions)
        reason = _stray(path, relative, functions)
        if reason:
            strays.append(f"{_printable(path)}: {reason}")
        else:
            found.setdefault(relative.parts[0], {})[relative.as_posix()] = path
    strays += [
        f"{functions / name}: no handler.py in it, so it is no function: add one, or delete the folder"
        for name, files in found.items()
        if name != runtime and f"{name}/handler.py" not in files
    ]
    if strays:
        raise StrayFileError("\n".join(strays))
    return found


def _files(folder: Path) -> Iterator[Path]:
    """Yield everything below FOLDER that is not a folder, sorted, but for Python's bytecode."""
    for path in sorted(folder.rglob("*")):
        bytecode = path.parent.name == _BYTECODE and path.suffix == ".pyc"
        if (path.is_symlink() or not path.is_dir()) and not bytecode:
            yield path


def _stray(path: Path, relative: Path, functions: Path) -> str:
    """Return why PATH may not be packed and what to do about it; empty if it belongs."""
    *folders, name = relative.parts
    if path.is_symlink() or not path.is_file():
        return "a link or special file: put the file itself there, or delete it"
    if not folders:
        return "a file beside the packages: move it into one, or out of functions/"
    if any(_TESTS.fullmatch(part) for part in relative.parts):
        return "a test: move it to tests/"
    stem = name.removesuffix(".py") if name.endswith(".py") else ""
    named = (_IMPORTABLE.fullmatch(stem) or _DATA.fullmatch(name)) and all(
        map(_IMPORTABLE.fullmatch, folders)
    )
    if not named:
        return f"{_BELONGS}: delete it, or move it out of functions/"
    bare = next((up for up in relative.parents[:-1] if not (functions / up / "__init__.py").is_file()), None)
    if bare is not None:
        return f"{bare.as_posix()}/ has no __init__.py, so it is no package: add one, or move it out"
    return ""


def _printable(path: Path) -> str:
    """Return PATH as text that any terminal can show; bytes that are no UTF-8 as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
