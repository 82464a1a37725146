"""What lies about in functions/ is named, and is neither packed nor left out in silence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.zips.conftest import FUNCTION, RUNTIME
from zips.__main__ import FUNCTIONS, write_all
from zips.own import StrayFileError, packages

MOVE = "delete it, or move it out of functions/"


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("handler.py~", MOVE),
        (".handler.py.swp", MOVE),
        ("#handler.py#", MOVE),
        ("._handler.py", MOVE),
        ("handler.py.orig", MOVE),
        ("handler.py.rej", MOVE),
        ("handler.py.bak", MOVE),
        ("handler copy.py", MOVE),
        ("handler-old.py", MOVE),
        ("händler.py", MOVE),
        (".DS_Store", MOVE),
        ("Thumbs.db", MOVE),
        (".env", MOVE),
        (".env.py", MOVE),
        ("key.pem", MOVE),
        ("credentials.json", MOVE),
        ("notes.md", MOVE),
        ("Makefile", MOVE),
        ("module.pyc", MOVE),
        ("_fast.so", MOVE),
        ("handler.PY", MOVE),
        ("handler.py\n", MOVE),
        (".idea/workspace.xml", MOVE),
        (".mypy_cache/3.13/handler.data.json", MOVE),
        (".venv/lib/module.py", MOVE),
        ("__pycache__/notes.txt", MOVE),
        ("tests/__init__.py", "move it to tests/"),
        ("test/handler.py", "move it to tests/"),
        ("test_handler.py", "move it to tests/"),
        ("handler_test.py", "move it to tests/"),
        ("conftest.py", "move it to tests/"),
        ("build/lib.py", "build/ has no __init__.py"),
    ],
)
@pytest.mark.parametrize("package", [FUNCTION, f"{RUNTIME}/effects"])
def test_file_that_does_not_belong_is_named_with_what_to_do(
    package: str, name: str, remedy: str, functions: Path, third_party: Path, tmp_path: Path
) -> None:
    stray = functions / package / name
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_text("")

    with pytest.raises(StrayFileError) as refused:
        write_all(functions, third_party, tmp_path)

    assert str(refused.value).startswith(f"{stray}: ")
    assert remedy in str(refused.value)
    assert not list(tmp_path.glob("*.zip"))


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        (".env", "move it into one, or out of functions/"),
        ("handler.py", "move it into one, or out of functions/"),
        ("consumer/__init__.py", "no handler.py in it"),
        ("consumer/handlers.py", "no __init__.py"),
    ],
)
def test_what_is_no_package_is_named(name: str, remedy: str, functions: Path) -> None:
    (functions / name).parent.mkdir(exist_ok=True)
    (functions / name).write_text("")

    with pytest.raises(StrayFileError, match=remedy) as refused:
        packages(functions, RUNTIME)

    assert str(functions / name.split("/", maxsplit=1)[0]) in str(refused.value)


@pytest.mark.parametrize("target", ["handler.py", "missing.py", f"../{RUNTIME}", "/etc/hostname"])
def test_link_is_refused_whatever_it_leads_to(target: str, functions: Path) -> None:
    (functions / FUNCTION / "linked.py").symlink_to(target)

    with pytest.raises(StrayFileError, match=r"linked\.py: a link or special file"):
        packages(functions, RUNTIME)


def test_pipe_is_refused(functions: Path) -> None:
    os.mkfifo(functions / FUNCTION / "pipe.py")

    with pytest.raises(StrayFileError, match=r"pipe\.py: a link or special file"):
        packages(functions, RUNTIME)


def test_name_that_is_no_utf_8_is_named_in_letters_that_can_be_printed(functions: Path) -> None:
    (functions / FUNCTION / os.fsdecode(b"h\xe4ndler.py")).write_text("")

    with pytest.raises(StrayFileError, match=r"h\\xe4ndler\.py: ") as refused:
        packages(functions, RUNTIME)

    str(refused.value).encode("utf-8")


def test_every_stray_file_is_named_at_once(functions: Path) -> None:
    for name in (f"{FUNCTION}/.env", f"{RUNTIME}/notes.txt", "README"):
        (functions / name).write_text("")

    with pytest.raises(StrayFileError) as refused:
        packages(functions, RUNTIME)

    assert len(str(refused.value).splitlines()) == 3


def test_folder_of_a_function_that_is_gone_may_keep_bytecode(functions: Path) -> None:
    """git leaves the folder of a function that another branch has, for what Python kept in it."""
    (functions / "gone" / "__pycache__").mkdir(parents=True)
    (functions / "gone" / "__pycache__" / "handler.cpython-313.pyc").write_bytes(b"bytecode")

    assert packages(functions, RUNTIME).keys() == {FUNCTION, RUNTIME}


def test_command_says_one_line_a_file_and_fails(functions: Path, tmp_path: Path) -> None:
    stray = functions / FUNCTION / "key.pem"
    stray.write_text("")
    code = (
        "import sys, zips.__main__ as command; from pathlib import Path;"
        "command.FUNCTIONS = Path(sys.argv.pop(1)); sys.exit(command.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(functions), "--to", str(tmp_path / "dist")],
        cwd=FUNCTIONS.parent,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith(f"{stray}: ")
    assert len(done.stderr.splitlines()) == 1
