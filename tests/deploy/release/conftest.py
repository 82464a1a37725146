"""A repository that is ready for version 0.2.0, in which make's verbs are one line each."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from deploy.release.__main__ import main

TODAY = date(2026, 12, 1)
CHANGELOG = """# Changelog

## Unreleased

## 0.2.0 - 2026-12-01

### Added

- Weekly jobs.

## 0.1.0 - 2026-11-01

First version.
"""
_PYPROJECT = '[project]\nname = "fanout-once"\nversion = "0.2.0"\n'
_README = 'source = "git::https://git.example.com/x.git//modules/a?ref=v0.2.0"\n'
_MAKEFILE = """
gate-source:
	@echo '$@$(WAIVERS)' >> .ran
test-all:
	@echo '$@' >> .ran
gate:
	@echo '$@ $(ENV) $(OFFLINE)$(WAIVERS)' >> .ran
"""


class Repository:
    """A work tree on main; `release` is the command, run in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        for name, text in (
            ("CHANGELOG.md", CHANGELOG),
            ("pyproject.toml", _PYPROJECT),
            ("README.md", _README),
            ("Makefile", _MAKEFILE),
            (".gitignore", ".ran\n"),
        ):
            self.write(name, text)
        self.commit()
        self.git("tag", "--annotate", "--message=first", "v0.1.0")

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments],  # noqa: S607 - any git will do
            cwd=self.path,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    def write(self, name: str, text: str) -> None:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text)

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.path / name).read_text()
        assert old in text
        self.write(name, text.replace(old, new))

    def commit(self) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=change")
        return self.git("rev-parse", "HEAD")

    def release(self, *arguments: str) -> int:
        return main(arguments or ("0.2.0",), self.path, TODAY)

    @property
    def ran(self) -> list[str]:
        log = self.path / ".ran"
        return log.read_text().splitlines() if log.exists() else []

    @property
    def tags(self) -> list[str]:
        return self.git("tag", "--list").splitlines()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository that may be released; git knows who acts, and no setting of this machine."""
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, "/dev/null")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "somebody")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "somebody@example.com")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return Repository(tmp_path / "repository")


Change = Callable[[Repository], object]
