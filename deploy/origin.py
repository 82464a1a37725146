"""Where a saved plan comes from, kept beside it: another job can apply that very plan, and no other one."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from deploy.request import WrongUse

_SECONDS = 60


def commit_of(repository: Path) -> str:
    """The commit whose files a work tree holds; empty when it holds others, or is no work tree of git."""
    changes, head = _git(repository, "status", "--porcelain"), _git(repository, "rev-parse", "HEAD")
    return head.strip() if head is not None and changes == "" else ""


def _git(repository: Path, *arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    done = subprocess.run(
        [git, "-C", str(repository), *arguments],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    return done.stdout if done.returncode == 0 else None


@dataclass(frozen=True)
class Origin:
    """A plan's environment, the commit that it is of (empty: of none), and the SHA-256 of its file."""

    environment: str
    commit: str
    digest: str

    @classmethod
    def of(cls, plan: Path, environment: str, repository: Path) -> Origin:
        """The origin of a plan that was made just now."""
        return cls(environment, commit_of(repository), _digest(plan))

    def write(self, file: Path) -> None:
        """Write it as JSON."""
        file.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def _read(cls, file: Path, environment: str) -> Origin:
        """What `write` has written. Raises WrongUse."""
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
        except ValueError:  # no JSON, or no UTF-8
            told = None
        names = {field.name for field in fields(cls)}
        if (
            not isinstance(told, dict)
            or told.keys() != names
            or not all(isinstance(value, str) for value in told.values())
        ):
            raise WrongUse(
                f"{file} is not as `make plan` writes it, so nobody can say where the plan is from; plan"
                f" again: make plan ENV={environment}"
            )
        return cls(**told)

    @classmethod
    def check(cls, plan: Path, environment: str, digest: str, repository: Path) -> Origin:
        """The origin of the plan in PLAN, if this may be applied in ENVIRONMENT. Raises WrongUse.

        DIGEST is what was approved, told on a way that whoever can alter the files cannot alter; empty if it
        was not told. That the state is still the one that was planned on is checked by Terraform, under its
        lock.
        """
        file = plan.with_suffix(".plan.json")
        for needed in (plan, file):
            if not needed.is_file():
                raise WrongUse(f"{needed} is missing: `make plan ENV={environment}` writes it")
        origin = cls._read(file, environment)
        actual, here = _digest(plan), commit_of(repository)
        reason = ""
        if origin.environment != environment:
            reason = f"it is a plan of {origin.environment}, not of {environment}"
        elif actual != origin.digest:
            reason = f"it was altered: its SHA-256 is {actual}, {file.name} says {origin.digest}"
        elif digest and digest != actual:
            reason = f"it is not the one that was approved: its SHA-256 is {actual}, DIGEST is {digest}"
        elif not origin.commit:
            reason = "it is of files that no commit holds, so nobody can say what they were"
        elif here != origin.commit:
            tree = f"at {here}" if here else "changed, or none of git"
            reason = f"it is of commit {origin.commit}, and this work tree is {tree}"
        if reason:
            raise WrongUse(f"{plan} is not applied: {reason}; plan again: make plan ENV={environment}")
        return origin


def _digest(plan: Path) -> str:
    return hashlib.sha256(plan.read_bytes()).hexdigest()
