"""What a release asks of git."""

from __future__ import annotations

import subprocess
from pathlib import Path

TAGS = "v"  # a version's tag is `v` and the version


class GitError(Exception):
    """git refused, or is not there; the message is its own."""


def git(repository: Path, *arguments: str, text: str | None = None) -> str:
    """Return what `git ARGUMENTS` prints in REPOSITORY, with TEXT as its input. Raises GitError."""
    try:
        done = subprocess.run(
            ["git", *arguments],  # noqa: S607 - as whoever releases has it
            cwd=repository,
            input=text,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except FileNotFoundError as missing:
        raise GitError("git is not installed, and a release is a tag of git: install it") from missing
    if done.returncode:
        raise GitError(done.stderr.strip() or f"git {arguments[0]} ended with {done.returncode}")
    return done.stdout


def commit(repository: Path) -> str:
    """Return the commit that is checked out."""
    return git(repository, "rev-parse", "--verify", "HEAD^{commit}").strip()


def tags(repository: Path) -> dict[str, str]:
    """Return the tags that look like a version's, each with the commit that it names."""
    form = "%(refname:strip=2) %(objectname) %(*objectname)"
    lines = git(repository, "for-each-ref", f"--format={form}", f"refs/tags/{TAGS}*").splitlines()
    return {fields[0]: fields[-1] for fields in map(str.split, lines)}


def annotate(repository: Path, tag: str, commit: str, message: str) -> None:
    """Make the annotated tag TAG of COMMIT, here only. Raises GitError."""
    # Whitespace only: a changelog's headings begin as git's own comments do, and would be taken away.
    git(repository, "tag", "--annotate", "--cleanup=whitespace", "--file=-", tag, commit, text=message)
