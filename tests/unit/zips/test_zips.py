"""The zips of the functions: the same bytes everywhere, loadable on the Lambda platform."""

from __future__ import annotations

import hashlib
import os
import struct
import zipfile
from pathlib import Path

import pytest

from zips.__main__ import function_names, package
from zips.archive import files_below, write_zip
from zips.platform import WrongPlatformError, check_native


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "inner").mkdir(parents=True)
    (folder / "handler.py").write_text("x = 1\n")
    (folder / "inner" / "__init__.py").write_text("")
    return folder


def build(source: Path, target: Path) -> str:
    write_zip(target, dict(files_below(source)))
    return digest(target)


def elf(machine: int) -> bytes:
    return b"\x7fELF" + bytes(14) + struct.pack("<H", machine) + bytes(40)


def test_bytes_do_not_change_with_times_modes_umask_or_zone(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build(source, tmp_path / "first.zip")
    os.utime(source / "handler.py", (1, 1))
    (source / "handler.py").chmod(0o600)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    previous = os.umask(0o077)
    try:
        (source / "__pycache__").mkdir()
        (source / "__pycache__" / "handler.cpython-313.pyc").write_bytes(b"bytecode")
        second = build(source, tmp_path / "second.zip")
    finally:
        os.umask(previous)
    assert first == second


def test_entries_are_readable_by_the_runtime_sorted_and_without_bytecode(
    source: Path, tmp_path: Path
) -> None:
    (source / "handler.py").chmod(0o600)
    build(source, tmp_path / "f.zip")
    with zipfile.ZipFile(tmp_path / "f.zip") as archive:
        entries = archive.infolist()
    assert [entry.filename for entry in entries] == ["handler.py", "inner/__init__.py"]
    assert all(entry.external_attr >> 16 == 0o100644 for entry in entries)


def test_changed_source_changes_the_zip(source: Path, tmp_path: Path) -> None:
    first = build(source, tmp_path / "first.zip")
    (source / "handler.py").write_text("x = 2\n")
    assert build(source, tmp_path / "second.zip") != first


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lib/_fast.cpython-313-x86_64-linux-gnu.so", elf(62)),
        ("lib/_fast.cpython-312-aarch64-linux-gnu.so", elf(183)),
        ("lib/_fast.so", b"\xcf\xfa\xed\xfe" + bytes(60)),
        ("lib/_fast.pyd", b"MZ" + bytes(60)),
    ],
    ids=["x86_64", "python 3.12", "macOS", "Windows"],
)
def test_native_library_of_another_platform_is_refused_and_named(name: str, content: bytes) -> None:
    with pytest.raises(WrongPlatformError, match=name.rsplit("/", 1)[-1]):
        check_native(name, content)


@pytest.mark.parametrize("name", ["lib/_fast.cpython-313-aarch64-linux-gnu.so", "lib/_fast.abi3.so"])
def test_native_library_of_the_platform_is_accepted(name: str) -> None:
    check_native(name, elf(183))


def test_refused_library_leaves_the_former_zip_in_place(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "f.zip"
    before = build(source, target)
    (source / "_fast.so").write_bytes(elf(62))
    with pytest.raises(WrongPlatformError):
        build(source, target)
    assert digest(target) == before


def test_every_function_carries_its_own_package_and_the_runtime_only(tmp_path: Path) -> None:
    names = function_names()
    assert names
    third_party = tmp_path / "none"
    third_party.mkdir()
    for name in names:
        package(name, tmp_path / f"{name}.zip", third_party)
        with zipfile.ZipFile(tmp_path / f"{name}.zip") as archive:
            assert {entry.split("/")[0] for entry in archive.namelist()} == {"job_runtime", name}
