"""`python -m zips`: write dist/<function>.zip for every function and show what is inside.

Exit status 0: written; 1: nothing was written, since a file does not belong into a zip.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from zips.archive import write_zip
from zips.dependencies import AlteredPackageError, dependencies, needed_files
from zips.own import StrayFileError, packages
from zips.platform import WrongPlatformError

REPOSITORY = Path(__file__).resolve().parents[1]
FUNCTIONS = REPOSITORY / "functions"
RUNTIME = "job_runtime"


def write_all(functions: Path, third_party: Path, target: Path) -> list[Path]:
    """Write the zip of each function in the folder FUNCTIONS into the folder TARGET; return the zips by name.

    A zip holds the function's package, the runtime and the packages installed in THIRD_PARTY. Every file is
    checked before the first zip is written. Raises StrayFileError and AlteredPackageError.
    """
    own = packages(functions, RUNTIME)
    shared = needed_files(third_party) | own.pop(RUNTIME)
    archives = []
    for name in sorted(own):
        archives.append(target / f"{name}.zip")
        write_zip(archives[-1], shared | own[name])
    return archives


def contents_table(archives: list[Path]) -> Table:
    """Return a table of the zips: KiB of its own package, KiB of all, SHA-256; then what all of them hold."""
    table = Table(title="Function packages (KiB)")
    for column in ("package", "its own", "zip", "sha256"):
        table.add_column(column, justify="left" if column == "package" else "right")
    sizes: dict[Path, Counter[str]] = {}
    for archive in archives:
        with zipfile.ZipFile(archive) as opened:
            sizes[archive] = Counter()
            for entry in opened.infolist():
                sizes[archive][entry.filename.split("/")[0]] += entry.file_size
    shared = set[str].intersection(*map(set, sizes.values()))
    for archive, size in sizes.items():
        own = sum(count for top, count in size.items() if top not in shared)
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()[:12]
        table.add_row(archive.stem, f"{own / 1024:,.1f}", f"{archive.stat().st_size / 1024:,.1f}", digest)
    table.add_section()
    table.add_row("in each of them:")
    for top in sorted(shared):
        table.add_row(f"  {top}", f"{sizes[archives[0]][top] / 1024:,.1f}")
    return table


def _refuse(reason: str) -> int:
    Console(stderr=True).print(reason, style="bold red", highlight=False, markup=False, soft_wrap=True)
    return 1


def main() -> int:
    """Build every zip, then print the table."""
    parser = argparse.ArgumentParser(description="Zip the functions for the Lambda platform.")
    parser.add_argument(
        "--to", type=Path, default=REPOSITORY / "dist", help="folder of the zips (default: dist)"
    )
    target: Path = parser.parse_args().to
    target.mkdir(parents=True, exist_ok=True)
    lock = REPOSITORY / "requirements" / "functions.txt"
    try:
        archives = write_all(FUNCTIONS, dependencies(lock, REPOSITORY / ".cache" / "packages"), target)
    except (StrayFileError, AlteredPackageError, WrongPlatformError) as error:
        return _refuse(str(error))
    except subprocess.CalledProcessError:
        return _refuse(f"pip could not install {lock.relative_to(REPOSITORY)}; its reason stands above")
    Console().print(contents_table(archives))
    return 0


if __name__ == "__main__":
    sys.exit(main())
