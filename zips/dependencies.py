"""The functions' dependencies, laid out for the Lambda platform from the hash-locked list."""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import sys
from importlib.metadata import PackagePath, distributions
from pathlib import Path

from zips.platform import PIP_PLATFORM, PYTHON

# Serves HTTP APIs, and carries 2 MB of Swagger UI for them.
_NOT_USED = ("aws_lambda_powertools/event_handler/",)
_NOT_IMPORTED = {"__pycache__", "bin"}  # bytecode; scripts for a command line


class AlteredPackageError(ValueError):
    """An installed package is not what its wheel held; the message names the file and the remedy."""


def dependencies(lock: Path, cache: Path) -> Path:
    """Return a folder with what LOCK lists, installed for the Lambda platform; made once per lock file.

    Wheels only, never a source build, each checked against its hash. CalledProcessError if pip refuses.
    """
    digest = hashlib.sha256(lock.read_bytes() + f"{PYTHON} {PIP_PLATFORM}".encode()).hexdigest()
    folder = cache / digest[:16]
    if folder.exists():
        return folder
    partial = cache / f"{digest[:16]}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    command = [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--require-hashes", "--no-deps", "--no-compile", "--only-binary", ":all:"),
        *("--platform", PIP_PLATFORM, "--python-version", PYTHON, "--implementation", "cp"),
        *("--target", str(partial), "--requirement", str(lock)),
    ]
    subprocess.run(command, check=True)
    partial.rename(folder)
    return folder


def needed_files(folder: Path) -> dict[str, Path]:
    """Return what a function needs of the packages installed in FOLDER: name inside the zip to file.

    Each file is held to the hash in its package's RECORD, as the wheel had it. Raises AlteredPackageError for
    one that differs, is missing, or belongs to no package: the folder outlives many builds.
    """
    recorded = {
        entry.as_posix(): entry
        for package in distributions(path=[str(folder)])
        for entry in package.files or ()
    }
    present = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if not path.is_dir()}
    needed = {name for name in recorded.keys() | present.keys() if not _left_out(name)}
    for name in sorted(needed):
        if not _unaltered(present.get(name), recorded.get(name)):
            raise AlteredPackageError(
                f"{folder / name} is not what the package's wheel held: "
                f"delete {folder} and run make package again"
            )
    return {name: present[name] for name in needed}


def _unaltered(path: Path | None, recorded: PackagePath | None) -> bool:
    if path is None or path.is_symlink() or recorded is None or recorded.hash is None:
        return False
    digest = hashlib.new(recorded.hash.mode, path.read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == recorded.hash.value


def _left_out(name: str) -> bool:
    """Whether a file stays behind: bytecode, scripts, what pip wrote about the machine (but its licences)."""
    parts = name.split("/")
    written_by_pip = (
        parts[0].endswith(".dist-info") and "licen" not in name.lower() and parts[-1] != "METADATA"
    )
    return written_by_pip or name.startswith(_NOT_USED) or not _NOT_IMPORTED.isdisjoint(parts)
