"""One zip whose bytes depend on the content of its files alone."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

from zips.platform import check_native

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can hold
_READABLE = 0o100644 << 16  # the runtime reads the files as another user


def write_zip(target: Path, files: Mapping[str, Path]) -> None:
    """Write FILES (name inside the zip to file) to TARGET.

    Names are sorted, times and modes fixed. Stored, not deflated: zlib's builds differ in their bytes.
    Raises WrongPlatformError for a native library of another platform, TARGET is then left alone.
    """
    contents = {name: files[name].read_bytes() for name in sorted(files)}
    for name, content in contents.items():
        check_native(name, content)
    partial = target.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3  # Unix, wherever this runs: the modes are Unix modes
            entry.external_attr = _READABLE
            archive.writestr(entry, content)
    partial.replace(target)
