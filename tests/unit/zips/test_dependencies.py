"""What is packed of the installed packages is what their wheels held."""

from __future__ import annotations

from pathlib import Path

import pytest

from zips.dependencies import AlteredPackageError, needed_files


def test_modules_data_and_metadata_are_needed_scripts_and_pip_s_notes_are_not(third_party: Path) -> None:
    assert needed_files(third_party).keys() == {
        "library/__init__.py",
        "library/data.txt",
        "library-1.0.dist-info/METADATA",
    }


@pytest.mark.parametrize("name", ["library/.DS_Store", "library/added.py", "module.py", ".env"])
def test_file_of_no_package_is_named(name: str, third_party: Path) -> None:
    (third_party / name).write_text("")

    with pytest.raises(AlteredPackageError, match=name):
        needed_files(third_party)


def test_changed_file_is_named(third_party: Path) -> None:
    (third_party / "library" / "data.txt").write_text("changed\n")

    with pytest.raises(AlteredPackageError, match=r"data\.txt is not what the package's wheel held: delete"):
        needed_files(third_party)


def test_missing_file_is_named(third_party: Path) -> None:
    (third_party / "library" / "__init__.py").unlink()

    with pytest.raises(AlteredPackageError, match=r"__init__\.py"):
        needed_files(third_party)
