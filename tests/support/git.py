"""A work tree of git, for tests of what depends on commits."""

from __future__ import annotations

import subprocess
from pathlib import Path

_SECONDS = 60
_IGNORED = "/dist\n/modules\n.terraform/\n.terraform.lock.hcl\n*.tfstate*\n"


def commit(tree: Path) -> str:
    """Commit all files of TREE but what is built; returns the commit."""
    (tree / ".gitignore").write_text(_IGNORED, encoding="utf-8")
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "x"]):
        _git(tree, *arguments)
    return _git(tree, "rev-parse", "HEAD").strip()


def _git(tree: Path, *arguments: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", "-C", str(tree), *who, *arguments],  # noqa: S607 - whichever git there is
        check=True,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    ).stdout
