"""One zip whose bytes depend on the content of its files alone."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from zips.platform import check_native

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can hold
_READABLE = 0o100644 << 16  # the runtime reads the files as another user
_UNWANTED = {"__pycache__", "bin"}
# Serves HTTP APIs, and carries 2 MB of Swagger UI for them.
_NOT_USED = ("aws_lambda_powertools/event_handler/",)


def files_below(folder: Path, prefix: str = "") -> Iterator[tuple[str, Path]]:
    """Yield (name inside the zip, file) for what a function needs of FOLDER: no bytecode, no leftovers."""
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        name = f"{prefix}{relative.as_posix()}"
        if path.is_file() and not _left_out(name):
            yield name, path


def _left_out(name: str) -> bool:
    """Whether a file stays behind: bytecode, scripts, what pip wrote about the machine (but its licences)."""
    parts = name.split("/")
    written_by_pip = (
        parts[0].endswith(".dist-info") and "licen" not in name.lower() and parts[-1] != "METADATA"
    )
    return (
        written_by_pip
        or name.endswith(".pyc")
        or name.startswith(_NOT_USED)
        or not _UNWANTED.isdisjoint(parts)
    )


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
