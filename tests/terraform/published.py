"""Sources of modules as callers write them: the repository's address and the tag of this version."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.terraform.modules import REPOSITORY

_LOCAL = re.compile(r'(?P<head>\bsource\s*= )"\.\./\.\.(?:/\.\./(?P<module>[a-z-]+))?"')
_PUBLISHED = re.compile(r"git::[^\s\"]+//modules/(?P<module>[a-z-]+)\?ref=[^\s\"]+")
_PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def source(module: str) -> str:
    """The source of MODULE in this version, to be pasted."""
    return f"git::{_PROJECT['urls']['repository']}.git//modules/{module}?ref=v{_PROJECT['version']}"


def published(code: str, module: str) -> str:
    """The code of an example of MODULE as a caller elsewhere writes it; the example calls `../..`."""
    return _LOCAL.sub(lambda found: f'{found["head"]}"{source(found["module"] or module)}"', code)


def of_this_version(text: str) -> str:
    """A document's text, each published source with this address and this version."""
    return _PUBLISHED.sub(lambda found: source(found["module"]), text)


def local(code: str, modules: str) -> str:
    """Code as a caller writes it, its sources led to the folder MODULES, a relative path."""
    return _PUBLISHED.sub(lambda found: f"{modules}/{found['module']}", code)


def documents() -> Iterator[Path]:
    """Every document of the repository."""
    for folder in ("docs", "modules"):
        yield from sorted((REPOSITORY / folder).rglob("*.md"))
    yield from sorted(REPOSITORY.glob("*.md"))
