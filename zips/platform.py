"""The Lambda platform the zips are made for, and whether a native file fits it."""

from __future__ import annotations

import struct
from pathlib import PurePosixPath

PYTHON = "3.13"
ARCHITECTURE = "arm64"
PIP_PLATFORM = "manylinux2014_aarch64"

_ELF_MAGIC = b"\x7fELF"
_ELF_MACHINE = 183  # EM_AARCH64 (ELF for the Arm 64-bit architecture)
_NATIVE = {".so", ".pyd", ".dylib", ".dll"}


class WrongPlatformError(ValueError):
    """A native file in a package that the Lambda runtime could not load."""


def check_native(name: str, content: bytes) -> None:
    """Raise WrongPlatformError if NAME is a native library not built for the platform; other files pass.

    NAME is the path inside the zip, CONTENT its bytes.
    """
    path = PurePosixPath(name)
    if path.suffix not in _NATIVE and ".so." not in path.name:
        return
    rule = f"the functions run on {ARCHITECTURE}, Python {PYTHON}"
    remedy = "pin a version that has such a wheel, or a pure Python one, in requirements/functions.in"
    if not content.startswith(_ELF_MAGIC):
        raise WrongPlatformError(f"{name} is not a Linux library; {rule}: {remedy}")
    (machine,) = struct.unpack_from("<H", content, 18)
    if machine != _ELF_MACHINE:
        raise WrongPlatformError(
            f"{name} is built for ELF machine {machine}, not {_ELF_MACHINE}; {rule}: {remedy}"
        )
    tags = path.name.split(".")[1:-1]
    tag = next((tag for tag in tags if tag.startswith("cpython-")), None)
    wanted = f"cpython-{PYTHON.replace('.', '')}-"
    if tag is not None and not tag.startswith(wanted):
        raise WrongPlatformError(f"{name} is tagged {tag}, not {wanted}*; {rule}: {remedy}")
