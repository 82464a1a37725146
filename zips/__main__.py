"""`python -m zips`: write dist/<function>.zip for every function and show what is inside."""

from __future__ import annotations

import argparse
import hashlib
import zipfile
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from zips.archive import files_below, write_zip
from zips.dependencies import dependencies

REPOSITORY = Path(__file__).resolve().parents[1]
FUNCTIONS = REPOSITORY / "functions"
RUNTIME = "job_runtime"


def function_names() -> list[str]:
    """Return the packages below functions/ that have a handler."""
    return sorted(handler.parent.name for handler in FUNCTIONS.glob("*/handler.py"))


def package(name: str, target: Path, third_party: Path) -> None:
    """Write the zip of function NAME to TARGET: its package, the runtime and the third-party packages."""
    files = dict(files_below(third_party))
    for own in (RUNTIME, name):
        files |= files_below(FUNCTIONS / own, f"{own}/")
    write_zip(target, files)


def contents_table(archives: list[Path]) -> Table:
    """Return a table of the size in KiB of each top-level package (rows) in each zip (columns)."""
    table = Table(title="Function packages (KiB)")
    table.add_column("package")
    sizes: dict[str, Counter[str]] = {}
    for archive in archives:
        table.add_column(archive.stem, justify="right")
        sizes[archive.stem] = Counter()
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist():
                sizes[archive.stem][entry.filename.split("/")[0]] += entry.file_size
    for top in sorted({top for size in sizes.values() for top in size}):
        table.add_row(top, *(f"{size[top] / 1024:,.1f}" if size[top] else "" for size in sizes.values()))
    table.add_section()
    table.add_row("zip", *(f"{archive.stat().st_size / 1024:,.1f}" for archive in archives))
    digests = [hashlib.sha256(archive.read_bytes()).hexdigest()[:12] for archive in archives]
    table.add_row("sha256", *digests)
    return table


def main() -> None:
    """Build every zip, then print the table."""
    parser = argparse.ArgumentParser(description="Zip the functions for the Lambda platform.")
    parser.add_argument(
        "--to", type=Path, default=REPOSITORY / "dist", help="folder of the zips (default: dist)"
    )
    target: Path = parser.parse_args().to
    target.mkdir(parents=True, exist_ok=True)
    lock = REPOSITORY / "requirements" / "functions.txt"
    third_party = dependencies(lock, REPOSITORY / ".cache" / "packages")
    archives = []
    for name in function_names():
        archives.append(target / f"{name}.zip")
        package(name, archives[-1], third_party)
    Console().print(contents_table(archives))


if __name__ == "__main__":
    main()
