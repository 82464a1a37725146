"""What has to be true of a commit before the long proofs are worth their time."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from deploy.release import changelog
from deploy.release.git import TAGS, git, tags

BRANCH = "main"
CHANGELOG = "CHANGELOG.md"
_PROJECT = "pyproject.toml"
_PINNING = ("*.md", "*.tf")  # files that may show or have a module's source with a tag
_VERSION = re.compile(r"(?:(?:0|[1-9][0-9]*)\.){2}(?:0|[1-9][0-9]*)")
_PINNED = re.compile(r"\?ref=([^\"'`\s)&]+)")
_NAMED = 5  # files named of many


def is_version(text: str) -> bool:
    """Whether TEXT is a version: three numbers, as semantic versioning writes them; no release candidates."""
    return _VERSION.fullmatch(text) is not None


def problems(repository: Path, version: str, today: date) -> Iterator[str]:
    """Yield a sentence for each thing that is missing before VERSION can be released, and what to do.

    Reads REPOSITORY only. Raises GitError where it is none.
    """
    yield from _branch(repository)
    yield from _work_tree(repository)
    yield from _tag(repository, version)
    yield from _notes(repository, version, today)
    yield from _project(repository, version)
    yield from _pins(repository, version)


def _branch(repository: Path) -> Iterator[str]:
    branch = git(repository, "branch", "--show-current").strip()
    if branch != BRANCH:
        held = f"the branch {branch!r}" if branch else "no branch"
        yield f"{held} is checked out, and a release is a commit of {BRANCH}: git switch {BRANCH}"


def _work_tree(repository: Path) -> Iterator[str]:
    changed = [
        line[3:] for line in git(repository, "status", "--porcelain", "--untracked-files=normal").splitlines()
    ]
    if changed:
        more = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
        yield (
            f"the work tree has what no commit has ({', '.join(changed[:_NAMED])}{more}): "
            "commit it, or git stash --include-untracked"
        )


def _tag(repository: Path, version: str) -> Iterator[str]:
    released = tags(repository)
    if TAGS + version in released:
        yield f"the tag {TAGS}{version} exists, at {released[TAGS + version][:12]}: choose the next version"
        return
    versions = [tag.removeprefix(TAGS) for tag in released if is_version(tag.removeprefix(TAGS))]
    latest = max(versions, key=_order, default=None)
    if latest is not None and _order(version) < _order(latest):
        yield f"{version} is older than {latest}, which is released: choose a later version"


def _notes(repository: Path, version: str, today: date) -> Iterator[str]:
    try:
        notes(repository, version, today)
    except ValueError as problem:
        yield f"{CHANGELOG}: {problem}"


def notes(repository: Path, version: str, today: date) -> str:
    """Return what the changelog says of VERSION. Raises ValueError; see `changelog.notes`."""
    return changelog.notes((repository / CHANGELOG).read_text(encoding="utf-8"), version, today)


def _project(repository: Path, version: str) -> Iterator[str]:
    project = tomllib.loads((repository / _PROJECT).read_text(encoding="utf-8"))["project"]
    if project["version"] != version:
        yield f"{_PROJECT} has the version {project['version']}: write {version}, then make documents"


def _pins(repository: Path, version: str) -> Iterator[str]:
    for name in git(repository, "ls-files", "-z", "--", *_PINNING).split("\0"):
        file = repository / name
        if not name or not file.is_file():  # deleted in the work tree, which is told already
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            for pin in _PINNED.findall(line):
                if pin != TAGS + version:
                    yield f"{name}:{number} pins {pin}, not {TAGS}{version}: make documents"


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
