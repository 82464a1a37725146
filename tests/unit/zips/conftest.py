"""A small functions/ folder, and one installed package with its RECORD."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

FUNCTION, RUNTIME = "charge_consumer", "job_runtime"


@pytest.fixture
def functions(tmp_path: Path) -> Path:
    """A runtime with a package in it, and one function."""
    folder = tmp_path / "functions"
    for name in (f"{RUNTIME}/effects", FUNCTION):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("")
    (folder / RUNTIME / "__init__.py").write_text("")
    (folder / RUNTIME / "py.typed").write_text("")
    (folder / FUNCTION / "handler.py").write_text("x = 1\n")
    (folder / FUNCTION / "payload.schema.json").write_text("{}\n")
    return folder


@pytest.fixture
def third_party(tmp_path: Path) -> Path:
    """A folder as pip leaves one: a package, a script, and what pip wrote about them."""
    folder = tmp_path / "third_party"
    files = {
        "library/__init__.py": "",
        "library/data.txt": "data\n",
        "library-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: library\nVersion: 1.0\n",
        "library-1.0.dist-info/INSTALLER": "pip\n",
    }
    record = []
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(text)}")
    record += ["../../bin/library,sha256=x,1", "library-1.0.dist-info/RECORD,,"]
    (folder / "library-1.0.dist-info" / "RECORD").write_text("\n".join(record) + "\n")
    (folder / "bin").mkdir()
    (folder / "bin" / "library").write_text("#!/usr/bin/env python3\n")
    return folder
