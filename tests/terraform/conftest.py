"""Real Terraform with the stand-in provider, and a folder per module for what init keeps."""

import os
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from deploy.terraform import stand_in, terraform_command
from local.emulator import Emulator
from tests.terraform.modules import MODULES

PACKAGE = MODULES / "testing" / "package.zip"
DIST = MODULES / "testing" / "dist"  # a package under the name of each function, all the same
Run = Callable[..., subprocess.CompletedProcess[str]]
Record = Callable[[str, object], None]
COLUMNS = (
    "runs",
    "rules",
    "rules without",
    "whole numbers",
    "mutants",
    "resources",
    "second-plan changes",
    "left over",
)


@pytest.fixture(scope="session")
def provider() -> Iterator[dict[str, str]]:
    """The environment in which Terraform finds the stand-in."""
    with stand_in() as environment:
        yield environment


@pytest.fixture(scope="session")
def terraform(provider: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """`terraform(directory, *arguments)`: runs in a directory that is initialised first, once."""
    data_dirs: dict[Path, Path] = {}

    def run(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        initialised = directory in data_dirs
        data_dir = data_dirs.setdefault(directory, tmp_path_factory.mktemp(directory.name))
        environment = {**os.environ, **provider, "TF_DATA_DIR": str(data_dir)}

        def call(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [*terraform_command(), *words],
                cwd=directory,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )

        if not initialised:
            done = call("init", "-backend=false", "-input=false", "-no-color")
            assert done.returncode == 0, done.stdout + done.stderr
        return call(*arguments)

    return run


@pytest.fixture(scope="session")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """A local AWS for all tests that need one."""
    with Emulator.start(log=tmp_path_factory.mktemp("emulator") / "log") as emulator:
        yield emulator


@contextmanager
def attached_to(aws: Emulator) -> Iterator[dict[str, str]]:
    """The environment in which Terraform finds the stand-in, with keys for the local AWS."""
    credentials = {name: value for name, value in aws.credentials_env().items() if name != "AWS_ENDPOINT_URL"}
    with stand_in(credentials) as environment:
        yield {**credentials, **environment}


@pytest.fixture(scope="session")
def attached(aws: Emulator) -> Iterator[dict[str, str]]:
    """`attached_to` the local AWS that the tests share."""
    with attached_to(aws) as environment:
        yield environment


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line a module: what its tests ran, covered, made and left."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for reports in terminalreporter.stats.values():
        for report in reports:
            told = dict(getattr(report, "user_properties", []))
            if getattr(report, "when", "") == "call" and "module" in told:
                sums[told.pop("module")].update(told)
    if not sums:
        return
    table = Table(title="Modules")
    table.add_column("module")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for module, counts in sorted(sums.items()):
        table.add_row(module, *(str(counts[column]) if column in counts else "" for column in COLUMNS))
    terminalreporter.ensure_newline()
    Console(width=110, file=terminalreporter._tw._file).print(table)
