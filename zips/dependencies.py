"""The functions' dependencies, laid out for the Lambda platform from the hash-locked list."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from zips.platform import PIP_PLATFORM, PYTHON


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
