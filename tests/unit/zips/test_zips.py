"""The zips of the functions: the same bytes everywhere, loadable on the Lambda platform."""

from __future__ import annotations

import hashlib
import os
import struct
import zipfile
from pathlib import Path

import pytest

from tests.unit.zips.conftest import FUNCTION, RUNTIME
from zips.__main__ import write_all
from zips.archive import write_zip
from zips.platform import WrongPlatformError, check_native


def digests(archives: list[Path]) -> list[str]:
    return [hashlib.sha256(archive.read_bytes()).hexdigest() for archive in archives]


def elf(machine: int) -> bytes:
    return b"\x7fELF" + bytes(14) + struct.pack("<H", machine) + bytes(40)


def test_bytes_do_not_change_with_times_modes_umask_zone_or_bytecode(
    functions: Path, third_party: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = digests(write_all(functions, third_party, tmp_path))
    handler = functions / FUNCTION / "handler.py"
    os.utime(handler, (1, 1))
    handler.chmod(0o700)
    (third_party / "library" / "data.txt").chmod(0o755)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    previous = os.umask(0o077)
    try:
        for folder in (functions / FUNCTION, third_party / "library"):
            (folder / "__pycache__").mkdir()
            (folder / "__pycache__" / "handler.cpython-313.pyc").write_bytes(b"bytecode")
        second = digests(write_all(functions, third_party, tmp_path))
    finally:
        os.umask(previous)

    assert first == second


def test_entries_are_readable_by_the_runtime_and_sorted(
    functions: Path, third_party: Path, tmp_path: Path
) -> None:
    (functions / FUNCTION / "handler.py").chmod(0o700)
    (archive,) = write_all(functions, third_party, tmp_path)
    with zipfile.ZipFile(archive) as opened:
        entries = opened.infolist()

    names = [entry.filename for entry in entries]
    assert names == sorted(names)
    assert {name.split("/")[0] for name in names} == {FUNCTION, RUNTIME, "library", "library-1.0.dist-info"}
    assert all(entry.external_attr >> 16 == 0o100644 for entry in entries)


def test_changed_source_changes_the_zip(functions: Path, third_party: Path, tmp_path: Path) -> None:
    first = digests(write_all(functions, third_party, tmp_path))
    (functions / FUNCTION / "handler.py").write_text("x = 2\n")

    assert digests(write_all(functions, third_party, tmp_path)) != first


def test_a_zip_carries_its_own_function_and_no_other(
    functions: Path, third_party: Path, tmp_path: Path
) -> None:
    other = functions / "other"
    other.mkdir()
    (other / "__init__.py").write_text("")
    (other / "handler.py").write_text("")
    archives = write_all(functions, third_party, tmp_path)

    assert [archive.stem for archive in archives] == [FUNCTION, "other"]
    for archive, stranger in zip(archives, ("other", FUNCTION), strict=True):
        with zipfile.ZipFile(archive) as opened:
            assert stranger not in {name.split("/")[0] for name in opened.namelist()}


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


def test_refused_library_leaves_the_former_zip_in_place(tmp_path: Path) -> None:
    target, handler, library = tmp_path / "f.zip", tmp_path / "handler.py", tmp_path / "_fast.so"
    handler.write_text("x = 1\n")
    library.write_bytes(elf(62))
    write_zip(target, {"handler.py": handler})
    before = digests([target])

    with pytest.raises(WrongPlatformError):
        write_zip(target, {"handler.py": handler, "_fast.so": library})

    assert digests([target]) == before
